// SPDX-License-Identifier: MIT
// Names of stitches that people write, and what they mean. Private to instructions*.c.
#ifndef HED_KNIT_INSTRUCTIONS_NAMES_H
#define HED_KNIT_INSTRUCTIONS_NAMES_H

#include "knit/instructions_words.h"

typedef struct HedInstructionName {
    const char* words;    ///< As written, in lower case.
    const char* stitches; ///< What they are, as hed_instruction_named takes them.
    const char* drawn;    ///< NULL, or what a note says stands in their place.
} HedInstructionName;

/// The longest name that begins at the present word, and walks past it; NULL if there is none.
const HedInstructionName* hed_instruction_find(HedInstructionReader* r);

/// A stitch of one word with its number: names of charts, and "k5tog", "p4togtbl", "ssssk".
bool hed_instruction_named(const char* word, HedStitch* stitch, int32_t* times);

/// Whether a number may stand behind the word: "k 10", "yo 2".
bool hed_instruction_is_counted(const char* word);

#endif
