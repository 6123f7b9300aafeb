// SPDX-License-Identifier: MIT
// Glue between yarns, pins between the ends of splines, soft pins.
#include "base/alloc.h"
#include "heddle/scene.h"
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

enum { N = 13 }; // vertices of a yarn

static HedYarnsDef yarn_def(HedYarnModel model) {
    HedYarnsDef def = hed_yarns_def_default();
    def.model = model;
    def.stretch = 5.0;
    def.damping = 0.0;
    return def;
}

static HedVec3 vertex_of(const HedSim* sim, HedYarnsId id, int32_t vertex) {
    HedVec3 x[N];
    hed_yarns_positions(sim, id, x);
    return x[vertex];
}

static HedSimDef sim_def(HedIntegrator integrator) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = 1e-3;
    def.yarn_contact = false;
    return def;
}

static HedPinDef pin_def(HedYarnsId id, const int32_t* vertices, int32_t count) {
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = id;
    pin.vertices = vertices;
    pin.vertex_count = count;
    return pin;
}

static const HedIntegrator KINDS[3] = {HED_SYMPLECTIC_EULER, HED_IMPLICIT_EULER, HED_QUASI_STATIC};

// The second yarn hangs by its end on the middle of the first, which hangs by its ends.
Test(ties, glue_holds) {
    for (int run = 0; run < 6; ++run) {
        HedSimDef def = sim_def(KINDS[run / 2]);
        def.drag = 20.0;
        HedSim* sim = rig_sim(&def);
        HedYarnsDef yarn = yarn_def(run % 2 ? HED_YARN_SPLINE : HED_YARN_ROD);
        HedYarnsId a =
            rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, 0.0), hed_vec3(0.06, 0.0, 0.0), N);
        HedYarnsId b =
            rig_yarn_line(sim, &yarn, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.0, -0.12, 0.0), N);
        HedGlueDef glue = hed_glue_def_default();
        glue.yarns = a;
        glue.vertex = 6.0;
        glue.other = b;
        glue.distance = 0.0;
        HedError error = {0};
        cr_assert_eq(hed_glue_create(sim, &glue, &error), HED_OK, "%s", error.message);
        const int32_t ends[2] = {0, N - 1};
        HedPinDef pin = pin_def(a, ends, 2);
        HedPinId held = rig_pin_def(sim, &pin);
        rig_run(sim, run / 2 == 2 ? 1 : 700);
        double apart = hed_distance3(vertex_of(sim, a, 6), vertex_of(sim, b, 0));
        // Exact in explicit steps, for nothing comes after glue here. Implicit: the weight of b,
        // 5.9e-4 N, on a spring of a hundred segments, 5e4 N/m.
        cr_expect(apart < (run < 2 ? 1e-12 : 2e-8), "run %d: %.3g", run, apart);
        cr_expect(vertex_of(sim, b, N - 1).y < -0.115, "run %d", run);
        HedMeasureDef reaction = {.kind = HED_MEASURE_REACTION, .yarns = a, .pin = held};
        double force[3], weight = 2.0 * 0.12 * yarn.linear_density * 9.81;
        cr_assert_eq(hed_sim_measure(sim, &reaction, force, NULL), HED_OK);
        // At rest up to what drag has left.
        cr_expect_float_eq(force[1], weight, 0.02 * weight, "run %d: %g, not %g", run, force[1],
                           weight);
        hed_sim_destroy(sim);
    }
}

// Two free yarns, glued crosswise, that fly apart: momentum and angular momentum stay.
Test(ties, glue_keeps_momentum) {
    HedSimDef def = sim_def(HED_SYMPLECTIC_EULER);
    def.gravity = (HedVec3){0};
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = yarn_def(HED_YARN_SPLINE);
    yarn.velocity = hed_vec3(0.1, 0.5, 0.0);
    HedYarnsId a =
        rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, 0.003), hed_vec3(0.06, 0.0, 0.003), N);
    yarn.velocity = hed_vec3(0.0, -0.5, 0.2);
    yarn.model = HED_YARN_ROD;
    HedYarnsId b =
        rig_yarn_line(sim, &yarn, hed_vec3(0.004, 0.0, -0.06), hed_vec3(0.004, 0.0, 0.06), N);
    HedGlueDef glue = hed_glue_def_default();
    glue.yarns = a;
    glue.vertex = 6.4;
    glue.other = b;
    glue.other_vertex = 6.3;
    glue.distance = 0.0;
    cr_assert_eq(hed_glue_create(sim, &glue, NULL), HED_OK);
    rig_prepare(sim);
    Momentum before = rig_momentum(sim);
    rig_run(sim, 300);
    Momentum after = rig_momentum(sim);
    // Between the vertices of a straight piece; the curve is bent little there.
    HedVec3 on_a = hed_lerp3(vertex_of(sim, a, 6), vertex_of(sim, a, 7), 0.4);
    HedVec3 on_b = hed_lerp3(vertex_of(sim, b, 6), vertex_of(sim, b, 7), 0.3);
    // The curve bulges from a chord of 1 cm by h^2/8R: 6e-4 m at R = 2 cm, the tightest here.
    cr_expect(hed_distance3(on_a, on_b) < 6.3e-4, "%g", hed_distance3(on_a, on_b));
    // In 0.3 s it would fly 15 cm without glue; with it, its end moves by far more than rounding.
    cr_expect(hed_distance3(vertex_of(sim, a, 0), hed_vec3(-0.06, 0.0, 0.003)) > 1e-2);
    double size = before.mass * 0.5; // kg m/s; rounding in some 1e6 sums
    // Some 1e6 sums, each rounded by 1e-16, of which a tenth add up.
    cr_expect(hed_distance3(before.linear, after.linear) < 1e-11 * size);
    // The same, with levers of a tenth of a metre.
    cr_expect(hed_distance3(before.angular, after.angular) < 1e-11 * size * 0.1);
    hed_sim_destroy(sim);
}

// A spline that is held in its middle alone hangs down on both sides: the curve's point stays, and
// its direction is free.
Test(ties, pin_between_ends) {
    for (int kind = 0; kind < 2; ++kind) {
        HedSimDef def = sim_def(KINDS[kind]);
        def.drag = 5.0;
        HedSim* sim = rig_sim(&def);
        HedYarnsDef yarn = yarn_def(HED_YARN_SPLINE);
        yarn.bend = 1e-6;
        HedYarnsId id =
            rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, 0.0), hed_vec3(0.06, 0.0, 0.0), N);
        int32_t vertex = 4;
        HedPinDef pin = pin_def(id, &vertex, 1);
        rig_pin_def(sim, &pin);
        HedVec3 start = vertex_of(sim, id, 4);
        rig_run(sim, 300);
        // Exactly in explicit steps; in implicit ones weight gives way by 6e-4 N over 5e4 N/m.
        double off = hed_distance3(vertex_of(sim, id, 4), start);
        // As above: 1.2e-8 m, twice that while it swings; places of 6 cm are rounded by 7e-18 m in
        // each of 300 steps.
        cr_expect(off < (kind ? 2.4e-8 : 3e-15), "%g", off);
        // The longer side pulls the shorter one up.
        cr_expect(vertex_of(sim, id, 12).y < -0.03 && vertex_of(sim, id, 0).y > 0.0);
        hed_sim_destroy(sim);
    }
}

// A row of vertices, each fourth held and springs between, is carried along by a moving pin; let
// go, everything falls.
Test(ties, soft_between_hard) {
    static const HedKeyframe KEYS[2] = {{0.0, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}},
                                        {0.2, {{0.0, 0.002, 0.0}, {1.0, 0.0, 0.0, 0.0}}}};
    for (int run = 0; run < 4; ++run) {
        HedSimDef def = sim_def(KINDS[run / 2]);
        HedSim* sim = rig_sim(&def);
        HedYarnsDef yarn = yarn_def(run % 2 ? HED_YARN_SPLINE : HED_YARN_ROD);
        HedYarnsId id =
            rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, 0.0), hed_vec3(0.06, 0.0, 0.0), N);
        int32_t vertices[N];
        for (int k = 0; k < N; ++k) {
            vertices[k] = k;
        }
        HedPinDef pin = pin_def(id, vertices, N);
        pin.every = 4;
        pin.soft_stiffness = 1.0;
        pin.keyframes = KEYS;
        pin.keyframe_count = 2;
        pin.release_time = 0.25;
        rig_pin_def(sim, &pin);
        rig_run(sim, 240);
        for (int k = 0; k < N; ++k) {
            double y = vertex_of(sim, id, k).y;
            // Weight of a vertex, 5e-5 N, on a spring of 1 N/m, twice while it swings, and the way
            // that the start at 1 cm/s makes it swing, 2e-5 m; hard ones as above.
            double give = k % 4 == 0 ? 2e-7 : 1.5e-4;
            cr_expect(fabs(y - 0.002) < give, "run %d, vertex %d: %g", run, k, y - 0.002);
        }
        rig_run(sim, 110);
        double fall = 0.5 * 9.81 * 0.1 * 0.1;
        // Let go a step late, g t h = 1e-3 m, half as much by the method, and swinging at 9e-3 m/s.
        cr_expect_float_eq(vertex_of(sim, id, 6).y, 0.002 - fall, 0.05 * fall);
        hed_sim_destroy(sim);
    }
}

// Same bits for one, two and three threads.
Test(ties, threads) {
    uint64_t hash[3];
    for (int run = 0; run < 3; ++run) {
        HedSimDef def = sim_def(HED_IMPLICIT_EULER);
        def.thread_count = run + 1;
        HedSim* sim = rig_sim(&def);
        HedYarnsDef yarn = yarn_def(HED_YARN_SPLINE);
        HedYarnsId a =
            rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, 0.0), hed_vec3(0.06, 0.0, 0.0), N);
        HedYarnsId b =
            rig_yarn_line(sim, &yarn, hed_vec3(0.0, 0.0, -0.06), hed_vec3(0.0, 0.0, 0.06), N);
        HedGlueDef glue = hed_glue_def_default();
        glue.yarns = a;
        glue.vertex = 6.0;
        glue.other = b;
        glue.other_vertex = 6.0;
        cr_assert_eq(hed_glue_create(sim, &glue, NULL), HED_OK);
        // So many that threads share them.
        for (int k = 1; k <= 120; ++k) {
            double z = 0.1 + 0.01 * k;
            rig_yarn_line(sim, &yarn, hed_vec3(-0.06, 0.0, z), hed_vec3(0.06, 0.0, z), N);
        }
        int32_t vertex = 3;
        HedPinDef pin = pin_def(a, &vertex, 1);
        rig_pin_def(sim, &pin);
        rig_run(sim, 5);
        hash[run] = rig_hash(sim);
        hed_sim_destroy(sim);
    }
    cr_expect(hash[1] == hash[0] && hash[2] == hash[0]);
}

Test(ties, bad_input) {
    HedSimDef def = sim_def(HED_XPBD);
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = yarn_def(HED_YARN_SPLINE);
    HedYarnsId id = rig_yarn_line(sim, &yarn, hed_vec3(0, 0, 0), hed_vec3(1, 0, 0), N);
    static const struct {
        double vertex, other, distance;
        const char* message;
    } CASES[] = {
        {-1.0, 0.0, 0.0, "there is no vertex -1"},  {13.0, 0.0, 0.0, "there is no vertex 13"},
        {12.5, 0.0, 0.0, "behind the last vertex"}, {NAN, 0.0, 0.0, "there is no vertex nan"},
        {3.0, 3.0, 0.0, "glued to itself"},         {3.0, 4.0, -1.0, "'distance' must be"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        HedGlueDef glue = hed_glue_def_default();
        HedError error = {0};
        glue.yarns = glue.other = id;
        glue.vertex = CASES[k].vertex;
        glue.other_vertex = CASES[k].other;
        glue.distance = CASES[k].distance;
        cr_expect_eq(hed_glue_create(sim, &glue, &error), HED_INVALID, "%s", CASES[k].message);
        cr_expect(strstr(error.message, CASES[k].message), "%s", error.message);
        cr_expect(strstr(error.message, "glue 'glue'"), "%s", error.message);
    }
    int32_t vertex = 5;
    HedPinDef pin = pin_def(id, &vertex, 1);
    HedPinId held;
    HedError error = {0};
    pin.every = 0;
    cr_expect_eq(hed_pin_create(sim, &pin, &held, &error), HED_INVALID);
    cr_expect(strstr(error.message, "'every' must be"), "%s", error.message);
    pin.every = 1;
    cr_expect_eq(hed_pin_create(sim, &pin, &held, &error), HED_OK);
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID); // yarns have no position-based steps
    hed_sim_destroy(sim);
}

static const char SCENE[] = "heddle: 1\n"
                            "world: {yarn_contact: false}\n"
                            "yarns:\n"
                            "  - {name: a, model: spline, line: {to: [1, 0, 0], segments: 8}}\n"
                            "  - {name: b, line: {from: [1, 0, 0], to: [2, 0, 0], segments: 8}}\n"
                            "pins: [{yarns: a, where: all, every: 3, soft_stiffness: 2 N/m}]\n"
                            "glue:\n"
                            "  - {yarns: a, vertex: 8, other: b, other_vertex: 0.5}\n"
                            "  - {yarns: b, vertex: 3, other_vertex: 7, distance: 1 cm}\n";

static HedStatus build(const char* text, HedError* error) {
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    HedStatus status =
        hed_scene_parse(text, strlen(text), "test.yaml", ".", NULL, 0, &scene, error);
    status = status == HED_OK ? hed_scene_build(scene, 1, &sim, error) : status;
    status = status == HED_OK ? hed_sim_prepare(sim, error) : status;
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    return status;
}

Test(ties, in_scenes) {
    HedError error = {0};
    cr_assert_eq(build(SCENE, &error), HED_OK, "%s", error.message);
    static const char BAD[] = "heddle: 1\nyarns: [{line: {to: [1, 0, 0]}}]\n"
                              "glue: [{vertex: 3, other_vertex: 65}]\n";
    cr_assert_neq(build(BAD, &error), HED_OK);
    cr_expect(strstr(error.message, "test.yaml:3") && strstr(error.message, "no vertex 65"), "%s",
              error.message);
}

Test(ties, no_memory) {
    HedStatus status = HED_NO_MEMORY;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t k = 0; status != HED_OK && k < 3000; ++k) {
        hed_alloc_fail_at(k + 1);
        status = build(SCENE, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_expect_eq(status, HED_OK);
}
