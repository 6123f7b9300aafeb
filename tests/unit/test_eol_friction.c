// SPDX-License-Identifier: MIT
// The terms of knits against plain geometry.
#include "base/random.h"
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
    HedHingeTurn along = hed_lattice_out(&at);
    // Second order in the slope of 0.02.
    cr_assert_float_eq(along.value, curve * LENGTH, 1e-3 * curve * LENGTH);
    double swapped[15];
    for (int i = 0; i < 15; ++i) {
        swapped[i] = q[i < 3 ? i : (i < 9 ? i + 6 : i - 6)];
    }
    HedLattice other = hed_lattice(swapped);
    double across = hed_lattice_out(&other).value;
    cr_assert_float_eq(across, 35.0 * LENGTH, 1e-3 * 35.0 * LENGTH);
    HedHingeTurn side = hed_lattice_side(&at);
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
