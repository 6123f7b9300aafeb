// SPDX-License-Identifier: MIT
// Corrections of Newton's method that turn the segments of yarns. Private to src/sim.
//
// A correction d of positions is linear: a segment that it turns by an angle a gets longer by
// a^2/2, and yarns are so stiff along themselves that this alone would cut corrections to a
// hundredth of what bending allows. So each segment is given the direction that d asks for, and the
// length that d asks for to first order; points follow. The path begins along d, so that near a
// solution all stays as it was.
#ifndef HED_SIM_RETRACT_H
#define HED_SIM_RETRACT_H

#include "heddle/vec.h"
#include "solve/projection.h"

struct HedSim;

typedef struct HedRetract {
    HedLengths lengths; // of all yarns; the lengths are those of the last move
    HedVec3* base;      // m, where the line begins
    HedVec3* before;    // m, a little before the present place on it
    HedVec3* tangent;   // m, change of positions with the place on the line
} HedRetract;

/// NULL in sim->retract without yarns.
HedStatus hed_retract_create(struct HedSim* sim, HedError* error);
void hed_retract_free(struct HedSim* sim);

/// The line begins at implicit.x_trial, along implicit.direction.
void hed_retract_begin(const struct HedSim* sim);

/// Brings implicit.x_trial to a place on the line, 0 < place, and finds the tangent there.
void hed_retract_go(const struct HedSim* sim, double place);

#endif
