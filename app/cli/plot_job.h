// SPDX-License-Identifier: MIT
// What the kinds of plots share: the request, the runs, and reports for --json.
#ifndef CLI_PLOT_JOB_H
#define CLI_PLOT_JOB_H

#include "cli/options.h"
#include "cli/plot_chart.h"

/// The command line.
typedef struct PlotRequest {
    CliList paths;
    CliList columns; // --y and --column
    const char* x;   // NULL: what the kind of plot takes
    double from, to; // s
    bool use_strain;
} PlotRequest;

/// What is known of one pair of run and column.
typedef struct PlotReport {
    int32_t run_index;
    char column[PLOT_TEXT];
    PlotUnit unit;
    int32_t samples;
    bool has_decay;
    HedDecay decay;
    bool has_load;
    HedPullTest load;
    char slope_unit[16];
    char work_unit[16];
} PlotReport;

/// Zero-initialise and set request; free with plot_job_free.
typedef struct PlotJob {
    const PlotRequest* request;
    PlotRun* runs;
    int32_t run_count;
    PlotChart chart;
    PlotReport* reports;
    int32_t report_count;
} PlotJob;

void plot_job_free(PlotJob* job);

/// A further report, zero-filled; NULL if there is no memory, which has been said.
PlotReport* plot_job_report(PlotJob* job, const PlotRun* run, const PlotValues* values,
                            int32_t samples);

/// The rows of x and y between --from and --to as a curve without label. only_finite leaves out
/// rows without a number instead of making gaps.
int plot_job_curve(const PlotJob* job, const PlotRun* run, const PlotValues* x, const PlotValues* y,
                   bool only_finite, PlotCurve* curve);

/// Puts the name of the run before a text if there are several.
void plot_job_label(const PlotJob* job, const PlotRun* run, const char* text, char* label,
                    size_t size);

/// Gives job->chart its curves. CLI_GO or the exit code.
int plot_lines(PlotJob* job, bool energies);
int plot_pull(PlotJob* job);
int plot_damping(PlotJob* job);

/// Prints the reports on one line.
void plot_job_json(const PlotJob* job, const char* what, const char* output);

#endif
