// SPDX-License-Identifier: MIT
// What holds the material coordinates of crossings: distance of parallel yarns, the length of a
// clasp, friction (docs/eol.md, sections 3.4, 4.2 and 5).
//
// Friction is a spring from an anchor that follows when the force would pass the Coulomb limit f,
// which a step takes as given. With s = u - anchor and the stiffness kf,
//   V = kf s^2/2                  while kf |s| <= f  (sticks)
//   V = f |s| - f^2/(2 kf)        beyond             (slips),
// convex, so that friction takes part in the energy that a step minimises. After the step an anchor
// that slipped moves to where the spring pulls with f. For two yarns that share one limit, s is the
// vector of both slips.
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

typedef struct HedEolFriction {
    double stiffness; // N/m, kf > 0
    double limit;     // N, f >= 0
} HedEolFriction;

/// slip = u - anchor, m. Returns the energy (J) and sets first and second derivative; either may be
/// NULL. Exact and positive.
HED_ALWAYS_INLINE double hed_eol_friction(double slip, HedEolFriction rest, double* g, double* h) {
    double size = fabs(slip);
    bool sticks = rest.stiffness * size <= rest.limit;
    double pull = sticks ? rest.stiffness * size : rest.limit;
    if (g) {
        *g = copysign(pull, slip);
    }
    if (h) {
        *h = sticks ? rest.stiffness : 0.0;
    }
    return pull * (size - 0.5 * pull / rest.stiffness);
}

/// Where an anchor stands after a step.
typedef struct HedEolAnchor {
    double at;   // m
    double heat; // J, work of friction in moving it, never negative
} HedEolAnchor;

HED_ALWAYS_INLINE HedEolAnchor hed_eol_anchor(double u, double anchor, HedEolFriction rest) {
    double slip = u - anchor;
    double moves = hed_eol_max(fabs(slip) - rest.limit / rest.stiffness, 0.0);
    return (HedEolAnchor){anchor + copysign(moves, slip), rest.limit * moves};
}

/// Two yarns with one limit on the length of both slips (each times the stretch of its yarn, so
/// that it is a way in space). As hed_eol_friction.
HED_ALWAYS_INLINE double hed_eol_friction_round(const double slip[2], HedEolFriction rest,
                                                double g[2], double h[2][2]) {
    double size = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    bool sticks = rest.stiffness * size <= rest.limit;
    double pull = sticks ? rest.stiffness * size : rest.limit;
    double over = size > 0.0 ? 1.0 / size : 0.0;
    double k = sticks ? rest.stiffness : pull * over;
    if (g) {
        g[0] = k * slip[0];
        g[1] = k * slip[1];
    }
    if (h) {
        // Along the slip the force is constant.
        double along = sticks ? 0.0 : k * over * over;
        h[0][0] = k - along * slip[0] * slip[0];
        h[1][1] = k - along * slip[1] * slip[1];
        h[0][1] = h[1][0] = -along * slip[0] * slip[1];
    }
    return pull * (size - 0.5 * pull / rest.stiffness);
}

/// The share of both slips by which the anchors move; the heat is limit times that share of the
/// length of the slip.
HED_ALWAYS_INLINE double hed_eol_anchor_round(const double slip[2], HedEolFriction rest) {
    double size = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    double moves = hed_eol_max(size - rest.limit / rest.stiffness, 0.0);
    return size > 0.0 ? moves / size : 0.0;
}

#endif
