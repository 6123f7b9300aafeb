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

void hed_ply_write(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    hed_writer_print(writer, "ply\nformat binary_little_endian 1.0\ncomment heddle %s\n",
                     hed_version());
    hed_writer_print(writer, "element vertex %d\n", frame->vertex_total);
    hed_writer_print(writer, "property double x\nproperty double y\nproperty double z\n");
    hed_writer_print(writer, "element face %d\n", frame->triangle_total);
    hed_writer_print(writer, "property list uchar int vertex_indices\nproperty int object\n");
    hed_writer_print(writer, "end_header\n");
    for (int32_t i = 0; i < series->object_count; ++i) {
        size_t size = (size_t)series->objects[i].vertex_count * sizeof(HedVec3);
        hed_writer_bytes(writer, frame->positions[i], size);
    }
    int32_t first = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        write_faces(writer, &series->objects[i], first, i);
        first += series->objects[i].vertex_count;
    }
}
