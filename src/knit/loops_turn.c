// SPDX-License-Identifier: MIT
// The same graph as seen from the outer face everywhere.
#include "knit/loops.h"

#include <string.h>

#define COPY(field)                                                                                \
    (HED_RESERVE(&copy->field, graph->field.count)                                                 \
         ? (graph->field.count > 0                                                                 \
                ? (void)memcpy(copy->field.data, graph->field.data,                                \
                               (size_t)graph->field.count * sizeof graph->field.data[0])           \
                : (void)0,                                                                         \
            copy->field.count = graph->field.count, true)                                          \
         : false)

static bool copy_arrays(const HedLoops* graph, HedLoops* copy) {
    copy->is_round = graph->is_round;
    copy->round_wales = graph->round_wales;
    return COPY(widths) && COPY(pitches) && COPY(loops) && COPY(first_parents) && COPY(parents) &&
           COPY(swaps);
}

static void reverse(int32_t* items, int32_t count) {
    for (int32_t i = 0, k = count - 1; i < k; ++i, --k) {
        int32_t item = items[i];
        items[i] = items[k];
        items[k] = item;
    }
}

static void turn(HedLoops* copy, const bool* is_turned) {
    for (int32_t i = 0; i < copy->loops.count; ++i) {
        HedLoop* loop = &copy->loops.data[i];
        if (is_turned[i]) {
            loop->is_leftward = !loop->is_leftward;
            loop->is_purl = !loop->is_purl;
            loop->layer = 0;
            if (copy->parents.data) { // none if no loop of the graph has any
                reverse(copy->parents.data + copy->first_parents.data[i],
                        hed_parent_count(copy, i));
            }
        }
    }
    for (int32_t i = 0; i < copy->swaps.count; ++i) {
        HedLoopSwap swap = copy->swaps.data[i];
        if (is_turned[swap.over] && is_turned[swap.under]) {
            copy->swaps.data[i] = (HedLoopSwap){swap.under, swap.over};
        }
    }
}

HedStatus hed_loops_turn(const HedLoops* graph, const bool* is_turned, HedLoops* copy,
                         HedError* error) {
    HED_ASSERT(graph->is_finished);
    HedStatus status = HED_OK;
    *copy = (HedLoops){0};
    if (!copy_arrays(graph, copy) || !HED_RESERVE(&copy->steps, graph->steps.count)) {
        HED_TRY(hed_fail_memory(error, "a knit as seen from outside"));
    }
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        HED_TRY(hed_loops_add_yarn(copy, &graph->yarns.data[i], error));
    }
    for (int32_t i = 0; i < graph->steps.count; ++i) {
        HedLoopStep step = graph->steps.data[i];
        if (step.kind != HED_STEP_LOOP && is_turned[step.loop]) {
            step.kind =
                step.kind == HED_STEP_PASS_FRONT ? HED_STEP_PASS_BEHIND : HED_STEP_PASS_FRONT;
        }
        copy->steps.data[copy->steps.count++] = step;
    }
    turn(copy, is_turned);
    HED_TRY(hed_loops_finish(copy, error));
done:
    return status;
}
