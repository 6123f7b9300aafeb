// SPDX-License-Identifier: MIT
// A cloth that hangs and one that swings, with no damping, Rayleigh's, and that of the rate of
// strain (Sanchez-Banderas 2021, figure 3.4, left): both damp a change of stretch alike, but only
// the last leaves the swing alone. Bending is not damped.
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "beta",
     .unit = "s",
     .number = 0.15,
     .least = 1e-4,
     .most = 10.0,
     .help = "damping of the membrane over its stiffness"},
    {.name = "points",
     .unit = "",
     .number = 33.0,
     .least = 5.0,
     .most = 201.0,
     .whole = true,
     .help = "of the cloth along a side"},
    {.name = "step",
     .unit = "s",
     .number = 0.005,
     .least = 1e-5,
     .most = 0.02,
     .help = "of time, by BDF2"},
    {.name = "rayleigh",
     .unit = "",
     .text = "rayleigh-positive",
     .choices = "rayleigh rayleigh-positive",
     .help =
         "by the exact stiffness, which may push where cloth is compressed, or its positive form"},
};

typedef enum Damping { NONE, RAYLEIGH, POTENTIAL, DAMPING_COUNT } Damping;

static const char* const RUN[2][DAMPING_COUNT] = {
    {"hanging-none", "hanging-rayleigh", "hanging-potential"},
    {"swinging-none", "swinging-rayleigh", "swinging-potential"}};

// Kinetic energy over a run, J.
typedef struct Motion {
    double peak;
    double mean;
    double late; // largest in the last third of the time
    bool ended;  // the solver went to the end
} Motion;

static int read_motion(HedLab* lab, const char* run, Motion* out) {
    char csv[80];
    double* kinetic = NULL;
    int32_t count = 0;
    snprintf(csv, sizeof csv, "%s/energy.csv", run);
    int code = lab_column(lab, csv, "kinetic", &kinetic, &count);
    for (int32_t k = 0; k < count && code == 0; ++k) {
        out->peak = fmax(out->peak, kinetic[k]);
        out->mean += kinetic[k] / count;
        out->late = 3 * k >= 2 * count ? fmax(out->late, kinetic[k]) : out->late;
    }
    free(kinetic);
    return code;
}

static int simulate(HedLab* lab, bool swings, Damping damping, Motion* out) {
    enum { SETS = 6 };
    char set[SETS][80];
    const char* list[SETS];
    int32_t points = lab_quick(lab) ? 9 : lab_count(lab, "points");
    const char* const models[DAMPING_COUNT] = {"potential", lab_text(lab, "rayleigh"), "potential"};
    snprintf(set[0], sizeof set[0], "sheets.cloth.grid.points=[%d,%d]", points, points);
    snprintf(set[1], sizeof set[1], "sheets.cloth.grid.down=%s", swings ? "[0,0,1]" : "[0,-1,0]");
    snprintf(set[2], sizeof set[2], "step.size=%.17g s", lab_number(lab, "step"));
    snprintf(set[3], sizeof set[3], "sheets.cloth.damping=%.17g s",
             damping == NONE ? 0.0 : lab_number(lab, "beta"));
    snprintf(set[4], sizeof set[4], "sheets.cloth.damping_model=%s", models[damping]);
    snprintf(set[5], sizeof set[5], "duration=%g s", swings ? 0.7 : 1.0);
    for (int k = 0; k < SETS; ++k) {
        list[k] = set[k];
    }
    HedRunReport report;
    const char* name = RUN[swings][damping];
    *out = (Motion){0};
    int code = lab_simulate(lab, lab_scene_path(lab, "cloth.yaml"), list, SETS, name, &report);
    out->ended = code == 0 && report.outcome == HED_OUTCOME_DONE;
    return code ? code : read_motion(lab, name, out);
}

static void draw(HedLab* lab, bool swings) {
    static const char* const TITLES[DAMPING_COUNT] = {"none", "Rayleigh", "rate of strain"};
    static char csv[DAMPING_COUNT][80];
    LabCurve curves[DAMPING_COUNT];
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        snprintf(csv[d], sizeof csv[d], "%s/energy.csv", RUN[swings][d]);
        curves[d] = (LabCurve){csv[d], "time", "kinetic", TITLES[d], false};
    }
    LabPlot plot = {.picture = swings ? "swinging.svg" : "hanging.svg",
                    .title = swings ? "A cloth that swings" : "A cloth that falls into its stretch",
                    .x_label = "time (s)",
                    .y_label = "kinetic energy (J)",
                    .curves = curves,
                    .curve_count = DAMPING_COUNT};
    lab_plot(lab, &plot);
}

static void claim(HedLab* lab, const Motion hang[DAMPING_COUNT],
                  const Motion swing[DAMPING_COUNT]) {
    double free_peak = swing[NONE].peak;
    for (int d = 0; d < DAMPING_COUNT; ++d) {
        char text[80];
        snprintf(text, sizeof text, "%s and %s run to their ends", RUN[0][d], RUN[1][d]);
        lab_claim_true(lab, text, hang[d].ended && swing[d].ended);
    }
    lab_result(lab, "swing_kept", swing[POTENTIAL].peak / free_peak);
    lab_result(lab, "swing_kept_rayleigh", swing[RAYLEIGH].peak / free_peak);
    lab_result(lab, "swing_mean_kept", swing[POTENTIAL].mean / swing[NONE].mean);
    lab_result(lab, "swing_mean_kept_rayleigh", swing[RAYLEIGH].mean / swing[NONE].mean);
    lab_result(lab, "hang_late", hang[NONE].late / hang[NONE].peak);
    lab_result(lab, "hang_late_potential", hang[POTENTIAL].late / hang[NONE].peak);
    lab_result(lab, "hang_late_rayleigh", hang[RAYLEIGH].late / hang[NONE].peak);
    lab_claim(lab, "swinging: peak kinetic energy with damping by the rate of strain over none",
              1.0, swing[POTENTIAL].peak / free_peak, 0.05);
    // A swing is a turn, which Rayleigh's force resists and the rate of strain does not.
    lab_claim_below(lab, "swinging: peak with Rayleigh damping over that by the rate of strain",
                    swing[RAYLEIGH].peak / swing[POTENTIAL].peak, 0.6);
    lab_claim_below(lab, "swinging: mean with Rayleigh damping over that by the rate of strain",
                    swing[RAYLEIGH].mean / swing[POTENTIAL].mean, 0.6);
    lab_claim_above(lab, "swinging: mean kinetic energy by the rate of strain over none",
                    swing[POTENTIAL].mean / swing[NONE].mean, 0.95);
    lab_note(lab,
             "Sanchez-Banderas (2021) says that Rayleigh damping loses more than half of the peak; "
             "here: "
             "%.0f %%",
             100.0 * (1.0 - swing[RAYLEIGH].peak / free_peak));
    lab_claim_above(lab, "hanging: without damping it goes on bouncing, last third over peak",
                    hang[NONE].late / hang[NONE].peak, 0.3);
    lab_claim_below(lab, "hanging: by the rate of strain it is overdamped, peak over that of none",
                    hang[POTENTIAL].peak / hang[NONE].peak, 0.1);
    lab_claim(lab, "hanging: both kinds of damping give the same peak", 1.0,
              hang[RAYLEIGH].peak / hang[POTENTIAL].peak, 0.05);
}

static int run(HedLab* lab) {
    Motion motion[2][DAMPING_COUNT];
    lab_note(lab,
             "kinetic energy (J); motion 0: hanging, 1: swinging; damping 0: none, 1: %s, "
             "2: rate of strain",
             lab_text(lab, "rayleigh"));
    for (int k = 0; k < 2 * DAMPING_COUNT; ++k) {
        int code = simulate(lab, k >= DAMPING_COUNT, (Damping)(k % DAMPING_COUNT),
                            &motion[k / DAMPING_COUNT][k % DAMPING_COUNT]);
        if (code != 0) {
            return code;
        }
    }
    lab_table_begin(lab, "kinetic.csv", "motion,damping,peak (J),mean (J),peak of last third (J)");
    for (int k = 0; k < 2 * DAMPING_COUNT; ++k) {
        const Motion* m = &motion[k / DAMPING_COUNT][k % DAMPING_COUNT];
        const double values[] = {k >= DAMPING_COUNT, k % DAMPING_COUNT, m->peak, m->mean, m->late};
        lab_table_row(lab, 5, values);
    }
    lab_table_end(lab);
    claim(lab, motion[0], motion[1]);
    draw(lab, false);
    draw(lab, true);
    for (int d = 0; d < DAMPING_COUNT && !lab_quick(lab); ++d) {
        char picture[80];
        snprintf(picture, sizeof picture, "%s.png", RUN[1][d]);
        lab_picture(lab, RUN[1][d], picture);
    }
    return 0;
}

const HedExperiment EXPERIMENT_SHEET_DAMPING = {
    .name = "sheet-damping",
    .title = "a cloth hangs and swings: which damping leaves the swing alone",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
