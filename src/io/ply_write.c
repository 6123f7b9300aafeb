// SPDX-License-Identifier: MIT
#include "io/series.h"

#include <string.h>

static void write_faces(HedWriter* writer, const HedSeriesObject* object, int32_t first,
                        int32_t number) {
    for (int32_t i = 0; i < object->triangle_count; ++i) {
        const int32_t* t = object->triangles + 3 * i;
        int32_t words[4] = {first + t[0], first + t[1], first + t[2], number};
        char row[1 + sizeof words] = {3};
        memcpy(row + 1, words, sizeof words);
        hed_writer_bytes(writer, row, sizeof row);
    }
}

// What vertices carry beside their place: of what is known of any curve.
typedef struct Extras {
    bool has_radius;
    bool has_color;
} Extras;

static Extras find_extras(const HedSeries* series) {
    Extras extras = {0};
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            const HedCurve* curve = &series->objects[i].curves[j];
            extras.has_radius = extras.has_radius || curve->radius > 0.0;
            extras.has_color = extras.has_color || curve->color != HED_COLOR_NONE;
        }
    }
    return extras;
}

static void write_vertex(HedWriter* writer, Extras extras, HedVec3 x, const HedCurve* curve) {
    char row[sizeof x + sizeof(double) + 3];
    size_t size = sizeof x;
    memcpy(row, &x, sizeof x);
    if (extras.has_radius) {
        memcpy(row + size, &curve->radius, sizeof curve->radius);
        size += sizeof curve->radius;
    }
    if (extras.has_color) {
        hed_curve_rgb(curve, (uint8_t*)row + size);
        size += 3;
    }
    hed_writer_bytes(writer, row, size);
}

static void write_vertices(HedWriter* writer, Extras extras, const HedSeriesObject* object,
                           const HedVec3* positions) {
    const HedCurve none = {.color = HED_COLOR_NONE};
    int32_t curve = 0;
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        if (object->curve_count == 0) {
            write_vertex(writer, extras, positions[i], &none);
            continue;
        }
        const HedCurve* c = &object->curves[curve];
        write_vertex(writer, extras, positions[i], c);
        curve += i + 1 == c->first + c->count;
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
    hed_writer_print(writer, "element face %d\n", frame->triangle_total);
    hed_writer_print(writer, "property list uchar int vertex_indices\nproperty int object\n");
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
        write_faces(writer, &series->objects[i], first, i);
        first += series->objects[i].vertex_count;
    }
    first = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        write_edges(writer, &series->objects[i], first, i);
        first += series->objects[i].vertex_count;
    }
}
