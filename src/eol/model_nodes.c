// SPDX-License-Identifier: MIT
// What acts between yarns: shear of crossings, a quadrant at a time, and curl hinges; and the sums
// at nodes.
#include "eol/model.h"

#include <string.h>

// The node before (side 0) or after (1) a node on the yarn of a slot; -1: none. slot_there: of its
// own visit.
static int32_t neighbour(const HedYarnPacks* bands, int32_t node, int slot, int side,
                         int* slot_there) {
    int32_t place = bands->place[node][slot];
    int32_t other = place + (side ? HED_YARN_PACK : -HED_YARN_PACK);
    if (place >= bands->step_count * HED_YARN_PACK || bands->visit[other] < 0 ||
        !(bands->kind[side ? place : other] & HED_PLACE_SEGMENT)) {
        return -1;
    }
    *slot_there = bands->slot[other];
    return bands->node[other];
}

static HedVec3 point_of(const double* q, int32_t node) {
    return hed_eol_point(q + (int64_t)HED_NODE_SIZE * node);
}

static void put(double to[3], HedVec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

// Damping by the rate of the angle over the step: its change, so that turning as a whole is free.
static void damp_quadrant(const HedEolModel* model, const HedEolEval* at, const int32_t node[3],
                          double angle, HedEolQuadrant* out, double sums[HED_EOL_SUMS]) {
    HedVec3 x = point_of(at->start, node[1]);
    HedEdge a = hed_edge(x, point_of(at->start, node[0]));
    HedEdge b = hed_edge(x, point_of(at->start, node[2]));
    double change = angle - hed_corner(a, b).angle;
    double k = model->shear_damping * model->shear.length * at->over;
    out->force += k * change;
    out->weight += k;
    sums[HED_EOL_DAMPING] += 0.5 * k * change * change;
}

void hed_eol_evaluate_quadrants(HedEolModel* model, const HedEolEval* at, int32_t node,
                                double sums[HED_EOL_SUMS]) {
    HedEolQuadrant* out = model->quadrants + (int64_t)4 * node;
    int there = model->is_crossing[node] & HED_EOL_QUADRANTS;
    if (there != HED_EOL_QUADRANTS) {
        memset(out, 0, 4 * sizeof *out);
    }
    if (!there) {
        return;
    }
    HedVec3 x = point_of(at->q, node);
    int32_t ends[2][2];
    HedEdge edge[2][2];
    int unused = 0;
    for (int slot = 0; slot < 2; ++slot) {
        for (int side = 0; side < 2; ++side) {
            ends[slot][side] = neighbour(&model->bands, node, slot, side, &unused);
            edge[slot][side] = hed_edge(x, point_of(at->q, ends[slot][side]));
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (!(there >> k & 1)) {
            continue;
        }
        HedEdge a = edge[0][k / 2];
        HedEdge b = edge[1][k % 2];
        HedCorner c = hed_corner(a, b);
        HedEolShear rest = model->shear;
        HedCornerLaw law;
        HedVec3 by[2];
        rest.rest_angle = model->shear_rest[node][k];
        sums[HED_EOL_SHEAR] += hed_eol_shear_law(c, rest, &law);
        hed_corner_angle_gradient(a, b, c, by);
        put(out[k].a, by[0]);
        put(out[k].b, by[1]);
        out[k].force = law.first;
        out[k].weight = law.second;
        if (at->start && model->shear_damping > 0.0) {
            int32_t three[3] = {ends[0][k / 2], node, ends[1][k % 2]};
            damp_quadrant(model, at, three, c.angle, &out[k], sums);
        }
    }
}

// block += w a b', of positions, in a block with rows of four.
static void add_outer(double w, const double a[3], const double b[3], double block[16]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            block[4 * r + c] += w * a[r] * b[c];
        }
    }
}

static void centre_of(const HedEolQuadrant* k, double c[3]) {
    for (int i = 0; i < 3; ++i) {
        c[i] = -(k->a[i] + k->b[i]);
    }
}

// The quadrants of a node that have its neighbour on (slot, side) as an end: two of the four.
static const HedEolQuadrant* quadrant_at(const HedEolModel* model, int32_t node, int slot, int side,
                                         int which) {
    int k = slot == 0 ? 2 * side + which : 2 * which + side;
    return model->quadrants + (int64_t)4 * node + k;
}

void hed_eol_add_quadrants(const HedEolModel* model, int32_t place, double block[16]) {
    const HedYarnPacks* bands = &model->bands;
    int32_t low = bands->node[place];
    int32_t high = bands->node[place + HED_YARN_PACK];
    int slot_low = bands->slot[place];
    int slot_high = bands->slot[place + HED_YARN_PACK];
    for (int which = 0; which < 2; ++which) {
        double c[3];
        const HedEolQuadrant* k = quadrant_at(model, low, slot_low, 1, which);
        centre_of(k, c);
        add_outer(k->weight, c, slot_low ? k->b : k->a, block);
        k = quadrant_at(model, high, slot_high, 0, which);
        centre_of(k, c);
        add_outer(k->weight, slot_high ? k->b : k->a, c, block);
    }
}

// Adds f d to a gradient, and w d d' to the positions' part of a node's own block.
static void add_direction(double f, double w, const double d[3], double* g, double* own) {
    for (int r = 0; r < 3; ++r) {
        g[r] += f * d[r];
        for (int c = r; own && c < 3; ++c) {
            own[hed_eol_diagonal(r, c)] += w * d[r] * d[c];
        }
    }
}

static void gather_quadrants(const HedEolModel* model, int32_t node, double* g, double* own) {
    const HedEolQuadrant* mine = model->quadrants + (int64_t)4 * node;
    for (int k = 0; k < 4; ++k) {
        double c[3];
        centre_of(&mine[k], c);
        add_direction(mine[k].force, mine[k].weight, c, g, own);
    }
    for (int slot = 0; slot < 2; ++slot) {
        for (int side = 0; side < 2; ++side) {
            int there = 0;
            int32_t other = neighbour(&model->bands, node, slot, side, &there);
            for (int which = 0; other >= 0 && which < 2; ++which) {
                const HedEolQuadrant* k = quadrant_at(model, other, there, 1 - side, which);
                add_direction(k->force, k->weight, there ? k->b : k->a, g, own);
            }
        }
    }
}

static void gather_stars(const HedEolModel* model, int32_t node, double* g, double* own) {
    for (int32_t k = model->star_first[node]; k < model->star_first[node + 1]; ++k) {
        const HedEolLocal* star = &model->stars[model->star_list[k] / 8];
        add_direction(star->force, star->weight, star->direction[model->star_list[k] % 8], g, own);
    }
}

// A place's own block: upper triangle of (x, y, z, u), into the node's.
static void add_own(const HedEolModel* model, int32_t place, int slot, double* own) {
    const double* from =
        model->own + (int64_t)(place / HED_YARN_PACK) * 10 * HED_YARN_PACK + place % HED_YARN_PACK;
    int k = 0;
    for (int r = 0; r < 4; ++r) {
        for (int c = r; c < 4; ++c, ++k) {
            own[hed_eol_diagonal(r < 3 ? r : 3 + slot, c < 3 ? c : 3 + slot)] +=
                from[k * HED_YARN_PACK];
        }
    }
}

static void gather_node(const HedEolModel* model, const HedEolEval* at, int32_t node) {
    double* g = at->gradient + (int64_t)HED_NODE_SIZE * node;
    double* own = at->matrix ? at->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * node : NULL;
    memset(g, 0, sizeof *g * HED_NODE_SIZE);
    if (own) {
        memset(own, 0, sizeof *own * HED_NODE_DIAGONAL);
    }
    for (int s = 0; s < 2; ++s) {
        int32_t place = model->bands.place[node][s];
        for (int c = 0; c < 4; ++c) {
            g[c < 3 ? c : 3 + s] += model->sum[hed_yarn_pack_at(place, c)];
        }
        if (own) {
            add_own(model, place, s, own);
        }
    }
    if (model->has_shear) {
        gather_quadrants(model, node, g, own);
    }
    if (model->star_count > 0) {
        gather_stars(model, node, g, own);
    }
    if (model->thickness > 0.0) {
        hed_eol_offset_gather(model, node, g);
    }
}

static void gather_pair(const HedEolModel* model, const HedEolEval* at, int32_t pair) {
    double* block = at->matrix->pairs.block[pair];
    memset(block, 0, 9 * sizeof *block);
    for (int32_t k = model->link_first[pair]; k < model->link_first[pair + 1]; ++k) {
        const HedEolLink* link = &model->links[k];
        const double *a, *b;
        double w;
        if (link->is_star) {
            const HedEolLocal* star = &model->stars[link->source];
            a = star->direction[link->end[0]];
            b = star->direction[link->end[1]];
            w = star->weight;
        } else {
            const HedEolQuadrant* q = &model->quadrants[link->source];
            a = link->end[0] ? q->b : q->a;
            b = link->end[1] ? q->b : q->a;
            w = q->weight;
        }
        for (int i = 0; i < 9; ++i) {
            block[i] += w * a[i / 3] * b[i % 3];
        }
    }
}

static void add_sums(const double* from, int32_t count, double sums[HED_EOL_SUMS]) {
    for (int32_t k = 0; k < count; ++k) {
        for (int e = 0; e < HED_EOL_SUMS; ++e) {
            sums[e] += from[(int64_t)HED_EOL_SUMS * k + e];
        }
    }
}

void hed_eol_model_evaluate(HedEolModel* model, HedEolEval at, double sums[HED_EOL_SUMS]) {
    int32_t nodes = model->node_count;
    int32_t blocks = hed_block_count(nodes);
#pragma omp parallel num_threads(hed_team_size(model->team, INT64_C(400) * nodes))
    {
        HedThreadTeam threads = hed_thread_team();
        HedShare own = hed_thread_team_share(threads, 0, model->has_shear ? blocks : 0);
        for (int32_t b = own.first; b < own.end; ++b) {
            double* to = model->node_energy + (int64_t)HED_EOL_SUMS * b;
            memset(to, 0, sizeof *to * HED_EOL_SUMS);
            int32_t end = hed_min_i32(nodes, (b + 1) * HED_BLOCK);
            for (int32_t i = b * HED_BLOCK; i < end; ++i) {
                hed_eol_evaluate_quadrants(model, &at, i, to);
            }
        }
        own = hed_thread_team_share(threads, 0, model->star_count);
        for (int32_t k = own.first; k < own.end; ++k) {
            hed_eol_evaluate_star(model, &at, k);
        }
        HedShare thick = hed_thread_team_share(threads, 0, model->thickness > 0.0 ? nodes : 0);
        for (int32_t i = thick.first; i < thick.end; ++i) {
            hed_eol_offset_find(model, at.q, i);
        }
        hed_thread_team_barrier(threads);
        for (int32_t i = thick.first; i < thick.end; ++i) {
            hed_eol_model_offset_couple(model, at.q, i);
        }
        own = hed_yarn_packs_share(&model->bands, threads, 0, model->bands.count);
        for (int32_t b = own.first; b < own.end; ++b) {
            hed_eol_model_evaluate_pack(model, &at, b);
        }
        hed_thread_team_barrier(threads);
        own = hed_thread_team_share(threads, 0, nodes);
        for (int32_t i = own.first; i < own.end; ++i) {
            gather_node(model, &at, i);
        }
        own = hed_thread_team_share(threads, 0, at.matrix ? model->pair_count : 0);
        for (int32_t k = own.first; k < own.end; ++k) {
            gather_pair(model, &at, k);
        }
    }
    memset(sums, 0, sizeof *sums * HED_EOL_SUMS);
    add_sums(model->band_energy, model->bands.count, sums);
    add_sums(model->node_energy, model->has_shear ? blocks : 0, sums);
    add_sums(model->star_energy, model->star_count, sums);
}
