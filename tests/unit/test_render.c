// SPDX-License-Identifier: MIT
// Pictures as a whole: same bits for any number of threads, light that is neither lost nor made,
// noise that falls as it should, bounded memory, and bad input refused.
#include "render/frame.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { YARNS = 6, POINTS = 24, SIDE = 12, RING = 16 };

// A few crossing yarns over a wavy sheet, and a coarse ball.
typedef struct Props {
    HedVec3 yarn[YARNS * POINTS];
    HedCurve curves[YARNS];
    HedVec3 sheet[SIDE * SIDE];
    int32_t cells[6 * (SIDE - 1) * (SIDE - 1)];
    HedVec3 ball[RING * RING];
    int32_t faces[6 * RING * (RING - 1)];
    float heat[YARNS * POINTS];
    HedSeriesObject objects[3];
    const HedVec3* positions[3];
    const float* values[3];
    HedPicture picture;
} Props;

static void fill_yarns(Props* p) {
    for (int32_t i = 0; i < YARNS; ++i) {
        p->curves[i] = (HedCurve){
            .first = i * POINTS, .count = POINTS, .color = HED_COLOR_NONE, .radius = 0.05};
        for (int32_t k = 0; k < POINTS; ++k) {
            double along = 2.0 * k / (POINTS - 1) - 1.0;
            double across = 0.35 * (i % 3 - 1);
            double y = 0.05 * sin(9.0 * along + 3.14 * i) + 0.3;
            p->yarn[i * POINTS + k] =
                i < 3 ? hed_vec3(along, y, across) : hed_vec3(across, y, along);
            p->heat[i * POINTS + k] = (float)along;
        }
    }
}

static void fill_grid(HedVec3* v, int32_t* t, int32_t n, bool is_ball) {
    for (int32_t i = 0; i < n * n; ++i) {
        double a = (double)(i % n) / (n - 1);
        double b = (double)(i / n) / (n - 1);
        double pi = 3.14159265358979;
        v[i] = is_ball ? hed_vec3(0.6 + 0.25 * sin(pi * b) * cos(2.0 * pi * a),
                                  0.6 + 0.25 * cos(pi * b), 0.25 * sin(pi * b) * sin(2.0 * pi * a))
                       : hed_vec3(2.0 * a - 1.0, 0.06 * sin(7.0 * a), 2.0 * b - 1.0);
        if (i % n < n - 1 && i / n < n - 1) {
            int32_t six[6] = {i, i + n, i + 1, i + 1, i + n, i + n + 1};
            memcpy(t, six, sizeof six);
            t += 6;
        }
    }
}

static Props* props_create(void) {
    Props* p = HED_NEW(Props);
    fill_yarns(p);
    fill_grid(p->sheet, p->cells, SIDE, false);
    fill_grid(p->ball, p->faces, RING, true);
    p->objects[0] = (HedSeriesObject){.name = "yarns",
                                      .kind = HED_OBJECT_YARNS,
                                      .vertex_count = YARNS * POINTS,
                                      .curves = p->curves,
                                      .curve_count = YARNS};
    p->objects[1] = (HedSeriesObject){.name = "sheet",
                                      .kind = HED_OBJECT_SHEET,
                                      .vertex_count = SIDE * SIDE,
                                      .triangles = p->cells,
                                      .triangle_count = 2 * (SIDE - 1) * (SIDE - 1)};
    p->objects[2] = (HedSeriesObject){.name = "ball",
                                      .kind = HED_OBJECT_BODY,
                                      .vertex_count = RING * RING,
                                      .triangles = p->faces,
                                      .triangle_count = 2 * (RING - 1) * (RING - 1)};
    p->positions[0] = p->yarn;
    p->positions[1] = p->sheet;
    p->positions[2] = p->ball;
    p->values[0] = p->heat;
    p->picture = (HedPicture){.objects = p->objects,
                              .object_count = 3,
                              .positions = p->positions,
                              .range = {-1.0f, 1.0f}};
    return p;
}

static HedRenderDef small_def(int32_t width, int32_t height, int32_t samples) {
    HedRenderDef def = hed_render_def_default();
    HedFraming framing = hed_framing_default();
    const HedVec3 box[2] = {{-1.0, -0.1, -1.0}, {1.0, 0.85, 1.0}};
    def.camera = hed_camera_frame(box, &framing);
    def.width = width;
    def.height = height;
    def.samples = samples;
    return def;
}

static HedImage draw(const HedPicture* picture, const HedRenderDef* def) {
    HedImage image = {0};
    HedError error = {0};
    HedStatus status = hed_render(picture, def, &image, NULL, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return image;
}

static size_t image_size(const HedImage* image) {
    return 3 * sizeof(float) * (size_t)image->width * (size_t)image->height;
}

Test(render, any_number_of_threads_gives_the_same_bits) {
    Props* p = props_create();
    HedRenderDef def = small_def(90, 70, 3);
    def.camera.aperture = 0.05;
    def.thread_count = 1;
    HedImage one = draw(&p->picture, &def);
    for (int32_t threads = 2; threads <= 4; ++threads) {
        def.thread_count = threads;
        HedImage many = draw(&p->picture, &def);
        cr_expect_eq(memcmp(one.rgb, many.rgb, image_size(&one)), 0, "%d threads", threads);
        hed_image_free(&many);
    }
    def.seed = 2;
    HedImage other = draw(&p->picture, &def);
    cr_expect_neq(memcmp(one.rgb, other.rgb, image_size(&one)), 0, "another seed");
    hed_image_free(&other);
    hed_image_free(&one);
    hed_free(p);
}

Test(render, every_look_draws_something) {
    Props* p = props_create();
    p->picture.values = p->values;
    for (int look = 0; look < HED_LOOK_COUNT; ++look) {
        HedRenderDef def = small_def(64, 48, 4);
        def.look = (HedLook)look;
        HedImage image = draw(&p->picture, &def);
        float low = INFINITY;
        float high = 0.0f;
        for (int32_t i = 0; i < 3 * 64 * 48; ++i) {
            cr_assert(isfinite(image.rgb[i]) && image.rgb[i] >= 0.0f);
            low = fminf(low, image.rgb[i]);
            high = fmaxf(high, image.rgb[i]);
        }
        cr_expect(high > 0.3f && low < 0.5f * high, "%s: %g to %g", hed_look_name((HedLook)look),
                  (double)low, (double)high);
        hed_image_free(&image);
    }
    hed_free(p);
}

// White things of every kind in even white light cannot be seen: every pixel is 1. Plies tilt
// normals and sheets let light through; cavities are left out, as they are part of the colour.
// 1024 paths leave less than 1 % of noise in the mean of a block of 8 x 8 pixels.
Test(render, white_things_in_a_white_room_are_not_seen) {
    Props* p = props_create();
    HedRenderDef def = small_def(48, 40, 256);
    def.depth = 200;
    for (int i = 0; i < YARNS; ++i) {
        p->curves[i].color = 0xffffff;
    }
    HedTracer tracer;
    HedImage image;
    HedRenderReport report = {0};
    HedError error = {0};
    cr_assert_eq(hed_tracer_create(&p->picture, &def, &tracer, &error), HED_OK, "%s",
                 error.message);
    HedVec3f white = {1.0f, 1.0f, 1.0f};
    tracer.lighting = (HedLighting){.sky_base = white,
                                    .sky_axis = {0.0f, 1.0f, 0.0f},
                                    .backdrop_low = white,
                                    .backdrop_high = white};
    tracer.materials.style.cavity = 0.0f;
    for (int i = 1; i < 3; ++i) {
        tracer.scenery.shapes[i].color = white;
    }
    // Brightness that varies along fibres is colour too; its tilt of normals is not.
    tracer.materials.style.grain = 0.0f;
    cr_assert_eq(hed_tracer_run(&tracer, &def, &image, &report, &error), HED_OK);
    double worst = 0.0;
    double mean = 0.0;
    for (int32_t by = 0; by < 40; by += 8) {
        for (int32_t bx = 0; bx < 48; bx += 8) {
            double sum = 0.0;
            for (int32_t k = 0; k < 64; ++k) {
                int32_t pixel = (by + k / 8) * 48 + bx + k % 8;
                sum += (double)image.rgb[3 * pixel + 1] / 64.0;
            }
            worst = fmax(worst, fabs(sum - 1.0));
            mean += sum / 30.0;
        }
    }
    printf("white furnace: mean %.5f, worst block off by %.5f\n", mean, worst);
    // 1 % of a block over the root of 30 blocks.
    cr_expect_float_eq(mean, 1.0, 0.002);
    cr_expect(worst < 0.01, "%g", worst);
    hed_image_free(&image);
    hed_tracer_free(&tracer);
    hed_free(p);
}

static double difference(const HedImage* a, const HedImage* b) {
    double sum = 0.0;
    int32_t count = 3 * a->width * a->height;
    for (int32_t i = 0; i < count; ++i) {
        double d = (double)a->rgb[i] - (double)b->rgb[i];
        sum += d * d / count;
    }
    return sqrt(sum);
}

// Noise falls as one over the root of the samples, or faster, as the samples of a pixel are spread
// evenly. The reference has another seed and 16 times the samples of the last picture.
Test(render, noise_falls_with_the_root_of_samples) {
    Props* p = props_create();
    HedRenderDef def = small_def(40, 32, 1024);
    def.seed = 99;
    HedImage reference = draw(&p->picture, &def);
    double error[4];
    def.seed = 1;
    for (int i = 0; i < 4; ++i) {
        def.samples = 1 << (2 * i);
        HedImage image = draw(&p->picture, &def);
        error[i] = difference(&image, &reference);
        hed_image_free(&image);
    }
    double slope = log(error[3] / error[0]) / log(64.0);
    printf("noise: %.4f %.4f %.4f %.4f at 1 4 16 64 samples, slope %.3f\n", error[0], error[1],
           error[2], error[3], slope);
    cr_expect(slope <= -0.45, "slope %g", slope);
    cr_expect(error[1] < error[0] && error[2] < error[1] && error[3] < error[2]);
    hed_image_free(&reference);
    hed_free(p);
}

static bool stop_after_two(const HedRenderReport* so_far, int32_t samples, void* context) {
    int* calls = context;
    *calls += 1;
    cr_expect_eq(so_far->samples, *calls);
    cr_expect_eq(samples, 8);
    cr_expect(so_far->rays > 0);
    return *calls < 2;
}

Test(render, a_stopped_picture_is_that_of_its_samples) {
    Props* p = props_create();
    HedRenderDef def = small_def(40, 30, 8);
    HedRenderReport report;
    HedImage stopped;
    int calls = 0;
    def.progress = stop_after_two;
    def.context = &calls;
    cr_assert_eq(hed_render(&p->picture, &def, &stopped, &report, NULL), HED_OK);
    cr_expect_eq(report.samples, 2);
    cr_expect(report.trace > 0.0 && report.build > 0.0 && report.replay == 0.0);
    hed_image_free(&stopped);
    hed_free(p);
}

Test(render, rays_are_cast_again_if_asked) {
    Props* p = props_create();
    HedRenderDef def = small_def(40, 30, 2);
    HedRenderReport report;
    HedImage image;
    def.enable_replay = true;
    cr_assert_eq(hed_render(&p->picture, &def, &image, &report, NULL), HED_OK);
    cr_expect(report.replay > 0.0);
    cr_expect(report.rays > 2 * 40 * 30);
    hed_image_free(&image);
    hed_free(p);
}

// The box is in the picture, whatever its shape and the camera's place, and fills it well.
Test(camera, a_framed_box_fills_the_picture) {
    const HedVec3 boxes[][2] = {{{-1, 0, -1}, {1, 0.01, 1}},
                                {{-0.1, 0, -0.1}, {0.1, 5, 0.1}},
                                {{100, 200, 300}, {101, 202, 303}},
                                {{-1e-4, 0, 0}, {1e-4, 1e-4, 1e-4}}};
    for (int k = 0; k < 4 * 12; ++k) {
        HedFraming framing = hed_framing_default();
        framing.azimuth = 0.55 * k;
        framing.elevation = -1.5 + 0.06 * k;
        framing.aspect = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 1.0 : 2.0;
        const HedVec3* box = boxes[k % 4];
        HedCamera camera = hed_camera_frame(box, &framing);
        HedLens lens;
        int32_t width = (int32_t)(1000 * framing.aspect);
        cr_assert_eq(hed_lens_create(&camera, width, 1000, camera.position, &lens, NULL), HED_OK);
        double most = 0.0;
        for (int i = 0; i < 8; ++i) {
            HedVec3 c = {box[i & 1].x, box[i >> 1 & 1].y, box[i >> 2].z};
            HedVec3 d = hed_sub3(c, camera.position);
            HedVec3f f = {(float)d.x, (float)d.y, (float)d.z};
            double depth = (double)hed_dot3f(f, lens.forward);
            double x = fabs((double)hed_dot3f(f, lens.right)) / depth / (double)lens.across;
            double y = fabs((double)hed_dot3f(f, lens.up)) / depth / (double)lens.down;
            cr_assert(depth > 0.0);
            most = fmax(most, fmax(x, y));
        }
        cr_expect(most > 0.8 && most < 0.95, "box %d: fills %g", k % 4, most);
    }
}

typedef struct Breakage {
    const char* word; // in the message
    void (*apply)(Props* p, HedRenderDef* def);
} Breakage;

static void no_width(Props* p, HedRenderDef* def) {
    (void)p;
    def->width = 0;
}

static void too_wide(Props* p, HedRenderDef* def) {
    (void)p;
    def->height = 20000;
}

static void no_samples(Props* p, HedRenderDef* def) {
    (void)p;
    def->samples = 0;
}

static void no_default(Props* p, HedRenderDef* def) {
    (void)p;
    def->stamp = 0;
}

static void bad_fuzz(Props* p, HedRenderDef* def) {
    (void)p;
    def->fuzz = (double)NAN;
}

static void bad_look(Props* p, HedRenderDef* def) {
    (void)p;
    def->look = HED_LOOK_COUNT;
}

static void camera_in_target(Props* p, HedRenderDef* def) {
    (void)p;
    def->camera.position = def->camera.target;
}

static void no_view(Props* p, HedRenderDef* def) {
    (void)p;
    def->camera.field = 4.0;
}

static void not_finite(Props* p, HedRenderDef* def) {
    (void)def;
    p->sheet[3].y = (double)NAN;
}

static void no_objects(Props* p, HedRenderDef* def) {
    (void)def;
    p->picture.object_count = 0;
}

static void no_radius(Props* p, HedRenderDef* def) {
    (void)def;
    p->curves[2].radius = 0.0;
}

static void yarn_beyond(Props* p, HedRenderDef* def) {
    (void)def;
    p->curves[5].count = POINTS + 1;
}

static void triangle_beyond(Props* p, HedRenderDef* def) {
    (void)def;
    p->cells[7] = SIDE * SIDE;
}

static void no_extent(Props* p, HedRenderDef* def) {
    (void)def;
    p->picture.object_count = 1;
    p->objects[0] = (HedSeriesObject){.name = "point", .kind = HED_OBJECT_BODY, .vertex_count = 1};
}

static void bad_range(Props* p, HedRenderDef* def) {
    (void)def;
    p->picture.values = p->values;
    p->picture.range[0] = NAN;
}

Test(render, bad_input_is_refused) {
    static const Breakage BREAKAGES[] = {
        {"width", no_width},
        {"height", too_wide},
        {"samples", no_samples},
        {"default", no_default},
        {"fuzz", bad_fuzz},
        {"look", bad_look},
        {"camera", camera_in_target},
        {"angle of view", no_view},
        {"sheet: vertex 3", not_finite},
        {"no objects", no_objects},
        {"yarn 2: the radius", no_radius},
        {"yarn 5", yarn_beyond},
        {"names vertex 144 of 144", triangle_beyond},
        {"extent", no_extent},
        {"range", bad_range},
    };
    for (size_t i = 0; i < sizeof BREAKAGES / sizeof BREAKAGES[0]; ++i) {
        Props* p = props_create();
        HedRenderDef def = small_def(20, 20, 1);
        HedImage image = {0};
        HedError error = {0};
        int64_t live = hed_alloc_stats().live_count;
        BREAKAGES[i].apply(p, &def);
        cr_expect_eq(hed_render(&p->picture, &def, &image, NULL, &error), HED_INVALID, "%s",
                     BREAKAGES[i].word);
        cr_expect(strstr(error.message, BREAKAGES[i].word), "'%s' is not in '%s'",
                  BREAKAGES[i].word, error.message);
        cr_expect_null(image.rgb);
        cr_expect_eq(hed_alloc_stats().live_count, live);
        hed_free(p);
    }
}

Test(render, no_memory) {
    Props* p = props_create();
    HedRenderDef def = small_def(16, 16, 1);
    HedStatus status = HED_NO_MEMORY;
    p->picture.values = p->values;
    def.thread_count = 1;
    def.enable_replay = true;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; n < 200 && status != HED_OK; ++n) {
        HedImage image = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        status = hed_render(&p->picture, &def, &image, NULL, &error);
        hed_alloc_fail_at(0);
        cr_expect(status == HED_OK || status == HED_NO_MEMORY, "allocation %d: %s", (int)n,
                  error.message);
        hed_image_free(&image);
        cr_expect_eq(hed_alloc_stats().live_count, live, "allocation %d leaks", (int)n);
    }
    cr_expect_eq(status, HED_OK);
    hed_free(p);
}

static double peak_megabytes(void) {
    FILE* file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = -1;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return (double)kilobytes / 1024.0;
}

// A thousand wavy yarns of a thousand segments. Per segment: 24 bytes of input, 16 of control
// point, 16 of frame, 8 of indices, and Embree's tree, for which 140 were seen (two thirds of them
// stay, a third is needed while it is built). 450 MB allow for twice that.
Test(render, a_million_segments_need_bounded_memory) {
    enum { COUNT = 1000, LENGTH = 1001 };
    HedVec3* x = HED_NEW_ARRAY(HedVec3, COUNT * LENGTH);
    HedCurve* curves = HED_NEW_ARRAY(HedCurve, COUNT);
    for (int32_t i = 0; i < COUNT * LENGTH; ++i) {
        int32_t yarn = i / LENGTH;
        double along = 1e-3 * (i % LENGTH);
        x[i] = hed_vec3(along, 4e-4 * sin(600.0 * along + 3.14 * yarn), 1e-3 * yarn);
        curves[yarn] = (HedCurve){
            .first = yarn * LENGTH, .count = LENGTH, .color = HED_COLOR_NONE, .radius = 4e-4};
    }
    HedSeriesObject object = {.name = "yarns",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = COUNT * LENGTH,
                              .curves = curves,
                              .curve_count = COUNT};
    const HedVec3* positions[1] = {x};
    HedPicture picture = {.objects = &object, .object_count = 1, .positions = positions};
    HedRenderDef def = small_def(64, 48, 1);
    HedFraming framing = hed_framing_default();
    const HedVec3 box[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}};
    def.camera = hed_camera_frame(box, &framing);
    HedImage image = draw(&picture, &def);
    double peak = peak_megabytes();
    printf("a million segments: peak of %.0f MB\n", peak);
    cr_expect(peak > 0.0 && peak < 450.0, "%g MB", peak);
    hed_image_free(&image);
    hed_free(x);
    hed_free(curves);
}
