// SPDX-License-Identifier: MIT
// Triangulations on the grid: circles are empty, areas add up, forced sides are there, obstacles
// are named; checked by trying all points against all triangles.
#include "base/alloc.h"
#include "base/random.h"
#include "garment/delaunay.h"

#include <criterion/criterion.h>

static int32_t insert(HedDelaunay* d, int64_t x, int64_t y) {
    int32_t obstacle = -1;
    HedError error = {0};
    HedGridPoint p = {x, y};
    HedCavity found = hed_delaunay_search(d, p, &obstacle);
    if (found == HED_CAVITY_TAKEN) {
        return -1;
    }
    cr_assert_eq(found, HED_CAVITY_FREE);
    cr_assert_eq(hed_delaunay_insert(d, p, &error), HED_OK);
    return d->points.count - 1;
}

// The determinant expanded with other differences than in the library, in 128 bits.
static bool holds(const HedGridPoint* t, HedGridPoint p) {
    __int128 m[3][3];
    for (int32_t i = 0; i < 3; ++i) {
        m[i][0] = t[i].x - p.x;
        m[i][1] = t[i].y - p.y;
        m[i][2] = m[i][0] * m[i][0] + m[i][1] * m[i][1];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) >
           0;
}

static void check_adjacency(const HedDelaunay* d) {
    int64_t area = 0;
    for (int32_t k = 0; k < d->triangles.count; ++k) {
        const HedTriangle* t = d->triangles.data + k;
        int64_t twice = hed_grid_orient(d->points.data[t->v[0]], d->points.data[t->v[1]],
                                        d->points.data[t->v[2]]);
        cr_assert_gt(twice, 0);
        area += twice;
        for (int32_t i = 0; i < 3; ++i) {
            if (t->n[i] < 0) {
                continue;
            }
            const HedTriangle* o = d->triangles.data + t->n[i];
            int32_t j = o->n[0] == k ? 0 : o->n[1] == k ? 1 : 2;
            cr_assert_eq(o->n[j], k);
            cr_assert_eq(o->v[(j + 1) % 3], t->v[(i + 2) % 3]);
            cr_assert_eq(o->v[(j + 2) % 3], t->v[(i + 1) % 3]);
            cr_assert_eq(o->is_fixed >> j & 1, t->is_fixed >> i & 1);
        }
    }
    int64_t side = HED_GRID + 2 * (int64_t)HED_GRID_MARGIN;
    cr_assert_eq(area, 2 * side * side);
    cr_assert_eq(d->triangles.count, 2 * (d->points.count - HED_BOX_POINTS) + 2);
}

static void check_circles(const HedDelaunay* d) {
    for (int32_t k = 0; k < d->triangles.count; ++k) {
        HedGridPoint t[3];
        for (int32_t i = 0; i < 3; ++i) {
            t[i] = d->points.data[d->triangles.data[k].v[i]];
        }
        for (int32_t p = 0; p < d->points.count; ++p) {
            cr_assert_not(holds(t, d->points.data[p]), "point %d in circle %d", p, k);
        }
    }
}

Test(delaunay, circles_are_empty) {
    // Coarse: many points on common lines and circles, and points that are taken already.
    for (int32_t coarse = 0; coarse < 2; ++coarse) {
        HedDelaunay d = {0};
        HedError error = {0};
        cr_assert_eq(hed_delaunay_begin(&d, &error), HED_OK);
        for (int32_t i = 0; i < 300; ++i) {
            double x = hed_random_uniform(7, 0, (uint64_t)i);
            double y = hed_random_uniform(7, 1, (uint64_t)i);
            int64_t unit = coarse ? HED_GRID / 12 : 1;
            insert(&d, (int64_t)(x * HED_GRID) / unit * unit,
                   (int64_t)(y * HED_GRID) / unit * unit);
        }
        check_adjacency(&d);
        check_circles(&d);
        hed_delaunay_free(&d);
    }
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static bool has_fixed_side(const HedDelaunay* d, int32_t a, int32_t b) {
    for (int32_t k = 0; k < d->triangles.count; ++k) {
        const HedTriangle* t = d->triangles.data + k;
        for (int32_t i = 0; i < 3; ++i) {
            if (t->v[(i + 1) % 3] == a && t->v[(i + 2) % 3] == b) {
                return (t->is_fixed >> i & 1) != 0;
            }
        }
    }
    return false;
}

// A long side through a cloud of points, then one that crosses it and one through a point.
Test(delaunay, sides_are_forced) {
    HedDelaunay d = {0};
    HedError error = {0};
    HedObstacle obstacle;
    cr_assert_eq(hed_delaunay_begin(&d, &error), HED_OK);
    for (int32_t i = 0; i < 400; ++i) {
        insert(&d, (int64_t)(hed_random_uniform(3, 0, (uint64_t)i) * HED_GRID),
               (int64_t)(hed_random_uniform(3, 1, (uint64_t)i) * HED_GRID));
    }
    int32_t a = insert(&d, 1, 2);
    int32_t b = insert(&d, HED_GRID - 3, HED_GRID - 1);
    int32_t c = insert(&d, HED_GRID - 5, 7);
    int32_t e = insert(&d, 3, HED_GRID - 9);
    cr_assert_eq(hed_delaunay_fix(&d, a, b, &obstacle, &error), HED_OK);
    cr_assert_eq(hed_delaunay_repair(&d, &error), HED_OK);
    check_adjacency(&d);
    cr_assert(has_fixed_side(&d, a, b) && has_fixed_side(&d, b, a));
    cr_assert_eq(hed_delaunay_fix(&d, c, e, &obstacle, &error), HED_INVALID);
    cr_assert_eq(obstacle.point, -1);
    cr_assert(obstacle.ends[0] == a ? obstacle.ends[1] == b
                                    : obstacle.ends[0] == b && obstacle.ends[1] == a);
    int32_t f = insert(&d, 5000000, 30000);
    int32_t g = insert(&d, 6000000, 30000);
    int32_t h = insert(&d, 7000000, 30000);
    cr_assert_eq(hed_delaunay_fix(&d, f, h, &obstacle, &error), HED_INVALID);
    cr_assert_eq(obstacle.point, g);
    check_adjacency(&d);
    hed_delaunay_free(&d);
}
