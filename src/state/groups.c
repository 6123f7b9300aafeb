// SPDX-License-Identifier: MIT
#include "state/groups.h"
#include "base/alloc.h"
#include "state/lanes.h"

// The least point of an element among those of a range, counted from the range's first.
static int32_t least_of(HedTile tile, const int32_t* point, int32_t arity) {
    int32_t least = tile.count;
    for (int32_t k = 0; k < arity; ++k) {
        bool is_own = hed_tile_owns(tile, point[k]);
        least = is_own ? hed_min_i32(least, point[k] - tile.first) : least;
    }
    return least;
}

// The elements of one range in the order of their least points: what is near in the cloth is worked
// on together, and finds the blocks of the matrix in the nearest caches.
static void sort_elements(HedTile tile, HedStencils elements, const int32_t* from, int32_t count,
                          int32_t* to) {
    int32_t place[HED_RANGE + 2] = {0};
    for (int32_t k = 0; k < count; ++k) {
        place[1 + least_of(tile, elements.point + (int64_t)elements.arity * from[k],
                           elements.arity)] += 1;
    }
    for (int32_t i = 0; i <= tile.count; ++i) {
        place[i + 1] += place[i];
    }
    for (int32_t k = 0; k < count; ++k) {
        int32_t least =
            least_of(tile, elements.point + (int64_t)elements.arity * from[k], elements.arity);
        to[place[least]++] = from[k];
    }
}

HedStatus hed_groups_create(HedGroups* groups, HedRanges ranges, HedStencils elements,
                            HedError* error) {
    HedStatus status = HED_OK;
    HedTiles tiles = {0};
    *groups = (HedGroups){0};
    HED_TRY(hed_tiles_create(&tiles, ranges, elements, error));
    groups->first = HED_NEW_ARRAY(int32_t, (int64_t)ranges.count + 1);
    if (!groups->first) {
        status = hed_fail_memory(error, "groups of elements");
        goto done;
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        groups->first[r + 1] =
            groups->first[r] + hed_lane_groups(tiles.first[r + 1] - tiles.first[r]);
    }
    groups->count = groups->first[ranges.count];
    groups->element = HED_NEW_ARRAY(int32_t, HED_LANES * (int64_t)groups->count);
    if (!groups->element) {
        status = hed_fail_memory(error, "groups of elements");
        goto done;
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t count = tiles.first[r + 1] - tiles.first[r];
        int32_t o = HED_LANES * groups->first[r];
        sort_elements(hed_tile(ranges, r), elements, tiles.element + tiles.first[r], count,
                      groups->element + o);
        o += count;
        while (o < HED_LANES * groups->first[r + 1]) {
            groups->element[o++] = -1;
        }
    }
done:
    hed_tiles_free(&tiles);
    if (status != HED_OK) {
        hed_groups_free(groups);
    }
    return status;
}

void hed_groups_free(HedGroups* groups) {
    hed_free(groups->first);
    hed_free(groups->element);
    *groups = (HedGroups){0};
}

static int32_t slot_of(const HedMatrix* matrix, int32_t range, int32_t i, int32_t j) {
    bool has_i = matrix->range_of[i] == range;
    bool has_j = matrix->range_of[j] == range;
    if (i == j || (!has_i && !has_j)) {
        return -1;
    }
    bool swap = has_i && has_j ? i > j : !has_i;
    int32_t index = swap ? hed_matrix_slot(matrix, j, i) : hed_matrix_slot(matrix, i, j);
    HED_ASSERT(index >= 0);
    return 2 * index + swap;
}

HedStatus hed_groups_slots(const HedGroups* groups, HedRanges ranges, HedStencils elements,
                           const HedMatrix* matrix, int32_t** slots, HedError* error) {
    int32_t pairs = hed_pair_count(elements.arity);
    int32_t* next = HED_NEW_ARRAY(int32_t, (int64_t)pairs * HED_LANES * groups->count);
    *slots = next;
    if (!next) {
        return hed_fail_memory(error, "the places of elements in the matrix");
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = HED_LANES * groups->first[r]; o < HED_LANES * groups->first[r + 1]; ++o) {
            int32_t e = groups->element[o];
            const int32_t* point = elements.point + (int64_t)elements.arity * hed_max_i32(e, 0);
            for (int32_t n = 1; n < elements.arity; ++n) {
                for (int32_t m = 0; m < n; ++m) {
                    *next++ = e < 0 ? -1 : slot_of(matrix, r, point[m], point[n]);
                }
            }
        }
    }
    return HED_OK;
}
