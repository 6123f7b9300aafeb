// SPDX-License-Identifier: MIT
// The grid over a polygon, and sides that cross.
#include "geom/ears.h"
#include "math/exact.h"
#include "math/vec3.h"

double hed_ears_coordinate(const HedEars* ears, int32_t corner, int which) {
    const HedVec3* x = &ears->x[ears->vertices[corner]];
    switch ((ears->axis + 1 + which) % 3) {
    case 0:
        return x->x;
    case 1:
        return x->y;
    default:
        return x->z;
    }
}

static bool is_same(const HedEars* ears, int32_t a, int32_t b) {
    return ears->vertices[a] == ears->vertices[b] ||
           (hed_ears_coordinate(ears, a, 0) == hed_ears_coordinate(ears, b, 0) &&
            hed_ears_coordinate(ears, a, 1) == hed_ears_coordinate(ears, b, 1));
}

int hed_ears_turn(const HedEars* ears, int32_t a, int32_t b, int32_t c) {
    if (is_same(ears, a, b) || is_same(ears, b, c) || is_same(ears, c, a)) {
        return 0; // without the long arithmetic that nearly straight corners need
    }
    return ears->sign * hed_orient2(ears->x[ears->vertices[a]], ears->x[ears->vertices[b]],
                                    ears->x[ears->vertices[c]], ears->axis);
}

bool hed_ears_lay_grid(HedEars* ears, int32_t things) {
    HedEarGrid* grid = &ears->grid;
    double extent[2];
    for (int k = 0; k < 2; ++k) {
        double high = -HUGE_VAL;
        grid->low[k] = HUGE_VAL;
        for (int32_t i = 0; i < ears->count; ++i) {
            double u = hed_ears_coordinate(ears, i, k);
            grid->low[k] = fmin(grid->low[k], u);
            high = fmax(high, u);
        }
        extent[k] = high - grid->low[k];
    }
    double side = sqrt(extent[0] / things * extent[1]);
    for (int k = 0; k < 2; ++k) {
        double wanted = side > 0.0 ? ceil(extent[k] / side) : 1.0;
        grid->size[k] = (int32_t)fmax(1.0, fmin(wanted, things));
        double over = grid->size[k] / extent[k];
        grid->over[k] = isfinite(over) ? over : 0.0;
    }
    int32_t count = grid->size[0] * grid->size[1]; // at most 4 things + 1
    grid->cells.count = 0;
    if (!HED_RESERVE(&grid->cells, count)) {
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        grid->cells.data[i] = -1;
    }
    grid->cells.count = count;
    return true;
}

// The row or column of a place; it never falls where the place grows.
static int32_t cell_of(const HedEarGrid* grid, int k, double u) {
    double at = (u - grid->low[k]) * grid->over[k];
    return (int32_t)fmax(0.0, fmin(at, grid->size[k] - 1));
}

int32_t hed_ears_cell(const HedEars* ears, int32_t corner) {
    const HedEarGrid* grid = &ears->grid;
    return cell_of(grid, 1, hed_ears_coordinate(ears, corner, 1)) * grid->size[0] +
           cell_of(grid, 0, hed_ears_coordinate(ears, corner, 0));
}

HedEarRows hed_ears_rows(const HedEars* ears, const int32_t* corners, int32_t count) {
    HedEarRows rows = {.ears = ears, .corner_count = count, .row = INT32_MAX, .last_row = -1};
    for (int32_t i = 0; i < count; ++i) {
        int32_t row = cell_of(&ears->grid, 1, hed_ears_coordinate(ears, corners[i], 1));
        rows.corner[i] = corners[i];
        rows.row = row < rows.row ? row : rows.row;
        rows.last_row = row > rows.last_row ? row : rows.last_row;
    }
    --rows.row;
    return rows;
}

// Widens the span [*low, *high] by what the side from a to b has between two heights.
static void widen(const double a[2], const double b[2], const double heights[2], double* low,
                  double* high) {
    for (int end = 0; end < 2; ++end) {
        double h = heights[end];
        if ((a[1] < h && b[1] > h) || (a[1] > h && b[1] < h)) {
            double u = a[0] + (b[0] - a[0]) * ((h - a[1]) / (b[1] - a[1]));
            *low = fmin(*low, u);
            *high = fmax(*high, u);
        }
    }
    if (a[1] >= heights[0] && a[1] <= heights[1]) {
        *low = fmin(*low, a[0]);
        *high = fmax(*high, a[0]);
    }
}

bool hed_ears_next_row(HedEarRows* rows) {
    const HedEars* ears = rows->ears;
    const HedEarGrid* grid = &ears->grid;
    if (++rows->row > rows->last_row) {
        return false;
    }
    // Wider by a millionth of a cell than it is, which rounding stays far below.
    double step = grid->over[1] > 0.0 ? 1.0 / grid->over[1] : 0.0;
    double heights[2] = {grid->low[1] + (rows->row - 1e-6) * step,
                         grid->low[1] + (rows->row + 1.0 + 1e-6) * step};
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int32_t i = 0; i < rows->corner_count; ++i) {
        double end[2][2];
        for (int k = 0; k < 2; ++k) {
            end[0][k] = hed_ears_coordinate(ears, rows->corner[i], k);
            end[1][k] = hed_ears_coordinate(ears, rows->corner[(i + 1) % rows->corner_count], k);
        }
        widen(end[0], end[1], heights, &low, &high);
    }
    double margin = grid->over[0] > 0.0 ? 1e-6 / grid->over[0] : 0.0;
    rows->first = cell_of(grid, 0, low - margin);
    rows->last = cell_of(grid, 0, high + margin);
    return true;
}

static bool sides_cross(const HedEars* ears, int32_t a, int32_t c) {
    int32_t b = a + 1 < ears->count ? a + 1 : 0;
    int32_t d = c + 1 < ears->count ? c + 1 : 0;
    for (int k = 0; k < 2; ++k) {
        double p[4] = {hed_ears_coordinate(ears, a, k), hed_ears_coordinate(ears, b, k),
                       hed_ears_coordinate(ears, c, k), hed_ears_coordinate(ears, d, k)};
        if (fmax(p[0], p[1]) < fmin(p[2], p[3]) || fmax(p[2], p[3]) < fmin(p[0], p[1])) {
            return false;
        }
    }
    return hed_ears_turn(ears, a, b, c) * hed_ears_turn(ears, a, b, d) < 0 &&
           hed_ears_turn(ears, c, d, a) * hed_ears_turn(ears, c, d, b) < 0;
}

// Puts a side into a cell, unless it crosses one that is there.
static HedStatus add_side(HedEars* ears, int32_t corner, int32_t* cell, bool* crosses,
                          HedError* error) {
    for (int32_t k = *cell; k >= 0 && !*crosses; k = ears->sides.data[k].below) {
        *crosses = sides_cross(ears, ears->sides.data[k].corner, corner);
        --ears->budget;
    }
    ears->budget -= 4;
    HedEarSide side = {corner, *cell};
    *cell = ears->sides.count;
    return HED_APPEND(&ears->sides, side) ? HED_OK : hed_fail_memory(error, "polygon");
}

HedStatus hed_ears_find_crossing(HedEars* ears, bool* crosses, HedError* error) {
    enum { STEPS = 500, EXTRA = 1000000 }; // per side, and for all
    ears->budget = (int64_t)STEPS * ears->count + EXTRA;
    ears->sides.count = 0;
    *crosses = false;
    if (!hed_ears_lay_grid(ears, ears->count)) {
        return hed_fail_memory(error, "polygon");
    }
    for (int32_t i = 0; i < ears->count; ++i) {
        int32_t ends[2] = {i, i + 1 < ears->count ? i + 1 : 0};
        HedEarRows rows = hed_ears_rows(ears, ends, 2);
        while (hed_ears_next_row(&rows)) {
            for (int32_t column = rows.first; column <= rows.last; ++column) {
                int32_t* cell = &ears->grid.cells.data[rows.row * ears->grid.size[0] + column];
                HedStatus status = add_side(ears, i, cell, crosses, error);
                if (status != HED_OK || *crosses || ears->budget < 0) {
                    return status;
                }
            }
        }
    }
    return HED_OK;
}
