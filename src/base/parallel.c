// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <unistd.h>

int32_t hed_thread_count(int32_t requested) {
#if defined(_OPENMP)
    if (requested > 0) {
        return requested;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int32_t)cores : 1;
#else
    (void)requested;
    return 1;
#endif
}

double hed_team_total(const HedTeam* team, int32_t block_count) {
    double sum = 0.0;
    for (int32_t b = 0; b < block_count; ++b) {
        sum += team->partial[b];
    }
    return sum;
}

double hed_team_dot(const HedTeam* team, const double* a, const double* b, int32_t n) {
    int32_t blocks = hed_block_count(n);
    HED_ASSERT(blocks <= team->partial_capacity);
#pragma omp parallel for schedule(static) num_threads(team->threads)
    for (int32_t k = 0; k < blocks; ++k) {
        int32_t end = hed_min_i32(n, (k + 1) * HED_BLOCK);
        double sum = 0.0;
        for (int32_t i = k * HED_BLOCK; i < end; ++i) {
            sum += a[i] * b[i];
        }
        team->partial[k] = sum;
    }
    return hed_team_total(team, blocks);
}

double hed_team_max_abs(const HedTeam* team, const double* a, int32_t n) {
    int32_t blocks = hed_block_count(n);
    HED_ASSERT(blocks <= team->partial_capacity);
#pragma omp parallel for schedule(static) num_threads(team->threads)
    for (int32_t k = 0; k < blocks; ++k) {
        int32_t end = hed_min_i32(n, (k + 1) * HED_BLOCK);
        double largest = 0.0;
        for (int32_t i = k * HED_BLOCK; i < end; ++i) {
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
#pragma omp parallel for schedule(static) num_threads(team->threads)
    for (int32_t i = 0; i < n; ++i) {
        y[i] += alpha * x[i];
    }
}
