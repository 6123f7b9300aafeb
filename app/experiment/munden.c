// SPDX-License-Identifier: MIT
// Munden's constants of plain knits: courses and wales per length, times the length of yarn in a
// loop, hardly depend on how tight the knit is (Munden 1959; Knapton 1968).
//   Kc = l / course spacing     Kw = l / wale spacing     Ks = Kc Kw     R = Kc / Kw
#include "experiment/knit_lab.h"
#include "experiment/list.h"

#include <math.h>

static const HedParameter PARAMETERS[] = {
    {.name = "tightest",
     .number = 15.0,
     .least = 13.0,
     .most = 60.0,
     .unit = "diameters",
     .help = "shortest loop"},
    {.name = "loosest",
     .number = 20.0,
     .least = 13.0,
     .most = 60.0,
     .unit = "diameters",
     .help = "longest loop"},
    {.name = "loops",
     .number = 6,
     .least = 2,
     .most = 20,
     .whole = true,
     .unit = "",
     .help = "lengths from the one to the other"},
    {.name = "size",
     .number = 4,
     .least = 2,
     .most = 400,
     .whole = true,
     .unit = "",
     .help = "rows and stitches of the repeat"},
    KNIT_FRICTION(0.3),
};

enum { MOST = 20 };

typedef struct Loop {
    double length; // diameters, of yarn at rest
    double courses, wales;
    HedRelaxReport report;
} Loop;

static int measure(HedLab* lab, double length, Loop* loop) {
    int32_t size = lab_count(lab, "size");
    KnitCase given = knit_case(lab, "stockinette", size, size);
    KnitSwatch swatch = {0};
    knit_case_repeat(&given, size, size);
    given.knit.loop_length = length * given.knit.diameter;
    int code = knit_swatch_make(lab, &given, &swatch);
    if (code == 0) {
        double l = knit_loop_length(&swatch, &given);
        *loop = (Loop){.length = l / given.knit.diameter,
                       .courses = l / knit_spacing(&swatch, 1),
                       .wales = l / knit_spacing(&swatch, 0),
                       .report = swatch.report};
    }
    knit_swatch_free(&swatch);
    return code;
}

static void report(HedLab* lab, const Loop* loops, int32_t count, Loop* mean, Loop* spread) {
    *mean = *spread = (Loop){0};
    lab_table_begin(lab, "munden.csv", "loop (d),Kc,Kw,Ks,R,overlap (d)");
    for (int32_t k = 0; k < count; ++k) {
        const Loop* l = &loops[k];
        lab_table_row(lab, 6,
                      (double[]){l->length, l->courses, l->wales, l->courses * l->wales,
                                 l->courses / l->wales, l->report.overlap});
        mean->courses += l->courses / count;
        mean->wales += l->wales / count;
    }
    lab_table_end(lab);
    for (int32_t k = 0; k < count; ++k) {
        spread->courses = fmax(spread->courses, fabs(loops[k].courses / mean->courses - 1.0));
        spread->wales = fmax(spread->wales, fabs(loops[k].wales / mean->wales - 1.0));
    }
    lab_result(lab, "kc", mean->courses);
    lab_result(lab, "kw", mean->wales);
    lab_result(lab, "ks", mean->courses * mean->wales);
    lab_result(lab, "r", mean->courses / mean->wales);
    lab_result(lab, "kc_spread", spread->courses);
    lab_result(lab, "kw_spread", spread->wales);
    LabCurve curves[] = {{"munden.csv", "loop (d)", "Kc", "courses", true},
                         {"munden.csv", "loop (d)", "Kw", "wales", true}};
    LabPlot plot = {.picture = "munden.svg",
                    .title = "Courses and wales per length of a loop",
                    .x_label = "yarn in a loop (diameters)",
                    .y_label = "per length of a loop",
                    .curves = curves,
                    .curve_count = 2};
    lab_plot(lab, &plot);
}

// Dry relaxed wool has 5.0 and 3.8, fully relaxed 5.5 and 4.2; simulated cells of others 6.6 and
// 3.5. The band is that of the measured ones.
static void claim(HedLab* lab, const Loop* loops, int32_t count, const Loop* mean,
                  const Loop* spread) {
    const double steady = 0.1;
    bool all_quiet = true;
    for (int32_t k = 0; k < count; ++k) {
        all_quiet = all_quiet && loops[k].report.is_quiet;
    }
    lab_claim_true(lab, "all are quiet", all_quiet);
    lab_claim(lab, "Kc, from 5.0 to 5.5", 5.25, mean->courses, 0.25);
    lab_claim(lab, "Kw, from 3.8 to 4.2", 4.0, mean->wales, 0.2);
    lab_claim_below(lab, "Kc: largest difference from its mean, of it", spread->courses, steady);
    lab_claim_below(lab, "Kw: largest difference from its mean, of it", spread->wales, steady);
}

static int run(HedLab* lab) {
    Loop loops[MOST] = {{0}};
    int32_t count = lab_quick(lab) ? 2 : lab_count(lab, "loops");
    double first = lab_number(lab, "tightest"), last = lab_number(lab, "loosest");
    if (!(first < last)) {
        return lab_refuse(lab, "'tightest' must be below 'loosest', got %g and %g", first, last);
    }
    for (int32_t k = 0; k < count; ++k) {
        int code = measure(lab, first + (last - first) * k / (count - 1), &loops[k]);
        if (code != 0) {
            return code;
        }
    }
    Loop mean, spread;
    report(lab, loops, count, &mean, &spread);
    claim(lab, loops, count, &mean, &spread);
    return 0;
}

const HedExperiment EXPERIMENT_MUNDEN = {
    .name = "munden",
    .title = "courses and wales per loop length of plain knits, loose and tight",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
