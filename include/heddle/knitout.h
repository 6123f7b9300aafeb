// SPDX-License-Identifier: MIT
// Knitout programs for knitting machines: what they knit, and whether a machine could. Knitting
// instructions in words.
#ifndef HEDDLE_KNITOUT_H
#define HEDDLE_KNITOUT_H

#include "heddle/knit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HedKnitout HedKnitout;

/// Runs a program (docs/knitout.md) on a machine of two beds. What a machine cannot do is refused
/// at its line.
HED_API HedStatus hed_knitout_load(const char* path, HedKnitout** program, HedError* error);

/// The same from memory; name is used in messages.
HED_API HedStatus hed_knitout_parse(const char* data, size_t size, const char* name,
                                    HedKnitout** program, HedError* error);
HED_API void hed_knitout_destroy(HedKnitout* program); ///< NULL is allowed.

typedef struct HedKnitoutFacts {
    int32_t operation_count;
    int32_t loop_count;
    int32_t stitch_count; ///< Loops that were pulled through others.
    int32_t tuck_count;
    int32_t transfer_count; ///< Transfers of needles that held loops.
    int32_t split_count;
    int32_t course_count;
    int32_t yarn_count;    ///< Times that a carrier came in and made a loop.
    int32_t carrier_count; ///< Carriers that made loops.
    int32_t needle_low;    ///< Lowest needle used, of either bed,
    int32_t needle_high;   ///< and the highest.
    int32_t dropped_count; ///< Loops that fell off and are held by nothing.
    int32_t live_count;    ///< Loops that are still on needles at the end.
    int32_t active_count;  ///< Carriers that are still in at the end.
    int32_t swap_count;    ///< Pairs of loops that changed places: cables.
    int32_t longest_float; ///< Most columns from a loop to the next of the same yarn,
    int32_t float_line;    ///< and the line of the latter.
} HedKnitoutFacts;

HED_API HedKnitoutFacts hed_knitout_facts(const HedKnitout* program);

/// Name of the index-th carrier that made loops; borrowed.
HED_API const char* hed_knitout_carrier(const HedKnitout* program, int32_t index);

HED_API int32_t hed_knitout_note_count(const HedKnitout* program);
HED_API const char* hed_knitout_note(const HedKnitout* program, int32_t index); ///< Borrowed.

/// Yarns in space, as hed_knit_create makes them; of def, pattern, chart, rows and stitches are not
/// used.
HED_API HedStatus hed_knitout_build(const HedKnitout* program, const HedKnitDef* def,
                                    HedFabric* fabric, HedKnitReport* report, HedError* error);

/// Yarns from knitting instructions as people write them (.ks, docs/knitout.md): rows with repeats.
/// The number of stitches to cast on is found. As hed_knit_create otherwise.
HED_API HedStatus hed_knitspeak_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                                     HedKnitReport* report, HedError* error);

/// The same from a text; def->name is used in messages.
HED_API HedStatus hed_knitspeak_build(const char* text, const HedKnitDef* def, HedFabric* fabric,
                                      HedKnitReport* report, HedError* error);

/// What a chart or instructions tell before any yarn is drawn.
typedef struct HedKnitFacts {
    int32_t row_count;    ///< Rows or rounds, without that of the cast-on.
    int32_t cast_on;      ///< Loops before the first row: told, or found.
    int32_t stitch_count; ///< Stitches that are worked.
    int32_t widest;       ///< Loops of the widest row.
    int32_t yarn_count;
    int32_t loop_count; ///< 0 if no loops can be made of the stitches: then they cannot be drawn.
    int32_t live_count; ///< Loops that nothing holds at the end.
    int32_t swap_count; ///< Pairs of loops that change places: cables.
    bool is_round;
} HedKnitFacts;

/// Reads a chart (.knit) or instructions (.ks) and tells what is there, in time that grows with its
/// stitches. Fails for what cannot be read, or does not work out. facts->loop_count is 0 for what
/// hed_knit_file_load would refuse at once.
HED_API HedStatus hed_knit_file_survey(const char* path, const HedKnitDef* def, HedKnitFacts* facts,
                                       HedError* error);

/// Whether a path names what hed_knit_file_load reads, by its extension.
HED_API bool hed_knit_file_is(const char* path);

/// Yarns from a chart (.knit), instructions (.ks) or a knitout program (.k, .knitout), as
/// hed_knit_load, hed_knitspeak_load and hed_knitout_build make them; other extensions are refused.
/// Colours and linear densities of def belong to the yarns of a chart or of instructions in their
/// order, and to the carriers of a program in the order of hed_knitout_carrier. Notes of a program
/// become notes of the fabric.
HED_API HedStatus hed_knit_file_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                                     HedKnitReport* report, HedError* error);

/// The same from a text, which ends with a zero byte; def->name is the name of its file.
HED_API HedStatus hed_knit_file_parse(const char* data, const HedKnitDef* def, HedFabric* fabric,
                                      HedKnitReport* report, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
