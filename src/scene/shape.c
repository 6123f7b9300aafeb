// SPDX-License-Identifier: MIT
// Vertices and triangles of everything in a scene.
#include "base/file.h"
#include "geom/shape_mesh.h"
#include "math/quat.h"
#include "scene/check.h"
#include "scene/grid.h"

#include <string.h>

static HedStatus check_grid(HedDraft* d, const HedSceneGrid* grid) {
    double across = hed_norm3(grid->across);
    double down = hed_norm3(grid->down);
    if (!(across > 0.0) || !(down > 0.0)) {
        const char* key = across > 0.0 ? "down" : "across";
        return hed_place_fail(d->error, hed_node_where(grid->node, key), HED_PARSE, NULL,
                              "'%s' must not be zero", key);
    }
    // A cosine of 1e-6 is a fault no eye and no digit of a scene would show.
    if (fabs(hed_dot3(grid->across, grid->down)) > 1e-6 * across * down) {
        return hed_place_fail(d->error, hed_node_where(grid->node, "down"), HED_PARSE, NULL,
                              "'across' and 'down' must be at a right angle");
    }
    if (hed_grid_vertex_count(grid) > HED_POINT_LIMIT) {
        return hed_place_fail(d->error, hed_node_where(grid->node, "points"), HED_PARSE, NULL,
                              "'points': more than %d vertices", HED_POINT_LIMIT);
    }
    return HED_OK;
}

// Centres the grid unless it was told where to be.
static void place_grid(HedSceneGrid* grid) {
    if (hed_node_child(grid->node, "origin")) {
        return;
    }
    HedVec3 across = hed_unit3(grid->across, grid->across);
    HedVec3 down = hed_unit3(grid->down, grid->down);
    HedVec3 corner = hed_mul3(-0.5 * grid->size[0], across);
    grid->origin = hed_madd3(corner, -0.5 * grid->size[1], down);
}

static HedStatus shape_grid(HedDraft* d, HedSceneSheet* sheet) {
    static const double RELAXED[2] = {1.0, 1.0};
    HedSceneGrid* grid = &sheet->grid;
    HedStatus status = check_grid(d, grid);
    if (status != HED_OK) {
        return status;
    }
    place_grid(grid);
    int64_t vertex_count = hed_grid_vertex_count(grid);
    int64_t triangle_count = hed_grid_triangle_count(grid);
    bool is_relaxed = sheet->stretch_start[0] == 1.0 && sheet->stretch_start[1] == 1.0;
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, vertex_count);
    HedVec3* rest = is_relaxed ? NULL : HED_POOL_ARRAY(d->pool, HedVec3, vertex_count);
    int32_t* triangles = HED_POOL_ARRAY(d->pool, int32_t, 3 * triangle_count);
    if (!vertices || !triangles || (!rest && !is_relaxed)) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    hed_grid_vertices(grid, sheet->stretch_start, vertices);
    hed_grid_triangles(grid, triangles);
    if (rest) {
        hed_grid_vertices(grid, RELAXED, rest);
    }
    sheet->def.vertices = vertices;
    sheet->def.rest_vertices = rest;
    sheet->def.vertex_count = (int32_t)vertex_count;
    sheet->def.triangles = triangles;
    sheet->def.triangle_count = (int32_t)triangle_count;
    if (grid->style == HED_GRID_QUADS) {
        sheet->def.grid_columns = grid->points[0];
        sheet->def.grid_rows = grid->points[1];
    }
    return HED_OK;
}

HedStatus hed_scene_read_file(HedDraft* d, const HedNode* owner, const char* key, const char** path,
                              HedText* text) {
    HedPlace place = hed_node_where(owner, key);
    *path = hed_source_path(d->pool, place.source, *path);
    return *path ? hed_loader_read(d->loader, *path, place, text) : hed_fail_memory(d->error, key);
}

// Reads the mesh named by a key; *path becomes the path from the scene's directory.
static HedStatus read_mesh(HedDraft* d, const HedNode* owner, const char* key, const char** path,
                           HedMesh* mesh) {
    HedPlace place = hed_node_where(owner, key);
    HedText text;
    HedStatus status = hed_scene_read_file(d, owner, key, path, &text);
    if (status != HED_OK) {
        return status;
    }
    HedError why;
    status = hed_mesh_parse(text.data, text.size, hed_path_extension(*path), *path, mesh, &why);
    hed_text_free(&text);
    if (status == HED_NO_MEMORY) {
        return hed_fail_memory(d->error, *path);
    }
    return status == HED_OK ? HED_OK
                            : hed_place_fail(d->error, place, status, NULL, "%.400s", why.message);
}

// Numbers used vertices in order; *count becomes how many there are. -1 marks unused ones.
static int32_t* number_used(HedDraft* d, const HedMesh* mesh, int32_t* count) {
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

static HedVec3* copy_used(HedDraft* d, const HedMesh* mesh, const int32_t* number, int32_t count) {
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, count);
    for (int32_t i = 0; vertices && i < mesh->vertex_count; ++i) {
        if (number[i] >= 0) {
            vertices[number[i]] = mesh->vertices[i];
        }
    }
    return vertices;
}

static HedStatus check_rest(HedDraft* d, const HedSceneSheet* sheet, const HedMesh* mesh,
                            const HedMesh* rest) {
    bool fits = mesh->vertex_count == rest->vertex_count &&
                mesh->triangle_count == rest->triangle_count &&
                memcmp(mesh->triangles, rest->triangles,
                       3 * (size_t)mesh->triangle_count * sizeof(int32_t)) == 0;
    return fits
               ? HED_OK
               : hed_place_fail(d->error, hed_node_where(sheet->mesh.node, "rest"), HED_PARSE, NULL,
                                "'%.200s' must have the triangles of '%.200s': %d vertices and %d "
                                "triangles against %d and %d",
                                sheet->mesh.rest, sheet->mesh.file, (int)rest->vertex_count,
                                (int)rest->triangle_count, (int)mesh->vertex_count,
                                (int)mesh->triangle_count);
}

// Copies a mesh, and the one at rest if there is one, into the sheet. Vertices that no triangle
// uses have no mass and are left out.
static HedStatus take_mesh(HedDraft* d, HedSceneSheet* sheet, const HedMesh* mesh,
                           const HedMesh* at_rest) {
    int32_t used = 0;
    int32_t* number = number_used(d, mesh, &used);
    HedVec3* start = number ? copy_used(d, mesh, number, used) : NULL;
    HedVec3* rest = number && at_rest ? copy_used(d, at_rest, number, used) : NULL;
    int32_t* triangles = HED_POOL_ARRAY(d->pool, int32_t, 3 * (int64_t)mesh->triangle_count);
    if (!start || !triangles || (at_rest && !rest)) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    const HedSceneMesh* m = &sheet->mesh;
    HedPose pose = {m->position, hed_quat_from_vector(m->rotation)};
    for (int32_t i = 0; i < used; ++i) {
        start[i] = hed_pose_apply(pose, hed_mul3(m->scale, start[i]));
        if (rest) {
            rest[i] = hed_mul3(m->scale, rest[i]);
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
        triangles[i] = number[mesh->triangles[i]];
    }
    if (used < mesh->vertex_count) {
        hed_sink_print(d->notes, "%s: %d unused vertices are left out, the others renumbered\n",
                       m->file, (int)(mesh->vertex_count - used));
    }
    sheet->def.vertices = start;
    sheet->def.rest_vertices = rest;
    sheet->def.vertex_count = used;
    sheet->def.triangles = triangles;
    sheet->def.triangle_count = mesh->triangle_count;
    return HED_OK;
}

static HedStatus shape_mesh(HedDraft* d, HedSceneSheet* sheet) {
    HedStatus status = HED_OK;
    HedMesh mesh = {0};
    HedMesh rest = {0};
    HED_TRY(read_mesh(d, sheet->mesh.node, "file", &sheet->mesh.file, &mesh));
    if (sheet->mesh.rest) {
        HED_TRY(read_mesh(d, sheet->mesh.node, "rest", &sheet->mesh.rest, &rest));
        HED_TRY(check_rest(d, sheet, &mesh, &rest));
    }
    HED_TRY(take_mesh(d, sheet, &mesh, sheet->mesh.rest ? &rest : NULL));
done:
    hed_mesh_free(&mesh);
    hed_mesh_free(&rest);
    return status;
}

static HedStatus shape_sheet(HedDraft* d, HedSceneSheet* sheet) {
    bool has_grid = sheet->grid.node != NULL;
    bool has_mesh = sheet->mesh.node != NULL;
    if (has_grid == has_mesh) {
        return hed_place_fail(d->error, sheet->node->place, HED_PARSE, NULL,
                              "sheet '%s' needs either 'grid' or 'mesh'%s", sheet->def.name,
                              has_grid ? ", not both" : "");
    }
    bool is_stretched = sheet->stretch_start[0] != 1.0 || sheet->stretch_start[1] != 1.0;
    if (has_mesh && is_stretched) {
        return hed_place_fail(d->error, hed_node_where(sheet->node, "stretch_start"), HED_PARSE,
                              "give a mesh its rest shape by 'rest'",
                              "'stretch_start' needs a grid");
    }
    return has_grid ? shape_grid(d, sheet) : shape_mesh(d, sheet);
}

// Half the side of the square that stands for a plane: wide enough to lie under all cloth.
static double plane_half_size(const HedSceneData* data, HedVec3 middle) {
    double farthest = 0.25;
    for (int32_t i = 0; i < data->sheets.count; ++i) {
        const HedSheetDef* def = &HED_SHEETS(data)[i].def;
        for (int32_t j = 0; j < def->vertex_count; ++j) {
            farthest = fmax(farthest, hed_distance3(def->vertices[j], middle));
        }
    }
    for (int32_t i = 0; i < data->yarns.count; ++i) {
        const HedYarnsDef* def = &HED_YARNS(data)[i].def;
        for (int32_t j = 0; j < def->vertex_count; ++j) {
            farthest = fmax(farthest, hed_distance3(def->vertices[j], middle));
        }
    }
    return 1.5 * farthest;
}

static HedStatus take_body_mesh(HedDraft* d, HedSceneBody* body) {
    HedMesh mesh = {0};
    HedStatus status = read_mesh(d, body->node, "file", &body->file, &mesh);
    HedVec3* vertices = NULL;
    int32_t* triangles = NULL;
    if (status == HED_OK) {
        vertices = HED_POOL_ARRAY(d->pool, HedVec3, mesh.vertex_count);
        triangles = HED_POOL_ARRAY(d->pool, int32_t, 3 * (int64_t)mesh.triangle_count);
        status = vertices && triangles ? HED_OK : hed_fail_memory(d->error, body->def.name);
    }
    if (status == HED_OK) {
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            vertices[i] = hed_mul3(body->scale, mesh.vertices[i]);
        }
        memcpy(triangles, mesh.triangles, 3 * (size_t)mesh.triangle_count * sizeof(int32_t));
        body->def.vertices = vertices;
        body->def.vertex_count = mesh.vertex_count;
        body->def.triangles = triangles;
        body->def.triangle_count = mesh.triangle_count;
        body->display_vertices = (HedVec3View){vertices, mesh.vertex_count};
        body->display_triangles = (HedIndexView){triangles, 3 * mesh.triangle_count};
    }
    hed_mesh_free(&mesh);
    return status;
}

static HedStatus take_primitive(HedDraft* d, HedSceneBody* body) {
    const HedBodyDef* def = &body->def;
    HedFieldDef field = {.shape = def->shape,
                         .radius = def->radius,
                         .minor_radius = def->minor_radius,
                         .half_length = def->half_length,
                         .half_size = def->half_size};
    HedVec3 middle = body->position;
    if (body->keyframes.count > 0) {
        middle = ((const HedSceneKey*)body->keyframes.data)->position;
    }
    HedMesh mesh = {0};
    HedError why;
    HedStatus status = hed_shape_mesh_create(&field, plane_half_size(d->data, middle), &mesh, &why);
    if (status == HED_NO_MEMORY) {
        return hed_fail_memory(d->error, def->name);
    }
    if (status != HED_OK) {
        return hed_place_fail(d->error, body->node->place, HED_PARSE, NULL, "%.400s", why.message);
    }
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, mesh.vertex_count);
    int32_t* triangles = HED_POOL_ARRAY(d->pool, int32_t, 3 * (int64_t)mesh.triangle_count);
    if (vertices && triangles) {
        memcpy(vertices, mesh.vertices, (size_t)mesh.vertex_count * sizeof *vertices);
        memcpy(triangles, mesh.triangles, 3 * (size_t)mesh.triangle_count * sizeof *triangles);
        body->display_vertices = (HedVec3View){vertices, mesh.vertex_count};
        body->display_triangles = (HedIndexView){triangles, 3 * mesh.triangle_count};
    }
    hed_mesh_free(&mesh);
    return vertices && triangles ? HED_OK : hed_fail_memory(d->error, def->name);
}

HedStatus hed_scene_shape(HedDraft* d) {
    HedStatus status = HED_OK;
    int64_t total = 0;
    for (int32_t i = 0; i < d->data->sheets.count && status == HED_OK; ++i) {
        HedSceneSheet* sheet = &HED_SHEETS(d->data)[i];
        status = shape_sheet(d, sheet);
        total += sheet->def.vertex_count;
        if (status == HED_OK && total > HED_POINT_LIMIT) {
            status = hed_place_fail(d->error, sheet->node->place, HED_PARSE, NULL,
                                    "more than %d vertices in all sheets", HED_POINT_LIMIT);
        }
    }
    for (int32_t i = 0; i < d->data->yarns.count && status == HED_OK; ++i) {
        HedSceneYarns* yarns = &HED_YARNS(d->data)[i];
        status = hed_scene_shape_yarns(d, yarns);
        total += yarns->def.vertex_count;
        if (status == HED_OK && total > HED_POINT_LIMIT) {
            status = hed_place_fail(d->error, yarns->node->place, HED_PARSE, NULL,
                                    "more than %d vertices in all", HED_POINT_LIMIT);
        }
    }
    for (int32_t i = 0; i < d->data->bodies.count && status == HED_OK; ++i) {
        HedSceneBody* body = &HED_BODIES(d->data)[i];
        status = body->def.shape == HED_MESH ? take_body_mesh(d, body) : take_primitive(d, body);
    }
    return status;
}
