// SPDX-License-Identifier: MIT
#include "geom/shape_mesh.h"

#include "base/alloc.h"
#include "geom/topology.h"

#include <criterion/criterion.h>

// Relative to the size: vertices moved and turned, a dozen operations.
static const double ROUNDING = 1e-14;

static const double PI = 3.14159265358979323846;

static void free_mesh(HedMesh* mesh) {
    hed_free(mesh->vertices);
    hed_free(mesh->triangles);
    *mesh = (HedMesh){0};
}

static double signed_volume(const HedMesh* mesh) {
    double sum = 0.0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles + 3 * t;
        sum +=
            hed_dot3(mesh->vertices[v[0]], hed_cross3(mesh->vertices[v[1]], mesh->vertices[v[2]]));
    }
    return sum / 6.0;
}

// Closed, outward, on the surface; the volume of an inscribed mesh with 48 steps around falls
// short by (2 pi / 48)^2 / 6 = 0.3 % in each of two directions at most, 24 steps by 1.1 %.
static void check_closed(HedFieldDef def, double volume, int32_t euler) {
    HedMesh mesh;
    HedField field;
    HedTopology topology;
    cr_assert_eq(hed_shape_mesh_create(&def, 0.0, &mesh, NULL), HED_OK);
    cr_assert_eq(hed_field_create(&def, &field, NULL), HED_OK);
    cr_assert_eq(hed_topology_create(mesh.triangles, mesh.triangle_count, mesh.vertex_count,
                                     &topology, NULL),
                 HED_OK);
    cr_assert_eq(topology.boundary_count, 0);
    cr_assert_eq(topology.nonmanifold_count, 0);
    cr_assert_eq(mesh.vertex_count - topology.edge_count + mesh.triangle_count, euler);
    HedBox bounds = hed_field_bounds(&field);
    double size = hed_distance3(bounds.low, bounds.high);
    for (int32_t v = 0; v < mesh.vertex_count; ++v) {
        double distance = hed_field_sample(&field, mesh.vertices[v]).distance;
        cr_assert_float_eq(distance, 0.0, ROUNDING * size);
    }
    HedBox around = hed_box_around(mesh.vertices, mesh.vertex_count);
    cr_assert_lt(hed_distance3(around.low, bounds.low), ROUNDING * size);
    cr_assert_lt(hed_distance3(around.high, bounds.high), ROUNDING * size);
    double measured = signed_volume(&mesh);
    // Inscribed: no larger, but for rounding of some thousand terms.
    cr_assert_leq(measured, volume * (1.0 + 1e-12));
    cr_assert_geq(measured, volume * 0.98);
    // A mesh that is its own solid passes all checks of a mesh field: it faces one way throughout.
    HedFieldDef as_mesh = {.shape = HED_MESH,
                           .vertices = mesh.vertices,
                           .vertex_count = mesh.vertex_count,
                           .triangles = mesh.triangles,
                           .triangle_count = mesh.triangle_count};
    HedField mesh_field;
    HedError error = {0};
    cr_assert_eq(hed_field_create(&as_mesh, &mesh_field, &error), HED_OK, "%s", error.message);
    hed_field_free(&mesh_field);
    hed_topology_free(&topology);
    hed_field_free(&field);
    free_mesh(&mesh);
}

Test(shape_mesh, closed_shapes) {
    double r = 0.7, h = 1.3, m = 0.2;
    check_closed((HedFieldDef){.shape = HED_SPHERE, .radius = r}, 4.0 / 3.0 * PI * r * r * r, 2);
    check_closed((HedFieldDef){.shape = HED_BOX, .half_size = {0.5, 2.0, 0.01}},
                 8.0 * 0.5 * 2.0 * 0.01, 2);
    check_closed((HedFieldDef){.shape = HED_CAPSULE, .radius = r, .half_length = h},
                 4.0 / 3.0 * PI * r * r * r + 2.0 * h * PI * r * r, 2);
    check_closed((HedFieldDef){.shape = HED_CYLINDER, .radius = r, .half_length = h},
                 2.0 * h * PI * r * r, 2);
    check_closed((HedFieldDef){.shape = HED_TORUS, .radius = r, .minor_radius = m},
                 2.0 * PI * PI * r * m * m, 0);
}

Test(shape_mesh, plane_is_a_square_that_faces_up) {
    HedMesh mesh;
    cr_assert_eq(hed_shape_mesh_create(&(HedFieldDef){.shape = HED_PLANE}, 3.0, &mesh, NULL),
                 HED_OK);
    double area = 0.0;
    for (int32_t t = 0; t < mesh.triangle_count; ++t) {
        const int32_t* v = mesh.triangles + 3 * t;
        HedVec3 a = mesh.vertices[v[0]];
        HedVec3 n = hed_cross3(hed_sub3(mesh.vertices[v[1]], a), hed_sub3(mesh.vertices[v[2]], a));
        cr_assert_gt(n.y, 0.0);
        area += 0.5 * n.y;
    }
    cr_assert_float_eq(area, 36.0, 36.0 * ROUNDING);
    free_mesh(&mesh);
    HedError error = {0};
    cr_assert_eq(hed_shape_mesh_create(&(HedFieldDef){.shape = HED_PLANE}, 0.0, &mesh, &error),
                 HED_INVALID);
    cr_assert_null(mesh.vertices);
}

Test(shape_mesh, refuses_bad_sizes) {
    HedMesh mesh;
    HedFieldDef def = {.shape = HED_SPHERE, .radius = -1.0};
    cr_assert_eq(hed_shape_mesh_create(&def, 1.0, &mesh, NULL), HED_INVALID);
}

Test(shape_mesh, copies_a_mesh) {
    const HedVec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t triangles[3] = {0, 1, 2};
    HedFieldDef def = {.shape = HED_MESH,
                       .vertices = vertices,
                       .vertex_count = 3,
                       .triangles = triangles,
                       .triangle_count = 1};
    HedMesh mesh;
    cr_assert_eq(hed_shape_mesh_create(&def, 0.0, &mesh, NULL), HED_OK);
    cr_assert_eq(mesh.vertex_count, 3);
    cr_assert_eq(mesh.triangles[2], 2);
    cr_assert_eq(mesh.vertices[1].x, 1.0);
    cr_assert_neq(mesh.vertices, vertices);
    free_mesh(&mesh);
}

Test(shape_mesh, no_memory_at_any_allocation) {
    const HedFieldDef defs[3] = {{.shape = HED_SPHERE, .radius = 1.0},
                                 {.shape = HED_BOX, .half_size = {1, 1, 1}},
                                 {.shape = HED_TORUS, .radius = 1.0, .minor_radius = 0.2}};
    for (int d = 0; d < 3; ++d) {
        int64_t live = hed_alloc_stats().live_count;
        for (int n = 1; n <= 3; ++n) {
            HedMesh mesh;
            hed_alloc_fail_at(n);
            HedStatus status = hed_shape_mesh_create(&defs[d], 1.0, &mesh, NULL);
            hed_alloc_fail_at(0);
            cr_assert_eq(status, n < 3 ? HED_NO_MEMORY : HED_OK);
            free_mesh(&mesh);
            cr_assert_eq(hed_alloc_stats().live_count, live);
        }
    }
}
