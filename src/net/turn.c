// SPDX-License-Identifier: MIT
// How a network is curled: the turns of its lattices of like crossings out of their surface, as
// curl hinges feel them (model/eol/kernel_hinge.h).
#include "heddle/net.h"
#include "math/vec3.h"

static HedVec3 way(HedVec3 from, HedVec3 to) {
    return hed_unit3(hed_sub3(to, from), (HedVec3){0});
}

// (b - a).n at a point between two others on a line, with unit ways a and b to and from it, and n
// the normal of the surface that this line and the one across it span; 0 where they are parallel.
static double turn_at(HedVec3 x, const HedVec3 line[2], const HedVec3 other[2]) {
    HedVec3 a = way(line[0], x);
    HedVec3 b = way(x, line[1]);
    HedVec3 o = hed_add3(way(other[0], x), way(x, other[1]));
    HedVec3 n = hed_cross3(hed_add3(a, b), o);
    double size = hed_norm3(n);
    return size > 1e-6 ? hed_dot3(hed_sub3(b, a), n) / size : 0.0;
}

static HedVec3 place(const HedNet* net, const HedVec3* positions, int32_t node) {
    return positions ? positions[node] : net->nodes[node].position;
}

HedNetTurns hed_net_turns(const HedNet* net, const HedVec3* positions) {
    HedNetTurns turns = {0};
    double part = net->hinge_count > 0 ? 1.0 / net->hinge_count : 0.0;
    for (int32_t k = 0; k < net->hinge_count; ++k) {
        const HedNetHinge* hinge = &net->hinges[k];
        HedVec3 x = place(net, positions, hinge->centre);
        HedVec3 ends[2][2];
        for (int e = 0; e < 2; ++e) {
            ends[0][e] = place(net, positions, hinge->along[e]);
            ends[1][e] = place(net, positions, hinge->across[e]);
        }
        // Seen along wales the normal points to the back.
        const double turn[2] = {turn_at(x, ends[0], ends[1]), -turn_at(x, ends[1], ends[0])};
        for (int d = 0; d < 2; ++d) {
            turns.stitch[d] += part * hinge->sign * turn[d];
            turns.fabric[d] += part * turn[d];
            turns.square[d] += part * turn[d] * turn[d];
        }
    }
    return turns;
}
