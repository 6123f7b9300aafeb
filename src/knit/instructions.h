// SPDX-License-Identifier: MIT
// Rows of knitting instructions as trees, before their widths are known. Private to knitspeak.c and
// instructions*.c.
#ifndef HED_KNIT_INSTRUCTIONS_H
#define HED_KNIT_INSTRUCTIONS_H

#include "base/text.h"
#include "knit/chart.h"

enum { HED_INSTRUCTION_TIMES = 10000, HED_INSTRUCTION_DEPTH = 12, HED_INSTRUCTION_ROWS = 20000 };

typedef enum HedInstructionKind {
    HED_INSTRUCTION_STITCH,
    HED_INSTRUCTION_BIND_OFF, ///< `times` loops; 0: all that the rest of the row leaves
    HED_INSTRUCTION_GROUP,    ///< `times` times
    HED_INSTRUCTION_STAR      ///< as often as it fits
} HedInstructionKind;

/// Nodes stand before what they hold.
typedef struct HedInstructionNode {
    HedInstructionKind kind;
    int32_t end;   ///< Node after all that it holds.
    int32_t times; ///< Of a group, or of a stitch.
    int32_t last;  ///< Of a star: loops to leave over; -1: as many as the rest of the row takes.
    bool is_rep;   ///< Of a group: "repeat from * 3 times", where 3 may not be all.
    bool is_bare;  ///< "k" or "p" without a number: alone in its row it fills it.
    HedStitch stitch;
} HedInstructionNode;

/// A row, or a part of one that turns on the way.
typedef struct HedInstructionRow {
    int32_t number;
    int32_t first, end; ///< Nodes.
    int32_t line;
    int32_t side;    ///< 1: right, 2: wrong, 0: not said.
    int32_t part;    ///< From 0, counted by turns.
    int32_t told;    ///< Loops that it leaves as its author counts them; 0: not said.
    bool is_turned;  ///< It ends with a turn, whatever is left on the needle,
    bool is_wrapped; ///< and before it the yarn goes round the next stitch.
    bool is_again;   ///< It repeats a row told before.
} HedInstructionRow;

/// "Repeat rows 1-4 3 times": what is worked once more when row number `after` is done.
typedef struct HedInstructionRepeat {
    int32_t after;
    int32_t first, count; ///< Numbers of rows, in numbers.
    int32_t times;
    int32_t line;
} HedInstructionRepeat;

/// Which rows a header means besides those that it names, once all are known.
typedef enum HedInstructionFill {
    HED_FILL_NONE,
    HED_FILL_ODD,
    HED_FILL_EVEN,
    HED_FILL_RIGHT, ///< all right-side rows
    HED_FILL_WRONG,
    HED_FILL_ALL
} HedInstructionFill;

/// "All even rows: purl": a row for every number that nobody else tells.
typedef struct HedInstructionRest {
    HedInstructionFill fill;
    HedInstructionRow row;
} HedInstructionRest;

/// Zero-initialise; free with hed_instructions_free.
typedef struct HedInstructions {
    const char* name;
    HED_ARRAY(HedInstructionNode) nodes;
    HED_ARRAY(HedInstructionRow) rows; ///< In the order of working.
    HED_ARRAY(HedInstructionRest) rests;
    HED_ARRAY(HedInstructionRepeat) repeats;
    HED_ARRAY(int32_t) repeated; ///< Numbers of rows of all repeats.
    bool is_round;
    bool has_bind_off; ///< Loops are bound off before other stitches of a row.
    bool has_rep;      ///< "repeat from * 3 times", without "more".
    int32_t cast_on;   ///< 0 if it is not said.
    char** notes;      ///< What is odd but was accepted.
    int32_t note_count, note_capacity;
} HedInstructions;

HedStatus hed_instructions_read(const char* data, size_t size, const char* name,
                                HedInstructions* instructions, HedError* error);
void hed_instructions_free(HedInstructions* instructions);

/// Puts a note at the end of the list, unless it is there.
HedStatus hed_instructions_note(HedInstructions* instructions, HedError* error, const char* format,
                                ...) HED_PRINTF(3, 4);

/// Puts rows in the order of working: sorted, with those that a "rest" stands for and with repeats
/// written out. What is told twice or missing is noted.
HedStatus hed_instructions_order(HedInstructions* instructions, HedError* error);

#endif
