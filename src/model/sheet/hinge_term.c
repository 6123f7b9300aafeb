// SPDX-License-Identifier: MIT
#include "model/sheet/hinge_term.h"
#include "base/alloc.h"
#include "state/lanes.h"

#include <string.h>

enum { L = HED_LANES };

static HedStencils stencils_of(const HedFoldTerm* term) {
    return (HedStencils){term->stencil, 4, term->list.count};
}

HedStatus hed_fold_term_prepare(HedFoldTerm* term, HedRanges ranges, const double* damping_time,
                                HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = term->list.count;
    term->stencil = HED_NEW_ARRAY(int32_t, 4 * (int64_t)count);
    term->damping_time = HED_NEW_ARRAY(double, ranges.count);
    if (!term->stencil || !term->damping_time) {
        return hed_fail_memory(error, "folds");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(term->stencil + 4 * (int64_t)k, term->list.data[k].point, 4 * sizeof(int32_t));
    }
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    HED_TRY(hed_groups_create(&term->groups, ranges, stencils_of(term), error));
done:
    return status;
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedFoldTerm* term = self;
    term->slot = hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix);
    return term->slot ? HED_OK : hed_fail_memory(error, "folds");
}

void hed_fold_term_free(HedFoldTerm* term) {
    hed_free(term->list.data);
    hed_groups_free(&term->groups);
    hed_free(term->stencil);
    hed_free(term->damping_time);
    hed_free(term->slot);
    *term = (HedFoldTerm){0};
}

static inline HedHingePoints points_of(const HedFold* fold, const HedVec3* from) {
    return (HedHingePoints){
        {from[fold->point[0]], from[fold->point[1]], from[fold->point[2]], from[fold->point[3]]}};
}

// Rate of change of the angle: since the start of the step, or by velocities.
static double rate_of(const HedFold* fold, const HedEval* at, const HedHingeAngle* hinge) {
    if (at->start) {
        HedHingeParts before = hed_hinge_parts(points_of(fold, at->start));
        return at->over * hed_hinge_turn(hinge->angle, hed_hinge_angle(&before));
    }
    double rate = 0.0;
    for (int m = 0; m < 4; ++m) {
        rate += hed_dot3(hinge->gradient[m], at->v[fold->point[m]]);
    }
    return rate;
}

// The moment about the edge, elastic and damped; the power of damping, W.
static double moment_of(const HedFold* fold, const HedEval* at, const HedHingeAngle* hinge,
                        double beta, double* power) {
    double rate = beta > 0.0 ? rate_of(fold, at, hinge) : 0.0;
    *power = beta * fold->stiffness * rate * rate;
    return fold->stiffness * (hed_hinge_turn(hinge->angle, fold->angle) + beta * rate);
}

static HedPower hinge_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e < 0) {
            break; // padding ends a range
        }
        const HedFold* fold = &term->list.data[e];
        HedHingeAngle hinge = hed_hinge_eval(points_of(fold, at->x));
        double taken = 0.0;
        double moment = moment_of(fold, at, &hinge, term->damping_time[range], &taken);
        for (int m = 0; m < 4; ++m) {
            HedVec3* f = &force[hed_local_index(fold->point[m], tile.first, tile.count)];
            *f = hed_madd3(*f, -moment, hinge.gradient[m]);
        }
        power.dissipated += hed_tile_owns(tile, fold->point[0]) ? taken : 0.0;
    }
    return power;
}

// stiffness grad grad' + moment * second derivative, if that is given.
static void add_fold(const HedFoldTerm* term, HedTile tile, int32_t o, const HedMat3 block[4][4],
                     HedMatrix* matrix) {
    const HedFold* fold = &term->list.data[term->groups.element[o]];
    for (int n = 0; n < 4; ++n) {
        int32_t i = fold->point[n];
        if (hed_tile_owns(tile, i)) {
            matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], block[n][n]);
        }
        for (int m = 0; m < n; ++m) {
            hed_slot_add(matrix, term->slot[6 * (int64_t)o + hed_pair_index(m, n)], &block[m][n]);
        }
    }
}

static void hinge_blocks(const HedFold* fold, const HedEval* at, double beta, HedMatrixScale scale,
                         HedMat3 block[4][4]) {
    HedHingeParts parts = hed_hinge_parts(points_of(fold, at->x));
    HedHingeAngle hinge = hed_hinge_from(&parts);
    double along = fold->stiffness * (scale.stiffness + scale.damping * beta);
    double taken = 0.0;
    double moment = scale.stiffness * moment_of(fold, at, &hinge, beta, &taken);
    if (scale.is_exact) {
        hed_hinge_hessian(&parts, block);
    }
    for (int m = 0; m < 4; ++m) {
        for (int n = m; n < 4; ++n) {
            HedVec3 scaled = hed_mul3(along, hinge.gradient[m]);
            HedMat3 first = hed_mat3_outer(scaled, hinge.gradient[n]);
            block[m][n] =
                scale.is_exact ? hed_mat3_add(first, hed_mat3_scale(moment, block[m][n])) : first;
        }
    }
}

static void hinge_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                         HedMatrix* matrix) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e < 0) {
            break;
        }
        HedMat3 block[4][4];
        hinge_blocks(&term->list.data[e], at, term->damping_time[range], scale, block);
        add_fold(term, tile, o, (const HedMat3(*)[4])block, matrix);
    }
}

static void hinge_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e >= 0 && hed_tile_owns(tile, term->list.data[e].point[0])) {
            const HedFold* fold = &term->list.data[e];
            HedHingeParts parts = hed_hinge_parts(points_of(fold, at->x));
            double off = hed_hinge_turn(hed_hinge_angle(&parts), fold->angle);
            energy[0] += 0.5 * fold->stiffness * off * off;
        }
    }
}

HedTerm hed_hinge_term(HedFoldTerm* term) {
    return (HedTerm){
        .column = {"hinges"},
        .self = term,
        .add_force = hinge_force,
        .add_matrix = hinge_matrix,
        .add_energy = hinge_energy,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}

static HedRadial flat_eval(const HedFold* fold, const HedEval* at, double beta) {
    HedHingePoints x = points_of(fold, at->x);
    HedVec3 bend = hed_flat_sum(x.x, fold->weight);
    double damping = beta * fold->stiffness;
    // The bend vector enters linearly, so its change over a step is a true rate.
    HedHingePoints other = points_of(fold, at->start ? at->start : at->v);
    HedVec3 rate = hed_flat_sum(other.x, fold->weight);
    rate = at->start ? hed_mul3(at->over, hed_sub3(bend, rate)) : rate;
    HedRadial r = {
        .energy = 0.5 * fold->stiffness * hed_dot3(bend, bend),
        .gradient = hed_mul3(fold->stiffness, bend),
        .dissipation = 0.5 * damping * hed_dot3(rate, rate),
        .rate_gradient = hed_mul3(damping, rate),
    };
    return r;
}

static HedPower flat_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e < 0) {
            break;
        }
        const HedFold* fold = &term->list.data[e];
        HedRadial r = flat_eval(fold, at, term->damping_time[range]);
        HedVec3 pull = hed_add3(r.gradient, r.rate_gradient);
        for (int m = 0; m < 4; ++m) {
            HedVec3* f = &force[hed_local_index(fold->point[m], tile.first, tile.count)];
            *f = hed_madd3(*f, -fold->weight[m], pull);
        }
        power.dissipated += hed_tile_owns(tile, fold->point[0]) ? 2.0 * r.dissipation : 0.0;
    }
    return power;
}

static void flat_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                        HedMatrix* matrix) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double factor = scale.stiffness + scale.damping * term->damping_time[range];
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e < 0) {
            break;
        }
        const HedFold* fold = &term->list.data[e];
        HedMat3 block[4][4];
        for (int m = 0; m < 4; ++m) {
            for (int n = m; n < 4; ++n) {
                double q = factor * fold->stiffness * fold->weight[m] * fold->weight[n];
                block[m][n] = hed_mat3_diagonal(q, q, q);
            }
        }
        add_fold(term, tile, o, (const HedMat3(*)[4])block, matrix);
    }
}

static void flat_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedFoldTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        int32_t e = term->groups.element[o];
        if (e >= 0 && hed_tile_owns(tile, term->list.data[e].point[0])) {
            energy[0] += flat_eval(&term->list.data[e], at, 0.0).energy;
        }
    }
}

HedTerm hed_flat_term(HedFoldTerm* term) {
    return (HedTerm){
        .column = {"flat_bend"},
        .self = term,
        .add_force = flat_force,
        .add_matrix = flat_matrix,
        .add_energy = flat_energy,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
