// SPDX-License-Identifier: MIT
// Meshes in VTK PolyData (.vtp): the points and polygons of a file. Normals, values and texture
// coordinates are passed over.
#include "base/log.h"
#include "io/mesh.h"
#include "io/vtp.h"

// What the Piece states about a kind of thing against what its arrays hold, so that a file that
// lacks some of them is not taken for a smaller one.
static HedStatus check_count(const HedVtp* vtp, const char* attribute, HedVtpRole role,
                             int32_t found) {
    int32_t stated = 0;
    HedStatus status = hed_vtp_count(vtp, attribute, &stated);
    if (status == HED_OK && stated >= 0 && stated != found) {
        return hed_fail(vtp->error, HED_PARSE, "%s: byte %td: %s is %d, the array here holds %d",
                        vtp->name, hed_vtp_place(vtp, role), attribute, stated, found);
    }
    return status;
}

static HedStatus add_points(const HedVtp* vtp, HedPolygons* polygons) {
    int32_t count = vtp->arrays[HED_VTP_POINTS].values.count / 3;
    HedStatus status = check_count(vtp, "NumberOfPoints", HED_VTP_POINTS, count);
    if (status != HED_OK) {
        return status;
    }
    if (!HED_RESERVE(&polygons->vertices, count)) {
        return hed_fail_memory(vtp->error, vtp->name);
    }
    for (int32_t i = 0; i < count; ++i) {
        polygons->vertices.data[i] = hed_vtp_point(vtp, i);
    }
    polygons->vertices.count = count;
    return HED_OK;
}

static HedStatus add_polygon(const HedVtp* vtp, int32_t number, int32_t first, int32_t end,
                             HedPolygons* polygons) {
    int32_t size = end - first;
    if (size < 3) {
        return hed_fail(vtp->error, HED_PARSE,
                        "%s: byte %td: a face needs at least 3 points, polygon %d has %d",
                        vtp->name, hed_vtp_place(vtp, HED_VTP_POLY_ENDS), number, size);
    }
    for (int32_t i = first; i < end; ++i) {
        polygons->corners.data[i] = (int32_t)vtp->arrays[HED_VTP_POLY_CORNERS].values.data[i];
    }
    polygons->sizes.data[number] = size;
    return HED_OK;
}

static HedStatus add_polygons(const HedVtp* vtp, HedPolygons* polygons) {
    HedStatus status = HED_OK;
    int32_t corner_count = vtp->arrays[HED_VTP_POLY_CORNERS].values.count;
    int32_t count = vtp->arrays[HED_VTP_POLY_ENDS].values.count;
    int32_t first = 0;
    if (!HED_RESERVE(&polygons->corners, corner_count) || !HED_RESERVE(&polygons->sizes, count)) {
        return hed_fail_memory(vtp->error, vtp->name);
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t end = 0;
        HED_TRY(hed_vtp_cell(vtp, HED_VTP_POLY_CORNERS, i, first, &end));
        HED_TRY(add_polygon(vtp, i, first, end, polygons));
        first = end;
    }
    if (first != corner_count) {
        return hed_fail(vtp->error, HED_PARSE,
                        "%s: byte %td: %d corners, the last polygon ends at %d", vtp->name,
                        hed_vtp_place(vtp, HED_VTP_POLY_CORNERS), corner_count, first);
    }
    polygons->corners.count = corner_count;
    polygons->sizes.count = count;
done:
    return status;
}

// Strips of triangles are refused, lines beside faces left out with a note.
static HedStatus check_kinds(const HedVtp* vtp) {
    HedStatus status = HED_OK;
    int32_t lines = 0;
    int32_t count = vtp->arrays[HED_VTP_POLY_ENDS].values.count;
    if (vtp->arrays[HED_VTP_STRIP_CORNERS].values.count > 0) {
        return hed_fail(vtp->error, HED_UNSUPPORTED,
                        "%s: byte %td: triangle strips are not read; save triangles", vtp->name,
                        hed_vtp_place(vtp, HED_VTP_STRIP_CORNERS));
    }
    HED_TRY(check_count(vtp, "NumberOfPolys", HED_VTP_POLY_ENDS, count));
    if (count == 0) {
        return hed_fail(vtp->error, HED_NOT_FOUND, "%s: holds no faces", vtp->name);
    }
    HED_TRY(hed_vtp_count(vtp, "NumberOfLines", &lines));
    if (lines > 0) {
        hed_log(HED_LOG_INFO, "%s: %d lines left out: the file has faces", vtp->name, lines);
    }
done:
    return status;
}

HedStatus hed_vtp_mesh_parse(const char* data, size_t size, const char* name, HedMesh* mesh,
                             HedError* error) {
    HedStatus status = HED_OK;
    HedPolygons polygons = {0};
    HedVtp vtp = {0};
    HED_TRY(hed_vtp_begin(&vtp, data, size, name, error));
    HED_TRY(hed_vtp_read(&vtp, HED_VTP_STRIP_CORNERS));
    HED_TRY(hed_vtp_read(&vtp, HED_VTP_POLY_ENDS));
    HED_TRY(check_kinds(&vtp));
    HED_TRY(hed_vtp_read(&vtp, HED_VTP_POLY_CORNERS));
    HED_TRY(hed_vtp_read(&vtp, HED_VTP_POINTS));
    HED_TRY(add_points(&vtp, &polygons));
    HED_TRY(add_polygons(&vtp, &polygons));
    HED_TRY(hed_polygons_triangulate(&polygons, name, mesh, error));
done:
    hed_polygons_free(&polygons);
    hed_vtp_free(&vtp);
    return status;
}
