// SPDX-License-Identifier: MIT
// Who touches whom in a triangle mesh: edges, hinges, neighbours, straight lines; and areas.
#ifndef HED_GEOM_TOPOLOGY_H
#define HED_GEOM_TOPOLOGY_H

#include "base/status.h"
#include "heddle/vec.h"

/// Two vertices joined by a side of a triangle, and the triangles with the two lowest numbers on
/// it.
typedef struct HedMeshEdge {
    int32_t a, b;           ///< Vertices, a < b.
    int32_t triangle[2];    ///< First number lower; -1 for none.
    int32_t opposite[2];    ///< Third vertex of those triangles; -1 for none.
    int32_t triangle_count; ///< Different triangles: 1 on the boundary, above 2 not a surface.
} HedMeshEdge;

/// An edge with a triangle on either side.
typedef struct HedHinge {
    int32_t edge;
    int32_t a, b; ///< Ends of the edge, a < b.
    int32_t c, d; ///< Vertices opposite to it; never equal.
} HedHinge;

/// Zero-initialise; free with hed_topology_free. All numbers count from 0.
typedef struct HedTopology {
    int32_t vertex_count;
    int32_t triangle_count;
    HedMeshEdge* edges; ///< Sorted by (a, b), each once.
    int32_t edge_count;
    HedHinge* hinges; ///< In the order of edges.
    int32_t hinge_count;
    int32_t* triangle_edges;   ///< Three per triangle: the k-th joins corners k and k + 1.
    int32_t* incident_start;   ///< vertex_count + 1: edges of vertex v stand in incident_edges from
                               ///< incident_start[v] to incident_start[v + 1].
    int32_t* incident_edges;   ///< Per vertex in rising order, so neighbours rise as well.
    bool* is_boundary;         ///< Per vertex: an end of an edge with one triangle.
    int32_t boundary_count;    ///< Edges with one triangle.
    int32_t nonmanifold_count; ///< Edges with three or more triangles. Each is one edge, with a
                               ///< hinge between its first two triangles.
    int32_t duplicate_count;   ///< Triangles with the vertices of an earlier one; edges and hinges
                               ///< ignore them.
    int32_t first_duplicate;   ///< The first such triangle; -1 for none.
} HedTopology;

/// Finds edges, hinges and incidence of triangles (three vertex indices each); the arrays are not
/// kept. A triangle with an index out of range or with a repeated index is refused by its number.
/// No triangles and unused vertices are fine. On failure topology is empty.
HedStatus hed_topology_create(const int32_t* triangles, int32_t triangle_count,
                              int32_t vertex_count, HedTopology* topology, HedError* error);

/// NULL and half-built ones are allowed.
void hed_topology_free(HedTopology* topology);

/// The vertex at the other end of an edge.
static inline int32_t hed_edge_other(const HedMeshEdge* edge, int32_t vertex) {
    return edge->a == vertex ? edge->b : edge->a;
}

/// A stretch of two edges that is nearly straight at rest.
typedef struct HedLine {
    int32_t a, middle, c; ///< a < c
} HedLine;

/// Finds the pairs of vertices two edges apart, neither joined nor opposite across a hinge, whose
/// common neighbour nearest to their midpoint makes an angle of at least 145 degrees with them in
/// positions (m, vertex_count of them, finite). Each pair once, sorted by (a, c). Vertices with
/// more than 64 edges are no middles. *lines is allocated with hed_alloc, also if there are none.
HedStatus hed_topology_lines(const HedTopology* topology, const HedVec3* positions, HedLine** lines,
                             int32_t* line_count, HedError* error);

/// Fills areas (m^2, triangle_count of them) and returns their sum. Doubled triangles count twice.
double hed_triangle_areas(const HedVec3* positions, const int32_t* triangles,
                          int32_t triangle_count, double* areas);

/// Fills vertex_areas (m^2, vertex_count of them) with a third of the areas of adjacent triangles.
void hed_vertex_areas(const int32_t* triangles, int32_t triangle_count, const double* areas,
                      int32_t vertex_count, double* vertex_areas);

#endif
