// SPDX-License-Identifier: MIT
// Thick yarns from crossing networks: they cross as the fabric does, as far apart as they should.
#include "fabric/fabric.h"
#include "heddle/knit.h"
#include "heddle/net.h"
#include "heddle/weave.h"
#include "knit/knit.h"
#include "math/vec3.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Relative: distances of places a hundred times as far from the origin.
static const double ROUNDING = 1e-13;

enum { SAMPLES = 6 };

static void knit(const char* pattern, bool is_round, HedFabric* fabric) {
    HedError error = {0};
    HedKnitDef def = hed_knit_def_default();
    def.pattern = pattern;
    def.rows = 5;
    def.stitches = 6;
    def.is_round = is_round;
    def.bind_off = false;
    cr_assert_eq(hed_knit_create(&def, fabric, NULL, &error), HED_OK, "%s", error.message);
}

static void weave(const char* pattern, HedSelvedge selvedge, HedFabric* fabric) {
    HedError error = {0};
    HedWeave draft = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.warp.count = 7;
    def.weft.count = 8;
    def.selvedge = selvedge;
    cr_assert_eq(hed_weave_named(pattern, &draft, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&draft, &def, fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&draft);
}

static void create(const HedFabric* fabric, HedNet* net) {
    HedError error = {0};
    HedNetDef def = hed_net_def_default();
    cr_assert_eq(hed_net_create(fabric, &def, net, &error), HED_OK, "%s", error.message);
}

// Place of each visit on its curve: points are SAMPLES for each visit and for each of the two
// points that a clasp adds.
static double* places_of(const HedNet* net) {
    double* places = HED_NEW_ARRAY(double, net->visit_count);
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* y = &net->yarns[i];
        double at = 0.0;
        for (int32_t k = y->first; k < y->first + y->count; ++k) {
            places[k] = at;
            at += SAMPLES * (net->visits[k].clasp >= 0 ? 3 : 1);
        }
    }
    return places;
}

// The curves as a fabric whose list says what the first fabric's list says.
static void fabric_from(const HedFabric* fabric, const HedNet* net, const HedCurves* curves,
                        HedFabric* drawn) {
    double* places = places_of(net);
    for (int32_t i = 0; i < curves->curve_count; ++i) {
        HedFabricYarn yarn = {.diameter = 2.0 * curves->curves[i].radius};
        strcpy(yarn.name, net->yarns[i].name);
        cr_assert_eq(hed_fabric_add_yarn(drawn, &yarn, NULL), HED_OK);
        for (int32_t k = 0; k < curves->curves[i].count; ++k) {
            HedVec3 x = curves->vertices[curves->curves[i].first + k];
            cr_assert_eq(hed_fabric_add_point(drawn, x, NULL), HED_OK);
        }
    }
    for (int32_t i = 0; i < net->node_count; ++i) {
        const HedNetNode* node = &net->nodes[i];
        if (node->crossing < 0) {
            continue;
        }
        HedFabricPlace place[2];
        for (int slot = 0; slot < 2; ++slot) {
            int32_t visit = node->visit[slot];
            place[slot] = (HedFabricPlace){net->visits[visit].yarn, places[visit]};
        }
        // The yarn that came first in the fabric is over there or not; here it must be the same.
        const HedFabricCrossing* c = &fabric->crossings[node->crossing];
        double first = net->visits[node->visit[0]].at, second = net->visits[node->visit[1]].at;
        bool slot_0_is_over = c->over.yarn != c->under.yarn
                                  ? net->yarns[place[0].yarn].source == c->over.yarn
                                  : (first < second) == (c->over.at < c->under.at);
        HedFabricCrossing same = {.over = place[slot_0_is_over ? 0 : 1],
                                  .under = place[slot_0_is_over ? 1 : 0]};
        cr_assert_eq(hed_fabric_add_crossing(drawn, same, NULL), HED_OK);
    }
    cr_assert_eq(hed_fabric_sort(drawn, NULL), HED_OK);
    hed_free(places);
}

// Yarns touch at their crossings: axes a diameter apart, rounding aside.
static void expect_contact(const HedNet* net, const HedFabric* drawn) {
    for (int32_t i = 0; i < drawn->crossing_count; ++i) {
        HedFabricPlace a = drawn->crossings[i].over, b = drawn->crossings[i].under;
        HedVec3 x = drawn->points[drawn->yarns[a.yarn].first + (int32_t)a.at];
        HedVec3 y = drawn->points[drawn->yarns[b.yarn].first + (int32_t)b.at];
        double wanted = net->yarns[a.yarn].radius + net->yarns[b.yarn].radius;
        cr_assert_float_eq(hed_distance3(x, y), wanted, ROUNDING * wanted);
    }
}

static void draw(const HedFabric* fabric, const HedNet* net, HedFabric* drawn) {
    HedError error = {0};
    HedCurves curves = {0};
    cr_assert_eq(hed_net_curves(net, NULL, SAMPLES, &curves, &error), HED_OK, "%s", error.message);
    cr_assert_eq(curves.vertex_count, hed_net_curve_point_count(net, SAMPLES));
    fabric_from(fabric, net, &curves, drawn);
    hed_curves_free(&curves);
}

// `least`: distance of the axes of yarns, in diameters.
static void expect_same(const HedFabric* fabric, const char* name, double least) {
    HedError error = {0};
    HedNet net = {0};
    HedFabric drawn = {0};
    create(fabric, &net);
    draw(fabric, &net, &drawn);
    expect_contact(&net, &drawn);
    cr_assert_eq(hed_fabric_check(&drawn, &error), HED_OK, "%s: %s", name, error.message);
    double gap = 0.0;
    cr_assert_eq(hed_fabric_gap(&drawn, 3.0, &gap, &error), HED_OK, "%s", error.message);
    double axes = gap / drawn.yarns[0].diameter + 1.0;
    cr_assert_gt(axes, least, "%s: axes come to %g diameters", name, axes);
    hed_fabric_free(&drawn);
    hed_net_free(&net);
}

Test(net_curves, knits_cross_as_before) {
    static const char* const PATTERNS[] = {
        "stockinette", "reverse-stockinette", "garter", "seed", "moss", "rib-1x1", "rib-2x2"};
    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; ++i) {
        HedFabric fabric = {0};
        knit(PATTERNS[i], false, &fabric);
        // Where a knit stitch stands beside a purl one, the yarn between them passes from the front
        // to the back close by their legs: 0.78 was seen there, 0.88 and more elsewhere.
        expect_same(&fabric, PATTERNS[i], 0.75);
        hed_fabric_free(&fabric);
    }
}

Test(net_curves, weaves_cross_as_before) {
    static const char* const PATTERNS[] = {"plain", "twill 2/2", "satin 5", "basket 2/2"};
    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; ++i) {
        for (HedSelvedge k = HED_SELVEDGE_CUT; k < HED_SELVEDGE_COUNT; ++k) {
            HedFabric fabric = {0};
            weave(PATTERNS[i], k, &fabric);
            // Beside a crossing the yarns leave each other on different ways: 0.85 was seen.
            expect_same(&fabric, PATTERNS[i], 0.82);
            hed_fabric_free(&fabric);
        }
    }
}

// The sign of one crossing is enough to make another fabric of it.
Test(net_curves, signs_matter) {
    HedFabric fabric = {0}, drawn = {0};
    HedNet net = {0};
    knit("stockinette", false, &fabric);
    create(&fabric, &net);
    net.nodes[net.node_count / 2].sign *= -1;
    draw(&fabric, &net, &drawn);
    cr_assert_eq(hed_fabric_check(&drawn, NULL), HED_INVALID);
    hed_fabric_free(&drawn);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// --- nodes that moved ---

// Half a turn about x + y, and away.
static HedVec3 turned(HedVec3 x) {
    return hed_vec3(x.y + 1.0, x.x - 2.0, -x.z + 3.0);
}

Test(net_curves, turn_with_the_nodes) {
    HedFabric fabric = {0};
    HedNet net = {0};
    knit("rib-1x1", true, &fabric);
    create(&fabric, &net);
    int64_t count = hed_net_curve_point_count(&net, SAMPLES);
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net.node_count);
    HedVec3* before = HED_NEW_ARRAY(HedVec3, count);
    HedVec3* after = HED_NEW_ARRAY(HedVec3, count);
    for (int32_t i = 0; i < net.node_count; ++i) {
        x[i] = turned(net.nodes[i].position);
    }
    hed_net_curve_points(&net, NULL, SAMPLES, before);
    hed_net_curve_points(&net, x, SAMPLES, after);
    for (int64_t i = 0; i < count; ++i) {
        // Positions of 3 m are rounded by 4e-16; normals of clasps enlarge that a little.
        cr_assert_lt(hed_distance3(after[i], turned(before[i])), 1e-12);
    }
    hed_free(x);
    hed_free(before);
    hed_free(after);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// All nodes on one line: no crossing has a normal. All in one point: no yarn has a way.
Test(net_curves, degenerate_positions) {
    HedFabric fabric = {0};
    HedNet net = {0};
    knit("stockinette", false, &fabric);
    create(&fabric, &net);
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net.node_count);
    double radius = net.yarns[0].radius;
    for (int32_t step = 0; step < 2; ++step) {
        HedCurves curves = {0};
        for (int32_t i = 0; i < net.node_count; ++i) {
            x[i] = hed_vec3(step == 0 ? 1e-3 * i : 0.0, 0.0, 0.0);
        }
        cr_assert_eq(hed_net_curves(&net, x, SAMPLES, &curves, NULL), HED_OK);
        for (int32_t i = 0; i < curves.vertex_count; ++i) {
            HedVec3 p = curves.vertices[i];
            cr_assert(hed_is_finite3(p));
            cr_assert_lt(hypot(p.y, p.z), 2.0 * radius); // an overshoot is less than an offset
        }
        hed_curves_free(&curves);
    }
    hed_free(x);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// Tails of a weave go on straight, at the level of their crossing.
Test(net_curves, level_tails) {
    HedFabric fabric = {0};
    HedNet net = {0};
    HedCurves curves = {0};
    weave("plain", HED_SELVEDGE_CUT, &fabric);
    create(&fabric, &net);
    cr_assert_eq(hed_net_curves(&net, NULL, 1, &curves, NULL), HED_OK);
    for (int32_t i = 0; i < curves.curve_count; ++i) {
        const HedCurve* curve = &curves.curves[i];
        const HedVec3* p = curves.vertices + curve->first;
        double z = p[0].z;
        cr_assert_float_eq(fabs(z), curve->radius, ROUNDING * curve->radius);
        cr_assert_float_eq(p[1].z, z, ROUNDING * curve->radius);
        cr_assert_float_eq(p[2].z, -z, ROUNDING * curve->radius);
        cr_assert_eq(curve->count, net.yarns[i].count);
        cr_assert_eq(curve->radius, net.yarns[i].radius);
        cr_assert_not(curve->is_closed);
    }
    hed_curves_free(&curves);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// --- bad input ---

Test(net_curves, refused) {
    HedFabric fabric = {0};
    HedNet net = {0};
    HedCurves curves = {0};
    HedError error = {0};
    weave("plain", HED_SELVEDGE_CUT, &fabric);
    create(&fabric, &net);
    cr_assert_eq(hed_net_curves(&net, NULL, 0, &curves, &error), HED_INVALID);
    cr_assert(strstr(error.message, "got 0 per piece"), "%s", error.message);
    cr_assert_eq(hed_net_curves(&net, NULL, INT32_MAX, &curves, &error), HED_INVALID);
    HedVec3* x = HED_NEW_ARRAY(HedVec3, net.node_count);
    x[5].y = NAN;
    cr_assert_eq(hed_net_curves(&net, x, 2, &curves, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "node 5: its position must be finite, got (0, nan, 0)");
    hed_free(x);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

static HedStatus knit_and_draw(void) {
    HedStatus status = HED_OK;
    HedFabric fabric = {0};
    HedNet net = {0};
    HedCurves curves = {0};
    HedKnitDef knit_def = hed_knit_def_default();
    HedNetDef def = hed_net_def_default();
    knit_def.pattern = "stockinette";
    knit_def.rows = knit_def.stitches = 3;
    HED_TRY(hed_knit_create(&knit_def, &fabric, NULL, NULL));
    HED_TRY(hed_net_create(&fabric, &def, &net, NULL));
    HED_TRY(hed_net_curves(&net, NULL, 2, &curves, NULL));
done:
    hed_curves_free(&curves);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
    return status;
}

Test(net_curves, no_memory) {
    expect_no_memory(knit_and_draw, 40);
}
