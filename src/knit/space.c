// SPDX-License-Identifier: MIT
// Crossings of loops that stand anywhere in space. Each pair of loops is looked at from the middle
// of its two faces; a pair that some plane parallel to two axes divides has none.
#include "geom/bvh.h"
#include "knit/knit.h"

#include <math.h>
#include <stdlib.h>

typedef struct Space {
    const HedKnitPlan* plan;
    const HedLoopSpan* spans;
    const HedFabric* fabric;
    HedBox* boxes; // per loop
    HedBvh tree;
    HED_ARRAY(int32_t) near;
    HED_ARRAY(HedYarnPiece) pieces; // of the pair at hand, turned so that the view is along z
    HedFoundCrossings found;
    HedError* error;
} Space;

// Pieces of a yarn that lie in the span of a loop, if only in part.
static int32_t first_piece(const HedLoopSpan* span) {
    return (int32_t)span->start;
}

static int32_t end_piece(const Space* s, int32_t loop) {
    const HedLoopSpan* span = &s->spans[loop];
    int32_t count = s->fabric->yarns[span->yarn].count - 1;
    int32_t end = (int32_t)ceil(span->end);
    return end < count ? end : count;
}

static HedStatus make_boxes(Space* s) {
    int32_t count = s->plan->graph->loops.count;
    s->boxes = HED_NEW_ARRAY(HedBox, count);
    if (!s->boxes) {
        return hed_fail_memory(s->error, "crossings of a fabric");
    }
    for (int32_t i = 0; i < count; ++i) {
        const HedVec3* x = s->fabric->points + s->fabric->yarns[s->spans[i].yarn].first;
        int32_t first = first_piece(&s->spans[i]);
        int32_t pieces = end_piece(s, i) - first;
        s->boxes[i] = hed_box_around(x + first, pieces > 0 ? pieces + 1 : 1);
    }
    return hed_bvh_build(s->boxes, count, &s->tree, s->error);
}

// The pieces of a loop as they are seen; false without memory.
static bool add_pieces(Space* s, int32_t loop, const HedStitchFrame* view) {
    const HedFabricYarn* yarn = &s->fabric->yarns[s->spans[loop].yarn];
    const HedVec3* x = s->fabric->points + yarn->first;
    int32_t first = first_piece(&s->spans[loop]);
    int32_t end = end_piece(s, loop);
    if (!HED_RESERVE(&s->pieces, end > first ? end - first : 0)) {
        return false;
    }
    for (int32_t k = first; k < end; ++k) {
        s->pieces.data[s->pieces.count++] = (HedYarnPiece){
            s->spans[loop].yarn, k, hed_knit_seen(view, x[k]), hed_knit_seen(view, x[k + 1])};
    }
    return true;
}

static bool is_apart(const HedYarnPiece* p, const HedYarnPiece* q) {
    return fmax(p->a.x, p->b.x) < fmin(q->a.x, q->b.x) ||
           fmax(q->a.x, q->b.x) < fmin(p->a.x, p->b.x) ||
           fmax(p->a.y, p->b.y) < fmin(q->a.y, q->b.y) ||
           fmax(q->a.y, q->b.y) < fmin(p->a.y, p->b.y);
}

static bool is_in(const HedLoopSpan* span, HedFabricPlace place) {
    return place.yarn == span->yarn && place.at >= span->start && place.at < span->end;
}

// Keeps the crossing found last only if it is one of these two loops: where one loop ends and the
// next begins, each pair of loops has its own view.
static void keep_last(Space* s, const HedLoopSpan* a, const HedLoopSpan* b) {
    HedFabricCrossing c = s->found.data[s->found.count - 1];
    bool is_theirs =
        (is_in(a, c.over) && is_in(b, c.under)) || (is_in(b, c.over) && is_in(a, c.under));
    s->found.count -= is_theirs ? 0 : 1;
}

// Crossings of two loops, or of one with itself.
static HedStatus cross_pair(Space* s, int32_t a, int32_t b) {
    HedStatus status = HED_OK;
    HedStitchFrame view = hed_knit_view(s->plan, a, b);
    s->pieces.count = 0;
    bool is_good = add_pieces(s, a, &view);
    int32_t middle = a == b ? 0 : s->pieces.count;
    int32_t first_count = s->pieces.count;
    if (!is_good || (a != b && !add_pieces(s, b, &view))) {
        return hed_fail_memory(s->error, "crossings of a fabric");
    }
    for (int32_t i = 0; i < first_count; ++i) {
        for (int32_t k = a == b ? i + 1 : middle; k < s->pieces.count; ++k) {
            const HedYarnPiece* p = &s->pieces.data[i];
            const HedYarnPiece* q = &s->pieces.data[k];
            bool is_next = p->yarn == q->yarn && abs(p->number - q->number) <= 1;
            if (!is_next && !is_apart(p, q) && hed_pieces_cross(p, q)) {
                HED_TRY(hed_pieces_add(p, q, &s->found, s->error));
                keep_last(s, &s->spans[a], &s->spans[b]);
            }
        }
    }
done:
    return status;
}

static HedStatus cross_loop(Space* s, int32_t loop) {
    HedStatus status = HED_OK;
    HedBox box = s->boxes[loop];
    int32_t count = hed_bvh_overlap(&s->tree, box, s->near.data, s->near.capacity);
    if (count > s->near.capacity) {
        s->near.count = 0;
        if (!HED_RESERVE(&s->near, count)) {
            return hed_fail_memory(s->error, "crossings of a fabric");
        }
        hed_bvh_overlap(&s->tree, box, s->near.data, s->near.capacity);
    }
    for (int32_t k = 0; k < count; ++k) {
        if (s->near.data[k] >= loop) {
            HED_TRY(cross_pair(s, loop, s->near.data[k]));
        }
    }
done:
    return status;
}

HedStatus hed_knit_cross_space(const HedKnitPlan* plan, const HedLoopSpan* spans, HedFabric* fabric,
                               HedError* error) {
    HedStatus status = HED_OK;
    Space s = {.plan = plan, .spans = spans, .fabric = fabric, .error = error};
    HED_TRY(make_boxes(&s));
    for (int32_t i = 0; i < plan->graph->loops.count && status == HED_OK; ++i) {
        status = cross_loop(&s, i);
    }
    if (status == HED_INVALID && s.found.count > 0) { // the last pieces touch
        status = hed_knit_fail_touch(plan->graph, spans, &s.found.data[s.found.count - 1], error);
    }
    HED_TRY(status);
    for (int32_t i = 0; i < s.found.count; ++i) {
        HED_TRY(hed_fabric_add_crossing(fabric, s.found.data[i], error));
    }
    HED_TRY(hed_fabric_sort(fabric, error));
done:
    hed_free(s.boxes);
    hed_free(s.near.data);
    hed_free(s.pieces.data);
    hed_free(s.found.data);
    hed_bvh_free(&s.tree);
    return status;
}
