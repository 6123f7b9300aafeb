// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40 };

static void fill(unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(i * 37 + 11);
    }
}

static int bits_set(uint64_t x) {
    int count = 0;
    for (; x; x &= x - 1) {
        ++count;
    }
    return count;
}

Test(hash, each_flipped_bit_changes_many_bits) {
    unsigned char bytes[SIZE];
    fill(bytes, SIZE);
    double changed = 0.0;
    int flips = 0;
    for (size_t size = 1; size <= SIZE; ++size) {
        uint64_t original = hed_hash(0, bytes, size);
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t difference = hed_hash(0, bytes, size) ^ original;
            cr_assert_neq(difference, 0, "bit %zu of %zu bytes", bit, size);
            changed += bits_set(difference);
            ++flips;
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
    // A random function changes 32 of 64 bits; the mean of 6560 such draws has deviation 0.05.
    // This is no cryptographic hash: 28 is asked for.
    cr_assert_geq(changed / flips, 28.0, "mean %.2f", changed / flips);
}

static int compare(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a;
    uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Random 64-bit values would collide with a chance of 1e10 / 2 / 2^64 = 3e-10.
static void expect_distinct(uint64_t* hashes, size_t count) {
    qsort(hashes, count, sizeof hashes[0], compare);
    for (size_t i = 1; i < count; ++i) {
        cr_assert_neq(hashes[i], hashes[i - 1]);
    }
}

Test(hash, small_inputs_do_not_collide) {
    enum { COUNT = 100000 };
    static uint64_t hashes[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        hashes[i] = hed_hash(0, &i, sizeof i);
    }
    expect_distinct(hashes, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        double x = 1e-3 * i;
        hashes[i] = hed_hash(0, &x, sizeof x);
    }
    expect_distinct(hashes, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        char text[24];
        int size = snprintf(text, sizeof text, "%u", i);
        hashes[i] = hed_hash(0, text, (size_t)size);
    }
    expect_distinct(hashes, COUNT);
}

Test(hash, length_and_seed_count) {
    unsigned char zeros[64] = {0};
    uint64_t hashes[2 * 65];
    for (size_t size = 0; size <= 64; ++size) {
        hashes[2 * size] = hed_hash(0, zeros, size);
        hashes[2 * size + 1] = hed_hash(1, zeros, size);
    }
    expect_distinct(hashes, 2 * 65);
}

Test(hash, reads_only_its_bytes_at_any_alignment) {
    unsigned char bytes[SIZE];
    fill(bytes, SIZE);
    uint64_t expected = hed_hash(5, bytes, 19);
    for (size_t shift = 0; shift < 16; ++shift) {
        unsigned char moved[SIZE + 16];
        memset(moved, (int)shift, sizeof moved);
        memcpy(moved + shift, bytes, 19);
        cr_assert_eq(hed_hash(5, moved + shift, 19), expected);
    }
    cr_assert_eq(hed_hash(5, NULL, 0), hed_hash(5, bytes, 0));
}
