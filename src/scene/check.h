// SPDX-License-Identifier: MIT
// What one table cannot check: names, references, times, shapes, and everything derived from them.
#ifndef HED_SCENE_CHECK_H
#define HED_SCENE_CHECK_H

#include "heddle/file.h"
#include "scene/loader.h"

/// A scene being made: the record, and what its parts are allocated from.
typedef struct HedSceneDraft {
    HedSceneData* data;
    HedLoader* loader;
    HedPool* pool;
    HedError* error;
    HedSink* notes;
    bool is_preview; ///< Nothing comes to rest that is not in the cache.
    bool is_partial; ///< Written: something did not.
    bool is_guessed; ///< Written: not even the resolved text is known.
} HedSceneDraft;

/// Version, times, names and references. Fills in names and references that were left out.
HedStatus hed_scene_check(HedSceneDraft* draft);

/// Vertices and triangles of sheets and bodies: builds grids, reads meshes.
HedStatus hed_scene_shape(HedSceneDraft* draft);

/// Whether yarns are to be one repeat of a fabric without edges.
bool hed_scene_repeats(const HedSceneYarns* yarns);

/// What cannot be with a fabric that repeats is refused where it stands; what it needs and the
/// scene does not give is set: no gravity, explicit steps.
HedStatus hed_scene_check_repeat(HedSceneDraft* draft);

/// Whether yarns are of the model of sliding ones with all that it needs, and with nothing that it
/// does not have.
HedStatus hed_scene_check_sliding(HedSceneDraft* draft, const HedSceneYarns* yarns);

/// The centre lines of one set of yarns.
HedStatus hed_scene_shape_yarns(HedSceneDraft* draft, HedSceneYarns* yarns);

/// A file named by a key; *path becomes the path from the scene's directory.
HedStatus hed_scene_read_file(HedSceneDraft* draft, const HedNode* owner, const char* key,
                              const char** path, HedText* text);

/// Keyframes of bodies and pins.
HedStatus hed_scene_move(HedSceneDraft* draft);

/// Where sheets and yarns are that start from a run.
HedStatus hed_scene_start(HedSceneDraft* draft);

/// The vertices held by each pin, their pivots, and the vertices that are measured.
HedStatus hed_scene_select(HedSceneDraft* draft);

/// Place of a key in a mapping, or of the mapping if it is not there.
HedLocation hed_node_where(const HedNode* mapping, const char* key);

#define HED_SHEETS(scene) ((HedSceneSheet*)(scene)->sheets.data)
#define HED_YARNS(scene) ((HedSceneYarns*)(scene)->yarns.data)
#define HED_BODIES(scene) ((HedSceneBody*)(scene)->bodies.data)
#define HED_PINS(scene) ((HedScenePin*)(scene)->pins.data)
#define HED_LOADS(scene) ((HedSceneLoad*)(scene)->loads.data)
#define HED_GLUE(scene) ((HedSceneGlue*)(scene)->glue.data)
#define HED_MEASURES(scene) ((HedSceneMeasure*)(scene)->measures.data)

#endif
