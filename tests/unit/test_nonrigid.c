// SPDX-License-Identifier: MIT
#include "model/nonrigid.h"

#include "base/random.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

enum { N = 60 };

typedef struct Cloud {
    HedVec3 x[N], v[N];
    double mass[N];
    double partial[4];
    HedTeam team;
    HedRegions regions;
} Cloud;

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(13, stream, k) - 0.5;
}

// Random points and velocities; regions of `size` points, each starting `step` after the one
// before.
static void make(Cloud* cloud, int32_t size, int32_t step) {
    memset(cloud, 0, sizeof *cloud);
    int32_t first[N + 1] = {0}, point[N * N], count = 0;
    for (uint64_t k = 0; k < N; ++k) {
        cloud->x[k] = hed_vec3(draw(1, k), draw(2, k), draw(3, k));
        cloud->v[k] = hed_vec3(draw(4, k), draw(5, k), draw(6, k));
        cloud->mass[k] = 1.0 + draw(7, k);
    }
    for (int32_t k = 0; k + size <= N; k += step) {
        for (int32_t m = 0; m < size; ++m) {
            point[first[count] + m] = k + m;
        }
        first[count + 1] = first[count] + size;
        ++count;
    }
    cloud->team = (HedTeam){2, cloud->partial, 4};
    cr_assert_eq(hed_regions_create(&cloud->regions, first, point, count, N, NULL), HED_OK);
}

typedef struct Momentum {
    HedVec3 linear, angular;
    double energy;
} Momentum;

static Momentum measure(const Cloud* cloud) {
    Momentum sum = {0};
    for (int k = 0; k < N; ++k) {
        HedVec3 p = hed_mul3(cloud->mass[k], cloud->v[k]);
        sum.linear = hed_add3(sum.linear, p);
        sum.angular = hed_add3(sum.angular, hed_cross3(cloud->x[k], p));
        sum.energy += 0.5 * hed_dot3(p, cloud->v[k]);
    }
    return sum;
}

static void damp(Cloud* cloud, double proportional, double constant) {
    hed_nonrigid_damp(&cloud->regions, &cloud->team, (HedNonrigid){proportional, constant},
                      cloud->x, cloud->mass, cloud->v);
}

// 60 masses of 1 with velocities below 1: sums of 60 roundings of 1e-16.
static const double ROUNDING = 1e-14;

Test(nonrigid, momentum_is_kept_with_and_without_overlap) {
    const int32_t steps[4] = {12, 6, 5, 1};
    for (int s = 0; s < 4; ++s) {
        Cloud cloud;
        make(&cloud, 12, steps[s]);
        Momentum before = measure(&cloud);
        for (int pass = 0; pass < 20; ++pass) {
            damp(&cloud, 0.3, 0.01);
        }
        Momentum after = measure(&cloud);
        cr_assert_lt(hed_distance3(before.linear, after.linear), 20 * ROUNDING);
        cr_assert_lt(hed_distance3(before.angular, after.angular), 20 * ROUNDING);
        cr_assert_lt(after.energy, before.energy);
        hed_regions_free(&cloud.regions);
    }
}

Test(nonrigid, proportional_part_is_that_of_the_document) {
    Cloud cloud;
    make(&cloud, N, N);
    Momentum before = measure(&cloud);
    damp(&cloud, 1.0, 0.0); // all of it: what remains is rigid
    Momentum rigid = measure(&cloud);
    HedVec3 all[N];
    memcpy(all, cloud.v, sizeof all);
    damp(&cloud, 1.0, 0.0);
    for (int k = 0; k < N; ++k) {
        cr_assert_lt(hed_distance3(all[k], cloud.v[k]), ROUNDING); // rigid motion is not damped
        for (int m = 0; m < k; ++m) {                              // distances do not change
            HedVec3 d = hed_sub3(cloud.x[k], cloud.x[m]);
            cr_assert_lt(fabs(hed_dot3(d, hed_sub3(all[k], all[m]))), ROUNDING);
        }
    }
    hed_regions_free(&cloud.regions);
    make(&cloud, N, N);
    damp(&cloud, 0.25, 0.0);
    Momentum part = measure(&cloud);
    // The rigid part is orthogonal: E = E_rigid + (1 - 0.25)^2 (E_before - E_rigid).
    double expected = rigid.energy + 0.5625 * (before.energy - rigid.energy);
    cr_assert_float_eq(part.energy, expected, ROUNDING);
    hed_regions_free(&cloud.regions);
}

// |d| falls by constant sqrt(k) each time, so rest comes after |d| / (constant sqrt(k)) calls.
Test(nonrigid, constant_part_ends_motion_in_finite_time) {
    Cloud cloud;
    make(&cloud, N, N);
    HedVec3 start[N];
    memcpy(start, cloud.v, sizeof start);
    damp(&cloud, 1.0, 0.0);
    double square = 0.0;
    for (int k = 0; k < N; ++k) {
        HedVec3 d = hed_sub3(start[k], cloud.v[k]);
        square += hed_dot3(d, d);
    }
    HedVec3 rigid[N];
    memcpy(rigid, cloud.v, sizeof rigid);
    memcpy(cloud.v, start, sizeof start);
    int calls = (int)ceil(sqrt(square / N) / 0.05);
    for (int k = 0; k < calls; ++k) {
        // Rest would be exact; speeds are about 1.
        cr_assert_gt(hed_distance3(cloud.v[0], rigid[0]), 1e-3);
        damp(&cloud, 0.0, 0.05);
    }
    for (int k = 0; k < N; ++k) {
        cr_assert_lt(hed_distance3(cloud.v[k], rigid[k]), ROUNDING);
    }
    hed_regions_free(&cloud.regions);
}

// Points in one line have no spin about it; two points, one point and none.
Test(nonrigid, degenerate_regions_keep_momentum) {
    Cloud cloud;
    make(&cloud, N, N);
    hed_regions_free(&cloud.regions);
    for (int k = 0; k < 20; ++k) {
        cloud.x[k] = hed_madd3(hed_vec3(1, 2, 3), 0.1 * k, hed_vec3(0.6, 0.0, 0.8));
    }
    cloud.x[21] = cloud.x[22] = cloud.x[23]; // three in one place
    const int32_t first[6] = {0, 20, 22, 23, 23, 26};
    int32_t point[26];
    for (int32_t k = 0; k < 23; ++k) {
        point[k] = k;
    }
    point[23] = 21;
    point[24] = 22;
    point[25] = 23;
    cr_assert_eq(hed_regions_create(&cloud.regions, first, point, 5, N, NULL), HED_OK);
    Momentum before = measure(&cloud);
    HedVec3 free_point = cloud.v[40];
    damp(&cloud, 0.8, 0.02);
    Momentum after = measure(&cloud);
    cr_assert_lt(hed_distance3(before.linear, after.linear), ROUNDING);
    cr_assert_lt(hed_distance3(before.angular, after.angular), 10 * ROUNDING);
    cr_assert_lt(after.energy, before.energy);
    cr_assert_eq(memcmp(&free_point, &cloud.v[40], sizeof free_point), 0);
    hed_regions_free(&cloud.regions);
}

Test(nonrigid, same_bits_for_any_number_of_threads) {
    Cloud one, many;
    make(&one, 12, 4);
    make(&many, 12, 4);
    one.team.threads = 1;
    many.team.threads = 3;
    damp(&one, 0.3, 0.01);
    damp(&many, 0.3, 0.01);
    cr_assert_arr_eq(one.v, many.v, sizeof one.v);
    hed_regions_free(&one.regions);
    hed_regions_free(&many.regions);
}

Test(nonrigid, regions_along_yarns_cover_all_points) {
    double length[30];
    for (int k = 0; k < 30; ++k) {
        length[k] = 0.01;
    }
    HedRegionYarn yarns[3] = {
        {0, 30, false, length}, {30, 28, true, length}, {58, 2, false, length}};
    HedRegions regions;
    HedRegionLists lists = {0};
    cr_assert_eq(hed_regions_along(yarns, 3, 0.05, &lists, NULL), HED_OK);
    cr_assert_eq(hed_regions_of_lists(&regions, &lists, N, NULL), HED_OK);
    for (int p = 0; p < N; ++p) {
        int32_t count = regions.of_first[p + 1] - regions.of_first[p];
        cr_assert(count >= 1 && count <= 3, "point %d in %d regions", p, count);
    }
    for (int32_t r = 0; r < regions.count; ++r) {
        int32_t count = regions.first[r + 1] - regions.first[r];
        cr_assert(count >= 2 && count <= 6, "region %d has %d points", r, count);
    }
    hed_regions_free(&regions);
    hed_region_lists_free(&lists);
}

// Kaldor's first form: over small blocks of stitches, then over large ones. Points are a knit
// of 6 x 10 stitches, numbered along courses; blocks of 2 x 2 and of 6 x 5 stitches.
static void make_blocks(Cloud* cloud, int32_t wide, int32_t high) {
    int32_t first[N + 1] = {0}, point[N], count = 0, used = 0;
    for (int32_t block = 0; block < 6 / wide * (10 / high); ++block) {
        int32_t x = block % (6 / wide) * wide, y = block / (6 / wide) * high;
        for (int32_t k = 0; k < wide * high; ++k) {
            point[used++] = (y + k / wide) * 6 + x + k % wide;
        }
        first[++count] = used;
    }
    hed_regions_free(&cloud->regions);
    cr_assert_eq(hed_regions_create(&cloud->regions, first, point, count, N, NULL), HED_OK);
}

Test(nonrigid, two_passes_over_blocks_of_stitches) {
    Cloud cloud;
    make(&cloud, N, N);
    Momentum before = measure(&cloud);
    make_blocks(&cloud, 2, 2);
    damp(&cloud, 0.5, 0.0);
    Momentum between = measure(&cloud);
    make_blocks(&cloud, 6, 5);
    damp(&cloud, 0.5, 0.0);
    Momentum after = measure(&cloud);
    cr_assert_lt(hed_distance3(before.linear, after.linear), 2 * ROUNDING);
    cr_assert_lt(hed_distance3(before.angular, after.angular), 2 * ROUNDING);
    cr_assert_lt(between.energy, before.energy);
    cr_assert_lt(after.energy, between.energy);
    // What is rigid in every large block is rigid in the small ones, too: left alone by both.
    damp(&cloud, 1.0, 0.0);
    HedVec3 rigid[N];
    memcpy(rigid, cloud.v, sizeof rigid);
    make_blocks(&cloud, 2, 1);
    damp(&cloud, 0.5, 0.3);
    for (int k = 0; k < N; ++k) {
        cr_assert_lt(hed_distance3(rigid[k], cloud.v[k]), 4 * ROUNDING);
    }
    hed_regions_free(&cloud.regions);
}

Test(nonrigid, bad_input_and_missing_memory_are_named) {
    HedRegions regions;
    HedError error;
    const int32_t first[2] = {0, 2};
    const int32_t far[2] = {0, 9}, twice[2] = {1, 1}, good[2] = {0, 1};
    cr_assert_eq(hed_regions_create(&regions, first, far, 1, 3, &error), HED_INVALID);
    cr_assert(strstr(error.message, "region 0: point must be in 0..2, got 9"), "%s", error.message);
    cr_assert_eq(hed_regions_create(&regions, first, twice, 1, 3, &error), HED_INVALID);
    cr_assert(strstr(error.message, "twice"), "%s", error.message);
    HedRegionLists lists = {0};
    cr_assert_eq(hed_regions_along(NULL, 0, 0.0, &lists, &error), HED_INVALID);
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; n <= 6; ++n) {
        hed_alloc_fail_at(n);
        cr_assert_eq(hed_regions_create(&regions, first, good, 1, 3, NULL), HED_NO_MEMORY);
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_eq(hed_regions_create(&regions, first, good, 1, 3, NULL), HED_OK);
    hed_regions_free(&regions);
    cr_assert_eq(hed_regions_create(&regions, NULL, NULL, 0, 3, NULL), HED_OK); // none at all
    hed_regions_free(&regions);
}
