// SPDX-License-Identifier: MIT
// Direct solves against iterative ones, and the two ways to hold points: the same steps.
#include "base/alloc.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

// A membrane with hinges, held at its upper edge and swinging; steps solved far below the
// tolerances that are compared.
typedef struct Swing {
    HedSim* sim;
    HedSheetId sheet;
    HedPinId pin;
    int32_t vertex_count;
} Swing;

static HedSimDef swing_def(void) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_IMPLICIT_EULER;
    def.time_step = 5e-3;
    def.newton_tolerance = 1e-12; // m/s
    def.linear_tolerance = 1e-13;
    return def;
}

static Swing make_swing(const HedSimDef* def) {
    enum { COLUMNS = 24, ROWS = 20 };
    Mesh mesh = mesh_grid(COLUMNS, ROWS, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.5, 0.0, 0.0),
                          hed_vec3(0.0, -0.2, 0.35));
    HedSheetDef sheet = mesh_sheet(&mesh);
    int32_t top[COLUMNS];
    sheet.grid_columns = sheet.grid_rows = 0;
    sheet.model = HED_SHEET_MEMBRANE;
    sheet.bending = HED_BENDING_HINGES;
    for (int32_t k = 0; k < COLUMNS; ++k) {
        top[k] = k;
    }
    Swing swing = {.sim = rig_sim(def), .vertex_count = mesh.vertex_count};
    swing.sheet = rig_sheet(swing.sim, &sheet);
    swing.pin = rig_pin(swing.sim, swing.sheet, top, COLUMNS);
    mesh_free(&mesh);
    return swing;
}

static double largest_difference(const Swing* a, const Swing* b) {
    double largest = 0.0;
    for (int32_t k = 0; k < a->vertex_count; ++k) {
        HedVec3 d = hed_sub3(rig_position(a->sim, a->sheet, k), rig_position(b->sim, b->sheet, k));
        largest = fmax(largest, hed_norm3(d));
    }
    return largest;
}

// Four steps of two ways. A velocity is solved to 1e-12 m/s or the rounding of forces, so a
// position to about 1e-14 m a step; 1e-10 of the sheet's half metre leaves room for how steps carry
// it on.
static void expect_same(const HedSimDef* one, const HedSimDef* other, const char* what) {
    Swing a = make_swing(one);
    Swing b = make_swing(other);
    HedStepReport first = rig_run(a.sim, 4);
    HedStepReport second = rig_run(b.sim, 4);
    double difference = largest_difference(&a, &b);
    // 1e-10 of half a metre, as above.
    cr_expect(difference < 5e-11, "%s: %g m", what, difference);
    HedVec3 moved =
        hed_sub3(rig_position(a.sim, a.sheet, a.vertex_count - 1), hed_vec3(0.5, -0.2, 0.35));
    // Far above what steps may differ by.
    cr_expect(hed_norm3(moved) > 1e-3, "nothing moves: %g m", hed_norm3(moved));
    HedVec3 pull =
        hed_sub3(rig_reaction(a.sim, a.sheet, a.pin), rig_reaction(b.sim, b.sheet, b.pin));
    // Positions to some 1e-14 m a step, held by some 1e3 N/m.
    cr_expect(hed_norm3(pull) < 1e-10, "%s: %g N at the pin", what, hed_norm3(pull));
    // newton_tolerance.
    cr_expect(first.residual < 1e-12 && second.residual < 1e-12);
    hed_sim_destroy(a.sim);
    hed_sim_destroy(b.sim);
}

Test(direct, held_points_by_filter_and_by_elimination) {
    for (int kind = 0; kind < 3; ++kind) {
        HedSimDef filter = swing_def();
        filter.preconditioner = (HedPreconditionerKind)kind;
        HedSimDef elimination = filter;
        elimination.constraints = HED_CONSTRAIN_ELIMINATION;
        expect_same(&filter, &elimination, hed_preconditioner_name((HedPreconditionerKind)kind));
    }
}

Test(direct, elimination_with_contacts_between_sheets) {
    HedSimDef filter = swing_def();
    filter.self_collision = true;
    HedSimDef elimination = filter;
    elimination.constraints = HED_CONSTRAIN_ELIMINATION;
    expect_same(&filter, &elimination, "self-collision");
}

Test(direct, names_and_refusals) {
    cr_expect_str_eq(hed_constraint_name(HED_CONSTRAIN_FILTER), "filter");
    cr_expect_str_eq(hed_constraint_name(HED_CONSTRAIN_ELIMINATION), "elimination");
    cr_expect_str_eq(hed_constraint_name(HED_CONSTRAIN_COUNT), "unknown");
    HedSimDef def = hed_sim_def_default();
    HedSim* sim = NULL;
    HedError error;
    def.constraints = HED_CONSTRAIN_COUNT;
    cr_expect_eq(hed_sim_create(&def, &sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "constraints"), "%s", error.message);
    hed_sim_destroy(sim);
}

static bool has_direct(void) {
    return strstr(hed_build_info(), "CHOLMOD") != NULL;
}

Test(direct, the_same_as_conjugate_gradients) {
    if (!has_direct()) {
        cr_skip("built without CHOLMOD");
    }
    HedSimDef iterative = swing_def();
    HedSimDef direct = swing_def();
    direct.preconditioner = HED_PRECONDITION_DIRECT;
    expect_same(&iterative, &direct, "direct");
    direct.constraints = HED_CONSTRAIN_ELIMINATION;
    expect_same(&iterative, &direct, "direct with elimination");
}

// Exact factors: a solve to 1e-4 ends with its first iteration.
Test(direct, one_iteration_a_solve) {
    if (!has_direct()) {
        cr_skip("built without CHOLMOD");
    }
    HedSimDef def = hed_sim_def_default();
    def.preconditioner = HED_PRECONDITION_DIRECT;
    Swing swing = make_swing(&def);
    HedStepReport report = rig_step(swing.sim);
    cr_expect(report.iterations >= 1 && report.linear_iterations == report.iterations,
              "%d Newton and %d linear iterations", report.iterations, report.linear_iterations);
    hed_sim_destroy(swing.sim);
}

Test(direct, a_build_without_it_says_so) {
    if (has_direct()) {
        cr_skip("built with CHOLMOD");
    }
    HedSimDef def = hed_sim_def_default();
    HedError error;
    def.preconditioner = HED_PRECONDITION_DIRECT;
    Swing swing = make_swing(&def);
    cr_expect_eq(hed_sim_prepare(swing.sim, &error), HED_UNSUPPORTED);
    cr_expect(strstr(error.message, "HEDDLE_CHOLMOD"), "%s", error.message);
    hed_sim_destroy(swing.sim);
}

// The equations alone: as many iterations as a step would need, the state untouched.
Test(direct, measured_solves) {
    HedSimDef def = hed_sim_def_default();
    HedError error;
    HedSolveMeasure found;
    def.linear_tolerance = 1e-10;
    for (int kind = 0; kind < 3; ++kind) {
        def.preconditioner = (HedPreconditionerKind)kind;
        Swing swing = make_swing(&def);
        rig_prepare(swing.sim);
        uint64_t before = rig_hash(swing.sim);
        cr_assert_eq(hed_sim_measure_solve(swing.sim, 2, &found, &error), HED_OK);
        cr_expect(found.points == 480 && found.is_solved && found.iterations > 5);
        // The tolerance is in the preconditioner's norm, which differs by the root of the
        // condition.
        cr_expect(found.residual < 1e-8, "%g", found.residual);
        cr_expect(found.product_time > 0.0 && found.product_bytes > 480 * 72);
        cr_expect_eq(rig_hash(swing.sim), before);
        cr_expect_eq(hed_sim_measure_solve(swing.sim, 0, &found, &error), HED_INVALID);
        hed_sim_destroy(swing.sim);
    }
    def.integrator = HED_VERLET;
    def.time_step = 1e-5;
    Swing swing = make_swing(&def);
    cr_expect_eq(hed_sim_measure_solve(swing.sim, 1, &found, &error), HED_INVALID);
    cr_expect(strstr(error.message, "verlet"), "%s", error.message);
    hed_sim_destroy(swing.sim);
}
