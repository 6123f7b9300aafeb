// SPDX-License-Identifier: MIT
// Files of yarns (.yarns), made by hand: what is read, and what is refused at which byte.
#include "base/alloc.h"
#include "heddle/file.h"
#include "support/logs.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 2048 };

typedef struct Bytes {
    char data[ROOM];
    size_t size;
} Bytes;

static void put(Bytes* bytes, const void* data, size_t size) {
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_chunk(Bytes* bytes, const char* tag, const void* data, uint32_t size) {
    put(bytes, tag, 4);
    put(bytes, &size, sizeof size);
    put(bytes, data, size);
}

typedef struct Yarn {
    uint32_t begin, end;
    float radius;
    uint8_t color[4];
} Yarn;

static const float POINTS[6][3] = {{0, 0, 0}, {8, 0, 0}, {8, 8, 0},
                                   {0, 8, 8}, {3, 0, 0}, {3, 2, 0}};
static const uint32_t SOURCES[6] = {7, 7, 7, 9, 9, 9};
static const Yarn YARNS[2] = {{0, 4, 0.25f, {255, 128, 0, 255}}, {4, 6, 0.5f, {1, 2, 3, 0}}};

// Chunks at bytes 0, 80 and 112; the first yarn's row is at byte 120.
static Bytes small_file(void) {
    Bytes bytes = {.size = 0};
    put_chunk(&bytes, "f3..", POINTS, sizeof POINTS);
    put_chunk(&bytes, "src.", SOURCES, sizeof SOURCES);
    put_chunk(&bytes, "yarn", YARNS, sizeof YARNS);
    return bytes;
}

static HedCurves parse(const Bytes* bytes) {
    HedCurves curves = {0};
    HedError error = {0};
    logs_begin();
    HedStatus status = hed_curves_parse(bytes->data, bytes->size, "yarns", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

static void expect_failure(const Bytes* bytes, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse(bytes->data, bytes->size, "yarns", "f", &curves, &error);
    cr_assert_eq(status, HED_PARSE, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert(!curves.vertices && !curves.curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g)", x.x, x.y, x.z);
}

// The quadratic B-spline with control points a, b, c passes (a + 6 b + c) / 8 half-way along the
// piece of b. All numbers are short in binary: equality is exact.
Test(yarns_file, goes_through_places_of_the_spline) {
    Bytes bytes = small_file();
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 2);
    cr_assert_eq(curves.vertex_count, 6);
    HedCurve first = curves.curves[0], second = curves.curves[1];
    cr_assert(first.first == 0 && first.count == 4 && !first.is_closed && first.radius == 0.25);
    cr_assert_eq(first.color, 0xFF8000);
    cr_assert(second.first == 4 && second.count == 2 && second.radius == 0.5);
    cr_assert_eq(second.color, 0x010203);
    expect_point(curves.vertices[0], 0, 0, 0);
    expect_point(curves.vertices[1], 7, 1, 0);
    expect_point(curves.vertices[2], 7, 7, 1);
    expect_point(curves.vertices[3], 0, 8, 8);
    expect_point(curves.vertices[4], 3, 0, 0);
    expect_point(curves.vertices[5], 3, 2, 0);
    cr_assert_str_empty(logs);
    hed_curves_free(&curves);
}

// A name of five bytes leaves what follows without alignment.
Test(yarns_file, tells_what_checkpoints_ask_for) {
    Bytes bytes = small_file();
    static const struct {
        uint32_t begin, end;
        float length;
    } UNITS[2] = {{0, 1, 1.0f}, {1, 5, 0.5f}};
    static const struct {
        uint32_t point;
        float amount;
        uint32_t unit;
    } CHECKPOINTS[3] = {{0, 2.0f, 1}, {0, 1.5f, 0}, {4, 0.25f, 0}};
    put_chunk(&bytes, "strs", "1loop", 5);
    put_chunk(&bytes, "unit", UNITS, sizeof UNITS);
    put_chunk(&bytes, "chk.", CHECKPOINTS, sizeof CHECKPOINTS);
    size_t at = bytes.size - sizeof CHECKPOINTS[0];
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 2);
    cr_assert_str_eq(logs, "f: 3 checkpoints ask for 2.75 units of yarn at rest; they are passed "
                           "over\n");
    hed_curves_free(&curves);
    bytes.data[at] = 6;
    expect_failure(&bytes,
                   "f: byte 229: checkpoint 2 must name one of 6 points and one of 2 units, "
                   "got point 6, unit 0, amount 0.25");
    cr_assert_eq(at, 229);
    bytes.data[at] = 4;
    bytes.data[189] = 6; // end of the second unit's name
    expect_failure(&bytes, "f: byte 185: name of unit 1 must lie in 5 bytes, got 1 to 6");
}

Test(yarns_file, passes_over_what_it_does_not_know) {
    Bytes bytes = {.size = 0};
    put_chunk(&bytes, "f3..", POINTS, sizeof POINTS);
    put_chunk(&bytes, "more", "abc", 3);
    put_chunk(&bytes, "yarn", YARNS, sizeof YARNS[0]);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.vertex_count, 4);
    cr_assert_str_eq(logs, "f: byte 80: chunk 'more' of 3 bytes passed over\n"
                           "f: 2 points are in no yarn\n");
    hed_curves_free(&curves);
}

Test(yarns_file, refuses_bad_chunks) {
    Bytes bytes = small_file();
    Bytes bad = bytes;
    bad.size = 3;
    expect_failure(&bad, "f: byte 0: must begin with 'f3..', got 'f3.'");
    bad = bytes;
    bad.size -= 1;
    expect_failure(&bad, "f: byte 112: chunk 'yarn' has 32 bytes, the file has 31 more");
    bad = bytes;
    put(&bad, "abc", 3);
    expect_failure(&bad, "f: cut short at byte 152: tag and size of a chunk need 8 bytes, got 3");
    bad = bytes;
    put_chunk(&bad, "yarn", YARNS, sizeof YARNS);
    expect_failure(&bad, "f: byte 152: a second chunk 'yarn'");
    bad = bytes;
    bad.size = 112;
    expect_failure(&bad, "f: has no chunk 'yarn'");
    put_chunk(&bad, "yarn", YARNS, 17);
    expect_failure(&bad, "f: byte 112: chunk 'yarn' must be a multiple of 16 bytes, got 17");
    bad = (Bytes){.size = 0};
    put_chunk(&bad, "f3..", POINTS, sizeof POINTS);
    put_chunk(&bad, "src.", SOURCES, 20);
    put_chunk(&bad, "yarn", YARNS, sizeof YARNS);
    expect_failure(&bad, "f: byte 88: 5 source lines must be as many as the points, 6");
    uint32_t huge = 0xFFFFFFFC;
    bad = bytes;
    memcpy(bad.data + 4, &huge, sizeof huge);
    expect_failure(&bad, "f: byte 0: chunk 'f3..' has 4294967292 bytes, the file has 144 more");
}

static void expect_bad_yarn(Yarn yarn, const char* message) {
    Bytes bytes = small_file();
    memcpy(bytes.data + 136, &yarn, sizeof yarn);
    expect_failure(&bytes, message);
}

Test(yarns_file, refuses_bad_yarns_and_points) {
    expect_bad_yarn((Yarn){4, 7, 0.5f, {0}},
                    "f: byte 136: yarn 1 must have points from 0 to 6, got 4 to 7");
    expect_bad_yarn((Yarn){5, 4, 0.5f, {0}},
                    "f: byte 136: yarn 1 must have points from 0 to 6, got 5 to 4");
    expect_bad_yarn((Yarn){4, 6, -1.0f, {0}},
                    "f: byte 144: radius of yarn 1 must not be negative, got -1");
    expect_bad_yarn((Yarn){3, 6, 0.5f, {0}},
                    "f: byte 136: yarns 0 to 1 have 7 points, the file has "
                    "6: some are in two yarns");
    Bytes bytes = small_file();
    float nan = NAN;
    memcpy(bytes.data + 8 + 12 * 5 + 4, &nan, sizeof nan);
    expect_failure(&bytes, "f: byte 68: point 5 must be finite, got (3, nan, 0)");
}

static HedStatus read_small_file(void) {
    Bytes bytes = small_file();
    HedCurves curves = {0};
    HedStatus status = hed_curves_parse(bytes.data, bytes.size, "yarns", "f", &curves, NULL);
    hed_curves_free(&curves);
    return status;
}

Test(yarns_file, survives_a_lack_of_memory) {
    expect_no_memory(read_small_file, 2);
}
