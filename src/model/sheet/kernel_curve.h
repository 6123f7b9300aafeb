// SPDX-License-Identifier: MIT
// Bending of a line of three points, from the curvature energy 1/2 B kappa^2 per area.
//
// The turn of the line at its middle point is the vector
//   c = (x2 - x1)/l2 - (x1 - x0)/l1,           l1, l2 the rest lengths,
// whose size over L = (l1 + l2)/2 is the curvature, to second order in the turn. With the area A
// that the element stands for,
//   E = 1/2 B A (|c|/L - kappa0)^2 = 1/2 k (|c| - L kappa0)^2,    k = B A / L^2,
// which is state/radial.h with d = c. c is linear in the points, so for a flat rest shape the
// energy is quadratic, its Hessian constant and positive, and no state is singular.
#ifndef HED_MODEL_SHEET_KERNEL_CURVE_H
#define HED_MODEL_SHEET_KERNEL_CURVE_H

#include "state/radial.h"

typedef struct HedCurveRest {
    double inverse0;  // 1/m, 1/l1
    double inverse1;  // 1/m, 1/l2
    double turn;      // |c| at rest
    double stiffness; // J, k
    double damping;   // J s
} HedCurveRest;

/// Weights of the three points in c.
static inline HedVec3 hed_curve_weights(HedCurveRest rest) {
    return hed_vec3(rest.inverse0, -rest.inverse0 - rest.inverse1, rest.inverse1);
}

static inline HedVec3 hed_curve_turn(HedVec3 x0, HedVec3 x1, HedVec3 x2, HedCurveRest rest) {
    HedVec3 behind = hed_mul3(rest.inverse0, hed_sub3(x1, x0));
    HedVec3 ahead = hed_mul3(rest.inverse1, hed_sub3(x2, x1));
    return hed_sub3(ahead, behind);
}

/// A line of three points: positions or velocities.
typedef struct HedCurveLine {
    HedVec3 a, middle, c;
} HedCurveLine;

static inline HedRadial hed_curve_eval(HedCurveLine x, HedCurveLine v, HedCurveRest rest) {
    return hed_radial(hed_curve_turn(x.a, x.middle, x.c, rest),
                      hed_curve_turn(v.a, v.middle, v.c, rest), rest.stiffness, rest.turn,
                      rest.damping);
}

/// The same over a step from the line `start`, over the inverse of its size in 1/s.
static inline HedRadial hed_curve_step_eval(HedCurveLine x, HedCurveLine start, HedCurveRest rest,
                                            double over) {
    return hed_radial_step(hed_curve_turn(x.a, x.middle, x.c, rest),
                           hed_curve_turn(start.a, start.middle, start.c, rest), over,
                           rest.stiffness, rest.turn, rest.damping);
}

#endif
