// SPDX-License-Identifier: MIT
// Bending and stretching of a spline yarn at one point of quadrature (Kaldor 2011, 4.4 and 4.6).
//
// With a = dy/ds, b = d2y/ds2 and the curvature kappa = |a x b|/|a|^3, a segment of length l at
// rest has the bending energy 1/2 EI l int kappa^2 ds; a point of quadrature with weight w adds
//   E = c f,   f = |a x b|^2/|a|^6 = B/A^2 - C^2/A^3,   c = 1/2 EI l w,
// A = a.a, B = b.b, C = a.b. With n = a x b the gradient is
//   dE/da = 2 c (b x n - 3 |n|^2/A a)/A^3,   dE/db = 2 c n x a/A^3,
// without cancellation where the curve is straight. Second derivatives follow from those of f by A,
// B and C. The positive form is 2 c K'K with the derivative K of the vector n/|a|^3.
// Where the curve nearly stands still (|a| below a thousandth of l) it has no curvature to speak
// of: no force there, so that everything stays finite.
//
// Stretching within a segment is E = 1/2 EA w l (|a|/l - 1)^2: state/radial.h with d = a, stiffness
// EA w/l and rest length l.
//
// Damping is that of both strains by their rates: D = 1/2 EI l w tau (dkappa/dt)^2 with
//   dkappa/da = b x n/(|n| |a|^3) - 3 kappa a/A,   dkappa/db = n x a/(|n| |a|^3)
// and that of state/radial.h. kappa is a length, so D does not see rotations; where the curve is
// straight its direction is open, and there is no force. Over an implicit step the rate is the
// change of kappa over its size.
#ifndef HED_MODEL_SPLINE_KERNEL_SPLINE_H
#define HED_MODEL_SPLINE_KERNEL_SPLINE_H

#include "state/radial.h"

typedef struct HedSplineRest {
    double bend;   // N m^3, c = 1/2 EI l w
    double axial;  // N/m, EA w/l
    double length; // m, l
} HedSplineRest;

/// Energy and its derivatives by a and b.
typedef struct HedSplineOut {
    double bend, stretch; // J
    HedVec3 a, b;
} HedSplineOut;

/// 1/A, or 0 where the curve stands still.
static inline double hed_spline_inverse(HedVec3 a, double length) {
    double square = hed_dot3(a, a);
    return square > 1e-6 * length * length ? 1.0 / square : 0.0;
}

static inline HedSplineOut hed_spline_eval(HedVec3 a, HedVec3 b, HedSplineRest rest) {
    double i = hed_spline_inverse(a, rest.length);
    HedVec3 n = hed_cross3(a, b);
    double nn = hed_dot3(n, n);
    double c = rest.bend * i * i * i;
    HedRadial r = hed_radial(a, (HedVec3){0}, rest.axial, rest.length, 0.0);
    HedVec3 ga = hed_madd3(hed_mul3(2.0 * c, hed_cross3(b, n)), -6.0 * c * nn * i, a);
    return (HedSplineOut){
        .bend = c * nn,
        .stretch = r.energy,
        .a = hed_add3(ga, r.gradient),
        .b = hed_mul3(2.0 * c, hed_cross3(n, a)),
    };
}

/// Second derivatives by a and b; ba is the transpose of ab.
typedef struct HedSplineHessian {
    HedMat3 aa, ab, bb;
} HedSplineHessian;

/// The two strains and their derivatives; along is |a|.
typedef struct HedSplineStrain {
    double along, kappa;
    HedVec3 along_a, kappa_a, kappa_b;
} HedSplineStrain;

static inline HedSplineStrain hed_spline_strain(HedVec3 a, HedVec3 b, double length) {
    double i = hed_spline_inverse(a, length);
    double over = i * sqrt(i); // 1/|a|^3
    double speed = sqrt(hed_dot3(a, a));
    HedVec3 n = hed_cross3(a, b);
    double size = sqrt(hed_dot3(n, n));
    HedVec3 unit = hed_mul3(size > 0.0 ? over / size : 0.0, n);
    double kappa = over * size;
    return (HedSplineStrain){
        .along = speed,
        .kappa = kappa,
        .along_a = hed_mul3(speed > 0.0 ? 1.0 / speed : 0.0, a),
        .kappa_a = hed_madd3(hed_cross3(b, unit), -3.0 * kappa * i, a),
        .kappa_b = hed_cross3(unit, a),
    };
}

/// Viscosities of the two strains: force per rate of |a|, and of kappa.
typedef struct HedSplineViscosity {
    double along; // N s/m
    double bend;  // N m^3 s
} HedSplineViscosity;

/// D and its derivatives by the velocities of a and b.
typedef struct HedSplineDrag {
    double dissipation; // W
    HedVec3 a, b;
} HedSplineDrag;

/// rates: of |a| and of kappa.
static inline HedSplineDrag hed_spline_drag(HedSplineStrain at, double along_rate,
                                            double kappa_rate, HedSplineViscosity by) {
    double pull = by.along * along_rate, moment = by.bend * kappa_rate;
    return (HedSplineDrag){
        .dissipation = 0.5 * (pull * along_rate + moment * kappa_rate),
        .a = hed_madd3(hed_mul3(pull, at.along_a), moment, at.kappa_a),
        .b = hed_mul3(moment, at.kappa_b),
    };
}

/// Second derivatives of D by velocities, times scale.
static inline HedSplineHessian hed_spline_drag_hessian(HedSplineStrain at, HedSplineViscosity by,
                                                       double scale) {
    HedVec3 ka = hed_mul3(scale * by.bend, at.kappa_a);
    return (HedSplineHessian){
        .aa = hed_mat3_add(hed_mat3_outer(ka, at.kappa_a),
                           hed_mat3_outer(hed_mul3(scale * by.along, at.along_a), at.along_a)),
        .ab = hed_mat3_outer(ka, at.kappa_b),
        .bb = hed_mat3_outer(hed_mul3(scale * by.bend, at.kappa_b), at.kappa_b),
    };
}

static inline HedSplineHessian hed_spline_exact(HedVec3 a, HedVec3 b, HedSplineRest rest) {
    double i = hed_spline_inverse(a, rest.length);
    double bb = hed_dot3(b, b), ab = hed_dot3(a, b);
    double ii = i * i, c = rest.bend;
    double f_a = ii * i * (3.0 * ab * ab * i - 2.0 * bb), f_c = -2.0 * ab * ii * i;
    double f_aa = ii * ii * (6.0 * bb - 12.0 * ab * ab * i);
    double f_ab = -2.0 * ii * i, f_ac = 6.0 * ab * ii * ii;
    HedMat3 cross = hed_mat3_outer(hed_mul3(2.0 * c * f_ac, a), b);
    HedSplineHessian h;
    h.aa = hed_mat3_add(hed_mat3_outer_diag(4.0 * c * f_aa, a, 2.0 * c * f_a),
                        hed_mat3_add(cross, hed_mat3_transpose(cross)));
    h.aa = hed_mat3_add(h.aa, hed_mat3_outer_diag(c * f_ab, b, 0.0));
    h.ab = hed_mat3_add(hed_mat3_outer_diag(2.0 * c * f_ac, a, c * f_c),
                        hed_mat3_outer(hed_mul3(4.0 * c * f_ab, a), b));
    h.ab = hed_mat3_add(h.ab, hed_mat3_outer(hed_mul3(c * f_ab, b), a));
    h.bb = hed_mat3_outer_diag(c * f_ab, a, 2.0 * c * ii);
    HedRadial r = hed_radial(a, (HedVec3){0}, rest.axial, rest.length, 0.0);
    h.aa = hed_mat3_add(h.aa, hed_radial_block(r.t, r.along, r.across));
    return h;
}

static inline HedSplineHessian hed_spline_positive(HedVec3 a, HedVec3 b, HedSplineRest rest) {
    double i = hed_spline_inverse(a, rest.length);
    double over = i * sqrt(i); // 1/|a|^3
    HedVec3 turn = hed_mul3(-3.0 * over * i, hed_cross3(a, b));
    HedMat3 by_a = hed_mat3_add(hed_mat3_scale(-over, hed_mat3_skew(b)), hed_mat3_outer(turn, a));
    HedMat3 by_b = hed_mat3_scale(over, hed_mat3_skew(a));
    HedMat3 left = hed_mat3_scale(2.0 * rest.bend, hed_mat3_transpose(by_a));
    HedRadial r = hed_radial(a, (HedVec3){0}, rest.axial, rest.length, 0.0);
    HedSplineHessian h;
    h.aa =
        hed_mat3_add(hed_mat3_mul(left, by_a), hed_radial_block(r.t, r.along, fmax(r.across, 0.0)));
    h.ab = hed_mat3_mul(left, by_b);
    h.bb = hed_mat3_mul(hed_mat3_scale(2.0 * rest.bend, hed_mat3_transpose(by_b)), by_b);
    return h;
}

#endif
