// SPDX-License-Identifier: MIT
// A flag: streams with the wind, flaps, and pulls at its pole with a force between skin friction
// and that of a plate.
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "speed",
     .unit = "m/s",
     .number = 8.0,
     .least = 0.5,
     .most = 60.0,
     .help = "of the wind"},
    {.name = "gust",
     .unit = "",
     .number = 0.2,
     .least = 0.0,
     .most = 1.0,
     .help = "standard deviation of the speed over its mean"},
    {.name = "duration",
     .unit = "s",
     .number = 4.0,
     .least = 0.5,
     .most = 600.0,
     .help = "the second half is measured"},
    {.name = "seed",
     .unit = "",
     .number = 1.0,
     .least = 0.0,
     .most = 1e9,
     .whole = true,
     .help = "of the gusts"},
};

typedef struct Series {
    double mean;
    double deviation;
    double rate; // 1/s, crossings of the mean upwards
} Series;

// Statistics of the second half of one column of the run's measurements.
static int read_series(HedLab* lab, const char* column, double interval, Series* out) {
    double* values = NULL;
    int32_t count = 0;
    int code = lab_column(lab, "flag/measure.csv", column, &values, &count);
    if (code != 0) {
        return code;
    }
    int32_t first = count / 2;
    int32_t n = count - first;
    double sum = 0.0;
    double square = 0.0;
    int32_t crossings = 0;
    for (int32_t k = first; k < count; ++k) {
        sum += values[k];
    }
    out->mean = sum / n;
    for (int32_t k = first; k < count; ++k) {
        double d = values[k] - out->mean;
        square += d * d;
        crossings += k > first && values[k - 1] < out->mean && values[k] >= out->mean;
    }
    out->deviation = sqrt(square / n);
    out->rate = crossings / (n * interval);
    free(values);
    return 0;
}

static void draw(HedLab* lab) {
    lab_picture(lab, "flag", "flag.png");
    LabCurve curves[] = {
        {"flag/measure.csv", "time", "tip_z", "free edge, across the wind (m)", false},
        {"flag/measure.csv", "time", "tip_y", "free edge, height (m)", false}};
    LabPlot plot = {.picture = "flapping.svg",
                    .title = "A flag in the wind",
                    .x_label = "time (s)",
                    .y_label = "position (m)",
                    .curves = curves,
                    .curve_count = 2};
    lab_plot(lab, &plot);
}

static int judge(HedLab* lab, const HedRunReport* report) {
    double speed = lab_number(lab, "speed");
    Series pull, tip_x, tip_y, tip_z;
    int code = read_series(lab, "pull_x", 0.02, &pull);
    code = code ? code : read_series(lab, "tip_x", 0.02, &tip_x);
    code = code ? code : read_series(lab, "tip_y", 0.02, &tip_y);
    code = code ? code : read_series(lab, "tip_z", 0.02, &tip_z);
    if (code != 0) {
        return code;
    }
    double area = 0.9 * 0.6;                     // m^2
    double pressure = 0.5 * 1.2 * speed * speed; // Pa
    double square =
        1.0 + pow(lab_number(lab, "gust"), 2); // mean of the squared speed over that of the mean
    double droop = atan2(1.5 - tip_y.mean, tip_x.mean);
    lab_result(lab, "pull", -pull.mean);
    lab_result(lab, "plate", 1.2 * pressure * area);
    lab_result(lab, "tip_x", tip_x.mean);
    lab_result(lab, "droop", droop * 57.29577951308232);
    lab_result(lab, "flap_amplitude", tip_z.deviation);
    lab_result(lab, "flap_rate", tip_z.rate);
    lab_claim_true(lab, "the run was done", report->outcome == HED_OUTCOME_DONE);
    // The pole holds the flag against the wind, so its force points upwind.
    lab_claim_below(lab, "pull on the pole (N): less than on a plate facing the wind", -pull.mean,
                    1.2 * pressure * square * area);
    lab_claim_above(lab, "pull on the pole (N): more than half of the flag's skin friction",
                    -pull.mean, 0.5 * 0.02 * pressure * area);
    if (speed >= 6.0) {
        lab_claim_above(lab, "the free edge streams downwind (m of 0.9)", tip_x.mean, 0.6);
    }
    lab_claim_above(lab, "the free edge flaps (deviation, m)", tip_z.deviation, 0.005);
    draw(lab);
    return 0;
}

static int run(HedLab* lab) {
    enum { SETS = 6 };
    char set[SETS][80];
    const char* list[SETS];
    bool quick = lab_quick(lab);
    double speed = lab_number(lab, "speed");
    snprintf(set[0], sizeof set[0], "wind.velocity=[%.17g, 0, %.17g]", speed, 0.05 * speed);
    snprintf(set[1], sizeof set[1], "wind.gust=%.17g", lab_number(lab, "gust"));
    snprintf(set[2], sizeof set[2], "duration=%.17g s", quick ? 1.0 : lab_number(lab, "duration"));
    snprintf(set[3], sizeof set[3], "seed=%d", lab_count(lab, "seed"));
    snprintf(set[4], sizeof set[4], "sheets.flag.grid.points=[%s]", quick ? "16,11" : "31,21");
    // The middle of the free edge: the last column of the middle row.
    snprintf(set[5], sizeof set[5], "measure.tip.vertex=%d", quick ? 5 * 16 + 15 : 10 * 31 + 30);
    for (int k = 0; k < SETS; ++k) {
        list[k] = set[k];
    }
    HedRunReport report;
    int code = lab_simulate(lab, lab_scene_path(lab, "flag.yaml"), list, SETS, "flag", &report);
    if (code != 0) {
        return code;
    }
    return judge(lab, &report);
}

const HedExperiment EXPERIMENT_WIND = {
    .name = "wind",
    .title = "a flag: streams, flaps, and pulls at its pole",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
