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
// everything: in a straight line F'' = F'/sin(theta), and any k across the edges gives the same.
#ifndef HED_MODEL_EOL_CORNER_H
#define HED_MODEL_EOL_CORNER_H

#include "base/inline.h"
#include "math/angle.h"
#include "math/mat3.h"

/// m. Shorter edges and pieces of yarn count as having no length: a millionth of the thinnest
/// yarn.
static const double HED_EOL_LEAST = 1e-12;

/// The least sine of an angle whose plane is known.
static const double HED_EOL_PLANE = 1e-9;

/// The larger one, without the call that the C library's takes for the sake of NaN.
HED_ALWAYS_INLINE double hed_eol_max(double a, double b) {
    return a > b ? a : b;
}

typedef struct HedEdge {
    HedVec3 t;      // direction; 0 for an edge without length
    double length;  // m
    double inverse; // 1/m; 0 for an edge without length
} HedEdge;

HED_ALWAYS_INLINE HedVec3 hed_eol_point(const double* q) {
    return (HedVec3){q[0], q[1], q[2]};
}

HED_ALWAYS_INLINE HedEdge hed_edge(HedVec3 from, HedVec3 to) {
    HedVec3 e = hed_sub3(to, from);
    double length = hed_norm3(e);
    double inverse = length > HED_EOL_LEAST ? 1.0 / length : 0.0;
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
    HedVec3 k; // the unit normal x/sine; across the edges where they are in line, 0 in a fold
} HedCorner;

// For directions that are nearly the same or opposite, ta x tb comes from their difference or sum:
// the leading digits are then subtracted once, not six times.
HED_ALWAYS_INLINE HedCorner hed_corner(HedEdge a, HedEdge b) {
    HedCorner c;
    c.cosine = hed_dot3(a.t, b.t);
    c.x = hed_cross3(a.t, hed_madd3(b.t, c.cosine > 0.0 ? -1.0 : 1.0, a.t));
    c.sine = hed_norm3(c.x);
    bool is_plane = c.sine > HED_EOL_PLANE;
    HedVec3 k = hed_mul3(is_plane ? 1.0 / c.sine : 0.0, c.x);
    c.k = is_plane || c.cosine <= 0.0 ? k : hed_perpendicular3(a.t);
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

/// What belongs to edge a and to edge b. Loops over lanes need values: gcc packs no local arrays.
typedef struct HedCornerPair {
    HedVec3 a, b;
} HedCornerPair;

/// dF/da and dF/db from F'/sin(theta).
HED_ALWAYS_INLINE HedCornerPair hed_corner_pull(HedEdge a, HedEdge b, HedCorner c, double over) {
    return (HedCornerPair){hed_mul3(-over * a.inverse, hed_cross3(c.x, a.t)),
                           hed_mul3(over * b.inverse, hed_cross3(c.x, b.t))};
}

/// dtheta/da and dtheta/db, times scale.
HED_ALWAYS_INLINE HedCornerPair hed_corner_slope(HedEdge a, HedEdge b, HedCorner c, double scale) {
    return (HedCornerPair){hed_mul3(-scale * a.inverse, hed_cross3(c.k, a.t)),
                           hed_mul3(scale * b.inverse, hed_cross3(c.k, b.t))};
}

/// dtheta/da and dtheta/db.
HED_ALWAYS_INLINE void hed_corner_angle_gradient(HedEdge a, HedEdge b, HedCorner c,
                                                 HedVec3 out[2]) {
    HedCornerPair g = hed_corner_slope(a, b, c, 1.0);
    out[0] = g.a;
    out[1] = g.b;
}

/// The product of first derivatives F'' dtheta dtheta'.
static inline HedCornerHessian hed_corner_product(HedCornerPair g, double second) {
    HedVec3 a = hed_mul3(second, g.a);
    return (HedCornerHessian){hed_mat3_outer_diag(second, g.a, 0.0), hed_mat3_outer(a, g.b),
                              hed_mat3_outer_diag(second, g.b, 0.0)};
}

/// What turning out of the plane adds to the exact second derivative: F'/sin(theta) times the
/// matrix [cos/la^2, -1/(la lb); -1/(la lb), cos/lb^2] in front of k k'.
static inline void hed_corner_turn(HedEdge a, HedEdge b, HedCorner c, double over,
                                   HedCornerHessian* h) {
    double aa = over * c.cosine * a.inverse * a.inverse;
    double bb = over * c.cosine * b.inverse * b.inverse;
    double ab = -over * a.inverse * b.inverse;
    h->aa = hed_mat3_add(h->aa, hed_mat3_outer_diag(aa, c.k, 0.0));
    h->ab = hed_mat3_add(h->ab, hed_mat3_outer(hed_mul3(ab, c.k), c.k));
    h->bb = hed_mat3_add(h->bb, hed_mat3_outer_diag(bb, c.k, 0.0));
}

/// The matrix in front of k k' has one eigenvalue of each sign. Its positive part, times
/// max(F', 0)/sin(theta), is the product with itself of the pair returned here.
HED_ALWAYS_INLINE HedCornerPair hed_corner_turn_positive(HedEdge a, HedEdge b, HedCorner c,
                                                         double over) {
    double aa = c.cosine * a.inverse * a.inverse;
    double bb = c.cosine * b.inverse * b.inverse;
    double ab = a.inverse * b.inverse;
    double apart = 0.5 * (aa - bb);
    double root = sqrt(apart * apart + ab * ab);
    double upper = hed_eol_max(0.5 * (aa + bb) + root, 0.0) * hed_eol_max(over, 0.0);
    double half = root > 0.0 ? 0.5 * upper / root : 0.0;
    // root + apart and root - apart are the squares of the eigenvector's parts; their product is
    // ab^2, which spares the smaller one its cancellation.
    double large = sqrt(half * (root + fabs(apart)));
    double small = large > 0.0 ? half * ab / large : 0.0;
    return (HedCornerPair){hed_mul3(apart >= 0.0 ? -large : -small, c.k),
                           hed_mul3(apart >= 0.0 ? small : large, c.k)};
}

/// What turning within the plane adds to the exact second derivative.
static inline void hed_corner_tilt(HedEdge a, HedEdge b, HedCorner c, double first,
                                   HedCornerHessian* h) {
    double fa = first * a.inverse * a.inverse;
    double fb = -first * b.inverse * b.inverse;
    h->aa = hed_mat3_add(h->aa, hed_edge_both(fa, a.t, hed_cross3(c.k, a.t)));
    h->bb = hed_mat3_add(h->bb, hed_edge_both(fb, b.t, hed_cross3(c.k, b.t)));
}

/// Writes block b and its transpose into the symmetric h (n by n) at row i and column j.
HED_ALWAYS_INLINE void hed_eol_put(double* h, int n, int i, int j, HedMat3 b) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            h[(i + r) * n + j + c] = b.m[r][c];
            h[(j + c) * n + i + r] = b.m[r][c];
        }
    }
}

/// Writes column v and its transpose at rows i to i + 2 and column j.
HED_ALWAYS_INLINE void hed_eol_put_column(double* h, int n, int i, int j, HedVec3 v) {
    h[i * n + j] = h[j * n + i] = v.x;
    h[(i + 1) * n + j] = h[j * n + i + 1] = v.y;
    h[(i + 2) * n + j] = h[j * n + i + 2] = v.z;
}

/// Sets h (n by n) to v v'. What carries a stiffness multiplies v by its root: h is then symmetric
/// to the last digit.
HED_ALWAYS_INLINE void hed_eol_outer(const double* v, int n, double* h) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            h[i * n + j] = v[i] * v[j];
        }
    }
}

HED_ALWAYS_INLINE void hed_eol_put3(double* g, HedVec3 v) {
    g[0] = v.x;
    g[1] = v.y;
    g[2] = v.z;
}

#endif
