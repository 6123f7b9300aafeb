// SPDX-License-Identifier: MIT
#include "geom/topology.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

// Of lengths of about 1 m and an area of 12 m^2, a sum over some triangles.
static const double ROUNDING = 1e-13;

// columns x rows vertices one apart, quads cut along the diagonal from (i, j) to (i + 1, j + 1).
static void make_grid(int32_t columns, int32_t rows, HedVec3* positions, int32_t* triangles) {
    for (int32_t v = 0; v < columns * rows; ++v) {
        positions[v] = hed_vec3(v % columns, v / columns, 0.0);
    }
    for (int32_t q = 0; q < (columns - 1) * (rows - 1); ++q) {
        int32_t v = q / (columns - 1) * columns + q % (columns - 1);
        int32_t quad[6] = {v, v + 1, v + columns + 1, v, v + columns + 1, v + columns};
        memcpy(triangles + 6 * q, quad, sizeof(quad));
    }
}

Test(topology, two_triangles) {
    const int32_t triangles[6] = {0, 1, 2, 2, 1, 3};
    HedTopology topology;
    cr_assert_eq(hed_topology_create(triangles, 2, 5, &topology, NULL), HED_OK);
    cr_assert_eq(topology.edge_count, 5);
    const int32_t expected[5][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
    for (int e = 0; e < 5; ++e) {
        cr_assert_eq(topology.edges[e].a, expected[e][0]);
        cr_assert_eq(topology.edges[e].b, expected[e][1]);
        cr_assert_eq(topology.edges[e].triangle_count, e == 2 ? 2 : 1);
    }
    const HedMeshEdge* middle = &topology.edges[2];
    cr_assert(middle->triangle[0] == 0 && middle->triangle[1] == 1);
    cr_assert(middle->opposite[0] == 0 && middle->opposite[1] == 3);
    cr_assert(topology.edges[3].triangle[0] == 1 && topology.edges[3].triangle[1] == -1);
    cr_assert_eq(topology.hinge_count, 1);
    HedHinge hinge = topology.hinges[0];
    cr_assert(hinge.edge == 2 && hinge.a == 1 && hinge.b == 2 && hinge.c == 0 && hinge.d == 3);
    const int32_t sides[6] = {0, 2, 1, 2, 3, 4};
    cr_assert_arr_eq(topology.triangle_edges, sides, sizeof(sides));
    const int32_t start[6] = {0, 2, 5, 8, 10, 10}; // vertex 4 is unused
    cr_assert_arr_eq(topology.incident_start, start, sizeof(start));
    const int32_t incident[10] = {0, 1, 0, 2, 3, 1, 2, 4, 3, 4};
    cr_assert_arr_eq(topology.incident_edges, incident, sizeof(incident));
    for (int v = 0; v < 5; ++v) {
        cr_assert_eq(topology.is_boundary[v], v < 4);
    }
    cr_assert_eq(topology.boundary_count, 4);
    cr_assert_eq(topology.nonmanifold_count, 0);
    cr_assert_eq(topology.first_duplicate, -1);
    hed_topology_free(&topology);
}

Test(topology, empty) {
    HedTopology topology;
    cr_assert_eq(hed_topology_create(NULL, 0, 0, &topology, NULL), HED_OK);
    cr_assert_eq(topology.edge_count, 0);
    HedLine* lines = NULL;
    int32_t count = -1;
    cr_assert_eq(hed_topology_lines(&topology, NULL, &lines, &count, NULL), HED_OK);
    cr_assert_eq(count, 0);
    hed_free(lines);
    hed_topology_free(&topology);
    hed_topology_free(&topology);
    hed_topology_free(NULL);
}

Test(topology, refuses_bad_triangles_by_number) {
    HedTopology topology;
    HedError error = {0};
    const int32_t repeated[6] = {0, 1, 2, 1, 3, 1};
    cr_assert_eq(hed_topology_create(repeated, 2, 4, &topology, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "triangle 1"), "%s", error.message);
    const int32_t outside[6] = {0, 1, 2, 1, 3, 4};
    cr_assert_eq(hed_topology_create(outside, 2, 4, &topology, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "triangle 1"), "%s", error.message);
    cr_assert_not_null(strstr(error.message, "4"));
    const int32_t negative[3] = {0, -1, 2};
    cr_assert_eq(hed_topology_create(negative, 1, 4, &topology, &error), HED_INVALID);
    cr_assert_eq(hed_topology_create(negative, -1, 4, &topology, &error), HED_INVALID);
    cr_assert_null(topology.edges);
}

Test(topology, doubled_triangles_add_nothing) {
    const int32_t triangles[15] = {0, 1, 2, 2, 1, 3, 1, 2, 0, 2, 1, 0, 3, 2, 1};
    HedTopology topology;
    cr_assert_eq(hed_topology_create(triangles, 5, 4, &topology, NULL), HED_OK);
    cr_assert_eq(topology.edge_count, 5);
    cr_assert_eq(topology.hinge_count, 1);
    cr_assert_eq(topology.boundary_count, 4);
    cr_assert_eq(topology.nonmanifold_count, 0);
    cr_assert_eq(topology.duplicate_count, 3);
    cr_assert_eq(topology.first_duplicate, 2);
    hed_topology_free(&topology);
}

Test(topology, three_triangles_on_one_edge) {
    const int32_t triangles[9] = {1, 0, 4, 0, 1, 3, 0, 1, 2};
    HedTopology topology;
    cr_assert_eq(hed_topology_create(triangles, 3, 5, &topology, NULL), HED_OK);
    cr_assert_eq(topology.nonmanifold_count, 1);
    cr_assert_eq(topology.edge_count, 7);
    cr_assert_eq(topology.edges[0].triangle_count, 3);
    cr_assert_eq(topology.hinge_count, 1);
    cr_assert(topology.hinges[0].c == 4 && topology.hinges[0].d == 3); // of triangles 0 and 1
    hed_topology_free(&topology);
}

Test(topology, counts_of_a_grid) {
    enum { C = 17, R = 23 };
    HedVec3 positions[C * R];
    int32_t triangles[6 * (C - 1) * (R - 1)];
    int32_t triangle_count = 2 * (C - 1) * (R - 1);
    make_grid(C, R, positions, triangles);
    HedTopology topology;
    cr_assert_eq(hed_topology_create(triangles, triangle_count, C * R, &topology, NULL), HED_OK);
    // Euler: a disc has V - E + F = 1.
    cr_assert_eq(C * R - topology.edge_count + triangle_count, 1);
    cr_assert_eq(topology.boundary_count, 2 * (C - 1) + 2 * (R - 1));
    cr_assert_eq(topology.hinge_count, topology.edge_count - topology.boundary_count);
    for (int32_t v = 0; v < C * R; ++v) {
        bool border = v % C == 0 || v % C == C - 1 || v / C == 0 || v / C == R - 1;
        cr_assert_eq(topology.is_boundary[v], border);
        int32_t last = -1;
        for (int32_t i = topology.incident_start[v]; i < topology.incident_start[v + 1]; ++i) {
            int32_t other = hed_edge_other(&topology.edges[topology.incident_edges[i]], v);
            cr_assert_gt(other, last);
            last = other;
        }
    }
    hed_topology_free(&topology);
}

// Straight pairs of the grid: along rows, columns and the diagonals that are edges.
Test(topology, lines_of_a_grid) {
    enum { C = 9, R = 7 };
    HedVec3 positions[C * R];
    int32_t triangles[6 * (C - 1) * (R - 1)];
    make_grid(C, R, positions, triangles);
    HedTopology topology;
    cr_assert_eq(hed_topology_create(triangles, 2 * (C - 1) * (R - 1), C * R, &topology, NULL),
                 HED_OK);
    HedLine* lines;
    int32_t count;
    cr_assert_eq(hed_topology_lines(&topology, positions, &lines, &count, NULL), HED_OK);
    cr_assert_eq(count, (C - 2) * R + C * (R - 2) + (C - 2) * (R - 2));
    for (int32_t i = 0; i < count; ++i) {
        HedLine line = lines[i];
        cr_assert_lt(line.a, line.c);
        cr_assert_eq(line.a + line.c, 2 * line.middle);
        cr_assert_lt(hed_distance3(positions[line.middle],
                                   hed_lerp3(positions[line.a], positions[line.c], 0.5)),
                     ROUNDING);
        if (i > 0) {
            cr_assert(lines[i - 1].a < line.a ||
                      (lines[i - 1].a == line.a && lines[i - 1].c < line.c));
        }
    }
    hed_free(lines);
    hed_topology_free(&topology);
}

// Two triangles on either side of a middle vertex, bent in the plane by a given angle.
static int32_t lines_at_angle(double degrees) {
    double bend = degrees * 3.14159265358979323846 / 180.0;
    // 0 - 1 - 2 is the stretch; 3 and 4 close triangles (0 1 3), (1 2 4).
    HedVec3 positions[5] = {
        {-1, 0, 0}, {0, 0, 0}, {cos(bend), sin(bend), 0}, {-1, -5, 0}, {9, -5, 0}};
    const int32_t triangles[6] = {0, 1, 3, 1, 2, 4};
    HedTopology topology;
    HedLine* lines;
    int32_t count;
    cr_assert_eq(hed_topology_create(triangles, 2, 5, &topology, NULL), HED_OK);
    cr_assert_eq(hed_topology_lines(&topology, positions, &lines, &count, NULL), HED_OK);
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i) {
        found += lines[i].a == 0 && lines[i].c == 2 && lines[i].middle == 1;
    }
    hed_free(lines);
    hed_topology_free(&topology);
    return found;
}

Test(topology, lines_bend_by_35_degrees_at_most) {
    cr_assert_eq(lines_at_angle(0.0), 1);
    cr_assert_eq(lines_at_angle(34.9), 1);
    cr_assert_eq(lines_at_angle(35.1), 0);
    cr_assert_eq(lines_at_angle(90.0), 0);
}

Test(topology, lines_refuse_values_that_are_not_finite) {
    const int32_t triangles[3] = {0, 1, 2};
    HedVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, (double)NAN, 0}};
    HedTopology topology;
    HedError error = {0};
    HedLine* lines;
    int32_t count;
    cr_assert_eq(hed_topology_create(triangles, 1, 3, &topology, NULL), HED_OK);
    cr_assert_eq(hed_topology_lines(&topology, positions, &lines, &count, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "vertex 2"));
    cr_assert_null(lines);
    hed_topology_free(&topology);
}

// A fan of 10000 triangles: all pairs across its centre would be 5e7 lines.
Test(topology, fan_of_many_triangles) {
    enum { N = 10000 };
    int32_t* triangles = HED_NEW_ARRAY(int32_t, 3 * N);
    HedVec3* positions = HED_NEW_ARRAY(HedVec3, N + 1);
    for (int32_t i = 0; i < N; ++i) {
        double angle = 6.283185307179586 * i / N;
        positions[i + 1] = hed_vec3(cos(angle), sin(angle), 0.0);
        triangles[3 * i + 1] = 1 + i;
        triangles[3 * i + 2] = 1 + (i + 1) % N;
    }
    HedTopology topology;
    HedLine* lines;
    int32_t count;
    cr_assert_eq(hed_topology_create(triangles, N, N + 1, &topology, NULL), HED_OK);
    cr_assert_eq(topology.edge_count, 2 * N);
    cr_assert_eq(topology.hinge_count, N);
    int64_t before = hed_alloc_stats().live_bytes;
    cr_assert_eq(hed_topology_lines(&topology, positions, &lines, &count, NULL), HED_OK);
    // Neighbours but one on the rim are opposite across a spoke, so nothing is left.
    cr_assert_eq(count, 0);
    cr_assert_lt(hed_alloc_stats().live_bytes - before, 1000);
    hed_free(lines);
    hed_topology_free(&topology);
    hed_free(triangles);
    hed_free(positions);
}

Test(topology, areas) {
    enum { C = 5, R = 4 };
    HedVec3 positions[C * R];
    int32_t triangles[6 * (C - 1) * (R - 1)];
    int32_t triangle_count = 2 * (C - 1) * (R - 1);
    make_grid(C, R, positions, triangles);
    double areas[2 * (C - 1) * (R - 1)];
    double vertex_areas[C * R];
    cr_assert_float_eq(hed_triangle_areas(positions, triangles, triangle_count, areas), 12.0,
                       ROUNDING);
    hed_vertex_areas(triangles, triangle_count, areas, C * R, vertex_areas);
    double total = 0.0;
    for (int32_t v = 0; v < C * R; ++v) {
        total += vertex_areas[v];
    }
    cr_assert_float_eq(total, 12.0, ROUNDING);
    cr_assert_float_eq(vertex_areas[C + 1], 1.0, 1e-14);       // six halves, a third each
    cr_assert_float_eq(vertex_areas[0], 1.0 / 3.0, 1e-14);     // two triangles
    cr_assert_float_eq(vertex_areas[C - 1], 1.0 / 6.0, 1e-14); // one triangle
}

Test(topology, no_memory_at_any_allocation) {
    enum { C = 6, R = 6 };
    HedVec3 positions[C * R];
    int32_t triangles[6 * (C - 1) * (R - 1)];
    make_grid(C, R, positions, triangles);
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int n = 1;
    for (; status != HED_OK && n < 1000; ++n) {
        HedTopology topology;
        HedLine* lines = NULL;
        int32_t count = 0;
        hed_alloc_fail_at(n);
        status = hed_topology_create(triangles, 2 * (C - 1) * (R - 1), C * R, &topology, NULL);
        if (status == HED_OK) {
            status = hed_topology_lines(&topology, positions, &lines, &count, NULL);
        }
        hed_alloc_fail_at(0);
        hed_free(lines);
        hed_topology_free(&topology);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert_gt(n, 15);
    cr_assert_eq(status, HED_OK);
}
