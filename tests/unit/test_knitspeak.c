// SPDX-License-Identifier: MIT
// Knitting instructions in words: rows, repeats, widths that work out, and those that do not.
#include "base/alloc.h"
#include "fabric/knitspeak.h"
#include "heddle/knitout.h"

#include <criterion/criterion.h>
#include <string.h>

static HedChart read_chart(const char* text) {
    HedChart chart = {0};
    HedError error = {0};
    cr_assert_eq(hed_knitspeak_read(text, strlen(text), "s", &chart, &error), HED_OK, "%s",
                 error.message);
    return chart;
}

// Stitches of a row as letters: what they are, as the worker sees them.
static void expect_row(const HedChart* chart, int32_t row, const char* letters) {
    char text[64] = {0};
    const HedChartRow* r = &chart->rows.data[row];
    cr_assert_lt(r->count, 60);
    for (int32_t i = 0; i < r->count; ++i) {
        const HedStitch* s = &chart->stitches.data[r->first + i];
        text[i] = s->kind == HED_STITCH_YARN_OVER  ? 'o'
                  : s->kind == HED_STITCH_DECREASE ? (s->lean == HED_LEAN_LEFT ? '\\' : '/')
                  : s->kind == HED_STITCH_INCREASE ? 'f'
                  : s->kind == HED_STITCH_CABLE    ? 'c'
                  : s->kind == HED_STITCH_BIND_OFF ? 'b'
                  : s->kind == HED_STITCH_SLIP     ? 's'
                  : s->is_purl                     ? 'p'
                                                   : 'k';
    }
    cr_assert_str_eq(text, letters, "row %d", (int)r->number);
}

Test(knitspeak, repeats_find_the_width) {
    // Lace of ten and one: row 1 needs 10 x + 1.
    HedChart chart =
        read_chart("(Horseshoe)\n\nRow 1 (RS): *k1, yo, k3, k3tog, k3, yo, repeat from "
                   "* to last st, k1 .\nRow 2 (WS): Purl .\n");
    cr_assert(chart.cast_on == 11 && chart.rows.count == 2 && !chart.is_round);
    expect_row(&chart, 0, "kokkk/kkkok");
    expect_row(&chart, 1, "ppppppppppp");
    cr_assert(!chart.rows.data[0].is_wrong_side && chart.rows.data[1].is_wrong_side);
    cr_assert(chart.rows.data[1].line == 4 && chart.rows.data[1].number == 2);
    hed_chart_free(&chart);
    // The rest of the row counts where nothing is said.
    chart = read_chart("Row 1: K1, k2tog, Knit. Row 2: Knit to last 3 sts, ssk, k1");
    cr_assert_eq(chart.cast_on, 5);
    expect_row(&chart, 0, "k/kk");
    expect_row(&chart, 1, "k\\k");
    hed_chart_free(&chart);
}

Test(knitspeak, groups_lists_and_rounds) {
    HedChart chart = read_chart("Round 0: CO 4.\nRounds 1 and 3-4: [k1, [p1] twice] once, k.\n"
                                "Round 2: p 2 (a comment) , k1 tbl, p0, p.\nRnd 3: [kfb] 4 times\n"
                                "Round 4: [k2, 2/2 RC, 1/1 LPT] 1 times\n");
    cr_assert(chart.is_round && chart.cast_on == 4 && chart.rows.count == 4);
    expect_row(&chart, 0, "kppk");
    expect_row(&chart, 1, "ppkp");
    cr_assert(chart.stitches.data[chart.rows.data[1].first + 2].is_twisted);
    expect_row(&chart, 2, "ffff"); // told twice: the last counts
    expect_row(&chart, 3, "kkcc");
    cr_assert(!chart.rows.data[1].is_wrong_side);
    hed_chart_free(&chart);
}

// Rows in the order of working, by their numbers and sides.
static void expect_rows(const char* text, const char* numbers, const char* sides) {
    HedChart chart = read_chart(text);
    char found[64] = {0};
    char found_sides[64] = {0};
    cr_assert_lt(chart.rows.count, 60);
    for (int32_t i = 0; i < chart.rows.count; ++i) {
        found[i] = (char)('0' + chart.rows.data[i].number);
        found_sides[i] = chart.rows.data[i].is_wrong_side ? 'w' : 'r';
    }
    cr_assert_str_eq(found, numbers, "%s", text);
    cr_assert_str_eq(found_sides, sides, "%s", text);
    hed_chart_free(&chart);
}

Test(knitspeak, rows_are_repeated) {
    expect_rows("Row 1 (RS): k4. Row 2: p4. Repeat rows 1-2 3 times.", "12121212", "rwrwrwrw");
    expect_rows("Row 1: k4. Row 2: p4. Rep rows 1 and 2 twice more.", "121212", "rwrwrw");
    expect_rows("Row 1: k4. Row 2: p4. Repeat rows 1, 2.\nRow 3: k4.", "12123", "rwrwr");
    // One row in garter stitch: sides alternate, whatever it said of its own.
    expect_rows("Row 1 (RS): k4. Repeat row 1 4 times. Row 2: p4.", "111112", "rwrwrw");
    expect_rows("Round 0: CO 4. Rounds 1-2: k4. Repeat round 2 2 more times.", "1222", "rrrr");
    expect_rows("Row 1: k4. Repeat row 1 once. Row 2: k4. Repeat rows 1-2.", "11212", "rwrwr");
}

static void refuse(const char* text, const char* message) {
    HedChart chart = {0};
    HedError error = {0};
    cr_assert_neq(hed_knitspeak_read(text, strlen(text), "s", &chart, &error), HED_OK, "%s", text);
    cr_assert_str_eq(error.message, message);
    hed_chart_free(&chart);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(knitspeak, refused) {
    refuse("", "s: there is no row");
    refuse("k2, p2", "s:1: expected 'Row' or 'Round', got 'k2'");
    refuse("Row: k2", "s:1: expected the number of a row, up to 20000, got ':'");
    refuse("Row 1 k2", "s:1: expected ':', got 'k2'");
    refuse("Row 1: k2,\nflop", "s:2: expected a stitch such as k2, yo, ssk or 2/2 RC, got 'flop'");
    refuse("Row 1: [k2", "s:1: expected ']', got 'the end'");
    refuse("Row 1: [k2] 3", "s:1: expected a number up to 10000 and 'times', got 'the end'");
    refuse("Row 1: *k2, p2", "s:1: expected 'repeat from *', got 'the end'");
    refuse("Row 1: [*k2, repeat from *] twice",
           "s:1: '*' cannot stand in brackets or in another '*', got '*'");
    refuse("Row 1: Knit to last three", "s:1: expected 'sts', got 'three'");
    refuse("Row 1: k4\nRow 2: k5", "s:2: row 2: 4 loops are there, 5 are worked");
    refuse("Row 1: k4\nRow 2: *k3, repeat from *", "s:2: row 2: a repeat does not fit 4 loops");
    refuse("Row 1: Knit to last 2 sts.\n", "s:1: row 1: a repeat does not fit 1 loops");
    refuse("Row 1: k4.\nRepeat rows 1-3.", "s:2: there is no row 2 to repeat yet");
    refuse("Row 1: k4.\nRepeat row 2.\nRow 2: k4.", "s:2: there is no row 2 to repeat yet");
    refuse("Round 0: CO 4.\nRepeat round 0.\nRound 1: k4.", "s:2: there is no row to repeat yet");
    refuse("Row 1: k4.\nRepeat as before.", "s:2: expected 'rows' or 'rounds' to repeat, got 'as'");
    refuse("Row 1: k4. Repeat row 1 10000 times. Repeat row 1 10000 times.",
           "s:1: a text may have 20000 rows, with repeats");
    refuse("Row 5-3: k4", "s:1: expected a rising range of rows, got ':'");
}

Test(knitspeak, yarns_are_drawn) {
    const char* text = "Row 1: *k2, p2, repeat from *.\nRows 2-4: *k2, p2, repeat from *.\n";
    HedFabric fabric = {0};
    HedKnitReport report = {0};
    HedKnitDef def = hed_knit_def_default();
    HedError error = {0};
    cr_assert_eq(hed_knitspeak_build(text, &def, &fabric, &report, &error), HED_OK, "%s",
                 error.message);
    cr_assert(report.loop_count == 20 && report.live_count == 4 && fabric.yarn_count == 1);
    hed_fabric_free(&fabric);
}

Test(knitspeak, memory_may_run_out) {
    const char* text = "Rows 1 and 2 (RS): *[k2, yo] twice, k2tog, ssk, repeat from *, k1. "
                       "Repeat rows 1-2 3 times.";
    HedStatus status = HED_NO_MEMORY;
    HedError error = {0};
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedChart chart = {0};
        hed_alloc_fail_at(n);
        status = hed_knitspeak_read(text, strlen(text), "s", &chart, &error);
        hed_alloc_fail_at(0);
        hed_chart_free(&chart);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 5);
}
