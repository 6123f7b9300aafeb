// SPDX-License-Identifier: MIT
#include "io/series.h"

// Blanks and bytes that are not text would end a name early.
static void write_name(HedWriter* writer, const char* name) {
    hed_writer_print(writer, "o ");
    for (; *name; ++name) {
        char c = (unsigned char)*name <= ' ' || *name == 127 || *name == '\\' ? '_' : *name;
        hed_writer_bytes(writer, &c, 1);
    }
    hed_writer_print(writer, "\n");
}

// A closed curve ends with the vertex it began with.
static void write_curve(HedWriter* writer, const HedCurve* curve, int32_t first) {
    hed_writer_print(writer, "l");
    for (int32_t i = 0; i < curve->count; ++i) {
        hed_writer_print(writer, " %d", first + curve->first + i);
    }
    if (curve->is_closed) {
        hed_writer_print(writer, " %d", first + curve->first);
    }
    hed_writer_print(writer, "\n");
}

void hed_obj_write(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    int32_t first = 1; // OBJ counts from 1, over all objects
    hed_writer_print(writer, "# heddle %s\n", hed_version());
    for (int32_t i = 0; i < series->object_count; ++i) {
        const HedSeriesObject* object = &series->objects[i];
        write_name(writer, object->name);
        for (int32_t j = 0; j < object->vertex_count; ++j) {
            HedVec3 x = frame->positions[i][j];
            hed_writer_print(writer, "v ");
            hed_writer_double(writer, x.x);
            hed_writer_print(writer, " ");
            hed_writer_double(writer, x.y);
            hed_writer_print(writer, " ");
            hed_writer_double(writer, x.z);
            hed_writer_print(writer, "\n");
        }
        for (int32_t j = 0; j < object->triangle_count; ++j) {
            const int32_t* t = object->triangles + 3 * j;
            hed_writer_print(writer, "f %d %d %d\n", first + t[0], first + t[1], first + t[2]);
        }
        for (int32_t j = 0; j < object->curve_count; ++j) {
            write_curve(writer, &object->curves[j], first);
        }
        first += object->vertex_count;
    }
}
