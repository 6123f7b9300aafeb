// SPDX-License-Identifier: MIT
// Curves in VTK PolyData (.vtp): the lines of a file, with radius and colour if its cells have
// some.
#include "base/log.h"
#include "io/curves.h"
#include "io/vtp.h"
#include "math/vec3.h"

// A value of a cell, or of its c-th component of several; fallback if there is none. Cells are
// vertices, then lines, then polygons.
static double cell_value(const HedVtp* vtp, HedVtpRole role, int64_t at, double fallback) {
    return at < vtp->arrays[role].values.count ? vtp->arrays[role].values.data[at] : fallback;
}

static HedCurve like_of(const HedVtp* vtp, int64_t cell) {
    HedCurve like = {.radius = fmax(0.0, cell_value(vtp, HED_VTP_RADIUS, cell, 0.0)),
                     .color = HED_COLOR_NONE};
    if (vtp->arrays[HED_VTP_COLOR].values.count > 0) {
        like.color = 0;
        for (int32_t c = 0; c < 3; ++c) {
            double part = cell_value(vtp, HED_VTP_COLOR, 3 * cell + c, 255.0);
            like.color = like.color << 8 | (int32_t)fmin(fmax(part, 0.0), 255.0);
        }
    }
    return like;
}

// Adds the line whose corners are those from first to before end.
static HedStatus add_line(const HedVtp* vtp, HedCurve like, int32_t first, int32_t end,
                          HedCurveList* list) {
    const double* corners = vtp->arrays[HED_VTP_LINE_CORNERS].values.data;
    like.is_closed = end - first > 3 && corners[first] == corners[end - 1];
    bool ok = true;
    for (int32_t i = first; i < end && ok; ++i) {
        ok = hed_curve_list_point(list, hed_vtp_point(vtp, corners[i]));
    }
    ok = ok && hed_curve_list_end(list, like);
    return ok ? HED_OK : hed_fail_memory(vtp->error, vtp->name);
}

static HedStatus add_lines(const HedVtp* vtp, HedCurveList* list) {
    HedStatus status = HED_OK;
    int32_t first = 0;
    int32_t vertices = 0;
    HED_TRY(hed_vtp_count(vtp, "NumberOfVerts", &vertices));
    vertices = vertices < 0 ? 0 : vertices;
    for (int32_t i = 0; i < vtp->arrays[HED_VTP_LINE_ENDS].values.count; ++i) {
        int32_t end = 0;
        HED_TRY(hed_vtp_cell(vtp, HED_VTP_LINE_CORNERS, i, first, &end));
        HED_TRY(add_line(vtp, like_of(vtp, (int64_t)vertices + i), first, end, list));
        first = end;
    }
done:
    return status;
}

bool hed_vtp_holds_yarns(const char* data, size_t size) {
    HedVtp vtp = {0}; // nothing is allocated: no array is read
    int32_t line_count = 0;
    bool is_readable = size > 0 && size <= (size_t)INT32_MAX &&
                       hed_vtp_begin(&vtp, data, size, "", NULL) == HED_OK &&
                       hed_vtp_count(&vtp, "NumberOfLines", &line_count) == HED_OK;
    return is_readable && line_count != 0 && vtp.arrays[HED_VTP_LINE_ENDS].tag.text.data &&
           vtp.arrays[HED_VTP_RADIUS].tag.text.data;
}

// Says what of the file is no curve.
static HedStatus note_polygons(const HedVtp* vtp) {
    int32_t count = 0;
    HedStatus status = hed_vtp_count(vtp, "NumberOfPolys", &count);
    if (status == HED_OK && count > 0) {
        hed_log(HED_LOG_INFO, "%s: %d polygons left out", vtp->name, count);
    }
    return status;
}

HedStatus hed_vtp_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error) {
    static const HedVtpRole ROLES[] = {HED_VTP_POINTS, HED_VTP_LINE_CORNERS, HED_VTP_LINE_ENDS,
                                       HED_VTP_RADIUS, HED_VTP_COLOR};
    HedStatus status = HED_OK;
    HedCurveList list = {0};
    HedVtp vtp = {0};
    HED_TRY(hed_vtp_begin(&vtp, data, size, name, error));
    for (size_t i = 0; i < sizeof ROLES / sizeof ROLES[0]; ++i) {
        HED_TRY(hed_vtp_read(&vtp, ROLES[i]));
    }
    if (vtp.arrays[HED_VTP_LINE_ENDS].values.count == 0) {
        HED_TRY(hed_fail(error, HED_NOT_FOUND, "%s: holds no lines", name));
    }
    HED_TRY(add_lines(&vtp, &list));
    HED_TRY(note_polygons(&vtp));
    HED_TRY(hed_curve_list_finish(&list, -1, name, curves, error));
done:
    hed_curve_list_free(&list);
    hed_vtp_free(&vtp);
    return status;
}
