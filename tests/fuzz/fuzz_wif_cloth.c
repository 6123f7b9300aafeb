// SPDX-License-Identifier: MIT
// Makes cloth from weave drafts: if it is not too large it has finite points and crosses as the
// draft says; nothing leaks. fuzz_wif has the reader alone, which is ten times as fast.
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/weave.h"

static void check_cloth(const HedWeave* weave) {
    HedWeaveDef def = hed_weave_def_default();
    HedFabric fabric = {0};
    HedError error = {0};
    def.points = 2 + weave->end_count % 3;
    def.selvedge = weave->pick_count % 2 == 0 ? HED_SELVEDGE_CUT : HED_SELVEDGE_TURNED;
    HedStatus status = hed_weave_build(weave, &def, &fabric, &error);
    promise(status == HED_OK || status == HED_NO_MEMORY || status == HED_UNSUPPORTED);
    for (int32_t i = 0; i < fabric.point_count; ++i) {
        HedVec3 x = fabric.points[i];
        promise(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    }
    if (status == HED_OK) {
        status = hed_fabric_check(&fabric, &error);
        promise(status == HED_OK || status == HED_NO_MEMORY);
    }
    hed_fabric_free(&fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 19);
    HedWeave weave = {0};
    if (hed_weave_parse((const char*)data, size, "fuzz", &weave, NULL) == HED_OK) {
        check_cloth(&weave);
    }
    hed_weave_free(&weave);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
