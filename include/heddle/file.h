// SPDX-License-Identifier: MIT
// Meshes and moving meshes in files: OBJ, PLY, VTK (.vtp, .pvd), USD text (.usda).
#ifndef HEDDLE_FILE_H
#define HEDDLE_FILE_H

#include "heddle/base.h"
#include "heddle/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A triangle mesh. Zero-initialise; free with hed_mesh_free.
typedef struct HedMesh {
    HedVec3* vertices;
    int32_t vertex_count;
    int32_t* triangles; ///< Three vertex indices each, all in range.
    int32_t triangle_count;
    double* uv; ///< Two per vertex, or NULL.
} HedMesh;

/// Reads .obj or .ply (ASCII or binary, either byte order). Polygons are cut into triangles. Errors
/// name file and line (or byte). Unused vertices are kept.
HED_API HedStatus hed_mesh_load(const char* path, HedMesh* mesh, HedError* error);

/// The same from memory; format is "obj" or "ply", name is used in messages.
HED_API HedStatus hed_mesh_parse(const char* data, size_t size, const char* format,
                                 const char* name, HedMesh* mesh, HedError* error);
HED_API void hed_mesh_free(HedMesh* mesh);

/// One thing in a series of frames: fixed triangles, moving vertices.
typedef struct HedSeriesObject {
    const char* name;
    int32_t vertex_count;
    const int32_t* triangles;
    int32_t triangle_count;
} HedSeriesObject;

/// A source of frames. load fills positions[object][vertex] of one frame.
typedef struct HedSeries {
    const HedSeriesObject* objects;
    int32_t object_count;
    const double* times; ///< s, one per frame.
    int32_t frame_count;
    HedStatus (*load)(void* context, int32_t frame, HedVec3* const* positions, HedError* error);
    void* context;
} HedSeries;

/// Writes by the extension of path. One frame: .obj, .ply, .vtp, .usda. Many: .usda (time samples),
/// .pvd (with one .vtp per frame in a folder beside it), .obj, .ply or .vtp with a frame number
/// before the extension. A file that is there already is an error unless overwrite is set.
HED_API HedStatus hed_series_save(const char* path, const HedSeries* series, bool overwrite,
                                  HedError* error);

/// "obj ply vtp pvd usda": the extensions hed_series_save knows; a static string.
HED_API const char* hed_series_formats(void);

#ifdef __cplusplus
}
#endif

#endif
