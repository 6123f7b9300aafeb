// SPDX-License-Identifier: MIT
#ifndef HED_CONTACT_KERNELS_H
#define HED_CONTACT_KERNELS_H

#include "state/kernel.h"

/// Every contact kernel, for the generic derivative test.
HedKernelTable hed_contact_kernels(void);

#endif
