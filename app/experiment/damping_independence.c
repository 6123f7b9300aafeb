// SPDX-License-Identifier: MIT
// Damping of one way to deform that leaves the others alone (Sanchez-Banderas, Otaduy 2017, figures
// 3 and 6). Four small motions of one cloth: it bounces (stretching), flaps (bending), racks
// (shear) and swings (none of them). Each of three dissipation potentials must take from its own
// motion only; Rayleigh damping, matched to it there, takes from the swing as well.
#include "experiment/list.h"
#include "experiment/sway_lab.h"

#include <math.h>
#include <stdio.h>

static const HedParameter PARAMETERS[] = {
    {.name = "nodes",
     .unit = "",
     .number = 20,
     .least = 8,
     .most = 100,
     .whole = true,
     .help = "crossings along a side; the cloth that flaps has a row less"},
    {.name = "step",
     .unit = "s",
     .number = 5e-4,
     .least = 1e-6,
     .most = 2e-3,
     .help = "of the bounce of 20 x 20 crossings; other motions have steps as their periods are"},
    {.name = "stretch_damping",
     .unit = "N s",
     .number = 3e-7,
     .least = 1e-9,
     .most = 1e-5,
     .help = "of yarns, force per rate of strain"},
    {.name = "bend_damping",
     .unit = "N m^2 s",
     .number = 1e-13,
     .least = 1e-15,
     .most = 1e-11,
     .help = "of yarns, moment per rate of curvature"},
    {.name = "shear_damping",
     .unit = "N s",
     .number = 1.6e-8,
     .least = 1e-11,
     .most = 1e-7,
     .help = "of crossings"},
};

static const double PI = 3.14159265358979323846;

// Table 1 of Sanchez-Banderas and Otaduy (2017) in SI (docs/experiments.md); it has no shear
// stiffness: ours makes racking as fast as the other motions.
static const double SPACING = 1e-3;   // m
static const double RADIUS = 2.5e-4;  // m
static const double DENSITY = 2.6e-5; // kg/m
static const double STRETCH = 9.8e-5; // N
static const double BEND = 2.0e-12;   // N m^2
static const double SHEAR = 4e-6;     // N

typedef enum Mode { STRETCHING, BENDING, SHEARING, MODE_COUNT } Mode;
typedef enum Motion { BOUNCE, FLAP, RACK, SWING, MOTION_COUNT } Motion; // the first three: of modes

static const char* const MODE[MODE_COUNT] = {"stretch", "bend", "shear"};
static const char* const MOTION[MOTION_COUNT] = {"bounce", "flap", "rack", "swing"};

enum { FACTORS = 3 };

static const double FACTOR[FACTORS] = {0.5, 1.0, 2.0}; // of the coefficient

// What was seen of one motion.
typedef struct Seen {
    double ratio, frequency; // Hz, of the motion
    bool ended;
} Seen;

typedef struct Study {
    HedLab* lab;
    int factors;
    Seen none[MOTION_COUNT], finer[MOTION_COUNT]; // finer: half the step
    Seen ours[MODE_COUNT][FACTORS][MOTION_COUNT];
    Seen rayleigh[MODE_COUNT][FACTORS][MOTION_COUNT]; // of its motion and of the swing
} Study;

// --- how it starts

static double half_height(const SwayCloth* cloth) {
    return 0.5 * cloth->spacing * (cloth->picks - 1);
}

static bool is_upper_end(const SwayCloth* cloth, HedVec3 x) {
    return x.y > half_height(cloth) + 0.5 * cloth->tail;
}

// Upright and without load, by the upper ends of its warp: it falls into its own stretch.
static HedVec3 place_bounce(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    *stays = is_upper_end(cloth, x);
    return x;
}

// Held in the middle; both wings bent as a cantilever is in its slowest mode, without stretch.
static HedVec3 place_flap(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    enum { PIECES = 64 };
    double held = 1.01 * cloth->spacing;
    double s = fabs(x.y) - cloth->spacing;
    double wing = half_height(cloth) + cloth->tail - cloth->spacing;
    *stays = fabs(x.y) < held;
    if (*stays) {
        return x;
    }
    HedVec3 to = {x.x, cloth->spacing, 0.0};
    for (int k = 0; k < PIECES; ++k) {
        double b = 1.8751 * (k + 0.5) / PIECES * s / wing;
        double slope = sinh(b) + sin(b) - 0.7341 * (cosh(b) - cos(b)); // up to 1.466 at the tip
        double turn = 0.3 / 1.466 * slope;
        to.y += s / PIECES * cos(turn);
        to.z += s / PIECES * sin(turn);
    }
    to.y = copysign(to.y, x.y);
    return to;
}

// Held by the ends of its weft, the middle pushed up along the warp: the slowest mode of shear.
static HedVec3 place_rack(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    double width = cloth->spacing * (cloth->ends - 1) + 2.0 * cloth->tail;
    *stays = fabs(x.x) > 0.5 * (width - cloth->tail);
    return (HedVec3){x.x, x.y + 0.03 * width / PI * cos(PI * x.x / width), x.z};
}

// As it hangs at rest under its own weight, all of it turned about its upper edge.
static HedVec3 place_swing(const SwayCloth* cloth, HedVec3 x, bool* stays) {
    const double turn = 0.2; // rad
    double l = cloth->spacing;
    double weight = 2.0 * cloth->linear_density * l * 9.81; // N, of a crossing
    double top = half_height(cloth) + cloth->tail;
    double way = 0.0;
    // From the top down: the tail, which carries all, the pieces, and the lower tail.
    way += fmin(top - x.y, cloth->tail) * (1.0 + cloth->picks * weight / cloth->def.stretch);
    for (int32_t k = cloth->picks - 1; k >= 1; --k) {
        double above = top - cloth->tail - (cloth->picks - 1 - k) * l;
        double part = fmin(fmax(above - x.y, 0.0), l);
        way += part * (1.0 + k * weight / cloth->def.stretch);
    }
    way += fmax(-half_height(cloth) - x.y, 0.0);
    *stays = is_upper_end(cloth, x);
    return (HedVec3){x.x, top - way * cos(turn), way * sin(turn)};
}

static int32_t nodes_of(Study* study) {
    return lab_quick(study->lab) ? 10 : lab_count(study->lab, "nodes");
}

// Steps and durations of a cloth of 20 x 20, whose periods are 0.058, 0.66, 0.07 and 0.26 s; those
// of larger ones are longer by `part` to a power.
static SwayStart start_of(Study* study, Motion motion) {
    double step = lab_number(study->lab, "step");
    double part = nodes_of(study) / 20.0;
    SwayStart starts[MOTION_COUNT] = {
        [BOUNCE] = {9.81, step, 0.35, 1e-5, place_bounce},
        [FLAP] = {0.0, 8.0 * step, 3.0, 1e-6, place_flap},
        [RACK] = {0.0, step, 0.35, 1e-6, place_rack},
        [SWING] = {9.81, 2.0 * step, 1.0, 1e-5, place_swing},
    };
    const double powers[MOTION_COUNT] = {1.0, 2.0, 1.0, 0.5};
    double longer = pow(part, powers[motion]);
    starts[motion].step *= longer;
    starts[motion].duration *= lab_quick(study->lab) ? 0.45 * longer : longer;
    return starts[motion];
}

// --- runs

static SwayCloth cloth_of(Study* study, Motion motion) {
    int32_t nodes = nodes_of(study);
    SwayCloth cloth = {.ends = nodes,
                       .picks = motion == FLAP ? nodes - 1 : nodes,
                       .spacing = SPACING,
                       .radius = RADIUS,
                       .linear_density = DENSITY,
                       .def = hed_sliding_def_default()};
    cloth.def.stretch = STRETCH;
    cloth.def.bend = BEND;
    cloth.def.shear = SHEAR;
    // Threads do not slip: friction would take energy too.
    cloth.def.crossing_preload = 1.0;
    cloth.def.friction_stiffness = STRETCH / SPACING;
    cloth.def.stretch_damping = (HedSlidingDamping){0};
    cloth.def.bend_damping = (HedSlidingDamping){0};
    cloth.def.shear_damping = (HedSlidingDamping){0};
    return cloth;
}

static double stiffness_of(Mode mode) {
    const double all[MODE_COUNT] = {STRETCH, 2.0 * BEND, SHEAR};
    return all[mode];
}

static double coefficient_of(Study* study, Mode mode, int factor) {
    static const char* const NAMES[MODE_COUNT] = {"stretch_damping", "bend_damping",
                                                  "shear_damping"};
    return FACTOR[factor] * lab_number(study->lab, NAMES[mode]);
}

static void damp(Study* study, SwayCloth* cloth, Mode mode, int factor, bool is_rayleigh) {
    HedSlidingDamping* all[MODE_COUNT] = {&cloth->def.stretch_damping, &cloth->def.bend_damping,
                                          &cloth->def.shear_damping};
    double density = coefficient_of(study, mode, factor);
    if (is_rayleigh) {
        cloth->def.rayleigh = density / stiffness_of(mode);
    } else {
        all[mode]->density = density;
    }
}

// Runs a cloth in a motion, and writes its kinetic energy down.
static int watch(Study* study, SwayCloth* cloth, Motion motion, double part, const char* name,
                 Seen* seen) {
    SwayStart start = start_of(study, motion);
    start.step *= part;
    Sway sway = {0};
    char csv[80], picture[80];
    int code = sway_weave(study->lab, cloth);
    code = code ? code : sway_run(study->lab, cloth, &start, &sway);
    code = code ? code : sway_fit(study->lab, &sway);
    snprintf(csv, sizeof csv, "%s-%s.csv", MOTION[motion], name);
    snprintf(picture, sizeof picture, "%s.png", MOTION[motion]);
    code = code ? code : sway_save(study->lab, &sway, csv);
    if (code == 0) {
        seen->ratio = sway_ratio(&sway);
        seen->frequency = 0.5 * sway.fit.frequency.value; // of energy: twice per period
        seen->ended = sway.has_ended;
    }
    if (code == 0 && part < 1.0) {
        const double view[2] = {0.6, 0.3};
        sway_draw(study->lab, cloth, &sway, picture, view);
    }
    sway_free(&sway);
    hed_net_free(&cloth->net);
    return code;
}

static int run_none(Study* study) {
    int code = 0;
    for (Motion m = 0; m < MOTION_COUNT && code == 0; ++m) {
        SwayCloth cloth = cloth_of(study, m);
        code = watch(study, &cloth, m, 1.0, "none", &study->none[m]);
        if (code == 0 && !lab_quick(study->lab)) {
            cloth = cloth_of(study, m);
            code = watch(study, &cloth, m, 0.5, "none-finer", &study->finer[m]);
        }
    }
    return code;
}

static int run_damped(Study* study, Mode mode, int factor, bool is_rayleigh) {
    int code = 0;
    Seen* seen = is_rayleigh ? study->rayleigh[mode][factor] : study->ours[mode][factor];
    for (Motion m = 0; m < MOTION_COUNT && code == 0; ++m) {
        char name[60];
        if (is_rayleigh && m != (Motion)mode && m != SWING) {
            continue;
        }
        snprintf(name, sizeof name, "%s-%s-%g", MODE[mode], is_rayleigh ? "rayleigh" : "ours",
                 FACTOR[factor]);
        SwayCloth cloth = cloth_of(study, m);
        damp(study, &cloth, mode, factor, is_rayleigh);
        code = watch(study, &cloth, m, 1.0, name, &seen[m]);
    }
    return code;
}

// --- claims

static void claim_none(Study* study) {
    HedLab* lab = study->lab;
    for (int m = 0; m < MOTION_COUNT; ++m) {
        char text[120];
        const Seen* none = &study->none[m];
        double step = start_of(study, (Motion)m).step;
        double half = PI * none->frequency * step; // omega h/2: what backward Euler takes
        snprintf(text, sizeof text, "%s_frequency", MOTION[m]);
        lab_result(lab, text, none->frequency);
        snprintf(text, sizeof text, "%s_none", MOTION[m]);
        lab_result(lab, text, none->ratio);
        // Its own damping ratio is omega h/2; other modes, which fade, and second orders are small.
        snprintf(text, sizeof text, "%s: damping ratio of the step itself over omega h/2",
                 MOTION[m]);
        lab_claim(lab, text, 1.0, none->ratio / half, 0.1);
        if (!lab_quick(lab)) {
            snprintf(text, sizeof text, "%s_none_half_step", MOTION[m]);
            lab_result(lab, text, study->finer[m].ratio);
            snprintf(text, sizeof text, "%s: with half the step it is half of that", MOTION[m]);
            lab_claim(lab, text, 0.5, study->finer[m].ratio / none->ratio, 0.05);
        }
    }
}

static bool rises(const Study* study, Mode mode, Motion motion, bool is_rayleigh) {
    double before = study->none[motion].ratio;
    bool ok = true;
    for (int f = 0; f < study->factors; ++f) {
        double ratio = is_rayleigh ? study->rayleigh[mode][f][motion].ratio
                                   : study->ours[mode][f][motion].ratio;
        ok = ok && ratio > before;
        before = ratio;
    }
    return ok;
}

static void claim_mode(Study* study, Mode mode) {
    HedLab* lab = study->lab;
    char text[160];
    int last = study->factors - 1;
    Motion own = (Motion)mode;
    double none = study->none[own].ratio;
    double rise = study->ours[mode][last][own].ratio - none;
    double beta = coefficient_of(study, mode, last) / stiffness_of(mode);
    snprintf(text, sizeof text, "%s_rise", MODE[mode]);
    lab_result(lab, text, rise);
    snprintf(text, sizeof text, "%s damping: ratio of the %s rises with the coefficient",
             MODE[mode], MOTION[own]);
    lab_claim_true(lab, text, rises(study, mode, own, false));
    // A mode of angular frequency omega has the ratio beta omega/2; it holds a little of others.
    snprintf(text, sizeof text, "%s damping: its rise over beta omega/2", MODE[mode]);
    lab_claim(lab, text, 1.0, rise / (PI * study->none[own].frequency * beta), 0.15);
    for (int m = 0; m < MOTION_COUNT; ++m) {
        if (m != (int)own) {
            double change = study->ours[mode][last][m].ratio - study->none[m].ratio;
            snprintf(text, sizeof text, "%s_change_%s", MODE[mode], MOTION[m]);
            lab_result(lab, text, change);
            snprintf(text, sizeof text, "%s damping: change of the %s over the rise of the %s",
                     MODE[mode], MOTION[m], MOTION[own]);
            lab_claim_below(lab, text, fabs(change) / rise, 0.1);
        }
    }
    double swing = study->rayleigh[mode][last][SWING].ratio - study->none[SWING].ratio;
    snprintf(text, sizeof text, "%s_rayleigh_rise", MODE[mode]);
    lab_result(lab, text, study->rayleigh[mode][last][own].ratio - none);
    snprintf(text, sizeof text, "%s_rayleigh_swing", MODE[mode]);
    lab_result(lab, text, swing);
    snprintf(text, sizeof text, "Rayleigh damping for %s: rises in the %s", MODE[mode],
             MOTION[own]);
    lab_claim_true(lab, text, rises(study, mode, own, true));
    snprintf(text, sizeof text, "Rayleigh damping for %s: rises in the swing", MODE[mode]);
    lab_claim_true(lab, text, rises(study, mode, SWING, true));
    snprintf(text, sizeof text, "Rayleigh damping for %s: its rise in the swing over ours",
             MODE[mode]);
    double ours = study->ours[mode][last][SWING].ratio - study->none[SWING].ratio;
    lab_claim_above(lab, text, swing / fmax(fabs(ours), 1e-12), 5.0);
}

// --- tables and plots

static void tell_none(Study* study) {
    bool is_quick = lab_quick(study->lab);
    lab_note(study->lab, "no damping; motions: 0 bounce, 1 flap, 2 rack, 3 swing");
    lab_table_begin(study->lab, "none.csv",
                    is_quick ? "motion,step (s),frequency (Hz),ratio"
                             : "motion,step (s),frequency (Hz),ratio,ratio with half the step");
    for (int m = 0; m < MOTION_COUNT; ++m) {
        const double values[] = {m, start_of(study, (Motion)m).step, study->none[m].frequency,
                                 study->none[m].ratio, study->finer[m].ratio};
        lab_table_row(study->lab, is_quick ? 4 : 5, values);
    }
    lab_table_end(study->lab);
}

static void tell_mode(Study* study, Mode mode) {
    char csv[60];
    snprintf(csv, sizeof csv, "ratio-%s.csv", MODE[mode]);
    lab_note(study->lab, "damping of %s: ratios of all motions; last, of Rayleigh damping",
             MODE[mode]);
    lab_table_begin(study->lab, csv,
                    "coefficient,bounce,flap,rack,swing,rayleigh own,rayleigh swing");
    for (int f = -1; f < study->factors; ++f) {
        const Seen* ours = f < 0 ? study->none : study->ours[mode][f];
        const Seen* other = f < 0 ? study->none : study->rayleigh[mode][f];
        const double values[] = {f < 0 ? 0.0 : coefficient_of(study, mode, f),
                                 ours[BOUNCE].ratio,
                                 ours[FLAP].ratio,
                                 ours[RACK].ratio,
                                 ours[SWING].ratio,
                                 other[mode].ratio,
                                 other[SWING].ratio};
        lab_table_row(study->lab, 7, values);
    }
    lab_table_end(study->lab);
}

// Figure 3: kinetic energy of a motion with none, ours and Rayleigh's.
static void draw_motion(Study* study, Mode mode, Motion motion) {
    enum { CURVES = 3 };
    char csv[CURVES][80], picture[80], title[120];
    static const char* const TITLES[CURVES] = {"none", "ours", "Rayleigh"};
    int f = study->factors > 1 ? 1 : 0;
    snprintf(csv[0], sizeof csv[0], "%s-none.csv", MOTION[motion]);
    snprintf(csv[1], sizeof csv[1], "%s-%s-ours-%g.csv", MOTION[motion], MODE[mode], FACTOR[f]);
    snprintf(csv[2], sizeof csv[2], "%s-%s-rayleigh-%g.csv", MOTION[motion], MODE[mode], FACTOR[f]);
    snprintf(picture, sizeof picture, "%s-%s.svg", MODE[mode], MOTION[motion]);
    snprintf(title, sizeof title, "Damping of %s: a cloth that %ss", MODE[mode], MOTION[motion]);
    LabCurve curves[CURVES];
    for (int k = 0; k < CURVES; ++k) {
        curves[k] = (LabCurve){csv[k], "time", "kinetic", TITLES[k], false};
    }
    LabPlot plot = {.picture = picture,
                    .title = title,
                    .x_label = "time (s)",
                    .y_label = "kinetic energy (J)",
                    .curves = curves,
                    .curve_count = CURVES};
    lab_plot(study->lab, &plot);
}

// Figure 6: damping ratio against the coefficient.
static void draw_ratio(Study* study, Mode mode) {
    enum { CURVES = 4 };
    char csv[60], picture[60], title[120];
    snprintf(csv, sizeof csv, "ratio-%s.csv", MODE[mode]);
    snprintf(picture, sizeof picture, "ratio-%s.svg", MODE[mode]);
    snprintf(title, sizeof title, "Damping of %s: calibration (%s) and test (swing)", MODE[mode],
             MOTION[mode]);
    const LabCurve curves[CURVES] = {
        {csv, "coefficient", MOTION[mode], "calibration, ours", true},
        {csv, "coefficient", "swing", "test, ours", true},
        {csv, "coefficient", "rayleigh own", "calibration, Rayleigh", true},
        {csv, "coefficient", "rayleigh swing", "test, Rayleigh", true},
    };
    LabPlot plot = {.picture = picture,
                    .title = title,
                    .x_label = mode == BENDING ? "coefficient (N m^2 s)" : "coefficient (N s)",
                    .y_label = "damping ratio",
                    .curves = curves,
                    .curve_count = CURVES};
    lab_plot(study->lab, &plot);
}

static int run(HedLab* lab) {
    Study study = {.lab = lab, .factors = lab_quick(lab) ? 1 : FACTORS};
    bool ended = true;
    int code = run_none(&study);
    for (int k = 0; k < MODE_COUNT * study.factors * 2 && code == 0; ++k) {
        code = run_damped(&study, (Mode)(k % MODE_COUNT), k / MODE_COUNT / 2, k / MODE_COUNT % 2);
    }
    if (code != 0) {
        return code;
    }
    tell_none(&study);
    for (int m = 0; m < MOTION_COUNT; ++m) {
        ended = ended && study.none[m].ended && (lab_quick(lab) || study.finer[m].ended);
        for (int k = 0; k < MODE_COUNT * study.factors; ++k) {
            ended = ended && study.ours[k % MODE_COUNT][k / MODE_COUNT][m].ended;
        }
    }
    lab_claim_true(lab, "all motions run to their ends", ended);
    claim_none(&study);
    for (Mode mode = 0; mode < MODE_COUNT; ++mode) {
        tell_mode(&study, mode);
        claim_mode(&study, mode);
        draw_motion(&study, mode, (Motion)mode);
        draw_motion(&study, mode, SWING);
        draw_ratio(&study, mode);
    }
    return 0;
}

const HedExperiment EXPERIMENT_DAMPING_INDEPENDENCE = {
    .name = "damping-independence",
    .title = "damping of stretch, bending or shear that leaves other motions alone",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
