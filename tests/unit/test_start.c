// SPDX-License-Identifier: MIT
// Starting from a run: states are taken apart without trust, defs are checked, memory may run out.
#include "base/alloc.h"
#include "base/text.h"
#include "heddle/start.h"
#include "heddle/yarn.h"
#include "io/store.h"
#include "support/runs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void make_run(const char* directory) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options(directory);
    options.force = true;
    run_scene(scene, &options);
    hed_scene_destroy(scene);
}

static HedStatus start_and_prepare(void) {
    char text[8192];
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    HedError error = {0};
    snprintf(text, sizeof text, "%s\nstart: {run: start-memory}\n", RUN_SCENE);
    HedStatus status = hed_scene_parse(text, strlen(text), "s.yaml", ".", NULL, 0, &scene, &error);
    if (status == HED_OK) {
        status = hed_scene_build(scene, 1, &sim, &error);
    }
    if (status == HED_OK) {
        status = hed_sim_prepare(sim, &error);
    }
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s", error.message);
    return status;
}

// A run whose scene.yaml cannot be read for want of memory is called by its directory, so that not
// every failure shows; none may leave anything behind or be told as another.
Test(start, no_memory) {
    make_run("start-memory");
    int64_t failures = 0;
    for (int64_t n = 1; n <= 400; ++n) {
        hed_alloc_fail_at(n);
        failures += start_and_prepare() == HED_NO_MEMORY;
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, 0, "%d", (int)n);
    }
    cr_assert_gt(failures, 50);
    cr_assert_eq(start_and_prepare(), HED_OK);
}

// The run's checkpoint with one array changed, or left out (count negative).
static HedStatus parse_changed(const char* name, const char* type, int64_t count,
                               const void* data) {
    HedStore store = {0};
    HedText text = {0};
    HedRunState* state = NULL;
    HedStoreArray arrays[64];
    int32_t kept = 0;
    cr_assert_eq(hed_store_load("start-state/checkpoint", &store, NULL), HED_OK);
    for (int32_t k = 0; k < store.count; ++k) {
        arrays[kept] = store.arrays[k];
        bool is_it = strcmp(store.arrays[k].name, name) == 0;
        if (is_it) {
            arrays[kept] = (HedStoreArray){name, type, count, data};
        }
        kept += !(is_it && count < 0);
    }
    cr_assert_eq(hed_store_save("start-changed", arrays, kept, NULL), HED_OK);
    cr_assert_eq(hed_text_read("start-changed", &text, NULL), HED_OK);
    HedStatus status = hed_run_state_parse(text.data, text.size, "c", &state, NULL);
    cr_assert_eq(status == HED_OK, state != NULL);
    hed_run_state_free(state);
    hed_text_free(&text);
    hed_store_free(&store);
    return status;
}

Test(start, states_are_not_trusted) {
    make_run("start-state");
    // A sheet of 5 x 4 vertices: kind, first point, points, vertices.
    const int32_t whole[4] = {HED_STATE_SHEET, 0, 20, 20};
    const int32_t bad[][4] = {{-1, 0, 20, 20}, {HED_STATE_KIND_COUNT, 0, 20, 20},
                              {0, -1, 20, 20}, {0, 1, 20, 20},
                              {0, 0, 21, 20},  {0, 0, 20, 21},
                              {0, 0, 20, 19},  {0, INT32_MAX, INT32_MAX, 20}};
    cr_assert_eq(parse_changed("parts", "i32", 4, whole), HED_OK);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        cr_assert_eq(parse_changed("parts", "i32", 4, bad[k]), HED_PARSE, "%zu", k);
    }
    cr_assert_eq(parse_changed("parts", "i32", 3, whole), HED_PARSE);
    int32_t place[20] = {0};
    cr_assert_eq(parse_changed("place", "i32", 20, place), HED_OK);
    place[7] = 20;
    cr_assert_eq(parse_changed("place", "i32", 20, place), HED_PARSE);
    place[7] = -1;
    cr_assert_eq(parse_changed("place", "i32", 20, place), HED_PARSE);
    cr_assert_eq(parse_changed("place", "i32", 19, place), HED_PARSE);
    cr_assert_eq(parse_changed("sim/v", "u8", 24, place), HED_PARSE);
    cr_assert_eq(parse_changed("parts", "i32", -1, NULL), HED_NOT_FOUND); // of an earlier heddle
}

static const HedVec3 CORNERS[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
static const int32_t TRIANGLE[3] = {0, 1, 2};

static HedSim* one_triangle(HedStartDef* def) {
    HedSimDef sim_def = hed_sim_def_default();
    HedSheetDef sheet = hed_sheet_def_default();
    HedSim* sim = NULL;
    sheet.vertices = CORNERS;
    sheet.vertex_count = 3;
    sheet.triangles = TRIANGLE;
    sheet.triangle_count = 1;
    sheet.bending = HED_BENDING_NONE;
    *def = hed_start_def_default();
    cr_assert_eq(hed_sim_create(&sim_def, &sim, NULL), HED_OK);
    cr_assert_eq(hed_sheet_create(sim, &sheet, &def->sheet, NULL), HED_OK);
    return sim;
}

Test(start, the_shape_at_rest_stays) {
    HedStartDef def;
    HedSim* sim = one_triangle(&def);
    const HedVec3 wide[3] = {{0.0, 5.0, 0.0}, {2.0, 5.0, 0.0}, {0.0, 5.0, 2.0}};
    const HedVec3 fast[3] = {{0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    HedVec3 found[3];
    double strain[3];
    def.positions = wide;
    def.velocities = fast;
    cr_assert_eq(hed_sim_start(sim, &def, NULL), HED_OK);
    cr_assert_eq(hed_sim_prepare(sim, NULL), HED_OK);
    hed_sheet_positions(sim, def.sheet, found);
    cr_assert_eq(memcmp(found, wide, sizeof wide), 0);
    hed_sheet_velocities(sim, def.sheet, found);
    cr_assert_eq(memcmp(found, fast, sizeof fast), 0);
    HedMeasureDef measure = {.kind = HED_MEASURE_STRAIN, .sheet = def.sheet};
    cr_assert_eq(hed_sim_measure(sim, &measure, strain, NULL), HED_OK);
    cr_assert_float_eq(strain[0], 1.0, 1e-12, "%g", strain[0]); // sides twice as long; rounding
    hed_sim_destroy(sim);
}

Test(start, defs_are_checked) {
    HedStartDef def;
    HedError error = {0};
    HedSim* sim = one_triangle(&def);
    const HedVec3 broken[3] = {{0.0, 0.0, 0.0}, {(double)NAN, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    cr_assert_eq(hed_sim_start(sim, &def, &error), HED_INVALID); // no positions
    def.positions = broken;
    cr_assert_eq(hed_sim_start(sim, &def, &error), HED_INVALID);
    cr_assert(strstr(error.message, "position of vertex 1"), "%s", error.message);
    def.positions = CORNERS;
    def.are_controls = true;
    cr_assert_eq(hed_sim_start(sim, &def, &error), HED_INVALID); // no spline
    def.are_controls = false;
    HedPinDef pin = hed_pin_def_default();
    HedPinId id;
    pin.sheet = def.sheet;
    pin.vertices = TRIANGLE;
    pin.vertex_count = 1;
    cr_assert_eq(hed_pin_create(sim, &pin, &id, NULL), HED_OK);
    cr_assert_eq(hed_sim_start(sim, &def, &error), HED_INVALID);
    cr_assert(strstr(error.message, "before pins"), "%s", error.message);
    double nan = (double)NAN;
    HedSnapshotArray memory = {"rods", &nan, sizeof nan};
    cr_assert_eq(hed_sim_start_memory(sim, &memory, 1, false, &error), HED_PARSE);
    hed_sim_destroy(sim);
}
