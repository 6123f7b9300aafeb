// SPDX-License-Identifier: MIT
// What a network knows of knitting: which loops a crossing belongs to, the clasps of their legs,
// and the stitches beside, below and above.
#include "geom/sort.h"
#include "net/maker.h"

#include <inttypes.h>
#include <string.h>

// --- loops along yarns ---

static HedStatus check_loop(const HedFabric* fabric, int32_t i, HedError* error) {
    const HedFabricLoop* loop = &fabric->loops[i];
    if (loop->yarn < 0 || loop->yarn >= fabric->yarn_count || loop->parent < -1 ||
        loop->parent >= i) {
        return hed_fail(error, HED_INVALID,
                        "loop %" PRId32 ": there are %" PRId32 " yarns, and a loop is pulled "
                        "through an earlier one, got yarn %" PRId32 " and loop %" PRId32,
                        i, fabric->yarn_count, loop->yarn, loop->parent);
    }
    int32_t last = fabric->yarns[loop->yarn].count - 1;
    if (!(loop->start >= 0.0 && loop->start <= loop->apex && loop->apex <= loop->end &&
          loop->end <= last)) {
        return hed_fail(error, HED_INVALID,
                        "loop %" PRId32 ": its places on yarn %" PRId32
                        " must rise and be from 0 to %" PRId32 ", got %g, %g and %g",
                        i, loop->yarn, last, loop->start, loop->apex, loop->end);
    }
    return HED_OK;
}

// Doubles that are not negative have the order of their bits; -0.0 has not.
static uint64_t key_of(double at) {
    double positive = at + 0.0;
    uint64_t key = 0;
    memcpy(&key, &positive, sizeof key);
    return key;
}

static HedStatus order_loops(HedNetMaker* m) {
    HedStatus status = HED_OK;
    const HedFabric* f = m->fabric;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, f->loop_count);
    m->loop_order = HED_NEW_ARRAY(int32_t, f->loop_count);
    m->first_loops = HED_NEW_ARRAY(int32_t, (int64_t)f->yarn_count + 1);
    if (!items || !m->loop_order || !m->first_loops) {
        HED_TRY(hed_fail_memory(m->error, "loops of a network"));
    }
    for (int32_t i = 0; i < f->loop_count; ++i) {
        HED_TRY(check_loop(f, i, m->error));
        items[i] = (HedSortItem){key_of(f->loops[i].start), i};
    }
    HED_TRY(hed_sort_items(items, f->loop_count, m->error));
    for (int32_t i = 0; i < f->loop_count; ++i) {
        items[i].key = (uint64_t)f->loops[items[i].value].yarn;
    }
    HED_TRY(hed_sort_items(items, f->loop_count, m->error));
    int32_t at = 0;
    for (int32_t yarn = 0; yarn <= f->yarn_count; ++yarn) {
        m->first_loops[yarn] = at;
        for (; at < f->loop_count && items[at].key == (uint64_t)yarn; ++at) {
            m->loop_order[at] = items[at].value;
        }
    }
done:
    hed_free(items);
    return status;
}

HedStatus hed_net_find_loops(HedNetMaker* m) {
    HedStatus status = order_loops(m);
    for (int32_t yarn = 0; yarn < m->fabric->yarn_count && status == HED_OK; ++yarn) {
        int32_t k = m->first_loops[yarn];
        int32_t end = m->first_loops[yarn + 1];
        for (int32_t v = m->first_visits[yarn]; v < m->first_visits[yarn + 1] && k < end; ++v) {
            double at = hed_net_place(m, m->visits[v]).at;
            while (k + 1 < end && m->fabric->loops[m->loop_order[k + 1]].start <= at) {
                ++k;
            }
            HedNetCrossing* c = &m->crossings[m->visits[v].crossing];
            c->loop[m->visits[v].is_over ? 0 : 1] = m->loop_order[k];
        }
    }
    return status;
}

// --- clasps ---

// The loop of a slot of a crossing node.
static int32_t loop_of(const HedNetMaker* m, int32_t node, int32_t slot) {
    const HedNetCrossing* c = &m->crossings[m->net->nodes[node].crossing];
    return c->loop[c->slot[0] == slot ? 0 : 1];
}

static bool is_new_over(const HedNetMaker* m, int32_t node) {
    return m->crossings[m->net->nodes[node].crossing].slot[0] == 0;
}

// Which half of the new loop a node is in: 0 to the head, 1 back.
static int32_t half_of(const HedNetMaker* m, int32_t node) {
    const HedFabricCrossing* c = &m->fabric->crossings[m->net->nodes[node].crossing];
    double at = is_new_over(m, node) ? c->over.at : c->under.at;
    return at < m->fabric->loops[loop_of(m, node, 0)].apex ? 0 : 1;
}

static bool is_crossing(const HedNetMaker* m, int32_t node) {
    return m->net->nodes[node].visit[1] >= 0;
}

// Whether the yarns are wrapped around each other from one visit of a new loop to the next: the
// same two loops, neighbours on both, and the one that was behind comes to the front.
static bool is_clasp(const HedNetMaker* m, int32_t visit) {
    const HedNetVisit* v = &m->net->visits[visit];
    if (v[0].slot != 0 || v[1].slot != 0 || !is_crossing(m, v[0].node) ||
        !is_crossing(m, v[1].node)) {
        return false;
    }
    int32_t a = v[0].node, b = v[1].node;
    int32_t step = m->net->nodes[b].visit[1] - m->net->nodes[a].visit[1];
    return (step == 1 || step == -1) && is_new_over(m, a) != is_new_over(m, b) &&
           loop_of(m, a, 0) == loop_of(m, b, 0) && loop_of(m, a, 1) == loop_of(m, b, 1) &&
           loop_of(m, a, 0) != loop_of(m, a, 1) && half_of(m, a) == half_of(m, b);
}

static HedStatus add_clasp(HedNetMaker* m, int32_t visit) {
    HedNet* net = m->net;
    if (net->clasp_count >= net->clasp_capacity &&
        !hed_array_grow((void**)&net->clasps, &net->clasp_capacity, (int64_t)net->clasp_count + 1,
                        sizeof net->clasps[0])) {
        return hed_fail_memory(m->error, "clasps of a network");
    }
    int32_t half = half_of(m, net->visits[visit].node);
    HedNetClasp clasp = {.foot = net->visits[visit + half].node,
                         .head = net->visits[visit + 1 - half].node};
    const HedNetNode* foot = &net->nodes[clasp.foot];
    const HedNetNode* head = &net->nodes[clasp.head];
    int32_t up = head->visit[0] - foot->visit[0];
    int32_t along = head->visit[1] - foot->visit[1];
    clasp.outer[0] = net->visits[foot->visit[0] - up].node;
    clasp.outer[1] = net->visits[head->visit[1] + along].node;
    const HedFabricLoop* loop = &m->fabric->loops[loop_of(m, clasp.foot, 0)];
    bool is_left = (half == 0) != loop->is_leftward;
    clasp.sign = is_left != loop->is_purl ? 1 : -1;
    net->visits[visit].clasp = net->clasp_count;
    net->visits[along > 0 ? foot->visit[1] : head->visit[1]].clasp = net->clasp_count;
    net->clasps[net->clasp_count++] = clasp;
    return HED_OK;
}

HedStatus hed_net_find_clasps(HedNetMaker* m) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i + 1 < m->net->visit_count && status == HED_OK; ++i) {
        if (is_clasp(m, i)) {
            status = add_clasp(m, i);
        }
    }
    return status;
}

// --- hinges ---

// One stitch: where its heads' clasps are, and its neighbours; -1 for none.
typedef struct Stitch {
    int32_t head[2];   // nodes: on the left, on the right
    int32_t beside[2]; // loops
    int32_t below, above;
} Stitch;

static void find_heads(const HedNetMaker* m, Stitch* stitches) {
    for (int32_t i = 0; i < m->net->clasp_count; ++i) {
        int32_t node = m->net->clasps[i].head;
        int32_t loop = loop_of(m, node, 0);
        const HedFabricLoop* l = &m->fabric->loops[loop];
        if (l->parent_count == 1 && l->parent == loop_of(m, node, 1)) {
            bool is_left = (half_of(m, node) == 0) != l->is_leftward;
            stitches[loop].head[is_left ? 0 : 1] = node;
        }
    }
}

// The loops before and after along the yarn, as far as it goes on in the same direction.
static void find_beside(const HedNetMaker* m, Stitch* stitches) {
    const HedFabricLoop* loops = m->fabric->loops;
    for (int32_t k = 0; k + 1 < m->fabric->loop_count; ++k) {
        int32_t a = m->loop_order[k], b = m->loop_order[k + 1];
        if (loops[a].yarn == loops[b].yarn && loops[a].is_leftward == loops[b].is_leftward) {
            bool is_left = loops[a].is_leftward;
            stitches[a].beside[is_left ? 0 : 1] = b;
            stitches[b].beside[is_left ? 1 : 0] = a;
        }
    }
}

static void find_above(const HedNetMaker* m, Stitch* stitches) {
    enum { MANY = -2 };
    for (int32_t i = 0; i < m->fabric->loop_count; ++i) {
        const HedFabricLoop* loop = &m->fabric->loops[i];
        if (loop->parent < 0) {
            continue;
        }
        Stitch* parent = &stitches[loop->parent];
        parent->above = parent->above == -1 && loop->parent_count == 1 ? i : MANY;
        stitches[i].below = loop->parent_count == 1 ? loop->parent : -1;
    }
}

// The stitches around one, if it is in the middle of rows and columns: those beside it are pulled
// through those beside the one below.
static bool find_around(const Stitch* stitches, int32_t i, int32_t around[4]) {
    const Stitch* s = &stitches[i];
    around[0] = s->beside[0];
    around[1] = s->beside[1];
    around[2] = s->below;
    around[3] = s->above;
    for (int32_t k = 0; k < 4; ++k) {
        if (around[k] < 0) {
            return false;
        }
    }
    for (int32_t side = 0; side < 2; ++side) {
        int32_t beside = stitches[around[side]].below;
        const Stitch* below = &stitches[s->below];
        if (beside < 0 || (beside != below->beside[0] && beside != below->beside[1])) {
            return false;
        }
    }
    return true;
}

static HedStatus add_hinge(HedNetMaker* m, const Stitch* stitches, int32_t i, int32_t side) {
    HedNet* net = m->net;
    int32_t around[4];
    if (stitches[i].head[side] < 0 || !find_around(stitches, i, around)) {
        return HED_OK;
    }
    int32_t nodes[4];
    for (int32_t k = 0; k < 4; ++k) {
        nodes[k] = stitches[around[k]].head[side];
        if (nodes[k] < 0) {
            return HED_OK;
        }
    }
    if (net->hinge_count >= net->hinge_capacity &&
        !hed_array_grow((void**)&net->hinges, &net->hinge_capacity, (int64_t)net->hinge_count + 1,
                        sizeof net->hinges[0])) {
        return hed_fail_memory(m->error, "hinges of a network");
    }
    net->hinges[net->hinge_count++] = (HedNetHinge){.centre = stitches[i].head[side],
                                                    .along = {nodes[0], nodes[1]},
                                                    .across = {nodes[2], nodes[3]},
                                                    .sign = m->fabric->loops[i].is_purl ? -1 : 1};
    return HED_OK;
}

HedStatus hed_net_find_hinges(HedNetMaker* m) {
    HedStatus status = HED_OK;
    int32_t count = m->fabric->loop_count;
    Stitch* stitches = HED_NEW_ARRAY(Stitch, count);
    if (!stitches) {
        return hed_fail_memory(m->error, "stitches of a network");
    }
    for (int32_t i = 0; i < count; ++i) {
        stitches[i] = (Stitch){{-1, -1}, {-1, -1}, -1, -1};
    }
    find_heads(m, stitches);
    find_beside(m, stitches);
    find_above(m, stitches);
    for (int32_t i = 0; i < count && status == HED_OK; ++i) {
        for (int32_t side = 0; side < 2 && status == HED_OK; ++side) {
            status = add_hinge(m, stitches, i, side);
        }
    }
    hed_free(stitches);
    return status;
}
