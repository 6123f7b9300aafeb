// SPDX-License-Identifier: MIT
// What damping takes from yarns: it is counted, it can be seen at each vertex, and it costs no more
// steps than it needs.
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { N = 21 };

static const double LENGTH = 0.1; // m

// One kind of damping of a free yarn that swings.
typedef struct Case {
    const char* name;
    HedYarnModel model;
    double damping, bend_damping; // s
    double drag;                  // 1/s
    double rate, slowing;         // of motion that is not rigid, 1/s and m/s^2
} Case;

static const Case CASES[] = {
    {"rod, stretching", HED_YARN_ROD, 1e-5, 0.0, 0.0, 0.0, 0.0},
    {"rod, bending", HED_YARN_ROD, 0.0, 3e-3, 0.0, 0.0, 0.0},
    {"rod, drag", HED_YARN_ROD, 0.0, 0.0, 5.0, 0.0, 0.0},
    {"rod, not rigid", HED_YARN_ROD, 0.0, 0.0, 0.0, 5.0, 0.0},
    {"rod, not rigid and slow", HED_YARN_ROD, 0.0, 0.0, 0.0, 0.0, 0.5},
    {"spline, stretching", HED_YARN_SPLINE, 1e-5, 0.0, 0.0, 0.0, 0.0},
    {"spline, bending", HED_YARN_SPLINE, 0.0, 3e-3, 0.0, 0.0, 0.0},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

typedef struct Swing {
    HedSim* sim;
    HedYarnsId yarns;
} Swing;

// An arc that springs straight and beyond, while its ends fly apart.
static Swing open_swing(const Case* kind, HedIntegrator integrator, double step) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = integrator;
    def.time_step = step;
    def.thread_count = 1;
    def.drag = kind->drag;
    def.nonrigid_rate = kind->rate;
    def.nonrigid_slowing = kind->slowing;
    Swing swing = {.sim = rig_sim(&def)};
    HedVec3 vertices[N];
    HedCurve curve = {.count = N, .color = HED_COLOR_NONE};
    for (int k = 0; k < N; ++k) {
        double s = LENGTH * (k - N / 2) / (N - 1) / 0.05;
        vertices[k] = hed_vec3(0.05 * sin(s), 0.05 * (1.0 - cos(s)), 0.1 * s * s * s * 0.05);
    }
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.vertices = vertices;
    yarn.vertex_count = N;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    yarn.model = kind->model;
    yarn.damping = kind->damping;
    yarn.bend_damping = kind->bend_damping;
    yarn.stretch = 10.0;
    yarn.velocity = hed_vec3(0.3, 0.0, 0.2);
    cr_assert_eq(hed_yarns_create(swing.sim, &yarn, &swing.yarns, NULL), HED_OK);
    rig_prepare(swing.sim);
    return swing;
}

// What a yarn has and what was taken from it stay the same sum. The pieces of Verlet's method are a
// tenth of what is stable: its own error is some (h w)^2/24 of the energy of the fastest motion.
Test(yarn_damping, what_is_taken_is_counted) {
    for (int k = 0; k < CASE_COUNT; ++k) {
        Swing swing = open_swing(&CASES[k], HED_VERLET, 2e-6);
        double start = hed_sim_energies(swing.sim).total;
        rig_run(swing.sim, 10000);
        HedEnergies end = hed_sim_energies(swing.sim);
        double off = fabs(end.total - start);
        printf("%-25s %.4g J taken of %.4g J, sum off by %.2g J\n", CASES[k].name, end.dissipated,
               start, off);
        // Far above the rounding of 10,000 steps, 1e-12 at most.
        cr_expect(end.dissipated > 1e-6 * start, "%s", CASES[k].name);
        cr_expect(off < 0.01 * end.dissipated, "%s: %g", CASES[k].name, off / end.dissipated);
        hed_sim_destroy(swing.sim);
    }
}

// Explicit pieces count the power at their start: what vertices show, times the length that each
// stands for, is what the next piece takes. Drag is none of the yarn's own damping.
Test(yarn_damping, vertices_show_what_is_taken) {
    const double step = 1e-7; // a single piece
    for (int k = 0; k < CASE_COUNT; ++k) {
        Swing swing = open_swing(&CASES[k], HED_SYMPLECTIC_EULER, step);
        rig_run(swing.sim, 200);
        double at[N], shown = 0.0;
        HedVec3 x[N];
        cr_assert_eq(hed_yarns_quantity(swing.sim, swing.yarns, HED_QUANTITY_DAMPING, at, NULL),
                     HED_OK);
        hed_yarns_positions(swing.sim, swing.yarns, x);
        for (int i = 0; i < N; ++i) {
            cr_assert_geq(at[i], 0.0);
            shown += i > 0 ? 0.5 * at[i] * hed_distance3(x[i - 1], x[i]) : 0.0;
            shown += i < N - 1 ? 0.5 * at[i] * hed_distance3(x[i], x[i + 1]) : 0.0;
        }
        double before = hed_sim_energies(swing.sim).dissipated;
        cr_assert_eq(rig_step(swing.sim).substeps, 1);
        double taken = (hed_sim_energies(swing.sim).dissipated - before) / step;
        printf("%-25s %.6g W shown, %.6g W taken\n", CASES[k].name, shown, taken);
        bool is_late = CASES[k].rate > 0.0 || CASES[k].slowing > 0.0;
        double expected = CASES[k].drag > 0.0 ? 0.0 : taken;
        // Chords are shorter than arcs and rest lengths by less than a thousandth here. Motion that
        // is not rigid is damped at the end of the substep, in which it gains a 200th of its speed.
        cr_expect_float_eq(shown, expected, (is_late ? 0.0105 : 2e-3) * taken, "%s: %g of %g W",
                           CASES[k].name, shown, expected);
        hed_sim_destroy(swing.sim);
    }
}

// Damping of bending is weak against the stiffness along the yarn: a rod needs hardly more pieces
// with it, a spline, whose segments bend sharply at the most, some more; and all stays stable.
Test(yarn_damping, damped_bending_needs_few_more_pieces) {
    static const double MORE[] = {[HED_YARN_ROD] = 1.1, [HED_YARN_SPLINE] = 3.0};
    for (int model = 0; model <= HED_YARN_SPLINE; ++model) {
        int32_t pieces[2];
        for (int k = 0; k < 2; ++k) {
            Case kind = {.model = (HedYarnModel)model, .bend_damping = k * 1e-3};
            Swing swing = open_swing(&kind, HED_SYMPLECTIC_EULER, 1e-3);
            double start = hed_sim_energies(swing.sim).total;
            pieces[k] = rig_step(swing.sim).substeps;
            rig_run(swing.sim, 99);
            // Symplectic Euler is of first order: energy swings by a part of what vibrates.
            cr_expect_float_eq(hed_sim_energies(swing.sim).total, start, 0.01 * start);
            hed_sim_destroy(swing.sim);
        }
        printf("%s: %d pieces of 1 ms, damped %d\n", hed_yarn_model_name((HedYarnModel)model),
               pieces[0], pieces[1]);
        cr_expect_lt(pieces[1], MORE[model] * pieces[0]);
    }
}
