// SPDX-License-Identifier: MIT
#include "render/color.h"

#include <stddef.h>

float hed_srgb_to_linear(float v) {
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

float hed_srgb_from_linear(float v) {
    return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1.0f / 2.4f) - 0.055f;
}

HedVec3f hed_color_from_hex(int32_t hex) {
    return (HedVec3f){hed_srgb_to_linear((float)(hex >> 16 & 0xff) / 255.0f),
                      hed_srgb_to_linear((float)(hex >> 8 & 0xff) / 255.0f),
                      hed_srgb_to_linear((float)(hex & 0xff) / 255.0f)};
}

HedVec3f hed_tone(HedVec3f light) {
    const float above = 1.0f - HED_TONE_KNEE;
    HedVec3f shown = {hed_maxf(0.0f, light.x), hed_maxf(0.0f, light.y), hed_maxf(0.0f, light.z)};
    float most = hed_max3f(shown);
    if (!(most > HED_TONE_KNEE)) {
        return shown;
    }
    float toned = 1.0f - above * expf(-(most - HED_TONE_KNEE) / above);
    return hed_mul3f(toned / most, shown);
}

HedVec3f hed_tone_inverse(HedVec3f shown) {
    const float above = 1.0f - HED_TONE_KNEE;
    float most = hed_minf(hed_max3f(shown), 0.9999f);
    if (!(most > HED_TONE_KNEE)) {
        return shown;
    }
    float light = HED_TONE_KNEE - above * logf((1.0f - most) / above);
    return hed_mul3f(light / hed_max3f(shown), shown);
}

// OKLab (Ottosson 2020), a space where equal steps look equal, to linear sRGB. Lightness, chroma
// and hue (turns).
static HedVec3f from_oklab(float lightness, float chroma, float hue) {
    float c;
    float s;
    hed_turn(hue - floorf(hue), &c, &s);
    float a = chroma * c;
    float b = chroma * s;
    float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
    float n = lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l;
    m = m * m * m;
    n = n * n * n;
    return (HedVec3f){4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * n,
                      -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * n,
                      -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * n};
}

// One-sided: lightness grows evenly while the hue goes from violet over blue and green to yellow.
static HedVec3f sequential(float t) {
    float chroma = 0.125f - 0.02f * sinf(HED_PI_F * t) + 0.02f * t;
    return from_oklab(0.27f + 0.66f * t, chroma, 0.82f - 0.54f * t);
}

// Two-sided: blue below, red above, light grey at zero.
static HedVec3f diverging(float t) {
    float side = 2.0f * t - 1.0f;
    float size = fabsf(side);
    float chroma = 0.165f * size * (1.6f - 0.6f * size);
    return from_oklab(0.93f - 0.47f * size, 0.9f * chroma, side < 0.0f ? 0.705f : 0.085f);
}

void hed_color_map(double t, bool is_signed, float rgb[3]) {
    float x = t >= 0.0 && t <= 1.0 ? (float)t : t > 1.0 ? 1.0f : 0.0f;
    HedVec3f linear = is_signed ? diverging(x) : sequential(x);
    rgb[0] = hed_srgb_from_linear(hed_clampf(linear.x, 0.0f, 1.0f));
    rgb[1] = hed_srgb_from_linear(hed_clampf(linear.y, 0.0f, 1.0f));
    rgb[2] = hed_srgb_from_linear(hed_clampf(linear.z, 0.0f, 1.0f));
}

void hed_color_ramp(bool is_signed, HedVec3f ramp[HED_RAMP_LAST + 1]) {
    for (int i = 0; i <= HED_RAMP_LAST; ++i) {
        float rgb[3];
        hed_color_map(i / (double)HED_RAMP_LAST, is_signed, rgb);
        ramp[i] = (HedVec3f){hed_srgb_to_linear(rgb[0]), hed_srgb_to_linear(rgb[1]),
                             hed_srgb_to_linear(rgb[2])};
    }
}

int32_t hed_color_palette(int32_t index) {
    // Dyes: madder, indigo, ochre, moss, natural wool, petrol, plum, terracotta, slate, rose.
    static const int32_t DYES[] = {0xb5443c, 0x2f4b7c, 0xd9a441, 0x6a8f4e, 0xe8dcc8,
                                   0x2a7f86, 0x7d4a7a, 0xd0794a, 0x6b7a8f, 0xd994a0};
    return DYES[(uint32_t)index % (sizeof DYES / sizeof DYES[0])];
}
