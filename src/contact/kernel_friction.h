// SPDX-License-Identifier: MIT
// Coulomb's law for all that touches, and its bound for impulses.
//
// A contact that holds is a spring between what touches. With s its slip from an anchor, in one,
// two or three components, f the limit (N, coefficient times normal force, given over a step) and d
// the slip at which it begins to slide,
//   V = f s.s/(2 d)           |s| <= d       (sticks)
//   V = f (|s| - d/2)         |s| >  d       (slides),         dV/ds = q s,  q = f/max(|s|, d).
// V is convex and depends on |s| alone: the limit is a circle, whatever the direction. So friction
// takes part in an energy that a step minimises. After the step the anchor of what slid moves until
// the spring pulls with f, and f times its way is heat. Without memory the anchor is where the step
// started. Slip may be a displacement or, over a step of given size, a velocity; V is then a
// dissipation potential (W) and d a speed.
//
// The second derivative is q (I - s s'/|s|^2) where it slides: along its way a force that is
// constant has none, and corrections by it run through rest to the other side, where the next ones
// run back. q I bounds V from above (V is concave in |s|^2), so that corrections by it never go too
// far, but they come slowly where slip goes on. `bound`, from 0 to 1, is the part of s s' that is
// put back. What begins to slide or turns gets all of it, others less each time.
#ifndef HED_CONTACT_KERNEL_FRICTION_H
#define HED_CONTACT_KERNEL_FRICTION_H

#include "math/mat3.h"

typedef struct HedFriction {
    double limit; // N, f >= 0
    double give;  // m or m/s, d > 0
} HedFriction;

typedef struct HedFrictionOut {
    double energy;    // J, or W
    double stiffness; // N/m or N s/m, q: of the spring from the anchor to the slip
    double back;      // of s s'/|s|^2 in the second derivative: -1/|s|^2 where it slides, else 0
} HedFrictionOut;

/// size: |s|.
static inline HedFrictionOut hed_friction_eval(double size, HedFriction law) {
    bool slides = size > law.give;
    double q = law.limit / (slides ? size : law.give);
    return (HedFrictionOut){
        .energy = slides ? law.limit * (size - 0.5 * law.give) : 0.5 * q * size * size,
        .stiffness = q,
        .back = slides ? -1.0 / (size * size) : 0.0,
    };
}

/// The share of the slip by which the anchor follows after a step. Without a limit nothing holds
/// it.
static inline double hed_friction_follow(double size, HedFriction law) {
    double moves = law.limit > 0.0 ? size - law.give : size;
    return moves > 0.0 ? moves / size : 0.0;
}

/// The bound for the next matrix of what slides. cosine: between its slip now and that in the last
/// matrix, 0 if it stuck there; bound: the one that it had; begins: for what begins to slide.
static inline double hed_friction_bound(double cosine, double bound, double begins) {
    const double steady = 0.8;
    const double fade = 0.1;
    return cosine > steady ? fade * bound : begins;
}

/// Friction in the plane across a normal.
typedef struct HedFrictionPlane {
    double energy;    // J, or W
    HedVec3 gradient; // N
    HedMat3 hessian;  // N/m or N s/m, positive semidefinite
} HedFrictionPlane;

static inline HedVec3 hed_friction_slip(HedVec3 w, HedVec3 normal) {
    return hed_madd3(w, -hed_dot3(w, normal), normal);
}

/// w: slip, also along the normal, which does not count.
static inline HedFrictionPlane hed_friction_plane(HedVec3 w, HedVec3 normal, HedFriction law,
                                                  double bound) {
    HedVec3 slip = hed_friction_slip(w, normal);
    HedFrictionOut f = hed_friction_eval(hed_norm3(slip), law);
    HedMat3 across = hed_mat3_outer_diag(-f.stiffness, normal, f.stiffness);
    HedMat3 along = hed_mat3_outer_diag((1.0 - bound) * f.stiffness * f.back, slip, 0.0);
    return (HedFrictionPlane){
        .energy = f.energy,
        .gradient = hed_mul3(f.stiffness, slip),
        .hessian = hed_mat3_add(across, along),
    };
}

/// Slip of two coordinates along vectors a and b that need not be orthogonal, s = a u - b v:
/// a.a, -a.b and b.b.
typedef struct HedSlipMetric {
    double uu, uv, vv;
} HedSlipMetric;

/// Friction of two coordinates.
typedef struct HedFrictionPair {
    double energy;
    double gradient[2];
    HedFrictionOut law;
} HedFrictionPair;

/// The product of two slips in space.
static inline double hed_slip_dot(HedSlipMetric m, const double a[2], const double b[2]) {
    return a[0] * (m.uu * b[0] + m.uv * b[1]) + a[1] * (m.uv * b[0] + m.vv * b[1]);
}

static inline double hed_slip_size(HedSlipMetric m, const double slip[2]) {
    double square = hed_slip_dot(m, slip, slip);
    return square > 0.0 ? sqrt(square) : 0.0;
}

static inline HedFrictionPair hed_friction_pair(HedSlipMetric m, const double slip[2],
                                                HedFriction law) {
    HedFrictionOut f = hed_friction_eval(hed_slip_size(m, slip), law);
    return (HedFrictionPair){
        .energy = f.energy,
        .gradient = {f.stiffness * (m.uu * slip[0] + m.uv * slip[1]),
                     f.stiffness * (m.uv * slip[0] + m.vv * slip[1])},
        .law = f,
    };
}

/// Its second derivative: by uu, uv and vv.
static inline HedSlipMetric hed_friction_pair_hessian(HedSlipMetric m, HedFrictionPair f,
                                                      double bound) {
    double q = f.law.stiffness;
    double back = q > 0.0 ? (1.0 - bound) * f.law.back / q : 0.0;
    const double* g = f.gradient;
    return (HedSlipMetric){q * m.uu + back * g[0] * g[0], q * m.uv + back * g[0] * g[1],
                           q * m.vv + back * g[1] * g[1]};
}

/// Friction of a push that acts as an impulse.
typedef struct HedFrictionImpulse {
    double coefficient;
    double push;     // N s, or kg m where it changes positions; >= 0
    double mobility; // 1/kg: how much slip an impulse of 1 changes
} HedFrictionImpulse;

/// The impulse that stops a slip, on top of one that the contact has given already, no larger than
/// the coefficient times the push.
static inline HedVec3 hed_friction_impulse(HedFrictionImpulse at, HedVec3 slip, HedVec3 given) {
    HedVec3 impulse = hed_madd3(given, -1.0 / at.mobility, slip);
    double size = hed_norm3(impulse);
    double most = at.coefficient * at.push;
    return size > most ? hed_mul3(most / size, impulse) : impulse;
}

#endif
