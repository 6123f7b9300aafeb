// SPDX-License-Identifier: MIT
// One repeat of a knit, cut out of a larger sheet of it.
#ifndef HED_KNIT_REPEAT_H
#define HED_KNIT_REPEAT_H

#include "knit/knit.h"

/// Replaces a sheet by its middle: a third of its rows and of its stitches. HED_INVALID if the
/// pattern does not begin again there.
HedStatus hed_knit_cut(const HedKnitPlan* plan, const HedLoopSpan* spans, int32_t rows,
                       int32_t stitches, HedFabric* sheet, HedError* error);

#endif
