// SPDX-License-Identifier: MIT
// Scenes that start from a run: which frame, which of its sheets and yarns are meant, and what the
// run knows of them. What a run has is matched by name; what it lacks is told in a note.
#include "scene/start.h"
#include "base/file.h"
#include "base/hash.h"
#include "io/store.h"
#include "math/vec3.h"
#include "scene/yaml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the run ---

static HedStatus open_run(HedStarting* r) {
    HedSceneStart* start = r->start;
    HedLocation place = hed_node_where(start->node, "run");
    if (!r->d->loader->directory) {
        return HED_START_FAIL(r, "run", "runs cannot be read from here ('%.200s')", start->run);
    }
    start->run = hed_source_path(r->d->pool, place.source, start->run);
    char* full = start->run ? hed_path_join(r->d->loader->directory, start->run) : NULL;
    if (!full) {
        return hed_fail_memory(r->d->error, "the start");
    }
    HedError why;
    HedStatus status = HED_OK;
    if (!hed_file_is_directory(full)) {
        bool is_near = hed_run_is_directory(start->run);
        status = hed_place_fail(r->d->error, place, HED_NOT_FOUND,
                                is_near ? "paths begin at the folder of the scene file; the one of "
                                          "that name in the present folder is not meant"
                                        : "'run' names a run directory, seen from the folder of "
                                          "the scene file",
                                "there is no run to start from at '%.200s'", full);
    } else {
        status = hed_run_open(full, &r->run, &why);
        status = status == HED_OK && hed_run_frame_count(r->run) < 1
                     ? hed_fail(&why, HED_NOT_FOUND, "%s: the run there has no frames yet", full)
                     : status;
        status = hed_scene_pass_on(r->d, place, status, &why);
    }
    hed_free(full);
    return status;
}

// The frame nearest to a time; times rise.
static HedStatus find_time(HedStarting* r, double time, int32_t* frame) {
    int32_t low = 0;
    int32_t high = hed_run_frame_count(r->run) - 1;
    double first = 0.0, last = 0.0, at[2] = {0};
    HedError why;
    HedLocation place = hed_node_where(r->start->node, "time");
    HedStatus status = hed_run_frame(r->run, low, &first, NULL, &why);
    status = status == HED_OK ? hed_run_frame(r->run, high, &last, NULL, &why) : status;
    const double rounding = 1e-9 * fmax(1.0, fabs(last));
    if (status == HED_OK && (time < first - rounding || time > last + rounding)) {
        return HED_START_FAIL(r, "time",
                              "'time' %g s is not in the run: its frames go from %g to %g s", time,
                              first, last);
    }
    at[0] = first;
    at[1] = last;
    while (status == HED_OK && high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        double found = 0.0;
        status = hed_run_frame(r->run, middle, &found, NULL, &why);
        low = found <= time ? middle : low;
        high = found <= time ? high : middle;
        at[found <= time ? 0 : 1] = found;
    }
    *frame = time - at[0] <= at[1] - time ? low : high;
    return hed_scene_pass_on(r->d, place, status, &why);
}

static HedStatus choose_frame(HedStarting* r) {
    HedSceneStart* start = r->start;
    int32_t count = hed_run_frame_count(r->run);
    bool has_frame = hed_node_child(start->node, "frame") != NULL;
    int32_t frame = count - 1;
    if (has_frame && isfinite(start->time)) {
        return HED_START_FAIL(r, "time", "'frame' and 'time' exclude each other");
    }
    if (!isfinite(start->frame) && !isfinite(start->time) && hed_run_is_growing(r->run)) {
        return HED_START_FAIL(r, has_frame ? "frame" : "run",
                              "'%.200s' is being computed: its last frame is not known yet",
                              start->run);
    }
    if (isfinite(start->frame) && !(start->frame == floor(start->frame) && start->frame < count)) {
        return HED_START_FAIL(r, "frame",
                              "'frame' must be a whole number from 0 to %d or 'last', got %g",
                              (int)count - 1, start->frame);
    }
    if (isfinite(start->time)) {
        HedStatus status = find_time(r, start->time, &frame);
        if (status != HED_OK) {
            return status;
        }
    } else if (isfinite(start->frame)) {
        frame = (int32_t)start->frame;
    }
    start->frame = frame;
    start->time = HUGE_VAL;
    return HED_OK;
}

// Reads one of the run's files for the list of files, and adds it to the hash of the start.
static HedStatus read_file(HedStarting* r, const char* below, HedText* text) {
    const char* path = hed_pool_print(r->d->pool, "%s/%s", r->start->run, below);
    if (!path) {
        return hed_fail_memory(r->d->error, "the start");
    }
    HedStatus status =
        hed_loader_read(r->d->loader, path, hed_node_where(r->start->node, "run"), text);
    if (status == HED_OK) {
        r->start->hash = hed_hash(r->start->hash, text->data, text->size);
    }
    return status;
}

// The velocities that a frame holds beside its positions, if it does.
static HedStatus take_velocities(HedStarting* r, const HedText* text, const char* name) {
    HedStore store = {0};
    HedError why;
    int64_t count = 0, expected = 0;
    int32_t object_count = hed_run_object_count(r->run);
    HedStatus status = hed_store_parse(text->data, text->size, name, &store, &why);
    HED_TRY(hed_scene_pass_on(r->d, hed_node_where(r->start->node, "run"), status, &why));
    for (int32_t i = 0; i < object_count; ++i) {
        HedSeriesObject object = hed_run_object(r->run, i);
        expected += object.kind == HED_OBJECT_BODY ? 0 : 3 * (int64_t)object.vertex_count;
    }
    const float* next = hed_store_find(&store, "velocities", "f32", &count);
    if (!next || count != expected) {
        goto done;
    }
    r->moving = HED_POOL_ARRAY(r->d->pool, HedVec3*, object_count);
    HED_TRY(r->moving ? HED_OK : hed_fail_memory(r->d->error, "the start"));
    for (int32_t i = 0; i < object_count; ++i) {
        HedSeriesObject object = hed_run_object(r->run, i);
        int32_t size = object.kind == HED_OBJECT_BODY ? 0 : object.vertex_count;
        r->moving[i] = HED_POOL_ARRAY(r->d->pool, HedVec3, size);
        HED_TRY(r->moving[i] ? HED_OK : hed_fail_memory(r->d->error, "the start"));
        for (int32_t k = 0; k < size; ++k, next += 3) {
            r->moving[i][k] = hed_vec3((double)next[0], (double)next[1], (double)next[2]);
        }
    }
done:
    hed_store_free(&store);
    return status;
}

static HedStatus read_frame(HedStarting* r) {
    HedStatus status = HED_OK;
    HedText text = {0};
    HedError why;
    HedLocation place = hed_node_where(r->start->node, "run");
    int32_t frame = (int32_t)r->start->frame;
    int32_t count = hed_run_object_count(r->run);
    HED_TRY(read_file(r, hed_run_objects_file(r->run), &text));
    hed_text_free(&text);
    HED_TRY(read_file(r, hed_run_frame_file(r->run, frame), &text));
    HED_TRY(take_velocities(r, &text, hed_run_frame_file(r->run, frame)));
    hed_text_free(&text);
    r->shown = HED_POOL_ARRAY(r->d->pool, HedVec3*, count);
    for (int32_t i = 0; i < count && r->shown; ++i) {
        r->shown[i] = HED_POOL_ARRAY(r->d->pool, HedVec3, hed_run_object(r->run, i).vertex_count);
        HED_TRY(r->shown[i] ? HED_OK : hed_fail_memory(r->d->error, "the start"));
    }
    HED_TRY(r->shown ? HED_OK : hed_fail_memory(r->d->error, "the start"));
    status = hed_run_frame(r->run, frame, &r->start->at, r->shown, &why);
    HED_TRY(hed_scene_pass_on(r->d, place, status, &why));
done:
    hed_text_free(&text);
    return status;
}

// The checkpoint, if it is of the same step as the frame.
static HedStatus read_state(HedStarting* r) {
    HedStatus status = HED_OK;
    HedText text = {0};
    HedError why;
    HedLocation place = hed_node_where(r->start->node, "run");
    const char* below = hed_run_checkpoint_file(r->run);
    int32_t frame = (int32_t)r->start->frame;
    int64_t step = -1;
    bool is_last = frame == hed_run_frame_count(r->run) - 1;
    const char* path =
        hed_pool_print(r->d->pool, "%s/%s/%s", r->d->loader->directory, r->start->run, below);
    HED_TRY(path ? HED_OK : hed_fail_memory(r->d->error, "the start"));
    if (r->start->run[0] == '/') {
        path += strlen(r->d->loader->directory) + 1;
    }
    if (!is_last || hed_run_is_growing(r->run) || !hed_file_exists(path)) {
        goto done; // never read: what it holds is of another time
    }
    // Opened once without a look at its hash: a run that was stopped between two frames has a
    // checkpoint that is not of the last frame, and does not count.
    status = hed_text_read(path, &text, &why);
    HED_TRY(hed_scene_pass_on(r->d, place, status, &why));
    status = hed_run_state_parse(text.data, text.size, path, &r->state, &why);
    hed_text_free(&text);
    if (status == HED_NOT_FOUND) {
        hed_sink_print(r->d->notes, "start: %s\n", why.message);
        status = HED_OK;
        goto done;
    }
    HED_TRY(hed_scene_pass_on(r->d, place, status, &why));
    status = hed_run_frame_step(r->run, frame, &step, &why);
    HED_TRY(hed_scene_pass_on(r->d, place, status, &why));
    if (hed_run_state_steps(r->state) != step) {
        hed_run_state_free(r->state);
        r->state = NULL;
        goto done;
    }
    status = read_file(r, below, &text);
done:
    hed_text_free(&text);
    return status;
}

// The run's resolved scene, for what its frames do not say. Without it nothing is known of that.
static HedStatus read_source(HedStarting* r) {
    HedText text = {0};
    HedPool* pool = r->d->pool;
    const char* directory = r->start->run[0] == '/' ? "" : r->d->loader->directory;
    const char* path = hed_pool_print(pool, "%s%s%s/%s", directory, directory[0] ? "/" : "",
                                      r->start->run, hed_run_scene_file(r->run));
    HedStatus status = path ? hed_text_read(path, &text, NULL) : HED_NO_MEMORY;
    HedNode* root = NULL;
    if (status == HED_OK) {
        HedSource* source = hed_source_create(pool, path, text.data, text.size);
        status = source ? hed_yaml_parse(source, pool, &root, NULL) : HED_NO_MEMORY;
    }
    hed_text_free(&text);
    r->source = status == HED_OK ? root : NULL;
    return status == HED_NO_MEMORY ? hed_fail_memory(r->d->error, "the start") : HED_OK;
}

HedStatus hed_scene_start(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    HedStarting r = {.d = d, .start = &d->data->start};
    if (!r.start->node) {
        return HED_OK;
    }
    HED_TRY(open_run(&r));
    HED_TRY(choose_frame(&r));
    HED_TRY(read_frame(&r));
    HED_TRY(read_state(&r));
    HED_TRY(read_source(&r));
    HED_TRY(hed_scene_start_parts(&r));
done:
    hed_run_state_free(r.state);
    hed_run_close(r.run);
    return status;
}
