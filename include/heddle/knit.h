// SPDX-License-Identifier: MIT
// Knitted fabrics: from a named pattern or a chart to yarns in space.
#ifndef HEDDLE_KNIT_H
#define HEDDLE_KNIT_H

#include "heddle/fabric.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is knitted, and of what yarn. Fill with hed_knit_def_default(), then edit.
typedef struct HedKnitDef {
    const char* pattern;     ///< Name of a pattern (see hed_knit_pattern_name), or NULL.
    const char* chart;       ///< Rows of a chart as text (docs/knit.md), or NULL.
    const char* name;        ///< Of the chart, for messages. Default "chart".
    int32_t rows;            ///< Of a pattern. Default 20.
    int32_t stitches;        ///< Of a pattern: loops cast on. Default 20.
    int32_t yoke_rows;       ///< Of "raglan-sweater", from the neck to the armholes; 0: a third of
                             ///< stitches. Default 0.
    int32_t sleeve_rows;     ///< Of the same; 0: as many as rows, which are those of its body.
    bool is_round;           ///< Rows are rounds: the fabric is a tube. Default false.
    bool bind_off;           ///< Of a pattern: its last row is bound off. Default true.
    bool is_embedded;        ///< Loops stand in space where their graph puts them
                             ///< (heddle/embed.h), not in rows and columns. Default false.
    bool is_periodic;        ///< Of a pattern: rows and stitches are one repeat of a fabric without
                             ///< edges; each row is a yarn that goes on in its copies. The repeat
                             ///< has no crossings in its list. Default false.
    double diameter;         ///< m, of the yarn. Default 1e-3.
    double linear_density;   ///< kg/m; 0 if unknown. Default 0.
    double loop_length;      ///< m, of yarn in a plain stitch; 0: 16.66 diameters. Default 0.
    int32_t points_per_loop; ///< Default 24.
    const int32_t* colors;   ///< 0xRRGGBB per yarn; may be NULL.
    int32_t color_count;
    const double* linear_densities; ///< kg/m per yarn; may be NULL. Yarns behind the last have
                                    ///< linear_density.
    int32_t linear_density_count;
    const char* const* color_names; ///< Per colour: the yarn or carrier that has it; NULL, or an
                                    ///< entry that is: it belongs to the yarn of its place.
    const char* const* linear_density_names; ///< The same of linear densities.
    uint32_t stamp;
} HedKnitDef;

HED_API HedKnitDef hed_knit_def_default(void);

/// Length (m) of yarn in a plain stitch of a def: its loop_length, or what its diameter asks for.
HED_API double hed_knit_loop_length(const HedKnitDef* def);

/// "stockinette", "garter", ... ; NULL from the last index on.
HED_API const char* hed_knit_pattern_name(int32_t index);

/// After how many rows and stitches a pattern begins again: a fabric without edges has multiples of
/// both. Zeros of one that is not flat ("tube", "raglan-sweater"), or not known.
typedef struct HedKnitRepeat {
    int32_t rows, stitches;
} HedKnitRepeat;

HED_API HedKnitRepeat hed_knit_pattern_repeat(const char* name);

/// What was built.
typedef struct HedKnitReport {
    int32_t loop_count;   ///< All loops, those cast on and bound off included.
    int32_t course_count; ///< Rows or rounds, with those that were cast on and bound off.
    int32_t widest;       ///< Loops of the widest row.
    int32_t live_count;   ///< Loops that nothing holds: they would run.
    int32_t yarn_count;
    double loop_length;    ///< m, of yarn per loop, on average.
    double wale_spacing;   ///< m, between the columns of plain stitches.
    double course_spacing; ///< m, between their rows.
    double gap;            ///< m, smallest distance of surfaces of yarns; negative: they overlap.
    bool is_proved;        ///< Every loop goes through its parents and no other.
    const char* drawing;   ///< How loops were placed: "rows and columns", "narrow columns", "places
                           ///< in space" or "needle beds" (docs/knitout.md).
} HedKnitReport;

/// Builds a fabric. Yarns lie in the x-y plane with the face along z, columns upwards; a tube
/// stands around the y axis with the face outside. The crossings of a tube are those of the fabric
/// cut open. report may be NULL. Every loop is proved to go through its parents, from the right
/// side, and through no other loop. Free the fabric in any case.
HED_API HedStatus hed_knit_create(const HedKnitDef* def, HedFabric* fabric, HedKnitReport* report,
                                  HedError* error);

/// The same with the chart in a file; def says all but the chart and its name.
HED_API HedStatus hed_knit_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                                HedKnitReport* report, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
