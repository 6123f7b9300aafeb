// SPDX-License-Identifier: MIT
#include "io/series.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/part.h"
#include "base/words.h"
#include "io/mesh.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum FileLayout {
    LAYOUT_EACH,       // a file per frame, numbered if there are several
    LAYOUT_COLLECTION, // a file per frame in a folder, and one that names them
    LAYOUT_WHOLE       // all frames in one file
} FileLayout;

typedef struct Format {
    const char* extension;
    FileLayout layout;
    bool holds_meshes;
    double limit;                                                  // of coordinates
    void (*write)(HedWriter* writer, const HedSeriesFrame* frame); // NULL for LAYOUT_WHOLE
} Format;

static const Format FORMATS[] = {
    {"obj", LAYOUT_EACH, true, DBL_MAX, hed_obj_write},
    {"ply", LAYOUT_EACH, true, DBL_MAX, hed_ply_write},
    {"vtp", LAYOUT_EACH, true, DBL_MAX, hed_vtp_write},
    {"pvd", LAYOUT_COLLECTION, true, DBL_MAX, hed_vtp_write},
    {"usda", LAYOUT_WHOLE, true, (double)FLT_MAX, NULL},
    {"bcc", LAYOUT_EACH, false, (double)FLT_MAX, hed_bcc_write},
};

const char* hed_series_formats(void) {
    return "obj ply vtp pvd usda bcc";
}

// One call of hed_series_save.
typedef struct SaveJob {
    const char* path;
    const Format* format;
    HedSeriesFrame frame;
    HedVec3** positions; // what frame.positions points to
    char** files;        // one per frame that has a file of its own, else none
    int32_t file_count;
    HedError* error;
} SaveJob;

// --- Checks ----------------------------------------------------------------------------------

static HedStatus find_format(SaveJob* job) {
    const char* extension = hed_path_extension(job->path);
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; ++i) {
        if (hed_same_word(extension, FORMATS[i].extension)) {
            job->format = &FORMATS[i];
            return HED_OK;
        }
    }
    return hed_fail(job->error, HED_UNSUPPORTED, "%s: cannot write format '%s', only %s", job->path,
                    extension, hed_series_formats());
}

static HedStatus check_triangles(const SaveJob* job, const HedSeriesObject* object) {
    for (int64_t i = 0; i < 3 * (int64_t)object->triangle_count; ++i) {
        int32_t vertex = object->triangles[i];
        if (vertex < 0 || vertex >= object->vertex_count) {
            return hed_fail(job->error, HED_INVALID,
                            "%s: object '%s': triangle %d names vertex %d of %d", job->path,
                            object->name, (int32_t)(i / 3), vertex, object->vertex_count);
        }
    }
    return HED_OK;
}

// Curves take all vertices of their object, each its own, one curve after the other.
static HedStatus check_curves(const SaveJob* job, const HedSeriesObject* object) {
    int32_t first = 0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        if (curve->first != first || curve->count < (curve->is_closed ? 3 : 2) ||
            curve->count > object->vertex_count - first) {
            return hed_fail(job->error, HED_INVALID,
                            "%s: object '%s': curve %d must begin at vertex %d of %d and have two "
                            "or more, three if closed, got %d from vertex %d",
                            job->path, object->name, i, first, object->vertex_count, curve->count,
                            curve->first);
        }
        if (!(curve->radius >= 0.0 && curve->radius <= job->format->limit) ||
            curve->color < HED_COLOR_NONE || curve->color > 0xFFFFFF) {
            return hed_fail(job->error, HED_INVALID,
                            "%s: object '%s': curve %d has radius %g and colour %d, which the "
                            "format cannot hold",
                            job->path, object->name, i, curve->radius, curve->color);
        }
        first += curve->count;
    }
    if (object->curve_count > 0 && (first != object->vertex_count || object->triangle_count > 0)) {
        return hed_fail(job->error, HED_INVALID,
                        "%s: object '%s': curves must be all there is, but %d of %d vertices are "
                        "theirs, and there are %d triangles",
                        job->path, object->name, first, object->vertex_count,
                        object->triangle_count);
    }
    return HED_OK;
}

static HedStatus check_uv(const SaveJob* job, const HedSeriesObject* object) {
    for (int64_t i = 0; i < 2 * hed_object_uv_count(object); ++i) {
        if (!(fabs(object->uv[i]) <= (double)FLT_MAX)) {
            return hed_fail(job->error, HED_INVALID,
                            "%s: object '%s': place %" PRId64 " in its pattern is at %g, which the "
                            "format cannot hold",
                            job->path, object->name, i / 2, object->uv[i]);
        }
    }
    return HED_OK;
}

static HedStatus check_object(const SaveJob* job, const HedSeriesObject* object) {
    HedStatus status = HED_OK;
    if (!object->name || object->vertex_count < 0 || object->triangle_count < 0 ||
        object->curve_count < 0) {
        return hed_fail(job->error, HED_INVALID,
                        "%s: object '%s' needs a name and counts from 0, got %d vertices, %d "
                        "triangles and %d curves",
                        job->path, object->name ? object->name : "", object->vertex_count,
                        object->triangle_count, object->curve_count);
    }
    HED_TRY(check_triangles(job, object));
    HED_TRY(check_curves(job, object));
    HED_TRY(check_uv(job, object));
done:
    return status;
}

static HedStatus check_times(const SaveJob* job) {
    const HedSeries* series = job->frame.series;
    for (int32_t i = 0; i < series->frame_count; ++i) {
        double time = series->times[i];
        if (!isfinite(time) || (i > 0 && time <= series->times[i - 1])) {
            return hed_fail(job->error, HED_INVALID,
                            "%s: times must be finite and grow, frame %d is at %g s", job->path, i,
                            time);
        }
    }
    return HED_OK;
}

// A format without meshes leaves them out, as long as something is left.
static HedStatus check_meshes(const SaveJob* job) {
    const HedSeries* series = job->frame.series;
    if (job->format->holds_meshes) {
        return HED_OK;
    }
    if (job->frame.curve_total == 0) {
        return hed_fail(job->error, HED_UNSUPPORTED,
                        "%s: %s files hold curves only, and there are none: object '%s' has %d "
                        "triangles",
                        job->path, job->format->extension, series->objects[0].name,
                        series->objects[0].triangle_count);
    }
    for (int32_t i = 0; i < series->object_count; ++i) {
        if (series->objects[i].curve_count == 0) {
            hed_log(HED_LOG_INFO, "%s: object '%s' left out: %s files hold curves only", job->path,
                    series->objects[i].name, job->format->extension);
        }
    }
    return HED_OK;
}

static HedStatus check_series(SaveJob* job) {
    HedStatus status = HED_OK;
    const HedSeries* series = job->frame.series;
    if (series->object_count < 1 || series->frame_count < 1) {
        return hed_fail(job->error, HED_INVALID, "%s: nothing to write: %d objects, %d frames",
                        job->path, series->object_count, series->frame_count);
    }
    HED_TRY(check_times(job));
    int64_t vertices = 0;
    int64_t triangles = 0;
    int64_t curves = 0; // no more than their vertices
    int64_t curve_vertices = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        const HedSeriesObject* object = &series->objects[i];
        HED_TRY(check_object(job, object));
        vertices += object->vertex_count;
        triangles += object->triangle_count;
        curves += object->curve_count;
        curve_vertices += object->curve_count > 0 ? object->vertex_count : 0;
    }
    if (vertices > HED_MESH_LIMIT || triangles > HED_MESH_LIMIT) {
        return hed_fail(job->error, HED_UNSUPPORTED, "%s: over %d vertices or triangles", job->path,
                        HED_MESH_LIMIT);
    }
    job->frame.vertex_total = (int32_t)vertices;
    job->frame.triangle_total = (int32_t)triangles;
    job->frame.curve_total = (int32_t)curves;
    job->frame.curve_vertex_total = (int32_t)curve_vertices;
    HED_TRY(check_meshes(job));
done:
    return status;
}

// --- File names ------------------------------------------------------------------------------

// The file of one frame: `a/b.obj` gives `a/b.0001.obj`, `a/b.pvd` gives `b_frames/b.0001.vtp`
// (relative to a). Allocated; NULL if there is no memory.
static char* frame_file(const SaveJob* job, int32_t frame, int32_t digits) {
    const char* extension = hed_path_extension(job->path);
    bool in_folder = job->format->layout == LAYOUT_COLLECTION;
    const char* slash = strrchr(job->path, '/');
    const char* stem = in_folder && slash ? slash + 1 : job->path;
    int32_t stem_size = (int32_t)(extension - stem) - 1;
    size_t room = 2 * strlen(stem) + 64;
    char* file = hed_alloc(room);
    if (!file) {
        return NULL;
    }
    size_t used = 0;
    if (in_folder) {
        used = (size_t)snprintf(file, room, "%.*s_frames/", stem_size, stem);
    }
    char number[16];
    snprintf(number, sizeof number, "%010d", frame + 1);
    snprintf(file + used, room - used, "%.*s.%s.%s", stem_size, stem, number + 10 - digits,
             in_folder ? "vtp" : extension);
    return file;
}

static int32_t digits_of(int32_t count) {
    int32_t digits = 4;
    for (int32_t rest = count / 10000; rest > 0; rest /= 10) {
        ++digits;
    }
    return digits;
}

static HedStatus name_files(SaveJob* job) {
    int32_t frame_count = job->frame.series->frame_count;
    if (job->format->layout == LAYOUT_WHOLE) {
        return HED_OK;
    }
    job->files = HED_NEW_ARRAY(char*, frame_count);
    if (!job->files) {
        return hed_fail_memory(job->error, job->path);
    }
    job->file_count = frame_count;
    bool is_single = job->format->layout == LAYOUT_EACH && frame_count == 1;
    for (int32_t i = 0; i < frame_count; ++i) {
        job->files[i] =
            is_single ? hed_text_copy(job->path) : frame_file(job, i, digits_of(frame_count));
        if (!job->files[i]) {
            return hed_fail_memory(job->error, job->path);
        }
    }
    return HED_OK;
}

// Where the file of a frame goes, as seen from here. Allocated; NULL if there is no memory.
static char* frame_path(const SaveJob* job, int32_t frame) {
    if (job->format->layout == LAYOUT_EACH) {
        return hed_text_copy(job->files[frame]);
    }
    char* directory = hed_path_directory(job->path);
    char* path = directory ? hed_path_join(directory, job->files[frame]) : NULL;
    hed_free(directory);
    return path;
}

static HedStatus check_absent(const SaveJob* job) {
    if (job->format->layout != LAYOUT_EACH && hed_file_exists(job->path)) {
        return hed_fail(job->error, HED_EXISTS, "%s: exists already", job->path);
    }
    for (int32_t i = 0; i < job->file_count; ++i) {
        HedStatus status = HED_OK;
        char* path = frame_path(job, i);
        if (!path) {
            return hed_fail_memory(job->error, job->path);
        }
        if (hed_file_exists(path)) {
            status = hed_fail(job->error, HED_EXISTS, "%s: exists already", path);
        }
        hed_free(path);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

// --- Writing ---------------------------------------------------------------------------------

static HedStatus make_positions(SaveJob* job) {
    const HedSeries* series = job->frame.series;
    job->positions = HED_NEW_ARRAY(HedVec3*, series->object_count);
    if (!job->positions) {
        return hed_fail_memory(job->error, job->path);
    }
    job->frame.positions = job->positions;
    for (int32_t i = 0; i < series->object_count; ++i) {
        job->positions[i] = HED_NEW_ARRAY(HedVec3, series->objects[i].vertex_count);
        if (!job->positions[i]) {
            return hed_fail_memory(job->error, job->path);
        }
    }
    return HED_OK;
}

HedStatus hed_series_load(const HedSeriesFrame* frame, int32_t index, double limit,
                          const char* path, HedError* error) {
    const HedSeries* series = frame->series;
    HedStatus status = series->load(series->context, index, frame->positions, error);
    if (status != HED_OK) {
        return status;
    }
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].vertex_count; ++j) {
            HedVec3 x = frame->positions[i][j];
            if (!(fabs(x.x) <= limit && fabs(x.y) <= limit && fabs(x.z) <= limit)) {
                return hed_fail(error, HED_INVALID,
                                "%s: frame %d: vertex %d of '%s' is at (%g, %g, %g), which the "
                                "format cannot hold",
                                path, index, j, series->objects[i].name, x.x, x.y, x.z);
            }
        }
    }
    return HED_OK;
}

static HedStatus write_frame(const SaveJob* job, int32_t index) {
    HedStatus status = HED_OK;
    HedWriter writer = {0};
    char* path = frame_path(job, index);
    if (!path) {
        return hed_fail_memory(job->error, job->path);
    }
    HED_TRY(hed_series_load(&job->frame, index, job->format->limit, path, job->error));
    HED_TRY(hed_writer_open(&writer, path, job->error));
    job->format->write(&writer, &job->frame);
    HED_TRY(hed_writer_commit(&writer, job->error));
done:
    hed_writer_abandon(&writer);
    hed_free(path);
    return status;
}

static HedStatus make_folder(const SaveJob* job) {
    char* path = frame_path(job, 0);
    char* directory = path ? hed_path_directory(path) : NULL;
    HedStatus status = directory ? hed_directory_make(directory, job->error)
                                 : hed_fail_memory(job->error, job->path);
    if (status == HED_OK) {
        hed_part_sweep(path);
    }
    hed_free(path);
    hed_free(directory);
    return status;
}

// The file that stands for the whole series; of a collection it comes last, so that it never names
// a frame that is not there.
static HedStatus write_whole(const SaveJob* job) {
    HedStatus status = HED_OK;
    HedWriter writer = {0};
    HED_TRY(hed_writer_open(&writer, job->path, job->error));
    if (job->format->layout == LAYOUT_COLLECTION) {
        hed_pvd_write(&writer, job->frame.series, job->files);
    } else {
        HED_TRY(hed_usda_write(&writer, &job->frame, job->path, job->error));
    }
    HED_TRY(hed_writer_commit(&writer, job->error));
done:
    hed_writer_abandon(&writer);
    return status;
}

static HedStatus write_files(const SaveJob* job) {
    HedStatus status = HED_OK;
    hed_part_sweep(job->path);
    if (job->format->layout == LAYOUT_COLLECTION) {
        HED_TRY(make_folder(job));
    }
    for (int32_t i = 0; i < job->file_count; ++i) {
        HED_TRY(write_frame(job, i));
    }
    if (job->format->layout != LAYOUT_EACH) {
        HED_TRY(write_whole(job));
    }
done:
    return status;
}

static void free_job(SaveJob* job) {
    for (int32_t i = 0; i < job->file_count; ++i) {
        hed_free(job->files[i]);
    }
    hed_free(job->files);
    for (int32_t i = 0; job->positions && i < job->frame.series->object_count; ++i) {
        hed_free(job->positions[i]);
    }
    hed_free(job->positions);
}

HedStatus hed_series_save(const char* path, const HedSeries* series, bool overwrite,
                          HedError* error) {
    HedStatus status = HED_OK;
    SaveJob job = {.path = path, .frame = {.series = series}, .error = error};
    HED_TRY(find_format(&job));
    HED_TRY(check_series(&job));
    HED_TRY(name_files(&job));
    if (!overwrite) {
        HED_TRY(check_absent(&job));
    }
    HED_TRY(make_positions(&job));
    HED_TRY(write_files(&job));
done:
    free_job(&job);
    return status;
}
