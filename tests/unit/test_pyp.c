// SPDX-License-Identifier: MIT
// Periodic yarn patterns (.pyp): what is read, what is refused at which line, and cells put side by
// side.
#include "base/alloc.h"
#include "heddle/file.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// A cell of 4 x 2: one yarn goes on to the right, one upwards, and a ring stays in it.
static const char CELL[] = "*pattern # px py radius count\n" // 1
                           "4 2 0.125 8\n"
                           "\n"
                           "*Q # x y z t\n" // 4
                           "0 0 0 0.5\n"
                           "1 0.5 0.25 0\n"
                           "3 -0.5 0 0\n"
                           "1 1.5 0 0\n"
                           "1 0.5 0 0\n"
                           "2 1 0 0\n" // 10
                           "2.5 1 0 0\n"
                           "2 1.5 0 0\n"
                           "*E\n"
                           "0 1 0 0\n"
                           "1 2 0 0\n"
                           "2 0 1 0 # to the right\n" // 16
                           "3 4 0 1\n"
                           "4 3 0 0\n"
                           "5 6 0 0\n"
                           "6 7 0 0\n" // 20
                           "7 5 0 0\n"
                           "*RL\n1\n1\n1\n1\n1\n1\n1\n1\n";

static HedCurves parse(const char* text) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "pyp", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g) is not (%g, %g, %g)", x.x, x.y, x.z,
              a, b, c);
}

Test(pyp, follows_yarns_through_cells) {
    HedCurves curves = parse(CELL);
    cr_assert_eq(curves.curve_count, 3);
    HedCurve across = curves.curves[0], up = curves.curves[1], ring = curves.curves[2];
    cr_assert(across.count == 4 && !across.is_closed && across.radius == 0.125);
    expect_point(curves.vertices[1], 1, 0.5, 0.25);
    expect_point(curves.vertices[3], 4, 0, 0);
    cr_assert(up.first == 4 && up.count == 3 && !up.is_closed);
    expect_point(curves.vertices[5], 1, 2.5, 0);
    expect_point(curves.vertices[6], 1, 3.5, 0);
    cr_assert(ring.first == 7 && ring.count == 3 && ring.is_closed);
    expect_point(curves.period[0], 4, 0, 0);
    expect_point(curves.period[1], 0, 2, 0);
    hed_curves_free(&curves);
}

// Two cells across and three up: three yarns across with 2 x 3 + 1 points, two upwards with
// 3 x 2 + 1, six rings.
Test(pyp, tiles_join_yarns) {
    HedCurves curves = parse(CELL);
    cr_assert_eq(hed_curves_tile(&curves, 2, 3, NULL), HED_OK);
    cr_assert_eq(curves.curve_count, 3 + 2 + 6);
    cr_assert_eq(curves.vertex_count, 3 * 7 + 2 * 7 + 6 * 3);
    HedCurve second = curves.curves[1], up = curves.curves[4], ring = curves.curves[10];
    cr_assert(second.count == 7 && second.radius == 0.125);
    expect_point(curves.vertices[second.first], 0, 2, 0);
    expect_point(curves.vertices[second.first + 3], 4, 2, 0);
    expect_point(curves.vertices[second.first + 6], 8, 2, 0);
    cr_assert_eq(up.count, 7);
    expect_point(curves.vertices[up.first + 6], 5, 7.5, 0);
    cr_assert(ring.is_closed && ring.count == 3);
    expect_point(curves.vertices[ring.first], 6, 5, 0);
    expect_point(curves.period[0], 8, 0, 0);
    expect_point(curves.period[1], 0, 6, 0);
    hed_curves_free(&curves);
}

// A yarn that climbs to the left: in 3 x 2 cells it begins wherever no other copy leads.
Test(pyp, tiles_join_slanted_yarns) {
    HedCurves curves = parse("*pattern\n2 1 0.1 1\n*Q\n0 0 0 0\n*E\n0 0 -1 1\n");
    cr_assert_eq(hed_curves_tile(&curves, 3, 2, NULL), HED_OK);
    // from (0,0) and (2,1): one cell; from (1,0) and (2,0): two cells
    cr_assert_eq(curves.curve_count, 4);
    cr_assert_eq(curves.vertex_count, 2 + 3 + 3 + 2);
    cr_assert_eq(curves.curves[1].count, 3);
    expect_point(curves.vertices[curves.curves[1].first], 2, 0, 0);
    expect_point(curves.vertices[curves.curves[1].first + 2], -2, 2, 0);
    hed_curves_free(&curves);
}

Test(pyp, tiles_need_periods_and_numbers) {
    HedError error = {0};
    HedCurves curves = {0};
    const char text[] = "v 0 0 0\nv 1 0 0\nl 1 2\n";
    cr_assert_eq(hed_curves_parse(text, strlen(text), "obj", "f", &curves, NULL), HED_OK);
    cr_assert_eq(hed_curves_tile(&curves, 1, 1, &error), HED_OK);
    cr_assert_eq(hed_curves_tile(&curves, 2, 1, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "tiles need yarns that repeat, such as those of .pyp files");
    hed_curves_free(&curves);
    curves = parse(CELL);
    cr_assert_eq(hed_curves_tile(&curves, 2, 0, &error), HED_INVALID);
    cr_assert_eq(hed_curves_tile(&curves, 1001, 1, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "tiles must be from 1 to 1000 each way, got 1001 x 1");
    cr_assert_eq(curves.curve_count, 3);
    hed_curves_free(&curves);
}

static void expect_failure(const char* text, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "pyp", "f", &curves, &error);
    cr_assert_eq(status, HED_PARSE, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// The cell with one piece of text replaced by another.
static void expect_bad(const char* old, const char* new, const char* message) {
    char text[1024];
    const char* at = strstr(CELL, old);
    cr_assert(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - CELL), CELL, new, at + strlen(old));
    expect_failure(text, message);
}

Test(pyp, refuses_at_the_line) {
    expect_failure("", "f: has no rows of section '*pattern'");
    expect_failure("1 2 3\n", "f:1: must begin with a section such as '*pattern', got '1 2 3'");
    expect_bad("4 2 0.125", "0 2 0.125",
               "f:2: sizes of the cell must be positive, radius and count not negative, got '0 2 "
               "0.125 8'");
    expect_bad("8\n", "8\n1 1 1 1\n", "f:3: section '*pattern' has one row, got '1 1 1 1'");
    expect_bad("0.125 8", "0.125 9",
               "f:4: section '*Q' must have 9 rows, as '*pattern' says, got 8");
    expect_bad("0.5 0.25 0\n", "0.5 0.25\n", "f:6: rows of section '*Q' have 4 values, got 3");
    expect_bad("0.5 0.25 0\n", "0.5 nan 0\n", "f:6: expected a finite number, got 'nan'");
    expect_bad("2 0 1 0", "2 0 1.5 0",
               "f:16: an edge is two vertices and two whole numbers of cells, got '2 0 1.5 0 # to "
               "the right'");
    expect_bad("2 0 1 0", "2 8 1 0", "f:16: vertices of an edge must be below 8, got 2 and 8");
    expect_bad("2 0 1 0", "1 0 1 0", "f:16: a second edge leaves vertex 1; yarns do not branch");
    expect_bad("2 0 1 0", "2 1 1 0", "f:16: a second edge leads to vertex 1; yarns do not branch");
    expect_bad("*RL", "*E", "f:22: section '*E' again, after line 13");
    expect_bad("*RL\n1\n", "*RL\n",
               "f:22: section '*RL' must have 8 rows, as '*pattern' says, got 7");
    expect_bad("0 0 0 0.5", "1e308 1e308 0 0.5\n*R\n*Q", "f:7: section '*Q' again, after line 4");
}

static HedStatus read_and_tile(void) {
    HedCurves curves = {0};
    HedStatus status = hed_curves_parse(CELL, strlen(CELL), "pyp", "f", &curves, NULL);
    if (status == HED_OK) {
        status = hed_curves_tile(&curves, 3, 3, NULL);
    }
    hed_curves_free(&curves);
    return status;
}

Test(pyp, survives_a_lack_of_memory) {
    expect_no_memory(read_and_tile, 6);
}
