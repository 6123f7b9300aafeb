// SPDX-License-Identifier: MIT
// Charts: text to stitches, widths, sides, and the loop graph that they make.
#include "base/alloc.h"
#include "heddle/knit.h"
#include "knit/chart_text.h"
#include "knit/pattern.h"

#include <criterion/criterion.h>
#include <string.h>

// Of wales, small multiples of a half: one or two sums.
static const double ROUNDING = 1e-15;

static HedChart read(const char* text, bool is_round) {
    HedChart chart;
    HedError error = {0};
    cr_assert_eq(hed_chart_read(text, "chart", is_round, &chart, &error), HED_OK, "%s",
                 error.message);
    return chart;
}

static HedLoops loops_of(const char* text, bool is_round) {
    HedChart chart = read(text, is_round);
    HedLoops graph = {0};
    HedError error = {0};
    cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
    hed_chart_free(&chart);
    return graph;
}

Test(chart, words_groups_and_stars_become_stitches) {
    HedChart c = read("# a comment\nco 10\n1: k2, [yo k2tog]x2 k*\nrow 2: p* # all\n"
                      "3: 2/1LPC [k p]* @2 k1\n",
                      false);
    cr_assert_eq(c.cast_on, 10);
    cr_assert_eq(c.rows.count, 3);
    cr_assert_eq(c.rows.data[0].count, 2 + 4 + 4); // 2 + 2 (1 + 1) + 4 loops taken
    cr_assert_eq(c.rows.data[1].count, 10);
    cr_assert_eq(c.rows.data[2].count, 1 + 6 + 1);
    cr_assert(c.rows.data[1].is_wrong_side);
    cr_assert_not(c.rows.data[2].is_wrong_side);
    cr_assert_eq(c.yarn_count, 2);
    const HedStitch* cable = &c.stitches.data[c.rows.data[2].first];
    cr_assert_eq(cable->kind, HED_STITCH_CABLE);
    cr_assert_eq(cable->front, 2);
    cr_assert_eq(cable->back, 1);
    cr_assert(cable->is_left && cable->is_back_purl);
    cr_assert_eq(c.rows.data[2].line, 5);
    hed_chart_free(&c);
    HedChart d = read("k 3 p3", true);
    cr_assert_eq(d.cast_on, 6, "as many as the first row takes");
    hed_chart_free(&d);
}

typedef struct Bad {
    const char* text;
    const char* words;
} Bad;

Test(chart, bad_text_is_refused_at_its_place) {
    const Bad bad[] = {
        {"", "at least one row"},
        {"k8\nk7 pp", "chart:2:4: unknown stitch 'pp'; the nearest name is 'p'"},
        {"k8\n[k2", "chart:2:4: a bracket is not closed"},
        {"k8\nk2]", "chart:2:3: a bracket closes that was not opened"},
        {"k8\nk* p*", "chart:2:5: only one '*'"},
        {"k8\n[k*]", "only one '*' can stand in a row, and not in brackets"},
        {"k*", "'*' needs a first line 'co'"},
        {"co 8\n[k3]*", "chart:2: the group with '*' takes 3 loops, but 8 of 8 are left"},
        {"co 4\n[yo]* k4", "takes 0 loops"},
        {"co 4\nk6 k*", "but -2 of 4 are left"},
        {"k8\n@0 k8", "chart:2:1: expected the number of a yarn"},
        {"k8\n!", "chart:2:1: expected a stitch, got '!'"},
        {"k99999999", "unknown stitch"},
        {"[[[k9999]x9999]x9999]x9999", "at most 1000000 stitches"},
        {"k0", "unknown stitch 'k0'"},
        {"13/2LC", "unknown stitch"},
        {"[[[[[[[[[[[[[[[[[k", "too deep"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        HedChart chart;
        HedError error = {0};
        cr_assert_eq(hed_chart_read(bad[i].text, "chart", false, &chart, &error), HED_PARSE, "%zu",
                     i);
        cr_assert(strstr(error.message, bad[i].words), "%zu: %s", i, error.message);
        hed_chart_free(&chart);
    }
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(chart, rows_that_do_not_fit_name_row_and_stitch) {
    const Bad bad[] = {
        {"k8\np7", "chart:2: row 2: its 7 stitches take 7 loops, but the row below leaves 8"},
        {"k8\np8\nk4 k2tog k3", "row 3, stitch 8 (knit or purl): takes loop 9"},
        {"m1 k8", "row 1, stitch 1 (make one): needs a loop on both sides"},
        {"k8\np5 bo3\nk5", "row 2 ends with loops bound off"},
        {"k8\nbo3 p5", "row 2: what follows a loop bound off"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        HedChart chart = read(bad[i].text, false);
        HedLoops graph = {0};
        HedError error = {0};
        cr_assert_neq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%zu", i);
        cr_assert(strstr(error.message, bad[i].words), "%zu: %s", i, error.message);
        hed_chart_free(&chart);
        hed_loops_free(&graph);
    }
}

Test(chart, flat_rows_turn_and_rounds_do_not) {
    // Knit on the wrong side is purl on the face: every other row of garter.
    HedLoops flat = loops_of("k3\nk3\nk3", false);
    cr_assert_eq(flat.loops.count, 12);
    cr_assert_eq(flat.live_count, 3);
    for (int32_t i = 3; i < 12; ++i) {
        const HedLoop* loop = &flat.loops.data[i];
        cr_assert_eq(loop->is_purl, loop->course == 2);
        cr_assert_eq(loop->is_leftward, loop->course != 2);
        cr_assert_eq(hed_parent_count(&flat, i), 1);
        // Straight above its parent.
        cr_assert_float_eq(loop->wale, flat.loops.data[hed_parents(&flat, i)[0]].wale, 1e-12);
    }
    // The cast-on ends where the first row begins, at the right.
    cr_assert_float_eq(flat.loops.data[2].wale, 2.0, 1e-12);
    cr_assert_float_eq(flat.loops.data[3].wale, 2.0, ROUNDING);
    hed_loops_free(&flat);
    HedLoops tube = loops_of("k3\nk3", true);
    cr_assert(tube.is_round);
    for (int32_t i = 0; i < tube.loops.count; ++i) {
        cr_assert(tube.loops.data[i].is_leftward);
        cr_assert_not(tube.loops.data[i].is_purl);
    }
    hed_loops_free(&tube);
}

// Parents of the only loop with two of them, from the face backwards.
static void find_pair(const HedLoops* g, double wales[2]) {
    for (int32_t i = 0; i < g->loops.count; ++i) {
        if (hed_parent_count(g, i) == 2) {
            wales[0] = g->loops.data[hed_parents(g, i)[0]].wale;
            wales[1] = g->loops.data[hed_parents(g, i)[1]].wale;
            return;
        }
    }
    cr_assert(false, "no decrease");
}

Test(chart, decreases_lean_as_their_names_say) {
    // k2tog leans to the right: the left loop lies on top. p2tog on the wrong side is the same seen
    // from the face; ssk and ssp lean to the left.
    const char* right[] = {"k4\np4\nk k2tog k", "k4\np p2tog p"};
    const char* left[] = {"k4\np4\nk ssk k", "k4\np ssp p"};
    for (int32_t i = 0; i < 2; ++i) {
        double wales[2];
        HedLoops g = loops_of(right[i], false);
        find_pair(&g, wales);
        cr_assert_lt(wales[0], wales[1], "%d", (int)i);
        hed_loops_free(&g);
        g = loops_of(left[i], false);
        find_pair(&g, wales);
        cr_assert_gt(wales[0], wales[1], "%d", (int)i);
        hed_loops_free(&g);
    }
}

Test(chart, a_left_cable_takes_its_front_loops_to_the_left) {
    HedLoops g = loops_of("k6\np6\nk 2/2LC k", false);
    cr_assert_eq(g.swaps.count, 4, "each of two passes each of two");
    for (int32_t i = 0; i < 4; ++i) {
        int32_t over = g.swaps.data[i].over;
        int32_t under = g.swaps.data[i].under;
        double to = g.loops.data[hed_children(&g, over)[0]].wale;
        cr_assert_float_eq(to, g.loops.data[over].wale - 2.0, ROUNDING);
        to = g.loops.data[hed_children(&g, under)[0]].wale;
        cr_assert_float_eq(to, g.loops.data[under].wale + 2.0, ROUNDING);
    }
    hed_loops_free(&g);
}

Test(chart, held_loops_are_passed_or_tucked) {
    HedLoops g = loops_of("k3\np sl p\nk3", false);
    int32_t passes = 0;
    for (int32_t i = 0; i < g.steps.count; ++i) {
        passes += g.steps.data[i].kind == HED_STEP_PASS_BEHIND;
        cr_assert_neq(g.steps.data[i].kind, HED_STEP_PASS_FRONT);
    }
    cr_assert_eq(passes, 1);
    cr_assert_eq(g.loops.count, 3 + 3 + 2 + 3);
    hed_loops_free(&g);
    HedLoops t = loops_of("k3\np ptuck p\nk3", false);
    for (int32_t i = 0; i < t.loops.count; ++i) {
        if (hed_parent_count(&t, i) == 2) { // the tuck was purled on the wrong side: it lies behind
            cr_assert_eq(t.loops.data[hed_parents(&t, i)[0]].course, 1);
            cr_assert_eq(t.loops.data[hed_parents(&t, i)[1]].kind, HED_LOOP_TUCK);
        }
    }
    hed_loops_free(&t);
}

Test(chart, bound_off_edges_are_chains_that_hold) {
    HedLoops g = loops_of("k4\np4\nbo4", false);
    cr_assert_eq(g.live_count, 0);
    int32_t bound = 0;
    for (int32_t i = 0; i < g.loops.count; ++i) {
        bound += g.loops.data[i].kind == HED_LOOP_BIND_OFF;
    }
    cr_assert_eq(bound, 3, "the first is a stitch, the others go through it and each other");
    cr_assert_eq(g.loops.data[g.loops.count - 1].kind, HED_LOOP_END);
    hed_loops_free(&g);
}

Test(chart, made_ones_lift_the_yarn_between_two_loops) {
    HedLoops g = loops_of("k4\np4\nk2 m1 k2", false);
    int32_t lifted = -1;
    for (int32_t i = 0; i < g.loops.count; ++i) {
        lifted = g.loops.data[i].kind == HED_LOOP_LIFTED ? i : lifted;
    }
    cr_assert_geq(lifted, 0);
    cr_assert_eq(g.loops.data[lifted].course, 2);
    cr_assert_float_eq(g.loops.data[lifted].wale, 1.5, ROUNDING);
    cr_assert_eq(hed_child_count(&g, lifted), 1);
    cr_assert_eq(g.live_count, 5);
    hed_loops_free(&g);
}

Test(chart, every_pattern_has_the_loops_it_should) {
    enum { ROWS = 9, STITCHES = 14 };
    HedPatternSize size = {.rows = ROWS, .stitches = STITCHES};
    int32_t count = 0;
    for (; hed_knit_pattern_name(count); ++count) {
        HedChart chart;
        HedLoops graph = {0};
        HedError error = {0};
        const char* name = hed_knit_pattern_name(count);
        if (strcmp(name, HED_PATTERN_SWEATER) == 0) {
            cr_assert_eq(hed_pattern_chart(name, &size, &chart, &error), HED_INVALID);
            continue; // no chart: test_embed.c
        }
        cr_assert_eq(hed_pattern_chart(name, &size, &chart, &error), HED_OK, "%s", error.message);
        cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
        cr_assert_eq(graph.loops.count, (ROWS + 1) * STITCHES, "%s", name);
        cr_assert_eq(graph.live_count, STITCHES, "%s", name);
        hed_loops_free(&graph);
        hed_chart_free(&chart);
    }
    cr_assert_geq(count, 12);
    HedChart chart;
    HedError error = {0};
    cr_assert_eq(hed_pattern_chart("stokinette", &size, &chart, &error), HED_INVALID);
    cr_assert(strstr(error.message, "the nearest name is 'stockinette'"), "%s", error.message);
    size.stitches = 1;
    cr_assert_eq(hed_pattern_chart("seed", &size, &chart, &error), HED_INVALID);
}

Test(chart, every_failed_allocation_is_told_and_nothing_leaks) {
    const char* text =
        "co 6\n@1 k2 @2 k2 @1 k2\np*\nk m1 k2tog k2 kfb\np*\nsl2 tuck*\n1/1LC k*\nbo7";
    int64_t n = 1;
    for (;; ++n) {
        HedChart chart;
        HedLoops graph = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_chart_read(text, "chart", false, &chart, &error);
        if (status == HED_OK) {
            status = hed_chart_loops(&chart, &graph, &error);
        }
        hed_alloc_fail_at(0);
        hed_chart_free(&chart);
        hed_loops_free(&graph);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s", error.message);
        if (status == HED_OK) {
            break;
        }
    }
    cr_assert_gt(n, 20);
}
