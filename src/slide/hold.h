// SPDX-License-Identifier: MIT
#ifndef HED_SLIDE_HOLD_H
#define HED_SLIDE_HOLD_H

#include "slide/matrix.h"

/// is_held: per unknown. A right-hand side that is zero there gives a solution that is.
void hed_net_matrix_hold(HedNetMatrix* matrix, const uint8_t* is_held);

#endif
