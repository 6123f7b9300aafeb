// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "geom/coincide.h"
#include "math/vec3.h"

#include <criterion/criterion.h>

enum { COUNT = 600 };

// What the header says, by comparing all with all.
static void find_all(const HedVec3* x, int32_t count, double distance, int32_t* first) {
    for (int32_t i = 0; i < count; ++i) {
        first[i] = i;
        for (int32_t j = 0; j < i; ++j) {
            if (first[j] == j && hed_distance3(x[i], x[j]) <= distance) {
                first[i] = j;
                break;
            }
        }
    }
}

static HedVec3 draw(int32_t number, double size) {
    double v[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = size * (hed_random_uniform(7, (uint64_t)k, (uint64_t)number) - 0.5);
    }
    return hed_vec3(v[0], v[1], v[2]);
}

Test(coincide, as_comparing_all_with_all) {
    HedVec3 x[COUNT];
    int32_t expected[COUNT];
    int32_t found[COUNT];
    // from hardly any neighbours to nearly all in one cell; on both sides of zero
    static const double DISTANCES[] = {1e-12, 1e-3, 0.03, 0.2, 3.0};
    for (int d = 0; d < 5; ++d) {
        for (int32_t i = 0; i < COUNT; ++i) {
            // a third of the points repeat others, some of them with a small error
            double error = i % 2 ? 0.0 : 0.5 * DISTANCES[d];
            x[i] = i % 3 == 2 ? hed_add3(x[i / 2], draw(i, error)) : draw(i, 1.0);
        }
        find_all(x, COUNT, DISTANCES[d], expected);
        cr_assert_eq(hed_find_coincident(x, COUNT, DISTANCES[d], found, NULL), HED_OK);
        cr_assert_arr_eq(found, expected, sizeof found, "distance %g", DISTANCES[d]);
    }
}

Test(coincide, zeros_of_both_signs_are_one_place) {
    const HedVec3 x[2] = {{0.0, -0.0, 1.0}, {-0.0, 0.0, 1.0}};
    int32_t first[2];
    cr_assert_eq(hed_find_coincident(x, 2, 1e-9, first, NULL), HED_OK);
    cr_assert_eq(first[1], 0);
    cr_assert_eq(hed_find_coincident(NULL, 0, 1e-9, NULL, NULL), HED_OK);
}

Test(coincide, every_allocation_may_fail) {
    const HedVec3 x[3] = {{0}};
    int32_t first[3];
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        hed_alloc_fail_at(n);
        status = hed_find_coincident(x, 3, 1.0, first, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}
