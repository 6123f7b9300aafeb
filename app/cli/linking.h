// SPDX-License-Identifier: MIT
#ifndef CLI_LINKING_H
#define CLI_LINKING_H

#include "cli/common.h"

/// Prints whether the topology of yarns has changed, from frame to frame of a run or from one file
/// to another (NULL: none); exit code 0 only if it is proved that it has not.
int cli_linking(const char* path, const char* other, bool as_json);

#endif
