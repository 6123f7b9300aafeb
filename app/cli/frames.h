// SPDX-License-Identifier: MIT
// "7", "last", "2:5": which frames of a run.
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "cli/common.h"

/// Reads "7", "last", "2:5", ":5", "2:" or ":" against a number of frames; the end is included.
/// CLI_GO, or the exit code with everything said.
int cli_frames(const char* text, int32_t count, int32_t* first, int32_t* last);

#endif
