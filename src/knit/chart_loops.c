// SPDX-License-Identifier: MIT
// From a chart to the loop graph, row by row.
#include "knit/chart_maker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static HedStatus no_memory(const HedChartMaker* m) {
    return hed_fail_memory(m->error, "loops of a chart");
}

static bool resize_needle(HedChartNeedle* needle, int32_t count) {
    needle->slots.count = 0;
    if (!HED_RESERVE(&needle->slots, count)) {
        return false;
    }
    needle->slots.count = count;
    if (count > 0) { // an empty needle has no memory
        memset(needle->slots.data, 0, (size_t)count * sizeof(HedSlot));
    }
    return true;
}

static void reverse_needle(HedChartNeedle* needle) {
    for (int32_t i = 0, k = needle->slots.count - 1; i < k; ++i, --k) {
        HedSlot slot = needle->slots.data[i];
        needle->slots.data[i] = needle->slots.data[k];
        needle->slots.data[k] = slot;
    }
}

static bool row_is_leftward(const HedChart* chart, int32_t row) {
    return !chart->rows.data[row].is_wrong_side;
}

// Marks the gaps of the new needle that row number `next` lifts.
static HedStatus find_wanted(HedChartMaker* m, int32_t next) {
    const HedChart* chart = m->chart;
    int32_t count = m->fresh.slots.count;
    m->wanted.count = 0;
    if (!HED_RESERVE(&m->wanted, (int64_t)count + 1)) {
        return no_memory(m);
    }
    m->wanted.count = count + 1;
    memset(m->wanted.data, 0, (size_t)m->wanted.count * sizeof(int32_t));
    if (next >= chart->rows.count) {
        return HED_OK;
    }
    const HedChartRow* row = &chart->rows.data[next];
    int32_t worked = 0;
    for (int32_t i = 0; i < row->count; ++i) {
        const HedStitch* s = &chart->stitches.data[row->first + i];
        if (s->kind == HED_STITCH_MAKE_ONE) {
            m->wanted.data[row_is_leftward(chart, next) ? count - worked : worked] = 1;
        }
        worked += hed_stitch_consumed(s);
    }
    return HED_OK;
}

// Slots of the stitches of the row at hand; room on the new needle.
static HedStatus place_parts(HedChartMaker* m) {
    HedStitchPart part = {0, 0};
    m->parts.count = 0;
    if (!HED_RESERVE(&m->parts, (int64_t)m->row->count + 1)) {
        return no_memory(m);
    }
    int32_t bundle_end = 0;
    m->fresh.bundle_count = 0;
    for (int32_t i = 0; i < m->row->count; ++i) {
        const HedStitch* s = &m->chart->stitches.data[m->row->first + i];
        if (s->is_bundled) {
            m->fresh.bundle_count += hed_stitch_produced(s);
            bundle_end = part.new_slot + hed_stitch_produced(s);
        }
        m->parts.data[m->parts.count++] = part;
        part.old_slot += hed_stitch_consumed(s);
        part.new_slot += hed_stitch_produced(s);
    }
    m->fresh.bundle_first =
        m->is_leftward ? part.new_slot - bundle_end : bundle_end - m->fresh.bundle_count;
    return resize_needle(&m->fresh, part.new_slot) ? HED_OK : no_memory(m);
}

static bool is_edge(HedStitchKind kind) {
    return kind == HED_STITCH_BIND_OFF || kind == HED_STITCH_CAST_ON;
}

// Where the worked slots of both needles begin and end, in columns.
typedef struct Ends {
    double old[2], fresh[2];
} Ends;

static Ends find_ends(const HedChartMaker* m, HedStitchPart a, HedStitchPart b) {
    return (Ends){
        .old = {hed_chart_wale(m, &m->old, a.old_slot), hed_chart_wale(m, &m->old, b.old_slot)},
        .fresh = {hed_chart_wale(m, &m->fresh, a.new_slot),
                  hed_chart_wale(m, &m->fresh, b.new_slot)}};
}

// Columns of the new needle: the middle of what is worked stays where it is; what is bound off or
// cast on at an edge does not move the rest. A row that takes far more or far fewer loops than it
// leaves is spread over the row below: otherwise its loops would lean over many columns, and all of
// their legs would cross each other.
static void align(HedChartMaker* m) {
    static const double FAR = 8.0; // columns
    const HedStitch* stitches = m->chart->stitches.data + m->row->first;
    int32_t first = 0;
    int32_t last = m->row->count - 1;
    while (first <= last && is_edge(stitches[first].kind)) {
        ++first;
    }
    while (last > first && is_edge(stitches[last].kind)) {
        --last;
    }
    m->fresh.left = m->old.left;
    m->fresh.pitch = m->old.pitch;
    if (first > last) {
        return;
    }
    HedStitchPart a = m->parts.data[first];
    HedStitchPart b = m->parts.data[last];
    b.old_slot += hed_stitch_consumed(&stitches[last]) - 1;
    b.new_slot += hed_stitch_produced(&stitches[last]) - 1;
    Ends ends = find_ends(m, a, b);
    double wide = fabs(ends.old[1] - ends.old[0]), narrow = fabs(ends.fresh[1] - ends.fresh[0]);
    if (fabs(wide - narrow) > 2.0 * FAR * m->old.pitch && wide > 0.0 && narrow > 0.0) {
        m->fresh.pitch *= wide / narrow;
        ends = find_ends(m, a, b);
    }
    m->fresh.left += 0.5 * (ends.old[0] + ends.old[1] - ends.fresh[0] - ends.fresh[1]);
    m->narrowest = fmin(m->narrowest, m->fresh.pitch);
}

// One yarn's way through the row: its stitches, and behind those of the others. Before its first
// loop it is not there; after its last one it is not carried on.
static HedStatus work_yarn(HedChartMaker* m, int32_t yarn, int32_t row_number, bool has_begun) {
    HedStatus status = HED_OK;
    const HedStitch* stitches = m->chart->stitches.data + m->row->first;
    int32_t last = m->row->count - 1;
    while (m->last_at[yarn] == row_number && stitches[last].yarn != yarn) {
        --last;
    }
    for (int32_t i = 0; i <= last; ++i) {
        HedStitchPart part = m->parts.data[i];
        if (stitches[i].yarn == yarn) {
            HED_TRY(hed_chart_stitch(m, &stitches[i], part));
            has_begun = true;
            continue;
        }
        for (int32_t k = 0; has_begun && k < hed_stitch_produced(&stitches[i]); ++k) {
            const HedSlot* made = &m->fresh.slots.data[part.new_slot + k];
            bool is_there = k < hed_stitch_consumed(&stitches[i]);
            if (made->count == 0 && is_there) {
                made = &m->old.slots.data[part.old_slot + k];
            }
            HED_TRY(hed_chart_pass(m, yarn, made, false));
        }
    }
done:
    return status;
}

static HedStatus work_row(HedChartMaker* m, int32_t number, bool* has_begun) {
    HedStatus status = HED_OK;
    const HedChart* chart = m->chart;
    m->row = &chart->rows.data[number];
    m->course = number + 1;
    bool leftward = row_is_leftward(chart, number);
    if (leftward != m->is_leftward) {
        reverse_needle(&m->old);
        m->is_leftward = leftward;
    }
    HED_TRY(place_parts(m));
    align(m);
    if (m->fresh.slots.count > 0) { // what is bound off stands over the row below
        int32_t more = m->fresh.bundle_count > 0 ? m->fresh.bundle_count - 1 : 0;
        HED_TRY(hed_loops_set_width(m->graph, m->course, m->fresh.slots.count - more, m->error));
    }
    if (!chart->is_round && (m->fresh.pitch != 1.0 || m->graph->pitches.count > 0)) {
        HED_TRY(hed_loops_set_pitch(m->graph, m->course, m->fresh.pitch, m->error));
    }
    HED_TRY(find_wanted(m, number + 1));
    for (int32_t yarn = 0; yarn < chart->yarn_count; ++yarn) {
        bool is_used = false;
        for (int32_t i = 0; i < m->row->count && !is_used; ++i) {
            is_used = chart->stitches.data[m->row->first + i].yarn == yarn;
        }
        if (is_used) {
            HED_TRY(work_yarn(m, yarn, number, has_begun[yarn]));
            has_begun[yarn] = true;
        }
    }
    if (m->bound >= 0 && m->fresh.slots.count > 0) {
        return hed_fail(m->error, HED_INVALID,
                        "row %" PRId32
                        " ends with loops bound off and others left: bind off at the "
                        "beginning of a row, or all of it",
                        m->row->number);
    }
done:
    return status;
}

// The new needle becomes the old one, and the wanted gaps those that were lifted.
static HedStatus turn(HedChartMaker* m) {
    HedChartNeedle needle = m->old;
    m->old = m->fresh;
    m->fresh = needle;
    m->lifted.count = 0;
    if (!HED_RESERVE(&m->lifted, m->wanted.count)) {
        return no_memory(m);
    }
    for (int32_t i = 0; i < m->wanted.count; ++i) {
        // 1 is "wanted, but never made": loops are counted from 1, and loop 0 is never lifted,
        // because a loop of the same row comes before what is lifted.
        m->lifted.data[m->lifted.count++] = m->wanted.data[i] > 1 ? m->wanted.data[i] - 1 : -1;
    }
    return HED_OK;
}

static HedStatus cast_on(HedChartMaker* m) {
    HedStatus status = HED_OK;
    HedStitch stitch = hed_stitch_default(HED_STITCH_CAST_ON);
    const HedChart* chart = m->chart;
    static const HedChartRow NONE = {.number = 0};
    m->row = &NONE;
    // The yarn ends where the first row begins.
    m->is_leftward = chart->is_round ? true : !row_is_leftward(chart, 0);
    stitch.yarn = chart->rows.data[0].count > 0 && chart->cast_on > 0
                      ? chart->stitches.data[chart->rows.data[0].first].yarn
                      : 0;
    m->fresh.pitch = 1.0;
    if (!resize_needle(&m->fresh, chart->cast_on)) {
        return no_memory(m);
    }
    HED_TRY(find_wanted(m, 0));
    if (chart->cast_on > 0) {
        HED_TRY(hed_loops_set_width(m->graph, 0, chart->cast_on, m->error));
    }
    for (int32_t i = 0; i < chart->cast_on; ++i) {
        HED_TRY(hed_chart_lay(m, &stitch, HED_LOOP_CAST_ON, i));
        HED_TRY(hed_chart_hang(m, &stitch, i, false));
    }
    HED_TRY(turn(m));
done:
    return status;
}

// The yarn's end is drawn through the last loop bound off.
static HedStatus fasten(HedChartMaker* m) {
    if (m->bound < 0) {
        return HED_OK;
    }
    HedLoop loop = m->graph->loops.data[m->bound];
    loop.kind = HED_LOOP_END;
    loop.course += 1;
    loop.is_leftward = !loop.is_leftward; // round the edge, as at the end of a row
    return hed_loops_add(m->graph, &loop, &m->bound, 1, m->error);
}

static HedStatus add_yarns(HedChartMaker* m) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < m->chart->yarn_count; ++i) {
        char name[24];
        snprintf(name, sizeof name, "yarn %" PRId32, i + 1);
        HED_TRY(hed_loops_add_yarn(m->graph, &(HedLoopYarn){.name = name}, m->error));
    }
done:
    return status;
}

// Rows that were gathered have columns of plain width; those of the others are wider.
static HedStatus widen(HedChartMaker* m) {
    HedStatus status = HED_OK;
    HedLoops* graph = m->graph;
    if (m->chart->is_round || m->narrowest == 1.0) {
        return HED_OK;
    }
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        graph->loops.data[i].wale /= m->narrowest;
    }
    for (int32_t c = 0; c <= m->course; ++c) {
        HED_TRY(hed_loops_set_pitch(graph, c, hed_loops_pitch(graph, c) / m->narrowest, m->error));
    }
done:
    return status;
}

// The widest row, and where each yarn is used last.
static void survey(HedChartMaker* m) {
    const HedChart* chart = m->chart;
    m->widest = chart->cast_on;
    for (int32_t r = 0; r < chart->rows.count; ++r) {
        const HedChartRow* row = &chart->rows.data[r];
        double width = 0.0;
        for (int32_t i = row->first; i < row->first + row->count; ++i) {
            bool is_wide = !chart->stitches.data[i].is_bundled; // a bundle has one column
            width += is_wide ? hed_stitch_produced(&chart->stitches.data[i]) : 0;
            m->last_at[chart->stitches.data[i].yarn] = r;
        }
        m->widest = m->widest > width ? m->widest : width;
    }
}

static HedStatus work_rows(HedChartMaker* m) {
    HedStatus status = HED_OK;
    bool* has_begun = HED_NEW_ARRAY(bool, m->chart->yarn_count);
    m->last_at = HED_NEW_ARRAY(int32_t, m->chart->yarn_count);
    if (!has_begun || !m->last_at) {
        status = no_memory(m);
        goto done;
    }
    survey(m);
    HED_TRY(add_yarns(m));
    HED_TRY(cast_on(m));
    if (m->graph->loops.count > 0) {
        has_begun[m->graph->loops.data[0].yarn] = true;
    }
    for (int32_t r = 0; r < m->chart->rows.count; ++r) {
        HED_TRY(work_row(m, r, has_begun));
        HED_TRY(turn(m));
    }
    HED_TRY(fasten(m));
    HED_TRY(widen(m));
    m->graph->is_round = m->chart->is_round;
    m->graph->round_wales = m->widest;
    HED_TRY(hed_loops_finish(m->graph, m->error));
done:
    hed_free(has_begun);
    return status;
}

HedStatus hed_chart_loops(const HedChart* chart, HedLoops* graph, HedError* error) {
    HedStatus status = hed_chart_check(chart, error);
    if (status != HED_OK) {
        return status;
    }
    HedChart plain = {0};
    bool has_bobbles = hed_chart_has_bobbles(chart);
    if (has_bobbles && hed_chart_unroll(chart, &plain, error) != HED_OK) {
        hed_chart_free(&plain);
        return HED_NO_MEMORY;
    }
    HedChartMaker m = {.chart = has_bobbles ? &plain : chart,
                       .graph = graph,
                       .error = error,
                       .bound = -1,
                       .narrowest = 1.0};
    status = work_rows(&m);
    if (status != HED_OK && status != HED_NO_MEMORY) {
        const char* name = chart->name ? chart->name : "chart";
        int32_t line = m.row ? m.row->line : 0;
        if (line > 0) {
            hed_fail_prefix(error, status, "%s:%" PRId32 ": ", name, line);
        } else {
            hed_fail_prefix(error, status, "%s: ", name);
        }
    }
    hed_free(m.old.slots.data);
    hed_free(m.fresh.slots.data);
    hed_free(m.parts.data);
    hed_free(m.lifted.data);
    hed_free(m.wanted.data);
    hed_free(m.last_at);
    hed_chart_free(&plain);
    return status;
}
