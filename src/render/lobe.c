// SPDX-License-Identifier: MIT
#include "render/lobe.h"

// Lambda of Smith's masking: G1 = 1 / (1 + lambda), G2 = 1 / (1 + lambda_o + lambda_i).
static float lambda(const HedLobe* lobe, HedVec3f w) {
    float x = lobe->along * w.x;
    float y = lobe->across * w.y;
    return 0.5f * (sqrtf(1.0f + (x * x + y * y) / (w.z * w.z)) - 1.0f);
}

static float fresnel(float facing, float cosine) {
    float m = 1.0f - cosine;
    float m2 = m * m;
    return facing + (1.0f - facing) * m2 * m2 * m;
}

static float distribution(const HedLobe* lobe, HedVec3f h) {
    float x = h.x / lobe->along;
    float y = h.y / lobe->across;
    float s = x * x + y * y + h.z * h.z;
    return 1.0f / (HED_PI_F * lobe->along * lobe->across * s * s);
}

// A normal of the rough layer among those that wo sees: uniform on a cap of the sphere in the space
// where the layer is round (Dupuy and Benyoub 2023).
static HedVec3f visible_normal(const HedLobe* lobe, HedVec3f wo, HedPair u) {
    HedVec3f w = hed_unit3f((HedVec3f){lobe->along * wo.x, lobe->across * wo.y, wo.z});
    float z = (1.0f - u.b) * (1.0f + w.z) - w.z;
    float r = sqrtf(fmaxf(0.0f, 1.0f - z * z));
    float c;
    float s;
    hed_turn(u.a, &c, &s);
    HedVec3f h = {r * c + w.x, r * s + w.y, z + w.z};
    return hed_unit3f((HedVec3f){lobe->along * h.x, lobe->across * h.y, fmaxf(1e-6f, h.z)});
}

float hed_lobe_albedo(const HedLobe* lobe, HedVec3f w) {
    float flat = w.x * w.x + w.y * w.y;
    float turn = flat > 1e-12f ? HED_LOBE_TURNS * (w.x * w.x) / flat : 0.0f;
    float step = HED_LOBE_STEPS * sqrtf(hed_clampf(w.z, 0.0f, 1.0f));
    int32_t i = (int32_t)step < HED_LOBE_STEPS ? (int32_t)step : HED_LOBE_STEPS - 1;
    int32_t j = (int32_t)turn < HED_LOBE_TURNS ? (int32_t)turn : HED_LOBE_TURNS - 1;
    float a = step - (float)i;
    float b = turn - (float)j;
    const float* low = lobe->table[i];
    const float* high = lobe->table[i + 1];
    return (1.0f - a) * (low[j] + b * (low[j + 1] - low[j])) +
           a * (high[j] + b * (high[j + 1] - high[j]));
}

// Mean of F G2 / G1 over visible normals: the estimator of E without noise from D.
static float integrate(const HedLobe* lobe, HedVec3f wo) {
    enum { SIDE = 24 };
    float sum = 0.0f;
    float lambda_o = lambda(lobe, wo);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        HedPair u = {((float)(i / SIDE) + 0.5f) / SIDE, ((float)(i % SIDE) + 0.5f) / SIDE};
        HedVec3f h = visible_normal(lobe, wo, u);
        float cosine = hed_dot3f(wo, h);
        HedVec3f wi = hed_madd3f(hed_mul3f(-1.0f, wo), 2.0f * cosine, h);
        if (wi.z > 0.0f) {
            float lambda_i = lambda(lobe, wi);
            sum += fresnel(lobe->facing, cosine) * (1.0f + lambda_o) / (1.0f + lambda_o + lambda_i);
        }
    }
    return sum / (SIDE * SIDE);
}

void hed_lobe_build(HedLobe* lobe, float along, float across, float facing) {
    *lobe = (HedLobe){.along = along, .across = across, .facing = facing};
    for (int i = 0; i <= HED_LOBE_STEPS; ++i) {
        float root = fmaxf(0.02f, (float)i / HED_LOBE_STEPS);
        float z = root * root;
        for (int j = 0; j <= HED_LOBE_TURNS; ++j) {
            float x2 = (float)j / HED_LOBE_TURNS * (1.0f - z * z);
            HedVec3f wo = {sqrtf(x2), sqrtf(fmaxf(0.0f, 1.0f - z * z - x2)), z};
            lobe->table[i][j] = integrate(lobe, hed_unit3f(wo));
        }
    }
    enum { SIDE = 64 };
    double sum = 0.0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        // cos dw is even in cos^2 and in the angle.
        float z = sqrtf(((float)(i / SIDE) + 0.5f) / SIDE);
        float c;
        float s;
        hed_turn(((float)(i % SIDE) + 0.5f) / SIDE, &c, &s);
        float r = sqrtf(1.0f - z * z);
        sum += (double)hed_lobe_albedo(lobe, (HedVec3f){r * c, r * s, z});
    }
    lobe->mean = (float)(sum / (SIDE * SIDE));
}

HedScatter hed_lobe_eval(const HedLobe* lobe, HedVec3f wo, HedVec3f wi, float albedo_o) {
    HedVec3f h = hed_unit3f(hed_add3f(wo, wi));
    float masking = 1.0f / (1.0f + lambda(lobe, wo) + lambda(lobe, wi));
    float f = fresnel(lobe->facing, fminf(1.0f, hed_dot3f(wo, h)));
    float base = (1.0f - albedo_o) * (1.0f - hed_lobe_albedo(lobe, wi)) / (1.0f - lobe->mean);
    return (HedScatter){f * distribution(lobe, h) * masking / (4.0f * wo.z),
                        base * wi.z / HED_PI_F};
}

HedLobeSample hed_lobe_sample(const HedLobe* lobe, HedVec3f wo, float albedo_o, HedPair u,
                              float choice) {
    // Half of the light through the layer is a good guess for what a coloured base returns.
    float shiny = hed_clampf(albedo_o / (albedo_o + 0.5f * (1.0f - albedo_o)), 0.05f, 0.95f);
    HedLobeSample sample = {.is_valid = false};
    if (choice >= shiny) {
        float c;
        float s;
        float r = sqrtf(u.b);
        hed_turn(u.a, &c, &s);
        sample.wi = (HedVec3f){r * c, r * s, sqrtf(fmaxf(1e-8f, 1.0f - u.b))};
    } else {
        HedVec3f h = visible_normal(lobe, wo, u);
        sample.wi = hed_madd3f(hed_mul3f(-1.0f, wo), 2.0f * hed_dot3f(wo, h), h);
    }
    sample.is_valid = sample.wi.z > 1e-5f;
    if (!sample.is_valid) {
        return sample;
    }
    HedVec3f h = hed_unit3f(hed_add3f(wo, sample.wi));
    float lambda_o = lambda(lobe, wo);
    float visible = distribution(lobe, h) / ((1.0f + lambda_o) * 4.0f * wo.z);
    float density = shiny * visible + (1.0f - shiny) * sample.wi.z / HED_PI_F;
    HedScatter value = hed_lobe_eval(lobe, wo, sample.wi, albedo_o);
    sample.weight = (HedScatter){value.shine / density, value.base / density};
    return sample;
}
