// SPDX-License-Identifier: MIT
// Where light comes from. Everything is placed relative to camera and target, so that any scene at
// any scale is lit well, and a film of a moving scene is lit evenly.
#ifndef HED_RENDER_LIGHT_H
#define HED_RENDER_LIGHT_H

#include "render/camera.h"
#include "render/shape.h"

/// A rectangle that shines to one side. Paths do not see it, they aim at it.
typedef struct HedLight {
    HedVec3f middle, a, b; // half edges
    HedVec3f normal;       // to the lit side
    HedVec3f radiance;     // linear
    float area;
} HedLight;

enum { HED_LIGHT_LIMIT = 3 };

typedef struct HedLighting {
    HedLight lights[HED_LIGHT_LIMIT];
    int32_t light_count;
    // The sky that paths meet: base + gain (1/2 + cos/2)^2 by the angle to the axis.
    HedVec3f sky_base, sky_gain, sky_axis;
    // What the camera sees where nothing is, from the lower to the upper edge of the picture.
    HedVec3f backdrop_low, backdrop_high;
    // A plane that fades into the backdrop.
    bool has_floor;
    HedVec3f floor_point, floor_normal, floor_color;
    float fade_from, fade_to; // m, from the target
    HedVec3f target;
} HedLighting;

/// floor_height: m, relative to the scenery's origin; NaN: under the lowest point.
HedLighting hed_lighting_create(HedLook look, const HedLens* lens, const HedScenery* scenery,
                                float floor_height);

static inline HedVec3f hed_sky(const HedLighting* lighting, HedVec3f direction) {
    float c = 0.5f + 0.5f * hed_dot3f(direction, lighting->sky_axis);
    return hed_madd3f(lighting->sky_base, c * c, lighting->sky_gain);
}

HedVec3f hed_backdrop(const HedLighting* lighting, const HedLens* lens, HedVec3f direction);

#endif
