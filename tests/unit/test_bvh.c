// SPDX-License-Identifier: MIT
#include "geom/bvh.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/timer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(3, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(3, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(3, stream, 3 * i + 2) - 1.0);
}

// Triangles of the given size strewn over a cube of half side 1.
static void make_soup(int32_t count, double size, HedVec3* vertices, int32_t* triangles) {
    for (int32_t t = 0; t < count; ++t) {
        HedVec3 centre = random_point(0, (uint64_t)t);
        for (int32_t k = 0; k < 3; ++k) {
            vertices[3 * t + k] = hed_madd3(centre, size, random_point(1, 3 * (uint64_t)t + k));
            triangles[3 * t + k] = 3 * t + k;
        }
    }
}

static double closest_by_trying(const HedVec3* vertices, const int32_t* triangles, int32_t count,
                                HedVec3 p) {
    double best = HUGE_VAL;
    for (int32_t t = 0; t < count; ++t) {
        const int32_t* v = triangles + 3 * t;
        HedClosestTriangle found =
            hed_closest_triangle(p, vertices[v[0]], vertices[v[1]], vertices[v[2]]);
        best = fmin(best, found.distance_squared);
    }
    return best;
}

// Each item once, in a leaf whose boxes hold it, and every node reached once from the root.
static void assert_sound(const HedBvh* bvh, const HedBox* boxes) {
    bool* seen = HED_NEW_ARRAY(bool, bvh->item_count);
    int32_t* parents = HED_NEW_ARRAY(int32_t, bvh->node_count);
    int32_t items = 0;
    for (int32_t n = 0; n < bvh->node_count; ++n) {
        const HedBvhNode* node = &bvh->nodes[n];
        for (int side = 0; side < 2; ++side) {
            if (node->count[side] == 0 && node->child[side] >= 0) {
                cr_assert_gt(node->child[side], n);
                ++parents[node->child[side]];
            }
            for (int32_t i = 0; i < node->count[side]; ++i, ++items) {
                int32_t item = bvh->items[node->child[side] + i];
                cr_assert(!seen[item]);
                seen[item] = true;
                HedBox box = boxes[item];
                cr_assert((double)node->low[0][side] <= box.low.x &&
                          (double)node->high[0][side] >= box.high.x &&
                          (double)node->low[1][side] <= box.low.y &&
                          (double)node->high[1][side] >= box.high.y &&
                          (double)node->low[2][side] <= box.low.z &&
                          (double)node->high[2][side] >= box.high.z);
            }
        }
    }
    cr_assert_eq(items, bvh->item_count);
    for (int32_t n = 1; n < bvh->node_count; ++n) {
        cr_assert_eq(parents[n], 1);
    }
    hed_free(seen);
    hed_free(parents);
}

static void fill_boxes(const HedVec3* vertices, const int32_t* triangles, int32_t count,
                       HedBox* boxes) {
    for (int32_t t = 0; t < count; ++t) {
        boxes[t] = hed_box_empty();
        for (int32_t k = 0; k < 3; ++k) {
            boxes[t] = hed_box_add(boxes[t], vertices[triangles[3 * t + k]]);
        }
    }
}

enum { SOUP = 700 };

typedef struct Soup {
    HedVec3 vertices[3 * SOUP];
    int32_t triangles[3 * SOUP];
    HedBox boxes[SOUP];
} Soup;

static Soup* make_test_soup(int32_t count, double size) {
    Soup* soup = HED_NEW(Soup);
    make_soup(count, size, soup->vertices, soup->triangles);
    fill_boxes(soup->vertices, soup->triangles, count, soup->boxes);
    return soup;
}

static void assert_closest_right(const HedBvh* bvh, const Soup* soup, int32_t count) {
    for (uint64_t i = 0; i < 500; ++i) {
        HedVec3 p = hed_mul3(1.6, random_point(5, i));
        double expected = closest_by_trying(soup->vertices, soup->triangles, count, p);
        HedBvhHit hit;
        cr_assert(hed_bvh_closest(bvh, soup->vertices, soup->triangles, p, HUGE_VAL, &hit));
        cr_assert_eq(hit.closest.distance_squared, expected); // the same formula: the same bits
        double radius = sqrt(expected);
        // A root and a square are rounded by 3e-16 together.
        cr_assert(
            hed_bvh_closest(bvh, soup->vertices, soup->triangles, p, radius * (1.0 + 1e-15), &hit));
        cr_assert_eq(hit.closest.distance_squared, expected);
        // The same.
        cr_assert(!hed_bvh_closest(bvh, soup->vertices, soup->triangles, p, radius * (1.0 - 1e-15),
                                   &hit));
    }
}

Test(bvh, closest_agrees_with_trying_all) {
    for (int32_t count = 1; count <= SOUP; count = count * 3 + 1) {
        Soup* soup = make_test_soup(count, 0.1);
        HedBvh bvh;
        cr_assert_eq(hed_bvh_build_triangles(soup->vertices, soup->triangles, count, &bvh, NULL),
                     HED_OK);
        assert_sound(&bvh, soup->boxes);
        assert_closest_right(&bvh, soup, count);
        hed_bvh_free(&bvh);
        hed_free(soup);
    }
}

Test(bvh, closest_after_refit) {
    Soup* soup = make_test_soup(SOUP, 0.1);
    HedBvh bvh;
    cr_assert_eq(hed_bvh_build(soup->boxes, SOUP, &bvh, NULL), HED_OK);
    for (int32_t v = 0; v < 3 * SOUP; ++v) {
        HedVec3 p = soup->vertices[v];
        soup->vertices[v] = hed_vec3(p.x + 0.3 * p.y, 2.0 * p.y - p.z * p.x, -p.z);
    }
    hed_bvh_refit_triangles(&bvh, soup->vertices, soup->triangles);
    fill_boxes(soup->vertices, soup->triangles, SOUP, soup->boxes);
    assert_sound(&bvh, soup->boxes);
    assert_closest_right(&bvh, soup, SOUP);
    hed_bvh_refit(&bvh, soup->boxes);
    assert_sound(&bvh, soup->boxes);
    assert_closest_right(&bvh, soup, SOUP);
    hed_bvh_free(&bvh);
    hed_free(soup);
}

Test(bvh, overlap_finds_all_and_little_more) {
    Soup* soup = make_test_soup(SOUP, 0.1);
    HedBvh bvh;
    cr_assert_eq(hed_bvh_build(soup->boxes, SOUP, &bvh, NULL), HED_OK);
    int32_t found[SOUP];
    for (uint64_t i = 0; i < 300; ++i) {
        HedVec3 a = random_point(6, i);
        HedBox box =
            hed_box_add(hed_box_add(hed_box_empty(), a), hed_madd3(a, 0.5, random_point(7, i)));
        bool is_found[SOUP] = {0};
        int32_t count = hed_bvh_overlap(&bvh, box, found, SOUP);
        cr_assert_leq(count, SOUP);
        for (int32_t k = 0; k < count; ++k) {
            cr_assert(!is_found[found[k]]);
            is_found[found[k]] = true;
        }
        int32_t exact = 0;
        for (int32_t t = 0; t < SOUP; ++t) {
            bool overlaps = hed_box_overlaps(soup->boxes[t], box);
            exact += overlaps;
            cr_assert(!overlaps || is_found[t]);
        }
        // Candidates share leaves of four with something near, mostly a true overlap.
        cr_assert_leq(count, 8 * exact + 40);
        cr_assert_eq(hed_bvh_overlap(&bvh, box, found, 0), count);
    }
    hed_bvh_free(&bvh);
    hed_free(soup);
}

Test(bvh, nothing_in_it) {
    HedBvh bvh;
    HedBvhHit hit;
    cr_assert_eq(hed_bvh_build(NULL, 0, &bvh, NULL), HED_OK);
    cr_assert(!hed_bvh_closest(&bvh, NULL, NULL, hed_vec3(0, 0, 0), HUGE_VAL, &hit));
    HedBox all = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    cr_assert_eq(hed_bvh_overlap(&bvh, all, NULL, 0), 0);
    hed_bvh_refit(&bvh, NULL);
    hed_bvh_free(&bvh);
    hed_bvh_free(NULL);
}

Test(bvh, not_a_number_hits_nothing) {
    Soup* soup = make_test_soup(50, 0.1);
    HedBvh bvh;
    HedBvhHit hit;
    HedVec3 nowhere = {(double)NAN, 0, 0};
    cr_assert_eq(hed_bvh_build(soup->boxes, 50, &bvh, NULL), HED_OK);
    cr_assert(!hed_bvh_closest(&bvh, soup->vertices, soup->triangles, nowhere, HUGE_VAL, &hit));
    cr_assert(!hed_bvh_closest(&bvh, soup->vertices, soup->triangles, hed_vec3(0, 0, 0),
                               (double)NAN, &hit));
    hed_bvh_free(&bvh);
    hed_free(soup);
}

// Places that defeat bins: all in one point, in geometric progression (each cut takes off one), far
// apart, infinite.
Test(bvh, hostile_places) {
    enum { N = 3000 };
    HedBox* boxes = HED_NEW_ARRAY(HedBox, N);
    for (int kind = 0; kind < 4; ++kind) {
        for (int32_t i = 0; i < N; ++i) {
            double x = kind == 0 ? 1.0 : kind == 1 ? pow(2.0, -(i % 1000)) : 1e300 * (i % 7 - 3);
            HedVec3 p = {x, kind == 1 ? x : 0.0, 0.0};
            boxes[i] = (HedBox){p, p};
        }
        if (kind == 3) {
            boxes[17] = (HedBox){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
        }
        HedBvh bvh;
        cr_assert_eq(hed_bvh_build(boxes, N, &bvh, NULL), HED_OK);
        assert_sound(&bvh, boxes);
        cr_assert_geq(hed_bvh_overlap(&bvh, boxes[0], NULL, 0), 1);
        hed_bvh_free(&bvh);
    }
    hed_free(boxes);
}

Test(bvh, slivers_and_points_as_triangles) {
    Soup* soup = make_test_soup(SOUP, 0.2);
    for (int32_t t = 0; t < SOUP; ++t) {
        HedVec3* v = soup->vertices + 3 * t;
        if (t % 3 == 0) {
            v[2] = hed_lerp3(v[0], v[1], 0.3);
        } else if (t % 3 == 1) {
            v[1] = v[2] = v[0];
        } else {
            v[2] = hed_madd3(v[0], 1e-9, v[2]);
        }
    }
    HedBvh bvh;
    cr_assert_eq(hed_bvh_build_triangles(soup->vertices, soup->triangles, SOUP, &bvh, NULL),
                 HED_OK);
    assert_closest_right(&bvh, soup, SOUP);
    hed_bvh_free(&bvh);
    hed_free(soup);
}

Test(bvh, equal_input_gives_an_equal_tree) {
    Soup* soup = make_test_soup(SOUP, 0.1);
    HedBvh a, b;
    cr_assert_eq(hed_bvh_build(soup->boxes, SOUP, &a, NULL), HED_OK);
    cr_assert_eq(hed_bvh_build(soup->boxes, SOUP, &b, NULL), HED_OK);
    cr_assert_eq(a.node_count, b.node_count);
    cr_assert_eq(memcmp(a.nodes, b.nodes, (size_t)a.node_count * sizeof(HedBvhNode)), 0);
    cr_assert_eq(memcmp(a.items, b.items, SOUP * sizeof(int32_t)), 0);
    cr_assert_eq(sizeof(HedBvhNode), 64);
    hed_bvh_free(&a);
    hed_bvh_free(&b);
    hed_free(soup);
}

Test(bvh, builds_over_many) {
    enum { N = 100000 };
    HedVec3* vertices = HED_NEW_ARRAY(HedVec3, 3 * N);
    int32_t* triangles = HED_NEW_ARRAY(int32_t, 3 * N);
    make_soup(N, 0.01, vertices, triangles);
    double begin = hed_time_now();
    HedBvh bvh;
    cr_assert_eq(hed_bvh_build_triangles(vertices, triangles, N, &bvh, NULL), HED_OK);
    printf("tree over %d triangles: %.0f ms, %d nodes\n", N, 1e3 * (hed_time_now() - begin),
           bvh.node_count);
    hed_bvh_free(&bvh);
    hed_free(vertices);
    hed_free(triangles);
}

Test(bvh, no_memory_at_any_allocation) {
    Soup* soup = make_test_soup(100, 0.1);
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int n = 1;
    for (; status != HED_OK && n < 100; ++n) {
        HedBvh bvh;
        hed_alloc_fail_at(n);
        status = hed_bvh_build(soup->boxes, 100, &bvh, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        hed_bvh_free(&bvh);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_gt(n, 3);
    cr_assert_eq(status, HED_OK);
    hed_free(soup);
}
