// SPDX-License-Identifier: MIT
// Pins: what is refused, which points they hold when. Their motion is tested in physics.
#include "math/quat.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

typedef struct Scene {
    HedSim* sim;
    HedSheetId sheet;
    HedSheetId other;
} Scene;

static Scene make_scene(void) {
    Mesh mesh = mesh_grid(4, 4, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_XPBD;
    HedSheetDef sheet = mesh_sheet(&mesh);
    Scene scene = {.sim = rig_sim(&def)};
    scene.sheet = rig_sheet(scene.sim, &sheet);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        mesh.vertices[k].x += 1.0;
    }
    scene.other = rig_sheet(scene.sim, &sheet);
    mesh_free(&mesh);
    return scene;
}

static HedPinDef pin_of(const Scene* scene, const int32_t* vertices, int32_t count) {
    HedPinDef def = hed_pin_def_default();
    def.sheet = scene->sheet;
    def.vertices = vertices;
    def.vertex_count = count;
    return def;
}

static void expect_refused(const Scene* scene, HedPinDef def, const char* words) {
    HedError error = {0};
    HedPinId id = {0};
    HedAllocStats before = hed_alloc_stats();
    cr_expect_eq(hed_pin_create(scene->sim, &def, &id, &error), HED_INVALID, "%s", words);
    cr_expect(strstr(error.message, words), "'%s' is not in '%s'", words, error.message);
    cr_expect_eq(hed_alloc_stats().live_count, before.live_count);
    cr_expect_eq(id.index, 0);
}

Test(pins, bad_defs_are_refused) {
    Scene scene = make_scene();
    int32_t vertices[3] = {0, 3, 15};
    HedPinDef good = pin_of(&scene, vertices, 3);
    HedPinDef def = good;
    def.stamp = 0;
    expect_refused(&scene, def, "default");
    def = good;
    def.vertex_count = 0;
    expect_refused(&scene, def, "no vertex");
    def.vertex_count = -1;
    expect_refused(&scene, def, "no vertex");
    def = good;
    def.vertices = NULL;
    expect_refused(&scene, def, "no vertex");
    def = good;
    def.release_time = NAN;
    expect_refused(&scene, def, "release");
    def.release_time = -1.0;
    expect_refused(&scene, def, "release");
    def = good;
    def.pivot.z = INFINITY;
    expect_refused(&scene, def, "pivot");
    def = good;
    def.sheet.index = 3;
    expect_refused(&scene, def, "sheet");
    def.sheet = (HedSheetId){0};
    expect_refused(&scene, def, "sheet");
    def.sheet = (HedSheetId){1, scene.sheet.stamp + 2};
    expect_refused(&scene, def, "sheet");
    vertices[1] = 16;
    expect_refused(&scene, good, "vertex 16");
    vertices[1] = -1;
    expect_refused(&scene, good, "vertex -1");
    vertices[1] = 15;
    expect_refused(&scene, good, "15 twice");
    vertices[1] = 3;
    def = good;
    def.name = NULL;
    def.release_time = NAN;
    expect_refused(&scene, def, "pin");
    HedKeyframe keys[2] = {{1.0, {ZERO, hed_quat_identity()}}, {1.0, {ZERO, hed_quat_identity()}}};
    def = good;
    def.keyframes = keys;
    def.keyframe_count = 2;
    expect_refused(&scene, def, "keyframe");
    keys[1].time = NAN;
    expect_refused(&scene, def, "keyframe");
    def.keyframes = NULL;
    expect_refused(&scene, def, "keyframe");
    def = good;
    def.keyframe_count = -1;
    expect_refused(&scene, def, "keyframe");
    rig_prepare(scene.sim);
    expect_refused(&scene, good, "after the first step");
    hed_sim_destroy(scene.sim);
}

Test(pins, held_points_and_release) {
    Scene scene = make_scene();
    const int32_t one[2] = {0, 3};
    const int32_t two[2] = {3, 5};
    HedPinDef def = pin_of(&scene, one, 2);
    HedPinId first = rig_pin_def(scene.sim, &def);
    def = pin_of(&scene, two, 2);
    def.release_time = 0.01; // three steps of 1/300 s
    HedPinId second = rig_pin_def(scene.sim, &def);
    cr_expect(first.index == 1 && second.index == 2 && first.stamp == scene.sheet.stamp);
    rig_prepare(scene.sim);
    cr_expect_eq(hed_sim_size(scene.sim).held_points, 3, "vertex 3 counts once");
    rig_run(scene.sim, 3);
    cr_expect_eq(hed_norm3(rig_velocity(scene.sim, scene.sheet, 5)), 0.0, "held for three steps");
    rig_run(scene.sim, 1);
    cr_expect_eq(hed_sim_size(scene.sim).held_points, 2, "vertex 3 stays with the first pin");
    cr_expect(hed_norm3(rig_velocity(scene.sim, scene.sheet, 5)) > 0.0);
    cr_expect_eq(hed_norm3(rig_velocity(scene.sim, scene.sheet, 3)), 0.0);
    cr_expect_eq(hed_norm3(rig_reaction(scene.sim, scene.sheet, second)), 0.0, "let go of");
    cr_expect(hed_norm3(rig_velocity(scene.sim, scene.other, 3)) > 0.0, "the other sheet falls");
    hed_sim_destroy(scene.sim);
}

// Released at time zero it never holds; let go of between two steps it holds to the next one.
Test(pins, release_times_at_the_limits) {
    const double release[3] = {0.0, 0.5 / 300.0, 1.0 / 300.0};
    const int32_t held_steps[3] = {0, 1, 1};
    for (int k = 0; k < 3; ++k) {
        Scene scene = make_scene();
        const int32_t vertex = 0;
        HedPinDef def = pin_of(&scene, &vertex, 1);
        def.release_time = release[k];
        rig_pin_def(scene.sim, &def);
        int32_t held = 0;
        for (int step = 0; step < 3; ++step) {
            rig_step(scene.sim);
            held += hed_norm3(rig_velocity(scene.sim, scene.sheet, 0)) == 0.0;
        }
        cr_expect_eq(held, held_steps[k], "release at %g s: held %d", release[k], held);
        hed_sim_destroy(scene.sim);
    }
}
