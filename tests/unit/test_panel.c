// SPDX-License-Identifier: MIT
// Panels: curves against exact lengths, meshes against exact areas and Euler numbers, shapes of
// triangles, and outlines that cannot be meshed.
#include "base/alloc.h"
#include "garment/curve.h"
#include "geom/topology.h"
#include "heddle/fabric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Of lengths and areas of about 1 m or rad: sums over up to a thousand pieces, each rounded by
// 1e-16.
static const double ROUNDING = 1e-13;

static const double PI = 3.14159265358979323846;

typedef struct Shape {
    HedMaterialPoint vertices[64];
    HedPanelEdge edges[64];
    int32_t vertex_count, edge_count;
} Shape;

// Adds a closed loop of straight edges.
static void add_loop(Shape* s, int32_t count, const double (*points)[2]) {
    int32_t first = s->vertex_count;
    for (int32_t i = 0; i < count; ++i) {
        s->vertices[s->vertex_count++] = (HedMaterialPoint){points[i][0], points[i][1]};
        s->edges[s->edge_count++] =
            (HedPanelEdge){.start = first + i, .end = first + (i + 1) % count};
    }
}

static HedStatus make(const Shape* s, double size, HedGarment* garment, HedError* error) {
    HedPanelDef panel = hed_panel_def_default();
    HedGarmentDef def = hed_garment_def_default();
    panel.name = "p";
    panel.vertices = s->vertices;
    panel.vertex_count = s->vertex_count;
    panel.edges = s->edges;
    panel.edge_count = s->edge_count;
    def.panels = &panel;
    def.panel_count = 1;
    def.target_size = size;
    return hed_garment_create(&def, garment, error);
}

static double edge_length(const HedPanel* p, int32_t a, int32_t b) {
    return hypot(p->material[a].u - p->material[b].u, p->material[a].v - p->material[b].v);
}

// What every meshed panel promises: the border of the mesh is the outline, the Euler number is that
// of a disc with `holes` holes, triangles face the way the outline runs.
static void check_mesh(const HedPanel* p, int32_t holes, bool clockwise, double size) {
    HedTopology t = {0};
    HedError error = {0};
    cr_assert_eq(hed_topology_create(p->triangles, p->triangle_count, p->vertex_count, &t, &error),
                 HED_OK, "%s", error.message);
    cr_assert_eq(t.nonmanifold_count, 0);
    cr_assert_eq(t.duplicate_count, 0);
    cr_assert_eq(p->vertex_count - t.edge_count + p->triangle_count, 1 - holes);
    cr_assert_eq(t.boundary_count, p->outline_count);
    int32_t good = 0;
    for (int32_t e = 0; e < t.edge_count; ++e) {
        if (t.edges[e].triangle_count == 1) {
            cr_assert_lt(t.edges[e].b, p->outline_count, "the border has only outline points");
        }
        double length = edge_length(p, t.edges[e].a, t.edges[e].b);
        good += length >= 0.5 * size && length <= 1.5 * size;
    }
    cr_assert_geq(good, 0.97 * t.edge_count, "%d of %d sides are near the size", good,
                  t.edge_count);
    hed_topology_free(&t);
    for (int32_t i = 0; i < p->triangle_count; ++i) {
        const int32_t* v = p->triangles + 3 * i;
        HedMaterialPoint a = p->material[v[0]], b = p->material[v[1]], c = p->material[v[2]];
        double area = (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
        cr_assert(clockwise ? area < 0.0 : area > 0.0);
    }
}

static HedPanelEdge curve_edge(HedEdgeKind kind, double x0, double y0, double x1, double y1) {
    return (HedPanelEdge){.start = 0, .end = 1, .kind = kind, .control = {{x0, y0}, {x1, y1}}};
}

// The parabola y = x^2 from 0 to 1 is the quadratic with control point (1/2, 0); its length is
// (2 sqrt 5 + asinh 2) / 4. The cubic with that shape has control points (1/3, 0) and (2/3, 1/3).
Test(curve, lengths_are_exact) {
    HedPlaneCurve c;
    double exact = (2.0 * sqrt(5.0) + asinh(2.0)) / 4.0;
    HedPanelEdge quadratic = curve_edge(HED_EDGE_QUADRATIC, 0.5, 0.0, 0.0, 0.0);
    HedPanelEdge cubic = curve_edge(HED_EDGE_CUBIC, 1.0 / 3.0, 0.0, 2.0 / 3.0, 1.0 / 3.0);
    cr_assert(hed_plane_curve(&quadratic, (HedMaterialPoint){0, 0}, (HedMaterialPoint){1, 1}, &c));
    cr_assert_float_eq(hed_plane_curve_length(&c), exact, ROUNDING);
    // Half of the length: sinh^-1-type equation, checked by the length of the piece before it.
    HedMaterialPoint p = hed_plane_curve_at(&c, 0.5);
    cr_assert_float_eq(p.v, p.u * p.u, 0.1 * ROUNDING);
    double half = (2.0 * p.u * sqrt(1.0 + 4.0 * p.u * p.u) + asinh(2.0 * p.u)) / 4.0;
    cr_assert_float_eq(half, 0.5 * exact, ROUNDING);
    cr_assert(hed_plane_curve(&cubic, (HedMaterialPoint){0, 0}, (HedMaterialPoint){1, 1}, &c));
    cr_assert_float_eq(hed_plane_curve_length(&c), exact, ROUNDING);
    cr_assert_float_eq(c.bend, atan(2.0), ROUNDING, "direction turns from 0 to that of slope 2");
}

// From (0, 0) to (1, 0) with radius 1: the small arc has length pi/3 and height 1 - cos 30 degrees,
// below the chord if it is to the right. The large one is the rest of the circle.
Test(curve, arcs) {
    HedMaterialPoint a = {0, 0}, b = {1, 0};
    double height = 1.0 - cos(PI / 6.0);
    for (int32_t i = 0; i < 4; ++i) {
        HedPanelEdge edge = {.start = 0,
                             .end = 1,
                             .kind = HED_EDGE_ARC,
                             .radius = 1.0,
                             .is_large = i & 1,
                             .is_right = i >> 1};
        HedPlaneCurve c;
        cr_assert(hed_plane_curve(&edge, a, b, &c));
        HedMaterialPoint m = hed_plane_curve_at(&c, 0.5);
        double side = edge.is_right ? -1.0 : 1.0;
        cr_assert_float_eq(hed_plane_curve_length(&c), edge.is_large ? 5.0 * PI / 3.0 : PI / 3.0,
                           ROUNDING);
        cr_assert_float_eq(m.u, 0.5, ROUNDING);
        cr_assert_float_eq(m.v, side * (edge.is_large ? 2.0 - height : height), ROUNDING);
        HedMaterialPoint near_end = hed_plane_curve_at(&c, 1.0 - 1e-9);
        // 1e-9 of the length, which is at most 5/3 pi.
        cr_assert_float_eq(near_end.u, 1.0, 5.3e-9);
        cr_assert_float_eq(near_end.v, 0.0, 5.3e-9); // as above
    }
    HedPanelEdge small = {.start = 0, .end = 1, .kind = HED_EDGE_ARC, .radius = 0.49};
    HedPlaneCurve c;
    cr_assert_not(hed_plane_curve(&small, a, b, &c));
    small.radius = 0.5 * (1.0 - 1e-9); // half a circle but for rounding
    cr_assert(hed_plane_curve(&small, a, b, &c));
    cr_assert_float_eq(hed_plane_curve_length(&c), 0.5 * PI, ROUNDING);
}

Test(panel, square) {
    Shape s = {0};
    add_loop(&s, 4, (const double[4][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.05, &g, &error), HED_OK, "%s", error.message);
    cr_assert_float_eq(g.panels[0].area, 1.0, ROUNDING);
    cr_assert_eq(g.panels[0].outline_count, 80);
    cr_assert_eq(g.panels[0].edge_steps[2], 20);
    cr_assert_eq(g.panels[0].edge_points[2], 40);
    check_mesh(g.panels, 0, false, 0.05);
    cr_assert_gt(g.panels[0].least_angle, PI / 6.0);
    cr_assert_gt(g.panels[0].mean_quality, 0.95);
    hed_garment_free(&g);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// The same square clockwise: the same points, triangles face the other way.
Test(panel, orientation_follows_the_outline) {
    Shape s = {0};
    add_loop(&s, 4, (const double[4][2]){{0, 0}, {0, 1}, {1, 1}, {1, 0}});
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.05, &g, &error), HED_OK, "%s", error.message);
    check_mesh(g.panels, 0, true, 0.05);
    cr_assert_float_eq(g.panels[0].area, 1.0, ROUNDING);
    hed_garment_free(&g);
}

Test(panel, square_with_a_hole) {
    for (int32_t order = 0; order < 2; ++order) {
        static const double OUTER[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        static const double HOLE[4][2] = {{0.3, 0.3}, {0.6, 0.3}, {0.6, 0.6}, {0.3, 0.6}};
        Shape s = {0};
        add_loop(&s, 4, order ? HOLE : OUTER);
        add_loop(&s, 4, order ? OUTER : HOLE);
        HedGarment g = {0};
        HedError error = {0};
        cr_assert_eq(make(&s, 0.04, &g, &error), HED_OK, "%s", error.message);
        check_mesh(g.panels, 1, false, 0.04);
        cr_assert_float_eq(g.panels[0].area, 0.91, ROUNDING);
        hed_garment_free(&g);
    }
}

Test(panel, l_shape_at_any_scale_and_place) {
    for (int32_t k = 0; k < 4; ++k) {
        double scale = (double[]){1.0, 1e-6, 1e6, 1.0}[k];
        double shift = (double[]){0.0, 0.0, 0.0, 1e4}[k];
        double points[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
        for (int32_t i = 0; i < 6; ++i) {
            points[i][0] = points[i][0] * scale + shift;
            points[i][1] = points[i][1] * scale - shift;
        }
        Shape s = {0};
        add_loop(&s, 6, (const double(*)[2])points);
        HedGarment g = {0};
        HedError error = {0};
        cr_assert_eq(make(&s, 0.07 * scale, &g, &error), HED_OK, "%s", error.message);
        check_mesh(g.panels, 0, false, 0.07 * scale);
        // Rounding of coordinates near 1e4 is 2e-12 each.
        cr_assert_float_eq(g.panels[0].area, 3.0 * scale * scale, 1e-10 * scale * scale);
        cr_assert_gt(g.panels[0].least_angle, 25.0 * PI / 180.0);
        hed_garment_free(&g);
    }
}

// Four cubics with handles of 0.5522847498 come within 2.8e-4 of the unit circle. The polygon
// through n points on a circle has the area n/2 sin(2 pi/n) and the perimeter 2 n sin(pi/n).
Test(panel, circle_of_beziers) {
    double k = 4.0 / 3.0 * (sqrt(2.0) - 1.0);
    Shape s = {.vertices = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}, .vertex_count = 4, .edge_count = 4};
    for (int32_t i = 0; i < 4; ++i) {
        HedMaterialPoint a = s.vertices[i], b = s.vertices[(i + 1) % 4];
        s.edges[i] = (HedPanelEdge){
            .start = i,
            .end = (i + 1) % 4,
            .kind = HED_EDGE_CUBIC,
            .control = {{a.u - k * a.v, a.v + k * a.u}, {b.u + k * b.v, b.v - k * b.u}}};
    }
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.05, &g, &error), HED_OK, "%s", error.message);
    const HedPanel* p = g.panels;
    check_mesh(p, 0, false, 0.05);
    int32_t n = p->outline_count;
    double perimeter = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        perimeter += edge_length(p, i, (i + 1) % n);
        // Equal steps: a chord of the polygon, within the error of the Bezier.
        cr_assert_float_eq(edge_length(p, i, (i + 1) % n), 2.0 * sin(PI / n), 3e-4);
    }
    // A ring of that width about the circle; lengths grow in proportion.
    cr_assert_float_eq(p->area, 0.5 * n * sin(2.0 * PI / n), 2.0 * PI * 2.8e-4);
    cr_assert_float_eq(perimeter, 2.0 * n * sin(PI / n), 2.0 * PI * 2.8e-4); // as above
    cr_assert_float_eq(p->edge_lengths[0], 0.5 * PI, 2.8e-4 * 0.5 * PI);     // as above
    cr_assert_gt(p->least_angle, 28.0 * PI / 180.0);
    hed_garment_free(&g);
}

// Two half circles, exactly.
Test(panel, circle_of_arcs) {
    Shape s = {.vertices = {{-1, 0}, {1, 0}}, .vertex_count = 2, .edge_count = 2};
    s.edges[0] =
        (HedPanelEdge){.start = 0, .end = 1, .kind = HED_EDGE_ARC, .radius = 1.0, .is_right = true};
    s.edges[1] =
        (HedPanelEdge){.start = 1, .end = 0, .kind = HED_EDGE_ARC, .radius = 1.0, .is_right = true};
    for (int32_t k = 0; k < 2; ++k) {
        double size = k ? 0.1 : 5.0; // a size above the piece still gives a circle
        HedGarment g = {0};
        HedError error = {0};
        cr_assert_eq(make(&s, size, &g, &error), HED_OK, "%s", error.message);
        int32_t n = g.panels[0].outline_count;
        cr_assert_geq(n, 7);
        cr_assert_float_eq(g.panels[0].area, 0.5 * n * sin(2.0 * PI / n), ROUNDING);
        hed_garment_free(&g);
    }
}

// A comb: deep notches, narrow teeth.
Test(panel, narrow_and_hollow) {
    Shape s = {0};
    double points[33][2];
    int32_t n = 0;
    for (int32_t i = 0; i < 8; ++i) {
        double x = 0.1 * i;
        memcpy(points[n++], (double[]){x, 0.1}, sizeof points[0]);
        memcpy(points[n++], (double[]){x + 0.02, 1.0}, sizeof points[0]);
        memcpy(points[n++], (double[]){x + 0.04, 1.0}, sizeof points[0]);
        memcpy(points[n++], (double[]){x + 0.06, 0.1}, sizeof points[0]);
    }
    memcpy(points[n++], (double[]){0.4, 0.0}, sizeof points[0]);
    add_loop(&s, n, (const double(*)[2])points);
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.02, &g, &error), HED_OK, "%s", error.message);
    double exact = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        const double* a = points[i];
        const double* b = points[(i + 1) % n];
        exact -= 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    cr_assert_float_eq(g.panels[0].area, exact, ROUNDING);
    hed_garment_free(&g);
}

// Every position of every outline point has a say: turned pieces must work as well.
Test(panel, turned_strips) {
    for (int32_t k = 0; k < 24; ++k) {
        double c = cos(0.37 * k), d = sin(0.37 * k);
        double box[4][2] = {{0, 0}, {1, 0}, {1, 0.013}, {0, 0.013}};
        for (int32_t i = 0; i < 4; ++i) {
            double x = box[i][0], y = box[i][1];
            box[i][0] = c * x - d * y;
            box[i][1] = d * x + c * y;
        }
        Shape s = {0};
        add_loop(&s, 4, (const double(*)[2])box);
        HedGarment g = {0};
        HedError error = {0};
        cr_assert_eq(make(&s, 0.01, &g, &error), HED_OK, "%s", error.message);
        cr_assert_float_eq(g.panels[0].area, 0.013, ROUNDING);
        cr_assert_gt(g.panels[0].least_angle, 25.0 * PI / 180.0);
        hed_garment_free(&g);
    }
}

Test(panel, ten_thousand_triangles) {
    Shape s = {0};
    add_loop(&s, 4, (const double[4][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.0152, &g, &error), HED_OK, "%s", error.message);
    cr_assert(g.panels[0].triangle_count > 9000 && g.panels[0].triangle_count < 12000, "%d",
              g.panels[0].triangle_count);
    check_mesh(g.panels, 0, false, 0.0152);
    hed_garment_free(&g);
}

static void expect_failure(const Shape* s, double size, const char* message) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(s, size, &g, &error), HED_INVALID);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(g.panels);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_loop_failure(int32_t count, const double (*points)[2], const char* message) {
    Shape s = {0};
    add_loop(&s, count, points);
    expect_failure(&s, 0.1, message);
}

Test(panel, outlines_that_cannot_be_meshed) {
    expect_loop_failure(4, (const double[4][2]){{0, 0}, {1, 1}, {1, 0}, {0, 0.9}},
                        "panel 'p': edges 0 and 2 cross at (0.473684, 0.473684) m");
    expect_loop_failure(5, (const double[5][2]){{0, 0}, {1, 0}, {1, 1}, {0.5, 0}, {0, 1}},
                        "panel 'p': edges 0 and 3 pass through the same point (0.5, 0) m");
    expect_loop_failure(5, (const double[5][2]){{0, 0}, {1, 0}, {1, 1}, {0.53, 0}, {0, 1}},
                        "panel 'p': edge 0 touches edge 3 at (0.53, 0) m");
    expect_loop_failure(4, (const double[4][2]){{0, 0}, {1, 0}, {1, 0}, {0, 1}},
                        "panel 'p': edge 1 begins and ends at the same place (1, 0) m: vertices 1 "
                        "and 2");
    expect_loop_failure(4, (const double[4][2]){{0, 0}, {1, 0}, {NAN, 1}, {0, 1}},
                        "panel 'p': vertex 2 must be finite, got (nan, 1)");
    expect_loop_failure(2, (const double[2][2]){{0, 0}, {1, 0}},
                        "panel 'p': edges 0 and 1 pass through the same point (0.9, 0) m");
    expect_loop_failure(3, (const double[3][2]){{0, 0}, {1, 0}, {0.47, 0}},
                        "panel 'p': edge 0 touches edge 2 at (0.094, 0) m");
}

// One step there and one back leave nothing between.
Test(panel, outlines_without_area) {
    Shape s = {0};
    add_loop(&s, 2, (const double[2][2]){{0, 0}, {1, 0}});
    expect_failure(&s, 3.0,
                   "panel 'p': its outline runs back on itself at (0, 0) m and has no area");
}

Test(panel, loops_that_do_not_fit) {
    static const double SQUARE[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const double INNER[4][2] = {{0.1, 0.1}, {0.9, 0.1}, {0.9, 0.9}, {0.1, 0.9}};
    static const double CORE[4][2] = {{0.4, 0.4}, {0.6, 0.4}, {0.6, 0.6}, {0.4, 0.6}};
    static const double BESIDE[3][2] = {{2, 0}, {3, 0}, {3, 1}};
    Shape s = {0};
    add_loop(&s, 4, SQUARE);
    add_loop(&s, 4, INNER);
    add_loop(&s, 4, CORE);
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.1, &g, &error), HED_INVALID);
    cr_assert(strstr(error.message, "bounds a part inside of a hole"), "%s", error.message);
    s = (Shape){0};
    add_loop(&s, 4, SQUARE);
    add_loop(&s, 3, BESIDE);
    cr_assert_eq(make(&s, 0.1, &g, &error), HED_INVALID);
    cr_assert(strstr(error.message, "bounds a second piece outside of the outline"), "%s",
              error.message);
}

Test(panel, edges_that_do_not_join) {
    Shape s = {0};
    add_loop(&s, 4, (const double[4][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    s.edges[2].start = 3;
    s.edges[2].end = 2;
    expect_failure(&s, 0.1, "panel 'p': edge 1 ends at vertex 2, but edge 2 begins at vertex 3");
    s.edges[2] = (HedPanelEdge){.start = 2, .end = 7};
    expect_failure(&s, 0.1, "panel 'p': edge 2 names vertex 7; there are vertices 0 to 3");
    s.edges[2] = (HedPanelEdge){.start = 2, .end = 3};
    s.edge_count = 3;
    expect_failure(&s, 0.1,
                   "panel 'p': the outline is open: edge 2 ends at vertex 3, edge 0 begins at "
                   "vertex 0");
    s.edge_count = 1;
    expect_failure(&s, 0.1, "panel 'p': needs at least 2 edges, got 1");
    s.edge_count = 4;
    s.edges[1].kind = HED_EDGE_ARC;
    s.edges[1].radius = 0.3;
    expect_failure(&s, 0.1,
                   "panel 'p': edge 1: the radius of an arc must be at least half the distance of "
                   "its ends, 0.5 m, got 0.3 m");
    s.edges[1] = (HedPanelEdge){
        .start = 1, .end = 2, .kind = HED_EDGE_QUADRATIC, .control = {{INFINITY, 0}}};
    expect_failure(&s, 0.1, "panel 'p': edge 1 has no finite length");
}

Test(panel, sizes_that_cannot_be) {
    Shape s = {0};
    add_loop(&s, 4, (const double[4][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    expect_failure(&s, 0.0, "garment: the target size must be positive and finite, got 0 m");
    expect_failure(&s, NAN, "garment: the target size must be positive and finite, got nan m");
    expect_failure(&s, 1e-4,
                   "panel 'p': a target size of 0.0001 m asks for 2e+08 points, more than 4000000");
    expect_failure(&s, 1e-300,
                   "panel 'p': edge 0 is 1 m long; a target size of 1e-300 m asks for 1e+300 "
                   "points on it, more than 1000000");
}

Test(panel, short_edges_are_noted) {
    Shape s = {0};
    add_loop(&s, 5, (const double[5][2]){{0, 0}, {1, 0}, {1, 1}, {0.999, 1}, {0, 1}});
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(make(&s, 0.1, &g, &error), HED_OK, "%s", error.message);
    cr_assert_eq(g.note_count, 1);
    cr_assert_str_eq(g.notes[0], "panel 'p': edge 2 is 0.001 m long, much shorter than the target "
                                 "size; triangles get small there");
    cr_assert_float_eq(g.panels[0].area, 1.0, ROUNDING);
    hed_garment_free(&g);
}
