// SPDX-License-Identifier: MIT
// What the experiments that compare sliding yarns with rods share: a patch of fabric in both.
#ifndef EXPERIMENT_SLIDING_PATCH_H
#define EXPERIMENT_SLIDING_PATCH_H

#include "experiment/yarn_lab.h"

/// Of yarns 1 mm thick: B in N m^2; EA and the stiffness of contact are those of relaxation, in
/// B/d^2 and B/d^3.
#define PATCH_BEND 2e-9
#define PATCH_DIAMETER 1e-3

/// N, B/d^2: forces are told in it.
#define PATCH_FORCE (PATCH_BEND / (PATCH_DIAMETER * PATCH_DIAMETER))

/// A fabric as it was drawn, and its network. Zero-initialise; free with patch_free.
typedef struct Patch {
    HedFabric fabric;
    HedNet net;
    HedVec3* nodes; ///< m, where the nodes are.
} Patch;

/// 0, or the exit code of what failed, said. knit is copied; with `rests` it comes to rest as rods
/// first, by relax, with its report.
int patch_knit(HedLab* lab, const HedKnitDef* knit, const HedRelaxDef* relax, Patch* patch,
               HedRelaxReport* report);
void patch_free(Patch* patch);

/// m, width (0), height (1) or depth (2) of where the nodes are.
double patch_extent(const Patch* patch, int axis);

/// The material of a patch of rods, as sliding yarns.
HedSlidingDef patch_material(const Patch* patch);

/// Knits of these yarns.
HedKnitDef patch_knit_def(const char* pattern, int32_t rows, int32_t stitches);

/// Adds the yarns of a fabric, and the smooth curves of a network where its nodes are, moved by a
/// way.
void patch_add_rods(YarnCurves* curves, const HedFabric* fabric, HedVec3 by);
void patch_add_yarns(HedLab* lab, YarnCurves* curves, const Patch* patch, HedVec3 by);

#endif
