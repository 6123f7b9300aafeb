// SPDX-License-Identifier: MIT
// Vertices and triangles of everything in a scene: grids and bodies here, meshes and garments in
// files of their own.
#include "scene/shape.h"
#include "base/file.h"
#include "geom/shape_mesh.h"
#include "math/quat.h"
#include "scene/grid.h"

#include <inttypes.h>
#include <string.h>

// Refuses what no computer can hold, and what this one cannot, before any of it is made. A sheet of
// springs takes 2.4 kB per vertex, other things more; the bound stays well below.
static HedStatus check_count(HedSceneDraft* d, HedLocation place, int64_t count) {
    const double bytes_per_vertex = 500.0;
    double needed = bytes_per_vertex * (double)count;
    double limit = (double)hed_alloc_stats().limit_bytes;
    if (count > HED_POINT_LIMIT) {
        return hed_place_fail(d->error, place, HED_PARSE, NULL,
                              "%" PRId64 " vertices, at most %d are possible", count,
                              HED_POINT_LIMIT);
    }
    if (limit > 0.0 && needed > limit) {
        return hed_place_fail(d->error, place, HED_NO_MEMORY, NULL,
                              "%" PRId64
                              " vertices take at least %.3g GB of memory, there are %.3g",
                              count, 1e-9 * needed, 1e-9 * limit);
    }
    return HED_OK;
}

static HedStatus check_grid(HedSceneDraft* d, const HedSceneGrid* grid) {
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
    return check_count(d, hed_node_where(grid->node, "points"), hed_grid_vertex_count(grid));
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

static HedStatus shape_grid(HedSceneDraft* d, HedSceneSheet* sheet) {
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
    double* uv = HED_POOL_ARRAY(d->pool, double, 2 * vertex_count);
    if (!vertices || !triangles || !uv || (!rest && !is_relaxed)) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    hed_grid_uv(grid, uv);
    sheet->uv = uv;
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

HedStatus hed_scene_pass_on(HedSceneDraft* d, HedLocation place, HedStatus status,
                            const HedError* why) {
    if (status == HED_NO_MEMORY) {
        return hed_fail(d->error, status, "%s", why->message);
    }
    return status == HED_OK ? HED_OK
                            : hed_place_fail(d->error, place, status, NULL, "%.400s", why->message);
}

HedStatus hed_scene_read_file(HedSceneDraft* d, const HedNode* owner, const char* key,
                              const char** path, HedText* text) {
    HedLocation place = hed_node_where(owner, key);
    *path = hed_source_path(d->pool, place.source, *path);
    return *path ? hed_loader_read(d->loader, *path, place, text) : hed_fail_memory(d->error, key);
}

HedStatus hed_scene_read_mesh(HedSceneDraft* d, const HedNode* owner, const char* key,
                              const char** path, HedMesh* mesh) {
    HedText text = {0};
    HedStatus status = hed_scene_read_file(d, owner, key, path, &text);
    if (status != HED_OK) {
        return status;
    }
    HedError why;
    status = hed_mesh_parse(text.data, text.size, hed_path_extension(*path), *path, mesh, &why);
    hed_text_free(&text);
    return hed_scene_pass_on(d, hed_node_where(owner, key), status, &why);
}

static HedStatus shape_sheet(HedSceneDraft* d, HedSceneSheet* sheet) {
    bool has_grid = sheet->grid.node != NULL;
    bool has_mesh = sheet->mesh.node != NULL;
    bool has_garment = sheet->garment.node != NULL;
    int given = has_grid + has_mesh + has_garment;
    if (given != 1) {
        return hed_place_fail(d->error, sheet->node->place, HED_PARSE, NULL,
                              "sheet '%s' needs either 'grid', 'mesh' or 'garment'%s",
                              sheet->def.name, given > 0 ? ", only one of them" : "");
    }
    bool is_stretched = sheet->stretch_start[0] != 1.0 || sheet->stretch_start[1] != 1.0;
    if (!has_grid && is_stretched) {
        return hed_place_fail(d->error, hed_node_where(sheet->node, "stretch_start"), HED_PARSE,
                              "give a mesh its rest shape by 'rest'",
                              "'stretch_start' needs a grid");
    }
    if (has_garment) {
        return hed_scene_shape_garment(d, sheet);
    }
    return has_grid ? shape_grid(d, sheet) : hed_scene_shape_mesh(d, sheet);
}

// Sizes at which neither lengths nor differences of them drown in rounding.
static HedStatus check_size(HedSceneDraft* d, const HedSceneSheet* sheet) {
    const double least = 1e-6; // m
    const double most = 1e7;
    HedVec3 low = sheet->def.vertices[0];
    HedVec3 high = low;
    for (int32_t i = 1; i < sheet->def.vertex_count; ++i) {
        HedVec3 x = sheet->def.vertices[i];
        low = hed_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = hed_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    double size = hed_distance3(low, high);
    double far = fmax(hed_norm3(low), hed_norm3(high));
    if (!(size >= least && far <= most)) {
        return hed_place_fail(d->error, sheet->node->place, HED_PARSE, NULL,
                              "sheet '%s' must be larger than %g m and nearer than %g m to the "
                              "origin, got %.4g m and %.4g m",
                              sheet->def.name, least, most, size, far);
    }
    return HED_OK;
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

static HedStatus take_body_mesh(HedSceneDraft* d, HedSceneBody* body) {
    HedMesh mesh = {0};
    HedStatus status = hed_scene_read_mesh(d, body->node, "file", &body->file, &mesh);
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

static HedStatus take_primitive(HedSceneDraft* d, HedSceneBody* body) {
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

HedStatus hed_scene_shape(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    int64_t total = 0;
    for (int32_t i = 0; i < d->data->sheets.count && status == HED_OK; ++i) {
        HedSceneSheet* sheet = &HED_SHEETS(d->data)[i];
        status = shape_sheet(d, sheet);
        status = status == HED_OK ? check_size(d, sheet) : status;
        total += sheet->def.vertex_count;
        status = status == HED_OK ? check_count(d, sheet->node->place, total) : status;
    }
    for (int32_t i = 0; i < d->data->yarns.count && status == HED_OK; ++i) {
        HedSceneYarns* yarns = &HED_YARNS(d->data)[i];
        status = hed_scene_shape_yarns(d, yarns);
        total += yarns->def.vertex_count;
        status = status == HED_OK ? check_count(d, yarns->node->place, total) : status;
    }
    for (int32_t i = 0; i < d->data->bodies.count && status == HED_OK; ++i) {
        HedSceneBody* body = &HED_BODIES(d->data)[i];
        status = body->def.shape == HED_MESH ? take_body_mesh(d, body) : take_primitive(d, body);
    }
    return status;
}
