// SPDX-License-Identifier: MIT
// A sheet from a mesh file: checked, welded if asked, with its material's directions.
#include "geom/coincide.h"
#include "geom/flat.h"
#include "math/quat.h"
#include "scene/shape.h"

#include <stdio.h>
#include <string.h>

// Two files that are one mesh in two shapes.
typedef struct Meshes {
    HedMesh start;
    HedMesh rest; // empty: as it starts
    bool has_rest;
} Meshes;

static HedMeshCase case_of(HedSceneDraft* d, const HedSceneSheet* sheet, const HedMesh* mesh) {
    return (HedMeshCase){d, hed_node_where(sheet->mesh.node, "file"), sheet->mesh.file, mesh};
}

static HedStatus check_rest(HedSceneDraft* d, const HedSceneSheet* sheet, const Meshes* m) {
    bool fits = m->start.vertex_count == m->rest.vertex_count &&
                m->start.triangle_count == m->rest.triangle_count &&
                memcmp(m->start.triangles, m->rest.triangles,
                       3 * (size_t)m->start.triangle_count * sizeof(int32_t)) == 0;
    return fits
               ? HED_OK
               : hed_place_fail(d->error, hed_node_where(sheet->mesh.node, "rest"), HED_PARSE, NULL,
                                "'%.200s' must have the triangles of '%.200s': %d vertices and %d "
                                "triangles against %d and %d",
                                sheet->mesh.rest, sheet->mesh.file, (int)m->rest.vertex_count,
                                (int)m->rest.triangle_count, (int)m->start.vertex_count,
                                (int)m->start.triangle_count);
}

// From units of the file to metres.
static HedStatus scale_mesh(const HedMeshCase* at, double scale, HedMesh* mesh) {
    const double farthest = 1e7; // m; beyond, a micrometre is lost in rounding
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        HedVec3 x = hed_mul3(scale, mesh->vertices[i]);
        if (!(hed_norm3(x) < farthest)) {
            return hed_place_fail(
                at->draft->error, at->place, HED_PARSE, NULL,
                "%.200s: vertex %d (counted from 0) is farther than %g m from the "
                "origin: (%g, %g, %g) m",
                at->file, (int)i, farthest, x.x, x.y, x.z);
        }
        mesh->vertices[i] = x;
    }
    return HED_OK;
}

// Numbers used vertices in order; *count becomes how many there are. -1 marks unused ones.
static int32_t* number_used(HedSceneDraft* d, const HedMesh* mesh, int32_t* count) {
    int32_t* number = HED_POOL_ARRAY(d->pool, int32_t, mesh->vertex_count);
    if (!number) {
        return NULL;
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
        number[mesh->triangles[i]] = 1;
    }
    *count = 0;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        number[i] = number[i] ? (*count)++ : -1;
    }
    return number;
}

static double extent_of(const HedMesh* mesh) {
    HedVec3 low = mesh->vertices[0];
    HedVec3 high = low;
    for (int32_t i = 1; i < mesh->vertex_count; ++i) {
        HedVec3 x = mesh->vertices[i];
        low = hed_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = hed_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return hed_distance3(low, high);
}

// Refuses vertices at one place.
static HedStatus refuse_pair(const HedMeshCase* at, int32_t a, int32_t b) {
    HedVec3 x = at->mesh->vertices[b];
    return hed_place_fail(
        at->draft->error, at->place, HED_PARSE,
        "'weld: 1e-6 m' makes one of vertices that are so near to each other",
        "%.200s: vertices %d and %d (counted from 0) stand at one place, (%g, %g, %g) m", at->file,
        (int)a, (int)b, x.x, x.y, x.z);
}

// Leaves the triangles with the lower of two vertices that became one.
static HedStatus join_vertices(const HedMeshCase* at, const int32_t* first, HedMesh* mesh) {
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        int32_t* v = mesh->triangles + 3 * (int64_t)t;
        const int32_t now[3] = {first[v[0]], first[v[1]], first[v[2]]};
        if (now[0] == now[1] || now[1] == now[2] || now[2] == now[0]) {
            return hed_mesh_fail(at, t, "make 'weld' smaller", "would vanish by 'weld'");
        }
        memcpy(v, now, sizeof now);
    }
    return HED_OK;
}

static HedStatus weld_mesh(HedSceneDraft* d, const HedSceneSheet* sheet, Meshes* m) {
    HedMesh* mesh = &m->start;
    HedMeshCase at = case_of(d, sheet, mesh);
    double weld = sheet->mesh.weld;
    double tiny = 1e-9 * extent_of(mesh);
    int32_t used = 0;
    int32_t welded = 0;
    int32_t* number = number_used(d, mesh, &used);
    int32_t* first = HED_POOL_ARRAY(d->pool, int32_t, mesh->vertex_count);
    if (!number || !first) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    if (!(fmax(tiny, weld) > 0.0)) { // all stand at one place, or nearly so
        return refuse_pair(&at, 0, mesh->vertex_count - 1);
    }
    HedStatus status =
        hed_find_coincident(mesh->vertices, mesh->vertex_count, fmax(tiny, weld), first, d->error);
    for (int32_t i = 0; i < mesh->vertex_count && status == HED_OK; ++i) {
        if (first[i] == i || number[i] < 0 || number[first[i]] < 0) {
            first[i] = i; // what no triangle uses is nowhere
            continue;
        }
        if (weld == 0.0) {
            return refuse_pair(&at, first[i], i);
        }
        double gap =
            m->has_rest ? hed_distance3(m->rest.vertices[i], m->rest.vertices[first[i]]) : 0.0;
        if (gap > fmax(tiny, weld)) {
            return hed_place_fail(d->error, hed_node_where(sheet->mesh.node, "weld"), HED_PARSE,
                                  "'uv: shape' gives each triangle a shape of its own",
                                  "vertices %d and %d (counted from 0) cannot be welded: at rest "
                                  "they are %g m apart",
                                  (int)first[i], (int)i, gap);
        }
        ++welded;
    }
    if (status == HED_OK && welded > 0) {
        hed_sink_print(d->notes, "%s: %d vertices are welded to others\n", sheet->mesh.file,
                       (int)welded);
        status = join_vertices(&at, first, mesh);
    }
    return status;
}

// --- the material ---

static HedStatus fail_uv(const HedMeshCase* at, int32_t t) {
    return hed_mesh_fail(at, t, NULL, "has no area in its texture coordinates");
}

// Material coordinates (warp, weft) of a triangle: v, u in metres, or its own shape with warp along
// the way on which v grows and u stays.
static bool lay_by_uv(const HedSceneMesh* m, const HedVec3 x[3], const double uv[6],
                      double flat[6]) {
    double u1 = uv[2] - uv[0], v1 = uv[3] - uv[1];
    double u2 = uv[4] - uv[0], v2 = uv[5] - uv[1];
    double twice = u1 * v2 - u2 * v1;
    double longest = fmax(u1 * u1 + v1 * v1, u2 * u2 + v2 * v2);
    if (!(fabs(twice) > 1e-8 * longest)) {
        return false;
    }
    if (m->uv == HED_UV_SHAPE) {
        for (int k = 0; k < 3; ++k) {
            flat[2 * k] = m->uv_scale * uv[2 * k + 1];
            flat[2 * k + 1] = m->uv_scale * uv[2 * k];
        }
        return true;
    }
    HedVec3 along = hed_mul3(u1 / twice, hed_sub3(x[2], x[0]));
    along = hed_madd3(along, -u2 / twice, hed_sub3(x[1], x[0]));
    hed_lay_flat(x, hed_unit3(along, along), flat);
    return true;
}

static HedStatus lay_material(HedSceneDraft* d, HedSceneSheet* sheet, const HedMesh* mesh,
                              const HedVec3* rest) {
    HedMeshCase at = case_of(d, sheet, mesh);
    HedLocation place = hed_node_where(sheet->mesh.node, "uv");
    if (sheet->mesh.uv == HED_UV_NONE) {
        return HED_OK;
    }
    if (sheet->def.model != HED_SHEET_MEMBRANE) {
        return hed_place_fail(d->error, place, HED_PARSE, NULL,
                              "'uv' needs 'model: membrane': springs have no directions of warp "
                              "and weft");
    }
    if (!mesh->uv) {
        return hed_place_fail(d->error, place, HED_PARSE, NULL,
                              "'uv': '%.200s' does not have texture coordinates at every corner",
                              sheet->mesh.file);
    }
    double* material = HED_POOL_ARRAY(d->pool, double, 6 * (int64_t)mesh->triangle_count);
    if (!material) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles + 3 * (int64_t)t;
        const HedVec3 x[3] = {rest[v[0]], rest[v[1]], rest[v[2]]};
        if (!lay_by_uv(&sheet->mesh, x, mesh->uv + 6 * (int64_t)t, material + 6 * (int64_t)t)) {
            return fail_uv(&at, t);
        }
    }
    sheet->def.material = material;
    return HED_OK;
}

// --- the sheet ---

static HedVec3* copy_used(HedSceneDraft* d, const HedMesh* mesh, const int32_t* number,
                          int32_t count) {
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, count);
    for (int32_t i = 0; vertices && i < mesh->vertex_count; ++i) {
        if (number[i] >= 0) {
            vertices[number[i]] = mesh->vertices[i];
        }
    }
    return vertices;
}

// Copies the mesh into the sheet and places it. Vertices that no triangle uses have no mass and are
// left out.
static HedStatus take_mesh(HedSceneDraft* d, HedSceneSheet* sheet, const Meshes* meshes) {
    const HedMesh* mesh = &meshes->start;
    int32_t used = 0;
    int32_t* number = number_used(d, mesh, &used);
    HedVec3* start = number ? copy_used(d, mesh, number, used) : NULL;
    HedVec3* rest = number && meshes->has_rest ? copy_used(d, &meshes->rest, number, used) : NULL;
    int32_t* triangles = HED_POOL_ARRAY(d->pool, int32_t, 3 * (int64_t)mesh->triangle_count);
    double* uv =
        mesh->uv ? HED_POOL_ARRAY(d->pool, double, 6 * (int64_t)mesh->triangle_count) : NULL;
    if (!start || !triangles || (meshes->has_rest && !rest) || (mesh->uv && !uv)) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    const HedSceneMesh* m = &sheet->mesh;
    HedPose pose = {m->position, hed_quat_from_vector(m->rotation)};
    for (int32_t i = 0; i < used; ++i) {
        start[i] = hed_pose_apply(pose, start[i]);
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
        triangles[i] = number[mesh->triangles[i]];
    }
    if (used < mesh->vertex_count) {
        hed_sink_print(d->notes, "%s: %d unused vertices are left out, the others renumbered\n",
                       m->file, (int)(mesh->vertex_count - used));
    }
    if (uv) {
        memcpy(uv, mesh->uv, 6 * (size_t)mesh->triangle_count * sizeof *uv);
    }
    sheet->uv = uv;
    sheet->uv_at_corners = uv != NULL;
    sheet->def.vertices = start;
    sheet->def.rest_vertices = rest;
    sheet->def.vertex_count = used;
    sheet->def.triangles = triangles;
    sheet->def.triangle_count = mesh->triangle_count;
    // Without a shape at rest of its own, the sheet rests as it was placed.
    sheet->def.warp = rest ? m->warp : hed_quat_rotate(pose.rotation, m->warp);
    return HED_OK;
}

static HedStatus check_keys(HedSceneDraft* d, const HedSceneSheet* sheet, const HedMesh* mesh) {
    if (!(hed_norm3(sheet->mesh.warp) > 0.0)) {
        return hed_place_fail(d->error, hed_node_where(sheet->mesh.node, "warp"), HED_PARSE, NULL,
                              "'warp' must not be zero");
    }
    if (mesh->dropped_count == 0) {
        return HED_OK;
    }
    char line[16] = "";
    if (mesh->dropped_line > 0) {
        snprintf(line, sizeof line, ":%d", (int)mesh->dropped_line);
    }
    return hed_place_fail(d->error, hed_node_where(sheet->mesh.node, "file"), HED_PARSE, NULL,
                          "%.200s%s: a face names a vertex twice, so a triangle of it has no area "
                          "(%d in all)",
                          sheet->mesh.file, line, (int)mesh->dropped_count);
}

HedStatus hed_scene_shape_mesh(HedSceneDraft* d, HedSceneSheet* sheet) {
    HedStatus status = HED_OK;
    HedSceneMesh* m = &sheet->mesh;
    Meshes meshes = {.has_rest = m->rest != NULL};
    HedMeshCase at = case_of(d, sheet, &meshes.start);
    HED_TRY(hed_scene_read_mesh(d, m->node, "file", &m->file, &meshes.start));
    at.file = m->file;
    HED_TRY(check_keys(d, sheet, &meshes.start));
    HED_TRY(scale_mesh(&at, m->scale, &meshes.start));
    if (meshes.has_rest) {
        HED_TRY(hed_scene_read_mesh(d, m->node, "rest", &m->rest, &meshes.rest));
        HED_TRY(check_rest(d, sheet, &meshes));
        HedMeshCase rest = {d, hed_node_where(m->node, "rest"), m->rest, &meshes.rest};
        HED_TRY(scale_mesh(&rest, m->scale, &meshes.rest));
    }
    HED_TRY(weld_mesh(d, sheet, &meshes));
    const HedVec3* shape = meshes.has_rest ? meshes.rest.vertices : meshes.start.vertices;
    HED_TRY(hed_mesh_check(&at, shape, m->mixed_fronts));
    HED_TRY(lay_material(d, sheet, &meshes.start, shape));
    HED_TRY(take_mesh(d, sheet, &meshes));
done:
    hed_mesh_free(&meshes.start);
    hed_mesh_free(&meshes.rest);
    return status;
}
