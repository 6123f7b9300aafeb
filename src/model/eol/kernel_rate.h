// SPDX-License-Identifier: MIT
// Dissipation of sliding yarns, one mode at a time (docs/eol.md, section 6;
// Sanchez-Banderas and Otaduy 2017).
//
// A mode with the strain eps and the size Om loses energy by the potential
//   Phi = (kd/2) Om (deps/dt)^2,    force -Om kd (deps/dt) grad eps,    matrix Om kd grad eps grad
//   eps'.
// Only the gradient of the strain appears, never that of the size: sliding that changes the size of
// an element at constant strain is not damped. The gradients, here called rows, of bending are
// taken at the start of a step and kept, so that Phi is quadratic in the velocities. Stretching and
// shear take the change of their strain over the step instead, which no turn of the whole gives.
//   stretch   eps = l/D - 1          Om = D           kd of ks (N s)
//   bending   eps = theta/D          Om = D           kd of 2 kb (N m^2 s)
//   shear     eps = phi              Om = L           kd of kx (N s)
//   torsion   eps = tau              Om = 1/D or L    kd of C (N m^2 s) or kw (N s)
//   hinge     eps = turn             Om = 1           kd of 2 k (J s)
//
// The gradient of theta is undefined for a straight yarn, where turning in any direction across it
// must be damped alike. There the strain is the vector (tb - ta)/D, of which the angle is one
// component; the other one, out of the plane of the two edges, fades out with the angle by
//   s = max(0, 1 - (theta/0.17)^2)^2,
// because in a bent yarn it is not a deformation but a turn of the whole (Sanchez-Banderas and
// Otaduy switch at 5 degrees, where s is 0.54; it is 0 from 10 degrees on).
#ifndef HED_MODEL_EOL_KERNEL_RATE_H
#define HED_MODEL_EOL_KERNEL_RATE_H

#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_hinge.h"
#include "model/eol/kernel_shear.h"
#include "model/eol/kernel_torsion.h"

/// rad, from which on bending is damped by its angle alone.
static const double HED_EOL_BLEND = 0.17;

/// q: x0 y0 z0 u0 x1 y1 z1 u1. Sets row to the gradient of l/D (1/m) and returns Om (m).
HED_ALWAYS_INLINE double hed_eol_stretch_rate(const double q[8], double row[8]) {
    HedEdge e = hed_edge(hed_eol_point(q), hed_eol_point(q + 4));
    double d = hed_eol_max(q[7] - q[3], HED_EOL_LEAST);
    double over = 1.0 / d;
    hed_eol_put3(row + 4, hed_mul3(over, e.t));
    row[7] = -over * over * e.length;
    for (int i = 0; i < 4; ++i) {
        row[i] = -row[4 + i];
    }
    return d;
}

/// q: x y z u of three nodes along the yarn. Sets the rows (1/m^2) of the angle and of turning out
/// of the plane, and returns Om (m).
HED_ALWAYS_INLINE double hed_eol_bend_rate(const double q[12], double row[2][12]) {
    HedEdge a = hed_edge(hed_eol_point(q), hed_eol_point(q + 4));
    HedEdge b = hed_edge(hed_eol_point(q + 4), hed_eol_point(q + 8));
    double d = hed_eol_max(q[11] - q[3], HED_EOL_LEAST);
    HedCorner c = hed_corner(a, b);
    double over = 1.0 / d;
    double small = c.angle * (1.0 / HED_EOL_BLEND);
    double share = hed_eol_max(0.0, 1.0 - small * small);
    double fade = share * share * over;
    HedCornerPair out = {hed_mul3(-fade * a.inverse, c.k), hed_mul3(fade * b.inverse, c.k)};
    hed_eol_bend_put(hed_corner_slope(a, b, c, over), -over * over * c.angle, row[0]);
    hed_eol_bend_put(out, 0.0, row[1]);
    return d;
}

/// q: x y z of neighbour a, of the crossing, of neighbour b. Sets row to dphi/dq (1/m).
HED_ALWAYS_INLINE void hed_eol_shear_rate(const double q[9], double row[9]) {
    HedEdge a = hed_edge(hed_eol_point(q + 3), hed_eol_point(q));
    HedEdge b = hed_edge(hed_eol_point(q + 3), hed_eol_point(q + 6));
    hed_eol_shear_put(hed_corner_slope(a, b, hed_corner(a, b), 1.0), row);
}

/// q: x y z of four points in a row. Sets row to dtau/dq (1/m).
HED_ALWAYS_INLINE void hed_eol_torsion_rate(const double q[12], double row[12]) {
    HedEolChain chain;
    HedVec3 y[3];
    hed_eol_torsion_strain(q, row, &chain, y);
}

/// q as of hed_eol_hinge. Sets row to the gradient of the turn out of the surface (1/m).
HED_ALWAYS_INLINE void hed_eol_hinge_rate(const double q[15], double row[15]) {
    HedLattice at = hed_lattice(q);
    HedHingeTurn out = hed_lattice_out(&at);
    hed_chain_gradient(&at.chain, out.y, 5, row);
}

/// Phi (W) of one row of n numbers for the velocities rate, with c = Om kd. Sets g = dPhi/drate
/// (NULL allowed). The matrix is c row row'.
HED_ALWAYS_INLINE double hed_eol_drag(int n, const double* row, const double* rate, double c,
                                      double* g) {
    double strain_rate = 0.0;
    for (int i = 0; i < n; ++i) {
        strain_rate += row[i] * rate[i];
    }
    double stress = c * strain_rate;
    for (int i = 0; g && i < n; ++i) {
        g[i] = stress * row[i];
    }
    return 0.5 * stress * strain_rate;
}

#endif
