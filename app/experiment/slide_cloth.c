// SPDX-License-Identifier: MIT
#include "experiment/slide_cloth.h"

#include "heddle/knit.h"
#include "heddle/sliding.h"
#include "heddle/weave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Thread {
    double spacing, diameter; // m
    double density;           // kg/m
} Thread;

static HedStatus weave(Thread thread, int32_t side, HedFabric* fabric, HedError* error) {
    HedWeave draft = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.warp = def.weft = (HedThreadDef){.count = side,
                                         .sett = 1.0 / thread.spacing,
                                         .linear_density = thread.density,
                                         .diameter = thread.diameter,
                                         .color = HED_COLOR_NONE};
    def.points = 2; // the network needs no more
    HedStatus status = hed_weave_named("plain", &draft, error);
    status = status ? status : hed_weave_build(&draft, &def, fabric, error);
    hed_weave_free(&draft);
    return status;
}

static HedStatus knit(Thread thread, int32_t side, HedFabric* fabric, HedError* error) {
    HedKnitDef def = hed_knit_def_default();
    def.pattern = "stockinette";
    def.rows = def.stitches = side;
    def.diameter = thread.diameter;
    def.linear_density = thread.density;
    return hed_knit_create(&def, fabric, NULL, error);
}

// Table 1 of Sanchez-Banderas and Otaduy (2017), its sphere, in SI; its yarns have no shear
// stiffness in the table, here it is 1 kPa times the radius squared.
static HedSlidingDef soft(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 8e-4;
    def.bend = 8e-11;
    def.shear = 2.6e-5;
    def.stretch_damping = (HedSlidingDamping){.density = 1e-5};
    def.bend_damping = (HedSlidingDamping){.density = 1e-12};
    return def;
}

static HedSlidingDef cotton(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 30.0;
    def.bend = 2e-9;
    def.shear = 5e-3;
    return def;
}

static HedSlidingDef jersey(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.stretch = 2.0;
    def.bend = 2e-10;
    def.shear = 0.0;
    def.bend_damping.time = 2e-2;
    return def;
}

static const Thread THREADS[] = {
    [SLIDE_SOFT] = {5.7e-4, 3.2e-4, 1e-5},
    [SLIDE_COTTON] = {4e-4, 2e-4, 2.5e-5},
    [SLIDE_KNIT] = {0.0, 2.2e-4, 2e-5},
};

// Nodes within a twentieth of the cloth's size from its two corners with the largest y.
static HedStatus hold(HedSim* sim, HedYarnsId yarns, const HedNet* net, HedError* error) {
    HedPinDef pin = hed_pin_def_default();
    HedPinId id;
    HedVec3 low = net->nodes[0].position, high = low;
    for (int32_t k = 0; k < net->node_count; ++k) {
        HedVec3 x = net->nodes[k].position;
        low = (HedVec3){fmin(low.x, x.x), fmin(low.y, x.y), 0.0};
        high = (HedVec3){fmax(high.x, x.x), fmax(high.y, x.y), 0.0};
    }
    double reach = fmax(0.05 * (high.y - low.y), 4.0 * net->spacing);
    int32_t count = net->node_count;
    int32_t* held = count > 0 ? calloc((size_t)count, sizeof *held) : NULL;
    if (!held) {
        return HED_NO_MEMORY;
    }
    for (int32_t k = 0; k < net->node_count; ++k) {
        HedVec3 x = net->nodes[k].position;
        double beside = fmin(x.x - low.x, high.x - x.x);
        if (hypot(beside, high.y - x.y) < reach) {
            held[pin.vertex_count++] = k;
        }
    }
    pin.yarns = yarns;
    pin.vertices = held;
    pin.clamps = true;
    HedStatus status = hed_pin_create(sim, &pin, &id, error);
    free(held);
    return status;
}

static HedSlidingDef material(SlideKind kind, const HedNet* net) {
    HedSlidingDef def = kind == SLIDE_SOFT ? soft() : kind == SLIDE_COTTON ? cotton() : jersey();
    def.net = net;
    def.linear_density = THREADS[kind].density;
    return def;
}

static HedStatus make_sim(const FallingCloth* cloth, const HedNet* net, HedSim** sim,
                          HedYarnsId* yarns, HedError* error) {
    HedSimDef def = hed_sim_def_default();
    HedSlidingDef slide = material(cloth->kind, net);
    def.gravity = (HedVec3){0.0, 0.0, -9.81};
    def.integrator = HED_IMPLICIT_EULER;
    def.time_step = cloth->step;
    def.thread_count = cloth->threads;
    def.preconditioner = cloth->preconditioner;
    def.linear_tolerance =
        cloth->linear_tolerance > 0.0 ? cloth->linear_tolerance : def.linear_tolerance;
    def.linear_iterations = cloth->linear_limit > 0 ? cloth->linear_limit : def.linear_iterations;
    def.newton_tolerance =
        cloth->newton_tolerance > 0.0 ? cloth->newton_tolerance : def.newton_tolerance;
    HedStatus status = hed_sim_create(&def, sim, error);
    status = status ? status : hed_sliding_create(*sim, &slide, yarns, error);
    status = status ? status : hold(*sim, *yarns, net, error);
    return status ? status : hed_sim_prepare(*sim, error);
}

static HedStatus make_net(SlideKind kind, int32_t side, HedNet* net, HedError* error) {
    HedFabric fabric = {0};
    HedNetDef def = hed_net_def_default();
    Thread thread = THREADS[kind];
    HedStatus status = kind == SLIDE_KNIT ? knit(thread, side, &fabric, error)
                                          : weave(thread, side, &fabric, error);
    status = status ? status : hed_net_create(&fabric, &def, net, error);
    hed_fabric_free(&fabric);
    return status;
}

HedStatus slide_build(const FallingCloth* cloth, HedSim** sim, HedYarnsId* yarns, HedError* error) {
    HedNet net = {0};
    HedStatus status = make_net(cloth->kind, cloth->side, &net, error);
    status = status ? status : make_sim(cloth, &net, sim, yarns, error);
    hed_net_free(&net);
    return status;
}

// A box whose top is level at a height.
static HedStatus add_table(HedSim* sim, double height, HedError* error) {
    HedBodyDef def = hed_body_def_default();
    HedBodyId id;
    HedKeyframe at = {.pose.rotation.w = 1.0};
    def.shape = HED_BOX;
    def.half_size = (HedVec3){1.0, 1.0, 0.1};
    at.pose.position.z = height - def.half_size.z;
    def.keyframes = &at;
    def.keyframe_count = 1;
    return hed_body_create(sim, &def, &id, error);
}

static HedStatus lay(const LyingCloths* cloths, HedNet* net, HedSim* sim, HedYarnsId yarns[2],
                     HedError* error) {
    const double apart = 1.001; // of what they keep from each other
    double thick = 2.0 * THREADS[cloths->kind].diameter;
    HedStatus status = HED_OK;
    for (int k = 0; k < 2 && status == HED_OK; ++k) {
        HedSlidingDef def = material(cloths->kind, net);
        for (int32_t n = 0; n < net->node_count; ++n) {
            net->nodes[n].position.z += k == 1 && cloths->touch ? apart * thick : 0.0;
        }
        def.name = k == 0 ? "lower" : "upper";
        def.velocity.x = k == 1 ? cloths->speed : 0.0;
        status = hed_sliding_create(sim, &def, &yarns[k], error);
    }
    return status ? status : add_table(sim, -0.5 * apart * thick, error);
}

HedStatus slide_build_lying(const LyingCloths* cloths, HedSim** sim, HedYarnsId yarns[2],
                            HedError* error) {
    HedNet net = {0};
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0.0, 0.0, -9.81};
    def.integrator = HED_IMPLICIT_EULER;
    def.time_step = cloths->step;
    def.thread_count = cloths->threads;
    def.self_collision = cloths->touch;
    def.newton_tolerance =
        cloths->newton_tolerance > 0.0 ? cloths->newton_tolerance : def.newton_tolerance;
    HedStatus status = make_net(cloths->kind, cloths->side, &net, error);
    status = status ? status : hed_sim_create(&def, sim, error);
    status = status ? status : lay(cloths, &net, *sim, yarns, error);
    hed_net_free(&net);
    return status ? status : hed_sim_prepare(*sim, error);
}

bool slide_copy_state(HedSim* from, HedSim* to) {
    HedSnapshotArray a[HED_SNAPSHOT_LIMIT], b[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(from, a);
    bool ok = count > 0 && hed_sim_snapshot(to, b) == count;
    for (int32_t k = 0; ok && k < count; ++k) {
        ok = a[k].bytes == b[k].bytes;
        if (ok && a[k].bytes > 0) {
            memcpy(b[k].data, a[k].data, (size_t)a[k].bytes);
        }
    }
    return ok && hed_sim_restored(to, NULL) == HED_OK;
}
