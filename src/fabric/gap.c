// SPDX-License-Identifier: MIT
// How close yarns come to each other: straight pieces sorted into cells of a grid, each cell
// against itself and half of its neighbours.
#include "fabric/fabric.h"
#include "geom/closest.h"
#include "geom/sort.h"

#include <math.h>

typedef struct GapPiece {
    HedVec3 a, b;
    HedVec3 middle;
    double reach; // m, half its length and its radius
    double radius;
    double along; // m from the start of its yarn to its middle
    int32_t yarn;
} GapPiece;

typedef struct Grid {
    GapPiece* pieces;
    HedSortItem* items; // sorted by cell
    int32_t count;
    HedVec3 low;
    double cell;
    double apart;    // m
    double* lengths; // of the yarns, where they are closed; 0 else
    double gap;
} Grid;

enum { BITS = 21 };

static uint64_t key_of(int64_t x, int64_t y, int64_t z) {
    return ((uint64_t)z << 2 * BITS) | ((uint64_t)y << BITS) | (uint64_t)x;
}

static uint64_t cell_of(const Grid* g, HedVec3 p) {
    return key_of((int64_t)((p.x - g->low.x) / g->cell) + 1,
                  (int64_t)((p.y - g->low.y) / g->cell) + 1,
                  (int64_t)((p.z - g->low.z) / g->cell) + 1);
}

// First item of a cell, or where it would be.
static int32_t find_cell(const Grid* g, uint64_t key) {
    int32_t first = 0;
    int32_t end = g->count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if (g->items[middle].key < key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

static void meet(Grid* g, const GapPiece* p, const GapPiece* q) {
    double near = p->reach + q->reach + g->gap;
    HedVec3 between = hed_sub3(p->middle, q->middle);
    if (near < 0.0 || hed_dot3(between, between) >= near * near) {
        return; // farther apart than what was found already
    }
    if (p->yarn == q->yarn) {
        double along = fabs(p->along - q->along);
        if (g->lengths[p->yarn] > 0.0) {
            along = fmin(along, g->lengths[p->yarn] - along);
        }
        if (along < g->apart) {
            return;
        }
    }
    double square = hed_closest_segments(p->a, p->b, q->a, q->b).distance_squared;
    double gap = sqrt(square) - p->radius - q->radius;
    g->gap = gap < g->gap ? gap : g->gap;
}

// All pieces of one cell (items first .. end - 1) against those of another, or of itself.
static void meet_cells(Grid* g, int32_t first, int32_t end, uint64_t other) {
    bool is_same = g->items[first].key == other;
    int32_t from = is_same ? first : find_cell(g, other);
    for (int32_t k = from; k < g->count && g->items[k].key == other; ++k) {
        for (int32_t i = first; i < (is_same ? k : end); ++i) {
            meet(g, &g->pieces[g->items[i].value], &g->pieces[g->items[k].value]);
        }
    }
}

static void meet_all(Grid* g) {
    for (int32_t first = 0; first < g->count;) {
        uint64_t key = g->items[first].key;
        int32_t end = first + 1;
        while (end < g->count && g->items[end].key == key) {
            ++end;
        }
        meet_cells(g, first, end, key);
        for (int32_t n = 14; n < 27; ++n) { // the neighbours that come later
            int64_t step = (int64_t)(n / 9 - 1) * (1ll << 2 * BITS) +
                           (int64_t)(n / 3 % 3 - 1) * (1ll << BITS) + (n % 3 - 1);
            meet_cells(g, first, end, key + (uint64_t)step);
        }
        first = end;
    }
}

static double fill_pieces(const HedFabric* fabric, Grid* g) {
    double longest = 0.0;
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        const HedFabricYarn* yarn = &fabric->yarns[y];
        const HedVec3* x = fabric->points + yarn->first;
        double along = 0.0;
        for (int32_t i = 0; i + !yarn->is_closed < yarn->count; ++i) {
            HedVec3 b = x[i + 1 < yarn->count ? i + 1 : 0];
            double length = hed_distance3(x[i], b);
            g->pieces[g->count++] = (GapPiece){.a = x[i],
                                               .b = b,
                                               .middle = hed_lerp3(x[i], b, 0.5),
                                               .reach = 0.5 * (length + yarn->diameter),
                                               .radius = 0.5 * yarn->diameter,
                                               .along = along + 0.5 * length,
                                               .yarn = y};
            longest = fmax(longest, length);
            along += length;
        }
        g->lengths[y] = yarn->is_closed ? along : 0.0;
    }
    return longest;
}

HedStatus hed_fabric_gap(const HedFabric* fabric, double apart, double* gap, HedError* error) {
    HedStatus status = HED_OK;
    Grid g = {0};
    HedVec3 high;
    double thickest = 0.0;
    g.pieces = HED_NEW_ARRAY(GapPiece, fabric->point_count);
    g.items = HED_NEW_ARRAY(HedSortItem, fabric->point_count);
    g.lengths = HED_NEW_ARRAY(double, fabric->yarn_count);
    if (!g.pieces || !g.items || !g.lengths) {
        status = hed_fail_memory(error, "pieces of yarns");
        goto done;
    }
    hed_fabric_bounds(fabric, &g.low, &high);
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        thickest = fmax(thickest, fabric->yarns[i].diameter);
    }
    // Pieces whose surfaces are nearer than a diameter stand in neighbouring cells. The grid must
    // fit into its bits.
    double size = fmax(high.x - g.low.x, fmax(high.y - g.low.y, high.z - g.low.z));
    g.cell = fmax(fill_pieces(fabric, &g) + 2.0 * thickest, size / ((1 << BITS) - 4));
    g.apart = apart * thickest;
    g.gap = thickest;
    for (int32_t i = 0; i < g.count; ++i) {
        g.items[i] = (HedSortItem){cell_of(&g, g.pieces[i].middle), i};
    }
    HED_TRY(hed_sort_items(g.items, g.count, error));
    meet_all(&g);
    *gap = g.gap;
done:
    hed_free(g.pieces);
    hed_free(g.items);
    hed_free(g.lengths);
    return status;
}
