// SPDX-License-Identifier: MIT
// The things of a scene as they start, in a file.
#include "base/alloc.h"
#include "math/quat.h"
#include "scene/scene.h"

#include <string.h>

void hed_scene_things_free(HedSceneThings* things) {
    for (int32_t i = 0; i < things->count; ++i) {
        hed_free(things->positions[i]);
        hed_curves_free(&things->curves[i]);
    }
    hed_free(things->objects);
    hed_free(things->positions);
    hed_free(things->curves);
    *things = (HedSceneThings){0};
}

// Yarns that go on end with the copy of their first point, as HedCurves has it.
static HedStatus copy_curves(const HedSceneObject* from, HedCurves* curves, HedError* error) {
    curves->up_axis = -1;
    curves->vertices = HED_NEW_ARRAY(HedVec3, (int64_t)from->vertices.count + from->curve_count);
    curves->curves = HED_NEW_ARRAY(HedCurve, from->curve_count);
    if (!curves->vertices || !curves->curves) {
        return hed_fail_memory(error, from->name);
    }
    for (int32_t i = 0; i < from->curve_count; ++i) {
        HedTurns turns = from->turns ? from->turns[i] : (HedTurns){0, 0};
        bool goes_on = turns.a != 0 || turns.b != 0;
        HedCurve curve = from->curves[i];
        const HedVec3* x = from->vertices.data + curve.first;
        HedVec3* to = curves->vertices + curves->vertex_count;
        memcpy(to, x, (size_t)curve.count * sizeof *x);
        if (goes_on) {
            to[curve.count++] =
                hed_madd3(hed_madd3(x[0], turns.a, from->period[0]), turns.b, from->period[1]);
        }
        curve.first = curves->vertex_count;
        curves->curves[i] = curve;
        curves->vertex_count += curve.count;
    }
    curves->curve_count = from->curve_count;
    curves->period[0] = from->period[0];
    curves->period[1] = from->period[1];
    return HED_OK;
}

static HedStatus add_yarns(const HedSceneObject* from, int32_t across, int32_t up,
                           HedSceneThings* things, HedError* error) {
    HedStatus status = HED_OK;
    int32_t i = things->count - 1;
    HedCurves* curves = &things->curves[i];
    HED_TRY(copy_curves(from, curves, error));
    if (from->turns) {
        HED_TRY(hed_curves_tile(curves, across, up, error));
    }
    things->positions[i] = curves->vertices;
    curves->vertices = NULL;
    things->objects[i].vertex_count = curves->vertex_count;
    things->objects[i].curves = curves->curves;
    things->objects[i].curve_count = curves->curve_count;
done:
    return status;
}

static HedStatus add_surface(const HedSceneObject* from, HedSceneThings* things, HedError* error) {
    int32_t i = things->count - 1;
    bool is_body = from->kind == HED_OBJECT_BODY;
    HedVec3* x = HED_NEW_ARRAY(HedVec3, from->vertices.count);
    if (!x) {
        return hed_fail_memory(error, from->name);
    }
    for (int32_t k = 0; k < from->vertices.count; ++k) {
        HedVec3 p = from->vertices.data[k];
        x[k] = is_body ? hed_pose_apply(from->pose, p) : p;
    }
    things->positions[i] = x;
    things->objects[i].vertex_count = from->vertices.count;
    things->objects[i].triangles = from->triangles.data;
    things->objects[i].triangle_count = from->triangles.count / 3;
    things->objects[i].uv = from->uv;
    things->objects[i].uv_at_corners = from->uv_at_corners;
    return HED_OK;
}

static HedStatus load_positions(void* context, int32_t frame, HedVec3* const* positions,
                                HedError* error) {
    const HedSceneThings* things = context;
    (void)frame;
    (void)error;
    for (int32_t i = 0; i < things->count; ++i) {
        size_t size = (size_t)things->objects[i].vertex_count * sizeof(HedVec3);
        if (size > 0) {
            memcpy(positions[i], things->positions[i], size);
        }
    }
    return HED_OK;
}

HedStatus hed_scene_things(const HedScene* scene, int32_t across, int32_t up,
                           HedSceneThings* things, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = hed_scene_object_count(scene);
    *things = (HedSceneThings){0};
    things->objects = HED_NEW_ARRAY(HedSeriesObject, count);
    things->positions = HED_NEW_ARRAY(HedVec3*, count);
    things->curves = HED_NEW_ARRAY(HedCurves, count);
    if (!things->objects || !things->positions || !things->curves) {
        HED_TRY(hed_fail_memory(error, hed_scene_name(scene)));
    }
    while (things->count < count) {
        HedSceneObject from = hed_scene_object(scene, NULL, things->count);
        things->objects[things->count++] = (HedSeriesObject){.name = from.name, .kind = from.kind};
        HED_TRY(from.kind == HED_OBJECT_YARNS ? add_yarns(&from, across, up, things, error)
                                              : add_surface(&from, things, error));
    }
done:
    if (status != HED_OK) {
        hed_scene_things_free(things);
    }
    return status;
}

// lint: long, the arguments are those of the public header
HedStatus hed_scene_save(const HedScene* scene, const char* path, int32_t across, int32_t up,
                         bool force, HedError* error) {
    HedStatus status = HED_OK;
    HedSceneThings things = {0};
    double time = 0.0;
    HED_TRY(hed_scene_things(scene, across, up, &things, error));
    HedSeries series = {things.objects, things.count, &time, 1, load_positions, &things};
    HED_TRY(hed_series_save(path, &series, force, error));
done:
    hed_scene_things_free(&things);
    return status;
}
