// SPDX-License-Identifier: MIT
#include "io/bcc.h"
#include "io/series.h"

#include <stdio.h>

// Points are in single precision; radii and colours have no place in the format.
static void write_curve(HedWriter* writer, const HedCurve* curve, const HedVec3* positions) {
    int32_t count = curve->is_closed ? -curve->count : curve->count;
    hed_writer_bytes(writer, &count, sizeof count);
    for (int32_t i = 0; i < curve->count; ++i) {
        HedVec3 x = positions[curve->first + i];
        HedBccPoint point = {{(float)x.x, (float)x.y, (float)x.z}};
        hed_writer_bytes(writer, &point, sizeof point);
    }
}

void hed_bcc_write(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    HedBccHeader header = {.magic = {'B', 'C', 'C'},
                           .number_sizes = HED_BCC_SIZES,
                           .curve_type = {'C', '0'},
                           .dimension_count = 3,
                           .up_axis = 1,
                           .curve_count = (uint64_t)frame->curve_total,
                           .point_count = (uint64_t)frame->curve_vertex_total};
    snprintf(header.text, sizeof header.text, "heddle %s", hed_version());
    hed_writer_bytes(writer, &header, sizeof header);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            write_curve(writer, &series->objects[i].curves[j], frame->positions[i]);
        }
    }
}
