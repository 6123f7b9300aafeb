// SPDX-License-Identifier: MIT
// A yarn as a chain of points: stretching of a piece, bending at a point. Without units: lengths
// over the diameter d, energies over B/d, B the bending stiffness.
#ifndef HED_RELAX_KERNEL_CHAIN_H
#define HED_RELAX_KERNEL_CHAIN_H

#include "math/vec3.h"

// Stretching of the piece from x0 to x1.
//   E = 1/2 k L (l/L - 1)^2,   l = |x1 - x0|          dE/dx1 = k (l/L - 1) t = -dE/dx0
// Requires x0 != x1.
typedef struct HedPieceOut {
    double energy;
    double strain;
    HedVec3 grad; // with respect to x1
} HedPieceOut;

static inline HedPieceOut hed_piece_eval(HedVec3 x0, HedVec3 x1, double rest, double stiffness) {
    HedVec3 d = hed_sub3(x1, x0);
    double l = hed_norm3(d);
    double strain = l / rest - 1.0;
    return (HedPieceOut){.energy = 0.5 * stiffness * rest * strain * strain,
                         .strain = strain,
                         .grad = hed_mul3(stiffness * strain / l, d)};
}

// Bending at x1 between the pieces a = x1 - x0 and b = x2 - x1, straight at rest (Bergou et al.
// 2008: the turn 2 tan(phi/2) over the mean length of both pieces is the curvature).
//   E = B/(2 m) (2 tan phi/2)^2 = (2 B/m) (1 - c)/(1 + c),   c = cos phi = a.b / |a||b|
//   dE/dc = -(4 B/m) / (1 + c)^2
//   dc/da = (b/|b| - c a/|a|)/|a|,   dc/db = (a/|a| - c b/|b|)/|b|
// Requires pieces that do not turn back (c > -1).
typedef struct HedTurnOut {
    double energy;
    HedVec3 first; // dE/dx0
    HedVec3 last;  // dE/dx2; dE/dx1 is minus the sum of both
} HedTurnOut;

static inline HedTurnOut hed_turn_eval(HedVec3 x0, HedVec3 x1, HedVec3 x2, double stiffness,
                                       double mean) {
    HedVec3 a = hed_sub3(x1, x0);
    HedVec3 b = hed_sub3(x2, x1);
    double la = 1.0 / hed_norm3(a);
    double lb = 1.0 / hed_norm3(b);
    HedVec3 s = hed_mul3(la, a);
    HedVec3 t = hed_mul3(lb, b);
    double c = hed_dot3(s, t);
    double w = 1.0 / (1.0 + c);
    double slope = -4.0 * stiffness / mean * w * w;
    return (HedTurnOut){
        .energy = 2.0 * stiffness / mean * (1.0 - c) * w,
        .first = hed_mul3(-slope * la, hed_madd3(t, -c, s)),
        .last = hed_mul3(slope * lb, hed_madd3(s, -c, t)),
    };
}

#endif
