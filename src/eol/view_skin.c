// SPDX-License-Identifier: MIT
// How sliding yarns meet other cloth: the ends that stick out of their skins, and skins by what is
// seen of them, vertices of their curves.
#include "base/alloc.h"
#include "eol/eol.h"

// --- ends ---

// Nodes that are corners of the skin.
static void mark_covered(const HedEolView* view, bool* is_covered) {
    for (int32_t k = 0; k < view->skin.triangles.count; ++k) {
        is_covered[view->skin.triangles.data[k]] = true;
    }
}

// Where a yarn sticks out of the skin: from its last corner to the end.
static bool add_ends(HedEolView* view, const bool* is_covered) {
    const HedNet* net = &view->net;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetVisit* visits = net->visits + net->yarns[y].first;
        for (int32_t v = 0; v + 1 < net->yarns[y].count; ++v) {
            int32_t a = visits[v].node, b = visits[v + 1].node;
            if (a != b && !(is_covered[a] && is_covered[b])) {
                if (!HED_RESERVE(&view->ends, 2)) {
                    return false;
                }
                view->ends.data[view->ends.count++] = a;
                view->ends.data[view->ends.count++] = b;
            }
        }
    }
    return true;
}

bool hed_eol_view_find_ends(HedEolView* view) {
    bool* is_covered = HED_NEW_ARRAY(bool, view->net.node_count);
    if (!is_covered) {
        return false;
    }
    mark_covered(view, is_covered);
    bool ok = add_ends(view, is_covered);
    hed_free(is_covered);
    return ok;
}

bool hed_eol_view_has_segment(const HedEol* eol, int32_t a, int32_t b) {
    const HedNet* net = &eol->view.net;
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

bool hed_eol_view_skin(const HedEolView* view, int32_t* corners) {
    int32_t* vertices = HED_NEW_ARRAY(int32_t, 2 * (int64_t)view->net.node_count);
    if (!vertices) {
        return false;
    }
    find_vertices(&view->net, vertices);
    for (int32_t k = 0; k < view->skin.triangles.count; ++k) {
        corners = add_corner(corners, vertices, view->skin.triangles.data[k]);
    }
    hed_free(vertices);
    return true;
}
