// SPDX-License-Identifier: MIT
// Sides of triangles are sorted by their ends; each run of equal ends is one edge.
#include "geom/topology.h"

#include "base/alloc.h"
#include "geom/sort.h"
#include "math/vec3.h"

// Side h of the mesh is the k-th of triangle h / 3, from corner k to corner k + 1.
typedef struct Side {
    int32_t a, b; // a < b
    int32_t opposite;
} Side;

static Side side_of(const int32_t* triangles, int32_t h) {
    const int32_t* corner = triangles + h / 3 * 3;
    int32_t k = h % 3;
    int32_t p = corner[k];
    int32_t q = corner[(k + 1) % 3];
    return (Side){p < q ? p : q, p < q ? q : p, corner[(k + 2) % 3]};
}

static HedStatus check_triangles(const int32_t* triangles, int32_t triangle_count,
                                 int32_t vertex_count, HedError* error) {
    if (triangle_count < 0 || vertex_count < 0 || triangle_count > INT32_MAX / 3) {
        return hed_fail(error, HED_INVALID,
                        "a mesh must have 0 to %d triangles and not less than 0 vertices, got %d "
                        "and %d",
                        INT32_MAX / 3, triangle_count, vertex_count);
    }
    for (int32_t t = 0; t < triangle_count; ++t) {
        const int32_t* v = triangles + 3 * t;
        for (int k = 0; k < 3; ++k) {
            if (v[k] < 0 || v[k] >= vertex_count) {
                return hed_fail(error, HED_INVALID,
                                "triangle %d: vertex index %d is not within 0 to %d", t, v[k],
                                vertex_count - 1);
            }
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return hed_fail(error, HED_INVALID,
                            "triangle %d: its vertices must differ, got %d, %d, %d", t, v[0], v[1],
                            v[2]);
        }
    }
    return HED_OK;
}

// Sides sorted by (a, b, opposite vertex, number), so that doubled triangles stand side by side.
static HedStatus sort_sides(const int32_t* triangles, int32_t side_count, int32_t vertex_count,
                            HedSortItem* items, HedError* error) {
    for (int32_t h = 0; h < side_count; ++h) {
        items[h] = (HedSortItem){(uint64_t)side_of(triangles, h).opposite, h};
    }
    HedStatus status = hed_sort_items(items, side_count, error);
    if (status != HED_OK) {
        return status;
    }
    for (int32_t i = 0; i < side_count; ++i) {
        Side side = side_of(triangles, items[i].value);
        items[i].key = (uint64_t)side.a * (uint64_t)vertex_count + (uint64_t)side.b;
    }
    return hed_sort_items(items, side_count, error);
}

static int32_t count_runs(const HedSortItem* items, int32_t count) {
    int32_t runs = 0;
    for (int32_t i = 0; i < count; ++i) {
        runs += i == 0 || items[i].key != items[i - 1].key;
    }
    return runs;
}

// Keeps the two triangles with the lowest numbers in order.
static void edge_add(HedMeshEdge* edge, int32_t triangle, int32_t opposite) {
    ++edge->triangle_count;
    if (edge->triangle[0] < 0 || triangle < edge->triangle[0]) {
        edge->triangle[1] = edge->triangle[0];
        edge->opposite[1] = edge->opposite[0];
        edge->triangle[0] = triangle;
        edge->opposite[0] = opposite;
    } else if (edge->triangle[1] < 0 || triangle < edge->triangle[1]) {
        edge->triangle[1] = triangle;
        edge->opposite[1] = opposite;
    }
}

static void fill_edges(const int32_t* triangles, const HedSortItem* items, HedTopology* topology) {
    int32_t e = -1;
    int32_t last_opposite = -1;
    int32_t duplicate_sides = 0;
    topology->first_duplicate = -1;
    for (int32_t i = 0; i < 3 * topology->triangle_count; ++i) {
        int32_t h = items[i].value;
        Side side = side_of(triangles, h);
        if (i == 0 || items[i].key != items[i - 1].key) {
            topology->edges[++e] =
                (HedMeshEdge){.a = side.a, .b = side.b, .triangle = {-1, -1}, .opposite = {-1, -1}};
            last_opposite = -1;
        }
        topology->triangle_edges[h] = e;
        if (side.opposite == last_opposite) {
            ++duplicate_sides;
            if (topology->first_duplicate < 0 || h / 3 < topology->first_duplicate) {
                topology->first_duplicate = h / 3;
            }
        } else {
            edge_add(&topology->edges[e], h / 3, side.opposite);
        }
        last_opposite = side.opposite;
    }
    topology->duplicate_count = duplicate_sides / 3;
}

static void fill_hinges(HedTopology* topology) {
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        const HedMeshEdge* edge = &topology->edges[e];
        topology->nonmanifold_count += edge->triangle_count > 2;
        if (edge->triangle_count == 1) {
            ++topology->boundary_count;
            topology->is_boundary[edge->a] = true;
            topology->is_boundary[edge->b] = true;
        } else {
            topology->hinges[topology->hinge_count++] =
                (HedHinge){e, edge->a, edge->b, edge->opposite[0], edge->opposite[1]};
        }
    }
}

// Turns sizes (of list v in start[v + 1]) into starts; afterwards filling moves start[v] to its
// end, and shift_starts moves all one place back.
static void sizes_to_starts(int32_t* start, int32_t count) {
    for (int32_t v = 0; v < count; ++v) {
        start[v + 1] += start[v];
    }
}

static void shift_starts(int32_t* start, int32_t count) {
    for (int32_t v = count; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
}

static void fill_incidence(HedTopology* topology) {
    int32_t* start = topology->incident_start;
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        ++start[topology->edges[e].a + 1];
        ++start[topology->edges[e].b + 1];
    }
    sizes_to_starts(start, topology->vertex_count);
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        topology->incident_edges[start[topology->edges[e].a]++] = e;
        topology->incident_edges[start[topology->edges[e].b]++] = e;
    }
    shift_starts(start, topology->vertex_count);
}

static HedStatus allocate(HedTopology* topology, HedError* error) {
    int64_t edge_count = topology->edge_count;
    topology->edges = HED_NEW_ARRAY(HedMeshEdge, edge_count);
    topology->hinges = HED_NEW_ARRAY(HedHinge, edge_count);
    topology->triangle_edges = HED_NEW_ARRAY(int32_t, (int64_t)topology->triangle_count * 3);
    topology->incident_start = HED_NEW_ARRAY(int32_t, (int64_t)topology->vertex_count + 1);
    topology->incident_edges = HED_NEW_ARRAY(int32_t, 2 * edge_count);
    topology->is_boundary = HED_NEW_ARRAY(bool, topology->vertex_count);
    bool ok = topology->edges && topology->hinges && topology->triangle_edges &&
              topology->incident_start && topology->incident_edges && topology->is_boundary;
    return ok ? HED_OK : hed_fail_memory(error, "mesh topology");
}

HedStatus hed_topology_create(const int32_t* triangles, int32_t triangle_count,
                              int32_t vertex_count, HedTopology* topology, HedError* error) {
    *topology = (HedTopology){.vertex_count = vertex_count, .triangle_count = triangle_count};
    HedStatus status = HED_OK;
    HedSortItem* items = NULL;
    HED_TRY(check_triangles(triangles, triangle_count, vertex_count, error));
    items = HED_NEW_ARRAY(HedSortItem, 3 * (int64_t)triangle_count);
    if (!items) {
        HED_TRY(hed_fail_memory(error, "mesh topology"));
    }
    HED_TRY(sort_sides(triangles, 3 * triangle_count, vertex_count, items, error));
    topology->edge_count = count_runs(items, 3 * triangle_count);
    if (topology->edge_count > INT32_MAX / 2) {
        HED_TRY(hed_fail(error, HED_INVALID, "a mesh must have at most %d edges, got %d",
                         INT32_MAX / 2, topology->edge_count));
    }
    HED_TRY(allocate(topology, error));
    fill_edges(triangles, items, topology);
    fill_hinges(topology);
    fill_incidence(topology);
done:
    hed_free(items);
    if (status != HED_OK) {
        hed_topology_free(topology);
    }
    return status;
}

void hed_topology_free(HedTopology* topology) {
    if (!topology) {
        return;
    }
    hed_free(topology->edges);
    hed_free(topology->hinges);
    hed_free(topology->triangle_edges);
    hed_free(topology->incident_start);
    hed_free(topology->incident_edges);
    hed_free(topology->is_boundary);
    *topology = (HedTopology){0};
}

double hed_triangle_areas(const HedVec3* positions, const int32_t* triangles,
                          int32_t triangle_count, double* areas) {
    double total = 0.0;
    for (int32_t t = 0; t < triangle_count; ++t) {
        HedVec3 a = positions[triangles[3 * t]];
        HedVec3 ab = hed_sub3(positions[triangles[3 * t + 1]], a);
        HedVec3 ac = hed_sub3(positions[triangles[3 * t + 2]], a);
        areas[t] = 0.5 * hed_norm3(hed_cross3(ab, ac));
        total += areas[t];
    }
    return total;
}

void hed_vertex_areas(const int32_t* triangles, int32_t triangle_count, const double* areas,
                      int32_t vertex_count, double* vertex_areas) {
    for (int32_t v = 0; v < vertex_count; ++v) {
        vertex_areas[v] = 0.0;
    }
    for (int32_t t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            vertex_areas[triangles[3 * t + k]] += areas[t] / 3.0;
        }
    }
}
