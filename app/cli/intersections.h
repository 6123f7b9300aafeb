// SPDX-License-Identifier: MIT
#ifndef CLI_INTERSECTIONS_H
#define CLI_INTERSECTIONS_H

#include "cli/common.h"

/// Prints whether sheets intersect in any frame of a run, or in a mesh; exit code 1 if they do.
int cli_intersections(const char* path, bool as_json);

#endif
