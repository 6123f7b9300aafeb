// SPDX-License-Identifier: MIT
// The see-through look: everything glows a little and hides a little, by the way of the ray inside.
#include "render/trace.h"

enum { MOST_HITS = 96 };

// How much of the light behind a crossing is hidden. A yarn of radius r is crossed on a way of
// about 2 r cos; a surface is thin, and shows its outline where the ray grazes it.
static float thickness(const HedRenderShape* shape, float cosine) {
    switch (shape->kind) {
    case HED_OBJECT_YARNS:
        return 0.03f + 0.2f * cosine;
    case HED_OBJECT_SHEET:
        return 0.10f / hed_maxf(0.12f, cosine);
    default:
        return 0.05f / hed_maxf(0.08f, cosine);
    }
}

HedVec3f hed_trace_xray(const HedTracer* tracer, HedTally* tally, HedRay ray) {
    const HedScenery* scenery = &tracer->scenery;
    const HedVec3f glow = {0.80f, 0.92f, 1.0f};
    HedVec3f light = {0};
    float clear = 1.0f;
    HedVec3f toward = ray.direction;
    for (int i = 0; i < MOST_HITS && clear > 0.01f; ++i) {
        HedHit hit = hed_trace_nearest(tracer, tally, &ray, INFINITY);
        if (hit.geometry == HED_NO_HIT) {
            break;
        }
        const HedRenderShape* shape = &scenery->shapes[hit.geometry >> 1];
        HedShadingPoint surface = hed_surface_at(scenery, &tracer->materials, &ray, &hit, 1e9f);
        float cosine = fabsf(hed_dot3f(hit.normal, toward));
        float hidden = 1.0f - expf(-thickness(shape, cosine));
        HedVec3f color = hed_lerp3f(surface.albedo, glow, shape->values ? 0.0f : 0.6f);
        light = hed_madd3f(light, clear * hidden, color);
        clear *= 1.0f - hidden;
        // On from just behind: through the wall of a tube to its other side would count it twice.
        float past = 2e-5f * scenery->extent;
        if (shape->kind == HED_OBJECT_YARNS && !(hit.geometry & 1)) {
            float radius = shape->strands[shape->strand_of[hit.primitive]].radius;
            past += 1.9f * radius * hed_maxf(0.05f, cosine);
        }
        ray.origin = hed_madd3f(ray.origin, hit.distance + past, ray.direction);
    }
    HedVec3f backdrop = hed_backdrop(&tracer->lighting, &tracer->lens, toward);
    return hed_madd3f(light, clear, backdrop);
}
