// SPDX-License-Identifier: MIT
// Proofs about results: do triangles intersect anywhere?
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include "heddle/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two triangles that have a point in common which is not a corner of both by number. The first
/// object is not after the second; within one object the first triangle is before the second.
typedef struct HedIntersection {
    int32_t object[2];
    int32_t triangle[2]; ///< Numbers within their objects.
    bool is_touch;       ///< They touch, but no edge of one passes through the inside of the other.
} HedIntersection;

enum { HED_INTERSECTIONS_LISTED = 1000 };

/// Zero-initialise; free with hed_intersections_free.
typedef struct HedIntersections {
    HedIntersection* list; ///< The first of them, at most HED_INTERSECTIONS_LISTED, sorted.
    int32_t list_count;
    int64_t cross_count; ///< All pairs that pass through each other.
    int64_t touch_count; ///< All pairs that only touch.
} HedIntersections;

/// Finds all pairs of intersecting triangles within and between the sheets among objects, whose
/// vertices stand in positions[object][vertex]; bodies and yarns are left out. The answer is exact:
/// it is the one that arithmetic without rounding would give. Positions that are not finite and
/// triangles with a vertex out of range are refused by object and number.
HED_API HedStatus hed_intersections_find(const HedSeriesObject* objects, int32_t object_count,
                                         const HedVec3* const* positions,
                                         HedIntersections* intersections, HedError* error);

/// NULL is allowed.
HED_API void hed_intersections_free(HedIntersections* intersections);

#ifdef __cplusplus
}
#endif

#endif
