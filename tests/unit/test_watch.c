// SPDX-License-Identifier: MIT
// Steps that somebody stops: given up without a trace, told about while they last.
#include "heddle/heddle.h"

#include "base/alloc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// One scene for every way in which a step is solved, each so hard that it asks often.
static const char* const SHEET = "sheets: [{name: s, grid: {size: [20 cm, 20 cm], points: [9, 9], "
                                 "origin: [-10 cm, 5 cm, -10 cm], across: [1, 0, 0], down: [0, 0, "
                                 "1]}}]\n"
                                 "bodies: [{name: b, shape: sphere, radius: 4 cm}]\n";
static const char* const ROD = "yarns: [{name: y, line: {from: [0, 0, 0], to: [20 cm, 0, 0], "
                               "segments: 40}, radius: 1 mm, linear_density: 1 g/m}]\n"
                               "pins: [{yarns: y, vertices: [0, 1]}]\n";
static const char* const SLIDING =
    "yarns: [{name: c, model: sliding, weave: {pattern: plain, ends: 8, picks: 8, sett: [6 1/cm, "
    "6 1/cm], warp: 120 tex, weft: 120 tex}, sliding: {stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 "
    "mN}}]\n"
    "pins: [{yarns: c, vertices: [0, 1, 2, 3, 4, 5, 6, 7]}]\n";

typedef struct Case {
    const char* step; // of the scene
    const char* const* rest;
} Case;

static const Case CASES[] = {
    {"{size: 20 ms, integrator: implicit-euler}", &SHEET},
    {"{size: 10 ms, integrator: bdf2}", &SHEET},
    {"{size: 10 ms, integrator: newmark}", &SHEET},
    {"{size: 4 ms, integrator: symplectic-euler}", &ROD},
    {"{size: 4 ms, integrator: verlet}", &ROD},
    {"{size: 20 ms, integrator: implicit-euler}", &ROD},
    {"{size: 5 ms}", &SLIDING},
    {"{size: 20 ms, integrator: quasi-static}", &SLIDING},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0], STEPS = 3 };

static HedSim* build(const Case* c) {
    char text[2048];
    HedError error = {0};
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    int size = snprintf(text, sizeof text, "heddle: 1\nthreads: 1\nduration: 1 s\nstep: %s\n%s",
                        c->step, *c->rest);
    cr_assert_eq(hed_scene_parse(text, (size_t)size, "test.yaml", NULL, NULL, 0, &scene, &error),
                 HED_OK, "%s", error.message);
    cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
    hed_scene_destroy(scene);
    return sim;
}

// Ends at the question of that number; 0: never.
typedef struct Asker {
    int32_t asked, last;
} Asker;

static bool ask(void* context) {
    Asker* asker = context;
    return ++asker->asked == asker->last;
}

static HedReason step(HedSim* sim) {
    HedStepReport report;
    HedError error = {0};
    cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
    return report.reason;
}

// All bytes of the state; free with hed_free.
static unsigned char* state_of(HedSim* sim, int64_t* size) {
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    *size = 0;
    for (int32_t k = 0; k < count; ++k) {
        *size += arrays[k].bytes;
    }
    unsigned char* all = hed_alloc((size_t)*size);
    unsigned char* next = all;
    for (int32_t k = 0; k < count; ++k) {
        memcpy(next, arrays[k].data, (size_t)arrays[k].bytes);
        next += arrays[k].bytes;
    }
    return all;
}

static void check_equal(HedSim* a, HedSim* b, const char* step_text, int32_t last) {
    int64_t sizes[2];
    unsigned char* states[2] = {state_of(a, &sizes[0]), state_of(b, &sizes[1])};
    cr_assert_eq(sizes[0], sizes[1], "%s, stopped at question %d", step_text, last);
    cr_assert_arr_eq(states[0], states[1], (size_t)sizes[0], "%s, stopped at question %d",
                     step_text, last);
    hed_free(states[0]);
    hed_free(states[1]);
}

// A step stopped at its n-th question leaves the state of its start; made again it ends as if it
// had never been stopped, and so do the steps after it.
static void stop_and_go_on(const Case* c, int32_t before, int32_t last) {
    HedSim* stopped = build(c);
    HedSim* free_one = build(c);
    for (int32_t k = 0; k < before; ++k) {
        cr_assert_eq(step(stopped), HED_REASON_CONVERGED);
        cr_assert_eq(step(free_one), HED_REASON_CONVERGED);
    }
    Asker asker = {.last = last};
    hed_sim_set_watch(stopped, (HedStepWatch){.stop = ask, .context = &asker});
    cr_assert_eq(step(stopped), HED_REASON_STOPPED, "%s, question %d", c->step, last);
    cr_assert_eq(hed_sim_steps(stopped), before);
    hed_sim_set_watch(stopped, (HedStepWatch){0});
    for (int32_t k = before; k < STEPS; ++k) {
        cr_assert_eq(step(stopped), HED_REASON_CONVERGED);
        cr_assert_eq(step(free_one), HED_REASON_CONVERGED);
    }
    check_equal(stopped, free_one, c->step, last);
    hed_sim_destroy(stopped);
    hed_sim_destroy(free_one);
}

// Questions of the step number `before`.
static int32_t count_questions(const Case* c, int32_t before) {
    HedSim* sim = build(c);
    Asker asker = {0};
    hed_sim_set_watch(sim, (HedStepWatch){.stop = ask, .context = &asker});
    for (int32_t k = 0; k <= before; ++k) {
        asker.asked = 0;
        cr_assert_eq(step(sim), HED_REASON_CONVERGED);
    }
    hed_sim_destroy(sim);
    return asker.asked;
}

Test(watch, a_stopped_step_leaves_no_trace) {
    for (int32_t k = 0; k < CASE_COUNT; ++k) {
        for (int32_t before = 0; before < STEPS; before += 2) {
            int32_t most = count_questions(&CASES[k], before);
            cr_assert_gt(most, 0, "%s: never asks", CASES[k].step);
            const int32_t tries[] = {1, (most + 1) / 2, most};
            for (int t = 0; t < 3; ++t) {
                stop_and_go_on(&CASES[k], before, tries[t]);
            }
        }
    }
}

// Being asked changes nothing.
Test(watch, questions_do_not_change_results) {
    for (int32_t k = 0; k < CASE_COUNT; ++k) {
        HedSim* asked = build(&CASES[k]);
        HedSim* free_one = build(&CASES[k]);
        Asker asker = {0};
        hed_sim_set_watch(asked, (HedStepWatch){.stop = ask, .context = &asker});
        for (int32_t s = 0; s < STEPS; ++s) {
            cr_assert_eq(step(asked), HED_REASON_CONVERGED);
            cr_assert_eq(step(free_one), HED_REASON_CONVERGED);
        }
        check_equal(asked, free_one, CASES[k].step, 0);
        hed_sim_destroy(asked);
        hed_sim_destroy(free_one);
    }
}
