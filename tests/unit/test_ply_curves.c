// SPDX-License-Identifier: MIT
// Curves in PLY files: edges that are joined, radius and colour, and what is refused where.
#include "base/alloc.h"
#include "heddle/file.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAD "ply\nformat ascii 1.0\n"
#define PLACE "property float x\nproperty float y\nproperty float z\n"
#define EDGE "property int vertex1\nproperty int vertex2\n"

static HedCurves parse(const char* text) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "ply", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

static void expect_failure(const char* text, HedStatus expected, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "ply", "f", &curves, &error);
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert(!curves.vertices && !curves.curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g)", x.x, x.y, x.z);
}

// A closed triangle whose edges run this way and that, then an open pair; edges before vertices.
static const char MIXED[] =
    HEAD "element edge 4\nproperty uchar flag\n" EDGE "element vertex 5\n" PLACE
         "property float radius\nproperty uchar red\nproperty uchar green\n"
         "property uchar blue\nend_header\n"
         "9 0 1\n9 2 1\n9 2 0\n9 3 4\n"
         "0 0 0 0.5 255 128 0\n1 0 0 0.5 255 128 0\n0 1 0 0.5 255 128 0\n"
         "5 0 0 0.25 1 2 3\n6 0 0 0.125 9 9 9\n";

Test(ply_curves, edges_are_joined) {
    HedCurves curves = parse(MIXED);
    cr_assert_eq(curves.curve_count, 2);
    HedCurve ring = curves.curves[0], line = curves.curves[1];
    cr_assert(ring.is_closed && ring.count == 3 && ring.radius == 0.5 && ring.color == 0xFF8000);
    cr_assert(!line.is_closed && line.first == 3 && line.count == 2);
    cr_assert(line.radius == 0.25 && line.color == 0x010203);
    expect_point(curves.vertices[0], 0, 0, 0);
    expect_point(curves.vertices[1], 1, 0, 0);
    expect_point(curves.vertices[2], 0, 1, 0);
    expect_point(curves.vertices[4], 6, 0, 0);
    cr_assert_eq(curves.up_axis, -1);
    hed_curves_free(&curves);
}

Test(ply_curves, plain_files_have_neither_radius_nor_colour) {
    HedCurves curves = parse(HEAD "element vertex 2\n" PLACE "element edge 1\n" EDGE
                                  "end_header\n0 0 0\n1 2 3\n1 0\n");
    cr_assert(curves.curves[0].radius == 0.0 && curves.curves[0].color == HED_COLOR_NONE);
    expect_point(curves.vertices[0], 1, 2, 3);
    hed_curves_free(&curves);
}

Test(ply_curves, refuses_at_the_line) {
    expect_failure(HEAD "element vertex 1\n" PLACE "end_header\n0 0 0\n", HED_NOT_FOUND,
                   "f: holds no edges");
    expect_failure(HEAD "element vertex 2\n" PLACE "element edge 1\nproperty int vertex1\n"
                        "end_header\n0 0 0\n1 0 0\n0\n",
                   HED_PARSE, "f:7: element 'edge' has no properties 'vertex1' and 'vertex2'");
    expect_failure(HEAD "element vertex 2\n" PLACE "element edge 1\n" EDGE
                        "end_header\n0 0 0\n1 0 0\n0 2\n",
                   HED_PARSE, "f:13: index of a vertex is out of range, got '2'");
    expect_failure(HEAD "element vertex 2\n" PLACE "property float radius\nelement edge 1\n" EDGE
                        "end_header\n0 0 0 1\n1 0 0 -1\n0 1\n",
                   HED_PARSE, "f:13: a radius must not be negative, got '-1'");
    expect_failure(HEAD
                   "element vertex 2\nproperty float x\nproperty float y\nelement edge 1\n" EDGE
                   "end_header\n0 0\n1 0\n0 1\n",
                   HED_PARSE, "f:3: element 'vertex' has no property 'z'");
    expect_failure(HEAD "element vertex 2\n" PLACE "element edge 1000000\n" EDGE
                        "end_header\n0 0 0\n1 0 0\n0 1\n",
                   HED_PARSE,
                   "f:7: cut short: 1000000 rows of element 'edge' need at least 4000000 bytes, 5 "
                   "are left");
}

static HedStatus read_mixed(void) {
    HedCurves curves = {0};
    HedStatus status = hed_curves_parse(MIXED, strlen(MIXED), "ply", "f", &curves, NULL);
    hed_curves_free(&curves);
    return status;
}

Test(ply_curves, survives_a_lack_of_memory) {
    expect_no_memory(read_mixed, 5);
}
