// SPDX-License-Identifier: MIT
#include "model/sheet/curve_term.h"
#include "state/lanes.h"
#include "state/tiles.h"

enum { L = HED_LANES };

static HedStatus allocate_lanes(HedCurveTerm* term, const HedTiles* tiles, HedError* error) {
    term->first = HED_NEW_ARRAY(int32_t, (int64_t)tiles->range_count + 1);
    if (!term->first) {
        return hed_fail_memory(error, "bending elements");
    }
    for (int32_t r = 0; r < tiles->range_count; ++r) {
        int32_t count = tiles->first[r + 1] - tiles->first[r];
        term->first[r + 1] = term->first[r] + hed_lanes_padded(count);
    }
    int32_t total = term->first[tiles->range_count];
    bool ok = true;
    for (int m = 0; m < 3; ++m) {
        term->point[m] = HED_NEW_ARRAY(int32_t, total);
        ok = ok && term->point[m];
    }
    double** const numbers[] = {&term->inverse[0], &term->inverse[1], &term->turn, &term->stiffness,
                                &term->damping};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        *numbers[k] = HED_NEW_ARRAY(double, total);
        ok = ok && *numbers[k];
    }
    return ok ? HED_OK : hed_fail_memory(error, "bending elements");
}

static void fill_lanes(HedCurveTerm* term, HedRanges ranges, const HedTiles* tiles) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t o = term->first[r];
        for (int32_t k = tiles->first[r]; k < tiles->first[r + 1]; ++k, ++o) {
            const HedCurve* curve = &term->list.data[tiles->element[k]];
            for (int m = 0; m < 3; ++m) {
                term->point[m][o] = curve->point[m];
            }
            term->inverse[0][o] = curve->rest.inverse0;
            term->inverse[1][o] = curve->rest.inverse1;
            term->turn[o] = curve->rest.turn;
            term->stiffness[o] = curve->rest.stiffness;
            term->damping[o] = curve->rest.damping;
        }
        for (; o < term->first[r + 1]; ++o) {
            for (int m = 0; m < 3; ++m) {
                term->point[m][o] = ranges.first[r];
            }
        }
    }
}

HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, HedError* error) {
    HedStatus status = HED_OK;
    HedTiles tiles = {0};
    int32_t count = term->list.count;
    int32_t* stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    if (!stencil) {
        return hed_fail_memory(error, "bending elements");
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int32_t m = 0; m < 3; ++m) {
            stencil[3 * k + m] = term->list.data[k].point[m];
        }
    }
    HED_TRY(hed_tiles_create(&tiles, ranges, (HedStencils){stencil, 3, count}, error));
    HED_TRY(allocate_lanes(term, &tiles, error));
    fill_lanes(term, ranges, &tiles);
done:
    hed_free(stencil);
    hed_tiles_free(&tiles);
    return status;
}

void hed_curve_term_free(HedCurveTerm* term) {
    hed_free(term->list.data);
    hed_free(term->first);
    for (int m = 0; m < 3; ++m) {
        hed_free(term->point[m]);
    }
    hed_free(term->inverse[0]);
    hed_free(term->inverse[1]);
    hed_free(term->turn);
    hed_free(term->stiffness);
    hed_free(term->damping);
    *term = (HedCurveTerm){0};
}

static inline HedCurveRest rest_of(const HedCurveTerm* term, int32_t o) {
    return (HedCurveRest){term->inverse[0][o], term->inverse[1][o], term->turn[o],
                          term->stiffness[o], term->damping[o]};
}

static inline HedCurveLine line_of(const HedCurveTerm* term, const HedVec3* from, int32_t o) {
    return (HedCurveLine){from[term->point[0][o]], from[term->point[1][o]],
                          from[term->point[2][o]]};
}

static inline HedCurveLine lane_of(const HedLanes3 lanes[3], int l) {
    return (HedCurveLine){hed_lane(&lanes[0], l), hed_lane(&lanes[1], l), hed_lane(&lanes[2], l)};
}

// Gradients of eight elements with respect to their turns; returns the power of damping in own
// ones.
static inline double evaluate_lanes(const HedCurveTerm* term, const HedEval* at, int32_t o,
                                    HedTile tile, HedLanes3* pull) {
    HedLanes3 x[3], v[3];
    for (int m = 0; m < 3; ++m) {
        hed_lanes_gather(at->x, term->point[m] + o, &x[m]);
        hed_lanes_gather(at->v, term->point[m] + o, &v[m]);
    }
    double power[L];
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        HedRadial r = hed_curve_eval(lane_of(x, l), lane_of(v, l), rest_of(term, o + l));
        pull->x[l] = r.gradient.x + r.rate_gradient.x;
        pull->y[l] = r.gradient.y + r.rate_gradient.y;
        pull->z[l] = r.gradient.z + r.rate_gradient.z;
        power[l] = hed_tile_owns(tile, term->point[0][o + l]) ? 2.0 * r.dissipation : 0.0;
    }
    double sum = 0.0;
    for (int l = 0; l < L; ++l) {
        sum += power[l];
    }
    return sum;
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t o = term->first[range]; o < term->first[range + 1]; o += L) {
        HedLanes3 pull;
        power.dissipated += evaluate_lanes(term, at, o, tile, &pull);
        for (int l = 0; l < L; ++l) {
            HedVec3 weights = hed_curve_weights(rest_of(term, o + l));
            const double w[3] = {weights.x, weights.y, weights.z};
            for (int m = 0; m < 3; ++m) {
                HedVec3* f = &force[hed_local_index(term->point[m][o + l], tile.first, tile.count)];
                *f = hed_madd3(*f, -w[m], hed_lane(&pull, l));
            }
        }
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = term->first[range]; o < term->first[range + 1]; ++o) {
        HedCurveRest rest = rest_of(term, o);
        if (rest.stiffness == 0.0) {
            continue; // padding
        }
        HedRadial r = hed_curve_eval(line_of(term, at->x, o), line_of(term, at->v, o), rest);
        double along = scale.stiffness * r.along + scale.damping * rest.damping;
        double tension = scale.stiffness * (r.across + r.rate_across);
        double across = scale.is_exact ? tension : fmax(tension, 0.0);
        HedMat3 h = hed_radial_block(r.t, along, across);
        HedVec3 weights = hed_curve_weights(rest);
        const double w[3] = {weights.x, weights.y, weights.z};
        for (int m = 0; m < 3; ++m) {
            int32_t i = term->point[m][o];
            if (hed_tile_owns(tile, i)) {
                HedMat3 own = hed_mat3_scale(w[m] * w[m], h);
                matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], own);
            }
            for (int n = m + 1; n < 3; ++n) {
                HedMat3 pair = hed_mat3_scale(w[m] * w[n], h);
                hed_matrix_add(matrix, range, i, term->point[n][o], &pair);
            }
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedCurveTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = term->first[range]; o < term->first[range + 1]; ++o) {
        if (hed_tile_owns(tile, term->point[0][o])) {
            HedCurveLine x = line_of(term, at->x, o);
            energy[0] += hed_curve_eval(x, x, rest_of(term, o)).energy;
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
