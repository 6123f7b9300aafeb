// SPDX-License-Identifier: MIT
// A hook catches a weave at one crossing, pulls a loop out of it and lets go. Both yarns of the
// crossing are drawn through their neighbours, which friction holds: the loop stays. Without
// friction it goes back.
//
// Along a yarn the pull falls by Coulomb's limit f at each crossing that slides, and the yarn gives
// by its stretch: if s is drawn from one side, at most sqrt(2 k s/(f p)) crossings have slid, k
// being the yarn's stiffness (N) and p the spacing. There are fewer, because the hook bends the
// yarns where it pulls, and they press harder on those that they bend around.
#include "experiment/list.h"
#include "experiment/slide_lab.h"

#include <stdio.h>
#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "mu",
     .unit = "",
     .number = 0.3,
     .least = 0.05,
     .most = 1.0,
     .help = "Coulomb's coefficient"},
    {.name = "height",
     .unit = "p",
     .number = 2.5,
     .least = 1.5,
     .most = 4.0,
     .help = "that the crossing is pulled to, in spacings; lower, yarns only stretch"},
    {.name = "threads",
     .unit = "",
     .number = 31,
     .least = 25,
     .most = 201,
     .whole = true,
     .help = "of warp and of weft"},
};

static const double SPACING = 1e-3;  // m
static const double DIAMETER = 3e-4; // m
static const double STRETCH = 10.0;  // N
static const double PRESS = 0.3;     // N, at each crossing
static const double PULL = 0.1;      // s, that pulling takes
static const double REST = 0.5;      // s, afterwards
static const double SEEN = 0.01;     // spacings: less is no sliding

typedef struct Snag {
    double mu;
    double height; // m
    int32_t threads;
    SlideTrial s;
    int32_t centre; // node
} Snag;

// --- looking

// m, more yarn between the neighbours of the crossing than at the start, on the yarn of a slot.
static double drawn(const Snag* snag, int slot) {
    const HedNet* net = &snag->s.net;
    double length = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        const HedNetVisit* v = &net->visits[net->nodes[snag->centre].visit[slot] + side];
        length += side * (snag->s.along[2 * v->node + v->slot] - v->at);
    }
    return length;
}

// m, that the yarn of a slot has slid at its crossing number k from the middle, towards it.
static double slid(const Snag* snag, int slot, int32_t k) {
    const HedNet* net = &snag->s.net;
    const HedNetVisit* v = &net->visits[net->nodes[snag->centre].visit[slot] + k];
    return snag->s.along[2 * v->node + v->slot] - v->at;
}

// Crossings on one side of the middle that have slid.
static int32_t reach(const Snag* snag, int slot) {
    int32_t far = 0;
    for (int32_t k = 1; k <= snag->threads / 2; ++k) {
        far = fabs(slid(snag, slot, k)) > SEEN * SPACING ? k : far;
    }
    return far;
}

// --- doing

// The cloth lies on a table and is held there, all but the two yarns that the hook has caught.
static void hold_cloth(Snag* snag) {
    const HedNet* net = &snag->s.net;
    int32_t* held = calloc((size_t)net->node_count, sizeof *held);
    int32_t count = 0;
    for (int32_t k = 0; held && k < net->node_count; ++k) {
        bool is_caught = false;
        for (int slot = 0; slot < 2; ++slot) {
            int32_t of = net->nodes[k].visit[slot];
            for (int s = 0; of >= 0 && s < 2; ++s) {
                int32_t caught = net->visits[net->nodes[snag->centre].visit[s]].yarn;
                is_caught = is_caught || net->visits[of].yarn == caught;
            }
        }
        if (!is_caught) {
            held[count++] = k;
        }
    }
    slide_trial_hold(&snag->s, held, count, false, NULL, 0);
    free(held);
}

static void begin(HedLab* lab, Snag* snag) {
    SlideCloth cloth = {.ends = snag->threads,
                        .picks = snag->threads,
                        .spacing = SPACING,
                        .diameter = DIAMETER,
                        .density = 1e-5};
    HedSimDef sim = hed_sim_def_default();
    sim.gravity = (HedVec3){0};
    sim.time_step = 2e-3;
    sim.drag = 20.0;
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = STRETCH;
    def.bend = 2e-10;
    def.friction = snag->mu;
    def.crossing_preload = PRESS;
    def.friction_stiffness = 2e4; // gives 5 um: far less than what is seen as sliding
    slide_trial_begin(&snag->s, lab, cloth, sim, def);
    if (snag->s.trial.status != HED_OK) {
        return;
    }
    snag->centre = slide_node(&snag->s.net, snag->threads / 2, snag->threads / 2 + 1);
    hold_cloth(snag);
    HedPinDef pin = hed_pin_def_default();
    HedKeyframe keys[2] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = PULL, .pose.rotation.w = 1.0}};
    keys[1].pose.position.z = snag->height;
    pin.yarns = snag->s.yarns;
    pin.vertices = &snag->centre;
    pin.vertex_count = 1;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    pin.release_time = 1.2 * PULL;
    yarn_trial_pin(&snag->s.trial, pin);
}

static void tell_profile(HedLab* lab, const Snag* snag, const char* csv) {
    lab_table_begin(lab, csv, "crossing,warp slid (p),weft slid (p)");
    for (int32_t k = -snag->threads / 2; k <= snag->threads / 2; ++k) {
        lab_table_row(lab, 3,
                      (double[]){k, slid(snag, 0, k) / SPACING, slid(snag, 1, k) / SPACING});
    }
    lab_table_end(lab);
}

// What a snag leaves.
typedef struct Left {
    double pulled; // m, mean of both yarns
    double stays;  // m
    double height; // m, of the loop in the end
    int32_t reach; // crossings that had slid when it was let go
} Left;

static int snag_it(HedLab* lab, Snag* snag, const char* name, Left* left) {
    char csv[64];
    begin(lab, snag);
    if (slide_trial_go(&snag->s, PULL)) {
        left->pulled = 0.5 * (drawn(snag, 0) + drawn(snag, 1));
        left->reach = (reach(snag, 0) + reach(snag, 1)) / 2;
        snprintf(csv, sizeof csv, "%s-pulled.csv", name);
        tell_profile(lab, snag, csv);
        snprintf(csv, sizeof csv, "%s-pulled.png", name);
        slide_trial_draw(&snag->s, lab, csv, (double[]){0.9, 0.3});
    }
    if (slide_trial_go(&snag->s, PULL + REST)) {
        left->stays = 0.5 * (drawn(snag, 0) + drawn(snag, 1));
        left->height = snag->s.x[snag->centre].z;
        snprintf(csv, sizeof csv, "%s.csv", name);
        tell_profile(lab, snag, csv);
        snprintf(csv, sizeof csv, "%s.png", name);
        slide_trial_draw(&snag->s, lab, csv, (double[]){0.9, 0.3});
    }
    int code = yarn_trial_code(&snag->s.trial, lab);
    slide_trial_end(&snag->s);
    return code;
}

static void report(HedLab* lab, double mu, int32_t threads, const Left* left, const Left* smooth) {
    double theory = sqrt(2.0 * STRETCH * 0.5 * left->pulled / (mu * PRESS * SPACING));
    lab_result(lab, "pulled", left->pulled);
    lab_result(lab, "stays", left->stays);
    lab_result(lab, "reach", left->reach);
    lab_result(lab, "reach_most", theory);
    lab_result(lab, "height", left->height);
    lab_result(lab, "pulled_smooth", smooth->pulled);
    lab_result(lab, "stays_smooth", smooth->stays);
    lab_result(lab, "reach_smooth", smooth->reach);
    lab_claim_above(lab, "with friction: yarn in the loop afterwards over that pulled",
                    left->stays / left->pulled, 0.5);
    lab_claim_below(lab, "without friction: the same", fabs(smooth->stays / smooth->pulled), 0.02);
    lab_claim_above(lab, "with friction: neighbours that slid on either side", left->reach, 0.5);
    lab_claim_below(lab, "how many, at most as f allows (and one)", left->reach, theory + 1.0);
    if (theory < 0.5 * threads - 2.5) { // the edge is farther away
        lab_claim_above(lab, "without friction: how many more than with",
                        smooth->reach - left->reach, 0.5);
    }
}

static int run(HedLab* lab) {
    Snag snag = {.mu = lab_number(lab, "mu"),
                 .height = lab_number(lab, "height") * SPACING,
                 .threads = lab_count(lab, "threads")};
    snag.threads = lab_quick(lab) ? 25 : snag.threads | 1;
    Snag slippery = snag;
    slippery.mu = 0.0;
    Left left = {0}, smooth = {0};
    int code = snag_it(lab, &snag, "snag", &left);
    code = code ? code : snag_it(lab, &slippery, "smooth", &smooth);
    if (code == 0) {
        report(lab, snag.mu, snag.threads, &left, &smooth);
        const LabCurve curves[] = {
            {"snag-pulled.csv", "crossing", "weft slid (p)", "pulled", false},
            {"snag.csv", "crossing", "weft slid (p)", "let go", false},
            {"smooth-pulled.csv", "crossing", "weft slid (p)", "pulled, no friction", false},
            {"smooth.csv", "crossing", "weft slid (p)", "let go, no friction", false},
        };
        lab_plot(lab, &(LabPlot){.picture = "slid.svg",
                                 .title = "Yarn drawn by a snag",
                                 .x_label = "crossing, from the snag on",
                                 .y_label = "slid (spacings)",
                                 .curves = curves,
                                 .curve_count = 4});
    }
    return code;
}

const HedExperiment EXPERIMENT_SNAG = {
    .name = "snag",
    .title = "a loop pulled out of a weave stays there by friction, and draws its neighbours",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
