// SPDX-License-Identifier: MIT
// Drafts: named weaves, rows of signs, what can be said about them, and the yarns they give.
#include "base/alloc.h"
#include "math/vec3.h"
#include "weave/layers.h"

#include <criterion/criterion.h>
#include <string.h>

// m: diameters are given to three digits of a millimetre.
static const double DIGITS = 0.5e-6;

static HedWeave named(const char* pattern) {
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_named(pattern, &weave, &error), HED_OK, "%s", error.message);
    return weave;
}

// The matrix as text, row by row from the first pick on.
static void expect_rows(const char* pattern, const char* rows) {
    HedWeave weave = named(pattern);
    char text[512] = {0};
    char* out = text;
    for (int32_t pick = 0; pick < weave.pick_count; ++pick) {
        for (int32_t end = 0; end < weave.end_count; ++end) {
            *out++ = hed_weave_is_up(&weave, pick, end) ? '#' : '.';
        }
        *out++ = ' ';
    }
    cr_assert_str_eq(text, rows, "%s", pattern);
    hed_weave_free(&weave);
}

Test(weave, named) {
    expect_rows("plain", "#. .# ");
    expect_rows("twill 2/2", "##.. .##. ..## #..# ");
    expect_rows("Twill 2/1 S", "##. #.# .## ");
    expect_rows("twill 2/2 z", "##.. .##. ..## #..# ");
    expect_rows("satin 5", ".#### ##.## ####. #.### ###.# ");
    expect_rows("sateen 5 3", "#.... ...#. .#... ....# ..#.. ");
    expect_rows("basket 2/2", "##.. ##.. ..## ..## ");
    expect_rows("basket 2/1", "##. ##. ..# ");
    expect_rows("rib 2/1", "#. #. .# ");
}

static void refuse(const char* pattern, const char* words) {
    HedWeave weave = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_named(pattern, &weave, &error), HED_INVALID, "%s", pattern);
    cr_assert(strstr(error.message, words), "%s: %s", pattern, error.message);
    cr_assert_null(weave.ends);
}

Test(weave, named_badly) {
    refuse("", "expected plain");
    refuse("tweed 2/2", "known are plain, twill");
    refuse("a-very-long-name-of-a-weave", "expected plain");
    refuse("twill", "needs over/under");
    refuse("twill 2/2/1", "needs over/under");
    refuse("twill 2/0", "expected a number from 1 to 64, got '0'");
    refuse("twill 2//2", "got ''");
    refuse("twill 1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1", "too many numbers");
    refuse("plain 2", "takes no numbers");
    refuse("satin 6", "no satin of so many ends");
    refuse("satin 8 2", "no divisor in common");
    refuse("satin 5 4", "step of a satin");
    refuse("basket 2", "expected two numbers");
    refuse("satin 5 s", "for twills");
}

Test(weave, rows) {
    HedWeave weave = {0};
    HedError error = {0};
    const char* const rows[] = {"# 1 .", "00#"};
    cr_assert_eq(hed_weave_rows(rows, 2, &weave, &error), HED_OK, "%s", error.message);
    cr_assert(weave.end_count == 3 && weave.pick_count == 2);
    cr_assert_arr_eq(weave.is_up, ((uint8_t[]){1, 1, 0, 0, 0, 1}), 6);
    hed_weave_free(&weave);
    const char* const uneven[] = {"#.", "#.#"};
    cr_assert_eq(hed_weave_rows(uneven, 2, &weave, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "row 2 of a weave has 3 signs, row 1 has 2");
    const char* const odd[] = {"#x"};
    cr_assert_eq(hed_weave_rows(odd, 1, &weave, &error), HED_INVALID);
    cr_assert(strstr(error.message, "got 'x'"), "%s", error.message);
    cr_assert_eq(hed_weave_rows(NULL, 0, &weave, &error), HED_INVALID);
    cr_assert_eq(hed_weave_create(1 << 20, 1 << 20, &weave, &error), HED_UNSUPPORTED);
    cr_assert_null(weave.ends);
}

static HedWeaveFacts facts_of(const char* const* rows, int32_t count) {
    HedWeave weave = {0};
    HedWeaveFacts facts = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_rows(rows, count, &weave, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_facts(&weave, &facts, &error), HED_OK, "%s", error.message);
    hed_weave_free(&weave);
    return facts;
}

Test(weave, facts) {
    const char* const broken[] = {"##..##..##", ".##..##..#", "##..##..##", ".##..##..#"};
    HedWeaveFacts f = facts_of(broken, 4);
    cr_assert(f.repeat_ends == 4 && f.repeat_picks == 2, "%d x %d", f.repeat_ends, f.repeat_picks);
    cr_assert(f.warp_float == 4 && f.warp_float_end == 2 && f.weft_float == 2);
    cr_assert_eq(f.loose_ends, 5); // the second of each four, the fourth, and so on
    cr_assert_eq(f.loose_picks, 0);
    // Whole rows that repeat only once and a bit are no repeat.
    const char* const once[] = {"#..#", "##.#", ".###"};
    f = facts_of(once, 3);
    cr_assert(f.repeat_ends == 4 && f.repeat_picks == 3);
}

// Plain weave twice, one cloth over the other: ends 1 and 3 with picks 1 and 3 above the rest.
Test(weave, layers) {
    const char* const two[] = {"#...", "###.", "..#.", "#.##"};
    HedWeaveFacts f = facts_of(two, 4);
    cr_assert_eq(f.layer_count, 2);
    const char* const stitched[] = {"#...", "###.", "..#.", "..##"};
    f = facts_of(stitched, 4);
    cr_assert_eq(f.layer_count, 1);
    const char* const loose[] = {"####", "####"};
    f = facts_of(loose, 2);
    cr_assert(f.layer_count == 0 && f.loose_ends == 4 && f.loose_picks == 2);
}

// The same cloth, with a fifth end that lies over it all and a sixth below: each belongs to what it
// lies next to.
Test(weave, layer_of_each_thread) {
    const char* const rows[] = {"#...#.", "###.#.", "..#.#.", "#.###."};
    const int32_t expected[10] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    HedWeave weave = {0};
    HedError error = {0};
    int32_t layer[10], count = -1;
    cr_assert_eq(hed_weave_rows(rows, 4, &weave, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_layers(&weave, layer, &count, &error), HED_OK, "%s", error.message);
    cr_assert_eq(count, 2);
    for (int32_t i = 0; i < 10; ++i) {
        cr_assert_eq(layer[i], expected[i], "thread %d: %d", i, layer[i]);
    }
    hed_weave_free(&weave);
}

// --- yarn counts ---

// kg/m: three units in the last place of 30 tex, which takes a product and a quotient.
static const double ROUNDING = 1e-20;

static double count_of(const char* text) {
    double density = 0.0;
    HedError error = {0};
    cr_assert_eq(hed_yarn_count_parse(text, &density, &error), HED_OK, "%s", error.message);
    return density;
}

Test(weave, yarn_counts) {
    cr_assert_float_eq(count_of("30 tex"), 30e-6, ROUNDING);
    cr_assert_float_eq(count_of("300dtex"), 30e-6, ROUNDING);
    cr_assert_float_eq(count_of("270 den"), 30e-6, ROUNDING);
    cr_assert_float_eq(count_of("Nm 34"), 1e-3 / 34.0, ROUNDING);
    cr_assert_float_eq(count_of("2/34 nm"), 2e-3 / 34.0, ROUNDING);
    // 590.54 / Ne is the rule of textile books, in tex.
    cr_assert_float_eq(count_of("Ne 20"), 590.54e-6 / 20.0, 0.005e-6 / 20.0);
    cr_assert_float_eq(count_of("20 ne"), count_of("ne 20"), ROUNDING);
    const char* const bad[] = {"",       "tex",       "30",      "30 wool",   "0 tex",
                               "-3 tex", "1/2/3 tex", "1 tex 2", "2.5/34 nm", "1e400 tex"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        HedError error = {0};
        double density = 7.0;
        cr_assert_eq(hed_yarn_count_parse(bad[i], &density, &error), HED_INVALID, "%s", bad[i]);
        cr_assert(strstr(error.message, "expected a yarn count"));
        cr_assert_eq(density, 7.0);
    }
}

// Diameters of cotton: 0.03568 sqrt(tex / density in g/cm^3) mm, the volume of a cylinder.
Test(weave, yarn_diameters) {
    cr_assert_float_eq(hed_yarn_diameter(10e-6, 910.0), 0.118e-3, DIGITS);
    cr_assert_float_eq(hed_yarn_diameter(30e-6, 910.0), 0.205e-3, DIGITS);
    cr_assert_float_eq(hed_yarn_diameter(400e-6, 910.0), 0.748e-3, DIGITS);
}

Test(weave, memory_may_run_out) {
    int64_t before = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    HedError error = {0};
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedWeave weave = {0};
        HedFabric fabric = {0};
        HedWeaveDef def = hed_weave_def_default();
        HedCover cover;
        def.points = 2;
        def.selvedge = HED_SELVEDGE_TURNED;
        def.warp.diameter = def.weft.diameter = 1.0; // thinner, with a note
        def.warp.sett = 1.0;
        hed_alloc_fail_at(n);
        status = hed_weave_named("twill 2/1", &weave, &error);
        status = status == HED_OK ? hed_weave_cover(&weave, &def, &cover, &error) : status;
        status = status == HED_OK ? hed_weave_build(&weave, &def, &fabric, &error) : status;
        hed_alloc_fail_at(0);
        hed_fabric_free(&fabric);
        hed_weave_free(&weave);
        cr_assert_eq(hed_alloc_stats().live_count, before);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 20);
}
