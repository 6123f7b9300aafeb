// SPDX-License-Identifier: MIT
#include "model/load/tie_term.h"
#include "base/alloc.h"
#include "state/radial.h"

enum { N = HED_GLUE_POINTS, L = HED_LANES };

static HedStencils stencils_of(const HedTieTerm* term) {
    return (HedStencils){term->point, N, term->list.count};
}

HedStatus hed_tie_term_prepare(HedTieTerm* term, HedRanges ranges, HedError* error) {
    term->point = HED_NEW_ARRAY(int32_t, N * (int64_t)term->list.count);
    if (!term->point) {
        return hed_fail_memory(error, "ties");
    }
    for (int32_t k = 0; k < term->list.count; ++k) {
        for (int m = 0; m < N; ++m) {
            term->point[N * (int64_t)k + m] = term->list.data[k].glue.point[m];
        }
    }
    return hed_groups_create(&term->groups, ranges, stencils_of(term), error);
}

void hed_tie_term_free(HedTieTerm* term) {
    hed_free(term->list.data);
    hed_free(term->point);
    hed_groups_free(&term->groups);
    hed_free(term->slot);
    *term = (HedTieTerm){0};
}

static HedRadial radial_of(const HedTie* tie, const HedVec3* x) {
    return hed_radial(hed_glue_gap(&tie->glue, x), (HedVec3){0}, tie->stiffness, tie->glue.length,
                      0.0);
}

HedVec3 hed_tie_force(const HedTie* tie, const HedVec3* x) {
    return hed_mul3(-1.0, radial_of(tie, x).gradient);
}

// The active tie at place o of the groups; NULL: none.
static const HedTie* tie_at(const HedTieTerm* term, int32_t o) {
    int32_t e = term->groups.element[o];
    return e >= 0 && term->list.data[e].is_active ? &term->list.data[e] : NULL;
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedTieTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedTie* tie = tie_at(term, o);
        if (!tie) {
            continue;
        }
        HedRadial r = radial_of(tie, at->x);
        for (int m = 0; m < N; ++m) {
            HedVec3* f = &force[hed_local_index(tie->glue.point[m], tile.first, tile.count)];
            *f = hed_madd3(*f, -tie->glue.weight[m], r.gradient);
        }
        if (hed_tile_owns(tile, tie->glue.point[0])) {
            power.external -= hed_dot3(r.gradient, tie->rate);
        }
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedTieTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedTie* tie = tie_at(term, o);
        if (!tie) {
            continue;
        }
        HedRadial r = radial_of(tie, at->x);
        double across = scale.is_exact ? r.across : fmax(r.across, 0.0);
        HedMat3 h = hed_radial_block(r.t, r.along, across);
        const int32_t* p = tie->glue.point;
        for (int n = 0; n < N; ++n) {
            for (int m = 0; m <= n; ++m) {
                bool is_same = p[m] == p[n]; // then the block belongs to the diagonal, twice
                double w = scale.stiffness * tie->glue.weight[m] * tie->glue.weight[n] *
                           (is_same && m < n ? 2.0 : 1.0);
                HedMat3 block = hed_mat3_scale(w, h);
                if (!is_same) {
                    hed_slot_add(matrix,
                                 term->slot[hed_pair_count(N) * (int64_t)o + hed_pair_index(m, n)],
                                 &block);
                } else if (hed_tile_owns(tile, p[n])) {
                    matrix->diagonal[p[n]] = hed_mat3_add(matrix->diagonal[p[n]], block);
                }
            }
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedTieTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedTie* tie = tie_at(term, o);
        if (tie && hed_tile_owns(tile, tie->glue.point[0])) {
            energy[0] += radial_of(tie, at->x).energy;
        }
    }
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedTieTerm* term = self;
    return hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix, &term->slot, error);
}

HedTerm hed_tie_term(HedTieTerm* term) {
    return (HedTerm){
        .column = {"tie"},
        .self = term,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
