// SPDX-License-Identifier: MIT
// Triangles of a target size inside an outline, without new points on it.
#ifndef HED_GARMENT_MESHER_H
#define HED_GARMENT_MESHER_H

#include "base/status.h"
#include "heddle/fabric.h"

/// Closed loops of points: the border of a piece and its holes, in any order and direction.
typedef struct HedOutline {
    const char* name;         ///< Of the panel, for messages.
    HedMaterialPoint* points; ///< m, finite.
    int32_t* next;            ///< Per point: the one after it in its loop.
    int32_t* edges;           ///< Per point: the panel's edge from it to the next one.
    int32_t count;
} HedOutline;

/// Zero-initialise; free with hed_plane_mesh_free.
typedef struct HedPlaneMesh {
    HedMaterialPoint* points; ///< Those of the outline first.
    int32_t point_count;
    int32_t* triangles; ///< Anticlockwise.
    int32_t triangle_count;
} HedPlaneMesh;

/// Most points of one piece.
enum { HED_PLANE_MESH_LIMIT = 4000000 };

/// Meshes the inside of an outline with sides near size (m). Every side of the outline is a side of
/// one triangle. Refused by name and place: outlines that cross or touch themselves, parts outside
/// of the border, parts inside holes, sizes that ask for more than HED_PLANE_MESH_LIMIT points.
HedStatus hed_plane_mesh(const HedOutline* outline, double size, HedPlaneMesh* mesh,
                         HedError* error);
void hed_plane_mesh_free(HedPlaneMesh* mesh);

/// Smallest angle (rad) of a triangle and its quality: 4 sqrt(3) area / sum of squared sides.
void hed_triangle_shape(HedMaterialPoint a, HedMaterialPoint b, HedMaterialPoint c, double* angle,
                        double* quality);

#endif
