// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "solve/pcg.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// The second difference on n points with fixed ends: eigenvalues 2 - 2 cos(k pi/(n + 1)).
typedef struct Chain {
    int32_t n;
    double shift; // added to the diagonal
} Chain;

static void chain_apply(void* context, const double* x, double* y) {
    const Chain* chain = context;
    for (int32_t i = 0; i < chain->n; ++i) {
        double left = i > 0 ? x[i - 1] : 0.0;
        double right = i + 1 < chain->n ? x[i + 1] : 0.0;
        y[i] = (2.0 + chain->shift) * x[i] - left - right;
    }
}

static void copy_apply(void* context, const double* x, double* y) {
    const Chain* chain = context;
    memcpy(y, x, sizeof(double) * (size_t)chain->n);
}

typedef struct Work {
    HedTeam team;
    HedPcg pcg;
    double* b;
    double* x;
} Work;

static Work make_work(int32_t n, HedOperator matrix, HedOperator precondition) {
    int32_t blocks = hed_block_count(n);
    Work w = {.team = {1, HED_NEW_ARRAY(double, blocks), blocks}};
    w.b = HED_NEW_ARRAY(double, n);
    w.x = HED_NEW_ARRAY(double, n);
    w.pcg = (HedPcg){.size = n,
                     .matrix = matrix,
                     .precondition = precondition,
                     .tolerance = 1e-12,
                     .max_iterations = 1000,
                     .work = HED_NEW_ARRAY(double, 4 * (int64_t)n)};
    cr_assert(w.team.partial && w.b && w.x && w.pcg.work);
    return w;
}

static HedPcgReport run(Work* w) {
    w->pcg.team = &w->team;
    return hed_pcg_solve(&w->pcg, w->b, w->x);
}

static void free_work(Work* w) {
    hed_free(w->team.partial);
    hed_free(w->b);
    hed_free(w->x);
    hed_free(w->pcg.work);
}

// -x'' = 1 with x = 0 at both ends: x_i = (i + 1)(n - i)/2, and by symmetry n/2 iterations find it.
Test(pcg, solves_a_known_system) {
    Chain chain = {.n = 60};
    Work w = make_work(60, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
    for (int i = 0; i < 60; ++i) {
        w.b[i] = 1.0;
    }
    HedPcgReport report = run(&w);
    cr_expect_eq(report.reason, HED_PCG_CONVERGED);
    cr_expect(report.iterations <= 30, "%d iterations", report.iterations);
    cr_expect(report.residual <= 1e-12); // as asked
    for (int i = 0; i < 60; ++i) {
        // Condition 1500, tolerance 1e-12, |x| up to 465.
        cr_assert(fabs(w.x[i] - 0.5 * (i + 1) * (60 - i)) < 1e-8, "x[%d] = %.12g", i, w.x[i]);
        cr_assert_eq(w.b[i], 1.0, "b is left alone");
    }
    free_work(&w);
}

typedef struct Diagonal {
    int32_t n;
    const double* d;
} Diagonal;

static void diagonal_apply(void* context, const double* x, double* y) {
    const Diagonal* diagonal = context;
    for (int32_t i = 0; i < diagonal->n; ++i) {
        y[i] = diagonal->d[i] * x[i];
    }
}

// With its exact inverse as preconditioner one iteration is enough, whatever the condition.
Test(pcg, an_exact_preconditioner_needs_one_iteration) {
    enum { N = 50 };
    double d[N];
    double inverse[N];
    for (int i = 0; i < N; ++i) {
        d[i] = pow(10.0, i % 12);
        inverse[i] = 1.0 / d[i];
    }
    Diagonal matrix = {N, d};
    Diagonal precondition = {N, inverse};
    Work w = make_work(N, (HedOperator){diagonal_apply, &matrix},
                       (HedOperator){diagonal_apply, &precondition});
    for (int i = 0; i < N; ++i) {
        w.b[i] = d[i] * (i - 7.0);
    }
    HedPcgReport report = run(&w);
    cr_expect_eq(report.reason, HED_PCG_CONVERGED);
    cr_expect_leq(report.iterations, 2);
    for (int i = 0; i < N; ++i) {
        cr_assert(fabs(w.x[i] - (i - 7.0)) <
                  1e-13); // rounding of numbers of up to 42, two iterations
    }
    free_work(&w);
}

static void hold_some(void* context, const double* x, double* y) {
    const Chain* chain = context;
    cr_assert_eq(x, y, "a filter works in place");
    for (int32_t i = 0; i < chain->n; i += 10) {
        y[i] = 0.0;
    }
}

// Every tenth unknown is held at zero: between them -x'' = 1 again, x = (j + 1)(9 - j)/2. What b
// says about held ones does not matter.
Test(pcg, filter) {
    Chain chain = {.n = 61};
    Work w = make_work(61, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
    w.pcg.filter = (HedOperator){hold_some, &chain};
    for (int i = 0; i < 61; ++i) {
        w.b[i] = i % 10 == 0 ? 1e6 : 1.0;
    }
    HedPcgReport report = run(&w);
    cr_expect_eq(report.reason, HED_PCG_CONVERGED);
    cr_expect_leq(report.iterations, 6, "five different values: %d", report.iterations);
    for (int i = 0; i < 61; ++i) {
        int j = i % 10 - 1;
        double expected = i % 10 == 0 ? 0.0 : 0.5 * (j + 1) * (9 - j);
        // Five iterations, to the rounding of numbers up to 12.5.
        cr_assert(fabs(w.x[i] - expected) < 1e-13, "x[%d] = %g", i, w.x[i]);
    }
    free_work(&w);
}

// Shifted below zero the operator has directions of negative curvature, and the search finds one.
Test(pcg, negative_curvature_is_an_outcome) {
    Chain chain = {.n = 40, .shift = -1.0};
    Work w = make_work(40, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
    for (int i = 0; i < 40; ++i) {
        w.b[i] = hed_random_uniform(1, 1, (uint64_t)i) - 0.5;
    }
    HedPcgReport report = run(&w);
    cr_expect_eq(report.reason, HED_PCG_NOT_POSITIVE);
    for (int i = 0; i < 40; ++i) {
        cr_assert(isfinite(w.x[i]));
    }
    // A singular one: the free chain of two, b along its null space.
    double d[2] = {0.0, 0.0};
    Diagonal zero = {2, d};
    Chain two = {.n = 2};
    Work z = make_work(2, (HedOperator){diagonal_apply, &zero}, (HedOperator){copy_apply, &two});
    z.b[0] = 1.0;
    cr_expect_eq(run(&z).reason, HED_PCG_NOT_POSITIVE);
    free_work(&z);
    free_work(&w);
}

Test(pcg, other_outcomes) {
    Chain chain = {.n = 500};
    Work w = make_work(500, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
    HedPcgReport report = run(&w);
    cr_expect(report.reason == HED_PCG_CONVERGED && report.iterations == 0, "b = 0");
    for (int i = 0; i < 500; ++i) {
        w.b[i] = sin(0.3 * i);
    }
    w.pcg.max_iterations = 7;
    report = run(&w);
    cr_expect(report.reason == HED_PCG_MAX_ITERATIONS && report.iterations == 7);
    // Neither solved nor worse than at its start.
    cr_expect(report.residual > 1e-12 && report.residual < 1.0);
    // Each iteration lowers 1/2 x.Ax - b.x: what was found so far is better than nothing.
    double ax[500];
    chain_apply(&chain, w.x, ax);
    double value = 0.0;
    for (int i = 0; i < 500; ++i) {
        value += w.x[i] * (0.5 * ax[i] - w.b[i]);
    }
    cr_expect(value < 0.0);
    w.b[13] = NAN;
    cr_expect_eq(run(&w).reason, HED_PCG_NOT_FINITE);
    w.b[13] = INFINITY;
    cr_expect_eq(run(&w).reason, HED_PCG_NOT_FINITE);
    free_work(&w);
}

Test(pcg, same_bits_for_any_thread_count) {
    enum { N = 300000 }; // long enough for vector loops to be shared
    Chain chain = {.n = N, .shift = 0.1};
    double* first = HED_NEW_ARRAY(double, N);
    const int32_t threads[4] = {1, 2, 3, 8};
    for (int t = 0; t < 4; ++t) {
        Work w =
            make_work(N, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
        w.team.threads = threads[t];
        w.pcg.max_iterations = 10;
        for (int32_t i = 0; i < N; ++i) {
            w.b[i] = hed_random_normal(2, 1, (uint64_t)i);
        }
        run(&w);
        if (t == 0) {
            memcpy(first, w.x, sizeof(double) * N);
        }
        cr_expect_eq(memcmp(first, w.x, sizeof(double) * N), 0, "%d threads", threads[t]);
        free_work(&w);
    }
    hed_free(first);
}

// Its first residual is 1 in every number: the norm is sqrt(n).
Test(pcg, ends_where_enough_is_solved) {
    Chain chain = {.n = 64};
    Work w = make_work(64, (HedOperator){chain_apply, &chain}, (HedOperator){copy_apply, &chain});
    for (int i = 0; i < 64; ++i) {
        w.b[i] = 1.0;
    }
    int32_t whole = run(&w).iterations;
    w.pcg.enough = 4.0;
    HedPcgReport part = run(&w);
    cr_expect_eq(part.reason, HED_PCG_CONVERGED);
    cr_expect(part.iterations > 0 && part.iterations < whole);
    cr_expect(part.residual * part.start <= 4.0);
    w.pcg.enough = 9.0;
    HedPcgReport none = run(&w);
    cr_expect_eq(none.reason, HED_PCG_CONVERGED);
    cr_expect_eq(none.iterations, 0);
    free_work(&w);
}
