// SPDX-License-Identifier: MIT
// What material that runs through nodes does to them: the terms of Lagrange's equations that are
// quadratic in the rates (docs/eol.md, section 1.4). A step takes them as they are at its start.
#include "eol/model.h"
#include "model/eol/kernel_mass.h"

#include <string.h>

// Position and coordinate, or their rates, of a place and of the next one.
static void load(const HedYarnPacks* bands, int32_t place, const double* from, double out[8]) {
    for (int k = 0; k < 2; ++k, place += HED_YARN_PACK) {
        const double* at = from + (int64_t)HED_NODE_SIZE * bands->node[place];
        memcpy(out + 4 * k, at, 3 * sizeof *out);
        out[4 * k + 3] = at[3 + bands->slot[place]];
    }
}

// What the pieces on both sides of a visit give to its node.
static void add_flow(const HedEolModel* model, HedEolRates at, int32_t place, int slot,
                     double* flow) {
    const HedYarnPacks* bands = &model->bands;
    for (int side = 0; side < 2; ++side) {
        int32_t from = place - (side ? 0 : HED_YARN_PACK);
        if (place >= bands->step_count * HED_YARN_PACK ||
            !(bands->kind[from] & HED_PLACE_SEGMENT) || bands->visit[from] < 0) {
            continue;
        }
        double q[8], rate[8], c[8];
        load(bands, from, at.q, q);
        load(bands, from, at.rate, rate);
        hed_eol_convective(q, rate, model->materials[model->yarn_of[bands->visit[from]]].density,
                           c);
        const double* own = c + (side ? 0 : 4);
        for (int k = 0; k < 4; ++k) {
            flow[k < 3 ? k : 3 + slot] += own[k];
        }
    }
}

void hed_eol_find_flow(const HedEolModel* model, HedEolRates at, double* flow) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(model->team, INT64_C(100) * model->node_count))
    for (int32_t i = 0; i < model->node_count; ++i) {
        double* own = flow + (int64_t)HED_NODE_SIZE * i;
        memset(own, 0, sizeof *own * HED_NODE_SIZE);
        for (int s = 0; s < 2; ++s) {
            add_flow(model, at, model->bands.place[i][s], s, own);
        }
    }
}
