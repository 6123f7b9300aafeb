// SPDX-License-Identifier: MIT
// Racking moves the loops of the back bed behind those of the front bed. Transfers on the way may
// keep them there: that is how machines make cables.
#include "geom/sort.h"
#include "knit/machine.h"

#include <math.h>

enum { MEETING_MOST = 1 << 22 };

// Loops of two needles move past each other, or to one place or from it.
static HedStatus meet(HedMachine* m, HedNeedle front, HedNeedle back, int before, int after) {
    for (int32_t a = hed_needle_stack(m, front)->first; a >= 0; a = m->next.data[a]) {
        for (int32_t b = hed_needle_stack(m, back)->first; b >= 0; b = m->next.data[b]) {
            HedLoopMeeting meeting = {a, b, (int8_t)before, (int8_t)after};
            if (m->meetings.count >= MEETING_MOST) {
                return hed_fail(m->error, HED_UNSUPPORTED,
                                "%s:%d: loops pass each other more than %d times", m->name, m->line,
                                MEETING_MOST);
            }
            if (!HED_APPEND(&m->meetings, meeting)) {
                return hed_fail_memory(m->error, m->name);
            }
        }
    }
    return HED_OK;
}

static int sign(double value) {
    return (value > 0.0) - (value < 0.0);
}

// Back needle `number` moves from its place to another, along front needles.
static HedStatus move_back(HedMachine* m, int32_t number, double from, double to) {
    HedStatus status = HED_OK;
    double low = fmin(from, to) + number, high = fmax(from, to) + number;
    for (int slider = 0; slider < 2; ++slider) {
        HedNeedle back = {HED_BED_BACK, slider == 1, number};
        for (int32_t f = (int32_t)ceil(low); f <= high && hed_needle_stack(m, back)->first >= 0;
             ++f) {
            for (int other = 0; other < 2 && hed_needle_exists(m, f) && from != to; ++other) {
                HedNeedle front = {HED_BED_FRONT, other == 1, f};
                HED_TRY(meet(m, front, back, sign(number + from - f), sign(number + to - f)));
            }
        }
    }
done:
    return status;
}

HedStatus hed_machine_rack(HedMachine* m, double rack) {
    if (!(fabs(rack) <= HED_RACK_MOST)) {
        return hed_machine_fail(m, "rack must be from -%d to %d, got %g", HED_RACK_MOST,
                                HED_RACK_MOST, rack);
    }
    HedStatus status = HED_OK;
    for (int32_t n = m->facts.needle_low; n <= m->facts.needle_high && status == HED_OK; ++n) {
        status = move_back(m, n, m->rack, rack);
    }
    bool moves = m->rack != rack;
    m->rack = rack;
    hed_machine_log_next(m);
    for (int32_t n = m->facts.needle_low; n <= m->facts.needle_high && moves; ++n) {
        for (int slider = 0; slider < 2 && status == HED_OK; ++slider) {
            HedNeedle back = {HED_BED_BACK, slider == 1, n};
            status = hed_machine_log(m, HED_BED_RACKED, back);
        }
    }
    return status;
}

// --- the end ---

// On which side of the other the loop with the lower number was, or is.
static int side_of(HedLoopMeeting p, int side) {
    return p.back < p.front ? side : -side;
}

// Pairs that are at last in the other order than at first have changed places; the last meeting
// says who is in front.
static HedStatus add_swaps(HedMachine* m) {
    HedStatus status = HED_OK;
    int32_t count = m->meetings.count;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, count);
    if (!items) {
        return hed_fail_memory(m->error, m->name);
    }
    for (int32_t i = 0; i < count; ++i) {
        HedLoopMeeting p = m->meetings.data[i];
        uint64_t low = (uint64_t)(p.front < p.back ? p.front : p.back);
        uint64_t high = (uint64_t)(p.front < p.back ? p.back : p.front);
        items[i] = (HedSortItem){low << 32 | high, i};
    }
    HED_TRY(hed_sort_items(items, count, m->error));
    for (int32_t i = 0; i < count;) {
        int32_t end = i + 1;
        while (end < count && items[end].key == items[i].key) {
            ++end;
        }
        HedLoopMeeting first = m->meetings.data[items[i].value];
        HedLoopMeeting last = m->meetings.data[items[end - 1].value];
        if (side_of(first, first.before) * side_of(last, last.after) < 0) {
            HED_TRY(hed_loops_swap(m->graph, last.front, last.back, m->error));
            ++m->facts.swap_count;
        }
        i = end;
    }
done:
    hed_free(items);
    return status;
}

// Columns from 0 on.
static void shift_wales(HedLoops* graph) {
    double low = HUGE_VAL;
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        low = fmin(low, graph->loops.data[i].wale);
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        graph->loops.data[i].wale -= low;
    }
}

HedStatus hed_machine_end(HedMachine* m) {
    HedStatus status = HED_OK;
    if (m->graph->loops.count == 0) {
        return hed_fail(m->error, HED_PARSE, "%s: the program makes no loop", m->name);
    }
    HED_TRY(add_swaps(m));
    shift_wales(m->graph);
    status = hed_loops_finish(m->graph, m->error);
    HED_TRY(hed_fail_prefix(m->error, status, "%s: ", m->name));
    HedKnitoutFacts* f = &m->facts;
    f->loop_count = m->graph->loops.count;
    f->course_count = m->graph->course_count;
    f->yarn_count = m->graph->yarns.count;
    for (int32_t i = 0; i < hed_stack_count(m); ++i) {
        f->live_count += hed_needle_count(m, &m->stacks[i]);
    }
    for (int32_t i = 0; i < m->carrier_count; ++i) {
        f->active_count += m->carriers[i].is_active;
    }
done:
    return status;
}
