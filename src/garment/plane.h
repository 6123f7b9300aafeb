// SPDX-License-Identifier: MIT
// Points of the plane, by value.
#ifndef HED_GARMENT_PLANE_H
#define HED_GARMENT_PLANE_H

#include "heddle/fabric.h"

#include <math.h>

/// a + s (b - a)
static inline HedMaterialPoint hed_mix2(HedMaterialPoint a, HedMaterialPoint b, double s) {
    return (HedMaterialPoint){a.u + s * (b.u - a.u), a.v + s * (b.v - a.v)};
}

static inline double hed_distance2(HedMaterialPoint a, HedMaterialPoint b) {
    return hypot(b.u - a.u, b.v - a.v);
}

/// Twice the signed area of a triangle, positive if it runs anticlockwise.
static inline double hed_cross2(HedMaterialPoint a, HedMaterialPoint b, HedMaterialPoint c) {
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

static inline bool hed_is_finite2(HedMaterialPoint a) {
    return isfinite(a.u) && isfinite(a.v);
}

#endif
