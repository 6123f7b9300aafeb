// SPDX-License-Identifier: MIT
// A scene that was read. Private to src/scene.
#ifndef HED_SCENE_SCENE_H
#define HED_SCENE_SCENE_H

#include "heddle/scene.h"
#include "scene/check.h"

struct HedScene {
    HedPool pool; ///< Holds the tree, the records and all arrays.
    HedSceneData data;
    HedLoader loader;
    HedSink text;
    HedSink notes;
    uint64_t hash;
    bool is_partial; ///< Fabrics are not at rest, and nothing was selected by place.
};

#endif
