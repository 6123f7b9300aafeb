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
    HED_PRECONDITION_TWO_LEVEL, ///< Jacobi, plus the rigid motions of patches, patches of patches
                                ///< and so on.
    HED_PRECONDITION_DIRECT,    ///< Exact factors of the whole matrix, by CHOLMOD; HED_UNSUPPORTED
                                ///< in a build without it.
    HED_PRECONDITION_LINES,     ///< Exact factors along each yarn, twist included; sheets beside
                                ///< them as with auto.
    HED_PRECONDITION_AUTO,      ///< Lines if there are yarns; else Jacobi below 2000 points, where
                                ///< set-up counts, and two-level above.
    HED_PRECONDITION_COUNT
} HedPreconditionerKind;

/// "jacobi", "cholesky", "two-level", "direct", "lines", "auto"
HED_API const char* hed_preconditioner_name(HedPreconditionerKind kind);

/// What happens to held points in the linear equations. Results agree to the tolerances.
typedef enum HedConstraintKind {
    HED_CONSTRAIN_FILTER,      ///< Every vector of conjugate gradients is cleared of them.
    HED_CONSTRAIN_ELIMINATION, ///< Their rows and columns leave the matrix.
    HED_CONSTRAIN_COUNT
} HedConstraintKind;

/// "filter", "elimination"
HED_API const char* hed_constraint_name(HedConstraintKind kind);

#ifdef __cplusplus
}
#endif

#endif
