// SPDX-License-Identifier: MIT
// A point of the sheet against a body.
//
// A contact point p = sum of w_i x_i (a vertex, a point of an edge or of a face) keeps a gap
//   g = phi(p) - offset,         phi the body's distance, n = grad phi, |n| = 1
// Penalty: with the depth d = -g > 0, and a spring k that comes in over a depth c (may be 0),
//   E = k d^3 / (6 c),                       N = -dE/dg = k d^2 / (2 c)      d < c
//   E = 1/2 k d (d - c) + k c^2 / 6,         N = k (d - c/2)                 d >= c
//   dE/dp = -N n,   d2E/dp2 = dN/dd n n' (- N grad n, dropped: it is exact for a plane, and
//   negative or small elsewhere). With c > 0 the stiffness grows from zero, so that contacts which
//   open and close do not break the slope of the force.
#ifndef HED_CONTACT_KERNEL_GAP_H
#define HED_CONTACT_KERNEL_GAP_H

#include "math/mat3.h"

typedef struct HedGapOut {
    double energy;    // J
    HedVec3 gradient; // N, dE/dp
    HedMat3 hessian;  // N/m, positive semidefinite
    double push;      // N, normal force
} HedGapOut;

typedef struct HedGapLaw {
    double stiffness; // N/m, k
    double soft;      // m, c >= 0
} HedGapLaw;

static inline HedGapOut hed_gap_eval(double gap, HedVec3 normal, HedGapLaw law) {
    double k = gap < 0.0 ? law.stiffness : 0.0;
    double c = law.soft;
    double d = gap < 0.0 ? -gap : 0.0;
    bool is_soft = d < c;
    double over = is_soft ? d / c : 1.0;
    double push = is_soft ? 0.5 * k * d * over : k * (d - 0.5 * c);
    return (HedGapOut){
        .energy = is_soft ? push * d / 3.0 : 0.5 * k * d * (d - c) + k * c * c / 6.0,
        .gradient = hed_mul3(-push, normal),
        .hessian = hed_mat3_outer_diag(k * over, normal, 0.0),
        .push = push,
    };
}

/// While it touches, motion along the normal is damped: D = 1/2 b (w . n)^2.
typedef struct HedGapDrag {
    double dissipation; // W
    HedVec3 gradient;   // N, dD/dw
    HedMat3 hessian;    // N s/m
} HedGapDrag;

/// w: velocity of the contact point against the body; damping: N s/m, b.
static inline HedGapDrag hed_gap_drag(double gap, HedVec3 w, HedVec3 normal, double damping) {
    double b = gap < 0.0 ? damping : 0.0;
    double speed = hed_dot3(w, normal);
    return (HedGapDrag){
        .dissipation = 0.5 * b * speed * speed,
        .gradient = hed_mul3(b * speed, normal),
        .hessian = hed_mat3_outer_diag(b, normal, 0.0),
    };
}

#endif
