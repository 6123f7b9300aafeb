// SPDX-License-Identifier: MIT
// Garments in JSON: units, curves, places, stitches; the skirt of the scenes; files that are
// refused.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "geom/topology.h"
#include "heddle/fabric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of lengths, areas and angles of up to 4, sums over some dozens of triangles, each rounded by
// 1e-16.
static const double ROUNDING = 1e-14;

static const double PI = 3.14159265358979323846;

#define SQUARE "[[0,0],[50,0],[50,50],[0,50]]"
#define LOOP                                                                                       \
    "{\"endpoints\":[0,1]},{\"endpoints\":[1,2]},{\"endpoints\":[2,3]},{\"endpoints\":[3,0]}"
#define PANEL "{\"vertices\":" SQUARE ",\"edges\":[" LOOP "]}"

static HedGarment parse(const char* text) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_parse(text, strlen(text), "f", 0.05, &g, &error), HED_OK, "%s",
                 error.message);
    return g;
}

static void refuse(const char* text, HedStatus status, const char* message) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_parse(text, strlen(text), "f", 0.05, &g, &error), status, "%s: %s",
                 text, error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(g.panels);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(garment, units_and_defaults) {
    HedGarment g = parse("{\"pattern\":{\"panels\":{\"a\":" PANEL "}}}");
    cr_assert_eq(g.panel_count, 1);
    cr_assert_str_eq(g.panels[0].name, "a");
    cr_assert_float_eq(g.panels[0].area, 0.25, ROUNDING, "centimetres if nothing is said");
    hed_garment_free(&g);
    g = parse("{\"pattern\":{\"panels\":{\"a\":" PANEL
              "}},\"properties\":{\"units_in_meter\":200}}");
    cr_assert_float_eq(g.panels[0].area, 0.0625, ROUNDING);
    hed_garment_free(&g);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// Rz(90) Ry(0) Rx(90): (x, y, 0) -> Rx -> (x, 0, y) -> Rz -> (0, x, y).
Test(garment, euler_angles) {
    HedGarment g = parse("{\"pattern\":{\"panels\":{\"a\":{\"vertices\":" SQUARE ",\"edges\":[" LOOP
                         "],\"translation\":[100,200,300],\"rotation\":[90,0,90]}}}}");
    for (int32_t i = 0; i < g.panels[0].vertex_count; ++i) {
        HedMaterialPoint m = g.panels[0].material[i];
        HedVec3 x = g.panels[0].positions[i];
        cr_assert_float_eq(x.x, 1.0, ROUNDING);
        cr_assert_float_eq(x.y, 2.0 + m.u, ROUNDING);
        cr_assert_float_eq(x.z, 3.0 + m.v, ROUNDING);
    }
    hed_garment_free(&g);
}

// The bottom edge of the square, curved. A positive second number bends to the left, into the
// piece. Area between a quadratic with control height h and its chord: 2/3 * (1/2 h) * chord.
static double area_with(const char* curvature, const char* coords) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"pattern\":{\"panels\":{\"a\":{\"vertices\":" SQUARE
        ",\"edges\":[{\"endpoints\":[0,1],\"curvature\":%s},{\"endpoints\":[1,2]},"
        "{\"endpoints\":[2,3]},{\"endpoints\":[3,0]}]}}},\"properties\":{\"units_in_meter\":50,"
        "\"curvature_coords\":\"%s\"}}",
        curvature, coords);
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_parse(text, strlen(text), "f", 0.02, &g, &error), HED_OK, "%s",
                 error.message);
    double area = g.panels[0].area;
    hed_garment_free(&g);
    return area;
}

Test(garment, curvatures) {
    // Chords of 0.02 m miss at most 1/12 h^2 kappa per length: 4e-5 m^2 here.
    double tolerance = 5e-5;
    cr_assert_float_eq(area_with("null", "relative"), 1.0, ROUNDING);
    cr_assert_float_eq(area_with("[0.5, 0.3]", "relative"), 1.0 - 0.1, tolerance);
    cr_assert_float_eq(area_with("[0.5, -0.3]", "relative"), 1.0 + 0.1, tolerance);
    cr_assert_float_eq(area_with("{\"type\":\"quadratic\",\"params\":[[0.5, -0.3]]}", "relative"),
                       1.1, tolerance);
    cr_assert_float_eq(area_with("[25, -15]", "absolute"), 1.1, tolerance);
    // The same parabola as a cubic: control points two thirds of the way to that of the quadratic.
    cr_assert_float_eq(
        area_with("{\"type\":\"cubic\",\"params\":[[0.33333333333,-0.2],[0.66666666667,-0.2]]}",
                  "relative"),
        1.1, tolerance);
    // Half a circle to the right of the way from left to right hangs below the square.
    cr_assert_float_eq(area_with("{\"type\":\"circle\",\"params\":[25,0,1]}", "relative"),
                       1.0 + PI / 8.0, 4.0 * tolerance);
    cr_assert_float_eq(area_with("{\"type\":\"circle\",\"params\":[25,false,false]}", "relative"),
                       1.0 - PI / 8.0, 4.0 * tolerance);
}

Test(garment, stitches) {
    const char* text =
        "{\"pattern\":{\"panels\":{\"a\":" PANEL ",\"b\":" PANEL ",\"c\":" PANEL "},\"stitches\":["
        "[{\"panel\":\"a\",\"edge\":1},{\"panel\":\"b\",\"edge\":3}],"
        "[{\"panel\":\"b\",\"edge\":1},{\"panel\":\"c\",\"edge\":1},\"right_wrong\"],"
        "[{\"panel\":\"a\",\"edges\":[2,3]},{\"panel\":\"c\",\"edges\":[3,0]},"
        "{\"angle\":-90,\"gather\":true,\"name\":\"side\"}]]}}";
    HedGarment g = parse(text);
    cr_assert_eq(g.seam_count, 3);
    cr_assert_not(g.seams[0].joins_starts);
    cr_assert(g.seams[1].joins_starts);
    cr_assert_float_eq(g.seams[2].angle, -0.5 * PI, 0.1 * ROUNDING);
    cr_assert_eq(g.seams[2].sides[0].edge_count, 2);
    cr_assert_eq(g.seams[2].sides[1].edge, 3);
    cr_assert_eq(g.seams[2].point_count, 21);
    // Start of the first side meets the end of the second.
    cr_assert_eq(g.seams[0].points[0][0], g.panels[0].edge_points[1]);
    cr_assert_eq(g.seams[0].points[1][0], g.panels[1].edge_points[0]);
    cr_assert_eq(g.seams[1].points[1][0], g.panels[2].edge_points[1]);
    hed_garment_free(&g);
}

// The skirt: front and back with two darts, a band in two halves. Two borders, hem and waist: a
// tube.
Test(garment, skirt) {
    const char* source = getenv("SOURCE_DIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/skirt.json", source ? source : ".");
    cr_assert(hed_garment_is_file(path));
    double sizes[] = {0.04, 0.02, 0.013};
    for (int32_t k = 0; k < 3; ++k) {
        HedGarment g = {0};
        HedGarmentMesh mesh = {0};
        HedTopology t = {0};
        HedError error = {0};
        cr_assert_eq(hed_garment_load(path, sizes[k], &g, &error), HED_OK, "%s", error.message);
        cr_assert_eq(g.panel_count, 4);
        cr_assert_eq(g.seam_count, 10);
        cr_assert_eq(g.note_count, 0, "%s", g.note_count ? g.notes[0] : "");
        for (int32_t p = 0; p < g.panel_count; ++p) {
            cr_assert_gt(g.panels[p].least_angle, 25.0 * PI / 180.0);
        }
        for (int32_t s = 0; s < g.seam_count; ++s) {
            int32_t steps = g.seams[s].point_count - 1;
            for (int32_t w = 0; w < 2; ++w) {
                const HedSeamSide* side = g.seams[s].sides + w;
                cr_assert_eq(g.panels[side->panel].edge_steps[side->edge], steps);
            }
        }
        cr_assert_eq(hed_garment_mesh(&g, HED_SEWING_WELD, &mesh, &error), HED_OK, "%s",
                     error.message);
        cr_assert_eq(
            hed_topology_create(mesh.triangles, mesh.triangle_count, mesh.vertex_count, &t, &error),
            HED_OK);
        cr_assert_eq(t.nonmanifold_count, 0);
        cr_assert_eq(mesh.vertex_count - t.edge_count + mesh.triangle_count, 0);
        cr_assert_eq(mesh.turned_count, 0);
        hed_topology_free(&t);
        hed_garment_mesh_free(&mesh);
        hed_garment_free(&g);
    }
}

Test(garment, equal_input_gives_equal_bits) {
    const char* text = "{\"pattern\":{\"panels\":{\"a\":" PANEL "}}}";
    HedGarment a = parse(text);
    HedGarment b = parse(text);
    const HedPanel* p = a.panels;
    cr_assert_eq(p->vertex_count, b.panels[0].vertex_count);
    cr_assert_eq(p->triangle_count, b.panels[0].triangle_count);
    cr_assert_arr_eq(p->material, b.panels[0].material,
                     (size_t)p->vertex_count * sizeof p->material[0]);
    cr_assert_arr_eq(p->triangles, b.panels[0].triangles,
                     3 * (size_t)p->triangle_count * sizeof p->triangles[0]);
    hed_garment_free(&a);
    hed_garment_free(&b);
}

#define IN_PANEL(text) "{\"pattern\":{\"panels\":{\"a\":" text "}}}"
#define STITCHED(text)                                                                             \
    "{\"pattern\":{\"panels\":{\"a\":" PANEL ",\"b\":" PANEL "},\n\"stitches\":[" text "]}}"

Test(garment, files_that_are_refused) {
    refuse("{", HED_PARSE, "f:1:2: expected a name in quotes, found the end of the file");
    refuse("[]", HED_PARSE, "f:1:1: a garment must be an object, got a list");
    refuse("{}", HED_PARSE, "f:1:1: 'pattern' is missing here");
    refuse("{\"pattern\":{\"panels\":{}}}", HED_PARSE,
           "f:1:22: 'panels' must not be empty, got an object");
    refuse("{\"pattern\":{\"panels\":[]}}", HED_PARSE,
           "f:1:22: 'panels' must be an object, got a list");
    refuse("{\"pattern\":{\"panels\":{\"a\":" PANEL "}},\n\"properties\":{\"units_in_meter\":0}}",
           HED_PARSE, "f:2:32: 'units_in_meter' must be positive, got 0");
    refuse(IN_PANEL("3"), HED_PARSE, "f:1:27: a panel must be an object, got a number");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[1,\nNaN]],\"edges\":[]}"), HED_PARSE,
           "f:2:1: numbers must be finite; NaN and Infinity are not JSON");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[1]],\"edges\":[]}"), HED_PARSE,
           "f:1:46: a vertex must be a list of 2 numbers, got a list of 1");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[1,0]],\"edges\":[{\"endpoints\":[0,2]}]}"), HED_PARSE,
           "f:1:75: 'endpoints' name vertices 0 and 2; panel 'a' has 0 to 1");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[1,0]],\"edges\":[{\"endpoints\":[0,1.5]}]}"), HED_PARSE,
           "f:1:78: an endpoint must be a whole number from 0 on, got 1.5");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[1,0]],\"edges\":[{\"endpoints\":[0,1],\n\"curvature\":"
                    "{\"type\":\"spiral\",\"params\":[]}}]}"),
           HED_PARSE, "f:2:21: 'type' must be quadratic, cubic or circle, got 'spiral'");
    refuse(IN_PANEL("{\"vertices\":[[0,0],[0,0],[1,1]],\"edges\":[{\"endpoints\":[0,1]},"
                    "{\"endpoints\":[1,2]},{\"endpoints\":[2,0]}]}"),
           HED_INVALID,
           "f:1: panel 'a': edge 0 begins and ends at the same place (0, 0) m: vertices 0 and 1");
    refuse(IN_PANEL("{\"vertices\":" SQUARE ",\"edges\":[" LOOP "],\"rotation\":[1,2]}"), HED_PARSE,
           "f:1:170: 'rotation' must be a list of 3 numbers, got a list of 2");
}

Test(garment, stitches_that_are_refused) {
    refuse(STITCHED("[{\"panel\":\"a\",\"edge\":0}]"), HED_PARSE,
           "f:2:13: a stitch must be a list of two sides and perhaps a tag, got a list");
    refuse(STITCHED("[{\"panel\":\"x\",\"edge\":0},{\"panel\":\"a\",\"edge\":0}]"), HED_PARSE,
           "f:2:23: there is no panel 'x'");
    refuse(STITCHED("[{\"panel\":\"a\",\"edge\":4},{\"panel\":\"b\",\"edge\":0}]"), HED_PARSE,
           "f:2:34: panel 'a' has edges 0 to 3, got 4");
    refuse(STITCHED("[{\"panel\":\"a\",\"edges\":[0,2]},{\"panel\":\"b\",\"edge\":0}]"), HED_PARSE,
           "f:2:38: 'edges' must be edges of panel 'a' that follow each other, got 2 after 0");
    refuse(STITCHED("[{\"panel\":\"a\",\"edge\":0},{\"panel\":\"b\",\"edge\":0},\"left\"]"),
           HED_PARSE,
           "f:2:60: the third part of a stitch must be \"right_wrong\" or an object, got a text");
    refuse(STITCHED("[{\"panel\":\"a\",\"edge\":0},{\"panel\":\"b\",\"edge\":0},{\"angle\":200}]"),
           HED_PARSE,
           "f:2:69: a stitch takes right_wrong (true, false), gather (true, false), angle (-180 to "
           "180) and name (text), got 'angle', a number");
    refuse(
        STITCHED("[{\"panel\":\"a\",\"edge\":0},{\"panel\":\"a\",\"edge\":0}]"), HED_INVALID,
        "f:2: seam 0 (panel 'a' edge 0, panel 'a' edge 0): edge 0 of panel 'a' is sewn already, by "
        "seam 0 (panel 'a' edge 0, panel 'a' edge 0)");
}

Test(garment, files) {
    HedGarment g = {0};
    HedError error = {0};
    cr_assert_eq(hed_garment_load("no-such.json", 0.05, &g, &error), HED_NOT_FOUND);
    cr_assert_not(hed_garment_is_file("no-such.json"));
    cr_assert_not(hed_garment_is_file("."));
    FILE* file = fopen("scene.json", "w");
    cr_assert_not_null(file);
    fputs("{\"heddle\": 1}", file);
    fclose(file);
    cr_assert_not(hed_garment_is_file("scene.json"));
    hed_garment_free(NULL);
    hed_garment_mesh_free(NULL);
}

Test(garment, every_allocation_may_fail) {
    const char* text = STITCHED("[{\"panel\":\"a\",\"edge\":1},{\"panel\":\"b\",\"edge\":3}]");
    int32_t n = 1;
    for (;; n += 1 + n / 40) {
        HedGarment g = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_garment_parse(text, strlen(text), "f", 0.1, &g, &error);
        hed_alloc_fail_at(0);
        hed_garment_free(&g);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        if (status == HED_OK) {
            break;
        }
        cr_assert_eq(status, HED_NO_MEMORY, "%s", error.message);
    }
    cr_assert_gt(n, 60);
}
