// SPDX-License-Identifier: MIT
// Work in which the first, the second, ... allocation fails.
#ifndef TESTS_SUPPORT_NO_MEMORY_H
#define TESTS_SUPPORT_NO_MEMORY_H

#include "base/alloc.h"

#include <criterion/criterion.h>

/// Lets one allocation after the other fail until the work succeeds: each time it must say
/// HED_NO_MEMORY and leave nothing behind. At least `least` allocations must take part.
static inline void expect_no_memory(HedStatus (*work)(void), int64_t least) {
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 0;
    while (status == HED_NO_MEMORY) {
        hed_alloc_fail_at(++n);
        status = work();
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    cr_assert_eq(status, HED_OK);
    cr_assert_gt(n, least);
}

#endif
