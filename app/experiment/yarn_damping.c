// SPDX-License-Identifier: MIT
// A woven cloth hangs and flaps with two dampings of stretching and two of bending
// (Sanchez-Banderas 2021, figure 3.4, right): the first decides about the hanging cloth, the second
// about the flapping one.
#include "experiment/list.h"
#include "experiment/sway_lab.h"

#include <math.h>
#include <stdio.h>

static const HedParameter PARAMETERS[] = {
    {.name = "nodes",
     .unit = "",
     .number = 101,
     .least = 9,
     .most = 501,
     .whole = true,
     .help = "crossings along a side, odd; with fewer of them threads are thicker"},
    {.name = "stretch_low",
     .unit = "s",
     .number = 3e-4,
     .least = 0.0,
     .most = 1.0,
     .help = "damping of stretching over its stiffness"},
    {.name = "stretch_high",
     .unit = "s",
     .number = 3e-2,
     .least = 0.0,
     .most = 1.0,
     .help = "same"},
    {.name = "bend_low",
     .unit = "s",
     .number = 0.016,
     .least = 0.0,
     .most = 1.0,
     .help = "damping of bending over its stiffness"},
    {.name = "bend_high", .unit = "s", .number = 0.16, .least = 0.0, .most = 1.0, .help = "same"},
    {.name = "hang_step",
     .unit = "s",
     .number = 1e-4,
     .least = 1e-6,
     .most = 1e-3,
     .help = "of time while it hangs"},
    {.name = "flap_step",
     .unit = "s",
     .number = 2e-3,
     .least = 1e-5,
     .most = 1e-2,
     .help = "of time while it flaps"},
};

typedef enum Motion { HANG, FLAP, MOTION_COUNT } Motion;

static const char* const MOTION[MOTION_COUNT] = {"hanging", "flapping"};

enum { RUNS = 4 }; // bit 0: high damping of stretching, bit 1: of bending

static const double SIDE = 0.03; // m
static const double LEAST = 1e-9;

// Upright and without load, by the upper ends of its warp.
static HedVec3 place_hang(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    *stays = x.y > 0.5 * cloth->spacing * (cloth->picks - 1) + 0.5 * cloth->tail;
    return x;
}

// Held along its middle, both wings bent up to a quarter of a circle.
static HedVec3 place_flap(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    double held = cloth->spacing;
    double wing = 0.5 * cloth->spacing * (cloth->picks - 1) + cloth->tail - held;
    double curvature = 0.7 / wing;
    double s = fabs(x.y) - held;
    *stays = s < LEAST;
    if (*stays) {
        return x;
    }
    double y = held + sin(curvature * s) / curvature;
    return (HedVec3){x.x, copysign(y, x.y), (1.0 - cos(curvature * s)) / curvature};
}

static SwayCloth cloth_of(HedLab* lab, int which) {
    int32_t nodes = lab_quick(lab) ? 13 : lab_count(lab, "nodes");
    double spacing = SIDE / (nodes - 1);
    double wide = spacing / 3e-4; // threads of 101 are 0.3 mm apart
    SwayCloth cloth = {.ends = nodes,
                       .picks = nodes,
                       .spacing = spacing,
                       .radius = 0.27 * spacing,
                       .linear_density = 5e-6 * wide,
                       .def = hed_sliding_def_default()};
    cloth.def.stretch = 2e-3 * wide;
    cloth.def.bend = 2e-11 * wide;
    cloth.def.shear = 2e-5 * wide;
    cloth.def.crossing_preload = 1.0; // threads do not slip: friction would take energy too
    cloth.def.friction_stiffness = cloth.def.stretch / spacing;
    cloth.def.stretch_damping =
        (HedSlidingDamping){.time = lab_number(lab, which & 1 ? "stretch_high" : "stretch_low")};
    cloth.def.bend_damping =
        (HedSlidingDamping){.time = lab_number(lab, which & 2 ? "bend_high" : "bend_low")};
    cloth.def.shear_damping = (HedSlidingDamping){0};
    return cloth;
}

static SwayStart start_of(HedLab* lab, Motion motion) {
    const SwayStart starts[MOTION_COUNT] = {
        [HANG] = {9.81, lab_number(lab, "hang_step"), 0.04, 1e-5, place_hang},
        [FLAP] = {0.0, lab_number(lab, "flap_step"), 0.8, 1e-4, place_flap},
    };
    return starts[motion];
}

static int watch(HedLab* lab, Motion motion, int which, Sway* out) {
    SwayCloth cloth = cloth_of(lab, which);
    SwayStart start = start_of(lab, motion);
    char csv[60], picture[60];
    int code = sway_weave(lab, &cloth);
    code = code ? code : sway_run(lab, &cloth, &start, out);
    snprintf(csv, sizeof csv, "%s-%d.csv", MOTION[motion], which);
    snprintf(picture, sizeof picture, "%s.png", MOTION[motion]);
    code = code ? code : sway_save(lab, out, csv);
    if (code == 0 && which == 0) {
        const double view[2] = {0.6, 0.3};
        sway_draw(lab, &cloth, out, picture, view);
    }
    hed_net_free(&cloth.net);
    return code;
}

// How much two curves differ: 0 the same, 1 nothing in common.
static double differ(const Sway* a, const Sway* b) {
    double apart = 0.0, all = 0.0;
    int32_t count = a->count < b->count ? a->count : b->count;
    for (int32_t k = 0; k < count; ++k) {
        apart += fabs(a->kinetic[k] - b->kinetic[k]);
        all += fmax(a->kinetic[k], b->kinetic[k]);
    }
    return all > 0.0 ? apart / all : (double)NAN;
}

// The larger one of the two differences that a change of bit `bit` makes.
static void claim_motion(HedLab* lab, Motion motion, const Sway runs[RUNS]) {
    static const char* const WHAT[2] = {"stretch", "bend"};
    for (int bit = 0; bit < 2; ++bit) {
        int other = bit == 0 ? 2 : 1;
        double first = differ(&runs[0], &runs[1 << bit]);
        double second = differ(&runs[other], &runs[other | (1 << bit)]);
        char text[120];
        snprintf(text, sizeof text, "%s_by_%s", MOTION[motion], WHAT[bit]);
        lab_result(lab, text, fmax(first, second));
        snprintf(text, sizeof text, "%s: difference that damping of %s makes", MOTION[motion],
                 bit ? "bending" : "stretching");
        if (bit == (int)motion) {
            lab_claim_above(lab, text, fmin(first, second), 0.5);
        } else {
            lab_claim_below(lab, text, fmax(first, second), 0.05);
        }
    }
    bool ended = true;
    for (int k = 0; k < RUNS; ++k) {
        ended = ended && runs[k].has_ended;
    }
    char text[80];
    snprintf(text, sizeof text, "%s: all runs go to their ends", MOTION[motion]);
    lab_claim_true(lab, text, ended);
}

static void draw(HedLab* lab, Motion motion) {
    static const char* const TITLES[RUNS] = {"stretch low, bend low", "stretch high, bend low",
                                             "stretch low, bend high", "stretch high, bend high"};
    char csv[RUNS][60], picture[60];
    LabCurve curves[RUNS];
    for (int k = 0; k < RUNS; ++k) {
        snprintf(csv[k], sizeof csv[k], "%s-%d.csv", MOTION[motion], k);
        curves[k] = (LabCurve){csv[k], "time", "kinetic", TITLES[k], false};
    }
    snprintf(picture, sizeof picture, "%s.svg", MOTION[motion]);
    LabPlot plot = {.picture = picture,
                    .title = motion == HANG ? "A cloth that hangs" : "A cloth that flaps",
                    .x_label = "time (s)",
                    .y_label = "kinetic energy (J)",
                    .curves = curves,
                    .curve_count = RUNS};
    lab_plot(lab, &plot);
}

static void tell(HedLab* lab, Sway runs[MOTION_COUNT][RUNS]) {
    lab_note(lab, "motion 0: hanging, 1: flapping; dampings 0: low, 1: high");
    lab_table_begin(lab, "kinetic.csv", "motion,stretch,bend,peak (J),mean (J)");
    for (int k = 0; k < MOTION_COUNT * RUNS; ++k) {
        const Sway* s = &runs[k / RUNS][k % RUNS];
        double peak = 0.0, mean = 0.0;
        for (int32_t i = 0; i < s->count; ++i) {
            peak = fmax(peak, s->kinetic[i]);
            mean += s->kinetic[i] / s->count;
        }
        const double values[] = {k >= RUNS, k & 1, (k & 2) != 0, peak, mean};
        lab_table_row(lab, 5, values);
    }
    lab_table_end(lab);
}

static int run(HedLab* lab) {
    Sway runs[MOTION_COUNT][RUNS] = {0};
    int code = 0;
    if (!lab_quick(lab) && lab_count(lab, "nodes") % 2 == 0) {
        return lab_refuse(lab, "nodes must be odd: the cloth is held along its middle");
    }
    for (int k = 0; k < MOTION_COUNT * RUNS && code == 0; ++k) {
        code = watch(lab, (Motion)(k / RUNS), k % RUNS, &runs[k / RUNS][k % RUNS]);
    }
    if (code == 0) {
        tell(lab, runs);
    }
    for (Motion m = 0; m < MOTION_COUNT && code == 0; ++m) {
        claim_motion(lab, m, runs[m]);
        draw(lab, m);
    }
    for (int k = 0; k < MOTION_COUNT * RUNS; ++k) {
        sway_free(&runs[k / RUNS][k % RUNS]);
    }
    return code;
}

const HedExperiment EXPERIMENT_YARN_DAMPING = {
    .name = "yarn-damping",
    .title = "a woven cloth hangs and flaps: damping of stretching and of bending",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
