// SPDX-License-Identifier: MIT
#include "knit/walk.h"

#include <math.h>
#include <stdio.h>

int64_t hed_walk_most(const HedLoops* graph, int32_t points_per_loop) {
    enum { FREE = 1000000, LONG = 50 }; // points; times the yarn of a plain loop
    return FREE + (int64_t)LONG * points_per_loop * graph->loops.count;
}

HedStatus hed_walk_begin(HedYarnWalk* w, const HedFabricYarn* like, int32_t yarn) {
    const HedLoopYarn* path = &w->graph->yarns.data[yarn];
    HedFabricYarn one = *like;
    snprintf(one.name, sizeof one.name, "%s", path->name);
    if (path->has_color) {
        one.color = (int32_t)path->color;
    }
    return hed_fabric_add_yarn(w->sheet, &one, w->error);
}

HedStatus hed_walk_to(HedYarnWalk* w, HedVec3 x) {
    HedStatus status = HED_OK;
    double step = w->has_begun ? hed_distance3(w->at, x) : 0.0;
    double end = w->length + step;
    if (!w->has_begun) {
        HED_TRY(hed_fabric_add_point(w->sheet, x, w->error));
        w->next = 1;
    }
    if (w->most > 0 && w->sheet->point_count + step / w->spacing > (double)w->most) {
        HED_TRY(hed_fail(w->error, HED_INVALID, "the yarns run to and fro between far loops"));
    }
    while (step > 0.0 && (double)w->next * w->spacing <= end) {
        double s = ((double)w->next * w->spacing - w->length) / step;
        HED_TRY(hed_fabric_add_point(w->sheet, hed_lerp3(w->at, x, s), w->error));
        w->next += 1;
    }
    w->at = x;
    w->length = end;
    w->has_begun = true;
done:
    return status;
}

// The point before the end goes if the last piece would be short.
HedStatus hed_walk_end(HedYarnWalk* w, int32_t yarn) {
    HedFabricYarn* y = &w->sheet->yarns[w->sheet->yarn_count - 1];
    double rest = w->length - (double)(w->next - 1) * w->spacing;
    if (y->count > 1 && rest < 0.5 * w->spacing) {
        w->sheet->points[w->sheet->point_count - 1] = w->at;
    } else {
        HedStatus status = hed_fabric_add_point(w->sheet, w->at, w->error);
        if (status != HED_OK) {
            return status;
        }
    }
    // Places behind the last whole piece move with it.
    double last = y->count - 1;
    const HedLoopYarn* path = &w->graph->yarns.data[yarn];
    for (int32_t k = path->step_count - 1; k >= 0; --k) {
        HedLoopStep step = w->graph->steps.data[path->first_step + k];
        HedLoopSpan* span = &w->spans[step.loop];
        if (step.kind == HED_STEP_LOOP && span->end >= last - 1.0) {
            span->start = fmin(span->start, last);
            span->apex = fmin(span->apex, last);
            span->end = fmin(span->end, last);
        } else if (step.kind == HED_STEP_LOOP) {
            break;
        }
    }
    return HED_OK;
}
