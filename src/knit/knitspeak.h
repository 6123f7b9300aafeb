// SPDX-License-Identifier: MIT
// Knitting instructions as people write them: "Row 1 (RS): *k2, yo, k2tog, repeat from *."
#ifndef HED_KNIT_KNITSPEAK_H
#define HED_KNIT_KNITSPEAK_H

#include "base/text.h"
#include "knit/chart.h"

/// Reads instructions into a chart; free it in any case. name must outlive the chart. The number of
/// stitches to cast on, which such texts leave out, is the smallest with which all rows work out.
/// Failures name file and line.
HedStatus hed_knitspeak_read(const char* data, size_t size, const char* name, HedChart* chart,
                             HedError* error);

#endif
