// SPDX-License-Identifier: MIT
// A scene that was read. Private to src/scene.
#ifndef HED_SCENE_SCENE_H
#define HED_SCENE_SCENE_H

#include "heddle/scene.h"
#include "scene/check.h"

#include <threads.h>

/// The handles of one simulation that was built from a scene.
typedef struct HedSceneBuild {
    struct HedSceneBuild* next;
    const HedSim* sim;
    HedSheetId* sheets; ///< These three stand in one block, behind this struct.
    HedBodyId* bodies;
    HedPinId* pins;
} HedSceneBuild;

struct HedScene {
    HedPool pool; ///< Holds the tree, the records and all arrays.
    HedSceneData data;
    HedLoader loader;
    HedSink text;
    HedSink notes;
    uint64_t hash;

    // Written by hed_scene_build, of a scene that is const otherwise; guarded by the lock.
    HedSceneBuild** builds;
    mtx_t* lock;
};

#endif
