// SPDX-License-Identifier: MIT
// One continuous curve per yarn through all of its loops, cut into pieces of equal length. Only the
// last piece may be up to half longer or shorter.
#include "knit/walk.h"

#include <math.h>

enum { LOOP_STEPS = 40, SINKER_STEPS = 12, MOST_STEPS = 4096 }; // of half a loop or sinker

// Wale spacings from a loop at the end of a yarn: where the yarn is straight, and where it ends.
static const double LOOSE_START = 0.35;
static const double LOOSE_END = 1.1;

typedef struct KnitWalker {
    HedYarnWalk walk;
    const HedKnitPlan* plan;
} KnitWalker;

static int32_t step_count(int32_t least, double distance, const HedStitchShape* shape) {
    double wanted = least + 24.0 * distance / shape->wale;
    return wanted < MOST_STEPS ? (int32_t)wanted : MOST_STEPS;
}

static HedStatus walk_loop(KnitWalker* w, const HedStitchLoop* loop, double from, double to) {
    HedStatus status = HED_OK;
    const HedStitchShape* shape = &w->plan->shape;
    // A loop that leans or is held long has long legs between |t| = 1.9 and 1.4.
    double lean = hed_distance3(loop->foot.origin, loop->head.origin);
    int32_t count = step_count(LOOP_STEPS, 4.0 * lean, shape);
    for (int32_t i = 0; i <= count; ++i) {
        double t = from + (to - from) * i / count;
        HED_TRY(hed_walk_to(&w->walk, hed_stitch_point(shape, loop, t)));
    }
done:
    return status;
}

static HedStatus walk_sinker(KnitWalker* w, const HedSinker* sinker, double from, double to) {
    HedStatus status = HED_OK;
    const HedStitchShape* shape = &w->plan->shape;
    double far = hed_distance3(sinker->from->foot.origin, sinker->to->foot.origin) + sinker->length;
    int32_t count = step_count(SINKER_STEPS, far, shape);
    for (int32_t i = 0; i <= count; ++i) {
        double s = from + (to - from) * i / count;
        HED_TRY(hed_walk_to(&w->walk, hed_sinker_point(shape, sinker, s)));
    }
done:
    return status;
}

// The yarn before its first loop (end = -1) or behind its last one (1): out of the way of the loop
// below, and straight on at the height of the sinkers. `far` is from the loop, in wale spacings.
static HedVec3 loose_end(const HedKnitPlan* plan, const HedStitchLoop* loop, double end,
                         double far) {
    const HedStitchShape* shape = &plan->shape;
    HedVec3 x =
        hed_madd3(loop->foot.origin, end * loop->direction * far * shape->wale, loop->foot.right);
    x = hed_madd3(x, -shape->height, loop->foot.up);
    return hed_madd3(x, -shape->depth * loop->side + loop->foot_shift, loop->foot.face);
}

// The half loop at the end of a yarn: up through the last loop, and straight on.
static HedStatus walk_end(KnitWalker* w, const HedStitchLoop* loop) {
    HedStatus status = HED_OK;
    const HedStitchShape* shape = &w->plan->shape;
    static const double TOP = -1.2;
    HED_TRY(walk_loop(w, loop, -HED_STITCH_FOOT, TOP));
    HedVec3 x = hed_stitch_point(shape, loop, TOP);
    HED_TRY(hed_walk_to(&w->walk, hed_madd3(x, shape->course, loop->foot.up)));
done:
    return status;
}

// Moves a loop by whole periods, so that the yarn comes to it on the shortest way in its direction.
static HedStitchLoop follow(const HedKnitPlan* plan, const HedStitchLoop* before, int32_t loop) {
    HedStitchLoop s = plan->loops[loop];
    if (plan->period > 0.0) {
        double ahead = before->foot.origin.x + 0.3 * before->direction * plan->period;
        double shift = hed_knit_near(plan, s.foot.origin.x, ahead) - s.foot.origin.x;
        s.foot.origin.x += shift;
        s.head.origin.x += shift;
    }
    return s;
}

// What the yarn passes between two loops.
typedef struct Float {
    int32_t side;     // 0: nothing; 1: it passes in front, -1: behind
    double low, high; // m along x, of the columns that it passes
} Float;

// In space, along the row of the loop that the yarn comes from.
static double along(const HedKnitPlan* plan, const HedStitchLoop* from, const HedStitchLoop* to) {
    if (!plan->is_placed) {
        return to->foot.origin.x;
    }
    HedVec3 way = hed_sub3(to->foot.origin, from->foot.origin);
    return hed_dot3(way, from->foot.right) / hed_norm3(from->foot.right);
}

static void pass(Float* f, const HedKnitPlan* plan, const HedStitchLoop* from, HedLoopStep step) {
    double x = along(plan, from, &plan->loops[step.loop]);
    x = hed_knit_near(plan, x, from->foot.origin.x);
    f->low = f->side == 0 ? x : fmin(f->low, x);
    f->high = f->side == 0 ? x : fmax(f->high, x);
    f->side = step.kind == HED_STEP_PASS_FRONT ? 1 : -1;
}

static bool is_inside(const HedKnitPlan* plan, double column) {
    double margin = 0.5 * plan->shape.wale;
    bool has_edge = plan->period == 0.0;
    return !plan->is_placed &&
           (!has_edge || (column > plan->low + margin && column < plan->high - margin));
}

// How far a float goes beyond a column before it turns. At the edge of the fabric yarns that turn
// one after the other go round each other; inside, the next column is near.
static void turn_float(const HedKnitPlan* plan, double column, double from, int32_t layer,
                       HedSinker* sinker) {
    double wale = plan->shape.wale;
    bool is_near = is_inside(plan, column);
    double edge = is_near ? 0.4 : 0.6 + 0.3 * layer;
    sinker->turn = (is_near ? 0.4 : 2.0) * wale;
    sinker->leave = (is_near && sinker->is_carried ? 0.15 : 0.2) * wale;
    sinker->beyond = column - from + sinker->from->direction * edge * wale;
}

// Whether the yarn turns inside the fabric, at a loop that takes several together, and comes back
// to one that is pulled through that loop: closing a tube loop by loop. Then it must not lie across
// the heads of those taken together, nor reach the next column.
static bool turns_inside(const HedKnitPlan* plan, const HedStitchLoop* from, int32_t before,
                         const HedStitchLoop* to, int32_t loop) {
    double x = along(plan, from, from);
    double ahead = from->direction * (along(plan, from, to) - x) / plan->shape.wale;
    bool is_through = false;
    for (int32_t k = 0; k < hed_parent_count(plan->graph, loop); ++k) {
        is_through = is_through || hed_parents(plan->graph, loop)[k] == before;
    }
    return is_through && hed_parent_count(plan->graph, before) > 1 &&
           from->direction * to->direction < 0.0 && ahead < (is_inside(plan, x) ? 0.5 : -0.5);
}

// Floats lie behind everything. Those of a later yarn hang lower, and come up to their loops in
// front of the others. At the end of a row they go to the edge.
static HedSinker make_sinker(const HedKnitPlan* plan, const HedStitchLoop* from,
                             const HedStitchLoop* to, HedLoopStep step, const Float* passed) {
    double pitch = 1.1 * plan->shape.diameter;
    double tie = 0.01 * plan->shape.diameter * (step.loop % 64); // floats that cross do not touch
    int32_t yarn = step.yarn;
    HedSinker sinker = {.from = from, .to = to};
    if (passed->side != 0) {
        int32_t layers = plan->graph->yarns.count < 4 ? plan->graph->yarns.count : 4;
        double deep = plan->shape.depth + plan->sunk + pitch * (layers - yarn % layers) + tie;
        double x = along(plan, from, from);
        double end = along(plan, from, to);
        double low = fmin(passed->low, fmin(x, end));
        double high = fmax(passed->high, fmax(x, end));
        sinker.is_float = true;
        sinker.depth = passed->side > 0 ? deep : -deep;
        sinker.sag = pitch * (yarn % layers);
        sinker.is_carried = from->direction * to->direction < 0.0;
        turn_float(plan, from->direction > 0.0 ? high : low, x, yarn % layers, &sinker);
        sinker.length = fmax(0.5 * plan->shape.wale, fabs(end - x) - 0.3 * plan->shape.wale);
        if (sinker.is_carried) {
            sinker.length = 2.5 * fabs(sinker.beyond);
        }
    }
    return sinker;
}

static HedStatus walk_yarn(KnitWalker* w, int32_t yarn) {
    HedStatus status = HED_OK;
    const HedLoops* g = w->plan->graph;
    const HedLoopYarn* path = &g->yarns.data[yarn];
    HedStitchLoop before = {0};
    int32_t before_number = -1;
    Float passed = {0};
    for (int32_t k = 0; k < path->step_count; ++k) {
        HedLoopStep step = g->steps.data[path->first_step + k];
        if (step.kind != HED_STEP_LOOP) {
            if (before_number >= 0) {
                pass(&passed, w->plan, &before, step);
            }
            continue;
        }
        HedStitchLoop loop = w->plan->loops[step.loop];
        HedLoopSpan* span = &w->walk.spans[step.loop];
        span->yarn = yarn;
        if (before_number < 0) {
            HED_TRY(hed_walk_to(&w->walk, loose_end(w->plan, &loop, -1.0, LOOSE_END)));
            HED_TRY(hed_walk_to(&w->walk, loose_end(w->plan, &loop, -1.0, LOOSE_START)));
            span->start = span->bight[0] = 0.0;
        } else {
            loop = follow(w->plan, &before, step.loop);
            HedSinker sinker = make_sinker(w->plan, &before, &loop, step, &passed);
            if (passed.side == 0 &&
                turns_inside(w->plan, &before, before_number, &loop, step.loop)) {
                sinker.is_carried = true;
                sinker.turn = 0.4 * w->plan->shape.wale;
                sinker.beyond = before.direction * 0.5 * w->plan->shape.wale;
            }
            double leaves = hed_walk_place(&w->walk);
            HED_TRY(walk_sinker(w, &sinker, 0.0, 0.5));
            span->start = w->walk.spans[before_number].end = hed_walk_place(&w->walk);
            w->walk.spans[before_number].bight[1] = sinker.is_float ? leaves : span->start;
            HED_TRY(walk_sinker(w, &sinker, 0.5, 1.0));
            span->bight[0] = sinker.is_float ? hed_walk_place(&w->walk) : span->start;
        }
        if (g->loops.data[step.loop].kind == HED_LOOP_END) {
            HED_TRY(walk_end(w, &loop));
            span->apex = hed_walk_place(&w->walk);
        } else {
            HED_TRY(walk_loop(w, &loop, -HED_STITCH_FOOT, 0.0));
            span->apex = hed_walk_place(&w->walk);
            HED_TRY(walk_loop(w, &loop, 0.0, HED_STITCH_FOOT));
        }
        before = loop;
        before_number = step.loop;
        passed = (Float){0};
    }
    if (g->loops.data[before_number].kind != HED_LOOP_END) {
        HED_TRY(hed_walk_to(&w->walk, loose_end(w->plan, &before, 1.0, LOOSE_START)));
        HED_TRY(hed_walk_to(&w->walk, loose_end(w->plan, &before, 1.0, LOOSE_END)));
    }
    w->walk.spans[before_number].end = w->walk.spans[before_number].bight[1] =
        hed_walk_place(&w->walk);
done:
    return status;
}

HedStatus hed_knit_draw(const HedKnitPlan* plan, const HedFabricYarn* yarn, int32_t points_per_loop,
                        HedFabric* sheet, HedLoopSpan* spans, HedError* error) {
    HedStatus status = HED_OK;
    const HedLoops* g = plan->graph;
    for (int32_t i = 0; i < g->yarns.count; ++i) {
        KnitWalker w = {.plan = plan,
                        .walk = {.sheet = sheet,
                                 .graph = g,
                                 .spans = spans,
                                 .spacing = hed_stitch_length(&plan->shape) / points_per_loop,
                                 .most = hed_walk_most(g, points_per_loop),
                                 .error = error}};
        HED_TRY(hed_walk_begin(&w.walk, yarn, i));
        HED_TRY(walk_yarn(&w, i));
        HED_TRY(hed_walk_end(&w.walk, i));
    }
done:
    return status;
}
