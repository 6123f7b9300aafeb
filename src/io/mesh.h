// SPDX-License-Identifier: MIT
// What the mesh readers share: polygons as a file lists them, and their way to a HedMesh.
#ifndef HED_IO_MESH_H
#define HED_IO_MESH_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/file.h"

/// Largest number of vertices, corners and triangles, so that three indices per triangle fit.
enum { HED_MESH_LIMIT = INT32_MAX / 4 };

/// A mesh as it stands in a file. Zero-initialise; free with hed_polygons_free.
typedef struct HedPolygons {
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(int32_t) corners; // vertex of each corner, polygon after polygon, all in range
    HED_ARRAY(int32_t) sizes;   // corners of each polygon, at least three
    HED_ARRAY(int32_t) lines;   // of each polygon in the file; empty if it has none
    int32_t* sources;           // filled by triangulate: which corner each of a triangle's was
} HedPolygons;

void hed_polygons_free(HedPolygons* polygons);

/// Cuts polygons into triangles and gives them and the vertices, which it takes over, to the mesh;
/// not uv, for which there are sources.
/// Triangles that name a vertex twice are dropped with a warning; nothing left is HED_PARSE,
/// nothing to begin with HED_NOT_FOUND.
HedStatus hed_polygons_triangulate(HedPolygons* polygons, const char* name, HedMesh* mesh,
                                   HedError* error);

/// Readers. The mesh comes in empty; on failure it may hold parts, which the caller frees.
HedStatus hed_obj_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error);
HedStatus hed_ply_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error);

/// The polygons of VTK PolyData.
HedStatus hed_vtp_mesh_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                             HedError* error);

#endif
