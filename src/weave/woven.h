// SPDX-License-Identifier: MIT
// A cloth between draft and yarns: how thick each thread is, where it lies, how high it waves.
#ifndef HED_WEAVE_WOVEN_H
#define HED_WEAVE_WOVEN_H

#include "fabric/fabric.h"
#include "weave/weave.h"

/// Ends from left to right, or picks from the first on.
typedef struct HedWovenSystem {
    const char* name;
    HedThread* threads; ///< Nothing in them is unknown.
    int32_t* lines;     ///< Per thread: its row or column in the draft.
    int32_t* layers;    ///< Per thread, counted from the lowest.
    double* centres;    ///< m, per thread: x of ends, y of picks.
    int32_t count;
} HedWovenSystem;

/// Zero-initialise; free with hed_woven_free.
typedef struct HedWoven {
    const HedWeave* weave;
    HedWovenSystem warp, weft;
    double warp_share; ///< Part of the height of waves that the warp takes.
    double thinning;   ///< Diameters have been multiplied by this, 1 if threads fit.
    int32_t layer_count;
    double* heights; ///< m, per layer: z of its middle.
} HedWoven;

/// Decides all sizes. Notes of what was assumed go to the fabric, if there is one.
HedStatus hed_woven_create(const HedWeave* weave, const HedWeaveDef* def, HedFabric* fabric,
                           HedWoven* woven, HedError* error);
void hed_woven_free(HedWoven* woven);

/// Whether end i from the left lies over pick k.
static inline bool hed_woven_is_up(const HedWoven* woven, int32_t pick, int32_t end) {
    return hed_weave_is_up(woven->weave, woven->weft.lines[pick], woven->warp.lines[end]);
}

/// Whether both lie in different layers, where nothing holds them together.
static inline bool hed_woven_is_apart(const HedWoven* woven, int32_t pick, int32_t end) {
    return woven->weft.layers[pick] != woven->warp.layers[end];
}

#endif
