// SPDX-License-Identifier: MIT
// Curves in VTK PolyData (.vtp): the lines of a file, with radius and colour if its cells have
// some. Data are raw bytes behind the text, as heddle and ParaView write them, or numbers in the
// text.
#include "base/words.h"
#include "io/curves.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <string.h>

typedef enum Role {
    ROLE_POINTS,
    ROLE_CONNECTIVITY,
    ROLE_OFFSETS,
    ROLE_RADIUS,
    ROLE_COLOR,
    ROLE_COUNT
} Role;

typedef struct RoleName {
    const char* section;
    const char* name;   // NULL: any
    int32_t components; // that a value has
} RoleName;

static const RoleName ROLES[ROLE_COUNT] = {{"Points", NULL, 3},
                                           {"Lines", "connectivity", 1},
                                           {"Lines", "offsets", 1},
                                           {"CellData", "radius", 1},
                                           {"CellData", "color", 3}};

typedef struct ValueType {
    const char* name;
    int32_t size;
    char kind; // 'f' float, 'i' signed, 'u' unsigned
} ValueType;

static const ValueType TYPES[] = {{"Float32", 4, 'f'}, {"Float64", 8, 'f'}, {"Int8", 1, 'i'},
                                  {"UInt8", 1, 'u'},   {"Int16", 2, 'i'},   {"UInt16", 2, 'u'},
                                  {"Int32", 4, 'i'},   {"UInt32", 4, 'u'},  {"Int64", 8, 'i'},
                                  {"UInt64", 8, 'u'}};

// A tag, from '<' to '>'.
typedef struct Tag {
    HedSpan text;
    HedSpan name; // with '/' if it ends something
} Tag;

typedef HED_ARRAY(double) Values;

typedef struct Vtp {
    const char* name;
    const char* data;
    const char* end;
    const char* at;
    const char* raw; // the bytes behind the text; NULL if there are none
    size_t header;   // bytes of the size before each array there
    Tag arrays[ROLE_COUNT];
    Values values[ROLE_COUNT];
    int32_t cells_before; // the lines: vertices are cells, too
    HedError* error;
} Vtp;

static HedStatus fail(const Vtp* vtp, const char* at, const char* rule, HedSpan found) {
    return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %s, got '%s'", vtp->name, at - vtp->data,
                    rule, hed_quote(found).text);
}

// --- Tags ------------------------------------------------------------------------------------

static bool next_tag(Vtp* vtp, Tag* tag) {
    const char* start = memchr(vtp->at, '<', (size_t)(vtp->end - vtp->at));
    const char* stop = start ? memchr(start, '>', (size_t)(vtp->end - start)) : NULL;
    if (!stop) {
        return false;
    }
    tag->text = (HedSpan){start, (int32_t)(stop - start) + 1};
    HedSpan rest = {start + 1, (int32_t)(stop - start) - 1};
    tag->name = (HedSpan){start + 1, 0};
    hed_span_word(&rest, &tag->name);
    vtp->at = stop + 1;
    return true;
}

// The value of name="value", empty if there is none.
static HedSpan attribute(const Tag* tag, const char* name) {
    int32_t size = (int32_t)strlen(name);
    for (int32_t i = 1; i + size + 2 < tag->text.size; ++i) {
        const char* at = tag->text.data + i;
        bool is_there = (unsigned char)at[-1] <= ' ' && memcmp(at, name, (size_t)size) == 0 &&
                        at[size] == '=' && (at[size + 1] == '"' || at[size + 1] == '\'');
        if (is_there) {
            const char* start = at + size + 2;
            size_t left = (size_t)(tag->text.data + tag->text.size - start);
            const char* stop = memchr(start, at[size + 1], left);
            return (HedSpan){start, stop ? (int32_t)(stop - start) : 0};
        }
    }
    return (HedSpan){tag->text.data, 0};
}

static HedStatus check_file(Vtp* vtp, const Tag* tag) {
    HedSpan order = attribute(tag, "byte_order"), header = attribute(tag, "header_type");
    if (!hed_span_equal(attribute(tag, "type"), "PolyData")) {
        return fail(vtp, tag->text.data, "type must be PolyData", attribute(tag, "type"));
    }
    if (attribute(tag, "compressor").size > 0 || hed_span_equal(order, "BigEndian")) {
        return hed_fail(vtp->error, HED_UNSUPPORTED,
                        "%s: byte %td: compressed and big-endian files are not read", vtp->name,
                        tag->text.data - vtp->data);
    }
    vtp->header = hed_span_equal(header, "UInt64") ? 8 : 4;
    return HED_OK;
}

static HedStatus take_piece(Vtp* vtp, const Tag* tag, int32_t* piece_count) {
    int64_t vertices = 0;
    HedSpan count = attribute(tag, "NumberOfVerts");
    if (++*piece_count > 1) {
        return hed_fail(vtp->error, HED_UNSUPPORTED, "%s: byte %td: more than one Piece", vtp->name,
                        tag->text.data - vtp->data);
    }
    if (count.size > 0 &&
        (!hed_span_int64(count, &vertices) || vertices < 0 || vertices > INT32_MAX)) {
        return fail(vtp, tag->text.data, "NumberOfVerts must be a count", count);
    }
    vtp->cells_before = (int32_t)vertices;
    return HED_OK;
}

// Remembers an array that is wanted.
static void take_array(Vtp* vtp, const Tag* tag, HedSpan section) {
    for (int32_t i = 0; i < ROLE_COUNT; ++i) {
        bool is_name = !ROLES[i].name || hed_span_equal(attribute(tag, "Name"), ROLES[i].name);
        if (hed_span_equal(section, ROLES[i].section) && is_name && !vtp->arrays[i].text.data) {
            vtp->arrays[i] = *tag;
            return;
        }
    }
}

static HedStatus read_tags(Vtp* vtp) {
    HedStatus status = HED_OK;
    Tag tag;
    HedSpan section = {vtp->data, 0};
    bool has_begun = false;
    int32_t piece_count = 0;
    while (next_tag(vtp, &tag)) {
        if (hed_span_equal(tag.name, "VTKFile")) {
            HED_TRY(check_file(vtp, &tag));
            has_begun = true;
        } else if (hed_span_equal(tag.name, "Piece")) {
            HED_TRY(take_piece(vtp, &tag, &piece_count));
        } else if (hed_span_equal(tag.name, "DataArray")) {
            take_array(vtp, &tag, section);
        } else if (hed_span_equal(tag.name, "AppendedData")) {
            if (!hed_span_equal(attribute(&tag, "encoding"), "raw")) {
                return hed_fail(vtp->error, HED_UNSUPPORTED,
                                "%s: byte %td: appended data must be raw, got '%s'", vtp->name,
                                tag.text.data - vtp->data,
                                hed_quote(attribute(&tag, "encoding")).text);
            }
            const char* mark = memchr(vtp->at, '_', (size_t)(vtp->end - vtp->at));
            vtp->raw = mark ? mark + 1 : NULL;
            break;
        } else if (!hed_span_equal(tag.name, "/DataArray")) {
            section = tag.name;
        }
    }
    if (!has_begun) {
        return hed_fail(vtp->error, HED_PARSE, "%s: is no VTK file: it has no <VTKFile>",
                        vtp->name);
    }
done:
    return status;
}

// --- Arrays ----------------------------------------------------------------------------------

static double decode(const char* bytes, const ValueType* type) {
    uint64_t bits = 0;
    memcpy(&bits, bytes, (size_t)type->size);
    if (type->kind == 'f' && type->size == 4) {
        float value;
        memcpy(&value, bytes, sizeof value);
        return (double)value;
    }
    if (type->kind == 'f') {
        double value;
        memcpy(&value, bytes, sizeof value);
        return value;
    }
    bool is_negative = type->kind == 'i' && (bits >> (8 * type->size - 1)) != 0;
    uint64_t fill = type->size < 8 ? UINT64_MAX << (8 * type->size) : 0;
    return is_negative ? (double)(int64_t)(bits | fill) : (double)bits;
}

static HedStatus add_value(const Vtp* vtp, Values* values, double value, const char* at) {
    if (!isfinite(value)) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: a value must be finite, got %g",
                        vtp->name, at - vtp->data, value);
    }
    return HED_APPEND(values, value) ? HED_OK : hed_fail_memory(vtp->error, vtp->name);
}

static HedStatus read_raw(const Vtp* vtp, const Tag* tag, const ValueType* type, Values* values) {
    HedStatus status = HED_OK;
    int64_t offset = 0;
    uint64_t size = 0;
    HedSpan place = attribute(tag, "offset");
    size_t room = vtp->raw ? (size_t)(vtp->end - vtp->raw) : 0;
    if (!hed_span_int64(place, &offset) || offset < 0 || room < vtp->header ||
        (uint64_t)offset > room - vtp->header) {
        return fail(vtp, tag->text.data, "offset must lie in the appended data", place);
    }
    const char* bytes = vtp->raw + offset;
    memcpy(&size, bytes, vtp->header);
    bytes += vtp->header;
    if (size > (uint64_t)(vtp->end - bytes) || size % (uint64_t)type->size != 0) {
        return hed_fail(vtp->error, HED_PARSE,
                        "%s: byte %td: an array of %" PRIu64 " bytes, %td are left", vtp->name,
                        bytes - vtp->data, size, vtp->end - bytes);
    }
    for (uint64_t i = 0; i < size; i += (uint64_t)type->size) {
        HED_TRY(add_value(vtp, values, decode(bytes + i, type), bytes + i));
    }
done:
    return status;
}

// Numbers between the tag and the next one.
static HedStatus read_ascii(const Vtp* vtp, const Tag* tag, Values* values) {
    HedStatus status = HED_OK;
    const char* start = tag->text.data + tag->text.size;
    const char* stop = memchr(start, '<', (size_t)(vtp->end - start));
    HedSpan rest = {start, (int32_t)((stop ? stop : vtp->end) - start)};
    HedSpan word;
    while (hed_span_word(&rest, &word)) {
        double value = 0.0;
        if (!hed_span_double(word, &value)) {
            return fail(vtp, word.data, "expected a finite number", word);
        }
        HED_TRY(add_value(vtp, values, value, word.data));
    }
done:
    return status;
}

static HedStatus read_array(Vtp* vtp, Role role) {
    const Tag* tag = &vtp->arrays[role];
    HedSpan type = attribute(tag, "type"), format = attribute(tag, "format");
    if (!tag->text.data) {
        return HED_OK;
    }
    size_t i = 0;
    while (i < sizeof TYPES / sizeof TYPES[0] && !hed_span_equal(type, TYPES[i].name)) {
        ++i;
    }
    if (i == sizeof TYPES / sizeof TYPES[0]) {
        return fail(vtp, tag->text.data, "type must be a float or an integer", type);
    }
    bool is_raw = hed_span_equal(format, "appended");
    if (!is_raw && !hed_span_equal(format, "ascii")) {
        return hed_fail(vtp->error, HED_UNSUPPORTED,
                        "%s: byte %td: data must be 'appended' or 'ascii', got '%s'", vtp->name,
                        tag->text.data - vtp->data, hed_quote(format).text);
    }
    HedStatus status = is_raw ? read_raw(vtp, tag, &TYPES[i], &vtp->values[role])
                              : read_ascii(vtp, tag, &vtp->values[role]);
    if (status == HED_OK && vtp->values[role].count % ROLES[role].components != 0) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %d values must come by %d", vtp->name,
                        tag->text.data - vtp->data, vtp->values[role].count,
                        ROLES[role].components);
    }
    return status;
}

// --- Curves ----------------------------------------------------------------------------------

// A value of a cell, or of its c-th component; fallback if there is none.
static double cell_value(const Vtp* vtp, Role role, int32_t line, int32_t c, double fallback) {
    int64_t at = ((int64_t)vtp->cells_before + line) * ROLES[role].components + c;
    return at < vtp->values[role].count ? vtp->values[role].data[at] : fallback;
}

static HedCurve like_of(const Vtp* vtp, int32_t line) {
    HedCurve like = {.radius = fmax(0.0, cell_value(vtp, ROLE_RADIUS, line, 0, 0.0)),
                     .color = HED_COLOR_NONE};
    if (vtp->values[ROLE_COLOR].count > 0) {
        like.color = 0;
        for (int32_t c = 0; c < 3; ++c) {
            double part = cell_value(vtp, ROLE_COLOR, line, c, 255.0);
            like.color = like.color << 8 | (int32_t)fmin(fmax(part, 0.0), 255.0);
        }
    }
    return like;
}

static HedStatus add_line(const Vtp* vtp, int32_t line, int32_t first, int32_t end,
                          HedCurveList* list) {
    const Values* corners = &vtp->values[ROLE_CONNECTIVITY];
    const double* x = vtp->values[ROLE_POINTS].data;
    int32_t point_count = vtp->values[ROLE_POINTS].count / 3;
    HedCurve like = like_of(vtp, line);
    like.is_closed = end - first > 3 && corners->data[first] == corners->data[end - 1];
    for (int32_t i = first; i < end; ++i) {
        double index = corners->data[i];
        if (!(index >= 0.0 && index < point_count)) {
            return hed_fail(vtp->error, HED_PARSE,
                            "%s: byte %td: points of line %d must be below %d, got %g", vtp->name,
                            vtp->arrays[ROLE_CONNECTIVITY].text.data - vtp->data, line, point_count,
                            index);
        }
        const double* p = x + 3 * (int64_t)index;
        if (!hed_curve_list_point(list, hed_vec3(p[0], p[1], p[2]))) {
            return hed_fail_memory(vtp->error, vtp->name);
        }
    }
    return hed_curve_list_end(list, like) ? HED_OK : hed_fail_memory(vtp->error, vtp->name);
}

static HedStatus add_lines(const Vtp* vtp, HedCurveList* list) {
    HedStatus status = HED_OK;
    const Values* ends = &vtp->values[ROLE_OFFSETS];
    int32_t first = 0;
    for (int32_t i = 0; i < ends->count && status == HED_OK; ++i) {
        double end = ends->data[i];
        if (!(end >= first && end <= vtp->values[ROLE_CONNECTIVITY].count)) {
            return hed_fail(vtp->error, HED_PARSE,
                            "%s: byte %td: the end of line %d must be from %d to %d, got %g",
                            vtp->name, vtp->arrays[ROLE_OFFSETS].text.data - vtp->data, i, first,
                            vtp->values[ROLE_CONNECTIVITY].count, end);
        }
        status = add_line(vtp, i, first, (int32_t)end, list);
        first = (int32_t)end;
    }
    return status;
}

HedStatus hed_vtp_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    Vtp vtp = {.name = name, .data = data, .at = data, .end = data + size, .error = error};
    HED_TRY(read_tags(&vtp));
    for (int32_t i = 0; i < ROLE_COUNT; ++i) {
        HED_TRY(read_array(&vtp, (Role)i));
    }
    if (vtp.values[ROLE_OFFSETS].count == 0) {
        HED_TRY(hed_fail(error, HED_NOT_FOUND, "%s: holds no lines", name));
    }
    HED_TRY(add_lines(&vtp, &list));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
done:
    hed_curve_list_free(&list);
    for (int32_t i = 0; i < ROLE_COUNT; ++i) {
        hed_free(vtp.values[i].data);
    }
    return status;
}
