// SPDX-License-Identifier: MIT
// Sizes of relaxed swatches against stockinette of the same yarn and loops, beside what was
// measured on machine-knitted ones (KnitDB, KnitPick 2019: 84 needles, 89 courses, acrylic).
#include "experiment/knit_lab.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "patterns",
     .text = "stockinette,garter,rib-1x1",
     .unit = "",
     .help = "names, divided by commas"},
    {.name = "rows",
     .number = 24,
     .least = 4,
     .most = 400,
     .whole = true,
     .unit = "",
     .help = "of each swatch"},
    {.name = "stitches",
     .number = 24,
     .least = 4,
     .most = 400,
     .whole = true,
     .unit = "",
     .help = "in a row"},
    {.name = "loop",
     .number = 16.66,
     .least = 12.0,
     .most = 60.0,
     .unit = "diameters",
     .help = "yarn in a loop"},
    {.name = "friction",
     .number = 0.05,
     .least = 0.0,
     .most = 2.0,
     .unit = "",
     .help = "between yarns"},
    {.name = "plates",
     .number = 6.0,
     .least = 0.0,
     .most = 100.0,
     .unit = "diameters",
     .help = "swatches lie between plates so far apart; 0: none"},
    {.name = "iterations",
     .number = 30000,
     .least = 100,
     .most = 1e7,
     .whole = true,
     .unit = "",
     .help = "most of one relaxation"},
};

enum { MOST = 16, NAME = 32 };

// What was measured: relaxed size over that of stockinette.
static const struct {
    const char* pattern;
    double width, height;
} MEASURED[] = {
    {"garter", 1.12, 0.76}, {"rib-1x1", 0.72, 1.23}, {"reverse-stockinette", 1.01, 0.93}};
enum { MEASURED_COUNT = sizeof MEASURED / sizeof MEASURED[0] };

typedef struct Swatch {
    char name[NAME];
    double width, height; // m
    HedRelaxReport report;
} Swatch;

static int measure(HedLab* lab, Swatch* s) {
    bool quick = lab_quick(lab);
    int32_t rows = quick ? 6 : lab_count(lab, "rows");
    int32_t stitches = quick ? 6 : lab_count(lab, "stitches");
    KnitCase given = knit_case(lab, s->name, rows, stitches);
    KnitSwatch swatch = {0};
    char picture[64];
    given.knit.loop_length = lab_number(lab, "loop") * given.knit.diameter;
    given.relax.friction = lab_number(lab, "friction");
    given.relax.plates = lab_number(lab, "plates");
    given.relax.limit = quick ? 1000 : lab_count(lab, "iterations");
    int code = knit_swatch_make(lab, &given, &swatch);
    if (code == 0) {
        snprintf(picture, sizeof picture, "%.31s.png", s->name);
        knit_draw(lab, &swatch.fabric, swatch.fabric.points, picture);
        s->width = stitches * knit_spacing(&swatch, 0);
        s->height = rows * knit_spacing(&swatch, 1);
        s->report = swatch.report;
    }
    knit_swatch_free(&swatch);
    return code;
}

static bool is_pattern(const char* name) {
    for (int32_t k = 0; hed_knit_pattern_name(k); ++k) {
        if (strcmp(hed_knit_pattern_name(k), name) == 0) {
            return true;
        }
    }
    return false;
}

// The names asked for; stockinette comes first, whether it was asked for or not. 0: refused.
static int32_t read_names(HedLab* lab, Swatch swatches[MOST]) {
    const char* at = lab_text(lab, "patterns");
    int32_t count = 1;
    snprintf(swatches[0].name, NAME, "stockinette");
    while (*at) {
        size_t size = strcspn(at, ",");
        char name[NAME] = "";
        snprintf(name, sizeof name, "%.*s", size < NAME ? (int)size : NAME - 1, at);
        if (!is_pattern(name)) {
            lab_refuse(lab, "'patterns' has no pattern named '%s' (see docs/knit.md)", name);
            return 0;
        }
        bool is_known = false;
        for (int32_t k = 0; k < count; ++k) {
            is_known = is_known || strcmp(swatches[k].name, name) == 0;
        }
        if (!is_known && count == MOST) {
            lab_refuse(lab, "'patterns' names more than %d patterns", MOST);
            return 0;
        }
        if (!is_known) {
            snprintf(swatches[count++].name, NAME, "%s", name);
        }
        at += size + (at[size] == ',');
    }
    return count;
}

static void report(HedLab* lab, const Swatch* swatches, int32_t count) {
    static const char* const NAMES[] = {"width",           "height",  "relative_width",
                                        "relative_height", "overlap", "wall"};
    char name[64];
    lab_table_begin(lab, "swatches.csv",
                    "swatch,width (mm),height (mm),relative width,relative height,overlap (d)");
    for (int32_t k = 0; k < count; ++k) {
        const Swatch* s = &swatches[k];
        const double values[] = {s->width,
                                 s->height,
                                 s->width / swatches[0].width,
                                 s->height / swatches[0].height,
                                 s->report.overlap,
                                 s->report.wall};
        for (int i = 0; i < 6; ++i) {
            snprintf(name, sizeof name, "%.31s.%s", s->name, NAMES[i]);
            lab_result(lab, name, values[i]);
        }
        lab_table_row(
            lab, 6,
            (double[]){k, 1e3 * s->width, 1e3 * s->height, values[2], values[3], values[4]});
    }
    lab_table_end(lab);
}

static void claim(HedLab* lab, const Swatch* swatches, int32_t count) {
    const double tolerance = lab_quick(lab) ? 0.4 : 0.15;
    char text[96];
    for (int32_t k = 0; k < count; ++k) {
        const Swatch* s = &swatches[k];
        if (!lab_quick(lab)) {
            snprintf(text, sizeof text, "%.31s: is quiet", s->name);
            lab_claim_true(lab, text, s->report.is_quiet);
        }
        snprintf(text, sizeof text, "%.31s: deepest overlap of yarns (diameters)", s->name);
        lab_claim_below(lab, text, s->report.overlap, 0.12);
        for (int m = 0; m < MEASURED_COUNT; ++m) {
            if (strcmp(MEASURED[m].pattern, s->name) == 0) {
                snprintf(text, sizeof text, "%.31s: width over stockinette's, as measured",
                         s->name);
                lab_claim(lab, text, MEASURED[m].width, s->width / swatches[0].width,
                          tolerance * MEASURED[m].width);
                snprintf(text, sizeof text, "%.31s: height over stockinette's, as measured",
                         s->name);
                lab_claim(lab, text, MEASURED[m].height, s->height / swatches[0].height,
                          tolerance * MEASURED[m].height);
            }
        }
    }
}

static int run(HedLab* lab) {
    Swatch swatches[MOST];
    memset(swatches, 0, sizeof swatches);
    int32_t count = read_names(lab, swatches);
    if (count == 0) {
        return 2;
    }
    for (int32_t k = 0; k < count; ++k) {
        int code = measure(lab, &swatches[k]);
        if (code != 0) {
            return code;
        }
    }
    report(lab, swatches, count);
    claim(lab, swatches, count);
    return 0;
}

const HedExperiment EXPERIMENT_SWATCHES = {
    .name = "swatches",
    .title = "sizes of relaxed swatches against stockinette, beside measured ones",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
