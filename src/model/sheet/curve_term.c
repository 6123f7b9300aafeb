// SPDX-License-Identifier: MIT
#include "model/sheet/curve_term.h"
#include "state/lanes.h"

#include <string.h>

enum { L = HED_LANES };

static void fill_groups(HedCurveTerm* term, HedRanges ranges) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = L * term->groups.first[r]; o < L * term->groups.first[r + 1]; ++o) {
            HedCurveGroup* group = &term->group[o / L];
            int32_t e = term->groups.element[o];
            for (int m = 0; m < 3; ++m) {
                group->point[m][o % L] = e < 0 ? ranges.first[r] : term->list.data[e].point[m];
            }
            if (e >= 0) {
                const HedCurveRest* rest = &term->list.data[e].rest;
                group->inverse0[o % L] = rest->inverse0;
                group->inverse1[o % L] = rest->inverse1;
                group->turn[o % L] = rest->turn;
                group->stiffness[o % L] = rest->stiffness;
                double viscous = term->list.data[e].viscous;
                group->viscous[o % L] = viscous > 0.0 ? viscous : rest->stiffness;
            }
        }
    }
}

static HedStencils stencils_of(const HedCurveTerm* term) {
    return (HedStencils){term->stencil, 3, term->list.count};
}

HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, const double* damping_time,
                                 HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = term->list.count;
    term->stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    if (!term->stencil) {
        return hed_fail_memory(error, "bending elements");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(term->stencil + 3 * (int64_t)k, term->list.data[k].point, 3 * sizeof(int32_t));
    }
    HED_TRY(hed_groups_create(&term->groups, ranges, stencils_of(term), error));
    term->damping_time = HED_NEW_ARRAY(double, ranges.count);
    term->group = HED_NEW_ARRAY(HedCurveGroup, term->groups.count);
    if (!term->damping_time || !term->group) {
        return hed_fail_memory(error, "bending elements");
    }
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    fill_groups(term, ranges);
done:
    return status;
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedCurveTerm* term = self;
    return hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix, &term->slot, error);
}

void hed_curve_term_free(HedCurveTerm* term) {
    hed_free(term->list.data);
    hed_groups_free(&term->groups);
    hed_free(term->stencil);
    hed_free(term->slot);
    hed_free(term->group);
    hed_free(term->damping_time);
    *term = (HedCurveTerm){0};
}

static inline HedCurveRest rest_of(const HedCurveGroup* group, int l, double beta) {
    return (HedCurveRest){group->inverse0[l], group->inverse1[l], group->turn[l],
                          group->stiffness[l], beta * group->viscous[l]};
}

static inline HedCurveLine line_of(const HedCurveGroup* group, const HedVec3* from, int l) {
    return (HedCurveLine){from[group->point[0][l]], from[group->point[1][l]],
                          from[group->point[2][l]]};
}

static inline HedCurveLine lane_of(const HedLanes3 lanes[3], int l) {
    return (HedCurveLine){hed_lane(&lanes[0], l), hed_lane(&lanes[1], l), hed_lane(&lanes[2], l)};
}

// Gradients of eight elements with respect to their turns; returns the power of damping in own
// ones.
HED_ALWAYS_INLINE double evaluate_group(const HedCurveGroup* group, const HedEval* at, HedTile tile,
                                        double beta, bool by_step, HedLanes3* pull) {
    HedLanes3 x[3], rate[3] = {0};
    for (int m = 0; m < 3; ++m) {
        hed_lanes_gather(at->x, group->point[m], &x[m]);
        if (beta > 0.0) {
            hed_lanes_gather(by_step ? at->start : at->v, group->point[m], &rate[m]);
        }
    }
    double power[L];
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        HedCurveRest rest = rest_of(group, l, beta);
        HedRadial r = by_step ? hed_curve_step_eval(lane_of(x, l), lane_of(rate, l), rest, at->over)
                              : hed_curve_eval(lane_of(x, l), lane_of(rate, l), rest);
        pull->x[l] = r.gradient.x + r.rate_gradient.x;
        pull->y[l] = r.gradient.y + r.rate_gradient.y;
        pull->z[l] = r.gradient.z + r.rate_gradient.z;
        power[l] = hed_tile_owns(tile, group->point[0][l]) ? 2.0 * r.dissipation : 0.0;
    }
    return hed_lanes_sum(power);
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    HedPower power = {0};
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        const HedCurveGroup* group = &term->group[g];
        HedLanes3 pull;
        power.dissipated += at->start ? evaluate_group(group, at, tile, beta, true, &pull)
                                      : evaluate_group(group, at, tile, beta, false, &pull);
        for (int l = 0; l < L; ++l) {
            HedVec3 weights = hed_curve_weights(rest_of(group, l, beta));
            const double w[3] = {weights.x, weights.y, weights.z};
            for (int m = 0; m < 3; ++m) {
                HedVec3* f = &force[hed_local_index(group->point[m][l], tile.first, tile.count)];
                *f = hed_madd3(*f, -w[m], hed_lane(&pull, l));
            }
        }
    }
    return power;
}

// Adds the block h, spread by the weights of the three points of lane o.
static void add_blocks(const HedCurveTerm* term, HedTile tile, int32_t o, const HedMat3* h,
                       HedMatrix* matrix) {
    const HedCurveGroup* group = &term->group[o / L];
    HedVec3 weights = hed_curve_weights(rest_of(group, o % L, 0.0));
    const double w[3] = {weights.x, weights.y, weights.z};
    for (int n = 0; n < 3; ++n) {
        int32_t i = group->point[n][o % L];
        if (hed_tile_owns(tile, i)) {
            HedMat3 own = hed_mat3_scale(w[n] * w[n], *h);
            matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], own);
        }
        for (int m = 0; m < n; ++m) {
            HedMat3 pair = hed_mat3_scale(w[m] * w[n], *h);
            hed_slot_add(matrix, term->slot[3 * (int64_t)o + hed_pair_index(m, n)], &pair);
        }
    }
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedCurveGroup* group = &term->group[o / L];
        HedCurveRest rest = rest_of(group, o % L, beta);
        if (term->groups.element[o] < 0) {
            continue; // padding
        }
        HedCurveLine x = line_of(group, at->x, o % L);
        HedRadial r = at->start
                          ? hed_curve_step_eval(x, line_of(group, at->start, o % L), rest, at->over)
                          : hed_curve_eval(x, line_of(group, at->v, o % L), rest);
        double along = scale.stiffness * r.along + scale.damping * rest.damping;
        double tension = scale.stiffness * (r.across + r.rate_across);
        double across = scale.is_exact ? tension : fmax(tension, 0.0);
        HedMat3 h = hed_radial_block(r.t, along, across);
        add_blocks(term, tile, o, &h, matrix);
    }
}

static void add_product(const void* self, const HedEval* at, int32_t range, HedStiffness by,
                        HedVec3* product) {
    const HedVec3* d = by.d;
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedCurveGroup* group = &term->group[o / L];
        HedCurveRest rest = rest_of(group, o % L, 0.0);
        HedCurveLine change = line_of(group, d, o % L);
        HedRadial r = hed_curve_eval(line_of(group, at->x, o % L), change, rest);
        HedVec3 pull = hed_radial_product(
            &r, hed_curve_turn(change.a, change.middle, change.c, rest), by.is_exact);
        HedVec3 weights = hed_curve_weights(rest);
        const double w[3] = {weights.x, weights.y, weights.z};
        for (int m = 0; m < 3; ++m) {
            HedVec3* p = &product[hed_local_index(group->point[m][o % L], tile.first, tile.count)];
            *p = hed_madd3(*p, w[m], pull);
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedCurveGroup* group = &term->group[o / L];
        if (hed_tile_owns(tile, group->point[0][o % L])) {
            HedCurveLine x = line_of(group, at->x, o % L);
            energy[0] += hed_curve_eval(x, x, rest_of(group, o % L, 0.0)).energy;
        }
    }
}

HedTerm hed_curve_term(HedCurveTerm* term) {
    return (HedTerm){
        .column = {"bend"},
        .self = term,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .add_product = add_product,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
