// SPDX-License-Identifier: MIT
// Nested dissection by coordinates: a part is cut in the middle of its longer side; those of the
// second half that touch the first are eliminated after both.
#include "base/alloc.h"
#include "solve/multifrontal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Key {
    double at;
    int32_t block;
} Key;

typedef struct Cut {
    HedMultifrontal* multifrontal;
    const HedBlockRows* rows;
    const HedVec3* centre;
    Key* key;
    int32_t* side; // per block: the front whose first half it is in
} Cut;

static int compare(const void* a, const void* b) {
    const Key* p = a;
    const Key* q = b;
    if (p->at != q->at) {
        return p->at < q->at ? -1 : 1;
    }
    return (p->block > q->block) - (p->block < q->block);
}

// Sorts the blocks from..to-1 of the order along the axis in which they reach farthest.
static void sort_along(Cut* cut, int32_t from, int32_t to) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int axis = 0;
    for (int32_t k = from; k < to; ++k) {
        HedVec3 c = cut->centre[cut->multifrontal->order[k]];
        const double x[3] = {c.x, c.y, c.z};
        for (int i = 0; i < 3; ++i) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    for (int i = 1; i < 3; ++i) {
        axis = high[i] - low[i] > high[axis] - low[axis] ? i : axis;
    }
    for (int32_t k = from; k < to; ++k) {
        int32_t block = cut->multifrontal->order[k];
        HedVec3 c = cut->centre[block];
        cut->key[k] = (Key){axis == 0 ? c.x : axis == 1 ? c.y : c.z, block};
    }
    if (to > from) {
        qsort(cut->key + from, (size_t)(to - from), sizeof *cut->key, compare);
    }
}

static bool touches(const Cut* cut, int32_t block, int32_t front) {
    bool is_met = false;
    for (int32_t e = cut->rows->first[block]; e < cut->rows->first[block + 1] && !is_met; ++e) {
        is_met = cut->side[cut->rows->column[e]] == front;
    }
    return is_met;
}

// Puts the blocks from..to-1 into their order: first half, second half, what lies between. Returns
// where the second half and the last part begin.
typedef struct Halves {
    int32_t second, between;
} Halves;

static Halves halve(Cut* cut, int32_t front, int32_t from, int32_t to) {
    int32_t* order = cut->multifrontal->order;
    int32_t middle = from + (to - from) / 2;
    sort_along(cut, from, to);
    for (int32_t k = from; k < to; ++k) {
        order[k] = cut->key[k].block;
        cut->side[order[k]] = k < middle ? front : -1;
    }
    int32_t next = middle;
    int32_t last = to;
    for (int32_t k = middle; k < to; ++k) {
        int32_t block = cut->key[k].block;
        order[touches(cut, block, front) ? --last : next++] = block;
    }
    return (Halves){middle, last};
}

// As deep as the tree: the logarithm of the number of blocks.
static void dissect(Cut* cut, int32_t front, int32_t from, int32_t to) {
    HedFront* own = &cut->multifrontal->front[front];
    own->first = from;
    if (2 * front + 2 < cut->multifrontal->front_count) {
        Halves halves = halve(cut, front, from, to);
        dissect(cut, 2 * front + 1, from, halves.second);
        dissect(cut, 2 * front + 2, halves.second, halves.between);
        own->first = halves.between;
    }
    own->count = to - own->first;
}

HedStatus hed_multifrontal_dissect(HedMultifrontal* multifrontal, const HedBlockRows* rows,
                                   const HedVec3* centre) {
    Cut cut = {multifrontal, rows, centre, HED_NEW_ARRAY(Key, rows->count),
               HED_NEW_ARRAY(int32_t, rows->count)};
    bool ok = cut.key && cut.side;
    for (int32_t k = 0; k < rows->count && ok; ++k) {
        multifrontal->order[k] = k;
        cut.side[k] = -1;
    }
    if (ok) {
        dissect(&cut, 0, 0, rows->count);
    }
    for (int32_t k = 0; k < rows->count && ok; ++k) {
        multifrontal->place[multifrontal->order[k]] = k;
    }
    hed_free(cut.key);
    hed_free(cut.side);
    return ok ? HED_OK : HED_NO_MEMORY;
}
