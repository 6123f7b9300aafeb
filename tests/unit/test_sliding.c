// SPDX-License-Identifier: MIT
// Sliding yarns in a simulation: motion, curves, pins, loads, resuming, threads, bodies.
#include "heddle/sliding.h"

#include "heddle/yarn.h"
#include "math/vec3.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static HedNet plain(int32_t ends, int32_t picks) {
    HedNet net = {0};
    test_net_weave(ends, picks, &net);
    return net;
}

static HedSim* make_sim(const HedSimDef* def) {
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(hed_sim_create(def, &sim, &error), HED_OK, "%s", error.message);
    return sim;
}

// Pressed together as in a cloth that was woven tight: it does not slide off what holds it.
static HedSlidingDef material(const HedNet* net) {
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "cloth";
    def.net = net;
    def.crossing_preload = 1e-3;
    return def;
}

static HedYarnsId add(HedSim* sim, const HedNet* net) {
    HedYarnsId id = {0};
    HedError error = {0};
    HedSlidingDef def = material(net);
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

static HedStepReport step(HedSim* sim, int32_t count) {
    HedStepReport report = {0};
    HedError error = {0};
    for (int32_t k = 0; k < count; ++k) {
        cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s: %s", hed_reason_name(report.reason),
                     report.trouble);
    }
    return report;
}

// Nodes with the largest y: the upper ends of the warp, less than half a spacing from each other.
static int32_t find_top(const HedNet* net, int32_t* nodes) {
    double top = -INFINITY;
    int32_t count = 0;
    for (int32_t k = 0; k < net->node_count; ++k) {
        top = fmax(top, net->nodes[k].position.y);
    }
    for (int32_t k = 0; k < net->node_count; ++k) {
        if (net->nodes[k].position.y > top - 0.3 * net->spacing) {
            nodes[count++] = k;
        }
    }
    return count;
}

static HedPinId hold(HedSim* sim, const HedPinDef* def) {
    HedPinId id = {0};
    HedError error = {0};
    cr_assert_eq(hed_pin_create(sim, def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

static HedPinDef pin_of(HedYarnsId yarns, const int32_t* nodes, int32_t count) {
    HedPinDef def = hed_pin_def_default();
    def.yarns = yarns;
    def.vertices = nodes;
    def.vertex_count = count;
    return def;
}

static HedSimDef small_steps(void) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    return def;
}

enum { MOST = 2000 };

static HedVec3* nodes_of(const HedSim* sim, HedYarnsId id) {
    static HedVec3 nodes[MOST];
    cr_assert_leq(hed_sliding_node_count(sim, id), MOST);
    hed_sliding_node_positions(sim, id, nodes);
    return nodes;
}

// --- what moves, and how it is seen ---

// Backward Euler from rest: after n steps the velocity is n g h, the way g h^2 n (n + 1)/2. Nothing
// deforms, so all nodes do the same.
Test(sliding, falls) {
    enum { STEPS = 10 };
    HedNet net = plain(8, 6);
    HedSimDef def = small_steps();
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    step(sim, STEPS);
    double way = 0.5 * 9.81 * def.time_step * def.time_step * STEPS * (STEPS + 1);
    const HedVec3* x = nodes_of(sim, id);
    for (int32_t k = 0; k < net.node_count; ++k) {
        HedVec3 p = net.nodes[k].position;
        // Steps are solved to 1e-4 m/s, and weights to a relative 1e-9.
        cr_assert_float_eq(x[k].y, p.y - way, 1e-3 * way);
        cr_assert_float_eq(x[k].x, p.x, 1e-3 * way); // as above
        cr_assert_float_eq(x[k].z, p.z, 1e-3 * way); // as above
    }
    HedMeasureDef speed = {.kind = HED_MEASURE_SPEED, .yarns = id, .a = 5};
    double values[3];
    cr_assert_eq(hed_sim_measure(sim, &speed, values, NULL), HED_OK);
    cr_assert_float_eq(values[0], 9.81 * def.time_step * STEPS, 1e-4); // m/s, as steps are solved
    HedEnergies e = hed_sim_energies(sim);
    double mass = 0.0;
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        const HedNetYarn* yarn = &net.yarns[y];
        double density = yarn->linear_density > 0.0 ? yarn->linear_density : 2.5e-5;
        mass += density * net.visits[yarn->first + yarn->count - 1].at;
    }
    // All nodes have one speed, but for 1e-4 m/s of 0.1.
    cr_assert_float_eq(e.kinetic, 0.5 * mass * values[0] * values[0], 1e-3 * e.kinetic);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// Frames hold the points of the smooth curves, which follow the nodes.
Test(sliding, curves) {
    HedNet net = plain(8, 6);
    HedSimDef def = small_steps();
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    step(sim, 3);
    int64_t count = hed_net_curve_point_count(&net, HED_SLIDING_SAMPLES);
    cr_assert_eq(hed_yarns_vertex_count(sim, id), count);
    cr_assert_eq(hed_sim_yarns(sim, 0).index, id.index);
    HedVec3 points[MOST], expected[MOST], velocities[MOST];
    double values[MOST];
    cr_assert_leq(count, MOST);
    hed_yarns_positions(sim, id, points);
    hed_net_curve_points(&net, nodes_of(sim, id), HED_SLIDING_SAMPLES, expected);
    cr_assert_arr_eq(points, expected, (size_t)count * sizeof points[0]);
    hed_yarns_velocities(sim, id, velocities);
    for (int32_t k = 0; k < count; ++k) {
        // m/s, as steps are solved.
        cr_assert_float_eq(velocities[k].y, -3.0 * 9.81 * def.time_step, 1e-4);
    }
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        cr_assert_eq(hed_yarns_quantity(sim, id, (HedQuantity)q, values, NULL), HED_OK);
        for (int32_t k = 0; k < count; ++k) {
            cr_assert(isfinite(values[k]));
            // m/s, as steps are solved.
            cr_assert(q != HED_QUANTITY_SPEED || fabs(values[k] - 3.0 * 9.81e-3) < 1e-4);
        }
    }
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// --- pins and loads ---

// Held nodes stay to the last bit, follow their keyframes, and are let go.
Test(sliding, pins) {
    HedNet net = plain(8, 6);
    HedSimDef def = small_steps();
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    int32_t top[MOST];
    int32_t count = find_top(&net, top);
    cr_assert_eq(count, 8);
    HedKeyframe keys[2] = {{.time = 0.0, .pose = {.rotation = {1, 0, 0, 0}}},
                           {.time = 0.01, .pose = {{1e-5, 0, 0}, {1, 0, 0, 0}}}};
    HedPinDef still = pin_of(id, top, 4);
    HedPinDef moved = pin_of(id, top + 4, 4);
    moved.keyframes = keys;
    moved.keyframe_count = 2;
    moved.release_time = 0.01;
    hold(sim, &still);
    hold(sim, &moved);
    step(sim, 10);
    const HedVec3* x = nodes_of(sim, id);
    for (int32_t k = 0; k < 8; ++k) {
        HedVec3 p = net.nodes[top[k]].position;
        HedVec3 target = k < 4 ? p : (HedVec3){p.x + 1e-5, p.y, p.z};
        cr_assert_eq(x[top[k]].y, target.y);
        cr_assert_float_eq(x[top[k]].x, target.x, 1e-15); // one sum
    }
    cr_assert_eq(hed_sim_size(sim).held_points, 8);
    cr_assert_gt(hed_sim_energies(sim).external, 0.0);
    step(sim, 1);
    cr_assert_eq(hed_sim_size(sim).held_points, 4);
    step(sim, 10);
    x = nodes_of(sim, id);
    cr_assert_lt(x[top[7]].y, net.nodes[top[7]].position.y);
    cr_assert_eq(x[top[0]].y, net.nodes[top[0]].position.y);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// The largest change of a material coordinate among crossings that are held while the cloth below
// them pulls: with a clamp there is none at all.
static double find_slip(bool clamps) {
    HedNet net = plain(6, 6);
    HedSimDef def = small_steps();
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    int32_t held[MOST];
    int32_t count = 0;
    double middle = 0.0;
    for (int32_t k = 0; k < net.node_count; ++k) {
        if (net.nodes[k].sign != 0 && fabs(net.nodes[k].position.y - middle) < net.spacing) {
            held[count++] = k;
        }
    }
    cr_assert_geq(count, 6);
    HedPinDef pin = pin_of(id, held, count);
    pin.clamps = clamps;
    hold(sim, &pin);
    step(sim, 5);
    double along[2 * MOST];
    hed_sliding_coordinates(sim, id, along);
    double slip = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        for (int s = 0; s < 2; ++s) {
            double at = net.visits[net.nodes[held[k]].visit[s]].at;
            slip = fmax(slip, fabs(along[2 * held[k] + s] - at));
        }
    }
    hed_sim_destroy(sim);
    hed_net_free(&net);
    return slip;
}

Test(sliding, clamps) {
    cr_assert_eq(find_slip(true), 0.0);
    // m: rounding would be 1e-18.
    cr_assert_gt(find_slip(false), 1e-9);
}

// At rest a pin carries what hangs on it: the weight and the load.
Test(sliding, loads) {
    HedNet net = plain(6, 4);
    HedSimDef def = small_steps();
    def.time_step = 5e-3;
    def.drag = 50.0;
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    int32_t nodes[MOST];
    for (int32_t k = 0; k < net.node_count; ++k) {
        nodes[k] = k;
    }
    HedPinDef pin = pin_of(id, nodes, net.node_count);
    HedPinId pin_id = hold(sim, &pin);
    HedLoadDef load = hed_load_def_default();
    load.yarns = id;
    load.vertices = nodes + 7;
    load.vertex_count = 2;
    load.force = (HedVec3){1e-3, 0.0, 0.0};
    cr_assert_eq(hed_load_create(sim, &load, NULL), HED_OK);
    step(sim, 2);
    HedMeasureDef pull = {.kind = HED_MEASURE_REACTION, .yarns = id, .pin = pin_id};
    double values[3];
    cr_assert_eq(hed_sim_measure(sim, &pull, values, NULL), HED_OK);
    double weight = 0.0;
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        const HedNetYarn* yarn = &net.yarns[y];
        double density = yarn->linear_density > 0.0 ? yarn->linear_density : 2.5e-5;
        weight += 9.81 * density * net.visits[yarn->first + yarn->count - 1].at;
    }
    // Inner forces cancel: what is left is rounding of forces of up to a newton.
    cr_assert_float_eq(values[0], -2e-3, 1e-12);
    // Weights of some hundred points, added up.
    cr_assert_float_eq(values[1], weight, 1e-12 * weight);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// --- going on ---

static HedSim* hanging(const HedNet* net, int32_t threads) {
    HedSimDef def = small_steps();
    def.thread_count = threads;
    HedSim* sim = make_sim(&def);
    HedSlidingDef yarns = material(net);
    HedYarnsId id = {0};
    cr_assert_eq(hed_sliding_create(sim, &yarns, &id, NULL), HED_OK);
    static int32_t top[MOST];
    HedPinDef pin = pin_of(id, top, find_top(net, top) / 2);
    hold(sim, &pin);
    return sim;
}

static void expect_same(HedSim* a, HedSim* b) {
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(a, from);
    cr_assert_gt(count, 0);
    cr_assert_eq(hed_sim_snapshot(b, to), count);
    for (int32_t k = 0; k < count; ++k) {
        cr_assert_eq(from[k].bytes, to[k].bytes);
        cr_assert_arr_eq(from[k].data, to[k].data, (size_t)from[k].bytes, "%s", from[k].name);
    }
}

// A run that is taken up again goes on to the last bit.
Test(sliding, resumes) {
    HedNet net = plain(10, 10);
    HedSim* whole = hanging(&net, 1);
    HedSim* second = hanging(&net, 1);
    step(whole, 5);
    HedError error = {0};
    cr_assert_eq(hed_sim_restored(second, &error), HED_INVALID);
    cr_assert_eq(hed_sim_prepare(second, &error), HED_OK, "%s", error.message);
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(whole, from);
    cr_assert_eq(hed_sim_snapshot(second, to), count);
    for (int32_t k = 0; k < count; ++k) {
        cr_assert_eq(from[k].bytes, to[k].bytes);
        memcpy(to[k].data, from[k].data, (size_t)from[k].bytes);
    }
    cr_assert_eq(hed_sim_restored(second, &error), HED_OK, "%s", error.message);
    expect_same(whole, second);
    // Energies are those of the last step, which this one has not made.
    HedEnergies told = hed_sim_energies(whole), again = hed_sim_energies(second);
    cr_assert_eq(told.potential_count, again.potential_count);
    for (int32_t k = 0; k < told.potential_count; ++k) {
        cr_assert_eq(told.potential[k], again.potential[k], "%s", told.potential_name[k]);
    }
    step(whole, 5);
    step(second, 5);
    expect_same(whole, second);
    // What is not finite is refused.
    cr_assert_eq(hed_sim_snapshot(second, to), count);
    ((double*)to[count - 1].data)[0] = (double)NAN;
    cr_assert_eq(hed_sim_restored(second, &error), HED_PARSE);
    hed_sim_destroy(whole);
    hed_sim_destroy(second);
    hed_net_free(&net);
}

// The same bits with 1, 2 and 3 threads; the cloth is large enough for all to be woken.
Test(sliding, threads) {
    HedNet net = plain(28, 28);
    HedSim* one = hanging(&net, 1);
    step(one, 2);
    for (int32_t threads = 2; threads <= 3; ++threads) {
        HedSim* more = hanging(&net, threads);
        step(more, 2);
        expect_same(one, more);
        hed_sim_destroy(more);
    }
    hed_sim_destroy(one);
    hed_net_free(&net);
}

// Timing the equations of a step solves them, and changes nothing of what follows.
Test(sliding, measures) {
    HedNet net = plain(10, 9);
    HedSim* timed = hanging(&net, 1);
    HedSim* other = hanging(&net, 1);
    HedSolveMeasure found = {0};
    HedError error = {0};
    step(timed, 3);
    step(other, 3);
    cr_assert_eq(hed_sim_measure_solve(timed, 2, &found, &error), HED_OK, "%s", error.message);
    cr_assert(found.is_solved && found.points == net.node_count && found.product_bytes > 0);
    // The solve ends by the norm of the preconditioner; this is the plain one.
    cr_assert_lt(found.residual, 0.1);
    step(timed, 3);
    step(other, 3);
    expect_same(timed, other);
    hed_sim_destroy(timed);
    hed_sim_destroy(other);
    hed_net_free(&net);
}

// Two sets that do not touch are solved together: each goes as it goes alone.
Test(sliding, two_sets) {
    HedNet net = plain(8, 6);
    HedSimDef def = small_steps();
    HedSim* alone = make_sim(&def);
    HedSim* both = make_sim(&def);
    HedYarnsId single = add(alone, &net);
    HedYarnsId first = add(both, &net);
    HedYarnsId second = add(both, &net);
    int32_t nodes[MOST];
    HedPinDef pin = pin_of(single, nodes, find_top(&net, nodes));
    hold(alone, &pin);
    pin.yarns = second;
    hold(both, &pin);
    step(alone, 5);
    step(both, 5);
    HedVec3 expected[MOST], found[MOST];
    hed_sliding_node_positions(alone, single, expected);
    hed_sliding_node_positions(both, second, found);
    for (int32_t k = 0; k < net.node_count; ++k) {
        // Five steps of 1 ms, each solved to 1e-4 m/s: errors of speed add up, 15 times a step.
        cr_assert_lt(hed_distance3(found[k], expected[k]), 15 * 1e-4 * 1e-3);
    }
    hed_sliding_node_positions(both, first, found);
    cr_assert_lt(found[nodes[0]].y, expected[nodes[0]].y);
    hed_sim_destroy(alone);
    hed_sim_destroy(both);
    hed_net_free(&net);
}

// A step that cannot be solved leaves the state as it was, and names the worst node.
Test(sliding, gives_up) {
    HedNet net = plain(8, 6);
    HedSimDef def = small_steps();
    def.newton_tolerance = 1e-300;
    def.newton_iterations = 2;
    def.least_step = 0.5;
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    int32_t nodes[MOST];
    HedPinDef pin = pin_of(id, nodes, find_top(&net, nodes));
    hold(sim, &pin);
    HedStepReport report = {0};
    cr_assert_eq(hed_sim_step(sim, &report, NULL), HED_OK);
    cr_assert_eq(report.reason, HED_REASON_MAX_ITERATIONS);
    cr_assert(strstr(report.trouble, "of yarns 'cloth'"), "%s", report.trouble);
    cr_assert_geq(report.cuts[HED_REASON_MAX_ITERATIONS], 1);
    cr_assert_eq(hed_sim_steps(sim), 0);
    const HedVec3* x = nodes_of(sim, id);
    for (int32_t k = 0; k < net.node_count; ++k) {
        cr_assert_eq(x[k].y, net.nodes[k].position.y);
    }
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// --- bodies ---

// A plane below stops the fall, and says with which force.
Test(sliding, bodies) {
    HedNet net = plain(6, 6);
    for (int32_t k = 0; k < net.node_count; ++k) { // laid flat
        HedVec3 p = net.nodes[k].position;
        net.nodes[k].position = (HedVec3){p.x, p.z, -p.y};
    }
    HedSimDef def = small_steps();
    HedSim* sim = make_sim(&def);
    HedYarnsId id = add(sim, &net);
    HedBodyDef floor = hed_body_def_default();
    floor.shape = HED_PLANE;
    HedKeyframe low = {.pose = {{0.0, -1.5e-3, 0.0}, {1, 0, 0, 0}}};
    floor.keyframes = &low;
    floor.keyframe_count = 1;
    HedBodyId body;
    HedError error = {0};
    cr_assert_eq(hed_body_create(sim, &floor, &body, &error), HED_OK, "%s", error.message);
    HedStepReport report = step(sim, 60);
    cr_assert_gt(report.contact_count, 0);
    const HedVec3* x = nodes_of(sim, id);
    for (int32_t k = 0; k < net.node_count; ++k) {
        // The floor itself.
        cr_assert_gt(x[k].y, -1.5e-3);
    }
    double values[MOST];
    double most = 0.0;
    cr_assert_eq(hed_yarns_quantity(sim, id, HED_QUANTITY_CONTACT, values, NULL), HED_OK);
    for (int32_t k = 0; k < hed_yarns_vertex_count(sim, id); ++k) {
        most = fmax(most, values[k]);
    }
    cr_assert_gt(most, 0.0);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}
