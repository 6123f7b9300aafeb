// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"
#include "cli/common.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE = 256, BAR = 20 };

static volatile sig_atomic_t stop_wanted = 0;

static void on_signal(int number) {
    (void)number;
    stop_wanted = 1;
}

void cli_progress_catch_signals(void) {
    // SA_RESETHAND: the second signal has its usual effect. Runs survive that too.
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_progress_stop(void* context) {
    (void)context;
    return stop_wanted != 0;
}

CliProgress cli_progress_begin(bool json, bool quiet) {
    CliProgressMode mode = json                    ? CLI_PROGRESS_JSON
                           : quiet                 ? CLI_PROGRESS_QUIET
                           : isatty(STDERR_FILENO) ? CLI_PROGRESS_TERMINAL
                                                   : CLI_PROGRESS_PLAIN;
    return (CliProgress){.mode = mode, .shown = cli_now()};
}

static double interval_of(CliProgressMode mode) {
    switch (mode) {
    case CLI_PROGRESS_TERMINAL:
        return 0.1;
    case CLI_PROGRESS_JSON:
        return 0.5;
    case CLI_PROGRESS_PLAIN:
        return 5.0;
    case CLI_PROGRESS_QUIET:
        break;
    }
    return HUGE_VAL;
}

static const char* time_left(double seconds, char buffer[CLI_NUMBER_TEXT]) {
    if (!(seconds < 3.6e6)) {
        return "?";
    }
    long whole = lround(seconds);
    if (whole >= 3600) {
        snprintf(buffer, CLI_NUMBER_TEXT, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                 whole % 60);
    } else {
        snprintf(buffer, CLI_NUMBER_TEXT, "%ld:%02ld", whole / 60, whole % 60);
    }
    return buffer;
}

static double fraction(const HedProgress* p) {
    return p->duration > 0.0 ? fmin(1.0, fmax(0.0, p->time / p->duration)) : 1.0;
}

// Where a step that takes long is, and what is worst in it.
static void step_so_far(const HedStepReport* r, char* out, size_t size) {
    snprintf(out, size,
             "in a step: newton %" PRId32 " cg %" PRId32 " parts %" PRId32 " of %.2g s; %s",
             r->iterations, r->linear_iterations, r->substeps, r->piece,
             r->trouble[0] ? r->trouble : "no equations yet");
}

// "newton 3 cg 41 step 1/2 pen 0.01 mm": only what is worth a look.
static void health(const HedProgress* p, char* out, size_t size) {
    const HedStepReport* r = &p->report;
    int used =
        snprintf(out, size, "newton %" PRId32 " cg %" PRId32, r->iterations, r->linear_iterations);
    if (r->substeps > 1 && used > 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used, " step 1/%" PRId32, r->substeps);
    }
    if (r->penetration > 0.0 && used > 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used, " pen %.2g mm", 1e3 * r->penetration);
    }
    if (p->gone_count > 0 && used > 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used, " %" PRId32 " crossings apart",
                         p->gone_count);
    }
    if (r->phase != HED_PHASE_FREE && used > 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used, "  %s", hed_phase_name(r->phase));
    }
    if (r->tangle_count > 0 && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used, ": %" PRId32 " pairs intersect", r->tangle_count);
    }
}

static void show_text(const HedProgress* p, bool with_bar) {
    char left[CLI_NUMBER_TEXT];
    char state[2 * LINE];
    char line[3 * LINE];
    char bar[BAR + 4] = "";
    if (p->in_step) {
        step_so_far(&p->report, state, sizeof state);
    } else {
        health(p, state, sizeof state);
    }
    if (with_bar) {
        int filled = (int)(BAR * fraction(p));
        bar[0] = '[';
        memset(bar + 1, '#', (size_t)filled);
        memset(bar + 1 + filled, '.', (size_t)(BAR - filled));
        memcpy(bar + 1 + BAR, "] ", 3);
    }
    snprintf(line, sizeof line, "%s%3.0f%% %.4g/%.4g s  %.4g steps/s  %s left  %s", bar,
             floor(100.0 * fraction(p)), p->time, p->duration, p->steps_per_second,
             time_left(p->left, left), state);
    if (!with_bar) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    // A line longer than the terminal is wide could not be taken back.
    struct winsize window = {0};
    int width = 80;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 10) {
        width = window.ws_col;
    }
    fprintf(stderr, "\r%.*s\x1b[K", width - 1, line);
    fflush(stderr);
}

static void show_json(const HedProgress* p) {
    Json json = json_begin(stdout);
    json_number(&json, "time", p->time);
    json_number(&json, "duration", p->duration);
    json_integer(&json, "step", p->step);
    json_integer(&json, "frames", p->frame);
    json_number(&json, "wall", p->wall);
    json_number(&json, "steps_per_second", p->steps_per_second);
    json_number(&json, "left", p->left);
    json_integer(&json, "iterations", p->report.iterations);
    json_integer(&json, "linear_iterations", p->report.linear_iterations);
    json_integer(&json, "substeps", p->report.substeps);
    json_number(&json, "residual", p->report.residual);
    if (p->in_step) {
        json_bool(&json, "in_step", true);
        json_number(&json, "piece", p->report.piece);
        json_text(&json, "trouble", p->report.trouble);
    }
    json_number(&json, "penetration", p->report.penetration);
    json_integer(&json, "contacts", p->report.contact_count);
    json_integer(&json, "gone_count", p->gone_count);
    json_text(&json, "phase", hed_phase_name(p->report.phase));
    json_integer(&json, "tangled", p->report.tangle_count);
    json_finish(&json);
}

void cli_progress_hook(const HedProgress* progress, void* context) {
    CliProgress* state = context;
    double now = cli_now();
    state->call_count += !progress->in_step;
    // The first step is shown at once on a terminal: it tells that work has begun.
    bool first = state->call_count == 1 && state->mode == CLI_PROGRESS_TERMINAL;
    if (!first && now - state->shown < interval_of(state->mode)) {
        return;
    }
    state->shown = now;
    if (state->mode == CLI_PROGRESS_JSON) {
        show_json(progress);
    } else if (state->mode != CLI_PROGRESS_QUIET) {
        show_text(progress, state->mode == CLI_PROGRESS_TERMINAL);
        state->line_open = state->mode == CLI_PROGRESS_TERMINAL;
    }
}

void cli_progress_end(CliProgress* progress) {
    if (progress->line_open) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
        progress->line_open = false;
    }
}
