// SPDX-License-Identifier: MIT
// What holds the material coordinates of crossings: distance of parallel yarns, the length of a
// clasp (docs/eol.md, sections 3.4 and 4.2).
#ifndef HED_MODEL_EOL_KERNEL_SLIDE_H
#define HED_MODEL_EOL_KERNEL_SLIDE_H

#include "model/eol/corner.h"

/// Two crossings that follow each other on a yarn: V = k/2 max(0, d - (u1 - u0))^2.
typedef struct HedEolParallel {
    double distance;  // m, d: what the crossing yarns need
    double stiffness; // N/m, k
} HedEolParallel;

/// q: u0 u1. Returns the energy (J) and sets g and h; either may be NULL. Exact and positive.
HED_ALWAYS_INLINE double hed_eol_parallel(const double q[2], HedEolParallel rest, double g[2],
                                          double h[2][2]) {
    double y = hed_eol_max(rest.distance - (q[1] - q[0]), 0.0);
    double push = rest.stiffness * y;
    if (g) {
        g[0] = push;
        g[1] = -push;
    }
    if (h) {
        double k = y > 0.0 ? rest.stiffness : 0.0;
        h[0][0] = h[1][1] = k;
        h[0][1] = h[1][0] = -k;
    }
    return 0.5 * push * y;
}

/// Material between the two ends of a stitch contact: V = k/2 L ((u1 - u0)/L - 1)^2.
typedef struct HedEolContact {
    double length;    // m, L
    double stiffness; // N, k
} HedEolContact;

/// q: u0 u1. Returns the energy (J) and sets g and h; either may be NULL. Exact and positive.
HED_ALWAYS_INLINE double hed_eol_contact(const double q[2], HedEolContact rest, double g[2],
                                         double h[2][2]) {
    double strain = (q[1] - q[0] - rest.length) / rest.length;
    double pull = rest.stiffness * strain;
    if (g) {
        g[0] = -pull;
        g[1] = pull;
    }
    if (h) {
        double k = rest.stiffness / rest.length;
        h[0][0] = h[1][1] = k;
        h[0][1] = h[1][0] = -k;
    }
    return 0.5 * pull * strain * rest.length;
}

#endif
