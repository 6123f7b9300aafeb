// SPDX-License-Identifier: MIT
#include "eol/skin.h"

#include "base/alloc.h"
#include "base/status.h"
#include "math/vec3.h"

#include <math.h>

enum { SIDES = 4, MOST_CORNERS = 16 };

// An edge as seen from one of its nodes: side k of a node is f0, f1, b0, b1. Number 4 node + side.
typedef struct SkinGraph {
    const HedNet* net;
    int32_t* other;  // per side: the same edge from its other end; -1: there is none
    HedVec3* normal; // per node, unit; zero where yarns are straight on one line
    int8_t* lean;    // per node: 1 or -1 times its normal leans to the common side; 0: not known
    int32_t* queue;
    bool* is_done; // per side: its face was found
} SkinGraph;

// --- edges ---

static int32_t side_of(const HedNetVisit* visit, bool goes_on) {
    return SIDES * visit->node + visit->slot + (goes_on ? 0 : 2);
}

static void join_sides(SkinGraph* graph) {
    const HedNet* net = graph->net;
    for (int32_t k = 0; k < SIDES * net->node_count; ++k) {
        graph->other[k] = -1;
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        int32_t first = net->yarns[y].first;
        for (int32_t v = first; v + 1 < first + net->yarns[y].count; ++v) {
            int32_t from = side_of(&net->visits[v], true);
            int32_t to = side_of(&net->visits[v + 1], false);
            graph->other[from] = to;
            graph->other[to] = from;
        }
    }
}

static HedVec3 unit_between(const HedNet* net, int32_t a, int32_t b) {
    HedVec3 d = hed_sub3(net->nodes[b].position, net->nodes[a].position);
    double length = hed_norm3(d);
    return length > 0.0 ? hed_mul3(1.0 / length, d) : (HedVec3){0};
}

// The sum of a yarn's unit directions to and from a node.
static HedVec3 direction_of(const SkinGraph* graph, int32_t node, int slot) {
    HedVec3 sum = {0};
    for (int back = 0; back < 2; ++back) {
        int32_t far = graph->other[SIDES * node + slot + 2 * back];
        if (far >= 0) {
            HedVec3 d = unit_between(graph->net, node, far / SIDES);
            sum = hed_madd3(sum, back ? -1.0 : 1.0, d);
        }
    }
    return sum;
}

static void find_normals(SkinGraph* graph) {
    for (int32_t i = 0; i < graph->net->node_count; ++i) {
        HedVec3 n = hed_cross3(direction_of(graph, i, 0), direction_of(graph, i, 1));
        double size = hed_norm3(n);
        graph->normal[i] = size > 1e-9 ? hed_mul3(1.0 / size, n) : (HedVec3){0};
        graph->lean[i] = 0;
    }
}

// From node to node along the edges: neighbours lean to one side.
static void spread_lean(SkinGraph* graph, int32_t seed) {
    int32_t count = 0;
    graph->lean[seed] = 1;
    graph->queue[count++] = seed;
    for (int32_t k = 0; k < count; ++k) {
        int32_t i = graph->queue[k];
        for (int s = 0; s < SIDES; ++s) {
            int32_t far = graph->other[SIDES * i + s];
            int32_t j = far / SIDES;
            if (far < 0 || graph->lean[j] != 0) {
                continue;
            }
            double same = hed_dot3(graph->normal[i], graph->normal[j]);
            graph->lean[j] = (int8_t)(same < 0.0 ? -graph->lean[i] : graph->lean[i]);
            graph->queue[count++] = j;
        }
    }
}

// --- faces ---

// The next edge there is around a node after one side, towards the common side's left.
static int32_t turn(const SkinGraph* graph, int32_t side) {
    int32_t node = side / SIDES;
    int step = graph->lean[node] > 0 ? SIDES - 1 : 1;
    int32_t at = side % SIDES;
    do {
        at = (at + step) % SIDES;
    } while (graph->other[SIDES * node + at] < 0);
    return SIDES * node + at;
}

// The corners of the face to the left of an edge; how many there are, 0 for a hole.
static int32_t walk(SkinGraph* graph, int32_t start, int32_t corners[MOST_CORNERS]) {
    int32_t count = 0;
    int32_t side = start;
    do {
        graph->is_done[side] = true;
        if (count < MOST_CORNERS) {
            corners[count] = side / SIDES;
        }
        count += 1;
        side = turn(graph, graph->other[side]);
    } while (side != start && !graph->is_done[side]);
    return side == start && count <= MOST_CORNERS ? count : 0;
}

// Whether corners go round as they do around a face, seen from the common side: the outside of a
// small net has few corners, too, but goes round the other way.
static bool is_inside(const SkinGraph* graph, const int32_t* corners, int32_t count) {
    const HedNet* net = graph->net;
    HedVec3 area = {0}, side = {0};
    HedVec3 first = net->nodes[corners[0]].position;
    for (int32_t k = 0; k < count; ++k) {
        int32_t i = corners[k];
        HedVec3 a = hed_sub3(net->nodes[i].position, first);
        HedVec3 b = hed_sub3(net->nodes[corners[(k + 1) % count]].position, first);
        area = hed_add3(area, hed_cross3(a, b));
        side = hed_madd3(side, graph->lean[i], graph->normal[i]);
    }
    return hed_dot3(area, side) > 0.0;
}

// Cut from the corner whose farthest diagonal is the shortest.
static bool add_face(HedSkin* skin, const HedNet* net, const int32_t* corners, int32_t count) {
    int32_t best = 0;
    double least = HUGE_VAL;
    for (int32_t k = 0; k < count; ++k) {
        double longest = 0.0;
        for (int32_t m = 2; m + 1 < count; ++m) {
            int32_t far = corners[(k + m) % count];
            longest = fmax(
                longest, hed_distance3(net->nodes[corners[k]].position, net->nodes[far].position));
        }
        best = longest < least ? k : best;
        least = fmin(least, longest);
    }
    for (int32_t m = 1; m + 1 < count; ++m) {
        int32_t t[3] = {corners[best], corners[(best + m) % count],
                        corners[(best + m + 1) % count]};
        bool differs = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        for (int k = 0; k < 3 && differs; ++k) {
            if (!HED_APPEND(&skin->triangles, t[k])) {
                return false;
            }
        }
    }
    return true;
}

// Edges that lead to an end of a yarn are no side of a face.
static void cut_tails(SkinGraph* graph) {
    const HedNet* net = graph->net;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        int32_t ends[2] = {net->yarns[y].first, net->yarns[y].first + net->yarns[y].count - 1};
        for (int e = 0; e < 2; ++e) {
            int32_t side = side_of(&net->visits[ends[e]], e == 0);
            // Along samples of one yarn up to the first crossing.
            while (side >= 0 && net->nodes[side / SIDES].sign == 0 && graph->other[side] >= 0) {
                int32_t far = graph->other[side];
                graph->other[side] = graph->other[far] = -1;
                side = SIDES * (far / SIDES) + (far % SIDES + 2) % SIDES;
            }
        }
    }
}

HedStatus hed_skin_create(const HedNet* net, HedSkin* skin, HedError* error) {
    SkinGraph graph = {.net = net};
    HedStatus status = HED_OK;
    int64_t nodes = net->node_count;
    graph.other = HED_NEW_ARRAY(int32_t, SIDES * nodes);
    graph.normal = HED_NEW_ARRAY(HedVec3, nodes);
    graph.lean = HED_NEW_ARRAY(int8_t, nodes);
    graph.queue = HED_NEW_ARRAY(int32_t, nodes);
    graph.is_done = HED_NEW_ARRAY(bool, SIDES* nodes);
    bool ok = graph.other && graph.normal && graph.lean && graph.queue && graph.is_done;
    if (ok) {
        join_sides(&graph);
        find_normals(&graph);
        for (int32_t i = 0; i < net->node_count; ++i) {
            if (graph.lean[i] == 0 && net->nodes[i].sign != 0) {
                spread_lean(&graph, i);
            }
        }
        cut_tails(&graph);
    }
    for (int32_t side = 0; ok && side < SIDES * net->node_count; ++side) {
        int32_t corners[MOST_CORNERS];
        if (graph.other[side] >= 0 && !graph.is_done[side]) {
            int32_t count = walk(&graph, side, corners);
            ok = count < 3 || !is_inside(&graph, corners, count) ||
                 add_face(skin, net, corners, count);
        }
    }
    status = ok ? HED_OK : hed_fail_memory(error, "the skin of sliding yarns");
    hed_free(graph.other);
    hed_free(graph.normal);
    hed_free(graph.lean);
    hed_free(graph.queue);
    hed_free(graph.is_done);
    return status;
}
