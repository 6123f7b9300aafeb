// SPDX-License-Identifier: MIT
// A point of the sheet against a body, and the friction between them.
//
// A contact point p = sum of w_i x_i (a vertex, a point of an edge or of a face) keeps a gap
//   g = phi(p) - offset,         phi the body's distance, n = grad phi, |n| = 1
// Penalty:  E = 1/2 k g^2 for g < 0,  dE/dp = k g n,  d2E/dp2 = k n n' (+ k g grad n, dropped: it
// is exact for a plane, and negative or small elsewhere). Friction: with normal force N (held over
// a step), slip s = |tangential velocity of p against the body|,
//   D = mu N f(s),  f = s^2/(2 e) below the speed e and s - e/2 above: Coulomb's law with a smooth
//   start. dD/ds = mu N min(s/e, 1); its Hessian is mu N/e (I - n n') below e, mu N/s (I - n n' - t
//   t') above.
#ifndef HED_CONTACT_KERNEL_GAP_H
#define HED_CONTACT_KERNEL_GAP_H

#include "math/mat3.h"

typedef struct HedGapOut {
    double energy;    // J
    HedVec3 gradient; // N, dE/dp
    HedMat3 hessian;  // N/m, positive semidefinite
    double push;      // N, normal force
} HedGapOut;

static inline HedGapOut hed_gap_eval(double gap, HedVec3 normal, double stiffness) {
    double g = gap < 0.0 ? gap : 0.0;
    double k = gap < 0.0 ? stiffness : 0.0;
    return (HedGapOut){
        .energy = 0.5 * k * g * g,
        .gradient = hed_mul3(k * g, normal),
        .hessian = hed_mat3_outer_diag(k, normal, 0.0),
        .push = -k * g,
    };
}

typedef struct HedFriction {
    HedVec3 normal;
    double limit; // N, mu N
    double speed; // m/s, e
} HedFriction;

typedef struct HedFrictionOut {
    double dissipation; // W
    HedVec3 gradient;   // N, dD/dw
    HedMat3 hessian;    // N s/m, positive semidefinite
} HedFrictionOut;

/// w: velocity of the contact point against the body.
static inline HedFrictionOut hed_friction_eval(HedVec3 w, HedFriction rest) {
    HedVec3 slip = hed_madd3(w, -hed_dot3(w, rest.normal), rest.normal);
    double s = hed_norm3(slip);
    bool slides = s > rest.speed;
    double ratio = slides ? rest.limit / s : rest.limit / rest.speed;
    HedVec3 t = hed_mul3(slides ? 1.0 / s : 0.0, slip);
    double f = slides ? s - 0.5 * rest.speed : 0.5 * s * s / rest.speed;
    HedMat3 across = hed_mat3_outer_diag(-ratio, rest.normal, ratio);
    return (HedFrictionOut){
        .dissipation = rest.limit * f,
        .gradient = hed_mul3(ratio, slip),
        .hessian = hed_mat3_add(across, hed_mat3_outer_diag(-ratio, t, 0.0)),
    };
}

#endif
