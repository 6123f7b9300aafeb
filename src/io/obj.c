// SPDX-License-Identifier: MIT
// Wavefront OBJ: the lines v, vt and f; everything else is passed over. A face may name vertices
// that follow it in the file, so faces are kept as polygons and cut when all vertices are known.
#include "base/log.h"
#include "base/text.h"
#include "io/mesh.h"
#include "io/words.h"

#include <string.h>

// The largest index seen of one kind, and where: it tells at the end whether all were in range.
typedef struct Furthest {
    int32_t index;
    int32_t line;
} Furthest;

typedef struct Coordinates {
    double u, v;
} Coordinates;

typedef struct Obj {
    const char* name;
    HedLines lines;
    HedSpan rest;   // of the present line
    bool continued; // the present line goes on in the next
    HedPolygons polygons;
    HED_ARRAY(Coordinates) uv;
    HED_ARRAY(int32_t) corner_uv; // index into uv of each corner, -1 for none
    Furthest vertex, texture;
    HedError* error;
} Obj;

static void take_line(Obj* obj) {
    obj->rest = hed_span_trim(obj->lines.line);
    obj->continued = obj->rest.size > 0 && obj->rest.data[obj->rest.size - 1] == '\\';
    obj->rest.size -= obj->continued;
}

// The next word of a statement, over continued lines and up to a comment.
static bool next_word(Obj* obj, HedSpan* word) {
    while (!hed_span_word(&obj->rest, word)) {
        if (!obj->continued || !hed_lines_next(&obj->lines)) {
            return false;
        }
        take_line(obj);
    }
    if (word->data[0] == '#') {
        obj->rest.size = 0;
        obj->continued = false;
        return false;
    }
    return true;
}

static HedStatus read_number(Obj* obj, const char* what, double* value) {
    HedSpan word;
    if (!next_word(obj, &word)) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: %s is missing", obj->name, obj->lines.number,
                        what);
    }
    if (!hed_span_double(word, value)) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: %s must be a finite number, got '%s'",
                        obj->name, obj->lines.number, what, hed_quote(word).text);
    }
    return HED_OK;
}

static HedStatus read_vertex(Obj* obj) {
    HedStatus status = HED_OK;
    HedVec3 x = {0};
    HED_TRY(read_number(obj, "vertex x", &x.x));
    HED_TRY(read_number(obj, "vertex y", &x.y));
    HED_TRY(read_number(obj, "vertex z", &x.z));
    if (!HED_APPEND(&obj->polygons.vertices, x)) {
        return hed_fail_memory(obj->error, obj->name);
    }
done:
    return status;
}

static HedStatus read_texture(Obj* obj) {
    HedStatus status = HED_OK;
    Coordinates uv = {0};
    HedSpan word;
    HED_TRY(read_number(obj, "texture u", &uv.u));
    if (next_word(obj, &word) && !hed_span_double(word, &uv.v)) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: texture v must be a finite number, got '%s'",
                        obj->name, obj->lines.number, hed_quote(word).text);
    }
    if (!HED_APPEND(&obj->uv, uv)) {
        return hed_fail_memory(obj->error, obj->name);
    }
done:
    return status;
}

// Takes a signed integer and the slash behind it off the front of a word. Nothing before the slash
// gives 0, which is no index. False for anything else.
static bool take_index(HedSpan* word, int64_t* index) {
    const char* slash = memchr(word->data, '/', (size_t)word->size);
    HedSpan digits = *word;
    if (slash) {
        digits.size = (int32_t)(slash - word->data);
    }
    int32_t used = digits.size + (slash != NULL);
    *word = (HedSpan){word->data + used, word->size - used};
    int32_t i = digits.size > 0 && (digits.data[0] == '-' || digits.data[0] == '+');
    *index = 0;
    for (int32_t first = i; i < digits.size; ++i) {
        unsigned digit = (unsigned)digits.data[i] - '0';
        if (digit > 9 || i - first > 10) {
            return false;
        }
        *index = 10 * *index + digit;
    }
    if (digits.size > 0 && *index == 0) {
        return false;
    }
    *index = digits.size > 0 && digits.data[0] == '-' ? -*index : *index;
    return true;
}

// From the file's counting, from 1 or backwards from -1, to ours. Indices forward are judged at the
// end of the file.
static bool resolve_index(const Obj* obj, int64_t index, int32_t count, Furthest* furthest,
                          int32_t* resolved) {
    int64_t at = index > 0 ? index - 1 : count + index;
    if (at < 0 || at >= HED_MESH_LIMIT) {
        return false;
    }
    *resolved = (int32_t)at;
    if (at >= count && (furthest->line == 0 || at > furthest->index)) {
        *furthest = (Furthest){(int32_t)at, obj->lines.number};
    }
    return true;
}

// One corner: v, v/t, v//n or v/t/n. The normal is read as a number and forgotten.
static HedStatus read_corner(Obj* obj, HedSpan word) {
    HedSpan rest = word;
    int64_t index[3] = {0};
    bool ok = true;
    for (int32_t i = 0; i < 3 && (i == 0 || rest.size > 0) && ok; ++i) {
        ok = take_index(&rest, &index[i]);
    }
    if (!ok || rest.size > 0 || index[0] == 0) {
        return hed_fail(obj->error, HED_PARSE,
                        "%s:%d: a corner must be v, v/t, v//n or v/t/n, no index 0, got '%s'",
                        obj->name, obj->lines.number, hed_quote(word).text);
    }
    int32_t vertex = 0;
    int32_t texture = -1;
    if (!resolve_index(obj, index[0], obj->polygons.vertices.count, &obj->vertex, &vertex)) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: vertex of corner '%s' is out of range",
                        obj->name, obj->lines.number, hed_quote(word).text);
    }
    if (index[1] && !resolve_index(obj, index[1], obj->uv.count, &obj->texture, &texture)) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: texture of corner '%s' is out of range",
                        obj->name, obj->lines.number, hed_quote(word).text);
    }
    if (!HED_APPEND(&obj->polygons.corners, vertex) || !HED_APPEND(&obj->corner_uv, texture)) {
        return hed_fail_memory(obj->error, obj->name);
    }
    return HED_OK;
}

static HedStatus read_face(Obj* obj) {
    int32_t first = obj->polygons.corners.count;
    HedSpan word;
    while (next_word(obj, &word)) {
        HedStatus status = read_corner(obj, word);
        if (status != HED_OK) {
            return status;
        }
    }
    int32_t size = obj->polygons.corners.count - first;
    if (size < 3) {
        return hed_fail(obj->error, HED_PARSE, "%s:%d: a face needs at least 3 vertices, got %d",
                        obj->name, obj->lines.number, size);
    }
    if (!HED_APPEND(&obj->polygons.sizes, size)) {
        return hed_fail_memory(obj->error, obj->name);
    }
    return HED_OK;
}

static HedStatus read_lines(Obj* obj) {
    HedStatus status = HED_OK;
    while (status == HED_OK && hed_lines_next(&obj->lines)) {
        HedSpan keyword;
        take_line(obj);
        if (!next_word(obj, &keyword)) {
            continue;
        }
        if (hed_span_equal(keyword, "v")) {
            status = read_vertex(obj);
        } else if (hed_span_equal(keyword, "f")) {
            status = read_face(obj);
        } else if (hed_span_equal(keyword, "vt")) {
            status = read_texture(obj);
        }
    }
    return status;
}

static HedStatus check_range(const Obj* obj, const char* what, Furthest furthest, int32_t count) {
    if (furthest.line > 0 && furthest.index >= count) {
        return hed_fail(obj->error, HED_PARSE,
                        "%s:%d: %s index %d is out of range, the file has %d", obj->name,
                        furthest.line, what, furthest.index + 1, count);
    }
    return HED_OK;
}

// One pair of coordinates per vertex, if every corner of a vertex agrees on it. Along a seam they
// do not: then there is none for the whole mesh.
static HedStatus gather_uv(const Obj* obj, HedMesh* mesh) {
    if (obj->uv.count == 0) {
        return HED_OK;
    }
    HedStatus status = HED_OK;
    const char* fault = NULL;
    double* uv = HED_NEW_ARRAY(double, 2 * (int64_t)mesh->vertex_count);
    bool* is_set = HED_NEW_ARRAY(bool, mesh->vertex_count);
    if (!uv || !is_set) {
        status = hed_fail_memory(obj->error, obj->name);
        goto done;
    }
    for (int32_t i = 0; i < obj->corner_uv.count && !fault; ++i) {
        int32_t vertex = obj->polygons.corners.data[i];
        int32_t texture = obj->corner_uv.data[i];
        if (texture < 0) {
            fault = "corners without them";
            break;
        }
        Coordinates found = obj->uv.data[texture];
        double* kept = uv + 2 * (int64_t)vertex;
        if (is_set[vertex] && (kept[0] != found.u || kept[1] != found.v)) {
            fault = "vertices with two of them";
        }
        is_set[vertex] = true;
        kept[0] = found.u;
        kept[1] = found.v;
    }
    if (fault) {
        hed_log(HED_LOG_INFO, "%s: texture coordinates left out: there are %s", obj->name, fault);
    } else {
        mesh->uv = uv;
        uv = NULL;
    }
done:
    hed_free(uv);
    hed_free(is_set);
    return status;
}

HedStatus hed_obj_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                        HedError* error) {
    HedStatus status = HED_OK;
    Obj obj = {.name = name, .lines = hed_lines_begin(data, size), .error = error};
    HED_TRY(read_lines(&obj));
    HED_TRY(check_range(&obj, "vertex", obj.vertex, obj.polygons.vertices.count));
    HED_TRY(check_range(&obj, "texture", obj.texture, obj.uv.count));
    HED_TRY(hed_polygons_triangulate(&obj.polygons, name, mesh, error));
    HED_TRY(gather_uv(&obj, mesh));
done:
    hed_polygons_free(&obj.polygons);
    hed_free(obj.uv.data);
    hed_free(obj.corner_uv.data);
    return status;
}
