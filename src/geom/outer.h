// SPDX-License-Identifier: MIT
// The outer surface of a closed mesh that passes through itself.
#ifndef HED_GEOM_OUTER_H
#define HED_GEOM_OUTER_H

#include "geom/bvh.h"
#include "geom/solid.h"

/// What bounds all points that a solid winds round at least once: its triangles without those, and
/// without those parts, that lie inside. Zero-initialise; free with hed_outer_free.
typedef struct HedOuter {
    HedVec3* vertices; ///< m, those of the solid, then those where triangles are cut.
    int32_t vertex_count;
    int32_t* triangles; ///< Three vertices each; 0 of them if no part of the solid lies inside.
    int32_t triangle_count;
    int32_t* source;  ///< Per triangle: the one of the solid that it is a part of.
    uint8_t* is_part; ///< Per triangle: it is not the whole of its source.
    uint8_t* is_gone; ///< Per triangle of the solid: no part of it is left.
} HedOuter;

/// Parts narrower than 1e-9 of the largest coordinate may be missing, and sheets nearer to each
/// other than that count as touching. bvh is over the triangles of the solid.
HedStatus hed_outer_create(const HedSolid* solid, const HedBvh* bvh, HedOuter* outer,
                           HedError* error);
void hed_outer_free(HedOuter* outer); ///< NULL and empty ones are allowed.

#endif
