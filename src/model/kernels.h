// SPDX-License-Identifier: MIT
#ifndef HED_MODEL_KERNELS_H
#define HED_MODEL_KERNELS_H

#include "state/kernel.h"

/// Every element kernel of the models, for the generic derivative test.
HedKernelTable hed_model_kernels(void);

#endif
