// SPDX-License-Identifier: MIT
// Symmetric tridiagonal systems, open or closed to a ring, by L D L'.
#ifndef HED_SOLVE_TRIDIAGONAL_H
#define HED_SOLVE_TRIDIAGONAL_H

#include <stdbool.h>
#include <stdint.h>

/// The arrays belong to the caller. A ring has at least 3 unknowns; off[size - 1] then couples the
/// last with the first, and border is needed.
typedef struct HedTridiagonal {
    int32_t size;
    bool is_ring;
    double* diagonal; // size
    double* off;      // size - 1 (ring: size); off[i] couples i and i + 1
    double* border;   // size, for rings; written by factor
} HedTridiagonal;

/// A pivot below this part of its diagonal entry counts as zero.
static const double HED_TRIDIAGONAL_ZERO = 1e-13;

/// Replaces the arrays by the factor. Returns the smallest pivot as a part of its diagonal entry
/// (of either sign): above HED_TRIDIAGONAL_ZERO the matrix is positive definite, below its negative
/// it is indefinite. Unknowns whose pivot counts as zero will get the value zero. 1 for size 0.
double hed_tridiagonal_factor(const HedTridiagonal* matrix);

/// Solves in place with a factored matrix.
void hed_tridiagonal_solve(const HedTridiagonal* matrix, double* x);

#endif
