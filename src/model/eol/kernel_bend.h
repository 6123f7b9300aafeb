// SPDX-License-Identifier: MIT
// Bending of a sliding yarn at the middle one of three consecutive nodes (docs/eol.md, section
// 2.2).
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

typedef struct HedEolBend {
    double stiffness;  // N m^2, kb
    double rest_angle; // rad, of a yarn that is set
    double jam_angle;  // rad, from which on the yarn jams
    double jam;        // 1/rad, strength of the jam; 0 for none
} HedEolBend;

/// F and its derivatives.
typedef struct HedEolBendLaw {
    double value;
    HedCornerLaw slope;
} HedEolBendLaw;

// A straight yarn: F'/sin(theta) is 2 without a rest angle. With one, the direction of the force is
// undefined, and the yarn counts as unset until it has left the straight line. Folded flat, F'/sin
// is infinite and counts as nothing; steps never go there.
HED_ALWAYS_INLINE HedEolBendLaw hed_eol_bend_law(HedCorner c, HedEolBend rest) {
    double y = c.angle - rest.rest_angle;
    double z = hed_eol_max(c.angle - rest.jam_angle, 0.0);
    HedEolBendLaw law;
    law.value = y * y + rest.jam * z * z * z;
    law.slope.first = 2.0 * y + 3.0 * rest.jam * z * z;
    law.slope.second = 2.0 + 6.0 * rest.jam * z;
    bool is_plane = c.sine > HED_EOL_PLANE;
    double limit = c.cosine > 0.0 ? 2.0 : 0.0;
    law.slope.over = is_plane ? law.slope.first / c.sine : limit;
    return law;
}

/// By value, for loops over lanes: by the edges a and b and by the material D.
typedef struct HedEolBendForce {
    double energy;      // J
    HedCornerPair edge; // N, dV/da and dV/db
    double d;           // N, dV/dD
} HedEolBendForce;

/// The positive form w w' + o o' + (0, 0, own): w = (in.a, in.b, in_d), o = (out.a, out.b, 0).
typedef struct HedEolBendForm {
    HedCornerPair in;  // root of N/m, the angle
    HedCornerPair out; // root of N/m, turning out of the plane
    double in_d;       // root of N/m
    double own;        // N/m, of D alone; 0 without a jam or a rest angle
} HedEolBendForm;

/// The angle at a corner between two edges, and the energy's dependence on it.
typedef struct HedEolBendCorner {
    HedEdge a, b;
    HedCorner c;
    HedEolBendLaw law;
    double d;     // m, D
    double scale; // N m, kb/D
} HedEolBendCorner;

/// Consecutive nodes, and the material between the first and the last.
HED_ALWAYS_INLINE HedEolBendCorner hed_eol_bend_corner(HedVec3 x0, HedVec3 x1, HedVec3 x2,
                                                       double material, HedEolBend rest) {
    HedEolBendCorner at;
    at.a = hed_edge(x0, x1);
    at.b = hed_edge(x1, x2);
    at.c = hed_corner(at.a, at.b);
    at.law = hed_eol_bend_law(at.c, rest);
    at.d = hed_eol_max(material, HED_EOL_LEAST);
    at.scale = rest.stiffness / at.d;
    return at;
}

HED_ALWAYS_INLINE HedEolBendForce hed_eol_bend_force(HedEolBendCorner at) {
    double energy = at.scale * at.law.value;
    return (HedEolBendForce){
        energy, hed_corner_pull(at.a, at.b, at.c, at.scale * at.law.slope.over), -energy / at.d};
}

HED_ALWAYS_INLINE HedEolBendForm hed_eol_bend_form(HedEolBendCorner at) {
    HedCornerLaw f = at.law.slope;
    double least = at.law.value > 0.0 ? 0.5 * f.first * f.first / at.law.value : 0.0;
    double root = sqrt(at.scale * hed_eol_max(f.second, least));
    HedEolBendForm form;
    form.in = hed_corner_slope(at.a, at.b, at.c, root);
    form.out = hed_corner_turn_positive(at.a, at.b, at.c, at.scale * f.over);
    // The product of in and in_d is the second derivative by theta and D.
    form.in_d = root > 0.0 ? -at.scale * f.first / (at.d * root) : 0.0;
    double uu = 2.0 * at.scale / (at.d * at.d) * at.law.value;
    form.own = hed_eol_max(uu - form.in_d * form.in_d, 0.0);
    return form;
}

/// Spreads what acts on the edges and on D over the nodes: x0 = -a, x1 = a - b, x2 = b, D = u2 -
/// u0.
HED_ALWAYS_INLINE void hed_eol_bend_put(HedCornerPair edge, double d, double row[12]) {
    hed_eol_put3(row, hed_mul3(-1.0, edge.a));
    hed_eol_put3(row + 4, hed_sub3(edge.a, edge.b));
    hed_eol_put3(row + 8, edge.b);
    row[3] = -d;
    row[7] = 0.0;
    row[11] = d;
}

HED_ALWAYS_INLINE void hed_eol_bend_positive(HedEolBendForm form, double h[12][12]) {
    double in[12], out[12];
    hed_eol_bend_put(form.in, form.in_d, in);
    hed_eol_bend_put(form.out, 0.0, out);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            h[i][j] = in[i] * in[j] + out[i] * out[j];
        }
    }
    h[3][3] += form.own;
    h[11][11] += form.own;
    h[3][11] = h[11][3] = h[3][11] - form.own;
}

static inline void hed_eol_bend_exact(HedEolBendCorner at, double h[12][12]) {
    HedCornerLaw f = at.law.slope;
    HedCornerHessian s =
        hed_corner_product(hed_corner_slope(at.a, at.b, at.c, 1.0), at.scale * f.second);
    hed_corner_turn(at.a, at.b, at.c, at.scale * f.over, &s);
    hed_corner_tilt(at.a, at.b, at.c, at.scale * f.first, &s);
    HedMat3 ba = hed_mat3_transpose(s.ab);
    HedMat3 aa_ab = hed_mat3_add(s.aa, hed_mat3_scale(-1.0, s.ab));
    HedMat3 bb_ba = hed_mat3_add(s.bb, hed_mat3_scale(-1.0, ba));
    double* to = &h[0][0];
    hed_eol_put(to, 12, 0, 0, s.aa);
    hed_eol_put(to, 12, 0, 4, hed_mat3_scale(-1.0, aa_ab));
    hed_eol_put(to, 12, 0, 8, hed_mat3_scale(-1.0, s.ab));
    hed_eol_put(to, 12, 4, 4, hed_mat3_add(aa_ab, bb_ba));
    hed_eol_put(to, 12, 8, 4, hed_mat3_scale(-1.0, bb_ba));
    hed_eol_put(to, 12, 8, 8, s.bb);
    // Rows and columns of the material coordinates.
    double mixed = -at.scale * f.first / at.d;
    double uu = 2.0 * at.scale / (at.d * at.d) * at.law.value;
    double column[12];
    hed_eol_bend_put(hed_corner_slope(at.a, at.b, at.c, mixed), uu, column);
    for (int i = 0; i < 12; ++i) {
        h[11][i] = h[i][11] = column[i];
        h[3][i] = h[i][3] = -column[i];
        h[7][i] = h[i][7] = 0.0;
    }
    h[3][11] = h[11][3] = -uu;
}

/// q: x y z u of the nodes 0, 1, 2 along the yarn. Returns the energy (J) and sets g and h; either
/// may be NULL.
HED_ALWAYS_INLINE double hed_eol_bend(const double q[12], HedEolBend rest, double g[12],
                                      double h[12][12], bool is_exact) {
    HedEolBendCorner at = hed_eol_bend_corner(hed_eol_point(q), hed_eol_point(q + 4),
                                              hed_eol_point(q + 8), q[11] - q[3], rest);
    HedEolBendForce force = hed_eol_bend_force(at);
    if (g) {
        hed_eol_bend_put(force.edge, force.d, g);
    }
    if (h && is_exact) {
        hed_eol_bend_exact(at, h);
    } else if (h) {
        hed_eol_bend_positive(hed_eol_bend_form(at), h);
    }
    return force.energy;
}

#endif
