// SPDX-License-Identifier: MIT
// Run directories: what is written, what is refused, and going on to the same bits.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "io/store.h"
#include "run/csv.h"
#include "support/runs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// s or m: sums of a few steps below 1.
static const double ROUNDING = 1e-15;

static HedText read_file(const char* directory, const char* name) {
    HedText text;
    HedError error = {0};
    char* path = hed_path_join(directory, name);
    cr_assert_eq(hed_text_read(path, &text, &error), HED_OK, "%s", error.message);
    hed_free(path);
    return text;
}

static void check_same_file(const char* a, const char* b, const char* name) {
    HedText p = read_file(a, name);
    HedText q = read_file(b, name);
    cr_assert_eq(p.size, q.size, "%s: %zu and %zu bytes", name, p.size, q.size);
    cr_assert_eq(memcmp(p.data, q.data, p.size), 0, "%s differs", name);
    hed_text_free(&p);
    hed_text_free(&q);
}

static void check_same_run(const char* a, const char* b, int32_t frames) {
    check_same_file(a, b, "energy.csv");
    check_same_file(a, b, "measure.csv");
    check_same_file(a, b, "checkpoint");
    check_same_file(a, b, "scene.yaml");
    check_same_file(a, b, "frames/objects.hed");
    for (int32_t i = 0; i < frames; ++i) {
        char name[64];
        snprintf(name, sizeof name, "frames/%06d.hed", (int)i);
        check_same_file(a, b, name);
    }
}

static void append(const char* path, const char* text) {
    FILE* file = fopen(path, "ab");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

// Each test in a directory of its own.
static void enter_directory(void) {
    char name[] = "run-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
}

TestSuite(run, .init = enter_directory);

typedef struct Stopper {
    int64_t steps_left;
} Stopper;

static bool stop_after(void* context) {
    Stopper* stopper = context;
    return --stopper->steps_left <= 0;
}

Test(run, writes_frames_that_read_back) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("a");
    HedRunReport report = run_scene(scene, &options);
    cr_assert_eq(report.outcome, HED_OUTCOME_DONE);
    cr_assert_eq(report.steps, 20);
    cr_assert_eq(report.frames, 11); // every second step, and the start
    cr_assert(hed_run_is_directory("a"));
    cr_assert_not(hed_run_is_directory("."));

    HedRunReader* reader = NULL;
    cr_assert_eq(hed_run_open("a", &reader, NULL), HED_OK);
    cr_assert_eq(hed_run_frame_count(reader), 11);
    cr_assert_eq(hed_run_object_count(reader), 2);
    cr_assert_str_eq(hed_run_object(reader, 0).name, "cloth");
    cr_assert_eq(hed_run_object(reader, 0).kind, HED_OBJECT_SHEET);
    cr_assert_eq(hed_run_object(reader, 1).kind, HED_OBJECT_BODY);
    cr_assert_eq(hed_run_object(reader, 0).vertex_count, 20);

    static HedVec3 cloth[20];
    static HedVec3 first[4096];
    static HedVec3 last[4096];
    cr_assert_leq(hed_run_object(reader, 1).vertex_count, 4096);
    double time = -1.0;
    cr_assert_eq(hed_run_frame(reader, 0, &time, (HedVec3*[]){cloth, first}, NULL), HED_OK);
    cr_assert_eq(time, 0.0);
    cr_assert_eq(cloth[0].x, -0.5); // the start state, untouched
    cr_assert_eq(cloth[0].y, 0.4);
    cr_assert_eq(hed_run_frame(reader, 10, &time, (HedVec3*[]){cloth, last}, NULL), HED_OK);
    cr_assert_float_eq(time, 0.2, 1e-12); // 20 additions of 0.01
    // The block moves 0.4 m along x in 0.2 s.
    cr_assert_float_eq(last[0].x - first[0].x, 0.4, 1e-9);
    cr_assert_float_eq(last[0].y, first[0].y, ROUNDING);
    cr_assert_eq(hed_run_frame(reader, 11, &time, NULL, NULL), HED_NOT_FOUND);
    cr_assert_eq(hed_run_frame(reader, -1, &time, NULL, NULL), HED_NOT_FOUND);

    HedSeries series;
    cr_assert_eq(hed_run_series(reader, 2, 4, &series, NULL), HED_OK);
    cr_assert_eq(series.frame_count, 3);
    cr_assert_float_eq(series.times[0], 0.04, ROUNDING);
    cr_assert_eq(series.load(series.context, 1, (HedVec3*[]){cloth, last}, NULL), HED_OK);
    cr_assert_eq(hed_run_series(reader, 4, 11, &series, NULL), HED_INVALID);
    hed_run_close(reader);
    hed_scene_destroy(scene);
}

Test(run, tables_have_a_row_for_each_frame) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("a");
    run_scene(scene, &options);
    HedText measure = read_file("a", "measure.csv");
    cr_assert_eq(strncmp(measure.data, "time,step,corner_x,corner_y,corner_z,area\n", 42), 0);
    HedText energy = read_file("a", "energy.csv");
    cr_assert_eq(strncmp(energy.data, "time,step,kinetic,", 18), 0);
    int lines = 0;
    for (const char* c = energy.data; *c; ++c) {
        lines += *c == '\n';
    }
    cr_assert_eq(lines, 12);
    hed_text_free(&measure);
    hed_text_free(&energy);
    hed_scene_destroy(scene);
}

Test(run, stopped_anywhere_goes_on_to_the_same_bits) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("straight");
    run_scene(scene, &options);
    for (int64_t at = 1; at < 20; at += 3) {
        char directory[32];
        snprintf(directory, sizeof directory, "stopped%d", (int)at);
        Stopper stopper = {at};
        HedRunOptions first = run_options(directory);
        first.stop = stop_after;
        first.context = &stopper;
        first.checkpoint_interval = 1e9; // only the one of the stop counts
        cr_assert_eq(run_scene(scene, &first).outcome, HED_OUTCOME_STOPPED);
        HedRunOptions second = run_options(directory);
        second.resume = true;
        second.thread_count = 2;
        HedRunReport report = run_scene(scene, &second);
        cr_assert_eq(report.outcome, HED_OUTCOME_DONE);
        cr_assert_eq(report.frames, 11);
        check_same_run("straight", directory, 11);
    }
    hed_scene_destroy(scene);
}

Test(run, torn_tails_and_newer_frames_do_not_matter) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("straight");
    run_scene(scene, &options);
    Stopper stopper = {7};
    HedRunOptions first = run_options("killed");
    first.stop = stop_after;
    first.context = &stopper;
    run_scene(scene, &first);
    append("killed/energy.csv", "0.08,8,0.1,0.22");
    append("killed/measure.csv", "0.08,8,1,2,3,4\n0.1");
    append("killed/frames/000004.hed", "half a frame of a broken disk");
    append("killed/frames/000005.hed.123.part", "x");
    append("killed/checkpoint.123.part", "x");
    append("killed/notes.123.part", "not heddle's");
    HedRunOptions second = run_options("killed");
    second.resume = true;
    run_scene(scene, &second);
    check_same_run("straight", "killed", 11);
    cr_assert_not(hed_file_exists("killed/frames/000005.hed.123.part"));
    cr_assert_not(hed_file_exists("killed/checkpoint.123.part"));
    cr_assert(hed_file_exists("killed/notes.123.part"));
    hed_scene_destroy(scene);
}

Test(run, an_end_between_frames_has_its_frame_and_can_be_lengthened) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("straight");
    run_scene(scene, &options);
    HedRunOptions first = run_options("parts");
    first.duration = 0.07; // 7 steps: frames of steps 0, 2, 4, 6 and 7
    HedRunReport report = run_scene(scene, &first);
    cr_assert_eq(report.frames, 5);
    HedRunReader* reader = NULL;
    double time = 0.0;
    cr_assert_eq(hed_run_open("parts", &reader, NULL), HED_OK);
    cr_assert_eq(hed_run_frame(reader, 4, &time, NULL, NULL), HED_OK);
    cr_assert_float_eq(time, 0.07, ROUNDING);

    HedRunOptions again = first;
    again.resume = true;
    HedText before = read_file("parts", "energy.csv");
    report = run_scene(scene, &again); // finished already: nothing changes
    HedText after = read_file("parts", "energy.csv");
    cr_assert_eq(report.outcome, HED_OUTCOME_DONE);
    cr_assert_eq(report.frames, 5);
    cr_assert_eq(report.steps, 7);
    cr_assert_eq(before.size, after.size);

    again.duration = -1.0;
    report = run_scene(scene, &again);
    cr_assert_eq(report.frames, 11);
    cr_assert_eq(hed_run_frame_count(reader), 11); // a reader sees the run grow
    check_same_run("straight", "parts", 11);
    hed_text_free(&before);
    hed_text_free(&after);
    hed_run_close(reader);
    hed_scene_destroy(scene);
}

Test(run, refuses_to_overwrite) {
    HedScene* scene = run_parse(NULL);
    HedError error = {0};
    HedRunOptions options = run_options("a");
    run_scene(scene, &options);
    append("a/mine.txt", "keep");
    append("a/frames/mine.hed", "keep");
    cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_EXISTS);
    cr_assert(strstr(error.message, "--force"), "%s", error.message);
    options.force = true;
    options.duration = 0.02;
    run_scene(scene, &options);
    cr_assert(hed_file_exists("a/mine.txt"));
    cr_assert(hed_file_exists("a/frames/mine.hed"));
    cr_assert(hed_file_exists("a/frames/000001.hed"));
    cr_assert_not(hed_file_exists("a/frames/000002.hed")); // of the longer run before
    hed_scene_destroy(scene);
}

Test(run, leaves_files_of_others_alone) {
    HedScene* scene = run_parse(NULL);
    HedError error = {0};
    mkdir("b", 0777);
    append("b/scene.yaml", "the user's own\n");
    HedRunOptions options = run_options("b");
    options.force = true;
    cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_EXISTS);
    options.force = false;
    options.resume = true;
    cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_EXISTS);
    HedText text = read_file("b", "scene.yaml");
    cr_assert_str_eq(text.data, "the user's own\n");
    cr_assert_not(hed_file_exists("b/frames"));
    hed_text_free(&text);

    mkdir("c", 0777);
    append("c/other.txt", "fine");
    HedRunOptions beside = run_options("c");
    run_scene(scene, &beside); // foreign files with other names do not hinder
    append("file", "not a directory");
    HedRunOptions onto = run_options("file");
    cr_assert_eq(hed_run(scene, &onto, NULL, &error), HED_INVALID);
    hed_scene_destroy(scene);
}

Test(run, resume_asks_for_the_same_scene) {
    HedScene* scene = run_parse(NULL);
    HedScene* other = run_parse("sheets.0.density=0.2");
    HedError error = {0};
    HedRunOptions options = run_options("a");
    options.duration = 0.04;
    run_scene(scene, &options);
    options.resume = true;
    options.duration = -1.0;
    cr_assert_eq(hed_run(other, &options, NULL, &error), HED_INVALID);
    cr_assert(strstr(error.message, "another scene"), "%s", error.message);
    cr_assert_eq(run_scene(scene, &options).steps, 20);
    // Without a checkpoint a run that has results is not begun again.
    unlink("a/checkpoint");
    cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_NOT_FOUND);
    cr_assert(hed_file_exists("a/frames/000010.hed"));
    // Where nothing is, resume begins.
    options.directory = "fresh";
    cr_assert_eq(run_scene(scene, &options).steps, 20);
    hed_scene_destroy(scene);
    hed_scene_destroy(other);
}

typedef struct Intruder {
    const HedScene* scene;
    HedStatus status;
    HedError error;
} Intruder;

static void intrude(const HedProgress* progress, void* context) {
    Intruder* intruder = context;
    if (progress->step == 3) {
        HedRunOptions options = run_options("a");
        options.resume = true;
        intruder->status = hed_run(intruder->scene, &options, NULL, &intruder->error);
    }
}

Test(run, only_one_process_may_write) {
    HedScene* scene = run_parse(NULL);
    Intruder intruder = {.scene = scene};
    HedRunOptions options = run_options("a");
    options.progress = intrude;
    options.context = &intruder;
    run_scene(scene, &options);
    cr_assert_eq(intruder.status, HED_EXISTS);
    char expected[64];
    snprintf(expected, sizeof expected, "process %ld is writing", (long)getpid());
    cr_assert(strstr(intruder.error.message, expected), "%s", intruder.error.message);
    hed_scene_destroy(scene);
}

Test(run, damaged_files_are_refused) {
    HedScene* scene = run_parse(NULL);
    HedError error = {0};
    HedRunOptions options = run_options("a");
    options.duration = 0.04;
    run_scene(scene, &options);
    options.resume = true;
    options.duration = -1.0;
    HedText whole = read_file("a", "checkpoint");
    for (size_t size = 0; size < whole.size; size += 97) {
        FILE* file = fopen("a/checkpoint", "wb");
        fwrite(whole.data, 1, size, file);
        fclose(file);
        cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_PARSE, "%zu bytes", size);
    }
    // A table shorter than the checkpoint knows has lost rows.
    FILE* file = fopen("a/checkpoint", "wb");
    fwrite(whole.data, 1, whole.size, file);
    fclose(file);
    cr_assert_eq(truncate("a/energy.csv", 20), 0);
    cr_assert_eq(hed_run(scene, &options, NULL, &error), HED_PARSE);
    cr_assert_eq(truncate("a/frames/000001.hed", 200), 0);
    HedRunReader* reader = NULL;
    double time = 0.0;
    cr_assert_eq(hed_run_open("a", &reader, NULL), HED_OK);
    cr_assert_eq(hed_run_frame(reader, 1, &time, NULL, NULL), HED_PARSE);
    hed_run_close(reader);
    cr_assert_eq(truncate("a/frames/objects.hed", 100), 0);
    cr_assert_eq(hed_run_open("a", &reader, NULL), HED_PARSE);
    cr_assert_null(reader);
    cr_assert_eq(hed_run_open("nowhere", &reader, NULL), HED_NOT_FOUND);
    hed_text_free(&whole);
    hed_scene_destroy(scene);
}

// A store that is whole but says what cannot be must not lead the reader out of its arrays.
Test(run, impossible_objects_are_refused) {
    mkdir("a", 0777);
    mkdir("a/frames", 0777);
    const int32_t triangle[3] = {0, 1, 2};
    const double vertices[9] = {0};
    const uint8_t kind[1] = {1};
    const struct {
        int32_t vertex_count, triangle_count;
        int64_t name_size;
        int32_t corner;
    } cases[] = {{3, 2, 2, 2}, {4, 1, 2, 2}, {-1, 1, 2, 2}, {3, -1, 2, 2},
                 {3, 1, 1, 2}, {3, 1, 0, 2}, {3, 1, 2, 3},  {3, 1, 2, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int32_t corners[3] = {triangle[0], triangle[1], cases[i].corner};
        const HedStoreArray arrays[] = {{"names", "u8", cases[i].name_size, "b"},
                                        {"kinds", "u8", 1, kind},
                                        {"vertex_counts", "i32", 1, &cases[i].vertex_count},
                                        {"triangle_counts", "i32", 1, &cases[i].triangle_count},
                                        {"triangles", "i32", 3, corners},
                                        {"body_vertices", "f64", 9, vertices}};
        HedRunReader* reader = NULL;
        cr_assert_eq(hed_store_save("a/frames/objects.hed", arrays, 6, NULL), HED_OK);
        cr_assert_eq(hed_run_open("a", &reader, NULL), HED_PARSE, "case %zu", i);
    }
}

Test(run, a_solver_that_gives_up_keeps_finite_frames) {
    // Explicit Euler far above its stable step.
    HedScene* scene = run_parse("step={size: 1/60 s, integrator: explicit-euler}");
    HedRunOptions options = run_options("a");
    options.duration = 100.0;
    HedRunReport report = run_scene(scene, &options);
    cr_assert_eq(report.outcome, HED_OUTCOME_GAVE_UP);
    cr_assert_neq(report.last.reason, HED_REASON_CONVERGED);
    cr_assert(report.last.trouble[0]);
    HedRunReader* reader = NULL;
    double time = 0.0;
    cr_assert_eq(hed_run_open("a", &reader, NULL), HED_OK);
    cr_assert_eq(hed_run_frame_count(reader), report.frames);
    for (int32_t i = 0; i < report.frames; ++i) {
        cr_assert_eq(hed_run_frame(reader, i, &time, NULL, NULL), HED_OK); // refuses what is not
    }
    hed_run_close(reader);
    hed_scene_destroy(scene);
}

Test(run, bad_options_write_nothing) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("a");
    options.duration = (double)NAN;
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    options = run_options("a");
    options.duration = 1e300;
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    options.duration = 1e-9; // less than half a step
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    options = run_options("a");
    options.thread_count = -1;
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    options = run_options("a");
    options.resume = options.force = true;
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    options = run_options("");
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_INVALID);
    cr_assert_not(hed_file_exists("a"));
    hed_scene_destroy(scene);
}

// One run while the n-th allocation fails. The scene remembers what was built from it, so that it
// must go too before blocks are counted.
static HedStatus run_with_failure(HedRunOptions* options, int64_t n) {
    HedError error = {0};
    HedScene* scene = run_parse(NULL);
    hed_alloc_fail_at(n);
    HedStatus status = hed_run(scene, options, NULL, &error);
    hed_alloc_fail_at(0);
    hed_scene_destroy(scene);
    cr_assert(status == HED_OK || status == HED_NO_MEMORY, "allocation %d: %s", (int)n,
              error.message);
    return status;
}

static HedStatus read_with_failure(int64_t n) {
    HedRunReader* reader = NULL;
    HedSeries series;
    hed_alloc_fail_at(n);
    HedStatus status = hed_run_open("a", &reader, NULL);
    if (status == HED_OK) {
        status = hed_run_series(reader, 0, 1, &series, NULL);
    }
    hed_alloc_fail_at(0);
    hed_run_close(reader);
    cr_assert(status == HED_OK || status == HED_NO_MEMORY);
    return status;
}

Test(run, every_allocation_may_fail, .timeout = 120) {
    HedRunOptions options = run_options("straight");
    options.duration = 0.03;
    cr_assert_eq(run_with_failure(&options, 0), HED_OK);
    options.directory = "a";
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 0;
    while (status != HED_OK) {
        options.resume = n % 2 == 0; // begin anew and go on in turn
        options.force = !options.resume;
        status = run_with_failure(&options, ++n);
        cr_assert_eq(hed_alloc_stats().live_count, live, "allocation %d leaks", (int)n);
    }
    cr_assert_gt(n, 20);
    check_same_run("straight", "a", 2);
    for (n = 1, status = HED_NO_MEMORY; status != HED_OK; ++n) {
        status = read_with_failure(n);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
}

Test(run, csv_cells) {
    HedCsv csv = {0};
    cr_assert_eq(hed_csv_create(&csv, "cells.csv", NULL), HED_OK);
    hed_csv_text(&csv, "plain");
    hed_csv_text(&csv, "a,\"b\"");
    hed_csv_number(&csv, 0.1);
    hed_csv_number(&csv, (double)NAN);
    hed_csv_integer(&csv, -7);
    cr_assert_eq(hed_csv_end_row(&csv, NULL), HED_OK);
    int64_t bytes = csv.bytes;
    uint64_t hash = csv.hash;
    uint64_t other = hash ^ 1;
    hed_csv_text(&csv, "second");
    cr_assert_eq(hed_csv_end_row(&csv, NULL), HED_OK);
    hed_csv_close(&csv);
    // Other rows than those that were written are refused, and stay.
    cr_assert_eq(hed_csv_resume(&csv, "cells.csv", (HedCsvMark){bytes, &other}, NULL), HED_PARSE);
    cr_assert_eq(hed_csv_resume(&csv, "cells.csv", (HedCsvMark){bytes, NULL}, NULL), HED_OK);
    cr_assert_eq(csv.hash, hash);
    hed_csv_close(&csv);
    cr_assert_eq(hed_csv_resume(&csv, "cells.csv", (HedCsvMark){bytes, &hash}, NULL), HED_OK);
    hed_csv_close(&csv);
    HedText text = read_file(".", "cells.csv");
    cr_assert_str_eq(text.data, "plain,\"a,\"\"b\"\"\",0.1,,-7\n");
    hed_text_free(&text);
    cr_assert_eq(hed_csv_resume(&csv, "cells.csv", (HedCsvMark){bytes + 1, NULL}, NULL), HED_PARSE);
    // A link leads to a file that is not the run's.
    cr_assert_eq(symlink("cells.csv", "link.csv"), 0);
    cr_assert_eq(hed_csv_resume(&csv, "link.csv", (HedCsvMark){0, NULL}, NULL), HED_IO);
    struct stat info;
    cr_assert(stat("cells.csv", &info) == 0 && info.st_size == bytes);
}

static bool stop_at_frame_three(void* context) {
    (void)context;
    return hed_file_exists("a/frames/000003.hed");
}

// A run that was stopped after some frames, so that it still has the checkpoint before the last.
static HedRunOptions stopped_run(const HedScene* scene) {
    HedRunOptions options = run_options("a");
    options.stop = stop_at_frame_three;
    options.force = true;
    HedRunReport report;
    cr_assert_eq(hed_run(scene, &options, &report, NULL), HED_OK);
    cr_assert_eq(report.outcome, HED_OUTCOME_STOPPED);
    options.stop = NULL;
    options.force = false;
    options.resume = true;
    return options;
}

static void flip_bit(const char* path, long at) {
    FILE* file = fopen(path, "r+b");
    cr_assert(file && fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0);
    int c = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(c ^ 4, file);
    fclose(file);
}

Test(run, goes_on_from_the_checkpoint_before_a_damaged_one) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions straight = run_options("straight");
    run_scene(scene, &straight);
    HedRunOptions options = stopped_run(scene);
    cr_assert(hed_file_exists("a/checkpoint.before"));
    flip_bit("a/checkpoint", -200);
    cr_assert_eq(hed_run(scene, &options, NULL, NULL), HED_OK);
    check_same_run("straight", "a", 11);
    cr_assert_not(hed_file_exists("a/checkpoint.before"), "at the end there is one checkpoint");
    hed_scene_destroy(scene);
}

Test(run, lost_frames_are_counted_and_damaged_tables_refused) {
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = stopped_run(scene);
    flip_bit("a/frames/000001.hed", -200);
    flip_bit("a/frames/objects.hed", -40); // written again
    HedRunReport report;
    cr_assert_eq(hed_run(scene, &options, &report, NULL), HED_OK);
    cr_assert_eq(report.lost_frames, 1);
    HedRunReader* reader = NULL;
    cr_assert_eq(hed_run_open("a", &reader, NULL), HED_OK);
    hed_run_close(reader);
    options = stopped_run(scene);
    flip_bit("a/energy.csv", 60);
    HedError error = {0};
    cr_assert_eq(hed_run(scene, &options, &report, &error), HED_PARSE);
    cr_assert(strstr(error.message, "energy.csv: is damaged"), "%s", error.message);
    hed_scene_destroy(scene);
}
