// SPDX-License-Identifier: MIT
// Reader of binary curve collections. Every count in a file is checked against the bytes that are
// there before memory is taken for it: 24 bytes for each point of 12, and 24 for a curve of 28.
#include "io/bcc.h"
#include "base/log.h"
#include "base/words.h"
#include "io/curves.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Bcc {
    const char* name;
    const char* data;
    size_t size;
    HedBccHeader header;
    int64_t point_count; // found, not declared
    int32_t room_points; // in curves that may be long enough, and the number of those
    int32_t room_curves;
    size_t end;    // of the last curve
    double radius; // 0 if the file gives none
    HedError* error;
} Bcc;

static HedStatus check_kind(const Bcc* bcc) {
    const HedBccHeader* h = &bcc->header;
    if (h->number_sizes != HED_BCC_SIZES) {
        return hed_fail(bcc->error, HED_UNSUPPORTED,
                        "%s: byte 3: must be 0x44 (integers and floats of 4 bytes), got 0x%02x",
                        bcc->name, h->number_sizes);
    }
    if (memcmp(h->curve_type, "C0", 2) != 0) {
        return hed_fail(bcc->error, HED_UNSUPPORTED,
                        "%s: byte 4: type must be 'C0' (uniform Catmull-Rom), got '%s'", bcc->name,
                        hed_quote((HedSpan){h->curve_type, 2}).text);
    }
    if (h->dimension_count != 3) {
        return hed_fail(bcc->error, HED_UNSUPPORTED, "%s: byte 6: dimensions must be 3, got %d",
                        bcc->name, h->dimension_count);
    }
    if (h->up_axis > 2) {
        return hed_fail(bcc->error, HED_UNSUPPORTED,
                        "%s: byte 7: up axis must be 0, 1 or 2 (x, y, z), got %d", bcc->name,
                        h->up_axis);
    }
    return HED_OK;
}

static HedStatus read_header(Bcc* bcc) {
    size_t size = bcc->size < sizeof bcc->header ? bcc->size : sizeof bcc->header;
    memcpy(&bcc->header, bcc->data, size);
    if (memcmp(bcc->data, "BCC", size < 3 ? size : 3) != 0) {
        return hed_fail(bcc->error, HED_PARSE, "%s: byte 0: must begin with 'BCC', got '%s'",
                        bcc->name, hed_quote((HedSpan){bcc->data, size < 3 ? (int)size : 3}).text);
    }
    if (size < sizeof bcc->header) {
        return hed_fail(bcc->error, HED_PARSE, "%s: cut short: %zu bytes, the header alone has %zu",
                        bcc->name, size, sizeof bcc->header);
    }
    return check_kind(bcc);
}

static int64_t points_at(const Bcc* bcc, size_t at, bool* is_closed) {
    int32_t count = 0;
    memcpy(&count, bcc->data + at, sizeof count);
    *is_closed = count < 0;
    return count < 0 ? -(int64_t)count : count;
}

// Goes over the counts alone: what is declared must be there.
static HedStatus measure_curves(Bcc* bcc) {
    size_t at = sizeof bcc->header;
    for (uint64_t i = 0; i < bcc->header.curve_count; ++i) {
        if (bcc->size - at < sizeof(int32_t)) {
            return hed_fail(bcc->error, HED_PARSE,
                            "%s: cut short at byte %zu: curve %" PRIu64 " of %" PRIu64
                            " should begin there",
                            bcc->name, bcc->size, i, bcc->header.curve_count);
        }
        bool is_closed = false;
        int64_t count = points_at(bcc, at, &is_closed);
        size_t room = (bcc->size - at - sizeof(int32_t)) / sizeof(HedBccPoint);
        if ((uint64_t)count > room) {
            return hed_fail(bcc->error, HED_PARSE,
                            "%s: byte %zu: curve %" PRIu64 " has %" PRId64
                            " points, the file has room for %zu",
                            bcc->name, at, i, count, room);
        }
        bcc->point_count += count;
        if (count >= (is_closed ? 3 : 2)) {
            bcc->room_points += (int32_t)count; // at most size / 12, which an int32 holds
            ++bcc->room_curves;
        }
        at += sizeof(int32_t) + (size_t)count * sizeof(HedBccPoint);
    }
    bcc->end = at;
    return HED_OK;
}

// What stands behind the curves: nothing, or the extension of one yarn program, which is a radius,
// then a velocity and a rest length for each point. Its size gives it away.
static void read_extension(Bcc* bcc) {
    size_t extra = bcc->size - bcc->end;
    if (extra == 0) {
        return;
    }
    float radius = 0.0f;
    if (extra == sizeof radius + (size_t)bcc->point_count * 4 * sizeof(float)) {
        memcpy(&radius, bcc->data + bcc->end, sizeof radius);
    }
    if (isfinite(radius) && radius > 0.0f) {
        bcc->radius = (double)radius;
    } else {
        hed_log(HED_LOG_INFO, "%s: byte %zu: %zu bytes after the last curve passed over", bcc->name,
                bcc->end, extra);
    }
}

static HedStatus read_points(const Bcc* bcc, HedCurveList* list, size_t at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        HedBccPoint point;
        memcpy(&point, bcc->data + at + (size_t)i * sizeof point, sizeof point);
        const float* x = point.x;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            return hed_fail(bcc->error, HED_PARSE,
                            "%s: byte %zu: curve %d, point %" PRId64
                            " must be finite, got (%g, %g, %g)",
                            bcc->name, at + (size_t)i * sizeof point, list->given_count, i,
                            (double)x[0], (double)x[1], (double)x[2]);
        }
        if (!hed_curve_list_point(list, (HedVec3){(double)x[0], (double)x[1], (double)x[2]})) {
            return hed_fail_memory(bcc->error, bcc->name);
        }
    }
    return HED_OK;
}

static HedStatus read_curves(const Bcc* bcc, HedCurveList* list) {
    HedStatus status = HED_OK;
    if (!HED_RESERVE(&list->vertices, bcc->room_points) ||
        !HED_RESERVE(&list->curves, bcc->room_curves)) {
        return hed_fail_memory(bcc->error, bcc->name);
    }
    for (size_t at = sizeof bcc->header; at < bcc->end;) {
        bool is_closed = false;
        int64_t count = points_at(bcc, at, &is_closed);
        at += sizeof(int32_t);
        HED_TRY(read_points(bcc, list, at, count));
        at += (size_t)count * sizeof(HedBccPoint);
        HedCurve like = {.is_closed = is_closed, .radius = bcc->radius, .color = HED_COLOR_NONE};
        if (!hed_curve_list_end(list, like)) {
            return hed_fail_memory(bcc->error, bcc->name);
        }
    }
done:
    return status;
}

HedStatus hed_bcc_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                        HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    Bcc bcc = {.name = name, .data = data, .size = size, .error = error};
    HED_TRY(read_header(&bcc));
    HED_TRY(measure_curves(&bcc));
    if (bcc.header.point_count != (uint64_t)bcc.point_count) {
        hed_log(HED_LOG_WARNING, "%s: byte 16: %" PRIu64 " points declared, %" PRId64 " found",
                name, bcc.header.point_count, bcc.point_count);
    }
    read_extension(&bcc);
    HED_TRY(read_curves(&bcc, &list));
    HED_TRY(hed_curve_list_finish(&list, bcc.header.up_axis, name, curves, error));
done:
    hed_curve_list_free(&list);
    return status;
}
