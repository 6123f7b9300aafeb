// SPDX-License-Identifier: MIT
// Runs knitout programs. A program that is taken makes loops; its yarns, if they are few, are drawn
// and proved or refused; nothing leaks.
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/knitout.h"

enum { FEW = 40 }; // loops whose yarns are drawn

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 20);
    HedKnitout* program = NULL;
    HedError error = {0};
    HedStatus status = hed_knitout_parse((const char*)data, size, "fuzz", &program, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        HedFabric fabric = {0};
        HedKnitDef def = hed_knit_def_default();
        def.points_per_loop = 12;
        promise(hed_knitout_facts(program).loop_count > 0);
        bool is_small = hed_knitout_facts(program).loop_count <= FEW;
        status = is_small ? hed_knitout_build(program, &def, &fabric, NULL, &error) : HED_OK;
        for (int32_t i = 0; i < fabric.point_count && status == HED_OK; ++i) {
            HedVec3 x = fabric.points[i];
            promise(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
        }
        hed_fabric_free(&fabric);
    }
    hed_knitout_destroy(program);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
