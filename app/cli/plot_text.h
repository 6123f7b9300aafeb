// SPDX-License-Identifier: MIT
// Units and numbers as people read them: prefixes instead of many zeros, digits that mean
// something.
#ifndef CLI_PLOT_TEXT_H
#define CLI_PLOT_TEXT_H

#include "cli/plot_run.h"

enum { PLOT_TEXT = 192 };

/// Numbers of an axis are divided by factor; label names quantity and unit: "force (mN)".
typedef struct PlotScale {
    double factor;
    char label[PLOT_TEXT];
} PlotScale;

/// The scale on which the largest size is a handy number.
PlotScale plot_scale(PlotUnit unit, double largest);

/// "2.214 ± 0.003 Hz": no more digits than the error leaves a meaning.
const char* plot_estimate_text(HedEstimate estimate, const char* unit, char buffer[PLOT_TEXT]);

/// "1.23 mJ", four digits.
const char* plot_number_text(double value, const char* unit, char buffer[PLOT_TEXT]);

/// The unit of one number over another: "N/m"; N for a strain.
const char* plot_ratio_unit(PlotUnit over, PlotUnit under, char buffer[PLOT_TEXT]);

/// The unit of one number times another: "J" for N and m.
const char* plot_product_unit(PlotUnit a, PlotUnit b, char buffer[PLOT_TEXT]);

#endif
