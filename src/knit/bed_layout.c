// SPDX-License-Identifier: MIT
// Heights of operations, and where loops stand at each of them.
//
// For each half column there are three tops: of what stands in the zone of the front bed, in the
// lanes, in the zone of the back bed. An operation is put as low as the tops of what it touches
// allow. That keeps the order of all operations that touch one place; others do not notice each
// other.
#include "base/parallel.h"
#include "knit/beds.h"

#include <math.h>

static const double PITCH = 1.1;   // diameters from one yarn to the next in depth
static const double DEEPEST = 9.0; // of these, for all loops on a needle: more are closer together
// Courses that operations take in the lanes and in the zones.
static const double LANE_RISE = 0.5;
static const double ZONE_RISE = 1.0;
static const double AGAINST_RISE = 0.3;
static const double MOVE_RISE = 0.5;
static const double RACK_RISE = 0.3;
static const double PLATE_RISE = 0.08;

typedef struct Tops {
    double front, lanes, back;
    int32_t operation; // that the lanes saw last
} Tops;

// The last loop of a yarn.
typedef struct Last {
    int32_t loop; // -1: none
    int32_t operation;
    double level;
} Last;

typedef struct LayoutMaker {
    const HedLoops* graph;
    const HedBedLog* log;
    HedBedLayout* out;
    HED_ARRAY(HedBedWay) ways;
    Last* lasts; // per yarn
    Tops* tops;
    int32_t tops_count;
    double low;        // wale of the first column
    double gap;        // diameters from the middle to the outermost lane, and half a pitch more
    double lane_pitch; // diameters
    double pitch;      // the same of loops on a needle
    int32_t lane_count;
    bool is_half; // loops are made between the columns of front needles, too
    HedError* error;
} LayoutMaker;

// --- depth ---

static double zone_of(const LayoutMaker* l, const HedBedEvent* e) {
    const HedBedLog* log = l->log;
    int32_t rank = e->is_slider ? log->needle_most + e->rank : e->rank;
    int32_t most = 2 * log->needle_most + log->slider_most;
    return (e->is_back ? -1.0 : 1.0) * (l->gap + l->pitch * (most - rank));
}

// Heads of loops that were taken lie between the lanes and the zone of those that are held.
static double arch_of(const LayoutMaker* l, const HedBedEvent* e) {
    return (e->is_back ? -1.0 : 1.0) * (l->gap + l->pitch * (l->log->needle_most - e->rank));
}

static void find_depths(LayoutMaker* l) {
    for (int32_t i = 0; i < l->log->lanes.count; ++i) {
        l->lane_count = hed_max_i32(l->lane_count, l->log->lanes.data[i] + 1);
    }
    int32_t ranks = 2 * l->log->needle_most + l->log->slider_most;
    l->lane_pitch = PITCH * fmin(1.0, DEEPEST / l->lane_count);
    l->pitch = PITCH * fmin(1.0, DEEPEST / ranks);
    l->gap = 0.5 * l->lane_pitch * l->lane_count;
}

static double lane_of(const LayoutMaker* l, int32_t yarn) {
    return l->gap - l->lane_pitch * (l->log->lanes.data[yarn] + 0.5);
}

// --- columns ---

static int32_t bin_of(const LayoutMaker* l, double x) {
    int32_t bin = (int32_t)floor(2.0 * x + 0.5);
    return hed_max_i32(0, hed_min_i32(bin, l->tops_count - 1));
}

static HedStatus make_columns(LayoutMaker* l) {
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int32_t i = 0; i < l->log->events.count; ++i) {
        const HedBedEvent* e = &l->log->events.data[i];
        low = fmin(low, e->wale);
        high = fmax(high, e->wale);
        l->is_half = l->is_half || (e->kind == HED_BED_MADE && e->wale != floor(e->wale));
    }
    static const int32_t ROOM = 2; // columns beyond the first and the last
    l->low = floor(low) - ROOM;
    l->tops_count = (int32_t)(2.0 * (ceil(high) + ROOM - l->low)) + 1;
    l->tops = HED_NEW_ARRAY(Tops, l->tops_count);
    if (!l->tops) {
        return hed_fail_memory(l->error, "columns of a knit");
    }
    for (int32_t i = 0; i < l->tops_count; ++i) {
        l->tops[i].operation = -1;
    }
    return HED_OK;
}

// Where a yarn waits that left a loop on its way at x: the next place beyond that is clear of the
// needles of both beds.
static double waiting_place(const LayoutMaker* l, double x, bool is_leftward) {
    double way = is_leftward ? -1.0 : 1.0;
    double u = way * x;
    if (!l->is_half) {
        return way * (floor(u - 0.5) + 1.5);
    }
    double column = floor(u);
    static const double CLEAR = 0.375; // of a column; also for beds a quarter or a half apart
    double places[3] = {column + CLEAR, column + 1.0 - CLEAR, column + 1.0 + CLEAR};
    int32_t k = places[0] > u ? 0 : (places[1] > u ? 1 : 2);
    return way * places[k];
}

typedef struct Tall {
    double front, lanes, back;
} Tall;

// The tops between two places; of the lanes, those that one operation made do not count.
static Tall tops_over(const LayoutMaker* l, double from, double to, int32_t but) {
    Tall tall = {0};
    int32_t end = bin_of(l, fmax(from, to));
    for (int32_t i = bin_of(l, fmin(from, to)); i <= end; ++i) {
        const Tops* t = &l->tops[i];
        tall.front = fmax(tall.front, t->front);
        tall.back = fmax(tall.back, t->back);
        tall.lanes = but >= 0 && t->operation == but ? tall.lanes : fmax(tall.lanes, t->lanes);
    }
    return tall;
}

static void fill_lanes(LayoutMaker* l, double from, double to, double top, int32_t operation) {
    int32_t end = bin_of(l, fmax(from, to));
    for (int32_t i = bin_of(l, fmin(from, to)); i <= end; ++i) {
        l->tops[i].lanes = fmax(l->tops[i].lanes, top);
        l->tops[i].operation = operation;
    }
}

static void fill_zones(LayoutMaker* l, double x, bool front, bool back, double top) {
    static const double HALF = 0.24; // columns that the legs of a loop reach to each side
    int32_t end = bin_of(l, x + HALF);
    for (int32_t i = bin_of(l, x - HALF); i <= end; ++i) {
        l->tops[i].front = front ? fmax(l->tops[i].front, top) : l->tops[i].front;
        l->tops[i].back = back ? fmax(l->tops[i].back, top) : l->tops[i].back;
    }
}

static Tall tops_at(const LayoutMaker* l, double x) {
    static const double HALF = 0.24;
    return tops_over(l, x - HALF, x + HALF, -1);
}

static double highest(Tall t) {
    return fmax(t.front, fmax(t.lanes, t.back));
}

// --- loops ---

static HedStatus add_way(LayoutMaker* l, const HedBedEvent* e, double y0, double y1) {
    HedBedWay way = {e->loop, y0, y1, e->wale - l->low, zone_of(l, e)};
    return HED_APPEND(&l->ways, way) ? HED_OK : hed_fail_memory(l->error, "ways of loops");
}

static bool is_plated(const HedLoops* g, int32_t loop) {
    return g->loops.data[loop].plate >= 0 ||
           (loop + 1 < g->loops.count && g->loops.data[loop + 1].plate == loop);
}

// A yarn that goes on at once from a needle to the one that faces it: both loops stand in one
// column, the feet of one behind those of the other along the yarn.
static void share_column(LayoutMaker* l, HedBedLoop* s, const Last* last) {
    static const double APART = 0.55, PART = 0.4; // of half the feet of a loop
    HedBedLoop* before = last->loop < 0 ? NULL : &l->out->loops[last->loop];
    bool shares = before && before->x == s->x && before->is_leftward == s->is_leftward &&
                  (before->zone > 0.0) != (s->zone > 0.0) && before->foot == before->x &&
                  l->tops[bin_of(l, s->x)].operation == last->operation;
    if (shares && !is_plated(l->graph, last->loop)) {
        double way = s->is_leftward ? -1.0 : 1.0;
        before->foot -= way * APART * before->narrow;
        s->foot += way * APART * s->narrow;
        before->narrow *= PART;
        s->narrow *= PART;
    }
}

// From where the yarn comes, and how.
static void find_way_in(const LayoutMaker* l, HedBedLoop* s, const Last* last) {
    static const double TAIL = 0.4; // columns of yarn before the first loop
    double way = s->is_leftward ? -1.0 : 1.0;
    double entry = s->foot - way * s->narrow;
    if (last->loop < 0) {
        s->from = entry - way * TAIL;
        s->is_from_foot = true;
        return;
    }
    const HedBedLoop* before = &l->out->loops[last->loop];
    double exit = before->foot + (before->is_leftward ? -1.0 : 1.0) * before->narrow;
    double wait = waiting_place(l, exit, before->is_leftward);
    bool goes_on = before->is_leftward == s->is_leftward && way * (entry - exit) > 0.0;
    // A step up on the way to the next loop is taken in the middle if there is a clear place.
    s->is_from_foot = goes_on && way * (entry - wait) <= 0.0;
    s->from = s->is_from_foot ? exit : wait;
    s->comes_against = !goes_on && way * (entry - wait) < 0.0;
}

// The lowest level for a loop: above what its yarn passes, and what stands where it goes.
static double lowest_level(const LayoutMaker* l, const HedBedEvent* e, const HedBedLoop* s,
                           const Last* last) {
    double way = s->is_leftward ? -1.0 : 1.0;
    double exit = s->foot + way * s->narrow;
    bool goes_on = last->loop >= 0 && !s->comes_against &&
                   l->out->loops[last->loop].is_leftward == s->is_leftward;
    Tall passed = tops_over(l, s->from, exit, goes_on ? last->operation : -1);
    Tall here = tops_at(l, s->x);
    double level = fmax(passed.lanes, e->is_back ? here.back : here.front);
    return last->loop >= 0 ? fmax(level, last->level) : level;
}

static void make_loop(LayoutMaker* l, const HedBedEvent* e, int32_t first_loop) {
    static const double NARROW = 0.125, WIDE = 0.33, NARROW_HALF = 0.08, WIDE_HALF = 0.2;
    static const double VARIED = 0.03; // columns: legs do not stand exactly behind others
    static const double GOLDEN = 0.6180339887498949;
    HedBedLoop* s = &l->out->loops[e->loop];
    double varied = fmod(GOLDEN * first_loop, 1.0);
    double plate = e->loop - first_loop; // loops of one operation stand within each other
    double scale = 1.0 / (1.0 + plate);
    s->x = s->foot = e->wale - l->low;
    s->is_leftward = e->is_leftward;
    s->lane = lane_of(l, l->graph->loops.data[e->loop].yarn);
    s->zone = zone_of(l, e);
    s->arch = s->zone;
    s->narrow = (l->is_half ? NARROW_HALF : NARROW) + 0.5 * VARIED * (1.0 - scale);
    s->wide = (l->is_half ? WIDE_HALF : WIDE) + VARIED * varied + 0.5 * VARIED * (1.0 - scale);
    s->end = -1.0;
}

// Loops made by one operation; then what became of those that were on the needle.
static HedStatus make_group(LayoutMaker* l, const HedBedEvent* events, int32_t count) {
    HedStatus status = HED_OK;
    double level = 0.0;
    bool is_against = false;
    int32_t made = 0;
    bool moves = events[count - 1].kind == HED_BED_MOVED;
    for (; made < count && events[made].kind == HED_BED_MADE; ++made) {
        const HedBedEvent* e = &events[made];
        HedBedLoop* s = &l->out->loops[e->loop];
        const Last* last = &l->lasts[l->graph->loops.data[e->loop].yarn];
        make_loop(l, e, events[0].loop);
        if (count == 1 || events[1].kind != HED_BED_MADE) {
            share_column(l, s, last);
        }
        find_way_in(l, s, last);
        level = fmax(level, lowest_level(l, e, s, last));
        is_against = is_against || s->comes_against;
    }
    level = moves ? fmax(level, highest(tops_at(l, events[0].wale - l->low))) : level;
    double base = level + (is_against ? AGAINST_RISE : 0.0);
    for (int32_t k = 0; k < made; ++k) {
        const HedBedEvent* e = &events[k];
        HedBedLoop* s = &l->out->loops[e->loop];
        double way = s->is_leftward ? -1.0 : 1.0;
        s->base = base + PLATE_RISE * k;
        s->rise = (s->comes_against ? level : base) + PLATE_RISE * k;
        fill_lanes(l, s->from, s->foot + way * s->narrow, base + LANE_RISE, e->operation);
        l->lasts[l->graph->loops.data[e->loop].yarn] = (Last){e->loop, e->operation, base};
    }
    double x = events[0].wale - l->low;
    fill_zones(l, x, !events[0].is_back || moves, events[0].is_back || moves, base + ZONE_RISE);
    for (int32_t k = made; k < count; ++k) {
        const HedBedEvent* e = &events[k];
        if (e->kind == HED_BED_TAKEN) {
            HedBedLoop* s = &l->out->loops[e->loop];
            s->end = base;
            s->arch = arch_of(l, e);
            s->is_taken = true;
        } else {
            HED_TRY(add_way(l, e, base + LANE_RISE, base + ZONE_RISE));
            fill_lanes(l, x, x, base + ZONE_RISE, e->operation);
        }
    }
done:
    return status;
}

static HedStatus move_group(LayoutMaker* l, const HedBedEvent* events, int32_t count) {
    HedStatus status = HED_OK;
    double x = events[0].wale - l->low;
    double y = highest(tops_at(l, x));
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(add_way(l, &events[k], y, y + 0.8 * MOVE_RISE));
    }
    fill_zones(l, x, true, true, y + MOVE_RISE);
    fill_lanes(l, x, x, y + MOVE_RISE, events[0].operation);
done:
    return status;
}

// All loops of the back bed move together, or some of the front bed do. Those of the back bed that
// pass a column move behind what the front bed holds there.
static HedStatus rack_group(LayoutMaker* l, const HedBedEvent* events, int32_t count, double way) {
    static const double HALF = 0.25; // columns
    HedStatus status = HED_OK;
    double high = -(double)INFINITY;
    double low = (double)INFINITY;
    bool passes = false;
    for (int32_t k = 0; k < count; ++k) {
        double x = events[k].wale - l->low;
        double left = fmin(x, x - way), right = fmax(x, x - way);
        low = fmin(low, left);
        high = fmax(high, right);
        passes = passes || floor(left) + 1.0 < right;
    }
    Tall tall = tops_over(l, low - HALF, high + HALF, -1);
    bool is_back = events[0].is_back;
    bool fronts = passes || !is_back; // columns of the front bed are passed, or are its own
    double y = fmax(fronts ? tall.front : 0.0, is_back ? tall.back : 0.0);
    double end = y + RACK_RISE * (1.0 + fabs(way));
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(add_way(l, &events[k], y, end - 0.1));
    }
    for (int32_t i = bin_of(l, low - HALF), last = bin_of(l, high + HALF); i <= last; ++i) {
        l->tops[i].back = is_back ? end : l->tops[i].back;
        l->tops[i].front = fronts ? end : l->tops[i].front;
    }
done:
    return status;
}

static void drop_group(LayoutMaker* l, const HedBedEvent* events, int32_t count) {
    double x = events[0].wale - l->low;
    double y = highest(tops_at(l, x));
    for (int32_t k = 0; k < count; ++k) {
        l->out->loops[events[k].loop].end = y;
    }
    fill_zones(l, x, !events[0].is_back, events[0].is_back, y + ZONE_RISE);
}

// Where a loop stands after the events so far: its last way, which ways_of says.
static HedStatus run_events(LayoutMaker* l) {
    HedStatus status = HED_OK;
    int32_t count = l->log->events.count;
    const HedBedEvent* events = l->log->events.data;
    double* wales = HED_NEW_ARRAY(double, l->graph->loops.count);
    if (!wales) {
        return hed_fail_memory(l->error, "columns of loops");
    }
    for (int32_t i = 0; i < count;) {
        const HedBedEvent* e = &events[i];
        int32_t end = i + 1;
        while (end < count && events[end].operation == e->operation) {
            ++end;
        }
        double way = e->wale - wales[e->loop];
        for (int32_t k = i; k < end; ++k) {
            wales[events[k].loop] = events[k].wale;
        }
        if (e->kind == HED_BED_MADE) {
            HED_TRY(make_group(l, e, end - i));
        } else if (e->kind == HED_BED_MOVED) {
            HED_TRY(move_group(l, e, end - i));
        } else if (e->kind == HED_BED_RACKED) {
            HED_TRY(rack_group(l, e, end - i, way));
        } else {
            drop_group(l, e, end - i);
        }
        i = end;
    }
    // Loops that are still on needles reach above all that passes them.
    for (int32_t i = 0; i < l->graph->loops.count; ++i) {
        HedBedLoop* s = &l->out->loops[i];
        s->end = s->end < 0.0 ? highest(tops_at(l, wales[i] - l->low)) : s->end;
    }
done:
    hed_free(wales);
    return status;
}

// Ways loop by loop; a counting sort, which keeps their order.
static HedStatus sort_ways(LayoutMaker* l) {
    HedBedLayout* out = l->out;
    int32_t loops = l->graph->loops.count;
    out->ways = HED_NEW_ARRAY(HedBedWay, l->ways.count);
    out->first_ways = HED_NEW_ARRAY(int32_t, (int64_t)loops + 2);
    if (!out->ways || !out->first_ways) {
        return hed_fail_memory(l->error, "ways of loops");
    }
    for (int32_t i = 0; i < l->ways.count; ++i) {
        ++out->first_ways[l->ways.data[i].loop + 2];
    }
    for (int32_t i = 0; i < loops; ++i) {
        out->first_ways[i + 2] += out->first_ways[i + 1];
    }
    for (int32_t i = 0; i < l->ways.count; ++i) {
        out->ways[out->first_ways[l->ways.data[i].loop + 1]++] = l->ways.data[i];
    }
    out->way_count = l->ways.count;
    return HED_OK;
}

void hed_bed_log_free(HedBedLog* log) {
    hed_free(log->events.data);
    hed_free(log->lanes.data);
    *log = (HedBedLog){0};
}

void hed_bed_layout_free(HedBedLayout* layout) {
    hed_free(layout->loops);
    hed_free(layout->ways);
    hed_free(layout->first_ways);
    *layout = (HedBedLayout){0};
}

HedStatus hed_bed_layout(const HedLoops* graph, const HedBedLog* log, HedBedLayout* layout,
                         HedError* error) {
    HedStatus status = HED_OK;
    LayoutMaker l = {.graph = graph, .log = log, .out = layout, .error = error};
    *layout = (HedBedLayout){0};
    layout->loops = HED_NEW_ARRAY(HedBedLoop, graph->loops.count);
    l.lasts = HED_NEW_ARRAY(Last, graph->yarns.count);
    if (!layout->loops || !l.lasts) {
        HED_TRY(hed_fail_memory(error, "places of loops"));
    }
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        l.lasts[i].loop = -1;
    }
    find_depths(&l);
    HED_TRY(make_columns(&l));
    HED_TRY(run_events(&l));
    HED_TRY(sort_ways(&l));
done:
    hed_free(l.lasts);
    hed_free(l.tops);
    hed_free(l.ways.data);
    return status;
}
