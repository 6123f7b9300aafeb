// SPDX-License-Identifier: MIT
// The door to Embree 3: round curves for yarns, spheres for their ends, triangles.
#include "base/alloc.h"
#include "render/caster.h"
#include "render/trace.h"

#if defined(HED_HAVE_EMBREE)

#include <embree3/rtcore.h>
#include <stdio.h>

// What the filter of one object's hairs needs.
typedef struct Hairs {
    const HedRenderShape* shape;
    const HedYarnStyle* style;
    float (*points)[4]; // control points with the radius of the wider tube
} Hairs;

struct HedCaster {
    RTCDevice device;
    RTCScene solid;
    RTCScene fuzz; // or NULL
    Hairs* hairs;  // one per shape
    int32_t shape_count;
};

static HedStatus device_status(RTCDevice device, HedError* error) {
    switch (rtcGetDeviceError(device)) {
    case RTC_ERROR_NONE:
        return HED_OK;
    case RTC_ERROR_OUT_OF_MEMORY:
        return hed_fail_memory(error, "the tree of a picture's rays");
    case RTC_ERROR_UNSUPPORTED_CPU:
        return hed_fail(error, HED_UNSUPPORTED, "Embree does not run on this processor");
    default:
        return hed_fail(error, HED_UNSUPPORTED, "Embree reports an error");
    }
}

// Attaches a geometry under its number and gives up our hold on it.
static void attach(RTCScene scene, RTCGeometry geometry, int32_t id) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, (unsigned)id);
    rtcReleaseGeometry(geometry);
}

static RTCGeometry curve_geometry(const HedCaster* caster, const HedRenderShape* shape,
                                  float (*points)[4]) {
    RTCGeometry geometry =
        rtcNewGeometry(caster->device, RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, points, 0,
                               sizeof *points, (size_t)shape->point_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, shape->first, 0,
                               sizeof *shape->first, (size_t)shape->segment_count);
    return geometry;
}

static void add_shape(const HedCaster* caster, const HedRenderShape* shape, int32_t id) {
    if (shape->segment_count > 0) {
        attach(caster->solid, curve_geometry(caster, shape, shape->points), id);
    }
    if (shape->cap_count > 0) {
        RTCGeometry caps = rtcNewGeometry(caster->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        rtcSetSharedGeometryBuffer(caps, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, shape->caps,
                                   0, sizeof *shape->caps, (size_t)shape->cap_count);
        attach(caster->solid, caps, id + 1);
    }
    if (shape->triangle_count > 0) {
        RTCGeometry mesh = rtcNewGeometry(caster->device, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                   shape->vertices, 0, sizeof *shape->vertices,
                                   (size_t)shape->vertex_count);
        rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                   shape->triangles, 0, sizeof *shape->triangles,
                                   (size_t)shape->triangle_count);
        attach(caster->solid, mesh, id);
    }
}

// Embree asks for each place where a ray enters the wider tube: most of it is nothing.
static void keep_hairs(const struct RTCFilterFunctionNArguments* a) {
    const Hairs* hairs = a->geometryUserPtr;
    if (a->N != 1 || a->valid[0] != -1) {
        return;
    }
    // One ray: the arrays of Embree's wide rays are single values in the order of the plain ones.
    const struct RTCHit* met = (const void*)a->hit;
    const struct RTCRay* ray = (const void*)a->ray;
    HedVec3f normal = {met->Ng_x, met->Ng_y, met->Ng_z};
    HedFuzzHit hit = {.segment = met->primID,
                      .u = met->u,
                      .normal = hed_unit_or3f(normal, (HedVec3f){1.0f, 0.0f, 0.0f}),
                      .direction = {ray->dir_x, ray->dir_y, ray->dir_z}};
    if (!hed_fuzz_meets(hairs->shape, hairs->style, &hit)) {
        a->valid[0] = 0;
    }
}

static HedStatus add_fuzz(HedCaster* caster, const HedRenderShape* shape, const HedYarnStyle* style,
                          int32_t index, HedError* error) {
    Hairs* hairs = &caster->hairs[index];
    *hairs = (Hairs){shape, style, hed_alloc_array(shape->point_count, sizeof *hairs->points)};
    if (!hairs->points) {
        return hed_fail_memory(error, "the fuzz of yarns");
    }
    for (int32_t i = 0; i < shape->point_count; ++i) {
        const float* p = shape->points[i];
        for (int c = 0; c < 3; ++c) {
            hairs->points[i][c] = p[c];
        }
        hairs->points[i][3] = (1.0f + HED_FUZZ_REACH) * p[3];
    }
    RTCGeometry geometry = curve_geometry(caster, shape, hairs->points);
    rtcSetGeometryUserData(geometry, hairs);
    rtcSetGeometryIntersectFilterFunction(geometry, keep_hairs);
    attach(caster->fuzz, geometry, 2 * index);
    return HED_OK;
}

static HedStatus build(HedCaster* caster, const HedScenery* scenery, const HedYarnStyle* style,
                       HedError* error) {
    for (int32_t i = 0; i < scenery->shape_count; ++i) {
        const HedRenderShape* shape = &scenery->shapes[i];
        add_shape(caster, shape, 2 * i);
        if (caster->fuzz && shape->segment_count > 0) {
            HedStatus status = add_fuzz(caster, shape, style, i, error);
            if (status != HED_OK) {
                return status;
            }
        }
    }
    rtcCommitScene(caster->solid);
    if (caster->fuzz) {
        rtcCommitScene(caster->fuzz);
    }
    return device_status(caster->device, error);
}

HedStatus hed_caster_create(const HedScenery* scenery, const HedYarnStyle* style, bool has_fuzz,
                            int32_t threads, HedCaster** out, HedError* error) {
    HedStatus status = HED_OK;
    char config[64];
    HedCaster* caster = HED_NEW(HedCaster);
    *out = NULL;
    if (!caster) {
        return hed_fail_memory(error, "the ray caster");
    }
    snprintf(config, sizeof config, "threads=%d,set_affinity=0", threads);
    caster->device = rtcNewDevice(config);
    if (!caster->device) {
        status = device_status(NULL, error);
        hed_free(caster);
        return status ? status : hed_fail(error, HED_UNSUPPORTED, "Embree does not start");
    }
    caster->solid = rtcNewScene(caster->device);
    caster->fuzz = has_fuzz ? rtcNewScene(caster->device) : NULL;
    caster->shape_count = scenery->shape_count;
    caster->hairs = HED_NEW_ARRAY(Hairs, scenery->shape_count);
    if (!caster->hairs) {
        HED_TRY(hed_fail_memory(error, "the ray caster"));
    }
    HED_TRY(build(caster, scenery, style, error));
    *out = caster;
    caster = NULL;
done:
    hed_caster_destroy(caster);
    return status;
}

void hed_caster_destroy(HedCaster* caster) {
    if (!caster) {
        return;
    }
    if (caster->solid) {
        rtcReleaseScene(caster->solid);
    }
    if (caster->fuzz) {
        rtcReleaseScene(caster->fuzz);
    }
    rtcReleaseDevice(caster->device);
    for (int32_t i = 0; caster->hairs && i < caster->shape_count; ++i) {
        hed_free(caster->hairs[i].points);
    }
    hed_free(caster->hairs);
    hed_free(caster);
}

static struct RTCRay ray_of(const HedRay* ray, float far) {
    return (struct RTCRay){.org_x = ray->origin.x,
                           .org_y = ray->origin.y,
                           .org_z = ray->origin.z,
                           .dir_x = ray->direction.x,
                           .dir_y = ray->direction.y,
                           .dir_z = ray->direction.z,
                           .tfar = far,
                           .mask = UINT32_MAX};
}

static HedHit intersect(RTCScene scene, const HedRay* ray, float far) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit r = {.ray = ray_of(ray, far)};
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return (HedHit){.geometry = HED_NO_HIT};
    }
    HedVec3f normal = {r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z};
    return (HedHit){r.ray.tfar,
                    hed_unit_or3f(normal, hed_mul3f(-1.0f, ray->direction)),
                    r.hit.u,
                    r.hit.v,
                    (int32_t)r.hit.geomID,
                    r.hit.primID};
}

HedHit hed_caster_nearest(const HedCaster* caster, const HedRay* ray, float far) {
    return intersect(caster->solid, ray, far);
}

HedHit hed_caster_fuzz(const HedCaster* caster, const HedRay* ray, float far) {
    return intersect(caster->fuzz, ray, far);
}

bool hed_caster_blocked(const HedCaster* caster, const HedRay* ray, float far) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay r = ray_of(ray, far);
    rtcOccluded1(caster->solid, &context, &r);
    return r.tfar < 0.0f;
}

void hed_caster_replay(const HedCaster* caster, const HedRayLog* log) {
    for (int32_t i = 0; i < log->rays.count; ++i) {
        const HedLoggedRay* logged = &log->rays.data[i];
        struct RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        struct RTCRayHit r = {.ray = ray_of(&logged->ray, logged->far)};
        r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        if (logged->use == HED_RAY_BLOCKED) {
            rtcOccluded1(caster->solid, &context, &r.ray);
        } else {
            rtcIntersect1(logged->use == HED_RAY_FUZZ ? caster->fuzz : caster->solid, &context, &r);
        }
    }
}

#else

HedStatus hed_caster_create(const HedScenery* scenery, const HedYarnStyle* style, bool has_fuzz,
                            int32_t threads, HedCaster** out, HedError* error) {
    (void)scenery;
    (void)style;
    (void)has_fuzz;
    (void)threads;
    *out = NULL;
    return hed_fail(error, HED_UNSUPPORTED, "this heddle was built without Embree: no pictures");
}

void hed_caster_destroy(HedCaster* caster) {
    (void)caster;
}

HedHit hed_caster_nearest(const HedCaster* caster, const HedRay* ray, float far) {
    (void)caster;
    (void)ray;
    (void)far;
    return (HedHit){.geometry = HED_NO_HIT};
}

HedHit hed_caster_fuzz(const HedCaster* caster, const HedRay* ray, float far) {
    return hed_caster_nearest(caster, ray, far);
}

bool hed_caster_blocked(const HedCaster* caster, const HedRay* ray, float far) {
    (void)caster;
    (void)ray;
    (void)far;
    return false;
}

void hed_caster_replay(const HedCaster* caster, const HedRayLog* log) {
    (void)caster;
    (void)log;
}

#endif
