// SPDX-License-Identifier: MIT
// Numbering points so that neighbours in space are neighbours in memory.
#ifndef HED_GEOM_ORDER_H
#define HED_GEOM_ORDER_H

#include "base/status.h"
#include "heddle/vec.h"

/// Orders points along a Hilbert curve: order[k] is the index of the k-th point on the curve.
/// The curve fills the cube on the largest side of the points' bounding box with 2^20 cells a side;
/// points of one cell keep their order. order (count entries) is the caller's. Count 0 is fine;
/// points that are not finite are refused with the number of the first one.
HedStatus hed_order_hilbert(const HedVec3* points, int32_t count, int32_t* order, HedError* error);

#endif
