// SPDX-License-Identifier: MIT
// Loops that lie along each other cross back and forth wherever rounding has it. Two crossings that
// follow each other on both yarns, with the same one over, undo each other (Reidemeister's second
// move): without them the yarns are linked and knotted as before.
//
// Only those that are close to each other go. A live loop is also held by nothing but two such
// crossings, and would be pulled out.
#include "net/maker.h"

#include <inttypes.h>
#include <math.h>

// Visits as they follow each other along the yarns; -1 at their ends and for those that went.
typedef struct Chain {
    HedNetMaker* m;
    int32_t* before;
    int32_t* after;
    int32_t (*of)[2];   // per crossing: the visit that is over, and the one that is under
    bool* is_gone;      // per crossing
    int32_t gone_count; // visits
} Chain;

static HedStatus make_chain(Chain* c) {
    HedNetMaker* m = c->m;
    int32_t count = m->first_visits[m->fabric->yarn_count];
    c->before = HED_NEW_ARRAY(int32_t, count);
    c->after = HED_NEW_ARRAY(int32_t, count);
    c->is_gone = HED_NEW_ARRAY(bool, m->fabric->crossing_count);
    c->of = hed_alloc_array(m->fabric->crossing_count, sizeof c->of[0]);
    if (!c->before || !c->after || !c->is_gone || !c->of) {
        return hed_fail_memory(m->error, "crossings of a network");
    }
    for (int32_t yarn = 0; yarn < m->fabric->yarn_count; ++yarn) {
        int32_t first = m->first_visits[yarn], end = m->first_visits[yarn + 1];
        for (int32_t k = first; k < end; ++k) {
            c->before[k] = k > first ? k - 1 : -1;
            c->after[k] = k + 1 < end ? k + 1 : -1;
            c->of[m->visits[k].crossing][m->visits[k].is_over ? 0 : 1] = k;
        }
    }
    return HED_OK;
}

static int32_t partner(const Chain* c, int32_t visit) {
    HedFabricVisit v = c->m->visits[visit];
    return c->of[v.crossing][v.is_over ? 1 : 0];
}

static bool is_close(const Chain* c, int32_t a, int32_t b) {
    static const double CLOSE = 2.0; // diameters
    const HedFabric* f = c->m->fabric;
    HedFabricPlace p = hed_net_place(c->m, c->m->visits[a]);
    HedFabricPlace q = hed_net_place(c->m, c->m->visits[b]);
    double most = CLOSE * f->yarns[p.yarn].diameter;
    return hed_distance3(hed_net_point(f, p), hed_net_point(f, q)) < most &&
           hed_net_arc(f, p.yarn, fmin(p.at, q.at), fmax(p.at, q.at)) < most;
}

static bool undo(const Chain* c, int32_t a, int32_t b) {
    HedFabricVisit v = c->m->visits[a], w = c->m->visits[b];
    if (v.crossing == w.crossing || v.is_over != w.is_over) {
        return false;
    }
    int32_t p = partner(c, a), q = partner(c, b);
    return (c->after[p] == q || c->before[p] == q) && is_close(c, a, b) && is_close(c, p, q);
}

static void take_out(Chain* c, int32_t visit) {
    int32_t a = c->before[visit], b = c->after[visit];
    if (a >= 0) {
        c->after[a] = b;
    }
    if (b >= 0) {
        c->before[b] = a;
    }
    c->before[visit] = c->after[visit] = -1;
    c->is_gone[c->m->visits[visit].crossing] = true;
    c->gone_count += 1;
}

// From the first visit of a yarn on; after a pair went, what was before it may go as well.
static void thin_yarn(Chain* c, int32_t first) {
    int32_t a = first;
    while (a >= 0 && c->after[a] >= 0) {
        int32_t b = c->after[a];
        if (!undo(c, a, b)) {
            a = b;
            continue;
        }
        int32_t p = partner(c, a), q = partner(c, b);
        int32_t next = c->before[a] >= 0 ? c->before[a] : c->after[b];
        while (next == p || next == q) { // a yarn that crosses itself
            next = c->after[next];
        }
        take_out(c, a);
        take_out(c, b);
        take_out(c, p);
        take_out(c, q);
        a = next;
    }
}

static int32_t first_of(const Chain* c, int32_t yarn) {
    int32_t k = c->m->first_visits[yarn];
    while (k < c->m->first_visits[yarn + 1] && c->is_gone[c->m->visits[k].crossing]) {
        ++k;
    }
    return k < c->m->first_visits[yarn + 1] ? k : -1;
}

HedStatus hed_net_thin(HedNetMaker* m) {
    HedStatus status = HED_OK;
    Chain c = {.m = m};
    int32_t last = -1;
    HED_TRY(make_chain(&c));
    while (last != c.gone_count) {
        last = c.gone_count;
        for (int32_t yarn = 0; yarn < m->fabric->yarn_count; ++yarn) {
            thin_yarn(&c, first_of(&c, yarn));
        }
    }
    if (c.gone_count > 0) {
        hed_net_close_gaps(m, c.is_gone);
        HED_TRY(hed_net_note(m,
                             "%" PRId32 " crossings of loops that lie along each other are left "
                             "out: they undo each other",
                             c.gone_count / 2));
    }
done:
    hed_free(c.before);
    hed_free(c.after);
    hed_free(c.is_gone);
    hed_free(c.of);
    return status;
}
