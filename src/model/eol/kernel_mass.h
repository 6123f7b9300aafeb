// SPDX-License-Identifier: MIT
// Inertia and weight of a piece of sliding yarn (docs/eol.md, sections 1.2 to 1.5).
//
// The material that passes node i of a piece moves at A_i = xd_i - w ud_i, w = (x1 - x0)/D; in
// between, velocities are linear along the material. With rho the mass per length,
//   T = (rho D/6)(A0.A0 + A0.A1 + A1.A1) = 1/2 qd' M qd,
//   M_ij = (rho D/6)(1 + delta_ij) B,       B = (I, -w; -w', w.w).
// Lumped by blocks, M_ii = (rho D/2) B and M_01 = 0: a node that moves along its own yarn still
// costs nothing. As D w = x1 - x0 = e, the block of each node is
//   (rho/2) ( D I, -e; -e', e.e/D ).
// Lagrange's equations M qdd + c = force have c = Md qd - dT/dq. M and T must be the same here and
// there: with the lumped T, ed = xd1 - xd0, Dd = ud1 - ud0, F = ud0 A0 + ud1 A1,
//   c_x0 = (rho/2)(Dd xd0 - ud0 ed - F),
//   c_u0 = (rho/2)(ud0 (2 w.ed - w.w Dd) - ed.xd0 + w.F + (A0.A0 + A1.A1)/2),
// and for node 1 with xd1 and ud1 in place of xd0 and ud0 and the signs of what the two share, F
// and the last two terms of c_u, turned. The x rows of M are linear in q: a step that begins with c
// at (q, qd) carries on exactly the momentum that the last one, with M at its own start, ended
// with. The c of the consistent T with a lumped M keeps no momentum.
#ifndef HED_MODEL_EOL_KERNEL_MASS_H
#define HED_MODEL_EOL_KERNEL_MASS_H

#include "model/eol/corner.h"

/// The block ( mass I, coupling; coupling', along ) of each node of a piece.
typedef struct HedEolLump {
    double mass;      // kg
    HedVec3 coupling; // kg, between position and material coordinate
    double along;     // kg, of the material coordinate
} HedEolLump;

/// q: x0 y0 z0 u0 x1 y1 z1 u1; density in kg/m of material.
HED_ALWAYS_INLINE HedEolLump hed_eol_lump(const double q[8], double density) {
    HedVec3 e = hed_sub3(hed_eol_point(q + 4), hed_eol_point(q));
    double d = hed_eol_max(q[7] - q[3], HED_EOL_LEAST);
    double half = 0.5 * density;
    return (HedEolLump){half * d, hed_mul3(-half, e), half * hed_dot3(e, e) / d};
}

/// The consistent matrix of a piece.
HED_ALWAYS_INLINE void hed_eol_mass(const double q[8], double density, double m[8][8]) {
    HedEolLump b = hed_eol_lump(q, density);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            double share = i == j ? 2.0 / 3.0 : 1.0 / 3.0;
            double own = share * b.mass;
            hed_eol_put(&m[0][0], 8, 4 * i, 4 * j, hed_mat3_diagonal(own, own, own));
            hed_eol_put_column(&m[0][0], 8, 4 * i, 4 * j + 3, hed_mul3(share, b.coupling));
            m[4 * i + 3][4 * j + 3] = share * b.along;
        }
    }
}

/// Velocities of the material at both ends, and the gradient of position along it.
typedef struct HedEolFlow {
    HedVec3 w;
    HedVec3 a[2]; // m/s
    double d;     // m
} HedEolFlow;

HED_ALWAYS_INLINE HedEolFlow hed_eol_flow(const double q[8], const double rate[8]) {
    HedEolFlow f;
    f.d = hed_eol_max(q[7] - q[3], HED_EOL_LEAST);
    f.w = hed_mul3(1.0 / f.d, hed_sub3(hed_eol_point(q + 4), hed_eol_point(q)));
    f.a[0] = hed_madd3(hed_eol_point(rate), -rate[3], f.w);
    f.a[1] = hed_madd3(hed_eol_point(rate + 4), -rate[7], f.w);
    return f;
}

/// J. Consistent; that of the lumped matrix is (rho D/4)(A0.A0 + A1.A1).
HED_ALWAYS_INLINE double hed_eol_kinetic(const double q[8], const double rate[8], double density) {
    HedEolFlow f = hed_eol_flow(q, rate);
    HedVec3 sum = hed_add3(f.a[0], f.a[1]);
    double square = hed_dot3(f.a[0], f.a[0]) + hed_dot3(f.a[1], f.a[1]);
    return density * f.d / 12.0 * (square + hed_dot3(sum, sum));
}

/// J, of the lumped matrix.
HED_ALWAYS_INLINE double hed_eol_kinetic_lumped(const double q[8], const double rate[8],
                                                double density) {
    HedEolFlow f = hed_eol_flow(q, rate);
    return 0.25 * density * f.d * (hed_dot3(f.a[0], f.a[0]) + hed_dot3(f.a[1], f.a[1]));
}

/// N, of the lumped matrix. Adds nothing, sets c. Terms with xd.xd cancel between the two pieces at
/// a node, but for the rates of their ends against each other.
HED_ALWAYS_INLINE void hed_eol_convective(const double q[8], const double rate[8], double density,
                                          double c[8]) {
    HedEolFlow f = hed_eol_flow(q, rate);
    HedVec3 apart = hed_sub3(hed_eol_point(rate + 4), hed_eol_point(rate));
    double longer = rate[7] - rate[3];
    double half = 0.5 * density;
    HedVec3 flux = hed_madd3(hed_mul3(rate[3], f.a[0]), rate[7], f.a[1]);
    double level =
        hed_dot3(f.w, flux) + 0.5 * (hed_dot3(f.a[0], f.a[0]) + hed_dot3(f.a[1], f.a[1]));
    double heavier = 2.0 * hed_dot3(f.w, apart) - hed_dot3(f.w, f.w) * longer;
    for (int i = 0; i < 2; ++i) {
        const double* own = rate + 4 * i;
        double out = i == 0 ? 1.0 : -1.0;
        HedVec3 xd = hed_eol_point(own);
        HedVec3 grow = hed_madd3(hed_mul3(longer, xd), -own[3], apart);
        hed_eol_put3(c + 4 * i, hed_mul3(half, hed_madd3(grow, -out, flux)));
        c[4 * i + 3] = half * (own[3] * heavier - hed_dot3(apart, xd) + out * level);
    }
}

typedef struct HedEolWeight {
    double density;  // kg/m
    HedVec3 gravity; // m/s^2
} HedEolWeight;

/// V = -rho D gravity.(x0 + x1)/2. Returns the energy (J) and sets g and h; either may be NULL. The
/// second derivative couples positions with material coordinates, is constant and indefinite: the
/// positive form is zero.
///
/// The derivatives by u depend on where the origin is; they cancel at a node with two pieces. Loops
/// over nodes take them from hed_eol_weight_along instead.
HED_ALWAYS_INLINE double hed_eol_weight(const double q[8], HedEolWeight rest, double g[8],
                                        double h[8][8], bool is_exact) {
    HedVec3 pull = hed_mul3(-0.5 * rest.density, rest.gravity);
    double level = hed_dot3(pull, hed_add3(hed_eol_point(q), hed_eol_point(q + 4)));
    double d = q[7] - q[3];
    if (g) {
        hed_eol_put3(g, hed_mul3(d, pull));
        hed_eol_put3(g + 4, hed_mul3(d, pull));
        g[3] = -level;
        g[7] = level;
    }
    if (h) {
        for (int i = 0; i < 64; ++i) {
            h[i / 8][i % 8] = 0.0;
        }
        HedVec3 xu = hed_mul3(is_exact ? 1.0 : 0.0, pull);
        for (int i = 0; i < 8; i += 4) {
            hed_eol_put_column(&h[0][0], 8, i, 3, hed_mul3(-1.0, xu));
            hed_eol_put_column(&h[0][0], 8, i, 7, xu);
        }
    }
    return d * level;
}

/// dV/du of a node between two others of its yarn, N: free of the origin.
HED_ALWAYS_INLINE double hed_eol_weight_along(HedVec3 before, HedVec3 after, HedEolWeight rest) {
    return 0.5 * rest.density * hed_dot3(rest.gravity, hed_sub3(after, before));
}

#endif
