// SPDX-License-Identifier: MIT
// What of a simulation meets what: triangles of sheets and of the skins of parts, and the segments
// of rods, of splines (of their control points) and of what sticks out of skins. Private to
// src/sim.
#ifndef HED_SIM_SURFACES_H
#define HED_SIM_SURFACES_H

#include "base/array.h"
#include "base/status.h"

struct HedSim;

/// Zero-initialise; free with hed_surfaces_free.
typedef struct HedSurfaces {
    HED_ARRAY(int32_t) triangles; // of all sheets, then those of skins
    HED_ARRAY(int32_t) segments;  // two points each: of strands, then of free ends
    bool* is_apart; // per point: it keeps its distance from its own part in another way
    bool* is_kept;  // per point: yarns that touch one by one keep theirs
    int32_t* seam;  // per point: as HedSelfDef says
} HedSurfaces;

/// Without triangles there are no segments.
HedStatus hed_surfaces_collect(const struct HedSim* sim, HedSurfaces* surfaces, HedError* error);
void hed_surfaces_free(HedSurfaces* surfaces);

/// Before a piece of a step: which ends of parts have changed since the start.
void hed_surfaces_follow(struct HedSim* sim);

#endif
