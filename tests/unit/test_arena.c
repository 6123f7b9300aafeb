// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arena, blocks_are_aligned_and_apart) {
    HedArena arena = {0};
    enum { COUNT = 400 };
    unsigned char* block[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        block[i] = HED_PUSH(&arena, unsigned char, i * 5);
        cr_assert_not_null(block[i]);
        cr_assert_eq((uintptr_t)block[i] % HED_ALIGNMENT, 0);
        memset(block[i], i & 0xFF, (size_t)i * 5);
    }
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < i * 5; ++j) {
            cr_assert_eq(block[i][j], i & 0xFF);
        }
    }
    hed_arena_free(&arena);
}

Test(arena, second_round_after_reset_needs_no_heap) {
    HedArena arena = {0};
    HedArenaMark start = hed_arena_mark(&arena);
    void* first[3] = {0};
    int64_t calls = 0;
    for (int round = 0; round < 3; ++round) {
        void* got[3] = {
            HED_PUSH(&arena, double, 100),
            HED_PUSH(&arena, double, 100000), // more than a first chunk
            HED_PUSH(&arena, double, 200000),
        };
        if (round == 0) {
            memcpy(first, got, sizeof got);
            calls = hed_alloc_stats().call_count;
        }
        cr_assert_eq(memcmp(first, got, sizeof got), 0);
        hed_arena_reset(&arena, start);
    }
    cr_assert_eq(hed_alloc_stats().call_count, calls);
    hed_arena_free(&arena);
}

Test(arena, reset_to_a_mark_keeps_what_is_below) {
    HedArena arena = {0};
    int32_t* below = HED_PUSH(&arena, int32_t, 1000);
    for (int32_t i = 0; i < 1000; ++i) {
        below[i] = i;
    }
    HedArenaMark mark = hed_arena_mark(&arena);
    for (int round = 0; round < 20; ++round) {
        int64_t count = 5000 * (round + 1);
        char* above = HED_PUSH(&arena, char, count);
        memset(above, 0xFF, (size_t)count);
        hed_arena_reset(&arena, mark);
    }
    for (int32_t i = 0; i < 1000; ++i) {
        cr_assert_eq(below[i], i);
    }
    hed_arena_free(&arena);
}

Test(arena, bad_counts_give_null) {
    HedArena arena = {0};
    cr_assert_null(hed_arena_push(&arena, -1, 8));
    cr_assert_null(hed_arena_push(&arena, INT64_MAX, 8));
    cr_assert_not_null(hed_arena_push(&arena, 0, 8));
    hed_arena_free(&arena);
}

Test(arena, every_failing_allocation_is_survived) {
    HedAllocStats before = hed_alloc_stats();
    for (int n = 1; n <= 4; ++n) { // two chunks, each a node and its bytes
        HedArena arena = {0};
        hed_alloc_fail_at(n);
        bool small = HED_PUSH(&arena, char, 10) != NULL;
        bool large = HED_PUSH(&arena, char, 1 << 20) != NULL;
        cr_assert(!(small && large), "allocation %d failed without notice", n);
        hed_alloc_fail_at(0);
        char* later = HED_PUSH(&arena, char, 1 << 20);
        cr_assert_not_null(later);
        memset(later, 1, 1 << 20);
        hed_arena_free(&arena);
        cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
    }
}

Test(arena, free_ends_in_an_empty_arena) {
    HedArena arena = {0};
    hed_arena_free(&arena);
    cr_assert_not_null(HED_PUSH(&arena, char, 1));
    hed_arena_free(&arena);
    cr_assert(arena.first == NULL && arena.current == NULL && arena.used == 0);
}
