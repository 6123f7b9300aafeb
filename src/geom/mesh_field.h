// SPDX-License-Identifier: MIT
// Signed distance to a closed triangle mesh.
#ifndef HED_GEOM_MESH_FIELD_H
#define HED_GEOM_MESH_FIELD_H

#include "base/status.h"
#include "geom/box.h"

/// Distance and its gradient at a point.
typedef struct HedFieldSample {
    double distance; ///< m, negative inside.
    HedVec3 normal;  ///< Unit gradient of distance: away from the surface outside, towards it
                     ///< inside.
} HedFieldSample;

typedef struct HedMeshField HedMeshField;

/// Copies a mesh for distance queries. It must bound a solid: see hed_solid_create for what is
/// refused and what is repaired. It may pass through itself, and have several pieces that overlap:
/// inside is what it winds round at least once, and what lies inside is no part of its surface.
HedStatus hed_mesh_field_create(const HedVec3* vertices, int32_t vertex_count,
                                const int32_t* triangles, int32_t triangle_count,
                                HedMeshField** field, HedError* error);
void hed_mesh_field_free(HedMeshField* field); ///< NULL is allowed.

/// Box around the mesh.
HedBox hed_mesh_field_bounds(const HedMeshField* field);

/// Exact distance everywhere; on the surface the normal is that of the face, or the angle-weighted
/// mean at edges and corners. A point that is not finite gives the distance NaN and the normal +y.
HedFieldSample hed_mesh_field_sample(const HedMeshField* field, HedVec3 p);

/// The same if the signed distance is at most radius (m), so points deep inside count as near;
/// otherwise returns false, soon for points far away, and leaves sample alone.
bool hed_mesh_field_sample_near(const HedMeshField* field, HedVec3 p, double radius,
                                HedFieldSample* sample);

/// The same if the surface is at most bound (m) away on either side; otherwise false. Quicker than
/// the others where a small bound is known.
bool hed_mesh_field_sample_within(const HedMeshField* field, HedVec3 p, double bound,
                                  HedFieldSample* sample);

/// What bulges of a triangle, unless it lies inside: bit k of edges: the surface turns away on both
/// sides of the edge from corner k to corner k + 1; bit k of corners: such an edge ends at corner
/// k. Each edge and each vertex is told of by one triangle alone.
typedef struct HedMeshRidges {
    HedVec3 corner[3]; ///< m
    unsigned edges, corners;
} HedMeshRidges;

HedMeshRidges hed_mesh_field_ridges(const HedMeshField* field, int32_t triangle);

/// Triangles near a box, which may have ridges, as hed_bvh_overlap() finds them.
int32_t hed_mesh_field_overlap(const HedMeshField* field, HedBox box, int32_t* found,
                               int32_t capacity);

#endif
