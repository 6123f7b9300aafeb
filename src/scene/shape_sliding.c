// SPDX-License-Identifier: MIT
// From a fabric to the crossing network of sliding yarns.
#include "math/quat.h"
#include "scene/shape_fabric.h"

#include <string.h>

#define FAIL(draft, place, ...)                                                                    \
    hed_place_fail((draft)->error, (place), HED_PARSE, NULL, __VA_ARGS__)

// Keys of rods and splines: what sliding yarns do not have is refused, rather than left out. A
// scene with all values filled in has them as they are by default.
HedStatus hed_scene_check_sliding(HedSceneDraft* d, const HedSceneYarns* yarns) {
    const HedYarnsDef* def = &yarns->def;
    const HedYarnsDef usual = hed_yarns_def_default();
    const struct {
        const char* key;
        bool is_set;
        bool is_inside; // `sliding` has a key of the same name
    } rules[] = {
        {"stretch", def->stretch != usual.stretch, true},
        {"bend", def->bend != usual.bend, true},
        {"twist", def->twist != usual.twist, true},
        {"bend_damping", def->bend_damping != usual.bend_damping, true},
        {"damping", def->damping != usual.damping, false},
        {"rest", def->rest != usual.rest, false},
        {"mass", def->mass != usual.mass, false},
        {"bend_across", def->bend_across != usual.bend_across, false},
        {"inextensible", def->inextensible, false},
        {"contact", def->contact != usual.contact, false},
        {"natural_twist", def->natural_twist != usual.natural_twist, false},
        {"closing_twist", def->closing_twist != usual.closing_twist, false},
        {"plastic", def->plastic != usual.plastic, false},
        {"plastic_limit", def->plastic_limit != usual.plastic_limit, false},
    };
    if (def->model != HED_YARN_SLIDING) {
        return yarns->sliding.node ? FAIL(d, hed_node_where(yarns->node, "sliding"),
                                          "'sliding' needs the model 'sliding', and this is '%s'",
                                          hed_yarn_model_name(def->model))
                                   : HED_OK;
    }
    if (yarns->sliding.curl == HED_CURL_AUTO && !yarns->knit.node) {
        return FAIL(d, hed_node_where(yarns->sliding.node, "curl"), "'curl' is for knits");
    }
    if (yarns->sliding.curl == HED_CURL_AUTO && yarns->sliding.def.curl_stiffness > 0.0) {
        return FAIL(d, hed_node_where(yarns->sliding.node, "curl_stiffness"),
                    "'curl: auto' finds 'curl_stiffness' itself");
    }
    if (!yarns->weave.node && !yarns->knit.node) {
        return FAIL(d, hed_node_where(yarns->node, "model"),
                    "the model 'sliding' needs a 'weave' or a 'knit'");
    }
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        if (rules[k].is_set) {
            return FAIL(d, hed_node_where(yarns->node, rules[k].key),
                        rules[k].is_inside
                            ? "'%s' of the model 'sliding' stands in the mapping 'sliding'"
                            : "'%s' is for rods and splines, and the model is 'sliding'",
                        rules[k].key);
        }
    }
    return HED_OK;
}

// Moves an array into the pool; false without memory.
static bool move_array(HedPool* pool, void** data, int32_t count, size_t size) {
    void* copy = count > 0 ? hed_pool_push(pool, count, size) : NULL;
    if (count > 0 && !copy) {
        return false;
    }
    if (copy) {
        memcpy(copy, *data, (size_t)count * size);
    }
    *data = copy;
    return true;
}

static HedStatus keep_net(HedSceneDraft* d, HedSceneYarns* yarns, const HedNet* made) {
    HedNet* net = &yarns->sliding.net;
    *net = *made;
    net->notes = NULL;
    net->note_count = net->note_capacity = 0;
    bool ok = move_array(d->pool, (void**)&net->nodes, net->node_count, sizeof *net->nodes) &&
              move_array(d->pool, (void**)&net->visits, net->visit_count, sizeof *net->visits) &&
              move_array(d->pool, (void**)&net->yarns, net->yarn_count, sizeof *net->yarns) &&
              move_array(d->pool, (void**)&net->clasps, net->clasp_count, sizeof *net->clasps) &&
              move_array(d->pool, (void**)&net->hinges, net->hinge_count, sizeof *net->hinges);
    HedVec3* nodes = HED_POOL_ARRAY(d->pool, HedVec3, net->node_count);
    if (!ok || !nodes) {
        return hed_fail_memory(d->error, yarns->def.name);
    }
    for (int32_t k = 0; k < net->node_count; ++k) {
        nodes[k] = net->nodes[k].position;
    }
    yarns->sliding.nodes = nodes;
    return HED_OK;
}

static HedStatus keep_curves(HedSceneDraft* d, HedSceneYarns* yarns, HedCurves* made) {
    void* vertices = made->vertices;
    void* curves = made->curves;
    if (!move_array(d->pool, &vertices, made->vertex_count, sizeof *made->vertices) ||
        !move_array(d->pool, &curves, made->curve_count, sizeof *made->curves)) {
        return hed_fail_memory(d->error, yarns->def.name);
    }
    yarns->def.vertices = vertices;
    yarns->def.vertex_count = made->vertex_count;
    yarns->def.curves = curves;
    yarns->def.curve_count = made->curve_count;
    yarns->def.turns = NULL;
    return HED_OK;
}

HedStatus hed_scene_take_net(HedSceneDraft* d, HedSceneYarns* yarns, const HedFabric* fabric,
                             HedPose pose, const char* what) {
    HedStatus status = HED_OK;
    HedNet net = {0};
    HedCurves curves = {0};
    HedError why;
    HedLocation place = hed_node_where(yarns->node, "model");
    HedStatus made = hed_net_create(fabric, &yarns->sliding.net_def, &net, &why);
    HED_TRY(hed_scene_pass_on(d, place, made, &why));
    for (int32_t k = 0; k < net.node_count; ++k) {
        net.nodes[k].position = hed_pose_apply(pose, net.nodes[k].position);
    }
    for (int32_t k = 0; k < net.note_count; ++k) {
        hed_sink_print(d->notes, "%s: %s\n", what, net.notes[k]);
    }
    made = hed_net_curves(&net, NULL, HED_SLIDING_SAMPLES, &curves, &why);
    HED_TRY(hed_scene_pass_on(d, place, made, &why));
    HED_TRY(keep_net(d, yarns, &net));
    HED_TRY(keep_curves(d, yarns, &curves));
done:
    hed_curves_free(&curves);
    hed_net_free(&net);
    return status;
}
