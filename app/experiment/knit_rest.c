// SPDX-License-Identifier: MIT
// Three knits come to rest with the same numbers (Kaldor 2011, figure 4.4): stockinette curls at
// its edges, garter becomes shorter along the wales, rib narrower along the courses.
#include "experiment/knit_lab.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>

static const HedParameter PARAMETERS[] = {
    KNIT_SIZE(42, 32, 4, "of each knit", "in a row"),
    KNIT_FRICTION(0.3),
    KNIT_ITERATIONS,
    KNIT_ASKED("patterns", "stockinette,garter,rib-2x2"),
};

enum { KINDS = 3 };
static const char* const PATTERNS[KINDS] = {"stockinette", "garter", "rib-2x2"};

typedef struct Rest {
    double width, height;       // m, of all columns and rows as those in the middle are
    double side_turn, end_turn; // rad
    HedRelaxReport report;
    bool is_made;
} Rest;

static int rest(HedLab* lab, const char* pattern, Rest* out) {
    bool quick = lab_quick(lab);
    int32_t rows = quick ? 6 : lab_count(lab, "rows");
    int32_t stitches = quick ? 6 : lab_count(lab, "stitches");
    KnitCase given = knit_case(lab, pattern, rows, stitches);
    KnitSwatch swatch = {0};
    char picture[64];
    given.relax.limit = quick ? 1000 : lab_count(lab, "iterations");
    int code = knit_swatch_make(lab, &given, &swatch);
    if (code == 0) {
        snprintf(picture, sizeof picture, "%s-before.png", pattern);
        knit_draw(lab, &swatch.fabric, swatch.drawn, picture);
        snprintf(picture, sizeof picture, "%s.png", pattern);
        knit_draw(lab, &swatch.fabric, swatch.fabric.points, picture);
        *out = (Rest){.width = stitches * knit_spacing(&swatch, 0),
                      .height = rows * knit_spacing(&swatch, 1),
                      .side_turn = knit_edge_turn(&swatch, 0),
                      .end_turn = knit_edge_turn(&swatch, 1),
                      .report = swatch.report,
                      .is_made = true};
    }
    knit_swatch_free(&swatch);
    return code;
}

static void report(HedLab* lab, const Rest all[KINDS]) {
    static const double DEGREES = 57.29577951308232;
    char name[64];
    lab_table_begin(lab, "rest.csv",
                    "knit,width (mm),height (mm),side turned (deg),end turned (deg),overlap (d)");
    for (int k = 0; k < KINDS; ++k) {
        const Rest* r = &all[k];
        if (!r->is_made) {
            continue;
        }
        const double values[] = {
            r->width,          r->height,      DEGREES * r->side_turn, DEGREES * r->end_turn,
            r->report.overlap, r->report.wall, r->report.iterations};
        static const char* const NAMES[] = {"width",   "height", "edge_angle_deg", "end_angle_deg",
                                            "overlap", "wall",   "iterations"};
        for (int i = 0; i < 7; ++i) {
            snprintf(name, sizeof name, "%s.%s", PATTERNS[k], NAMES[i]);
            lab_result(lab, name, values[i]);
        }
        lab_table_row(lab, 6,
                      (double[]){k, 1e3 * r->width, 1e3 * r->height, values[2], values[3],
                                 r->report.overlap});
    }
    lab_table_end(lab);
}

static void claim_quiet(HedLab* lab, const char* pattern, const HedRelaxReport* relaxed) {
    char text[96];
    if (!lab_quick(lab)) {
        snprintf(text, sizeof text, "%s: is quiet", pattern);
        lab_claim_true(lab, text, relaxed->is_quiet);
    }
    snprintf(text, sizeof text, "%s: deepest overlap of yarns (diameters)", pattern);
    lab_claim_below(lab, text, relaxed->overlap, 0.12);
}

static void claim(HedLab* lab, const Rest all[KINDS]) {
    bool quick = lab_quick(lab);
    const Rest *plain = &all[0], *garter = &all[1], *rib = &all[2];
    for (int k = 0; k < KINDS; ++k) {
        if (all[k].is_made) {
            claim_quiet(lab, PATTERNS[k], &all[k].report);
        }
    }
    if (plain->is_made) {
        lab_claim_above(lab, "stockinette: sides turn out of the plane (rad)", plain->side_turn,
                        quick ? 0.2 : 0.5);
    }
    if (plain->is_made && garter->is_made) {
        lab_claim_below(lab, "garter: sides turn, of stockinette's",
                        garter->side_turn / plain->side_turn, quick ? 0.8 : 0.5);
        lab_claim_below(lab, "garter: height over stockinette's", garter->height / plain->height,
                        quick ? 1.0 : 0.95);
    }
    if (plain->is_made && rib->is_made) {
        lab_claim_below(lab, "rib: width over stockinette's", rib->width / plain->width,
                        quick ? 1.0 : 0.95);
    }
}

static int run(HedLab* lab) {
    Rest all[KINDS] = {{0}};
    int code = knit_check_asked(lab, "patterns", PATTERNS, KINDS);
    for (int k = 0; k < KINDS && code == 0; ++k) {
        if (knit_is_asked(lab, "patterns", PATTERNS[k])) {
            code = rest(lab, PATTERNS[k], &all[k]);
        }
    }
    if (code != 0) {
        return code;
    }
    report(lab, all);
    claim(lab, all);
    return 0;
}

const HedExperiment EXPERIMENT_KNIT_REST = {
    .name = "knit-rest",
    .title = "stockinette, garter and rib come to rest: curl, height, width",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
