// SPDX-License-Identifier: MIT
// Polylines of a Wavefront OBJ file: the statements 'l'. A curve has the colour of its first
// vertex.
#include "base/log.h"
#include "base/words.h"
#include "io/chains.h"
#include "io/obj_text.h"

typedef struct Polylines {
    HedObjText text;
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(HedCurve) likes; // colour per vertex
    HedCurveChains chains;
    HedObjFurthest furthest;
    int32_t face_count;
} Polylines;

static HedStatus no_memory(const Polylines* file) {
    return hed_fail_memory(file->text.error, file->text.name);
}

static HedStatus read_vertex(Polylines* file) {
    HedVec3 x = {0};
    HedStatus status = hed_obj_vertex(&file->text, &x);
    if (status != HED_OK) {
        return status;
    }
    HedCurve like = {.color = hed_obj_color(&file->text)};
    bool ok = HED_APPEND(&file->vertices, x) && HED_APPEND(&file->likes, like);
    return ok ? HED_OK : no_memory(file);
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
    return hed_curve_chains_add(&file->chains, vertex) ? HED_OK : no_memory(file);
}

static HedStatus read_polyline(Polylines* file) {
    const HedObjText* text = &file->text;
    HedSpan word;
    while (hed_obj_word(&file->text, &word)) {
        HedStatus status = read_point(file, word);
        if (status != HED_OK) {
            return status;
        }
    }
    int32_t size = hed_curve_chains_open_count(&file->chains);
    if (size < 2) {
        return hed_fail(text->error, HED_PARSE,
                        "%s:%d: a polyline needs at least 2 vertices, got %d", text->name,
                        text->lines.number, size);
    }
    return hed_curve_chains_end(&file->chains) ? HED_OK : no_memory(file);
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
            hed_curve_chains_part(&file->chains);
        } else if (hed_span_equal(keyword, "f")) {
            ++file->face_count;
        }
    }
    return status;
}

HedStatus hed_polylines_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                              HedError* error) {
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    Polylines file = {.text = hed_obj_begin(data, size, name, error)};
    HED_TRY(read_statements(&file));
    if (file.chains.sizes.count == 0) {
        status = hed_fail(error, HED_NOT_FOUND, "%s: holds no polylines (%d vertices)", name,
                          file.vertices.count);
        goto done;
    }
    HED_TRY(hed_obj_check_range(&file.text, "vertex", file.furthest, file.vertices.count));
    HED_TRY(hed_curve_chains_copy(&file.chains, file.vertices.data, file.likes.data, name, &list,
                                  error));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
    if (file.face_count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d faces left out", name, file.face_count);
    }
done:
    hed_curve_list_free(&list);
    hed_free(file.vertices.data);
    hed_free(file.likes.data);
    hed_curve_chains_free(&file.chains);
    return status;
}
