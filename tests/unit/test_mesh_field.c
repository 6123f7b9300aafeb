// SPDX-License-Identifier: MIT
#include "geom/mesh_field.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/timer.h"
#include "geom/closest.h"
#include "geom/shape_mesh.h"
#include "geom/solid.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Of distances and places of about 1 m, of normals: some dozens of operations, 1e-16 each.
static const double ROUNDING = 1e-14;

static const double PI = 3.14159265358979323846;

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(9, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(9, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(9, stream, 3 * i + 2) - 1.0);
}

static void free_mesh(HedMesh* mesh) {
    hed_free(mesh->vertices);
    hed_free(mesh->triangles);
}

static HedMesh mesh_of(HedFieldDef def) {
    HedMesh mesh;
    cr_assert_eq(hed_shape_mesh_create(&def, 1.0, &mesh, NULL), HED_OK);
    return mesh;
}

static HedMeshField* field_of(const HedMesh* mesh) {
    HedMeshField* field;
    HedError error = {0};
    HedStatus status = hed_mesh_field_create(mesh->vertices, mesh->vertex_count, mesh->triangles,
                                             mesh->triangle_count, &field, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return field;
}

// Sum of signed solid angles over 4 pi (van Oosterom and Strackee 1983): 1 inside, 0 outside a
// closed mesh.
static double winding_number(const HedMesh* mesh, HedVec3 p) {
    double sum = 0.0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles + 3 * t;
        HedVec3 a = hed_sub3(mesh->vertices[v[0]], p);
        HedVec3 b = hed_sub3(mesh->vertices[v[1]], p);
        HedVec3 c = hed_sub3(mesh->vertices[v[2]], p);
        double la = hed_norm3(a), lb = hed_norm3(b), lc = hed_norm3(c);
        double below =
            la * lb * lc + hed_dot3(a, b) * lc + hed_dot3(b, c) * la + hed_dot3(c, a) * lb;
        sum += 2.0 * atan2(hed_dot3(a, hed_cross3(b, c)), below);
    }
    return sum / (4.0 * PI);
}

static double distance_by_trying(const HedMesh* mesh, HedVec3 p) {
    double best = HUGE_VAL;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles + 3 * t;
        HedClosestTriangle found = hed_closest_triangle(p, mesh->vertices[v[0]],
                                                        mesh->vertices[v[1]], mesh->vertices[v[2]]);
        best = fmin(best, found.distance_squared);
    }
    return sqrt(best);
}

// Distance against all triangles, sign against the winding number, gradient by walking to the
// surface.
static void check_field(const HedMesh* mesh, const HedMeshField* field, HedVec3 p) {
    HedFieldSample sample = hed_mesh_field_sample(field, p);
    double expected = distance_by_trying(mesh, p);
    cr_assert_float_eq(fabs(sample.distance), expected, ROUNDING);
    if (expected > 1e-9) { // on the surface either sign is right
        bool inside = winding_number(mesh, p) > 0.5;
        cr_assert_eq(sample.distance < 0.0, inside, "at (%.17g %.17g %.17g): %g", p.x, p.y, p.z,
                     sample.distance);
    }
    cr_assert_float_eq(hed_norm3(sample.normal), 1.0, ROUNDING);
    HedVec3 foot = hed_madd3(p, -sample.distance, sample.normal);
    // Distances are roots of squares, which are rounded by 1e-16 of 1.
    cr_assert_float_eq(hed_mesh_field_sample(field, foot).distance, 0.0, 1e-8);
}

// Points everywhere, and close above and below corners, edges and faces of the mesh.
static void check_everywhere(const HedMesh* mesh, const HedMeshField* field, uint64_t count) {
    HedBox bounds = hed_mesh_field_bounds(field);
    HedVec3 centre = hed_lerp3(bounds.low, bounds.high, 0.5);
    double size = hed_distance3(bounds.low, bounds.high);
    for (uint64_t i = 0; i < count; ++i) {
        check_field(mesh, field, hed_madd3(centre, 0.7 * size, random_point(1, i)));
        const int32_t* v = mesh->triangles + 3 * (int32_t)(i % (uint64_t)mesh->triangle_count);
        HedVec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
        HedVec3 step =
            hed_mul3(pow(10.0, -1.0 - 6.0 * hed_random_uniform(9, 2, i)), random_point(3, i));
        double s = hed_random_uniform(9, 4, i), t = hed_random_uniform(9, 5, i);
        check_field(mesh, field, hed_add3(a, step));
        check_field(mesh, field, hed_add3(hed_lerp3(a, b, s), step));
        check_field(mesh, field, hed_add3(hed_lerp3(hed_lerp3(a, b, s), c, t), step));
    }
}

Test(mesh_field, distance_and_sign_of_round_and_sharp_meshes) {
    const HedFieldDef defs[4] = {
        {.shape = HED_BOX, .half_size = {0.5, 0.3, 0.8}},
        {.shape = HED_CYLINDER, .radius = 0.4, .half_length = 0.6},
        {.shape = HED_TORUS, .radius = 0.6, .minor_radius = 0.25},
        {.shape = HED_SPHERE, .radius = 0.7},
    };
    for (int d = 0; d < 4; ++d) {
        HedMesh mesh = mesh_of(defs[d]);
        HedMeshField* field = field_of(&mesh);
        check_everywhere(&mesh, field, 100);
        hed_mesh_field_free(field);
        free_mesh(&mesh);
    }
}

// A thin tetrahedron and a deep notch: corners where a face's own normal gives the wrong sign.
Test(mesh_field, sharp_corners_inward_and_outward) {
    HedVec3 spike[4] = {{0, 5, 0}, {0.1, 0, 0}, {-0.05, 0, 0.09}, {-0.05, 0, -0.09}};
    int32_t spike_triangles[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    HedMesh mesh = {
        .vertices = spike, .vertex_count = 4, .triangles = spike_triangles, .triangle_count = 4};
    HedMeshField* field = field_of(&mesh);
    cr_assert_gt(winding_number(&mesh, hed_vec3(0, 1, 0)), 0.5);
    check_everywhere(&mesh, field, 400);
    hed_mesh_field_free(field);
    // A cube whose top (y = 1) is drawn down to a point near its floor.
    HedVec3 notch[9] = {{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1},     {-1, 1, -1},
                        {1, 1, -1},   {1, 1, 1},   {-1, 1, 1}, {0.1, -0.9, 0.2}};
    int32_t notch_triangles[42] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7,
                                   2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 8, 5, 5, 8, 6, 6, 8, 7, 7, 8, 4};
    mesh = (HedMesh){
        .vertices = notch, .vertex_count = 9, .triangles = notch_triangles, .triangle_count = 14};
    field = field_of(&mesh);
    check_everywhere(&mesh, field, 200);
    hed_mesh_field_free(field);
}

// A sphere mesh lies between the sphere and the sphere less its sagitta, r (1 - cos(pi / 48)) in
// either direction.
Test(mesh_field, sphere_mesh_against_sphere) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_SPHERE, .radius = 0.7});
    HedMeshField* field = field_of(&mesh);
    double sagitta = 2.0 * 0.7 * (1.0 - cos(PI / 48.0));
    for (uint64_t i = 0; i < 3000; ++i) {
        HedVec3 p = random_point(11, i);
        double exact = hed_norm3(p) - 0.7;
        double found = hed_mesh_field_sample(field, p).distance;
        // Vertices lie on the sphere but for rounding, and places of 3 m are rounded by 4e-16 m.
        cr_assert_geq(found, exact - 4e-15);
        cr_assert_leq(found, exact + sagitta);
        cr_assert_gt(hed_dot3(hed_mesh_field_sample(field, p).normal, p),
                     hed_norm3(p) > 0.2 ? 0.9 * hed_norm3(p) : -1.0);
    }
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

Test(mesh_field, gradient_against_differences) {
    const double h = 1e-6;
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_TORUS, .radius = 0.6, .minor_radius = 0.25});
    HedMeshField* field = field_of(&mesh);
    int32_t checked = 0;
    for (uint64_t i = 0; i < 2000; ++i) {
        HedVec3 p = random_point(12, i);
        HedFieldSample sample = hed_mesh_field_sample(field, p);
        double slope[3];
        bool is_smooth = true;
        for (int k = 0; k < 3; ++k) {
            HedVec3 step = {k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0};
            double up = hed_mesh_field_sample(field, hed_add3(p, step)).distance;
            double down = hed_mesh_field_sample(field, hed_sub3(p, step)).distance;
            slope[k] = (up - down) / (2.0 * h);
            is_smooth = is_smooth && fabs(up + down - 2.0 * sample.distance) < 1e-3 * h;
        }
        if (is_smooth) {
            ++checked;
            HedVec3 numeric = {slope[0], slope[1], slope[2]};
            // A kink that passes as smooth, 1e-3 h, changes each of three slopes by half of
            // 1e-3.
            cr_assert_lt(hed_distance3(numeric, sample.normal), 1e-3);
        }
    }
    cr_assert_gt(checked, 1900);
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

Test(mesh_field, normals_on_the_surface) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    HedMeshField* field = field_of(&mesh);
    HedFieldSample face = hed_mesh_field_sample(field, hed_vec3(0.3, 1.0, 0.4));
    cr_assert_lt(hed_distance3(face.normal, hed_vec3(0, 1, 0)), ROUNDING);
    HedFieldSample edge = hed_mesh_field_sample(field, hed_vec3(0.3, 1.0, 1.0));
    cr_assert_lt(hed_distance3(edge.normal, hed_vec3(0, sqrt(0.5), sqrt(0.5))), ROUNDING);
    HedFieldSample corner = hed_mesh_field_sample(field, hed_vec3(1.0, 1.0, -1.0));
    double third = sqrt(1.0 / 3.0); // angles weigh the three sides alike, however they are cut
    cr_assert_lt(hed_distance3(corner.normal, hed_vec3(third, third, -third)), ROUNDING);
    cr_assert_float_eq(corner.distance, 0.0, 0.1 * ROUNDING);
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

// near is true exactly for signed distances up to the radius, deep inside as well.
Test(mesh_field, near_agrees_with_sample) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_TORUS, .radius = 0.6, .minor_radius = 0.25});
    HedMeshField* field = field_of(&mesh);
    const double radii[5] = {0.0, 1e-3, 0.05, 0.4, HUGE_VAL};
    for (uint64_t i = 0; i < 4000; ++i) {
        HedVec3 p = hed_mul3(i % 7 == 0 ? 3.0 : 1.0, random_point(13, i));
        HedFieldSample sample = hed_mesh_field_sample(field, p);
        for (int r = 0; r < 5; ++r) {
            HedFieldSample near = {99.0, {0, 0, 0}};
            bool is_near = hed_mesh_field_sample_near(field, p, radii[r], &near);
            cr_assert_eq(is_near, sample.distance <= radii[r]);
            cr_assert_eq(near.distance, is_near ? sample.distance : 99.0);
        }
        HedFieldSample near;
        cr_assert_eq(hed_mesh_field_sample_near(field, p, -0.1, &near), sample.distance <= -0.1);
    }
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

Test(mesh_field, points_that_are_not_finite) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    HedMeshField* field = field_of(&mesh);
    const double bad[2] = {(double)NAN, HUGE_VAL};
    for (int i = 0; i < 2; ++i) {
        HedFieldSample sample = hed_mesh_field_sample(field, hed_vec3(0, bad[i], 0));
        cr_assert(isnan(sample.distance));
        cr_assert_eq(sample.normal.y, 1.0);
        cr_assert(!hed_mesh_field_sample_near(field, hed_vec3(bad[i], 0, 0), HUGE_VAL, &sample));
    }
    HedFieldSample far = hed_mesh_field_sample(field, hed_vec3(1e100, 0, 0));
    cr_assert_float_eq(far.distance, 1e100, 1e85); // a few roundings
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

Test(mesh_field, inside_out_is_turned_back) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_TORUS, .radius = 0.6, .minor_radius = 0.25});
    for (int32_t t = 0; t < mesh.triangle_count; ++t) {
        int32_t corner = mesh.triangles[3 * t];
        mesh.triangles[3 * t] = mesh.triangles[3 * t + 1];
        mesh.triangles[3 * t + 1] = corner;
    }
    HedMeshField* field = field_of(&mesh);
    cr_assert_lt(hed_mesh_field_sample(field, hed_vec3(0.6, 0, 0)).distance, -0.2);
    cr_assert_gt(hed_mesh_field_sample(field, hed_vec3(0, 0, 0)).distance, 0.3);
    cr_assert_gt(hed_mesh_field_sample(field, hed_vec3(0.6, 0.3, 0)).normal.y, 0.9);
    // Close to an edge, so the neighbours must have been turned as well.
    HedVec3 vertex = mesh.vertices[5];
    for (uint64_t i = 0; i < 300; ++i) {
        HedVec3 p = hed_madd3(vertex, 0.02, random_point(14, i));
        bool inside = winding_number(&mesh, p) < -0.5;
        cr_assert_eq(hed_mesh_field_sample(field, p).distance < 0.0, inside);
    }
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

// Every triangle with vertices of its own, plus collapsed ones and vertices not used: one solid.
Test(mesh_field, joins_vertices_at_equal_places) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {0.5, 0.3, 0.8}});
    HedVec3 vertices[12 * 3 + 2];
    int32_t triangles[(12 + 1) * 3];
    for (int32_t i = 0; i < 36; ++i) {
        vertices[i] = mesh.vertices[mesh.triangles[i]];
        triangles[i] = i;
    }
    vertices[36] = hed_vec3(50, 0, 0);
    vertices[37] = vertices[0];
    triangles[36] = 0;
    triangles[37] = 37;
    triangles[38] = 1;
    HedMesh split = {
        .vertices = vertices, .vertex_count = 38, .triangles = triangles, .triangle_count = 13};
    HedSolid solid;
    cr_assert_eq(hed_solid_create(vertices, 38, triangles, 13, &solid, NULL), HED_OK);
    cr_assert_eq(solid.vertex_count, 8);
    cr_assert_eq(solid.triangle_count, 12);
    cr_assert_float_eq(solid.volume, 8.0 * 0.5 * 0.3 * 0.8, ROUNDING);
    hed_solid_free(&solid);
    HedMeshField* field = field_of(&split);
    check_everywhere(&mesh, field, 100);
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

// One edge of a cube is split in the middle on one side only; a triangle without area closes it.
Test(mesh_field, triangles_without_area) {
    HedVec3 vertices[9] = {{-1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1},
                           {1, -1, 1},   {1, 1, -1},  {1, 1, 1},   {0, 1, 1}};
    // Top (y = 1) uses edge 3-7 through 8, the front (z = 1) directly.
    int32_t triangles[42] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 8,
                             2, 8, 6, 8, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3, 3, 7, 8};
    HedMesh mesh = {
        .vertices = vertices, .vertex_count = 9, .triangles = triangles, .triangle_count = 14};
    HedMeshField* field = field_of(&mesh);
    check_everywhere(&mesh, field, 500);
    hed_mesh_field_free(field);
}

static void assert_refused(const HedMesh* mesh, const char* word) {
    HedMeshField* field;
    HedError error = {0};
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = hed_mesh_field_create(mesh->vertices, mesh->vertex_count, mesh->triangles,
                                             mesh->triangle_count, &field, &error);
    cr_assert_eq(status, HED_INVALID, "expected: %s", word);
    cr_assert_not_null(strstr(error.message, word), "%s", error.message);
    cr_assert_null(field);
    cr_assert_eq(hed_alloc_stats().live_count, live);
}

Test(mesh_field, refuses_what_is_not_a_solid) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    HedMesh bad = mesh;
    bad.triangle_count = 11;
    assert_refused(&bad, "closed");
    assert_refused(&bad, "vertices 1 and"); // triangles 1 7 3 is the one left out
    bad.triangle_count = 0;
    assert_refused(&bad, "triangles");
    bad.triangle_count = 12;
    bad.vertices = NULL;
    assert_refused(&bad, "vertices");
    int32_t triangles[42];
    bad = mesh;
    bad.triangles = triangles;
    memcpy(triangles, mesh.triangles, 36 * sizeof(int32_t));
    triangles[0] = mesh.triangles[1];
    triangles[1] = mesh.triangles[0];
    assert_refused(&bad, "same way");
    triangles[0] = 8;
    assert_refused(&bad, "triangle 0");
    memcpy(triangles, mesh.triangles, 36 * sizeof(int32_t));
    memcpy(triangles + 36, mesh.triangles, 3 * sizeof(int32_t));
    bad.triangle_count = 13;
    assert_refused(&bad, "again");
    free_mesh(&mesh);
    // A square folded onto itself has no volume; neither has a mesh of collapsed triangles.
    HedVec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    int32_t both_sides[12] = {0, 1, 2, 0, 2, 3, 1, 0, 3, 1, 3, 2};
    bad = (HedMesh){
        .vertices = square, .vertex_count = 4, .triangles = both_sides, .triangle_count = 4};
    assert_refused(&bad, "volume");
    for (int i = 0; i < 12; ++i) {
        both_sides[i] = 0;
    }
    assert_refused(&bad, "volume");
    square[3].z = (double)NAN;
    assert_refused(&bad, "vertex 3");
    square[3].z = HUGE_VAL;
    assert_refused(&bad, "vertex 3");
}

// Two cubes that share an edge: four triangles meet there.
Test(mesh_field, refuses_edges_of_four_triangles) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    HedVec3 vertices[16];
    int32_t triangles[72];
    for (int32_t i = 0; i < 8; ++i) {
        vertices[i] = mesh.vertices[i];
        vertices[8 + i] = hed_add3(mesh.vertices[i], hed_vec3(2, 2, 0));
    }
    for (int32_t i = 0; i < 36; ++i) {
        triangles[i] = mesh.triangles[i];
        triangles[36 + i] = 8 + mesh.triangles[i];
    }
    HedMesh two = {
        .vertices = vertices, .vertex_count = 16, .triangles = triangles, .triangle_count = 24};
    assert_refused(&two, "has 4 triangles");
    // Apart they are fine.
    for (int32_t i = 8; i < 16; ++i) {
        vertices[i].x += 1.0;
    }
    HedMeshField* field = field_of(&two);
    check_everywhere(&two, field, 50);
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

Test(mesh_field, no_memory_at_any_allocation) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int n = 1;
    for (; status != HED_OK && n < 1000; ++n) {
        HedMeshField* field;
        hed_alloc_fail_at(n);
        status = hed_mesh_field_create(mesh.vertices, mesh.vertex_count, mesh.triangles,
                                       mesh.triangle_count, &field, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        hed_mesh_field_free(field);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_gt(n, 25);
    cr_assert_eq(status, HED_OK);
    free_mesh(&mesh);
}

// Bumpy sphere of 2 * rings * around triangles or so.
static HedMesh bumpy_sphere(int32_t around, int32_t rings) {
    HedMesh mesh = {.vertex_count = around * rings + 2, .triangle_count = 2 * around * rings};
    mesh.vertices = HED_NEW_ARRAY(HedVec3, mesh.vertex_count);
    mesh.triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)mesh.triangle_count);
    int32_t last = mesh.vertex_count - 1;
    mesh.vertices[0] = hed_vec3(0, 1, 0);
    mesh.vertices[last] = hed_vec3(0, -1, 0);
    int32_t* next = mesh.triangles;
    for (int32_t r = 0; r < rings; ++r) {
        double polar = PI * (r + 1) / (rings + 1);
        for (int32_t i = 0; i < around; ++i) {
            double angle = 2.0 * PI * i / around;
            double radius = 1.0 + 0.1 * sin(7.0 * angle) * sin(polar) * sin(5.0 * polar);
            int32_t here = 1 + r * around + i;
            int32_t beside = 1 + r * around + (i + 1) % around;
            mesh.vertices[here] = hed_mul3(
                radius, hed_vec3(sin(polar) * cos(angle), cos(polar), sin(polar) * sin(angle)));
            int32_t top[3] = {r > 0 ? here - around : 0, beside, here};
            int32_t bottom[3] = {here, beside, r + 1 < rings ? beside + around : last};
            memcpy(next, top, sizeof(top));
            memcpy(next + 3, bottom, sizeof(bottom));
            next += 6;
        }
    }
    return mesh;
}

Test(mesh_field, large_mesh_and_its_speed) {
    HedMesh mesh = bumpy_sphere(400, 200);
    double begin = hed_time_now();
    HedMeshField* field = field_of(&mesh);
    double built = hed_time_now() - begin;
    enum { N = 20000 };
    static HedVec3 near[N], far[N];
    for (uint64_t i = 0; i < N; ++i) {
        HedVec3 p = mesh.vertices[hed_philox((HedRandom4){{(uint32_t)i, 0, 0, 0}}, 1, 1).word[0] %
                                  (uint32_t)mesh.vertex_count];
        near[i] = hed_madd3(p, 0.01, random_point(21, i));
        far[i] = random_point(22, i);
    }
    double sum = 0.0;
    begin = hed_time_now();
    for (int32_t i = 0; i < N; ++i) {
        HedFieldSample sample = {0};
        hed_mesh_field_sample_near(field, near[i], 0.02, &sample);
        sum += sample.distance;
    }
    double near_time = (hed_time_now() - begin) / N;
    begin = hed_time_now();
    for (int32_t i = 0; i < N; ++i) {
        sum += hed_mesh_field_sample(field, far[i]).distance;
    }
    double far_time = (hed_time_now() - begin) / N;
    begin = hed_time_now();
    for (int32_t i = 0; i < N; ++i) {
        HedFieldSample sample = {0};
        hed_mesh_field_sample_near(field, hed_mul3(2.0, far[i]), 0.02, &sample);
        sum += sample.distance;
    }
    double reject_time = (hed_time_now() - begin) / N;
    printf("%d triangles: built in %.0f ms; near %.2f us, anywhere %.2f us, mostly rejected %.2f "
           "us (sum %g)\n",
           mesh.triangle_count, 1e3 * built, 1e6 * near_time, 1e6 * far_time, 1e6 * reject_time,
           sum);
    for (uint64_t i = 0; i < 20; ++i) {
        check_field(&mesh, field, near[i]);
        check_field(&mesh, field, far[i]);
    }
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}

// A box has 12 ridges and 8 corners, each told of once; the diagonals of its sides are flat.
Test(mesh_field, ridges_of_a_box) {
    HedMesh mesh = mesh_of((HedFieldDef){.shape = HED_BOX, .half_size = {0.1, 0.2, 0.3}});
    HedMeshField* field = NULL;
    cr_assert_eq(hed_mesh_field_create(mesh.vertices, mesh.vertex_count, mesh.triangles,
                                       mesh.triangle_count, &field, NULL),
                 HED_OK);
    int32_t found[64];
    int32_t count = hed_mesh_field_overlap(field, hed_mesh_field_bounds(field), found, 64);
    cr_assert_eq(count, mesh.triangle_count);
    double length = 0.0; // m
    int corners = 0;
    for (int32_t t = 0; t < count; ++t) {
        HedMeshRidges ridges = hed_mesh_field_ridges(field, found[t]);
        for (int k = 0; k < 3; ++k) {
            double side = hed_distance3(ridges.corner[k], ridges.corner[(k + 1) % 3]);
            length += ridges.edges >> k & 1U ? side : 0.0;
            corners += (int)(ridges.corners >> k & 1U);
        }
    }
    cr_expect_float_eq(length, 4.0 * (0.2 + 0.4 + 0.6), 1e-12); // sums of 12 rounded lengths
    cr_expect_eq(corners, 8);
    hed_mesh_field_free(field);
    free_mesh(&mesh);
}
