// SPDX-License-Identifier: MIT
#include "io/vtp.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct RoleName {
    const char* section;
    const char* name;   // NULL: any
    int32_t components; // that a value has
} RoleName;

static const RoleName ROLES[HED_VTP_ROLE_COUNT] = {
    [HED_VTP_POINTS] = {"Points", NULL, 3},
    [HED_VTP_LINE_CORNERS] = {"Lines", "connectivity", 1},
    [HED_VTP_LINE_ENDS] = {"Lines", "offsets", 1},
    [HED_VTP_POLY_CORNERS] = {"Polys", "connectivity", 1},
    [HED_VTP_POLY_ENDS] = {"Polys", "offsets", 1},
    [HED_VTP_STRIP_CORNERS] = {"Strips", "connectivity", 1},
    [HED_VTP_RADIUS] = {"CellData", "radius", 1},
    [HED_VTP_COLOR] = {"CellData", "color", 3},
};

typedef struct ValueType {
    const char* name;
    int32_t size;
    char kind; // 'f' float, 'i' signed, 'u' unsigned
} ValueType;

static const ValueType TYPES[] = {{"Float32", 4, 'f'}, {"Float64", 8, 'f'}, {"Int8", 1, 'i'},
                                  {"UInt8", 1, 'u'},   {"Int16", 2, 'i'},   {"UInt16", 2, 'u'},
                                  {"Int32", 4, 'i'},   {"UInt32", 4, 'u'},  {"Int64", 8, 'i'},
                                  {"UInt64", 8, 'u'}};

static HedStatus fail(const HedVtp* vtp, const char* at, const char* rule, HedSpan found) {
    return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %s, got '%s'", vtp->name, at - vtp->data,
                    rule, hed_quote(found).text);
}

// --- Tags ------------------------------------------------------------------------------------

static bool next_tag(HedVtp* vtp, HedVtpTag* tag) {
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
static HedSpan attribute(const HedVtpTag* tag, const char* name) {
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

static HedStatus check_file(HedVtp* vtp, const HedVtpTag* tag) {
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

static HedStatus take_piece(HedVtp* vtp, const HedVtpTag* tag) {
    if (vtp->piece.text.data) {
        return hed_fail(vtp->error, HED_UNSUPPORTED, "%s: byte %td: more than one Piece", vtp->name,
                        tag->text.data - vtp->data);
    }
    vtp->piece = *tag;
    return HED_OK;
}

// Remembers an array that is wanted.
static void take_array(HedVtp* vtp, const HedVtpTag* tag, HedSpan section) {
    for (int32_t i = 0; i < HED_VTP_ROLE_COUNT; ++i) {
        bool is_name = !ROLES[i].name || hed_span_equal(attribute(tag, "Name"), ROLES[i].name);
        if (hed_span_equal(section, ROLES[i].section) && is_name && !vtp->arrays[i].tag.text.data) {
            vtp->arrays[i].tag = *tag;
            return;
        }
    }
}

// Arrays stand in a section. Other tags may stand in an array: ParaView writes <InformationKey>.
static bool is_section(HedSpan name) {
    static const char* const SECTIONS[] = {"PointData", "CellData", "FieldData", "Points",
                                           "Verts",     "Lines",    "Strips",    "Polys"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof SECTIONS / sizeof SECTIONS[0]; ++i) {
        is_one = is_one || hed_span_equal(name, SECTIONS[i]);
    }
    return is_one;
}

static HedStatus take_appended(HedVtp* vtp, const HedVtpTag* tag) {
    if (!hed_span_equal(attribute(tag, "encoding"), "raw")) {
        return hed_fail(vtp->error, HED_UNSUPPORTED,
                        "%s: byte %td: appended data must be raw, got '%s'", vtp->name,
                        tag->text.data - vtp->data, hed_quote(attribute(tag, "encoding")).text);
    }
    const char* mark = memchr(vtp->at, '_', (size_t)(vtp->end - vtp->at));
    vtp->raw = mark ? mark + 1 : NULL;
    vtp->at = vtp->end;
    return HED_OK;
}

static HedStatus read_tags(HedVtp* vtp) {
    HedStatus status = HED_OK;
    HedVtpTag tag;
    HedSpan section = {vtp->data, 0};
    bool has_begun = false;
    while (next_tag(vtp, &tag)) {
        if (hed_span_equal(tag.name, "VTKFile")) {
            HED_TRY(check_file(vtp, &tag));
            has_begun = true;
        } else if (hed_span_equal(tag.name, "Piece")) {
            HED_TRY(take_piece(vtp, &tag));
        } else if (hed_span_equal(tag.name, "DataArray")) {
            take_array(vtp, &tag, section);
        } else if (hed_span_equal(tag.name, "AppendedData")) {
            HED_TRY(take_appended(vtp, &tag));
        } else if (is_section(tag.name)) {
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

static HedStatus add_value(const HedVtp* vtp, HedVtpArray* array, double value, const char* at) {
    if (!isfinite(value)) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: a value must be finite, got %g",
                        vtp->name, at - vtp->data, value);
    }
    return HED_APPEND(&array->values, value) ? HED_OK : hed_fail_memory(vtp->error, vtp->name);
}

static HedStatus read_raw(const HedVtp* vtp, const HedVtpTag* tag, const ValueType* type,
                          HedVtpArray* array) {
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
        HED_TRY(add_value(vtp, array, decode(bytes + i, type), bytes + i));
    }
done:
    return status;
}

// Numbers between the tag and the next one.
static HedStatus read_ascii(const HedVtp* vtp, const HedVtpTag* tag, HedVtpArray* array) {
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
        HED_TRY(add_value(vtp, array, value, word.data));
    }
done:
    return status;
}

HedStatus hed_vtp_read(HedVtp* vtp, HedVtpRole role) {
    HedVtpArray* array = &vtp->arrays[role];
    const HedVtpTag* tag = &array->tag;
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
    HedStatus status = is_raw ? read_raw(vtp, tag, &TYPES[i], array) : read_ascii(vtp, tag, array);
    if (status == HED_OK && array->values.count % ROLES[role].components != 0) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %d values must come by %d", vtp->name,
                        tag->text.data - vtp->data, array->values.count, ROLES[role].components);
    }
    return status;
}

// --- The file --------------------------------------------------------------------------------

HedStatus hed_vtp_begin(HedVtp* vtp, const char* data, size_t size, const char* name,
                        HedError* error) {
    *vtp = (HedVtp){.name = name, .data = data, .at = data, .end = data + size, .error = error};
    return read_tags(vtp);
}

void hed_vtp_free(HedVtp* vtp) {
    for (int32_t i = 0; i < HED_VTP_ROLE_COUNT; ++i) {
        hed_free(vtp->arrays[i].values.data);
    }
    *vtp = (HedVtp){0};
}

HedStatus hed_vtp_count(const HedVtp* vtp, const char* name, int32_t* count) {
    HedSpan found = vtp->piece.text.data ? attribute(&vtp->piece, name) : (HedSpan){vtp->data, 0};
    int64_t value = -1;
    if (found.size > 0 && (!hed_span_int64(found, &value) || value < 0 || value > INT32_MAX)) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %s must be a count, got '%s'",
                        vtp->name, vtp->piece.text.data - vtp->data, name, hed_quote(found).text);
    }
    *count = (int32_t)value;
    return HED_OK;
}

ptrdiff_t hed_vtp_place(const HedVtp* vtp, HedVtpRole role) {
    const char* at = vtp->arrays[role].tag.text.data;
    return at ? at - vtp->data : 0;
}

HedStatus hed_vtp_cell(const HedVtp* vtp, HedVtpRole corners, int32_t number, int32_t first,
                       int32_t* end) {
    const HedVtpRole ends = (HedVtpRole)(corners + 1);
    const char* what = corners == HED_VTP_LINE_CORNERS ? "line" : "polygon";
    int32_t corner_count = vtp->arrays[corners].values.count;
    int32_t point_count = vtp->arrays[HED_VTP_POINTS].values.count / 3;
    double last = vtp->arrays[ends].values.data[number];
    if (!(last >= first && last <= corner_count && last == floor(last))) {
        return hed_fail(vtp->error, HED_PARSE,
                        "%s: byte %td: the end of %s %d must be a whole number from %d to %d, "
                        "got %g",
                        vtp->name, hed_vtp_place(vtp, ends), what, number, first, corner_count,
                        last);
    }
    for (int32_t i = first; i < (int32_t)last; ++i) {
        double index = vtp->arrays[corners].values.data[i];
        if (!(index >= 0.0 && index < point_count && index == floor(index))) {
            return hed_fail(vtp->error, HED_PARSE,
                            "%s: byte %td: points of %s %d must be whole numbers below %d, got %g",
                            vtp->name, hed_vtp_place(vtp, corners), what, number, point_count,
                            index);
        }
    }
    *end = (int32_t)last;
    return HED_OK;
}
