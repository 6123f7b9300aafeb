// SPDX-License-Identifier: MIT
// Forces, matrix and energy of spline yarns. Points of quadrature see the curve through the
// coefficients of its cubic, y = c0 + c1 s + c2 s^2 + c3 s^3: derivatives are summed for those and
// spread over the control points once per segment.
#include "model/spline/kernel_spline.h"
#include "model/spline/spline.h"
#include "state/lanes.h"

enum { L = HED_LANES };

// Eight segments: coefficients c1, c2, c3 and the energy's derivatives by them.
typedef struct Lanes {
    HedLanes3 c[3], g[3];
    double length[L], bend[L], axial[L];
} Lanes;

static const HedCubicMatrix* basis_of(void) {
    return hed_cubic_matrix(HED_CUBIC_BSPLINE, HED_CUBIC_INNER);
}

// Padding stands still far from any force: stiffness zero, length one.
static void load_lanes(const HedSplines* splines, const int32_t* element, const HedVec3* x,
                       Lanes* at) {
    const HedCubicMatrix* basis = basis_of();
    for (int l = 0; l < L; ++l) {
        int32_t e = element[l];
        HedVec3 p[4] = {{0}};
        for (int k = 0; k < 4 && e >= 0; ++k) {
            p[k] = x[splines->point[4 * (int64_t)e + k]];
        }
        for (int j = 0; j < 3; ++j) {
            HedVec3 c = hed_cubic_sum(basis->m[j + 1], p);
            at->c[j].x[l] = c.x;
            at->c[j].y[l] = c.y;
            at->c[j].z[l] = c.z;
            at->g[j].x[l] = at->g[j].y[l] = at->g[j].z[l] = 0.0;
        }
        at->length[l] = e >= 0 ? splines->length[e] : 1.0;
        at->bend[l] = e >= 0 ? splines->bend[e] : 0.0;
        at->axial[l] = e >= 0 ? splines->axial[e] : 0.0;
    }
}

static void evaluate_lanes(const HedSplines* splines, Lanes* at) {
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double s = splines->s[q], w = splines->weight[q];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedVec3 c1 = hed_lane(&at->c[0], l), c2 = hed_lane(&at->c[1], l),
                    c3 = hed_lane(&at->c[2], l);
            HedVec3 a = hed_madd3(hed_madd3(c1, 2.0 * s, c2), 3.0 * s * s, c3);
            HedVec3 b = hed_madd3(hed_mul3(2.0, c2), 6.0 * s, c3);
            HedSplineRest rest = {0.5 * w * at->bend[l], w * at->axial[l], at->length[l]};
            HedSplineOut out = hed_spline_eval(a, b, rest);
            hed_lane_add(&at->g[0], l, 1.0, out.a);
            hed_lane_add(&at->g[1], l, 2.0 * s, out.a);
            hed_lane_add(&at->g[1], l, 2.0, out.b);
            hed_lane_add(&at->g[2], l, 3.0 * s * s, out.a);
            hed_lane_add(&at->g[2], l, 6.0 * s, out.b);
        }
    }
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedSplines* splines = self;
    const HedCubicMatrix* basis = basis_of();
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t g = splines->groups.first[range]; g < splines->groups.first[range + 1]; ++g) {
        const int32_t* element = splines->groups.element + L * (int64_t)g;
        Lanes lanes;
        load_lanes(splines, element, at->x, &lanes);
        evaluate_lanes(splines, &lanes);
        for (int l = 0; l < L && element[l] >= 0; ++l) {
            for (int k = 0; k < 4; ++k) {
                int32_t p = splines->point[4 * (int64_t)element[l] + k];
                HedVec3* f = &force[hed_local_index(p, tile.first, tile.count)];
                for (int j = 0; j < 3; ++j) {
                    *f = hed_madd3(*f, -basis->m[j + 1][k], hed_lane(&lanes.g[j], l));
                }
            }
        }
    }
    return (HedPower){0};
}

static HedCubic cubic_of(const HedSplines* splines, int32_t e, const HedVec3* x) {
    const int32_t* point = splines->point + 4 * (int64_t)e;
    const HedVec3 p[4] = {x[point[0]], x[point[1]], x[point[2]], x[point[3]]};
    return hed_cubic_make(basis_of(), p);
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
static HedMat3 block_of(HedMat3 h[3][3], int m, int n, double scale) {
    const HedCubicMatrix* basis = basis_of();
    HedMat3 block = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double w = scale * basis->m[i + 1][m] * basis->m[j + 1][n];
            HedMat3 part = i <= j ? h[i][j] : hed_mat3_transpose(h[j][i]);
            block = hed_mat3_add(block, hed_mat3_scale(w, part));
        }
    }
    return block;
}

// In a closed yarn of three points one point stands in two places of a segment: their block belongs
// to the diagonal, with its transpose.
static void add_blocks(const HedSplines* splines, int32_t o, HedTile tile, HedMat3 h[3][3],
                       double scale, HedMatrix* matrix) {
    const int32_t* point = splines->point + 4 * (int64_t)splines->groups.element[o];
    const int32_t* slot = splines->slot + hed_pair_count(4) * (int64_t)o;
    for (int n = 0; n < 4; ++n) {
        for (int m = 0; m <= n; ++m) {
            HedMat3 block = block_of(h, m, n, scale);
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
        HedCubic y = cubic_of(splines, e, at->x);
        HedMat3 h[3][3] = {{{{{0.0}}}}};
        for (int32_t q = 0; q < splines->quadrature; ++q) {
            double s = splines->s[q];
            HedVec3 a = hed_cubic_slope(&y, s), b = hed_cubic_bend(&y, s);
            HedSplineRest rest = rest_of(splines, e, splines->weight[q]);
            HedSplineHessian d =
                scale.is_exact ? hed_spline_exact(a, b, rest) : hed_spline_positive(a, b, rest);
            add_coefficients(h, &d, s);
        }
        add_blocks(splines, o, tile, h, scale.stiffness, matrix);
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
        HedCubic y = cubic_of(splines, e, at->x);
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
