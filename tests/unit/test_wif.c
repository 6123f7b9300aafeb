// SPDX-License-Identifier: MIT
// WIF files: what they mean, what is forgiven, and what is refused, at which line.
#include "base/alloc.h"
#include "base/text.h"
#include "weave/weave.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// m, of spacings below 1 mm: one or two products.
static const double ROUNDING = 1e-18;

static HedWeave parse(const char* text) {
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_parse(text, strlen(text), "f", &weave, &error), HED_OK, "%s",
                 error.message);
    return weave;
}

// A file of tests/data; ctest tells where the tree is.
static const char* data_path(const char* name, char path[1024]) {
    const char* root = getenv("SOURCE_DIR");
    snprintf(path, 1024, "%s/tests/data/%s", root ? root : ".", name);
    return path;
}

static bool has_note(const HedWeave* weave, const char* words) {
    for (int32_t i = 0; i < weave->note_count; ++i) {
        if (strstr(weave->notes[i], words)) {
            return true;
        }
    }
    return false;
}

static void expect_rows(const HedWeave* weave, const char* rows) {
    char text[256] = {0};
    char* out = text;
    for (int32_t pick = 0; pick < weave->pick_count; ++pick) {
        for (int32_t end = 0; end < weave->end_count; ++end) {
            *out++ = hed_weave_is_up(weave, pick, end) ? '#' : '.';
        }
        *out++ = ' ';
    }
    cr_assert_str_eq(text, rows);
}

#define THREADING "[THREADING]\n1=1\n2=2\n"
#define TIED THREADING "[TIEUP]\n1=1\n2=2\n[TREADLING]\n1=1\n2=2\n"
#define RISING "[WEAVING]\nRising Shed=1\n"

Test(wif, file_of_the_tests) {
    char path[1024];
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_load(data_path("point-twill.wif", path), &weave, &error), HED_OK, "%s",
                 error.message);
    cr_assert_str_eq(weave.title, "Point twill; a test");
    cr_assert(weave.end_count == 12 && weave.pick_count == 8);
    HedWeaveFacts facts;
    cr_assert_eq(hed_weave_facts(&weave, &facts, &error), HED_OK);
    cr_assert(facts.repeat_ends == 6 && facts.repeat_picks == 4);
    cr_assert_float_eq(weave.ends[0].spacing, 0.5e-3, ROUNDING);
    cr_assert_float_eq(weave.ends[6].spacing, 1e-3, ROUNDING);
    cr_assert_float_eq(weave.ends[0].diameter, 0.2e-3, ROUNDING);
    cr_assert_float_eq(weave.picks[0].spacing, 0.025 * 0.0254, ROUNDING);
    cr_assert_eq(weave.picks[0].diameter, 0.0);
    cr_assert_eq(weave.ends[0].color, 0x0000FF);
    cr_assert_eq(weave.picks[0].color, 0xFF8000); // 500 * 255 / 999 rounds to 128
    cr_assert_eq(weave.picks[2].color, 0xFFFFFF);
    cr_assert(has_note(&weave, "warp: 14 threads declared, 12 are threaded"));
    cr_assert(has_note(&weave, "weft: 9 threads declared, 8 are woven"));
    cr_assert(has_note(&weave, "1 lines are neither section nor key=value"));
    hed_weave_free(&weave);
}

Test(wif, rising_and_sinking) {
    HedWeave weave = parse("[WEAVING]\nrising shed=YES\n" TIED);
    expect_rows(&weave, "#. .# ");
    cr_assert(!has_note(&weave, "rising taken"));
    hed_weave_free(&weave);
    weave = parse("[WEAVING]\nRising Shed=off ; as floor looms do\n" TIED);
    expect_rows(&weave, ".# #. ");
    hed_weave_free(&weave);
    weave = parse(TIED);
    expect_rows(&weave, "#. .# ");
    cr_assert(has_note(&weave, "rising taken"));
    hed_weave_free(&weave);
}

Test(wif, lift_plans_and_several_shafts) {
    HedWeave weave = parse("[THREADING]\n1=1,3\n2=2\n3=0\n4=3\n[LIFTPLAN]\n1=3\n2=0,2, 1\n3=\n");
    cr_assert(weave.ends[2].number == 4 && weave.pick_count == 2);
    expect_rows(&weave, "#.# ##. ");
    hed_weave_free(&weave);
    weave = parse(TIED "[LIFTPLAN]\n1=1\n2=2\n");
    cr_assert(!has_note(&weave, "differs"));
    hed_weave_free(&weave);
    weave = parse(TIED "[LIFTPLAN]\n1=1\n2=1\n");
    cr_assert(has_note(&weave, "the lift plan differs from tie-up and treadling on 1 picks"));
    expect_rows(&weave, "#. .# ");
    hed_weave_free(&weave);
}

Test(wif, odd_but_usable) {
    // A mark, CR as the end of lines, a section twice, keys twice, no end of the last line.
    HedWeave weave = parse("\xEF\xBB\xBF[THREADING]\r1=9\r2=2\r\r[THREADING]\r1=1\r"
                           "[LIFTPLAN]\r2=2\r1=1\r[PRIVATE X]\r1=77");
    expect_rows(&weave, "#. .# ");
    hed_weave_free(&weave);
    weave = parse("[TEXT]\nTitle=Caf\xE9\n" TIED); // Latin-1
    cr_assert_str_eq(weave.title, "Caf\xC3\xA9");
    hed_weave_free(&weave);
    weave = parse("[TEXT]\nTitle=Caf\xC3\xA9\n" TIED);
    cr_assert_str_eq(weave.title, "Caf\xC3\xA9");
    hed_weave_free(&weave);
    // Tie-ups beyond the declared treadles, treadles without a tie-up, shafts beyond the declared.
    weave = parse("[WEAVING]\nShafts=1\nTreadles=1\n" TIED);
    expect_rows(&weave, "#. .# ");
    hed_weave_free(&weave);
    weave = parse("[WEAVING]\nTreadles=3\n" THREADING "[TIEUP]\n1=1\n[TREADLING]\n1=1\n2=3\n");
    expect_rows(&weave, "#. .. ");
    hed_weave_free(&weave);
}

Test(wif, colors) {
    HedWeave weave = parse(TIED "[COLOR PALETTE]\nRange=20,1200\n[COLOR TABLE]\n1=20,1200,610\n"
                                "[WARP]\nColor=1\n[WEFT]\nColor=0\n[WEFT COLORS]\n1=1\n2=1\n");
    cr_assert_eq(weave.ends[1].color, 0x00FF80);
    cr_assert(has_note(&weave, "the default colour of the weft, 0, is not in the colour table"));
    hed_weave_free(&weave);
    weave = parse(TIED "[WARP]\nColor=7\n"); // without a table
    cr_assert_eq(weave.ends[0].color, HED_COLOR_NONE);
    cr_assert(has_note(&weave, "no colour table"));
    hed_weave_free(&weave);
}

static void refuse(const char* text, const char* message) {
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_parse(text, strlen(text), "f", &weave, &error), HED_PARSE, "%s: %s",
                 text, error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(weave.ends);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(wif, refused) {
    refuse("", "f: is no WIF file: it has no [SECTION]");
    refuse("[WIF]\n", "f: a WIF file needs a [THREADING], there is none");
    refuse("\n[THREADING]\n1=0\n", "f:2: [THREADING] threads no end");
    refuse("[THREADING]\n1=1\n2=a\n", "f:3: expected a number from 0 to 65536, got 'a'");
    refuse("[THREADING]\n1=-1\n", "f:2: expected a number from 0 to 65536, got '-1'");
    refuse("[THREADING]\n1=1,70000\n", "f:2: expected a number from 0 to 65536, got '70000'");
    refuse(THREADING, "f: a WIF file needs [TIEUP] and [TREADLING], or a [LIFTPLAN]");
    refuse(THREADING "[TREADLING]\n1=1\n",
           "f:4: [TREADLING] needs a [TIEUP], there is none, and no [LIFTPLAN]");
    refuse(THREADING "[LIFTPLAN]\n1=\n", "f:4: [LIFTPLAN] does nothing on any pick");
    refuse("[WEAVING]\nTreadles=2\n" THREADING "[TIEUP]\n1=1\n[TREADLING]\n1=1\n2=3\n",
           "f:10: treadle 3 is not among the 2 of [WEAVING] and has no tie-up");
    refuse("[WEAVING]\nTreadles=two\n" TIED, "f:2: expected a count, got 'two'");
    refuse("[WEAVING]\nRising Shed=maybe\n" TIED, "f:2: expected true or false, got 'maybe'");
    refuse("[COLOR TABLE]\n1=1,2,3\n[WARP COLORS]\n2=5\n[WARP]\nColor=1\n" TIED,
           "f:4: warp thread 2 has colour 5, which [COLOR TABLE] does not have");
    refuse("[COLOR TABLE]\n1=1,2,3\n[WEFT]\nColor=2\n" TIED,
           "f:4: weft thread 1 has colour 2, which [COLOR TABLE] does not have");
    refuse("[COLOR TABLE]\n1=1,2\n[WEFT]\nColor=1\n" TIED,
           "f:2: expected a colour, three numbers, got '1,2'");
    refuse("[COLOR PALETTE]\nRange=5,5\n" TIED,
           "f:2: expected a range, two rising numbers, got '5,5'");
    refuse("[WARP]\nSpacing=-1\n" TIED, "f:2: expected a length that is not negative, got '-1'");
    refuse("[WARP]\nUnits=furlongs\n" TIED,
           "f:2: expected inches, centimeters or decipoints, got 'furlongs'");
    refuse("[WARP]\nSpacing=900\n" TIED,
           "f: warp thread 1 must be less than 1 m wide, got 0 m in 9 m");
    refuse("[WARP]\nSpacing=1e-300\nUnits=Centimeters\n" TIED,
           "f: warp thread 1 must be at least 1 um wide, got 0 m in 1e-302 m");
}

// Ends whose shafts fill a line, and as many picks: each would look at all of them.
Test(wif, long_lists_are_refused_at_once) {
    enum { SHAFTS = 60000, PICKS = 60000 };
    size_t size = (size_t)2 * SHAFTS + (size_t)16 * PICKS + 100;
    char* text = hed_alloc(size);
    HedError error = {0};
    HedWeave weave = {0};
    size_t used = (size_t)snprintf(text, size, "[THREADING]\n1=");
    for (int32_t i = 0; i < SHAFTS; ++i, used += 2) {
        memcpy(text + used, "1,", 3);
    }
    used += (size_t)snprintf(text + used, size - used, "\n[LIFTPLAN]\n");
    for (int32_t i = 0; i < PICKS; ++i) {
        used += (size_t)snprintf(text + used, size - used, "%d=2\n", i + 1);
    }
    cr_assert_eq(hed_weave_parse(text, used, "f", &weave, &error), HED_UNSUPPORTED);
    cr_assert(strstr(error.message, "name too many shafts"), "%s", error.message);
    hed_weave_free(&weave);
    hed_free(text);
}

Test(wif, missing_file) {
    char path[1024];
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_load(data_path("there-is-none.wif", path), &weave, &error),
                 HED_NOT_FOUND);
    cr_assert(strstr(error.message, "there-is-none.wif"));
}

Test(wif, memory_may_run_out) {
    HedStatus status = HED_NO_MEMORY;
    HedError error = {0};
    const char* text = "junk\n[TEXT]\nTitle=t\n" RISING TIED
                       "[LIFTPLAN]\n1=2\n[COLOR TABLE]\n1=1,2,3\n[WARP]\nColor=1\nSpacing=1\n";
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedWeave weave = {0};
        hed_alloc_fail_at(n);
        status = hed_weave_parse(text, strlen(text), "f", &weave, &error);
        hed_alloc_fail_at(0);
        hed_weave_free(&weave);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 20);
}
