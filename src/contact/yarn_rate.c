// SPDX-License-Identifier: MIT
// Bounds for the size of explicit steps.
#include "contact/yarn_pairs_evaluate.h"

void hed_yarn_add_friction_bound(const HedYarnContact* y, const HedYarnPairsEval* eval,
                                 const HedContactFrame* frame, double* const out[2]) {
    double limit = y->def.friction * frame->push;
    bool sticks = y->def.friction_law == HED_YARN_STICTION;
    HedWide lever[2] = {hed_yarn_levers(y, frame, 0), hed_yarn_levers(y, frame, 1)};
    // hed_yarn_take_rate multiplies by 2 reach_most; here the row's sum is known.
    double all = 0.5 * limit * (hed_wide_sum(lever[0]) + hed_wide_sum(lever[1])) / y->reach_most;
    double stiffness = sticks ? all / frame->give : 0.0;
    double damping = sticks ? all * eval->at.ahead / frame->give : all / y->def.slip_speed;
    for (int side = 0; side < 2; ++side) {
        double* to = out[side];
        hed_wide_store(to, hed_wide_load(to) + stiffness * lever[side]);
        hed_wide_store(to + 4, hed_wide_load(to + 4) + damping * lever[side]);
    }
}

static void gather_segment(const HedYarnContact* y, int32_t j) {
    const HedYarnList* list = &y->list;
    double* own = y->own_bound + (int64_t)HED_YARN_LIMIT * j;
    for (int32_t k = list->in_first[j]; k < list->in_first[j + 1]; ++k) {
        int32_t at = list->limit[list->in_pair[k]];
        for (int c = 0; c < HED_YARN_LIMIT && at >= 0; ++c) {
            own[c] += list->bounds[(int64_t)HED_YARN_LIMIT * at + c];
        }
    }
}

// The most of any point of a strip. Gershgorin: each row adds up to at most reach_most times what
// it has on either side.
static HedYarnRate rate_strip(const HedYarnContact* y, HedYarnBound bound, int32_t strip) {
    HedYarnRate most = {0.0, 0.0};
    int32_t end = hed_min_i32(y->def.point_count, (strip + 1) * HED_YARN_STRIP);
    for (int32_t i = strip * HED_YARN_STRIP; i < end; ++i) {
        HedVec3 row = {0.0, 0.0, 0.0};
        for (int32_t k = y->point_first[i]; k < y->point_first[i + 1]; ++k) {
            const double* own = y->own_bound + (int64_t)HED_YARN_LIMIT * (y->point_use[k] / 4);
            row.x += own[y->point_use[k] % 4];
            row.y += own[4 + y->point_use[k] % 4];
        }
        row = hed_mul3(2.0 * y->reach_most, row);
        if (bound.rows) {
            bound.rows[i] = row;
        }
        if (bound.mass && bound.mass[i] > 0.0) {
            most.stiffness = fmax(most.stiffness, row.x / bound.mass[i]);
            most.damping = fmax(most.damping, row.y / bound.mass[i]);
        }
    }
    return most;
}

HedYarnRate hed_yarn_take_rate(HedYarnContact* y, HedYarnBound bound) {
    int32_t strips = (y->def.point_count + HED_YARN_STRIP - 1) / HED_YARN_STRIP;
    HedYarnRate most = {0.0, 0.0};
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(60) * y->def.segment_count))
    for (int32_t j = 0; j < y->def.segment_count; ++j) {
        gather_segment(y, j);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(20) * y->def.segment_count))
    for (int32_t strip = 0; strip < strips; ++strip) {
        y->rated[strip] = rate_strip(y, bound, strip);
    }
    for (int32_t strip = 0; strip < strips; ++strip) {
        most.stiffness = fmax(most.stiffness, y->rated[strip].stiffness);
        most.damping = fmax(most.damping, y->rated[strip].damping);
    }
    return most;
}

HedYarnRate hed_yarn_rate(HedYarnContact* contact, HedYarnState at, HedYarnBound bound) {
    HedYarnContact* y = contact;
    bool rubs = y->def.friction_law != HED_YARN_NO_FRICTION && y->def.friction > 0.0;
    HedYarnPairsEval eval = {{.is_rubbing = rubs, .is_rated = true}, at, bound.part};
    hed_yarn_pairs_evaluate(y, &eval);
    return hed_yarn_take_rate(y, bound);
}
