// SPDX-License-Identifier: MIT
#include "model/sheet/curve_term.h"
#include "state/lanes.h"
#include "state/tiles.h"

#include <string.h>

enum { L = HED_LANES };

static HedStatus allocate_groups(HedCurveTerm* term, const HedTiles* tiles, HedError* error) {
    term->first = HED_NEW_ARRAY(int32_t, (int64_t)tiles->range_count + 1);
    term->damping_time = HED_NEW_ARRAY(double, tiles->range_count);
    if (!term->first || !term->damping_time) {
        return hed_fail_memory(error, "bending elements");
    }
    for (int32_t r = 0; r < tiles->range_count; ++r) {
        int32_t count = tiles->first[r + 1] - tiles->first[r];
        term->first[r + 1] = term->first[r] + hed_lane_groups(count);
    }
    term->group = HED_NEW_ARRAY(HedCurveGroup, term->first[tiles->range_count]);
    return term->group ? HED_OK : hed_fail_memory(error, "bending elements");
}

static void fill_groups(HedCurveTerm* term, HedRanges ranges, const HedTiles* tiles) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t o = L * term->first[r];
        for (int32_t k = tiles->first[r]; k < tiles->first[r + 1]; ++k, ++o) {
            const HedBend* curve = &term->list.data[tiles->element[k]];
            HedCurveGroup* group = &term->group[o / L];
            for (int m = 0; m < 3; ++m) {
                group->point[m][o % L] = curve->point[m];
            }
            group->inverse0[o % L] = curve->rest.inverse0;
            group->inverse1[o % L] = curve->rest.inverse1;
            group->turn[o % L] = curve->rest.turn;
            group->stiffness[o % L] = curve->rest.stiffness;
        }
        for (; o < L * term->first[r + 1]; ++o) {
            for (int m = 0; m < 3; ++m) {
                term->group[o / L].point[m][o % L] = ranges.first[r];
            }
        }
    }
}

HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, const double* damping_time,
                                 HedError* error) {
    HedStatus status = HED_OK;
    HedTiles tiles = {0};
    int32_t count = term->list.count;
    int32_t* stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    if (!stencil) {
        return hed_fail_memory(error, "bending elements");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(stencil + 3 * (int64_t)k, term->list.data[k].point, 3 * sizeof(int32_t));
    }
    HED_TRY(hed_tiles_create(&tiles, ranges, (HedStencils){stencil, 3, count}, error));
    HED_TRY(allocate_groups(term, &tiles, error));
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    fill_groups(term, ranges, &tiles);
done:
    hed_free(stencil);
    hed_tiles_free(&tiles);
    return status;
}

void hed_curve_term_free(HedCurveTerm* term) {
    hed_free(term->list.data);
    hed_free(term->first);
    hed_free(term->group);
    hed_free(term->damping_time);
    *term = (HedCurveTerm){0};
}

static inline HedCurveRest rest_of(const HedCurveGroup* group, int l, double beta) {
    double k = group->stiffness[l];
    return (HedCurveRest){group->inverse0[l], group->inverse1[l], group->turn[l], k, beta * k};
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
    for (int32_t g = term->first[range]; g < term->first[range + 1]; ++g) {
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

// Adds the block h, spread by the weights of the three points of element l.
static void add_blocks(HedMatrix* matrix, int32_t range, const HedCurveGroup* group, int l,
                       const HedMat3* h) {
    HedTile tile = hed_tile(matrix->ranges, range);
    HedVec3 weights = hed_curve_weights(rest_of(group, l, 0.0));
    const double w[3] = {weights.x, weights.y, weights.z};
    for (int m = 0; m < 3; ++m) {
        int32_t i = group->point[m][l];
        if (hed_tile_owns(tile, i)) {
            HedMat3 own = hed_mat3_scale(w[m] * w[m], *h);
            matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], own);
        }
        for (int n = m + 1; n < 3; ++n) {
            HedMat3 pair = hed_mat3_scale(w[m] * w[n], *h);
            hed_matrix_add(matrix, range, i, group->point[n][l], &pair);
        }
    }
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedCurveTerm* term = self;
    double beta = term->damping_time[range];
    for (int32_t o = L * term->first[range]; o < L * term->first[range + 1]; ++o) {
        const HedCurveGroup* group = &term->group[o / L];
        HedCurveRest rest = rest_of(group, o % L, beta);
        if (rest.stiffness == 0.0) {
            continue; // padding
        }
        HedRadial r = hed_curve_step_eval(line_of(group, at->x, o % L),
                                          line_of(group, at->start, o % L), rest, at->over);
        double along = scale.stiffness * r.along + scale.damping * rest.damping;
        double tension = scale.stiffness * (r.across + r.rate_across);
        double across = scale.is_exact ? tension : fmax(tension, 0.0);
        HedMat3 h = hed_radial_block(r.t, along, across);
        add_blocks(matrix, range, group, o % L, &h);
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->first[range]; o < L * term->first[range + 1]; ++o) {
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
    };
}
