// SPDX-License-Identifier: MIT
// Light along one ray of the camera.
#ifndef HED_RENDER_TRACE_H
#define HED_RENDER_TRACE_H

#include "base/array.h"
#include "render/surface.h"

/// Rays as they were cast, to be cast again without shading.
typedef enum HedRayUse { HED_RAY_NEAREST, HED_RAY_FUZZ, HED_RAY_BLOCKED } HedRayUse;

typedef struct HedLoggedRay {
    HedRay ray;
    float far;
    HedRayUse use;
} HedLoggedRay;

typedef struct HedRayLog {
    HED_ARRAY(HedLoggedRay) rays;
    bool failed; // no memory
} HedRayLog;

/// embree.c: casts logged rays and nothing else.
void hed_caster_replay(const HedCaster* caster, const HedRayLog* log);

/// All that paths read.
typedef struct HedTracer {
    HedScenery scenery;
    HedMaterials materials;
    HedLens lens;
    HedLighting lighting;
    HedSampler sampler;
    HedCaster* caster;
    bool has_fuzz;
    bool is_xray;
    int32_t depth; // most bounces
} HedTracer;

/// What paths write, one per tile of the picture.
typedef struct HedTally {
    int64_t rays;
    HedRayLog* log; // or NULL
} HedTally;

/// Light that arrives from a pixel's direction.
HedVec3f hed_trace_pixel(const HedTracer* tracer, HedTally* tally, int32_t x, int32_t y,
                         int32_t sample);

/// xray.c: the same for the see-through look.
HedVec3f hed_trace_xray(const HedTracer* tracer, HedTally* tally, HedRay ray);

/// Casts, counts and logs.
HedHit hed_trace_nearest(const HedTracer* tracer, HedTally* tally, const HedRay* ray, float far);

#endif
