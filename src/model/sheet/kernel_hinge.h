// SPDX-License-Identifier: MIT
// Bending of two triangles that share an edge (discrete shells: Grinspun, Hirani, Desbrun,
// Schroeder 2003), by the angle between them.
//
// The edge runs from x0 to x1, x2 and x3 stand opposite. With e = x1 - x0,
//   m = e x (x2 - x0),   n = (x3 - x0) x e            normals, twice the areas long
//   theta = atan2((m x n).e/|e|, m.n)                 zero if flat, positive if m turns to n about
//   e E = 1/2 k (theta - theta0)^2.
// kernel_shell.h makes the bending of a sheet from these angles.
//
// The gradient acts along the normals, and its parts on the edge balance it:
//   p = dtheta/dx2 = -|e| m/|m|^2,   q = dtheta/dx3 = -|e| n/|n|^2,
//   dtheta/dx1 = -(s p + t q),       dtheta/dx0 = -((1 - s) p + (1 - t) q),
//   s = (x2 - x0).e/|e|^2,           t = (x3 - x0).e/|e|^2.
// The second derivative follows from the product rule on these. The positive form keeps
// k grad grad' alone.
//
// A triangle without height has no normal; below FLAT of the edge's length it exerts no force.
#ifndef HED_MODEL_SHEET_KERNEL_HINGE_H
#define HED_MODEL_SHEET_KERNEL_HINGE_H

#include "base/inline.h"
#include "math/angle.h"
#include "math/mat3.h"

typedef struct HedHingeRest {
    double angle;     // rad
    double stiffness; // J, k
    double damping;   // J s
} HedHingeRest;

/// x0, x1 on the edge, x2, x3 opposite: positions or velocities.
typedef struct HedHingePoints {
    HedVec3 x[4];
} HedHingePoints;

/// The angle and its gradient.
typedef struct HedHingeAngle {
    double angle; // rad, from -pi to pi
    HedVec3 gradient[4];
} HedHingeAngle;

/// |e|^2 below which an edge, and height over |e| below which a triangle, counts as nothing.
static const double HED_HINGE_EDGE = 1e-300;
static const double HED_HINGE_FLAT = 1e-9;

/// The parts that gradient and second derivative share.
typedef struct HedHingeParts {
    HedVec3 e, to2, to3, m, n;
    double ee, length; // |e|^2, |e|
    double mm, nn;     // 1/|m|^2, 1/|n|^2; 0 for a triangle without height
    double s, t;
} HedHingeParts;

HED_ALWAYS_INLINE double hed_hinge_inverse(HedVec3 normal, double ee) {
    double square = hed_dot3(normal, normal);
    double least = HED_HINGE_FLAT * HED_HINGE_FLAT * ee * ee;
    return ee > HED_HINGE_EDGE && square > least ? 1.0 / square : 0.0;
}

HED_ALWAYS_INLINE HedHingeParts hed_hinge_parts(HedHingePoints at) {
    HedHingeParts h;
    h.e = hed_sub3(at.x[1], at.x[0]);
    h.to2 = hed_sub3(at.x[2], at.x[0]);
    h.to3 = hed_sub3(at.x[3], at.x[0]);
    h.m = hed_cross3(h.e, h.to2);
    h.n = hed_cross3(h.to3, h.e);
    h.ee = hed_dot3(h.e, h.e);
    h.length = sqrt(h.ee);
    h.mm = hed_hinge_inverse(h.m, h.ee);
    h.nn = hed_hinge_inverse(h.n, h.ee);
    double inverse = h.ee > HED_HINGE_EDGE ? 1.0 / h.ee : 0.0;
    h.s = inverse * hed_dot3(h.to2, h.e);
    h.t = inverse * hed_dot3(h.to3, h.e);
    return h;
}

HED_ALWAYS_INLINE double hed_hinge_angle(const HedHingeParts* h) {
    double sine = hed_dot3(hed_cross3(h->m, h->n), h->e);
    double cosine = hed_dot3(h->m, h->n) * h->length;
    return hed_atan2(sine, cosine);
}

HED_ALWAYS_INLINE HedHingeAngle hed_hinge_from(const HedHingeParts* h) {
    HedVec3 p = hed_mul3(-h->length * h->mm, h->m);
    HedVec3 q = hed_mul3(-h->length * h->nn, h->n);
    HedVec3 at1 = hed_add3(hed_mul3(-h->s, p), hed_mul3(-h->t, q));
    HedVec3 at0 = hed_sub3(hed_mul3(-1.0, hed_add3(p, q)), at1);
    return (HedHingeAngle){h->mm * h->nn > 0.0 ? hed_hinge_angle(h) : 0.0, {at0, at1, p, q}};
}

static inline HedHingeAngle hed_hinge_eval(HedHingePoints at) {
    HedHingeParts h = hed_hinge_parts(at);
    return hed_hinge_from(&h);
}

/// The turn from one angle to another by the shorter way, rad.
HED_ALWAYS_INLINE double hed_hinge_turn(double to, double from) {
    const double pi = 3.14159265358979323846;
    double turn = to - from;
    return turn > pi ? turn - 2.0 * pi : (turn < -pi ? turn + 2.0 * pi : turn);
}

/// Derivatives of -|e| m / |m|^2 by the edge (x1 with x0 held) and by the far point (with x0 held),
/// where m = e x to for side +1 and to x e for side -1.
static inline void hed_hinge_pull(const HedHingeParts* h, HedVec3 to, double side, double inverse,
                                  HedMat3 by[2]) {
    HedVec3 m = side > 0.0 ? h->m : h->n;
    HedMat3 edge = hed_mat3_scale(-side, hed_mat3_skew(to)); // dm/de
    HedMat3 far = hed_mat3_scale(side, hed_mat3_skew(h->e)); // dm/dto
    double scale = -h->length * inverse;
    HedMat3 project = hed_mat3_outer_diag(-2.0 * inverse * scale, m, scale);
    by[0] = hed_mat3_add(
        hed_mat3_mul(project, edge),
        hed_mat3_outer(hed_mul3(h->length > 0.0 ? -inverse / h->length : 0.0, m), h->e));
    by[1] = hed_mat3_mul(project, far);
}

/// Second derivatives of the angle.
static inline void hed_hinge_hessian(const HedHingeParts* h, HedMat3 out[4][4]) {
    HedVec3 p = hed_mul3(-h->length * h->mm, h->m);
    HedVec3 q = hed_mul3(-h->length * h->nn, h->n);
    double inverse = h->ee > HED_HINGE_EDGE ? 1.0 / h->ee : 0.0;
    HedVec3 s_edge = hed_mul3(inverse, hed_sub3(h->to2, hed_mul3(2.0 * h->s, h->e)));
    HedVec3 t_edge = hed_mul3(inverse, hed_sub3(h->to3, hed_mul3(2.0 * h->t, h->e)));
    HedMat3 dp[2], dq[2];
    hed_hinge_pull(h, h->to2, 1.0, h->mm, dp);
    hed_hinge_pull(h, h->to3, -1.0, h->nn, dq);
    const HedMat3 none = {0};
    // Rows of the gradients of x1, x2, x3 by the same; those of x0 follow from the sums being zero.
    out[2][1] = dp[0];
    out[2][2] = dp[1];
    out[2][3] = none;
    out[3][1] = dq[0];
    out[3][2] = none;
    out[3][3] = dq[1];
    out[1][2] = hed_mat3_transpose(dp[0]);
    out[1][3] = hed_mat3_transpose(dq[0]);
    out[1][1] = hed_mat3_scale(
        -1.0, hed_mat3_add(hed_mat3_add(hed_mat3_scale(h->s, dp[0]), hed_mat3_outer(p, s_edge)),
                           hed_mat3_add(hed_mat3_scale(h->t, dq[0]), hed_mat3_outer(q, t_edge))));
    for (int i = 1; i < 4; ++i) {
        HedMat3 sum = hed_mat3_add(out[i][1], hed_mat3_add(out[i][2], out[i][3]));
        out[i][0] = hed_mat3_scale(-1.0, sum);
        out[0][i] = hed_mat3_transpose(out[i][0]);
    }
    HedMat3 sum = hed_mat3_add(out[0][1], hed_mat3_add(out[0][2], out[0][3]));
    out[0][0] = hed_mat3_scale(-1.0, sum);
}

#endif
