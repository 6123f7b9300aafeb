// SPDX-License-Identifier: MIT
// Normals and contact forces of crossings against closed forms for plain weave, and offset bending
// of a patch against differences of its energy.
#include "base/random.h"
#include "model/eol/kernel_normal.h"

#include <criterion/criterion.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;
// Of differences with a step of 1e-5 of the length: its square, 1e-10, times a third derivative.
static const double DIFFERENCE = 1e-7;

static const double LENGTH = 1e-3; // m
static const HedVec3 KEEP = {0.0, 0.0, 7.0};

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261120, stream, k) - 0.5;
}

Test(eol_normal, directions) {
    const double at[3] = {0, 0, 0}, north[3] = {0, 2, 0}, south[3] = {0, -1, 0};
    const double east[3] = {1, 0, 0}, west[3] = {-3, 0, 0};
    HedVec3 u = hed_eol_way(south, at, north);
    HedVec3 v = hed_eol_way(west, at, east);
    // Warp along y in slot 0, weft along x in slot 1.
    HedVec3 n = hed_eol_normal(u, v, KEEP);
    cr_assert_leq(hed_distance3(n, hed_vec3(0, 0, -1)), 0.1 * ROUNDING);
    // A yarn that ends goes straight on, either way.
    cr_assert_eq(hed_distance3(u, hed_eol_way(NULL, at, north)), 0.0);
    cr_assert_eq(hed_distance3(u, hed_eol_way(south, at, NULL)), 0.0);
    cr_assert_eq(hed_norm3(hed_eol_way(NULL, at, NULL)), 0.0);
    // Parallel yarns keep the normal they had.
    cr_assert_eq(hed_distance3(hed_eol_normal(u, u, KEEP), KEEP), 0.0);
    cr_assert_eq(hed_distance3(hed_eol_normal(u, (HedVec3){0}, KEEP), KEEP), 0.0);
}

// A straight yarn along x whose crossings lie alternately above and below by R.
static HedVec3 crimped(int k, double radius) {
    return hed_vec3(LENGTH * k, 0.0, k % 2 ? -radius : radius);
}

Test(eol_normal, tension_presses) {
    double radius = 0.25 * LENGTH;
    HedEolStretch yarn = {2.0, 0.2};
    double strain = 0.01;
    double q[8] = {0, 0, 0, 0, LENGTH, 0, 0, LENGTH / (1.0 + strain)};
    HedVec3 out = hed_eol_offset_pull(q, yarn, crimped(0, radius), crimped(1, radius));
    HedVec3 in = hed_eol_offset_pull(q, yarn, crimped(-1, radius), crimped(0, radius));
    HedVec3 force = hed_sub3(out, in);
    // Slot 0 lies above: its tension pulls down, that of slot 1 up.
    HedVec3 both[2] = {force, hed_mul3(-1.0, force)};
    double length = sqrt(LENGTH * LENGTH + 4.0 * radius * radius);
    double want = 4.0 * radius * yarn.tight * strain / length;
    HedVec3 up = {0.0, 0.0, 1.0};
    double press = hed_eol_press(up, both, (double[]){1e-8, 3e-8});
    cr_assert_float_eq(press, want, ROUNDING * want, "%g N, not %g N", press, want);
    cr_assert_float_eq(hed_eol_press(up, both, (double[]){0, 0}), want, ROUNDING * want);
    HedVec3 parting[2] = {both[1], both[0]};
    // Masses of 1e-8 kg, parted by what pressed them before.
    cr_assert_lt(hed_eol_press(up, parting, (double[]){1e-8, 1e-8}), 0.0);
}

// A common acceleration needs no contact force.
Test(eol_normal, falling_presses_nothing) {
    HedVec3 up = {0.0, 0.0, 1.0};
    HedVec3 weight[2] = {{0.0, 0.0, -1e-7}, {0.0, 0.0, -3e-7}};
    cr_assert_leq(fabs(hed_eol_press(up, weight, (double[]){1e-8, 3e-8})), 1e-7 * ROUNDING);
}

// Bending of the crimp alone: 16 kb R/L^3, all three corners that a node takes part in.
Test(eol_normal, crimp_presses) {
    double radius = 1e-3 * LENGTH; // small: the closed form is that of small slopes
    HedEolBend yarn = {2e-9, 0.0, 4.0, 0.0};
    HedVec3 force = {0};
    for (int corner = -1; corner <= 1; ++corner) {
        double q[12], g[12];
        for (int node = 0; node < 3; ++node) {
            hed_eol_put3(q + 4 * node, crimped(corner + node - 1, radius));
            q[4 * node + 3] = LENGTH * node;
        }
        hed_eol_bend(q, yarn, g, NULL, false);
        force = hed_sub3(force, hed_eol_point(g + 4 * (1 - corner)));
    }
    HedVec3 both[2] = {force, hed_mul3(-1.0, force)};
    double want = 16.0 * yarn.stiffness * radius / (LENGTH * LENGTH * LENGTH);
    double press = hed_eol_press(hed_vec3(0, 0, 1), both, (double[]){1.0, 1.0});
    // Slopes of 2e-3 squared, 4e-6, times a few.
    cr_assert_float_eq(press, want, 2e-5 * want, "%g N, not %g N", press, want);
}

static void make_lattice(uint64_t trial, double q[15]) {
    const double at[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (uint64_t k = 0; k < 15; ++k) {
        q[k] = LENGTH * ((k % 3 < 2 ? at[k / 3][k % 3] : 0.0) + 0.8 * draw(trial, k));
    }
}

Test(eol_normal, couple_against_differences) {
    for (uint64_t trial = 0; trial < 100; ++trial) {
        double q[15], g[15];
        make_lattice(trial, q);
        HedVec3 a = {draw(trial, 50), draw(trial, 51), draw(trial, 52)};
        double value = hed_eol_offset_couple(q, a, g);
        cr_assert_float_eq(value, hed_dot3(a, hed_eol_offset_normal(q)), 0.1 * ROUNDING);
        for (int k = 0; k < 15; ++k) {
            double step = 1e-5 * LENGTH;
            double up[15], down[15];
            for (int i = 0; i < 15; ++i) {
                up[i] = q[i] + (i == k ? step : 0.0);
                down[i] = q[i] - (i == k ? step : 0.0);
            }
            double slope =
                hed_dot3(a, hed_sub3(hed_eol_offset_normal(up), hed_eol_offset_normal(down))) /
                (2.0 * step);
            // Slopes are of order 1/LENGTH; second order leaves 1e-10, more at short edges.
            cr_assert_float_eq(g[k], slope, 1e-6 / LENGTH, "entry %d: %g, not %g", k, g[k], slope);
        }
    }
}

// Both yarns of a crossing, bent at it alone, with thickness: all neighbours without offset.
static double offset_energy(const double q[15], double reach, double g[15]) {
    const HedEolBend yarn = {2e-9, 0.0, 4.0, 0.0};
    HedVec3 n = hed_eol_offset_normal(q);
    HedVec3 couple = {0};
    double energy = 0.0;
    for (int i = 0; i < 15; ++i) {
        g[i] = 0.0;
    }
    for (int slot = 0; slot < 2; ++slot) {
        double side = slot ? -reach : reach;
        const int node[3] = {1 + 2 * slot, 0, 2 + 2 * slot};
        double p[12], pull[12];
        for (int k = 0; k < 3; ++k) {
            HedVec3 x = hed_eol_point(q + 3 * node[k]);
            hed_eol_put3(p + 4 * k, k == 1 ? hed_madd3(x, side, n) : x);
            p[4 * k + 3] = LENGTH * k;
        }
        energy += hed_eol_bend(p, yarn, pull, NULL, false);
        couple = hed_madd3(couple, side, hed_eol_point(pull + 4));
        for (int k = 0; k < 3; ++k) {
            double* to = g + 3 * node[k];
            hed_eol_put3(to, hed_add3(hed_eol_point(to), hed_eol_point(pull + 4 * k)));
        }
    }
    double turn[15];
    hed_eol_offset_couple(q, couple, turn);
    for (int i = 0; i < 15; ++i) {
        g[i] += turn[i];
    }
    return energy;
}

Test(eol_normal, offset_bending_against_differences) {
    for (uint64_t trial = 0; trial < 100; ++trial) {
        double q[15], g[15], unused[15];
        make_lattice(trial, q);
        double reach = 0.25 * LENGTH;
        double energy = offset_energy(q, reach, g);
        HedVec3 sum = {0}, moment = {0};
        double force = energy / LENGTH;
        for (int k = 0; k < 15; ++k) {
            double step = 1e-5 * LENGTH;
            double up[15], down[15];
            for (int i = 0; i < 15; ++i) {
                up[i] = q[i] + (i == k ? step : 0.0);
                down[i] = q[i] - (i == k ? step : 0.0);
            }
            double slope = (offset_energy(up, reach, unused) - offset_energy(down, reach, unused)) /
                           (2.0 * step);
            cr_assert_float_eq(g[k], slope, DIFFERENCE * force, "entry %d: %g, not %g", k, g[k],
                               slope);
        }
        for (int k = 0; k < 15; k += 3) {
            sum = hed_add3(sum, hed_eol_point(g + k));
            moment = hed_add3(moment, hed_cross3(hed_eol_point(q + k), hed_eol_point(g + k)));
        }
        cr_assert_leq(hed_norm3(sum), 10.0 * ROUNDING * force);
        cr_assert_leq(hed_norm3(moment), 10.0 * ROUNDING * energy);
    }
}
