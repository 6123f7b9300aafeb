// SPDX-License-Identifier: MIT
// The rigid motions of patches as unknowns, six a patch, and their equations: on the first level
// patches of points, on each further level patches of a few patches before, until so few are left
// that a direct solve costs nothing, or no more than the sweeps that it saves.
//
// A rigid motion of a patch about its centre c, shift s and turn w, moves a point at x by
// s + w x (x - c), and a patch about x by the same shift and the turn w: so one level's unknowns
// follow from the next one's exactly, and P' A P is all that is needed to go up.
#ifndef HED_SOLVE_COARSE_H
#define HED_SOLVE_COARSE_H

#include "base/parallel.h"
#include "solve/multifrontal.h"
#include "solve/skyline.h"

#include "heddle/vec.h"

enum {
    HED_MODES = 6,
    HED_MODES2 = HED_MODES * HED_MODES,
    HED_COARSE_LEVELS = 24,
    HED_COARSE_GROUP = 32 // patches that a sweep takes one after the other
};

/// Two patches, low < high, that some block couples.
typedef struct HedPatchPair {
    int32_t low, high;
} HedPatchPair;

/// Blocks are stored by columns. Every pair of patches has one block in each of its two rows.
typedef struct HedCoarseLevel {
    int32_t count; // patches
    HedVec3* centre;
    int32_t* first;  // count + 1: the blocks of each row, without its diagonal
    int32_t* middle; // of each row: from here on, patches that a forward sweep meets later
    int32_t* column;
    int32_t* twin; // the block of the same pair in the other row
    double* block;
    double* diagonal;
    float* light;   // the blocks again: what sweeps read, in half the bytes
    float* inverse; // of the diagonal
    bool* is_good;  // whether the diagonal is positive semidefinite

    int32_t color_count; // groups of one colour are not coupled: a sweep may take them at once
    int32_t* color_first;
    int32_t* group;

    int32_t* child_first; // of each patch of the next level; NULL on the last one
    HedVec3* arm;         // of each patch, from the centre of the patch that it is part of

    double* b; // right-hand side and solution, what is left of it, and both for a second round
    double* x;
    double* rest;
    double* again_b;
    double* again_x;
} HedCoarseLevel;

typedef struct HedCoarse {
    HedCoarseLevel level[HED_COARSE_LEVELS];
    int32_t level_count;
    HedSkyline direct;            // factors of the last level,
    HedMultifrontal multifrontal; // or these, if it has more patches than a full matrix is good for
    int32_t direct_most; // set before it is made: patches that fronts may solve; 0: no fronts
    const HedTeam* team;
} HedCoarse;

/// count patches about centres (copied), coupled by pairs in rising order of .low, each once.
HedStatus hed_coarse_create(HedCoarse* coarse, int32_t count, const HedVec3* centre,
                            const HedPatchPair* pairs, int32_t pair_count);
void hed_coarse_free(HedCoarse* coarse);

/// The pattern and sweeps of one level; part of the above.
HedStatus hed_coarse_level_create(HedCoarseLevel* level, int32_t count, const HedPatchPair* pairs,
                                  int32_t pair_count);
void hed_coarse_level_free(HedCoarseLevel* level);

/// The block in row `row` and column `column`, which the pattern has.
static inline double* hed_coarse_block(const HedCoarseLevel* level, int32_t row, int32_t column) {
    int32_t e = level->first[row];
    while (level->column[e] != column) {
        ++e;
    }
    return level->block + (int64_t)HED_MODES2 * e;
}

/// Once the diagonal and the blocks right of it are set on the first level: all the rest. False if
/// the matrix is not positive semidefinite.
bool hed_coarse_update(HedCoarse* coarse);

/// Solves approximately for level[0].x, given level[0].b; a symmetric positive operation. All
/// threads of a threads call it, and may read the result when it returns.
void hed_coarse_solve(const HedCoarse* coarse, HedThreadTeam threads);

#endif
