// SPDX-License-Identifier: MIT
// Knitted yarns in scenes: counts of several yarns.
#include "heddle/heddle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static HedStatus parse(const char* knit, HedScene** scene, HedError* error) {
    char text[1024];
    snprintf(text, sizeof text,
             "heddle: 1\nduration: 10 ms\nyarns:\n  - name: knit\n    knit: {%s}\n", knit);
    return hed_scene_parse(text, strlen(text), "test.yaml", NULL, NULL, 0, scene, error);
}

// kg/m in the resolved scene.
static double linear_density(const char* knit) {
    HedScene* scene = NULL;
    HedError error = {0};
    double value = 0.0;
    cr_assert_eq(parse(knit, &scene, &error), HED_OK, "%s", error.message);
    const char* at = strstr(hed_scene_text(scene), "linear_density: ");
    cr_assert(at && sscanf(at, "linear_density: %lf", &value) == 1);
    hed_scene_destroy(scene);
    return value;
}

// The mean of the simulation keeps the mass: lengths of both yarns come from the fabric itself.
Test(scene_knit, counts_of_two_yarns) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    HedError error = {0};
    def.pattern = "jacquard";
    def.rows = 6;
    def.stitches = 8;
    cr_assert_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_OK, "%s", error.message);
    cr_assert_eq(fabric.yarn_count, 2);
    double first = hed_fabric_length(&fabric, 0), second = hed_fabric_length(&fabric, 1);
    hed_fabric_free(&fabric);
    double expected = (300e-6 * first + 600e-6 * second) / (first + second);
    const double rounding = 1e-12; // of sums of a few thousand lengths
    cr_expect_float_eq(
        linear_density("pattern: jacquard, rows: 6, stitches: 8, counts: [300 tex, 600 tex]"),
        expected, expected * rounding);
    cr_expect_float_eq(
        linear_density(
            "pattern: jacquard, rows: 6, stitches: 8, count: 600 tex, counts: [300 tex]"),
        expected, expected * rounding);
    // A yarn of unknown count does not make the others lighter.
    cr_expect_float_eq(linear_density("pattern: jacquard, rows: 6, stitches: 8, counts: [300 tex]"),
                       300e-6, 300e-6 * rounding);
}

// A yarn count stands wherever a mass by length is asked for: 1 Ne is 590.541 tex.
Test(scene_knit, counts_as_linear_density) {
    const char* counts[] = {"Ne 20", "20 Ne", "Nm 34", "2/34 Nm", "30 tex", "270 den", "300 dtex"};
    const double expected[] = {29.52706e-6, 29.52706e-6, 1e-3 / 34.0, 2e-3 / 34.0,
                               30e-6,       30e-6,       30e-6};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        char text[256];
        HedScene* scene = NULL;
        HedError error = {0};
        double value = 0.0;
        snprintf(text, sizeof text,
                 "heddle: 1\nyarns:\n  - line: {to: [1, 0, 0]}\n    linear_density: %s\n",
                 counts[i]);
        cr_assert_eq(
            hed_scene_parse(text, strlen(text), "test.yaml", NULL, NULL, 0, &scene, &error), HED_OK,
            "%s: %s", counts[i], error.message);
        const char* at = strstr(hed_scene_text(scene), "linear_density: ");
        cr_assert(at && sscanf(at, "linear_density: %lf", &value) == 1);
        // The text of a resolved scene has at least six digits of a number.
        cr_expect_float_eq(value, expected[i], 1e-6 * expected[i], "%s: %g", counts[i], value);
        hed_scene_destroy(scene);
    }
}

Test(scene_knit, bad_counts) {
    HedScene* scene = NULL;
    HedError error = {0};
    cr_expect_neq(parse("pattern: jacquard, counts: [300 tex, heavy]", &scene, &error), HED_OK);
    cr_expect(strstr(error.message, "test.yaml:5:") == error.message, "%s", error.message);
    cr_expect(strstr(error.message, "heavy"), "%s", error.message);
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    const double densities[] = {1e-4, -1.0};
    def.pattern = "jacquard";
    def.linear_densities = densities;
    def.linear_density_count = 2;
    cr_expect_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_INVALID);
    cr_expect(strstr(error.message, "yarn 1 must be positive, got -1"), "%s", error.message);
    hed_fabric_free(&fabric);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}
