// SPDX-License-Identifier: MIT
// Speed of statics: a strip of plain weave of 5 x 15 cm, some 6,000 crossings, is pulled by a tenth
// of its length in 20 steps, each to rest: along its warp, and cut on the bias.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"
#include "experiment/slide_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20 };

static const double WIDTH = 0.05, LENGTH = 0.15; // m
static const double SETT = 900.0;                // 1/m
static const double GRIP = 3e-3;                 // m, of either end
static const double PULL = 0.015;                // m, in all

typedef struct Row {
    double angle; // rad, of the cut
    double limit; // s, for all steps
    const char* name;

    int32_t steps; // of those that are made: a quick run makes the first few
    int32_t crossings;
    double seconds, newton, linear;
    double force; // N, at the end
} Row;

static HedPinId grip(SlideTrial* s, double length, double side, const HedKeyframe* keys) {
    int32_t* nodes = calloc((size_t)s->net.node_count + 1, sizeof *nodes);
    int32_t count = 0;
    for (int32_t k = 0; nodes && k < s->net.node_count; ++k) {
        if (side * s->net.nodes[k].position.y > 0.5 * length - GRIP) {
            nodes[count++] = k;
        }
    }
    HedPinId pin = {0};
    if (nodes) {
        pin = slide_trial_hold(s, nodes, count, false, keys, keys ? 2 : 0);
    } else {
        s->trial.status = HED_NO_MEMORY;
    }
    free(nodes);
    return pin;
}

static void step_all(HedLab* lab, SlideTrial* s, Row* row) {
    double begin = trial_clock();
    for (int32_t k = 0; k < row->steps && s->trial.status == HED_OK; ++k) {
        HedStepReport report = {0};
        s->trial.status = hed_sim_step(s->trial.sim, &report, &s->trial.error);
        if (s->trial.status == HED_OK && report.reason != HED_REASON_CONVERGED) {
            lab_note(lab, "%s: step %d found no rest: %s", row->name, (int)k, report.trouble);
            row->seconds = INFINITY;
            return;
        }
        row->newton += report.iterations;
        row->linear += report.linear_iterations;
    }
    row->seconds = trial_clock() - begin;
}

static int pull(HedLab* lab, Row* row) {
    SlideTrial s = {0};
    double scale = lab_quick(lab) ? 0.25 : 1.0; // of the strip
    row->steps = lab_quick(lab) ? 3 : STEPS;
    double width = scale * WIDTH, length = scale * LENGTH;
    HedSimDef sim = hed_sim_def_default();
    sim.integrator = HED_QUASI_STATIC;
    sim.gravity = (HedVec3){0};
    sim.time_step = 1.0 / STEPS;
    sim.thread_count = lab_threads(lab);
    int32_t threads = (int32_t)ceil((width + length) * SETT) + 2;
    SlideCloth cloth = {.ends = threads,
                        .picks = threads,
                        .spacing = 1.0 / SETT,
                        .diameter = 2.9e-4, // of 60 tex with 910 kg/m^3
                        .density = 6e-5,
                        .angle = row->angle,
                        .width = width,
                        .height = length};
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 20.0;
    def.bend = 2e-9;
    def.shear = 5e-3;
    slide_trial_begin(&s, lab, cloth, sim, def);
    HedKeyframe keys[2] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = 1.0, .pose.rotation.w = 1.0}};
    keys[1].pose.position.y = scale * PULL;
    for (int32_t k = 0; k < s.net.node_count; ++k) {
        row->crossings += s.net.nodes[k].sign != 0;
    }
    grip(&s, length, -1.0, NULL);
    HedPinId pulled = grip(&s, length, 1.0, keys);
    step_all(lab, &s, row);
    row->force = fabs(yarn_trial_reaction(&s.trial, s.yarns, pulled).y);
    int code = yarn_trial_code(&s.trial, lab);
    slide_trial_end(&s);
    return code;
}

int bench_statics(HedLab* lab) {
    Row rows[2] = {{.angle = 0.0, .limit = 60.0, .name = "along warp"},
                   {.angle = 0.785398163397448310, .limit = 180.0, .name = "on the bias"}};
    int code = 0;
    for (int k = 0; k < 2 && code == 0; ++k) {
        code = pull(lab, &rows[k]);
    }
    lab_table_begin(lab, "statics.csv", "angle (deg),crossings,steps,s,Newton,linear,force (N)");
    for (int k = 0; k < 2 && code == 0; ++k) {
        const Row* r = &rows[k];
        lab_table_row(lab, 7,
                      (double[]){45.0 * k, r->crossings, r->steps, r->seconds, r->newton, r->linear,
                                 r->force});
    }
    lab_table_end(lab);
    for (int k = 0; k < 2 && code == 0 && !lab_quick(lab); ++k) {
        char text[100];
        snprintf(text, sizeof text, "20 steps at rest %s, s", rows[k].name);
        lab_claim_below(lab, text, rows[k].seconds, rows[k].limit);
    }
    return code;
}
