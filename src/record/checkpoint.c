// SPDX-License-Identifier: MIT
#include "record/checkpoint.h"
#include "heddle/start.h"
#include "io/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 5, HEAD = 7, PART = 4 };

_Static_assert(sizeof(HedStatePart) == PART * sizeof(int32_t), "parts are stored as numbers");

// The sim's arrays stand beside our own under this prefix.
static void state_name(const char* name, char out[HED_STORE_NAME]) {
    snprintf(out, HED_STORE_NAME, "sim/%s", name);
}

HedStatus hed_checkpoint_save(const char* path, const HedCheckpoint* checkpoint, HedSim* sim,
                              HedError* error) {
    int64_t format = FORMAT;
    int64_t counts[4] = {checkpoint->steps, checkpoint->frames, checkpoint->energy_bytes,
                         checkpoint->measure_bytes};
    double worst[2] = {checkpoint->worst_residual, checkpoint->worst_penetration};
    HedStateLayout layout;
    HedStatus status = hed_sim_layout(sim, &layout, error);
    if (status != HED_OK) {
        return status;
    }
    uint64_t hashes[2] = {checkpoint->energy_hash, checkpoint->measure_hash};
    HedStoreArray arrays[HEAD + HED_SNAPSHOT_LIMIT] = {
        {"format", "i64", 1, &format},
        {"scene_hash", "u64", 1, &checkpoint->scene_hash},
        {"counts", "i64", 4, counts},
        {"worst", "f64", 2, worst},
        {"hashes", "u64", 2, hashes},
        {"parts", "i32", PART * (int64_t)layout.part_count, layout.parts},
        {"place", "i32", layout.place_count, layout.place},
    };
    HedSnapshotArray state[HED_SNAPSHOT_LIMIT];
    char names[HED_SNAPSHOT_LIMIT][HED_STORE_NAME];
    int32_t count = hed_sim_snapshot(sim, state);
    for (int32_t i = 0; i < count; ++i) {
        state_name(state[i].name, names[i]);
        arrays[HEAD + i] = (HedStoreArray){names[i], "u8", state[i].bytes, state[i].data};
    }
    status = count > 0 ? hed_store_save(path, arrays, HEAD + count, error)
                       : hed_fail_memory(error, path);
    hed_state_layout_free(&layout);
    return status;
}

static HedStatus take_head(const HedStore* store, const char* path, HedCheckpoint* checkpoint,
                           HedError* error) {
    int64_t size[5] = {0};
    const int64_t* format = hed_store_find(store, "format", "i64", &size[0]);
    const uint64_t* hash = hed_store_find(store, "scene_hash", "u64", &size[1]);
    const int64_t* counts = hed_store_find(store, "counts", "i64", &size[2]);
    const double* worst = hed_store_find(store, "worst", "f64", &size[3]);
    const uint64_t* hashes = hed_store_find(store, "hashes", "u64", &size[4]);
    bool whole = format && hash && counts && worst && size[0] == 1 && size[1] == 1 &&
                 size[2] == 4 && size[3] == 2 && (!hashes || size[4] == 2);
    if (!whole) {
        return hed_fail(error, HED_PARSE, "%s: is not a checkpoint", path);
    }
    if (*format != FORMAT) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: has format %" PRId64 ", this heddle reads %d",
                        path, *format, FORMAT);
    }
    if (counts[0] < 0 || counts[1] < 0 || counts[1] > INT32_MAX || counts[2] < 0 || counts[3] < 0 ||
        !isfinite(worst[0]) || !isfinite(worst[1])) {
        return hed_fail(error, HED_PARSE, "%s: holds impossible numbers", path);
    }
    *checkpoint = (HedCheckpoint){
        .scene_hash = *hash,
        .steps = counts[0],
        .frames = counts[1],
        .energy_bytes = counts[2],
        .measure_bytes = counts[3],
        .worst_residual = worst[0],
        .worst_penetration = worst[1],
        .knows_hashes = hashes != NULL,
        .energy_hash = hashes ? hashes[0] : 0,
        .measure_hash = hashes ? hashes[1] : 0,
    };
    return HED_OK;
}

HedStatus hed_checkpoint_read(const char* path, HedCheckpoint* checkpoint, HedError* error) {
    HedStatus status = HED_OK;
    HedStore store = {0};
    HED_TRY(hed_store_load(path, &store, error));
    HED_TRY(take_head(&store, path, checkpoint, error));
done:
    hed_store_free(&store);
    return status;
}

static HedStatus copy_state(const HedStore* store, const char* path, HedSim* sim, HedError* error) {
    HedSnapshotArray state[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, state);
    for (int32_t i = 0; i < count; ++i) {
        char name[HED_STORE_NAME];
        int64_t bytes = 0;
        state_name(state[i].name, name);
        const void* data = hed_store_find(store, name, "u8", &bytes);
        if (data && bytes != state[i].bytes) {
            hed_sim_snapshot_resize(sim, bytes, &state[i], NULL); // a few can change
        }
        if (!data || bytes != state[i].bytes) {
            return hed_fail(error, HED_PARSE,
                            "%s: '%s' has %" PRId64 " bytes, the scene needs %" PRId64 "", path,
                            name, data ? bytes : 0, state[i].bytes);
        }
        if (bytes > 0) {
            memcpy(state[i].data, data, (size_t)bytes);
        }
    }
    return hed_sim_restored(sim, error);
}

HedStatus hed_checkpoint_restore(const char* path, HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedStore store = {0};
    HedCheckpoint head;
    HED_TRY(hed_store_load(path, &store, error));
    HED_TRY(take_head(&store, path, &head, error));
    HED_TRY(copy_state(&store, path, sim, error));
    if (hed_sim_steps(sim) != head.steps) {
        status =
            hed_fail(error, HED_PARSE, "%s: state is at step %" PRId64 ", should be %" PRId64 "",
                     path, hed_sim_steps(sim), head.steps);
    }
done:
    hed_store_free(&store);
    return status;
}
