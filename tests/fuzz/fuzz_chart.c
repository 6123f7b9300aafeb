// SPDX-License-Identifier: MIT
// Reads knitting charts. A chart that is taken has a graph in which children follow their parents,
// or is refused with a message; nothing leaks.
#include "fuzz/loop_promises.h"
#include "fuzz/small_memory.h"
#include "knit/chart_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 19);
    char* text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    HedChart chart;
    HedLoops graph = {0};
    HedError error = {0};
    HedStatus status = hed_chart_read(text, "fuzz", false, &chart, &error);
    if (status == HED_OK) {
        status = hed_chart_loops(&chart, &graph, &error);
    }
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        check_graph(&graph);
    }
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    free(text);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
