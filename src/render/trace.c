// SPDX-License-Identifier: MIT
// Path tracing. Lamps are aimed at from every place (and never met by chance), the sky is met by
// paths that leave. A normal that plies or smooth shading have tilted may scatter light below the
// real surface: such directions are mirrored back above it, and light from above counts for both,
// so that nothing is lost and nothing is counted twice.
#include "render/trace.h"

static void note(HedTally* tally, const HedRay* ray, float far, HedRayUse use) {
    tally->rays += 1;
    if (tally->log && !HED_APPEND(&tally->log->rays, (HedLoggedRay){*ray, far, use})) {
        tally->log->failed = true;
    }
}

HedHit hed_trace_nearest(const HedTracer* tracer, HedTally* tally, const HedRay* ray, float far) {
    note(tally, ray, far, HED_RAY_NEAREST);
    return hed_caster_nearest(tracer->caster, ray, far);
}

// Distance to the floor, or a huge number.
static float floor_distance(const HedLighting* lighting, const HedRay* ray) {
    if (!lighting->has_floor) {
        return INFINITY;
    }
    float toward = hed_dot3f(ray->direction, lighting->floor_normal);
    float above = hed_dot3f(hed_sub3f(lighting->floor_point, ray->origin), lighting->floor_normal);
    float t = above / toward;
    return toward != 0.0f && t > 0.0f ? t : INFINITY;
}

// Light scattered towards the viewer from one direction, cosine included. side: the cosine to the
// surface's own normal.
static HedVec3f scatter(const HedShadingPoint* surface, const HedView* view, HedVec3f wi,
                        float side) {
    bool is_above = side > 0.0f;
    HedVec3f mirrored = hed_madd3f(wi, -2.0f * side, surface->normal);
    HedVec3f local[2] = {hed_to_local(&surface->basis, is_above ? wi : mirrored),
                         hed_to_local(&surface->basis, is_above ? mirrored : wi)};
    HedScatter sum = {0};
    for (int i = 0; i < 2; ++i) {
        if (local[i].z > 1e-5f) {
            HedScatter s = hed_lobe_eval(surface->lobe, view, local[i]);
            sum.shine += s.shine;
            sum.base += s.base;
        }
    }
    float base = sum.base * (is_above ? 1.0f - surface->through : surface->through);
    float shine = is_above ? sum.shine : 0.0f;
    return hed_madd3f((HedVec3f){shine, shine, shine}, base, surface->albedo);
}

static HedVec3f from_lamp(const HedTracer* tracer, HedTally* tally, const HedShadingPoint* surface,
                          const HedView* view, const HedLight* light, HedSample2 u) {
    HedVec3f place = hed_madd3f(light->middle, 2.0f * u.a - 1.0f, light->a);
    place = hed_madd3f(place, 2.0f * u.b - 1.0f, light->b);
    HedVec3f way = hed_sub3f(place, surface->position);
    float square = hed_dot3f(way, way);
    float distance = sqrtf(square);
    HedRay ray = {surface->position, hed_mul3f(1.0f / distance, way)};
    float facing = -hed_dot3f(ray.direction, light->normal);
    float side = hed_dot3f(ray.direction, surface->normal);
    if (!(facing > 0.0f) || (side <= 0.0f && surface->through <= 0.0f)) {
        return (HedVec3f){0};
    }
    ray.origin = side > 0.0f ? surface->position : surface->below;
    note(tally, &ray, distance, HED_RAY_BLOCKED);
    if (hed_caster_blocked(tracer->caster, &ray, distance)) {
        return (HedVec3f){0};
    }
    HedVec3f scattered = scatter(surface, view, ray.direction, side);
    return hed_mul3f(facing * light->area / square, hed_each3f(scattered, light->radiance));
}

// All lamps where the camera looks; further on one of them, three times as bright.
static HedVec3f from_lamps(const HedTracer* tracer, HedTally* tally, const HedShadingPoint* surface,
                           const HedView* view, HedDraw* draw, bool all) {
    const HedLighting* lighting = &tracer->lighting;
    HedVec3f sum = {0};
    if (lighting->light_count == 0) {
        return sum;
    }
    if (all) {
        for (int32_t i = 0; i < lighting->light_count; ++i) {
            HedSample2 u = hed_draw_pair(draw);
            sum = hed_add3f(sum, from_lamp(tracer, tally, surface, view, &lighting->lights[i], u));
        }
        return sum;
    }
    HedSample2 u = hed_draw_pair(draw);
    float scaled = u.a * (float)lighting->light_count;
    int32_t i = (int32_t)scaled;
    u.a = scaled - (float)i;
    sum = from_lamp(tracer, tally, surface, view, &lighting->lights[i], u);
    return hed_mul3f((float)lighting->light_count, sum);
}

// The next ray of a path; weight is multiplied by what the surface leaves of the light. False: the
// path ends.
static bool bounce(const HedShadingPoint* surface, const HedView* view, HedSample2 u, float choice,
                   HedRay* ray, HedVec3f* weight) {
    // One random number serves twice: its digits below a thousandth choose the side.
    float coarse = floorf(1024.0f * choice);
    HedLobeSample s = hed_lobe_sample(surface->lobe, view, u, coarse / 1024.0f);
    if (!s.is_valid) {
        return false;
    }
    float through = surface->through * s.weight.base;
    float chance = through / (s.weight.shine + s.weight.base);
    bool passes = 1024.0f * choice - coarse < chance;
    float shine = passes ? 0.0f : s.weight.shine / (1.0f - chance);
    float base = passes ? through / chance : (s.weight.base - through) / (1.0f - chance);
    *weight =
        hed_each3f(*weight, hed_madd3f((HedVec3f){shine, shine, shine}, base, surface->albedo));
    HedVec3f wi = hed_to_world(&surface->basis, s.wi);
    float side = hed_dot3f(wi, surface->normal);
    if (passes ? side > 0.0f : side < 0.0f) {
        wi = hed_mirror3f(wi, surface->normal);
    }
    *ray = (HedRay){passes ? surface->below : surface->position, wi};
    return true;
}

// How far the floor has faded into the backdrop.
static float floor_fade(const HedLighting* lighting, const HedRay* ray, float distance) {
    HedVec3f place = hed_madd3f(ray->origin, distance, ray->direction);
    float away = hed_norm3f(hed_sub3f(place, lighting->target));
    return hed_smoothf(lighting->fade_from, lighting->fade_to, away);
}

// What a path meets next. False: nothing; *light then is what comes from there.
static bool meet(const HedTracer* tracer, HedTally* tally, const HedRay* ray, int32_t depth,
                 HedShadingPoint* surface, float* faded) {
    const HedLighting* lighting = &tracer->lighting;
    float ground = floor_distance(lighting, ray);
    HedHit hit = hed_trace_nearest(tracer, tally, ray, ground);
    float far = hit.geometry != HED_NO_HIT ? hit.distance : ground;
    *faded = 0.0f;
    if (depth == 0 && tracer->has_fuzz) {
        note(tally, ray, far, HED_RAY_FUZZ);
        HedHit hair = hed_caster_fuzz(tracer->caster, ray, far);
        if (hair.geometry != HED_NO_HIT) {
            *surface = hed_surface_of_hair(&tracer->scenery, &tracer->materials, ray, &hair);
            return true;
        }
    }
    if (hit.geometry != HED_NO_HIT) {
        // After a bounce a ray stands for many: detail would only be noise.
        float spread = depth == 0 ? tracer->lens.spread : 1e9f;
        *surface = hed_surface_at(&tracer->scenery, &tracer->materials, ray, &hit, spread);
        return true;
    }
    if (isfinite(ground)) {
        *faded = floor_fade(lighting, ray, ground);
        *surface =
            hed_surface_of_floor(&tracer->scenery, &tracer->materials, lighting, ray, ground);
        return *faded < 1.0f;
    }
    *faded = 1.0f;
    return false;
}

static HedVec3f trace_path(const HedTracer* tracer, HedTally* tally, HedRay ray, HedDraw* draw) {
    HedVec3f light = {0};
    HedVec3f weight = {1.0f, 1.0f, 1.0f};
    for (int32_t depth = 0;; ++depth) {
        HedShadingPoint surface;
        float faded = 0.0f;
        bool met = meet(tracer, tally, &ray, depth, &surface, &faded);
        if (faded > 0.0f) {
            HedVec3f beyond = depth == 0
                                  ? hed_backdrop(&tracer->lighting, &tracer->lens, ray.direction)
                                  : hed_sky(&tracer->lighting, ray.direction);
            light = hed_add3f(light, hed_mul3f(faded, hed_each3f(weight, beyond)));
            weight = hed_mul3f(1.0f - faded, weight);
        }
        if (!met || depth == tracer->depth) {
            return light;
        }
        HedVec3f wo = hed_to_local(&surface.basis, hed_mul3f(-1.0f, ray.direction));
        HedView view = hed_lobe_view(surface.lobe, wo);
        HedVec3f lamps = from_lamps(tracer, tally, &surface, &view, draw, depth == 0);
        light = hed_add3f(light, hed_each3f(weight, lamps));
        HedSample2 u = hed_draw_pair(draw);
        HedSample2 choice = hed_draw_pair(draw);
        if (!bounce(&surface, &view, u, choice.a, &ray, &weight)) {
            return light;
        }
        // Dim paths end by chance; those that go on carry their light.
        if (depth >= 1) {
            float keep = hed_clampf(hed_max3f(weight), 0.05f, 1.0f);
            if (choice.b >= keep) {
                return light;
            }
            weight = hed_mul3f(1.0f / keep, weight);
        }
    }
}

// A tent two pixels wide: u to -1..1, more often near 0.
static float tent(float u) {
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

HedVec3f hed_trace_pixel(const HedTracer* tracer, HedTally* tally, int32_t x, int32_t y,
                         int32_t sample) {
    const HedLens* lens = &tracer->lens;
    HedDraw draw = hed_draw_begin(&tracer->sampler, y * lens->width + x, sample);
    HedSample2 place = hed_draw_pair(&draw);
    HedSample2 on_lens = hed_draw_pair(&draw);
    HedRay ray = hed_lens_ray(lens, (float)x + 0.5f + tent(place.a),
                              (float)y + 0.5f + tent(place.b), on_lens);
    HedVec3f light = tracer->is_xray ? hed_trace_xray(tracer, tally, ray)
                                     : trace_path(tracer, tally, ray, &draw);
    // A direction that only rounding allows must not leave a hole in the picture.
    return isfinite(light.x + light.y + light.z) ? light : (HedVec3f){0};
}
