// SPDX-License-Identifier: MIT
#include "knit/machine.h"
#include "base/parallel.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_REACH = 31 };

HedStatus hed_machine_begin(HedMachine* m) {
    m->reach = -1; // none yet
    m->facts.needle_low = INT32_MAX;
    m->facts.needle_high = INT32_MIN;
    return hed_machine_reach(m, FIRST_REACH);
}

HedStatus hed_machine_reach(HedMachine* m, int32_t number) {
    int32_t away = abs(number);
    if (away <= m->reach) {
        return HED_OK;
    }
    int32_t reach = hed_max_i32(away, hed_min_i32(2 * m->reach, HED_NEEDLE_MOST));
    int32_t count = HED_NEEDLE_ROWS * (2 * reach + 1);
    HedNeedleStack* stacks = HED_NEW_ARRAY(HedNeedleStack, count);
    int32_t* tops = HED_NEW_ARRAY(int32_t, count);
    if (!stacks || !tops) {
        hed_free(stacks);
        hed_free(tops);
        return hed_fail_memory(m->error, m->name);
    }
    for (int32_t i = 0; i < count; ++i) {
        stacks[i] = (HedNeedleStack){-1, -1};
    }
    for (int32_t i = 0, first = HED_NEEDLE_ROWS * (reach - m->reach); i < hed_stack_count(m); ++i) {
        stacks[first + i] = m->stacks[i];
        tops[first + i] = m->tops[i];
    }
    hed_free(m->stacks);
    hed_free(m->tops);
    m->stacks = stacks;
    m->tops = tops;
    m->reach = reach;
    return HED_OK;
}

void hed_machine_free(HedMachine* m) {
    hed_free(m->stacks);
    hed_free(m->tops);
    hed_free(m->next.data);
    hed_free(m->meetings.data);
    m->stacks = NULL;
    m->tops = NULL;
}

HedStatus hed_machine_fail(const HedMachine* m, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hed_fail(m->error, HED_PARSE, "%s:%d: %s", m->name, m->line, text);
}

// --- needles ---

static void use_needle(HedMachine* m, HedNeedle n) {
    HedKnitoutFacts* f = &m->facts;
    f->needle_low = n.number < f->needle_low ? n.number : f->needle_low;
    f->needle_high = n.number > f->needle_high ? n.number : f->needle_high;
}

static void push(HedMachine* m, HedNeedleStack* stack, int32_t loop) {
    if (stack->last >= 0) {
        m->next.data[stack->last] = loop;
    } else {
        stack->first = loop;
    }
    stack->last = loop;
    m->next.data[loop] = -1;
}

// To the other bed. Loops slide from one needle along the facing one: which is in front of which
// stays as it is, and what came last is the first there.
static void move_all(HedMachine* m, HedNeedleStack* from, HedNeedleStack* to) {
    HedNeedleStack turned = {-1, -1};
    for (int32_t loop = from->first; loop >= 0;) {
        int32_t next = m->next.data[loop];
        m->next.data[loop] = turned.first;
        turned.last = turned.first < 0 ? loop : turned.last;
        turned.first = loop;
        loop = next;
    }
    *from = (HedNeedleStack){-1, -1};
    for (int32_t loop = turned.first; loop >= 0;) {
        int32_t next = m->next.data[loop];
        push(m, to, loop);
        loop = next;
    }
}

static const char* needle_name(HedNeedle n, char text[24]) {
    snprintf(text, 24, "%s%s%d", n.bed == HED_BED_FRONT ? "f" : "b", n.is_slider ? "s" : "",
             (int)n.number);
    return text;
}

// --- carriers ---

HedStatus hed_machine_carrier(HedMachine* m, HedSpan name, int32_t* carrier) {
    for (int32_t i = 0; i < m->carrier_count; ++i) {
        if (hed_span_equal(name, m->carriers[i].name)) {
            *carrier = i;
            return HED_OK;
        }
    }
    if (m->has_carriers) {
        return hed_machine_fail(m, "carrier '%s' is not among the Carriers of the header",
                                hed_quote(name).text);
    }
    if (m->carrier_count == HED_CARRIER_MOST || name.size >= HED_CARRIER_NAME) {
        return hed_machine_fail(m, "expected one of at most %d carriers with short names, got '%s'",
                                HED_CARRIER_MOST, hed_quote(name).text);
    }
    HedCarrier* added = &m->carriers[m->carrier_count];
    *added = (HedCarrier){.yarn = -1, .loop = -1};
    memcpy(added->name, name.data, (size_t)name.size);
    *carrier = m->carrier_count++;
    return HED_OK;
}

static const HedCarrier* hooked(const HedMachine* m) {
    for (int32_t i = 0; i < m->carrier_count; ++i) {
        if (m->carriers[i].is_hooked) {
            return &m->carriers[i];
        }
    }
    return NULL;
}

static HedStatus check_free_hook(const HedMachine* m) {
    const HedCarrier* busy = hooked(m);
    return busy ? hed_machine_fail(m, "the yarn hook is busy: it holds carrier '%s'", busy->name)
                : HED_OK;
}

static HedStatus bring_in(HedMachine* m, const HedCarrierSet* set, bool by_hook) {
    for (int32_t i = 0; i < set->count; ++i) {
        HedCarrier* c = &m->carriers[set->items[i]];
        if (c->is_active) {
            return hed_machine_fail(m, "carrier '%s' is in already", c->name);
        }
        c->is_active = true;
        c->is_hooked = by_hook;
        c->yarn = c->loop = -1;
        c->stitch_count = 0;
    }
    return HED_OK;
}

HedStatus hed_machine_in(HedMachine* m, const HedCarrierSet* set) {
    return bring_in(m, set, false);
}

HedStatus hed_machine_inhook(HedMachine* m, const HedCarrierSet* set) {
    HedStatus status = check_free_hook(m);
    return status == HED_OK ? bring_in(m, set, true) : status;
}

HedStatus hed_machine_release(HedMachine* m, const HedCarrierSet* set) {
    for (int32_t i = 0; i < set->count; ++i) {
        HedCarrier* c = &m->carriers[set->items[i]];
        if (!c->is_hooked) {
            return hed_machine_fail(m, "the yarn hook does not hold carrier '%s'", c->name);
        }
        if (c->stitch_count == 0) {
            return hed_machine_fail(m, "carrier '%s' has made no loop since the yarn hook took it",
                                    c->name);
        }
        c->is_hooked = false;
    }
    return HED_OK;
}

HedStatus hed_machine_out(HedMachine* m, const HedCarrierSet* set) {
    for (int32_t i = 0; i < set->count; ++i) {
        HedCarrier* c = &m->carriers[set->items[i]];
        if (!c->is_active) {
            return hed_machine_fail(m, "carrier '%s' is not in", c->name);
        }
        c->is_active = c->is_hooked = false;
    }
    return HED_OK;
}

HedStatus hed_machine_outhook(HedMachine* m, const HedCarrierSet* set) {
    HedStatus status = check_free_hook(m);
    return status == HED_OK ? hed_machine_out(m, set) : status;
}

static HedStatus check_carriers(const HedMachine* m, const HedCarrierSet* set) {
    for (int32_t i = 0; i < set->count; ++i) {
        const HedCarrier* c = &m->carriers[set->items[i]];
        for (int32_t k = 0; k < i; ++k) {
            if (set->items[k] == set->items[i]) {
                return hed_machine_fail(m, "carrier '%s' is named twice", c->name);
            }
        }
        if (!c->is_active) {
            return hed_machine_fail(m, "carrier '%s' is not in", c->name);
        }
    }
    return HED_OK;
}

static HedStatus check_hook(const HedMachine* m, HedNeedle n, const char* what) {
    char text[24];
    return n.is_slider ? hed_machine_fail(m, "%s needs a needle with a hook, got the slider %s",
                                          what, needle_name(n, text))
                       : HED_OK;
}

// --- floats ---

// The yarn passes all loops on one needle: behind those of the front bed, which lie before the
// yarn, and in front of those of the back bed.
static HedStatus pass_stack(HedMachine* m, const HedCarrier* c, HedNeedle n) {
    HedStatus status = HED_OK;
    int32_t loop = hed_needle_exists(m, n.number) ? hed_needle_stack(m, n)->first : -1;
    for (; loop >= 0 && status == HED_OK; loop = m->next.data[loop]) {
        status = hed_loops_pass(m->graph, c->yarn, loop, n.bed == HED_BED_BACK, m->error);
    }
    return status;
}

// From the last loop of a yarn to a column: what it passes on the way. A yarn that left its loop on
// the other side passes that one first, and the needle last if it comes in on its far side.
static HedStatus pass_between(HedMachine* m, const HedCarrier* c, double wale, bool is_leftward) {
    HedStatus status = HED_OK;
    double from = m->graph->loops.data[c->loop].wale;
    int32_t way = wale > from ? 1 : -1;
    int32_t columns = (int32_t)ceil(fabs(wale - from));
    if (columns > m->facts.longest_float) {
        m->facts.longest_float = columns;
        m->facts.float_line = m->line;
    }
    int32_t start = (int32_t)(way > 0 ? floor(from) : ceil(from));
    double first = c->is_leftward == (way > 0) ? -1e-9 : 1e-9;
    double last = is_leftward == (way > 0) ? -1e-9 : 1e-9;
    for (int32_t k = 0; k <= columns + 1; ++k) {
        int32_t number = start + way * k;
        int32_t behind = number - (int32_t)floor(m->rack);
        bool is_between = way * (number - from) > first && way * (wale - number) > last;
        double back = behind + m->rack;
        bool is_back_between = way * (back - from) > first && way * (wale - back) > last;
        HedNeedle front = {HED_BED_FRONT, false, number}, rear = {HED_BED_BACK, false, behind};
        HED_TRY(is_between ? pass_stack(m, c, front) : HED_OK);
        HED_TRY(is_back_between ? pass_stack(m, c, rear) : HED_OK);
    }
done:
    return status;
}

// --- loops ---

static bool holds(const HedMachine* m, HedBed bed, int32_t number) {
    return hed_needle_exists(m, number) &&
           hed_needle_stack(m, (HedNeedle){bed, false, number})->first >= 0;
}

// A loop on an empty needle is a yarn-over if the fabric goes on at both sides of it.
static HedLoopKind laid_kind(const HedMachine* m, HedNeedle n) {
    bool is_front = n.bed == HED_BED_FRONT;
    int32_t other = (int32_t)lround(is_front ? n.number - m->rack : n.number + m->rack);
    HedBed facing = is_front ? HED_BED_BACK : HED_BED_FRONT;
    bool left = holds(m, n.bed, n.number - 1) || holds(m, facing, other - 1);
    bool right = holds(m, n.bed, n.number + 1) || holds(m, facing, other + 1);
    return left && right ? HED_LOOP_YARN_OVER : HED_LOOP_CAST_ON;
}

static bool has_stitch(const HedMachine* m, int32_t loop) {
    return m->graph->loops.data[loop].kind == HED_LOOP_STITCH;
}

// What an operation makes of loops that are there.
typedef struct LoopMaking {
    HedNeedle needle;
    bool is_leftward;
    bool is_pulled; // through the loops on the needle
} LoopMaking;

// A tuck just beyond the last loop of a row, from where the yarn turns back: it joins the row to
// its neighbour (intarsia), and is no row of its own there.
static bool is_joint(const HedMachine* m, const HedCarrier* c, const LoopMaking* making) {
    if (making->is_pulled || c->loop < 0 || hed_needle_stack(m, making->needle)->first < 0) {
        return false;
    }
    double way = hed_machine_wale(m, making->needle) - m->graph->loops.data[c->loop].wale;
    return has_stitch(m, c->loop) && c->is_leftward != making->is_leftward &&
           (c->is_leftward ? way < -0.5 : way > 0.5);
}

// Rows are counted along the wales: one more than the loops below. A loop that is only laid stands
// in the row in which its yarn is, and above what was made on its needle and fell off. A yarn that
// is new begins where the fabric is: so it does not have to climb there.
static int32_t course_of(const HedMachine* m, const HedCarrier* c, const LoopMaking* making,
                         bool is_laid) {
    const HedNeedleStack* below = hed_needle_stack(m, making->needle);
    int32_t course = below->first < 0 ? m->tops[below - m->stacks] : 0;
    bool joins = is_joint(m, c, making);
    for (int32_t loop = below->first; loop >= 0; loop = m->next.data[loop]) {
        int32_t over = m->graph->loops.data[loop].course + (joins ? 0 : 1);
        course = over > course ? over : course;
    }
    if (is_laid && c->loop < 0 && below->first < 0) {
        course = m->highest - 1 > course ? m->highest - 1 : course;
    }
    if (is_laid && c->loop >= 0 && !joins) {
        int32_t last = m->graph->loops.data[c->loop].course;
        bool is_new_row = c->is_leftward != making->is_leftward && has_stitch(m, c->loop);
        int32_t present = last + (is_new_row ? 1 : 0);
        course = present > course ? present : course;
    }
    return course;
}

// Sheets of a tube lie behind each other: loops of a back needle whose facing front needle holds
// loops, too, are in the sheet behind. Those that were there before the front ones move to it.
static int32_t layer_of(HedMachine* m, HedNeedle n) {
    double facing = n.bed == HED_BED_FRONT ? n.number - m->rack : n.number + m->rack;
    if (facing != floor(facing) || !hed_needle_exists(m, (int32_t)facing)) {
        return 0;
    }
    if (n.bed == HED_BED_BACK) {
        return holds(m, HED_BED_FRONT, (int32_t)facing) ? 1 : 0;
    }
    HedNeedle back = {HED_BED_BACK, false, (int32_t)facing};
    for (int32_t loop = hed_needle_stack(m, back)->first; loop >= 0; loop = m->next.data[loop]) {
        m->graph->loops.data[loop].layer = m->graph->loops.data[loop].is_purl ? 1 : 0;
    }
    return 0;
}

static HedStatus begin_yarn(HedMachine* m, HedCarrier* c) {
    if (c->yarn >= 0) {
        return HED_OK;
    }
    HedLoopYarn yarn = {.name = c->name, .color = c->color, .has_color = c->has_color};
    c->yarn = m->graph->yarns.count;
    if (m->log && !HED_APPEND(&m->log->lanes, (int32_t)(c - m->carriers))) {
        return hed_fail_memory(m->error, m->name);
    }
    return hed_loops_add_yarn(m->graph, &yarn, m->error);
}

// A loop laid rightwards by a carrier that came from the right and goes on to the left (or the
// other way round) wraps the needle: its legs cross. If the carrier turns back there, they do not.
// So the last loop of a carrier is known when the next one is made.
static void twist_last(HedMachine* m, HedCarrier* c, double wale) {
    HedLoop* last = &m->graph->loops.data[c->loop];
    double way = wale - last->wale;
    bool goes_on = last->is_leftward ? way > 0.5 : way < -0.5;
    bool is_laid = hed_parent_count(m->graph, c->loop) == 0;
    if (is_laid && c->came_against && goes_on) {
        last->is_twisted = true;
        last->is_leftward = !last->is_leftward;
    }
    c->came_against = false;
}

static HedStatus add_loop(HedMachine* m, const LoopMaking* making, HedCarrier* c, int32_t plate,
                          const int32_t* parents, int32_t parent_count) {
    HedStatus status = HED_OK;
    HedNeedleStack* stack = hed_needle_stack(m, making->needle);
    bool is_pulled = making->is_pulled && parent_count > 0;
    HedLoop loop = hed_loop_default();
    loop.kind = is_pulled           ? HED_LOOP_STITCH
                : stack->first >= 0 ? HED_LOOP_TUCK
                                    : laid_kind(m, making->needle);
    loop.wale = hed_machine_wale(m, making->needle);
    loop.course = course_of(m, c, making, !is_pulled);
    loop.is_purl = making->needle.bed == HED_BED_BACK;
    loop.is_leftward = making->is_leftward;
    loop.layer = layer_of(m, making->needle);
    loop.plate = plate;
    loop.line = m->line;
    loop.bed = making->needle.bed == HED_BED_FRONT ? 'f' : 'b';
    loop.needle = making->needle.number;
    HED_TRY(begin_yarn(m, c));
    loop.yarn = c->yarn;
    bool came_against = false;
    if (c->loop >= 0) {
        double way = loop.wale - m->graph->loops.data[c->loop].wale;
        came_against = loop.is_leftward ? way > 0.5 : way < -0.5;
        twist_last(m, c, loop.wale);
        HED_TRY(pass_between(m, c, loop.wale, loop.is_leftward));
    }
    if (!HED_APPEND(&m->next, -1)) {
        HED_TRY(hed_fail_memory(m->error, m->name));
    }
    status = hed_loops_add(m->graph, &loop, parents, is_pulled ? parent_count : 0, m->error);
    HED_TRY(hed_fail_prefix(m->error, status, "%s:%d: ", m->name, m->line));
    c->loop = m->graph->loops.count - 1;
    c->is_leftward = making->is_leftward;
    c->came_against = came_against;
    ++c->stitch_count;
    m->highest = loop.course > m->highest ? loop.course : m->highest;
    m->facts.stitch_count += is_pulled;
    m->facts.tuck_count += loop.kind == HED_LOOP_TUCK;
done:
    return status;
}

// Yarns that come together lie on the needle as their carriers run, those of the header's first
// ones in front: how many of a set lie farther out on the needle than one of them.
static int32_t rank_in(const HedCarrierSet* set, int32_t item, HedBed bed) {
    int32_t rank = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        bool is_in_front = set->items[i] < set->items[item];
        rank += i != item && is_in_front == (bed == HED_BED_FRONT);
    }
    return rank;
}

// One loop per carrier; those after the first lie along it. The loops that were there are taken off
// the needle, or stay below.
static HedStatus make_loops(HedMachine* m, const LoopMaking* making, const HedCarrierSet* set,
                            const HedNeedle* to) {
    HedStatus status = HED_OK;
    HedNeedleStack* stack = hed_needle_stack(m, making->needle);
    int32_t count = hed_needle_count(m, stack);
    if (count > HED_STACK_MOST) {
        char name[24];
        return hed_machine_fail(m, "%s holds %" PRId32 " loops, at most %d find room on a needle",
                                needle_name(making->needle, name), count, HED_STACK_MOST);
    }
    int32_t* parents = HED_NEW_ARRAY(int32_t, count);
    int32_t first_new = m->graph->loops.count;
    if (!parents) {
        return hed_fail_memory(m->error, m->name);
    }
    // From the face backwards: on the front bed what came first lies in front.
    for (int32_t loop = stack->first, k = 0; loop >= 0; loop = m->next.data[loop], ++k) {
        parents[making->needle.bed == HED_BED_FRONT ? k : count - 1 - k] = loop;
    }
    use_needle(m, making->needle);
    for (int32_t i = 0; i < set->count; ++i) {
        HED_TRY(add_loop(m, making, &m->carriers[set->items[i]], i > 0 ? first_new : -1, parents,
                         count));
    }
    hed_machine_log_next(m);
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t rank = (making->is_pulled ? 0 : count) + rank_in(set, i, making->needle.bed);
        HED_TRY(hed_machine_log_made(m, making->needle, making->is_leftward, first_new + i, rank));
    }
    if (making->is_pulled && to) {
        int32_t rank = hed_needle_count(m, hed_needle_stack(m, *to));
        move_all(m, stack, hed_needle_stack(m, *to));
        HED_TRY(hed_machine_log_above(m, HED_BED_MOVED, *to, rank));
    } else if (making->is_pulled) {
        HED_TRY(hed_machine_log(m, HED_BED_TAKEN, making->needle));
        *stack = (HedNeedleStack){-1, -1};
    }
    for (int32_t rank = 0; rank < set->count; ++rank) {
        for (int32_t i = 0; i < set->count; ++i) {
            if (rank_in(set, i, making->needle.bed) == rank) {
                push(m, stack, first_new + i);
            }
        }
    }
done:
    hed_free(parents);
    return status;
}

// What is laid on the needle later stands above the heads of these loops.
static HedStatus drop_all(HedMachine* m, HedNeedle needle) {
    hed_machine_log_next(m);
    HedStatus status = hed_machine_log(m, HED_BED_DROPPED, needle);
    HedNeedleStack* stack = hed_needle_stack(m, needle);
    int32_t* top = &m->tops[stack - m->stacks];
    for (int32_t loop = stack->first; loop >= 0; loop = m->next.data[loop]) {
        int32_t clear = m->graph->loops.data[loop].course + 2;
        *top = clear > *top ? clear : *top;
        ++m->facts.dropped_count;
    }
    *stack = (HedNeedleStack){-1, -1};
    return status;
}

HedStatus hed_machine_knit(HedMachine* m, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set) {
    HedStatus status = HED_OK;
    HED_TRY(check_hook(m, needle, "knit"));
    HED_TRY(check_carriers(m, set));
    if (set->count == 0) { // loops fall off
        return drop_all(m, needle);
    }
    LoopMaking making = {needle, is_leftward, true};
    HED_TRY(make_loops(m, &making, set, NULL));
done:
    return status;
}

HedStatus hed_machine_tuck(HedMachine* m, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set) {
    HedStatus status = HED_OK;
    LoopMaking making = {needle, is_leftward, false};
    HED_TRY(check_hook(m, needle, "tuck"));
    HED_TRY(check_carriers(m, set));
    HED_TRY(set->count > 0 ? make_loops(m, &making, set, NULL) : HED_OK);
done:
    return status;
}

// The carrier goes past a needle. Its yarn runs from loop to loop all the same.
HedStatus hed_machine_miss(HedMachine* m, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set) {
    (void)needle;
    (void)is_leftward;
    return check_carriers(m, set);
}

// --- transfers and racking ---

static HedStatus check_facing(const HedMachine* m, HedNeedle from, HedNeedle to) {
    char a[24], b[24];
    if (from.bed == to.bed) {
        return hed_machine_fail(m, "loops move from one bed to the other, got %s and %s",
                                needle_name(from, a), needle_name(to, b));
    }
    if (from.is_slider && to.is_slider) {
        return hed_machine_fail(m, "loops cannot move from slider to slider, got %s and %s",
                                needle_name(from, a), needle_name(to, b));
    }
    if (hed_machine_wale(m, from) != hed_machine_wale(m, to)) {
        return hed_machine_fail(m, "%s does not face %s at rack %g", needle_name(from, a),
                                needle_name(to, b), m->rack);
    }
    return HED_OK;
}

HedStatus hed_machine_transfer(HedMachine* m, HedNeedle from, HedNeedle to) {
    HedStatus status = check_facing(m, from, to);
    if (status == HED_OK) {
        use_needle(m, from);
        use_needle(m, to);
        m->facts.transfer_count += hed_needle_stack(m, from)->first >= 0;
        int32_t rank = hed_needle_count(m, hed_needle_stack(m, to));
        hed_machine_log_next(m);
        move_all(m, hed_needle_stack(m, from), hed_needle_stack(m, to));
        status = hed_machine_log_above(m, HED_BED_MOVED, to, rank);
    }
    return status;
}

HedStatus hed_machine_split(HedMachine* m, HedNeedle needle, HedNeedle to, bool is_leftward,
                            const HedCarrierSet* set) {
    HedStatus status = HED_OK;
    if (set->count == 0) {
        return hed_machine_transfer(m, needle, to);
    }
    LoopMaking making = {needle, is_leftward, true};
    HED_TRY(check_hook(m, needle, "split"));
    HED_TRY(check_carriers(m, set));
    HED_TRY(check_facing(m, needle, to));
    use_needle(m, to);
    HED_TRY(make_loops(m, &making, set, &to));
    ++m->facts.split_count;
done:
    return status;
}
