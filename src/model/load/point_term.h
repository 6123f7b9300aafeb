// SPDX-License-Identifier: MIT
// Gravity and drag on every point.
#ifndef HED_MODEL_LOAD_POINT_TERM_H
#define HED_MODEL_LOAD_POINT_TERM_H

#include "model/load/kernel_point.h"
#include "state/term.h"

HedTerm hed_point_term(HedPointLoad* load);

#endif
