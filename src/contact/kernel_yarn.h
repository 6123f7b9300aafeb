// SPDX-License-Identifier: MIT
// Two points of yarns that press on each other: one pair of quadrature points of the contact
// integral (Kaldor 2011, equations 4.7, 4.8 and 4.10).
//   E = c f(u),  u = |d|^2 / R^2,  d = y_j - y_i,  R = r_i + r_j,  f(u) = 1/u + u - 2 for u < 1
// with c = k w_i w_j: stiffness k in N/m, w quadrature weight times rest length in m. No root is
// needed.
//   dE/dd = (2 c/R^2) f' d                              f' = 1 - 1/u^2
//   d2E/dd2 = (2 c/R^2) (f' I + (2/R^2) f'' d d')       f'' = 2/u^3
//           = (2 c/R^2) ((1 + 3/u^2) n n' + f' (I - n n'))
// f' is negative, so the positive form keeps the part along n only. Below U_LEAST (a hundredth of
// R) f goes on as a straight line in u: same value and slope, so that overlapping input gives large
// but finite forces; the continuous test (yarn_ccd.h) keeps steps from getting there.
//   D = a |w|^2 + (b - a) (n . w)^2,   w = velocity of d;  a, b >= 0: damping across and along n,
//   times w_i w_j, in N s/m.
#ifndef HED_CONTACT_KERNEL_YARN_H
#define HED_CONTACT_KERNEL_YARN_H

#include "math/mat3.h"

#define HED_YARN_U_LEAST 1e-4

/// f and its derivatives at u, without units.
typedef struct HedYarnLaw {
    double value;   // f
    double slope;   // f', what stiffness across n comes to
    double along;   // f' + 2 u f'', stiffness along n
    double inverse; // 1 / max(u, U_LEAST)
    double touch;   // 1 where u < 1, else 0
} HedYarnLaw;

static inline HedYarnLaw hed_yarn_law(double u) {
    double held = u > HED_YARN_U_LEAST ? u : HED_YARN_U_LEAST;
    double inverse = 1.0 / held;
    double touch = u < 1.0 ? 1.0 : 0.0;
    double square = inverse * inverse;
    double slope = touch * (1.0 - square);
    double bend = u < HED_YARN_U_LEAST ? 0.0 : 4.0 * square;
    return (HedYarnLaw){
        .value = touch * (inverse + held - 2.0) + slope * (u - held),
        .slope = slope,
        .along = slope + touch * bend,
        .inverse = inverse,
        .touch = touch,
    };
}

typedef struct HedYarnPairRest {
    double reach;     // m, R
    double stiffness; // J, c
    double along;     // N s/m, b
    double across;    // N s/m, a
} HedYarnPairRest;

typedef struct HedYarnPairOut {
    double energy;         // J
    HedVec3 gradient;      // N, dE/dd
    HedMat3 hessian;       // N/m, exact
    HedMat3 positive;      // N/m
    double dissipation;    // W
    HedVec3 rate_gradient; // N, dD/dw
    HedMat3 rate_hessian;  // N s/m
} HedYarnPairOut;

/// w: velocity of d.
static inline HedYarnPairOut hed_yarn_pair_eval(HedVec3 d, HedVec3 w, HedYarnPairRest rest) {
    double over = 1.0 / (rest.reach * rest.reach);
    HedYarnLaw law = hed_yarn_law(over * hed_dot3(d, d));
    double scale = 2.0 * over * rest.stiffness;
    double square = over * law.inverse; // 1/|d|^2
    double speed = hed_dot3(d, w);
    double more = law.touch * (rest.along - rest.across);
    double across = law.touch * rest.across;
    double outer = scale * (law.along - law.slope) * square;
    return (HedYarnPairOut){
        .energy = rest.stiffness * law.value,
        .gradient = hed_mul3(scale * law.slope, d),
        .hessian = hed_mat3_outer_diag(outer, d, scale * law.slope),
        .positive = hed_mat3_outer_diag(scale * fmax(law.along, 0.0) * square, d, 0.0),
        .dissipation = across * hed_dot3(w, w) + more * square * speed * speed,
        .rate_gradient = hed_madd3(hed_mul3(2.0 * across, w), 2.0 * more * square * speed, d),
        .rate_hessian = hed_mat3_outer_diag(2.0 * more * square, d, 2.0 * across),
    };
}

#endif
