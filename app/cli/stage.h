// SPDX-License-Identifier: MIT
// A frame of a run, a yarn file or a mesh as the thing to draw.
#ifndef CLI_STAGE_H
#define CLI_STAGE_H

#include "cli/common.h"

/// Zero-initialise; free with stage_free.
typedef struct Stage {
    HedShow* show;
    HedPicture picture; // points into the arrays below
    HedSeriesObject* objects;
    HedVec3** positions;
    float** values;
    bool* is_ground;
    int32_t quantity; // to colour by; -1: none
    char title[128];  // of the legend
} Stage;

/// Opens what path names and makes room for one frame. CLI_GO, or the exit code with everything
/// said.
int stage_open(Stage* stage, const char* path, const HedShowOptions* options);
void stage_free(Stage* stage);

/// Colours by a quantity of the show. range: its ends, or NaN for those of the frames first..last.
int stage_color_by(Stage* stage, const char* name, const double range[2], int32_t first,
                   int32_t last);

/// Loads one frame into the picture.
int stage_load(Stage* stage, int32_t frame, double* time);

#endif
