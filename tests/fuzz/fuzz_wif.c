// SPDX-License-Identifier: MIT
// Reads weave drafts. A draft that is taken has ends and picks; its cloth, if it is not too large,
// has finite points and crosses as the draft says; nothing leaks.
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
    HedError error = {0};
    HedStatus status = hed_weave_parse((const char*)data, size, "fuzz", &weave, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        promise(weave.end_count > 0 && weave.pick_count > 0);
        check_cloth(&weave);
    }
    hed_weave_free(&weave);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
