// SPDX-License-Identifier: MIT
// Curl hinges: two for each node of a lattice of like crossings, along courses and along wales,
// with a turn at rest that is the knit's own (eol-model 4.6).
#include "base/array.h"
#include "model/eol/kernel_hinge.h"
#include "slide/model_create.h"

#include <string.h>

static HedNetStar make_star(const HedNetHinge* hinge, const int32_t* number, bool is_across,
                            const HedSlidingDef* def) {
    const int32_t* line = is_across ? hinge->across : hinge->along;
    const int32_t* other = is_across ? hinge->along : hinge->across;
    // Seen along wales the normal points to the other side.
    double turn = is_across ? -def->curl_across : def->curl_along;
    return (HedNetStar){
        .node = {number[hinge->centre], number[line[0]], number[line[1]], number[other[0]],
                 number[other[1]]},
        .stiffness = 2.0 * def->curl_stiffness,
        .rest = hinge->sign * turn,
    };
}

HedStatus hed_net_model_stars(HedNetModel* model, const HedSlidingDef* def, const int32_t* number,
                              HedError* error) {
    const HedNet* net = def->net;
    if (def->curl_stiffness <= 0.0 || net->hinge_count == 0) {
        return HED_OK;
    }
    int32_t count = 2 * net->hinge_count;
    model->stars = HED_NEW_ARRAY(HedNetStar, count);
    model->star_list = HED_NEW_ARRAY(int32_t, (int64_t)count * 5);
    model->star_energy = HED_NEW_ARRAY(double, (int64_t)count* HED_NET_SUMS);
    if (!model->stars || !model->star_list || !model->star_energy) {
        return hed_fail_memory(error, "curl hinges");
    }
    model->star_count = count;
    int32_t* first = model->star_first;
    for (int32_t k = 0; k < count; ++k) {
        model->stars[k] = make_star(&net->hinges[k / 2], number, k % 2 == 1, def);
        for (int e = 0; e < 5; ++e) {
            first[model->stars[k].node[e] + 2] += 1;
        }
    }
    for (int32_t i = 1; i <= model->node_count + 1; ++i) {
        first[i] += first[i - 1];
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int e = 0; e < 5; ++e) {
            model->star_list[first[model->stars[k].node[e] + 1]++] = 8 * k + e;
        }
    }
    return HED_OK;
}

void hed_net_evaluate_star(HedNetModel* model, const HedNetEval* at, int32_t k) {
    HedNetStar* star = &model->stars[k];
    double q[15];
    for (int i = 0; i < 15; ++i) {
        q[i] = at->q[(int64_t)HED_NODE_SIZE * star->node[i / 3] + i % 3];
    }
    HedLattice lattice = hed_lattice(q);
    HedTurn turn = hed_lattice_out(&lattice);
    hed_chain_gradient(&lattice.chain, turn.y, 5, &star->direction[0][0]);
    // Without a surface the turn is unknown.
    double off = lattice.over > 0.0 ? turn.value - star->rest : 0.0;
    star->force = star->stiffness * off;
    double* sums = model->star_energy + (int64_t)HED_NET_SUMS * k;
    memset(sums, 0, sizeof *sums * HED_NET_SUMS);
    sums[HED_NET_CURL] = 0.5 * star->force * off;
}
