// SPDX-License-Identifier: MIT
// Reader of .yarns files: chunks of a tag, a size and that many bytes, little-endian and without
// alignment. Their points are the control points of quadratic B-splines; a curve here goes through
// its points, so that each control point is replaced by the place of the spline next to it.
#include "base/log.h"
#include "base/words.h"
#include "io/curves.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files of yarns are little-endian");

typedef enum ChunkKind {
    CHUNK_POINTS,
    CHUNK_SOURCES,
    CHUNK_YARNS,
    CHUNK_NAMES,
    CHUNK_UNITS,
    CHUNK_CHECKPOINTS,
    CHUNK_COUNT
} ChunkKind;

enum { TAG = 4 };

// What may stand in a file: the bytes of one entry, and whether the file is nothing without it.
static const struct {
    char tag[TAG + 1];
    uint32_t size;
    bool is_needed;
} CHUNKS[CHUNK_COUNT] = {
    {"f3..", 12, true}, {"src.", 4, false},  {"yarn", 16, true},
    {"strs", 1, false}, {"unit", 12, false}, {"chk.", 12, false},
};

typedef struct Chunk {
    size_t at;     // byte of the first entry
    int32_t count; // of entries
    bool is_there;
} Chunk;

typedef struct YarnRow {
    uint32_t begin, end; // points; the end is one past the last
    float radius;
    uint8_t color[4]; // red, green, blue, alpha
} YarnRow;

typedef struct UnitRow {
    uint32_t name_begin, name_end;
    float length;
} UnitRow;

typedef struct CheckpointRow {
    uint32_t point;
    float amount;
    uint32_t unit;
} CheckpointRow;

_Static_assert(sizeof(YarnRow) == 16 && sizeof(UnitRow) == 12 && sizeof(CheckpointRow) == 12,
               "rows have no holes");

typedef struct File {
    const char* name;
    const char* data;
    size_t size;
    Chunk chunks[CHUNK_COUNT];
    HedError* error;
} File;

// --- Chunks ----------------------------------------------------------------------------------

static HedStatus keep_chunk(File* file, ChunkKind kind, size_t at, uint32_t size) {
    Chunk* chunk = &file->chunks[kind];
    if (chunk->is_there) {
        return hed_fail(file->error, HED_PARSE, "%s: byte %zu: a second chunk '%s'", file->name, at,
                        CHUNKS[kind].tag);
    }
    if (size % CHUNKS[kind].size != 0) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: chunk '%s' must be a multiple of %u bytes, got %u",
                        file->name, at, CHUNKS[kind].tag, CHUNKS[kind].size, size);
    }
    *chunk = (Chunk){at + TAG + sizeof size, (int32_t)(size / CHUNKS[kind].size), true};
    return HED_OK;
}

static HedStatus read_chunk(File* file, size_t* at) {
    uint32_t size = 0;
    const char* tag = file->data + *at;
    size_t left = file->size - *at;
    if (left < TAG + sizeof size) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: cut short at byte %zu: tag and size of a chunk need 8 bytes, got %zu",
                        file->name, *at, left);
    }
    memcpy(&size, tag + TAG, sizeof size);
    left -= TAG + sizeof size;
    if (size > left) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: chunk '%s' has %u bytes, the file has %zu more", file->name,
                        *at, hed_quote((HedSpan){tag, TAG}).text, size, left);
    }
    HedStatus status = HED_OK;
    int32_t kind = 0;
    while (kind < CHUNK_COUNT && memcmp(tag, CHUNKS[kind].tag, TAG) != 0) {
        ++kind;
    }
    if (kind < CHUNK_COUNT) {
        status = keep_chunk(file, (ChunkKind)kind, *at, size);
    } else {
        hed_log(HED_LOG_INFO, "%s: byte %zu: chunk '%s' of %u bytes passed over", file->name, *at,
                hed_quote((HedSpan){tag, TAG}).text, size);
    }
    *at += TAG + sizeof size + size;
    return status;
}

static HedStatus read_chunks(File* file) {
    HedStatus status = HED_OK;
    if (file->size < TAG || memcmp(file->data, CHUNKS[0].tag, TAG) != 0) {
        int32_t size = file->size < TAG ? (int32_t)file->size : TAG;
        return hed_fail(file->error, HED_PARSE, "%s: byte 0: must begin with '%s', got '%s'",
                        file->name, CHUNKS[0].tag, hed_quote((HedSpan){file->data, size}).text);
    }
    for (size_t at = 0; at < file->size;) {
        HED_TRY(read_chunk(file, &at));
    }
    for (int32_t i = 0; i < CHUNK_COUNT; ++i) {
        if (CHUNKS[i].is_needed && !file->chunks[i].is_there) {
            return hed_fail(file->error, HED_PARSE, "%s: has no chunk '%s'", file->name,
                            CHUNKS[i].tag);
        }
    }
    const Chunk* sources = &file->chunks[CHUNK_SOURCES];
    if (sources->is_there && sources->count != file->chunks[CHUNK_POINTS].count) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: %d source lines must be as many as the points, %d",
                        file->name, sources->at, sources->count, file->chunks[CHUNK_POINTS].count);
    }
done:
    return status;
}

// Byte of a row.
static size_t row_at(const File* file, ChunkKind kind, int32_t row) {
    return file->chunks[kind].at + (size_t)row * CHUNKS[kind].size;
}

// --- Yarns -----------------------------------------------------------------------------------

static HedStatus read_point(const File* file, uint32_t index, HedVec3* point) {
    float x[3];
    size_t at = row_at(file, CHUNK_POINTS, (int32_t)index);
    memcpy(x, file->data + at, sizeof x);
    *point = hed_vec3((double)x[0], (double)x[1], (double)x[2]);
    return hed_is_finite3(*point)
               ? HED_OK
               : hed_fail(file->error, HED_PARSE,
                          "%s: byte %zu: point %" PRIu32 " must be finite, got (%g, %g, %g)",
                          file->name, at, index, point->x, point->y, point->z);
}

static HedStatus check_yarn(const File* file, int32_t index, const YarnRow* yarn) {
    size_t at = row_at(file, CHUNK_YARNS, index);
    int32_t count = file->chunks[CHUNK_POINTS].count;
    if (yarn->begin > yarn->end || yarn->end > (uint32_t)count) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: yarn %d must have points from 0 to %d, got %" PRIu32
                        " to %" PRIu32,
                        file->name, at, index, count, yarn->begin, yarn->end);
    }
    if (!isfinite(yarn->radius) || yarn->radius < 0.0f) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: radius of yarn %d must not be negative, got %g", file->name,
                        at + 8, index, (double)yarn->radius);
    }
    return HED_OK;
}

// The piece of the spline that belongs to a control point runs between the middles of the two
// segments that meet there. Half-way along it lies (a + 6 b + c) / 8. The curve begins at the first
// point and ends at the last.
static HedStatus read_yarn(const File* file, const YarnRow* yarn, HedCurveList* list) {
    HedStatus status = HED_OK;
    HedVec3 a = {0}, b = {0}, c = {0};
    for (uint32_t i = yarn->begin; i < yarn->end; ++i) {
        bool is_end = i == yarn->begin || i + 1 == yarn->end;
        if (i == yarn->begin) {
            HED_TRY(read_point(file, i, &c));
        }
        a = b;
        b = c;
        if (i + 1 < yarn->end) {
            HED_TRY(read_point(file, i + 1, &c));
        }
        HedVec3 sum = hed_add3(hed_add3(a, c), hed_mul3(6.0, b));
        if (!hed_curve_list_point(list, is_end ? b : hed_mul3(0.125, sum))) {
            return hed_fail_memory(file->error, file->name);
        }
    }
    const uint8_t* rgb = yarn->color;
    HedCurve like = {.radius = (double)yarn->radius, .color = rgb[0] << 16 | rgb[1] << 8 | rgb[2]};
    if (!hed_curve_list_end(list, like)) {
        return hed_fail_memory(file->error, file->name);
    }
done:
    return status;
}

static HedStatus read_yarns(const File* file, HedCurveList* list) {
    HedStatus status = HED_OK;
    int64_t total = 0; // yarns that share points could ask for any amount of memory
    for (int32_t i = 0; i < file->chunks[CHUNK_YARNS].count; ++i) {
        YarnRow yarn;
        size_t at = row_at(file, CHUNK_YARNS, i);
        memcpy(&yarn, file->data + at, sizeof yarn);
        HED_TRY(check_yarn(file, i, &yarn));
        total += yarn.end - yarn.begin;
        if (total > file->chunks[CHUNK_POINTS].count) {
            return hed_fail(file->error, HED_PARSE,
                            "%s: byte %zu: yarns 0 to %d have %" PRId64
                            " points, the file has %d: some are in two yarns",
                            file->name, at, i, total, file->chunks[CHUNK_POINTS].count);
        }
        HED_TRY(read_yarn(file, &yarn, list));
    }
    if (total < file->chunks[CHUNK_POINTS].count) {
        hed_log(HED_LOG_WARNING, "%s: %" PRId64 " points are in no yarn", file->name,
                file->chunks[CHUNK_POINTS].count - total);
    }
done:
    return status;
}

// --- Lengths ---------------------------------------------------------------------------------

static HedStatus read_unit(const File* file, int32_t index, double* length) {
    UnitRow unit;
    size_t at = row_at(file, CHUNK_UNITS, index);
    memcpy(&unit, file->data + at, sizeof unit);
    int32_t names = file->chunks[CHUNK_NAMES].count;
    if (unit.name_begin > unit.name_end || unit.name_end > (uint32_t)names) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: name of unit %d must lie in %d bytes, got %" PRIu32
                        " to %" PRIu32,
                        file->name, at, index, names, unit.name_begin, unit.name_end);
    }
    if (!isfinite(unit.length)) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: length of unit %d must be finite, got %g", file->name,
                        at + 8, index, (double)unit.length);
    }
    *length = (double)unit.length;
    return HED_OK;
}

static HedStatus read_checkpoint(const File* file, int32_t index, double* length) {
    CheckpointRow row;
    size_t at = row_at(file, CHUNK_CHECKPOINTS, index);
    memcpy(&row, file->data + at, sizeof row);
    int32_t points = file->chunks[CHUNK_POINTS].count;
    int32_t units = file->chunks[CHUNK_UNITS].count;
    if (row.point >= (uint32_t)points || row.unit >= (uint32_t)units || !isfinite(row.amount)) {
        return hed_fail(file->error, HED_PARSE,
                        "%s: byte %zu: checkpoint %d must name one of %d points and one of %d "
                        "units, got point %" PRIu32 ", unit %" PRIu32 ", amount %g",
                        file->name, at, index, points, units, row.point, row.unit,
                        (double)row.amount);
    }
    double unit = 0.0;
    HedStatus status = read_unit(file, (int32_t)row.unit, &unit);
    *length += (double)row.amount * unit;
    return status;
}

// Checkpoints say how long the yarn is at rest. Curves have no lengths of their own yet: a note
// tells what was asked for.
static HedStatus read_lengths(const File* file) {
    HedStatus status = HED_OK;
    double length = 0.0;
    for (int32_t i = 0; i < file->chunks[CHUNK_UNITS].count; ++i) {
        double unit = 0.0;
        HED_TRY(read_unit(file, i, &unit));
    }
    for (int32_t i = 0; i < file->chunks[CHUNK_CHECKPOINTS].count; ++i) {
        HED_TRY(read_checkpoint(file, i, &length));
    }
    if (file->chunks[CHUNK_CHECKPOINTS].count > 0) {
        hed_log(HED_LOG_INFO,
                "%s: %d checkpoints ask for %.6g units of yarn at rest; they are passed over",
                file->name, file->chunks[CHUNK_CHECKPOINTS].count, length);
    }
done:
    return status;
}

HedStatus hed_yarns_file_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    File file = {.name = name, .data = data, .size = size, .error = error};
    HED_TRY(read_chunks(&file));
    HED_TRY(read_yarns(&file, &list));
    HED_TRY(read_lengths(&file));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
done:
    hed_curve_list_free(&list);
    return status;
}
