// SPDX-License-Identifier: MIT
// Fabrics that repeat for ever: cut out of larger ones, put together again, relaxed.
#include "base/alloc.h"
#include "heddle/knit.h"
#include "heddle/relax.h"
#include "heddle/weave.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

// m: places and sides of some centimetres, a few operations.
static const double ROUNDING = 1e-15;

// A knit of a number of rows and stitches, without edges.
static HedStatus knit_without_edges(const char* name, int32_t rows, int32_t stitches) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric;
    def.pattern = name;
    def.rows = rows;
    def.stitches = stitches;
    def.is_periodic = true;
    HedStatus status = hed_knit_create(&def, &fabric, NULL, NULL);
    hed_fabric_free(&fabric);
    return status;
}

// Each flat pattern begins again after its repeat, and not after a part of it.
Test(repeat, patterns_begin_again_after_their_repeat, .timeout = 60) {
    int32_t flat = 0;
    for (int32_t k = 0; hed_knit_pattern_name(k); ++k) {
        const char* name = hed_knit_pattern_name(k);
        HedKnitRepeat one = hed_knit_pattern_repeat(name);
        int32_t rows = one.rows < 2 ? 2 : one.rows;
        int32_t stitches = one.stitches < 2 ? 2 : one.stitches;
        flat += one.rows > 0;
        if (one.rows == 0) {
            cr_expect_neq(knit_without_edges(name, 4, 4), HED_OK, "%s", name);
            continue;
        }
        cr_expect_eq(knit_without_edges(name, rows, stitches), HED_OK, "%s", name);
        if (one.rows > 2) {
            cr_expect_neq(knit_without_edges(name, rows / 2, stitches), HED_OK, "%s", name);
        }
        if (one.stitches > 2) {
            cr_expect_neq(knit_without_edges(name, rows, stitches / 2), HED_OK, "%s", name);
        }
    }
    cr_assert_eq(flat, 11);
    cr_assert_eq(hed_knit_pattern_repeat("no pattern").rows, 0);
}

static HedFabric weave(const char* pattern, int32_t times, double sett, bool is_periodic) {
    HedWeave draft = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_named(pattern, &draft, &error), HED_OK, "%s", error.message);
    HedWeaveDef def = hed_weave_def_default();
    def.warp.count = times * draft.end_count;
    def.weft.count = times * draft.pick_count;
    def.warp.sett = def.weft.sett = sett;
    def.warp.diameter = def.weft.diameter = 0.5e-3;
    def.is_periodic = is_periodic;
    cr_assert_eq(hed_weave_build(&draft, &def, &fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&draft);
    return fabric;
}

static HedStatus try_knit(const char* pattern, int32_t rows, int32_t stitches, HedFabric* fabric,
                          HedKnitReport* report, HedError* error) {
    HedKnitDef def = hed_knit_def_default();
    def.pattern = pattern;
    def.rows = rows;
    def.stitches = stitches;
    def.is_periodic = true;
    return hed_knit_create(&def, fabric, report, error);
}

// Tiles of a repeat are the inside of a cloth that was woven as a whole.
Test(repeat, weave_is_the_middle_of_a_cloth) {
    static const char* const PATTERNS[] = {"plain", "twill 2/2", "satin 5", "basket 2/2"};
    for (int k = 0; k < 4; ++k) {
        HedError error = {0};
        HedFabric one = weave(PATTERNS[k], 1, 800.0, true);
        HedFabric four = {0};
        HedFabric large = weave(PATTERNS[k], 6, 800.0, false);
        cr_assert_eq(hed_fabric_tile(&one, 4, 4, &four, &error), HED_OK, "%s", error.message);
        cr_expect_eq(hed_fabric_check(&one, &error), HED_OK, "%s", error.message);
        cr_expect_eq(hed_fabric_check(&four, &error), HED_OK, "%s", error.message);
        cr_expect_eq(four.crossing_count, 16 * one.crossing_count);
        double worst = 0.0; // of points of the tiles from the nearest of the cloth
        for (int32_t i = 0; i < four.point_count; i += 5) {
            double nearest = HUGE_VAL;
            for (int32_t j = 0; j < large.point_count; ++j) {
                HedVec3 x = hed_sub3(four.points[i], hed_mul3(1.5, one.period[0]));
                x = hed_sub3(x, hed_mul3(1.5, one.period[1]));
                HedVec3 y = large.points[j];
                nearest = fmin(nearest, hed_distance3(x, y));
            }
            worst = fmax(worst, nearest);
        }
        cr_expect_lt(worst, ROUNDING, "%s: %g", PATTERNS[k], worst);
        hed_fabric_free(&one);
        hed_fabric_free(&four);
        hed_fabric_free(&large);
    }
}

// Rows meet their copies, and the loops of the tiles hold each other like those of a whole fabric:
// the proof of the whole stands in hed_knit_create.
Test(repeat, knits_repeat) {
    static const char* const PATTERNS[] = {"stockinette", "garter", "rib-1x1", "rib-2x2", "seed"};
    for (int k = 0; k < 5; ++k) {
        HedFabric fabric = {0}, tiles = {0};
        HedError error = {0};
        HedKnitReport report;
        cr_assert_eq(try_knit(PATTERNS[k], 4, 4, &fabric, &report, &error), HED_OK, "%s",
                     error.message);
        cr_expect_eq(fabric.yarn_count, 4);
        cr_expect_eq(report.loop_count, 16);
        // 16.66 diameters of the model, less what corners cut.
        cr_expect_float_eq(report.loop_length, 16.66e-3, 0.1 * 16.66e-3, "%g", report.loop_length);
        cr_expect_float_eq(fabric.period[0].x, 4.0 * report.wale_spacing, ROUNDING);
        cr_expect_float_eq(fabric.period[1].y, 4.0 * report.course_spacing, ROUNDING);
        cr_assert_eq(hed_fabric_tile(&fabric, 2, 2, &tiles, &error), HED_OK, "%s", error.message);
        for (int32_t y = 0; y < tiles.yarn_count; ++y) { // no jumps at the seams
            const HedFabricYarn* yarn = &tiles.yarns[y];
            double mean = hed_fabric_length(&tiles, y) / (yarn->count - 1);
            for (int32_t i = yarn->first; i < yarn->first + yarn->count - 1; ++i) {
                double piece = hed_distance3(tiles.points[i], tiles.points[i + 1]);
                cr_expect(piece < 1.2 * mean && piece > 0.7 * mean, "%g of %g", piece, mean);
            }
        }
        hed_fabric_free(&fabric);
        hed_fabric_free(&tiles);
    }
}

Test(repeat, what_does_not_repeat_is_refused) {
    HedFabric fabric = {0};
    HedError error = {0};
    cr_expect_eq(try_knit("rib-1x1", 2, 3, &fabric, NULL, &error), HED_INVALID);
    cr_expect(strstr(error.message, "does not begin again after 2 rows and 3 stitches"), "%s",
              error.message);
    hed_fabric_free(&fabric);
    cr_expect_eq(try_knit("garter", 3, 2, &fabric, NULL, &error), HED_INVALID, "%s", error.message);
    hed_fabric_free(&fabric);
    HedKnitDef def = hed_knit_def_default();
    def.chart = "k k k";
    def.is_periodic = true;
    cr_expect_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_UNSUPPORTED);
    hed_fabric_free(&fabric);
    fabric = weave("plain", 1, 800.0, true);
    cr_expect_eq(hed_fabric_tile(&fabric, 0, 2, &fabric, &error), HED_INVALID);
    hed_fabric_free(&fabric);
}

static HedRelaxReport relax(HedFabric* fabric, HedRelaxDef def) {
    HedRelaxReport report;
    HedError error = {0};
    def.threads = 1;
    cr_assert_eq(hed_fabric_relax(fabric, &def, &report, &error), HED_OK, "%s", error.message);
    cr_assert(report.is_quiet, "%g", report.force);
    return report;
}

// One yarn along x; freed by the caller.
static HedFabric straight(void) {
    HedFabric fabric = {.point_count = 5, .yarn_count = 1};
    fabric.points = HED_NEW_ARRAY(HedVec3, 5);
    fabric.yarns = HED_NEW_ARRAY(HedFabricYarn, 1);
    cr_assert(fabric.points && fabric.yarns);
    for (int k = 0; k < 5; ++k) {
        fabric.points[k] = hed_vec3(2e-3 * k, 1e-4 * (k % 2), 0.0);
    }
    fabric.yarns[0] =
        (HedFabricYarn){.count = 5, .color = HED_COLOR_NONE, .diameter = 1e-3, .turns = {1, 0}};
    fabric.period[0].x = 10e-3;
    return fabric;
}

// Of k = 20 B/d^2, pulled by 1 B/d^2, it is longer by a twentieth; held, it pulls by k times
// strain.
Test(repeat, straight_yarn_is_pulled) {
    HedRelaxDef def = hed_relax_def_default();
    double lengths[5];
    for (int k = 0; k < 5; ++k) {
        lengths[k] = 2e-3;
    }
    def.lengths = lengths;
    def.force = 1e-7;
    def.pull[0] = 1.0;
    HedFabric fabric = straight();
    HedRelaxReport report = relax(&fabric, def);
    // A force of 1e-7 may be left on each of five vertices: 2.5e-8 of strain of 10.5 mm.
    cr_expect_float_eq(fabric.period[0].x, 10.5e-3, 2.7e-10, "%.9g", fabric.period[0].x);
    // The same five forces.
    cr_expect_float_eq(report.pull[0], 1.0, 5e-7);
    hed_fabric_free(&fabric);
    fabric = straight();
    fabric.period[0].x = 10.2e-3;
    def.pull[0] = 0.0;
    def.holds_period[0] = true;
    report = relax(&fabric, def);
    cr_expect_eq(fabric.period[0].x, 10.2e-3);
    // The same five forces.
    cr_expect_float_eq(report.pull[0], 0.4, 5e-7, "%g", report.pull[0]);
    hed_fabric_free(&fabric);
}

// The same cloth as one repeat and as two by two. The vectors are free; forces of 1e-4 against
// stiffnesses of contact and stretching (20) leave 1e-3 of the size open at most.
Test(repeat, two_by_two_relax_as_one) {
    double size[2][2], energy[2];
    for (int k = 0; k < 2; ++k) {
        HedRelaxDef def = hed_relax_def_default();
        def.friction = 0.0;
        def.force = 1e-4;
        HedFabric fabric = weave("plain", k + 1, 900.0, true);
        HedRelaxReport report = relax(&fabric, def);
        size[k][0] = fabric.period[0].x;
        size[k][1] = fabric.period[1].y;
        energy[k] = report.energy;
        cr_expect_eq(hed_fabric_check(&fabric, NULL), HED_OK);
        hed_fabric_free(&fabric);
    }
    // 1e-3 of either.
    cr_expect_float_eq(size[1][0], 2.0 * size[0][0], 2e-3 * size[1][0], "%g %g", size[0][0],
                       size[1][0]);
    // The same.
    cr_expect_float_eq(size[1][1], 2.0 * size[0][1], 2e-3 * size[1][1]);
    // The energy is stationary at rest: 20 times the square of 1e-3.
    cr_expect_float_eq(energy[1], 4.0 * energy[0], 1e-4 * energy[1]);
}

// A knit that repeats comes to rest at a size of its own, and neither yarns nor rows run away.
Test(repeat, stockinette_rests) {
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(try_knit("stockinette", 2, 2, &fabric, NULL, &error), HED_OK, "%s", error.message);
    HedVec3 start[2] = {fabric.period[0], fabric.period[1]};
    HedRelaxReport report = relax(&fabric, hed_relax_def_default());
    for (int k = 0; k < 2; ++k) {
        double ratio = hed_norm3(fabric.period[k]) / hed_norm3(start[k]);
        // Beyond what is left open of a size, and within what plain knits differ by.
        cr_expect(ratio > 0.75 && ratio < 1.25 && fabs(ratio - 1.0) > 1e-3, "%g", ratio);
        cr_expect_lt(fabs(report.pull[k]), 2 * 0.01); // of two yarns
    }
    cr_expect_lt(report.overlap, 0.1);
    hed_fabric_free(&fabric);
}

Test(repeat, no_memory) {
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; n < 3000 && status != HED_OK; ++n) {
        HedFabric fabric = {0}, tiles = {0};
        HedRelaxDef def = hed_relax_def_default();
        HedError error = {0};
        def.threads = 1;
        def.limit = 2;
        int64_t live = hed_alloc_stats().live_bytes;
        hed_alloc_fail_at(n);
        status = try_knit("stockinette", 2, 2, &fabric, NULL, &error);
        if (status == HED_OK) {
            status = hed_fabric_relax(&fabric, &def, NULL, &error);
        }
        if (status == HED_OK) {
            status = hed_fabric_tile(&fabric, 2, 2, &tiles, &error);
        }
        hed_alloc_fail_at(0);
        hed_fabric_free(&fabric);
        hed_fabric_free(&tiles);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%lld: %s", (long long)n,
                  error.message);
        cr_assert_eq(hed_alloc_stats().live_bytes, live);
    }
    cr_expect_eq(status, HED_OK);
}

// At rest the energy changes with a vector as fast as the repeat pulls on it.
Test(repeat, pull_is_the_slope_of_the_energy) {
    static const double AT[3] = {-1.0, 0.0, 1.0};
    const double step = 0.002; // of the length: differences of second order, 1e-4 seen
    double energy[3], pull = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k) {
        HedRelaxDef def = hed_relax_def_default();
        def.friction = 0.0;
        def.force = 1e-5;
        def.speed = 1e-5;
        def.holds_period[0] = def.holds_period[1] = true;
        HedFabric fabric = weave("plain", 1, 900.0, true);
        double lengths[2 * 2 * 2 * 8];
        for (int32_t i = 0; i < fabric.point_count; ++i) { // of the same yarn in all cases
            lengths[i] = 1.12e-3 / 8;                      // taut
        }
        def.lengths = lengths;
        length = fabric.period[0].x / 0.5e-3; // in diameters
        fabric.period[0].x *= 1.0 + step * AT[k];
        HedRelaxReport report = relax(&fabric, def);
        energy[k] = report.energy;
        pull = k == 1 ? report.pull[0] : pull;
        hed_fabric_free(&fabric);
    }
    double slope = (energy[2] - energy[0]) / (2.0 * step * length);
    cr_expect(fabs(slope) > 0.1, "%g", slope);
    // The square of the step, and forces that are open by 1e-5 of 2.4.
    cr_expect_float_eq(pull, slope, 2e-5 * fabs(slope), "%g %g", pull, slope);
}
