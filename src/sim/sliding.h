// SPDX-License-Identifier: MIT
// Sliding yarns as part of a simulation.
//
// Each set is a part with unknowns of its own (eol/eol.h, state/part.h): positions, and where
// along its yarns each node stands. The points of the simulation are the nodes, in the order of the
// net; contacts, pins, loads and measurements need to know nothing else. What is seen of a set are
// the smooth curves of its net.
#ifndef HED_SIM_SLIDING_H
#define HED_SIM_SLIDING_H

#include "base/array.h"
#include "eol/eol.h"
#include "eol/skin.h"
#include "heddle/sliding.h"

typedef struct HedSlidingSet {
    HedNet net;          // as it was at the start, but for crossings that have come apart since
    int32_t net_version; // of those (eol/pullout.h)
    HedTeam team;
    HedEol* eol;
    HedSkin skin;        // by which it meets other cloth
    bool touches;        // yarn by yarn where the other does, too (sim/sliding_touch.h)
    int32_t first_point; // node 0 in the simulation
    int32_t curve_point_count;
    int32_t gone_count; // of crossings that had come apart at the start of the step
} HedSlidingSet;

typedef struct HedSimSliding {
    HED_ARRAY(HedSlidingSet*) sets;
} HedSimSliding;

/// What sliding yarns need before terms are made, and once bodies are known.
HedStatus hed_sliding_prepare(HedSim* sim, HedError* error);
void hed_sliding_free(HedSim* sim);

/// Numbers in the skins of all sets, three points of the simulation a triangle; these, and which
/// points belong to knits, whose loops keep their own distance.
int64_t hed_sliding_skin_size(const HedSim* sim);
void hed_sliding_skins(const HedSim* sim, int32_t* triangles, bool* is_apart);

/// Makes the nets of all sets agree with what has come apart.
void hed_sliding_follow(HedSim* sim);

/// Before a step and after it: what came apart in it.
void hed_sliding_count_gone(HedSim* sim);
void hed_sliding_note_gone(const HedSim* sim, HedStepReport* report);

/// Mean and largest strain of pieces of yarn.
void hed_sliding_strain(const HedSlidingSet* set, double values[2]);

/// Points of the curves, and their velocities.
void hed_sliding_positions(const HedSim* sim, const HedSlidingSet* set, HedVec3* positions);
void hed_sliding_velocities(const HedSlidingSet* set, HedVec3* velocities);

/// A quantity at each of them.
void hed_sliding_quantity(const HedSim* sim, const HedSlidingSet* set, HedQuantity quantity,
                          double* values);

#endif
