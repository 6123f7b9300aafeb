// SPDX-License-Identifier: MIT
// A number r that depends on nothing but the directions t of a few edges between points: its first
// and second derivatives by the points from those by the directions.
//   y_e = dr/dt_e:   edge e pulls at its ends with P y/l
//   K_ef = d2r/(dt_e dt_f):   d2r/(de df) = P_e K_ef P_f/(l_e l_f), for e = f with the curving of
//   the direction itself, -( t (Py)' + (Py) t' + (y.t) P )/l^2.
#ifndef HED_MODEL_EOL_CHAIN_H
#define HED_MODEL_EOL_CHAIN_H

#include "model/eol/corner.h"

enum { HED_CHAIN_EDGES = 4 };

/// Edges and their ends, which are numbers of points.
typedef struct HedEolChain {
    int count;
    int from[HED_CHAIN_EDGES], to[HED_CHAIN_EDGES];
    HedEdge edge[HED_CHAIN_EDGES];
} HedEolChain;

/// Second derivatives by directions; of each pair the one with e <= f counts.
typedef struct HedChainSecond {
    HedMat3 k[HED_CHAIN_EDGES][HED_CHAIN_EDGES];
} HedChainSecond;

/// dr/dx into g, three numbers for each of point_count points.
HED_ALWAYS_INLINE void hed_chain_gradient(const HedEolChain* chain, const HedVec3* y,
                                          int point_count, double* g) {
    for (int i = 0; i < 3 * point_count; ++i) {
        g[i] = 0.0;
    }
    for (int e = 0; e < chain->count; ++e) {
        HedVec3 pull = hed_mul3(chain->edge[e].inverse, hed_edge_across(chain->edge[e], y[e]));
        double* to = g + 3 * chain->to[e];
        double* from = g + 3 * chain->from[e];
        hed_eol_put3(to, hed_add3(hed_eol_point(to), pull));
        hed_eol_put3(from, hed_sub3(hed_eol_point(from), pull));
    }
}

/// d2r/(de df).
static inline HedMat3 hed_chain_block(const HedEolChain* chain, const HedVec3* y,
                                      const HedChainSecond* second, int e, int f) {
    HedEdge a = chain->edge[e];
    HedEdge b = chain->edge[f];
    HedMat3 left = hed_mat3_outer_diag(-a.inverse, a.t, a.inverse);
    HedMat3 right = hed_mat3_outer_diag(-b.inverse, b.t, b.inverse);
    HedMat3 block = hed_mat3_mul(left, hed_mat3_mul(second->k[e][f], right));
    if (e == f) {
        double ii = a.inverse * a.inverse;
        double along = hed_dot3(y[e], a.t);
        block = hed_mat3_add(block, hed_edge_both(-ii, a.t, hed_edge_across(a, y[e])));
        block = hed_mat3_add(block, hed_mat3_outer_diag(ii * along, a.t, -ii * along));
    }
    return block;
}

/// Copies the upper half of h to the lower one: sums in another order differ in their last digit.
HED_ALWAYS_INLINE void hed_eol_mirror(double* h, int size) {
    for (int i = 1; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
            h[i * size + j] = h[j * size + i];
        }
    }
}

/// Adds sign times b at the rows of point i and the columns of point j.
HED_ALWAYS_INLINE void hed_chain_add(double* h, int size, int i, int j, double sign, HedMat3 b) {
    for (int r = 0; r < 3; ++r) {
        double* row = h + (3 * i + r) * size + 3 * j;
        for (int c = 0; c < 3; ++c) {
            row[c] += sign * b.m[r][c];
        }
    }
}

/// Adds block b of the edges e and f to the rows of e's points and the columns of f's.
static inline void hed_chain_spread(const HedEolChain* chain, int e, int f, HedMat3 b, double* h,
                                    int size) {
    hed_chain_add(h, size, chain->from[e], chain->from[f], 1.0, b);
    hed_chain_add(h, size, chain->to[e], chain->to[f], 1.0, b);
    hed_chain_add(h, size, chain->from[e], chain->to[f], -1.0, b);
    hed_chain_add(h, size, chain->to[e], chain->from[f], -1.0, b);
}

/// Adds scale times d2r/dx2 to h, size = 3 point_count.
static inline void hed_chain_add_second(const HedEolChain* chain, const HedVec3* y,
                                        const HedChainSecond* second, double scale, double* h,
                                        int size) {
    for (int e = 0; e < chain->count; ++e) {
        for (int f = e; f < chain->count; ++f) {
            HedMat3 block = hed_mat3_scale(scale, hed_chain_block(chain, y, second, e, f));
            hed_chain_spread(chain, e, f, block, h, size);
            if (f > e) {
                hed_chain_spread(chain, f, e, hed_mat3_transpose(block), h, size);
            }
        }
    }
    hed_eol_mirror(h, size);
}

#endif
