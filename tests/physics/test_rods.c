// SPDX-License-Identifier: MIT
// Rods in simulations: bending under their own weight, twist carried beyond a turn, checkpoints.
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

// A straight yarn from the origin along x.
typedef struct Rod {
    HedSim* sim;
    HedYarnsId id;
    int32_t segments;
} Rod;

static Rod make_rod(const HedSimDef* def, HedYarnsDef yarn, int32_t segments, double length) {
    Rod rod = {.sim = rig_sim(def), .segments = segments};
    HedVec3* vertices = calloc((size_t)segments + 1, sizeof *vertices);
    HedCurve curve = {.count = segments + 1, .color = HED_COLOR_NONE};
    for (int32_t k = 0; k <= segments; ++k) {
        vertices[k] = hed_vec3(length * k / segments, 0.0, 0.0);
    }
    yarn.vertices = vertices;
    yarn.vertex_count = segments + 1;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    HedError error = {0};
    cr_assert_eq(hed_yarns_create(rod.sim, &yarn, &rod.id, &error), HED_OK, "%s", error.message);
    free(vertices);
    return rod;
}

static void clamp(Rod rod, int32_t vertex, const HedKeyframe* keys, int32_t count) {
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = rod.id;
    pin.vertices = &vertex;
    pin.vertex_count = 1;
    pin.clamps = true;
    pin.keyframes = keys;
    pin.keyframe_count = count;
    pin.pivot = hed_vec3(vertex ? 1.0 : 0.0, 0.0, 0.0);
    rig_pin_def(rod.sim, &pin);
}

static HedVec3 tip_of(Rod rod) {
    HedVec3* x = calloc((size_t)rod.segments + 1, sizeof *x);
    hed_yarns_positions(rod.sim, rod.id, x);
    HedVec3 tip = x[rod.segments];
    free(x);
    return tip;
}

// The heavy elastica of length 1: EI th'' = -w (1 - s) cos th, th(0) = 0, th'(1) = 0, th counted
// downwards. Shooting on th'(0) with Runge and Kutta's method in 4000 steps.
static HedVec3 heavy_tip(double beta) {
    double low = 0.0, high = beta;
    HedVec3 tip = {0};
    for (int k = 0; k < 80; ++k) {
        double th = 0.0, rate = 0.5 * (low + high);
        enum { N = 4000 };
        tip = (HedVec3){0};
        for (int i = 0; i < N; ++i) {
            double h = 1.0 / N, s = i * h, a[4], b[4];
            for (int m = 0; m < 4; ++m) {
                double c = m == 0 ? 0.0 : m == 3 ? h : 0.5 * h;
                double at = th + (m ? c * a[m - 1] : 0.0);
                a[m] = rate + (m ? c * b[m - 1] : 0.0);
                b[m] = -beta * (1.0 - s - c) * cos(at);
            }
            double middle = th + 0.5 * h * a[0];
            double next = th + h / 6.0 * (a[0] + 2.0 * a[1] + 2.0 * a[2] + a[3]);
            rate += h / 6.0 * (b[0] + 2.0 * b[1] + 2.0 * b[2] + b[3]);
            tip.x += h / 6.0 * (cos(th) + 4.0 * cos(middle) + cos(next));
            tip.y -= h / 6.0 * (sin(th) + 4.0 * sin(middle) + sin(next));
            th = next;
        }
        low = rate < 0.0 ? 0.5 * (low + high) : low;
        high = rate < 0.0 ? high : 0.5 * (low + high);
    }
    return tip;
}

Test(rods, heavy_cantilever) {
    HedVec3 exact = heavy_tip(8.0);
    cr_assert_float_eq(exact.y, -0.64063, 1e-5, "%.6f", exact.y); // as tables have it
    double size[3], error[3];
    for (int k = 0; k < 3; ++k) {
        int32_t segments = 8 << k;
        HedSimDef def = hed_sim_def_default();
        def.integrator = HED_QUASI_STATIC;
        def.time_step = 1.0;
        HedYarnsDef yarn = hed_yarns_def_default();
        yarn.linear_density = 0.01;
        yarn.bend = 0.01 * 9.81 / 8.0;
        yarn.stretch = 1e4 * yarn.bend * 64.0; // strain of 1e-6: far below what is looked at
        Rod rod = make_rod(&def, yarn, segments, 1.0);
        clamp(rod, 0, NULL, 0);
        rig_step(rod.sim);
        size[k] = 1.0 / segments;
        error[k] = hed_distance3(tip_of(rod), exact);
        hed_sim_destroy(rod.sim);
    }
    double order = observed_order(size, error, 3);
    cr_expect(error[2] < 1e-3, "%.3g", error[2]); // 4.7e-4 was seen with sheets of 32 cells
    cr_expect(order > 1.8 && order < 2.2, "order %.2f, errors %.3g %.3g %.3g", order, error[0],
              error[1], error[2]);
}

// Three turns at one end: a straight rod keeps them all, as energy 1/2 GJ (angle/L)^2 L.
Test(rods, turns_are_kept) {
    enum { TURNS = 3, KEYS = 3 * TURNS + 1 };
    HedKeyframe keys[KEYS];
    for (int k = 0; k < KEYS; ++k) {
        double half = PI / 3.0 * k; // of a third of a turn each
        keys[k] = (HedKeyframe){0.05 * k, {{0.0, 0.0, 0.0}, {cos(half), sin(half), 0.0, 0.0}}};
    }
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.time_step = 1e-3;
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.bend = 1e-3;
    yarn.twist = 5e-5; // 0.94 EI/L of moment, far from buckling
    Rod rod = make_rod(&def, yarn, 20, 1.0);
    clamp(rod, 0, NULL, 0);
    clamp(rod, 20, keys, KEYS);
    rig_run(rod.sim, 500);
    double angle = 2.0 * PI * TURNS;
    double expected = 0.5 * yarn.twist * angle * angle;
    double twist = rig_potential(rod.sim, "twist");
    // No force moves a point, so angles alone are solved: to rounding, in 20 segments.
    cr_expect_float_eq(twist, expected, 1e-12 * expected, "%.10g, not %.10g", twist, expected);
    // Turns of some 1e-12, squared.
    cr_expect(rig_potential(rod.sim, "bend") < 1e-20);
    // Of 19, rounded in 20 segments.
    cr_expect_float_eq(hed_yarns_twist(rod.sim, rod.id, 0), angle, 1e-12);
    hed_sim_destroy(rod.sim);
}

static HedYarnsDef lively_yarn(void) {
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.bend = 1e-4;
    yarn.bend_across = 2e-4; // angles take part
    yarn.twist = 1e-4;
    return yarn;
}

// Taken up in the middle, and on any number of threads: the same bits.
Test(rods, restart_and_threads) {
    static const HedKeyframe KEYS[2] = {{0.0, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}},
                                        {0.05, {{0.0, 0.0, 0.0}, {0.8, 0.6, 0.0, 0.0}}}};
    static const HedIntegrator KINDS[] = {HED_SYMPLECTIC_EULER, HED_IMPLICIT_EULER, HED_NEWMARK};
    for (int kind = 0; kind < 3; ++kind) {
        uint64_t hash[4];
        uint8_t* bytes = NULL;
        for (int run = 0; run < 4; ++run) {
            HedSimDef def = hed_sim_def_default();
            def.integrator = KINDS[kind];
            def.time_step = kind == 0 ? 1e-5 : 1e-3;
            def.thread_count = run < 3 ? run + 1 : 1;
            Rod rod = make_rod(&def, lively_yarn(), 30, 1.0);
            clamp(rod, 0, NULL, 0);
            clamp(rod, 30, KEYS, 2);
            rig_prepare(rod.sim);
            if (run == 3) {
                rig_restore(rod.sim, bytes);
            } else {
                rig_run(rod.sim, 30);
            }
            if (run == 0) {
                bytes = rig_save(rod.sim);
            }
            rig_run(rod.sim, 30);
            hash[run] = rig_hash(rod.sim);
            hed_sim_destroy(rod.sim);
        }
        free(bytes);
        for (int run = 1; run < 4; ++run) {
            cr_expect_eq(hash[run], hash[0], "%s, run %d", hed_integrator_name(KINDS[kind]), run);
        }
    }
}
