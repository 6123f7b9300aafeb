// SPDX-License-Identifier: MIT
#include "slide/state.h"

#include <math.h>
#include <string.h>

// Arrays that make up the state, in the order in which they are saved; the age of the
// preconditioner's shares follows, and what tells how exact linear solves have to be.
enum { ARRAYS = 6, GONE = 5 };

typedef struct Part {
    double* data;
    int64_t count;
} Part;

static void list_parts(const HedSlide* slide, Part parts[ARRAYS]) {
    int64_t n = slide->node_count;
    const HedNetPreconditioner* p = &slide->preconditioner;
    parts[0] = (Part){slide->q, HED_NODE_SIZE * n};
    parts[1] = (Part){slide->v, HED_NODE_SIZE * n};
    parts[2] = (Part){slide->anchor, 2 * n};
    // Found now and then, and what comes out of a linear solve depends on them in its last digits.
    parts[3] = (Part){p->share, p->share ? p->matrix->bands->color_count : 0};
    parts[4] = (Part){slide->trend, HED_NODE_SIZE * n};
    parts[GONE] = (Part){slide->gone, n};
}

int64_t hed_slide_state_count(const HedSlide* slide) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    int64_t count = 2;
    for (int k = 0; k < ARRAYS; ++k) {
        count += parts[k].count;
    }
    return count;
}

void hed_slide_save(const HedSlide* slide, double* state) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    for (int k = 0; k < ARRAYS; ++k) {
        if (parts[k].count > 0) {
            memcpy(state, parts[k].data, sizeof *state * (size_t)parts[k].count);
        }
        state += parts[k].count;
    }
    state[0] = slide->preconditioner.age;
    state[1] = slide->nonlinear;
}

// Whatever a file says: only crossings come apart, of yarns that can.
static bool take_gone(HedSlide* slide, const double* state) {
    bool is_other = false;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        bool is_known = state[i] == 1.0 || state[i] == 2.0 || state[i] == 3.0 || state[i] == 5.0 ||
                        state[i] == 6.0 || state[i] == 7.0;
        double gone = is_known && hed_slide_leave_may(slide, i) ? state[i] : 0.0;
        is_other = is_other || gone != slide->gone[i];
        slide->gone[i] = gone;
    }
    return is_other;
}

void hed_slide_restore(HedSlide* slide, const double* state) {
    Part parts[ARRAYS];
    list_parts(slide, parts);
    bool is_other = false;
    for (int k = 0; k < ARRAYS; ++k) {
        if (k == GONE) {
            is_other = take_gone(slide, state);
        } else if (parts[k].count > 0) {
            memcpy(parts[k].data, state, sizeof *state * (size_t)parts[k].count);
        }
        state += parts[k].count;
    }
    // Whatever a file says: shares that were never found are no shares.
    if (is_other) {
        hed_slide_leave_apply(slide);
    }
    bool is_known = state[0] >= 1.0 && state[0] <= INT32_MAX;
    slide->preconditioner.age = is_known ? (int32_t)state[0] : 0;
    slide->nonlinear = state[1] >= 0.0 && state[1] <= 1.0 ? state[1] : 0.0;
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
