// SPDX-License-Identifier: MIT
// Meshes in PLY: rows of the elements `vertex` and `face`; all others are passed over.
#include "base/log.h"
#include "io/mesh.h"
#include "io/ply_rows.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

typedef struct Ply {
    HedPlyRows rows;
    int32_t vertex_rows;
    HedPolygons polygons;
    double* uv;                  // two per vertex; NULL if vertices have none
    HED_ARRAY(double) corner_uv; // two per corner of a polygon, NAN for none; empty without any
} Ply;

// Where the properties that we want stand in a row of vertices; -1 for none.
enum { ROLE_X, ROLE_Y, ROLE_Z, ROLE_U, ROLE_V, ROLE_COUNT };

// --- Vertices --------------------------------------------------------------------------------

static HedStatus find_roles(const Ply* ply, const HedPlyElement* element, int32_t* roles) {
    static const char* const AXES[3] = {"x", "y", "z"};
    static const char* const PAIRS[3][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (int32_t i = 0; i < 3; ++i) {
        roles[ROLE_X + i] = hed_ply_find_single(&ply->rows, element, AXES[i]);
        if (roles[ROLE_X + i] < 0) {
            return hed_fail(ply->rows.error, HED_PARSE,
                            "%s:%d: element 'vertex' has no property '%s'", ply->rows.name,
                            element->line, AXES[i]);
        }
    }
    roles[ROLE_U] = -1;
    roles[ROLE_V] = -1;
    for (int32_t i = 0; i < 3 && roles[ROLE_U] < 0; ++i) {
        int32_t u = hed_ply_find_single(&ply->rows, element, PAIRS[i][0]);
        int32_t v = hed_ply_find_single(&ply->rows, element, PAIRS[i][1]);
        if (u >= 0 && v >= 0) {
            roles[ROLE_U] = u;
            roles[ROLE_V] = v;
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
        return hed_fail_memory(ply->rows.error, ply->rows.name);
    }
    for (int32_t i = 0; i < element->row_count; ++i) {
        double values[ROLE_COUNT] = {0};
        HED_TRY(hed_ply_begin_row(&ply->rows, element));
        HED_TRY(hed_ply_read_roles(&ply->rows, element, roles, ROLE_COUNT, values));
        HED_TRY(hed_ply_end_row(&ply->rows));
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
    HED_TRY(hed_ply_next_length(&ply->rows, list, &length));
    if (length < 3) {
        return hed_ply_fail_number(&ply->rows, "a face needs at least 3 vertices", length);
    }
    for (int32_t i = 0; i < length; ++i) {
        double index = 0.0;
        HED_TRY(hed_ply_next_value(&ply->rows, list->type, &index));
        if (!(index >= 0.0 && index < ply->vertex_rows)) {
            return hed_ply_fail_number(&ply->rows, "index of a vertex is out of range", index);
        }
        if (!HED_APPEND(&ply->polygons.corners, (int32_t)index)) {
            return hed_fail_memory(ply->rows.error, ply->rows.name);
        }
    }
    if (!HED_APPEND(&ply->polygons.sizes, length) ||
        (hed_ply_is_ascii(&ply->rows) &&
         !HED_APPEND(&ply->polygons.lines, ply->rows.lines.number))) {
        return hed_fail_memory(ply->rows.error, ply->rows.name);
    }
done:
    return status;
}

static HedStatus find_list(const Ply* ply, const HedPlyElement* element, int32_t* list) {
    *list = hed_ply_find_property(&ply->rows.header, element, "vertex_indices");
    if (*list < 0) {
        *list = hed_ply_find_property(&ply->rows.header, element, "vertex_index");
    }
    const HedPlyProperty* property =
        *list < 0 ? NULL : &ply->rows.header.properties.data[element->first + *list];
    if (!property || !property->count_type || property->type->kind == HED_PLY_FLOAT) {
        return hed_fail(ply->rows.error, HED_PARSE,
                        "%s:%d: element 'face' has no list of integers 'vertex_indices' or "
                        "'vertex_index'",
                        ply->rows.name, element->line);
    }
    return HED_OK;
}

// Texture coordinates of a face's corners, two for each, as MeshLab has them; -1 for none.
static int32_t find_texcoord(const Ply* ply, const HedPlyElement* element) {
    int32_t list = hed_ply_find_property(&ply->rows.header, element, "texcoord");
    const HedPlyProperty* property =
        list < 0 ? NULL : &ply->rows.header.properties.data[element->first + list];
    return property && property->count_type && property->type->kind == HED_PLY_FLOAT ? list : -1;
}

static HedStatus read_texcoord(Ply* ply, const HedPlyProperty* list) {
    HedStatus status = HED_OK;
    int32_t length = 0;
    HED_TRY(hed_ply_next_length(&ply->rows, list, &length));
    for (int32_t i = 0; i < length; ++i) {
        double value = 0.0;
        HED_TRY(hed_ply_next_value(&ply->rows, list->type, &value));
        if (!isfinite(value)) {
            return hed_ply_fail_number(&ply->rows, "a texture coordinate must be finite", value);
        }
        if (!HED_APPEND(&ply->corner_uv, value)) {
            return hed_fail_memory(ply->rows.error, ply->rows.name);
        }
    }
done:
    return status;
}

// A face that has not two numbers for each of its corners has none.
static HedStatus fit_texcoord(Ply* ply) {
    int64_t wanted = 2 * (int64_t)ply->polygons.corners.count;
    int64_t size = 2 * (int64_t)ply->polygons.sizes.data[ply->polygons.sizes.count - 1];
    if (ply->corner_uv.count == wanted) {
        return HED_OK;
    }
    ply->corner_uv.count = (int32_t)(wanted - size);
    if (!HED_RESERVE(&ply->corner_uv, size)) {
        return hed_fail_memory(ply->rows.error, ply->rows.name);
    }
    while (ply->corner_uv.count < wanted) {
        ply->corner_uv.data[ply->corner_uv.count++] = NAN;
    }
    return HED_OK;
}

static HedStatus read_face(Ply* ply, const HedPlyElement* element, int32_t list, int32_t texcoord) {
    HedStatus status = HED_OK;
    HED_TRY(hed_ply_begin_row(&ply->rows, element));
    for (int32_t i = 0; i < element->property_count; ++i) {
        const HedPlyProperty* property = &ply->rows.header.properties.data[element->first + i];
        if (i == list) {
            HED_TRY(read_polygon(ply, property));
        } else if (i == texcoord) {
            HED_TRY(read_texcoord(ply, property));
        } else {
            HED_TRY(hed_ply_skip_property(&ply->rows, property));
        }
    }
    HED_TRY(hed_ply_end_row(&ply->rows));
    HED_TRY(texcoord < 0 ? HED_OK : fit_texcoord(ply));
done:
    return status;
}

static HedStatus read_faces(Ply* ply, const HedPlyElement* element) {
    HedStatus status = HED_OK;
    int32_t list = -1;
    HED_TRY(find_list(ply, element, &list));
    int32_t texcoord = find_texcoord(ply, element);
    for (int32_t row = 0; row < element->row_count; ++row) {
        HED_TRY(read_face(ply, element, list, texcoord));
    }
done:
    return status;
}

static HedStatus read_elements(Ply* ply, int32_t vertex, int32_t face) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < ply->rows.header.elements.count; ++i) {
        const HedPlyElement* element = &ply->rows.header.elements.data[i];
        HED_TRY(hed_ply_check_room(&ply->rows, element));
        if (i == vertex) {
            HED_TRY(read_vertices(ply, element));
        } else if (i == face) {
            HED_TRY(read_faces(ply, element));
        } else {
            HED_TRY(hed_ply_skip_rows(&ply->rows, element));
        }
    }
    hed_ply_rows_end(&ply->rows);
done:
    return status;
}

// Of the corners of triangles: what faces say, else what vertices say. A mesh of which some corners
// have none has none.
static HedStatus gather_uv(const Ply* ply, HedMesh* mesh) {
    const double* of_corners = ply->corner_uv.data;
    if (!ply->uv && !of_corners) {
        return HED_OK;
    }
    int64_t count = 3 * (int64_t)mesh->triangle_count;
    mesh->uv = HED_NEW_ARRAY(double, 2 * count);
    if (!mesh->uv) {
        return hed_fail_memory(ply->rows.error, ply->rows.name);
    }
    for (int64_t i = 0; i < count; ++i) {
        const double* uv = of_corners ? of_corners + 2 * (int64_t)ply->polygons.sources[i] : NULL;
        if (!uv || isnan(uv[0])) {
            uv = ply->uv ? ply->uv + 2 * (int64_t)mesh->triangles[i] : NULL;
        }
        if (!uv) {
            hed_log(HED_LOG_INFO,
                    "%s: texture coordinates left out: there are corners without them",
                    ply->rows.name);
            hed_free(mesh->uv);
            mesh->uv = NULL;
            return HED_OK;
        }
        memcpy(mesh->uv + 2 * i, uv, 2 * sizeof(double));
    }
    return HED_OK;
}

// Faces are needed; a file that has edges instead may hold curves.
static HedStatus find_elements(const Ply* ply, int32_t* vertex, int32_t* face) {
    const HedPlyRows* rows = &ply->rows;
    *vertex = hed_ply_find_element(&rows->header, "vertex");
    *face = hed_ply_find_element(&rows->header, "face");
    if (*face < 0 && hed_ply_find_element(&rows->header, "tristrips") >= 0) {
        return hed_fail(rows->error, HED_UNSUPPORTED,
                        "%s: triangle strips are not read, only faces", rows->name);
    }
    if (*vertex >= 0 && *face < 0 && hed_ply_find_element(&rows->header, "edge") >= 0) {
        return hed_fail(rows->error, HED_NOT_FOUND, "%s: holds edges, no faces", rows->name);
    }
    if (*vertex < 0 || *face < 0) {
        return hed_fail(rows->error, HED_PARSE, "%s:%d: the header has no element '%s'", rows->name,
                        rows->lines.number, *vertex < 0 ? "vertex" : "face");
    }
    return HED_OK;
}

HedStatus hed_ply_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error) {
    HedStatus status = HED_OK;
    Ply ply = {0};
    int32_t vertex = -1, face = -1;
    HED_TRY(hed_ply_rows_begin(&ply.rows, data, size, name, error));
    HED_TRY(find_elements(&ply, &vertex, &face));
    ply.vertex_rows = ply.rows.header.elements.data[vertex].row_count;
    HED_TRY(read_elements(&ply, vertex, face));
    HED_TRY(hed_polygons_triangulate(&ply.polygons, name, mesh, error));
    HED_TRY(gather_uv(&ply, mesh));
    int32_t edge = hed_ply_find_element(&ply.rows.header, "edge");
    if (edge >= 0 && ply.rows.header.elements.data[edge].row_count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d edges left out: the file has faces", name,
                ply.rows.header.elements.data[edge].row_count);
    }
done:
    hed_ply_header_free(&ply.rows.header);
    hed_polygons_free(&ply.polygons);
    hed_free(ply.uv);
    hed_free(ply.corner_uv.data);
    return status;
}
