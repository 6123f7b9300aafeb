// SPDX-License-Identifier: MIT
#include "support/sliding_rig.h"

#include "heddle/knit.h"
#include "heddle/weave.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static void stop_unless(HedStatus status, const HedError* error) {
    if (status != HED_OK) {
        fprintf(stderr, "test patch: %s\n", error->message);
        abort();
    }
}

static double density_of(SlidingPatch patch) {
    return 910.0 * PI * patch.radius * patch.radius;
}

void test_patch_net(SlidingPatch patch, HedNet* net) {
    HedError error = {0};
    HedFabric fabric = {0};
    if (patch.is_knit) {
        HedKnitDef def = hed_knit_def_default();
        def.pattern = "stockinette";
        def.rows = def.stitches = patch.threads;
        def.diameter = 2.0 * patch.radius;
        def.linear_density = density_of(patch);
        stop_unless(hed_knit_create(&def, &fabric, NULL, &error), &error);
    } else {
        HedWeave weave = {0};
        HedWeaveDef def = hed_weave_def_default();
        def.warp = def.weft = (HedThreadDef){.sett = 1.0 / patch.spacing,
                                             .linear_density = density_of(patch),
                                             .diameter = 2.0 * patch.radius,
                                             .count = patch.threads,
                                             .color = HED_COLOR_NONE};
        stop_unless(hed_weave_named("plain", &weave, &error), &error);
        stop_unless(hed_weave_build(&weave, &def, &fabric, &error), &error);
        hed_weave_free(&weave);
    }
    HedNetDef def = hed_net_def_default();
    stop_unless(hed_net_create(&fabric, &def, net, &error), &error);
    hed_fabric_free(&fabric);
}

HedSlidingDef test_patch_material(SlidingPatch patch, const HedNet* net) {
    HedSlidingDef def = hed_sliding_def_default();
    double area = PI * patch.radius * patch.radius;
    def.name = "patch";
    def.net = net;
    def.linear_density = density_of(patch);
    def.stretch = patch.modulus * area;
    def.bend = 0.01 * patch.modulus * area * patch.radius * patch.radius / 4.0;
    def.shear = 1e-4 * def.stretch;
    return def;
}

int32_t test_patch_top(const HedNet* net, double part, int32_t* nodes, int32_t capacity) {
    double low = INFINITY, high = -INFINITY;
    int32_t count = 0;
    for (int32_t n = 0; n < net->node_count; ++n) {
        low = fmin(low, net->nodes[n].position.y);
        high = fmax(high, net->nodes[n].position.y);
    }
    for (int32_t n = 0; n < net->node_count && count < capacity; ++n) {
        if (net->nodes[n].position.y >= high - part * (high - low)) {
            nodes[count++] = n;
        }
    }
    return count;
}

bool test_patch_is_sound(const HedSim* sim, HedYarnsId yarns, const HedNet* net) {
    HedVec3* x = calloc((size_t)net->node_count, sizeof *x);
    double* along = calloc(2 * (size_t)net->node_count, sizeof *along);
    bool* is_gone = calloc((size_t)net->node_count, sizeof *is_gone);
    bool ok = x && along && is_gone;
    hed_sliding_gone(sim, yarns, is_gone);
    hed_sliding_node_positions(sim, yarns, x);
    hed_sliding_coordinates(sim, yarns, along);
    for (int32_t n = 0; ok && n < net->node_count; ++n) {
        ok = isfinite(x[n].x) && isfinite(x[n].y) && isfinite(x[n].z);
    }
    for (int32_t y = 0; ok && y < net->yarn_count; ++y) {
        const HedNetVisit* v = net->visits + net->yarns[y].first;
        double from = -INFINITY;
        for (int32_t k = 0; ok && k < net->yarns[y].count; ++k) {
            double to = along[2 * v[k].node + v[k].slot];
            ok = is_gone[v[k].node] || to > from;
            from = is_gone[v[k].node] ? from : to;
        }
    }
    free(x);
    free(along);
    free(is_gone);
    return ok;
}
