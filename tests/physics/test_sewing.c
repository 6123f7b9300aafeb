// SPDX-License-Identifier: MIT
// Sewing: a sheet that starts in another shape than that at rest begins without stress, comes to
// rest's shape in the time given, and only then falls; seams turn to their rest angles; what
// intersects meanwhile comes apart.
#include "base/alloc.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// A square of 0.2 m at rest, in two shapes: three times as long and half as wide at the start.
typedef struct Rig {
    Mesh mesh;
    double material[6 * 128];
    HedSheetDef def;
    HedSimDef sim;
} Rig;

static void begin(Rig* r, double sewing_time) {
    *r = (Rig){.sim = hed_sim_def_default()};
    HedVec3 zero = {0};
    r->mesh = mesh_grid(9, 9, zero, hed_vec3(0.2, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
    r->mesh.columns = r->mesh.rows = 0;
    for (int32_t k = 0; k < 3 * r->mesh.triangle_count; ++k) {
        HedVec3 x = r->mesh.vertices[r->mesh.triangles[k]];
        r->material[2 * k] = x.x;
        r->material[2 * k + 1] = x.z;
    }
    for (int32_t i = 0; i < r->mesh.vertex_count; ++i) {
        r->mesh.vertices[i].x *= 3.0;
        r->mesh.vertices[i].z *= 0.5;
    }
    r->def = mesh_sheet(&r->mesh);
    r->def.grid_columns = r->def.grid_rows = 0;
    r->def.model = HED_SHEET_MEMBRANE;
    r->def.bending = HED_BENDING_HINGES;
    r->def.material = r->material;
    r->def.sewing_time = sewing_time;
    r->sim.time_step = 1.0 / 200.0;
}

static double width(const HedSim* sim, HedSheetId sheet) {
    return hed_distance3(rig_position(sim, sheet, 0), rig_position(sim, sheet, 8));
}

static double height(const HedSim* sim, HedSheetId sheet) {
    return hed_distance3(rig_position(sim, sheet, 0), rig_position(sim, sheet, 72));
}

Test(sewing, from_one_shape_to_the_other) {
    Rig r;
    begin(&r, 0.5);
    HedSim* sim = rig_sim(&r.sim);
    HedSheetId sheet = rig_sheet(sim, &r.def);
    rig_prepare(sim);
    // Stretches of 3 and 1/2 that begin as rest: no stress but rounding of 9 * 400 N/m * 0.04 m^2.
    cr_assert_lt(rig_potential(sim, "membrane"), 1e-20);
    Momentum start = rig_momentum(sim);
    rig_run(sim, 50);
    // Half the time, half the way: s = 1/2. It follows within the lag of inertia, a few percent.
    cr_assert_float_eq(width(sim, sheet), 0.5 * (0.6 + 0.2), 0.03);
    // The same few percent.
    cr_assert_float_eq(height(sim, sheet), 0.5 * (0.1 + 0.2), 0.01);
    rig_run(sim, 50);
    Momentum sewn = rig_momentum(sim);
    // Nothing has pulled from outside, so the middle stayed; newton_tolerance times 0.5 s bounds
    // it.
    cr_assert_lt(hed_distance3(sewn.centre, start.centre), 5e-5);
    // It lags by its drag of 10/s at 0.8 m/s over w^2 = S/m = 6.7e4/s^2: 1.2e-4 m.
    cr_assert_float_eq(width(sim, sheet), 0.2, 2e-4);
    // As the width, which changes four times as fast.
    cr_assert_float_eq(height(sim, sheet), 0.2, 2e-4);
    // Now it falls: g t^2 / 2, and backward Euler adds g h t / 2.
    rig_run(sim, 20);
    double fall = 0.5 * 9.81 * 0.1 * (0.1 + r.sim.time_step);
    // Steps are solved to 1e-4 m/s, over 0.1 s.
    cr_assert_float_eq(sewn.centre.y - rig_momentum(sim).centre.y, fall, 1e-5);
    // At rest within the last percent of its swing: damping 1 ms against 0.1 m waves.
    cr_assert_lt(rig_potential(sim, "membrane"), 1e-3);
    hed_sim_destroy(sim);
    mesh_free(&r.mesh);
}

// Without a time the start shape is stretched at once: the energy of Green's strain in closed form.
Test(sewing, at_once_by_default) {
    Rig r;
    begin(&r, 0.0);
    r.def.poisson = 0.0;
    r.sim.gravity = (HedVec3){0};
    HedSim* sim = rig_sim(&r.sim);
    rig_sheet(sim, &r.def);
    rig_prepare(sim);
    double along = 0.5 * (9.0 - 1.0);
    double across = 0.5 * (0.25 - 1.0);
    double energy = 0.5 * 0.04 * r.def.stretch * (along * along + across * across);
    // Sums over the triangles, rounded by 1e-16 some ten times.
    cr_assert_float_eq(rig_potential(sim, "membrane"), energy, 1e-14 * energy);
    hed_sim_destroy(sim);
    mesh_free(&r.mesh);
}

static double total(const HedSim* sim) {
    return hed_sim_energies(sim).total;
}

// What sewing puts in is counted: the sum stays, but for what backward Euler takes, which shrinks
// with the step.
Test(sewing, energy_is_counted) {
    double loss[2];
    for (int k = 0; k < 2; ++k) {
        Rig r;
        begin(&r, 0.25);
        r.sim.time_step = k == 0 ? 1.0 / 200.0 : 1.0 / 800.0;
        r.sim.newton_tolerance = 1e-6;
        HedSim* sim = rig_sim(&r.sim);
        rig_sheet(sim, &r.def);
        rig_prepare(sim);
        double before = total(sim);
        rig_run(sim, k == 0 ? 60 : 240);
        loss[k] = before - total(sim);
        cr_assert_gt(hed_sim_energies(sim).external, 0.1, "sewing and lifting take work");
        hed_sim_destroy(sim);
        mesh_free(&r.mesh);
    }
    cr_log_info("lost: %.3g J, %.3g J", loss[0], loss[1]);
    cr_assert_lt(fabs(loss[1]), 0.4 * fabs(loss[0]), "%g, %g", loss[0], loss[1]);
}

// Taken up in the middle of sewing, a run goes on to the same bits.
Test(sewing, same_bits_when_taken_up_again) {
    Rig r;
    begin(&r, 0.2);
    r.sim.time_step = 1.0 / 100.0;
    HedSim* sim = rig_sim(&r.sim);
    rig_sheet(sim, &r.def);
    rig_prepare(sim);
    HedSim* other = rig_sim(&r.sim);
    rig_sheet(other, &r.def);
    rig_prepare(other);
    rig_run(sim, 9);
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT];
    HedSnapshotArray to[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, from);
    cr_assert_eq(hed_sim_snapshot(other, to), count);
    for (int32_t k = 0; k < count; ++k) {
        memcpy(to[k].data, from[k].data, (size_t)from[k].bytes);
    }
    cr_assert_eq(hed_sim_restored(other, NULL), HED_OK);
    cr_assert_eq(hed_sim_energies(other).total, hed_sim_energies(sim).total);
    rig_run(sim, 21);
    rig_run(other, 21);
    cr_assert_eq(rig_hash(sim), rig_hash(other));
    cr_assert_eq(hed_sim_energies(other).external, hed_sim_energies(sim).external);
    hed_sim_destroy(sim);
    hed_sim_destroy(other);
    mesh_free(&r.mesh);
}

// Two triangles, flat at the start, whose common side rests at 1 rad: a ridge seen from the front.
Test(sewing, a_seam_turns_to_its_rest_angle) {
    const HedVec3 x[4] = {{0, 0, 0}, {0.1, 0, 0}, {0.05, 0.08, 0}, {0.05, -0.08, 0}};
    const int32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    const double angles[6] = {1.0, 0, 0, 1.0, 0, 0};
    HedSheetDef def = hed_sheet_def_default();
    def.vertices = x;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.model = HED_SHEET_MEMBRANE;
    def.bending = HED_BENDING_HINGES;
    def.bend_rigidity = 1e-4;
    def.damping = 0.05;
    def.rest_angles = angles;
    HedSimDef world = hed_sim_def_default();
    world.gravity = (HedVec3){0};
    world.drag = 20.0;
    HedSim* sim = rig_sim(&world);
    HedSheetId sheet = rig_sheet(sim, &def);
    rig_settle(sim, sheet, 1e-7, 3000);
    HedVec3 p[4];
    for (int32_t i = 0; i < 4; ++i) {
        p[i] = rig_position(sim, sheet, i);
    }
    HedVec3 middle = hed_mul3(0.5, hed_add3(p[0], p[1]));
    HedVec3 a = hed_sub3(p[2], middle);
    HedVec3 b = hed_sub3(p[3], middle);
    double cosine = hed_dot3(a, b) / (hed_norm3(a) * hed_norm3(b));
    // Between the two pieces: a straight angle less 1 rad. Speed 1e-7 m/s under a drag of 20/s
    // leaves 1e-5 of the moment.
    cr_assert_float_eq(acos(cosine), 3.14159265358979 - 1.0, 1e-3);
    // The front looks along +z at the start: a ridge stands nearer to the viewer than its sides.
    cr_assert_gt(middle.z, p[2].z + 0.01);
    cr_assert_gt(middle.z, p[3].z + 0.01);
    hed_sim_destroy(sim);
}

// Two squares, one panel each, that stand through each other along a line, as one sheet. They are
// sewn: both start twice as wide as they rest. The second is held in all its points, so that
// nothing but the first can give way.
typedef struct Crossed {
    Mesh mesh;
    double material[12 * 32];
    int32_t panels[4 * 32];
    HedSheetDef def;
    HedSimDef sim;
} Crossed;

enum { CROSSED_SIDE = 4, CROSSED_POINTS = CROSSED_SIDE * CROSSED_SIDE };

static const char* const CROSSED_NAMES[] = {"flap", "wall"};

static void cross_sheets(Crossed* c) {
    *c = (Crossed){.sim = hed_sim_def_default()};
    Mesh flap = mesh_grid(CROSSED_SIDE, CROSSED_SIDE, hed_vec3(-0.07, 0.02, 0.013),
                          hed_vec3(0.1, 0.0, 0.01), hed_vec3(0.0, 0.02, 0.1));
    Mesh wall = mesh_grid(CROSSED_SIDE, CROSSED_SIDE, hed_vec3(0.0, -0.1, 0.0),
                          hed_vec3(0.0, 0.2, 0.0), hed_vec3(0.0, 0.0, 0.2));
    int32_t triangles = flap.triangle_count + wall.triangle_count;
    c->mesh.vertices = hed_alloc_array(2 * CROSSED_POINTS, sizeof(HedVec3));
    c->mesh.triangles = hed_alloc_array(3 * triangles, sizeof(int32_t));
    cr_assert(c->mesh.vertices && c->mesh.triangles);
    memcpy(c->mesh.vertices, flap.vertices, CROSSED_POINTS * sizeof(HedVec3));
    memcpy(c->mesh.vertices + CROSSED_POINTS, wall.vertices, CROSSED_POINTS * sizeof(HedVec3));
    for (int32_t k = 0; k < 3 * triangles; ++k) {
        bool is_wall = k >= 3 * flap.triangle_count;
        c->mesh.triangles[k] = is_wall
                                   ? CROSSED_POINTS + wall.triangles[k - 3 * flap.triangle_count]
                                   : flap.triangles[k];
        HedVec3 x = c->mesh.vertices[c->mesh.triangles[k]];
        c->material[2 * k] = is_wall ? x.y : x.x;
        c->material[2 * k + 1] = x.z;
        c->panels[k / 3] = is_wall;
    }
    c->mesh.vertex_count = 2 * CROSSED_POINTS;
    c->mesh.triangle_count = triangles;
    mesh_free(&flap);
    mesh_free(&wall);
    c->def = mesh_sheet(&c->mesh);
    c->def.name = "cloth";
    c->def.model = HED_SHEET_MEMBRANE;
    c->def.bending = HED_BENDING_HINGES;
    c->def.material = c->material;
    c->def.thickness = 2e-3;
    c->def.sewing_time = 0.05;
    c->def.panels = CROSSED_NAMES;
    c->def.panel_count = 2;
    c->def.triangle_panels = c->panels;
    c->sim.self_collision = true;
    c->sim.time_step = 0.01;
    c->sim.gravity = (HedVec3){0};
    c->sim.drag = 5.0;
}

static HedSim* build_crossed(const Crossed* c, int32_t held) {
    int32_t vertices[2 * CROSSED_POINTS];
    for (int32_t i = 0; i < held; ++i) {
        vertices[i] = 2 * CROSSED_POINTS - 1 - i; // the wall first
    }
    HedSim* sim = rig_sim(&c->sim);
    HedSheetId sheet = rig_sheet(sim, &c->def);
    rig_pin(sim, sheet, vertices, held);
    rig_prepare(sim);
    return sim;
}

// By the exact check of all that there is, and by panels.
static int64_t count_overlaps(const HedSim* sim) {
    HedPanelOverlaps overlaps = {0};
    cr_assert_eq(hed_sim_panel_overlaps(sim, &overlaps, NULL), HED_OK);
    int64_t pairs = overlaps.triangle_pairs;
    cr_assert_eq(overlaps.count, pairs > 0);
    if (pairs > 0) {
        cr_assert_eq(overlaps.list[0].count, pairs);
        cr_assert_str_eq(overlaps.list[0].panel[0], "flap");
        cr_assert_str_eq(overlaps.list[0].panel[1], "wall");
        // The line of intersection runs in x = 0; middles of triangles are within a side of it.
        cr_assert_lt(fabs(overlaps.list[0].place.x), 0.04);
    }
    hed_panel_overlaps_free(&overlaps);
    return pairs;
}

Test(sewing, a_flap_comes_out_of_a_wall) {
    Crossed c;
    cross_sheets(&c);
    HedSim* sim = build_crossed(&c, CROSSED_POINTS);
    HedSim* other = build_crossed(&c, CROSSED_POINTS);
    cr_assert_gt(count_overlaps(sim), 0);
    HedStepReport report = rig_step(sim);
    cr_assert_eq(report.phase, HED_PHASE_SEWING);
    cr_assert_gt(report.tangle_count, 0);
    bool was_untangling = false;
    int64_t steps = 1;
    for (; steps < 90 && report.phase != HED_PHASE_FREE; ++steps) {
        report = rig_step(sim);
        was_untangling = was_untangling || report.phase == HED_PHASE_UNTANGLING;
        if (was_untangling && steps == 6) { // taken up among the intersections
            HedSnapshotArray from[HED_SNAPSHOT_LIMIT];
            HedSnapshotArray to[HED_SNAPSHOT_LIMIT];
            int32_t count = hed_sim_snapshot(sim, from);
            cr_assert_eq(hed_sim_snapshot(other, to), count);
            for (int32_t k = 0; k < count; ++k) {
                memcpy(to[k].data, from[k].data, (size_t)from[k].bytes);
            }
            cr_assert_eq(hed_sim_restored(other, NULL), HED_OK);
        }
    }
    cr_assert(was_untangling, "the seams closed with an intersection");
    cr_assert_eq(report.phase, HED_PHASE_FREE);
    cr_assert_eq(count_overlaps(sim), 0);
    // From here on as ever: a flap that is thrown against the wall stays on its side.
    rig_run(other, steps - 7);
    cr_assert_eq(rig_hash(sim), rig_hash(other));
    rig_run(sim, 20);
    cr_assert_eq(count_overlaps(sim), 0);
    hed_sim_destroy(sim);
    hed_sim_destroy(other);
    hed_free(c.mesh.vertices);
    hed_free(c.mesh.triangles);
}

// Where all points are held nothing can be done: that is said, by panels, and the state is kept.
Test(sewing, what_cannot_be_untangled_is_named) {
    Crossed c;
    cross_sheets(&c);
    HedSim* sim = build_crossed(&c, 2 * CROSSED_POINTS);
    HedStepReport report = {0};
    int64_t steps = 0;
    while (report.reason == HED_REASON_CONVERGED && steps < 200) {
        cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
        ++steps;
    }
    cr_assert_eq(report.reason, HED_REASON_TANGLED);
    cr_assert_not_null(
        strstr(report.trouble, "panel 'flap' of 'cloth' with panel 'wall' of 'cloth'"), "%s",
        report.trouble);
    // A second of patience after 0.05 s of sewing.
    cr_assert_float_eq(hed_sim_time(sim), 1.06, 0.011);
    cr_assert_gt(count_overlaps(sim), 0);
    hed_sim_destroy(sim);
    hed_free(c.mesh.vertices);
    hed_free(c.mesh.triangles);
}

// What is not sewn must not intersect, and the message says which panels do.
Test(sewing, without_seams_nothing_may_intersect) {
    Crossed c;
    cross_sheets(&c);
    c.def.sewing_time = 0.0;
    HedError error = {0};
    HedSim* sim = rig_sim(&c.sim);
    rig_sheet(sim, &c.def);
    cr_assert_eq(hed_sim_prepare(sim, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "panel 'flap' of 'cloth' with panel 'wall'"), "%s",
                       error.message);
    hed_sim_destroy(sim);
    c.panels[3] = 2;
    sim = rig_sim(&c.sim);
    HedSheetId sheet;
    cr_assert_eq(hed_sheet_create(sim, &c.def, &sheet, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "triangle 3 has no panel 2 of 2"), "%s",
                       error.message);
    hed_sim_destroy(sim);
    hed_free(c.mesh.vertices);
    hed_free(c.mesh.triangles);
}

Test(sewing, every_allocation_among_intersections_may_fail) {
    Crossed c;
    cross_sheets(&c);
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedSim* sim = NULL;
        HedSheetId sheet;
        int64_t live = hed_alloc_stats().live_count;
        hed_alloc_fail_at(n);
        status = hed_sim_create(&c.sim, &sim, NULL);
        status = status == HED_OK ? hed_sheet_create(sim, &c.def, &sheet, NULL) : status;
        for (int k = 0; k < 6 && status == HED_OK; ++k) {
            status = hed_sim_step(sim, NULL, NULL);
        }
        HedPanelOverlaps overlaps = {0};
        status = status == HED_OK ? hed_sim_panel_overlaps(sim, &overlaps, NULL) : status;
        hed_panel_overlaps_free(&overlaps);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%d", status);
        hed_sim_destroy(sim);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    hed_free(c.mesh.vertices);
    hed_free(c.mesh.triangles);
}

Test(sewing, every_allocation_may_fail) {
    Rig r;
    begin(&r, 0.5);
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedSim* sim = NULL;
        HedSheetId sheet;
        int64_t live = hed_alloc_stats().live_count;
        hed_alloc_fail_at(n);
        status = hed_sim_create(&r.sim, &sim, NULL);
        status = status == HED_OK ? hed_sheet_create(sim, &r.def, &sheet, NULL) : status;
        status = status == HED_OK ? hed_sim_prepare(sim, NULL) : status;
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        hed_sim_destroy(sim);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    r.def.sewing_time = -1.0;
    HedError error = {0};
    HedSim* sim = rig_sim(&r.sim);
    HedSheetId sheet;
    cr_assert_eq(hed_sheet_create(sim, &r.def, &sheet, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "'sewing_time' must be zero or more, got -1"));
    hed_sim_destroy(sim);
    mesh_free(&r.mesh);
}
