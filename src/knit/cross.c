// SPDX-License-Identifier: MIT
// Crossings of the yarns on a sheet. In rounds the sheet is cut open: each yarn becomes pieces, one
// for each time it comes around, which overlap a little at the cut.
#include "knit/knit.h"

#include <math.h>

// A piece of a yarn that was moved by whole periods.
typedef struct WrappedPiece {
    int32_t yarn;
    int32_t first; // point of the yarn
    int64_t round; // its points with this number of periods in x belong to it
} WrappedPiece;

typedef struct CutKnit {
    HedFabric fabric;
    HED_ARRAY(WrappedPiece) pieces;
} CutKnit;

static int64_t round_of(const HedKnitPlan* plan, double x) {
    return (int64_t)floor(x / plan->period);
}

// The points of a yarn that lie in one round, or within the margin of it, as long as they follow
// each other; `from` is the first of them.
static HedStatus cut_piece(const HedKnitPlan* plan, const HedFabric* sheet, WrappedPiece piece,
                           CutKnit* cut, HedError* error) {
    HedStatus status = HED_OK;
    const HedFabricYarn* yarn = &sheet->yarns[piece.yarn];
    const HedVec3* x = sheet->points + yarn->first;
    double margin = 0.5 * plan->shape.wale;
    double low = (double)piece.round * plan->period - margin;
    double high = (double)(piece.round + 1) * plan->period + margin;
    if (!HED_APPEND(&cut->pieces, piece)) {
        return hed_fail_memory(error, "rounds of a knit");
    }
    HED_TRY(hed_fabric_add_yarn(&cut->fabric, yarn, error));
    cut->fabric.yarns[cut->fabric.yarn_count - 1].is_closed = false;
    for (int32_t i = piece.first; i < yarn->count && x[i].x >= low && x[i].x <= high; ++i) {
        HedVec3 p = x[i];
        p.x -= (double)piece.round * plan->period;
        HED_TRY(hed_fabric_add_point(&cut->fabric, p, error));
    }
done:
    return status;
}

// A new piece begins wherever the yarn comes into the margin of a round.
static HedStatus cut_yarn(const HedKnitPlan* plan, const HedFabric* sheet, int32_t yarn,
                          CutKnit* cut, HedError* error) {
    HedStatus status = HED_OK;
    const HedFabricYarn* y = &sheet->yarns[yarn];
    const HedVec3* x = sheet->points + y->first;
    double margin = 0.5 * plan->shape.wale;
    int64_t low = 0; // rounds low .. high are open
    int64_t high = -1;
    for (int32_t i = 0; i < y->count; ++i) {
        int64_t from = round_of(plan, x[i].x - margin);
        int64_t to = round_of(plan, x[i].x + margin);
        for (int64_t r = from; r <= to; ++r) {
            if (high < low || r < low || r > high) {
                HED_TRY(cut_piece(plan, sheet, (WrappedPiece){yarn, i, r}, cut, error));
            }
        }
        low = from;
        high = to;
    }
done:
    return status;
}

// Back to the places of the whole yarns. A crossing near the cut is found twice: it counts where
// the yarn that is over is at home.
static HedStatus take_back(const HedKnitPlan* plan, const CutKnit* cut,
                           const HedFoundCrossings* found, HedFabric* sheet, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < found->count; ++i) {
        HedFabricCrossing c = found->data[i];
        const WrappedPiece* over = &cut->pieces.data[c.over.yarn];
        const WrappedPiece* under = &cut->pieces.data[c.under.yarn];
        c.over.at += over->first;
        c.under.at += under->first;
        c.over.yarn = over->yarn;
        c.under.yarn = under->yarn;
        const HedFabricYarn* yarn = &sheet->yarns[over->yarn];
        int32_t k = (int32_t)c.over.at;
        k = k + 1 < yarn->count ? k : yarn->count - 2;
        const HedVec3* x = sheet->points + yarn->first + k;
        double at = x[0].x + (c.over.at - k) * (x[1].x - x[0].x);
        if (round_of(plan, at) == over->round) {
            HED_TRY(hed_fabric_add_crossing(sheet, c, error));
        }
    }
done:
    return status;
}

// The loop that a yarn is in at a place; 0 if it is in none.
static int32_t loop_at(const HedLoops* graph, const HedLoopSpan* spans, HedFabricPlace place) {
    int32_t found = 0;
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        bool is_in = spans[i].yarn == place.yarn && place.at >= spans[i].start;
        found = is_in && place.at <= spans[i].end ? i : found;
    }
    return found;
}

HedStatus hed_knit_fail_touch(const HedLoops* graph, const HedLoopSpan* spans,
                              const HedFabricCrossing* crossing, HedError* error) {
    int32_t a = loop_at(graph, spans, crossing->over);
    int32_t b = loop_at(graph, spans, crossing->under);
    return hed_loops_fail_pair(graph, a, b, "touches", "where it is drawn: neither is in front",
                               error);
}

static HedStatus find_touch(const HedKnitPlan* plan, const HedLoopSpan* spans, const CutKnit* cut,
                            const HedFoundCrossings* found, HedError* error) {
    if (found->count == 0) {
        return HED_INVALID;
    }
    HedFabricCrossing c = found->data[found->count - 1];
    for (int32_t k = 0; k < 2 && cut; ++k) {
        HedFabricPlace* place = k == 0 ? &c.over : &c.under;
        const WrappedPiece* piece = &cut->pieces.data[place->yarn];
        *place = (HedFabricPlace){piece->yarn, place->at + piece->first};
    }
    return hed_knit_fail_touch(plan->graph, spans, &c, error);
}

HedStatus hed_knit_cross(const HedKnitPlan* plan, const HedLoopSpan* spans, HedFabric* sheet,
                         HedError* error) {
    HedStatus status = HED_OK;
    HedFoundCrossings found = {0};
    CutKnit cut = {0};
    if (plan->period > 0.0) {
        for (int32_t i = 0; i < sheet->yarn_count; ++i) {
            HED_TRY(cut_yarn(plan, sheet, i, &cut, error));
        }
        status = hed_fabric_find_crossings(&cut.fabric, &found, error);
        HED_TRY(status == HED_INVALID ? find_touch(plan, spans, &cut, &found, error) : status);
        HED_TRY(take_back(plan, &cut, &found, sheet, error));
    } else {
        status = hed_fabric_find_crossings(sheet, &found, error);
        HED_TRY(status == HED_INVALID ? find_touch(plan, spans, NULL, &found, error) : status);
        for (int32_t i = 0; i < found.count; ++i) {
            HED_TRY(hed_fabric_add_crossing(sheet, found.data[i], error));
        }
    }
    HED_TRY(hed_fabric_sort(sheet, error));
done:
    hed_free(found.data);
    hed_free(cut.pieces.data);
    hed_fabric_free(&cut.fabric);
    return status;
}
