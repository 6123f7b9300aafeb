// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // sched_getaffinity
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <sched.h>
#include <unistd.h>

#if defined(_OPENMP)
#include <omp.h>

// Cores that this process may use, which in a container can be fewer than there are.
static int32_t core_count(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0) {
        return CPU_COUNT(&cores);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
}
#endif

int32_t hed_thread_count(int32_t requested) {
#if defined(_OPENMP)
    // The OpenMP library ends the process if it cannot start a thread, so absurd requests are cut.
    enum { THREAD_LIMIT = 256 };
    return hed_min_i32(requested > 0 ? requested : core_count(), THREAD_LIMIT);
#else
    (void)requested;
    return 1;
#endif
}

int32_t hed_serial_begin(void) {
#if defined(_OPENMP)
    int32_t levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    return levels;
#else
    return 0;
#endif
}

void hed_serial_end(int32_t levels) {
#if defined(_OPENMP)
    omp_set_max_active_levels(levels);
#else
    (void)levels;
#endif
}

HedThreadTeam hed_thread_team(void) {
#if defined(_OPENMP)
    return (HedThreadTeam){omp_get_thread_num(), omp_get_num_threads()};
#else
    return HED_ALONE;
#endif
}

double hed_team_total(const HedTeam* team, int32_t block_count) {
    double sum = 0.0;
    for (int32_t b = 0; b < block_count; ++b) {
        sum += team->partial[b];
    }
    return sum;
}

// Eight sums side by side, so that the processor adds them at once; the order is the same
// everywhere.
static double dot_block(const double* a, const double* b, int32_t n) {
    double lane[HED_LANES] = {0};
    int32_t whole = n / HED_LANES * HED_LANES;
    for (int32_t i = 0; i < whole; i += HED_LANES) {
#pragma omp simd
        for (int l = 0; l < HED_LANES; ++l) {
            lane[l] += a[i + l] * b[i + l];
        }
    }
    double sum = 0.0;
    for (int l = 0; l < HED_LANES; ++l) {
        sum += lane[l];
    }
    for (int32_t i = whole; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double hed_team_dot(const HedTeam* team, const double* a, const double* b, int32_t n) {
    int32_t blocks = hed_block_count(n);
    HED_ASSERT(blocks <= team->partial_capacity);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, n / 2))
    for (int32_t k = 0; k < blocks; ++k) {
        int32_t start = k * HED_BLOCK;
        int32_t end = start + hed_min_i32(n - start, HED_BLOCK);
        team->partial[k] = dot_block(a + start, b + start, end - start);
    }
    return hed_team_total(team, blocks);
}

double hed_team_max_abs(const HedTeam* team, const double* a, int32_t n) {
    int32_t blocks = hed_block_count(n);
    HED_ASSERT(blocks <= team->partial_capacity);
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, n / 2))
    for (int32_t k = 0; k < blocks; ++k) {
        int32_t start = k * HED_BLOCK;
        int32_t end = start + hed_min_i32(n - start, HED_BLOCK);
        double largest = 0.0;
        for (int32_t i = start; i < end; ++i) {
            double size = fabs(a[i]);
            largest = size <= largest ? largest : size; // a NaN is kept
            if (isnan(size)) {
                break;
            }
        }
        team->partial[k] = largest;
    }
    double largest = 0.0;
    for (int32_t k = 0; k < blocks; ++k) {
        if (isnan(team->partial[k])) {
            return team->partial[k];
        }
        largest = fmax(largest, team->partial[k]);
    }
    return largest;
}

void hed_team_axpy(const HedTeam* team, double alpha, const double* x, double* y, int32_t n) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, n / 2))
    for (int32_t i = 0; i < n; ++i) {
        y[i] += alpha * x[i];
    }
}
