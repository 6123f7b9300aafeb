// SPDX-License-Identifier: MIT
// A spring between two points (see state/radial.h with d = x1 - x0).
#ifndef HED_MODEL_SHEET_KERNEL_SPRING_H
#define HED_MODEL_SHEET_KERNEL_SPRING_H

#include "state/radial.h"

typedef struct HedSpringRest {
    double length;    // m
    double stiffness; // N/m
    double damping;   // N s/m
} HedSpringRest;

static inline HedRadial hed_spring_eval(HedVec3 x0, HedVec3 x1, HedVec3 v0, HedVec3 v1,
                                        HedSpringRest rest) {
    return hed_radial(hed_sub3(x1, x0), hed_sub3(v1, v0), rest.stiffness, rest.length,
                      rest.damping);
}

/// The same over a step: s0 and s1 are the points at its start, over the inverse of its size in
/// 1/s.
static inline HedRadial hed_spring_step_eval(HedVec3 x0, HedVec3 x1, HedVec3 s0, HedVec3 s1,
                                             HedSpringRest rest, double over) {
    return hed_radial_step(hed_sub3(x1, x0), hed_sub3(s1, s0), over, rest.stiffness, rest.length,
                           rest.damping);
}

#endif
