// SPDX-License-Identifier: MIT
// Telling how far a run has come: a line that changes on a terminal, plain lines elsewhere, JSON.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "heddle/run.h"

typedef enum CliProgressMode {
    CLI_PROGRESS_QUIET,
    CLI_PROGRESS_TERMINAL, // one line on stderr, updated in place
    CLI_PROGRESS_PLAIN,    // a line on stderr every few seconds
    CLI_PROGRESS_JSON,     // objects on stdout, one per line
} CliProgressMode;

typedef struct CliProgress {
    CliProgressMode mode;
    double shown;       // clock when something was said last
    int64_t call_count; // steps heard of
    bool line_open;     // a line on the terminal that is not ended
} CliProgress;

CliProgress cli_progress_begin(bool json, bool quiet);

/// Give these as hooks of HedRunOptions, context a CliProgress*. Stop is asked for by Ctrl-C or
/// SIGTERM, once cli_progress_catch_signals was called.
void cli_progress_hook(const HedProgress* progress, void* context);
bool cli_progress_stop(void* context);

/// Ctrl-C and SIGTERM ask for an end at the next good moment; a second one ends at once.
void cli_progress_catch_signals(void);

/// Leaves the terminal with a clean line.
void cli_progress_end(CliProgress* progress);

#endif
