// SPDX-License-Identifier: MIT
// The register of the kernels of sliding yarns. Rest data are those of millimetre-sized cloth.
#include "model/eol/kernels.h"
#include "model/eol/kernel_along.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_hinge.h"
#include "model/eol/kernel_mass.h"
#include "model/eol/kernel_normal.h"
#include "model/eol/kernel_rate.h"
#include "model/eol/kernel_shear.h"
#include "model/eol/kernel_stretch.h"
#include "model/eol/kernel_torsion.h"
#include "model/eol/kernel_touch.h"

static const double SIZE = 1e-3; // m

// Edges are long enough, and their directions apart from the line by more than margin.
static bool is_corner(const double* from, const double* at, const double* to, double margin) {
    HedEdge a = hed_edge(hed_eol_point(from), hed_eol_point(at));
    HedEdge b = hed_edge(hed_eol_point(at), hed_eol_point(to));
    return fmin(a.length, b.length) > 2.0 * margin &&
           hed_corner(a, b).sine * fmin(a.length, b.length) > margin;
}

static void stretch_rest(const double* draw, void* rest) {
    *(HedEolStretch*)rest = (HedEolStretch){2.0 + 30.0 * draw[0], 0.2 + draw[1]};
}

// The stiffness jumps where the yarn goes slack; differences on one side of it are right.
static bool stretch_smooth(const double* q, const void* rest, double margin) {
    (void)rest;
    double length = hed_distance3(hed_eol_point(q), hed_eol_point(q + 4));
    double d = q[7] - q[3];
    return d > 2.0 * margin && length > 2.0 * margin && fabs(length - d) > 0.1 * margin;
}

static double stretch_evaluate(const double* q, const void* rest, double* g, double* h,
                               bool is_exact) {
    return hed_eol_stretch(q, *(const HedEolStretch*)rest, g, (double(*)[8])h, is_exact);
}

static void bend_rest(const double* draw, void* rest) {
    *(HedEolBend*)rest = (HedEolBend){2e-9 * (0.1 + draw[0]), 0.0, 3.15, 0.0};
}

// Half of them set; jams from a right angle on.
static void bend_set_rest(const double* draw, void* rest) {
    double set = draw[1] < 0.5 ? 0.0 : 3.0 * (draw[1] - 0.5);
    *(HedEolBend*)rest = (HedEolBend){2e-9 * (0.1 + draw[0]), set, 1.5, 10.0 * draw[2]};
}

static bool bend_smooth(const double* q, const void* rest, double margin) {
    const HedEolBend* bend = rest;
    HedCorner c = hed_corner(hed_edge(hed_eol_point(q), hed_eol_point(q + 4)),
                             hed_edge(hed_eol_point(q + 4), hed_eol_point(q + 8)));
    // The third derivative of a jam jumps where it begins.
    bool is_away = bend->jam == 0.0 || fabs(c.angle - bend->jam_angle) * SIZE > margin;
    return is_away && q[11] - q[3] > 2.0 * margin && is_corner(q, q + 4, q + 8, margin);
}

static double bend_evaluate(const double* q, const void* rest, double* g, double* h,
                            bool is_exact) {
    return hed_eol_bend(q, *(const HedEolBend*)rest, g, (double(*)[12])h, is_exact);
}

static void shear_rest(const double* draw, void* rest) {
    *(HedEolShear*)rest = (HedEolShear){SIZE, 5e-3 * (0.1 + draw[0]), 1.2 + 0.7 * draw[1],
                                        0.5 + 0.3 * draw[2], draw[3] < 0.5 ? 0.0 : 0.3 * draw[3]};
}

static bool shear_smooth(const double* q, const void* rest, double margin) {
    const HedEolShear* shear = rest;
    HedCorner c = hed_corner(hed_edge(hed_eol_point(q + 3), hed_eol_point(q)),
                             hed_edge(hed_eol_point(q + 3), hed_eol_point(q + 6)));
    double out = fabs(c.angle - shear->rest_angle) - shear->jam_angle;
    return (shear->jam == 0.0 || fabs(out) * SIZE > margin) && is_corner(q, q + 3, q + 6, margin);
}

static double shear_evaluate(const double* q, const void* rest, double* g, double* h,
                             bool is_exact) {
    return hed_eol_shear(q, *(const HedEolShear*)rest, g, (double(*)[9])h, is_exact);
}

static void weight_rest(const double* draw, void* rest) {
    *(HedEolWeight*)rest =
        (HedEolWeight){2e-5 * (0.1 + draw[0]), {draw[1], -9.81 * draw[2], draw[3] - 0.5}};
}

static bool always_smooth(const double* q, const void* rest, double margin) {
    (void)q;
    (void)rest;
    (void)margin;
    return true;
}

static double weight_evaluate(const double* q, const void* rest, double* g, double* h,
                              bool is_exact) {
    return hed_eol_weight(q, *(const HedEolWeight*)rest, g, (double(*)[8])h, is_exact);
}

static void torsion_rest(const double* draw, void* rest) {
    *(HedEolTorsion*)rest = (HedEolTorsion){1e-6 * (0.1 + draw[0]), 2.0 * draw[1] - 1.0};
}

static bool torsion_smooth(const double* q, const void* rest, double margin) {
    (void)rest;
    bool is_smooth = true;
    for (int e = 0; e < 3; ++e) {
        is_smooth = is_smooth && hed_distance3(hed_eol_point(q + 3 * e),
                                               hed_eol_point(q + 3 * e + 3)) > 2.0 * margin;
    }
    return is_smooth;
}

static double torsion_evaluate(const double* q, const void* rest, double* g, double* h,
                               bool is_exact) {
    return hed_eol_torsion(q, *(const HedEolTorsion*)rest, g, (double(*)[12])h, is_exact);
}

static void frame_rest(const double* draw, void* rest) {
    *(HedEolFrame*)rest = (HedEolFrame){{1e-6 * (0.1 + draw[0]), draw[1] - 0.5},
                                        {1e-6 * (0.1 + draw[2]), draw[3] - 0.5}};
}

// Derivatives grow like the inverse of the distance from a fold and from parallel lines.
static bool hinge_smooth(const double* q, const void* rest, double margin) {
    (void)rest;
    HedLattice at = hed_lattice(q);
    double least = SIZE;
    for (int e = 0; e < 4; ++e) {
        least = fmin(least, at.chain.edge[e].length);
    }
    return least > 4.0 * margin && at.over > 0.0 && least > 8.0 * margin * at.over &&
           hed_norm3(at.s) * least > 4.0 * margin;
}

static double hinge_evaluate(const double* q, const void* rest, double* g, double* h,
                             bool is_exact) {
    return hed_eol_hinge(q, ((const HedEolFrame*)rest)->out, g, (double(*)[15])h, is_exact);
}

static double frame_evaluate(const double* q, const void* rest, double* g, double* h,
                             bool is_exact) {
    return hed_eol_frame(q, *(const HedEolFrame*)rest, g, (double(*)[15])h, is_exact);
}

static void parallel_rest(const double* draw, void* rest) {
    *(HedEolParallel*)rest = (HedEolParallel){2.0 * SIZE * draw[0], 1e4 * (0.1 + draw[1])};
}

static bool parallel_smooth(const double* q, const void* rest, double margin) {
    return fabs(q[1] - q[0] - ((const HedEolParallel*)rest)->distance) > 0.1 * margin;
}

static double parallel_evaluate(const double* q, const void* rest, double* g, double* h,
                                bool is_exact) {
    (void)is_exact;
    return hed_eol_parallel(q, *(const HedEolParallel*)rest, g, (double(*)[2])h);
}

static void contact_rest(const double* draw, void* rest) {
    *(HedEolContact*)rest = (HedEolContact){SIZE * (0.5 + draw[0]), 2.0 * (0.1 + draw[1])};
}

static double contact_evaluate(const double* q, const void* rest, double* g, double* h,
                               bool is_exact) {
    (void)is_exact;
    return hed_eol_contact(q, *(const HedEolContact*)rest, g, (double(*)[2])h);
}

static const HedEolKernel KERNELS[] = {
    {"stretch", 8, HED_EOL_MATERIAL | HED_EOL_TURNS, stretch_rest, stretch_smooth,
     stretch_evaluate},
    {"bend", 12, HED_EOL_MATERIAL | HED_EOL_TURNS, bend_rest, bend_smooth, bend_evaluate},
    {"bend, set and jamming", 12, HED_EOL_MATERIAL | HED_EOL_TURNS, bend_set_rest, bend_smooth,
     bend_evaluate},
    {"shear", 9, HED_EOL_TURNS, shear_rest, shear_smooth, shear_evaluate},
    {"weight", 8, HED_EOL_MATERIAL, weight_rest, always_smooth, weight_evaluate},
    {"torsion", 12, HED_EOL_TURNS, torsion_rest, torsion_smooth, torsion_evaluate},
    {"hinge", 15, HED_EOL_TURNS, frame_rest, hinge_smooth, hinge_evaluate},
    {"frame", 15, HED_EOL_TURNS, frame_rest, hinge_smooth, frame_evaluate},
    {"parallel", 2, HED_EOL_SCALAR | HED_EOL_TURNS, parallel_rest, parallel_smooth,
     parallel_evaluate},
    {"contact", 2, HED_EOL_SCALAR | HED_EOL_TURNS, contact_rest, always_smooth, contact_evaluate},
};

const HedEolKernel* hed_eol_kernels(int32_t* count) {
    *count = sizeof KERNELS / sizeof KERNELS[0];
    return KERNELS;
}
