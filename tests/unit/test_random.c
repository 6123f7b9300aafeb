// SPDX-License-Identifier: MIT
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_words(HedRandom4 got, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    cr_assert(got.word[0] == a && got.word[1] == b && got.word[2] == c && got.word[3] == d,
              "%08x %08x %08x %08x", got.word[0], got.word[1], got.word[2], got.word[3]);
}

// The known answers published with the generator (Random123 1.14, kat_vectors, philox4x32 10).
Test(random, philox_known_answers) {
    HedRandom4 zero = {{0, 0, 0, 0}};
    expect_words(hed_philox(zero, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    HedRandom4 ones = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    expect_words(hed_philox(ones, UINT32_MAX, UINT32_MAX), 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                 0x6d5451fd);
    HedRandom4 pi = {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    expect_words(hed_philox(pi, 0xa4093822, 0x299f31d0), 0xd16cfe09, 0x94fdcceb, 0x5001e420,
                 0x24126ea1);
}

enum { DRAWS = 200000 };

Test(random, uniform_moments) {
    double sum = 0.0;
    double squares = 0.0;
    double neighbours = 0.0;
    int32_t bins[16] = {0};
    double last = 0.5;
    for (uint64_t i = 0; i < DRAWS; ++i) {
        double u = hed_random_uniform(42, 7, i);
        cr_assert(u >= 0.0 && u < 1.0);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        neighbours += (u - 0.5) * (last - 0.5);
        ++bins[(int)(16.0 * u)];
        last = u;
    }
    // Five standard deviations of each estimate: mean sqrt(1/12/N), variance sqrt(1/180/N),
    // covariance 1/12/sqrt(N), bins sqrt(N/16).
    cr_assert_lt(fabs(sum / DRAWS - 0.5), 5.0 * sqrt(1.0 / 12.0 / DRAWS));
    cr_assert_lt(fabs(squares / DRAWS - 1.0 / 12.0), 5.0 * sqrt(1.0 / 180.0 / DRAWS));
    cr_assert_lt(fabs(neighbours / DRAWS), 5.0 / 12.0 / sqrt(DRAWS));
    for (int k = 0; k < 16; ++k) {
        cr_assert_lt(fabs(bins[k] - DRAWS / 16.0), 5.0 * sqrt(DRAWS / 16.0));
    }
}

Test(random, normal_moments) {
    double moment[5] = {0.0};
    int32_t beyond = 0;
    for (uint64_t i = 0; i < DRAWS; ++i) {
        double x = hed_random_normal(42, 7, i);
        cr_assert(isfinite(x));
        double power = 1.0;
        for (int k = 0; k < 5; ++k) {
            moment[k] += power / DRAWS;
            power *= x;
        }
        beyond += fabs(x) > 1.959963984540054; // leaves 5 % outside
    }
    // Deviations of the estimates: x: 1, x^2: sqrt(2), x^3: sqrt(15), x^4: sqrt(96), over sqrt(N).
    double unit = 5.0 / sqrt(DRAWS);
    cr_assert_lt(fabs(moment[1]), unit);
    cr_assert_lt(fabs(moment[2] - 1.0), sqrt(2.0) * unit);
    cr_assert_lt(fabs(moment[3]), sqrt(15.0) * unit);
    cr_assert_lt(fabs(moment[4] - 3.0), sqrt(96.0) * unit);
    cr_assert_lt(fabs(beyond - 0.05 * DRAWS), 5.0 * sqrt(0.05 * 0.95 * DRAWS));
}

Test(random, depends_on_all_of_seed_stream_and_counter) {
    double base = hed_random_uniform(1, 2, 3);
    cr_assert_eq(hed_random_uniform(1, 2, 3), base);
    for (int bit = 0; bit < 64; ++bit) {
        uint64_t flip = (uint64_t)1 << bit;
        cr_assert_neq(hed_random_uniform(1 ^ flip, 2, 3), base);
        cr_assert_neq(hed_random_uniform(1, 2 ^ flip, 3), base);
        cr_assert_neq(hed_random_uniform(1, 2, 3 ^ flip), base);
    }
}
