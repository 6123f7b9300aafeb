// SPDX-License-Identifier: MIT
#ifndef HED_EOL_CROSSING_NORMAL_FORCE_H
#define HED_EOL_CROSSING_NORMAL_FORCE_H

#include "contact/kernel_friction.h"
#include "eol/model.h"

typedef struct HedNormalForces {
    const HedEolModel* model;
    const double* q;
    const int8_t* sign;  // per node, of its crossing; 0: it is none
    double elastic;      // part of the yarns' turns about each other that is not set
    HedVec3* normal;     // per node, out
    HedSlipMetric* slip; // per node, out; NULL: not wanted. How far its two materials move past
                         // each other in space as its yarns slide
} HedNormalForces;

/// N, per node: force between its two yarns; below 0 they pull away from each other.
void hed_normal_forces_find(const HedNormalForces* press, double* out);

#endif
