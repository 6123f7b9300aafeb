// SPDX-License-Identifier: MIT
// Torsion of a sliding yarn between two corners, and wrapping of two yarns about each other
// (docs/eol.md, sections 2.4 and 4.3). For four points in a row with the directions t1, t2, t3 of
// their edges,
//   tau = -t1.(t2 x t3) = sin(angle 12) sin(angle 23) sin(angle of the two planes),
//   V = k/2 (tau - rest)^2,
// k = C/D for torsion (twist rigidity over the material between the middle points, taken as given
// in a step), k = kw L for wrapping. Smooth everywhere, and silent where the yarn is straight.
//   dtau/dt1 = -t2 x t3,   dtau/dt2 = -t3 x t1,   dtau/dt3 = -t1 x t2
// The positive form is the product of first derivatives, exact at rest.
#ifndef HED_MODEL_EOL_KERNEL_TORSION_H
#define HED_MODEL_EOL_KERNEL_TORSION_H

#include "model/eol/chain.h"

typedef struct HedEolTorsion {
    double stiffness; // J
    double rest;      // tau of the yarn at rest, from -1 to 1
} HedEolTorsion;

/// q: x y z of four points. Sets row to dtau/dq and returns tau.
HED_ALWAYS_INLINE double hed_eol_torsion_strain(const double q[12], double row[12],
                                                HedEolChain* chain, HedVec3 y[3]) {
    chain->count = 3;
    for (int e = 0; e < 3; ++e) {
        chain->from[e] = e;
        chain->to[e] = e + 1;
        chain->edge[e] = hed_edge(hed_eol_point(q + 3 * e), hed_eol_point(q + 3 * e + 3));
    }
    const HedEdge* t = chain->edge;
    y[0] = hed_cross3(t[2].t, t[1].t);
    y[1] = hed_cross3(t[0].t, t[2].t);
    y[2] = hed_cross3(t[1].t, t[0].t);
    hed_chain_gradient(chain, y, 4, row);
    return hed_dot3(t[0].t, y[0]);
}

/// q: x y z of four points in a row. Returns the energy (J) and sets g and h; either may be NULL.
HED_ALWAYS_INLINE double hed_eol_torsion(const double q[12], HedEolTorsion rest, double g[12],
                                         double h[12][12], bool is_exact) {
    HedEolChain chain;
    HedVec3 y[3];
    double row[12];
    double strain = hed_eol_torsion_strain(q, row, &chain, y) - rest.rest;
    double moment = rest.stiffness * strain;
    if (g) {
        for (int i = 0; i < 12; ++i) {
            g[i] = moment * row[i];
        }
    }
    if (h) {
        double scaled[12];
        double root = sqrt(rest.stiffness);
        for (int i = 0; i < 12; ++i) {
            scaled[i] = root * row[i];
        }
        hed_eol_outer(scaled, 12, &h[0][0]);
    }
    if (h && is_exact) {
        HedChainSecond second = {0};
        second.k[0][1] = hed_mat3_skew(chain.edge[2].t);
        second.k[0][2] = hed_mat3_scale(-1.0, hed_mat3_skew(chain.edge[1].t));
        second.k[1][2] = hed_mat3_skew(chain.edge[0].t);
        hed_chain_add_second(&chain, y, &second, moment, &h[0][0], 12);
    }
    return 0.5 * moment * strain;
}

#endif
