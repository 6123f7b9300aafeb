// SPDX-License-Identifier: MIT
// Plain weave that repeats for ever against the geometry of F. T. Peirce (1937): threads that
// hardly bend and are held taut by each other. Then the weft is stretched while the warp is free:
// crimp goes over from the one to the other.
#include "experiment/knit_lab.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const HedParameter PARAMETERS[] = {
    {.name = "spacing",
     .unit = "D",
     .number = 2.0,
     .least = 0.87,
     .most = 6.0,
     .help = "of threads, D is the sum of their diameters; below 0.866 they jam"},
    {.name = "points",
     .unit = "",
     .number = 24,
     .least = 8,
     .most = 100,
     .whole = true,
     .help = "of a thread from crossing to crossing"},
    {.name = "stretch",
     .unit = "B/d^2",
     .number = 2000,
     .least = 100,
     .most = 1e6,
     .help = "stiffness of threads along"},
    {.name = "contact",
     .unit = "B/d^3",
     .number = 1e5,
     .least = 1e3,
     .most = 1e8,
     .help = "stiffness of contact"},
    {.name = "pull",
     .unit = "B/d^2",
     .number = 20,
     .least = 0.0,
     .most = 1e4,
     .help = "on two ends of the warp, while the weft is stretched; without it they bow"},
};

static const double PI = 3.14159265358979323846;
static const double DIAMETER = 1e-3; // m
static const double BOTH = 2e-3;     // m, D

// --- theory, in D: l of thread from crossing to crossing, p between crossings, h height of waves

typedef struct Peirce {
    double angle, length, spacing, height;
} Peirce;

// The height of a thread of length l that leaves crossings at an angle, and its spacing. It grows
// with the angle, up to that at which nothing is straight.
static Peirce thread_at(double length, double angle) {
    double straight = length - angle;
    return (Peirce){angle, length, straight * cos(angle) + sin(angle),
                    straight * sin(angle) + 1.0 - cos(angle)};
}

static Peirce thread_of_height(double length, double height) {
    double low = 0.0, high = fmin(length, 0.5 * PI);
    for (int k = 0; k < 100; ++k) {
        double middle = 0.5 * (low + high);
        *(thread_at(length, middle).height < height ? &low : &high) = middle;
    }
    return thread_at(length, low);
}

static Peirce thread_of_spacing(double length, double spacing) {
    double low = 0.0, high = fmin(length, 0.5 * PI); // the spacing falls with the angle
    for (int k = 0; k < 100; ++k) {
        double middle = 0.5 * (low + high);
        *(thread_at(length, middle).spacing > spacing ? &low : &high) = middle;
    }
    return thread_at(length, low);
}

// Threads of both systems alike: waves half as high as D.
static Peirce square_cloth(double spacing) {
    double low = 0.0, high = asin(fmin(1.0, spacing));
    for (int k = 0; k < 100; ++k) {
        double a = 0.5 * (low + high);
        double height = (spacing - sin(a)) * tan(a) + 1.0 - cos(a);
        *(height < 0.5 ? &low : &high) = a;
    }
    return thread_at(low + (spacing - sin(low)) / cos(low), low);
}

// --- simulation

// What is seen on a thread of a repeat.
typedef struct Thread {
    double length;  // m, from crossing to crossing
    double spacing; // m
    double angle;   // rad, steepest
    double height;  // m, of waves
} Thread;

static Thread look_at(const HedFabric* fabric, int32_t index) {
    const HedFabricYarn* yarn = &fabric->yarns[index];
    double low = HUGE_VAL, high = -HUGE_VAL, length = 0.0, steep = 0.0;
    HedVec3 a = fabric->period[0], b = fabric->period[1];
    for (int32_t k = 0; k < yarn->count; ++k) {
        HedVec3 x = fabric->points[yarn->first + k];
        HedVec3 y = fabric->points[yarn->first + (k + 1) % yarn->count];
        if (k + 1 == yarn->count) {
            y.x += yarn->turns.a * a.x + yarn->turns.b * b.x;
            y.y += yarn->turns.a * a.y + yarn->turns.b * b.y;
        }
        double dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z;
        double piece = sqrt(dx * dx + dy * dy + dz * dz);
        length += piece;
        steep = fmax(steep, fabs(dz) / piece);
        low = fmin(low, x.z);
        high = fmax(high, x.z);
    }
    return (Thread){0.5 * length, 0.5 * (yarn->turns.a ? a.x : b.y), asin(steep), high - low};
}

static double crimp_of(Thread thread) {
    return thread.length / thread.spacing - 1.0;
}

// One repeat of plain weave. Its threads start as sines a third too high, touching nowhere: what
// Peirce says has to come out.
static int weave(HedLab* lab, double spacing, HedFabric* fabric) {
    HedError error = {0};
    HedWeave draft = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.is_periodic = true;
    def.points = lab_quick(lab) ? 12 : lab_count(lab, "points");
    def.warp.sett = def.weft.sett = 1.0 / (spacing * BOTH);
    def.warp.diameter = def.weft.diameter = DIAMETER;
    HedStatus status = hed_weave_named("plain", &draft, &error);
    if (status == HED_OK) {
        status = hed_weave_build(&draft, &def, fabric, &error);
    }
    hed_weave_free(&draft);
    if (status != HED_OK) {
        return lab_fail(lab, &error);
    }
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        const HedFabricYarn* yarn = &fabric->yarns[y];
        HedVec3* x = fabric->points + yarn->first;
        int32_t middle = def.points / 2;
        double crest = x[middle].z > 0.0 ? 1.0 : -1.0; // over the first crossing, or under
        for (int32_t k = 0; k < yarn->count; ++k) {
            double along = PI * (k - middle) / def.points;
            x[k].z = crest * 0.65 * DIAMETER * cos(along);
        }
    }
    return 0;
}

static HedRelaxDef relax_def(HedLab* lab) {
    HedRelaxDef def = hed_relax_def_default();
    def.stretch = lab_number(lab, "stretch");
    def.contact = lab_number(lab, "contact");
    def.friction = 0.0;
    def.threads = lab_threads(lab) > 0 ? lab_threads(lab) : 1; // small: one is fastest
    def.force = 0.05;
    def.limit = 30000;
    def.stop = lab_stop;
    return def;
}

static int rest(HedLab* lab, const HedRelaxDef* def, HedFabric* fabric, HedRelaxReport* report) {
    HedError error = {0};
    HedStatus status = hed_fabric_relax(fabric, def, report, &error);
    if (status == HED_OK && !report->is_quiet) {
        lab_note(lab, "not at rest after %d iterations: %.3g B/d^2 are left", report->iterations,
                 report->force);
    }
    if (status == HED_OK) {
        status = hed_fabric_check(fabric, &error); // crossings are those of the draft
    }
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

// Taut threads at a given spacing: a thirtieth shorter than what Peirce's need.
static int taut(HedLab* lab, double spacing, HedFabric* fabric, HedRelaxReport* report) {
    int code = weave(lab, spacing, fabric);
    double* lengths = calloc((size_t)fabric->point_count + 1, sizeof *lengths);
    HedRelaxDef def = relax_def(lab);
    Peirce theory = square_cloth(spacing);
    for (int32_t i = 0; lengths && code == 0 && i < fabric->point_count; ++i) {
        lengths[i] = 0.97 * 2.0 * theory.length * BOTH / fabric->yarns[0].count;
    }
    def.lengths = lengths;
    def.holds_period[0] = def.holds_period[1] = true;
    if (code == 0) {
        code = lengths ? rest(lab, &def, fabric, report) : lab_fail_text(lab, "no memory");
    }
    free(lengths);
    return code;
}

static void draw(HedLab* lab, const HedFabric* fabric, const char* picture) {
    HedFabric piece = {0};
    if (!lab_quick(lab) && hed_fabric_tile(fabric, 4, 4, &piece, NULL) == HED_OK) {
        knit_draw(lab, &piece, piece.points, picture);
    }
    hed_fabric_free(&piece);
}

// --- the two parts

// One spacing: a row of the table, and what is claimed of it.
static int compare(HedLab* lab, double spacing, HedFabric* fabric) {
    HedRelaxReport report = {0};
    int code = taut(lab, spacing, fabric, &report);
    if (code != 0) {
        return code;
    }
    Peirce theory = square_cloth(spacing);
    Thread warp = look_at(fabric, 0), weft = look_at(fabric, 2);
    double crimp = 0.5 * (crimp_of(warp) + crimp_of(weft)),
           expected = theory.length / spacing - 1.0;
    double angle = 0.5 * (warp.angle + weft.angle) * 180.0 / PI;
    lab_table_row(lab, 6,
                  (double[]){spacing, 100.0 * expected, 100.0 * crimp, theory.angle * 180.0 / PI,
                             angle, 100.0 * report.overlap});
    char text[96];
    snprintf(text, sizeof text, "crimp at a spacing of %.4g D (%%)", spacing);
    lab_claim(lab, text, 100.0 * expected, 100.0 * crimp, 5.0 * expected);
    if (spacing == lab_number(lab, "spacing")) {
        lab_result(lab, "crimp", crimp);
        lab_result(lab, "weave_angle_deg", angle);
        lab_result(lab, "crimp_peirce", expected);
        lab_result(lab, "weave_angle_deg_peirce", theory.angle * 180.0 / PI);
        lab_result(lab, "overlap", report.overlap);
        lab_claim(lab, "weave angle (degrees)", theory.angle * 180.0 / PI, angle, 2.0);
        lab_claim(lab, "warp and weft alike: ratio of crimps", 1.0, crimp_of(warp) / crimp_of(weft),
                  0.01);
        draw(lab, fabric, "relaxed.png");
    }
    return 0;
}

// What Peirce says of the warp where the weft is stretched, from lengths and the spacing of the
// weft.
static Peirce warp_of(Thread weft, Thread warp) {
    Peirce along = thread_of_spacing(weft.length / BOTH, weft.spacing / BOTH);
    return thread_of_height(warp.length / BOTH, 1.0 - along.height);
}

// How far the weft can be stretched, in D: until it is straight, and a fiftieth more, which pulls
// it against the warp; or, in dense cloth, until the warp is nearly nothing but arcs.
static double farthest(double length) {
    double most = thread_at(length, fmin(length, 0.5 * PI)).height;
    return most > 1.2 ? 1.02 * length
                      : thread_of_height(length, 1.0 - 0.9 * fmin(most, 1.0)).spacing;
}

static int stretch_once(HedLab* lab, double spacing, double pull, const double* lengths,
                        HedFabric* fabric) {
    HedRelaxDef def = relax_def(lab);
    HedRelaxReport report = {0};
    double factor = 2.0 * spacing * BOTH / fabric->period[0].x;
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        fabric->points[i].x *= factor;
    }
    fabric->period[0].x *= factor;
    def.lengths = lengths;
    def.holds_period[0] = true;
    def.pull[1] = pull;
    return rest(lab, &def, fabric, &report);
}

static int interchange(HedLab* lab, HedFabric* fabric) {
    int32_t steps = lab_quick(lab) ? 2 : 8;
    int code = 0;
    double start = lab_number(lab, "spacing");
    double length = look_at(fabric, 0).length / BOTH, end = farthest(length);
    double* lengths = calloc((size_t)fabric->point_count + 1, sizeof *lengths);
    Thread weft = {0}, warp = {0};
    Peirce theory = {0};
    if (!lengths) {
        return lab_fail_text(lab, "no memory");
    }
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        lengths[i] = 2.0 * length * BOTH / fabric->yarns[0].count;
    }
    lab_table_begin(lab, "interchange.csv",
                    "weft spacing (D),weft crimp (%),warp crimp (%),Peirce warp (%),warp spacing "
                    "(D),weft height (D),warp height (D)");
    for (int32_t k = 0; k <= steps && code == 0; ++k) {
        double spacing = start + (end - start) * k / steps;
        code = stretch_once(lab, spacing, lab_number(lab, "pull"), lengths, fabric);
        weft = look_at(fabric, 2);
        warp = look_at(fabric, 0);
        theory = warp_of(weft, warp);
        lab_table_row(lab, 7,
                      (double[]){spacing, 100.0 * crimp_of(weft), 100.0 * crimp_of(warp),
                                 100.0 * (theory.length / theory.spacing - 1.0),
                                 warp.spacing / BOTH, weft.height / BOTH, warp.height / BOTH});
    }
    lab_table_end(lab);
    if (code == 0) {
        lab_result(lab, "stretched_weft_crimp", crimp_of(weft));
        lab_result(lab, "stretched_warp_crimp", crimp_of(warp));
        lab_claim(lab, "heights of both threads together, stretched (D)", 1.0,
                  (weft.height + warp.height) / BOTH, 0.05);
        lab_claim(lab, "crimp of the warp, stretched (%)",
                  100.0 * (theory.length / theory.spacing - 1.0), 100.0 * crimp_of(warp),
                  5.0 * (theory.length / theory.spacing - 1.0));
        draw(lab, fabric, "stretched.png");
    }
    if (code == 0 && end > length) { // nothing holds the warp against the straight weft
        code = stretch_once(lab, end, 0.0, lengths, fabric);
        lab_claim(lab, "height of the warp on a straight weft (D)", 1.0,
                  look_at(fabric, 0).height / BOTH, 0.05);
    }
    free(lengths);
    return code;
}

static void plot(HedLab* lab) {
    const LabCurve curves[] = {
        {"interchange.csv", "weft spacing (D)", "weft crimp (%)", "weft", true},
        {"interchange.csv", "weft spacing (D)", "warp crimp (%)", "warp", true},
        {"interchange.csv", "weft spacing (D)", "Peirce warp (%)", "warp, Peirce", false},
    };
    lab_plot(lab, &(LabPlot){.picture = "interchange.png",
                             .title = "Crimp interchange while the weft is stretched",
                             .x_label = "spacing of crossings along the weft (D)",
                             .y_label = "crimp (%)",
                             .curves = curves,
                             .curve_count = 3});
}

static int run(HedLab* lab) {
    static const double TABLE[] = {0.87, 0.9, 1.0, 1.5, 2.0}; // validation: Peirce's own
    double own = lab_number(lab, "spacing");
    int code = 0;
    HedFabric fabric = {0};
    lab_table_begin(lab, "peirce.csv",
                    "spacing (D),Peirce crimp (%),crimp (%),Peirce angle (deg),angle "
                    "(deg),overlap (%)");
    for (size_t k = 0; !lab_quick(lab) && k < sizeof TABLE / sizeof TABLE[0] && code == 0; ++k) {
        if (TABLE[k] != own) {
            code = compare(lab, TABLE[k], &fabric);
            hed_fabric_free(&fabric);
        }
    }
    if (code == 0) {
        code = compare(lab, own, &fabric);
    }
    lab_table_end(lab);
    if (code == 0) {
        code = interchange(lab, &fabric);
    }
    if (code == 0) {
        plot(lab);
    }
    hed_fabric_free(&fabric);
    return code;
}

const HedExperiment EXPERIMENT_PEIRCE = {
    .name = "peirce",
    .title = "crimp of a relaxed plain weave, and how it goes over from warp to weft",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
