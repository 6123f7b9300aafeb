// SPDX-License-Identifier: MIT
// The fabric as a whole: what it feels, and how it moves.
#include "relax/relax.h"

#include "base/alloc.h"

#include <criterion/criterion.h>

// A fabric of one yarn of 1 m; points are lengths over its diameter then.
static HedFabric one_yarn(const HedVec3* points, int32_t count) {
    HedFabric fabric = {.point_count = count, .yarn_count = 1};
    fabric.points = HED_NEW_ARRAY(HedVec3, count);
    fabric.yarns = HED_NEW_ARRAY(HedFabricYarn, 1);
    cr_assert(fabric.points && fabric.yarns);
    fabric.yarns[0] = (HedFabricYarn){.count = count, .diameter = 1.0};
    for (int32_t i = 0; i < count; ++i) {
        fabric.points[i] = points[i];
    }
    return fabric;
}

Test(relax_whole, the_whole_feels_what_its_points_feel) {
    enum { COUNT = 31 };
    HedVec3 points[COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        points[i] = hed_vec3(i, 0.0, 0.0);
    }
    HedFabric fabric = one_yarn(points, COUNT);
    HedRelaxDef def = hed_relax_def_default();
    HedRelax relax = {0};
    def.threads = 1;
    def.shrink = 0.9;
    cr_assert_eq(hed_relax_create(&relax, &fabric, &def, NULL), HED_OK);
    cr_assert_eq(hed_relax_set_thickness(&relax, &fabric, 1.0, NULL), HED_OK);
    cr_assert_eq(hed_relax_find_force(&relax, NULL), HED_OK);
    cr_assert_eq(hed_relax_find_mass(&relax, NULL), HED_OK);
    hed_relax_whole_begin(&relax);
    hed_relax_whole_find(&relax);
    cr_assert(relax.whole.axes[0].is_on && !relax.whole.axes[1].is_on, "long along x alone");
    // One strand under tension k (1/0.9 - 1), which shortens it.
    double tension = def.stretch * (1.0 / 0.9 - 1.0);
    // A sum over 30 segments, rounded by 1e-16 each.
    cr_assert_float_eq(relax.whole.pull, tension, 1e-14 * tension);
    cr_assert(relax.whole.axes[0].force < 0.0);
    hed_relax_whole_move(&relax, (HedRelaxBlend){1.0, 0.0}, 1.0, 0.05);
    HedVec3 v = hed_relax_whole_velocity(&relax, relax.x[COUNT - 1]);
    // A rounding of the greatest part that it may move by.
    cr_assert(v.x < 0.0 && v.x >= -0.05 - 1e-16 && v.y == 0.0, "%g", v.x);
    hed_relax_free(&relax);
    hed_fabric_free(&fabric);
}

// Two yarns that cross, a diameter apart.
static HedFabric cross(void) {
    enum { COUNT = 9 };
    HedFabric fabric = {.point_count = 2 * COUNT, .yarn_count = 2};
    fabric.points = HED_NEW_ARRAY(HedVec3, 2 * COUNT);
    fabric.yarns = HED_NEW_ARRAY(HedFabricYarn, 2);
    cr_assert(fabric.points && fabric.yarns);
    for (int32_t k = 0; k < 2; ++k) {
        fabric.yarns[k] = (HedFabricYarn){.first = k * COUNT, .count = COUNT, .diameter = 1.0};
        for (int32_t i = 0; i < COUNT; ++i) {
            double s = i - COUNT / 2;
            fabric.points[k * COUNT + i] = k == 0 ? hed_vec3(s, 0.0, 0.0) : hed_vec3(0.0, s, 1.0);
        }
    }
    return fabric;
}

// The second yarn goes to a height above the first one, in one straight way.
static HedStatus lift(double height, HedError* error) {
    HedFabric fabric = cross();
    HedRelaxDef def = hed_relax_def_default();
    HedRelax relax = {0};
    def.threads = 1;
    cr_assert_eq(hed_relax_create(&relax, &fabric, &def, NULL), HED_OK);
    cr_assert_eq(hed_relax_set_thickness(&relax, &fabric, 1.0, NULL), HED_OK);
    hed_relax_proof_begin(&relax);
    for (int32_t i = fabric.yarns[1].first; i < fabric.point_count; ++i) {
        relax.x[i].z = height;
    }
    HedStatus status = hed_relax_prove(&relax, error);
    cr_assert_eq(relax.proof_count, status == HED_OK ? 1 : 0);
    hed_relax_free(&relax);
    hed_fabric_free(&fabric);
    return status;
}

Test(relax_whole, yarns_that_passed_are_named) {
    HedError error = {0};
    cr_assert_eq(lift(0.2, &error), HED_OK, "%s", error.message);
    cr_assert_eq(lift(-0.2, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "relaxation: yarn 0 passed through yarn 1: links are not those "
                                    "of the fabric any more");
}

Test(relax_whole, relaxation_is_proved_from_start_to_end) {
    HedFabric fabric = cross();
    HedRelaxDef def = hed_relax_def_default();
    HedRelaxReport report;
    def.threads = 1;
    // Pressed into each other by a half, they come apart on their sides by half a diameter: in ways
    // of at most 0.15 of a thickness each.
    for (int32_t i = fabric.yarns[1].first; i < fabric.point_count; ++i) {
        fabric.points[i].z = 0.5;
    }
    cr_assert_eq(hed_fabric_relax(&fabric, &def, &report, NULL), HED_OK);
    cr_assert(report.is_quiet && report.proofs >= 2, "%d", report.proofs);
    cr_assert_gt(fabric.points[fabric.yarns[1].first].z, fabric.points[0].z);
    hed_fabric_free(&fabric);
}
