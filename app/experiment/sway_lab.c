// SPDX-License-Identifier: MIT
#include "experiment/sway_lab.h"

#include "experiment/yarn_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SAMPLES = 1500 };

// --- cloth

static HedStatus make_net(const SwayCloth* cloth, HedNet* net, HedError* error) {
    HedWeave draft = {0};
    HedFabric fabric = {0};
    HedWeaveDef def = hed_weave_def_default();
    HedNetDef net_def = hed_net_def_default();
    HedThreadDef thread = {.sett = 1.0 / cloth->spacing,
                           .linear_density = cloth->linear_density,
                           .diameter = 2.0 * cloth->radius,
                           .color = HED_COLOR_NONE};
    def.warp = def.weft = thread;
    def.warp.count = cloth->ends;
    def.weft.count = cloth->picks;
    def.warp.color = 0x3D6FA5;
    def.weft.color = 0xE8E0C8;
    HedStatus status = hed_weave_named("plain", &draft, error);
    if (status == HED_OK) {
        status = hed_weave_build(&draft, &def, &fabric, error);
    }
    if (status == HED_OK) {
        status = hed_net_create(&fabric, &net_def, net, error);
    }
    hed_fabric_free(&fabric);
    hed_weave_free(&draft);
    return status;
}

// Ends of threads lie half a spacing beyond the outermost crossing, all nodes in one plane, and the
// material between them is as long as the way.
static void straighten(SwayCloth* cloth) {
    HedNet* net = &cloth->net;
    double l = cloth->spacing;
    cloth->tail = 0.5 * l;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        HedNetYarn* yarn = &net->yarns[y];
        bool is_warp = y < cloth->ends;
        double line = l * (is_warp ? y - 0.5 * (cloth->ends - 1)
                                   : y - cloth->ends - 0.5 * (cloth->picks - 1));
        double first = -0.5 * l * (yarn->count - 3);
        for (int32_t k = 0; k < yarn->count; ++k) {
            bool is_end = k == 0 || k + 1 == yarn->count;
            double along = k == 0   ? first - cloth->tail
                           : is_end ? -first + cloth->tail
                                    : first + l * (k - 1);
            HedNetVisit* visit = &net->visits[yarn->first + k];
            visit->at = along - (first - cloth->tail);
            if (is_warp || is_end) {
                net->nodes[visit->node].position =
                    is_warp ? (HedVec3){line, along, 0.0} : (HedVec3){along, line, 0.0};
            }
        }
        yarn->linear_density = cloth->linear_density;
    }
    net->spacing = l;
}

int sway_weave(HedLab* lab, SwayCloth* cloth) {
    HedError error = {0};
    if (make_net(cloth, &cloth->net, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    const HedNet* net = &cloth->net;
    bool is_plain = net->yarn_count == cloth->ends + cloth->picks;
    for (int32_t y = 0; y < net->yarn_count && is_plain; ++y) {
        is_plain = net->yarns[y].count == 2 + (y < cloth->ends ? cloth->picks : cloth->ends);
    }
    if (!is_plain) {
        return lab_fail_text(lab, "the net of a plain weave is not what is expected");
    }
    straighten(cloth);
    if (hed_net_check(&cloth->net, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    cloth->def.net = &cloth->net;
    return 0;
}

// --- motion

// Each node is held where it is to start; all but those that stay are let go after a step.
static HedStatus hold(HedSim* sim, HedYarnsId yarns, const SwayCloth* cloth, const SwayStart* start,
                      HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < cloth->net.node_count && status == HED_OK; ++k) {
        HedVec3 x = cloth->net.nodes[k].position;
        bool stays = false;
        HedVec3 to = start->place(cloth, x, &stays);
        HedKeyframe key = {.pose = {{to.x - x.x, to.y - x.y, to.z - x.z}, {1, 0, 0, 0}}};
        HedPinDef def = hed_pin_def_default();
        HedPinId id;
        def.yarns = yarns;
        def.vertices = &k;
        def.vertex_count = 1;
        def.keyframes = &key;
        def.keyframe_count = 1;
        def.clamps = true;
        def.release_time = stays ? def.release_time : start->step;
        status = hed_pin_create(sim, &def, &id, error);
    }
    return status;
}

static HedStatus begin(HedLab* lab, const SwayCloth* cloth, const SwayStart* start, HedSim** sim,
                       HedYarnsId* yarns, HedError* error) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0.0, -start->gravity, 0.0};
    def.time_step = start->step;
    def.newton_tolerance = start->tolerance;
    def.thread_count = lab_threads(lab);
    HedStatus status = hed_sim_create(&def, sim, error);
    if (status == HED_OK) {
        status = hed_sliding_create(*sim, &cloth->def, yarns, error);
    }
    return status == HED_OK ? hold(*sim, *yarns, cloth, start, error) : status;
}

static void record(Sway* out, double time, double kinetic) {
    if (out->count < out->room) {
        out->time[out->count] = time;
        out->kinetic[out->count++] = kinetic;
    }
}

// Samples are steps, or each so many-th of them.
static HedStatus go(HedSim* sim, const SwayStart* start, Sway* out, HedError* error) {
    int64_t steps = (int64_t)ceil(start->duration / start->step - 1e-9);
    int64_t every = 1 + steps / MOST_SAMPLES;
    HedStatus status = HED_OK;
    HedStepReport report = {.reason = HED_REASON_CONVERGED};
    for (int64_t k = 0; k <= steps && status == HED_OK; ++k) {
        status = hed_sim_step(sim, &report, error);
        if (report.reason != HED_REASON_CONVERGED) {
            break;
        }
        if (k % every == 0) { // the first step has held everything
            out->last = hed_sim_energies(sim);
            record(out, (double)k * start->step, out->last.kinetic);
        }
    }
    out->has_ended = status == HED_OK && report.reason == HED_REASON_CONVERGED;
    return status;
}

int sway_run(HedLab* lab, const SwayCloth* cloth, const SwayStart* start, Sway* out) {
    HedSim* sim = NULL;
    HedYarnsId yarns = {0};
    HedError error = {0};
    *out = (Sway){.room = MOST_SAMPLES + 2};
    out->time = calloc((size_t)out->room, sizeof *out->time);
    out->kinetic = calloc((size_t)out->room, sizeof *out->kinetic);
    out->nodes = calloc((size_t)cloth->net.node_count, sizeof *out->nodes);
    if (!out->time || !out->kinetic || !out->nodes) {
        return lab_fail_text(lab, "no memory for a motion");
    }
    HedStatus status = begin(lab, cloth, start, &sim, &yarns, &error);
    if (status == HED_OK) {
        status = go(sim, start, out, &error);
    }
    if (status == HED_OK) {
        hed_sliding_node_positions(sim, yarns, out->nodes);
    }
    hed_sim_destroy(sim);
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

void sway_free(Sway* sway) {
    free(sway->time);
    free(sway->kinetic);
    free(sway->nodes);
    *sway = (Sway){0};
}

// --- what it shows

int sway_fit(HedLab* lab, Sway* sway) {
    HedError error = {0};
    HedStatus status =
        hed_fit_decay(sway->time, sway->kinetic, sway->count, HED_DECAY_ENERGY, &sway->fit, &error);
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

double sway_ratio(const Sway* sway) {
    switch (sway->fit.kind) {
    case HED_DECAY_OSCILLATION:
        return sway->fit.ratio.value;
    case HED_DECAY_EXPONENTIAL:
        return 1.0;
    default:
        return (double)NAN;
    }
}

int sway_save(HedLab* lab, const Sway* sway, const char* csv) {
    FILE* file = fopen(lab_path(lab, csv), "w");
    if (!file) {
        return lab_fail_text(lab, "cannot write %s", csv);
    }
    fprintf(file, "time,kinetic\n");
    for (int32_t k = 0; k < sway->count; ++k) {
        fprintf(file, "%.9g,%.9g\n", sway->time[k], sway->kinetic[k]);
    }
    bool ok = !ferror(file);
    return fclose(file) == 0 && ok ? 0 : lab_fail_text(lab, "cannot write %s", csv);
}

void sway_draw(HedLab* lab, const SwayCloth* cloth, const Sway* sway, const char* picture,
               const double view[2]) {
    HedCurves from = {0};
    YarnCurves curves = {0};
    HedError error = {0};
    if (lab_quick(lab)) {
        return;
    }
    if (hed_net_curves(&cloth->net, sway->nodes, HED_SLIDING_SAMPLES, &from, &error) != HED_OK) {
        lab_note(lab, "%s: not drawn: %s", picture, error.message);
        return;
    }
    for (int32_t c = 0; c < from.curve_count; ++c) {
        const HedCurve* curve = &from.curves[c];
        yarn_curves_begin(&curves, cloth->radius);
        for (int32_t k = curve->first; k < curve->first + curve->count; ++k) {
            yarn_curves_add(&curves, from.vertices[k]);
        }
        if (curves.count > 0) {
            curves.curves[curves.count - 1].color = curve->color;
        }
    }
    const YarnCurves* sets[1] = {&curves};
    yarn_lab_draw(lab, sets, 1, picture, view);
    yarn_curves_free(&curves);
    hed_curves_free(&from);
}
