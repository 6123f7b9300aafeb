// SPDX-License-Identifier: MIT
// Skins of sliding yarns by what is seen of them: vertices of their curves.
#include "base/alloc.h"
#include "sim/internal.h"

// The vertices of the curves at the two visits of each node, the same twice at a node of one yarn.
static void find_vertices(const HedNet* net, int32_t* vertices) {
    int32_t at = 0;
    for (int32_t k = 0; k < 2 * net->node_count; ++k) {
        vertices[k] = -1;
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t v = yarn->first; v < yarn->first + yarn->count; ++v) {
            int32_t* own = vertices + 2 * (int64_t)net->visits[v].node;
            own[own[0] >= 0] = at;
            bool is_last = v + 1 == yarn->first + yarn->count;
            at += is_last ? 1 : hed_net_piece_points(net, v, HED_SLIDING_SAMPLES);
        }
    }
    for (int32_t n = 0; n < net->node_count; ++n) {
        int32_t* own = vertices + 2 * (int64_t)n;
        own[1] = own[1] >= 0 ? own[1] : own[0];
    }
}

static int32_t* add_corner(int32_t* corners, const int32_t* vertices, int32_t node) {
    corners[0] = vertices[2 * (int64_t)node];
    corners[1] = vertices[2 * (int64_t)node + 1];
    return corners + 2;
}

static int32_t add_triangles(const HedSlidingSet* set, const int32_t* vertices, int32_t* corners) {
    int32_t count = set->skin.triangles.count / 3;
    for (int32_t k = 0; k < 3 * count && corners; ++k) {
        corners = add_corner(corners, vertices, set->skin.triangles.data[k]);
    }
    return count;
}

int32_t hed_sliding_skin(const HedSim* sim, HedYarnsId yarns, int32_t* corners) {
    const HedCloth* cloth = hed_sim_find_yarns(sim, yarns, NULL);
    if (!cloth || !cloth->sliding) {
        return 0;
    }
    const HedSlidingSet* set = cloth->sliding;
    int32_t* vertices = corners ? HED_NEW_ARRAY(int32_t, 2 * (int64_t)set->net.node_count) : NULL;
    if (corners && !vertices) {
        return -1;
    }
    if (corners) {
        find_vertices(&set->net, vertices);
    }
    int32_t count = add_triangles(set, vertices, corners);
    hed_free(vertices);
    return count;
}
