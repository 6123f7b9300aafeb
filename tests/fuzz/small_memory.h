// SPDX-License-Identifier: MIT
// Large inputs are valid; in fuzz tests they run out of memory instead of time.
#ifndef TESTS_FUZZ_SMALL_MEMORY_H
#define TESTS_FUZZ_SMALL_MEMORY_H

#include "heddle/base.h"

#include <stdlib.h>

static size_t small_memory_most;

static inline void* small_memory_allocate(size_t size, size_t alignment) {
    return size > small_memory_most ? NULL : aligned_alloc(alignment, size);
}

/// From now on allocations of more bytes fail.
static inline void small_memory(size_t most) {
    small_memory_most = most;
    hed_alloc_set_hooks(small_memory_allocate, free);
}

#endif
