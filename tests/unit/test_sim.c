// SPDX-License-Identifier: MIT
// A simulation as a whole: what it refuses, its memory, its bits, its snapshots.
#include "base/hash.h"
#include "base/timer.h"
#include "math/quat.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

static void expect_sim_refused(const HedSimDef* def, const char* words) {
    HedError error = {0};
    HedSim* sim = NULL;
    cr_expect_eq(hed_sim_create(def, &sim, &error), HED_INVALID, "%s", words);
    cr_expect_null(sim);
    cr_expect(strstr(error.message, words), "'%s' is not in '%s'", words, error.message);
}

Test(sim, bad_sim_defs_are_refused) {
    const struct {
        size_t offset;
        const char* name;
    } numbers[] = {
        {offsetof(HedSimDef, time_step), "time_step"},
        {offsetof(HedSimDef, newton_tolerance), "newton_tolerance"},
        {offsetof(HedSimDef, linear_tolerance), "linear_tolerance"},
        {offsetof(HedSimDef, least_step), "least_step"},
    };
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t f = 0; f < sizeof numbers / sizeof numbers[0]; ++f) {
        for (int k = 0; k < 4; ++k) {
            HedSimDef def = hed_sim_def_default();
            memcpy((char*)&def + numbers[f].offset, &bad[k], sizeof(double));
            expect_sim_refused(&def, numbers[f].name);
        }
    }
    HedSimDef def = hed_sim_def_default();
    def.stamp = 0;
    expect_sim_refused(&def, "hed_sim_def_default");
    def = hed_sim_def_default();
    def.drag = -0.1;
    expect_sim_refused(&def, "drag");
    def = hed_sim_def_default();
    def.gravity.x = NAN;
    expect_sim_refused(&def, "gravity");
    def = hed_sim_def_default();
    def.integrator = HED_INTEGRATOR_COUNT;
    expect_sim_refused(&def, "integrator");
    def = hed_sim_def_default();
    def.thread_count = -1;
    expect_sim_refused(&def, "thread");
    def = hed_sim_def_default();
    def.newton_iterations = 0;
    expect_sim_refused(&def, "newton_iterations");
    def = hed_sim_def_default();
    def.pbd_iterations = -3;
    expect_sim_refused(&def, "pbd_iterations");
    def = hed_sim_def_default();
    def.linear_iterations = 0;
    expect_sim_refused(&def, "linear_iterations");
    hed_sim_destroy(NULL);
}

static void expect_body_refused(HedSim* sim, const HedBodyDef* def, const char* words) {
    HedError error = {0};
    HedBodyId id = {0};
    HedAllocStats before = hed_alloc_stats();
    HedStatus status = hed_body_create(sim, def, &id, &error);
    cr_expect_eq(status, HED_INVALID, "%s: %s", words, hed_status_name(status));
    cr_expect(strstr(error.message, words), "'%s' is not in '%s'", words, error.message);
    cr_expect_eq(hed_alloc_stats().live_count, before.live_count);
}

Test(sim, bad_bodies_are_refused) {
    HedSimDef sim_def = hed_sim_def_default();
    HedSim* sim = rig_sim(&sim_def);
    HedBodyDef def = hed_body_def_default();
    def.stamp = 1;
    expect_body_refused(sim, &def, "default");
    const double bad[] = {-1.0, NAN, INFINITY};
    for (int k = 0; k < 3; ++k) {
        def = hed_body_def_default();
        def.radius = bad[k];
        expect_body_refused(sim, &def, "radius");
        def = hed_body_def_default();
        def.friction = bad[k];
        expect_body_refused(sim, &def, "friction");
        def = hed_body_def_default();
        def.stiffness = bad[k];
        expect_body_refused(sim, &def, "stiffness");
        def = hed_body_def_default();
        def.push_speed = bad[k];
        expect_body_refused(sim, &def, "push_speed");
    }
    def = hed_body_def_default();
    def.radius = 0.0;
    expect_body_refused(sim, &def, "radius");
    def = hed_body_def_default();
    def.shape = HED_SHAPE_COUNT;
    expect_body_refused(sim, &def, "shape");
    def = hed_body_def_default();
    def.overlap = HED_OVERLAP_COUNT;
    expect_body_refused(sim, &def, "overlap");
    def = hed_body_def_default();
    def.name = NULL;
    def.shape = HED_TORUS;
    def.minor_radius = 1.0;
    expect_body_refused(sim, &def, "minor_radius");
    HedKeyframe key = {NAN, {ZERO, hed_quat_identity()}};
    def = hed_body_def_default();
    def.keyframes = &key;
    def.keyframe_count = 1;
    expect_body_refused(sim, &def, "keyframe 0");
    key = (HedKeyframe){0.0, {ZERO, {0.0, 0.0, 0.0, 0.0}}};
    expect_body_refused(sim, &def, "keyframe 0");
    def = hed_body_def_default();
    def.shape = HED_MESH;
    expect_body_refused(sim, &def, "body");
    hed_sim_destroy(sim);
}

Test(sim, bad_winds_are_refused) {
    HedSimDef sim_def = hed_sim_def_default();
    HedSim* sim = rig_sim(&sim_def);
    const size_t offsets[] = {offsetof(HedWindDef, density), offsetof(HedWindDef, normal_drag),
                              offsetof(HedWindDef, tangent_drag), offsetof(HedWindDef, gust),
                              offsetof(HedWindDef, gust_length)};
    const double bad[] = {-1.0, NAN, INFINITY};
    for (int f = 0; f < 5; ++f) {
        for (int k = 0; k < 3; ++k) {
            HedWindDef def = hed_wind_def_default();
            memcpy((char*)&def + offsets[f], &bad[k], sizeof(double));
            cr_expect_eq(hed_sim_set_wind(sim, &def, NULL), HED_INVALID, "field %d, %g", f, bad[k]);
        }
    }
    HedWindDef def = hed_wind_def_default();
    def.velocity.y = NAN;
    cr_expect_eq(hed_sim_set_wind(sim, &def, NULL), HED_INVALID);
    def = hed_wind_def_default();
    def.gust_length = 0.0;
    cr_expect_eq(hed_sim_set_wind(sim, &def, NULL), HED_INVALID);
    def = hed_wind_def_default();
    def.stamp = 0;
    cr_expect_eq(hed_sim_set_wind(sim, &def, NULL), HED_INVALID);
    hed_sim_destroy(sim);
}

Test(sim, order_of_calls) {
    HedError error = {0};
    HedSimDef def = hed_sim_def_default();
    HedSim* sim = rig_sim(&def);
    cr_expect_eq(hed_sim_step(sim, NULL, &error), HED_INVALID);
    cr_expect(strstr(error.message, "no sheet"));
    cr_expect_eq(hed_sim_restored(sim, &error), HED_INVALID);
    cr_expect_eq(hed_sim_energies(sim).potential_count, 0, "nothing before the start");
    Mesh mesh = mesh_grid(3, 3, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    HedSim* other = rig_sim(&def);
    HedSheetId strange = rig_sheet(other, &sheet_def);
    cr_expect_neq(sheet.stamp, strange.stamp);
    cr_expect_eq(hed_sheet_vertex_count(sim, strange), 0);
    cr_expect_eq(hed_sheet_vertex_count(sim, sheet), 9);
    cr_expect_eq(hed_sheet_vertex_count(sim, (HedSheetId){0}), 0);
    HedPose pose = hed_body_pose(sim, (HedBodyId){1, sheet.stamp});
    cr_expect_eq(pose.rotation.w, 1.0, "a body that does not exist stands at the origin");
    rig_prepare(sim);
    rig_prepare(sim); // a second time changes nothing
    HedBodyDef body = hed_body_def_default();
    HedBodyId body_id;
    HedWindDef wind = hed_wind_def_default();
    HedSheetId late;
    cr_expect_eq(hed_sheet_create(sim, &sheet_def, &late, &error), HED_INVALID);
    cr_expect(strstr(error.message, "after the first step"));
    cr_expect_eq(hed_body_create(sim, &body, &body_id, &error), HED_INVALID);
    cr_expect_eq(hed_sim_set_wind(sim, &wind, &error), HED_INVALID);
    sheet_def.stamp = 7;
    cr_expect_eq(hed_sheet_create(other, &sheet_def, &late, &error), HED_INVALID);
    mesh_free(&mesh);
    hed_sim_destroy(sim);
    hed_sim_destroy(other);
}

Test(sim, names) {
    cr_expect_str_eq(hed_integrator_name(HED_VERLET), "verlet");
    cr_expect_str_eq(hed_integrator_name(HED_IMPLICIT_EULER), "implicit-euler");
    cr_expect_str_eq(hed_integrator_name((HedIntegrator)99), "unknown");
    cr_expect_str_eq(hed_reason_name(HED_REASON_CONVERGED), "converged");
    cr_expect_str_eq(hed_reason_name((HedReason)-1), "unknown");
}

// A cloth over a ball, held at two corners by a pin that moves and one that lets go, in gusty wind,
// and a patch that flies. Quasi-static steps look for rest: there both pins hold a row and stay,
// the patch hangs by a row of its own, and the air is still.
typedef struct Plan {
    HedIntegrator integrator;
    int32_t side;
    int32_t threads;
    double step;
    bool has_body;
} Plan;

enum { MOST_SIDE = 80 };

static HedStatus hold(HedSim* sim, const Plan* plan, HedSheetId cloth, HedError* error) {
    bool rests = plan->integrator == HED_QUASI_STATIC;
    int32_t n = plan->side;
    int32_t rows[2][MOST_SIDE];
    for (int32_t k = 0; k < n; ++k) {
        rows[0][k] = k;
        rows[1][k] = rests ? n * (n - 1) + k : n - 1;
    }
    HedKeyframe keys[2] = {{0.0, {ZERO, hed_quat_identity()}},
                           {0.1, {{0.0, 0.01, 0.0}, hed_quat_identity()}}};
    HedPinDef pin = hed_pin_def_default();
    pin.sheet = cloth;
    pin.vertices = rows[0];
    pin.vertex_count = rests ? n : 1;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    HedPinDef brief = hed_pin_def_default();
    brief.sheet = cloth;
    brief.vertices = rows[1];
    brief.vertex_count = pin.vertex_count;
    brief.release_time = rests ? HUGE_VAL : 7.5 * plan->step;
    HedPinId id;
    HedStatus status = hed_pin_create(sim, &pin, &id, error);
    return status == HED_OK ? hed_pin_create(sim, &brief, &id, error) : status;
}

static HedStatus build(const Plan* plan, HedSim** sim, HedError* error) {
    HedStatus status = HED_OK;
    int32_t n = plan->side;
    Mesh grid = mesh_grid(n, n, hed_vec3(-0.2, 0.10055, -0.2), hed_vec3(0.4, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.4));
    Mesh lattice = mesh_lattice(4, 4, 0.05);
    HedSimDef def = hed_sim_def_default();
    def.integrator = plan->integrator;
    def.thread_count = plan->threads;
    def.time_step = plan->step;
    def.drag = 0.1;
    HedSheetDef cloth = mesh_sheet(&grid);
    cloth.velocity = hed_vec3(0.0, -0.5, 0.0);
    cloth.stretch = 50.0;
    cloth.damping = 1e-4;
    HedSheetDef patch = mesh_sheet(&lattice);
    patch.bending = HED_BENDING_SPRINGS;
    patch.velocity = hed_vec3(0.0, 3.0, 0.0);
    HedBodyDef ball = hed_body_def_default();
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = hed_vec3(2.0, 1.0, 0.0);
    wind.gust = 0.3;
    bool rests = plan->integrator == HED_QUASI_STATIC;
    const int32_t edge[4] = {0, 1, 2, 3};
    HedPinDef patch_pin = hed_pin_def_default();
    patch_pin.vertices = edge;
    patch_pin.vertex_count = 4;
    HedSheetId id;
    HedBodyId body_id;
    HedPinId pin_id;
    for (int32_t k = 0; k < lattice.vertex_count; ++k) {
        lattice.vertices[k].y = 1.0;
    }
    *sim = NULL;
    HED_TRY(hed_sim_create(&def, sim, error));
    HED_TRY(hed_sheet_create(*sim, &cloth, &id, error));
    HED_TRY(hold(*sim, plan, id, error));
    HED_TRY(hed_sheet_create(*sim, &patch, &id, error));
    patch_pin.sheet = id;
    if (rests) {
        HED_TRY(hed_pin_create(*sim, &patch_pin, &pin_id, error));
    } else {
        HED_TRY(hed_sim_set_wind(*sim, &wind, error));
    }
    if (plan->has_body) {
        HED_TRY(hed_body_create(*sim, &ball, &body_id, error));
    }
    HED_TRY(hed_sim_prepare(*sim, error));
done:
    mesh_free(&grid);
    mesh_free(&lattice);
    return status;
}

static HedSim* build_good(const Plan* plan) {
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(build(plan, &sim, &error), HED_OK, "%s", error.message);
    return sim;
}

// Explicit steps short enough for 50 N/m and cells of 5 mm; the others of practical size.
static double step_of(HedIntegrator kind) {
    return kind == HED_IMPLICIT_EULER || kind == HED_PBD || kind == HED_XPBD ? 1.0 / 300.0 : 2e-5;
}

Test(sim, the_hundredth_step_does_not_allocate) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Plan plan = {(HedIntegrator)kind, 20, 2, step_of((HedIntegrator)kind), false};
        HedSim* sim = build_good(&plan);
        rig_run(sim, 99);
        int64_t before = hed_alloc_stats().call_count;
        rig_run(sim, 1);
        cr_expect_eq(hed_alloc_stats().call_count, before, "%s",
                     hed_integrator_name((HedIntegrator)kind));
        hed_sim_destroy(sim);
    }
}

Test(sim, every_allocation_may_fail) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Plan plan = {(HedIntegrator)kind, 7, 1, step_of((HedIntegrator)kind), true};
        HedAllocStats before = hed_alloc_stats();
        HedStatus status = HED_NO_MEMORY;
        int n = 1;
        for (; status != HED_OK; ++n) {
            HedSim* sim = NULL;
            HedError error = {0};
            hed_alloc_fail_at(n);
            status = build(&plan, &sim, &error);
            for (int k = 0; k < 3 && status == HED_OK; ++k) {
                status = hed_sim_step(sim, NULL, &error);
            }
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s, allocation %d: %s",
                      hed_integrator_name(plan.integrator), n, hed_status_name(status));
            cr_assert(status == HED_OK || error.message[0] != '\0');
            hed_sim_destroy(sim);
            cr_assert_eq(hed_alloc_stats().live_count, before.live_count, "%s: leak at %d",
                         hed_integrator_name(plan.integrator), n);
            cr_assert(n < 2000);
        }
        cr_expect(n > 50, "%d allocations", n);
    }
}

// A step that runs out of memory says so; the next one goes on. Implicit steps leave the state as
// it was, so that the repetition is the step itself.
Test(sim, a_step_without_memory_can_be_repeated) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Plan plan = {(HedIntegrator)kind, 10, 1, step_of((HedIntegrator)kind), true};
        HedSim* sim = build_good(&plan);
        HedSim* untouched = build_good(&plan);
        int failed = 0;
        for (int k = 0; k < 40; ++k) {
            hed_alloc_fail_at(1);
            HedStatus status = hed_sim_step(sim, NULL, NULL);
            hed_alloc_fail_at(0);
            if (status != HED_OK) {
                cr_assert_eq(status, HED_NO_MEMORY);
                failed += 1;
                rig_step(sim);
            }
            rig_step(untouched);
        }
        cr_expect(failed > 0, "%s", hed_integrator_name((HedIntegrator)kind));
        cr_expect(kind != HED_IMPLICIT_EULER || rig_hash(sim) == rig_hash(untouched));
        hed_sim_destroy(sim);
        hed_sim_destroy(untouched);
    }
}

static uint64_t run_hash(const Plan* plan, int64_t steps) {
    HedSim* sim = build_good(plan);
    HedStepReport report = rig_run(sim, steps);
    HedEnergies energies = hed_sim_energies(sim);
    cr_expect(report.contact_count > 0, "the body takes part");
    uint64_t hash = rig_hash(sim);
    hash = hed_hash(hash, &energies.total, sizeof energies.total);
    hed_sim_destroy(sim);
    return hash;
}

Test(sim, same_bits_for_any_thread_count) {
    const int32_t threads[4] = {1, 2, 3, 8};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        uint64_t first = 0;
        for (int t = 0; t < 4; ++t) {
            int32_t side = kind == HED_QUASI_STATIC ? 24 : MOST_SIDE; // rest takes many solves
            Plan plan = {(HedIntegrator)kind, side, threads[t], step_of((HedIntegrator)kind), true};
            int64_t steps = kind == HED_IMPLICIT_EULER ? 1
                            : plan.step > 1e-3         ? 2
                                                       : 10; // 0.05 mm from the ball, at 0.5 m/s
            uint64_t hash = run_hash(&plan, steps);
            first = t == 0 ? hash : first;
            cr_expect_eq(hash, first, "%s with %d threads",
                         hed_integrator_name((HedIntegrator)kind), threads[t]);
        }
    }
}

// Saved after four steps and read into a simulation built anew, the rest is the same to the last
// bit, through the release of a pin and with contacts.
Test(sim, snapshots_go_on_to_the_last_bit) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Plan plan = {(HedIntegrator)kind, 16, 2, step_of((HedIntegrator)kind), true};
        int64_t before =
            kind == HED_PBD || kind == HED_XPBD || kind == HED_IMPLICIT_EULER ? 4 : 170;
        HedSim* sim = build_good(&plan);
        rig_run(sim, before);
        HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
        int32_t count = hed_sim_snapshot(sim, arrays);
        void* saved[HED_SNAPSHOT_LIMIT];
        int64_t bytes[HED_SNAPSHOT_LIMIT];
        for (int32_t k = 0; k < count; ++k) {
            bytes[k] = arrays[k].bytes;
            saved[k] = malloc((size_t)bytes[k]);
            cr_assert_not_null(saved[k]);
            memcpy(saved[k], arrays[k].data, (size_t)bytes[k]);
        }
        double energy = hed_sim_energies(sim).total;
        rig_run(sim, 20);
        HedSim* other = build_good(&plan);
        cr_assert_eq(hed_sim_snapshot(other, arrays), count);
        for (int32_t k = 0; k < count; ++k) {
            cr_assert_eq(arrays[k].bytes, bytes[k]);
            memcpy(arrays[k].data, saved[k], (size_t)bytes[k]);
            free(saved[k]);
        }
        cr_assert_eq(hed_sim_restored(other, NULL), HED_OK);
        cr_expect_eq(hed_sim_steps(other), before);
        cr_expect_eq(hed_sim_energies(other).total, energy);
        rig_run(other, 20);
        cr_expect_eq(rig_hash(other), rig_hash(sim), "%s",
                     hed_integrator_name((HedIntegrator)kind));
        cr_expect_eq(hed_sim_energies(other).total, hed_sim_energies(sim).total);
        hed_sim_destroy(sim);
        hed_sim_destroy(other);
    }
}

Test(sim, bad_snapshots_are_refused) {
    Plan plan = {HED_VERLET, 6, 1, 1e-5, false};
    const double bad[2] = {NAN, INFINITY};
    for (int k = 0; k < 2; ++k) {
        for (int which = 0; which < 4; ++which) {
            HedSim* sim = build_good(&plan);
            HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
            int32_t count = hed_sim_snapshot(sim, arrays);
            cr_assert_eq(count, 4, "counters, x, v and the carried forces");
            // Counters: an energy; the others: the last number.
            double* last = (double*)((char*)arrays[which].data + arrays[which].bytes) - 1;
            *last = bad[k];
            HedError error = {0};
            cr_expect_eq(hed_sim_restored(sim, &error), HED_PARSE, "%s", arrays[which].name);
            hed_sim_destroy(sim);
        }
    }
}

// The estimate of the stable step is on the safe side, and not by more than a factor of two.
Test(sim, stable_step) {
    Mesh mesh = mesh_grid(10, 10, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    double factor[2] = {0.99, 2.0};
    for (int k = 0; k < 2; ++k) {
        HedSimDef def = hed_sim_def_default();
        def.integrator = HED_SYMPLECTIC_EULER;
        def.gravity = ZERO;
        HedSheetDef sheet_def = mesh_sheet(&mesh);
        sheet_def.bend_rigidity = 1e-4;
        HedSim* probe = rig_sim(&def);
        rig_sheet(probe, &sheet_def);
        def.time_step = factor[k] * hed_sim_size(probe).stable_step;
        hed_sim_destroy(probe);
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_prepare(sim);
        rig_set_velocity(sim, sheet, 37, hed_vec3(0.01, 0.02, 0.01));
        double start = hed_sim_energies(sim).kinetic;
        HedStepReport report = {0};
        for (int s = 0; s < 2000 && report.reason == HED_REASON_CONVERGED; ++s) {
            hed_sim_step(sim, &report, NULL);
        }
        double end = hed_sim_energies(sim).kinetic;
        cr_expect_eq(report.reason == HED_REASON_CONVERGED && end < 10.0 * start, k == 0,
                     "factor %g: energy %g of %g", factor[k], end, start);
        hed_sim_destroy(sim);
    }
    mesh_free(&mesh);
}

// A solver that gives up says so, leaves the state at the last good step, and may be asked again.
Test(sim, giving_up_is_an_outcome) {
    Plan plan = {HED_IMPLICIT_EULER, 10, 1, 1.0 / 300.0, true};
    HedSim* sim = build_good(&plan);
    rig_run(sim, 2);
    uint64_t before = rig_hash(sim);
    sim->def.newton_iterations = 2;
    sim->def.newton_tolerance = 1e-300;
    HedStepReport report;
    for (int k = 0; k < 2; ++k) {
        cr_expect_eq(hed_sim_step(sim, &report, NULL), HED_OK);
        cr_expect_eq(report.reason, HED_REASON_MAX_ITERATIONS);
        cr_expect_eq(report.cuts[HED_REASON_MAX_ITERATIONS], 10, "halved from 1 to 1/1024");
        cr_expect(strstr(report.trouble, "no convergence") && strstr(report.trouble, "vertex"));
        cr_expect_eq(hed_sim_steps(sim), 2);
        cr_expect_eq(rig_hash(sim), before);
    }
    hed_sim_destroy(sim);
}

// One linear solve a step is an option, and no tolerance stands in its way.
Test(sim, one_linear_solve_a_step) {
    Plan plan = {HED_IMPLICIT_EULER, 10, 1, 1.0 / 300.0, true};
    HedSim* sim = build_good(&plan);
    sim->def.newton_iterations = 1;
    sim->def.newton_tolerance = 1e-300;
    HedStepReport report;
    for (int k = 0; k < 5; ++k) {
        cr_expect_eq(hed_sim_step(sim, &report, NULL), HED_OK);
        cr_expect_eq(report.reason, HED_REASON_CONVERGED);
        // Once more each time that the sheet is found to have met a body, at most four times.
        cr_expect(report.iterations >= 1 && report.iterations <= 5, "%d", report.iterations);
        cr_expect_eq(report.substeps, 1);
    }
    hed_sim_destroy(sim);
}

// Times of stages are told on demand, and add up to the time of the steps.
Test(sim, profile) {
    Plan plan = {HED_IMPLICIT_EULER, 10, 1, 1.0 / 300.0, true};
    HedSim* sim = build_good(&plan);
    HedProfile profile = {0};
    rig_run(sim, 1);
    hed_sim_set_profile(sim, &profile);
    double begin = hed_time_now();
    rig_run(sim, 3);
    double spent = hed_time_now() - begin;
    hed_sim_set_profile(sim, NULL);
    double sum = 0.0;
    for (int k = 0; k < HED_STAGE_COUNT; ++k) {
        cr_expect(strcmp(hed_stage_name((HedStage)k), "unknown") != 0);
        sum += profile.seconds[k];
    }
    cr_expect_str_eq(hed_stage_name(HED_STAGE_COUNT), "unknown");
    cr_expect(profile.seconds[HED_STAGE_LINEAR] > 0.0 && profile.seconds[HED_STAGE_FORCES] > 0.0);
    cr_expect(sum > 0.0 && sum <= spent, "%g of %g s", sum, spent);
    HedProfile before = profile;
    rig_run(sim, 1);
    cr_expect_eq(memcmp(&before, &profile, sizeof before), 0, "it was taken away");
    hed_sim_destroy(sim);
}
