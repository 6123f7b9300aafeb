// SPDX-License-Identifier: MIT
// Many small things that live as long as one scene.
#ifndef HED_SCENE_POOL_H
#define HED_SCENE_POOL_H

#include "base/arena.h"

/// Cuts small pieces out of arena blocks; an arena alone would round each up to 64 bytes.
typedef struct HedPool {
    HedArena arena;
    char* next;
    size_t left;
} HedPool;

/// Zero-filled, 16-byte aligned; NULL if there is no memory or the count is negative.
void* hed_pool_push(HedPool* pool, int64_t count, size_t size);

/// A terminated copy of size bytes; NULL if there is no memory.
char* hed_pool_text(HedPool* pool, const char* data, size_t size);

/// Formatted text; NULL if there is no memory.
char* hed_pool_print(HedPool* pool, const char* format, ...) HED_PRINTF(2, 3);
void hed_pool_free(HedPool* pool);

#define HED_POOL_ARRAY(pool, type, count) ((type*)hed_pool_push((pool), (count), sizeof(type)))

#endif
