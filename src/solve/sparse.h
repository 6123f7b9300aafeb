// SPDX-License-Identifier: MIT
// Symmetric sparse matrices of numbers and their exact Cholesky factors: for graphs of some hundred
// thousand nodes whose neighbours lie about a surface.
#ifndef HED_SOLVE_SPARSE_H
#define HED_SOLVE_SPARSE_H

#include "base/status.h"

/// An entry off the diagonal stands for its mirror image, too. Entries of one place are added.
typedef struct HedSparseEntry {
    int32_t row, column;
    double value;
} HedSparseEntry;

/// Whole rows, with their diagonal. Zero-initialise; free with hed_sparse_free.
typedef struct HedSparse {
    int32_t size;
    int32_t* first;  // size + 1: the entries of each row
    int32_t* column; // rising in each row
    double* value;
} HedSparse;

HedStatus hed_sparse_create(HedSparse* matrix, int32_t size, const HedSparseEntry* entries,
                            int32_t count, HedError* error);
void hed_sparse_free(HedSparse* matrix);

/// y = A x
void hed_sparse_apply(const HedSparse* matrix, const double* x, double* y);

/// L L' = P A P'. Zero-initialise; free with hed_sparse_factor_free.
typedef struct HedSparseFactor {
    int32_t size;
    int32_t* order;  // order[k]: row of the matrix that is row k of the factor
    int32_t* parent; // elimination tree
    int64_t* first;  // size + 1: the entries of each column of L below its diagonal
    int32_t* row;
    double* value;
    double* diagonal;
    double* work; // one number per row and column that is solved at once
} HedSparseFactor;

enum { HED_SPARSE_COLUMNS = 12 }; // right-hand sides at once

/// HED_INVALID if the matrix is not positive definite.
HedStatus hed_sparse_factor(const HedSparse* matrix, HedSparseFactor* factor, HedError* error);
void hed_sparse_factor_free(HedSparseFactor* factor);

/// Solves in place for up to HED_SPARSE_COLUMNS right-hand sides; x[row * columns + column].
void hed_sparse_solve(const HedSparseFactor* factor, double* x, int32_t columns);

/// An order of rows that keeps factors small: halves of the graph first, what divides them last.
HedStatus hed_sparse_dissect(const HedSparse* matrix, int32_t* order, HedError* error);

#endif
