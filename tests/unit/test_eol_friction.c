// SPDX-License-Identifier: MIT
// Friction of sliding crossings over histories, and the terms of knits against plain geometry.
#include "base/random.h"
#include "model/eol/kernel_along.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_hinge.h"
#include "model/eol/kernel_torsion.h"

#include <criterion/criterion.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

static const double LENGTH = 1e-3; // m

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261118, stream, k) - 0.5;
}

// Work put in, less what the spring stores, is never negative: also while the limit changes. It is
// at least the heat that the anchor's way accounts for.
Test(eol_slide, friction_never_gives_energy) {
    for (uint64_t history = 0; history < 50; ++history) {
        double anchor = 0.0;
        double last = 0.0;
        double stored = 0.0;
        double total = 0.0;
        for (uint64_t step = 0; step < 400; ++step) {
            HedEolFriction f = {100.0, 1e-4 * (1.0 + 2.0 * draw(history, 1000 + step))};
            double u = last + 4e-6 * draw(history, step);
            double pull = 0.0;
            hed_eol_friction(u - anchor, f, &pull, NULL);
            HedEolAnchor next = hed_eol_anchor(u, anchor, f);
            double spring = 0.5 * f.stiffness * (u - next.at) * (u - next.at);
            double lost = pull * (u - last) - (spring - stored);
            double rounding = 1e-14 * f.limit * fabs(u - last) + 1e-25;
            cr_assert_geq(next.heat, 0.0);
            cr_assert_geq(lost, next.heat - rounding, "lost %g, heat %g", lost, next.heat);
            // The spring pulls with what the limit allows, no more.
            cr_assert_leq(f.stiffness * fabs(u - next.at), f.limit * (1.0 + 1e-12));
            anchor = next.at;
            last = u;
            stored = spring;
            total += next.heat;
        }
        cr_assert_gt(total, 0.0);
    }
}

// A yarn of mass m through n crossings, pulled with P: below n f it stays, above it gains speed
// by (P - n f)/m. Backward Euler with the potential, solved by Newton.
static double pulled_way(double share, double seconds) {
    enum { CROSSINGS = 7 };
    const HedEolFriction f = {500.0, 2e-3};
    double mass = 1e-5;
    double h = 1e-4;
    double pull = share * CROSSINGS * f.limit;
    double u = 0.0, rate = 0.0, anchor = 0.0;
    for (int step = 0; step < (int)(seconds / h + 0.5); ++step) {
        double start = u;
        double to = u + h * rate;
        u = to;
        for (int k = 0; k < 60; ++k) {
            double slope, stiff;
            hed_eol_friction(u - anchor, f, &slope, &stiff);
            double residual = mass / (h * h) * (u - to) + CROSSINGS * slope - pull;
            // Between stick and slip Newton may swing; half the way then settles it.
            u -= (k % 2 ? 0.5 : 1.0) * residual / (mass / (h * h) + CROSSINGS * stiff);
        }
        rate = (u - start) / h;
        anchor = hed_eol_anchor(u, anchor, f).at;
    }
    return u;
}

Test(eol_slide, yarn_sticks_and_runs) {
    const double limit = 7 * 2e-3;
    // Half of the limit stretches the springs by half of f/kf = 4 um; swinging in at most doubles.
    cr_assert_leq(pulled_way(0.5, 0.05), 4.1e-6);
    double way = pulled_way(2.0, 0.02);
    double want = 0.5 * limit / 1e-5 * 0.02 * 0.02;
    // First order in h/t = 1/200, and the first 4 um are against a spring.
    cr_assert_float_eq(way, want, 0.01 * want, "%g m, not %g m", way, want);
}

// Both slips together are limited by a circle; along one yarn it is the law of that yarn.
Test(eol_slide, round_limit) {
    const HedEolFriction f = {100.0, 1e-4};
    for (uint64_t k = 0; k < 100; ++k) {
        double slip[2] = {4e-6 * draw(k, 0), k % 2 ? 4e-6 * draw(k, 1) : 0.0};
        double g[2], h[2][2];
        double energy = hed_eol_friction_round(slip, f, g, h);
        cr_assert_leq(hypot(g[0], g[1]), f.limit * (1.0 + ROUNDING));
        double share = hed_eol_anchor_round(slip, f);
        double left = (1.0 - share) * hypot(slip[0], slip[1]);
        cr_assert_leq(f.stiffness * left, f.limit * (1.0 + 10.0 * ROUNDING));
        cr_assert(share >= 0.0 && share < 1.0);
        if (k % 2 == 0) {
            double one, two;
            cr_assert_float_eq(energy, hed_eol_friction(slip[0], f, &one, &two), ROUNDING * energy);
            cr_assert_float_eq(g[0], one, ROUNDING * f.limit);
            cr_assert_float_eq(h[0][0], two, ROUNDING * f.stiffness);
            double at = hed_eol_anchor(slip[0], 0.0, f).at;
            cr_assert_float_eq(share * slip[0], at, ROUNDING * fabs(slip[0]));
        }
    }
}

Test(eol_slide, no_limit_no_friction) {
    double g, h;
    cr_assert_eq(hed_eol_friction(1e-6, (HedEolFriction){100.0, 0.0}, &g, &h), 0.0);
    cr_assert_eq(g, 0.0);
    cr_assert_eq(h, 0.0);
    cr_assert_eq(hed_eol_friction(0.0, (HedEolFriction){100.0, 0.0}, &g, &h), 0.0);
    double none[2] = {0}, gg[2], hh[2][2];
    cr_assert_eq(hed_eol_friction_round(none, (HedEolFriction){100.0, 0.0}, gg, hh), 0.0);
    cr_assert_eq(gg[0], 0.0);
}

// Two right angles whose planes are turned by psi: tau = sin(psi); a straight yarn has none.
Test(eol_slide, torsion_measures_the_turn_of_planes) {
    for (int k = 0; k < 12; ++k) {
        double psi = -1.5 + 0.27 * k;
        double q[12] = {0,
                        -LENGTH,
                        0,
                        0,
                        0,
                        0,
                        2 * LENGTH,
                        0,
                        0,
                        2 * LENGTH,
                        3 * LENGTH * cos(psi),
                        3 * LENGTH * sin(psi)};
        HedEolTorsion yarn = {1e-6, 0.0};
        double energy = hed_eol_torsion(q, yarn, NULL, NULL, false);
        double want = 0.5e-6 * sin(psi) * sin(psi);
        cr_assert_float_eq(energy, want, 0.5e-6 * ROUNDING, "psi %g: %g, not %g", psi, energy,
                           want);
        // The sign: t2 x t3 = (0, -sin, cos), hence -t1.(t2 x t3) = sin(psi).
        HedEolTorsion set = {1e-6, sin(psi)};
        cr_assert_leq(hed_eol_torsion(q, set, NULL, NULL, false), 1e-6 * ROUNDING * ROUNDING);
    }
}

// Five points of a lattice with spacing LENGTH on the surface z = (cx x^2 + cy y^2)/2.
static void lattice(double cx, double cy, double q[15]) {
    const double at[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int k = 0; k < 5; ++k) {
        double x = LENGTH * at[k][0], y = LENGTH * at[k][1];
        hed_eol_put3(q + 3 * k, hed_vec3(x, y, 0.5 * (cx * x * x + cy * y * y)));
    }
}

// The turn out of the surface is its curvature along the line times the spacing, whatever the
// curvature across; exchanging the lines turns the normal and the sign.
Test(eol_slide, hinge_measures_curvature) {
    double q[15];
    double curve = 20.0;
    lattice(curve, -35.0, q);
    HedLattice at = hed_lattice(q);
    HedTurn along = hed_lattice_out(&at);
    // Second order in the slope of 0.02.
    cr_assert_float_eq(along.value, curve * LENGTH, 1e-3 * curve * LENGTH);
    double swapped[15];
    for (int i = 0; i < 15; ++i) {
        swapped[i] = q[i < 3 ? i : (i < 9 ? i + 6 : i - 6)];
    }
    HedLattice other = hed_lattice(swapped);
    double across = hed_lattice_out(&other).value;
    cr_assert_float_eq(across, 35.0 * LENGTH, 1e-3 * 35.0 * LENGTH);
    HedTurn side = hed_lattice_side(&at);
    // Straight along the surface: slopes of 0.02 are rounded by 3e-18, some ten times.
    cr_assert_leq(fabs(side.value), 1e-15);
}

// With k_out = k_side = kb/D the frame is plain bending, up to second order in the angle.
Test(eol_slide, frame_is_bending_for_small_angles) {
    for (uint64_t trial = 0; trial < 50; ++trial) {
        double q[15];
        lattice(0.0, 0.0, q);
        for (uint64_t i = 0; i < 15; ++i) {
            q[i] += 2e-3 * LENGTH * draw(trial, i);
        }
        double yarn[12];
        const int order[3] = {1, 0, 2};
        for (int node = 0; node < 3; ++node) {
            hed_eol_put3(yarn + 4 * node, hed_eol_point(q + 3 * order[node]));
            yarn[4 * node + 3] = LENGTH * node;
        }
        double kb = 2e-9;
        HedEolHinge hinge = {kb / (2.0 * LENGTH), 0.0};
        double frame = hed_eol_frame(q, (HedEolFrame){hinge, hinge}, NULL, NULL, false);
        double bend = hed_eol_bend(yarn, (HedEolBend){kb, 0.0, 4.0, 0.0}, NULL, NULL, false);
        // Angles of 3e-3, squared.
        cr_assert_float_eq(frame, bend, 1e-5 * bend, "%g, not %g", frame, bend);
    }
}
