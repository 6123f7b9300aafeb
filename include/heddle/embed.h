// SPDX-License-Identifier: MIT
// Where the loops of a knit stand in space, found from the graph of loops alone: which follows
// which on the yarn, and which is pulled through which.
#ifndef HEDDLE_EMBED_H
#define HEDDLE_EMBED_H

#include "heddle/knit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HedEmbedMethod {
    HED_EMBED_STRESS,   ///< Fits distances and frames of neighbours; needs no choice by hand.
    HED_EMBED_SPECTRAL, ///< Lowest eigenvectors of the graph, to compare. Needs ARPACK.
    HED_EMBED_LINEAR,   ///< Locally linear embedding, to compare. Needs ARPACK.
    HED_EMBED_METHODS
} HedEmbedMethod;

/// "stress", "spectral", "linear"
HED_API const char* hed_embed_method_name(HedEmbedMethod method);

/// A loop in space. The axes are of unit length and at right angles to each other.
typedef struct HedLoopPlace {
    HedVec3 position; ///< m, of its feet.
    HedVec3 right;    ///< Along the row, as seen from the face.
    HedVec3 up;       ///< Towards the next row.
    HedVec3 face;     ///< Away from the fabric, on the side of the face.
} HedLoopPlace;

/// How well the places fit.
typedef struct HedEmbedReport {
    double stress;      ///< Root mean square of (distance - wanted) / wanted over neighbours.
    double worst;       ///< Largest |distance - wanted| / wanted.
    int32_t iterations; ///< Of the stress method.
} HedEmbedReport;

/// Places of all loops of a knit, in the order in which they are made. Rows of a flat knit run
/// along x, columns along y, the face looks along z; of others, columns run along y as far as they
/// can. Free with hed_loop_places_free. Eigenvectors are for one thread at a time.
HED_API HedStatus hed_knit_places(const HedKnitDef* def, HedEmbedMethod method,
                                  HedLoopPlace** places, int32_t* count, HedEmbedReport* report,
                                  HedError* error);
HED_API void hed_loop_places_free(HedLoopPlace* places); ///< NULL is allowed.

#ifdef __cplusplus
}
#endif

#endif
