// SPDX-License-Identifier: MIT
// Points are sorted by cells twice as wide as the distance: what is near a point lies in one of the
// eight cells around the corner of its own cell that is nearest to it.
#include "geom/coincide.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "geom/sort.h"
#include "math/vec3.h"

typedef struct Cells {
    const HedVec3* x;
    double distance;
    HedSortItem* items; // points by the key of their cell
    int32_t count;
    const int32_t* first;
} Cells;

static HedVec3 cell_of(const Cells* cells, HedVec3 x) {
    double over = 0.5 / cells->distance;
    return hed_mul3(over, x);
}

// Cells that share a key by chance cost time only, as distances are compared in any case.
static uint64_t key_of(double i, double j, double k) {
    const double cell[3] = {i + 0.0, j + 0.0, k + 0.0}; // no -0, whose bits differ
    return hed_hash(0, cell, sizeof cell);
}

static int32_t lower_bound(const Cells* cells, uint64_t key) {
    int32_t low = 0;
    for (int32_t left = cells->count; left > 0;) {
        int32_t half = left / 2;
        bool before = cells->items[low + half].key < key;
        low += before ? half + 1 : 0;
        left = before ? left - half - 1 : half;
    }
    return low;
}

// The lowest point before `best` that stands for others in a cell and is near; else `best`.
static int32_t search_cell(const Cells* cells, int32_t point, uint64_t key, int32_t best) {
    for (int32_t k = lower_bound(cells, key); k < cells->count && cells->items[k].key == key; ++k) {
        int32_t other = cells->items[k].value;
        if (other >= best) {
            break; // equal keys stand in the order of points
        }
        if (cells->first[other] == other &&
            hed_distance3(cells->x[point], cells->x[other]) <= cells->distance) {
            return other;
        }
    }
    return best;
}

static int32_t search(const Cells* cells, int32_t point) {
    HedVec3 at = cell_of(cells, cells->x[point]);
    HedVec3 low = hed_vec3(floor(at.x - 0.5), floor(at.y - 0.5), floor(at.z - 0.5));
    int32_t best = point;
    for (int k = 0; k < 8; ++k) {
        uint64_t key = key_of(low.x + (k & 1), low.y + (k >> 1 & 1), low.z + (k >> 2));
        best = search_cell(cells, point, key, best);
    }
    return best;
}

HedStatus hed_find_coincident(const HedVec3* x, int32_t count, double distance, int32_t* first,
                              HedError* error) {
    Cells cells = {.x = x, .distance = distance, .count = count, .first = first};
    cells.items = HED_NEW_ARRAY(HedSortItem, count);
    if (!cells.items) {
        return hed_fail_memory(error, "points at one place");
    }
    for (int32_t i = 0; i < count; ++i) {
        HedVec3 at = cell_of(&cells, x[i]);
        cells.items[i] = (HedSortItem){key_of(floor(at.x), floor(at.y), floor(at.z)), i};
    }
    HedStatus status = hed_sort_items(cells.items, count, error);
    for (int32_t i = 0; i < count && status == HED_OK; ++i) {
        first[i] = search(&cells, i);
    }
    hed_free(cells.items);
    return status;
}
