// SPDX-License-Identifier: MIT
// Closest points on segments and triangles. All accept degenerate (zero-length, flat) input.
#ifndef HED_GEOM_CLOSEST_H
#define HED_GEOM_CLOSEST_H

#include "math/vec3.h"

#include <stdint.h>

typedef struct HedClosestSegment {
    HedVec3 point;
    double t;                ///< 0 at a, 1 at b, within [0, 1].
    double distance_squared; ///< m^2
} HedClosestSegment;

/// Closest point of the segment a b to p. If a = b, it is a.
HedClosestSegment hed_closest_segment(HedVec3 p, HedVec3 a, HedVec3 b);

/// Which part of a triangle a point lies on: corner k, the edge from corner k to corner k + 1, or
/// the inside.
typedef enum HedFeature {
    HED_CORNER_0,
    HED_CORNER_1,
    HED_CORNER_2,
    HED_EDGE_0,
    HED_EDGE_1,
    HED_EDGE_2,
    HED_FACE
} HedFeature;

typedef struct HedClosestTriangle {
    HedVec3 point;
    double weight[3];        ///< Of the corners: not negative, sum 1.
    double distance_squared; ///< m^2
    HedFeature feature;
} HedClosestTriangle;

/// Closest point of the triangle a b c to p; degenerate triangles are the segments they look like.
HedClosestTriangle hed_closest_triangle(HedVec3 p, HedVec3 a, HedVec3 b, HedVec3 c);

typedef struct HedClosestPair {
    HedVec3 first, second;   ///< On the first and on the second segment.
    double s, t;             ///< Along the first and the second segment, within [0, 1].
    double distance_squared; ///< m^2
} HedClosestPair;

/// Closest points of the segments a b and c d. If there are many (parallel), one of them that
/// includes an end.
HedClosestPair hed_closest_segments(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d);

#endif
