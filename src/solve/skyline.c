// SPDX-License-Identifier: MIT
#include "solve/skyline.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

HedStatus hed_skyline_create(HedSkyline* matrix, int32_t size, const int32_t* low,
                             HedError* error) {
    *matrix = (HedSkyline){.size = size};
    matrix->low = HED_NEW_ARRAY(int32_t, size);
    matrix->first = HED_NEW_ARRAY(int64_t, (int64_t)size + 1);
    if (!matrix->low || !matrix->first) {
        hed_skyline_free(matrix);
        return hed_fail_memory(error, "the coarse matrix");
    }
    for (int32_t i = 0; i < size; ++i) {
        matrix->low[i] = low[i];
        matrix->first[i + 1] = matrix->first[i] + (i - low[i] + 1);
    }
    matrix->value = HED_NEW_ARRAY(double, matrix->first[size]);
    if (!matrix->value) {
        hed_skyline_free(matrix);
        return hed_fail_memory(error, "the coarse matrix");
    }
    return HED_OK;
}

void hed_skyline_free(HedSkyline* matrix) {
    hed_free(matrix->low);
    hed_free(matrix->first);
    hed_free(matrix->value);
    *matrix = (HedSkyline){0};
}

void hed_skyline_clear(HedSkyline* matrix) {
    memset(matrix->value, 0, sizeof(double) * (size_t)matrix->first[matrix->size]);
}

static double dot(const double* a, const double* b, int32_t count) {
    double lane[8] = {0};
    int32_t k = 0;
    for (; k + 8 <= count; k += 8) {
#pragma omp simd
        for (int l = 0; l < 8; ++l) {
            lane[l] += a[k + l] * b[k + l];
        }
    }
    double sum = 0.0;
    for (; k < count; ++k) {
        sum += a[k] * b[k];
    }
    for (int l = 0; l < 8; ++l) {
        sum += lane[l];
    }
    return sum;
}

bool hed_skyline_factor(HedSkyline* matrix) {
    bool ok = true;
    for (int32_t i = 0; i < matrix->size && ok; ++i) {
        double* row = matrix->value + matrix->first[i] - matrix->low[i];
        for (int32_t j = matrix->low[i]; j < i; ++j) {
            const double* other = matrix->value + matrix->first[j] - matrix->low[j];
            int32_t from = matrix->low[i] > matrix->low[j] ? matrix->low[i] : matrix->low[j];
            double rest = row[j] - dot(row + from, other + from, j - from);
            row[j] = other[j] > 0.0 ? rest / other[j] : 0.0;
        }
        double pivot = row[i] - dot(row + matrix->low[i], row + matrix->low[i], i - matrix->low[i]);
        const double nothing = 1e-11 * row[i]; // what rounding leaves of a dependent row
        ok = pivot >= -nothing;
        row[i] = pivot > nothing ? sqrt(pivot) : 0.0;
    }
    return ok;
}

void hed_skyline_solve(const HedSkyline* matrix, double* x) {
    for (int32_t i = 0; i < matrix->size; ++i) {
        const double* row = matrix->value + matrix->first[i] - matrix->low[i];
        double rest = x[i] - dot(row + matrix->low[i], x + matrix->low[i], i - matrix->low[i]);
        x[i] = row[i] > 0.0 ? rest / row[i] : 0.0;
    }
    for (int32_t i = matrix->size - 1; i >= 0; --i) {
        const double* row = matrix->value + matrix->first[i] - matrix->low[i];
        x[i] = row[i] > 0.0 ? x[i] / row[i] : 0.0;
        for (int32_t j = matrix->low[i]; j < i; ++j) {
            x[j] -= row[j] * x[i];
        }
    }
}
