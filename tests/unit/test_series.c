// SPDX-License-Identifier: MIT
// Which files a series becomes, when it is refused, and what OBJ and PLY files hold.
#define _GNU_SOURCE // mkdtemp, setrlimit
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "heddle/file.h"
#include "support/logs.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];
static char path[4096];

static void set_up(void) {
    snprintf(directory, sizeof directory, "%s/hed-series-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
}

// Removes everything in a directory, and then it; returns how many files there were.
static int32_t remove_tree(const char* name) {
    int32_t count = 0;
    DIR* folder = opendir(name);
    for (struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char* inner = hed_path_join(name, entry->d_name);
        if (hed_file_is_directory(inner)) {
            count += remove_tree(inner);
        } else {
            count += unlink(inner) == 0;
        }
        hed_free(inner);
    }
    closedir(folder);
    rmdir(name);
    return count;
}

static void tear_down(void) {
    remove_tree(directory);
}

TestSuite(series, .init = set_up, .fini = tear_down);

static const char* in_directory(const char* name) {
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static const int32_t SHEET[6] = {0, 1, 2, 0, 2, 3};
static const int32_t BODY[3] = {2, 1, 0};
static const HedSeriesObject OBJECTS[2] = {
    {.name = "the sheet", .vertex_count = 4, .triangles = SHEET, .triangle_count = 2},
    {.name = "body", .vertex_count = 3, .triangles = BODY, .triangle_count = 1}};
static const double TIMES[3] = {0.0, 0.5, 1.0};

typedef struct Source {
    int32_t bad_frame; // whose last vertex is bad_value; -1 for none
    double bad_value;
    int32_t failing_frame; // whose load fails; -1 for none
} Source;

// Numbers with no short binary form, so that only a lossless format gives them back.
static HedVec3 position(int32_t frame, int32_t object, int32_t vertex) {
    return (HedVec3){vertex / 3.0, frame / 7.0 + object, -1e-5 * vertex * vertex};
}

static HedStatus load(void* context, int32_t frame, HedVec3* const* positions, HedError* error) {
    const Source* source = context;
    if (frame == source->failing_frame) {
        error->status = HED_IO;
        snprintf(error->message, sizeof error->message, "frame %d is gone", frame);
        return HED_IO;
    }
    for (int32_t i = 0; i < 2; ++i) {
        for (int32_t j = 0; j < OBJECTS[i].vertex_count; ++j) {
            positions[i][j] = position(frame, i, j);
        }
    }
    if (frame == source->bad_frame) {
        positions[1][2].y = source->bad_value;
    }
    return HED_OK;
}

static Source good = {-1, 0.0, -1};

static HedSeries make_series(int32_t frame_count, Source* source) {
    return (HedSeries){OBJECTS, 2, TIMES, frame_count, load, source};
}

static void expect_status(const char* name, const HedSeries* series, HedStatus expected,
                          const char* message) {
    HedError error = {0};
    in_directory(name);
    cr_assert_eq(hed_series_save(path, series, false, &error), expected, "%s: %s", name,
                 error.message);
    cr_assert_eq(strncmp(error.message, path, strlen(path)), 0, "%s", error.message);
    cr_assert_str_eq(error.message + strlen(path) + 2, message);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_frame(const char* name, int32_t frame) {
    HedMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_mesh_load(in_directory(name), &mesh, &error), HED_OK, "%s", error.message);
    cr_assert_eq(mesh.vertex_count, 7);
    cr_assert_eq(mesh.triangle_count, 3);
    for (int32_t i = 0; i < 7; ++i) {
        HedVec3 x = i < 4 ? position(frame, 0, i) : position(frame, 1, i - 4);
        cr_assert_eq(memcmp(&x, &mesh.vertices[i], sizeof x), 0, "vertex %d", i);
    }
    static const int32_t TRIANGLES[9] = {0, 1, 2, 0, 2, 3, 6, 5, 4};
    cr_assert_eq(memcmp(mesh.triangles, TRIANGLES, sizeof TRIANGLES), 0);
    hed_mesh_free(&mesh);
}

Test(series, formats) {
    cr_assert_str_eq(hed_series_formats(), "obj ply vtp pvd usda bcc");
    static const char* const NAMES[] = {"a.obj", "a.ply", "a.vtp", "a.pvd", "a.usda", "A.OBJ"};
    HedSeries series = make_series(1, &good);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        cr_assert_eq(hed_series_save(in_directory(NAMES[i]), &series, false, NULL), HED_OK);
        cr_assert(hed_file_exists(path));
    }
    expect_status("a.stl", &series, HED_UNSUPPORTED,
                  "cannot write format 'stl', only obj ply vtp pvd usda bcc");
    expect_status("a", &series, HED_UNSUPPORTED,
                  "cannot write format '', only obj ply vtp pvd usda bcc");
}

Test(series, one_frame_round_trip) {
    HedSeries series = make_series(1, &good);
    cr_assert_eq(hed_series_save(in_directory("a.obj"), &series, false, NULL), HED_OK);
    expect_frame("a.obj", 0);
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, NULL), HED_OK);
    expect_frame("a.ply", 0);
    cr_assert_eq(remove_tree(directory), 2, "no other file is left");
    mkdir(directory, 0777);
}

Test(series, numbered_frames_round_trip) {
    HedSeries series = make_series(3, &good);
    cr_assert_eq(hed_series_save(in_directory("a.b.obj"), &series, false, NULL), HED_OK);
    expect_frame("a.b.0001.obj", 0);
    expect_frame("a.b.0003.obj", 2);
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, NULL), HED_OK);
    expect_frame("a.0002.ply", 1);
    cr_assert_not(hed_file_exists(in_directory("a.ply")));
    cr_assert_eq(remove_tree(directory), 6);
    mkdir(directory, 0777);
}

Test(series, ten_thousand_frames_have_five_digits) {
    double* times = HED_NEW_ARRAY(double, 10000);
    for (int32_t i = 0; i < 10000; ++i) {
        times[i] = i;
    }
    Source source = {-1, 0.0, 2};
    HedSeries series = {OBJECTS, 2, times, 10000, load, &source};
    HedError error = {0};
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, &error), HED_IO);
    cr_assert(hed_file_exists(in_directory("a.00001.ply")));
    hed_free(times);
}

Test(series, obj_names_objects) {
    HedSeries series = make_series(1, &good);
    HedText text = {0};
    cr_assert_eq(hed_series_save(in_directory("a.obj"), &series, false, NULL), HED_OK);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_not_null(strstr(text.data, "\no the_sheet\nv 0 0 "));
    cr_assert_not_null(strstr(text.data, "\nv 0.3333333333333333 0 -1e-05\n"));
    cr_assert_not_null(strstr(text.data, "\nf 1 3 4\no body\nv "));
    hed_text_free(&text);
}

Test(series, ply_numbers_objects) {
    HedSeries series = make_series(1, &good);
    HedText text = {0};
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, NULL), HED_OK);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_not_null(strstr(text.data, "element face 3\nproperty list uchar int vertex_indices\n"
                                         "property int object\nend_header\n"));
    static const unsigned char LAST[17] = {3, 6, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0};
    cr_assert_eq(memcmp(text.data + text.size - 17, LAST, 17), 0);
    cr_assert_eq(text.data[text.size - 17 - 4], 0, "the face before belongs to object 0");
    hed_text_free(&text);
}

Test(series, existing_files_are_kept) {
    HedSeries series = make_series(3, &good);
    HedError error = {0};
    static const char* const CASES[][2] = {{"a.obj", "a.0003.obj"},
                                           {"a.ply", "a.0002.ply"},
                                           {"a.usda", "a.usda"},
                                           {"a.pvd", "a.pvd"},
                                           {"b.pvd", "b_frames/b.0002.vtp"}};
    mkdir(in_directory("b_frames"), 0777);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        FILE* file = fopen(in_directory(CASES[i][1]), "wb");
        fputs("mine", file);
        fclose(file);
        char expected[4200];
        snprintf(expected, sizeof expected, "%s: exists already", path);
        cr_assert_eq(hed_series_save(in_directory(CASES[i][0]), &series, false, &error),
                     HED_EXISTS);
        cr_assert_str_eq(error.message, expected);
        HedText text = {0};
        cr_assert_eq(hed_text_read(in_directory(CASES[i][1]), &text, NULL), HED_OK);
        cr_assert_str_eq(text.data, "mine");
        hed_text_free(&text);
        cr_assert_eq(hed_series_save(in_directory(CASES[i][0]), &series, true, &error), HED_OK,
                     "%s", error.message);
    }
    expect_frame("a.0003.obj", 2);
    // 3 obj, 3 ply, 1 usda, and twice 1 pvd with 3 vtp: nothing came of the refused attempts
    cr_assert_eq(remove_tree(directory), 3 + 3 + 1 + 2 * 4);
    mkdir(directory, 0777);
}

Test(series, refused_before_anything_is_written) {
    HedSeries series = make_series(3, &good);
    FILE* file = fopen(in_directory("a.0003.obj"), "wb");
    fclose(file);
    cr_assert_eq(hed_series_save(in_directory("a.obj"), &series, false, NULL), HED_EXISTS);
    cr_assert_eq(remove_tree(directory), 1);
    mkdir(directory, 0777);
}

Test(series, positions_must_be_finite) {
    static const char* const NAMES[] = {"a.obj", "a.ply", "a.vtp", "a.pvd", "a.usda"};
    static const double VALUES[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        for (size_t j = 0; j < sizeof VALUES / sizeof VALUES[0]; ++j) {
            Source source = {0, VALUES[j], -1};
            HedSeries series = make_series(1, &source);
            HedError error = {0};
            cr_assert_eq(hed_series_save(in_directory(NAMES[i]), &series, false, &error),
                         HED_INVALID);
            cr_assert_not_null(strstr(error.message, ": frame 0: vertex 2 of 'body' is at ("));
            cr_assert_not(hed_file_exists(path));
        }
    }
    // USD holds floats: what a double can hold but not a float is refused there alone
    Source source = {2, 2.0 * (double)FLT_MAX, -1};
    HedSeries series = make_series(3, &source);
    cr_assert_eq(hed_series_save(in_directory("a.usda"), &series, false, NULL), HED_INVALID);
    cr_assert_not(hed_file_exists(path));
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, NULL), HED_OK);
    cr_assert_eq(remove_tree(directory), 3);
    mkdir(directory, 0777);
}

Test(series, failure_of_the_source) {
    Source source = {-1, 0.0, 1};
    HedSeries series = make_series(3, &source);
    static const char* const NAMES[] = {"a.pvd", "a.usda"};
    for (size_t i = 0; i < 2; ++i) {
        HedError error = {0};
        cr_assert_eq(hed_series_save(in_directory(NAMES[i]), &series, false, &error), HED_IO);
        cr_assert_str_eq(error.message, "frame 1 is gone");
        cr_assert_not(hed_file_exists(path));
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}

Test(series, bad_series) {
    HedSeries series = make_series(0, &good);
    expect_status("a.obj", &series, HED_INVALID, "nothing to write: 2 objects, 0 frames");
    series = make_series(3, &good);
    series.object_count = 0;
    expect_status("a.obj", &series, HED_INVALID, "nothing to write: 0 objects, 3 frames");
    double times[3] = {0.0, 1.0, 1.0};
    series = make_series(3, &good);
    series.times = times;
    expect_status("a.usda", &series, HED_INVALID,
                  "times must be finite and grow, frame 2 is at 1 s");
    times[0] = (double)NAN;
    expect_status("a.usda", &series, HED_INVALID,
                  "times must be finite and grow, frame 0 is at nan s");
    HedSeriesObject object = {
        .name = "o", .vertex_count = 3, .triangles = SHEET, .triangle_count = 2};
    series = make_series(1, &good);
    series.objects = &object;
    series.object_count = 1;
    expect_status("a.obj", &series, HED_INVALID, "object 'o': triangle 1 names vertex 3 of 3");
    object =
        (HedSeriesObject){.name = "o", .vertex_count = -1, .triangles = SHEET, .triangle_count = 0};
    expect_status("a.obj", &series, HED_INVALID,
                  "object 'o' needs a name and counts from 0, got -1 vertices, 0 triangles and 0 "
                  "curves");
    object =
        (HedSeriesObject){.name = NULL, .vertex_count = 1, .triangles = SHEET, .triangle_count = 0};
    expect_status("a.obj", &series, HED_INVALID,
                  "object '' needs a name and counts from 0, got 1 vertices, 0 triangles and 0 "
                  "curves");
    object = (HedSeriesObject){
        .name = "o", .vertex_count = INT32_MAX, .triangles = SHEET, .triangle_count = 0};
    expect_status("a.obj", &series, HED_UNSUPPORTED, "over 536870911 vertices or triangles");
    cr_assert_eq(remove_tree(directory), 0);
    mkdir(directory, 0777);
}

Test(series, missing_directory) {
    HedSeries series = make_series(1, &good);
    HedError error = {0};
    cr_assert_eq(hed_series_save(in_directory("no/a.obj"), &series, false, &error), HED_IO);
    cr_assert_eq(strncmp(error.message, path, strlen(path)), 0);
}

// A limit on the size of files stands in for a full disk: writes fail half way in the same manner.
Test(series, full_disk) {
    static const char* const NAMES[] = {"a.obj", "a.ply", "a.vtp", "a.pvd", "a.usda"};
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {100, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    HedSeries series = make_series(1, &good);
    HedStatus status[5];
    HedError error[5];
    for (int32_t i = 0; i < 5; ++i) {
        status[i] = hed_series_save(in_directory(NAMES[i]), &series, false, &error[i]);
    }
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    for (int32_t i = 0; i < 5; ++i) {
        cr_assert_eq(status[i], HED_IO, "%s", NAMES[i]);
        cr_assert_eq(strncmp(error[i].message, directory, strlen(directory)), 0);
    }
    cr_assert_eq(remove_tree(directory), 0, "nothing half written is left");
    mkdir(directory, 0777);
}

Test(series, every_allocation_may_fail) {
    static const char* const NAMES[] = {"a.obj", "a.ply", "a.vtp", "a.pvd", "a.usda"};
    HedSeries series = make_series(2, &good);
    for (int32_t i = 0; i < 10; ++i) {
        bool overwrite = i >= 5;
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; status != HED_OK; ++n) {
            int64_t calls = hed_alloc_stats().call_count;
            if (!overwrite) {
                remove_tree(directory);
                mkdir(directory, 0777);
            }
            int64_t spent = hed_alloc_stats().call_count - calls;
            hed_alloc_fail_at(n);
            status = hed_series_save(in_directory(NAMES[i % 5]), &series, overwrite, NULL);
            hed_alloc_fail_at(0);
            bool is_through = hed_alloc_stats().call_count - calls - spent < n;
            cr_assert_eq(status, is_through ? HED_OK : HED_NO_MEMORY);
            cr_assert_eq(hed_alloc_stats().live_count, 0);
        }
    }
}

// --- Curves --------------------------------------------------------------------------------------

static const HedCurve CURVES[2] = {
    {.first = 0, .count = 2, .color = HED_COLOR_NONE, .radius = 0.25},
    {.first = 2, .count = 3, .is_closed = true, .color = 0xFF0000}};
static const HedSeriesObject MIXED[3] = {
    {.name = "sheet", .vertex_count = 4, .triangles = SHEET, .triangle_count = 2},
    {.name = "yarns",
     .kind = HED_OBJECT_YARNS,
     .vertex_count = 5,
     .curves = CURVES,
     .curve_count = 2},
    {.name = "body",
     .kind = HED_OBJECT_BODY,
     .vertex_count = 3,
     .triangles = BODY,
     .triangle_count = 1}};

static HedStatus load_mixed(void* context, int32_t frame, HedVec3* const* positions,
                            HedError* error) {
    const Source* source = context;
    (void)error;
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < MIXED[i].vertex_count; ++j) {
            positions[i][j] = position(frame, i, j);
        }
    }
    if (frame == source->bad_frame) {
        positions[1][4].x = source->bad_value;
    }
    return HED_OK;
}

static HedSeries make_mixed(int32_t frame_count, Source* source) {
    return (HedSeries){MIXED, 3, TIMES, frame_count, load_mixed, source};
}

Test(series, curves_beside_meshes_in_obj) {
    HedSeries series = make_mixed(1, &good);
    HedText text = {0};
    cr_assert_eq(hed_series_save(in_directory("a.obj"), &series, false, NULL), HED_OK);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_not_null(strstr(text.data, "\nl 5 6\nl 7 8\nl 8 9\nl 9 7\no body\n"));
    cr_assert_not_null(strstr(text.data, "\nf 12 11 10\n"));
    hed_text_free(&text);
}

// Faces and curves come back one by one, places to the last bit, with the radius and colour of each
// curve. A curve without a colour is white beside one that has some.
Test(series, curves_beside_meshes_in_ply) {
    HedSeries series = make_mixed(1, &good);
    HedMesh mesh = {0};
    HedCurves curves = {0};
    cr_assert_eq(hed_series_save(in_directory("a.ply"), &series, false, NULL), HED_OK);
    cr_assert_eq(hed_mesh_load(path, &mesh, NULL), HED_OK);
    cr_assert_eq(mesh.triangle_count, MIXED[0].triangle_count + MIXED[2].triangle_count);
    hed_mesh_free(&mesh);
    cr_assert_eq(hed_curves_load(path, &curves, NULL), HED_OK);
    cr_assert_eq(curves.curve_count, 2);
    for (int32_t i = 0; i < 2; ++i) {
        const HedCurve* a = &MIXED[1].curves[i];
        const HedCurve* b = &curves.curves[i];
        cr_assert(a->first == b->first && a->count == b->count && a->is_closed == b->is_closed);
        cr_assert_eq(a->radius, b->radius);
        cr_assert_eq(b->color, a->color == HED_COLOR_NONE ? 0xFFFFFF : a->color);
    }
    for (int32_t i = 0; i < curves.vertex_count; ++i) {
        HedVec3 x = position(0, 1, i);
        cr_assert(memcmp(&x, &curves.vertices[i], sizeof x) == 0);
    }
    hed_curves_free(&curves);
}

Test(series, bcc_holds_curves_alone) {
    HedSeries series = make_series(1, &good);
    expect_status("a.bcc", &series, HED_UNSUPPORTED,
                  "bcc files hold curves only, and there are none: object 'the sheet' has 2 "
                  "triangles");
    cr_assert_not(hed_file_exists(path));
    logs_begin();
    series = make_mixed(2, &good);
    cr_assert_eq(hed_series_save(in_directory("a.bcc"), &series, false, NULL), HED_OK);
    cr_assert_not_null(strstr(logs, "object 'sheet' left out: bcc files hold curves only\n"));
    cr_assert_not_null(strstr(logs, "object 'body' left out: bcc files hold curves only\n"));
    for (int32_t frame = 0; frame < 2; ++frame) {
        HedCurves curves = {0};
        in_directory(frame == 0 ? "a.0001.bcc" : "a.0002.bcc");
        cr_assert_eq(hed_curves_load(path, &curves, NULL), HED_OK);
        cr_assert_eq(curves.curve_count, 2);
        cr_assert_eq(curves.vertex_count, 5);
        cr_assert(!curves.curves[0].is_closed && curves.curves[1].is_closed);
        for (int32_t i = 0; i < 5; ++i) {
            HedVec3 x = position(frame, 1, i);
            cr_assert_eq(curves.vertices[i].x, (double)(float)x.x);
            cr_assert_eq(curves.vertices[i].y, (double)(float)x.y);
            cr_assert_eq(curves.vertices[i].z, (double)(float)x.z);
        }
        hed_curves_free(&curves);
    }
    cr_assert_eq(remove_tree(directory), 2);
    mkdir(directory, 0777);
}

Test(series, bcc_holds_floats) {
    Source source = {0, 2.0 * (double)FLT_MAX, -1};
    HedSeries series = make_mixed(1, &source);
    HedError error = {0};
    cr_assert_eq(hed_series_save(in_directory("a.bcc"), &series, false, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, ": frame 0: vertex 4 of 'yarns' is at (6.80565e+38"));
    cr_assert_not(hed_file_exists(path));
    cr_assert_eq(hed_series_save(in_directory("a.obj"), &series, false, &error), HED_OK);
}

static const struct {
    HedCurve curves[2];
    int32_t vertex_count;
    const char* message;
} BAD_CURVES[] = {
    {{{.first = 1, .count = 2}, {0}},
     5,
     "curve 0 must begin at vertex 0 of 5 and have two or "
     "more, three if closed, got 2 from vertex 1"},
    {{{.first = 0, .count = 1}, {0}},
     5,
     "curve 0 must begin at vertex 0 of 5 and have two or "
     "more, three if closed, got 1 from vertex 0"},
    {{{.first = 0, .count = 2, .is_closed = true}, {0}},
     5,
     "curve 0 must begin at vertex 0 of 5 and have two or more, three if closed, got 2 from "
     "vertex 0"},
    {{{.first = 0, .count = 2}, {.first = 2, .count = 4}},
     5,
     "curve 1 must begin at vertex 2 of 5 and have two or more, three if closed, got 4 from "
     "vertex 2"},
    {{{.first = 0, .count = 2}, {.first = 1, .count = 4}},
     5,
     "curve 1 must begin at vertex 2 of 5 and have two or more, three if closed, got 4 from "
     "vertex 1"},
    {{{.first = 0, .count = 2}, {.first = 2, .count = INT32_MAX}},
     5,
     "curve 1 must begin at vertex 2 of 5 and have two or more, three if closed, got "
     "2147483647 "
     "from vertex 2"},
    {{{.first = 0, .count = 2, .radius = -1.0}, {0}},
     5,
     "curve 0 has radius -1 and colour 0, which the format cannot hold"},
    {{{.first = 0, .count = 2, .color = 0x1000000}, {0}},
     5,
     "curve 0 has radius 0 and colour 16777216, which the format cannot hold"},
    {{{.first = 0, .count = 2}, {.first = 2, .count = 2}},
     5,
     "curves must be all there is, but 4 of 5 vertices are theirs, and there are 0 triangles"},
};

Test(series, bad_curves) {
    for (size_t i = 0; i < sizeof BAD_CURVES / sizeof BAD_CURVES[0]; ++i) {
        HedSeriesObject object = {.name = "y",
                                  .kind = HED_OBJECT_YARNS,
                                  .vertex_count = BAD_CURVES[i].vertex_count,
                                  .curves = BAD_CURVES[i].curves,
                                  .curve_count = 2};
        HedSeries series = make_series(1, &good);
        series.objects = &object;
        series.object_count = 1;
        char message[256];
        snprintf(message, sizeof message, "object 'y': %s", BAD_CURVES[i].message);
        expect_status("a.obj", &series, HED_INVALID, message);
    }
    cr_assert_eq(remove_tree(directory), 0);
    mkdir(directory, 0777);
}

Test(series, curves_or_triangles) {
    HedSeriesObject both = MIXED[1];
    both.triangles = SHEET;
    both.triangle_count = 2;
    HedSeries series = make_series(1, &good);
    series.objects = &both;
    series.object_count = 1;
    expect_status(
        "a.usda", &series, HED_INVALID,
        "object 'yarns': curves must be all there is, but 5 of 5 vertices are theirs, and "
        "there are 2 triangles");
}

Test(series, every_allocation_may_fail_with_curves) {
    static const char* const NAMES[] = {"a.obj", "a.vtp", "a.pvd", "a.usda", "a.bcc"};
    HedSeries series = make_mixed(2, &good);
    for (int32_t i = 0; i < 5; ++i) {
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; status != HED_OK; ++n) {
            hed_alloc_fail_at(n);
            status = hed_series_save(in_directory(NAMES[i]), &series, true, NULL);
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || status == HED_NO_MEMORY);
            cr_assert_eq(hed_alloc_stats().live_count, 0);
        }
    }
}
