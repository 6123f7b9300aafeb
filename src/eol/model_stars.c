// SPDX-License-Identifier: MIT
// Terms of a few nodes' positions. Curl hinges: two for each node of a lattice of like crossings,
// along courses and along wales, with a turn at rest that is the knit's own (docs/eol.md,
// section 4.4). Wrapping: one for each clasp, how far its two yarns wind around each other (4.3).
#include "base/array.h"
#include "eol/model_create.h"
#include "model/eol/kernel_hinge.h"
#include "model/eol/kernel_torsion.h"

#include <string.h>

static HedEolLocal make_hinge(const HedNetHinge* hinge, const int32_t* number, bool is_across,
                              const HedSlidingDef* def) {
    const int32_t* line = is_across ? hinge->across : hinge->along;
    const int32_t* other = is_across ? hinge->along : hinge->across;
    // Seen along wales the normal points to the other side.
    double turn = is_across ? -def->curl_across : def->curl_along;
    return (HedEolLocal){
        .node = {number[hinge->centre], number[line[0]], number[line[1]], number[other[0]],
                 number[other[1]]},
        .count = 5,
        .stiffness = 2.0 * def->curl_stiffness,
        .rest = hinge->sign * turn,
    };
}

// m, of yarn in a clasp: the mean of its two.
static double length_of(const HedNet* net, const HedNetClasp* clasp) {
    double sum = 0.0;
    for (int s = 0; s < 2; ++s) {
        const HedNetNode* foot = &net->nodes[clasp->foot];
        const HedNetNode* head = &net->nodes[clasp->head];
        sum += 0.5 * fabs(net->visits[head->visit[s]].at - net->visits[foot->visit[s]].at);
    }
    return sum;
}

// tau of a clasp (model/eol/kernel_torsion.h), with its derivatives by the four points.
static double wrap_of(const double q[12], double row[12]) {
    HedEolChain chain;
    HedVec3 y[3];
    return hed_eol_torsion_strain(q, row, &chain, y);
}

static HedEolLocal make_wrap(const HedNetClasp* clasp, const int32_t* number,
                             const HedSlidingDef* def) {
    const HedNet* net = def->net;
    const int32_t nodes[4] = {clasp->outer[0], clasp->foot, clasp->head, clasp->outer[1]};
    double length = length_of(net, clasp);
    HedEolLocal star = {
        .count = 4,
        .stiffness = def->wrap * length,
        .damping = (def->wrap_damping.density + def->wrap_damping.time * def->wrap) * length,
    };
    double q[12], row[12];
    for (int k = 0; k < 4; ++k) {
        star.node[k] = number[nodes[k]];
        hed_eol_put3(q + 3 * k, net->nodes[nodes[k]].position);
    }
    star.rest = isfinite(def->wrap_rest) ? clasp->sign * def->wrap_rest : wrap_of(q, row);
    return star;
}

// Which stars each node belongs to.
static void list_stars(HedEolModel* model) {
    int32_t* first = model->star_first;
    for (int32_t k = 0; k < model->star_count; ++k) {
        for (int e = 0; e < model->stars[k].count; ++e) {
            first[model->stars[k].node[e] + 2] += 1;
        }
    }
    for (int32_t i = 1; i <= model->node_count + 1; ++i) {
        first[i] += first[i - 1];
    }
    for (int32_t k = 0; k < model->star_count; ++k) {
        for (int e = 0; e < model->stars[k].count; ++e) {
            model->star_list[first[model->stars[k].node[e] + 1]++] = 8 * k + e;
        }
    }
}

HedStatus hed_eol_model_stars(HedEolModel* model, const HedSlidingDef* def, const int32_t* number,
                              HedError* error) {
    const HedNet* net = def->net;
    int32_t hinges = def->curl_stiffness > 0.0 ? 2 * net->hinge_count : 0;
    bool wraps = def->wrap > 0.0 || def->wrap_damping.density > 0.0;
    int32_t count = hinges + (wraps ? net->clasp_count : 0);
    if (count == 0) {
        return HED_OK;
    }
    model->stars = HED_NEW_ARRAY(HedEolLocal, count);
    model->star_list = HED_NEW_ARRAY(int32_t, (int64_t)count * 5);
    model->star_energy = HED_NEW_ARRAY(double, (int64_t)count* HED_EOL_SUMS);
    if (!model->stars || !model->star_list || !model->star_energy) {
        return hed_fail_memory(error, "curl hinges and clasps");
    }
    model->star_count = count;
    for (int32_t k = 0; k < count; ++k) {
        model->stars[k] = k < hinges ? make_hinge(&net->hinges[k / 2], number, k % 2 == 1, def)
                                     : make_wrap(&net->clasps[k - hinges], number, def);
        model->has_damping = model->has_damping || model->stars[k].damping > 0.0;
    }
    list_stars(model);
    return HED_OK;
}

static void load_star(const HedEolLocal* star, const double* from, double q[15]) {
    for (int i = 0; i < 3 * star->count; ++i) {
        q[i] = from[(int64_t)HED_NODE_SIZE * star->node[i / 3] + i % 3];
    }
}

// Slope by elasticity and, as the angle's change over the step is what counts, by damping.
static void evaluate_wrap(const HedEolEval* at, HedEolLocal* star, double sums[HED_EOL_SUMS]) {
    double q[15], row[12];
    load_star(star, at->q, q);
    double tau = wrap_of(q, row);
    memcpy(star->direction, row, sizeof row);
    double off = tau - star->rest;
    star->force = star->stiffness * off;
    star->weight = star->stiffness;
    sums[HED_EOL_WRAP] = 0.5 * star->force * off;
    if (at->start && star->damping > 0.0) {
        load_star(star, at->start, q);
        double change = tau - wrap_of(q, row);
        double k = star->damping * at->over;
        star->force += k * change;
        star->weight += k;
        sums[HED_EOL_DAMPING] = 0.5 * k * change * change;
    }
}

static void evaluate_hinge(const HedEolEval* at, HedEolLocal* star, double sums[HED_EOL_SUMS]) {
    double q[15];
    load_star(star, at->q, q);
    HedLattice lattice = hed_lattice(q);
    HedHingeTurn turn = hed_lattice_out(&lattice);
    hed_chain_gradient(&lattice.chain, turn.y, 5, &star->direction[0][0]);
    // Without a surface the turn is unknown.
    double off = lattice.over > 0.0 ? turn.value - star->rest : 0.0;
    star->force = star->stiffness * off;
    star->weight = star->stiffness;
    sums[HED_EOL_CURL] = 0.5 * star->force * off;
}

void hed_eol_evaluate_star(HedEolModel* model, const HedEolEval* at, int32_t k) {
    HedEolLocal* star = &model->stars[k];
    double* sums = model->star_energy + (int64_t)HED_EOL_SUMS * k;
    memset(sums, 0, sizeof *sums * HED_EOL_SUMS);
    if (star->count == 4) {
        evaluate_wrap(at, star, sums);
    } else {
        evaluate_hinge(at, star, sums);
    }
}
