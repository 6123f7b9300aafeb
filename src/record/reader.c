// SPDX-License-Identifier: MIT
// Opening runs, also those that still grow or were killed. Files are checked, never trusted.
#define _POSIX_C_SOURCE 200809L
#include "record/reader.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "record/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

HedFileStamp hed_file_stamp(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return (HedFileStamp){0};
    }
    return (HedFileStamp){info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

bool hed_file_stamp_equal(HedFileStamp a, HedFileStamp b) {
    return a.device == b.device && a.number == b.number && a.size == b.size &&
           a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
}

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
    const int32_t* curve_counts; // NULL: no yarns
    const int32_t* curve_sizes;
    const uint8_t* curve_flags;
    const int32_t* curve_colors;
    const double* curve_radii;
    int64_t curve_count; // in all
    int64_t curves_taken;
    const uint8_t* uv_kinds; // NULL: no places in patterns
    const double* uv;
    int64_t uv_left;
} Catalogue;

// False if there are curves, but not all of their arrays.
static bool find_curves(const HedStore* store, Catalogue* c, int64_t object_count) {
    int64_t size[4] = {0};
    c->curve_counts = hed_store_find(store, "curve_counts", "i32", &size[0]);
    if (!c->curve_counts) {
        return true;
    }
    c->curve_sizes = hed_store_find(store, "curve_sizes", "i32", &c->curve_count);
    c->curve_flags = hed_store_find(store, "curve_flags", "u8", &size[1]);
    c->curve_colors = hed_store_find(store, "curve_colors", "i32", &size[2]);
    c->curve_radii = hed_store_find(store, "curve_radii", "f64", &size[3]);
    return c->curve_sizes && c->curve_flags && c->curve_colors && c->curve_radii &&
           size[0] == object_count && size[1] == c->curve_count && size[2] == c->curve_count &&
           size[3] == c->curve_count && c->curve_count <= INT32_MAX;
}

// False if there are places in patterns, but not all of their arrays.
static bool find_uv(const HedStore* store, Catalogue* c, int64_t object_count) {
    int64_t kinds = 0;
    c->uv_kinds = hed_store_find(store, "uv_kinds", "u8", &kinds);
    c->uv = hed_store_find(store, "uv", "f64", &c->uv_left);
    return !c->uv_kinds || (c->uv && kinds == object_count);
}

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
           c->body_vertices && vertex_counts == *object_count && triangle_counts == *object_count &&
           find_curves(store, c, *object_count) && find_uv(store, c, *object_count);
}

static bool take_name(Catalogue* c, HedRunObject* object) {
    const char* end = c->names_left > 0 ? memchr(c->names, 0, (size_t)c->names_left) : NULL;
    if (!end) {
        return false;
    }
    object->name = c->names;
    c->names_left -= end + 1 - c->names;
    c->names = end + 1;
    return true;
}

// The curves of an object, which must use its vertices up.
static bool take_curves(Catalogue* c, int64_t index, HedRunObject* object, HedCurve* curves) {
    int32_t count = c->curve_counts ? c->curve_counts[index] : 0;
    int32_t first = 0;
    object->first_curve = (int32_t)c->curves_taken;
    object->curve_count = count;
    if (count < 0 || count > c->curve_count - c->curves_taken) {
        return false;
    }
    for (int64_t k = c->curves_taken; k < c->curves_taken + count; ++k) {
        int32_t size = c->curve_sizes[k];
        if (size < 2 || size > object->vertex_count - first || !(c->curve_radii[k] >= 0.0) ||
            !isfinite(c->curve_radii[k])) {
            return false;
        }
        bool is_closed = c->curve_flags[k] != 0 && size > 2;
        curves[k] = (HedCurve){first, size, is_closed, c->curve_colors[k], c->curve_radii[k]};
        first += size;
    }
    c->curves_taken += count;
    return object->kind == HED_OBJECT_YARNS ? first == object->vertex_count : count == 0;
}

// Two finite numbers per vertex or per corner, if the object has any.
static bool take_uv(Catalogue* c, int64_t index, HedRunObject* object) {
    uint8_t kind = c->uv_kinds ? c->uv_kinds[index] : HED_FRAME_NO_UV;
    int64_t count = kind == HED_FRAME_NO_UV       ? 0
                    : kind == HED_FRAME_VERTEX_UV ? 2 * (int64_t)object->vertex_count
                                                  : 6 * (int64_t)object->triangle_count;
    if (kind > HED_FRAME_CORNER_UV || count > c->uv_left) {
        return false;
    }
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(c->uv[i])) {
            return false;
        }
    }
    object->uv = kind == HED_FRAME_NO_UV ? NULL : c->uv;
    object->uv_at_corners = kind == HED_FRAME_CORNER_UV;
    c->uv = c->uv ? c->uv + count : NULL;
    c->uv_left -= count;
    return true;
}

static const HedObjectKind KIND[] = {
    [HED_FRAME_SHEET] = HED_OBJECT_SHEET,
    [HED_FRAME_BODY] = HED_OBJECT_BODY,
    [HED_FRAME_YARNS] = HED_OBJECT_YARNS,
};

static bool take_object(Catalogue* c, int64_t index, HedRunObject* object, HedCurve* curves) {
    if (c->kinds[index] > HED_FRAME_YARNS) {
        return false;
    }
    object->kind = KIND[c->kinds[index]];
    object->is_body = object->kind == HED_OBJECT_BODY;
    object->vertex_count = c->vertex_counts[index];
    object->triangle_count = c->triangle_counts[index];
    int64_t corners = 3 * (int64_t)object->triangle_count;
    int64_t numbers = object->is_body ? 3 * (int64_t)object->vertex_count : 0;
    if (object->vertex_count < 0 || corners < 0 || corners > c->corners_left ||
        numbers > c->body_numbers_left || !take_name(c, object) ||
        !take_curves(c, index, object, curves) || !take_uv(c, index, object)) {
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
    reader->objects = HED_NEW_ARRAY(HedRunObject, count);
    reader->series_objects = HED_NEW_ARRAY(HedSeriesObject, count);
    reader->curves = HED_NEW_ARRAY(HedCurve, c.curve_count);
    if (!reader->objects || !reader->series_objects || !reader->curves) {
        return hed_fail_memory(error, path);
    }
    reader->object_count = (int32_t)count;
    for (int32_t i = 0; i < reader->object_count; ++i) {
        HedRunObject* object = &reader->objects[i];
        if (!take_object(&c, i, object, reader->curves)) {
            return hed_fail(error, HED_PARSE, "%s: object %" PRId32 " is damaged", path, i);
        }
        reader->body_count += object->is_body;
        reader->free_vertices += object->is_body ? 0 : object->vertex_count;
        reader->series_objects[i] = hed_run_object(reader, i);
    }
    return HED_OK;
}

// The scene's name as its resolved text has it, `name: "..."` on a line of its own; NULL without
// one or without memory.
static char* scene_name(const char* path) {
    HedText text = {0};
    char* name = NULL;
    if (hed_text_read(path, &text, NULL) != HED_OK) {
        return NULL;
    }
    static const char KEY[] = "name: \"";
    HedTextLines lines = hed_lines_begin(text.data, text.size);
    while (!name && hed_lines_next(&lines)) {
        const char* end = lines.line.data + lines.line.size;
        if (lines.line.size < (int32_t)sizeof KEY || end[-1] != '"' ||
            memcmp(lines.line.data, KEY, sizeof KEY - 1) != 0) {
            continue;
        }
        char* next = name = hed_alloc((size_t)lines.line.size);
        for (const char* c = lines.line.data + sizeof KEY - 1; next && c < end - 1; ++c) {
            c += *c == '\\' && c + 1 < end - 1;
            *next++ = *c;
        }
        break;
    }
    hed_text_free(&text);
    return name;
}

// The last part of a path, without slashes behind it.
static char* directory_name(const char* path) {
    char* copy = hed_text_copy(path);
    for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; --n) {
        copy[n - 1] = '\0';
    }
    const char* slash = copy ? strrchr(copy, '/') : NULL;
    if (slash && slash[1]) {
        memmove(copy, slash + 1, strlen(slash));
    }
    return copy;
}

static HedStatus find_run(HedRunReader* reader, HedError* error) {
    const char* root = reader->directory.root;
    reader->stamp = hed_file_stamp(reader->directory.path[HED_RUN_OBJECTS]);
    if (reader->stamp.number == 0) {
        bool begun = hed_run_directory_is_run(&reader->directory);
        return hed_fail(error, HED_NOT_FOUND, "%s: %s", root,
                        begun ? "the run there has no frames yet" : "holds no run");
    }
    reader->memory = HED_NEW(HedRunMemory);
    reader->name = scene_name(reader->directory.path[HED_RUN_SCENE]);
    reader->name = reader->name ? reader->name : directory_name(root);
    if (!reader->memory || !reader->name) {
        return hed_fail_memory(error, root);
    }
    reader->memory->frame = -1;
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
    HED_TRY(find_run(reader, error));
    HED_TRY(hed_store_load(reader->directory.path[HED_RUN_OBJECTS], &reader->store, error));
    HED_TRY(take_objects(reader, error));
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
    if (reader->memory) {
        hed_store_free(&reader->memory->store);
    }
    hed_free(reader->memory);
    hed_free(reader->name);
    hed_store_free(&reader->store);
    hed_free(reader->objects);
    hed_free(reader->series_objects);
    hed_free(reader->curves);
    hed_free(reader->series_times);
    hed_run_directory_free(&reader->directory);
    hed_free(reader);
}

const char* hed_run_name(const HedRunReader* reader) {
    return reader->name;
}

bool hed_run_is_growing(const HedRunReader* reader) {
    return hed_run_directory_is_locked(&reader->directory);
}

int32_t hed_run_object_count(const HedRunReader* reader) {
    return reader->object_count;
}

HedSeriesObject hed_run_object(const HedRunReader* reader, int32_t index) {
    const HedRunObject* object = &reader->objects[index];
    return (HedSeriesObject){.name = object->name,
                             .kind = object->kind,
                             .vertex_count = object->vertex_count,
                             .triangles = object->triangles,
                             .triangle_count = object->triangle_count,
                             .curves = reader->curves + object->first_curve,
                             .curve_count = object->curve_count,
                             .uv = object->uv,
                             .uv_at_corners = object->uv_at_corners};
}

HedVec3View hed_run_body_vertices(const HedRunReader* reader, int32_t index) {
    const HedRunObject* object = &reader->objects[index];
    if (!object->is_body) {
        return (HedVec3View){0};
    }
    return (HedVec3View){(const HedVec3*)(const void*)object->body_vertices, object->vertex_count};
}
