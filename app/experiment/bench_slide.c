// SPDX-License-Identifier: MIT
// Speed of sliding yarns: steps of woven and knitted cloth that is held at two corners and falls,
// of as many nodes as the papers show, each step solved by Newton's method. Beside it how exact
// steps are: how far velocities are off from those of the same step solved a thousand times finer.
// Then the linear equations alone: lines with a coarse level against block Jacobi, growth with the
// size of the cloth, products against the machine's own triad bandwidth in the same run.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"
#include "experiment/slide_cloth.h"
#include "heddle/sliding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Run {
    FallingCloth cloth;
    int32_t warm;  // steps before any is timed
    int32_t steps; // that are
    double goal;   // node-steps/s
    const char* name;

    int32_t nodes;
    double best, mean; // s per step
    double newton, linear;
    double error, worst; // m/s, rms and largest
    double bytes;
    HedProfile profile;
    double wall;
} Run;

// How far the velocities of one step are from those of the same step solved much finer.
static HedStatus find_error(Run* run, HedSim* sim, HedYarnsId yarns, HedError* error) {
    FallingCloth fine = run->cloth;
    HedSim* twin = NULL;
    HedYarnsId other;
    HedStepReport report = {0};
    fine.newton_tolerance = 1e-3 * hed_sim_def_default().newton_tolerance;
    HedStatus status = slide_build(&fine, &twin, &other, error);
    HedVec3* x = calloc(2 * (size_t)run->nodes + 2, sizeof *x);
    if (status == HED_OK && x && slide_copy_state(sim, twin)) {
        status = hed_sim_step(sim, &report, error);
        status = status ? status : hed_sim_step(twin, &report, error);
        hed_sliding_node_positions(sim, yarns, x);
        hed_sliding_node_positions(twin, other, x + run->nodes);
        double sum = 0.0;
        for (int32_t k = 0; k < run->nodes; ++k) {
            HedVec3 a = x[k], b = x[run->nodes + k];
            double off = hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) / run->cloth.step;
            sum += off * off;
            run->worst = fmax(run->worst, off);
        }
        run->error = sqrt(sum / run->nodes);
    } else {
        run->error = run->worst = NAN;
    }
    free(x);
    hed_sim_destroy(twin);
    return status;
}

// One step and its time, s; negative: it failed.
static double timed_step(Run* run, HedSim* sim, HedError* error) {
    HedStepReport report = {0};
    double begin = trial_clock();
    bool ok = hed_sim_step(sim, &report, error) == HED_OK && report.reason == HED_REASON_CONVERGED;
    double wall = trial_clock() - begin;
    run->newton += report.iterations;
    run->linear += report.linear_iterations;
    return ok ? wall : -1.0;
}

static int run_steps(HedLab* lab, Run* run, HedSim* sim) {
    HedError error = {0};
    for (int32_t k = 0; k < run->warm + run->steps; ++k) {
        if (k == run->warm) {
            run->newton = run->linear = 0.0;
            hed_sim_set_profile(sim, &run->profile);
        }
        double wall = timed_step(run, sim, &error);
        if (wall < 0.0) {
            return lab_fail_text(lab, "%s: step %d was not solved: %s", run->name, (int)k,
                                 error.message);
        }
        if (k >= run->warm) {
            run->best = fmin(run->best, wall);
            run->wall += wall;
        }
    }
    hed_sim_set_profile(sim, NULL);
    run->mean = run->wall / run->steps;
    run->newton /= run->steps;
    run->linear /= run->steps;
    return 0;
}

static int run_case(HedLab* lab, Run* run) {
    HedError error = {0};
    HedSim* sim = NULL;
    HedYarnsId yarns;
    if (slide_build(&run->cloth, &sim, &yarns, &error) != HED_OK) {
        hed_sim_destroy(sim);
        return lab_fail(lab, &error);
    }
    run->nodes = hed_sliding_node_count(sim, yarns);
    run->best = INFINITY;
    int code = run_steps(lab, run, sim);
    run->bytes = (double)hed_sim_size(sim).bytes;
    if (code == 0 && run->cloth.threads == 2 && find_error(run, sim, yarns, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    hed_sim_destroy(sim);
    return code;
}

static void report_runs(HedLab* lab, const Run* runs, int32_t count) {
    lab_table_begin(lab, "steps.csv",
                    "nodes,threads,step (ms),s/step,thousand node-steps/s,best "
                    "(thousand/s),Newton,linear,error (mm/s rms),largest (mm/s),GB");
    for (int32_t k = 0; k < count; ++k) {
        const Run* r = &runs[k];
        lab_table_row(lab, 11,
                      (double[]){r->nodes, r->cloth.threads, 1e3 * r->cloth.step, r->mean,
                                 1e-3 * r->nodes / r->mean, 1e-3 * r->nodes / r->best, r->newton,
                                 r->linear, 1e3 * r->error, 1e3 * r->worst, 1e-9 * r->bytes});
    }
    lab_table_end(lab);
    lab_table_begin(lab, "stages.csv",
                    "nodes,threads,matrix (%),preconditioner (%),linear (%),forces (%),rest (%)");
    for (int32_t k = 0; k < count; ++k) {
        const double* s = runs[k].profile.seconds;
        double f = 100.0 / runs[k].wall;
        double known = s[HED_STAGE_ASSEMBLY] + s[HED_STAGE_PRECONDITIONER] + s[HED_STAGE_LINEAR] +
                       s[HED_STAGE_FORCES];
        lab_table_row(lab, 7,
                      (double[]){runs[k].nodes, runs[k].cloth.threads, f * s[HED_STAGE_ASSEMBLY],
                                 f * s[HED_STAGE_PRECONDITIONER], f * s[HED_STAGE_LINEAR],
                                 f * s[HED_STAGE_FORCES], f * (runs[k].wall - known)});
    }
    lab_table_end(lab);
}

static void claim_runs(HedLab* lab, const Run* runs, int32_t count) {
    for (int32_t k = 0; k < count; ++k) {
        const Run* r = &runs[k];
        char text[140];
        char key[60];
        snprintf(key, sizeof key, "%s_%d", r->name, (int)r->cloth.threads);
        lab_result(lab, key, r->nodes / r->mean);
        if (r->goal > 0.0) {
            snprintf(text, sizeof text, "%s: node-steps/s, two threads", r->name);
            lab_claim_above(lab, text, r->nodes / r->mean, r->goal);
            snprintf(text, sizeof text, "%s: error of velocities, m/s rms", r->name);
            lab_claim_below(lab, text, r->error, hed_sim_def_default().newton_tolerance);
        }
    }
}

static int steps(HedLab* lab) {
    bool quick = lab_quick(lab);
    HedPreconditionerKind kind = HED_PRECONDITION_AUTO;
    int32_t shirt = quick ? 20 : 370, large = quick ? 30 : 1024, stitches = quick ? 14 : 137;
    Run runs[] = {
        {.cloth = {SLIDE_SOFT, shirt, 1, 1e-3, kind, 0, 0, 0},
         .warm = 2,
         .steps = 3,
         .name = "soft_shirt"},
        {.cloth = {SLIDE_SOFT, shirt, 2, 1e-3, kind, 0, 0, 0},
         .warm = 3,
         .steps = 8,
         .goal = 1e5,
         .name = "soft_shirt"},
        {.cloth = {SLIDE_COTTON, shirt, 2, 1e-3, kind, 0, 0, 0},
         .warm = 2,
         .steps = 5,
         .goal = 2e4,
         .name = "cotton_shirt"},
        {.cloth = {SLIDE_SOFT, large, 2, 1e-3, kind, 0, 0, 0},
         .warm = 1,
         .steps = 2,
         .goal = 6e4,
         .name = "soft_million"},
        {.cloth = {SLIDE_KNIT, stitches, 2, 5e-4, kind, 0, 0, 0},
         .warm = 2,
         .steps = 4,
         .goal = 5e4,
         .name = "knit"},
    };
    int32_t count = (int32_t)(sizeof runs / sizeof *runs);
    int code = 0;
    for (int32_t k = 0; k < count && code == 0; ++k) {
        code = run_case(lab, &runs[k]);
    }
    if (code == 0) {
        report_runs(lab, runs, count);
    }
    if (code == 0 && !quick) {
        claim_runs(lab, runs, count);
        lab_claim_above(lab, "two threads over one", runs[0].best / runs[1].best, 1.7);
        lab_claim_below(lab, "memory of a million nodes, GB", 1e-9 * runs[3].bytes, 8.0);
    }
    return code;
}

// Equations of the first step of cotton.
static int measure(HedLab* lab, FallingCloth cloth, int32_t rounds, HedSolveMeasure* out) {
    HedError error = {0};
    HedSim* sim = NULL;
    HedYarnsId yarns;
    HedStatus status = slide_build(&cloth, &sim, &yarns, &error);
    status = status ? status : hed_sim_measure_solve(sim, rounds, out, &error);
    hed_sim_destroy(sim);
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

static int solves(HedLab* lab) {
    enum { SIZES = 3 };
    static const int32_t FULL[SIZES] = {100, 370, 1024}, QUICK[SIZES] = {12, 18, 24};
    const int32_t* sides = lab_quick(lab) ? QUICK : FULL;
    HedSolveMeasure lines[SIZES] = {0}, jacobi = {0};
    double triad[SIZES] = {0};
    int code = 0;
    lab_table_begin(lab, "solve.csv",
                    "nodes,coarse level,solved,iterations,update (ms),solve (ms),ns/node and "
                    "iteration,true residual,product (GB/s),of triad (%)");
    for (int32_t k = 0; k < SIZES + 1 && code == 0; ++k) {
        bool is_jacobi = k == SIZES;
        HedSolveMeasure* m = is_jacobi ? &jacobi : &lines[k];
        FallingCloth cloth = {SLIDE_COTTON,
                              sides[is_jacobi ? 1 : k],
                              2,
                              1e-3,
                              is_jacobi ? HED_PRECONDITION_JACOBI : HED_PRECONDITION_AUTO,
                              1e-6,
                              20000,
                              0};
        double before = trial_triad(2, lab_quick(lab) ? 1 << 20 : 1 << 24);
        code = measure(lab, cloth, is_jacobi ? 1 : 2, m);
        double best = fmax(before, trial_triad(2, lab_quick(lab) ? 1 << 20 : 1 << 24));
        double rate = (double)m->product_bytes / m->product_time;
        triad[is_jacobi ? 1 : k] = fmax(triad[is_jacobi ? 1 : k], rate / best);
        if (code == 0) {
            lab_table_row(lab, 10,
                          (double[]){m->points, !is_jacobi, m->is_solved, m->iterations,
                                     1e3 * m->update_time, 1e3 * m->solve_time,
                                     1e9 * m->solve_time / m->points / fmax(1.0, m->iterations),
                                     m->residual, 1e-9 * rate, 100.0 * rate / best});
        }
    }
    lab_table_end(lab);
    if (code != 0 || lab_quick(lab)) {
        return code;
    }
    double cost = lines[2].solve_time / lines[2].points / (lines[0].solve_time / lines[0].points);
    lab_result(lab, "iterations_over_jacobi", lines[1].iterations / (double)jacobi.iterations);
    lab_claim_below(lab, "iterations of lines with a coarse level over block Jacobi's",
                    lines[1].iterations / (double)jacobi.iterations, 1.0 / 30.0);
    lab_claim_above(lab, "time of block Jacobi over theirs",
                    jacobi.solve_time / lines[1].solve_time, 8.0);
    lab_claim_below(lab, "iterations, a million nodes over ten thousand",
                    lines[2].iterations / (double)lines[0].iterations, 1.3);
    lab_claim_below(lab, "cost of a node's solve, a million over ten thousand", cost, 1.5);
    lab_claim_above(lab, "product over triad, 138 thousand nodes", triad[1], 0.7);
    return 0;
}

int bench_slide(HedLab* lab) {
    int code = steps(lab);
    return code == 0 ? solves(lab) : code;
}
