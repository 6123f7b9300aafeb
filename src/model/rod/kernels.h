// SPDX-License-Identifier: MIT
// The kernels of rods, for the derivative test.
#ifndef HED_MODEL_ROD_KERNELS_H
#define HED_MODEL_ROD_KERNELS_H

#include "state/kernel.h"

/// Static storage; *count is the number of entries.
const HedAngleKernel* hed_rod_kernels(int32_t* count);

#endif
