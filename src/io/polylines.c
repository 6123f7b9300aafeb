// SPDX-License-Identifier: MIT
// Polylines of a Wavefront OBJ file: the statements 'l'. Many programs write a curve as pairs, one
// for each edge; pairs that follow each other and share an end are joined again.
#include "base/log.h"
#include "base/words.h"
#include "io/curves.h"
#include "io/mesh.h"
#include "io/obj_text.h"

typedef struct Polylines {
    HedObjText text;
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(int32_t) indices; // vertices of all polylines, one after the other
    HED_ARRAY(int32_t) sizes;   // vertices of each
    bool is_chain;              // the last polyline is made of pairs, and one more may join it
    HedObjFurthest furthest;
    int32_t face_count;
} Polylines;

static HedStatus no_memory(const Polylines* file) {
    return hed_fail_memory(file->text.error, file->text.name);
}

static HedStatus read_vertex(Polylines* file) {
    HedVec3 x = {0};
    HedStatus status = hed_obj_vertex(&file->text, &x);
    if (status == HED_OK && !HED_APPEND(&file->vertices, x)) {
        return no_memory(file);
    }
    return status;
}

// One point of a polyline: v or v/t. The texture is read as a number and forgotten.
static HedStatus read_point(Polylines* file, HedSpan word) {
    const HedObjText* text = &file->text;
    HedSpan rest = word;
    int64_t index = 0;
    int64_t texture = 0;
    bool ok = hed_obj_take_index(&rest, &index) && index != 0;
    ok = ok && (rest.size == 0 || hed_obj_take_index(&rest, &texture));
    if (!ok || rest.size > 0) {
        return hed_fail(text->error, HED_PARSE,
                        "%s:%d: a point of a polyline must be v or v/t, no index 0, got '%s'",
                        text->name, text->lines.number, hed_quote(word).text);
    }
    int32_t vertex = 0;
    if (!hed_obj_resolve(text, index, file->vertices.count, &file->furthest, &vertex)) {
        return hed_fail(text->error, HED_PARSE, "%s:%d: point '%s' of a polyline is out of range",
                        text->name, text->lines.number, hed_quote(word).text);
    }
    return HED_APPEND(&file->indices, vertex) ? HED_OK : no_memory(file);
}

// Joins the pair that stands behind the last polyline to it, either way round, if they share an
// end. The direction of a chain is free as long as it is one pair itself. A closed chain takes no
// more.
static bool join_pair(Polylines* file) {
    if (!file->is_chain) {
        return false;
    }
    int32_t size = file->sizes.data[file->sizes.count - 1];
    int32_t* pair = file->indices.data + file->indices.count - 2;
    int32_t* chain = pair - size;
    int32_t a = pair[0];
    int32_t b = pair[1];
    if (chain[0] == chain[size - 1]) {
        return false;
    }
    if (size == 2 && chain[1] != a && chain[1] != b) {
        int32_t end = chain[0];
        if (end != a && end != b) {
            return false;
        }
        chain[0] = chain[1];
        chain[1] = end;
    }
    int32_t tail = chain[size - 1];
    if (tail != a && tail != b) {
        return false;
    }
    pair[0] = tail == a ? b : a;
    --file->indices.count;
    ++file->sizes.data[file->sizes.count - 1];
    return true;
}

static HedStatus read_polyline(Polylines* file) {
    const HedObjText* text = &file->text;
    int32_t first = file->indices.count;
    HedSpan word;
    while (hed_obj_word(&file->text, &word)) {
        HedStatus status = read_point(file, word);
        if (status != HED_OK) {
            return status;
        }
    }
    int32_t size = file->indices.count - first;
    if (size < 2) {
        return hed_fail(text->error, HED_PARSE,
                        "%s:%d: a polyline needs at least 2 vertices, got %d", text->name,
                        text->lines.number, size);
    }
    if (size == 2 && join_pair(file)) {
        return HED_OK;
    }
    file->is_chain = size == 2;
    return HED_APPEND(&file->sizes, size) ? HED_OK : no_memory(file);
}

static HedStatus read_statements(Polylines* file) {
    HedStatus status = HED_OK;
    HedSpan keyword;
    while (status == HED_OK && hed_obj_statement(&file->text, &keyword)) {
        if (hed_span_equal(keyword, "v")) {
            status = read_vertex(file);
        } else if (hed_span_equal(keyword, "l")) {
            status = read_polyline(file);
        } else if (hed_span_equal(keyword, "o") || hed_span_equal(keyword, "g")) {
            file->is_chain = false;
        } else if (hed_span_equal(keyword, "f")) {
            ++file->face_count;
        }
    }
    return status;
}

// Curves do not share vertices: each gets its own copies.
static HedStatus copy_curves(const Polylines* file, HedCurveList* list) {
    if (file->indices.count > HED_MESH_LIMIT) {
        return hed_fail(file->text.error, HED_UNSUPPORTED, "%s: %d points of polylines, at most %d",
                        file->text.name, file->indices.count, HED_MESH_LIMIT);
    }
    if (!HED_RESERVE(&list->vertices, file->indices.count) ||
        !HED_RESERVE(&list->curves, file->sizes.count)) {
        return no_memory(file);
    }
    const int32_t* index = file->indices.data;
    for (int32_t i = 0; i < file->sizes.count; ++i) {
        int32_t size = file->sizes.data[i];
        HedCurve like = {.is_closed = index[0] == index[size - 1], .color = HED_COLOR_NONE};
        for (int32_t j = 0; j < size; ++j) {
            if (!hed_curve_list_point(list, file->vertices.data[index[j]])) {
                return no_memory(file);
            }
        }
        if (!hed_curve_list_end(list, like)) {
            return no_memory(file);
        }
        index += size;
    }
    return HED_OK;
}

HedStatus hed_polylines_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                              HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    Polylines file = {.text = hed_obj_begin(data, size, name, error)};
    HED_TRY(read_statements(&file));
    if (file.sizes.count == 0) {
        status = hed_fail(error, HED_NOT_FOUND, "%s: holds no polylines (%d vertices)", name,
                          file.vertices.count);
        goto done;
    }
    HED_TRY(hed_obj_check_range(&file.text, "vertex", file.furthest, file.vertices.count));
    HED_TRY(copy_curves(&file, &list));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
    if (file.face_count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d faces left out", name, file.face_count);
    }
done:
    hed_curve_list_free(&list);
    hed_free(file.vertices.data);
    hed_free(file.indices.data);
    hed_free(file.sizes.data);
    return status;
}
