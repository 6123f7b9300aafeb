// SPDX-License-Identifier: MIT
#include "io/mesh.h"
#include "base/log.h"
#include "geom/ears.h"
#include "io/readers.h"
#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

static HedStatus parse_obj(HedInput input, void* out, HedError* error) {
    return hed_obj_parse(input.data, input.size, input.name, out, error);
}

static HedStatus parse_ply(HedInput input, void* out, HedError* error) {
    return hed_ply_parse(input.data, input.size, input.name, out, error);
}

static HedStatus parse_vtp(HedInput input, void* out, HedError* error) {
    return hed_vtp_mesh_parse(input.data, input.size, input.name, out, error);
}

static const HedReader LIST[] = {
    {"obj", parse_obj, true}, {"ply", parse_ply, false}, {"vtp", parse_vtp, false}};
static const HedReaders READERS = {"meshes", "obj, ply and vtp", LIST,
                                   sizeof LIST / sizeof LIST[0]};

// A reader that fails may leave parts.
static HedStatus all_or_nothing(HedStatus status, HedMesh* mesh) {
    if (status != HED_OK) {
        hed_mesh_free(mesh);
    }
    return status;
}

HedStatus hed_mesh_parse(const char* data, size_t size, const char* format, const char* name,
                         HedMesh* mesh, HedError* error) {
    *mesh = (HedMesh){0};
    HedInput input = {data, size, name};
    return all_or_nothing(hed_readers_parse(&READERS, input, format, mesh, error), mesh);
}

HedStatus hed_mesh_load(const char* path, HedMesh* mesh, HedError* error) {
    *mesh = (HedMesh){0};
    return all_or_nothing(hed_readers_load(&READERS, path, mesh, error), mesh);
}

void hed_mesh_free(HedMesh* mesh) {
    if (mesh) {
        hed_free(mesh->vertices);
        hed_free(mesh->triangles);
        hed_free(mesh->uv);
        hed_free(mesh->lines);
        *mesh = (HedMesh){0};
    }
}

void hed_polygons_free(HedPolygons* polygons) {
    hed_free(polygons->vertices.data);
    hed_free(polygons->corners.data);
    hed_free(polygons->sizes.data);
    hed_free(polygons->lines.data);
    hed_free(polygons->sources);
    *polygons = (HedPolygons){0};
}

// Positive if the triangles (a, b, c) and (a, c, d) turn the same way, so that the diagonal from a
// to c lies inside the quadrilateral.
static double diagonal_fit(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    HedVec3 ac = hed_sub3(c, a);
    return hed_dot3(hed_cross3(hed_sub3(b, a), ac), hed_cross3(ac, hed_sub3(d, a)));
}

// Polygons on their way into a mesh.
typedef struct PolygonCutter {
    HedPolygons* polygons;
    HedMesh* mesh;
    HedEars ears;
    HED_ARRAY(int32_t) triangles; // corners of one polygon
    HedError* error;
} PolygonCutter;

// The diagonal of a quadrilateral, whose corners may lie well off a plane: from the first corner,
// or from the second if that one runs outside. False if both do: it is folded, or crosses itself.
static bool cut_quad(const HedVec3* x, const int32_t* corner, int32_t* triangles) {
    static const int32_t WAYS[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
    HedVec3 a = x[corner[0]];
    HedVec3 b = x[corner[1]];
    HedVec3 c = x[corner[2]];
    HedVec3 d = x[corner[3]];
    double fits[2] = {diagonal_fit(a, b, c, d), diagonal_fit(b, c, d, a)};
    memcpy(triangles, WAYS[fits[0] <= 0.0 && fits[1] > 0.0], sizeof WAYS[0]);
    return fits[0] >= 0.0 || fits[1] >= 0.0;
}

// Appends the triangles of a polygon that begins at a corner to the mesh.
static void add_triangles(const PolygonCutter* cutter, int32_t number, int32_t first) {
    const HedPolygons* polygons = cutter->polygons;
    HedMesh* mesh = cutter->mesh;
    const int32_t* corner = polygons->corners.data + first;
    int32_t line = mesh->lines ? polygons->lines.data[number] : 0;
    for (int32_t i = 0; i < polygons->sizes.data[number] - 2; ++i) {
        const int32_t* from = cutter->triangles.data + 3 * (int64_t)i;
        int32_t a = corner[from[0]];
        int32_t b = corner[from[1]];
        int32_t c = corner[from[2]];
        if (a == b || b == c || c == a) {
            mesh->dropped_line = mesh->dropped_count++ == 0 ? line : mesh->dropped_line;
            continue;
        }
        if (mesh->lines) {
            mesh->lines[mesh->triangle_count] = line;
        }
        int64_t at = 3 * (int64_t)mesh->triangle_count++;
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[at + k] = corner[from[k]];
            polygons->sources[at + k] = first + from[k];
        }
    }
}

static HedStatus cut_polygon(PolygonCutter* cutter, int32_t number, int32_t first) {
    HedStatus status = HED_OK;
    const HedPolygons* polygons = cutter->polygons;
    const HedVec3* x = polygons->vertices.data;
    const int32_t* corner = polygons->corners.data + first;
    int32_t size = polygons->sizes.data[number];
    bool crosses = false;
    if (!HED_RESERVE(&cutter->triangles, 3 * ((int64_t)size - 2))) {
        return hed_fail_memory(cutter->error, "polygon");
    }
    if (size != 4 || !cut_quad(x, corner, cutter->triangles.data)) {
        HED_TRY(hed_ears_cut(&cutter->ears, (HedEarPolygon){x, corner, size},
                             cutter->triangles.data, &crosses, cutter->error));
    }
    HedMesh* mesh = cutter->mesh;
    if (crosses && mesh->crossed_count++ == 0) {
        mesh->crossed_line = mesh->lines ? polygons->lines.data[number] : 0;
    }
    add_triangles(cutter, number, first);
done:
    return status;
}

// What is left out, and what cannot be right.
static void log_notes(const HedMesh* mesh, const char* name) {
    if (mesh->dropped_count > 0) {
        hed_log(HED_LOG_WARNING, "%s: dropped %d triangles that name a vertex twice", name,
                mesh->dropped_count);
    }
    if (mesh->crossed_count == 0) {
        return;
    }
    char line[16] = "";
    if (mesh->crossed_line > 0) {
        snprintf(line, sizeof line, ":%d", (int)mesh->crossed_line);
    }
    hed_log(HED_LOG_WARNING,
            "%s%s: a face crosses itself or runs around twice, so its triangles lie over each "
            "other (%d such faces)",
            name, line, mesh->crossed_count);
}

static HedStatus allocate_triangles(HedPolygons* polygons, const char* name, HedMesh* mesh,
                                    HedError* error) {
    int64_t count = (int64_t)polygons->corners.count - 2 * (int64_t)polygons->sizes.count;
    bool has_lines = polygons->lines.count == polygons->sizes.count;
    mesh->triangles = HED_NEW_ARRAY(int32_t, 3 * count);
    mesh->lines = has_lines ? HED_NEW_ARRAY(int32_t, count) : NULL;
    polygons->sources = HED_NEW_ARRAY(int32_t, 3 * count);
    bool ok = mesh->triangles && polygons->sources && (mesh->lines || !has_lines);
    return ok ? HED_OK : hed_fail_memory(error, name);
}

HedStatus hed_polygons_triangulate(HedPolygons* polygons, const char* name, HedMesh* mesh,
                                   HedError* error) {
    int32_t count = polygons->sizes.count;
    if (polygons->vertices.count > HED_MESH_LIMIT || polygons->corners.count > HED_MESH_LIMIT) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: %d vertices and %d corners, at most %d", name,
                        polygons->vertices.count, polygons->corners.count, HED_MESH_LIMIT);
    }
    if (count == 0) {
        return hed_fail(error, HED_NOT_FOUND, "%s: holds no faces (%d vertices)", name,
                        polygons->vertices.count);
    }
    HedStatus status = allocate_triangles(polygons, name, mesh, error);
    if (status != HED_OK) {
        return status;
    }
    PolygonCutter cutter = {.polygons = polygons, .mesh = mesh, .error = error};
    int32_t first = 0;
    for (int32_t i = 0; i < count && status == HED_OK; ++i) {
        status = cut_polygon(&cutter, i, first);
        first += polygons->sizes.data[i];
    }
    hed_ears_free(&cutter.ears);
    hed_free(cutter.triangles.data);
    if (status != HED_OK) {
        return status;
    }
    if (mesh->triangle_count == 0) {
        return hed_fail(error, HED_PARSE, "%s: all %d triangles name a vertex twice", name,
                        mesh->dropped_count);
    }
    log_notes(mesh, name);
    mesh->vertices = polygons->vertices.data;
    mesh->vertex_count = polygons->vertices.count;
    polygons->vertices.data = NULL;
    return HED_OK;
}
