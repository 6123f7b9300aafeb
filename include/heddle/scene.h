// SPDX-License-Identifier: MIT
// Scenes: YAML text with units, read into a simulation.
#ifndef HEDDLE_SCENE_H
#define HEDDLE_SCENE_H

#include "heddle/yarn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HedScene HedScene;

/// Reads a scene file, its includes and meshes. overrides are "dotted.path=value" texts (see
/// --set), applied before validation. On failure error->message starts with "file:line:column:
/// error: ".
HED_API HedStatus hed_scene_load(const char* path, const char* const* overrides,
                                 int32_t override_count, HedScene** scene, HedError* error);

/// The same from memory; includes and meshes are looked for in directory. name is used in messages.
HED_API HedStatus hed_scene_parse(const char* data, size_t size, const char* name,
                                  const char* directory, const char* const* overrides,
                                  int32_t override_count, HedScene** scene, HedError* error);
HED_API void hed_scene_destroy(HedScene* scene); ///< NULL is allowed.

/// Reads a scene to tell about it, without the work of minutes: fabrics that are to come to rest
/// are taken from the cache, or stay as they were made, which the notes say. Such a scene is not
/// complete: what is built of it has no pins, loads and glue, and it is not to be run.
HED_API HedStatus hed_scene_preview(const char* path, const char* const* overrides,
                                    int32_t override_count, HedScene** scene, HedError* error);
HED_API bool hed_scene_is_complete(const HedScene* scene);

/// The resolved scene as YAML: every default filled in, overrides applied, SI units, included files
/// named with their hash. Reading it back gives the same simulation. Owned by the scene.
HED_API const char* hed_scene_text(const HedScene* scene);

HED_API const char* hed_scene_name(const HedScene* scene);
HED_API double hed_scene_duration(const HedScene* scene);       ///< s
HED_API double hed_scene_frame_interval(const HedScene* scene); ///< s

/// What frames hold besides positions: bit q is set for each HedQuantity q.
HED_API uint32_t hed_scene_quantities(const HedScene* scene);

/// A hash of the resolved text and of all files it names: equal scenes give equal runs. 0 if it is
/// not known, of a scene that is not complete.
HED_API uint64_t hed_scene_hash(const HedScene* scene);

/// Notes that reading gave ("mesh.obj: 3 unused vertices"), one per line; "" for none. Owned by the
/// scene.
HED_API const char* hed_scene_notes(const HedScene* scene);

/// The run that a scene starts from.
typedef struct HedSceneOrigin {
    const char* run;       ///< As seen from `directory`. Owned by the scene.
    const char* directory; ///< Where its paths begin.
    int32_t frame;
    double time;   ///< s, of that frame in that run.
    uint64_t hash; ///< Of the files that were read.
    bool keeps_velocities;
    bool is_whole; ///< With all that yarns remember: the start goes on from a checkpoint.
} HedSceneOrigin;

/// False if it starts from none.
HED_API bool hed_scene_origin(const HedScene* scene, HedSceneOrigin* origin);

/// Builds the simulation; the scene may be destroyed afterwards. thread_count 0: as the scene says.
HED_API HedStatus hed_scene_build(const HedScene* scene, int32_t thread_count, HedSim** sim,
                                  HedError* error);

/// What the scene asks to measure, as columns of measure.csv. Names are owned by the scene. Without
/// a sim (NULL) a measurement has no handles.
HED_API int32_t hed_scene_measure_count(const HedScene* scene);
HED_API const char* hed_scene_measure_name(const HedScene* scene, int32_t index);
HED_API HedMeasureDef hed_scene_measure(const HedScene* scene, const HedSim* sim, int32_t index);

/// The things to show: sheets, yarns and bodies, in a fixed order. Borrowed from the scene. Without
/// a sim (NULL) they have no handles.
typedef struct HedSceneObject {
    const char* name;
    HedObjectKind kind;
    HedSheetId sheet; ///< Zero for anything else; so are the others.
    HedYarnsId yarns;
    HedBodyId body;
    HedVec3View vertices; ///< Start positions; of a body, in its own frame.
    HedIndexView triangles;
    const HedCurve* curves; ///< Of yarns.
    int32_t curve_count;
    const HedTurns* turns; ///< Per curve: how it goes on in its copies; NULL: none does.
    HedVec3 period[2];     ///< m, at the start, of yarns that repeat; else 0.
    const double* uv;      ///< Of sheets, as HedSeriesObject has it; NULL for others.
    bool uv_at_corners;
    HedPose pose; ///< Of a body, at the start; else no motion.
} HedSceneObject;

HED_API int32_t hed_scene_object_count(const HedScene* scene);
HED_API HedSceneObject hed_scene_object(const HedScene* scene, const HedSim* sim, int32_t index);

/// All of them as they start, bodies where they stand; yarns that repeat across and up times along
/// the vectors of their period. Zero-initialise; free with hed_scene_things_free, before the scene.
typedef struct HedSceneThings {
    HedSeriesObject* objects;
    HedVec3** positions; ///< Of each object.
    HedCurves* curves;   ///< Of yarns; empty for others.
    int32_t count;
} HedSceneThings;

HED_API HedStatus hed_scene_things(const HedScene* scene, int32_t across, int32_t up,
                                   HedSceneThings* things, HedError* error);
HED_API void hed_scene_things_free(HedSceneThings* things);

/// What pins hold at the start. A scene that is not complete holds nothing yet.
typedef struct HedSceneHold {
    const char* name;
    const int32_t* vertices; ///< Of points.
    int32_t vertex_count;
    HedVec3View points; ///< m, all vertices of the sheet or the yarns, or all nodes.
} HedSceneHold;

HED_API int32_t hed_scene_hold_count(const HedScene* scene);
HED_API HedSceneHold hed_scene_hold(const HedScene* scene, int32_t index); ///< Borrowed.

/// Writes all of them as they start, by the extension of path, as hed_series_save does. Of yarns
/// that repeat, across copies along the first vector of their period and up along the second.
HED_API HedStatus hed_scene_save(const HedScene* scene, const char* path, int32_t across,
                                 int32_t up, bool force, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
