// SPDX-License-Identifier: MIT
// Speed of yarns in contact: explicit steps of a knit of 26,000 segments, the size of the scarf in
// Kaldor's thesis (2011), and of knits ten times smaller and larger. A segment-step is one segment
// over one explicit step. Times are the least of several rounds, and rounds of all cases follow
// each other, so that a noisy moment does not fall on one of them alone. "Busy" is the processor
// time of the calling thread: what the clock would say on a quiet machine. Sizes are compared over
// the same steps, their first round, lists of candidates that are made in it included: later a knit
// has swollen and touches less.
#include "experiment/knit_loops.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>

enum { PIECES = 16, CASES = 8 }; // explicit steps in one call of hed_sim_step; cases
enum { FIRST = 3 };              // calls of the first round

typedef struct Case {
    int32_t wales, courses, threads;
    bool is_large; // one round has to do
    double friction;

    YarnTrial trial;
    int32_t segments;
    double start;       // J, energy
    double best;        // s per segment-step, by the clock
    double busy;        // the same, of the calling thread's processor time
    double first;       // the same of the first round
    double wall;        // s, of the best round
    HedProfile profile; // of the best round
    double drift;       // of the energy with what was dissipated, over that at the start
} Case;

// Explicit steps of 11 points a segment; wool of 1.3 mm.
static HedYarnsDef material(void) {
    HedYarnsDef def = hed_yarns_def_default();
    def.rest = HED_YARN_AS_STARTED;
    def.linear_density = 6e-4;
    def.stretch = 50.0;
    def.bend = 2e-8;
    def.twist = 1e-8;
    def.damping = 0.0;
    return def;
}

// A knit whose yarns are 8 % too thick for its loops, so that it swells and slides.
static void build(HedLab* lab, Case* c, double time_step) {
    KnitLoops knit = {c->wales, c->courses, 8, 1.2e-3, 0.65e-3};
    YarnCurves curves = {0};
    HedSimDef def = hed_sim_def_default();
    knit_loops(&knit, &curves);
    c->segments = curves.point_count - curves.count;
    c->best = c->busy = HUGE_VAL;
    def.integrator = HED_SYMPLECTIC_EULER;
    def.yarn_friction = c->friction;
    def.thread_count = c->threads;
    def.time_step = time_step;
    yarn_trial_begin(&c->trial, lab, def);
    yarn_trial_add(&c->trial, &curves, material());
    yarn_curves_free(&curves);
    if (c->trial.status == HED_OK) {
        c->trial.status = hed_sim_prepare(c->trial.sim, &c->trial.error);
    }
    c->start = c->trial.status == HED_OK ? hed_sim_energies(c->trial.sim).total : 0.0;
}

// One call; the number of explicit steps in it, 0 after a failure.
static int32_t step(Case* c) {
    HedStepReport report = {0};
    if (c->trial.status == HED_OK) {
        c->trial.status = hed_sim_step(c->trial.sim, &report, &c->trial.error);
    }
    bool ok = c->trial.status == HED_OK && report.reason == HED_REASON_CONVERGED;
    return ok ? report.substeps : 0;
}

static bool run_round(Case* c, int32_t calls) {
    HedProfile profile = {0};
    int64_t pieces = 0;
    bool ok = true;
    hed_sim_set_profile(c->trial.sim, &profile);
    double begin = trial_clock(), busy = trial_busy();
    for (int32_t k = 0; k < calls && ok; ++k) {
        int32_t count = step(c);
        pieces += count;
        ok = count > 0;
    }
    double wall = trial_clock() - begin;
    double done = (double)c->segments * (double)pieces;
    hed_sim_set_profile(c->trial.sim, NULL);
    busy = (trial_busy() - busy) / done;
    c->busy = ok ? fmin(c->busy, busy) : c->busy;
    c->first = c->first > 0.0 ? c->first : busy;
    if (ok && wall / done < c->best) {
        c->best = wall / done;
        c->wall = wall;
        c->profile = profile;
    }
    return ok;
}

// The size of explicit steps that a small knit takes, s.
static double find_piece(HedLab* lab, double friction) {
    Case c = {.wales = 13, .courses = 25, .threads = 1, .friction = friction};
    const double whole = 1e-4;
    build(lab, &c, whole);
    step(&c); // contacts that begin inside of the first call are not in its bound
    int32_t count = step(&c);
    yarn_trial_end(&c.trial);
    return count > 0 ? whole / count : 0.0;
}

// A first round of all cases, and further ones until the time is up.
static bool run_rounds(HedLab* lab, Case* cases, int32_t count) {
    const double time = lab_quick(lab) ? 0.0 : 20.0; // s
    double begin = trial_clock();
    bool ok = true;
    for (int32_t round = 0; ok && (round == 0 || trial_clock() - begin < time); ++round) {
        for (int32_t k = 0; k < count && ok; ++k) {
            int32_t calls = round == 0 ? FIRST : 1 + 26000 / cases[k].segments / 4;
            ok = (round > 0 && cases[k].is_large) || run_round(&cases[k], calls);
        }
        begin = round == 0 ? trial_clock() : begin;
    }
    return ok;
}

static int run_cases(HedLab* lab, Case* cases, int32_t count) {
    double piece[2] = {find_piece(lab, 0.0), find_piece(lab, cases[2].friction)};
    bool ok = piece[0] > 0.0 && piece[1] > 0.0;
    for (int32_t k = 0; k < count && ok; ++k) {
        build(lab, &cases[k], PIECES * piece[cases[k].friction > 0.0] * 0.98);
        ok = step(&cases[k]) > 0; // the first one builds tree and list
    }
    ok = ok && run_rounds(lab, cases, count);
    for (int32_t k = 0; k < count && !ok; ++k) {
        if (cases[k].trial.status != HED_OK) {
            return lab_fail(lab, &cases[k].trial.error);
        }
    }
    return ok ? 0 : lab_fail_text(lab, "a knit could not be stepped");
}

static void report_cases(HedLab* lab, Case* cases, int32_t count) {
    lab_table_begin(lab, "yarns.csv",
                    "segments,threads,friction,us/segment-step,us busy,us busy at first,thousand "
                    "segment-steps/s,million pairs/s,drift of energy");
    for (int32_t k = 0; k < count; ++k) {
        Case* c = &cases[k];
        double drift = hed_sim_energies(c->trial.sim).total - c->start;
        c->drift = drift / c->start;
        lab_table_row(lab, 9,
                      (double[]){c->segments, c->threads, c->friction, 1e6 * c->best, 1e6 * c->busy,
                                 1e6 * c->first, 1e-3 / c->best,
                                 1e-6 * (double)c->profile.yarn_pairs / c->wall, c->drift});
    }
    lab_table_end(lab);
    lab_table_begin(lab, "stages.csv",
                    "segments,threads,friction,search (%),contact (%),memory (%),elastic "
                    "(%),lengths (%),sweep (%),rest (%)");
    for (int32_t k = 0; k < count; ++k) {
        const Case* c = &cases[k];
        const double* s = c->profile.seconds;
        double known = s[HED_STAGE_YARN_SEARCH] + s[HED_STAGE_YARN_CONTACT] +
                       s[HED_STAGE_YARN_MEMORY] + s[HED_STAGE_FORCES] + s[HED_STAGE_YARN_LENGTHS] +
                       s[HED_STAGE_SWEEP];
        double f = 100.0 / c->wall;
        lab_table_row(lab, 10,
                      (double[]){c->segments, c->threads, c->friction, f * s[HED_STAGE_YARN_SEARCH],
                                 f * s[HED_STAGE_YARN_CONTACT], f * s[HED_STAGE_YARN_MEMORY],
                                 f * s[HED_STAGE_FORCES], f * s[HED_STAGE_YARN_LENGTHS],
                                 f * s[HED_STAGE_SWEEP], f * (c->wall - known)});
    }
    lab_table_end(lab);
}

static void claim_growth(HedLab* lab, const Case* small, const Case* large) {
    char text[120];
    double growth = large->first / small->first;
    snprintf(text, sizeof text, "busy time per segment-step, %d over %d segments", large->segments,
             small->segments);
    lab_result(lab, "growth", growth);
    lab_claim_below(lab, text, growth, 1.3);
}

int bench_yarns(HedLab* lab) {
    // One thread of each size, with friction and without; two of the middle one.
    Case cases[CASES] = {
        {.wales = 50, .courses = 65, .threads = 1},
        {.wales = 50, .courses = 65, .threads = 2},
        {.wales = 50, .courses = 65, .threads = 1, .friction = 0.3},
        {.wales = 50, .courses = 65, .threads = 2, .friction = 0.3},
        {.wales = 13, .courses = 25, .threads = 1, .friction = 0.3},
        {.wales = 125, .courses = 260, .threads = 1, .friction = 0.3, .is_large = true},
    };
    int32_t count = lab_quick(lab) ? 5 : 6;
    int code = run_cases(lab, cases, count);
    if (code == 0) {
        report_cases(lab, cases, count);
        lab_result(lab, "segment_steps_1", 1.0 / cases[0].best);
        lab_result(lab, "segment_steps_2", 1.0 / cases[1].best);
        lab_result(lab, "segment_steps_friction_1", 1.0 / cases[2].best);
        lab_result(lab, "segment_steps_friction_2", 1.0 / cases[3].best);
        lab_result(lab, "speedup", cases[2].best / cases[3].best);
        lab_result(lab, "speedup_busy", cases[2].busy / cases[3].busy);
        lab_result(lab, "pairs_per_second", (double)cases[3].profile.yarn_pairs / cases[3].wall);
        lab_claim_above(lab, "segment-steps/s, two threads, no friction", 1.0 / cases[1].best, 1e6);
        lab_claim_above(lab, "segment-steps/s, two threads, friction", 1.0 / cases[3].best, 1e6);
        lab_claim_above(lab, "two threads over one, friction", cases[2].best / cases[3].best, 1.8);
        lab_claim_below(lab, "energy gained or lost, friction", fabs(cases[2].drift), 0.03);
        claim_growth(lab, &cases[4], &cases[count == 6 ? 5 : 2]);
    }
    for (int32_t k = 0; k < CASES; ++k) {
        yarn_trial_end(&cases[k].trial);
    }
    return code;
}
