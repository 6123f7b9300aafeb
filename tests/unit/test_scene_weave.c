// SPDX-License-Identifier: MIT
// Woven yarns in scenes: what their keys do, and what is refused.
#include "heddle/heddle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static HedStatus parse(const char* weave, const char* more, HedScene** scene, HedError* error) {
    char text[1024];
    snprintf(text, sizeof text,
             "heddle: 1\nduration: 10 ms\nyarns:\n  - name: cloth\n    weave: %s\n%s", weave, more);
    return hed_scene_parse(text, strlen(text), "test.yaml", NULL, NULL, 0, scene, error);
}

static HedScene* load(const char* weave, const char* more) {
    HedScene* scene = NULL;
    HedError error = {0};
    cr_assert_eq(parse(weave, more, &scene, &error), HED_OK, "%s", error.message);
    return scene;
}

static HedSceneObject first_object(const HedScene* scene, HedSim** sim) {
    HedError error = {0};
    cr_assert_eq(hed_scene_build(scene, 1, sim, &error), HED_OK, "%s", error.message);
    return hed_scene_object(scene, *sim, 0);
}

Test(scene_weave, keys) {
    HedScene* scene = load("{pattern: twill 2/1, ends: 7, picks: 5, sett: [10 1/cm, 8 1/cm], warp: "
                           "60 tex, weft: Ne 20, points: 4, warp_color: \"#1f3A93\", position: "
                           "[0, 1, 0]}",
                           "");
    HedSim* sim = NULL;
    HedSceneObject cloth = first_object(scene, &sim);
    cr_assert_eq(cloth.kind, HED_OBJECT_YARNS);
    cr_assert_eq(cloth.curve_count, 12);
    cr_assert_eq(cloth.curves[0].count, 4 * 4 + 1 + 4);
    cr_assert_eq(cloth.curves[0].color, 0x1f3a93);
    cr_assert_eq(cloth.curves[11].color, HED_COLOR_NONE);
    // The same formula, and a few roundings of 1.4e-4 m, 1.4e-20 m each.
    cr_assert_float_eq(cloth.curves[0].radius, 0.5 * hed_yarn_diameter(60e-6, 910.0), 1e-19);
    const HedVec3* x = cloth.vertices.data;
    cr_assert_float_eq(x[0].x, -3e-3, 1e-12); // the middle of seven slots is that of the fourth
    // Two roundings of numbers of the size of 1.
    cr_assert_float_eq(x[0].y, 1.0 - 0.5 * 5.0 / 800.0, 4e-16);
    cr_assert(
        strstr(hed_scene_notes(scene), "yarns of different counts are simulated with the mean"));
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}

// A scene with all its values spelt out gives the same cloth.
Test(scene_weave, resolved_scene_is_the_same) {
    HedScene* scene =
        load("{rows: ['#..', '.#.', '..#'], ends: 6, picks: 6, warp: 30 tex, weft: 60 "
             "tex, selvedge: turned, mirrored: true}",
             "    rest: start\n");
    HedScene* again = NULL;
    HedError error = {0};
    const char* text = hed_scene_text(scene);
    cr_assert_eq(hed_scene_parse(text, strlen(text), "again.yaml", NULL, NULL, 0, &again, &error),
                 HED_OK, "%s", error.message);
    cr_assert_str_eq(hed_scene_text(again), text);
    HedSim *a = NULL, *b = NULL;
    HedSceneObject first = first_object(scene, &a), second = first_object(again, &b);
    cr_assert_eq(first.vertices.count, second.vertices.count);
    cr_assert_eq(first.curve_count, 7);
    cr_assert_arr_eq(first.vertices.data, second.vertices.data,
                     (size_t)first.vertices.count * sizeof(HedVec3));
    hed_sim_destroy(a);
    hed_sim_destroy(b);
    hed_scene_destroy(scene);
    hed_scene_destroy(again);
}

Test(scene_weave, bad_keys) {
    static const char* const CASES[][2] = {
        {"{ends: 4}", "a weave needs one of 'pattern', 'draft' and 'rows'"},
        {"{pattern: plain, rows: ['#']}", "a weave needs one of"},
        {"{pattern: tweed}", "known are plain"},
        {"{rows: ['#.', '#']}", "row 2 of a weave has 1 signs"},
        {"{draft: nothing.wif}", "nothing.wif"},
        {"{pattern: plain, warp: heavy}", "expected a yarn count"},
        {"{pattern: plain, weft: 3 m}", "expected a yarn count"},
        {"{pattern: plain, warp_color: blue}", "'warp_color' is a colour"},
        {"{pattern: plain, weft_color: '#12345g'}", "'weft_color' is a colour"},
        {"{pattern: plain, points: 1}", "'points'"},
        {"{pattern: plain, sett: [20 cm, 20]}", "sett"},
        {"{pattern: plain, selvedge: fringed}", "'selvedge' must be one of cut, turned"},
        {"{pattern: plain, end: 3}", "did you mean 'ends'"},
        {"{pattern: plain, ends: 100000, picks: 100000}", "too large"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        HedScene* scene = NULL;
        HedError error = {0};
        cr_expect_neq(parse(CASES[i][0], "", &scene, &error), HED_OK, "%s", CASES[i][0]);
        cr_expect(strstr(error.message, CASES[i][1]), "%s: %s", CASES[i][0], error.message);
        cr_expect(strstr(error.message, "test.yaml:5"), "%s", error.message);
        hed_scene_destroy(scene);
    }
}

Test(scene_weave, memory_may_run_out) {
    HedStatus status = HED_NO_MEMORY;
    int64_t before = hed_alloc_stats().live_count;
    for (int64_t n = 1; status == HED_NO_MEMORY; ++n) {
        HedScene* scene = NULL;
        HedError error = {0};
        hed_alloc_fail_at(n);
        status = parse("{pattern: plain, warp: 30 tex, points: 2}", "", &scene, &error);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s", error.message);
        hed_scene_destroy(scene);
        cr_assert_eq(hed_alloc_stats().live_count, before);
    }
}

// A strip on the bias: as many threads as it needs, all inside, and twice as long along y.
Test(scene_weave, cut_on_the_bias) {
    const char* weave = "{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, cut: [2 cm, 4 "
                        "cm], bias: 45 deg}";
    HedScene* scene = load(weave, "    model: sliding\n");
    HedSim* sim = NULL;
    HedSceneObject cloth = first_object(scene, &sim);
    const HedVec3* x = cloth.vertices.data;
    double width = 0.0, height = 0.0;
    for (int32_t k = 0; k < cloth.vertices.count; ++k) {
        width = fmax(width, fabs(x[k].x));
        height = fmax(height, fabs(x[k].y));
    }
    // Tails of sliding yarns go on for at most half a spacing, at 45 degrees.
    cr_assert_float_eq(width, 0.01, 0.36e-3 + 1e-6);
    // As above.
    cr_assert_float_eq(height, 0.02, 0.36e-3 + 1e-6);
    // Threads 1 mm apart across a diagonal of 6 cm/sqrt(2), warp and weft; the outermost may be
    // too short to cross any.
    double threads = 2.0 * 0.06 / sqrt(2.0) / 1e-3;
    // As above: one at either end of warp and weft, and what counting whole threads leaves of
    // each.
    cr_assert_float_eq(cloth.curve_count, threads, 6.0);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
}

Test(scene_weave, cuts_that_are_refused) {
    const struct {
        const char* weave;
        const char* says;
    } cases[] = {
        {"{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, bias: 45 deg}", "needs a 'cut'"},
        {"{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, cut: [2 cm, 0]}", "positive"},
        {"{pattern: plain, warp: 30 tex, cut: [2 cm, 2 cm]}", "sett"},
        {"{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, cut: [1 km, 1 km]}", "threads"},
        {"{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, cut: [10 um, 10 um]}",
         "leaves no crossing"},
        {"{pattern: plain, sett: [10 1/cm, 10 1/cm], warp: 30 tex, cut: [1 cm, 1 cm], periodic: "
         "true, ends: 8, picks: 8}",
         "cannot be cut"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        HedScene* scene = NULL;
        HedError error = {0};
        cr_assert_neq(parse(cases[k].weave, "", &scene, &error), HED_OK, "%s", cases[k].weave);
        cr_assert(strstr(error.message, cases[k].says), "%s", error.message);
    }
}
