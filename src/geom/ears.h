// SPDX-License-Identifier: MIT
// Polygons cut into triangles by ears: three corners in a row whose triangle no other corner enters
// (G. H. Meisters, Polygons have ears, 1975). Of a polygon that touches itself, such as one whose
// holes hang on slits, and of one that has corners in line or at one place, the triangles cover the
// same area. Which side is which is decided exactly.
#ifndef HED_GEOM_EARS_H
#define HED_GEOM_EARS_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/vec.h"

/// One corner in the ring of those that are left.
typedef struct HedEarCorner {
    int32_t before, after;
    int32_t below;   // the next one in its cell of the grid, -1 for none
    bool is_gone;    // cut off
    bool is_blocker; // not convex: it may stand inside an ear
    bool is_in_cell; // of the grid
    bool is_in_queue;
} HedEarCorner;

/// Squares over the plane of a polygon. A cell holds the first of its things, -1 for none.
typedef struct HedEarGrid {
    double low[2];  // m
    double over[2]; // 1/m, cells in a unit of length
    int32_t size[2];
    HED_ARRAY(int32_t) cells;
} HedEarGrid;

/// A side of the polygon in one cell.
typedef struct HedEarSide {
    int32_t corner; // where it begins
    int32_t below;
} HedEarSide;

/// Corners x[vertices[i]], at least three.
typedef struct HedEarPolygon {
    const HedVec3* x;
    const int32_t* vertices;
    int32_t count;
} HedEarPolygon;

/// One polygon, and memory that the next one uses again. Zero-initialise; free with hed_ears_free.
typedef struct HedEars {
    const HedVec3* x;
    const int32_t* vertices; // of the corners
    int32_t count;
    int axis;       // the coordinate that is dropped
    int sign;       // of what turns left seen from the front
    int64_t budget; // steps left until the rest is cut without looking
    HED_ARRAY(HedEarCorner) corners;
    HED_ARRAY(int32_t) queue;
    HED_ARRAY(HedEarSide) sides;
    HedEarGrid grid;
} HedEars;

void hed_ears_free(HedEars* ears);

/// Cuts a polygon into count - 2 triangles, three corners (0 to count - 1) each, that turn as it
/// does. crosses: two of its sides cross, or it runs
/// around more than once; then the triangles lie over each other. Its corners should be near one
/// plane; they are judged as seen along the axis that is nearest to its normal. If the first sees
/// all others in order, the triangles are the fan from it. Time grows with count, and
/// with its power 1.5 if the sides reach far.
HedStatus hed_ears_cut(HedEars* ears, HedEarPolygon polygon, int32_t* triangles, bool* crosses,
                       HedError* error);

// --- Shared by the two source files ---

/// Which way a, b, c turn, seen from the front: 1 left, -1 right, 0 straight or at one place.
int hed_ears_turn(const HedEars* ears, int32_t a, int32_t b, int32_t c);

/// A coordinate (0 or 1) of a corner in the plane that is left.
double hed_ears_coordinate(const HedEars* ears, int32_t corner, int which);

/// Lays an empty grid of about `things` cells over the polygon.
bool hed_ears_lay_grid(HedEars* ears, int32_t things);
int32_t hed_ears_cell(const HedEars* ears, int32_t corner);

/// Rows of cells that a convex figure (a side, a triangle) touches, and in each the cells from
/// first to last.
typedef struct HedEarRows {
    const HedEars* ears;
    int32_t corner[3];
    int32_t corner_count;
    int32_t row, last_row;
    int32_t first, last;
} HedEarRows;

HedEarRows hed_ears_rows(const HedEars* ears, const int32_t* corners, int32_t count);
bool hed_ears_next_row(HedEarRows* rows);

/// Whether two sides cross each other between their ends. Gives up, and says no, if many sides lie
/// near to many others.
HedStatus hed_ears_find_crossing(HedEars* ears, bool* crosses, HedError* error);

#endif
