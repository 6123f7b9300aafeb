// SPDX-License-Identifier: MIT
// From a scene to a simulation, and back from its parts to their handles.
#include "scene/scene.h"

static HedStatus fail_at(HedError* error, const HedNode* node, HedStatus status,
                         const HedError* why) {
    return hed_place_fail(error, node->place, status, NULL, "%.400s", why->message);
}

static HedSceneBuild* build_create(const HedSceneData* data) {
    size_t sheets = (size_t)data->sheets.count * sizeof(HedSheetId);
    size_t bodies = (size_t)data->bodies.count * sizeof(HedBodyId);
    size_t pins = (size_t)data->pins.count * sizeof(HedPinId);
    HedSceneBuild* build = hed_alloc(sizeof *build + sheets + bodies + pins);
    if (build) {
        char* rest = (char*)(build + 1);
        build->sheets = (HedSheetId*)(void*)rest;
        build->bodies = (HedBodyId*)(void*)(rest + sheets);
        build->pins = (HedPinId*)(void*)(rest + sheets + bodies);
    }
    return build;
}

static HedStatus create_parts(const HedSceneData* data, HedSim* sim, HedSceneBuild* build,
                              HedError* error) {
    HedError why;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < data->sheets.count; ++i) {
        const HedSceneSheet* sheet = &HED_SHEETS(data)[i];
        status = hed_sheet_create(sim, &sheet->def, &build->sheets[i], &why);
        if (status != HED_OK) {
            return fail_at(error, sheet->node, status, &why);
        }
    }
    for (int32_t i = 0; i < data->bodies.count; ++i) {
        const HedSceneBody* body = &HED_BODIES(data)[i];
        status = hed_body_create(sim, &body->def, &build->bodies[i], &why);
        if (status != HED_OK) {
            return fail_at(error, body->node, status, &why);
        }
    }
    for (int32_t i = 0; i < data->pins.count; ++i) {
        const HedScenePin* pin = &HED_PINS(data)[i];
        HedPinDef def = pin->def;
        def.sheet = build->sheets[pin->sheet_index];
        status = hed_pin_create(sim, &def, &build->pins[i], &why);
        if (status != HED_OK) {
            return fail_at(error, pin->node, status, &why);
        }
    }
    if (data->wind.node) {
        status = hed_sim_set_wind(sim, &data->wind.def, &why);
        if (status != HED_OK) {
            return fail_at(error, data->wind.node, status, &why);
        }
    }
    return HED_OK;
}

// Keeps the handles. An entry for the same address is of a simulation that is gone.
static void keep_build(const HedScene* scene, HedSceneBuild* build) {
    mtx_lock(scene->lock);
    HedSceneBuild** link = scene->builds;
    while (*link && (*link)->sim != build->sim) {
        link = &(*link)->next;
    }
    HedSceneBuild* old = *link;
    build->next = old ? old->next : NULL;
    *link = build;
    mtx_unlock(scene->lock);
    hed_free(old);
}

static const HedSceneBuild* find_build(const HedScene* scene, const HedSim* sim) {
    mtx_lock(scene->lock);
    const HedSceneBuild* build = *scene->builds;
    while (build && build->sim != sim) {
        build = build->next;
    }
    mtx_unlock(scene->lock);
    return build;
}

HedStatus hed_scene_build(const HedScene* scene, int32_t thread_count, HedSim** sim,
                          HedError* error) {
    *sim = NULL;
    HedSimDef def = scene->data.sim;
    if (thread_count > 0) {
        def.thread_count = thread_count;
    }
    HedSceneBuild* build = build_create(&scene->data);
    if (!build) {
        return hed_fail_memory(error, scene->data.name);
    }
    HedError why;
    HedStatus status = hed_sim_create(&def, sim, &why);
    if (status != HED_OK) {
        fail_at(error, scene->data.node, status, &why);
    } else {
        status = create_parts(&scene->data, *sim, build, error);
    }
    if (status != HED_OK) {
        hed_free(build);
        hed_sim_destroy(*sim);
        *sim = NULL;
        return status;
    }
    build->sim = *sim;
    keep_build(scene, build);
    return HED_OK;
}

HedMeasureDef hed_scene_measure(const HedScene* scene, const HedSim* sim, int32_t index) {
    const HedSceneMeasure* measure = &HED_MEASURES(&scene->data)[index];
    const HedSceneBuild* build = find_build(scene, sim);
    HedMeasureDef def = measure->def;
    if (build) {
        def.sheet = build->sheets[measure->sheet_index];
        if (def.kind == HED_MEASURE_REACTION) {
            def.pin = build->pins[measure->pin_index];
        }
    }
    return def;
}

int32_t hed_scene_object_count(const HedScene* scene) {
    return scene->data.sheets.count + scene->data.bodies.count;
}

HedSceneObject hed_scene_object(const HedScene* scene, const HedSim* sim, int32_t index) {
    const HedSceneData* data = &scene->data;
    const HedSceneBuild* build = find_build(scene, sim);
    if (index < data->sheets.count) {
        const HedSheetDef* def = &HED_SHEETS(data)[index].def;
        return (HedSceneObject){
            .name = def->name,
            .kind = "sheet",
            .sheet = build ? build->sheets[index] : (HedSheetId){0},
            .vertices = {def->vertices, def->vertex_count},
            .triangles = {def->triangles, 3 * def->triangle_count},
        };
    }
    index -= data->sheets.count;
    const HedSceneBody* body = &HED_BODIES(data)[index];
    return (HedSceneObject){
        .name = body->def.name,
        .kind = "body",
        .body = build ? build->bodies[index] : (HedBodyId){0},
        .vertices = body->display_vertices,
        .triangles = body->display_triangles,
    };
}
