// SPDX-License-Identifier: MIT
// Eight vectors side by side: gather points into lanes, run a scalar kernel over them in one simd
// loop.
#ifndef HED_STATE_LANES_H
#define HED_STATE_LANES_H

#include "base/inline.h"
#include "base/parallel.h"
#include "heddle/vec.h"

#include <stdbool.h>

typedef struct HedLanes3 {
    double x[HED_LANES], y[HED_LANES], z[HED_LANES];
} HedLanes3;

HED_ALWAYS_INLINE void hed_lanes_gather(const HedVec3* from, const int32_t* index, HedLanes3* to) {
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 p = from[index[l]];
        to->x[l] = p.x;
        to->y[l] = p.y;
        to->z[l] = p.z;
    }
}

HED_ALWAYS_INLINE HedVec3 hed_lane(const HedLanes3* lanes, int l) {
    return (HedVec3){lanes->x[l], lanes->y[l], lanes->z[l]};
}

HED_ALWAYS_INLINE void hed_lane_set(HedLanes3* lanes, int l, HedVec3 v) {
    lanes->x[l] = v.x;
    lanes->y[l] = v.y;
    lanes->z[l] = v.z;
}

/// Adds w v.
HED_ALWAYS_INLINE void hed_lane_add(HedLanes3* lanes, int l, double w, HedVec3 v) {
    lanes->x[l] += w * v.x;
    lanes->y[l] += w * v.y;
    lanes->z[l] += w * v.z;
}

/// Eight 3 x 3 blocks side by side, row by row.
typedef struct HedLanes9 {
    double m[9][HED_LANES];
} HedLanes9;

/// Sets w m.
HED_ALWAYS_INLINE void hed_lane_set9(HedLanes9* lanes, int l, double w, HedMat3 m) {
    lanes->m[0][l] = w * m.m[0][0];
    lanes->m[1][l] = w * m.m[0][1];
    lanes->m[2][l] = w * m.m[0][2];
    lanes->m[3][l] = w * m.m[1][0];
    lanes->m[4][l] = w * m.m[1][1];
    lanes->m[5][l] = w * m.m[1][2];
    lanes->m[6][l] = w * m.m[2][0];
    lanes->m[7][l] = w * m.m[2][1];
    lanes->m[8][l] = w * m.m[2][2];
}

/// Groups of lanes that hold a number of elements.
HED_ALWAYS_INLINE int32_t hed_lane_groups(int32_t count) {
    return count / HED_LANES + (count % HED_LANES != 0);
}

HED_ALWAYS_INLINE double hed_lanes_sum(const double values[HED_LANES]) {
    double sum = 0.0;
    for (int l = 0; l < HED_LANES; ++l) {
        sum += values[l];
    }
    return sum;
}

/// A range's points.
typedef struct HedTile {
    int32_t first;
    int32_t count;
} HedTile;

HED_ALWAYS_INLINE HedTile hed_tile(HedRanges ranges, int32_t range) {
    int32_t first = ranges.first[range];
    return (HedTile){first, ranges.first[range + 1] - first};
}

/// Whether a point belongs to the tile.
HED_ALWAYS_INLINE bool hed_tile_owns(HedTile tile, int32_t point) {
    return (uint32_t)(point - tile.first) < (uint32_t)tile.count;
}

#endif
