// SPDX-License-Identifier: MIT
// From a loop graph to loops in space.
#ifndef HED_KNIT_EMBED_H
#define HED_KNIT_EMBED_H

#include "embed/embed.h"
#include "knit/knit.h"

/// Relations of a finished graph whose plain stitches are `wale` wide and `course` high (m). All
/// loops are connected in the end: parts that no yarn joins by a weak relation.
HedStatus hed_relations_find(const HedLoops* graph, double wale, double course,
                             HedRelations* relations, HedError* error);

/// A graph whose loops have places. Zero-initialise; free with hed_placed_knit_free.
typedef struct HedPlacedKnit {
    HedLoops graph; ///< As seen from the outer face everywhere.
    HedRelations relations;
    HedLoopPlace* places;
    HedLoopSpacing* spacing;
    HedLoopBend* bends;
    HedEmbedReport report;
} HedPlacedKnit;

/// Free it in any case.
HedStatus hed_knit_embed(const HedLoops* graph, const HedStitchShape* shape, HedEmbedMethod method,
                         HedPlacedKnit* knit, HedError* error);
void hed_placed_knit_free(HedPlacedKnit* knit);

#endif
