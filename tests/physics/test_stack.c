// SPDX-License-Identifier: MIT
// label: slow
// Sheets that fall onto each other: nothing passes through anything, whatever the integrator.
#include "heddle/check.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9 };

// Two squares above each other and above a floor, the upper one turned and faster.
static HedSim* make_stack(HedIntegrator integrator, double h, int32_t threads) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.self_collision = true;
    def.thread_count = threads;
    HedSim* sim = rig_sim(&def);
    for (int k = 0; k < 2; ++k) {
        double turn = 0.4 * k;
        HedVec3 across = hed_vec3(0.2 * cos(turn), 0.02, 0.2 * sin(turn));
        HedVec3 down = hed_vec3(-0.2 * sin(turn), 0.0, 0.2 * cos(turn));
        Mesh mesh = mesh_grid(SIDE, SIDE, hed_vec3(0.02 * k, 0.03 + 0.04 * k, 0.01), across, down);
        HedSheetDef sheet = mesh_sheet(&mesh);
        sheet.thickness = 2e-3;
        sheet.velocity = hed_vec3(0.0, -0.5 - k, 0.0);
        sheet.damping = 1e-3;
        sheet.stretch = 100.0;
        rig_sheet(sim, &sheet);
        mesh_free(&mesh);
    }
    HedBodyDef floor = hed_body_def_default();
    floor.shape = HED_PLANE;
    rig_body(sim, &floor);
    return sim;
}

static int64_t count_intersections(const HedSim* sim) {
    HedSeriesObject all = {.name = "all",
                           .vertex_count = sim->x.count,
                           .triangles = sim->triangles.data,
                           .triangle_count = sim->triangles.count / 3};
    const HedVec3* x = sim->x.data;
    HedIntersections found = {0};
    cr_assert_eq(hed_intersections_find(&all, 1, &x, &found, NULL), HED_OK);
    int64_t pairs = found.cross_count + found.touch_count;
    hed_intersections_free(&found);
    return pairs;
}

Test(stack, nothing_passes_through) {
    static const struct {
        HedIntegrator integrator;
        double h;
        int steps;
    } CASES[] = {{HED_IMPLICIT_EULER, 1.0 / 200.0, 40},
                 {HED_NEWMARK, 1.0 / 400.0, 60},
                 {HED_SYMPLECTIC_EULER, 1e-4, 1500},
                 {HED_XPBD, 1.0 / 300.0, 60}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; ++c) {
        HedSim* sim = make_stack(CASES[c].integrator, CASES[c].h, 1);
        int64_t impacts = 0;
        for (int k = 0; k < CASES[c].steps; ++k) {
            HedStepReport report = rig_step(sim);
            impacts += report.impact_count + sim->self.contacts.count;
            if (k % 10 == 9) {
                cr_assert_eq(count_intersections(sim), 0, "%s, step %d",
                             hed_integrator_name(CASES[c].integrator), k);
            }
        }
        printf("%s: %lld impacts and contacts\n", hed_integrator_name(CASES[c].integrator),
               (long long)impacts);
        cr_expect(impacts > 0, "%s: the sheets never met",
                  hed_integrator_name(CASES[c].integrator));
        // The upper sheet lies on the lower one.
        cr_expect(rig_momentum(sim).centre.y > 1e-3);
        hed_sim_destroy(sim);
    }
}

static double fastest(const HedSim* sim) {
    double speed = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        speed = fmax(speed, hed_norm3(sim->v.data[i]));
    }
    return speed;
}

// Two flat sheets that are laid down come to rest, and then a step is easy to solve. Rest: slower
// than the 1 mm/s below which friction only creeps. Easy: Newton's method doubles its digits, so
// two or three iterations do from a guess that is nearly right.
Test(stack, comes_to_rest) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_IMPLICIT_EULER;
    def.time_step = 1.0 / 200.0;
    def.self_collision = true;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    for (int k = 0; k < 2; ++k) {
        Mesh mesh = mesh_grid(SIDE, SIDE + k, hed_vec3(0.01 * k, 2e-3 + 3e-3 * k, 0.02 * k),
                              hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
        HedSheetDef sheet = mesh_sheet(&mesh);
        sheet.thickness = 2e-3;
        rig_sheet(sim, &sheet);
        mesh_free(&mesh);
    }
    HedBodyDef floor = hed_body_def_default();
    floor.shape = HED_PLANE;
    rig_body(sim, &floor);
    rig_run(sim, 100);
    int32_t iterations = 0;
    for (int k = 0; k < 20; ++k) {
        HedStepReport report = rig_step(sim);
        iterations += report.iterations;
        cr_expect_eq(report.substeps, 1);
    }
    printf("at rest: %.2f Newton iterations a step, %.2g m/s\n", iterations / 20.0, fastest(sim));
    cr_expect(iterations <= 60);
    // m/s, as above.
    cr_expect(fastest(sim) < 1e-3);
    cr_expect_gt(sim->self.contacts.count, 0);
    cr_expect_eq(count_intersections(sim), 0);
    hed_sim_destroy(sim);
}

// Read into a simulation built anew in the middle of the impact, the rest is the same to the last
// bit, also with other numbers of threads.
Test(stack, same_bits) {
    HedSim* sim = make_stack(HED_IMPLICIT_EULER, 1.0 / 200.0, 1);
    rig_run(sim, 12);
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    void* saved[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    for (int32_t k = 0; k < count; ++k) {
        saved[k] = malloc((size_t)arrays[k].bytes);
        memcpy(saved[k], arrays[k].data, (size_t)arrays[k].bytes);
    }
    rig_run(sim, 10);
    for (int32_t threads = 1; threads <= 3; ++threads) {
        HedSim* other = make_stack(HED_IMPLICIT_EULER, 1.0 / 200.0, threads);
        rig_prepare(other);
        cr_assert_eq(hed_sim_snapshot(other, arrays), count);
        for (int32_t k = 0; k < count; ++k) {
            memcpy(arrays[k].data, saved[k], (size_t)arrays[k].bytes);
        }
        cr_assert_eq(hed_sim_restored(other, NULL), HED_OK);
        rig_run(other, 10);
        cr_expect_eq(rig_hash(other), rig_hash(sim), "%d threads", threads);
        hed_sim_destroy(other);
    }
    for (int32_t k = 0; k < count; ++k) {
        free(saved[k]);
    }
    hed_sim_destroy(sim);
}

Test(stack, bad_starts_are_refused) {
    HedSimDef def = hed_sim_def_default();
    def.self_collision = true;
    HedSim* sim = rig_sim(&def);
    for (int k = 0; k < 2; ++k) {
        HedVec3 down = k == 0 ? hed_vec3(0.0, 0.0, 0.2) : hed_vec3(0.0, 0.2, 0.0);
        Mesh mesh =
            mesh_grid(3, 3, hed_vec3(0.01 * k, -0.05 * k, 0.05 * k), hed_vec3(0.2, 0.0, 0.0), down);
        HedSheetDef sheet = mesh_sheet(&mesh);
        rig_sheet(sim, &sheet);
        mesh_free(&mesh);
    }
    HedError error = {0};
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "intersect at the start"), "%s", error.message);
    hed_sim_destroy(sim);

    sim = rig_sim(&def);
    Mesh mesh = mesh_grid(3, 3, (HedVec3){0}, hed_vec3(0.2, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.thickness = 0.0;
    rig_sheet(sim, &sheet);
    mesh_free(&mesh);
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "thickness"), "%s", error.message);
    hed_sim_destroy(sim);
}
