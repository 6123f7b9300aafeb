// SPDX-License-Identifier: MIT
// Contacts of yarns between the sliding cloths of a simulation (eol/touch.h). Private to src/sim.
#ifndef HED_SIM_SLIDING_TOUCH_H
#define HED_SIM_SLIDING_TOUCH_H

#include "eol/touch.h"
#include "heddle/sim.h"

struct HedSim;

/// Once, when parts have their unknowns. Without sliding yarns that ask for it sim->touches is
/// NULL, and so is all that follows to those who call it.
HedStatus hed_sim_touches_create(struct HedSim* sim, HedError* error);
void hed_sim_touches_free(struct HedSim* sim);

/// Whether points keep their distance by such contacts.
bool hed_sim_has_touches(const struct HedSim* sim);
void hed_sim_mark_touches(const struct HedSim* sim, bool* is_marked);

/// A step begins, of parts that have begun it. False if no trial state is possible.
bool hed_sim_touches_begin(struct HedSim* sim);

/// Adds N of contacts at the end of the last step to forces on points.
void hed_sim_touches_add_forces(const struct HedSim* sim, HedVec3* force);

/// Room for the memory of a checkpoint.
HedStatus hed_sim_touches_resize(struct HedSim* sim, int64_t bytes, HedSnapshotArray* array,
                                 HedError* error);

#endif
