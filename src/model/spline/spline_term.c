// SPDX-License-Identifier: MIT
// Forces, matrix and energy of spline yarns. Points of quadrature see the curve through the
// coefficients of its cubic, y = c0 + c1 s + c2 s^2 + c3 s^3: derivatives are summed for those and
// spread over the control points once per segment.
#include "model/spline/kernel_spline.h"
#include "model/spline/spline.h"
#include "state/lanes.h"

enum { L = HED_LANES };

// Eight segments: coefficients c1, c2, c3 and the energy's derivatives by them; those of what rates
// are taken from, velocities or the start of a step.
typedef struct Lanes {
    HedLanes3 c[3], g[3], r[3];
    double length[L], bend[L], axial[L], drag[2][L], power[L];
} Lanes;

// Coefficient j + 1 of segment e, -1 for padding.
static HedVec3 coefficient(const HedSplines* splines, int32_t e, int j, const HedVec3* x) {
    if (e < 0) {
        return (HedVec3){0};
    }
    const int32_t* p = splines->point + 4 * (int64_t)e;
    const HedVec3 four[4] = {x[p[0]], x[p[1]], x[p[2]], x[p[3]]};
    return hed_cubic_sum(hed_spline_matrix(splines, e)->m[j + 1], four);
}

// Padding stands still far from any force: stiffness zero, length one.
static void load_lanes(const HedSplines* splines, const int32_t* element, const HedVec3* x,
                       Lanes* at) {
    for (int l = 0; l < L; ++l) {
        int32_t e = element[l];
        for (int j = 0; j < 3; ++j) {
            hed_lane_set(&at->c[j], l, coefficient(splines, e, j, x));
            hed_lane_set(&at->g[j], l, (HedVec3){0});
        }
        at->length[l] = e >= 0 ? splines->length[e] : 1.0;
        at->bend[l] = e >= 0 ? splines->bend[e] : 0.0;
        at->axial[l] = e >= 0 ? splines->axial[e] : 0.0;
    }
}

static void load_rates(const HedSplines* splines, const int32_t* element, const HedVec3* rate,
                       Lanes* at) {
    for (int l = 0; l < L; ++l) {
        int32_t e = element[l];
        for (int j = 0; j < 3; ++j) {
            hed_lane_set(&at->r[j], l, coefficient(splines, e, j, rate));
        }
        at->drag[0][l] = e >= 0 ? splines->drag[2 * (int64_t)e] : 0.0;
        at->drag[1][l] = e >= 0 ? splines->drag[2 * (int64_t)e + 1] : 0.0;
        at->power[l] = 0.0;
    }
}

// dy/ds and d2y/ds2 from the coefficients.
HED_ALWAYS_INLINE HedVec3 slope_of(const HedLanes3 c[3], int l, double s) {
    HedVec3 a = hed_madd3(hed_lane(&c[0], l), 2.0 * s, hed_lane(&c[1], l));
    return hed_madd3(a, 3.0 * s * s, hed_lane(&c[2], l));
}

HED_ALWAYS_INLINE HedVec3 bend_of(const HedLanes3 c[3], int l, double s) {
    return hed_madd3(hed_mul3(2.0, hed_lane(&c[1], l)), 6.0 * s, hed_lane(&c[2], l));
}

// Adds derivatives by a and b to those by the coefficients.
HED_ALWAYS_INLINE void add_derivatives(Lanes* at, int l, double s, HedVec3 by_a, HedVec3 by_b) {
    hed_lane_add(&at->g[0], l, 1.0, by_a);
    hed_lane_add(&at->g[1], l, 2.0 * s, by_a);
    hed_lane_add(&at->g[1], l, 2.0, by_b);
    hed_lane_add(&at->g[2], l, 3.0 * s * s, by_a);
    hed_lane_add(&at->g[2], l, 6.0 * s, by_b);
}

static void evaluate_lanes(const HedSplines* splines, Lanes* at) {
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double s = splines->s[q], w = splines->weight[q];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedVec3 a = slope_of(at->c, l, s), b = bend_of(at->c, l, s);
            HedSplineRest rest = {0.5 * w * at->bend[l], w * at->axial[l], at->length[l]};
            HedSplineOut out = hed_spline_eval(a, b, rest);
            add_derivatives(at, l, s, out.a, out.b);
        }
    }
}

// over: 1/s; rates are changes since the start of the step, times over; 0: r holds velocities.
static void damp_lanes(const HedSplines* splines, double over, Lanes* at) {
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double s = splines->s[q], w = splines->weight[q];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedVec3 a = slope_of(at->c, l, s), b = bend_of(at->c, l, s);
            HedVec3 ra = slope_of(at->r, l, s), rb = bend_of(at->r, l, s);
            HedSplineStrain now = hed_spline_strain(a, b, at->length[l]);
            HedSplineStrain before = hed_spline_strain(ra, rb, at->length[l]);
            double along = hed_dot3(now.along_a, ra);
            double kappa = hed_dot3(now.kappa_a, ra) + hed_dot3(now.kappa_b, rb);
            along = over > 0.0 ? over * (now.along - before.along) : along;
            kappa = over > 0.0 ? over * (now.kappa - before.kappa) : kappa;
            HedSplineViscosity by = {w * at->drag[0][l], w * at->drag[1][l]};
            HedSplineDrag drag = hed_spline_drag(now, along, kappa, by);
            at->power[l] += 2.0 * drag.dissipation;
            add_derivatives(at, l, s, drag.a, drag.b);
        }
    }
}

// Statics have a start, but no time: nothing is damped there.
static bool is_damped(const HedSplines* splines, const HedEval* at) {
    return splines->is_damped && !(at->start && at->over == 0.0);
}

static void spread_lanes(const HedSplines* splines, const int32_t* element, const Lanes* lanes,
                         HedTile tile, HedVec3* force) {
    for (int l = 0; l < L && element[l] >= 0; ++l) {
        const HedCubicMatrix* basis = hed_spline_matrix(splines, element[l]);
        for (int k = 0; k < 4; ++k) {
            int32_t p = splines->point[4 * (int64_t)element[l] + k];
            HedVec3* f = &force[hed_local_index(p, tile.first, tile.count)];
            for (int j = 0; j < 3; ++j) {
                *f = hed_madd3(*f, -basis->m[j + 1][k], hed_lane(&lanes->g[j], l));
            }
        }
    }
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedSplines* splines = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t g = splines->groups.first[range]; g < splines->groups.first[range + 1]; ++g) {
        const int32_t* element = splines->groups.element + L * (int64_t)g;
        Lanes lanes;
        load_lanes(splines, element, at->x, &lanes);
        evaluate_lanes(splines, &lanes);
        if (is_damped(splines, at)) {
            load_rates(splines, element, at->start ? at->start : at->v, &lanes);
            damp_lanes(splines, at->start ? at->over : 0.0, &lanes);
            for (int l = 0; l < L && element[l] >= 0; ++l) {
                bool is_own = hed_tile_owns(tile, splines->point[4 * (int64_t)element[l]]);
                power.dissipated += is_own ? lanes.power[l] : 0.0;
            }
        }
        spread_lanes(splines, element, &lanes, tile, force);
    }
    return power;
}

static HedSplineRest rest_of(const HedSplines* splines, int32_t e, double w) {
    return (HedSplineRest){0.5 * w * splines->bend[e], w * splines->axial[e], splines->length[e]};
}

// h[i][j], i <= j: second derivatives by c(i+1) and c(j+1).
static void add_coefficients(HedMat3 h[3][3], const HedSplineHessian* d, double s) {
    const double slope[3] = {1.0, 2.0 * s, 3.0 * s * s};
    const double bend[3] = {0.0, 2.0, 6.0 * s};
    HedMat3 ba = hed_mat3_transpose(d->ab);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            for (int e = 0; e < 9; ++e) {
                (&h[i][j].m[0][0])[e] += slope[i] * slope[j] * (&d->aa.m[0][0])[e] +
                                         slope[i] * bend[j] * (&d->ab.m[0][0])[e] +
                                         bend[i] * slope[j] * (&ba.m[0][0])[e] +
                                         bend[i] * bend[j] * (&d->bb.m[0][0])[e];
            }
        }
    }
}

// The block of control points m and n.
static HedMat3 block_of(HedMat3 h[3][3], const HedCubicMatrix* basis, int m, int n) {
    HedMat3 block = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double w = basis->m[i + 1][m] * basis->m[j + 1][n];
            HedMat3 part = i <= j ? h[i][j] : hed_mat3_transpose(h[j][i]);
            block = hed_mat3_add(block, hed_mat3_scale(w, part));
        }
    }
    return block;
}

// In a closed yarn of three points one point stands in two places of a segment: their block belongs
// to the diagonal, with its transpose.
static void add_blocks(const HedSplines* splines, int32_t o, HedTile tile, HedMat3 h[3][3],
                       HedMatrix* matrix) {
    int32_t e = splines->groups.element[o];
    const HedCubicMatrix* basis = hed_spline_matrix(splines, e);
    const int32_t* point = splines->point + 4 * (int64_t)e;
    const int32_t* slot = splines->slot + hed_pair_count(4) * (int64_t)o;
    for (int n = 0; n < 4; ++n) {
        for (int m = 0; m <= n; ++m) {
            HedMat3 block = block_of(h, basis, m, n);
            if (point[m] != point[n]) {
                hed_slot_add(matrix, slot[hed_pair_index(m, n)], &block);
            } else if (hed_tile_owns(tile, point[n])) {
                HedMat3* diagonal = &matrix->diagonal[point[n]];
                *diagonal = hed_mat3_add(*diagonal, block);
                if (m < n) {
                    *diagonal = hed_mat3_add(*diagonal, hed_mat3_transpose(block));
                }
            }
        }
    }
}

static HedSplineHessian hessian_at(HedVec3 a, HedVec3 b, HedSplineRest rest, HedMatrixScale scale) {
    rest.bend *= scale.stiffness;
    rest.axial *= scale.stiffness;
    return scale.is_exact ? hed_spline_exact(a, b, rest) : hed_spline_positive(a, b, rest);
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedSplines* splines = self;
    HedTile tile = hed_tile(at->ranges, range);
    int32_t end = L * splines->groups.first[range + 1];
    for (int32_t o = L * splines->groups.first[range]; o < end; ++o) {
        int32_t e = splines->groups.element[o];
        if (e < 0) {
            continue;
        }
        HedCubic y = hed_spline_cubic(splines, e, at->x);
        HedMat3 h[3][3] = {{{{{0.0}}}}};
        for (int32_t q = 0; q < splines->quadrature; ++q) {
            double s = splines->s[q], w = splines->weight[q];
            HedVec3 a = hed_cubic_slope(&y, s), b = hed_cubic_bend(&y, s);
            HedSplineHessian d = hessian_at(a, b, rest_of(splines, e, w), scale);
            add_coefficients(h, &d, s);
            if (splines->is_damped && scale.damping > 0.0) {
                HedSplineViscosity by = {w * splines->drag[2 * (int64_t)e],
                                         w * splines->drag[2 * (int64_t)e + 1]};
                HedSplineStrain strain = hed_spline_strain(a, b, splines->length[e]);
                d = hed_spline_drag_hessian(strain, by, scale.damping);
                add_coefficients(h, &d, s);
            }
        }
        add_blocks(splines, o, tile, h, matrix);
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedSplines* splines = self;
    HedTile tile = hed_tile(at->ranges, range);
    int32_t end = L * splines->groups.first[range + 1];
    for (int32_t o = L * splines->groups.first[range]; o < end; ++o) {
        int32_t e = splines->groups.element[o];
        if (e < 0 || !hed_tile_owns(tile, splines->point[4 * (int64_t)e])) {
            continue;
        }
        HedCubic y = hed_spline_cubic(splines, e, at->x);
        for (int32_t q = 0; q < splines->quadrature; ++q) {
            double s = splines->s[q];
            HedSplineOut out = hed_spline_eval(hed_cubic_slope(&y, s), hed_cubic_bend(&y, s),
                                               rest_of(splines, e, splines->weight[q]));
            energy[0] += out.bend;
            energy[1] += out.stretch;
        }
    }
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedSplines* splines = self;
    return hed_groups_slots(&splines->groups, ranges,
                            (HedStencils){splines->point, 4, splines->segment_count}, matrix,
                            &splines->slot, error);
}

HedTerm hed_splines_term(HedSplines* splines) {
    return (HedTerm){
        .column = {"bend", "stretch"},
        .self = splines,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .stencils = {splines->point, 4, splines->segment_count},
        .attach = attach,
    };
}
