// SPDX-License-Identifier: MIT
// USD text, checked by its structure: braces, stage data, names, samples read back.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/text.h"
#include "heddle/file.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int32_t TRIANGLES[6] = {0, 1, 2, 0, 2, 3};

// Every object takes its positions from here, so that objects and frames differ in known ways.
static HedVec3 position(int32_t frame, int32_t object, int32_t vertex) {
    return (HedVec3){vertex / 3.0, frame - 0.1 * vertex, object};
}

static HedStatus load(void* context, int32_t frame, HedVec3* const* positions, HedError* error) {
    const HedSeries* series = context;
    (void)error;
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].vertex_count; ++j) {
            positions[i][j] = position(frame, i, j);
        }
    }
    return HED_OK;
}

static HedText save(HedSeries series) {
    char directory[64];
    char path[128];
    HedText text = {0};
    HedError error = {0};
    snprintf(directory, sizeof directory, "%s/hed-usda-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.usda", directory);
    series.load = load;
    series.context = &series;
    cr_assert_eq(hed_series_save(path, &series, false, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    unlink(path);
    cr_assert_eq(rmdir(directory), 0);
    return text;
}

static int32_t occurrences(const char* text, const char* piece) {
    int32_t count = 0;
    for (const char* at = strstr(text, piece); at; at = strstr(at + 1, piece)) {
        ++count;
    }
    return count;
}

// Brackets of all kinds close in order and none is open at the end.
static void expect_balanced(const char* text) {
    char open[16] = {0};
    int32_t depth = 0;
    for (; *text; ++text) {
        if (*text == '(' || *text == '[' || *text == '{') {
            cr_assert_lt(depth, 16);
            open[depth++] = *text;
        } else if (*text == ')' || *text == ']' || *text == '}') {
            cr_assert_gt(depth, 0);
            char wanted = *text == ')' ? '(' : *text == ']' ? '[' : '{';
            cr_assert_eq(open[--depth], wanted);
        }
    }
    cr_assert_eq(depth, 0);
}

// Reads numbers up to the closing bracket, which separators of any kind part.
static void expect_floats(const char* at, int32_t count, const float* expected) {
    for (int32_t i = 0; i < count; ++i) {
        at += strspn(at, "[(, )");
        char* end = NULL;
        float found = strtof(at, &end);
        cr_assert(end > at);
        cr_assert_eq(found, expected[i], "value %d: %g, not %g", i, (double)found,
                     (double)expected[i]);
        at = end;
    }
    at += strspn(at, "), ");
    cr_assert_eq(*at, ']');
}

static void expect_frame(const char* at, int32_t frame, int32_t object, int32_t vertex_count) {
    float expected[64];
    for (int32_t i = 0; i < vertex_count; ++i) {
        HedVec3 x = position(frame, object, i);
        expected[3 * i] = (float)x.x;
        expected[3 * i + 1] = (float)x.y;
        expected[3 * i + 2] = (float)x.z;
    }
    expect_floats(at, 3 * vertex_count, expected);
}

static const char* after(const char* text, const char* piece) {
    const char* found = strstr(text, piece);
    cr_assert_not_null(found, "no '%s'", piece);
    return found + strlen(piece);
}

Test(usda, stage) {
    HedSeriesObject object = {
        .name = "cloth", .vertex_count = 4, .triangles = TRIANGLES, .triangle_count = 2};
    double times[4] = {1.0 / 60.0, 2.0 / 60.0, 3.0 / 60.0, 4.0 / 60.0};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 4});
    cr_assert_eq(strncmp(text.data, "#usda 1.0\n(\n", 12), 0);
    static const char* const LINES[] = {"\n    defaultPrim = \"World\"\n",
                                        "\n    metersPerUnit = 1\n",
                                        "\n    upAxis = \"Y\"\n",
                                        "\n    timeCodesPerSecond = 60\n",
                                        "\n    framesPerSecond = 60\n",
                                        "\n    startTimeCode = 1\n",
                                        "\n    endTimeCode = 4\n",
                                        "\ndef Xform \"World\"\n{\n",
                                        "\n    def Mesh \"cloth\"\n    {\n",
                                        "\n        int[] faceVertexCounts = [3, 3]\n",
                                        "\n        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n",
                                        "\n        uniform token subdivisionScheme = \"none\"\n",
                                        "\n        uniform token orientation = \"rightHanded\"\n"};
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; ++i) {
        cr_assert_eq(occurrences(text.data, LINES[i]), 1, "%s", LINES[i]);
    }
    expect_balanced(text.data);
    hed_text_free(&text);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(usda, samples) {
    HedSeriesObject objects[2] = {
        {.name = "a", .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1},
        {.name = "b", .vertex_count = 4, .triangles = TRIANGLES, .triangle_count = 2}};
    double times[3] = {0.0, 0.25, 0.5};
    HedText text =
        save((HedSeries){.objects = objects, .object_count = 2, .times = times, .frame_count = 3});
    const char* at = text.data;
    for (int32_t i = 0; i < 2; ++i) {
        at = after(at, i == 0 ? "def Mesh \"a\"" : "def Mesh \"b\"");
        expect_frame(after(at, "point3f[] points = "), 0, i, objects[i].vertex_count);
        at = after(at, "point3f[] points.timeSamples = {\n");
        for (int32_t frame = 0; frame < 3; ++frame) {
            char mark[32];
            snprintf(mark, sizeof mark, "            %d: ", frame);
            at = after(at, mark);
            expect_frame(at, frame, i, objects[i].vertex_count);
        }
        at = after(at, "float3[] extent.timeSamples = {\n");
        for (int32_t frame = 0; frame < 3; ++frame) {
            char mark[32];
            int32_t last = objects[i].vertex_count - 1;
            float box[6] = {0.0f,         (float)(frame - 0.1 * last),
                            (float)i,     (float)(last / 3.0),
                            (float)frame, (float)i};
            snprintf(mark, sizeof mark, "            %d: ", frame);
            at = after(at, mark);
            expect_floats(at, 6, box);
        }
    }
    expect_balanced(text.data);
    hed_text_free(&text);
}

Test(usda, uneven_times) {
    HedSeriesObject object = {
        .name = "a", .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1};
    double times[3] = {0.0, 0.125, 1.0};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 3});
    // first interval 1/8 s: eight codes per second, and 1 s is code 8
    cr_assert_not_null(strstr(text.data, "timeCodesPerSecond = 8\n"));
    cr_assert_not_null(strstr(text.data, "\n            1: [("));
    cr_assert_not_null(strstr(text.data, "endTimeCode = 8\n"));
    hed_text_free(&text);
}

// A hundred frames a second, the last of them sooner: the rate is that of all others.
Test(usda, a_short_last_interval) {
    HedSeriesObject object = {
        .name = "a", .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1};
    double times[4] = {10.0, 10.01, 10.02, 10.025};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 4});
    cr_assert_not_null(strstr(text.data, "framesPerSecond = 100\n"));
    cr_assert_not_null(strstr(text.data, "timeCodesPerSecond = 100\n"));
    cr_assert_not_null(strstr(text.data, "startTimeCode = 1000\n"));
    cr_assert_not_null(strstr(text.data, "\n            1001: [("));
    cr_assert_not_null(strstr(text.data, "endTimeCode = 1002.5\n"));
    hed_text_free(&text);
}

Test(usda, one_frame) {
    HedSeriesObject object = {
        .name = "a", .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1};
    double times[1] = {2.0};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 1});
    cr_assert_not_null(strstr(text.data, "timeCodesPerSecond = 24\n"));
    cr_assert_not_null(strstr(text.data, "startTimeCode = 48\n"));
    expect_frame(after(text.data, "point3f[] points = "), 0, 0, 3);
    hed_text_free(&text);
}

Test(usda, names_are_identifiers_and_unique) {
    static const char* const NAMES[] = {"sheet",   "sheet", "sheet_2",  "2nd",
                                        "a b/c-d", "",      "\xC3\xA9", "sheet"};
    static const char* const EXPECTED[] = {"sheet",   "sheet_2", "sheet_2_3", "_2nd",
                                           "a_b_c_d", "_",       "__",        "sheet_8"};
    enum { COUNT = 8 };
    HedSeriesObject objects[COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        objects[i] = (HedSeriesObject){
            .name = NAMES[i], .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1};
    }
    double times[1] = {0.0};
    HedText text = save(
        (HedSeries){.objects = objects, .object_count = COUNT, .times = times, .frame_count = 1});
    const char* at = text.data;
    for (int32_t i = 0; i < COUNT; ++i) {
        char line[96];
        snprintf(line, sizeof line, "    def Mesh \"%s\"\n", EXPECTED[i]);
        at = after(at, line);
        cr_assert_eq(occurrences(text.data, line), 1);
    }
    hed_text_free(&text);
}

Test(usda, long_names_and_empty_objects) {
    char name[200];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    HedSeriesObject objects[2] = {
        {.name = name, .vertex_count = 0, .triangles = NULL, .triangle_count = 0},
        {.name = name, .vertex_count = 0, .triangles = NULL, .triangle_count = 0}};
    double times[1] = {0.0};
    HedText text =
        save((HedSeries){.objects = objects, .object_count = 2, .times = times, .frame_count = 1});
    cr_assert_eq(occurrences(text.data, "faceVertexCounts = []\n"), 2);
    cr_assert_eq(occurrences(text.data, "points = []\n"), 2);
    cr_assert_eq(occurrences(text.data, "extent"), 0);
    cr_assert_not_null(strstr(text.data, "nnn_2\"\n"));
    expect_balanced(text.data);
    hed_text_free(&text);
}

// Decimal marks of a locale must not reach the file. Where no such locale is installed, nothing is
// tested.
Test(usda, locale) {
    static const char* const NAMES[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        setlocale(LC_ALL, NAMES[i]);
    }
    HedSeriesObject object = {
        .name = "a", .vertex_count = 2, .triangles = NULL, .triangle_count = 0};
    double times[1] = {0.1};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 1});
    cr_assert_not_null(strstr(text.data, "points = [(0, 0, 0), (0.333333343, -0.100000001, 0)]\n"));
    cr_assert_not_null(strstr(text.data, "startTimeCode = 2.4"));
    hed_text_free(&text);
    setlocale(LC_ALL, "C");
}

// --- Curves --------------------------------------------------------------------------------------

static const HedCurve CURVES[3] = {
    {.first = 0, .count = 2, .color = HED_COLOR_NONE, .radius = 0.25},
    {.first = 2, .count = 3, .is_closed = true, .color = 0xFF8000, .radius = 0.5},
    {.first = 5, .count = 4, .color = HED_COLOR_NONE, .radius = 0.125}};

// Points first..first+count of an object, as they should stand in the file.
static void expect_points(const char* at, int32_t frame, int32_t first, int32_t count) {
    float expected[32];
    for (int32_t i = 0; i < count; ++i) {
        HedVec3 x = position(frame, 0, first + i);
        expected[3 * i] = (float)x.x;
        expected[3 * i + 1] = (float)x.y;
        expected[3 * i + 2] = (float)x.z;
    }
    expect_floats(at, 3 * count, expected);
}

// To a few roundings of single precision.
static void expect_near(const char* at, int32_t count, const float* values) {
    for (int32_t i = 0; i < count; ++i) {
        char* end = NULL;
        at += strspn(at, "[(), ");
        // Five roundings of 6e-8, of numbers up to 1.
        cr_assert_float_eq(strtof(at, &end), values[i], 3e-7f, "number %d", i);
        at = end;
    }
}

Test(usda, open_curves) {
    HedCurve curves[2] = {CURVES[0], CURVES[2]};
    curves[1].first = 2;
    HedSeriesObject object = {.name = "yarns",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = 6,
                              .curves = curves,
                              .curve_count = 2};
    double times[2] = {0.0, 0.5};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 2});
    static const char* const LINES[] = {"\n    def BasisCurves \"yarns\"\n    {\n",
                                        "\n        uniform token type = \"cubic\"\n",
                                        "\n        uniform token basis = \"catmullRom\"\n",
                                        "\n        uniform token wrap = \"pinned\"\n",
                                        "\n        int[] curveVertexCounts = [2, 4]\n"};
    // radii 0.25 and 0.125 at each of two and of four points
    static const char WIDTHS[] = "\n        float[] widths = [0.5, 0.5, 0.25, 0.25, 0.25, 0.25] (\n"
                                 "            interpolation = \"vertex\"\n        )\n";
    cr_assert_eq(occurrences(text.data, WIDTHS), 1);
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; ++i) {
        cr_assert_eq(occurrences(text.data, LINES[i]), 1, "%s", LINES[i]);
    }
    cr_assert_null(strstr(text.data, "displayColor"));
    cr_assert_null(strstr(text.data, "Mesh"));
    // vertices stand sqrt(1/9 + 1/100) apart
    float step = (float)sqrt(1.0 / 9.0 + 0.01);
    float lengths[12] = {0.0f, 0.0f, step,        0.0f, 0.0f,        1.0f,
                         step, 1.0f, 2.0f * step, 1.0f, 3.0f * step, 1.0f};
    expect_near(after(text.data, "texCoord2f[] primvars:st = "), 12, lengths);
    expect_points(after(text.data, "point3f[] points = "), 0, 0, 6);
    const char* samples = after(text.data, "point3f[] points.timeSamples = {\n");
    expect_points(after(samples, "            0: "), 0, 0, 6);
    expect_points(after(samples, "            1: "), 1, 0, 6);
    // vertices from (0, 0, 0) to (5/3, -0.5, 0), and the largest radius around them
    float box[6] = {-0.25f, -0.75f, -0.25f, (float)(5.0 / 3.0) + 0.25f, 0.25f, 0.25f};
    expect_floats(after(text.data, "float3[] extent = "), 6, box);
    expect_balanced(text.data);
    hed_text_free(&text);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(usda, open_and_closed_curves_are_two_prims) {
    HedSeriesObject objects[2] = {
        {.name = "yarns", .vertex_count = 9, .curves = CURVES, .curve_count = 3},
        {.name = "yarns_open", .vertex_count = 3, .triangles = TRIANGLES, .triangle_count = 1}};
    double times[1] = {0.0};
    HedText text =
        save((HedSeries){.objects = objects, .object_count = 2, .times = times, .frame_count = 1});
    const char* open = after(text.data, "def BasisCurves \"yarns_open\"\n");
    const char* closed = after(open, "def BasisCurves \"yarns_closed\"\n");
    const char* mesh = after(closed, "def Mesh \"yarns_open_3\"\n");
    cr_assert_lt(after(open, "curveVertexCounts = [2, 4]\n"), closed);
    cr_assert_lt(after(open, "wrap = \"pinned\"\n"), closed);
    cr_assert_lt(after(closed, "curveVertexCounts = [3]\n"), mesh);
    cr_assert_lt(after(closed, "wrap = \"periodic\"\n"), mesh);
    cr_assert_lt(after(closed, "widths = [1] (\n            interpolation = \"constant\"\n"), mesh);
    expect_points(after(closed, "point3f[] points = "), 0, 2, 3);
    float color[3];
    const char* at = after(closed, "color3f[] primvars:displayColor = [(");
    for (int32_t i = 0; i < 3; ++i) {
        char* end = NULL;
        color[i] = strtof(at, &end);
        at = end + strspn(end, ", ");
    }
    // sRGB 128 is 0.2158605 in linear light; seven digits are known of the reference value
    cr_assert(color[0] == 1.0f && color[2] == 0.0f);
    // As above, and a rounding of 1.5e-8.
    cr_assert_float_eq(color[1], 0.2158605f, 1e-7f);
    cr_assert_eq(occurrences(text.data, "displayColor"), 1, "the open ones have no colour");
    expect_balanced(text.data);
    hed_text_free(&text);
}

Test(usda, curves_of_unknown_radius) {
    HedCurve curve = {.first = 0, .count = 3, .is_closed = true, .color = HED_COLOR_NONE};
    HedSeriesObject object = {.name = "y", .vertex_count = 3, .curves = &curve, .curve_count = 1};
    double times[1] = {0.0};
    HedText text =
        save((HedSeries){.objects = &object, .object_count = 1, .times = times, .frame_count = 1});
    cr_assert_null(strstr(text.data, "widths"));
    cr_assert_not_null(strstr(text.data, "def BasisCurves \"y\"\n"));
    expect_balanced(text.data);
    hed_text_free(&text);
}
