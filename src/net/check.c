// SPDX-License-Identifier: MIT
// Is it a network? Everything that the engine relies on, with a name for what is wrong.
#include "base/status.h"
#include "heddle/net.h"
#include "math/vec3.h"

#include <inttypes.h>

// --- nodes ---

// Whether a node says of a slot what the visits say.
static bool agrees(const HedNet* net, int32_t node, int32_t slot) {
    int32_t visit = net->nodes[node].visit[slot];
    return visit >= 0 && visit < net->visit_count && net->visits[visit].node == node &&
           net->visits[visit].slot == slot;
}

static bool is_crossing(const HedNetNode* node) {
    return node->visit[1] != -1;
}

static HedStatus check_node(const HedNet* net, int32_t i, HedError* error) {
    const HedNetNode* node = &net->nodes[i];
    HedVec3 x = node->position;
    if (!hed_is_finite3(x)) {
        return hed_fail(error, HED_INVALID,
                        "node %" PRId32 ": its position must be finite, got (%g, %g, %g)", i, x.x,
                        x.y, x.z);
    }
    if (is_crossing(node) != (node->sign != 0)) {
        return hed_fail(error, HED_INVALID,
                        "node %" PRId32 ": a crossing needs two yarns and a sign, got %s and the "
                        "sign %" PRId32,
                        i, is_crossing(node) ? "two" : "one", node->sign);
    }
    if (node->sign < -1 || node->sign > 1) {
        return hed_fail(error, HED_INVALID,
                        "node %" PRId32 ": a sign must be -1, 0 or 1, got %" PRId32, i, node->sign);
    }
    for (int32_t slot = 0; slot < (is_crossing(node) ? 2 : 1); ++slot) {
        if (!agrees(net, i, slot)) {
            return hed_fail(error, HED_INVALID,
                            "node %" PRId32 ", slot %" PRId32 ": visit %" PRId32 " of %" PRId32
                            " is not one of this node and slot",
                            i, slot, node->visit[slot], net->visit_count);
        }
    }
    return HED_OK;
}

// --- yarns ---

static HedStatus check_visit(const HedNet* net, int32_t yarn, int32_t k, HedError* error) {
    const HedNetYarn* y = &net->yarns[yarn];
    const HedNetVisit* v = &net->visits[y->first + k];
    bool is_end = k == 0 || k + 1 == y->count;
    const char* wrong = NULL;
    if (v->node < 0 || v->node >= net->node_count || v->slot < 0 || v->slot > 1) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'), visit %" PRId32 ": there are %" PRId32
                        " nodes with slots 0 and 1, got node %" PRId32 ", slot %" PRId32,
                        yarn, y->name, k, net->node_count, v->node, v->slot);
    }
    const HedNetNode* node = &net->nodes[v->node];
    if (node->visit[v->slot] != y->first + k) {
        wrong = "is not the one that the node has in this slot";
    } else if (v->yarn != yarn) {
        wrong = "names another yarn";
    } else if (is_end && is_crossing(node)) {
        wrong = "is a crossing, but a yarn must end in a node of its own";
    } else if (v->clasp < -1 || v->clasp >= net->clasp_count || (is_end && v->clasp != -1)) {
        wrong = "runs along a clasp that is not there";
    }
    if (wrong) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'), visit %" PRId32 " (node %" PRId32
                        ", slot %" PRId32 "): %s",
                        yarn, y->name, k, v->node, v->slot, wrong);
    }
    return HED_OK;
}

// From visit k - 1 to visit k.
static HedStatus check_step(const HedNet* net, int32_t yarn, int32_t k, HedError* error) {
    const HedNetYarn* y = &net->yarns[yarn];
    const HedNetVisit* v = &net->visits[y->first + k];
    double before = k > 0 ? v[-1].at : -1.0;
    if (!isfinite(v->at) || !(v->at > before)) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'), visit %" PRId32 " (node %" PRId32
                        "): places along a yarn must rise from 0, got %g m after %g m",
                        yarn, y->name, k, v->node, v->at, k > 0 ? before : 0.0);
    }
    if (k > 0 &&
        !(hed_distance3(net->nodes[v->node].position, net->nodes[v[-1].node].position) > 0.0)) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'), visit %" PRId32 ": nodes %" PRId32 " and %" PRId32
                        " stand in the same place",
                        yarn, y->name, k, v[-1].node, v->node);
    }
    return HED_OK;
}

static HedStatus check_yarn(const HedNet* net, int32_t i, int32_t first, HedError* error) {
    HedStatus status = HED_OK;
    const HedNetYarn* y = &net->yarns[i];
    if (y->first != first || y->count < 2 || y->count > net->visit_count - first) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32
                        " ('%s'): it must have 2 visits or more, from number %" PRId32
                        " of %" PRId32 " on, got %" PRId32 " from number %" PRId32 " on",
                        i, y->name, first, net->visit_count, y->count, y->first);
    }
    if (!(y->radius > 0.0) || !isfinite(y->radius) || !(y->linear_density >= 0.0) ||
        !isfinite(y->linear_density)) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " ('%s'): the radius must be positive and the linear "
                        "density zero or more, got %g m and %g kg/m",
                        i, y->name, y->radius, y->linear_density);
    }
    for (int32_t k = 0; k < y->count; ++k) {
        HED_TRY(check_visit(net, i, k, error));
        HED_TRY(check_step(net, i, k, error));
    }
done:
    return status;
}

static HedStatus check_yarns(const HedNet* net, HedError* error) {
    HedStatus status = HED_OK;
    int32_t first = 0;
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        HED_TRY(check_yarn(net, i, first, error));
        first += net->yarns[i].count;
    }
    if (first != net->visit_count) {
        status = hed_fail(error, HED_INVALID, "the yarns have %" PRId32 " visits, got %" PRId32,
                          first, net->visit_count);
    }
done:
    return status;
}

// --- clasps and hinges ---

static bool is_node(const HedNet* net, int32_t node) {
    return node >= 0 && node < net->node_count;
}

// Which way along the yarn of a slot it is from one crossing to the next: 1, -1, or 0 if they are
// no neighbours there.
static int32_t way(const HedNet* net, int32_t from, int32_t to, int32_t slot) {
    int32_t step = net->nodes[to].visit[slot] - net->nodes[from].visit[slot];
    return step == 1 || step == -1 ? step : 0;
}

static bool is_clasp(const HedNet* net, int32_t index) {
    const HedNetClasp* c = &net->clasps[index];
    if (!is_node(net, c->foot) || !is_node(net, c->head) || (c->sign != 1 && c->sign != -1) ||
        !is_crossing(&net->nodes[c->foot]) || !is_crossing(&net->nodes[c->head])) {
        return false;
    }
    int32_t up = way(net, c->foot, c->head, 0);
    int32_t along = way(net, c->foot, c->head, 1);
    if (up == 0 || along == 0) {
        return false;
    }
    // The visits that the two yarns leave the clasp's first node by.
    const HedNetNode* foot = &net->nodes[c->foot];
    const HedNetNode* head = &net->nodes[c->head];
    int32_t leaves_new = up > 0 ? foot->visit[0] : head->visit[0];
    int32_t leaves_old = along > 0 ? foot->visit[1] : head->visit[1];
    return net->visits[leaves_new].clasp == index && net->visits[leaves_old].clasp == index &&
           c->outer[0] == net->visits[foot->visit[0] - up].node &&
           c->outer[1] == net->visits[head->visit[1] + along].node;
}

static bool is_hinge(const HedNet* net, const HedNetHinge* h) {
    const int32_t nodes[5] = {h->centre, h->along[0], h->along[1], h->across[0], h->across[1]};
    bool is_good = h->sign == 1 || h->sign == -1;
    for (int32_t i = 0; i < 5; ++i) {
        is_good = is_good && is_node(net, nodes[i]);
        for (int32_t k = 0; k < i; ++k) {
            is_good = is_good && nodes[k] != nodes[i];
        }
    }
    return is_good;
}

static HedStatus check_stitches(const HedNet* net, HedError* error) {
    for (int32_t i = 0; i < net->clasp_count; ++i) {
        const HedNetClasp* c = &net->clasps[i];
        if (!is_clasp(net, i)) {
            return hed_fail(error, HED_INVALID,
                            "clasp %" PRId32 ": nodes %" PRId32 " and %" PRId32 " with %" PRId32
                            " and %" PRId32 " beyond them and the sign %" PRId32
                            " are no neighbours on two yarns",
                            i, c->foot, c->head, c->outer[0], c->outer[1], c->sign);
        }
    }
    for (int32_t i = 0; i < net->hinge_count; ++i) {
        const HedNetHinge* h = &net->hinges[i];
        if (!is_hinge(net, h)) {
            return hed_fail(error, HED_INVALID,
                            "hinge %" PRId32 " around node %" PRId32 " must have five nodes and a "
                            "sign, got %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32
                            " around it and the sign %" PRId32,
                            i, h->centre, h->along[0], h->along[1], h->across[0], h->across[1],
                            h->sign);
        }
    }
    return HED_OK;
}

static HedStatus check_counts(const HedNet* net, HedError* error) {
    const struct {
        const char* name;
        const void* data;
        int32_t count;
    } parts[] = {{"nodes", net->nodes, net->node_count},
                 {"visits", net->visits, net->visit_count},
                 {"yarns", net->yarns, net->yarn_count},
                 {"clasps", net->clasps, net->clasp_count},
                 {"hinges", net->hinges, net->hinge_count}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (parts[i].count < 0 || (parts[i].count > 0 && !parts[i].data)) {
            return hed_fail(error, HED_INVALID, "a network says it has %" PRId32 " %s, %s",
                            parts[i].count, parts[i].name,
                            parts[i].data ? "fewer than none" : "but holds none");
        }
    }
    if (net->node_count == 0 || !(net->spacing > 0.0) || !isfinite(net->spacing)) {
        return hed_fail(error, HED_INVALID,
                        "a network needs nodes and a positive spacing, got %" PRId32 " and %g m",
                        net->node_count, net->spacing);
    }
    return HED_OK;
}

HedStatus hed_net_check(const HedNet* net, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(check_counts(net, error));
    for (int32_t i = 0; i < net->node_count; ++i) {
        HED_TRY(check_node(net, i, error));
    }
    HED_TRY(check_yarns(net, error));
    HED_TRY(check_stitches(net, error));
done:
    return status;
}
