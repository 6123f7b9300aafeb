// SPDX-License-Identifier: MIT
// From a fabric to the yarns of a scene.
#include "scene/shape_fabric.h"
#include "base/text.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

// Means over the length of yarns. They are counted from the first yarn, so that equal yarns have
// exactly the numbers of each.
typedef struct Means {
    double density; // kg/m, of yarns whose count is known; 0 if none is
    double radius;  // m
    bool differ;    // in density or radius
} Means;

static Means find_means(const HedFabric* fabric) {
    Means means = {0};
    double length = 0.0, known = 0.0, heavier = 0.0, wider = 0.0, first = 0.0;
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const HedFabricYarn* yarn = &fabric->yarns[i];
        double part = hed_fabric_length(fabric, i);
        length += part;
        wider += part * (yarn->diameter - fabric->yarns[0].diameter);
        if (yarn->linear_density > 0.0) {
            first = first > 0.0 ? first : yarn->linear_density;
            known += part;
            heavier += part * (yarn->linear_density - first);
        }
        means.differ = means.differ || yarn->diameter != fabric->yarns[0].diameter ||
                       yarn->linear_density != fabric->yarns[0].linear_density;
    }
    if (length > 0.0) {
        means.radius = 0.5 * (fabric->yarns[0].diameter + wider / length);
        means.density = known > 0.0 ? first + heavier / known : 0.0;
    }
    return means;
}

// Yarns of different counts have one linear density in a simulation: what keeps the mass.
static void choose_material(HedSceneDraft* d, HedSceneYarns* yarns, const HedFabric* fabric,
                            const char* what) {
    Means means = find_means(fabric);
    // At rest the shares of different yarns in the length are others.
    d->is_guessed = d->is_guessed || (d->is_partial && means.differ);
    if (!hed_node_child(yarns->node, "linear_density") && means.density > 0.0) {
        yarns->def.linear_density = means.density;
        if (means.differ && yarns->def.model != HED_YARN_SLIDING) {
            hed_sink_print(d->notes,
                           "%s: yarns of different counts are simulated with the mean, %.4g tex\n",
                           what, 1e6 * yarns->def.linear_density);
        }
    }
    if (!hed_node_child(yarns->node, "radius") && means.radius > 0.0) {
        yarns->def.radius = means.radius;
    }
}

// --- regions of damping

// Copies parts and frees them.
static HedStatus keep_parts(HedSceneDraft* d, HedFabricParts* parts, HedVertexSets* sets) {
    int32_t count = parts->count;
    int32_t* first = HED_POOL_ARRAY(d->pool, int32_t, (int64_t)count + 1);
    int32_t* vertices = HED_POOL_ARRAY(d->pool, int32_t, parts->first[count]);
    bool ok = first && vertices;
    for (int32_t k = 0; ok && k <= count; ++k) {
        first[k] = parts->first[k];
    }
    for (int32_t k = 0; ok && k < parts->first[count]; ++k) {
        vertices[k] = parts->points[k];
    }
    hed_fabric_parts_free(parts);
    *sets = (HedVertexSets){ok ? count : 0, first, vertices};
    return ok ? HED_OK : hed_fail_memory(d->error, "regions of a fabric");
}

// --- crossings

// "end 3" and "pick 2" of a weave, counted from 1; of others the carrier's name.
static void name_yarns(const HedFabric* fabric, HedYarnLabel* labels) {
    int32_t ends = 0, picks = 0;
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const char* name = fabric->yarns[i].name;
        bool is_warp = strcmp(name, "warp") == 0;
        if (is_warp || strcmp(name, "weft") == 0) {
            snprintf(labels[i].text, sizeof labels[i].text, "%s %d", is_warp ? "end" : "pick",
                     (int)(is_warp ? ++ends : ++picks));
        } else if (name[0]) {
            snprintf(labels[i].text, sizeof labels[i].text, "yarn '%.20s'", name);
        }
    }
}

static double vertex_of(const HedFabric* fabric, HedFabricPlace place) {
    return fabric->yarns[place.yarn].first + place.at;
}

// What a run looks for to say which yarns have come off. Yarns that repeat for ever have no ends.
static HedStatus take_crossings(HedSceneDraft* d, HedSceneYarns* yarns, const HedFabric* fabric) {
    int32_t count = hed_scene_repeats(yarns) ? 0 : fabric->crossing_count;
    HedYarnCrossing* crossings = HED_POOL_ARRAY(d->pool, HedYarnCrossing, count);
    HedYarnLabel* labels = HED_POOL_ARRAY(d->pool, HedYarnLabel, fabric->yarn_count);
    if (!crossings || !labels) {
        return hed_fail_memory(d->error, "crossings of a fabric");
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (!fabric->crossings[k].is_apart) {
            crossings[kept].over = vertex_of(fabric, fabric->crossings[k].over);
            crossings[kept++].under = vertex_of(fabric, fabric->crossings[k].under);
        }
    }
    name_yarns(fabric, labels);
    yarns->def.crossings = crossings;
    yarns->def.crossing_count = kept;
    yarns->def.labels = labels;
    return HED_OK;
}

// What the world does not damp needs no regions.
static HedStatus take_regions(HedSceneDraft* d, HedSceneYarns* yarns, const HedFabric* fabric) {
    HedStatus status = HED_OK;
    HedFabricParts parts;
    const HedSimDef* sim = &d->data->sim;
    bool is_damped = sim->nonrigid_rate > 0.0 || sim->nonrigid_slowing > 0.0;
    if (is_damped && yarns->nonrigid_stitches > 0) {
        HED_TRY(hed_fabric_blocks(fabric, yarns->nonrigid_stitches, &parts, d->error));
        HED_TRY(keep_parts(d, &parts, &yarns->def.blocks));
    }
    if (sim->nonrigid_pair_rate > 0.0) {
        HED_TRY(hed_fabric_pairs(fabric, &parts, d->error));
        HED_TRY(keep_parts(d, &parts, &yarns->def.pairs));
    }
done:
    return status;
}

HedStatus hed_scene_take_fabric(HedSceneDraft* d, HedSceneYarns* yarns, const HedFabric* fabric,
                                HedPose pose, const char* what) {
    if (yarns->def.model == HED_YARN_SLIDING) {
        choose_material(d, yarns, fabric, what);
        return hed_scene_take_net(d, yarns, fabric, pose, what);
    }
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, fabric->point_count);
    HedCurve* curves = HED_POOL_ARRAY(d->pool, HedCurve, fabric->yarn_count);
    HedTurns* turns = HED_POOL_ARRAY(d->pool, HedTurns, fabric->yarn_count);
    if (!vertices || !curves || !turns) {
        return hed_fail_memory(d->error, yarns->def.name);
    }
    for (int32_t i = 0; i < fabric->point_count; ++i) {
        vertices[i] = hed_pose_apply(pose, fabric->points[i]);
    }
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const HedFabricYarn* yarn = &fabric->yarns[i];
        curves[i] = (HedCurve){.first = yarn->first,
                               .count = yarn->count,
                               .is_closed = yarn->is_closed,
                               .color = yarn->color,
                               .radius = 0.5 * yarn->diameter};
        turns[i] = yarn->turns;
    }
    for (int k = 0; k < 2; ++k) {
        yarns->period[k] = hed_quat_rotate(pose.rotation, fabric->period[k]);
    }
    for (int32_t i = 0; i < fabric->note_count; ++i) {
        hed_sink_print(d->notes, "%s: %s\n", what, fabric->notes[i]);
    }
    choose_material(d, yarns, fabric, what);
    yarns->def.vertices = vertices;
    yarns->def.vertex_count = fabric->point_count;
    yarns->def.curves = curves;
    yarns->def.curve_count = fabric->yarn_count;
    yarns->def.turns = hed_scene_repeats(yarns) ? turns : NULL;
    HedStatus status = take_crossings(d, yarns, fabric);
    return status == HED_OK ? take_regions(d, yarns, fabric) : status;
}

HedStatus hed_scene_read_color(HedSceneDraft* d, const HedNode* owner, const char* key,
                               const char* text, int32_t* color) {
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    *color = HED_COLOR_NONE;
    if (!text) {
        return HED_OK;
    }
    bool fits = text[0] == '#' && strlen(text) == 7 && strspn(text + 1, DIGITS) == 6;
    if (!fits) {
        char shown[HED_NODE_TEXT];
        return hed_place_fail(d->error, hed_node_where(owner, key), HED_PARSE, NULL,
                              "'%s' is a colour such as \"#1f3a93\", got '%s'", key,
                              hed_text_shorten(text, shown));
    }
    *color = 0;
    for (int i = 1; i < 7; ++i) {
        int32_t digit = (int32_t)(strchr(DIGITS, text[i]) - DIGITS);
        *color = *color << 4 | (digit < 16 ? digit : digit - 6);
    }
    return HED_OK;
}
