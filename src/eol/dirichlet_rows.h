// SPDX-License-Identifier: MIT
#ifndef HED_EOL_DIRICHLET_ROWS_H
#define HED_EOL_DIRICHLET_ROWS_H

#include "eol/matrix.h"

/// is_held: per unknown. A right-hand side that is zero there gives a solution that is.
void hed_eol_matrix_hold(HedEolMatrix* matrix, const uint8_t* is_held);

#endif
