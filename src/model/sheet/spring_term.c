// SPDX-License-Identifier: MIT
#include "model/sheet/spring_term.h"
#include "model/sheet/kernel_spring.h"
#include "state/lanes.h"

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

static void fill_lanes(HedSpringTerm* term, HedRanges ranges) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = L * term->groups.first[r]; o < L * term->groups.first[r + 1]; ++o) {
            HedSpringGroup* group = &term->group[o / L];
            int32_t e = term->groups.element[o];
            if (e < 0) {
                group->a[o % L] = group->b[o % L] = ranges.first[r];
                continue;
            }
            const HedSpring* spring = &term->list.data[e];
            group->a[o % L] = spring->a;
            group->b[o % L] = spring->b;
            group->length[o % L] = spring->length;
            group->stiffness[o % L] = spring->stiffness;
            term->kind[o] = (uint8_t)spring->kind;
        }
    }
}

static HedStencils stencils_of(const HedSpringTerm* term) {
    return (HedStencils){term->stencil, 2, term->list.count};
}

HedStatus hed_spring_term_prepare(HedSpringTerm* term, HedRanges ranges, const double* damping_time,
                                  HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = term->list.count;
    term->stencil = HED_NEW_ARRAY(int32_t, 2 * (int64_t)count);
    if (!term->stencil) {
        return hed_fail_memory(error, "springs");
    }
    if (count > 1) {
        qsort(term->list.data, (size_t)count, sizeof(HedSpring), compare_springs);
    }
    for (int32_t k = 0; k < count; ++k) {
        term->stencil[2 * k] = term->list.data[k].a;
        term->stencil[2 * k + 1] = term->list.data[k].b;
    }
    HED_TRY(hed_groups_create(&term->groups, ranges, stencils_of(term), error));
    term->damping_time = HED_NEW_ARRAY(double, ranges.count);
    term->group = HED_NEW_ARRAY(HedSpringGroup, term->groups.count);
    term->kind = HED_NEW_ARRAY(uint8_t, L * (int64_t)term->groups.count);
    if (!term->damping_time || !term->group || !term->kind) {
        return hed_fail_memory(error, "springs");
    }
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    fill_lanes(term, ranges);
done:
    return status;
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedSpringTerm* term = self;
    return hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix, &term->slot, error);
}

void hed_spring_term_free(HedSpringTerm* term) {
    hed_free(term->list.data);
    hed_groups_free(&term->groups);
    hed_free(term->stencil);
    hed_free(term->group);
    hed_free(term->kind);
    hed_free(term->slot);
    hed_free(term->damping_time);
    *term = (HedSpringTerm){0};
}

// Forces of eight springs on their b ends; returns the power of damping in those whose a end is
// own. by_step is a constant wherever this is inlined: rates come from the start of the step, or
// from velocities.
HED_ALWAYS_INLINE double evaluate_group(const HedSpringGroup* group, const HedEval* at,
                                        HedTile tile, double beta, bool by_step, HedLanes3* force) {
    HedLanes3 xa, xb, ra = {0}, rb = {0};
    hed_lanes_gather(at->x, group->a, &xa);
    hed_lanes_gather(at->x, group->b, &xb);
    if (beta > 0.0) {
        hed_lanes_gather(by_step ? at->start : at->v, group->a, &ra);
        hed_lanes_gather(by_step ? at->start : at->v, group->b, &rb);
    }
    double power[L];
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        double k = group->stiffness[l];
        HedSpringRest rest = {group->length[l], k, beta * k};
        HedVec3 a = hed_lane(&xa, l), b = hed_lane(&xb, l);
        HedVec3 c = hed_lane(&ra, l), d = hed_lane(&rb, l);
        HedRadial r = by_step ? hed_spring_step_eval(a, b, c, d, rest, at->over)
                              : hed_spring_eval(a, b, c, d, rest);
        force->x[l] = -r.gradient.x - r.rate_gradient.x;
        force->y[l] = -r.gradient.y - r.rate_gradient.y;
        force->z[l] = -r.gradient.z - r.rate_gradient.z;
        power[l] = hed_tile_owns(tile, group->a[l]) ? 2.0 * r.dissipation : 0.0;
    }
    return hed_lanes_sum(power);
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    HedPower power = {0};
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        const HedSpringGroup* group = &term->group[g];
        HedLanes3 f;
        power.dissipated += at->start ? evaluate_group(group, at, tile, beta, true, &f)
                                      : evaluate_group(group, at, tile, beta, false, &f);
        for (int l = 0; l < L; ++l) {
            HedVec3* fa = &force[hed_local_index(group->a[l], tile.first, tile.count)];
            *fa = hed_sub3(*fa, hed_lane(&f, l));
            HedVec3* fb = &force[hed_local_index(group->b[l], tile.first, tile.count)];
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
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedSpringGroup* group = &term->group[o / L];
        int32_t a = group->a[o % L];
        int32_t b = group->b[o % L];
        if (a == b) {
            continue;
        }
        double k = group->stiffness[o % L];
        HedSpringRest rest = {group->length[o % L], k, beta * k};
        HedRadial r = at->start ? hed_spring_step_eval(at->x[a], at->x[b], at->start[a],
                                                       at->start[b], rest, at->over)
                                : hed_spring_eval(at->x[a], at->x[b], at->v[a], at->v[b], rest);
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
        HedMat3 minus = hed_mat3_scale(-1.0, h);
        hed_slot_add(matrix, term->slot[o], &minus);
    }
}

static void add_product(const void* self, const HedEval* at, int32_t range, HedStiffness by,
                        HedVec3* product) {
    const HedVec3* d = by.d;
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedSpringGroup* group = &term->group[o / L];
        int32_t a = group->a[o % L];
        int32_t b = group->b[o % L];
        HedSpringRest rest = {group->length[o % L], group->stiffness[o % L], 0.0};
        HedRadial r = hed_spring_eval(at->x[a], at->x[b], d[a], d[b], rest);
        HedVec3 pull = hed_radial_product(&r, hed_sub3(d[b], d[a]), by.is_exact);
        HedVec3* pa = &product[hed_local_index(a, tile.first, tile.count)];
        *pa = hed_sub3(*pa, pull);
        HedVec3* pb = &product[hed_local_index(b, tile.first, tile.count)];
        *pb = hed_add3(*pb, pull);
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedSpringTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedSpringGroup* group = &term->group[o / L];
        int32_t a = group->a[o % L];
        int32_t b = group->b[o % L];
        if (hed_tile_owns(tile, a)) {
            HedSpringRest rest = {group->length[o % L], group->stiffness[o % L], 0.0};
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
        .add_product = add_product,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
