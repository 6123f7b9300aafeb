// SPDX-License-Identifier: MIT
// Yarns through the places of a layout: straight from corner to corner, with rounded corners.
#include "knit/beds.h"
#include "knit/walk.h"

#include <math.h>

typedef struct BedWalker {
    HedYarnWalk walk;
    const HedBedLayout* layout;
    HedStitchShape shape;
    HedVec3 before, corner; // the last two; the corner is still to be rounded
    double* mark;           // gets the place of the corner
    int32_t corner_count;
} BedWalker;

// Rounds the last corner on the way to x.
static HedStatus round_corner(BedWalker* w, HedVec3 x) {
    static const double RADIUS = 0.8; // diameters: the yarn leaves its straight way there
    enum { STEPS = 4 };
    HedStatus status = HED_OK;
    HedVec3 in = hed_sub3(w->corner, w->before);
    HedVec3 out = hed_sub3(x, w->corner);
    double shorter = 0.45 * fmin(hed_norm3(in), hed_norm3(out));
    double r = fmin(RADIUS * w->shape.diameter, shorter);
    HedVec3 a = hed_madd3(w->corner, -r, hed_unit3(in, in));
    HedVec3 b = hed_madd3(w->corner, r, hed_unit3(out, out));
    for (int32_t k = 0; k <= STEPS; ++k) {
        double s = (double)k / STEPS;
        HedVec3 p = hed_lerp3(hed_lerp3(a, w->corner, s), hed_lerp3(w->corner, b, s), s);
        HED_TRY(hed_walk_to(&w->walk, p));
        if (w->mark && 2 * k == STEPS) {
            *w->mark = hed_walk_place(&w->walk);
        }
    }
done:
    return status;
}

static HedStatus go_to(BedWalker* w, HedVec3 x, double* mark) {
    HedStatus status = HED_OK;
    if (w->corner_count > 0 && hed_distance3(x, w->corner) < 1e-6 * w->shape.diameter) {
        w->mark = mark ? mark : w->mark;
        return HED_OK;
    }
    if (w->corner_count > 1) {
        HED_TRY(round_corner(w, x));
    } else if (w->corner_count == 1) {
        HED_TRY(hed_walk_to(&w->walk, w->corner));
    }
    w->before = w->corner;
    w->corner = x;
    w->mark = mark;
    ++w->corner_count;
done:
    return status;
}

// Columns, courses and diameters to metres.
static HedVec3 at(const BedWalker* w, double x, double y, double z) {
    return hed_vec3(x * w->shape.wale, y * w->shape.course, z * w->shape.diameter);
}

enum { FOOT_CORNERS = 3, HEAD_CORNERS = 3 };

static void find_foot(const BedWalker* w, const HedBedLoop* s, double side, HedVec3 out[]) {
    double x = s->foot + side * s->narrow;
    out[0] = at(w, x, s->base + 0.45, s->zone);
    out[1] = at(w, x, s->base + 0.75, s->zone);
    out[2] = at(w, s->x + side * s->wide, s->base + 1.0, s->zone);
}

// What stands beside each other ends within each other: wider heads are higher.
static void find_head(const BedWalker* w, const HedBedLoop* s, double x, double z, double side,
                      HedVec3 out[]) {
    double top = s->end + 0.5 + 0.25 * s->wide;
    double leg = x + side * s->wide;
    out[0] = at(w, leg, s->end + (s->is_taken ? 0.1 : 0.2), z);
    out[1] = at(w, leg, s->end + 0.45, s->is_taken ? s->arch : z);
    out[2] = at(w, leg, top, s->is_taken ? s->arch : z);
}

static HedStatus walk_leg(BedWalker* w, int32_t loop, double side, bool is_up) {
    HedStatus status = HED_OK;
    const HedBedLayout* l = w->layout;
    const HedBedLoop* s = &l->loops[loop];
    const HedBedWay* ways = l->ways + l->first_ways[loop];
    int32_t count = l->first_ways[loop + 1] - l->first_ways[loop];
    int32_t corners = FOOT_CORNERS + 2 * count + HEAD_CORNERS;
    HedVec3 foot[FOOT_CORNERS], head[HEAD_CORNERS];
    double last_x = count > 0 ? ways[count - 1].x : s->x;
    double last_z = count > 0 ? ways[count - 1].z : s->zone;
    find_foot(w, s, side, foot);
    find_head(w, s, last_x, last_z, side, head);
    for (int32_t n = 0; n < corners; ++n) {
        int32_t k = is_up ? n : corners - 1 - n;
        HedVec3 x;
        if (k < FOOT_CORNERS) {
            x = foot[k];
        } else if (k < FOOT_CORNERS + 2 * count) {
            int32_t i = (k - FOOT_CORNERS) / 2;
            bool is_end = (k - FOOT_CORNERS) % 2 == 1;
            double from_x = i > 0 ? ways[i - 1].x : s->x;
            double from_z = i > 0 ? ways[i - 1].z : s->zone;
            x = at(w, (is_end ? ways[i].x : from_x) + side * s->wide,
                   is_end ? ways[i].y1 : ways[i].y0, is_end ? ways[i].z : from_z);
        } else {
            x = head[k - FOOT_CORNERS - 2 * count];
        }
        HED_TRY(go_to(w, x, NULL));
    }
done:
    return status;
}

static HedStatus walk_loop(BedWalker* w, int32_t loop) {
    HedStatus status = HED_OK;
    const HedBedLoop* s = &w->layout->loops[loop];
    HedLoopSpan* span = &w->walk.spans[loop];
    double way = s->is_leftward ? -1.0 : 1.0;
    const HedBedLayout* l = w->layout;
    int32_t count = l->first_ways[loop + 1] - l->first_ways[loop];
    const HedBedWay* last = count > 0 ? &l->ways[l->first_ways[loop + 1] - 1] : NULL;
    HedVec3 head[HEAD_CORNERS];
    find_head(w, s, last ? last->x : s->x, last ? last->z : s->zone, 0.0, head);
    HED_TRY(go_to(w, at(w, s->foot - way * s->narrow, s->base, s->lane), &span->bight[0]));
    HED_TRY(walk_leg(w, loop, -way, true));
    head[2].x = (last ? last->x : s->x) * w->shape.wale;
    HED_TRY(go_to(w, head[2], &span->apex));
    if (w->walk.graph->loops.data[loop].kind == HED_LOOP_END) {
        return HED_OK;
    }
    HED_TRY(walk_leg(w, loop, way, false));
    HED_TRY(go_to(w, at(w, s->foot + way * s->narrow, s->base, s->lane), &span->bight[1]));
done:
    return status;
}

// From the loop before to the foot of the next one. The yarn belongs to the next one from beside
// its foot on: there it is clear of all loops on the needle.
static HedStatus walk_between(BedWalker* w, int32_t before, int32_t loop) {
    static const double BESIDE = 0.3; // columns from a foot
    HedStatus status = HED_OK;
    const HedBedLoop* a = &w->layout->loops[before];
    const HedBedLoop* s = &w->layout->loops[loop];
    double* start = &w->walk.spans[loop].start;
    double way = s->is_leftward ? -1.0 : 1.0;
    double entry = s->foot - way * s->narrow;
    if (s->is_from_foot) {
        double y = 0.5 * (a->base + s->base);
        HED_TRY(go_to(w, at(w, 0.5 * (s->from + entry), y, s->lane), start));
        return HED_OK;
    }
    double beside = entry - way * BESIDE;
    HED_TRY(go_to(w, at(w, s->from, a->base, s->lane), NULL));
    HED_TRY(go_to(w, at(w, s->from, s->rise, s->lane), NULL));
    if (s->comes_against) {
        HED_TRY(go_to(w, at(w, beside, s->rise, s->lane), NULL));
    } else if (way * (beside - s->from) < 0.0) {
        beside = s->from;
    }
    HED_TRY(go_to(w, at(w, beside, s->base, s->lane), start));
done:
    return status;
}

static HedStatus walk_yarn(BedWalker* w, int32_t yarn) {
    static const double TAIL = 0.4; // columns of yarn behind the last loop
    HedStatus status = HED_OK;
    const HedLoops* g = w->walk.graph;
    const HedLoopYarn* path = &g->yarns.data[yarn];
    int32_t before = -1;
    for (int32_t k = 0; k < path->step_count; ++k) {
        HedLoopStep step = g->steps.data[path->first_step + k];
        if (step.kind != HED_STEP_LOOP) {
            continue;
        }
        const HedBedLoop* s = &w->layout->loops[step.loop];
        w->walk.spans[step.loop] = (HedLoopSpan){.yarn = yarn};
        if (before < 0) {
            HED_TRY(go_to(w, at(w, s->from, s->base, s->lane), NULL));
        } else {
            HED_TRY(walk_between(w, before, step.loop));
        }
        HED_TRY(walk_loop(w, step.loop));
        before = step.loop;
    }
    const HedBedLoop* last = &w->layout->loops[before];
    bool is_end = g->loops.data[before].kind == HED_LOOP_END; // in its head
    double x = last->foot + (last->is_leftward ? -1.0 : 1.0) * (last->narrow + TAIL);
    HED_TRY(is_end ? HED_OK : go_to(w, at(w, x, last->base, last->lane), NULL));
    HED_TRY(hed_walk_to(&w->walk, w->corner));
    double end = hed_walk_place(&w->walk);
    if (is_end) {
        w->walk.spans[before].apex = w->walk.spans[before].bight[1] = end;
    }
    for (int32_t k = path->step_count - 1; k >= 0; --k) {
        HedLoopStep step = g->steps.data[path->first_step + k];
        if (step.kind == HED_STEP_LOOP) {
            w->walk.spans[step.loop].end = end;
            end = w->walk.spans[step.loop].start;
        }
    }
done:
    return status;
}

HedStatus hed_bed_draw(const HedKnitPlan* plan, const HedFabricYarn* yarn, int32_t points_per_loop,
                       HedFabric* sheet, HedLoopSpan* spans, HedError* error) {
    HedStatus status = HED_OK;
    HedBedLayout layout = {0};
    HED_TRY(hed_bed_layout(plan->graph, plan->log, &layout, error));
    for (int32_t i = 0; i < plan->graph->yarns.count; ++i) {
        BedWalker w = {.layout = &layout,
                       .shape = plan->shape,
                       .walk = {.sheet = sheet,
                                .graph = plan->graph,
                                .spans = spans,
                                .spacing = hed_stitch_length(&plan->shape) / points_per_loop,
                                .most = hed_walk_most(plan->graph, points_per_loop),
                                .error = error}};
        HED_TRY(hed_walk_begin(&w.walk, yarn, i));
        HED_TRY(walk_yarn(&w, i));
        HED_TRY(hed_walk_end(&w.walk, i));
    }
done:
    hed_bed_layout_free(&layout);
    return status;
}
