// SPDX-License-Identifier: MIT
#include "model/yarn_shape.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative, or of places below 1 m: a few operations.
static const double ROUNDING = 1e-14;

static const double PI = 3.14159265358979323846;

static HedYarnLine line_of(const HedVec3* points, int32_t count, bool is_closed, double length) {
    HedYarnLine line;
    HedYarnShape shape = {points, count, is_closed, length};
    HedError error;
    HedStatus status = hed_yarn_line(&shape, &line, &error);
    cr_assert_eq(status, HED_OK, "%s", status == HED_OK ? "" : error.message);
    return line;
}

Test(yarn_shape, repeated_points_are_left_out) {
    const HedVec3 points[8] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0},      {1, 0, 1e-12},
                               {1, 1, 0}, {0, 1, 0}, {0, 0, -1e-12}, {0, 0, 0}};
    HedYarnLine closed = line_of(points, 8, true, 0.0);
    cr_assert_eq(closed.count, 4);
    cr_assert_eq(closed.repeat_count, 4);
    cr_assert_eq(closed.points[3].y, 1.0);
    hed_free(closed.points);
    HedYarnLine open = line_of(points, 8, false, 0.0);
    cr_assert_eq(open.count, 5); // the end may stand where the start is
    hed_free(open.points);
}

// On a circle the curve through 40 points is within 1e-5 of it; new points stand at equal angles.
Test(yarn_shape, new_points_stand_at_equal_arc_lengths) {
    HedVec3 points[40];
    for (int k = 0; k < 40; ++k) {
        double a = 2.0 * PI * (k + 0.3 * sin(2.0 * PI * k / 40)) / 40; // unevenly given
        points[k] = hed_vec3(cos(a), sin(a), 2.0);
    }
    HedYarnLine line = line_of(points, 40, true, 0.1);
    cr_assert_eq(line.count, 63); // 2 pi / 0.1
    for (int32_t k = 0; k < line.count; ++k) {
        HedVec3 p = line.points[k];
        // 3 h^4/128, with h = 0.2 where points are farthest apart.
        cr_assert_float_eq(hypot(p.x, p.y), 1.0, 3.8e-5);
        double chord = hed_distance3(p, line.points[(k + 1) % line.count]);
        // As much of a chord of 0.1.
        cr_assert_float_eq(chord, 2.0 * sin(PI / 63), 3.8e-6);
    }
    hed_free(line.points);
    HedYarnLine open = line_of(points, 20, false, 0.5);
    cr_assert_eq(hed_distance3(open.points[0], points[0]), 0.0);
    cr_assert_eq(hed_distance3(open.points[open.count - 1], points[19]), 0.0);
    hed_free(open.points);
}

Test(yarn_shape, short_lines_keep_what_a_model_needs) {
    const HedVec3 two[2] = {{0, 0, 0}, {1, 0, 0}};
    HedYarnLine one = line_of(two, 2, false, 5.0);
    cr_assert_eq(one.count, 2); // one segment, shorter than asked for
    hed_free(one.points);
    const HedVec3 three[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedYarnLine ring = line_of(three, 3, true, 5.0);
    cr_assert_eq(ring.count, 3);
    hed_free(ring.points);
    HedYarnLine straight = line_of(two, 2, false, 0.25);
    cr_assert_eq(straight.count, 5);
    for (int k = 0; k < 5; ++k) {
        cr_assert_float_eq(straight.points[k].x, 0.25 * k, ROUNDING);
    }
    hed_free(straight.points);
}

Test(yarn_shape, bad_input_and_missing_memory_are_named) {
    HedVec3 points[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    HedYarnShape shape = {points, 3, false, 0.0};
    HedYarnLine line;
    HedError error;
    cr_assert_eq(hed_yarn_line(&shape, &line, &error), HED_INVALID);
    cr_assert(strstr(error.message, "at least 2 different points, got 1 of 3"), "%s",
              error.message);
    shape.count = 0;
    cr_assert_eq(hed_yarn_line(&shape, &line, &error), HED_INVALID);
    shape.count = 3;
    points[1].y = NAN;
    cr_assert_eq(hed_yarn_line(&shape, &line, &error), HED_INVALID);
    cr_assert(strstr(error.message, "point 1"), "%s", error.message);
    points[1] = hed_vec3(2, 1, 1);
    points[2] = hed_vec3(2, 3, 1);
    shape.segment_length = -1.0;
    cr_assert_eq(hed_yarn_line(&shape, &line, &error), HED_INVALID);
    shape.segment_length = 1e-12;
    cr_assert_eq(hed_yarn_line(&shape, &line, &error), HED_INVALID);
    cr_assert(strstr(error.message, "more than"), "%s", error.message);
    shape.segment_length = 0.1;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; n <= 2; ++n) {
        hed_alloc_fail_at(n);
        cr_assert_eq(hed_yarn_line(&shape, &line, NULL), HED_NO_MEMORY);
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
}

Test(yarn_shape, stiffness_of_a_round_section) {
    HedYarnSection s = hed_yarn_round_section(1e9, 0.3, 1e-3);
    cr_assert_float_eq(s.axial, PI * 1e3, 3e3 * ROUNDING);
    cr_assert_float_eq(s.bend, PI / 4.0 * 1e-3, 0.01 * ROUNDING);
    cr_assert_float_eq(s.bend / s.twist, 1.3, 1e-14); // validation: 1 + nu for round sections
}
