// SPDX-License-Identifier: MIT
// VTK PolyData (.vtp) and ParaView collections (.pvd). The XML names each array by its offset into
// one raw block at the end of the file, where a byte count of eight bytes precedes every array.
#include "base/text.h"
#include "io/series.h"

#include <inttypes.h>

// Prints the tag of an array and moves the offset past it.
static void print_array(HedWriter* writer, const char* type, const char* name, uint64_t size,
                        uint64_t* offset) {
    hed_writer_print(writer,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                     type, name, name[0] == 'P' ? 3 : 1, *offset);
    *offset += sizeof size + size;
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
                     "    <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                     "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                     frame->vertex_total, frame->triangle_total);
    hed_writer_print(writer, "      <PointData/>\n      <Points>\n");
    print_array(writer, "Float64", "Points", points, &offset);
    hed_writer_print(writer, "      </Points>\n      <Polys>\n");
    print_array(writer, "Int32", "connectivity", 3 * triangles, &offset);
    print_array(writer, "Int32", "offsets", triangles, &offset);
    hed_writer_print(writer, "      </Polys>\n      <CellData Scalars=\"object\">\n");
    print_array(writer, "Int32", "object", triangles, &offset);
    hed_writer_print(writer, "      </CellData>\n    </Piece>\n  </PolyData>\n"
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

static void write_cells(HedWriter* writer, const HedSeriesFrame* frame) {
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
    write_size(writer, size);
    for (int32_t i = 0; i < series->object_count; ++i) {
        for (int32_t j = 0; j < series->objects[i].triangle_count; ++j) {
            hed_writer_bytes(writer, &i, sizeof i);
        }
    }
}

void hed_vtp_write(HedWriter* writer, const HedSeriesFrame* frame) {
    print_header(writer, frame);
    write_points(writer, frame);
    write_cells(writer, frame);
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
