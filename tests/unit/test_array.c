// SPDX-License-Identifier: MIT
#include "base/array.h"

#include <criterion/criterion.h>

typedef struct Pair {
    int32_t first;
    double second;
} Pair;

Test(array, grows_and_keeps_every_value) {
    HED_ARRAY(Pair) pairs = {0};
    for (int32_t i = 0; i < 10000; ++i) {
        cr_assert(HED_APPEND(&pairs, (Pair){i, 0.5 * i}));
        cr_assert_leq(pairs.count, pairs.capacity);
    }
    cr_assert_eq(pairs.count, 10000);
    for (int32_t i = 0; i < pairs.count; ++i) {
        cr_assert(pairs.data[i].first == i && pairs.data[i].second == 0.5 * i);
    }
    hed_free(pairs.data);
}

Test(array, appending_costs_few_allocations) {
    int64_t before = hed_alloc_stats().call_count;
    HED_ARRAY(int32_t) numbers = {0};
    for (int32_t i = 0; i < 1000000; ++i) {
        cr_assert(HED_APPEND(&numbers, i));
    }
    // Growing by half each time from 16 reaches 10^6 in log(10^6 / 16) / log(1.5) < 28 steps.
    cr_assert_leq(hed_alloc_stats().call_count - before, 30);
    hed_free(numbers.data);
}

Test(array, reserve_then_append_needs_no_heap) {
    HED_ARRAY(double) numbers = {0};
    cr_assert(HED_RESERVE(&numbers, 1000));
    cr_assert_eq(numbers.count, 0);
    int64_t calls = hed_alloc_stats().call_count;
    for (int i = 0; i < 1000; ++i) {
        cr_assert(HED_APPEND(&numbers, i));
    }
    cr_assert_eq(hed_alloc_stats().call_count, calls);
    hed_free(numbers.data);
}

Test(array, failed_growth_changes_nothing) {
    HED_ARRAY(int32_t) numbers = {0};
    while (numbers.count == 0 || numbers.count < numbers.capacity) {
        cr_assert(HED_APPEND(&numbers, numbers.count));
    }
    int32_t count = numbers.count;
    int32_t* data = numbers.data;
    hed_alloc_fail_at(1);
    cr_assert_not(HED_APPEND(&numbers, 7));
    cr_assert(numbers.count == count && numbers.capacity == count && numbers.data == data);
    cr_assert(HED_APPEND(&numbers, count));
    for (int32_t i = 0; i < numbers.count; ++i) {
        cr_assert_eq(numbers.data[i], i);
    }
    hed_free(numbers.data);
}

Test(array, absurd_sizes_are_refused) {
    HED_ARRAY(Pair) pairs = {0};
    cr_assert_not(HED_RESERVE(&pairs, (int64_t)INT32_MAX + 1));
    cr_assert_not(HED_RESERVE(&pairs, INT64_MAX / 2));
    void* data = NULL;
    int32_t capacity = 0;
    cr_assert_not(hed_array_grow(&data, &capacity, INT32_MAX, (size_t)PTRDIFF_MAX / 2));
    cr_assert(pairs.data == NULL && pairs.capacity == 0 && data == NULL && capacity == 0);
}
