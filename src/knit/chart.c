// SPDX-License-Identifier: MIT
// Charts as data: rows, stitches, and whether the rows fit together.
#include "knit/chart.h"
#include "fabric/warnings.h"

#include <inttypes.h>
#include <stdio.h>

HedStitch hed_stitch_default(HedStitchKind kind) {
    return (HedStitch){.kind = kind, .consumed = 1, .produced = 1};
}

int32_t hed_stitch_consumed(const HedStitch* stitch) {
    switch (stitch->kind) {
    case HED_STITCH_DECREASE:
        return stitch->consumed;
    case HED_STITCH_CABLE:
        return stitch->front + stitch->middle + stitch->back;
    case HED_STITCH_YARN_OVER:
    case HED_STITCH_MAKE_ONE:
    case HED_STITCH_CAST_ON:
        return 0;
    default:
        return 1;
    }
}

int32_t hed_stitch_produced(const HedStitch* stitch) {
    switch (stitch->kind) {
    case HED_STITCH_INCREASE:
        return stitch->produced;
    case HED_STITCH_CABLE:
        return stitch->front + stitch->middle + stitch->back;
    case HED_STITCH_BIND_OFF:
    case HED_STITCH_DROP:
        return 0;
    default:
        return 1;
    }
}

void hed_chart_free(HedChart* chart) {
    hed_free(chart->rows.data);
    hed_free(chart->stitches.data);
    hed_warnings_free(chart->notes, chart->note_count);
    *chart = (HedChart){0};
}

HedStatus hed_chart_add_row(HedChart* chart, HedError* error) {
    int32_t count = chart->rows.count;
    HedChartRow row = {.first = chart->stitches.count, .number = count + 1};
    row.is_wrong_side = !chart->is_round && count > 0 && !chart->rows.data[count - 1].is_wrong_side;
    return HED_APPEND(&chart->rows, row) ? HED_OK : hed_fail_memory(error, "rows of a chart");
}

HedStatus hed_chart_add_stitch(HedChart* chart, const HedStitch* stitch, HedError* error) {
    HED_ASSERT(chart->rows.count > 0);
    if (!HED_APPEND(&chart->stitches, *stitch)) {
        return hed_fail_memory(error, "stitches of a chart");
    }
    chart->rows.data[chart->rows.count - 1].count += 1;
    chart->yarn_count = chart->yarn_count > stitch->yarn + 1 ? chart->yarn_count : stitch->yarn + 1;
    return HED_OK;
}

static const char* stitch_name(HedStitchKind kind) {
    static const char* const NAMES[HED_STITCH_KINDS] = {
        "knit or purl", "yarn-over", "decrease", "increase", "make one", "slip", "tuck",
        "cable",        "cast-on",   "bind-off", "wait",     "wrap",     "drop", "bobble",
    };
    return kind >= 0 && kind < HED_STITCH_KINDS ? NAMES[kind] : "unknown";
}

enum { PLACE_TEXT = 160 };

// "chart.txt:5: row 3" or "chart: row 3".
static const char* row_place(const HedChart* chart, const HedChartRow* row,
                             char buffer[PLACE_TEXT]) {
    const char* name = chart->name ? chart->name : "chart";
    if (row->line > 0) {
        snprintf(buffer, PLACE_TEXT, "%.100s:%" PRId32 ": row %" PRId32, name, row->line,
                 row->number);
    } else {
        snprintf(buffer, PLACE_TEXT, "%.100s: row %" PRId32, name, row->number);
    }
    return buffer;
}

static bool is_count(int32_t value, int32_t least) {
    return value >= least && value <= HED_STITCH_MOST;
}

static HedStatus check_stitch(const HedStitch* s, HedError* error) {
    bool is_good = s->kind >= 0 && s->kind < HED_STITCH_KINDS && s->yarn >= 0;
    if (is_good && s->kind == HED_STITCH_DECREASE) {
        is_good = is_count(s->consumed, 2);
    } else if (is_good && (s->kind == HED_STITCH_INCREASE || s->kind == HED_STITCH_BOBBLE)) {
        is_good = is_count(s->produced, 2);
    } else if (is_good && s->kind == HED_STITCH_CABLE) {
        is_good = is_count(s->front, 1) && is_count(s->back, 1) && is_count(s->middle, 0) &&
                  s->front + s->back + s->middle <= HED_STITCH_MOST;
    }
    return is_good ? HED_OK
                   : hed_fail(error, HED_INVALID, "a %s of more than %d loops, or of too few",
                              stitch_name(s->kind), (int)HED_STITCH_MOST);
}

// Consumed and produced loops of a row; fails at the stitch that finds none left.
static HedStatus check_row(const HedChart* chart, const HedChartRow* row, int32_t width,
                           int32_t* produced, HedError* error) {
    char place[PLACE_TEXT];
    int32_t consumed = 0;
    *produced = 0;
    row_place(chart, row, place);
    for (int32_t i = 0; i < row->count; ++i) {
        const HedStitch* s = &chart->stitches.data[row->first + i];
        HedStatus status = check_stitch(s, error);
        if (status != HED_OK) {
            return hed_fail_prefix(error, status, "%s, stitch %" PRId32 ": ", place, i + 1);
        }
        consumed += hed_stitch_consumed(s);
        *produced += hed_stitch_produced(s);
        if (consumed > width) {
            return hed_fail(error, HED_INVALID,
                            "%s, stitch %" PRId32 " (%s): takes loop %" PRId32
                            ", but the row below leaves only %" PRId32,
                            place, i + 1, stitch_name(s->kind), consumed, width);
        }
        if (s->kind == HED_STITCH_MAKE_ONE && (consumed == 0 || consumed == width)) {
            return hed_fail(error, HED_INVALID,
                            "%s, stitch %" PRId32
                            " (make one): needs a loop on both sides in the row below",
                            place, i + 1);
        }
    }
    if (consumed < width) {
        return hed_fail(error, HED_INVALID,
                        "%s: its %" PRId32 " stitches take %" PRId32
                        " loops, but the row below leaves %" PRId32,
                        place, row->count, consumed, width);
    }
    return HED_OK;
}

HedStatus hed_chart_check(const HedChart* chart, HedError* error) {
    int32_t width = chart->cast_on;
    if (width < 0 || chart->rows.count == 0) {
        return hed_fail(error, HED_INVALID,
                        "%s: a chart needs rows and 0 or more loops cast on, got %" PRId32
                        " and %" PRId32,
                        chart->name ? chart->name : "chart", chart->rows.count, width);
    }
    for (int32_t i = 0; i < chart->rows.count; ++i) {
        HedStatus status = check_row(chart, &chart->rows.data[i], width, &width, error);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}
