// SPDX-License-Identifier: MIT
// Polylines as lists of vertices. Many files hold a curve as pairs, one for each edge; pairs that
// follow each other and share an end are joined again.
#ifndef HED_IO_CHAINS_H
#define HED_IO_CHAINS_H

#include "io/curves.h"

/// Zero-initialise; free with hed_curve_chains_free.
typedef struct HedCurveChains {
    HED_ARRAY(int32_t) indices; // vertices of all polylines, one after the other
    HED_ARRAY(int32_t) sizes;   // vertices of each
    int32_t first;              // index of the polyline being built
    bool is_chain;              // the last polyline is made of pairs, and one more may join it
} HedCurveChains;

void hed_curve_chains_free(HedCurveChains* chains);

/// Adds a vertex to the polyline being built; false if there is no memory.
bool hed_curve_chains_add(HedCurveChains* chains, int32_t vertex);

/// Ends the polyline being built, which has two vertices or more. False if there is no memory.
bool hed_curve_chains_end(HedCurveChains* chains);

/// Vertices of the polyline being built.
int32_t hed_curve_chains_open_count(const HedCurveChains* chains);

/// Lets no pair join what was there before.
void hed_curve_chains_part(HedCurveChains* chains);

/// Copies of the vertices as curves: curves do not share vertices. A polyline that ends with the
/// vertex it began with is closed. likes gives, per vertex, what a curve that begins there is like;
/// it may be NULL. The name is for messages.
HedStatus hed_curve_chains_copy(const HedCurveChains* chains, const HedVec3* vertices,
                                const HedCurve* likes, const char* name, HedCurveList* list,
                                HedError* error);

#endif
