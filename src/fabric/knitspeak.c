// SPDX-License-Identifier: MIT
// From instructions to a chart: how wide each row is, and how often its repeats are worked.
#include "fabric/knitspeak.h"
#include "fabric/knit.h"
#include "fabric/speech.h"
#include "heddle/knitout.h"

#include <string.h>

enum { WIDTH_MOST = 2000, STITCHES_MOST = 2000000 };

// What a row does to a width; and, if there is a chart, its stitches.
typedef struct Worker {
    const HedSpeech* speech;
    HedChart* chart; // NULL: only count
    HedError* error;
    int64_t taken, left; // loops of the row below, loops for the row above
    int64_t stitches;
    bool is_full; // every star was worked at least once
} Worker;

// Loops that nodes take, once through; no stars among them.
static int64_t consumed(const HedSpeech* speech, int32_t first, int32_t end) {
    int64_t sum = 0;
    for (int32_t i = first; i < end; i = speech->nodes.data[i].end) {
        const HedSpeechNode* node = &speech->nodes.data[i];
        int64_t part = node->kind == HED_SPEECH_STITCH ? hed_stitch_consumed(&node->stitch)
                                                       : consumed(speech, i + 1, node->end);
        sum += node->kind == HED_SPEECH_STAR ? 0 : part * node->times;
        sum = sum > STITCHES_MOST ? STITCHES_MOST : sum;
    }
    return sum;
}

static HedStatus work_stitch(Worker* w, const HedSpeechNode* node) {
    HedStatus status = HED_OK;
    w->taken += (int64_t)node->times * hed_stitch_consumed(&node->stitch);
    w->left += (int64_t)node->times * hed_stitch_produced(&node->stitch);
    w->stitches += node->times;
    if (w->stitches > STITCHES_MOST) {
        return hed_fail(w->error, HED_UNSUPPORTED, "%s:%d: a chart may have %d stitches",
                        w->speech->name, node->stitch.line, STITCHES_MOST);
    }
    for (int32_t i = 0; i < node->times && w->chart && status == HED_OK; ++i) {
        status = hed_chart_add_stitch(w->chart, &node->stitch, w->error);
    }
    return status;
}

static HedStatus work(Worker* w, int32_t first, int32_t end, int64_t width);

// Counting works once and multiplies.
static HedStatus work_times(Worker* w, int32_t node, int64_t times, int64_t width) {
    HedStatus status = HED_OK;
    int32_t end = w->speech->nodes.data[node].end;
    for (int64_t i = 0; i < times && status == HED_OK; ++i) {
        Worker before = *w;
        status = work(w, node + 1, end, width);
        int64_t more = w->stitches - before.stitches;
        if (status == HED_OK && more == 0) {
            return HED_OK; // nothing, however often
        }
        if (status == HED_OK && !w->chart) {
            if (more > STITCHES_MOST / times) {
                return hed_fail(w->error, HED_UNSUPPORTED, "a chart may have %d stitches",
                                STITCHES_MOST);
            }
            w->taken = before.taken + times * (w->taken - before.taken);
            w->left = before.left + times * (w->left - before.left);
            w->stitches = before.stitches + times * more;
            return HED_OK;
        }
    }
    return status;
}

// How often a star fits; -1 if it does not.
static int64_t star_times(Worker* w, int32_t node, int32_t end, int64_t width) {
    const HedSpeechNode* star = &w->speech->nodes.data[node];
    int64_t once = consumed(w->speech, node + 1, star->end);
    int64_t rest = star->last >= 0 ? star->last : consumed(w->speech, star->end, end);
    int64_t room = width - w->taken - rest;
    if (once < 1 || room < 0 || room % once != 0) {
        return -1;
    }
    w->is_full = w->is_full && room > 0;
    return room / once;
}

static HedStatus work(Worker* w, int32_t first, int32_t end, int64_t width) {
    HedStatus status = HED_OK;
    for (int32_t i = first; i < end && status == HED_OK; i = w->speech->nodes.data[i].end) {
        const HedSpeechNode* node = &w->speech->nodes.data[i];
        if (node->kind == HED_SPEECH_STITCH) {
            status = work_stitch(w, node);
            continue;
        }
        bool is_star = node->kind == HED_SPEECH_STAR;
        int64_t times = is_star ? star_times(w, i, end, width) : node->times;
        if (times < 0) {
            return hed_fail(w->error, HED_PARSE, "a repeat does not fit %lld loops",
                            (long long)width);
        }
        status = work_times(w, i, times, width);
    }
    return status;
}

// One row on a width; *width becomes that of the next.
static HedStatus work_row(Worker* w, const HedSpeechRow* row, int64_t* width) {
    w->taken = w->left = 0;
    HedStatus status = work(w, row->first, row->end, *width);
    if (status == HED_OK && w->taken != *width) {
        status = hed_fail(w->error, HED_PARSE, "%lld loops are there, %lld are worked",
                          (long long)*width, (long long)w->taken);
    }
    *width = w->left;
    return hed_fail_prefix(w->error, status, "%s:%d: row %d: ", w->speech->name, row->line,
                           row->number);
}

// Rows that work out from a width on.
static int32_t count_rows(const HedSpeech* speech, int64_t width, bool* is_full) {
    Worker w = {.speech = speech, .is_full = true};
    for (int32_t i = 0; i < speech->rows.count; ++i) {
        w.stitches = 0;
        if (width < 1 || work_row(&w, &speech->rows.data[i], &width) != HED_OK) {
            return i;
        }
    }
    *is_full = w.is_full;
    return speech->rows.count;
}

// How far apart the widths are that fit the first row: as many loops as its star takes. 0: there is
// one at most, as the row has no star; 1: any may fit.
static int64_t width_step(const HedSpeech* speech, const HedSpeechRow* row) {
    int32_t stars = 0, outer = -1;
    for (int32_t i = row->first; i < row->end; ++i) {
        stars += speech->nodes.data[i].kind == HED_SPEECH_STAR;
    }
    for (int32_t i = row->first; i < row->end; i = speech->nodes.data[i].end) {
        outer = speech->nodes.data[i].kind == HED_SPEECH_STAR ? i : outer;
    }
    if (stars != 1 || outer < 0) {
        return stars > 0;
    }
    int64_t once = consumed(speech, outer + 1, speech->nodes.data[outer].end);
    return once > 1 ? once : 1;
}

// The smallest width with which all rows work out, each repeat at least once if that can be; else
// the one that goes farthest.
static int32_t find_width(const HedSpeech* speech) {
    const HedSpeechRow* row = speech->rows.data;
    int32_t best = 1, farthest = 0;
    int64_t step = width_step(speech, row);
    int64_t width = step == 0 ? consumed(speech, row->first, row->end) : 1;
    while (width >= 1 && width <= WIDTH_MOST) {
        bool is_full = false;
        int32_t rows = count_rows(speech, width, &is_full);
        if (rows == speech->rows.count && is_full) {
            return (int32_t)width;
        }
        if (rows > farthest) {
            farthest = rows;
            best = (int32_t)width;
        }
        if (step == 0) {
            break;
        }
        width += rows > 0 ? step : 1; // those between do not fit the first row
    }
    return best;
}

// How rows tell their sides.
typedef struct Sides {
    int32_t told;     // the first row that does; -1: none
    bool has_repeats; // rows are repeated from here on
    bool last;        // whether the row before is on the wrong side
} Sides;

static int32_t find_told(const HedSpeech* speech) {
    for (int32_t i = 0; i < speech->rows.count; ++i) {
        if (speech->rows.data[i].side != 0) {
            return i;
        }
    }
    return -1;
}

// Sides that are told count, and rows between them alternate by their numbers. From the first row
// that is repeated on each is on the other side than the one before, unless it tells its side.
static bool is_wrong_side(const HedSpeech* speech, int32_t row, Sides sides) {
    const HedSpeechRow* rows = speech->rows.data;
    if (speech->is_round) {
        return false;
    }
    if (sides.has_repeats && (rows[row].is_again || rows[row].side == 0)) {
        return !sides.last;
    }
    if (rows[row].side != 0) {
        return rows[row].side == 2;
    }
    int32_t from = sides.told >= 0 ? sides.told : 0;
    return (rows[from].side == 2) != ((rows[row].number - rows[from].number) % 2 != 0);
}

static HedStatus fill_chart(const HedSpeech* speech, HedChart* chart, HedError* error) {
    HedStatus status = HED_OK;
    Worker w = {.speech = speech, .chart = chart, .error = error, .is_full = true};
    int64_t width = speech->cast_on > 0 ? speech->cast_on : find_width(speech);
    chart->name = speech->name;
    chart->is_round = speech->is_round;
    chart->cast_on = (int32_t)width;
    chart->yarn_count = 1;
    Sides sides = {.told = find_told(speech)};
    for (int32_t i = 0; i < speech->rows.count; ++i) {
        const HedSpeechRow* row = &speech->rows.data[i];
        HED_TRY(hed_chart_add_row(chart, error));
        HedChartRow* added = &chart->rows.data[chart->rows.count - 1];
        added->number = row->number;
        added->line = row->line;
        sides.has_repeats = sides.has_repeats || row->is_again;
        sides.last = is_wrong_side(speech, i, sides);
        added->is_wrong_side = sides.last;
        HED_TRY(work_row(&w, row, &width));
    }
    HED_TRY(hed_chart_check(chart, error));
done:
    return status;
}

HedStatus hed_knitspeak_read(const char* data, size_t size, const char* name, HedChart* chart,
                             HedError* error) {
    HedSpeech speech = {0};
    HedStatus status = hed_speech_read(data, size, name, &speech, error);
    if (status == HED_OK) {
        status = fill_chart(&speech, chart, error);
    }
    hed_speech_free(&speech);
    return status;
}

HedStatus hed_knitspeak_build(const char* text, const HedKnitDef* def, HedFabric* fabric,
                              HedKnitReport* report, HedError* error) {
    HedStatus status = HED_OK;
    HedChart chart = {0};
    HedLoops graph = {0};
    const char* name = def->name ? def->name : "instructions";
    HED_TRY(hed_knitspeak_read(text, strlen(text), name, &chart, error));
    HED_TRY(hed_chart_loops(&chart, &graph, error));
    HED_TRY(hed_knit_build(&graph, NULL, def, fabric, report, error));
done:
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    return status;
}

HedStatus hed_knitspeak_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                             HedKnitReport* report, HedError* error) {
    HedText text = {0};
    HedKnitDef named = *def;
    named.name = path;
    HedStatus status = hed_text_read(path, &text, error);
    if (status == HED_OK) {
        status = hed_text_check(text.data, text.size, path, error);
    }
    if (status == HED_OK) {
        status = hed_knitspeak_build(text.data, &named, fabric, report, error);
    }
    hed_text_free(&text);
    return status;
}
