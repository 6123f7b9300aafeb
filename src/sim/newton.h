// SPDX-License-Identifier: MIT
// The nonlinear equations of one implicit step, whatever the scheme:
//   M a = f(x, v),    v = rate (x - x_old) + v_add,    a = inertia (x - x_old) + a_add,
// for the positions x at its end; rate and inertia are numbers, v_add and a_add known vectors.
#ifndef HED_SIM_NEWTON_H
#define HED_SIM_NEWTON_H

#include "contact/yarn_sweep.h"
#include "sim/internal.h"

typedef struct HedStep {
    HedSim* sim;
    double start;           // s
    double h;               // s
    double rate;            // 1/s; dv/dx
    double inertia;         // 1/s^2; da/dx. 0: statics, where f takes the velocity zero
    bool damps_by_start;    // damping compares with x_old, else it takes v
    HedPower power;         // W, of the last evaluation
    int exact_after;        // iterations to go before the exact matrix is tried again
    double shift;           // 1/s^2, statics: what stands in for inertia in the matrix
    HedYarnMeeting meeting; // of yarns, that cut the last correction; not found: none did
} HedStep;

/// Positions in implicit.x_trial are improved until the equations hold to the tolerances of the
/// def.
HedReason hed_newton_solve(HedStep* step, HedStepReport* report);

/// Parts that have met bodies at the trial state join the contacts; their number in *added.
HedStatus hed_implicit_meet(const HedStep* step, int32_t* added);

/// Names the place where the equations are worst.
void hed_newton_describe(const HedStep* step, HedReason reason, HedStepReport* report);

#endif
