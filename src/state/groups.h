// SPDX-License-Identifier: MIT
// Elements of one kind under the ranges they touch, eight to a group, and where their blocks stand
// in a matrix.
#ifndef HED_STATE_GROUPS_H
#define HED_STATE_GROUPS_H

#include "base/simd.h"
#include "solve/matrix.h"
#include "state/lanes.h"
#include "state/tiles.h"

/// Groups of range r: first[r] .. first[r + 1] - 1. Lane l of group g is element[HED_LANES g + l],
/// -1 for padding at the end of a range.
typedef struct HedGroups {
    int32_t* first;
    int32_t* element;
    int32_t count; // of groups, in all ranges
} HedGroups;

HedStatus hed_groups_create(HedGroups* groups, HedRanges ranges, HedStencils elements,
                            HedError* error);
void hed_groups_free(HedGroups* groups);

/// Pairs of points of an element with arity points: (0,1), (0,2), (1,2), (0,3), (1,3), (2,3), ...
static inline int32_t hed_pair_count(int32_t arity) {
    return arity * (arity - 1) / 2;
}

/// The place of the pair (m, n), m < n, in that order.
static inline int32_t hed_pair_index(int32_t m, int32_t n) {
    return n * (n - 1) / 2 + m;
}

/// Where the off-diagonal blocks of each lane stand: hed_pair_count(arity) numbers a lane, each
/// twice the index of a block in the matrix, plus 1 if the transposed block belongs there; -1 if
/// the range stores none of it. *slots is allocated; free it with hed_free.
HedStatus hed_groups_slots(const HedGroups* groups, HedRanges ranges, HedStencils elements,
                           const HedMatrix* matrix, int32_t** slots, HedError* error);

/// Adds a block to the place that a slot names.
static inline void hed_slot_add(HedMatrix* matrix, int32_t slot, const HedMat3* h) {
    if (slot < 0) {
        return;
    }
    HedMat3* block = &matrix->block[slot >> 1];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            block->m[i][j] += (slot & 1) ? h->m[j][i] : h->m[i][j];
        }
    }
}

// Numbers k .. k + 3 of the blocks of four lanes from l on, one lane a row: blocks are added to a
// matrix in packs, as number by number that took half of the time of an assembly.
HED_ALWAYS_INLINE HedWide4 hed_lanes_turn(const HedLanes9* h, int k, int l) {
    return hed_wide_transpose(hed_wide_load(&h->m[k][l]), hed_wide_load(&h->m[k + 1][l]),
                              hed_wide_load(&h->m[k + 2][l]), hed_wide_load(&h->m[k + 3][l]));
}

HED_ALWAYS_INLINE void hed_block_add(double* to, HedWide a, HedWide b, double last) {
    hed_wide_store(to, hed_wide_load(to) + a);
    hed_wide_store(to + 4, hed_wide_load(to + 4) + b);
    to[8] += last;
}

/// Adds the block of each lane to the place that its slot names: slot[l * stride].
static inline void hed_slots_add_lanes(HedMatrix* matrix, const int32_t* slot, int32_t stride,
                                       const HedLanes9* h) {
    for (int half = 0; half < HED_LANES; half += 4) {
        HedWide4 first = hed_lanes_turn(h, 0, half);
        HedWide4 second = hed_lanes_turn(h, 4, half);
        for (int l = 0; l < 4; ++l) {
            int32_t s = slot[(half + l) * stride];
            if (s < 0) {
                continue;
            }
            HedWide a = first.row[l];
            HedWide b = second.row[l];
            int64_t across = -(int64_t)(s & 1);
            HedWideMask mask = {across, across, across, across};
            hed_block_add(&matrix->block[s >> 1].m[0][0],
                          hed_wide_choose(mask, __builtin_shufflevector(a, b, 0, 3, 6, 1), a),
                          hed_wide_choose(mask, __builtin_shufflevector(a, b, 4, 7, 2, 5), b),
                          h->m[8][half + l]);
        }
    }
}

/// The same for the block of each lane's point with itself, if the tile owns the point.
static inline void hed_diagonal_add_lanes(HedMatrix* matrix, HedTile tile, const int32_t* point,
                                          const HedLanes9* h) {
    for (int half = 0; half < HED_LANES; half += 4) {
        HedWide4 first = hed_lanes_turn(h, 0, half);
        HedWide4 second = hed_lanes_turn(h, 4, half);
        for (int l = 0; l < 4; ++l) {
            int32_t p = point[half + l];
            if (hed_tile_owns(tile, p)) {
                hed_block_add(&matrix->diagonal[p].m[0][0], first.row[l], second.row[l],
                              h->m[8][half + l]);
            }
        }
    }
}

#endif
