// SPDX-License-Identifier: MIT
// Rods against closed forms, by Newton's method on the model alone.
// label: slow (dense matrices; a minute with sanitizers)
#include "math/frame.h"
#include "support/chain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Drop of the tip of an inextensible cantilever of length 1 under a dead load at its tip:
// EI theta'' = -P cos theta, theta(0) = 0, theta'(1) = 0. Shooting by RK4 on the slope at the wall.
static double elastica_shoot(double alpha, double slope, double* drop) {
    enum { STEPS = 2000 };
    const double h = 1.0 / STEPS;
    double y[3] = {0.0, slope, 0.0}; // theta, theta', drop
    for (int k = 0; k < STEPS; ++k) {
        double d[4][3];
        for (int stage = 0; stage < 4; ++stage) {
            double at[3];
            for (int c = 0; c < 3; ++c) {
                double part = stage == 0 ? 0.0 : (stage == 3 ? h : 0.5 * h);
                at[c] = y[c] + (stage == 0 ? 0.0 : part * d[stage - 1][c]);
            }
            d[stage][0] = at[1];
            d[stage][1] = -alpha * cos(at[0]);
            d[stage][2] = sin(at[0]);
        }
        for (int c = 0; c < 3; ++c) {
            y[c] += h / 6.0 * (d[0][c] + 2.0 * d[1][c] + 2.0 * d[2][c] + d[3][c]);
        }
    }
    *drop = y[2];
    return y[1];
}

static double elastica_drop(double alpha) {
    double low = 0.0, high = alpha, drop = 0.0;
    for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        *(elastica_shoot(alpha, middle, &drop) < 0.0 ? &low : &high) = middle;
    }
    return drop;
}

// A cantilever of n segments clamped in a wall at its first point; returns the drop of its tip.
static double cantilever_drop(double alpha, int32_t n, bool is_round) {
    HedVec3* x = calloc((size_t)n + 1, sizeof(HedVec3));
    for (int32_t k = 0; k <= n; ++k) {
        x[k] = hed_vec3((double)k / n, 0, 0);
    }
    // Not round: the soft axis lies across the load, the hard one would not show.
    HedRodDef def = {.point_count = n + 1,
                     .bend = {is_round ? 1.0 : 3.0, 1.0},
                     .twist = 0.8,
                     .director = {0, 0, 1}};
    Chain chain;
    chain_create(&chain, &def, 1, x, 1000);
    chain.axial = 1e7; // strain 1e-7
    chain.is_held[0] = true;
    hed_rods_clamp(&chain.rods, 0, false, hed_vec3(1, 0, 0), hed_vec3(0, 0, 1));
    chain.load[n] = hed_vec3(0, -alpha, 0);
    // N: places are rounded by 1e-16 of 1e7 N for each of up to 64 segments.
    cr_assert_geq(chain_settle(&chain, 1e-7), 0, "n = %d did not settle", n);
    double drop = -chain.x[n].y;
    chain_free(&chain);
    free(x);
    return drop;
}

Test(rod_statics, cantilever_under_tip_load) {
    // The table value of the elastica, and its shooting here, agree to the digits of the table.
    cr_assert_float_eq(elastica_drop(1.0), 0.30172, 5e-6);
    for (int round = 0; round < 2; ++round) {
        double exact = elastica_drop(1.0);
        double coarse = fabs(cantilever_drop(1.0, 16, round) - exact);
        double middle = fabs(cantilever_drop(1.0, 32, round) - exact);
        double fine = fabs(cantilever_drop(1.0, 64, round) - exact);
        cr_log_info("errors %g %g %g", coarse, middle, fine);
        // The trapezoidal rule for moments that fall to the tip is off by less than (h/L)^2/2.
        cr_assert_lt(fine / exact, 1.2e-4, "%g", fine / exact);
        cr_assert_gt(coarse / middle, 3.6); // second order: 4
        cr_assert_gt(middle / fine, 3.6);
    }
    // The same, and the digits of the table.
    cr_assert_float_eq(cantilever_drop(5.0, 64, true), 0.71379, 1.3e-4 * 0.71379);
}

// A ring pulled at two opposite points by a small load (validation: 0.14878 and 0.13662 P R^3/EI).
static void pull_ring(int32_t n, bool is_bent_at_rest, double change[2]) {
    HedVec3* x = calloc((size_t)n, sizeof(HedVec3));
    for (int32_t k = 0; k < n; ++k) {
        double a = 2.0 * HED_PI * k / n;
        x[k] = hed_vec3(sin(a), -cos(a), 0);
    }
    HedRodDef def = {.point_count = n,
                     .is_closed = true,
                     .bend = {1.0, 1.0},
                     .twist = 1.0,
                     .is_bent_at_rest = is_bent_at_rest};
    Chain chain;
    chain_create(&chain, &def, 1, x, 1000);
    const double load = 1e-3;
    chain.axial = 1e5; // strain 1e-5 by bending; rounding of positions is 1e-10 N
    chain.is_held[0] = true;
    // N: far above the rounding, and a hundred-thousandth of the load.
    cr_assert_geq(chain_settle(&chain, 1e-8), 0);
    double along = hed_distance3(chain.x[0], chain.x[n / 2]);
    double across = hed_distance3(chain.x[n / 4], chain.x[3 * n / 4]);
    chain.load[n / 2] = hed_vec3(0, load, 0);
    // The same.
    cr_assert_geq(chain_settle(&chain, 1e-8), 0);
    change[0] = (hed_distance3(chain.x[0], chain.x[n / 2]) - along) / load;
    change[1] = (across - hed_distance3(chain.x[n / 4], chain.x[3 * n / 4])) / load;
    chain_free(&chain);
    free(x);
}

Test(rod_statics, ring_under_point_loads) {
    for (int bent = 0; bent < 2; ++bent) {
        double coarse[2], fine[2];
        pull_ring(32, bent, coarse);
        pull_ring(64, bent, fine);
        const double exact[2] = {0.25 * HED_PI - 2.0 / HED_PI, 2.0 / HED_PI - 0.5};
        for (int c = 0; c < 2; ++c) {
            double error = fabs(fine[c] / exact[c] - 1.0);
            cr_log_info("%d %d: %g, %g against %g", bent, c, coarse[c], fine[c], exact[c]);
            cr_assert_lt(error, 0.01, "%g against %g", fine[c], exact[c]);
            // Second order: 4; the load is finite (1e-3), which leaves 3e-4 of the change.
            cr_assert_gt(fabs(coarse[c] / exact[c] - 1.0) / error, 3.0);
        }
    }
}

// Whether a twisted planar ring of n segments gives way out of its plane.
static bool ring_buckles(int32_t n, double ratio, double twist) {
    HedVec3* x = calloc((size_t)n, sizeof(HedVec3));
    for (int32_t k = 0; k < n; ++k) {
        double a = 2.0 * HED_PI * k / n;
        x[k] = hed_vec3(cos(a), sin(a), 0);
    }
    HedRodDef def = {.point_count = n, .is_closed = true, .bend = {1.0, 1.0}, .twist = 1.0 / ratio};
    Chain flat, twisted;
    chain_create(&flat, &def, 1, x, 1000);
    def.closing_twist = twist;
    chain_create(&twisted, &def, 1, x, 1000);
    flat.axial = twisted.axial = 1e4;
    // The plane ring is in equilibrium with any twist: its hoop force is that without.
    cr_assert_geq(chain_settle(&flat, 1e-8), 0);
    memcpy(twisted.x, flat.x, sizeof(HedVec3) * (size_t)n);
    int below = chain_count_below(&twisted, -1e-5);
    // The sum of the turns of all segments, each rounded by 1e-16.
    cr_assert_float_eq(hed_rods_twist(&twisted.rods, 0), twist, 1e-12);
    chain_free(&flat);
    chain_free(&twisted);
    free(x);
    return below > 0;
}

static double critical_twist(int32_t n, double ratio, double exact) {
    double low = 0.5 * exact, high = 1.5 * exact;
    cr_assert(!ring_buckles(n, ratio, low));
    cr_assert(ring_buckles(n, ratio, high));
    for (int step = 0; step < 11; ++step) {
        double middle = 0.5 * (low + high);
        *(ring_buckles(n, ratio, middle) ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

// Michell: a ring of a straight round rod leaves its plane at the twist 2 pi sqrt(3) EI/GJ.
Test(rod_statics, twisted_ring_leaves_its_plane) {
    const double ratios[3] = {1.0, 1.5, 2.0};
    for (int k = 0; k < 3; ++k) {
        double exact = 2.0 * HED_PI * sqrt(3.0) * ratios[k];
        double coarse = critical_twist(24, ratios[k], exact) / exact - 1.0;
        double fine = critical_twist(48, ratios[k], exact) / exact - 1.0;
        cr_log_info("EI/GJ %g: off by %g and %g", ratios[k], coarse, fine);
        cr_assert_lt(fabs(fine), 0.015);
        cr_assert_gt(coarse / fine, 3.5); // second order: 4
    }
}

// A straight naturally twisted or bent rod is found from a wrong start: a quarter circle at rest,
// laid out straight, closes up to the quarter circle again.
Test(rod_statics, natural_curvature_is_found_again) {
    enum { N = 24 };
    HedVec3 x[N + 1];
    for (int k = 0; k <= N; ++k) {
        double a = 0.5 * HED_PI * k / N;
        x[k] = hed_vec3(sin(a), 1.0 - cos(a), 0);
    }
    HedRodDef def = {.point_count = N + 1,
                     .bend = {1.0, 2.0},
                     .twist = 1.0,
                     .is_bent_at_rest = true,
                     .director = {0, 0, 1}};
    Chain chain;
    chain_create(&chain, &def, 1, x, 1000);
    chain.axial = 1e4;
    double length = hed_distance3(x[0], x[1]);
    HedVec3 along = hed_mul3(1.0 / length, hed_sub3(x[1], x[0]));
    chain.is_held[0] = chain.is_held[1] = true;
    for (int k = 2; k <= N; ++k) {
        chain.x[k] = hed_madd3(x[0], k * length, along);
    }
    hed_rods_hold(&chain.rods, 0, 0, hed_vec3(0, 0, 1));
    // N: places are rounded by 1e-16 of 1e4 N for each of 24 segments.
    cr_assert_geq(chain_settle(&chain, 1e-9), 0);
    for (int k = 0; k <= N; ++k) {
        // 1e-9 N may be left on each of 24 points, against 3 EI/L^3 = 0.8 N/m at the tip.
        cr_assert_lt(hed_distance3(chain.x[k], x[k]), 3e-8, "point %d", k);
    }
    chain_free(&chain);
}
