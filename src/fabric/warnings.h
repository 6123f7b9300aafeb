// SPDX-License-Identifier: MIT
// Lists of warnings: what is odd about an input but was accepted.
#ifndef HED_FABRIC_WARNINGS_H
#define HED_FABRIC_WARNINGS_H

#include "base/array.h"

#include <stdarg.h>

/// Prints a warning and puts it at the end of a list; false if there is no memory.
bool hed_warnings_add(char*** notes, int32_t* count, int32_t* capacity, const char* format,
                      va_list arguments);

/// Frees the warnings and their list, which may be NULL.
void hed_warnings_free(char** notes, int32_t count);

#endif
