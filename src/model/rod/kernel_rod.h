// SPDX-License-Identifier: MIT
// Bending and twisting of a rod at a vertex between two segments (discrete elastic rods: Bergou,
// Wardetzky, Robinson, Audoly, Grinspun 2008; frames transported in time: Bergou, Audoly, Vouga,
// Wardetzky, Grinspun 2010).
//
// With e = x1 - x0 and f = x2 - x1, t0 and t1 their directions, chi = 1 + t0.t1, the turn is
//   k = 2 t0 x t1 / chi,                      |k| = 2 tan(phi/2), phi the angle between t0 and t1.
// Each segment j = 0, 1 has directors m1, m2 = t x m1 across it, at the angle theta_j from a
// reference frame. The turn seen from segment j is w_j = (k.m2_j, -k.m1_j). With the length
// D = (|e| + |f|)/2 at rest and the twist tau = theta_1 - theta_0 + (twist of the reference frame),
//   E = 1/(4 D) sum_j sum_c B_c (w_jc - W_jc)^2 + GJ/(2 D) (tau - T)^2,
// B_0 the stiffness EI against turning about m2 and B_1 about m1, W and T the state at rest.
//
// Reference frames follow the segments by parallel transport in time, so that for a change of e
//   d(k.m_j)/de = 1/|e| (2/chi t1 x m_j - (k.m_j) s),    s = (t0 + t1)/chi,
//   d(k.m_j)/df = 1/|f| (-2/chi t0 x m_j - (k.m_j) s),
//   dtau/de = k/(2|e|),   dtau/df = k/(2|f|)             (present lengths, not those at rest).
// All terms of dE/dx are linear in the directors: the moment q = sum_jc B_c/(2D) (w_jc - W_jc)
// (m2, -m1)_jc takes the place of m_j, and a gradient needs one evaluation of these lines.
// The second derivative is that of the same lines, with dm_j = -(m_j.dt_j) t_j, made symmetric: the
// part that is not symmetric is the holonomy of transport, which is proportional to dE/dtheta and
// vanishes for angles in equilibrium. The positive form keeps the products of first derivatives
// (Gauss and Newton).
//
// The energy grows like tan^2(phi/2): a rod resists a fold of 180 degrees without bound. chi is not
// taken below HED_ROD_FOLD (0.08 degrees before it), so that everything stays finite.
#ifndef HED_MODEL_ROD_KERNEL_ROD_H
#define HED_MODEL_ROD_KERNEL_ROD_H

#include "math/frame.h"
#include "math/mat3.h"

static const double HED_ROD_FOLD = 1e-6;

/// One segment.
typedef struct HedRodFrame {
    HedVec3 t;      // direction
    HedVec3 m1;     // director; the other is t x m1
    double inverse; // 1/m, one over the length; 0 for a segment without length
} HedRodFrame;

typedef struct HedRodRest {
    double bend[2];     // J, B_c/(2 D)
    double twist;       // J, GJ/D
    double curve[2][2]; // W_jc
    double turn;        // rad, T
} HedRodRest;

/// What all derivatives share.
typedef struct HedRodParts {
    HedVec3 k, s;
    double over;    // 2/chi
    double w[2][2]; // w_jc
    double m[2][2]; // J, B_c/(2D) (w_jc - W_jc)
    HedVec3 m2[2];  // of each frame
    HedVec3 q[2];   // moment of each frame
    double bend;    // J, bending energy
} HedRodParts;

/// dE/de and dE/df; at the points -e, e - f, f.
typedef struct HedRodGradient {
    HedVec3 e, f;
} HedRodGradient;

/// Bending energy from the turns seen by both segments, J.
static inline double hed_rod_bend(const double w[2][2], HedRodRest rest) {
    double a = w[0][0] - rest.curve[0][0], b = w[0][1] - rest.curve[0][1];
    double c = w[1][0] - rest.curve[1][0], d = w[1][1] - rest.curve[1][1];
    return 0.5 * (rest.bend[0] * (a * a + c * c) + rest.bend[1] * (b * b + d * d));
}

static inline HedRodParts hed_rod_parts(HedRodFrame a, HedRodFrame b, HedRodRest rest) {
    HedRodParts p;
    double chi = 1.0 + hed_dot3(a.t, b.t);
    p.over = 2.0 / (chi > HED_ROD_FOLD ? chi : HED_ROD_FOLD);
    p.k = hed_mul3(p.over, hed_cross3(a.t, b.t));
    p.s = hed_mul3(0.5 * p.over, hed_add3(a.t, b.t));
    p.m2[0] = hed_cross3(a.t, a.m1);
    p.m2[1] = hed_cross3(b.t, b.m1);
    p.w[0][0] = hed_dot3(p.k, p.m2[0]);
    p.w[0][1] = -hed_dot3(p.k, a.m1);
    p.w[1][0] = hed_dot3(p.k, p.m2[1]);
    p.w[1][1] = -hed_dot3(p.k, b.m1);
    p.m[0][0] = rest.bend[0] * (p.w[0][0] - rest.curve[0][0]);
    p.m[0][1] = rest.bend[1] * (p.w[0][1] - rest.curve[0][1]);
    p.m[1][0] = rest.bend[0] * (p.w[1][0] - rest.curve[1][0]);
    p.m[1][1] = rest.bend[1] * (p.w[1][1] - rest.curve[1][1]);
    p.q[0] = hed_madd3(hed_mul3(p.m[0][0], p.m2[0]), -p.m[0][1], a.m1);
    p.q[1] = hed_madd3(hed_mul3(p.m[1][0], p.m2[1]), -p.m[1][1], b.m1);
    p.bend =
        0.5 *
        (p.m[0][0] * (p.w[0][0] - rest.curve[0][0]) + p.m[0][1] * (p.w[0][1] - rest.curve[0][1]) +
         p.m[1][0] * (p.w[1][0] - rest.curve[1][0]) + p.m[1][1] * (p.w[1][1] - rest.curve[1][1]));
    return p;
}

/// The change of k.q with e and f for a q that does not change, plus moment times that of the
/// twist.
static inline HedRodGradient hed_rod_pull(HedRodFrame a, HedRodFrame b, const HedRodParts* p,
                                          HedVec3 q, double moment) {
    double along = hed_dot3(p->k, q);
    HedVec3 e = hed_madd3(hed_mul3(p->over, hed_cross3(b.t, q)), -along, p->s);
    HedVec3 f = hed_madd3(hed_mul3(-p->over, hed_cross3(a.t, q)), -along, p->s);
    HedVec3 twist = hed_mul3(0.5 * moment, p->k);
    return (HedRodGradient){hed_mul3(a.inverse, hed_add3(e, twist)),
                            hed_mul3(b.inverse, hed_add3(f, twist))};
}

/// moment = GJ/D (tau - T), J.
static inline HedRodGradient hed_rod_gradient(HedRodFrame a, HedRodFrame b, HedRodRest rest,
                                              double moment) {
    HedRodParts p = hed_rod_parts(a, b, rest);
    return hed_rod_pull(a, b, &p, hed_add3(p.q[0], p.q[1]), moment);
}

/// First and second derivatives by the two angles; d2E/(dtheta_0 dtheta_1) is -GJ/D.
typedef struct HedRodTurns {
    double slope[2]; // J, dE/dtheta_j
    double own[2];   // J, d2E/dtheta_j^2
} HedRodTurns;

/// From the turns seen by both segments: dw_0 = w_1 and dw_1 = -w_0 per angle. second is 1 for the
/// exact second derivative, 0 for the products of first derivatives.
static inline HedRodTurns hed_rod_turns(const double w[2][2], HedRodRest rest, double moment,
                                        double second) {
    HedRodTurns out;
    for (int j = 0; j < 2; ++j) {
        double w0 = w[j][0], w1 = w[j][1];
        double m0 = rest.bend[0] * (w0 - rest.curve[j][0]);
        double m1 = rest.bend[1] * (w1 - rest.curve[j][1]);
        out.slope[j] = m0 * w1 - m1 * w0 + (j == 0 ? -moment : moment);
        out.own[j] = rest.bend[0] * w1 * w1 + rest.bend[1] * w0 * w0 + rest.twist -
                     second * (m0 * w0 + m1 * w1);
    }
    return out;
}

/// All derivatives that the angles have a part in.
typedef struct HedRodAngles {
    HedRodTurns turns;
    HedRodGradient cross[2]; // N, d2E/(dx dtheta_j)
} HedRodAngles;

/// is_exact false: products of first derivatives alone, jointly positive with hed_rod_positive.
static inline HedRodAngles hed_rod_angles(HedRodFrame a, HedRodFrame b, HedRodRest rest,
                                          double moment, bool is_exact) {
    HedRodParts p = hed_rod_parts(a, b, rest);
    double second = is_exact ? 1.0 : 0.0;
    HedRodAngles out;
    out.turns = hed_rod_turns(p.w, rest, moment, second);
    const HedVec3 m1[2] = {a.m1, b.m1};
    for (int j = 0; j < 2; ++j) {
        // dm1 = m2, dm2 = -m1 per angle
        double w0 = p.w[j][0], w1 = p.w[j][1];
        double sign = j == 0 ? -1.0 : 1.0;
        HedVec3 q = hed_mul3(rest.bend[0] * w1 - second * p.m[j][1], p.m2[j]);
        q = hed_madd3(q, rest.bend[1] * w0 - second * p.m[j][0], m1[j]);
        out.cross[j] = hed_rod_pull(a, b, &p, q, sign * rest.twist);
    }
    return out;
}

/// d2E/dx2 in terms of e and f; fe is the transpose of ef.
typedef struct HedRodHessian {
    HedMat3 ee, ef, ff;
} HedRodHessian;

/// c g g' for a gradient g, added.
static inline void hed_rod_outer(HedRodHessian* h, double c, HedRodGradient g) {
    h->ee = hed_mat3_add(h->ee, hed_mat3_outer_diag(c, g.e, 0.0));
    h->ff = hed_mat3_add(h->ff, hed_mat3_outer_diag(c, g.f, 0.0));
    h->ef = hed_mat3_add(h->ef, hed_mat3_outer(hed_mul3(c, g.e), g.f));
}

/// The positive-semidefinite form.
static inline HedRodHessian hed_rod_positive(HedRodFrame a, HedRodFrame b, HedRodRest rest,
                                             const HedRodParts* p) {
    HedRodHessian h = {0};
    hed_rod_outer(&h, rest.bend[0], hed_rod_pull(a, b, p, p->m2[0], 0.0));
    hed_rod_outer(&h, rest.bend[0], hed_rod_pull(a, b, p, p->m2[1], 0.0));
    hed_rod_outer(&h, rest.bend[1], hed_rod_pull(a, b, p, a.m1, 0.0));
    hed_rod_outer(&h, rest.bend[1], hed_rod_pull(a, b, p, b.m1, 0.0));
    hed_rod_outer(&h, rest.twist, hed_rod_pull(a, b, p, (HedVec3){0}, 1.0));
    return h;
}

/// (a b' + b a') c/2
static inline HedMat3 hed_rod_both(double c, HedVec3 a, HedVec3 b) {
    HedMat3 m = hed_mat3_outer(hed_mul3(0.5 * c, a), b);
    return hed_mat3_add(m, hed_mat3_transpose(m));
}

/// The block of one segment of the second derivative of k.q: c the cross product (over t1 x q or
/// -over t0 x q) of its gradient g, own the part of q that turns with this segment.
static inline HedMat3 hed_rod_second(HedRodFrame at, const HedRodParts* p, HedVec3 c, double along,
                                     HedVec3 own) {
    double ii = at.inverse * at.inverse;
    HedVec3 g = hed_madd3(c, -along, p->s); // times 1/inverse
    HedVec3 tilt = hed_sub3(p->s, at.t);
    HedMat3 h = hed_rod_both(-ii, g, hed_add3(at.t, p->s));
    h = hed_mat3_add(h, hed_rod_both(-ii, c, tilt));
    h = hed_mat3_add(h, hed_rod_both(ii, p->k, own));
    h = hed_mat3_add(
        h, hed_mat3_outer_diag(0.5 * p->over * along * ii, at.t, -0.5 * p->over * along * ii));
    return hed_mat3_add(h, hed_rod_both(along * ii, p->s, tilt));
}

/// The rest of the exact second derivative: moments times second derivatives of turn and twist.
static inline HedRodHessian hed_rod_curving(HedRodFrame a, HedRodFrame b, const HedRodParts* p,
                                            double moment) {
    HedVec3 q = hed_add3(p->q[0], p->q[1]);
    double along = hed_dot3(p->k, q);
    HedVec3 c = hed_mul3(p->over, hed_cross3(b.t, q));
    HedVec3 d = hed_mul3(-p->over, hed_cross3(a.t, q));
    HedRodHessian h;
    h.ee = hed_rod_second(a, p, c, along, p->q[0]);
    h.ff = hed_rod_second(b, p, d, along, p->q[1]);
    // d/df of 1/|e| (c - along s): c = over t1 x q turns with t1 and over, along with k, s with
    // both.
    double ii = a.inverse * b.inverse;
    HedVec3 tilt = hed_sub3(p->s, b.t);
    HedVec3 g = hed_madd3(d, -along, p->s);
    HedMat3 ef = hed_mat3_scale(-p->over, hed_mat3_skew(q));
    ef = hed_mat3_add(ef, hed_mat3_outer(hed_mul3(-1.0, c), b.t));
    ef = hed_mat3_add(ef, hed_mat3_outer(hed_mul3(-1.0, c), tilt));
    ef = hed_mat3_add(ef, hed_mat3_outer(hed_mul3(-1.0, p->s), g));
    ef = hed_mat3_add(ef, hed_mat3_outer_diag(0.5 * p->over * along, b.t, -0.5 * p->over * along));
    ef = hed_mat3_add(ef, hed_mat3_outer(hed_mul3(along, p->s), tilt));
    h.ef = hed_mat3_scale(ii, ef);
    // Twist: k/(2|e|) by e and by f.
    double ae = -0.5 * moment * a.inverse * a.inverse;
    double bf = -0.5 * moment * b.inverse * b.inverse;
    h.ee = hed_mat3_add(h.ee, hed_rod_both(ae, p->k, hed_add3(p->s, a.t)));
    h.ff = hed_mat3_add(h.ff, hed_rod_both(bf, p->k, hed_add3(p->s, b.t)));
    HedMat3 turn = hed_mat3_scale(p->over, hed_mat3_skew(a.t));
    turn = hed_mat3_add(turn, hed_mat3_outer(hed_mul3(-1.0, p->k), p->s));
    h.ef = hed_mat3_add(h.ef, hed_mat3_scale(0.5 * moment * ii, turn));
    return h;
}

/// Energy, gradient and second derivative of one vertex by its points.
typedef struct HedRodOut {
    double energy; // J
    HedRodGradient gradient;
    HedRodHessian hessian; // N/m
} HedRodOut;

/// twist = tau, rad.
static inline HedRodOut hed_rod_eval(HedRodFrame a, HedRodFrame b, HedRodRest rest, double twist,
                                     bool is_exact) {
    HedRodParts p = hed_rod_parts(a, b, rest);
    double moment = rest.twist * (twist - rest.turn);
    HedRodOut out = {.energy = p.bend + 0.5 * moment * (twist - rest.turn),
                     .gradient = hed_rod_pull(a, b, &p, hed_add3(p.q[0], p.q[1]), moment),
                     .hessian = hed_rod_positive(a, b, rest, &p)};
    if (is_exact) {
        HedRodHessian second = hed_rod_curving(a, b, &p, moment);
        out.hessian.ee = hed_mat3_add(out.hessian.ee, second.ee);
        out.hessian.ef = hed_mat3_add(out.hessian.ef, second.ef);
        out.hessian.ff = hed_mat3_add(out.hessian.ff, second.ff);
    }
    return out;
}

/// The block of points m <= n of the three: x0 = -e, x1 = e - f, x2 = f.
static inline HedMat3 hed_rod_block(const HedRodHessian* h, int m, int n) {
    const double e[3] = {-1.0, 1.0, 0.0};
    const double f[3] = {0.0, -1.0, 1.0};
    HedMat3 block = hed_mat3_scale(e[m] * e[n], h->ee);
    block = hed_mat3_add(block, hed_mat3_scale(f[m] * f[n], h->ff));
    block = hed_mat3_add(block, hed_mat3_scale(e[m] * f[n], h->ef));
    return hed_mat3_add(block, hed_mat3_scale(f[m] * e[n], hed_mat3_transpose(h->ef)));
}

#endif
