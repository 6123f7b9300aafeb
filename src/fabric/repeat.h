// SPDX-License-Identifier: MIT
// One repeat of a fabric, cut out of a larger piece of it.
#ifndef HED_FABRIC_REPEAT_H
#define HED_FABRIC_REPEAT_H

#include "fabric/fabric.h"

/// The part of a yarn that lies in the repeat: from one place on it to the copy of that place.
typedef struct HedFabricPiece {
    int32_t yarn;
    double start, end; ///< As in HedFabricPlace.
    int32_t count;     ///< Points that it is to have.
    HedTurns turns;
} HedFabricPiece;

/// Replaces a fabric by pieces of it, in that order. Its period is set. Notes stay, crossings are
/// gone. HED_INVALID if the end of a piece is not a copy of its start.
HedStatus hed_fabric_cut(HedFabric* fabric, const HedFabricPiece* pieces, int32_t count,
                         HedError* error);

#endif
