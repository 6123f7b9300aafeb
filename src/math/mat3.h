// SPDX-License-Identifier: MIT
// Matrices of three by three, by value.
#ifndef HED_MATH_MAT3_H
#define HED_MATH_MAT3_H

#include "math/vec3.h"

static inline HedMat3 hed_mat3_diagonal(double a, double b, double c) {
    return (HedMat3){{{a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}}};
}

static inline HedMat3 hed_mat3_identity(void) {
    return hed_mat3_diagonal(1.0, 1.0, 1.0);
}

/// a t t' + b I
static inline HedMat3 hed_mat3_outer_diag(double a, HedVec3 t, double b) {
    double xy = a * t.x * t.y;
    double xz = a * t.x * t.z;
    double yz = a * t.y * t.z;
    return (HedMat3){
        {{a * t.x * t.x + b, xy, xz}, {xy, a * t.y * t.y + b, yz}, {xz, yz, a * t.z * t.z + b}}};
}

/// a b'
static inline HedMat3 hed_mat3_outer(HedVec3 a, HedVec3 b) {
    return (HedMat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                      {a.y * b.x, a.y * b.y, a.y * b.z},
                      {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

/// The matrix that maps b to a x b.
static inline HedMat3 hed_mat3_skew(HedVec3 a) {
    return (HedMat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}

// Written out: gcc leaves loops over three as loops, which cost the matrix of rods half its time.
static inline HedMat3 hed_mat3_add(HedMat3 a, HedMat3 b) {
    return (HedMat3){{{a.m[0][0] + b.m[0][0], a.m[0][1] + b.m[0][1], a.m[0][2] + b.m[0][2]},
                      {a.m[1][0] + b.m[1][0], a.m[1][1] + b.m[1][1], a.m[1][2] + b.m[1][2]},
                      {a.m[2][0] + b.m[2][0], a.m[2][1] + b.m[2][1], a.m[2][2] + b.m[2][2]}}};
}

static inline HedMat3 hed_mat3_scale(double s, HedMat3 a) {
    return (HedMat3){{{s * a.m[0][0], s * a.m[0][1], s * a.m[0][2]},
                      {s * a.m[1][0], s * a.m[1][1], s * a.m[1][2]},
                      {s * a.m[2][0], s * a.m[2][1], s * a.m[2][2]}}};
}

static inline HedMat3 hed_mat3_transpose(HedMat3 a) {
    return (HedMat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                      {a.m[0][1], a.m[1][1], a.m[2][1]},
                      {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

static inline HedMat3 hed_mat3_mul(HedMat3 a, HedMat3 b) {
    HedMat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

static inline HedVec3 hed_mat3_apply(HedMat3 a, HedVec3 v) {
    return (HedVec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                     a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                     a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}

/// Transpose of a, times v.
static inline HedVec3 hed_mat3_apply_transposed(HedMat3 a, HedVec3 v) {
    return (HedVec3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                     a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                     a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}

static inline double hed_mat3_determinant(HedMat3 a) {
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/// Inverse of a symmetric positive definite matrix; *ok is false (and the result zero) if it is
/// not.
HedMat3 hed_mat3_inverse_spd(HedMat3 a, bool* ok);

/// a = R S with R the rotation nearest to a and S symmetric. R is a rotation (determinant 1) for
/// every finite a: singular, inverted and zero ones too.
typedef struct HedPolar3 {
    HedMat3 rotation;
    HedMat3 stretch;
} HedPolar3;
HedPolar3 hed_mat3_polar(HedMat3 a);

/// Eigenvalues in rising order; column k of vectors belongs to value k. Symmetric input.
typedef struct HedEigen3 {
    double value[3];
    HedMat3 vectors;
} HedEigen3;
HedEigen3 hed_mat3_eigen(HedMat3 a);

#endif
