// SPDX-License-Identifier: MIT
// Runs knitout programs. A program that is taken makes loops, of which no more are live or dropped
// than were made; nothing leaks.
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/knitout.h"

static void check_facts(const HedKnitout* program) {
    HedKnitoutFacts facts = hed_knitout_facts(program);
    promise(facts.loop_count > 0 && facts.yarn_count > 0 && facts.carrier_count > 0);
    promise(facts.stitch_count + facts.tuck_count <= facts.loop_count);
    promise(facts.live_count + facts.dropped_count <= facts.loop_count);
    promise(facts.needle_low <= facts.needle_high);
    for (int32_t i = 0; i < facts.carrier_count; ++i) {
        promise(hed_knitout_carrier(program, i)[0] != '\0');
    }
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        promise(hed_knitout_note(program, i)[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 20);
    HedKnitout* program = NULL;
    HedError error = {0};
    HedStatus status = hed_knitout_parse((const char*)data, size, "fuzz", &program, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        check_facts(program);
    }
    hed_knitout_destroy(program);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
