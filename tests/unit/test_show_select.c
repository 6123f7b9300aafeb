// SPDX-License-Identifier: MIT
// Parts of a show: some frames, some quantities.
#define _GNU_SOURCE
#include "heddle/run.h"
#include "heddle/show.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// s: times below 1 are read as they were written, or are sums of a few.
static const double ROUNDING = 1e-15;

// Frames 0 to 10, one each 1/50 s.
static const char SCENE[] =
    "heddle: 1\n"
    "name: test\n"
    "duration: 0.2 s\n"
    "step: {size: 1/100 s}\n"
    "output: {frame_interval: 1/50 s}\n"
    "sheets:\n"
    "  - {name: cloth, grid: {size: [1 m, 1 m], points: [5, 4], origin: [-0.5, 0.4, 0]}}\n"
    "pins: [{name: hold, where: top-left}]\n";

static HedShow* make_show(void) {
    char name[] = "select-XXXXXX";
    HedScene* scene = NULL;
    HedShow* show = NULL;
    HedError error = {0};
    HedRunReport report;
    cr_assert(mkdtemp(name));
    cr_assert_eq(chdir(name), 0);
    cr_assert_eq(hed_scene_parse(SCENE, strlen(SCENE), "t.yaml", ".", NULL, 0, &scene, &error),
                 HED_OK, "%s", error.message);
    HedRunOptions options = hed_run_options_default();
    options.directory = "run";
    options.thread_count = 1;
    cr_assert_eq(hed_run(scene, &options, &report, &error), HED_OK, "%s", error.message);
    hed_scene_destroy(scene);
    cr_assert_eq(hed_show_open("run", NULL, &show, &error), HED_OK, "%s", error.message);
    return show;
}

static double time_of(HedShow* show, int32_t frame) {
    double time = -1.0;
    HedError error = {0};
    cr_assert_eq(hed_show_frame(show, frame, &time, NULL, &error), HED_OK, "%s", error.message);
    return time;
}

static void check_table(HedShow* show, int32_t first, const double* times, int32_t count) {
    HedBuffer buffer = {0};
    HedError error = {0};
    cr_assert_eq(hed_show_encode_table(show, 0, "energy", first, &buffer, &error), HED_OK, "%s",
                 error.message);
    char* text = strndup((const char*)buffer.data, (size_t)buffer.size);
    const char* at = strstr(text, "\"rows\": [");
    cr_assert(at);
    at += strlen("\"rows\": [");
    for (int32_t i = 0; i < count; ++i) {
        at = strchr(at, '[');
        cr_assert(at, "row %d is missing", (int)i);
        cr_expect_float_eq(strtod(++at, NULL), times[i], ROUNDING, "row %d", (int)i);
    }
    cr_expect_null(strchr(at, '['), "more than %d rows", (int)count);
    free(text);
    hed_buffer_free(&buffer);
}

Test(select, frames_are_counted_anew) {
    HedShow* show = make_show();
    HedError error = {0};
    cr_assert_eq(hed_show_frame_count(show), 11);
    cr_assert_eq(hed_show_select(show, 2, 9, 3, &error), HED_OK, "%s", error.message);
    cr_expect_eq(hed_show_frame_count(show), 3); // 2, 5, 8
    cr_expect_not(hed_show_is_growing(show));
    const double times[] = {0.04, 0.10, 0.16};
    for (int32_t i = 0; i < 3; ++i) {
        cr_expect_float_eq(time_of(show, i), times[i], ROUNDING);
    }
    check_table(show, 0, times, 3);
    check_table(show, 1, times + 1, 2);
    check_table(show, 3, NULL, 0);
    // A part of the part: 2 and 8.
    cr_assert_eq(hed_show_select(show, 0, 2, 2, &error), HED_OK, "%s", error.message);
    cr_expect_eq(hed_show_frame_count(show), 2);
    cr_expect_float_eq(time_of(show, 1), 0.16, ROUNDING);
    hed_show_close(show);
}

Test(select, messages_are_those_of_the_frames_selected) {
    HedShow* show = make_show();
    HedBuffer before = {0};
    HedBuffer after = {0};
    HedError error = {0};
    // The head holds the number of the frame in bytes 8 to 11.
    HedFrameRequest request = {4, -1, 0};
    cr_assert_eq(hed_show_encode_frame(show, 0, request, &before, &error), HED_OK);
    cr_assert_eq(hed_show_select(show, 4, 10, 6, &error), HED_OK);
    request.frame = 0;
    cr_assert_eq(hed_show_encode_frame(show, 0, request, &after, &error), HED_OK);
    cr_assert_eq(before.size, after.size);
    cr_expect_eq(before.data[8], 4);
    cr_expect_eq(after.data[8], 0);
    before.data[8] = 0;
    cr_expect_arr_eq(before.data, after.data, (size_t)before.size);
    hed_buffer_free(&before);
    hed_buffer_free(&after);
    hed_show_close(show);
}

Test(select, bad_selections_change_nothing) {
    HedShow* show = make_show();
    HedError error = {0};
    cr_expect_eq(hed_show_select(show, 0, 11, 1, &error), HED_NOT_FOUND);
    cr_expect(strstr(error.message, "0 to 11"), "%s", error.message);
    cr_expect_eq(hed_show_select(show, 3, 2, 1, &error), HED_NOT_FOUND);
    cr_expect_eq(hed_show_select(show, -1, 2, 1, &error), HED_NOT_FOUND);
    cr_expect_eq(hed_show_select(show, 0, 2, 0, &error), HED_INVALID);
    cr_expect_eq(hed_show_frame_count(show), 11);
    cr_assert_eq(hed_show_select(show, 5, 5, 1000000000, &error), HED_OK);
    cr_expect_eq(hed_show_frame_count(show), 1);
    cr_expect_eq(hed_show_frame(show, 1, NULL, NULL, &error), HED_NOT_FOUND);
    cr_expect(strstr(error.message, "no frame 1"), "%s", error.message);
    cr_expect_eq(hed_show_frame(show, -1, NULL, NULL, &error), HED_NOT_FOUND);
    hed_show_close(show);
}

Test(select, quantities) {
    HedShow* show = make_show();
    HedError error = {0};
    float room[20];
    float same[20];
    float* values[] = {room};
    int32_t count = hed_show_quantity_count(show);
    int32_t tension = hed_show_find_quantity(show, "tension");
    cr_assert(count > 2 && tension > 0);
    cr_assert_eq(hed_show_values(show, 10, tension, values, &error), HED_OK);
    memcpy(same, room, sizeof room);
    const char* const bad[] = {"tension", "colour"};
    cr_expect_eq(hed_show_select_quantities(show, bad, 2, &error), HED_NOT_FOUND);
    cr_expect(strstr(error.message, "'colour'"), "%s", error.message);
    cr_expect_eq(hed_show_quantity_count(show), count);
    const char* const good[] = {"tension", "strain", "tension"};
    cr_assert_eq(hed_show_select_quantities(show, good, 3, &error), HED_OK);
    cr_assert_eq(hed_show_quantity_count(show), 2);
    cr_expect_str_eq(hed_show_quantity(show, 0).name, "strain");
    cr_assert_eq(hed_show_values(show, 10, 1, values, &error), HED_OK);
    cr_expect_arr_eq(room, same, sizeof room);
    cr_expect_eq(hed_show_values(show, 10, 2, values, &error), HED_NOT_FOUND);
    cr_assert_eq(hed_show_select_quantities(show, NULL, 0, &error), HED_OK);
    cr_expect_eq(hed_show_quantity_count(show), 0);
    hed_show_close(show);
}
