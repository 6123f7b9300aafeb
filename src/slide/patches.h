// SPDX-License-Identifier: MIT
// Rigid motions of patches of nodes as a coarse level for a net's matrix (solve/coarse.h): shifts
// and turns of positions; coordinates along yarns stay.
#ifndef HED_SLIDE_PATCHES_H
#define HED_SLIDE_PATCHES_H

#include "slide/matrix.h"
#include "solve/coarse.h"

typedef struct HedNetPatches {
    const HedNetMatrix* matrix; // borrowed
    int32_t count;
    int32_t* first;    // count + 1: nodes of each
    int32_t* patch_of; // per node
    HedVec3* reach;    // m, per node: from its patch's centre
    HedVec3* arm;      // the same, or 0 in patches that cannot turn: of too few free nodes
    double* is_free;   // per node: 1, or 0 if its position is held
    bool is_loose;     // nodes may be coupled that were not when the pattern was found
    HedCoarse coarse;
} HedNetPatches;

/// x: m, positions of the nodes. Nodes next to each other in number should be so in space.
HedStatus hed_net_patches_create(HedNetPatches* patches, const HedNetMatrix* matrix,
                                 const HedVec3* x, bool is_knitted, HedError* error);
void hed_net_patches_free(HedNetPatches* patches);

/// Takes the values of the matrix, in which held positions have unit rows. is_held: per unknown.
/// False if the matrix is not positive semidefinite.
bool hed_net_patches_update(HedNetPatches* patches, const uint8_t* is_held);

/// Adds the correction for r to z. All threads of a crew call it.
void hed_net_patches_add(const HedNetPatches* patches, const double* r, double* z, HedCrew crew);

#endif
