// SPDX-License-Identifier: MIT
// From pixels to rays: a thin lens.
#ifndef HED_RENDER_CAMERA_H
#define HED_RENDER_CAMERA_H

#include "heddle/render.h"
#include "render/sampler.h"
#include "render/vec3f.h"

typedef struct HedRay {
    HedVec3f origin, direction; // direction has length 1
} HedRay;

/// A camera ready for use, in coordinates relative to an origin.
typedef struct HedLens {
    HedVec3f position;
    HedVec3f right, up, forward;
    float across, down; // tangents of half the angles of view
    float focus;        // m
    float radius;       // m, of the lens
    float spread;       // half the width of a pixel at distance 1
    float distance;     // m, to the target
    int32_t width, height;
} HedLens;

/// HED_INVALID if there is no picture from there.
HedStatus hed_lens_create(const HedCamera* camera, int32_t width, int32_t height, HedVec3 origin,
                          HedLens* lens, HedError* error);

/// The ray through a place of the picture in pixels, from a place of the lens.
HedRay hed_lens_ray(const HedLens* lens, float x, float y, HedSample2 u);

#endif
