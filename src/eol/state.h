// SPDX-License-Identifier: MIT
// What sliding yarns have to remember from step to step, as one row of numbers.
#ifndef HED_EOL_STATE_H
#define HED_EOL_STATE_H

#include "eol/eol.h"

/// How many numbers: enough to go on to the last bit.
int64_t hed_eol_state_count(const HedEol* eol);

void hed_eol_save(const HedEol* eol, double* state);
void hed_eol_restore(HedEol* eol, const double* state);

/// Takes a state of the same net over, whose rows of nodes may stand in another order: row[node of
/// the net]. count: numbers it has. What solvers remember of it is left out; is_at_rest: velocities
/// too. HED_INVALID if it does not fit.
HedStatus hed_eol_start(HedEol* eol, const double* state, int64_t count, const int32_t* row,
                        bool is_at_rest, HedError* error);

#endif
