// SPDX-License-Identifier: MIT
// The state in a checkpoint, taken apart for simulations that start from it. Nothing in the file is
// trusted: every number that points somewhere is checked.
#include "base/alloc.h"
#include "heddle/run.h"
#include "io/store.h"
#include "record/checkpoint.h"

#include <inttypes.h>
#include <string.h>

struct HedRunState {
    HedStore store; // everything below points into it
    int64_t steps;
    const HedStatePart* parts;
    int32_t part_count;
    const int32_t* place;
    int64_t place_count;
    const HedVec3* x;
    const HedVec3* v;
    int64_t point_count;
};

enum { PART = sizeof(HedStatePart) / sizeof(int32_t) };

static bool take_part(const HedRunState* state, const HedStatePart* part, int64_t first_place) {
    bool ok = part->kind >= 0 && part->kind < HED_STATE_KIND_COUNT && part->first_point >= 0 &&
              part->point_count >= 0 && part->vertex_count >= 0 &&
              part->point_count <= state->point_count - part->first_point &&
              part->vertex_count <= state->place_count - first_place;
    int32_t first = part->kind == HED_STATE_SLIDING ? 0 : part->first_point;
    for (int32_t k = 0; ok && k < part->vertex_count; ++k) {
        int32_t at = state->place[first_place + k];
        ok = at >= first && at - first < part->point_count;
    }
    return ok;
}

static bool take_parts(HedRunState* state) {
    int64_t next = 0;
    bool ok = true;
    for (int32_t k = 0; k < state->part_count && ok; ++k) {
        ok = take_part(state, &state->parts[k], next);
        next += ok ? state->parts[k].vertex_count : 0;
    }
    return ok && next == state->place_count;
}

static HedStatus take(HedRunState* state, const char* name, HedError* error) {
    int64_t size[4] = {0};
    const int64_t* counts = hed_store_find(&state->store, "counts", "i64", &size[0]);
    state->parts = hed_store_find(&state->store, "parts", "i32", &size[1]);
    state->place = hed_store_find(&state->store, "place", "i32", &state->place_count);
    state->x = hed_store_find(&state->store, "sim/x", "u8", &size[2]);
    state->v = hed_store_find(&state->store, "sim/v", "u8", &size[3]);
    if (counts && state->x && state->v && !state->parts) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: was written by a heddle that did not keep what a start needs", name);
    }
    state->point_count = size[2] / (int64_t)sizeof(HedVec3);
    state->part_count = (int32_t)(size[1] / PART);
    bool ok = counts && state->parts && state->place && state->x && state->v && size[0] == 4 &&
              size[1] % PART == 0 && size[1] / PART <= INT32_MAX && size[2] == size[3] &&
              state->point_count <= INT32_MAX && take_parts(state);
    if (!ok) {
        return hed_fail(error, HED_PARSE, "%s: does not hold the state of a run", name);
    }
    state->steps = counts[0];
    return HED_OK;
}

HedStatus hed_run_state_parse(const void* data, size_t size, const char* name, HedRunState** out,
                              HedError* error) {
    *out = NULL;
    HedRunState* state = HED_NEW(HedRunState);
    if (!state) {
        return hed_fail_memory(error, name);
    }
    HedStatus status = hed_store_parse(data, size, name, &state->store, error);
    status = status == HED_OK ? take(state, name, error) : status;
    if (status != HED_OK) {
        hed_run_state_free(state);
        return status;
    }
    *out = state;
    return HED_OK;
}

void hed_run_state_free(HedRunState* state) {
    if (state) {
        hed_store_free(&state->store);
        hed_free(state);
    }
}

int64_t hed_run_state_steps(const HedRunState* state) {
    return state->steps;
}

int32_t hed_run_state_part_count(const HedRunState* state) {
    return state->part_count;
}

HedStatePart hed_run_state_part(const HedRunState* state, int32_t index) {
    return state->parts[index];
}

const int32_t* hed_run_state_place(const HedRunState* state, int32_t index) {
    int64_t first = 0;
    for (int32_t k = 0; k < index; ++k) {
        first += state->parts[k].vertex_count;
    }
    return state->place + first;
}

int32_t hed_run_state_points(const HedRunState* state, int32_t index, HedVec3* positions,
                             HedVec3* velocities) {
    const HedStatePart* part = &state->parts[index];
    const int32_t* place = hed_run_state_place(state, index);
    bool in_order = part->kind == HED_STATE_SPLINE || part->kind == HED_STATE_SLIDING;
    int32_t count = in_order ? part->point_count : part->vertex_count;
    for (int32_t k = 0; k < count && positions; ++k) {
        int32_t at = in_order ? part->first_point + k : place[k];
        positions[k] = state->x[at];
        velocities[k] = state->v[at];
    }
    return count;
}

int32_t hed_run_state_memory(const HedRunState* state, HedSnapshotArray* arrays) {
    static const char* const KEPT[HED_RUN_STATE_MEMORY] = {"sim/rods", "sim/sliding",
                                                           "sim/yarn_pairs", "sim/yarn_strains"};
    int32_t count = 0;
    for (int k = 0; k < HED_RUN_STATE_MEMORY; ++k) {
        int64_t bytes = 0;
        const void* data = hed_store_find(&state->store, KEPT[k], "u8", &bytes);
        if (data) {
            arrays[count++] =
                (HedSnapshotArray){KEPT[k] + strlen("sim/"), (void*)(uintptr_t)data, bytes};
        }
    }
    return count;
}
