// SPDX-License-Identifier: MIT
// Stretching of a piece of sliding yarn between two nodes (eol-model 2.1).
//   e = x1 - x0,  l = |e|,  t = e/l,  D = u1 - u0,  lam = l/D
//   V = 1/2 k D (lam - 1)^2,   k = tight for lam >= 1, slack below (C1)
//   dV/dx1 = k (lam - 1) t = -dV/dx0,       dV/du1 = -(k/2)(lam^2 - 1) = -dV/du0
//   H4 = (k/D) b b' + (T/l)(P 0; 0 0),      b = (t, -lam),  T = k (lam - 1),  H = (H4 -H4; -H4 H4)
// V is homogeneous of degree one in (l, D): moving a node along a straight, evenly stretched yarn
// changes no energy, and b b' is never negative. The positive form replaces T by max(T, 0).
#ifndef HED_MODEL_EOL_KERNEL_STRETCH_H
#define HED_MODEL_EOL_KERNEL_STRETCH_H

#include "model/eol/corner.h"

typedef struct HedSlideStretch {
    double tight; // N, force per strain of a yarn longer than its material
    double slack; // N, of one that is shorter; above 0, or material could move freely
} HedSlideStretch;

/// q: x0 y0 z0 u0 x1 y1 z1 u1. Returns the energy (J) and sets g and h; either may be NULL.
HED_ALWAYS_INLINE double hed_slide_stretch(const double q[8], HedSlideStretch rest, double g[8],
                                           double h[8][8], bool is_exact) {
    HedEdge e = hed_edge(hed_slide_point(q), hed_slide_point(q + 4));
    double d = hed_slide_max(q[7] - q[3], HED_SLIDE_LEAST);
    double over = 1.0 / d;
    double strain = (e.length - d) * over;
    double lam = e.length * over;
    double k = strain >= 0.0 ? rest.tight : rest.slack;
    double tension = k * strain;
    if (g) {
        hed_slide_put3(g + 4, hed_mul3(tension, e.t));
        g[7] = -0.5 * tension * (lam + 1.0);
        for (int i = 0; i < 4; ++i) {
            g[i] = -g[4 + i];
        }
    }
    if (h) {
        double stiff = k * over;
        double across = (is_exact ? tension : hed_slide_max(tension, 0.0)) * e.inverse;
        const double b[4] = {e.t.x, e.t.y, e.t.z, -lam};
        const double p[4] = {across, across, across, 0.0};
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                double scale = i < 3 && j < 3 ? stiff - across : stiff;
                double value = scale * (b[i] * b[j]) + (i == j ? p[i] : 0.0);
                h[i][j] = h[4 + i][4 + j] = value;
                h[4 + i][j] = h[i][4 + j] = -value;
            }
        }
    }
    return 0.5 * tension * strain * d;
}

#endif
