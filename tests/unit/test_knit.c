// SPDX-License-Identifier: MIT
// Knitted yarns: crossings as the loop graph asks for, in the order and with the sides of a knit
// stitch; lengths; tubes; and a check that notices when a yarn runs differently.
#include "base/alloc.h"
#include "knit/chart_text.h"
#include "knit/knit.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static HedKnitDef pattern(const char* name, int32_t rows, int32_t stitches) {
    HedKnitDef def = hed_knit_def_default();
    def.pattern = name;
    def.rows = rows;
    def.stitches = stitches;
    return def;
}

static HedKnitReport build(const HedKnitDef* def, HedFabric* fabric) {
    HedError error = {0};
    HedKnitReport report = {0};
    cr_assert_eq(hed_knit_create(def, fabric, &report, &error), HED_OK, "%s: %s",
                 def->pattern ? def->pattern : def->chart, error.message);
    return report;
}

// hed_knit_create proves that every loop goes through its parents; here the curves are also
// compared with the list of crossings, by the check that all fabrics share.
Test(knit, every_pattern_runs_as_its_graph_says, .timeout = 60) {
    for (int32_t i = 0; hed_knit_pattern_name(i); ++i) {
        for (int32_t bind_off = 0; bind_off < 2; ++bind_off) {
            HedKnitDef def = pattern(hed_knit_pattern_name(i), 9, 11);
            if (strcmp(def.pattern, "raglan-sweater") == 0) {
                continue; // it has no rows of one width: test_embed.c
            }
            def.bind_off = bind_off == 1;
            HedFabric fabric;
            HedError error = {0};
            HedKnitReport report = build(&def, &fabric);
            cr_assert_eq(report.live_count, bind_off ? 0 : 11);
            cr_assert_eq(report.loop_count, 10 * 11 + (bind_off ? 12 : 0));
            if (strcmp(def.pattern, "tube") != 0) {
                cr_assert_eq(hed_fabric_check(&fabric, &error), HED_OK, "%s: %s", def.pattern,
                             error.message);
            }
            hed_fabric_free(&fabric);
        }
    }
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// All kinds of stitches, next to each other and on both sides.
Test(knit, every_kind_of_stitch_runs_as_its_graph_says) {
    static const char* const CHARTS[] = {
        "k8\np8\nk2 k2tog ssk k2\np*\nk*\nbo6",
        "k8\np8\nk2 cdd k3\np*\nk*",
        "k8\np2tog p4 ssp\nk*",
        "k8\np8\nk3tog k2 sssk\np*\nk*",
        "k8\np8\nk3 kfb k4\np*\nk*\np*",
        "k8\np8\nkfb pfb k4 kfb k\np*\nk*",
        "k8\np8\nk3 m1 k4 m1p k1\np*\nk*\np*",
        "k8\n[yo k2tog]*\nk*\n[ssk yo]*\nk*",
        "k8\nyo2 k8\n",
        "k8\np8\nk3 sl k4\np4 sl p3\nk*",
        "k8\np8\nk3 slf2 k3\np*\nk*",
        "k8\np8\np3 sl2 p3\np*\nk*",
        "k8\np8\nk3 tuck k4\np4 tuck p3\nk*",
        "k8\np8\np3 ptuck p4\np*\nk*",
        "k8\np8\nk2 2/2RC k2\np*\nk*",
        "k8\np8\nk2 1/1LC k4\np*\nk*",
        "k8\np8\nk2 2/1LPC k3\np*\nk*",
        "k8\np8\nk1 2/1/2RPC k2\np*\nk*",
        "co 12\n[k1 p1]*\n[k1 p1]*\nk2 3/3LC k4\np*\nk1 3/3RC k*\np*",
        "k8\np8\nktbl*\nptbl*\nk*",
        "@1 k2 @2 k3 @1 k3\n@2 p4 @1 p4\n@1 k3 @2 k5",
        "k8\np*\nbo2 k6\npbo2 p4\nk*",
        "k5\nco2 p5\nk*",
    };
    for (size_t i = 0; i < sizeof CHARTS / sizeof CHARTS[0]; ++i) {
        HedKnitDef def = hed_knit_def_default();
        HedFabric fabric;
        HedError error = {0};
        def.chart = CHARTS[i];
        build(&def, &fabric);
        cr_assert_eq(hed_fabric_check(&fabric, &error), HED_OK, "%s", error.message);
        hed_fabric_free(&fabric);
    }
}

// A plain loop meets eight crossings; along its yarn: two as it comes through the loop below, four
// with the loop above, two as it goes back. Knit: behind, in front | in front, behind, behind, in
// front | in front, behind (the loop above is in front where this one is behind).
Test(knit, a_knit_stitch_has_its_crossings_in_order) {
    HedKnitDef def = pattern("stockinette", 5, 5);
    def.bind_off = false;
    HedFabric f;
    build(&def, &f);
    // Four per stitch, and one where each loop cast on turns around itself.
    cr_assert_eq(f.crossing_count, 4 * 5 * 5 + 5);
    cr_assert_eq(f.yarn_count, 1);
    // The yarn's visits: 5 loops cast on with 4 + 2 each, then rows of 8 per loop, the last of 4.
    cr_assert_eq(f.first_visits[1], 5 * 6 + 4 * 5 * 8 + 5 * 4);
    const bool over[8] = {false, true, true, false, false, true, true, false};
    for (int32_t loop = 0; loop < 20; ++loop) {
        for (int32_t k = 0; k < 8; ++k) {
            HedFabricVisit visit = f.visits[30 + 8 * loop + k];
            cr_assert_eq(visit.is_over, over[k], "loop %d, crossing %d", (int)loop, (int)k);
        }
    }
    hed_fabric_free(&f);
}

Test(knit, a_purl_stitch_is_the_other_side_of_a_knit_one) {
    HedKnitDef def = pattern("reverse-stockinette", 5, 5);
    def.bind_off = false;
    HedFabric f;
    build(&def, &f);
    const bool over[8] = {true, false, false, true, true, false, false, true};
    for (int32_t i = 0; i < 20 * 8; ++i) {
        cr_assert_eq(f.visits[30 + i].is_over, over[i % 8], "%d", (int)i);
    }
    hed_fabric_free(&f);
}

// The plain stitch has the length that was asked for; edges are the difference in a fabric.
Test(knit, loops_have_the_length_asked_for) {
    const double lengths[] = {14e-3, 16.66e-3, 25e-3};
    for (int32_t i = 0; i < 3; ++i) {
        HedKnitDef def = pattern("tube", 12, 24);
        HedFabric f;
        def.bind_off = false;
        def.loop_length = lengths[i];
        HedKnitReport report = build(&def, &f);
        // Cast-on loops and the two ends: within 1 % of it. The polyline cuts corners: 0.3 %.
        cr_assert_float_eq(report.loop_length, lengths[i], 0.015 * lengths[i], "%g",
                           report.loop_length);
        // Courses and wales per loop length: dry relaxed plain knits have 5.0 and 3.8 (Munden
        // 1959), fully relaxed ones 5.5 and 4.2.
        cr_assert(lengths[i] / report.wale_spacing > 3.6 && lengths[i] / report.wale_spacing < 4.3);
        cr_assert(lengths[i] / report.course_spacing > 4.7 &&
                  lengths[i] / report.course_spacing < 5.6);
        hed_fabric_free(&f);
    }
}

Test(knit, yarns_of_plain_patterns_hardly_touch) {
    static const char* const NAMES[] = {"stockinette", "garter", "seed", "rib-1x1", "rib-2x2"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        HedKnitDef def = pattern(NAMES[i], 8, 9);
        HedFabric f;
        def.bind_off = false;
        HedKnitReport report = build(&def, &f);
        // Only the edges overlap: turns by a tenth of the diameter, what was cast on by a quarter.
        cr_assert_gt(report.gap, -0.3e-3, "%s: %g m", NAMES[i], report.gap);
        hed_fabric_free(&f);
    }
}

Test(knit, a_tube_closes_and_has_the_radius_of_its_loops) {
    enum { STITCHES = 30, ROWS = 6 };
    HedKnitDef def = pattern("tube", ROWS, STITCHES);
    def.bind_off = false;
    HedFabric f;
    HedKnitReport report = build(&def, &f);
    // Four per stitch, one per loop cast on, and one where the end of the yarn lies over the round.
    cr_assert_eq(f.crossing_count, 4 * ROWS * STITCHES + STITCHES + 1);
    double radius = STITCHES * report.wale_spacing / (2.0 * PI);
    for (int32_t i = 0; i < f.point_count; ++i) {
        double r = hypot(f.points[i].x, f.points[i].z);
        // The depth of a loop: 0.74 diameters, 0.6 more where loops cast on are twisted.
        cr_assert_float_eq(r, radius, 1.4e-3, "%g %g", r, radius);
    }
    hed_fabric_free(&f);
}

Test(knit, rounds_that_grow_make_a_wider_tube) {
    HedKnitDef def = hed_knit_def_default();
    def.chart = "co 12\nk*\nk*\n[k kfb]*\nk*\nk*\nk*\nk*";
    def.is_round = true;
    HedFabric f;
    build(&def, &f);
    double first = hypot(f.points[0].x, f.points[0].z);
    const HedVec3 last = f.points[f.point_count - 1];
    cr_assert_gt(hypot(last.x, last.z), 1.3 * first); // 18 loops instead of 12
    hed_fabric_free(&f);
}

typedef struct Drawn {
    HedLoops graph;
    HedKnitPlan plan;
    HedFabric sheet;
    HedLoopSpan spans[400];
} Drawn;

static void draw(const char* text, Drawn* d) {
    HedError error = {0};
    HedChart chart;
    HedStitchShape shape;
    *d = (Drawn){0};
    cr_assert_eq(hed_chart_read(text, "chart", false, &chart, &error), HED_OK);
    cr_assert_eq(hed_chart_loops(&chart, &d->graph, &error), HED_OK);
    cr_assert_eq(hed_stitch_shape(16e-3, 1e-3, &shape, &error), HED_OK);
    cr_assert_eq(hed_knit_plan(&d->graph, &shape, false, &d->plan, &error), HED_OK);
    HedFabricYarn yarn = {.diameter = 1e-3};
    cr_assert_eq(hed_knit_draw(&d->plan, &yarn, 24, &d->sheet, d->spans, &error), HED_OK);
    hed_chart_free(&chart);
}

static HedStatus check(Drawn* d, HedError* error) {
    HedStatus status = hed_knit_cross(&d->plan, d->spans, &d->sheet, error);
    return status == HED_OK ? hed_knit_check(&d->plan, &d->sheet, d->spans, error) : status;
}

static void drop(Drawn* d) {
    hed_fabric_free(&d->sheet);
    hed_knit_plan_free(&d->plan);
    hed_loops_free(&d->graph);
}

// The proof must fail when yarn and graph differ: turned over as a whole, one head moved to the
// other side, one loop drawn out of the one below it, another graph.
Test(knit, yarns_that_run_differently_are_noticed) {
    static Drawn d;
    HedError error = {0};
    const char* text = "k6\np6\nk6\np6";
    draw(text, &d);
    cr_assert_eq(check(&d, &error), HED_OK, "%s", error.message);
    drop(&d);

    draw(text, &d);
    for (int32_t i = 0; i < d.sheet.point_count; ++i) {
        d.sheet.points[i].z *= -1.0;
    }
    cr_assert_eq(check(&d, &error), HED_INVALID);
    cr_assert(strstr(error.message, "is not pulled through"), "%s", error.message);
    drop(&d);

    int32_t loop = 15;
    draw(text, &d);
    for (int32_t i = (int32_t)d.spans[loop].start; i < d.spans[loop].end; ++i) {
        bool is_head = fabs(i - d.spans[loop].apex) < 3.0;
        d.sheet.points[i].z += is_head ? 5e-3 : 0.0;
    }
    cr_assert_eq(check(&d, &error), HED_INVALID);
    cr_assert(strstr(error.message, "loop 15 ("), "%s", error.message);
    drop(&d);

    draw(text, &d);
    for (int32_t i = (int32_t)d.spans[loop].start + 1; i < d.spans[loop].end; ++i) {
        d.sheet.points[i].z += 8e-3; // all of it in front of everything
    }
    cr_assert_eq(check(&d, &error), HED_INVALID);
    drop(&d);

    draw(text, &d);
    d.graph.loops.data[loop].is_purl = !d.graph.loops.data[loop].is_purl;
    cr_assert_eq(check(&d, &error), HED_INVALID);
    cr_assert(strstr(error.message, "loop 15 ("), "%s", error.message);
    drop(&d);
}

Test(knit, cables_on_the_wrong_side_are_noticed) {
    static Drawn d;
    HedError error = {0};
    draw("k8\np8\nk2 2/2LC k2\np8", &d);
    HedLoopSwap* swap = &d.graph.swaps.data[0];
    *swap = (HedLoopSwap){swap->under, swap->over};
    cr_assert_eq(check(&d, &error), HED_INVALID);
    cr_assert(strstr(error.message, "does not pass in front of"), "%s", error.message);
    drop(&d);
}

Test(knit, the_gap_is_that_of_the_closest_yarns) {
    HedFabric f = {0};
    HedError error = {0};
    HedFabricYarn yarn = {.diameter = 2e-3};
    const HedVec3 points[3][2] = {{{0, 0, 0}, {0.1, 0, 0}},
                                  {{0.05, -0.1, 0.0025}, {0.05, 0.1, 0.0025}},
                                  {{0.02, -0.1, -0.0045}, {0.02, 0.1, -0.0045}}};
    for (int32_t i = 0; i < 3; ++i) {
        cr_assert_eq(hed_fabric_add_yarn(&f, &yarn, &error), HED_OK);
        for (int32_t k = 0; k <= 40; ++k) {
            HedVec3 x = hed_lerp3(points[i][0], points[i][1], k / 40.0);
            cr_assert_eq(hed_fabric_add_point(&f, x, &error), HED_OK);
        }
    }
    double gap = 0.0;
    cr_assert_eq(hed_fabric_gap(&f, 3.0, &gap, &error), HED_OK);
    // Rounding of 2.5 mm less 2 mm.
    cr_assert_float_eq(gap, 0.5e-3, 1e-16);
    hed_fabric_free(&f);
}

Test(knit, defs_that_cannot_be_are_refused) {
    HedFabric f;
    HedError error = {0};
    HedKnitDef def = pattern("stockinette", 4, 4);
    def.loop_length = 5e-3;
    cr_assert_eq(hed_knit_create(&def, &f, NULL, &error), HED_INVALID);
    cr_assert(strstr(error.message, "at least 12 times"), "%s", error.message);
    def = pattern("stockinette", 4, 4);
    def.diameter = (double)NAN;
    cr_assert_eq(hed_knit_create(&def, &f, NULL, &error), HED_INVALID);
    def = pattern("stockinette", 4, 4);
    def.points_per_loop = 2;
    cr_assert_eq(hed_knit_create(&def, &f, NULL, &error), HED_INVALID);
    def = pattern(NULL, 4, 4);
    cr_assert_eq(hed_knit_create(&def, &f, NULL, &error), HED_INVALID);
    def.stamp = 0;
    cr_assert_eq(hed_knit_create(&def, &f, NULL, &error), HED_INVALID);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(knit, every_failed_allocation_is_told_and_nothing_leaks, .timeout = 60) {
    int64_t n = 1;
    for (;; n += n < 60 ? 1 : 7) {
        HedKnitDef def = pattern("tube", 2, 4);
        HedFabric f;
        HedKnitReport report;
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_knit_create(&def, &f, &report, &error);
        hed_alloc_fail_at(0);
        hed_fabric_free(&f);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s", error.message);
        if (status == HED_OK) {
            break;
        }
    }
    cr_assert_gt(n, 30);
}

// A row that takes twice as many loops as it leaves is spread over the one below: yarn grows with
// the number of stitches, not with its square. Only the ends of the rows differ.
Test(knit, gathered_rows_are_spread) {
    static const char* const ROWS[] = {"k2tog*", "kfb*"};
    for (int32_t k = 0; k < 2; ++k) {
        double lengths[2];
        for (int32_t i = 0; i < 2; ++i) {
            char chart[64];
            HedKnitDef def = hed_knit_def_default();
            HedFabric fabric = {0};
            HedKnitReport report;
            HedError error = {0};
            snprintf(chart, sizeof chart, "co %d\n%s\np*\n", i == 0 ? 120 : 480, ROWS[k]);
            def.chart = chart;
            cr_assert_eq(hed_knit_create(&def, &fabric, &report, &error), HED_OK, "%s",
                         error.message);
            cr_expect(report.is_proved);
            lengths[i] = report.loop_length;
            hed_fabric_free(&fabric);
        }
        // A loop of 120 is at an end of its row, and each end has less than a loop of yarn.
        cr_expect_float_eq(lengths[0], lengths[1], 0.05 * lengths[1], "%g %g", lengths[0],
                           lengths[1]);
    }
}
