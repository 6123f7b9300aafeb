// SPDX-License-Identifier: MIT
// One evaluation over all pairs of segments (yarn_pairs_evaluate.c); forces and bounds are made of
// it.
#ifndef HED_CONTACT_YARN_PAIRS_EVALUATE_H
#define HED_CONTACT_YARN_PAIRS_EVALUATE_H

#include "contact/yarn_friction.h"
#include "contact/yarn_pair.h"

typedef struct HedYarnPairsEval {
    HedYarnKind kind;
    HedYarnState at;
    double part; // of bounds: radii count as larger by this part
} HedYarnPairsEval;

/// Leaves sums of pairs in slots and own, their bounds in bounds and own_bound, and sums of blocks
/// in partial. Velocities must have been sampled.
void hed_yarn_pairs_evaluate(HedYarnContact* y, const HedYarnPairsEval* eval);

/// yarn_rate.c: friction's part of bounds, to the four points of both sides.
void hed_yarn_add_friction_bound(const HedYarnContact* y, const HedYarnPairsEval* eval,
                                 const HedContactFrame* frame, double* const out[2]);

/// yarn_rate.c: what bounds that an evaluation left come to.
HedYarnRate hed_yarn_take_rate(HedYarnContact* y, HedYarnBound bound);

/// Adds what pairs left in slots to what segments hold themselves, takes it to points, and off
/// their forces.
void hed_yarn_gather(HedYarnContact* y, HedVec3* force);

/// A block's sum over all blocks, in order.
double hed_yarn_total(const HedYarnContact* y, int32_t which);

#endif
