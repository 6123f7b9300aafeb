// SPDX-License-Identifier: MIT
// What the iterations for motion (newton.c) and for rest (newton_rest.c) share.
#ifndef HED_SIM_NEWTON_INNER_H
#define HED_SIM_NEWTON_INNER_H

#include "sim/newton.h"

/// Which of its forms the matrix takes: exact, or one to which inertia lends so much of its own.
typedef struct HedForm {
    bool is_exact;
    double lent;
} HedForm;

/// The unbalanced force at the trial state, zero on held points.
void hed_newton_find_residual(HedStep* step);

/// N, the largest of it.
double hed_newton_largest_residual(const HedSim* sim);

/// Matrix and preconditioner at the trial state; false if it is not positive or has failed.
bool hed_newton_assemble(HedStep* step, HedForm form);

/// Solves for a direction to a relative tolerance. Returns the number of iterations, negative
/// without a direction, and the size of the error that it started from, if asked for.
int32_t hed_newton_find_direction(HedStep* step, double tolerance, HedStepReport* report,
                                  double* size);

/// Goes along the direction and evaluates there; returns how far it went, 0 if there is no place on
/// it that is finite and that yarns can reach; and why not.
double hed_newton_search(HedStep* step);
HedReason hed_newton_blocked_by(const HedStep* step);

/// Statics.
HedReason hed_newton_rest(HedStep* step, HedStepReport* report);

#endif
