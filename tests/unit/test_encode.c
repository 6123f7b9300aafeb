// SPDX-License-Identifier: MIT
// Messages of docs/protocol.md: a decoder written from that page gives back what went in.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "heddle/render.h"
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
    // The quaternion is rounded where it is made and where it is made a unit.
    cr_assert_float_eq(fabs(whole[5].poses[3 + 7]), sqrt(0.5), 1e-15);
    // As the scene has it, with all digits.
    cr_assert_float_eq(whole[0].poses[1], -3.0, 0.0);
    hed_buffer_free(&buffer);
    hed_show_close(show);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

// Three yarns, one of them a ring, and a mesh whose first vertex is not part of any triangle.
static void write_yarns(const char* path) {
    FILE* file = fopen(path, "w");
    cr_assert(file);
    fputs("v 9 9 9\n", file);
    for (int i = 0; i < 16; ++i) {
        fprintf(file, "v %d %g %d\n", i % 4, 0.1 * ((i / 4) % 3), i / 4);
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int v = 2 + 4 * r + c;
            fprintf(file, "f %d %d %d %d\n", v, v + 1, v + 5, v + 4);
        }
    }
    for (int i = 0; i < 30; ++i) {
        double a = 0.6 * i;
        fprintf(file, "v %g %g %g\n", 3.0 * cos(a), 0.01 * i * i, -2.0 * sin(a));
    }
    fputs("l 18 19 20 21 22 23 24 25\nl 26 27\nl 28 29 30 31 32 33 34 35 36 37 28\n", file);
    fclose(file);
}

Test(encode, curves_and_values) {
    write_yarns("yarns.obj");
    HedShow* show = open_show("yarns.obj");
    HedBuffer buffer = {0};
    static Frame whole, again;
    double step = step_of(show);
    cr_assert_eq(hed_show_object_count(show), 2);
    cr_assert_eq(hed_show_object(show, 1).curve_count, 3);
    encode(show, (HedFrameRequest){0, -1, 0}, &buffer);
    decode(show, &buffer, NULL, &whole);
    check_positions(show, &whole, step);
    encode(show, (HedFrameRequest){0, 0, 0}, &buffer);
    decode(show, &buffer, &whole, &again);
    cr_expect_eq(memcmp(whole.q, again.q, sizeof whole.q), 0);
    cr_expect_eq(memcmp(whole.value, again.value, sizeof whole.value), 0);
    float mesh[64], yarns[64];
    int32_t count = hed_show_object(show, 0).vertex_count;
    cr_assert_eq(hed_show_values(show, 0, 0, (float*[]){mesh, yarns}, NULL), HED_OK);
    for (int32_t k = 0; k < whole.count; ++k) {
        float value = k < count ? mesh[k] : yarns[k - count];
        double back =
            (double)whole.low + ((double)whole.high - (double)whole.low) * whole.value[k] / 4094.0;
        double grain = ((double)whole.high - (double)whole.low) / 4094.0;
        cr_expect(whole.value[k] >= 0 && whole.value[k] <= 4095);
        cr_expect_eq(isnan(value), whole.value[k] == 4095, "vertex %d", k);
        cr_expect(isnan(value) || fabs(back - (double)value) <= 0.5001 * grain, "vertex %d: %g, %g",
                  k, back, (double)value);
    }
    cr_expect_eq(whole.value[0], 4095); // belongs to no triangle
    hed_buffer_free(&buffer);
    hed_show_close(show);
}

static uint32_t take_u32(const uint8_t** at) {
    uint32_t value;
    memcpy(&value, *at, 4);
    *at += 4;
    return value;
}

Test(encode, geometry) {
    make_run("run");
    write_yarns("yarns.obj");
    static const char* const PATHS[] = {"run", "yarns.obj"};
    for (int p = 0; p < 2; ++p) {
        HedShow* show = open_show(PATHS[p]);
        HedBuffer buffer = {0};
        cr_assert_eq(hed_show_encode_geometry(show, 3, &buffer, NULL), HED_OK);
        const uint8_t* at = buffer.data;
        cr_assert_eq(memcmp(at, "hdg1", 4), 0);
        at += 4;
        cr_expect_eq(take_u32(&at), 3);
        cr_assert_eq((int32_t)take_u32(&at), hed_show_object_count(show));
        for (int32_t i = 0; i < hed_show_object_count(show); ++i) {
            HedSeriesObject object = hed_show_object(show, i);
            cr_expect_eq(take_u32(&at), (uint32_t)object.kind); // 0 sheet, 1 body, 2 yarns
            cr_expect_eq((int32_t)take_u32(&at), object.vertex_count);
            cr_expect_eq((int32_t)take_u32(&at), object.triangle_count);
            cr_expect_eq((int32_t)take_u32(&at), object.curve_count);
            size_t bytes = 12 * (size_t)object.triangle_count;
            cr_expect(bytes == 0 || memcmp(at, object.triangles, bytes) == 0);
            at += bytes;
            for (int32_t c = 0; c < object.curve_count; ++c) {
                cr_expect_eq((int32_t)take_u32(&at), object.curves[c].count);
                cr_expect_eq(take_u32(&at), object.curves[c].is_closed);
                float radius;
                memcpy(&radius, at, 4);
                at += 4;
                // Half of the last of 24 binary digits.
                cr_expect_float_eq((double)radius, object.curves[c].radius,
                                   6e-8 * object.curves[c].radius);
                cr_expect_eq((int32_t)take_u32(&at), hed_color_palette(c));
            }
            if (object.kind == HED_OBJECT_BODY) {
                float x;
                memcpy(&x, at, 4);
                cr_expect(i == 2 || i == 3);
                cr_expect(i == 2 || fabsf(x) == 0.1f); // corners of the block
                at += 12 * (size_t)object.vertex_count;
            }
        }
        cr_expect_eq(at, buffer.data + buffer.size);
        hed_buffer_free(&buffer);
        hed_show_close(show);
    }
}

// Reads one JSON value (RFC 8259); returns the place behind it, NULL if it is none. UTF-8 is
// checked apart.
static const char* skip_json(const char* at);

static const char* skip_blank(const char* at) {
    return at + strspn(at, " \t\r\n");
}

static const char* skip_string(const char* at) {
    if (*at++ != '"') {
        return NULL;
    }
    while (*at != '"') {
        if ((unsigned char)*at < 0x20) {
            return NULL;
        }
        if (*at == '\\') {
            if (at[1] == 'u') {
                if (strspn(at + 2, "0123456789abcdefABCDEF") < 4) {
                    return NULL;
                }
                at += 4;
            } else if (!at[1] || !strchr("\"\\/bfnrt", at[1])) {
                return NULL;
            }
            ++at;
        }
        ++at;
    }
    return at + 1;
}

static const char* skip_members(const char* at, char end, bool has_keys) {
    at = skip_blank(at + 1);
    if (*at == end) {
        return at + 1;
    }
    for (;;) {
        if (has_keys) {
            at = skip_string(skip_blank(at));
            if (!at || *skip_blank(at) != ':') {
                return NULL;
            }
            at = skip_blank(at) + 1;
        }
        at = skip_json(at);
        if (!at) {
            return NULL;
        }
        at = skip_blank(at);
        if (*at == end) {
            return at + 1;
        }
        if (*at++ != ',') {
            return NULL;
        }
    }
}

static const char* skip_json(const char* at) {
    static const char* const WORDS[] = {"true", "false", "null"};
    at = skip_blank(at);
    if (*at == '{' || *at == '[') {
        return skip_members(at, *at == '{' ? '}' : ']', *at == '{');
    }
    if (*at == '"') {
        return skip_string(at);
    }
    for (int k = 0; k < 3; ++k) {
        if (strncmp(at, WORDS[k], strlen(WORDS[k])) == 0) {
            return at + strlen(WORDS[k]);
        }
    }
    char* end = NULL;
    bool is_number = *at == '-' || (*at >= '0' && *at <= '9');
    strtod(at, &end);
    return is_number && end > at ? end : NULL;
}

static void check_json(HedBuffer* buffer) {
    const char zero = 0;
    char* text = calloc((size_t)buffer->size + 1, 1);
    memcpy(text, buffer->data, (size_t)buffer->size);
    cr_assert_null(memchr(text, zero, (size_t)buffer->size));
    const char* end = skip_json(text);
    cr_expect(end && *end == 0, "%s", text);
    free(text);
}

static bool contains(const HedBuffer* buffer, const char* text) {
    return memmem(buffer->data, (size_t)buffer->size, text, strlen(text)) != NULL;
}

Test(encode, about) {
    make_run("run");
    HedShow* show = open_show("run");
    HedBuffer buffer = {0};
    cr_assert_eq(hed_show_encode_about(show, 2, &buffer, NULL), HED_OK);
    check_json(&buffer);
    cr_expect(contains(&buffer, "{\"type\": \"about\", \"run\": 2, \"title\": \"say "
                                "\\u0022hi\\u0022\", \"path\": \"run\", \"is_run\": true, "
                                "\"growing\": false, \"frames\": 6, \"step\": "));
    cr_expect(contains(&buffer, "{\"name\": \"floor\", \"kind\": \"body\", \"ground\": true, "
                                "\"vertices\": 4, \"triangles\": 2, \"curves\": 0}"));
    cr_expect(contains(&buffer, "\"tables\": [\"energy\", \"measure\"]"));
    cr_expect(contains(&buffer, "{\"name\": \"strain\", \"unit\": \"\", \"signed\": true, "));
    hed_buffer_free(&buffer);
    hed_show_close(show);
}

// File names may hold anything but a slash: control characters, quotes, half of a UTF-8 character.
Test(encode, any_name_gives_valid_json) {
    static const char* const NAMES[] = {"a\"b\\c.obj",           "tab\there\nline\x01.obj",
                                        "\xC3\xA9t\xC3\xA9.obj", "cut\xE2\x82.obj",
                                        "\xFF\xFE.obj",          "surrogate\xED\xA0\x80.obj",
                                        "long\xC0\x80.obj",      "\xF4\x90\x80\x80.obj",
                                        "\xF0\x9F\xA7\xB6.obj",  "rub\x7Fout.obj",
                                        "\xE0\x80\xAF.obj"};
    static const char* const TITLES[] = {"a\\u0022b\\u005cc.obj",
                                         "tab\\u0009here\\u000aline\\u0001.obj",
                                         "\xC3\xA9t\xC3\xA9.obj",
                                         "cut\xEF\xBF\xBD\xEF\xBF\xBD.obj",
                                         "\xEF\xBF\xBD\xEF\xBF\xBD.obj",
                                         "surrogate\xEF\xBF\xBD",
                                         "long\xEF\xBF\xBD",
                                         "\xEF\xBF\xBD",
                                         "\xF0\x9F\xA7\xB6.obj",
                                         "rub\\u007fout.obj",
                                         "\xEF\xBF\xBD"};
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
        char expected[128];
        HedBuffer buffer = {0};
        write_text(NAMES[k], "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        HedShow* show = open_show(NAMES[k]);
        cr_assert_eq(hed_show_encode_about(show, 0, &buffer, NULL), HED_OK);
        check_json(&buffer);
        snprintf(expected, sizeof expected, "\"title\": \"%s", TITLES[k]);
        cr_expect(contains(&buffer, expected), "%.*s", (int)buffer.size, (char*)buffer.data);
        hed_buffer_free(&buffer);
        hed_show_close(show);
    }
}

static void encode_table(HedShow* show, const char* name, int32_t first, HedBuffer* buffer) {
    HedError error = {0};
    buffer->size = 0;
    cr_assert_eq(hed_show_encode_table(show, 1, name, first, buffer, &error), HED_OK, "%s",
                 error.message);
    check_json(buffer);
}

Test(encode, tables) {
    make_run("run");
    HedShow* show = open_show("run");
    HedBuffer buffer = {0};
    encode_table(show, "energy", 0, &buffer);
    cr_expect(contains(&buffer, "{\"type\": \"table\", \"run\": 1, \"name\": \"energy\", "
                                "\"first\": 0, \"columns\": [\"time\", \"step\", \"kinetic\""));
    cr_expect(contains(&buffer, "\"units\": [\"s\", \"\", \"J\""));
    encode_table(show, "measure", 0, &buffer);
    cr_expect(contains(&buffer, "\"columns\": [\"time\", \"step\", \"corner_x\", \"corner_y\", "
                                "\"corner_z\", \"area\"], \"units\": [\"s\", \"\", \"m\", "
                                "\"m\", \"m\", \"m^2\"], \"rows\": [[0, 0, "));
    encode_table(show, "measure", 6, &buffer);
    cr_expect(contains(&buffer, "\"first\": 6, "));
    cr_expect(contains(&buffer, "\"rows\": []}"));
    encode_table(show, "measure", 5, &buffer);
    cr_expect(contains(&buffer, "\"rows\": [[0.1, 10, "));
    HedError error = {0};
    cr_expect_eq(hed_show_encode_table(show, 0, "weight", 0, &buffer, &error), HED_NOT_FOUND);
    cr_expect_str_eq(error.message, "run: has no table 'weight'");
    cr_expect_eq(hed_show_encode_table(show, 0, "energy", -1, &buffer, &error), HED_INVALID);
    // Names with commas and quotes, empty cells, and a line that is still being written.
    write_text("run/measure.csv", "time,step,\"a,\"\"b\"\"\",c\n0,0,1.5,\n1,10,,2\n2,20,3");
    encode_table(show, "measure", 0, &buffer);
    cr_expect(contains(&buffer, "[\"time\", \"step\", \"a,\\u0022b\\u0022\", \"c\"]"));
    cr_expect(contains(&buffer, "\"rows\": [[0, 0, 1.5, null], [1, 10, null, 2]]"));
    write_text("run/measure.csv", "");
    encode_table(show, "measure", 0, &buffer);
    cr_expect(contains(&buffer, "\"columns\": [], \"units\": [], \"rows\": []"));
    hed_buffer_free(&buffer);
    hed_show_close(show);
    write_text("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    show = open_show("t.obj");
    cr_expect_eq(hed_show_encode_table(show, 0, "energy", 0, &buffer, &error), HED_NOT_FOUND);
    hed_show_close(show);
}

// 2^31 steps of 2^-16 diagonals: 32768 diagonals from the origin.
Test(encode, too_far_away) {
    write_text("far.obj", "v 40000 0 0\nv 40001 0 0\nv 40000 1 0\nf 1 2 3\n");
    HedShow* show = open_show("far.obj");
    HedBuffer buffer = {0};
    HedError error = {0};
    HedFrameRequest request = {0, -1, -1};
    cr_expect_eq(hed_show_encode_frame(show, 0, request, &buffer, &error), HED_OK);
    hed_show_close(show);
    write_text("far.obj", "v 60000 0 0\nv 60001 0 0\nv 60000 1 0\nf 1 2 3\n");
    show = open_show("far.obj");
    buffer.size = 0;
    cr_expect_eq(hed_show_encode_frame(show, 0, request, &buffer, &error), HED_UNSUPPORTED);
    cr_expect(strstr(error.message, "far.obj: frame 0: 'mesh' is farther than 463"), "%s",
              error.message);
    cr_expect_eq(buffer.size, 0);
    hed_buffer_free(&buffer);
    hed_show_close(show);
}

// Thin yarns that jump through the whole box: steps are not finer than 2^-26 of it.
Test(encode, finest_steps) {
    write_text("wide.obj", "v 0 0 0\nv 1e-3 0 0\nv 0 1e-3 0\nf 1 2 3\nl 4 5 6 7\nv -30 0 0\n"
                           "v 30 0 0\nv -30 0 0\nv 30 1 0\n");
    HedShowOptions options = hed_show_options_default();
    options.radius = 1e-9;
    HedShow* show = NULL;
    cr_assert_eq(hed_show_open("wide.obj", &options, &show, NULL), HED_OK);
    HedBuffer buffer = {0};
    static Frame whole;
    double step = step_of(show);
    // The box is wider by the yarns, 1e-9 m at either side of 60 m: 4e-11 of it.
    cr_expect_float_eq(step, sqrt(60.0 * 60.0 + 1.0) / 67108864.0, 1e-10 * step);
    encode(show, (HedFrameRequest){0, -1, -1}, &buffer);
    decode(show, &buffer, NULL, &whole);
    check_positions(show, &whole, step);
    hed_buffer_free(&buffer);
    hed_show_close(show);
}
