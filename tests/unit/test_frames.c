// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "math/frame.h"
#include "math/quat.h"

#include <criterion/criterion.h>

// A few operations on numbers of up to 1, or pi/2, each rounded by half a unit in its last place.
static const double ROUNDING = 1e-15;

static HedVec3 random_unit(uint64_t stream, uint64_t i) {
    HedVec3 v = {hed_random_normal(5, stream, 3 * i), hed_random_normal(5, stream, 3 * i + 1),
                 hed_random_normal(5, stream, 3 * i + 2)};
    return hed_unit3(v, hed_vec3(1, 0, 0));
}

// The smallest rotation as a quaternion, which shares nothing with the formula under test.
static HedVec3 rotate_by_quat(HedVec3 w, HedVec3 a, HedVec3 b) {
    HedVec3 axis = hed_cross3(a, b);
    double angle = atan2(hed_norm3(axis), hed_dot3(a, b));
    return hed_quat_rotate(hed_quat_from_vector(hed_mul3(angle, hed_unit3(axis, a))), w);
}

Test(frames, transport_is_the_smallest_rotation) {
    for (uint64_t i = 0; i < 2000; ++i) {
        HedVec3 a = random_unit(1, i), b = random_unit(2, i);
        // Twice, because the first leaves a part along a where the random vector is nearly along a.
        HedVec3 w = hed_across3(hed_across3(random_unit(3, i), a), a);
        HedVec3 p = hed_transport3(w, a, b);
        // 1 + a.b is known to 1e-16; what that does to a result grows with its inverse.
        double tolerance = 1e-14 / (1.0 + hed_dot3(a, b));
        double off = hed_distance3(p, rotate_by_quat(w, a, b));
        cr_assert_lt(off, tolerance, "%g for 1 + a.b = %g", off, 1.0 + hed_dot3(a, b));
        cr_assert_lt(fabs(hed_dot3(p, b)), tolerance);
        cr_assert_float_eq(hed_norm3(p), 1.0, tolerance);
    }
}

Test(frames, transport_to_the_opposite_side_is_finite) {
    HedVec3 a = {0, 0, 1}, w = {1, 0, 0};
    HedVec3 p = hed_transport3(w, a, hed_vec3(0, 0, -1));
    cr_assert(hed_distance3(p, w) < ROUNDING);
    HedVec3 none = hed_across3(a, a);
    cr_assert_float_eq(hed_norm3(none), 1.0, ROUNDING);
    cr_assert_float_eq(hed_dot3(none, a), 0.0, ROUNDING);
    cr_assert_float_eq(hed_norm3(hed_across3((HedVec3){0}, a)), 1.0, ROUNDING);
}

// Transport round a spherical triangle turns a director by its area (Gauss and Bonnet): an octant
// gives a right angle.
Test(frames, holonomy_is_the_area_on_the_sphere) {
    HedVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    HedVec3 w = hed_transport3(hed_transport3(hed_transport3(y, x, y), y, z), z, x);
    cr_assert_float_eq(fabs(hed_angle_about(y, w, x)), 0.5 * HED_PI, ROUNDING);
}

Test(frames, angle_agrees_with_the_library) {
    for (uint64_t i = 0; i < 100000; ++i) {
        double angle = 2.0 * HED_PI * (hed_random_uniform(9, 1, i) - 0.5);
        double size = exp(40.0 * (hed_random_uniform(9, 2, i) - 0.5));
        double y = size * sin(angle), x = size * cos(angle);
        // A unit in the last place of numbers from 2 to pi, which is 4.4e-16.
        cr_assert_float_eq(hed_angle2(y, x), atan2(y, x), 5e-16, "%g %g", y, x);
    }
    cr_assert_eq(hed_angle2(0.0, 0.0), 0.0);
    cr_assert_eq(hed_angle2(0.0, 3.0), 0.0);
    cr_assert_float_eq(hed_angle2(0.0, -3.0), HED_PI, ROUNDING);
    cr_assert_float_eq(hed_angle2(2.0, 0.0), 0.5 * HED_PI, ROUNDING);
    cr_assert_float_eq(hed_angle2(-2.0, -0.0), -0.5 * HED_PI, ROUNDING);
    cr_assert_float_eq(hed_angle2(-1e-300, 1e300), 0.0, 1e-300); // it underflows
    // Relative for small angles: a twist near zero keeps its digits.
    cr_assert_float_eq(hed_angle2(3e-12, 2.0) / 1.5e-12, 1.0, 3e-16);
}

Test(frames, cosine_and_sine_agree_with_the_library) {
    for (uint64_t i = 0; i < 100000; ++i) {
        double angle = (hed_random_uniform(9, 4, i) - 0.5) * (i % 2 ? 8.0 : 2000.0);
        HedTurn turn = hed_turn2(angle);
        // Reduction to one turn may round the angle by a unit in its last place, 2e-16 of it.
        double tolerance = 3e-16 + 2e-16 * fabs(angle);
        cr_assert_float_eq(turn.cosine, cos(angle), tolerance, "%g", angle);
        cr_assert_float_eq(turn.sine, sin(angle), tolerance, "%g", angle);
    }
    cr_assert_eq(hed_turn2(0.0).cosine, 1.0);
    cr_assert_eq(hed_turn2(0.0).sine, 0.0);
}

Test(frames, turns_are_counted) {
    double total = 0.0;
    for (int i = 1; i <= 2000; ++i) {
        double a = 0.5 * i; // 159 turns in steps of half a radian
        total = hed_angle_near(hed_angle2(sin(a), cos(a)), total);
        cr_assert_float_eq(total, a,
                           1e-12); // of up to 1000: four units in the last place are 5e-13
    }
}

Test(frames, twist_between_frames_is_the_angle_put_in) {
    for (uint64_t i = 0; i < 1000; ++i) {
        HedVec3 t0 = random_unit(5, i), t1 = random_unit(6, i);
        HedVec3 u0 = hed_across3(hed_across3(random_unit(7, i), t0), t0);
        double twist = 6.0 * (hed_random_uniform(9, 3, i) - 0.5);
        HedVec3 u1 = hed_director3(hed_transport3(u0, t0, t1), t1, twist);
        // 1 + t0.t1 is known to 1e-16, as above.
        cr_assert_float_eq(hed_frame_twist(t0, u0, t1, u1), twist,
                           1e-14 / (1.0 + hed_dot3(t0, t1)));
    }
}
