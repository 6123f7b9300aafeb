// SPDX-License-Identifier: MIT
// Spline yarns in simulations: closed forms of statics and vibration, lengths, bodies, checkpoints.
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum { MOST = 200 };

typedef struct Yarn {
    HedSim* sim;
    HedYarnsId id;
    int32_t count; // vertices
} Yarn;

static HedYarnsDef spline_def(void) {
    HedYarnsDef def = hed_yarns_def_default();
    def.model = HED_YARN_SPLINE;
    return def;
}

static Yarn make_yarn(const HedSimDef* def, HedYarnsDef yarn, const HedVec3* points, int32_t count,
                      bool is_closed) {
    Yarn made = {.sim = rig_sim(def), .count = count};
    HedCurve curve = {.count = count, .color = HED_COLOR_NONE, .is_closed = is_closed};
    yarn.vertices = points;
    yarn.vertex_count = count;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    HedError error = {0};
    cr_assert_eq(hed_yarns_create(made.sim, &yarn, &made.id, &error), HED_OK, "%s", error.message);
    return made;
}

static Yarn make_line(const HedSimDef* def, HedYarnsDef yarn, int32_t segments, HedVec3 to) {
    HedVec3 points[MOST];
    for (int32_t k = 0; k <= segments; ++k) {
        points[k] = hed_mul3((double)k / segments, to);
    }
    return make_yarn(def, yarn, points, segments + 1, false);
}

static void hold(Yarn yarn, int32_t vertex, bool clamps) {
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = yarn.id;
    pin.vertices = &vertex;
    pin.vertex_count = 1;
    pin.clamps = clamps;
    rig_pin_def(yarn.sim, &pin);
}

static HedVec3 vertex_of(Yarn yarn, int32_t vertex) {
    HedVec3 x[MOST];
    hed_yarns_positions(yarn.sim, yarn.id, x);
    return x[vertex];
}

static HedSimDef static_def(void) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 1.0;
    return def;
}

// The heavy elastica of length 1: EI th'' = -w (1 - s) cos th, th(0) = 0, th'(1) = 0, th counted
// downwards, by shooting on th'(0) with the rule of the midpoint in 20000 steps (errors of 1e-9).
static HedVec3 heavy_tip(double beta) {
    enum { N = 20000 };
    double low = 0.0, high = beta;
    HedVec3 tip = {0};
    for (int k = 0; k < 60; ++k) {
        double th = 0.0, rate = 0.5 * (low + high), h = 1.0 / N;
        tip = (HedVec3){0};
        for (int i = 0; i < N; ++i) {
            double s = i * h;
            double middle = th + 0.5 * h * rate;
            double turn = rate - 0.5 * h * beta * (1.0 - s) * cos(th);
            tip.x += h * cos(middle);
            tip.y -= h * sin(middle);
            th += h * turn;
            rate -= h * beta * (1.0 - s - 0.5 * h) * cos(middle);
        }
        *(rate < 0.0 ? &low : &high) = 0.5 * (low + high);
    }
    return tip;
}

// A clamp at the very end of the curve, position and direction: the error falls with the fourth
// power of the length of segments, as the curves themselves come near.
Test(splines, heavy_cantilever) {
    HedVec3 exact = heavy_tip(8.0);
    cr_assert_float_eq(exact.y, -0.64063, 1e-5, "%.6f", exact.y); // as tables have it
    double size[3], error[3];
    for (int k = 0; k < 3; ++k) {
        int32_t segments = 8 << k;
        HedSimDef def = static_def();
        HedYarnsDef yarn = spline_def();
        yarn.linear_density = 0.01;
        yarn.bend = 0.01 * 9.81 / 8.0;
        yarn.stretch = 1e5 * yarn.bend * 64.0; // strain of 1e-7: far below what is looked at
        Yarn beam = make_line(&def, yarn, segments, hed_vec3(1.0, 0.0, 0.0));
        hold(beam, 0, true);
        rig_step(beam.sim);
        size[k] = 1.0 / segments;
        error[k] = hed_distance3(vertex_of(beam, segments), exact);
        hed_sim_destroy(beam.sim);
    }
    double order = observed_order(size, error, 3);
    // h^4 times beta^2, which bounds the second derivative of the curvature: 6e-5.
    cr_expect(error[2] < 6.2e-5, "%.3g", error[2]);
    cr_expect(order > 3.0, "order %.2f, errors %.3g %.3g %.3g", order, error[0], error[1],
              error[2]);
}

// A force at the very end, P L^2/EI = 1 and 10 (Mattiasson 1981: elliptic integrals).
Test(splines, load_at_the_tip) {
    static const struct {
        double alpha;
        HedVec3 tip;
    } CASES[2] = {{1.0, {1.0 - 0.05643, -0.30172, 0.0}}, {10.0, {1.0 - 0.55500, -0.81061, 0.0}}};
    for (int k = 0; k < 2; ++k) {
        HedSimDef def = static_def();
        def.gravity = (HedVec3){0};
        def.force_tolerance = 1e-6;
        HedYarnsDef yarn = spline_def();
        yarn.bend = 1.0 / CASES[k].alpha;
        yarn.stretch = 1e6;
        Yarn beam = make_line(&def, yarn, 64, hed_vec3(1.0, 0.0, 0.0));
        hold(beam, 0, true);
        int32_t last = 64;
        HedLoadDef load = hed_load_def_default();
        load.yarns = beam.id;
        load.vertices = &last;
        load.vertex_count = 1;
        load.force = hed_vec3(0.0, -1.0, 0.0);
        HedError error = {0};
        cr_assert_eq(hed_load_create(beam.sim, &load, &error), HED_OK, "%s", error.message);
        rig_step(beam.sim);
        double off = hed_distance3(vertex_of(beam, last), CASES[k].tip);
        cr_expect(off < 2e-5, "alpha %g: %.3g", CASES[k].alpha, off); // the table has five digits
        hed_sim_destroy(beam.sim);
    }
}

// Hanging from one end a yarn is stretched by w (L s - s^2/2)/EA at s: a polynomial that cubics
// hold exactly, but that strain 1 % of it is not small against 1. At twice the modulus it is half.
Test(splines, hangs_straight_under_its_weight) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
        HedSimDef def = static_def();
        HedYarnsDef yarn = spline_def();
        double weight = yarn.linear_density * 9.81;
        yarn.stretch = (k ? 2000.0 : 1000.0) * weight;
        Yarn thread = make_line(&def, yarn, 6, hed_vec3(0.0, -1.0, 0.0));
        hold(thread, 0, false);
        rig_step(thread.sim);
        error[k] = 0.0;
        for (int32_t v = 0; v <= 6; ++v) {
            double s = v / 6.0;
            double expected = -s - weight * (s - 0.5 * s * s) / yarn.stretch;
            error[k] = fmax(error[k], fabs(vertex_of(thread, v).y - expected));
        }
        hed_sim_destroy(thread.sim);
    }
    // The solver stops at a thousandth of a point's weight: 1e-3/6 of 1e-3 of the length.
    cr_expect(error[0] < 2e-7 && error[1] < 2e-7, "%.3g %.3g", error[0], error[1]);
}

// A limp yarn of length 1 between points 0.8 apart: y = a cosh(x/a), 2 a sinh(0.4/a) = 1.
Test(splines, catenary) {
    double low = 0.1, high = 10.0;
    for (int k = 0; k < 100; ++k) {
        double a = 0.5 * (low + high);
        *(2.0 * a * sinh(0.4 / a) > 1.0 ? &low : &high) = a;
    }
    double sag = low * (cosh(0.4 / low) - 1.0);
    enum { N = 32 };
    HedVec3 points[N + 1];
    double wide = 0.8, arc[2] = {1e-3, 3.0}; // start: an arc of a circle of length 1
    for (int k = 0; k < 100; ++k) {
        double half = 0.5 * (arc[0] + arc[1]);
        arc[sin(half) / half > wide ? 0 : 1] = half;
    }
    double radius = 0.5 / arc[0];
    for (int k = 0; k <= N; ++k) {
        double at = arc[0] * (2.0 * k / N - 1.0);
        points[k] = hed_vec3(radius * sin(at), -radius * (cos(at) - cos(arc[0])), 0.0);
    }
    HedSimDef def = static_def();
    HedYarnsDef yarn = spline_def();
    yarn.stretch = 1e4 * yarn.linear_density * 9.81;
    yarn.bend = 1e-6 * yarn.linear_density * 9.81;
    Yarn rope = make_yarn(&def, yarn, points, N + 1, false);
    hold(rope, 0, false);
    hold(rope, N, false);
    rig_step(rope.sim);
    double drop = points[0].y - vertex_of(rope, N / 2).y;
    // Stretch of 1e-4 lengthens it by as much, and sag grows about twice as fast as length does.
    cr_expect_float_eq(drop, sag, 4e-4, "%.6f, not %.6f", drop, sag);
    hed_sim_destroy(rope.sim);
}

// A beam on two supports, in its first mode: a half wave of amplitude 1e-4. Returns the time of the
// first full period, and the height of the middle then.
static double first_period(HedSimDef def, HedYarnsDef yarn, int32_t segments, double* height) {
    HedVec3 points[MOST];
    for (int32_t k = 0; k <= segments; ++k) {
        double s = (double)k / segments;
        points[k] = hed_vec3(s, 1e-4 * sin(PI * s), 0.0);
    }
    def.gravity = (HedVec3){0};
    yarn.linear_density = 1e-3;
    yarn.bend = 1e-4;
    yarn.stretch = 1.0;
    yarn.damping = 0.0;
    Yarn beam = make_yarn(&def, yarn, points, segments + 1, false);
    hold(beam, 0, false);
    hold(beam, segments, false);
    double before = vertex_of(beam, segments / 2).y, speed = -1.0;
    bool is_rising = false;
    for (int k = 0; k < 10000; ++k) {
        rig_step(beam.sim);
        double now = vertex_of(beam, segments / 2).y;
        double rise = now - before;
        is_rising = is_rising || rise > 0.0;
        if (is_rising && rise < 0.0) { // between the middles of the last two steps
            double at = hed_sim_time(beam.sim) - def.time_step * (0.5 - rise / (rise - speed));
            *height = before;
            hed_sim_destroy(beam.sim);
            return at - def.time_step;
        }
        before = now;
        speed = rise;
    }
    cr_assert_fail("no period");
    return 0.0;
}

// omega = (pi/L)^2 sqrt(EI/m). Masses at control points slow it by (pi/n)^2/6, for what the curve
// does is the mean of its control points' motion, with a variance of a third of a segment; at the
// ends, where functions are narrower, by less. Consistent mass does not.
Test(splines, vibration_with_both_kinds_of_mass) {
    double exact = 2.0 / PI / sqrt(0.1);
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-3;
    HedYarnsDef yarn = spline_def();
    double height = 0.0;
    double lumped = first_period(def, yarn, 8, &height) / exact - 1.0;
    yarn.mass = HED_YARN_CONSISTENT;
    double full = first_period(def, yarn, 8, &height) / exact - 1.0;
    double theory = PI * PI / 64.0 / 6.0;
    cr_expect(lumped > 0.6 * theory && lumped < theory, "%.5f, not %.5f", lumped, theory);
    // (pi/8)^4 over a hundred: cubics are off by a 720th of it on an endless line, more at ends.
    cr_expect(fabs(full) < 2.4e-4, "%.5f", full);
}

// Damping of bending alone: the mode fades like exp(-beta omega^2 t/2), of rods as well.
Test(splines, bending_is_damped) {
    for (int run = 0; run < 3; ++run) {
        HedSimDef def = hed_sim_def_default();
        def.integrator = run == 2 ? HED_VERLET : HED_NEWMARK;
        def.time_step = 2e-3;
        def.newton_tolerance = 1e-9;
        HedYarnsDef yarn = spline_def();
        yarn.model = run ? HED_YARN_ROD : HED_YARN_SPLINE;
        yarn.bend_damping = 0.02;
        double height = 0.0;
        double period = first_period(def, yarn, 8, &height);
        double omega = 2.0 * PI / period;
        double expected = 1e-4 * exp(-0.5 * 0.02 * omega * omega * period);
        // The period is that of damped motion: (beta w/2)^2, 1e-3, of an exponent of 0.2; as much
        // again.
        cr_expect_float_eq(height, expected, 4e-4 * expected, "run %d: %.5g, not %.5g", run, height,
                           expected);
    }
}

static void helix(HedVec3* points, int32_t n) {
    for (int32_t k = 0; k < n; ++k) {
        points[k] = hed_vec3(0.01 * k, 0.02 * sin(0.6 * k), 0.02 * cos(0.5 * k));
    }
}

// A free yarn that is wound up keeps momentum and angular momentum, damped or not.
Test(splines, free_motion_keeps_momentum) {
    HedVec3 points[20];
    helix(points, 20);
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-4;
    HedYarnsDef yarn = spline_def();
    yarn.bend = 1e-6;
    yarn.stretch = 10.0;
    yarn.damping = 0.0;
    yarn.bend_damping = 1e-4;
    yarn.velocity = hed_vec3(0.1, 0.2, 0.3);
    Yarn coil = make_yarn(&def, yarn, points, 20, false);
    rig_prepare(coil.sim);
    Momentum before = rig_momentum(coil.sim);
    double bent = rig_potential(coil.sim, "bend");
    rig_run(coil.sim, 100);
    Momentum after = rig_momentum(coil.sim);
    double now = rig_potential(coil.sim, "bend");
    cr_expect(fabs(now / bent - 1.0) > 0.01, "%g from %g", now, bent); // something happened
    // Rounding in some 1e5 sums.
    double size = hed_norm3(before.linear);
    // 1e5 times 1e-16.
    cr_expect(hed_distance3(after.linear, before.linear) < 1e-11 * size);
    // The same, with levers of 0.2 m.
    cr_expect(hed_distance3(after.angular, before.angular) < 1e-11 * size * 0.2);
    hed_sim_destroy(coil.sim);
}

// A pendulum of a yarn that keeps its length.
Test(splines, inextensible) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-3;
    HedYarnsDef yarn = spline_def();
    yarn.stretch = 0.05; // a hundred times its weight would stretch it by a tenth, and does not
    yarn.damping = 0.0;
    yarn.inextensible = true;
    Yarn rope = make_line(&def, yarn, 10, hed_vec3(0.1, 0.0, 0.0));
    hold(rope, 0, false);
    rig_run(rope.sim, 200);
    HedMeasureDef measure = {.kind = HED_MEASURE_STRAIN, .yarns = rope.id};
    double strain[3];
    cr_assert_eq(hed_sim_measure(rope.sim, &measure, strain, NULL), HED_OK);
    cr_expect(strain[1] < 1e-5, "%g", strain[1]); // the projection's tolerance
    cr_expect(vertex_of(rope, 10).y < -0.05);
    hed_sim_destroy(rope.sim);
}

// Laid over a ball, the curve stays out of it, and friction keeps it there.
Test(splines, lies_on_a_ball) {
    static const HedIntegrator KINDS[2] = {HED_SYMPLECTIC_EULER, HED_IMPLICIT_EULER};
    for (int kind = 0; kind < 2; ++kind) {
        HedSimDef def = hed_sim_def_default();
        def.integrator = KINDS[kind];
        def.time_step = 1e-3;
        def.drag = 5.0;
        HedYarnsDef yarn = spline_def();
        yarn.radius = 1e-3;
        yarn.stretch = 10.0;
        yarn.damping = kind ? 1e-4 : 0.0;
        HedVec3 points[21];
        for (int k = 0; k <= 20; ++k) {
            points[k] = hed_vec3(-0.1 + 0.01 * k, 0.053, 0.002);
        }
        Yarn rope = make_yarn(&def, yarn, points, 21, false);
        HedBodyDef ball = hed_body_def_default();
        ball.radius = 0.05;
        ball.friction = 0.5;
        rig_body(rope.sim, &ball);
        rig_run(rope.sim, 500);
        HedVec3 x[21];
        hed_yarns_positions(rope.sim, rope.id, x);
        for (int k = 0; k <= 20; ++k) {
            // A penalty gives way by weight over stiffness: 5e-3 N/m over 6e3 N/m per m.
            cr_expect(hed_norm3(x[k]) > 0.051 - 2e-5, "%s: %d at %.6f",
                      hed_integrator_name(KINDS[kind]), k, hed_norm3(x[k]));
        }
        cr_expect(x[0].y < 0.0 && x[20].y < 0.0, "it hangs down on both sides");
        cr_expect(x[10].y > 0.0505);
        hed_sim_destroy(rope.sim);
    }
}

// Taken up in the middle, and on any number of threads: the same bits.
Test(splines, restart_and_threads) {
    static const HedIntegrator KINDS[] = {HED_SYMPLECTIC_EULER, HED_IMPLICIT_EULER, HED_NEWMARK,
                                          HED_SYMPLECTIC_EULER, HED_MIDPOINT};
    HedVec3 points[100];
    helix(points, 100);
    for (int kind = 0; kind < 5; ++kind) {
        uint64_t hash[4];
        uint8_t* bytes = NULL;
        for (int run = 0; run < 4; ++run) {
            HedSimDef def = hed_sim_def_default();
            def.integrator = KINDS[kind];
            def.time_step = kind < 4 ? 1e-3 : 1e-4;
            def.thread_count = run < 3 ? run + 1 : 1;
            HedYarnsDef yarn = spline_def();
            yarn.bend = 1e-6;
            yarn.stretch = 1.0;
            yarn.damping = 1e-6;
            yarn.inextensible = kind == 0;
            yarn.mass = kind == 3 ? HED_YARN_CONSISTENT : HED_YARN_LUMPED;
            Yarn coil = make_yarn(&def, yarn, points, 100, false);
            hold(coil, 0, true);
            hold(coil, 50, false);
            rig_prepare(coil.sim);
            if (run == 3) {
                rig_restore(coil.sim, bytes);
            } else {
                rig_run(coil.sim, 5);
            }
            if (run == 0) {
                bytes = rig_save(coil.sim);
            }
            rig_run(coil.sim, 5);
            hash[run] = rig_hash(coil.sim);
            hed_sim_destroy(coil.sim);
        }
        free(bytes);
        for (int run = 1; run < 4; ++run) {
            cr_expect_eq(hash[run], hash[0], "%s, run %d", hed_integrator_name(KINDS[kind]), run);
        }
    }
}

Test(splines, consistent_mass_is_refused_in_implicit_steps) {
    HedSimDef def = hed_sim_def_default();
    HedYarnsDef yarn = spline_def();
    yarn.mass = HED_YARN_CONSISTENT;
    Yarn line = make_line(&def, yarn, 4, hed_vec3(1.0, 0.0, 0.0));
    HedError error = {0};
    cr_expect_eq(hed_sim_prepare(line.sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "implicit-euler"), "%s", error.message);
    hed_sim_destroy(line.sim);
}

// A spline of one segment, held with its direction at one end, which starts to move across at once.
// By the consistent masses of Bernstein's polynomials, C(3,i) C(3,j) / (7 C(6,i+j)) of its mass,
// the free control points get -3/2 and 1/2 of that speed: 12 p + 10 q = -13, 10 p + 20 q = -5. What
// the holder puts in is what moves: energy is kept from the first step on.
Test(splines, consistent_mass_feels_what_holds_it) {
    static const HedIntegrator KINDS[] = {HED_SYMPLECTIC_EULER, HED_VERLET, HED_MIDPOINT, HED_RK4};
    const double h = 1e-6, speed = 0.01;
    for (int k = 0; k < 4; ++k) {
        HedSimDef def = hed_sim_def_default();
        def.gravity = (HedVec3){0};
        def.integrator = KINDS[k];
        def.time_step = h;
        HedSim* sim = rig_sim(&def);
        HedYarnsDef yarn = hed_yarns_def_default();
        yarn.model = HED_YARN_SPLINE;
        yarn.mass = HED_YARN_CONSISTENT;
        yarn.stretch = 1.0;
        yarn.damping = 0.0;
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = rig_yarn_line(sim, &yarn, (HedVec3){0}, hed_vec3(0.01, 0.0, 0.0), 2);
        pin.vertices = &(int32_t){0};
        pin.vertex_count = 1;
        pin.clamps = true;
        HedKeyframe keys[3] = {{.time = 0.0}, {.time = h}, {.time = 1.0, .pose.position.y = 0.0}};
        keys[2].pose.position.y = speed * (1.0 - h);
        for (int n = 0; n < 3; ++n) {
            keys[n].pose.rotation.w = 1.0;
        }
        pin.keyframes = keys;
        pin.keyframe_count = 3;
        rig_pin_def(sim, &pin);
        rig_run(sim, 2);
        HedVec3 v[2];
        hed_yarns_velocities(sim, pin.yarns, v);
        // Bending acts for two steps of a millionth of a second.
        cr_expect_float_eq(v[1].y, 0.5 * speed, 1e-3 * speed, "%d: %g", k, v[1].y / speed);
        HedEnergies now = hed_sim_energies(sim);
        cr_expect_gt(now.kinetic, 0.0);
        // As below: h w/2.
        cr_expect_float_eq(now.total, 0.0, 5e-4 * now.kinetic, "%d: %g of %g J", k, now.total,
                           now.kinetic);
        rig_run(sim, 2000);
        now = hed_sim_energies(sim);
        double off = KINDS[k] == HED_SYMPLECTIC_EULER ? 1e-3 : 1e-6;
        // Symplectic Euler is of first order: its energy swings by h w/2 of what vibrates, w some
        // 1e3/s. That of the others by the square.
        cr_expect_float_eq(now.total, 0.0, off * now.kinetic, "%d: %g of %g J", k, now.total,
                           now.kinetic);
        hed_sim_destroy(sim);
    }
}
