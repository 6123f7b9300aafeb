// SPDX-License-Identifier: MIT
// Goes along the way of a yarn and sets points of a fabric at equal distances.
#ifndef HED_KNIT_WALK_H
#define HED_KNIT_WALK_H

#include "knit/knit.h"

/// Zero-initialise, then fill the first group.
typedef struct HedYarnWalk {
    HedFabric* sheet; ///< Points are added to its last yarn.
    const HedLoops* graph;
    HedLoopSpan* spans; ///< Per loop.
    double spacing;     ///< m
    int64_t most;       ///< Points that the sheet may have; 0: any number. More fail (HED_INVALID).
    HedError* error;
    // hed_walk_to
    double length; ///< m, covered so far.
    int64_t next;  ///< Number of the point that is set next.
    HedVec3 at;
    bool has_begun;
} HedYarnWalk;

/// Points that a drawing may have: where loops lean over hundreds of columns, or are held for
/// hundreds of rows, all of them, points and crossings grow with the square of their number. Such a
/// drawing is given up before it takes all memory.
int64_t hed_walk_most(const HedLoops* graph, int32_t points_per_loop);

/// Adds a yarn of the graph to the sheet; `like` holds what all of them share.
HedStatus hed_walk_begin(HedYarnWalk* walk, const HedFabricYarn* like, int32_t yarn);

/// Straight on to a place.
HedStatus hed_walk_to(HedYarnWalk* walk, HedVec3 x);

/// Where the walk stands, as a place along its yarn.
static inline double hed_walk_place(const HedYarnWalk* walk) {
    return walk->length / walk->spacing;
}

/// Ends the yarn where the walk stands: the last piece may be up to half longer or shorter than
/// others. Spans of the last loops of this yarn of the graph are cut there.
HedStatus hed_walk_end(HedYarnWalk* walk, int32_t yarn);

#endif
