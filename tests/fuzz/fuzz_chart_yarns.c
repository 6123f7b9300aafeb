// SPDX-License-Identifier: MIT
// Draws the yarns of small knitting charts: their points are finite, or the chart is refused;
// nothing leaks. fuzz_chart has the reader alone, which is much faster.
#include "fuzz/loop_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/knit.h"
#include "knit/chart_text.h"

#include <string.h>

enum { FEW = 40 }; // loops whose yarns are drawn

static bool is_small(const char* text) {
    HedChart chart;
    HedLoops graph = {0};
    bool is_taken = hed_chart_read(text, "fuzz", false, &chart, NULL) == HED_OK &&
                    hed_chart_loops(&chart, &graph, NULL) == HED_OK;
    int32_t count = graph.loops.count;
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    return is_taken && count <= FEW;
}

static void check_yarns(const char* text) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    HedKnitReport report;
    HedError error = {0};
    def.chart = text;
    def.points_per_loop = 12;
    HedStatus status = hed_knit_create(&def, &fabric, &report, &error);
    promise((status != HED_OK) == (error.status != HED_OK));
    check_points(&fabric);
    hed_fabric_free(&fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 19);
    char* text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (is_small(text)) {
        check_yarns(text);
    }
    free(text);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
