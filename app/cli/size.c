// SPDX-License-Identifier: MIT
#include "cli/size.h"
#include "cli/fabric.h"
#include "cli/weave.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double LARGE = 50e6; // bytes

// Bytes per vertex and frame of yarns; surfaces come near.
static const struct Format {
    const char* extension;
    double bytes;
} FORMATS[] = {
    {"obj", 75.0}, {"ply", 47.0}, {"vtp", 28.0}, {"pvd", 28.0}, {"usda", 135.0}, {"bcc", 12.0},
};

static double bytes_of(const char* extension) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; ++i) {
        if (strcasecmp(extension, FORMATS[i].extension) == 0) {
            return FORMATS[i].bytes;
        }
    }
    return 0.0;
}

static const char* advice(const char* in) {
    if (cli_is_draft(in)) {
        return "--weave points=2 writes fewer points, --weave ends=N --weave picks=N a piece";
    }
    if (cli_is_fabric(in)) {
        return "--knit points=8 writes fewer points";
    }
    return "--frame writes fewer frames";
}

void cli_size_note(const char* in, const char* out, const HedSeries* series) {
    const char* extension = cli_extension(out);
    double points = 0.0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        points += (double)series->objects[i].vertex_count * series->frame_count;
    }
    double bytes = points * bytes_of(extension);
    if (bytes < LARGE) {
        return;
    }
    bool is_small = strcasecmp(extension, "bcc") == 0 || series->frame_count > 1;
    fprintf(stderr, "heddle: note: %s: %.3g million points, about %.3g MB will be written; %s", out,
            1e-6 * points, 1e-6 * bytes, advice(in));
    if (!is_small) {
        fprintf(stderr, ", a .bcc file has about %.3g MB", 1e-6 * points * bytes_of("bcc"));
    }
    fputc('\n', stderr);
}
