// SPDX-License-Identifier: MIT
// Telling how far pictures have come.
#ifndef CLI_RENDER_PROGRESS_H
#define CLI_RENDER_PROGRESS_H

#include "cli/progress.h"
#include "heddle/render.h"

typedef struct RenderProgress {
    CliProgress state;
    int32_t frame, frame_count;
    double begin;
} RenderProgress;

/// From here on Ctrl-C asks for an end after the pass.
RenderProgress render_progress_begin(bool json, bool quiet, int32_t frame_count);

/// The hook of HedRenderDef, context a RenderProgress*.
bool render_progress_hook(const HedRenderReport* so_far, int32_t samples, void* context);
void render_progress_frame_done(RenderProgress* progress);
bool render_progress_stopped(const RenderProgress* progress);

/// Leaves the terminal with a clean line.
void render_progress_end(RenderProgress* progress);

#endif
