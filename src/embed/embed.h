// SPDX-License-Identifier: MIT
// Places of loops in space from their relations alone.
#ifndef HED_EMBED_EMBED_H
#define HED_EMBED_EMBED_H

#include "base/status.h"
#include "embed/relations.h"
#include "heddle/embed.h"

enum { HED_EMBED_DIMS = 6 }; ///< Dimensions in which shapes unfold before they are pressed into 3.

/// Neighbours of each loop, for walks over the surface: those related to it, and those related to
/// them, each with its distance (m). Zero-initialise; free with hed_neighbours_free.
typedef struct HedNeighbours {
    int32_t count;
    int32_t* first; ///< count + 1
    int32_t* other;
    double* across; ///< m, in the frame of the loop
    double* up;
    double* distance;
} HedNeighbours;

/// depth 1: only what is related directly; 2: the neighbours of these, too.
HedStatus hed_neighbours_find(const HedRelations* relations, int32_t depth,
                              HedNeighbours* neighbours, HedError* error);
void hed_neighbours_free(HedNeighbours* neighbours);

/// Classical scaling (Torgerson 1952) of the distances along the surface to some landmarks (pivots:
/// Brandes and Pich 2006). x[loop * dims + k] gets the coordinate of the k-th largest extent.
HedStatus hed_embed_landmarks(const HedRelations* relations, int32_t dims, double* x,
                              HedError* error);

/// Coordinates from the lowest eigenvectors of the graph's Laplacian (Kaldor 2011, eq. 7.1), three
/// a loop; or of locally linear embedding (eq. 7.2, 7.3).
HedStatus hed_embed_spectral(const HedRelations* relations, double* x, HedError* error);
HedStatus hed_embed_linear(const HedRelations* relations, double* x, HedError* error);

/// Turns and shifts places: their middle to the origin, columns along y, faces along z.
void hed_places_turn(HedLoopPlace* places, int32_t count);

/// The whole way: places has room for relations->count loops.
HedStatus hed_embed(const HedRelations* relations, HedEmbedMethod method, HedLoopPlace* places,
                    HedEmbedReport* report, HedError* error);

#endif
