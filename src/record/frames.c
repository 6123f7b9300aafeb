// SPDX-License-Identifier: MIT
// The frames of a run. The file read last is kept: positions, poses and values of one frame cost
// one reading.
#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "math/quat.h"
#include "record/format.h"
#include "record/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int32_t hed_run_frame_count(const HedRunReader* reader) {
    HedRunMemory* memory = reader->memory;
    const HedRunDirectory* directory = &reader->directory;
    // Frames go away if the run is removed, replaced, or taken up after a kill.
    int32_t last = memory->frame_count - 1;
    bool is_there = last >= 0 && hed_file_exists(hed_run_frame_path(directory, last));
    memory->frame_count = hed_run_directory_frames(directory, is_there ? memory->frame_count : 0);
    return memory->frame_count;
}

static bool is_same_run(const HedRunReader* reader) {
    return hed_file_stamp_equal(hed_file_stamp(reader->directory.path[HED_RUN_OBJECTS]),
                                reader->stamp);
}

uint64_t hed_run_frame_stamp(const HedRunReader* reader, int32_t frame) {
    HedFileStamp stamp = hed_file_stamp(hed_run_frame_path(&reader->directory, frame));
    if (frame < 0 || stamp.number == 0 || !is_same_run(reader)) {
        return 0;
    }
    const int64_t numbers[] = {(int64_t)stamp.device, (int64_t)stamp.number, (int64_t)stamp.size,
                               (int64_t)stamp.changed.tv_sec, (int64_t)stamp.changed.tv_nsec};
    uint64_t hash = hed_hash(0, numbers, sizeof numbers);
    return hash ? hash : 1;
}

static bool all_finite(const double* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

static bool take_arrays(const HedRunReader* reader, const HedStore* store, HedRunFrame* frame) {
    int64_t size[3] = {0};
    const double* when = hed_store_find(store, "time", "f64", &size[0]);
    frame->positions = hed_store_find(store, "positions", "f64", &size[1]);
    frame->poses = hed_store_find(store, "poses", "f64", &size[2]);
    bool ok = when && frame->positions && frame->poses && size[0] == 1 &&
              size[1] == 3 * reader->free_vertices &&
              size[2] == HED_POSE_NUMBERS * reader->body_count && all_finite(when, 1) &&
              all_finite(frame->positions, size[1]) && all_finite(frame->poses, size[2]);
    frame->time = ok ? *when : 0.0;
    const int64_t* step = hed_store_find(store, "step", "i64", &size[0]);
    frame->step = step && size[0] == 1 ? *step : -1;
    return ok;
}

static HedStatus check_frame(const HedRunReader* reader, int32_t frame, HedError* error) {
    if (!is_same_run(reader)) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: the run there was removed or replaced after it had been opened",
                        reader->directory.root);
    }
    int32_t count = hed_run_frame_count(reader);
    if (frame < 0 || frame >= count) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: has no frame %" PRId32 ", they are 0 to %" PRId32,
                        reader->directory.root, frame, count - 1);
    }
    return HED_OK;
}

// Brings a frame into memory, unless it is there already.
static HedStatus load_frame(const HedRunReader* reader, int32_t frame, HedError* error) {
    HedRunMemory* memory = reader->memory;
    HedStatus status = check_frame(reader, frame, error);
    if (status != HED_OK) {
        return status;
    }
    const char* path = hed_run_frame_path(&reader->directory, frame);
    HedFileStamp stamp = hed_file_stamp(path);
    if (memory->frame == frame && hed_file_stamp_equal(stamp, memory->stamp)) {
        return HED_OK;
    }
    memory->frame = -1;
    hed_store_free(&memory->store);
    HED_TRY(hed_store_load(path, &memory->store, error));
    if (!take_arrays(reader, &memory->store, &memory->arrays)) {
        status = hed_fail(error, HED_PARSE, "%s: is not a frame of this run", path);
        goto done;
    }
    memory->frame = frame;
    memory->stamp = stamp;
done:
    return status;
}

static HedVec3 point_at(const double* numbers) {
    return (HedVec3){numbers[0], numbers[1], numbers[2]};
}

static HedPose pose_at(const double* numbers) {
    return (HedPose){point_at(numbers), {numbers[3], numbers[4], numbers[5], numbers[6]}};
}

static void place_objects(const HedRunReader* reader, const double* positions, const double* poses,
                          HedVec3* const* out) {
    for (int32_t i = 0; i < reader->object_count; ++i) {
        const HedRunObject* object = &reader->objects[i];
        const double* next = object->is_body ? object->body_vertices : positions;
        HedPose pose = {{0}, hed_quat_identity()};
        if (object->is_body) {
            pose = pose_at(poses);
            poses += HED_POSE_NUMBERS;
        } else {
            positions += 3 * (int64_t)object->vertex_count;
        }
        for (int32_t k = 0; k < object->vertex_count; ++k) {
            HedVec3 p = point_at(next + 3 * (int64_t)k);
            out[i][k] = object->is_body ? hed_pose_apply(pose, p) : p;
        }
    }
}

HedStatus hed_run_frame(const HedRunReader* reader, int32_t frame, double* time,
                        HedVec3* const* positions, HedError* error) {
    HedStatus status = load_frame(reader, frame, error);
    if (status != HED_OK) {
        return status;
    }
    const HedRunFrame* arrays = &reader->memory->arrays;
    if (time) {
        *time = arrays->time;
    }
    if (positions) {
        place_objects(reader, arrays->positions, arrays->poses, positions);
    }
    return HED_OK;
}

HedStatus hed_run_frame_step(const HedRunReader* reader, int32_t frame, int64_t* step,
                             HedError* error) {
    HedStatus status = load_frame(reader, frame, error);
    *step = status == HED_OK ? reader->memory->arrays.step : -1;
    return status;
}

// A path without the directory's own.
static const char* below(const HedRunReader* reader, const char* path) {
    path += strlen(reader->directory.root);
    return path + strspn(path, "/");
}

const char* hed_run_frame_file(const HedRunReader* reader, int32_t frame) {
    return below(reader, hed_run_frame_path(&reader->directory, frame));
}

const char* hed_run_objects_file(const HedRunReader* reader) {
    return below(reader, reader->directory.path[HED_RUN_OBJECTS]);
}

const char* hed_run_checkpoint_file(const HedRunReader* reader) {
    return below(reader, reader->directory.path[HED_RUN_CHECKPOINT]);
}

const char* hed_run_scene_file(const HedRunReader* reader) {
    return below(reader, reader->directory.path[HED_RUN_SCENE]);
}

HedStatus hed_run_poses(const HedRunReader* reader, int32_t frame, HedPose* poses,
                        HedError* error) {
    HedStatus status = load_frame(reader, frame, error);
    for (int64_t i = 0; status == HED_OK && i < reader->body_count; ++i) {
        poses[i] = pose_at(reader->memory->arrays.poses + HED_POSE_NUMBERS * i);
    }
    return status;
}

// Names of the quantities of the first frame, as soon as it is there.
static void find_quantities(const HedRunReader* reader) {
    HedRunMemory* memory = reader->memory;
    if (memory->has_quantities || load_frame(reader, 0, NULL) != HED_OK) {
        return;
    }
    const size_t prefix = sizeof HED_QUANTITY_PREFIX - 1;
    const HedStore* store = &memory->store;
    for (int32_t i = 0; i < store->count && memory->quantity_count < HED_RUN_QUANTITIES; ++i) {
        const HedStoreArray* array = &store->arrays[i];
        if (strncmp(array->name, HED_QUANTITY_PREFIX, prefix) == 0 &&
            strcmp(array->type, "f32") == 0 && array->count == reader->free_vertices) {
            snprintf(memory->quantities[memory->quantity_count++], HED_STORE_NAME, "%s",
                     array->name + prefix);
        }
    }
    memory->has_quantities = true;
}

int32_t hed_run_quantity_count(const HedRunReader* reader) {
    find_quantities(reader);
    return reader->memory->quantity_count;
}

const char* hed_run_quantity_name(const HedRunReader* reader, int32_t index) {
    return reader->memory->quantities[index];
}

HedStatus hed_run_values(const HedRunReader* reader, int32_t frame, const char* quantity,
                         float* const* values, HedError* error) {
    HedStatus status = load_frame(reader, frame, error);
    if (status != HED_OK) {
        return status;
    }
    char name[HED_STORE_NAME + sizeof HED_QUANTITY_PREFIX];
    int64_t count = 0;
    snprintf(name, sizeof name, "%s%.*s", HED_QUANTITY_PREFIX, HED_STORE_NAME - 1, quantity);
    const float* next = hed_store_find(&reader->memory->store, name, "f32", &count);
    if (!next || count != reader->free_vertices) {
        return hed_fail(error, HED_NOT_FOUND, "%s: frame %" PRId32 " has no values of '%s'",
                        reader->directory.root, frame, quantity);
    }
    for (int32_t i = 0; i < reader->object_count; ++i) {
        const HedRunObject* object = &reader->objects[i];
        for (int32_t k = 0; k < object->vertex_count; ++k) {
            bool has_value = !object->is_body && isfinite(next[k]);
            values[i][k] = has_value ? next[k] : (float)NAN;
        }
        next += object->is_body ? 0 : object->vertex_count;
    }
    return HED_OK;
}

static HedStatus load_series_frame(void* context, int32_t frame, HedVec3* const* positions,
                                   HedError* error) {
    const HedRunReader* reader = context;
    return hed_run_frame(reader, reader->series_first + frame, NULL, positions, error);
}

HedStatus hed_run_series(HedRunReader* reader, int32_t first, int32_t last, HedSeries* series,
                         HedError* error) {
    if (first < 0 || last < first || last >= hed_run_frame_count(reader)) {
        return hed_fail(error, HED_INVALID,
                        "%s: frames %" PRId32 " to %" PRId32 " wanted, there are 0 to %" PRId32,
                        reader->directory.root, first, last, hed_run_frame_count(reader) - 1);
    }
    int32_t count = last - first + 1;
    double* times = HED_NEW_ARRAY(double, count);
    if (!times) {
        return hed_fail_memory(error, reader->directory.root);
    }
    hed_free(reader->series_times);
    reader->series_times = times;
    for (int32_t i = 0; i < count; ++i) {
        HedStatus status = hed_run_frame(reader, first + i, &times[i], NULL, error);
        if (status != HED_OK) {
            return status;
        }
    }
    reader->series_first = first;
    *series = (HedSeries){
        reader->series_objects, reader->object_count, times, count, load_series_frame, reader};
    return HED_OK;
}
