// SPDX-License-Identifier: MIT
// Elements of one kind under the ranges they touch, eight to a group, and where their blocks stand
// in a matrix.
#ifndef HED_STATE_GROUPS_H
#define HED_STATE_GROUPS_H

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

/// Adds lane l of a block to the place that a slot names.
static inline void hed_slot_add_lane(HedMatrix* matrix, int32_t slot, const HedLanes9* h, int l) {
    static const int ORDER[2][9] = {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 3, 6, 1, 4, 7, 2, 5, 8}};
    if (slot < 0) {
        return;
    }
    double* to = &matrix->block[slot >> 1].m[0][0];
    const int* order = ORDER[slot & 1];
    for (int k = 0; k < 9; ++k) {
        to[k] += h->m[order[k]][l];
    }
}

/// The same for the block of one point with itself, if the tile owns the point.
static inline void hed_diagonal_add_lane(HedMatrix* matrix, HedTile tile, int32_t point,
                                         const HedLanes9* h, int l) {
    if (hed_tile_owns(tile, point)) {
        double* to = &matrix->diagonal[point].m[0][0];
        for (int k = 0; k < 9; ++k) {
            to[k] += h->m[k][l];
        }
    }
}

#endif
