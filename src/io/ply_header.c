// SPDX-License-Identifier: MIT
#include "io/ply_header.h"
#include "base/words.h"
#include "io/mesh.h"

#include <inttypes.h>

static const HedPlyType TYPES[] = {
    {"char", "int8", HED_PLY_SIGNED, 1},    {"uchar", "uint8", HED_PLY_UNSIGNED, 1},
    {"short", "int16", HED_PLY_SIGNED, 2},  {"ushort", "uint16", HED_PLY_UNSIGNED, 2},
    {"int", "int32", HED_PLY_SIGNED, 4},    {"uint", "uint32", HED_PLY_UNSIGNED, 4},
    {"float", "float32", HED_PLY_FLOAT, 4}, {"double", "float64", HED_PLY_FLOAT, 8},
};

typedef struct Parser {
    const char* name;
    HedPlyHeader* header;
    bool has_format;
    HedError* error;
} Parser;

static HedStatus fail(const Parser* parser, const char* rule, HedSpan found) {
    return hed_fail(parser->error, HED_PARSE, "%s:%d: %s, got '%s'", parser->name,
                    parser->header->lines.number, rule, hed_quote(found).text);
}

static const HedPlyType* find_type(HedSpan word) {
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; ++i) {
        if (hed_span_equal(word, TYPES[i].name) || hed_span_equal(word, TYPES[i].alias)) {
            return &TYPES[i];
        }
    }
    return NULL;
}

static HedStatus read_format(Parser* parser, HedSpan rest) {
    HedSpan whole = hed_span_trim(rest);
    HedSpan kind;
    HedSpan version;
    hed_span_word(&rest, &kind);
    hed_span_word(&rest, &version);
    if (parser->has_format) {
        return fail(parser, "the format is given twice", whole);
    }
    if (hed_span_equal(kind, "ascii")) {
        parser->header->format = HED_PLY_ASCII;
    } else if (hed_span_equal(kind, "binary_little_endian")) {
        parser->header->format = HED_PLY_LITTLE;
    } else if (hed_span_equal(kind, "binary_big_endian")) {
        parser->header->format = HED_PLY_BIG;
    } else {
        return fail(parser, "format must be ascii, binary_little_endian or binary_big_endian",
                    whole);
    }
    if (!hed_span_equal(version, "1.0")) {
        return fail(parser, "format version must be 1.0", whole);
    }
    parser->has_format = true;
    return HED_OK;
}

static HedStatus read_element(Parser* parser, HedSpan rest) {
    HedPlyHeader* header = parser->header;
    HedPlyElement element = {.first = header->properties.count, .line = header->lines.number};
    HedSpan number;
    hed_span_word(&rest, &element.name);
    hed_span_word(&rest, &number);
    int64_t count = 0;
    if (element.name.size == 0) {
        return fail(parser, "expected 'element NAME COUNT'", header->lines.line);
    }
    if (!hed_span_int64(number, &count) || count < 0 || count > HED_MESH_LIMIT) {
        return fail(parser, "count of rows must be 0 to 536870911", number);
    }
    bool is_ours = hed_span_equal(element.name, "vertex") || hed_span_equal(element.name, "face");
    if (is_ours &&
        hed_ply_find_element(header, *element.name.data == 'v' ? "vertex" : "face") >= 0) {
        return fail(parser, "the element is declared twice", element.name);
    }
    element.row_count = (int32_t)count;
    if (!HED_APPEND(&header->elements, element)) {
        return hed_fail_memory(parser->error, parser->name);
    }
    return HED_OK;
}

static HedStatus read_property(Parser* parser, HedSpan rest) {
    HedPlyHeader* header = parser->header;
    HedPlyProperty property = {0};
    HedSpan word;
    hed_span_word(&rest, &word);
    if (header->elements.count == 0) {
        return fail(parser, "a property must follow an element", header->lines.line);
    }
    if (hed_span_equal(word, "list")) {
        hed_span_word(&rest, &word);
        property.count_type = find_type(word);
        if (!property.count_type || property.count_type->kind == HED_PLY_FLOAT) {
            return fail(parser, "length of a list must have an integer type", word);
        }
        hed_span_word(&rest, &word);
    }
    property.type = find_type(word);
    if (!property.type) {
        return fail(parser, "unknown type of property", word);
    }
    if (!hed_span_word(&rest, &property.name)) {
        return fail(parser, "a property needs a name", header->lines.line);
    }
    if (!HED_APPEND(&header->properties, property)) {
        return hed_fail_memory(parser->error, parser->name);
    }
    header->elements.data[header->elements.count - 1].property_count += 1;
    return HED_OK;
}

// Bytes may follow that happen to look like the second half of a line end. Where the first line
// ended in CR alone, so does the last.
static void end_header(HedTextLines* lines, char first_end) {
    const char* line_end = lines->line.data + lines->line.size;
    if (first_end == '\r' && lines->next - line_end == 2) {
        lines->next = line_end + 1;
    }
}

static HedStatus read_line(Parser* parser, HedSpan keyword, HedSpan rest) {
    if (hed_span_equal(keyword, "format")) {
        return read_format(parser, rest);
    }
    if (hed_span_equal(keyword, "element")) {
        return read_element(parser, rest);
    }
    if (hed_span_equal(keyword, "property")) {
        return read_property(parser, rest);
    }
    if (keyword.size == 0 || hed_span_equal(keyword, "comment") ||
        hed_span_equal(keyword, "obj_info")) {
        return HED_OK;
    }
    return fail(parser, "expected format, element, property, comment or end_header", keyword);
}

HedStatus hed_ply_header_parse(const char* data, size_t size, const char* name,
                               HedPlyHeader* header, HedError* error) {
    Parser parser = {.name = name, .header = header, .error = error};
    HedTextLines* lines = &header->lines;
    *lines = hed_lines_begin(data, size);
    if (!hed_lines_next(lines) || !hed_span_equal(hed_span_trim(lines->line), "ply")) {
        return hed_fail(error, HED_PARSE, "%s:1: a PLY file starts with 'ply', got '%s'", name,
                        hed_quote(lines->line).text);
    }
    const char* end = lines->line.data + lines->line.size;
    char first_end = (char)(lines->next - end == 1 ? *end : '\n');
    while (hed_lines_next(lines)) {
        HedSpan rest = lines->line;
        HedSpan keyword;
        if (rest.data + rest.size == lines->end) {
            break; // a line without its end
        }
        hed_span_word(&rest, &keyword);
        if (hed_span_equal(keyword, "end_header")) {
            end_header(lines, first_end);
            return parser.has_format ? HED_OK : fail(&parser, "the format is missing", keyword);
        }
        HedStatus status = read_line(&parser, keyword, rest);
        if (status != HED_OK) {
            return status;
        }
    }
    return hed_fail(error, HED_PARSE, "%s:%d: cut short: no end_header", name, lines->number);
}

void hed_ply_header_free(HedPlyHeader* header) {
    hed_free(header->elements.data);
    hed_free(header->properties.data);
    *header = (HedPlyHeader){0};
}

int32_t hed_ply_find_element(const HedPlyHeader* header, const char* name) {
    for (int32_t i = 0; i < header->elements.count; ++i) {
        if (hed_span_equal(header->elements.data[i].name, name)) {
            return i;
        }
    }
    return -1;
}

int32_t hed_ply_find_property(const HedPlyHeader* header, const HedPlyElement* element,
                              const char* name) {
    for (int32_t i = 0; i < element->property_count; ++i) {
        if (hed_span_equal(header->properties.data[element->first + i].name, name)) {
            return i;
        }
    }
    return -1;
}

int64_t hed_ply_least_bytes(const HedPlyHeader* header, const HedPlyElement* element) {
    int64_t row = 0;
    for (int32_t i = 0; i < element->property_count; ++i) {
        const HedPlyProperty* property = &header->properties.data[element->first + i];
        if (header->format == HED_PLY_ASCII) {
            row += 2; // a digit and what parts it from the next
        } else {
            row += property->count_type ? property->count_type->size : property->type->size;
        }
    }
    return row * element->row_count;
}
