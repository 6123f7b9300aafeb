// SPDX-License-Identifier: MIT
// Cloth that repeats for ever: energies, forces, copies, vectors.
#include "heddle/yarn.h"
#include "sim/internal.h"

#include <criterion/criterion.h>
#include <string.h>

enum { POINTS = 16, MOST = 4 }; // vertices of a thread per repeat; repeats

static const double PITCH = 1e-3;    // m
static const double RADIUS = 0.2e-3; // m

static double wiggle(int32_t seed) {
    return sin(12.9898 * seed + 4.1) * cos(78.233 * seed);
}

// A plain weave of two threads each way and repeat, squeezed so that threads press on each other,
// with a disturbance that repeats.
typedef struct Weave {
    HedVec3 x[2 * 2 * MOST * POINTS * MOST];
    HedCurve curves[4 * MOST];
    HedTurns turns[4 * MOST];
    int32_t count, curve_count;
} Weave;

static void add_thread(Weave* w, bool is_warp, int32_t number, int32_t repeats) {
    w->curves[w->curve_count] =
        (HedCurve){.first = w->count, .count = POINTS * repeats, .color = HED_COLOR_NONE};
    w->turns[w->curve_count++] = is_warp ? (HedTurns){0, 1} : (HedTurns){1, 0};
    for (int32_t k = 0; k < POINTS * repeats; ++k) {
        double along = 2.0 * PITCH * k / POINTS;
        double side = (number % 2 == 0) == is_warp ? 1.0 : -1.0;
        double z = 0.8 * RADIUS * side * sin(3.14159265358979 * along / PITCH);
        double off = (number + 0.5) * PITCH;
        int32_t seed = 3 * (k % POINTS + POINTS * (number % 2 + 2 * is_warp));
        HedVec3 p = is_warp ? hed_vec3(off, along, z) : hed_vec3(along, off, z);
        HedVec3 d = {wiggle(seed), wiggle(seed + 1), wiggle(seed + 2)};
        w->x[w->count++] = hed_madd3(p, 0.05 * RADIUS, d);
    }
}

static Weave* make_weave(int32_t repeats) {
    static Weave w;
    memset(&w, 0, sizeof w);
    for (int32_t k = 0; k < 4 * repeats; ++k) {
        add_thread(&w, k < 2 * repeats, k % (2 * repeats), repeats);
    }
    return &w;
}

static HedSimDef sim_def(HedIntegrator integrator, int32_t threads) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = hed_vec3(0.0, 0.0, 0.0);
    def.integrator = integrator;
    def.time_step = 2e-6;
    def.thread_count = threads;
    def.yarn_damping = 0.3;
    return def;
}

static HedPeriodDef period_def(int32_t repeats, bool is_free) {
    HedPeriodDef def = hed_period_def_default();
    def.a = hed_vec3(2.0 * repeats * PITCH, 0.0, 0.0);
    def.b = hed_vec3(0.0, 2.0 * repeats * PITCH, 0.0);
    def.is_free[0] = def.is_free[1] = is_free;
    return def;
}

static HedYarnsDef yarns_def(const Weave* w, HedYarnModel model) {
    HedYarnsDef def = hed_yarns_def_default();
    def.vertices = w->x;
    def.vertex_count = w->count;
    def.curves = w->curves;
    def.curve_count = w->curve_count;
    def.turns = w->turns;
    def.model = model;
    def.radius = RADIUS;
    def.linear_density = 1e-4;
    def.stretch = 20.0;
    def.bend = 1e-9;
    def.bend_damping = 1e-8;
    return def;
}

static HedSim* build(HedSimDef sim_def, HedPeriodDef period, HedYarnsDef yarns) {
    HedSim* sim = NULL;
    HedYarnsId id;
    HedError error = {0};
    cr_assert_eq(hed_sim_create(&sim_def, &sim, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_sim_set_period(sim, &period, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_yarns_create(sim, &yarns, &id, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_sim_prepare(sim, &error), HED_OK, "%s", error.message);
    return sim;
}

static HedSim* build_weave(int32_t repeats, HedYarnModel model, bool is_free) {
    return build(sim_def(HED_SYMPLECTIC_EULER, 1), period_def(repeats, is_free),
                 yarns_def(make_weave(repeats), model));
}

static double energy_of(HedSim* sim) {
    hed_period_place(sim, sim->x.data);
    HedEnergies energies = hed_sim_energies(sim);
    double sum = 0.0;
    for (int32_t k = 0; k < energies.potential_count; ++k) {
        sum += energies.potential[k];
    }
    return sum;
}

// Forces at the present positions, at rest; those on the vectors whole.
static void find_forces(HedSim* sim, HedVec3* force) {
    memset(sim->v.data, 0, sizeof(HedVec3) * (size_t)sim->x.count);
    hed_sim_force(sim, sim->x.data, sim->v.data, 0.0, force);
    for (int k = 0; k < 2; ++k) {
        force[k] = hed_mul3(-1.0, hed_sim_period(sim).pull[k]);
    }
}

// Central differences of the energy by some coordinates of yarns and all of the vectors.
static void check_forces(HedYarnModel model) {
    HedSim* sim = build_weave(1, model, true);
    HedVec3* force = HED_NEW_ARRAY(HedVec3, sim->x.count);
    find_forces(sim, force);
    double scale = 0.0, worst = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        scale = fmax(scale, hed_norm3(force[i]));
    }
    for (int32_t i = 0; i < sim->x.count; i += i < 2 ? 1 : 7) {
        if (i >= 2 && !(sim->mass.data[i] > 0.0)) {
            cr_expect_eq(hed_norm3(force[i]), 0.0); // a copy
            continue;
        }
        for (int c = 0; c < 3; ++c) {
            const double h = 1e-9; // of 1e-4: differences of 1e-5 relative, rounding 1e-7
            double at = hed_get3(sim->x.data[i], c);
            hed_set3(&sim->x.data[i], c, at + h);
            double more = energy_of(sim);
            hed_set3(&sim->x.data[i], c, at - h);
            double less = energy_of(sim);
            hed_set3(&sim->x.data[i], c, at);
            worst = fmax(worst, fabs((more - less) / (2.0 * h) + hed_get3(force[i], c)));
        }
    }
    // Differences of 1e-5, as h has it; forces of nothing would be rounding, 1e-16.
    cr_expect(scale > 1e-3 && worst < 1e-5 * scale, "%g of %g", worst, scale);
    HedVec3 sum = {0.0, 0.0, 0.0}; // nothing pushes from outside
    for (int32_t i = 2; i < sim->x.count; ++i) {
        sum = hed_add3(sum, force[i]);
    }
    // Some hundred forces that cancel, each a sum of ten rounded by 1e-16.
    cr_expect(hed_norm3(sum) < 1e-13 * scale, "%g", hed_norm3(sum));
    hed_free(force);
    hed_sim_destroy(sim);
}

Test(period, spline_forces_are_derivatives) {
    check_forces(HED_YARN_SPLINE);
}

Test(period, rod_forces_are_derivatives) {
    check_forces(HED_YARN_ROD);
}

// The same cloth as one repeat and as two by two.
static void check_repeats(HedYarnModel model) {
    HedSim* sims[2];
    HedVec3* x[2];
    double energy[2];
    HedVec3 pull[2][2];
    for (int k = 0; k < 2; ++k) {
        sims[k] = build_weave(k + 1, model, false);
        energy[k] = energy_of(sims[k]);
        HedVec3* force = HED_NEW_ARRAY(HedVec3, sims[k]->x.count);
        find_forces(sims[k], force);
        pull[k][0] = hed_sim_period(sims[k]).pull[0];
        pull[k][1] = hed_sim_period(sims[k]).pull[1];
        hed_free(force);
    }
    // A repeat of twice the length pulls as its two threads of each do, and stretches twice as far.
    cr_expect_float_eq(energy[1], 4.0 * energy[0], 1e-11 * energy[1]);
    for (int k = 0; k < 2; ++k) {
        double off = hed_distance3(pull[1][k], hed_mul3(2.0, pull[0][k]));
        // As the energy, of forces that cancel in part.
        cr_expect(off < 1e-11 * hed_norm3(pull[1][k]), "%g", off);
    }
    for (int step = 0; step < 40; ++step) {
        for (int k = 0; k < 2; ++k) {
            HedStepReport report;
            cr_assert_eq(hed_sim_step(sims[k], &report, NULL), HED_OK);
            cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
        }
    }
    for (int k = 0; k < 2; ++k) {
        HedYarnsId yarns = hed_sim_yarns(sims[k], 0);
        x[k] = HED_NEW_ARRAY(HedVec3, hed_yarns_vertex_count(sims[k], yarns));
        hed_yarns_positions(sims[k], yarns, x[k]);
    }
    HedVec3 moved = hed_sub3(x[0][5], make_weave(1)->x[5]);
    cr_expect(hed_norm3(moved) > 1e-3 * RADIUS, "nothing moves: %g", hed_norm3(moved));
    // Sums are taken in another order, and steps do not make more of it than thousandfold.
    for (int32_t i = 0; i < POINTS; ++i) {
        cr_expect(hed_distance3(x[0][i], x[1][i]) < 1e-10 * RADIUS, "%d %g", i,
                  hed_distance3(x[0][i], x[1][i]) / RADIUS);
    }
    for (int k = 0; k < 2; ++k) {
        hed_free(x[k]);
        hed_sim_destroy(sims[k]);
    }
}

Test(period, two_by_two_splines_are_one) {
    check_repeats(HED_YARN_SPLINE);
}

Test(period, two_by_two_rods_are_one) {
    check_repeats(HED_YARN_ROD);
}

// A straight yarn of a few vertices along a.
typedef struct Straight {
    HedVec3 x[5];
    HedCurve curve;
    HedTurns turns;
} Straight;

static HedYarnsDef straight_def(Straight* s, HedYarnModel model) {
    *s = (Straight){.curve = {.count = 5, .color = HED_COLOR_NONE}, .turns = {1, 0}};
    for (int k = 0; k < 5; ++k) {
        s->x[k] = hed_vec3(0.01 * k, 0.003, -0.002);
    }
    HedYarnsDef def = hed_yarns_def_default();
    def.vertices = s->x;
    def.vertex_count = 5;
    def.curves = &s->curve;
    def.curve_count = 1;
    def.turns = &s->turns;
    def.model = model;
    return def;
}

static HedPeriodDef straight_period(void) {
    HedPeriodDef def = hed_period_def_default();
    def.a = hed_vec3(0.05, 0.0, 0.0);
    return def;
}

// Pulled by 3 N a yarn of EA = 100 N is longer by 3 %; held at 2 % it pulls by 2 N.
Test(period, straight_yarn_has_its_tension) {
    for (int model = 0; model <= HED_YARN_SPLINE; ++model) {
        Straight s;
        HedYarnsDef yarns = straight_def(&s, (HedYarnModel)model);
        HedPeriodDef period = straight_period();
        period.is_free[0] = true;
        period.pull[0] = 3.0;
        HedSimDef def = sim_def(HED_SYMPLECTIC_EULER, 1);
        def.time_step = 1e-3;
        def.drag = 3000.0; // near critical: sqrt(EA / (5 m l))
        HedSim* sim = build(def, period, yarns);
        for (int k = 0; k < 60; ++k) {
            cr_assert_eq(hed_sim_step(sim, NULL, NULL), HED_OK);
        }
        HedPeriodState state = hed_sim_period(sim);
        // 60 ms near critical, at some 1500/s, leave e^-90: rounding.
        cr_expect_float_eq(state.vector[0].x, 0.0515, 1e-15, "%.12g", state.vector[0].x);
        // The pull of 1e-15 m in 0.05 m of 100 N.
        cr_expect_float_eq(state.pull[0].x, 3.0, 2e-12, "%.12g", state.pull[0].x);
        hed_sim_destroy(sim);

        period.is_free[0] = false;
        sim = build(def, period, yarns);
        HedVec3 still = {0.0, 0.0, 0.0};
        cr_assert_eq(hed_sim_move_period(sim, hed_vec3(0.001 / 10e-3, 0.0, 0.0), still, NULL),
                     HED_OK);
        for (int k = 0; k < 60; ++k) {
            if (k == 10) {
                hed_sim_move_period(sim, still, still, NULL);
            }
            cr_assert_eq(hed_sim_step(sim, NULL, NULL), HED_OK);
        }
        state = hed_sim_period(sim);
        // Ten moves, each rounded.
        cr_expect_float_eq(state.vector[0].x, 0.051, 1e-14);
        // The pull of as much.
        cr_expect_float_eq(state.pull[0].x, 2.0, 2e-11, "%.12g", state.pull[0].x);
        hed_sim_destroy(sim);
    }
}

// Energy that goes in, by vectors that are moved or pulled, and comes out by damping, balances.
Test(period, energy_balances) {
    for (int is_free = 0; is_free < 2; ++is_free) {
        HedSimDef def = sim_def(HED_VERLET, 1);
        HedPeriodDef period = period_def(1, is_free);
        period.pull[0] = 0.02;
        HedSim* sim = build(def, period, yarns_def(make_weave(1), HED_YARN_SPLINE));
        hed_sim_move_period(sim, hed_vec3(1.0, 0.0, 0.0), hed_vec3(0.0, -0.5, 0.0), NULL);
        HedEnergies start = hed_sim_energies(sim);
        for (int k = 0; k < 50; ++k) {
            cr_assert_eq(hed_sim_step(sim, NULL, NULL), HED_OK);
        }
        HedEnergies end = hed_sim_energies(sim);
        double size = fabs(end.external) + end.dissipated;
        cr_expect(size > 0.1 * start.total, "%g %g", size, start.total);
        // Verlet is of second order: seen, 5e-3 of what is turned over at the stable size of steps,
        // and a quarter of that at half of it.
        cr_expect_float_eq(end.total, start.total, 1e-2 * size, "%g of %g", end.total - start.total,
                           size);
        hed_sim_destroy(sim);
    }
}

// All integrators agree on a free cloth, and threads to the last bit.
Test(period, integrators_and_threads) {
    static const HedIntegrator KINDS[] = {HED_RK4, HED_VERLET, HED_MIDPOINT, HED_SYMPLECTIC_EULER,
                                          HED_SYMPLECTIC_EULER};
    HedVec3 found[5];
    double length[5];
    for (int k = 0; k < 5; ++k) {
        HedSim* sim = build(sim_def(KINDS[k], k == 4 ? 3 : 1), period_def(1, true),
                            yarns_def(make_weave(1), HED_YARN_SPLINE));
        for (int step = 0; step < 5; ++step) {
            cr_assert_eq(hed_sim_step(sim, NULL, NULL), HED_OK);
        }
        HedVec3 x[4 * POINTS];
        hed_yarns_positions(sim, hed_sim_yarns(sim, 0), x);
        found[k] = x[7];
        length[k] = hed_sim_period(sim).vector[0].x;
        hed_sim_destroy(sim);
    }
    cr_expect(fabs(length[0] - 2.0 * PITCH) > 1e-6 * PITCH, "%g", length[0] / PITCH - 2.0);
    for (int k = 1; k < 4; ++k) { // steps of first order: some hundredths of the way that is made
        double way = hed_distance3(found[0], make_weave(1)->x[7]);
        cr_expect(hed_distance3(found[0], found[k]) < 0.05 * way, "%d: %g of %g", k,
                  hed_distance3(found[0], found[k]), way);
        cr_expect(fabs(length[k] - length[0]) < 0.05 * fabs(length[0] - 2.0 * PITCH));
    }
    cr_expect_eq(memcmp(&found[3], &found[4], sizeof found[3]), 0);
    cr_expect_eq(length[3], length[4]);
}

// What a simulation with a period says to a def.
static HedStatus try_it(HedSimDef def, HedPeriodDef period, HedYarnsDef yarns, HedError* error) {
    HedSim* sim = NULL;
    HedYarnsId id;
    HedStatus status = hed_sim_create(&def, &sim, error);
    if (status == HED_OK) {
        status = hed_sim_set_period(sim, &period, error);
    }
    if (status == HED_OK) {
        status = hed_yarns_create(sim, &yarns, &id, error);
    }
    if (status == HED_OK) {
        status = hed_sim_step(sim, NULL, error);
    }
    hed_sim_destroy(sim);
    return status;
}

static void expect_refused(HedSimDef def, HedPeriodDef period, HedYarnsDef yarns,
                           const char* says) {
    HedError error = {0};
    cr_expect_neq(try_it(def, period, yarns, &error), HED_OK, "%s", says);
    cr_expect(strstr(error.message, says) != NULL, "'%s' is not in '%s'", says, error.message);
}

Test(period, what_cannot_repeat_is_refused) {
    Straight s;
    const HedSimDef def = sim_def(HED_SYMPLECTIC_EULER, 1);
    const HedPeriodDef period = straight_period();
    const HedYarnsDef yarns = straight_def(&s, HED_YARN_SPLINE);
    HedSimDef d = def;
    d.gravity.y = -9.81;
    expect_refused(d, period, yarns, "gravity must be 0");
    d = def;
    d.integrator = HED_IMPLICIT_EULER;
    expect_refused(d, period, yarns, "needs explicit steps");
    HedPeriodDef p = period;
    p.a.x = (double)NAN;
    expect_refused(def, p, yarns, "vector a must be finite");
    p = period;
    p.b = hed_vec3(1.0, 1e-3, 0.0);
    expect_refused(def, p, yarns, "angle between a and b");
    p = period;
    p.mass = -1.0;
    expect_refused(def, p, yarns, "mass must be zero or more");
    p = period;
    p.a.x = 0.04; // the copy of the first vertex
    expect_refused(def, p, yarns, "copy of its first");
    p = period;
    p.a = hed_vec3(0.041, 0.0, 0.0);
    HedYarnsDef y = yarns;
    y.radius = 0.1;
    expect_refused(def, p, y, "take more repeats");
    y = yarns;
    y.inextensible = true;
    expect_refused(def, period, y, "inextensible");
    y = yarns;
    HedTurns up = {0, 1};
    y.turns = &up;
    expect_refused(def, period, y, "no such period");
    HedCurve closed = s.curve;
    closed.is_closed = true;
    y = yarns;
    y.curves = &closed;
    expect_refused(def, period, y, "must be open");
    cr_expect_eq(try_it(def, period, yarns, NULL), HED_OK);
}

// Pins and glue would have to hold all copies.
Test(period, what_goes_on_cannot_be_held) {
    Straight s;
    HedSim* sim = NULL;
    HedYarnsId id;
    HedPinId pin_id;
    HedError error = {0};
    HedSimDef def = sim_def(HED_SYMPLECTIC_EULER, 1);
    HedPeriodDef period = straight_period();
    HedYarnsDef yarns = straight_def(&s, HED_YARN_ROD);
    hed_sim_create(&def, &sim, NULL);
    cr_expect_eq(hed_sim_move_period(sim, period.a, period.a, &error), HED_INVALID);
    cr_assert_eq(hed_sim_set_period(sim, &period, NULL), HED_OK);
    cr_expect_eq(hed_sim_set_period(sim, &period, &error), HED_INVALID, "twice");
    cr_assert_eq(hed_yarns_create(sim, &yarns, &id, NULL), HED_OK);
    int32_t vertex = 2;
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = id;
    pin.vertices = &vertex;
    pin.vertex_count = 1;
    cr_expect_eq(hed_pin_create(sim, &pin, &pin_id, &error), HED_UNSUPPORTED);
    HedGlueDef glue = hed_glue_def_default();
    glue.yarns = glue.other = id;
    glue.other_vertex = 3.0;
    cr_expect_eq(hed_glue_create(sim, &glue, &error), HED_UNSUPPORTED);
    hed_sim_destroy(sim);
}

Test(period, no_memory) {
    Straight s;
    HedSimDef def = sim_def(HED_VERLET, 1);
    for (int model = 0; model <= HED_YARN_SPLINE; ++model) {
        HedYarnsDef yarns = straight_def(&s, (HedYarnModel)model);
        int64_t live = hed_alloc_stats().live_bytes;
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; n < 2000 && status != HED_OK; ++n) {
            HedError error = {0};
            hed_alloc_fail_at(n);
            status = try_it(def, straight_period(), yarns, &error);
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%lld: %s", (long long)n,
                      error.message);
            cr_assert_eq(hed_alloc_stats().live_bytes, live);
        }
        cr_expect_eq(status, HED_OK);
    }
}
