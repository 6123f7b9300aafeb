// SPDX-License-Identifier: MIT
// Proofs about results: do triangles intersect anywhere? Did a yarn pass through another?
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

/// The same for pairs of a sheet's triangle and a body's, as the body is drawn: round ones by flat
/// triangles. Bodies among themselves are left out.
HED_API HedStatus hed_intersections_with_bodies(const HedSeriesObject* objects,
                                                int32_t object_count,
                                                const HedVec3* const* positions,
                                                HedIntersections* intersections, HedError* error);

/// NULL is allowed.
HED_API void hed_intersections_free(HedIntersections* intersections);

/// What is known about the topology of yarns in two frames.
typedef enum HedLinkingVerdict {
    HED_LINKING_UNCHANGED, ///< Proved: on straight ways from one to the other no curves meet.
    HED_LINKING_CHANGED,   ///< Proved: two closed curves have another linking number.
    HED_LINKING_UNKNOWN    ///< Neither; the integrals below are evidence.
} HedLinkingVerdict;

HED_API const char* hed_linking_verdict_name(HedLinkingVerdict verdict); ///< "unchanged", ...

typedef struct HedLinking {
    HedLinkingVerdict verdict;
    int32_t curve_count;
    int32_t closed_count;

    // Where the straight ways first meet; only if they do.
    bool is_met;
    int32_t met[2];  ///< Curves, counted through all objects.
    double met_time; ///< From 0, the first frame, to 1, the second.

    // Gauss's linking integral of pairs of curves; only if the ways meet. It changes by 1 where one
    // yarn passes through another, and by less than 1/2 in most motions that keep them apart.
    int64_t pair_count;  ///< Pairs of curves compared: those whose ways meet.
    int64_t jump_count;  ///< Pairs whose integral changed by 1/2 or more.
    double largest_jump; ///< Largest change of an integral,
    int32_t worst[2];    ///< and the curves it belongs to.
} HedLinking;

/// Compares the yarns among objects in two frames, each as positions[object][vertex]; curves are
/// those that hed_curves describes. Refuses positions that are not finite by object and vertex.
/// Without yarns nothing has changed.
HED_API HedStatus hed_linking_compare(const HedSeriesObject* objects, int32_t object_count,
                                      const HedVec3* const* first, const HedVec3* const* second,
                                      HedLinking* linking, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
