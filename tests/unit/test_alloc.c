// SPDX-License-Identifier: MIT
#include "base/alloc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero(const unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

Test(alloc, is_aligned_zeroed_and_writable) {
    for (size_t size = 0; size < 300; ++size) {
        unsigned char* block = hed_alloc(size);
        cr_assert_not_null(block);
        cr_assert_eq((uintptr_t)block % HED_ALIGNMENT, 0);
        cr_assert(is_zero(block, size));
        memset(block, 0xAB, size);
        hed_free(block);
    }
}

Test(alloc, counts_blocks_bytes_calls_and_peak) {
    HedAllocStats before = hed_alloc_stats();
    void* a = hed_alloc(1000);
    void* b = hed_alloc(24);
    HedAllocStats both = hed_alloc_stats();
    cr_assert_eq(both.live_count - before.live_count, 2);
    cr_assert_eq(both.live_bytes - before.live_bytes, 1024);
    cr_assert_eq(both.call_count - before.call_count, 2);
    cr_assert_geq(both.peak_bytes, both.live_bytes);
    hed_free(a);
    hed_free(b);
    HedAllocStats after = hed_alloc_stats();
    cr_assert_eq(after.live_count, before.live_count);
    cr_assert_eq(after.live_bytes, before.live_bytes);
    cr_assert_eq(after.peak_bytes, both.peak_bytes);
}

Test(alloc, free_accepts_null) {
    HedAllocStats before = hed_alloc_stats();
    hed_free(NULL);
    cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
}

Test(alloc, nth_call_fails_and_only_that_one) {
    for (int n = 1; n <= 5; ++n) {
        hed_alloc_fail_at(n);
        for (int call = 1; call <= 7; ++call) {
            void* block = hed_alloc(8);
            cr_assert_eq(block == NULL, call == n, "fail at %d, call %d", n, call);
            hed_free(block);
        }
    }
    hed_alloc_fail_at(2);
    hed_alloc_fail_at(0);
    for (int call = 0; call < 4; ++call) {
        void* block = hed_alloc(8);
        cr_assert_not_null(block);
        hed_free(block);
    }
}

Test(alloc, a_failed_call_is_counted_but_holds_nothing) {
    HedAllocStats before = hed_alloc_stats();
    hed_alloc_fail_at(1);
    cr_assert_null(hed_alloc(8));
    HedAllocStats after = hed_alloc_stats();
    cr_assert_eq(after.call_count, before.call_count + 1);
    cr_assert_eq(after.live_count, before.live_count);
    cr_assert_eq(after.live_bytes, before.live_bytes);
}

Test(alloc, impossible_sizes_give_null) {
    cr_assert_null(hed_alloc(SIZE_MAX));
    cr_assert_null(hed_alloc(PTRDIFF_MAX));
    cr_assert_null(hed_alloc_array(-1, 8));
    cr_assert_null(hed_alloc_array(INT64_MAX, 8));
    cr_assert_null(hed_alloc_array((int64_t)1 << 61, 16)); // the product is 2^65, which wraps to 0
    void* empty = hed_alloc_array(0, 8);
    cr_assert_not_null(empty);
    hed_free(empty);
}

Test(alloc, realloc_keeps_data_and_zeroes_the_rest) {
    size_t sizes[] = {1, 63, 64, 65, 500, 100, 7, 0, 4096};
    unsigned char* block = hed_realloc(NULL, 0);
    size_t old = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        block = hed_realloc(block, sizes[k]);
        cr_assert_not_null(block);
        size_t kept = old < sizes[k] ? old : sizes[k];
        for (size_t i = 0; i < kept; ++i) {
            cr_assert_eq(block[i], (unsigned char)(i * 7 + 1));
        }
        cr_assert(is_zero(block + kept, sizes[k] - kept));
        for (size_t i = 0; i < sizes[k]; ++i) {
            block[i] = (unsigned char)(i * 7 + 1);
        }
        old = sizes[k];
    }
    hed_free(block);
}

Test(alloc, failed_realloc_leaves_the_block_alone) {
    HedAllocStats before = hed_alloc_stats();
    char* block = hed_alloc(16);
    strcpy(block, "kept");
    hed_alloc_fail_at(1);
    cr_assert_null(hed_realloc(block, 64));
    cr_assert_str_eq(block, "kept");
    hed_free(block);
    cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
}

static int hook_allocations;
static int hook_releases;

static void* counting_allocate(size_t size, size_t alignment) {
    ++hook_allocations;
    return aligned_alloc(alignment, size);
}

static void counting_release(void* block) {
    ++hook_releases;
    free(block);
}

static void* refusing_allocate(size_t size, size_t alignment) {
    (void)size;
    (void)alignment;
    return NULL;
}

Test(alloc, hooks_replace_the_heap) {
    hed_alloc_set_hooks(counting_allocate, counting_release);
    int* value = HED_NEW(int);
    int* array = HED_NEW_ARRAY(int, 10);
    cr_assert(value && array);
    hed_free(value);
    hed_free(array);
    cr_assert_eq(hook_allocations, 2);
    cr_assert_eq(hook_releases, 2);
    HedAllocStats before = hed_alloc_stats();
    hed_alloc_set_hooks(refusing_allocate, counting_release);
    cr_assert_null(hed_alloc(1));
    cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
    hed_alloc_set_hooks(NULL, NULL);
    void* block = hed_alloc(1);
    cr_assert_not_null(block);
    hed_free(block);
    cr_assert_eq(hook_allocations, 2);
}
