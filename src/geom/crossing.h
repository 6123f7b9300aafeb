// SPDX-License-Identifier: MIT
// Do triangles of a mesh intersect? Exact for all finite doubles.
//
// Triangles are closed: touching counts as an intersection, with a name of its own. Where triangles
// share corners (by number, not by place) they meet there of course, and only what they have in
// common beyond that counts. Degenerate triangles are the segments or points they look like.
#ifndef HED_GEOM_CROSSING_H
#define HED_GEOM_CROSSING_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/vec.h"

typedef enum HedCrossing {
    HED_CROSSING_NONE,
    HED_CROSSING_TOUCH, ///< They have points in common, but none of the kind below.
    HED_CROSSING_CROSS  ///< The inside of an edge of one passes through the inside of the other.
} HedCrossing;

/// The segment from p to q against the triangle a b c; finite, no corners shared.
HedCrossing hed_crossing_segment(HedVec3 p, HedVec3 q, const HedVec3 corner[3]);

/// Triangles with corners x[first[k]] and x[second[k]].
HedCrossing hed_crossing_triangles(const HedVec3* x, const int32_t first[3],
                                   const int32_t second[3]);

typedef struct HedCrossingPair {
    int32_t first, second; ///< Triangles, first < second.
    HedCrossing kind;
} HedCrossingPair;

typedef struct HedCrossings {
    HED_ARRAY(HedCrossingPair) list; ///< The first of them, sorted by (first, second).
    int64_t cross_count;             ///< All of them, whether listed or not.
    int64_t touch_count;
} HedCrossings;

/// Finds all pairs of intersecting triangles (three valid indices each, finite points) and lists
/// the first `capacity` of them. Zero-initialise crossings, or pass one used before to reuse its
/// memory; free with hed_free(crossings->list.data).
HedStatus hed_crossings_find(const HedVec3* x, const int32_t* triangles, int32_t triangle_count,
                             int32_t capacity, HedCrossings* crossings, HedError* error);

#endif
