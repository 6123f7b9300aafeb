// SPDX-License-Identifier: MIT
// Springs between two places on curves, or from a place to a point of space: glue and soft pins.
//   E = 1/2 k (|d| - L)^2,   d = sum of weight * x - anchor       (state/radial.h)
#ifndef HED_MODEL_LOAD_TIE_TERM_H
#define HED_MODEL_LOAD_TIE_TERM_H

#include "base/array.h"
#include "base/status.h"
#include "solve/projection.h"
#include "state/groups.h"
#include "state/term.h"

typedef struct HedTie {
    HedGlue glue;
    double stiffness; // N/m, k
    HedVec3 rate;     // m/s, velocity of the anchor
    bool is_active;
} HedTie;

typedef struct HedTieTerm {
    HED_ARRAY(HedTie) list;

    // Written by prepare, and with a matrix by attach.
    int32_t* point; // HED_GLUE_POINTS each
    HedGroups groups;
    int32_t* slot;
} HedTieTerm;

HedStatus hed_tie_term_prepare(HedTieTerm* term, HedRanges ranges, HedError* error);
void hed_tie_term_free(HedTieTerm* term);

/// Column "tie". Anchors, rates and what is active may be changed between evaluations.
HedTerm hed_tie_term(HedTieTerm* term);

/// N, the force of a tie on what it holds, for all weights together.
HedVec3 hed_tie_force(const HedTie* tie, const HedVec3* x);

#endif
