// SPDX-License-Identifier: MIT
// A strip of plain weave, cut at 45 degrees, is pulled along its length. Its yarns hardly stretch:
// the middle can only shear, by gamma = pi/2 - 2 acos((D + d)/(sqrt(2) D)), with D the length less
// the width and d the way of the grip, until the yarns lie side by side and lock. A sheet that is
// alike in all directions does nothing of the kind.
#include "experiment/list.h"
#include "experiment/shear_lab.h"

#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "displacement",
     .unit = "d/D",
     .number = 0.34,
     .least = 0.005,
     .most = 0.36,
     .help = "of the grip, over the length less the width of the strip"},
    {.name = "width",
     .unit = "mm",
     .number = 16.0,
     .least = 6.0,
     .most = 60.0,
     .help = "of the strip; it is three times as long"},
};

enum { LOOKS = 34 };

static const double RIGHT = 1.5707963267948966; // rad
static const double DEGREES = 57.29577951308232;
static const double RATIO = 3.0; // length over width
static const double GRIP = 3.0;  // spacings of cloth in either grip

typedef struct Strip {
    double width, length; // m, between the grips
    double middle;        // m, D
    double displacement;  // d/D
    double lookout;       // s, from one look to the next
    int32_t looks;
} Strip;

static double kinematic_deg(double part) {
    double x = fmin(1.0, (1.0 + part) / sqrt(2.0));
    return DEGREES * (RIGHT - 2.0 * acos(x));
}

// m, of the grip at the end.
static double whole_way(const Strip* strip) {
    return strip->displacement * strip->middle;
}

static double speed_of(const Strip* strip) {
    double middle = strip->length - strip->width;
    return strip->displacement * middle / (strip->looks * strip->lookout);
}

static void keys_of(const Strip* strip, HedKeyframe keys[2]) {
    keys[0] = (HedKeyframe){.time = 0.0, .pose.rotation.w = 1.0};
    keys[1] = (HedKeyframe){.time = strip->looks * strip->lookout, .pose.rotation.w = 1.0};
    keys[1].pose.position.y = whole_way(strip);
}

// --- woven

// Everything beyond the length between the grips, on one side.
static HedPinId grip(SlideTrial* s, const Strip* strip, double side, const HedKeyframe* keys,
                     int32_t key_count) {
    int32_t* nodes = calloc((size_t)s->net.node_count + 1, sizeof *nodes);
    int32_t count = 0;
    for (int32_t k = 0; nodes && k < s->net.node_count; ++k) {
        if (side * s->net.nodes[k].position.y > 0.5 * strip->length - 1e-6) {
            nodes[count++] = k;
        }
    }
    HedPinId pin = slide_trial_hold(s, nodes, count, true, keys, key_count);
    free(nodes);
    return pin;
}

// Whether a grip holds both yarns of a crossing.
static bool is_stiff(const HedNet* net, const HedNetNode* node, double side, double edge) {
    bool is_held = node->sign != 0;
    for (int slot = 0; is_held && slot < 2; ++slot) {
        int32_t yarn = net->visits[node->visit[slot]].yarn;
        double a = side * net->nodes[slide_node(net, yarn, 0)].position.y;
        double b = side * net->nodes[slide_node(net, yarn, -1)].position.y;
        is_held = fmax(a, b) > edge;
    }
    return is_held;
}

// Between the tips of the triangles that the grips keep stiff: the length less the width, but for
// where the cut meets the yarns.
static double find_middle(const HedNet* net, const Strip* strip) {
    double tip[2] = {HUGE_VAL, HUGE_VAL};
    for (int32_t k = 0; k < net->node_count; ++k) {
        for (int end = 0; end < 2; ++end) {
            double side = end ? 1.0 : -1.0;
            if (is_stiff(net, &net->nodes[k], side, 0.5 * strip->length - 1e-6)) {
                tip[end] = fmin(tip[end], side * net->nodes[k].position.y);
            }
        }
    }
    return tip[0] + tip[1];
}

static int pull_woven(HedLab* lab, Strip* strip, ShearLook* looks) {
    SlideTrial s = {0};
    double height = strip->length + 2.0 * GRIP * SHEAR_SPACING;
    int32_t threads = (int32_t)ceil((strip->width + height) / sqrt(2.0) / SHEAR_SPACING) + 2;
    SlideCloth cloth = shear_cloth(threads, threads);
    cloth.angle = 0.5 * RIGHT;
    cloth.width = strip->width;
    cloth.height = height;
    slide_trial_begin(&s, lab, cloth, shear_sim(speed_of(strip)), shear_material());
    HedKeyframe keys[2];
    strip->middle = find_middle(&s.net, strip);
    keys_of(strip, keys);
    grip(&s, strip, -1.0, NULL, 0);
    HedPinId pulled = grip(&s, strip, 1.0, keys, 2);
    // Between the tips of the stiff triangles, without the crossings at its rim.
    double reach = 0.5 * strip->middle - SHEAR_SPACING;
    double half = 0.5 * strip->width - SHEAR_SPACING;
    for (int32_t k = 0; k < strip->looks && slide_trial_go(&s, strip->lookout * (k + 1)); ++k) {
        looks[k].part = strip->displacement * (k + 1) / strip->looks;
        looks[k].kinematic = kinematic_deg(looks[k].part);
        looks[k].angle = shear_angle_deg(&s, half, reach);
        looks[k].centre = shear_angle_deg(&s, 1.5 * SHEAR_SPACING, 2.0 * SHEAR_SPACING);
        looks[k].force = fabs(yarn_trial_reaction(&s.trial, s.yarns, pulled).y);
    }
    int32_t gone = s.trial.status == HED_OK ? hed_sliding_gone(s.trial.sim, s.yarns, NULL) : 0;
    lab_result(lab, "nodes", s.net.node_count);
    lab_result(lab, "length_less_width", strip->middle);
    lab_result(lab, "crossings_gone", gone);
    slide_trial_draw(&s, lab, "bias-extension.png", (double[]){0.0, 0.0});
    int code = yarn_trial_code(&s.trial, lab);
    slide_trial_end(&s);
    return code;
}

// --- isotropic

enum { COLUMNS = 9, ROWS = 25 }; // odd: there is a point in the middle

// 90 deg less the angle between the diagonals of the four squares about the middle.
static double diagonal_deg(const HedVec3* x) {
    int32_t low = (ROWS / 2 - 1) * COLUMNS + COLUMNS / 2;
    int32_t high = (ROWS / 2 + 1) * COLUMNS + COLUMNS / 2;
    double ax = x[high + 1].x - x[low - 1].x, ay = x[high + 1].y - x[low - 1].y;
    double bx = x[high - 1].x - x[low + 1].x, by = x[high - 1].y - x[low + 1].y;
    return 90.0 - DEGREES * atan2(fabs(ax * by - ay * bx), ax * bx + ay * by);
}

static HedSheetId add_sheet(YarnTrial* t, const Strip* strip) {
    HedVec3 x[COLUMNS * ROWS];
    int32_t held[2][COLUMNS];
    HedSheetId id = {0};
    HedSheetDef def = hed_sheet_def_default();
    for (int32_t k = 0; k < COLUMNS * ROWS; ++k) {
        int32_t row = k / COLUMNS, column = k % COLUMNS;
        x[k] = (HedVec3){strip->width * ((double)column / (COLUMNS - 1) - 0.5),
                         strip->length * ((double)row / (ROWS - 1) - 0.5), 0.0};
    }
    for (int32_t k = 0; k < COLUMNS; ++k) {
        held[0][k] = k;
        held[1][k] = (ROWS - 1) * COLUMNS + k;
    }
    int32_t triangles[6 * (COLUMNS - 1) * (ROWS - 1)];
    int32_t corners = 0;
    for (int32_t k = 0; k < COLUMNS * (ROWS - 1); ++k) {
        if (k % COLUMNS + 1 < COLUMNS) {
            const int32_t two[6] = {k, k + 1, k + COLUMNS, k + 1, k + COLUMNS + 1, k + COLUMNS};
            for (int c = 0; c < 6; ++c) {
                triangles[corners++] = two[c];
            }
        }
    }
    def.vertices = x;
    def.vertex_count = COLUMNS * ROWS;
    def.triangles = triangles;
    def.triangle_count = corners / 3;
    def.model = HED_SHEET_MEMBRANE;
    def.density = 0.08;
    def.stretch = 100.0;
    def.poisson = 0.3;
    def.shear = def.stretch / (2.0 * (1.0 + def.poisson)); // isotropic
    def.bending = HED_BENDING_NONE;
    if (t->status == HED_OK) {
        t->status = hed_sheet_create(t->sim, &def, &id, &t->error);
    }
    for (int end = 0; end < 2; ++end) {
        HedKeyframe keys[2];
        HedPinDef pin = hed_pin_def_default();
        keys_of(strip, keys);
        pin.sheet = id;
        pin.vertices = held[end];
        pin.vertex_count = COLUMNS;
        pin.keyframes = keys;
        pin.keyframe_count = end == 1 ? 2 : 0;
        yarn_trial_pin(t, pin);
    }
    return id;
}

static int pull_sheet(HedLab* lab, const Strip* strip, ShearLook* looks) {
    YarnTrial t = {0};
    HedVec3 x[COLUMNS * ROWS];
    HedSimDef def = shear_sim(speed_of(strip));
    def.integrator = HED_IMPLICIT_EULER;
    yarn_trial_begin(&t, lab, def);
    HedSheetId id = add_sheet(&t, strip);
    for (int32_t k = 0; k < strip->looks && yarn_trial_go(&t, strip->lookout * (k + 1)); ++k) {
        hed_sheet_positions(t.sim, id, x);
        looks[k].isotropic = diagonal_deg(x);
    }
    int code = yarn_trial_code(&t, lab);
    yarn_trial_end(&t);
    return code;
}

static int run(HedLab* lab) {
    ShearLook looks[LOOKS] = {0};
    bool is_quick = lab_quick(lab);
    Strip strip = {.width = (is_quick ? 0.5 : 1.0) * 1e-3 * lab_number(lab, "width"),
                   .displacement = lab_number(lab, "displacement"),
                   .lookout = is_quick ? 0.02 : 0.04,
                   .looks = is_quick ? LOOKS / 2 : LOOKS};
    strip.length = RATIO * strip.width;
    int code = pull_woven(lab, &strip, looks);
    code = code ? code : pull_sheet(lab, &strip, looks);
    if (code == 0) {
        shear_report(lab, looks, strip.looks, "d/D");
    }
    return code;
}

const HedExperiment EXPERIMENT_BIAS_EXTENSION = {
    .name = "bias-extension",
    .title = "a strip of weave cut at 45 degrees shears as its yarns demand, and locks",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
