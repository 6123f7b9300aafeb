// SPDX-License-Identifier: MIT
// The energy of a vector's length, which springs and curvature elements share.
//   E(d) = 1/2 k (|d| - L)^2        l = |d|,  t = d / l
//   dE/dd = k (l - L) t
//   d2E/dd2 = k t t' + k (1 - L/l) (I - t t')
// The second part is negative under compression; the positive form drops it there. For L = 0 both
// parts are k and nothing is singular at d = 0. For L > 0 and d = 0 the direction is undefined: no
// force.
//   D = 1/2 c (dl/dt)^2, the damping of the change of length alone; dl/dt = t . d'
// Over an implicit step of size h the rate is (l - l_start)/h: exactly zero if d only turns, which
// t . d' with d' = (d - d_start)/h is not (it sees the chord as a lengthening). h D is then a
// potential of the end position, with
//   d(hD)/dd = c (l - l_start)/h t,    d2(hD)/dd2 = c/h t t' + c (l - l_start)/(h l) (I - t t').
#ifndef HED_STATE_RADIAL_H
#define HED_STATE_RADIAL_H

#include "math/mat3.h"

#include <stdbool.h>

typedef struct HedRadial {
    double energy;      // J
    HedVec3 gradient;   // dE/dd
    double along;       // Hessian is along t t' + across (I - t t')
    double across;      // exact
    HedVec3 t;          // zero where d is
    double dissipation; // W
    HedVec3 rate_gradient;
    double rate_across; // change of rate_gradient with d across t, over a step
} HedRadial;

/// A vector's length, its inverse (0 for none) and its rate of change.
typedef struct HedLength {
    double l;
    double inverse;
    double speed;
} HedLength;

static inline HedRadial hed_radial_from(HedVec3 d, HedLength length, double k, double rest,
                                        double c) {
    HedVec3 t = hed_mul3(length.inverse, d);
    double stretch = length.l - rest;
    double speed = length.speed;
    return (HedRadial){
        .energy = 0.5 * k * stretch * stretch,
        .gradient = hed_mul3(k * stretch, t),
        .along = k,
        .across = k - k * rest * length.inverse,
        .t = t,
        .dissipation = 0.5 * c * speed * speed,
        .rate_gradient = hed_mul3(c * speed, t),
        .rate_across = c * speed * length.inverse,
    };
}

/// rate: velocity of d.
static inline HedRadial hed_radial(HedVec3 d, HedVec3 rate, double k, double rest, double c) {
    double l = sqrt(hed_dot3(d, d));
    double inverse = l > 0.0 ? 1.0 / l : 0.0;
    double speed = inverse * hed_dot3(d, rate);
    return hed_radial_from(d, (HedLength){l, inverse, speed}, k, rest, c);
}

/// start: d at the start of a step; over: 1/s, the inverse of its size.
static inline HedRadial hed_radial_step(HedVec3 d, HedVec3 start, double over, double k,
                                        double rest, double c) {
    double l = sqrt(hed_dot3(d, d));
    double inverse = l > 0.0 ? 1.0 / l : 0.0;
    double speed = over * (l - sqrt(hed_dot3(start, start)));
    return hed_radial_from(d, (HedLength){l, inverse, speed}, k, rest, c);
}

/// The Hessian times a vector, exact or in its positive form.
static inline HedVec3 hed_radial_product(const HedRadial* r, HedVec3 d, bool is_exact) {
    double across = is_exact ? r->across : fmax(r->across, 0.0);
    double part = (r->along - across) * hed_dot3(r->t, d);
    return hed_madd3(hed_mul3(across, d), part, r->t);
}

/// along t t' + across (I - t t'), the block that weights w_i w_j carry to the points.
static inline HedMat3 hed_radial_block(HedVec3 t, double along, double across) {
    return hed_mat3_outer_diag(along - across, t, across);
}

#endif
