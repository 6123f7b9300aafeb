// SPDX-License-Identifier: MIT
// Preconditioned conjugate gradients (Hestenes and Stiefel 1952) with the filter of Ascher and
// Boxerman 2003: right-hand side, preconditioned residuals and search directions all stay in the
// filtered space.
#include "solve/pcg.h"

#include <math.h>
#include <string.h>

static void filter_in_place(const HedPcg* pcg, double* x) {
    if (pcg->filter.apply) {
        pcg->filter.apply(pcg->filter.context, x, x);
    }
}

// x += alpha p and r -= alpha q in one pass.
static void advance(const HedPcg* pcg, double alpha, const double* p, const double* q, double* x,
                    double* r) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(pcg->team, pcg->size))
    for (int32_t i = 0; i < pcg->size; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
}

// p = z + beta p
static void update_direction(const HedPcg* pcg, const double* z, double beta, double* p) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(pcg->team, pcg->size / 2))
    for (int32_t i = 0; i < pcg->size; ++i) {
        p[i] = z[i] + beta * p[i];
    }
}

static HedPcgReport outcome(HedPcgReason reason, int32_t iterations, double rz, double rz0) {
    double start = sqrt(fmax(0.0, rz0));
    return (HedPcgReport){reason, iterations, start > 0.0 ? sqrt(fabs(rz)) / start : 0.0, start};
}

HedPcgReport hed_pcg_solve(const HedPcg* pcg, const double* b, double* x) {
    int32_t n = pcg->size;
    double* r = pcg->work;
    double* z = r + n;
    double* p = z + n;
    double* q = p + n;
    memset(x, 0, sizeof(double) * (size_t)n);
    memcpy(r, b, sizeof(double) * (size_t)n);
    filter_in_place(pcg, r);
    pcg->precondition.apply(pcg->precondition.context, r, z);
    filter_in_place(pcg, z);
    memcpy(p, z, sizeof(double) * (size_t)n);
    double rz = hed_team_dot(pcg->team, r, z, n);
    double rz0 = rz;
    if (!(rz > 0.0)) {
        HedPcgReason reason = rz == 0.0 ? HED_PCG_CONVERGED : HED_PCG_NOT_POSITIVE;
        return outcome(isfinite(rz) ? reason : HED_PCG_NOT_FINITE, 0, rz, rz0);
    }
    double goal = fmax(pcg->tolerance * pcg->tolerance * rz0, pcg->enough * pcg->enough);
    if (rz <= pcg->enough * pcg->enough) {
        return outcome(HED_PCG_CONVERGED, 0, rz, rz0);
    }
    for (int32_t k = 1; k <= pcg->max_iterations; ++k) {
        if (hed_watch_stops(pcg->watch)) {
            return outcome(HED_PCG_STOPPED, k - 1, rz, rz0);
        }
        pcg->matrix.apply(pcg->matrix.context, p, q);
        filter_in_place(pcg, q);
        double curvature = hed_team_dot(pcg->team, p, q, n);
        if (!isfinite(curvature)) {
            return outcome(HED_PCG_NOT_FINITE, k, rz, rz0);
        }
        if (curvature <= 0.0) {
            return outcome(HED_PCG_NOT_POSITIVE, k, rz, rz0);
        }
        double alpha = rz / curvature;
        advance(pcg, alpha, p, q, x, r);
        pcg->precondition.apply(pcg->precondition.context, r, z);
        filter_in_place(pcg, z);
        double next = hed_team_dot(pcg->team, r, z, n);
        if (fabs(next) <= goal) {
            return outcome(HED_PCG_CONVERGED, k, next, rz0);
        }
        if (next < 0.0) {
            return outcome(HED_PCG_NOT_POSITIVE, k, next, rz0);
        }
        update_direction(pcg, z, next / rz, p);
        rz = next;
    }
    return outcome(HED_PCG_MAX_ITERATIONS, pcg->max_iterations, rz, rz0);
}
