// SPDX-License-Identifier: MIT
// Weaves: which end lies over which pick, read from a WIF file or named, and the yarns of the
// cloth.
#ifndef HEDDLE_WEAVE_H
#define HEDDLE_WEAVE_H

#include "heddle/fabric.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An end (a thread of the warp) or a pick (a thread of the weft).
typedef struct HedThread {
    int32_t number;        ///< In the draft it came from, counted from 1.
    int32_t color;         ///< 0xRRGGBB, or HED_COLOR_NONE.
    double spacing;        ///< m, width of the slot in which it lies; 0 if unknown.
    double diameter;       ///< m; 0 if unknown.
    double linear_density; ///< kg/m; 0 if unknown.
} HedThread;

/// A draft. Zero-initialise; free with hed_weave_free.
typedef struct HedWeave {
    char* title; ///< NULL if there is none.
    HedThread* ends;
    int32_t end_count;
    HedThread* picks;
    int32_t pick_count;
    int32_t shaft_count;   ///< Different shafts that ends pass through; 0: not a loom's draft.
    int32_t treadle_count; ///< Different treadles that picks use; 0 with a lift plan.
    uint8_t* is_up;        ///< 1 where the end lies over the pick: [pick * end_count + end].
    char** notes;          ///< What is odd but was accepted.
    int32_t note_count, note_capacity;
} HedWeave;

/// Reads a WIF file (docs/weave.md). Ends that pass through no shaft and picks on which nothing is
/// done are left out. Errors name file and line.
HED_API HedStatus hed_weave_load(const char* path, HedWeave* weave, HedError* error);

/// The same from memory; name is used in messages.
HED_API HedStatus hed_weave_parse(const char* data, size_t size, const char* name, HedWeave* weave,
                                  HedError* error);

/// One repeat of a weave: "plain", "twill 2/2", "twill 3/1 s", "satin 5", "satin 8 3" (the step),
/// "sateen 5" (the weft in front), "basket 2/2", "rib 2/2" (over two picks, under two).
HED_API HedStatus hed_weave_named(const char* pattern, HedWeave* weave, HedError* error);

/// One repeat from rows of '#' or '1' (the end is over) and '.' or '0' (under), one per pick.
/// Blanks are left out.
HED_API HedStatus hed_weave_rows(const char* const* rows, int32_t row_count, HedWeave* weave,
                                 HedError* error);

HED_API void hed_weave_free(HedWeave* weave); ///< NULL and empty ones are allowed.

/// What can be said about a draft as it stands.
typedef struct HedWeaveFacts {
    int32_t repeat_ends;    ///< Smallest period, the count if there is none.
    int32_t repeat_picks;   ///< The same of picks.
    int32_t warp_float;     ///< Most picks that an end passes on one side without a break,
    int32_t warp_float_end; ///< and the number of such an end.
    int32_t weft_float;
    int32_t weft_float_pick;
    int32_t loose_ends; ///< Ends that lie on one side of all picks.
    int32_t loose_picks;
    int32_t layer_count; ///< Parts that hang together by themselves and can be lifted off each
                         ///< other; threads alone do not count.
} HedWeaveFacts;

HED_API HedStatus hed_weave_facts(const HedWeave* weave, HedWeaveFacts* facts, HedError* error);

typedef enum HedSelvedge {
    HED_SELVEDGE_CUT,    ///< Each pick is a yarn of its own.
    HED_SELVEDGE_TURNED, ///< Picks that follow each other in one colour are one yarn.
    HED_SELVEDGE_COUNT
} HedSelvedge;

HED_API const char* hed_selvedge_name(HedSelvedge selvedge); ///< "cut", "turned"

/// How the threads of one system are; zeros take what the draft says.
typedef struct HedThreadDef {
    int32_t count;         ///< Threads; the draft is repeated or cut. 0: as in the draft.
    double sett;           ///< 1/m, threads per length.
    double linear_density; ///< kg/m
    double diameter;       ///< m; 0: that of the linear density, if it is given.
    int32_t color;         ///< 0xRRGGBB, or HED_COLOR_NONE: as in the draft. Default that.
} HedThreadDef;

/// Everything needed to weave a draft. Fill with hed_weave_def_default(), then edit.
typedef struct HedWeaveDef {
    HedThreadDef warp;
    HedThreadDef weft;
    double yarn_density; ///< kg/m^3 of yarn, air included: diameter from linear density, and back.
                         ///< Default 910 (cotton).
    double warp_share; ///< Part of the height of the waves that the warp takes. 0 (default): half,
                       ///< or what fits.
    int32_t points;    ///< Per crossing, on each of its threads. Default 8.
    HedSelvedge selvedge;
    bool is_mirrored; ///< End 1 at the largest x. Default false.
    bool is_periodic; ///< The threads are one repeat of a cloth without end: no selvedges, and each
                      ///< thread goes on in its copies (HedFabric.period). Default false.
    uint32_t stamp;   ///< Written by the default function; hed_weave_build refuses any other value.
} HedWeaveDef;

HED_API HedWeaveDef hed_weave_def_default(void);

/// Weaves the yarns. Warp runs along y, pick 1 has the smallest y and end 1 the smallest x; the
/// cloth is centred on the origin. Threads are bent around each other as Peirce has it: arcs about
/// the threads that they cross, straight between them. Where they are too thick for that they are
/// made thinner, with a note. Yarns are called "warp" and "weft", the warp first.
HED_API HedStatus hed_weave_build(const HedWeave* weave, const HedWeaveDef* def, HedFabric* fabric,
                                  HedError* error);

/// Peirce's cover factor, diameter by spacing: of the warp, of the weft and of the cloth, as
/// hed_weave_build would make it.
typedef struct HedCover {
    double warp, weft, cloth;
    double width, height; ///< m, of all slots.
} HedCover;

HED_API HedStatus hed_weave_cover(const HedWeave* weave, const HedWeaveDef* def, HedCover* cover,
                                  HedError* error);

/// Linear density (kg/m) from a yarn count: "30 tex", "300 dtex", "150 den", "Ne 20", "20 Ne",
/// "Nm 34", "2/34 Nm" (two yarns of 34, twisted).
HED_API HedStatus hed_yarn_count_parse(const char* text, double* linear_density, HedError* error);

/// Diameter (m) of a round yarn from linear density (kg/m) and density (kg/m^3).
HED_API double hed_yarn_diameter(double linear_density, double yarn_density);

#ifdef __cplusplus
}
#endif

#endif
