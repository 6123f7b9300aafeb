// SPDX-License-Identifier: MIT
// Rigid motions of patches of nodes as a coarse level for a net's matrix (solve/coarse.h): shifts
// and turns of positions; coordinates along yarns stay.
#ifndef HED_EOL_COARSE_RIGID_MODES_H
#define HED_EOL_COARSE_RIGID_MODES_H

#include "eol/matrix.h"
#include "solve/coarse.h"

typedef struct HedEolRigidModes {
    const HedEolMatrix* matrix; // borrowed
    int32_t count;
    int32_t* first;    // count + 1: nodes of each
    int32_t* patch_of; // per node
    HedVec3* reach;    // m, per node: from its patch's centre
    HedVec3* arm;      // the same, or 0 in patches that cannot turn: of too few free nodes
    double* is_free;   // per node: 1, or 0 if its position is held
    bool is_loose;     // nodes may be coupled that were not when the pattern was found
    HedCoarse coarse;
} HedEolRigidModes;

/// x: m, positions of the nodes. Nodes next to each other in number should be so in space.
HedStatus hed_eol_rigid_modes_create(HedEolRigidModes* patches, const HedEolMatrix* matrix,
                                     const HedVec3* x, bool is_knitted, HedError* error);
void hed_eol_rigid_modes_free(HedEolRigidModes* patches);

/// Takes the values of the matrix, in which held positions have unit rows. is_held: per unknown.
/// False if the matrix is not positive semidefinite.
bool hed_eol_rigid_modes_update(HedEolRigidModes* patches, const uint8_t* is_held);

/// z: the correction for r, or that is added to z. All threads of a threads call it.
void hed_eol_rigid_modes_solve(const HedEolRigidModes* patches, const double* r, double* z,
                               HedThreadTeam threads);
void hed_eol_rigid_modes_add(const HedEolRigidModes* patches, const double* r, double* z,
                             HedThreadTeam threads);

#endif
