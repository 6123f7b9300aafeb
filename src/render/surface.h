// SPDX-License-Identifier: MIT
// A place that a ray has met, ready to scatter light.
#ifndef HED_RENDER_SURFACE_H
#define HED_RENDER_SURFACE_H

#include "render/caster.h"
#include "render/light.h"
#include "render/lobe.h"

typedef struct HedMaterials {
    HedLobe yarn;  // sheen along fibres
    HedLobe cloth; // sheets
    HedLobe matt;  // bodies and floor
    HedYarnStyle style;
    float through; // of sheets: part of the matt light that comes out behind
} HedMaterials;

void hed_materials_build(HedMaterials* materials, const HedYarnStyle* style);

typedef struct HedShadingPoint {
    HedVec3f position; // a little above the surface, on the side of the viewer
    HedVec3f below;    // a little below it
    HedVec3f normal;   // of the geometry, towards the viewer
    HedBasis basis;    // of the material; its z is towards the viewer too
    HedVec3f albedo;
    const HedLobe* lobe;
    float through; // part of the matt light that goes through: thin sheets, hairs
} HedShadingPoint;

/// spread: half width of what the ray stands for, per distance.
HedShadingPoint hed_surface_at(const HedScenery* scenery, const HedMaterials* materials,
                               const HedRay* ray, const HedHit* hit, float spread);

/// A hair on a yarn's wider tube.
HedShadingPoint hed_surface_of_hair(const HedScenery* scenery, const HedMaterials* materials,
                                    const HedRay* ray, const HedHit* hit);

HedShadingPoint hed_surface_of_floor(const HedScenery* scenery, const HedMaterials* materials,
                                     const HedLighting* lighting, const HedRay* ray,
                                     float distance);

#endif
