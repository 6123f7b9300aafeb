// SPDX-License-Identifier: MIT
// Colours, the tone curve, legends and PNG files.
#include "render/image.h"

#include "base/alloc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static HedImage image_of(int32_t width, int32_t height, float value) {
    HedImage image = {width, height, HED_NEW_ARRAY(float, 3 * (int64_t)width * height)};
    for (int32_t i = 0; i < 3 * width * height; ++i) {
        image.rgb[i] = value;
    }
    return image;
}

// Perceived lightness: the cube root of luminance, nearly.
static double lightness(const float srgb[3]) {
    return cbrt(0.2126 * (double)hed_srgb_to_linear(srgb[0]) +
                0.7152 * (double)hed_srgb_to_linear(srgb[1]) +
                0.0722 * (double)hed_srgb_to_linear(srgb[2]));
}

Test(color, srgb_there_and_back) {
    for (int i = 0; i <= 255; ++i) {
        float v = (float)i / 255.0f;
        // Powers of 2.4 and of its inverse multiply roundings of 6e-8 by 2.4 at most.
        cr_expect_float_eq(hed_srgb_from_linear(hed_srgb_to_linear(v)), v, 5e-7f);
    }
    // From the standard's formula: 0.5 is 0.214041 of the light.
    cr_expect_float_eq(hed_srgb_to_linear(0.5f), 0.214041f, 1e-5f);
}

Test(color, tone_keeps_what_is_dark_and_hues) {
    for (int i = 0; i < 200; ++i) {
        float x = 0.02f * (float)i;
        HedVec3f light = {x, 0.5f * x, 0.1f * x};
        HedVec3f shown = hed_tone(light);
        cr_expect(shown.x <= 1.0f && shown.x >= 0.0f);
        // Three roundings of 6e-8 of numbers up to 1.
        cr_expect_float_eq(shown.y, 0.5f * shown.x, 2e-7f);
        if (x <= HED_TONE_KNEE) {
            // One rounding of 6e-8 of a number below 1.
            cr_expect_float_eq(shown.x, x, 1e-7f);
        }
        HedVec3f back = hed_tone_inverse(shown);
        if (x < 2.0f) { // above, the curve is flat to rounding
            // Roundings of 6e-8 over the slope of the curve, 2.5e-3 at least: exp(-(2 - 0.8)/0.2).
            cr_expect_float_eq(back.x, x, 5e-5f * (x + 0.1f), "%g %g", (double)x, (double)back.x);
        }
    }
    cr_expect_eq(hed_tone((HedVec3f){-1.0f, 0.0f, 0.0f}).x, 0.0f);
}

// Equal steps of a value look like equal steps: lightness grows all the way, the largest step of 32
// is at most twice the mean one.
Test(color, the_map_of_one_sided_values_grows_evenly) {
    enum { STEPS = 32 };
    float rgb[3];
    hed_color_map(0.0, false, rgb);
    double first = lightness(rgb);
    double last = first;
    double largest = 0.0;
    for (int i = 1; i <= STEPS; ++i) {
        hed_color_map((double)i / STEPS, false, rgb);
        double now = lightness(rgb);
        cr_expect(now > last, "step %d", i);
        largest = fmax(largest, now - last);
        last = now;
    }
    cr_expect(last - first > 0.5, "from %g to %g", first, last);
    cr_expect(largest < 2.0 * (last - first) / STEPS, "%g", largest);
}

Test(color, the_map_of_signed_values_has_its_middle_at_zero) {
    float low[3];
    float middle[3];
    float high[3];
    hed_color_map(0.5, true, middle);
    for (int i = 1; i <= 8; ++i) {
        hed_color_map(0.5 - i / 16.0, true, low);
        hed_color_map(0.5 + i / 16.0, true, high);
        cr_expect(lightness(low) < lightness(middle) && lightness(high) < lightness(middle));
        // About what an eye can tell.
        cr_expect_float_eq(lightness(low), lightness(high), 0.02);
        cr_expect(low[2] > low[0] && high[0] > high[2], "blue below, red above");
    }
    // Out of range is the end of the range; NaN is somewhere in it.
    float out[3];
    hed_color_map(7.0, true, out);
    hed_color_map(1.0, true, high);
    cr_expect_arr_eq(out, high, sizeof out);
    hed_color_map((double)NAN, true, out);
    cr_expect(out[0] >= 0.0f && out[0] <= 1.0f);
}

Test(image, bytes_are_srgb) {
    HedImage image = image_of(2, 1, 0.215861f);
    image.rgb[3] = image.rgb[4] = image.rgb[5] = 100.0f;
    uint8_t rgb[6];
    hed_image_bytes(&image, rgb);
    cr_expect(rgb[0] == 128 && rgb[1] == 128 && rgb[2] == 128, "%d", rgb[0]);
    cr_expect(rgb[3] == 255, "%d", rgb[3]);
    hed_image_free(&image);
    cr_expect_null(image.rgb);
}

static long file_size(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        return -1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

Test(image, png_files) {
    HedImage image = image_of(40, 30, 0.5f);
    HedError error = {0};
    cr_assert_eq(hed_image_save(&image, "a.png", 8, false, &error), HED_OK, "%s", error.message);
    cr_expect_eq(hed_image_save(&image, "a.png", 8, false, &error), HED_EXISTS);
    cr_expect(strstr(error.message, "a.png"));
    cr_expect_eq(hed_image_save(&image, "a.png", 16, true, &error), HED_OK);
    cr_expect_eq(hed_image_save(&image, "b.png", 12, true, &error), HED_INVALID);
    cr_expect_eq(hed_image_save(&image, "no/such/place.png", 8, true, &error), HED_IO);
    HedImage empty = {0};
    cr_expect_eq(hed_image_save(&empty, "b.png", 8, true, &error), HED_INVALID);
    cr_expect_eq(file_size("b.png"), -1);
    FILE* file = fopen("a.png", "rb");
    cr_assert_not_null(file);
    uint8_t head[26];
    cr_assert_eq(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    cr_expect_arr_eq(head, "\x89PNG\r\n\x1a\n", 8);
    cr_expect(head[19] == 40 && head[23] == 30 && head[24] == 16 && head[25] == 2, "IHDR");
    hed_image_free(&image);
}

Test(image, no_memory_for_a_png) {
    HedImage image = image_of(40, 30, 0.5f);
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 1;
    int64_t live = hed_alloc_stats().live_count;
    for (; n < 200 && status != HED_OK; ++n) {
        hed_alloc_fail_at(n);
        status = hed_image_save(&image, "c.png", 8, true, NULL);
        hed_alloc_fail_at(0);
        cr_expect(status == HED_OK || status == HED_NO_MEMORY, "allocation %d: %d", (int)n, status);
        cr_expect_eq(hed_alloc_stats().live_count, live, "allocation %d leaks", (int)n);
        cr_expect(status == HED_OK || file_size("c.png") == -1);
    }
    cr_expect_eq(status, HED_OK);
    hed_image_free(&image);
}

// The legend stays in its corner, and its colours come out as those of the map.
Test(image, a_legend) {
    HedImage image = image_of(400, 300, 0.3f);
    HedPicture picture = {.range = {-0.01f, 0.03f}, .is_signed = true};
    HedError error = {0};
    cr_assert_eq(hed_image_add_legend(&image, &picture, "strain", &error), HED_OK, "%s",
                 error.message);
    int changed[2] = {0};
    for (int32_t i = 0; i < 400 * 300; ++i) {
        bool in_corner = i % 400 >= 200 && i / 400 >= 80;
        changed[in_corner] += fabsf(image.rgb[3 * i] - 0.3f) > 1e-4f;
    }
    cr_expect_eq(changed[0], 0);
    cr_expect(changed[1] > 2000, "%d", changed[1]);
    float red[3];
    float blue[3];
    hed_color_map(0.98, true, red);
    hed_color_map(0.02, true, blue);
    bool has_red = false;
    bool has_blue = false;
    for (size_t i = 0; i < 400 * 300; ++i) {
        float srgb[3];
        hed_image_shown(&image, i, srgb);
        has_red |= fabsf(srgb[0] - red[0]) < 0.02f && fabsf(srgb[2] - red[2]) < 0.02f;
        has_blue |= fabsf(srgb[0] - blue[0]) < 0.02f && fabsf(srgb[2] - blue[2]) < 0.02f;
    }
    cr_expect(has_red && has_blue);
    picture.range[1] = NAN;
    cr_expect_eq(hed_image_add_legend(&image, &picture, "strain", &error), HED_INVALID);
    picture.range[1] = picture.range[0]; // no width: no numbers, no crash
    cr_expect_eq(hed_image_add_legend(&image, &picture, "", &error), HED_OK);
    hed_image_free(&image);
    image = image_of(3, 2, 0.3f);
    cr_expect_eq(hed_image_add_legend(&image, &picture, "in a very small picture", &error), HED_OK);
    hed_image_free(&image);
}
