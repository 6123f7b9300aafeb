// SPDX-License-Identifier: MIT
// Air against one triangle of a sheet.
//
// w = (v0 + v1 + v2)/3 - u is the velocity of the triangle through the air; n its unit normal, A
// its area. Pressure drag F = -1/2 rho Cn A |w.n| (w.n) n and skin friction F = -1/2 rho Ct A |wt|
// wt, wt = w - (w.n) n, are the gradients (with respect to velocity) of a convex dissipation
// potential:
//   D = 1/6 rho A (Cn |w.n|^3 + Ct |wt|^3)
//   dD/dw   = 1/2 rho A (Cn |w.n| (w.n) n + Ct |wt| wt)
//   d2D/dw2 = 1/2 rho A (2 Cn |w.n| n n' + Ct (|wt| (I - n n') + wt wt'/|wt|))
// Each point takes a third; A and n are those of the present shape. A triangle without area feels
// nothing.
#ifndef HED_MODEL_LOAD_KERNEL_WIND_H
#define HED_MODEL_LOAD_KERNEL_WIND_H

#include "math/mat3.h"

typedef struct HedAir {
    HedVec3 velocity; // m/s, of the air at the triangle
    double normal;    // kg/m^3, rho Cn
    double tangent;   // kg/m^3, rho Ct
} HedAir;

typedef struct HedWindOut {
    double dissipation; // W
    HedVec3 gradient;   // N, dD/dw
    HedMat3 hessian;    // N s/m, d2D/dw2, positive semidefinite
} HedWindOut;

static inline HedWindOut hed_wind_eval(const HedVec3* x, const HedVec3* v, HedAir air) {
    HedVec3 normal = hed_cross3(hed_sub3(x[1], x[0]), hed_sub3(x[2], x[0]));
    double doubled = hed_norm3(normal);
    double half_area = 0.25 * doubled;
    HedVec3 n = hed_mul3(doubled > 0.0 ? 1.0 / doubled : 0.0, normal);
    HedVec3 mean = hed_mul3(1.0 / 3.0, hed_add3(v[0], hed_add3(v[1], v[2])));
    HedVec3 w = hed_sub3(mean, air.velocity);
    double wn = hed_dot3(w, n);
    HedVec3 wt = hed_madd3(w, -wn, n);
    double st = hed_norm3(wt);
    HedVec3 t = hed_mul3(st > 0.0 ? 1.0 / st : 0.0, wt);
    double cn = half_area * air.normal;
    double ct = half_area * air.tangent;
    HedMat3 along = hed_mat3_outer_diag(2.0 * cn * fabs(wn) - ct * st, n, ct * st);
    return (HedWindOut){
        .dissipation = (cn * fabs(wn) * wn * wn + ct * st * st * st) / 3.0,
        .gradient = hed_add3(hed_mul3(cn * fabs(wn) * wn, n), hed_mul3(ct * st, wt)),
        .hessian = hed_mat3_add(along, hed_mat3_outer_diag(ct * st, t, 0.0)),
    };
}

#endif
