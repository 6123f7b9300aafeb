// SPDX-License-Identifier: MIT
// Which elements each range of points has to evaluate.
#ifndef HED_STATE_TILES_H
#define HED_STATE_TILES_H

#include "base/parallel.h"
#include "base/status.h"

/// Elements of range r: element[first[r]] .. element[first[r + 1] - 1], in rising order. An element
/// stands under every range it touches.
typedef struct HedTiles {
    int32_t range_count;
    int32_t* first;
    int32_t* element;
} HedTiles;

/// Cuts groups of points (for instance sheets: group_first[0..group_count]) into ranges of at most
/// HED_RANGE that do not cross a group. The array is allocated; free it with
/// hed_free((void*)ranges->first).
HedStatus hed_ranges_create(HedRanges* ranges, const int32_t* group_first, int32_t group_count,
                            HedError* error);

/// Elements of one kind: arity point indices each.
typedef struct HedStencils {
    const int32_t* point;
    int32_t arity;
    int32_t count;
} HedStencils;

HedStatus hed_tiles_create(HedTiles* tiles, HedRanges ranges, HedStencils elements,
                           HedError* error);
void hed_tiles_free(HedTiles* tiles);

/// A colour per element so that no two of one colour share a point (greedy, in order). color holds
/// one entry per element; *color_count is the number of colours used.
HedStatus hed_color_elements(int32_t point_count, HedStencils elements, int32_t* color,
                             int32_t* color_count, HedError* error);

#endif
