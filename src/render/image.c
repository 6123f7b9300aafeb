// SPDX-License-Identifier: MIT
// Pictures after they are drawn.
#include "render/image.h"
#include "base/alloc.h"
#include "base/file.h"

void hed_image_free(HedImage* image) {
    hed_free(image->rgb);
    *image = (HedImage){0};
}

void hed_image_shown(const HedImage* image, size_t pixel, float srgb[3]) {
    const float* p = image->rgb + 3 * pixel;
    HedVec3f shown = hed_tone((HedVec3f){p[0], p[1], p[2]});
    srgb[0] = hed_srgb_from_linear(shown.x);
    srgb[1] = hed_srgb_from_linear(shown.y);
    srgb[2] = hed_srgb_from_linear(shown.z);
}

void hed_image_show(HedImage* image, size_t pixel, const float srgb[3]) {
    HedVec3f shown = {hed_srgb_to_linear(srgb[0]), hed_srgb_to_linear(srgb[1]),
                      hed_srgb_to_linear(srgb[2])};
    HedVec3f light = hed_tone_inverse(shown);
    image->rgb[3 * pixel] = light.x;
    image->rgb[3 * pixel + 1] = light.y;
    image->rgb[3 * pixel + 2] = light.z;
}

void hed_image_bytes(const HedImage* image, uint8_t* rgb) {
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; ++i) {
        float srgb[3];
        hed_image_shown(image, i, srgb);
        for (int c = 0; c < 3; ++c) {
            rgb[3 * i + (size_t)c] = (uint8_t)(255.0f * srgb[c] + 0.5f);
        }
    }
}

HedStatus hed_image_save(const HedImage* image, const char* path, int32_t bits, bool overwrite,
                         HedError* error) {
    if (bits != 8 && bits != 16) {
        return hed_fail(error, HED_INVALID, "%s: a PNG has 8 or 16 bits a channel, got %d", path,
                        bits);
    }
    if (!image->rgb || image->width < 1 || image->height < 1) {
        return hed_fail(error, HED_INVALID, "%s: the picture is empty", path);
    }
    if (!overwrite && hed_file_exists(path)) {
        return hed_fail(error, HED_EXISTS, "%s: is there already", path);
    }
    return hed_png_write(image, path, bits, error);
}
