// SPDX-License-Identifier: MIT
// What every reader of knits promises of its loop graph, whatever it is fed.
#ifndef TESTS_FUZZ_LOOP_PROMISES_H
#define TESTS_FUZZ_LOOP_PROMISES_H

#include "fuzz/mesh_promises.h"
#include "heddle/fabric.h"
#include "knit/loops.h"

/// Children follow their parents, and as many loops are live as the graph says.
static inline void check_graph(const HedLoops* graph) {
    int32_t live = 0;
    promise(graph->is_finished);
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        for (int32_t k = 0; k < hed_parent_count(graph, i); ++k) {
            promise(hed_parents(graph, i)[k] < i);
        }
        live += hed_child_count(graph, i) == 0 && graph->loops.data[i].kind != HED_LOOP_END;
    }
    promise(live == graph->live_count);
}

/// Points are finite.
static inline void check_points(const HedFabric* fabric) {
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        HedVec3 x = fabric->points[i];
        promise(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    }
}

#endif
