// SPDX-License-Identifier: MIT
// Lines of two colours, one after the other with a coarse level in the middle, where each node has
// one line of each: weaves. A = M0 + M1 - D, with M of all lines of a colour and D the nodes' own
// blocks in both; so what M0 leaves of a right-hand side needs no product with A, as in methods of
// alternating directions (Peaceman and Rachford 1955).
#ifndef HED_EOL_ALTERNATING_H
#define HED_EOL_ALTERNATING_H

#include "eol/precondition.h"

/// Whether corrections take this way: lines hold all that yarns couple, and rounding is no matter.
bool hed_eol_is_alternating(const HedEolPreconditioner* p);

/// How much of what lines hardly resist is lost to rounding: |S M v - v| over |v| in the norm of M,
/// v what S makes of noise.
double hed_eol_alternating_noise(const HedEolPreconditioner* p, const uint8_t* is_held);

/// z = B r. False if the first half of it, which is all of z then, shows that B is not positive.
/// All threads of a threads call it.
bool hed_eol_alternating_apply(const HedEolPreconditioner* p, const double* r, double* z,
                               HedThreadTeam threads);

/// y = (M0 + M1 - D) x
void hed_eol_alternating_multiply(const HedEolPreconditioner* p, const double* x, double* y);

#endif
