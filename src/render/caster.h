// SPDX-License-Identifier: MIT
// Casting rays. embree.c is the door to Embree; without it creation says HED_UNSUPPORTED.
#ifndef HED_RENDER_CASTER_H
#define HED_RENDER_CASTER_H

#include "render/camera.h"
#include "render/yarn.h"

typedef struct HedCaster HedCaster;

enum { HED_NO_HIT = -1 };

/// Yarns are even, the balls that close their ends odd numbers: 2 * shape and 2 * shape + 1.
typedef struct HedHit {
    float distance;
    HedVec3f normal; // of the surface itself; unit length
    float u, v;
    int32_t geometry; // or HED_NO_HIT
    uint32_t primitive;
} HedHit;

/// scenery and style must stay until the end. has_fuzz: a second layer with the hairs of yarns.
HedStatus hed_caster_create(const HedScenery* scenery, const HedYarnStyle* style, bool has_fuzz,
                            int32_t threads, HedCaster** caster, HedError* error);
void hed_caster_destroy(HedCaster* caster); // NULL is allowed

/// The first thing a ray meets between distance 0 and far.
HedHit hed_caster_nearest(const HedCaster* caster, const HedRay* ray, float far);

/// The first hair; call only if there is fuzz.
HedHit hed_caster_fuzz(const HedCaster* caster, const HedRay* ray, float far);

/// Whether anything but hair is in the way.
bool hed_caster_blocked(const HedCaster* caster, const HedRay* ray, float far);

#endif
