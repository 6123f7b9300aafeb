// SPDX-License-Identifier: MIT
// What contact between two sliding cloths costs: one lies on the other, at rest or sliding, against
// the same two on the table without contact with each other, and against two that are held at two
// corners and fall, as in bench slide: on a table there is little to solve. Beside it how exact
// steps are, as for one cloth, and how fast the upper one loses its speed by friction. Times are
// those of the processor on one thread, which others on the machine hardly change; --threads asks
// for more.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"
#include "experiment/slide_cloth.h"
#include "heddle/sliding.h"

#include <math.h>
#include <stdlib.h>

typedef struct Lying {
    LyingCloths cloths;
    const char* name;
    int32_t warm;  // steps before any is timed
    int32_t steps; // that are

    int32_t nodes;
    double best, mean; // s per step
    double newton, linear;
    double error;   // m/s, rms
    double slowing; // m/s^2, of the upper cloth
    double seconds[HED_STAGE_COUNT];
} Lying;

// Nodes of both cloths.
static void positions(HedSim* sim, const HedYarnsId yarns[2], HedVec3* x) {
    hed_sliding_node_positions(sim, yarns[0], x);
    hed_sliding_node_positions(sim, yarns[1], x + hed_sliding_node_count(sim, yarns[0]));
}

static double mean_x(const HedVec3* x, int32_t count) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        sum += x[k].x;
    }
    return sum / count;
}

// How far the velocities of one step are from those of the same step solved much finer.
static HedStatus find_error(Lying* run, HedSim* sim, const HedYarnsId yarns[2], HedError* error) {
    LyingCloths fine = run->cloths;
    HedSim* twin = NULL;
    HedYarnsId others[2];
    HedStepReport report = {0};
    fine.newton_tolerance = 1e-3 * hed_sim_def_default().newton_tolerance;
    HedStatus status = slide_build_lying(&fine, &twin, others, error);
    HedVec3* x = calloc(2 * (size_t)run->nodes + 2, sizeof *x);
    run->error = NAN;
    if (status == HED_OK && x && slide_copy_state(sim, twin)) {
        status = hed_sim_step(sim, &report, error);
        status = status ? status : hed_sim_step(twin, &report, error);
        positions(sim, yarns, x);
        positions(twin, others, x + run->nodes);
        double sum = 0.0;
        for (int32_t k = 0; k < run->nodes; ++k) {
            HedVec3 a = x[k], b = x[run->nodes + k];
            double off = hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) / run->cloths.step;
            sum += off * off;
        }
        run->error = sqrt(sum / run->nodes);
    }
    free(x);
    hed_sim_destroy(twin);
    return status;
}

static int time_steps(HedLab* lab, Lying* run, HedSim* sim, const HedYarnsId yarns[2]) {
    HedError error = {0};
    HedProfile profile = {0};
    HedVec3* x = calloc((size_t)run->nodes + 1, sizeof *x);
    if (!x) {
        return lab_fail_text(lab, "%s: no memory", run->name);
    }
    const HedVec3* upper = x + run->nodes / 2;
    double at[3] = {
        0.0}; // where the middle of the upper cloth is: before, at the start, at the end
    int code = 0;
    for (int32_t k = 0; k < run->warm + run->steps && code == 0; ++k) {
        HedStepReport report = {0};
        if (k == run->warm) {
            hed_sim_set_profile(sim, &profile);
        }
        double begin = trial_busy();
        bool ok =
            hed_sim_step(sim, &report, &error) == HED_OK && report.reason == HED_REASON_CONVERGED;
        double busy = trial_busy() - begin;
        if (!ok) {
            code = lab_fail_text(lab, "%s: step %d was not solved: %s", run->name, (int)k,
                                 error.message);
        }
        positions(sim, yarns, x);
        double middle = mean_x(upper, run->nodes / 2);
        double speed = (middle - at[0]) / run->cloths.step;
        at[0] = middle;
        at[1] = k == run->warm ? speed : at[1];
        at[2] = speed;
        if (k >= run->warm) {
            run->best = fmin(run->best, busy);
            run->mean += busy / run->steps;
            run->newton += report.iterations / (double)run->steps;
            run->linear += report.linear_iterations / (double)run->steps;
        }
    }
    hed_sim_set_profile(sim, NULL);
    run->slowing = (at[1] - at[2]) / ((run->steps - 1) * run->cloths.step);
    for (int k = 0; k < HED_STAGE_COUNT; ++k) {
        run->seconds[k] = profile.seconds[k] / run->steps;
    }
    free(x);
    return code;
}

static int run_case(HedLab* lab, Lying* run) {
    HedError error = {0};
    HedSim* sim = NULL;
    HedYarnsId yarns[2];
    if (slide_build_lying(&run->cloths, &sim, yarns, &error) != HED_OK) {
        hed_sim_destroy(sim);
        return lab_fail(lab, &error);
    }
    run->nodes = hed_sliding_node_count(sim, yarns[0]) + hed_sliding_node_count(sim, yarns[1]);
    run->best = INFINITY;
    int code = time_steps(lab, run, sim, yarns);
    if (code == 0 && find_error(run, sim, yarns, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    hed_sim_destroy(sim);
    return code;
}

static void report_runs(HedLab* lab, const Lying* runs, int32_t count) {
    lab_table_begin(lab, "contact.csv",
                    "nodes,touch,speed (m/s),s/step,best (s),Newton,linear,error (mm/s rms),"
                    "slowing (m/s^2)");
    for (int32_t k = 0; k < count; ++k) {
        const Lying* r = &runs[k];
        lab_table_row(lab, 9,
                      (double[]){r->nodes, r->cloths.touch, r->cloths.speed, r->mean, r->best,
                                 r->newton, r->linear, 1e3 * r->error, r->slowing});
    }
    lab_table_end(lab);
    lab_table_begin(lab, "contact-stages.csv",
                    "touch,speed (m/s),bodies (ms),near (ms),forces (ms),matrix (ms),"
                    "preconditioner (ms),linear (ms),impacts (ms)");
    for (int32_t k = 0; k < count; ++k) {
        const double* s = runs[k].seconds;
        lab_table_row(lab, 9,
                      (double[]){runs[k].cloths.touch, runs[k].cloths.speed,
                                 1e3 * s[HED_STAGE_CONTACTS], 1e3 * s[HED_STAGE_NEAR],
                                 1e3 * s[HED_STAGE_FORCES], 1e3 * s[HED_STAGE_ASSEMBLY],
                                 1e3 * s[HED_STAGE_PRECONDITIONER], 1e3 * s[HED_STAGE_LINEAR],
                                 1e3 * s[HED_STAGE_IMPACTS]});
    }
    lab_table_end(lab);
}

// s per step, twice that of one cloth that falls.
static int time_falling(HedLab* lab, const LyingCloths* like, int32_t warm, double* mean) {
    FallingCloth cloth = {.kind = like->kind,
                          .side = like->side,
                          .threads = like->threads,
                          .step = like->step,
                          .preconditioner = HED_PRECONDITION_AUTO};
    HedError error = {0};
    HedSim* sim = NULL;
    HedYarnsId yarns;
    HedStatus status = slide_build(&cloth, &sim, &yarns, &error);
    *mean = 0.0;
    for (int32_t k = 0; k < 2 * warm && status == HED_OK; ++k) {
        HedStepReport report = {0};
        double begin = trial_busy();
        status = hed_sim_step(sim, &report, &error);
        *mean += k >= warm ? 2.0 * (trial_busy() - begin) / warm : 0.0;
    }
    hed_sim_destroy(sim);
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

int bench_contact(HedLab* lab) {
    bool quick = lab_quick(lab);
    int32_t side = quick ? 20 : 200;
    int32_t warm = quick ? 10 : 8, steps = quick ? 10 : 8;
    double speed = 0.2;
    SlideKind kind = SLIDE_COTTON;
    int32_t threads = lab_threads(lab) > 0 ? lab_threads(lab) : 1;
    Lying runs[] = {
        {.cloths = {kind, side, threads, 1e-3, 0.0, false, 0.0}, .name = "apart, at rest"},
        {.cloths = {kind, side, threads, 1e-3, 0.0, true, 0.0}, .name = "on each other, at rest"},
        {.cloths = {kind, side, threads, 1e-3, 0.0, false, speed}, .name = "apart, sliding"},
        {.cloths = {kind, side, threads, 1e-3, 0.0, true, speed}, .name = "on each other, sliding"},
    };
    int32_t count = (int32_t)(sizeof runs / sizeof *runs);
    int code = 0;
    for (int32_t k = 0; k < count && code == 0; ++k) {
        runs[k].warm = warm;
        runs[k].steps = steps;
        code = run_case(lab, &runs[k]);
    }
    double falling = 0.0;
    code = code == 0 ? time_falling(lab, &runs[0].cloths, 5, &falling) : code;
    if (code != 0) {
        return code;
    }
    report_runs(lab, runs, count);
    lab_result(lab, "falling_without_contact_s", falling);
    lab_result(lab, "contact_over_none_rest", runs[1].mean / runs[0].mean);
    lab_result(lab, "contact_over_none_sliding", runs[3].mean / runs[2].mean);
    lab_result(lab, "contact_rest_over_falling", runs[1].mean / falling);
    lab_result(lab, "contact_sliding_over_falling", runs[3].mean / falling);
    if (!quick) {
        lab_claim_below(lab, "two cloths at rest on each other over two without contact",
                        runs[1].mean / runs[0].mean, 2.5);
        lab_claim_below(lab, "one sliding on the other over two that fall without contact",
                        runs[3].mean / falling, 2.5);
        lab_claim_below(lab, "on each other: error of velocities, m/s rms",
                        fmax(runs[1].error, runs[3].error), hed_sim_def_default().newton_tolerance);
    }
    return 0;
}
