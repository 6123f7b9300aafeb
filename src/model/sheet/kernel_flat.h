// SPDX-License-Identifier: MIT
// Quadratic bending of two triangles that share an edge, for sheets that hardly stretch and rest
// flat (Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006).
//
// With the cotangents of the angles at the edge's ends, at rest,
//   c = sum w_i x_i / |e|,   w0 = cot(x1 in A1) + cot(x1 in A2),   w1 = cot(x0 in A1) + cot(x0 in
//   A2), w2 = -cot(x0 in A1) - cot(x1 in A1),   w3 = -cot(x0 in A2) - cot(x1 in A2),
// is a vector along the normal whose length is the angle between the triangles, if that is small.
// So E = 1/2 k |c|^2, with the k of kernel_hinge.h, is its energy to first order, and
// state/radial.h with d = c and rest length 0: its second derivative is constant and positive.
//
// c turns with the sheet, so a damping of its rate would damp rigid turns. Damping takes the rate
// of
//   theta = c.n,   n = N/|N|,   N = (x1 - x0) x (x2 - x0),
// the angle with its sign, which no rigid motion changes:
//   dtheta/dx_i = w_i n / |e| + (a_i x (c - theta n)) / |N|,   a_i the side of triangle A1 against
// corner i, from i + 2 to i + 1; the second part has no x3. A triangle without area is not damped.
#ifndef HED_MODEL_SHEET_KERNEL_FLAT_H
#define HED_MODEL_SHEET_KERNEL_FLAT_H

#include "state/radial.h"

typedef struct HedFlatRest {
    double weight[4];
    double stiffness; // J
    double damping;   // J s
} HedFlatRest;

/// Cotangent of the angle at a between b and c.
static inline double hed_cotangent(HedVec3 a, HedVec3 b, HedVec3 c) {
    HedVec3 p = hed_sub3(b, a);
    HedVec3 q = hed_sub3(c, a);
    return hed_dot3(p, q) / hed_norm3(hed_cross3(p, q));
}

/// The weights at rest positions of edge (x0, x1) and opposite points x2, x3.
static inline void hed_flat_weights(const HedVec3 x[4], double weight[4]) {
    double a0 = hed_cotangent(x[0], x[1], x[2]);
    double a1 = hed_cotangent(x[1], x[0], x[2]);
    double b0 = hed_cotangent(x[0], x[1], x[3]);
    double b1 = hed_cotangent(x[1], x[0], x[3]);
    double over = 1.0 / hed_distance3(x[0], x[1]);
    weight[0] = over * (a1 + b1);
    weight[1] = over * (a0 + b0);
    weight[2] = over * (-a0 - a1);
    weight[3] = over * (-b0 - b1);
}

static inline HedVec3 hed_flat_sum(const HedVec3 x[4], const double weight[4]) {
    HedVec3 sum = hed_mul3(weight[0], x[0]);
    for (int i = 1; i < 4; ++i) {
        sum = hed_madd3(sum, weight[i], x[i]);
    }
    return sum;
}

/// Twice a triangle's area over the square of its longest side from x0 below which it has no
/// normal.
static const double HED_FLAT_LEAST = 1e-9;

/// The angle with its sign, and its gradient.
typedef struct HedFlatTurn {
    double angle; // rad
    HedVec3 gradient[4];
} HedFlatTurn;

static inline HedFlatTurn hed_flat_turn(const HedVec3 x[4], const double weight[4]) {
    HedVec3 c = hed_flat_sum(x, weight);
    HedVec3 a = hed_sub3(x[1], x[0]);
    HedVec3 b = hed_sub3(x[2], x[0]);
    HedVec3 normal = hed_cross3(a, b);
    double size = hed_norm3(normal);
    HedFlatTurn turn = {0};
    if (!(size > HED_FLAT_LEAST * fmax(hed_dot3(a, a), hed_dot3(b, b)))) {
        return turn;
    }
    HedVec3 n = hed_mul3(1.0 / size, normal);
    turn.angle = hed_dot3(c, n);
    HedVec3 along = hed_mul3(1.0 / size, hed_madd3(c, -turn.angle, n));
    for (int i = 0; i < 4; ++i) {
        turn.gradient[i] = hed_mul3(weight[i], n);
    }
    for (int i = 0; i < 3; ++i) {
        HedVec3 side = hed_sub3(x[(i + 1) % 3], x[(i + 2) % 3]);
        turn.gradient[i] = hed_add3(turn.gradient[i], hed_cross3(side, along));
    }
    return turn;
}

#endif
