// SPDX-License-Identifier: MIT
// Scenes of one repeat of a fabric without edges: what is built, saved and refused.
#include "heddle/heddle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// m, of sides of 4 mm: a product of a count and a spacing.
static const double ROUNDING = 1e-17;

static HedStatus parse(const char* yarns, const char* more, HedScene** scene, HedError* error) {
    char text[1024];
    snprintf(text, sizeof text, "heddle: 1\nduration: 10 ms\n%syarns:\n  - name: cloth\n%s", more,
             yarns);
    return hed_scene_parse(text, strlen(text), "test.yaml", NULL, NULL, 0, scene, error);
}

static HedScene* load(const char* yarns, const char* more) {
    HedScene* scene = NULL;
    HedError error = {0};
    cr_assert_eq(parse(yarns, more, &scene, &error), HED_OK, "%s", error.message);
    return scene;
}

static const char PLAIN[] = "    weave: {pattern: plain, ends: 4, picks: 2, sett: [10 1/cm, 8 "
                            "1/cm], diameter: [0.3 mm, 0.3 mm], periodic: true}\n";

// The vectors of the period are the threads over the sett, and turn with the cloth.
Test(scene_repeat, period_of_a_weave) {
    HedScene* scene = load(PLAIN, "step: {size: 1 us}\n");
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(hed_scene_build(scene, 1, &sim, &error), HED_OK, "%s", error.message);
    HedSceneObject cloth = hed_scene_object(scene, sim, 0);
    cr_assert_eq(cloth.curve_count, 6);
    cr_assert_float_eq(cloth.period[0].x, 4e-3, ROUNDING);
    cr_assert_float_eq(cloth.period[1].y, 2.5e-3, ROUNDING);
    for (int k = 0; k < 6; ++k) { // ends go up, picks across
        cr_assert_eq(abs(cloth.turns[k].a), k < 4 ? 0 : 1);
        cr_assert_eq(abs(cloth.turns[k].b), k < 4 ? 1 : 0);
    }
    HedPeriodState period = hed_sim_period(sim);
    cr_assert_float_eq(period.vector[0].x, 4e-3, ROUNDING);
    HedStepReport report;
    cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
    cr_assert_eq(report.reason, HED_REASON_CONVERGED);
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    char turned[400];
    snprintf(turned, sizeof turned, "%.*s, rotation: [90 deg, 0, 0]}\n", (int)strlen(PLAIN) - 2,
             PLAIN);
    scene = load(turned, "");
    cloth = hed_scene_object(scene, NULL, 0);
    cr_assert_float_eq(cloth.period[1].z, 2.5e-3, ROUNDING);
    hed_scene_destroy(scene);
}

// What a scene does not say is chosen so that it can run, and is written down.
Test(scene_repeat, resolved_scene_is_the_same) {
    HedScene* scene =
        load("    knit: {pattern: rib-1x1, rows: 2, stitches: 2, periodic: true}\n", "");
    const char* text = hed_scene_text(scene);
    cr_assert(strstr(text, "integrator: symplectic-euler"));
    cr_assert(strstr(text, "gravity: [0, 0, 0]"));
    cr_assert(strstr(text, "periodic: true"));
    HedScene* again = NULL;
    HedError error = {0};
    cr_assert_eq(hed_scene_parse(text, strlen(text), "again.yaml", NULL, NULL, 0, &again, &error),
                 HED_OK, "%s", error.message);
    cr_assert_str_eq(hed_scene_text(again), text);
    hed_scene_destroy(again);
    hed_scene_destroy(scene);
}

Test(scene_repeat, refused_where_it_stands) {
    static const char KNIT[] =
        "    knit: {pattern: stockinette, rows: 2, stitches: 2, periodic: true}\n";
    static const struct {
        const char *yarns, *more, *place, *message;
    } CASES[] = {
        {KNIT, "step: {integrator: implicit-euler}\n", "test.yaml:3:20: error",
         "'integrator' must be explicit with 'periodic' yarns, such as symplectic-euler; got "
         "implicit-euler"},
        {KNIT, "step: {integrator: quasi-static}\n", "test.yaml:3:20", "got quasi-static"},
        {KNIT, "world: {gravity: [0, -9.81, 0]}\n", "test.yaml:3:18", "'gravity' must be 0"},
        {KNIT, "bodies: [{shape: sphere, radius: 1 cm}]\n", "test.yaml:3:9", "'bodies' cannot be"},
        {KNIT, "pins: [{where: ends}]\n", "test.yaml:3:7", "'pins' cannot be with 'periodic'"},
        {"    knit: {chart: [co 2, k2], periodic: true}\n", "", "test.yaml:5:41",
         "not from a chart"},
        {"    knit: {pattern: tube, rows: 2, stitches: 4, periodic: true}\n", "", "test.yaml:5:59",
         "not from rounds"},
        {"    knit: {pattern: rib-2x2, rows: 1, stitches: 3, periodic: true}\n", "",
         "test.yaml:5:62", "does not begin again"},
        {"    knit: {pattern: stockinette, rows: 2, stitches: 2, periodic: true}\n    bend_across: "
         "1\n",
         "", "test.yaml:6:18", "'bend_across' does not work with 'periodic' yarns"},
        {"    weave: {pattern: plain, periodic: true}\n  - line: {to: [1, 0, 0]}\n", "",
         "test.yaml:5:39", "stands alone, but there are 2 'yarns'"},
        {"    weave: {pattern: twill 2/2, ends: 3, periodic: true}\n", "", "test.yaml:5", "repeat"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        HedScene* scene = NULL;
        HedError error = {0};
        cr_expect_neq(parse(CASES[i].yarns, CASES[i].more, &scene, &error), HED_OK, "case %zu", i);
        cr_expect(strstr(error.message, CASES[i].place) == error.message, "case %zu: %s", i,
                  error.message);
        cr_expect(strstr(error.message, CASES[i].message), "case %zu: %s", i, error.message);
        cr_expect_null(scene);
        hed_scene_destroy(scene);
    }
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}

// A saved piece of 3 x 2 repeats: threads run through, three times as long as in one.
Test(scene_repeat, saved_in_tiles) {
    HedScene* scene = load(PLAIN, "");
    HedError error = {0};
    HedCurves one = {0}, piece = {0};
    cr_assert_eq(hed_scene_save(scene, "one.bcc", 1, 1, false, &error), HED_OK, "%s",
                 error.message);
    cr_assert_eq(hed_scene_save(scene, "one.bcc", 1, 1, false, &error), HED_EXISTS);
    cr_assert_eq(hed_scene_save(scene, "piece.bcc", 3, 2, false, &error), HED_OK, "%s",
                 error.message);
    cr_assert_eq(hed_curves_load("one.bcc", &one, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_curves_load("piece.bcc", &piece, &error), HED_OK, "%s", error.message);
    cr_expect_eq(one.curve_count, 6);
    cr_expect_eq(piece.curve_count, 3 * 4 + 2 * 2);
    // The copy of the first point stands where the next repeat begins; files hold single precision.
    HedVec3 first = one.vertices[0], last = one.vertices[one.curves[0].count - 1];
    // Places below 15 mm: 4.7e-10 m for either.
    cr_expect_float_eq(last.y - first.y, 2.5e-3, 1e-9);
    cr_expect_eq(piece.curves[0].count, 2 * (one.curves[0].count - 1) + 1);
    hed_curves_free(&one);
    hed_curves_free(&piece);
    remove("one.bcc");
    remove("piece.bcc");
    hed_scene_destroy(scene);
}

Test(scene_repeat, without_memory) {
    HedScene* scene = load(PLAIN, "");
    HedError error = {0};
    HedStatus status = HED_NO_MEMORY;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; status == HED_NO_MEMORY && n < 1000; ++n) {
        hed_alloc_fail_at(n);
        status = hed_scene_save(scene, "memory.usda", 2, 2, true, &error);
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, live, "allocation %d", (int)n);
    }
    cr_expect_eq(status, HED_OK, "%s", error.message);
    remove("memory.usda");
    hed_scene_destroy(scene);
}
