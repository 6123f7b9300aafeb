// SPDX-License-Identifier: MIT
// Position-based steps: XPBD approaches the implicit step, PBD's stiffness is its iterations.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

enum { SIDE = 8, POINTS = SIDE * SIDE };

// A cloth held at two corners swings down for 0.2 s.
static void swing(HedIntegrator integrator, double h, int32_t iterations, HedVec3* x) {
    Mesh mesh = mesh_grid(SIDE, SIDE, ZERO, hed_vec3(0.2, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.thread_count = 1;
    def.pbd_iterations = iterations;
    def.newton_tolerance = 1e-11;
    def.linear_tolerance = 1e-8;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 30.0;
    sheet_def.shear = 6.0;
    sheet_def.bend_rigidity = 1e-5;
    sheet_def.damping = 2e-3;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    int32_t held[2] = {0, SIDE - 1};
    rig_pin(sim, sheet, held, 2);
    rig_run(sim, (int64_t)(0.2 / h + 0.5));
    hed_sheet_positions(sim, sheet, x);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

static double largest_distance(const HedVec3* a, const HedVec3* b) {
    double largest = 0.0;
    for (int k = 0; k < POINTS; ++k) {
        largest = fmax(largest, hed_distance3(a[k], b[k]));
    }
    return largest;
}

// Gauss-Seidel converges by a constant factor a pass: four times the passes leave the fourth power.
Test(position, xpbd_converges_with_its_passes) {
    HedVec3 best[POINTS];
    HedVec3 found[POINTS];
    double error[3];
    swing(HED_XPBD, 0.01, 800, best);
    for (int k = 0; k < 3; ++k) {
        int32_t passes = 10 << (2 * k);
        swing(HED_XPBD, 0.01, passes, found);
        error[k] = largest_distance(found, best);
        printf("%d passes: %.3g m from 800 passes\n", passes, error[k]);
    }
    cr_expect(error[1] < 0.2 * error[0] && error[2] < 0.01 * error[1]);
    cr_expect(error[2] < 1e-5); // of a fall of 0.2 m
}

// XPBD adds up multipliers along the directions that elements have during the passes, the implicit
// step has all of them along the last one. Where nothing turns within a step both are the same (see
// the breathing tetrahedron and the turning triangle in test_integrators.c); here cells turn by
// some v h / l, and what both differ by falls faster than the first-order error of either. Chains
// move farther in their first pass than single springs, so there is more turning to differ by.
Test(position, xpbd_approaches_the_implicit_step) {
    HedVec3 implicit[POINTS];
    HedVec3 found[POINTS];
    double size[3];
    double error[3];
    for (int k = 0; k < 3; ++k) {
        size[k] = 0.01 / (1 << k);
        swing(HED_IMPLICIT_EULER, size[k], 1, implicit);
        swing(HED_XPBD, size[k], 200, found);
        error[k] = largest_distance(found, implicit);
    }
    double order = observed_order(size, error, 3);
    printf("XPBD against implicit: %.3g %.3g %.3g m, order %.2f\n", error[0], error[1], error[2],
           order);
    cr_expect(order > 1.2);
    // Less than what either loses by the size of its step, seen against a step eight times smaller.
    HedVec3 exact[POINTS];
    swing(HED_IMPLICIT_EULER, size[0], 1, implicit);
    swing(HED_IMPLICIT_EULER, size[0] / 8.0, 1, exact);
    double own = largest_distance(implicit, exact);
    cr_expect(error[0] < 0.5 * own, "%.3g of %.3g m", error[0], own);
    cr_expect(error[0] < 3.5e-3, "%.3g m", error[0]); // 0.0027 m was seen; the cloth falls by 0.2 m
}

// Mean strain of a strip of some cells that hangs at rest.
static double hanging_strain(HedIntegrator integrator, int32_t cells, int32_t iterations,
                             double h) {
    Mesh mesh = mesh_grid(2, cells + 1, ZERO, hed_vec3(0.02, 0.0, 0.0), hed_vec3(0.0, -0.2, 0.0));
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.thread_count = 1;
    def.drag = 5.0;
    def.pbd_iterations = iterations;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 3.0;
    sheet_def.shear = 0.0;
    sheet_def.bending = HED_BENDING_NONE;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    int32_t held[2] = {0, 1};
    rig_pin(sim, sheet, held, 2);
    rig_run(sim, (int64_t)(2.0 / h));
    double low =
        0.5 * (rig_position(sim, sheet, 2 * cells).y + rig_position(sim, sheet, 2 * cells + 1).y);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return -low / 0.2 - 1.0;
}

// The true mean strain is density g L/(2 S) = 0.049. XPBD finds it with any number of passes, on
// any mesh and with any step, because a pass carries the load along the whole strip. PBD gets
// stiffer with more passes and with smaller steps, as is known of it.
Test(position, stiffness_of_pbd_is_its_iterations) {
    double expected = 0.15 * 9.81 * 0.2 / (2.0 * 3.0);
    double pbd[3];
    for (int k = 0; k < 3; ++k) {
        int32_t passes = 10 << k; // 10, 20, 40
        int32_t cells = 10 << k;
        double xpbd = hanging_strain(HED_XPBD, cells, 2, 0.005);
        pbd[k] = hanging_strain(HED_PBD, 10, passes, 0.005);
        printf("strain with %d passes: PBD %.5f; of %d cells with 2 XPBD %.5f; theory %.5f\n",
               passes, pbd[k], cells, xpbd, expected);
        // At rest XPBD's multipliers are the forces. What is left are 2 s of swinging with drag.
        cr_expect(fabs(xpbd / expected - 1.0) < 1e-3);
    }
    cr_expect(pbd[0] > 2.0 * pbd[1] && pbd[1] > 2.0 * pbd[2], "stiffer with more passes");
    double finer = hanging_strain(HED_XPBD, 10, 2, 0.0025);
    // As above.
    cr_expect(fabs(finer / expected - 1.0) < 1e-3);
}

// A cloth large enough that all threads are woken.
static uint64_t hash_of_large_swing(int32_t threads) {
    Mesh mesh = mesh_grid(90, 100, ZERO, hed_vec3(0.9, 0.0, 0.0), hed_vec3(0.0, 0.0, 1.0));
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_XPBD;
    def.time_step = 0.005;
    def.thread_count = threads;
    def.pbd_iterations = 3;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    int32_t held[2] = {0, 89};
    rig_pin(sim, sheet, held, 2);
    rig_run(sim, 12);
    uint64_t hash = rig_hash(sim);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return hash;
}

Test(position, same_bits_on_any_number_of_threads) {
    uint64_t one = hash_of_large_swing(1);
    cr_expect_eq(hash_of_large_swing(2), one);
    cr_expect_eq(hash_of_large_swing(3), one);
}
