// SPDX-License-Identifier: MIT
#include "io/series.h"

#include <string.h>

// What vertices and faces carry beside places and vertices: of what is known of any object.
typedef struct Extras {
    bool has_radius;
    bool has_color;
    bool has_uv;        // at vertices: s and t
    bool has_corner_uv; // at corners: faces carry six numbers, or none
} Extras;

static Extras find_extras(const HedSeries* series) {
    Extras extras = {0};
    for (int32_t i = 0; i < series->object_count; ++i) {
        const HedSeriesObject* object = &series->objects[i];
        extras.has_uv = extras.has_uv || (object->uv && !object->uv_at_corners);
        extras.has_corner_uv = extras.has_corner_uv || (object->uv && object->uv_at_corners);
        for (int32_t j = 0; j < object->curve_count; ++j) {
            const HedCurve* curve = &object->curves[j];
            extras.has_radius = extras.has_radius || curve->radius > 0.0;
            extras.has_color = extras.has_color || curve->color != HED_COLOR_NONE;
        }
    }
    return extras;
}

// A row of bytes that is being put together.
typedef struct ByteRow {
    char bytes[96];
    size_t size;
} ByteRow;

static void put(ByteRow* row, const void* data, size_t size) {
    memcpy(row->bytes + row->size, data, size);
    row->size += size;
}

static void write_vertices(HedWriter* writer, Extras extras, const HedSeriesObject* object,
                           const HedVec3* positions) {
    static const HedCurve NONE = {.color = HED_COLOR_NONE};
    static const double NOWHERE[2] = {0.0, 0.0};
    bool has_uv = object->uv && !object->uv_at_corners;
    int32_t curve = 0;
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        const HedCurve* c = object->curve_count > 0 ? &object->curves[curve] : &NONE;
        ByteRow row = {.size = 0};
        put(&row, &positions[i], sizeof positions[i]);
        if (extras.has_radius) {
            put(&row, &c->radius, sizeof c->radius);
        }
        if (extras.has_color) {
            uint8_t rgb[3];
            hed_curve_rgb(c, rgb);
            put(&row, rgb, sizeof rgb);
        }
        if (extras.has_uv) {
            put(&row, has_uv ? object->uv + 2 * (int64_t)i : NOWHERE, sizeof NOWHERE);
        }
        hed_writer_bytes(writer, row.bytes, row.size);
        curve += i + 1 == c->first + c->count;
    }
}

static void write_faces(HedWriter* writer, Extras extras, const HedSeriesObject* object,
                        int32_t first, int32_t number) {
    uint8_t uv_size = object->uv && object->uv_at_corners ? 6 : 0;
    for (int32_t i = 0; i < object->triangle_count; ++i) {
        const int32_t* t = object->triangles + 3 * (int64_t)i;
        int32_t words[4] = {first + t[0], first + t[1], first + t[2], number};
        ByteRow row = {.size = 0};
        put(&row, &(uint8_t){3}, 1);
        put(&row, words, sizeof words);
        if (extras.has_corner_uv) {
            put(&row, &uv_size, 1);
        }
        for (int32_t k = 0; k < uv_size; ++k) {
            float part = (float)object->uv[6 * (int64_t)i + k];
            put(&row, &part, sizeof part);
        }
        hed_writer_bytes(writer, row.bytes, row.size);
    }
}

static void write_edges(HedWriter* writer, const HedSeriesObject* object, int32_t first,
                        int32_t number) {
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        for (int32_t j = 0; j < hed_curve_segment_count(curve); ++j) {
            int32_t next = j + 1 < curve->count ? j + 1 : 0;
            int32_t row[3] = {first + curve->first + j, first + curve->first + next, number};
            hed_writer_bytes(writer, row, sizeof row);
        }
    }
}

static void write_header(HedWriter* writer, const HedSeriesFrame* frame, Extras extras) {
    const HedSeries* series = frame->series;
    hed_writer_print(writer, "ply\nformat binary_little_endian 1.0\ncomment heddle %s\n",
                     hed_version());
    hed_writer_print(writer, "element vertex %d\n", frame->vertex_total);
    hed_writer_print(writer, "property double x\nproperty double y\nproperty double z\n");
    if (extras.has_radius) {
        hed_writer_print(writer, "property double radius\n");
    }
    if (extras.has_color) {
        hed_writer_print(writer, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    }
    if (extras.has_uv) {
        hed_writer_print(writer, "property double s\nproperty double t\n");
    }
    hed_writer_print(writer, "element face %d\n", frame->triangle_total);
    hed_writer_print(writer, "property list uchar int vertex_indices\nproperty int object\n");
    if (extras.has_corner_uv) {
        hed_writer_print(writer, "property list uchar float texcoord\n");
    }
    if (frame->curve_total > 0) {
        int32_t edges = 0; // no more than vertices
        for (int32_t i = 0; i < series->object_count; ++i) {
            for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
                edges += hed_curve_segment_count(&series->objects[i].curves[j]);
            }
        }
        hed_writer_print(writer, "element edge %d\nproperty int vertex1\n", edges);
        hed_writer_print(writer, "property int vertex2\nproperty int object\n");
    }
    hed_writer_print(writer, "end_header\n");
}

void hed_ply_write(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    Extras extras = find_extras(series);
    write_header(writer, frame, extras);
    for (int32_t i = 0; i < series->object_count; ++i) {
        write_vertices(writer, extras, &series->objects[i], frame->positions[i]);
    }
    int32_t first = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        write_faces(writer, extras, &series->objects[i], first, i);
        first += series->objects[i].vertex_count;
    }
    first = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        write_edges(writer, &series->objects[i], first, i);
        first += series->objects[i].vertex_count;
    }
}
