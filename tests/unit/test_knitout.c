// SPDX-License-Identifier: MIT
// Knitout programs: the loop graph they make, and what no machine can do.
#include "base/alloc.h"
#include "heddle/knitout.h"
#include "knit/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ";!knitout-2\n;;Carriers: 1 2\n"

static HedKnitout* parse(const char* text) {
    HedKnitout* program = NULL;
    HedError error = {0};
    cr_assert_eq(hed_knitout_parse(text, strlen(text), "p", &program, &error), HED_OK, "%s",
                 error.message);
    return program;
}

static bool has_note(const HedKnitout* program, const char* words) {
    for (int32_t i = 0; i < hed_knitout_note_count(program); ++i) {
        if (strstr(hed_knitout_note(program, i), words)) {
            return true;
        }
    }
    return false;
}

// The graph of a program is its first member.
static const HedLoops* graph_of(const HedKnitout* program) {
    return (const HedLoops*)program;
}

Test(knitout, file_of_the_tests) {
    char path[1024];
    const char* root = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/data/tube.k", root ? root : ".");
    HedKnitout* program = NULL;
    HedError error = {0};
    cr_assert_eq(hed_knitout_load(path, &program, &error), HED_OK, "%s", error.message);
    HedKnitoutFacts f = hed_knitout_facts(program);
    cr_assert(f.loop_count == 8 && f.stitch_count == 4 && f.course_count == 2 && f.yarn_count == 1);
    cr_assert(f.needle_low == 1 && f.needle_high == 2 && f.dropped_count == 4 && f.live_count == 0);
    cr_assert(has_note(program, "line 14: 'x-something' is left out"));
    cr_assert(!has_note(program, "never taken out"));
    hed_knitout_destroy(program);
}

Test(knitout, stitches_and_sides) {
    HedKnitout* program = parse(HEAD "in 1\ntuck + f1 1\ntuck + f2 1\nknit - f2 1\nxfer f1 b1\n"
                                     "knit - b1 1\nout 1\n");
    const HedLoops* g = graph_of(program);
    cr_assert_eq(g->loops.count, 4);
    cr_assert(!g->loops.data[2].is_purl && g->loops.data[3].is_purl);
    cr_assert(g->loops.data[2].is_leftward && !g->loops.data[0].is_leftward);
    cr_assert(hed_parent_count(g, 3) == 1 && hed_parents(g, 3)[0] == 0);
    cr_assert(g->loops.data[3].course == 1 && g->loops.data[3].wale == 0.0);
    cr_assert_eq(g->loops.data[3].line, 8);
    cr_assert(has_note(program, "2 loops are still on needles"));
    hed_knitout_destroy(program);
}

// Two loops on a needle are taken up together; from the face the one that was there first lies in
// front on the front bed.
Test(knitout, stacks) {
    HedKnitout* program = parse(HEAD "in 1\nknit + f1 1\nknit + f2 1\nxfer f2 b2\nrack -1\n"
                                     "xfer b2 f1\nrack 0\nknit - f1 1\nout 1\n");
    const HedLoops* g = graph_of(program);
    cr_assert_eq(hed_parent_count(g, 2), 2);
    cr_assert(hed_parents(g, 2)[0] == 0 && hed_parents(g, 2)[1] == 1);
    cr_assert_eq(g->swaps.count, 0);
    hed_knitout_destroy(program);
}

// A tuck on a needle that holds a loop; plating; a split.
Test(knitout, tucks_plating_splits) {
    HedKnitout* program = parse(HEAD "in 1 2\nknit + f1 1 2\ntuck - f1 1\nknit + f1 1\n"
                                     "split - f1 b1 1\nout 1 2\n");
    const HedLoops* g = graph_of(program);
    HedKnitoutFacts f = hed_knitout_facts(program);
    cr_assert(g->yarns.count == 2 && g->loops.data[1].plate == 0);
    cr_assert_eq(g->loops.data[2].kind, HED_LOOP_TUCK);
    cr_assert_eq(hed_parent_count(g, 3), 3);
    cr_assert(f.split_count == 1 && f.live_count == 2 && hed_child_count(g, 3) == 1);
    hed_knitout_destroy(program);
}

// A carrier that goes to the right, lays a loop leftwards and goes on to the right wraps the
// needle: the legs of the loop cross. Loops laid along its way or where it turns back, and
// stitches, are as they were.
Test(knitout, loops_laid_against_the_way_are_twisted) {
    HedKnitout* program = parse(HEAD "in 1\ntuck - f1 1\ntuck - f3 1\ntuck + f5 1\ntuck - f7 1\n"
                                     "tuck - f6 1\ntuck + f2 1\nknit + f1 1\nknit + f2 1\nout 1\n");
    const HedLoops* g = graph_of(program);
    // the first came from nowhere; f3 is a wrap; at f7 and at f2 the carrier turns, to f6 and by f1
    const bool twisted[] = {false, true, false, false, false, true, false, false};
    const bool leftward[] = {true, false, false, true, true, true, false, false};
    cr_assert_eq(g->loops.count, 8);
    for (int32_t i = 0; i < 8; ++i) {
        cr_assert_eq(g->loops.data[i].is_twisted, twisted[i], "loop %d", (int)i);
        cr_assert_eq(g->loops.data[i].is_leftward, leftward[i], "loop %d", (int)i);
    }
    hed_knitout_destroy(program);
}

// Numbers of stitches say nothing about lengths, but a change is worth a note: one.
Test(knitout, sizes_of_stitches) {
    HedKnitout* program = parse(HEAD "x-stitch-number 5\nin 1\nknit + f1 1\nx-stitch-number 5 ;a\n"
                                     "knit - f1 1\nx-stitch-number 7\nknit + f1 1\n"
                                     "x-stitch-number 9\nknit - f1 1\nout 1\n");
    cr_assert(has_note(program, "line 8: 'x-stitch-number' changes to 7"));
    cr_assert_eq(hed_knitout_note_count(program), 2); // and the live loop
    hed_knitout_destroy(program);
}

Test(knitout, carriers_are_listed_once) {
    HedKnitout* program = parse(HEAD "in 2\nknit + f1 2\nout 2\nin 1\nknit - f1 1\nout 1\n"
                                     "in 2\nknit + f1 2\nout 2\n");
    HedKnitoutFacts f = hed_knitout_facts(program);
    cr_assert(f.yarn_count == 3 && f.carrier_count == 2);
    cr_assert_str_eq(hed_knitout_carrier(program, 0), "2");
    cr_assert_str_eq(hed_knitout_carrier(program, 1), "1");
    hed_knitout_destroy(program);
}

// A cable: the right loop is held behind while the left one moves; then both change places.
Test(knitout, cables) {
    HedKnitout* program = parse(HEAD "in 1\nknit + f1 1\nknit + f2 1\n"
                                     "xfer f1 b1\nrack 2\nrack 1\nxfer b1 f2\nrack 0\nout 1\n");
    // Loop 0 went behind loop 1 and past it, then back onto its needle: no exchange.
    cr_assert_eq(hed_knitout_facts(program).swap_count, 0);
    hed_knitout_destroy(program);
    program = parse(HEAD "in 1\nknit + f1 1\nknit + f2 1\nxfer f1 b1\nrack 1\nrack 2\nxfer b1 "
                         "f3\nout 1\n");
    const HedLoops* g = graph_of(program);
    cr_assert_eq(g->swaps.count, 1);
    cr_assert(g->swaps.data[0].over == 1 && g->swaps.data[0].under == 0);
    hed_knitout_destroy(program);
}

// Floats pass behind loops of the front bed and in front of those of the back bed.
Test(knitout, floats) {
    HedKnitout* program = parse(HEAD "in 1 2\nknit + f1 1\nknit + f2 1\nknit + b3 1\nknit + f4 1\n"
                                     "knit + f1 2\nknit + f4 2\nout 1 2\n");
    const HedLoops* g = graph_of(program);
    const HedLoopYarn* second = &g->yarns.data[1];
    cr_assert_eq(second->step_count, 4);
    const HedLoopStep* steps = g->steps.data + second->first_step;
    cr_assert(steps[1].kind == HED_STEP_PASS_BEHIND && steps[1].loop == 1);
    cr_assert(steps[2].kind == HED_STEP_PASS_FRONT && steps[2].loop == 2);
    cr_assert_eq(hed_knitout_facts(program).longest_float, 3);
    hed_knitout_destroy(program);
    program = parse(HEAD "in 1\nknit + f1 1\nknit + f9 1\nout 1\n");
    cr_assert(has_note(program, "line 5: a float of 8 needles"));
    hed_knitout_destroy(program);
}

// Beds grow as far as needles are named; what hangs on the others stays there.
Test(knitout, needles_far_away) {
    HedKnitout* program =
        parse(HEAD "in 1\nknit + f1 1\nxfer f1 b1\nknit + f40 1\nknit + f4096 1\n"
                   "knit - b-4096 1\nknit + b1 1\nxfer f40 b40\nrack 64\nknit + f4096 1\nout 1\n");
    const HedLoops* g = graph_of(program);
    cr_assert_eq(g->loops.count, 6);
    cr_assert(hed_parent_count(g, 4) == 1 && hed_parents(g, 4)[0] == 0);
    cr_assert(hed_parent_count(g, 5) == 1 && hed_parents(g, 5)[0] == 2);
    HedKnitoutFacts f = hed_knitout_facts(program);
    cr_assert(f.needle_low == -4096 && f.needle_high == 4096 && f.transfer_count == 2);
    cr_assert_eq(f.live_count, 4);
    hed_knitout_destroy(program);
}

Test(knitout, odd_but_usable) {
    HedKnitout* program = parse("in A;\r\nknit + f-2 A \r\n\tknit + f-1\tA;;x\r\nxfer f7 b7\r\n"
                                "drop b9\r\nknit + f3\r\ntuck - f3\r\namiss f3\r\nstitch 10 20\r\n"
                                "pause\r\nrack +1\r\nx-vis-color #FF8000 A\r\nx-y\r\nx-y");
    cr_assert(has_note(program, "no line ;!knitout-2") && has_note(program, "no ;;Carriers:"));
    cr_assert(has_note(program, "1 carriers are never taken out"));
    cr_assert_eq(hed_knitout_note_count(program), 5);
    cr_assert_eq(hed_knitout_facts(program).needle_low, -2);
    hed_knitout_destroy(program);
}

static void refuse(const char* text, const char* message) {
    HedKnitout* program = NULL;
    HedError error = {0};
    cr_assert_eq(hed_knitout_parse(text, strlen(text), "p", &program, &error), HED_PARSE, "%s: %s",
                 text, error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(program);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(knitout, refused) {
    refuse("", "p: the program makes no loop");
    refuse(HEAD "inhook 1\ninhook 2\n", "p:4: the yarn hook is busy: it holds carrier '1'");
    refuse(HEAD "in 1\nin 1\n", "p:4: carrier '1' is in already");
    refuse(HEAD "in 7\n", "p:3: carrier '7' is not among the Carriers of the header");
    refuse(HEAD "knit + f1 1\n", "p:3: carrier '1' is not in");
    refuse(HEAD "out 1\n", "p:3: carrier '1' is not in");
    refuse(HEAD "inhook 1\nreleasehook 1\n",
           "p:4: carrier '1' has made no loop since the yarn hook took it");
    refuse(HEAD "in 1\nreleasehook 1\n", "p:4: the yarn hook does not hold carrier '1'");
    refuse(HEAD "inhook 1\nknit + f1 1\nouthook 1\n",
           "p:5: the yarn hook is busy: it holds carrier '1'");
    refuse(HEAD "in 1\nknit + f1 1 1\n", "p:4: carrier '1' is named twice");
    refuse(HEAD "xfer f1 b2\n", "p:3: f1 does not face b2 at rack 0");
    refuse(HEAD "rack 0.25\nxfer f1 b1\n", "p:4: f1 does not face b1 at rack 0.25");
    refuse(HEAD "xfer f1 f2\n", "p:3: loops move from one bed to the other, got f1 and f2");
    refuse(HEAD "xfer fs1 bs1\n", "p:3: loops cannot move from slider to slider, got fs1 and bs1");
    refuse(HEAD "in 1\nknit + fs1 1\n", "p:4: knit needs a needle with a hook, got the slider fs1");
    refuse(HEAD "in 1\nknit f1 1\n", "p:4: expected a direction, + or -, got 'f1'");
    refuse(HEAD "in 1\nknit + 1 1\n", "p:4: expected a needle such as f3, b-2 or fs7, got '1'");
    refuse(HEAD "in 1\nknit + f9999 1\n",
           "p:4: expected a needle with a number from -4096 to 4096, got 'f9999'");
    refuse(HEAD "purl + f1 1\n", "p:3: expected an operation such as knit or xfer, got 'purl'");
    refuse(HEAD "rack x\n", "p:3: expected a number of needles, got 'x'");
    refuse(HEAD "rack 1000\n", "p:3: rack must be from -64 to 64, got 1000");
    refuse(HEAD "xfer f1 b1 1\n", "p:3: expected the end of the line, got '1'");
    refuse(";!knitout-two\n", "p:1: expected ;!knitout- and a version, got ';!knitout-two'");
}

// Each loop looks at those on its needle: without a bound that takes hours.
Test(knitout, needles_hold_so_many_loops) {
    char text[8192] = HEAD "in 1\n";
    HedKnitout* program = NULL;
    HedError error = {0};
    for (int32_t i = 0; i <= HED_STACK_MOST + 1; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "tuck + f1 1\n");
    }
    cr_assert_eq(hed_knitout_parse(text, strlen(text), "p", &program, &error), HED_PARSE);
    cr_assert_str_eq(error.message, "p:261: f1 holds 257 loops, at most 256 find room on a needle");
    cr_assert_null(program);
}

Test(knitout, memory_may_run_out) {
    const char* text = HEAD "in 1\nknit + f1 1\nknit + f2 1\nxfer f1 b1\nrack 2\nxfer b1 f3\n"
                            "x-a\nknit - f3 1\nknit - f-300 1\n";
    HedStatus status = HED_NO_MEMORY;
    HedError error = {0};
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedKnitout* program = NULL;
        hed_alloc_fail_at(n);
        status = hed_knitout_parse(text, strlen(text), "p", &program, &error);
        hed_alloc_fail_at(0);
        hed_knitout_destroy(program);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 15);
}

static void write_row(char* text, size_t size, bool is_leftward) {
    for (int32_t k = 0; k < 12; ++k) {
        int32_t at = is_leftward ? 11 - k : k;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "knit %s %s%d 1\n", is_leftward ? "-" : "+",
                 at % 2 == 0 ? "f" : "b", at / 2);
    }
}

// Loops of two beds stand half a needle apart while the beds are racked; in the fabric they are
// columns of a rib, and drawn there.
Test(knitout, racked_ribs_are_drawn_where_their_graph_puts_them) {
    static char text[4096];
    snprintf(text, sizeof text, HEAD "rack 0.5\nin 1\n");
    for (int32_t row = 0; row < 5; ++row) {
        write_row(text, sizeof text, row % 2 == 1);
    }
    HedKnitout* program = parse(text);
    HedKnitDef def = hed_knit_def_default();
    HedKnitReport report;
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(hed_knitout_build(program, &def, &fabric, &report, &error), HED_OK, "%s",
                 error.message);
    HedVec3 low, high;
    hed_fabric_bounds(&fabric, &low, &high);
    // 12 columns, and up to two more for the turns and the ends of the yarn.
    double columns = (high.x - low.x) / report.wale_spacing;
    cr_assert(columns > 11.5 && columns < 14.5, "%g", columns);
    hed_fabric_free(&fabric);
    hed_knitout_destroy(program);
}

// --- programs that rows and columns alone do not show ---

// Draws the yarns and proves them; the courses that they take.
static int32_t drawn(const char* text) {
    HedKnitout* program = parse(text);
    HedKnitDef def = hed_knit_def_default();
    HedKnitReport report = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    cr_expect_eq(hed_knitout_build(program, &def, &fabric, &report, &error), HED_OK, "%s",
                 error.message);
    hed_fabric_free(&fabric);
    hed_knitout_destroy(program);
    return report.course_count;
}

static void add_row(char* text, size_t size, const char* what, const char* more, int32_t from,
                    int32_t to) {
    for (int32_t k = from;; k += from < to ? 1 : -1) {
        size_t used = strlen(text);
        char back[16] = "";
        if (more[0] == 'b') { // of a split
            snprintf(back, sizeof back, "b%d ", k);
        }
        snprintf(text + used, size - used, "%s%d %s%s\n", what, k, back, more[0] ? more + 1 : "");
        if (k == to) {
            break;
        }
    }
}

// Loops are split to the other bed, and both halves stay on needles.
static void add_line(char* text, size_t size, const char* format, int32_t a, int32_t b) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b);
}

// A tube on two beds is closed by a chain that takes a loop of the front and of the back in turn,
// as cords that bind off an edge are: loops wait for it while it passes.
static void close_tube(int32_t needles, char* text, size_t size) {
    snprintf(text, size, HEAD "in 1\n");
    for (int32_t row = 0; row < 3; ++row) {
        for (int32_t k = needles; k > 0; --k) {
            add_line(text, size, row == 0 ? "tuck - f%d 1\n" : "knit - f%d 1\n", k, 0);
        }
        for (int32_t k = 1; k <= needles; ++k) {
            add_line(text, size, row == 0 ? "tuck + b%d 1\n" : "knit + b%d 1\n", k, 0);
        }
    }
    for (int32_t k = needles; k > 0; --k) {
        add_line(text, size, "xfer b%d f%d\n", k, k);
        add_line(text, size, "knit - f%d 1\n", k, 0);
        if (k > 1) {
            add_line(text, size, "rack 1\nxfer f%d b%d\n", k, k - 1);
            add_line(text, size, "knit + b%d 1\nrack 0\n", k - 1, 0);
        }
    }
    add_line(text, size, "out 1\n", 0, 0);
}

Test(knitout, tubes_are_closed) {
    for (int32_t needles = 2; needles <= 8; needles += 2) {
        char text[4096];
        close_tube(needles, text, sizeof text);
        HedKnitout* program = parse(text);
        HedKnitDef def = hed_knit_def_default();
        HedFabric fabric = {0};
        HedError error = {0};
        cr_assert_eq(hed_knitout_facts(program).loop_count, 6 * needles + 2 * needles - 1);
        HedStatus status = hed_knitout_build(program, &def, &fabric, NULL, &error);
        cr_assert_eq(status, HED_OK, "%d needles: %s", needles, error.message);
        hed_fabric_free(&fabric);
        hed_knitout_destroy(program);
    }
}

Test(knitout, split_loops_are_drawn) {
    static char text[2048];
    snprintf(text, sizeof text, HEAD "in 1\n");
    add_row(text, sizeof text, "tuck - f", " 1", 4, 1);
    add_row(text, sizeof text, "knit + f", " 1", 1, 4);
    add_row(text, sizeof text, "split - f", "b1", 4, 1);
    add_row(text, sizeof text, "knit + b", " 1", 1, 4);
    cr_expect_eq(drawn(text), 3);
}

// Two yarns side by side; each is tucked into the field of the other where it turns. The tucks are
// no rows: both fields have as many courses as rows were knitted.
Test(knitout, fields_of_colour_are_joined) {
    static char text[8192];
    snprintf(text, sizeof text, HEAD "in 1\n");
    add_row(text, sizeof text, "tuck - f", " 1", 12, 1);
    add_row(text, sizeof text, "knit + f", " 1", 1, 12);
    strcat(text, "in 2\n");
    for (int32_t k = 0; k < 3; ++k) {
        add_row(text, sizeof text, "knit - f", " 1", 12, 7);
        strcat(text, "tuck + f6 1\n");
        add_row(text, sizeof text, "knit + f", " 1", 7, 12);
        add_row(text, sizeof text, "knit + f", " 2", 1, 6);
        strcat(text, "tuck - f7 2\n");
        add_row(text, sizeof text, "knit - f", " 2", 6, 1);
    }
    cr_expect_eq(drawn(text), 2 + 3 * 2);
}

// A second yarn is cast on where the loops of the first fell off: above them, not on them.
Test(knitout, yarns_cast_on_at_one_place) {
    static char text[4096];
    snprintf(text, sizeof text, HEAD);
    for (int32_t c = 1; c <= 2; ++c) {
        size_t used = strlen(text);
        const char* more = c == 1 ? " 1" : " 2";
        snprintf(text + used, sizeof text - used, "in %d\n", c);
        add_row(text, sizeof text, "tuck - f", more, 6, 1);
        add_row(text, sizeof text, "knit + f", more, 1, 6);
        for (int32_t k = 1; k <= 6; ++k) {
            used = strlen(text);
            snprintf(text + used, sizeof text - used, "drop f%d\n", k);
        }
    }
    cr_expect_eq(drawn(text), 5); // rows 0 and 1, then 3 and 4
}
