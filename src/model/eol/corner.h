// SPDX-License-Identifier: MIT
// Directions of edges and the angle between two of them, with exact second derivatives: what the
// kernels of sliding yarns share.
//
// An edge e of length l and direction t:  dt = P de/l, P = I - t t', and for a fixed vector y
//   d2(y.t)/de2 = -(1/l^2) ( t (Py)' + (Py) t' + (y.t) P ).
//
// The angle theta between the edges a and b, k = ta x tb/|ta x tb| the normal of their plane:
//   dtheta/da = -(k x ta)/la,      dtheta/db = (k x tb)/lb
//   d2theta/da2  = ( ta (k x ta)' + (k x ta) ta' + cot(theta) k k')/la^2
//   d2theta/db2  = (-tb (k x tb)' - (k x tb) tb' + cot(theta) k k')/lb^2
//   d2theta/dadb = -k k'/(la lb sin(theta)).
// For an energy F(theta) whose slope vanishes with theta, F'/sin(theta) stays finite, and so does
// everything: where the plane is undefined, k k' becomes the projector across the edges.
#ifndef HED_MODEL_EOL_CORNER_H
#define HED_MODEL_EOL_CORNER_H

#include "base/inline.h"
#include "math/angle.h"
#include "math/mat3.h"

/// m. Shorter edges and pieces of yarn count as having no length: a millionth of the thinnest
/// yarn.
static const double HED_SLIDE_LEAST = 1e-12;

/// The least sine of an angle whose plane is known.
static const double HED_SLIDE_PLANE = 1e-9;

typedef struct HedEdge {
    HedVec3 t;      // direction; 0 for an edge without length
    double length;  // m
    double inverse; // 1/m; 0 for an edge without length
} HedEdge;

HED_ALWAYS_INLINE HedVec3 hed_slide_point(const double* q) {
    return (HedVec3){q[0], q[1], q[2]};
}

HED_ALWAYS_INLINE HedEdge hed_edge(HedVec3 from, HedVec3 to) {
    HedVec3 e = hed_sub3(to, from);
    double length = hed_norm3(e);
    double inverse = length > HED_SLIDE_LEAST ? 1.0 / length : 0.0;
    return (HedEdge){hed_mul3(inverse, e), length, inverse};
}

/// P y
HED_ALWAYS_INLINE HedVec3 hed_edge_across(HedEdge e, HedVec3 y) {
    return hed_madd3(y, -hed_dot3(y, e.t), e.t);
}

/// c (a b' + b a')
HED_ALWAYS_INLINE HedMat3 hed_edge_both(double c, HedVec3 a, HedVec3 b) {
    double xy = c * (a.x * b.y + a.y * b.x);
    double xz = c * (a.x * b.z + a.z * b.x);
    double yz = c * (a.y * b.z + a.z * b.y);
    return (HedMat3){{{2.0 * c * a.x * b.x, xy, xz},
                      {xy, 2.0 * c * a.y * b.y, yz},
                      {xz, yz, 2.0 * c * a.z * b.z}}};
}

typedef struct HedCorner {
    double angle;  // rad, from 0 to pi
    double cosine; // ta.tb
    double sine;
    HedVec3 x; // ta x tb
    HedVec3 k; // the unit normal x/sine; 0 where the plane is undefined
} HedCorner;

// For directions that are nearly the same or opposite, ta x tb comes from their difference or sum:
// the leading digits are then subtracted once, not six times.
HED_ALWAYS_INLINE HedCorner hed_corner(HedEdge a, HedEdge b) {
    HedCorner c;
    c.cosine = hed_dot3(a.t, b.t);
    c.x = hed_cross3(a.t, hed_madd3(b.t, c.cosine > 0.0 ? -1.0 : 1.0, a.t));
    c.sine = hed_norm3(c.x);
    c.k = hed_mul3(c.sine > HED_SLIDE_PLANE ? 1.0 / c.sine : 0.0, c.x);
    c.angle = hed_atan2(c.sine, c.cosine);
    return c;
}

/// First and second derivatives of an energy F(theta) at the present angle.
typedef struct HedCornerLaw {
    double first;  // F'
    double second; // F''
    double over;   // F'/sin(theta), finite
} HedCornerLaw;

/// Second derivatives by two edges; ba is the transpose of ab.
typedef struct HedCornerHessian {
    HedMat3 aa, ab, bb;
} HedCornerHessian;

/// dF/da and dF/db.
HED_ALWAYS_INLINE void hed_corner_gradient(HedEdge a, HedEdge b, HedCorner c, double over,
                                           HedVec3 out[2]) {
    out[0] = hed_mul3(-over * a.inverse, hed_cross3(c.x, a.t));
    out[1] = hed_mul3(over * b.inverse, hed_cross3(c.x, b.t));
}

/// dtheta/da and dtheta/db; 0 where the plane is undefined.
HED_ALWAYS_INLINE void hed_corner_angle_gradient(HedEdge a, HedEdge b, HedCorner c,
                                                 HedVec3 out[2]) {
    out[0] = hed_mul3(-a.inverse, hed_cross3(c.k, a.t));
    out[1] = hed_mul3(b.inverse, hed_cross3(c.k, b.t));
}

/// The product of first derivatives F'' dtheta dtheta'.
HED_ALWAYS_INLINE HedCornerHessian hed_corner_product(const HedVec3 g[2], double second) {
    HedVec3 a = hed_mul3(second, g[0]);
    return (HedCornerHessian){hed_mat3_outer_diag(second, g[0], 0.0), hed_mat3_outer(a, g[1]),
                              hed_mat3_outer_diag(second, g[1], 0.0)};
}

/// Turning the edges out of their plane: F'/sin(theta) times the matrix
/// [cos/la^2, -1/(la lb); -1/(la lb), cos/lb^2] in front of k k'. The matrix has one eigenvalue of
/// each sign; the positive form keeps the part of the upper one for F' > 0, nothing for F' < 0.
HED_ALWAYS_INLINE void hed_corner_turn(HedEdge a, HedEdge b, HedCorner c, double over,
                                       bool is_exact, HedCornerHessian* h) {
    double aa = c.cosine * a.inverse * a.inverse;
    double bb = c.cosine * b.inverse * b.inverse;
    double ab = -a.inverse * b.inverse;
    double half = 0.5 * (aa + bb);
    double apart = sqrt(0.25 * (aa - bb) * (aa - bb) + ab * ab);
    double upper = fmax(half + apart, 0.0);
    double share = apart > 0.0 ? 0.5 * upper / apart : 0.0;
    double positive = fmax(over, 0.0) * share;
    double lower = half - apart;
    aa = is_exact ? over * aa : positive * (aa - lower);
    bb = is_exact ? over * bb : positive * (bb - lower);
    ab = is_exact ? over * ab : positive * ab;
    // k k', or the projector across the edges where they are in line.
    bool in_line = c.sine <= HED_SLIDE_PLANE;
    HedMat3 kk =
        hed_mat3_outer_diag(in_line ? -1.0 : 1.0, in_line ? a.t : c.k, in_line ? 1.0 : 0.0);
    h->aa = hed_mat3_add(h->aa, hed_mat3_scale(aa, kk));
    h->ab = hed_mat3_add(h->ab, hed_mat3_scale(ab, kk));
    h->bb = hed_mat3_add(h->bb, hed_mat3_scale(bb, kk));
}

/// What turning within the plane adds to the exact second derivative.
HED_ALWAYS_INLINE void hed_corner_tilt(HedEdge a, HedEdge b, HedCorner c, double first,
                                       HedCornerHessian* h) {
    double fa = first * a.inverse * a.inverse;
    double fb = -first * b.inverse * b.inverse;
    h->aa = hed_mat3_add(h->aa, hed_edge_both(fa, a.t, hed_cross3(c.k, a.t)));
    h->bb = hed_mat3_add(h->bb, hed_edge_both(fb, b.t, hed_cross3(c.k, b.t)));
}

/// Writes block b and its transpose into the symmetric h (n by n) at row i and column j.
HED_ALWAYS_INLINE void hed_slide_put(double* h, int n, int i, int j, HedMat3 b) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            h[(i + r) * n + j + c] = b.m[r][c];
            h[(j + c) * n + i + r] = b.m[r][c];
        }
    }
}

/// Writes column v and its transpose at rows i to i + 2 and column j.
HED_ALWAYS_INLINE void hed_slide_put_column(double* h, int n, int i, int j, HedVec3 v) {
    h[i * n + j] = h[j * n + i] = v.x;
    h[(i + 1) * n + j] = h[j * n + i + 1] = v.y;
    h[(i + 2) * n + j] = h[j * n + i + 2] = v.z;
}

HED_ALWAYS_INLINE void hed_slide_put3(double* g, HedVec3 v) {
    g[0] = v.x;
    g[1] = v.y;
    g[2] = v.z;
}

#endif
