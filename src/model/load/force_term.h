// SPDX-License-Identifier: MIT
// Forces on points that never change: E = -F.x.
#ifndef HED_MODEL_LOAD_FORCE_TERM_H
#define HED_MODEL_LOAD_FORCE_TERM_H

#include "state/term.h"

/// force: N, one per point of the simulation; borrowed.
HedTerm hed_force_term(HedVec3* force);

#endif
