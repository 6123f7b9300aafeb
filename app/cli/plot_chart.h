// SPDX-License-Identifier: MIT
// A chart: curves in panels one above the other over a common axis, drawn by gnuplot.
#ifndef CLI_PLOT_CHART_H
#define CLI_PLOT_CHART_H

#include "cli/plot_text.h"

enum { PLOT_PANEL_LIMIT = 8 };

typedef enum PlotLook {
    PLOT_LINE,
    PLOT_TOTAL,    // a sum of others: black
    PLOT_DATA,     // points that a fit goes through
    PLOT_ENVELOPE, // thin, without a place in the key
    PLOT_RETURN,   // the way back of a line before it, without a place in the key
} PlotLook;

/// Owned by the chart once it is added.
typedef struct PlotCurve {
    double* x;
    double* y; // SI; NaN makes a gap
    int32_t count;
    char label[2 * PLOT_TEXT]; // in the key
    int32_t run_index;
    char run[PLOT_TEXT]; // its path, for the CSV
    char column[PLOT_TEXT];
    int32_t panel;
    int32_t colour;
    int32_t dash;
    PlotLook look;
} PlotCurve;

/// Zero-initialise; free with plot_chart_free.
typedef struct PlotChart {
    PlotUnit x;
    PlotUnit panels[PLOT_PANEL_LIMIT];
    int32_t panel_count;
    PlotCurve* curves;
    int32_t curve_count;
    int32_t capacity;
    const char* title;
    int width, height; // 0: as it fits
    bool log_x, log_y;
    bool is_key_below; // long texts
} PlotChart;

/// Index of the panel for numbers of a unit, a new one if need be; -1 if there are too many.
int32_t plot_chart_panel(PlotChart* chart, PlotUnit unit);

/// Room for count numbers in x and y; CLI_GO or the exit code.
int plot_curve_new(PlotCurve* curve, int32_t count);

/// Takes over the curve, also if it fails.
int plot_chart_add(PlotChart* chart, PlotCurve* curve);
void plot_chart_free(PlotChart* chart);

/// Draws the picture.
int plot_chart_draw(const PlotChart* chart, const char* output, bool force);

/// Writes run, column, x and y of every curve, in SI units.
int plot_chart_csv(const PlotChart* chart, const char* path, bool force);

#endif
