// SPDX-License-Identifier: MIT
#include "run/resume.h"
#include "base/file.h"
#include "base/log.h"
#include "io/store.h"

#include <inttypes.h>

static HedStatus restore(const char* path, const HedScene* scene, HedSim* sim, HedCheckpoint* found,
                         HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_checkpoint_read(path, found, error));
    if (found->scene_hash != hed_scene_hash(scene)) {
        return hed_fail(error, HED_INVALID,
                        "%s: was made from another scene; resume with the scene and --set values "
                        "of its scene.yaml, or replace it with --force",
                        path);
    }
    HED_TRY(hed_checkpoint_restore(path, sim, error));
done:
    return status;
}

HedStatus hed_resume_state(const HedRunDirectory* directory, const HedScene* scene, HedSim* sim,
                           HedCheckpoint* found, HedError* error) {
    const char* last = directory->path[HED_RUN_CHECKPOINT];
    const char* before = directory->path[HED_RUN_BEFORE];
    HedError why = {0};
    HedError unused = {0};
    HedStatus status = restore(last, scene, sim, found, &why);
    if (status == HED_OK) {
        return status;
    }
    bool is_useless = status == HED_PARSE || status == HED_NOT_FOUND || status == HED_UNSUPPORTED;
    if (is_useless && hed_file_exists(before) &&
        restore(before, scene, sim, found, &unused) == HED_OK) {
        hed_log(HED_LOG_WARNING, "%s; the run goes on from the checkpoint before it, step %" PRId64,
                why.message, found->steps);
        return HED_OK;
    }
    const char* hint = "; the run cannot go on; its frames can be read, --force starts it again";
    return hed_fail(error, status, "%s%s", why.message, is_useless ? hint : "");
}

int32_t hed_resume_lost_frames(const HedRunDirectory* directory, int64_t count) {
    enum { TOLD = 5 };
    int32_t lost = 0;
    for (int64_t i = 0; i < count; ++i) {
        HedStore store = {0};
        HedError error = {0};
        HedStatus status = hed_store_load(hed_run_frame_path(directory, i), &store, &error);
        hed_store_free(&store);
        lost += status != HED_OK;
        if (status != HED_OK && lost <= TOLD) {
            hed_log(HED_LOG_WARNING, "frame %" PRId64 " is lost: %s", i, error.message);
        }
    }
    return lost;
}
