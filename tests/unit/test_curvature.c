// SPDX-License-Identifier: MIT
// Curvature of meshes against surfaces whose curvature is known, and of Catmull-Rom curves.
#include "base/alloc.h"
#include "geom/curvature.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// Of curvatures of about 1/m: quotients of sums over a few corners.
static const double ROUNDING = 1e-14;

typedef struct Surface {
    HedVec3 (*place)(double u, double v);
    double (*curvature)(double u, double v);
} Surface;

static HedVec3 on_sphere(double u, double v) { // radius 2
    return hed_vec3(2.0 * cos(v) * sin(u), 2.0 * sin(v), 2.0 * cos(v) * cos(u));
}

static double of_sphere(double u, double v) {
    return 0.5 + 0.0 * (u + v);
}

// Radius 0.5; mesh lines wind around it (along its axis the formula happens to be exact).
static HedVec3 on_cylinder(double u, double v) {
    return hed_vec3(0.5 * sin(u + v), v - 0.5 * u, 0.5 * cos(u + v));
}

static double of_cylinder(double u, double v) {
    return 1.0 + 0.0 * (u + v); // half of 1/radius and 0
}

// z = (3 u^2 - v^2)/2; mean curvature of a graph: ((1 + zv^2) zuu - 2 zu zv zuv + (1 + zu^2) zvv) /
// (2 (1 + zu^2 + zv^2)^(3/2)).
static HedVec3 on_saddle(double u, double v) {
    return hed_vec3(u, v, 0.5 * (3.0 * u * u - v * v));
}

static double of_saddle(double u, double v) {
    double zu = 3.0 * u;
    double zv = -v;
    return fabs(((1.0 + zv * zv) * 3.0 - (1.0 + zu * zu)) /
                (2.0 * pow(1.0 + zu * zu + zv * zv, 1.5)));
}

// Largest error inside a patch of n x n quads over |u|, |v| <= 0.4.
static double worst_error(Surface surface, int32_t n) {
    Mesh mesh = mesh_grid(n + 1, n + 1, hed_vec3(-0.4, -0.4, 0.0), hed_vec3(0.8, 0.0, 0.0),
                          hed_vec3(0.0, 0.8, 0.0));
    double* values = calloc((size_t)mesh.vertex_count, sizeof *values);
    double worst = 0.0;
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        mesh.vertices[i] = surface.place(mesh.vertices[i].x, mesh.vertices[i].y);
    }
    HedSurfacePart part = {mesh.vertices, 0, mesh.vertex_count, mesh.triangles,
                           mesh.triangle_count};
    cr_assert_eq(hed_surface_curvature(part, values, NULL), HED_OK);
    for (int32_t r = 1; r < n; ++r) {
        for (int32_t c = 1; c < n; ++c) {
            double exact = surface.curvature(-0.4 + 0.8 * c / n, -0.4 + 0.8 * r / n);
            worst = fmax(worst, fabs(values[r * (n + 1) + c] - exact));
        }
    }
    free(values);
    mesh_free(&mesh);
    return worst;
}

// On regular patches the cotangent formula is of second order.
Test(curvature, converges_on_known_surfaces) {
    static const Surface SURFACES[] = {
        {on_sphere, of_sphere}, {on_cylinder, of_cylinder}, {on_saddle, of_saddle}};
    static const char* const NAMES[] = {"sphere", "cylinder", "saddle"};
    for (int s = 0; s < 3; ++s) {
        double size[3];
        double error[3];
        for (int k = 0; k < 3; ++k) {
            int32_t n = 10 << k;
            size[k] = 0.8 / n;
            error[k] = worst_error(SURFACES[s], n);
        }
        double order = observed_order(size, error, 3);
        cr_log_info("%s: errors %.3g %.3g %.3g 1/m, order %.2f", NAMES[s], error[0], error[1],
                    error[2], order);
        cr_expect_gt(order, 1.8, "%s: order %g, errors %g %g %g", NAMES[s], order, error[0],
                     error[1], error[2]);
        // A few times size^2.
        cr_expect_lt(error[2], 4.0 * size[2] * size[2], "%s: %g", NAMES[s], error[2]);
    }
}

// A closed mesh has no boundary: all vertices of an octahedron see the same.
Test(curvature, closed_mesh) {
    const HedVec3 x[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const int32_t t[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    double h[6];
    cr_assert_eq(hed_surface_curvature((HedSurfacePart){x, 0, 6, t, 8}, h, NULL), HED_OK);
    // By hand for the vertex (0, 0, 1): four equilateral triangles, cot 60 = 1/sqrt(3); the pull is
    // 2/sqrt(3) * sum of (x - x_j) = 2/sqrt(3) (0, 0, 4); the area a third of four triangles of
    // sqrt(3)/2 each.
    double pull = 8.0 / sqrt(3.0);
    double area = 4.0 / 3.0 * sqrt(3.0) / 2.0;
    for (int i = 0; i < 6; ++i) {
        cr_expect_float_eq(h[i], 0.25 * pull / area, ROUNDING);
    }
}

// Boundary vertices take what their neighbours inside have; a lone vertex and a strip have nothing.
Test(curvature, boundaries) {
    Mesh mesh =
        mesh_grid(3, 3, hed_vec3(0.0, 0.0, 0.0), hed_vec3(2.0, 0.0, 0.0), hed_vec3(0.0, 2.0, 0.0));
    double h[9];
    mesh.vertices[4].z = 0.1; // the only vertex inside
    HedSurfacePart part = {mesh.vertices, 0, 9, mesh.triangles, 8};
    cr_assert_eq(hed_surface_curvature(part, h, NULL), HED_OK);
    cr_expect_gt(h[4], 0.0);
    for (int i = 0; i < 9; ++i) {
        cr_expect_float_eq(h[i], h[4], 0.1 * ROUNDING, "vertex %d", i);
    }
    part.triangle_count = 2; // one quad
    cr_assert_eq(hed_surface_curvature(part, h, NULL), HED_OK);
    for (int i = 0; i < 9; ++i) {
        cr_expect(isnan(h[i]));
    }
    mesh_free(&mesh);
}

Test(curvature, triangles_without_area_are_left_out) {
    // A flat fan around vertex 0 in which one triangle has shrunk to a line.
    const HedVec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {-2, 0, 0}};
    const int32_t t[12] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1};
    double h[5];
    cr_assert_eq(hed_surface_curvature((HedSurfacePart){x, 0, 5, t, 4}, h, NULL), HED_OK);
    for (int i = 0; i < 5; ++i) {
        cr_expect(isfinite(h[i]));
    }
}

// A part whose vertices do not begin at 0 gives what it gives on its own.
Test(curvature, parts) {
    Mesh mesh =
        mesh_grid(5, 4, hed_vec3(0.0, 0.0, 0.0), hed_vec3(1.0, 0.0, 0.0), hed_vec3(0.0, 1.0, 0.0));
    HedVec3 shifted[27];
    int32_t triangles[3 * 24];
    double alone[20], part[20];
    for (int i = 0; i < 20; ++i) {
        mesh.vertices[i].z = sin(3.0 * i);
        shifted[i + 7] = mesh.vertices[i];
    }
    for (int i = 0; i < 3 * mesh.triangle_count; ++i) {
        triangles[i] = mesh.triangles[i] + 7;
    }
    hed_surface_curvature((HedSurfacePart){mesh.vertices, 0, 20, mesh.triangles, 24}, alone, NULL);
    hed_surface_curvature((HedSurfacePart){shifted, 7, 20, triangles, 24}, part, NULL);
    for (int i = 0; i < 20; ++i) {
        cr_expect_eq(alone[i], part[i]);
    }
    mesh_free(&mesh);
}

Test(curvature, no_memory) {
    const HedVec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t t[3] = {0, 1, 2};
    double h[3];
    for (int n = 1; n <= 4; ++n) {
        hed_alloc_fail_at(n);
        cr_expect_eq(hed_surface_curvature((HedSurfacePart){x, 0, 3, t, 1}, h, NULL),
                     HED_NO_MEMORY);
    }
    hed_alloc_fail_at(0);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}

// Through n points on a circle of radius R, an angle a apart, the mean of both sides is
// 2/R (2 - cos a)/(1 + cos a): worked out from the cubics, 1/R (1 + 3/4 a^2) for small a.
Test(curvature, closed_curve) {
    enum { N = 12 };
    HedVec3 x[N];
    float k[N];
    double a = 2.0 * acos(-1.0) / N;
    for (int i = 0; i < N; ++i) {
        x[i] = hed_vec3(0.7 * cos(a * i), 0.2, 0.7 * sin(a * i));
    }
    HedCurve curve = {.count = N, .is_closed = true};
    hed_curve_curvature(x, &curve, k);
    for (int i = 0; i < N; ++i) {
        // A number between 2 and 4 in single precision: half of 2.4e-7.
        cr_expect_float_eq((double)k[i], 2.0 / 0.7 * (2.0 - cos(a)) / (1.0 + cos(a)), 1.3e-7);
    }
}

// The cubic from b to c with neighbours a and d, differentiated numerically at its start.
Test(curvature, open_curve) {
    const HedVec3 x[6] = {{9, 9, 9}, {0, 0, 0}, {1, 0.2, 0}, {1.8, 1, 0.3}, {2, 2, 1}, {1, 3, 1}};
    float k[5];
    HedCurve curve = {.first = 1, .count = 5};
    hed_curve_curvature(x, &curve, k);
    // At the first vertex a = 2 b - c: p' = c - b, p'' = 2 c - b - d.
    HedVec3 first = hed_sub3(x[2], x[1]);
    HedVec3 second = hed_sub3(hed_sub3(hed_mul3(2.0, x[2]), x[1]), x[3]);
    double expected = hed_norm3(hed_cross3(first, second)) / pow(hed_norm3(first), 3.0);
    // A number below 2 in single precision.
    cr_expect_float_eq((double)k[0], expected, 1.3e-7);
    // In the middle the two sides differ; the curve seen backwards gives the same.
    HedVec3 back[5];
    float reversed[5];
    for (int i = 0; i < 5; ++i) {
        back[i] = x[5 - i];
    }
    hed_curve_curvature(back, &(HedCurve){.count = 5}, reversed);
    for (int i = 0; i < 5; ++i) {
        // Both are rounded to single precision, below 4.
        cr_expect_float_eq((double)k[i], (double)reversed[4 - i], 2.5e-7);
    }
    const HedVec3 line[2] = {{0, 0, 0}, {1, 2, 3}};
    hed_curve_curvature(line, &(HedCurve){.count = 2}, k);
    // Without neighbours the curve is straight, and its second derivative a difference of
    // equal numbers.
    cr_expect_float_eq((double)k[0], 0.0, 0.0);
    // The same at the other end.
    cr_expect_float_eq((double)k[1], 0.0, 0.0);
}
