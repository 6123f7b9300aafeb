// SPDX-License-Identifier: MIT
// A cloth that repeats for ever. Private to src/sim.
//
// The vectors a and b of the period are two points of the simulation, the first ones: integrators
// move them like all others. Copies are those of contact/yarn_copies.h; ends are points of the
// simulation without mass.
#ifndef HED_SIM_PERIOD_H
#define HED_SIM_PERIOD_H

#include "base/array.h"
#include "contact/yarn_copies.h"
#include "heddle/yarn.h"

typedef struct HedPeriod {
    HedPeriodDef def;
    HedVec3 along[2];  // unit vectors of a and b
    HedVec3 pull[2];   // N, of the last evaluation
    HedVec3 before[2]; // m, a and b at the start of the piece of a step that is being made
    HedYarnCopies copies;
} HedPeriod;

struct HedSim;

/// How the strand with this number goes on; zeros without a period.
HedTurns hed_strand_turns(const struct HedSim* sim, int32_t strand);
/// Whether yarns of a set go on.
struct HedCloth;
bool hed_period_goes_on(const struct HedSim* sim, const struct HedCloth* cloth);

/// Vertices of a strand of a model.
int32_t hed_strand_vertex_count(const struct HedSim* sim, int32_t strand, HedYarnModel model);

/// m, from a yarn's vertex to the next copy of it at the start.
HedVec3 hed_period_way(const struct HedSim* sim, HedTurns turns);

/// HED_INVALID or HED_UNSUPPORTED for curves that cannot go on.
HedStatus hed_period_check_yarns(const struct HedSim* sim, const HedYarnsDef* def, HedError* error);

/// Makes room for the ends of `count` yarns; places the ends of one whose points begin at first;
/// moves the masses and areas of all ends to what they copy.
bool hed_period_reserve(struct HedSim* sim, int64_t count);
void hed_period_join(struct HedSim* sim, int32_t first, int32_t vertex_count, HedTurns turns);
void hed_period_gather_mass(struct HedSim* sim);

/// Before the first step: refuses what cannot repeat, chooses images.
HedStatus hed_period_create(struct HedSim* sim, HedError* error);
void hed_period_free(struct HedSim* sim);

/// HED_UNSUPPORTED if the vectors have become too short for the images there are.
HedStatus hed_period_check(const struct HedSim* sim, HedError* error);

/// Which points cannot move by forces: adjusts inverse masses.
void hed_period_hold(struct HedSim* sim);

/// Vectors (positions, velocities) of ends from those of the other points.
void hed_period_place(const struct HedSim* sim, HedVec3* values);

/// Forces on ends go to their points, and to a and b.
void hed_period_fold(struct HedSim* sim, HedVec3* force);

/// Work of what holds, moves or pulls the vectors: around each piece of an explicit step.
void hed_period_begin(struct HedSim* sim);
void hed_period_end(struct HedSim* sim);

/// Motion that is not rigid fades: the vectors' part of it.
void hed_period_damp(struct HedSim* sim, double h);

/// Vectors of all points and images: the array itself where there are none.
const HedVec3* hed_period_spread(struct HedSim* sim, HedYarnRoom room, const HedVec3* values);
int32_t hed_period_spread_count(const struct HedSim* sim);

/// An array for the forces on all points and images, and where they go; force itself where there
/// are none.
HedVec3* hed_period_open(struct HedSim* sim, HedVec3* force);
void hed_period_close(struct HedSim* sim, HedVec3* force);

/// Bounds of rows of the stiffness matrix, per point or with all images, become those of points
/// that are their own: the largest over mass.
double hed_period_bound(struct HedSim* sim, const double* sum, int32_t stride, int32_t count);

#endif
