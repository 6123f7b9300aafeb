// SPDX-License-Identifier: MIT
// Relations of a loop graph. Only neighbours along the yarn and through loops count.
#include "knit/embed.h"

#include <math.h>

static const double WEAK = 0.1;  // weight of what only keeps parts from floating apart
static const double CABLE = 0.6; // wale spacings that a loop is longer per column that it crosses
enum { ROWS_MOST = 2 };          // rows that a held loop can stretch over
enum { CORD_MOST = 6 };          // columns of a cord: yarn that comes back closes it

typedef struct Finder {
    const HedLoops* graph;
    HedRelations* relations;
    double wale, course;
    int32_t* root;    // sets of loops; union by path halving
    int8_t* is_odd;   // per loop: it is told from the other side than its root
    bool* is_crossed; // per loop: it changed places with another
    HedError* error;
} Finder;

// --- sets ---

// The root of a loop's set; its parity is brought up to date.
static int32_t find_root(Finder* f, int32_t i) {
    int32_t root = i;
    int8_t odd = 0;
    while (f->root[root] != root) {
        odd ^= f->is_odd[root];
        root = f->root[root];
    }
    while (f->root[i] != root && i != root) { // every loop on the way points to the root
        int32_t next = f->root[i];
        int8_t own = f->is_odd[i];
        f->root[i] = root;
        f->is_odd[i] = odd;
        odd ^= own;
        i = next;
    }
    return root;
}

// Two loops are told from the same side (odd = 0) or not; false if they were in one set already.
static bool join(Finder* f, int32_t a, int32_t b, int8_t odd) {
    int32_t root_a = find_root(f, a);
    int32_t root_b = find_root(f, b);
    if (root_a == root_b) {
        return false;
    }
    int8_t parity = (int8_t)(f->is_odd[a] ^ f->is_odd[b] ^ odd);
    int32_t high = root_a > root_b ? root_a : root_b; // the lowest loop is the root
    f->root[high] = root_a > root_b ? root_b : root_a;
    f->is_odd[high] = parity;
    return true;
}

static void reset_sets(Finder* f) {
    for (int32_t i = 0; i < f->graph->loops.count; ++i) {
        f->root[i] = i;
        f->is_odd[i] = 0;
    }
}

// --- the yarn ---

typedef struct LoopPair {
    int32_t from, to; // loops that follow each other on a yarn
    int32_t passed;   // columns between them
} LoopPair;

// Calls `meet` for all pairs along the yarns.
static HedStatus along_yarns(Finder* f, HedStatus (*meet)(Finder* f, LoopPair pair)) {
    HedStatus status = HED_OK;
    const HedLoops* g = f->graph;
    for (int32_t y = 0; y < g->yarns.count; ++y) {
        LoopPair pair = {.from = -1};
        double column = NAN;
        for (int32_t k = 0; k < g->yarns.data[y].step_count; ++k) {
            HedLoopStep step = g->steps.data[g->yarns.data[y].first_step + k];
            if (step.kind != HED_STEP_LOOP) {
                double wale = g->loops.data[step.loop].wale;
                pair.passed += !(fabs(wale - column) < 0.5);
                column = wale;
                continue;
            }
            pair.to = step.loop;
            HED_TRY(pair.from >= 0 ? meet(f, pair) : HED_OK);
            pair = (LoopPair){.from = step.loop};
            column = NAN;
        }
    }
done:
    return status;
}

static bool is_child(const HedLoops* g, int32_t child, int32_t parent) {
    for (int32_t k = 0; k < hed_parent_count(g, child); ++k) {
        if (hed_parents(g, child)[k] == parent) {
            return true;
        }
    }
    return false;
}

static HedStatus join_same(Finder* f, LoopPair pair) {
    const HedLoop* a = &f->graph->loops.data[pair.from];
    const HedLoop* b = &f->graph->loops.data[pair.to];
    if (a->is_leftward == b->is_leftward) {
        join(f, pair.from, pair.to, 0);
    }
    return HED_OK;
}

// Yarn that comes back on the other bed goes round a tube.
static HedStatus join_other(Finder* f, LoopPair pair) {
    const HedLoop* a = &f->graph->loops.data[pair.from];
    const HedLoop* b = &f->graph->loops.data[pair.to];
    if (a->is_leftward != b->is_leftward && a->is_purl != b->is_purl) {
        join(f, pair.from, pair.to, 1);
    }
    return HED_OK;
}

// What is surely told from the same side first; a tube is one only if nothing else says no.
static HedStatus find_turned(Finder* f) {
    HedStatus status = HED_OK;
    const HedLoops* g = f->graph;
    reset_sets(f);
    HED_TRY(along_yarns(f, join_same));
    for (int32_t i = 0; i < g->loops.count; ++i) {
        for (int32_t k = 0; k < hed_parent_count(g, i); ++k) {
            join(f, i, hed_parents(g, i)[k], 0);
        }
    }
    HED_TRY(along_yarns(f, join_other));
    for (int32_t i = 0; i < g->loops.count; ++i) {
        find_root(f, i);
        f->relations->is_turned[i] = f->is_odd[i] != 0;
    }
done:
    return status;
}

static HedStatus add(Finder* f, HedRelation relation) {
    return HED_APPEND(&f->relations->items, relation)
               ? HED_OK
               : hed_fail_memory(f->error, "relations of loops");
}

// 1 if the yarn runs to the right on the outer face.
static double direction(const Finder* f, int32_t i) {
    return f->graph->loops.data[i].is_leftward == f->relations->is_turned[i] ? 1.0 : -1.0;
}

// Columns from one loop to another, to the right; in rounds the shorter way.
static double columns(const Finder* f, int32_t from, int32_t to) {
    const HedLoops* g = f->graph;
    double d = g->loops.data[to].wale - g->loops.data[from].wale;
    if (g->is_round) {
        d -= g->round_wales * round(d / g->round_wales);
        d *= hed_loops_width(g, g->loops.data[to].course) / g->round_wales;
    } else {
        d /= hed_loops_pitch(g, g->loops.data[to].course);
    }
    return f->relations->is_turned[from] ? -d : d;
}

static bool is_laid(HedLoopKind kind) {
    return kind == HED_LOOP_CAST_ON || kind == HED_LOOP_YARN_OVER || kind == HED_LOOP_TUCK;
}

// Loops that come through one together: those made in the row of the first.
static int32_t children_together(const HedLoops* g, int32_t loop) {
    const int32_t* children = hed_children(g, loop);
    int32_t count = 0;
    while (count < hed_child_count(g, loop) &&
           g->loops.data[children[count]].course == g->loops.data[children[0]].course) {
        ++count;
    }
    return count;
}

// A loop is as wide as those that come through it; where one comes to each side (a split) they are
// narrow.
static double width(const HedLoops* g, int32_t loop) {
    int32_t count = children_together(g, loop);
    const int32_t* children = hed_children(g, loop);
    double wide = 1.0;
    for (int32_t k = 1; k < count; ++k) {
        const HedLoop* a = &g->loops.data[children[k - 1]];
        const HedLoop* b = &g->loops.data[children[k]];
        wide += fabs(a->wale - b->wale) > 0.25 ? 1.0 : 0.6;
    }
    return wide;
}

// Half the distance of two loops that come out of one head to its two sides.
static double beside(const Finder* f, const int32_t* children, int32_t count, int32_t child) {
    static const double APART = 0.25; // columns
    const HedLoop* own = &f->graph->loops.data[child];
    for (int32_t k = 0; k < count; ++k) {
        const HedLoop* other = &f->graph->loops.data[children[k]];
        if (children[k] != child && other->is_purl != own->is_purl &&
            fabs(columns(f, child, children[k])) < 0.25) {
            return own->is_purl ? APART : -APART;
        }
    }
    return 0.0;
}

static HedStatus relate_neighbours(Finder* f, LoopPair pair) {
    const HedLoops* g = f->graph;
    const HedLoop* a = &g->loops.data[pair.from];
    const HedLoop* b = &g->loops.data[pair.to];
    double way = direction(f, pair.from);
    double far = columns(f, pair.from, pair.to);
    HedRelation r = {.from = pair.from, .to = pair.to, .weight = 1.0};
    if (way != direction(f, pair.to)) {
        // A turn at the edge, where the next row begins over the loop or beside it.
        if (is_child(g, pair.to, pair.from)) {
            return HED_OK;
        }
        r.across = far * f->wale;
        r.up = (b->course - a->course) * f->course;
        r.weight = 0.3;
        return add(f, r);
    }
    bool is_back = !g->is_round && far * way < -0.5 &&
                   f->relations->is_turned[pair.from] == f->relations->is_turned[pair.to];
    if (is_back && far * way < -CORD_MOST) {
        return HED_OK; // a float on the way back says nothing
    }
    double count = 0.5 * (width(g, pair.from) + width(g, pair.to)) + pair.passed;
    if (is_back) {
        count = 1.0;
    } else if (!g->is_round && is_laid(a->kind) && is_laid(b->kind)) {
        count = fmax(count, fabs(far));
    }
    // What is lifted later stands between two loops without needing room.
    count -= 0.5 * (a->kind == HED_LOOP_LIFTED) + 0.5 * (b->kind == HED_LOOP_LIFTED);
    r.across = way * count * f->wale;
    return add(f, r);
}

// --- through loops ---

// How far loop `which` of a list stands from the middle of its different columns. Only loops of
// rows up to `last` count.
static double from_middle(const Finder* f, const int32_t* loops, int32_t count, int32_t which,
                          int32_t last) {
    double low = 0.0;
    double high = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        double d = columns(f, which, loops[k]);
        bool is_new = fabs(d) > 0.25 && f->graph->loops.data[loops[k]].course <= last;
        for (int32_t j = 0; j < k && is_new; ++j) {
            is_new = fabs(columns(f, loops[j], loops[k])) > 0.25;
        }
        low += is_new && d < 0.0;
        high += is_new && d > 0.0;
    }
    return 0.5 * (low - high);
}

static HedStatus relate_child(Finder* f, int32_t child, int32_t parent) {
    const HedLoops* g = f->graph;
    int32_t rows = g->loops.data[child].course - g->loops.data[parent].course;
    if (rows <= 0) {
        return HED_OK; // a chain along the edge
    }
    const int32_t* children = hed_children(g, parent);
    int32_t together = children_together(g, parent);
    bool is_first = g->loops.data[child].course == g->loops.data[children[0]].course;
    double lean = 0.0;
    double rise = (rows < ROWS_MOST ? rows : ROWS_MOST) * f->course;
    if (f->is_crossed[parent]) {
        lean = columns(f, parent, child);
        rise += CABLE * f->wale * fabs(lean);
    } else {
        int32_t count = hed_parent_count(g, child);
        int32_t row = g->loops.data[child].course;
        lean = -from_middle(f, hed_parents(g, child), count, parent, row - 1);
        if (is_first) {
            lean += from_middle(f, children, together, child, row);
            lean += beside(f, children, together, child);
        }
    }
    return add(f, (HedRelation){parent, child, lean * f->wale, rise, is_first ? 1.0 : 0.3});
}

static HedStatus relate_all(Finder* f) {
    HedStatus status = HED_OK;
    const HedLoops* g = f->graph;
    for (int32_t i = 0; i < g->swaps.count; ++i) {
        f->is_crossed[g->swaps.data[i].over] = true;
        f->is_crossed[g->swaps.data[i].under] = true;
    }
    HED_TRY(along_yarns(f, relate_neighbours));
    for (int32_t i = 0; i < g->loops.count; ++i) {
        for (int32_t k = 0; k < hed_parent_count(g, i); ++k) {
            HED_TRY(relate_child(f, i, hed_parents(g, i)[k]));
        }
        if (g->loops.data[i].plate >= 0) {
            HED_TRY(add(f, (HedRelation){g->loops.data[i].plate, i, 0.0, 0.0, 1.0}));
        }
    }
    // Parts that nothing joins stay near what was made before them.
    reset_sets(f);
    for (int32_t k = 0; k < f->relations->items.count; ++k) {
        join(f, f->relations->items.data[k].from, f->relations->items.data[k].to, 0);
    }
    for (int32_t i = 1; i < g->loops.count; ++i) {
        if (join(f, i - 1, i, 0)) {
            double rows = g->loops.data[i].course - g->loops.data[i - 1].course;
            HED_TRY(add(f, (HedRelation){i - 1, i, columns(f, i - 1, i) * f->wale, rows * f->course,
                                         WEAK}));
        }
    }
done:
    return status;
}

HedStatus hed_relations_find(const HedLoops* graph, double wale, double course,
                             HedRelations* relations, HedError* error) {
    HED_ASSERT(graph->is_finished);
    HedStatus status = HED_OK;
    int32_t count = graph->loops.count;
    *relations = (HedRelations){.count = count};
    Finder f = {
        .graph = graph, .relations = relations, .wale = wale, .course = course, .error = error};
    relations->is_turned = HED_NEW_ARRAY(bool, count);
    f.root = HED_NEW_ARRAY(int32_t, count);
    f.is_odd = HED_NEW_ARRAY(int8_t, count);
    f.is_crossed = HED_NEW_ARRAY(bool, count);
    if (!relations->is_turned || !f.root || !f.is_odd || !f.is_crossed) {
        HED_TRY(hed_fail_memory(error, "relations of loops"));
    }
    HED_TRY(find_turned(&f));
    HED_TRY(relate_all(&f));
done:
    hed_free(f.root);
    hed_free(f.is_odd);
    hed_free(f.is_crossed);
    return status;
}
