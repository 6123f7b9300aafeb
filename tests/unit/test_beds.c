// SPDX-License-Identifier: MIT
// Programs of ordinary kinds are drawn and proved; those that rows and columns cannot show hang
// between the beds of the machine.
#include "base/alloc.h"
#include "heddle/knitout.h"
#include "knit/beds.h"
#include "knit/chart_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD ";!knitout-2\n;;Carriers: 1 2 3\n"

static char text[16384];

static void begin(void) {
    snprintf(text, sizeof text, HEAD "in 1\nin 2\n");
}

static void add(const char* format, int32_t number, int32_t carrier) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, format, (int)number, (int)carrier);
}

// From needle a to needle b.
static void row(const char* format, int32_t a, int32_t b, int32_t carrier) {
    for (int32_t k = a; k != b; k += a < b ? 1 : -1) {
        add(format, k, carrier);
    }
    add(format, b, carrier);
}

// Draws the text, which must be proved; its yarns are longer than two needles are wide per loop.
static HedKnitReport drawn(void) {
    HedKnitout* program = NULL;
    HedError error = {0};
    cr_assert_eq(hed_knitout_parse(text, strlen(text), "p.k", &program, &error), HED_OK, "%s",
                 error.message);
    HedKnitDef def = hed_knit_def_default();
    HedKnitReport report = {0};
    HedFabric fabric = {0};
    HedStatus status = hed_knitout_build(program, &def, &fabric, &report, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert(report.is_proved, "%s", fabric.note_count > 0 ? fabric.notes[0] : "no proof");
    hed_fabric_free(&fabric);
    hed_knitout_destroy(program);
    return report;
}

static void on_beds(void) {
    cr_assert_str_eq(drawn().drawing, "needle beds");
}

// Two colours in front, every other needle behind by turns.
Test(beds, birdseye_jacquard) {
    begin();
    row("tuck - f%d %d\n", 4, 1, 1);
    row("tuck + b%d %d\n", 1, 4, 1);
    for (int32_t r = 0; r < 6; ++r) {
        bool is_left = r % 4 >= 2;
        for (int32_t n = 0; n < 4; ++n) {
            int32_t k = is_left ? 4 - n : n + 1;
            if ((k * 5 + r / 2) % 3 % 2 == r % 2) {
                add(is_left ? "knit - f%d %d\n" : "knit + f%d %d\n", k, r % 2 + 1);
            }
            if ((k + r) % 2 == 0) {
                add(is_left ? "knit - b%d %d\n" : "knit + b%d %d\n", k, r % 2 + 1);
            }
        }
    }
    on_beds();
}

// A sheet on each bed; the yarn of the front one is tucked into the other at one edge.
Test(beds, linked_sheets) {
    begin();
    row("knit - f%d %d\n", 5, 1, 1);
    row("knit - b%d %d\n", 5, 1, 2);
    for (int32_t r = 0; r < 3; ++r) {
        row("knit + f%d %d\n", 1, 5, 1);
        add("tuck + b%d %d\n", 5, 1);
        row("knit + b%d %d\n", 1, 5, 2);
        row("knit - f%d %d\n", 5, 1, 1);
        row("knit - b%d %d\n", 5, 1, 2);
    }
    drawn();
}

// Zigzag over both beds, then all loops to the front.
Test(beds, tuck_cast_on) {
    begin();
    for (int32_t k = 1; k <= 6; ++k) {
        add(k % 2 ? "tuck + f%d %d\n" : "tuck + b%d %d\n", k, 1);
    }
    row("knit - f%d %d\n", 6, 1, 1);
    for (int32_t k = 2; k <= 6; k += 2) {
        add("xfer b%d f%d\n", k, k);
    }
    row("knit + f%d %d\n", 1, 6, 1);
    row("knit - f%d %d\n", 6, 1, 1);
    drawn();
}

// A cord that moves one needle on in each row and leaves a loop behind.
Test(beds, cord_cast_on) {
    begin();
    row("knit + f%d %d\n", 1, 3, 1);
    for (int32_t k = 1; k <= 5; ++k) {
        for (int32_t n = k; n < k + 3; ++n) {
            add("xfer f%d b%d\n", n, n);
        }
        strcat(text, "rack 1\n");
        for (int32_t n = k; n < k + 3; ++n) {
            add("xfer b%d f%d\n", n, n + 1);
        }
        strcat(text, "rack 0\n");
        add("tuck + f%d %d\n", k, 1);
        row("knit + f%d %d\n", k + 1, k + 3, 1);
    }
    row("knit - f%d %d\n", 8, 1, 1);
    drawn();
}

// Loops wait on the other bed for four rows and are then knitted with those in front.
Test(beds, pleats) {
    begin();
    row("knit + f%d %d\n", 1, 6, 1);
    row("knit - f%d %d\n", 6, 1, 1);
    for (int32_t k = 1; k <= 6; ++k) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "split + f%d b%d 1\n", (int)k, (int)k);
    }
    for (int32_t r = 0; r < 2; ++r) {
        row("knit - f%d %d\n", 6, 1, 1);
        row("knit + f%d %d\n", 1, 6, 1);
    }
    for (int32_t k = 1; k <= 6; ++k) {
        add("xfer b%d f%d\n", k, k);
    }
    row("knit - f%d %d\n", 6, 1, 1);
    on_beds();
}

// Two loops pass each other and come back, with a row of another yarn between them.
Test(beds, loops_that_pass_twice) {
    begin();
    row("knit + f%d %d\n", 1, 2, 1);
    strcat(text, "xfer f1 b1\nrack 2\nxfer b1 f3\nrack 0\nknit + f2 2\nxfer f3 b3\nrack -2\n"
                 "xfer b3 f1\nrack 0\n");
    row("knit - f%d %d\n", 2, 1, 1);
    drawn();
}

// Loops on one needle keep their order in depth when they go to the other bed and back.
Test(beds, stacks_go_to_and_fro) {
    begin();
    row("knit + f%d %d\n", 1, 3, 1);
    strcat(text, "tuck - f2 1\ntuck + f2 2\nxfer f2 b2\nxfer b2 f2\nxfer f2 b2\n");
    row("knit + f%d %d\n", 3, 3, 1);
    strcat(text, "knit - b2 1\nknit - f1 1\n");
    drawn();
}

// Every allocation of a drawing may fail.
Test(beds, memory_may_run_out) {
    begin();
    row("knit + f%d %d\n", 1, 3, 1);
    row("knit - f%d %d\n", 3, 1, 1);
    strcat(text, "split + f1 b1 1\nsplit + f2 b2 1\nrack 1\nrack 0\nknit - f2 1\nknit - f1 1\n"
                 "xfer b1 f1\nxfer b2 f2\nknit + f1 1\nknit + f2 1\ndrop f1\n");
    HedKnitout* program = NULL;
    HedError error = {0};
    cr_assert_eq(hed_knitout_parse(text, strlen(text), "p.k", &program, &error), HED_OK);
    int64_t before = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; n += 7) {
        HedKnitDef def = hed_knit_def_default();
        HedFabric fabric = {0};
        hed_alloc_fail_at(n);
        status = hed_knitout_build(program, &def, &fabric, NULL, &error);
        hed_alloc_fail_at(0);
        hed_fabric_free(&fabric);
        cr_assert_eq(hed_alloc_stats().live_count, before, "failure %d", (int)n);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 15);
    hed_knitout_destroy(program);
}

// --- charts: rows that are knitted by hand

static HedLoops graph_of(const char* rows) {
    HedChart chart = {0};
    HedLoops graph = {0};
    HedError error = {0};
    cr_assert_eq(hed_chart_read(rows, "chart", false, &chart, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_chart_loops(&chart, &graph, &error), HED_OK, "%s", error.message);
    hed_chart_free(&chart);
    return graph;
}

// Each draws its yarns on the beds, proved.
Test(beds, rows_that_a_sheet_cannot_show) {
    static const char* const CHARTS[] = {
        "co 6\n@1 k6\n@1 p6\n@2 k6\n@2 p6\n@1 k6\n@1 p6\n", // stripes
        "co 9\n@1 k1 @2 k2 @1 k1 @2 k1 @1 k2 @2 k1 @1 k1\n@1 k3 @2 k2 @1 k4\n"
        "@1 k1 @2 k7 @1 k1\n@1 k4 @2 k4 @1 k1\n", // colours in garter
        "co 8\nk sl slf k slf sl k k\np8\nk slf sl p sl sl p k\np8\nbo*\n",
        "co 8\nk yo yo ssk k k2tog k2\nk p6 k\nk4 yo yo sk2p k\np8\n",
        "co 6\nk6\np6\nk 2/2LC k\np6\n",       // loops that change places
        "co 6\nk6\np6\nk2 1/2RPC k\np6\nk6\n", // of knit and purl
    };
    for (size_t i = 0; i < sizeof CHARTS / sizeof *CHARTS; ++i) {
        HedLoops graph = graph_of(CHARTS[i]);
        HedBedLog log = {0};
        HedError error = {0};
        cr_assert_eq(hed_bed_log_of_rows(&graph, &log, &error), HED_OK, "%s", error.message);
        HedKnitDef def = hed_knit_def_default();
        HedKnitPlan plan = {.graph = &graph, .log = &log};
        HedLoopSpan spans[64];
        HedFabric fabric = {0};
        HedFabricYarn yarn = {.diameter = def.diameter};
        cr_assert_leq(graph.loops.count, 64);
        hed_stitch_shape(hed_knit_loop_length(&def), def.diameter, &plan.shape, &error);
        cr_assert_eq(hed_bed_draw(&plan, &yarn, 24, &fabric, spans, &error), HED_OK);
        cr_assert_eq(hed_knit_cross(&plan, spans, &fabric, &error), HED_OK, "%s", error.message);
        cr_assert_eq(hed_knit_check(&plan, &fabric, spans, &error), HED_OK, "%d: %s", (int)i,
                     error.message);
        hed_fabric_free(&fabric);
        hed_bed_log_free(&log);
        hed_loops_free(&graph);
    }
}

// What a loop comes through hangs on the front bed for a knit stitch and on the back one for purl,
// in the column of that stitch; a loop leaves its needle once, if one comes through it.
Test(beds, rows_are_knitted_where_their_loops_hang) {
    HedLoops graph = graph_of("co 8\nk yo yo ssk k k2tog k2\nk p6 k\nk4 yo yo sk2p k\nbo*\n");
    HedBedLog log = {0};
    HedError error = {0};
    HedBedEvent at[64];
    int32_t taken[64] = {0};
    cr_assert_leq(graph.loops.count, 64);
    cr_assert_eq(hed_bed_log_of_rows(&graph, &log, &error), HED_OK, "%s", error.message);
    for (int32_t i = 0; i < log.events.count; ++i) {
        HedBedEvent e = log.events.data[i];
        if (e.kind == HED_BED_TAKEN) {
            int32_t child = hed_children(&graph, e.loop)[0];
            cr_assert_eq(at[e.loop].is_back, graph.loops.data[child].is_purl);
            cr_assert_eq(at[e.loop].wale, graph.loops.data[child].wale); // a copy
            cr_assert_eq(at[child].operation, e.operation);
            ++taken[e.loop];
        } else if (e.kind != HED_BED_MADE) {
            cr_assert_eq(taken[e.loop], 0, "loop %d moves after it was taken", (int)e.loop);
        }
        at[e.loop] = e;
    }
    for (int32_t i = 0; i < graph.loops.count; ++i) {
        cr_assert_eq(taken[i], hed_child_count(&graph, i));
    }
    hed_bed_log_free(&log);
    hed_loops_free(&graph);
}

Test(beds, what_does_not_hang_on_two_beds_is_refused) {
    static const char* const CHARTS[] = {"rounds\nco 6\nk6\nk6\n", "co 4\nk kfb k2\np5\n"};
    for (size_t i = 0; i < sizeof CHARTS / sizeof *CHARTS; ++i) {
        HedLoops graph = graph_of(CHARTS[i]);
        HedBedLog log = {0};
        HedError error = {0};
        cr_assert_eq(hed_bed_log_of_rows(&graph, &log, &error), HED_INVALID);
        hed_bed_log_free(&log);
        hed_loops_free(&graph);
    }
}

Test(beds, memory_may_run_out_for_rows) {
    int64_t before = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedLoops graph = graph_of("co 4\n@1 k4\n@1 p4\n@2 k sl k2\n@2 p4\n");
        HedBedLog log = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        status = hed_bed_log_of_rows(&graph, &log, &error);
        hed_alloc_fail_at(0);
        hed_bed_log_free(&log);
        hed_loops_free(&graph);
        cr_assert_eq(hed_alloc_stats().live_count, before, "failure %d", (int)n);
    }
    cr_assert_eq(status, HED_OK);
    cr_assert_gt(n, 4); // three arrays and the log
}
