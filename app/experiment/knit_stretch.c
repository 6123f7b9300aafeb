// SPDX-License-Identifier: MIT
// Knits at rest are stretched along courses, wales and the diagonal between them (Kaldor 2011,
// figures 4.5 to 4.7): force over extension, how they stiffen when yarns lock, how they narrow.
#include "experiment/knit_lab.h"
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    KNIT_SIZE(12, 12, 4, "of each knit", "in a row"),
    {.name = "force",
     .number = 4.0,
     .least = 0.1,
     .most = 1000.0,
     .unit = "B/d^2",
     .help = "per column, row or their mean: at this pull it ends"},
    {.name = "step",
     .number = 0.05,
     .least = 0.005,
     .most = 0.2,
     .unit = "",
     .help = "of the length, between two looks; four times as much while it pulls little"},
    KNIT_FRICTION(0.3),
    KNIT_ASKED("patterns", "stockinette,garter,rib-2x2"),
    KNIT_ASKED("ways", "course,wale,diagonal"),
};

// Knits come to rest between plates, as many diameters apart: extension is that of the flat fabric,
// not of what curls up.
static const double PLATES = 6.0;

// Steps are quiet when no force on a point is more than this part of the largest pull of a row:
// what a look can still change by is small against what it tells. `balance` says how small.
static const double QUIET = 0.0125;

enum { KINDS = 3, WAYS = 3, LOOKS = 60 };
static const char* const PATTERNS[KINDS] = {"stockinette", "garter", "rib-2x2"};
static const char* const WAY_NAMES[WAYS] = {"course", "wale", "diagonal"};

// A swatch that is pulled.
typedef struct Pull {
    KnitSwatch* swatch;
    KnitCase given;
    HedVec3 along;   // unit vector
    double breadth;  // columns or rows that share the pull
    double* lengths; // m, per point
    uint8_t* is_held;
    HedVec3* forces;
    double* sides; // per point: along the pull, as it was knitted
    double extension[LOOKS], force[LOOKS], width[LOOKS];
    int32_t count;
    int32_t quiet;      // of these steps came to rest
    int32_t iterations; // of the last step
    double balance;     // largest difference of what both sides pull with, per column or row
} Pull;

static double dot(HedVec3 a, HedVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool begin(Pull* p, KnitSwatch* swatch, const KnitCase* given, HedVec3 along) {
    size_t n = (size_t)swatch->fabric.point_count + 1;
    *p = (Pull){.swatch = swatch, .given = *given, .along = along};
    p->lengths = calloc(n, sizeof *p->lengths);
    p->is_held = calloc(n, sizeof *p->is_held);
    p->forces = calloc(n, sizeof *p->forces);
    p->sides = calloc(n, sizeof *p->sides);
    return p->lengths && p->is_held && p->forces && p->sides;
}

static void end(Pull* p) {
    free(p->lengths);
    free(p->is_held);
    free(p->forces);
    free(p->sides);
}

// Yarn keeps the lengths that it has at rest.
static void keep_lengths(Pull* p) {
    const HedFabric* fabric = &p->swatch->fabric;
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        for (int32_t i = yarn->first; i + 1 < yarn->first + yarn->count; ++i) {
            HedVec3 a = fabric->points[i], b = fabric->points[i + 1];
            HedVec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
            p->lengths[i] = sqrt(dot(d, d));
        }
    }
}

// What lies outermost in the knit as it was made: two corners, or both sides, a loop wide, with the
// last loop that was bound off. Nothing else keeps that one from being drawn out.
static void hold_outside(Pull* p, bool is_corner) {
    const double share = 0.14; // of the way between two corners
    int32_t count = p->swatch->fabric.point_count;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        low = fmin(low, p->sides[i]);
        high = fmax(high, p->sides[i]);
    }
    double part = is_corner ? share * (high - low) : p->swatch->knit.wale_spacing;
    for (int32_t i = 0; i < count; ++i) {
        p->is_held[i] = fmin(p->sides[i] - low, high - p->sides[i]) < part;
    }
}

// All loops of the outermost two rows. By number and not by place: the last loop that is bound off
// stands higher than the others.
static void hold_rows(Pull* p) {
    const HedFabric* f = &p->swatch->fabric;
    int32_t last = 0;
    for (int32_t k = 0; k < f->loop_count; ++k) {
        last = f->loops[k].course > last ? f->loops[k].course : last;
    }
    for (int32_t k = 0; k < f->loop_count; ++k) {
        const HedFabricLoop* loop = &f->loops[k];
        const HedFabricYarn* yarn = &f->yarns[loop->yarn];
        bool is_outside = loop->course < 2 || loop->course > last - 2;
        int32_t end = (int32_t)fmin(loop->end, yarn->count - 1.0);
        for (int32_t i = (int32_t)fmax(0.0, loop->start); is_outside && i <= end; ++i) {
            p->is_held[yarn->first + i] = true;
        }
    }
}

// Both sides are held; of a diagonal pull, two corners.
static void hold_sides(Pull* p) {
    for (int32_t i = 0; i < p->swatch->fabric.point_count; ++i) {
        p->sides[i] = dot(p->swatch->drawn[i], p->along);
    }
    if (p->along.x != 0.0) {
        hold_outside(p, p->along.y != 0.0);
    } else {
        hold_rows(p);
    }
}

// Everything goes along evenly, which takes no yarn through another; what is free then comes to
// rest.
static int stretch(HedLab* lab, Pull* p, double factor) {
    HedFabric* fabric = &p->swatch->fabric;
    HedRelaxDef def = p->given.relax;
    HedRelaxReport report;
    HedError error = {0};
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        double way = (factor - 1.0) * dot(fabric->points[i], p->along);
        fabric->points[i].x += way * p->along.x;
        fabric->points[i].y += way * p->along.y;
    }
    def.lengths = p->lengths;
    def.is_held = p->is_held;
    def.forces = p->forces;
    if (hed_fabric_relax(fabric, &def, &report, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    p->quiet += report.is_quiet;
    p->iterations = report.iterations;
    return 0;
}

// What the held sides pull with, per column or row, and how wide the middle is.
static void look(Pull* p, double extension) {
    const KnitSwatch* s = p->swatch;
    double pull = 0.0, back = 0.0, low = HUGE_VAL, high = -HUGE_VAL;
    double middle = 0.0, least = HUGE_VAL, most = -HUGE_VAL;
    HedVec3 across = {-p->along.y, p->along.x, 0.0};
    for (int32_t i = 0; i < s->fabric.point_count; ++i) {
        low = fmin(low, p->sides[i]);
        high = fmax(high, p->sides[i]);
    }
    middle = 0.5 * (low + high);
    for (int32_t i = 0; i < s->fabric.point_count; ++i) {
        double held = p->is_held[i] ? dot(p->forces[i], p->along) : 0.0;
        pull += p->sides[i] > middle ? held : 0.0;
        back -= p->sides[i] > middle ? 0.0 : held;
        if (fabs(p->sides[i] - middle) < 0.1 * (high - low)) {
            least = fmin(least, dot(s->fabric.points[i], across));
            most = fmax(most, dot(s->fabric.points[i], across));
        }
    }
    p->extension[p->count] = extension;
    p->force[p->count] = 0.5 * (pull + back) / p->breadth;
    p->balance = fmax(p->balance, fabs(pull - back) / p->breadth);
    p->width[p->count] = most - least;
    p->count += 1;
}

// How far to the next look. Curves begin flat: steps double until one takes a fiftieth of the
// largest force, and halve when one takes a tenth of it. The first two are not longer, because
// stiffness is taken from them.
static double next_step(const Pull* p, double step, double least, double most) {
    const double longest = 4.0, little = 0.02, much = 0.1;
    int32_t n = p->count;
    if (n < 3) {
        return least;
    }
    double rise = p->force[n - 1] - p->force[n - 2];
    step *= rise < little * most ? 2.0 : (rise > much * most ? 0.5 : 1.0);
    return fmin(fmax(step, least), longest * least);
}

static int pull_on(HedLab* lab, Pull* p) {
    bool quick = lab_quick(lab);
    double most = lab_number(lab, "force"), least = lab_number(lab, "step") * (quick ? 3.0 : 1.0);
    int32_t looks = quick ? 8 : LOOKS;
    double step = least, ratio = 1.0, next = 1.0;
    for (int32_t k = 0; k < looks; ++k) {
        int code = stretch(lab, p, next / ratio);
        if (code != 0) {
            return code;
        }
        ratio = next;
        look(p, next - 1.0);
        lab_note(lab, "%s: longer by %.0f %%, force %.3g B/d^2, width %.3g mm, %d iterations",
                 p->given.knit.pattern, 100.0 * (next - 1.0), p->force[k], 1e3 * p->width[k],
                 p->iterations);
        if (p->force[k] >= most) {
            break;
        }
        step = quick ? least : next_step(p, step, least, most);
        next += step;
    }
    return 0;
}

static void report(HedLab* lab, const Pull* p, const char* pattern, const char* way) {
    char csv[64], name[64];
    snprintf(csv, sizeof csv, "%s-%s.csv", pattern, way);
    lab_table_begin(lab, csv, "extension,force (B/d^2),force (mN),width (mm)");
    for (int32_t k = 0; k < p->count; ++k) {
        lab_table_row(lab, 4,
                      (double[]){p->extension[k], p->force[k],
                                 1e3 * p->force[k] * knit_force_unit(&p->given),
                                 1e3 * p->width[k]});
    }
    lab_table_end(lab);
    int32_t n = p->count;
    double first = (p->force[2] - p->force[0]) / (p->extension[2] - p->extension[0]);
    double last = (p->force[n - 1] - p->force[n - 2]) / (p->extension[n - 1] - p->extension[n - 2]);
    snprintf(name, sizeof name, "%s.%s_extension", pattern, way);
    lab_result(lab, name, p->extension[n - 1]);
    snprintf(name, sizeof name, "%s.%s_stiffening", pattern, way);
    lab_result(lab, name, last / first);
    snprintf(name, sizeof name, "%s.%s_narrowing", pattern, way);
    lab_result(lab, name, p->width[n - 1] / p->width[0]);
    snprintf(name, sizeof name, "%s.%s_quiet", pattern, way);
    lab_result(lab, name, (double)p->quiet / n);
    snprintf(name, sizeof name, "%s.%s_balance", pattern, way);
    lab_result(lab, name, p->balance / p->force[n - 1]);
}

static void claim(HedLab* lab, const Pull* p, const char* pattern, const char* way) {
    char text[120];
    int32_t n = p->count;
    bool quick = lab_quick(lab);
    double first = (p->force[2] - p->force[0]) / (p->extension[2] - p->extension[0]);
    double last = (p->force[n - 1] - p->force[n - 2]) / (p->extension[n - 1] - p->extension[n - 2]);
    snprintf(text, sizeof text, "%s along the %s: stiffness at the end over that at the start",
             pattern, way);
    lab_claim_above(lab, text, last / first, quick ? 1.0 : 3.0);
    if (!quick) { // at rest both sides pull alike; a twentieth is what can be seen in the curves
        snprintf(text, sizeof text, "%s along the %s: difference of both sides over their pull",
                 pattern, way);
        lab_claim_below(lab, text, p->balance / p->force[n - 1], 0.05);
    }
    snprintf(text, sizeof text, "%s along the %s: width at the end over that at the start", pattern,
             way);
    lab_claim_below(lab, text, p->width[n - 1] / p->width[0], quick ? 1.1 : 0.95);
}

static void plot(HedLab* lab, const char* pattern) {
    char csv[WAYS][64], picture[64];
    LabCurve curves[WAYS];
    int count = 0;
    for (int w = 0; w < WAYS; ++w) {
        if (knit_is_asked(lab, "ways", WAY_NAMES[w])) {
            snprintf(csv[w], sizeof csv[w], "%s-%s.csv", pattern, WAY_NAMES[w]);
            curves[count++] = (LabCurve){csv[w], "extension", "force (mN)", WAY_NAMES[w], true};
        }
    }
    snprintf(picture, sizeof picture, "%s.svg", pattern);
    LabPlot shown = {.picture = picture,
                     .title = pattern,
                     .x_label = "extension",
                     .y_label = "force per column or row (mN)",
                     .curves = curves,
                     .curve_count = count};
    lab_plot(lab, &shown);
}

static int pull_one(HedLab* lab, KnitSwatch* swatch, const KnitCase* given, int way) {
    static const HedVec3 ALONG[WAYS] = {
        {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.7071067811865476, 0.7071067811865476, 0.0}};
    const char* pattern = given->knit.pattern;
    Pull p = {0};
    char picture[64];
    int code = 0;
    if (!begin(&p, swatch, given, ALONG[way])) {
        code = lab_fail_text(lab, "no memory to stretch %s", pattern);
    } else {
        int32_t rows = swatch->rows, stitches = swatch->stitches;
        p.breadth = way == 0 ? rows : (way == 1 ? stitches : 0.5 * (rows + stitches));
        p.given.relax.limit = lab_quick(lab) ? 250 : 2000;
        p.given.relax.force = QUIET * lab_number(lab, "force");
        p.given.relax.plates = 0.0;
        keep_lengths(&p);
        hold_sides(&p);
        code = pull_on(lab, &p);
    }
    if (code == 0) {
        snprintf(picture, sizeof picture, "%s-%s.png", pattern, WAY_NAMES[way]);
        knit_draw(lab, &swatch->fabric, swatch->fabric.points, picture);
        report(lab, &p, pattern, WAY_NAMES[way]);
        claim(lab, &p, pattern, WAY_NAMES[way]);
    }
    end(&p);
    return code;
}

// One knit comes to rest flat, and is stretched in three directions from there.
static int pull_kind(HedLab* lab, const char* pattern) {
    bool quick = lab_quick(lab);
    int32_t rows = quick ? 5 : lab_count(lab, "rows");
    int32_t stitches = quick ? 5 : lab_count(lab, "stitches");
    KnitCase given = knit_case(lab, pattern, rows, stitches);
    KnitSwatch swatch = {0};
    given.relax.limit = quick ? 600 : 30000;
    given.relax.plates = PLATES;
    int code = knit_swatch_make(lab, &given, &swatch);
    size_t bytes = sizeof(HedVec3) * (size_t)swatch.fabric.point_count;
    HedVec3* rest = code == 0 ? malloc(bytes + 1) : NULL;
    if (code == 0 && !rest) {
        code = lab_fail_text(lab, "no memory to stretch %s", pattern);
    }
    if (rest) {
        memcpy(rest, swatch.fabric.points, bytes);
    }
    for (int way = 0; way < WAYS && code == 0; ++way) {
        if (!knit_is_asked(lab, "ways", WAY_NAMES[way])) {
            continue;
        }
        memcpy(swatch.fabric.points, rest, bytes);
        code = pull_one(lab, &swatch, &given, way);
    }
    free(rest);
    knit_swatch_free(&swatch);
    return code;
}

static int run(HedLab* lab) {
    int kinds = lab_quick(lab) ? 1 : KINDS;
    int code = knit_check_asked(lab, "patterns", PATTERNS, KINDS);
    code = code == 0 ? knit_check_asked(lab, "ways", WAY_NAMES, WAYS) : code;
    for (int k = 0; k < kinds && code == 0; ++k) {
        if (!knit_is_asked(lab, "patterns", PATTERNS[k])) {
            continue;
        }
        code = pull_kind(lab, PATTERNS[k]);
        if (code == 0) {
            plot(lab, PATTERNS[k]);
        }
    }
    return code;
}

const HedExperiment EXPERIMENT_KNIT_STRETCH = {
    .name = "knit-stretch",
    .title = "knits stretched along courses, wales and the diagonal: force, locking, narrowing",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
