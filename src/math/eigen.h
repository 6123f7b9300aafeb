// SPDX-License-Identifier: MIT
// Eigenvalues of small symmetric matrices by Jacobi rotations: slow, but right to the last digits.
#ifndef HED_MATH_EIGEN_H
#define HED_MATH_EIGEN_H

enum { HED_EIGEN_LIMIT = 24 };

/// a (n by n, row-major, symmetric) is destroyed; value[n] rises; column k of vector (n by n)
/// belongs to value[k]. n is at most HED_EIGEN_LIMIT.
void hed_eigen_symmetric(int n, double* a, double* value, double* vector);

/// Raises every negative eigenvalue of the symmetric a (n by n) to zero, in place.
void hed_clamp_positive(int n, double* a);

#endif
