// SPDX-License-Identifier: MIT
// A strip of cloth that bends under its own weight, clamped level, against the exact heavy
// elastica: the fabric bending test, read by its chord.
#include "experiment/elastica.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>

enum { LEVELS = 3 };

static const double GRAVITY = 9.81; // m/s^2
static const double DEGREES = 57.29577951308232;

static const HedParameter PARAMETERS[] = {
    {.name = "beta",
     .unit = "",
     .number = 8.0,
     .least = 1e-6,
     .most = 200.0,
     .help = "weight per area * length^3 / rigidity; 8 is the test of fabrics"},
    {.name = "cells",
     .unit = "",
     .number = 48.0,
     .least = 8.0,
     .most = 400.0,
     .whole = true,
     .help = "along the finest strip; coarser ones have a half and a quarter"},
    {.name = "length",
     .unit = "m",
     .number = 0.2,
     .least = 1e-3,
     .most = 10.0,
     .help = "from the clamp to the free edge"},
    {.name = "density", .unit = "kg/m^2", .number = 0.2, .least = 1e-3, .most = 100.0},
};

typedef struct Strip {
    double beta;
    int32_t cells;
    const char* bending;
} Strip;

/// Lengths are over that of the strip.
typedef struct Shape {
    double drop, tip_x, chord_deg;
    double error; // farthest point from where the elastica has it, over the elastica's drop
} Shape;

// The wall is at x = 0, half a cell from both held columns.
static void set_strip(HedLab* lab, const Strip* strip, Trial* trial) {
    double length = lab_number(lab, "length");
    double weight = lab_number(lab, "density") * GRAVITY; // N/m^2
    double cell = length / (strip->cells + 0.5);
    // Hanging straight down it would get longer by half of 1/40000.
    double stretch = 4e4 * weight * length;
    trial_set(trial, "sheets.strip.grid={size: [%.17g, %.17g], points: [%d, 3]}",
              (strip->cells + 1) * cell, 2.0 * cell, strip->cells + 2);
    trial_set(trial, "sheets.strip.grid.origin=[%.17g, 0, %.17g]", -0.5 * cell, -cell);
    trial_set(trial, "pins.clamp.box.max=[%.17g, 1000, 1000]", 0.75 * cell);
    trial_set(trial, "pins.clamp.box.min=[-1000, -1000, -1000]");
    trial_set(trial, "sheets.strip.density=%.17g", weight / GRAVITY);
    trial_set(trial, "sheets.strip.bending=%s", strip->bending);
    trial_set(trial, "sheets.strip.bend_rigidity=%.17g", weight * pow(length, 3.0) / strip->beta);
    trial_set(trial, "sheets.strip.stretch=%.17g", stretch);
    trial_set(trial, "sheets.strip.shear=%.17g", 0.5 * stretch);
    // A millionth of a point's weight: the drop is then right to about that.
    trial_set(trial, "step.force_tolerance=%.17g", 1e-6 * weight * cell * cell);
}

// The middle row against the elastica, point by point. It needs no memory of its own and does not
// pass through zero at some beta, as the error of the drop alone may.
static Shape read_shape(const Trial* trial, int32_t cells, double length, const Elastica* exact) {
    const HedVec3* row = trial->positions + (cells + 2);
    Shape shape = {.drop = -row[cells + 1].y / length, .tip_x = row[cells + 1].x / length};
    shape.chord_deg = atan2(shape.drop, shape.tip_x) * DEGREES;
    for (int32_t k = 1; k <= cells + 1; ++k) {
        double x, drop;
        elastica_at(exact, (k - 0.5) / (cells + 0.5), &x, &drop);
        double off = hypot(row[k].x / length - x, -row[k].y / length - drop);
        shape.error = fmax(shape.error, off / exact->drop[ELASTICA_STEPS]);
    }
    return shape;
}

static int hang(HedLab* lab, const Strip* strip, const Elastica* exact, Shape* shape) {
    Trial trial = {0};
    set_strip(lab, strip, &trial);
    int code = trial_start(lab, &trial, "strip.yaml");
    if (code != 0) {
        return code;
    }
    bool ok = trial_go(&trial, hed_sim_def(trial.sim)->time_step);
    trial_positions(&trial);
    *shape = read_shape(&trial, strip->cells, lab_number(lab, "length"), exact);
    trial_end(&trial);
    return ok ? 0
              : lab_fail_text(lab, "the strip of %d cells with beta %g did not come to rest",
                              strip->cells, strip->beta);
}

static double order_of(int32_t coarse, double coarse_error, int32_t fine, double fine_error) {
    return log(coarse_error / fine_error) / log((fine + 0.5) / (coarse + 0.5));
}

// One beta on three resolutions.
static int refine(HedLab* lab, int32_t finest, const Elastica* exact) {
    Shape shape[LEVELS];
    int32_t cells[LEVELS];
    int code = 0;
    double order = 0.0;
    double beta = lab_number(lab, "beta");
    lab_note(lab, "beta %g: drop %.6f, chord %.4f degrees, by the elastica", beta,
             exact->drop[ELASTICA_STEPS], elastica_chord_deg(exact));
    lab_table_begin(lab, "resolution.csv", "cells,drop,tip_x,chord (deg),error,order");
    for (int k = 0; k < LEVELS && code == 0; ++k) {
        cells[k] = finest >> (LEVELS - 1 - k);
        code = hang(lab, &(Strip){beta, cells[k], "hinges"}, exact, &shape[k]);
        if (code == 0) {
            order = (double)NAN;
            if (k > 0) {
                order = order_of(cells[k - 1], shape[k - 1].error, cells[k], shape[k].error);
            }
            lab_table_row(lab, 6,
                          (double[]){cells[k], shape[k].drop, shape[k].tip_x, shape[k].chord_deg,
                                     shape[k].error, order});
        }
    }
    lab_table_end(lab);
    if (code != 0) {
        return code;
    }
    const Shape* best = &shape[LEVELS - 1];
    lab_result(lab, "drop", best->drop);
    lab_result(lab, "chord_angle_deg", best->chord_deg);
    lab_result(lab, "tip_x", best->tip_x);
    lab_result(lab, "error", best->error);
    lab_result(lab, "order", order);
    double drop = exact->drop[ELASTICA_STEPS];
    double chord = elastica_chord_deg(exact);
    lab_claim(lab, "drop over length, by the elastica", drop, best->drop, 0.01 * drop);
    lab_claim(lab, "chord angle (degrees), by the elastica", chord, best->chord_deg, 0.01 * chord);
    lab_claim(lab, "order of convergence of the shape", 2.0, order, 0.25);
    return 0;
}

/// What the rows of the table over beta add to the claims.
typedef struct Sweep {
    double worst;    // error of the finer strip of hinges
    double flat;     // the same of the quadratic form
    double order[2]; // least and largest
} Sweep;

static int sweep_row(HedLab* lab, double beta, int32_t cells, Sweep* sweep) {
    Elastica exact;
    Shape coarse, fine, flat;
    elastica_solve(beta, &exact);
    int code = hang(lab, &(Strip){beta, cells / 2, "hinges"}, &exact, &coarse);
    code = code ? code : hang(lab, &(Strip){beta, cells, "hinges"}, &exact, &fine);
    code = code ? code : hang(lab, &(Strip){beta, cells, "flat"}, &exact, &flat);
    if (code != 0) {
        return code;
    }
    double order = order_of(cells / 2, coarse.error, cells, fine.error);
    sweep->flat = fmax(sweep->flat, flat.error);
    sweep->worst = fmax(sweep->worst, fine.error);
    sweep->order[0] = fmin(sweep->order[0], order);
    sweep->order[1] = fmax(sweep->order[1], order);
    lab_table_row(lab, 9,
                  (double[]){beta, exact.drop[ELASTICA_STEPS], fine.drop,
                             elastica_chord_deg(&exact), fine.chord_deg, fine.error, order,
                             flat.drop, flat.error});
    return 0;
}

static int sweep_beta(HedLab* lab, int32_t cells) {
    static const double BETA[] = {0.001, 0.1, 1.0, 2.0, 8.0, 20.0, 50.0};
    const int count = sizeof BETA / sizeof BETA[0];
    Sweep sweep = {.order = {HUGE_VAL, -HUGE_VAL}};
    int code = 0;
    lab_note(lab, "strips of %d and %d cells; 'flat' is the quadratic form of bending", cells / 2,
             cells);
    lab_table_begin(lab, "beta.csv",
                    "beta,exact_drop,drop,exact_chord,chord,error,order,flat_drop,flat_error");
    for (int k = 0; k < count && code == 0; k += lab_quick(lab) ? 3 : 1) {
        code = sweep_row(lab, BETA[k], cells, &sweep);
    }
    lab_table_end(lab);
    if (code != 0) {
        return code;
    }
    lab_claim_below(lab, "farthest point from the elastica over its drop, any beta", sweep.worst,
                    0.01);
    lab_claim(lab, "least order of convergence, any beta", 2.0, sweep.order[0], 0.25);
    lab_claim(lab, "largest order of convergence, any beta", 2.0, sweep.order[1], 0.25);
    lab_claim_below(lab, "the same of the quadratic form: the strip does not stretch", sweep.flat,
                    0.01);
    return 0;
}

static int draw(HedLab* lab, int32_t cells) {
    Trial trial = {0};
    const char* sets[TRIAL_SETS];
    set_strip(lab, &(Strip){lab_number(lab, "beta"), cells, "hinges"}, &trial);
    for (int32_t k = 0; k < trial.set_count; ++k) {
        sets[k] = trial.set[k];
    }
    HedRunReport report;
    int code = lab_simulate(lab, lab_scene_path(lab, "strip.yaml"), sets, trial.set_count, "strip",
                            &report);
    if (code != 0) {
        return code;
    }
    if (!lab_quick(lab)) {
        lab_picture(lab, "strip", "strip.png");
    }
    LabCurve curves[] = {{"beta.csv", "beta", "exact_chord", "elastica", false},
                         {"beta.csv", "beta", "chord", "strip of hinges", true}};
    LabPlot plot = {.picture = "chord.svg",
                    .title = "A strip under its own weight",
                    .x_label = "beta",
                    .y_label = "chord angle (degrees)",
                    .log_x = true,
                    .curves = curves,
                    .curve_count = 2};
    lab_plot(lab, &plot);
    return 0;
}

static int run(HedLab* lab) {
    Elastica exact;
    int32_t finest = lab_count(lab, "cells");
    finest = lab_quick(lab) && finest > 24 ? 24 : finest;
    elastica_solve(lab_number(lab, "beta"), &exact);
    int code = refine(lab, finest, &exact);
    code = code ? code : sweep_beta(lab, lab_quick(lab) ? 12 : 24);
    return code ? code : draw(lab, finest);
}

const HedExperiment EXPERIMENT_STRIP = {
    .name = "strip",
    .title = "a strip bent by its own weight against the elastica: the fabric bending test",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
