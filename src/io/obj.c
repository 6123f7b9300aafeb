// SPDX-License-Identifier: MIT
// Wavefront OBJ: the lines v, vt and f; everything else is passed over. A face may name vertices
// that follow it in the file, so faces are kept as polygons and cut when all vertices are known.
#include "base/log.h"
#include "base/words.h"
#include "io/mesh.h"
#include "io/obj_text.h"

typedef struct Coordinates {
    double u, v;
} Coordinates;

typedef struct Obj {
    HedObjText text;
    HedPolygons polygons;
    HED_ARRAY(Coordinates) uv;
    HED_ARRAY(int32_t) corner_uv; // index into uv of each corner, -1 for none
    HedObjFurthest vertex, texture;
    int32_t polyline_count; // statements 'l', which are no part of a mesh
} Obj;

static HedStatus no_memory(const Obj* obj) {
    return hed_fail_memory(obj->text.error, obj->text.name);
}

static HedStatus read_vertex(Obj* obj) {
    HedVec3 x = {0};
    HedStatus status = hed_obj_vertex(&obj->text, &x);
    if (status == HED_OK && !HED_APPEND(&obj->polygons.vertices, x)) {
        return no_memory(obj);
    }
    return status;
}

static HedStatus read_texture(Obj* obj) {
    HedStatus status = HED_OK;
    Coordinates uv = {0};
    HedSpan word;
    HED_TRY(hed_obj_number(&obj->text, "texture u", &uv.u));
    if (hed_obj_word(&obj->text, &word) && !hed_span_double(word, &uv.v)) {
        return hed_fail(obj->text.error, HED_PARSE,
                        "%s:%d: texture v must be a finite number, got '%s'", obj->text.name,
                        obj->text.lines.number, hed_quote(word).text);
    }
    if (!HED_APPEND(&obj->uv, uv)) {
        return no_memory(obj);
    }
done:
    return status;
}

// One corner: v, v/t, v//n or v/t/n. The normal is read as a number and forgotten.
static HedStatus read_corner(Obj* obj, HedSpan word) {
    HedSpan rest = word;
    int64_t index[3] = {0};
    bool ok = true;
    for (int32_t i = 0; i < 3 && (i == 0 || rest.size > 0) && ok; ++i) {
        ok = hed_obj_take_index(&rest, &index[i]);
    }
    if (!ok || rest.size > 0 || index[0] == 0) {
        return hed_fail(obj->text.error, HED_PARSE,
                        "%s:%d: a corner must be v, v/t, v//n or v/t/n, no index 0, got '%s'",
                        obj->text.name, obj->text.lines.number, hed_quote(word).text);
    }
    int32_t vertex = 0;
    int32_t texture = -1;
    if (!hed_obj_resolve(&obj->text, index[0], obj->polygons.vertices.count, &obj->vertex,
                         &vertex)) {
        return hed_fail(obj->text.error, HED_PARSE, "%s:%d: vertex of corner '%s' is out of range",
                        obj->text.name, obj->text.lines.number, hed_quote(word).text);
    }
    if (index[1] &&
        !hed_obj_resolve(&obj->text, index[1], obj->uv.count, &obj->texture, &texture)) {
        return hed_fail(obj->text.error, HED_PARSE, "%s:%d: texture of corner '%s' is out of range",
                        obj->text.name, obj->text.lines.number, hed_quote(word).text);
    }
    if (!HED_APPEND(&obj->polygons.corners, vertex) || !HED_APPEND(&obj->corner_uv, texture)) {
        return no_memory(obj);
    }
    return HED_OK;
}

static HedStatus read_face(Obj* obj) {
    int32_t first = obj->polygons.corners.count;
    HedSpan word;
    while (hed_obj_word(&obj->text, &word)) {
        HedStatus status = read_corner(obj, word);
        if (status != HED_OK) {
            return status;
        }
    }
    int32_t size = obj->polygons.corners.count - first;
    if (size < 3) {
        return hed_fail(obj->text.error, HED_PARSE,
                        "%s:%d: a face needs at least 3 vertices, got %d", obj->text.name,
                        obj->text.lines.number, size);
    }
    if (!HED_APPEND(&obj->polygons.sizes, size) ||
        !HED_APPEND(&obj->polygons.lines, obj->text.lines.number)) {
        return no_memory(obj);
    }
    return HED_OK;
}

static HedStatus read_lines(Obj* obj) {
    HedStatus status = HED_OK;
    HedSpan keyword;
    while (status == HED_OK && hed_obj_statement(&obj->text, &keyword)) {
        if (hed_span_equal(keyword, "v")) {
            status = read_vertex(obj);
        } else if (hed_span_equal(keyword, "f")) {
            status = read_face(obj);
        } else if (hed_span_equal(keyword, "vt")) {
            status = read_texture(obj);
        } else if (hed_span_equal(keyword, "l")) {
            ++obj->polyline_count;
        }
    }
    return status;
}

// Coordinates of every corner, or of none if one has none.
static HedStatus gather_uv(const Obj* obj, HedMesh* mesh) {
    if (obj->uv.count == 0) {
        return HED_OK;
    }
    for (int32_t i = 0; i < obj->corner_uv.count; ++i) {
        if (obj->corner_uv.data[i] < 0) {
            hed_log(HED_LOG_INFO,
                    "%s: texture coordinates left out: there are corners without them",
                    obj->text.name);
            return HED_OK;
        }
    }
    int64_t count = 3 * (int64_t)mesh->triangle_count;
    mesh->uv = HED_NEW_ARRAY(double, 2 * count);
    if (!mesh->uv) {
        return no_memory(obj);
    }
    for (int64_t i = 0; i < count; ++i) {
        Coordinates found = obj->uv.data[obj->corner_uv.data[obj->polygons.sources[i]]];
        mesh->uv[2 * i] = found.u;
        mesh->uv[2 * i + 1] = found.v;
    }
    return HED_OK;
}

HedStatus hed_obj_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error) {
    HedStatus status = HED_OK;
    Obj obj = {.text = hed_obj_begin(data, size, name, error)};
    HED_TRY(read_lines(&obj));
    HED_TRY(hed_obj_check_range(&obj.text, "vertex", obj.vertex, obj.polygons.vertices.count));
    HED_TRY(hed_obj_check_range(&obj.text, "texture", obj.texture, obj.uv.count));
    HED_TRY(hed_polygons_triangulate(&obj.polygons, name, mesh, error));
    HED_TRY(gather_uv(&obj, mesh));
    if (obj.polyline_count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d polylines left out: the file has faces", name,
                obj.polyline_count);
    }
done:
    hed_polygons_free(&obj.polygons);
    hed_free(obj.uv.data);
    hed_free(obj.corner_uv.data);
    return status;
}
