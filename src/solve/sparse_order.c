// SPDX-License-Identifier: MIT
// Nested dissection (George 1973) of a graph without coordinates: levels of nodes at equal distance
// from a node at the rim; the level in the middle divides the rest into two parts.
#include "base/array.h"
#include "solve/sparse.h"

enum { LEAF = 48, SEARCHES = 4 }; // parts this small are not divided; tries to find the rim

typedef struct Range {
    int32_t first, end;
} Range;

typedef struct Dissection {
    const HedSparse* matrix;
    int32_t* nodes; // the order in the making: parts stand together
    int32_t* part;  // per node: the range that it is in
    int32_t* level; // per node: distance from the start, -1 if it was not met
    int32_t* queue;
    HED_ARRAY(Range) open;
    int32_t part_count;
} Dissection;

// Fills queue with the nodes of a part in the order of their distance from one; returns their
// number.
static int32_t spread(Dissection* d, Range range, int32_t start) {
    const HedSparse* m = d->matrix;
    int32_t part = d->part[start];
    for (int32_t i = range.first; i < range.end; ++i) {
        d->level[d->nodes[i]] = -1;
    }
    int32_t count = 0;
    d->level[start] = 0;
    d->queue[count++] = start;
    for (int32_t at = 0; at < count; ++at) {
        int32_t node = d->queue[at];
        for (int32_t e = m->first[node]; e < m->first[node + 1]; ++e) {
            int32_t other = m->column[e];
            if (d->part[other] == part && d->level[other] < 0) {
                d->level[other] = d->level[node] + 1;
                d->queue[count++] = other;
            }
        }
    }
    return count;
}

// Whether a node of the dividing level touches the part behind it.
static bool touches(const Dissection* d, int32_t node) {
    const HedSparse* m = d->matrix;
    for (int32_t e = m->first[node]; e < m->first[node + 1]; ++e) {
        int32_t other = m->column[e];
        if (d->part[other] == d->part[node] && d->level[other] == d->level[node] + 1) {
            return true;
        }
    }
    return false;
}

static bool push(Dissection* d, Range range) {
    for (int32_t i = range.first; i < range.end; ++i) {
        d->part[d->nodes[i]] = d->part_count;
    }
    d->part_count += 1;
    return range.end - range.first <= LEAF || HED_APPEND(&d->open, range);
}

// Nodes below the dividing level, above it, and on it, in this order; false without memory.
static bool divide(Dissection* d, Range range, int32_t count) {
    int32_t size = range.end - range.first;
    int32_t divider = count < size ? d->level[d->queue[count - 1]] + 1 // a part by itself
                                   : d->level[d->queue[count / 2]];
    int32_t ends[3] = {0};
    for (int32_t pass = 0; pass < 2; ++pass) {
        int32_t at[3] = {range.first, range.first + ends[0], range.first + ends[0] + ends[1]};
        for (int32_t i = 0; i < size; ++i) {
            // Nodes that were not met follow those of the queue: they are the part behind.
            int32_t node = d->queue[i];
            int32_t kind = i >= count || d->level[node] > divider ? 1 : 0;
            if (i < count && d->level[node] == divider && touches(d, node)) {
                kind = 2;
            }
            if (pass == 0) {
                ends[kind] += 1;
            } else {
                d->nodes[at[kind]++] = node;
            }
        }
        if (pass == 0 && ends[1] == 0) {
            return true; // nothing behind: the part is as good as complete
        }
    }
    Range low = {range.first, range.first + ends[0]};
    Range high = {low.end, low.end + ends[1]};
    d->part_count += 1;
    for (int32_t i = high.end; i < range.end; ++i) {
        d->part[d->nodes[i]] = d->part_count; // those that divide belong to nobody
    }
    d->part_count += 1;
    return push(d, low) && push(d, high);
}

static bool dissect(Dissection* d, Range range) {
    int32_t start = d->nodes[range.first];
    int32_t depth = -1;
    int32_t count = 0;
    for (int32_t i = 0; i < SEARCHES; ++i) {
        count = spread(d, range, start);
        int32_t last = d->queue[count - 1];
        if (d->level[last] <= depth) {
            break;
        }
        depth = d->level[last];
        start = last;
    }
    // Behind those that were met, the others of the range.
    int32_t all = count;
    for (int32_t i = range.first; i < range.end; ++i) {
        if (d->level[d->nodes[i]] < 0) {
            d->queue[all++] = d->nodes[i];
        }
    }
    return divide(d, range, count);
}

HedStatus hed_sparse_dissect(const HedSparse* matrix, int32_t* order, HedError* error) {
    int32_t n = matrix->size;
    Dissection d = {.matrix = matrix, .nodes = order};
    d.part = HED_NEW_ARRAY(int32_t, n);
    d.level = HED_NEW_ARRAY(int32_t, n);
    d.queue = HED_NEW_ARRAY(int32_t, n);
    bool is_good = d.part && d.level && d.queue;
    for (int32_t i = 0; i < n; ++i) {
        order[i] = i;
    }
    is_good = is_good && (n == 0 || push(&d, (Range){0, n}));
    while (is_good && d.open.count > 0) {
        d.open.count -= 1;
        is_good = dissect(&d, d.open.data[d.open.count]);
    }
    hed_free(d.part);
    hed_free(d.level);
    hed_free(d.queue);
    hed_free(d.open.data);
    return is_good ? HED_OK : hed_fail_memory(error, "order of a matrix");
}
