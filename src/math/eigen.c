// SPDX-License-Identifier: MIT
// Cyclic Jacobi iteration (Golub and Van Loan, Matrix Computations, section 8.5): each rotation
// zeroes one off-diagonal pair; the sum of squares off the diagonal falls quadratically near the
// end.
#include "math/eigen.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

// Rotates rows and columns p and q of a, and columns p and q of v, so that a[p][q] becomes zero.
static void rotate(int n, double* a, double* v, int p, int q) {
    double apq = a[p * n + q];
    double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    for (int k = 0; k < n; ++k) {
        double kp = a[k * n + p];
        double kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; ++k) {
        double pk = a[p * n + k];
        double qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
        double vp = v[k * n + p];
        double vq = v[k * n + q];
        v[k * n + p] = c * vp - s * vq;
        v[k * n + q] = s * vp + c * vq;
    }
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
}

static void sort_rising(int n, double* value, double* vector) {
    for (int i = 0; i < n; ++i) {
        int least = i;
        for (int j = i + 1; j < n; ++j) {
            least = value[j] < value[least] ? j : least;
        }
        double kept = value[i];
        value[i] = value[least];
        value[least] = kept;
        for (int k = 0; k < n; ++k) {
            double entry = vector[k * n + i];
            vector[k * n + i] = vector[k * n + least];
            vector[k * n + least] = entry;
        }
    }
}

void hed_eigen_symmetric(int n, double* a, double* value, double* vector) {
    enum { SWEEPS = 60 };
    memset(vector, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; ++i) {
        vector[i * n + i] = 1.0;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        int rotations = 0;
        for (int p = 0; p < n - 1; ++p) {
            for (int q = p + 1; q < n; ++q) {
                double small = 1e-17 * (fabs(a[p * n + p]) + fabs(a[q * n + q]));
                if (fabs(a[p * n + q]) > small && fabs(a[p * n + q]) > 1e-300) {
                    rotate(n, a, vector, p, q);
                    ++rotations;
                }
            }
        }
        if (rotations == 0) {
            break;
        }
    }
    for (int i = 0; i < n; ++i) {
        value[i] = a[i * n + i];
    }
    sort_rising(n, value, vector);
}

void hed_clamp_positive(int n, double* a) {
    double value[HED_EIGEN_LIMIT];
    double vector[HED_EIGEN_LIMIT * HED_EIGEN_LIMIT];
    double work[HED_EIGEN_LIMIT * HED_EIGEN_LIMIT];
    HED_ASSERT(n >= 1 && n <= HED_EIGEN_LIMIT);
    memcpy(work, a, sizeof(double) * (size_t)(n * n));
    hed_eigen_symmetric(n, work, value, vector);
    if (value[0] >= 0.0) {
        return;
    }
    // One triangle, mirrored: the result is symmetric to the last bit.
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += fmax(value[k], 0.0) * vector[i * n + k] * vector[j * n + k];
            }
            a[i * n + j] = sum;
            a[j * n + i] = sum;
        }
    }
}
