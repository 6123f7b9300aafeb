// SPDX-License-Identifier: MIT
// Boxes along the axes, by value.
#ifndef HED_GEOM_BOX_H
#define HED_GEOM_BOX_H

#include "math/vec3.h"

/// All points p with low <= p <= high, m. Empty if low > high on any axis; may be infinite.
typedef struct HedBox {
    HedVec3 low, high;
} HedBox;

/// The box that holds nothing: adding a point gives that point.
static inline HedBox hed_box_empty(void) {
    return (HedBox){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static inline HedVec3 hed_min3(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline HedVec3 hed_max3(HedVec3 a, HedVec3 b) {
    return (HedVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static inline HedBox hed_box_add(HedBox box, HedVec3 p) {
    return (HedBox){hed_min3(box.low, p), hed_max3(box.high, p)};
}

static inline bool hed_box_overlaps(HedBox a, HedBox b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/// The point of a box that is not empty nearest to p; p itself inside.
static inline HedVec3 hed_box_clamp(HedBox box, HedVec3 p) {
    return hed_min3(hed_max3(p, box.low), box.high);
}

/// Smallest box around count points; empty for none.
static inline HedBox hed_box_around(const HedVec3* points, int32_t count) {
    HedBox box = hed_box_empty();
    for (int32_t i = 0; i < count; ++i) {
        box = hed_box_add(box, points[i]);
    }
    return box;
}

#endif
