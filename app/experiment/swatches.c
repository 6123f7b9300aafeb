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
    {.name = "periodic",
     .number = 1,
     .least = 0,
     .most = 1,
     .whole = true,
     .unit = "",
     .help = "1: fabrics without edges; 0: swatches with free ones, between plates"},
    KNIT_SIZE(0, 0, 0, "that sizes are told of; 0: 24, repeats 4", "in a row; 0: 24, repeats 4"),
    {.name = "loop",
     .number = KNIT_LOOP,
     .least = 12.0,
     .most = 60.0,
     .unit = "diameters",
     .help = "yarn in a loop"},
    KNIT_FRICTION(0.2),
    {.name = "plates",
     .number = 6.0,
     .least = 0.0,
     .most = 100.0,
     .unit = "diameters",
     .help = "swatches with edges lie between plates so far apart; 0: none"},
    KNIT_ITERATIONS,
};

enum { MOST = 16, NAME = 32 };

// What was measured: relaxed size over that of stockinette, and mass (g) of the swatch.
static const struct {
    const char* pattern;
    double width, height, mass;
} MEASURED[] = {{"stockinette", 1.0, 1.0, 3.93},
                {"garter", 1.12, 0.76, 3.89},
                {"rib-1x1", 0.72, 1.23, 4.23},
                {"reverse-stockinette", 1.01, 0.93, 3.85}};
enum { MEASURED_COUNT = sizeof MEASURED / sizeof MEASURED[0] };

// A swatch is a field of 60 x 60 loops of its pattern, with a border of seed stitch about it: 7476
// loops in all. One that is seed throughout has 4.21 g, which tells what a border weighs.
//   yarn in a loop of the field, against stockinette's: (mass - border) / (3.93 - border)
static double loop_of(const char* pattern) {
    const double seed = 4.21, border = seed * (7476.0 - 60.0 * 60.0) / 7476.0; // g
    for (int m = 0; m < MEASURED_COUNT; ++m) {
        if (strcmp(MEASURED[m].pattern, pattern) == 0) {
            return (MEASURED[m].mass - border) / (MEASURED[0].mass - border);
        }
    }
    return 1.0;
}

typedef struct Swatch {
    char name[NAME];
    double width, height; // m, of as many rows and stitches as were asked for
    HedRelaxReport report;
} Swatch;

// Rows and stitches of all swatches, by which they are compared.
static HedKnitRepeat size_of(HedLab* lab) {
    bool repeats = lab_count(lab, "periodic") == 1;
    int32_t size = repeats ? 4 : (lab_quick(lab) ? 6 : 24);
    int32_t rows = lab_count(lab, "rows"), stitches = lab_count(lab, "stitches");
    return (HedKnitRepeat){rows > 0 ? rows : size, stitches > 0 ? stitches : size};
}

static int32_t round_up(int32_t count, int32_t unit) {
    return (count + unit - 1) / unit * unit;
}

// The case of one pattern. Its loops are as long, against those of stockinette, as the measured
// masses say.
static KnitCase case_of(HedLab* lab, const char* name) {
    bool quick = lab_quick(lab);
    bool repeats = lab_count(lab, "periodic") == 1;
    HedKnitRepeat size = size_of(lab);
    KnitCase given = knit_case(lab, name, size.rows, size.stitches);
    given.knit.loop_length = lab_number(lab, "loop") * loop_of(name) * given.knit.diameter;
    given.relax.plates = repeats ? 0.0 : lab_number(lab, "plates");
    given.relax.limit = quick && !repeats ? 1000 : lab_count(lab, "iterations");
    if (repeats) { // whole repeats of the pattern, so that it begins again
        HedKnitRepeat one = hed_knit_pattern_repeat(name);
        knit_case_repeat(&given, round_up(size.rows, one.rows),
                         round_up(size.stitches, one.stitches));
    }
    return given;
}

static int measure(HedLab* lab, Swatch* s) {
    KnitCase given = case_of(lab, s->name);
    KnitSwatch swatch = {0};
    char picture[64];
    int code = knit_swatch_make(lab, &given, &swatch);
    if (code == 0) {
        snprintf(picture, sizeof picture, "%.31s.png", s->name);
        knit_draw(lab, &swatch.fabric, swatch.fabric.points, picture);
        s->width = size_of(lab).stitches * knit_spacing(&swatch, 0);
        s->height = size_of(lab).rows * knit_spacing(&swatch, 1);
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
        if (hed_knit_pattern_repeat(name).rows == 0) {
            lab_refuse(lab, "'patterns': '%s' is no flat knit, which has a width and a height",
                       name);
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

// A ratio to stockinette against the measured one: within a tenth; a short version, in which
// swatches are small, must only be on the right side of 1.
static void claim_ratio(HedLab* lab, const char* pattern, const char* what, double measured,
                        double ratio) {
    char text[96];
    snprintf(text, sizeof text, "%.31s: %s over stockinette's, as measured", pattern, what);
    if (!lab_quick(lab)) {
        lab_claim(lab, text, measured, ratio, 0.1 * measured);
    } else if (measured > 1.0) {
        lab_claim_above(lab, text, ratio, 1.0);
    } else {
        lab_claim_below(lab, text, ratio, 1.0);
    }
}

static void claim(HedLab* lab, const Swatch* swatches, int32_t count) {
    char text[96];
    for (int32_t k = 0; k < count; ++k) {
        const Swatch* s = &swatches[k];
        if (!lab_quick(lab) || lab_count(lab, "periodic") == 1) {
            snprintf(text, sizeof text, "%.31s: is quiet", s->name);
            lab_claim_true(lab, text, s->report.is_quiet);
        }
        snprintf(text, sizeof text, "%.31s: deepest overlap of yarns (diameters)", s->name);
        lab_claim_below(lab, text, s->report.overlap, 0.12);
        for (int m = 1; m < MEASURED_COUNT; ++m) {
            if (strcmp(MEASURED[m].pattern, s->name) == 0) {
                claim_ratio(lab, s->name, "width", MEASURED[m].width, s->width / swatches[0].width);
                claim_ratio(lab, s->name, "height", MEASURED[m].height,
                            s->height / swatches[0].height);
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
