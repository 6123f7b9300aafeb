// SPDX-License-Identifier: MIT
// Reading runs, also those that still grow or were killed. Files are checked, never trusted.
#include "base/alloc.h"
#include "base/file.h"
#include "heddle/run.h"
#include "io/store.h"
#include "math/quat.h"
#include "run/directory.h"
#include "run/frames.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Object {
    const char* name;
    bool is_body;
    int32_t vertex_count;
    const int32_t* triangles;
    int32_t triangle_count;
    const double* body_vertices; // three numbers each
} Object;

struct HedRunReader {
    HedRunDirectory directory;
    HedStore store; // objects.hed; the objects point into it
    Object* objects;
    int32_t object_count;
    int64_t sheet_vertices; // of all sheets
    int64_t body_count;
    int32_t frame_count; // when the run was opened

    // For hed_run_series:
    HedSeriesObject* series_objects;
    double* series_times;
    int32_t series_first;
};

bool hed_run_is_directory(const char* path) {
    HedRunDirectory directory = {0};
    if (!path || !hed_file_is_directory(path) ||
        hed_run_directory_init(&directory, path, NULL) != HED_OK) {
        return false;
    }
    bool is_run = hed_run_directory_is_run(&directory);
    hed_run_directory_free(&directory);
    return is_run;
}

// The arrays of objects.hed and how far they have been taken.
typedef struct Catalogue {
    const char* names;
    const uint8_t* kinds;
    const int32_t* vertex_counts;
    const int32_t* triangle_counts;
    const int32_t* triangles;
    const double* body_vertices;
    int64_t names_left, corners_left, body_numbers_left;
} Catalogue;

static bool find_arrays(const HedStore* store, Catalogue* c, int64_t* object_count) {
    int64_t vertex_counts = 0;
    int64_t triangle_counts = 0;
    c->names = hed_store_find(store, "names", "u8", &c->names_left);
    c->kinds = hed_store_find(store, "kinds", "u8", object_count);
    c->vertex_counts = hed_store_find(store, "vertex_counts", "i32", &vertex_counts);
    c->triangle_counts = hed_store_find(store, "triangle_counts", "i32", &triangle_counts);
    c->triangles = hed_store_find(store, "triangles", "i32", &c->corners_left);
    c->body_vertices = hed_store_find(store, "body_vertices", "f64", &c->body_numbers_left);
    return c->names && c->kinds && c->vertex_counts && c->triangle_counts && c->triangles &&
           c->body_vertices && vertex_counts == *object_count && triangle_counts == *object_count;
}

static bool take_name(Catalogue* c, Object* object) {
    const char* end = c->names_left > 0 ? memchr(c->names, 0, (size_t)c->names_left) : NULL;
    if (!end) {
        return false;
    }
    object->name = c->names;
    c->names_left -= end + 1 - c->names;
    c->names = end + 1;
    return true;
}

static bool take_object(Catalogue* c, int64_t index, Object* object) {
    object->is_body = c->kinds[index] == HED_FRAME_BODY;
    object->vertex_count = c->vertex_counts[index];
    object->triangle_count = c->triangle_counts[index];
    int64_t corners = 3 * (int64_t)object->triangle_count;
    int64_t numbers = object->is_body ? 3 * (int64_t)object->vertex_count : 0;
    if (c->kinds[index] > HED_FRAME_BODY || object->vertex_count < 0 || corners < 0 ||
        corners > c->corners_left || numbers > c->body_numbers_left || !take_name(c, object)) {
        return false;
    }
    object->triangles = c->triangles;
    object->body_vertices = c->body_vertices;
    for (int64_t i = 0; i < corners; ++i) {
        if (c->triangles[i] < 0 || c->triangles[i] >= object->vertex_count) {
            return false;
        }
    }
    for (int64_t i = 0; i < numbers; ++i) {
        if (!isfinite(c->body_vertices[i])) {
            return false;
        }
    }
    c->triangles += corners;
    c->corners_left -= corners;
    c->body_vertices += numbers;
    c->body_numbers_left -= numbers;
    return true;
}

static HedStatus take_objects(HedRunReader* reader, HedError* error) {
    const char* path = reader->directory.path[HED_RUN_OBJECTS];
    Catalogue c = {0};
    int64_t count = 0;
    if (!find_arrays(&reader->store, &c, &count) || count > INT32_MAX) {
        return hed_fail(error, HED_PARSE, "%s: does not hold the objects of a run", path);
    }
    reader->objects = HED_NEW_ARRAY(Object, count);
    reader->series_objects = HED_NEW_ARRAY(HedSeriesObject, count);
    if (!reader->objects || !reader->series_objects) {
        return hed_fail_memory(error, path);
    }
    reader->object_count = (int32_t)count;
    for (int32_t i = 0; i < reader->object_count; ++i) {
        Object* object = &reader->objects[i];
        if (!take_object(&c, i, object)) {
            return hed_fail(error, HED_PARSE, "%s: object %" PRId32 " is damaged", path, i);
        }
        reader->body_count += object->is_body;
        reader->sheet_vertices += object->is_body ? 0 : object->vertex_count;
        reader->series_objects[i] = hed_run_object(reader, i);
    }
    return HED_OK;
}

HedStatus hed_run_open(const char* directory, HedRunReader** out, HedError* error) {
    HedStatus status = HED_OK;
    *out = NULL;
    HedRunReader* reader = HED_NEW(HedRunReader);
    if (!reader) {
        return hed_fail_memory(error, directory);
    }
    HED_TRY(hed_run_directory_init(&reader->directory, directory, error));
    if (!hed_file_exists(reader->directory.path[HED_RUN_OBJECTS])) {
        bool begun = hed_run_directory_is_run(&reader->directory);
        status = hed_fail(error, HED_NOT_FOUND, "%s: %s", directory,
                          begun ? "the run there has no frames yet" : "holds no run");
        goto done;
    }
    HED_TRY(hed_store_load(reader->directory.path[HED_RUN_OBJECTS], &reader->store, error));
    HED_TRY(take_objects(reader, error));
    reader->frame_count = hed_run_directory_frames(&reader->directory, 0);
    *out = reader;
done:
    if (status != HED_OK) {
        hed_run_close(reader);
    }
    return status;
}

void hed_run_close(HedRunReader* reader) {
    if (!reader) {
        return;
    }
    hed_store_free(&reader->store);
    hed_free(reader->objects);
    hed_free(reader->series_objects);
    hed_free(reader->series_times);
    hed_run_directory_free(&reader->directory);
    hed_free(reader);
}

int32_t hed_run_frame_count(const HedRunReader* reader) {
    return hed_run_directory_frames(&reader->directory, reader->frame_count);
}

int32_t hed_run_object_count(const HedRunReader* reader) {
    return reader->object_count;
}

HedSeriesObject hed_run_object(const HedRunReader* reader, int32_t index) {
    const Object* object = &reader->objects[index];
    return (HedSeriesObject){.name = object->name,
                             .kind = object->is_body ? HED_OBJECT_BODY : HED_OBJECT_SHEET,
                             .vertex_count = object->vertex_count,
                             .triangles = object->triangles,
                             .triangle_count = object->triangle_count};
}

static HedVec3 point_at(const double* numbers) {
    return (HedVec3){numbers[0], numbers[1], numbers[2]};
}

static bool all_finite(const double* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

static void place_objects(const HedRunReader* reader, const double* positions, const double* poses,
                          HedVec3* const* out) {
    for (int32_t i = 0; i < reader->object_count; ++i) {
        const Object* object = &reader->objects[i];
        const double* next = object->is_body ? object->body_vertices : positions;
        HedPose pose = {{0}, hed_quat_identity()};
        if (object->is_body) {
            pose = (HedPose){point_at(poses), {poses[3], poses[4], poses[5], poses[6]}};
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
    HedStatus status = HED_OK;
    HedStore store = {0};
    if (frame < 0 || frame >= hed_run_frame_count(reader)) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: has no frame %" PRId32 ", they are 0 to %" PRId32,
                        reader->directory.root, frame, hed_run_frame_count(reader) - 1);
    }
    const char* path = hed_run_frame_path(&reader->directory, frame);
    HED_TRY(hed_store_load(path, &store, error));
    int64_t size[3] = {0};
    const double* when = hed_store_find(&store, "time", "f64", &size[0]);
    const double* points = hed_store_find(&store, "positions", "f64", &size[1]);
    const double* poses = hed_store_find(&store, "poses", "f64", &size[2]);
    bool ok = when && points && poses && size[0] == 1 && size[1] == 3 * reader->sheet_vertices &&
              size[2] == HED_POSE_NUMBERS * reader->body_count && all_finite(when, 1) &&
              all_finite(points, size[1]) && all_finite(poses, size[2]);
    if (!ok) {
        status = hed_fail(error, HED_PARSE, "%s: is not a frame of this run", path);
        goto done;
    }
    if (time) {
        *time = *when;
    }
    if (positions) {
        place_objects(reader, points, poses, positions);
    }
done:
    hed_store_free(&store);
    return status;
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
