// SPDX-License-Identifier: MIT
// Places of sheets in their patterns (texture coordinates) in OBJ, PLY and USD.
#define _GNU_SOURCE // mkdtemp
#include "base/text.h"
#include "heddle/file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Two sheets, one with places in its pattern at vertices and one at corners, and one without.
static const double PLACES[8] = {0, 0, 0.25, 0, 0.25, 0.5, 0, 0.5};
static const double CORNER_PLACES[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const int32_t QUAD[6] = {0, 1, 2, 0, 2, 3};

static HedStatus load_quads(void* context, int32_t frame, HedVec3* const* positions,
                            HedError* error) {
    (void)context;
    (void)frame;
    (void)error;
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t k = 0; k < 4; ++k) {
            positions[i][k] = (HedVec3){k == 1 || k == 2, k >= 2, i};
        }
    }
    return HED_OK;
}

static HedText save_patterns(const char* name) {
    static const double TIME = 0.0;
    HedSeriesObject objects[3];
    for (int32_t i = 0; i < 3; ++i) {
        objects[i] = (HedSeriesObject){
            .name = "quad", .vertex_count = 4, .triangles = QUAD, .triangle_count = 2};
    }
    objects[0].uv = PLACES;
    objects[1].uv = CORNER_PLACES;
    objects[1].uv_at_corners = true;
    HedSeries series = {objects, 3, &TIME, 1, load_quads, NULL};
    HedText text = {0};
    HedError error = {0};
    char directory[64];
    char path[96];
    snprintf(directory, sizeof directory, "%s/hed-patterns-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_eq(hed_series_save(path, &series, false, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    unlink(path);
    cr_assert_eq(rmdir(directory), 0);
    return text;
}

Test(patterns, in_obj) {
    HedText text = save_patterns("p.obj");
    cr_assert_not_null(strstr(text.data, "\nvt 0 0\nvt 0.25 0\nvt 0.25 0.5\nvt 0 0.5\n"
                                         "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"));
    cr_assert_not_null(strstr(text.data, "\nvt 11 12\nf 5/5 6/6 7/7\nf 5/8 7/9 8/10\n"));
    cr_assert_not_null(strstr(text.data, "\nf 9 10 11\nf 9 11 12\n"));
    hed_text_free(&text);
}

Test(patterns, in_ply) {
    HedText text = save_patterns("p.ply");
    static const char HEADER[] = "property double z\nproperty double s\nproperty double t\n"
                                 "element face 6\nproperty list uchar int vertex_indices\n"
                                 "property int object\nproperty list uchar float texcoord\n"
                                 "end_header\n";
    const char* at = strstr(text.data, HEADER);
    cr_assert_not_null(at);
    at += strlen(HEADER);
    for (int32_t i = 0; i < 12; ++i) {
        double row[5];
        memcpy(row, at, sizeof row);
        at += sizeof row;
        cr_assert_eq(row[3], i < 4 ? PLACES[2 * i] : 0.0);
        cr_assert_eq(row[4], i < 4 ? PLACES[2 * i + 1] : 0.0);
    }
    for (int32_t i = 0; i < 6; ++i) {
        at += 1 + 4 * sizeof(int32_t);
        cr_assert_eq(*at, i / 2 == 1 ? 6 : 0, "face %d", i);
        for (int32_t k = 0; k < *at; ++k) {
            float part;
            memcpy(&part, at + 1 + 4 * k, sizeof part);
            cr_assert_eq(part, (float)CORNER_PLACES[6 * (i - 2) + k]);
        }
        at += 1 + 4 * *at;
    }
    cr_assert_eq(at, text.data + text.size);
    hed_text_free(&text);
}

// The reader gets them back: of vertices where faces have none, zero of what has none at all.
Test(patterns, in_ply_are_read_back) {
    HedText text = save_patterns("p.ply");
    HedMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_mesh_parse(text.data, text.size, "ply", "p.ply", &mesh, &error), HED_OK, "%s",
                 error.message);
    cr_assert_eq(mesh.triangle_count, 6);
    for (int32_t i = 0; i < 18; ++i) {
        for (int k = 0; k < 2; ++k) {
            double expected = 0.0;
            if (i < 6) {
                expected = PLACES[2 * mesh.triangles[i] + k];
            } else if (i < 12) {
                expected = (double)(float)CORNER_PLACES[2 * (i - 6) + k];
            }
            cr_assert_eq(mesh.uv[2 * i + k], expected, "corner %d", i);
        }
    }
    hed_mesh_free(&mesh);
    hed_text_free(&text);
}

Test(patterns, in_usda) {
    HedText text = save_patterns("p.usda");
    cr_assert_not_null(strstr(
        text.data, "texCoord2f[] primvars:st = [(0, 0), (0.25, 0), (0.25, 0.5), (0, 0.5)] (\n"
                   "            interpolation = \"vertex\"\n"));
    cr_assert_not_null(strstr(text.data, "(9, 10), (11, 12)] (\n"
                                         "            interpolation = \"faceVarying\"\n"));
    hed_text_free(&text);
}

Test(patterns, must_be_finite) {
    static const double BAD[8] = {0, 0, 1, NAN, 0, 0, 0, 0};
    static const double TIME = 0.0;
    HedSeriesObject object = {
        .name = "quad", .vertex_count = 4, .triangles = QUAD, .triangle_count = 2, .uv = BAD};
    HedSeries series = {&object, 1, &TIME, 1, load_quads, NULL};
    HedError error = {0};
    cr_assert_eq(hed_series_save("never.obj", &series, false, &error), HED_INVALID);
    cr_assert(strstr(error.message, "'quad': place 1 in its pattern is at nan"), "%s",
              error.message);
}
