// SPDX-License-Identifier: MIT
// Gravity and drag on one point.
//   E = -m g . x        D = 1/2 m d |v|^2
#ifndef HED_MODEL_LOAD_KERNEL_POINT_H
#define HED_MODEL_LOAD_KERNEL_POINT_H

#include "math/vec3.h"

typedef struct HedPointLoad {
    HedVec3 gravity; // m/s^2
    double drag;     // 1/s
} HedPointLoad;

typedef struct HedPointOut {
    double energy;         // J
    HedVec3 gradient;      // N
    double dissipation;    // W
    HedVec3 rate_gradient; // N
    double rate;           // N s/m, second derivative of D is rate times the identity
} HedPointOut;

static inline HedPointOut hed_point_eval(HedVec3 x, HedVec3 v, double mass, HedPointLoad load) {
    double rate = mass * load.drag;
    return (HedPointOut){
        .energy = -mass * hed_dot3(load.gravity, x),
        .gradient = hed_mul3(-mass, load.gravity),
        .dissipation = 0.5 * rate * hed_dot3(v, v),
        .rate_gradient = hed_mul3(rate, v),
        .rate = rate,
    };
}

#endif
