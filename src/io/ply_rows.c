// SPDX-License-Identifier: MIT
#include "io/ply_rows.h"
#include "base/log.h"
#include "io/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool hed_ply_is_ascii(const HedPlyRows* rows) {
    return rows->header.format == HED_PLY_ASCII;
}

HedStatus hed_ply_fail(const HedPlyRows* rows, const char* rule, HedQuote found) {
    if (hed_ply_is_ascii(rows)) {
        return hed_fail(rows->error, HED_PARSE, "%s:%d: %s%s%s%s", rows->name, rows->lines.number,
                        rule, found.text[0] ? ", got '" : "", found.text, found.text[0] ? "'" : "");
    }
    return hed_fail(rows->error, HED_PARSE, "%s: byte %td: %s%s%s", rows->name,
                    rows->value - rows->data, rule, found.text[0] ? ", got " : "", found.text);
}

HedStatus hed_ply_fail_number(const HedPlyRows* rows, const char* rule, double value) {
    HedQuote quote = {{0}};
    hed_format_double(value, quote.text);
    return hed_ply_fail(rows, rule, quote);
}

static HedStatus fail_short(const HedPlyRows* rows) {
    return hed_ply_is_ascii(rows)
               ? hed_ply_fail(rows, "the row has too few values", hed_quote(rows->lines.line))
               : hed_ply_fail(rows, "the file is cut short", (HedQuote){{0}});
}

static double decode(const char* bytes, const HedPlyType* type, HedPlyFormat format) {
    uint64_t bits = 0;
    for (int32_t i = 0; i < type->size; ++i) {
        int32_t shift = format == HED_PLY_LITTLE ? i : type->size - 1 - i;
        bits |= (uint64_t)(unsigned char)bytes[i] << (8 * shift);
    }
    if (type->kind == HED_PLY_UNSIGNED) {
        return (double)bits;
    }
    if (type->kind == HED_PLY_SIGNED) {
        int64_t half = INT64_C(1) << (8 * type->size - 1);
        int64_t value = (int64_t)bits;
        return (double)(value >= half ? value - 2 * half : value);
    }
    if (type->size == 4) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

HedStatus hed_ply_next_value(HedPlyRows* rows, const HedPlyType* type, double* value) {
    if (!hed_ply_is_ascii(rows)) {
        rows->value = rows->at;
        if (rows->data + rows->size - rows->at < type->size) {
            return fail_short(rows);
        }
        rows->at += type->size;
        if (value) {
            *value = decode(rows->value, type, rows->header.format);
        }
        return HED_OK;
    }
    HedSpan word;
    if (!hed_span_word(&rows->rest, &word)) {
        return fail_short(rows);
    }
    int64_t whole = 0;
    bool is_good = true;
    if (value && type->kind == HED_PLY_FLOAT) {
        is_good = hed_span_double(word, value);
    } else if (value) {
        is_good = hed_span_int64(word, &whole);
        *value = (double)whole;
    }
    return is_good ? HED_OK
                   : hed_ply_fail(rows,
                                  type->kind == HED_PLY_FLOAT ? "expected a finite number"
                                                              : "expected a whole number",
                                  hed_quote(word));
}

HedStatus hed_ply_next_length(HedPlyRows* rows, const HedPlyProperty* list, int32_t* length) {
    double value = 0.0;
    HedStatus status = hed_ply_next_value(rows, list->count_type, &value);
    if (status != HED_OK) {
        return status;
    }
    if (!(value >= 0.0 && value <= HED_MESH_LIMIT)) {
        return hed_ply_fail_number(rows, "length of a list is out of range", value);
    }
    *length = (int32_t)value;
    return HED_OK;
}

HedStatus hed_ply_skip_property(HedPlyRows* rows, const HedPlyProperty* property) {
    HedStatus status = HED_OK;
    int32_t length = 1;
    if (property->count_type) {
        HED_TRY(hed_ply_next_length(rows, property, &length));
    }
    for (int32_t i = 0; i < length; ++i) {
        HED_TRY(hed_ply_next_value(rows, property->type, NULL));
    }
done:
    return status;
}

HedStatus hed_ply_begin_row(HedPlyRows* rows, const HedPlyElement* element) {
    if (!hed_ply_is_ascii(rows) || element->property_count == 0) {
        return HED_OK;
    }
    do {
        if (!hed_lines_next(&rows->lines)) {
            return hed_ply_fail(rows, "cut short: missing rows of element",
                                hed_quote(element->name));
        }
        rows->rest = hed_span_trim(rows->lines.line);
    } while (rows->rest.size == 0);
    return HED_OK;
}

HedStatus hed_ply_end_row(const HedPlyRows* rows) {
    return hed_span_trim(rows->rest).size == 0
               ? HED_OK
               : hed_ply_fail(rows, "the row has too many values", hed_quote(rows->lines.line));
}

HedStatus hed_ply_check_room(HedPlyRows* rows, const HedPlyElement* element) {
    const char* at = hed_ply_is_ascii(rows) ? rows->lines.next : rows->at;
    int64_t left =
        rows->data + rows->size - at + hed_ply_is_ascii(rows); // the last line may lack its end
    int64_t needed = hed_ply_least_bytes(&rows->header, element);
    if (needed > left) {
        return hed_fail(rows->error, HED_PARSE,
                        "%s:%d: cut short: %d rows of element '%s' need at least %" PRId64
                        " bytes, %" PRId64 " are left",
                        rows->name, element->line, element->row_count,
                        hed_quote(element->name).text, needed, left);
    }
    return HED_OK;
}

HedStatus hed_ply_skip_rows(HedPlyRows* rows, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    for (int32_t row = 0; row < element->row_count && element->property_count > 0; ++row) {
        HED_TRY(hed_ply_begin_row(rows, element));
        for (int32_t i = 0; i < element->property_count; ++i) {
            HED_TRY(hed_ply_skip_property(rows, &rows->header.properties.data[element->first + i]));
        }
        HED_TRY(hed_ply_end_row(rows));
    }
done:
    return status;
}

int32_t hed_ply_find_single(const HedPlyRows* rows, const HedPlyElement* element,
                            const char* name) {
    int32_t index = hed_ply_find_property(&rows->header, element, name);
    bool is_single = index >= 0 && !rows->header.properties.data[element->first + index].count_type;
    return is_single ? index : -1;
}

static int32_t role_of(const int32_t* roles, int32_t role_count, int32_t index) {
    for (int32_t role = 0; role < role_count; ++role) {
        if (roles[role] == index) {
            return role;
        }
    }
    return -1;
}

HedStatus hed_ply_read_roles(HedPlyRows* rows, const HedPlyElement* element, const int32_t* roles,
                             int32_t role_count, double* values) {
    for (int32_t i = 0; i < element->property_count; ++i) {
        const HedPlyProperty* property = &rows->header.properties.data[element->first + i];
        int32_t role = role_of(roles, role_count, i);
        HedStatus status = role < 0 ? hed_ply_skip_property(rows, property)
                                    : hed_ply_next_value(rows, property->type, &values[role]);
        if (status != HED_OK) {
            return status;
        }
        if (role >= 0 && !isfinite(values[role])) {
            return hed_ply_fail_number(rows, "a vertex must be finite", values[role]);
        }
    }
    return HED_OK;
}

HedStatus hed_ply_rows_begin(HedPlyRows* rows, const char* data, size_t size, const char* name,
                             HedError* error) {
    *rows = (HedPlyRows){.name = name, .data = data, .size = size, .error = error};
    HedStatus status = hed_ply_header_parse(data, size, name, &rows->header, error);
    if (status == HED_OK) {
        rows->lines = rows->header.lines;
        rows->at = rows->value = rows->lines.next;
    }
    return status;
}

void hed_ply_rows_end(const HedPlyRows* rows) {
    const char* at = hed_ply_is_ascii(rows) ? rows->lines.next : rows->at;
    HedSpan left = {at, (int32_t)(rows->data + rows->size - at)};
    left = hed_ply_is_ascii(rows) ? hed_span_trim(left) : left;
    if (left.size > 0) {
        hed_log(HED_LOG_WARNING, "%s: %d bytes after the last row were not read", rows->name,
                left.size);
    }
}
