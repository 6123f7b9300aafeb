// SPDX-License-Identifier: MIT
#include "scene/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 14, GRAIN = 16 };

void* hed_pool_push(HedPool* pool, int64_t count, size_t size) {
    if (count < 0 || (size && (uint64_t)count > (uint64_t)(PTRDIFF_MAX / 2) / size)) {
        return NULL;
    }
    size_t bytes = ((size_t)count * size + GRAIN - 1) / GRAIN * GRAIN;
    void* piece = NULL;
    if (bytes > BLOCK_SIZE / 4) {
        piece = hed_arena_push(&pool->arena, (int64_t)bytes, 1);
    } else {
        if (bytes > pool->left) {
            char* block = hed_arena_push(&pool->arena, BLOCK_SIZE, 1);
            if (!block) {
                return NULL;
            }
            pool->next = block;
            pool->left = BLOCK_SIZE;
        }
        piece = pool->next;
        pool->next += bytes;
        pool->left -= bytes;
    }
    if (piece) {
        memset(piece, 0, bytes);
    }
    return piece;
}

char* hed_pool_text(HedPool* pool, const char* data, size_t size) {
    char* copy = HED_POOL_ARRAY(pool, char, (int64_t)size + 1);
    if (copy && size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

char* hed_pool_print(HedPool* pool, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char* text = size < 0 ? NULL : HED_POOL_ARRAY(pool, char, (int64_t)size + 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)size + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void hed_pool_free(HedPool* pool) {
    hed_arena_free(&pool->arena);
    *pool = (HedPool){0};
}
