// SPDX-License-Identifier: MIT
// The OBJ reader, and what all mesh readers share: formats, triangulation, ownership.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "heddle/file.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char last_log[HED_ERROR_TEXT];

static void keep_log(HedLogLevel level, const char* message, void* context) {
    (void)level;
    (void)context;
    snprintf(last_log, sizeof last_log, "%s", message);
}

static HedMesh parse(const char* text) {
    HedMesh mesh = {0};
    HedError error = {0};
    last_log[0] = '\0';
    hed_log_set_hook(keep_log, NULL);
    cr_assert_eq(hed_mesh_parse(text, strlen(text), "obj", "f", &mesh, &error), HED_OK, "%s",
                 error.message);
    return mesh;
}

static void expect_status(const char* text, HedStatus status, const char* message) {
    HedMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_mesh_parse(text, strlen(text), "obj", "f", &mesh, &error), status, "%s", text);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(error.status, status);
    cr_assert_null(mesh.vertices);
    cr_assert_null(mesh.triangles);
    cr_assert_null(mesh.uv);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_failure(const char* text, const char* message) {
    expect_status(text, HED_PARSE, message);
}

static void expect_triangles(const HedMesh* mesh, int32_t count, const int32_t* triangles) {
    cr_assert_eq(mesh->triangle_count, count, "got %d triangles", mesh->triangle_count);
    for (int32_t i = 0; i < 3 * count; ++i) {
        cr_assert_eq(mesh->triangles[i], triangles[i], "index %d is %d", i, mesh->triangles[i]);
    }
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

Test(obj, vertices_and_faces) {
    HedMesh mesh = parse("# comment\nmtllib a.mtl\no thing\nv 0.5 -1e-3 +2 1\nv 1 0 0 0.1 0.2 0.3\n"
                         "v 1. .5 0 1 0.1 0.2 0.3\nvn 0 0 1\ng a b\ns off\nusemtl m\nl 1 2\np 1\n"
                         "f 1 2 3\n");
    cr_assert_eq(mesh.vertex_count, 3);
    cr_assert_eq(mesh.vertices[0].x, 0.5);
    cr_assert_eq(mesh.vertices[0].y, -1e-3);
    cr_assert_eq(mesh.vertices[0].z, 2.0);
    cr_assert_eq(mesh.vertices[2].y, 0.5);
    expect_triangles(&mesh, 1, (int32_t[]){0, 1, 2});
    cr_assert_null(mesh.uv);
    hed_mesh_free(&mesh);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(obj, all_corner_forms) {
    HedMesh mesh = parse(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nf 1 2 3\nf 1/1 2/2 3/3\nf 1//1 2//2 3//3\n"
                                "f 1/1/1 2/2/2 3/3/3\nf -4 -3 -2\nf -4/-3/-1 -3/-2/-1 -2/-1/-1\n"
                                "f 1/ 2/ 3/\nf 1// 2// 3//\nf +1 +2 +3\n");
    cr_assert_eq(mesh.triangle_count, 9);
    for (int32_t i = 0; i < 27; ++i) {
        cr_assert_eq(mesh.triangles[i], i % 3);
    }
    cr_assert_null(mesh.uv, "some corners have no texture");
    cr_assert_str_eq(last_log, "f: texture coordinates left out: there are corners without them");
    hed_mesh_free(&mesh);
}

Test(obj, line_ends_and_marks) {
    HedMesh mesh = parse("\xEF\xBB\xBFv 0 0 0\r\nv 1 0 0\rv 0 1 0\n\r\n  f\t1 2 3  ");
    cr_assert_eq(mesh.vertex_count, 3);
    expect_triangles(&mesh, 1, (int32_t[]){0, 1, 2});
    hed_mesh_free(&mesh);
}

Test(obj, continued_lines) {
    HedMesh mesh =
        parse("v 0 \\\n0 \\\r\n\\\n0\nv 1 0\\\n 0\n# ends in \\\nv 0 1 0\nmtllib C:\\dir\\\n"
              "f 1 2\\\r3 # trailing \\\n");
    cr_assert_eq(mesh.vertex_count, 3);
    expect_triangles(&mesh, 1, (int32_t[]){0, 1, 2});
    hed_mesh_free(&mesh);
    expect_failure("v 0 0 \\\n\\\nzero\n", "f:3: vertex z must be a finite number, got 'zero'");
    expect_failure("v 0 0 \\", "f:1: vertex z is missing");
}

Test(obj, faces_before_vertices) {
    HedMesh mesh = parse("f 1/1 2/2 3/3\nvt 0 0\nvt 1 0\nvt 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    expect_triangles(&mesh, 1, (int32_t[]){0, 1, 2});
    cr_assert_not_null(mesh.uv);
    hed_mesh_free(&mesh);
}

Test(obj, polygons_become_fans) {
    HedMesh mesh = parse(SQUARE "v -1 0.5 0\nf 1 2 3 4\nf 1 2 3 4 5\n");
    expect_triangles(&mesh, 5, (int32_t[]){0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 3, 4});
    hed_mesh_free(&mesh);
}

// An arrow head: corner 2 (or 1) is pushed in past the middle of the opposite diagonal, so that
// only the diagonal through it lies inside.
Test(obj, hollow_quads_take_the_inner_diagonal) {
    HedMesh mesh = parse("v 0 0 0\nv 0.2 0.2 0\nv 1 0 0\nv 0 1 0\nf 3 4 1 2\nf 1 2 3 4\n");
    // first face: corners (2, 3, 0, 1), reflex corner 1 is the fourth: diagonal 3-1
    // second face: corners (0, 1, 2, 3), reflex corner 1 is the second: diagonal 1-3
    expect_triangles(&mesh, 4, (int32_t[]){3, 0, 1, 3, 1, 2, 1, 2, 3, 1, 3, 0});
    hed_mesh_free(&mesh);
    mesh = parse("v 0.2 0.2 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3 4\nf 2 3 4 1\n");
    // reflex corner 0: first of the first face, last of the second
    expect_triangles(&mesh, 4, (int32_t[]){0, 1, 2, 0, 2, 3, 2, 3, 0, 2, 0, 1});
    hed_mesh_free(&mesh);
}

static double area_of(const HedMesh* mesh) {
    double area = 0.0;
    for (int32_t i = 0; i < mesh->triangle_count; ++i) {
        const int32_t* t = mesh->triangles + 3 * i;
        HedVec3 a = mesh->vertices[t[0]];
        HedVec3 n =
            hed_cross3(hed_sub3(mesh->vertices[t[1]], a), hed_sub3(mesh->vertices[t[2]], a));
        area += 0.5 * hed_norm3(n);
    }
    return area;
}

// The letter C, standing in the plane x = 3: three strips of 4 and one of 2 squares, told from
// every corner and in both directions. Coordinates follow their corners.
Test(obj, concave_polygons) {
    static const char* const VERTICES = "v 3 0 0\nv 3 4 0\nv 3 4 1\nv 3 1 1\nv 3 1 3\nv 3 4 3\n"
                                        "v 3 4 4\nv 3 0 4\nvt 0 0\nvt 4 0\nvt 4 1\nvt 1 1\n"
                                        "vt 1 3\nvt 4 3\nvt 4 4\nvt 0 4\nf";
    for (int32_t first = 0; first < 16; ++first) {
        char text[512];
        int used = snprintf(text, sizeof text, "%s", VERTICES);
        for (int32_t i = 0; i < 8; ++i) {
            int32_t corner = first < 8 ? (first + i) % 8 : (first + 8 - i) % 8;
            used += snprintf(text + used, sizeof text - (size_t)used, " %d/%d", (int)corner + 1,
                             (int)corner + 1);
        }
        HedMesh mesh = parse(text);
        cr_assert_eq(mesh.triangle_count, 6);
        cr_assert_eq(area_of(&mesh), 10.0, "from %d: %g", first, area_of(&mesh)); // whole numbers
        cr_assert_eq(mesh.crossed_count, 0);
        for (int32_t i = 0; i < 18; ++i) {
            HedVec3 x = mesh.vertices[mesh.triangles[i]];
            cr_assert(mesh.uv[2 * i] == x.y && mesh.uv[2 * i + 1] == x.z, "corner %d", i);
        }
        hed_mesh_free(&mesh);
    }
}

Test(obj, faces_that_cross_themselves) {
    HedMesh mesh = parse("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nv 1 5 0\nf 1 2 5\nf 1 2 3 4 5\n"
                         "f 1 2 3 4\n");
    cr_assert_eq(mesh.crossed_count, 2);
    cr_assert_eq(mesh.crossed_line, 7);
    cr_assert_str_eq(last_log, "f:7: a face crosses itself or runs around twice, so its triangles "
                               "lie over each other (2 such faces)");
    hed_mesh_free(&mesh);
}

Test(obj, other_encodings_are_named) {
    static const char UTF16[] = "\xFF\xFEv\0 \0"
                                "0\0";
    static const char PLAIN[] = "v\0 \0"
                                "0\0";
    HedMesh mesh;
    HedError error = {0};
    cr_assert_eq(hed_mesh_parse(UTF16, sizeof UTF16 - 1, "obj", "f", &mesh, &error), HED_PARSE);
    cr_assert_str_eq(error.message, "f:1: is UTF-16 text; save it as UTF-8");
    cr_assert_eq(hed_mesh_parse(PLAIN, sizeof PLAIN - 1, "obj", "f", &mesh, &error), HED_PARSE);
    cr_assert_not_null(strstr(error.message, "16 bits per letter"), "%s", error.message);
}

Test(obj, repeated_vertices_are_dropped) {
    HedMesh mesh = parse(SQUARE "f 1 2 2\nf 1 2 3 3\nf 2 3 4\n");
    expect_triangles(&mesh, 2, (int32_t[]){0, 1, 2, 1, 2, 3});
    cr_assert_str_eq(last_log, "f: dropped 2 triangles that name a vertex twice");
    hed_mesh_free(&mesh);
    expect_failure(SQUARE "f 1 2 2\n", "f: all 1 triangles name a vertex twice");
}

static void expect_uv(const HedMesh* mesh, const double* expected) {
    cr_assert_not_null(mesh->uv);
    for (int32_t i = 0; i < 6 * mesh->triangle_count; ++i) {
        cr_assert_eq(mesh->uv[i], expected[i], "uv number %d: %g, expected %g", i, mesh->uv[i],
                     expected[i]);
    }
}

Test(obj, texture_coordinates) {
    HedMesh mesh =
        parse(SQUARE "vt 0\nvt 1 0 0\nvt 1 1\nvt 0 1\nvt 0 0\nf 1/1 2/2 3/3\nf 1/5 3/3 4/4\n"
                     "v 9 9 9\n");
    expect_uv(&mesh, (const double[]){0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1});
    cr_assert_eq(last_log[0], '\0');
    hed_mesh_free(&mesh);
    // a vertex on a seam has two places in the pattern
    mesh = parse(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 0\nf 1/1 2/2 3/3\nf 1/4 3/3 4/1\n");
    expect_uv(&mesh, (const double[]){0, 0, 1, 0, 1, 1, 0.5, 0, 1, 1, 0, 0});
    hed_mesh_free(&mesh);
}

// Coordinates follow their corners through the cutting of polygons, also if the fan starts from the
// second corner (first diagonal outside) or a triangle is dropped.
Test(obj, texture_coordinates_of_polygons) {
    HedMesh mesh = parse("v 0 0 0\nv 0.2 0.2 0\nv 1 0 0\nv 0 1 0\nvt 1 10\nvt 2 20\nvt 3 30\n"
                         "vt 4 40\nf 1/1 2/2 3/3 4/4\nf 1/1 1/2 3/3 4/4\n");
    expect_triangles(&mesh, 3, (int32_t[]){1, 2, 3, 1, 3, 0, 0, 2, 3});
    expect_uv(&mesh,
              (const double[]){2, 20, 3, 30, 4, 40, 2, 20, 4, 40, 1, 10, 1, 10, 3, 30, 4, 40});
    cr_assert_eq(mesh.dropped_count, 1);
    cr_assert_eq(mesh.dropped_line, 10);
    hed_mesh_free(&mesh);
}

Test(obj, lines_of_triangles) {
    HedMesh mesh = parse(SQUARE "# a note\nf 1 2 3 4\n\nf 3 2 \\\n1\n");
    static const int32_t EXPECTED[3] = {6, 6, 9}; // where the face ends
    cr_assert_eq(mesh.triangle_count, 3);
    for (int32_t i = 0; i < 3; ++i) {
        cr_assert_eq(mesh.lines[i], EXPECTED[i]);
    }
    cr_assert_eq(mesh.dropped_count, 0);
    hed_mesh_free(&mesh);
}

Test(obj, bad_numbers) {
    expect_failure("v 0 0 0\nv 1 x 0\n", "f:2: vertex y must be a finite number, got 'x'");
    expect_failure("v 1 nan 0\n", "f:1: vertex y must be a finite number, got 'nan'");
    expect_failure("v inf 0 0\n", "f:1: vertex x must be a finite number, got 'inf'");
    expect_failure("v 0 0 1e999\n", "f:1: vertex z must be a finite number, got '1e999'");
    expect_failure("v 1,5 0 0\n", "f:1: vertex x must be a finite number, got '1,5'");
    expect_failure("v 0x10 0 0\n", "f:1: vertex x must be a finite number, got '0x10'");
    expect_failure("v 1 2 # 3\n", "f:1: vertex z is missing");
    expect_failure("\n\nvt\n", "f:3: texture u is missing");
    expect_failure("vt 0 no\n", "f:1: texture v must be a finite number, got 'no'");
    expect_failure("v \xff\x01 0 0\n", "f:1: vertex x must be a finite number, got '?'");
}

Test(obj, bad_faces) {
    expect_failure(SQUARE "f 1 2\n", "f:5: a face needs at least 3 vertices, got 2");
    expect_failure(SQUARE "f\n", "f:5: a face needs at least 3 vertices, got 0");
    expect_failure(SQUARE "f 1 2 5\n", "f:5: vertex index 5 is out of range, the file has 4");
    expect_failure(SQUARE "f 1 2 7\nf 1 2 9\nf 1 2 8\n",
                   "f:6: vertex index 9 is out of range, the file has 4");
    expect_failure(SQUARE "f 1 2 -5\n", "f:5: vertex of corner '-5' is out of range");
    expect_failure("v 0 0 0\nf -1 -2 -3\nv 0 0 0\nv 0 0 0\n",
                   "f:2: vertex of corner '-2' is out of range");
    expect_failure(SQUARE "f 1 2 9999999999\n",
                   "f:5: vertex of corner '9999999999' is out of range");
    expect_failure(SQUARE "vt 0 0\nf 1/1 2/1 3/2\n",
                   "f:6: texture index 2 is out of range, the file has 1");
    expect_failure(SQUARE "f 1/-1 2 3\n", "f:5: texture of corner '1/-1' is out of range");
    static const char* const MALFORMED[] = {
        "0", "x", "1/x", "/1", "1/2/3/4", "1.5", "-", "1/0", "99999999999999999999", "--1", "1\\2"};
    for (size_t i = 0; i < sizeof MALFORMED / sizeof MALFORMED[0]; ++i) {
        char text[128];
        char message[160];
        snprintf(text, sizeof text, SQUARE "f 1 2 %s\n", MALFORMED[i]);
        snprintf(message, sizeof message,
                 "f:5: a corner must be v, v/t, v//n or v/t/n, no index 0, got '%s'", MALFORMED[i]);
        expect_failure(text, message);
    }
}

Test(obj, nothing_in_it) {
    expect_status("", HED_NOT_FOUND, "f: holds no faces (0 vertices)");
    expect_status(SQUARE, HED_NOT_FOUND, "f: holds no faces (4 vertices)");
    expect_status(SQUARE "l 1 2 3\n", HED_NOT_FOUND, "f: holds no faces (4 vertices)");
    expect_status("<html>\n<body>", HED_NOT_FOUND, "f: holds no faces (0 vertices)");
}

Test(obj, polylines_are_passed_over) {
    // whatever they say: only the reader of curves looks into them
    HedMesh mesh = parse(SQUARE "l 1 2 \\\n3 4\nl 99 nonsense\nf 1 2 3\n");
    expect_triangles(&mesh, 1, (int32_t[]){0, 1, 2});
    cr_assert_str_eq(last_log, "f: 2 polylines left out: the file has faces");
    hed_mesh_free(&mesh);
}

Test(obj, formats_and_files) {
    HedMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_mesh_parse("", 0, "stl", "f", &mesh, &error), HED_UNSUPPORTED);
    cr_assert_str_eq(error.message, "f: cannot read meshes of format 'stl', only obj, ply and vtp");
    cr_assert_eq(hed_mesh_parse(NULL, 0, "obj", "f", &mesh, NULL), HED_NOT_FOUND);
    cr_assert_eq(hed_mesh_load("missing.obj", &mesh, &error), HED_NOT_FOUND);
    cr_assert_eq(hed_mesh_load("no-extension", &mesh, &error), HED_UNSUPPORTED);
    char directory[64];
    char path[96];
    snprintf(directory, sizeof directory, "%s/hed-obj-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/A.OBJ", directory);
    FILE* file = fopen(path, "wb");
    fputs(SQUARE "f 1 2 3 4\n", file);
    fclose(file);
    cr_assert_eq(hed_mesh_load(path, &mesh, &error), HED_OK, "%s", error.message);
    cr_assert_eq(mesh.triangle_count, 2);
    hed_mesh_free(&mesh);
    hed_mesh_free(&mesh);
    hed_mesh_free(NULL);
    unlink(path);
    rmdir(directory);
}

Test(obj, every_allocation_may_fail) {
    static const char TEXT[] = SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n";
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedMesh mesh = {0};
        int64_t calls = hed_alloc_stats().call_count;
        hed_alloc_fail_at(n);
        status = hed_mesh_parse(TEXT, strlen(TEXT), "obj", "f", &mesh, NULL);
        hed_alloc_fail_at(0);
        cr_assert_eq(status, hed_alloc_stats().call_count - calls < n ? HED_OK : HED_NO_MEMORY);
        cr_assert_eq(mesh.uv != NULL, status == HED_OK);
        hed_mesh_free(&mesh);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}

// Long lines, long continuations and many small pieces must cost time in proportion to their
// length. Processor time of 0.06 s each with sanitizers; quadratic in 1e5 pieces is tens of
// seconds.
Test(obj, no_quadratic_cost) {
    enum { SIZE = 1000000 };
    static const char* const PIECES[] = {" 1",    "\\\n", "f 1 2 3\n", "v 0 0 0\n", "\\",
                                         "f -1 ", "#",    "\n",        "1/",        "\r"};
    char* text = hed_alloc(SIZE + 64);
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; ++i) {
        size_t used = (size_t)snprintf(text, 64, SQUARE "f");
        for (size_t size = strlen(PIECES[i]); used < SIZE; used += size) {
            memcpy(text + used, PIECES[i], size);
        }
        HedMesh mesh = {0};
        clock_t start = clock();
        hed_mesh_parse(text, used, "obj", "f", &mesh, NULL);
        cr_assert_lt(clock() - start, 4 * CLOCKS_PER_SEC, "pieces '%s'", PIECES[i]);
        hed_mesh_free(&mesh);
    }
    hed_free(text);
}
