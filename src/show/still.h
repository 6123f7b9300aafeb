// SPDX-License-Identifier: MIT
// What a scene or a sewing pattern holds at the start, as things to look at. Private to src/show.
#ifndef HED_SHOW_STILL_H
#define HED_SHOW_STILL_H

#include "heddle/fabric.h"
#include "heddle/scene.h"
#include "heddle/show.h"

/// Zero-initialise; free with hed_still_free.
typedef struct HedStill {
    HedScene* scene; // either this
    HedSceneThings things;
    HedGarment garment; // or this
    HedSeriesObject* objects;
    const HedVec3** positions;
    bool* is_ground;
    int32_t count;
    HedMesh* marks; // of pins, one for each; owned with their names
    char** mark_names;
    int32_t mark_count;
} HedStill;

/// Whether a file of that name is read here.
bool hed_still_is_file(const char* path);

/// The notes of a scene go to the log.
HedStatus hed_still_load(const char* path, const HedShowOptions* options, HedStill* still,
                         HedError* error);
void hed_still_free(HedStill* still);

#endif
