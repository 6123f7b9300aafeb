// SPDX-License-Identifier: MIT
// Names of files that are being written: "PATH.PID.part", until they are whole.
#ifndef HED_BASE_PART_H
#define HED_BASE_PART_H

#include "heddle/part.h"

/// The size of the final name in "checkpoint.123.part", and the process that writes it; 0 if it is
/// no such name.
size_t hed_part_parse(const char* name, long* pid);

#endif
