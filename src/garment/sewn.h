// SPDX-License-Identifier: MIT
// Which vertices of a garment's panels become one by sewing.
#ifndef HED_GARMENT_SEWN_H
#define HED_GARMENT_SEWN_H

#include "base/status.h"
#include "heddle/fabric.h"

/// Vertices of all panels numbered through. Zero-initialise; free with hed_sewn_free.
typedef struct HedSewn {
    int32_t* base;   ///< Per panel: number of its first vertex; one more at the end.
    int32_t* joined; ///< Per vertex: the lowest one that it is sewn to, itself if to none.
    int32_t count;
} HedSewn;

HedStatus hed_sewn_find(const HedGarment* garment, HedSewn* sewn, HedError* error);
void hed_sewn_free(HedSewn* sewn);

/// Makes sure that the welded garment is a surface: inner sides at outline points are split where
/// two of them would fall together, or the ends of one. Refuses seams that join more than two
/// sides of triangles, or the ends of one on the outline.
HedStatus hed_garment_split_chords(HedGarment* garment, HedError* error);

#endif
