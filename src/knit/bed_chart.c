// SPDX-License-Identifier: MIT
// The log of a machine for a graph that no machine made: rows of stitches, knitted by hand.
//
// A loop hangs on the front bed if the next loop comes through it as a knit stitch, or if a yarn
// passes behind it, and on the back bed for the opposite; it moves there when that is needed.
// Before each row all loops on the needle go to the columns of that row, those farthest out first:
// loops that are taken together come to one column. A loop keeps its rank, which is its place among
// those that are taken with it, so that they pass each other in depth. Of loops that change places
// those behind do it on the back bed, the others on the front bed.
#include "base/parallel.h"
#include "knit/beds.h"

#include <math.h>
#include <stdlib.h>

typedef struct HeldLoop {
    double x, target; // columns
    int32_t loop;
    bool is_back, is_taken;
    bool is_over, is_under; // changes places before this row
} HeldLoop;

typedef struct LogMaker {
    const HedLoops* graph;
    HedBedLog* log;
    HeldLoop* held; // per loop
    int32_t* live;  // loops on the needle
    int32_t live_count;
    HeldLoop* row; // those loops, by column
    int32_t swap;  // of the graph: the next
    int32_t operation;
    HedError* error;
} LogMaker;

// The loop that comes through this one, or -1.
static int32_t child_of(const LogMaker* m, int32_t loop) {
    return hed_child_count(m->graph, loop) > 0 ? hed_children(m->graph, loop)[0] : -1;
}

// Its place among the parents of its child, on the front bed or on the back one.
static int32_t rank_of(const LogMaker* m, int32_t loop, bool is_back) {
    int32_t child = child_of(m, loop);
    int32_t count = child < 0 ? 1 : hed_parent_count(m->graph, child);
    int32_t k = 0;
    while (k + 1 < count && hed_parents(m->graph, child)[k] != loop) {
        ++k;
    }
    return is_back ? count - 1 - k : k;
}

static HedStatus add(LogMaker* m, HedBedEventKind kind, int32_t loop) {
    const HedLoop* made = &m->graph->loops.data[loop];
    const HeldLoop* h = &m->held[loop];
    HedBedEvent e = {.kind = kind,
                     .operation = m->operation,
                     .loop = loop,
                     .wale = h->x,
                     .rank = rank_of(m, loop, h->is_back),
                     .is_back = h->is_back,
                     // Crossed legs: the yarn comes in from the other side.
                     .is_leftward = made->is_leftward != made->is_twisted};
    m->log->needle_most = hed_max_i32(m->log->needle_most, e.rank + 1);
    return HED_APPEND(&m->log->events, e) ? HED_OK : hed_fail_memory(m->error, "a log of loops");
}

// Moves a loop to a bed, with those that hang with it.
static HedStatus bring(LogMaker* m, int32_t loop, bool is_back) {
    HedStatus status = HED_OK;
    if (m->held[loop].is_taken || m->held[loop].is_back == is_back) {
        return HED_OK;
    }
    int32_t child = child_of(m, loop);
    int32_t count = child < 0 ? 1 : hed_parent_count(m->graph, child);
    for (int32_t k = 0; k < count; ++k) {
        int32_t other = child < 0 ? loop : hed_parents(m->graph, child)[k];
        HeldLoop* h = &m->held[other];
        if (h->loop == other && h->x == m->held[loop].x && (h->is_back != is_back)) {
            h->is_back = is_back;
            HED_TRY(add(m, HED_BED_MOVED, other));
        }
    }
    ++m->operation;
done:
    return status;
}

static HedStatus shift(LogMaker* m, int32_t loop, double x) {
    HedStatus status = bring(m, loop, false);
    if (status == HED_OK && m->held[loop].x != x) {
        m->held[loop].x = x;
        status = add(m, HED_BED_RACKED, loop);
        ++m->operation;
    }
    return status;
}

static int by_column(const void* a, const void* b) {
    const HeldLoop* p = a;
    const HeldLoop* q = b;
    int order = (p->x > q->x) - (p->x < q->x);
    return order != 0 ? order : (p->loop > q->loop) - (p->loop < q->loop);
}

// Those that pass behind others first.
static int by_bed(const void* a, const void* b) {
    const HeldLoop* p = a;
    const HeldLoop* q = b;
    return p->is_under != q->is_under ? q->is_under - p->is_under : by_column(a, b);
}

// Loops of the row that go the same way as the one at `first`, and stand beside it.
static HedStatus shift_run(LogMaker* m, int32_t first, int32_t end) {
    HedStatus status = HED_OK;
    for (int32_t i = first; i < end; ++i) {
        HED_TRY(bring(m, m->row[i].loop, m->held[m->row[i].loop].is_under));
    }
    for (int32_t i = first; i < end; ++i) {
        m->held[m->row[i].loop].x = m->row[i].target;
        HED_TRY(add(m, HED_BED_RACKED, m->row[i].loop));
    }
    ++m->operation;
done:
    return status;
}

// Those that go to the left from the left, those that go to the right from the right.
static HedStatus shift_row(LogMaker* m, int32_t from, int32_t to) {
    HedStatus status = HED_OK;
    for (int32_t i = from; i < to;) {
        double way = m->row[i].target - m->row[i].x;
        int32_t end = i + 1;
        while (end < to && m->row[end].target - m->row[end].x == way) {
            ++end;
        }
        HED_TRY(way < 0.0 ? shift_run(m, i, end) : HED_OK);
        i = end;
    }
    for (int32_t end = to; end > from;) {
        double way = m->row[end - 1].target - m->row[end - 1].x;
        int32_t i = end - 1;
        while (i > from && m->row[i - 1].target - m->row[i - 1].x == way) {
            --i;
        }
        HED_TRY(way > 0.0 ? shift_run(m, i, end) : HED_OK);
        end = i;
    }
done:
    return status;
}

// Loops that change places before a row go to the bed on which they do it.
static HedStatus part_swaps(LogMaker* m, int32_t course) {
    HedStatus status = HED_OK;
    const HedLoops* g = m->graph;
    int32_t first = m->swap;
    for (; m->swap < g->swaps.count; ++m->swap) {
        HedLoopSwap swap = g->swaps.data[m->swap];
        int32_t child = child_of(m, swap.over);
        if (child < 0 || g->loops.data[child].course != course) {
            break;
        }
        m->held[swap.over].is_over = true;
        m->held[swap.under].is_under = true;
        if (m->held[swap.over].is_under || m->held[swap.under].is_over) {
            HED_TRY(hed_fail(m->error, HED_INVALID,
                             "a loop passes in front of one and behind another"));
        }
    }
    for (int32_t k = first; k < m->swap; ++k) {
        HED_TRY(bring(m, g->swaps.data[k].over, false));
        HED_TRY(bring(m, g->swaps.data[k].under, true));
    }
done:
    return status;
}

// Those behind go first, then the others.
static HedStatus move_row(LogMaker* m, int32_t course) {
    HedStatus status = HED_OK;
    int32_t unders = 0;
    HED_TRY(part_swaps(m, course));
    for (int32_t i = 0; i < m->live_count; ++i) {
        m->row[i].is_under = m->held[m->row[i].loop].is_under;
        unders += m->row[i].is_under;
    }
    if (unders > 0) {
        qsort(m->row, (size_t)m->live_count, sizeof *m->row, by_bed);
    }
    HED_TRY(shift_row(m, 0, unders));
    HED_TRY(shift_row(m, unders, m->live_count));
    for (int32_t i = 0; i < m->live_count; ++i) {
        HeldLoop* h = &m->held[m->row[i].loop];
        h->is_over = h->is_under = false;
    }
done:
    return status;
}

// Columns of the loops on the needle in a row: those of their children, or as their neighbours go.
static HedStatus begin_row(LogMaker* m, int32_t course) {
    const HedLoop* loops = m->graph->loops.data;
    int32_t count = 0;
    for (int32_t i = 0; i < m->live_count; ++i) {
        if (!m->held[m->live[i]].is_taken) {
            m->live[count++] = m->live[i];
        }
    }
    m->live_count = count;
    for (int32_t i = 0; i < count; ++i) {
        m->row[i] = m->held[m->live[i]];
    }
    if (count > 1) {
        qsort(m->row, (size_t)count, sizeof *m->row, by_column);
    }
    double way = NAN;
    for (int32_t pass = 0; pass < 2; ++pass) { // what stands before the first that is worked
        for (int32_t n = 0; n < count; ++n) {
            HeldLoop* h = &m->row[pass == 0 ? n : count - 1 - n];
            int32_t child = child_of(m, h->loop);
            bool is_worked = child >= 0 && loops[child].course == course;
            way = is_worked ? loops[child].wale - h->x : way;
            bool is_told = pass == 0 || is_worked || isfinite(h->target);
            h->target = pass == 0 || !is_told ? h->x + way : h->target;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        m->row[i].target = isfinite(m->row[i].target) ? m->row[i].target : m->row[i].x;
    }
    return move_row(m, course);
}

// What the yarn passes on its way to a loop hangs on the side where it should.
static HedStatus pass_held(LogMaker* m, int32_t loop) {
    HedStatus status = HED_OK;
    const HedLoops* g = m->graph;
    const HedLoopYarn* path = &g->yarns.data[g->loops.data[loop].yarn];
    for (int32_t k = g->loop_steps[loop] - 1;
         k >= path->first_step && g->steps.data[k].kind != HED_STEP_LOOP; --k) {
        HedLoopStep step = g->steps.data[k];
        HED_TRY(bring(m, step.loop, step.kind == HED_STEP_PASS_FRONT));
    }
done:
    return status;
}

static HedStatus make(LogMaker* m, int32_t loop) {
    HedStatus status = HED_OK;
    const HedLoop* made = &m->graph->loops.data[loop];
    const int32_t* parents = hed_parents(m->graph, loop);
    int32_t count = hed_parent_count(m->graph, loop);
    HED_TRY(pass_held(m, loop));
    for (int32_t k = 0; k < count; ++k) { // loops bound off in this row come along
        HED_TRY(shift(m, parents[k], made->wale));
    }
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(bring(m, parents[k], made->is_purl));
    }
    bool is_back = made->is_purl;
    if (count == 0) { // beside what hangs there
        int32_t child = child_of(m, loop);
        for (int32_t k = 0; child >= 0 && k < hed_parent_count(m->graph, child); ++k) {
            const HeldLoop* h = &m->held[hed_parents(m->graph, child)[k]];
            is_back = h->loop >= 0 && h->x == made->wale ? h->is_back : is_back;
        }
    }
    m->held[loop] = (HeldLoop){.x = made->wale, .target = NAN, .loop = loop, .is_back = is_back};
    m->live[m->live_count++] = loop;
    HED_TRY(add(m, HED_BED_MADE, loop));
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(add(m, HED_BED_TAKEN, parents[k]));
        m->held[parents[k]].is_taken = true;
    }
    ++m->operation;
done:
    return status;
}

static HedStatus check(const HedLoops* graph, HedError* error) {
    bool is_good = !graph->is_round;
    for (int32_t i = 0; i < graph->loops.count && is_good; ++i) {
        is_good = hed_child_count(graph, i) < 2;
    }
    return is_good ? HED_OK
                   : hed_fail(error, HED_INVALID,
                              "rounds and loops that become several do not hang on two beds of "
                              "needles as they are");
}

HedStatus hed_bed_log_of_rows(const HedLoops* graph, HedBedLog* log, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = graph->loops.count;
    int32_t course = -1;
    LogMaker m = {.graph = graph, .log = log, .error = error};
    *log = (HedBedLog){0};
    HED_TRY(check(graph, error));
    m.held = HED_NEW_ARRAY(HeldLoop, count);
    m.row = HED_NEW_ARRAY(HeldLoop, count);
    m.live = HED_NEW_ARRAY(int32_t, count);
    if (!m.held || !m.row || !m.live || !HED_RESERVE(&log->lanes, graph->yarns.count)) {
        HED_TRY(hed_fail_memory(error, "a log of loops"));
    }
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        log->lanes.data[log->lanes.count++] = i;
    }
    for (int32_t i = 0; i < count; ++i) {
        m.held[i].loop = -1;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (graph->loops.data[i].course != course) {
            course = graph->loops.data[i].course;
            HED_TRY(begin_row(&m, course));
        }
        HED_TRY(make(&m, i));
    }
done:
    hed_free(m.held);
    hed_free(m.row);
    hed_free(m.live);
    return status;
}
