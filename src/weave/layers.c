// SPDX-License-Identifier: MIT
// Which threads of a weave hang together.
//
// Threads are nodes of a graph, ends first; one that lies over another points to it. Parts of the
// cloth can be lifted off each other just if they are different strongly connected parts of this
// graph (Tarjan 1972). Each end crosses each pick, so of two such parts one lies over the other
// wherever they cross. A part is complete when all that lies under it is: they are found from
// below.
#include "weave/layers.h"

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
    int32_t* layer;
    int32_t layer_count;
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

// All threads that wait, from node on, are one part.
static void complete(ThreadGraph* g, int32_t node) {
    int32_t end = g->waiting_count;
    do {
        g->is_waiting[g->waiting[--g->waiting_count]] = 0;
    } while (g->waiting[g->waiting_count] != node);
    g->layer_count += end - g->waiting_count > 1;
    for (int32_t k = g->waiting_count; k < end; ++k) {
        g->layer[g->waiting[k]] = g->layer_count > 0 ? g->layer_count - 1 : 0;
    }
}

static void leave(ThreadGraph* g, int32_t node) {
    --g->path_count;
    if (g->lowest[node] == g->order[node]) {
        complete(g, node);
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

HedStatus hed_weave_layers(const HedWeave* weave, int32_t* layer, int32_t* count, HedError* error) {
    HedStatus status = HED_OK;
    int64_t threads = (int64_t)weave->end_count + weave->pick_count;
    ThreadGraph g = {.weave = weave, .count = (int32_t)threads, .layer = layer};
    int32_t** arrays[] = {&g.order, &g.lowest, &g.cursor, &g.path, &g.waiting};
    for (int i = 0; i < 5; ++i) {
        *arrays[i] = HED_NEW_ARRAY(int32_t, threads);
        if (!*arrays[i]) {
            HED_TRY(hed_fail_memory(error, "the layers of a weave"));
        }
    }
    g.is_waiting = HED_NEW_ARRAY(uint8_t, threads);
    if (!g.is_waiting) {
        HED_TRY(hed_fail_memory(error, "the layers of a weave"));
    }
    for (int32_t node = 0; node < g.count; ++node) {
        if (g.order[node] == 0) {
            walk(&g, node);
        }
    }
    *count = g.layer_count;
done:
    for (int i = 0; i < 5; ++i) {
        hed_free(*arrays[i]);
    }
    hed_free(g.is_waiting);
    return status;
}
