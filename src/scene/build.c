// SPDX-License-Identifier: MIT
// From a scene to a simulation, and back from its parts to their handles.
#include "scene/scene.h"

static HedStatus fail_at(HedError* error, const HedNode* node, HedStatus status,
                         const HedError* why) {
    return hed_place_fail(error, node->place, status, NULL, "%.400s", why->message);
}

static void take_target(const HedSim* sim, HedSceneTarget target, HedSheetId* sheet,
                        HedYarnsId* yarns) {
    if (target.is_yarns) {
        *yarns = hed_sim_yarns(sim, target.index);
    } else {
        *sheet = hed_sim_sheet(sim, target.index);
    }
}

static HedStatus create_glue(const HedSceneGlue* glue, HedSim* sim, HedError* error) {
    HedError why;
    HedGlueDef def = glue->def;
    take_target(sim, glue->from, &def.sheet, &def.yarns);
    take_target(sim, glue->to, &def.other_sheet, &def.other);
    HedStatus status = hed_glue_create(sim, &def, &why);
    return status == HED_OK ? HED_OK : fail_at(error, glue->node, status, &why);
}

static HedStatus create_yarns(const HedSceneYarns* yarns, HedSim* sim, HedError* error) {
    HedError why;
    HedYarnsId id;
    HedStatus status;
    if (yarns->def.model == HED_YARN_SLIDING) {
        HedSlidingDef def = yarns->sliding.def;
        def.name = yarns->def.name;
        def.net = &yarns->sliding.net;
        def.linear_density = yarns->def.linear_density;
        def.velocity = yarns->def.velocity;
        status = hed_sliding_create(sim, &def, &id, &why);
    } else {
        status = hed_yarns_create(sim, &yarns->def, &id, &why);
    }
    return status == HED_OK ? HED_OK : fail_at(error, yarns->node, status, &why);
}

static HedStatus start_one(const HedSceneState* state, HedStartDef def, const HedNode* node,
                           HedSim* sim, HedError* error) {
    HedError why;
    def.positions = state->positions;
    def.velocities = state->velocities;
    def.are_controls = state->are_controls;
    HedStatus status = state->positions ? hed_sim_start(sim, &def, &why) : HED_OK;
    return status == HED_OK ? HED_OK : fail_at(error, node, status, &why);
}

// Sheets and yarns go to where the run had them.
static HedStatus start_parts(const HedSceneData* data, HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedError why;
    for (int32_t i = 0; i < data->sheets.count && status == HED_OK; ++i) {
        HedStartDef def = hed_start_def_default();
        def.sheet = hed_sim_sheet(sim, i);
        status = start_one(&HED_SHEETS(data)[i].state, def, data->start.node, sim, error);
    }
    for (int32_t i = 0; i < data->yarns.count && status == HED_OK; ++i) {
        HedStartDef def = hed_start_def_default();
        def.yarns = hed_sim_yarns(sim, i);
        status = start_one(&HED_YARNS(data)[i].state, def, data->start.node, sim, error);
    }
    if (status != HED_OK || !data->start.node) {
        return status;
    }
    status = hed_sim_start_memory(sim, data->start.memory, data->start.memory_count,
                                  data->start.velocities == HED_VELOCITIES_ZERO, &why);
    return status == HED_OK ? HED_OK : fail_at(error, data->start.node, status, &why);
}

// A fabric that repeats stands alone: its period is that of the simulation.
static HedStatus set_period(const HedSceneData* data, HedSim* sim, HedError* error) {
    const HedSceneYarns* yarns = data->yarns.count > 0 ? HED_YARNS(data) : NULL;
    if (!yarns || !hed_scene_repeats(yarns)) {
        return HED_OK;
    }
    HedError why;
    HedPeriodDef def = hed_period_def_default();
    def.a = yarns->period[0];
    def.b = yarns->period[1];
    HedStatus status = hed_sim_set_period(sim, &def, &why);
    return status == HED_OK ? HED_OK : fail_at(error, yarns->node, status, &why);
}

// What takes hold of sheets and yarns.
static HedStatus create_holds(const HedSceneData* data, HedSim* sim, HedError* error) {
    HedError why;
    HedPinId pin_id;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < data->pins.count; ++i) {
        const HedScenePin* pin = &HED_PINS(data)[i];
        HedPinDef def = pin->def;
        take_target(sim, pin->choice.target, &def.sheet, &def.yarns);
        status = hed_pin_create(sim, &def, &pin_id, &why);
        if (status != HED_OK) {
            return fail_at(error, pin->node, status, &why);
        }
    }
    for (int32_t i = 0; i < data->loads.count; ++i) {
        const HedSceneLoad* load = &HED_LOADS(data)[i];
        HedLoadDef def = load->def;
        take_target(sim, load->choice.target, &def.sheet, &def.yarns);
        status = hed_load_create(sim, &def, &why);
        if (status != HED_OK) {
            return fail_at(error, load->node, status, &why);
        }
    }
    for (int32_t i = 0; i < data->glue.count && status == HED_OK; ++i) {
        status = create_glue(&HED_GLUE(data)[i], sim, error);
    }
    return status;
}

// The parts in the order of the scene, so that an index means the same in both.
static HedStatus create_parts(const HedSceneData* data, bool is_whole, HedSim* sim,
                              HedError* error) {
    HedError why;
    HedSheetId sheet_id;
    HedBodyId body_id;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < data->sheets.count; ++i) {
        const HedSceneSheet* sheet = &HED_SHEETS(data)[i];
        status = hed_sheet_create(sim, &sheet->def, &sheet_id, &why);
        if (status != HED_OK) {
            return fail_at(error, sheet->node, status, &why);
        }
    }
    for (int32_t i = 0; i < data->yarns.count && status == HED_OK; ++i) {
        status = create_yarns(&HED_YARNS(data)[i], sim, error);
    }
    status = status == HED_OK ? start_parts(data, sim, error) : status;
    if (status != HED_OK) {
        return status;
    }
    for (int32_t i = 0; i < data->bodies.count; ++i) {
        const HedSceneBody* body = &HED_BODIES(data)[i];
        status = hed_body_create(sim, &body->def, &body_id, &why);
        if (status != HED_OK) {
            return fail_at(error, body->node, status, &why);
        }
    }
    status = is_whole ? create_holds(data, sim, error) : HED_OK;
    if (status != HED_OK) {
        return status;
    }
    if (data->wind.node) {
        status = hed_sim_set_wind(sim, &data->wind.def, &why);
        if (status != HED_OK) {
            return fail_at(error, data->wind.node, status, &why);
        }
    }
    return HED_OK;
}

HedStatus hed_scene_build(const HedScene* scene, int32_t thread_count, HedSim** sim,
                          HedError* error) {
    *sim = NULL;
    HedSimDef def = scene->data.sim;
    if (thread_count > 0) {
        def.thread_count = thread_count;
    }
    HedError why;
    HedStatus status = hed_sim_create(&def, sim, &why);
    if (status != HED_OK) {
        fail_at(error, scene->data.node, status, &why);
    } else {
        status = set_period(&scene->data, *sim, error);
        status =
            status == HED_OK ? create_parts(&scene->data, !scene->is_partial, *sim, error) : status;
    }
    if (status != HED_OK) {
        hed_sim_destroy(*sim);
        *sim = NULL;
    }
    return status;
}

HedMeasureDef hed_scene_measure(const HedScene* scene, const HedSim* sim, int32_t index) {
    const HedSceneMeasure* measure = &HED_MEASURES(&scene->data)[index];
    HedMeasureDef def = measure->def;
    take_target(sim, measure->target, &def.sheet, &def.yarns);
    if (def.kind == HED_MEASURE_REACTION || def.kind == HED_MEASURE_GAUGE) {
        def.pin = hed_sim_pin(sim, measure->pin_index);
    }
    if (def.kind == HED_MEASURE_GAUGE && measure->from_index >= 0) {
        def.from = hed_sim_pin(sim, measure->from_index);
    }
    return def;
}

int32_t hed_scene_object_count(const HedScene* scene) {
    const HedSceneData* data = &scene->data;
    return data->sheets.count + data->yarns.count + data->bodies.count;
}

HedSceneObject hed_scene_object(const HedScene* scene, const HedSim* sim, int32_t index) {
    const HedSceneData* data = &scene->data;
    if (index < data->sheets.count) {
        const HedSheetDef* def = &HED_SHEETS(data)[index].def;
        const HedVec3* shown = HED_SHEETS(data)[index].state.shown;
        return (HedSceneObject){
            .name = def->name,
            .kind = HED_OBJECT_SHEET,
            .sheet = sim ? hed_sim_sheet(sim, index) : (HedSheetId){0},
            .vertices = {shown ? shown : def->vertices, def->vertex_count},
            .triangles = {def->triangles, 3 * def->triangle_count},
            .uv = HED_SHEETS(data)[index].uv,
            .uv_at_corners = HED_SHEETS(data)[index].uv_at_corners,
            .pose = {.rotation = {1.0, 0.0, 0.0, 0.0}},
        };
    }
    index -= data->sheets.count;
    if (index < data->yarns.count) {
        const HedYarnsDef* def = &HED_YARNS(data)[index].def;
        const HedVec3* shown = HED_YARNS(data)[index].state.shown;
        return (HedSceneObject){
            .name = def->name,
            .kind = HED_OBJECT_YARNS,
            .yarns = sim ? hed_sim_yarns(sim, index) : (HedYarnsId){0},
            .vertices = {shown ? shown : def->vertices, def->vertex_count},
            .curves = def->curves,
            .curve_count = def->curve_count,
            .turns = def->turns,
            .period = {HED_YARNS(data)[index].period[0], HED_YARNS(data)[index].period[1]},
            .pose = {.rotation = {1.0, 0.0, 0.0, 0.0}},
        };
    }
    index -= data->yarns.count;
    const HedSceneBody* body = &HED_BODIES(data)[index];
    return (HedSceneObject){
        .name = body->def.name,
        .kind = HED_OBJECT_BODY,
        .body = sim ? hed_sim_body(sim, index) : (HedBodyId){0},
        .vertices = body->display_vertices,
        .triangles = body->display_triangles,
        .pose = body->start,
    };
}
