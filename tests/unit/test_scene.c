// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "math/quat.h"
#include "scene/scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CLOTH                                                                                      \
    "heddle: 1\n"                                                                                  \
    "sheets:\n"                                                                                    \
    "  - name: cloth\n"                                                                            \
    "    grid: {size: [1, 1], points: [3, 4]}\n"

static HedStatus parse(const char* text, HedScene** scene, HedError* error) {
    return hed_scene_parse(text, strlen(text), "s.yaml", NULL, NULL, 0, scene, error);
}

static HedScene* must_parse(const char* text) {
    HedScene* scene = NULL;
    HedError error;
    cr_assert_eq(parse(text, &scene, &error), HED_OK, "%s", error.message);
    return scene;
}

static void refuse(const char* text, const char* message) {
    HedScene* scene = NULL;
    HedError error = {0};
    HedStatus status = parse(text, &scene, &error);
    cr_expect_neq(status, HED_OK, "taken:\n%s", text);
    cr_expect_null(scene);
    cr_expect_eq(strncmp(error.message, message, strlen(message)), 0,
                 "%s\n  got      %s\n  expected %s", text, error.message, message);
}

Test(scene, defaults_are_those_of_the_library) {
    HedScene* scene = must_parse(CLOTH "bodies: [{shape: plane}]\npins: [{where: top}]\nwind: {}\n"
                                       "measure: [{kind: area}]\n");
    const HedSceneData* data = &scene->data;
    HedSimDef sim = hed_sim_def_default();
    cr_expect_eq(data->sim.time_step, sim.time_step);
    cr_expect_eq(data->sim.integrator, sim.integrator);
    cr_expect_eq(data->sim.gravity.y, sim.gravity.y);
    cr_expect_eq(data->sim.stamp, sim.stamp);
    HedSheetDef sheet = hed_sheet_def_default();
    cr_expect_eq(HED_SHEETS(data)[0].def.density, sheet.density);
    cr_expect_eq(HED_SHEETS(data)[0].def.bending, sheet.bending);
    cr_expect_eq(HED_BODIES(data)[0].def.friction, hed_body_def_default().friction);
    cr_expect_eq(HED_PINS(data)[0].def.release_time, hed_pin_def_default().release_time);
    cr_expect_eq(data->wind.def.density, hed_wind_def_default().density);
    cr_expect_str_eq(HED_BODIES(data)[0].def.name, "body0");
    cr_expect_str_eq(HED_PINS(data)[0].def.name, "pin0");
    cr_expect_str_eq(hed_scene_measure_name(scene, 0), "measure0");
    cr_expect_str_eq(hed_scene_name(scene), "s");
    cr_expect_eq(hed_scene_duration(scene), 1.0);
    cr_expect_str_eq(hed_scene_notes(scene), "");
    hed_scene_destroy(scene);
    hed_scene_destroy(NULL);
}

#define NET                                                                                        \
    "heddle: 1\nyarns:\n  - name: a\n    model: sliding\n"                                         \
    "    weave: {pattern: plain, ends: 6, picks: 6, sett: [10 1/cm, 10 1/cm], warp: 30 tex, "      \
    "weft: "                                                                                       \
    "30 tex}\n"                                                                                    \
    "    sliding: "

// Older names of keys give the scene that today's names give, and a note; an override wins.
Test(scene, older_names_are_read) {
    HedScene* old = must_parse(NET "{crowd: 4, hold: 0.25, set: 0.5, press: 1 mN, slack: 0.1}\n");
    HedScene* now = must_parse(NET "{jam_stiffness: 4, clasp_stiffness: 0.25, set_fraction: 0.5, "
                                   "crossing_preload: 1 mN, compression_ratio: 0.1}\n");
    cr_assert_str_eq(hed_scene_text(old), hed_scene_text(now));
    cr_assert(strstr(hed_scene_notes(old), "'crowd' is called 'jam_stiffness' now\n"));
    cr_assert_not(strstr(hed_scene_notes(now), "is called"));
    hed_scene_destroy(old);
    hed_scene_destroy(now);
    refuse(
        NET "{press: 1 mN, crossing_preload: 2 mN}\n",
        "s.yaml:6:15: error: 'press' is an older name of 'crossing_preload', which is there, too");
}

Test(scene, whole_file) {
    refuse("", "s.yaml:1:1: error: there is nothing in it");
    refuse("- 1\n", "s.yaml:1:1: error: a scene is a mapping (key: value), got a list");
    refuse("hello\n", "s.yaml:1:1: error: a scene is a mapping (key: value), got 'hello'");
    refuse("sheets: []\n", "s.yaml:1:1: error: 'heddle' is missing in scene");
    refuse("heddle: 2\nsheets: []\n", "s.yaml:1:9: error: version 2 of the format is not known");
    refuse("heddle: 1\n", "s.yaml:1:1: error: neither 'sheets' nor 'yarns'");
    refuse("heddle: 1\nsheets: []\n", "s.yaml:2:9: error: neither 'sheets' nor 'yarns'");
    refuse("heddle: 1\nsheets:\n", "s.yaml:2:1: error: neither 'sheets' nor 'yarns'");
    refuse("heddle: 1\nshets: []\n", "s.yaml:2:1: error: unknown key 'shets' in scene\n"
                                     "  hint: did you mean 'sheets'?");
    refuse(CLOTH "duration: .nan\n", "s.yaml:5:11: error: 'duration': expected a number");
    refuse(CLOTH "duration: 1e999\n", "s.yaml:5:11: error: 'duration': expected a finite number");
}

Test(scene, sheets) {
    refuse("heddle: 1\nsheets:\n  - name: a\n    density: -150 g/m^2\n",
           "s.yaml:4:14: error: 'density' must be positive, got -150 g/m^2\n"
           "        density: -150 g/m^2\n                 ^");
    refuse("heddle: 1\nsheets:\n  - name: a\n",
           "s.yaml:3:5: error: sheet 'a' needs either 'grid', 'mesh' or 'garment'");
    refuse("heddle: 1\nsheets:\n  - grid: {size: [1, 1], points: [2, 2]}\n"
           "    mesh: {file: a.obj}\n",
           "s.yaml:3:5: error: sheet 'sheet0' needs either 'grid', 'mesh' or 'garment', "
           "only one of them");
    refuse("heddle: 1\nsheets: [{grid: {size: [1, 1], points: [1, 2]}}]\n",
           "s.yaml:2:41: error: 'points' must be from 2 to 20000, got 1");
    refuse("heddle: 1\nsheets: [{grid: {size: [1, 1], points: [20000, 20000]}}]\n",
           "s.yaml:2:40: error: 400000000 vertices, at most 50000000 are possible");
    refuse("heddle: 1\nsheets: [{grid: {points: [2, 2]}}]\n",
           "s.yaml:2:17: error: 'size' is missing in grid");
    refuse("heddle: 1\nsheets: [{grid: {size: [1, 0], points: [2, 2]}}]\n",
           "s.yaml:2:28: error: 'size' must be positive, got 0");
    refuse("heddle: 1\nsheets: [{grid: {size: [1, 1], points: [2, 2], down: [0, 0, 0]}}]\n",
           "s.yaml:2:54: error: 'down' must not be zero");
    refuse("heddle: 1\nsheets: [{grid: {size: [1, 1], points: [2, 2], down: [1, 1, 0]}}]\n",
           "s.yaml:2:54: error: 'across' and 'down' must be at a right angle");
    refuse(CLOTH "    stretch: 3 N\n",
           "s.yaml:5:14: error: 'stretch': expected a force/length, got force (3 N)");
    refuse(CLOTH "    bending: curvatur\n", "s.yaml:5:14: error: 'bending' must be one of none, "
                                            "springs, curvature, hinges, flat; got 'curvatur'\n"
                                            "  hint: did you mean 'curvature'?");
    refuse("heddle: 1\nsheets: [{mesh: {file: a.obj}}]\n",
           "s.yaml:2:24: error: files cannot be read from here ('a.obj')");
}

Test(scene, names_and_references) {
    refuse(CLOTH "  - name: cloth\n    grid: {size: [1, 1], points: [2, 2]}\n",
           "s.yaml:5:11: error: two sheets have the name 'cloth'");
    refuse(CLOTH "bodies: [{shape: plane, name: cloth}]\n",
           "s.yaml:5:31: error: a sheet and a body have the name 'cloth'");
    refuse(CLOTH "pins: [{sheet: clth, where: top}]\n",
           "s.yaml:5:16: error: there is no sheet with the name 'clth'\n"
           "  hint: did you mean 'cloth'?");
    refuse(CLOTH "  - grid: {size: [1, 1], points: [2, 2]}\npins: [{where: top}]\n",
           "s.yaml:6:8: error: 'sheet' or 'yarns' is missing: there are 2 to choose from");
    refuse(CLOTH "measure: [{kind: reaction}]\n",
           "s.yaml:5:11: error: 'pin' is missing: there are 0 to choose from");
    refuse(CLOTH "pins: [{name: left, where: left}]\nmeasure: [{kind: reaction, pin: lift}]\n",
           "s.yaml:6:33: error: there is no pin with the name 'lift'\n"
           "  hint: did you mean 'left'?");
    refuse(CLOTH "pins: [{name: 'a b', where: top}]\n",
           "s.yaml:5:15: error: 'name' must be made of letters");
}

Test(scene, bodies) {
    refuse(CLOTH "bodies: [{name: a}]\n", "s.yaml:5:10: error: 'shape' is missing in body");
    refuse(CLOTH "bodies: [{shape: spere, radius: 1}]\n",
           "s.yaml:5:18: error: 'shape' must be one of plane, sphere, box, capsule, cylinder, "
           "torus, mesh; got 'spere'\n  hint: did you mean 'sphere'?");
    refuse(CLOTH "bodies: [{shape: sphere}]\n", "s.yaml:5:10: error: 'radius' is missing in body");
    refuse(CLOTH "bodies:\n  - shape: sphere\n    radius: -0.1 mm\n",
           "s.yaml:7:13: error: 'radius' must be positive, got -0.1 mm");
    refuse(CLOTH "bodies: [{shape: plane, radius: 1}]\n",
           "s.yaml:5:25: error: 'radius' does not belong to a body of shape 'plane'");
    refuse(CLOTH "bodies: [{shape: plane, position: [0, 1, 0], keyframes: [{time: 0}]}]\n",
           "s.yaml:5:35: error: 'position' and 'keyframes' exclude each other");
    refuse(CLOTH "bodies: [{shape: plane, keyframes: [{time: 1}, {time: 1}]}]\n",
           "s.yaml:5:55: error: 'time' must rise from keyframe to keyframe: 1 s after 1 s");
    refuse(CLOTH "bodies: [{shape: plane, keyframes: [{position: [0, 0, 0]}]}]\n",
           "s.yaml:5:37: error: 'time' is missing in keyframe");
    refuse(CLOTH "bodies: [{shape: plane, keyframes: [{time: 0}, {time: 1, rotation: "
                 "[1e9 turn, 0, 0]}]}]\n",
           "s.yaml:5:48: error: too many turns");
}

Test(scene, pins_and_measures) {
    refuse(CLOTH "pins: [{name: a}]\n",
           "s.yaml:5:8: error: pin 'a' holds no vertex of sheet 'cloth'");
    refuse(CLOTH "pins: [{vertices: [0, 12]}]\n",
           "s.yaml:5:23: error: sheet 'cloth' has the vertices 0 to 11, there is no vertex 12");
    refuse(CLOTH "pins: [{name: a, where: top}, {where: left}]\n",
           "s.yaml:5:31: error: vertex 0 is held by pin 'a' already");
    refuse(CLOTH "pins: [{box: {min: [0, 0, 0]}}]\n",
           "s.yaml:5:14: error: 'max' is missing in box");
    refuse(CLOTH "measure: [{kind: position, vertex: 12}]\n",
           "s.yaml:5:36: error: 'vertex': sheet 'cloth' has the vertices 0 to 11");
    refuse(CLOTH "measure: [{kind: distance, a: 0}]\n",
           "s.yaml:5:11: error: 'b' is missing in measure");
    refuse(CLOTH "measure: [{kind: area, vertex: 0}]\n",
           "s.yaml:5:24: error: 'vertex' does not belong to a measure of kind 'area'");
}

Test(scene, times) {
    refuse(CLOTH "step: {size: 1 us}\nduration: 1 h\n",
           "s.yaml:5:14: error: 'duration' 3600 s in steps of 1e-06 s: more than 1e9 steps");
    refuse(CLOTH "step: {size: 2 s}\n", "s.yaml:5:14: error: step 'size' (2 s) must not be longer");
    refuse(CLOTH "output: {frame_interval: 2 s}\n",
           "s.yaml:5:26: error: 'frame_interval' (2 s) must not be longer than 'duration' (1 s)");
    refuse(CLOTH "step: {size: 1/10 s}\noutput: {frame_interval: 1 ms}\n",
           "s.yaml:6:26: error: 'frame_interval' (0.001 s) must not be shorter than a step");
    HedScene* scene = must_parse(CLOTH "step: {size: 1/300 s}\noutput: {frame_interval: 1/23 s}\n");
    // 300/23 = 13.04 steps, which rounds to 13.
    cr_expect_float_eq(hed_scene_frame_interval(scene), 13.0 / 300.0, 1e-15);
    hed_scene_destroy(scene);
    scene = must_parse(CLOTH "step: {size: 1/20 s}\nduration: 0.1 s\n");
    cr_expect_eq(hed_scene_frame_interval(scene), 0.05);
    hed_scene_destroy(scene);
}

// The angle turned through between keyframes adds up to what was asked for, and no single turn is
// so large that the shorter way is another one.
Test(scene, full_turns_are_turned) {
    HedScene* scene =
        must_parse(CLOTH "bodies:\n"
                         "  - shape: plane\n"
                         "    keyframes:\n"
                         "      - {time: 0, position: [1, 0, 0]}\n"
                         "      - {time: 1, rotation: [0, 90 deg, 0]}\n"
                         "      - {time: 3, rotation: [0, 810 deg, 0], position: [3, 0, 0]}\n"
                         "      - {time: 4}\n");
    const HedBodyDef* def = &HED_BODIES(&scene->data)[0].def;
    double turned = 0.0;
    for (int32_t i = 1; i < def->keyframe_count; ++i) {
        HedQuat a = def->keyframes[i - 1].pose.rotation;
        HedQuat b = def->keyframes[i].pose.rotation;
        HedVec3 turn = hed_quat_to_vector(hed_quat_mul(b, hed_quat_conjugate(a)));
        cr_expect_lt(hed_norm3(turn), 3.0);
        cr_expect_gt(def->keyframes[i].time, def->keyframes[i - 1].time);
        turned += turn.y;
    }
    // Rounding of seven rotations, each a few units of 2.2e-16 times angles of order one.
    cr_expect_float_eq(turned, 4.5 * 3.14159265358979323846, 1e-13);
    // 720 degrees in parts of 120 at most: 6 parts; with the others 1 + 6 + 1, and the last.
    cr_expect_eq(def->keyframe_count, 9);
    cr_expect_eq(def->keyframes[1].pose.position.x, 1.0);
    // Half of the way from 1 to 3 in three parts: a few roundings of 2.
    cr_expect_float_eq(def->keyframes[4].pose.position.x, 2.0, 1e-15);
    // The same.
    cr_expect_float_eq(def->keyframes[4].time, 2.0, 1e-15);
    cr_expect_eq(def->keyframes[8].pose.position.x, 3.0);
    hed_scene_destroy(scene);
}

static const char* const RICH =
    "heddle: 1\nname: 'rich \"one\"'\nduration: 2 s\nseed: 7\nthreads: 2\n"
    "world: {gravity: [0, -1.62, 0], drag: 0.1 1/s}\n"
    "step: {integrator: xpbd, size: 1/7 s, pbd_iterations: 5}\noutput: {frame_interval: 2/7 s}\n"
    "sheets:\n"
    "  - {name: a, grid: {size: [30 cm, 1/3], points: [4, 5], triangles: equilateral},\n"
    "     density: 4 oz/yd^2, bending: springs, stretch_start: [1.1, 0.9]}\n"
    "  - {grid: {size: [1, 1], points: [3, 3], origin: [5, 0, 0], across: [1, 2, 0],\n"
    "     down: [0, 0, 3]}, velocity: [1 km/h, 0, 0]}\n"
    "bodies:\n"
    "  - {shape: box, half_size: [1, 2, 3], position: [0, -9, 0], rotation: [10 deg, 0, 0]}\n"
    "  - {shape: torus, name: t, radius: 1, minor_radius: 1/9, keyframes: [{time: 0, position:\n"
    "     [0, -20, 0]}, {time: 1/3 s, rotation: [0, 2 turn, 0]}]}\n"
    "  - {shape: capsule, radius: 1, half_length: 2, position: [0, -40, 0], overlap: push}\n"
    "pins:\n"
    "  - {name: p, sheet: a, where: top, vertices: [7, 6], release: 1.5 s}\n"
    "  - {sheet: sheet1, box: {min: [-9, -9, -9], max: [9, 9, 0]}, pivot: [1, 2, 3],\n"
    "     keyframes: [{time: 0}, {time: 1, position: [0, 0, 1/3]}]}\n"
    "wind: {velocity: [3, 0, 1/3], gust: 20 %}\n"
    "measure:\n"
    "  - {kind: reaction, pin: p}\n  - {kind: distance, sheet: a, a: 1, b: 2, name: d}\n"
    "  - {kind: extent, sheet: sheet1}\n";

Test(scene, text_reads_back_to_the_same_scene) {
    HedScene* first = must_parse(RICH);
    HedScene* second = must_parse(hed_scene_text(first));
    cr_expect_str_eq(hed_scene_text(first), hed_scene_text(second));
    cr_expect_eq(hed_scene_hash(first), hed_scene_hash(second));
    cr_expect_str_eq(hed_scene_name(second), "rich \"one\"");
    for (int32_t i = 0; i < 2; ++i) {
        const HedSheetDef* a = &HED_SHEETS(&first->data)[i].def;
        const HedSheetDef* b = &HED_SHEETS(&second->data)[i].def;
        cr_assert_eq(a->vertex_count, b->vertex_count);
        cr_expect_arr_eq(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof(HedVec3));
    }
    HedScene* other = must_parse(CLOTH);
    cr_expect_neq(hed_scene_hash(first), hed_scene_hash(other));
    hed_scene_destroy(other);
    hed_scene_destroy(second);
    hed_scene_destroy(first);
}

Test(scene, builds_a_simulation) {
    HedScene* scene = must_parse(RICH);
    HedSim* sims[2] = {NULL, NULL};
    HedError error = {0};
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(hed_scene_build(scene, i, &sims[i], &error), HED_OK, "%s", error.message);
    }
    cr_expect_eq(hed_sim_def(sims[0])->time_step, 1.0 / 7.0);
    cr_expect_eq(hed_sim_def(sims[1])->integrator, HED_XPBD);
    cr_expect_eq(hed_scene_object_count(scene), 5);
    const char* const kinds[] = {"sheet", "sheet", "body", "body", "body"};
    const char* const names[] = {"a", "sheet1", "body0", "t", "body2"};
    for (int32_t i = 0; i < 5; ++i) {
        HedSceneObject object = hed_scene_object(scene, sims[1], i);
        cr_expect_str_eq(hed_object_kind_name(object.kind), kinds[i]);
        cr_expect_str_eq(object.name, names[i]);
        cr_expect_gt(object.vertices.count, 3);
        cr_expect_gt(object.triangles.count, 3);
        for (int32_t k = 0; k < object.triangles.count; ++k) {
            cr_assert_lt(object.triangles.data[k], object.vertices.count);
        }
    }
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(hed_sim_prepare(sims[i], &error), HED_OK, "%s", error.message);
        for (int32_t k = 0; k < hed_scene_measure_count(scene); ++k) {
            HedMeasureDef def = hed_scene_measure(scene, sims[i], k);
            double values[3] = {0};
            cr_expect_eq(hed_sim_measure(sims[i], &def, values, &error), HED_OK, "%s",
                         error.message);
        }
        HedSceneObject object = hed_scene_object(scene, sims[i], 0);
        cr_expect_eq(hed_sheet_vertex_count(sims[i], object.sheet), object.vertices.count);
    }
    hed_scene_destroy(scene);
    hed_sim_destroy(sims[0]);
    hed_sim_destroy(sims[1]);
}

// Makes the n-th allocation fail, for every n, until all succeed.
Test(scene, no_memory) {
    int64_t before = hed_alloc_stats().live_count;
    bool done = false;
    for (int64_t n = 1; !done; ++n) {
        cr_assert_lt(n, 2000);
        HedScene* scene = NULL;
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = parse(RICH, &scene, &error);
        hed_alloc_fail_at(0);
        done = status == HED_OK;
        cr_expect(done || status == HED_NO_MEMORY, "allocation %d: %s", (int)n, error.message);
        cr_expect_eq(scene != NULL, done);
        hed_scene_destroy(scene);
        cr_assert_eq(hed_alloc_stats().live_count, before, "allocation %d leaks", (int)n);
    }
}

Test(scene, null_error_is_allowed) {
    HedScene* scene = NULL;
    cr_expect_eq(hed_scene_parse("a: [", 4, "s", NULL, NULL, 0, &scene, NULL), HED_PARSE);
    cr_expect_eq(hed_scene_parse("a: 1", 4, "s", NULL, NULL, 0, &scene, NULL), HED_PARSE);
}
