// SPDX-License-Identifier: MIT
#include "scene/grid.h"
#include "math/vec3.h"

static bool is_shifted(const HedSceneGrid* grid, int32_t row) {
    return grid->style == HED_GRID_EQUILATERAL && row % 2 == 1;
}

int32_t hed_grid_row_size(const HedSceneGrid* grid, int32_t row) {
    return grid->points[0] + is_shifted(grid, row);
}

int32_t hed_grid_row_start(const HedSceneGrid* grid, int32_t row) {
    int32_t extra = grid->style == HED_GRID_EQUILATERAL ? row / 2 : 0;
    return row * grid->points[0] + extra;
}

int64_t hed_grid_vertex_count(const HedSceneGrid* grid) {
    int64_t extra = grid->style == HED_GRID_EQUILATERAL ? grid->points[1] / 2 : 0;
    return (int64_t)grid->points[0] * grid->points[1] + extra;
}

int64_t hed_grid_triangle_count(const HedSceneGrid* grid) {
    int64_t per_strip = grid->style == HED_GRID_EQUILATERAL ? 2 * (int64_t)grid->points[0] - 1
                                                            : 2 * ((int64_t)grid->points[0] - 1);
    return per_strip * (grid->points[1] - 1);
}

// Place of a vertex along its row, from 0 to 1.
static double across_at(const HedSceneGrid* grid, int32_t row, int32_t column) {
    double cells = (double)(grid->points[0] - 1);
    double place = column;
    if (is_shifted(grid, row)) {
        place = column == 0 ? 0.0 : column == grid->points[0] ? cells : column - 0.5;
    }
    return place / cells;
}

// A place from 0 to 1, stretched about the middle; exactly t without a stretch.
static double spread(double t, double stretch) {
    return t + (stretch - 1.0) * (t - 0.5);
}

void hed_grid_vertices(const HedSceneGrid* grid, const double stretch[2], HedVec3* vertices) {
    HedVec3 across = hed_unit3(grid->across, grid->across);
    HedVec3 down = hed_unit3(grid->down, grid->down);
    double width = grid->size[0];
    double height = grid->size[1];
    for (int32_t row = 0; row < grid->points[1]; ++row) {
        double v = (double)row / (grid->points[1] - 1);
        HedVec3 start = hed_madd3(grid->origin, height * spread(v, stretch[1]), down);
        int32_t size = hed_grid_row_size(grid, row);
        for (int32_t column = 0; column < size; ++column) {
            double u = across_at(grid, row, column);
            *vertices++ = hed_madd3(start, width * spread(u, stretch[0]), across);
        }
    }
}

void hed_grid_uv(const HedSceneGrid* grid, double* uv) {
    for (int32_t row = 0; row < grid->points[1]; ++row) {
        int32_t size = hed_grid_row_size(grid, row);
        for (int32_t column = 0; column < size; ++column) {
            *uv++ = grid->size[0] * across_at(grid, row, column);
            *uv++ = grid->size[1] * (grid->points[1] - 1 - row) / (grid->points[1] - 1);
        }
    }
}

static int32_t* put(int32_t* out, int32_t a, int32_t b, int32_t c) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

// Cuts a cell along one of its two diagonals.
static int32_t* put_cell(int32_t* out, int32_t top, int32_t bottom, bool falls) {
    if (falls) {
        out = put(out, top, bottom, bottom + 1);
        return put(out, top, bottom + 1, top + 1);
    }
    out = put(out, top, bottom, top + 1);
    return put(out, top + 1, bottom, bottom + 1);
}

// A strip between a plain row of n vertices and a shifted one of n + 1: vertex i of the plain row
// stands above the middle of vertices i and i + 1 of the other.
static int32_t* put_shifted(int32_t* out, int32_t plain, int32_t shifted, int32_t n, bool below) {
    for (int32_t i = 0; i < n; ++i) {
        out = below ? put(out, plain + i, shifted + i, shifted + i + 1)
                    : put(out, plain + i, shifted + i + 1, shifted + i);
        if (i + 1 < n) {
            out = below ? put(out, plain + i, shifted + i + 1, plain + i + 1)
                        : put(out, plain + i, plain + i + 1, shifted + i + 1);
        }
    }
    return out;
}

void hed_grid_triangles(const HedSceneGrid* grid, int32_t* triangles) {
    int32_t n = grid->points[0];
    for (int32_t row = 0; row + 1 < grid->points[1]; ++row) {
        int32_t top = hed_grid_row_start(grid, row);
        int32_t bottom = hed_grid_row_start(grid, row + 1);
        if (grid->style == HED_GRID_EQUILATERAL) {
            bool below = row % 2 == 0;
            triangles =
                put_shifted(triangles, below ? top : bottom, below ? bottom : top, n, below);
            continue;
        }
        for (int32_t column = 0; column + 1 < n; ++column) {
            bool falls = grid->style == HED_GRID_DIAGONAL || (row + column) % 2 == 0;
            triangles = put_cell(triangles, top + column, bottom + column, falls);
        }
    }
}

// Whether a vertex at (is_first/is_last row, is_first/is_last column) belongs to the part.
static bool is_in_part(HedNamedPart part, bool top, bool bottom, bool left, bool right) {
    switch (part) {
    case HED_PART_NONE:
    case HED_PART_START: // of yarns
    case HED_PART_END:
    case HED_PART_ENDS:
        return false;
    case HED_PART_ALL:
        return true;
    case HED_PART_TOP:
        return top;
    case HED_PART_BOTTOM:
        return bottom;
    case HED_PART_LEFT:
        return left;
    case HED_PART_RIGHT:
        return right;
    case HED_PART_CORNERS:
        return (top || bottom) && (left || right);
    case HED_PART_TOP_CORNERS:
        return top && (left || right);
    case HED_PART_BOTTOM_CORNERS:
        return bottom && (left || right);
    case HED_PART_TOP_LEFT:
        return top && left;
    case HED_PART_TOP_RIGHT:
        return top && right;
    case HED_PART_BOTTOM_LEFT:
        return bottom && left;
    case HED_PART_BOTTOM_RIGHT:
        return bottom && right;
    }
    return false;
}

void hed_grid_part(const HedSceneGrid* grid, HedNamedPart part, void (*visit)(void*, int32_t),
                   void* context) {
    int32_t vertex = 0;
    for (int32_t row = 0; row < grid->points[1]; ++row) {
        int32_t size = hed_grid_row_size(grid, row);
        for (int32_t column = 0; column < size; ++column, ++vertex) {
            if (is_in_part(part, row == 0, row + 1 == grid->points[1], column == 0,
                           column + 1 == size)) {
                visit(context, vertex);
            }
        }
    }
}
