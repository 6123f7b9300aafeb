// SPDX-License-Identifier: MIT
// The door to cairo: a bar of colours with round numbers and a title.
#include "base/alloc.h"
#include "render/image.h"

#include <math.h>
#include <stdio.h>

#if defined(HED_HAVE_CAIRO)

#include <cairo.h>

// Sizes in pixels; everything follows from the height of the letters.
typedef struct Layout {
    double text;
    double width, height; // of the panel
    double bar_x, bar_y, bar_w, bar_h;
} Layout;

enum { TICKS = 16 };

// Round numbers within a range, three to seven of them.
static int32_t choose_ticks(double low, double high, double ticks[TICKS]) {
    double span = high - low;
    double power = pow(10.0, floor(log10(span / 3.0)));
    double step = power;
    static const double ROUND[] = {5.0, 2.5, 2.0, 1.0};
    for (size_t i = 0; i < sizeof ROUND / sizeof ROUND[0]; ++i) {
        if (ROUND[i] * power <= span / 3.0) {
            step = ROUND[i] * power;
            break;
        }
    }
    double first = ceil(low / step - 1e-6);
    int32_t count = (int32_t)(floor(high / step + 1e-6) - first) + 1;
    count = count < TICKS ? count : TICKS;
    for (int32_t i = 0; i < count; ++i) {
        ticks[i] = fabs(first + i) < 0.5 ? 0.0 : (first + i) * step;
    }
    return count;
}

static Layout layout_of(const HedImage* image, cairo_t* cairo, const char* title) {
    int32_t shorter = image->width < image->height ? image->width : image->height;
    Layout l = {.text = fmax(9.0, 0.026 * shorter)};
    cairo_text_extents_t extents;
    cairo_set_font_size(cairo, l.text);
    cairo_text_extents(cairo, title, &extents);
    l.bar_x = l.text;
    l.bar_y = 2.6 * l.text;
    l.bar_w = 0.9 * l.text;
    l.bar_h = fmin(12.0 * l.text, 0.6 * image->height);
    l.width = fmax(7.0 * l.text, extents.width + 2.0 * l.text);
    l.height = l.bar_y + l.bar_h + l.text;
    return l;
}

static void draw_bar(cairo_t* cairo, const Layout* l, bool is_signed) {
    enum { STEPS = 128 };
    for (int i = 0; i < STEPS; ++i) {
        float rgb[3];
        hed_color_map((i + 0.5) / STEPS, is_signed, rgb);
        cairo_set_source_rgb(cairo, (double)rgb[0], (double)rgb[1], (double)rgb[2]);
        double y = l->bar_y + l->bar_h * (STEPS - 1 - i) / STEPS;
        cairo_rectangle(cairo, l->bar_x, y, l->bar_w, l->bar_h / STEPS + 0.5);
        cairo_fill(cairo);
    }
    cairo_set_source_rgba(cairo, 1.0, 1.0, 1.0, 0.8);
    cairo_set_line_width(cairo, fmax(1.0, 0.06 * l->text));
    cairo_rectangle(cairo, l->bar_x, l->bar_y, l->bar_w, l->bar_h);
    cairo_stroke(cairo);
}

static void draw_ticks(cairo_t* cairo, const Layout* l, const float range[2]) {
    double ticks[TICKS];
    double low = (double)range[0];
    double high = (double)range[1];
    int32_t count = high > low ? choose_ticks(low, high, ticks) : 0;
    for (int32_t i = 0; i < count; ++i) {
        char text[32];
        double y = l->bar_y + l->bar_h * (1.0 - (ticks[i] - low) / (high - low));
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        cairo_move_to(cairo, l->bar_x + l->bar_w, y);
        cairo_line_to(cairo, l->bar_x + l->bar_w + 0.3 * l->text, y);
        cairo_stroke(cairo);
        cairo_move_to(cairo, l->bar_x + l->bar_w + 0.6 * l->text, y + 0.36 * l->text);
        cairo_show_text(cairo, text);
    }
}

// Everything is drawn on a dark translucent panel, so that it can be read on any picture.
static void draw_panel(cairo_t* cairo, const Layout* l, const HedPicture* picture,
                       const char* title) {
    cairo_set_source_rgba(cairo, 0.08, 0.09, 0.11, 0.72);
    cairo_rectangle(cairo, 0.0, 0.0, l->width, l->height);
    cairo_fill(cairo);
    draw_bar(cairo, l, picture->is_signed);
    cairo_set_source_rgb(cairo, 1.0, 1.0, 1.0);
    cairo_set_font_size(cairo, l->text);
    cairo_move_to(cairo, l->bar_x, 1.6 * l->text);
    cairo_show_text(cairo, title);
    draw_ticks(cairo, l, picture->range);
}

// Lays the panel into the lower right corner of the picture as it will be shown. The panel holds
// colours multiplied by their alpha.
static void blend(HedImage* image, cairo_surface_t* surface, int32_t margin) {
    const uint8_t* panel = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    int32_t left = image->width - margin - cairo_image_surface_get_width(surface);
    int32_t top = image->height - margin - cairo_image_surface_get_height(surface);
    for (int32_t y = top < 0 ? 0 : top; y < image->height - margin; ++y) {
        const void* row = panel + (size_t)(y - top) * (size_t)stride;
        for (int32_t x = left < 0 ? 0 : left; x < image->width - margin; ++x) {
            uint32_t p = ((const uint32_t*)row)[x - left];
            float alpha = (float)(p >> 24) / 255.0f;
            size_t pixel = (size_t)y * (size_t)image->width + (size_t)x;
            float srgb[3];
            hed_image_shown(image, pixel, srgb);
            for (int c = 0; c < 3; ++c) {
                float over = (float)(p >> (16 - 8 * c) & 0xffu) / 255.0f;
                srgb[c] = fminf(1.0f, over + (1.0f - alpha) * srgb[c]);
            }
            if (alpha > 0.0f) {
                hed_image_show(image, pixel, srgb);
            }
        }
    }
}

static cairo_t* begin_text(int width, int height) {
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t* cairo = cairo_create(surface);
    cairo_surface_destroy(surface); // cairo keeps its own hold on it
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    return cairo;
}

HedStatus hed_image_add_legend(HedImage* image, const HedPicture* picture, const char* title,
                               HedError* error) {
    if (!isfinite(picture->range[0]) || !isfinite(picture->range[1])) {
        return hed_fail(error, HED_INVALID, "the legend: the range must be finite, got %g:%g",
                        (double)picture->range[0], (double)picture->range[1]);
    }
    cairo_t* ruler = begin_text(1, 1); // tells how long the title is
    Layout layout = layout_of(image, ruler, title);
    cairo_t* cairo = begin_text((int)ceil(layout.width), (int)ceil(layout.height));
    draw_panel(cairo, &layout, picture, title);
    cairo_status_t drawn = cairo_status(cairo);
    HedStatus status = HED_OK;
    if (drawn == CAIRO_STATUS_NO_MEMORY) {
        status = hed_fail_memory(error, "the legend");
    } else if (drawn != CAIRO_STATUS_SUCCESS) {
        status = hed_fail(error, HED_IO, "the legend: %s", cairo_status_to_string(drawn));
    } else {
        cairo_surface_flush(cairo_get_target(cairo));
        blend(image, cairo_get_target(cairo), (int32_t)layout.text);
    }
    cairo_destroy(ruler);
    cairo_destroy(cairo);
    return status;
}

#else

HedStatus hed_image_add_legend(HedImage* image, const HedPicture* picture, const char* title,
                               HedError* error) {
    (void)image;
    (void)picture;
    (void)title;
    return hed_fail(error, HED_UNSUPPORTED, "this heddle was built without cairo: no legends");
}

#endif
