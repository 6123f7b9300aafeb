// SPDX-License-Identifier: MIT
// Stretching of a piece of sliding yarn between two nodes (docs/eol.md, section 2.1).
//   e = x1 - x0,  l = |e|,  t = e/l,  D = u1 - u0,  lam = l/D
//   V = 1/2 k D (lam - 1)^2,   k = tight for lam >= 1, slack below (C1)
//   dV/dx1 = k (lam - 1) t = -dV/dx0,       dV/du1 = -(k/2)(lam^2 - 1) = -dV/du0
//   H4 = (k/D) b b' + (T/l)(P 0; 0 0),      b = (t, -lam),  T = k (lam - 1),  H = (H4 -H4; -H4 H4)
// V is homogeneous of degree one in (l, D): moving a node along a straight, evenly stretched yarn
// changes no energy, and b b' is never negative. The positive form replaces T by max(T, 0).
#ifndef HED_MODEL_EOL_KERNEL_STRETCH_H
#define HED_MODEL_EOL_KERNEL_STRETCH_H

#include "model/eol/corner.h"

typedef struct HedEolStretch {
    double tight; // N, force per strain of a yarn longer than its material
    double slack; // N, of one that is shorter; above 0, or material could move freely
} HedEolStretch;

/// By value, for loops over lanes.
typedef struct HedEolPiece {
    double energy;  // J
    double tension; // N, T: dV/de = T t
    double along;   // N, dV/dD
    double lam;     // l/D
    double stiff;   // N/m, k/D
    double across;  // N/m, T/l
    HedVec3 t;      // direction
} HedEolPiece;

HED_ALWAYS_INLINE HedEolPiece hed_eol_piece(HedVec3 x0, HedVec3 x1, double material,
                                            HedEolStretch rest) {
    HedEdge e = hed_edge(x0, x1);
    double d = hed_eol_max(material, HED_EOL_LEAST);
    double over = 1.0 / d;
    double strain = (e.length - d) * over;
    HedEolPiece p;
    double k = strain >= 0.0 ? rest.tight : rest.slack;
    p.lam = e.length * over;
    p.tension = k * strain;
    p.energy = 0.5 * p.tension * strain * d;
    p.along = -0.5 * p.tension * (p.lam + 1.0);
    p.stiff = k * over;
    p.across = p.tension * e.inverse;
    p.t = e.t;
    return p;
}

/// q: x0 y0 z0 u0 x1 y1 z1 u1. Returns the energy (J) and sets g and h; either may be NULL.
HED_ALWAYS_INLINE double hed_eol_stretch(const double q[8], HedEolStretch rest, double g[8],
                                         double h[8][8], bool is_exact) {
    HedEolPiece p = hed_eol_piece(hed_eol_point(q), hed_eol_point(q + 4), q[7] - q[3], rest);
    if (g) {
        hed_eol_put3(g, hed_mul3(-p.tension, p.t));
        hed_eol_put3(g + 4, hed_mul3(p.tension, p.t));
        g[3] = -p.along;
        g[7] = p.along;
    }
    if (h) {
        double across = is_exact ? p.across : hed_eol_max(p.across, 0.0);
        const double b[4] = {p.t.x, p.t.y, p.t.z, -p.lam};
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                double scale = i < 3 && j < 3 ? p.stiff - across : p.stiff;
                double value = scale * (b[i] * b[j]) + (i == j && i < 3 ? across : 0.0);
                h[i][j] = h[4 + i][4 + j] = value;
                h[4 + i][j] = h[i][4 + j] = -value;
            }
        }
    }
    return p.energy;
}

#endif
