// SPDX-License-Identifier: MIT
// Scratch memory that is given back all at once: push, mark, reset.
#ifndef HED_BASE_ARENA_H
#define HED_BASE_ARENA_H

#include "base/alloc.h"

typedef struct HedArenaChunk HedArenaChunk;

/// Zero-initialise to start; hed_arena_free to end. One thread at a time.
typedef struct HedArena {
    HedArenaChunk* first;
    HedArenaChunk* current;
    size_t used; // bytes of the current chunk
} HedArena;

typedef struct HedArenaMark {
    HedArenaChunk* chunk;
    size_t used;
} HedArenaMark;

/// Uninitialised and 64-byte aligned; NULL if there is no memory. Chunks are kept for re-use after
/// a reset.
void* hed_arena_push(HedArena* arena, int64_t count, size_t size);
HedArenaMark hed_arena_mark(const HedArena* arena);
void hed_arena_reset(HedArena* arena, HedArenaMark mark);
void hed_arena_free(HedArena* arena);

#define HED_PUSH(arena, type, count) ((type*)hed_arena_push((arena), (count), sizeof(type)))

#endif
