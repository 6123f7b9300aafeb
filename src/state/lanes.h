// SPDX-License-Identifier: MIT
// Eight vectors side by side: gather points into lanes, run a scalar kernel over them in one simd
// loop.
#ifndef HED_STATE_LANES_H
#define HED_STATE_LANES_H

#include "base/parallel.h"
#include "heddle/vec.h"

#include <stdbool.h>

/// For functions with an argument that must become a constant in the loop that calls them.
#if defined(__GNUC__)
#define HED_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define HED_ALWAYS_INLINE static inline
#endif

typedef struct HedLanes3 {
    double x[HED_LANES], y[HED_LANES], z[HED_LANES];
} HedLanes3;

static inline void hed_lanes_gather(const HedVec3* from, const int32_t* index, HedLanes3* to) {
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 p = from[index[l]];
        to->x[l] = p.x;
        to->y[l] = p.y;
        to->z[l] = p.z;
    }
}

static inline HedVec3 hed_lane(const HedLanes3* lanes, int l) {
    return (HedVec3){lanes->x[l], lanes->y[l], lanes->z[l]};
}

/// Groups of lanes that hold a number of elements.
static inline int32_t hed_lane_groups(int32_t count) {
    return count / HED_LANES + (count % HED_LANES != 0);
}

static inline double hed_lanes_sum(const double values[HED_LANES]) {
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

static inline HedTile hed_tile(HedRanges ranges, int32_t range) {
    int32_t first = ranges.first[range];
    return (HedTile){first, ranges.first[range + 1] - first};
}

/// Whether a point belongs to the tile.
static inline bool hed_tile_owns(HedTile tile, int32_t point) {
    return (uint32_t)(point - tile.first) < (uint32_t)tile.count;
}

#endif
