// SPDX-License-Identifier: MIT
// Bobbles as short rows: one loop becomes several, the work is turned, they are worked back, the
// work is turned again, they are taken together and the row goes on.
#include "knit/chart_maker.h"

static bool put(HedChart* chart, HedStitch stitch, int32_t times) {
    bool has_room = true;
    for (int32_t i = 0; i < times && has_room; ++i) {
        has_room = hed_chart_add_stitch(chart, &stitch, NULL) == HED_OK;
    }
    return has_room;
}

static bool wait(HedChart* chart, const HedStitch* bobble, int32_t times) {
    HedStitch stitch = hed_stitch_default(HED_STITCH_WAIT);
    stitch.yarn = bobble->yarn;
    stitch.line = bobble->line;
    return put(chart, stitch, times);
}

static bool begin(HedChart* chart, const HedChartRow* like, bool is_turned) {
    if (hed_chart_add_row(chart, NULL) != HED_OK) {
        return false;
    }
    HedChartRow* row = &chart->rows.data[chart->rows.count - 1];
    row->number = like->number;
    row->line = like->line;
    row->is_wrong_side = like->is_wrong_side != is_turned;
    return true;
}

// Loops that stand before a bobble and behind it while it is worked.
typedef struct Beside {
    int32_t before, behind;
} Beside;

static bool put_bobble(HedChart* chart, const HedChartRow* row, const HedStitch* s, Beside beside) {
    HedStitch many = *s, back = *s, one = *s;
    many.kind = HED_STITCH_INCREASE;
    many.increase = HED_INCREASE_YARN_OVER;
    many.is_bundled = back.is_bundled = true;
    back.kind = HED_STITCH_KNIT;
    back.is_purl = !s->is_purl;
    one.kind = HED_STITCH_DECREASE;
    one.consumed = s->produced;
    one.lean = HED_LEAN_RIGHT;
    return put(chart, many, 1) && wait(chart, s, beside.behind) && begin(chart, row, true) &&
           wait(chart, s, beside.behind) && put(chart, back, s->produced) &&
           wait(chart, s, beside.before) && begin(chart, row, false) &&
           wait(chart, s, beside.before) && put(chart, one, 1);
}

static bool put_row(HedChart* plain, const HedChart* chart, const HedChartRow* row) {
    const HedStitch* stitches = chart->stitches.data + row->first;
    Beside beside = {0, 0};
    for (int32_t i = 0; i < row->count; ++i) {
        beside.behind += hed_stitch_consumed(&stitches[i]);
    }
    bool has_room = begin(plain, row, false);
    for (int32_t i = 0; i < row->count && has_room; ++i) {
        beside.behind -= hed_stitch_consumed(&stitches[i]);
        has_room = stitches[i].kind == HED_STITCH_BOBBLE
                       ? put_bobble(plain, row, &stitches[i], beside)
                       : put(plain, stitches[i], 1);
        beside.before += hed_stitch_produced(&stitches[i]);
    }
    return has_room;
}

bool hed_chart_has_bobbles(const HedChart* chart) {
    int32_t i = 0;
    while (i < chart->stitches.count && chart->stitches.data[i].kind != HED_STITCH_BOBBLE) {
        ++i;
    }
    return i < chart->stitches.count;
}

HedStatus hed_chart_unroll(const HedChart* chart, HedChart* plain, HedError* error) {
    bool has_room = true;
    *plain = (HedChart){.name = chart->name,
                        .is_round = chart->is_round,
                        .cast_on = chart->cast_on,
                        .yarn_count = chart->yarn_count};
    for (int32_t r = 0; r < chart->rows.count && has_room; ++r) {
        has_room = put_row(plain, chart, &chart->rows.data[r]);
    }
    return has_room ? HED_OK : hed_fail_memory(error, "rows of a chart");
}
