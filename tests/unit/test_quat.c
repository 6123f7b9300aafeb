// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "math/quat.h"

#include <criterion/criterion.h>

// Unit quaternions are right to a few roundings; products of a dozen terms to ten times that.
static const double TOLERANCE = 4e-15;

static HedVec3 draw_vector(uint64_t stream, uint64_t i) {
    return hed_vec3(hed_random_normal(2, stream, 3 * i), hed_random_normal(2, stream, 3 * i + 1),
                    hed_random_normal(2, stream, 3 * i + 2));
}

static HedQuat draw_quat(uint64_t i) {
    HedVec3 v = draw_vector(10, i);
    return hed_quat_unit((HedQuat){hed_random_normal(2, 11, i), v.x, v.y, v.z});
}

static double apart(HedVec3 a, HedVec3 b) {
    return hed_distance3(a, b);
}

// Distance of two turns: of the quaternions, up to their sign.
static double turn_apart(HedQuat a, HedQuat b) {
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    double s = dot < 0.0 ? -1.0 : 1.0;
    return fabs(a.w - s * b.w) + fabs(a.x - s * b.x) + fabs(a.y - s * b.y) + fabs(a.z - s * b.z);
}

Test(quat, quarter_turns_by_hand) {
    double quarter = 1.5707963267948966;
    HedQuat about_z = hed_quat_from_vector(hed_vec3(0.0, 0.0, quarter));
    cr_assert_lt(apart(hed_quat_rotate(about_z, hed_vec3(1, 0, 0)), hed_vec3(0, 1, 0)), TOLERANCE);
    cr_assert_lt(apart(hed_quat_rotate(about_z, hed_vec3(0, 1, 0)), hed_vec3(-1, 0, 0)), TOLERANCE);
    HedQuat about_x = hed_quat_from_vector(hed_vec3(quarter, 0.0, 0.0));
    // First about x (y to z), then about z (z stays).
    HedQuat both = hed_quat_mul(about_z, about_x);
    cr_assert_lt(apart(hed_quat_rotate(both, hed_vec3(0, 1, 0)), hed_vec3(0, 0, 1)), TOLERANCE);
    cr_assert_lt(apart(hed_quat_rotate(both, hed_vec3(1, 0, 0)), hed_vec3(0, 1, 0)), TOLERANCE);
}

Test(quat, matrix_product_and_rotation_agree) {
    for (uint64_t i = 0; i < 1000; ++i) {
        HedQuat a = draw_quat(2 * i);
        HedQuat b = draw_quat(2 * i + 1);
        HedVec3 v = draw_vector(20, i);
        double size = hed_norm3(v);
        HedVec3 one = hed_quat_rotate(a, hed_quat_rotate(b, v));
        HedVec3 two = hed_quat_rotate(hed_quat_mul(a, b), v);
        HedMat3 m = hed_mat3_mul(hed_quat_matrix(a), hed_quat_matrix(b));
        cr_assert_lt(apart(one, two), TOLERANCE * size);
        cr_assert_lt(apart(one, hed_mat3_apply(m, v)), TOLERANCE * size);
        cr_assert_lt(fabs(hed_norm3(one) - size), TOLERANCE * size);
        HedVec3 back = hed_quat_rotate(hed_quat_conjugate(a), hed_quat_rotate(a, v));
        cr_assert_lt(apart(back, v), TOLERANCE * size);
    }
}

Test(quat, unit_of_zero_is_the_identity) {
    HedQuat q = hed_quat_unit((HedQuat){0.0, 0.0, 0.0, 0.0});
    cr_assert(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
}

Test(quat, vector_round_trip_at_all_angles) {
    double angles[] = {0.0, 1e-300, 1e-16, 1e-12, 2e-12, 1e-8, 0.1, 1.0, 3.0, 3.14159};
    for (uint64_t i = 0; i < 100; ++i) {
        HedVec3 axis = hed_unit3(draw_vector(30, i), hed_vec3(1, 0, 0));
        for (int k = 0; k < 10; ++k) {
            HedVec3 v = hed_mul3(angles[k], axis);
            HedVec3 back = hed_quat_to_vector(hed_quat_from_vector(v));
            // Relative to the angle: small turns are not lost.
            cr_assert_leq(apart(v, back), TOLERANCE * angles[k] + 1e-315, "angle %g", angles[k]);
        }
    }
}

Test(quat, vector_of_a_negated_quaternion_is_the_same_turn) {
    for (uint64_t i = 0; i < 100; ++i) {
        HedQuat q = draw_quat(i);
        HedQuat minus = {-q.w, -q.x, -q.y, -q.z};
        cr_assert_eq(apart(hed_quat_to_vector(q), hed_quat_to_vector(minus)), 0.0);
        cr_assert_leq(hed_norm3(hed_quat_to_vector(q)), 3.1415926535897936);
    }
}

Test(quat, slerp_ends_and_midpoints) {
    for (uint64_t i = 0; i < 1000; ++i) {
        HedQuat a = draw_quat(2 * i);
        HedQuat b = draw_quat(2 * i + 1);
        cr_assert_lt(turn_apart(hed_quat_slerp(a, b, 0.0), a), TOLERANCE);
        cr_assert_lt(turn_apart(hed_quat_slerp(a, b, 1.0), b), TOLERANCE);
        // The midpoint is the normalised mean of the two on the same side.
        double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
        double s = dot < 0.0 ? -1.0 : 1.0;
        HedQuat sum = {a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
        cr_assert_lt(turn_apart(hed_quat_slerp(a, b, 0.5), hed_quat_unit(sum)), TOLERANCE);
        // From both ends the same way.
        HedQuat there = hed_quat_slerp(a, b, 0.3);
        cr_assert_lt(turn_apart(there, hed_quat_slerp(b, a, 0.7)), 4.0 * TOLERANCE);
    }
}

Test(quat, slerp_turns_steadily_about_one_axis) {
    HedQuat a = hed_quat_from_vector(hed_vec3(0.0, 0.2, 0.0));
    HedQuat b = hed_quat_from_vector(hed_vec3(0.0, 2.2, 0.0));
    for (int k = 0; k <= 10; ++k) {
        HedVec3 turn = hed_quat_to_vector(hed_quat_slerp(a, b, 0.1 * k));
        cr_assert_lt(apart(turn, hed_vec3(0.0, 0.2 + 0.2 * k, 0.0)), TOLERANCE);
    }
}

Test(quat, slerp_between_equal_turns_stays) {
    HedQuat a = draw_quat(5);
    HedQuat minus = {-a.w, -a.x, -a.y, -a.z};
    cr_assert_lt(turn_apart(hed_quat_slerp(a, a, 0.4), a), TOLERANCE);
    cr_assert_lt(turn_apart(hed_quat_slerp(a, minus, 0.4), a), TOLERANCE);
}

Test(quat, pose_inverse) {
    for (uint64_t i = 0; i < 1000; ++i) {
        HedPose pose = {draw_vector(40, i), draw_quat(i)};
        HedVec3 p = draw_vector(41, i);
        double size = hed_norm3(p) + hed_norm3(pose.position);
        HedVec3 there = hed_pose_apply(pose, p);
        HedVec3 turned = hed_mat3_apply(hed_quat_matrix(pose.rotation), p);
        cr_assert_lt(apart(there, hed_add3(turned, pose.position)), TOLERANCE * size);
        cr_assert_lt(apart(hed_pose_apply_inverse(pose, there), p), TOLERANCE * size);
        HedVec3 back = hed_pose_apply_inverse(pose, p);
        cr_assert_lt(apart(hed_pose_apply(pose, back), p), TOLERANCE * size);
    }
}
