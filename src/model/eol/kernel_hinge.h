// SPDX-License-Identifier: MIT
// Bending of a lattice of points, out of its surface and within it (docs/eol.md, section 4.4).
//
// At a point with neighbours before and behind on a line (directions a, b) and on another one
// across (c, d), all directions forward: S = a + b, O = c + d. The turn b - a of the line, seen
// along the normal n = S x O/|S x O| and along the direction n x S/|S| beside the line, is
//   out  = (b - a).(S x O)/|S x O| = -2 O.(a x b)/|S x O|
//   side = (b - a).O |S|/|S x O|
//   V = k_out (out - rest_out)^2 + k_side (side - rest_side)^2.
// The hinge that makes knits curl has the first term only. Both are quotients r = f/g with
// g = |S x O|, hence dr = (df - r dg)/g and d2r = (d2f - dr dg' - dg dr' - r d2g)/g.
// The positive form is the product of first derivatives, exact at rest. Where the two lines are
// parallel there is no surface and no energy.
#ifndef HED_MODEL_EOL_KERNEL_HINGE_H
#define HED_MODEL_EOL_KERNEL_HINGE_H

#include "model/eol/chain.h"

typedef struct HedEolHinge {
    double stiffness; // J, k_out
    double rest;      // rest_out
} HedEolHinge;

typedef struct HedEolFrame {
    HedEolHinge out;
    HedEolHinge side;
} HedEolFrame;

/// The least |S x O|, of 4 on a square lattice.
static const double HED_EOL_SURFACE = 1e-6;

/// What both turns share. Edges: 0 is a, 1 is b, 2 and 3 are c and d.
typedef struct HedLattice {
    HedEolChain chain;
    HedVec3 s, o;
    HedVec3 gs, go; // dg/dS and dg/dO
    double over;    // 1/g; 0 where there is no surface
} HedLattice;

/// q: x y z of the centre, the neighbours before and behind, those across.
HED_ALWAYS_INLINE HedLattice hed_lattice(const double q[15]) {
    HedLattice at;
    at.chain = (HedEolChain){.count = 4, .from = {1, 0, 3, 0}, .to = {0, 2, 0, 4}};
    for (int e = 0; e < 4; ++e) {
        at.chain.edge[e] = hed_edge(hed_eol_point(q + 3 * at.chain.from[e]),
                                    hed_eol_point(q + 3 * at.chain.to[e]));
    }
    at.s = hed_add3(at.chain.edge[0].t, at.chain.edge[1].t);
    at.o = hed_add3(at.chain.edge[2].t, at.chain.edge[3].t);
    double g = hed_norm3(hed_cross3(at.s, at.o));
    double so = hed_dot3(at.s, at.o);
    at.over = g > HED_EOL_SURFACE ? 1.0 / g : 0.0;
    at.gs = hed_mul3(at.over, hed_madd3(hed_mul3(hed_dot3(at.o, at.o), at.s), -so, at.o));
    at.go = hed_mul3(at.over, hed_madd3(hed_mul3(hed_dot3(at.s, at.s), at.o), -so, at.s));
    return at;
}

/// A turn and its derivatives by the four directions.
typedef struct HedHingeTurn {
    double value;
    HedVec3 y[4];
} HedHingeTurn;

/// From f, df/da, df/db, df/dO.
HED_ALWAYS_INLINE HedHingeTurn hed_lattice_quotient(const HedLattice* at, double f, HedVec3 fa,
                                                    HedVec3 fb, HedVec3 fo) {
    HedHingeTurn r;
    r.value = f * at->over;
    r.y[0] = hed_mul3(at->over, hed_madd3(fa, -r.value, at->gs));
    r.y[1] = hed_mul3(at->over, hed_madd3(fb, -r.value, at->gs));
    r.y[2] = hed_mul3(at->over, hed_madd3(fo, -r.value, at->go));
    r.y[3] = r.y[2];
    return r;
}

HED_ALWAYS_INLINE HedHingeTurn hed_lattice_out(const HedLattice* at) {
    HedVec3 a = at->chain.edge[0].t;
    HedVec3 b = at->chain.edge[1].t;
    HedVec3 ab = hed_mul3(-2.0, hed_cross3(a, b));
    return hed_lattice_quotient(at, hed_dot3(at->o, ab), hed_mul3(-2.0, hed_cross3(b, at->o)),
                                hed_mul3(-2.0, hed_cross3(at->o, a)), ab);
}

HED_ALWAYS_INLINE HedHingeTurn hed_lattice_side(const HedLattice* at) {
    HedVec3 turn = hed_sub3(at->chain.edge[1].t, at->chain.edge[0].t);
    double size = hed_norm3(at->s);
    double f = hed_dot3(turn, at->o);
    HedVec3 grow = hed_mul3(f * (size > 0.0 ? 1.0 / size : 0.0), at->s);
    HedVec3 o = hed_mul3(size, at->o);
    return hed_lattice_quotient(at, f * size, hed_sub3(grow, o), hed_add3(grow, o),
                                hed_mul3(size, turn));
}

/// d2f for out: k[0][1], k[0][2], k[1][2] for (a, b), (a, O), (b, O).
static inline HedChainSecond hed_lattice_out_second(const HedLattice* at) {
    HedChainSecond f = {0};
    f.k[0][1] = hed_mat3_scale(2.0, hed_mat3_skew(at->o));
    f.k[0][2] = hed_mat3_scale(-2.0, hed_mat3_skew(at->chain.edge[1].t));
    f.k[1][2] = hed_mat3_scale(2.0, hed_mat3_skew(at->chain.edge[0].t));
    return f;
}

/// d2f for side, f = (b - a).O |S|.
static inline HedChainSecond hed_lattice_side_second(const HedLattice* at) {
    HedVec3 turn = hed_sub3(at->chain.edge[1].t, at->chain.edge[0].t);
    double size = hed_norm3(at->s);
    HedVec3 s = hed_mul3(size > 0.0 ? 1.0 / size : 0.0, at->s);
    double curve = hed_dot3(turn, at->o) * (size > 0.0 ? 1.0 / size : 0.0);
    HedMat3 grow = hed_mat3_outer_diag(-curve, s, curve);
    HedMat3 both = hed_edge_both(1.0, at->o, s);
    HedMat3 os = hed_mat3_outer(at->o, s);
    HedMat3 turned = hed_mat3_outer(s, turn);
    HedChainSecond f = {0};
    f.k[0][0] = hed_mat3_add(grow, hed_mat3_scale(-1.0, both));
    f.k[1][1] = hed_mat3_add(grow, both);
    f.k[0][1] = hed_mat3_add(grow, hed_mat3_add(hed_mat3_transpose(os), hed_mat3_scale(-1.0, os)));
    f.k[0][2] = hed_mat3_add(turned, hed_mat3_diagonal(-size, -size, -size));
    f.k[1][2] = hed_mat3_add(turned, hed_mat3_diagonal(size, size, size));
    return f;
}

/// d2g by (S, S), (S, O) and (O, O).
typedef struct HedLatticeCurve {
    HedMat3 ss, so, oo;
} HedLatticeCurve;

static inline HedLatticeCurve hed_lattice_curve(const HedLattice* at) {
    double oo = hed_dot3(at->o, at->o);
    double ss = hed_dot3(at->s, at->s);
    double so = hed_dot3(at->s, at->o);
    HedMat3 cross = hed_mat3_outer(hed_mul3(2.0, at->s), at->o);
    cross = hed_mat3_add(cross, hed_mat3_outer(hed_mul3(-1.0, at->o), at->s));
    cross = hed_mat3_add(cross, hed_mat3_diagonal(-so, -so, -so));
    cross = hed_mat3_add(cross, hed_mat3_outer(hed_mul3(-1.0, at->gs), at->go));
    HedMat3 first =
        hed_mat3_add(hed_mat3_outer_diag(-1.0, at->o, oo), hed_mat3_outer_diag(-1.0, at->gs, 0.0));
    HedMat3 last =
        hed_mat3_add(hed_mat3_outer_diag(-1.0, at->s, ss), hed_mat3_outer_diag(-1.0, at->go, 0.0));
    return (HedLatticeCurve){hed_mat3_scale(at->over, first), hed_mat3_scale(at->over, cross),
                             hed_mat3_scale(at->over, last)};
}

/// d2r by the four directions from d2f by a, b and O.
static inline HedChainSecond hed_lattice_second(const HedLattice* at, const HedHingeTurn* r,
                                                const HedChainSecond* f) {
    HedLatticeCurve curve = hed_lattice_curve(at);
    HedVec3 dg[3] = {at->gs, at->gs, at->go};
    HedChainSecond out = {0};
    for (int e = 0; e < 4; ++e) {
        for (int g = e; g < 4; ++g) {
            int i = e < 2 ? e : 2; // of a, b, O
            int j = g < 2 ? g : 2;
            HedMat3 bend = i == 2 ? curve.oo : (j == 2 ? curve.so : curve.ss);
            HedMat3 k = hed_mat3_add(f->k[i][j], hed_mat3_scale(-r->value, bend));
            k = hed_mat3_add(k, hed_mat3_outer(hed_mul3(-1.0, r->y[i]), dg[j]));
            k = hed_mat3_add(k, hed_mat3_outer(hed_mul3(-1.0, dg[i]), r->y[j]));
            out.k[e][g] = hed_mat3_scale(at->over, k);
        }
    }
    return out;
}

/// One of the two terms. Sets row to the gradient of its turn times the root of 2 k, and pull to
/// what the row is multiplied by for the force; returns the energy.
HED_ALWAYS_INLINE double hed_lattice_term(const HedLattice* at, const HedHingeTurn* r,
                                          HedEolHinge rest, double row[15], double* pull) {
    double root = sqrt(2.0 * rest.stiffness);
    hed_chain_gradient(&at->chain, r->y, 5, row);
    for (int i = 0; i < 15; ++i) {
        row[i] *= root;
    }
    // Without a surface the turn is unknown, not zero.
    *pull = at->over > 0.0 ? root * (r->value - rest.rest) : 0.0;
    return 0.5 * *pull * *pull;
}

/// Adds the moment of one term times the second derivative of its turn; f is d2f.
static inline void hed_lattice_add_exact(const HedLattice* at, const HedHingeTurn* r, double moment,
                                         HedChainSecond f, double h[15][15]) {
    HedChainSecond k = hed_lattice_second(at, r, &f);
    hed_chain_add_second(&at->chain, r->y, &k, moment, &h[0][0], 15);
}

/// q: x y z of the centre, the neighbours before and behind, those across. Returns the energy (J)
/// and sets g and h; either may be NULL.
HED_ALWAYS_INLINE double hed_eol_hinge(const double q[15], HedEolHinge rest, double g[15],
                                       double h[15][15], bool is_exact) {
    HedLattice at = hed_lattice(q);
    HedHingeTurn out = hed_lattice_out(&at);
    double row[15], pull;
    double energy = hed_lattice_term(&at, &out, rest, row, &pull);
    for (int i = 0; g && i < 15; ++i) {
        g[i] = pull * row[i];
    }
    if (h) {
        hed_eol_outer(row, 15, &h[0][0]);
    }
    if (h && is_exact) {
        double moment = 2.0 * rest.stiffness * (out.value - rest.rest);
        hed_lattice_add_exact(&at, &out, moment, hed_lattice_out_second(&at), h);
    }
    return energy;
}

/// As hed_eol_hinge, with bending within the surface too: for the yarns of woven cloth.
HED_ALWAYS_INLINE double hed_eol_frame(const double q[15], HedEolFrame rest, double g[15],
                                       double h[15][15], bool is_exact) {
    HedLattice at = hed_lattice(q);
    HedHingeTurn side = hed_lattice_side(&at);
    double row[15], pull;
    double energy = hed_eol_hinge(q, rest.out, g, h, is_exact);
    energy += hed_lattice_term(&at, &side, rest.side, row, &pull);
    for (int i = 0; g && i < 15; ++i) {
        g[i] += pull * row[i];
    }
    for (int i = 0; h && i < 225; ++i) {
        h[i / 15][i % 15] += row[i / 15] * row[i % 15];
    }
    if (h && is_exact) {
        double moment = 2.0 * rest.side.stiffness * (side.value - rest.side.rest);
        hed_lattice_add_exact(&at, &side, moment, hed_lattice_side_second(&at), h);
    }
    return energy;
}

#endif
