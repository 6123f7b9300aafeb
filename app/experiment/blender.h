// SPDX-License-Identifier: MIT
// The cloth of `heddle bench swing` in Blender, if that is installed.
#ifndef EXPERIMENT_BLENDER_H
#define EXPERIMENT_BLENDER_H

#include "experiment/experiment.h"

/// A square cloth of 1 m, held along one edge and let go from horizontal, in steps of 5 ms.
typedef struct BlenderJob {
    int32_t side;    ///< Vertices along an edge.
    int32_t steps;   ///< A multiple of 8.
    int32_t threads; ///< 0: all.
} BlenderJob;

typedef struct BlenderResult {
    double wall;     ///< s, of all steps
    double strain;   ///< Largest of an edge, at the ends of frames.
    double tip_drop; ///< m, of the free edge's middle at the end
} BlenderResult;

/// False, with a note that says why, if there is nothing to compare with.
bool blender_swing(HedLab* lab, const BlenderJob* job, BlenderResult* result);

#endif
