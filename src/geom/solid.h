// SPDX-License-Identifier: MIT
// Triangle meshes that enclose a volume: checked, cleaned and turned outwards.
#ifndef HED_GEOM_SOLID_H
#define HED_GEOM_SOLID_H

#include "base/status.h"
#include "heddle/vec.h"

/// A closed surface. Zero-initialise; free with hed_solid_free.
typedef struct HedSolid {
    HedVec3* vertices; ///< m, all used.
    int32_t vertex_count;
    int32_t* triangles; ///< Three vertex indices each, anticlockwise seen from outside.
    int32_t triangle_count;
    int32_t* neighbours; ///< Three per triangle: the k-th shares corners k and k + 1.
    double volume;       ///< m^3, positive.
} HedSolid;

/// Copies a mesh that bounds a solid. Vertices at equal places become one, triangles that thereby
/// lose their area and unused vertices are dropped, and a mesh turned inside out is turned back.
/// Refused, with the numbers (from 0) of offending vertices: nothing in it, values that are not
/// finite, indices out of range, edges without exactly two triangles or with two that run the same
/// way, no volume. On failure solid is empty.
HedStatus hed_solid_create(const HedVec3* vertices, int32_t vertex_count, const int32_t* triangles,
                           int32_t triangle_count, HedSolid* solid, HedError* error);

/// Renumbers so that old triangle order[k] becomes the k-th, and vertices follow in the order of
/// their first use. On failure the solid is unchanged.
HedStatus hed_solid_reorder(HedSolid* solid, const int32_t* order, HedError* error);

/// NULL and empty ones are allowed.
void hed_solid_free(HedSolid* solid);

#endif
