// SPDX-License-Identifier: MIT
// Bending of yarns that have thickness (docs/eol.md, section 2.5): turns are those of points a part
// of the radius off the nodes, to either side of them. What bending does to these points acts on
// the nodes as it is (model_along.c) and, as a couple, on the normal of each crossing, which
// follows its four neighbours. The gradient is exact; of second derivatives those of normals are
// left out.
#include "base/array.h"
#include "eol/model_create.h"
#include "model/eol/kernel_normal.h"

#include <string.h>

// The five nodes that a crossing's normal follows from.
static void load_cross(const HedEolModel* model, const double* q, int32_t node, double out[15]) {
    const HedYarnPacks* bands = &model->bands;
    hed_eol_put3(out, hed_eol_point(q + (int64_t)HED_NODE_SIZE * node));
    for (int k = 0; k < 4; ++k) {
        int32_t place = bands->place[node][k / 2] + (k % 2 ? HED_YARN_PACK : -HED_YARN_PACK);
        int32_t other = bands->node[place];
        hed_eol_put3(out + 3 + 3 * k, hed_eol_point(q + (int64_t)HED_NODE_SIZE * other));
    }
}

void hed_eol_offset_find(HedEolModel* model, const double* q, int32_t node) {
    double at[15];
    if (model->sign[node] == 0) {
        model->normal[node] = (HedVec3){0};
        return;
    }
    load_cross(model, q, node, at);
    model->normal[node] = hed_mul3(model->sign[node], hed_eol_offset_normal(at));
}

// Adds what the turn about a place does to its end number k (0, 1, 2).
static HedVec3 add_turn(const HedEolModel* model, const double* q, int32_t middle, int k,
                        HedVec3 sum) {
    const HedYarnPacks* bands = &model->bands;
    if (bands->visit[middle] < 0 || !(bands->kind[middle] & HED_PLACE_TURN)) {
        return sum;
    }
    double at[12], g[12];
    for (int i = 0; i < 3; ++i) {
        int32_t place = middle + (i - 1) * HED_YARN_PACK;
        const double* from = q + (int64_t)HED_NODE_SIZE * bands->node[place];
        HedVec3 off = hed_eol_offset(model, place);
        hed_eol_put3(at + 4 * i, hed_add3(hed_eol_point(from), off));
        at[4 * i + 3] = from[3 + bands->slot[place]];
    }
    hed_eol_bend(at, hed_eol_bend_at(model, bands->visit[middle]), g, NULL, false);
    return hed_add3(sum, hed_eol_point(g + 4 * k));
}

void hed_eol_model_offset_couple(HedEolModel* model, const double* q, int32_t node) {
    double* out = model->couple[node];
    double at[15];
    HedVec3 couple = {0};
    if (model->sign[node] == 0) {
        memset(out, 0, sizeof model->couple[node]);
        return;
    }
    for (int s = 0; s < 2; ++s) {
        int32_t place = model->bands.place[node][s];
        HedVec3 force = {0};
        for (int k = 0; k < 3; ++k) {
            force = add_turn(model, q, place + (1 - k) * HED_YARN_PACK, k, force);
        }
        couple = hed_madd3(couple, hed_eol_offset_size(model, place), force);
    }
    load_cross(model, q, node, at);
    hed_eol_offset_couple(at, hed_mul3(model->sign[node], couple), out);
}

void hed_eol_offset_gather(const HedEolModel* model, int32_t node, double* gradient) {
    const HedYarnPacks* bands = &model->bands;
    for (int c = 0; c < 3; ++c) {
        gradient[c] += model->couple[node][c];
    }
    for (int k = 0; k < 4; ++k) {
        int32_t place = bands->place[node][k / 2];
        int32_t there = place + (k % 2 ? HED_YARN_PACK : -HED_YARN_PACK);
        if (place >= bands->step_count * HED_YARN_PACK || bands->visit[there] < 0 ||
            !(bands->kind[k % 2 ? place : there] & HED_PLACE_SEGMENT)) {
            continue;
        }
        // A node that comes after this one has it before itself.
        int end = 1 + 2 * bands->slot[there] + (k % 2 ? 0 : 1);
        for (int c = 0; c < 3; ++c) {
            gradient[c] += model->couple[bands->node[there]][3 * end + c];
        }
    }
}

// What yarns are set in are turns of the points that bend.
static void set_turns(HedEolModel* model, double set, const double* q) {
    const HedYarnPacks* bands = &model->bands;
    for (int32_t i = 0; i < model->node_count; ++i) {
        hed_eol_offset_find(model, q, i);
    }
    for (int32_t e = 0; e < bands->visit_count; ++e) {
        int32_t place = bands->place_of[e];
        if (!(bands->kind[place] & HED_PLACE_TURN)) {
            continue;
        }
        HedVec3 p[3];
        for (int k = 0; k < 3; ++k) {
            int32_t there = place + (k - 1) * HED_YARN_PACK;
            const double* from = q + (int64_t)HED_NODE_SIZE * bands->node[there];
            p[k] = hed_add3(hed_eol_point(from), hed_eol_offset(model, there));
        }
        HedCorner corner = hed_corner(hed_edge(p[0], p[1]), hed_edge(p[1], p[2]));
        model->rest[e].angle = set * corner.angle;
    }
}

HedStatus hed_eol_model_offset(HedEolModel* model, const HedSlidingDef* def, const int8_t* sign,
                               const double* q, HedError* error) {
    if (def->thickness <= 0.0) {
        return HED_OK;
    }
    model->normal = HED_NEW_ARRAY(HedVec3, model->node_count);
    model->couple = (double(*)[15])hed_alloc_array(model->node_count, sizeof *model->couple);
    if (!model->normal || !model->couple) {
        return hed_fail_memory(error, "yarns that bend off their crossings");
    }
    model->thickness = def->thickness;
    model->sign = sign;
    set_turns(model, def->set_fraction, q);
    return HED_OK;
}
