// SPDX-License-Identifier: MIT
#include "render/shape.h"
#include "base/alloc.h"
#include "math/vec3.h"
#include "render/color.h"

static HedStatus check_object(const HedSeriesObject* object, const HedVec3* p, HedError* error) {
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        if (!hed_is_finite3(p[i])) {
            return hed_fail(error, HED_INVALID, "%s: vertex %d has a position that is not finite",
                            object->name, i);
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)object->triangle_count; ++i) {
        if (object->triangles[i] < 0 || object->triangles[i] >= object->vertex_count) {
            return hed_fail(error, HED_INVALID, "%s: a triangle names vertex %d of %d",
                            object->name, object->triangles[i], object->vertex_count);
        }
    }
    return HED_OK;
}

static void grow_box(const HedVec3* p, int32_t count, HedVec3 box[2]) {
    for (int32_t i = 0; i < count; ++i) {
        box[0] = hed_vec3(fmin(box[0].x, p[i].x), fmin(box[0].y, p[i].y), fmin(box[0].z, p[i].z));
        box[1] = hed_vec3(fmax(box[1].x, p[i].x), fmax(box[1].y, p[i].y), fmax(box[1].z, p[i].z));
    }
}

static double widest_yarn(const HedSeriesObject* object) {
    double radius = 0.0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        radius = fmax(radius, object->curves[i].radius);
    }
    return radius;
}

static bool is_ground(const HedPicture* picture, int32_t i) {
    return picture->is_ground && picture->is_ground[i];
}

static HedStatus measure(const HedPicture* picture, HedScenery* scenery, HedError* error) {
    HedVec3 box[2] = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    double widest = 0.0;
    int32_t ground_count = 0;
    for (int32_t i = 0; i < picture->object_count; ++i) {
        HedStatus status = check_object(&picture->objects[i], picture->positions[i], error);
        if (status != HED_OK) {
            return status;
        }
        ground_count += is_ground(picture, i);
    }
    for (int32_t i = 0; i < picture->object_count; ++i) {
        // Floors reach far: the middle is that of the rest, if there is a rest.
        if (!is_ground(picture, i) || ground_count == picture->object_count) {
            const HedSeriesObject* object = &picture->objects[i];
            grow_box(picture->positions[i], object->vertex_count, box);
            widest = fmax(widest, widest_yarn(object));
        }
    }
    if (!(box[0].x <= box[1].x)) {
        return hed_fail(error, HED_INVALID, "there is nothing to draw: no object has a vertex");
    }
    double half = 0.5 * hed_distance3(box[0], box[1]) + widest;
    scenery->origin = hed_lerp3(box[0], box[1], 0.5);
    scenery->extent = (float)half;
    scenery->lowest = (float)(box[0].y - widest - scenery->origin.y);
    if (!(half > 0.0) || !isfinite((float)half)) {
        return hed_fail(error, HED_INVALID, "there is nothing to draw: its extent is %g m", half);
    }
    return HED_OK;
}

static void add_normals(HedRenderShape* shape) {
    for (int32_t t = 0; t < shape->triangle_count; ++t) {
        const uint32_t* v = shape->triangles[t];
        HedVec3f p[3];
        for (int k = 0; k < 3; ++k) {
            const float* x = shape->vertices[v[k]];
            p[k] = (HedVec3f){x[0], x[1], x[2]};
        }
        // Weighted by the area, as the cross product is.
        HedVec3f n = hed_cross3f(hed_sub3f(p[1], p[0]), hed_sub3f(p[2], p[0]));
        for (int k = 0; k < 3; ++k) {
            float* sum = shape->normals[v[k]];
            sum[0] += n.x;
            sum[1] += n.y;
            sum[2] += n.z;
        }
    }
    for (int32_t i = 0; i < shape->vertex_count; ++i) {
        float* n = shape->normals[i];
        HedVec3f unit = hed_unit_or3f((HedVec3f){n[0], n[1], n[2]}, (HedVec3f){0});
        n[0] = unit.x;
        n[1] = unit.y;
        n[2] = unit.z;
    }
}

static HedStatus build_mesh(const HedSeriesObject* object, const HedVec3* positions,
                            const float* values, HedVec3 origin, HedRenderShape* shape,
                            HedError* error) {
    // One more than needed: the ray caster reads four floats for three.
    shape->vertices = hed_alloc_array((int64_t)object->vertex_count + 1, sizeof *shape->vertices);
    shape->normals = hed_alloc_array(object->vertex_count, sizeof *shape->normals);
    shape->triangles = hed_alloc_array(object->triangle_count, sizeof *shape->triangles);
    shape->values = values ? HED_NEW_ARRAY(float, object->vertex_count) : NULL;
    if (!shape->vertices || !shape->normals || !shape->triangles || (values && !shape->values)) {
        return hed_fail_memory(error, object->name);
    }
    shape->vertex_count = object->vertex_count;
    shape->triangle_count = object->triangle_count;
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        HedVec3 p = hed_sub3(positions[i], origin);
        shape->vertices[i][0] = (float)p.x;
        shape->vertices[i][1] = (float)p.y;
        shape->vertices[i][2] = (float)p.z;
        if (values) {
            shape->values[i] = values[i];
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)object->triangle_count; ++i) {
        shape->triangles[i / 3][i % 3] = (uint32_t)object->triangles[i];
    }
    add_normals(shape);
    return HED_OK;
}

// Values to places on the colour scale.
static void scale_values(const HedPicture* picture, HedRenderShape* shape) {
    float width = picture->range[1] - picture->range[0];
    int32_t count = shape->point_count > 0 ? shape->point_count : shape->vertex_count;
    for (int32_t i = 0; shape->values && i < count; ++i) {
        float t = width != 0.0f ? (shape->values[i] - picture->range[0]) / width : 0.5f;
        shape->values[i] = isnan(t) ? NAN : hed_clampf(t, 0.0f, 1.0f);
    }
}

// A floor is drawn as a plane without end, by its first triangle that has an area.
static bool take_floor(const HedSeriesObject* object, const HedVec3* positions,
                       HedScenery* scenery) {
    for (int32_t t = 0; t < object->triangle_count; ++t) {
        const int32_t* v = object->triangles + 3 * (size_t)t;
        HedVec3 a = hed_sub3(positions[v[0]], scenery->origin);
        HedVec3 b = hed_sub3(positions[v[1]], scenery->origin);
        HedVec3 c = hed_sub3(positions[v[2]], scenery->origin);
        HedVec3 n = hed_cross3(hed_sub3(b, a), hed_sub3(c, a));
        if (hed_norm3(n) > 0.0) {
            n = hed_unit3(n, n);
            n = n.y < 0.0 ? hed_mul3(-1.0, n) : n;
            // The foot of the middle on the plane: near the camera, where floats are fine.
            HedVec3 foot = hed_mul3(hed_dot3(a, n), n);
            scenery->has_floor = true;
            scenery->floor_point = (HedVec3f){(float)foot.x, (float)foot.y, (float)foot.z};
            scenery->floor_normal = (HedVec3f){(float)n.x, (float)n.y, (float)n.z};
            return true;
        }
    }
    return false;
}

static HedVec3f color_of(const HedSeriesObject* object, int32_t sheet) {
    return object->kind == HED_OBJECT_BODY ? (HedVec3f){0.52f, 0.51f, 0.50f}
                                           : hed_color_from_hex(hed_color_palette(sheet));
}

HedStatus hed_scenery_create(const HedPicture* picture, double twist, int32_t plies,
                             HedScenery* scenery, HedError* error) {
    HedStatus status = HED_OK;
    int32_t sheet = 0;
    *scenery = (HedScenery){.shape_count = 0};
    HED_TRY(measure(picture, scenery, error));
    hed_color_ramp(picture->is_signed, scenery->ramp);
    scenery->shapes = HED_NEW_ARRAY(HedRenderShape, picture->object_count);
    if (!scenery->shapes) {
        HED_TRY(hed_fail_memory(error, "the objects of a picture"));
    }
    for (int32_t i = 0; i < picture->object_count; ++i) {
        const HedSeriesObject* object = &picture->objects[i];
        const HedVec3* p = picture->positions[i];
        const float* values = picture->values ? picture->values[i] : NULL;
        HedRenderShape* shape = &scenery->shapes[scenery->shape_count];
        if (is_ground(picture, i) && !scenery->has_floor && take_floor(object, p, scenery)) {
            continue;
        }
        *shape = (HedRenderShape){.kind = object->kind, .color = color_of(object, sheet)};
        sheet += object->kind == HED_OBJECT_SHEET;
        scenery->shape_count += 1;
        if (object->kind == HED_OBJECT_YARNS) {
            HED_TRY(hed_yarn_dynamics_build(object, p, values, scenery->origin, shape, error));
            hed_yarn_dynamics_twist(shape, object, twist, plies);
        } else {
            HED_TRY(build_mesh(object, p, values, scenery->origin, shape, error));
        }
        scale_values(picture, shape);
    }
done:
    return status;
}

void hed_scenery_free(HedScenery* scenery) {
    for (int32_t i = 0; i < scenery->shape_count; ++i) {
        HedRenderShape* shape = &scenery->shapes[i];
        hed_free(shape->points);
        hed_free(shape->frames);
        hed_free(shape->first);
        hed_free(shape->strand_of);
        hed_free(shape->strands);
        hed_free(shape->caps);
        hed_free(shape->cap_segment);
        hed_free(shape->vertices);
        hed_free(shape->normals);
        hed_free(shape->triangles);
        hed_free(shape->values);
    }
    hed_free(scenery->shapes);
    *scenery = (HedScenery){.shape_count = 0};
}
