// SPDX-License-Identifier: MIT
// A mass-spring sheet does not converge to one material: the same cloth on three connectivities and
// three resolutions, and the same strip with bending springs and with the curvature energy.
#include "experiment/elastica.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>

enum { PATTERNS = 3, RESOLUTIONS = 3 };

static const char* const PATTERN[PATTERNS] = {"quads", "diagonal", "equilateral"};

static const HedParameter PARAMETERS[] = {
    {.name = "coarse",
     .unit = "",
     .number = 9.0,
     .least = 5.0,
     .most = 65.0,
     .whole = true,
     .help = "points along a side of the coarsest sheet; each next one halves the spacing"},
    {.name = "stretch",
     .unit = "N/m",
     .number = 20.0,
     .least = 1.0,
     .most = 1e5,
     .help = "tensile stiffness of the hanging cloth"},
    {.name = "shear",
     .unit = "N/m",
     .number = 5.0,
     .least = 0.0,
     .most = 1e5,
     .help = "shear stiffness of the hanging cloth"},
    {.name = "rigidity",
     .unit = "N m",
     .number = 2e-3,
     .least = 1e-6,
     .most = 1.0,
     .help = "bending rigidity of the strip"},
};

static int32_t points_at(HedLab* lab, int resolution) {
    return (lab_count(lab, "coarse") - 1) * (1 << resolution) + 1;
}

static double lowest(Trial* trial) {
    trial_positions(trial);
    double low = HUGE_VAL;
    for (int32_t k = 0; k < trial->vertex_count; ++k) {
        low = fmin(low, trial->positions[k].y);
    }
    return low;
}

// Runs until the sheet is quiet: its kinetic energy far below what was set free; false if it never
// is.
static bool settle(Trial* trial, double most) {
    double start = hed_sim_energies(trial->sim).total;
    for (int k = 1; 0.25 * k <= most; ++k) {
        if (!trial_go(trial, 0.25 * k)) {
            return false;
        }
        HedEnergies energies = hed_sim_energies(trial->sim);
        if (energies.kinetic < 1e-10 * fabs(start - energies.potential[0])) {
            return true;
        }
    }
    return false;
}

// How far below its upper corners the cloth reaches, m.
static int hang(HedLab* lab, const char* pattern, int32_t points, double* sag) {
    Trial trial = {0};
    trial_set(&trial, "sheets.cloth.grid.points=[%d,%d]", points, points);
    trial_set(&trial, "sheets.cloth.grid.triangles=%s", pattern);
    trial_set(&trial, "sheets.cloth.stretch=%.17g N/m", lab_number(lab, "stretch"));
    trial_set(&trial, "sheets.cloth.shear=%.17g N/m", lab_number(lab, "shear"));
    int code = trial_start(lab, &trial, "hanging.yaml");
    if (code != 0) {
        return code;
    }
    bool ok = settle(&trial, 12.0);
    *sag = 0.4 - lowest(&trial);
    trial_end(&trial);
    return ok ? 0 : lab_fail_text(lab, "the cloth on %s did not come to rest", pattern);
}

static int measure_hanging(HedLab* lab, int resolutions, double sag[PATTERNS][RESOLUTIONS]) {
    int code = 0;
    lab_note(lab, "lowest point below the corners (m) of one cloth on three connectivities");
    lab_table_begin(lab, "hanging.csv", "points,quads,diagonal,equilateral,spread (%)");
    for (int r = 0; r < resolutions && code == 0; ++r) {
        double low = HUGE_VAL;
        double high = 0.0;
        for (int p = 0; p < PATTERNS && code == 0; ++p) {
            code = hang(lab, PATTERN[p], points_at(lab, r), &sag[p][r]);
            low = fmin(low, sag[p][r]);
            high = fmax(high, sag[p][r]);
        }
        double spread = 100.0 * (high - low) / low;
        lab_table_row(lab, 5,
                      (double[]){points_at(lab, r), sag[0][r], sag[1][r], sag[2][r], spread});
    }
    lab_table_end(lab);
    return code;
}

// Length of the strip beyond its clamp (m): holding two points holds the direction at the middle
// between them.
static double free_length(int32_t points) {
    return 0.2 * (1.0 - 0.5 / (points - 1));
}

// Drop of the strip's free edge over its length.
static int bend(HedLab* lab, const char* kind, int32_t points, double* drop) {
    Trial trial = {0};
    int32_t rows = (points - 1) / 4 + 1;
    trial_set(&trial, "sheets.strip.grid.points=[%d,%d]", points, rows);
    trial_set(&trial, "sheets.strip.bending=%s", kind);
    trial_set(&trial, "sheets.strip.bend_rigidity=%.17g N*m", lab_number(lab, "rigidity"));
    // A spring over two cells that is right on the coarsest strip at its own mean curvature has no
    // counterpart at any other; this is simply the stretching stiffness, as is common.
    trial_set(&trial, "sheets.strip.bend_stretch=2000 N/m");
    // The first two columns are held: a clamped edge.
    char list[1024] = "pins=[{name: clamp, vertices: [";
    size_t used = 31;
    for (int32_t row = 0; row < rows; ++row) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d,%d", row ? "," : "",
                                 row * points, row * points + 1);
    }
    snprintf(list + used, sizeof list - used, "]}]");
    trial_set(&trial, "%s", list);
    int code = trial_start(lab, &trial, "strip.yaml");
    if (code != 0) {
        return code;
    }
    bool ok = settle(&trial, 20.0);
    *drop = -lowest(&trial) / free_length(points);
    trial_end(&trial);
    return ok ? 0 : lab_fail_text(lab, "the strip with %s did not come to rest", kind);
}

static int measure_bending(HedLab* lab, int resolutions, double drop[2][RESOLUTIONS]) {
    static const char* const KIND[2] = {"springs", "curvature"};
    int code = 0;
    lab_note(lab,
             "drop over free length of one clamped strip: bending springs and curvature energy");
    lab_table_begin(lab, "bending.csv", "points,springs,curvature");
    for (int r = 0; r < resolutions && code == 0; ++r) {
        int32_t points = 2 * (points_at(lab, r) - 1) + 1;
        for (int k = 0; k < 2 && code == 0; ++k) {
            code = bend(lab, KIND[k], points, &drop[k][r]);
        }
        lab_table_row(lab, 3, (double[]){points, drop[0][r], drop[1][r]});
    }
    lab_table_end(lab);
    return code;
}

// Drop over free length of an inextensible strip of this rigidity and resolution.
static double strip_elastica(HedLab* lab, int resolution) {
    double weight = 0.2 * 9.81; // N/m^2
    double length = free_length(2 * (points_at(lab, resolution) - 1) + 1);
    Elastica exact;
    elastica_solve(weight * length * length * length / lab_number(lab, "rigidity"), &exact);
    return exact.drop[ELASTICA_STEPS];
}

static void claim_all(HedLab* lab, int last, double sag[PATTERNS][RESOLUTIONS],
                      double drop[2][RESOLUTIONS]) {
    double spread = 0.0;
    double change = 0.0;
    for (int p = 0; p < PATTERNS; ++p) {
        change = fmax(change, fabs(sag[p][last] - sag[p][last - 1]));
        for (int q = 0; q < p; ++q) {
            spread = fmax(spread, fabs(sag[p][last] - sag[q][last]));
        }
    }
    lab_result(lab, "spread", spread / sag[0][last]);
    lab_result(lab, "last_change", change / sag[0][last]);
    lab_claim_above(lab, "difference between connectivities over what the last refinement changed",
                    spread / change, 1.5);
    // The clamp is half a cell wide, so the free length, and with it the elastica, differs a little
    // at each resolution: what counts is the distance from it.
    double off[2][2];
    for (int k = 0; k < 2; ++k) {
        for (int r = 0; r < 2; ++r) {
            off[k][r] = drop[k][last - 1 + r] - strip_elastica(lab, last - 1 + r);
        }
    }
    lab_result(lab, "springs_off", off[0][1]);
    lab_result(lab, "curvature_off", off[1][1]);
    lab_claim_true(lab, "bending springs leave the elastica as the mesh is refined",
                   off[0][1] > off[0][0] && off[0][1] > 0.1);
    lab_claim_true(lab, "the curvature energy comes closer to it",
                   fabs(off[1][1]) < fabs(off[1][0]));
    // The strip stretches by some 1e-4 of its length, and its turns are chords of 1/32 of it at
    // most: 0.002.
    lab_claim(lab, "drop over length of the curvature strip: the elastica's",
              strip_elastica(lab, last), drop[1][last], 0.002);
}

static int run(HedLab* lab) {
    double sag[PATTERNS][RESOLUTIONS] = {{0}};
    double drop[2][RESOLUTIONS] = {{0}};
    int resolutions = lab_quick(lab) ? 2 : RESOLUTIONS;
    int code = measure_hanging(lab, resolutions, sag);
    code = code ? code : measure_bending(lab, resolutions, drop);
    if (code != 0) {
        return code;
    }
    claim_all(lab, resolutions - 1, sag, drop);
    LabCurve curves[PATTERNS];
    for (int p = 0; p < PATTERNS; ++p) {
        curves[p] = (LabCurve){"hanging.csv", "points", PATTERN[p], PATTERN[p], true};
    }
    LabPlot plot = {.picture = "hanging.svg",
                    .title = "One cloth, three connectivities",
                    .x_label = "points along a side",
                    .y_label = "lowest point below the corners (m)",
                    .curves = curves,
                    .curve_count = PATTERNS};
    lab_plot(lab, &plot);
    return 0;
}

const HedExperiment EXPERIMENT_MASS_SPRING_LIMITS = {
    .name = "mass-spring-limits",
    .title = "one cloth, three connectivities, three resolutions: by how much they disagree",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
