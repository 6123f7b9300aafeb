// SPDX-License-Identifier: MIT
#include "base/arena.h"

enum { FIRST_CHUNK = 1 << 16 };

struct HedArenaChunk {
    HedArenaChunk* next;
    size_t size;
    char* data;
};

static HedArenaChunk* chunk_create(size_t size) {
    HedArenaChunk* chunk = HED_NEW(HedArenaChunk);
    if (!chunk) {
        return NULL;
    }
    chunk->size = size;
    chunk->data = hed_alloc(size);
    if (!chunk->data) {
        hed_free(chunk);
        return NULL;
    }
    return chunk;
}

// Moves on to the next chunk that has room, making one if there is none.
static bool make_room(HedArena* arena, size_t bytes) {
    HedArenaChunk* last = arena->current;
    HedArenaChunk* next = last ? last->next : arena->first;
    while (next && next->size < bytes) {
        last = next;
        next = next->next;
    }
    if (!next) {
        size_t grown = last ? 2 * last->size : FIRST_CHUNK;
        next = chunk_create(grown > bytes ? grown : bytes);
        if (!next) {
            return false;
        }
        *(last ? &last->next : &arena->first) = next;
    }
    arena->current = next;
    arena->used = 0;
    return true;
}

void* hed_arena_push(HedArena* arena, int64_t count, size_t size) {
    if (count < 0 || (size && (uint64_t)count > (uint64_t)(PTRDIFF_MAX / 2) / size)) {
        return NULL;
    }
    size_t bytes = ((size_t)count * size + HED_ALIGNMENT - 1) / HED_ALIGNMENT * HED_ALIGNMENT;
    bool fits = arena->current && arena->current->size - arena->used >= bytes;
    if (!fits && !make_room(arena, bytes)) {
        return NULL;
    }
    void* block = arena->current->data + arena->used;
    arena->used += bytes;
    return block;
}

HedArenaMark hed_arena_mark(const HedArena* arena) {
    return (HedArenaMark){arena->current, arena->used};
}

void hed_arena_reset(HedArena* arena, HedArenaMark mark) {
    arena->current = mark.chunk;
    arena->used = mark.used;
}

void hed_arena_free(HedArena* arena) {
    HedArenaChunk* chunk = arena->first;
    while (chunk) {
        HedArenaChunk* next = chunk->next;
        hed_free(chunk->data);
        hed_free(chunk);
        chunk = next;
    }
    *arena = (HedArena){0};
}
