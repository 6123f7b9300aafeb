// SPDX-License-Identifier: MIT
// Sliding yarns at rest: what is left, what holds them, and curl.
#include "heddle/sliding.h"
#include "math/vec3.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const double FORCE = 1e-6; // N, that may be left

typedef struct Rest {
    HedNet net;
    HedSim* sim;
    HedYarnsId yarns;
} Rest;

static Rest make(HedNet net, HedSlidingDef def, HedVec3 gravity, double force) {
    Rest rest = {.net = net};
    HedSimDef sim_def = hed_sim_def_default();
    HedError error = {0};
    sim_def.integrator = HED_QUASI_STATIC;
    sim_def.gravity = gravity;
    sim_def.time_step = 0.01;
    sim_def.force_tolerance = force;
    sim_def.thread_count = 1;
    def.name = "cloth";
    def.net = &rest.net;
    cr_assert_eq(hed_sim_create(&sim_def, &rest.sim, &error), HED_OK, "%s", error.message);
    HedStatus status = hed_sliding_create(rest.sim, &def, &rest.yarns, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return rest;
}

static HedStepReport come_to_rest(Rest* rest) {
    HedStepReport report = {0};
    HedError error = {0};
    cr_assert_eq(hed_sim_step(rest->sim, &report, &error), HED_OK, "%s", error.message);
    cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
    cr_assert_leq(report.residual, hed_sim_def(rest->sim)->force_tolerance);
    return report;
}

static void end(Rest* rest) {
    hed_sim_destroy(rest->sim);
    hed_net_free(&rest->net);
}

// What hangs is held by its weight: the sum of what may be left on its free nodes apart.
Test(rest, hangs) {
    HedNet net = {0};
    test_net_weave(8, 6, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.crossing_preload = 1e-3;
    Rest rest = make(net, def, (HedVec3){0.0, -9.81, 0.0}, FORCE);
    int32_t held[64], count = 0;
    double top = 0.0, mass = 0.0;
    for (int32_t k = 0; k < net.node_count; ++k) {
        top = fmax(top, net.nodes[k].position.y);
    }
    for (int32_t k = 0; k < net.node_count; ++k) {
        if (net.nodes[k].position.y > top - 1.2 * net.spacing) {
            held[count++] = k;
        }
    }
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        const HedNetYarn* yarn = &net.yarns[y];
        mass += yarn->linear_density * net.visits[yarn->first + yarn->count - 1].at;
    }
    HedPinDef pin_def = hed_pin_def_default();
    HedPinId pin = {0};
    pin_def.yarns = rest.yarns;
    pin_def.vertices = held;
    pin_def.vertex_count = count;
    pin_def.clamps = true;
    cr_assert_eq(hed_pin_create(rest.sim, &pin_def, &pin, NULL), HED_OK);
    come_to_rest(&rest);
    HedMeasureDef pull = {.kind = HED_MEASURE_REACTION, .yarns = rest.yarns, .pin = pin};
    double force[3];
    cr_assert_eq(hed_sim_measure(rest.sim, &pull, force, NULL), HED_OK);
    cr_assert_float_eq(force[1], 9.81 * mass, FORCE * net.node_count);
    cr_assert_eq(hed_sim_energies(rest.sim).kinetic, 0.0);
    end(&rest);
}

// How far the farthest node goes, over the spacing, until a knit without loads is at rest.
static double way_to_rest(double set) {
    HedNet net = {0};
    test_net_knit("stockinette", 4, 4, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.set_fraction = set;
    Rest rest = make(net, def, (HedVec3){0}, FORCE);
    HedVec3* x = calloc((size_t)net.node_count, sizeof *x);
    come_to_rest(&rest);
    hed_sliding_node_positions(rest.sim, rest.yarns, x);
    double way = 0.0;
    for (int32_t k = 0; k < net.node_count; ++k) {
        way = fmax(way, hed_distance3(x[k], net.nodes[k].position));
    }
    free(x);
    end(&rest);
    return way / net.spacing;
}

// A knit that is set in its shape is at rest in it, sharp turns where it is bound off included; one
// whose yarns would rather be straight springs open.
Test(rest, set_knit) {
    // The start is balanced to less than FORCE, so the step ends where it begins, to the last bit.
    cr_assert_eq(way_to_rest(1.0), 0.0);
    double way = way_to_rest(0.9);
    cr_assert_gt(way, 0.1, "%g spacings", way);
}

// Hinges with a turn at rest: sides to the back, ends to the front; of purl stitches the other way.
static HedNetTurns curl(const char* pattern) {
    HedNet net = {0};
    test_net_knit(pattern, 5, 5, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 1.0;
    def.curl_stiffness = 4e-6;
    def.curl_along = -0.3;
    def.curl_across = 0.2;
    Rest rest = make(net, def, (HedVec3){0}, 2e-5); // a hundredth of what hinges pull with
    HedVec3* x = calloc((size_t)net.node_count, sizeof *x);
    come_to_rest(&rest);
    hed_sliding_node_positions(rest.sim, rest.yarns, x);
    HedNetTurns turns = hed_net_turns(&net, x);
    free(x);
    end(&rest);
    return turns;
}

Test(rest, curls) {
    HedNetTurns knit = curl("stockinette");
    HedNetTurns purl = curl("reverse-stockinette");
    cr_assert(knit.stitch[0] < -0.1 && knit.stitch[0] > -0.3);
    cr_assert(knit.stitch[1] > 0.05 && knit.stitch[1] < 0.2);
    for (int k = 0; k < 2; ++k) { // mirror images
        // Rounding: the same turns are added up.
        cr_assert_float_eq(knit.fabric[k], knit.stitch[k], 1e-15);
        // Swatches come to rest to a hundredth of what bends them.
        cr_assert_float_eq(purl.stitch[k], knit.stitch[k], 1e-2 * fabs(knit.stitch[k]));
        // The same.
        cr_assert_float_eq(purl.fabric[k], -knit.stitch[k], 1e-2 * fabs(knit.stitch[k]));
    }
}
