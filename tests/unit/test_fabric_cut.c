// SPDX-License-Identifier: MIT
// Rectangles cut out of woven fabrics.
#include "heddle/fabric.h"
#include "heddle/net.h"
#include "heddle/weave.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double SPACING = 1e-3;

static void weave(int32_t threads, HedFabric* fabric) {
    HedError error = {0};
    HedWeave plain = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.warp = def.weft = (HedThreadDef){.count = threads,
                                         .sett = 1.0 / SPACING,
                                         .linear_density = 2.5e-5,
                                         .diameter = 2e-4,
                                         .color = HED_COLOR_NONE};
    cr_assert_eq(hed_weave_named("plain", &plain, &error), HED_OK);
    cr_assert_eq(hed_weave_build(&plain, &def, fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&plain);
}

static HedVec3 place_of(const HedFabric* fabric, HedFabricPlace place) {
    const HedFabricYarn* yarn = &fabric->yarns[place.yarn];
    int32_t k = (int32_t)place.at;
    k = k > yarn->count - 2 ? yarn->count - 2 : k;
    HedVec3 a = fabric->points[yarn->first + k], b = fabric->points[yarn->first + k + 1];
    double t = place.at - k;
    return (HedVec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

// Crossings are where both yarns are, one above the other; all points are inside, and the ends on
// the rim.
static void check_cut(const HedFabric* fabric, double width, double height) {
    for (int32_t k = 0; k < fabric->point_count; ++k) {
        // m: places of a centimetre are rounded by 2e-18 m, a few times each.
        const double rounding = 1e-17;
        cr_assert_leq(fabs(fabric->points[k].x), 0.5 * width + rounding);
        cr_assert_leq(fabs(fabric->points[k].y), 0.5 * height + rounding);
    }
    for (int32_t k = 0; k < fabric->crossing_count; ++k) {
        HedVec3 over = place_of(fabric, fabric->crossings[k].over);
        HedVec3 under = place_of(fabric, fabric->crossings[k].under);
        // m: a few roundings of 2e-18.
        cr_assert_float_eq(over.x, under.x, 1e-17);
        // The same.
        cr_assert_float_eq(over.y, under.y, 1e-17);
        cr_assert_float_eq(over.z - under.z, 2e-4, 1e-6); // a diameter
    }
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        const HedFabricYarn* yarn = &fabric->yarns[y];
        for (int end = 0; end < 2; ++end) {
            HedVec3 x = fabric->points[yarn->first + (end ? yarn->count - 1 : 0)];
            double off = fmin(fabs(fabs(x.x) - 0.5 * width), fabs(fabs(x.y) - 0.5 * height));
            // The same.
            cr_assert_lt(off, 1e-17, "yarn %d", y);
        }
    }
}

Test(fabric_cut, straight) {
    HedFabric fabric = {0}, cut = {0};
    HedError error = {0};
    weave(12, &fabric);
    cr_assert_eq(hed_fabric_cut_out(&fabric, (HedFabricCut){0.0, 6e-3, 4e-3}, &cut, &error), HED_OK,
                 "%s", error.message);
    cr_assert_eq(cut.yarn_count, 6 + 4);
    cr_assert_eq(cut.crossing_count, 6 * 4);
    cr_assert_str_eq(cut.yarns[0].name, "warp");
    cr_assert_str_eq(cut.yarns[9].name, "weft");
    check_cut(&cut, 6e-3, 4e-3);
    hed_fabric_free(&fabric);
    hed_fabric_free(&cut);
}

// At any angle crossings are as dense as before: their number is the area over that of a cell, but
// for the rim. And a network can be made of it.
Test(fabric_cut, turned) {
    const double angles[] = {0.3, 0.785398163397448, 1.2, -2.0};
    for (size_t k = 0; k < sizeof angles / sizeof angles[0]; ++k) {
        HedFabric fabric = {0}, cut = {0};
        HedNet net = {0};
        HedNetDef def = hed_net_def_default();
        HedError error = {0};
        weave(40, &fabric);
        double width = 12e-3, height = 20e-3;
        cr_assert_eq(
            hed_fabric_cut_out(&fabric, (HedFabricCut){angles[k], width, height}, &cut, &error),
            HED_OK, "%s", error.message);
        check_cut(&cut, width, height);
        double expected = width * height / (SPACING * SPACING);
        double rim = (width + height) / SPACING;
        // Half of the cells that the rim cuts.
        cr_assert_float_eq(cut.crossing_count, expected, 0.5 * rim);
        cr_assert_eq(hed_net_create(&cut, &def, &net, &error), HED_OK, "%s", error.message);
        cr_assert_eq(net.node_count, cut.crossing_count + 2 * cut.yarn_count);
        hed_net_free(&net);
        hed_fabric_free(&fabric);
        hed_fabric_free(&cut);
    }
}

Test(fabric_cut, refused) {
    HedFabric fabric = {0}, cut = {0};
    HedError error = {0};
    weave(12, &fabric);
    const HedFabricCut bad[] = {{(double)NAN, 1e-3, 1e-3},
                                {0.0, 0.0, 1e-3},
                                {0.0, 1e-3, -1.0},
                                {0.0, (double)INFINITY, 1.0},
                                {0.0, 1e-6, 1e-6}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        cr_assert_eq(hed_fabric_cut_out(&fabric, bad[k], &cut, &error), HED_INVALID, "%zu", k);
        cr_assert_eq(cut.point_count, 0);
    }
    fabric.loop_count = 1;
    cr_assert_eq(hed_fabric_cut_out(&fabric, (HedFabricCut){0.0, 1e-3, 1e-3}, &cut, &error),
                 HED_UNSUPPORTED);
    fabric.loop_count = 0;
    hed_fabric_free(&fabric);
}
