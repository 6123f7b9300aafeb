// SPDX-License-Identifier: MIT
// What each kind of stitch does to the needles.
#include "knit/chart_maker.h"

#include <inttypes.h>
#include <string.h>

// A bundle has one column.
static double column_of(const HedChartNeedle* needle, double slot) {
    double in = slot - needle->bundle_first;
    int32_t count = needle->bundle_count;
    if (count == 0 || in < 0.0) {
        return slot;
    }
    return in < count ? needle->bundle_first + (in + 0.5) / count - 0.5 : slot - count + 1.0;
}

double hed_chart_wale(const HedChartMaker* m, const HedChartNeedle* needle, double k) {
    int32_t more = needle->bundle_count > 0 ? needle->bundle_count - 1 : 0;
    int32_t count = needle->slots.count;
    double left = column_of(needle, m->is_leftward ? count - 1 - k : k);
    return m->chart->is_round ? (left + 0.5) * m->widest / (count - more) - 0.5
                              : needle->left + needle->pitch * left;
}

static int32_t last_loop(const HedChartMaker* m) {
    return m->graph->loops.count - 1;
}

static HedStatus put_loop(HedChartMaker* m, HedLoop loop, const HedSlot* parents, double wale) {
    loop.course = m->course;
    loop.is_leftward = m->is_leftward;
    loop.wale = wale;
    return hed_loops_add(m->graph, &loop, parents ? parents->loops : NULL,
                         parents ? parents->count : 0, m->error);
}

HedStatus hed_chart_lay(HedChartMaker* m, const HedStitch* s, HedLoopKind kind, double slot) {
    HedLoop loop = hed_loop_default();
    loop.kind = kind;
    loop.yarn = s->yarn;
    loop.line = s->line;
    loop.bundle = s->is_bundled ? m->fresh.bundle_count : 0;
    loop.is_twisted = kind == HED_LOOP_CAST_ON || kind == HED_LOOP_LIFTED;
    loop.is_purl = s->is_purl != m->row->is_wrong_side;
    return put_loop(m, loop, NULL, hed_chart_wale(m, &m->fresh, slot));
}

HedStatus hed_chart_hang(HedChartMaker* m, const HedStitch* s, int32_t slot, bool in_front) {
    HedSlot* place = &m->fresh.slots.data[slot];
    if (place->count == HED_STITCH_MOST) {
        return hed_fail(m->error, HED_INVALID,
                        "row %" PRId32 ": more than %d loops hang on one place of the needle",
                        m->row->number, (int)HED_STITCH_MOST);
    }
    int32_t at = in_front ? 0 : place->count;
    memmove(place->loops + at + 1, place->loops + at,
            (size_t)(place->count - at) * sizeof(int32_t));
    place->loops[at] = last_loop(m);
    place->count += 1;
    int32_t* wanted = &m->wanted.data[hed_chart_gap(m, slot + 1, m->fresh.slots.count)];
    if (*wanted != 0) {
        HedStatus status = hed_chart_lay(m, s, HED_LOOP_LIFTED, slot + 0.5);
        *wanted = m->graph->loops.count;
        return status;
    }
    return HED_OK;
}

static bool append_slot(HedSlot* all, const HedSlot* more) {
    for (int32_t i = 0; i < more->count; ++i) {
        if (all->count == HED_STITCH_MOST) {
            return false;
        }
        all->loops[all->count++] = more->loops[i];
    }
    return true;
}

// Pulls a loop through what hangs in `from`, and through the loop bound off before: the last one
// that it comes through, so that lies farthest on the side to which it is pulled.
static HedStatus pull(HedChartMaker* m, const HedStitch* s, const HedSlot* from, bool is_purl,
                      double wale) {
    HedLoop loop = hed_loop_default();
    bool is_bound = s->kind == HED_STITCH_BIND_OFF && m->bound >= 0;
    loop.kind = is_bound ? HED_LOOP_BIND_OFF : HED_LOOP_STITCH;
    loop.yarn = s->yarn;
    loop.line = s->line;
    loop.bundle = s->is_bundled ? m->fresh.bundle_count : 0;
    loop.is_purl = is_purl != m->row->is_wrong_side;
    if (m->bound >= 0 && m->graph->loops.data[m->bound].is_purl != loop.is_purl) {
        return hed_fail(m->error, HED_UNSUPPORTED,
                        "row %" PRId32 ": what follows a loop bound off must be worked as it was: "
                        "knit behind bo, purl behind pbo",
                        m->row->number);
    }
    HedSlot parents = {0};
    HedSlot chain = {.loops = {m->bound}, .count = m->bound >= 0};
    bool fits = append_slot(&parents, loop.is_purl ? from : &chain);
    fits = fits && append_slot(&parents, loop.is_purl ? &chain : from);
    if (!fits) {
        return hed_fail(m->error, HED_INVALID,
                        "row %" PRId32 ": a stitch takes more than %d loops together",
                        m->row->number, (int)HED_STITCH_MOST);
    }
    for (int32_t i = 0; s->is_twisted && i < from->count; ++i) {
        bool* is_twisted = &m->graph->loops.data[from->loops[i]].is_twisted;
        *is_twisted = !*is_twisted;
    }
    m->bound = -1;
    return put_loop(m, loop, &parents, wale);
}

// Pulls a loop and hangs it in a slot of the new needle.
static HedStatus pull_to(HedChartMaker* m, const HedStitch* s, const HedSlot* from, bool is_purl,
                         int32_t slot) {
    HedStatus status = pull(m, s, from, is_purl, hed_chart_wale(m, &m->fresh, slot));
    return status == HED_OK ? hed_chart_hang(m, s, slot, false) : status;
}

// Slots taken together, from the face backwards.
static HedStatus gather(HedChartMaker* m, const HedStitch* s, const HedSlot* from, HedSlot* all) {
    int32_t count = s->consumed;
    bool is_reversed = (s->lean == HED_LEAN_RIGHT) != m->row->is_wrong_side;
    bool fits = true;
    *all = (HedSlot){0};
    if (s->lean == HED_LEAN_CENTER) {
        // The middle one on the worker's side, the others behind it in the order of working.
        int32_t order[HED_STITCH_MOST] = {count / 2};
        for (int32_t i = 0, at = 1; i < count; ++i) {
            if (i != count / 2) {
                order[at++] = i;
            }
        }
        for (int32_t i = 0; i < count; ++i) {
            int32_t k = m->row->is_wrong_side ? count - 1 - i : i;
            fits = fits && append_slot(all, &from[order[k]]);
        }
    } else {
        for (int32_t i = 0; i < count; ++i) {
            fits = fits && append_slot(all, &from[is_reversed ? count - 1 - i : i]);
        }
    }
    return fits ? HED_OK
                : hed_fail(m->error, HED_INVALID,
                           "row %" PRId32 ": a decrease takes more than %d loops", m->row->number,
                           (int)HED_STITCH_MOST);
}

static HedStatus make_decrease(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    HedSlot all;
    HedStatus status = gather(m, s, m->old.slots.data + part.old_slot, &all);
    return status == HED_OK ? pull_to(m, s, &all, s->is_purl, part.new_slot) : status;
}

static HedStatus make_increase(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    HedStatus status = HED_OK;
    const HedSlot* from = &m->old.slots.data[part.old_slot];
    for (int32_t i = 0; status == HED_OK && i < s->produced; ++i) {
        bool is_odd = i % 2 == 1;
        if (is_odd && s->increase == HED_INCREASE_YARN_OVER) {
            status = hed_chart_lay(m, s, HED_LOOP_YARN_OVER, part.new_slot + i);
            status = status == HED_OK ? hed_chart_hang(m, s, part.new_slot + i, false) : status;
        } else {
            bool is_turned = is_odd && s->increase == HED_INCREASE_ALTERNATE;
            status = pull_to(m, s, from, s->is_purl != is_turned, part.new_slot + i);
        }
    }
    return status;
}

typedef struct Group {
    const HedSlot* slots;
    int32_t count;
} Group;

// Every loop of one group passes every loop of the other, as the worker sees it.
static HedStatus cross(HedChartMaker* m, Group over, Group under) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < over.count * under.count; ++i) {
        const HedSlot* a = &over.slots[i / under.count];
        const HedSlot* b = &under.slots[i % under.count];
        for (int32_t k = 0; status == HED_OK && k < a->count * b->count; ++k) {
            int32_t front = a->loops[k / b->count];
            int32_t back = b->loops[k % b->count];
            bool turned = m->row->is_wrong_side; // in front of the worker is behind the face
            status =
                hed_loops_swap(m->graph, turned ? back : front, turned ? front : back, m->error);
        }
    }
    return status;
}

HedStatus hed_chart_pass(HedChartMaker* m, int32_t yarn, const HedSlot* slot, bool in_front) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; status == HED_OK && i < slot->count; ++i) {
        status = hed_loops_pass(m->graph, yarn, slot->loops[i], in_front, m->error);
    }
    return status;
}

// The loops stay on the needle, and the yarn passes them.
static HedStatus hold(HedChartMaker* m, const HedStitch* s, const HedSlot* held, int32_t slot) {
    m->fresh.slots.data[slot] = *held;
    bool is_worker_front = s->float_side == HED_FLOAT_FRONT;
    bool in_front =
        s->float_side != HED_FLOAT_WRONG_SIDE && is_worker_front != m->row->is_wrong_side;
    return hed_chart_pass(m, s->yarn, held, in_front);
}

// What hangs first is worked last; the middle stays where it is.
static HedStatus make_cable(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    HedStatus status = HED_OK;
    Group first = {m->old.slots.data + part.old_slot, s->is_left ? s->front : s->back};
    Group middle = {first.slots + first.count, s->middle};
    Group last = {middle.slots + middle.count, s->is_left ? s->back : s->front};
    HED_TRY(cross(m, s->is_left ? first : last, s->is_left ? last : first));
    bool is_first_behind = s->is_middle_over && !s->is_left;
    bool is_last_behind = s->is_middle_over && s->is_left;
    HED_TRY(cross(m, is_first_behind ? middle : first, is_first_behind ? first : middle));
    HED_TRY(cross(m, is_last_behind ? middle : last, is_last_behind ? last : middle));
    int32_t slot = part.new_slot;
    const Group order[3] = {last, middle, first};
    for (int32_t g = 0; g < 3; ++g) {
        bool is_front = g == (s->is_left ? 2 : 0);
        bool is_back_purl = g == 1 ? s->is_middle_purl : !is_front && s->is_back_purl;
        HedStitch one = *s;
        one.is_twisted = s->is_twisted && !is_back_purl;
        for (int32_t i = 0; i < order[g].count; ++i, ++slot) {
            if (is_front && s->is_front_slip) {
                HED_TRY(hold(m, s, &order[g].slots[i], slot));
            } else {
                HED_TRY(pull_to(m, &one, &order[g].slots[i], s->is_purl != is_back_purl, slot));
            }
        }
    }
done:
    return status;
}

// A tuck lies behind what is held, on the side from which the next loop comes.
static HedStatus make_tuck(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    m->fresh.slots.data[part.new_slot] = m->old.slots.data[part.old_slot];
    HedStatus status = hed_chart_lay(m, s, HED_LOOP_TUCK, part.new_slot);
    bool is_purl = s->is_purl != m->row->is_wrong_side;
    return status == HED_OK ? hed_chart_hang(m, s, part.new_slot, is_purl) : status;
}

// The yarn passes the loop on the face, turns, and lies with it on the needle from behind: it comes
// out on the side from which it came.
static HedStatus make_wrap(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    HedStatus status = HED_OK;
    const HedSlot* held = &m->old.slots.data[part.old_slot];
    HedStitch wrap = *s;
    wrap.is_purl = m->row->is_wrong_side; // knit on the face
    m->fresh.slots.data[part.new_slot] = *held;
    HED_TRY(hed_chart_pass(m, s->yarn, held, true));
    HED_TRY(hed_chart_lay(m, &wrap, HED_LOOP_TUCK, part.new_slot));
    m->graph->loops.data[last_loop(m)].is_leftward = !m->is_leftward;
    HED_TRY(hed_chart_hang(m, &wrap, part.new_slot, false));
done:
    return status;
}

static HedStatus make_laid(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    bool is_over = s->kind == HED_STITCH_YARN_OVER;
    HedStatus status =
        hed_chart_lay(m, s, is_over ? HED_LOOP_YARN_OVER : HED_LOOP_CAST_ON, part.new_slot);
    return status == HED_OK ? hed_chart_hang(m, s, part.new_slot, false) : status;
}

static HedStatus make_one(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    int32_t* lifted = &m->lifted.data[hed_chart_gap(m, part.old_slot, m->old.slots.count)];
    if (*lifted < 0) { // lifted before, or the loops beside it were slipped
        m->graph->laid_count += 1;
        return make_laid(m, s, part);
    }
    HedSlot from = {.loops = {*lifted}, .count = 1};
    *lifted = -1;
    return pull_to(m, s, &from, s->is_purl, part.new_slot);
}

static HedStatus make_bound(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    double wale = hed_chart_wale(m, &m->old, part.old_slot);
    HedStatus status = pull(m, s, &m->old.slots.data[part.old_slot], s->is_purl, wale);
    m->bound = last_loop(m);
    return status;
}

HedStatus hed_chart_stitch(HedChartMaker* m, const HedStitch* s, HedStitchPart part) {
    switch (s->kind) {
    case HED_STITCH_DECREASE:
        return make_decrease(m, s, part);
    case HED_STITCH_INCREASE:
        return make_increase(m, s, part);
    case HED_STITCH_CABLE:
        return make_cable(m, s, part);
    case HED_STITCH_SLIP:
        return hold(m, s, &m->old.slots.data[part.old_slot], part.new_slot);
    case HED_STITCH_WAIT:
        m->fresh.slots.data[part.new_slot] = m->old.slots.data[part.old_slot];
        return HED_OK;
    case HED_STITCH_WRAP:
        return make_wrap(m, s, part);
    case HED_STITCH_DROP:
        return HED_OK;
    case HED_STITCH_TUCK:
        return make_tuck(m, s, part);
    case HED_STITCH_MAKE_ONE:
        return make_one(m, s, part);
    case HED_STITCH_YARN_OVER:
    case HED_STITCH_CAST_ON:
        return make_laid(m, s, part);
    case HED_STITCH_BIND_OFF:
        return make_bound(m, s, part);
    default:
        return pull_to(m, s, &m->old.slots.data[part.old_slot], s->is_purl, part.new_slot);
    }
}
