// SPDX-License-Identifier: MIT
// Gauss's linking integral of polylines:
//   (1 / 4 pi)  integral integral  (a - b) . (da x db) / |a - b|^3
// For two closed curves that do not meet it is a whole number, which changes only when one passes
// through the other. For open ones it is a number that moves smoothly, and jumps by 1 then.
#ifndef HED_GEOM_LINKING_H
#define HED_GEOM_LINKING_H

#include "math/vec3.h"

#include <stdint.h>

/// The part of two straight pieces, exact up to rounding; between -1/2 and 1/2. 0 if they lie in
/// one plane or touch.
double hed_gauss_pair(HedVec3 a0, HedVec3 a1, HedVec3 b0, HedVec3 b1);

/// Knots of a polyline; a closed one repeats its first knot at the end.
typedef struct HedPolyline {
    const HedVec3* knots;
    int32_t count;
} HedPolyline;

/// The integral over two polylines.
double hed_gauss_integral(HedPolyline a, HedPolyline b);

#endif
