// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 100000 };

static const int32_t SIZES[] = {0, 1, 2, 1023, 1024, 1025, 2048, 40000, MOST};
static const int32_t THREADS[] = {1, 2, 3, 8};

enum {
    SIZE_COUNT = sizeof SIZES / sizeof SIZES[0],
    THREAD_COUNT = sizeof THREADS / sizeof THREADS[0]
};

// Numbers of very different sizes and both signs: any change of order changes the last bits.
static double* draw_numbers(uint64_t stream) {
    double* numbers = HED_NEW_ARRAY(double, MOST);
    for (int32_t i = 0; i < MOST; ++i) {
        double size = exp(10.0 * hed_random_normal(3, stream, (uint64_t)i));
        numbers[i] = i % 3 == 0 ? -size : size;
    }
    return numbers;
}

static HedTeam make_team(int32_t threads) {
    int32_t blocks = hed_block_count(MOST);
    return (HedTeam){threads, HED_NEW_ARRAY(double, blocks), blocks};
}

Test(parallel, dot_has_the_same_bits_for_any_thread_count) {
    double* a = draw_numbers(1);
    double* b = draw_numbers(2);
    for (int s = 0; s < SIZE_COUNT; ++s) {
        double first = 0.0;
        for (int t = 0; t < THREAD_COUNT; ++t) {
            HedTeam team = make_team(THREADS[t]);
            double sum = hed_team_dot(&team, a, b, SIZES[s]);
            first = t == 0 ? sum : first;
            cr_assert_eq(memcmp(&sum, &first, sizeof sum), 0, "%d numbers, %d threads", SIZES[s],
                         THREADS[t]);
            hed_free(team.partial);
        }
    }
    hed_free(a);
    hed_free(b);
}

Test(parallel, dot_is_accurate) {
    double* a = draw_numbers(1);
    double* b = draw_numbers(2);
    HedTeam team = make_team(2);
    for (int s = 0; s < SIZE_COUNT; ++s) {
        long double exact = 0.0L;
        long double size = 0.0L;
        for (int32_t i = 0; i < SIZES[s]; ++i) {
            exact += (long double)a[i] * b[i];
            size += fabsl((long double)a[i] * b[i]);
        }
        // A product passes through at most one block and the sum of blocks: 1024 + 98 additions.
        double bound = (double)size * DBL_EPSILON * (HED_BLOCK + hed_block_count(MOST));
        double sum = hed_team_dot(&team, a, b, SIZES[s]);
        cr_assert_leq(fabs(sum - (double)exact), bound);
    }
    hed_free(team.partial);
    hed_free(a);
    hed_free(b);
}

Test(parallel, dot_of_whole_numbers_is_exact) {
    double* a = HED_NEW_ARRAY(double, MOST);
    for (int32_t i = 0; i < MOST; ++i) {
        a[i] = i + 1;
    }
    HedTeam team = make_team(3);
    double n = MOST;
    cr_assert_eq(hed_team_dot(&team, a, a, MOST), n * (n + 1) * (2 * n + 1) / 6);
    hed_free(team.partial);
    hed_free(a);
}

Test(parallel, max_abs_finds_the_largest_and_keeps_nan) {
    double* a = draw_numbers(4);
    HedTeam team = make_team(3);
    cr_assert_eq(hed_team_max_abs(&team, a, 0), 0.0);
    for (int s = 1; s < SIZE_COUNT; ++s) {
        int32_t n = SIZES[s];
        int32_t places[] = {0, n / 2, n - 1};
        for (int k = 0; k < 3; ++k) {
            double kept = a[places[k]];
            a[places[k]] = -1e300;
            cr_assert_eq(hed_team_max_abs(&team, a, n), 1e300);
            a[places[k]] = NAN;
            cr_assert(isnan(hed_team_max_abs(&team, a, n)), "NaN at %d of %d", places[k], n);
            a[places[k]] = -INFINITY;
            cr_assert_eq(hed_team_max_abs(&team, a, n), INFINITY);
            a[places[k]] = kept;
        }
    }
    hed_free(team.partial);
    hed_free(a);
}

Test(parallel, max_abs_keeps_nan_beside_larger_numbers) {
    HedTeam team = make_team(2);
    double* a = HED_NEW_ARRAY(double, 5000);
    a[1500] = NAN;
    a[1499] = 1e300;
    a[1501] = 1e301;
    a[4999] = INFINITY;
    cr_assert(isnan(hed_team_max_abs(&team, a, 5000)));
    hed_free(a);
    hed_free(team.partial);
}

Test(parallel, axpy_adds_in_place) {
    for (int t = 0; t < THREAD_COUNT; ++t) {
        HedTeam team = make_team(THREADS[t]);
        double* x = HED_NEW_ARRAY(double, MOST);
        double* y = HED_NEW_ARRAY(double, MOST);
        for (int32_t i = 0; i < MOST; ++i) {
            x[i] = i;
            y[i] = 1.0;
        }
        hed_team_axpy(&team, -0.5, x, y, MOST);
        for (int32_t i = 0; i < MOST; ++i) {
            cr_assert_eq(y[i], 1.0 - 0.5 * i);
        }
        hed_free(x);
        hed_free(y);
        hed_free(team.partial);
    }
}

Test(parallel, total_adds_in_order) {
    double partial[] = {1e16, 1.0, -1e16, 1.0};
    HedTeam team = {1, partial, 4};
    // In order: 1e16 + 1 rounds to 1e16, so the first one is lost.
    cr_assert_eq(hed_team_total(&team, 4), 1.0);
    cr_assert_eq(hed_team_total(&team, 0), 0.0);
}

Test(parallel, shares_follow_each_other) {
    for (int32_t size = 1; size <= 7; ++size) {
        int32_t next = 5;
        for (int32_t rank = 0; rank < size; ++rank) {
            HedShare share = hed_thread_team_share((HedThreadTeam){rank, size}, 5, 10);
            cr_assert_eq(share.first, next);
            cr_assert_geq(share.end, share.first);
            next = share.end;
        }
        cr_assert_eq(next, 10);
    }
    // No overflow.
    HedShare last = hed_thread_team_share((HedThreadTeam){255, 256}, 0, INT32_MAX);
    cr_assert_eq(last.end, INT32_MAX);
}

// Each of many loops needs what the other threads wrote in the one before.
Test(parallel, threads_meet_at_barriers) {
    enum { COUNT = 100, LOOPS = 200 };
    for (int32_t size = 1; size <= 4; ++size) {
        int32_t value[2][COUNT] = {{0}};
#pragma omp parallel num_threads(size)
        {
            HedThreadTeam threads = hed_thread_team();
            HedShare own = hed_thread_team_share(threads, 0, COUNT);
            for (int32_t k = 0; k < LOOPS; ++k) {
                for (int32_t i = own.first; i < own.end; ++i) {
                    value[(k + 1) % 2][i] = value[k % 2][COUNT - 1 - i] + 1;
                }
                hed_thread_team_barrier(threads);
            }
        }
        for (int32_t i = 0; i < COUNT; ++i) {
            cr_assert_eq(value[LOOPS % 2][i], LOOPS);
        }
    }
}

Test(parallel, block_count_covers) {
    cr_assert_eq(hed_block_count(0), 0);
    cr_assert_eq(hed_block_count(1), 1);
    cr_assert_eq(hed_block_count(HED_BLOCK), 1);
    cr_assert_eq(hed_block_count(HED_BLOCK + 1), 2);
    cr_assert_eq(hed_block_count(INT32_MAX), 2097152);
}

Test(parallel, thread_count_is_sensible) {
    cr_assert_geq(hed_thread_count(0), 1);
    cr_assert_geq(hed_thread_count(-5), 1);
    cr_assert_leq(hed_thread_count(INT32_MAX), 256);
#if defined(_OPENMP)
    cr_assert_eq(hed_thread_count(3), 3);
#else
    cr_assert_eq(hed_thread_count(3), 1);
#endif
}
