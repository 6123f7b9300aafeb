// SPDX-License-Identifier: MIT
// Between instructions.c and instructions_rows.c.
#ifndef HED_KNIT_INSTRUCTIONS_ROW_H
#define HED_KNIT_INSTRUCTIONS_ROW_H

#include "knit/instructions_words.h"

/// Reads the stitches of a row up to its end or to a turn; fills all but its number and its side.
HedStatus hed_instruction_row_part(HedInstructionReader* r, HedInstructionRow* row);

/// Reads all rows and what is said of them.
HedStatus hed_instructions_rows(HedInstructionReader* r);

#endif
