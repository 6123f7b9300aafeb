// SPDX-License-Identifier: MIT
#include "model/sheet/curve_term.h"

HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, HedError* error) {
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
    HedStatus status =
        hed_tiles_create(&term->tiles, ranges, (HedStencils){stencil, 3, count}, error);
    hed_free(stencil);
    return status;
}

void hed_curve_term_free(HedCurveTerm* term) {
    hed_free(term->list.data);
    hed_tiles_free(&term->tiles);
    *term = (HedCurveTerm){0};
}

static HedRadial evaluate(const HedCurve* curve, const HedEval* at) {
    HedVec3 x[3];
    HedVec3 v[3];
    for (int m = 0; m < 3; ++m) {
        x[m] = at->x[curve->point[m]];
        v[m] = at->v[curve->point[m]];
    }
    return hed_curve_eval(x, v, curve->rest);
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedCurveTerm* term = self;
    int32_t first = at->ranges.first[range];
    int32_t count = at->ranges.first[range + 1] - first;
    HedPower power = {0};
    for (int32_t k = term->tiles.first[range]; k < term->tiles.first[range + 1]; ++k) {
        const HedCurve* curve = &term->list.data[term->tiles.element[k]];
        HedRadial r = evaluate(curve, at);
        HedVec3 pull = hed_add3(r.gradient, r.rate_gradient);
        HedVec3 weights = hed_curve_weights(curve->rest);
        const double w[3] = {weights.x, weights.y, weights.z};
        for (int m = 0; m < 3; ++m) {
            HedVec3* f = &force[hed_local_index(curve->point[m], first, count)];
            *f = hed_madd3(*f, -w[m], pull);
        }
        if (hed_local_index(curve->point[0], first, count) < count) {
            power.dissipated += 2.0 * r.dissipation;
        }
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedCurveTerm* term = self;
    int32_t first = at->ranges.first[range];
    int32_t count = at->ranges.first[range + 1] - first;
    for (int32_t k = term->tiles.first[range]; k < term->tiles.first[range + 1]; ++k) {
        const HedCurve* curve = &term->list.data[term->tiles.element[k]];
        HedRadial r = evaluate(curve, at);
        double along = scale.stiffness * r.along + scale.damping * curve->rest.damping;
        double tension = scale.stiffness * (r.across + r.rate_across);
        double across = scale.is_exact ? tension : fmax(tension, 0.0);
        HedMat3 h = hed_radial_block(r.t, along, across);
        HedVec3 weights = hed_curve_weights(curve->rest);
        const double w[3] = {weights.x, weights.y, weights.z};
        for (int m = 0; m < 3; ++m) {
            int32_t i = curve->point[m];
            if (hed_local_index(i, first, count) < count) {
                HedMat3 own = hed_mat3_scale(w[m] * w[m], h);
                matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], own);
            }
            for (int n = m + 1; n < 3; ++n) {
                HedMat3 pair = hed_mat3_scale(w[m] * w[n], h);
                hed_matrix_add(matrix, range, i, curve->point[n], &pair);
            }
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedCurveTerm* term = self;
    int32_t first = at->ranges.first[range];
    int32_t count = at->ranges.first[range + 1] - first;
    for (int32_t k = term->tiles.first[range]; k < term->tiles.first[range + 1]; ++k) {
        const HedCurve* curve = &term->list.data[term->tiles.element[k]];
        if (hed_local_index(curve->point[0], first, count) < count) {
            energy[0] += evaluate(curve, at).energy;
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
