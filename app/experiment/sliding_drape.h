// SPDX-License-Identifier: MIT
// Patches of rods and of sliding yarns that hang over an edge by their own weight.
#ifndef EXPERIMENT_SLIDING_DRAPE_H
#define EXPERIMENT_SLIDING_DRAPE_H

#include "experiment/sliding_patch.h"

enum { DRAPE_RODS, DRAPE_SLIDING, DRAPE_KINDS };

/// One of the two, at rest.
typedef struct Hung {
    double drop;   ///< How far the free side came down, over its distance from what is held.
    double reach;  ///< How far it still sticks out, over the same.
    double theory; ///< Drop of a heavy elastica: straight threads that carry the weight of all.
    double pull;   ///< N, weight of what is free, per thread.
    double left;   ///< Largest unbalanced force over the weight of a point or node.
    bool is_quiet; ///< It is at rest.
} Hung;

typedef struct Drape {
    // Set before.
    const char* name;
    int axis;        ///< Along which it sticks out: 0 x, 1 y.
    int32_t threads; ///< That carry it.
    double margin;   ///< m, of the side that is held.
    bool is_woven;   ///< Rods along its edges are sewn to each other.

    Hung hung[DRAPE_KINDS];
} Drape;

/// Lets both hang from the shape of the patch, whose fabric then holds rods as they hang and whose
/// nodes those of sliding yarns. 0, or the exit code of what failed, said.
int sliding_drape(HedLab* lab, Drape* drape, Patch* patch);

#endif
