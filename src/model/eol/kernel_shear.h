// SPDX-License-Identifier: MIT
// Shear of a crossing, one term for each of its four quadrants (docs/eol.md, section 3.3).
//   V = L [ kx/2 g^2 + kj/3 max(0, |g| - gj)^3 ],   g = phi - phi0,
// phi the angle at the crossing between its neighbours a on one yarn and b on the other, L the rest
// distance of crossings. No dependence on material coordinates. The positive form is the product of
// first derivatives, exact at rest.
#ifndef HED_MODEL_EOL_KERNEL_SHEAR_H
#define HED_MODEL_EOL_KERNEL_SHEAR_H

#include "model/eol/corner.h"

typedef struct HedEolShear {
    double length;     // m, L
    double stiffness;  // N, kx
    double rest_angle; // rad, phi0
    double jam_angle;  // rad, gj, away from the rest angle
    double jam;        // N/rad, kj; 0 for none
} HedEolShear;

/// Sets first and second derivative; returns V.
HED_ALWAYS_INLINE double hed_eol_shear_law(HedCorner c, HedEolShear rest, HedCornerLaw* law) {
    double y = c.angle - rest.rest_angle;
    double z = hed_eol_max(fabs(y) - rest.jam_angle, 0.0);
    law->first = rest.length * (rest.stiffness * y + rest.jam * copysign(z * z, y));
    law->second = rest.length * (rest.stiffness + 2.0 * rest.jam * z);
    law->over = c.sine > HED_EOL_PLANE ? law->first / c.sine : 0.0;
    return rest.length * (0.5 * rest.stiffness * y * y + rest.jam / 3.0 * z * z * z);
}

/// Spreads what acts on the edges over a, the crossing and b.
HED_ALWAYS_INLINE void hed_eol_shear_put(HedCornerPair edge, double row[9]) {
    hed_eol_put3(row, edge.a);
    hed_eol_put3(row + 3, hed_mul3(-1.0, hed_add3(edge.a, edge.b)));
    hed_eol_put3(row + 6, edge.b);
}

static inline void hed_eol_shear_exact(HedEdge a, HedEdge b, HedCorner c, HedCornerLaw law,
                                       double h[9][9]) {
    HedCornerHessian s = hed_corner_product(hed_corner_slope(a, b, c, 1.0), law.second);
    hed_corner_turn(a, b, c, law.over, &s);
    hed_corner_tilt(a, b, c, law.first, &s);
    HedMat3 ac = hed_mat3_add(s.aa, s.ab);
    HedMat3 bc = hed_mat3_add(s.bb, hed_mat3_transpose(s.ab));
    double* to = &h[0][0];
    hed_eol_put(to, 9, 0, 0, s.aa);
    hed_eol_put(to, 9, 0, 3, hed_mat3_scale(-1.0, ac));
    hed_eol_put(to, 9, 0, 6, s.ab);
    hed_eol_put(to, 9, 3, 3, hed_mat3_add(ac, bc));
    hed_eol_put(to, 9, 6, 3, hed_mat3_scale(-1.0, bc));
    hed_eol_put(to, 9, 6, 6, s.bb);
}

/// q: x y z of neighbour a, of the crossing, of neighbour b. Returns the energy (J) and sets g and
/// h; either may be NULL.
HED_ALWAYS_INLINE double hed_eol_shear(const double q[9], HedEolShear rest, double g[9],
                                       double h[9][9], bool is_exact) {
    HedEdge a = hed_edge(hed_eol_point(q + 3), hed_eol_point(q));
    HedEdge b = hed_edge(hed_eol_point(q + 3), hed_eol_point(q + 6));
    HedCorner c = hed_corner(a, b);
    HedCornerLaw law;
    double energy = hed_eol_shear_law(c, rest, &law);
    if (g) {
        hed_eol_shear_put(hed_corner_pull(a, b, c, law.over), g);
    }
    if (h && is_exact) {
        hed_eol_shear_exact(a, b, c, law, h);
    } else if (h) {
        double row[9];
        hed_eol_shear_put(hed_corner_slope(a, b, c, sqrt(law.second)), row);
        hed_eol_outer(row, 9, &h[0][0]);
    }
    return energy;
}

#endif
