// SPDX-License-Identifier: MIT
#include "io/series.h"

#include <math.h>

// Blanks and bytes that are not text would end a name early.
static void write_name(HedWriter* writer, const char* name) {
    hed_writer_print(writer, "o ");
    for (; *name; ++name) {
        char c = (unsigned char)*name <= ' ' || *name == 127 || *name == '\\' ? '_' : *name;
        hed_writer_bytes(writer, &c, 1);
    }
    hed_writer_print(writer, "\n");
}

// Numbers of the objects that come before, over which OBJ counts, from 1.
typedef struct Count {
    int32_t vertex;
    int32_t texture;
} Count;

static void write_numbers(HedWriter* writer, const double* values, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        hed_writer_print(writer, " ");
        hed_writer_double(writer, values[i]);
    }
}

static bool has_color(const HedSeriesObject* object) {
    for (int32_t i = 0; i < object->curve_count; ++i) {
        if (object->curves[i].color != HED_COLOR_NONE) {
            return true;
        }
    }
    return false;
}

// The colour of a curve behind its vertices: parts from 0 to 1, to four digits, which tell bytes
// apart.
static void write_color(HedWriter* writer, const HedCurve* curve) {
    uint8_t rgb[3];
    double parts[3];
    hed_curve_rgb(curve, rgb);
    for (int i = 0; i < 3; ++i) {
        parts[i] = round(1e4 / 255.0 * rgb[i]) / 1e4;
    }
    write_numbers(writer, parts, 3);
}

static void write_vertices(HedWriter* writer, const HedSeriesObject* object, const HedVec3* x) {
    bool is_colored = has_color(object);
    int32_t curve = 0;
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        hed_writer_print(writer, "v");
        write_numbers(writer, (double[3]){x[i].x, x[i].y, x[i].z}, 3);
        if (is_colored) {
            const HedCurve* c = &object->curves[curve];
            write_color(writer, c);
            curve += i + 1 == c->first + c->count;
        }
        hed_writer_print(writer, "\n");
    }
}

static void write_textures(HedWriter* writer, const HedSeriesObject* object) {
    for (int64_t i = 0; i < hed_object_uv_count(object); ++i) {
        hed_writer_print(writer, "vt");
        write_numbers(writer, object->uv + 2 * i, 2);
        hed_writer_print(writer, "\n");
    }
}

static void write_faces(HedWriter* writer, const HedSeriesObject* object, Count before) {
    for (int32_t j = 0; j < object->triangle_count; ++j) {
        hed_writer_print(writer, "f");
        for (int32_t k = 0; k < 3; ++k) {
            int32_t vertex = object->triangles[3 * j + k];
            hed_writer_print(writer, " %d", before.vertex + vertex);
            if (object->uv) {
                hed_writer_print(writer, "/%d",
                                 before.texture + (object->uv_at_corners ? 3 * j + k : vertex));
            }
        }
        hed_writer_print(writer, "\n");
    }
}

// Segment by segment: some programs read no more than two vertices of a line. A closed curve ends
// with the vertex it began with.
static void write_curve(HedWriter* writer, const HedCurve* curve, int32_t first) {
    for (int32_t i = 0; i < hed_curve_segment_count(curve); ++i) {
        int32_t next = i + 1 < curve->count ? i + 1 : 0;
        hed_writer_print(writer, "l %d %d\n", first + curve->first + i,
                         first + curve->first + next);
    }
}

void hed_obj_write(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    Count count = {1, 1};
    hed_writer_print(writer, "# heddle %s\n", hed_version());
    for (int32_t i = 0; i < series->object_count; ++i) {
        const HedSeriesObject* object = &series->objects[i];
        write_name(writer, object->name);
        write_vertices(writer, object, frame->positions[i]);
        write_textures(writer, object);
        write_faces(writer, object, count);
        for (int32_t j = 0; j < object->curve_count; ++j) {
            write_curve(writer, &object->curves[j], count.vertex);
        }
        count.vertex += object->vertex_count;
        count.texture += (int32_t)hed_object_uv_count(object);
    }
}
