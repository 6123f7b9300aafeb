// SPDX-License-Identifier: MIT
// Constraints met by moving points the least, in the metric of their masses (fast projection:
// Goldenthal, Harmon, Fattal, Bercovier, Grinspun 2007): lengths of chains of points, and pairs of
// weighted points glued together.
//
// The caller moves points freely (x + h v), projects them, and takes the velocity from where they
// came from. Points with inverse mass 0 do not move.
#ifndef HED_SOLVE_PROJECTION_H
#define HED_SOLVE_PROJECTION_H

#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"

/// Consecutive points whose distances are fixed; a closed one also from the last to the first.
typedef struct HedChain {
    int32_t first;
    int32_t point_count;
    bool is_closed;
    int32_t first_segment; // of its lengths, written by create
} HedChain;

typedef struct HedLengths {
    HedChain* chain;
    int32_t chain_count;
    int32_t segment_count;
    double* length; // m, chain after chain
    double* work;   // 8 per segment
    double* error;  // per chain, of the last projection
    int32_t* iterations;
} HedLengths;

/// How a projection ended. Not converged: the constraints contradict each other or what is held (a
/// chain shorter than the distance of its held ends), or points coincide.
typedef struct HedProjection {
    int32_t iterations; // most that any chain took
    double error;       // largest |length/rest - 1|
    bool is_converged;
} HedProjection;

typedef struct HedProjectionLimit {
    double tolerance; // of |length/rest - 1|; default 1e-5
    int32_t iterations;
} HedProjectionLimit;

static inline HedProjectionLimit hed_projection_limit(void) {
    return (HedProjectionLimit){1e-5, 20};
}

/// length: rest lengths, chain after chain. All are copied. Failures name chain and segment.
HedStatus hed_lengths_create(HedLengths* lengths, const HedChain* chains, int32_t count,
                             const double* length, HedError* error);
void hed_lengths_free(HedLengths* lengths);

/// Moves x until all lengths are met. Each iteration is one tridiagonal system per chain, solved
/// directly; chains run in parallel.
HedProjection hed_lengths_project(HedLengths* lengths, const HedTeam* team,
                                  HedProjectionLimit limit, const double* inverse_mass, HedVec3* x);

enum { HED_GLUE_POINTS = 8 };

/// The constraint |sum of weight * x - anchor| = length: two points of curves, the second with
/// negative weights, or one point and a place in space. Unused places have weight 0.
typedef struct HedGlue {
    int32_t point[HED_GLUE_POINTS];
    double weight[HED_GLUE_POINTS];
    HedVec3 anchor; // m
    double length;  // m
} HedGlue;

/// sum of weight * x - anchor
HedVec3 hed_glue_gap(const HedGlue* glue, const HedVec3* x);

/// Meets the constraints one after the other; exactly if none share points. One whose points are
/// all held is left alone.
void hed_glue_project(const HedGlue* glue, int32_t count, const double* inverse_mass, HedVec3* x);

#endif
