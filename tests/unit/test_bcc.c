// SPDX-License-Identifier: MIT
// Binary curve collections: files made by hand byte for byte, what is refused and where, what is
// dropped, and how much memory a large file takes.
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/text.h"
#include "heddle/file.h"
#include "support/logs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Files made by hand ------------------------------------------------------------------------

enum { ROOM = 4096, HEADER = 64 };

// Bytes of a file; every number is put there digit by digit, lowest first, so that this does not
// lean on the machine.
typedef struct Bytes {
    unsigned char data[ROOM];
    size_t size;
} Bytes;

static void put(Bytes* bytes, uint64_t value, int32_t size) {
    for (int32_t i = 0; i < size; ++i) {
        bytes->data[bytes->size++] = (unsigned char)(value >> (8 * i));
    }
}

static void put_float(Bytes* bytes, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bytes, bits, 4);
}

static Bytes header(uint64_t curve_count, uint64_t point_count, int32_t up_axis) {
    Bytes bytes = {{'B', 'C', 'C', 0x44, 'C', '0', 3, (unsigned char)up_axis}, 8};
    put(&bytes, curve_count, 8);
    put(&bytes, point_count, 8);
    bytes.size = HEADER;
    return bytes;
}

static void put_curve(Bytes* bytes, int32_t count, int32_t point_count, const float (*points)[3]) {
    put(bytes, (uint32_t)count, 4);
    for (int32_t i = 0; i < 3 * point_count; ++i) {
        put_float(bytes, points[i / 3][i % 3]);
    }
}

static const float SQUARE[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 0, 0}};

static HedCurves parse(const Bytes* bytes) {
    HedCurves curves = {0};
    HedError error = {0};
    logs_begin();
    HedStatus status =
        hed_curves_parse((const char*)bytes->data, bytes->size, "bcc", "f", &curves, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return curves;
}

static void expect_failure(const Bytes* bytes, HedStatus expected, const char* message) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status =
        hed_curves_parse((const char*)bytes->data, bytes->size, "bcc", "f", &curves, &error);
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert(!curves.vertices && !curves.curves && curves.vertex_count == 0);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void expect_point(HedVec3 x, double a, double b, double c) {
    cr_assert(x.x == a && x.y == b && x.z == c, "(%g, %g, %g) is not (%g, %g, %g)", x.x, x.y, x.z,
              a, b, c);
}

// --- What is read --------------------------------------------------------------------------------

Test(bcc, bytes_of_a_small_file) {
    // one open curve of two points, (1, 2, 3) and (-0.5, 0, 1/3 as the nearest float)
    static const unsigned char FILE_BYTES[] = "BCC\x44"
                                              "C0\x03\x01"
                                              "\x01\0\0\0\0\0\0\0"
                                              "\x02\0\0\0\0\0\0\0"
                                              "0123456789012345678901234567890123456789"
                                              "\x02\0\0\0"
                                              "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"
                                              "\0\0\0\xbf\0\0\0\0\xab\xaa\xaa\x3e";
    HedCurves curves = {0};
    cr_assert_eq(
        hed_curves_parse((const char*)FILE_BYTES, sizeof FILE_BYTES - 1, "bcc", "f", &curves, NULL),
        HED_OK);
    cr_assert_eq(curves.curve_count, 1);
    cr_assert_eq(curves.vertex_count, 2);
    cr_assert_eq(curves.up_axis, 1);
    HedCurve curve = curves.curves[0];
    cr_assert(curve.first == 0 && curve.count == 2 && !curve.is_closed);
    cr_assert(curve.color == HED_COLOR_NONE && curve.radius == 0.0);
    expect_point(curves.vertices[0], 1.0, 2.0, 3.0);
    expect_point(curves.vertices[1], -0.5, 0.0, 11184811.0 / 33554432.0);
    hed_curves_free(&curves);
    hed_curves_free(&curves);
    hed_curves_free(NULL);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(bcc, open_and_closed) {
    Bytes bytes = header(3, 11, 1);
    put_curve(&bytes, 3, 3, SQUARE);
    put_curve(&bytes, -4, 4, SQUARE);
    put_curve(&bytes, 4, 4, SQUARE + 1);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 3);
    cr_assert_eq(curves.vertex_count, 11);
    static const int32_t FIRST[3] = {0, 3, 7};
    for (int32_t i = 0; i < 3; ++i) {
        cr_assert_eq(curves.curves[i].first, FIRST[i]);
        cr_assert_eq(curves.curves[i].is_closed, i == 1);
    }
    cr_assert_eq(hed_curve_segment_count(&curves.curves[0]), 2);
    cr_assert_eq(hed_curve_segment_count(&curves.curves[1]), 4);
    expect_point(curves.vertices[10], 0.0, 0.0, 0.0);
    cr_assert_str_empty(logs);
    hed_curves_free(&curves);
}

Test(bcc, repeated_points_are_dropped) {
    static const float POINTS[7][3] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                       {1, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    Bytes bytes = header(3, 19, 1);
    put_curve(&bytes, -7, 7, POINTS);
    put_curve(&bytes, 7, 7, POINTS);
    put_curve(&bytes, -5, 5, SQUARE);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 3);
    cr_assert_eq(curves.curves[0].count, 3, "closed: the last point repeats the first");
    cr_assert_eq(curves.curves[1].count, 4, "open: it may end where it began");
    cr_assert_eq(curves.curves[2].count, 4);
    expect_point(curves.vertices[1], 1.0, 0.0, 0.0);
    expect_point(curves.vertices[2], 1.0, 1.0, 0.0);
    cr_assert_str_eq(logs, "f: dropped 8 points that repeat their predecessor\n");
    hed_curves_free(&curves);
}

Test(bcc, short_curves_are_dropped) {
    static const float SAME[3][3] = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}};
    Bytes bytes = header(6, 12, 1);
    put_curve(&bytes, 2, 2, SQUARE);
    put_curve(&bytes, 0, 0, SQUARE);
    put_curve(&bytes, 1, 1, SQUARE);
    put_curve(&bytes, -2, 2, SQUARE);
    put_curve(&bytes, 3, 3, SAME);
    put_curve(&bytes, -4, 4, SQUARE);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 2);
    cr_assert_eq(curves.vertex_count, 6, "their points are gone as well");
    cr_assert_eq(curves.curves[1].first, 2);
    cr_assert_not_null(
        strstr(logs, "f: dropped 4 curves without two different points, or three if closed; the "
                     "first is curve 1\n"));
    hed_curves_free(&curves);
    bytes = header(1, 3, 1);
    put_curve(&bytes, 3, 3, SAME);
    expect_failure(&bytes, HED_PARSE,
                   "f: no curve has two different points, or three if closed; 1 curves read");
    bytes = header(0, 0, 1);
    expect_failure(&bytes, HED_PARSE,
                   "f: no curve has two different points, or three if closed; 0 curves read");
}

// The axis that is up becomes y. The triple product of three edges keeps its sign: nothing is
// mirrored.
Test(bcc, up_axis) {
    static const float CORNER[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    static const double EXPECTED[3][3][3] = {{{0, 1, 0}, {-2, 0, 0}, {0, 0, 3}},
                                             {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}},
                                             {{1, 0, 0}, {0, 0, -2}, {0, 3, 0}}};
    for (int32_t up = 0; up < 3; ++up) {
        Bytes bytes = header(1, 4, up);
        put_curve(&bytes, 4, 4, CORNER);
        HedCurves curves = parse(&bytes);
        cr_assert_eq(curves.up_axis, up);
        for (int32_t i = 0; i < 3; ++i) {
            const double* x = EXPECTED[up][i];
            expect_point(curves.vertices[1 + i], x[0], x[1], x[2]);
        }
        cr_assert(curves.vertices[up + 1].y > 0.0);
        cr_assert(!signbit(curves.vertices[0].x) && !signbit(curves.vertices[0].z), "no -0");
        const HedVec3* v = curves.vertices + 1;
        double triple = v[0].x * (v[1].y * v[2].z - v[1].z * v[2].y) -
                        v[0].y * (v[1].x * v[2].z - v[1].z * v[2].x) +
                        v[0].z * (v[1].x * v[2].y - v[1].y * v[2].x);
        cr_assert_eq(triple, 6.0);
        hed_curves_free(&curves);
    }
}

// --- What follows the curves ---------------------------------------------------------------------

static Bytes extended(float radius, int32_t extra) {
    Bytes bytes = header(2, 9, 1);
    put_curve(&bytes, 4, 4, SQUARE);
    put_curve(&bytes, -5, 5, SQUARE); // one is dropped, the extension counts it
    put_float(&bytes, radius);
    for (int32_t i = 0; i < 9 * 4; ++i) {
        put_float(&bytes, 0.25f);
    }
    put(&bytes, 0, extra);
    return bytes;
}

Test(bcc, extension_gives_the_radius) {
    Bytes bytes = extended(0.125f, 0);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.curve_count, 2);
    cr_assert_eq(curves.curves[0].radius, 0.125);
    cr_assert_eq(curves.curves[1].radius, 0.125);
    hed_curves_free(&curves);
}

Test(bcc, other_bytes_at_the_end_are_passed_over) {
    static const float RADII[] = {0.0f, -1.0f, NAN, INFINITY};
    for (int32_t i = 0; i < 5; ++i) {
        Bytes bytes = i < 4 ? extended(RADII[i], 0) : extended(0.125f, 1);
        HedCurves curves = parse(&bytes);
        cr_assert_eq(curves.curves[0].radius, 0.0);
        // 64 of the header, two counts, nine points; then a radius and four numbers per point
        cr_assert_not_null(strstr(logs, i < 4 ? "f: byte 180: 148 bytes after the last curve"
                                              : "f: byte 180: 149 bytes after the last curve"));
        hed_curves_free(&curves);
    }
}

// --- What is refused -----------------------------------------------------------------------------

Test(bcc, headers) {
    Bytes bytes = header(1, 4, 1);
    put_curve(&bytes, 4, 4, SQUARE);
    Bytes bad = bytes;
    bad.data[1] = 'Z';
    expect_failure(&bad, HED_PARSE, "f: byte 0: must begin with 'BCC', got 'BZC'");
    bad = bytes;
    bad.data[3] = 0x48;
    expect_failure(&bad, HED_UNSUPPORTED,
                   "f: byte 3: must be 0x44 (integers and floats of 4 bytes), got 0x48");
    bad = bytes;
    bad.data[4] = 'P';
    bad.data[5] = 'L';
    expect_failure(&bad, HED_UNSUPPORTED,
                   "f: byte 4: type must be 'C0' (uniform Catmull-Rom), got 'PL'");
    bad = bytes;
    bad.data[5] = 1;
    expect_failure(&bad, HED_UNSUPPORTED,
                   "f: byte 4: type must be 'C0' (uniform Catmull-Rom), got 'C?'");
    bad = bytes;
    bad.data[6] = 2;
    expect_failure(&bad, HED_UNSUPPORTED, "f: byte 6: dimensions must be 3, got 2");
    bad = bytes;
    bad.data[7] = 3;
    expect_failure(&bad, HED_UNSUPPORTED, "f: byte 7: up axis must be 0, 1 or 2 (x, y, z), got 3");
    bad = bytes;
    bad.size = 2;
    expect_failure(&bad, HED_PARSE, "f: cut short: 2 bytes, the header alone has 64");
    bad.size = 0;
    expect_failure(&bad, HED_PARSE, "f: cut short: 0 bytes, the header alone has 64");
    bad.size = 63;
    expect_failure(&bad, HED_PARSE, "f: cut short: 63 bytes, the header alone has 64");
    bad.data[0] = 'b';
    bad.size = 1;
    expect_failure(&bad, HED_PARSE, "f: byte 0: must begin with 'BCC', got 'b'");
}

Test(bcc, cut_anywhere) {
    Bytes bytes = header(2, 9, 2);
    put_curve(&bytes, 4, 4, SQUARE);
    put_curve(&bytes, -5, 5, SQUARE);
    size_t whole = bytes.size;
    for (size_t size = 0; size < whole; ++size) {
        HedCurves curves = {0};
        HedError error = {0};
        // a copy of just that size, so that a sanitizer sees a byte read too far
        char* copy = malloc(size + (size == 0));
        memcpy(copy, bytes.data, size);
        cr_assert_eq(hed_curves_parse(copy, size, "bcc", "f", &curves, &error), HED_PARSE);
        cr_assert(strstr(error.message, "cut short") || strstr(error.message, "has room for"));
        free(copy);
    }
    bytes.size = 64 + 4 + 47;
    expect_failure(&bytes, HED_PARSE, "f: byte 64: curve 0 has 4 points, the file has room for 3");
    bytes.size = 64 + 4 + 48;
    expect_failure(&bytes, HED_PARSE, "f: cut short at byte 116: curve 1 of 2 should begin there");
}

// Counts that would need more memory than there is, or overflow, are refused before any is taken.
Test(bcc, absurd_counts) {
    static const int32_t COUNTS[] = {INT32_MAX, INT32_MIN, -INT32_MAX, 5, -5};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; ++i) {
        Bytes bytes = header(UINT64_MAX, UINT64_MAX, 1);
        put_curve(&bytes, COUNTS[i], 4, SQUARE);
        int64_t before = hed_alloc_stats().call_count;
        char message[160];
        snprintf(message, sizeof message,
                 "f: byte 64: curve 0 has %lld points, the file has room for 4",
                 llabs((long long)COUNTS[i]));
        expect_failure(&bytes, HED_PARSE, message);
        cr_assert_eq(hed_alloc_stats().call_count, before);
    }
    Bytes bytes = header(UINT64_MAX, 4, 1);
    put_curve(&bytes, 4, 4, SQUARE);
    expect_failure(&bytes, HED_PARSE,
                   "f: cut short at byte 116: curve 1 of 18446744073709551615 should begin there");
}

Test(bcc, declared_total_is_only_noted) {
    Bytes bytes = header(1, UINT64_MAX, 1);
    put_curve(&bytes, 4, 4, SQUARE);
    HedCurves curves = parse(&bytes);
    cr_assert_eq(curves.vertex_count, 4);
    cr_assert_str_eq(logs, "f: byte 16: 18446744073709551615 points declared, 4 found\n");
    hed_curves_free(&curves);
}

Test(bcc, numbers_must_be_finite) {
    static const float BAD[] = {NAN, INFINITY, -INFINITY};
    for (int32_t i = 0; i < 3; ++i) {
        float points[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        points[2][i] = BAD[i];
        Bytes bytes = header(2, 7, 1);
        put_curve(&bytes, 4, 4, SQUARE);
        put_curve(&bytes, 3, 3, points);
        HedCurves curves = {0};
        HedError error = {0};
        cr_assert_eq(
            hed_curves_parse((const char*)bytes.data, bytes.size, "bcc", "f", &curves, &error),
            HED_PARSE);
        // 64 + 4 + 4 points + 4 + 2 points
        cr_assert_not_null(
            strstr(error.message, "f: byte 144: curve 1, point 2 must be finite, got ("), "%s",
            error.message);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}

Test(bcc, every_allocation_may_fail) {
    Bytes bytes = header(2, 9, 2);
    put_curve(&bytes, 4, 4, SQUARE);
    put_curve(&bytes, -5, 5, SQUARE);
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 1;
    for (; status != HED_OK; ++n) {
        HedCurves curves = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        status = hed_curves_parse((const char*)bytes.data, bytes.size, "bcc", "f", &curves, &error);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(error.message[0] != '\0', status != HED_OK);
        hed_curves_free(&curves);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    cr_assert_eq(n, 4, "vertices and curves are allocated once each, not %d times", (int)n - 2);
}

// --- Large files ---------------------------------------------------------------------------------

// Writes `curve_count` open curves of `point_count` points along a helix.
static void write_large(const char* path, int32_t curve_count, int32_t point_count) {
    FILE* file = fopen(path, "wb");
    Bytes head = header((uint64_t)curve_count, (uint64_t)curve_count * (uint64_t)point_count, 1);
    cr_assert_eq(fwrite(head.data, 1, head.size, file), head.size);
    for (int32_t i = 0; i < curve_count; ++i) {
        cr_assert_eq(fwrite(&point_count, sizeof point_count, 1, file), 1);
        for (int32_t j = 0; j < point_count; ++j) {
            float point[3] = {cosf(0.1f * (float)j), 1e-3f * (float)j, sinf(0.1f * (float)j)};
            cr_assert_eq(fwrite(point, sizeof point, 1, file), 1);
        }
    }
    fclose(file);
}

// Peak memory over the size of the file. A point of 12 bytes becomes 24 beside the file itself,
// which is a factor of 3; a curve of two points has 28 bytes and becomes 48 and the 24 of a
// HedCurve, 1 + 72/28 = 3.57. Both with what the allocator adds to blocks.
static double memory_factor(int32_t curve_count, int32_t point_count) {
    char directory[64];
    char path[96];
    HedCurves curves = {0};
    HedError error = {0};
    snprintf(directory, sizeof directory, "%s/hed-bcc-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/large.bcc", directory);
    write_large(path, curve_count, point_count);
    double size = 64.0 + curve_count * (4.0 + 12.0 * point_count);
    HedAllocStats before = hed_alloc_stats();
    HedStatus status = hed_curves_load(path, &curves, &error);
    unlink(path);
    rmdir(directory);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    cr_assert_eq(curves.vertex_count, curve_count * point_count);
    cr_assert_eq(curves.curve_count, curve_count);
    hed_curves_free(&curves);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
    return (double)(hed_alloc_stats().peak_bytes - before.live_bytes) / size;
}

Test(bcc, a_million_points_in_bounded_memory) {
    double factor = memory_factor(4, 250000);
    cr_assert_lt(factor, 3.01, "factor %g", factor);
    cr_assert_gt(factor, 2.9, "factor %g: is the peak counted at all?", factor);
}

Test(bcc, many_small_curves_in_bounded_memory) {
    double factor = memory_factor(100000, 2);
    cr_assert_lt(factor, 3.6, "factor %g", factor);
}
