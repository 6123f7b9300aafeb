// SPDX-License-Identifier: MIT
// The command line of heddle render, read and checked.
#ifndef CLI_RENDER_OPTIONS_H
#define CLI_RENDER_OPTIONS_H

#include "cli/options.h"

typedef struct RenderOptions {
    const char* input;
    const char* output;   // NULL: named after the input
    const char* frames;   // NULL: the last, or all for a film
    const char* color_by; // NULL: none
    HedShowOptions show;
    CliList set; // of a scene
    HedRenderDef def;
    HedFraming framing;
    bool has_elevation; // it was given
    double range[2];    // NaN: that of the values
    double fps;         // 0: that of the run
    double orbit;       // rad, over a film
    int32_t bits;
    HedVec3 position, target, up; // used if the flag is set
    bool has_position, has_target, has_up;
    bool hide_legend, force, json, quiet;
} RenderOptions;

/// CLI_GO, or the exit code with everything said.
int render_options_read(int argc, char** argv, RenderOptions* options);

#endif
