// SPDX-License-Identifier: MIT
// Index of a cell on the Hilbert curve in three dimensions, by the transposed Gray code of
// J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
#include "geom/order.h"

#include "base/alloc.h"
#include "geom/box.h"
#include "geom/sort.h"

enum { AXIS_BITS = 20 };

// Coordinates become the transposed index: bit b of the index's digit triple stands in bit b of
// axis[0], axis[1], axis[2].
static void transpose_axes(uint32_t axis[3]) {
    for (uint32_t q = 1u << (AXIS_BITS - 1); q > 1; q >>= 1) {
        uint32_t below = q - 1;
        for (int i = 0; i < 3; ++i) {
            if (axis[i] & q) {
                axis[0] ^= below;
            } else {
                uint32_t t = (axis[0] ^ axis[i]) & below;
                axis[0] ^= t;
                axis[i] ^= t;
            }
        }
    }
    axis[1] ^= axis[0];
    axis[2] ^= axis[1];
    uint32_t t = 0;
    for (uint32_t q = 1u << (AXIS_BITS - 1); q > 1; q >>= 1) {
        if (axis[2] & q) {
            t ^= q - 1;
        }
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] ^= t;
    }
}

static uint64_t hilbert_key(const uint32_t cell[3]) {
    uint32_t axis[3] = {cell[0], cell[1], cell[2]};
    transpose_axes(axis);
    uint64_t key = 0;
    for (int b = AXIS_BITS - 1; b >= 0; --b) {
        for (int i = 0; i < 3; ++i) {
            key = (key << 1) | ((axis[i] >> b) & 1u);
        }
    }
    return key;
}

static uint32_t cell_of(double half_offset, double scale) {
    double last = (double)((1u << AXIS_BITS) - 1);
    double at = half_offset * scale * last;
    return (uint32_t)(at < last ? at : last);
}

HedStatus hed_order_hilbert(const HedVec3* points, int32_t count, int32_t* order, HedError* error) {
    for (int32_t i = 0; i < count; ++i) {
        if (!hed_is_finite3(points[i])) {
            return hed_fail(error, HED_INVALID, "point %d must be finite, got (%g, %g, %g)", i,
                            points[i].x, points[i].y, points[i].z);
        }
    }
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, count);
    if (!items) {
        return hed_fail_memory(error, "ordering points");
    }
    // Halves, so that the extent of points near the largest number does not overflow.
    HedBox box = hed_box_around(points, count);
    HedVec3 low = hed_mul3(0.5, box.low);
    HedVec3 size = hed_sub3(hed_mul3(0.5, box.high), low);
    double extent = fmax(size.x, fmax(size.y, size.z));
    double scale = extent > 0.0 && isfinite(1.0 / extent) ? 1.0 / extent : 0.0;
    for (int32_t i = 0; i < count; ++i) {
        HedVec3 p = hed_sub3(hed_mul3(0.5, points[i]), low);
        uint32_t cell[3] = {cell_of(p.x, scale), cell_of(p.y, scale), cell_of(p.z, scale)};
        items[i] = (HedSortItem){hilbert_key(cell), i};
    }
    HedStatus status = hed_sort_items(items, count, error);
    for (int32_t k = 0; k < count && status == HED_OK; ++k) {
        order[k] = items[k].value;
    }
    hed_free(items);
    return status;
}
