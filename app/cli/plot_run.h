// SPDX-License-Identifier: MIT
// The numbers of a run that can be drawn: columns of its tables, and measurements of several
// columns as one number.
#ifndef CLI_PLOT_RUN_H
#define CLI_PLOT_RUN_H

#include "cli/table.h"

/// What a number is, for axis labels; "" if nobody knows.
typedef struct PlotUnit {
    const char* quantity; // "force"
    const char* unit;     // "N"
} PlotUnit;

/// A measurement of the scene and where its columns begin in measure.csv.
typedef struct PlotMeasure {
    char* name;
    HedMeasureKind kind;
    int32_t first;
} PlotMeasure;

/// Zero-initialise; free with plot_run_free.
typedef struct PlotRun {
    const char* path;
    char* name; // short: what tells it from the other runs
    CliTable energy;
    CliTable measure;
    PlotMeasure* measures; // empty if the scene cannot be read any more
    int32_t measure_count;
    int32_t row_count; // rows that all tables have; more than none
} PlotRun;

/// Numbers of one column, one per row of the run.
typedef struct PlotValues {
    char name[128];
    PlotUnit unit;
    bool is_energy;
    bool is_length; // can be longer or shorter than at the start
    double* values; // malloc
} PlotValues;

/// Reads the tables. A run that is still growing gives the rows it has.
int plot_run_load(const char* path, PlotRun* run);
void plot_run_free(PlotRun* run);

/// Gives each run the part of its path that the others do not share.
int plot_run_names(PlotRun* runs, int32_t count);

/// The numbers under a name: a column of measure.csv or energy.csv, or a measurement with several
/// columns. Of a reaction that is the component along its largest value, of a position the way gone
/// along the line to the farthest place, of an extent its side that changes most, of a strain the
/// mean. An unknown name is an error that lists what there is.
int plot_run_pick(const PlotRun* run, const char* name, PlotValues* values);

/// The name of the first measurement of a kind; NULL if there is none.
const char* plot_run_first(const PlotRun* run, HedMeasureKind kind);

/// Which of x, y and z a reaction with that name has most of at its largest; -1 if it is none.
int32_t plot_run_direction(const PlotRun* run, const char* name);

/// Unit of a column of measure.csv.
PlotUnit plot_run_unit(const PlotRun* run, int32_t column);

#endif
