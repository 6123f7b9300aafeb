// SPDX-License-Identifier: MIT
// Fabrics: building them, the order of crossings along yarns, and the check of their diagram.
#include "fabric/fabric.h"

#include "base/random.h"
#include "geom/linking.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: sums of a few lengths.
static const double ROUNDING = 1e-15;

static const double PI = 3.14159265358979323846;

static HedFabricYarn yarn_named(const char* name, bool is_closed) {
    HedFabricYarn yarn = {.is_closed = is_closed, .diameter = 1e-3, .linear_density = 1e-3};
    strcpy(yarn.name, name);
    return yarn;
}

static HedStatus add_yarn(HedFabric* fabric, const char* name, bool is_closed, const HedVec3* p,
                          int32_t count, HedError* error) {
    HedFabricYarn yarn = yarn_named(name, is_closed);
    HedStatus status = hed_fabric_add_yarn(fabric, &yarn, error);
    for (int32_t i = 0; i < count && status == HED_OK; ++i) {
        status = hed_fabric_add_point(fabric, p[i], error);
    }
    return status;
}

// A plain weave of straight ends and zigzag picks whose corners stand just over those of the ends.
static HedStatus build_weave(HedFabric* fabric, int32_t ends, int32_t picks, HedError* error) {
    HedStatus status = HED_OK;
    HedVec3 p[16];
    for (int32_t e = 0; e < ends; ++e) {
        for (int32_t k = 0; k < picks + 2; ++k) {
            p[k] = hed_vec3(e, k - 1, 0.0);
        }
        HED_TRY(add_yarn(fabric, "warp", false, p, picks + 2, error));
    }
    for (int32_t k = 0; k < picks; ++k) {
        for (int32_t e = 0; e < ends + 2; ++e) {
            p[e] = hed_vec3(e - 1, k, (e - 1 + k) % 2 == 0 ? 1.0 : -1.0);
        }
        HED_TRY(add_yarn(fabric, "weft", false, p, ends + 2, error));
    }
    for (int32_t k = picks - 1; k >= 0; --k) {
        for (int32_t e = 0; e < ends; ++e) {
            HedFabricPlace warp = {e, k + 1}, weft = {ends + k, e + 1};
            bool is_weft_over = (e + k) % 2 == 0;
            HedFabricCrossing crossing = {.over = is_weft_over ? weft : warp,
                                          .under = is_weft_over ? warp : weft};
            HED_TRY(hed_fabric_add_crossing(fabric, crossing, error));
        }
    }
    HED_TRY(hed_fabric_note(fabric, error, "%d ends", (int)ends));
    HED_TRY(hed_fabric_sort(fabric, error));
    HED_TRY(hed_fabric_check(fabric, error));
done:
    return status;
}

Test(fabric, order_along_yarns) {
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(build_weave(&fabric, 5, 4, &error), HED_OK, "%s", error.message);
    for (int32_t yarn = 0; yarn < 9; ++yarn) {
        int32_t first = fabric.first_visits[yarn];
        cr_assert_eq(fabric.first_visits[yarn + 1] - first, yarn < 5 ? 4 : 5);
        for (int32_t k = first; k < fabric.first_visits[yarn + 1]; ++k) {
            HedFabricVisit visit = fabric.visits[k];
            const HedFabricCrossing* c = &fabric.crossings[visit.crossing];
            HedFabricPlace place = visit.is_over ? c->over : c->under;
            HedFabricPlace other = visit.is_over ? c->under : c->over;
            cr_assert_eq(place.yarn, yarn);
            cr_assert_eq(place.at, k - first + 1);
            cr_assert_eq(other.yarn, yarn < 5 ? 5 + k - first : k - first);
        }
    }
    hed_fabric_free(&fabric);
}

Test(fabric, measures) {
    HedFabric fabric = {0};
    HedVec3 low, high;
    hed_fabric_bounds(&fabric, &low, &high);
    cr_assert_eq(high.x, 0.0);
    HedVec3 ring[64];
    for (int32_t i = 0; i < 64; ++i) {
        ring[i] = hed_vec3(cos(2.0 * PI * i / 64), sin(2.0 * PI * i / 64), 0.5);
    }
    HedVec3 line[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}};
    cr_assert_eq(add_yarn(&fabric, "ring", true, ring, 64, NULL), HED_OK);
    cr_assert_eq(add_yarn(&fabric, "line", false, line, 3, NULL), HED_OK);
    // Catmull-Rom through 64 points of a circle is off by the fourth power of 2 pi / 64.
    cr_assert_float_eq(hed_fabric_length(&fabric, 0), 2.0 * PI, 2.0 * PI * 1e-4);
    cr_assert_float_eq(hed_fabric_length(&fabric, 1), 3.0, 3.0 * ROUNDING);
    cr_assert_float_eq(hed_fabric_mass(&fabric), 1e-3 * (3.0 + hed_fabric_length(&fabric, 0)),
                       0.01 * ROUNDING);
    hed_fabric_bounds(&fabric, &low, &high);
    cr_assert(low.x == -1.0 && high.x == 3.0 && low.z == 0.0 && high.z == 0.5);
    HedCurves curves = {0};
    cr_assert_eq(hed_fabric_curves(&fabric, &curves, NULL), HED_OK);
    cr_assert(curves.curve_count == 2 && curves.vertex_count == 67);
    cr_assert(curves.curves[0].is_closed && curves.curves[1].first == 64);
    cr_assert_eq(curves.curves[1].radius, 0.5e-3);
    cr_assert_eq(curves.vertices[66].x, 3.0);
    hed_curves_free(&curves);
    hed_fabric_free(&fabric);
    hed_fabric_free(NULL);
}

static void expect_refusal(HedFabric* fabric, const char* words) {
    HedError error = {0};
    cr_assert_eq(hed_fabric_check(fabric, &error), HED_INVALID);
    cr_assert(strstr(error.message, words), "%s", error.message);
}

Test(fabric, check_finds_what_is_wrong) {
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(build_weave(&fabric, 4, 4, &error), HED_OK, "%s", error.message);
    HedFabricYarn* pick = &fabric.yarns[5];
    fabric.points[pick->first + 3].z *= -1.0;
    expect_refusal(&fabric, "yarn 2 ('warp'): its crossing 1 should be over yarn 5 at 3, but");
    fabric.points[pick->first + 3].z *= -1.0;
    fabric.points[pick->first + 1].z = 0.0;
    expect_refusal(&fabric, "touch");
    fabric.points[pick->first + 1].z = -1.0;
    cr_assert_eq(hed_fabric_check(&fabric, NULL), HED_OK);
    // A pick that stops before the last end.
    fabric.points[pick->first + 5] = fabric.points[pick->first + 4];
    fabric.points[pick->first + 4].x -= 0.2;
    fabric.points[pick->first + 5].x -= 0.1;
    expect_refusal(&fabric, "yarn 3 ('warp')");
    fabric.points[pick->first + 4].x = 3.0;
    fabric.points[pick->first + 5].x = 4.0;
    // Two picks that change places cross their ends in another order.
    for (int32_t e = 0; e < 6; ++e) {
        fabric.points[pick->first + e].y = 2.0;
        fabric.points[fabric.yarns[7].first + e].y = 1.0;
    }
    expect_refusal(&fabric, "yarn 0 ('warp')");
    hed_fabric_free(&fabric);
}

Test(fabric, bad_lists_are_refused) {
    HedFabric fabric = {0};
    HedError error = {0};
    HedVec3 p[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    cr_assert_eq(hed_fabric_check(&fabric, &error), HED_INVALID); // not sorted
    cr_assert_eq(add_yarn(&fabric, "a", false, p, 2, &error), HED_OK);
    cr_assert_eq(
        hed_fabric_add_crossing(&fabric, (HedFabricCrossing){{0, 1.5}, {0, 0.0}, false}, &error),
        HED_OK);
    cr_assert_eq(hed_fabric_sort(&fabric, &error), HED_INVALID);
    cr_assert(strstr(error.message, "crossing 0: a place on yarn 0 ('a') is from 0 to 1, got 1.5"));
    fabric.crossings[0] = (HedFabricCrossing){{0, 1.0}, {1, 0.0}, false};
    cr_assert_eq(hed_fabric_sort(&fabric, &error), HED_INVALID);
    cr_assert(strstr(error.message, "there are 1 yarns, got yarn 1"), "%s", error.message);
    fabric.crossing_count = 0;
    cr_assert_eq(add_yarn(&fabric, "b", true, p, 2, &error), HED_OK);
    cr_assert_eq(hed_fabric_sort(&fabric, &error), HED_INVALID);
    cr_assert(strstr(error.message, "yarn 1 ('b') needs 3 points, got 2"), "%s", error.message);
    hed_fabric_free(&fabric);
}

// Half the sum of the signs of crossings of different yarns.
static double half_signs(const HedFabric* fabric, const HedFoundCrossings* found) {
    double sum = 0.0;
    for (int32_t i = 0; i < found->count; ++i) {
        HedFabricPlace place[2] = {found->data[i].over, found->data[i].under};
        HedVec3 way[2];
        for (int k = 0; k < 2; ++k) {
            const HedFabricYarn* yarn = &fabric->yarns[place[k].yarn];
            int32_t piece = (int32_t)place[k].at;
            way[k] = hed_sub3(fabric->points[yarn->first + (piece + 1) % yarn->count],
                              fabric->points[yarn->first + piece]);
        }
        if (place[0].yarn != place[1].yarn) {
            sum += way[0].x * way[1].y - way[0].y * way[1].x > 0.0 ? 0.5 : -0.5;
        }
    }
    return sum;
}

static int32_t count_between(const HedFoundCrossings* found) {
    int32_t count = 0;
    for (int32_t i = 0; i < found->count; ++i) {
        count += found->data[i].over.yarn != found->data[i].under.yarn;
    }
    return count;
}

// Half of the sum of signs is the linking number of two closed curves. Curves on a coarse lattice
// meet in corners and run over each other: they must cross as if the second were shifted a little.
Test(fabric, crossings_count_the_linking_number) {
    enum { COUNT = 12 };
    int64_t linked = 0;
    for (int64_t trial = 0; trial < 400; ++trial) {
        HedFabric lattice = {0}, shifted = {0};
        HedVec3 p[2][COUNT + 1];
        for (int c = 0; c < 2; ++c) {
            for (int k = 0; k < COUNT; ++k) {
                uint64_t n = (uint64_t)(trial * 128 + c * 64 + k);
                p[c][k] = hed_vec3(floor(4.0 * hed_random_uniform(5, 1, n)),
                                   floor(4.0 * hed_random_uniform(5, 2, n)),
                                   4.0 * hed_random_uniform(5, 3, n));
            }
            cr_assert_eq(add_yarn(&lattice, "ring", true, p[c], COUNT, NULL), HED_OK);
            for (int k = 0; k < COUNT; ++k) {
                p[c][k] = hed_add3(p[c][k], hed_vec3(1e-5 * c, 1e-10 * c, 0.0));
            }
            p[c][COUNT] = p[c][0];
            cr_assert_eq(add_yarn(&shifted, "ring", true, p[c], COUNT, NULL), HED_OK);
        }
        HedFoundCrossings found = {0};
        HedError error = {0};
        cr_assert_eq(hed_fabric_find_crossings(&shifted, &found, &error), HED_OK);
        double sum = half_signs(&shifted, &found);
        double expected =
            hed_gauss_integral((HedPolyline){p[0], COUNT + 1}, (HedPolyline){p[1], COUNT + 1});
        linked += fabs(expected) > 0.5;
        // The integral of straight pieces is exact up to rounding; pieces pass 1e-5 apart.
        cr_assert_float_eq(fabs(sum), fabs(expected), 1e-6, "trial %d: %g, not %g", (int)trial, sum,
                           expected);
        int32_t count = count_between(&found);
        found.count = 0;
        cr_assert_eq(hed_fabric_find_crossings(&lattice, &found, &error), HED_OK);
        cr_assert_eq(count_between(&found), count);
        hed_free(found.data);
        hed_fabric_free(&lattice);
        hed_fabric_free(&shifted);
    }
    cr_assert_gt(linked, 50);
}

Test(fabric, memory_may_run_out) {
    HedError error = {0};
    int64_t before = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 1;
    for (; status == HED_NO_MEMORY; ++n) {
        HedFabric fabric = {0};
        HedCurves curves = {0};
        hed_alloc_fail_at(n);
        status = build_weave(&fabric, 5, 5, &error);
        status = status == HED_OK ? hed_fabric_curves(&fabric, &curves, &error) : status;
        hed_alloc_fail_at(0);
        hed_curves_free(&curves);
        hed_fabric_free(&fabric);
        cr_assert_eq(hed_alloc_stats().live_count, before);
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_gt(n, 10);
}
