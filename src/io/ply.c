// SPDX-License-Identifier: MIT
// PLY: ascii and binary rows of the elements `vertex` and `face`; all others are passed over. In
// ascii each row is a line of its own. Two cursors of equal shape, one over words and one over
// bytes, let the same loops read both.
#include "base/log.h"
#include "base/words.h"
#include "io/mesh.h"
#include "io/ply_header.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <string.h>

typedef struct Ply {
    const char* name;
    const char* data;
    size_t size;
    HedPlyHeader header;
    HedLines lines;    // ascii: the present row
    HedSpan rest;      // ascii: what is left of it
    const char* at;    // binary: the next value
    const char* value; // binary: where the last value stood
    int32_t vertex_rows;
    HedPolygons polygons;
    double* uv;
    HedError* error;
} Ply;

// Where the properties that we want stand in a row of vertices; -1 for none.
enum { ROLE_X, ROLE_Y, ROLE_Z, ROLE_U, ROLE_V, ROLE_COUNT };

static bool is_ascii(const Ply* ply) {
    return ply->header.format == HED_PLY_ASCII;
}

// "file:line" in ascii, "file: byte n" otherwise, then what is wrong.
static HedStatus fail(const Ply* ply, const char* rule, HedQuote found) {
    if (is_ascii(ply)) {
        return hed_fail(ply->error, HED_PARSE, "%s:%d: %s%s%s%s", ply->name, ply->lines.number,
                        rule, found.text[0] ? ", got '" : "", found.text, found.text[0] ? "'" : "");
    }
    return hed_fail(ply->error, HED_PARSE, "%s: byte %td: %s%s%s", ply->name,
                    ply->value - ply->data, rule, found.text[0] ? ", got " : "", found.text);
}

static HedStatus fail_number(const Ply* ply, const char* rule, double value) {
    HedQuote quote = {{0}};
    hed_format_double(value, quote.text);
    return fail(ply, rule, quote);
}

static HedStatus fail_short(const Ply* ply) {
    return is_ascii(ply) ? fail(ply, "the row has too few values", hed_quote(ply->lines.line))
                         : fail(ply, "the file is cut short", (HedQuote){{0}});
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

// Passes over one value, and reads it unless value is NULL.
static HedStatus next_value(Ply* ply, const HedPlyType* type, double* value) {
    if (!is_ascii(ply)) {
        ply->value = ply->at;
        if (ply->data + ply->size - ply->at < type->size) {
            return fail_short(ply);
        }
        ply->at += type->size;
        if (value) {
            *value = decode(ply->value, type, ply->header.format);
        }
        return HED_OK;
    }
    HedSpan word;
    if (!hed_span_word(&ply->rest, &word)) {
        return fail_short(ply);
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
                   : fail(ply,
                          type->kind == HED_PLY_FLOAT ? "expected a finite number"
                                                      : "expected a whole number",
                          hed_quote(word));
}

static HedStatus next_length(Ply* ply, const HedPlyProperty* list, int32_t* length) {
    double value = 0.0;
    HedStatus status = next_value(ply, list->count_type, &value);
    if (status != HED_OK) {
        return status;
    }
    if (!(value >= 0.0 && value <= HED_MESH_LIMIT)) {
        return fail_number(ply, "length of a list is out of range", value);
    }
    *length = (int32_t)value;
    return HED_OK;
}

static HedStatus skip_property(Ply* ply, const HedPlyProperty* property) {
    HedStatus status = HED_OK;
    int32_t length = 1;
    if (property->count_type) {
        HED_TRY(next_length(ply, property, &length));
    }
    for (int32_t i = 0; i < length; ++i) {
        HED_TRY(next_value(ply, property->type, NULL));
    }
done:
    return status;
}

// Goes to the next line that is not blank; does nothing in binary files.
static HedStatus begin_row(Ply* ply, const HedPlyElement* element) {
    if (!is_ascii(ply) || element->property_count == 0) {
        return HED_OK;
    }
    do {
        if (!hed_lines_next(&ply->lines)) {
            return fail(ply, "cut short: missing rows of element", hed_quote(element->name));
        }
        ply->rest = hed_span_trim(ply->lines.line);
    } while (ply->rest.size == 0);
    return HED_OK;
}

static HedStatus end_row(const Ply* ply) {
    return hed_span_trim(ply->rest).size == 0
               ? HED_OK
               : fail(ply, "the row has too many values", hed_quote(ply->lines.line));
}

// Refuses a count of rows that the bytes left cannot hold, before anything is sized by it.
static HedStatus check_room(Ply* ply, const HedPlyElement* element) {
    const char* at = is_ascii(ply) ? ply->lines.next : ply->at;
    int64_t left = ply->data + ply->size - at + is_ascii(ply); // the last line may lack its end
    int64_t needed = hed_ply_least_bytes(&ply->header, element);
    if (needed > left) {
        return hed_fail(ply->error, HED_PARSE,
                        "%s:%d: cut short: %d rows of element '%s' need at least %" PRId64
                        " bytes, %" PRId64 " are left",
                        ply->name, element->line, element->row_count, hed_quote(element->name).text,
                        needed, left);
    }
    return HED_OK;
}

// --- Vertices --------------------------------------------------------------------------------

// The place of a single value of a vertex in a row; -1 for none, and for lists.
static int32_t find_single(const Ply* ply, const HedPlyElement* element, const char* name) {
    int32_t index = hed_ply_find_property(&ply->header, element, name);
    bool is_single = index >= 0 && !ply->header.properties.data[element->first + index].count_type;
    return is_single ? index : -1;
}

static HedStatus find_roles(const Ply* ply, const HedPlyElement* element, int32_t* roles) {
    static const char* const AXES[3] = {"x", "y", "z"};
    static const char* const PAIRS[3][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (int32_t i = 0; i < 3; ++i) {
        roles[ROLE_X + i] = find_single(ply, element, AXES[i]);
        if (roles[ROLE_X + i] < 0) {
            return hed_fail(ply->error, HED_PARSE, "%s:%d: element 'vertex' has no property '%s'",
                            ply->name, element->line, AXES[i]);
        }
    }
    roles[ROLE_U] = -1;
    roles[ROLE_V] = -1;
    for (int32_t i = 0; i < 3 && roles[ROLE_U] < 0; ++i) {
        int32_t u = find_single(ply, element, PAIRS[i][0]);
        int32_t v = find_single(ply, element, PAIRS[i][1]);
        if (u >= 0 && v >= 0) {
            roles[ROLE_U] = u;
            roles[ROLE_V] = v;
        }
    }
    return HED_OK;
}

static int32_t role_of(const int32_t* roles, int32_t index) {
    for (int32_t role = 0; role < ROLE_COUNT; ++role) {
        if (roles[role] == index) {
            return role;
        }
    }
    return -1;
}

static HedStatus read_vertex(Ply* ply, const HedPlyElement* element, const int32_t* roles,
                             double* values) {
    for (int32_t i = 0; i < element->property_count; ++i) {
        const HedPlyProperty* property = &ply->header.properties.data[element->first + i];
        int32_t role = role_of(roles, i);
        HedStatus status = role < 0 ? skip_property(ply, property)
                                    : next_value(ply, property->type, &values[role]);
        if (status != HED_OK) {
            return status;
        }
        if (role >= 0 && !isfinite(values[role])) {
            return fail_number(ply, "a vertex must be finite", values[role]);
        }
    }
    return HED_OK;
}

static HedStatus read_vertices(Ply* ply, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    int32_t roles[ROLE_COUNT];
    HED_TRY(find_roles(ply, element, roles));
    bool has_uv = roles[ROLE_U] >= 0;
    ply->uv = has_uv ? HED_NEW_ARRAY(double, 2 * (int64_t)element->row_count) : NULL;
    if ((has_uv && !ply->uv) || !HED_RESERVE(&ply->polygons.vertices, element->row_count)) {
        return hed_fail_memory(ply->error, ply->name);
    }
    for (int32_t i = 0; i < element->row_count; ++i) {
        double values[ROLE_COUNT] = {0};
        HED_TRY(begin_row(ply, element));
        HED_TRY(read_vertex(ply, element, roles, values));
        HED_TRY(end_row(ply));
        ply->polygons.vertices.data[i] = hed_vec3(values[ROLE_X], values[ROLE_Y], values[ROLE_Z]);
        if (has_uv) {
            ply->uv[2 * (int64_t)i] = values[ROLE_U];
            ply->uv[2 * (int64_t)i + 1] = values[ROLE_V];
        }
    }
    ply->polygons.vertices.count = element->row_count;
done:
    return status;
}

// --- Faces -----------------------------------------------------------------------------------

static HedStatus read_polygon(Ply* ply, const HedPlyProperty* list) {
    HedStatus status = HED_OK;
    int32_t length = 0;
    HED_TRY(next_length(ply, list, &length));
    if (length < 3) {
        return fail_number(ply, "a face needs at least 3 vertices", length);
    }
    for (int32_t i = 0; i < length; ++i) {
        double index = 0.0;
        HED_TRY(next_value(ply, list->type, &index));
        if (!(index >= 0.0 && index < ply->vertex_rows)) {
            return fail_number(ply, "index of a vertex is out of range", index);
        }
        if (!HED_APPEND(&ply->polygons.corners, (int32_t)index)) {
            return hed_fail_memory(ply->error, ply->name);
        }
    }
    if (!HED_APPEND(&ply->polygons.sizes, length) ||
        (is_ascii(ply) && !HED_APPEND(&ply->polygons.lines, ply->lines.number))) {
        return hed_fail_memory(ply->error, ply->name);
    }
done:
    return status;
}

static HedStatus find_list(const Ply* ply, const HedPlyElement* element, int32_t* list) {
    *list = hed_ply_find_property(&ply->header, element, "vertex_indices");
    if (*list < 0) {
        *list = hed_ply_find_property(&ply->header, element, "vertex_index");
    }
    const HedPlyProperty* property =
        *list < 0 ? NULL : &ply->header.properties.data[element->first + *list];
    if (!property || !property->count_type || property->type->kind == HED_PLY_FLOAT) {
        return hed_fail(ply->error, HED_PARSE,
                        "%s:%d: element 'face' has no list of integers 'vertex_indices' or "
                        "'vertex_index'",
                        ply->name, element->line);
    }
    return HED_OK;
}

static HedStatus read_faces(Ply* ply, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    int32_t list = -1;
    HED_TRY(find_list(ply, element, &list));
    for (int32_t row = 0; row < element->row_count; ++row) {
        HED_TRY(begin_row(ply, element));
        for (int32_t i = 0; i < element->property_count; ++i) {
            const HedPlyProperty* property = &ply->header.properties.data[element->first + i];
            HED_TRY(i == list ? read_polygon(ply, property) : skip_property(ply, property));
        }
        HED_TRY(end_row(ply));
    }
done:
    return status;
}

static HedStatus skip_rows(Ply* ply, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    for (int32_t row = 0; row < element->row_count && element->property_count > 0; ++row) {
        HED_TRY(begin_row(ply, element));
        for (int32_t i = 0; i < element->property_count; ++i) {
            HED_TRY(skip_property(ply, &ply->header.properties.data[element->first + i]));
        }
        HED_TRY(end_row(ply));
    }
done:
    return status;
}

static HedStatus read_elements(Ply* ply, int32_t vertex, int32_t face) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < ply->header.elements.count; ++i) {
        const HedPlyElement* element = &ply->header.elements.data[i];
        HED_TRY(check_room(ply, element));
        if (i == vertex) {
            HED_TRY(read_vertices(ply, element));
        } else if (i == face) {
            HED_TRY(read_faces(ply, element));
        } else {
            HED_TRY(skip_rows(ply, element));
        }
    }
    const char* at = is_ascii(ply) ? ply->lines.next : ply->at;
    HedSpan left = {at, (int32_t)(ply->data + ply->size - at)};
    left = is_ascii(ply) ? hed_span_trim(left) : left;
    if (left.size > 0) {
        hed_log(HED_LOG_WARNING, "%s: %d bytes after the last row were not read", ply->name,
                left.size);
    }
done:
    return status;
}

// From vertices to corners.
static HedStatus gather_uv(const Ply* ply, HedMesh* mesh) {
    if (!ply->uv) {
        return HED_OK;
    }
    int64_t count = 3 * (int64_t)mesh->triangle_count;
    mesh->uv = HED_NEW_ARRAY(double, 2 * count);
    if (!mesh->uv) {
        return hed_fail_memory(ply->error, ply->name);
    }
    for (int64_t i = 0; i < count; ++i) {
        memcpy(mesh->uv + 2 * i, ply->uv + 2 * (int64_t)mesh->triangles[i], 2 * sizeof(double));
    }
    return HED_OK;
}

HedStatus hed_ply_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error) {
    HedStatus status = HED_OK;
    Ply ply = {.name = name, .data = data, .size = size, .error = error};
    HED_TRY(hed_ply_header_parse(data, size, name, &ply.header, error));
    ply.lines = ply.header.lines;
    ply.at = ply.value = ply.lines.next;
    int32_t vertex = hed_ply_find_element(&ply.header, "vertex");
    int32_t face = hed_ply_find_element(&ply.header, "face");
    if (face < 0 && hed_ply_find_element(&ply.header, "tristrips") >= 0) {
        status =
            hed_fail(error, HED_UNSUPPORTED, "%s: triangle strips are not read, only faces", name);
        goto done;
    }
    if (vertex < 0 || face < 0) {
        status = hed_fail(error, HED_PARSE, "%s:%d: the header has no element '%s'", name,
                          ply.lines.number, vertex < 0 ? "vertex" : "face");
        goto done;
    }
    ply.vertex_rows = ply.header.elements.data[vertex].row_count;
    HED_TRY(read_elements(&ply, vertex, face));
    HED_TRY(hed_polygons_triangulate(&ply.polygons, name, mesh, error));
    HED_TRY(gather_uv(&ply, mesh));
done:
    hed_ply_header_free(&ply.header);
    hed_polygons_free(&ply.polygons);
    hed_free(ply.uv);
    return status;
}
