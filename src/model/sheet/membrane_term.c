// SPDX-License-Identifier: MIT
#include "model/sheet/membrane_term.h"
#include "base/alloc.h"
#include "state/lanes.h"

#include <string.h>

enum { L = HED_LANES };

static HedStencils stencils_of(const HedMembraneTerm* term) {
    return (HedStencils){term->stencil, 3, term->list.count};
}

static void fill_groups(HedMembraneTerm* term, HedRanges ranges) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = L * term->groups.first[r]; o < L * term->groups.first[r + 1]; ++o) {
            HedMembraneGroup* group = &term->group[o / L];
            int32_t e = term->groups.element[o];
            for (int m = 0; m < 3; ++m) {
                group->point[m][o % L] = e < 0 ? ranges.first[r] : term->list.data[e].point[m];
            }
            for (int k = 0; k < 4 && e >= 0; ++k) {
                group->b[k / 2][k % 2][o % L] = term->list.data[e].b[k / 2][k % 2];
            }
            group->area[o % L] = e < 0 ? 0.0 : term->list.data[e].area;
        }
    }
}

HedStatus hed_membrane_term_prepare(HedMembraneTerm* term, HedRanges ranges,
                                    const HedMembraneMaterial* material, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = term->list.count;
    term->stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    if (!term->stencil) {
        return hed_fail_memory(error, "membranes");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(term->stencil + 3 * (int64_t)k, term->list.data[k].point, 3 * sizeof(int32_t));
    }
    HED_TRY(hed_groups_create(&term->groups, ranges, stencils_of(term), error));
    term->group = HED_NEW_ARRAY(HedMembraneGroup, term->groups.count);
    term->material = HED_NEW_ARRAY(HedMembraneMaterial, ranges.count);
    if (!term->group || !term->material) {
        return hed_fail_memory(error, "membranes");
    }
    memcpy(term->material, material, sizeof *material * (size_t)ranges.count);
    fill_groups(term, ranges);
done:
    return status;
}

void hed_membrane_term_reshape(HedMembraneTerm* term, HedRanges ranges, const double (*b)[2][2]) {
    for (int32_t o = 0; o < L * term->groups.first[ranges.count]; ++o) {
        int32_t e = term->groups.element[o];
        for (int k = 0; k < 4 && e >= 0; ++k) {
            term->group[o / L].b[k / 2][k % 2][o % L] = b[e][k / 2][k % 2];
        }
    }
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedMembraneTerm* term = self;
    return hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix, &term->slot, error);
}

void hed_membrane_term_free(HedMembraneTerm* term) {
    hed_free(term->list.data);
    hed_groups_free(&term->groups);
    hed_free(term->stencil);
    hed_free(term->group);
    hed_free(term->material);
    hed_free(term->slot);
    *term = (HedMembraneTerm){0};
}

HED_ALWAYS_INLINE HedMembraneRest rest_of(const HedMembraneGroup* group, int l) {
    double b1u = group->b[0][0][l], b1v = group->b[0][1][l];
    double b2u = group->b[1][0][l], b2v = group->b[1][1][l];
    return (HedMembraneRest){
        .area = group->area[l],
        .b = {{-b1u - b2u, -b1v - b2v}, {b1u, b1v}, {b2u, b2v}},
    };
}

typedef struct Corners {
    HedLanes3 at[3];
} Corners;

static inline void gather(const HedMembraneGroup* group, const HedVec3* from, Corners* to) {
    for (int m = 0; m < 3; ++m) {
        hed_lanes_gather(from, group->point[m], &to->at[m]);
    }
}

HED_ALWAYS_INLINE HedFrame2 frame_of(const Corners* c, int l, const HedMembraneRest* rest) {
    return hed_membrane_frame(hed_lane(&c->at[0], l), hed_lane(&c->at[1], l),
                              hed_lane(&c->at[2], l), rest);
}

// The rate of strain: from the start of the step, or from velocities.
HED_ALWAYS_INLINE HedPlane rate_of(HedFrame2 f, HedPlane e, HedFrame2 other, double over,
                                   bool by_step) {
    if (!by_step) {
        return hed_membrane_rate(f, other);
    }
    HedPlane start = hed_membrane_strain(other);
    return (HedPlane){over * (e.uu - start.uu), over * (e.vv - start.vv),
                      over * (e.shear - start.shear)};
}

HED_ALWAYS_INLINE HedPlane add_planes(HedPlane a, HedPlane b) {
    return (HedPlane){a.uu + b.uu, a.vv + b.vv, a.shear + b.shear};
}

// Gradients of eight triangles at corners 1 and 2; returns the power of damping in own ones.
HED_ALWAYS_INLINE double evaluate_group(const HedMembraneGroup* group, const HedEval* at,
                                        HedTile tile, HedMembraneMaterial material, bool by_step,
                                        HedLanes3 pull[2]) {
    Corners x, other;
    gather(group, at->x, &x);
    gather(group, by_step ? at->start : at->v, &other);
    double power[L];
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        HedMembraneRest rest = rest_of(group, l);
        HedFrame2 f = frame_of(&x, l, &rest);
        HedPlane e = hed_membrane_strain(f);
        HedPlane rate = rate_of(f, e, frame_of(&other, l, &rest), at->over, by_step);
        HedPlane drag = hed_modulus_apply(material.damping, rate);
        HedPlane s = add_planes(hed_modulus_apply(material.elastic, e), drag);
        for (int m = 0; m < 2; ++m) {
            HedVec3 g = hed_membrane_gradient(f, s, &rest, m + 1);
            pull[m].x[l] = g.x;
            pull[m].y[l] = g.y;
            pull[m].z[l] = g.z;
        }
        double taken = 2.0 * rest.area * hed_plane_half_product(rate, drag);
        power[l] = hed_tile_owns(tile, group->point[0][l]) ? taken : 0.0;
    }
    return hed_lanes_sum(power);
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedMembraneTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedMembraneMaterial material = term->material[range];
    HedPower power = {0};
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        const HedMembraneGroup* group = &term->group[g];
        HedLanes3 pull[2];
        power.dissipated += at->start ? evaluate_group(group, at, tile, material, true, pull)
                                      : evaluate_group(group, at, tile, material, false, pull);
        for (int l = 0; l < L; ++l) {
            HedVec3 g1 = hed_lane(&pull[0], l);
            HedVec3 g2 = hed_lane(&pull[1], l);
            HedVec3* f0 = &force[hed_local_index(group->point[0][l], tile.first, tile.count)];
            *f0 = hed_add3(*f0, hed_add3(g1, g2)); // the three balance
            HedVec3* f1 = &force[hed_local_index(group->point[1][l], tile.first, tile.count)];
            *f1 = hed_sub3(*f1, g1);
            HedVec3* f2 = &force[hed_local_index(group->point[2][l], tile.first, tile.count)];
            *f2 = hed_sub3(*f2, g2);
        }
    }
    return power;
}

// Blocks of eight triangles: (0,0), (0,1), (1,1), (0,2), (1,2), (2,2).
enum { BLOCKS = 6 };

// Blocks of corner 0 from those of the others: shape functions sum to 1, so rows sum to zero.
static void complete_blocks(HedLanes9 block[BLOCKS]) {
    static const int ACROSS[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    for (int k = 0; k < 9; ++k) {
        const double* b11 = block[2].m[k];
        const double* b12 = block[4].m[k];
        const double* b21 = block[4].m[ACROSS[k]];
        const double* b22 = block[5].m[k];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            double b01 = -b11[l] - b21[l];
            double b02 = -b12[l] - b22[l];
            block[1].m[k][l] = b01;
            block[3].m[k][l] = b02;
            block[0].m[k][l] = -b01 - b02;
        }
    }
}

// The second derivatives of eight triangles.
HED_ALWAYS_INLINE void evaluate_blocks(const HedMembraneGroup* group, const HedEval* at,
                                       HedMembraneMaterial material, HedMatrixScale scale,
                                       bool by_step, HedLanes9 block[BLOCKS]) {
    Corners x, other;
    gather(group, at->x, &x);
    gather(group, by_step ? at->start : at->v, &other);
    HedModulus c =
        hed_modulus_madd(material.elastic, scale.damping / scale.stiffness, material.damping);
    double inertia = material.density * scale.inertia / (3.0 * scale.stiffness);
#pragma omp simd
    for (int l = 0; l < L; ++l) {
        HedMembraneRest rest = rest_of(group, l);
        HedFrame2 f = frame_of(&x, l, &rest);
        HedPlane e = hed_membrane_strain(f);
        HedPlane rate = rate_of(f, e, frame_of(&other, l, &rest), at->over, by_step);
        HedPlane s = add_planes(hed_modulus_apply(material.elastic, e),
                                hed_modulus_apply(material.damping, rate));
        HedSlope b1 = {group->b[0][0][l], group->b[0][1][l]};
        HedSlope b2 = {group->b[1][0][l], group->b[1][1][l]};
        HedPlane held = hed_plane_held(s, hed_membrane_hold(b1, b2, inertia));
        s.uu = scale.is_exact ? s.uu : held.uu;
        s.vv = scale.is_exact ? s.vv : held.vv;
        s.shear = scale.is_exact ? s.shear : held.shear;
        double area = scale.stiffness * group->area[l];
        hed_lane_set9(&block[2], l, area, hed_membrane_block(f, s, c, b1, b1));
        hed_lane_set9(&block[4], l, area, hed_membrane_block(f, s, c, b1, b2));
        hed_lane_set9(&block[5], l, area, hed_membrane_block(f, s, c, b2, b2));
    }
    complete_blocks(block);
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedMembraneTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedMembraneMaterial material = term->material[range];
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        const HedMembraneGroup* group = &term->group[g];
        HedLanes9 block[BLOCKS];
        if (at->start) {
            evaluate_blocks(group, at, material, scale, true, block);
        } else {
            evaluate_blocks(group, at, material, scale, false, block);
        }
        const int32_t* slot = term->slot + (int64_t)3 * L * g;
        for (int n = 0; n < 3; ++n) {
            const HedLanes9* column = &block[n * (n + 1) / 2];
            for (int m = 0; m < n; ++m) {
                hed_slots_add_lanes(matrix, slot + hed_pair_index(m, n), 3, &column[m]);
            }
            hed_diagonal_add_lanes(matrix, tile, group->point[n], &column[n]);
        }
    }
}

static void add_product(const void* self, const HedEval* at, int32_t range, HedStiffness by,
                        HedVec3* product) {
    const HedVec3* d = by.d;
    const HedMembraneTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedModulus c = term->material[range].elastic;
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedMembraneGroup* group = &term->group[o / L];
        HedMembraneRest rest = rest_of(group, o % L);
        const int32_t point[3] = {group->point[0][o % L], group->point[1][o % L],
                                  group->point[2][o % L]};
        HedFrame2 f = hed_membrane_frame(at->x[point[0]], at->x[point[1]], at->x[point[2]], &rest);
        HedPlane s = hed_modulus_apply(c, hed_membrane_strain(f));
        s = by.is_exact ? s : hed_plane_positive(s);
        HedFrame2 change = hed_membrane_frame(d[point[0]], d[point[1]], d[point[2]], &rest);
        for (int m = 0; m < 3; ++m) {
            HedVec3* p = &product[hed_local_index(point[m], tile.first, tile.count)];
            *p = hed_add3(*p, hed_membrane_product(f, change, s, c, &rest, m));
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedMembraneTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedMembraneGroup* group = &term->group[o / L];
        const int32_t point[3] = {group->point[0][o % L], group->point[1][o % L],
                                  group->point[2][o % L]};
        if (hed_tile_owns(tile, point[0])) {
            HedMembraneRest rest = rest_of(group, o % L);
            HedPlane e = hed_membrane_strain(
                hed_membrane_frame(at->x[point[0]], at->x[point[1]], at->x[point[2]], &rest));
            HedPlane s = hed_modulus_apply(term->material[range].elastic, e);
            energy[0] += rest.area * hed_plane_half_product(e, s);
        }
    }
}

HedTerm hed_membrane_term(HedMembraneTerm* term) {
    return (HedTerm){
        .column = {"membrane"},
        .self = term,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .add_product = add_product,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
