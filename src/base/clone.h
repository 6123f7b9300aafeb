// SPDX-License-Identifier: MIT
// Copies of arrays, for whoever must not write into those that others read.
#ifndef HED_BASE_CLONE_H
#define HED_BASE_CLONE_H

#include "base/array.h"

/// Zero-initialise; free with hed_clones_free.
typedef struct HedClones {
    HED_ARRAY(void*) list;
    bool is_out; // of memory, once
} HedClones;

/// A copy of so many bytes that lives as long as the clones; NULL if there is nothing, or no
/// memory.
void* hed_clone(HedClones* clones, const void* data, int64_t bytes);
void hed_clones_free(HedClones* clones);

/// Puts a copy of an array in its own place.
#define HED_CLONE(clones, array, count)                                                            \
    ((array) = hed_clone((clones), (array), (int64_t)sizeof *(array) * (count)))

#endif
