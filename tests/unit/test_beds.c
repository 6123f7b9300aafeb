// SPDX-License-Identifier: MIT
// Programs of ordinary kinds are drawn and proved; those that rows and columns cannot show hang
// between the beds of the machine.
#include "base/alloc.h"
#include "heddle/knitout.h"

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
