// SPDX-License-Identifier: MIT
#include "fabric/repeat.h"
#include "math/vec3.h"

// Diameters by which the end of a piece may miss the copy of its start: what straight pieces of a
// length (diameters) leave of an arc as narrow as one around another yarn. What does not repeat
// misses by a distance of loops, four diameters.
static double most_miss(double length) {
    return 0.05 + length * length / 8.0;
}

static HedVec3 point_at(const HedFabric* fabric, int32_t yarn, double at) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    int32_t k = (int32_t)at;
    k = k > y->count - 2 ? y->count - 2 : k;
    const HedVec3* x = fabric->points + y->first + k;
    return hed_lerp3(x[0], x[1], at - k);
}

static HedStatus check_piece(const HedFabric* fabric, const HedFabricPiece* piece,
                             HedError* error) {
    const HedFabricYarn* yarn = &fabric->yarns[piece->yarn];
    HedVec3 start = point_at(fabric, piece->yarn, piece->start);
    HedVec3 end = point_at(fabric, piece->yarn, piece->end);
    HedVec3 way =
        hed_madd3(hed_mul3(piece->turns.a, fabric->period[0]), piece->turns.b, fabric->period[1]);
    double miss = hed_distance3(hed_add3(start, way), end) / yarn->diameter;
    double length = hed_fabric_length(fabric, piece->yarn) / yarn->count / yarn->diameter;
    if (!(miss <= most_miss(length))) {
        return hed_fail(error, HED_INVALID,
                        "the fabric does not repeat: yarn %d is %.3g diameters off after %d by %d "
                        "repeats",
                        piece->yarn, miss, piece->turns.a, piece->turns.b);
    }
    return HED_OK;
}

static HedStatus add_piece(const HedFabric* from, const HedFabricPiece* piece, HedFabric* to,
                           HedError* error) {
    HedStatus status = HED_OK;
    HedFabricYarn yarn = from->yarns[piece->yarn];
    yarn.turns = piece->turns;
    HED_TRY(check_piece(from, piece, error));
    HED_TRY(hed_fabric_add_yarn(to, &yarn, error));
    for (int32_t k = 0; k < piece->count; ++k) {
        double at = piece->start + (piece->end - piece->start) * k / piece->count;
        HED_TRY(hed_fabric_add_point(to, point_at(from, piece->yarn, at), error));
    }
done:
    return status;
}

HedStatus hed_fabric_cut(HedFabric* fabric, const HedFabricPiece* pieces, int32_t count,
                         HedError* error) {
    HedStatus status = HED_OK;
    HedFabric cut = {.period = {fabric->period[0], fabric->period[1]}};
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(add_piece(fabric, &pieces[k], &cut, error));
    }
    cut.notes = fabric->notes;
    cut.note_count = fabric->note_count;
    cut.note_capacity = fabric->note_capacity;
    fabric->notes = NULL;
    fabric->note_count = fabric->note_capacity = 0;
    hed_fabric_free(fabric);
    *fabric = cut;
    return HED_OK;
done:
    hed_fabric_free(&cut);
    return status;
}

// --- knits ---

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
