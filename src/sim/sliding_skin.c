// SPDX-License-Identifier: MIT
// How sliding yarns meet other cloth: the ends that stick out of their skins, and skins by what is
// seen of them, vertices of their curves.
#include "base/alloc.h"
#include "sim/internal.h"
#include "sim/surfaces.h"

// --- ends ---

// Nodes of a set that are corners of its skin.
static void mark_covered(const HedSlidingSet* set, bool* is_covered) {
    for (int32_t k = 0; k < set->skin.triangles.count; ++k) {
        is_covered[set->skin.triangles.data[k]] = true;
    }
}

// Where a yarn sticks out of the skin: from its last corner to the end.
static bool add_ends(const HedSlidingSet* set, const bool* is_covered, HedSurfaces* surfaces) {
    const HedNet* net = &set->net;
    bool ok = true;
    for (int32_t y = 0; y < net->yarn_count && ok; ++y) {
        const HedNetVisit* visits = net->visits + net->yarns[y].first;
        for (int32_t v = 0; v + 1 < net->yarns[y].count && ok; ++v) {
            int32_t a = visits[v].node, b = visits[v + 1].node;
            if (a != b && !(is_covered[a] && is_covered[b])) {
                ok = hed_surfaces_add_segment(surfaces, set->first_point + a, set->first_point + b);
            }
        }
    }
    return ok;
}

bool hed_sliding_add_ends(const HedSim* sim, HedSurfaces* surfaces) {
    bool ok = true;
    for (int32_t s = 0; s < sim->sliding.sets.count && ok; ++s) {
        const HedSlidingSet* set = sim->sliding.sets.data[s];
        bool* is_covered = HED_NEW_ARRAY(bool, set->net.node_count);
        ok = is_covered != NULL;
        if (ok) {
            mark_covered(set, is_covered);
            ok = add_ends(set, is_covered, surfaces);
        }
        hed_free(is_covered);
    }
    return ok;
}

// Whether a yarn still goes from one node straight to the other.
static bool goes_on(const HedNet* net, int32_t a, int32_t b) {
    for (int s = 0; s < 2; ++s) {
        int32_t v = net->nodes[a].visit[s];
        if (v < 0) {
            continue;
        }
        const HedNetYarn* yarn = &net->yarns[net->visits[v].yarn];
        bool is_last = v + 1 >= yarn->first + yarn->count;
        if ((!is_last && net->visits[v + 1].node == b) ||
            (v > yarn->first && net->visits[v - 1].node == b)) {
            return true;
        }
    }
    return false;
}

void hed_sliding_follow_ends(HedSim* sim) {
    HedSelf* self = &sim->self;
    for (int32_t s = 0; s < self->def.segment_count && sim->sliding.sets.count > 0; ++s) {
        const int32_t* p = self->triangles + 3 * ((int64_t)self->def.triangle_count + s);
        const HedCloth* cloth = hed_sim_cloth_at(sim, p[0]);
        const HedSlidingSet* set = cloth->sliding;
        if (set) {
            self->is_off[s] = !goes_on(&set->net, p[0] - set->first_point, p[1] - set->first_point);
        }
    }
}

// --- skins ---

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
