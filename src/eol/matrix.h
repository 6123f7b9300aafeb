// SPDX-License-Identifier: MIT
// The symmetric matrix of a crossing network: five unknowns a node (x, y, z, along slot 0, along
// slot 1), coupled along yarns to the third neighbour, and between positions of other pairs.
//
// Only what can differ from zero is stored: a node's own 15 numbers, 4 x 4 blocks to the next node
// of each yarn and the one after it, 3 x 3 blocks beyond. Blocks along yarns lie in bands
// (eol/yarn_simd_packs.h), four yarns side by side: so they are made, and factors read them.
// Products read them in rows (eol/rows.h), which follow when all values are there.
#ifndef HED_EOL_MATRIX_H
#define HED_EOL_MATRIX_H

#include "eol/rows.h"

enum { HED_NODE_SIZE = 5, HED_NODE_DIAGONAL = 15 };

/// 3 x 3 blocks between positions: rows of nodes[0], columns of nodes[1].
typedef struct HedEolPairs {
    int32_t count;
    int32_t (*nodes)[2];
    double (*block)[9];
    int32_t* row_first; // node_count + 1
    int32_t* row;       // 2 * pair, + 1 where the node is the second one
} HedEolPairs;

typedef struct HedEolMatrix {
    const HedYarnPacks* bands; // borrowed
    const HedTeam* team;
    double* near;     // per step, [4][4][HED_YARN_PACK]: rows of the place, columns of the next one
    double* far;      // the same with the one after it
    double* third;    // [3][3][HED_YARN_PACK], with the third; NULL: none
    double* diagonal; // HED_NODE_DIAGONAL per node: rows of the upper triangle
    HedEolPairs pairs;
    HedEolRows rows;
    HedEolValues values;
} HedEolMatrix;

/// What is coupled; all borrowed while creating, the bands and the team for ever.
typedef struct HedEolPattern {
    const HedYarnPacks* bands;
    const HedTeam* team;
    const int32_t (*pairs)[2]; // beyond yarns: each once, with different nodes
    int32_t pair_count;
    bool has_third; // yarns resist torsion
} HedEolPattern;

HedStatus hed_eol_matrix_create(HedEolMatrix* matrix, HedEolPattern pattern, HedError* error);
void hed_eol_matrix_free(HedEolMatrix* matrix);

/// Place of (row, column), row <= column, in a node's own 15 numbers.
static inline int32_t hed_eol_diagonal(int32_t row, int32_t column) {
    return row * HED_NODE_SIZE - row * (row - 1) / 2 + column - row;
}

/// After other nodes have become neighbours along yarns. Without memory for it there are no
/// products, and nothing is read or written by one.
bool hed_eol_matrix_renew_rows(HedEolMatrix* matrix);

/// After blocks along yarns or between pairs have changed: products know of it.
void hed_eol_matrix_settle(HedEolMatrix* matrix);

/// y = matrix x; vectors of HED_NODE_SIZE numbers per node.
void hed_eol_matrix_multiply(const HedEolMatrix* matrix, const double* x, double* y);

/// Bytes that one product moves at least.
int64_t hed_eol_matrix_bytes(const HedEolMatrix* matrix);

#endif
