// SPDX-License-Identifier: MIT
// Exact factors of a symmetric matrix of 6 x 6 blocks whose rows lie about a surface: a coarse
// level that is too large for a full matrix, and too stiff for sweeps.
//
// Space is halved again and again, and what lies between two halves is eliminated after both
// (George 1973): a complete tree of fronts. A front's columns stand in one dense panel, which later
// fronts read. Fronts of one depth do not see each other, and each takes from those below in a
// fixed order: same bits for any number of threads.
#ifndef HED_SOLVE_MULTIFRONTAL_H
#define HED_SOLVE_MULTIFRONTAL_H

#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"

enum { HED_FRONT_ROWS = 6, HED_FRONT_PACK = 12 }; // numbers of a block's side; of two blocks

/// Blocks that are eliminated together. Children of front k are 2 k + 1 and 2 k + 2.
typedef struct HedFront {
    int32_t first, count;         // its blocks, in the order of elimination
    int32_t row_first, row_count; // in HedMultifrontal.row: later blocks that it is coupled to
    int32_t pull_first, pull_end; // in HedMultifrontal.pull
    int32_t width;                // of a row: 6 count, rounded up to whole packs
    int32_t value;                // its numbers in HedMultifrontal.x, width of them
    int64_t panel;                // width rows of its own, then 6 row_count
} HedFront;

/// Rows begin..end-1 of an earlier front are columns of this one.
typedef struct HedFrontPull {
    int32_t front, begin, end;
} HedFrontPull;

typedef struct HedMultifrontal {
    int32_t count; // blocks a side
    int32_t depth;
    int32_t front_count;
    HedFront* front;
    int32_t* order; // order[k]: the block that is eliminated as the k-th
    int32_t* place; // and back
    int32_t* at;    // per place: its six numbers in x
    int32_t* row;   // places, rising in each front
    HedFrontPull* pull;
    double* panel;
    float* light; // the same in half the bytes: what solves read
    double* x;
    double* scratch; // scratch_size per thread
    int64_t scratch_size;
    int32_t scratch_count;
    bool* is_good; // per front
} HedMultifrontal;

/// A matrix as HedCoarseLevel has it: whole rows without their diagonal, blocks by columns.
typedef struct HedBlockRows {
    int32_t count;
    const int32_t* first;
    const int32_t* column;
    const double* block;
    const double* diagonal;
} HedBlockRows;

/// The pattern alone is read; centre: where the rows lie, m. threads: most that will factor it.
HedStatus hed_multifrontal_create(HedMultifrontal* multifrontal, const HedBlockRows* rows,
                                  const HedVec3* centre, int32_t threads);
void hed_multifrontal_free(HedMultifrontal* multifrontal);

/// Takes the values. Unknowns that depend on earlier ones, or have no entries, are left out: they
/// get zero. False if the matrix is not positive semidefinite.
bool hed_multifrontal_factor(HedMultifrontal* multifrontal, const HedBlockRows* rows,
                             const HedTeam* team);

/// x = inverse b, six numbers per row. All threads of a threads call it, and may read the result
/// when it returns.
void hed_multifrontal_solve(const HedMultifrontal* multifrontal, const double* b, double* x,
                            HedThreadTeam threads);

/// Part of the above: an order of blocks in a tree of halves and what lies between them; sets
/// first and count of all fronts.
HedStatus hed_multifrontal_dissect(HedMultifrontal* multifrontal, const HedBlockRows* rows,
                                   const HedVec3* centre);

#endif
