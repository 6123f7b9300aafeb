// SPDX-License-Identifier: MIT
#include "solve/tridiagonal.h"

#include <math.h>

// The inverse of a pivot whose diagonal entry was `entry`; 0 for a pivot that counts as zero.
static double invert(double pivot, double entry, double* least) {
    double part = entry != 0.0 ? pivot / fabs(entry) : 0.0;
    *least = part < *least || isnan(part) ? part : *least;
    return fabs(part) > HED_TRIDIAGONAL_ZERO ? 1.0 / pivot : 0.0;
}

// diagonal becomes the inverse pivots, off the multipliers below them. The last row of a ring is
// filled by the elimination: border becomes its multipliers.
double hed_tridiagonal_factor(const HedTridiagonal* matrix) {
    double* d = matrix->diagonal;
    double* off = matrix->off;
    double* border = matrix->border;
    double least = 1.0;
    int32_t open = matrix->is_ring ? matrix->size - 1 : matrix->size;
    if (matrix->size < 1) {
        return least;
    }
    double last_entry = d[matrix->size - 1];
    double last = last_entry;
    double fill = matrix->is_ring ? off[matrix->size - 1] : 0.0;
    double carry = 0.0; // what elimination took from the next diagonal entry
    for (int32_t i = 0; i < open; ++i) {
        double inverse = invert(d[i] - carry, d[i], &least);
        d[i] = inverse;
        bool is_next = i + 1 < open;
        double next = is_next ? off[i] : 0.0;
        carry = next * next * inverse;
        if (matrix->is_ring) {
            double row = fill + (is_next ? 0.0 : off[i]);
            border[i] = row * inverse;
            last -= row * border[i];
            fill = -next * border[i];
        }
        if (is_next) {
            off[i] = next * inverse;
        }
    }
    if (matrix->is_ring) {
        d[matrix->size - 1] = invert(last, last_entry, &least);
    }
    return least;
}

void hed_tridiagonal_solve(const HedTridiagonal* matrix, double* x) {
    const double* d = matrix->diagonal;
    const double* off = matrix->off;
    int32_t last = matrix->size - 1;
    int32_t open = matrix->is_ring ? last : matrix->size;
    for (int32_t i = 1; i < open; ++i) {
        x[i] -= off[i - 1] * x[i - 1];
    }
    double end = 0.0;
    if (matrix->is_ring) {
        for (int32_t i = 0; i < open; ++i) {
            x[last] -= matrix->border[i] * x[i];
        }
        x[last] *= d[last];
        end = x[last];
    }
    for (int32_t i = open - 1; i >= 0; --i) {
        double next = i + 1 < open ? off[i] * x[i + 1] : 0.0;
        double ring = matrix->is_ring ? matrix->border[i] * end : 0.0;
        x[i] = x[i] * d[i] - next - ring;
    }
}
