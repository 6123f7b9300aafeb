// SPDX-License-Identifier: MIT
// Polygons of VTK PolyData: what is read, from text and from raw bytes, and what is refused where.
#include "heddle/file.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n"
#define ARRAY(name, values)                                                                        \
    "<DataArray type=\"Int32\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>\n"
#define POINTS                                                                                     \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"             \
    "0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.25 0 9 9 9</DataArray></Points>\n"
#define CELLS(kind, corners, ends)                                                                 \
    "<" kind ">" ARRAY("connectivity", corners) ARRAY("offsets", ends) "</" kind ">\n"

static HedMesh parse(const char* data, size_t size) {
    HedMesh mesh = {0};
    HedError error = {0};
    cr_assert_eq(hed_mesh_parse(data, size, "vtp", "f", &mesh, &error), HED_OK, "%s",
                 error.message);
    return mesh;
}

static void expect_triangle(const HedMesh* mesh, int32_t number, int32_t a, int32_t b, int32_t c) {
    const int32_t* t = mesh->triangles + 3 * number;
    cr_assert(t[0] == a && t[1] == b && t[2] == c, "%d: %d %d %d", number, t[0], t[1], t[2]);
}

static const char ASCII[] =
    HEAD "<PolyData><Piece NumberOfPoints=\"6\" NumberOfPolys=\"2\">\n" POINTS CELLS(
        "Polys", "0 1 2 3 0 4 1", "4 7") "</Piece></PolyData></VTKFile>\n";

// The square is cut along the diagonal from its first corner. Points that no face names stay.
Test(vtp_mesh, numbers_in_the_text) {
    HedMesh mesh = parse(ASCII, strlen(ASCII));
    cr_assert(mesh.vertex_count == 6 && mesh.triangle_count == 3 && !mesh.uv && !mesh.lines);
    expect_triangle(&mesh, 0, 0, 1, 2);
    expect_triangle(&mesh, 1, 0, 2, 3);
    expect_triangle(&mesh, 2, 0, 4, 1);
    cr_assert(mesh.vertices[4].x == 0.5 && mesh.vertices[4].y == 0.25 && mesh.vertices[5].z == 9.0);
    hed_mesh_free(&mesh);
}

// The square with a notch at its lower edge, which no fan from its first corner covers: the
// triangles together have its area, 1 - 1/2 * 1 * 1/4.
Test(vtp_mesh, a_polygon_that_is_not_convex) {
    static const char TEXT[] = HEAD POINTS CELLS("Polys", "0 4 1 2 3", "5");
    HedMesh mesh = parse(TEXT, strlen(TEXT));
    cr_assert_eq(mesh.triangle_count, 3);
    double area = 0.0;
    for (int32_t i = 0; i < 3; ++i) {
        HedVec3 a = mesh.vertices[mesh.triangles[3 * i]];
        HedVec3 b = mesh.vertices[mesh.triangles[3 * i + 1]];
        HedVec3 c = mesh.vertices[mesh.triangles[3 * i + 2]];
        double twice = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        cr_assert_gt(twice, 0.0, "triangle %d is turned over", i);
        area += 0.5 * twice;
    }
    cr_assert_eq(area, 0.875); // sums of eighths are exact in binary
    hed_mesh_free(&mesh);
}

// Three arrays behind the text, each after its size: three points, two triangles over each other as
// bytes and as 64-bit numbers. Sizes are of four bytes, or of eight if the head says so.
static size_t write_raw(bool is_wide, char data[1024], size_t* text) {
    size_t header = is_wide ? 8 : 4;
    static const float X[9] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 2.0f, -0.5f};
    static const unsigned char CORNERS[6] = {0, 1, 2, 2, 1, 0};
    static const int64_t ENDS[2] = {3, 6};
    const void* const arrays[3] = {X, CORNERS, ENDS};
    static const size_t SIZES[3] = {sizeof X, sizeof CORNERS, sizeof ENDS};
    size_t used = (size_t)snprintf(
        data, 1024,
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"%s\">\n"
        "<PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"2\"><Points>"
        "<DataArray type=\"Float32\" format=\"appended\" offset=\"0\"/></Points>\n<Polys>"
        "<DataArray type=\"UInt8\" Name=\"connectivity\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%zu\"/></Polys>"
        "</Piece></PolyData>\n<AppendedData encoding=\"raw\">\n   _",
        is_wide ? "UInt64" : "UInt32", header + sizeof X, 2 * header + sizeof X + sizeof CORNERS);
    *text = used;
    for (int32_t i = 0; i < 3; ++i) {
        uint64_t size = SIZES[i]; // little-endian: the first four bytes are the short size
        memcpy(data + used, &size, header);
        memcpy(data + used + header, arrays[i], SIZES[i]);
        used += header + SIZES[i];
    }
    return used;
}

Test(vtp_mesh, raw_bytes) {
    for (int32_t wide = 0; wide < 2; ++wide) {
        char data[1024];
        size_t text = 0;
        size_t size = write_raw(wide == 1, data, &text);
        HedMesh mesh = parse(data, size);
        cr_assert(mesh.vertex_count == 3 && mesh.triangle_count == 2);
        expect_triangle(&mesh, 0, 0, 1, 2);
        expect_triangle(&mesh, 1, 2, 1, 0);
        cr_assert(mesh.vertices[2].y == 2.0 && mesh.vertices[2].z == -0.5);
        hed_mesh_free(&mesh);
        for (size_t cut = text; cut < size; ++cut) { // whatever is missing is missed
            HedError error = {0};
            cr_assert_eq(hed_mesh_parse(data, cut, "vtp", "f", &mesh, &error), HED_PARSE);
            cr_assert_neq(error.message[0], '\0');
        }
    }
}

// As ParaView lays out a file: attributes padded with blanks, ranges in the tags, empty kinds of
// cells whose range is upside down, information keys within arrays, numbers over several lines.
Test(vtp_mesh, layout_of_paraview) {
    static const char TEXT[] =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n  <PolyData>\n"
        "    <Piece NumberOfPoints=\"4\"                    NumberOfVerts=\"0\"                "
        "    NumberOfLines=\"0\"                    NumberOfStrips=\"0\"                    "
        "NumberOfPolys=\"1\"                   >\n"
        "      <PointData Normals=\"Normals\">\n"
        "        <DataArray type=\"Float32\" Name=\"Normals\" NumberOfComponents=\"3\" "
        "format=\"ascii\" RangeMin=\"1\" RangeMax=\"1\">\n"
        "          0 0 1 0 0 1\n          0 0 1 0 0 1\n"
        "        </DataArray>\n      </PointData>\n      <CellData>\n      </CellData>\n"
        "      <Points>\n"
        "        <DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
        "format=\"ascii\" RangeMin=\"0.70710678119\" RangeMax=\"0.70710678119\">\n"
        "          -0.5 -0.5 0 0.5 -0.5 0\n          -0.5 0.5 0 0.5 0.5 0\n"
        "          <InformationKey name=\"L2_NORM_RANGE\" location=\"vtkDataArray\" "
        "length=\"2\">\n            <Value index=\"0\">\n              0.70710678119\n"
        "            </Value>\n            <Value index=\"1\">\n              0.70710678119\n"
        "            </Value>\n          </InformationKey>\n"
        "        </DataArray>\n      </Points>\n"
        "      <Verts>\n        <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\" "
        "RangeMin=\"1e+299\" RangeMax=\"-1e+299\">\n        </DataArray>\n"
        "        <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\" RangeMin=\"1e+299\" "
        "RangeMax=\"-1e+299\">\n        </DataArray>\n      </Verts>\n"
        "      <Lines>\n        <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\" "
        "RangeMin=\"1e+299\" RangeMax=\"-1e+299\">\n        </DataArray>\n      </Lines>\n"
        "      <Strips>\n        <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\" "
        "RangeMin=\"1e+299\" RangeMax=\"-1e+299\">\n        </DataArray>\n      </Strips>\n"
        "      <Polys>\n        <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\" "
        "RangeMin=\"0\" RangeMax=\"3\">\n          0 1 3 2\n        </DataArray>\n"
        "        <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\" RangeMin=\"4\" "
        "RangeMax=\"4\">\n          4\n        </DataArray>\n      </Polys>\n"
        "    </Piece>\n  </PolyData>\n</VTKFile>\n";
    HedMesh mesh = parse(TEXT, strlen(TEXT));
    cr_assert(mesh.vertex_count == 4 && mesh.triangle_count == 2);
    expect_triangle(&mesh, 0, 0, 1, 3);
    expect_triangle(&mesh, 1, 0, 3, 2);
    cr_assert(mesh.vertices[3].x == 0.5 && mesh.vertices[3].y == 0.5);
    hed_mesh_free(&mesh);
}

// The message names the byte where a part of the text begins, NULL if it names none.
static void expect_failure(const char* text, HedStatus expected, const char* place,
                           const char* rule) {
    HedMesh mesh = {0};
    HedError error = {0};
    char message[240];
    HedStatus status = hed_mesh_parse(text, strlen(text), "vtp", "f", &mesh, &error);
    snprintf(message, sizeof message, "f: %s", rule);
    if (place) {
        cr_assert_not_null(strstr(text, place));
        snprintf(message, sizeof message, "f: byte %td: %s", strstr(text, place) - text, rule);
    }
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

#define CORNERS "<DataArray type=\"Int32\" Name=\"connectivity\""
#define ENDS "<DataArray type=\"Int32\" Name=\"offsets\""

Test(vtp_mesh, refused) {
    expect_failure("hello", HED_PARSE, NULL, "is no VTK file: it has no <VTKFile>");
    expect_failure(HEAD POINTS, HED_NOT_FOUND, NULL, "holds no faces");
    expect_failure(HEAD POINTS CELLS("Lines", "0 1", "2"), HED_NOT_FOUND, NULL, "holds no faces");
    expect_failure(HEAD POINTS CELLS("Strips", "0 1 2 3", "4"), HED_UNSUPPORTED, CORNERS,
                   "triangle strips are not read; save triangles");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 2", "4"), HED_PARSE, ENDS,
                   "the end of polygon 0 must be a whole number from 0 to 3, got 4");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 2 0 2 3", "3 2"), HED_PARSE, ENDS,
                   "the end of polygon 1 must be a whole number from 3 to 6, got 2");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 2", "2.5"), HED_PARSE, ENDS,
                   "the end of polygon 0 must be a whole number from 0 to 3, got 2.5");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 6", "3"), HED_PARSE, CORNERS,
                   "points of polygon 0 must be whole numbers below 6, got 6");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 -1", "3"), HED_PARSE, CORNERS,
                   "points of polygon 0 must be whole numbers below 6, got -1");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 0.5", "3"), HED_PARSE, CORNERS,
                   "points of polygon 0 must be whole numbers below 6, got 0.5");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 2 3", "2 4"), HED_PARSE, ENDS,
                   "a face needs at least 3 points, polygon 0 has 2");
    expect_failure(HEAD POINTS CELLS("Polys", "0 1 2 3", "3"), HED_PARSE, CORNERS,
                   "4 corners, the last polygon ends at 3");
    expect_failure(HEAD POINTS CELLS("Polys", "0 0 1", "3"), HED_PARSE, NULL,
                   "all 1 triangles name a vertex twice");
    expect_failure(HEAD POINTS CELLS("Polys", "0 nan 1", "3"), HED_PARSE, "nan",
                   "expected a finite number, got 'nan'");
}

// The Piece says how much there is: a file that lacks some of it is not taken for a smaller one.
Test(vtp_mesh, counts_of_the_piece) {
    expect_failure(HEAD "<Piece NumberOfPoints='7'>" POINTS CELLS("Polys", "0 1 2", "3"), HED_PARSE,
                   "<DataArray type=\"Float32\"", "NumberOfPoints is 7, the array here holds 6");
    expect_failure(HEAD "<Piece NumberOfPolys='2'>" POINTS CELLS("Polys", "0 1 2", "3"), HED_PARSE,
                   ENDS, "NumberOfPolys is 2, the array here holds 1");
    expect_failure(HEAD "<Piece NumberOfPolys='1'>" POINTS CELLS("Polys", "", ""), HED_PARSE, ENDS,
                   "NumberOfPolys is 1, the array here holds 0");
    expect_failure(HEAD "<Piece NumberOfLines='x'>" POINTS CELLS("Polys", "0 1 2", "3"), HED_PARSE,
                   "<Piece", "NumberOfLines must be a count, got 'x'");
}

static HedStatus read_ascii(void) {
    HedMesh mesh = {0};
    HedStatus status = hed_mesh_parse(ASCII, strlen(ASCII), "vtp", "f", &mesh, NULL);
    hed_mesh_free(&mesh);
    return status;
}

Test(vtp_mesh, survives_a_lack_of_memory) {
    expect_no_memory(read_ascii, 8);
}
