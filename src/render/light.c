// SPDX-License-Identifier: MIT
#include "render/light.h"

#include <stddef.h>

// A lamp as seen from the target: a direction in the horizontal frame of the camera (right, up,
// towards the camera), its distance and half size in camera distances, and the light it gives to a
// surface at the target that faces it.
typedef struct Lamp {
    HedVec3f direction;
    float distance, size;
    HedVec3f light;
} Lamp;

static const Lamp STUDIO[HED_LIGHT_LIMIT] = {
    {{-0.75f, 0.95f, 0.60f}, 1.3f, 0.42f, {1.02f, 0.95f, 0.86f}}, // key, warm
    {{1.00f, 0.40f, 0.55f}, 1.4f, 0.60f, {0.14f, 0.16f, 0.20f}},  // fill, cool
    {{0.35f, 0.75f, -1.00f}, 1.3f, 0.35f, {0.42f, 0.44f, 0.48f}}, // rim, from behind
};

static HedLight place_lamp(const Lamp* lamp, const HedLens* lens, HedVec3f target) {
    HedVec3f back = {-lens->forward.x, 0.0f, -lens->forward.z};
    back = hed_unit_or3f(back, (HedVec3f){-lens->up.x, 0.0f, -lens->up.z});
    HedVec3f up = {0.0f, 1.0f, 0.0f};
    HedVec3f right = hed_cross3f(up, back);
    HedVec3f way = hed_madd3f(hed_mul3f(lamp->direction.x, right), lamp->direction.y, up);
    way = hed_unit3f(hed_madd3f(way, lamp->direction.z, back));
    float distance = lamp->distance * lens->distance;
    float half = lamp->size * lens->distance;
    HedBasis basis = hed_basis_of(hed_mul3f(-1.0f, way));
    HedLight light = {.middle = hed_madd3f(target, distance, way),
                      .a = hed_mul3f(half, basis.x),
                      .b = hed_mul3f(half, basis.y),
                      .normal = basis.z,
                      .area = 4.0f * half * half};
    // A small lamp of radiance L gives L area / distance^2 straight on; a matt white shows 1/pi.
    light.radiance = hed_mul3f(HED_PI_F * distance * distance / light.area, lamp->light);
    return light;
}

static void light_studio(HedLighting* lighting, const HedLens* lens) {
    for (int i = 0; i < HED_LIGHT_LIMIT; ++i) {
        lighting->lights[i] = place_lamp(&STUDIO[i], lens, lighting->target);
    }
    lighting->light_count = HED_LIGHT_LIMIT;
    lighting->sky_base = (HedVec3f){0.12f, 0.125f, 0.135f};
    lighting->sky_gain = (HedVec3f){0.28f, 0.30f, 0.34f};
    lighting->backdrop_low = (HedVec3f){0.64f, 0.63f, 0.62f};
    lighting->backdrop_high = (HedVec3f){0.80f, 0.81f, 0.83f};
    lighting->floor_color = (HedVec3f){0.50f, 0.49f, 0.48f};
}

// Even light that is a little stronger from above the camera, so that shapes can be read.
static void light_evenly(HedLighting* lighting, const HedLens* lens, float backdrop) {
    HedVec3f axis = hed_madd3f((HedVec3f){0.0f, 0.6f, 0.0f}, -1.0f, lens->forward);
    lighting->sky_axis = hed_unit_or3f(axis, (HedVec3f){0.0f, 1.0f, 0.0f});
    lighting->sky_base = (HedVec3f){0.55f, 0.55f, 0.55f};
    lighting->sky_gain = (HedVec3f){0.62f, 0.62f, 0.62f};
    lighting->backdrop_low = (HedVec3f){backdrop, backdrop, backdrop};
    lighting->backdrop_high = lighting->backdrop_low;
}

HedLighting hed_lighting_create(HedLook look, const HedLens* lens, const HedScenery* scenery,
                                float floor_height) {
    HedLighting lighting = {
        .sky_axis = {0.0f, 1.0f, 0.0f},
        .target = hed_madd3f(lens->position, lens->distance, lens->forward),
        .fade_from = 0.3f * lens->distance,
        .fade_to = 1.2f * lens->distance,
    };
    switch (look) {
    case HED_LOOK_FLAT:
        light_evenly(&lighting, lens, 1.7f); // white after the tone curve
        return lighting;
    case HED_LOOK_STRAIN:
        light_evenly(&lighting, lens, 0.78f);
        return lighting;
    case HED_LOOK_XRAY:
        lighting.backdrop_low = (HedVec3f){0.004f, 0.007f, 0.014f};
        lighting.backdrop_high = (HedVec3f){0.010f, 0.018f, 0.034f};
        return lighting;
    default:
        light_studio(&lighting, lens);
        break;
    }
    lighting.has_floor = true;
    lighting.floor_point = scenery->floor_point;
    lighting.floor_normal = scenery->floor_normal;
    if (!scenery->has_floor) {
        float height = isnan(floor_height) ? scenery->lowest : floor_height;
        lighting.floor_point = (HedVec3f){0.0f, height, 0.0f};
        lighting.floor_normal = (HedVec3f){0.0f, 1.0f, 0.0f};
    }
    return lighting;
}

HedVec3f hed_backdrop(const HedLighting* lighting, const HedLens* lens, HedVec3f direction) {
    float depth = hed_dot3f(direction, lens->forward);
    float height = depth > 1e-3f ? hed_dot3f(direction, lens->up) / (depth * lens->down) : 0.0f;
    float t = hed_smoothf(-1.2f, 1.2f, height);
    return hed_lerp3f(lighting->backdrop_low, lighting->backdrop_high, t);
}
