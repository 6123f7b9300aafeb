// SPDX-License-Identifier: MIT
// Lines of VTK PolyData: what is read, from text and from raw bytes, and what is refused where.
#include "heddle/file.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAD "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n"
#define POINTS                                                                                     \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"             \
    "0 0 0 1 0 0 0 1 0 5 0 0 6 0 0.5</DataArray></Points>\n"
#define LINES(corners, ends)                                                                       \
    "<Lines><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" corners             \
    "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" ends              \
    "</DataArray></Lines>\n"

// A closed triangle and a pair, behind one vertex that is a cell, too.
static const char ASCII[] =
    "<?xml version=\"1.0\"?>\n" HEAD "<PolyData><Piece NumberOfVerts='1'>\n" POINTS
    "<Verts><DataArray type=\"Int32\" Name=\"connectivity\" "
    "format=\"ascii\">9</DataArray></Verts>" LINES(
        "0 1 2 0 3 4", "4 6") "<CellData><DataArray type=\"Float64\" Name=\"other\" "
                              "format=\"binary\">x</DataArray>\n"
                              "<DataArray type=\"Float64\" Name=\"radius\" format=\"ascii\">7 0.5 "
                              "0.25</DataArray>\n"
                              "<DataArray type=\"UInt8\" Name=\"color\" format=\"ascii\">9 9 9 255 "
                              "128 0 1 2 3</DataArray>"
                              "</CellData></Piece></PolyData></VTKFile>\n";

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g)", x.x, x.y, x.z);
}

static HedCurves parse(const char* data, size_t size) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(data, size, "vtp", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

Test(vtp_curves, numbers_in_the_text) {
    HedCurves curves = parse(ASCII, strlen(ASCII));
    cr_assert_eq(curves.curve_count, 2);
    HedCurve ring = curves.curves[0], line = curves.curves[1];
    cr_assert(ring.is_closed && ring.count == 3 && ring.radius == 0.5 && ring.color == 0xFF8000);
    cr_assert(!line.is_closed && line.count == 2 && line.radius == 0.25 && line.color == 0x010203);
    expect_point(curves.vertices[2], 0, 1, 0);
    expect_point(curves.vertices[4], 6, 0, 0.5);
    hed_curves_free(&curves);
}

// Three arrays behind the text, each after its size in four bytes: two points, a line, its end.
Test(vtp_curves, raw_bytes) {
    static const char TEXT[] =
        HEAD "<PolyData><Piece><Points><DataArray type=\"Float32\" format=\"appended\" "
             "offset=\"0\"/></Points>\n<Lines><DataArray type=\"UInt8\" Name=\"connectivity\" "
             "format=\"appended\" offset=\"28\"/>\n<DataArray type=\"Int16\" Name=\"offsets\" "
             "format=\"appended\" offset=\"34\"/></Lines></Piece></PolyData>\n"
             "<AppendedData encoding=\"raw\">\n   _";
    static const unsigned char BYTES[] = "\x18\0\0\0"
                                         "\0\0\0\0\0\0\0\0\0\0\0\0"
                                         "\0\0\x80\x3f\0\0\0\x40\0\0\0\xbf"
                                         "\x02\0\0\0\x01\0"
                                         "\x02\0\0\0\x02\0";
    char data[1024];
    memcpy(data, TEXT, sizeof TEXT - 1);
    memcpy(data + sizeof TEXT - 1, BYTES, sizeof BYTES - 1);
    size_t size = sizeof TEXT - 1 + sizeof BYTES - 1;
    HedCurves curves = parse(data, size);
    cr_assert(curves.curve_count == 1 && curves.vertex_count == 2);
    expect_point(curves.vertices[0], 1, 2, -0.5);
    expect_point(curves.vertices[1], 0, 0, 0);
    cr_assert(curves.curves[0].radius == 0.0 && curves.curves[0].color == HED_COLOR_NONE);
    hed_curves_free(&curves);
    for (size_t cut = sizeof TEXT - 1; cut < size; ++cut) { // whatever is missing is missed
        HedError error = {0};
        cr_assert_eq(hed_curves_parse(data, cut, "vtp", "f", &curves, &error), HED_PARSE);
        cr_assert_neq(error.message[0], '\0');
    }
}

// ParaView writes what it knows of an array into its tag, and the cells' next array follows.
Test(vtp_curves, tags_within_arrays) {
    static const char TEXT[] = HEAD "<Piece>" POINTS LINES(
        "0 1",
        "2") "<CellData>\n"
             "<DataArray type=\"Float64\" Name=\"length\" format=\"ascii\">1\n"
             "<InformationKey name=\"L2_NORM_RANGE\" location=\"vtkDataArray\" length=\"2\">\n"
             "<Value index=\"0\">1</Value><Value index=\"1\">1</Value></InformationKey>"
             "</DataArray>\n"
             "<DataArray type=\"Float64\" Name=\"radius\" format=\"ascii\">0.5\n"
             "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">m</InformationKey>"
             "</DataArray></CellData></Piece></VTKFile>";
    HedCurves curves = parse(TEXT, strlen(TEXT));
    cr_assert(curves.curve_count == 1 && curves.curves[0].radius == 0.5);
    hed_curves_free(&curves);
}

static void expect_failure(const char* text, HedStatus expected, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(text, strlen(text), "vtp", "f", &curves, &error);
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(vtp_curves, refused) {
    expect_failure("hello", HED_PARSE, "f: is no VTK file: it has no <VTKFile>");
    expect_failure("<VTKFile type=\"ImageData\">", HED_PARSE,
                   "f: byte 0: type must be PolyData, got 'ImageData'");
    expect_failure("<VTKFile type=\"PolyData\" byte_order=\"BigEndian\">", HED_UNSUPPORTED,
                   "f: byte 0: compressed and big-endian files are not read");
    expect_failure(HEAD POINTS, HED_NOT_FOUND, "f: holds no lines");
    expect_failure(HEAD POINTS LINES("0 1", "3"), HED_PARSE,
                   "f: byte 260: the end of line 0 must be a whole number from 0 to 2, got 3");
    expect_failure(HEAD POINTS LINES("0 5", "2"), HED_PARSE,
                   "f: byte 185: points of line 0 must be whole numbers below 5, got 5");
    expect_failure(HEAD POINTS LINES("0 0.5", "2"), HED_PARSE,
                   "f: byte 185: points of line 0 must be whole numbers below 5, got 0.5");
    expect_failure(HEAD "<Piece NumberOfVerts='-1'>" POINTS LINES("0 1", "2"), HED_PARSE,
                   "f: byte 52: NumberOfVerts must be a count, got '-1'");
    expect_failure(HEAD "<Piece></Piece><Piece>", HED_UNSUPPORTED,
                   "f: byte 67: more than one Piece");
    expect_failure(HEAD POINTS LINES("0 x", "2"), HED_PARSE,
                   "f: byte 246: expected a finite number, got 'x'");
    expect_failure(HEAD "<Points><DataArray type=\"Float32\" format=\"binary\">", HED_UNSUPPORTED,
                   "f: byte 60: data must be 'appended' or 'ascii', got 'binary'");
    expect_failure(HEAD "<Points><DataArray type=\"Text\" format=\"ascii\">", HED_PARSE,
                   "f: byte 60: type must be a float or an integer, got 'Text'");
    expect_failure(HEAD "<Points><DataArray type=\"Int8\" format=\"ascii\">1 2", HED_PARSE,
                   "f: byte 60: 2 values must come by 3");
    expect_failure(HEAD "<Points><DataArray type=\"Int8\" format=\"appended\" offset=\"9\">",
                   HED_PARSE, "f: byte 60: offset must lie in the appended data, got '9'");
    expect_failure(HEAD "<AppendedData encoding=\"base64\">_AA==", HED_UNSUPPORTED,
                   "f: byte 52: appended data must be raw, got 'base64'");
}

static HedStatus read_ascii(void) {
    HedCurves curves = {0};
    HedStatus status = hed_curves_parse(ASCII, strlen(ASCII), "vtp", "f", &curves, NULL);
    hed_curves_free(&curves);
    return status;
}

Test(vtp_curves, survives_a_lack_of_memory) {
    expect_no_memory(read_ascii, 5);
}
