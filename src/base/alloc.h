// SPDX-License-Identifier: MIT
// The one way to the heap: 64-byte aligned, counted, and able to fail on command.
#ifndef HED_BASE_ALLOC_H
#define HED_BASE_ALLOC_H

#include "heddle/base.h"

enum { HED_ALIGNMENT = 64 };

/// Zero-filled and aligned to HED_ALIGNMENT. NULL if there is no memory. Size 0 gives a valid
/// block.
void* hed_alloc(size_t size);

/// count * size bytes with a check against overflow; otherwise as hed_alloc. Negative counts give
/// NULL.
void* hed_alloc_array(int64_t count, size_t size);

/// Keeps the first bytes, zero-fills the rest. On failure returns NULL and leaves the old block
/// alone.
void* hed_realloc(void* block, size_t size);

/// NULL is allowed.
void hed_free(void* block);

#define HED_NEW(type) ((type*)hed_alloc(sizeof(type)))
#define HED_NEW_ARRAY(type, count) ((type*)hed_alloc_array((count), sizeof(type)))

#endif
