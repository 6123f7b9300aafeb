// SPDX-License-Identifier: MIT
#ifndef HED_RENDER_IMAGE_H
#define HED_RENDER_IMAGE_H

#include "base/status.h"
#include "render/color.h"

/// A pixel as it will be shown, sRGB from 0 to 1, and the other way.
void hed_image_shown(const HedImage* image, size_t pixel, float srgb[3]);
void hed_image_show(HedImage* image, size_t pixel, const float srgb[3]);

/// png.c
HedStatus hed_png_write(const HedImage* image, const char* path, int32_t bits, HedError* error);

#endif
