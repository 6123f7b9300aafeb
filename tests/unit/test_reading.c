// SPDX-License-Identifier: MIT
// Calls that take a const HedSim* write nothing: several threads may make them at once, and a
// simulation that was read goes on as one that was not.
#include "base/alloc.h"
#include "base/hash.h"
#include "heddle/period.h"
#include "heddle/sliding.h"
#include "heddle/start.h"
#include "heddle/yarn.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// --- scenes ---

static HedSimDef small_steps(HedIntegrator integrator) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = 1e-3;
    def.thread_count = 1;
    def.yarn_friction = 0.3;
    return def;
}

static void add_net(HedSim* sim, const HedNet* net) {
    HedError error = {0};
    HedYarnsId id = {0};
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "slides";
    def.net = net;
    def.rayleigh = 1e-4;
    def.convection = true;
    def.thickness = 0.5;
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
}

// Two yarns of a model that cross and lie on each other, at a height.
static HedYarnsId add_cross(HedSim* sim, HedYarnModel model, double height) {
    enum { POINTS = 8 };
    HedVec3 vertices[2 * POINTS];
    HedYarnCrossing crossing = {3.5, POINTS + 3.5};
    HedCurve curves[2] = {{.count = POINTS, .color = HED_COLOR_NONE},
                          {.first = POINTS, .count = POINTS, .color = HED_COLOR_NONE}};
    for (int k = 0; k < POINTS; ++k) {
        double s = 2e-3 * (k - 3.5);
        vertices[k] = hed_vec3(0.1 + s, height, 1e-4 * k);
        vertices[POINTS + k] = hed_vec3(0.1, height + 0.9e-3, s);
    }
    HedYarnsDef def = hed_yarns_def_default();
    def.name = hed_yarn_model_name(model);
    def.model = model;
    def.vertices = vertices;
    def.vertex_count = 2 * POINTS;
    def.curves = curves;
    def.curve_count = 2;
    def.crossings = &crossing;
    def.crossing_count = 1;
    def.plastic = model == HED_YARN_ROD ? 0.01 : 0.0;
    HedYarnsId id = {0};
    HedError error = {0};
    cr_assert_eq(hed_yarns_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

static void add_sheet(HedSim* sim, HedBending bending, HedDampingModel damping, double height) {
    Mesh mesh = mesh_grid(9, 9, hed_vec3(-0.02, height, -0.02), hed_vec3(0.04, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.04));
    HedSheetDef def = mesh_sheet(&mesh);
    def.name = bending == HED_BENDING_FLAT ? "flat" : "curved";
    def.bending = bending;
    def.damping_model = damping;
    def.thickness = 2e-4;
    rig_sheet(sim, &def);
    mesh_free(&mesh);
}

static void add_ball(HedSim* sim) {
    HedBodyDef def = hed_body_def_default();
    HedKeyframe place = {.pose = {{0.0, -0.0501, 0.0}, {1, 0, 0, 0}}};
    def.radius = 0.01;
    def.keyframes = &place;
    def.keyframe_count = 1;
    rig_body(sim, &def);
}

// A pin that moves the first vertices of what has that number.
static void add_pin(HedSim* sim, HedSheetId sheet, HedYarnsId yarns) {
    static const int32_t VERTICES[2] = {0, 1};
    HedKeyframe ways[2] = {{.pose = {{0.0, 0.0, 0.0}, {1, 0, 0, 0}}},
                           {.time = 1.0, .pose = {{0.0, 0.01, 0.0}, {1, 0, 0, 0}}}};
    HedPinDef def = hed_pin_def_default();
    def.sheet = sheet;
    def.yarns = yarns;
    def.vertices = VERTICES;
    def.vertex_count = 2;
    def.keyframes = ways;
    def.keyframe_count = 2;
    def.soft_stiffness = 1.0;
    def.every = hed_sliding_node_count(sim, yarns) > 0 ? 1 : 2;
    rig_pin_def(sim, &def);
}

static void hold_all(HedSim* sim) {
    for (int32_t k = 0; hed_sim_sheet(sim, k).index != 0; ++k) {
        add_pin(sim, hed_sim_sheet(sim, k), (HedYarnsId){0});
    }
    for (int32_t k = 0; hed_sim_yarns(sim, k).index != 0; ++k) {
        add_pin(sim, (HedSheetId){0}, hed_sim_yarns(sim, k));
    }
}

static void blow(HedSim* sim) {
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = (HedVec3){1.0, 0.0, 0.5};
    wind.gust = 0.5;
    rig_wind(sim, &wind);
}

// Everything that implicit steps know.
static HedSim* make_mixed(const HedNet* net) {
    HedSimDef def = small_steps(HED_IMPLICIT_EULER);
    def.self_collision = true;
    HedSim* sim = rig_sim(&def);
    add_sheet(sim, HED_BENDING_FLAT, HED_DAMPING_RAYLEIGH, -0.04);
    add_sheet(sim, HED_BENDING_CURVATURE, HED_DAMPING_POTENTIAL, 0.02);
    add_cross(sim, HED_YARN_ROD, 0.05);
    add_cross(sim, HED_YARN_SPLINE, 0.06);
    add_net(sim, net);
    add_ball(sim);
    blow(sim);
    hold_all(sim);
    rig_prepare(sim);
    rig_run(sim, 3);
    return sim;
}

static HedSim* make_weave(void) {
    HedNet net = {0};
    test_net_weave(9, 8, &net);
    HedSim* sim = make_mixed(&net);
    hed_net_free(&net);
    return sim;
}

static HedSim* make_knit(void) {
    HedNet net = {0};
    test_net_knit("stockinette", 5, 6, &net);
    HedSim* sim = make_mixed(&net);
    hed_net_free(&net);
    return sim;
}

// Rods and splines in explicit steps, with damping of what is not rigid.
static HedSim* make_explicit(void) {
    HedSimDef def = small_steps(HED_VERLET);
    def.nonrigid_rate = 10.0;
    def.nonrigid_slowing = 0.1;
    HedSim* sim = rig_sim(&def);
    add_cross(sim, HED_YARN_ROD, 0.01);
    add_cross(sim, HED_YARN_SPLINE, 0.03);
    add_ball(sim);
    hold_all(sim);
    rig_prepare(sim);
    rig_run(sim, 3);
    return sim;
}

// A rod that goes on in its copies, which lie on each other.
static HedSim* make_periodic(void) {
    enum { POINTS = 6 };
    HedSimDef def = small_steps(HED_SYMPLECTIC_EULER);
    def.time_step = 1e-4;
    def.gravity = (HedVec3){0};
    HedSim* sim = rig_sim(&def);
    HedPeriodDef period = hed_period_def_default();
    period.a = (HedVec3){0.012, 0.0, 0.0};
    period.b = (HedVec3){0.0, 0.95e-3, 0.0};
    period.is_free[0] = true;
    HedError error = {0};
    cr_assert_eq(hed_sim_set_period(sim, &period, &error), HED_OK, "%s", error.message);
    HedVec3 vertices[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        vertices[k] = hed_vec3(0.002 * k, 0.0, 2e-4 * (k % 2));
    }
    HedCurve curve = {.count = POINTS, .color = HED_COLOR_NONE};
    HedTurns turns = {1, 0};
    HedYarnsDef rod = hed_yarns_def_default();
    rod.vertices = vertices;
    rod.vertex_count = POINTS;
    rod.curves = &curve;
    rod.curve_count = 1;
    rod.turns = &turns;
    HedYarnsId id = {0};
    cr_assert_eq(hed_yarns_create(sim, &rod, &id, &error), HED_OK, "%s", error.message);
    rig_prepare(sim);
    rig_run(sim, 3);
    return sim;
}

// --- readings ---

// What has been read so far.
typedef struct Reading {
    const HedSim* sim;
    uint64_t hash;
    int32_t failures;
} Reading;

static void note(Reading* r, const void* data, size_t size) {
    r->hash = hed_hash(r->hash, data, size);
}

static void note_number(Reading* r, double value) {
    note(r, &value, sizeof value);
}

static void read_energies(Reading* r) {
    HedEnergies e = hed_sim_energies(r->sim);
    note_number(r, e.kinetic);
    note_number(r, e.dissipated);
    note_number(r, e.external);
    note_number(r, e.total);
    note(r, e.potential, sizeof *e.potential * (size_t)e.potential_count);
    HedSimSize size = hed_sim_size(r->sim);
    note_number(r, size.stable_step);
    note_number(r, (double)size.springs + size.bends + size.triangles + size.held_points);
    note_number(r, hed_sim_time(r->sim));
}

static void read_cloth(Reading* r, HedSheetId sheet, HedYarnsId yarns) {
    const HedSim* sim = r->sim;
    bool is_sheet = sheet.index != 0;
    int32_t n = is_sheet ? hed_sheet_vertex_count(sim, sheet) : hed_yarns_vertex_count(sim, yarns);
    double* values = calloc((size_t)n, 2 * sizeof(HedVec3));
    HedVec3* x = (HedVec3*)(void*)values;
    if (is_sheet) {
        hed_sheet_positions(sim, sheet, x);
        hed_sheet_velocities(sim, sheet, x + n);
    } else {
        hed_yarns_positions(sim, yarns, x);
        hed_yarns_velocities(sim, yarns, x + n);
    }
    note(r, values, sizeof *x * 2 * (size_t)n);
    for (int q = 0; q < HED_QUANTITY_COUNT; ++q) {
        memset(values, 0, sizeof *values * (size_t)n);
        HedStatus status = is_sheet ? hed_sheet_quantity(sim, sheet, (HedQuantity)q, values, NULL)
                                    : hed_yarns_quantity(sim, yarns, (HedQuantity)q, values, NULL);
        r->failures += status != HED_OK;
        note(r, values, sizeof *values * (size_t)n);
    }
    for (int k = 0; k < HED_MEASURE_REACTION; ++k) {
        bool is_of_surface = k == HED_MEASURE_AREA || k == HED_MEASURE_SHADOW;
        HedMeasureDef def = {
            .kind = (HedMeasureKind)k, .sheet = sheet, .yarns = yarns, .a = 0, .b = 3};
        double found[3] = {0};
        if (is_sheet || !is_of_surface) {
            r->failures += hed_sim_measure(sim, &def, found, NULL) != HED_OK;
        }
        note(r, found, sizeof found);
    }
    free(values);
}

static void read_yarns(Reading* r, HedYarnsId yarns) {
    bool is_lost[64] = {0};
    double along[512] = {0};
    if (hed_yarns_crossing_count(r->sim, yarns) <= 64) {
        note_number(r, hed_yarns_lost(r->sim, yarns, is_lost));
    }
    note(r, is_lost, sizeof is_lost);
    note_number(r, hed_yarns_twist(r->sim, yarns, 0));
    if (2 * hed_sliding_node_count(r->sim, yarns) <= 512) {
        hed_sliding_coordinates(r->sim, yarns, along);
    }
    note(r, along, sizeof along);
    note_number(r, hed_sliding_gone(r->sim, yarns, NULL));
}

static void read_pins(Reading* r) {
    for (int32_t k = 0; hed_sim_pin(r->sim, k).index != 0; ++k) {
        for (int kind = HED_MEASURE_REACTION; kind <= HED_MEASURE_GAUGE; ++kind) {
            HedMeasureDef def = {.kind = (HedMeasureKind)kind,
                                 .sheet = hed_sim_sheet(r->sim, 0),
                                 .pin = hed_sim_pin(r->sim, k),
                                 .axis = {0.0, 1.0, 0.0}};
            double found[3] = {0};
            if (def.sheet.index == 0) {
                def.yarns = hed_sim_yarns(r->sim, 0);
            }
            r->failures += hed_sim_measure(r->sim, &def, found, NULL) != HED_OK;
            note(r, found, sizeof found);
        }
    }
}

static void read_rest(Reading* r) {
    HedLost lost;
    HedPanelOverlaps overlaps = {0};
    HedStateLayout layout = {0};
    note_number(r, hed_sim_lost(r->sim, &lost));
    note(r, lost.yarns, strlen(lost.yarns));
    r->failures += hed_sim_panel_overlaps(r->sim, &overlaps, NULL) != HED_OK;
    note_number(r, (double)overlaps.triangle_pairs);
    hed_panel_overlaps_free(&overlaps);
    r->failures += hed_sim_layout(r->sim, &layout, NULL) != HED_OK;
    note(r, layout.place, sizeof *layout.place * (size_t)layout.place_count);
    hed_state_layout_free(&layout);
    HedPose pose = hed_body_pose(r->sim, hed_sim_body(r->sim, 0));
    note(r, &pose, sizeof pose);
    HedPeriodState period = hed_sim_period(r->sim);
    note(r, &period, sizeof period);
}

static void read_all(Reading* r) {
    read_energies(r);
    for (int32_t k = 0; hed_sim_sheet(r->sim, k).index != 0; ++k) {
        read_cloth(r, hed_sim_sheet(r->sim, k), (HedYarnsId){0});
    }
    for (int32_t k = 0; hed_sim_yarns(r->sim, k).index != 0; ++k) {
        read_cloth(r, (HedSheetId){0}, hed_sim_yarns(r->sim, k));
        read_yarns(r, hed_sim_yarns(r->sim, k));
    }
    read_pins(r);
    read_rest(r);
}

// --- several at once ---

enum { THREADS = 4, TIMES = 8 };

static void* read_often(void* self) {
    Reading* r = self;
    Reading first = {.sim = r->sim};
    read_all(&first);
    *r = first;
    for (int k = 1; k < TIMES; ++k) {
        Reading again = {.sim = r->sim};
        read_all(&again);
        r->failures += again.failures + (again.hash != first.hash);
    }
    return NULL;
}

static uint64_t read_alone(const HedSim* sim) {
    Reading alone = {.sim = sim};
    read_all(&alone);
    cr_assert_eq(alone.failures, 0);
    return alone.hash;
}

static void read_together(const HedSim* sim, uint64_t expected) {
    pthread_t thread[THREADS];
    Reading readings[THREADS];
    for (int k = 0; k < THREADS; ++k) {
        readings[k] = (Reading){.sim = sim};
        cr_assert_eq(pthread_create(&thread[k], NULL, read_often, &readings[k]), 0);
    }
    for (int k = 0; k < THREADS; ++k) {
        pthread_join(thread[k], NULL);
        cr_assert_eq(readings[k].failures, 0, "thread %d: %d readings differ or fail", k,
                     readings[k].failures);
        cr_assert_eq(readings[k].hash, expected, "thread %d", k);
    }
}

static size_t size_of_state(HedSim* sim) {
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    size_t size = 0;
    for (int32_t k = 0; k < count; ++k) {
        size += (size_t)arrays[k].bytes;
    }
    return size;
}

static void check_reading(HedSim* (*make)(void)) {
    HedSim* sim = make();
    HedSim* unread = make();
    size_t size = size_of_state(sim);
    uint8_t* before = rig_save(sim);
    HedSim own = *sim;
    int64_t blocks = hed_alloc_stats().live_count;
    uint64_t expected = read_alone(sim);
    read_together(sim, expected);
    cr_assert_eq(hed_alloc_stats().live_count, blocks, "readings leave nothing behind");
    cr_assert_eq(memcmp(&own, sim, sizeof own), 0, "the simulation itself");
    uint8_t* after = rig_save(sim);
    cr_assert_eq(memcmp(before, after, size), 0, "its state");
    rig_run(sim, 2);
    rig_run(unread, 2);
    cr_assert_eq(rig_hash(sim), rig_hash(unread), "it goes on as if nobody had looked");
    free(before);
    free(after);
    hed_sim_destroy(sim);
    hed_sim_destroy(unread);
}

Test(reading, several_threads_read_a_mixed_scene_at_once) {
    check_reading(make_weave);
}

Test(reading, several_threads_read_a_knit_at_once) {
    check_reading(make_knit);
}

Test(reading, several_threads_read_yarns_of_explicit_steps_at_once) {
    check_reading(make_explicit);
}

Test(reading, several_threads_read_cloth_that_repeats_at_once) {
    check_reading(make_periodic);
}

// Memory that gives out in the middle of a reading leaves the simulation as it was.
Test(reading, nothing_is_lost_without_memory) {
    HedSim* sim = make_weave();
    uint64_t expected = read_alone(sim);
    for (int64_t k = 1; k < 400; k += 19) {
        Reading poor = {.sim = sim};
        hed_alloc_fail_at(k);
        read_all(&poor);
        hed_alloc_fail_at(0);
        cr_assert_eq(read_alone(sim), expected, "after allocation %d failed", (int)k);
    }
    hed_sim_destroy(sim);
}
