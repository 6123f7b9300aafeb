// SPDX-License-Identifier: MIT
// Small vectors and matrices as plain values, and views of arrays of them.
#ifndef HEDDLE_VEC_H
#define HEDDLE_VEC_H

#include <stdint.h>

typedef struct HedVec3 {
    double x, y, z;
} HedVec3;

/// Row-major: m[row][column].
typedef struct HedMat3 {
    double m[3][3];
} HedMat3;

/// Unit quaternion, w the real part.
typedef struct HedQuat {
    double w, x, y, z;
} HedQuat;

/// A borrowed, read-only array. Says in its function how long it is valid.
typedef struct HedVec3View {
    const HedVec3* data;
    int32_t count;
} HedVec3View;

typedef struct HedIndexView {
    const int32_t* data;
    int32_t count;
} HedIndexView;

/// A rigid placement: point p of the body stands at rotation * p + position.
typedef struct HedPose {
    HedVec3 position; ///< m
    HedQuat rotation;
} HedPose;

#endif
