// SPDX-License-Identifier: MIT
// Colours: sRGB and linear light, the tone curve of pictures, colour maps and the palette.
#ifndef HED_RENDER_COLOR_H
#define HED_RENDER_COLOR_H

#include "heddle/render.h"
#include "render/vec3f.h"

/// One channel.
float hed_srgb_to_linear(float v);
float hed_srgb_from_linear(float v);

/// 0xRRGGBB as linear light.
HedVec3f hed_color_from_hex(int32_t hex);

/// Linear light of a scene to linear light of a display, each from 0 to 1, and back. Light up to
/// HED_TONE_KNEE stays what it is; brighter light runs softly up to 1. The three channels are
/// scaled alike, so that hue and saturation stay.
#define HED_TONE_KNEE 0.8f
HedVec3f hed_tone(HedVec3f light);
HedVec3f hed_tone_inverse(HedVec3f shown);

enum { HED_RAMP_LAST = 255 };

/// The colour map as linear light.
void hed_color_ramp(bool is_signed, HedVec3f ramp[HED_RAMP_LAST + 1]);

#endif
