// SPDX-License-Identifier: MIT
// Names of files that are being written, and what is left of them when their writer is killed.
#ifndef HEDDLE_PART_H
#define HEDDLE_PART_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HED_PART_ROOM = 32 };

/// The name beside a path under which its file is written until it is whole: "PATH.PID.part". size:
/// strlen(path) + HED_PART_ROOM is enough.
HED_API void hed_part_name(const char* path, char* name, size_t size);

/// Removes what writers of this file, and of frames of its series, left beside it when they were
/// killed: the parts of processes that are no more. What cannot be removed stays.
HED_API void hed_part_sweep(const char* path);

#ifdef __cplusplus
}
#endif

#endif
