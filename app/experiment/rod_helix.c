// SPDX-License-Identifier: MIT
// A long yarn, twisted under tension and then let in: it buckles into a helix that is confined to
// its middle (Neukirch, van der Heijden, Thompson 2002).
#include "experiment/list.h"
#include "experiment/rod_lab.h"
#include "experiment/rod_theory.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

enum { LET_IN = 30 }; // steps in which the ends come together

// Length and EI are 1.
typedef struct Buckle {
    double turns;
    double shortening;
    double ratio; // GJ/EI
    int32_t segments;
    RodHelix exact;
} Buckle;

// Keyframes of one end, a step apart: `pull` outwards in one step, half of the turns, then inwards.
static HedKeyframe* move_end(const Buckle* of, double side, double pull, int32_t* count) {
    int32_t turning = (int32_t)ceil(4.0 * of->turns) + 1;
    *count = turning + LET_IN + 2;
    HedKeyframe* keys = calloc((size_t)*count, sizeof *keys);
    for (int32_t k = 0; keys && k < *count; ++k) {
        double turned = fmin(1.0, fmax(0.0, (k - 1.0) / turning));
        double in = fmax(0.0, (double)(k - 1 - turning) / LET_IN);
        double half = side * 0.5 * PI * of->turns * turned;
        double out = k == 0 ? 0.0 : 0.5 * (pull - in * (pull + of->shortening));
        keys[k] = (HedKeyframe){k, {{side * out, 0.0, 0.0}, {cos(half), sin(half), 0.0, 0.0}}};
    }
    return keys;
}

// The largest difference of the tilt, 1 - cosine of the angle to the axis, over its largest value.
// The helix stands wherever it happened to form: the curve is laid over it by its middle.
static double envelope(HedLab* lab, const RodTrial* trial, const Buckle* of) {
    int32_t n = trial->count - 1;
    double sum = 0.0, moment = 0.0, most = 0.0;
    for (int round = 0; round < 2; ++round) {
        double middle = sum > 0.0 ? moment / sum : 0.0;
        double top = rod_helix_tilt(&of->exact, 0.0);
        for (int32_t k = 0; k < n; ++k) {
            const HedVec3* a = &trial->x[k];
            double dx = a[1].x - a[0].x;
            double length = hypot(hypot(dx, a[1].y - a[0].y), a[1].z - a[0].z);
            double s = (k + 0.5) / n - 0.5;
            double tilt = 1.0 - dx / length;
            sum += round == 0 ? tilt : 0.0;
            moment += round == 0 ? tilt * s : 0.0;
            if (round == 1) {
                double exact = rod_helix_tilt(&of->exact, s - middle);
                most = fmax(most, fabs(tilt - exact) / top);
                lab_table_row(lab, 3, (double[]){s, tilt / top, exact / top});
            }
        }
    }
    return most;
}

static int buckle(HedLab* lab, const Buckle* of, double found[3]) {
    RodTrial trial = {0};
    RodWay way = {.segments = of->segments};
    int code = rod_begin(lab, &way, false, &trial);
    if (code != 0) {
        return code;
    }
    double hold = 1.3 * fmax(of->exact.tension, 0.25 * of->exact.moment * of->exact.moment);
    trial.yarn.twist = of->ratio;
    trial.yarn.stretch = 1e4 * of->exact.tension;
    trial.yarn.radius = 2e-3;
    trial.def.force_tolerance = 1e-5 * of->exact.tension;
    rod_line(&trial, (HedVec3){-0.5, 0.0, 0.0}, (HedVec3){0.5, 0.0, 0.0});
    int32_t count = 0;
    HedKeyframe* ends[2] = {move_end(of, -1.0, hold / trial.yarn.stretch, &count),
                            move_end(of, 1.0, hold / trial.yarn.stretch, &count)};
    code = ends[0] && ends[1] ? rod_build(&trial) : lab_fail_text(lab, "no memory for keyframes");
    code = code ? code : rod_hold(&trial, 0, true, ends[0], count);
    code = code ? code : rod_hold(&trial, of->segments, true, ends[1], count);
    // A little push tells it where to give way.
    code = code ? code
                : rod_pull(&trial, of->segments / 2, (HedVec3){0.0, 1e-5 * of->exact.tension, 0.0});
    code = code ? code : rod_go(&trial, count - 1);
    if (code == 0) {
        lab_table_begin(lab, "envelope.csv", "s,tilt,exact");
        found[0] = envelope(lab, &trial, of);
        lab_table_end(lab);
        found[1] = fabs(rod_reaction(&trial, 0).x);
        found[2] = hed_yarns_twist(trial.sim, trial.id, 0) * of->ratio;
        rod_draw(&trial);
    }
    free(ends[0]);
    free(ends[1]);
    rod_end(&trial);
    return code;
}

static int helical_buckling(HedLab* lab) {
    Buckle of = {.turns = lab_number(lab, "turns"),
                 .shortening = lab_number(lab, "shortening"),
                 .ratio = lab_number(lab, "twist") / lab_number(lab, "bend"),
                 .segments = lab_count(lab, "segments")};
    if (lab_quick(lab)) {
        of.segments = (of.segments + 1) / 2;
    }
    double found[3] = {0};
    if (!rod_helix(of.shortening, 2.0 * PI * of.turns, of.ratio, &of.exact)) {
        return lab_refuse(lab, "%g turns are too many for a shortening of %g: no such helix",
                          of.turns, of.shortening);
    }
    lab_note(lab, "by theory: M L/EI %.6g, T L^2/EI %.6g", of.exact.moment, of.exact.tension);
    int code = buckle(lab, &of, found);
    if (code != 0) {
        return code;
    }
    lab_result(lab, "envelope_error", found[0]);
    lab_result(lab, "tension", found[1]);
    lab_result(lab, "moment", found[2]);
    // The quick version has half of the segments, and the error is of second order.
    double share = lab_quick(lab) ? 4.0 * 0.05 : 0.05;
    lab_claim_below(lab, "envelope, largest difference from sech^2", found[0], share);
    lab_claim(lab, "tension * L^2/EI", of.exact.tension, found[1], share * of.exact.tension);
    lab_claim(lab, "moment * L/EI", of.exact.moment, found[2], share * of.exact.moment);
    LabCurve curves[] = {{"envelope.csv", "s", "exact", "theory", false},
                         {"envelope.csv", "s", "tilt", "yarn", true}};
    LabPlot plot = {.picture = "envelope.svg",
                    .title = "Localised helical buckling",
                    .x_label = "place along the yarn, over its length",
                    .y_label = "1 - cosine of the tilt, over its largest",
                    .curves = curves,
                    .curve_count = 2};
    lab_plot(lab, &plot);
    return 0;
}

static const HedParameter PARAMETERS[] = {
    {.name = "bend", .unit = "", .number = 1.345, .least = 0.01, .most = 100.0, .help = "EI"},
    {.name = "twist", .unit = "", .number = 0.789, .least = 0.01, .most = 100.0, .help = "GJ"},
    {.name = "turns",
     .unit = "",
     .number = 27.0,
     .least = 1.0,
     .most = 200.0,
     .help = "of one end against the other"},
    {.name = "shortening",
     .unit = "",
     .number = 0.03,
     .least = 0.002,
     .most = 0.1,
     .help = "how much nearer the ends come, over the length"},
    {.name = "segments",
     .unit = "",
     .number = 400.0,
     .least = 100.0,
     .most = 1000.0,
     .whole = true},
};

const HedExperiment EXPERIMENT_HELICAL_BUCKLING = {
    .name = "helical-buckling",
    .title = "a twisted yarn that is let in buckles into a confined helix",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = helical_buckling,
};
