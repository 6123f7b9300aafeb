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
    cr_assert_float_eq(relax.whole.pull, tension, 1e-12 * tension);
    cr_assert(relax.whole.axes[0].force < 0.0);
    hed_relax_whole_move(&relax, (HedRelaxBlend){1.0, 0.0}, 1.0, 0.05);
    HedVec3 v = hed_relax_whole_velocity(&relax, relax.x[COUNT - 1]);
    cr_assert(v.x < 0.0 && v.x >= -0.05 - 1e-15 && v.y == 0.0, "%g", v.x);
    hed_relax_free(&relax);
    hed_fabric_free(&fabric);
}
