// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/text.h"
#include "heddle/file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char last_log[HED_ERROR_TEXT];

static void keep_log(HedLogLevel level, const char* message, void* context) {
    (void)level;
    (void)context;
    snprintf(last_log, sizeof last_log, "%s", message);
}

static HedMesh parse_bytes(const void* data, size_t size) {
    HedMesh mesh = {0};
    HedError error = {0};
    last_log[0] = '\0';
    hed_log_set_hook(keep_log, NULL);
    cr_assert_eq(hed_mesh_parse(data, size, "ply", "f", &mesh, &error), HED_OK, "%s",
                 error.message);
    return mesh;
}

static HedMesh parse(const char* text) {
    return parse_bytes(text, strlen(text));
}

static void expect_bytes_failure(const void* data, size_t size, const char* message) {
    HedMesh mesh = {0};
    HedError error = {0};
    HedStatus status = hed_mesh_parse(data, size, "ply", "f", &mesh, &error);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(status, HED_PARSE);
    cr_assert_null(mesh.vertices);
    cr_assert_null(mesh.triangles);
    cr_assert_null(mesh.uv);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_failure(const char* text, const char* message) {
    expect_bytes_failure(text, strlen(text), message);
}

static void expect_square(const HedMesh* mesh) {
    static const double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -2}};
    static const int32_t TRIANGLES[6] = {0, 1, 2, 0, 2, 3};
    cr_assert_eq(mesh->vertex_count, 4);
    cr_assert_eq(mesh->triangle_count, 2);
    for (int32_t i = 0; i < 4; ++i) {
        cr_assert_eq(mesh->vertices[i].x, X[i][0]);
        cr_assert_eq(mesh->vertices[i].y, X[i][1]);
        cr_assert_eq(mesh->vertices[i].z, X[i][2]);
    }
    for (int32_t i = 0; i < 6; ++i) {
        cr_assert_eq(mesh->triangles[i], TRIANGLES[i]);
    }
}

#define ASCII "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACE "property list uchar int vertex_indices\n"
#define SQUARE ASCII "element vertex 4\n" XYZ "element face 1\n" FACE "end_header\n"
#define ROWS "0 0 0\n1 0 0\n1 1 0\n0 1 -2\n"

Test(ply, ascii) {
    HedMesh mesh = parse(SQUARE ROWS "4 0 1 2 3\n");
    expect_square(&mesh);
    cr_assert_null(mesh.uv);
    cr_assert_eq(last_log[0], '\0');
    hed_mesh_free(&mesh);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(ply, ascii_without_last_line_end_and_with_blank_lines) {
    HedMesh mesh = parse(SQUARE "\n0 0 0\n\n1 0 0\r\n1 1 0\r0 1 -2 \n  4 0 1 2 3");
    expect_square(&mesh);
    hed_mesh_free(&mesh);
}

Test(ply, carriage_returns) {
    HedMesh mesh = parse("ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info 1\r\n"
                         "element vertex 4\r\nproperty int x\r\nproperty short y\r\n"
                         "property char z\r\nelement face 1\r\n"
                         "property list uint8 uint32 vertex_index\r\nend_header\r\n"
                         "0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 -2\r\n4 0 1 2 3\r\n");
    expect_square(&mesh);
    hed_mesh_free(&mesh);
}

Test(ply, unknown_properties_and_elements_are_skipped) {
    HedMesh mesh =
        parse(ASCII "element camera 2\nproperty list int double curve\nproperty int id\n"
                    "element nothing 500000000\n"
                    "element vertex 4\nproperty uchar red\nproperty double z\n"
                    "property list char float noise\nproperty double y\nproperty double x\n"
                    "element face 1\nproperty int group\n" FACE
                    "property list uchar float texcoord\nelement edge 1\n"
                    "property int vertex1\nend_header\n"
                    "2 nan 1.5 7\n0 8\n"
                    "255 0 0 0 0\n255 0 1 9 0 1\n1 0 0 1 1\n3 -2 2 1 2 1 0\n"
                    "-1 4 0 1 2 3 2 0.5 0.5\n12\n");
    expect_square(&mesh);
    cr_assert_null(mesh.uv);
    hed_mesh_free(&mesh);
}

Test(ply, faces_before_vertices) {
    HedMesh mesh = parse(ASCII "element face 1\n" FACE "element vertex 4\n" XYZ
                               "end_header\n4 0 1 2 3\n" ROWS);
    expect_square(&mesh);
    hed_mesh_free(&mesh);
}

Test(ply, texture_coordinates) {
    static const char* const PAIRS[3][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (int32_t i = 0; i < 3; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 ASCII "element vertex 3\nproperty float %s\n" XYZ "property float %s\n"
                       "element face 1\n" FACE
                       "end_header\n0.25 0 0 0 1\n0.5 1 0 0 2\n0.75 0 1 0 3\n3 0 1 2\n",
                 PAIRS[i][0], PAIRS[i][1]);
        HedMesh mesh = parse(text);
        static const double EXPECTED[6] = {0.25, 1, 0.5, 2, 0.75, 3};
        cr_assert_not_null(mesh.uv);
        for (int32_t j = 0; j < 6; ++j) {
            cr_assert_eq(mesh.uv[j], EXPECTED[j]);
        }
        hed_mesh_free(&mesh);
    }
}

// Of the corners of faces, before or behind their indices. A quadrilateral becomes two triangles; a
// face without them takes those of its vertices.
Test(ply, texture_coordinates_of_corners) {
    HedMesh mesh = parse(ASCII "element vertex 4\n" XYZ "element face 2\n"
                               "property list uchar double texcoord\n" FACE "end_header\n" ROWS
                               "8 1 2 3 4 5 6 7 8 4 0 1 2 3\n6 -1 -2 -3 -4 -5 -6 3 2 1 0\n");
    static const double CORNERS[18] = {1, 2, 3, 4, 5, 6, 1, 2, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6};
    cr_assert_eq(mesh.triangle_count, 3);
    cr_assert_arr_eq(mesh.uv, CORNERS, sizeof CORNERS);
    hed_mesh_free(&mesh);

    mesh = parse(ASCII "element vertex 4\n" XYZ "property float s\nproperty float t\n"
                       "element face 2\n" FACE "property list uchar float texcoord\nend_header\n"
                       "0 0 0 10 11\n1 0 0 12 13\n1 1 0 14 15\n0 1 -2 16 17\n"
                       "3 0 1 2 0\n3 0 2 3 6 1 2 3 4 5 6\n");
    static const double MIXED[12] = {10, 11, 12, 13, 14, 15, 1, 2, 3, 4, 5, 6};
    cr_assert_arr_eq(mesh.uv, MIXED, sizeof MIXED);
    hed_mesh_free(&mesh);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// Those of some faces alone are left out, with a note, as of OBJ; bad ones are named.
Test(ply, texture_coordinates_of_some_corners) {
#define CORNER_UV                                                                                  \
    ASCII "element vertex 4\n" XYZ "element face 2\n" FACE                                         \
          "property list uchar float texcoord\nend_header\n" ROWS
    HedMesh mesh = parse(CORNER_UV "3 0 1 2 6 1 2 3 4 5 6\n3 0 2 3 5 1 2 3 4 5\n");
    cr_assert_eq(mesh.triangle_count, 2);
    cr_assert_null(mesh.uv);
    cr_assert_not_null(strstr(last_log, "corners without them"), "%s", last_log);
    hed_mesh_free(&mesh);
    expect_failure(CORNER_UV "3 0 1 2 6 1 2 nan 4 5 6\n3 0 2 3 0\n",
                   "f:15: expected a finite number, got 'nan'");
    expect_failure(CORNER_UV "3 0 1 2 6 1 2 3\n3 0 2 3 0\n",
                   "f:15: the row has too few values, got '3 0 1 2 6 1 2 3'");
}

// All eight types, big-endian, written out by hand. 1.0f is 3F800000, 1.0 is 3FF0000000000000,
// -2.0 is C000000000000000.
static const char BIG[] =
    "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty ushort skipped\n"
    "property short x\nproperty float32 y\nproperty float64 z\n"
    "element junk 1\nproperty list ushort short a\nproperty char b\n"
    "element face 1\nproperty list uint8 uint16 vertex_indices\nproperty uint c\nend_header\n";
static const unsigned char BIG_ROWS[] = {
    1, 2, 0, 0, 0,    0,    0,    0, 0,    0,    0,    0,    0,    0, 0, 0, // 0 0 0
    1, 2, 0, 1, 0,    0,    0,    0, 0,    0,    0,    0,    0,    0, 0, 0, // 1 0 0
    1, 2, 0, 1, 0x3F, 0x80, 0,    0, 0,    0,    0,    0,    0,    0, 0, 0, // 1 1 0
    1, 2, 0, 0, 0x3F, 0x80, 0,    0, 0xC0, 0,    0,    0,    0,    0, 0, 0, // 0 1 -2
    0, 2, 1, 2, 3,    4,    0xFF,                                           // two shorts and a char
    4, 0, 0, 0, 1,    0,    2,    0, 3,    0xFF, 0xFF, 0xFF, 0xFF,          // a face and an uint
};
enum { BIG_SIZE = sizeof BIG - 1 + sizeof BIG_ROWS };

static void fill_big(char bytes[BIG_SIZE]) {
    memcpy(bytes, BIG, sizeof BIG - 1);
    memcpy(bytes + sizeof BIG - 1, BIG_ROWS, sizeof BIG_ROWS);
}

Test(ply, big_endian) {
    char bytes[BIG_SIZE];
    fill_big(bytes);
    HedMesh mesh = parse_bytes(bytes, BIG_SIZE);
    expect_square(&mesh);
    hed_mesh_free(&mesh);
}

Test(ply, every_cut_is_seen) {
    char bytes[BIG_SIZE];
    fill_big(bytes);
    for (size_t size = 0; size < BIG_SIZE; ++size) {
        HedMesh mesh = {0};
        HedError error = {0};
        cr_assert_eq(hed_mesh_parse(bytes, size, "ply", "f", &mesh, &error), HED_PARSE, "%zu bytes",
                     size);
        cr_assert_eq(strncmp(error.message, "f:", 2), 0);
        cr_assert_null(mesh.vertices);
    }
    char message[128];
    snprintf(message, sizeof message, "f: byte %d: the file is cut short", BIG_SIZE - 4);
    expect_bytes_failure(bytes, BIG_SIZE - 1, message);
    expect_bytes_failure(bytes, sizeof BIG - 1 + 20,
                         "f:3: cut short: 4 rows of element 'vertex' need at least 64 bytes, "
                         "20 are left");
    expect_bytes_failure(bytes, 40, "f:3: cut short: no end_header");
}

// 0.5f is 3F000000. The first byte of the data is a line feed: it belongs to the data, not to the
// end of the header, for every kind of line end.
static const unsigned char LITTLE_ROWS[] = {
    '\n', 0, 0, 0, 0x3F, 0, 0, 0, 0x3F, 0, 0, 0, 0, // a byte, then 0.5 0.5 0
    1,    0, 0, 0, 0,    0, 0, 0, 0,    0, 0, 0, 0, 2, 0, 0, 0x80, 0x3F, 0, 0,
    0,    0, 0, 0, 0,    0, 3, 0, 0,    0, 0, 1, 0, 0, 0, 2, 0,    0,    0,
};

static void check_little(const char* line_end) {
    static const char* const LINES[] = {"ply",
                                        "format binary_little_endian 1.0",
                                        "element vertex 3",
                                        "property uchar first",
                                        "property float x",
                                        "property float y",
                                        "property float z",
                                        "element face 1",
                                        "property list uchar int vertex_indices",
                                        "end_header"};
    char bytes[512];
    size_t used = 0;
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; ++i) {
        used += (size_t)snprintf(bytes + used, sizeof bytes - used, "%s%s", LINES[i], line_end);
    }
    memcpy(bytes + used, LITTLE_ROWS, sizeof LITTLE_ROWS);
    HedMesh mesh = parse_bytes(bytes, used + sizeof LITTLE_ROWS);
    cr_assert_eq(mesh.vertices[0].x, 0.5);
    cr_assert_eq(mesh.vertices[0].y, 0.5);
    cr_assert_eq(mesh.vertices[2].x, 1.0);
    cr_assert_eq(mesh.triangles[2], 2);
    hed_mesh_free(&mesh);
}

Test(ply, little_endian_data_that_starts_with_a_line_feed) {
    check_little("\n");
    check_little("\r\n");
    check_little("\r");
}

Test(ply, not_finite_in_binary) {
    char bytes[BIG_SIZE];
    char message[128];
    fill_big(bytes);
    size_t y = sizeof BIG - 1 + 4;
    memcpy(bytes + y, "\x7F\x80\x00\x00", 4);
    snprintf(message, sizeof message, "f: byte %zu: a vertex must be finite, got inf", y);
    expect_bytes_failure(bytes, BIG_SIZE, message);
    memcpy(bytes + y, "\x7F\xC0\x00\x00", 4);
    snprintf(message, sizeof message, "f: byte %zu: a vertex must be finite, got nan", y);
    expect_bytes_failure(bytes, BIG_SIZE, message);
}

Test(ply, bad_binary_faces) {
    char bytes[BIG_SIZE];
    char message[128];
    fill_big(bytes);
    size_t face = BIG_SIZE - 13;
    bytes[face + 2] = 4;
    snprintf(message, sizeof message, "f: byte %zu: index of a vertex is out of range, got 4",
             face + 1);
    expect_bytes_failure(bytes, BIG_SIZE, message);
    bytes[face] = 2;
    snprintf(message, sizeof message, "f: byte %zu: a face needs at least 3 vertices, got 2", face);
    expect_bytes_failure(bytes, BIG_SIZE, message);
    bytes[face] = 100;
    bytes[face + 2] = 0;
    HedMesh mesh = {0};
    cr_assert_eq(hed_mesh_parse(bytes, BIG_SIZE, "ply", "f", &mesh, NULL), HED_PARSE);
}

Test(ply, bytes_after_the_rows) {
    HedMesh mesh = parse(SQUARE ROWS "4 0 1 2 3\n3 0 1 2\n");
    cr_assert_str_eq(last_log, "f: 7 bytes after the last row were not read");
    hed_mesh_free(&mesh);
    mesh = parse(SQUARE ROWS "4 0 1 2 3\n\n \r\n");
    cr_assert_eq(last_log[0], '\0');
    hed_mesh_free(&mesh);
}

Test(ply, bad_headers) {
    expect_failure("", "f:1: a PLY file starts with 'ply', got ''");
    expect_failure("plx\n", "f:1: a PLY file starts with 'ply', got 'plx'");
    expect_failure("ply", "f:1: cut short: no end_header");
    expect_failure("ply\nend_header\n", "f:2: the format is missing, got 'end_header'");
    expect_failure("ply\nformat binary 1.0\n",
                   "f:2: format must be ascii, binary_little_endian or binary_big_endian, got "
                   "'binary 1.0'");
    expect_failure("ply\nformat ascii 2.0\n", "f:2: format version must be 1.0, got 'ascii 2.0'");
    expect_failure(ASCII "format ascii 1.0\n", "f:3: the format is given twice, got 'ascii 1.0'");
    expect_failure(ASCII "elephant\n",
                   "f:3: expected format, element, property, comment or end_header, got "
                   "'elephant'");
    expect_failure(ASCII "property float x\n",
                   "f:3: a property must follow an element, got 'property float x'");
    expect_failure(ASCII "element\n", "f:3: expected 'element NAME COUNT', got 'element'");
    expect_failure(ASCII "element vertex\n", "f:3: count of rows must be 0 to 536870911, got ''");
    expect_failure(ASCII "element vertex -1\n",
                   "f:3: count of rows must be 0 to 536870911, got '-1'");
    expect_failure(ASCII "element vertex 536870912\n",
                   "f:3: count of rows must be 0 to 536870911, got '536870912'");
    expect_failure(ASCII "element vertex 1\nelement vertex 2\n",
                   "f:4: the element is declared twice, got 'vertex'");
    expect_failure(ASCII "element vertex 1\nproperty half x\n",
                   "f:4: unknown type of property, got 'half'");
    expect_failure(ASCII "element vertex 1\nproperty float\n",
                   "f:4: a property needs a name, got 'property float'");
    expect_failure(ASCII "element face 1\nproperty list float int vertex_indices\n",
                   "f:4: length of a list must have an integer type, got 'float'");
    expect_failure(ASCII "element face 1\nproperty list uchar\n",
                   "f:4: unknown type of property, got ''");
}

Test(ply, missing_parts) {
    expect_failure(ASCII "element face 0\n" FACE "end_header\n",
                   "f:5: the header has no element 'vertex'");
    expect_failure(ASCII "element vertex 0\n" XYZ "end_header\n",
                   "f:7: the header has no element 'face'");
    expect_failure(ASCII "element vertex 0\nproperty float x\nproperty list uchar float y\n"
                         "property float z\nelement face 0\n" FACE "end_header\n",
                   "f:3: element 'vertex' has no property 'y'");
    expect_failure(ASCII "element vertex 0\n" XYZ "element face 0\nproperty int a\nend_header\n",
                   "f:7: element 'face' has no list of integers 'vertex_indices' or "
                   "'vertex_index'");
    expect_failure(ASCII "element vertex 0\n" XYZ "element face 0\n"
                         "property list uchar float vertex_index\nend_header\n",
                   "f:7: element 'face' has no list of integers 'vertex_indices' or "
                   "'vertex_index'");
    expect_failure(ASCII "element vertex 0\n" XYZ "element face 0\nend_header\n",
                   "f:7: element 'face' has no list of integers 'vertex_indices' or "
                   "'vertex_index'");
    HedMesh mesh = {0};
    HedError error = {0};
    static const char HOLLOW[] =
        ASCII "element vertex 0\n" XYZ "element face 0\n" FACE "end_header\n";
    cr_assert_eq(hed_mesh_parse(HOLLOW, sizeof HOLLOW - 1, "ply", "f", &mesh, &error),
                 HED_NOT_FOUND);
    cr_assert_str_eq(error.message, "f: holds no faces (0 vertices)");
    static const char STRIPS[] =
        ASCII "element vertex 0\n" XYZ "element tristrips 1\n" FACE "end_header\n3 0 1 2\n";
    cr_assert_eq(hed_mesh_parse(STRIPS, strlen(STRIPS), "ply", "f", &mesh, &error),
                 HED_UNSUPPORTED);
    cr_assert_str_eq(error.message, "f: triangle strips are not read, only faces");
}

Test(ply, bad_ascii_rows) {
    expect_failure(SQUARE "0 0 0\n1 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
                   "f:11: the row has too few values, got '1 0'");
    expect_failure(SQUARE "0 0 0 9\n" ROWS, "f:10: the row has too many values, got '0 0 0 9'");
    expect_failure(SQUARE "0 0 nan\n" ROWS, "f:10: expected a finite number, got 'nan'");
    expect_failure(SQUARE "0 0 1e999\n" ROWS, "f:10: expected a finite number, got '1e999'");
    expect_failure(SQUARE ROWS "2 0 1\n", "f:14: a face needs at least 3 vertices, got '2'");
    expect_failure(SQUARE ROWS "3 0 1 4\n", "f:14: index of a vertex is out of range, got '4'");
    expect_failure(SQUARE ROWS "3 0 1 -1\n", "f:14: index of a vertex is out of range, got '-1'");
    expect_failure(SQUARE ROWS "3 0 1 1.5\n", "f:14: expected a whole number, got '1.5'");
    expect_failure(SQUARE ROWS "-3 0 1 2\n", "f:14: length of a list is out of range, got '-3'");
    expect_failure(SQUARE ROWS "4 0 1 2\n", "f:14: the row has too few values, got '4 0 1 2'");
    expect_failure(SQUARE ROWS "\n", "f:14: cut short: missing rows of element, got 'face'");
    expect_failure(SQUARE "0 0 0\n",
                   "f:3: cut short: 4 rows of element 'vertex' need at least 24 bytes, 7 are left");
}

// A count that the file cannot hold must not size anything: the peak stays near the file's size.
Test(ply, declared_counts_are_not_believed) {
    static const char* const FILES[] = {
        ASCII "element vertex 500000000\n" XYZ "element face 1\n" FACE "end_header\n" ROWS,
        "ply\nformat binary_little_endian 1.0\nelement vertex 500000000\n" XYZ
        "element face 1\n" FACE "end_header\n" ROWS,
        "ply\nformat binary_little_endian 1.0\nelement vertex 0\n" XYZ
        "element face 1\nproperty list uint int vertex_indices\nend_header\n\xFF\xFF\xFF\x0F....",
        SQUARE ROWS "500000000 0 1 2 3\n",
    };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; ++i) {
        HedMesh mesh = {0};
        cr_assert_eq(hed_mesh_parse(FILES[i], strlen(FILES[i]), "ply", "f", &mesh, NULL),
                     HED_PARSE);
        cr_assert_lt(hed_alloc_stats().peak_bytes, 10000);
    }
}

Test(ply, every_allocation_may_fail) {
    static const char TEXT[] =
        ASCII "element vertex 3\n" XYZ "property float s\nproperty float t\nelement face 2\n" FACE
              "property list uchar float texcoord\nend_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n"
              "3 0 1 2 6 1 2 3 4 5 6\n3 0 1 2 0\n";
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedMesh mesh = {0};
        int64_t calls = hed_alloc_stats().call_count;
        hed_alloc_fail_at(n);
        status = hed_mesh_parse(TEXT, strlen(TEXT), "ply", "f", &mesh, NULL);
        hed_alloc_fail_at(0);
        cr_assert_eq(status, hed_alloc_stats().call_count - calls < n ? HED_OK : HED_NO_MEMORY);
        hed_mesh_free(&mesh);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}

// As for OBJ: processor time, linear far below and quadratic far above the bound.
Test(ply, no_quadratic_cost) {
    enum { SIZE = 1000000 };
    static const char* const HEADS[] = {"ply\n", ASCII, ASCII "element a 1\n", SQUARE, SQUARE ROWS};
    static const char* const PIECES[] = {
        "element a 1\n", "property int x\n", "element face 0\n", "\n", "1 ", "comment", "\r",
        "\xEF\xBB\xBF"};
    char* text = hed_alloc(SIZE + 512);
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; ++i) {
        for (size_t j = 0; j < sizeof PIECES / sizeof PIECES[0]; ++j) {
            size_t used = (size_t)snprintf(text, 512, "%s", HEADS[i]);
            for (size_t size = strlen(PIECES[j]); used < SIZE; used += size) {
                memcpy(text + used, PIECES[j], size);
            }
            HedMesh mesh = {0};
            clock_t start = clock();
            hed_mesh_parse(text, used, "ply", "f", &mesh, NULL);
            cr_assert_lt(clock() - start, 4 * CLOCKS_PER_SEC, "head %zu, pieces %zu", i, j);
            hed_mesh_free(&mesh);
        }
    }
    hed_free(text);
}
