// SPDX-License-Identifier: MIT
// Chains as they are found, before they stand side by side (sim/lines.h). Private to src/sim.
#ifndef HED_SIM_LINES_FIND_H
#define HED_SIM_LINES_FIND_H

#include "base/array.h"
#include "sim/lines.h"

/// A point and the spring from there to the next link's point; -1 for the last one of a chain.
typedef struct HedLineLink {
    int32_t point;
    int32_t spring;
} HedLineLink;

/// edge_count + 1 links.
typedef struct HedLineChain {
    int32_t first;
    int32_t edge_count;
    int32_t color;
} HedLineChain;

/// Zero-initialise; free with hed_chains_free.
typedef struct HedChains {
    HED_ARRAY(HedLineLink) links;
    HED_ARRAY(HedLineChain) list; // two springs or more each
    int32_t color_count;
} HedChains;

/// Adds the chains of springs of one kind, in colours of their own.
HedStatus hed_chains_find(HedChains* chains, const HedLineDef* def, int32_t kind, HedError* error);
void hed_chains_free(HedChains* chains);

#endif
