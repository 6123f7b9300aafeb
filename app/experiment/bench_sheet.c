// SPDX-License-Identifier: MIT
// Speed of sheets: steps per second and bytes per second against the machine's own triad bandwidth,
// measured in the same run. Every number is the least time of several rounds; rounds of all cases
// follow each other, so that a noisy moment does not fall on one of them alone.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, TEAMS = 2, ROUNDS = 20 };

typedef struct Case {
    int32_t side;
    int32_t threads;
    int32_t steps; // per round
    HedSim* sim;
    HedSimSize size;
    double best;  // s per step
    double drift; // of the total energy over the weight's, after all rounds
    double start; // J
    double wall;  // s, of all rounds
    int64_t done; // steps of all rounds, and their iterations
    int64_t newton;
    int64_t linear;
} Case;

static void fill_grid(int32_t n, HedVec3* vertices, int32_t* triangles, int32_t* top) {
    int32_t t = 0;
    for (int32_t row = 0; row < n; ++row) {
        top[row] = row;
        for (int32_t column = 0; column < n; ++column) {
            int32_t a = row * n + column;
            double s = row / (n - 1.0);
            vertices[a] = (HedVec3){column / (n - 1.0), -0.8 * s, 0.6 * s};
            if (row + 1 < n && column + 1 < n) {
                int32_t six[6] = {a, a + n, a + 1, a + 1, a + n, a + n + 1};
                memcpy(triangles + t, six, sizeof six);
                t += 6;
            }
        }
    }
}

// A square cloth of 1 m held along its upper edge, quads.
static int build_sheet(HedLab* lab, Case* c, HedIntegrator integrator, double step_factor) {
    HedError error;
    HedStatus status = HED_OK;
    int32_t n = c->side;
    int32_t cells = (n - 1) * (n - 1);
    HedVec3* vertices = calloc((size_t)n * (size_t)n, sizeof(HedVec3));
    int32_t* triangles = calloc((size_t)cells * 6, sizeof(int32_t));
    int32_t* top = calloc((size_t)n, sizeof(int32_t));
    if (!vertices || !triangles || !top) {
        free(vertices);
        free(triangles);
        free(top);
        return lab_fail_text(lab, "no memory for a sheet of %d x %d", n, n);
    }
    fill_grid(n, vertices, triangles, top);
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet = hed_sheet_def_default();
    HedPinDef pin = hed_pin_def_default();
    HedPinId pin_id;
    def.integrator = integrator;
    def.thread_count = c->threads;
    sheet.vertices = vertices;
    sheet.vertex_count = n * n;
    sheet.triangles = triangles;
    sheet.triangle_count = 2 * cells;
    sheet.grid_columns = sheet.grid_rows = n;
    sheet.damping = 0.0;
    // An explicit step has to follow the fastest wave of one cell; it is known once the sheet is
    // built.
    for (int pass = 0; pass < 2 && status == HED_OK; ++pass) {
        hed_sim_destroy(c->sim);
        c->sim = NULL;
        status = hed_sim_create(&def, &c->sim, &error);
        status = status ? status : hed_sheet_create(c->sim, &sheet, &pin.sheet, &error);
        if (status == HED_OK && step_factor > 0.0) {
            def.time_step = step_factor * hed_sim_size(c->sim).stable_step;
        }
    }
    pin.vertices = top;
    pin.vertex_count = n;
    status = status ? status : hed_pin_create(c->sim, &pin, &pin_id, &error);
    status = status ? status : hed_sim_prepare(c->sim, &error);
    free(vertices);
    free(triangles);
    free(top);
    if (status != HED_OK) {
        return lab_fail(lab, &error);
    }
    c->size = hed_sim_size(c->sim);
    c->start = hed_sim_energies(c->sim).total;
    c->best = HUGE_VAL;
    return 0;
}

static int run_round(HedLab* lab, Case* c, HedStepReport* report) {
    double begin = trial_clock();
    for (int32_t k = 0; k < c->steps; ++k) {
        HedError error;
        if (hed_sim_step(c->sim, report, &error) != HED_OK) {
            return lab_fail(lab, &error);
        }
        if (report->reason != HED_REASON_CONVERGED) {
            return lab_fail_text(lab, "the solver gave up: %s", report->trouble);
        }
        c->newton += report->iterations;
        c->linear += report->linear_iterations;
    }
    double wall = trial_clock() - begin;
    c->best = fmin(c->best, wall / c->steps);
    c->wall += wall;
    c->done += c->steps;
    return 0;
}

static void report_cases(HedLab* lab, Case cases[TEAMS][SIZES], const double bandwidth[TEAMS]) {
    lab_table_begin(lab, "sheet.csv",
                    "points,threads,steps/s,ns/point/step,GB/s,of triad (%),drift of energy");
    for (int s = 0; s < SIZES; ++s) {
        for (int t = 0; t < TEAMS; ++t) {
            Case* c = &cases[t][s];
            double rate = (double)c->size.step_bytes / c->best;
            double scale = 0.15 * 9.81;
            c->drift = (hed_sim_energies(c->sim).total - c->start) / scale;
            lab_table_row(lab, 7,
                          (double[]){c->size.points, c->threads, 1.0 / c->best,
                                     1e9 * c->best / c->size.points, 1e-9 * rate,
                                     100.0 * rate / bandwidth[t], c->drift});
        }
    }
    lab_table_end(lab);
}

int bench_sheet(HedLab* lab) {
    static const int32_t SIDE[SIZES] = {50, 200, 800};
    Case cases[TEAMS][SIZES] = {{{0}}};
    double bandwidth[TEAMS];
    int code = 0;
    for (int t = 0; t < TEAMS; ++t) {
        bandwidth[t] = trial_triad(t + 1, 1 << 24);
        for (int s = 0; s < SIZES && code == 0; ++s) {
            int32_t points = SIDE[s] * SIDE[s];
            cases[t][s] = (Case){.side = SIDE[s], .threads = t + 1, .steps = 1500000 / points + 1};
            code = build_sheet(lab, &cases[t][s], HED_SYMPLECTIC_EULER, 0.5);
        }
    }
    lab_note(lab, "triad: %.1f GB/s with one thread, %.1f with two", 1e-9 * bandwidth[0],
             1e-9 * bandwidth[1]);
    for (int round = 0; round < ROUNDS && code == 0; ++round) {
        for (int k = 0; k < TEAMS * SIZES && code == 0; ++k) {
            HedStepReport report;
            code = run_round(lab, &cases[k / SIZES][k % SIZES], &report);
        }
    }
    if (code == 0) {
        report_cases(lab, cases, bandwidth);
        double small = cases[0][0].best / cases[0][0].size.points;
        double large = cases[0][2].best / cases[0][2].size.points;
        lab_result(lab, "cost_ratio", large / small);
        lab_result(lab, "speedup", cases[0][2].best / cases[1][2].best);
        lab_result(lab, "triad_1", bandwidth[0]);
        lab_result(lab, "triad_2", bandwidth[1]);
        lab_claim_below(lab, "cost per point at 800x800 over that at 50x50, one thread",
                        large / small, 1.3);
        lab_claim_above(lab, "two threads over one at 800x800", cases[0][2].best / cases[1][2].best,
                        1.7);
    }
    for (int k = 0; k < TEAMS * SIZES; ++k) {
        hed_sim_destroy(cases[k / SIZES][k % SIZES].sim);
    }
    return code;
}

int bench_implicit(HedLab* lab) {
    static const int32_t SIDE[SIZES] = {25, 50, 100};
    int code = 0;
    lab_table_begin(lab, "implicit.csv",
                    "points,threads,steps/s,newton/step,cg/step,us/cg with all else,residual "
                    "(N),drift of energy");
    for (int k = 0; k < TEAMS * SIZES && code == 0; ++k) {
        Case c = {.side = SIDE[k / TEAMS], .threads = k % TEAMS + 1, .steps = 10};
        HedStepReport report = {0};
        code = build_sheet(lab, &c, HED_IMPLICIT_EULER, 0.0);
        for (int round = 0; round < 3 && code == 0; ++round) {
            code = run_round(lab, &c, &report);
        }
        if (code == 0) {
            double drift = (hed_sim_energies(c.sim).total - c.start) / (0.15 * 9.81);
            double steps = (double)c.done;
            lab_table_row(lab, 8,
                          (double[]){c.size.points, c.threads, 1.0 / c.best,
                                     (double)c.newton / steps, (double)c.linear / steps,
                                     1e6 * c.wall / (double)c.linear, report.residual, drift});
        }
        hed_sim_destroy(c.sim);
    }
    lab_table_end(lab);
    return code;
}
