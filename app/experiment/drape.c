// SPDX-License-Identifier: MIT
// Cusick's drape test: a disc of cloth of 30 cm hangs over a plate of 18 cm; how much shadow its
// rim still throws, and in how many folds it falls.
#include "experiment/drape_disc.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>

static const HedParameter PARAMETERS[] = {
    {.name = "bending",
     .unit = "N m",
     .number = 9.8e-6,
     .least = 1e-8,
     .most = 1.0,
     .help = "rigidity; 0.1 gf cm^2/cm is 9.8e-6 N m"},
    {.name = "density", .unit = "kg/m^2", .number = 0.22, .least = 1e-3, .most = 10.0},
    {.name = "shear",
     .unit = "N/m",
     .number = 34.0,
     .least = 0.1,
     .most = 1e4,
     .help = "stiffness; 0.6 gf/(cm deg) is 34 N/m"},
    {.name = "stretch",
     .unit = "N/m",
     .number = 150.0,
     .least = 1.0,
     .most = 1e5,
     .help = "tensile stiffness along warp and weft"},
    {.name = "resolution",
     .unit = "",
     .number = 20.0,
     .least = 6.0,
     .most = 100.0,
     .whole = true,
     .help = "sides of triangles along the radius"},
    {.name = "seed",
     .unit = "",
     .number = 1.0,
     .least = 0.0,
     .most = 1e9,
     .whole = true,
     .help = "of the unevenness it starts from"},
};

static Fabric asked_fabric(HedLab* lab) {
    int32_t resolution = lab_count(lab, "resolution");
    return (Fabric){.name = "asked",
                    .bending = lab_number(lab, "bending"),
                    .density = lab_number(lab, "density"),
                    .shear = lab_number(lab, "shear"),
                    .stretch = lab_number(lab, "stretch"),
                    .resolution = lab_quick(lab) && resolution > 10 ? 10 : resolution,
                    .seed = lab_count(lab, "seed"),
                    .thread_count = lab_threads(lab)};
}

/// cm, by which fabrics are compared: the bending length.
static double bending_length(const Fabric* fabric) {
    return 100.0 * cbrt(fabric->bending / (fabric->density * 9.81));
}

static int hang(HedLab* lab, const Fabric* fabric, const char* path, Drape* drape) {
    HedError error;
    if (drape_hang(fabric, path, drape, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    if (!drape->is_at_rest) {
        lab_note(lab, "%s: %s", fabric->name, drape->trouble);
    }
    return 0;
}

static int hang_asked(HedLab* lab) {
    Fabric fabric = asked_fabric(lab);
    Drape drape;
    int code = hang(lab, &fabric, lab_path(lab, "drape.obj"), &drape);
    if (code != 0) {
        return code;
    }
    lab_result(lab, "drape_coefficient", drape.coefficient);
    lab_result(lab, "folds", drape.folds);
    lab_result(lab, "bending_length_cm", bending_length(&fabric));
    lab_result(lab, "edge_drop_m", drape.deepest);
    lab_result(lab, "largest_strain", drape.strain);
    lab_result(lab, "points", drape.point_count);
    lab_claim_true(lab, "the cloth came to rest", drape.is_at_rest);
    // Pixels of the shadow leave 2e-3.
    lab_claim_below(lab, "drape coefficient: a shadow no larger than the cloth", drape.coefficient,
                    1.005);
    lab_claim_above(lab, "and no smaller than the plate", drape.coefficient, -0.005);
    if (!lab_quick(lab)) {
        lab_picture(lab, "drape.obj", "drape.png");
    }
    return 0;
}

// Values of docs/experiments.md: rigidities and shear by Kawabata's system, bands of the drape
// coefficient as published for such fabrics.
static const Fabric FABRICS[] = {
    {"cotton jersey", 2.0e-6, 0.160, 34.0, 100.0, 0.15, 0.30, 0, 0, 0},
    {"silk crepe", 1.0e-6, 0.070, 17.0, 150.0, 0.20, 0.40, 0, 0, 0},
    {"wool suiting", 9.8e-6, 0.220, 34.0, 150.0, 0.40, 0.60, 0, 0, 0},
    {"cotton shirting", 5.9e-6, 0.115, 73.0, 300.0, 0.50, 0.70, 0, 0, 0},
    {"denim", 4.9e-5, 0.360, 168.0, 600.0, 0.70, 0.90, 0, 0, 0},
    {"denim, 11 oz", 7.8e-5, 0.324, 106.0, 400.0, 0.70, 0.90, 0, 0, 0},
};

static int hang_fabrics(HedLab* lab) {
    const int count = sizeof FABRICS / sizeof FABRICS[0];
    Fabric asked = asked_fabric(lab);
    Drape drape[sizeof FABRICS / sizeof FABRICS[0]];
    int code = 0;
    lab_table_begin(lab, "fabrics.csv",
                    "bending_length (cm),drape_coefficient,published_least,published_most,folds");
    for (int k = 0; k < count && code == 0; ++k) {
        Fabric fabric = FABRICS[k];
        fabric.resolution = asked.resolution;
        fabric.seed = asked.seed;
        fabric.thread_count = asked.thread_count;
        code = hang(lab, &fabric, NULL, &drape[k]);
        if (code == 0) {
            lab_table_row(lab, 5,
                          (double[]){bending_length(&fabric), drape[k].coefficient, fabric.least,
                                     fabric.most, drape[k].folds});
        }
    }
    lab_table_end(lab);
    for (int k = 0; k < count && code == 0; ++k) {
        char text[120];
        snprintf(text, sizeof text, "%s: drape coefficient in the published band", FABRICS[k].name);
        lab_claim(lab, text, 0.5 * (FABRICS[k].least + FABRICS[k].most), drape[k].coefficient,
                  0.5 * (FABRICS[k].most - FABRICS[k].least));
    }
    return code;
}

// One cloth, stiffer and stiffer.
static int sweep_length(HedLab* lab) {
    static const double LENGTH[] = {1.0, 1.5, 2.0, 2.5, 3.0, 4.0}; // cm
    const int count = sizeof LENGTH / sizeof LENGTH[0];
    Fabric fabric = asked_fabric(lab);
    double last = -1.0;
    bool rises = true;
    bool rests = true;
    int32_t limp = 0;
    int code = 0;
    fabric.name = "sweep";
    lab_table_begin(lab, "length.csv", "bending_length (cm),drape_coefficient,folds,edge_drop (m)");
    for (int k = lab_quick(lab) ? 1 : 0; k < count && code == 0; k += lab_quick(lab) ? 2 : 1) {
        Drape drape;
        fabric.bending = fabric.density * 9.81 * pow(0.01 * LENGTH[k], 3.0);
        code = hang(lab, &fabric, NULL, &drape);
        if (code == 0) {
            lab_table_row(lab, 4,
                          (double[]){LENGTH[k], drape.coefficient, drape.folds, drape.deepest});
            rises = rises && drape.coefficient > last;
            rests = rests && drape.is_at_rest;
            limp = last < 0.0 ? drape.folds : limp;
            last = drape.coefficient;
        }
    }
    lab_table_end(lab);
    if (code != 0) {
        return code;
    }
    lab_claim_true(lab, "every cloth came to rest", rests);
    lab_claim_true(lab, "the drape coefficient rises with the bending length", rises);
    lab_claim_above(lab, "folds of the limpest cloth", limp, 3.5);
    LabCurve curve = {"length.csv", "bending_length (cm)", "drape_coefficient", "", true};
    LabPlot plot = {.picture = "drape.svg",
                    .title = "The drape test",
                    .x_label = "bending length (cm)",
                    .y_label = "drape coefficient",
                    .curves = &curve,
                    .curve_count = 1};
    lab_plot(lab, &plot);
    return 0;
}

static int run(HedLab* lab) {
    int code = hang_asked(lab);
    code = code ? code : sweep_length(lab);
    // A coarse mesh is too stiff for the bands of real fabrics.
    return code || lab_quick(lab) ? code : hang_fabrics(lab);
}

const HedExperiment EXPERIMENT_DRAPE = {
    .name = "drape",
    .title = "the drape test of fabrics: shadow and folds of a disc over a plate",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
