// SPDX-License-Identifier: MIT
// Stretching of one triangle: St. Venant-Kirchhoff in its plane, isotropic or orthotropic.
//
// With material coordinates (u, v), the gradients b_i of the corners' shape functions and the area
// A at rest, the deformation gradient has the columns
//   f_u = sum b_iu x_i,   f_v = sum b_iv x_i,
// and Green's strain is
//   e_uu = 1/2 (f_u.f_u - 1),   e_vv = 1/2 (f_v.f_v - 1),   g = f_u.f_v   (twice the shear entry).
// The energy is A times
//   1/2 (c_uu e_uu^2 + 2 c_uv e_uu e_vv + c_vv e_vv^2 + c_s g^2),         moduli in N/m,
// isotropic for c_uu = c_vv = lambda + 2 mu, c_uv = lambda, c_s = mu. With the stress
//   s_uu = c_uu e_uu + c_uv e_vv,   s_vv = c_uv e_uu + c_vv e_vv,   s_s = c_s g,
//   dE/dx_i = A (b_iu (s_uu f_u + s_s f_v) + b_iv (s_s f_u + s_vv f_v)),
//   d2E/dx_i dx_j = A ( (c_uu b_iu b_ju + c_s b_iv b_jv) f_u f_u' + (c_vv b_iv b_jv + c_s b_iu
//   b_ju) f_v f_v'
//                     + (c_uv b_iu b_jv + c_s b_iv b_ju) f_u f_v' + (c_uv b_iv b_ju + c_s b_iu
//                     b_jv) f_v f_u'
//                     + (b_i' S b_j) I ).
// Only the last part can be negative; the positive form clamps the eigenvalues of the stress S.
//
// In an implicit step the inertia of the corners, a m / 3 each, is added to the matrix, and holds
// some pressure: with G = sum b_i b_i', the sum of both stays positive as long as S + h G^-1 is,
// h = a m / (3 A). Clamping that instead leaves the pressure in the matrix that a buckling sheet
// really carries, so that Newton's method hardly notices the clamp.
//
// Damping is the same quadratic form, with moduli d in N s/m, of the strain's rate
//   f_u.f_u', f_v.f_v', f_u.f_v' + f_v.f_u'     (here ' is the rate in time):
// no rigid motion is damped. Over an implicit step of size h the rate is (e - e_start)/h: then the
// force is that of the stress c e + d (e - e_start)/h, and its derivative that of the moduli c +
// d/h.
#ifndef HED_MODEL_SHEET_KERNEL_MEMBRANE_H
#define HED_MODEL_SHEET_KERNEL_MEMBRANE_H

#include "base/inline.h"
#include "math/mat3.h"

/// Moduli: N/m for energy, N s/m for damping. Non-negative energy needs uu, vv, shear >= 0 and
/// uv^2 <= uu vv.
typedef struct HedModulus {
    double uu, vv, uv, shear;
} HedModulus;

/// Strain, its rate, or stress. The shear strain counts both off-diagonal entries.
typedef struct HedPlane {
    double uu, vv, shear;
} HedPlane;

typedef struct HedMembraneRest {
    double area;    // m^2
    double b[3][2]; // 1/m, gradients of the shape functions
    HedModulus elastic;
    HedModulus damping;
} HedMembraneRest;

/// Columns of the deformation gradient, or of its rate.
typedef struct HedFrame2 {
    HedVec3 u, v;
} HedFrame2;

HED_ALWAYS_INLINE HedFrame2 hed_membrane_frame(HedVec3 x0, HedVec3 x1, HedVec3 x2,
                                               const HedMembraneRest* rest) {
    HedVec3 a = hed_sub3(x1, x0); // shape functions sum to 1, so corner 0 is the origin
    HedVec3 b = hed_sub3(x2, x0);
    return (HedFrame2){
        hed_add3(hed_mul3(rest->b[1][0], a), hed_mul3(rest->b[2][0], b)),
        hed_add3(hed_mul3(rest->b[1][1], a), hed_mul3(rest->b[2][1], b)),
    };
}

HED_ALWAYS_INLINE HedPlane hed_membrane_strain(HedFrame2 f) {
    return (HedPlane){0.5 * (hed_dot3(f.u, f.u) - 1.0), 0.5 * (hed_dot3(f.v, f.v) - 1.0),
                      hed_dot3(f.u, f.v)};
}

HED_ALWAYS_INLINE HedPlane hed_membrane_rate(HedFrame2 f, HedFrame2 rate) {
    return (HedPlane){hed_dot3(f.u, rate.u), hed_dot3(f.v, rate.v),
                      hed_dot3(f.u, rate.v) + hed_dot3(f.v, rate.u)};
}

HED_ALWAYS_INLINE HedPlane hed_modulus_apply(HedModulus c, HedPlane e) {
    return (HedPlane){c.uu * e.uu + c.uv * e.vv, c.uv * e.uu + c.vv * e.vv, c.shear * e.shear};
}

/// a + t b
HED_ALWAYS_INLINE HedModulus hed_modulus_madd(HedModulus a, double t, HedModulus b) {
    return (HedModulus){a.uu + t * b.uu, a.vv + t * b.vv, a.uv + t * b.uv, a.shear + t * b.shear};
}

/// Half the product of strain and stress: energy or dissipation per area.
HED_ALWAYS_INLINE double hed_plane_half_product(HedPlane e, HedPlane s) {
    return 0.5 * (e.uu * s.uu + e.vv * s.vv + e.shear * s.shear);
}

/// The matrix [uu shear; shear vv] with its negative eigenvalues raised to zero.
HED_ALWAYS_INLINE HedPlane hed_plane_positive(HedPlane s) {
    double middle = 0.5 * (s.uu + s.vv);
    double half = 0.5 * (s.uu - s.vv);
    double radius = sqrt(half * half + s.shear * s.shear);
    double low = middle - radius;
    double high = middle + radius;
    // With both signs the part along the high eigenvector is left: high / (high - low) (S - low I).
    double part = high > 0.0 ? 0.5 * high / radius : 0.0;
    double scale = low >= 0.0 ? 1.0 : part;
    double shift = low >= 0.0 ? 0.0 : low;
    return (HedPlane){scale * (s.uu - shift), scale * (s.vv - shift), scale * s.shear};
}

/// Gradient of a shape function, 1/m.
typedef struct HedSlope {
    double u, v;
} HedSlope;

/// h G^-1 for the slopes of corners 1 and 2: the pressure that an inertia of h per area and corner
/// holds, h in kg/(m^2 s^2).
HED_ALWAYS_INLINE HedPlane hed_membrane_hold(HedSlope i, HedSlope j, double h) {
    double uu = (i.u + j.u) * (i.u + j.u) + i.u * i.u + j.u * j.u;
    double vv = (i.v + j.v) * (i.v + j.v) + i.v * i.v + j.v * j.v;
    double uv = (i.u + j.u) * (i.v + j.v) + i.u * i.v + j.u * j.v;
    double determinant = uu * vv - uv * uv;
    double over = determinant > 0.0 ? h / determinant : 0.0; // 0 in padding
    return (HedPlane){over * vv, over * uu, -over * uv};
}

/// Stress s with its negative part clamped to what `hold` holds.
HED_ALWAYS_INLINE HedPlane hed_plane_held(HedPlane s, HedPlane hold) {
    HedPlane sum = {s.uu + hold.uu, s.vv + hold.vv, s.shear + hold.shear};
    HedPlane p = hed_plane_positive(sum);
    return (HedPlane){p.uu - hold.uu, p.vv - hold.vv, p.shear - hold.shear};
}

/// Gradient with respect to corner i of a membrane under stress s.
HED_ALWAYS_INLINE HedVec3 hed_membrane_gradient(HedFrame2 f, HedPlane s,
                                                const HedMembraneRest* rest, int i) {
    double bu = rest->area * rest->b[i][0];
    double bv = rest->area * rest->b[i][1];
    return hed_add3(hed_mul3(bu * s.uu + bv * s.shear, f.u),
                    hed_mul3(bu * s.shear + bv * s.vv, f.v));
}

/// The second derivative times a vector whose frame is `change`, at corner k, for moduli c under
/// stress s.
static inline HedVec3 hed_membrane_product(HedFrame2 f, HedFrame2 change, HedPlane s, HedModulus c,
                                           const HedMembraneRest* rest, int k) {
    HedPlane more = hed_modulus_apply(c, hed_membrane_rate(f, change));
    return hed_add3(hed_membrane_gradient(change, s, rest, k),
                    hed_membrane_gradient(f, more, rest, k));
}

/// Block of two corners with slopes i and j of the second derivative per area, for moduli c under
/// stress s.
HED_ALWAYS_INLINE HedMat3 hed_membrane_block(HedFrame2 f, HedPlane s, HedModulus c, HedSlope i,
                                             HedSlope j) {
    HedVec3 to_u = hed_add3(hed_mul3(c.uu * i.u * j.u + c.shear * i.v * j.v, f.u),
                            hed_mul3(c.uv * i.v * j.u + c.shear * i.u * j.v, f.v));
    HedVec3 to_v = hed_add3(hed_mul3(c.uv * i.u * j.v + c.shear * i.v * j.u, f.u),
                            hed_mul3(c.vv * i.v * j.v + c.shear * i.u * j.u, f.v));
    double across = i.u * (s.uu * j.u + s.shear * j.v) + i.v * (s.shear * j.u + s.vv * j.v);
    HedMat3 block = hed_mat3_add(hed_mat3_outer(to_u, f.u), hed_mat3_outer(to_v, f.v));
    block.m[0][0] += across;
    block.m[1][1] += across;
    block.m[2][2] += across;
    return block;
}

#endif
