// SPDX-License-Identifier: MIT
// Messages of docs/protocol.md: a decoder written from that page gives back what went in.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "heddle/run.h"
#include "heddle/show.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SCENE[] =
    "heddle: 1\n"
    "name: 'say \"hi\"'\n"
    "duration: 0.1 s\n"
    "step: {size: 1/100 s}\n"
    "output: {frame_interval: 1/50 s}\n"
    "sheets:\n"
    "  - {name: cloth, grid: {size: [1 m, 1 m], points: [9, 7], origin: [-0.5, 0.4, 0]}}\n"
    "  - {name: flag, grid: {size: [0.3 m, 0.2 m], points: [4, 3], origin: [5, 0.4, 0]}}\n"
    "bodies:\n"
    "  - {shape: plane, name: floor, position: [0, -3, 0]}\n"
    "  - {shape: box, name: block, half_size: [0.1, 0.1, 0.1],\n"
    "     keyframes: [{time: 0, position: [0, 0, 0.5]},\n"
    "                 {time: 0.1 s, position: [0.4, 0, 0.5], rotation: [0, 90 deg, 0]}]}\n"
    "pins:\n"
    "  - {name: hold, sheet: cloth, where: top-left}\n"
    "measure:\n"
    "  - {kind: position, name: corner, sheet: cloth, vertex: 19}\n"
    "  - {kind: area, name: area, sheet: cloth}\n";

static void make_run(const char* directory) {
    HedScene* scene = NULL;
    HedError error = {0};
    cr_assert_eq(hed_scene_parse(SCENE, strlen(SCENE), "t.yaml", ".", NULL, 0, &scene, &error),
                 HED_OK, "%s", error.message);
    HedRunOptions options = hed_run_options_default();
    options.directory = directory;
    options.thread_count = 1;
    HedRunReport report;
    cr_assert_eq(hed_run(scene, &options, &report, &error), HED_OK, "%s", error.message);
    hed_scene_destroy(scene);
}

static HedShow* open_show(const char* path) {
    HedShow* show = NULL;
    HedError error = {0};
    cr_assert_eq(hed_show_open(path, NULL, &show, &error), HED_OK, "%s", error.message);
    return show;
}

static void enter_directory(void) {
    char name[] = "encode-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
}

TestSuite(encode, .init = enter_directory);

// A decoder of frame messages that knows docs/protocol.md only.
typedef struct Frame {
    int32_t run, frame, reference, quantity;
    float low, high;
    uint32_t position_bytes, value_bytes, bodies;
    double time;
    const double* poses;
    int32_t q[3000];
    int32_t value[1000];
    int32_t count; // vertices
} Frame;

static uint32_t take_varint(const uint8_t** at, const uint8_t* end) {
    uint32_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        cr_assert(*at < end);
        uint8_t byte = *(*at)++;
        value |= (uint32_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80)) {
            return value;
        }
    }
    cr_assert_fail("a number of more than five bytes");
    return 0;
}

static int32_t take_number(const uint8_t** at, const uint8_t* end) {
    uint32_t z = take_varint(at, end);
    return (int32_t)((z >> 1) ^ (0u - (z & 1)));
}

static int32_t predict(const Frame* f, const Frame* reference, int32_t k, int axis,
                       const int32_t role) {
    int32_t i = 3 * k + axis;
    if (reference) {
        return role == 0 ? reference->q[i] : reference->q[i] + (f->q[i - 3] - reference->q[i - 3]);
    }
    if (role <= 1) {
        return k > 0 ? f->q[i - 3] : 0;
    }
    return 2 * f->q[i - 3] - f->q[i - 6];
}

// role of each vertex: 0 first of an object, 1 taken from the one before, 2 from the two before.
static int32_t roles_of(const HedShow* show, bool with_reference, int32_t* role) {
    int32_t count = 0;
    for (int32_t i = 0; i < hed_show_object_count(show); ++i) {
        HedSeriesObject object = hed_show_object(show, i);
        for (int32_t k = 0; k < object.vertex_count && object.kind == HED_OBJECT_SHEET; ++k) {
            role[count++] = k > 0;
        }
        for (int32_t c = 0; c < object.curve_count; ++c) {
            for (int32_t k = 0; k < object.curves[c].count; ++k) {
                bool is_start = with_reference ? c == 0 && k == 0 : k == 0;
                role[count++] = is_start ? 0 : k < 2 ? 1 : 2;
            }
        }
    }
    return count;
}

static void decode(const HedShow* show, const HedBuffer* buffer, const Frame* reference, Frame* f) {
    int32_t role[1000];
    const uint8_t* at = buffer->data;
    const uint8_t* end = at + buffer->size;
    cr_assert_geq(buffer->size, 48);
    cr_assert_eq(memcmp(at, "hdf1", 4), 0);
    memcpy(&f->run, at + 4, 36);
    memcpy(&f->time, at + 40, 8);
    f->poses = (const double*)(const void*)(at + 48);
    at += 48 + 56 * (int64_t)f->bodies;
    cr_assert_eq(at + f->position_bytes + f->value_bytes, end);
    f->count = roles_of(show, reference != NULL, role);
    end = at + f->position_bytes;
    for (int32_t k = 0; k < f->count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            int32_t prediction = predict(f, reference, k, axis, role[k]);
            f->q[3 * k + axis] = take_number(&at, end) + prediction;
        }
    }
    cr_assert_eq(at, end);
    end = at + f->value_bytes;
    for (int32_t k = 0; k < f->count && f->value_bytes > 0; ++k) {
        f->value[k] = take_number(&at, end) + (k > 0 ? f->value[k - 1] : 0);
    }
    cr_assert_eq(at, end);
}

static double step_of(HedShow* show) {
    HedBuffer buffer = {0};
    cr_assert_eq(hed_show_encode_about(show, 0, &buffer, NULL), HED_OK);
    const char* step = memmem(buffer.data, (size_t)buffer.size, "\"step\": ", 8);
    cr_assert(step);
    double value = strtod(step + 8, NULL);
    hed_buffer_free(&buffer);
    return value;
}

static void check_positions(HedShow* show, const Frame* f, double step) {
    HedVec3* positions[8];
    int32_t at = 0;
    double time = 0.0;
    HedError error = {0};
    for (int32_t i = 0; i < hed_show_object_count(show); ++i) {
        positions[i] = calloc((size_t)hed_show_object(show, i).vertex_count, sizeof(HedVec3));
    }
    cr_assert_eq(hed_show_frame(show, f->frame, &time, positions, &error), HED_OK, "%s",
                 error.message);
    cr_assert_eq(time, f->time);
    for (int32_t i = 0; i < hed_show_object_count(show); ++i) {
        HedSeriesObject object = hed_show_object(show, i);
        for (int32_t k = 0; k < object.vertex_count && object.kind != HED_OBJECT_BODY; ++k, ++at) {
            HedVec3 p =
                hed_vec3(step * f->q[3 * at], step * f->q[3 * at + 1], step * f->q[3 * at + 2]);
            HedVec3 d = hed_sub3(p, positions[i][k]);
            double worst = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
            // Half a step, and the rounding of numbers up to 2^31 steps.
            cr_assert_leq(worst, 0.5 * step * (1.0 + 1e-6), "%s %d: %g of %g", object.name, k,
                          worst, step);
        }
        free(positions[i]);
    }
    cr_assert_eq(at, f->count);
}

static void encode(HedShow* show, HedFrameRequest request, HedBuffer* buffer) {
    HedError error = {0};
    buffer->size = 0;
    cr_assert_eq(hed_show_encode_frame(show, 7, request, buffer, &error), HED_OK, "%s",
                 error.message);
}

Test(encode, frames_come_back_with_and_without_a_reference) {
    make_run("run");
    HedShow* show = open_show("run");
    HedBuffer buffer = {0};
    double step = step_of(show);
    static Frame whole[6];
    cr_assert_eq(hed_show_frame_count(show), 6);
    for (int32_t i = 0; i < 6; ++i) {
        encode(show, (HedFrameRequest){i, -1, -1}, &buffer);
        decode(show, &buffer, NULL, &whole[i]);
        cr_assert_eq(whole[i].run, 7);
        cr_assert_eq(whole[i].frame, i);
        cr_assert_eq(whole[i].reference, -1);
        cr_assert_eq(whole[i].bodies, 2);
        check_positions(show, &whole[i], step);
    }
    for (int32_t i = 0; i < 36; ++i) {
        static Frame moved;
        encode(show, (HedFrameRequest){i % 6, i / 6, -1}, &buffer);
        decode(show, &buffer, &whole[i / 6], &moved);
        cr_assert_eq(moved.reference, i / 6);
        cr_assert_eq(memcmp(moved.q, whole[i % 6].q, sizeof moved.q), 0, "frame %d by %d", i % 6,
                     i / 6);
    }
    // The box moved from (0, 0, 0.5) to (0.4, 0, 0.5) and turned by a right angle about y.
    cr_assert_float_eq(whole[5].poses[0 + 7], 0.4, 1e-12);
    cr_assert_float_eq(fabs(whole[5].poses[3 + 7]), sqrt(0.5), 1e-12);
    cr_assert_float_eq(whole[0].poses[1], -3.0, 0.0);
    hed_buffer_free(&buffer);
    hed_show_close(show);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}
