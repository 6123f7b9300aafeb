// SPDX-License-Identifier: MIT
#include "contact/yarn_pair_hessian.h"
#include "contact/yarn_friction.h"
#include "contact/yarn_pair.h"

#include <string.h>

enum { S = HED_YARN_SPAN, ROW = HED_YARN_ROW_MOST, SYMMETRIC = 6, NINE = 9 };

// Blocks of one point with four others, side by side: xx, xy, xz, yx, ...
typedef struct Four {
    HedWide m[NINE];
} Four;

// Sums over pairs of points. B is symmetric: xx, yy, zz, xy, xz, yz.
typedef struct Sums {
    HedWide first[4][SYMMETRIC];   // [a][.] over a' of the first
    HedWide cross[4][SYMMETRIC];   // [a][.] over b
    HedWide second[4][SYMMETRIC];  // [b][.] over b'
    double column[ROW][SYMMETRIC]; // of each point of the second
    bool is_met[ROW];
} Sums;

// The same with friction, which is not symmetric.
typedef struct Blocks {
    Four first[4], cross[4], second[4];
} Blocks;

// Constants of the pair of segments.
typedef struct Pair {
    double over;   // 1/m^2, 1/R^2
    double reach;  // m^2, R^2 and a little more
    double stiff;  // N/m^3, 2 k/R^2 times the scale
    double along;  // N s/m^3, twice the damping times the scale
    double across; // the same
    bool is_exact;
    int32_t i, j;
    bool is_partial;
} Pair;

static Pair pair_of(const HedYarnContact* y, HedYarnScale scale, const HedYarnPairHessian* bond) {
    int32_t i = bond->segment[0];
    int32_t j = bond->segment[1];
    const HedYarnCurve* a = &y->curves[y->curve_of[i]];
    const HedYarnCurve* b = &y->curves[y->curve_of[j]];
    double reach = a->radius + b->radius;
    double k = 2.0 * a->stiffness * b->stiffness / (a->stiffness + b->stiffness);
    return (Pair){
        .over = 1.0 / (reach * reach),
        .reach = 1.000001 * reach * reach,
        .stiff = 2.0 * k / (reach * reach) * scale.stiffness,
        .along = 2.0 * y->def.damping_along * scale.damping,
        .across = 2.0 * y->def.damping_across * scale.damping,
        .is_exact = scale.is_exact,
        .i = i,
        .j = j,
        .is_partial = y->list.is_partial[bond->pair],
    };
}

// Whether two points of one yarn are so near along it that they do not push each other.
static bool is_free(const HedYarnContact* y, const Pair* pair, int32_t p, int32_t q) {
    int32_t curve = y->curve_of[pair->i];
    double last = y->def.quadrature - 1.0;
    double here = y->arc[pair->i] + p / last * y->rest_length[pair->i];
    double there = y->arc[pair->j] + q / last * y->rest_length[pair->j];
    return hed_yarn_arc_between(y, curve, here, there) <
           y->def.contact_free * y->curves[curve].radius;
}

// B of two points at distance d with the product c of their weights (kernel_yarn.h).
static void stiffness_of(const Pair* pair, HedVec3 d, double c, double out[SYMMETRIC]) {
    HedYarnLaw law = hed_yarn_law(pair->over * hed_dot3(d, d));
    double slope = pair->is_exact ? law.slope : 0.0;
    double full = pair->is_exact ? law.along : fmax(law.along, 0.0);
    double hard = pair->stiff * c;
    double touch = law.touch * c;
    double a = hard * slope + touch * pair->across;
    double b =
        (hard * (full - slope) + touch * (pair->along - pair->across)) * (pair->over * law.inverse);
    out[0] = a + b * d.x * d.x;
    out[1] = a + b * d.y * d.y;
    out[2] = a + b * d.z * d.z;
    out[3] = b * d.x * d.y;
    out[4] = b * d.x * d.z;
    out[5] = b * d.y * d.z;
}

// Sums of one point of the first segment.
typedef struct Spot {
    HedWide other[SYMMETRIC]; // over the points b of the second segment
    double sum[SYMMETRIC];
    bool is_met;
} Spot;

static void add_point(const HedYarnContact* y, const Pair* pair, int32_t q, const double b[],
                      Spot* spot, Sums* sums) {
    HedWide w = hed_wide_load(hed_yarn_weights(y, pair->j) + 4 * (size_t)q);
    spot->is_met = true;
    sums->is_met[q] = true;
    for (int c = 0; c < SYMMETRIC; ++c) {
        spot->other[c] += b[c] * w;
        spot->sum[c] += b[c];
        sums->column[q][c] += b[c];
    }
}

// Point p of the first segment against all of the second.
static void meet(const HedYarnContact* y, const Pair* pair, int32_t p, Spot* spot, Sums* sums) {
    const int32_t row = y->row;
    const double* x = hed_yarn_positions(y, pair->i) + p;
    const double* z = hed_yarn_positions(y, pair->j);
    const double* weight = y->weight + (int64_t)pair->j * row;
    double own = y->weight[(int64_t)pair->i * row + p];
    for (int32_t k = 0; k < row; k += S) {
        HedYarnWide3 d = {hed_wide_load(z + k) - x[0], hed_wide_load(z + row + k) - x[row],
                          hed_wide_load(z + 2 * row + k) - x[2 * row]};
        uint32_t bits = hed_wide_bits(hed_yarn_dot(d, d) < hed_wide_all(pair->reach));
        for (; bits != 0; bits &= bits - 1) {
            int l = __builtin_ctz(bits);
            int32_t q = k + l;
            if (q < y->def.quadrature && !(pair->is_partial && is_free(y, pair, p, q))) {
                double b[SYMMETRIC];
                stiffness_of(pair, hed_vec3(d.x[l], d.y[l], d.z[l]), own * weight[q], b);
                add_point(y, pair, q, b, spot, sums);
            }
        }
    }
}

static void sum_points(const HedYarnContact* y, const Pair* pair, Sums* sums) {
    for (int32_t p = 0; p < y->def.quadrature; ++p) {
        Spot spot = {.is_met = false};
        meet(y, pair, p, &spot, sums);
        HedWide w = hed_wide_load(hed_yarn_weights(y, pair->i) + 4 * (size_t)p);
        for (int a = 0; a < 4 && spot.is_met; ++a) {
            for (int c = 0; c < SYMMETRIC; ++c) {
                sums->first[a][c] += (w[a] * spot.sum[c]) * w;
                sums->cross[a][c] -= w[a] * spot.other[c];
            }
        }
    }
    for (int32_t q = 0; q < y->def.quadrature; ++q) {
        HedWide w = hed_wide_load(hed_yarn_weights(y, pair->j) + 4 * (size_t)q);
        for (int b = 0; b < 4 && sums->is_met[q]; ++b) {
            for (int c = 0; c < SYMMETRIC; ++c) {
                sums->second[b][c] += (w[b] * sums->column[q][c]) * w;
            }
        }
    }
}

static Four filled(const HedWide b[SYMMETRIC]) {
    return (Four){{b[0], b[3], b[4], b[3], b[1], b[5], b[4], b[5], b[2]}};
}

// Blocks from + 1 .. 4 of a point, one after the other; those below `from` are left out.
static void store(const Four* four, int from, HedMat3* const to[4]) {
    HedWide4 low = hed_wide_transpose(four->m[0], four->m[1], four->m[2], four->m[3]);
    HedWide4 high = hed_wide_transpose(four->m[4], four->m[5], four->m[6], four->m[7]);
    for (int b = from; b < 4; ++b) {
        double* m = &to[b]->m[0][0];
        hed_wide_store(m, low.row[b]);
        hed_wide_store(m + 4, high.row[b]);
        m[8] = four->m[8][b];
    }
}

static void add(const Four* four, int from, HedMat3* const to[4]) {
    HedMat3 own[4];
    store(four, from, (HedMat3* const[]){&own[0], &own[1], &own[2], &own[3]});
    for (int b = from; b < 4; ++b) {
        *to[b] = hed_mat3_add(*to[b], own[b]);
    }
}

// u v' for point a of u and all four of v; both are rows [3][4].
static void add_outer(const double* u, int a, const double* v, Four* to) {
    const HedWide row[3] = {hed_wide_load(v), hed_wide_load(v + 4), hed_wide_load(v + 8)};
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            to->m[3 * c + d] += u[4 * c + a] * row[d];
        }
    }
}

// A vector across the normal, as the change of slip along it with each of the eight points: its
// outer product with itself is a part of the matrix.
static void add_rank_one(const HedYarnContact* y, const HedContactFrame* frame, HedVec3 along,
                         Blocks* blocks) {
    double row[2][HED_YARN_SLOT] = {{0.0}};
    hed_yarn_spread(y, frame, along, (double* const[]){row[0], row[1]});
    for (int a = 0; a < 4; ++a) {
        add_outer(row[0], a, row[0], &blocks->first[a]);
        add_outer(row[0], a, row[1], &blocks->cross[a]);
        add_outer(row[1], a, row[1], &blocks->second[a]);
    }
}

// What slid when the step began, and goes on that way, needs no bound: memory tells.
static double bound_of(const HedYarnSlide* slide, HedVec3 strain, double begins) {
    const double slid = 0.999; // of the strain that slides
    double sizes = hed_norm3(strain) * hed_norm3(slide->slip);
    bool goes_on = hed_norm3(strain) > slid && sizes > 0.0;
    double cosine = goes_on ? hed_dot3(strain, slide->slip) / sizes : 0.0;
    return hed_friction_bound(cosine, 0.0, begins);
}

// The Hessian of friction is a matrix across the normal: its Cholesky factor there has two columns.
static void add_friction(const HedYarnContact* y, const HedYarnMatrixEval* eval,
                         const HedYarnPairHessian* bond, Blocks* blocks) {
    const HedYarnTouch* touch = &y->list.touch[y->list.slot[bond->pair]];
    HedContactFrame frame;
    hed_yarn_contact_frame(y, bond->segment[0], bond->segment[1], touch, eval->at.x, &frame);
    HedVec3 slip = hed_yarn_slip(y, &frame, eval->at.v, y->spin).slip;
    HedVec3 strain = y->list.patch[bond->pair].strain;
    HedYarnSlide slide = hed_yarn_slide(y, &frame, slip, strain, eval->at.ahead);
    double bound = bound_of(&slide, strain, y->slip_begins);
    HedMat3 h = hed_friction_plane(slide.slip, frame.normal, slide.law, bound).hessian;
    HedVec3 t = hed_perpendicular3(frame.normal);
    HedVec3 s = hed_cross3(frame.normal, t);
    HedVec3 of_t = hed_mat3_apply(h, t);
    double tt = eval->scale.damping * hed_dot3(t, of_t);
    double ts = eval->scale.damping * hed_dot3(s, of_t);
    double ss = eval->scale.damping * hed_dot3(s, hed_mat3_apply(h, s));
    double root = sqrt(fmax(0.0, tt));
    double off = root > 0.0 ? ts / root : 0.0;
    double rest = ss - off * off;
    if (root > 0.0) {
        HedVec3 along = hed_madd3(hed_mul3(root, t), off, s);
        add_rank_one(y, &frame, along, blocks);
    }
    if (rest > 0.0) {
        add_rank_one(y, &frame, hed_mul3(sqrt(rest), s), blocks);
    }
}

void hed_yarn_pair_hessian_fill(const HedYarnContact* y, const HedYarnMatrixEval* eval,
                                HedYarnPairHessian* bond, HedMat3* own) {
    Pair pair = pair_of(y, eval->scale, bond);
    Sums sums;
    memset(&sums, 0, sizeof sums);
    sum_points(y, &pair, &sums);
    Blocks blocks;
    for (int a = 0; a < 4; ++a) {
        blocks.first[a] = filled(sums.first[a]);
        blocks.cross[a] = filled(sums.cross[a]);
        blocks.second[a] = filled(sums.second[a]);
    }
    if (eval->rubs) {
        add_friction(y, eval, bond, &blocks);
    }
    for (int a = 0; a < 4; ++a) {
        HedMat3 *mine[4] = {NULL}, *other[4] = {NULL}, *cross[4];
        for (int b = 0; b < 4; ++b) {
            mine[b] = b >= a ? &own[hed_yarn_own(a, b)] : NULL;
            other[b] = b >= a ? &bond->own[hed_yarn_own(a, b)] : NULL;
            cross[b] = &bond->cross[a][b];
        }
        add(&blocks.first[a], a, mine);
        store(&blocks.second[a], a, other);
        store(&blocks.cross[a], 0, cross);
    }
}
