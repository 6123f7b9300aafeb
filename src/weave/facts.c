// SPDX-License-Identifier: MIT
// What a draft tells before it is woven: repeat, floats, loose threads, layers.
#include "weave/weave.h"

#include <string.h>

// --- repeat ---

// Rows or columns of the matrix.
typedef struct MatrixLines {
    const HedWeave* weave;
    bool is_picks;
    int32_t count;
} MatrixLines;

static bool lines_equal(const MatrixLines* lines, int32_t a, int32_t b) {
    const HedWeave* w = lines->weave;
    if (lines->is_picks) {
        return memcmp(w->is_up + (int64_t)a * w->end_count, w->is_up + (int64_t)b * w->end_count,
                      (size_t)w->end_count) == 0;
    }
    for (int32_t pick = 0; pick < w->pick_count; ++pick) {
        if (hed_weave_is_up(w, pick, a) != hed_weave_is_up(w, pick, b)) {
            return false;
        }
    }
    return true;
}

// The smallest period that fits in twice; else the count. Lines are compared as Knuth, Morris and
// Pratt compare letters: border[i] is the longest start of the first i lines that is also their
// end.
static HedStatus find_period(const MatrixLines* lines, int32_t* period, HedError* error) {
    int32_t* border = HED_NEW_ARRAY(int32_t, (int64_t)lines->count + 1);
    if (!border) {
        return hed_fail_memory(error, "the repeat of a weave");
    }
    border[0] = -1;
    for (int32_t i = 0; i < lines->count; ++i) {
        int32_t length = border[i];
        while (length >= 0 && !lines_equal(lines, length, i)) {
            length = border[length];
        }
        border[i + 1] = length + 1;
    }
    int32_t found = lines->count - border[lines->count];
    *period = found <= lines->count / 2 ? found : lines->count;
    hed_free(border);
    return HED_OK;
}

// --- floats ---

typedef struct Floats {
    int32_t longest;
    int32_t number; // of the thread that has it
    int32_t loose;  // threads on one side of all others
} Floats;

static Floats find_floats(const HedWeave* w, bool is_warp) {
    Floats floats = {0};
    int32_t threads = is_warp ? w->end_count : w->pick_count;
    int32_t crossings = is_warp ? w->pick_count : w->end_count;
    for (int32_t i = 0; i < threads; ++i) {
        int32_t length = 0;
        bool has_turned = false;
        bool before = false;
        for (int32_t k = 0; k < crossings; ++k) {
            bool up = is_warp ? hed_weave_is_up(w, k, i) : hed_weave_is_up(w, i, k);
            bool turns = k > 0 && up != before;
            has_turned = has_turned || turns;
            length = turns ? 1 : length + 1;
            before = up;
            if (length > floats.longest) {
                floats.longest = length;
                floats.number = is_warp ? w->ends[i].number : w->picks[i].number;
            }
        }
        floats.loose += !has_turned;
    }
    return floats;
}

// --- layers ---

// Threads are nodes, ends first; one that lies over another points to it. Parts of the cloth can be
// lifted off each other just if they are different strongly connected parts of this graph (Tarjan
// 1972).
typedef struct ThreadGraph {
    const HedWeave* weave;
    int32_t count;
    int32_t* order;   // in which nodes are reached, from 1; 0: not yet
    int32_t* lowest;  // order of the first node that can be reached from here
    int32_t* cursor;  // next thread to look at
    int32_t* path;    // nodes being looked at
    int32_t* waiting; // nodes whose part is not complete
    uint8_t* is_waiting;
    int32_t reached, path_count, waiting_count;
    int32_t layers;
} ThreadGraph;

// The next thread that lies under node, or -1.
static int32_t next_under(ThreadGraph* g, int32_t node) {
    const HedWeave* w = g->weave;
    bool is_end = node < w->end_count;
    int32_t others = is_end ? w->pick_count : w->end_count;
    while (g->cursor[node] < others) {
        int32_t other = g->cursor[node]++;
        bool up = is_end ? hed_weave_is_up(w, other, node)
                         : hed_weave_is_up(w, node - w->end_count, other);
        if (up == is_end) {
            return is_end ? w->end_count + other : other;
        }
    }
    return -1;
}

static void enter(ThreadGraph* g, int32_t node) {
    g->order[node] = g->lowest[node] = ++g->reached;
    g->path[g->path_count++] = node;
    g->waiting[g->waiting_count++] = node;
    g->is_waiting[node] = 1;
}

static void leave(ThreadGraph* g, int32_t node) {
    --g->path_count;
    if (g->lowest[node] == g->order[node]) {
        int32_t size = 0;
        int32_t other = -1;
        while (other != node) {
            other = g->waiting[--g->waiting_count];
            g->is_waiting[other] = 0;
            ++size;
        }
        g->layers += size > 1;
    } else {
        int32_t parent = g->path[g->path_count - 1];
        if (g->lowest[node] < g->lowest[parent]) {
            g->lowest[parent] = g->lowest[node];
        }
    }
}

static void walk(ThreadGraph* g, int32_t start) {
    enter(g, start);
    while (g->path_count > 0) {
        int32_t node = g->path[g->path_count - 1];
        int32_t under = next_under(g, node);
        if (under < 0) {
            leave(g, node);
        } else if (g->order[under] == 0) {
            enter(g, under);
        } else if (g->is_waiting[under] && g->order[under] < g->lowest[node]) {
            g->lowest[node] = g->order[under];
        }
    }
}

static HedStatus count_layers(const HedWeave* weave, int32_t* layers, HedError* error) {
    HedStatus status = HED_OK;
    int64_t count = (int64_t)weave->end_count + weave->pick_count;
    ThreadGraph g = {.weave = weave, .count = (int32_t)count};
    int32_t** arrays[] = {&g.order, &g.lowest, &g.cursor, &g.path, &g.waiting};
    for (int i = 0; i < 5; ++i) {
        *arrays[i] = HED_NEW_ARRAY(int32_t, count);
        if (!*arrays[i]) {
            HED_TRY(hed_fail_memory(error, "the layers of a weave"));
        }
    }
    g.is_waiting = HED_NEW_ARRAY(uint8_t, count);
    if (!g.is_waiting) {
        HED_TRY(hed_fail_memory(error, "the layers of a weave"));
    }
    for (int32_t node = 0; node < g.count; ++node) {
        if (g.order[node] == 0) {
            walk(&g, node);
        }
    }
    *layers = g.layers;
done:
    for (int i = 0; i < 5; ++i) {
        hed_free(*arrays[i]);
    }
    hed_free(g.is_waiting);
    return status;
}

HedStatus hed_weave_facts(const HedWeave* weave, HedWeaveFacts* facts, HedError* error) {
    HedStatus status = HED_OK;
    HedWeaveFacts f = {0};
    MatrixLines ends = {weave, false, weave->end_count};
    MatrixLines picks = {weave, true, weave->pick_count};
    HED_TRY(find_period(&ends, &f.repeat_ends, error));
    HED_TRY(find_period(&picks, &f.repeat_picks, error));
    HED_TRY(count_layers(weave, &f.layer_count, error));
    Floats warp = find_floats(weave, true), weft = find_floats(weave, false);
    f.warp_float = warp.longest;
    f.warp_float_end = warp.number;
    f.loose_ends = warp.loose;
    f.weft_float = weft.longest;
    f.weft_float_pick = weft.number;
    f.loose_picks = weft.loose;
    *facts = f;
done:
    return status;
}
