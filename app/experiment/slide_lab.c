// SPDX-License-Identifier: MIT
#include "experiment/slide_lab.h"

#include <stdlib.h>
#include <string.h>

static HedStatus weave(SlideCloth cloth, HedFabric* fabric, HedError* error) {
    HedWeave plain = {0};
    HedWeaveDef def = hed_weave_def_default();
    HedThreadDef thread = {.sett = 1.0 / cloth.spacing,
                           .linear_density = cloth.density,
                           .diameter = cloth.diameter,
                           .color = 0xd8d0c0};
    def.warp = def.weft = thread;
    def.warp.count = cloth.ends;
    def.weft.count = cloth.picks;
    def.weft.color = 0x3a6ea5;
    HedStatus status = hed_weave_named("plain", &plain, error);
    if (status == HED_OK) {
        status = hed_weave_build(&plain, &def, fabric, error);
    }
    hed_weave_free(&plain);
    return status;
}

HedStatus slide_net(SlideCloth cloth, HedNet* net, HedError* error) {
    HedFabric fabric = {0};
    HedFabric cut = {0};
    HedNetDef def = hed_net_def_default();
    HedStatus status = weave(cloth, &fabric, error);
    if (status == HED_OK && cloth.width > 0.0) {
        status = hed_fabric_cut_out(&fabric, (HedFabricCut){cloth.angle, cloth.width, cloth.height},
                                    &cut, error);
    }
    if (status == HED_OK) {
        status = hed_net_create(cloth.width > 0.0 ? &cut : &fabric, &def, net, error);
    }
    for (int32_t y = 0; status == HED_OK && cloth.flat > 0.0 && y < net->yarn_count; ++y) {
        net->yarns[y].radius = 0.5 * cloth.flat * cloth.diameter;
    }
    for (int32_t k = 0; status == HED_OK && k < net->node_count; ++k) {
        HedVec3* x = &net->nodes[k].position;
        double c = cos(cloth.turn), s = sin(cloth.turn);
        *x = (HedVec3){c * x->x - s * x->y, s * x->x + c * x->y, x->z};
    }
    hed_fabric_free(&fabric);
    hed_fabric_free(&cut);
    return status;
}

static void fail_memory(SlideTrial* s) {
    s->trial.status = HED_NO_MEMORY;
    s->trial.error = (HedError){HED_NO_MEMORY, "no memory for sliding yarns"};
}

void slide_trial_begin(SlideTrial* s, HedLab* lab, SlideCloth cloth, HedSimDef sim,
                       HedSlidingDef def) {
    yarn_trial_begin(&s->trial, lab, sim);
    if (s->trial.status == HED_OK) {
        s->trial.status = slide_net(cloth, &s->net, &s->trial.error);
    }
    if (s->trial.status != HED_OK) {
        return;
    }
    def.net = &s->net;
    def.name = "cloth";
    s->trial.status = hed_sliding_create(s->trial.sim, &def, &s->yarns, &s->trial.error);
    s->x = calloc((size_t)s->net.node_count, sizeof *s->x);
    s->along = calloc((size_t)s->net.node_count * 2, sizeof *s->along);
    if (!s->x || !s->along) {
        fail_memory(s);
    }
}

void slide_trial_end(SlideTrial* s) {
    yarn_trial_end(&s->trial);
    hed_net_free(&s->net);
    yarn_curves_free(&s->curves);
    free(s->x);
    free(s->along);
    *s = (SlideTrial){0};
}

int32_t slide_node(const HedNet* net, int32_t yarn, int32_t k) {
    const HedNetYarn* y = &net->yarns[yarn];
    return net->visits[y->first + (k < 0 ? y->count + k : k)].node;
}

HedPinId slide_trial_hold(SlideTrial* s, const int32_t* nodes, int32_t count, bool clamps,
                          const HedKeyframe* keys, int32_t key_count) {
    HedPinDef def = hed_pin_def_default();
    def.yarns = s->yarns;
    def.vertices = nodes;
    def.vertex_count = count;
    def.clamps = clamps;
    def.keyframes = keys;
    def.keyframe_count = key_count;
    return yarn_trial_pin(&s->trial, def);
}

bool slide_trial_go(SlideTrial* s, double time) {
    bool ok = yarn_trial_go(&s->trial, time);
    slide_trial_read(s);
    return ok;
}

void slide_trial_read(SlideTrial* s) {
    if (s->trial.status == HED_OK) {
        hed_sliding_node_positions(s->trial.sim, s->yarns, s->x);
        hed_sliding_coordinates(s->trial.sim, s->yarns, s->along);
    }
}

void slide_trial_draw(SlideTrial* s, HedLab* lab, const char* picture, const double view[2]) {
    HedCurves curves = {0};
    if (lab_quick(lab) || s->trial.status != HED_OK) {
        return;
    }
    if (hed_net_curves(&s->net, NULL, HED_SLIDING_SAMPLES, &curves, &s->trial.error) != HED_OK) {
        lab_note(lab, "%s: not drawn: %s", picture, s->trial.error.message);
        return;
    }
    hed_yarns_positions(s->trial.sim, s->yarns, curves.vertices);
    const YarnCurves set = {.x = curves.vertices,
                            .point_count = curves.vertex_count,
                            .curves = curves.curves,
                            .count = curves.curve_count};
    const YarnCurves* sets[1] = {&set};
    yarn_lab_draw(lab, sets, 1, picture, view);
    hed_curves_free(&curves);
}
