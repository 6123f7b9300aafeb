// SPDX-License-Identifier: MIT
// The register of the kernels of sliding yarns. Rest data are those of millimetre-sized cloth.
#include "model/eol/kernels.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_mass.h"
#include "model/eol/kernel_shear.h"
#include "model/eol/kernel_stretch.h"

static const double SIZE = 1e-3; // m

// Edges are long enough, and their directions apart from the line by more than margin.
static bool is_corner(const double* from, const double* at, const double* to, double margin) {
    HedEdge a = hed_edge(hed_slide_point(from), hed_slide_point(at));
    HedEdge b = hed_edge(hed_slide_point(at), hed_slide_point(to));
    return fmin(a.length, b.length) > 2.0 * margin &&
           hed_corner(a, b).sine * fmin(a.length, b.length) > margin;
}

static void stretch_rest(const double* draw, void* rest) {
    *(HedSlideStretch*)rest = (HedSlideStretch){2.0 + 30.0 * draw[0], 0.2 + draw[1]};
}

// The stiffness jumps where the yarn goes slack; differences on one side of it are right.
static bool stretch_smooth(const double* q, const void* rest, double margin) {
    (void)rest;
    double length = hed_distance3(hed_slide_point(q), hed_slide_point(q + 4));
    double d = q[7] - q[3];
    return d > 2.0 * margin && length > 2.0 * margin && fabs(length - d) > 0.1 * margin;
}

static double stretch_evaluate(const double* q, const void* rest, double* g, double* h,
                               bool is_exact) {
    return hed_slide_stretch(q, *(const HedSlideStretch*)rest, g, (double(*)[8])h, is_exact);
}

static void bend_rest(const double* draw, void* rest) {
    *(HedSlideBend*)rest = (HedSlideBend){2e-9 * (0.1 + draw[0]), 0.0, 3.15, 0.0};
}

// Half of them set; jams from a right angle on.
static void bend_set_rest(const double* draw, void* rest) {
    double set = draw[1] < 0.5 ? 0.0 : 3.0 * (draw[1] - 0.5);
    *(HedSlideBend*)rest = (HedSlideBend){2e-9 * (0.1 + draw[0]), set, 1.5, 10.0 * draw[2]};
}

static bool bend_smooth(const double* q, const void* rest, double margin) {
    const HedSlideBend* bend = rest;
    HedCorner c = hed_corner(hed_edge(hed_slide_point(q), hed_slide_point(q + 4)),
                             hed_edge(hed_slide_point(q + 4), hed_slide_point(q + 8)));
    // The third derivative of a jam jumps where it begins.
    bool is_away = bend->jam == 0.0 || fabs(c.angle - bend->jam_angle) * SIZE > margin;
    return is_away && q[11] - q[3] > 2.0 * margin && is_corner(q, q + 4, q + 8, margin);
}

static double bend_evaluate(const double* q, const void* rest, double* g, double* h,
                            bool is_exact) {
    return hed_slide_bend(q, *(const HedSlideBend*)rest, g, (double(*)[12])h, is_exact);
}

static void shear_rest(const double* draw, void* rest) {
    *(HedSlideShear*)rest =
        (HedSlideShear){SIZE, 5e-3 * (0.1 + draw[0]), 1.2 + 0.7 * draw[1], 0.5 + 0.3 * draw[2],
                        draw[3] < 0.5 ? 0.0 : 0.3 * draw[3]};
}

static bool shear_smooth(const double* q, const void* rest, double margin) {
    const HedSlideShear* shear = rest;
    HedCorner c = hed_corner(hed_edge(hed_slide_point(q + 3), hed_slide_point(q)),
                             hed_edge(hed_slide_point(q + 3), hed_slide_point(q + 6)));
    double out = fabs(c.angle - shear->rest_angle) - shear->jam_angle;
    return (shear->jam == 0.0 || fabs(out) * SIZE > margin) && is_corner(q, q + 3, q + 6, margin);
}

static double shear_evaluate(const double* q, const void* rest, double* g, double* h,
                             bool is_exact) {
    return hed_slide_shear(q, *(const HedSlideShear*)rest, g, (double(*)[9])h, is_exact);
}

static void weight_rest(const double* draw, void* rest) {
    *(HedSlideWeight*)rest =
        (HedSlideWeight){2e-5 * (0.1 + draw[0]), {draw[1], -9.81 * draw[2], draw[3] - 0.5}};
}

static bool always_smooth(const double* q, const void* rest, double margin) {
    (void)q;
    (void)rest;
    (void)margin;
    return true;
}

static double weight_evaluate(const double* q, const void* rest, double* g, double* h,
                              bool is_exact) {
    return hed_slide_weight(q, *(const HedSlideWeight*)rest, g, (double(*)[8])h, is_exact);
}

static const HedSlideKernel KERNELS[] = {
    {"stretch", 8, HED_SLIDE_MATERIAL | HED_SLIDE_TURNS, stretch_rest, stretch_smooth,
     stretch_evaluate},
    {"bend", 12, HED_SLIDE_MATERIAL | HED_SLIDE_TURNS, bend_rest, bend_smooth, bend_evaluate},
    {"bend, set and jamming", 12, HED_SLIDE_MATERIAL | HED_SLIDE_TURNS, bend_set_rest, bend_smooth,
     bend_evaluate},
    {"shear", 9, HED_SLIDE_TURNS, shear_rest, shear_smooth, shear_evaluate},
    {"weight", 8, HED_SLIDE_MATERIAL, weight_rest, always_smooth, weight_evaluate},
};

const HedSlideKernel* hed_slide_kernels(int32_t* count) {
    *count = sizeof KERNELS / sizeof KERNELS[0];
    return KERNELS;
}
