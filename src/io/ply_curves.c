// SPDX-License-Identifier: MIT
// Curves in PLY: rows of the element `edge`, each a pair of vertices, and radius and colour of the
// vertices if they have some. A curve is like its first vertex.
#include "base/log.h"
#include "io/chains.h"
#include "io/ply_rows.h"
#include "math/vec3.h"

enum { ROLE_X, ROLE_Y, ROLE_Z, ROLE_RADIUS, ROLE_RED, ROLE_GREEN, ROLE_BLUE, ROLE_COUNT };

typedef struct PlyCurves {
    HedPlyRows rows;
    int32_t vertex_rows;
    int32_t face_rows;
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(HedCurve) likes; // radius and colour per vertex
    HedCurveChains chains;
} PlyCurves;

static HedStatus no_memory(const PlyCurves* file) {
    return hed_fail_memory(file->rows.error, file->rows.name);
}

static HedStatus find_roles(const HedPlyRows* rows, const HedPlyElement* element, int32_t* roles) {
    static const char* const NAMES[ROLE_COUNT] = {"x", "y", "z", "radius", "red", "green", "blue"};
    for (int32_t i = 0; i < ROLE_COUNT; ++i) {
        roles[i] = hed_ply_find_single(rows, element, NAMES[i]);
        if (i <= ROLE_Z && roles[i] < 0) {
            return hed_fail(rows->error, HED_PARSE, "%s:%d: element 'vertex' has no property '%s'",
                            rows->name, element->line, NAMES[i]);
        }
    }
    return HED_OK;
}

// Colours are bytes; what is outside is cut off.
static int32_t color_of(const double* values) {
    int32_t color = 0;
    for (int32_t i = 0; i < 3; ++i) {
        color = color << 8 | (int32_t)fmax(0.0, fmin(255.0, values[ROLE_RED + i]));
    }
    return color;
}

static HedStatus read_vertices(PlyCurves* file, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    int32_t roles[ROLE_COUNT];
    HED_TRY(find_roles(&file->rows, element, roles));
    bool has_color = roles[ROLE_RED] >= 0 && roles[ROLE_GREEN] >= 0 && roles[ROLE_BLUE] >= 0;
    if (!HED_RESERVE(&file->vertices, element->row_count) ||
        !HED_RESERVE(&file->likes, element->row_count)) {
        return no_memory(file);
    }
    for (int32_t i = 0; i < element->row_count; ++i) {
        double values[ROLE_COUNT] = {0};
        HED_TRY(hed_ply_begin_row(&file->rows, element));
        HED_TRY(hed_ply_read_roles(&file->rows, element, roles, ROLE_COUNT, values));
        HED_TRY(hed_ply_end_row(&file->rows));
        if (values[ROLE_RADIUS] < 0.0) {
            return hed_ply_fail_number(&file->rows, "a radius must not be negative",
                                       values[ROLE_RADIUS]);
        }
        file->vertices.data[i] = hed_vec3(values[ROLE_X], values[ROLE_Y], values[ROLE_Z]);
        file->likes.data[i] = (HedCurve){.radius = values[ROLE_RADIUS],
                                         .color = has_color ? color_of(values) : HED_COLOR_NONE};
    }
    file->vertices.count = file->likes.count = element->row_count;
done:
    return status;
}

static HedStatus read_edges(PlyCurves* file, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    HedPlyRows* rows = &file->rows;
    int32_t roles[2] = {hed_ply_find_single(rows, element, "vertex1"),
                        hed_ply_find_single(rows, element, "vertex2")};
    if (roles[0] < 0 || roles[1] < 0) {
        return hed_fail(rows->error, HED_PARSE,
                        "%s:%d: element 'edge' has no properties 'vertex1' and 'vertex2'",
                        rows->name, element->line);
    }
    for (int32_t i = 0; i < element->row_count; ++i) {
        double ends[2] = {0};
        HED_TRY(hed_ply_begin_row(rows, element));
        HED_TRY(hed_ply_read_roles(rows, element, roles, 2, ends));
        HED_TRY(hed_ply_end_row(rows));
        for (int32_t k = 0; k < 2; ++k) {
            if (!(ends[k] >= 0.0 && ends[k] < file->vertex_rows)) {
                return hed_ply_fail_number(rows, "index of a vertex is out of range", ends[k]);
            }
            if (!hed_curve_chains_add(&file->chains, (int32_t)ends[k])) {
                return no_memory(file);
            }
        }
        if (!hed_curve_chains_end(&file->chains)) {
            return no_memory(file);
        }
    }
done:
    return status;
}

static HedStatus read_elements(PlyCurves* file, int32_t vertex, int32_t edge) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < file->rows.header.elements.count; ++i) {
        const HedPlyElement* element = &file->rows.header.elements.data[i];
        HED_TRY(hed_ply_check_room(&file->rows, element));
        if (i == vertex) {
            HED_TRY(read_vertices(file, element));
        } else if (i == edge) {
            HED_TRY(read_edges(file, element));
        } else {
            HED_TRY(hed_ply_skip_rows(&file->rows, element));
        }
    }
    hed_ply_rows_end(&file->rows);
done:
    return status;
}

HedStatus hed_ply_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    PlyCurves file = {0};
    HED_TRY(hed_ply_rows_begin(&file.rows, data, size, name, error));
    const HedPlyHeader* header = &file.rows.header;
    int32_t vertex = hed_ply_find_element(header, "vertex");
    int32_t edge = hed_ply_find_element(header, "edge");
    int32_t face = hed_ply_find_element(header, "face");
    if (vertex < 0 || edge < 0 || header->elements.data[edge].row_count == 0) {
        status = hed_fail(error, HED_NOT_FOUND, "%s: holds no edges", name);
        goto done;
    }
    file.vertex_rows = header->elements.data[vertex].row_count;
    HED_TRY(read_elements(&file, vertex, edge));
    HED_TRY(hed_curve_chains_copy(&file.chains, file.vertices.data, file.likes.data, name, &list,
                                  error));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
    if (face >= 0 && header->elements.data[face].row_count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d faces left out", name, header->elements.data[face].row_count);
    }
done:
    hed_curve_list_free(&list);
    hed_ply_header_free(&file.rows.header);
    hed_curve_chains_free(&file.chains);
    hed_free(file.vertices.data);
    hed_free(file.likes.data);
    return status;
}
