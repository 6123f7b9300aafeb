// SPDX-License-Identifier: MIT
// Approximate inverses of a block matrix for conjugate gradients, all behind one face. Each is
// symmetric and positive whenever the matrix is.
#ifndef HED_SOLVE_PRECONDITIONER_H
#define HED_SOLVE_PRECONDITIONER_H

#include "heddle/solve.h"
#include "solve/lines.h"
#include "solve/matrix.h"

typedef struct HedPreconditioner HedPreconditioner;

/// What one is made from; all borrowed.
typedef struct HedPreconditionerInput {
    const HedMatrix* matrix;  // its pattern
    const HedVec3* positions; // m, to make out patches and their rigid motions
    const HedTeam* team;
    const HedLineSet* lines; // NULL: no rows form lines
} HedPreconditionerInput;

/// Prepares for matrices of one pattern.
HedStatus hed_preconditioner_create(HedPreconditionerKind kind, HedPreconditionerInput input,
                                    HedPreconditioner** out, HedError* error);
void hed_preconditioner_destroy(HedPreconditioner* preconditioner); ///< NULL is allowed.

/// Takes the values of a matrix. Rows with free[i] == 0 are left out, as held points are. False if
/// the matrix is not positive definite.
bool hed_preconditioner_update(HedPreconditioner* preconditioner, const HedMatrix* matrix,
                               const double* free);

/// y = approximate inverse times x; vectors of 3 row_count numbers.
void hed_preconditioner_apply(const HedPreconditioner* preconditioner, const double* x, double* y);

#endif
