// SPDX-License-Identifier: MIT
// Draws the yarns of small knitout programs and proves how they run, or refuses; nothing leaks.
// fuzz_knitout has the machine alone, which is much faster.
#include "fuzz/loop_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/knitout.h"

enum { FEW = 40 }; // loops whose yarns are drawn

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 20);
    HedKnitout* program = NULL;
    HedStatus status = hed_knitout_parse((const char*)data, size, "fuzz", &program, NULL);
    if (status == HED_OK && hed_knitout_facts(program).loop_count <= FEW) {
        HedFabric fabric = {0};
        HedError error = {0};
        HedKnitDef def = hed_knit_def_default();
        def.points_per_loop = 12;
        status = hed_knitout_build(program, &def, &fabric, NULL, &error);
        promise((status != HED_OK) == (error.message[0] != '\0'));
        check_points(&fabric);
        hed_fabric_free(&fabric);
    }
    hed_knitout_destroy(program);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
