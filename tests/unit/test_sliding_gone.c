// SPDX-License-Identifier: MIT
// Yarns that slide out of crossings: they are let go and told of, what is left goes on.
#include "eol/eol.h"
#include "heddle/sliding.h"
#include "heddle/yarn.h"
#include "math/vec3.h"
#include "sim/internal.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { ENDS = 7, PICKS = 5, MOST = 2000 };

static const double SPEED = 0.1; // m/s

typedef struct Pull {
    HedNet net;
    HedSim* sim;
    HedYarnsId id;
    int32_t yarn; // that is pulled: the middle one of the weft
} Pull;

static HedPinId hold(const Pull* pull, const int32_t* nodes, int32_t count, double speed) {
    HedPinDef def = hed_pin_def_default();
    HedKeyframe keys[2] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = 1.0, .pose = {{speed, 0.0, 0.0}, {.w = 1.0}}}};
    HedPinId id = {0};
    HedError error = {0};
    def.yarns = pull->id;
    def.vertices = nodes;
    def.vertex_count = count;
    def.keyframes = keys;
    def.keyframe_count = speed > 0.0 ? 2 : 0;
    cr_assert_eq(hed_pin_create(pull->sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

static int32_t node_of(const HedNet* net, int32_t yarn, int32_t visit) {
    const HedNetYarn* y = &net->yarns[yarn];
    return net->visits[y->first + (visit < 0 ? y->count + visit : visit)].node;
}

// A weave held at both ends of its warp, out of which one pick is drawn to the right.
static Pull begin(int32_t threads) {
    Pull pull = {.yarn = ENDS + PICKS / 2};
    HedSimDef def = hed_sim_def_default();
    HedError error = {0};
    int32_t held[2 * ENDS];
    def.gravity = (HedVec3){0};
    def.time_step = 1e-3;
    def.thread_count = threads;
    test_net_weave(ENDS, PICKS, &pull.net);
    cr_assert_eq(hed_sim_create(&def, &pull.sim, &error), HED_OK, "%s", error.message);
    HedSlidingDef yarns = hed_sliding_def_default();
    yarns.net = &pull.net;
    yarns.name = "cloth";
    yarns.crossing_preload = 1e-3;
    cr_assert_eq(hed_sliding_create(pull.sim, &yarns, &pull.id, &error), HED_OK, "%s",
                 error.message);
    for (int32_t k = 0; k < ENDS; ++k) {
        held[2 * k] = node_of(&pull.net, k, 0);
        held[2 * k + 1] = node_of(&pull.net, k, -1);
    }
    hold(&pull, held, 2 * ENDS, 0.0);
    int32_t end = node_of(&pull.net, pull.yarn, -1);
    hold(&pull, &end, 1, SPEED);
    return pull;
}

static void end(Pull* pull) {
    hed_sim_destroy(pull->sim);
    hed_net_free(&pull->net);
}

// Returns how many crossings came apart.
static int32_t step(HedSim* sim, int32_t count) {
    int32_t gone = 0;
    for (int32_t k = 0; k < count; ++k) {
        HedStepReport report = {0};
        HedError error = {0};
        cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "step %d: %s: %s", k,
                     hed_reason_name(report.reason), report.trouble);
        cr_assert_eq(report.gone_count > 0, report.gone[0] != '\0');
        gone += report.gone_count;
    }
    return gone;
}

// The pick leaves all its crossings, one after the other from its far end on, and is out.
Test(sliding_gone, a_pick_is_pulled_out) {
    Pull pull = begin(1);
    bool is_gone[MOST];
    int32_t last = -1;
    int32_t all = 0;
    char text[240] = "";
    for (int32_t k = 0; k < 60; ++k) {
        HedStepReport report = {0};
        cr_assert_eq(hed_sim_step(pull.sim, &report, NULL), HED_OK);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%d: %s", k, report.trouble);
        all += report.gone_count;
        if (report.gone_count > 0) {
            memcpy(text, report.gone, sizeof text);
        }
        cr_assert_eq(hed_sliding_gone(pull.sim, pull.id, is_gone), all);
        for (int32_t v = 1; v <= ENDS; ++v) {
            bool is = is_gone[node_of(&pull.net, pull.yarn, v)];
            cr_assert_eq(is, v <= all, "step %d: crossing %d of %d", k, v, all);
        }
        cr_assert_geq(all, last);
        last = all;
    }
    cr_assert_eq(all, ENDS, "%d of %d", all, ENDS);
    cr_assert_eq(hed_sliding_gone_count(pull.sim), ENDS);
    cr_assert(strstr(text, "yarn 9") && strstr(text, "it is out"), "%s", text);
    // Nothing holds it any more: it follows the pin as a whole, and keeps its length.
    HedVec3 x[MOST];
    hed_sliding_node_positions(pull.sim, pull.id, x);
    HedVec3 from = x[node_of(&pull.net, pull.yarn, 0)];
    HedVec3 to = x[node_of(&pull.net, pull.yarn, -1)];
    const HedNetYarn* yarn = &pull.net.yarns[pull.yarn];
    double length = pull.net.visits[yarn->first + yarn->count - 1].at;
    // Its whole weight would strain it by 2e-8.
    cr_assert_float_eq(hed_distance3(from, to), length, 1e-7 * length);
    cr_assert_gt(from.x, x[node_of(&pull.net, pull.yarn - 1, -1)].x - 2.0 * pull.net.spacing);
    end(&pull);
}

static void add_patch(HedSim* sim) {
    HedSheetDef def = hed_sheet_def_default();
    HedVec3 corners[3] = {{1.0, 0.0, 0.0}, {1.1, 0.0, 0.0}, {1.0, 0.1, 0.0}};
    int32_t triangle[3] = {0, 1, 2};
    HedSheetId id;
    def.name = "patch";
    def.vertices = corners;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    cr_assert_eq(hed_sheet_create(sim, &def, &id, NULL), HED_OK);
}

// Among other cloth the message names the yarns that came apart in this step: not a sheet that was
// made before them, nor yarns that lost crossings in an earlier step.
Test(sliding_gone, is_told_by_its_own_name) {
    Pull pull = begin(1);
    Pull other = pull;
    HedSlidingDef yarns = hed_sliding_def_default();
    test_net_weave(ENDS, PICKS, &other.net);
    for (int32_t n = 0; n < other.net.node_count; ++n) {
        other.net.nodes[n].position.y += 1.0; // m, far away
    }
    add_patch(pull.sim);
    yarns.net = &other.net;
    yarns.name = "second";
    yarns.crossing_preload = 1e-3;
    cr_assert_eq(hed_sliding_create(pull.sim, &yarns, &other.id, NULL), HED_OK);
    HedPinDef def = hed_pin_def_default();
    def.yarns = other.id;
    int32_t tip = node_of(&other.net, other.yarn, -1);
    // Of the second piece both ends of all warps are held, and its pick is drawn once the first has
    // lost some crossings.
    for (int32_t k = 0; k < ENDS; ++k) {
        int32_t ends[2] = {node_of(&other.net, k, 0), node_of(&other.net, k, -1)};
        hold(&other, ends, 2, 0.0);
    }
    HedKeyframe keys[3] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = 0.03, .pose.rotation.w = 1.0},
                           {.time = 0.13, .pose = {{0.1 * SPEED, 0.0, 0.0}, {.w = 1.0}}}};
    def.vertices = &tip;
    def.vertex_count = 1;
    def.keyframes = keys;
    def.keyframe_count = 3;
    HedPinId id;
    cr_assert_eq(hed_pin_create(pull.sim, &def, &id, NULL), HED_OK);
    int32_t seen[2] = {0};
    int32_t lost[2] = {0};
    for (int32_t k = 0; k < 90; ++k) {
        HedStepReport report = {0};
        cr_assert_eq(hed_sim_step(pull.sim, &report, NULL), HED_OK);
        int32_t now[2] = {hed_sliding_gone(pull.sim, pull.id, NULL),
                          hed_sliding_gone(pull.sim, other.id, NULL)};
        cr_assert_eq(report.gone_count, now[0] - lost[0] + now[1] - lost[1]);
        bool first = now[0] > lost[0];
        bool second = now[1] > lost[1];
        if (first != second) {
            cr_expect(strstr(report.gone, first ? "of 'cloth'" : "of 'second'"), "%s", report.gone);
            seen[second] += 1;
        }
        memcpy(lost, now, sizeof lost);
    }
    cr_expect(seen[0] > 0 && seen[1] > 0, "%d and %d", seen[0], seen[1]);
    hed_net_free(&other.net);
    end(&pull);
}

// Curves keep their number of points, are finite and follow what is left; so do quantities.
Test(sliding_gone, curves_and_quantities) {
    Pull pull = begin(1);
    cr_assert_eq(step(pull.sim, 25), hed_sliding_gone_count(pull.sim));
    cr_assert_gt(hed_sliding_gone_count(pull.sim), 2);
    HedVec3 points[MOST];
    HedVec3 x[MOST];
    double values[MOST];
    int32_t count = hed_yarns_vertex_count(pull.sim, pull.id);
    cr_assert_eq(count, hed_net_curve_point_count(&pull.net, HED_SLIDING_SAMPLES));
    hed_yarns_positions(pull.sim, pull.id, points);
    hed_sliding_node_positions(pull.sim, pull.id, x);
    int32_t at = 0;
    for (int32_t y = 0; y < pull.net.yarn_count; ++y) {
        int32_t of = (pull.net.yarns[y].count - 1) * HED_SLIDING_SAMPLES + 1;
        for (int32_t k = at; k < at + of; ++k) {
            cr_assert(hed_is_finite3(points[k]));
            cr_assert(k == at || hed_distance3(points[k - 1], points[k]) > 0.0, "yarn %d", y);
        }
        // Its ends are where the nodes are, but for the radius that they lie beside them.
        HedVec3 from = x[node_of(&pull.net, y, 0)];
        HedVec3 to = x[node_of(&pull.net, y, -1)];
        cr_assert_lt(hed_distance3(points[at], from), 1.01 * pull.net.yarns[y].radius);
        cr_assert_lt(hed_distance3(points[at + of - 1], to), 1.01 * pull.net.yarns[y].radius);
        at += of;
    }
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        cr_assert_eq(hed_yarns_quantity(pull.sim, pull.id, (HedQuantity)q, values, NULL), HED_OK);
        for (int32_t k = 0; k < count; ++k) {
            cr_assert(isfinite(values[k]), "quantity %d of point %d", q, k);
        }
    }
    end(&pull);
}

// What no other yarn crosses any more rubs on nothing; crossings that are left are pressed.
Test(sliding_gone, crossings_that_came_apart_have_no_friction) {
    Pull pull = begin(1);
    cr_assert_eq(step(pull.sim, 60), ENDS);
    bool is_gone[MOST];
    const HedEol* eol = hed_sim_part_at(pull.sim, 0)->self;
    hed_sliding_gone(pull.sim, pull.id, is_gone);
    for (int32_t n = 0; n < pull.net.node_count; ++n) {
        double limit = hed_eol_friction_of(eol, eol->number[n]).limit;
        bool is_crossing = pull.net.nodes[n].sign != 0 && !is_gone[n];
        cr_assert_eq(limit > 0.0, is_crossing, "node %d: %g N", n, limit);
    }
    end(&pull);
}

static void expect_same(HedSim* a, HedSim* b) {
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(a, from);
    cr_assert_eq(hed_sim_snapshot(b, to), count);
    for (int32_t k = 0; k < count; ++k) {
        cr_assert_eq(from[k].bytes, to[k].bytes);
        cr_assert_arr_eq(from[k].data, to[k].data, (size_t)from[k].bytes, "%s", from[k].name);
    }
}

// Taken up after some crossings are gone, with the bits that it would have had.
Test(sliding_gone, resumes) {
    Pull whole = begin(1);
    Pull second = begin(1);
    HedError error = {0};
    cr_assert_gt(step(whole.sim, 20), 1);
    cr_assert_eq(hed_sim_prepare(second.sim, &error), HED_OK, "%s", error.message);
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(whole.sim, from);
    cr_assert_eq(hed_sim_snapshot(second.sim, to), count);
    for (int32_t k = 0; k < count; ++k) {
        memcpy(to[k].data, from[k].data, (size_t)from[k].bytes);
    }
    cr_assert_eq(hed_sim_restored(second.sim, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_sliding_gone_count(second.sim), hed_sliding_gone_count(whole.sim));
    expect_same(whole.sim, second.sim);
    cr_assert_eq(step(whole.sim, 20), step(second.sim, 20));
    expect_same(whole.sim, second.sim);
    HedVec3 a[MOST], b[MOST];
    hed_yarns_positions(whole.sim, whole.id, a);
    hed_yarns_positions(second.sim, second.id, b);
    cr_assert_arr_eq(a, b, sizeof a[0] * (size_t)hed_yarns_vertex_count(whole.sim, whole.id));
    end(&whole);
    end(&second);
}

Test(sliding_gone, same_bits_for_any_thread_count) {
    Pull one = begin(1);
    cr_assert_gt(step(one.sim, 40), 1);
    for (int32_t threads = 2; threads <= 3; ++threads) {
        Pull other = begin(threads);
        step(other.sim, 40);
        expect_same(one.sim, other.sim);
        end(&other);
    }
    end(&one);
}

// What a pin holds is kept by it, though one of its yarns has gone; when it is let go it goes too.
Test(sliding_gone, pinned_crossings_keep_their_other_yarn) {
    Pull pull = begin(1);
    int32_t first = node_of(&pull.net, pull.yarn, 1);
    HedPinDef def = hed_pin_def_default();
    HedError error = {0};
    def.yarns = pull.id;
    def.vertices = &first;
    def.vertex_count = 1;
    def.release_time = 0.03;
    cr_assert_eq(hed_pin_create(pull.sim, &def, &(HedPinId){0}, &error), HED_OK, "%s",
                 error.message);
    cr_assert_gt(step(pull.sim, 20), 1);
    bool is_gone[MOST];
    HedVec3 x[MOST];
    hed_sliding_gone(pull.sim, pull.id, is_gone);
    hed_sliding_node_positions(pull.sim, pull.id, x);
    cr_assert(is_gone[first]);
    cr_assert_eq(x[first].x, pull.net.nodes[first].position.x);
    step(pull.sim, 20);
    cr_assert_eq(hed_sliding_gone(pull.sim, pull.id, NULL), hed_sliding_gone_count(pull.sim));
    end(&pull);
}

// Energy: what pins put in is stored, moves, or is taken; coming apart takes its part and makes
// none.
Test(sliding_gone, energy_is_accounted_for) {
    Pull pull = begin(1);
    double start = hed_sim_energies(pull.sim).total;
    step(pull.sim, 60);
    cr_assert_eq(hed_sliding_gone_count(pull.sim), ENDS);
    HedEnergies e = hed_sim_energies(pull.sim);
    cr_assert_gt(e.external, 0.0);
    cr_assert_gt(e.dissipated, 0.0);
    // Backward Euler takes more than is told, by the step; 3 % at this one.
    cr_assert_lt(e.total - start, 1e-3 * e.external);
    cr_assert_gt(e.total - start, -0.05 * e.external);
    end(&pull);
}

// Warp ends that slide through everything else are drawn taut: the picks stay where they are, and
// what the pin puts in is in the yarns, though steps of 0.1 s are cut in places.
Test(sliding_gone, nothing_leaves_a_taut_weave_without_friction) {
    enum { WARP = 4, WEFT = 10, STEPS = 10 };
    Pull pull = {0};
    HedSimDef def = hed_sim_def_default();
    HedError error = {0};
    int32_t low[2 * WARP], high[2 * WARP];
    def.gravity = (HedVec3){0};
    def.time_step = 0.1;
    def.thread_count = 1;
    test_net_weave(WARP, WEFT, &pull.net);
    cr_assert_eq(hed_sim_create(&def, &pull.sim, &error), HED_OK, "%s", error.message);
    HedSlidingDef yarns = hed_sliding_def_default();
    yarns.net = &pull.net;
    yarns.friction = yarns.crossing_preload = 0.0;
    cr_assert_eq(hed_sliding_create(pull.sim, &yarns, &pull.id, &error), HED_OK, "%s",
                 error.message);
    for (int32_t k = 0; k < 2 * WARP; ++k) {
        low[k] = node_of(&pull.net, k / 2, k % 2);
        high[k] = node_of(&pull.net, k / 2, -1 - k % 2);
    }
    const double length = WEFT * 4e-4;
    hold(&pull, low, 2 * WARP, 0.0);
    HedPinDef pin = hed_pin_def_default();
    HedKeyframe keys[2] = {{.time = 0.0, .pose.rotation.w = 1.0},
                           {.time = 1.0, .pose = {{0.0, 0.05 * length, 0.0}, {.w = 1.0}}}};
    HedPinId id;
    pin.yarns = pull.id;
    pin.vertices = high;
    pin.vertex_count = 2 * WARP;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    cr_assert_eq(hed_pin_create(pull.sim, &pin, &id, &error), HED_OK, "%s", error.message);
    cr_assert_eq(step(pull.sim, STEPS), 0);
    HedEnergies energies = hed_sim_energies(pull.sim);
    double stored = 0.5 * yarns.stretch * 0.05 * 0.05 * length * WARP;
    double sum = energies.kinetic;
    for (int32_t k = 0; k < energies.potential_count; ++k) {
        sum += energies.potential[k];
    }
    // What else is in the yarns is of second order in a strain of 5 %.
    cr_assert_float_eq(sum, stored, 0.02 * stored, "%g J of %g J", sum, stored);
    // The pin's work takes its force at the end of steps, where it is a tenth larger.
    cr_assert_float_eq(energies.external, sum, 0.12 * stored, "%g J of %g J", energies.external,
                       sum);
    end(&pull);
}
