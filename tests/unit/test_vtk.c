// SPDX-License-Identifier: MIT
// VTK files read back by a reader made of searches: tags, attributes, the appended block.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/text.h"
#include "heddle/file.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static void set_up(void) {
    snprintf(directory, sizeof directory, "%s/hed-vtk-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
}

static void in_directory(const char* name, char path[160]) {
    snprintf(path, 160, "%s/%s", directory, name);
}

static HedText read_and_remove(const char* name) {
    char path[160];
    HedText text = {0};
    HedError error = {0};
    in_directory(name, path);
    cr_assert_eq(hed_text_read(path, &text, &error), HED_OK, "%s", error.message);
    unlink(path);
    return text;
}

TestSuite(vtk, .init = set_up);

static const int32_t FIRST[6] = {0, 1, 2, 0, 2, 3};
static const int32_t SECOND[3] = {2, 1, 0};
static const HedSeriesObject OBJECTS[3] = {
    {.name = "first", .vertex_count = 4, .triangles = FIRST, .triangle_count = 2},
    {.name = "empty", .vertex_count = 0, .triangles = NULL, .triangle_count = 0},
    {.name = "second", .vertex_count = 3, .triangles = SECOND, .triangle_count = 1}};
static const double TIMES[3] = {0.0, 1.0 / 3.0, 0.5};

static HedStatus load(void* context, int32_t frame, HedVec3* const* positions, HedError* error) {
    (void)context;
    (void)error;
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < OBJECTS[i].vertex_count; ++j) {
            positions[i][j] = (HedVec3){j / 3.0, i, frame};
        }
    }
    return HED_OK;
}

static HedSeries make_series(int32_t frame_count) {
    return (HedSeries){OBJECTS, 3, TIMES, frame_count, load, NULL};
}

// The number in an attribute of the first tag that follows a mark.
static uint64_t attribute(const char* xml, const char* mark, const char* name) {
    const char* tag = strstr(xml, mark);
    cr_assert_not_null(tag, "no %s", mark);
    while (*tag != '<') {
        --tag;
    }
    const char* end = strchr(tag, '>');
    char wanted[64];
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char* found = strstr(tag, wanted);
    cr_assert(found && found < end, "no %s in %s", name, mark);
    return strtoull(found + strlen(wanted), NULL, 10);
}

// The values of an appended array; checks the byte count in front of them.
static const char* array(const HedText* text, const char* name, uint64_t size) {
    const char* block = strstr(text->data, "<AppendedData encoding=\"raw\">");
    cr_assert_not_null(block);
    block = strchr(block, '_') + 1;
    char mark[64];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char* start = block + attribute(text->data, mark, "offset");
    uint64_t found = 0;
    cr_assert(start + sizeof found + size <= text->data + text->size);
    memcpy(&found, start, sizeof found);
    cr_assert_eq(found, size, "%s has %" PRIu64 " bytes", name, found);
    return start + sizeof found;
}

static void expect_frame(const HedText* text, int32_t frame) {
    static const char END[] = "\n  </AppendedData>\n</VTKFile>\n";
    cr_assert_eq(attribute(text->data, "<Piece", "NumberOfPoints"), 7);
    cr_assert_eq(attribute(text->data, "<Piece", "NumberOfPolys"), 3);
    cr_assert_eq(attribute(text->data, "<Piece", "NumberOfLines"), 0);
    cr_assert_eq(attribute(text->data, "Name=\"Points\"", "NumberOfComponents"), 3);
    cr_assert_not_null(strstr(text->data, "header_type=\"UInt64\""));
    cr_assert_not_null(strstr(text->data, "type=\"Float64\" Name=\"Points\""));
    const char* points = array(text, "Points", 7 * 24);
    for (int32_t i = 0; i < 7; ++i) {
        HedVec3 x;
        memcpy(&x, points + 24 * i, sizeof x);
        cr_assert_eq(x.x, (i < 4 ? i : i - 4) / 3.0);
        cr_assert_eq(x.y, i < 4 ? 0 : 2);
        cr_assert_eq(x.z, frame);
    }
    static const int32_t CORNERS[9] = {0, 1, 2, 0, 2, 3, 6, 5, 4};
    static const int32_t ENDS[3] = {3, 6, 9};
    static const int32_t NUMBERS[3] = {0, 0, 2};
    cr_assert_eq(memcmp(array(text, "connectivity", 36), CORNERS, 36), 0);
    cr_assert_eq(memcmp(array(text, "offsets", 12), ENDS, 12), 0);
    const char* last = array(text, "object", 12);
    cr_assert_eq(memcmp(last, NUMBERS, 12), 0);
    cr_assert_eq(last + 12 + sizeof END - 1, text->data + text->size);
    cr_assert_eq(memcmp(last + 12, END, sizeof END - 1), 0);
}

Test(vtk, polydata) {
    char path[160];
    HedSeries series = make_series(1);
    in_directory("a.vtp", path);
    cr_assert_eq(hed_series_save(path, &series, false, NULL), HED_OK);
    HedText text = read_and_remove("a.vtp");
    expect_frame(&text, 0);
    hed_text_free(&text);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
    cr_assert_eq(rmdir(directory), 0);
}

Test(vtk, collection) {
    char path[160];
    HedSeries series = make_series(3);
    in_directory("a & \"b\".pvd", path);
    cr_assert_eq(hed_series_save(path, &series, false, NULL), HED_OK);
    HedText text = read_and_remove("a & \"b\".pvd");
    static const char* const ROWS[3] = {"timestep=\"0\"", "timestep=\"0.3333333333333333\"",
                                        "timestep=\"0.5\""};
    const char* at = text.data;
    for (int32_t i = 0; i < 3; ++i) {
        char row[160];
        snprintf(row, sizeof row,
                 "    <DataSet %s group=\"\" part=\"0\" file=\"a &amp; &quot;b&quot;_frames/"
                 "a &amp; &quot;b&quot;.000%d.vtp\"/>\n",
                 ROWS[i], i + 1);
        at = strstr(at, row);
        cr_assert_not_null(at, "no %s", row);
        char name[64];
        snprintf(name, sizeof name, "a & \"b\"_frames/a & \"b\".000%d.vtp", i + 1);
        HedText frame = read_and_remove(name);
        expect_frame(&frame, i);
        hed_text_free(&frame);
    }
    cr_assert_not_null(strstr(text.data, "<VTKFile type=\"Collection\""));
    hed_text_free(&text);
    in_directory("a & \"b\"_frames", path);
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(rmdir(directory), 0);
}

Test(vtk, numbered_files) {
    char path[160];
    HedSeries series = make_series(2);
    in_directory("a.vtp", path);
    cr_assert_eq(hed_series_save(path, &series, false, NULL), HED_OK);
    for (int32_t i = 0; i < 2; ++i) {
        HedText text = read_and_remove(i == 0 ? "a.0001.vtp" : "a.0002.vtp");
        expect_frame(&text, i);
        hed_text_free(&text);
    }
    cr_assert_eq(rmdir(directory), 0);
}

// --- Curves --------------------------------------------------------------------------------------

static const HedCurve CURVES[3] = {
    {.first = 0, .count = 2, .color = HED_COLOR_NONE, .radius = 0.25},
    {.first = 2, .count = 3, .is_closed = true, .color = 0xFF8001, .radius = 0.5},
    {.first = 5, .count = 2, .color = 0}};
static const HedSeriesObject MIXED[3] = {
    {.name = "sheet", .vertex_count = 4, .triangles = FIRST, .triangle_count = 2},
    {.name = "yarns",
     .kind = HED_OBJECT_YARNS,
     .vertex_count = 7,
     .curves = CURVES,
     .curve_count = 3},
    {.name = "body", .vertex_count = 3, .triangles = SECOND, .triangle_count = 1}};

static HedStatus load_mixed(void* context, int32_t frame, HedVec3* const* positions,
                            HedError* error) {
    (void)context;
    (void)error;
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < MIXED[i].vertex_count; ++j) {
            positions[i][j] = (HedVec3){j / 3.0, i, frame};
        }
    }
    return HED_OK;
}

// The array with this name that follows a tag.
static const char* array_in(const HedText* text, const char* tag, const char* name, uint64_t size) {
    const char* section = strstr(text->data, tag);
    cr_assert_not_null(section, "no %s", tag);
    HedText rest = {(char*)(uintptr_t)section, text->size - (size_t)(section - text->data)};
    return array(&rest, name, size);
}

Test(vtk, lines_with_radius_and_colour) {
    char path[160];
    HedSeries series = {MIXED, 3, TIMES, 1, load_mixed, NULL};
    in_directory("a.vtp", path);
    cr_assert_eq(hed_series_save(path, &series, false, NULL), HED_OK);
    HedText text = read_and_remove("a.vtp");
    cr_assert_eq(attribute(text.data, "<Piece", "NumberOfPoints"), 14);
    cr_assert_eq(attribute(text.data, "<Piece", "NumberOfLines"), 3);
    cr_assert_eq(attribute(text.data, "<Piece", "NumberOfPolys"), 3);
    static const int32_t LINES[8] = {4, 5, 6, 7, 8, 6, 9, 10}; // the closed one ends at its start
    static const int32_t LINE_ENDS[3] = {2, 6, 8};
    static const int32_t CORNERS[9] = {0, 1, 2, 0, 2, 3, 13, 12, 11};
    static const int32_t NUMBERS[6] = {1, 1, 1, 0, 0, 2}; // cells of lines come first
    static const double RADII[6] = {0.25, 0.5, 0.0, 0.0, 0.0, 0.0};
    static const uint8_t COLORS[18] = {255, 255, 255, 255, 128, 1,   0,   0,   0,
                                       255, 255, 255, 255, 255, 255, 255, 255, 255};
    cr_assert_eq(memcmp(array_in(&text, "<Lines>", "connectivity", 32), LINES, 32), 0);
    cr_assert_eq(memcmp(array_in(&text, "<Lines>", "offsets", 12), LINE_ENDS, 12), 0);
    cr_assert_eq(memcmp(array_in(&text, "<Polys>", "connectivity", 36), CORNERS, 36), 0);
    cr_assert_eq(memcmp(array(&text, "object", 24), NUMBERS, 24), 0);
    cr_assert_eq(memcmp(array(&text, "radius", 48), RADII, 48), 0);
    cr_assert_eq(attribute(text.data, "Name=\"color\"", "NumberOfComponents"), 3);
    const char* colors = array(&text, "color", 18);
    cr_assert_eq(memcmp(colors, COLORS, 18), 0);
    static const char END[] = "\n  </AppendedData>\n</VTKFile>\n";
    cr_assert_eq(colors + 18 + sizeof END - 1, text.data + text.size);
    hed_text_free(&text);
    cr_assert_eq(rmdir(directory), 0);
}

Test(vtk, lines_without_colour) {
    char path[160];
    HedCurve curve = {.first = 0, .count = 4, .color = HED_COLOR_NONE};
    HedSeriesObject objects[3] = {
        {.name = "y", .vertex_count = 4, .curves = &curve, .curve_count = 1},
        OBJECTS[1],
        OBJECTS[2]};
    HedSeries series = {objects, 3, TIMES, 1, load, NULL};
    in_directory("a.vtp", path);
    cr_assert_eq(hed_series_save(path, &series, false, NULL), HED_OK);
    HedText text = read_and_remove("a.vtp");
    cr_assert_eq(attribute(text.data, "<Piece", "NumberOfLines"), 1);
    cr_assert_null(strstr(text.data, "Name=\"color\""));
    static const double NONE[2] = {0.0, 0.0}; // of the line and of the triangle
    cr_assert_eq(memcmp(array(&text, "radius", 16), NONE, 16), 0);
    hed_text_free(&text);
    cr_assert_eq(rmdir(directory), 0);
}
