// SPDX-License-Identifier: MIT
// A small knit is stretched across its wales and let go, twice. The force over the way encloses the
// work that friction and plastic bending take; the second loop closes where it began. Without both
// nothing is lost, and the knit comes back.
#include "experiment/knit_loops.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOPS_MOST = 12, HOLDERS_MOST = 2 + 2 * LOOPS_MOST };

static const HedParameter PARAMETERS[] = {
    {.name = "loops",
     .unit = "",
     .number = 3,
     .least = 2,
     .most = LOOPS_MOST,
     .whole = true,
     .help = "of the knit, across and up"},
    {.name = "stretch",
     .unit = "",
     .number = 0.3,
     .least = 0.02,
     .most = 0.6,
     .help = "of the knit, over its width"},
    {.name = "friction",
     .unit = "",
     .number = 0.3,
     .least = 0.0,
     .most = 1.0,
     .help = "between yarns"},
    {.name = "plastic",
     .unit = "",
     .number = 0.15,
     .least = 0.0,
     .most = 2.0,
     .help = "turn of a vertex beyond which its rest shape follows; 0: never"},
    {.name = "period",
     .unit = "s",
     .number = 0.1,
     .least = 0.01,
     .most = 10.0,
     .help = "of one cycle"},
};

enum { CYCLES = 2, LOOKS = 120 }; // looks in a cycle

static const double DIAMETER = 1.2e-3; // m
static const double RADIUS = 0.6e-3;   // m

typedef struct Pull {
    double friction, plastic;
    double period, settle;       // s
    double way;                  // m, largest
    double force[CYCLES][LOOKS]; // N
    double work[CYCLES];         // J
    double peak;                 // N, in the last cycle
    double residual;             // m, way at which the force of the last cycle is gone
} Pull;

static HedYarnsDef material(const Pull* p) {
    HedYarnsDef def = hed_yarns_def_default();
    def.rest = HED_YARN_AS_STARTED;
    def.linear_density = 1e-3;
    def.stretch = 20.0;
    def.bend = 2e-7;
    def.twist = 2e-7;
    def.plastic = p->plastic;
    def.contact = 300.0;
    return def;
}

// Way of the moving side at a time after settling: there and back on a sine, so that nothing jerks.
static double way_at(const Pull* p, double time) {
    return time <= 0.0 ? 0.0 : 0.5 * p->way * (1.0 - cos(6.283185307179586 * time / p->period));
}

// What holds the knit: its sides, and clips along its free edges.
typedef struct Holders {
    HedPinId id[HOLDERS_MOST];
    double part[HOLDERS_MOST]; // of the way that it goes
    int32_t count;
} Holders;

// A pin that goes a part of the way.
static void hold(YarnTrial* trial, const Pull* p, HedPinDef pin, double part, Holders* holders) {
    enum { KEYS = 40 * CYCLES };
    HedKeyframe keys[KEYS + 2];
    keys[0] = (HedKeyframe){.pose.rotation.w = 1.0};
    for (int32_t k = 0; k <= KEYS; ++k) {
        double time = CYCLES * p->period * k / KEYS;
        keys[k + 1] = (HedKeyframe){.time = p->settle + time, .pose.rotation.w = 1.0};
        keys[k + 1].pose.position.x = part * way_at(p, time);
    }
    pin.keyframes = part > 0.0 ? keys : NULL;
    pin.keyframe_count = part > 0.0 ? KEYS + 2 : 0;
    holders->id[holders->count] = yarn_trial_pin(trial, pin);
    holders->part[holders->count++] = part;
}

// The ends of all courses, half a loop each.
static void hold_side(YarnTrial* trial, const Pull* p, const KnitLoops* knit, HedPinDef pin,
                      bool is_right, Holders* holders) {
    int32_t row = knit->wales * knit->per_loop + 1;
    int32_t few = knit->per_loop / 2;
    int32_t* vertices = malloc(sizeof(int32_t) * (size_t)(few * knit->courses));
    for (int32_t k = 0; vertices && k < few * knit->courses; ++k) {
        int32_t along = k % few;
        vertices[k] = k / few * row + (is_right ? row - 1 - along : along);
    }
    pin.vertices = vertices;
    pin.vertex_count = vertices ? few * knit->courses : 0;
    hold(trial, p, pin, is_right ? 1.0 : 0.0, holders);
    free(vertices);
}

// Free edges would roll up and snap from one shape to another: a clip at each foot of the lowest
// course and at each head of the highest one goes along, as far as a knit that is stretched evenly
// does there.
static void hold_edges(YarnTrial* trial, const Pull* p, const KnitLoops* knit, HedPinDef pin,
                       Holders* holders) {
    int32_t row = knit->wales * knit->per_loop + 1;
    for (int32_t k = 1; k < 2 * knit->wales; ++k) {
        bool is_head = k % 2 == 1;
        int32_t vertex = k * knit->per_loop / 2 + (is_head ? (knit->courses - 1) * row : 0);
        pin.vertices = &vertex;
        pin.vertex_count = 1;
        hold(trial, p, pin, (k - 1.0) / (2.0 * knit->wales - 2.0), holders);
    }
}

// N: what the holders do over the way of the side that moves.
static double force_of(YarnTrial* trial, HedYarnsId yarns, const Holders* holders) {
    double sum = 0.0;
    for (int32_t k = 0; k < holders->count; ++k) {
        if (holders->part[k] > 0.0) {
            sum += holders->part[k] * yarn_trial_reaction(trial, yarns, holders->id[k]).x;
        }
    }
    return sum;
}

static void follow(YarnTrial* trial, Pull* p, HedYarnsId yarns, const Holders* holders) {
    double before = 0.0;
    yarn_trial_go(trial, p->settle);
    double zero = force_of(trial, yarns, holders);
    for (int32_t k = 0; k < CYCLES * LOOKS; ++k) {
        double time = p->period * (k + 1) / LOOKS;
        yarn_trial_go(trial, p->settle + time);
        double force = force_of(trial, yarns, holders) - zero;
        double step = way_at(p, time) - way_at(p, p->period * k / LOOKS);
        p->force[k / LOOKS][k % LOOKS] = force;
        p->work[k / LOOKS] += 0.5 * (force + before) * step;
        if (k >= (CYCLES - 1) * LOOKS) {
            p->peak = fmax(p->peak, force);
            bool is_back = k % LOOKS > LOOKS / 2;
            p->residual = is_back && force > 0.0 ? way_at(p, time) : p->residual;
        }
        before = force;
    }
}

static int pull(HedLab* lab, const KnitLoops* knit, Pull* p, const char* picture) {
    YarnTrial trial;
    YarnCurves curves = {0};
    HedSimDef def = hed_sim_def_default();
    knit_loops(knit, &curves);
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 2e-4;
    def.drag = 50.0;
    def.yarn_friction = p->friction;
    def.yarn_damping = 0.1;
    yarn_trial_begin(&trial, lab, def);
    HedYarnsId yarns = yarn_trial_add(&trial, &curves, material(p));
    Holders holders = {.count = 0};
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = yarns;
    hold_side(&trial, p, knit, pin, false, &holders);
    hold_side(&trial, p, knit, pin, true, &holders);
    hold_edges(&trial, p, knit, pin, &holders);
    follow(&trial, p, yarns, &holders);
    if (picture) {
        const YarnCurves* set = &curves;
        yarn_lab_draw(lab, &set, 1, "start.png", (double[]){0.0, 0.2});
        yarn_trial_positions(&trial, yarns, &curves);
        yarn_lab_draw(lab, &set, 1, picture, (double[]){0.0, 0.2});
    }
    int code = yarn_trial_code(&trial, lab);
    yarn_trial_end(&trial);
    yarn_curves_free(&curves);
    return code;
}

static void report(HedLab* lab, const Pull* p) {
    lab_table_begin(lab, "hysteresis.csv", "way (mm),first cycle (N),second cycle (N)");
    for (int32_t k = 0; k < LOOKS; k += 4) {
        lab_table_row(lab, 3,
                      (double[]){1e3 * way_at(p, p->period * (k + 1) / LOOKS), p->force[0][k],
                                 p->force[1][k]});
    }
    lab_table_end(lab);
    LabCurve curves[] = {{"hysteresis.csv", "way (mm)", "first cycle (N)", "first cycle", false},
                         {"hysteresis.csv", "way (mm)", "second cycle (N)", "second cycle", false}};
    LabPlot plot = {.picture = "hysteresis.svg",
                    .title = "A small knit, stretched and let go twice",
                    .x_label = "way (mm)",
                    .y_label = "force (N)",
                    .curves = curves,
                    .curve_count = 2};
    lab_plot(lab, &plot);
}

static void claim(HedLab* lab, const Pull* all, const Pull* rubs, const Pull* elastic) {
    double range = all->peak - all->force[1][LOOKS - 1];
    lab_claim_above(lab, "work lost in the second cycle over that without friction and plasticity",
                    all->work[1] / fabs(elastic->work[1]), all->friction > 0.0 ? 3.0 : 0.0);
    lab_claim_below(lab, "neither friction nor plasticity: way at which the force is gone",
                    elastic->residual / elastic->way, 0.05);
    lab_claim_below(lab, "force at the end of both cycles, difference over the range",
                    fabs(all->force[1][LOOKS - 1] - all->force[0][LOOKS - 1]) / range, 0.05);
    if (lab_quick(lab)) {
        return;
    }
    if (all->plastic > 0.0) {
        lab_claim_above(lab, "work lost in the first cycle over that of friction alone",
                        all->work[0] / rubs->work[0], 1.0);
        lab_claim_above(lab, "way at which the force is gone, of the largest: with plasticity",
                        all->residual / all->way, rubs->residual / rubs->way);
    }
    if (all->friction > 0.0) {
        lab_claim_below(lab, "neither friction nor plasticity: work lost over that of friction",
                        fabs(elastic->work[1]) / rubs->work[1], 0.1);
    }
}

static int run(HedLab* lab) {
    int32_t loops = lab_count(lab, "loops");
    KnitLoops knit = {loops, loops, 8, DIAMETER, RADIUS};
    double width = 4.0 * DIAMETER * (knit.wales - 1);
    Pull all = {.friction = lab_number(lab, "friction"),
                .plastic = lab_number(lab, "plastic"),
                .period = lab_number(lab, "period") * (lab_quick(lab) ? 0.5 : 1.0),
                .settle = 0.02,
                .way = lab_number(lab, "stretch") * width};
    Pull rubs = all, elastic = all;
    rubs.plastic = 0.0;
    elastic.plastic = elastic.friction = 0.0;
    int code = pull(lab, &knit, &all, "end.png");
    code = code ? code : pull(lab, &knit, &elastic, NULL);
    if (!lab_quick(lab)) {
        code = code ? code : pull(lab, &knit, &rubs, NULL);
    }
    if (code != 0) {
        return code;
    }
    report(lab, &all);
    lab_result(lab, "work_1", all.work[0]);
    lab_result(lab, "work_2", all.work[1]);
    lab_result(lab, "residual", all.residual / all.way);
    if (!lab_quick(lab)) {
        lab_result(lab, "work_friction_1", rubs.work[0]);
        lab_result(lab, "work_friction_2", rubs.work[1]);
        lab_result(lab, "residual_friction", rubs.residual / rubs.way);
    }
    lab_result(lab, "work_elastic_1", elastic.work[0]);
    lab_result(lab, "work_elastic_2", elastic.work[1]);
    lab_result(lab, "residual_elastic", elastic.residual / elastic.way);
    lab_result(lab, "peak", all.peak);
    claim(lab, &all, &rubs, &elastic);
    return 0;
}

const HedExperiment EXPERIMENT_HYSTERESIS = {
    .name = "hysteresis",
    .title = "a small knit, stretched and let go twice: work lost, and the shape that stays",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
