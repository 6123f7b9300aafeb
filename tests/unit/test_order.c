// SPDX-License-Identifier: MIT
#include "geom/order.h"

#include "base/alloc.h"
#include "base/random.h"
#include "geom/sort.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5000 };

static void check_sort(int32_t count) {
    static HedSortItem items[MOST];
    int64_t sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        HedRandom4 r = hed_philox((HedRandom4){{(uint32_t)i, 0, 0, 0}}, 1, 2);
        uint64_t wide = ((uint64_t)r.word[0] << 32) | r.word[1];
        items[i] = (HedSortItem){i % 3 == 0 ? wide : wide % 50, i};
    }
    cr_assert_eq(hed_sort_items(items, count, NULL), HED_OK);
    for (int32_t i = 0; i < count; ++i) {
        const HedSortItem* item = &items[i];
        cr_assert(i == 0 || item[-1].key < item->key ||
                      (item[-1].key == item->key && item[-1].value < item->value),
                  "item %d of %d", i, count);
        sum += item->value;
    }
    cr_assert_eq(sum, (int64_t)count * (count - 1) / 2); // none is lost
}

Test(sort, sorts_and_keeps_order_of_equal_keys) {
    check_sort(MOST);
    for (int32_t count = 0; count < 200; ++count) { // few are sorted in another way than many
        check_sort(count);
    }
}

Test(order, empty_single_and_equal_points) {
    int32_t order[4] = {-1, -1, -1, -1};
    HedVec3 same[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    cr_assert_eq(hed_order_hilbert(NULL, 0, NULL, NULL), HED_OK);
    cr_assert_eq(hed_order_hilbert(same, 1, order, NULL), HED_OK);
    cr_assert_eq(order[0], 0);
    cr_assert_eq(hed_order_hilbert(same, 4, order, NULL), HED_OK);
    for (int32_t i = 0; i < 4; ++i) {
        cr_assert_eq(order[i], i);
    }
}

Test(order, refuses_values_that_are_not_finite) {
    HedVec3 points[3] = {{0, 0, 0}, {1, (double)NAN, 0}, {2, 0, 0}};
    int32_t order[3];
    HedError error = {0};
    cr_assert_eq(hed_order_hilbert(points, 3, order, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "point 1"));
    points[1].y = HUGE_VAL;
    cr_assert_eq(hed_order_hilbert(points, 3, order, &error), HED_INVALID);
}

Test(order, survives_the_largest_and_smallest_numbers) {
    HedVec3 points[4] = {{-1.7e308, 0, 0}, {1.7e308, 0, 0}, {0, 5e-324, 0}, {0, 0, 1e-300}};
    int32_t order[4];
    int32_t seen = 0;
    cr_assert_eq(hed_order_hilbert(points, 4, order, NULL), HED_OK);
    for (int32_t i = 0; i < 4; ++i) {
        seen |= 1 << order[i];
    }
    cr_assert_eq(seen, 15);
    cr_assert_eq(hed_order_hilbert(points + 2, 2, order, NULL), HED_OK);
}

// On the full lattice of 8 x 8 x 8 cells the Hilbert curve moves from each cell to one that shares
// a face with it.
Test(order, visits_face_neighbours_of_a_lattice) {
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    HedVec3 points[N];
    int32_t order[N];
    for (int32_t i = 0; i < N; ++i) {
        points[i] = hed_vec3(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
    }
    cr_assert_eq(hed_order_hilbert(points, N, order, NULL), HED_OK);
    for (int32_t k = 1; k < N; ++k) {
        // Whole numbers and their roots are exact.
        cr_assert_float_eq(hed_distance3(points[order[k]], points[order[k - 1]]), 1.0, 0.0);
    }
}

// Fraction of the edges of a grid whose ends fall into different runs of 1024 points.
static double cut_fraction(const HedVec3* points, int32_t side) {
    int32_t n = side * side;
    int32_t* order = HED_NEW_ARRAY(int32_t, n);
    int32_t* range = HED_NEW_ARRAY(int32_t, n);
    cr_assert_eq(hed_order_hilbert(points, n, order, NULL), HED_OK);
    for (int32_t k = 0; k < n; ++k) {
        range[order[k]] = k / 1024 + 1;
    }
    int64_t cut = 0;
    int64_t all = 0;
    for (int32_t i = 0; i < n; ++i) {
        cr_assert_gt(range[i], 0, "point %d is missing", i);
        if (i % side + 1 < side) {
            ++all;
            cut += range[i] != range[i + 1];
        }
        if (i / side + 1 < side) {
            ++all;
            cut += range[i] != range[i + side];
        }
    }
    hed_free(order);
    hed_free(range);
    return (double)cut / (double)all;
}

Test(order, keeps_most_edges_of_a_flat_grid_within_ranges) {
    enum { SIDE = 800 };
    HedVec3* points = HED_NEW_ARRAY(HedVec3, SIDE * SIDE);
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        points[i] = hed_vec3(0.001 * (i % SIDE), 0.0, 0.001 * (i / SIDE));
    }
    double level = cut_fraction(points, SIDE);
    // The same grid turned out of the axes.
    HedVec3 u = hed_unit3(hed_vec3(1.0, 0.7, -0.4), (HedVec3){0});
    HedVec3 v = hed_unit3(hed_cross3(hed_vec3(0.3, 0.2, 1.0), u), (HedVec3){0});
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        points[i] = hed_madd3(hed_mul3(0.001 * (i % SIDE), u), 0.001 * (i / SIDE), v);
    }
    double tilted = cut_fraction(points, SIDE);
    printf("edges that leave their range of 1024: level %.2f %%, tilted %.2f %%\n", 100.0 * level,
           100.0 * tilted);
    // Perfect squares of 32 x 32 points would cut 1/32 = 3.1 %.
    cr_assert_lt(level, 0.08);
    cr_assert_lt(tilted, 0.08);
    hed_free(points);
}

Test(order, no_memory_at_any_allocation) {
    HedVec3 points[100];
    int32_t order[100];
    for (int32_t i = 0; i < 100; ++i) {
        points[i] = hed_vec3(hed_random_uniform(1, 0, (uint64_t)i), 0.0, i);
    }
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int n = 1;
    for (; status != HED_OK && n < 100; ++n) {
        hed_alloc_fail_at(n);
        status = hed_order_hilbert(points, 100, order, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_gt(n, 3); // three allocations (those of many items), so three failures
    cr_assert_eq(status, HED_OK);
}
