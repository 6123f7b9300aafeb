// SPDX-License-Identifier: MIT
// The layers of a double cloth: nothing holds them together, and nothing passes through.
#include "heddle/sliding.h"
#include "heddle/weave.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>

enum { THREADS = 16, STEPS = 20, MOST = 1000 };

static const double G = 9.81; // m/s^2

typedef struct DoubleCloth {
    HedSim* sim;
    HedNet net;
    HedYarnsId id;
    double diameter;
} DoubleCloth;

// Two plain weaves, one over the other: odd ends with odd picks, even ones with even ones.
static void make_net(HedNet* net) {
    const char* const rows[] = {"#...", "###.", "..#.", "#.##"};
    HedWeave weave = {0};
    HedWeaveDef def = hed_weave_def_default();
    HedNetDef net_def = hed_net_def_default();
    HedFabric fabric = {0};
    HedError error = {0};
    def.warp.count = def.weft.count = THREADS;
    def.warp.linear_density = def.weft.linear_density = 40e-6;
    def.warp.sett = def.weft.sett = 2000.0;
    cr_assert_eq(hed_weave_rows(rows, 4, &weave, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&weave, &def, &fabric, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_net_create(&fabric, &net_def, net, &error), HED_OK, "%s", error.message);
    hed_fabric_free(&fabric);
    hed_weave_free(&weave);
}

// The back is held; gravity acts along z.
static DoubleCloth make(double gravity) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    def.self_collision = true;
    def.gravity = hed_vec3(0.0, 0.0, gravity);
    DoubleCloth made = {.sim = rig_sim(&def)};
    make_net(&made.net);
    made.diameter = 2.0 * made.net.yarns[0].radius;
    HedSlidingDef sliding = hed_sliding_def_default();
    HedError error = {0};
    sliding.name = "double cloth";
    sliding.net = &made.net;
    cr_assert_eq(hed_sliding_create(made.sim, &sliding, &made.id, &error), HED_OK, "%s",
                 error.message);
    int32_t back[MOST], count = 0;
    for (int32_t n = 0; n < made.net.node_count; ++n) {
        if (made.net.nodes[n].position.z < 0.0) {
            back[count++] = n;
        }
    }
    HedPinDef pin = hed_pin_def_default();
    HedPinId pin_id;
    pin.yarns = made.id;
    pin.vertices = back;
    pin.vertex_count = count;
    pin.clamps = true;
    cr_assert_eq(hed_pin_create(made.sim, &pin, &pin_id, &error), HED_OK, "%s", error.message);
    rig_prepare(made.sim);
    return made;
}

static void end(DoubleCloth* made) {
    hed_sim_destroy(made->sim);
    hed_net_free(&made->net);
}

// Mean and least height of the face above where it started.
static void rise_of(const DoubleCloth* made, double* mean, double* least) {
    static HedVec3 x[MOST];
    int32_t count = 0;
    hed_sliding_node_positions(made->sim, made->id, x);
    *mean = 0.0;
    *least = HUGE_VAL;
    for (int32_t n = 0; n < made->net.node_count; ++n) {
        double start = made->net.nodes[n].position.z;
        if (start > 0.0) {
            *mean += x[n].z - start;
            *least = fmin(*least, x[n].z - start);
            ++count;
        }
    }
    *mean /= count;
}

// Pulled off, the face goes as free bodies do, by backward Euler: g h^2 n (n + 1)/2.
Test(double_cloth, layers_part) {
    DoubleCloth made = make(G);
    rig_run(made.sim, STEPS);
    double mean, least, h = 1e-3;
    double free = 0.5 * G * h * h * STEPS * (STEPS + 1);
    rise_of(&made, &mean, &least);
    // Steps are solved to 1e-4 m/s: 2 um in 20 of them.
    cr_assert_float_eq(mean, free, STEPS * h * 1e-4, "%g of %g m", mean, free);
    cr_assert_float_eq(least, free, STEPS * h * 1e-4, "%g of %g m", least, free); // the same
    end(&made);
}

// Pressed on the back by ten times its weight it stays above it.
Test(double_cloth, layers_lie_on_each_other) {
    DoubleCloth made = make(-10.0 * G);
    rig_run(made.sim, 5 * STEPS);
    double mean, least;
    rise_of(&made, &mean, &least);
    // They start two diameters apart.
    cr_assert_gt(least, -2.0 * made.diameter, "%g of %g m", least, made.diameter);
    end(&made);
}
