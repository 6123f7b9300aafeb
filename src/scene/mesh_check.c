// SPDX-License-Identifier: MIT
// Whether a mesh can be a sheet.
#include "geom/topology.h"
#include "math/vec3.h"
#include "scene/shape.h"

#include <stdarg.h>
#include <stdio.h>

static const char* line_of(const HedMeshCase* at, int32_t triangle, char buffer[16]) {
    buffer[0] = '\0';
    if (at->mesh->lines) {
        snprintf(buffer, 16, ":%d", (int)at->mesh->lines[triangle]);
    }
    return buffer;
}

HedStatus hed_mesh_fail(const HedMeshCase* at, int32_t triangle, const char* hint,
                        const char* format, ...) {
    char why[300];
    char line[16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    const int32_t* v = at->mesh->triangles + 3 * (int64_t)triangle;
    return hed_place_fail(at->draft->error, at->place, HED_PARSE, hint,
                          "%.200s%s: triangle %d (vertices %d, %d, %d, counted from 0) %s",
                          at->file, line_of(at, triangle, line), (int)triangle, (int)v[0],
                          (int)v[1], (int)v[2], why);
}

static HedStatus check_areas(const HedMeshCase* at, const HedVec3* x) {
    // Height over length: below this the directions in the triangle are rounding errors.
    const double thinnest = 1e-8;
    for (int32_t t = 0; t < at->mesh->triangle_count; ++t) {
        const int32_t* v = at->mesh->triangles + 3 * (int64_t)t;
        HedVec3 a = hed_sub3(x[v[1]], x[v[0]]);
        HedVec3 b = hed_sub3(x[v[2]], x[v[0]]);
        double longest = fmax(hed_norm3(hed_sub3(b, a)), fmax(hed_norm3(a), hed_norm3(b)));
        double twice = hed_norm3(hed_cross3(a, b));
        if (!(twice > thinnest * longest * longest)) {
            return hed_mesh_fail(at, t, NULL, "has no area at rest: its corners lie on a line");
        }
    }
    return HED_OK;
}

// Whether the triangle runs through the side from a to b in this direction.
static bool runs_from(const int32_t* v, int32_t a, int32_t b) {
    return (v[0] == a && v[1] == b) || (v[1] == a && v[2] == b) || (v[2] == a && v[0] == b);
}

// The highest triangle that has the edge: where the fault entered the file.
static int32_t last_on_edge(const HedMeshCase* at, const HedTopology* topology, int32_t edge) {
    int32_t t = at->mesh->triangle_count - 1;
    const int32_t* e = topology->triangle_edges;
    while (e[3 * (int64_t)t] != edge && e[3 * (int64_t)t + 1] != edge &&
           e[3 * (int64_t)t + 2] != edge) {
        --t;
    }
    return t;
}

static HedStatus check_edges(const HedMeshCase* at, const HedTopology* topology, bool mixed) {
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        const HedMeshEdge* edge = &topology->edges[e];
        if (edge->triangle_count > 2) {
            return hed_mesh_fail(
                at, last_on_edge(at, topology, e), NULL,
                "makes a branch: the edge from vertex %d to %d has %d triangles, at most 2",
                (int)edge->a, (int)edge->b, (int)edge->triangle_count);
        }
        const int32_t* v = at->mesh->triangles;
        if (!mixed && edge->triangle_count == 2 &&
            runs_from(v + 3 * (int64_t)edge->triangle[0], edge->a, edge->b) ==
                runs_from(v + 3 * (int64_t)edge->triangle[1], edge->a, edge->b)) {
            return hed_mesh_fail(
                at, edge->triangle[1], "turn one of them, or allow it by 'mixed_fronts: true'",
                "faces the other way than triangle %d beside it", (int)edge->triangle[0]);
        }
    }
    return HED_OK;
}

HedStatus hed_mesh_check(const HedMeshCase* at, const HedVec3* vertices, bool mixed_fronts) {
    const HedMesh* mesh = at->mesh;
    HedTopology topology = {0};
    HedError why;
    HedStatus status = hed_topology_create(mesh->triangles, mesh->triangle_count,
                                           mesh->vertex_count, &topology, &why);
    if (status != HED_OK) {
        return hed_scene_pass_on(at->draft, at->place, status, &why);
    }
    if (topology.duplicate_count > 0) {
        status = hed_mesh_fail(at, topology.first_duplicate, NULL,
                               "has the same corners as an earlier one");
        goto done;
    }
    HED_TRY(check_areas(at, vertices));
    HED_TRY(check_edges(at, &topology, mixed_fronts));
done:
    hed_topology_free(&topology);
    return status;
}
