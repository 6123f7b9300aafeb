// SPDX-License-Identifier: MIT
// The kernels of spline yarns, for the derivative test.
#ifndef HED_MODEL_SPLINE_KERNELS_H
#define HED_MODEL_SPLINE_KERNELS_H

#include "state/kernel.h"

HedKernelTable hed_spline_kernels(void);

#endif
