// SPDX-License-Identifier: MIT
// Reads weave drafts. A draft that is taken has ends and picks, all over or under each other, with
// sizes that can be; nothing leaks.
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/weave.h"

static void check_threads(const HedThread* threads, int32_t count) {
    promise(count > 0);
    for (int32_t i = 0; i < count; ++i) {
        const HedThread* t = threads + i;
        promise(t->number > 0 && (i == 0 || t->number > t[-1].number));
        promise(t->color >= HED_COLOR_NONE && t->color <= 0xFFFFFF);
        promise(isfinite(t->spacing) && t->spacing >= 0.0);
        promise(isfinite(t->diameter) && t->diameter >= 0.0);
        promise(isfinite(t->linear_density) && t->linear_density >= 0.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 19);
    HedWeave weave = {0};
    HedError error = {0};
    HedStatus status = hed_weave_parse((const char*)data, size, "fuzz", &weave, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        check_threads(weave.ends, weave.end_count);
        check_threads(weave.picks, weave.pick_count);
        for (int64_t i = 0; i < (int64_t)weave.end_count * weave.pick_count; ++i) {
            promise(weave.is_up[i] <= 1);
        }
    }
    hed_weave_free(&weave);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
