// SPDX-License-Identifier: MIT
// Forces on vertices: what they do, and what is refused.
#include "base/alloc.h"
#include "heddle/scene.h"
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: a sum over a hundred steps.
static const double ROUNDING = 1e-13;

// A spring of 1 m held at its first end: two points.
static HedSim* make_yarn(HedYarnsId* id) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 1.0;
    def.force_tolerance = 1e-10;
    HedSim* sim = rig_sim(&def);
    const HedVec3 x[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    HedCurve curve = {.count = 2, .color = HED_COLOR_NONE};
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.stretch = 50.0;
    yarn.vertices = x;
    yarn.vertex_count = 2;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    cr_assert_eq(hed_yarns_create(sim, &yarn, id, NULL), HED_OK);
    int32_t first = 0;
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = *id;
    pin.vertices = &first;
    pin.vertex_count = 1;
    rig_pin_def(sim, &pin);
    return sim;
}

static HedLoadDef load_on(HedYarnsId id, const int32_t* vertex, HedVec3 force) {
    HedLoadDef def = hed_load_def_default();
    def.yarns = id;
    def.vertices = vertex;
    def.vertex_count = 1;
    def.force = force;
    return def;
}

// Two loads on one vertex add up: strain 5 N / 50 N, energy of the load -5 N x 1.1 m.
Test(loads, stretch_a_spring) {
    HedYarnsId id;
    HedSim* sim = make_yarn(&id);
    int32_t tip = 1;
    HedLoadDef load = load_on(id, &tip, hed_vec3(3.0, 0.0, 0.0));
    cr_assert_eq(hed_load_create(sim, &load, NULL), HED_OK);
    load.force.x = 2.0;
    cr_assert_eq(hed_load_create(sim, &load, NULL), HED_OK);
    rig_step(sim);
    HedVec3 x[2];
    hed_yarns_positions(sim, id, x);
    // A linear spring: one correction, to rounding.
    cr_expect_float_eq(x[1].x, 1.1, 1e-13, "%.12g", x[1].x);
    // The same.
    cr_expect_float_eq(rig_potential(sim, "load"), -5.0 * 1.1, 1e-13);
    // The same.
    cr_expect_float_eq(rig_potential(sim, "stretch"), 0.5 * 50.0 * 0.01, 1e-13);
    hed_sim_destroy(sim);
}

// A force on each of three equal points moves them together: v = 3 F t / m.
Test(loads, accelerate_in_explicit_steps) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-4;
    HedSim* sim = rig_sim(&def);
    Mesh mesh = mesh_triangle(1.0);
    HedSheetDef sheet = mesh_sheet(&mesh);
    HedLoadDef load = hed_load_def_default();
    load.sheet = rig_sheet(sim, &sheet);
    const int32_t all[3] = {0, 1, 2};
    load.vertices = all;
    load.vertex_count = 3;
    load.force = hed_vec3(0.0, 0.0, 0.01);
    cr_assert_eq(hed_load_create(sim, &load, NULL), HED_OK);
    rig_run(sim, 100);
    double mass = rig_momentum(sim).mass;
    double speed = rig_velocity(sim, load.sheet, 0).z;
    cr_expect_float_eq(speed, 0.03 / mass * 0.01, ROUNDING * speed);
    mesh_free(&mesh);
    hed_sim_destroy(sim);
}

static void refuse(HedSim* sim, HedLoadDef def, const char* words) {
    HedError error = {0};
    cr_expect_eq(hed_load_create(sim, &def, &error), HED_INVALID);
    cr_expect(strstr(error.message, words), "%s", error.message);
}

Test(loads, refusals) {
    HedYarnsId id;
    HedSim* sim = make_yarn(&id);
    int32_t tip = 1, beyond = 2;
    HedLoadDef good = load_on(id, &tip, hed_vec3(1.0, 0.0, 0.0));
    HedLoadDef bad = good;
    bad.stamp = 0;
    refuse(sim, bad, "hed_load_def_default");
    bad = good;
    bad.vertex_count = 0;
    refuse(sim, bad, "no vertex");
    refuse(sim, load_on(id, &beyond, good.force), "vertex 2 does not exist");
    refuse(sim, load_on(id, &tip, hed_vec3(HUGE_VAL, 0.0, 0.0)), "must be finite");
    bad = good;
    bad.yarns = (HedYarnsId){0};
    refuse(sim, bad, "");
    rig_step(sim);
    refuse(sim, good, "after the first step");
    hed_sim_destroy(sim);
}

Test(loads, no_memory) {
    HedYarnsId id;
    HedSim* sim = make_yarn(&id);
    int32_t tip = 1;
    HedLoadDef load = load_on(id, &tip, hed_vec3(1.0, 0.0, 0.0));
    hed_alloc_fail_at(1);
    cr_expect_eq(hed_load_create(sim, &load, NULL), HED_NO_MEMORY);
    hed_alloc_fail_at(0);
    cr_expect_eq(hed_load_create(sim, &load, NULL), HED_OK);
    hed_sim_destroy(sim);
}

#define YARN                                                                                       \
    "heddle: 1\nworld: {gravity: [0, 0, 0]}\nstep: {integrator: quasi-static, size: 1 s}\n"        \
    "yarns: [{name: a, line: {to: [1, 0, 0], segments: 4}, stretch: 10}]\n"                        \
    "pins: [{where: start}]\n"

static HedStatus parse(const char* text, HedScene** scene, HedError* error) {
    return hed_scene_parse(text, strlen(text), "s.yaml", NULL, NULL, 0, scene, error);
}

Test(loads, in_scenes) {
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(parse(YARN "loads: [{where: end, force: [1 N, 0, 0]}]\n", &scene, &error), HED_OK,
                 "%s", error.message);
    cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
    rig_step(sim);
    HedVec3 x[5];
    hed_yarns_positions(sim, hed_sim_yarns(sim, 0), x);
    // A thousandth of the force at the pin may stay unbalanced: 1e-4 of 10 N.
    cr_expect_float_eq(x[4].x, 1.1, 2e-4, "%.9g", x[4].x);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    static const char* const BAD[][2] = {
        {YARN "loads: [{where: end}]\n", "'force' is missing"},
        {YARN "loads: [{force: [1, 0, 0]}]\n", "load 'load0' acts on no vertex of yarns 'a'"},
        {YARN "loads: [{where: end, force: [1 m, 0, 0]}]\n", "force"},
        {YARN "loads: [{vertices: [7], force: [1, 0, 0]}]\n", "there is no vertex 7"},
    };
    for (size_t k = 0; k < sizeof BAD / sizeof BAD[0]; ++k) {
        cr_expect_neq(parse(BAD[k][0], &scene, &error), HED_OK);
        cr_expect(strstr(error.message, BAD[k][1]), "%s", error.message);
    }
}
