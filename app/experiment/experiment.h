// SPDX-License-Identifier: MIT
// Experiments: a name, parameters with units, and a function that runs scenes and makes claims.
// `heddle experiment` and `heddle bench` do the rest: arguments, tables, plots, JSON, exit code.
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "heddle/heddle.h"

#include <math.h>

typedef struct HedLab HedLab;

/// Something that --set may change. Numbers are given in the unit named here.
typedef struct HedParameter {
    const char* name;
    const char* unit; ///< "" for none
    double number;    ///< Default.
    double least;     ///< Allowed range; both 0: any finite number.
    double most;
    bool whole;          ///< Must be a whole number.
    const char* text;    ///< Default of a parameter that is a word; NULL for a number.
    const char* choices; ///< Words allowed, "rod spline"; NULL: any.
    const char* help;
} HedParameter;

typedef struct HedExperiment {
    const char* name;
    const char* title;
    const HedParameter* parameters;
    int parameter_count;
    /// 0, or the exit code that lab_fail gave. Claims decide about the exit code otherwise.
    int (*run)(HedLab* lab);
} HedExperiment;

/// All experiments; the last entry is NULL.
extern const HedExperiment* const EXPERIMENTS[];

// ---- What the experiment was asked for

/// A name that the experiment does not have is its bug: it is said, and the experiment fails.
double lab_number(HedLab* lab, const char* name);
int32_t lab_count(HedLab* lab, const char* name); ///< Of a parameter that is whole.
const char* lab_text(HedLab* lab, const char* name);
bool lab_quick(const HedLab* lab);      ///< A coarse version, for tests.
int32_t lab_threads(const HedLab* lab); ///< 0: not said.
const char* lab_out(const HedLab* lab); ///< Output directory; it is there.

/// "DIR/name" for a file or run in the output directory; valid until the lab ends, "" if there is
/// no memory.
const char* lab_path(HedLab* lab, const char* name);

/// Path of experiments/<name of the experiment>/<name>; valid until the lab ends.
const char* lab_scene_path(HedLab* lab, const char* name);

// ---- Doing

/// Loads a scene, changes it (overrides as for --set) and runs it into the output directory's
/// `name`, replacing what an earlier experiment left there. 0 if the run was done or the solver
/// gave up (see report->outcome); else the exit code, with everything said.
int lab_simulate(HedLab* lab, const char* scene_path, const char* const* overrides,
                 int32_t override_count, const char* name, HedRunReport* report);

/// Reads one column of a CSV file of the output directory ("relax/energy.csv", "total"). *values is
/// freed by the caller with free(). 0 or the exit code.
int lab_column(HedLab* lab, const char* csv, const char* column, double** values, int32_t* count);

/// Prints the error and returns its exit code, to be returned from run.
int lab_fail(HedLab* lab, const HedError* error);

/// The same for trouble of the experiment's own; exit code 3.
int lab_fail_text(HedLab* lab, const char* format, ...) HED_PRINTF(2, 3);

/// Parameters that make no sense together: prints why; exit code 2.
int lab_refuse(HedLab* lab, const char* format, ...) HED_PRINTF(2, 3);

/// Ctrl-C was pressed: what goes on for long asks this now and then. Has the form of stop hooks.
bool lab_stop(void* context);

/// A line for people: on stdout, or on stderr with --json. Needs no line end.
void lab_note(HedLab* lab, const char* format, ...) HED_PRINTF(2, 3);

// ---- Results

/// "a.b" becomes b of an object a; results of one object follow each other.
void lab_result(HedLab* lab, const char* name, double value);

/// Holds if |measured - expected| <= tolerance.
void lab_claim(HedLab* lab, const char* text, double expected, double measured, double tolerance);
void lab_claim_true(HedLab* lab, const char* text, bool holds);
void lab_claim_below(HedLab* lab, const char* text, double measured, double bound);
void lab_claim_above(HedLab* lab, const char* text, double measured, double bound);

/// The larger of a worst value so far and the size of another; what is no number stays the worst.
static inline double lab_worse(double worst, double value) {
    double size = fabs(value);
    return isnan(worst) || size <= worst ? worst : size;
}

/// A table: aligned on stdout (not with --json), and as a CSV file of the output directory. One at
/// a time. columns are separated by commas: "segments,error (m),order".
void lab_table_begin(HedLab* lab, const char* csv, const char* columns);
void lab_table_row(HedLab* lab, int32_t count, const double* values);
void lab_table_end(HedLab* lab);

/// One curve of a plot: two columns of a CSV file of the output directory.
typedef struct LabCurve {
    const char* csv;
    const char* x;
    const char* y;
    const char* title;
    bool points; ///< Marks as well as lines.
} LabCurve;

typedef struct LabPlot {
    const char* picture; ///< Name in the output directory, .png or .svg.
    const char* title;
    const char* x_label; ///< With its unit.
    const char* y_label;
    bool log_x, log_y;
    const LabCurve* curves;
    int32_t curve_count;
} LabPlot;

/// Draws with gnuplot. A missing gnuplot is a note, not a failure: pictures are no claims.
void lab_plot(HedLab* lab, const LabPlot* plot);

/// A path-traced picture of the last frame of a run in the output directory. A build that cannot
/// draw says so in a note.
void lab_picture(HedLab* lab, const char* run, const char* picture);

#endif
