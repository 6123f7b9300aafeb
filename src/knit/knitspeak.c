// SPDX-License-Identifier: MIT
// From instructions to a chart: how wide each row is, and how often its repeats are worked.
#include "knit/knitspeak.h"
#include "heddle/knitout.h"
#include "knit/instructions.h"
#include "knit/knit.h"

#include <string.h>

enum { WIDTH_MOST = 2000, STITCHES_MOST = 2000000 };

// What authors mean differently; what fits the rows is taken.
typedef struct Interpretation {
    bool binds_one_more; // "BO 5, k1" leaves the loop that bound off the fifth before the k1
    bool repeats_more;   // "repeat from * 3 times" is worked four times
} Interpretation;

// What a row does to a width; and, if there is a chart, its stitches.
typedef struct Worker {
    HedInstructions* instructions;
    HedChart* chart; // NULL: only count
    HedError* error;
    Interpretation reading;
    const HedInstructionRow* row;
    int64_t width;       // loops that the row may work
    int64_t taken, left; // loops of the row below, loops for the row above
    int64_t kept;        // that a "to last 3 sts" left over, and nothing else was said of
    int64_t stitches;
    bool is_full; // every star was worked at least once
} Worker;

// Loops on a needle, and those at its start that a row does not reach, as the one before turned.
typedef struct Needle {
    int64_t width, skipped;
} Needle;

static int32_t group_times(const Worker* w, const HedInstructionNode* node) {
    return node->times + (node->is_rep && w->reading.repeats_more);
}

// Loops that stay on the needle behind loops bound off.
static int32_t bound_rest(const Worker* w, int32_t node) {
    return w->reading.binds_one_more && w->instructions->nodes.data[node].end < w->row->end;
}

// Loops that nodes take, once through; no stars among them.
static int64_t consumed(const Worker* w, int32_t first, int32_t end) {
    int64_t sum = 0;
    for (int32_t i = first; i < end; i = w->instructions->nodes.data[i].end) {
        const HedInstructionNode* node = &w->instructions->nodes.data[i];
        int64_t part = 0;
        if (node->kind == HED_INSTRUCTION_STITCH) {
            part = (int64_t)node->times * hed_stitch_consumed(&node->stitch);
        } else if (node->kind == HED_INSTRUCTION_BIND_OFF) {
            part = node->times > 0 ? node->times + bound_rest(w, i) : 0;
        } else if (node->kind == HED_INSTRUCTION_GROUP) {
            part = group_times(w, node) * consumed(w, i + 1, node->end);
        }
        sum = sum + part > STITCHES_MOST ? STITCHES_MOST : sum + part;
    }
    return sum;
}

static HedStatus add(Worker* w, const HedStitch* stitch, int64_t times) {
    HedStatus status = HED_OK;
    for (int64_t i = 0; i < times && w->chart && status == HED_OK; ++i) {
        status = hed_chart_add_stitch(w->chart, stitch, w->error);
    }
    return status;
}

static HedStatus work_stitches(Worker* w, const HedStitch* given, int64_t times) {
    HedStatus status = HED_OK;
    HedStitch stitch = *given;
    int64_t at = w->taken;
    w->taken += times * hed_stitch_consumed(&stitch);
    w->left += times * hed_stitch_produced(&stitch);
    w->stitches += times;
    if (w->stitches > STITCHES_MOST) {
        return hed_fail(w->error, HED_UNSUPPORTED, "%s:%d: a chart may have %d stitches",
                        w->instructions->name, (int)stitch.line, (int)STITCHES_MOST);
    }
    if (w->chart && stitch.kind == HED_STITCH_MAKE_ONE && (at == 0 || at == w->width)) {
        stitch.kind = HED_STITCH_CAST_ON; // there is no yarn beside it to lift
        HED_TRY(hed_instructions_note(w->instructions, w->error,
                                      "line %d: a make-one at the edge is drawn as a loop cast on",
                                      (int)stitch.line));
    }
    HED_TRY(add(w, &stitch, times));
done:
    return status;
}

static HedStatus work_bind_off(Worker* w, int32_t number, int32_t end) {
    HedStatus status = HED_OK;
    const HedInstructionNode* node = &w->instructions->nodes.data[number];
    int32_t rest = node->times > 0 ? bound_rest(w, number) : 0;
    int64_t times =
        node->times > 0 ? node->times : w->width - w->taken - consumed(w, node->end, end);
    HedStitch stitch = node->stitch;
    const HedInstructionNode* next =
        node->end < end ? &w->instructions->nodes.data[node->end] : NULL;
    // What follows a loop bound off is worked as it was.
    if (next && rest == 0 && next->kind == HED_INSTRUCTION_STITCH) {
        stitch.is_purl = next->stitch.is_purl;
    }
    HED_TRY(work_stitches(w, &stitch, times > 0 ? times : 0));
    stitch.kind = HED_STITCH_KNIT;
    HED_TRY(work_stitches(w, &stitch, rest));
done:
    return status;
}

static HedStatus work(Worker* w, int32_t first, int32_t end);

// Counting works once and multiplies.
static HedStatus work_times(Worker* w, int32_t node, int64_t times) {
    HedStatus status = HED_OK;
    int32_t end = w->instructions->nodes.data[node].end;
    for (int64_t i = 0; i < times && status == HED_OK; ++i) {
        Worker before = *w;
        status = work(w, node + 1, end);
        int64_t more = w->stitches - before.stitches;
        if (status == HED_OK && more == 0) {
            return HED_OK; // nothing, however often
        }
        if (status == HED_OK && !w->chart) {
            if (more > STITCHES_MOST / times) {
                return hed_fail(w->error, HED_UNSUPPORTED, "a chart may have %d stitches",
                                (int)STITCHES_MOST);
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
static int64_t star_times(Worker* w, int32_t node, int32_t end) {
    const HedInstructionNode* star = &w->instructions->nodes.data[node];
    int64_t once = consumed(w, node + 1, star->end);
    int64_t rest = consumed(w, star->end, end);
    int64_t last = star->last > 0 || (star->last == 0 && rest == 0) ? star->last : rest;
    int64_t room = w->width - w->taken - last;
    if (once < 1 || room < 0 || room % once != 0) {
        return -1;
    }
    if (last > rest && star->end == end) {
        w->kept = last;
    }
    w->is_full = w->is_full && room > 0;
    return room / once;
}

static HedStatus work(Worker* w, int32_t first, int32_t end) {
    HedStatus status = HED_OK;
    for (int32_t i = first; i < end && status == HED_OK; i = w->instructions->nodes.data[i].end) {
        const HedInstructionNode* node = &w->instructions->nodes.data[i];
        if (node->kind == HED_INSTRUCTION_STITCH) {
            status = work_stitches(w, &node->stitch, node->times);
            continue;
        }
        if (node->kind == HED_INSTRUCTION_BIND_OFF) {
            status = work_bind_off(w, i, end);
            continue;
        }
        bool is_star = node->kind == HED_INSTRUCTION_STAR;
        int64_t times = is_star ? star_times(w, i, end) : group_times(w, node);
        if (times < 0) {
            int64_t once = consumed(w, i + 1, node->end);
            return hed_fail(w->error, HED_PARSE,
                            "its repeat of %lld stitches does not fit: %lld of the %lld loops of "
                            "the row below are left for it",
                            (long long)once,
                            (long long)(w->width - w->taken - consumed(w, node->end, end)),
                            (long long)w->width);
        }
        status = work_times(w, i, times);
    }
    return status;
}

// Loops that a row does not reach.
static HedStatus wait(Worker* w, int64_t count) {
    HedStitch stitch = hed_stitch_default(HED_STITCH_WAIT);
    stitch.line = w->row->line;
    return add(w, &stitch, count);
}

static HedStatus note_row(Worker* w, const Needle* needle) {
    HedStatus status = HED_OK;
    const HedInstructionRow* row = w->row;
    if (!w->chart || row->is_again) {
        return HED_OK;
    }
    if (row->told > 0 && row->told != w->left && row->told != needle->width) {
        HED_TRY(hed_instructions_note(w->instructions, w->error,
                                      "line %d: row %d says %d sts, there are %lld", (int)row->line,
                                      (int)row->number, (int)row->told, (long long)needle->width));
    }
    if (w->kept > 0 && !row->is_turned) {
        HED_TRY(
            hed_instructions_note(w->instructions, w->error,
                                  "line %d: row %d does not say what becomes of its last %lld sts: "
                                  "they wait",
                                  (int)row->line, (int)row->number, (long long)w->kept));
    }
done:
    return status;
}

// Of the stitch that was worked last in the row; 0 if there is none.
static int32_t last_yarn(const Worker* w) {
    return w->row->end > w->row->first ? w->instructions->nodes.data[w->row->end - 1].stitch.yarn
                                       : 0;
}

// One row on a needle, which becomes that of the next.
static HedStatus work_row(Worker* w, const HedInstructionRow* row, Needle* needle) {
    HedStatus status = HED_OK;
    w->taken = w->left = w->kept = 0;
    w->row = row;
    w->width = needle->width - needle->skipped;
    HED_TRY(wait(w, needle->skipped));
    HED_TRY(work(w, row->first, row->end));
    int64_t over = w->width - w->taken;
    bool is_short = row->is_turned || (w->kept > 0 && over == w->kept);
    if (over < 0 || (over > 0 && !is_short)) {
        HED_TRY(hed_fail(w->error, HED_PARSE,
                         "its stitches take %lld loops, but the row below leaves %lld",
                         (long long)w->taken, (long long)w->width));
    }
    if (row->is_wrapped && over > 0) { // the yarn goes round the next loop, which waits
        HedStitch wrap = hed_stitch_default(HED_STITCH_WRAP);
        wrap.line = row->line;
        wrap.yarn = last_yarn(w);
        HED_TRY(add(w, &wrap, 1));
    }
    HED_TRY(wait(w, over - (row->is_wrapped && over > 0)));
    *needle = (Needle){needle->skipped + w->left + over, over};
    HED_TRY(note_row(w, needle));
done:
    return hed_fail_prefix(w->error, status, "%s:%d: row %d: ", w->instructions->name,
                           (int)row->line, (int)row->number);
}

// Rows that work out from a width on.
static int32_t count_rows(Worker* w, int64_t width) {
    Needle needle = {width, 0};
    w->is_full = true;
    for (int32_t i = 0; i < w->instructions->rows.count; ++i) {
        w->stitches = 0;
        if (needle.width < 1 || work_row(w, &w->instructions->rows.data[i], &needle) != HED_OK) {
            return i;
        }
    }
    return w->instructions->rows.count;
}

// How far apart the widths are that fit the first row: as many loops as its star takes. 0: there is
// one at most, as the row has no star; 1: any may fit.
static int64_t width_step(const Worker* w, const HedInstructionRow* row) {
    const HedInstructions* instructions = w->instructions;
    int32_t stars = 0, outer = -1;
    for (int32_t i = row->first; i < row->end; ++i) {
        const HedInstructionNode* node = &instructions->nodes.data[i];
        stars += node->kind == HED_INSTRUCTION_STAR;
        stars += node->kind == HED_INSTRUCTION_BIND_OFF && node->times == 0 ? 2 : 0;
    }
    for (int32_t i = row->first; i < row->end; i = instructions->nodes.data[i].end) {
        outer = instructions->nodes.data[i].kind == HED_INSTRUCTION_STAR ? i : outer;
    }
    if (stars != 1 || outer < 0) {
        return stars > 0 || row->is_turned;
    }
    int64_t once = consumed(w, outer + 1, instructions->nodes.data[outer].end);
    return once > 1 ? once : 1;
}

// The smallest width with which all rows work out, each repeat at least once if that can be; else
// the one that goes farthest, and how far.
static int32_t find_width(Worker* w, int32_t* farthest) {
    const HedInstructionRow* row = w->instructions->rows.data;
    int32_t best = 1;
    w->row = row;
    int64_t step = width_step(w, row);
    int64_t width = step == 0 ? consumed(w, row->first, row->end) : 1;
    *farthest = 0;
    while (width >= 1 && width <= WIDTH_MOST) {
        int32_t rows = count_rows(w, width);
        if (rows == w->instructions->rows.count && w->is_full) {
            *farthest = rows + 1;
            return (int32_t)width;
        }
        if (rows > *farthest) {
            *farthest = rows;
            best = (int32_t)width;
        }
        if (step == 0) {
            break;
        }
        width += rows > 0 ? step : 1; // those between do not fit the first row
    }
    if (step == 0 && *farthest == 0 && width >= 1 && width <= WIDTH_MOST) {
        best = (int32_t)width;
    }
    return best;
}

// The width to begin with, and the reading with which most rows work out.
static int64_t choose(HedInstructions* instructions, Interpretation* reading) {
    int32_t most = -1;
    int64_t width = 1;
    for (int32_t k = 0; k < 4; ++k) {
        Worker w = {.instructions = instructions, .reading = {(k & 1) == 0, (k & 2) == 0}};
        if (((k & 1) && !instructions->has_bind_off) || ((k & 2) && !instructions->has_rep)) {
            continue;
        }
        int32_t rows = 0;
        int64_t found = instructions->cast_on;
        if (found > 0) {
            rows = count_rows(&w, found);
        } else {
            found = find_width(&w, &rows);
        }
        if (rows > most) {
            most = rows;
            width = found;
            *reading = w.reading;
        }
    }
    return width;
}

// How rows tell their sides.
typedef struct RowSides {
    int32_t told;     // the first row that does; -1: none
    bool has_repeats; // rows are repeated from here on
    bool last;        // whether the row before is on the wrong side
} RowSides;

static int32_t find_told(const HedInstructions* instructions) {
    for (int32_t i = 0; i < instructions->rows.count; ++i) {
        if (instructions->rows.data[i].side != 0) {
            return i;
        }
    }
    return -1;
}

// Sides that are told count, and rows between them alternate by their numbers. From the first row
// that is repeated on each is on the other side than the one before, unless it tells its side.
static bool is_wrong_side(const HedInstructions* instructions, int32_t row, RowSides sides) {
    const HedInstructionRow* rows = instructions->rows.data;
    if (instructions->is_round) { // only a turn changes the side
        return row > 0 && rows[row - 1].is_turned ? !sides.last : sides.last;
    }
    if (sides.has_repeats && (rows[row].is_again || rows[row].side == 0)) {
        return !sides.last;
    }
    if (rows[row].side != 0) {
        return rows[row].side == 2;
    }
    // A row 0 is what comes before the first one.
    int32_t from = sides.told >= 0 ? sides.told : 0;
    int32_t number = sides.told < 0 && rows[from].number == 0 ? 1 : rows[from].number;
    bool is_turned = (rows[row].part - rows[from].part) % 2 != 0;
    return ((rows[from].side == 2) != ((rows[row].number - number) % 2 != 0)) != is_turned;
}

static HedStatus note_reading(HedInstructions* instructions, Interpretation reading,
                              HedError* error) {
    return !instructions->has_rep
               ? HED_OK
               : hed_instructions_note(instructions, error,
                                       "'repeat from * 3 times' is taken as %s times in all: "
                                       "'more' makes it plain",
                                       reading.repeats_more ? "four" : "three");
}

static HedStatus fill_chart(HedInstructions* instructions, HedChart* chart, HedError* error) {
    HedStatus status = HED_OK;
    Worker w = {.instructions = instructions, .chart = chart, .error = error, .is_full = true};
    Needle needle = {choose(instructions, &w.reading), 0};
    chart->name = instructions->name;
    chart->is_round = instructions->is_round;
    chart->cast_on = (int32_t)needle.width;
    chart->yarn_count = 1;
    RowSides sides = {.told = find_told(instructions)};
    HED_TRY(note_reading(instructions, w.reading, error));
    for (int32_t i = 0; i < instructions->rows.count; ++i) {
        const HedInstructionRow* row = &instructions->rows.data[i];
        HED_TRY(hed_chart_add_row(chart, error));
        HedChartRow* added = &chart->rows.data[chart->rows.count - 1];
        added->number = row->number;
        added->line = row->line;
        sides.has_repeats = sides.has_repeats || row->is_again;
        sides.last = is_wrong_side(instructions, i, sides);
        added->is_wrong_side = sides.last;
        HED_TRY(work_row(&w, row, &needle));
    }
    HED_TRY(hed_chart_check(chart, error));
    chart->notes = instructions->notes;
    chart->note_count = instructions->note_count;
    chart->note_capacity = instructions->note_capacity;
    instructions->notes = NULL;
    instructions->note_count = 0;
done:
    return status;
}

HedStatus hed_knitspeak_read(const char* data, size_t size, const char* name, HedChart* chart,
                             HedError* error) {
    HedInstructions instructions = {0};
    HedStatus status = hed_instructions_read(data, size, name, &instructions, error);
    if (status == HED_OK) {
        status = fill_chart(&instructions, chart, error);
    }
    hed_instructions_free(&instructions);
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
    status = hed_knit_place(name, hed_knit_build(&graph, NULL, def, fabric, report, error), error);
    if (status != HED_NO_MEMORY) { // notes are told of what cannot be drawn, too
        HedStatus noted = hed_knit_notes(&chart, &graph, fabric, error);
        status = noted == HED_OK ? status : noted;
    }
done:
    hed_loops_free(&graph);
    hed_chart_free(&chart);
    return status;
}

HedStatus hed_knitspeak_load(const char* path, const HedKnitDef* def, HedFabric* fabric,
                             HedKnitReport* report, HedError* error) {
    return hed_knit_load_by(hed_knitspeak_build, path, def, fabric, report, error);
}
