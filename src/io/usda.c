// SPDX-License-Identifier: MIT
// USD text. One prim per object below /World, points in single precision as USD has them; an object
// of open and closed curves is two, because all curves of a prim end in the same manner. A time
// code is a frame: codes per second are one over the first interval, so that evenly spaced frames
// fall on whole codes, also if the last interval is a shorter one.
#include "base/alloc.h"
#include "base/text.h"
#include "io/series.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, NAME_KEPT = 48 }; // bytes of a prim's name, and of it before anything is added

typedef enum PrimKind { PRIM_MESH, PRIM_OPEN_CURVES, PRIM_CLOSED_CURVES } PrimKind;

typedef struct Prim {
    const HedSeriesObject* object;
    const HedVec3* positions; // of the object, in the frame in memory
    PrimKind kind;
    char name[NAME];
} Prim;

typedef struct Usda {
    HedWriter* writer;
    const HedSeriesFrame* frame;
    const char* path;
    double rate; // time codes per second
    Prim* prims; // two per object at most
    int32_t prim_count;
    float (*boxes)[2][3]; // of one prim in each frame: lowest and highest corner
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
    double rate = series->frame_count > 1 ? 1.0 / (series->times[1] - series->times[0]) : 24.0;
    return isfinite(rate) && rate > 0.0 ? snap(rate) : 24.0;
}

// --- Prims -----------------------------------------------------------------------------------

static bool is_taken(const Usda* usda, const char* name) {
    for (int32_t i = 0; i < usda->prim_count; ++i) {
        if (strcmp(usda->prims[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Identifiers are letters, digits and underscores, no digit first, unique below one parent.
static void make_name(const Usda* usda, const char* source, const char* suffix, char name[NAME]) {
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
    snprintf(name, NAME, "%s%s", base, suffix);
    for (int32_t number = usda->prim_count + 1; is_taken(usda, name); ++number) {
        snprintf(name, NAME, "%s%s_%d", base, suffix, number);
    }
}

static void add_prim(Usda* usda, int32_t object, PrimKind kind, const char* suffix) {
    Prim prim = {.object = &usda->frame->series->objects[object],
                 .positions = usda->frame->positions[object],
                 .kind = kind};
    make_name(usda, prim.object->name, suffix, prim.name);
    usda->prims[usda->prim_count++] = prim;
}

static void add_prims(Usda* usda, int32_t index) {
    const HedSeriesObject* object = &usda->frame->series->objects[index];
    int32_t closed_count = 0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        closed_count += object->curves[i].is_closed;
    }
    bool is_mixed = closed_count > 0 && closed_count < object->curve_count;
    if (object->curve_count == 0) {
        add_prim(usda, index, PRIM_MESH, "");
    }
    if (closed_count < object->curve_count) {
        add_prim(usda, index, PRIM_OPEN_CURVES, is_mixed ? "_open" : "");
    }
    if (closed_count > 0) {
        add_prim(usda, index, PRIM_CLOSED_CURVES, is_mixed ? "_closed" : "");
    }
}

// The next curve of a prim from index `at` on, or NULL; moves `at` behind it.
static const HedCurve* next_curve(const Prim* prim, int32_t* at) {
    while (*at < prim->object->curve_count) {
        const HedCurve* curve = &prim->object->curves[(*at)++];
        if (curve->is_closed == (prim->kind == PRIM_CLOSED_CURVES)) {
            return curve;
        }
    }
    return NULL;
}

static double largest_radius(const Prim* prim) {
    double radius = 0.0;
    int32_t at = 0;
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        radius = fmax(radius, curve->radius);
    }
    return radius;
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

// Metadata of a property, and what ends it: how many values there are.
static void write_interpolation(HedWriter* writer, const char* interpolation) {
    hed_writer_print(writer, "] (\n            interpolation = \"%s\"\n        )\n", interpolation);
}

static void write_pairs(HedWriter* writer, const double* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        hed_writer_print(writer, i == 0 ? "(" : ", (");
        write_float(writer, (float)values[2 * i]);
        hed_writer_print(writer, ", ");
        write_float(writer, (float)values[2 * i + 1]);
        hed_writer_print(writer, ")");
    }
}

static void write_uv(HedWriter* writer, const HedSeriesObject* object) {
    if (object->uv) {
        hed_writer_print(writer, "        texCoord2f[] primvars:st = [");
        write_pairs(writer, object->uv, hed_object_uv_count(object));
        write_interpolation(writer, object->uv_at_corners ? "faceVarying" : "vertex");
    }
}

// A width is a diameter. Curves whose radius is not known get none, unless others of the prim do.
// There is one for all or one for each point: what importers take, and BasisCurves ask for.
static void write_widths(HedWriter* writer, const Prim* prim) {
    double largest = largest_radius(prim);
    bool is_constant = true;
    int32_t at = 0;
    if (largest == 0.0) {
        return;
    }
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        is_constant = is_constant && curve->radius == largest;
    }
    at = 0;
    const char* separator = "        float[] widths = [";
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        for (int32_t i = 0; i < (is_constant ? 1 : curve->count); ++i) {
            hed_writer_print(writer, "%s", separator);
            write_float(writer, (float)(2.0 * curve->radius));
            separator = ", ";
        }
        if (is_constant) {
            break;
        }
    }
    write_interpolation(writer, is_constant ? "constant" : "vertex");
}

// Along a yarn the first number is the length from its start, in metres, as the first frame has it;
// the second is the number of the curve in its object.
static void write_lengths(HedWriter* writer, const Prim* prim) {
    int32_t at = 0;
    const char* separator = "        texCoord2f[] primvars:st = [";
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        const HedVec3* x = prim->positions + curve->first;
        double place[2] = {0.0, at - 1};
        for (int32_t i = 0; i < curve->count; ++i) {
            place[0] += i > 0 ? hed_distance3(x[i - 1], x[i]) : 0.0;
            hed_writer_print(writer, "%s", separator);
            write_pairs(writer, place, 1);
            separator = ", ";
        }
    }
    write_interpolation(writer, "vertex");
}

// Colours of USD are linear, those of curves have the transfer curve of sRGB (IEC 61966-2-1).
static float linear_color(uint8_t value) {
    double c = value / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static void write_color(HedWriter* writer, const HedCurve* curve) {
    uint8_t rgb[3];
    hed_curve_rgb(curve, rgb);
    write_triple(writer,
                 (float[3]){linear_color(rgb[0]), linear_color(rgb[1]), linear_color(rgb[2])});
}

// One for all, or one for each curve.
static void write_colors(HedWriter* writer, const Prim* prim) {
    int32_t at = 0;
    const HedCurve* first = next_curve(prim, &at);
    bool is_constant = true;
    for (const HedCurve* curve = first; curve; curve = next_curve(prim, &at)) {
        is_constant = is_constant && curve->color == first->color;
    }
    if (!first || (is_constant && first->color == HED_COLOR_NONE)) {
        return;
    }
    at = 0;
    const char* separator = "        color3f[] primvars:displayColor = [";
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        hed_writer_print(writer, "%s", separator);
        write_color(writer, curve);
        separator = ", ";
        if (is_constant) {
            break;
        }
    }
    write_interpolation(writer, is_constant ? "constant" : "uniform");
}

// "pinned" continues the first and the last segment straight on, as HedCurve has it.
static void write_curves(HedWriter* writer, const Prim* prim) {
    int32_t at = 0;
    const char* separator = "        int[] curveVertexCounts = [";
    hed_writer_print(writer, "        uniform token basis = \"catmullRom\"\n");
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        hed_writer_print(writer, "%s%d", separator, curve->count);
        separator = ", ";
    }
    hed_writer_print(writer, "]\n        uniform token type = \"cubic\"\n");
    write_widths(writer, prim);
    write_colors(writer, prim);
    hed_writer_print(writer, "        uniform token wrap = \"%s\"\n",
                     prim->kind == PRIM_CLOSED_CURVES ? "periodic" : "pinned");
}

static void write_run(HedWriter* writer, const HedVec3* x, int32_t count, float box[2][3]) {
    for (int32_t i = 0; i < count; ++i) {
        float point[3] = {(float)x[i].x, (float)x[i].y, (float)x[i].z};
        for (int32_t axis = 0; axis < 3; ++axis) {
            box[0][axis] = fminf(box[0][axis], point[axis]);
            box[1][axis] = fmaxf(box[1][axis], point[axis]);
        }
        hed_writer_print(writer, i == 0 ? "" : ", ");
        write_triple(writer, point);
    }
}

// Writes the points of a prim in the frame in memory and keeps their box, which has room for the
// thickness of curves.
static void write_points(const Usda* usda, const Prim* prim, float box[2][3]) {
    float radius = (float)largest_radius(prim);
    for (int32_t axis = 0; axis < 3; ++axis) {
        box[0][axis] = FLT_MAX;
        box[1][axis] = -FLT_MAX;
    }
    hed_writer_print(usda->writer, "[");
    if (prim->kind == PRIM_MESH) {
        write_run(usda->writer, prim->positions, prim->object->vertex_count, box);
    }
    int32_t at = 0;
    const char* separator = "";
    for (const HedCurve* curve = next_curve(prim, &at); curve; curve = next_curve(prim, &at)) {
        hed_writer_print(usda->writer, "%s", separator);
        write_run(usda->writer, prim->positions + curve->first, curve->count, box);
        separator = ", ";
    }
    hed_writer_print(usda->writer, "]");
    for (int32_t axis = 0; axis < 3; ++axis) {
        box[0][axis] = fmaxf(box[0][axis] - radius, -FLT_MAX);
        box[1][axis] = fminf(box[1][axis] + radius, FLT_MAX);
    }
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
static HedStatus write_motion(const Usda* usda, const Prim* prim) {
    HedStatus status = HED_OK;
    HedWriter* writer = usda->writer;
    int32_t frame_count = usda->frame->series->frame_count;
    for (int32_t i = 0; i < frame_count; ++i) {
        HED_TRY(hed_series_load(usda->frame, i, (double)FLT_MAX, usda->path, usda->error));
        if (i == 0) {
            if (prim->kind != PRIM_MESH) {
                write_lengths(writer, prim);
            }
            hed_writer_print(writer, "        point3f[] points = ");
            write_points(usda, prim, usda->boxes[0]);
            hed_writer_print(writer, "\n        point3f[] points.timeSamples = {\n");
        }
        begin_sample(usda, i);
        write_points(usda, prim, usda->boxes[i]);
        hed_writer_print(writer, ",\n");
    }
    hed_writer_print(writer, "        }\n");
    if (prim->object->vertex_count > 0) {
        write_extent(usda);
    }
done:
    return status;
}

static HedStatus write_prim(const Usda* usda, const Prim* prim) {
    bool is_mesh = prim->kind == PRIM_MESH;
    hed_writer_print(usda->writer, "%s    def %s \"%s\"\n    {\n", prim == usda->prims ? "" : "\n",
                     is_mesh ? "Mesh" : "BasisCurves", prim->name);
    if (is_mesh) {
        write_faces(usda->writer, prim->object);
        write_uv(usda->writer, prim->object);
    } else {
        write_curves(usda->writer, prim);
    }
    HedStatus status = write_motion(usda, prim);
    hed_writer_print(usda->writer, "    }\n");
    return status;
}

HedStatus hed_usda_write(HedWriter* writer, const HedSeriesFrame* frame, const char* path,
                         HedError* error) {
    HedStatus status = HED_OK;
    const HedSeries* series = frame->series;
    Usda usda = {.writer = writer, .frame = frame, .path = path, .error = error};
    usda.rate = code_rate(series);
    usda.prims = HED_NEW_ARRAY(Prim, 2 * (int64_t)series->object_count);
    usda.boxes = hed_alloc_array(series->frame_count, sizeof *usda.boxes);
    if (!usda.prims || !usda.boxes) {
        status = hed_fail_memory(error, path);
        goto done;
    }
    for (int32_t i = 0; i < series->object_count; ++i) {
        add_prims(&usda, i);
    }
    write_stage(&usda);
    for (int32_t i = 0; i < usda.prim_count; ++i) {
        HED_TRY(write_prim(&usda, &usda.prims[i]));
    }
    hed_writer_print(writer, "}\n");
done:
    hed_free(usda.prims);
    hed_free(usda.boxes);
    return status;
}
