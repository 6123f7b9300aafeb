// SPDX-License-Identifier: MIT
// Reads knitting charts. A chart that is taken has a graph in which children follow their parents,
// or is refused with a message; its yarns have finite points; nothing leaks.
#include "fabric/chart_text.h"
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/knit.h"

#include <string.h>

enum { FEW = 40 }; // loops whose yarns are drawn

static void check_graph(const HedLoops* graph) {
    int32_t live = 0;
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        for (int32_t k = 0; k < hed_parent_count(graph, i); ++k) {
            promise(hed_parents(graph, i)[k] < i);
        }
        live += hed_child_count(graph, i) == 0 && graph->loops.data[i].kind != HED_LOOP_END;
    }
    promise(live == graph->live_count);
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
    for (int32_t i = 0; i < fabric.point_count; ++i) {
        HedVec3 x = fabric.points[i];
        promise(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    }
    hed_fabric_free(&fabric);
}

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
    bool is_small = status == HED_OK && graph.loops.count <= FEW;
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    if (is_small) {
        check_yarns(text);
    }
    free(text);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
