// SPDX-License-Identifier: MIT
// Vectors of three, by value.
#ifndef HED_MATH_VEC3_H
#define HED_MATH_VEC3_H

#include "heddle/vec.h"

#include <math.h>
#include <stdbool.h>

static inline HedVec3 hed_vec3(double x, double y, double z) {
    return (HedVec3){x, y, z};
}

static inline HedVec3 hed_add3(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline HedVec3 hed_sub3(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline HedVec3 hed_mul3(double s, HedVec3 a) {
    return (HedVec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline HedVec3 hed_madd3(HedVec3 a, double s, HedVec3 b) {
    return (HedVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/// (1 - t) a + t b
static inline HedVec3 hed_lerp3(HedVec3 a, HedVec3 b, double t) {
    return hed_madd3(a, t, hed_sub3(b, a));
}

static inline double hed_dot3(HedVec3 a, HedVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline HedVec3 hed_cross3(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double hed_norm3(HedVec3 a) {
    return sqrt(hed_dot3(a, a));
}

static inline double hed_distance3(HedVec3 a, HedVec3 b) {
    return hed_norm3(hed_sub3(a, b));
}

/// a / |a|, or fallback where a is zero.
static inline HedVec3 hed_unit3(HedVec3 a, HedVec3 fallback) {
    double length = hed_norm3(a);
    return length > 0.0 ? hed_mul3(1.0 / length, a) : fallback;
}

/// Coordinate 0, 1 or 2.
static inline double hed_get3(HedVec3 a, int axis) {
    return axis == 0 ? a.x : (axis == 1 ? a.y : a.z);
}

static inline void hed_set3(HedVec3* a, int axis, double value) {
    *(axis == 0 ? &a->x : (axis == 1 ? &a->y : &a->z)) = value;
}

static inline bool hed_is_finite3(HedVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Some unit vector at a right angle to a unit vector.
static inline HedVec3 hed_perpendicular3(HedVec3 n) {
    HedVec3 axis = fabs(n.x) < 0.6 ? (HedVec3){1.0, 0.0, 0.0} : (HedVec3){0.0, 1.0, 0.0};
    return hed_unit3(hed_cross3(n, axis), (HedVec3){0.0, 0.0, 1.0});
}

#endif
