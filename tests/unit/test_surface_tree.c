// SPDX-License-Identifier: MIT
#include "geom/surface_tree.h"

#include "base/alloc.h"
#include "base/random.h"
#include "geom/impact.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct Sheet {
    int32_t side, point_count, triangle_count;
    int32_t* triangles;
    HedVec3 *rest, *start, *end;
    double* reach;
    HedTopology topology;
    HedSurfaceTree tree;
} Sheet;

static const HedTeam ONE = {.threads = 1};
static const HedTeam TWO = {.threads = 2};
static const HedTeam THREE = {.threads = 3};

static void make_sheet(int32_t side, Sheet* s) {
    *s = (Sheet){
        .side = side, .point_count = side * side, .triangle_count = 2 * (side - 1) * (side - 1)};
    s->triangles = HED_NEW_ARRAY(int32_t, 3 * s->triangle_count);
    s->rest = HED_NEW_ARRAY(HedVec3, s->point_count);
    s->start = HED_NEW_ARRAY(HedVec3, s->point_count);
    s->end = HED_NEW_ARRAY(HedVec3, s->point_count);
    s->reach = HED_NEW_ARRAY(double, s->point_count);
    for (int32_t i = 0; i < s->point_count; ++i) {
        s->rest[i] = (HedVec3){(double)(i % side) / (side - 1), (double)(i / side) / (side - 1), 0};
        s->reach[i] = 0.05 / side;
    }
    for (int32_t q = 0; q < (side - 1) * (side - 1); ++q) {
        int32_t v = q / (side - 1) * side + q % (side - 1);
        const int32_t quad[6] = {v, v + 1, v + side + 1, v, v + side + 1, v + side};
        memcpy(s->triangles + 6 * q, quad, sizeof quad);
    }
    cr_assert_eq(
        hed_topology_create(s->triangles, s->triangle_count, s->point_count, &s->topology, NULL),
        HED_OK);
    cr_assert_eq(hed_surface_tree_create(&s->tree, s->triangles, 0, &s->topology, s->rest, NULL),
                 HED_OK);
}

static void free_sheet(Sheet* s) {
    hed_free(s->triangles);
    hed_free(s->rest);
    hed_free(s->start);
    hed_free(s->end);
    hed_free(s->reach);
    hed_surface_tree_free(&s->tree);
    hed_topology_free(&s->topology);
}

// Waves of the given height at a phase.
static void wave(const Sheet* s, double height, double phase, HedVec3* x) {
    for (int32_t i = 0; i < s->point_count; ++i) {
        HedVec3 p = s->rest[i];
        p.z = height * (sin(7.0 * p.x + 3.0 * p.y + phase) + 0.5 * sin(11.0 * p.y - phase));
        x[i] = p;
    }
}

static void shake(const Sheet* s, uint64_t seed, double size, HedVec3* x) {
    for (int32_t i = 0; i < s->point_count; ++i) {
        double* v = &x[i].x;
        for (uint64_t k = 0; k < 3; ++k) {
            v[k] += size * (hed_random_uniform(seed, k, (uint64_t)i) - 0.5);
        }
    }
}

static void run(Sheet* s, const bool* is_new, const HedTeam* team, HedPairs* pairs) {
    HedSweep sweep = {s->start, s->end, s->reach, is_new};
    hed_surface_tree_refit(&s->tree, &sweep, team);
    cr_assert_eq(hed_surface_tree_find(&s->tree, team, pairs, NULL), HED_OK);
}

static void corners_of_face(const Sheet* s, HedPair pair, int32_t p[4]) {
    p[0] = pair.a;
    memcpy(p + 1, s->triangles + 3 * pair.b, 3 * sizeof(int32_t));
}

static void corners_of_edges(const Sheet* s, HedPair pair, int32_t p[4]) {
    const HedMeshEdge* e = s->topology.edges;
    p[0] = e[pair.a].a;
    p[1] = e[pair.a].b;
    p[2] = e[pair.b].a;
    p[3] = e[pair.b].b;
}

static bool meets(const Sheet* s, HedMeeting meeting, const int32_t p[4]) {
    HedVec3 start[4], end[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = s->start[p[k]];
        end[k] = s->end[p[k]];
    }
    HedImpact impact;
    return hed_impact(meeting, start, end, 0.0, &impact);
}

// Marks of pairs found; each at most once.
static uint8_t* mark(const HedPair* list, int32_t count, int32_t rows, int32_t columns) {
    uint8_t* marks = HED_NEW_ARRAY(uint8_t, (int64_t)rows * columns);
    for (int32_t k = 0; k < count; ++k) {
        uint8_t* m = &marks[(int64_t)list[k].a * columns + list[k].b];
        cr_assert_eq(*m, 0, "found twice");
        *m = 1;
    }
    return marks;
}

// Every pair that meets is among those found, whether patches are culled or not.
static int32_t assert_complete(Sheet* s, const HedPairs* pairs, const bool* is_new) {
    int32_t edges = s->topology.edge_count;
    uint8_t* faces_found =
        mark(pairs->faces.data, pairs->faces.count, s->point_count, s->triangle_count);
    uint8_t* edges_found = mark(pairs->edges.data, pairs->edges.count, edges, edges);
    int32_t hits = 0;
    int32_t p[4];
    for (int32_t i = 0; i < s->point_count; ++i) {
        for (int32_t t = 0; t < s->triangle_count; ++t) {
            corners_of_face(s, (HedPair){i, t}, p);
            bool is_own = p[0] == p[1] || p[0] == p[2] || p[0] == p[3];
            bool counts = !is_new || is_new[p[0]] || is_new[p[1]] || is_new[p[2]] || is_new[p[3]];
            if (!is_own && counts && meets(s, HED_POINT_TRIANGLE, p)) {
                cr_assert(faces_found[(int64_t)i * s->triangle_count + t], "point %d face %d", i,
                          t);
                ++hits;
            }
        }
    }
    for (int32_t e = 0; e < edges; ++e) {
        for (int32_t f = e + 1; f < edges; ++f) {
            corners_of_edges(s, (HedPair){e, f}, p);
            bool is_own = p[0] == p[2] || p[0] == p[3] || p[1] == p[2] || p[1] == p[3];
            bool counts = !is_new || is_new[p[0]] || is_new[p[1]] || is_new[p[2]] || is_new[p[3]];
            if (!is_own && counts && meets(s, HED_SEGMENT_SEGMENT, p)) {
                cr_assert(edges_found[(int64_t)e * edges + f], "edges %d and %d", e, f);
                ++hits;
            }
        }
    }
    hed_free(faces_found);
    hed_free(edges_found);
    return hits;
}

// From a calm to a violent motion; the sheet folds over itself in the latter.
Test(surface_tree, nothing_that_meets_is_left_out) {
    Sheet s;
    make_sheet(14, &s);
    HedPairs pairs = {0};
    int32_t hits = 0;
    for (uint64_t k = 0; k < 24; ++k) {
        double size = 0.02 * (double)(k + 1) * (double)(k + 1) / 24.0;
        wave(&s, 0.15, 0.3 * (double)k, s.start);
        shake(&s, k, 0.3 * size, s.start);
        memcpy(s.end, s.start, (size_t)s.point_count * sizeof(HedVec3));
        shake(&s, 100 + k, size, s.end);
        if (k % 4 == 3) { // a fold: half of it swings over
            for (int32_t i = 0; i < s.point_count; ++i) {
                if (s.rest[i].x > 0.5) {
                    s.end[i].x = 1.0 - s.end[i].x;
                    s.end[i].z = 0.1 - s.end[i].z;
                }
            }
        }
        for (int culling = 0; culling < 2; ++culling) {
            s.tree.enable_culling = culling == 1;
            run(&s, NULL, &ONE, &pairs);
            hits += assert_complete(&s, &pairs, NULL);
        }
    }
    cr_assert_gt(hits, 10000);
    bool* is_new = HED_NEW_ARRAY(bool, s.point_count);
    is_new[77] = is_new[78] = true;
    run(&s, is_new, &ONE, &pairs);
    cr_assert_gt(assert_complete(&s, &pairs, is_new), 0);
    hed_free(is_new);
    hed_pairs_free(&pairs);
    free_sheet(&s);
}

Test(surface_tree, same_pairs_for_any_number_of_threads) {
    Sheet s;
    make_sheet(60, &s);
    wave(&s, 0.2, 0.0, s.start);
    wave(&s, 0.2, 0.1, s.end);
    shake(&s, 5, 0.1, s.end);
    HedPairs one = {0};
    HedPairs more = {0};
    run(&s, NULL, &ONE, &one);
    cr_assert_gt(one.faces.count, 100);
    for (int k = 0; k < 2; ++k) {
        run(&s, NULL, k == 0 ? &TWO : &THREE, &more);
        cr_assert_eq(one.faces.count, more.faces.count);
        cr_assert_eq(one.edges.count, more.edges.count);
        cr_assert_arr_eq(one.faces.data, more.faces.data,
                         (size_t)one.faces.count * sizeof(HedPair));
        cr_assert_arr_eq(one.edges.data, more.edges.data,
                         (size_t)one.edges.count * sizeof(HedPair));
    }
    hed_pairs_free(&one);
    hed_pairs_free(&more);
    free_sheet(&s);
}

static bool root_is_clear(Sheet* s) {
    HedSweep sweep = {s->start, s->end, s->reach, NULL};
    hed_surface_tree_refit(&s->tree, &sweep, &ONE);
    return hed_surface_node_is_clear(&s->tree, 0);
}

// A flat sheet in any direction is clear; a rolled one, one with crossing edges, and one that is
// only upside down at the end are not.
Test(surface_tree, culling) {
    Sheet s;
    make_sheet(12, &s);
    for (int32_t k = 0; k < HED_DIRECTIONS; ++k) {
        HedVec3 d = hed_surface_direction(k);
        HedVec3 u = hed_perpendicular3(d);
        HedVec3 v = hed_cross3(d, u);
        for (int32_t i = 0; i < s.point_count; ++i) {
            s.start[i] = hed_add3(hed_mul3(s.rest[i].x, u), hed_mul3(s.rest[i].y, v));
            s.end[i] = s.start[i];
        }
        cr_assert(root_is_clear(&s));
    }
    for (int32_t i = 0; i < s.point_count; ++i) {
        double angle = 5.0 * s.rest[i].x;
        s.end[i] = (HedVec3){cos(angle), s.rest[i].y, sin(angle)};
    }
    cr_assert(!root_is_clear(&s));
    memcpy(s.start, s.end, (size_t)s.point_count * sizeof(HedVec3));
    cr_assert(!root_is_clear(&s));
    // A spiral ramp of 1.5 turns: all normals lean upwards, but it lies above itself.
    for (int32_t i = 0; i < s.point_count; ++i) {
        double angle = 9.4 * s.rest[i].x;
        double radius = 0.5 + s.rest[i].y;
        s.start[i] = (HedVec3){radius * cos(angle), radius * sin(angle), 0.05 * angle};
        s.end[i] = s.start[i];
    }
    HedSweep sweep = {s.start, s.end, s.reach, NULL};
    hed_surface_tree_refit(&s.tree, &sweep, &ONE);
    cr_assert_neq(s.tree.facing[0], 0);
    cr_assert(!hed_surface_node_is_clear(&s.tree, 0));
    for (int32_t i = 0; i < s.point_count; ++i) {
        s.start[i] = s.rest[i];
        s.end[i] = (HedVec3){1.0 - s.rest[i].x, s.rest[i].y, 0.0};
    }
    cr_assert(!root_is_clear(&s));
    free_sheet(&s);
}

Test(surface_tree, odd_meshes) {
    // Two separate triangles, a fin on a shared edge, a doubled triangle, a moebius strip.
    static const int32_t meshes[4][15] = {
        {0, 1, 2, 3, 4, 5, 5, 4, 6, 1, 3, 6, 0, 5, 6},
        {0, 1, 2, 1, 0, 3, 0, 1, 4, 2, 5, 6, 3, 4, 6},
        {0, 1, 2, 0, 1, 2, 1, 2, 3, 2, 3, 4, 4, 5, 6},
        {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1},
    };
    HedVec3 rest[7];
    for (uint64_t i = 0; i < 7; ++i) {
        rest[i] = (HedVec3){hed_random_uniform(1, 0, i), hed_random_uniform(1, 1, i), 0.0};
    }
    const double reach[7] = {0};
    for (int m = 0; m < 4; ++m) {
        HedTopology topology;
        HedSurfaceTree tree;
        HedPairs pairs = {0};
        cr_assert_eq(hed_topology_create(meshes[m], 5, 7, &topology, NULL), HED_OK);
        cr_assert_eq(hed_surface_tree_create(&tree, meshes[m], 0, &topology, rest, NULL), HED_OK);
        HedSweep sweep = {rest, rest, reach, NULL};
        hed_surface_tree_refit(&tree, &sweep, &ONE);
        cr_assert_eq(hed_surface_tree_find(&tree, &ONE, &pairs, NULL), HED_OK);
        hed_pairs_free(&pairs);
        hed_surface_tree_free(&tree);
        hed_topology_free(&topology);
    }
    HedTopology none;
    HedSurfaceTree tree;
    HedPairs pairs = {0};
    cr_assert_eq(hed_topology_create(NULL, 0, 0, &none, NULL), HED_OK);
    cr_assert_eq(hed_surface_tree_create(&tree, NULL, 0, &none, NULL, NULL), HED_OK);
    HedSweep sweep = {rest, rest, reach, NULL};
    hed_surface_tree_refit(&tree, &sweep, &ONE);
    cr_assert_eq(hed_surface_tree_find(&tree, &ONE, &pairs, NULL), HED_OK);
    cr_assert_eq(pairs.faces.count + pairs.edges.count, 0);
    hed_pairs_free(&pairs);
    hed_surface_tree_free(&tree);
    hed_topology_free(&none);
}

Test(surface_tree, no_memory) {
    Sheet s;
    make_sheet(10, &s);
    wave(&s, 1.0, 0.0, s.start);
    shake(&s, 1, 0.5, s.start);
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedSurfaceTree tree;
        HedPairs pairs = {0};
        hed_alloc_fail_at(n);
        status = hed_surface_tree_create(&tree, s.triangles, 0, &s.topology, s.rest, NULL);
        if (status == HED_OK) {
            HedSweep sweep = {s.start, s.start, s.reach, NULL};
            hed_surface_tree_refit(&tree, &sweep, &ONE);
            status = hed_surface_tree_find(&tree, &ONE, &pairs, NULL);
        }
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert(status != HED_OK || n > 20);
        hed_surface_tree_free(&tree);
        hed_pairs_free(&pairs);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    free_sheet(&s);
}
