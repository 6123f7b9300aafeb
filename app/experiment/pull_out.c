// SPDX-License-Identifier: MIT
// One pick is pulled out of a plain weave that lies between two plates, which press on it and hold
// it: the force against the number of crossings that the pick still has, and Coulomb's coefficient
// from it.
//
// At each crossing the yarns press on each other with the pressure on the cell of cloth around it,
// N = p s^2, and with what the pull T of the pick itself adds on its way over and under the warp:
// (R/l) (T_before + T_behind). Coulomb:
//   T_behind - T_before = mu (N + (R/l) (T_before + T_behind))
// from T = 0 at the free end on. Without crimp, R/l = 0, this is the straight line mu k N.
#include "experiment/list.h"
#include "experiment/slide_lab.h"

#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "mu",
     .unit = "",
     .number = 0.3,
     .least = 0.01,
     .most = 1.5,
     .help = "Coulomb's coefficient"},
    {.name = "crossings",
     .unit = "",
     .number = 10,
     .least = 1,
     .most = 60,
     .whole = true,
     .help = "of the pick that is pulled out"},
    {.name = "normal_pressure",
     .unit = "Pa",
     .number = 1000.0,
     .least = 10.0,
     .most = 1e5,
     .help = "of the plates on the cloth; a crossing carries that on its cell, 1 mm^2"},
};

enum { PICKS = 3, STEPS = 25 }; // steps: while the pick moves on by one spacing

static const double SPACING = 1e-3;   // m
static const double DIAMETER = 2e-5;  // m: crimp adds little to what presses
static const double DENSITY = 1e-6;   // kg/m
static const double TIME_STEP = 1e-2; // s

typedef struct Test {
    double mu;
    int32_t crossings;
    double normal;   // N, at each crossing
    double speed;    // m/s
    double diameter; // m, of yarns
} Test;

// --- theory

static double crimp(void) {
    double radius = 0.5 * DIAMETER;
    return radius / sqrt(SPACING * SPACING + 4.0 * radius * radius);
}

static double force_of(double mu, int32_t crossings, double normal) {
    double pull = 0.0;
    for (int32_t k = 0; k < crossings; ++k) {
        pull = (pull * (1.0 + mu * crimp()) + mu * normal) / (1.0 - mu * crimp());
    }
    return pull;
}

// The coefficient that gives a force.
static double mu_of(double force, int32_t crossings, double normal) {
    double low = 0.0, high = 10.0;
    for (int k = 0; k < 100; ++k) {
        double middle = 0.5 * (low + high);
        *(force_of(middle, crossings, normal) < force ? &low : &high) = middle;
    }
    return low;
}

// --- simulation

// What is seen at the end of each step.
typedef struct Look {
    double way;        // m, of the end that is pulled
    double force;      // N
    double slip;       // m, of the free end
    int32_t crossings; // that are left
} Look;

typedef struct Looks {
    Look* data;
    int32_t count;
} Looks;

static void begin(HedLab* lab, const Test* test, SlideTrial* s, HedPinId* pull) {
    SlideCloth cloth = {.ends = test->crossings,
                        .picks = PICKS,
                        .spacing = SPACING,
                        .diameter = test->diameter,
                        .density = DENSITY};
    HedSimDef sim = hed_sim_def_default();
    sim.gravity = (HedVec3){0};
    sim.time_step = TIME_STEP;
    sim.newton_tolerance = 1e-7; // 1e-9 m in a step: springs of friction give 2e-7 m
    HedSlidingDef def = hed_sliding_def_default();
    // Three percent of strain under the whole force: the yarn is seen to stretch before all of it
    // slides, and forces along stretched and unstretched yarn differ by half of that.
    def.stretch = force_of(test->mu, test->crossings, test->normal) / 0.03;
    def.bend = 1e-11;
    def.friction = test->mu;
    def.crossing_preload = test->normal;
    def.friction_stiffness = test->mu * test->normal / (1e-3 * SPACING);
    slide_trial_begin(s, lab, cloth, sim, def);
    if (s->trial.status != HED_OK) {
        return;
    }
    int32_t pick = test->crossings + PICKS / 2;
    int32_t free_end = slide_node(&s->net, pick, 0);
    int32_t pulled = slide_node(&s->net, pick, -1);
    int32_t* held = calloc((size_t)s->net.node_count, sizeof *held);
    int32_t count = 0;
    for (int32_t k = 0; held && k < s->net.node_count; ++k) {
        if (k != free_end && k != pulled) {
            held[count++] = k;
        }
    }
    HedKeyframe keys[2] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = 1e3, .pose.rotation.w = 1.0}};
    keys[1].pose.position.x = 1e3 * test->speed;
    slide_trial_hold(s, held, count, false, NULL, 0);
    *pull = slide_trial_hold(s, &pulled, 1, false, keys, 2);
    free(held);
}

static int pull_out(HedLab* lab, const Test* test, Looks* looks) {
    SlideTrial s = {0};
    HedPinId pull = {0};
    begin(lab, test, &s, &pull);
    int32_t steps = STEPS * (test->crossings + 2);
    int32_t free_end = s.net.node_count > 0 ? slide_node(&s.net, test->crossings + 1, 0) : 0;
    double start = s.net.node_count > 0 ? s.net.nodes[free_end].position.x : 0.0;
    looks->data = calloc((size_t)steps, sizeof *looks->data);
    for (int32_t k = 0; looks->data && k < steps; ++k) {
        int32_t before =
            s.trial.status == HED_OK ? hed_sliding_gone(s.trial.sim, s.yarns, NULL) : 0;
        if (!slide_trial_go(&s, TIME_STEP * (k + 1))) {
            break;
        }
        looks->data[looks->count++] =
            (Look){.way = test->speed * TIME_STEP * (k + 1),
                   .force = fabs(yarn_trial_reaction(&s.trial, s.yarns, pull).x),
                   .slip = s.x[free_end].x - start,
                   .crossings = test->crossings - before};
        if (test->diameter > DIAMETER && k == steps / 2) {
            slide_trial_draw(&s, lab, "pull-out.png", (double[]){0.2, 0.9});
            break;
        }
    }
    int code = yarn_trial_code(&s.trial, lab);
    slide_trial_end(&s);
    return code;
}

// --- results

// The largest force with so many crossings left: as each begins to slide with all the others.
static double plateau(const Looks* looks, int32_t crossings) {
    double force = 0.0;
    int32_t count = 0;
    for (int32_t k = 0; k < looks->count; ++k) {
        count += looks->data[k].crossings == crossings;
    }
    // The first of the steps still carry what the crossing before has left in the yarn.
    for (int32_t k = 0, seen = 0; k < looks->count; ++k) {
        if (looks->data[k].crossings == crossings && ++seen > count / 2) {
            force = fmax(force, looks->data[k].force);
        }
    }
    return force;
}

// m, that the free end has moved when the force is half of the largest.
static double early_slip(const Looks* looks, double force) {
    for (int32_t k = 0; k < looks->count; ++k) {
        if (looks->data[k].force > 0.5 * force) {
            return k > 0 ? looks->data[k - 1].slip : 0.0;
        }
    }
    return HUGE_VAL;
}

static void report(HedLab* lab, const Test* test, const Looks* looks) {
    double worst = 0.0, bend = 0.0;
    double most = plateau(looks, test->crossings);
    lab_table_begin(lab, "crossings.csv", "crossings,force (N),theory (N),mu k N (N)");
    for (int32_t k = test->crossings; k > 0; --k) {
        double theory = force_of(test->mu, k, test->normal);
        double row[4] = {k, plateau(looks, k), theory, test->mu * k * test->normal};
        lab_table_row(lab, 4, row);
        worst = lab_worse(worst, row[1] / theory - 1.0);
        bend = lab_worse(bend, row[1] / row[3] - 1.0);
    }
    lab_table_end(lab);
    lab_table_begin(lab, "force.csv", "way (mm),force (N),free end (mm),crossings");
    for (int32_t k = 0; k < looks->count; k += lab_quick(lab) ? STEPS : 1) {
        const Look* look = &looks->data[k];
        lab_table_row(lab, 4,
                      (double[]){1e3 * look->way, look->force, 1e3 * look->slip, look->crossings});
    }
    lab_table_end(lab);
    double recovered = mu_of(most, test->crossings, test->normal);
    lab_result(lab, "force", most);
    lab_result(lab, "mu_recovered", recovered);
    lab_result(lab, "normal_force", test->normal);
    lab_result(lab, "theory", force_of(test->mu, test->crossings, test->normal));
    lab_result(lab, "worst", worst);
    lab_claim(lab, "Coulomb's coefficient from the force", test->mu, recovered, 0.05 * test->mu);
    lab_claim_below(lab, "force for each number of crossings against theory, worst", worst, 0.05);
    // What crimp adds grows with the crossings: the line is straight where that is little.
    if (test->mu * test->crossings * crimp() < 0.04) {
        lab_claim_below(lab, "force against the straight line mu k N, worst", bend, 0.05);
    }
    lab_claim_below(lab, "way of the free end under half of the force, in spacings",
                    early_slip(looks, most) / SPACING, 0.02);
    lab_claim(lab, "crossings in the end", 0.0, looks->data[looks->count - 1].crossings, 0.0);
}

static int run(HedLab* lab) {
    Test test = {.mu = lab_number(lab, "mu"),
                 .crossings = lab_count(lab, "crossings"),
                 .normal = lab_number(lab, "normal_pressure") * SPACING * SPACING,
                 .speed = SPACING / (STEPS * TIME_STEP),
                 .diameter = DIAMETER};
    Looks looks = {0};
    int code = pull_out(lab, &test, &looks);
    if (code == 0 && !lab_quick(lab)) { // for the picture, half way, with yarns that can be seen
        Looks unused = {0};
        Test thick = test;
        thick.diameter = 0.3 * SPACING;
        code = pull_out(lab, &thick, &unused);
        free(unused.data);
    }
    if (code == 0) {
        report(lab, &test, &looks);
        const LabCurve curves[] = {
            {"crossings.csv", "crossings", "force (N)", "pulled out", true},
            {"crossings.csv", "crossings", "mu k N (N)", "mu k N", false},
        };
        lab_plot(lab, &(LabPlot){.picture = "crossings.svg",
                                 .title = "Pull-out force",
                                 .x_label = "crossings",
                                 .y_label = "force (N)",
                                 .curves = curves,
                                 .curve_count = 2});
        const LabCurve way[] = {{"force.csv", "way (mm)", "force (N)", "force", false}};
        lab_plot(lab, &(LabPlot){.picture = "force.svg",
                                 .title = "Pulling out a pick",
                                 .x_label = "way of the pulled end (mm)",
                                 .y_label = "force (N)",
                                 .curves = way,
                                 .curve_count = 1});
    }
    free(looks.data);
    return code;
}

const HedExperiment EXPERIMENT_PULL_OUT = {
    .name = "pull-out",
    .title = "a pick pulled out of a weave: force against crossings, Coulomb's coefficient",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
