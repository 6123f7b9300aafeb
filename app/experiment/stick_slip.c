// SPDX-License-Identifier: MIT
// A yarn pressed between two others that cross it: below Coulomb's limit, mu times the normal
// forces on both sides, it comes to rest within the presliding distance; above, it goes on sliding;
// and drawn slowly it is held back by the limit.
//
// The load is the yarn's own weight, with gravity along it. The normal forces are read off the pins
// that hold the other two.
#include "experiment/list.h"
#include "experiment/yarn_lab.h"

#include <math.h>

static const HedParameter PARAMETERS[] = {
    {.name = "mu",
     .unit = "",
     .number = 0.3,
     .least = 0.01,
     .most = 1.0,
     .help = "Coulomb's coefficient"},
    {.name = "crossing",
     .unit = "deg",
     .number = 90.0,
     .least = 20.0,
     .most = 90.0,
     .help = "angle between the yarn and those that press on it"},
    {.name = "margin",
     .unit = "",
     .number = 0.03,
     .least = 0.02,
     .most = 0.2,
     .help = "below and above the limit"},
};

enum { SLIDER = 41, CROSS = 17 };

static const double RADIUS = 0.5e-3; // m
static const double PIECE = 0.8e-3;  // m, of segments
static const double SQUEEZE = 0.93;  // distance of centre lines over two radii
static const double DENSITY = 2e-3;  // kg/m

typedef struct Slide {
    double mu, crossing; // rad
    double gravity;      // m/s^2, along the yarn
    double speed;        // m/s, at which one end is drawn; 0: none is
    YarnTrial trial;
    YarnCurves slider, cross;
    HedYarnsId yarn, press;
    HedPinId held[2];
    double normal; // N, of both sides together
} Slide;

static HedYarnsDef material(void) {
    HedYarnsDef def = hed_yarns_def_default();
    def.linear_density = DENSITY;
    def.stretch = 20.0;
    def.bend = def.twist = 1e-7;
    def.contact = 500.0;
    def.damping = 1e-5;
    return def;
}

// The other two cross each other as well, one to the left and one to the right of the yarn. Were
// they parallel, both would turn it in one sense, and friction would have to hold that moment too.
static void lay(Slide* s) {
    yarn_curves_begin(&s->slider, RADIUS);
    for (int k = 0; k < SLIDER; ++k) {
        yarn_curves_add(&s->slider, (HedVec3){PIECE * (k - 0.5 * (SLIDER - 1)), 0.0, 0.0});
    }
    for (int side = 0; side < 2; ++side) {
        yarn_curves_begin(&s->cross, RADIUS);
        for (int k = 0; k < CROSS; ++k) {
            double along = PIECE * (k - 0.5 * (CROSS - 1));
            yarn_curves_add(&s->cross, (HedVec3){along * cos(s->crossing),
                                                 (side ? 2.0 : -2.0) * RADIUS * SQUEEZE,
                                                 (side ? along : -along) * sin(s->crossing)});
        }
    }
}

static void hold(Slide* s) {
    for (int side = 0; side < 2; ++side) {
        int32_t all[CROSS];
        HedPinDef pin = hed_pin_def_default();
        for (int32_t k = 0; k < CROSS; ++k) {
            all[k] = side * CROSS + k;
        }
        pin.yarns = s->press;
        pin.vertices = all;
        pin.vertex_count = CROSS;
        s->held[side] = yarn_trial_pin(&s->trial, pin);
    }
}

// Begins; leaves the normal force.
static void begin(HedLab* lab, Slide* s) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){s->gravity, 0.0, 0.0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-4;
    def.yarn_friction = s->mu;
    // The force of friction is mu of the normal one, and what else acts along the yarn must be
    // small against that: the places of quadrature points (0.002 of the normal force with 11 of
    // them per segment), and the viscosity of contacts into which the yarn slides.
    def.yarn_quadrature = 31;
    def.yarn_damping = 0.01;
    // Critical for the mass of the yarn on the springs of presliding, so that the load, which comes
    // at once, does not overshoot.
    def.drag = s->gravity > 0.0 ? 2.0 * sqrt(s->gravity / (0.04 * RADIUS)) : 0.0;
    lay(s);
    yarn_trial_begin(&s->trial, lab, def);
    s->yarn = yarn_trial_add(&s->trial, &s->slider, material());
    s->press = yarn_trial_add(&s->trial, &s->cross, material());
    hold(s);
    if (s->speed > 0.0) {
        int32_t last = SLIDER - 1;
        HedKeyframe keys[2] = {{.time = 0.0}, {.time = 1.0, .pose.position.x = s->speed}};
        keys[0].pose.rotation.w = keys[1].pose.rotation.w = 1.0;
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = s->yarn;
        pin.vertices = &last;
        pin.vertex_count = 1;
        pin.keyframes = keys;
        pin.keyframe_count = 2;
        yarn_trial_pin(&s->trial, pin);
    }
    s->normal = yarn_trial_reaction(&s->trial, s->press, s->held[1]).y * -1.0 +
                yarn_trial_reaction(&s->trial, s->press, s->held[0]).y;
    s->normal = fabs(s->normal);
}

static int end(HedLab* lab, Slide* s) {
    int code = yarn_trial_code(&s->trial, lab);
    yarn_trial_end(&s->trial);
    yarn_curves_free(&s->slider);
    yarn_curves_free(&s->cross);
    return code;
}

// How far the middle of the yarn is after a time.
static double way_at(Slide* s, double time) {
    yarn_trial_go(&s->trial, time);
    yarn_trial_positions(&s->trial, s->yarn, &s->slider);
    return s->slider.has_failed ? 0.0 : s->slider.x[SLIDER / 2].x;
}

// Under a load of `part` of the limit: ways after half the time and at its end, in m. Little
// friction takes little drag, under which what is left of the load moves the yarn more slowly.
static int load(HedLab* lab, Slide like, double part, double way[2]) {
    double mass = DENSITY * PIECE * (SLIDER - 1);
    Slide s = like;
    s.gravity = part * like.mu * like.normal / mass;
    begin(lab, &s);
    double slower = fmax(1.0, 0.02 / (fabs(1.0 - part) - 0.01)); // friction is up to 1 % more
    double time = 0.04 * sqrt(fmax(1.0, 0.3 / like.mu)) * slower;
    way[0] = way_at(&s, 0.5 * time);
    way[1] = way_at(&s, time);
    return end(lab, &s);
}

// Drawn at 40 mm/s over two segments: mean and largest force of friction over the limit.
static int draw(HedLab* lab, Slide like, double* mean, double* most) {
    enum { LOOKS = 40 };
    Slide s = like;
    s.speed = 0.04;
    begin(lab, &s);
    *mean = *most = 0.0;
    for (int look = 1; look <= LOOKS; ++look) {
        yarn_trial_go(&s.trial, 1e-3 * look);
        double force = -yarn_trial_reaction(&s.trial, s.press, s.held[0]).x -
                       yarn_trial_reaction(&s.trial, s.press, s.held[1]).x;
        *most = fmax(*most, force / (s.mu * s.normal));
        *mean += look > LOOKS / 4 ? force / (s.mu * s.normal) / (0.75 * LOOKS) : 0.0;
    }
    const YarnCurves* sets[2] = {&s.slider, &s.cross};
    yarn_trial_positions(&s.trial, s.yarn, &s.slider);
    yarn_lab_draw(lab, sets, 2, "stick-slip.png", (double[]){0.6, 0.5});
    return end(lab, &s);
}

static int run(HedLab* lab) {
    Slide like = {.mu = lab_number(lab, "mu"),
                  .crossing = lab_number(lab, "crossing") * 3.14159265358979 / 180.0};
    double margin = lab_number(lab, "margin");
    // Where the yarn is a little aside, the two push at different places, turn it and drive it on:
    // only friction holds it, and the less obliquely they cross it the less it takes.
    if (like.mu * tan(like.crossing) < 0.02) {
        return lab_refuse(lab,
                          "'mu' must be at least %.3g with a crossing of %g degrees: less "
                          "does not keep the yarn between the two others",
                          0.02 / tan(like.crossing), lab_number(lab, "crossing"));
    }
    double below[2], above[2], mean = 0.0, most = 0.0;
    Slide still = like;
    begin(lab, &still);
    like.normal = still.normal;
    int code = end(lab, &still);
    code = code ? code : load(lab, like, 1.0 - margin, below);
    code = code ? code : load(lab, like, 1.0 + margin, above);
    code = code ? code : draw(lab, like, &mean, &most);
    if (code != 0) {
        return code;
    }
    double give = 0.02 * 2.0 * RADIUS;
    lab_result(lab, "normal", like.normal);
    lab_result(lab, "limit", like.mu * like.normal);
    lab_result(lab, "way_below", below[1]);
    lab_result(lab, "way_above", above[1]);
    lab_result(lab, "friction_mean", mean);
    lab_result(lab, "friction_most", most);
    lab_claim_below(lab, "below the limit: way over the presliding distance", below[1] / give, 1.0);
    lab_claim_below(lab, "below the limit: creep in the second half (m)", fabs(below[1] - below[0]),
                    1e-8);
    lab_claim_above(lab, "above the limit: way over the presliding distance", above[1] / give, 2.0);
    lab_claim_above(lab, "above the limit: way in the second half over that in the first",
                    (above[1] - above[0]) / above[0], 0.5);
    lab_claim(lab, "drawn slowly: friction over mu N, mean", 1.0, mean, 0.03);
    lab_claim(lab, "drawn slowly: friction over mu N, largest", 1.0, most, 0.03);
    return 0;
}

const HedExperiment EXPERIMENT_STICK_SLIP = {
    .name = "stick-slip",
    .title = "a yarn pressed between two others holds below and slides above Coulomb's limit",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
