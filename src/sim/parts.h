// SPDX-License-Identifier: MIT
// The parts of a simulation that have unknowns beyond positions (state/part.h), as one. Private to
// src/sim.
#ifndef HED_SIM_PARTS_H
#define HED_SIM_PARTS_H

#include "base/array.h"
#include "heddle/sim.h"
#include "state/part.h"

typedef struct HedParts {
    HED_ARRAY(HedPart) list;
    int64_t state_count; // numbers of all that snapshots keep
    uint8_t* hold;       // HedHoldKind per point of the simulation, in the step at hand
} HedParts;

struct HedSim;

HedStatus hed_parts_prepare(struct HedSim* sim, HedError* error);
void hed_parts_free(struct HedSim* sim);

/// The part that a point belongs to; NULL: it is an unknown itself.
const HedPart* hed_sim_part_at(const struct HedSim* sim, int32_t point);

/// Whether the points of a range belong to a part.
bool hed_sim_is_part_range(const struct HedSim* sim, int32_t range);

/// A step begins, with pins in place in x; trial points are those of the guess.
HedStatus hed_parts_begin(struct HedSim* sim, double t, double h, const HedVec3* x);

/// Whether what parts guess may be tried; whether what was found may be taken.
HedReason hed_parts_guess(struct HedSim* sim, HedStepReport* report);
HedReason hed_parts_check(struct HedSim* sim, HedStepReport* report);

/// The trial state is the end of the step; returns the energy (J) that went into heat.
double hed_parts_accept(struct HedSim* sim);

/// Points of the trial state, into x; of the present state, into the simulation's; and back.
void hed_parts_trial_points(const struct HedSim* sim, HedVec3* x);
void hed_parts_get_points(struct HedSim* sim);
void hed_parts_set_points(struct HedSim* sim);

/// The whole state of all parts, for snapshots.
void hed_parts_save(const struct HedSim* sim, double* state);
void hed_parts_restore(struct HedSim* sim, const double* state);

/// Adds N of everything inside parts but inertia to forces on points, at the end of a step of size
/// h, or at rest.
void hed_parts_add_forces(struct HedSim* sim, double h, bool is_still, HedVec3* force);

/// Before a step, and after it: what came apart in it.
void hed_parts_count_gone(struct HedSim* sim);
void hed_parts_note_gone(const struct HedSim* sim, HedStepReport* report);

double hed_parts_contact_energy(const struct HedSim* sim); ///< J
double hed_parts_drag(struct HedSim* sim, double h);       ///< J

#endif
