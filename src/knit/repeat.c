// SPDX-License-Identifier: MIT
// One repeat of a knit: the middle of a sheet, if its pattern begins again on all sides.
#include "knit/repeat.h"
#include "fabric/repeat.h"

#include <math.h>

// The middle of a sheet.
typedef struct Middle {
    const HedLoops* graph;
    const HedLoopSpan* spans;
    int32_t rows, stitches;
} Middle;

static bool is_inside(const Middle* m, const HedLoop* loop) {
    // Row 0 is cast on. Wales of loops between two others are fractions.
    return loop->course > m->rows && loop->course <= 2 * m->rows &&
           loop->wale > m->stitches - 0.75 && loop->wale < 2.0 * m->stitches - 0.75;
}

// Whether one loop stands so many rows and stitches from another.
static bool is_at(const HedLoop* other, const HedLoop* loop, int32_t rows, int32_t stitches) {
    return other->course == loop->course + rows && fabs(other->wale - loop->wale - stitches) < 1e-6;
}

// Whether two loops are pulled through the same ones: cables cross, decreases take several.
static bool has_parents_again(const Middle* m, int32_t a, int32_t b, int32_t rows,
                              int32_t stitches) {
    int32_t count = hed_parent_count(m->graph, a);
    bool is_same = hed_parent_count(m->graph, b) == count;
    for (int32_t k = 0; is_same && k < count; ++k) {
        is_same = is_at(&m->graph->loops.data[hed_parents(m->graph, b)[k]],
                        &m->graph->loops.data[hed_parents(m->graph, a)[k]], rows, stitches);
    }
    return is_same;
}

// Whether a loop of the middle is found again so many rows and stitches further, and goes through
// the same ones.
static bool is_again(const Middle* m, int32_t at, int32_t rows, int32_t stitches,
                     bool with_parents) {
    const HedLoop* loop = &m->graph->loops.data[at];
    for (int32_t i = 0; i < m->graph->loops.count; ++i) {
        const HedLoop* other = &m->graph->loops.data[i];
        if (is_at(other, loop, rows, stitches)) {
            return other->kind == loop->kind && other->is_purl == loop->is_purl &&
                   other->is_twisted == loop->is_twisted && other->yarn == loop->yarn &&
                   (!with_parents || has_parents_again(m, at, i, rows, stitches));
        }
    }
    return false;
}

static HedStatus check_loops(const Middle* m, HedError* error) {
    for (int32_t i = 0; i < m->graph->loops.count; ++i) {
        const HedLoop* loop = &m->graph->loops.data[i];
        // To one side the edge of the sheet may cut a stitch that takes several columns.
        bool is_fine =
            !is_inside(m, loop) ||
            (is_again(m, i, m->rows, 0, true) && is_again(m, i, 0, m->stitches, false) &&
             (is_again(m, i, 0, m->stitches, true) || is_again(m, i, 0, -m->stitches, true)));
        if (!is_fine) {
            char name[HED_LOOP_NAME];
            return hed_fail(error, HED_INVALID,
                            "the pattern does not begin again after %d rows and %d stitches: see "
                            "%s",
                            m->rows, m->stitches, hed_loop_name(m->graph, i, name));
        }
    }
    return HED_OK;
}

// One piece for each row and each yarn in it. Loops stand in the order of working.
static HedStatus collect(const Middle* m, HedFabricPiece* pieces, int32_t* count) {
    int32_t* course = HED_NEW_ARRAY(int32_t, m->graph->loops.count);
    if (!course) {
        return HED_NO_MEMORY;
    }
    for (int32_t i = 0; i < m->graph->loops.count; ++i) {
        const HedLoop* loop = &m->graph->loops.data[i];
        const HedLoopSpan* span = &m->spans[i];
        if (!is_inside(m, loop)) {
            continue;
        }
        int32_t k = *count - 1;
        while (k >= 0 && (course[k] != loop->course || pieces[k].yarn != loop->yarn)) {
            --k;
        }
        if (k < 0) {
            k = (*count)++;
            course[k] = loop->course;
            pieces[k] = (HedFabricPiece){
                .yarn = loop->yarn, .start = span->start, .turns = {loop->is_leftward ? -1 : 1, 0}};
        }
        pieces[k].end = span->end;
        pieces[k].count = (int32_t)lround(span->end - pieces[k].start);
    }
    hed_free(course);
    return HED_OK;
}

HedStatus hed_knit_cut(const HedKnitPlan* plan, const HedLoopSpan* spans, int32_t rows,
                       int32_t stitches, HedFabric* sheet, HedError* error) {
    HedStatus status = HED_OK;
    Middle m = {plan->graph, spans, rows, stitches};
    int32_t count = 0;
    HedFabricPiece* pieces = HED_NEW_ARRAY(HedFabricPiece, plan->graph->loops.count);
    HED_TRY(pieces ? HED_OK : hed_fail_memory(error, "a repeat of a knit"));
    HED_TRY(check_loops(&m, error));
    sheet->period[0] = hed_vec3(stitches * plan->shape.wale, 0.0, 0.0);
    sheet->period[1] = hed_vec3(0.0, plan->heights[rows + 1 + rows] - plan->heights[rows + 1], 0.0);
    if (collect(&m, pieces, &count) != HED_OK) {
        HED_TRY(hed_fail_memory(error, "a repeat of a knit"));
    }
    HED_TRY(hed_fabric_cut(sheet, pieces, count, error));
    HED_TRY(hed_fabric_sort(sheet, error));
done:
    hed_free(pieces);
    return status;
}
