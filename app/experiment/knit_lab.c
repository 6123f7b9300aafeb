// SPDX-License-Identifier: MIT
#include "experiment/knit_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DIAMETER = 2.5e-3;       // m
static const double BEND = 1e-8;             // N m^2
static const double CONTACT = 3.25;          // N/m
static const double LENGTHENING = 2e-4;      // J, k_len
static const double PIECES = 8.0;            // of a loop
static const double LINEAR_DENSITY = 6.0e-4; // kg/m
enum { POINTS = 16, REPEAT_POINTS = 24, MOST_BINS = 512 };

KnitCase knit_case(HedLab* lab, const char* pattern, int32_t rows, int32_t stitches) {
    KnitCase given = {hed_knit_def_default(), hed_relax_def_default()};
    given.knit.pattern = pattern;
    given.knit.rows = rows;
    given.knit.stitches = stitches;
    given.knit.diameter = DIAMETER;
    given.knit.linear_density = LINEAR_DENSITY;
    given.knit.loop_length = KNIT_LOOP * DIAMETER;
    given.knit.points_per_loop = POINTS;
    double along = 2.0 * LENGTHENING / (given.knit.loop_length / PIECES); // N
    given.relax.stretch = along * DIAMETER * DIAMETER / BEND;
    given.relax.contact = CONTACT * pow(DIAMETER, 3.0) / BEND;
    given.relax.friction = lab_number(lab, "friction");
    given.relax.threads = lab_threads(lab);
    given.relax.stop = lab_stop;
    return given;
}

void knit_case_repeat(KnitCase* given, int32_t rows, int32_t stitches) {
    given->knit.is_periodic = true;
    given->knit.rows = rows;
    given->knit.stitches = stitches;
    given->knit.points_per_loop = REPEAT_POINTS;
}

int knit_check_asked(HedLab* lab, const char* parameter, const char* const* names, int count) {
    const char* at = lab_text(lab, parameter);
    if (!*at) {
        return lab_refuse(lab, "'%s' names nothing", parameter);
    }
    while (*at) {
        int size = (int)strcspn(at, ",");
        bool is_known = false;
        for (int k = 0; k < count; ++k) {
            is_known = is_known || (strlen(names[k]) == (size_t)size &&
                                    strncmp(names[k], at, (size_t)size) == 0);
        }
        if (!is_known) {
            return lab_refuse(lab, "'%s' has no '%.*s' to choose from", parameter, size, at);
        }
        at += size + (at[size] == ',');
    }
    return 0;
}

bool knit_is_asked(HedLab* lab, const char* parameter, const char* name) {
    const char* at = lab_text(lab, parameter);
    while (*at) {
        size_t size = strcspn(at, ",");
        if (strlen(name) == size && strncmp(name, at, size) == 0) {
            return true;
        }
        at += size + (at[size] == ',');
    }
    return false;
}

double knit_force_unit(const KnitCase* given) {
    return BEND / (given->knit.diameter * given->knit.diameter);
}

// One line now and then: how far it is.
typedef struct Talk {
    HedLab* lab;
    const char* name;
    double said; // s
} Talk;

static void say(const HedRelaxProgress* p, void* context) {
    Talk* talk = context;
    if (p->wall - talk->said >= 10.0) {
        talk->said = p->wall;
        lab_note(talk->lab, "%s: iteration %d, force %.2g B/d^2, speed %.2g d, overlap %.2g d",
                 talk->name, p->iteration, p->force, p->speed, p->overlap);
    }
}

static int relax(HedLab* lab, const KnitCase* given, KnitSwatch* swatch, HedError* error) {
    HedRelaxDef def = given->relax;
    Talk talk = {lab, given->knit.pattern, 0.0};
    def.progress = say;
    def.context = &talk;
    if (hed_fabric_relax(&swatch->fabric, &def, &swatch->report, error) != HED_OK) {
        return lab_fail(lab, error);
    }
    const HedRelaxReport* r = &swatch->report;
    lab_note(lab,
             "%s: %d points, %s after %d iterations in %d stages, %.1f s; force %.2g B/d^2, speed "
             "%.2g d, overlap %.2g d, strain %.2g",
             given->knit.pattern, swatch->fabric.point_count, r->is_quiet ? "quiet" : "NOT quiet",
             r->iterations, r->stages, r->wall, r->force, r->speed, r->overlap, r->strain);
    return 0;
}

int knit_swatch_make(HedLab* lab, const KnitCase* given, KnitSwatch* swatch) {
    HedError error = {0};
    swatch->rows = given->knit.rows;
    swatch->stitches = given->knit.stitches;
    if (hed_knit_create(&given->knit, &swatch->fabric, &swatch->knit, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    size_t bytes = sizeof(HedVec3) * (size_t)swatch->fabric.point_count;
    swatch->drawn = malloc(bytes + 1);
    if (!swatch->drawn) {
        return lab_fail_text(lab, "no memory for %d points", swatch->fabric.point_count);
    }
    memcpy(swatch->drawn, swatch->fabric.points, bytes);
    return relax(lab, given, swatch, &error);
}

void knit_swatch_free(KnitSwatch* swatch) {
    hed_fabric_free(&swatch->fabric);
    free(swatch->drawn);
    *swatch = (KnitSwatch){0};
}

// Columns or rows, and the mean place of each, of points in the middle of the other direction.
typedef struct Bins {
    int32_t count;
    HedVec3 mean[MOST_BINS];
} Bins;

static double along(HedVec3 p, int axis) {
    return axis == 0 ? p.x : p.y;
}

// Which column or row a point was knitted in, counted from 0; -1 for tails, cast-on and bind-off.
static int32_t bin_of(const KnitSwatch* s, HedVec3 low, HedVec3 high, int axis, HedVec3 p) {
    double size = axis == 0 ? s->knit.wale_spacing : s->knit.course_spacing;
    int32_t count = axis == 0 ? s->stitches : s->rows;
    double middle = 0.5 * (along(low, axis) + along(high, axis));
    double at = floor((along(p, axis) - middle) / size + 0.5 * count);
    return at >= 0.0 && at < count ? (int32_t)at : -1;
}

static void fill_bins(const KnitSwatch* s, int axis, Bins* bins) {
    static const double MIDDLE = 0.25; // of the other direction, left out on each side
    HedVec3 low = s->drawn[0], high = s->drawn[0];
    int32_t points[MOST_BINS] = {0};
    int32_t across = axis == 0 ? s->rows : s->stitches;
    *bins = (Bins){.count = axis == 0 ? s->stitches : s->rows};
    for (int32_t i = 0; i < s->fabric.point_count; ++i) {
        HedVec3 p = s->drawn[i];
        low = (HedVec3){fmin(low.x, p.x), fmin(low.y, p.y), 0.0};
        high = (HedVec3){fmax(high.x, p.x), fmax(high.y, p.y), 0.0};
    }
    for (int32_t i = 0; i < s->fabric.point_count; ++i) {
        int32_t bin = bin_of(s, low, high, axis, s->drawn[i]);
        int32_t other = bin_of(s, low, high, 1 - axis, s->drawn[i]);
        if (bin >= 0 && bin < MOST_BINS && other >= MIDDLE * across &&
            other < (1.0 - MIDDLE) * across) {
            HedVec3 x = s->fabric.points[i], *sum = &bins->mean[bin];
            *sum = (HedVec3){sum->x + x.x, sum->y + x.y, sum->z + x.z};
            points[bin] += 1;
        }
    }
    for (int32_t b = 0; b < bins->count && b < MOST_BINS; ++b) {
        double w = points[b] > 0 ? 1.0 / points[b] : 0.0;
        bins->mean[b] = (HedVec3){w * bins->mean[b].x, w * bins->mean[b].y, w * bins->mean[b].z};
    }
}

static double distance(HedVec3 a, HedVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static double yarn_length(const HedFabric* fabric) {
    double sum = 0.0;
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        sum += hed_fabric_length(fabric, k);
    }
    return sum;
}

double knit_loop_length(const KnitSwatch* swatch, const KnitCase* given) {
    HedFabric before = swatch->fabric;
    before.points = swatch->drawn;
    return given->knit.loop_length * yarn_length(&swatch->fabric) / yarn_length(&before);
}

double knit_spacing(const KnitSwatch* swatch, int axis) {
    Bins bins;
    double period = distance(swatch->fabric.period[axis], (HedVec3){0});
    if (period > 0.0) {
        return period / (axis == 0 ? swatch->stitches : swatch->rows);
    }
    fill_bins(swatch, axis, &bins);
    int32_t margin = bins.count / 4;
    int32_t steps = bins.count - 1 - 2 * margin;
    steps -= steps > 1 ? steps % 2 : 0; // patterns repeat after two
    return distance(bins.mean[margin], bins.mean[margin + steps]) / steps;
}

// rad, how the way from one place to another rises out of the plane.
static double rise(const Bins* bins, int32_t from, int32_t to, int axis) {
    HedVec3 a = bins->mean[from], b = bins->mean[to];
    return atan2(b.z - a.z, along(b, axis) - along(a, axis));
}

// rad, from the middle to the first (way -1) or the last (1) bin, turn by turn: a roll may go round
// more than once.
static double turn_to_edge(const Bins* bins, int32_t way, int axis) {
    int32_t n = bins->count, half = n / 2, reach = n >= 8 ? 2 : 1;
    double before = rise(bins, half - reach, half + reach, axis), sum = 0.0;
    for (int32_t k = half; way < 0 ? k > 0 : k < n - 1; k += way) {
        double now = way < 0 ? rise(bins, k - 1, k, axis) : rise(bins, k, k + 1, axis);
        sum += remainder(now - before, 6.283185307179586);
        before = now;
    }
    return fabs(sum);
}

double knit_edge_turn(const KnitSwatch* swatch, int axis) {
    Bins bins;
    fill_bins(swatch, axis, &bins);
    return 0.5 * (turn_to_edge(&bins, -1, axis) + turn_to_edge(&bins, 1, axis));
}

static void draw(HedLab* lab, const HedFabric* fabric, const char* picture) {
    YarnCurves curves = {0};
    const YarnCurves* set = &curves;
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        yarn_curves_begin(&curves, 0.5 * yarn->diameter);
        for (int32_t i = 0; i < yarn->count; ++i) {
            yarn_curves_add(&curves, fabric->points[yarn->first + i]);
        }
    }
    if (!curves.has_failed) {
        yarn_lab_draw(lab, &set, 1, picture, (double[]){0.25, 0.35});
    }
    yarn_curves_free(&curves);
}

void knit_draw(HedLab* lab, const HedFabric* fabric, HedVec3* points, const char* picture) {
    enum { COPIES = 3 };
    HedFabric shown = *fabric;
    HedFabric tiled = {0};
    HedError error = {0};
    shown.points = points;
    if (lab_quick(lab)) {
        return;
    }
    if (fabric->period[0].x == 0.0) {
        draw(lab, &shown, picture);
    } else if (hed_fabric_tile(&shown, COPIES, COPIES, &tiled, &error) == HED_OK) {
        draw(lab, &tiled, picture);
    } else {
        lab_note(lab, "%s: not drawn: %s", picture, error.message);
    }
    hed_fabric_free(&tiled);
}
