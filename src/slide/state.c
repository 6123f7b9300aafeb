// SPDX-License-Identifier: MIT
#include "slide/state.h"

#include <math.h>
#include <string.h>

// Arrays that make up the state, in the order in which they are saved.
enum { ARRAYS = 3 };

typedef struct Part {
    double* data;
    int64_t count;
} Part;

static void list_parts(const HedSlide* slide, Part parts[ARRAYS]) {
    int64_t n = slide->node_count;
    parts[0] = (Part){slide->q, HED_NODE_SIZE * n};
    parts[1] = (Part){slide->v, HED_NODE_SIZE * n};
    parts[2] = (Part){slide->anchor, 2 * n};
}

int64_t hed_slide_state_count(const HedSlide* slide) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    int64_t count = 0;
    for (int k = 0; k < ARRAYS; ++k) {
        count += parts[k].count;
    }
    return count;
}

void hed_slide_save(const HedSlide* slide, double* state) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    for (int k = 0; k < ARRAYS; ++k) {
        memcpy(state, parts[k].data, sizeof *state * (size_t)parts[k].count);
        state += parts[k].count;
    }
}

void hed_slide_restore(HedSlide* slide, const double* state) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    for (int k = 0; k < ARRAYS; ++k) {
        memcpy(parts[k].data, state, sizeof *state * (size_t)parts[k].count);
        state += parts[k].count;
    }
}

int32_t hed_slide_worst(const HedSlide* slide, double* force) {
    int32_t worst = 0;
    *force = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const double* g = slide->gradient + (int64_t)HED_NODE_SIZE * i;
        double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        size = isfinite(size) ? size : (double)INFINITY;
        if (size > *force) {
            *force = size;
            worst = i;
        }
    }
    return slide->order[worst];
}
