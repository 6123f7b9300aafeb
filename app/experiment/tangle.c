// SPDX-License-Identifier: MIT
// A free tangle: open rings, linked as in a chain, collide and turn, without damping or anything
// around them. Momentum and angular momentum are kept to rounding, energy but for a
// bounded error of the steps.
#include "experiment/list.h"
#include "experiment/yarn_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "steps",
     .unit = "",
     .number = 10000.0,
     .least = 100.0,
     .most = 1e7,
     .whole = true,
     .help = "explicit steps"},
    {.name = "yarns",
     .unit = "",
     .number = 6.0,
     .least = 2.0,
     .most = 40.0,
     .whole = true,
     .help = "in the tangle"},
    {.name = "friction",
     .unit = "",
     .number = 0.0,
     .least = 0.0,
     .most = 1.0,
     .help = "between yarns; with it energy falls, and moments about straight yarns are lost"},
};

enum { SETS = 2, POINTS = 24 };

static const double RADIUS = 0.5e-3; // m
static const double DENSITY = 5e-4;  // kg/m

// Yarn k of the tangle: open rings, linked as in a chain, with a wobble. Nothing touches at first.
static void wind(YarnCurves* curves, int32_t k) {
    const double ring = 8e-3;
    yarn_curves_begin(curves, RADIUS);
    for (int32_t i = 0; i < POINTS; ++i) {
        double t = 5.6 * i / (POINTS - 1.0) + 0.9 * k;
        double r = ring + 0.5e-3 * cos(3.0 * t + k);
        double across = r * sin(t), off = 0.6e-3 * sin(2.0 * t + 3.0 * k);
        yarn_curves_add(curves, (HedVec3){r * cos(t) + 1.2 * ring * k, k % 2 ? off : across,
                                          k % 2 ? across : off});
    }
}

typedef struct Tangle {
    YarnTrial trial;
    YarnCurves curves[SETS];
    double* mass[SETS];
    HedYarnsId yarns[SETS];
} Tangle;

static void build(HedLab* lab, Tangle* t, double step) {
    HedSimDef def = hed_sim_def_default();
    int32_t count = lab_count(lab, "yarns");
    def.gravity = (HedVec3){0};
    def.integrator = HED_VERLET;
    def.time_step = step;
    def.yarn_damping = 0.0;
    def.yarn_friction = lab_number(lab, "friction");
    yarn_trial_begin(&t->trial, lab, def);
    for (int32_t k = 0; k < count; ++k) {
        wind(&t->curves[k % SETS], k);
    }
    for (int s = 0; s < SETS; ++s) {
        HedYarnsDef yarn = hed_yarns_def_default();
        yarn.linear_density = DENSITY;
        yarn.stretch = 20.0;
        yarn.bend = yarn.twist = 2e-8;
        yarn.damping = 0.0;
        yarn.velocity = s ? (HedVec3){-0.6, 1.2, 0.9} : (HedVec3){0.8, -1.0, -0.6};
        t->mass[s] = yarn_masses(&t->curves[s], DENSITY);
        t->yarns[s] = yarn_trial_add(&t->trial, &t->curves[s], yarn);
    }
}

static YarnMotion motion_of(Tangle* t) {
    YarnMotion sum = {0};
    for (int s = 0; s < SETS; ++s) {
        YarnMotion m = yarn_trial_motion(&t->trial, t->yarns[s], &t->curves[s], t->mass[s]);
        sum.momentum.x += m.momentum.x;
        sum.momentum.y += m.momentum.y;
        sum.momentum.z += m.momentum.z;
        sum.angular.x += m.angular.x;
        sum.angular.y += m.angular.y;
        sum.angular.z += m.angular.z;
        sum.kinetic += m.kinetic;
    }
    return sum;
}

static double apart(HedVec3 a, HedVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void end(Tangle* t) {
    yarn_trial_end(&t->trial);
    for (int s = 0; s < SETS; ++s) {
        yarn_curves_free(&t->curves[s]);
        free(t->mass[s]);
    }
}

// What is scattered over the sets, so that a total that happens to be small is no excuse.
typedef struct Scale {
    double momentum, angular;
} Scale;

static Scale scale_of(const Tangle* t, double kinetic) {
    double mass = 0.0;
    for (int s = 0; s < SETS; ++s) {
        for (int32_t i = 0; t->mass[s] && i < t->curves[s].point_count; ++i) {
            mass += t->mass[s][i];
        }
    }
    double momentum = sqrt(2.0 * kinetic * mass);
    return (Scale){momentum, momentum * 8e-3};
}

static double contact_energy(const HedEnergies* energies) {
    double sum = 0.0;
    for (int32_t k = 0; k < energies->potential_count; ++k) {
        sum += strcmp(energies->potential_name[k], "contact") == 0 ? energies->potential[k] : 0.0;
    }
    return sum;
}

static void claim(HedLab* lab, const double drift[3], double pressed, double rubbed) {
    lab_result(lab, "momentum_drift", drift[0]);
    lab_result(lab, "angular_drift", drift[1]);
    lab_result(lab, "energy_drift", drift[2]);
    lab_result(lab, "contact", pressed);
    lab_claim_above(lab, "yarns meet: largest energy of contact over that of motion", pressed,
                    1e-4);
    lab_claim_below(lab, "momentum, relative drift", drift[0], 1e-10);
    if (lab_number(lab, "friction") > 0.0) {
        lab_claim_above(lab, "what friction takes, over the energy of motion", rubbed, 1e-3);
    } else {
        lab_claim_below(lab, "angular momentum, relative drift", drift[1], 1e-10);
        // (h w)^2/24 of the stiffest waves along yarns, w = 2 sqrt(EA/rho)/l: 0.07 of their energy,
        // which is some percent of all.
        lab_claim_below(lab, "energy, relative drift", drift[2], 1e-3);
    }
}

static int watch(HedLab* lab, Tangle* t, double step, int32_t steps) {
    enum { LOOKS = 20 };
    YarnMotion first = motion_of(t);
    Scale scale = scale_of(t, first.kinetic);
    double energy = 0.0, pressed = 0.0, rubbed = 0.0, drift[3] = {0.0, 0.0, 0.0};
    lab_table_begin(lab, "tangle.csv",
                    "steps,kinetic energy (J),momentum off,angular momentum off,energy off");
    for (int look = 0; look <= LOOKS && t->trial.status == HED_OK; ++look) {
        int32_t done = (int32_t)((int64_t)steps * look / LOOKS);
        yarn_trial_go(&t->trial, done * step);
        if (t->trial.status != HED_OK) {
            break;
        }
        YarnMotion now = motion_of(t);
        HedEnergies energies = hed_sim_energies(t->trial.sim);
        energy = look == 0 ? energies.total : energy;
        double off[3] = {apart(now.momentum, first.momentum) / scale.momentum,
                         apart(now.angular, first.angular) / scale.angular,
                         (energies.total - energy) / energy};
        lab_table_row(lab, 5, (double[]){done, now.kinetic, off[0], off[1], off[2]});
        for (int k = 0; k < 3; ++k) {
            drift[k] = lab_worse(drift[k], off[k]);
        }
        pressed = fmax(pressed, contact_energy(&energies));
        rubbed = energies.dissipated;
    }
    lab_table_end(lab);
    if (t->trial.status != HED_OK) {
        return yarn_trial_code(&t->trial, lab);
    }
    claim(lab, drift, pressed / first.kinetic, rubbed / first.kinetic);
    return 0;
}

static int run(HedLab* lab) {
    Tangle t = {0};
    const double step = 5e-6; // s, below what is stable: each is one piece
    int32_t steps = lab_quick(lab) ? 1000 : lab_count(lab, "steps");
    build(lab, &t, step);
    if (t.trial.status == HED_OK) {
        t.trial.status = hed_sim_prepare(t.trial.sim, &t.trial.error);
    }
    int code = yarn_trial_code(&t.trial, lab);
    if (code == 0) {
        const YarnCurves* sets[SETS] = {&t.curves[0], &t.curves[1]};
        yarn_lab_draw(lab, sets, SETS, "start.png", (double[]){0.6, 0.4});
        code = watch(lab, &t, step, steps);
        yarn_lab_draw(lab, sets, SETS, "end.png", (double[]){0.6, 0.4});
    }
    end(&t);
    return code;
}

const HedExperiment EXPERIMENT_TANGLE = {
    .name = "tangle",
    .title = "a free tangle keeps momentum and angular momentum",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
