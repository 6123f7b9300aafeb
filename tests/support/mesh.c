// SPDX-License-Identifier: MIT
#include "support/rig.h"

#include <stdlib.h>
#include <string.h>

static Mesh allocate(int32_t vertex_count, int32_t triangle_count) {
    Mesh mesh = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    mesh.vertices = calloc((size_t)vertex_count, sizeof *mesh.vertices);
    mesh.triangles = calloc(3 * (size_t)triangle_count, sizeof *mesh.triangles);
    if (!mesh.vertices || !mesh.triangles) {
        abort();
    }
    return mesh;
}

static int32_t* put_triangle(int32_t* to, int32_t a, int32_t b, int32_t c) {
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return to + 3;
}

Mesh mesh_grid(int32_t columns, int32_t rows, HedVec3 origin, HedVec3 across, HedVec3 down) {
    Mesh mesh = allocate(columns * rows, 2 * (columns - 1) * (rows - 1));
    mesh.columns = columns;
    mesh.rows = rows;
    int32_t* to = mesh.triangles;
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t c = 0; c < columns; ++c) {
            int32_t i = r * columns + c;
            HedVec3 x = hed_madd3(origin, (double)c / (columns - 1), across);
            mesh.vertices[i] = hed_madd3(x, (double)r / (rows - 1), down);
            if (r + 1 < rows && c + 1 < columns) {
                to = put_triangle(to, i, i + columns, i + columns + 1);
                to = put_triangle(to, i, i + columns + 1, i + 1);
            }
        }
    }
    return mesh;
}

Mesh mesh_lattice(int32_t columns, int32_t rows, double edge) {
    Mesh mesh = allocate(columns * rows, 2 * (columns - 1) * (rows - 1));
    int32_t* to = mesh.triangles;
    for (int32_t r = 0; r < rows; ++r) {
        bool is_odd = r % 2 == 1;
        for (int32_t c = 0; c < columns; ++c) {
            int32_t i = r * columns + c;
            mesh.vertices[i] =
                hed_vec3(edge * (c + (is_odd ? 0.5 : 0.0)), 0.0, edge * sqrt(0.75) * r);
            if (r + 1 == rows || c + 1 == columns) {
                continue;
            }
            int32_t below = i + columns;
            if (is_odd) {
                to = put_triangle(to, i, below, below + 1);
                to = put_triangle(to, i, below + 1, i + 1);
            } else {
                to = put_triangle(to, i, below, i + 1);
                to = put_triangle(to, i + 1, below, below + 1);
            }
        }
    }
    return mesh;
}

Mesh mesh_tetrahedron(double edge) {
    Mesh mesh = allocate(4, 4);
    // Every second corner of a cube whose faces' diagonals are the edges.
    double s = edge / sqrt(8.0);
    mesh.vertices[0] = hed_vec3(s, s, s);
    mesh.vertices[1] = hed_vec3(s, -s, -s);
    mesh.vertices[2] = hed_vec3(-s, s, -s);
    mesh.vertices[3] = hed_vec3(-s, -s, s);
    int32_t* to = put_triangle(mesh.triangles, 0, 1, 2);
    to = put_triangle(to, 0, 2, 3);
    to = put_triangle(to, 0, 3, 1);
    put_triangle(to, 1, 3, 2);
    return mesh;
}

Mesh mesh_triangle(double edge) {
    Mesh mesh = allocate(3, 1);
    for (int k = 0; k < 3; ++k) {
        double angle = k * 2.0 * acos(-1.0) / 3.0;
        double radius = edge / sqrt(3.0);
        mesh.vertices[k] = hed_vec3(radius * cos(angle), radius * sin(angle), 0.0);
    }
    put_triangle(mesh.triangles, 0, 1, 2);
    return mesh;
}

void mesh_keep_rest(Mesh* mesh) {
    size_t bytes = sizeof(HedVec3) * (size_t)mesh->vertex_count;
    mesh->rest = malloc(bytes);
    if (!mesh->rest) {
        abort();
    }
    memcpy(mesh->rest, mesh->vertices, bytes);
}

void mesh_free(Mesh* mesh) {
    free(mesh->vertices);
    free(mesh->rest);
    free(mesh->triangles);
    *mesh = (Mesh){0};
}

HedSheetDef mesh_sheet(const Mesh* mesh) {
    HedSheetDef def = hed_sheet_def_default();
    def.vertices = mesh->vertices;
    def.rest_vertices = mesh->rest;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.grid_columns = mesh->columns;
    def.grid_rows = mesh->rows;
    return def;
}
