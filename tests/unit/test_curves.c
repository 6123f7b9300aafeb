// SPDX-License-Identifier: MIT
// Polylines of OBJ files, files of either kind, and curves that go out and come back.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "heddle/file.h"
#include "support/logs.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static HedCurves parse(const char* text) {
    HedCurves curves = {0};
    HedError error = {0};
    logs_begin();
    cr_assert_eq(hed_curves_parse(text, strlen(text), "obj", "f", &curves, &error), HED_OK, "%s",
                 error.message);
    return curves;
}

static void expect_status(const char* text, HedStatus status, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    cr_assert_eq(hed_curves_parse(text, strlen(text), "obj", "f", &curves, &error), status, "%s",
                 text);
    cr_assert_str_eq(error.message, message);
    cr_assert(!curves.vertices && !curves.curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_failure(const char* text, const char* message) {
    expect_status(text, HED_PARSE, message);
}

// Vertex i of the files below stands at (i, i * i, 0), so that the x of a point tells its number.
#define POINTS "v 1 1 0\nv 2 4 0\nv 3 9 0\nv 4 16 0\nv 5 25 0\nv 6 36 0\n"

// The curves as text: numbers of vertices with commas, curves with blanks, "o" after closed ones.
static void expect_curves(const char* text, const char* expected) {
    HedCurves curves = parse(text);
    char found[256] = "";
    int32_t first = 0;
    for (int32_t i = 0; i < curves.curve_count; ++i) {
        const HedCurve* curve = &curves.curves[i];
        cr_assert_eq(curve->first, first, "no gaps");
        for (int32_t j = 0; j < curve->count; ++j) {
            HedVec3 x = curves.vertices[first + j];
            size_t used = strlen(found);
            cr_assert_eq(x.y, x.x * x.x);
            snprintf(found + used, sizeof found - used, "%s%g", j ? "," : i ? " " : "", x.x);
        }
        if (curve->is_closed) {
            strcat(found, "o");
        }
        cr_assert(curve->radius == 0.0 && curve->color == HED_COLOR_NONE);
        first += curve->count;
    }
    cr_assert_eq(first, curves.vertex_count);
    cr_assert_eq(curves.up_axis, -1);
    cr_assert_str_eq(found, expected, "%s gives %s, not %s", text, found, expected);
    hed_curves_free(&curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(curves, polylines) {
    expect_curves(POINTS "l 1 2 3\n", "1,2,3");
    expect_curves(POINTS "l 1 2 3\nl 4 5\n", "1,2,3 4,5");
    expect_curves(POINTS "l 1 2 3 1\n", "1,2,3o");
    expect_curves(POINTS "l 3 2 1\nl 3 4\n", "3,2,1 3,4"); // shared vertices are copied
    expect_curves(POINTS "l -1 -2 -3\n", "6,5,4");
    expect_curves(POINTS "l 1/1 2/5 3/\n", "1,2,3"); // textures, even of none
    expect_curves(POINTS "l 1 \\\n2 \\\n3 # end\nl 4 5 6", "1,2,3 4,5,6");
    expect_curves("l 1 2 3\n" POINTS, "1,2,3"); // before its vertices
    expect_curves("v 1 1 0\nv 2 4 0\nl -2 -1\nv 3 9 0\nv 4 16 0\nl -2 -1\n", "1,2 3,4");
}

Test(curves, pairs_are_joined) {
    expect_curves(POINTS "l 1 2\nl 2 3\nl 3 4\n", "1,2,3,4");
    expect_curves(POINTS "l 1 2\nl 2 3\nl 4 5\nl 5 6\n", "1,2,3 4,5,6");
    expect_curves(POINTS "l 1 2\nl 2 3\nl 3 1\n", "1,2,3o");
    expect_curves(POINTS "l 1 2\nl 2 3\nl 1 3\n", "1,2,3o");           // the last edge turned round
    expect_curves(POINTS "l 2 1\nl 3 2\nl 4 3\nl 1 4\n", "1,2,3,4o");  // all edges turned round
    expect_curves(POINTS "l 1 2\nl 3 2\nl 3 4\nl 5 4\n", "1,2,3,4,5"); // some
    expect_curves(POINTS "l 1 2\nl 2 3\nl 3 1\nl 1 4\n", "1,2,3o 1,4"); // closed: no more
    expect_curves(POINTS "l 1 2\nl 2 3 4\nl 4 5\n", "1,2 2,3,4 4,5");   // longer ones stay alone
    expect_curves(POINTS "o a\nl 1 2\no b\nl 2 3\n", "1,2 2,3");        // of two objects
    expect_curves(POINTS "g a\nl 1 2\ng b\nl 2 3\n", "1,2 2,3");
    expect_curves(POINTS "l 1 2\ns off\nusemtl m\nl 2 3\n", "1,2,3");
    // a star: two of its edges are one curve, the rest is not guessed at
    expect_curves(POINTS "l 1 2\nl 1 3\nl 1 4\n", "2,1,3 1,4");
    // as points and pairs alternate in files of some programs
    expect_curves("v 1 1 0\nv 2 4 0\nl -2 -1\nv 3 9 0\nl -2 -1\nv 4 16 0\nl -2 -1\n", "1,2,3,4");
}

Test(curves, what_is_dropped) {
    expect_curves(POINTS "l 1 1 2 2 3\n", "1,2,3");
    cr_assert_str_eq(logs, "f: dropped 2 points that repeat their predecessor\n");
    expect_curves(POINTS "v 1 1 0\nl 1 2 3 7\n", "1,2,3,1"); // another vertex: open as it says
    expect_curves(POINTS "v 1 1 0\nl 1 2 3 7 1\n", "1,2,3o");
    expect_curves(POINTS "l 1 2 1\nl 1 2 3\n", "1,2,3"); // there and back encloses nothing
    cr_assert_not_null(strstr(logs, "f: dropped 1 curves without two different points, or three if "
                                    "closed; the first is curve 0\n"));
    expect_curves(POINTS "l 1 2 3\nl 5 5\nl 4 5\n", "1,2,3 4,5");
    expect_curves(POINTS "f 1 2 3\nf 1 2 nonsense\nl 1 2 3\np 4\n", "1,2,3");
    cr_assert_str_eq(logs, "f: 2 faces left out\n");
}

Test(curves, bad_polylines) {
    expect_failure(POINTS "l 1\n", "f:7: a polyline needs at least 2 vertices, got 1");
    expect_failure(POINTS "l\n", "f:7: a polyline needs at least 2 vertices, got 0");
    expect_failure(POINTS "l 1 2 7\nl 1 9\nl 8 1\n",
                   "f:8: vertex index 9 is out of range, the file has 6");
    expect_failure(POINTS "l 1 -7\n", "f:7: point '-7' of a polyline is out of range");
    expect_failure(POINTS "l 1 99999999999\n",
                   "f:7: point '99999999999' of a polyline is out of range");
    expect_failure("v 0 0\nl 1 2\n", "f:1: vertex z is missing");
    expect_failure("v 0 0 nan\nl 1 2\n", "f:1: vertex z must be a finite number, got 'nan'");
    expect_failure("v 0 0 1e999\nl 1 2\n", "f:1: vertex z must be a finite number, got '1e999'");
    static const char* const MALFORMED[] = {"0",
                                            "1.5",
                                            "x",
                                            "1//2",
                                            "1/2/3",
                                            "/1",
                                            "1/x",
                                            "--",
                                            "1e1",
                                            "0x1",
                                            "1/0",
                                            "-0",
                                            "+",
                                            "1,2",
                                            "-1/-1/-1",

                                            "999999999999999999999"};
    for (size_t i = 0; i < sizeof MALFORMED / sizeof MALFORMED[0]; ++i) {
        char text[160];
        char message[160];
        snprintf(text, sizeof text, POINTS "l 1 2\nl 3 %s\n", MALFORMED[i]);
        snprintf(message, sizeof message,
                 "f:8: a point of a polyline must be v or v/t, no index 0, got '%s'", MALFORMED[i]);
        expect_failure(text, message);
    }
    expect_failure(POINTS "l 1 1\n",
                   "f: no curve has two different points, or three if closed; 1 curves read");
}

Test(curves, nothing_in_it) {
    expect_status("", HED_NOT_FOUND, "f: holds no polylines (0 vertices)");
    expect_status(POINTS "f 1 2 3\n", HED_NOT_FOUND, "f: holds no polylines (6 vertices)");
}

Test(curves, formats) {
    HedCurves curves = {0};
    HedError error = {0};
    cr_assert_eq(hed_curves_parse("", 0, "stl", "f", &curves, &error), HED_UNSUPPORTED);
    cr_assert_str_eq(error.message, "f: cannot read curves of format 'stl', only bcc, obj, ply, "
                                    "yarns, pyp, usda and vtp");
    cr_assert_eq(hed_curves_parse(NULL, 0, "OBJ", "f", &curves, NULL), HED_NOT_FOUND);
    cr_assert_eq(hed_curves_parse(NULL, 0, "bcc", "f", &curves, NULL), HED_PARSE);
    cr_assert_eq(hed_curves_parse("", (size_t)INT32_MAX + 1, "bcc", "f", &curves, &error),
                 HED_UNSUPPORTED);
    cr_assert_eq(hed_curves_load("missing.bcc", &curves, &error), HED_NOT_FOUND);
    cr_assert_eq(hed_curves_load("no-extension", &curves, &error), HED_UNSUPPORTED);
    cr_assert_eq(hed_curves_load("/", &curves, &error), HED_UNSUPPORTED);
}

Test(curves, every_allocation_may_fail) {
    static const char TEXT[] = POINTS "l 1 2\nl 2 3\nl 4 5 6 4\n";
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedCurves curves = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        status = hed_curves_parse(TEXT, sizeof TEXT - 1, "obj", "f", &curves, &error);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(error.message[0] != '\0', status != HED_OK);
        hed_curves_free(&curves);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}

// --- Files ---------------------------------------------------------------------------------------

static char directory[64];

static void set_up(void) {
    snprintf(directory, sizeof directory, "%s/hed-curves-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
}

static void in_directory(const char* name, char path[160]) {
    snprintf(path, 160, "%s/%s", directory, name);
}

static void forget(const char* name) {
    char path[160];
    in_directory(name, path);
    cr_assert_eq(unlink(path), 0, "%s", path);
}

static void tear_down(void) {
    cr_assert_eq(rmdir(directory), 0, "every file was expected");
}

TestSuite(curve_files, .init = set_up, .fini = tear_down);

static void write_text(const char* name, const char* text) {
    char path[160];
    in_directory(name, path);
    FILE* file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

static HedStatus load_either(const char* name, HedMesh* mesh, HedCurves* curves, HedError* error) {
    char path[160];
    in_directory(name, path);
    logs_begin();
    return hed_geometry_load(path, mesh, curves, error);
}

Test(curve_files, either_kind) {
    HedMesh mesh;
    HedCurves curves;
    HedError error = {0};
    write_text("a.obj", POINTS "l 1 2 3\n");
    cr_assert_eq(load_either("a.obj", &mesh, &curves, &error), HED_OK, "%s", error.message);
    cr_assert(mesh.triangle_count == 0 && !mesh.vertices && curves.curve_count == 1);
    cr_assert_eq(curves.vertex_count, 3, "vertices of no curve are left out");
    hed_curves_free(&curves);
    write_text("a.obj", POINTS "l 1 2 3\nf 1 2 3\n");
    cr_assert_eq(load_either("a.obj", &mesh, &curves, &error), HED_OK, "%s", error.message);
    cr_assert(mesh.triangle_count == 1 && curves.curve_count == 0 && !curves.vertices);
    cr_assert_not_null(strstr(logs, "a.obj: 1 polylines left out: the file has faces"));
    hed_mesh_free(&mesh);
    forget("a.obj");
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(curve_files, neither_kind) {
    static const struct {
        const char* text;
        HedStatus status;
        const char* message;
    } CASES[] = {
        {POINTS, HED_NOT_FOUND, "a.obj: holds neither faces nor polylines"},
        {POINTS "f 1 2 x\nl 1 2 3\n", HED_PARSE, "a.obj:7: a corner must be"},
        {POINTS "l 1 2 x\n", HED_PARSE, "a.obj:7: a point of a polyline must be"},
        {POINTS "l 2 2\n", HED_PARSE, "a.obj: no curve has two different points"},
        {"v 0 0 zero\n", HED_PARSE, "a.obj:1: vertex z must be a finite number"},
    };
    HedMesh mesh;
    HedCurves curves;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        HedError error = {0};
        write_text("a.obj", CASES[i].text);
        cr_assert_eq(load_either("a.obj", &mesh, &curves, &error), CASES[i].status);
        cr_assert_not_null(strstr(error.message, CASES[i].message), "%s", error.message);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    forget("a.obj");
    HedError error = {0};
    cr_assert_eq(load_either("a.obj", &mesh, &curves, &error), HED_NOT_FOUND);
    cr_assert_eq(load_either("a.ply", &mesh, &curves, &error), HED_NOT_FOUND);
    cr_assert_eq(load_either("a.bcc", &mesh, &curves, &error), HED_NOT_FOUND);
    cr_assert_eq(load_either("a.stl", &mesh, &curves, &error), HED_UNSUPPORTED);
    cr_assert_not_null(
        strstr(error.message, "a.stl: cannot read format 'stl', only bcc, obj, ply"));
}

// --- Out and back --------------------------------------------------------------------------------

static HedStatus copy_positions(void* context, int32_t frame, HedVec3* const* positions,
                                HedError* error) {
    const HedCurves* curves = context;
    (void)frame;
    (void)error;
    memcpy(positions[0], curves->vertices, (size_t)curves->vertex_count * sizeof(HedVec3));
    return HED_OK;
}

static void save(const char* name, HedCurves* curves) {
    char path[160];
    HedError error = {0};
    double time = 0.0;
    HedSeriesObject object = {.name = "yarns",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = curves->vertex_count,
                              .curves = curves->curves,
                              .curve_count = curves->curve_count};
    HedSeries series = {&object, 1, &time, 1, copy_positions, curves};
    in_directory(name, path);
    cr_assert_eq(hed_series_save(path, &series, false, &error), HED_OK, "%s", error.message);
}

static HedCurves load(const char* name) {
    char path[160];
    HedError error = {0};
    HedCurves curves = {0};
    in_directory(name, path);
    cr_assert_eq(hed_curves_load(path, &curves, &error), HED_OK, "%s", error.message);
    return curves;
}

// An open helix of two points and more, and closed rings, with numbers that no short text has.
static HedCurves make_curves(void) {
    enum { CURVES = 5, VERTICES = 2 + 3 + 40 + 17 + 5 };
    static const int32_t COUNTS[CURVES] = {2, 3, 40, 17, 5};
    HedCurves curves = {.vertices = HED_NEW_ARRAY(HedVec3, VERTICES),
                        .curves = HED_NEW_ARRAY(HedCurve, CURVES),
                        .curve_count = CURVES};
    for (int32_t i = 0; i < CURVES; ++i) {
        curves.curves[i] = (HedCurve){.first = curves.vertex_count,
                                      .count = COUNTS[i],
                                      .is_closed = i % 2 == 1,
                                      .color = HED_COLOR_NONE};
        for (int32_t j = 0; j < COUNTS[i]; ++j) {
            double angle = 6.283185307179586 * j / COUNTS[i];
            curves.vertices[curves.vertex_count++] =
                (HedVec3){cos(angle) * 1e-3, 1.0 / 3.0 * j * !curves.curves[i].is_closed + i,
                          sin(angle) * 1e3};
        }
    }
    return curves;
}

static void expect_same_curves(const HedCurves* a, const HedCurves* b) {
    cr_assert_eq(a->curve_count, b->curve_count);
    cr_assert_eq(a->vertex_count, b->vertex_count);
    for (int32_t i = 0; i < a->curve_count; ++i) {
        cr_assert_eq(a->curves[i].first, b->curves[i].first);
        cr_assert_eq(a->curves[i].count, b->curves[i].count);
        cr_assert_eq(a->curves[i].is_closed, b->curves[i].is_closed);
    }
}

static void expect_near(double found, double expected, double relative) {
    cr_assert_leq(fabs(found - expected), relative * fabs(expected), "%.17g is not %.17g", found,
                  expected);
}

Test(curve_files, obj_keeps_every_bit) {
    HedCurves made = make_curves();
    save("a.obj", &made);
    HedCurves found = load("a.obj");
    expect_same_curves(&made, &found);
    cr_assert_eq(memcmp(made.vertices, found.vertices, (size_t)made.vertex_count * sizeof(HedVec3)),
                 0);
    hed_curves_free(&made);
    hed_curves_free(&found);
    forget("a.obj");
}

// A float keeps 24 bits: rounding moves a number by half a unit of the last, 2^-24 of it at most.
Test(curve_files, bcc_keeps_floats) {
    HedCurves made = make_curves();
    save("a.bcc", &made);
    HedCurves found = load("a.bcc");
    cr_assert_eq(found.up_axis, 1);
    expect_same_curves(&made, &found);
    for (int32_t i = 0; i < made.vertex_count; ++i) {
        expect_near(found.vertices[i].x, made.vertices[i].x, 0.5 * (double)FLT_EPSILON);
        expect_near(found.vertices[i].y, made.vertices[i].y, 0.5 * (double)FLT_EPSILON);
        expect_near(found.vertices[i].z, made.vertices[i].z, 0.5 * (double)FLT_EPSILON);
    }
    hed_curves_free(&made);
    // from floats on, nothing changes any more: through OBJ and back the file is the same
    save("b.obj", &found);
    HedCurves again = load("b.obj");
    save("b.bcc", &again);
    char path[160];
    HedText first = {0};
    HedText second = {0};
    in_directory("a.bcc", path);
    cr_assert_eq(hed_text_read(path, &first, NULL), HED_OK);
    in_directory("b.bcc", path);
    cr_assert_eq(hed_text_read(path, &second, NULL), HED_OK);
    cr_assert_eq(first.size, second.size);
    cr_assert_eq(memcmp(first.data, second.data, first.size), 0);
    hed_text_free(&first);
    hed_text_free(&second);
    hed_curves_free(&found);
    hed_curves_free(&again);
    forget("a.bcc");
    forget("b.obj");
    forget("b.bcc");
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(curve_files, bytes_of_bcc) {
    HedVec3 x[5] = {{1, 2, 3}, {-0.5, 0, 1.0 / 3.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedCurve list[2] = {{.first = 0, .count = 2, .color = 0xFF8000, .radius = 0.5},
                        {.first = 2, .count = 3, .is_closed = true}};
    HedCurves curves = {.vertices = x, .vertex_count = 5, .curves = list, .curve_count = 2};
    static const char EXPECTED[] = "BCC\x44"
                                   "C0\x03\x01"
                                   "\x02\0\0\0\0\0\0\0"
                                   "\x05\0\0\0\0\0\0\0"
                                   "heddle " /* version, then zeros */;
    static const char BODY[] = "\x02\0\0\0"
                               "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"
                               "\0\0\0\xbf\0\0\0\0\xab\xaa\xaa\x3e"
                               "\xfd\xff\xff\xff"
                               "\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\x80\x3f\0\0\0\0\0\0\0\0"
                               "\0\0\0\0\0\0\x80\x3f\0\0\0\0";
    char path[160];
    HedText text = {0};
    save("a.bcc", &curves);
    in_directory("a.bcc", path);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_eq(text.size, 64 + sizeof BODY - 1);
    cr_assert_eq(memcmp(text.data, EXPECTED, sizeof EXPECTED - 1), 0);
    cr_assert_str_eq(text.data + 31, hed_version());
    cr_assert_eq(text.data[63], 0);
    cr_assert_eq(memcmp(text.data + 64, BODY, sizeof BODY - 1), 0);
    hed_text_free(&text);
    forget("a.bcc");
}

// Every byte of a colour goes to OBJ and comes back, and curves beside each other stay apart.
Test(curve_files, colours_of_obj) {
    enum { COUNT = 256 };
    static HedVec3 x[3 * COUNT];
    static HedCurve list[COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        list[i] = (HedCurve){.first = 3 * i,
                             .count = 3,
                             .is_closed = i % 2 == 1,
                             .color = i << 16 | (255 - i) << 8 | (i * 7 & 255)};
        for (int32_t k = 0; k < 3; ++k) {
            x[3 * i + k] = (HedVec3){i + 0.1 * k, k == 1, 1.0 / 3.0};
        }
    }
    HedCurves curves = {
        .vertices = x, .vertex_count = 3 * COUNT, .curves = list, .curve_count = COUNT};
    HedCurves back = {0};
    char path[160];
    save("c.obj", &curves);
    in_directory("c.obj", path);
    cr_assert_eq(hed_curves_load(path, &back, NULL), HED_OK);
    cr_assert_eq(back.curve_count, COUNT);
    cr_assert_eq(memcmp(back.vertices, x, sizeof x), 0, "places are the same bits");
    for (int32_t i = 0; i < COUNT; ++i) {
        cr_assert_eq(back.curves[i].color, list[i].color, "%d: %x", i, back.curves[i].color);
        cr_assert_eq(back.curves[i].is_closed, list[i].is_closed);
        cr_assert_eq(back.curves[i].count, 3);
    }
    hed_curves_free(&back);
    forget("c.obj");
}

Test(curve_files, lines_of_obj) {
    HedVec3 x[5] = {{1, 2, 3}, {-0.5, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedCurve list[2] = {{.first = 0, .count = 2, .color = HED_COLOR_NONE},
                        {.first = 2, .count = 3, .is_closed = true, .color = HED_COLOR_NONE}};
    HedCurves curves = {.vertices = x, .vertex_count = 5, .curves = list, .curve_count = 2};
    char path[160];
    HedText text = {0};
    save("a.obj", &curves);
    in_directory("a.obj", path);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_not_null(strstr(text.data, "\no yarns\nv 1 2 3\nv -0.5 0 1\nv 0 0 0\nv 1 0 0\n"
                                         "v 0 1 0\nl 1 2\nl 3 4\nl 4 5\nl 5 3\n"));
    hed_text_free(&text);
    forget("a.obj");
}
