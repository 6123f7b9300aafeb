// SPDX-License-Identifier: MIT
#include "io/curves.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/words.h"
#include "io/readers.h"

#include <inttypes.h>

static HedStatus read_bcc(HedInput input, void* out, HedError* error) {
    return hed_bcc_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_polylines(HedInput input, void* out, HedError* error) {
    return hed_polylines_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_yarns(HedInput input, void* out, HedError* error) {
    return hed_yarns_file_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_edges(HedInput input, void* out, HedError* error) {
    return hed_ply_curves_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_usda(HedInput input, void* out, HedError* error) {
    return hed_usda_curves_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_vtp(HedInput input, void* out, HedError* error) {
    return hed_vtp_curves_parse(input.data, input.size, input.name, out, error);
}

static HedStatus read_pattern(HedInput input, void* out, HedError* error) {
    return hed_pyp_parse(input.data, input.size, input.name, out, error);
}

static const HedReader LIST[] = {{"bcc", read_bcc, false},    {"obj", read_polylines, true},
                                 {"ply", read_edges, false},  {"yarns", read_yarns, false},
                                 {"pyp", read_pattern, true}, {"usda", read_usda, true},
                                 {"vtp", read_vtp, false}};
static const HedReaders READERS = {"curves", "bcc, obj, ply, yarns, pyp, usda and vtp", LIST,
                                   sizeof LIST / sizeof LIST[0]};

HedStatus hed_curves_parse(const char* data, size_t size, const char* format, const char* name,
                           HedCurves* curves, HedError* error) {
    *curves = (HedCurves){0};
    HedInput input = {data, size, name};
    return hed_readers_parse(&READERS, input, format, curves, error);
}

HedStatus hed_curves_load(const char* path, HedCurves* curves, HedError* error) {
    *curves = (HedCurves){0};
    return hed_readers_load(&READERS, path, curves, error);
}

void hed_curves_free(HedCurves* curves) {
    if (curves) {
        hed_free(curves->vertices);
        hed_free(curves->curves);
        *curves = (HedCurves){0};
    }
}

// An OBJ, PLY or VTK file may hold faces, polylines or both. Faces win: polylines beside them are
// mostly helper lines of a model, unless they have the radius of yarns.
static HedStatus parse_either(HedText text, const char* path, HedMesh* mesh, HedCurves* curves,
                              HedError* error) {
    const char* format = hed_path_extension(path);
    bool are_yarns = hed_same_word(format, "vtp") && hed_vtp_holds_yarns(text.data, text.size);
    HedStatus status =
        are_yarns ? HED_NOT_FOUND : hed_mesh_parse(text.data, text.size, format, path, mesh, error);
    if (status != HED_NOT_FOUND) {
        return status;
    }
    status = hed_curves_parse(text.data, text.size, format, path, curves, error);
    if (status == HED_NOT_FOUND) {
        return hed_fail(error, status, "%s: holds neither faces nor polylines", path);
    }
    return status;
}

HedStatus hed_geometry_load(const char* path, HedMesh* mesh, HedCurves* curves, HedError* error) {
    HedStatus status = HED_OK;
    HedText text = {0};
    const char* extension = hed_path_extension(path);
    *mesh = (HedMesh){0};
    *curves = (HedCurves){0};
    static const char* const CURVES[] = {"bcc", "yarns", "pyp", "usda"};
    bool is_curves = false;
    for (size_t i = 0; i < sizeof CURVES / sizeof CURVES[0]; ++i) {
        is_curves = is_curves || hed_same_word(extension, CURVES[i]);
    }
    if (is_curves) {
        return hed_curves_load(path, curves, error);
    }
    if (!hed_same_word(extension, "obj") && !hed_same_word(extension, "ply") &&
        !hed_same_word(extension, "vtp")) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "%s: cannot read format '%s', only bcc, obj, ply, pyp, "
                        "usda, vtp, yarns",
                        path, extension);
    }
    HED_TRY(hed_text_read(path, &text, error));
    HED_TRY(parse_either(text, path, mesh, curves, error));
done:
    hed_text_free(&text);
    return status;
}

// --- Curves point by point -------------------------------------------------------------------

void hed_curve_list_free(HedCurveList* list) {
    hed_free(list->vertices.data);
    hed_free(list->curves.data);
    *list = (HedCurveList){0};
}

static bool is_same(HedVec3 a, HedVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool hed_curve_list_point(HedCurveList* list, HedVec3 point) {
    int32_t count = list->vertices.count;
    if (count > list->first && is_same(list->vertices.data[count - 1], point)) {
        ++list->repeat_count;
        return true;
    }
    return HED_APPEND(&list->vertices, point);
}

bool hed_curve_list_end(HedCurveList* list, HedCurve like) {
    const HedVec3* x = list->vertices.data;
    int32_t first = list->first;
    if (like.is_closed && list->vertices.count > first + 1 &&
        is_same(x[list->vertices.count - 1], x[first])) {
        --list->vertices.count;
        ++list->repeat_count;
    }
    int32_t count = list->vertices.count - first;
    int32_t number = list->given_count++;
    if (count < (like.is_closed ? 3 : 2)) {
        list->first_short = list->short_count++ == 0 ? number : list->first_short;
        list->vertices.count = first;
        return true;
    }
    list->first = list->vertices.count;
    like.first = first;
    like.count = count;
    return HED_APPEND(&list->curves, like);
}

// Rotations, so that nothing is mirrored: about z for x up, about x for z up. A difference from
// zero, because the negative of zero would be -0 in files.
static void turn_up(HedVec3* x, int32_t count, int32_t up_axis) {
    for (int32_t i = 0; i < count && up_axis == 0; ++i) {
        x[i] = (HedVec3){0.0 - x[i].y, x[i].x, x[i].z};
    }
    for (int32_t i = 0; i < count && up_axis == 2; ++i) {
        x[i] = (HedVec3){x[i].x, x[i].z, 0.0 - x[i].y};
    }
}

HedStatus hed_curve_list_finish(HedCurveList* list, int32_t up_axis, const char* name,
                                HedCurves* curves, HedError* error) {
    if (list->curves.count == 0) {
        return hed_fail(error, HED_PARSE,
                        "%s: no curve has two different points, or three if closed; %d curves read",
                        name, list->given_count);
    }
    if (list->repeat_count > 0) {
        hed_log(HED_LOG_INFO, "%s: dropped %" PRId64 " points that repeat their predecessor", name,
                list->repeat_count);
    }
    if (list->short_count > 0) {
        hed_log(HED_LOG_WARNING,
                "%s: dropped %d curves without two different points, or three if closed; the first "
                "is curve %d",
                name, list->short_count, list->first_short);
    }
    turn_up(list->vertices.data, list->vertices.count, up_axis);
    *curves = (HedCurves){.vertices = list->vertices.data,
                          .vertex_count = list->vertices.count,
                          .curves = list->curves.data,
                          .curve_count = list->curves.count,
                          .up_axis = up_axis};
    *list = (HedCurveList){0};
    return HED_OK;
}
