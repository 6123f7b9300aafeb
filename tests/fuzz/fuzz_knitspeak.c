// SPDX-License-Identifier: MIT
// Reads knitting instructions. A chart that is taken fits from row to row and has a loop graph, or
// that is refused; nothing leaks.
#include "fuzz/loop_promises.h"
#include "fuzz/small_memory.h"
#include "knit/knitspeak.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 20);
    HedChart chart = {0};
    HedLoops graph = {0};
    HedError error = {0};
    HedStatus status = hed_knitspeak_read((const char*)data, size, "fuzz", &chart, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        promise(hed_chart_check(&chart, &error) == HED_OK);
        status = hed_chart_loops(&chart, &graph, &error);
        if (status == HED_OK) {
            check_graph(&graph);
        }
    }
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
