// SPDX-License-Identifier: MIT
// Does every loop go through its parents, and through nothing else?
//
// Seen from the face, a loop and the line between its ends surround a region. Half a loop (from its
// foot to its head) that is pulled through a parent from behind comes into the parent's region
// below the parent's yarn and leaves it above. So, with the signed number of times that it leaves
// the region above (over) and below (under) the parent's yarn,
//   knit: over = 1, under = -1     purl: over = -1, under = 1
// and the same with opposite signs for the half that goes back. These numbers do not change when
// yarns are moved about without passing through each other. Where several loops come through one
// parent, the yarn between two of them stays in the region: then only leaving counts.
//
// Loops that are not parent and child lie on each other, if they cross at all: one is over the
// other everywhere. Floats that lead to a loop are no part of its bight: they lie on one side of
// other loops, too, but that may be another side, and how two of them lie is free.
//
// Loops that hang between the beds of a machine may pass each other more than once. There two loops
// are not linked if no half of one leaves the region of the other above its yarn and comes in below
// it, or the other way round, and neither does the whole loop. And the head of a loop may end
// before its parent's does, where both are held on different beds: then it lies on the side to
// which it is pulled.
#include "geom/sort.h"
#include "knit/knit.h"

#include <inttypes.h>
#include <math.h>

// A crossing of two different loops.
typedef struct Hit {
    int32_t over, under;
    int8_t over_half, under_half; // 0 to the head, 1 back
    int8_t turn;                  // sign of (way of over) x (way of under)
    bool over_floats, under_floats;
} Hit;

typedef struct Proof {
    const HedLoops* graph;
    const HedFabric* sheet;
    const HedLoopSpan* spans;
    const HedKnitPlan* plan; // where loops stand in space; NULL on a sheet
    int32_t* owners;         // per point: the loop that the yarn is in, there
    HED_ARRAY(Hit) hits;
    HedSortItem* items;
    bool* is_met;    // per entry of parents
    bool is_on_beds; // loops hang between the beds of a machine
    HedError* error;
} Proof;

static HedStatus fail_pair(const Proof* p, int32_t loop, int32_t other, const char* does,
                           const char* how) {
    return hed_loops_fail_pair(p->graph, loop, other, does, how, p->error);
}

static HedStatus find_owners(Proof* p) {
    const HedLoops* g = p->graph;
    p->owners = HED_NEW_ARRAY(int32_t, p->sheet->point_count);
    if (!p->owners) {
        return hed_fail_memory(p->error, "owners of points");
    }
    for (int32_t i = 0; i < g->loops.count; ++i) {
        const HedLoopSpan* span = &p->spans[i];
        const HedFabricYarn* yarn = &p->sheet->yarns[span->yarn];
        for (int32_t k = (int32_t)ceil(span->start); k < yarn->count && k <= span->end; ++k) {
            p->owners[yarn->first + k] = i;
        }
    }
    return HED_OK;
}

// The loop after the last point before the place, or the one that the place is in.
static int32_t loop_at(const Proof* p, HedFabricPlace place) {
    const HedFabricYarn* yarn = &p->sheet->yarns[place.yarn];
    int32_t k = (int32_t)place.at;
    int32_t loop = p->owners[yarn->first + k];
    int32_t next = k + 1 < yarn->count ? p->owners[yarn->first + k + 1] : loop;
    return place.at >= p->spans[next].start && next != loop ? next : loop;
}

// How the yarn runs at a place; as it is seen if there is a view.
static HedVec3 way_at(const Proof* p, HedFabricPlace place, const HedStitchFrame* view) {
    const HedFabricYarn* yarn = &p->sheet->yarns[place.yarn];
    int32_t k = (int32_t)place.at;
    k = k + 1 < yarn->count ? k : yarn->count - 2;
    const HedVec3* x = p->sheet->points + yarn->first + k;
    return view ? hed_sub3(hed_knit_seen(view, x[1]), hed_knit_seen(view, x[0]))
                : hed_sub3(x[1], x[0]);
}

static bool is_float(const Proof* p, int32_t loop, double at) {
    return at < p->spans[loop].bight[0] || at > p->spans[loop].bight[1];
}

static HedStatus find_hits(Proof* p) {
    for (int32_t i = 0; i < p->sheet->crossing_count; ++i) {
        HedFabricCrossing c = p->sheet->crossings[i];
        Hit hit = {.over = loop_at(p, c.over), .under = loop_at(p, c.under)};
        if (hit.over == hit.under) {
            continue;
        }
        HedStitchFrame view;
        if (p->plan) { // the one that the crossing was found in
            bool is_low = hit.over < hit.under;
            view = hed_knit_view(p->plan, is_low ? hit.over : hit.under,
                                 is_low ? hit.under : hit.over);
        }
        HedVec3 a = way_at(p, c.over, p->plan ? &view : NULL);
        HedVec3 b = way_at(p, c.under, p->plan ? &view : NULL);
        hit.over_half = c.over.at >= p->spans[hit.over].apex;
        hit.under_half = c.under.at >= p->spans[hit.under].apex;
        hit.over_floats = is_float(p, hit.over, c.over.at);
        hit.under_floats = is_float(p, hit.under, c.under.at);
        hit.turn = a.x * b.y - a.y * b.x > 0.0 ? 1 : -1;
        if (!HED_APPEND(&p->hits, hit)) {
            return hed_fail_memory(p->error, "crossings of loops");
        }
    }
    return HED_OK;
}

// Hits of one pair of loops stand together.
static HedStatus sort_hits(Proof* p) {
    p->items = HED_NEW_ARRAY(HedSortItem, p->hits.count);
    if (!p->items) {
        return hed_fail_memory(p->error, "crossings of loops");
    }
    for (int32_t i = 0; i < p->hits.count; ++i) {
        const Hit* hit = &p->hits.data[i];
        int32_t low = hit->over < hit->under ? hit->over : hit->under;
        int32_t high = hit->over < hit->under ? hit->under : hit->over;
        p->items[i] = (HedSortItem){(uint64_t)low << 32 | (uint64_t)high, i};
    }
    return hed_sort_items(p->items, p->hits.count, p->error);
}

// How often each half of a loop leaves the region of another, above and below its yarn.
typedef struct Leaving {
    int32_t over[2], under[2];
} Leaving;

static Leaving count_leaving(const Proof* p, int32_t first, int32_t end, int32_t loop,
                             int32_t other) {
    const HedLoop* o = &p->graph->loops.data[other];
    // A loop that runs to the right goes round its region clockwise.
    int32_t sense = o->is_leftward == o->is_twisted ? 1 : -1;
    Leaving n = {0};
    for (int32_t i = first; i < end; ++i) {
        const Hit* hit = &p->hits.data[p->items[i].value];
        if (hit->over == loop ? hit->under_floats : hit->over_floats) {
            continue; // beside the region
        }
        if (hit->over == loop) {
            n.over[hit->over_half] -= sense * hit->turn;
        } else {
            n.under[hit->under_half] += sense * hit->turn;
        }
    }
    return n;
}

// The loop of the same yarn before a loop (half 0) or behind it (half 1); -1 if there is none.
static int32_t neighbour(const HedLoops* g, int32_t loop, int32_t half) {
    const HedLoopYarn* path = &g->yarns.data[g->loops.data[loop].yarn];
    int32_t way = half == 0 ? -1 : 1;
    int32_t end = path->first_step + path->step_count;
    for (int32_t k = g->loop_steps[loop] + way; k >= path->first_step && k < end; k += way) {
        if (g->steps.data[k].kind == HED_STEP_LOOP) {
            return g->steps.data[k].loop;
        }
    }
    return -1;
}

// First item of a pair of loops, or -1.
static int32_t find_pair(const Proof* p, int32_t a, int32_t b) {
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
    int32_t first = 0;
    int32_t end = p->hits.count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if (p->items[middle].key < key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < p->hits.count && p->items[first].key == key ? first : -1;
}

// How often the yarn comes into the parent's region from the side from which the loop is pulled if
// it begins (or ends) there: that is where the half of the neighbour beside it does.
static int32_t neighbour_in(const Proof* p, int32_t loop, int32_t parent, int32_t half) {
    int32_t other = neighbour(p->graph, loop, half);
    int32_t first = other >= 0 && other != parent ? find_pair(p, other, parent) : -1;
    if (first < 0) {
        return 0;
    }
    int32_t end = first;
    while (end < p->hits.count && p->items[end].key == p->items[first].key) {
        ++end;
    }
    Leaving n = count_leaving(p, first, end, other, parent);
    return p->graph->loops.data[loop].is_purl ? n.over[1 - half] : n.under[1 - half];
}

// Towards the face, where the bight of a loop passes a place: between its legs left and right of
// it. False if it does not pass there.
static bool height_at(const Proof* p, int32_t loop, HedVec3 at, double* z) {
    const HedLoopSpan* span = &p->spans[loop];
    const HedFabricYarn* yarn = &p->sheet->yarns[span->yarn];
    const HedVec3* x = p->sheet->points + yarn->first;
    HedVec3 left = {.x = -(double)INFINITY};
    HedVec3 right = {.x = (double)INFINITY};
    for (int32_t k = (int32_t)span->bight[0]; k + 1 < yarn->count && k < span->bight[1]; ++k) {
        if ((x[k].y > at.y) == (x[k + 1].y > at.y)) {
            continue;
        }
        HedVec3 q = hed_lerp3(x[k], x[k + 1], (at.y - x[k].y) / (x[k + 1].y - x[k].y));
        left = q.x <= at.x && q.x > left.x ? q : left;
        right = q.x > at.x && q.x < right.x ? q : right;
    }
    double wide = right.x - left.x;
    *z = isfinite(wide) ? hed_lerp3(left, right, (at.x - left.x) / wide).z : 0.0;
    return isfinite(wide);
}

// A half that begins (or ends) in the parent's region does not come into it. Then its end must lie
// on the side from which the loop is pulled.
static bool is_inside(const Proof* p, int32_t loop, int32_t parent, int32_t half, int32_t sum) {
    const HedLoopSpan* span = &p->spans[loop];
    const HedFabricYarn* yarn = &p->sheet->yarns[span->yarn];
    int32_t k = (int32_t)(half == 0 ? span->start : span->end);
    HedVec3 x = p->sheet->points[yarn->first + (k < yarn->count ? k : yarn->count - 1)];
    double z = x.z;
    double parent_z = 0.0;
    if (p->is_on_beds && height_at(p, parent, x, &parent_z)) {
        z -= parent_z;
    } else if (p->plan) {
        const HedStitchFrame* foot = &p->plan->loops[loop].foot;
        z = hed_dot3(hed_sub3(x, foot->origin), foot->face);
    }
    bool is_purl = p->graph->loops.data[loop].is_purl;
    return sum == (half == 0 ? 1 : -1) && (is_purl ? z > 0.0 : z < 0.0);
}

// Whether the head of a loop between the beds, seen inside its parent, is on the side to which it
// was pulled.
static bool is_head_through(const Proof* p, int32_t loop, int32_t parent) {
    const HedLoopSpan* span = &p->spans[loop];
    HedVec3 head = p->sheet->points[p->sheet->yarns[span->yarn].first + (int32_t)span->apex];
    double z = 0.0;
    bool is_purl = p->graph->loops.data[loop].is_purl;
    return p->is_on_beds && height_at(p, parent, head, &z) && (is_purl ? head.z < z : head.z > z);
}

static HedStatus check_through(const Proof* p, int32_t loop, int32_t parent, Leaving n) {
    bool is_purl = p->graph->loops.data[loop].is_purl;
    bool is_alone = hed_child_count(p->graph, parent) == 1;
    int32_t halves = p->graph->loops.data[loop].kind == HED_LOOP_END ? 1 : 2;
    for (int32_t half = 0; half < halves; ++half) {
        int32_t sign = half == 0 ? 1 : -1;
        int32_t out = is_purl ? n.under[half] : n.over[half];
        int32_t in = is_purl ? n.over[half] : n.under[half];
        bool is_good = in == -sign || !is_alone || is_inside(p, loop, parent, half, in + out) ||
                       (in == 0 && neighbour_in(p, loop, parent, half) == -sign);
        bool is_out = out == sign || (out == 0 && is_head_through(p, loop, parent));
        if (!is_out || !is_good) {
            return fail_pair(p, loop, parent, "is not pulled through", "as it should");
        }
    }
    return HED_OK;
}

// Marks the pair as met if parent is one of loop's.
static bool is_parent(Proof* p, int32_t loop, int32_t parent) {
    for (int32_t k = p->graph->first_parents.data[loop]; k < p->graph->first_parents.data[loop + 1];
         ++k) {
        if (p->graph->parents.data[k] == parent) {
            p->is_met[k] = true;
            return true;
        }
    }
    return false;
}

// Whether a loop comes into the region of another on one side of its yarn and leaves it on the
// other one.
static bool is_linked(Leaving n) {
    int32_t over = n.over[0] + n.over[1];
    int32_t under = n.under[0] + n.under[1];
    return (n.over[0] != 0 && n.under[0] != 0) || (n.over[1] != 0 && n.under[1] != 0) ||
           (over != 0 && under != 0);
}

static HedStatus check_layers(const Proof* p, int32_t first, int32_t end) {
    const Hit* seen[2][2] = {{NULL}}; // by whether the first loop floats, and the second
    int32_t low = (int32_t)(p->items[first].key >> 32);
    for (int32_t i = first; i < end; ++i) {
        const Hit* hit = &p->hits.data[p->items[i].value];
        bool is_low = hit->over == low;
        const Hit** same = &seen[is_low ? hit->over_floats : hit->under_floats]
                                [is_low ? hit->under_floats : hit->over_floats];
        bool is_free = hit->over_floats && hit->under_floats;
        *same = *same ? *same : hit;
        if (!is_free && (*same)->over != hit->over) {
            bool is_apart = p->is_on_beds &&
                            !is_linked(count_leaving(p, first, end, hit->over, hit->under)) &&
                            !is_linked(count_leaving(p, first, end, hit->under, hit->over));
            return is_apart ? HED_OK
                            : fail_pair(p, hit->over, hit->under, "lies partly in front of",
                                        "and partly behind it, but is not pulled through it");
        }
    }
    return HED_OK;
}

static HedStatus check_pairs(Proof* p) {
    HedStatus status = HED_OK;
    for (int32_t first = 0; first < p->hits.count;) {
        uint64_t key = p->items[first].key;
        int32_t low = (int32_t)(key >> 32);
        int32_t high = (int32_t)(key & UINT32_MAX);
        int32_t end = first + 1;
        while (end < p->hits.count && p->items[end].key == key) {
            ++end;
        }
        // Parents come before their children.
        if (is_parent(p, high, low)) {
            HED_TRY(check_through(p, high, low, count_leaving(p, first, end, high, low)));
        } else {
            HED_TRY(check_layers(p, first, end));
        }
        first = end;
    }
done:
    return status;
}

static HedStatus check_all_met(const Proof* p) {
    const HedLoops* g = p->graph;
    for (int32_t i = 0; i < g->loops.count; ++i) {
        for (int32_t k = g->first_parents.data[i]; k < g->first_parents.data[i + 1]; ++k) {
            if (!p->is_met[k]) {
                return fail_pair(p, i, g->parents.data[k], "does not meet",
                                 "through which it is pulled");
            }
        }
    }
    return HED_OK;
}

// Between the beds loops may pass each other several times: once the one in front is.
static bool is_in_front(const Proof* p, HedLoopSwap swap) {
    int32_t first = find_pair(p, swap.over, swap.under);
    bool is_over = false;
    for (int32_t i = first; first >= 0 && i < p->hits.count; ++i) {
        if (p->items[i].key != p->items[first].key || (i > first && !p->is_on_beds)) {
            break;
        }
        is_over = is_over || p->hits.data[p->items[i].value].over == swap.over;
    }
    return is_over;
}

static HedStatus check_swaps(const Proof* p) {
    for (int32_t i = 0; i < p->graph->swaps.count; ++i) {
        HedLoopSwap swap = p->graph->swaps.data[i];
        if (!is_in_front(p, swap)) {
            return fail_pair(p, swap.over, swap.under, "does not pass in front of",
                             "with which it changes places");
        }
    }
    return HED_OK;
}

static HedStatus check(Proof p) {
    HedStatus status = HED_OK;
    p.is_met = HED_NEW_ARRAY(bool, p.graph->parents.count);
    if (!p.is_met) {
        status = hed_fail_memory(p.error, "parents of loops");
        goto done;
    }
    HED_TRY(find_owners(&p));
    HED_TRY(find_hits(&p));
    HED_TRY(sort_hits(&p));
    HED_TRY(check_pairs(&p));
    HED_TRY(check_all_met(&p));
    HED_TRY(check_swaps(&p));
done:
    hed_free(p.owners);
    hed_free(p.hits.data);
    hed_free(p.items);
    hed_free(p.is_met);
    return status;
}

HedStatus hed_knit_check(const HedKnitPlan* plan, const HedFabric* sheet, const HedLoopSpan* spans,
                         HedError* error) {
    return check((Proof){.graph = plan->graph,
                         .sheet = sheet,
                         .spans = spans,
                         .is_on_beds = plan->log != NULL,
                         .error = error});
}

HedStatus hed_knit_check_space(const HedKnitPlan* plan, const HedFabric* fabric,
                               const HedLoopSpan* spans, HedError* error) {
    return check((Proof){
        .graph = plan->graph, .sheet = fabric, .spans = spans, .plan = plan, .error = error});
}
