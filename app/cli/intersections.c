// SPDX-License-Identifier: MIT
// heddle info RUN --intersections: do sheets pass through themselves or each other in any frame?
#include "cli/intersections.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Check {
    HedShow* show;
    HedSeriesObject* objects;
    HedVec3** positions;
    int32_t object_count;
    int32_t frame_count;
    int32_t bad_frames; // with an intersection
    int64_t worst;      // pairs in one frame
    int32_t worst_frame;
    int64_t last;             // pairs in the last frame
    int64_t last_with_bodies; // pairs of a sheet's triangle and a body's there
} Check;

static void check_free(Check* check) {
    for (int32_t i = 0; i < check->object_count && check->positions; ++i) {
        free(check->positions[i]);
    }
    free(check->positions);
    free(check->objects);
    hed_show_close(check->show);
}

static int check_open(Check* check, const char* path) {
    HedError error = {0};
    HedShowOptions options = hed_show_options_default();
    if (hed_show_open(path, &options, &check->show, &error) != HED_OK) {
        return cli_error(&error);
    }
    check->object_count = hed_show_object_count(check->show);
    check->frame_count = hed_show_frame_count(check->show);
    check->objects = calloc((size_t)check->object_count + 1, sizeof *check->objects);
    check->positions = calloc((size_t)check->object_count + 1, sizeof *check->positions);
    if (!check->objects || !check->positions) {
        return cli_no_memory();
    }
    for (int32_t i = 0; i < check->object_count; ++i) {
        check->objects[i] = hed_show_object(check->show, i);
        check->positions[i] = calloc((size_t)check->objects[i].vertex_count + 1, sizeof(HedVec3));
        if (!check->positions[i]) {
            return cli_no_memory();
        }
    }
    return CLI_GO;
}

// Looks at one frame; names the first pair of the worst so far.
static int check_frame(Check* check, int32_t frame, char* place, size_t size) {
    HedError error = {0};
    double time = 0.0;
    HedIntersections found = {0};
    if (hed_show_frame(check->show, frame, &time, check->positions, &error) != HED_OK ||
        hed_intersections_find(check->objects, check->object_count,
                               (const HedVec3* const*)check->positions, &found, &error) != HED_OK) {
        return cli_error(&error);
    }
    int64_t pairs = found.cross_count + found.touch_count;
    check->bad_frames += pairs > 0;
    check->last = pairs;
    if (pairs > check->worst) {
        const HedIntersection* first = &found.list[0];
        check->worst = pairs;
        check->worst_frame = frame;
        snprintf(place, size,
                 "triangle %" PRId32 " of '%.40s' with triangle %" PRId32 " of '%.40s'",
                 first->triangle[0], check->objects[first->object[0]].name, first->triangle[1],
                 check->objects[first->object[1]].name);
    }
    hed_intersections_free(&found);
    return CLI_GO;
}

// Of sheets with bodies, in the frame that was looked at last.
static int check_bodies(Check* check) {
    HedError error = {0};
    HedIntersections found = {0};
    if (check->frame_count > 0 &&
        hed_intersections_with_bodies(check->objects, check->object_count,
                                      (const HedVec3* const*)check->positions, &found,
                                      &error) != HED_OK) {
        return cli_error(&error);
    }
    check->last_with_bodies = found.cross_count + found.touch_count;
    hed_intersections_free(&found);
    return CLI_GO;
}

int cli_intersections(const char* path, bool as_json) {
    Check check = {0};
    char place[200] = "";
    int code = check_open(&check, path);
    for (int32_t frame = 0; frame < check.frame_count && code == CLI_GO; ++frame) {
        code = check_frame(&check, frame, place, sizeof place);
    }
    code = code == CLI_GO ? check_bodies(&check) : code;
    if (code == CLI_GO && as_json) {
        Json json = json_begin(stdout);
        json_text(&json, "path", path);
        json_integer(&json, "frames", check.frame_count);
        json_integer(&json, "frames_with_intersections", check.bad_frames);
        json_integer(&json, "most_pairs", check.worst);
        json_integer(&json, "last_pairs", check.last);
        json_integer(&json, "last_pairs_with_bodies", check.last_with_bodies);
        json_finish(&json);
    } else if (code == CLI_GO && check.bad_frames == 0) {
        printf("no intersection in %" PRId32 " frames\n", check.frame_count);
    } else if (code == CLI_GO) {
        printf("%" PRId32 " of %" PRId32 " frames have intersections; most in frame %" PRId32
               ": %" PRId64 " pairs, first %s; %" PRId64 " in the last\n",
               check.bad_frames, check.frame_count, check.worst_frame, check.worst, place,
               check.last);
    }
    if (code == CLI_GO && !as_json && check.last_with_bodies > 0) {
        printf("%" PRId64 " pairs of triangles of a sheet and a body in the last frame\n",
               check.last_with_bodies);
    }
    check_free(&check);
    if (code != CLI_GO) {
        return code;
    }
    return check.bad_frames == 0 ? CLI_DONE : CLI_GAVE_UP;
}
