// SPDX-License-Identifier: MIT
#include "solve/tridiagonal.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MOST = 40 };

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(77, stream, k) - 0.5;
}

Test(tridiagonal, solves_open_and_ring_systems) {
    for (uint64_t trial = 0; trial < 400; ++trial) {
        bool is_ring = trial % 2;
        int32_t n = (int32_t)(is_ring ? 3 : 1) + (int32_t)(trial / 2 % 30);
        double d[MOST], off[MOST], border[MOST], x[MOST], a[MOST], b[MOST];
        for (int32_t i = 0; i < n; ++i) {
            off[i] = draw(trial, (uint64_t)i);
            d[i] = 1.1 + draw(trial, 100 + (uint64_t)i) * 0.2; // above the sum of two off entries
            a[i] = draw(trial, 200 + (uint64_t)i);
        }
        for (int32_t i = 0; i < n; ++i) {
            b[i] = d[i] * a[i];
            b[i] += i + 1 < n ? off[i] * a[i + 1] : (is_ring ? off[i] * a[0] : 0.0);
            b[i] += i > 0 ? off[i - 1] * a[i - 1] : (is_ring ? off[n - 1] * a[n - 1] : 0.0);
            x[i] = b[i];
        }
        HedTridiagonal matrix = {n, is_ring, d, off, border};
        cr_assert_gt(hed_tridiagonal_factor(&matrix), 0.0);
        hed_tridiagonal_solve(&matrix, x);
        for (int32_t i = 0; i < n; ++i) {
            cr_assert_float_eq(x[i], a[i], 1e-13, "size %d, ring %d, entry %d", n, is_ring, i);
        }
    }
}

// The second difference on a ring has the constant as null vector: one pivot is zero, its unknown
// gets zero, and the residual still vanishes for a right side without mean.
Test(tridiagonal, singular_and_indefinite_systems_are_told_apart) {
    enum { N = 9 };
    double d[N], off[N], border[N], x[N], b[N];
    for (int i = 0; i < N; ++i) {
        d[i] = 2.0;
        off[i] = -1.0;
        x[i] = b[i] = sin(2.0 * 3.14159265358979 * i / N);
    }
    HedTridiagonal matrix = {N, true, d, off, border};
    cr_assert_lt(fabs(hed_tridiagonal_factor(&matrix)), HED_TRIDIAGONAL_ZERO);
    hed_tridiagonal_solve(&matrix, x);
    cr_assert_eq(x[N - 1], 0.0);
    for (int i = 0; i < N; ++i) {
        double residual = 2.0 * x[i] - x[(i + 1) % N] - x[(i + N - 1) % N] - b[i];
        cr_assert_float_eq(residual, 0.0, 1e-13);
    }
    double d2[2] = {1.0, 1.0}, off2[1] = {2.0};
    HedTridiagonal saddle = {2, false, d2, off2, NULL};
    cr_assert_float_eq(hed_tridiagonal_factor(&saddle), -3.0, 1e-15);
    double empty[1] = {0.0}, y[1] = {5.0};
    HedTridiagonal none = {1, false, empty, NULL, NULL};
    cr_assert_eq(hed_tridiagonal_factor(&none), 0.0);
    hed_tridiagonal_solve(&none, y);
    cr_assert_eq(y[0], 0.0);
}
