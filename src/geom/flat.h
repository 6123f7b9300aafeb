// SPDX-License-Identifier: MIT
// A triangle laid into a plane.
#ifndef HED_GEOM_FLAT_H
#define HED_GEOM_FLAT_H

#include "math/vec3.h"

/// Coordinates (along, across) of three corners in their own plane, the first at the origin.
/// `along` is the part of an axis of length 1 that lies in this plane, or of another one where that
/// axis stands on it.
static inline void hed_lay_flat(const HedVec3 x[3], HedVec3 axis, double flat[6]) {
    HedVec3 a = hed_sub3(x[1], x[0]);
    HedVec3 b = hed_sub3(x[2], x[0]);
    HedVec3 normal = hed_unit3(hed_cross3(a, b), hed_vec3(0.0, 1.0, 0.0));
    if (fabs(hed_dot3(normal, axis)) > 0.9) {
        axis = hed_perpendicular3(axis);
    }
    HedVec3 warp = hed_unit3(hed_madd3(axis, -hed_dot3(axis, normal), normal), axis);
    HedVec3 weft = hed_cross3(normal, warp);
    flat[0] = flat[1] = 0.0;
    flat[2] = hed_dot3(a, warp);
    flat[3] = hed_dot3(a, weft);
    flat[4] = hed_dot3(b, warp);
    flat[5] = hed_dot3(b, weft);
}

#endif
