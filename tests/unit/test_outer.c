// SPDX-License-Identifier: MIT
// Distance fields of meshes that pass through themselves.
#include "base/alloc.h"
#include "base/random.h"
#include "geom/mesh_field.h"
#include "geom/shape_mesh.h"

#include <criterion/criterion.h>

// Of distances of about 1 m: some dozens of operations, 1e-16 each.
static const double ROUNDING = 1e-14;

static const double PI = 3.14159265358979323846;

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(9, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(9, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(9, stream, 3 * i + 2) - 1.0);
}

typedef struct Shape {
    HedFieldDef def;
    HedVec3 at;         // m
    bool is_inside_out; // a cavity
} Shape;

enum { MOST_VERTICES = 8192, MOST_TRIANGLES = 16384 };

typedef struct Mesh {
    HedVec3 vertices[MOST_VERTICES];
    int32_t triangles[3 * MOST_TRIANGLES];
    int32_t vertex_count, triangle_count;
} Mesh;

// All of them in one mesh.
static void join(const Shape* shapes, int count, Mesh* mesh) {
    mesh->vertex_count = 0;
    mesh->triangle_count = 0;
    for (int s = 0; s < count; ++s) {
        HedMesh one;
        cr_assert_eq(hed_shape_mesh_create(&shapes[s].def, 1.0, &one, NULL), HED_OK);
        cr_assert_leq(mesh->vertex_count + one.vertex_count, MOST_VERTICES);
        cr_assert_leq(mesh->triangle_count + one.triangle_count, MOST_TRIANGLES);
        int32_t* triangles = mesh->triangles + 3 * mesh->triangle_count;
        for (int32_t k = 0; k < 3 * one.triangle_count; ++k) {
            int32_t from = shapes[s].is_inside_out ? 3 * one.triangle_count - 1 - k : k;
            triangles[k] = mesh->vertex_count + one.triangles[from];
        }
        for (int32_t k = 0; k < one.vertex_count; ++k) {
            mesh->vertices[mesh->vertex_count++] = hed_add3(shapes[s].at, one.vertices[k]);
        }
        mesh->triangle_count += one.triangle_count;
        hed_free(one.vertices);
        hed_free(one.triangles);
    }
}

static HedMeshField* field_of(const Shape* shapes, int count) {
    static Mesh mesh;
    HedMeshField* field;
    HedError error = {0};
    join(shapes, count, &mesh);
    HedStatus status = hed_mesh_field_create(mesh.vertices, mesh.vertex_count, mesh.triangles,
                                             mesh.triangle_count, &field, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return field;
}

static double distance_at(const HedMeshField* field, HedVec3 p) {
    return hed_mesh_field_sample(field, p).distance;
}

// Signed distance to the union of two spheres of the same radius. Inside, the nearest place is the
// foot on a sphere unless that lies in the other, or on the circle in which they meet.
static double two_spheres(HedVec3 first, HedVec3 second, double radius, HedVec3 p) {
    const HedVec3 centre[2] = {first, second};
    double outside = fmin(hed_distance3(p, first), hed_distance3(p, second)) - radius;
    if (outside >= 0.0) {
        return outside;
    }
    HedVec3 axis = hed_unit3(hed_sub3(second, first), (HedVec3){0});
    HedVec3 middle = hed_lerp3(first, second, 0.5);
    double half = 0.5 * hed_distance3(first, second);
    double along = hed_dot3(axis, hed_sub3(p, middle));
    double around = hed_norm3(hed_madd3(hed_sub3(p, middle), -along, axis));
    double nearest = hypot(along, around - sqrt(radius * radius - half * half));
    for (int k = 0; k < 2; ++k) {
        HedVec3 way = hed_unit3(hed_sub3(p, centre[k]), hed_vec3(0.0, 1.0, 0.0));
        HedVec3 foot = hed_madd3(centre[k], radius, way);
        if (hed_distance3(p, centre[k]) < radius && hed_distance3(foot, centre[1 - k]) >= radius) {
            nearest = fmin(nearest, radius - hed_distance3(p, centre[k]));
        }
    }
    return -nearest;
}

// The surface of the mesh lies within its sagitta inside of that of the spheres, on either; where
// they meet, the normals of both turn from the circle's plane by asin(half / radius), so that place
// is off by up to sagitta / cos of that. Distances to two surfaces differ by no more than these.
Test(outer, two_spheres_that_overlap) {
    const double radius = 0.7;
    HedFieldDef def = {.shape = HED_SPHERE, .radius = radius};
    Shape shapes[2] = {{.def = def, .at = {-0.3, 0.1, 0.05}},
                       {.def = def, .at = {0.35, -0.1, 0.2}}};
    HedMeshField* field = field_of(shapes, 2);
    double half = 0.5 * hed_distance3(shapes[0].at, shapes[1].at);
    double off = 2.0 * radius * (1.0 - cos(PI / 48.0)) / sqrt(1.0 - half * half / radius / radius);
    int overlap = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        HedVec3 p = hed_mul3(1.2, random_point(1, i));
        double exact = two_spheres(shapes[0].at, shapes[1].at, radius, p);
        double found = distance_at(field, p);
        // off: see above
        cr_assert_float_eq(found, exact, off, "at (%g %g %g): %g, not %g", p.x, p.y, p.z, found,
                           exact);
        overlap +=
            hed_distance3(p, shapes[0].at) < radius && hed_distance3(p, shapes[1].at) < radius;
    }
    cr_assert_gt(overlap, 500); // some 5 % of the cube
    hed_mesh_field_free(field);
}

typedef struct Rectangle {
    HedVec3 low, high;
} Rectangle;

// All that is left of the sides of a bar |x| <= 3, |y|, |z| <= 1 that is stuck through a plate
// |x| <= 1, |y| <= 3, |z| <= 2, for x >= 0: the rest is its mirror image.
static const Rectangle BAR_AND_PLATE[] = {
    {{3, -1, -1}, {3, 1, 1}},  {{1, -1, -1}, {3, -1, 1}}, {{1, 1, -1}, {3, 1, 1}},
    {{1, -1, -1}, {3, 1, -1}}, {{1, -1, 1}, {3, 1, 1}},   {{0, -3, -2}, {1, -3, 2}},
    {{0, 3, -2}, {1, 3, 2}},   {{0, -3, -2}, {1, 3, -2}}, {{0, -3, 2}, {1, 3, 2}},
    {{1, -3, -2}, {1, -1, 2}}, {{1, 1, -2}, {1, 3, 2}},   {{1, -1, -2}, {1, 1, -1}},
    {{1, -1, 1}, {1, 1, 2}},
};

static double bar_and_plate(HedVec3 p) {
    bool is_inside = (fabs(p.x) < 3.0 && fabs(p.y) < 1.0 && fabs(p.z) < 1.0) ||
                     (fabs(p.x) < 1.0 && fabs(p.y) < 3.0 && fabs(p.z) < 2.0);
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < sizeof BAR_AND_PLATE / sizeof BAR_AND_PLATE[0]; ++k) {
        HedBox box = {BAR_AND_PLATE[k].low, BAR_AND_PLATE[k].high};
        HedVec3 q = {fabs(p.x), p.y, p.z};
        nearest = fmin(nearest, hed_distance3(q, hed_box_clamp(box, q)));
    }
    return is_inside ? -nearest : nearest;
}

static HedMeshField* bar_through_plate(void) {
    Shape shapes[2] = {{.def = {.shape = HED_BOX, .half_size = {3, 1, 1}}},
                       {.def = {.shape = HED_BOX, .half_size = {1, 3, 2}}}};
    return field_of(shapes, 2);
}

Test(outer, bar_through_a_plate) {
    HedMeshField* field = bar_through_plate();
    // The middle is 1 from each side of the bar, all inside; the edges of the holes are nearest.
    cr_assert_float_eq(distance_at(field, hed_vec3(0, 0, 0)), -sqrt(2.0), ROUNDING);
    for (uint64_t i = 0; i < 20000; ++i) {
        HedVec3 p = hed_mul3(4.0, random_point(2, i));
        HedFieldSample sample = hed_mesh_field_sample(field, p);
        double exact = bar_and_plate(p);
        cr_assert_float_eq(sample.distance, exact, 10.0 * ROUNDING, "at (%g %g %g): %g, not %g",
                           p.x, p.y, p.z, sample.distance, exact); // of places of some metres
        // Along the normal the distance falls to nothing; places of some metres, as above.
        HedVec3 foot = hed_madd3(p, -sample.distance, sample.normal);
        cr_assert_float_eq(bar_and_plate(foot), 0.0, 10.0 * ROUNDING);
    }
    hed_mesh_field_free(field);
}

// near and within are told by the same surface.
Test(outer, near_and_within_agree_with_sample) {
    HedMeshField* field = bar_through_plate();
    const double radii[4] = {0.0, 0.1, 1.0, HUGE_VAL};
    for (uint64_t i = 0; i < 4000; ++i) {
        HedVec3 p = hed_mul3(4.0, random_point(3, i));
        double distance = distance_at(field, p);
        for (int r = 0; r < 4; ++r) {
            HedFieldSample sample;
            cr_assert_eq(hed_mesh_field_sample_near(field, p, radii[r], &sample),
                         distance <= radii[r]);
            cr_assert_eq(hed_mesh_field_sample_within(field, p, radii[r], &sample),
                         fabs(distance) <= radii[r]);
        }
    }
    hed_mesh_field_free(field);
}

// The bar's long edges are ridges but where they are inside of the plate: none of them begins and
// ends there, for each is cut.
Test(outer, what_lies_inside_has_no_ridges) {
    Shape shapes[2] = {{.def = {.shape = HED_BOX, .half_size = {3, 3, 3}}},
                       {.def = {.shape = HED_BOX, .half_size = {1, 1, 1}}, .at = {0.5, 0, 0}}};
    HedMeshField* field = field_of(shapes, 2);
    int edges = 0;
    int corners = 0;
    for (int32_t t = 0; t < 24; ++t) {
        HedMeshRidges ridges = hed_mesh_field_ridges(field, t);
        for (unsigned k = 0; k < 3; ++k) {
            edges += (int)(ridges.edges >> k & 1U);
            corners += (int)(ridges.corners >> k & 1U);
        }
    }
    cr_assert_eq(edges, 12); // of the large box alone
    cr_assert_eq(corners, 8);
    cr_assert_float_eq(distance_at(field, hed_vec3(1.75, 0, 0)), -1.25, ROUNDING);
    cr_assert_float_eq(distance_at(field, hed_vec3(0.5, 0, 0)), -2.5, ROUNDING);
    hed_mesh_field_free(field);
}

// A cavity runs the other way round: there is nothing in it.
Test(outer, a_cavity_stays) {
    Shape shapes[2] = {{.def = {.shape = HED_BOX, .half_size = {3, 3, 3}}},
                       {.def = {.shape = HED_BOX, .half_size = {1, 1, 1}},
                        .at = {0.5, 0, 0},
                        .is_inside_out = true}};
    HedMeshField* field = field_of(shapes, 2);
    cr_assert_float_eq(distance_at(field, hed_vec3(1.75, 0, 0)), -0.25, ROUNDING);
    cr_assert_float_eq(distance_at(field, hed_vec3(0.5, 0, 0.25)), 0.75, ROUNDING);
    hed_mesh_field_free(field);
}

// A box stands on another: what they touch with is inside, and no outside.
Test(outer, boxes_that_touch) {
    Shape shapes[2] = {
        {.def = {.shape = HED_BOX, .half_size = {2, 1, 2}}},
        {.def = {.shape = HED_BOX, .half_size = {0.5, 1, 0.5}}, .at = {0.1, 2, 0.2}}};
    HedMeshField* field = field_of(shapes, 2);
    for (int k = -10; k <= 10; ++k) {
        // On the axis of the upper box its sides are 0.5 away, the edges at its foot farther.
        HedVec3 p = hed_vec3(0.1, 1.0 + 0.049 * k, 0.2);
        double exact = k >= 0 ? -0.5 : -hypot(0.5, 0.049 * k);
        cr_assert_float_eq(distance_at(field, p), exact, ROUNDING, "%d: %g", k,
                           distance_at(field, p));
    }
    cr_assert_float_eq(distance_at(field, hed_vec3(-1.0, 1.25, 0.2)), 0.25, ROUNDING);
    hed_mesh_field_free(field);
}

Test(outer, no_memory_at_any_allocation) {
    static Mesh mesh;
    Shape shapes[2] = {{.def = {.shape = HED_BOX, .half_size = {3, 1, 1}}},
                       {.def = {.shape = HED_BOX, .half_size = {1, 3, 2}}}};
    join(shapes, 2, &mesh);
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int n = 1;
    for (; status != HED_OK && n < 1000; ++n) {
        HedMeshField* field;
        hed_alloc_fail_at(n);
        status = hed_mesh_field_create(mesh.vertices, mesh.vertex_count, mesh.triangles,
                                       mesh.triangle_count, &field, NULL);
        hed_alloc_fail_at(0);
        if (status == HED_OK) {
            cr_assert_float_eq(distance_at(field, hed_vec3(0, 0, 0)), -sqrt(2.0), ROUNDING);
            hed_mesh_field_free(field);
        } else {
            cr_assert_eq(status, HED_NO_MEMORY);
        }
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_gt(n, 30); // the field of one box alone makes some 20
}
