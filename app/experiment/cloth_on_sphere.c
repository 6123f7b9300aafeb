// SPDX-License-Identifier: MIT
// A cloth falls on a ball (Sanchez-Banderas, Otaduy 2017, figure 4): without damping, with
// Rayleigh's, and with dissipation potentials of stretching and bending. The last takes the
// trembling out and leaves the drape; Rayleigh's holds the drape up as well.
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "nodes",
     .unit = "",
     .number = 200,
     .least = 10,
     .most = 1000,
     .whole = true,
     .help = "crossings along a side; with fewer of them threads are thicker, for the same cloth"},
    {.name = "duration",
     .unit = "s",
     .number = 0.4,
     .least = 0.15,
     .most = 10.0,
     .help = "of a run"},
    {.name = "step", .unit = "s", .number = 1e-3, .least = 1e-5, .most = 5e-3, .help = "of time"},
    {.name = "beta",
     .unit = "s",
     .number = 5e-2,
     .least = 0.0,
     .most = 1.0,
     .help = "Rayleigh damping over stiffness"},
    {.name = "stretch_damping",
     .unit = "N s",
     .number = 1e-5,
     .least = 0.0,
     .most = 1e-2,
     .help = "ours, of a thread among 200"},
    {.name = "bend_damping",
     .unit = "N m^2 s",
     .number = 1e-12,
     .least = 0.0,
     .most = 1e-9,
     .help = "ours, of a thread among 200"},
};

typedef enum Damping { NONE, RAYLEIGH, POTENTIAL, DAMPING_COUNT } Damping;

static const char* const RUN[DAMPING_COUNT] = {"none", "rayleigh", "potential"};

static const double SIDE = 0.115;           // m
static const double FALL = 0.0105;          // s: it touches the ball at 0.02 s
static const double DRAPE[] = {0.04, 0.12}; // s, in which its sides fall around the ball

// Kinetic energy, J, over parts of a run.
typedef struct Fall {
    double falling; // at FALL
    double drape;   // mean over DRAPE
    double late;    // mean over the last tenth
    double tremble; // J, sum of all changes of the energy of stretching from the drape on
    bool ended;
} Fall;

static int read_fall(HedLab* lab, const char* run, Fall* out) {
    char csv[60];
    double *time = NULL, *kinetic = NULL, *stretch = NULL;
    int32_t count = 0, drapes = 0, lates = 0;
    snprintf(csv, sizeof csv, "%s/energy.csv", run);
    int code = lab_column(lab, csv, "time", &time, &count);
    code = code ? code : lab_column(lab, csv, "kinetic", &kinetic, &count);
    code = code ? code : lab_column(lab, csv, "stretch", &stretch, &count);
    for (int32_t k = 0; k < count && code == 0; ++k) {
        bool is_late = time[k] >= 0.9 * time[count - 1];
        bool is_drape = time[k] >= DRAPE[0] && time[k] <= DRAPE[1];
        out->falling = time[k] <= FALL ? kinetic[k] : out->falling;
        out->drape += is_drape ? kinetic[k] : 0.0;
        out->late += is_late ? kinetic[k] : 0.0;
        out->tremble += k > 0 && time[k] > DRAPE[0] ? fabs(stretch[k] - stretch[k - 1]) : 0.0;
        drapes += is_drape;
        lates += is_late;
    }
    out->drape /= drapes > 0 ? drapes : 1;
    out->late /= lates > 0 ? lates : 1;
    free(time);
    free(kinetic);
    free(stretch);
    return code;
}

static int simulate(HedLab* lab, Damping damping, Fall* out) {
    enum { SETS = 16 };
    char set[SETS][120];
    const char* list[SETS];
    int n = 0;
    int32_t nodes = lab_quick(lab) ? 16 : lab_count(lab, "nodes");
    double wide = 200.0 / nodes; // of threads
    double potential = damping == POTENTIAL ? wide : 0.0;
    const char* const material = "yarns.cloth.sliding";
#define SET(...) snprintf(set[n++], sizeof set[0], __VA_ARGS__)
    // In that time the corners meet under the ball and fold over.
    SET("duration=%.17g s", lab_quick(lab) ? 0.2 : lab_number(lab, "duration"));
    SET("step.size=%.17g s", lab_number(lab, "step"));
    SET("yarns.cloth.weave.ends=%d", nodes);
    SET("yarns.cloth.weave.picks=%d", nodes);
    SET("yarns.cloth.weave.sett=[%.9g 1/m, %.9g 1/m]", nodes / SIDE, nodes / SIDE);
    SET("yarns.cloth.weave.warp=%.9g tex", 10.0 * wide);
    SET("yarns.cloth.weave.weft=%.9g tex", 10.0 * wide);
    SET("yarns.cloth.weave.diameter=[%.9g m, %.9g m]", 3.2e-4 * wide, 3.2e-4 * wide);
    // Threads start clear of the ball.
    SET("yarns.cloth.weave.position=[0, %.9g m, 0]", 0.0312 + 3.2e-4 * wide + 6e-4 * wide);
    SET("%s.stretch=%.9g N", material, 8e-4 * wide);
    SET("%s.bend=%.9g N*m^2", material, 8e-11 * wide);
    SET("%s.shear=%.9g N", material, 2e-6 * wide);
    SET("%s.press=%.9g N", material, 1e-4 * wide);
    SET("%s.rayleigh=%.9g s", material, damping == RAYLEIGH ? lab_number(lab, "beta") : 0.0);
    SET("%s.stretch_damping.density=%.9g N*s", material,
        potential * lab_number(lab, "stretch_damping"));
    SET("%s.bend_damping.density=%.9g N*m^2*s", material,
        potential * lab_number(lab, "bend_damping"));
#undef SET
    for (int k = 0; k < n; ++k) {
        list[k] = set[k];
    }
    HedRunReport report;
    *out = (Fall){0};
    int code = lab_simulate(lab, lab_scene_path(lab, "cloth.yaml"), list, n, RUN[damping], &report);
    out->ended = code == 0 && report.outcome == HED_OUTCOME_DONE;
    return code ? code : read_fall(lab, RUN[damping], out);
}

static void claim(HedLab* lab, const Fall fall[DAMPING_COUNT]) {
    const Fall *none = &fall[NONE], *ours = &fall[POTENTIAL], *other = &fall[RAYLEIGH];
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        char text[80];
        snprintf(text, sizeof text, "%s runs to its end", RUN[d]);
        lab_claim_true(lab, text, fall[d].ended);
    }
    lab_result(lab, "drape_kept", ours->drape / none->drape);
    lab_result(lab, "drape_kept_rayleigh", other->drape / none->drape);
    lab_result(lab, "tremble_kept", ours->tremble / none->tremble);
    lab_result(lab, "late_kept", ours->late / none->late);
    lab_result(lab, "late_kept_rayleigh", other->late / none->late);
    // All of it moves alike until it touches the ball, and no damping knows of that.
    lab_claim(lab, "falling: kinetic energy with ours over none", 1.0,
              ours->falling / none->falling, 1e-3);
    lab_claim(lab, "falling: kinetic energy with Rayleigh's over none", 1.0,
              other->falling / none->falling, 1e-3);
    lab_claim_above(lab, "draping: mean kinetic energy with ours over none",
                    ours->drape / none->drape, 0.8);
    lab_claim_below(lab, "draping: mean kinetic energy with Rayleigh's over ours",
                    other->drape / ours->drape, 0.8);
    // A cloth without damping trembles in its threads; what hangs goes on swinging with ours.
    lab_claim_below(lab, "trembling: changes of the energy of stretching with ours over none",
                    ours->tremble / none->tremble, 1.0);
    lab_claim_below(lab, "at the end: kinetic energy with ours over none", ours->late / none->late,
                    1.0);
}

static void draw(HedLab* lab) {
    static const char* const TITLES[DAMPING_COUNT] = {"none", "Rayleigh", "ours"};
    char csv[DAMPING_COUNT][60];
    LabCurve curves[DAMPING_COUNT];
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        snprintf(csv[d], sizeof csv[d], "%s/energy.csv", RUN[d]);
        curves[d] = (LabCurve){csv[d], "time", "kinetic", TITLES[d], false};
    }
    LabPlot plot = {.picture = "kinetic.svg",
                    .title = "A cloth falls on a ball",
                    .x_label = "time (s)",
                    .y_label = "kinetic energy (J)",
                    .curves = curves,
                    .curve_count = DAMPING_COUNT};
    lab_plot(lab, &plot);
    for (int d = 0; d < DAMPING_COUNT && !lab_quick(lab); ++d) {
        char picture[60];
        snprintf(picture, sizeof picture, "%s.png", RUN[d]);
        lab_picture(lab, RUN[d], picture);
    }
}

static int run(HedLab* lab) {
    Fall fall[DAMPING_COUNT];
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        int code = simulate(lab, (Damping)d, &fall[d]);
        if (code != 0) {
            return code;
        }
    }
    lab_note(lab, "kinetic energy (J); damping 0: none, 1: Rayleigh, 2: ours");
    lab_table_begin(lab, "kinetic.csv",
                    "damping,falling (J),draping (J),at the end (J),changes of stretch (J)");
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        const double values[] = {d, fall[d].falling, fall[d].drape, fall[d].late, fall[d].tremble};
        lab_table_row(lab, 5, values);
    }
    lab_table_end(lab);
    claim(lab, fall);
    draw(lab);
    return 0;
}

const HedExperiment EXPERIMENT_CLOTH_ON_SPHERE = {
    .name = "cloth-on-sphere",
    .title = "a cloth falls on a ball: which damping leaves the drape alone",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
