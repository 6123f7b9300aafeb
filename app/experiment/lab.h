// SPDX-License-Identifier: MIT
// The lab from the side of the verbs: begin, run, end.
#ifndef EXPERIMENT_LAB_H
#define EXPERIMENT_LAB_H

#include "cli/options.h"
#include "experiment/experiment.h"

#include <stdio.h>

enum { LAB_LIMIT = 128 }; // results, claims, parameters, columns, paths

typedef enum LabRelation { LAB_EQUAL, LAB_BELOW, LAB_ABOVE, LAB_TRUE } LabRelation;

typedef struct LabClaim {
    char text[160];
    LabRelation relation;
    double expected, measured, tolerance;
    bool ok;
} LabClaim;

typedef struct LabResult {
    char name[64];
    double value;
} LabResult;

struct HedLab {
    // Set by lab_create.
    HedExperiment experiment;
    char kind[16]; // "experiment" or "bench": the first key of the JSON
    double numbers[LAB_LIMIT];
    const char* texts[LAB_LIMIT];
    const char* out;
    bool quick, json, quiet;
    int32_t threads;

    // Filled while the experiment runs.
    LabResult results[LAB_LIMIT];
    int32_t result_count;
    LabClaim claims[LAB_LIMIT];
    int32_t claim_count;
    char* paths[LAB_LIMIT];
    int32_t path_count;
    FILE* table;
    int32_t table_columns;
    int32_t widths[LAB_LIMIT];
    bool broken; // a bug of the experiment, or output that failed: said already
};

/// What the command line said.
typedef struct LabRequest {
    const char* kind;
    const char* out; // NULL: out/<kind>/<name>
    const CliList* set;
    int32_t threads;
    bool quick, json;
} LabRequest;

/// Runs one experiment: parameters, directory, run, claims, JSON. Returns the exit code.
int lab_run(const HedExperiment* experiment, const LabRequest* request);

/// Prints parameters with units and defaults.
void lab_print_parameters(const HedExperiment* experiment);

/// lab_set.c: takes "name=value" into the lab. CLI_GO or the exit code.
int lab_set(HedLab* lab, const char* assignment);

/// lab_report.c: the final object, as product promises it, on one line.
void lab_write_json(const HedLab* lab, bool ok, FILE* out);
void lab_print_claims(const HedLab* lab);

/// Prints what is wrong with the experiment itself, and makes it fail.
void lab_bug(HedLab* lab, const char* what, const char* name);

#endif
