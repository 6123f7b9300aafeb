// SPDX-License-Identifier: MIT
#include "geom/crossing.h"

#include "base/alloc.h"
#include "base/random.h"
#include "heddle/check.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

static HedCrossing of_corners(const double c[6][3]) {
    HedVec3 x[6];
    for (int k = 0; k < 6; ++k) {
        x[k] = hed_vec3(c[k][0], c[k][1], c[k][2]);
    }
    const int32_t first[3] = {0, 1, 2};
    const int32_t second[3] = {3, 4, 5};
    HedCrossing found = hed_crossing_triangles(x, first, second);
    cr_assert_eq(hed_crossing_triangles(x, second, first), found);
    const int32_t turned[3] = {1, 0, 2};
    cr_assert_eq(hed_crossing_triangles(x, turned, second), found);
    return found;
}

typedef struct Case {
    double corner[6][3];
    HedCrossing expected;
} Case;

// The first triangle is (0,0,0) (4,0,0) (0,4,0) except where it has no area.
static const Case CASES[] = {
    // an edge through the middle; just beside; ending on it; beginning a little above it
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {9, 9, 9}}, HED_CROSSING_CROSS},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 3, -1}, {3, 3, 1}, {9, 9, 9}}, HED_CROSSING_NONE},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {9, 9, 9}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1e-300}, {1, 1, 1}, {9, 9, 9}}, HED_CROSSING_NONE},
    // through a corner, through an edge, with a whole edge in it
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, -1}, {0, 0, 1}, {-9, -9, 9}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 0, -1}, {2, 0, 1}, {2, -9, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {2, 1, 0}, {1, 1, 3}}, HED_CROSSING_TOUCH},
    // in one plane: apart, inside, around, crossing, touching along an edge, at a corner
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 3, 0}, {4, 4, 0}, {5, 3, 0}}, HED_CROSSING_NONE},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {-9, -9, 0}, {99, -9, 0}, {-9, 99, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, -1, 0}, {1, 9, 0}, {2, -1, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 0, 0}, {2, 0, 0}, {1, -3, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 0, 0}, {9, 0, 0}, {9, 1, 0}}, HED_CROSSING_TOUCH},
    // without area: a segment through it, beside it; a point on it, off it
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, 0}}, HED_CROSSING_CROSS},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {5, 1, -1}, {5, 1, 1}, {5, 1, 0}}, HED_CROSSING_NONE},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {1, 1, 2}, {1, 1, 2}}, HED_CROSSING_NONE},
    {{{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {3, 0, 0}, {9, 0, 0}, {5, 0, 0}}, HED_CROSSING_TOUCH},
    {{{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {5, 0, 0}, {9, 0, 0}, {6, 0, 0}}, HED_CROSSING_NONE},
    {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, HED_CROSSING_TOUCH},
};

Test(crossing, cases_at_many_places_and_sizes) {
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        cr_assert_eq(of_corners(CASES[i].corner), CASES[i].expected, "case %zu", i);
        for (int exponent = -60; exponent <= 60; exponent += 20) {
            for (int axis = 0; axis < 3; ++axis) {
                double moved[6][3];
                for (int c = 0; c < 6; ++c) {
                    for (int k = 0; k < 3; ++k) {
                        moved[c][(k + axis) % 3] = ldexp(CASES[i].corner[c][k], exponent);
                    }
                }
                cr_assert_eq(of_corners(moved), CASES[i].expected, "case %zu", i);
            }
        }
    }
}

Test(crossing, shared_corners) {
    HedVec3 x[7] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1}, {1, 1, -1}, {4, 4, 0}, {1, 1, 0}};
    const int32_t base[3] = {0, 1, 2};
    const int32_t stuck[3] = {0, 3, 4};  // its far edge passes through base
    const int32_t above[3] = {0, 3, 5};  // leaves base at the corner
    const int32_t lying[3] = {0, 6, 5};  // in its plane and sector
    const int32_t hinge[3] = {1, 2, 5};  // the other half of the square
    const int32_t folded[3] = {2, 1, 6}; // folded flat onto base
    const int32_t raised[3] = {1, 2, 3};
    cr_assert_eq(hed_crossing_triangles(x, base, stuck), HED_CROSSING_CROSS);
    cr_assert_eq(hed_crossing_triangles(x, base, lying), HED_CROSSING_TOUCH);
    cr_assert_eq(hed_crossing_triangles(x, base, hinge), HED_CROSSING_NONE);
    cr_assert_eq(hed_crossing_triangles(x, base, folded), HED_CROSSING_TOUCH);
    cr_assert_eq(hed_crossing_triangles(x, base, raised), HED_CROSSING_NONE);
    cr_assert_eq(hed_crossing_triangles(x, base, base), HED_CROSSING_TOUCH);
    x[5].z = 1.0;
    cr_assert_eq(hed_crossing_triangles(x, base, above), HED_CROSSING_NONE);
}

// A segment is a triangle that names one end twice, whichever. From a corner of another triangle it
// may go away, stay in its plane, or go through its plane's other side where nothing is.
Test(crossing, segments_from_a_corner) {
    const HedVec3 x[] = {{0.0, 0.0, 0.0},  {4.0, 0.0, 0.0}, {0.0, 4.0, 0.0}, {-1.0, -1.0, 0.0},
                         {-1.0, 2.0, 3.0}, {3.0, 3.0, 0.0}, {1.0, 1.0, 0.0}};
    const HedCrossing expected[] = {HED_CROSSING_NONE, HED_CROSSING_NONE, HED_CROSSING_TOUCH,
                                    HED_CROSSING_TOUCH};
    const int32_t base[3] = {0, 1, 2};
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t ways[3][3] = {{0, 3 + k, 3 + k}, {3 + k, 0, 0}, {0, 3 + k, 0}};
        for (int w = 0; w < 3; ++w) {
            cr_assert_eq(hed_crossing_triangles(x, base, ways[w]), expected[k], "%d, %d", k, w);
            cr_assert_eq(hed_crossing_triangles(x, ways[w], base), expected[k], "%d, %d", k, w);
        }
    }
}

enum { SOUP = 300 };

static void make_soup(HedVec3* x, int32_t* triangles) {
    for (int32_t t = 0; t < 3 * SOUP; ++t) {
        uint64_t c = (uint64_t)(t / 3);
        triangles[t] = t;
        double* v = &x[t].x;
        for (int k = 0; k < 3; ++k) {
            v[k] = hed_random_uniform(5, c, (uint64_t)k) +
                   0.3 * hed_random_uniform(6, (uint64_t)t, (uint64_t)k);
        }
    }
}

Test(crossing, tree_finds_what_trying_all_finds) {
    HedVec3 x[3 * SOUP];
    int32_t triangles[3 * SOUP];
    make_soup(x, triangles);
    HedCrossings found = {0};
    cr_assert_eq(hed_crossings_find(x, triangles, SOUP, INT32_MAX, &found, NULL), HED_OK);
    int32_t at = 0;
    for (int32_t i = 0; i < SOUP; ++i) {
        for (int32_t j = i + 1; j < SOUP; ++j) {
            HedCrossing kind = hed_crossing_triangles(x, triangles + 3 * i, triangles + 3 * j);
            if (kind != HED_CROSSING_NONE) {
                cr_assert_lt(at, found.list.count);
                HedCrossingPair pair = found.list.data[at++];
                cr_assert(pair.first == i && pair.second == j && pair.kind == kind);
            }
        }
    }
    cr_assert_eq(at, found.list.count);
    cr_assert_gt(at, SOUP / 10); // or the test would say little
    cr_assert_eq(found.cross_count + found.touch_count, at);
    int64_t all = found.cross_count;
    cr_assert_eq(hed_crossings_find(x, triangles, SOUP, 7, &found, NULL), HED_OK);
    cr_assert_eq(found.list.count, 7);
    cr_assert_eq(found.cross_count, all);
    hed_free(found.list.data);
}

static const HedVec3 SQUARE[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const HedVec3 UPRIGHT[4] = {{0.5, 0.25, -1}, {0.5, 0.25, 1}, {0.5, 3, 1}, {0.5, 3, -1}};
static const int32_t QUAD[6] = {0, 1, 2, 0, 2, 3};

Test(crossing, objects) {
    const HedSeriesObject objects[3] = {
        {.name = "floor",
         .kind = HED_OBJECT_BODY,
         .vertex_count = 4,
         .triangles = QUAD,
         .triangle_count = 2},
        {.name = "flat",
         .kind = HED_OBJECT_SHEET,
         .vertex_count = 4,
         .triangles = QUAD,
         .triangle_count = 2},
        {.name = "upright",
         .kind = HED_OBJECT_SHEET,
         .vertex_count = 4,
         .triangles = QUAD,
         .triangle_count = 2},
    };
    const HedVec3* positions[3] = {SQUARE, SQUARE, UPRIGHT};
    HedIntersections found = {0};
    cr_assert_eq(hed_intersections_find(objects, 3, positions, &found, NULL), HED_OK);
    // At z = 0 the upright sheet's first triangle is the segment from (0.5, 0.25) to (0.5, 1.625):
    // it passes the square's diagonal y = x, so it crosses both halves. Its second triangle begins
    // at y = 1.625, outside of the square.
    cr_assert_eq(found.touch_count, 0);
    cr_assert_eq(found.cross_count, 2);
    cr_assert_eq(found.list_count, 2);
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(found.list[k].object[0], 1);
        cr_assert_eq(found.list[k].object[1], 2);
        cr_assert_eq(found.list[k].triangle[0], k);
        cr_assert_eq(found.list[k].triangle[1], 0);
    }
    hed_intersections_free(&found);
    hed_intersections_free(NULL);
}

Test(crossing, bad_input) {
    const int32_t bad[3] = {0, 1, 4};
    HedSeriesObject object = {.name = "flag",
                              .kind = HED_OBJECT_SHEET,
                              .vertex_count = 4,
                              .triangles = bad,
                              .triangle_count = 1};
    const HedVec3* positions[1] = {SQUARE};
    HedIntersections found = {0};
    HedError error = {0};
    cr_assert_eq(hed_intersections_find(&object, 1, positions, &found, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "flag: triangle 0: vertex must be in 0..3, got 4");
    HedVec3 broken[4];
    memcpy(broken, SQUARE, sizeof broken);
    broken[2].y = NAN;
    object.triangles = QUAD;
    positions[0] = broken;
    cr_assert_eq(hed_intersections_find(&object, 1, positions, &found, &error), HED_INVALID);
    cr_assert(strncmp(error.message, "flag: vertex 2 is not finite", 28) == 0);
    cr_assert_eq(hed_intersections_find(NULL, 0, NULL, &found, &error), HED_OK);
    cr_assert_eq(found.list_count, 0);
    hed_intersections_free(&found);
}

Test(crossing, no_memory) {
    HedSeriesObject objects[2] = {
        {.name = "a",
         .kind = HED_OBJECT_SHEET,
         .vertex_count = 4,
         .triangles = QUAD,
         .triangle_count = 2},
        {.name = "b",
         .kind = HED_OBJECT_SHEET,
         .vertex_count = 4,
         .triangles = QUAD,
         .triangle_count = 2},
    };
    const HedVec3* positions[2] = {SQUARE, UPRIGHT};
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedIntersections found = {0};
        hed_alloc_fail_at(n);
        status = hed_intersections_find(objects, 2, positions, &found, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert(status != HED_OK || n > 5);
        hed_intersections_free(&found);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
}
