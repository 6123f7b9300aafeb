// SPDX-License-Identifier: MIT
// One evaluation over all pairs of segments (yarn_ask.c); forces and bounds are made of it.
#ifndef HED_CONTACT_YARN_ASK_H
#define HED_CONTACT_YARN_ASK_H

#include "contact/yarn_pair.h"
#include "contact/yarn_patch.h"

typedef struct HedYarnAsk {
    HedYarnKind kind;
    HedYarnState at;
} HedYarnAsk;

/// Leaves sums of pairs in slots and own, and sums of blocks in partial. Velocities must have been
/// sampled.
void hed_yarn_ask(HedYarnContact* y, const HedYarnAsk* ask);

/// yarn_rate.c: friction's part of bounds, to the four points of both sides.
void hed_yarn_add_grip(const HedYarnContact* y, const HedYarnAsk* ask, const HedYarnGrip* grip,
                       double* const out[2]);

/// Adds what pairs left in slots to what segments hold themselves, takes it to points, and adds
/// factor times it to to[0], to[stride], ...: three doubles each.
typedef struct HedYarnTarget {
    double* to;
    int32_t stride;    // doubles from one point to the next
    int32_t offset[3]; // of the three numbers
    double factor;
} HedYarnTarget;

void hed_yarn_gather(HedYarnContact* y, HedYarnTarget target);

/// A block's sum over all blocks, in order.
double hed_yarn_total(const HedYarnContact* y, int32_t which);

#endif
