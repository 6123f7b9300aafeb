// SPDX-License-Identifier: MIT
// Unit quaternions and rigid poses, by value.
#ifndef HED_MATH_QUAT_H
#define HED_MATH_QUAT_H

#include "math/mat3.h"

static inline HedQuat hed_quat_identity(void) {
    return (HedQuat){1.0, 0.0, 0.0, 0.0};
}

/// q / |q|; the identity where q is zero.
static inline HedQuat hed_quat_unit(HedQuat q) {
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return n > 0.0 ? (HedQuat){q.w / n, q.x / n, q.y / n, q.z / n} : hed_quat_identity();
}

/// Turn by |rotation| radians about the axis rotation.
static inline HedQuat hed_quat_from_vector(HedVec3 rotation) {
    double angle = hed_norm3(rotation);
    double s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    return hed_quat_unit(
        (HedQuat){cos(0.5 * angle), s * rotation.x, s * rotation.y, s * rotation.z});
}

/// First b, then a.
static inline HedQuat hed_quat_mul(HedQuat a, HedQuat b) {
    return (HedQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline HedQuat hed_quat_conjugate(HedQuat q) {
    return (HedQuat){q.w, -q.x, -q.y, -q.z};
}

static inline HedMat3 hed_quat_matrix(HedQuat q) {
    return (HedMat3){{{1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z),
                       2.0 * (q.x * q.z + q.w * q.y)},
                      {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
                       2.0 * (q.y * q.z - q.w * q.x)},
                      {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x),
                       1.0 - 2.0 * (q.x * q.x + q.y * q.y)}}};
}

static inline HedVec3 hed_quat_rotate(HedQuat q, HedVec3 v) {
    HedVec3 u = {q.x, q.y, q.z};
    HedVec3 t = hed_mul3(2.0, hed_cross3(u, v));
    return hed_add3(hed_madd3(v, q.w, t), hed_cross3(u, t));
}

/// The turn as a vector: axis times angle in [0, pi].
static inline HedVec3 hed_quat_to_vector(HedQuat q) {
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    HedVec3 u = {sign * q.x, sign * q.y, sign * q.z};
    double s = hed_norm3(u);
    double angle = 2.0 * atan2(s, sign * q.w);
    return s > 1e-12 ? hed_mul3(angle / s, u) : hed_mul3(2.0, u);
}

/// A steady turn from a (t = 0) to b (t = 1) along the shorter way.
static inline HedQuat hed_quat_slerp(HedQuat a, HedQuat b, double t) {
    HedVec3 turn = hed_quat_to_vector(hed_quat_mul(b, hed_quat_conjugate(a)));
    return hed_quat_unit(hed_quat_mul(hed_quat_from_vector(hed_mul3(t, turn)), a));
}

static inline HedVec3 hed_pose_apply(HedPose pose, HedVec3 p) {
    return hed_add3(pose.position, hed_quat_rotate(pose.rotation, p));
}

static inline HedVec3 hed_pose_apply_inverse(HedPose pose, HedVec3 p) {
    return hed_quat_rotate(hed_quat_conjugate(pose.rotation), hed_sub3(p, pose.position));
}

#endif
