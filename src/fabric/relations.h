// SPDX-License-Identifier: MIT
// How the loops of a graph stand to each other on the surface of the fabric: where each neighbour
// is, across and up, as seen from a loop (Kaldor 2011, 7.2.1). Only neighbours along the yarn and
// through loops count; the shape of the whole follows from them.
#ifndef HED_FABRIC_RELATIONS_H
#define HED_FABRIC_RELATIONS_H

#include "fabric/loops.h"

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

/// Relations of a finished graph whose plain stitches are `wale` wide and `course` high (m). All
/// loops are connected in the end: parts that no yarn joins by a weak relation.
HedStatus hed_relations_find(const HedLoops* graph, double wale, double course,
                             HedRelations* relations, HedError* error);
void hed_relations_free(HedRelations* relations);

#endif
