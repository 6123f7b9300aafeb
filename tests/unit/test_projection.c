// SPDX-License-Identifier: MIT
#include "solve/projection.h"
#include "solve/tridiagonal.h"

#include "base/random.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <string.h>

// Numbers of about 1 after some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

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
            cr_assert_float_eq(x[i], a[i], 10.0 * ROUNDING, "size %d, ring %d, entry %d", n,
                               is_ring, i);
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
        cr_assert_float_eq(residual, 0.0, 10.0 * ROUNDING);
    }
    double d2[2] = {1.0, 1.0}, off2[1] = {2.0};
    HedTridiagonal saddle = {2, false, d2, off2, NULL};
    cr_assert_float_eq(hed_tridiagonal_factor(&saddle), -3.0, 0.1 * ROUNDING);
    double empty[1] = {0.0}, y[1] = {5.0};
    HedTridiagonal none = {1, false, empty, NULL, NULL};
    cr_assert_eq(hed_tridiagonal_factor(&none), 0.0);
    hed_tridiagonal_solve(&none, y);
    cr_assert_eq(y[0], 0.0);
}

static void assert_lengths(const HedVec3* x, int32_t n, bool is_closed, const double* length,
                           double tolerance) {
    for (int32_t k = 0; k < n - !is_closed; ++k) {
        double l = hed_distance3(x[k], x[(k + 1) % n]);
        cr_assert_lt(fabs(l / length[k] - 1.0), tolerance, "segment %d: %g of %g", k, l, length[k]);
    }
}

typedef struct Momentum {
    HedVec3 linear, angular;
} Momentum;

// Of the motion from a to b.
static Momentum momentum_of(const HedVec3* a, const HedVec3* b, const double* inverse_mass,
                            int32_t n) {
    Momentum sum = {0};
    for (int32_t k = 0; k < n; ++k) {
        HedVec3 p = hed_mul3(1.0 / inverse_mass[k], hed_sub3(b[k], a[k]));
        sum.linear = hed_add3(sum.linear, p);
        sum.angular = hed_add3(sum.angular, hed_cross3(a[k], p));
    }
    return sum;
}

// A free chain, open or closed, disturbed by a twentieth of its lengths: some iterations, lengths
// met, and the first iteration is an impulse between neighbours, so momentum is kept.
Test(projection, lengths_are_met_and_momentum_is_kept) {
    enum { N = 50 };
    for (int closed = 0; closed < 2; ++closed) {
        HedVec3 x[N], start[N];
        double length[N], w[N], partial[4];
        for (int k = 0; k < N; ++k) {
            double a = 2.0 * 3.14159265358979 * k / N;
            x[k] = closed ? hed_vec3(cos(a), sin(a), 0.1 * sin(2 * a))
                          : hed_vec3(0.1 * k, 0.1 * sin(0.4 * k), 0);
            w[k] = 1.0 + draw(7, (uint64_t)k);
        }
        for (int k = 0; k < N; ++k) {
            length[k] = hed_distance3(x[k], x[(k + 1) % N]);
        }
        for (int k = 0; k < N; ++k) {
            for (int c = 0; c < 3; ++c) {
                (&x[k].x)[c] += 0.01 * draw(8, 3 * (uint64_t)k + (uint64_t)c);
            }
        }
        HedChain chain = {0, N, closed, 0};
        HedLengths lengths;
        cr_assert_eq(hed_lengths_create(&lengths, &chain, 1, length, NULL), HED_OK);
        HedTeam team = {1, partial, 4};
        memcpy(start, x, sizeof x);
        HedProjection one =
            hed_lengths_project(&lengths, &team, (HedProjectionLimit){1e-5, 1}, w, x);
        cr_assert_eq(one.iterations, 1);
        Momentum sum = momentum_of(start, x, w, N);
        // Places of up to 5 m are rounded by 4e-16 m, and 50 of them add up to 3e-15 as
        // random ones do.
        cr_assert_lt(hed_norm3(sum.linear), 1e-14);
        // That times a lever of up to 5 m.
        cr_assert_lt(hed_norm3(sum.angular), 1e-13);
        HedProjection all =
            hed_lengths_project(&lengths, &team, (HedProjectionLimit){1e-12, 20}, w, x);
        cr_assert(all.is_converged);
        cr_assert_leq(all.iterations, 4, "%d: convergence is quadratic", all.iterations);
        assert_lengths(x, N, closed, length, 1e-12);
        // Met already: nothing moves.
        memcpy(start, x, sizeof x);
        cr_assert_eq(hed_lengths_project(&lengths, &team, hed_projection_limit(), w, x).iterations,
                     0);
        cr_assert_arr_eq(start, x, sizeof x);
        hed_lengths_free(&lengths);
    }
}

// The nearest state in the metric of masses: a two-segment pendulum below a held point, where it
// can be worked out by hand. Points at 1.2 and 2.4 below, equal masses, lengths 1: on a line,
// lengths are met exactly at 1 and 2.
Test(projection, held_points_stay_and_hanging_ones_come_up) {
    HedVec3 x[3] = {{0, 0, 0}, {0, -1.2, 0}, {0, -2.4, 0}};
    const double length[2] = {1.0, 1.0};
    double w[3] = {0.0, 1.0, 1.0}, partial[4];
    HedChain chain = {0, 3, false, 0};
    HedLengths lengths;
    cr_assert_eq(hed_lengths_create(&lengths, &chain, 1, length, NULL), HED_OK);
    HedTeam team = {1, partial, 4};
    HedProjection report =
        hed_lengths_project(&lengths, &team, (HedProjectionLimit){1e-12, 20}, w, x);
    cr_assert(report.is_converged);
    cr_assert_eq(x[0].y, 0.0);
    // Lengths are met to 1e-12.
    cr_assert_float_eq(x[1].y, -1.0, 1e-12);
    // Two of them.
    cr_assert_float_eq(x[2].y, -2.0, 2e-12);
    hed_lengths_free(&lengths);
}

// Held ends further apart than the chain is long: an outcome, not a blow-up. The same for a chain
// of points that coincide, and one that is held as a whole.
Test(projection, contradictions_are_reported_and_finite) {
    enum { N = 12 };
    HedVec3 x[3 * N];
    double length[3 * N], w[3 * N], partial[4];
    for (int k = 0; k < N; ++k) {
        x[k] = hed_vec3(1.3 * k, 1e-3 * draw(3, (uint64_t)k), 0);
        x[N + k] = hed_vec3(1, 1, 1);
        x[2 * N + k] = hed_vec3(1.1 * k, 0, 0);
        w[k] = k > 0 && k < N - 1 ? 1.0 : 0.0;
        w[N + k] = 1.0;
        w[2 * N + k] = 0.0;
    }
    for (int k = 0; k < 3 * N; ++k) {
        length[k] = 1.0;
    }
    HedChain chains[3] = {{0, N, false, 0}, {N, N, false, 0}, {2 * N, N, false, 0}};
    HedLengths lengths;
    cr_assert_eq(hed_lengths_create(&lengths, chains, 3, length, NULL), HED_OK);
    HedTeam team = {2, partial, 4};
    HedProjection report = hed_lengths_project(&lengths, &team, hed_projection_limit(), w, x);
    cr_assert(!report.is_converged);
    cr_assert_gt(report.error, 0.1);
    for (int k = 0; k < 3 * N; ++k) {
        cr_assert(hed_is_finite3(x[k]));
        cr_assert_lt(hed_norm3(x[k]), 10.0 * N);
    }
    // Held: the product that it was made by, a rounding off 3.3.
    cr_assert_float_eq(x[2 * N + 3].x, 3.3, 1e-15);
    hed_lengths_free(&lengths);
}

Test(projection, glue_brings_curve_points_together) {
    HedVec3 x[8];
    double w[8];
    HedGlue glue = {.weight = {0.1, 0.4, 0.4, 0.1, -0.5, -0.3, -0.2, 0.0}};
    Momentum before = {0};
    HedVec3 start[8];
    for (int k = 0; k < 8; ++k) {
        x[k] = hed_vec3(draw(1, (uint64_t)k), draw(2, (uint64_t)k), draw(3, (uint64_t)k));
        w[k] = 1.0 + draw(4, (uint64_t)k);
        glue.point[k] = k;
    }
    memcpy(start, x, sizeof x);
    cr_assert_gt(hed_norm3(hed_glue_gap(&glue, x)), 0.01);
    hed_glue_project(&glue, 1, w, x);
    // Places below 1, each rounded by 1e-16 where it is moved and where it is summed up.
    const double rounding = 1e-15;
    cr_assert_lt(hed_norm3(hed_glue_gap(&glue, x)), rounding);
    Momentum after = momentum_of(start, x, w, 8);
    cr_assert_lt(hed_distance3(after.linear, before.linear), rounding);
    // A point in both halves, and a constraint that is held as a whole.
    HedGlue twice = {.point = {0, 1, 1, 2}, .weight = {0.5, 0.5, -0.25, -0.75}};
    hed_glue_project(&twice, 1, w, x);
    cr_assert_lt(hed_norm3(hed_glue_gap(&twice, x)), rounding);
    // At a distance, from a place in space: along the line to it.
    HedGlue link = {.point = {0, 1}, .weight = {0.5, 0.5}, .anchor = {3, 0, 0}, .length = 0.7};
    HedVec3 was = hed_glue_gap(&link, x);
    hed_glue_project(&link, 1, w, x);
    HedVec3 now = hed_glue_gap(&link, x);
    cr_assert_float_eq(hed_norm3(now), 0.7, rounding);
    // The same times 3, the length of one of them.
    cr_assert_lt(hed_norm3(hed_cross3(was, now)), 3.0 * rounding);
    const double none[8] = {0};
    memcpy(start, x, sizeof x);
    hed_glue_project(&glue, 1, none, x);
    cr_assert_arr_eq(start, x, sizeof x);
}

Test(projection, bad_input_and_missing_memory_are_named) {
    HedChain chain = {0, 3, false, 0};
    double length[3] = {1.0, 0.0, 1.0};
    HedLengths lengths;
    HedError error;
    cr_assert_eq(hed_lengths_create(&lengths, &chain, 1, length, &error), HED_INVALID);
    cr_assert(strstr(error.message, "chain 0: length of segment 1"), "%s", error.message);
    chain.point_count = 1;
    cr_assert_eq(hed_lengths_create(&lengths, &chain, 1, length, &error), HED_INVALID);
    chain.point_count = 3;
    length[1] = 1.0;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; n <= 5; ++n) {
        hed_alloc_fail_at(n);
        cr_assert_eq(hed_lengths_create(&lengths, &chain, 1, length, NULL), HED_NO_MEMORY);
        hed_alloc_fail_at(0);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
}
