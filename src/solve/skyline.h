// SPDX-License-Identifier: MIT
// A symmetric positive matrix stored in rows from their first entry to the diagonal, and its
// Cholesky factor in the same place: for coarse problems of some thousand unknowns, numbered so
// that neighbours have near numbers.
#ifndef HED_SOLVE_SKYLINE_H
#define HED_SOLVE_SKYLINE_H

#include "base/status.h"

typedef struct HedSkyline {
    int32_t size;
    int32_t* low;   // first column of each row
    int64_t* first; // place of that entry; size + 1
    double* value;
} HedSkyline;

/// low[i] <= i: the first column of row i. Copied.
HedStatus hed_skyline_create(HedSkyline* matrix, int32_t size, const int32_t* low, HedError* error);
void hed_skyline_free(HedSkyline* matrix);
void hed_skyline_clear(HedSkyline* matrix);

/// The entry (row, column) with low[row] <= column <= row.
static inline double* hed_skyline_at(HedSkyline* matrix, int32_t row, int32_t column) {
    return &matrix->value[matrix->first[row] + column - matrix->low[row]];
}

/// Replaces the matrix by its factor; false if it is not positive semidefinite. Unknowns that
/// depend on earlier ones, or have no entries, are left out: they get zero.
bool hed_skyline_factor(HedSkyline* matrix);

/// Solves in place with a factored matrix.
void hed_skyline_solve(const HedSkyline* matrix, double* x);

#endif
