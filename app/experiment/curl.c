// SPDX-License-Identifier: MIT
// Knits of sliding yarns curl at rest as knits of rods do: stockinette rolls its sides to the back
// and its ends to the front, reverse stockinette the other way, garter and rib lie flat. The turns
// of their hinges were found on a smaller swatch of rods (heddle/curl.h).
#include "experiment/list.h"
#include "experiment/sliding_patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "pattern",
     .text = "all",
     .choices = "all stockinette reverse-stockinette garter rib-1x1 rib-2x2 seed",
     .unit = "",
     .help = "of the patch; all: the first four"},
    {.name = "rows",
     .number = 8,
     .least = 4,
     .most = 60,
     .whole = true,
     .unit = "",
     .help = "of the patch"},
    {.name = "stitches",
     .number = 8,
     .least = 4,
     .most = 60,
     .whole = true,
     .unit = "",
     .help = "in a row"},
    {.name = "swatch",
     .number = 6,
     .least = 4,
     .most = 20,
     .whole = true,
     .unit = "",
     .help = "rows and stitches of the one that hinges are found on"},
};

enum { MOST = 4, KINDS = 2, RODS = 0, SLIDING = 1 };
static const char* const ALL[MOST] = {"stockinette", "reverse-stockinette", "rib-1x1", "garter"};
static const char* const KIND_NAMES[KINDS] = {"rods", "sliding"};

// One patch at rest.
typedef struct Shape {
    HedNetTurns turns;
    double width, height; // of the flat patch's
    double curvature[2];  // 1/m, along courses and wales
} Shape;

typedef struct Outcome {
    const char* pattern;
    Shape shapes[KINDS];
    HedCurl curl;
    double left;  // N, largest unbalanced force of the sliding patch
    double pull;  // N, mean pull or push in its yarns
    double drive; // N, with which hinges would pull at their ends if it were flat
    bool is_quiet;
} Outcome;

static void measure(const Patch* patch, const Patch* flat, Shape* shape) {
    int32_t spread[2] = {0, 0};
    double steps[2] = {0.0, 0.0};
    shape->turns = hed_net_turns(&patch->net, patch->nodes);
    shape->width = patch_extent(patch, 0) / patch_extent(flat, 0);
    shape->height = patch_extent(patch, 1) / patch_extent(flat, 1);
    for (int32_t k = 0; k < patch->net.hinge_count; ++k) {
        const HedNetHinge* hinge = &patch->net.hinges[k];
        const int32_t* lines[2] = {hinge->along, hinge->across};
        for (int d = 0; d < 2; ++d) {
            HedVec3 a = patch->nodes[lines[d][0]], b = patch->nodes[hinge->centre];
            steps[d] += sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) +
                             (b.z - a.z) * (b.z - a.z));
            spread[d] += 1;
        }
    }
    for (int d = 0; d < 2; ++d) {
        shape->curvature[d] = shape->turns.fabric[d] * spread[d] / steps[d];
    }
}

// Mean size of the tension along yarns, N.
static double mean_pull(const HedSim* sim, HedYarnsId yarns) {
    int32_t count = hed_yarns_vertex_count(sim, yarns);
    double* values = calloc((size_t)count + 1, sizeof *values);
    double sum = 0.0;
    if (values && hed_yarns_quantity(sim, yarns, HED_QUANTITY_TENSION, values, NULL) == HED_OK) {
        for (int32_t k = 0; k < count; ++k) {
            sum += fabs(values[k]);
        }
    }
    free(values);
    return count > 0 ? sum / count : 0.0;
}

// The drawn patch comes to rest with the hinges of its pattern.
static int rest_sliding(HedLab* lab, Patch* patch, Outcome* outcome) {
    HedError error = {0};
    HedSim* sim = NULL;
    HedYarnsId yarns = {0};
    HedStepReport report = {0};
    HedSimDef def = hed_sim_def_default();
    HedSlidingDef sliding = patch_material(patch);
    def.integrator = HED_QUASI_STATIC;
    def.gravity = (HedVec3){0};
    def.time_step = 0.01;
    def.least_step = 1.0; // nothing moves with time: half a step would go the same way
    def.thread_count = lab_threads(lab);
    def.force_tolerance = (lab_quick(lab) ? 0.02 : 0.008) * outcome->drive;
    sliding.curl_stiffness = outcome->curl.stiffness;
    sliding.curl_along = outcome->curl.along;
    sliding.curl_across = outcome->curl.across;
    int code = 0;
    if (hed_sim_create(&def, &sim, &error) != HED_OK ||
        hed_sliding_create(sim, &sliding, &yarns, &error) != HED_OK ||
        hed_sim_step(sim, &report, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    } else {
        hed_sliding_node_positions(sim, yarns, patch->nodes);
        outcome->left = report.residual;
        outcome->pull = mean_pull(sim, yarns);
        outcome->is_quiet = report.reason == HED_REASON_CONVERGED;
        lab_note(lab, "%s: %d nodes, %s after %d iterations; %.2g N left, mean pull %.2g N",
                 outcome->pattern, patch->net.node_count, outcome->is_quiet ? "rest" : "NO rest",
                 report.iterations, outcome->left, outcome->pull);
    }
    hed_sim_destroy(sim);
    return code;
}

static int calibrate(HedLab* lab, const Patch* patch, int32_t stitches, Outcome* outcome) {
    HedCurlDef def = hed_curl_def_default();
    HedError error = {0};
    int32_t size = lab_quick(lab) ? 4 : lab_count(lab, "swatch");
    def.knit = patch_knit_def(outcome->pattern, size, size);
    def.sliding = patch_material(patch);
    def.relax.threads = lab_threads(lab);
    if (hed_curl_calibrate(&def, &outcome->curl, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    const HedCurl* c = &outcome->curl;
    // The energy k (turn - rest)^2 of a flat hinge by the way of its end, over a stitch of length
    // W.
    double stitch = patch_extent(patch, 0) / stitches;
    outcome->drive = 2.0 * c->stiffness * fmax(fabs(c->along), fabs(c->across)) / stitch;
    lab_note(lab,
             "%s: swatch of %d x %d: rods turn %.3f and %.3f, hinges of %.3g B/d at %.3f and %.3f "
             "turn %.3f and %.3f%s",
             outcome->pattern, size, size, c->rods[0], c->rods[1],
             c->stiffness * PATCH_DIAMETER / PATCH_BEND, c->along, c->across, c->yarns[0],
             c->yarns[1], c->is_cached ? " (kept from before)" : "");
    return 0;
}

static void draw(HedLab* lab, const Outcome* outcome, const Patch* rods, const Patch* sliding) {
    YarnCurves left = {0}, right = {0};
    const YarnCurves* sets[2] = {&left, &right};
    char picture[64];
    double apart = 0.75 * (patch_extent(rods, 0) + patch_extent(sliding, 0));
    snprintf(picture, sizeof picture, "%.40s.png", outcome->pattern);
    patch_add_rods(&left, &rods->fabric, (HedVec3){0});
    patch_add_yarns(lab, &right, sliding, (HedVec3){apart, 0.0, 0.0});
    if (!left.has_failed && !right.has_failed) {
        yarn_lab_draw(lab, sets, 2, picture, (double[]){0.35, 0.35});
    }
    yarn_curves_free(&left);
    yarn_curves_free(&right);
}

static int run_pattern(HedLab* lab, Outcome* outcome) {
    bool quick = lab_quick(lab);
    int32_t rows = quick ? 5 : lab_count(lab, "rows");
    int32_t stitches = quick ? 5 : lab_count(lab, "stitches");
    HedKnitDef knit = patch_knit_def(outcome->pattern, rows, stitches);
    HedRelaxDef relax = hed_relax_def_default();
    HedRelaxReport report = {0};
    Patch flat = {0}, rods = {0}, sliding = {0};
    relax.threads = lab_threads(lab);
    int code = patch_knit(lab, &knit, NULL, &flat, NULL);
    code = code == 0 ? patch_knit(lab, &knit, NULL, &sliding, NULL) : code;
    code = code == 0 ? patch_knit(lab, &knit, &relax, &rods, &report) : code;
    code = code == 0 ? calibrate(lab, &sliding, stitches, outcome) : code;
    code = code == 0 ? rest_sliding(lab, &sliding, outcome) : code;
    if (code == 0) {
        lab_note(lab, "%s: rods %s after %d iterations, force %.2g B/d^2", outcome->pattern,
                 report.is_quiet ? "quiet" : "NOT quiet", report.iterations, report.force);
        outcome->is_quiet = outcome->is_quiet && report.is_quiet;
        measure(&rods, &flat, &outcome->shapes[RODS]);
        measure(&sliding, &flat, &outcome->shapes[SLIDING]);
        draw(lab, outcome, &rods, &sliding);
    }
    patch_free(&flat);
    patch_free(&rods);
    patch_free(&sliding);
    return code;
}

static void report(HedLab* lab, const Outcome* all, int count) {
    static const char* const NAMES[] = {"course_curvature", "wale_curvature", "relative_width",
                                        "relative_height"};
    char name[64];
    lab_table_begin(lab, "curl.csv",
                    "pattern,kind,turn along,turn across,course curvature (1/m),wale curvature "
                    "(1/m),relative width,relative height");
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < KINDS; ++k) {
            const Shape* s = &all[p].shapes[k];
            const double values[] = {s->curvature[0], s->curvature[1], s->width, s->height};
            for (int i = 0; i < 4; ++i) {
                snprintf(name, sizeof name, "%.20s_%s.%s", all[p].pattern, KIND_NAMES[k], NAMES[i]);
                lab_result(lab, name, values[i]);
            }
            lab_table_row(lab, 8,
                          (double[]){p, k, s->turns.fabric[0], s->turns.fabric[1], values[0],
                                     values[1], values[2], values[3]});
        }
    }
    lab_table_end(lab);
}

// What knitters know: sides of a knit side go to the back (turns along courses are negative), ends
// to the front (those along wales are positive).
static void claim_curl(HedLab* lab, const Outcome* o, int kind, double sign) {
    char text[120];
    const HedNetTurns* turns = &o->shapes[kind].turns;
    const char* name = KIND_NAMES[kind];
    snprintf(text, sizeof text, "%s of %s: sides roll to the %s", o->pattern, name,
             sign > 0.0 ? "back" : "front");
    lab_claim_above(lab, text, -sign * turns->fabric[0], 0.1);
    snprintf(text, sizeof text, "%s of %s: ends roll to the %s", o->pattern, name,
             sign > 0.0 ? "front" : "back");
    lab_claim_above(lab, text, sign * turns->fabric[1], 0.1);
}

// Stitches of both kinds cancel out: what is left of their turns in the fabric's.
static void claim_flat(HedLab* lab, const Outcome* o, int kind) {
    char text[120];
    const HedNetTurns* turns = &o->shapes[kind].turns;
    double size = sqrt(turns->square[0] + turns->square[1]);
    double rest = sqrt(turns->fabric[0] * turns->fabric[0] + turns->fabric[1] * turns->fabric[1]);
    snprintf(text, sizeof text, "%s of %s: lies flat: turn of the fabric over that of stitches",
             o->pattern, KIND_NAMES[kind]);
    lab_claim_below(lab, text, rest / size, 0.2);
}

static void claim(HedLab* lab, const Outcome* o) {
    char text[120];
    bool is_knit = strcmp(o->pattern, "stockinette") == 0;
    bool is_purl = strcmp(o->pattern, "reverse-stockinette") == 0;
    for (int k = 0; k < KINDS; ++k) {
        if (is_knit || is_purl) {
            claim_curl(lab, o, k, is_knit ? 1.0 : -1.0);
        } else {
            claim_flat(lab, o, k);
        }
    }
    snprintf(text, sizeof text, "%s: both are at rest", o->pattern);
    lab_claim_true(lab, text, o->is_quiet);
    // A hundredth: what is left then moves nothing that can be seen. A short version stops earlier.
    snprintf(text, sizeof text, "%s: largest unbalanced force over the pull of flat hinges",
             o->pattern);
    lab_claim_below(lab, text, o->left / o->drive, lab_quick(lab) ? 0.03 : 0.01);
}

static int run(HedLab* lab) {
    Outcome all[MOST] = {{0}};
    const char* pattern = lab_text(lab, "pattern");
    bool is_all = strcmp(pattern, "all") == 0;
    int count = is_all && !lab_quick(lab) ? MOST : 1;
    for (int p = 0; p < count; ++p) {
        all[p].pattern = is_all ? ALL[p] : pattern;
        int code = run_pattern(lab, &all[p]);
        if (code != 0) {
            return code;
        }
    }
    report(lab, all, count);
    for (int p = 0; p < count; ++p) {
        char name[64];
        snprintf(name, sizeof name, "%.20s_rest.unbalanced_force", all[p].pattern);
        lab_result(lab, name, all[p].left);
        snprintf(name, sizeof name, "%.20s_rest.mean_pull", all[p].pattern);
        lab_result(lab, name, all[p].pull);
        snprintf(name, sizeof name, "%.20s_rest.hinge_pull", all[p].pattern);
        lab_result(lab, name, all[p].drive);
        claim(lab, &all[p]);
    }
    return 0;
}

const HedExperiment EXPERIMENT_CURL = {
    .name = "curl",
    .title = "knits of sliding yarns curl at rest, beside the same knits of rods",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
