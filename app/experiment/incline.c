// SPDX-License-Identifier: MIT
// A small weave lies on a larger one that is held on an inclined plane. Up to the angle of
// friction, atan(mu), it stays; beyond, it gains g (sin - mu cos), whichever way down is and
// however the layers are turned against each other (Sanchez-Banderas 2021, figure 4.3).
//
// Nothing in the model knows of the plane or of directions: friction is that of single yarns that
// cross. One limit for each yarn of a crossing would hold by up to 41 % more between warp and weft.
#include "experiment/list.h"
#include "experiment/slide_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "mu",
     .unit = "",
     .number = 1.0,
     .least = 0.05,
     .most = 1.5,
     .help = "Coulomb's coefficient"},
    {.name = "angle",
     .unit = "deg",
     .number = 0.0,
     .least = 0.0,
     .most = 85.0,
     .help = "of the plane; 0: one below the angle of friction, and 1, 5 and 15 above"},
    {.name = "direction",
     .unit = "deg",
     .number = -1.0,
     .least = -1.0,
     .most = 360.0,
     .help = "of the way down, from the weft of the lower layer on; -1: several"},
    {.name = "turned",
     .unit = "deg",
     .number = -1.0,
     .least = -1.0,
     .most = 360.0,
     .help = "upper layer against the lower one; -1: several"},
    {.name = "threads",
     .unit = "",
     .number = 8,
     .least = 8,
     .most = 60,
     .whole = true,
     .help = "of warp and of weft in the upper layer"},
    {.name = "contact",
     .unit = "",
     .text = "yarns",
     .choices = "yarns skin",
     .help = "how layers touch"},
};

static const double G = 9.81;         // m/s^2
static const double SPACING = 1e-3;   // m
static const double RADIUS = 0.25e-3; // m
static const double SETTLE = 0.02;    // s, until what is measured begins
static const double SPAN = 0.01;      // s, between three looks
enum { BORDER = 12 };                 // the lower layer has so many threads more

typedef struct Slope {
    double mu, angle, direction, turned; // rad
    int32_t threads;
    bool has_skin;
} Slope;

// What a layer does.
typedef struct Slide {
    double gain;  // m/s^2, down the slope
    double aside; // m/s^2, across it
    double drift; // m, in the first looks of SPAN
} Slide;

static int32_t layer_threads(const Slope* slope, int layer) {
    return slope->threads + (layer == 0 ? BORDER : 0);
}

static void lay(YarnTrial* trial, const Slope* slope, int layer, HedNet* net, HedYarnsId* id) {
    SlideCloth cloth = {.ends = layer_threads(slope, layer),
                        .picks = layer_threads(slope, layer),
                        .spacing = SPACING,
                        .diameter = 2.0 * RADIUS,
                        .density = 2.5e-5,
                        .turn = layer == 0 ? 0.0 : slope->turned};
    if (trial->status != HED_OK) {
        return;
    }
    trial->status = slide_net(cloth, net, &trial->error);
    if (trial->status != HED_OK) {
        return;
    }
    // A hair above touching.
    double apart = (slope->has_skin ? 4.0 : 3.6) * 1.0005 * RADIUS;
    for (int32_t k = 0; layer == 1 && k < net->node_count; ++k) {
        net->nodes[k].position.z += apart;
    }
    HedSlidingDef def = hed_sliding_def_default();
    def.name = layer == 0 ? "lower" : "upper";
    def.net = net;
    def.stretch = 2.0;
    def.bend = 2e-9;
    def.contact = slope->has_skin ? HED_SLIDING_SKIN : HED_SLIDING_YARNS;
    trial->status = hed_sliding_create(trial->sim, &def, id, &trial->error);
}

static void hold(YarnTrial* trial, const HedNet* net, HedYarnsId id) {
    int32_t* all = calloc((size_t)net->node_count + 1, sizeof *all);
    if (!all) {
        trial->status = HED_NO_MEMORY;
        return;
    }
    for (int32_t k = 0; k < net->node_count; ++k) {
        all[k] = k;
    }
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = id;
    pin.vertices = all;
    pin.vertex_count = net->node_count;
    pin.clamps = true;
    yarn_trial_pin(trial, pin);
    free(all);
}

// The mean of all nodes.
static HedVec3 middle_of(const YarnTrial* trial, const HedNet* net, HedYarnsId id, HedVec3* x) {
    HedVec3 sum = {0};
    if (trial->status != HED_OK) {
        return sum;
    }
    hed_sliding_node_positions(trial->sim, id, x);
    for (int32_t k = 0; k < net->node_count; ++k) {
        sum.x += x[k].x / net->node_count;
        sum.y += x[k].y / net->node_count;
        sum.z += x[k].z / net->node_count;
    }
    return sum;
}

static void draw(HedLab* lab, const YarnTrial* trial, const HedNet nets[2], const HedYarnsId id[2],
                 const char* picture) {
    HedCurves curves[2] = {{0}, {0}};
    YarnCurves set[2];
    const YarnCurves* sets[2] = {&set[0], &set[1]};
    HedError error = {0};
    bool ok = trial->status == HED_OK && !lab_quick(lab);
    for (int k = 0; ok && k < 2; ++k) {
        ok = hed_net_curves(&nets[k], NULL, HED_SLIDING_SAMPLES, &curves[k], &error) == HED_OK;
        if (ok) {
            hed_yarns_positions(trial->sim, id[k], curves[k].vertices);
            set[k] = (YarnCurves){.x = curves[k].vertices,
                                  .point_count = curves[k].vertex_count,
                                  .curves = curves[k].curves,
                                  .count = curves[k].curve_count};
        }
    }
    if (ok) {
        yarn_lab_draw(lab, sets, 2, picture, (double[]){0.5, 0.6});
    }
    hed_curves_free(&curves[0]);
    hed_curves_free(&curves[1]);
}

static int slide(HedLab* lab, const Slope* slope, const char* picture, Slide* out) {
    YarnTrial trial = {0};
    HedNet nets[2] = {{0}, {0}};
    HedYarnsId id[2] = {{0}, {0}};
    HedSimDef def = hed_sim_def_default();
    double c = cos(slope->direction), s = sin(slope->direction);
    double along = G * sin(slope->angle);
    def.gravity = (HedVec3){along * c, along * s, -G * cos(slope->angle)};
    def.time_step = 1e-3;
    def.self_collision = true;
    def.self_friction = slope->mu;
    def.newton_tolerance = 1e-6;
    yarn_trial_begin(&trial, lab, def);
    lay(&trial, slope, 0, &nets[0], &id[0]);
    lay(&trial, slope, 1, &nets[1], &id[1]);
    if (trial.status == HED_OK) {
        hold(&trial, &nets[0], id[0]);
    }
    HedVec3* x = calloc((size_t)nets[1].node_count + 1, sizeof *x);
    trial.status = trial.status == HED_OK && !x ? HED_NO_MEMORY : trial.status;
    HedVec3 at[3];
    for (int k = 0; k < 3; ++k) {
        yarn_trial_go(&trial, SETTLE + k * SPAN);
        at[k] = middle_of(&trial, &nets[1], id[1], x);
    }
    double ax = (at[2].x - 2.0 * at[1].x + at[0].x) / (SPAN * SPAN);
    double ay = (at[2].y - 2.0 * at[1].y + at[0].y) / (SPAN * SPAN);
    out->gain = ax * c + ay * s;
    out->aside = ay * c - ax * s;
    out->drift = hypot(at[1].x - at[0].x, at[1].y - at[0].y);
    if (picture) {
        draw(lab, &trial, nets, id, picture);
    }
    int code = yarn_trial_code(&trial, lab);
    yarn_trial_end(&trial);
    hed_net_free(&nets[0]);
    hed_net_free(&nets[1]);
    free(x);
    return code;
}

// The worst of all that slid, and of all that should have stayed.
typedef struct Worst {
    double gain, aside; // g
    double creep;       // m
    double stays;       // g
} Worst;

static int try_slope(HedLab* lab, const Slope* slope, const char* picture, Worst* worst) {
    Slide found = {0};
    int code = slide(lab, slope, picture, &found);
    double theory = G * (sin(slope->angle) - slope->mu * cos(slope->angle));
    const double deg = 180.0 / acos(-1.0);
    theory = theory > 0.0 ? theory : 0.0;
    double error = (found.gain - theory) / G;
    lab_table_row(lab, 7,
                  (double[]){slope->angle * deg, slope->direction * deg, slope->turned * deg,
                             found.gain, theory, error, found.aside / G});
    if (theory > 0.0) {
        worst->gain = lab_worse(worst->gain, error);
        worst->aside = lab_worse(worst->aside, found.aside / G);
    } else {
        worst->stays = lab_worse(worst->stays, error);
        worst->creep = lab_worse(worst->creep, found.drift);
    }
    return code;
}

// All angles for one direction and turn.
static int try_angles(HedLab* lab, Slope slope, bool is_first, Worst* worst) {
    static const double OFF[] = {-1.0, 1.0, 5.0, 15.0};
    const double rad = acos(-1.0) / 180.0;
    double asked = lab_number(lab, "angle") * rad;
    if (asked > 0.0) {
        slope.angle = asked;
        return try_slope(lab, &slope, is_first ? "slides.png" : NULL, worst);
    }
    int code = 0;
    for (int k = 0; k < 4 && code == 0; ++k) {
        if (lab_quick(lab) && k == 2) {
            continue;
        }
        slope.angle = atan(slope.mu) + OFF[k] * rad;
        code = try_slope(lab, &slope, is_first && k == 3 ? "slides.png" : NULL, worst);
    }
    return code;
}

static int run(HedLab* lab) {
    static const double CASES[][2] = {
        {0.0, 0.0}, {45.0, 0.0}, {22.5, 0.0}, {0.0, 30.0}, {70.0, 45.0}};
    const double rad = acos(-1.0) / 180.0;
    double direction = lab_number(lab, "direction");
    double turned = lab_number(lab, "turned");
    bool is_all = direction < 0.0 && turned < 0.0;
    int count = !is_all ? 1 : lab_quick(lab) ? 2 : 5;
    Slope slope = {.mu = lab_number(lab, "mu"),
                   .threads = lab_count(lab, "threads"),
                   .has_skin = strcmp(lab_text(lab, "contact"), "skin") == 0};
    Worst worst = {0};
    int code = 0;
    lab_table_begin(lab, "slides.csv",
                    "angle (deg),direction (deg),turned (deg),gain (m/s^2),Coulomb (m/s^2),error "
                    "(g),aside (g)");
    for (int k = 0; k < count && code == 0; ++k) {
        slope.direction = (is_all ? CASES[k][0] : fmax(0.0, direction)) * rad;
        slope.turned = (is_all ? CASES[k][1] : fmax(0.0, turned)) * rad;
        code = try_angles(lab, slope, k == 0, &worst);
    }
    lab_table_end(lab);
    if (code != 0) {
        return code;
    }
    lab_result(lab, "error", worst.gain);
    lab_result(lab, "aside", worst.aside);
    lab_result(lab, "creep", worst.creep);
    lab_claim_below(lab, "sliding: off from g (sin - mu cos), over g", worst.gain, 0.002);
    lab_claim_below(lab, "sliding: gain across the slope, over g", worst.aside, 0.002);
    lab_claim_below(lab, "below the angle of friction: gain, over g", worst.stays, 1e-4);
    lab_claim_below(lab, "below the angle of friction: motion in 10 ms (m)", worst.creep, 1e-8);
    return 0;
}

const HedExperiment EXPERIMENT_INCLINE = {
    .name = "incline",
    .title = "a weave on an inclined weave: sticks, and slides by Coulomb's law in any direction",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
