// SPDX-License-Identifier: MIT
// Along the yarns of a fabric: an end, crossings with samples between them where the yarn bows out,
// and an end.
#include "fabric/fabric.h"
#include "net/maker.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double hed_net_arc(const HedFabric* fabric, int32_t yarn, double a, double b) {
    const HedVec3* x = fabric->points + fabric->yarns[yarn].first;
    HedVec3 last = hed_net_point(fabric, (HedFabricPlace){yarn, a});
    double length = 0.0;
    for (int32_t k = (int32_t)floor(a) + 1; k < b; ++k) {
        length += hed_distance3(last, x[k]);
        last = x[k];
    }
    return length + hed_distance3(last, hed_net_point(fabric, (HedFabricPlace){yarn, b}));
}

// A stretch of a yarn of the fabric that becomes a yarn of the network.
typedef struct NetStretch {
    int32_t yarn;
    double start, end;         // places
    int32_t first, last_visit; // of the maker; the last is not part of it
    double ratio;              // length of the curve over that of its straight pieces
} NetStretch;

typedef struct Interval {
    double from, to; // places
} Interval;

typedef struct Walker {
    HedNetMaker* m;
    HED_ARRAY(Interval) open; // of a stretch that is being sampled
    int32_t lone_count;       // yarns that cross nothing
} Walker;

// --- nodes and visits ---

static bool grow(void** data, int32_t* capacity, int32_t count, size_t size) {
    return count < *capacity || hed_array_grow(data, capacity, (int64_t)count + 1, size);
}

static HedStatus add_node(HedNetMaker* m, HedVec3 position, int32_t crossing) {
    HedNet* net = m->net;
    if (!grow((void**)&net->nodes, &net->node_capacity, net->node_count, sizeof net->nodes[0])) {
        return hed_fail_memory(m->error, "nodes of a network");
    }
    net->nodes[net->node_count++] =
        (HedNetNode){.position = position, .visit = {-1, -1}, .crossing = crossing};
    return HED_OK;
}

static HedStatus add_visit(HedNetMaker* m, int32_t node, int32_t slot) {
    HedNet* net = m->net;
    HedNetYarn* yarn = &net->yarns[net->yarn_count - 1];
    if (!grow((void**)&net->visits, &net->visit_capacity, net->visit_count,
              sizeof net->visits[0])) {
        return hed_fail_memory(m->error, "visits of a network");
    }
    HedNetVisit visit = {.node = node, .slot = slot, .yarn = net->yarn_count - 1, .clasp = -1};
    if (yarn->count > 0) {
        const HedNetVisit* before = &net->visits[net->visit_count - 1];
        visit.at = before->at +
                   hed_distance3(net->nodes[before->node].position, net->nodes[node].position);
    }
    net->nodes[node].visit[slot] = net->visit_count;
    net->visits[net->visit_count++] = visit;
    yarn->count += 1;
    return HED_OK;
}

// An end or a sample.
static HedStatus add_point(HedNetMaker* m, HedVec3 position) {
    HedStatus status = add_node(m, position, -1);
    return status == HED_OK ? add_visit(m, m->net->node_count - 1, 0) : status;
}

static HedStatus add_crossing(HedNetMaker* m, HedFabricVisit visit) {
    HedStatus status = HED_OK;
    HedNetCrossing* made = &m->crossings[visit.crossing];
    if (made->node < 0) {
        const HedFabricCrossing* c = &m->fabric->crossings[visit.crossing];
        HedVec3 over = hed_net_point(m->fabric, c->over);
        HedVec3 under = hed_net_point(m->fabric, c->under);
        made->node = m->net->node_count;
        HED_TRY(add_node(m, hed_lerp3(over, under, 0.5), visit.crossing));
    }
    HED_TRY(add_visit(m, made->node, made->slot[visit.is_over ? 0 : 1]));
done:
    return status;
}

// --- samples ---

double hed_net_farthest(const HedNetMaker* m, int32_t yarn, double from, double to) {
    const HedFabric* f = m->fabric;
    HedVec3 a = hed_net_point(f, (HedFabricPlace){yarn, from});
    HedVec3 b = hed_net_point(f, (HedFabricPlace){yarn, to});
    HedVec3 along = hed_sub3(b, a);
    double square = hed_dot3(along, along);
    double most = m->def->bow * m->net->spacing;
    double found = -1.0;
    for (int32_t k = (int32_t)floor(from) + 1; k < to; ++k) {
        HedVec3 p = f->points[f->yarns[yarn].first + k];
        double s = square > 0.0 ? hed_dot3(hed_sub3(p, a), along) / square : 0.0;
        double far = hed_distance3(p, hed_madd3(a, fmin(fmax(s, 0.0), 1.0), along));
        if (far > most) {
            most = far;
            found = k;
        }
    }
    return found;
}

// Samples between two places, both of which have nodes, moved by `shift`. A stretch is cut at its
// farthest point until each part is nearly straight.
static HedStatus add_samples(Walker* w, int32_t yarn, Interval whole, HedVec3 shift) {
    HedStatus status = HED_OK;
    HedNetMaker* m = w->m;
    w->open.count = 0;
    bool has_room = HED_APPEND(&w->open, whole);
    while (has_room && w->open.count > 0) {
        Interval way = w->open.data[--w->open.count];
        double far = hed_net_farthest(m, yarn, way.from, way.to);
        if (far >= 0.0) {
            has_room = HED_APPEND(&w->open, (Interval){far, way.to}) &&
                       HED_APPEND(&w->open, (Interval){way.from, far});
        } else if (way.to < whole.to) {
            HedVec3 x = hed_net_point(m->fabric, (HedFabricPlace){yarn, way.to});
            HED_TRY(add_point(m, hed_add3(x, shift)));
        }
    }
    if (!has_room) {
        status = hed_fail_memory(m->error, "samples of a network");
    }
done:
    return status;
}

// --- tails ---

// The yarn beyond its first or last crossing, at the level of the node.
typedef struct Tail {
    HedVec3 end;   // m
    HedVec3 shift; // m, from the curve to the nodes
    double added;  // m, of yarn that was not there
} Tail;

static Tail make_tail(const HedNetMaker* m, const NetStretch* piece, HedFabricVisit visit,
                      bool is_start) {
    HedFabricPlace place = hed_net_place(m, visit);
    HedFabricPlace end = {piece->yarn, is_start ? piece->start : piece->end};
    HedFabricPlace inside = {piece->yarn, is_start ? fmin(place.at + 1.0, piece->end)
                                                   : fmax(place.at - 1.0, piece->start)};
    HedVec3 x = hed_net_point(m->fabric, place);
    const HedFabricCrossing* c = &m->fabric->crossings[visit.crossing];
    HedVec3 other = hed_net_point(m->fabric, visit.is_over ? c->under : c->over);
    Tail tail = {.shift = hed_mul3(0.5, hed_sub3(other, x))};
    tail.end = hed_net_point(m->fabric, end);
    double there = hed_distance3(tail.end, x);
    double least = m->def->tail * m->net->spacing;
    if (there < least) {
        HedVec3 inward = hed_sub3(hed_net_point(m->fabric, inside), x);
        HedVec3 back = hed_unit3(hed_mul3(-1.0, inward), (HedVec3){1.0, 0.0, 0.0});
        HedVec3 out = there > 1e-3 * least ? hed_sub3(tail.end, x) : back;
        tail.end = hed_madd3(x, least, hed_unit3(out, back));
        tail.added = least - there;
    }
    tail.end = hed_add3(tail.end, tail.shift);
    return tail;
}

// --- yarns ---

static HedStatus begin(Walker* w, const NetStretch* piece) {
    HedNet* net = w->m->net;
    if (!grow((void**)&net->yarns, &net->yarn_capacity, net->yarn_count, sizeof net->yarns[0])) {
        return hed_fail_memory(w->m->error, "yarns of a network");
    }
    const HedFabricYarn* yarn = &w->m->fabric->yarns[piece->yarn];
    HedNetYarn* made = &net->yarns[net->yarn_count++];
    *made = (HedNetYarn){.first = net->visit_count,
                         .source = piece->yarn,
                         .color = yarn->color,
                         .radius = 0.5 * yarn->diameter,
                         .holds_ends = w->m->fabric->loop_count > 0};
    memcpy(made->name, yarn->name, sizeof made->name);
    return HED_OK;
}

// The mass of the curve on the straight pieces between nodes.
static void weigh(Walker* w, const NetStretch* piece, double added) {
    const HedNet* net = w->m->net;
    HedNetYarn* made = &net->yarns[net->yarn_count - 1];
    double length = hed_net_arc(w->m->fabric, piece->yarn, piece->start, piece->end);
    double straight = net->visits[net->visit_count - 1].at;
    double density = w->m->fabric->yarns[piece->yarn].linear_density;
    made->linear_density =
        straight > 0.0 ? density * (length * piece->ratio + added) / straight : density;
}

// A yarn that crosses nothing.
static HedStatus walk_lone(Walker* w, const NetStretch* piece) {
    HedStatus status = HED_OK;
    const HedFabric* f = w->m->fabric;
    HED_TRY(add_point(w->m, hed_net_point(f, (HedFabricPlace){piece->yarn, piece->start})));
    HED_TRY(add_samples(w, piece->yarn, (Interval){piece->start, piece->end},
                        (HedVec3){0.0, 0.0, 0.0}));
    HED_TRY(add_point(w->m, hed_net_point(f, (HedFabricPlace){piece->yarn, piece->end})));
    w->lone_count += 1;
done:
    return status;
}

static HedStatus walk_piece(Walker* w, const NetStretch* piece) {
    HedStatus status = HED_OK;
    HedNetMaker* m = w->m;
    double added = 0.0;
    HED_TRY(begin(w, piece));
    if (piece->first == piece->last_visit) {
        HED_TRY(walk_lone(w, piece));
        weigh(w, piece, 0.0);
        return HED_OK;
    }
    Tail tail = make_tail(m, piece, m->visits[piece->first], true);
    HedVec3 shift = tail.shift;
    double at = piece->start;
    added += tail.added;
    HED_TRY(add_point(m, tail.end));
    for (int32_t k = piece->first; k < piece->last_visit; ++k) {
        double next = hed_net_place(m, m->visits[k]).at;
        HED_TRY(add_samples(w, piece->yarn, (Interval){at, next}, shift));
        HED_TRY(add_crossing(m, m->visits[k]));
        at = next;
        shift = (HedVec3){0.0, 0.0, 0.0};
    }
    tail = make_tail(m, piece, m->visits[piece->last_visit - 1], false);
    added += tail.added;
    HED_TRY(add_samples(w, piece->yarn, (Interval){at, piece->end}, tail.shift));
    HED_TRY(add_point(m, tail.end));
    weigh(w, piece, added);
done:
    return status;
}

// Whether the yarn goes to another row after loop k of loop_order.
static bool ends_row(const HedNetMaker* m, int32_t k) {
    const HedFabricLoop* loop = &m->fabric->loops[m->loop_order[k]];
    const HedFabricLoop* next = &m->fabric->loops[m->loop_order[k + 1]];
    return loop->course != next->course || loop->is_leftward != next->is_leftward;
}

static HedStatus walk_yarn(Walker* w, int32_t yarn) {
    HedStatus status = HED_OK;
    const HedNetMaker* m = w->m;
    double last = m->fabric->yarns[yarn].count - 1;
    double straight = hed_net_arc(m->fabric, yarn, 0.0, last);
    NetStretch piece = {.yarn = yarn, .first = m->first_visits[yarn]};
    piece.ratio = straight > 0.0 ? hed_fabric_length(m->fabric, yarn) / straight : 1.0;
    bool is_cut = m->def->cut_rows && m->fabric->loop_count > 0;
    int32_t end = is_cut ? m->first_loops[yarn + 1] - 1 : 0;
    for (int32_t k = is_cut ? m->first_loops[yarn] : 0; k < end; ++k) {
        if (!ends_row(m, k)) {
            continue;
        }
        piece.end = m->fabric->loops[m->loop_order[k]].end;
        piece.last_visit = piece.first;
        while (piece.last_visit < m->first_visits[yarn + 1] &&
               hed_net_place(m, m->visits[piece.last_visit]).at < piece.end) {
            piece.last_visit += 1;
        }
        HED_TRY(walk_piece(w, &piece));
        piece.start = piece.end;
        piece.first = piece.last_visit;
    }
    piece.end = last;
    piece.last_visit = m->first_visits[yarn + 1];
    HED_TRY(walk_piece(w, &piece));
done:
    return status;
}

HedStatus hed_net_walk(HedNetMaker* m) {
    HedStatus status = HED_OK;
    Walker w = {.m = m};
    for (int32_t i = 0; i < m->fabric->yarn_count; ++i) {
        HED_TRY(walk_yarn(&w, i));
    }
    if (w.lone_count > 0) {
        HED_TRY(hed_net_note(m, "%" PRId32 " yarns cross nothing", w.lone_count));
    }
done:
    hed_free(w.open.data);
    return status;
}
