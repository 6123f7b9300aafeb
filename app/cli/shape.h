// SPDX-License-Identifier: MIT
// A shaded picture of one frame of a run.
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include <stdbool.h>

/// frame is a number or "last". Returns the exit code.
int cli_shape_draw(const char* run, const char* frame, const char* output, bool force);

#endif
