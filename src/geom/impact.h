// SPDX-License-Identifier: MIT
// When do a point and a triangle, or two segments, first meet while their ends move on straight
// lines at constant speed? Never misses: rounding only makes the answer earlier.
#ifndef HED_GEOM_IMPACT_H
#define HED_GEOM_IMPACT_H

#include "math/vec3.h"

#include <stdint.h>

/// Points of the two sides: 0 against 1 2 3 (a point and a triangle), or 0 1 against 2 3 (two
/// segments).
typedef enum HedMeeting { HED_POINT_TRIANGLE, HED_SEGMENT_SEGMENT } HedMeeting;

/// The nearest places of the two sides at one moment.
typedef struct HedNearest {
    double distance;  ///< m
    HedVec3 normal;   ///< Unit, from the second side to the first; some unit vector across both at
                      ///< distance 0.
    double weight[4]; ///< Sum of weight * point is normal * distance. 1 or (1 - s, s) on the first
                      ///< side; on the second the same with a minus. They add up to 0.
} HedNearest;

HedNearest hed_nearest(HedMeeting meeting, const HedVec3 x[4]);

typedef struct HedImpact {
    double time;           ///< In [0, 1]; up to here they are proved to be apart.
    double start_distance; ///< m, at time 0
    HedNearest nearest;    ///< At that time.
    int32_t turns;         ///< Of the search.
} HedImpact;

/// Moving from start to end: do they come nearer to each other than min(separation, half their
/// distance at the start)? If not, they are apart at all times in [0, 1]: false. Otherwise impact
/// is filled: that includes all that meet, and some that only come that near. Pairs that touch at
/// the start already, to within rounding, meet at time 0 unless nothing moves relative to the rest.
/// separation >= 0, m; all coordinates finite; degenerate triangles and segments are fine.
bool hed_impact(HedMeeting meeting, const HedVec3 start[4], const HedVec3 end[4], double separation,
                HedImpact* impact);

#endif
