// SPDX-License-Identifier: MIT
// Files that will be large are announced before they are written.
#ifndef CLI_SIZE_H
#define CLI_SIZE_H

#include "cli/common.h"

/// Notes on stderr how large a file will be, about, if that is much, and how it becomes smaller. in
/// is what it is made of.
void cli_size_note(const char* in, const char* out, const HedSeries* series);

#endif
