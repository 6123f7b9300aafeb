// SPDX-License-Identifier: MIT
// Relaxation of fabrics: forces against energies, cases with an exact answer, knits, bad input.
#include "heddle/knit.h"
#include "heddle/relax.h"

#include "base/alloc.h"
#include "base/random.h"
#include "relax/kernel_chain.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static HedVec3 draw3(uint64_t stream, uint64_t k) {
    return hed_vec3(hed_random_uniform(7, stream, 3 * k), hed_random_uniform(7, stream, 3 * k + 1),
                    hed_random_uniform(7, stream, 3 * k + 2));
}

// Energy of two pieces and the turn between them.
static double energy_of(const HedVec3 x[3]) {
    return hed_piece_eval(x[0], x[1], 0.7, 20.0).energy +
           hed_piece_eval(x[1], x[2], 0.9, 20.0).energy +
           hed_turn_eval(x[0], x[1], x[2], 1.3, 0.8).energy;
}

Test(relax, kernels_are_gradients_of_their_energies) {
    const double h = 1e-6;
    for (uint64_t n = 0; n < 50; ++n) {
        HedVec3 x[3] = {draw3(n, 0), hed_add3(draw3(n, 1), hed_vec3(1.0, 0.0, 0.0)),
                        hed_add3(draw3(n, 2), hed_vec3(2.0, 0.5, 0.0))};
        HedPieceOut a = hed_piece_eval(x[0], x[1], 0.7, 20.0);
        HedPieceOut b = hed_piece_eval(x[1], x[2], 0.9, 20.0);
        HedTurnOut t = hed_turn_eval(x[0], x[1], x[2], 1.3, 0.8);
        HedVec3 middle = hed_mul3(-1.0, hed_add3(t.first, t.last));
        HedVec3 grad[3] = {hed_sub3(t.first, a.grad), hed_add3(middle, hed_sub3(a.grad, b.grad)),
                           hed_add3(t.last, b.grad)};
        for (int i = 0; i < 9; ++i) {
            HedVec3 up[3], down[3];
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            hed_set3(&up[i / 3], i % 3, hed_get3(x[i / 3], i % 3) + h);
            hed_set3(&down[i / 3], i % 3, hed_get3(x[i / 3], i % 3) - h);
            double slope = (energy_of(up) - energy_of(down)) / (2.0 * h);
            // Central differences: h^2 times the third derivative, and rounding over h.
            cr_assert_float_eq(hed_get3(grad[i / 3], i % 3), slope, 1e-6 * (1.0 + fabs(slope)));
        }
    }
}

// Yarns of 1 mm in a row of points each; freed by the caller.
static HedFabric make_fabric(int32_t yarns, int32_t count) {
    HedFabric fabric = {0};
    fabric.points = HED_NEW_ARRAY(HedVec3, yarns * (int64_t)count);
    fabric.yarns = HED_NEW_ARRAY(HedFabricYarn, yarns);
    cr_assert(fabric.points && fabric.yarns);
    fabric.point_count = yarns * count;
    fabric.yarn_count = yarns;
    for (int32_t k = 0; k < yarns; ++k) {
        fabric.yarns[k] = (HedFabricYarn){
            .first = k * count, .count = count, .diameter = 1e-3, .color = HED_COLOR_NONE};
    }
    return fabric;
}

static HedRelaxDef make_def(void) {
    HedRelaxDef def = hed_relax_def_default();
    def.threads = 1;
    return def;
}

Test(relax, a_free_yarn_takes_its_length_and_becomes_straight) {
    HedFabric fabric = make_fabric(1, 11);
    for (int32_t i = 0; i < 11; ++i) {
        fabric.points[i] = hed_vec3(1e-3 * i, 2e-4 * (i % 2), 0.0);
    }
    double start = 10.0 * hypot(1e-3, 2e-4);
    HedRelaxDef def = make_def();
    HedRelaxReport report;
    HedError error = {0};
    def.shrink = 0.9;
    def.force = 1e-6;
    def.speed = 1e-6;
    cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, &error), HED_OK, "%s", error.message);
    cr_assert(report.is_quiet);
    double span = hed_distance3(fabric.points[0], fabric.points[10]);
    // 1e-6 B/d^2 unbalanced over a stiffness of 20 B/d^2 is a strain of 5e-8; what is left of the
    // zigzag shortens it in second order: unbalanced forces of 1e-6 leave turns below 1e-4.
    cr_assert_float_eq(span / (0.9 * start), 1.0, 1e-6);
    hed_fabric_free(&fabric);
}

Test(relax, a_held_yarn_pulls_with_stiffness_times_strain) {
    HedFabric fabric = make_fabric(1, 6);
    uint8_t held[6] = {1, 0, 0, 0, 0, 1};
    double lengths[6];
    HedVec3 forces[6];
    for (int32_t i = 0; i < 6; ++i) {
        fabric.points[i] = hed_vec3(1.1e-3 * i, 0.0, 0.0);
        lengths[i] = 1e-3;
    }
    fabric.points[2].x += 1e-4;
    HedRelaxDef def = make_def();
    HedRelaxReport report;
    def.lengths = lengths;
    def.is_held = held;
    def.forces = forces;
    def.force = 1e-7;
    cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, NULL), HED_OK);
    cr_assert(report.is_quiet);
    // Strain 0.1 at 20 B/d^2; each of five pieces may be off by the force that stays unbalanced.
    cr_assert_float_eq(forces[5].x, 2.0, 1e-6);
    // The same five pieces.
    cr_assert_float_eq(forces[0].x, -2.0, 1e-6);
    // The forces of five pieces, 5e-7, over a stiffness of 20.
    cr_assert_float_eq(report.strain, 0.1, 2.5e-8);
    hed_fabric_free(&fabric);
}

// Two straight yarns that cross, centre lines `apart` diameters from each other.
static HedFabric make_cross(double apart) {
    HedFabric fabric = make_fabric(2, 13);
    for (int32_t i = 0; i < 13; ++i) {
        fabric.points[i] = hed_vec3(1e-3 * (i - 6), 0.0, 0.5e-3 * apart);
        fabric.points[13 + i] = hed_vec3(0.0, 1e-3 * (i - 6), -0.5e-3 * apart);
    }
    return fabric;
}

static double depth_of(const HedFabric* fabric) {
    return (fabric->points[6].z - fabric->points[19].z) / 1e-3;
}

Test(relax, yarns_that_start_in_each_other_come_apart_on_their_sides) {
    static const double APART[] = {0.02, 0.1, 0.5, 0.9};
    for (size_t k = 0; k < sizeof APART / sizeof APART[0]; ++k) {
        HedFabric fabric = make_cross(APART[k]);
        HedRelaxDef def = make_def();
        HedRelaxReport report;
        HedError error = {0};
        cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, &error), HED_OK, "%s", error.message);
        cr_assert(report.is_quiet);
        // Nothing presses them together: they end touching or apart, up to what a force of 0.01
        // B/d^2 can press in, and on the side where they began.
        cr_assert_gt(depth_of(&fabric), 0.97);
        cr_assert_lt(report.overlap, 0.03);
        double mean = 0.0;
        for (int32_t i = 0; i < 26; ++i) {
            mean += fabric.points[i].z / 26e-3;
        }
        // What they do to each other adds up to nothing, to rounding.
        cr_assert_float_eq(mean, 0.0, 1e-12);
        hed_fabric_free(&fabric);
    }
}

Test(relax, plates_keep_yarns_between_them) {
    HedFabric fabric = make_cross(3.0);
    HedRelaxDef def = make_def();
    HedRelaxReport report;
    def.plates = 2.0;
    cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, NULL), HED_OK);
    cr_assert(report.is_quiet);
    // Two yarns fill the space: no more than they can be pressed in by 0.01 B/d^2.
    for (int32_t i = 0; i < 26; ++i) {
        // Half of what plates leave, and 2 % of a radius for a force of 0.01 B/d^2.
        cr_assert_lt(fabs(fabric.points[i].z), 0.51e-3);
    }
    hed_fabric_free(&fabric);
}

static HedStatus knit(HedFabric* fabric) {
    HedKnitDef def = hed_knit_def_default();
    def.pattern = "stockinette";
    def.rows = 3;
    def.stitches = 3;
    return hed_knit_create(&def, fabric, NULL, NULL);
}

Test(relax, same_bits_for_any_number_of_threads) {
    HedFabric fabric[3] = {{0}};
    for (int k = 0; k < 3; ++k) {
        cr_assert_eq(knit(&fabric[k]), HED_OK);
        HedRelaxDef def = make_def();
        def.threads = k + 1;
        def.limit = 150;
        cr_assert_eq(hed_fabric_relax(&fabric[k], &def, NULL, NULL), HED_OK);
    }
    size_t bytes = sizeof(HedVec3) * (size_t)fabric[0].point_count;
    cr_assert_eq(memcmp(fabric[0].points, fabric[1].points, bytes), 0);
    cr_assert_eq(memcmp(fabric[0].points, fabric[2].points, bytes), 0);
    for (int k = 0; k < 3; ++k) {
        hed_fabric_free(&fabric[k]);
    }
}

static HedVec3 size_of(const HedFabric* fabric) {
    HedVec3 low = fabric->points[0], high = low;
    for (int32_t i = 1; i < fabric->point_count; ++i) {
        HedVec3 x = fabric->points[i];
        low = hed_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = hed_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return hed_sub3(high, low);
}

Test(relax, a_small_knit_comes_to_rest) {
    HedFabric fabric = {0};
    cr_assert_eq(knit(&fabric), HED_OK);
    HedVec3 start = size_of(&fabric);
    HedRelaxDef def = make_def();
    HedRelaxReport report;
    double before = hed_fabric_length(&fabric, 0);
    HedError error = {0};
    cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, &error), HED_OK, "%s", error.message);
    cr_assert(report.is_quiet, "%d iterations, force %g, speed %g", report.iterations, report.force,
              report.speed);
    cr_assert_gt(report.stages, 1);             // it starts with overlaps
    cr_assert_gt(report.proofs, report.stages); // at least one in each, and some on the way
    cr_assert_leq(report.force, def.force);
    cr_assert_leq(report.speed, def.speed);
    // The docs promise a tenth.
    cr_assert_lt(report.overlap, 0.1);
    cr_assert_lt(report.strain, 0.05);
    // Bending pulls with a tenth of B/d^2, against a stiffness of 20.
    cr_assert_float_eq(hed_fabric_length(&fabric, 0) / before, 1.0, 0.01);
    // Loops that had come apart would leave a yarn many times longer than the swatch; one that
    // holds keeps about its size, whatever its edges do.
    HedVec3 end = size_of(&fabric);
    printf("from %.1f x %.1f to %.1f x %.1f mm\n", 1e3 * start.x, 1e3 * start.y, 1e3 * end.x,
           1e3 * end.y);
    cr_assert(end.x > 0.5 * start.x && end.x < 1.5 * start.x);
    cr_assert(end.y > 0.5 * start.y && end.y < 1.5 * start.y);
    hed_fabric_free(&fabric);
}

static void expect(HedFabric* fabric, const HedRelaxDef* def, const char* text) {
    HedError error = {0};
    HedVec3 first = fabric->points[0];
    cr_assert_eq(hed_fabric_relax(fabric, def, NULL, &error), HED_INVALID, "%s", text);
    cr_assert(strstr(error.message, text), "'%s' does not say '%s'", error.message, text);
    cr_assert(memcmp(&first, &fabric->points[0], sizeof first) == 0);
}

Test(relax, bad_input_is_named) {
    HedFabric fabric = make_cross(1.0);
    HedRelaxDef def = make_def();
    def.stamp = 0;
    expect(&fabric, &def, "hed_relax_def_default");
    def = make_def();
    def.stretch = 0.0;
    expect(&fabric, &def, "'stretch'");
    def = make_def();
    def.contact = NAN;
    expect(&fabric, &def, "'contact'");
    def = make_def();
    def.plates = 1.0;
    expect(&fabric, &def, "'plates'");
    def = make_def();
    fabric.points[3].y = NAN;
    expect(&fabric, &def, "point 3 is not finite");
    fabric.points[3] = fabric.points[2];
    expect(&fabric, &def, "from point 2");
    fabric.points[3].x = -3e-3;
    fabric.yarns[1].diameter = 0.0;
    expect(&fabric, &def, "yarn 1");
    hed_fabric_free(&fabric);
    fabric = make_cross(0.0);
    expect(&fabric, &def, "start in each other");
    hed_fabric_free(&fabric);
    fabric = (HedFabric){0};
    cr_assert_eq(hed_fabric_relax(&fabric, &def, NULL, NULL), HED_OK);
}

static bool stop_at_once(void* context) {
    *(int*)context += 1;
    return true;
}

Test(relax, stops_when_asked) {
    HedFabric fabric = make_cross(0.1);
    HedRelaxDef def = make_def();
    int calls = 0;
    def.stop = stop_at_once;
    def.context = &calls;
    cr_assert_eq(hed_fabric_relax(&fabric, &def, NULL, NULL), HED_STOPPED);
    cr_assert_eq(calls, 1);
    hed_fabric_free(&fabric);
}

Test(relax, every_failed_allocation_is_reported) {
    for (int64_t n = 1;; ++n) {
        HedFabric fabric = make_cross(0.4);
        HedRelaxDef def = make_def();
        HedError error = {0};
        int64_t live = hed_alloc_stats().live_count;
        def.limit = 60;
        hed_alloc_fail_at(n);
        HedStatus status = hed_fabric_relax(&fabric, &def, NULL, &error);
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, live);
        hed_fabric_free(&fabric);
        if (status == HED_OK) {
            cr_assert_gt(n, 20);
            break;
        }
        cr_assert_eq(status, HED_NO_MEMORY, "%ld: %s", (long)n, error.message);
    }
}
