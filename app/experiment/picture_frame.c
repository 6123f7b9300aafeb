// SPDX-License-Identifier: MIT
// A square of plain weave in a frame of four hinged bars, pulled apart along a diagonal:
//   gamma = pi/2 - 2 acos(1/sqrt(2) + d/(2 L))
// with L the side of the frame and d the way of the crosshead. The bars hold the ends of the yarns.
// The force of the crosshead is what it does, over its way.
#include "experiment/list.h"
#include "experiment/shear_lab.h"

#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "displacement",
     .unit = "d/L",
     .number = 0.48,
     .least = 0.005,
     .most = 0.52,
     .help = "of the crosshead, over the side of the frame"},
    {.name = "threads",
     .unit = "",
     .number = 24,
     .least = 16,
     .most = 200,
     .whole = true,
     .help = "of warp and of weft"},
};

enum { LOOKS = 46 };

static const double RIGHT = 1.5707963267948966; // rad
static const double DEGREES = 57.29577951308232;

typedef struct Frame {
    double side;         // m
    double displacement; // d/L
    double lookout;      // s
    int32_t threads;
    int32_t looks;
} Frame;

static double kinematic(double part) {
    return RIGHT - 2.0 * acos(fmin(1.0, 1.0 / sqrt(2.0) + 0.5 * part));
}

// One bar at a time: it turns about its hinge, and the hinge moves. The cloth lies in the frame
// turned by 45 degrees, so that the crosshead goes along y; the lower corner stays where it is.
static HedKeyframe bar_at(const Frame* frame, int bar, double time, double part) {
    double gamma = kinematic(part);
    double turn = 0.5 * gamma; // of bars towards y
    double up = bar == 0 || bar == 2 ? 1.0 : -1.0;
    double half = up * 0.5 * turn;
    HedKeyframe key = {.time = time, .pose.rotation = {.w = cos(half), .z = sin(half)}};
    // Bars 0 and 1 turn about the lower corner, 2 and 3 about the upper one, which is pulled.
    key.pose.position.y = bar < 2 ? 0.0 : part * frame->side;
    return key;
}

// The bar that the end of a yarn lies on: 0 lower right, 1 lower left, 2 upper left, 3 upper right;
// -1: none.
static int bar_of(HedVec3 x, double side) {
    double right = (x.x + x.y) / sqrt(2.0), left = (x.y - x.x) / sqrt(2.0);
    double near = 0.5 * side - 1e-3 * side;
    return left < -near ? 0 : right < -near ? 1 : left > near ? 2 : right > near ? 3 : -1;
}

static void hold_bars(SlideTrial* s, const Frame* frame) {
    int32_t* nodes = calloc((size_t)s->net.node_count + 1, sizeof *nodes);
    HedKeyframe keys[LOOKS * 4 + 1];
    int32_t key_count = frame->looks * 4 + 1;
    double corner = frame->side / sqrt(2.0);
    for (int bar = 0; nodes && bar < 4; ++bar) {
        HedPinDef pin = hed_pin_def_default();
        int32_t count = 0;
        for (int32_t k = 0; k < s->net.node_count; ++k) {
            if (s->net.nodes[k].sign == 0 && bar_of(s->net.nodes[k].position, frame->side) == bar) {
                nodes[count++] = k;
            }
        }
        for (int32_t k = 0; k < key_count; ++k) {
            double done = (double)k / (key_count - 1);
            keys[k] = bar_at(frame, bar, done * frame->looks * frame->lookout,
                             done * frame->displacement);
        }
        pin.yarns = s->yarns;
        pin.vertices = nodes;
        pin.vertex_count = count;
        pin.keyframes = keys;
        pin.keyframe_count = key_count;
        pin.pivot = (HedVec3){0.0, bar < 2 ? -corner : corner, 0.0};
        yarn_trial_pin(&s->trial, pin);
    }
    free(nodes);
}

static int pull(HedLab* lab, const Frame* frame, ShearLook* looks) {
    SlideTrial s = {0};
    double speed = frame->displacement * frame->side / (frame->looks * frame->lookout);
    // Two threads more, so that those in the frame end at its bars.
    SlideCloth cloth = shear_cloth(frame->threads + 2, frame->threads + 2);
    cloth.width = cloth.height = frame->side;
    cloth.turn = 0.5 * RIGHT;
    slide_trial_begin(&s, lab, cloth, shear_sim(speed), shear_material());
    if (s.trial.status == HED_OK) {
        hold_bars(&s, frame);
    }
    double before = 0.0;
    for (int32_t k = 0; k < frame->looks && slide_trial_go(&s, frame->lookout * (k + 1)); ++k) {
        double work = hed_sim_energies(s.trial.sim).external;
        looks[k].part = frame->displacement * (k + 1) / frame->looks;
        looks[k].kinematic = DEGREES * kinematic(looks[k].part);
        looks[k].angle = shear_angle_deg(&s, frame->side, 0.6 * frame->side);
        looks[k].centre = shear_angle_deg(&s, frame->side, 2.0 * SHEAR_SPACING);
        looks[k].force = (work - before) / (frame->displacement * frame->side / frame->looks);
        before = work;
    }
    lab_result(lab, "nodes", s.net.node_count);
    slide_trial_draw(&s, lab, "picture-frame.png", (double[]){0.0, 0.0});
    int code = yarn_trial_code(&s.trial, lab);
    slide_trial_end(&s);
    return code;
}

// J, of all crossings at a shear angle, before they jam: 2 kx s gamma^2 each.
static double energy_at(int32_t crossings, double degrees) {
    double gamma = degrees / DEGREES;
    return 2.0 * crossings * shear_material().shear * SHEAR_SPACING * gamma * gamma;
}

// The force about 20 degrees against what the stiffness of crossings makes it.
static void claim_force(HedLab* lab, const Frame* frame, const ShearLook* looks) {
    double way = frame->displacement * frame->side / frame->looks;
    int32_t crossings = frame->threads * frame->threads;
    for (int32_t k = 1; k < frame->looks; ++k) {
        if (looks[k].kinematic > 20.0) {
            double theory = (energy_at(crossings, looks[k].kinematic) -
                             energy_at(crossings, looks[k - 1].kinematic)) /
                            way;
            lab_result(lab, "force_theory", theory);
            lab_claim(lab, "force at 20 deg against the shear stiffness of crossings (N)", theory,
                      looks[k].force, 0.05 * theory);
            return;
        }
    }
}

static int run(HedLab* lab) {
    ShearLook looks[LOOKS] = {0};
    bool is_quick = lab_quick(lab);
    Frame frame = {.threads = lab_count(lab, "threads") / (is_quick ? 2 : 1),
                   .displacement = lab_number(lab, "displacement"),
                   .lookout = is_quick ? 0.02 : 0.04,
                   .looks = is_quick ? LOOKS / 2 : LOOKS};
    frame.side = frame.threads * SHEAR_SPACING;
    int code = pull(lab, &frame, looks);
    if (code == 0) {
        shear_report(lab, looks, frame.looks, "d/L");
        claim_force(lab, &frame, looks);
    }
    return code;
}

const HedExperiment EXPERIMENT_PICTURE_FRAME = {
    .name = "picture-frame",
    .title = "a square of weave in a frame of hinged bars: shear angle, force, locking",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
