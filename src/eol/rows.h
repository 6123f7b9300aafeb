// SPDX-License-Identifier: MIT
// The blocks of a net's matrix once more, as products read them: node after node, each where it is
// needed.
//
// Nodes are cut into ranges that follow each other in number. Inside a range a block stands once,
// in the row of the node that is behind, and serves both; between ranges it stands in both rows. So
// a range needs nothing of others, and its part of the vectors stays in the nearest caches.
// Products along bands, which these replaced, wrote their sums to memory and gathered them from
// there.
#ifndef HED_EOL_ROWS_H
#define HED_EOL_ROWS_H

#include "eol/yarn_simd_packs.h"

enum { HED_ROWS_RANGE = 512 }; // nodes

struct HedEolMatrix;

static inline int32_t hed_eol_range_count(int32_t node_count) {
    return (node_count + HED_ROWS_RANGE - 1) / HED_ROWS_RANGE;
}

/// Which blocks a node has: 4 x 4 ones along slot 0 and along slot 1, 3 x 3 ones between positions.
typedef struct HedEolRows {
    int32_t node_count;   // 0: there is nothing, products do nothing
    int32_t* along_first; // 2 * node_count + 1: of each node and slot
    int32_t* along;       // 4 * node, + 2 if both rows are served, + the other node's slot
    uint32_t* along_from; // 8 * place, + 2 * (steps ahead - 1), + 1 if turned
    int32_t* plain_first; // node_count + 1
    int32_t* plain;       // 2 * node, + 1 if both rows are served
    uint32_t* plain_from; // as above; or 8 * pair + 6, + 1 if turned
} HedEolRows;

/// Their numbers.
typedef struct HedEolValues {
    double* along; // 16 a block
    double* plain; // 9
} HedEolValues;

/// The same in single precision, with the nodes' own blocks: a copy, for what need not be exact.
typedef struct HedEolMatrixF32 {
    float* along;
    float* plain;
    float* diagonal;
} HedEolMatrixF32;

/// matrix: all but its rows is there.
HedStatus hed_eol_rows_create(HedEolRows* rows, const struct HedEolMatrix* matrix, HedError* error);
void hed_eol_rows_free(HedEolRows* rows);
bool hed_eol_values_create(HedEolValues* values, const HedEolRows* rows);
void hed_eol_values_free(HedEolValues* values);
bool hed_eol_matrix_f32_create(HedEolMatrixF32* light, const HedEolRows* rows);
void hed_eol_matrix_f32_free(HedEolMatrixF32* light);

/// Takes the numbers of the matrix' bands and pairs, and a copy of those. All threads of a threads
/// call it; without meeting at the end.
void hed_eol_rows_take(const struct HedEolMatrix* matrix, HedThreadTeam threads);
void hed_eol_matrix_f32_take(const struct HedEolMatrix* matrix, HedEolMatrixF32* light,
                             HedThreadTeam threads);

/// y = b - matrix x, or matrix x if b is NULL.
typedef struct HedEolProduct {
    const double* b;
    const double* x;
    double* y;
    double* gain; // per range, the sum of x.(b + y), if there is a b; NULL: not wanted
} HedEolProduct;

/// light: the copy to use in place of the matrix' own values, or NULL. All threads of a threads
/// call it.
void hed_eol_rows_apply(const struct HedEolMatrix* matrix, const HedEolMatrixF32* light,
                        HedEolProduct product, HedThreadTeam threads);

#endif
