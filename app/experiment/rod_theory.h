// SPDX-License-Identifier: MIT
// What theory says about single rods: thin, round, not stretched. Lengths are over that of the rod
// (the radius of a ring, the span of a catenary).
#ifndef EXPERIMENT_ROD_THEORY_H
#define EXPERIMENT_ROD_THEORY_H

#include "experiment/elastica.h"

#include <stdbool.h>

/// A cantilever, clamped level, under a load at its free end: alpha = P L^2/EI, 0 < alpha <= 1e4.
void rod_elastica(double alpha, Elastica* out);

/// A chain over a level span: slack = length over span, 1 < slack.
typedef struct RodCatenary {
    double sag;
    double parameter; // H = w a
    double tension;   // at the ends, over weight of a span
} RodCatenary;

RodCatenary rod_catenary(double slack);

/// A ring with two opposite loads: load = P R^2/EI, pulling if positive, at most 1e4. Diameters
/// change over R: `along` grows, `across` shrinks.
typedef struct RodRing {
    double along, across;
} RodRing;

/// Pushed by more than 8.03, opposite sides would have met.
RodRing rod_ring(double load);

/// Localised helical buckling of a long rod (Neukirch, van der Heijden, Thompson 2002): end
/// shortening d over L, turned by `turn` (rad) from end to end.
typedef struct RodHelix {
    double moment;  // M L/EI
    double tension; // T L^2/EI
} RodHelix;

/// ratio = GJ/EI. False if there is none.
bool rod_helix(double shortening, double turn, double ratio, RodHelix* out);

/// 1 - cosine of the angle to the axis at s from the middle, over L.
double rod_helix_tilt(const RodHelix* helix, double s);

#endif
