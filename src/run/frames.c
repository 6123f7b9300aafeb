// SPDX-License-Identifier: MIT
#include "run/frames.h"
#include "base/array.h"
#include "io/store.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(HedVec3) == 3 * sizeof(double), "points are stored as plain numbers");
_Static_assert(sizeof(HedPose) == HED_POSE_NUMBERS * sizeof(double), "poses too");

static bool is_body(const HedSceneObject* object) {
    return object->kind == HED_OBJECT_BODY;
}

static HedStatus read_quantity(const HedSim* sim, const HedSceneObject* object,
                               HedQuantity quantity, double* values, HedError* error) {
    return object->kind == HED_OBJECT_YARNS
               ? hed_yarns_quantity(sim, object->yarns, quantity, values, error)
               : hed_sheet_quantity(sim, object->sheet, quantity, values, error);
}

static void read_positions(const HedSim* sim, const HedSceneObject* object, HedVec3* positions) {
    if (object->kind == HED_OBJECT_YARNS) {
        hed_yarns_positions(sim, object->yarns, positions);
    } else {
        hed_sheet_positions(sim, object->sheet, positions);
    }
}

static void read_velocities(const HedSim* sim, const HedSceneObject* object, HedVec3* velocities) {
    if (object->kind == HED_OBJECT_YARNS) {
        hed_yarns_velocities(sim, object->yarns, velocities);
    } else {
        hed_sheet_velocities(sim, object->sheet, velocities);
    }
}

static bool allocate(HedFrameBuffer* buffer) {
    int64_t quantity_count = 0;
    bool has_speed = buffer->quantities >> HED_QUANTITY_SPEED & 1;
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        quantity_count += buffer->quantities >> q & 1;
    }
    buffer->positions = HED_NEW_ARRAY(HedVec3, buffer->position_count);
    buffer->poses = HED_NEW_ARRAY(HedPose, buffer->pose_count);
    buffer->values = HED_NEW_ARRAY(float, quantity_count * buffer->position_count);
    buffer->object_values = HED_NEW_ARRAY(double, buffer->position_count);
    if (has_speed) {
        buffer->velocities = HED_NEW_ARRAY(float, 3 * buffer->position_count);
        buffer->object_velocities = HED_NEW_ARRAY(HedVec3, buffer->position_count);
    }
    return buffer->positions && buffer->poses && buffer->values && buffer->object_values &&
           (!has_speed || (buffer->velocities && buffer->object_velocities));
}

HedStatus hed_frame_buffer_init(HedFrameBuffer* buffer, const HedScene* scene, const HedSim* sim,
                                HedError* error) {
    *buffer = (HedFrameBuffer){0};
    buffer->object_count = hed_scene_object_count(scene);
    buffer->objects = HED_NEW_ARRAY(HedSceneObject, buffer->object_count);
    if (!buffer->objects) {
        hed_frame_buffer_free(buffer);
        return hed_fail_memory(error, "frames");
    }
    for (int32_t i = 0; i < buffer->object_count; ++i) {
        buffer->objects[i] = hed_scene_object(scene, sim, i);
        if (is_body(&buffer->objects[i])) {
            buffer->pose_count += 1;
        } else {
            buffer->position_count += buffer->objects[i].vertices.count;
        }
    }
    buffer->quantities = hed_scene_quantities(scene);
    if (!allocate(buffer)) {
        hed_frame_buffer_free(buffer);
        return hed_fail_memory(error, "frames");
    }
    return HED_OK;
}

void hed_frame_buffer_free(HedFrameBuffer* buffer) {
    hed_free(buffer->objects);
    hed_free(buffer->positions);
    hed_free(buffer->poses);
    hed_free(buffer->values);
    hed_free(buffer->object_values);
    hed_free(buffer->velocities);
    hed_free(buffer->object_velocities);
    *buffer = (HedFrameBuffer){0};
}

// The arrays of objects.hed while they are put together.
typedef struct CatalogueWriter {
    HED_ARRAY(char) names;
    HED_ARRAY(uint8_t) kinds;
    HED_ARRAY(int32_t) vertex_counts;
    HED_ARRAY(int32_t) triangle_counts;
    HED_ARRAY(int32_t) triangles;
    HED_ARRAY(HedVec3) body_vertices;
    HED_ARRAY(int32_t) curve_counts;
    HED_ARRAY(int32_t) curve_sizes;
    HED_ARRAY(uint8_t) curve_flags;
    HED_ARRAY(int32_t) curve_colors;
    HED_ARRAY(double) curve_radii;
    HED_ARRAY(uint8_t) uv_kinds;
    HED_ARRAY(double) uv;
} CatalogueWriter;

static const uint8_t FRAME_KIND[HED_OBJECT_KIND_COUNT] = {
    [HED_OBJECT_SHEET] = HED_FRAME_SHEET,
    [HED_OBJECT_BODY] = HED_FRAME_BODY,
    [HED_OBJECT_YARNS] = HED_FRAME_YARNS,
};

static bool add_curves(CatalogueWriter* c, const HedSceneObject* object) {
    bool ok = HED_APPEND(&c->curve_counts, object->curve_count);
    for (int32_t i = 0; i < object->curve_count && ok; ++i) {
        const HedCurve* curve = &object->curves[i];
        ok = HED_APPEND(&c->curve_sizes, curve->count) &&
             HED_APPEND(&c->curve_flags, curve->is_closed ? 1 : 0) &&
             HED_APPEND(&c->curve_colors, curve->color) &&
             HED_APPEND(&c->curve_radii, curve->radius);
    }
    return ok;
}

static bool add_uv(CatalogueWriter* c, const HedSceneObject* object) {
    uint8_t kind = !object->uv             ? HED_FRAME_NO_UV
                   : object->uv_at_corners ? HED_FRAME_CORNER_UV
                                           : HED_FRAME_VERTEX_UV;
    int64_t count = kind == HED_FRAME_CORNER_UV   ? 2 * (int64_t)object->triangles.count
                    : kind == HED_FRAME_VERTEX_UV ? 2 * (int64_t)object->vertices.count
                                                  : 0;
    if (!HED_APPEND(&c->uv_kinds, kind) || !HED_RESERVE(&c->uv, count)) {
        return false;
    }
    for (int64_t i = 0; i < count; ++i) {
        c->uv.data[c->uv.count++] = object->uv[i];
    }
    return true;
}

static bool add_object(CatalogueWriter* c, const HedSceneObject* object) {
    bool body = is_body(object);
    size_t name_size = strlen(object->name) + 1;
    int32_t corner_count = object->triangles.count / 3 * 3;
    if (!HED_RESERVE(&c->names, (int64_t)name_size) || !HED_RESERVE(&c->triangles, corner_count) ||
        !HED_RESERVE(&c->body_vertices, body ? object->vertices.count : 0) ||
        !add_curves(c, object) || !add_uv(c, object) ||
        !HED_APPEND(&c->kinds, FRAME_KIND[object->kind]) ||
        !HED_APPEND(&c->vertex_counts, object->vertices.count) ||
        !HED_APPEND(&c->triangle_counts, corner_count / 3)) {
        return false;
    }
    memcpy(c->names.data + c->names.count, object->name, name_size);
    c->names.count += (int32_t)name_size;
    for (int32_t i = 0; i < corner_count; ++i) {
        c->triangles.data[c->triangles.count++] = object->triangles.data[i];
    }
    for (int32_t i = 0; body && i < object->vertices.count; ++i) {
        c->body_vertices.data[c->body_vertices.count++] = object->vertices.data[i];
    }
    return true;
}

static void catalogue_free(CatalogueWriter* c) {
    hed_free(c->names.data);
    hed_free(c->kinds.data);
    hed_free(c->vertex_counts.data);
    hed_free(c->triangle_counts.data);
    hed_free(c->triangles.data);
    hed_free(c->body_vertices.data);
    hed_free(c->curve_counts.data);
    hed_free(c->curve_sizes.data);
    hed_free(c->curve_flags.data);
    hed_free(c->curve_colors.data);
    hed_free(c->curve_radii.data);
    hed_free(c->uv_kinds.data);
    hed_free(c->uv.data);
}

HedStatus hed_frame_objects_save(const HedFrameBuffer* buffer, const char* path, HedError* error) {
    HedStatus status = HED_OK;
    CatalogueWriter c = {0};
    for (int32_t i = 0; i < buffer->object_count; ++i) {
        if (!add_object(&c, &buffer->objects[i])) {
            status = hed_fail_memory(error, path);
            goto done;
        }
    }
    enum { ALWAYS = 6, OF_CURVES = 5, OF_UV = 2 };
    HedStoreArray arrays[ALWAYS + OF_CURVES + OF_UV] = {
        {"names", "u8", c.names.count, c.names.data},
        {"kinds", "u8", c.kinds.count, c.kinds.data},
        {"vertex_counts", "i32", c.vertex_counts.count, c.vertex_counts.data},
        {"triangle_counts", "i32", c.triangle_counts.count, c.triangle_counts.data},
        {"triangles", "i32", c.triangles.count, c.triangles.data},
        {"body_vertices", "f64", 3 * (int64_t)c.body_vertices.count, c.body_vertices.data},
    };
    const HedStoreArray curves[OF_CURVES] = {
        {"curve_counts", "i32", c.curve_counts.count, c.curve_counts.data},
        {"curve_sizes", "i32", c.curve_sizes.count, c.curve_sizes.data},
        {"curve_flags", "u8", c.curve_flags.count, c.curve_flags.data},
        {"curve_colors", "i32", c.curve_colors.count, c.curve_colors.data},
        {"curve_radii", "f64", c.curve_radii.count, c.curve_radii.data},
    };
    const HedStoreArray uv[OF_UV] = {
        {"uv_kinds", "u8", c.uv_kinds.count, c.uv_kinds.data},
        {"uv", "f64", c.uv.count, c.uv.data},
    };
    int32_t count = ALWAYS;
    for (int32_t i = 0; i < OF_CURVES && c.curve_sizes.count > 0; ++i) {
        arrays[count++] = curves[i];
    }
    for (int32_t i = 0; i < OF_UV && c.uv.count > 0; ++i) {
        arrays[count++] = uv[i];
    }
    status = hed_store_save(path, arrays, count, error);
done:
    catalogue_free(&c);
    return status;
}

static bool all_finite(const HedVec3* positions, int32_t count, int32_t* where) {
    for (int32_t i = 0; i < count; ++i) {
        if (!hed_is_finite3(positions[i])) {
            *where = i;
            return false;
        }
    }
    return true;
}

bool hed_frame_collect(HedFrameBuffer* buffer, const HedSim* sim, char trouble[160]) {
    HedVec3* next = buffer->positions;
    int64_t pose = 0;
    for (int32_t i = 0; i < buffer->object_count; ++i) {
        const HedSceneObject* object = &buffer->objects[i];
        if (is_body(object)) {
            buffer->poses[pose++] = hed_body_pose(sim, object->body);
            continue;
        }
        int32_t where = 0;
        read_positions(sim, object, next);
        if (!all_finite(next, object->vertices.count, &where)) {
            snprintf(trouble, 160, "vertex %" PRId32 " of '%.80s' is not finite", where,
                     object->name);
            return false;
        }
        next += object->vertices.count;
    }
    return true;
}

// The values of a quantity at the vertices of all sheets and yarns.
static HedStatus collect_quantity(const HedFrameBuffer* buffer, const HedSim* sim,
                                  HedQuantity quantity, float* next, HedError* error) {
    for (int32_t i = 0; i < buffer->object_count; ++i) {
        const HedSceneObject* object = &buffer->objects[i];
        if (is_body(object)) {
            continue;
        }
        HedStatus status = read_quantity(sim, object, quantity, buffer->object_values, error);
        if (status != HED_OK) {
            return status;
        }
        for (int32_t k = 0; k < object->vertices.count; ++k) {
            *next++ = (float)buffer->object_values[k];
        }
    }
    return HED_OK;
}

static void collect_velocities(const HedFrameBuffer* buffer, const HedSim* sim) {
    float* next = buffer->velocities;
    for (int32_t i = 0; i < buffer->object_count; ++i) {
        const HedSceneObject* object = &buffer->objects[i];
        if (is_body(object)) {
            continue;
        }
        read_velocities(sim, object, buffer->object_velocities);
        for (int32_t k = 0; k < object->vertices.count; ++k) {
            HedVec3 v = buffer->object_velocities[k];
            *next++ = (float)v.x;
            *next++ = (float)v.y;
            *next++ = (float)v.z;
        }
    }
}

HedStatus hed_frame_save(HedFrameBuffer* buffer, const HedSim* sim, const char* path,
                         HedError* error) {
    enum { HEAD = 4 };
    double time = hed_sim_time(sim);
    int64_t step = hed_sim_steps(sim);
    HedStoreArray arrays[HEAD + HED_QUANTITY_COUNT + 1] = {
        {"time", "f64", 1, &time},
        {"step", "i64", 1, &step},
        {"positions", "f64", 3 * buffer->position_count, buffer->positions},
        {"poses", "f64", HED_POSE_NUMBERS * buffer->pose_count, buffer->poses},
    };
    char names[HED_QUANTITY_COUNT][HED_STORE_NAME];
    int32_t count = 0;
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        if (!(buffer->quantities >> q & 1)) {
            continue;
        }
        float* values = buffer->values + count * buffer->position_count;
        HedStatus status = collect_quantity(buffer, sim, (HedQuantity)q, values, error);
        if (status != HED_OK) {
            return status;
        }
        snprintf(names[count], HED_STORE_NAME, "%s%s", HED_QUANTITY_PREFIX,
                 hed_quantity_name((HedQuantity)q));
        arrays[HEAD + count] = (HedStoreArray){names[count], "f32", buffer->position_count, values};
        ++count;
    }
    if (buffer->velocities) {
        collect_velocities(buffer, sim);
        arrays[HEAD + count++] = (HedStoreArray){HED_FRAME_VELOCITIES, "f32",
                                                 3 * buffer->position_count, buffer->velocities};
    }
    return hed_store_save(path, arrays, HEAD + count, error);
}
