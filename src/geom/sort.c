// SPDX-License-Identifier: MIT
// Radix sort from the least digit up. Digits that are equal in all keys cost nothing, so short keys
// are sorted in few passes. A few items are inserted one after the other instead: less work than
// clearing the counts of all digits.
#include "geom/sort.h"

#include "base/alloc.h"

#include <string.h>

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS };
enum { FEW = 64 };

static void insert_items(HedSortItem* items, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        HedSortItem item = items[i];
        int32_t place = i;
        for (; place > 0 && items[place - 1].key > item.key; --place) {
            items[place] = items[place - 1];
        }
        items[place] = item;
    }
}

static int32_t digit_of(uint64_t key, int digit) {
    return (int32_t)((key >> (digit * DIGIT_BITS)) & (BUCKETS - 1));
}

static void count_digits(const HedSortItem* items, int32_t count, int32_t* histogram) {
    for (int32_t i = 0; i < count; ++i) {
        for (int d = 0; d < DIGITS; ++d) {
            ++histogram[d * BUCKETS + digit_of(items[i].key, d)];
        }
    }
}

// Turns counts into the first place of each bucket.
static void counts_to_starts(int32_t* bucket) {
    int32_t start = 0;
    for (int32_t b = 0; b < BUCKETS; ++b) {
        int32_t size = bucket[b];
        bucket[b] = start;
        start += size;
    }
}

HedStatus hed_sort_items(HedSortItem* items, int32_t count, HedError* error) {
    if (count <= FEW) {
        insert_items(items, count);
        return HED_OK;
    }
    HedSortItem* scratch = HED_NEW_ARRAY(HedSortItem, count);
    int32_t* histogram = HED_NEW_ARRAY(int32_t, (int64_t)DIGITS * BUCKETS);
    if (!scratch || !histogram) {
        hed_free(scratch);
        hed_free(histogram);
        return hed_fail_memory(error, "sorting");
    }
    count_digits(items, count, histogram);
    HedSortItem* from = items;
    HedSortItem* to = scratch;
    for (int d = 0; d < DIGITS; ++d) {
        int32_t* bucket = histogram + d * BUCKETS;
        if (bucket[digit_of(from[0].key, d)] == count) {
            continue;
        }
        counts_to_starts(bucket);
        for (int32_t i = 0; i < count; ++i) {
            to[bucket[digit_of(from[i].key, d)]++] = from[i];
        }
        HedSortItem* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof(HedSortItem));
    }
    hed_free(scratch);
    hed_free(histogram);
    return HED_OK;
}
