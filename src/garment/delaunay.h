// SPDX-License-Identifier: MIT
// Constrained Delaunay triangulations of points on an integer grid. Whole numbers make every test
// exact: no input can make them contradict each other, and the result is the same everywhere.
#ifndef HED_GARMENT_DELAUNAY_H
#define HED_GARMENT_DELAUNAY_H

#include "base/array.h"
#include "base/status.h"

/// Points lie in [0, HED_GRID]. Differences then have less than 28 bits, and the test for a circle,
/// a polynomial of degree four, fits into 128.
enum { HED_GRID = 1 << 26, HED_GRID_MARGIN = 1 << 24, HED_BOX_POINTS = 4 };

typedef struct HedGridPoint {
    int64_t x, y;
} HedGridPoint;

typedef struct HedTriangle {
    int32_t v[3];      ///< Anticlockwise.
    int32_t n[3];      ///< Neighbour across the side opposite to v[i]; -1 for none.
    uint8_t is_fixed;  ///< Bit i: the side opposite to v[i] must stay.
    uint8_t is_inside; ///< Part of the result.
    int32_t stamp;     ///< Number of the last search that came by.
} HedTriangle;

/// A side of the hole that a new point makes: from u to v, anticlockwise.
typedef struct HedLink {
    int32_t u, v;
    int32_t outer; ///< Triangle behind it; -1 for none.
    bool is_fixed;
} HedLink;

/// Zero-initialise; free with hed_delaunay_free. The first HED_BOX_POINTS points are the corners of
/// a box around everything.
typedef struct HedDelaunay {
    HED_ARRAY(HedGridPoint) points;
    HED_ARRAY(int32_t) incident; // per point: a triangle that has it
    HED_ARRAY(int32_t) first;    // per point: scratch of insertion
    HED_ARRAY(HedTriangle) triangles;
    HED_ARRAY(int32_t) cavity; // triangles that the point of the last search removes
    HED_ARRAY(HedLink) link;   // sides of the hole they leave
    HED_ARRAY(int32_t) queue;
    int32_t stamp;
    int32_t recent;      // where the next search begins
    bool is_inside_only; // searches end where a triangle is not inside
} HedDelaunay;

HedStatus hed_delaunay_begin(HedDelaunay* d, HedError* error);
void hed_delaunay_free(HedDelaunay* d);

/// Twice the signed area of a triangle; exact.
static inline int64_t hed_grid_orient(HedGridPoint a, HedGridPoint b, HedGridPoint c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

typedef enum HedCavity {
    HED_CAVITY_FREE,     ///< The point can be inserted.
    HED_CAVITY_OUTSIDE,  ///< Not in the grid, or not inside if only that is wanted.
    HED_CAVITY_TAKEN,    ///< A point stands there: *obstacle.
    HED_CAVITY_BLOCKED,  ///< On a fixed side, or in the shadow of one.
    HED_CAVITY_NO_MEMORY ///< As it says.
} HedCavity;

/// Finds which triangles a point would remove; cavity and link describe them until the next call.
HedCavity hed_delaunay_search(HedDelaunay* d, HedGridPoint p, int32_t* obstacle);

/// Inserts the point of the last search, which was HED_CAVITY_FREE. It becomes the last point; its
/// triangles are those in cavity.
HedStatus hed_delaunay_insert(HedDelaunay* d, HedGridPoint p, HedError* error);

/// What stands in the way of a side that must be there.
typedef struct HedObstacle {
    int32_t point;   ///< A point on the side; -1 for none.
    int32_t ends[2]; ///< Of a fixed side that crosses; -1 for none.
} HedObstacle;

/// Makes the side from a to b (not of the box) part of the triangulation, for good. HED_INVALID,
/// without a message, if an obstacle forbids it.
HedStatus hed_delaunay_fix(HedDelaunay* d, int32_t a, int32_t b, HedObstacle* obstacle,
                           HedError* error);

/// Flips sides that are not fixed until all circles are empty again.
HedStatus hed_delaunay_repair(HedDelaunay* d, HedError* error);

/// Writes the triangles around a point that is not of the box to found, at most capacity, and
/// returns how many there are.
int32_t hed_delaunay_star(const HedDelaunay* d, int32_t point, int32_t* found, int32_t capacity);

#endif
