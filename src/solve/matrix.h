// SPDX-License-Identifier: MIT
// A symmetric matrix of 3 x 3 blocks, cut into ranges of rows so that each range can be filled and
// multiplied by one thread alone.
//
// A block (i, j) whose row and column lie in one range is stored once, in row min(i, j), and serves
// both halves; a block that crosses ranges is stored in both rows. So a product reads little more
// than half of a full matrix, no two threads write to one row, and the order of additions never
// changes.
#ifndef HED_SOLVE_MATRIX_H
#define HED_SOLVE_MATRIX_H

#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"

typedef struct HedMatrix {
    int32_t row_count;
    HedRanges ranges;   // borrowed
    int32_t* range_of;  // row -> range
    int32_t* row_first; // row_count + 1
    int32_t* column;    // rising within a row
    HedMat3* block;     // off the diagonal, row_first[row_count] of them
    HedMat3* diagonal;  // row_count
} HedMatrix;

/// The pattern: pairs[2k], pairs[2k+1] are rows coupled by some element, repeated as often as it
/// happens.
HedStatus hed_matrix_create(HedMatrix* matrix, int32_t row_count, HedRanges ranges,
                            const int32_t* pairs, int64_t pair_count, HedError* error);
void hed_matrix_free(HedMatrix* matrix);

/// Sets the values of one range of rows to zero.
void hed_matrix_clear_range(HedMatrix* matrix, int32_t range);

/// Index into block[] of the block in row `row` and column `column`, -1 if the pattern has none
/// there.
int32_t hed_matrix_slot(const HedMatrix* matrix, int32_t row, int32_t column);

/// Adds block h, coupling row i with column j (i != j), to what range r stores of it (both, one or
/// no row).
void hed_matrix_add(HedMatrix* matrix, int32_t range, int32_t i, int32_t j, const HedMat3* h);

/// Takes the rows with free[i] == 0, and their columns, out of the equations of one range: a unit
/// matrix stands in their place.
void hed_matrix_hold_range(HedMatrix* matrix, int32_t range, const double* free);

/// y = matrix x; vectors of row_count points.
void hed_matrix_multiply(const HedMatrix* matrix, const HedTeam* team, const HedVec3* x,
                         HedVec3* y);

/// Bytes that one product moves at least: matrix once, x and y once.
int64_t hed_matrix_product_bytes(const HedMatrix* matrix);

#endif
