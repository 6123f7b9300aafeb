// SPDX-License-Identifier: MIT
// Curves in USD text: what is read, by which rule, and what is refused at which line.
#include "base/alloc.h"
#include "heddle/file.h"
#include "support/logs.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 1\n)\n"

static HedCurves parse(const char* text) {
    HedCurves curves = {0};
    HedError error = {0};
    logs_begin();
    HedStatus status = hed_curves_parse(text, strlen(text), "usda", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

static void expect_failure(const char* text, HedStatus expected, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "usda", "f", &curves, &error);
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert(!curves.vertices && !curves.curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g) is not (%g, %g, %g)", x.x, x.y, x.z,
              a, b, c);
}

// Two curves of one prim at their first sample, below others, among things to pass over.
static const char NESTED[] =
    "#usda 1.0\n# a comment with \"quotes\n(\n    doc = \"\"\"with { and\n  \\\"\"\"\"\n"
    "    metersPerUnit = 0.5\n    upAxis = \"Y\"\n    customLayerData = {\n string a = \")\"\n "
    "}\n)\n"
    "def Xform \"World\" (\n    prepend apiSchemas = [\"x\"]\n)\n{\n"
    "  rel material:binding = </Looks/x}>\n  asset file = @a}b@\n"
    "  def BasisCurves \"a\" (kind = \"x\")\n  {\n"
    "    uniform token basis = \"catmullRom\"\n    uniform token wrap = \"pinned\"\n"
    "    int[] curveVertexCounts = [2, 3]\n"
    "    float[] widths = [0.5, 1] (\n interpolation = \"uniform\"\n)\n"
    "    color3f[] primvars:displayColor = [(1, 0, 0), (0, 0.21586050011389926, 7)]\n"
    "    custom float x = -1e3\n"
    "    point3f[] points.timeSamples = {\n"
    "      -1.5: [(0, 0, 0), (2, 0, 0), (0, 4, 0), (2, 4, 0), (4, 4, -2.5e0)],\n"
    "      2: [(9, 9, 9)],\n    }\n"
    "    def Scope \"inner\" { float widths = 3 }\n  }\n}\n";

Test(usda_curves, samples_widths_and_colours) {
    HedCurves curves = parse(NESTED);
    cr_assert_eq(curves.curve_count, 2);
    HedCurve a = curves.curves[0], b = curves.curves[1];
    cr_assert(a.count == 2 && b.first == 2 && b.count == 3 && !a.is_closed && !b.is_closed);
    cr_assert(a.radius == 0.125 && b.radius == 0.25); // half of the width, times 0.5 m
    cr_assert_eq(a.color, 0xFF0000);
    cr_assert_eq(b.color, 0x0080FF); // 128/255 is 0.21586 in linear light
    expect_point(curves.vertices[1], 1, 0, 0);
    expect_point(curves.vertices[4], 2, 2, -1.25);
    cr_assert_eq(curves.up_axis, 1);
    cr_assert_str_empty(logs);
    hed_curves_free(&curves);
}

static HedCurves parse_kind(const char* basis, const char* wrap) {
    char text[600];
    snprintf(text, sizeof text,
             HEAD "def BasisCurves \"a\" {\n uniform token basis = \"%s\"\n uniform token wrap = "
                  "\"%s\"\n int[] curveVertexCounts = [4]\n"
                  " point3f[] points = [(0, 0, 0), (6, 0, 0), (6, 6, 0), (0, 6, 0)]\n}\n",
             basis, wrap);
    return parse(text);
}

// B-splines pass (a + 4 b + c) / 6 at their control points; without pins the ends only give
// directions.
Test(usda_curves, rules) {
    HedCurves curves = parse_kind("catmullRom", "periodic");
    cr_assert(curves.curves[0].is_closed && curves.curves[0].count == 4);
    hed_curves_free(&curves);
    curves = parse_kind("catmullRom", "nonperiodic");
    cr_assert_eq(curves.curves[0].count, 2);
    expect_point(curves.vertices[0], 6, 0, 0);
    hed_curves_free(&curves);
    curves = parse_kind("bspline", "pinned");
    cr_assert_eq(curves.curves[0].count, 4);
    expect_point(curves.vertices[0], 0, 0, 0);
    expect_point(curves.vertices[1], 5, 1, 0);
    hed_curves_free(&curves);
    curves = parse_kind("bspline", "periodic");
    cr_assert(curves.curves[0].is_closed);
    expect_point(curves.vertices[0], 1, 1, 0);
    hed_curves_free(&curves);
    curves = parse_kind("bspline", "nonperiodic");
    cr_assert_eq(curves.curves[0].count, 2);
    expect_point(curves.vertices[1], 5, 5, 0);
    hed_curves_free(&curves);
}

Test(usda_curves, units_axes_and_transforms) {
    HedCurves curves = parse("#usda 1.0\n(upAxis = \"Z\")\ndef BasisCurves \"a\" {\n"
                             "token type = \"linear\" int[] curveVertexCounts = [2] point3f[] "
                             "points = [(0, 0, 0), (100, 200, 300),]\n"
                             "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n");
    expect_point(curves.vertices[1], 1, 3, -2);
    cr_assert_eq(curves.up_axis, 2);
    cr_assert_str_eq(logs, "f: its transforms (xformOp) are passed over\n");
    hed_curves_free(&curves);
}

Test(usda_curves, refuses_at_the_line) {
    expect_failure("PXR-USDC", HED_PARSE, "f:1: must begin with '#usda', got 'PXR-U'");
    expect_failure(HEAD "def Mesh \"a\" { int[] x = [1] }\n", HED_NOT_FOUND,
                   "f: holds no BasisCurves");
    expect_failure(HEAD "def BasisCurves \"a\"\n{\n int[] curveVertexCounts = [2]\n", HED_PARSE,
                   "f:8: expected more, got the end");
    expect_failure(HEAD "def BasisCurves \"a\" {\n int[] curveVertexCounts = [2, -1]\n}\n",
                   HED_PARSE, "f:6: expected a number of points, got '-1'");
    expect_failure(HEAD "def BasisCurves \"a\" {\n point3f[] points = [(0, 0, nan)]\n}\n",
                   HED_PARSE, "f:6: expected a finite number, got 'nan'");
    expect_failure(HEAD "def BasisCurves \"a\" {\n point3f[] points = [(0, 0)]\n}\n", HED_PARSE,
                   "f:6: expected ',', got ')'");
    expect_failure(HEAD "def BasisCurves \"a\" {\n float[] widths = [-1]\n}\n", HED_PARSE,
                   "f:6: expected a width that is not negative, got '-1'");
    expect_failure(HEAD
                   "def BasisCurves \"a\" {\n int[] curveVertexCounts = [3]\n point3f[] points = "
                   "[(0, 0, 0), (1, 0, 0)]\n}\n",
                   HED_PARSE, "f:5: curveVertexCounts add up to 3, but there are 2 points");
    expect_failure(HEAD
                   "def BasisCurves \"a\" {\n int[] curveVertexCounts = [2]\n point3f[] points = "
                   "[(0, 0, 0), (1, 0, 0)]\n}\n",
                   HED_UNSUPPORTED,
                   "f:5: curves must be linear, catmullRom or bspline, got basis 'bezier' and wrap "
                   "'nonperiodic'");
    expect_failure("#usda 1.0\n(metersPerUnit = 0)\n", HED_PARSE,
                   "f:2: metersPerUnit must be positive, got 0");
    expect_failure(HEAD "def BasisCurves {\n}\n", HED_PARSE,
                   "f:5: expected the name of a prim in quotes, got '{'");
}

static HedStatus read_nested(void) {
    HedCurves curves = {0};
    HedStatus status = hed_curves_parse(NESTED, strlen(NESTED), "usda", "f", &curves, NULL);
    hed_curves_free(&curves);
    return status;
}

Test(usda_curves, survives_a_lack_of_memory) {
    expect_no_memory(read_nested, 5);
}
