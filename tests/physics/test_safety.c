// SPDX-License-Identifier: MIT
// No yarn passes through another, whatever the size of the step and the speed.
#include "base/alloc.h"
#include "geom/linking.h"
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { N = 24 }; // vertices of a ring

static const double PI = 3.14159265358979323846;

// A ring of radius 1 cm around `center`, in the plane of u and v.
static HedYarnsId add_ring(HedSim* sim, HedVec3 center, HedVec3 u, HedVec3 v, HedVec3 velocity) {
    HedVec3 vertices[N];
    HedCurve curve = {.count = N, .is_closed = true, .color = HED_COLOR_NONE};
    for (int k = 0; k < N; ++k) {
        double angle = 2.0 * PI * k / N;
        vertices[k] = hed_madd3(center, 0.01 * cos(angle), u);
        vertices[k] = hed_madd3(vertices[k], 0.01 * sin(angle), v);
    }
    HedYarnsDef def = hed_yarns_def_default();
    def.vertices = vertices;
    def.vertex_count = N;
    def.curves = &curve;
    def.curve_count = 1;
    def.velocity = velocity;
    HedYarnsId id;
    HedError error = {0};
    cr_assert_eq(hed_yarns_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

// Gauss's integral of the polygons: a whole number unless they touch.
static double linking(const HedSim* sim, HedYarnsId a, HedYarnsId b) {
    HedVec3 first[N + 1], second[N + 1];
    hed_yarns_positions(sim, a, first);
    hed_yarns_positions(sim, b, second);
    first[N] = first[0];
    second[N] = second[0];
    return hed_gauss_integral((HedPolyline){first, N + 1}, (HedPolyline){second, N + 1});
}

static HedSim* open_sim(HedIntegrator integrator, double step, int32_t threads) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = integrator;
    def.time_step = step;
    def.thread_count = threads;
    return rig_sim(&def);
}

static const HedVec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

// A ring is shot edge first at the rim of another at 100 m/s, in steps in which it would fly ten
// times its own thickness. It may bounce or wrap around, but the linking number stays 0.
static void shoot(HedIntegrator integrator, int steps, bool is_cut) {
    HedSim* sim = open_sim(integrator, 1e-4, 1);
    HedYarnsId a = add_ring(sim, hed_vec3(0.0, 0.0, 0.0), X, Y, (HedVec3){0});
    HedYarnsId b = add_ring(sim, hed_vec3(0.013, 0.001, 0.0135), X, Z, hed_vec3(0.0, 0.0, -100.0));
    int32_t cuts = 0;
    for (int k = 0; k < steps; ++k) {
        HedStepReport report = {0};
        HedError error = {0};
        cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
        cuts += report.cuts[HED_REASON_TUNNELED];
        // Linking numbers are whole, but for the rounding of a sum of some thousand angles.
        cr_assert_float_eq(linking(sim, a, b), 0.0, 1e-12, "step %d", k);
    }
    cr_assert_eq(cuts > 0, is_cut, "%d cuts", cuts);
    hed_sim_destroy(sim);
}

Test(safety, a_shot_does_not_pass_explicit) {
    shoot(HED_SYMPLECTIC_EULER, 5, true);
    shoot(HED_VERLET, 5, true);
}

Test(safety, a_shot_does_not_pass_implicit) {
    shoot(HED_IMPLICIT_EULER, 5, false); // corrections are cut, not steps
}

// Two links of a chain are torn apart at 20 m/s each, in steps of 10 ms.
Test(safety, links_stay_linked) {
    HedSim* sim = open_sim(HED_IMPLICIT_EULER, 1e-2, 2);
    HedYarnsId a = add_ring(sim, hed_vec3(0.0, 0.0, 0.0), X, Y, hed_vec3(-20.0, 0.0, 0.0));
    HedYarnsId b = add_ring(sim, hed_vec3(0.01, 0.0, 0.0), X, Z, hed_vec3(20.0, 0.0, 0.0));
    double start = linking(sim, a, b);
    // The same.
    cr_assert_float_eq(fabs(start), 1.0, 1e-12);
    for (int k = 0; k < 3; ++k) {
        HedStepReport report = {0};
        HedError error = {0};
        cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
        // The same.
        cr_assert_float_eq(linking(sim, a, b), start, 1e-12, "step %d", k);
    }
    hed_sim_destroy(sim);
}

// A pin that takes one ring through another leaves no way: yarns, segments and time are named, and
// the state is the one before.
Test(safety, what_cannot_be_kept_apart_is_named) {
    HedSim* sim = open_sim(HED_IMPLICIT_EULER, 1e-3, 1);
    HedYarnsId ring[2] = {
        add_ring(sim, hed_vec3(0.0, 0.0, 0.0), X, Y, (HedVec3){0}),
        add_ring(sim, hed_vec3(0.013, 0.001, 0.0135), X, Z, (HedVec3){0}),
    };
    HedKeyframe moves[2] = {{.time = 0.0}, {.time = 1e-3, .pose.position = {0.0, 0.0, -0.02}}};
    moves[0].pose.rotation = moves[1].pose.rotation = (HedQuat){.w = 1.0};
    int32_t vertices[N];
    HedVec3 before[2][N], after[2][N];
    for (int32_t k = 0; k < N; ++k) {
        vertices[k] = k;
    }
    for (int32_t k = 0; k < 2; ++k) {
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = ring[k];
        pin.vertices = vertices;
        pin.vertex_count = N;
        pin.keyframes = k == 1 ? moves : NULL;
        pin.keyframe_count = k == 1 ? 2 : 0;
        rig_pin_def(sim, &pin);
        hed_yarns_positions(sim, ring[k], before[k]);
    }
    HedStepReport report = {0};
    cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
    cr_assert_eq(report.reason, HED_REASON_TUNNELED, "%d: %s", report.reason, report.trouble);
    // Without a smaller one the step is halved ten times ten times.
    cr_assert_geq(report.cuts[HED_REASON_TUNNELED], 8);
    cr_assert_not_null(strstr(report.trouble, "pass through each other at"), "%s", report.trouble);
    cr_assert_not_null(strstr(report.trouble, "of curve 0 of yarns 'yarns'"), "%s", report.trouble);
    for (int32_t k = 0; k < 2; ++k) {
        hed_yarns_positions(sim, ring[k], after[k]);
    }
    cr_assert_arr_eq(before, after, sizeof before);
    cr_assert_eq(hed_sim_steps(sim), 0);
    hed_sim_destroy(sim);
}

// The same bits with one thread and with two.
Test(safety, threads_do_not_matter) {
    enum { PAIRS = 30 };
    HedVec3 end[2][N];
    for (int32_t t = 0; t < 2; ++t) {
        HedSim* sim = open_sim(HED_SYMPLECTIC_EULER, 1e-4, t + 1);
        add_ring(sim, hed_vec3(0.0, 0.0, 0.0), X, Y, (HedVec3){0});
        HedYarnsId b =
            add_ring(sim, hed_vec3(0.013, 0.001, 0.0135), X, Z, hed_vec3(0.0, 0.0, -90.0));
        for (int k = 1; k < PAIRS; ++k) { // so many that threads share them
            double y = 0.05 * k;
            add_ring(sim, hed_vec3(0.0, y, 0.0), X, Y, (HedVec3){0});
            add_ring(sim, hed_vec3(0.013, y + 0.001, 0.0135), X, Z, hed_vec3(0.0, 0.0, -80.0 - k));
        }
        rig_run(sim, 2);
        hed_yarns_positions(sim, b, end[t]);
        hed_sim_destroy(sim);
    }
    cr_assert_arr_eq(end[0], end[1], sizeof end[0]);
}

// A yarn lets Verlet's method keep its energy: its frames belong to the points at the end of the
// step, where forces are found.
Test(safety, verlet_keeps_the_energy_of_a_rod) {
    HedSim* sim = open_sim(HED_VERLET, 1e-4, 1);
    // An ellipse, which springs towards a circle and beyond.
    add_ring(sim, hed_vec3(0.0, 0.0, 0.0), X, hed_vec3(0.0, 0.6, 0.0), (HedVec3){0});
    rig_prepare(sim);
    HedEnergies start = hed_sim_energies(sim);
    double moved = 0.0, off = 0.0;
    for (int k = 0; k < 300; ++k) {
        rig_run(sim, 1);
        HedEnergies now = hed_sim_energies(sim);
        moved = fmax(moved, now.kinetic);
        off = fmax(off, fabs(now.total - start.total));
    }
    printf("energy %.3g J, of motion up to %.3g J, off by %.3g J\n", start.total, moved, off);
    cr_assert_gt(moved, 0.05 * start.total);
    // The error of the method is some (h w)^2/24 of a wave's energy; this one takes more than fifty
    // steps to go to and fro.
    cr_assert_lt(off, 1e-3 * moved);
    hed_sim_destroy(sim);
}

// A lattice of clamped rods with free ones laid across them, with friction, in steps of 1 ms: each
// step is solved at once, in few iterations, and contacts do not flicker.
Test(safety, a_lattice_of_rods_lies_still) {
    enum { K = 4, POINTS = 21 };
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.yarn_friction = 0.3;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.radius = 1e-3;
    yarn.linear_density = 3.8e-3;
    yarn.stretch = 300.0;
    yarn.bend = 8e-5;
    yarn.twist = 6e-5;
    HedYarnsId last = {0};
    for (int k = 0; k < 2 * K; ++k) {
        HedVec3 vertices[POINTS];
        HedCurve curve = {.count = POINTS, .color = HED_COLOR_NONE};
        bool is_free = k >= K;
        for (int i = 0; i < POINTS; ++i) {
            double along = 0.1 * i / (POINTS - 1);
            double across = 0.02 + 0.02 * (k % K);
            vertices[i] = is_free ? hed_vec3(across, 2.02e-3, along) : hed_vec3(along, 0.0, across);
        }
        yarn.vertices = vertices;
        yarn.vertex_count = POINTS;
        yarn.curves = &curve;
        yarn.curve_count = 1;
        cr_assert_eq(hed_yarns_create(sim, &yarn, &last, NULL), HED_OK);
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = last;
        pin.vertices = (int32_t[]){0, POINTS - 1};
        pin.vertex_count = 2;
        pin.clamps = true;
        if (!is_free) {
            rig_pin_def(sim, &pin);
        }
    }
    int32_t iterations = 0, late = 0;
    enum { STEPS = 150 };
    for (int k = 0; k < STEPS; ++k) {
        HedStepReport report = rig_step(sim);
        cr_assert_eq(report.substeps, 1, "step %d: %s", k, report.trouble);
        iterations += report.iterations;
        late += k >= STEPS - 50 ? report.iterations : 0;
    }
    // Two corrections solve a quiet step; a few landings in the first tenth of a second need more.
    printf("%d iterations, %d of them in the last 50 steps\n", iterations, late);
    cr_assert_lt(iterations, 4 * STEPS, "%d iterations", iterations);
    cr_assert_leq(late, 3 * 50, "%d iterations", late);
    HedVec3 x[POINTS];
    hed_yarns_positions(sim, last, x);
    // Clamped beams under twice their weight hang through by 2 w x^2 (L - x)^2 / (24 EI) at x.
    double at = 0.02 * K * (0.1 - 0.02 * K);
    double sag = 2.0 * yarn.linear_density * 9.81 * at * at / (24.0 * yarn.bend);
    printf("it lies at %.4f mm, %.4f mm below where it touched\n", 1e3 * x[POINTS / 2].y,
           1e3 * (2e-3 - x[POINTS / 2].y));
    // The one that lies there presses itself in by less than a twentieth of 2 mm.
    cr_assert_float_eq(x[POINTS / 2].y, 2e-3 - sag, 0.1e-3, "at %g", x[POINTS / 2].y);
    hed_sim_destroy(sim);
}

// A yarn lies across one that is held, and is pressed onto it so hard (a million times its weight)
// that they could come to rest only in each other: the solver's way is blocked, which is no matter
// of numbers that are not finite, and deserves the smaller steps of yarns that would pass.
Test(safety, yarns_that_block_a_solution_are_named) {
    enum { POINTS = 9 };
    HedSimDef def = hed_sim_def_default();
    def.gravity = hed_vec3(0.0, -1e7, 0.0);
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 1e-3;
    def.least_step = 1.0 / 32.0;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.name = "bar";
    HedPinDef pin = hed_pin_def_default();
    pin.yarns =
        rig_yarn_line(sim, &yarn, hed_vec3(-0.01, 0.0, 0.0), hed_vec3(0.01, 0.0, 0.0), POINTS);
    pin.vertices = (int32_t[POINTS]){0, 1, 2, 3, 4, 5, 6, 7, 8};
    pin.vertex_count = POINTS;
    rig_pin_def(sim, &pin);
    yarn.name = "load";
    rig_yarn_line(sim, &yarn, hed_vec3(0.0, 1.02e-3, -0.01), hed_vec3(0.0, 1.02e-3, 0.01), POINTS);
    HedStepReport report = {0};
    cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
    cr_assert_eq(report.reason, HED_REASON_TUNNELED, "%d: %s", report.reason, report.trouble);
    // Halved five times for any reason, and five times more for this one.
    cr_assert_eq(report.cuts[HED_REASON_TUNNELED], 10, "%d", report.cuts[HED_REASON_TUNNELED]);
    cr_assert_eq(report.cuts[HED_REASON_NOT_FINITE], 0);
    cr_assert_not_null(strstr(report.trouble, "of yarns 'bar' and segment"), "%s", report.trouble);
    cr_assert_not_null(strstr(report.trouble, "of yarns 'load'"), "%s", report.trouble);
    hed_sim_destroy(sim);
}

// Bytes of positions, velocities and friction's memory, for comparison.
static int64_t copy_state(HedSim* sim, uint8_t* bytes, int64_t room) {
    static const char* const NAMES[] = {"x", "v", "yarn_pairs", "yarn_strains"};
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    int64_t size = 0;
    for (int32_t k = 0; k < count; ++k) {
        for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; ++n) {
            if (strcmp(arrays[k].name, NAMES[n]) == 0) {
                cr_assert_leq(size + arrays[k].bytes, room);
                memcpy(bytes + size, arrays[k].data, (size_t)arrays[k].bytes);
                size += arrays[k].bytes;
            }
        }
    }
    return size;
}

static void hold(HedSim* sim, HedYarnsId yarns, int32_t every, const HedKeyframe* moves) {
    HedPinDef pin = hed_pin_def_default();
    int32_t vertices[9];
    pin.yarns = yarns;
    pin.vertices = vertices;
    pin.keyframes = moves;
    pin.keyframe_count = moves ? 3 : 0;
    for (int32_t k = 0; k < 9; k += every) {
        vertices[pin.vertex_count++] = k;
    }
    rig_pin_def(sim, &pin);
}

// A yarn lies on a bar, and friction holds it against a pull along it. Then the bar is taken away
// at once, which ends their contact on the way to the solution; but a thread next to it is drawn
// over another bar so hard that there is none. After the step that failed all is as before it,
// friction's memory of the first contact included.
Test(safety, a_step_that_fails_forgets_nothing) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = hed_vec3(0.0, -9.81, 1.0);
    def.time_step = 1e-3;
    def.yarn_friction = 0.5;
    def.least_step = 0.25;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = hed_yarns_def_default();
    HedKeyframe away[3] = {
        {.time = 0.0}, {.time = 0.02}, {.time = 0.021, .pose.position.y = -0.01}};
    HedKeyframe draw[3] = {
        {.time = 0.0}, {.time = 0.02}, {.time = 0.021, .pose.position.y = -0.04}};
    for (int k = 0; k < 3; ++k) {
        away[k].pose.rotation = draw[k].pose.rotation = (HedQuat){.w = 1.0};
    }
    HedVec3 from = {-0.01, 0.0, 0.0}, to = {0.01, 0.0, 0.0};
    hold(sim, rig_yarn_line(sim, &yarn, from, to, 9), 1, away);
    from = hed_vec3(0.0, 1e-3, -0.01);
    to = hed_vec3(0.0, 1e-3, 0.01);
    rig_yarn_line(sim, &yarn, from, to, 9);
    from = hed_vec3(-0.01, 0.0, 0.1);
    to = hed_vec3(0.01, 0.0, 0.1);
    hold(sim, rig_yarn_line(sim, &yarn, from, to, 9), 1, NULL);
    yarn.stretch = 1e5;
    from = hed_vec3(0.0, 1.02e-3, 0.09);
    to = hed_vec3(0.0, 1.02e-3, 0.11);
    hold(sim, rig_yarn_line(sim, &yarn, from, to, 9), 8, draw);
    rig_run(sim, 20);
    enum { ROOM = 1 << 14 };
    uint8_t before[ROOM], after[ROOM];
    int64_t size = copy_state(sim, before, ROOM);
    // Two of four pieces that meet where each yarn has a vertex: at least a pair remembers.
    cr_assert_geq(size, 2 * 36 * (int64_t)sizeof(HedVec3) + 40);
    HedStepReport report = {0};
    cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
    cr_assert_eq(copy_state(sim, after, ROOM), size);
    cr_assert_arr_eq(before, after, (size_t)size);
    cr_assert_eq(report.reason, HED_REASON_TUNNELED, "%d: %s", report.reason, report.trouble);
    hed_sim_destroy(sim);
}

// Two yarns meet along their length, with friction.
static HedSim* open_meeting(HedIntegrator integrator) {
    enum { POINTS = 60 };
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = integrator;
    def.time_step = 1e-4;
    def.yarn_friction = 0.3;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.velocity = hed_vec3(1.0, -4.0, 0.0);
    rig_yarn_line(sim, &yarn, hed_vec3(0.0, 2e-3, 0.0), hed_vec3(0.06, 2e-3, 2e-4), POINTS);
    yarn.velocity = (HedVec3){0};
    rig_yarn_line(sim, &yarn, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.06, 0.0, 0.0), POINTS);
    rig_prepare(sim);
    return sim;
}

// Whichever allocation fails in a step: it says so, the state is that of its start, and the same
// step made again comes to the same bits as if nothing had been.
static void step_without_memory(HedIntegrator integrator) {
    enum { STEPS = 8 };
    HedSim* sim = open_meeting(integrator);
    HedSim* spared = open_meeting(integrator);
    int failures = 0;
    for (int k = 0; k < STEPS; ++k) {
        rig_run(spared, 1);
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; status != HED_OK; ++n) {
            uint64_t before = rig_hash(sim);
            HedStepReport report = {0};
            HedError error = {0};
            hed_alloc_fail_at(n);
            status = hed_sim_step(sim, &report, &error);
            hed_alloc_fail_at(0);
            failures += status != HED_OK;
            if (status != HED_OK) {
                cr_assert_eq(status, HED_NO_MEMORY, "%s", error.message);
                cr_assert_not_null(strstr(error.message, "memory"), "%s", error.message);
                cr_assert_eq(rig_hash(sim), before, "step %d, allocation %d", k, (int)n);
            }
        }
        cr_assert_eq(rig_hash(sim), rig_hash(spared), "step %d", k);
    }
    cr_assert_gt(failures, 4, "%d", failures);
    hed_sim_destroy(sim);
    hed_sim_destroy(spared);
}

Test(safety, steps_without_memory_fail_and_lose_nothing) {
    step_without_memory(HED_SYMPLECTIC_EULER);
    step_without_memory(HED_IMPLICIT_EULER);
}
