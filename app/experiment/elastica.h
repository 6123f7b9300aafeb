// SPDX-License-Identifier: MIT
// The heavy elastica: an inextensible beam, clamped level, bent by its own weight.
#ifndef EXPERIMENT_ELASTICA_H
#define EXPERIMENT_ELASTICA_H

enum { ELASTICA_STEPS = 2000 };

/// Length 1. Numbers stand at equal arc lengths, from the clamp to the free end.
typedef struct Elastica {
    double slope[ELASTICA_STEPS + 1]; ///< rad, below the horizontal
    double x[ELASTICA_STEPS + 1];
    double drop[ELASTICA_STEPS + 1];
} Elastica;

/// beta = weight per length * length^3 / rigidity, from 1e-8 to 1e5.
void elastica_solve(double beta, Elastica* out);

/// Place at arc length s, 0 to 1.
void elastica_at(const Elastica* elastica, double s, double* x, double* drop);

/// Slope of the line from the clamp to the free end, degrees: what the fabric bending test reads.
double elastica_chord_deg(const Elastica* elastica);

#endif
