// SPDX-License-Identifier: MIT
// Contact of two yarns that cross without sharing a node: a place u on one, a place v on the other,
// both Eulerian (docs/eol.md, section 9).
//
// The point of a yarn. With the inner visit 0 nearest to u, its neighbours - and +, s = u - u_0,
// D- = u_0 - u_-, D+ = u_+ - u_0 and w- = (x_0 - x_-)/D-, w+ = (x_+ - x_0)/D+, corners are rounded
// over |s| < e, z = s/e:
//   phi = 0 (s <= -e),  e (3 + 8 z + 6 z^2 - z^4)/16,  s (s >= e)
//   phi' = 1/2 + 3 z/4 - z^3/4,  phi'' = 3 (1 - z^2)/(4 e)
//   y = x_0 + (s - phi) w- + phi w+,        a = dy/du = (1 - phi') w- + phi' w+
//   A = (s - phi)/D-,   B = phi/D+
//   dy = -A dx- + (1 + A - B) dx_0 + B dx+ + A w- du- + (-A w- + B w+ - a) du_0 - B w+ du+ + a du
//   da = (1 - phi')/D- (dx_0 - dx- - w- (du_0 - du-)) + phi'/D+ (dx+ - dx_0 - w+ (du+ - du_0))
//        + phi'' (w+ - w-) (du - du_0).
// y is twice continuously differentiable in u across all nodes, so that forces that depend on a
// have no jump, and on the straight piece for |s| >= e.
//
// The contact. With r = y_0 - y_1, t_i = a_i/|a_i|, sigma = 1 or -1 the side on which yarn 0 lies,
// N = sigma t_0 x t_1/|t_0 x t_1|, delta = r.N, c_i = r.t_i, p = r - delta N, xi = (d - delta)/m:
//   V = k m^2 Phi(xi) + (kt/2)(c_0^2 + c_1^2),   Phi = xi + 2 ln(1 - xi) + xi/(1 - xi),  xi > 0
//   Phi' = xi^2/(1 - xi)^2,   Phi'' = 2 xi/(1 - xi)^3,   normal force k m Phi'.
// The second part keeps u and v where the yarns are nearest to each other; where it is least it
// exerts nothing. delta is the distance of the two tangents: unlike |r| it does not fall as u and v
// go astray, so a load does not push them off (by |r| it would, from k m Phi' = kt d on, and far
// before between yarns that are nearly parallel), and it has a sign: what has passed through costs
// infinitely much. Nothing is frozen: V does not change in rigid motions. With J = d(y_0 - y_1),
//   g_n = J' N + sigma (da_0)' (t_1 x p)/(|t_0 x t_1| |a_0|) + sigma (da_1)' (p x t_0)/(.. |a_1|)
//   g_i = J' t_i + (da_i)' (r - c_i t_i)/|a_i|
//   gradient = -k m Phi' g_n + kt sum of c_i g_i
//   Hessian (positive) = k Phi'' g_n g_n' + kt sum of g_i g_i'.
// What the Hessian leaves out is as large as the forces.
#ifndef HED_MODEL_EOL_KERNEL_TOUCH_H
#define HED_MODEL_EOL_KERNEL_TOUCH_H

#include "model/eol/corner.h"

/// Numbers of a side: x and place of the visits -, 0, +, and the contact's own place on the yarn.
enum { HED_TOUCH_NODES = 12, HED_TOUCH_SIDE = 13, HED_TOUCH_SIZE = 26 };

/// A contact's constants.
typedef struct HedEolTouchLaw {
    double distance;  // m, d: between the middles of both yarns
    double margin;    // m, m: no nearer than d - m
    double stiffness; // N/m, k
    double tracking;  // N/m, kt
    double side;      // sigma
} HedEolTouchLaw;

/// The point of a yarn at u and what its derivatives need.
typedef struct HedEolTouchPoint {
    HedVec3 y;              // m
    HedVec3 a;              // dy/du
    HedVec3 curve;          // 1/m, d2y/du2
    HedVec3 before, after;  // w- and w+
    double left, right;     // A and B
    double d_left, d_right; // 1/m, (1 - phi')/D- and phi'/D+
} HedEolTouchPoint;

/// q: x and place of -, 0, +. u: m. corner: m, e > 0, below half of both pieces.
HED_ALWAYS_INLINE HedEolTouchPoint hed_eol_touch_point(const double q[HED_TOUCH_NODES], double u,
                                                       double corner) {
    HedVec3 x = hed_eol_point(q + 4);
    double back = 1.0 / hed_eol_max(q[7] - q[3], HED_EOL_LEAST);
    double ahead = 1.0 / hed_eol_max(q[11] - q[7], HED_EOL_LEAST);
    HedEolTouchPoint p;
    p.before = hed_mul3(back, hed_sub3(x, hed_eol_point(q)));
    p.after = hed_mul3(ahead, hed_sub3(hed_eol_point(q + 8), x));
    double s = u - q[7];
    double z = s / corner;
    double zz = z * z;
    bool is_inside = fabs(s) < corner;
    double phi =
        is_inside ? corner * (3.0 + 8.0 * z + zz * (6.0 - zz)) / 16.0 : hed_eol_max(s, 0.0);
    double slope = is_inside ? 0.5 + 0.25 * z * (3.0 - zz) : (s > 0.0 ? 1.0 : 0.0);
    double bend = is_inside ? 0.75 * (1.0 - zz) / corner : 0.0;
    p.left = (s - phi) * back;
    p.right = phi * ahead;
    p.d_left = (1.0 - slope) * back;
    p.d_right = slope * ahead;
    p.y = hed_madd3(hed_madd3(x, s - phi, p.before), phi, p.after);
    p.a = hed_madd3(hed_mul3(1.0 - slope, p.before), slope, p.after);
    p.curve = hed_mul3(bend, hed_sub3(p.after, p.before));
    return p;
}

/// out = sign (dy)' f + (da)' m, 13 numbers.
HED_ALWAYS_INLINE void hed_eol_touch_pull(const HedEolTouchPoint* p, double sign, HedVec3 f,
                                          HedVec3 m, double out[HED_TOUCH_SIDE]) {
    f = hed_mul3(sign, f);
    HedVec3 minus = hed_add3(hed_mul3(-p->left, f), hed_mul3(-p->d_left, m));
    HedVec3 plus = hed_add3(hed_mul3(p->right, f), hed_mul3(p->d_right, m));
    double own = hed_dot3(p->a, f) + hed_dot3(p->curve, m);
    double of_minus = -hed_dot3(p->before, minus);
    double of_plus = -hed_dot3(p->after, plus);
    hed_eol_put3(out, minus);
    out[3] = of_minus;
    hed_eol_put3(out + 4, hed_sub3(f, hed_add3(minus, plus)));
    out[7] = -(of_minus + of_plus + own);
    hed_eol_put3(out + 8, plus);
    out[11] = of_plus;
    out[12] = own;
}

/// A contact at a state. The gradient by its 26 numbers is sum over j of force[j] g[j], the
/// positive Hessian sum over j of weight[j] g[j] g[j]'; j = 0: along the normal, 1 and 2: along the
/// yarns.
typedef struct HedEolTouch {
    double energy; // J
    double normal; // N, N
    double gap;    // m, l - d
    double g[3][HED_TOUCH_SIZE];
    double force[3];  // N
    double weight[3]; // N/m
} HedEolTouch;

/// xi from which on a state counts as one that cannot be reached.
static const double HED_TOUCH_MOST = 0.95;

typedef struct HedEolBarrier {
    double value, first, second; // Phi, Phi', Phi''
} HedEolBarrier;

/// Phi for small xi, where its terms, of the first order, cancel up to the third: the sum of
/// (k - 2)/k xi^k for k = 3 to 9; what follows is below 3e-14 of it for xi < 0.01.
HED_ALWAYS_INLINE double hed_eol_barrier_series(double xi) {
    double sum = 0.0;
    for (int k = 9; k >= 3; --k) {
        sum = sum * xi + (double)(k - 2) / k;
    }
    return sum * xi * xi * xi;
}

/// Beyond xi = 1 it is infinite.
HED_ALWAYS_INLINE HedEolBarrier hed_eol_barrier(double xi) {
    if (xi <= 0.0) {
        return (HedEolBarrier){0.0, 0.0, 0.0};
    }
    if (xi >= 1.0) {
        return (HedEolBarrier){(double)INFINITY, (double)INFINITY, (double)INFINITY};
    }
    double over = 1.0 / (1.0 - xi);
    double ratio = xi * over;
    double value = xi < 1e-2 ? hed_eol_barrier_series(xi) : xi + 2.0 * log1p(-xi) + ratio;
    return (HedEolBarrier){value, ratio * ratio, 2.0 * ratio * over * over};
}

/// Places on both sides, and their corners.
typedef struct HedEolTouchPlace {
    double u[2];      // m
    double corner[2]; // m
} HedEolTouchPlace;

/// What is kept of the directions of both yarns.
typedef struct HedEolTouchFrame {
    HedVec3 t[2];
    double over[2]; // 1/|a_i|
    HedVec3 n;      // N
    double inverse; // 1/|t_0 x t_1|
} HedEolTouchFrame;

HED_ALWAYS_INLINE HedEolTouchFrame hed_eol_touch_frame(const HedEolTouchPoint p[2], double side) {
    HedEolTouchFrame f;
    for (int i = 0; i < 2; ++i) {
        double size = hed_norm3(p[i].a);
        f.over[i] = size > HED_EOL_LEAST ? 1.0 / size : 0.0;
        f.t[i] = hed_mul3(f.over[i], p[i].a);
    }
    HedVec3 cross = hed_cross3(f.t[0], f.t[1]);
    double sine = hed_norm3(cross);
    f.inverse = sine > HED_EOL_PLANE ? 1.0 / sine : 0.0;
    f.n = hed_mul3(side * f.inverse, cross);
    return f;
}

/// q: x and place of -, 0, + on both sides.
HED_ALWAYS_INLINE HedEolTouch hed_eol_touch(const double q[2][HED_TOUCH_NODES], HedEolTouchPlace at,
                                            HedEolTouchLaw law) {
    HedEolTouchPoint p[2] = {hed_eol_touch_point(q[0], at.u[0], at.corner[0]),
                             hed_eol_touch_point(q[1], at.u[1], at.corner[1])};
    HedEolTouchFrame f = hed_eol_touch_frame(p, law.side);
    HedVec3 r = hed_sub3(p[0].y, p[1].y);
    double distance = hed_dot3(r, f.n);
    HedVec3 astray = hed_madd3(r, -distance, f.n);
    HedEolBarrier barrier = hed_eol_barrier((law.distance - distance) / law.margin);
    HedEolTouch touch;
    touch.gap = distance - law.distance;
    touch.normal = law.stiffness * law.margin * barrier.first;
    touch.energy = law.stiffness * law.margin * law.margin * barrier.value;
    touch.force[0] = -touch.normal;
    touch.weight[0] = law.stiffness * barrier.second;
    double lean = law.side * f.inverse;
    HedVec3 lean_0 = hed_mul3(lean * f.over[0], hed_cross3(f.t[1], astray));
    HedVec3 lean_1 = hed_mul3(lean * f.over[1], hed_cross3(astray, f.t[0]));
    hed_eol_touch_pull(&p[0], 1.0, f.n, lean_0, touch.g[0]);
    hed_eol_touch_pull(&p[1], -1.0, f.n, lean_1, touch.g[0] + HED_TOUCH_SIDE);
    const HedVec3 none = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; ++i) {
        double c = hed_dot3(r, f.t[i]);
        HedVec3 turn = hed_mul3(f.over[i], hed_madd3(r, -c, f.t[i]));
        hed_eol_touch_pull(&p[0], 1.0, f.t[i], i == 0 ? turn : none, touch.g[1 + i]);
        hed_eol_touch_pull(&p[1], -1.0, f.t[i], i == 1 ? turn : none,
                           touch.g[1 + i] + HED_TOUCH_SIDE);
        touch.force[1 + i] = law.tracking * c;
        touch.weight[1 + i] = law.tracking;
        touch.energy += 0.5 * law.tracking * c * c;
    }
    return touch;
}

#endif
