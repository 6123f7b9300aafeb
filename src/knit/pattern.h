// SPDX-License-Identifier: MIT
// Named patterns: charts of any size.
#ifndef HED_KNIT_PATTERN_H
#define HED_KNIT_PATTERN_H

#include "knit/chart.h"

typedef struct HedPatternSize {
    int32_t rows, stitches;
    bool is_round;
    bool bind_off;
} HedPatternSize;

#define HED_PATTERN_SWEATER "raglan-sweater" ///< Has no chart: knit/sweater.h.

/// Fills a chart with a pattern; free it in any case. Unknown names get a suggestion.
HedStatus hed_pattern_chart(const char* name, const HedPatternSize* size, HedChart* chart,
                            HedError* error);

#endif
