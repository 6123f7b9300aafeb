// SPDX-License-Identifier: MIT
// hed_render: START READING HERE. Checks, builds, then passes of one sample per pixel over tiles.
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "render/frame.h"

#include <string.h>

enum {
    SIZE_LIMIT = 16384,
    SAMPLE_LIMIT = 65536,
    PLY_LIMIT = 16,
    TILE = 16,
    STAMP = 0x52454e31,
    FUZZ_SEGMENTS = 300000, // hairs double the memory of yarns; so many are not seen one by one
};

static const char* const LOOKS[HED_LOOK_COUNT] = {"studio", "flat", "xray", "strain"};

const char* hed_look_name(HedLook look) {
    return (unsigned)look < HED_LOOK_COUNT ? LOOKS[look] : "unknown";
}

HedRenderDef hed_render_def_default(void) {
    const HedVec3 box[2] = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    HedFraming framing = hed_framing_default();
    return (HedRenderDef){
        .width = 1280,
        .height = 960,
        .samples = 64,
        .depth = 8,
        .seed = 1,
        .look = HED_LOOK_STUDIO,
        .camera = hed_camera_frame(box, &framing),
        .fuzz = 0.5,
        .ply_twist = 0.2,
        .plies = 3,
        .floor = (double)NAN,
        .stamp = STAMP,
    };
}

typedef struct OptionRule {
    const char* name;
    double value, least, most;
} OptionRule;

static HedStatus check_def(const HedRenderDef* def, HedError* error) {
    if (def->stamp != STAMP) {
        return hed_fail(error, HED_INVALID, "render: fill the def with hed_render_def_default()");
    }
    const OptionRule rules[] = {
        {"width", def->width, 1, SIZE_LIMIT},
        {"height", def->height, 1, SIZE_LIMIT},
        {"samples", def->samples, 1, SAMPLE_LIMIT},
        {"thread_count", def->thread_count, 0, 1024},
        {"depth", def->depth, 1, 1000},
        {"look", (double)def->look, 0, HED_LOOK_COUNT - 1},
        {"fuzz", def->fuzz, 0, 1},
        {"ply_twist", def->ply_twist, -2, 2},
        {"plies", def->plies, 1, PLY_LIMIT},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const OptionRule* rule = &rules[i];
        if (!(rule->value >= rule->least && rule->value <= rule->most)) {
            return hed_fail(error, HED_INVALID, "render: %s must be from %g to %g, got %g",
                            rule->name, rule->least, rule->most, rule->value);
        }
    }
    return HED_OK;
}

static HedStatus check_picture(const HedPicture* picture, HedError* error) {
    if (picture->object_count < 1) {
        return hed_fail(error, HED_INVALID, "there is nothing to draw: no objects");
    }
    if (picture->values && !(isfinite(picture->range[0]) && isfinite(picture->range[1]))) {
        return hed_fail(error, HED_INVALID, "render: the range of values must be finite, got %g:%g",
                        (double)picture->range[0], (double)picture->range[1]);
    }
    return HED_OK;
}

// Whether single hairs of some yarn are wide enough to be seen, and few enough to be kept.
static bool wants_fuzz(const HedTracer* tracer) {
    float widest = 0.0f;
    int64_t segments = 0;
    for (int32_t i = 0; i < tracer->scenery.shape_count; ++i) {
        const HedRenderShape* shape = &tracer->scenery.shapes[i];
        segments += shape->segment_count;
        for (int32_t k = 0; k < shape->strand_count; ++k) {
            widest = hed_maxf(widest, shape->strands[k].radius);
        }
    }
    float pixel = 2.0f * tracer->lens.spread * tracer->lens.distance;
    return tracer->materials.style.fuzz > 0.0f && segments > 0 && segments <= FUZZ_SEGMENTS &&
           widest > 2.5f * pixel;
}

HedStatus hed_tracer_create(const HedPicture* picture, const HedRenderDef* def, HedTracer* tracer,
                            HedError* error) {
    HedStatus status = HED_OK;
    *tracer = (HedTracer){.depth = def->depth, .is_xray = def->look == HED_LOOK_XRAY};
    HED_TRY(check_def(def, error));
    HED_TRY(check_picture(picture, error));
    bool is_plain = def->look != HED_LOOK_STUDIO;
    HedYarnStyle style = {.plies = def->look == HED_LOOK_FLAT ? 1 : def->plies,
                          .fuzz = is_plain ? 0.0f : (float)def->fuzz,
                          .cavity = is_plain ? 0.0f : 1.0f,
                          .grain = is_plain ? 0.0f : 1.0f};
    hed_materials_build(&tracer->materials, &style);
    tracer->materials.through = is_plain ? 0.0f : 0.12f;
    HED_TRY(hed_scenery_create(picture, def->ply_twist, style.plies, &tracer->scenery, error));
    HED_TRY(hed_lens_create(&def->camera, def->width, def->height, tracer->scenery.origin,
                            &tracer->lens, error));
    tracer->lighting = hed_lighting_create(def->look, &tracer->lens, &tracer->scenery,
                                           (float)(def->floor - tracer->scenery.origin.y));
    tracer->has_fuzz = wants_fuzz(tracer);
    HED_TRY(hed_sampler_create(&tracer->sampler, def->seed, def->samples, error));
    HED_TRY(hed_caster_create(&tracer->scenery, &tracer->materials.style, tracer->has_fuzz,
                              hed_thread_count(def->thread_count), &tracer->caster, error));
done:
    return status;
}

void hed_tracer_free(HedTracer* tracer) {
    hed_caster_destroy(tracer->caster);
    hed_sampler_free(&tracer->sampler);
    hed_scenery_free(&tracer->scenery);
    *tracer = (HedTracer){.caster = NULL};
}

// Numbers too small to be seen cost a hundred times the time of others. They are taken for zero in
// threads that render, and nowhere else: a solver's rounding must not depend on a picture.
static uint32_t flush_tiny(void) {
#if defined(__SSE__)
    uint32_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040u);
    return before;
#else
    return 0;
#endif
}

static void restore_tiny(uint32_t before) {
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(before);
#else
    (void)before;
#endif
}

// The tiles of a picture, each with its own count of rays.
typedef struct Tiles {
    int32_t columns, count;
    HedTally* tallies;
    HedRayLog* logs; // or NULL
} Tiles;

static HedStatus tiles_create(const HedLens* lens, bool with_logs, Tiles* tiles, HedError* error) {
    tiles->columns = (lens->width + TILE - 1) / TILE;
    tiles->count = tiles->columns * ((lens->height + TILE - 1) / TILE);
    tiles->tallies = HED_NEW_ARRAY(HedTally, tiles->count);
    tiles->logs = with_logs ? HED_NEW_ARRAY(HedRayLog, tiles->count) : NULL;
    if (!tiles->tallies || (with_logs && !tiles->logs)) {
        return hed_fail_memory(error, "the tiles of a picture");
    }
    for (int32_t i = 0; with_logs && i < tiles->count; ++i) {
        tiles->tallies[i].log = &tiles->logs[i];
    }
    return HED_OK;
}

static void tiles_free(Tiles* tiles) {
    for (int32_t i = 0; tiles->logs && i < tiles->count; ++i) {
        hed_free(tiles->logs[i].rays.data);
    }
    hed_free(tiles->logs);
    hed_free(tiles->tallies);
}

static int64_t tiles_rays(const Tiles* tiles) {
    int64_t rays = 0;
    for (int32_t i = 0; i < tiles->count; ++i) {
        rays += tiles->tallies[i].rays;
    }
    return rays;
}

static void trace_tile(const HedTracer* tracer, const Tiles* tiles, int32_t tile, int32_t sample,
                       HedImage* image) {
    int32_t left = tile % tiles->columns * TILE;
    int32_t top = tile / tiles->columns * TILE;
    int32_t right = hed_min_i32(left + TILE, image->width);
    int32_t bottom = hed_min_i32(top + TILE, image->height);
    for (int32_t y = top; y < bottom; ++y) {
        for (int32_t x = left; x < right; ++x) {
            HedVec3f light = hed_trace_pixel(tracer, &tiles->tallies[tile], x, y, sample);
            float* pixel = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            pixel[0] += light.x;
            pixel[1] += light.y;
            pixel[2] += light.z;
        }
    }
}

// One sample per pixel. A pixel's samples are added in their order, whatever thread does it.
static void trace_pass(const HedTracer* tracer, const Tiles* tiles, int32_t sample, int32_t threads,
                       HedImage* image) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int32_t tile = 0; tile < tiles->count; ++tile) {
        uint32_t before = flush_tiny();
        trace_tile(tracer, tiles, tile, sample, image);
        restore_tiny(before);
    }
}

static HedStatus replay(const HedTracer* tracer, const Tiles* tiles, int32_t threads,
                        HedRenderReport* report, HedError* error) {
    for (int32_t i = 0; i < tiles->count; ++i) {
        if (tiles->logs[i].failed) {
            return hed_fail_memory(error, "the rays of a picture");
        }
    }
    double begin = hed_time_now();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int32_t tile = 0; tile < tiles->count; ++tile) {
        uint32_t before = flush_tiny();
        hed_caster_replay(tracer->caster, &tiles->logs[tile]);
        restore_tiny(before);
    }
    report->replay = hed_time_now() - begin;
    return HED_OK;
}

static void divide(HedImage* image, int32_t samples) {
    size_t count = 3 * (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; ++i) {
        image->rgb[i] /= (float)samples;
    }
}

HedStatus hed_tracer_run(const HedTracer* tracer, const HedRenderDef* def, HedImage* image,
                         HedRenderReport* report, HedError* error) {
    HedStatus status = HED_OK;
    Tiles tiles = {0};
    int32_t threads = hed_thread_count(def->thread_count);
    double begin = hed_time_now();
    *image = (HedImage){def->width, def->height,
                        HED_NEW_ARRAY(float, 3 * (int64_t)def->width * def->height)};
    if (!image->rgb) {
        HED_TRY(hed_fail_memory(error, "a picture"));
    }
    HED_TRY(tiles_create(&tracer->lens, def->enable_replay, &tiles, error));
    for (bool goes_on = true; goes_on && report->samples < def->samples;) {
        trace_pass(tracer, &tiles, report->samples, threads, image);
        report->samples += 1;
        report->rays = tiles_rays(&tiles);
        report->trace = hed_time_now() - begin;
        goes_on = !def->progress || def->progress(report, def->samples, def->context);
    }
    divide(image, report->samples);
    if (def->enable_replay) {
        HED_TRY(replay(tracer, &tiles, threads, report, error));
    }
done:
    tiles_free(&tiles);
    if (status != HED_OK) {
        hed_image_free(image);
    }
    return status;
}

HedStatus hed_render(const HedPicture* picture, const HedRenderDef* def, HedImage* image,
                     HedRenderReport* report, HedError* error) {
    HedStatus status = HED_OK;
    HedRenderReport own = {0};
    HedTracer tracer;
    double begin = hed_time_now();
    *image = (HedImage){0};
    HED_TRY(hed_tracer_create(picture, def, &tracer, error));
    own.build = hed_time_now() - begin;
    HED_TRY(hed_tracer_run(&tracer, def, image, &own, error));
done:
    hed_tracer_free(&tracer);
    if (report) {
        *report = own;
    }
    return status;
}
