// SPDX-License-Identifier: MIT
// The contact of the two yarns of a crossing: its normal, the force across it, and bending of yarns
// that have thickness (docs/eol.md, sections 3.1, 3.2, 2.5).
//
// With the directions of each yarn before and behind the node, S = t- + t+,
//   m = S_u x S_v,    n = m/|m|,
// and the yarns lie at x + chi R n (slot 0) and x - chi R n (slot 1); the crossing sign chi is a
// constant of the crossing. The force between them does not follow from the motion of the node they
// share. Both yarns have one acceleration along N = chi n, hence
//   lambda = (m0 F1.N - m1 F0.N)/(m0 + m1),
// F0 and F1 the elastic forces of each yarn on the node, m0 and m1 the masses they carry. Forces
// are those of the yarns where they are, at the offset points: a flat cloth would have none across.
// Plain weave under a tension T: lambda = 4 R T/l', l' the distance of offset points.
#ifndef HED_MODEL_EOL_KERNEL_NORMAL_H
#define HED_MODEL_EOL_KERNEL_NORMAL_H

#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_hinge.h"
#include "model/eol/kernel_stretch.h"

/// The least |m|, of 4 where yarns cross at a right angle: below, they are parallel.
static const double HED_EOL_PARALLEL = 1e-3;

/// t- + t+ of a yarn at a node; a yarn that ends (NULL) counts as going straight on.
static inline HedVec3 hed_eol_way(const double* before, const double* at, const double* after) {
    HedVec3 x = hed_eol_point(at);
    HedVec3 in = before ? hed_edge(hed_eol_point(before), x).t : (HedVec3){0.0, 0.0, 0.0};
    HedVec3 out = after ? hed_edge(x, hed_eol_point(after)).t : in;
    return hed_add3(before ? in : out, out);
}

/// n from the ways of slot 0 and slot 1; the one before, kept, where they are parallel.
HED_ALWAYS_INLINE HedVec3 hed_eol_normal(HedVec3 u, HedVec3 v, HedVec3 before) {
    HedVec3 m = hed_cross3(u, v);
    double size = hed_norm3(m);
    return size > HED_EOL_PARALLEL ? hed_mul3(1.0 / size, m) : before;
}

/// N, of a stretched piece (q as of hed_eol_stretch) on its first end; the other end feels the
/// opposite. The tension is that of the nodes, the direction that of the offset points p0 and p1.
HED_ALWAYS_INLINE HedVec3 hed_eol_offset_pull(const double q[8], HedEolStretch rest, HedVec3 p0,
                                              HedVec3 p1) {
    HedEolPiece piece = hed_eol_piece(hed_eol_point(q), hed_eol_point(q + 4), q[7] - q[3], rest);
    return hed_mul3(piece.tension, hed_edge(p0, p1).t);
}

/// N, lambda above: pressing where positive, parting where negative. normal is chi n, from slot 1
/// to slot 0; force[s] and mass[s] belong to slot s.
HED_ALWAYS_INLINE double hed_eol_press(HedVec3 normal, const HedVec3 force[2],
                                       const double mass[2]) {
    double sum = mass[0] + mass[1];
    double f0 = hed_dot3(force[0], normal);
    double f1 = hed_dot3(force[1], normal);
    return sum > 0.0 ? (mass[0] * f1 - mass[1] * f0) / sum : 0.5 * (f1 - f0);
}

// Bending of yarns with thickness: hed_eol_bend on p = x + side R_b n instead of x, side = chi
// for slot 0 and -chi for slot 1, R_b the part of the radius whose crimp is elastic. The normal is
//   n = m/M,   M = sqrt(m.m + 1/4):
// shorter than one where the yarns are nearly parallel, 0 and still smooth where they are, or
// energies would jump there. The forces g on p act on x unchanged; their couple
// a = sum side R_b g acts through n:
//   d(a.n) = h.dm,   h = (a - (a.n) n)/M,   d(a.n)/dS_u = S_v x h,   d(a.n)/dS_v = h x S_u.

/// The smooth normal n. q: x y z of the crossing, its neighbours before and behind on slot 0, those
/// on slot 1.
HED_ALWAYS_INLINE HedVec3 hed_eol_offset_normal(const double q[15]) {
    HedLattice at = hed_lattice(q);
    HedVec3 m = hed_cross3(at.s, at.o);
    return hed_mul3(1.0 / sqrt(hed_dot3(m, m) + 0.25), m);
}

/// Returns a.n and sets g to its gradient for a fixed couple a (J/m times m).
HED_ALWAYS_INLINE double hed_eol_offset_couple(const double q[15], HedVec3 a, double g[15]) {
    HedLattice at = hed_lattice(q);
    HedVec3 m = hed_cross3(at.s, at.o);
    double over = 1.0 / sqrt(hed_dot3(m, m) + 0.25);
    HedVec3 n = hed_mul3(over, m);
    double along = hed_dot3(a, n);
    HedVec3 h = hed_mul3(over, hed_madd3(a, -along, n));
    HedVec3 u = hed_cross3(at.o, h);
    HedVec3 v = hed_cross3(h, at.s);
    const HedVec3 y[4] = {u, u, v, v};
    hed_chain_gradient(&at.chain, y, 5, g);
    return along;
}

#endif
