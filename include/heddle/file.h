// SPDX-License-Identifier: MIT
// Meshes, yarn curves and moving ones in files: OBJ, PLY, BCC, .yarns, .pyp, VTK (.vtp, .pvd), USD
// text (.usda).
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
    double* uv;            ///< Two per corner of each triangle, or NULL.
    int32_t* lines;        ///< Of each triangle's face in a text file, or NULL.
    int32_t dropped_count; ///< Triangles left out because they name a vertex twice.
    int32_t dropped_line;  ///< Of the first of their faces; 0 if there is none or no text.
    int32_t crossed_count; ///< Faces that cross themselves or run around twice.
    int32_t crossed_line;  ///< Of the first of them, as dropped_line.
} HedMesh;

/// Reads .obj, .ply (ASCII or binary, either byte order) or .vtp (its polygons). Polygons are cut
/// into triangles. Errors name file and line (or byte). Unused vertices are kept. A file without
/// faces is HED_NOT_FOUND.
HED_API HedStatus hed_mesh_load(const char* path, HedMesh* mesh, HedError* error);

/// The same from memory; format is "obj", "ply" or "vtp", name is used in messages.
HED_API HedStatus hed_mesh_parse(const char* data, size_t size, const char* format,
                                 const char* name, HedMesh* mesh, HedError* error);
HED_API void hed_mesh_free(HedMesh* mesh);

enum { HED_COLOR_NONE = -1 };

/// One yarn: consecutive vertices with a uniform Catmull-Rom curve through them. Beyond the ends of
/// an open curve the first and last segment are continued straight on.
typedef struct HedCurve {
    int32_t first;  ///< Vertex.
    int32_t count;  ///< At least 2; at least 3 if closed.
    bool is_closed; ///< The last vertex joins the first; it is not a repetition of it.
    int32_t color;  ///< 0xRRGGBB, or HED_COLOR_NONE.
    double radius;  ///< m; 0 if unknown.
} HedCurve;

/// Number of segments: count for a closed curve, else count - 1.
HED_API int32_t hed_curve_segment_count(const HedCurve* curve);

/// Yarn curves. Zero-initialise; free with hed_curves_free.
typedef struct HedCurves {
    HedVec3* vertices;
    int32_t vertex_count;
    HedCurve* curves; ///< In the order of their vertices, without gaps.
    int32_t curve_count;
    int32_t up_axis;   ///< Of the file: 0, 1, 2 for x, y, z; -1 if it does not say.
    HedVec3 period[2]; ///< m: if the curves are one cell of a fabric that repeats, how far it is to
                       ///< the next cells; a curve that goes on there ends with a copy of its first
                       ///< point. Both 0 if nothing repeats.
} HedCurves;

/// Reads .bcc (binary curve collection), .obj (its 'l' polylines), .ply (its edges), .usda (its
/// BasisCurves), .vtp (its lines), .yarns or .pyp (periodic yarn pattern); docs/files.md tells what
/// they hold. Numbers are taken as metres; files whose up axis is not y are turned so that it is.
/// Points that repeat their predecessor are dropped, so is a last point of a closed curve that
/// repeats the first, and so are curves that are left with too few points. An .obj file without
/// polylines is HED_NOT_FOUND, so is a .ply file without edges.
HED_API HedStatus hed_curves_load(const char* path, HedCurves* curves, HedError* error);

/// The same from memory; format is "bcc", "obj", "ply", "yarns", "pyp", "usda" or "vtp", name is
/// used in messages.
HED_API HedStatus hed_curves_parse(const char* data, size_t size, const char* format,
                                   const char* name, HedCurves* curves, HedError* error);
HED_API void hed_curves_free(HedCurves* curves);

enum { HED_TILES_LIMIT = 1000 };

/// Puts cells of a fabric that repeats side by side, `across` times along the first period and `up`
/// times along the second. Yarns that go on from cell to cell become one. 1 and 1 change nothing;
/// else curves without periods are HED_INVALID. Failure changes nothing.
HED_API HedStatus hed_curves_tile(HedCurves* curves, int32_t across, int32_t up, HedError* error);

/// Reads whatever .bcc, .obj, .ply, .yarns, .pyp, .usda or .vtp holds: fills either the mesh or the
/// curves and leaves the other empty. An .obj, .ply or .vtp file with faces is a mesh; its lines
/// are left out, with a note in the log. A .vtp file with lines whose cells have a radius holds
/// curves.
HED_API HedStatus hed_geometry_load(const char* path, HedMesh* mesh, HedCurves* curves,
                                    HedError* error);

typedef enum HedObjectKind {
    HED_OBJECT_SHEET, ///< Triangles with two sides.
    HED_OBJECT_BODY,  ///< The surface of a solid.
    HED_OBJECT_YARNS, ///< Curves; no triangles.
    HED_OBJECT_KIND_COUNT
} HedObjectKind;

HED_API const char* hed_object_kind_name(HedObjectKind kind); ///< "sheet", "body", "yarns"

/// One thing in a series of frames: fixed triangles or curves, moving vertices.
typedef struct HedSeriesObject {
    const char* name;
    HedObjectKind kind;
    int32_t vertex_count;
    const int32_t* triangles;
    const HedCurve* curves; ///< In the order of the vertices, without gaps; then no triangles.
    int32_t triangle_count;
    int32_t curve_count;
    const double* uv;   ///< Places in the pattern (texture coordinates), two numbers per vertex, or
                        ///< NULL.
    bool uv_at_corners; ///< Two per corner of each triangle instead: places differ along seams.
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

/// Writes by the extension of path. One frame: .obj, .ply, .vtp, .usda, .bcc. Many: .usda (time
/// samples), .pvd (with one .vtp per frame in a folder beside it), .obj, .ply, .vtp or .bcc with a
/// frame number before the extension. A file that is there already is an error unless overwrite is
/// set. .bcc holds curves alone, leaves everything else out and refuses a
/// series without any (HED_UNSUPPORTED).
HED_API HedStatus hed_series_save(const char* path, const HedSeries* series, bool overwrite,
                                  HedError* error);

/// "obj ply vtp pvd usda bcc": the extensions hed_series_save knows; a static string.
HED_API const char* hed_series_formats(void);

#ifdef __cplusplus
}
#endif

#endif
