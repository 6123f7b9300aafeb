// SPDX-License-Identifier: MIT
#include "eol/model_create.h"

#include "base/array.h"
#include "model/eol/kernel_torsion.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double JAM_TURN = 2.356; // rad, three quarters of half a turn: yarns jam beyond
static const double JAM_BEND = 100.0; // 1/rad
static const double JAM_SHEAR = 30.0; // 1/rad, times the shear stiffness
static const double ROOM = 0.9;       // of the spacing at the start: what limits leave

void hed_eol_model_free(HedEolModel* model) {
    hed_yarn_packs_free(&model->bands);
    hed_free(model->materials);
    hed_free(model->yarn_of);
    hed_free(model->rest);
    hed_free((void*)model->shear_rest);
    hed_free(model->is_crossing);
    hed_free(model->quadrants);
    hed_free(model->normal);
    hed_free((void*)model->couple);
    hed_free(model->stars);
    hed_free(model->star_first);
    hed_free(model->star_list);
    hed_free((void*)model->pairs);
    hed_free(model->link_first);
    hed_free(model->links);
    hed_free(model->own);
    hed_free(model->sum);
    hed_free(model->band_energy);
    hed_free(model->node_energy);
    hed_free(model->star_energy);
    *model = (HedEolModel){0};
}

static bool allocate(HedEolModel* model, const HedNet* net) {
    int64_t nodes = net->node_count;
    int64_t steps = (int64_t)model->bands.step_count + 1;
    model->materials = HED_NEW_ARRAY(HedEolMaterial, net->yarn_count);
    model->yarn_of = HED_NEW_ARRAY(int32_t, net->visit_count);
    model->rest = HED_NEW_ARRAY(HedEolRest, net->visit_count);
    model->is_crossing = HED_NEW_ARRAY(uint8_t, nodes);
    model->star_first = HED_NEW_ARRAY(int32_t, nodes + 2);
    model->own = HED_NEW_ARRAY(double, steps * 10 * HED_YARN_PACK);
    model->sum = HED_NEW_ARRAY(double, steps * 4 * HED_YARN_PACK);
    model->band_energy = HED_NEW_ARRAY(double, (int64_t)model->bands.count* HED_EOL_SUMS);
    model->node_energy =
        HED_NEW_ARRAY(double, (int64_t)hed_block_count(net->node_count) * HED_EOL_SUMS);
    bool ok = model->materials && model->yarn_of && model->rest && model->is_crossing &&
              model->star_first && model->own && model->sum && model->band_energy &&
              model->node_energy;
    if (model->has_shear) {
        model->shear_rest = (double(*)[4])hed_alloc_array(nodes, sizeof *model->shear_rest);
        model->quadrants = HED_NEW_ARRAY(HedEolQuadrant, nodes * 4);
        ok = ok && model->shear_rest && model->quadrants;
    }
    return ok;
}

// A piece that is shorter than its material has buckled, at the load pi^2 B/L^2, and hardly resists
// further: ten times that at full shortening, but never so little that material could run freely.
static double slack_of(const HedSlidingDef* def) {
    double spacing = def->net->spacing;
    double buckled = 10.0 * PI * PI * def->bend / (spacing * spacing);
    double slack = def->compression_ratio > 0.0 ? def->compression_ratio * def->stretch : buckled;
    return fmin(def->stretch, fmax(0.01 * def->stretch, slack));
}

static void make_materials(HedEolModel* model, const HedSlidingDef* def) {
    const HedNet* net = def->net;
    bool is_knit = net->clasp_count > 0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        const HedSlidingDamping* stretch = &def->stretch_damping;
        const HedSlidingDamping* bend = &def->bend_damping;
        model->materials[y] = (HedEolMaterial){
            .tight = def->stretch,
            .slack = slack_of(def),
            .bend = def->bend,
            .bend_jam = JAM_BEND,
            .jam_angle = JAM_TURN,
            .twist = isfinite(def->twist) ? def->twist
                     : is_knit            ? 0.5 * def->bend
                                          : 0.0,
            .density = yarn->linear_density > 0.0 ? yarn->linear_density : def->linear_density,
            .radius = yarn->radius,
            .stretch_damping = stretch->density + stretch->time * def->stretch,
            .bend_damping = bend->density + bend->time * 2.0 * def->bend,
        };
        model->has_torsion = model->has_torsion || model->materials[y].twist > 0.0;
        model->has_damping = model->has_damping || model->materials[y].stretch_damping > 0.0 ||
                             model->materials[y].bend_damping > 0.0;
        for (int32_t e = yarn->first; e < yarn->first + yarn->count; ++e) {
            model->yarn_of[e] = y;
        }
    }
}

static HedVec3 start_of(const HedNet* net, int32_t visit) {
    return net->nodes[net->visits[visit].node].position;
}

// Sum of the unit ways to and from a visit.
static HedVec3 way_at(const HedNet* net, const HedNetYarn* yarn, int32_t visit) {
    HedVec3 sum = {0};
    if (visit > yarn->first) {
        sum = hed_add3(sum, hed_edge(start_of(net, visit - 1), start_of(net, visit)).t);
    }
    if (visit + 1 < yarn->first + yarn->count) {
        sum = hed_add3(sum, hed_edge(start_of(net, visit), start_of(net, visit + 1)).t);
    }
    return sum;
}

// On which side of its yarn the other one lies: a vector.
static HedVec3 side_at(const HedEolModel* model, const HedNet* net, int32_t visit) {
    const HedNetNode* node = &net->nodes[net->visits[visit].node];
    HedVec3 way[2];
    for (int s = 0; s < 2; ++s) {
        int32_t e = node->visit[s];
        way[s] = way_at(net, &net->yarns[model->yarn_of[e]], e);
    }
    double sign = net->visits[visit].slot == 0 ? -node->sign : node->sign;
    return hed_mul3(sign, hed_cross3(way[0], way[1]));
}

static double other_radius(const HedEolModel* model, const HedNet* net, int32_t visit) {
    const HedNetNode* node = &net->nodes[net->visits[visit].node];
    return model->materials[model->yarn_of[node->visit[1 - net->visits[visit].slot]]].radius;
}

// Whether the piece from a visit to the next one is the first or the last of its yarn.
static bool is_tail(const HedEolModel* model, const HedNet* net, int32_t visit) {
    const HedNetYarn* yarn = &net->yarns[model->yarn_of[visit]];
    return visit == yarn->first || visit + 2 == yarn->first + yarn->count;
}

// The piece from a visit to the next one: between crossings it keeps the room that the crossing
// yarns need, twice as much where one lies before and one behind; in a clasp its length. A crossing
// that slides towards a sample of its yarn, where the material is fixed, stops a radius before it:
// otherwise the piece between them would vanish, and its stiffness have no bound.
static void make_piece(const HedEolModel* model, const HedSlidingDef* def, int32_t visit,
                       HedEolRest* rest) {
    const HedNet* net = def->net;
    double length = net->visits[visit + 1].at - net->visits[visit].at;
    if (net->visits[visit].clasp >= 0) {
        rest->length = length;
        rest->length_stiff = def->clasp_stiffness * def->stretch / length;
        return;
    }
    bool crosses[2];
    for (int k = 0; k < 2; ++k) {
        crosses[k] = net->nodes[net->visits[visit + k].node].sign != 0;
    }
    if (crosses[0] != crosses[1] && !is_tail(model, net, visit)) {
        rest->limit = fmin(other_radius(model, net, visit + crosses[1]), ROOM * length);
        rest->limit_stiff = def->jam_stiffness * def->stretch / net->spacing;
    }
    if (!crosses[0] || !crosses[1]) {
        return;
    }
    HedVec3 here = side_at(model, net, visit);
    HedVec3 there = side_at(model, net, visit + 1);
    double room = other_radius(model, net, visit) + other_radius(model, net, visit + 1);
    room *= hed_dot3(here, there) < 0.0 ? 2.0 : 1.0;
    rest->limit = fmin(room, ROOM * length);
    rest->limit_stiff = def->jam_stiffness * def->stretch / net->spacing;
}

// tau of the four visits from one on (model/eol/kernel_torsion.h).
static double torsion_at(const HedNet* net, int32_t visit) {
    double points[12], row[12];
    HedEolChain chain;
    HedVec3 y[3];
    for (int k = 0; k < 4; ++k) {
        hed_eol_put3(points + 3 * k, start_of(net, visit + k));
    }
    return hed_eol_torsion_strain(points, row, &chain, y);
}

static void make_rest(HedEolModel* model, const HedSlidingDef* def) {
    const HedNet* net = def->net;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        for (int32_t e = yarn->first; e < last; ++e) {
            make_piece(model, def, e, &model->rest[e]);
            if (e > yarn->first) {
                HedEdge a = hed_edge(start_of(net, e - 1), start_of(net, e));
                HedEdge b = hed_edge(start_of(net, e), start_of(net, e + 1));
                model->rest[e].angle = def->set_fraction * hed_corner(a, b).angle;
            }
            if (e + 3 <= last) {
                model->rest[e].torsion = def->set_fraction * torsion_at(net, e);
            }
        }
    }
}

static void make_shear(HedEolModel* model, const HedSlidingDef* def, const int32_t* number) {
    const HedNet* net = def->net;
    double radius = 0.0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        radius += net->yarns[y].radius / net->yarn_count;
    }
    double touch = asin(fmin(1.0, 2.0 * radius / net->spacing));
    model->shear = (HedEolShear){
        .length = net->spacing,
        .stiffness = def->shear,
        .jam_angle = fmax(0.05, 0.5 * PI - touch - def->jam_margin),
        .jam = JAM_SHEAR * def->shear,
    };
    model->shear_damping = def->shear_damping.density + def->shear_damping.time * def->shear;
    for (int32_t n = 0; n < net->node_count; ++n) {
        const HedNetNode* node = &net->nodes[n];
        int32_t i = number[n];
        if (node->sign == 0 || net->visits[node->visit[0]].clasp >= 0 ||
            net->visits[node->visit[0] - 1].clasp >= 0) {
            continue;
        }
        model->is_crossing[i] = HED_EOL_CROSSING | HED_EOL_QUADRANTS;
        for (int k = 0; k < 4; ++k) {
            int32_t a = node->visit[0] + (k / 2 ? 1 : -1);
            int32_t b = node->visit[1] + (k % 2 ? 1 : -1);
            HedEdge to_a = hed_edge(node->position, start_of(net, a));
            HedEdge to_b = hed_edge(node->position, start_of(net, b));
            model->shear_rest[i][k] = hed_corner(to_a, to_b).angle;
        }
    }
}

HedStatus hed_eol_model_create(HedEolModel* model, const HedSlidingDef* def, const int32_t* number,
                               const HedTeam* team, HedError* error) {
    const HedNet* net = def->net;
    *model = (HedEolModel){.team = team,
                           .node_count = net->node_count,
                           .yarn_count = net->yarn_count,
                           .spacing = net->spacing,
                           .has_shear = def->shear > 0.0};
    HedStatus status = HED_OK;
    HED_TRY(hed_yarn_packs_create(&model->bands, net, number, error));
    HED_TRY(allocate(model, net) ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    make_materials(model, def);
    make_rest(model, def);
    if (model->has_shear) {
        make_shear(model, def, number);
    }
    HED_TRY(hed_eol_model_stars(model, def, number, error));
    HED_TRY(hed_eol_model_pairs(model, error));
done:
    if (status != HED_OK) {
        hed_eol_model_free(model);
    }
    return status;
}
