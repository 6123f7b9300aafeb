// SPDX-License-Identifier: MIT
// The nonlinear equations of one implicit step, whatever the scheme, of everything there is:
//   M a = f(x, v),    v = rate (x - x_old) + v_add,    a = inertia (x - x_old) + a_add,
// for the positions x at its end, and for the unknowns of parts (state/part.h); rate and inertia
// are numbers, v_add and a_add known vectors.
//
// The vector of unknowns begins with three numbers for every point of the simulation; those of
// points that belong to parts stay zero in it. Then come the slices of parts. Where there are parts
// only, and nothing acts between points, it has no numbers of points.
#ifndef HED_SIM_NEWTON_H
#define HED_SIM_NEWTON_H

#include "contact/yarn_ccd.h"
#include "sim/internal.h"
#include "solve/newton.h"

typedef struct HedStep {
    HedSim* sim;
    double start;           // s
    double h;               // s
    double rate;            // 1/s; dv/dx
    double inertia;         // 1/s^2; da/dx. 0: statics, where f takes the velocity zero
    bool damps_by_start;    // damping compares with x_old, else it takes v
    HedPower power;         // W, of the last evaluation
    double contact;         // J, of contacts then, with h times the potential of their friction
    HedYarnMeeting meeting; // of yarns, that cut the last correction; not found: none did
    HedNewton newton;
} HedStep;

/// Sizes and vectors of the unknowns; after terms, contacts and parts are there.
HedStatus hed_newton_create(HedSim* sim, HedError* error);
void hed_newton_free(HedSim* sim);

/// Positions in implicit.x_trial and the trial states of parts are improved until the equations
/// hold to the tolerances of the def.
HedReason hed_newton_solve(HedStep* step, HedStepReport* report);

/// Begins a step of the size in the def without making it; the trial state is that of its start.
HedStatus hed_implicit_begin(HedSim* sim, HedStep* step);

/// Whether anything acts on points from outside of parts; sim->force is found only then.
bool hed_newton_has_outside(const HedSim* sim);

/// Parts of the surface that have met bodies at the trial state join the contacts; their number in
/// *added.
HedStatus hed_implicit_meet(const HedStep* step, int32_t* added);

/// Names the place where the equations are worst.
void hed_newton_describe(const HedStep* step, HedReason reason, HedStepReport* report);

/// Fills step->newton with what solves the equations; residual, matrix and products of the trial
/// state by themselves, for benchmarks.
void hed_newton_begin(HedStep* step);
bool hed_newton_precondition(HedStep* step); ///< False: the matrix is not positive.
int64_t hed_newton_product_bytes(const HedSim* sim);

/// The trial state, as terms want it.
HedEval hed_newton_eval(const HedStep* step);

/// Callbacks of the solve (sim/newton_matrix.c).
bool hed_newton_assemble(void* step, HedNewtonForm form);
bool hed_newton_relinearise(void* step);
void hed_newton_multiply(void* step, const double* x, double* y);
void hed_newton_apply_preconditioner(void* step, const double* x, double* y);
void hed_newton_filter(void* step, const double* x, double* y);

/// Sets what parts hold to zero.
void hed_newton_hold_parts(const HedSim* sim, double* vector);

/// Whether held points are taken out of the matrix; then the filter need not do it.
bool hed_newton_is_eliminated(const HedSim* sim);

/// At rest (sim/newton_rest.c).
double hed_newton_rest_left(void* step);
double hed_newton_rest_noise(void* step);
bool hed_newton_rest_shorten(void* step);
bool hed_newton_rest_meet(void* step, double share);
void hed_newton_rest_begin(HedStep* step);

/// The numbers of points in a vector of unknowns.
static inline HedVec3* hed_point_block(double* vector) {
    return (HedVec3*)(void*)vector;
}

#endif
