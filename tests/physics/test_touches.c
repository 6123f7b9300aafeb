// SPDX-License-Identifier: MIT
// Layers of sliding yarns that touch yarn by yarn: what they weigh, how they rub in any direction,
// what they keep, and that nothing passes through.
#include "heddle/sliding.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>

static const double G = 9.81;      // m/s^2
static const double RADIUS = 1e-4; // m, of test_net_weave
static const double H = 1e-3;      // s

static HedSimDef steps(double friction) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = H;
    def.thread_count = 1;
    def.self_collision = true;
    def.self_friction = friction;
    def.newton_tolerance = 1e-6;
    def.gravity = (HedVec3){0.0, 0.0, -G};
    return def;
}

typedef struct Layer {
    HedNet net;
    HedYarnsId id;
    int32_t first, count; // points
} Layer;

typedef struct Place {
    int32_t side;  // threads
    double height; // m
    double turn;   // rad
} Place;

static void add(HedSim* sim, Layer* layer, Place at) {
    HedError error = {0};
    test_net_weave(at.side, at.side, &layer->net);
    for (int32_t n = 0; n < layer->net.node_count; ++n) {
        HedVec3* x = &layer->net.nodes[n].position;
        double c = cos(at.turn), s = sin(at.turn);
        *x = hed_vec3(c * x->x - s * x->y, s * x->x + c * x->y, x->z + at.height);
    }
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "layer";
    def.net = &layer->net;
    def.contact = HED_SLIDING_YARNS;
    layer->first = sim->x.count;
    cr_assert_eq(hed_sliding_create(sim, &def, &layer->id, &error), HED_OK, "%s", error.message);
    layer->count = sim->x.count - layer->first;
}

// All of its nodes held, and moved if there are keyframes.
static void hold(HedSim* sim, const Layer* layer, const HedKeyframe* keys, int32_t count) {
    HedPinDef pin = hed_pin_def_default();
    HedPinId id;
    HedError error = {0};
    int32_t* nodes = hed_alloc_array(layer->count, sizeof *nodes);
    for (int32_t n = 0; n < layer->count; ++n) {
        nodes[n] = n;
    }
    pin.yarns = layer->id;
    pin.vertices = nodes;
    pin.vertex_count = layer->count;
    pin.clamps = true;
    pin.keyframes = keys;
    pin.keyframe_count = count;
    cr_assert_eq(hed_pin_create(sim, &pin, &id, &error), HED_OK, "%s", error.message);
    hed_free(nodes);
}

static double mass_of(const HedSim* sim, const Layer* layer) {
    double sum = 0.0;
    for (int32_t i = 0; i < layer->count; ++i) {
        sum += sim->mass.data[layer->first + i];
    }
    return sum;
}

// Mean velocity by mass.
static HedVec3 speed_of(const HedSim* sim, const Layer* layer) {
    HedVec3 sum = {0.0, 0.0, 0.0};
    for (int32_t i = layer->first; i < layer->first + layer->count; ++i) {
        sum = hed_madd3(sum, sim->mass.data[i], sim->v.data[i]);
    }
    return hed_mul3(1.0 / mass_of(sim, layer), sum);
}

static double middle_of(const HedSim* sim, const Layer* layer) {
    double sum = 0.0;
    for (int32_t i = layer->first; i < layer->first + layer->count; ++i) {
        sum += sim->x.data[i].z / layer->count;
    }
    return sum;
}

// N, of contacts between the yarns of two layers (numbers of sets).
static double press(const HedSim* sim, int a, int b) {
    const HedTouches* touches = sim->touches;
    double sum = 0.0;
    for (int32_t k = 0; k < touches->memory.count; ++k) {
        const HedTouchMemory* m = &touches->memory.data[k];
        double least[2] = {touches->cloths.data[a].first_yarn, touches->cloths.data[b].first_yarn};
        double most[2];
        for (int i = 0; i < 2; ++i) {
            most[i] = least[i] + touches->cloths.data[i ? b : a].eol->model.yarn_count;
        }
        bool is = m->yarn[0] >= least[0] && m->yarn[0] < most[0] && m->yarn[1] >= least[1] &&
                  m->yarn[1] < most[1];
        sum += is ? m->normal : 0.0;
    }
    return sum;
}

static void end(HedSim* sim, Layer* layers, int count) {
    hed_sim_destroy(sim);
    for (int k = 0; k < count; ++k) {
        hed_net_free(&layers[k].net);
    }
}

// Three layers, the lowest held and each turned against the next: what lies on a layer presses on
// it with its weight.
Test(touches, each_layer_bears_what_lies_on_it) {
    HedSimDef def = steps(0.3);
    def.drag = 20.0; // what is left of the fall onto each other dies
    HedSim* sim = rig_sim(&def);
    Layer layers[3] = {0};
    for (int k = 0; k < 3; ++k) {
        add(sim, &layers[k], (Place){k ? 6 : 12, 3.6 * RADIUS * k, k == 2 ? 0.5 : 0.0});
    }
    hold(sim, &layers[0], NULL, 0);
    rig_prepare(sim);
    rig_run(sim, 300);
    double weight[3];
    for (int k = 0; k < 3; ++k) {
        weight[k] = G * mass_of(sim, &layers[k]);
    }
    // Three hundred steps of drag at 20 per second leave exp(-6) of whatever swung.
    double lower = weight[1] + weight[2];
    // Half of a percent.
    cr_assert_float_eq(press(sim, 0, 1), lower, 5e-3 * lower, "%g of %g N", press(sim, 0, 1),
                       lower);
    // The same.
    cr_assert_float_eq(press(sim, 1, 2), weight[2], 5e-3 * weight[2], "%g of %g N",
                       press(sim, 1, 2), weight[2]);
    for (int k = 1; k < 3; ++k) {
        double apart = middle_of(sim, &layers[k]) - middle_of(sim, &layers[k - 1]);
        // The barrier gives by sqrt(F/(k m)) of its margin under a force F: a hundredth of R.
        cr_assert_float_eq(apart, 3.6 * RADIUS, 0.05 * RADIUS, "layer %d: %g", k, apart);
    }
    end(sim, layers, 3);
}

// A tablecloth is pulled away at more than mu g: what lies on it follows with mu g.
Test(touches, a_layer_is_dragged_along_by_coulombs_law) {
    const double mu = 0.3, pull = 20.0; // m/s^2
    enum { KEYS = 41 };
    HedSimDef def = steps(mu);
    HedSim* sim = rig_sim(&def);
    Layer layers[2] = {0};
    add(sim, &layers[0], (Place){40, 0.0, 0.0});
    add(sim, &layers[1], (Place){5, 3.6 * RADIUS, 0.2});
    HedKeyframe keys[KEYS];
    for (int k = 0; k < KEYS; ++k) { // still for 10 ms, while the upper layer comes to lie
        double t = k * H;
        double gone = fmax(0.0, t - 10.0 * H);
        keys[k] = (HedKeyframe){.time = t, .pose.rotation.w = 1.0};
        keys[k].pose.position.x = 0.5 * pull * gone * gone;
    }
    hold(sim, &layers[0], keys, KEYS);
    rig_prepare(sim);
    rig_run(sim, 15);
    HedVec3 before = speed_of(sim, &layers[1]);
    rig_run(sim, 20);
    HedVec3 gained = hed_mul3(1.0 / (20.0 * H), hed_sub3(speed_of(sim, &layers[1]), before));
    // Contacts that begin and end shake the layer by some hundredths of its weight.
    cr_assert_float_eq(gained.x, mu * G, 0.02 * mu * G, "%g, not %g m/s^2", gained.x, mu * G);
    cr_assert_lt(fabs(gained.y), 0.02 * mu * G, "%g m/s^2", gained.y);
    end(sim, layers, 2);
}

// Nothing acts from outside: two layers that hit each other, turned and rubbing, keep their
// momentum and their angular momentum.
Test(touches, keep_momentum_and_its_moment) {
    HedSimDef def = steps(0.5);
    def.gravity = (HedVec3){0.0, 0.0, 0.0};
    HedSim* sim = rig_sim(&def);
    Layer layers[2] = {0};
    add(sim, &layers[0], (Place){8, 0.0, 0.0});
    add(sim, &layers[1], (Place){6, 4.0 * RADIUS, 0.4});
    rig_prepare(sim);
    for (int32_t i = layers[1].first; i < sim->x.count; ++i) {
        HedVec3 x = sim->x.data[i];
        sim->v.data[i] = hed_vec3(0.03 - 10.0 * x.y, 10.0 * x.x, -0.05);
    }
    hed_parts_set_points(sim);
    HedVec3 momentum[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double moment[2] = {0.0, 0.0};
    int touched = 0;
    for (int k = 0; k <= 30; ++k) {
        for (int32_t i = 0; k % 30 == 0 && i < sim->x.count; ++i) {
            HedVec3 p = hed_mul3(sim->mass.data[i], sim->v.data[i]);
            momentum[k / 30] = hed_add3(momentum[k / 30], p);
            moment[k / 30] += sim->x.data[i].x * p.y - sim->x.data[i].y * p.x;
        }
        if (k < 30) {
            rig_step(sim);
            int32_t count;
            touched += hed_touches_load(sim->touches, &count) > 0.0;
        }
    }
    cr_assert_gt(touched, 0, "they met");
    // Each step is solved to 1e-6 m/s in every velocity: 30 of them, over 0.05 m/s; material that
    // slides through crossings, which nodes' velocities leave out, has as much again.
    double lost = hed_distance3(momentum[0], momentum[1]);
    // That is 1.2e-3 in all.
    cr_assert_lt(lost, 2e-3 * hed_norm3(momentum[0]), "%g of %g", lost, hed_norm3(momentum[0]));
    // Backward Euler takes h omega of a rotation's moment in a time 1/omega: 30 steps of 1 % each
    // turn by 0.3, squared and halved 0.05, spread over what turns.
    cr_assert_float_eq(moment[1], moment[0], 0.05 * fabs(moment[0]), "%g, not %g", moment[1],
                       moment[0]);
    end(sim, layers, 2);
}

// Falls onto a held layer, rests, and is let go upwards: then nothing holds it.
Test(touches, layers_part_freely) {
    HedSimDef def = steps(0.3);
    HedSim* sim = rig_sim(&def);
    Layer layers[2] = {0};
    add(sim, &layers[0], (Place){12, 0.0, 0.0});
    add(sim, &layers[1], (Place){6, 4.5 * RADIUS, 0.1});
    hold(sim, &layers[0], NULL, 0);
    rig_prepare(sim);
    rig_run(sim, 60);
    int32_t count;
    double weight = G * mass_of(sim, &layers[1]);
    double load = hed_touches_load(sim->touches, &count);
    // After a fall of 0.1 mm: what is left of the bounce.
    cr_assert_float_eq(load, weight, 0.05 * weight, "%g of %g N", load, weight);
    for (int32_t i = layers[1].first; i < sim->x.count; ++i) {
        sim->v.data[i].z += 0.5; // m/s
    }
    hed_parts_set_points(sim);
    rig_run(sim, 10);
    cr_assert_eq(hed_touches_load(sim->touches, &count), 0.0);
    HedVec3 before = speed_of(sim, &layers[1]);
    rig_run(sim, 5);
    double fall = (speed_of(sim, &layers[1]).z - before.z) / (5.0 * H);
    cr_assert_float_eq(fall, -G, 1e-4 * G, "%g m/s^2", fall); // solved to 1e-6 m/s in 5 ms
    end(sim, layers, 2);
}

// Layers that stick and spin together lose no more energy than each would alone.
Test(touches, sticking_layers_spin_as_one) {
    double kept[2];
    for (int apart = 0; apart < 2; ++apart) {
        HedSimDef def = steps(1.0);
        def.gravity = (HedVec3){0.0, 0.0, 0.0};
        HedSim* sim = rig_sim(&def);
        Layer layers[2] = {0};
        add(sim, &layers[0], (Place){8, 0.0, 0.0});
        add(sim, &layers[1], (Place){8, (apart ? 36.0 : 3.55) * RADIUS, 0.0});
        rig_prepare(sim);
        for (int32_t i = 0; i < sim->x.count; ++i) {
            HedVec3 x = sim->x.data[i];
            sim->v.data[i] = hed_vec3(-20.0 * x.y, 20.0 * x.x, 0.0);
        }
        hed_parts_set_points(sim);
        double before = hed_sim_energies(sim).kinetic;
        rig_run(sim, 15);
        kept[apart] = hed_sim_energies(sim).kinetic / before;
        end(sim, layers, 2);
    }
    // Both turn by 0.3 rad, rigidly.
    cr_assert_float_eq(kept[0], kept[1], 1e-3, "%g, without contact %g", kept[0], kept[1]);
}
