// SPDX-License-Identifier: MIT
// How a surface scatters light: a shiny layer over a matt base, in local coordinates (z the normal,
// x the direction of fibres).
//
//   shine  f_s = F D G2 / (4 cos_o cos_i)   anisotropic GGX with Schlick's F (Heitz 2014)
//   E(w)       = integral of f_s cos over all directions: the part of light that the layer returns
//   base   f_d = albedo/pi (1 - E(wo)) (1 - E(wi)) / (1 - mean of E)   (Kelemen, Kulla and Conty)
//
// What the layer does not return reaches the base, so a white surface returns all light, exactly as
// far as the table of E is exact; f_d is symmetric in wo and wi, as it must be.
#ifndef HED_RENDER_LOBE_H
#define HED_RENDER_LOBE_H

#include "render/sampler.h"
#include "render/vec3f.h"

enum { HED_LOBE_STEPS = 32, HED_LOBE_TURNS = 8 };

typedef struct HedLobe {
    float along, across; // roughness in x and in y
    float facing;        // reflectance of light that comes straight down
    float mean;          // cosine-weighted mean of E
    // E over cos (linear in its square root, so dense at grazing angles) and over cos^2 of the
    // angle to the fibres
    float table[HED_LOBE_STEPS + 1][HED_LOBE_TURNS + 1];
} HedLobe;

void hed_lobe_build(HedLobe* lobe, float along, float across, float facing);

/// E(w) by interpolation; w.z > 0.
float hed_lobe_albedo(const HedLobe* lobe, HedVec3f w);

/// f_s cos_i and f_d cos_i / albedo, both for directions above the surface.
typedef struct HedScatter {
    float shine, base;
} HedScatter;

HedScatter hed_lobe_eval(const HedLobe* lobe, HedVec3f wo, HedVec3f wi, float albedo_o);

/// A direction in proportion to shine and base, for the view wo (z > 0) and E(wo).
typedef struct HedLobeSample {
    HedVec3f wi;
    HedScatter weight; // f cos / density: multiply base by the albedo
    bool is_valid;     // false: the direction went below the surface, its light is lost
} HedLobeSample;

HedLobeSample hed_lobe_sample(const HedLobe* lobe, HedVec3f wo, float albedo_o, HedPair u,
                              float choice);

#endif
