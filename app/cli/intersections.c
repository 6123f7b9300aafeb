// SPDX-License-Identifier: MIT
// heddle info RUN --intersections: does anything pass through itself or anything else in any frame?
#include "cli/intersections.h"
#include "cli/faces.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Check {
    Faces faces;
    HedSeriesObject* strands; // rods and splines alone
    HedVec3** before;         // their vertices one frame earlier
    bool* is_knit;            // per object: its own loops lie in each other from the start
    int32_t bad_frames;       // with an intersection
    int64_t worst;            // pairs in one frame
    int32_t worst_frame;
    int64_t last;               // pairs in the last frame
    int64_t last_with_bodies;   // pairs of anything with a body there
    int32_t frames_with_bodies; // with such pairs
    int32_t frames_passed;      // in which a rod or spline has passed through another
} Check;

static void check_free(Check* check) {
    for (int32_t i = 0; i < check->faces.count && check->before; ++i) {
        free(check->before[i]);
    }
    free(check->before);
    free(check->strands);
    free(check->is_knit);
    faces_close(&check->faces);
}

static int check_open(Check* check, const char* path) {
    int code = faces_open(&check->faces, path);
    if (code != CLI_GO) {
        return code;
    }
    const Faces* faces = &check->faces;
    size_t n = (size_t)faces->count + 1;
    check->is_knit = calloc(n, sizeof *check->is_knit);
    check->strands = calloc(n, sizeof *check->strands);
    check->before = calloc(n, sizeof *check->before);
    if (!check->is_knit || !check->strands || !check->before) {
        return cli_no_memory();
    }
    for (int32_t i = 0; i < faces->count; ++i) {
        bool is_strand = faces->seen[i].kind == HED_OBJECT_YARNS && faces->triangles[i] &&
                         faces->middle_count[i] == 0;
        check->strands[i] = faces->seen[i];
        check->strands[i].curve_count = is_strand ? faces->seen[i].curve_count : 0;
        check->before[i] = calloc((size_t)faces->seen[i].vertex_count + 1, sizeof(HedVec3));
        if (!check->before[i]) {
            return cli_no_memory();
        }
    }
    return CLI_GO;
}

// Pairs that count: loops of a knit lie in each other, and its yarns keep their own distance.
static int64_t count_pairs(Check* check, int32_t frame, const HedIntersections* found,
                           const HedIntersection** first) {
    int64_t pairs = found->cross_count + found->touch_count;
    for (int32_t k = 0; k < found->list_count; ++k) {
        const HedIntersection* pair = &found->list[k];
        bool is_own = pair->object[0] == pair->object[1] &&
                      check->faces.seen[pair->object[0]].kind == HED_OBJECT_YARNS;
        if (is_own && frame == 0) {
            check->is_knit[pair->object[0]] = true;
        }
        if (is_own && check->is_knit[pair->object[0]]) {
            pairs -= 1;
        } else if (!*first) {
            *first = pair;
        }
    }
    return *first ? pairs : 0;
}

// Looks at one frame; names the first pair of the worst so far.
static int check_frame(Check* check, int32_t frame, char* place, size_t size) {
    HedError error = {0};
    HedIntersections found = {0};
    const Faces* faces = &check->faces;
    if (hed_intersections_find(faces->objects, faces->count, (const HedVec3* const*)faces->corners,
                               &found, &error) != HED_OK) {
        return cli_error(&error);
    }
    const HedIntersection* first = NULL;
    int64_t pairs = count_pairs(check, frame, &found, &first);
    check->bad_frames += pairs > 0;
    check->last = pairs;
    if (pairs > check->worst) {
        check->worst = pairs;
        check->worst_frame = frame;
        snprintf(place, size,
                 "triangle %" PRId32 " of '%.40s' with triangle %" PRId32 " of '%.40s'",
                 first->triangle[0], faces->objects[first->object[0]].name, first->triangle[1],
                 faces->objects[first->object[1]].name);
    }
    hed_intersections_free(&found);
    return CLI_GO;
}

// Of anything with bodies.
static int check_bodies(Check* check) {
    HedError error = {0};
    HedIntersections found = {0};
    const Faces* faces = &check->faces;
    if (hed_intersections_with_bodies(faces->objects, faces->count,
                                      (const HedVec3* const*)faces->corners, &found,
                                      &error) != HED_OK) {
        return cli_error(&error);
    }
    check->last_with_bodies = found.cross_count + found.touch_count;
    check->frames_with_bodies += check->last_with_bodies > 0;
    hed_intersections_free(&found);
    return CLI_GO;
}

// Rods and splines: in a frame they have no faces to meet, but from one to the next their linking
// integrals tell.
static int check_strands(Check* check, int32_t frame) {
    HedError error = {0};
    HedLinking linking = {0};
    Faces* faces = &check->faces;
    if (frame > 0 &&
        hed_linking_compare(check->strands, faces->count, (const HedVec3* const*)check->before,
                            (const HedVec3* const*)faces->positions, &linking, &error) != HED_OK) {
        return cli_error(&error);
    }
    check->frames_passed += linking.verdict == HED_LINKING_CHANGED || linking.jump_count > 0;
    for (int32_t i = 0; i < faces->count; ++i) {
        memcpy(check->before[i], faces->positions[i],
               sizeof(HedVec3) * (size_t)faces->seen[i].vertex_count);
    }
    return CLI_GO;
}

static int check_all(Check* check, char* place, size_t size) {
    int code = CLI_GO;
    for (int32_t frame = 0; frame < check->faces.frame_count && code == CLI_GO; ++frame) {
        code = faces_load(&check->faces, frame);
        code = code == CLI_GO ? check_frame(check, frame, place, size) : code;
        code = code == CLI_GO ? check_bodies(check) : code;
        if (code == CLI_GO && check->faces.has_strands) {
            code = check_strands(check, frame);
        }
    }
    return code;
}

static void print_json(const Check* check, const char* path) {
    Json json = json_begin(stdout);
    json_text(&json, "path", path);
    json_integer(&json, "frames", check->faces.frame_count);
    json_integer(&json, "frames_with_intersections", check->bad_frames);
    json_integer(&json, "most_pairs", check->worst);
    json_integer(&json, "last_pairs", check->last);
    json_integer(&json, "last_pairs_with_bodies", check->last_with_bodies);
    json_integer(&json, "frames_with_bodies_met", check->frames_with_bodies);
    json_integer(&json, "frames_with_rods_passed", check->frames_passed);
    json_finish(&json);
}

static void print_text(const Check* check, const char* place) {
    if (check->bad_frames == 0) {
        printf("no intersection in %" PRId32 " frames\n", check->faces.frame_count);
    } else {
        printf("%" PRId32 " of %" PRId32 " frames have intersections; most in frame %" PRId32
               ": %" PRId64 " pairs, first %s; %" PRId64 " in the last\n",
               check->bad_frames, check->faces.frame_count, check->worst_frame, check->worst, place,
               check->last);
    }
    if (check->faces.lacks_yarns) {
        printf("yarns were left out: the scene of the run cannot be read\n");
    }
    if (check->frames_passed > 0) {
        printf("rods or splines have passed through each other before %" PRId32 " frames\n",
               check->frames_passed);
    }
    if (check->frames_with_bodies > 0) {
        printf("%" PRId32 " frames have triangles or yarns that meet a body; %" PRId64
               " pairs in the last frame\n",
               check->frames_with_bodies, check->last_with_bodies);
    }
}

int cli_intersections(const char* path, bool as_json) {
    Check check = {0};
    char place[200] = "";
    int code = check_open(&check, path);
    code = code == CLI_GO ? check_all(&check, place, sizeof place) : code;
    if (code == CLI_GO && as_json) {
        print_json(&check, path);
    } else if (code == CLI_GO) {
        print_text(&check, place);
    }
    bool is_clear = check.bad_frames == 0 && check.frames_passed == 0;
    check_free(&check);
    if (code != CLI_GO) {
        return code;
    }
    return is_clear ? CLI_DONE : CLI_GAVE_UP;
}
