// SPDX-License-Identifier: MIT
// Charts as text: one row per line, from below, stitches as the worker sees them.
//
//   rounds           all rows are rounds
//   co 12            cast on; without this line as many as the first row takes
//   [k2 p2]*         a group as often as it fits, once in a row
//   k2 [yo k2tog]x4  a group four times
//   k*               a stitch as often as it fits
//   @2 k3 @1         go on with another yarn, counted from 1
//   # words          are skipped
//
// Names: k p ktbl ptbl, yo, k2tog k3tog p2tog p3tog ssk sssk ssp cdd sk2p, kfb pfb, m1 m1p, sl slf
// slb, tuck ptuck, co bo pbo, cables 2/2LC 2/2RC 2/1LPC 2/1RPC 2/1/2LC; a number behind k, p, ktbl,
// ptbl, yo, sl, slf, slb, tuck, ptuck, co, bo and pbo repeats.
#ifndef HED_KNIT_CHART_TEXT_H
#define HED_KNIT_CHART_TEXT_H

#include "knit/chart.h"

/// Reads a chart; free it in any case. Failures name line, column and word.
HedStatus hed_chart_read(const char* text, const char* name, bool is_round, HedChart* chart,
                         HedError* error);

/// The stitch that a name of the list above means (in lower case, a number behind it included);
/// false if there is none. count: how often it is to be worked.
bool hed_stitch_named(const char* word, HedStitch* stitch, int32_t* count);

#endif
