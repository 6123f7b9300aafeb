// SPDX-License-Identifier: MIT
// Spheres that keep loops of a knit apart: push, friction, heat, and derivatives, of one pair.
#include "eol/spheres.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double RADIUS = 1e-3; // m
static const double STIFF = 10.0;  // N/m
static const double MU = 0.4;
static const double SIZE = 1e-3;                                   // s
static const HedVec3 HOME[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}; // no neighbours in the fabric

typedef struct Pair {
    HedSpheres spheres;
    double start[2 * HED_NODE_SIZE], q[2 * HED_NODE_SIZE];
} Pair;

// The second node lies above the first, a fifth of the diameter too near.
static Pair make(void) {
    Pair pair = {.start = {0.0}};
    cr_assert_eq(hed_spheres_create(&pair.spheres, HOME, 2, RADIUS, STIFF, NULL), HED_OK);
    pair.spheres.friction = MU;
    pair.start[HED_NODE_SIZE + 2] = 1.6 * RADIUS;
    memcpy(pair.q, pair.start, sizeof pair.q);
    HedSphereMove move = {pair.start, pair.start};
    cr_assert_eq(hed_spheres_find(&pair.spheres, move, NULL), HED_OK);
    cr_assert_eq(pair.spheres.pairs.count, 1);
    return pair;
}

static double evaluate(Pair* pair, double bound, double g[2 * HED_NODE_SIZE]) {
    static const uint8_t FREE[2 * HED_NODE_SIZE] = {0};
    HedSphereEval at = {pair->q, pair->start, SIZE, FREE, bound};
    memset(g, 0, sizeof(double) * 2 * HED_NODE_SIZE);
    return hed_spheres_add(&pair->spheres, &at, g, NULL);
}

// Sliding by 0.1 mm in 1 ms: mu times the push of the start along the slip, momentum kept, and heat
// of force times way. Slower than 1 mm/s: as much less.
Test(spheres, slide_by_coulombs_law) {
    double push = STIFF * 0.4 * RADIUS;
    const double way[] = {1e-4, 5e-7};
    const double share[] = {1.0, 0.5};
    for (int k = 0; k < 2; ++k) {
        Pair pair = make();
        double g[2 * HED_NODE_SIZE];
        pair.q[HED_NODE_SIZE] = 0.6 * way[k];
        pair.q[HED_NODE_SIZE + 1] = -0.8 * way[k];
        HedSphereEval at = {pair.q, pair.start, SIZE, NULL, 0.0};
        double heat = hed_spheres_heat(&pair.spheres, &at);
        pair.spheres.stiffness = 0.0; // what is left is friction
        evaluate(&pair, 0.0, g);
        double expected = share[k] * MU * push;
        // Some roundings.
        double rounding = 1e-13 * push;
        cr_assert_float_eq(g[HED_NODE_SIZE], 0.6 * expected, rounding);
        cr_assert_float_eq(g[HED_NODE_SIZE + 1], -0.8 * expected, rounding);
        cr_assert_float_eq(heat, expected * way[k], rounding * way[k]);
        for (int c = 0; c < 3; ++c) {
            cr_assert_eq(g[c], -g[HED_NODE_SIZE + c]);
        }
        hed_spheres_free(&pair.spheres);
    }
}

// The gradient against central differences of the energy; the block between both nodes against
// those of the gradient, but for what the positive form leaves out, the push over the distance
// across it.
Test(spheres, derivatives) {
    Pair pair = make();
    double g[2 * HED_NODE_SIZE], up[2 * HED_NODE_SIZE], down[2 * HED_NODE_SIZE];
    const double step = 1e-9;
    pair.q[HED_NODE_SIZE] = 2e-5;
    pair.q[HED_NODE_SIZE + 1] = 1e-5;
    const double* e = pair.q + HED_NODE_SIZE;
    double d = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    double out = STIFF * (2.0 * RADIUS - d) / d;
    for (int c = 0; c < 3; ++c) {
        double* x = &pair.q[HED_NODE_SIZE + c];
        double kept = *x;
        *x = kept + step;
        double above = evaluate(&pair, 0.0, up);
        *x = kept - step;
        double below = evaluate(&pair, 0.0, down);
        *x = kept;
        evaluate(&pair, 0.0, g);
        // Energies of 1e-6 J are rounded by 1e-22; over 2e-9 m.
        cr_assert_float_eq(g[HED_NODE_SIZE + c], (above - below) / (2.0 * step), 2e-12);
        double from[2 * HED_NODE_SIZE] = {0.0}, to[2 * HED_NODE_SIZE] = {0.0};
        from[HED_NODE_SIZE + c] = 1.0;
        hed_spheres_multiply(&pair.spheres, from, to);
        for (int r = 0; r < 3; ++r) {
            double across = (r == c ? 1.0 : 0.0) - e[r] * e[c] / (d * d);
            double expected = (up[r] - down[r]) / (2.0 * step) - out * across;
            // Second order in the step over the slip, 5e-5, squared; forces of 1e-3 N are rounded
            // by 1e-19 over 2e-9 m.
            cr_assert_float_eq(to[r], expected, 1e-7 * STIFF, "%d %d: %g, not %g", r, c, to[r],
                               expected);
        }
    }
    hed_spheres_free(&pair.spheres);
}
