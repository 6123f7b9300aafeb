// SPDX-License-Identifier: MIT
#include "cli/render_progress.h"
#include "cli/common.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

RenderProgress render_progress_begin(bool json, bool quiet, int32_t frame_count) {
    cli_progress_catch_signals();
    return (RenderProgress){
        .state = cli_progress_begin(json, quiet), .frame_count = frame_count, .begin = cli_now()};
}

static double interval_of(CliProgressMode mode) {
    return mode == CLI_PROGRESS_TERMINAL ? 0.1 : mode == CLI_PROGRESS_JSON ? 0.5 : 5.0;
}

static void show_json(const RenderProgress* p, const HedRenderReport* r, int32_t samples,
                      double left) {
    Json json = json_begin(stdout);
    json_integer(&json, "frame", p->frame);
    json_integer(&json, "frames", p->frame_count);
    json_integer(&json, "sample", r->samples);
    json_integer(&json, "samples", samples);
    json_integer(&json, "rays", r->rays);
    json_number(&json, "left", left);
    json_finish(&json);
}

static void show_line(const RenderProgress* p, const HedRenderReport* r, int32_t samples,
                      double done, double left) {
    char frame[64] = "";
    char line[160];
    if (p->frame_count > 1) {
        snprintf(frame, sizeof frame, "frame %" PRId32 "/%" PRId32 "  ", p->frame + 1,
                 p->frame_count);
    }
    long seconds = left < 3.6e6 ? lround(left) : 0;
    double rate = r->trace > 0.0 ? 1e-6 * (double)r->rays / r->trace : 0.0;
    snprintf(line, sizeof line,
             "%3.0f%%  %s%" PRId32 "/%" PRId32 " samples  %.2f Mray/s  %ld:%02ld left",
             floor(100.0 * done), frame, r->samples, samples, rate, seconds / 60, seconds % 60);
    bool terminal = p->state.mode == CLI_PROGRESS_TERMINAL;
    fprintf(stderr, terminal ? "\r%.78s\x1b[K" : "%s\n", line);
    fflush(stderr);
}

bool render_progress_hook(const HedRenderReport* r, int32_t samples, void* context) {
    RenderProgress* p = context;
    double now = cli_now();
    if (p->state.mode != CLI_PROGRESS_QUIET && now - p->state.shown >= interval_of(p->state.mode)) {
        double done = (p->frame + (double)r->samples / samples) / p->frame_count;
        double left = (now - p->begin) * (1.0 - done) / done;
        p->state.shown = now;
        if (p->state.mode == CLI_PROGRESS_JSON) {
            show_json(p, r, samples, left);
        } else {
            show_line(p, r, samples, done, left);
            p->state.line_open = p->state.mode == CLI_PROGRESS_TERMINAL;
        }
    }
    return !cli_progress_stop(NULL);
}

void render_progress_frame_done(RenderProgress* progress) {
    progress->frame += 1;
}

bool render_progress_stopped(const RenderProgress* progress) {
    (void)progress;
    return cli_progress_stop(NULL);
}

void render_progress_end(RenderProgress* progress) {
    cli_progress_end(&progress->state);
}
