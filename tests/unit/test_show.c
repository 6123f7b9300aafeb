// SPDX-License-Identifier: MIT
// Things to look at: runs, meshes and curves; boxes, ranges, and what goes wrong with them.
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

// Of places of up to 2 m that are copied or moved by one sum.
static const double ROUNDING = 1e-15;

static const double PI = 3.14159265358979323846;

static const char SCENE[] =
    "heddle: 1\n"
    "name: test\n"
    "duration: 0.2 s\n"
    "step: {size: 1/100 s}\n"
    "output: {frame_interval: 1/50 s}\n"
    "sheets:\n"
    "  - {name: cloth, grid: {size: [1 m, 1 m], points: [5, 4], origin: [-0.5, 0.4, 0]}}\n"
    "bodies:\n"
    "  - {shape: plane, name: floor, position: [0, -3, 0]}\n"
    "  - {shape: box, name: block, half_size: [0.1, 0.1, 0.1],\n"
    "     keyframes: [{time: 0, position: [0, 0, 0.5]},\n"
    "                 {time: 0.2 s, position: [2, 0, 0.5]}]}\n"
    "pins: [{name: hold, where: top-left}]\n";

static void make_run(const char* directory, const char* override, bool force) {
    HedScene* scene = NULL;
    HedError error = {0};
    HedStatus status = hed_scene_parse(SCENE, strlen(SCENE), "t.yaml", ".", &override,
                                       override ? 1 : 0, &scene, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    HedRunOptions options = hed_run_options_default();
    options.directory = directory;
    options.thread_count = 1;
    options.force = force;
    HedRunReport report;
    cr_assert_eq(hed_run(scene, &options, &report, &error), HED_OK, "%s", error.message);
    hed_scene_destroy(scene);
}

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

static HedShow* open_with(const char* path, double scale, double radius) {
    HedShowOptions options = hed_show_options_default();
    HedShow* show = NULL;
    HedError error = {0};
    options.scale = scale;
    options.radius = radius;
    cr_assert_eq(hed_show_open(path, &options, &show, &error), HED_OK, "%s", error.message);
    return show;
}

static void enter_directory(void) {
    char name[] = "show-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
}

TestSuite(show, .init = enter_directory);

Test(show, runs) {
    make_run("run", NULL, false);
    HedShow* show = open_with("run", 1.0, 0.0);
    cr_expect_str_eq(hed_show_title(show), "test");
    cr_expect_str_eq(hed_show_path(show), "run");
    cr_expect(hed_show_is_run(show));
    cr_expect_not(hed_show_is_growing(show));
    cr_assert_eq(hed_show_object_count(show), 3);
    cr_expect_str_eq(hed_show_object(show, 1).name, "floor");
    cr_expect_not(hed_show_is_ground(show, 0));
    cr_expect(hed_show_is_ground(show, 1));
    cr_expect_not(hed_show_is_ground(show, 2));
    cr_expect_not(hed_show_is_ground(show, 3));
    cr_expect_eq(hed_show_frame_count(show), 11);
    cr_expect_eq(hed_show_quantity_count(show), HED_QUANTITY_COUNT);
    int32_t tension = hed_show_find_quantity(show, "tension");
    cr_assert_eq(tension, 1);
    cr_expect_str_eq(hed_show_quantity(show, tension).unit, "N/m");
    cr_expect(hed_show_quantity(show, tension).is_signed);
    cr_expect_not(hed_show_quantity(show, hed_show_find_quantity(show, "speed")).is_signed);
    cr_expect_eq(hed_show_find_quantity(show, "weight"), -1);
    // In the first frame the box of the cloth (origin (-0.5, 0.4, 0), 1 m along x and z) and of
    // the block; the floor is left out. Over all frames the block goes to x = 2.
    HedVec3 box[2];
    cr_assert_eq(hed_show_bounds(show, 0, 0, box, NULL), HED_OK);
    cr_expect_float_eq(box[0].x, -0.5, ROUNDING);
    cr_expect_float_eq(box[0].y, -0.1, ROUNDING);
    cr_expect_float_eq(box[1].x, 0.5, ROUNDING);
    cr_expect_float_eq(box[1].z, 1.0, ROUNDING);
    cr_assert_eq(hed_show_bounds(show, 0, 10, box, NULL), HED_OK);
    cr_expect_float_eq(box[1].x, 2.1, ROUNDING);
    hed_show_close(show);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}

static int compare_floats(const void* left, const void* right) {
    float a = *(const float*)left;
    float b = *(const float*)right;
    return (a > b) - (a < b);
}

Test(show, ranges) {
    make_run("run", NULL, false);
    HedShow* show = open_with("run", 1.0, 0.0);
    float cloth[20], floor[4], block[8], all[220];
    float range[2];
    int32_t speed = hed_show_find_quantity(show, "speed");
    for (int32_t f = 0; f < 11; ++f) {
        cr_assert_eq(hed_show_values(show, f, speed, (float*[]){cloth, floor, block}, NULL),
                     HED_OK);
        memcpy(all + 20 * f, cloth, sizeof cloth);
    }
    qsort(all, 220, sizeof *all, compare_floats);
    cr_assert_eq(hed_show_range(show, speed, 0, 10, range, NULL), HED_OK);
    // All 220 values are looked at: numbers 2 and 217 of them, counted from 0.
    cr_expect_eq(range[0], all[2]);
    cr_expect_eq(range[1], all[216]);
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        cr_assert_eq(hed_show_range(show, q, 0, 0, range, NULL), HED_OK);
        cr_expect_lt(range[0], range[1], "%d: %g to %g", q, (double)range[0], (double)range[1]);
        cr_assert_eq(hed_show_range(show, q, 0, 10, range, NULL), HED_OK);
        cr_expect_lt(range[0], range[1]);
        cr_expect(!hed_show_quantity(show, q).is_signed || range[0] == -range[1]);
    }
    HedError error = {0};
    cr_expect_eq(hed_show_range(show, 6, 0, 0, range, &error), HED_NOT_FOUND);
    cr_expect_str_eq(error.message, "run: has no quantity 6, there are 6");
    cr_expect_eq(hed_show_range(show, 0, 5, 11, range, &error), HED_NOT_FOUND);
    cr_expect_str_eq(error.message, "run: has no frames 5 to 11, they are 0 to 10");
    cr_expect_eq(hed_show_values(show, 11, 0, (float*[]){cloth, floor, block}, &error),
                 HED_NOT_FOUND);
    hed_show_close(show);
}

typedef struct Watch {
    HedShow* show;
    int32_t frames, growing;
} Watch;

static void watch(const HedProgress* progress, void* context) {
    Watch* w = context;
    if (!w->show && progress->frame > 0) {
        cr_assert_eq(hed_show_open("run", NULL, &w->show, NULL), HED_OK);
    }
    if (w->show) {
        w->growing += hed_show_is_growing(w->show);
        int32_t count = hed_show_frame_count(w->show);
        cr_expect_eq(count, progress->frame);
        HedVec3 box[2];
        float range[2];
        cr_expect_eq(hed_show_bounds(w->show, 0, count - 1, box, NULL), HED_OK);
        cr_expect_eq(hed_show_range(w->show, 0, 0, count - 1, range, NULL), HED_OK);
        HedBuffer buffer = {0};
        cr_expect_eq(hed_show_encode_about(w->show, 0, &buffer, NULL), HED_OK);
        hed_buffer_free(&buffer);
        w->frames = count;
    }
}

Test(show, runs_that_grow) {
    HedScene* scene = NULL;
    cr_assert_eq(hed_scene_parse(SCENE, strlen(SCENE), "t.yaml", ".", NULL, 0, &scene, NULL),
                 HED_OK);
    Watch w = {0};
    HedRunOptions options = hed_run_options_default();
    options.directory = "run";
    options.progress = watch;
    options.context = &w;
    HedRunReport report;
    cr_assert_eq(hed_run(scene, &options, &report, NULL), HED_OK);
    cr_expect_eq(w.frames, 11);
    cr_expect_eq(w.growing, 20);
    cr_assert(w.show);
    cr_expect_not(hed_show_is_growing(w.show));
    hed_show_close(w.show);
    hed_scene_destroy(scene);
}

static void expect_frame_failure(HedShow* show, int32_t frame, const char* part) {
    HedBuffer buffer = {0};
    HedError error = {0};
    HedFrameRequest request = {frame, -1, -1};
    cr_expect_neq(hed_show_encode_frame(show, 0, request, &buffer, &error), HED_OK);
    cr_expect(strstr(error.message, part), "%s", error.message);
    cr_expect_eq(buffer.size, 0);
    hed_buffer_free(&buffer);
}

Test(show, a_run_that_goes_away) {
    make_run("run", NULL, false);
    HedShow* show = open_with("run", 1.0, 0.0);
    HedBuffer buffer = {0};
    cr_assert_eq(hed_show_encode_frame(show, 0, (HedFrameRequest){3, 2, 0}, &buffer, NULL), HED_OK);
    make_run("run", "sheets.0.grid.points=[7, 7]", true);
    expect_frame_failure(show, 3, "run: the run there was removed or replaced");
    cr_expect_eq(hed_show_encode_about(show, 0, &buffer, NULL), HED_NOT_FOUND);
    cr_assert_eq(system("rm -r run"), 0);
    expect_frame_failure(show, 3, "run: the run there was removed or replaced");
    HedError error = {0};
    cr_expect_eq(hed_show_frame_count(show), 0);
    cr_expect_eq(hed_show_encode_table(show, 0, "energy", 0, &buffer, &error), HED_NOT_FOUND);
    cr_expect(strstr(error.message, "run/energy.csv: "), "%s", error.message);
    hed_buffer_free(&buffer);
    hed_show_close(show);
}

// A damaged frame cannot be shown; the others, the box and the ranges can.
Test(show, damaged_frames) {
    make_run("run", NULL, false);
    write_text("run/frames/000004.hed", "heddle-store 1\n");
    HedShow* show = open_with("run", 1.0, 0.0);
    HedVec3 box[2];
    HedError error = {0};
    expect_frame_failure(show, 4, "run/frames/000004.hed:");
    cr_expect_eq(hed_show_bounds(show, 0, 10, box, NULL), HED_OK);
    cr_expect_float_eq(box[1].x, 2.1, ROUNDING);
    cr_expect_eq(hed_show_bounds(show, 4, 4, box, &error), HED_PARSE);
    cr_expect(strstr(error.message, "run/frames/000004.hed:"), "%s", error.message);
    // A frame from an earlier heddle, without quantities.
    hed_show_close(show);
    make_run("plain", "output.quantities=[]", false);
    show = open_with("plain", 1.0, 0.0);
    cr_expect_eq(hed_show_quantity_count(show), 0);
    cr_expect_eq(hed_show_bounds(show, 0, 10, box, NULL), HED_OK);
    hed_show_close(show);
}

Test(show, meshes) {
    write_text("quad.obj", "v 0 0 0\nv 10 0 0\nv 10 20 0\nv 0 20 5\nf 1 2 3\nf 1 3 4\n");
    HedShow* show = open_with("./quad.obj", 0.1, 0.0);
    HedVec3 x[4];
    double time = 7.0;
    cr_expect_str_eq(hed_show_title(show), "quad.obj");
    cr_expect_not(hed_show_is_run(show));
    cr_expect_not(hed_show_is_growing(show));
    cr_assert_eq(hed_show_object_count(show), 1);
    cr_expect_eq(hed_show_object(show, 0).kind, HED_OBJECT_SHEET);
    cr_expect_eq(hed_show_frame_count(show), 1);
    cr_assert_eq(hed_show_frame(show, 0, &time, (HedVec3*[]){x}, NULL), HED_OK);
    cr_expect_eq(time, 0.0);
    cr_expect_float_eq(x[2].y, 2.0, ROUNDING);
    cr_expect_eq(hed_show_frame(show, 1, &time, (HedVec3*[]){x}, NULL), HED_NOT_FOUND);
    cr_assert_eq(hed_show_quantity_count(show), 1);
    cr_expect_str_eq(hed_show_quantity(show, 0).name, "curvature");
    float values[4], range[2];
    cr_expect_eq(hed_show_values(show, 0, 0, (float*[]){values}, NULL), HED_OK);
    cr_expect(isnan(values[0])); // all boundary
    cr_expect_eq(hed_show_range(show, 0, 0, 0, range, NULL), HED_OK);
    cr_expect(range[0] == 0.0f && range[1] == 1.0f);
    hed_show_close(show);
}

Test(show, mesh_and_lines_of_one_file) {
    write_text("both.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 0\nv 1 3 0\nf 1 2 3\n"
                           "l 4 5 6\n");
    HedShow* show = open_with("both.obj", 1.0, 0.01);
    cr_assert_eq(hed_show_object_count(show), 2);
    cr_expect_eq(hed_show_object(show, 0).kind, HED_OBJECT_SHEET);
    HedSeriesObject yarns = hed_show_object(show, 1);
    cr_expect_eq(yarns.kind, HED_OBJECT_YARNS);
    cr_assert_eq(yarns.curve_count, 1);
    cr_expect_eq(yarns.curves[0].radius, 0.01);
    HedVec3 box[2];
    cr_assert_eq(hed_show_bounds(show, 0, 0, box, NULL), HED_OK);
    cr_expect_float_eq(box[1].y, 3.01, 1e-12); // with the yarn's radius
    float mesh[6], curve[3];
    cr_assert_eq(hed_show_values(show, 0, 0, (float*[]){mesh, curve}, NULL), HED_OK);
    cr_expect_gt(curve[1], 0.0f);
    hed_show_close(show);
}

// Yarns of a plain weave: sines of radius r over and under each other, whose axes cross at 2 r.
static void write_weave(const char* path, int yarns, double spacing, double r) {
    enum { POINTS = 8 }; // between two crossings
    FILE* file = fopen(path, "w");
    cr_assert(file);
    int count = yarns * POINTS;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < yarns; ++i) {
            for (int k = 0; k < count; ++k) {
                double s = (double)k / POINTS;
                double y = (side ? -r : r) * cos(PI * (s + i));
                double p[2] = {spacing * s, spacing * i};
                fprintf(file, "v %.9g %.9g %.9g\n", p[side], y, p[1 - side]);
            }
        }
    }
    for (int i = 0; i < 2 * yarns; ++i) {
        fprintf(file, "l");
        for (int k = 0; k < count; ++k) {
            fprintf(file, " %d", i * count + k + 1);
        }
        fprintf(file, "\n");
    }
    fclose(file);
}

Test(show, radius_of_a_weave) {
    for (int k = 0; k < 3; ++k) {
        double r = 0.0002 * (k + 1);
        write_weave("weave.obj", 12, 0.003, r);
        HedShow* show = open_with("weave.obj", 1.0, 0.0);
        double found = hed_show_object(show, 0).curves[3].radius;
        // Chords between points cut off less than a hundredth of a wave's height.
        cr_expect_float_eq(found, r, 0.01 * r, "%g m, expected %g m", found, r);
        hed_show_close(show);
        show = open_with("weave.obj", 10.0, 0.0); // it scales with the file
        // Scaled before the distances are found instead of after: some ten roundings.
        cr_expect_float_eq(hed_show_object(show, 0).curves[3].radius, 10.0 * found, 1e-14 * found);
        hed_show_close(show);
    }
}

Test(show, radius_without_neighbours) {
    write_text("line.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    HedShow* show = open_with("line.obj", 1.0, 0.0);
    double found = hed_show_object(show, 0).curves[0].radius;
    // Something that can be seen beside a metre of yarn: from a ten-thousandth to a twentieth
    // of it.
    cr_expect(found > 1e-4 && found < 0.05, "%g", found);
    hed_show_close(show);
    // A long straight yarn in small pieces: neighbours along itself do not count.
    FILE* file = fopen("long.obj", "w");
    for (int k = 0; k < 20000; ++k) {
        fprintf(file, "v %d 0 0\n", k);
    }
    fprintf(file, "l");
    for (int k = 0; k < 20000; ++k) {
        fprintf(file, " %d", k + 1);
    }
    fprintf(file, "\n");
    fclose(file);
    show = open_with("long.obj", 0.001, 0.0);
    found = hed_show_object(show, 0).curves[0].radius;
    // The same, of 20 m in pieces of a millimetre.
    cr_expect(found > 1e-4 && found < 0.05, "%g", found);
    hed_show_close(show);
}

static void expect_open_failure(const char* path, HedShowOptions options, HedStatus status,
                                const char* message) {
    HedShow* show = NULL;
    HedError error = {0};
    cr_expect_eq(hed_show_open(path, &options, &show, &error), status, "%s", path);
    cr_expect_null(show);
    cr_expect_str_eq(error.message, message);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}

Test(show, refusals) {
    HedShowOptions options = hed_show_options_default();
    write_text("quad.obj", "v 0 0 0\nv 1e300 0 0\nv 1 2 0\nf 1 2 3\n");
    write_text("a.txt", "hello\n");
    expect_open_failure("none", options, HED_NOT_FOUND, "none: there is no such file or directory");
    expect_open_failure(".", options, HED_NOT_FOUND, ".: holds no run");
    expect_open_failure(
        "a.txt", options, HED_INVALID,
        "a.txt: is neither a run directory nor a scene (.yaml, .yml, .json), a garment (.json), a "
        "file of yarns (.bcc, .yarns, .pyp, .usda, .vtp, .obj, .ply), a mesh (.obj, .ply, .vtp), a "
        "weave "
        "(.wif) or a knit (.knit, .ks, .k, .knitout)");
    options.scale = 0.0;
    expect_open_failure("quad.obj", options, HED_INVALID,
                        "quad.obj: scale must be positive and finite, got 0");
    options.scale = 1e10;
    expect_open_failure("quad.obj", options, HED_INVALID,
                        "quad.obj: is not finite after scaling by 1e+10");
    options.scale = 1.0;
    options.radius = -1.0;
    expect_open_failure("quad.obj", options, HED_INVALID,
                        "quad.obj: radius must not be negative, got -1 m");
    make_run("run", NULL, false);
    cr_assert_eq(system("rm run/frames/0*.hed"), 0);
    options.radius = 0.0;
    expect_open_failure("run", options, HED_NOT_FOUND, "run: the run there has no frames yet");
}

static HedStatus use_everything(const char* path) {
    HedShow* show = NULL;
    HedBuffer buffer = {0};
    HedStatus status = hed_show_open(path, NULL, &show, NULL);
    if (status == HED_OK) {
        status = hed_show_encode_about(show, 0, &buffer, NULL);
    }
    if (status == HED_OK) {
        status = hed_show_encode_geometry(show, 0, &buffer, NULL);
    }
    if (status == HED_OK) {
        status = hed_show_encode_frame(show, 0, (HedFrameRequest){0, 0, 0}, &buffer, NULL);
    }
    if (status == HED_OK && hed_show_is_run(show)) {
        status = hed_show_encode_table(show, 0, "energy", 0, &buffer, NULL);
    }
    hed_buffer_free(&buffer);
    hed_show_close(show);
    return status;
}

Test(show, no_memory) {
    make_run("run", "duration=0.02 s", false);
    write_weave("weave.obj", 4, 0.003, 0.0005);
    static const char* const PATHS[] = {"run", "weave.obj"};
    for (int k = 0; k < 2; ++k) {
        int64_t before = hed_alloc_stats().call_count;
        cr_assert_eq(use_everything(PATHS[k]), HED_OK);
        int64_t calls = hed_alloc_stats().call_count - before;
        for (int64_t n = 1; n <= calls; ++n) {
            hed_alloc_fail_at(n);
            HedStatus status = use_everything(PATHS[k]);
            hed_alloc_fail_at(0);
            // The name of a scene and the list of tables are done without.
            cr_expect(status == HED_NO_MEMORY || status == HED_OK, "call %d: %s", (int)n,
                      hed_status_name(status));
            cr_expect_eq(hed_alloc_stats().live_count, 0, "call %d", (int)n);
        }
    }
}
