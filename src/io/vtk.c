// SPDX-License-Identifier: MIT
// VTK PolyData (.vtp) and ParaView collections (.pvd). The XML names each array by its offset into
// one raw block at the end of the file, where a byte count of eight bytes precedes every array.
#include "base/text.h"
#include "io/series.h"

#include <inttypes.h>

// One array of the appended block.
typedef struct Array {
    const char* type;
    const char* name;
    int32_t components;
    uint64_t size; // bytes
} Array;

// Prints the tag of an array and moves the offset past it.
static void print_array(HedWriter* writer, Array array, uint64_t* offset) {
    hed_writer_print(writer,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                     array.type, array.name, array.components, *offset);
    *offset += sizeof array.size + array.size;
}

static bool has_colors(const HedSeries* series) {
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            if (series->objects[i].curves[j].color != HED_COLOR_NONE) {
                return true;
            }
        }
    }
    return false;
}

// A closed curve names its first vertex again at the end.
static int32_t line_size(const HedCurve* curve) {
    return curve->count + curve->is_closed;
}

static uint64_t line_points(const HedSeries* series) {
    uint64_t count = 0;
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            count += (uint64_t)line_size(&series->objects[i].curves[j]);
        }
    }
    return count;
}

static void print_lines(HedWriter* writer, const HedSeriesFrame* frame, uint64_t* offset) {
    if (frame->curve_total == 0) {
        return;
    }
    uint64_t size = sizeof(int32_t);
    hed_writer_print(writer, "      <Lines>\n");
    print_array(writer, (Array){"Int32", "connectivity", 1, size * line_points(frame->series)},
                offset);
    print_array(writer, (Array){"Int32", "offsets", 1, size * (uint64_t)frame->curve_total},
                offset);
    hed_writer_print(writer, "      </Lines>\n");
}

// Values of cells: lines first, then triangles.
static void print_cell_data(HedWriter* writer, const HedSeriesFrame* frame, uint64_t* offset) {
    uint64_t cells = (uint64_t)frame->curve_total + (uint64_t)frame->triangle_total;
    hed_writer_print(writer, "      <CellData Scalars=\"object\">\n");
    print_array(writer, (Array){"Int32", "object", 1, cells * sizeof(int32_t)}, offset);
    if (frame->curve_total > 0) {
        print_array(writer, (Array){"Float64", "radius", 1, cells * sizeof(double)}, offset);
    }
    if (has_colors(frame->series)) {
        print_array(writer, (Array){"UInt8", "color", 3, 3 * cells}, offset);
    }
    hed_writer_print(writer, "      </CellData>\n");
}

static void print_header(HedWriter* writer, const HedSeriesFrame* frame) {
    uint64_t points = (uint64_t)frame->vertex_total * sizeof(HedVec3);
    uint64_t triangles = (uint64_t)frame->triangle_total * sizeof(int32_t);
    uint64_t offset = 0;
    hed_writer_print(writer, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"PolyData\" version=\"1.0\" "
                             "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                             "  <PolyData>\n");
    hed_writer_print(writer,
                     "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" "
                     "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                     frame->vertex_total, frame->curve_total, frame->triangle_total);
    hed_writer_print(writer, "      <PointData/>\n      <Points>\n");
    print_array(writer, (Array){"Float64", "Points", 3, points}, &offset);
    hed_writer_print(writer, "      </Points>\n");
    print_lines(writer, frame, &offset);
    hed_writer_print(writer, "      <Polys>\n");
    print_array(writer, (Array){"Int32", "connectivity", 1, 3 * triangles}, &offset);
    print_array(writer, (Array){"Int32", "offsets", 1, triangles}, &offset);
    hed_writer_print(writer, "      </Polys>\n");
    print_cell_data(writer, frame, &offset);
    hed_writer_print(writer, "    </Piece>\n  </PolyData>\n"
                             "  <AppendedData encoding=\"raw\">\n_");
}

static void write_size(HedWriter* writer, uint64_t size) {
    hed_writer_bytes(writer, &size, sizeof size);
}

static void write_points(HedWriter* writer, const HedSeriesFrame* frame) {
    write_size(writer, (uint64_t)frame->vertex_total * sizeof(HedVec3));
    for (int32_t i = 0; i < frame->series->object_count; ++i) {
        size_t size = (size_t)frame->series->objects[i].vertex_count * sizeof(HedVec3);
        hed_writer_bytes(writer, frame->positions[i], size);
    }
}

static void write_line_corners(HedWriter* writer, const HedSeries* series) {
    int32_t first = 0;
    write_size(writer, line_points(series) * sizeof(int32_t));
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            const HedCurve* curve = &series->objects[i].curves[j];
            for (int32_t k = 0; k < line_size(curve); ++k) {
                int32_t vertex = first + curve->first + (k < curve->count ? k : 0);
                hed_writer_bytes(writer, &vertex, sizeof vertex);
            }
        }
        first += series->objects[i].vertex_count;
    }
}

static void write_lines(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    if (frame->curve_total == 0) {
        return;
    }
    write_line_corners(writer, series);
    int32_t end = 0;
    write_size(writer, (uint64_t)frame->curve_total * sizeof end);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            end += line_size(&series->objects[i].curves[j]);
            hed_writer_bytes(writer, &end, sizeof end);
        }
    }
}

static void write_triangles(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    uint64_t size = (uint64_t)frame->triangle_total * sizeof(int32_t);
    int32_t first = 0;
    write_size(writer, 3 * size);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].triangle_count; ++j) {
            const int32_t* t = series->objects[i].triangles + 3 * j;
            int32_t corners[3] = {first + t[0], first + t[1], first + t[2]};
            hed_writer_bytes(writer, corners, sizeof corners);
        }
        first += series->objects[i].vertex_count;
    }
    write_size(writer, size);
    for (int32_t i = 0; i < frame->triangle_total; ++i) {
        int32_t end = 3 * (i + 1);
        hed_writer_bytes(writer, &end, sizeof end);
    }
}

// The same value for all triangles, which follow the lines.
static void write_for_triangles(HedWriter* writer, const HedSeriesFrame* frame, const void* value,
                                size_t size) {
    for (int32_t i = 0; i < frame->triangle_total; ++i) {
        hed_writer_bytes(writer, value, size);
    }
}

static void write_objects(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    uint64_t cells = (uint64_t)frame->curve_total + (uint64_t)frame->triangle_total;
    write_size(writer, cells * sizeof(int32_t));
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            hed_writer_bytes(writer, &i, sizeof i);
        }
    }
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].triangle_count; ++j) {
            hed_writer_bytes(writer, &i, sizeof i);
        }
    }
}

static void write_radii(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    uint64_t cells = (uint64_t)frame->curve_total + (uint64_t)frame->triangle_total;
    double none = 0.0;
    write_size(writer, cells * sizeof none);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            hed_writer_bytes(writer, &series->objects[i].curves[j].radius, sizeof(double));
        }
    }
    write_for_triangles(writer, frame, &none, sizeof none);
}

static void write_colors(HedWriter* writer, const HedSeriesFrame* frame) {
    const HedSeries* series = frame->series;
    uint64_t cells = (uint64_t)frame->curve_total + (uint64_t)frame->triangle_total;
    uint8_t rgb[3] = {0};
    write_size(writer, cells * sizeof rgb);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].curve_count; ++j) {
            hed_curve_rgb(&series->objects[i].curves[j], rgb);
            hed_writer_bytes(writer, rgb, sizeof rgb);
        }
    }
    hed_curve_rgb(&(HedCurve){.color = HED_COLOR_NONE}, rgb);
    write_for_triangles(writer, frame, rgb, sizeof rgb);
}

void hed_vtp_write(HedWriter* writer, const HedSeriesFrame* frame) {
    print_header(writer, frame);
    write_points(writer, frame);
    write_lines(writer, frame);
    write_triangles(writer, frame);
    write_objects(writer, frame);
    if (frame->curve_total > 0) {
        write_radii(writer, frame);
    }
    if (has_colors(frame->series)) {
        write_colors(writer, frame);
    }
    hed_writer_print(writer, "\n  </AppendedData>\n</VTKFile>\n");
}

static void write_escaped(HedWriter* writer, const char* text) {
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            hed_writer_print(writer, "&amp;");
            break;
        case '<':
            hed_writer_print(writer, "&lt;");
            break;
        case '"':
            hed_writer_print(writer, "&quot;");
            break;
        default:
            hed_writer_bytes(writer, text, 1);
        }
    }
}

void hed_pvd_write(HedWriter* writer, const HedSeries* series, char* const* files) {
    hed_writer_print(writer, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"1.0\" "
                             "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (int32_t i = 0; i < series->frame_count; ++i) {
        hed_writer_print(writer, "    <DataSet timestep=\"");
        hed_writer_double(writer, series->times[i]);
        hed_writer_print(writer, "\" group=\"\" part=\"0\" file=\"");
        write_escaped(writer, files[i]);
        hed_writer_print(writer, "\"/>\n");
    }
    hed_writer_print(writer, "  </Collection>\n</VTKFile>\n");
}
