// SPDX-License-Identifier: MIT
// Runs opened for reading: quantities, poses, names, and what changes under a reader.
#define _GNU_SOURCE
#include "support/runs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Each test in a directory of its own.
static void enter_directory(void) {
    char name[] = "reader-XXXXXX";
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
}

TestSuite(reader, .init = enter_directory);

static int32_t run_with_quantities(const char* override, const char* directory,
                                   HedRunReader** reader) {
    HedScene* scene = run_parse(override);
    HedRunOptions options = run_options(directory);
    run_scene(scene, &options);
    hed_scene_destroy(scene);
    cr_assert_eq(hed_run_open(directory, reader, NULL), HED_OK);
    return hed_run_quantity_count(*reader);
}

Test(reader, frames_hold_the_quantities_of_the_scene) {
    HedRunReader* reader = NULL;
    float cloth[20], block[8];
    HedError error = {0};
    cr_assert_eq(run_with_quantities(NULL, "all", &reader), HED_QUANTITY_COUNT);
    for (int32_t q = 0; q < HED_QUANTITY_COUNT; ++q) {
        const char* name = hed_quantity_name((HedQuantity)q);
        cr_expect_str_eq(hed_run_quantity_name(reader, q), name);
        cr_assert_eq(hed_run_values(reader, 0, name, (float*[]){cloth, block}, &error), HED_OK,
                     "%s", error.message);
        for (int i = 0; i < 20; ++i) { // it is flat and at rest
            // Rounding of what nothing moves.
            cr_expect_float_eq((double)cloth[i], 0.0, 1e-12, "%s at vertex %d: %g", name, i,
                               (double)cloth[i]);
        }
        for (int i = 0; i < 8; ++i) {
            cr_expect(isnan(block[i]));
        }
    }
    cr_assert_eq(hed_run_values(reader, 10, "speed", (float*[]){cloth, block}, NULL), HED_OK);
    cr_expect_eq(cloth[0], 0.0f); // held
    cr_expect_gt(cloth[19], 0.1f);
    cr_expect_eq(hed_run_values(reader, 0, "weight", (float*[]){cloth, block}, &error),
                 HED_NOT_FOUND);
    cr_expect_str_eq(error.message, "all: frame 0 has no values of 'weight'");
    hed_run_close(reader);
    cr_assert_eq(run_with_quantities("output.quantities=[speed, strain]", "two", &reader), 2);
    cr_expect_str_eq(hed_run_quantity_name(reader, 0), "strain");
    cr_expect_str_eq(hed_run_quantity_name(reader, 1), "speed");
    hed_run_close(reader);
    cr_assert_eq(run_with_quantities("output.quantities=[]", "none", &reader), 0);
    hed_run_close(reader);
    const char* bad = "output.quantities=[strian]";
    HedScene* scene = NULL;
    cr_assert_eq(
        hed_scene_parse(RUN_SCENE, strlen(RUN_SCENE), "test.yaml", ".", &bad, 1, &scene, &error),
        HED_PARSE);
    cr_expect(strstr(error.message, "'quantities' must be one of strain, tension"), "%s",
              error.message);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}

Test(reader, poses_bodies_and_names) {
    HedRunReader* reader = NULL;
    HedPose pose = {0};
    run_with_quantities(NULL, "a/", &reader);
    cr_expect_str_eq(hed_run_name(reader), "test");
    cr_expect_not(hed_run_is_growing(reader));
    cr_assert_eq(hed_run_poses(reader, 10, &pose, NULL), HED_OK);
    // The place of a keyframe, with all digits.
    cr_expect_float_eq(pose.position.x, 0.4, 0.0);
    cr_expect_eq(hed_run_body_vertices(reader, 0).count, 0);
    HedVec3View block = hed_run_body_vertices(reader, 1);
    cr_assert_eq(block.count, 8);
    for (int i = 0; i < 8; ++i) {
        cr_expect_eq(fabs(block.data[i].x), 0.1);
    }
    cr_expect_neq(hed_run_frame_stamp(reader, 10), 0);
    cr_expect_eq(hed_run_frame_stamp(reader, 11), 0);
    cr_expect_eq(hed_run_frame_stamp(reader, -1), 0);
    hed_run_close(reader);
    cr_assert_eq(unlink("a/scene.yaml"), 0);
    cr_assert_eq(hed_run_open("a/", &reader, NULL), HED_OK);
    cr_expect_str_eq(hed_run_name(reader), "a"); // of the directory
    hed_run_close(reader);
}

static void ask_for_growth(const HedProgress* progress, void* context) {
    int* growing = context;
    HedRunReader* reader = NULL;
    if (progress->frame > 0 && hed_run_open("grows", &reader, NULL) == HED_OK) {
        *growing += hed_run_is_growing(reader);
        hed_run_close(reader);
    }
}

Test(reader, grows_while_it_is_written) {
    int growing = 0;
    HedScene* scene = run_parse(NULL);
    HedRunOptions options = run_options("grows");
    options.progress = ask_for_growth;
    options.context = &growing;
    run_scene(scene, &options);
    cr_expect_eq(growing, 20); // at each of the steps
    hed_scene_destroy(scene);
}

Test(reader, a_run_replaced_under_its_reader_is_an_error) {
    HedRunReader* reader = NULL;
    HedError error = {0};
    double time = 0.0;
    run_with_quantities(NULL, "r", &reader);
    cr_assert_eq(hed_run_frame(reader, 3, &time, NULL, &error), HED_OK);
    HedScene* scene = run_parse("duration=0.1 s");
    HedRunOptions options = run_options("r");
    options.force = true;
    run_scene(scene, &options);
    cr_expect_eq(hed_run_frame_count(reader), 6);
    cr_expect_eq(hed_run_frame(reader, 3, &time, NULL, &error), HED_NOT_FOUND);
    cr_expect_str_eq(error.message,
                     "r: the run there was removed or replaced after it had been opened");
    cr_expect_eq(hed_run_frame_stamp(reader, 3), 0);
    cr_assert_eq(system("rm -r r"), 0);
    cr_expect_eq(hed_run_frame_count(reader), 0);
    cr_expect_eq(hed_run_frame(reader, 0, &time, NULL, &error), HED_NOT_FOUND);
    hed_run_close(reader);
    hed_scene_destroy(scene);
}
