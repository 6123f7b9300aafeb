// SPDX-License-Identifier: MIT
// Knitting instructions in words: rows, repeats, widths that work out, and those that do not.
#include "base/alloc.h"
#include "heddle/knitout.h"
#include "knit/knitspeak.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
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
    refuse("Row 1: k2,\nflop",
           "s:2: unknown stitch 'flop'; expected one such as k2, yo, ssk, k2tog, "
           "sl1 wyif, m1l or 2/2 RC");
    refuse("Row 1: k2, 1/1 LXC", "s:1: unknown stitch '1/1 lxc'; expected one such as k2, yo, ssk, "
                                 "k2tog, sl1 wyif, m1l or 2/2 RC");
    refuse("Row 1: k2, psso", "s:1: there is no slipped stitch to pass over, got 'the end'");
    refuse("Row 1: knit to marker",
           "s:1: markers are not followed: say how many stitches are left, got 'marker'");
    refuse("Row 1: (yo, k2tog) in next st.",
           "s:1: one stitch becomes several by k, p and yo: (k1, yo, k1), got '.'");
    refuse("Row 1: [k2", "s:1: expected ']', got 'the end'");
    refuse("Row 1: [k2] 3", "s:1: expected a number up to 10000 and 'times', got 'the end'");
    refuse("Row 1: *k2, p2", "s:1: expected 'repeat from *', got 'the end'");
    refuse("Row 1: [*k2, repeat from *] twice",
           "s:1: '*' cannot stand in brackets or in another '*', got '*'");
    refuse("Row 1: Knit to last three", "s:1: expected 'sts', got 'the end'");
    refuse("Row 1: k4\nRow 2: k5",
           "s:2: row 2: its stitches take 5 loops, but the row below leaves 4");
    refuse(
        "Row 1: k4\nRow 2: *k3, repeat from *",
        "s:2: row 2: its repeat of 3 stitches does not fit: 4 of the 4 loops of the row below are "
        "left for it");
    refuse("Row 1: k4.\nRepeat rows 1-3.", "s:2: there is no row 2 to repeat yet");
    refuse("Row 1: k4.\nRepeat row 2.\nRow 2: k4.", "s:2: there is no row 2 to repeat yet");
    refuse("Round 0: CO 4.\nRepeat round 0.\nRound 1: k4.", "s:2: there is no row to repeat yet");
    refuse("Row 1: k4.\nRepeat as before.", "s:2: expected 'rows' or 'rounds' to repeat, got 'as'");
    refuse("Row 1: k4. Repeat row 1 10000 times. Repeat row 1 10000 times.",
           "s:1: a text may have 20000 rows, with repeats");
    refuse("Row 5-3: k4", "s:1: expected a rising range of rows, got ':'");
}

// lint: long, the table is the vocabulary
// The loops that the stitches between k3 and k3 take and leave, counted by hand.
Test(knitspeak, the_vocabulary_of_stitch_maps) {
    static const struct Entry {
        const char* text;
        int32_t taken, left;
    } ENTRIES[] = {
        {"k10", 10, 10},
        {"k 10", 10, 10},
        {"knit 3", 3, 3},
        {"sl 1 wyif", 1, 1},
        {"slip 3 wyib", 3, 3},
        {"sl1k", 1, 1},
        {"k1 tbl", 1, 1},
        {"yo", 0, 1},
        {"yo twice", 0, 2},
        {"[yo] twice", 0, 2},
        {"yo2", 0, 2},
        {"double yo", 0, 2},
        {"M1L", 0, 1},
        {"M1Rp", 0, 1},
        {"make 1", 0, 1},
        {"incL", 0, 1},
        {"CO 3 sts", 0, 3},
        {"dip st", 0, 1},
        {"kfb", 1, 2},
        {"kf&b", 1, 2},
        {"k into front and back of next st", 1, 2},
        {"pfb", 1, 2},
        {"kfbf", 1, 3},
        {"ctr dbl inc", 1, 3},
        {"1-to-4 inc", 1, 4},
        {"1-to-9 inc", 1, 9},
        {"(k1, yo, k1) in next st", 1, 3},
        {"(k1, p1) into same stitch", 1, 2},
        {"[k1, yo, k1, yo, k1] in next st", 1, 5},
        {"k2tog", 2, 1},
        {"k2tog tbl", 2, 1},
        {"k2tog-tbl", 2, 1},
        {"k 2 tog", 2, 1},
        {"knit 3 together", 3, 1},
        {"p2togtbl", 2, 1},
        {"k9tog", 9, 1},
        {"p5tog", 5, 1},
        {"k2tog twisted", 2, 1},
        {"cdd twisted", 3, 1},
        {"cddp", 3, 1},
        {"ssk", 2, 1},
        {"ssp", 2, 1},
        {"sssk", 3, 1},
        {"sssp", 3, 1},
        {"skp", 2, 1},
        {"s2kp2", 3, 1},
        {"sl1-k1-psso", 2, 1},
        {"sl1-k2tog-psso", 3, 1},
        {"sl2-k1-p2sso", 3, 1},
        {"sl 1, k1, psso", 2, 1},
        {"sl1. k2tog. psso", 3, 1},
        {"sl 2, k1, p2sso", 3, 1},
        {"sl1, k2, psso", 3, 2},
        {"p2so-yo-k1", 2, 2},
        {"p3so-k1-yo-k1", 3, 3},
        {"p3so-k1-yo-ssk", 4, 3},
        {"sl1-k1-yo-k1-psso", 3, 3},
        {"sl1-k1-yo-psso", 2, 2},
        {"sl1-k2-yo-psso", 3, 3},
        {"sl1-k3-psso", 4, 3},
        {"sl1-p2-psso", 3, 2},
        {"sl1-p3so-k2tog-yo-k1", 4, 3},
        {"yo-k2-pyo", 2, 2},
        {"yo-p3-pyo", 3, 3},
        {"2-to-9 gather", 2, 9},
        {"5-to-3 gather", 5, 3},
        {"3-to-3 gather", 3, 3},
        {"wrap 4 sts", 4, 4},
        {"2/2 left thread thru", 4, 4},
        {"3/3 purled right thread thru", 6, 6},
        {"bunny ears dec", 3, 2},
        {"bunny ears back yo", 3, 3},
        {"1/1 LSC", 2, 2},
        {"1/3 RSC", 4, 4},
        {"1/1 LSAC", 2, 2},
        {"1/1 RPT", 2, 2},
        {"1/1/1 LT", 3, 3},
        {"2/2 LC", 4, 4},
        {"2/2lc", 4, 4},
        {"4/3 RPC", 7, 7},
        {"2/2/2 RCC", 6, 6},
        {"3/1/3 LPC", 7, 7},
        {"C4F", 4, 4},
        {"t3b", 3, 3},
        {"MB", 1, 1},
        {"MK", 1, 1},
        {"drop st", 1, 0},
        {"k1 below", 1, 1},
        {"p1b", 1, 1},
        {"sl1 wb", 1, 1},
        {"PBk", 1, 1},
        {"SB", 0, 0},
        {"brSl", 1, 1},
        {"brk", 1, 1},
        {"sl1yo", 1, 1},
        {"k3 wrapping yarn twice", 3, 3},
        {"place marker", 0, 0},
        {"sm", 0, 0},
        {"p0", 0, 0},
        {"k1, turn, sl 1, p 3, turn, k4", 1, 1},
    };
    for (size_t i = 0; i < sizeof ENTRIES / sizeof ENTRIES[0]; ++i) {
        char text[160];
        snprintf(text, sizeof text, "Row 1: K3, %s, k3.", ENTRIES[i].text);
        HedChart chart = read_chart(text);
        int32_t left = 0;
        const HedChartRow* row = &chart.rows.data[chart.rows.count - 1];
        for (int32_t k = 0; k < row->count; ++k) {
            left += hed_stitch_produced(&chart.stitches.data[row->first + k]);
        }
        if (chart.rows.count == 1) {
            cr_assert_eq(chart.cast_on, 6 + ENTRIES[i].taken, "%s: %d", text, (int)chart.cast_on);
            cr_assert_eq(left, 6 + ENTRIES[i].left, "%s: %d", text, (int)left);
        }
        hed_chart_free(&chart);
    }
}

static HedStitch stitch_of(const char* word) {
    char text[80];
    snprintf(text, sizeof text, "Row 1: K1, %s, k1.", word);
    HedChart chart = read_chart(text);
    HedStitch stitch = chart.stitches.data[1];
    hed_chart_free(&chart);
    return stitch;
}

Test(knitspeak, crosses_as_cable_needles_make_them) {
    HedStitch s = stitch_of("1/2 LSC");
    cr_assert(s.kind == HED_STITCH_CABLE && s.front == 1 && s.back == 2 && s.is_left);
    cr_assert(s.is_front_slip && !s.is_back_purl);
    s = stitch_of("1/1 RSAC");
    cr_assert(s.is_front_slip && s.is_back_purl && !s.is_left);
    s = stitch_of("2/1 RPT");
    cr_assert(s.is_twisted && s.is_back_purl && s.front == 2 && s.back == 1);
    s = stitch_of("2/1/2 LPC"); // the middle alone is purled
    cr_assert(s.middle == 1 && s.is_middle_purl && !s.is_back_purl && !s.is_middle_over);
    s = stitch_of("2/1/2 LCC");
    cr_assert(s.middle == 1 && !s.is_middle_purl && s.is_middle_over);
    s = stitch_of("T3F");
    cr_assert(s.front == 2 && s.back == 1 && s.is_left && s.is_back_purl);
    s = stitch_of("sl2-k1-p2sso");
    cr_assert(s.kind == HED_STITCH_DECREASE && s.lean == HED_LEAN_CENTER && s.consumed == 3);
    s = stitch_of("(k1, p1, k1) in next st");
    cr_assert(s.increase == HED_INCREASE_ALTERNATE && s.produced == 3);
    s = stitch_of("(p1, yo, p1) in next st");
    cr_assert(s.increase == HED_INCREASE_YARN_OVER && s.is_purl);
    s = stitch_of("ctr dbl inc");
    cr_assert(s.increase == HED_INCREASE_PLAIN && s.produced == 3);
}

static void expect_note(const char* text, const char* words) {
    HedChart chart = read_chart(text);
    bool is_there = false;
    for (int32_t i = 0; i < chart.note_count; ++i) {
        is_there = is_there || strcmp(chart.notes[i], words) == 0;
    }
    cr_assert(is_there, "%s: %d notes, the first is '%s'", text, (int)chart.note_count,
              chart.note_count > 0 ? chart.notes[0] : "");
    hed_chart_free(&chart);
}

Test(knitspeak, what_is_odd_is_noted) {
    expect_note("Row 1: k4.\nRow 4: k4.\nRow 6: p4.",
                "rows 2-3, 5: they are missing, and left out");
    expect_note("Row 1: k4.\nRow 3: k4.", "row 2: it is missing, and left out");
    expect_note("Rows 1-2: k4.\nRow 2: p4.",
                "line 2: row 2 is told in line 1 too: the last one counts");
    expect_note("Row 1: k4.\nRow 2: MK, k2, mk.", "line 2: 'mk' is drawn as a plain stitch");
    expect_note("Row 1: k4.\nRow 2: k3 (4 sts), k1, yo (6 sts).",
                "line 2: row 2 says 6 sts, there are 5");
    expect_note("Row 1 (RS): k1, *k2, repeat from * to last 3 sts.",
                "line 1: row 1 does not say what becomes of its last 3 sts: they wait");
    expect_note("Lace\nRow 1: k4.", "line 1: what stands before the first row is not read");
    expect_note("Row 1: k4.\nFasten off.", "line 2: 'fasten ...' is not read");
    HedChart chart = read_chart("Row 1: k4, (as told).\nRow 2: p.");
    cr_assert_eq(chart.note_count, 0);
    hed_chart_free(&chart);
}

Test(knitspeak, rows_named_in_other_ways) {
    expect_rows("1st row: (RS). K4. 2nd and alt rows: Purl. 3rd row: Knit.", "1234", "rwrw");
    expect_rows("Row 1 (RS): k4.\nAll WS rows: Purl.\nRow 3: k4.\nRow 5: k4.", "123456", "rwrwrw");
    expect_rows("Row 1 (WS): k4.\nRow 2 and all even-numbered rows: Knit.\nRow 3: p4.", "1234",
                "wrwr");
    expect_rows("Set-up row (WS): k4.\nRow 1: p4.\nNext row: k4.", "012", "wrw");
    expect_rows("R1[WS] - k4\nR2 - p4", "12", "wr");
    expect_rows("Row 1: k4.\nRow 2: p4.\nRep last 2 rows once more.", "1212", "rwrw");
    expect_rows("Row 1: k4.\nBind off all sts loosely.", "12", "rw");
    // Each turn is another row of the same number.
    expect_rows("Row 0: CO 8. Row 1 (RS): k6, turn, p4, turn, k to end. Row 2: Purl.", "1112",
                "rwrw");
}

Test(knitspeak, turned_rows_leave_loops_on_the_needle) {
    HedChart chart =
        read_chart("Row 1 (RS): k9.\nRow 2: P6, w&t.\nRow 3: sl1 wyib, knit.\nRow 4: Purl.\n");
    cr_assert_eq(chart.cast_on, 9);
    const HedChartRow* row = &chart.rows.data[1];
    cr_assert_eq(chart.stitches.data[row->first + 5].kind, HED_STITCH_KNIT);
    cr_assert_eq(chart.stitches.data[row->first + 6].kind, HED_STITCH_WRAP);
    cr_assert_eq(chart.stitches.data[row->first + 7].kind, HED_STITCH_WAIT);
    row = &chart.rows.data[2]; // back again: three wait, six are worked
    cr_assert_eq(row->count, 9);
    cr_assert_eq(chart.stitches.data[row->first + 2].kind, HED_STITCH_WAIT);
    cr_assert_eq(chart.stitches.data[row->first + 3].kind, HED_STITCH_SLIP);
    cr_assert_eq(chart.stitches.data[chart.rows.data[3].first].kind, HED_STITCH_KNIT);
    HedLoops graph = {0};
    HedError error = {0};
    cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
    cr_assert_eq(graph.loops.count, 9 + 9 + 7 + 5 + 9); // cast on, what each row works, and a wrap
    cr_assert_eq(graph.live_count, 9);
    hed_loops_free(&graph);
    hed_chart_free(&chart);
}

// What a text comes to, drawn and proved.
static HedKnitReport build(const char* text) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    HedKnitReport report = {0};
    HedError error = {0};
    cr_assert_eq(hed_knitspeak_build(text, &def, &fabric, &report, &error), HED_OK, "%s",
                 error.message);
    cr_expect(report.is_proved, "%s", text);
    hed_fabric_free(&fabric);
    return report;
}

// Before it turns the yarn goes round the next loop: it passes in front of it and lies with it on
// the needle, and the row that works the loop takes up both.
Test(knitspeak, wraps_go_round_the_next_stitch) {
    static const char* const TEXTS[] = {
        "Cast on 12 sts. Row 1 (RS): Knit. Row 2 (WS): p8, w&t. Row 3: k4, wrap and turn. "
        "Row 4: purl to end. Row 5: Knit.",
        "Cast on 12 sts. Rnd 1: Knit. Rnd 2: k8, w&t, p4, w&t, k to end. Rnd 3: Knit.",
    };
    for (int32_t i = 0; i < 2; ++i) {
        HedChart chart = read_chart(TEXTS[i]);
        HedLoops graph = {0};
        HedError error = {0};
        int32_t wraps = 0;
        cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
        for (int32_t k = 0; k < graph.loops.count; ++k) {
            if (graph.loops.data[k].kind != HED_LOOP_TUCK) {
                continue;
            }
            ++wraps;
            const int32_t* above = hed_parents(&graph, hed_children(&graph, k)[0]);
            cr_expect_eq(hed_parent_count(&graph, hed_children(&graph, k)[0]), 2);
            cr_expect_eq(above[1], k);
            HedLoopStep step = graph.steps.data[graph.loop_steps[k] - 1];
            cr_expect(step.kind == HED_STEP_PASS_FRONT && step.loop == above[0]);
            step = graph.steps.data[graph.loop_steps[k] + 1]; // and back, past nothing
            cr_expect_eq(step.kind, HED_STEP_LOOP);
        }
        cr_expect_eq(wraps, 2);
        hed_loops_free(&graph);
        hed_chart_free(&chart);
        build(TEXTS[i]);
    }
}

// A bobble: five loops out of one, five worked back, one through all five. Its loops share the
// column of the stitch in whose place it is.
Test(knitspeak, bobbles_are_short_rows) {
    static const char* const TEXTS[] = {
        "Cast on 10 sts. Row 1 (RS): Knit. Row 2: Purl. Row 3: *k3, MB, k1, repeat from *. "
        "Row 4: Purl. Row 5: Knit.",
        "Cast on 10 sts. Rnd 1: Knit. Rnd 2: [k3, make bobble, k1] twice. Rnd 3: Knit.",
    };
    static const int32_t PLAIN[] = {10 + 5 * 10, 10 + 3 * 10};
    for (int32_t i = 0; i < 2; ++i) {
        HedChart chart = read_chart(TEXTS[i]);
        HedLoops graph = {0};
        HedError error = {0};
        int32_t closed = 0;
        cr_assert_eq(chart.note_count, 0);
        cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
        for (int32_t k = 0; k < graph.loops.count; ++k) {
            const int32_t* parents = hed_parents(&graph, k);
            if (hed_parent_count(&graph, k) < 2) {
                continue;
            }
            ++closed;
            cr_expect_eq(hed_parent_count(&graph, k), 5);
            for (int32_t n = 0; n < 5; ++n) {
                const HedLoop* one = &graph.loops.data[parents[n]];
                cr_expect_eq(hed_parent_count(&graph, parents[n]), 1);
                cr_expect_lt(fabs(one->wale - graph.loops.data[k].wale), 0.5);
                cr_expect_eq(one->bundle, 5);
            }
        }
        cr_expect_eq(closed, 2);
        hed_loops_free(&graph);
        hed_chart_free(&chart);
        cr_expect_eq(build(TEXTS[i]).loop_count, PLAIN[i] + 2 * 10);
    }
}

// Turned rows of rounds go back on the other side; the next round goes on where they began.
Test(knitspeak, short_rows_in_rounds) {
    const char* text = "Cast on 12 sts. Rnd 1: Knit. Rnd 2: k8, turn, p4, turn, k to end.";
    HedChart chart = read_chart(text);
    cr_assert_eq(chart.rows.count, 4);
    for (int32_t i = 0; i < 4; ++i) {
        cr_expect_eq(chart.rows.data[i].is_wrong_side, i == 2);
    }
    hed_chart_free(&chart);
    // The last row starts where the short one ended, after 4 of 12, and works 8.
    cr_expect_eq(build(text).loop_count, 12 + 12 + 8 + 4 + 8);
}

Test(knitspeak, loops_are_bound_off_as_the_author_counts) {
    // Of stitch maps: the loop that bound off the third stays before the k4, 13 = 5 + 3 + 1 + 4.
    HedChart chart = read_chart("Row 1: k13.\nRow 2: K5, BO 3 sts, k4.\nRow 3: knit.");
    expect_row(&chart, 1, "kkkkkbbbkkkkk");
    cr_assert_eq(chart.rows.data[2].count, 10);
    hed_chart_free(&chart);
    chart = read_chart("Row 1: k8.\nRow 2: BO 3 sts, k5.\n"); // here the five are all
    expect_row(&chart, 1, "bbbkkkkk");
    hed_chart_free(&chart);
    chart = read_chart("Row 1: *k2, p2; rep from * twice more.\nRow 2: BO.");
    cr_assert_eq(chart.cast_on, 12);
    expect_row(&chart, 1, "bbbbbbbbbbbb");
    hed_chart_free(&chart);
}

Test(knitspeak, yarns_have_names) {
    HedChart chart =
        read_chart("Row 1: With MC, knit 4.\nRow 2: p.\nRow 3: with CC, k2, with mc, k2.");
    cr_assert_eq(chart.yarn_count, 2);
    const HedStitch* row = chart.stitches.data + chart.rows.data[2].first;
    cr_assert(row[1].yarn == 1 && row[2].yarn == 0);
    hed_chart_free(&chart);
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
