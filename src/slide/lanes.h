// SPDX-License-Identifier: MIT
// Vectors over the nodes of a network as the four yarns of a band see them.
#ifndef HED_SLIDE_LANES_H
#define HED_SLIDE_LANES_H

#include "base/simd.h"
#include "slide/matrix.h"

/// x, y, z and the yarn's own coordinate, four lanes each.
typedef struct HedLaneNodes {
    HedWide c[4];
} HedLaneNodes;

HED_WIDE HedLaneNodes hed_lane_nodes(const HedBands* bands, int32_t step, const double* q) {
    const int32_t* node = bands->node + (int64_t)step * HED_BAND;
    const uint8_t* slot = bands->slot + (int64_t)step * HED_BAND;
    HedWide row[HED_BAND];
    for (int l = 0; l < HED_BAND; ++l) {
        const double* at = q + (int64_t)HED_NODE_SIZE * node[l];
        row[l] = (HedWide){at[0], at[1], at[2], at[3 + slot[l]]};
    }
    HedWide4 columns = hed_wide_transpose(row[0], row[1], row[2], row[3]);
    return (HedLaneNodes){{columns.row[0], columns.row[1], columns.row[2], columns.row[3]}};
}

#endif
