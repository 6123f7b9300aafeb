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
    float sharp[3];      // 1 / along^2, 1 / across^2, 1 / (pi along across)
    float facing;        // reflectance of light that comes straight down
    float mean;          // cosine-weighted mean of E
    float gain;          // 1 / (pi (1 - mean))
    // E over cos (linear in its square root, so dense at grazing angles) and over cos^2 of the
    // angle to the fibres
    float table[HED_LOBE_STEPS + 1][HED_LOBE_TURNS + 1];
} HedLobe;

void hed_lobe_build(HedLobe* lobe, float along, float across, float facing);

/// E(w) by interpolation; w.z > 0.
static inline float hed_lobe_albedo(const HedLobe* lobe, HedVec3f w) {
    float flat = w.x * w.x + w.y * w.y;
    float turn = flat > 1e-12f ? HED_LOBE_TURNS * (w.x * w.x) / flat : 0.0f;
    float step = HED_LOBE_STEPS * sqrtf(hed_clampf(w.z, 0.0f, 1.0f));
    int32_t i = (int32_t)step < HED_LOBE_STEPS ? (int32_t)step : HED_LOBE_STEPS - 1;
    int32_t j = (int32_t)turn < HED_LOBE_TURNS ? (int32_t)turn : HED_LOBE_TURNS - 1;
    float a = step - (float)i;
    float b = turn - (float)j;
    const float* low = lobe->table[i];
    const float* high = lobe->table[i + 1];
    float at_low = low[j] + b * (low[j + 1] - low[j]);
    float at_high = high[j] + b * (high[j + 1] - high[j]);
    return at_low + a * (at_high - at_low);
}

/// Lambda of Smith's masking: G1 = 1 / (1 + lambda), G2 = 1 / (1 + lambda_o + lambda_i).
static inline float hed_lobe_lambda(const HedLobe* lobe, HedVec3f w) {
    float x = lobe->along * w.x;
    float y = lobe->across * w.y;
    float zz = w.z * w.z;
    return 0.5f * (sqrtf((zz + x * x + y * y) / zz) - 1.0f);
}

/// A view of a surface, from above: made once, used for all directions of light.
typedef struct HedView {
    HedVec3f wo;
    float returned; // E(wo)
    float lambda;
    float shadow; // 1 / (4 cos_o)
} HedView;

static inline HedView hed_lobe_view(const HedLobe* lobe, HedVec3f wo) {
    wo.z = hed_maxf(wo.z, 1e-3f);
    return (HedView){wo, hed_lobe_albedo(lobe, wo), hed_lobe_lambda(lobe, wo), 0.25f / wo.z};
}

/// f_s cos_i and f_d cos_i / albedo, both for directions above the surface.
typedef struct HedScatter {
    float shine, base;
} HedScatter;

/// D(h) / (4 cos_o), and Schlick's factor for the angle to h, of the half vector h of two unit
/// vectors. With H = wo + wi: |H|^2 = 2 (1 + wo wi), and the cosine between h and both is |H| / 2.
static inline float hed_lobe_peak(const HedLobe* lobe, const HedView* view, HedVec3f wi,
                                  float* fresnel) {
    HedVec3f h = hed_add3f(view->wo, wi);
    float square = hed_dot3f(h, h);
    float s = h.x * h.x * lobe->sharp[0] + h.y * h.y * lobe->sharp[1] + h.z * h.z;
    float m = 1.0f - hed_minf(1.0f, 0.5f * sqrtf(square));
    float mm = m * m;
    *fresnel = lobe->facing + (1.0f - lobe->facing) * mm * mm * m;
    float ratio = square / s;
    return lobe->sharp[2] * ratio * ratio * view->shadow;
}

static inline HedScatter hed_lobe_eval(const HedLobe* lobe, const HedView* view, HedVec3f wi) {
    float fresnel;
    float peak = hed_lobe_peak(lobe, view, wi, &fresnel);
    float masking = 1.0f / (1.0f + view->lambda + hed_lobe_lambda(lobe, wi));
    float base = (1.0f - view->returned) * (1.0f - hed_lobe_albedo(lobe, wi)) * lobe->gain;
    return (HedScatter){fresnel * peak * masking, base * wi.z};
}

/// A direction in proportion to shine and base.
typedef struct HedLobeSample {
    HedVec3f wi;
    HedScatter weight; // f cos / density: multiply base by the albedo
    bool is_valid;     // false: the direction went below the surface, its light is lost
} HedLobeSample;

HedLobeSample hed_lobe_sample(const HedLobe* lobe, const HedView* view, HedSample2 u, float choice);

#endif
