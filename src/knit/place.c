// SPDX-License-Identifier: MIT
// Loops in space: frames of feet and heads from the places that an embedding found.
#include "knit/knit.h"

#include <math.h>

static const double PITCH = 1.08; // diameters from one layer of yarn to the next
static const double TIE = 0.01;   // diameters
static const double SHEETS = 6.0; // diameters between the sheets of two beds

HedStitchFrame hed_knit_view(const HedKnitPlan* plan, int32_t a, int32_t b) {
    const HedStitchFrame* p = &plan->loops[a].foot;
    const HedStitchFrame* q = &plan->loops[b].foot;
    // The two sides of a narrow tube look away from each other: the first one decides.
    q = hed_dot3(p->face, q->face) > -0.5 ? q : p;
    HedVec3 right = hed_add3(hed_unit3(p->right, p->right), hed_unit3(q->right, q->right));
    HedStitchFrame view = {.origin = hed_lerp3(p->origin, q->origin, 0.5)};
    view.face = hed_unit3(hed_add3(p->face, q->face), p->face);
    right = hed_madd3(right, -hed_dot3(right, view.face), view.face);
    view.right = hed_unit3(right, hed_perpendicular3(view.face));
    view.up = hed_cross3(view.face, view.right);
    for (int32_t k = 0; k < 3; ++k) {
        view.bend[k] = 0.5 * (p->bend[k] + q->bend[k]);
    }
    return view;
}

// A point above a circle: the angle to it from the centre tells how far along it is, its distance
// how high.
HedVec3 hed_knit_seen(const HedStitchFrame* v, HedVec3 point) {
    HedVec3 d = hed_sub3(point, v->origin);
    double x = hed_dot3(d, v->right);
    double y = hed_dot3(d, v->up);
    double z = hed_dot3(d, v->face);
    double square = x * x + y * y;
    double sum = v->bend[0] * x * x + 2.0 * v->bend[1] * x * y + v->bend[2] * y * y;
    double bend = square > 0.0 ? sum / square : 0.0;
    double far = sqrt(square);
    if (fabs(bend) * far < 1e-9) {
        return hed_vec3(x, y, z);
    }
    double sign = bend > 0.0 ? 1.0 : -1.0;
    double radius = 1.0 / fabs(bend);
    double above = radius + sign * z; // from the centre
    double along = radius * atan2(far, above) / far;
    return hed_vec3(along * x, along * y, sign * (hypot(far, above) - radius));
}

// Feet stand in the sheet of the loop below: there a sheet behind may branch off.
static int32_t sheet_below(const HedLoops* g, int32_t i) {
    return g->loops.data[hed_parent_count(g, i) > 0 ? hed_parents(g, i)[0] : i].layer;
}

static void place_foot(HedKnitPlan* plan, int32_t i, const HedLoopSurface* surface) {
    const HedLoopPlace* place = &surface->places[i];
    HedLoopSpacing spacing = surface->spacing[i];
    HedLoopBend bend = surface->bends[i];
    const HedLoop* loop = &plan->graph->loops.data[i];
    HedStitchLoop* s = &plan->loops[i];
    double narrow = loop->kind == HED_LOOP_LIFTED ? 0.4 : 1.0;
    double back = SHEETS * sheet_below(plan->graph, i) + (loop->plate >= 0 ? PITCH : 0.0);
    back += TIE * loop->yarn; // yarns that are laid on one place do not coincide
    s->foot = (HedStitchFrame){
        .origin = hed_madd3(place->position, -back * plan->shape.diameter, place->face),
        .right = hed_mul3(narrow * spacing.across, place->right),
        .up = hed_mul3(spacing.up, place->up),
        .face = place->face,
        .bend = {bend.across, bend.twist, bend.up},
    };
    hed_knit_plan_make(plan, i);
}

// The head of a loop follows those pulled through it in the row of the first: their middle, their
// sides, their width.
static void place_head(HedKnitPlan* plan, int32_t i, HedLoopSpacing spacing) {
    const HedLoops* g = plan->graph;
    HedStitchLoop* s = &plan->loops[i];
    int32_t count = hed_child_count(g, i);
    hed_knit_plan_head(plan, i);
    if (count == 0) {
        double back = SHEETS * (g->loops.data[i].layer - sheet_below(g, i));
        s->head.origin = hed_madd3(s->foot.origin, -back * plan->shape.diameter, s->foot.face);
        // One that was dropped, among others that are held, lies on the side it was pulled to.
        s->head_shift = spacing.across < 0.8 ? 2.0 * s->side * PITCH * plan->shape.diameter : 0.0;
        return;
    }
    const int32_t* children = hed_children(g, i);
    const HedStitchLoop* first = &plan->loops[children[0]];
    HedVec3 right = hed_unit3(first->foot.right, first->foot.right);
    HedVec3 middle = {0};
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    int32_t used = 0;
    for (int32_t k = 0; k < count; ++k) {
        const HedStitchLoop* child = &plan->loops[children[k]];
        if (g->loops.data[children[k]].course != g->loops.data[children[0]].course) {
            continue; // pulled through later: it comes to where the first one is
        }
        HedVec3 way = hed_sub3(child->foot.origin, first->foot.origin);
        double x = s->direction * hed_dot3(way, right);
        s->first_side = x < low ? child->side : s->first_side;
        s->last_side = x > high ? child->side : s->last_side;
        low = fmin(low, x);
        high = fmax(high, x);
        middle = hed_add3(middle, child->foot.origin);
        ++used;
    }
    s->head = first->foot;
    s->head.origin = hed_mul3(1.0 / used, middle);
    s->head.origin = hed_madd3(s->head.origin, -plan->shape.course, first->foot.up);
    if (g->loops.data[children[0]].course == g->loops.data[i].course) {
        // In a chain of loops bound off a head lies at the mean height of its own feet and the
        // next.
        double rise = hed_dot3(hed_sub3(first->foot.origin, s->foot.origin), first->foot.up);
        double unit = hed_dot3(first->foot.up, first->foot.up);
        s->head.origin = hed_madd3(s->head.origin, -0.5 * rise / unit, first->foot.up);
    }
    s->widen = 0.5 * (high - low) / hed_norm3(s->head.right);
    // Legs that lean far come close to each other: they take turns.
    HedVec3 lean = hed_sub3(s->head.origin, s->foot.origin);
    if (fabs(hed_dot3(lean, s->foot.right)) > 1.5 * plan->shape.wale) {
        s->leg_spread = 0.35 * plan->shape.diameter * s->direction;
    }
}

HedStatus hed_knit_plan_places(const HedLoops* graph, const HedStitchShape* shape,
                               const HedLoopSurface* surface, HedKnitPlan* plan, HedError* error) {
    HED_ASSERT(graph->is_finished);
    *plan = (HedKnitPlan){.graph = graph, .shape = *shape, .is_placed = true};
    plan->loops = HED_NEW_ARRAY(HedStitchLoop, graph->loops.count);
    if (!plan->loops) {
        return hed_fail_memory(error, "places of loops");
    }
    hed_knit_plan_swaps(plan);
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        place_foot(plan, i, surface);
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        place_head(plan, i, surface->spacing[i]);
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        hed_knit_plan_stack(plan, i);
    }
    return HED_OK;
}
