// SPDX-License-Identifier: MIT
// The lowest eigenvalues of large symmetric matrices.
#ifndef HED_SOLVE_MODES_H
#define HED_SOLVE_MODES_H

#include "solve/sparse.h"

/// Finds the `count` eigenvalues next to `shift` and their vectors (of length 1, vector k at
/// vectors + k * size), rising. The matrix less the shift must be positive definite: take a small
/// negative one for a semidefinite matrix. count is at least 1 and less than the size. Equal input
/// gives equal bits. HED_UNSUPPORTED in a build without ARPACK, which keeps state between its
/// calls: not for several threads at once.
HedStatus hed_modes_lowest(const HedSparse* matrix, double shift, int32_t count, double* values,
                           double* vectors, HedError* error);

#endif
