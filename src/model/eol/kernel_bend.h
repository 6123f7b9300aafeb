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
    double z = fmax(c.angle - rest.jam_angle, 0.0);
    HedSlideBendLaw law;
    law.value = y * y + rest.jam * z * z * z;
    law.slope.first = 2.0 * y + 3.0 * rest.jam * z * z;
    law.slope.second = 2.0 + 6.0 * rest.jam * z;
    bool is_plane = c.sine > HED_SLIDE_PLANE;
    double limit = c.cosine > 0.0 ? 2.0 : 0.0;
    law.slope.over = is_plane ? law.slope.first / c.sine : limit;
    return law;
}

/// Everything by the edges a, b and by D.
typedef struct HedSlideBendHessian {
    HedCornerHessian xx;
    HedVec3 au, bu;
    double uu;
} HedSlideBendHessian;

HED_ALWAYS_INLINE HedSlideBendHessian hed_slide_bend_hessian(HedEdge a, HedEdge b, HedCorner c,
                                                             HedSlideBendLaw law, bool is_exact) {
    HedVec3 g[2];
    hed_corner_angle_gradient(a, b, c, g);
    HedCornerLaw f = law.slope;
    double least = law.value > 0.0 ? 0.5 * f.first * f.first / law.value : 0.0;
    double second = is_exact ? f.second : fmax(f.second, least);
    HedSlideBendHessian h;
    h.xx = hed_corner_product(g, second);
    hed_corner_turn(a, b, c, f.over, is_exact, &h.xx);
    if (is_exact) {
        hed_corner_tilt(a, b, c, f.first, &h.xx);
    }
    h.au = hed_mul3(-f.first, g[0]);
    h.bu = hed_mul3(-f.first, g[1]);
    h.uu = 2.0 * law.value;
    return h;
}

/// Spreads over the nodes: x0 = -a, x1 = a - b, x2 = b; D rises with u2 and falls with u0. Lengths
/// D are taken out of the entries: scale = kb/D.
HED_ALWAYS_INLINE void hed_slide_bend_spread(const HedSlideBendHessian* s, double scale, double d,
                                             double h[12][12]) {
    HedMat3 aa = hed_mat3_scale(scale, s->xx.aa);
    HedMat3 ab = hed_mat3_scale(scale, s->xx.ab);
    HedMat3 bb = hed_mat3_scale(scale, s->xx.bb);
    HedMat3 ba = hed_mat3_transpose(ab);
    HedMat3 aa_ab = hed_mat3_add(aa, hed_mat3_scale(-1.0, ab));
    HedMat3 bb_ba = hed_mat3_add(bb, hed_mat3_scale(-1.0, ba));
    double* to = &h[0][0];
    hed_slide_put(to, 12, 0, 0, aa);
    hed_slide_put(to, 12, 0, 4, hed_mat3_scale(-1.0, aa_ab));
    hed_slide_put(to, 12, 0, 8, hed_mat3_scale(-1.0, ab));
    hed_slide_put(to, 12, 4, 4, hed_mat3_add(aa_ab, bb_ba));
    hed_slide_put(to, 12, 8, 4, hed_mat3_scale(-1.0, bb_ba));
    hed_slide_put(to, 12, 8, 8, bb);
    HedVec3 au = hed_mul3(scale / d, s->au);
    HedVec3 bu = hed_mul3(scale / d, s->bu);
    HedVec3 column[3] = {hed_mul3(-1.0, au), hed_sub3(au, bu), bu};
    for (int i = 0; i < 3; ++i) {
        hed_slide_put_column(to, 12, 4 * i, 3, hed_mul3(-1.0, column[i]));
        hed_slide_put_column(to, 12, 4 * i, 7, (HedVec3){0.0, 0.0, 0.0});
        hed_slide_put_column(to, 12, 4 * i, 11, column[i]);
        h[4 * i + 3][7] = h[7][4 * i + 3] = 0.0;
    }
    double uu = scale / (d * d) * s->uu;
    h[3][3] = h[11][11] = uu;
    h[3][11] = h[11][3] = -uu;
}

/// q: x y z u of the nodes 0, 1, 2 along the yarn. Returns the energy (J) and sets g and h; either
/// may be NULL.
HED_ALWAYS_INLINE double hed_slide_bend(const double q[12], HedSlideBend rest, double g[12],
                                        double h[12][12], bool is_exact) {
    HedEdge a = hed_edge(hed_slide_point(q), hed_slide_point(q + 4));
    HedEdge b = hed_edge(hed_slide_point(q + 4), hed_slide_point(q + 8));
    double d = fmax(q[11] - q[3], HED_SLIDE_LEAST);
    double scale = rest.stiffness / d;
    HedCorner c = hed_corner(a, b);
    HedSlideBendLaw law = hed_slide_bend_law(c, rest);
    if (g) {
        HedVec3 edge[2];
        hed_corner_gradient(a, b, c, scale * law.slope.over, edge);
        double pull = scale / d * law.value;
        hed_slide_put3(g, hed_mul3(-1.0, edge[0]));
        hed_slide_put3(g + 4, hed_sub3(edge[0], edge[1]));
        hed_slide_put3(g + 8, edge[1]);
        g[3] = pull;
        g[7] = 0.0;
        g[11] = -pull;
    }
    if (h) {
        HedSlideBendHessian s = hed_slide_bend_hessian(a, b, c, law, is_exact);
        hed_slide_bend_spread(&s, scale, d, h);
    }
    return scale * law.value;
}

#endif
