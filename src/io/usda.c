// SPDX-License-Identifier: MIT
// USD text. One prim per object below /World, points in single precision as USD has them. A time
// code is a frame: codes per second are one over the mean interval, so that evenly spaced frames
// fall on whole codes.
#include "base/alloc.h"
#include "base/text.h"
#include "io/series.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, NAME_KEPT = 48 }; // bytes of a prim's name, and of it before a number is added

typedef struct Usda {
    HedWriter* writer;
    const HedSeriesFrame* frame;
    const char* path;
    double rate;          // time codes per second
    char (*names)[NAME];  // of each object
    float (*boxes)[2][3]; // of one object in each frame: lowest and highest corner
    HedError* error;
} Usda;

// Nine digits read back to the same float. Whatever is no digit, sign or exponent is the decimal
// mark of some locale.
static void write_float(HedWriter* writer, float value) {
    char text[HED_NUMBER_TEXT];
    char out[HED_NUMBER_TEXT];
    size_t used = 0;
    snprintf(text, sizeof text, "%.9g", (double)value);
    for (const char* c = text; *c; ++c) {
        bool is_plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (is_plain) {
            out[used++] = *c;
        } else if (used > 0 && out[used - 1] != '.') {
            out[used++] = '.';
        }
    }
    hed_writer_bytes(writer, out, used);
}

static void write_triple(HedWriter* writer, const float value[3]) {
    for (int32_t i = 0; i < 3; ++i) {
        hed_writer_print(writer, i == 0 ? "(" : ", ");
        write_float(writer, value[i]);
    }
    hed_writer_print(writer, ")");
}

// Rounding must not turn code 3 into 3.0000000000000004.
static double snap(double value) {
    double whole = round(value);
    return fabs(value - whole) <= 1e-9 * fmax(1.0, fabs(value)) ? whole : value;
}

static double time_code(const Usda* usda, int32_t frame) {
    return snap(usda->frame->series->times[frame] * usda->rate);
}

static double code_rate(const HedSeries* series) {
    int32_t last = series->frame_count - 1;
    double rate = last > 0 ? last / (series->times[last] - series->times[0]) : 24.0;
    return isfinite(rate) && rate > 0.0 ? snap(rate) : 24.0;
}

// --- Names -----------------------------------------------------------------------------------

static bool is_taken(const Usda* usda, int32_t count, const char* name) {
    for (int32_t i = 0; i < count; ++i) {
        if (strcmp(usda->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Identifiers are letters, digits and underscores, no digit first, unique below one parent.
static void make_name(Usda* usda, int32_t index) {
    const char* source = usda->frame->series->objects[index].name;
    char base[NAME_KEPT + 1] = {0};
    int32_t used = 0;
    if (source[0] == '\0' || (source[0] >= '0' && source[0] <= '9')) {
        base[used++] = '_';
    }
    for (; *source && used < NAME_KEPT; ++source) {
        char c = *source;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        base[used++] = (char)(is_plain ? c : '_');
    }
    char* name = usda->names[index];
    snprintf(name, NAME, "%s", base);
    for (int32_t number = index + 1; is_taken(usda, index, name); ++number) {
        snprintf(name, NAME, "%s_%d", base, number);
    }
}

// --- Contents --------------------------------------------------------------------------------

static void write_stage(const Usda* usda) {
    HedWriter* writer = usda->writer;
    hed_writer_print(writer, "#usda 1.0\n(\n    defaultPrim = \"World\"\n");
    hed_writer_print(writer, "    doc = \"heddle %s\"\n    endTimeCode = ", hed_version());
    hed_writer_double(writer, time_code(usda, usda->frame->series->frame_count - 1));
    hed_writer_print(writer, "\n    framesPerSecond = ");
    hed_writer_double(writer, usda->rate);
    hed_writer_print(writer, "\n    metersPerUnit = 1\n    startTimeCode = ");
    hed_writer_double(writer, time_code(usda, 0));
    hed_writer_print(writer, "\n    timeCodesPerSecond = ");
    hed_writer_double(writer, usda->rate);
    hed_writer_print(writer, "\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{\n");
}

static void write_faces(HedWriter* writer, const HedSeriesObject* object) {
    hed_writer_print(writer, "        int[] faceVertexCounts = [");
    for (int32_t i = 0; i < object->triangle_count; ++i) {
        hed_writer_print(writer, i == 0 ? "3" : ", 3");
    }
    hed_writer_print(writer, "]\n        int[] faceVertexIndices = [");
    for (int32_t i = 0; i < 3 * object->triangle_count; ++i) {
        hed_writer_print(writer, i == 0 ? "%d" : ", %d", object->triangles[i]);
    }
    hed_writer_print(writer, "]\n        uniform token orientation = \"rightHanded\"\n"
                             "        uniform token subdivisionScheme = \"none\"\n");
}

// Writes the points of the frame in memory and keeps their box.
static void write_points(const Usda* usda, int32_t object, float box[2][3]) {
    int32_t count = usda->frame->series->objects[object].vertex_count;
    hed_writer_print(usda->writer, "[");
    for (int32_t i = 0; i < count; ++i) {
        HedVec3 x = usda->frame->positions[object][i];
        float point[3] = {(float)x.x, (float)x.y, (float)x.z};
        for (int32_t axis = 0; axis < 3; ++axis) {
            box[0][axis] = i == 0 ? point[axis] : fminf(box[0][axis], point[axis]);
            box[1][axis] = i == 0 ? point[axis] : fmaxf(box[1][axis], point[axis]);
        }
        hed_writer_print(usda->writer, i == 0 ? "" : ", ");
        write_triple(usda->writer, point);
    }
    hed_writer_print(usda->writer, "]");
}

static void write_box(const Usda* usda, int32_t frame) {
    hed_writer_print(usda->writer, "[");
    write_triple(usda->writer, usda->boxes[frame][0]);
    hed_writer_print(usda->writer, ", ");
    write_triple(usda->writer, usda->boxes[frame][1]);
    hed_writer_print(usda->writer, "]");
}

static void begin_sample(const Usda* usda, int32_t frame) {
    hed_writer_print(usda->writer, "            ");
    hed_writer_double(usda->writer, time_code(usda, frame));
    hed_writer_print(usda->writer, ": ");
}

static void write_extent(const Usda* usda) {
    hed_writer_print(usda->writer, "        float3[] extent = ");
    write_box(usda, 0);
    hed_writer_print(usda->writer, "\n        float3[] extent.timeSamples = {\n");
    for (int32_t i = 0; i < usda->frame->series->frame_count; ++i) {
        begin_sample(usda, i);
        write_box(usda, i);
        hed_writer_print(usda->writer, ",\n");
    }
    hed_writer_print(usda->writer, "        }\n");
}

// Programs that know nothing of time samples see the first frame, as the plain value.
static HedStatus write_motion(const Usda* usda, int32_t object) {
    HedStatus status = HED_OK;
    HedWriter* writer = usda->writer;
    int32_t frame_count = usda->frame->series->frame_count;
    for (int32_t i = 0; i < frame_count; ++i) {
        HED_TRY(hed_series_load(usda->frame, i, (double)FLT_MAX, usda->path, usda->error));
        if (i == 0) {
            hed_writer_print(writer, "        point3f[] points = ");
            write_points(usda, object, usda->boxes[0]);
            hed_writer_print(writer, "\n        point3f[] points.timeSamples = {\n");
        }
        begin_sample(usda, i);
        write_points(usda, object, usda->boxes[i]);
        hed_writer_print(writer, ",\n");
    }
    hed_writer_print(writer, "        }\n");
    if (usda->frame->series->objects[object].vertex_count > 0) {
        write_extent(usda);
    }
done:
    return status;
}

HedStatus hed_usda_write(HedWriter* writer, const HedSeriesFrame* frame, const char* path,
                         HedError* error) {
    HedStatus status = HED_OK;
    const HedSeries* series = frame->series;
    Usda usda = {.writer = writer, .frame = frame, .path = path, .error = error};
    usda.rate = code_rate(series);
    usda.names = hed_alloc_array(series->object_count, sizeof *usda.names);
    usda.boxes = hed_alloc_array(series->frame_count, sizeof *usda.boxes);
    if (!usda.names || !usda.boxes) {
        status = hed_fail_memory(error, path);
        goto done;
    }
    write_stage(&usda);
    for (int32_t i = 0; i < series->object_count; ++i) {
        make_name(&usda, i);
        hed_writer_print(writer, "%s    def Mesh \"%s\"\n    {\n", i == 0 ? "" : "\n",
                         usda.names[i]);
        write_faces(writer, &series->objects[i]);
        HED_TRY(write_motion(&usda, i));
        hed_writer_print(writer, "    }\n");
    }
    hed_writer_print(writer, "}\n");
done:
    hed_free(usda.names);
    hed_free(usda.boxes);
    return status;
}
