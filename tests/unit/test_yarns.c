// SPDX-License-Identifier: MIT
// Yarns in scenes, in simulations and in runs.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "heddle/run.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of places of about 1 m: one or two operations.
static const double ROUNDING = 1e-15;

static const char SCENE[] = "heddle: 1\n"
                            "duration: 20 ms\n"
                            "step: {size: 1 ms}\n"
                            "output: {frame_interval: 10 ms}\n"
                            "yarns:\n"
                            "  - name: line\n"
                            "    line: {from: [0, 1, 0], to: [1, 1, 0], segments: 4}\n"
                            "    radius: 2 mm\n"
                            "    linear_density: 2000 tex\n"
                            "  - name: ring\n"
                            "    points: [[0, 0, 0], [10 cm, 0, 0], [0, 10 cm, 0]]\n"
                            "    closed: true\n"
                            "    rest: start\n"
                            "pins:\n"
                            "  - {yarns: line, where: ends, name: hold}\n"
                            "measure:\n"
                            "  - {kind: position, yarns: ring, vertex: 2, name: top}\n"
                            "  - {kind: reaction, pin: hold, name: pull}\n";

static HedStatus try_scene(const char* text, HedScene** scene, HedError* error) {
    return hed_scene_parse(text, strlen(text), "test.yaml", ".", NULL, 0, scene, error);
}

static HedScene* read_scene(const char* text) {
    HedScene* scene = NULL;
    HedError error = {0};
    cr_assert_eq(try_scene(text, &scene, &error), HED_OK, "%s", error.message);
    return scene;
}

static HedSim* build(const HedScene* scene) {
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_sim_prepare(sim, &error), HED_OK, "%s", error.message);
    return sim;
}

Test(yarns, scene_to_simulation) {
    HedScene* scene = read_scene(SCENE);
    HedSim* sim = build(scene);
    cr_expect_eq(hed_scene_object_count(scene), 2);
    HedSceneObject line = hed_scene_object(scene, sim, 0);
    HedSceneObject ring = hed_scene_object(scene, sim, 1);
    cr_expect_eq(line.kind, HED_OBJECT_YARNS);
    cr_expect_eq(line.curve_count, 1);
    cr_expect_eq(line.curves[0].count, 5);
    cr_expect_eq(line.curves[0].radius, 2e-3);
    cr_expect(ring.curves[0].is_closed);
    cr_expect_eq(hed_yarns_vertex_count(sim, ring.yarns), 3);
    HedVec3 x[5];
    hed_yarns_positions(sim, line.yarns, x);
    cr_expect_float_eq(x[3].x, 0.75, ROUNDING);
    // A sheet's handle is none of yarns, and the other way round.
    cr_expect_eq(hed_sheet_vertex_count(sim, (HedSheetId){line.yarns.index, line.yarns.stamp}), 0);
    cr_expect_eq(hed_sim_sheet(sim, 0).index, 0);
    cr_expect_eq(hed_sim_yarns(sim, 1).index, ring.yarns.index);
    cr_expect_eq(hed_sim_yarns(sim, 2).index, 0);
    cr_expect_eq(hed_sim_size(sim).held_points, 2);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}

Test(yarns, weight_on_the_pins) {
    HedScene* scene = read_scene(SCENE);
    HedSim* sim = build(scene);
    double pull[3];
    HedMeasureDef reaction = hed_scene_measure(scene, sim, 1);
    cr_assert_eq(hed_sim_measure(sim, &reaction, pull, NULL), HED_OK);
    // Nothing is stretched yet: each end holds up half a segment, of 2 g/m and 0.25 m.
    cr_expect_float_eq(pull[1], 2 * 2e-3 * 0.125 * 9.81, 1e-15);
    HedMeasureDef area = {.kind = HED_MEASURE_AREA, .yarns = hed_sim_yarns(sim, 0)};
    HedError error = {0};
    cr_expect_eq(hed_sim_measure(sim, &area, pull, &error), HED_INVALID);
    cr_expect(strstr(error.message, "yarns have no 'area'"), "%s", error.message);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}

Test(yarns, quantities) {
    static const char STRETCHED[] = "heddle: 1\n"
                                    "yarns:\n"
                                    "  - points: [[0, 0, 0], [3 mm, 0, 0], [3 mm, 4 mm, 0]]\n"
                                    "    velocity: [0, 3 m/s, 4 m/s]\n";
    HedScene* scene = read_scene(STRETCHED);
    HedSim* sim = build(scene);
    HedYarnsId id = hed_sim_yarns(sim, 0);
    double at[3];
    cr_assert_eq(hed_yarns_quantity(sim, id, HED_QUANTITY_SPEED, at, NULL), HED_OK);
    cr_expect_float_eq(at[1], 5.0, ROUNDING);
    cr_assert_eq(hed_yarns_quantity(sim, id, HED_QUANTITY_STRAIN, at, NULL), HED_OK);
    cr_expect_eq(at[0], 0.0);
    // A right angle between pieces of 3 and 4 mm: 2 tan 45 over their mean.
    cr_assert_eq(hed_yarns_quantity(sim, id, HED_QUANTITY_CURVATURE, at, NULL), HED_OK);
    cr_expect_float_eq(at[1], 2.0 / 3.5e-3, 1e3 * ROUNDING);
    cr_expect_eq(at[0], 0.0);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}

Test(yarns, frames_hold_curves) {
    char name[] = "yarns-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
    HedScene* scene = read_scene(SCENE);
    HedRunOptions options = hed_run_options_default();
    HedError error = {0};
    HedRunReport report;
    options.directory = "run";
    cr_assert_eq(hed_run(scene, &options, &report, &error), HED_OK, "%s", error.message);
    HedRunReader* reader = NULL;
    cr_assert_eq(hed_run_open("run", &reader, &error), HED_OK, "%s", error.message);
    cr_expect_eq(hed_run_frame_count(reader), 3);
    HedSeriesObject ring = hed_run_object(reader, 1);
    cr_expect_eq(ring.kind, HED_OBJECT_YARNS);
    cr_assert_eq(ring.curve_count, 1);
    cr_expect(ring.curves[0].is_closed);
    cr_expect_eq(ring.curves[0].first, 0);
    cr_expect_eq(ring.curves[0].radius, hed_yarns_def_default().radius);
    HedVec3 line[5], fallen[3];
    HedVec3* const positions[2] = {line, fallen};
    cr_assert_eq(hed_run_frame(reader, 2, NULL, positions, &error), HED_OK, "%s", error.message);
    // Free fall by backward Euler: n (n + 1)/2 h^2 g after n steps.
    cr_expect_float_eq(fallen[0].y, -210e-6 * 9.81, 1e-7);
    cr_expect_eq(line[0].y, 1.0);
    hed_run_close(reader);
    hed_scene_destroy(scene);
}

Test(yarns, bad_scenes) {
    static const struct {
        const char* yarns;
        const char* message;
    } cases[] = {
        {"  - {radius: 1 mm}\n", "need one of 'curves', 'line', 'points', 'weave' and 'knit'"},
        {"  - {line: {to: [1, 0, 0]}, points: [[0, 0, 0]]}\n", "need one of"},
        {"  - {line: {to: [0, 0, 0]}}\n", "a thousandth of the radius"},
        {"  - {points: [[0, 0, 0]]}\n", "has 1 vertices, it needs 2"},
        {"  - {points: [[0, 0, 0], [1, 0, 0]], closed: true}\n", "has 2 vertices, it needs 3"},
        {"  - {points: [[0, 0, 0], [1, 0]]}\n", "expected a list of 3 numbers, got 2"},
        {"  - {line: {to: [1, 0, 0]}, radius: 0}\n", "'radius' must be positive"},
        {"  - {line: {to: [1, 0, 0]}, linear_density: 3 mm}\n", "linear_density"},
        {"  - {line: {to: [1, 0, 0]}, closed: true}\n", "'closed' needs 'points'"},
        {"  - {curves: {file: nothing.bcc}}\n", "nothing.bcc"},
        {"  - {line: {to: [1, 0, 0]}, model: spline, rest: start}\n", "needs the model 'rod'"},
        {"  - {line: {to: [1, 0, 0]}}\npins: [{where: top}]\n", "yarns have the places"},
        {"  - {line: {to: [1, 0, 0]}}\npins: [{vertices: [65]}]\n", "there is no vertex 65"},
        {"  - {line: {to: [1, 0, 0]}}\npins: [{sheet: a, where: all}]\n", "no sheet"},
        {"  []\n", "there is nothing to simulate"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[512];
        HedScene* scene = NULL;
        HedSim* sim = NULL;
        HedError error = {0};
        snprintf(text, sizeof text, "heddle: 1\nyarns:\n%s", cases[k].yarns);
        HedStatus status = try_scene(text, &scene, &error);
        if (status == HED_OK) {
            status = hed_scene_build(scene, 1, &sim, &error);
        }
        cr_expect_neq(status, HED_OK, "%s", cases[k].yarns);
        cr_expect(strstr(error.message, cases[k].message), "%s: %s", cases[k].yarns, error.message);
        cr_expect(strstr(error.message, "test.yaml:"), "%s", error.message);
        hed_scene_destroy(scene);
    }
}

// What a model does not have is refused, whatever the scene: nothing stands in for it.
Test(yarns, what_a_model_does_not_have) {
    static const HedVec3 VERTICES[] = {{0, 0, 0}, {1, 0, 0}};
    static const HedCurve CURVES[] = {{.first = 0, .count = 2}};
    HedSimDef sim_def = hed_sim_def_default();
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(hed_sim_create(&sim_def, &sim, &error), HED_OK, "%s", error.message);
    HedYarnsDef def = hed_yarns_def_default();
    def.vertices = VERTICES;
    def.vertex_count = 2;
    def.curves = CURVES;
    def.curve_count = 1;
    def.model = HED_YARN_SPLINE;
    def.plastic = 0.1;
    HedYarnsId id = {0};
    cr_expect_eq(hed_yarns_create(sim, &def, &id, &error), HED_UNSUPPORTED);
    cr_expect(strstr(error.message, "'yarns'") && strstr(error.message, "'plastic'"), "%s",
              error.message);
    cr_expect_eq(hed_sim_yarns(sim, 0).index, 0);
    def.plastic = 0.0;
    cr_expect_eq(hed_yarns_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    cr_expect_eq(hed_yarns_vertex_count(sim, id), 2);
    HedVec3 x[2];
    hed_yarns_positions(sim, id, x);
    cr_expect(hed_distance3(x[1], VERTICES[1]) < ROUNDING);
    def.model = HED_YARN_ROD;
    def.mass = HED_YARN_CONSISTENT;
    cr_expect_eq(hed_yarns_create(sim, &def, &id, &error), HED_UNSUPPORTED);
    cr_expect(strstr(error.message, "'spline'"), "%s", error.message);
    hed_sim_destroy(sim);
}

// Constraints of position-based steps know no bending, and no contact between yarns.
Test(yarns, not_by_position) {
    static const char* const NAMES[] = {"pbd", "xpbd"};
    for (int k = 0; k < 2; ++k) {
        char text[256];
        HedSim* sim = NULL;
        HedError error = {0};
        snprintf(text, sizeof text,
                 "heddle: 1\nstep: {integrator: %s}\nyarns:\n  - line: {to: [1, 0, 0]}\n",
                 NAMES[k]);
        HedScene* scene = read_scene(text);
        cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
        cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID);
        cr_expect(strstr(error.message, "yarns bend, twist"), "%s", error.message);
        hed_sim_destroy(sim);
        hed_scene_destroy(scene);
    }
}

Test(yarns, no_memory) {
    HedStatus status = HED_NO_MEMORY;
    for (int64_t k = 0; status != HED_OK && k < 2000; ++k) {
        HedScene* scene = NULL;
        HedSim* sim = NULL;
        hed_alloc_fail_at(k + 1);
        status = try_scene(SCENE, &scene, NULL);
        status = status == HED_OK ? hed_scene_build(scene, 1, &sim, NULL) : status;
        status = status == HED_OK ? hed_sim_prepare(sim, NULL) : status;
        hed_alloc_fail_at(0);
        cr_expect(status == HED_OK || status == HED_NO_MEMORY);
        hed_sim_destroy(sim);
        hed_scene_destroy(scene);
    }
    cr_expect_eq(status, HED_OK);
}

// More damping than explicit steps can take is limited, of splines as of rods.
Test(yarns, damped_splines_step_explicitly) {
    HedScene* scene =
        read_scene("heddle: 1\n"
                   "step: {integrator: symplectic-euler, size: 1/1000 s}\n"
                   "yarns:\n"
                   "  - {name: rail, model: spline, damping: 1e-3 s, line: {from: [-2 cm, 0, 0], "
                   "to: [2 cm, 0, 0], segments: 20}}\n"
                   "pins: [{yarns: rail, where: ends}]\n");
    HedSim* sim = build(scene);
    HedStepReport report;
    cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
    cr_expect_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}
