// SPDX-License-Identifier: MIT
// Writes what happens to loops on needles.
#include "base/parallel.h"
#include "knit/machine.h"

void hed_machine_log_next(HedMachine* m) {
    ++m->operation;
}

static HedStatus log_loop(HedMachine* m, HedBedEventKind kind, HedNeedle n, int32_t loop,
                          int32_t rank) {
    HedBedEvent event = {.kind = kind,
                         .operation = m->operation,
                         .loop = loop,
                         .wale = hed_machine_wale(m, n),
                         .rank = rank,
                         .is_back = n.bed == HED_BED_BACK,
                         .is_slider = n.is_slider};
    int32_t* most = n.is_slider ? &m->log->slider_most : &m->log->needle_most;
    *most = hed_max_i32(*most, rank + 1);
    return HED_APPEND(&m->log->events, event) ? HED_OK : hed_fail_memory(m->error, m->name);
}

HedStatus hed_machine_log_above(HedMachine* m, HedBedEventKind kind, HedNeedle n, int32_t rank) {
    HedStatus status = HED_OK;
    int32_t at = 0;
    for (int32_t loop = hed_needle_stack(m, n)->first; loop >= 0 && m->log && status == HED_OK;
         loop = m->next.data[loop], ++at) {
        status = at >= rank ? log_loop(m, kind, n, loop, at) : HED_OK;
    }
    return status;
}

HedStatus hed_machine_log(HedMachine* m, HedBedEventKind kind, HedNeedle n) {
    return hed_machine_log_above(m, kind, n, 0);
}

HedStatus hed_machine_log_made(HedMachine* m, HedNeedle n, bool is_leftward, int32_t loop,
                               int32_t rank) {
    HedStatus status = m->log ? log_loop(m, HED_BED_MADE, n, loop, rank) : HED_OK;
    if (m->log && status == HED_OK) {
        m->log->events.data[m->log->events.count - 1].is_leftward = is_leftward;
    }
    return status;
}
