// SPDX-License-Identifier: MIT
// Twist: turns carried along a yarn, and the ring that leaves its plane.
#include "experiment/list.h"
#include "experiment/rod_lab.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

// Length 1, EI 1: the moment stays below half of what would buckle the yarn (2 pi EI/L).
static int turn(HedLab* lab, double turns, int32_t segments, double found[2]) {
    RodTrial trial = {0};
    RodWay way = {.segments = segments};
    int32_t count = 1 + (int32_t)ceil(4.0 * fabs(turns)); // keyframes: a quarter of a turn each
    HedKeyframe* keys = calloc((size_t)count, sizeof *keys);
    int code = rod_begin(lab, &way, false, &trial);
    if (!keys) {
        code = lab_fail_text(lab, "no memory for keyframes");
    }
    for (int32_t k = 0; k < count && code == 0; ++k) {
        double half = PI * turns * k / (count - 1);
        keys[k] = (HedKeyframe){k, {{0.0, 0.0, 0.0}, {cos(half), sin(half), 0.0, 0.0}}};
    }
    if (code == 0) {
        trial.yarn.twist = PI / (2.0 * PI * fabs(turns));
        trial.yarn.stretch = 1e4;
        rod_line(&trial, (HedVec3){0.0, 0.0, 0.0}, (HedVec3){1.0, 0.0, 0.0});
        code = rod_build(&trial);
    }
    code = code ? code : rod_hold(&trial, 0, true, NULL, 0);
    code = code ? code : rod_hold(&trial, segments, true, keys, count);
    code = code ? code : rod_go(&trial, count - 1);
    if (code == 0) {
        HedEnergies energies = hed_sim_energies(trial.sim);
        double twist = 2.0 * PI * turns;
        found[0] = hed_yarns_twist(trial.sim, trial.id, 0) / (2.0 * PI);
        for (int32_t k = 0; k < energies.potential_count; ++k) {
            double share = energies.potential[k] / (0.5 * trial.yarn.twist * twist * twist);
            found[1] = energies.potential_name[k][0] == 't' ? share : found[1];
        }
    }
    free(keys);
    rod_end(&trial);
    return code;
}

static int twist_turns(HedLab* lab) {
    double turns = lab_number(lab, "turns");
    double found[2] = {0};
    if (turns == 0.0) {
        return lab_refuse(lab, "'turns' must not be zero");
    }
    int code = turn(lab, turns, lab_count(lab, "segments"), found);
    if (code != 0) {
        return code;
    }
    lab_result(lab, "turns_carried", found[0]);
    lab_result(lab, "energy_ratio", found[1]);
    lab_claim(lab, "turns that the yarn carries", turns, found[0], 1e-9 * fabs(turns));
    lab_claim(lab, "energy of twist over 1/2 GJ (angle/L)^2 L", 1.0, found[1], 1e-9);
    return 0;
}

static const HedParameter TURNS[] = {
    {.name = "turns",
     .unit = "",
     .number = 10.0,
     .least = -1000.0,
     .most = 1000.0,
     .help = "imposed at one end"},
    {.name = "segments", .unit = "", .number = 64.0, .least = 2.0, .most = 4096.0, .whole = true},
};

const HedExperiment EXPERIMENT_TWIST_TURNS = {
    .name = "twist-turns",
    .title = "full turns imposed at one end of a yarn are carried without loss",
    .parameters = TURNS,
    .parameter_count = sizeof TURNS / sizeof TURNS[0],
    .run = twist_turns,
};

// A ring of a straight rod, radius and EI 1, closed with a twist.
typedef struct Michell {
    HedLab* lab;
    double ratio; // EI/GJ
    int32_t segments;
} Michell;

static int begin_ring(const Michell* from, double twist, RodTrial* trial) {
    RodWay way = {.segments = from->segments};
    int code = rod_begin(from->lab, &way, true, trial);
    if (code != 0) {
        return code;
    }
    int32_t n = trial->count;
    double radius = PI / n / sin(PI / n);
    for (int32_t k = 0; k < n; ++k) {
        double a = 2.0 * PI * k / n;
        trial->x[k] = (HedVec3){radius * cos(a), radius * sin(a), 0.0};
    }
    trial->yarn.twist = 1.0 / from->ratio;
    trial->yarn.closing_twist = twist;
    trial->yarn.stretch = 1e5;
    return 0;
}

// Small loads across the plane, two waves round the ring, and how little it gives way to them:
// load over deflection. It falls to zero at the critical twist.
static int resistance(const Michell* from, double twist, double* out) {
    const double small = 1e-5;
    RodTrial trial = {0};
    int code = begin_ring(from, twist, &trial);
    trial.def.force_tolerance = 1e-7 * small;
    code = code ? code : rod_build(&trial);
    code = code ? code : rod_hold(&trial, 0, false, NULL, 0);
    for (int32_t k = 0; k < trial.count && code == 0; ++k) {
        double wave = cos(4.0 * PI * k / trial.count);
        code = rod_pull(&trial, k, (HedVec3){0.0, 0.0, small * wave / trial.count});
    }
    code = code ? code : rod_go(&trial, 1);
    if (code == 0) {
        double sum = 0.0;
        for (int32_t k = 0; k < trial.count; ++k) {
            sum += trial.x[k].z * cos(4.0 * PI * k / trial.count) / trial.count;
        }
        *out = small / sum;
    }
    rod_end(&trial);
    return code;
}

// From below, without knowing where it is: the resistance is nearly linear in the square of the
// twist, so the line through the last two values is followed to nine tenths of where it meets zero.
static int critical(const Michell* from, double* out) {
    enum { STEPS = 3 };
    double at[2] = {0.0, 1.0}; // twist^2
    double value[2] = {0};
    int code = resistance(from, 0.0, &value[0]);
    for (int k = 0; k < STEPS && code == 0; ++k) {
        code = resistance(from, sqrt(at[1]), &value[1]);
        double slope = (value[1] - value[0]) / (at[1] - at[0]);
        double zero = at[1] - value[1] / slope;
        if (code == 0 && !(slope < 0.0 && zero > at[1])) {
            return lab_fail_text(from->lab, "the ring does not soften with twist");
        }
        *out = sqrt(zero);
        at[0] = at[1];
        value[0] = value[1];
        at[1] += 0.9 * (zero - at[1]);
    }
    return code;
}

// A little above it the ring jumps, and comes to rest as two lobes whose legs wind about each
// other. What its twist lost has become writhe (Calugareanu 1959), in turns: 0 of a flat ring, 1 of
// a flat figure eight, and more where the legs wind further.
static int draw_lobes(const Michell* from, double twist, double* writhe) {
    RodTrial trial = {0};
    int code = begin_ring(from, twist, &trial);
    trial.def.integrator = HED_IMPLICIT_EULER;
    trial.def.time_step = 0.02;
    trial.def.yarn_contact = true;
    trial.yarn.radius = 0.03;
    trial.yarn.contact = 1e3;
    trial.rate = 0.5;
    for (int32_t k = 0; k < trial.count && code == 0; ++k) {
        trial.x[k].z += 1e-3 * cos(4.0 * PI * k / trial.count);
    }
    code = code ? code : rod_build(&trial);
    code = code ? code : rod_go(&trial, 1000);
    if (code == 0) {
        rod_draw(&trial);
        *writhe = (twist - hed_yarns_twist(trial.sim, trial.id, 0)) / (2.0 * PI);
    }
    rod_end(&trial);
    return code;
}

static int michell(HedLab* lab) {
    enum { LEVELS = 3 };
    double ratio = lab_number(lab, "ratio");
    double exact = 2.0 * PI * sqrt(3.0) * ratio;
    double found[LEVELS] = {0};
    double order = (double)NAN;
    int32_t finest = lab_quick(lab) ? 48 : lab_count(lab, "segments");
    int code = 0;
    lab_note(lab, "by theory: critical_twist %.6g rad, %.4g turns", exact, exact / (2.0 * PI));
    lab_table_begin(lab, "resolution.csv", "segments,critical_twist,error,order");
    for (int k = 0; k < LEVELS && code == 0; ++k) {
        Michell from = {lab, ratio, finest >> (LEVELS - 1 - k)};
        code = critical(&from, &found[k]);
        order = k > 0 ? log2(fabs(found[k - 1] / exact - 1.0) / fabs(found[k] / exact - 1.0))
                      : (double)NAN;
        lab_table_row(lab, 4,
                      (double[]){from.segments, found[k], fabs(found[k] / exact - 1.0), order});
    }
    lab_table_end(lab);
    double writhe = 0.0;
    if (code == 0 && !lab_quick(lab)) {
        code = draw_lobes(&(Michell){lab, ratio, finest}, 1.15 * found[LEVELS - 1], &writhe);
    }
    if (code == 0) {
        lab_result(lab, "critical_twist", found[LEVELS - 1]);
        lab_result(lab, "order", order);
        lab_claim(lab, "critical twist (rad), 2 pi sqrt(3) EI/GJ", exact, found[LEVELS - 1],
                  0.03 * exact);
        lab_claim(lab, "order of convergence", 2.0, order, 0.3);
    }
    if (code == 0 && !lab_quick(lab)) {
        lab_result(lab, "writhe", writhe);
        double turns = 1.15 * found[LEVELS - 1] / (2.0 * PI);
        lab_claim_above(lab, "above it, part of the turns that become writhe", writhe / turns, 0.5);
    }
    return code;
}

static const HedParameter RATIO[] = {
    {.name = "ratio",
     .unit = "",
     .number = 1.3,
     .least = 0.2,
     .most = 10.0,
     .help = "EI/GJ; 1.3 is a round section with Poisson's ratio 0.3"},
    {.name = "segments", .unit = "", .number = 64.0, .least = 32.0, .most = 512.0, .whole = true},
};

const HedExperiment EXPERIMENT_MICHELL = {
    .name = "michell",
    .title = "the twist at which a ring leaves its plane",
    .parameters = RATIO,
    .parameter_count = sizeof RATIO / sizeof RATIO[0],
    .run = michell,
};
