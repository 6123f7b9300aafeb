// SPDX-License-Identifier: MIT
// Where loops stand on the sheet: columns from the graph, rows from course to course, and what
// makes each loop differ from the plain one.
#include "knit/knit.h"

#include <math.h>

static const double PITCH = 1.08; // diameters from one layer of yarn to the next

double hed_knit_near(const HedKnitPlan* plan, double x, double near) {
    return plan->period > 0.0 ? x + plan->period * round((near - x) / plan->period) : x;
}

void hed_knit_plan_free(HedKnitPlan* plan) {
    hed_free(plan->loops);
    hed_free(plan->heights);
    *plan = (HedKnitPlan){0};
}

// Loops that change places: in front, behind, or between two others.
void hed_knit_plan_swaps(HedKnitPlan* plan) {
    const HedLoops* g = plan->graph;
    double pitch = PITCH * plan->shape.diameter;
    for (int32_t i = 0; i < g->swaps.count; ++i) {
        HedStitchLoop* over = &plan->loops[g->swaps.data[i].over];
        HedStitchLoop* under = &plan->loops[g->swaps.data[i].under];
        over->leg_shift = fmin(over->leg_shift + 2.0 * pitch, over->leg_shift < 0.0 ? 0.0 : pitch);
        under->leg_shift =
            fmax(under->leg_shift - 2.0 * pitch, under->leg_shift > 0.0 ? 0.0 : -pitch);
    }
}

// A course needs more room where loops change places.
static void find_heights(HedKnitPlan* plan) {
    static const double ROOM = 0.6; // wale spacings per column
    const HedLoops* g = plan->graph;
    double wale = plan->shape.wale;
    for (int32_t i = 0; i < g->loops.count; ++i) {
        const HedLoop* loop = &g->loops.data[i];
        for (int32_t k = 0; k < hed_parent_count(g, i); ++k) {
            const HedLoop* parent = &g->loops.data[hed_parents(g, i)[k]];
            double lean = hed_knit_near(plan, loop->wale * wale, parent->wale * wale) / wale;
            double extra = ROOM * wale * fabs(lean - parent->wale);
            if (plan->loops[hed_parents(g, i)[k]].leg_shift != 0.0 &&
                parent->course < loop->course && extra > plan->heights[loop->course]) {
                plan->heights[loop->course] = extra;
            }
        }
    }
    double height = 0.0;
    for (int32_t c = 0; c <= g->course_count; ++c) {
        double extra = plan->heights[c];
        plan->heights[c] = height + (c > 0 ? extra : 0.0);
        height = plan->heights[c] + plan->shape.course;
    }
}

// Rounds rise from one to the next without a step: a loop stands higher the later it is made. Short
// rows that go back rise with the round in which they are.
static double rise(const HedKnitPlan* plan, const HedLoop* loop) {
    if (!plan->graph->is_round) {
        return 0.0;
    }
    double part = (loop->wale + 0.5) / plan->graph->round_wales;
    part = plan->graph->loops.data[0].is_leftward ? 1.0 - part : part;
    return part * (plan->heights[loop->course + 1] - plan->heights[loop->course]);
}

void hed_knit_plan_make(HedKnitPlan* plan, int32_t i) {
    const HedLoop* loop = &plan->graph->loops.data[i];
    HedStitchLoop* s = &plan->loops[i];
    s->direction = loop->is_leftward ? -1.0 : 1.0;
    s->side = loop->is_purl ? -1.0 : 1.0;
    s->is_twisted = loop->is_twisted;
    s->is_laid = hed_parent_count(plan->graph, i) == 0;
}

void hed_knit_plan_head(HedKnitPlan* plan, int32_t i) {
    HedStitchLoop* s = &plan->loops[i];
    s->head = s->foot;
    s->first_side = s->side;
    s->last_side = s->side;
}

// Needles of a racked bed stand between those of the other one: loops of both have half the room.
static double room_across(const HedKnitPlan* plan, int32_t i) {
    const HedLoops* g = plan->graph;
    const HedLoop* loop = &g->loops.data[i];
    const HedLoopYarn* path = &g->yarns.data[loop->yarn];
    double room = 1.0;
    for (int32_t way = -1; way <= 1 && plan->is_tight; way += 2) {
        int32_t k = g->loop_steps[i] + way;
        bool is_there = k >= path->first_step && k < path->first_step + path->step_count &&
                        g->steps.data[k].kind == HED_STEP_LOOP;
        const HedLoop* other = is_there ? &g->loops.data[g->steps.data[k].loop] : loop;
        double apart = fabs(other->wale - loop->wale);
        if (other->is_purl != loop->is_purl && other->course == loop->course && apart > 0.2) {
            room = fmin(room, apart);
        }
    }
    return room;
}

// A tuck in the row of another loop that is taken up together with it lies behind that one, and
// lower.
static int32_t rank_of(const HedLoops* g, int32_t i) {
    const HedLoop* loop = &g->loops.data[i];
    int32_t rank = 0;
    if (loop->kind != HED_LOOP_TUCK || hed_child_count(g, i) == 0) {
        return 0;
    }
    int32_t child = hed_children(g, i)[0];
    for (int32_t k = 0; k < hed_parent_count(g, child); ++k) {
        int32_t other = hed_parents(g, child)[k];
        rank += other < i && g->loops.data[other].course == loop->course;
    }
    return rank;
}

// A loop that was split: one loop goes through it to each bed, and both stand in one column. Their
// feet share it, in the sheet of the loop that was split; where the sheets part they are apart.
static void share_column(HedKnitPlan* plan, int32_t parent) {
    const HedLoops* g = plan->graph;
    const int32_t* children = hed_children(g, parent);
    const HedLoop* a = &g->loops.data[children[0]];
    const HedLoop* b = &g->loops.data[children[1]];
    if (a->is_purl == b->is_purl || a->course != b->course || fabs(a->wale - b->wale) > 0.2) {
        return;
    }
    for (int32_t k = 0; k < 2; ++k) {
        HedStitchFrame* foot = &plan->loops[children[k]].foot;
        foot->origin.x += (k == 0 ? -0.25 : 0.25) * plan->shape.wale;
        foot->origin.z = plan->loops[parent].foot.origin.z;
        foot->right = hed_mul3(0.5, foot->right);
    }
}

static void place_feet(HedKnitPlan* plan) {
    static const double SHEETS = 6.0; // diameters between the two sides of a flat tube
    const HedLoops* g = plan->graph;
    for (int32_t i = 0; i < g->loops.count; ++i) {
        const HedLoop* loop = &g->loops.data[i];
        HedStitchLoop* s = &plan->loops[i];
        // What is lifted between two loops starts where there is only room for the yarn.
        double narrow = loop->kind == HED_LOOP_LIFTED ? 0.4 : room_across(plan, i);
        narrow = loop->bundle > 0 ? 1.0 / loop->bundle : narrow;
        double scale = g->is_round ? g->round_wales / hed_loops_width(g, loop->course)
                                   : hed_loops_pitch(g, loop->course);
        s->foot = (HedStitchFrame){
            .origin = {loop->wale * plan->shape.wale,
                       plan->heights[loop->course] + rise(plan, loop),
                       -SHEETS * plan->shape.diameter * loop->layer},
            .right = {narrow * scale, 0.0, 0.0},
            .up = {0.0, 1.0, 0.0},
            .face = {0.0, 0.0, 1.0},
        };
        if (loop->plate >= 0) {
            s->foot.origin.z -= PITCH * plan->shape.diameter;
        }
        int32_t rank = rank_of(g, i);
        // Its legs are behind the head below, through which it does not go.
        double deep = rank > 0 ? PITCH * plan->shape.diameter * (rank + 1) : 0.0;
        s->foot.origin.z -= loop->is_purl ? -deep : deep;
        s->foot.origin.y -= 0.1 * plan->shape.course * rank;
        hed_knit_plan_make(plan, i);
        plan->low = fmin(plan->low, s->foot.origin.x);
        plan->high = fmax(plan->high, s->foot.origin.x);
    }
}

// The head of a loop follows those pulled through it: their middle, their sides, their width.
static void place_head(HedKnitPlan* plan, int32_t i) {
    const HedLoops* g = plan->graph;
    HedStitchLoop* s = &plan->loops[i];
    int32_t count = hed_child_count(g, i);
    hed_knit_plan_head(plan, i);
    if (count == 0) {
        return;
    }
    const int32_t* children = hed_children(g, i);
    const HedStitchLoop* first = &plan->loops[children[0]];
    int32_t course = g->loops.data[children[0]].course;
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    double y = 0.0;
    int32_t used = 0;
    for (int32_t k = 0; k < count; ++k) {
        const HedStitchLoop* child = &plan->loops[children[k]];
        if (g->loops.data[children[k]].course != course) {
            continue; // pulled through later: it comes to where the first one is
        }
        double x = s->direction * hed_knit_near(plan, child->foot.origin.x, s->foot.origin.x);
        s->first_side = x < low ? child->side : s->first_side;
        s->last_side = x > high ? child->side : s->last_side;
        low = fmin(low, x);
        high = fmax(high, x);
        y += child->foot.origin.y;
        ++used;
    }
    s->head = first->foot;
    s->head.origin.x = s->direction * 0.5 * (low + high);
    s->head.origin.y = y / used - plan->shape.course;
    s->widen = 0.5 * (high - low) / hed_norm3(s->head.right);
    // Legs that lean far come close to each other: they take turns.
    if (fabs(s->head.origin.x - s->foot.origin.x) > 1.5 * plan->shape.wale) {
        s->leg_spread = 0.35 * plan->shape.diameter * s->direction;
    }
}

// Heads that lie on each other are taken apart; the feet that come through go below all of them.
void hed_knit_plan_stack(HedKnitPlan* plan, int32_t child) {
    const HedLoops* g = plan->graph;
    int32_t count = hed_parent_count(g, child);
    double pitch = PITCH * plan->shape.diameter;
    HedStitchLoop* s = &plan->loops[child];
    if (count > 1) {
        s->foot_shift = -s->side * pitch * (count - 1);
    }
    for (int32_t k = 0; k < count; ++k) {
        int32_t parent = hed_parents(g, child)[k];
        if (hed_children(g, parent)[0] == child) {
            plan->loops[parent].head_shift = s->side > 0.0 ? -pitch * k : pitch * (count - 1 - k);
        }
    }
}

// Such a tuck lies behind the feet of the others, too, which may have gone below a stack.
static void lower_tuck(HedKnitPlan* plan, int32_t i) {
    const HedLoops* g = plan->graph;
    if (rank_of(g, i) == 0) {
        return;
    }
    int32_t child = hed_children(g, i)[0];
    HedStitchLoop* s = &plan->loops[i];
    for (int32_t k = 0; k < hed_parent_count(g, child); ++k) {
        int32_t other = hed_parents(g, child)[k];
        double shift = plan->loops[other].foot_shift;
        if (other < i && g->loops.data[other].course == g->loops.data[i].course) {
            s->foot_shift = fabs(shift) > fabs(s->foot_shift) ? shift : s->foot_shift;
        }
    }
    plan->sunk = fmax(plan->sunk, fabs(s->foot.origin.z) + fabs(s->foot_shift));
}

HedStatus hed_knit_plan(const HedLoops* graph, const HedStitchShape* shape, bool is_tight,
                        HedKnitPlan* plan, HedError* error) {
    HED_ASSERT(graph->is_finished);
    *plan = (HedKnitPlan){.graph = graph,
                          .shape = *shape,
                          .low = (double)INFINITY,
                          .high = -(double)INFINITY,
                          .is_tight = is_tight};
    plan->period = graph->is_round ? graph->round_wales * shape->wale : 0.0;
    plan->loops = HED_NEW_ARRAY(HedStitchLoop, graph->loops.count);
    plan->heights = HED_NEW_ARRAY(double, (int64_t)graph->course_count + 1);
    if (!plan->loops || !plan->heights) {
        return hed_fail_memory(error, "places of loops");
    }
    hed_knit_plan_swaps(plan);
    find_heights(plan);
    place_feet(plan);
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        if (hed_child_count(graph, i) == 2) {
            share_column(plan, i);
        }
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        place_head(plan, i);
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        hed_knit_plan_stack(plan, i);
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        lower_tuck(plan, i);
    }
    return HED_OK;
}
