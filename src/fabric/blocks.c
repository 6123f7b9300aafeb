// SPDX-License-Identifier: MIT
// Parts of a fabric that move together: blocks of stitches or crossings, and what goes around each
// other. They are regions of damping (Kaldor 2011, figure 4.2 and 4.5.2).
//
// Knits. Courses are taken together to bands of about `size`. A loop of a band belongs to the block
// of the loop below it. Those of its first course have none in the band: side by side they form a
// run, which is cut into pieces of about `size`. So blocks follow decreases, increases and cables,
// and each band begins anew. Shorter runs, such as a loop that was laid between two others, go with
// the loop below or with the one made before.
//
// Weaves. Ends and picks are taken together in groups of about `size`; a crossing belongs to the
// block of its two groups, and a yarn belongs to it half the way to the next ones.
#include "base/alloc.h"
#include "base/status.h"
#include "heddle/fabric.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// A piece of a yarn, with the points from `from` on and before `to`.
typedef struct Stretch {
    int32_t yarn;
    double from, to;
    int32_t part;
} Stretch;

typedef struct Stretches {
    Stretch* data;
    int32_t count;
    int32_t part_count;
} Stretches;

void hed_fabric_parts_free(HedFabricParts* parts) {
    if (parts) {
        hed_free(parts->first);
        hed_free(parts->points);
        *parts = (HedFabricParts){0};
    }
}

// The point of a yarn at a place or the next one after it, in 0..count.
static int32_t point_from(const HedFabricYarn* yarn, double place) {
    return (int32_t)fmin(fmax(ceil(place), 0.0), (double)yarn->count);
}

// Sorts points by parts; parts without points are left out.
static HedStatus collect(const HedFabric* fabric, const Stretches* all, HedFabricParts* parts,
                         HedError* error) {
    int64_t total = 0;
    int32_t* next = HED_NEW_ARRAY(int32_t, (int64_t)all->part_count + 1);
    *parts = (HedFabricParts){0};
    for (int32_t k = 0; next && k < all->count; ++k) {
        const Stretch* s = &all->data[k];
        const HedFabricYarn* yarn = &fabric->yarns[s->yarn];
        int32_t count = point_from(yarn, s->to) - point_from(yarn, s->from);
        next[s->part] += count;
        total += count;
    }
    parts->first = HED_NEW_ARRAY(int32_t, (int64_t)all->part_count + 1);
    parts->points = total <= INT32_MAX ? HED_NEW_ARRAY(int32_t, total) : NULL;
    if (!next || !parts->first || !parts->points) {
        hed_free(next);
        hed_fabric_parts_free(parts);
        return hed_fail_memory(error, "parts of a fabric");
    }
    for (int32_t p = 0; p < all->part_count; ++p) {
        int32_t begin = parts->first[parts->count];
        if (next[p] > 0) {
            parts->first[++parts->count] = begin + next[p];
        }
        next[p] = begin;
    }
    for (int32_t k = 0; k < all->count; ++k) {
        const Stretch* s = &all->data[k];
        const HedFabricYarn* yarn = &fabric->yarns[s->yarn];
        for (int32_t i = point_from(yarn, s->from); i < point_from(yarn, s->to); ++i) {
            parts->points[next[s->part]++] = yarn->first + i;
        }
    }
    hed_free(next);
    return HED_OK;
}

// How many groups of about `size` a number of things makes; 0 if it is less than half of one.
static int32_t group_count(int32_t count, int32_t size) {
    return (int32_t)(((int64_t)count + size / 2) / size);
}

static int32_t group_of(int32_t index, int32_t count, int32_t groups) {
    return count > 0 ? (int32_t)((int64_t)index * groups / count) : 0;
}

// --- knits

// Where a loop stands in its course.
typedef struct Seat {
    double wale;
    int32_t layer;
    int32_t loop;
} Seat;

typedef struct Bands {
    const HedFabric* fabric;
    int32_t size;
    int32_t courses, count;
    int32_t* block; // per loop
    int32_t block_count;
    Seat* seats; // room for all loops
} Bands;

static int32_t band_of(const Bands* b, int32_t loop) {
    return group_of(b->fabric->loops[loop].course, b->courses, b->count);
}

// Whether a loop has none below it in its band.
static bool is_root(const Bands* b, int32_t loop) {
    int32_t below = b->fabric->loops[loop].below;
    return below < 0 || band_of(b, below) != band_of(b, loop);
}

static HedVec3 apex_of(const HedFabric* fabric, int32_t loop) {
    const HedFabricYarn* yarn = &fabric->yarns[fabric->loops[loop].yarn];
    int32_t k = (int32_t)fmin(fmax(fabric->loops[loop].apex, 0.0), yarn->count - 1.0);
    return fabric->points[yarn->first + k];
}

// m, along its points.
static double length_of(const HedFabric* fabric, int32_t loop) {
    const HedFabricLoop* l = &fabric->loops[loop];
    const HedFabricYarn* yarn = &fabric->yarns[l->yarn];
    const HedVec3* x = fabric->points + yarn->first;
    double length = 0.0;
    for (int32_t k = point_from(yarn, l->start); k + 1 < point_from(yarn, l->end); ++k) {
        length += hed_distance3(x[k], x[k + 1]);
    }
    return length;
}

// Whether the second of two seats in the order of their course stands beside the first. Sheets and
// pieces that were made side by side are further apart than their loops are long.
static bool is_beside(const Bands* b, const Seat* seat, const Seat* next) {
    HedVec3 a = apex_of(b->fabric, seat->loop), c = apex_of(b->fabric, next->loop);
    return seat->layer == next->layer &&
           hed_distance3(a, c) < b->size * length_of(b->fabric, next->loop);
}

// The block that a run too short for one of its own goes with.
static int32_t block_beside(Bands* b, int32_t loop) {
    const HedFabricLoop* l = &b->fabric->loops[loop];
    if (l->below >= 0) {
        return b->block[l->below];
    }
    bool has_before = loop > 0 && l[-1].course == l->course;
    return has_before ? b->block[loop - 1] : b->block_count++;
}

static void place_run(Bands* b, const Seat* seats, int32_t n) {
    int32_t pieces = group_count(n, b->size);
    for (int32_t k = 0; k < n; ++k) {
        b->block[seats[k].loop] =
            pieces > 0 ? b->block_count + group_of(k, n, pieces) : block_beside(b, seats[k].loop);
    }
    b->block_count += pieces;
}

static int compare_seats(const void* a, const void* b) {
    const Seat* p = a;
    const Seat* q = b;
    if (p->layer != q->layer) {
        return p->layer < q->layer ? -1 : 1;
    }
    if (p->wale != q->wale) {
        return p->wale < q->wale ? -1 : 1;
    }
    return p->loop < q->loop ? -1 : p->loop > q->loop;
}

// Places the roots of one course that were made one after the other, from loop `begin` on; several
// yarns may have gone over it. Returns the loop behind them.
static int32_t place_course(Bands* b, int32_t begin) {
    const HedFabric* f = b->fabric;
    int32_t end = begin, first = 0;
    while (end < f->loop_count && f->loops[end].course == f->loops[begin].course &&
           is_root(b, end)) {
        b->seats[end - begin] = (Seat){f->loops[end].wale, f->loops[end].layer, end};
        ++end;
    }
    qsort(b->seats, (size_t)(end - begin), sizeof *b->seats, compare_seats);
    for (int32_t k = 1; k <= end - begin; ++k) {
        if (k == end - begin || !is_beside(b, &b->seats[k - 1], &b->seats[k])) {
            place_run(b, b->seats + first, k - first);
            first = k;
        }
    }
    return end;
}

static void place_loops(Bands* b) {
    const HedFabricLoop* loops = b->fabric->loops;
    for (int32_t i = 0; i < b->fabric->loop_count;) {
        if (is_root(b, i)) {
            i = place_course(b, i);
        } else {
            b->block[i] = b->block[loops[i].below];
            ++i;
        }
    }
}

// A loop at the end of a yarn has its last point, too.
static void add_loop(const HedFabric* fabric, int32_t loop, int32_t part, Stretches* all) {
    const HedFabricLoop* l = &fabric->loops[loop];
    const HedFabricYarn* yarn = &fabric->yarns[l->yarn];
    double last = yarn->count - 1.0;
    double to = l->start < last && l->end > last - 1.0 ? last + 1.0 : l->end;
    all->data[all->count++] = (Stretch){l->yarn, l->start, to, part};
}

static HedStatus find_loop_blocks(const HedFabric* fabric, int32_t size, Stretches* all,
                                  HedError* error) {
    Bands b = {.fabric = fabric, .size = size};
    for (int32_t i = 0; i < fabric->loop_count; ++i) {
        int32_t course = fabric->loops[i].course + 1;
        b.courses = course > b.courses ? course : b.courses;
    }
    b.count = group_count(b.courses, size);
    b.count = b.count > 0 ? b.count : 1;
    b.block = HED_NEW_ARRAY(int32_t, fabric->loop_count);
    b.seats = HED_NEW_ARRAY(Seat, fabric->loop_count);
    all->data = HED_NEW_ARRAY(Stretch, fabric->loop_count);
    bool ok = b.block && b.seats && all->data;
    if (ok) {
        place_loops(&b);
    }
    for (int32_t i = 0; ok && i < fabric->loop_count; ++i) {
        add_loop(fabric, i, b.block[i], all);
    }
    all->part_count = b.block_count;
    hed_free(b.block);
    hed_free(b.seats);
    return ok ? HED_OK : hed_fail_memory(error, "blocks of stitches");
}

static HedStatus find_loop_pairs(const HedFabric* fabric, Stretches* all, HedError* error) {
    all->data = HED_NEW_ARRAY(Stretch, 2 * (int64_t)fabric->loop_count);
    if (!all->data) {
        return hed_fail_memory(error, "pairs of stitches");
    }
    for (int32_t i = 0; i < fabric->loop_count; ++i) {
        if (fabric->loops[i].parent >= 0) {
            add_loop(fabric, i, all->part_count, all);
            add_loop(fabric, fabric->loops[i].parent, all->part_count, all);
            all->part_count += 1;
        }
    }
    return HED_OK;
}

// --- weaves

static bool is_warp(const HedFabric* fabric, int32_t yarn) {
    return strcmp(fabric->yarns[yarn].name, "warp") == 0;
}

static bool is_weave(const HedFabric* fabric) {
    for (int32_t c = 0; c < fabric->crossing_count; ++c) {
        const HedFabricCrossing* at = &fabric->crossings[c];
        if (is_warp(fabric, at->over.yarn) == is_warp(fabric, at->under.yarn)) {
            return false;
        }
    }
    return fabric->crossing_count > 0;
}

static double place_of(const HedFabric* fabric, int32_t visit) {
    HedFabricVisit v = fabric->visits[visit];
    const HedFabricCrossing* at = &fabric->crossings[v.crossing];
    return v.is_over ? at->over.at : at->under.at;
}

// What belongs to one visit of a yarn: half the way to the next ones. Beyond the outermost it is as
// much as on the other side, and all of it if the yarn goes on there or crosses nothing else.
static Stretch stretch_of(const HedFabric* fabric, int32_t yarn, int32_t visit) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    int32_t begin = fabric->first_visits[yarn], end = fabric->first_visits[yarn + 1];
    double at = place_of(fabric, visit);
    bool has_before = visit > begin, has_after = visit + 1 < end;
    bool goes_on = y->is_closed || y->turns.a != 0 || y->turns.b != 0;
    bool is_whole = goes_on || (!has_before && !has_after);
    double before = has_before ? 0.5 * (at - place_of(fabric, visit - 1)) : 0.0;
    double after = has_after ? 0.5 * (place_of(fabric, visit + 1) - at) : 0.0;
    double outside = is_whole ? (double)y->count : fmax(before, after);
    return (Stretch){.yarn = yarn,
                     .from = at - (has_before ? before : outside),
                     .to = at + (has_after ? after : outside)};
}

// part: of each crossing.
static HedStatus list_visits(const HedFabric* fabric, const int32_t* part, Stretches* all,
                             HedError* error) {
    all->data = HED_NEW_ARRAY(Stretch, 2 * (int64_t)fabric->crossing_count);
    if (!all->data) {
        return hed_fail_memory(error, "crossings of a weave");
    }
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        for (int32_t k = fabric->first_visits[y]; k < fabric->first_visits[y + 1]; ++k) {
            Stretch s = stretch_of(fabric, y, k);
            int32_t crossing = fabric->visits[k].crossing;
            s.part = part ? part[crossing] : crossing;
            all->data[all->count++] = s;
        }
    }
    return HED_OK;
}

static int32_t warp_at(const HedFabric* fabric, int32_t visit) {
    HedFabricVisit v = fabric->visits[visit];
    const HedFabricCrossing* at = &fabric->crossings[v.crossing];
    return v.is_over ? at->under.yarn : at->over.yarn;
}

// Numbers the picks of all wefts, from *pick on; one yarn may make several, and turns between them:
// a warp thread is met twice, or after one behind it. Warp threads stand in the order of yarns.
static void number_picks(const HedFabric* fabric, int32_t weft, int32_t* pick, int32_t* pick_of) {
    int32_t begin = fabric->first_visits[weft], end = fabric->first_visits[weft + 1];
    int32_t way = 0;
    for (int32_t k = begin; k < end; ++k) {
        int32_t next = k > begin ? warp_at(fabric, k) - warp_at(fabric, k - 1) : 0;
        bool turns = k > begin && (next == 0 || (next > 0 && way < 0) || (next < 0 && way > 0));
        *pick += turns;
        way = turns ? 0 : next;
        pick_of[fabric->visits[k].crossing] = *pick;
    }
    *pick += end > begin;
}

static int32_t groups_or_one(int32_t count, int32_t size) {
    int32_t groups = group_count(count, size);
    return groups > 0 ? groups : 1;
}

static HedStatus find_crossing_blocks(const HedFabric* fabric, int32_t size, Stretches* all,
                                      HedError* error) {
    HedStatus status = HED_OK;
    int32_t* end_of = HED_NEW_ARRAY(int32_t, fabric->yarn_count);
    int32_t* part = HED_NEW_ARRAY(int32_t, fabric->crossing_count);
    int32_t ends = 0, picks = 0;
    if (!end_of || !part) {
        HED_TRY(hed_fail_memory(error, "crossings of a weave"));
    }
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        if (is_warp(fabric, y)) {
            end_of[y] = ends++;
        } else {
            number_picks(fabric, y, &picks, part);
        }
    }
    int32_t along = groups_or_one(picks, size), across = groups_or_one(ends, size);
    for (int32_t c = 0; c < fabric->crossing_count; ++c) {
        const HedFabricCrossing* at = &fabric->crossings[c];
        int32_t warp = is_warp(fabric, at->over.yarn) ? at->over.yarn : at->under.yarn;
        int32_t column = group_of(end_of[warp], ends, across);
        part[c] = column * along + group_of(part[c], picks, along);
    }
    all->part_count = across * along;
    HED_TRY(list_visits(fabric, part, all, error));
done:
    hed_free(end_of);
    hed_free(part);
    return status;
}

// --- both

HedStatus hed_fabric_blocks(const HedFabric* fabric, int32_t size, HedFabricParts* parts,
                            HedError* error) {
    HedStatus status = HED_OK;
    Stretches all = {0};
    *parts = (HedFabricParts){0};
    if (size < 1) {
        return hed_fail(error, HED_INVALID, "blocks must be 1 stitch wide at least, got %d", size);
    }
    if (fabric->loop_count > 0) {
        HED_TRY(find_loop_blocks(fabric, size, &all, error));
    } else if (is_weave(fabric)) {
        HED_TRY(find_crossing_blocks(fabric, size, &all, error));
    }
    HED_TRY(collect(fabric, &all, parts, error));
done:
    hed_free(all.data);
    return status;
}

HedStatus hed_fabric_pairs(const HedFabric* fabric, HedFabricParts* parts, HedError* error) {
    HedStatus status = HED_OK;
    Stretches all = {0};
    *parts = (HedFabricParts){0};
    if (fabric->loop_count > 0) {
        HED_TRY(find_loop_pairs(fabric, &all, error));
    } else if (is_weave(fabric)) {
        HED_TRY(list_visits(fabric, NULL, &all, error));
        all.part_count = fabric->crossing_count;
    }
    HED_TRY(collect(fabric, &all, parts, error));
done:
    hed_free(all.data);
    return status;
}
