// SPDX-License-Identifier: MIT
#include "experiment/sliding_patch.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 16 };
static const double LINEAR_DENSITY = 2e-4; // kg/m

HedKnitDef patch_knit_def(const char* pattern, int32_t rows, int32_t stitches) {
    HedKnitDef knit = hed_knit_def_default();
    knit.pattern = pattern;
    knit.rows = rows;
    knit.stitches = stitches;
    knit.diameter = PATCH_DIAMETER;
    knit.linear_density = LINEAR_DENSITY;
    knit.points_per_loop = POINTS;
    return knit;
}

int patch_knit(HedLab* lab, const HedKnitDef* knit, const HedRelaxDef* relax, Patch* patch,
               HedRelaxReport* report) {
    HedError error = {0};
    HedNetDef net_def = hed_net_def_default();
    if (hed_knit_create(knit, &patch->fabric, NULL, &error) != HED_OK ||
        (relax && hed_fabric_relax_cached(&patch->fabric, relax, NULL, report, &error) != HED_OK) ||
        hed_net_create(&patch->fabric, &net_def, &patch->net, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    patch->nodes = malloc(sizeof *patch->nodes * (size_t)(patch->net.node_count + 1));
    if (!patch->nodes) {
        return lab_fail_text(lab, "no memory for %d nodes", patch->net.node_count);
    }
    for (int32_t k = 0; k < patch->net.node_count; ++k) {
        patch->nodes[k] = patch->net.nodes[k].position;
    }
    return 0;
}

void patch_free(Patch* patch) {
    hed_fabric_free(&patch->fabric);
    hed_net_free(&patch->net);
    free(patch->nodes);
    *patch = (Patch){0};
}

double patch_extent(const Patch* patch, int axis) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int32_t k = 0; k < patch->net.node_count; ++k) {
        HedVec3 x = patch->nodes[k];
        double at = axis == 0 ? x.x : (axis == 1 ? x.y : x.z);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

HedSlidingDef patch_material(const Patch* patch) {
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "patch";
    def.net = &patch->net;
    def.linear_density = LINEAR_DENSITY;
    def.bend = PATCH_BEND;
    def.stretch = hed_relax_def_default().stretch * PATCH_FORCE;
    def.shear = 0.0;
    return def;
}

static HedVec3 moved(HedVec3 x, HedVec3 by) {
    return (HedVec3){x.x + by.x, x.y + by.y, x.z + by.z};
}

void patch_add_rods(YarnCurves* curves, const HedFabric* fabric, HedVec3 by) {
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        yarn_curves_begin(curves, 0.5 * yarn->diameter);
        for (int32_t i = 0; i < yarn->count; ++i) {
            yarn_curves_add(curves, moved(fabric->points[yarn->first + i], by));
        }
    }
}

void patch_add_yarns(HedLab* lab, YarnCurves* curves, const Patch* patch, HedVec3 by) {
    enum { SAMPLES = 4 };
    HedCurves smooth = {0};
    HedError error = {0};
    if (hed_net_curves(&patch->net, patch->nodes, SAMPLES, &smooth, &error) != HED_OK) {
        lab_note(lab, "not drawn: %s", error.message);
    }
    for (int32_t k = 0, at = 0; k < smooth.curve_count; ++k) {
        yarn_curves_begin(curves, patch->net.yarns[k].radius);
        for (int32_t i = 0; i < smooth.curves[k].count; ++i) {
            yarn_curves_add(curves, moved(smooth.vertices[at++], by));
        }
    }
    hed_curves_free(&smooth);
}
