// SPDX-License-Identifier: MIT
// Single-precision vectors of three, by value: light, directions and places near the camera.
#ifndef HED_RENDER_VEC3F_H
#define HED_RENDER_VEC3F_H

#include <math.h>
#include <stdint.h>

#define HED_PI_F 3.14159265f

typedef struct HedVec3f {
    float x, y, z;
} HedVec3f;

/// Three axes at right angles; x is the direction of fibres, z the normal.
typedef struct HedBasis {
    HedVec3f x, y, z;
} HedBasis;

/// The larger and the smaller; unlike those of the C library without a call for NaN's sake.
static inline float hed_maxf(float a, float b) {
    return a > b ? a : b;
}

static inline float hed_minf(float a, float b) {
    return a < b ? a : b;
}

static inline HedVec3f hed_add3f(HedVec3f a, HedVec3f b) {
    return (HedVec3f){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline HedVec3f hed_sub3f(HedVec3f a, HedVec3f b) {
    return (HedVec3f){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline HedVec3f hed_mul3f(float s, HedVec3f a) {
    return (HedVec3f){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline HedVec3f hed_madd3f(HedVec3f a, float s, HedVec3f b) {
    return (HedVec3f){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline HedVec3f hed_lerp3f(HedVec3f a, HedVec3f b, float t) {
    return hed_madd3f(a, t, hed_sub3f(b, a));
}

/// Component by component: light through a filter.
static inline HedVec3f hed_each3f(HedVec3f a, HedVec3f b) {
    return (HedVec3f){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline float hed_dot3f(HedVec3f a, HedVec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline HedVec3f hed_cross3f(HedVec3f a, HedVec3f b) {
    return (HedVec3f){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float hed_norm3f(HedVec3f a) {
    return sqrtf(hed_dot3f(a, a));
}

/// a / |a|; a must not be zero.
static inline HedVec3f hed_unit3f(HedVec3f a) {
    return hed_mul3f(1.0f / hed_norm3f(a), a);
}

/// a / |a|, or fallback where a is (nearly) zero.
static inline HedVec3f hed_unit_or3f(HedVec3f a, HedVec3f fallback) {
    float square = hed_dot3f(a, a);
    return square > 1e-24f ? hed_mul3f(1.0f / sqrtf(square), a) : fallback;
}

static inline float hed_max3f(HedVec3f a) {
    return hed_maxf(a.x, hed_maxf(a.y, a.z));
}

static inline float hed_clampf(float x, float low, float high) {
    return hed_minf(high, hed_maxf(low, x));
}

/// 0 below low, 1 above high, smooth between.
static inline float hed_smoothf(float low, float high, float x) {
    float t = hed_clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

/// Mirrored at the plane with unit normal n.
static inline HedVec3f hed_mirror3f(HedVec3f a, HedVec3f n) {
    return hed_madd3f(a, -2.0f * hed_dot3f(a, n), n);
}

/// Axes about a unit normal, with x as near to a wish as it can be.
static inline HedBasis hed_basis_along(HedVec3f z, HedVec3f wish) {
    HedVec3f other =
        fabsf(z.x) < 0.6f ? (HedVec3f){1.0f, 0.0f, 0.0f} : (HedVec3f){0.0f, 1.0f, 0.0f};
    HedVec3f y = hed_cross3f(z, wish);
    if (hed_dot3f(y, y) < 1e-12f) {
        y = hed_cross3f(z, other);
    }
    y = hed_unit3f(y);
    return (HedBasis){hed_cross3f(y, z), y, z};
}

/// Some axes about a unit normal, without a branch on it but the sign (Duff and others 2017).
static inline HedBasis hed_basis_of(HedVec3f z) {
    float sign = copysignf(1.0f, z.z);
    float a = -1.0f / (sign + z.z);
    float b = z.x * z.y * a;
    return (HedBasis){
        {1.0f + sign * z.x * z.x * a, sign * b, -sign * z.x}, {b, sign + z.y * z.y * a, -z.y}, z};
}

static inline HedVec3f hed_to_local(const HedBasis* basis, HedVec3f a) {
    return (HedVec3f){hed_dot3f(a, basis->x), hed_dot3f(a, basis->y), hed_dot3f(a, basis->z)};
}

static inline HedVec3f hed_to_world(const HedBasis* basis, HedVec3f a) {
    return hed_madd3f(hed_madd3f(hed_mul3f(a.x, basis->x), a.y, basis->y), a.z, basis->z);
}

/// Cosine and sine of a number of turns from 0 to 1, to 4e-7: polynomials on an eighth of a turn.
static inline void hed_turn(float turns, float* cosine, float* sine) {
    float quarter = floorf(4.0f * turns + 0.5f);
    float x = (turns - 0.25f * quarter) * (2.0f * HED_PI_F); // within an eighth of a turn of 0
    float xx = x * x;
    float s = x * (1.0f + xx * (-1.6666667e-1f + xx * (8.3333310e-3f - 1.9841e-4f * xx)));
    float c =
        1.0f + xx * (-0.5f + xx * (4.1666646e-2f + xx * (-1.3888397e-3f + 2.4760495e-5f * xx)));
    int32_t q = (int32_t)quarter & 3;
    float swapped_c = q & 1 ? s : c;
    float swapped_s = q & 1 ? c : s;
    *cosine = q == 1 || q == 2 ? -swapped_c : swapped_c;
    *sine = q >= 2 ? -swapped_s : swapped_s;
}

#endif
