// SPDX-License-Identifier: MIT
// Gauss's linking integral of polylines:
//   (1 / 4 pi)  integral integral  (a - b) . (da x db) / |a - b|^3
// For two closed curves that do not meet it is a whole number, which changes only when one passes
// through the other. For open ones it is a number that moves smoothly, and jumps by 1 then.
#ifndef HED_GEOM_LINKING_H
#define HED_GEOM_LINKING_H

#include "math/mat3.h"

#include <stdint.h>

/// The part of two straight pieces, exact up to rounding; between -1/2 and 1/2. 0 if they lie in
/// one plane or touch.
double hed_gauss_pair(HedVec3 a0, HedVec3 a1, HedVec3 b0, HedVec3 b1);

/// Knots of a polyline; a closed one repeats its first knot at the end.
typedef struct HedPolyline {
    const HedVec3* knots;
    int32_t count;
} HedPolyline;

/// The integral over two polylines, exact up to rounding: as many pairs of pieces as there are.
double hed_gauss_integral(HedPolyline a, HedPolyline b);

/// A part of a polyline seen from afar.
typedef struct HedPolylineNode {
    HedVec3 center;
    double radius;  // m, of a ball around all of it
    HedVec3 along;  // m, sum of its pieces
    HedMat3 moment; // m^2, sum of (middle of a piece - center) (piece)'
} HedPolylineNode;

/// A polyline cut into halves, quarters, ... down to some pieces: the children of node k are 2 k +
/// 1 and 2 k + 2. Knots and nodes are borrowed.
typedef struct HedPolylineTree {
    HedPolyline line;
    HedPolylineNode* nodes;
    int32_t depth;
} HedPolylineTree;

/// Nodes of a tree over so many knots.
int64_t hed_polyline_tree_size(int32_t knot_count);
HedPolylineTree hed_polyline_tree(HedPolyline line, HedPolylineNode* nodes);

/// The integral over two polylines to about 1e-3: parts that are far apart for their size enter
/// with the first two terms of a Taylor series. The work is that of what is near.
double hed_gauss_integral_near(const HedPolylineTree* a, const HedPolylineTree* b);

#endif
