// SPDX-License-Identifier: MIT
// What a simulation that starts from another one's state has kept of it until it is prepared.
#ifndef HED_SIM_START_H
#define HED_SIM_START_H

#include "heddle/start.h"
#include "heddle/yarn.h"

/// One array; data NULL: there is none.
typedef struct HedStartArray {
    void* data;
    int64_t bytes;
} HedStartArray;

typedef struct HedSimStart {
    bool is_moved; ///< Some points are not where their defs put them.
    bool is_at_rest;
    HedStartArray rods, parts, rows, yarn_pairs, yarn_strains;
} HedSimStart;

void hed_sim_start_free(HedSim* sim);

/// Each takes up its part while the simulation is being prepared. Rods: before anything looks at
/// their frames. Parts: before their points are placed by pins. Friction between yarns:
/// last.
HedStatus hed_sim_start_rods(HedSim* sim, HedError* error);
HedStatus hed_sim_start_parts(HedSim* sim, HedError* error);
HedStatus hed_sim_start_friction(HedSim* sim, HedError* error);

#endif
