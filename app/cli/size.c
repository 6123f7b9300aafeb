// SPDX-License-Identifier: MIT
#include "cli/size.h"
#include "cli/fabric.h"
#include "cli/weave.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double LARGE = 50e6; // bytes

// Bytes per vertex and frame of yarns; surfaces come near.
static const struct Format {
    const char* extension;
    double bytes;
} FORMATS[] = {
    {"obj", 75.0}, {"ply", 47.0}, {"vtp", 28.0}, {"pvd", 28.0}, {"usda", 135.0}, {"bcc", 12.0},
};

static double bytes_of(const char* extension) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; ++i) {
        if (strcasecmp(extension, FORMATS[i].extension) == 0) {
            return FORMATS[i].bytes;
        }
    }
    return 0.0;
}

CliSize cli_size_of_series(const char* out, const HedSeries* series) {
    CliSize size = {.frames = series->frame_count};
    for (int32_t i = 0; i < series->object_count; ++i) {
        size.points += (double)series->objects[i].vertex_count * series->frame_count;
    }
    size.bytes = size.points * bytes_of(cli_extension(out));
    return size;
}

CliSize cli_size_of_scene(const char* out, const HedScene* scene, int32_t copies) {
    CliSize size = {.frames = 1.0};
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, NULL, i);
        double repeats = object.kind == HED_OBJECT_YARNS ? copies : 1.0;
        size.points += repeats * object.vertices.count;
    }
    size.bytes = size.points * bytes_of(cli_extension(out));
    return size;
}

// A frame holds three numbers for each point, one of four bytes for each quantity there and three
// more with the speed, and seven for each body; its head and the two rows of the tables take about
// a kilobyte.
CliSize cli_size_of_run(const HedScene* scene, double duration, double time_step) {
    double points = 0.0;
    double frame_bytes = 1000.0;
    double object_bytes = 0.0;
    double quantities = 0.0;
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        bool is_written = hed_scene_quantities(scene) >> q & 1;
        quantities += is_written ? q == HED_QUANTITY_SPEED ? 4.0 : 1.0 : 0.0;
    }
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, NULL, i);
        bool is_body = object.kind == HED_OBJECT_BODY;
        object_bytes += 4.0 * object.triangles.count + 24.0 * object.vertices.count;
        points += is_body ? 0.0 : object.vertices.count;
        frame_bytes += is_body ? 56.0 : 0.0;
    }
    frame_bytes += (24.0 + 4.0 * quantities) * points;
    double steps = round(duration / time_step);
    double per_frame = fmax(1.0, round(hed_scene_frame_interval(scene) / time_step));
    double frames = floor(steps / per_frame) + 1.0 + (fmod(steps, per_frame) > 0.0);
    return (CliSize){frames, frames * points, frames * frame_bytes + object_bytes};
}

// Bytes of what the page holds of a frame: its positions by those of the frame before it, then each
// quantity.
static double frame_bytes(HedShow* show, int32_t frame) {
    HedBuffer buffer = {0};
    HedFrameRequest request = {frame, frame > 0 ? frame - 1 : -1, -1};
    HedStatus status = hed_show_encode_frame(show, 0, request, &buffer, NULL);
    for (int32_t q = 0; status == HED_OK && q < hed_show_quantity_count(show); ++q) {
        request = (HedFrameRequest){frame, frame, q};
        status = hed_show_encode_frame(show, 0, request, &buffer, NULL);
    }
    double bytes = (double)buffer.size;
    hed_buffer_free(&buffer);
    return bytes;
}

static CliSize size_of_show(HedShow* show) {
    enum { SAMPLES = 3 };
    HedBuffer geometry = {0};
    CliSize size = {.frames = hed_show_frame_count(show)};
    double per_frame = 0.0;
    for (int32_t i = 0; i < SAMPLES; ++i) {
        per_frame += frame_bytes(show, (int32_t)(size.frames * (2 * i + 1) / (2 * SAMPLES)));
    }
    if (hed_show_encode_geometry(show, 0, &geometry, NULL) == HED_OK) {
        size.bytes = (double)geometry.size;
    }
    hed_buffer_free(&geometry);
    for (int32_t i = 0; i < hed_show_object_count(show); ++i) {
        size.points += size.frames * hed_show_object(show, i).vertex_count;
    }
    size.bytes += size.frames * per_frame / SAMPLES;
    return size;
}

CliSize cli_size_of_page(HedShow* const* shows, int32_t count, size_t page_bytes) {
    CliSize size = {.bytes = (double)page_bytes};
    for (int32_t i = 0; i < count; ++i) {
        CliSize part = size_of_show(shows[i]);
        size.frames += part.frames;
        size.points += part.points;
        size.bytes += part.bytes * 4.0 / 3.0; // base64
    }
    return size;
}

void cli_size_tell(const char* out, CliSize size, const char* way_out) {
    if (size.bytes >= LARGE) {
        fprintf(stderr,
                "heddle: note: %s: %.3g million points, about %.3g MB will be written%s%s\n", out,
                1e-6 * size.points, 1e-6 * size.bytes, way_out[0] ? "; " : "", way_out);
    }
}

static const char* advice(const char* in) {
    if (cli_is_draft(in)) {
        return "--weave points=2 writes fewer points, --weave ends=N --weave picks=N a piece";
    }
    if (cli_is_fabric(in)) {
        return "--knit points=8 writes fewer points";
    }
    return cli_is_directory(in) ? "--frame writes fewer frames" : "";
}

static bool has_curves(const HedSeries* series) {
    bool has = false;
    for (int32_t i = 0; i < series->object_count; ++i) {
        has = has || series->objects[i].curve_count > 0;
    }
    return has;
}

void cli_size_note(const char* in, const char* out, const HedSeries* series) {
    CliSize size = cli_size_of_series(out, series);
    const char* how = advice(in);
    bool is_smallest = strcasecmp(cli_extension(out), "bcc") == 0;
    char smaller[64] = "";
    char way_out[192];
    if (has_curves(series) && series->frame_count == 1 && !is_smallest) {
        snprintf(smaller, sizeof smaller, "a .bcc file has about %.3g MB",
                 1e-6 * size.points * bytes_of("bcc"));
    }
    snprintf(way_out, sizeof way_out, "%s%s%s", how, how[0] && smaller[0] ? ", " : "", smaller);
    cli_size_tell(out, size, way_out);
}
