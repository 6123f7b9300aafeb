// SPDX-License-Identifier: MIT
#include "state/tiles.h"
#include "base/alloc.h"

#include <string.h>

HedStatus hed_ranges_create(HedRanges* ranges, const int32_t* group_first, int32_t group_count,
                            HedError* error) {
    int32_t count = 0;
    for (int32_t g = 0; g < group_count; ++g) {
        int32_t size = group_first[g + 1] - group_first[g];
        count += size / HED_RANGE + (size % HED_RANGE != 0);
    }
    int32_t* first = HED_NEW_ARRAY(int32_t, (int64_t)count + 1);
    if (!first) {
        return hed_fail_memory(error, "the ranges of points");
    }
    int32_t r = 0;
    for (int32_t g = 0; g < group_count; ++g) {
        for (int32_t i = group_first[g]; i < group_first[g + 1]; i += HED_RANGE) {
            first[r++] = i;
        }
    }
    first[count] = group_first[group_count];
    *ranges = (HedRanges){count, first};
    return HED_OK;
}

// Largest range whose first point is not above `point`.
static int32_t range_of(HedRanges ranges, int32_t point) {
    int32_t low = 0;
    int32_t high = ranges.count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (ranges.first[middle] <= point) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// The distinct ranges that one element touches, at most arity of them.
static int32_t touched(HedRanges ranges, HedStencils elements, int32_t element, int32_t* out) {
    const int32_t* points = elements.point + (int64_t)elements.arity * element;
    int32_t count = 0;
    for (int32_t k = 0; k < elements.arity; ++k) {
        int32_t range = range_of(ranges, points[k]);
        bool known = false;
        for (int32_t m = 0; m < count; ++m) {
            known = known || out[m] == range;
        }
        if (!known) {
            out[count++] = range;
        }
    }
    return count;
}

HedStatus hed_tiles_create(HedTiles* tiles, HedRanges ranges, HedStencils elements,
                           HedError* error) {
    enum { MOST = 8 };
    HED_ASSERT(elements.arity <= MOST);
    *tiles = (HedTiles){.range_count = ranges.count};
    tiles->first = HED_NEW_ARRAY(int32_t, (int64_t)ranges.count + 2);
    int32_t* fill = HED_NEW_ARRAY(int32_t, (int64_t)ranges.count + 1);
    if (!tiles->first || !fill) {
        hed_free(fill);
        hed_tiles_free(tiles);
        return hed_fail_memory(error, "the element ranges");
    }
    int32_t out[MOST];
    for (int32_t e = 0; e < elements.count; ++e) {
        int32_t count = touched(ranges, elements, e, out);
        for (int32_t m = 0; m < count; ++m) {
            tiles->first[out[m] + 1] += 1;
        }
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        tiles->first[r + 1] += tiles->first[r];
        fill[r] = tiles->first[r];
    }
    tiles->element = HED_NEW_ARRAY(int32_t, tiles->first[ranges.count]);
    if (!tiles->element) {
        hed_free(fill);
        hed_tiles_free(tiles);
        return hed_fail_memory(error, "the element ranges");
    }
    for (int32_t e = 0; e < elements.count; ++e) {
        int32_t count = touched(ranges, elements, e, out);
        for (int32_t m = 0; m < count; ++m) {
            tiles->element[fill[out[m]]++] = e;
        }
    }
    hed_free(fill);
    return HED_OK;
}

void hed_tiles_free(HedTiles* tiles) {
    hed_free(tiles->first);
    hed_free(tiles->element);
    *tiles = (HedTiles){0};
}

HedStatus hed_color_elements(int32_t point_count, HedStencils elements, int32_t* color,
                             int32_t* color_count, HedError* error) {
    // taken[p]: bit c is set if an element of colour base + c touches p. Elements that find no free
    // colour among 64 wait for the next round, which starts 64 colours higher.
    uint64_t* taken = HED_NEW_ARRAY(uint64_t, point_count);
    if (!taken) {
        return hed_fail_memory(error, "the colours of constraints");
    }
    *color_count = 0;
    int32_t left = elements.count;
    memset(color, 0xFF, sizeof(int32_t) * (size_t)elements.count);
    for (int32_t base = 0; left > 0; base += 64) {
        memset(taken, 0, sizeof(uint64_t) * (size_t)point_count);
        for (int32_t e = 0; e < elements.count; ++e) {
            const int32_t* points = elements.point + (int64_t)elements.arity * e;
            uint64_t used = 0;
            for (int32_t k = 0; k < elements.arity; ++k) {
                used |= taken[points[k]];
            }
            if (color[e] >= 0 || used == UINT64_MAX) {
                continue;
            }
            int32_t bit = __builtin_ctzll(~used);
            for (int32_t k = 0; k < elements.arity; ++k) {
                taken[points[k]] |= (uint64_t)1 << bit;
            }
            color[e] = base + bit;
            *color_count = hed_max_i32(*color_count, base + bit + 1);
            left -= 1;
        }
    }
    hed_free(taken);
    return HED_OK;
}
