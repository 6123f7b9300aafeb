// SPDX-License-Identifier: MIT
// A scene's start while it is read. Private to start.c and start_parts.c.
#ifndef HED_SCENE_START_H
#define HED_SCENE_START_H

#include "heddle/run.h"
#include "scene/shape.h"

// A scene's start being read.
typedef struct HedStarting {
    HedSceneDraft* d;
    HedSceneStart* start;
    HedRunReader* run;
    HedRunState* state;    // NULL: the frame alone is known
    HedVec3** shown;       // per object of the run, in the pool; bodies too
    HedVec3** moving;      // m/s, of the same vertices, without bodies; NULL: the frame has none
    const HedNode* source; // the run's own scene; NULL: not readable
    bool are_yarns_alike;  // the same yarns, one after the other
    int32_t matched;
} HedStarting;

#define HED_START_FAIL(r, key, ...)                                                                \
    hed_place_fail((r)->d->error, hed_node_where((r)->start->node, (key)), HED_PARSE, NULL,        \
                   __VA_ARGS__)

/// Velocities as far as they are known, then every sheet and all yarns that the run has, and what
/// yarns remember; what it lacks is noted.
HedStatus hed_scene_start_parts(HedStarting* starting);

#endif
