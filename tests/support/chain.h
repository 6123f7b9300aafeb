// SPDX-License-Identifier: MIT
// A few rods without a simulation: energy, dense stiffness, and rest under loads by Newton's
// method.
#ifndef HED_TESTS_CHAIN_H
#define HED_TESTS_CHAIN_H

#include "model/rod/rod.h"

/// Rods whose points are all points of the chain, with springs of stiffness EA along segments.
typedef struct Chain {
    int32_t count; // points
    HedVec3* x;
    HedVec3* load; // N
    bool* is_held;
    double axial; // N, EA
    HedRods rods;
    HedRanges ranges;
    int32_t* range_first;
    HedTeam team;
    double partial[64];
    HedMatrix matrix;
} Chain;

/// x is copied; points per range may be small to cut rods in many pieces.
void chain_create(Chain* chain, const HedRodDef* defs, int32_t rod_count, const HedVec3* x,
                  int32_t points_per_range);
void chain_free(Chain* chain);

/// Prepares at the present points; energy of rods, springs and loads.
double chain_energy(Chain* chain);

/// dE/dx of all of them at the prepared state.
void chain_gradient(const Chain* chain, HedVec3* gradient);

/// d2E/dx2 of the prepared state, 3 count x 3 count, row-major; angles follow the points.
void chain_hessian(Chain* chain, double* hessian);

/// Moves free points until the largest force on one is below tolerance N; returns the iterations,
/// or -1.
int chain_settle(Chain* chain, double tolerance);

/// Eigenvalues of the stiffness of free points that are below bound.
int chain_count_below(Chain* chain, double bound);

#endif
