// SPDX-License-Identifier: MIT
// Choices for the linear equations inside implicit steps.
#ifndef HEDDLE_SOLVE_H
#define HEDDLE_SOLVE_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How conjugate gradients are helped. Results agree to the tolerances; speed differs.
typedef enum HedPreconditionerKind {
    HED_PRECONDITION_JACOBI,    ///< The inverse of each point's own block.
    HED_PRECONDITION_CHOLESKY,  ///< Incomplete factors of patches of up to 1024 points.
    HED_PRECONDITION_TWO_LEVEL, ///< The same, plus the rigid motions of small patches.
    HED_PRECONDITION_AUTO,      ///< Jacobi below 4096 points, where nothing pays; else two-level.
    HED_PRECONDITION_COUNT
} HedPreconditionerKind;

/// "jacobi", "cholesky", "two-level", "auto"
HED_API const char* hed_preconditioner_name(HedPreconditionerKind kind);

#ifdef __cplusplus
}
#endif

#endif
