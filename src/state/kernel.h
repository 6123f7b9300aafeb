// SPDX-License-Identifier: MIT
// How a kernel introduces itself, so that one generic test can take it through differences,
// rigid motions and momentum balance. Kernels are listed in the kernels.c of their folder.
#ifndef HED_STATE_KERNEL_H
#define HED_STATE_KERNEL_H

#include "heddle/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { HED_KERNEL_POINTS = 6, HED_KERNEL_ANGLES = 2, HED_KERNEL_REST_BYTES = 256 };

/// Everything a kernel can say about one element; parts it does not have stay zero.
typedef struct HedKernelOut {
    double energy;                                          // J
    HedVec3 gradient[HED_KERNEL_POINTS];                    // N, dE/dx
    HedMat3 hessian[HED_KERNEL_POINTS][HED_KERNEL_POINTS];  // N/m, exact d2E/dx2
    HedMat3 positive[HED_KERNEL_POINTS][HED_KERNEL_POINTS]; // N/m, its positive-semidefinite form
    double dissipation;                                     // W, potential D(v)
    HedVec3 rate_gradient[HED_KERNEL_POINTS];               // N, dD/dv
    HedMat3 rate_hessian[HED_KERNEL_POINTS][HED_KERNEL_POINTS]; // N s/m, exact d2D/dv2
    double angle_gradient[HED_KERNEL_ANGLES];                   // J, dE/dtheta
    HedVec3 angle_cross[HED_KERNEL_ANGLES][HED_KERNEL_POINTS];  // N, d2E/(dtheta dx)
    double angle_hessian[HED_KERNEL_ANGLES][HED_KERNEL_ANGLES]; // J, d2E/dtheta2
} HedKernelOut;

/// Which laws a kernel obeys. A trait that is claimed is tested.
enum {
    HED_KERNEL_TRANSLATES =
        1 << 0, ///< E unchanged by a shift, D by a common velocity: forces sum to zero.
    HED_KERNEL_ROTATES = 1 << 1, ///< E unchanged by a turn: moments of the gradient sum to zero.
    HED_KERNEL_RESTS = 1 << 2,   ///< No force at the state that make_rest was given.
    HED_KERNEL_SPINS = 1 << 3,   ///< D and its force vanish for every rigid velocity field.
};

typedef struct HedKernel {
    const char* name;
    int32_t point_count;
    uint32_t traits;
    double length; ///< m, typical size of an element; the test makes states of this size.
    /// Rest data for an element that rests at x; draw is uniform numbers in [0, 1) for stiffness
    /// and the like.
    void (*make_rest)(const HedVec3* x, const double* draw, void* rest);
    /// False where derivatives do not exist (coincident points): only finiteness is tested there.
    /// margin is the least distance in m from such a place that differences need.
    bool (*is_smooth)(const HedVec3* x, const HedVec3* v, const void* rest, double margin);
    void (*evaluate)(const HedVec3* x, const HedVec3* v, const void* rest, HedKernelOut* out);
} HedKernel;

/// A kernel that also depends on angles about its segments, against frames that its rest data carry
/// along with the points.
typedef struct HedAngleKernel {
    HedKernel kernel;
    int32_t angle_count;
    /// The angles in the rest data.
    double* (*angles)(void* rest);
    /// Moves the frames to x by parallel transport. Derivatives are exact at the state where frames
    /// were last moved to; energy and gradient everywhere.
    void (*anchor)(const HedVec3* x, void* rest);
} HedAngleKernel;

/// The kernels of a folder.
typedef struct HedKernelTable {
    const HedKernel* kernels;
    int32_t count;
} HedKernelTable;

#endif
