// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "state/tiles.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static HedRanges make_ranges(const int32_t* groups, int32_t group_count) {
    HedRanges ranges = {0};
    HedError error = {0};
    cr_assert_eq(hed_ranges_create(&ranges, groups, group_count, &error), HED_OK, "%s",
                 error.message);
    return ranges;
}

static void free_ranges(HedRanges* ranges) {
    hed_free((void*)(uintptr_t)ranges->first);
}

Test(tiles, ranges_cover_groups_and_never_cross_them) {
    const int32_t groups[6] = {
        0, 1, 1 + HED_RANGE, 2 + 2 * HED_RANGE, 2 + 2 * HED_RANGE, 10 + 5 * HED_RANGE};
    HedRanges ranges = make_ranges(groups, 5);
    // Sizes 1, R, R + 1, 0 and 3 R + 8 need 1 + 1 + 2 + 0 + 4 ranges.
    cr_assert_eq(ranges.count, 8);
    cr_assert_eq(ranges.first[0], 0);
    cr_assert_eq(ranges.first[ranges.count], groups[5]);
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t begin = ranges.first[r];
        int32_t end = ranges.first[r + 1];
        cr_expect(begin < end && end - begin <= HED_RANGE);
        for (int g = 1; g < 5; ++g) {
            cr_expect(!(begin < groups[g] && groups[g] < end), "range %d crosses a group", r);
        }
    }
    free_ranges(&ranges);
}

static int32_t range_of(HedRanges ranges, int32_t point) {
    int32_t r = 0;
    while (ranges.first[r + 1] <= point) {
        ++r;
    }
    return r;
}

Test(tiles, every_element_stands_once_under_each_range_it_touches) {
    enum { POINTS = 7 * HED_RANGE / 2, ELEMENTS = 5000 };
    const int32_t groups[3] = {0, HED_RANGE + 10, POINTS};
    HedRanges ranges = make_ranges(groups, 2);
    for (int32_t arity = 1; arity <= 4; ++arity) {
        int32_t* point = HED_NEW_ARRAY(int32_t, 4 * ELEMENTS);
        uint8_t* seen = HED_NEW_ARRAY(uint8_t, (int64_t)ELEMENTS * ranges.count);
        for (int32_t k = 0; k < arity * ELEMENTS; ++k) {
            double u = hed_random_uniform(9, (uint64_t)arity, (uint64_t)k);
            point[k] = (int32_t)(u * POINTS);
        }
        HedTiles tiles;
        HedStencils stencils = {point, arity, ELEMENTS};
        cr_assert_eq(hed_tiles_create(&tiles, ranges, stencils, NULL), HED_OK);
        for (int32_t r = 0; r < ranges.count; ++r) {
            for (int32_t k = tiles.first[r]; k < tiles.first[r + 1]; ++k) {
                cr_assert(k == tiles.first[r] || tiles.element[k] > tiles.element[k - 1], "rising");
                seen[tiles.element[k] * ranges.count + r] += 1;
            }
        }
        for (int32_t e = 0; e < ELEMENTS; ++e) {
            for (int32_t r = 0; r < ranges.count; ++r) {
                bool touches = false;
                for (int32_t m = 0; m < arity; ++m) {
                    touches = touches || range_of(ranges, point[arity * e + m]) == r;
                }
                cr_assert_eq(seen[e * ranges.count + r], touches ? 1 : 0, "element %d, range %d", e,
                             r);
            }
        }
        hed_tiles_free(&tiles);
        hed_free(point);
        hed_free(seen);
    }
    free_ranges(&ranges);
}

Test(tiles, no_elements) {
    const int32_t groups[2] = {0, 10};
    HedRanges ranges = make_ranges(groups, 1);
    HedTiles tiles;
    cr_assert_eq(hed_tiles_create(&tiles, ranges, (HedStencils){NULL, 3, 0}, NULL), HED_OK);
    cr_expect_eq(tiles.first[0], 0);
    cr_expect_eq(tiles.first[1], 0);
    hed_tiles_free(&tiles);
    hed_tiles_free(&tiles);
    free_ranges(&ranges);
}

static void check_colors(int32_t point_count, HedStencils elements, int32_t least) {
    int32_t* color = HED_NEW_ARRAY(int32_t, elements.count);
    int32_t* owner = HED_NEW_ARRAY(int32_t, point_count); // element + 1
    int32_t color_count = 0;
    cr_assert_eq(hed_color_elements(point_count, elements, color, &color_count, NULL), HED_OK);
    cr_expect_geq(color_count, least);
    for (int32_t c = 0; c < color_count; ++c) {
        memset(owner, 0, sizeof(int32_t) * (size_t)point_count);
        int32_t members = 0;
        for (int32_t e = 0; e < elements.count; ++e) {
            cr_assert(color[e] >= 0 && color[e] < color_count);
            for (int32_t m = 0; m < elements.arity && color[e] == c; ++m) {
                int32_t p = elements.point[elements.arity * e + m];
                bool is_free = owner[p] == 0 || owner[p] == e + 1; // it may name a point twice
                cr_assert(is_free, "two elements of colour %d meet at point %d", c, p);
                owner[p] = e + 1;
            }
            members += color[e] == c;
        }
        cr_expect(members > 0, "colour %d is not used", c);
    }
    hed_free(color);
    hed_free(owner);
}

// A star of 1000 spokes needs 1000 colours; springs come with their second point repeated.
Test(tiles, colors_of_a_star) {
    enum { SPOKES = 1000 };
    int32_t point[3 * SPOKES];
    for (int32_t k = 0; k < SPOKES; ++k) {
        point[3 * k] = k + 1;
        point[3 * k + 1] = 0;
        point[3 * k + 2] = 0;
    }
    check_colors(SPOKES + 1, (HedStencils){point, 3, SPOKES}, SPOKES);
}

Test(tiles, colors_of_random_elements) {
    enum { POINTS = 300, ELEMENTS = 3000 };
    int32_t point[3 * ELEMENTS];
    for (int32_t k = 0; k < 3 * ELEMENTS; ++k) {
        point[k] = (int32_t)(hed_random_uniform(21, 1, (uint64_t)k) * POINTS);
    }
    // A point with d elements needs d colours; the mean is 30.
    check_colors(POINTS, (HedStencils){point, 3, ELEMENTS}, 30);
    check_colors(POINTS, (HedStencils){point, 3, 0}, 0);
}

Test(tiles, every_allocation_may_fail) {
    const int32_t groups[3] = {0, 5, 9};
    const int32_t point[6] = {0, 1, 4, 5, 7, 8};
    HedAllocStats before = hed_alloc_stats();
    int failures = 0;
    for (int n = 1; n < 40; ++n) {
        HedRanges ranges = {0};
        HedTiles tiles = {0};
        int32_t color[3];
        int32_t color_count;
        hed_alloc_fail_at(n);
        HedStatus status = hed_ranges_create(&ranges, groups, 2, NULL);
        if (status == HED_OK) {
            status = hed_tiles_create(&tiles, ranges, (HedStencils){point, 2, 3}, NULL);
        }
        if (status == HED_OK) {
            status = hed_color_elements(9, (HedStencils){point, 2, 3}, color, &color_count, NULL);
        }
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        failures += status != HED_OK;
        hed_tiles_free(&tiles);
        free_ranges(&ranges);
        cr_assert_eq(hed_alloc_stats().live_count, before.live_count, "leak at allocation %d", n);
    }
    cr_expect_geq(failures, 5);
}
