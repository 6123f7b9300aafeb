// SPDX-License-Identifier: MIT
// How loops stand to each other on the surface of the fabric: where each neighbour is, across and
// up, as seen from a loop (Kaldor 2011, 7.2.1). The shape of the whole follows from them.
#ifndef HED_EMBED_RELATIONS_H
#define HED_EMBED_RELATIONS_H

#include "base/array.h"

#include <stdbool.h>

/// `to` stands this far across (to the right, on the face) and up from `from`, m.
typedef struct HedRelation {
    int32_t from, to;
    double across, up;
    double weight;
} HedRelation;

/// Zero-initialise; free with hed_relations_free.
typedef struct HedRelations {
    int32_t count; ///< Loops.
    HED_ARRAY(HedRelation) items;
    bool* is_turned; ///< Per loop: it is told as seen from the inside, as the back of a tube on two
                     ///< beds: right is left on the outer face, knit is purl.
} HedRelations;

void hed_relations_free(HedRelations* relations);

#endif
