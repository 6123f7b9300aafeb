// SPDX-License-Identifier: MIT
#include "model/sheet/links.h"
#include "geom/topology.h"

// One line of three points with the area it stands for.
typedef struct Line {
    int32_t a, middle, c;
    double area;
} Line;

static HedStatus add_spring(HedSheetParts* parts, const HedVec3* rest, HedSpring spring,
                            double density_area, HedError* error) {
    spring.length = hed_distance3(rest[spring.a], rest[spring.b]);
    if (!(spring.length > 0.0)) {
        return hed_fail(error, HED_INVALID, "vertices %d and %d stand on the same place", spring.a,
                        spring.b);
    }
    spring.stiffness = density_area / (spring.length * spring.length);
    bool ok = !(spring.stiffness > 0.0) || HED_APPEND(&parts->springs, spring);
    return ok ? HED_OK : hed_fail_memory(error, "springs");
}

static HedStatus add_curve(const HedSheetDef* def, HedSheetParts* parts, const HedVec3* rest,
                           Line line, HedError* error) {
    double l1 = hed_distance3(rest[line.a], rest[line.middle]);
    double l2 = hed_distance3(rest[line.middle], rest[line.c]);
    if (!(l1 > 0.0 && l2 > 0.0)) {
        return hed_fail(error, HED_INVALID, "vertex %d stands on the place of a neighbour",
                        line.middle);
    }
    double length = 0.5 * (l1 + l2);
    HedBend curve = {.point = {line.a, line.middle, line.c}};
    curve.rest.inverse0 = 1.0 / l1;
    curve.rest.inverse1 = 1.0 / l2;
    curve.rest.stiffness = def->bend_rigidity * line.area / (length * length);
    HedVec3 turn = hed_curve_turn(rest[line.a], rest[line.middle], rest[line.c], curve.rest);
    // Rounding alone bends a straight line by some 1e-16 / length; below that it is flat.
    curve.rest.turn = hed_norm3(turn) > 1e-12 ? hed_norm3(turn) : 0.0;
    return HED_APPEND(&parts->curves, curve) ? HED_OK : hed_fail_memory(error, "bending elements");
}

static HedStatus add_line(const HedSheetDef* def, HedSheetParts* parts, const HedVec3* rest,
                          Line line, HedError* error) {
    if (def->bending == HED_BENDING_CURVATURE && def->bend_rigidity > 0.0) {
        return add_curve(def, parts, rest, line, error);
    }
    if (def->bending == HED_BENDING_SPRINGS) {
        HedSpring spring = {.a = line.a, .b = line.c, .kind = HED_SPRING_BEND};
        return add_spring(parts, rest, spring, def->bend_stretch * line.area, error);
    }
    return HED_OK;
}

// Area of the quad whose lowest corner is (column, row); 0 outside the grid.
static double cell_area(const HedSheetDef* def, const HedVec3* rest, int32_t column, int32_t row) {
    if (column < 0 || row < 0 || column + 1 >= def->grid_columns || row + 1 >= def->grid_rows) {
        return 0.0;
    }
    int32_t i = row * def->grid_columns + column;
    HedVec3 d1 = hed_sub3(rest[i + def->grid_columns + 1], rest[i]);
    HedVec3 d2 = hed_sub3(rest[i + def->grid_columns], rest[i + 1]);
    return 0.5 * hed_norm3(hed_cross3(d1, d2));
}

void hed_grid_areas(const HedSheetDef* def, const HedVec3* rest, double* area) {
    for (int32_t row = 0; row < def->grid_rows; ++row) {
        for (int32_t column = 0; column < def->grid_columns; ++column) {
            double sum = cell_area(def, rest, column, row) + cell_area(def, rest, column - 1, row) +
                         cell_area(def, rest, column, row - 1) +
                         cell_area(def, rest, column - 1, row - 1);
            area[row * def->grid_columns + column] = 0.25 * sum;
        }
    }
}

// Springs that start at one grid point: right, down, and the two diagonals of its cell.
static HedStatus add_grid_springs(const HedSheetDef* def, const HedVec3* rest, HedSheetParts* parts,
                                  int32_t column, int32_t row, HedError* error) {
    HedStatus status = HED_OK;
    int32_t i = row * def->grid_columns + column;
    double here = cell_area(def, rest, column, row);
    if (column + 1 < def->grid_columns) {
        HedSpring across = {.a = i, .b = i + 1, .kind = HED_SPRING_STRETCH};
        double area = 0.5 * (here + cell_area(def, rest, column, row - 1));
        HED_TRY(add_spring(parts, rest, across, def->stretch * area, error));
    }
    if (row + 1 < def->grid_rows) {
        HedSpring down = {.a = i, .b = i + def->grid_columns, .kind = HED_SPRING_STRETCH};
        double area = 0.5 * (here + cell_area(def, rest, column - 1, row));
        HED_TRY(add_spring(parts, rest, down, def->stretch * area, error));
    }
    if (here > 0.0 && def->shear > 0.0) {
        HedSpring down = {.a = i, .b = i + def->grid_columns + 1, .kind = HED_SPRING_SHEAR};
        HedSpring up = {.a = i + 1, .b = i + def->grid_columns, .kind = HED_SPRING_SHEAR};
        HED_TRY(add_spring(parts, rest, down, 2.0 * def->shear * here, error));
        HED_TRY(add_spring(parts, rest, up, 2.0 * def->shear * here, error));
    }
done:
    return status;
}

HedStatus hed_links_from_grid(const HedSheetDef* def, const HedVec3* rest, const double* area,
                              HedSheetParts* parts, HedError* error) {
    HedStatus status = HED_OK;
    int32_t columns = def->grid_columns;
    for (int32_t row = 0; row < def->grid_rows; ++row) {
        for (int32_t column = 0; column < columns; ++column) {
            int32_t i = row * columns + column;
            HED_TRY(add_grid_springs(def, rest, parts, column, row, error));
            if (column > 0 && column + 1 < columns) {
                Line line = {i - 1, i, i + 1, area[i]};
                HED_TRY(add_line(def, parts, rest, line, error));
            }
            if (row > 0 && row + 1 < def->grid_rows) {
                Line line = {i - columns, i, i + columns, area[i]};
                HED_TRY(add_line(def, parts, rest, line, error));
            }
        }
    }
done:
    return status;
}

static double adjacent_area(const HedMeshEdge* edge, const double* areas) {
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        sum += edge->triangle[side] >= 0 ? areas[edge->triangle[side]] : 0.0;
    }
    return sum;
}

static HedStatus add_mesh_springs(const HedSheetDef* def, const HedVec3* rest,
                                  const HedTopology* topology, const double* areas,
                                  HedSheetParts* parts, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        const HedMeshEdge* edge = &topology->edges[e];
        HedSpring spring = {.a = edge->a, .b = edge->b, .kind = HED_SPRING_STRETCH};
        HED_TRY(add_spring(parts, rest, spring, def->stretch * adjacent_area(edge, areas), error));
    }
    for (int32_t h = 0; h < topology->hinge_count && def->shear > 0.0; ++h) {
        const HedHinge* hinge = &topology->hinges[h];
        double area = adjacent_area(&topology->edges[hinge->edge], areas);
        HedSpring spring = {.a = hinge->c, .b = hinge->d, .kind = HED_SPRING_SHEAR};
        HED_TRY(add_spring(parts, rest, spring, 8.0 / 3.0 * def->shear * area, error));
    }
done:
    return status;
}

static HedStatus add_mesh_lines(const HedSheetDef* def, const HedVec3* rest, const double* area,
                                const HedTopology* topology, HedSheetParts* parts,
                                HedError* error) {
    HedStatus status = HED_OK;
    HedLine* lines = NULL;
    int32_t line_count = 0;
    int32_t* through = HED_NEW_ARRAY(int32_t, def->vertex_count);
    if (!through) {
        return hed_fail_memory(error, "bending elements");
    }
    HED_TRY(hed_topology_lines(topology, rest, &lines, &line_count, error));
    for (int32_t k = 0; k < line_count; ++k) {
        through[lines[k].middle] += 1;
    }
    // Springs stand for the point's area in each of three directions, curvature for 8/3 of it in
    // all.
    double share = def->bending == HED_BENDING_SPRINGS ? 3.0 : 8.0 / 3.0;
    for (int32_t k = 0; k < line_count; ++k) {
        int32_t m = lines[k].middle;
        Line line = {lines[k].a, m, lines[k].c, share * area[m] / through[m]};
        HED_TRY(add_line(def, parts, rest, line, error));
    }
done:
    hed_free(lines);
    hed_free(through);
    return status;
}

HedStatus hed_links_from_mesh(const HedSheetDef* def, const HedVec3* rest, const double* area,
                              const HedTopology* topology, HedSheetParts* parts, HedError* error) {
    HedStatus status = HED_OK;
    double* areas = HED_NEW_ARRAY(double, def->triangle_count);
    if (!areas) {
        return hed_fail_memory(error, "triangle areas");
    }
    hed_triangle_areas(rest, def->triangles, def->triangle_count, areas);
    HED_TRY(add_mesh_springs(def, rest, topology, areas, parts, error));
    HED_TRY(add_mesh_lines(def, rest, area, topology, parts, error));
done:
    hed_free(areas);
    return status;
}
