// SPDX-License-Identifier: MIT
// Approximate inverses of a block matrix for conjugate gradients, all behind one face. Each is
// symmetric and positive whenever the matrix is.
#ifndef HED_SOLVE_PRECONDITIONER_H
#define HED_SOLVE_PRECONDITIONER_H

#include "heddle/solve.h"
#include "solve/matrix.h"

typedef struct HedPreconditioner HedPreconditioner;

/// Prepares for matrices of one pattern; positions (m) serve to make out patches and their rigid
/// motions.
HedStatus hed_preconditioner_create(HedPreconditionerKind kind, const HedMatrix* matrix,
                                    const HedVec3* positions, const HedTeam* team,
                                    HedPreconditioner** out, HedError* error);
void hed_preconditioner_destroy(HedPreconditioner* preconditioner); ///< NULL is allowed.

/// Takes the values of a matrix. Rows with free[i] == 0 are left out, as held points are. False if
/// the matrix is not positive definite.
bool hed_preconditioner_update(HedPreconditioner* preconditioner, const HedMatrix* matrix,
                               const double* free);

/// y = approximate inverse times x; vectors of 3 row_count numbers.
void hed_preconditioner_apply(const HedPreconditioner* preconditioner, const double* x, double* y);

#endif
