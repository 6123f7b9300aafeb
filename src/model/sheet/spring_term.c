// SPDX-License-Identifier: MIT
#include "model/sheet/spring_term.h"
#include "model/sheet/kernel_spring.h"
#include "state/lanes.h"
#include "state/tiles.h"

#include <stdlib.h>
#include <string.h>

enum { L = HED_LANES };

static int compare_springs(const void* left, const void* right) {
    const HedSpring* p = left;
    const HedSpring* q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    if (p->b != q->b) {
        return p->b < q->b ? -1 : 1;
    }
    return (p->kind > q->kind) - (p->kind < q->kind);
}

static HedStatus allocate_lanes(HedSpringTerm* term, const HedTiles* tiles, HedError* error) {
    term->first = HED_NEW_ARRAY(int32_t, (int64_t)tiles->range_count + 1);
    term->damping_time = HED_NEW_ARRAY(double, tiles->range_count);
    if (!term->first || !term->damping_time) {
        return hed_fail_memory(error, "springs");
    }
    for (int32_t r = 0; r < tiles->range_count; ++r) {
        term->first[r + 1] =
            term->first[r] + hed_lanes_padded(tiles->first[r + 1] - tiles->first[r]);
    }
    int32_t total = term->first[tiles->range_count];
    term->a = HED_NEW_ARRAY(int32_t, total);
    term->b = HED_NEW_ARRAY(int32_t, total);
    term->length = HED_NEW_ARRAY(double, total);
    term->stiffness = HED_NEW_ARRAY(double, total);
    term->kind = HED_NEW_ARRAY(uint8_t, total);
    bool ok = term->a && term->b && term->length && term->stiffness && term->kind;
    return ok ? HED_OK : hed_fail_memory(error, "springs");
}

static void fill_lanes(HedSpringTerm* term, HedRanges ranges, const HedTiles* tiles) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t o = term->first[r];
        for (int32_t k = tiles->first[r]; k < tiles->first[r + 1]; ++k, ++o) {
            const HedSpring* spring = &term->list.data[tiles->element[k]];
            term->a[o] = spring->a;
            term->b[o] = spring->b;
            term->length[o] = spring->length;
            term->stiffness[o] = spring->stiffness;
            term->kind[o] = (uint8_t)spring->kind;
        }
        for (; o < term->first[r + 1]; ++o) {
            term->a[o] = ranges.first[r];
            term->b[o] = ranges.first[r];
        }
    }
}

HedStatus hed_spring_term_prepare(HedSpringTerm* term, HedRanges ranges, const double* damping_time,
                                  HedError* error) {
    HedStatus status = HED_OK;
    HedTiles tiles = {0};
    int32_t count = term->list.count;
    int32_t* stencil = HED_NEW_ARRAY(int32_t, 2 * (int64_t)count);
    if (!stencil) {
        return hed_fail_memory(error, "springs");
    }
    if (count > 1) {
        qsort(term->list.data, (size_t)count, sizeof(HedSpring), compare_springs);
    }
    for (int32_t k = 0; k < count; ++k) {
        stencil[2 * k] = term->list.data[k].a;
        stencil[2 * k + 1] = term->list.data[k].b;
    }
    HED_TRY(hed_tiles_create(&tiles, ranges, (HedStencils){stencil, 2, count}, error));
    HED_TRY(allocate_lanes(term, &tiles, error));
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    fill_lanes(term, ranges, &tiles);
done:
    hed_free(stencil);
    hed_tiles_free(&tiles);
    return status;
}

HedStatus hed_spring_term_attach(HedSpringTerm* term, HedRanges ranges, const HedMatrix* matrix,
                                 HedError* error) {
    term->slot = HED_NEW_ARRAY(int32_t, term->first[ranges.count]);
    if (!term->slot) {
        return hed_fail_memory(error, "springs");
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = term->first[r]; o < term->first[r + 1]; ++o) {
            int32_t a = term->a[o];
            int32_t b = term->b[o];
            bool own_a = matrix->range_of[a] == r;
            term->slot[o] = a == b ? -1 : hed_matrix_slot(matrix, own_a ? a : b, own_a ? b : a);
        }
    }
    return HED_OK;
}

void hed_spring_term_free(HedSpringTerm* term) {
    hed_free(term->list.data);
    hed_free(term->first);
    hed_free(term->a);
    hed_free(term->b);
    hed_free(term->length);
    hed_free(term->stiffness);
    hed_free(term->kind);
    hed_free(term->slot);
    hed_free(term->damping_time);
    *term = (HedSpringTerm){0};
}

// Forces of eight springs on their b ends; returns the power of damping in those whose a end is
// own.
static inline double evaluate_lanes(const HedSpringTerm* term, const HedEval* at, int32_t o,
                                    HedTile tile, double beta, HedLanes3* force) {
    HedLanes3 xa, xb, va = {0}, vb = {0};
    hed_lanes_gather(at->x, term->a + o, &xa);
    hed_lanes_gather(at->x, term->b + o, &xb);
    if (beta > 0.0) {
        hed_lanes_gather(at->v, term->a + o, &va);
        hed_lanes_gather(at->v, term->b + o, &vb);
    }
    double power[L];
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        double k = term->stiffness[o + l];
        HedSpringRest rest = {term->length[o + l], k, beta * k};
        HedRadial r = hed_spring_eval(hed_lane(&xa, l), hed_lane(&xb, l), hed_lane(&va, l),
                                      hed_lane(&vb, l), rest);
        force->x[l] = -r.gradient.x - r.rate_gradient.x;
        force->y[l] = -r.gradient.y - r.rate_gradient.y;
        force->z[l] = -r.gradient.z - r.rate_gradient.z;
        power[l] = hed_tile_owns(tile, term->a[o + l]) ? 2.0 * r.dissipation : 0.0;
    }
    double sum = 0.0;
    for (int l = 0; l < L; ++l) {
        sum += power[l];
    }
    return sum;
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    HedPower power = {0};
    for (int32_t o = term->first[range]; o < term->first[range + 1]; o += L) {
        HedLanes3 f;
        power.dissipated += evaluate_lanes(term, at, o, tile, beta, &f);
        for (int l = 0; l < L; ++l) {
            HedVec3* fa = &force[hed_local_index(term->a[o + l], tile.first, tile.count)];
            *fa = hed_sub3(*fa, hed_lane(&f, l));
            HedVec3* fb = &force[hed_local_index(term->b[o + l], tile.first, tile.count)];
            *fb = hed_add3(*fb, hed_lane(&f, l));
        }
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    for (int32_t o = term->first[range]; o < term->first[range + 1]; ++o) {
        int32_t a = term->a[o];
        int32_t b = term->b[o];
        if (a == b) {
            continue;
        }
        double k = term->stiffness[o];
        HedSpringRest rest = {term->length[o], k, beta * k};
        HedRadial r = hed_spring_eval(at->x[a], at->x[b], at->v[a], at->v[b], rest);
        double along = scale.stiffness * r.along + scale.damping * rest.damping;
        double tension = scale.stiffness * (r.across + r.rate_across);
        double across = scale.is_exact ? tension : fmax(tension, 0.0);
        HedMat3 h = hed_radial_block(r.t, along, across);
        if (hed_tile_owns(tile, a)) {
            matrix->diagonal[a] = hed_mat3_add(matrix->diagonal[a], h);
        }
        if (hed_tile_owns(tile, b)) {
            matrix->diagonal[b] = hed_mat3_add(matrix->diagonal[b], h);
        }
        HedMat3* block = &matrix->block[term->slot[o]];
        *block = hed_mat3_add(*block, hed_mat3_scale(-1.0, h));
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = term->first[range]; o < term->first[range + 1]; ++o) {
        int32_t a = term->a[o];
        int32_t b = term->b[o];
        if (hed_tile_owns(tile, a)) {
            HedSpringRest rest = {term->length[o], term->stiffness[o], 0.0};
            HedRadial r = hed_spring_eval(at->x[a], at->x[b], at->v[a], at->v[b], rest);
            energy[term->kind[o]] += r.energy;
        }
    }
}

HedTerm hed_spring_term(HedSpringTerm* term) {
    return (HedTerm){
        .column = {"stretch", "shear", "bend_springs"},
        .self = term,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
    };
}
