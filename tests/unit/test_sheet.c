// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "model/sheet/sheet.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative: quotients of lengths and areas, some ten operations that round by 1e-16 each.
static const double ROUNDING = 1e-14;

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

static HedSheetParts build(const HedSheetDef* def) {
    HedSheetParts parts;
    HedError error = {0};
    cr_assert_eq(hed_sheet_parts_create(def, &parts, &error), HED_OK, "%s", error.message);
    return parts;
}

static int32_t count_kind(const HedSheetParts* parts, int32_t kind) {
    int32_t count = 0;
    for (int32_t k = 0; k < parts->springs.count; ++k) {
        count += parts->springs.data[k].kind == kind;
    }
    return count;
}

static const HedSpring* find_spring(const HedSheetParts* parts, int32_t u, int32_t v) {
    int32_t a = parts->place[u];
    int32_t b = parts->place[v];
    for (int32_t k = 0; k < parts->springs.count; ++k) {
        const HedSpring* s = &parts->springs.data[k];
        if ((s->a == a && s->b == b) || (s->a == b && s->b == a)) {
            return s;
        }
    }
    cr_assert_fail("no spring joins vertices %d and %d", u, v);
    return NULL;
}

static const HedBend* find_curve(const HedSheetParts* parts, int32_t u, int32_t middle, int32_t v) {
    for (int32_t k = 0; k < parts->curves.count; ++k) {
        const int32_t* p = parts->curves.data[k].point;
        bool ends = (p[0] == parts->place[u] && p[2] == parts->place[v]) ||
                    (p[0] == parts->place[v] && p[2] == parts->place[u]);
        if (ends && p[1] == parts->place[middle]) {
            return &parts->curves.data[k];
        }
    }
    cr_assert_fail("no element bends at vertex %d", middle);
    return NULL;
}

// A grid of N columns and M rows has N (M-1) + M (N-1) structural springs, 2 (N-1)(M-1) diagonals,
// and M (N-2) + N (M-2) straight lines of three.
Test(sheet, counts_of_a_grid) {
    static const int32_t SIZES[][2] = {{2, 2}, {2, 7}, {5, 3}, {9, 11}};
    for (int s = 0; s < 4; ++s) {
        int32_t n = SIZES[s][0];
        int32_t m = SIZES[s][1];
        Mesh mesh = mesh_grid(n, m, ZERO, hed_vec3(0.3, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
        HedSheetDef def = mesh_sheet(&mesh);
        HedSheetParts parts = build(&def);
        cr_expect_eq(count_kind(&parts, HED_SPRING_STRETCH), n * (m - 1) + m * (n - 1));
        cr_expect_eq(count_kind(&parts, HED_SPRING_SHEAR), 2 * (n - 1) * (m - 1));
        cr_expect_eq(count_kind(&parts, HED_SPRING_BEND), 0);
        cr_expect_eq(parts.curves.count, m * (n - 2) + n * (m - 2));
        cr_expect_eq(parts.edge_count, n * (m - 1) + m * (n - 1) + (n - 1) * (m - 1));
        cr_expect_eq(parts.triangle_count, mesh.triangle_count);
        hed_sheet_parts_free(&parts);
        def.bending = HED_BENDING_SPRINGS;
        parts = build(&def);
        cr_expect_eq(count_kind(&parts, HED_SPRING_BEND), m * (n - 2) + n * (m - 2));
        cr_expect_eq(parts.curves.count, 0);
        hed_sheet_parts_free(&parts);
        def.bending = HED_BENDING_NONE;
        def.shear = 0.0;
        parts = build(&def);
        cr_expect_eq(parts.springs.count, n * (m - 1) + m * (n - 1));
        cr_expect_eq(parts.curves.count, 0);
        hed_sheet_parts_free(&parts);
        mesh_free(&mesh);
    }
}

// 5 x 4 vertices over 0.4 m x 0.3 m: square cells of side l = 0.1 m, A = 0.01 m^2.
Test(sheet, stiffness_of_a_grid) {
    Mesh mesh = mesh_grid(5, 4, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    HedSheetDef def = mesh_sheet(&mesh);
    def.stretch = 300.0;
    def.shear = 60.0;
    def.bend_rigidity = 2e-5;
    HedSheetParts parts = build(&def);
    // Inside: two half cells, k = S A / l^2 = S; at the edge half of it.
    cr_expect_float_eq(find_spring(&parts, 6, 7)->stiffness, 300.0, 1e-9);
    cr_expect_float_eq(find_spring(&parts, 6, 11)->stiffness, 300.0, 300.0 * ROUNDING);
    cr_expect_float_eq(find_spring(&parts, 0, 1)->stiffness, 150.0, 150.0 * ROUNDING);
    cr_expect_float_eq(find_spring(&parts, 0, 5)->stiffness, 150.0, 150.0 * ROUNDING);
    // Diagonals: k = 2 G A / (2 l^2) = G.
    cr_expect_float_eq(find_spring(&parts, 0, 6)->stiffness, 60.0, 1e-9);
    cr_expect_float_eq(find_spring(&parts, 1, 5)->stiffness, 60.0, 60.0 * ROUNDING);
    cr_expect_float_eq(find_spring(&parts, 1, 5)->length, 0.1 * sqrt(2.0), 0.1 * ROUNDING);
    // Bending: k = B A / l^2 = B inside, half of it along an edge; flat at rest.
    cr_expect_float_eq(find_curve(&parts, 5, 6, 7)->rest.stiffness, 2e-5, 1e-17);
    cr_expect_float_eq(find_curve(&parts, 0, 1, 2)->rest.stiffness, 1e-5, 1e-5 * ROUNDING);
    cr_expect_float_eq(find_curve(&parts, 1, 6, 11)->rest.inverse0, 10.0, 10.0 * ROUNDING);
    cr_expect_eq(find_curve(&parts, 1, 6, 11)->rest.turn, 0.0);
    double area = 0.0;
    for (int32_t k = 0; k < parts.point_count; ++k) {
        area += parts.area[k];
    }
    cr_expect_float_eq(area, 0.12, 0.1 * ROUNDING);
    cr_expect_float_eq(parts.area[parts.place[6]], 0.01, 0.01 * ROUNDING);
    cr_expect_float_eq(parts.area[parts.place[1]], 0.005, 0.005 * ROUNDING);
    hed_sheet_parts_free(&parts);
    def.bending = HED_BENDING_SPRINGS;
    def.bend_stretch = 40.0;
    parts = build(&def);
    // Over two cells: k = S A / (2 l)^2 = S/4.
    cr_expect_float_eq(find_spring(&parts, 5, 7)->stiffness, 10.0, 1e-9);
    cr_expect_float_eq(find_spring(&parts, 5, 7)->length, 0.2, 0.1 * ROUNDING);
    hed_sheet_parts_free(&parts);
    mesh_free(&mesh);
}

// Equilateral triangles of edge l, A = sqrt(3)/4 l^2.
Test(sheet, stiffness_of_a_mesh) {
    Mesh mesh = mesh_lattice(7, 7, 0.1);
    HedSheetDef def = mesh_sheet(&mesh);
    def.stretch = 300.0;
    def.shear = 60.0;
    def.bend_rigidity = 2e-5;
    HedSheetParts parts = build(&def);
    double inner = 300.0 * sqrt(3.0) / 2.0; // S 2 A / l^2
    cr_expect_float_eq(find_spring(&parts, 16, 17)->stiffness, inner, inner * ROUNDING);
    cr_expect_float_eq(find_spring(&parts, 0, 1)->stiffness, 0.5 * inner, inner * ROUNDING);
    // Across a hinge: length sqrt(3) l, k = 8/3 G 2 A / (3 l^2) = 8/9 G sqrt(3)/2. The edge from 16
    // to 17 in row 2 (even) has 9 (row 1, shifted: x = 2.5) and 23 (row 3) opposite.
    const HedSpring* hinge = find_spring(&parts, 9, 23);
    cr_expect_eq(hinge->kind, HED_SPRING_SHEAR);
    cr_expect_float_eq(hinge->length, 0.1 * sqrt(3.0), 0.1 * ROUNDING);
    cr_expect_float_eq(hinge->stiffness, 60.0 * 8.0 / 9.0 * sqrt(3.0) / 2.0, 60.0 * ROUNDING);
    // Bending along each of three lines: B 8/9 of the point's area 2 A over l^2.
    double bend = 2e-5 * 8.0 / 9.0 * sqrt(3.0) / 2.0;
    cr_expect_float_eq(find_curve(&parts, 23, 24, 25)->rest.stiffness, bend, bend * ROUNDING);
    cr_expect_float_eq(find_curve(&parts, 17, 24, 32)->rest.stiffness, bend, bend * ROUNDING);
    cr_expect_float_eq(find_curve(&parts, 18, 24, 31)->rest.stiffness, bend, bend * ROUNDING);
    hed_sheet_parts_free(&parts);
    mesh_free(&mesh);
}

// Points are numbered anew; place and order are inverse, and everything refers to points.
Test(sheet, order_is_a_permutation) {
    Mesh mesh = mesh_grid(13, 9, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    HedSheetDef def = mesh_sheet(&mesh);
    HedSheetParts parts = build(&def);
    for (int32_t v = 0; v < mesh.vertex_count; ++v) {
        cr_assert_eq(parts.order[parts.place[v]], v);
    }
    for (int32_t k = 0; k < parts.springs.count; ++k) {
        const HedSpring* s = &parts.springs.data[k];
        cr_assert(s->a < s->b);
        HedVec3 d = hed_sub3(mesh.vertices[parts.order[s->a]], mesh.vertices[parts.order[s->b]]);
        cr_assert(fabs(hed_norm3(d) - s->length) < 0.1 * ROUNDING);
    }
    for (int32_t k = 0; k < 3 * parts.triangle_count; ++k) {
        cr_assert_eq(parts.order[parts.triangles[k]], mesh.triangles[k]);
    }
    hed_sheet_parts_free(&parts);
    mesh_free(&mesh);
}

// A rest shape of its own: lengths and turns come from it, not from the start.
Test(sheet, rest_shape) {
    Mesh mesh = mesh_grid(3, 2, ZERO, hed_vec3(0.2, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    mesh_keep_rest(&mesh);
    // At rest bent by a right angle in the middle.
    mesh.rest[2] = hed_vec3(0.1, 0.1, 0.0);
    mesh.rest[5] = hed_vec3(0.1, 0.1, 0.1);
    mesh.vertices[1].y = 0.05;
    HedSheetDef def = mesh_sheet(&mesh);
    HedSheetParts parts = build(&def);
    cr_expect_float_eq(find_spring(&parts, 0, 1)->length, 0.1, 0.1 * ROUNDING);
    cr_expect_float_eq(find_curve(&parts, 0, 1, 2)->rest.turn, sqrt(2.0), ROUNDING);
    hed_sheet_parts_free(&parts);
    mesh_free(&mesh);
}

static void expect_refused(HedSheetDef def, const char* words) {
    HedSheetParts parts;
    HedError error = {0};
    HedAllocStats before = hed_alloc_stats();
    HedStatus status = hed_sheet_parts_create(&def, &parts, &error);
    cr_expect_eq(status, HED_INVALID, "%s: status %s", words, hed_status_name(status));
    cr_expect(strstr(error.message, words), "'%s' is not in '%s'", words, error.message);
    cr_expect_eq(hed_alloc_stats().live_count, before.live_count);
}

Test(sheet, bad_values_are_refused) {
    Mesh mesh = mesh_grid(4, 3, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    const HedSheetDef good = mesh_sheet(&mesh);
    const struct {
        size_t offset;
        const char* name;
        bool may_be_zero;
    } fields[] = {
        {offsetof(HedSheetDef, density), "density", false},
        {offsetof(HedSheetDef, stretch), "stretch", true},
        {offsetof(HedSheetDef, shear), "shear", true},
        {offsetof(HedSheetDef, bend_stretch), "bend_stretch", true},
        {offsetof(HedSheetDef, bend_rigidity), "bend_rigidity", true},
        {offsetof(HedSheetDef, damping), "damping", true},
        {offsetof(HedSheetDef, thickness), "thickness", true},
    };
    const double bad[] = {-1.0, NAN, INFINITY, -INFINITY, -1e-300, 0.0};
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; ++f) {
        for (int k = 0; k < (fields[f].may_be_zero ? 5 : 6); ++k) {
            HedSheetDef def = good;
            memcpy((char*)&def + fields[f].offset, &bad[k], sizeof(double));
            expect_refused(def, fields[f].name);
        }
    }
    for (int k = 0; k < 3; ++k) {
        HedSheetDef def = good;
        double v[3] = {0.0, 0.0, 0.0};
        v[k] = k == 1 ? INFINITY : NAN;
        def.velocity = hed_vec3(v[0], v[1], v[2]);
        expect_refused(def, "velocity");
    }
    HedSheetDef def = good;
    def.bending = HED_BENDING_COUNT;
    expect_refused(def, "bending");
    mesh_free(&mesh);
}

Test(sheet, bad_shapes_are_refused) {
    Mesh mesh = mesh_grid(4, 3, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    const HedSheetDef good = mesh_sheet(&mesh);
    HedSheetDef def = good;
    def.vertex_count = 0;
    expect_refused(def, "no vertices");
    def.vertex_count = -5;
    expect_refused(def, "no vertices");
    def = good;
    def.vertices = NULL;
    expect_refused(def, "no vertices");
    def = good;
    def.triangle_count = 0;
    expect_refused(def, "no triangles");
    def.triangle_count = -1;
    expect_refused(def, "no triangles");
    def = good;
    def.grid_columns = 5;
    expect_refused(def, "5 x 3");
    def.grid_columns = -4;
    def.grid_rows = -3;
    expect_refused(def, "-4 x -3");
    def.grid_columns = 65536;
    def.grid_rows = 65536;
    expect_refused(def, "65536");
    def = good;
    def.name = NULL; // must not disturb messages
    def.density = -2.0;
    expect_refused(def, "-2");
    for (int32_t bad = -1; bad <= 12; bad += 13) {
        int32_t kept = mesh.triangles[7];
        mesh.triangles[7] = bad;
        expect_refused(good, "triangle 2");
        mesh.triangles[7] = kept;
    }
    HedVec3 kept = mesh.vertices[5];
    mesh.vertices[5].y = NAN;
    expect_refused(good, "vertex 5");
    mesh.vertices[5] = kept;
    mesh.vertices[5] = mesh.vertices[6];
    expect_refused(good, "5");
    mesh.vertices[5] = kept;
    // A vertex without a triangle has no mass.
    Mesh more = mesh_grid(4, 3, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    def = mesh_sheet(&more);
    def.grid_columns = def.grid_rows = 0;
    def.triangle_count = 1;
    expect_refused(def, "vertex 1");
    mesh_keep_rest(&more);
    more.rest[3].x = INFINITY;
    def = mesh_sheet(&more);
    expect_refused(def, "vertex 3");
    mesh_free(&more);
    mesh_free(&mesh);
}

Test(sheet, every_allocation_may_fail) {
    Mesh grid = mesh_grid(4, 3, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.3));
    Mesh lattice = mesh_lattice(4, 4, 0.1);
    HedAllocStats before = hed_alloc_stats();
    for (int kind = 0; kind < 2; ++kind) {
        HedSheetDef def = mesh_sheet(kind == 0 ? &grid : &lattice);
        HedStatus status = HED_NO_MEMORY;
        int n = 1;
        for (; status != HED_OK; ++n) {
            HedSheetParts parts;
            hed_alloc_fail_at(n);
            status = hed_sheet_parts_create(&def, &parts, NULL);
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || status == HED_NO_MEMORY, "allocation %d: %s", n,
                      hed_status_name(status));
            hed_sheet_parts_free(&parts);
            cr_assert_eq(hed_alloc_stats().live_count, before.live_count, "leak at %d", n);
            cr_assert(n < 1000);
        }
        cr_expect(n > 10);
    }
    mesh_free(&grid);
    mesh_free(&lattice);
}

// A flat piece, and the same folded along a line but with its flat shape as material: both bend
// with the same moments, and rest at the angles that are given.
Test(sheet, shells_take_their_shape_from_the_material) {
    Mesh mesh = mesh_lattice(5, 4, 0.03);
    HedSheetDef def = mesh_sheet(&mesh);
    def.model = HED_SHEET_MEMBRANE;
    def.bending = HED_BENDING_HINGES;
    double material[6 * 64];
    double angles[3 * 64] = {0};
    HedVec3 folded[64];
    cr_assert_leq(mesh.triangle_count, 64);
    for (int32_t k = 0; k < 3 * mesh.triangle_count; ++k) {
        HedVec3 x = mesh.vertices[mesh.triangles[k]];
        // each triangle at a place and a turn of its own: only its shape counts
        double c = cos(k / 3), s = sin(k / 3);
        material[2 * k] = c * x.x - s * x.z + k / 3;
        material[2 * k + 1] = s * x.x + c * x.z;
    }
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        HedVec3 x = mesh.vertices[i];
        folded[i] = x.x > 0.05 ? hed_vec3(0.05, x.x - 0.05, x.z) : x;
    }
    HedSheetParts flat = build(&def);
    angles[7] = 0.25;
    def.vertices = folded;
    def.rest_vertices = NULL;
    def.material = material;
    def.rest_angles = angles;
    HedSheetParts parts = build(&def);
    cr_assert_eq(parts.shells.count, flat.shells.count);
    for (int32_t t = 0; t < parts.shells.count; ++t) {
        const HedShellElement* a = &parts.shells.data[t];
        const HedShellElement* b = &flat.shells.data[t];
        for (int k = 0; k < 9; ++k) {
            double size = def.bend_rigidity; // q is of the order of the rigidity
            // Corners at up to 24 m are rounded by 3e-15, 1e-13 of a side; squared and summed.
            cr_assert_float_eq(a->rest.q[k / 3][k % 3], b->rest.q[k / 3][k % 3], 5e-12 * size);
        }
        for (int k = 0; k < 12; ++k) {
            double size = 1.0 / 0.03; // weights are cotangents over lengths
            cr_assert_float_eq(a->weight[k / 4][k % 4], b->weight[k / 4][k % 4],
                               5e-12 * size); // as above
        }
        for (int side = 0; side < 3; ++side) {
            cr_assert_eq(a->rest.angle[side], angles[3 * t + side]);
        }
    }
    hed_sheet_parts_free(&parts);
    HedError error = {0};
    angles[8] = 4.0;
    cr_assert_eq(hed_sheet_parts_create(&def, &parts, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "got 4 at side 2 of triangle 2"), "%s", error.message);
    hed_sheet_parts_free(&flat);
    mesh_free(&mesh);
}
