// SPDX-License-Identifier: MIT
#include "render/lobe.h"

// A normal of the rough layer among those that wo sees: uniform on a cap of the sphere in the space
// where the layer is round (Dupuy and Benyoub 2023).
static HedVec3f visible_normal(const HedLobe* lobe, HedVec3f wo, HedSample2 u) {
    HedVec3f w = hed_unit3f((HedVec3f){lobe->along * wo.x, lobe->across * wo.y, wo.z});
    float z = (1.0f - u.b) * (1.0f + w.z) - w.z;
    float r = sqrtf(hed_maxf(0.0f, 1.0f - z * z));
    float c;
    float s;
    hed_turn(u.a, &c, &s);
    HedVec3f h = {r * c + w.x, r * s + w.y, z + w.z};
    return hed_unit3f((HedVec3f){lobe->along * h.x, lobe->across * h.y, hed_maxf(1e-6f, h.z)});
}

// Mean of F G2 / G1 over visible normals: the estimator of E without noise from D.
static float integrate(const HedLobe* lobe, HedVec3f wo) {
    enum { SIDE = 24 };
    float sum = 0.0f;
    HedView view = {.wo = wo, .lambda = hed_lobe_lambda(lobe, wo)};
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int row = i / SIDE;
        HedSample2 u = {((float)row + 0.5f) / SIDE, ((float)(i % SIDE) + 0.5f) / SIDE};
        HedVec3f h = visible_normal(lobe, wo, u);
        float cosine = hed_dot3f(wo, h);
        HedVec3f wi = hed_madd3f(hed_mul3f(-1.0f, wo), 2.0f * cosine, h);
        if (wi.z > 0.0f) {
            float fresnel;
            hed_lobe_peak(lobe, &view, wi, &fresnel);
            sum +=
                fresnel * (1.0f + view.lambda) / (1.0f + view.lambda + hed_lobe_lambda(lobe, wi));
        }
    }
    return sum / (SIDE * SIDE);
}

void hed_lobe_build(HedLobe* lobe, float along, float across, float facing) {
    *lobe = (HedLobe){.along = along,
                      .across = across,
                      .facing = facing,
                      .sharp = {1.0f / (along * along), 1.0f / (across * across),
                                1.0f / (HED_PI_F * along * across)}};
    for (int i = 0; i <= HED_LOBE_STEPS; ++i) {
        float root = hed_maxf(0.02f, (float)i / HED_LOBE_STEPS);
        float z = root * root;
        for (int j = 0; j <= HED_LOBE_TURNS; ++j) {
            float x2 = (float)j / HED_LOBE_TURNS * (1.0f - z * z);
            HedVec3f wo = {sqrtf(x2), sqrtf(hed_maxf(0.0f, 1.0f - z * z - x2)), z};
            lobe->table[i][j] = integrate(lobe, hed_unit3f(wo));
        }
    }
    enum { SIDE = 64 };
    double sum = 0.0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        // cos dw is even in cos^2 and in the angle.
        int row = i / SIDE;
        float z = sqrtf(((float)row + 0.5f) / SIDE);
        float c;
        float s;
        hed_turn(((float)(i % SIDE) + 0.5f) / SIDE, &c, &s);
        float r = sqrtf(1.0f - z * z);
        sum += (double)hed_lobe_albedo(lobe, (HedVec3f){r * c, r * s, z});
    }
    lobe->mean = (float)(sum / (SIDE * SIDE));
    lobe->gain = 1.0f / (HED_PI_F * (1.0f - lobe->mean));
}

HedLobeSample hed_lobe_sample(const HedLobe* lobe, const HedView* view, HedSample2 u,
                              float choice) {
    // Half of the light through the layer is a good guess for what a coloured base returns.
    float shiny = hed_clampf(2.0f * view->returned / (1.0f + view->returned), 0.05f, 0.95f);
    HedVec3f wo = view->wo;
    HedLobeSample sample = {.is_valid = false};
    if (choice >= shiny) {
        float c;
        float s;
        float r = sqrtf(u.b);
        hed_turn(u.a, &c, &s);
        sample.wi = (HedVec3f){r * c, r * s, sqrtf(hed_maxf(1e-8f, 1.0f - u.b))};
    } else {
        HedVec3f h = visible_normal(lobe, wo, u);
        sample.wi = hed_madd3f(hed_mul3f(-1.0f, wo), 2.0f * hed_dot3f(wo, h), h);
    }
    sample.is_valid = sample.wi.z > 1e-5f;
    if (!sample.is_valid) {
        return sample;
    }
    float fresnel;
    float peak = hed_lobe_peak(lobe, view, sample.wi, &fresnel);
    float visible = 1.0f / (1.0f + view->lambda);
    float masking = 1.0f / (1.0f + view->lambda + hed_lobe_lambda(lobe, sample.wi));
    float base = (1.0f - view->returned) * (1.0f - hed_lobe_albedo(lobe, sample.wi)) * lobe->gain;
    float density = shiny * peak * visible + (1.0f - shiny) * sample.wi.z * (1.0f / HED_PI_F);
    float inverse = 1.0f / density;
    sample.weight = (HedScatter){fresnel * peak * masking * inverse, base * sample.wi.z * inverse};
    return sample;
}
