// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "math/eigen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// Of eigenvalues of up to 7: sums of ten terms, rounded by 1e-15 each.
static const double ROUNDING = 1e-14;

enum { MOST = HED_EIGEN_LIMIT };

static uint64_t drawn;

static double draw(void) {
    return hed_random_normal(9, 9, drawn++);
}

static void draw_symmetric(int n, double* a) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            a[i * n + j] = a[j * n + i] = draw();
        }
    }
}

static double largest(int n, const double* a) {
    double size = 0.0;
    for (int i = 0; i < n * n; ++i) {
        size = fmax(size, fabs(a[i]));
    }
    return size;
}

// Jacobi's residual and loss of orthogonality grow like n sweeps of rounding: 1e-15 times n, with
// room for four.
static void expect_eigen(int n, const double* a, const double* value, const double* vector) {
    double tolerance = 4e-15 * n;
    double scale = n * largest(n, a) + 1e-300;
    for (int k = 0; k < n; ++k) {
        cr_assert(k == 0 || value[k] >= value[k - 1], "value %d does not rise", k);
        for (int i = 0; i < n; ++i) {
            double residual = -value[k] * vector[i * n + k];
            for (int j = 0; j < n; ++j) {
                residual += a[i * n + j] * vector[j * n + k];
            }
            cr_assert_leq(fabs(residual), tolerance * scale);
        }
        for (int l = 0; l <= k; ++l) {
            double dot = 0.0;
            for (int i = 0; i < n; ++i) {
                dot += vector[i * n + k] * vector[i * n + l];
            }
            cr_assert_leq(fabs(dot - (k == l)), tolerance);
        }
    }
}

static void solve_and_expect(int n, const double* a, double* value) {
    double work[MOST * MOST];
    double vector[MOST * MOST];
    memcpy(work, a, sizeof(double) * (size_t)(n * n));
    hed_eigen_symmetric(n, work, value, vector);
    expect_eigen(n, a, value, vector);
}

Test(eigen, random_matrices_of_all_sizes_and_scales) {
    double value[MOST];
    double scales[] = {1.0, 1e-140, 1e140};
    for (int n = 1; n <= MOST; ++n) {
        for (int k = 0; k < 3; ++k) {
            double a[MOST * MOST];
            draw_symmetric(n, a);
            for (int i = 0; i < n * n; ++i) {
                a[i] *= scales[k];
            }
            solve_and_expect(n, a, value);
        }
    }
}

// The chain of n springs with fixed ends: 2 on the diagonal, -1 beside it. Its eigenvalues are
// 2 - 2 cos(k pi / (n + 1)).
Test(eigen, chain_has_known_values) {
    enum { N = 20 };
    double a[N * N] = {0.0};
    double value[MOST];
    for (int i = 0; i < N; ++i) {
        a[i * N + i] = 2.0;
        if (i > 0) {
            a[i * N + i - 1] = a[(i - 1) * N + i] = -1.0;
        }
    }
    solve_and_expect(N, a, value);
    for (int k = 0; k < N; ++k) {
        double expected = 2.0 - 2.0 * cos((k + 1) * 3.141592653589793 / (N + 1));
        cr_assert_lt(fabs(value[k] - expected), 4e-15 * N); // eigenvalues of up to 4, N terms
    }
}

Test(eigen, repeated_values) {
    double value[MOST];
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    solve_and_expect(3, identity, value);
    cr_assert(value[0] == 1.0 && value[1] == 1.0 && value[2] == 1.0);
    // All ones: n once, zero n - 1 times.
    double ones[49];
    for (int i = 0; i < 49; ++i) {
        ones[i] = 1.0;
    }
    solve_and_expect(7, ones, value);
    for (int k = 0; k < 6; ++k) {
        cr_assert_lt(fabs(value[k]), 10.0 * ROUNDING);
    }
    cr_assert_lt(fabs(value[6] - 7.0), 10.0 * ROUNDING);
    double zero[16] = {0.0};
    solve_and_expect(4, zero, value);
    cr_assert(value[0] == 0.0 && value[3] == 0.0);
}

Test(eigen, nearly_diagonal_and_badly_scaled) {
    double value[MOST];
    double a[9] = {1e8, 1.0, 1e-6, 1.0, 1.0, 1e-7, 1e-6, 1e-7, 1e-8};
    solve_and_expect(3, a, value);
    double ordered[9] = {3, 1e-20, 0, 1e-20, 2, 0, 0, 0, 1};
    solve_and_expect(3, ordered, value);
    cr_assert(value[0] == 1.0 && value[1] == 2.0 && value[2] == 3.0);
}

Test(eigen, clamp_leaves_positive_matrices_to_the_bit) {
    double a[9] = {4.0, 1.0, 0.1, 1.0, 3.0, -0.2, 0.1, -0.2, 2.0};
    double before[9];
    memcpy(before, a, sizeof a);
    hed_clamp_positive(3, a);
    cr_assert_eq(memcmp(a, before, sizeof a), 0);
}

Test(eigen, clamp_removes_negative_values_only) {
    for (int n = 1; n <= MOST; n += n < 6 ? 1 : 6) {
        double a[MOST * MOST];
        double before[MOST];
        double after[MOST];
        draw_symmetric(n, a);
        solve_and_expect(n, a, before);
        double tolerance = 1e-14 * n * n * largest(n, a);
        hed_clamp_positive(n, a);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                cr_assert_eq(a[i * n + j], a[j * n + i], "not symmetric");
            }
        }
        solve_and_expect(n, a, after);
        for (int k = 0; k < n; ++k) {
            cr_assert_lt(fabs(after[k] - fmax(before[k], 0.0)), tolerance);
        }
    }
}

Test(eigen, clamp_of_negative_is_zero) {
    double a[9] = {-4.0, 1.0, 0.1, 1.0, -3.0, -0.2, 0.1, -0.2, -2.0};
    hed_clamp_positive(3, a);
    for (int i = 0; i < 9; ++i) {
        cr_assert_eq(a[i], 0.0);
    }
}
