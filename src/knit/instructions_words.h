// SPDX-License-Identifier: MIT
// The words of knitting instructions, and a reader that walks over them. Private to
// instructions*.c.
//
// Parentheses are comments, unless they hold the side of a row, or are followed by how often they
// are worked: "(a comment)", "(RS)", "(k1, yo) twice", "(k1, yo, k1) in next st".
#ifndef HED_KNIT_INSTRUCTIONS_WORDS_H
#define HED_KNIT_INSTRUCTIONS_WORDS_H

#include "knit/instructions.h"

enum { HED_INSTRUCTION_WORD = 32 };

/// In lower case: letters, digits, '/', '&' and '-' between letters; or one sign; "" at the end.
typedef struct HedInstructionWord {
    char text[HED_INSTRUCTION_WORD];
    int32_t line;
    int32_t pair;  ///< Of "(": the word that closes it; -1 if none does.
    bool is_first; ///< In its line, or behind a full stop.
} HedInstructionWord;

typedef struct HedInstructionReader {
    HedInstructions* instructions;
    HedError* error;
    HED_ARRAY(HedInstructionWord) words; ///< The last one is "".
    int32_t at;
    int32_t depth; ///< Of brackets and stars.
    int32_t stars; ///< That are open.
    int32_t told;  ///< From the last comment such as "(12 sts)"; 0: none.
    int32_t yarn;
    int32_t last_row;           ///< Word at which the row "Bind off all sts." was begun; 0: none.
    HED_ARRAY(int32_t) numbers; ///< Of the rows being told.
    char yarns[16][HED_INSTRUCTION_WORD];
    int32_t yarn_count;
} HedInstructionReader;

/// Cuts a text into words and stands on the first. Free words and numbers in any case.
HedStatus hed_instruction_split(HedInstructionReader* r, const char* data, size_t size);

void hed_instruction_next(HedInstructionReader* r);

static inline const HedInstructionWord* hed_instruction_ahead(const HedInstructionReader* r,
                                                              int32_t more) {
    int32_t last = r->words.count - 1;
    return &r->words.data[r->at + more < last ? r->at + more : last];
}

static inline const char* hed_instruction_word(const HedInstructionReader* r) {
    return hed_instruction_ahead(r, 0)->text;
}

bool hed_instruction_is(const HedInstructionReader* r, const char* word);

/// Whether the word is one of a list "row rows round".
bool hed_instruction_is_one(const char* word, const char* list);

/// Whether the next words are these ("wrap and turn"), and walks past them.
bool hed_instruction_take(HedInstructionReader* r, const char* words);
bool hed_instruction_take_one(HedInstructionReader* r, const char* list);

/// The number at the start of a text, of at most five digits, and how many it has; 0: none.
int32_t hed_instruction_digits(const char* text, int32_t* number);

/// "12", or "three"; walks past it if it is not more than `most`.
bool hed_instruction_take_number(HedInstructionReader* r, int32_t most, int32_t* number);
bool hed_instruction_is_number(const HedInstructionReader* r);

/// Whether the word opens the side of a row: 1 for "(RS)", 2 for "[WS]"; else 0.
int32_t hed_instruction_side(const HedInstructionReader* r);

/// "file:3: rule, got 'word'"
HedStatus hed_instruction_fail(const HedInstructionReader* r, const char* rule);

// --- instructions_stitch.c

HedStatus hed_instruction_add(HedInstructionReader* r, HedInstructionNode node);

/// Reads a stitch with all that belongs to it, and how often it is worked.
HedStatus hed_instruction_stitch(HedInstructionReader* r);

/// "twice", "3 times", "x3", or nothing: once. Whether anything was said: *is_said.
HedStatus hed_instruction_times(HedInstructionReader* r, int32_t* times, bool* is_said);

/// "in next st" and the like, behind parentheses.
bool hed_instruction_take_place(HedInstructionReader* r);

/// Makes one stitch out of the nodes from `first` on: all are worked into one loop.
HedStatus hed_instruction_increase(HedInstructionReader* r, int32_t first);

// --- instructions_rows.c

/// Whether a row, or what is said of rows, begins here.
bool hed_instruction_is_header(const HedInstructionReader* r);
bool hed_instruction_is_repeat(const HedInstructionReader* r);

/// A line of prose behind a row: "Fasten off.", "Weave in ends."
bool hed_instruction_is_prose(const HedInstructionReader* r);

#endif
