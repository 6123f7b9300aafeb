// SPDX-License-Identifier: MIT
// What the experiments with knits share: a swatch that is made and comes to rest, and its sizes.
#ifndef EXPERIMENT_KNIT_LAB_H
#define EXPERIMENT_KNIT_LAB_H

#include "experiment/yarn_lab.h"

/// What is knitted, and how it comes to rest.
typedef struct KnitCase {
    HedKnitDef knit;
    HedRelaxDef relax;
} KnitCase;

/// Parameters that experiments with knits share: how large, how rough, how long.
#define KNIT_SIZE(rows_number, stitches_number, least_number, rows_help, stitches_help)            \
    {.name = "rows",                                                                               \
     .number = (rows_number),                                                                      \
     .least = (least_number),                                                                      \
     .most = 400,                                                                                  \
     .whole = true,                                                                                \
     .unit = "",                                                                                   \
     .help = (rows_help)},                                                                         \
    {                                                                                              \
        .name = "stitches", .number = (stitches_number), .least = (least_number), .most = 400,     \
        .whole = true, .unit = "", .help = (stitches_help)                                         \
    }
#define KNIT_FRICTION(default_number)                                                              \
    {                                                                                              \
        .name = "friction", .number = (default_number), .least = 0.0, .most = 2.0, .unit = "",     \
        .help = "between yarns"                                                                    \
    }
#define KNIT_ITERATIONS                                                                            \
    {                                                                                              \
        .name = "iterations", .number = 30000, .least = 100, .most = 1e7, .whole = true,           \
        .unit = "", .help = "most of one relaxation"                                               \
    }

/// Which of its cases an experiment makes; the claims are those of what was made.
#define KNIT_ASKED(parameter, all)                                                                 \
    { .name = (parameter), .text = (all), .unit = "", .help = "any of these, divided by commas" }

/// Diameters, of yarn in a loop: Peirce's normal one (1947).
#define KNIT_LOOP 16.66

/// Table 4.1 of Kaldor (2011) in our ratios: d = 2.5 mm, B = 1e-8 N m^2 (twice k_bend of
/// simulations, 5 g cm^3/s^2), EA = 2 k_len / l with k_len of simulations and eight pieces a loop,
/// and k_contact as it is. Kaldor has no force of friction; ours, a parameter of the experiment,
/// keeps yarns in their loops.
KnitCase knit_case(HedLab* lab, const char* pattern, int32_t rows, int32_t stitches);

/// Refuses a list (a text parameter) with a name that is not one of these. 0, or 2: refused.
int knit_check_asked(HedLab* lab, const char* parameter, const char* const* names, int count);

/// A list has this name.
bool knit_is_asked(HedLab* lab, const char* parameter, const char* name);

/// N: forces of relaxation are told in this, B/d^2.
double knit_force_unit(const KnitCase* given);

/// A swatch at rest, and where its points were before. Zero-initialise; free with knit_swatch_free.
typedef struct KnitSwatch {
    HedFabric fabric;
    HedVec3* drawn; ///< m, points as they were knitted.
    HedKnitReport knit;
    HedRelaxReport report;
    int32_t rows, stitches;
} KnitSwatch;

/// Makes a swatch and lets it come to rest. 0, or the exit code of what failed, said.
int knit_swatch_make(HedLab* lab, const KnitCase* given, KnitSwatch* swatch);
void knit_swatch_free(KnitSwatch* swatch);

/// The same of a pattern that repeats for ever: so many rows and stitches are one repeat, and
/// nothing curls or runs.
void knit_case_repeat(KnitCase* given, int32_t rows, int32_t stitches);

/// m, yarn in a loop at rest: that of the case, times what relaxation made of all yarn.
double knit_loop_length(const KnitSwatch* swatch, const KnitCase* given);

/// m, distance of columns (axis 0) or rows (axis 1) in the middle of a swatch. Points belong to the
/// column and row where they were knitted; a margin of the swatch on each side does not count. Of
/// a fabric that repeats, from the repeat.
double knit_spacing(const KnitSwatch* swatch, int axis);

/// rad, by which the outermost columns (axis 0) or rows (axis 1) are turned out of the plane of the
/// middle: mean of both edges.
double knit_edge_turn(const KnitSwatch* swatch, int axis);

/// Draws a fabric, with other points than its own, into the output directory, but not in a quick
/// run. Of one that repeats, nine copies.
void knit_draw(HedLab* lab, const HedFabric* fabric, HedVec3* points, const char* picture);

#endif
