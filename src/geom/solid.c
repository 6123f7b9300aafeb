// SPDX-License-Identifier: MIT
#include "geom/solid.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "geom/box.h"
#include "geom/topology.h"

#include <string.h>

static HedStatus check_input(const HedVec3* vertices, int32_t vertex_count,
                             const int32_t* triangles, int32_t triangle_count, HedError* error) {
    if (!vertices || !triangles || vertex_count <= 0 || triangle_count <= 0 ||
        triangle_count > INT32_MAX / 3) {
        return hed_fail(error, HED_INVALID,
                        "a solid mesh must have vertices and triangles, got %d and %d",
                        vertex_count, triangle_count);
    }
    for (int32_t v = 0; v < vertex_count; ++v) {
        if (!hed_is_finite3(vertices[v])) {
            return hed_fail(error, HED_INVALID, "vertex %d must be finite, got (%g, %g, %g)", v,
                            vertices[v].x, vertices[v].y, vertices[v].z);
        }
    }
    for (int32_t i = 0; i < 3 * triangle_count; ++i) {
        if (triangles[i] < 0 || triangles[i] >= vertex_count) {
            return hed_fail(error, HED_INVALID,
                            "triangle %d: vertex index %d is not within 0 to %d", i / 3,
                            triangles[i], vertex_count - 1);
        }
    }
    return HED_OK;
}

static bool is_same_place(HedVec3 a, HedVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Adding zero makes -0 and 0 the same bytes.
static uint64_t place_hash(HedVec3 p) {
    HedVec3 clean = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    return hed_hash(0, &clean, sizeof(clean));
}

// same[v] becomes the lowest vertex at the place of v. A table with open addressing holds one
// vertex (plus 1) per place.
static HedStatus find_equal(const HedVec3* vertices, int32_t vertex_count, int32_t* same,
                            HedError* error) {
    uint64_t capacity = 16;
    while (capacity < 2 * (uint64_t)vertex_count) {
        capacity *= 2;
    }
    int32_t* table = HED_NEW_ARRAY(int32_t, (int64_t)capacity);
    if (!table) {
        return hed_fail_memory(error, "joining equal vertices");
    }
    for (int32_t v = 0; v < vertex_count; ++v) {
        uint64_t slot = place_hash(vertices[v]) & (capacity - 1);
        while (table[slot] && !is_same_place(vertices[table[slot] - 1], vertices[v])) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (!table[slot]) {
            table[slot] = v + 1;
        }
        same[v] = table[slot] - 1;
    }
    hed_free(table);
    return HED_OK;
}

// Writes the triangles with joined vertices, without those that have lost their area.
static int32_t join_triangles(const int32_t* triangles, int32_t triangle_count, const int32_t* same,
                              int32_t* joined) {
    int32_t kept = 0;
    for (int32_t t = 0; t < triangle_count; ++t) {
        int32_t a = same[triangles[3 * t]];
        int32_t b = same[triangles[3 * t + 1]];
        int32_t c = same[triangles[3 * t + 2]];
        if (a != b && b != c && c != a) {
            joined[3 * kept] = a;
            joined[3 * kept + 1] = b;
            joined[3 * kept + 2] = c;
            ++kept;
        }
    }
    return kept;
}

// Does the triangle go from a to b along its border?
static bool runs_from_to(const int32_t* triangle, int32_t a, int32_t b) {
    return (triangle[0] == a && triangle[1] == b) || (triangle[1] == a && triangle[2] == b) ||
           (triangle[2] == a && triangle[0] == b);
}

static HedStatus check_closed(const HedTopology* topology, const int32_t* triangles,
                              HedError* error) {
    if (topology->duplicate_count > 0) {
        const int32_t* v = triangles + 3 * topology->first_duplicate;
        return hed_fail(error, HED_INVALID,
                        "the triangle of vertices %d, %d and %d must be there once, is there again",
                        v[0], v[1], v[2]);
    }
    int32_t bad_count = topology->boundary_count + topology->nonmanifold_count;
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        const HedMeshEdge* edge = &topology->edges[e];
        if (edge->triangle_count != 2) {
            return hed_fail(error, HED_INVALID,
                            "the mesh must be closed, but the edge between vertices %d and %d has "
                            "%d triangle%s instead of 2 (%d such edges)",
                            edge->a, edge->b, edge->triangle_count,
                            edge->triangle_count == 1 ? "" : "s", bad_count);
        }
        if (runs_from_to(triangles + 3 * edge->triangle[0], edge->a, edge->b) ==
            runs_from_to(triangles + 3 * edge->triangle[1], edge->a, edge->b)) {
            return hed_fail(error, HED_INVALID,
                            "the triangles of the mesh must face the same way, but the two at the "
                            "edge between vertices %d and %d do not",
                            edge->a, edge->b);
        }
    }
    return HED_OK;
}

static void fill_neighbours(const HedTopology* topology, int32_t* neighbours) {
    for (int32_t h = 0; h < 3 * topology->triangle_count; ++h) {
        const HedMeshEdge* edge = &topology->edges[topology->triangle_edges[h]];
        neighbours[h] = edge->triangle[edge->triangle[0] == h / 3];
    }
}

// Sum of the tetrahedra that the triangles span with a point of the mesh; exact for any point, and
// one nearby keeps the rounding small.
static double signed_volume(const HedSolid* solid) {
    HedVec3 origin = solid->vertices[0];
    double six_volumes = 0.0;
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        const int32_t* v = solid->triangles + 3 * t;
        HedVec3 a = hed_sub3(solid->vertices[v[0]], origin);
        HedVec3 b = hed_sub3(solid->vertices[v[1]], origin);
        HedVec3 c = hed_sub3(solid->vertices[v[2]], origin);
        six_volumes += hed_dot3(a, hed_cross3(b, c));
    }
    return six_volumes / 6.0;
}

// Swapping corners 1 and 2 makes edges 0, 1, 2 the old 2, 1, 0.
static void turn_inside_out(HedSolid* solid) {
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        int32_t* v = solid->triangles + 3 * t;
        int32_t* n = solid->neighbours + 3 * t;
        int32_t corner = v[1];
        v[1] = v[2];
        v[2] = corner;
        int32_t neighbour = n[0];
        n[0] = n[2];
        n[2] = neighbour;
    }
}

static HedStatus orient(HedSolid* solid, HedError* error) {
    HedBox box = hed_box_around(solid->vertices, solid->vertex_count);
    double size = hed_distance3(box.low, box.high);
    double volume = signed_volume(solid);
    // Rounding alone gives some 1e-16 size^3 to a surface folded flat.
    if (!(fabs(volume) > 1e-13 * size * size * size) || !isfinite(volume)) {
        return hed_fail(error, HED_INVALID,
                        "the mesh must enclose a volume, got %g m^3 within a box of diagonal %g m",
                        volume, size);
    }
    if (volume < 0.0) {
        turn_inside_out(solid);
    }
    solid->volume = fabs(volume);
    return HED_OK;
}

HedStatus hed_solid_reorder(HedSolid* solid, const int32_t* order, HedError* error) {
    int32_t n = solid->triangle_count;
    int32_t* place = HED_NEW_ARRAY(int32_t, n);                    // new number of a triangle
    int32_t* number = HED_NEW_ARRAY(int32_t, solid->vertex_count); // new number of a vertex, plus 1
    int32_t* triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)n);
    int32_t* neighbours = HED_NEW_ARRAY(int32_t, 3 * (int64_t)n);
    HedVec3* vertices = HED_NEW_ARRAY(HedVec3, solid->vertex_count);
    HedStatus status = HED_OK;
    if (!place || !number || !triangles || !neighbours || !vertices) {
        HED_TRY(hed_fail_memory(error, "solid mesh"));
    }
    for (int32_t k = 0; k < n; ++k) {
        place[order[k]] = k;
    }
    int32_t used = 0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        int32_t old = 3 * order[i / 3] + i % 3;
        int32_t v = solid->triangles[old];
        if (!number[v]) {
            vertices[used] = solid->vertices[v];
            number[v] = ++used;
        }
        triangles[i] = number[v] - 1;
        neighbours[i] = place[solid->neighbours[old]];
    }
    hed_solid_free(&(HedSolid){solid->vertices, 0, solid->triangles, 0, solid->neighbours, 0.0});
    *solid = (HedSolid){vertices, used, triangles, n, neighbours, solid->volume};
    vertices = NULL;
    triangles = neighbours = NULL;
done:
    hed_free(place);
    hed_free(number);
    hed_free(triangles);
    hed_free(neighbours);
    hed_free(vertices);
    return status;
}

// The triangles as given but for joined vertices, numbered as given: messages may name them.
static HedStatus join_and_check(HedSolid* solid, const int32_t* triangles, int32_t* same,
                                HedTopology* topology, HedError* error) {
    HedStatus status = find_equal(solid->vertices, solid->vertex_count, same, error);
    if (status != HED_OK) {
        return status;
    }
    solid->triangle_count =
        join_triangles(triangles, solid->triangle_count, same, solid->triangles);
    status = hed_topology_create(solid->triangles, solid->triangle_count, solid->vertex_count,
                                 topology, error);
    if (status != HED_OK) {
        return status;
    }
    return check_closed(topology, solid->triangles, error);
}

HedStatus hed_solid_create(const HedVec3* vertices, int32_t vertex_count, const int32_t* triangles,
                           int32_t triangle_count, HedSolid* solid, HedError* error) {
    *solid = (HedSolid){.vertex_count = vertex_count, .triangle_count = triangle_count};
    HedTopology topology = {0};
    int32_t* scratch = NULL; // first the joined vertices, then the order of triangles
    HedStatus status = HED_OK;
    HED_TRY(check_input(vertices, vertex_count, triangles, triangle_count, error));
    int64_t scratch_count = vertex_count > triangle_count ? vertex_count : triangle_count;
    scratch = HED_NEW_ARRAY(int32_t, scratch_count);
    solid->vertices = HED_NEW_ARRAY(HedVec3, vertex_count);
    solid->triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)triangle_count);
    solid->neighbours = HED_NEW_ARRAY(int32_t, 3 * (int64_t)triangle_count);
    if (!scratch || !solid->vertices || !solid->triangles || !solid->neighbours) {
        HED_TRY(hed_fail_memory(error, "solid mesh"));
    }
    memcpy(solid->vertices, vertices, (size_t)vertex_count * sizeof(HedVec3));
    HED_TRY(join_and_check(solid, triangles, scratch, &topology, error));
    fill_neighbours(&topology, solid->neighbours);
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        scratch[t] = t;
    }
    HED_TRY(hed_solid_reorder(solid, scratch, error)); // drops unused vertices
    if (solid->triangle_count == 0) {
        HED_TRY(hed_fail(error, HED_INVALID,
                         "the mesh must enclose a volume, but no triangle has "
                         "three different corners"));
    }
    HED_TRY(orient(solid, error));
done:
    hed_free(scratch);
    hed_topology_free(&topology);
    if (status != HED_OK) {
        hed_solid_free(solid);
    }
    return status;
}

void hed_solid_free(HedSolid* solid) {
    if (solid) {
        hed_free(solid->vertices);
        hed_free(solid->triangles);
        hed_free(solid->neighbours);
        *solid = (HedSolid){0};
    }
}
