// SPDX-License-Identifier: MIT
// Each block carries a header of one alignment unit in front of it that holds its size.
// lint: allow aligned_alloc free, the one way to the heap
#define _DEFAULT_SOURCE // madvise
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, LARGE = 8 << 20 };

typedef struct BlockHeader {
    size_t size;
} BlockHeader;

static void* (*hook_allocate)(size_t size, size_t alignment) = NULL;
static void (*hook_release)(void* block) = NULL;

static _Atomic int64_t live_count;
static _Atomic int64_t live_bytes;
static _Atomic int64_t peak_bytes;
static _Atomic int64_t call_count;
static _Atomic int64_t fail_countdown;
static _Atomic int64_t limit_bytes;
static _Atomic int64_t beyond_bytes;

HedAllocStats hed_alloc_stats(void) {
    return (HedAllocStats){
        .live_count = live_count,
        .live_bytes = live_bytes,
        .peak_bytes = peak_bytes,
        .call_count = call_count,
        .limit_bytes = limit_bytes,
        .beyond_bytes = beyond_bytes,
    };
}

void hed_alloc_set_hooks(void* (*allocate)(size_t size, size_t alignment),
                         void (*release)(void* block)) {
    hook_allocate = allocate;
    hook_release = release;
}

void hed_alloc_fail_at(int64_t n) {
    fail_countdown = n;
}

void hed_alloc_set_limit(int64_t bytes) {
    limit_bytes = bytes;
}

static bool goes_beyond(size_t size) {
    int64_t limit = limit_bytes;
    bool is_beyond = limit > 0 && (int64_t)size > limit - live_bytes;
    if (is_beyond) {
        beyond_bytes = (int64_t)size;
    }
    return is_beyond;
}

static bool must_fail(void) {
    atomic_fetch_add(&call_count, 1);
    return fail_countdown > 0 && atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static void count_live(int64_t blocks, int64_t bytes) {
    atomic_fetch_add(&live_count, blocks);
    int64_t now = atomic_fetch_add(&live_bytes, bytes) + bytes;
    int64_t peak = peak_bytes;
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now)) {
    }
}

static void* system_allocate(size_t size) {
    if (hook_allocate) {
        return hook_allocate(size, HED_ALIGNMENT);
    }
    if (size < LARGE) {
        return aligned_alloc(HED_ALIGNMENT, size);
    }
    // Large blocks on huge pages: gathers from them miss the page tables' cache less often.
    void* block = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#if defined(MADV_HUGEPAGE)
    if (block) {
        madvise(block, size, MADV_HUGEPAGE); // a wish; refusing it is fine
    }
#endif
    return block;
}

void* hed_alloc(size_t size) {
    if (must_fail() || size > PTRDIFF_MAX - 2 * (size_t)HED_ALIGNMENT || goes_beyond(size)) {
        return NULL;
    }
    size_t rounded = (size + HED_ALIGNMENT - 1) / HED_ALIGNMENT * HED_ALIGNMENT;
    char* base = system_allocate(rounded + HED_ALIGNMENT);
    if (!base) {
        beyond_bytes = (int64_t)size;
        return NULL;
    }
    memset(base, 0, rounded + HED_ALIGNMENT);
    ((BlockHeader*)(void*)base)->size = size;
    count_live(1, (int64_t)size);
    return base + HED_ALIGNMENT;
}

void* hed_alloc_array(int64_t count, size_t size) {
    if (count < 0 || (size && (uint64_t)count > (uint64_t)PTRDIFF_MAX / size)) {
        return NULL;
    }
    return hed_alloc((size_t)count * size);
}

static BlockHeader* header_of(void* block) {
    return (BlockHeader*)(void*)((char*)block - HED_ALIGNMENT);
}

void* hed_realloc(void* block, size_t size) {
    void* fresh = hed_alloc(size);
    if (fresh && block) {
        size_t old = header_of(block)->size;
        memcpy(fresh, block, old < size ? old : size);
        hed_free(block);
    }
    return fresh;
}

void hed_free(void* block) {
    if (!block) {
        return;
    }
    BlockHeader* header = header_of(block);
    count_live(-1, -(int64_t)header->size);
    if (hook_release) {
        hook_release(header);
    } else {
        free(header);
    }
}
