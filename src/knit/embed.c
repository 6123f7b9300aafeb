// SPDX-License-Identifier: MIT
// From a loop graph to loops in space: relations, places, and how wide and high each loop is there.
#include "knit/embed.h"
#include "math/vec3.h"

#include <math.h>

void hed_placed_knit_free(HedPlacedKnit* knit) {
    hed_loops_free(&knit->graph);
    hed_relations_free(&knit->relations);
    hed_free(knit->places);
    hed_free(knit->spacing);
    hed_free(knit->bends);
    *knit = (HedPlacedKnit){0};
}

// Sums of ratios and their weights for one loop.
typedef struct Ratio {
    double across, across_weight, up, up_weight;
} Ratio;

static double bounded(double sum, double weight) {
    static const double LEAST = 0.4, MOST = 1.3;
    return weight > 0.0 ? fmin(fmax(sum / weight, LEAST), MOST) : 1.0;
}

static HedStatus find_spacing(HedPlacedKnit* knit, HedError* error) {
    const HedRelations* r = &knit->relations;
    Ratio* ratios = HED_NEW_ARRAY(Ratio, r->count);
    if (!ratios) {
        return hed_fail_memory(error, "places of loops");
    }
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        double wanted = hypot(one->across, one->up);
        if (!(wanted > 0.0)) {
            continue; // plated loops lie along each other
        }
        double d = hed_distance3(knit->places[one->from].position, knit->places[one->to].position);
        bool is_across = fabs(one->across) > fabs(one->up);
        const int32_t ends[2] = {one->from, one->to};
        for (int32_t end = 0; end < 2; ++end) {
            Ratio* ratio = &ratios[ends[end]];
            *(is_across ? &ratio->across : &ratio->up) += one->weight * d / wanted;
            *(is_across ? &ratio->across_weight : &ratio->up_weight) += one->weight;
        }
    }
    for (int32_t i = 0; i < r->count; ++i) {
        knit->spacing[i].across = bounded(ratios[i].across, ratios[i].across_weight);
        knit->spacing[i].up = bounded(ratios[i].up, ratios[i].up_weight);
    }
    hed_free(ratios);
    return HED_OK;
}

// What the change of faces between a loop and its neighbours adds up to.
typedef struct Turning {
    double xx, xy, yy;  // sums of across^2, across up, up^2
    HedVec3 across, up; // of change of face times each
} Turning;

// Least squares of face_j - face_i = across N_x + up N_y over the neighbours of each loop.
static void add_turning(Turning* t, const HedRelation* one, HedVec3 change) {
    t->xx += one->weight * one->across * one->across;
    t->xy += one->weight * one->across * one->up;
    t->yy += one->weight * one->up * one->up;
    t->across = hed_madd3(t->across, one->weight * one->across, change);
    t->up = hed_madd3(t->up, one->weight * one->up, change);
}

static HedStatus find_bends(HedPlacedKnit* knit, HedError* error) {
    const HedRelations* r = &knit->relations;
    Turning* turnings = HED_NEW_ARRAY(Turning, r->count);
    if (!turnings) {
        return hed_fail_memory(error, "places of loops");
    }
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        HedVec3 change = hed_sub3(knit->places[one->to].face, knit->places[one->from].face);
        add_turning(&turnings[one->from], one, change);
        add_turning(&turnings[one->to], one, change);
    }
    for (int32_t i = 0; i < r->count; ++i) {
        const Turning* t = &turnings[i];
        const HedLoopPlace* p = &knit->places[i];
        double area = t->xx * t->yy - t->xy * t->xy;
        bool is_plain = area > 1e-6 * (t->xx + t->yy) * (t->xx + t->yy);
        double xx = is_plain ? area : t->xx; // only neighbours along a line: only that bends
        HedVec3 x = hed_mul3(is_plain ? t->yy : 1.0, t->across);
        HedVec3 y = hed_mul3(t->xx, t->up);
        if (is_plain) {
            x = hed_madd3(x, -t->xy, t->up);
            y = hed_madd3(y, -t->xy, t->across);
        }
        if (xx > 0.0) {
            knit->bends[i].across = hed_dot3(x, p->right) / xx;
        }
        if (is_plain) {
            knit->bends[i].up = hed_dot3(y, p->up) / area;
            knit->bends[i].twist = 0.5 * (hed_dot3(x, p->up) + hed_dot3(y, p->right)) / area;
        }
    }
    hed_free(turnings);
    return HED_OK;
}

HedStatus hed_knit_embed(const HedLoops* graph, const HedStitchShape* shape, HedEmbedMethod method,
                         HedPlacedKnit* knit, HedError* error) {
    HedStatus status = HED_OK;
    *knit = (HedPlacedKnit){0};
    HED_TRY(hed_relations_find(graph, shape->wale, shape->course, &knit->relations, error));
    HED_TRY(hed_loops_turn(graph, knit->relations.is_turned, &knit->graph, error));
    knit->places = HED_NEW_ARRAY(HedLoopPlace, graph->loops.count);
    knit->spacing = HED_NEW_ARRAY(HedLoopSpacing, graph->loops.count);
    knit->bends = HED_NEW_ARRAY(HedLoopBend, graph->loops.count);
    if (!knit->places || !knit->spacing || !knit->bends) {
        HED_TRY(hed_fail_memory(error, "places of loops"));
    }
    HED_TRY(hed_embed(&knit->relations, method, knit->places, &knit->report, error));
    HED_TRY(find_spacing(knit, error));
    HED_TRY(find_bends(knit, error));
done:
    return status;
}
