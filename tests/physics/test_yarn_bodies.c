// SPDX-License-Identifier: MIT
// Yarns on bodies in explicit steps: rods and splines, moved out by the filter or pushed by a
// force.
#include "geom/field.h"
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>

enum { N = 13 };

static const double RADIUS = 1e-3;

static HedYarnsDef yarn_def(HedYarnModel model) {
    HedYarnsDef def = hed_yarns_def_default();
    def.model = model;
    def.radius = RADIUS;
    def.stretch = 0.5;
    def.damping = 0.0;
    return def;
}

// On a slope of 30 degrees a yarn that lies across slides with g (sin - mu cos), or stays.
static double speed_after(HedYarnModel model, HedResponse response, double friction, double time) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = hed_vec3(9.81 * 0.5, -9.81 * sqrt(0.75), 0.0);
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-3;
    HedSim* sim = rig_sim(&def);
    // As deep as its weight presses it, so that it does not bounce: rho g cos/(2 r k).
    double depth = 5e-4 * 9.81 * sqrt(0.75) / (2.0 * RADIUS * 3e6);
    double y = RADIUS - (response == HED_RESPONSE_PENALTY ? depth : 0.0);
    HedYarnsDef yarn = yarn_def(model);
    HedYarnsId id = rig_yarn_line(sim, &yarn, hed_vec3(0.0, y, -0.06), hed_vec3(0.0, y, 0.06), N);
    HedBodyDef plane = hed_body_def_default();
    plane.shape = HED_PLANE;
    plane.friction = friction;
    plane.response = response;
    rig_body(sim, &plane);
    rig_run(sim, (int64_t)(time / def.time_step + 0.5));
    HedVec3 v[N];
    hed_yarns_velocities(sim, id, v);
    hed_sim_destroy(sim);
    return v[N / 2].x;
}

Test(yarn_bodies, friction_on_a_slope) {
    for (int run = 0; run < 4; ++run) {
        HedYarnModel model = run % 2 ? HED_YARN_SPLINE : HED_YARN_ROD;
        HedResponse response = run / 2 ? HED_RESPONSE_PENALTY : HED_RESPONSE_FILTER;
        double slides = speed_after(model, response, 0.3, 0.1);
        double expected = 9.81 * (0.5 - 0.3 * sqrt(0.75)) * 0.1;
        // The ends stand for less length than their contacts do, and rub a little more.
        cr_expect_float_eq(slides, expected, 0.02 * expected, "run %d: %g, not %g", run, slides,
                           expected);
        double stays = speed_after(model, response, 0.7, 0.1);
        // By penalty friction is viscous below 1 mm/s, and a fifth of that is left; the filter
        // stops it.
        cr_expect(fabs(stays) < 1e-3 * expected, "run %d: %g", run, stays);
    }
}

// Every kind of body keeps both kinds of yarn out.
Test(yarn_bodies, every_shape) {
    static const HedShape SHAPES[] = {HED_PLANE,   HED_SPHERE,   HED_BOX,
                                      HED_CAPSULE, HED_CYLINDER, HED_TORUS};
    for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; ++s) {
        for (int run = 0; run < 4; ++run) {
            HedSimDef def = hed_sim_def_default();
            def.integrator = HED_SYMPLECTIC_EULER;
            def.time_step = 1e-3;
            def.drag = 5.0;
            HedSim* sim = rig_sim(&def);
            HedYarnsDef yarn = yarn_def(run % 2 ? HED_YARN_SPLINE : HED_YARN_ROD);
            HedYarnsId id = rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.045, 0.0),
                                          hed_vec3(0.06, 0.045, 0.002), N);
            HedBodyDef body = hed_body_def_default();
            body.shape = SHAPES[s];
            body.radius = 0.03;
            body.minor_radius = 0.01;
            body.half_length = 0.01;
            body.half_size = hed_vec3(0.03, 0.03, 0.03);
            body.response = run / 2 ? HED_RESPONSE_PENALTY : HED_RESPONSE_FILTER;
            body.damping = 1e-4;
            rig_body(sim, &body);
            rig_run(sim, 250);
            HedFieldDef shape = {.shape = body.shape,
                                 .radius = body.radius,
                                 .minor_radius = body.minor_radius,
                                 .half_length = body.half_length,
                                 .half_size = body.half_size};
            HedField field;
            cr_assert_eq(hed_field_create(&shape, &field, NULL), HED_OK);
            HedVec3 x[N];
            hed_yarns_positions(sim, id, x);
            double nearest = HUGE_VAL;
            for (int k = 0; k < N; ++k) {
                nearest = fmin(nearest, hed_field_sample(&field, x[k]).distance);
            }
            // By penalty, a yarn of 5e-4 kg/m lies 1e-6 deep, and ten times that at an edge.
            cr_expect(nearest > RADIUS - 5e-5, "shape %d, run %d: %g", (int)SHAPES[s], run,
                      nearest);
            // A segment touches between its ends, which are h^2/8R off: 4.0e-4 m for 1 cm on 3.1
            // cm.
            cr_expect(nearest < RADIUS + 4.1e-4, "shape %d, run %d: it lies on it, %g",
                      (int)SHAPES[s], run, nearest);
            hed_field_free(&field);
            hed_sim_destroy(sim);
        }
    }
}

// A yarn that falls flat on a body without friction or damping bounces: all energy comes back.
Test(yarn_bodies, penalty_keeps_energy) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_VERLET;
    def.time_step = 1e-4;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = yarn_def(HED_YARN_SPLINE);
    rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.003, 0.0), hed_vec3(0.06, 0.003, 0.0), N);
    HedBodyDef plane = hed_body_def_default();
    plane.shape = HED_PLANE;
    plane.friction = 0.0;
    plane.response = HED_RESPONSE_PENALTY;
    rig_body(sim, &plane);
    rig_prepare(sim);
    double before = hed_sim_energies(sim).total;
    double fall = 5e-4 * 0.12 * 9.81 * 0.002; // J, in play
    for (int k = 0; k < 1000; ++k) {
        rig_step(sim);
        double off = fabs(hed_sim_energies(sim).total - before) / fall;
        cr_assert(off < 0.01, "step %d: %g", k, off);
    }
    hed_sim_destroy(sim);
}

// A ring that nothing holds, above a ball and a floor that it starts far away from: at rest it lies
// flat on the floor around the ball, as deep in it as its weight presses.
Test(yarn_bodies, what_nothing_holds_falls_until_it_lies) {
    enum { RING = 32 };
    static const double RADII[] = {5e-5, 5e-3};
    for (int k = 0; k < 2; ++k) {
        double r = RADII[k];
        double area = 3.14159265358979 * r * r;
        HedSimDef def = hed_sim_def_default();
        def.integrator = HED_QUASI_STATIC;
        def.time_step = 0.01;
        def.thread_count = 1;
        HedSim* sim = rig_sim(&def);
        HedBodyDef ball = hed_body_def_default();
        ball.shape = HED_SPHERE;
        ball.radius = 10.0 * r;
        rig_body(sim, &ball);
        HedBodyDef floor = hed_body_def_default();
        floor.shape = HED_PLANE;
        HedKeyframe below = {.pose = {hed_vec3(0.0, -12.0 * r, 0.0), {.w = 1.0}}};
        floor.keyframes = &below;
        floor.keyframe_count = 1;
        rig_body(sim, &floor);
        HedVec3 x[RING];
        HedCurve curve = {.count = RING, .is_closed = true, .color = HED_COLOR_NONE};
        for (int i = 0; i < RING; ++i) {
            double t = 2.0 * 3.14159265358979 * i / RING;
            x[i] =
                hed_vec3((15.0 + 20.0 * cos(t)) * r, (12.7 + 1.5 * sin(t)) * r, 20.0 * r * sin(t));
        }
        HedYarnsDef yarn = hed_yarns_def_default();
        yarn.vertices = x;
        yarn.vertex_count = RING;
        yarn.curves = &curve;
        yarn.curve_count = 1;
        yarn.radius = r;
        yarn.linear_density = 1200.0 * area;
        yarn.stretch = 1e6 * area;
        yarn.bend = yarn.twist = 0.25e6 * area * r * r;
        HedYarnsId id;
        cr_assert_eq(hed_yarns_create(sim, &yarn, &id, NULL), HED_OK);
        HedStepReport report = rig_step(sim);
        cr_expect_eq(report.substeps, 1, "%s", report.trouble);
        hed_yarns_positions(sim, id, x);
        // Weight per length over the stiffness of 2 r of width.
        double depth = yarn.linear_density * 9.81 / (2.0 * r * floor.stiffness);
        for (int i = 0; i < RING; ++i) {
            // At rest a thousandth of a point's weight may be left.
            cr_expect_float_eq(x[i].y, -11.0 * r - depth, 1e-3 * depth, "%d: %g r", i, x[i].y / r);
        }
        hed_sim_destroy(sim);
    }
}
