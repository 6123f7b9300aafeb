// SPDX-License-Identifier: MIT
// Bending of a sliding yarn at the middle one of three consecutive nodes (eol-model 2.2).
//   V = kb F(theta)/D,   F = (theta - rest)^2 + jam max(0, theta - jam_angle)^3,   D = u2 - u0
// theta is the angle between a = x1 - x0 and b = x2 - x1. Sums over a circular arc give
// (kb/2) curvature^2 length. With g = dtheta/dx and G = dD/du = (-1, 0, 1):
//   dV = kb (F'/D) g - kb (F/D^2) G
//   d2V = kb (F''/D g g' - F'/D^2 (g G' + G g') + 2 F/D^3 G G' + F'/D d2theta)
// The first three terms are convex wherever F'^2 <= 2 F F'' (an equality for theta^2); where a jam
// beyond a rest angle breaks this, F'' is raised. Of d2theta the positive form keeps the positive
// part of turning the edges out of their plane, and drops the coupling of each edge's length with
// its angle, which is indefinite. Both forms agree for a straight yarn.
#ifndef HED_MODEL_EOL_KERNEL_BEND_H
#define HED_MODEL_EOL_KERNEL_BEND_H

#include "model/eol/corner.h"

typedef struct HedSlideBend {
    double stiffness;  // N m^2, kb
    double rest_angle; // rad, of a yarn that is set
    double jam_angle;  // rad, from which on the yarn jams
    double jam;        // 1/rad, strength of the jam; 0 for none
} HedSlideBend;

/// F and its derivatives.
typedef struct HedSlideBendLaw {
    double value;
    HedCornerLaw slope;
} HedSlideBendLaw;

// A straight yarn: F'/sin(theta) is 2 without a rest angle. With one, the direction of the force is
// undefined, and the yarn counts as unset until it has left the straight line. Folded flat, F'/sin
// is infinite and counts as nothing; steps never go there.
HED_ALWAYS_INLINE HedSlideBendLaw hed_slide_bend_law(HedCorner c, HedSlideBend rest) {
    double y = c.angle - rest.rest_angle;
    double z = hed_slide_max(c.angle - rest.jam_angle, 0.0);
    HedSlideBendLaw law;
    law.value = y * y + rest.jam * z * z * z;
    law.slope.first = 2.0 * y + 3.0 * rest.jam * z * z;
    law.slope.second = 2.0 + 6.0 * rest.jam * z;
    bool is_plane = c.sine > HED_SLIDE_PLANE;
    double limit = c.cosine > 0.0 ? 2.0 : 0.0;
    law.slope.over = is_plane ? law.slope.first / c.sine : limit;
    return law;
}

/// Spreads what acts on the edges over the nodes: x0 = -a, x1 = a - b, x2 = b. Leaves the material
/// coordinates alone.
HED_ALWAYS_INLINE void hed_slide_bend_put(HedVec3 a, HedVec3 b, double row[12]) {
    hed_slide_put3(row, hed_mul3(-1.0, a));
    hed_slide_put3(row + 4, hed_sub3(a, b));
    hed_slide_put3(row + 8, b);
}

/// The rows and columns of the material coordinates: D rises with u2 and falls with u0. xu and uu
/// are second derivatives by D.
HED_ALWAYS_INLINE void hed_slide_bend_put_material(const double xu[12], double uu,
                                                   double h[12][12]) {
    for (int i = 0; i < 12; ++i) {
        h[3][i] = h[i][3] = -xu[i];
        h[7][i] = h[i][7] = 0.0;
        h[11][i] = h[i][11] = xu[i];
    }
    h[3][3] = h[11][11] = uu;
    h[3][11] = h[11][3] = -uu;
}

/// Positions alone, as the sum of two products: F'' g g' and turning out of the plane.
HED_ALWAYS_INLINE void hed_slide_bend_positive(HedEdge a, HedEdge b, HedCorner c, double scale,
                                               HedSlideBendLaw law, double h[12][12]) {
    HedCornerLaw f = law.slope;
    double least = law.value > 0.0 ? 0.5 * f.first * f.first / law.value : 0.0;
    double root = sqrt(scale * hed_slide_max(f.second, least));
    HedVec3 g[2];
    double p[2];
    hed_corner_angle_gradient(a, b, c, g);
    hed_corner_turn_positive(a, b, c, scale * f.over, p);
    double in[12] = {0.0}, out[12] = {0.0};
    hed_slide_bend_put(hed_mul3(root, g[0]), hed_mul3(root, g[1]), in);
    hed_slide_bend_put(hed_mul3(p[0], c.k), hed_mul3(p[1], c.k), out);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            h[i][j] = in[i] * in[j] + out[i] * out[j];
        }
    }
}

/// Positions alone, exact.
static inline void hed_slide_bend_exact(HedEdge a, HedEdge b, HedCorner c, double scale,
                                        HedCornerLaw f, double h[12][12]) {
    HedVec3 g[2];
    hed_corner_angle_gradient(a, b, c, g);
    HedCornerHessian s = hed_corner_product(g, scale * f.second);
    hed_corner_turn(a, b, c, scale * f.over, &s);
    hed_corner_tilt(a, b, c, scale * f.first, &s);
    HedMat3 ba = hed_mat3_transpose(s.ab);
    HedMat3 aa_ab = hed_mat3_add(s.aa, hed_mat3_scale(-1.0, s.ab));
    HedMat3 bb_ba = hed_mat3_add(s.bb, hed_mat3_scale(-1.0, ba));
    double* to = &h[0][0];
    hed_slide_put(to, 12, 0, 0, s.aa);
    hed_slide_put(to, 12, 0, 4, hed_mat3_scale(-1.0, aa_ab));
    hed_slide_put(to, 12, 0, 8, hed_mat3_scale(-1.0, s.ab));
    hed_slide_put(to, 12, 4, 4, hed_mat3_add(aa_ab, bb_ba));
    hed_slide_put(to, 12, 8, 4, hed_mat3_scale(-1.0, bb_ba));
    hed_slide_put(to, 12, 8, 8, s.bb);
}

/// q: x y z u of the nodes 0, 1, 2 along the yarn. Returns the energy (J) and sets g and h; either
/// may be NULL.
HED_ALWAYS_INLINE double hed_slide_bend(const double q[12], HedSlideBend rest, double g[12],
                                        double h[12][12], bool is_exact) {
    HedEdge a = hed_edge(hed_slide_point(q), hed_slide_point(q + 4));
    HedEdge b = hed_edge(hed_slide_point(q + 4), hed_slide_point(q + 8));
    double d = hed_slide_max(q[11] - q[3], HED_SLIDE_LEAST);
    double scale = rest.stiffness / d;
    HedCorner c = hed_corner(a, b);
    HedSlideBendLaw law = hed_slide_bend_law(c, rest);
    if (g) {
        HedVec3 edge[2];
        hed_corner_gradient(a, b, c, scale * law.slope.over, edge);
        hed_slide_bend_put(edge[0], edge[1], g);
        g[3] = scale / d * law.value;
        g[7] = 0.0;
        g[11] = -g[3];
    }
    if (h) {
        if (is_exact) {
            hed_slide_bend_exact(a, b, c, scale, law.slope, h);
        } else {
            hed_slide_bend_positive(a, b, c, scale, law, h);
        }
        HedVec3 turn[2];
        double xu[12] = {0.0};
        hed_corner_gradient(a, b, c, -scale / d * law.slope.over, turn);
        hed_slide_bend_put(turn[0], turn[1], xu);
        hed_slide_bend_put_material(xu, 2.0 * scale / (d * d) * law.value, h);
    }
    return scale * law.value;
}

#endif
