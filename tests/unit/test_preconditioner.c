// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "math/mat3.h"
#include "solve/pcg.h"
#include "solve/preconditioner.h"
#include "solve/skyline.h"
#include "state/tiles.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Springs between the neighbours of a square net, stiff along their direction and soft across, plus
// a little mass: the smallest eigenvalues belong to motions of the net as a whole.
typedef struct Net {
    int32_t side, count;
    HedRanges ranges;
    HedMatrix matrix;
    HedVec3* x;
    double* free;
    double* b;
    double* solution;
    double* work;
    HedTeam team;
} Net;

static void add_spring(Net* net, int32_t i, int32_t j) {
    HedVec3 t = hed_unit3(hed_sub3(net->x[j], net->x[i]), (HedVec3){0});
    HedMat3 h = hed_mat3_outer_diag(1.0, t, 0.05);
    HedMat3 minus = hed_mat3_scale(-1.0, h);
    net->matrix.diagonal[i] = hed_mat3_add(net->matrix.diagonal[i], h);
    net->matrix.diagonal[j] = hed_mat3_add(net->matrix.diagonal[j], h);
    for (int32_t r = 0; r < net->ranges.count; ++r) {
        hed_matrix_add(&net->matrix, r, i, j, &minus);
    }
}

static Net make_net(int32_t side, int32_t threads) {
    Net net = {.side = side, .count = side * side};
    int32_t n = net.count;
    net.x = HED_NEW_ARRAY(HedVec3, n);
    net.free = HED_NEW_ARRAY(double, n);
    net.b = HED_NEW_ARRAY(double, 3 * n);
    net.solution = HED_NEW_ARRAY(double, 3 * n);
    net.work = HED_NEW_ARRAY(double, 12 * n);
    int32_t* pairs = HED_NEW_ARRAY(int32_t, 4 * n);
    int64_t count = 0;
    // Numbered in squares of 16 by 16, as compact pieces as a space-filling curve makes.
    for (int32_t k = 0; k < n; ++k) {
        int32_t tile = k / 256, tiles = side / 16;
        int32_t column = tile % tiles * 16 + k % 16;
        int32_t row = tile / tiles * 16 + k % 256 / 16;
        net.x[k] = hed_vec3(column, 0.3 * sin(0.2 * row), row);
        net.free[k] = 1.0;
    }
    const int32_t groups[2] = {0, n};
    cr_assert_eq(hed_ranges_create(&net.ranges, groups, 1, NULL), HED_OK);
    for (int32_t k = 0; k < n; ++k) {
        bool right = k % 16 < 15;
        bool down = k % 256 / 16 < 15;
        int32_t tiles = side / 16, tile = k / 256;
        int32_t next = right ? k + 1 : tile % tiles + 1 < tiles ? k + 256 - 15 : -1;
        int32_t below = down ? k + 16 : tile / tiles + 1 < tiles ? k + 256 * tiles - 240 : -1;
        if (next >= 0) {
            pairs[count++] = k;
            pairs[count++] = next;
        }
        if (below >= 0) {
            pairs[count++] = k;
            pairs[count++] = below;
        }
    }
    cr_assert_eq(hed_matrix_create(&net.matrix, n, net.ranges, pairs, count / 2, NULL), HED_OK);
    for (int64_t k = 0; k < count; k += 2) {
        add_spring(&net, pairs[k], pairs[k + 1]);
    }
    for (int32_t k = 0; k < n; ++k) {
        HedMat3 mass = hed_mat3_diagonal(1e-5, 1e-5, 1e-5);
        net.matrix.diagonal[k] = hed_mat3_add(net.matrix.diagonal[k], mass);
    }
    for (int32_t k = 0; k < 3 * n; ++k) {
        net.b[k] = hed_random_uniform(5, 1, (uint64_t)k) - 0.5;
    }
    hed_free(pairs);
    int32_t blocks = hed_block_count(3 * n);
    net.team = (HedTeam){threads, HED_NEW_ARRAY(double, blocks), blocks};
    return net;
}

static void free_net(Net* net) {
    hed_matrix_free(&net->matrix);
    hed_free((void*)(uintptr_t)net->ranges.first);
    hed_free(net->x);
    hed_free(net->free);
    hed_free(net->b);
    hed_free(net->solution);
    hed_free(net->work);
    hed_free(net->team.partial);
}

static void apply_matrix(void* context, const double* x, double* y) {
    Net* net = context;
    hed_matrix_multiply(&net->matrix, &net->team, (const HedVec3*)(const void*)x,
                        (HedVec3*)(void*)y);
}

static void apply_inverse(void* context, const double* x, double* y) {
    hed_preconditioner_apply(context, x, y);
}

static bool is_there(HedPreconditionerKind kind) {
    return kind != HED_PRECONDITION_DIRECT || strstr(hed_build_info(), "CHOLMOD");
}

static HedPreconditionerInput input_of(const Net* net) {
    return (HedPreconditionerInput){&net->matrix, net->x, &net->team, NULL};
}

static HedPreconditioner* make(Net* net, HedPreconditionerKind kind) {
    HedPreconditioner* p = NULL;
    cr_assert_eq(hed_preconditioner_create(kind, input_of(net), &p, NULL), HED_OK);
    cr_assert(hed_preconditioner_update(p, &net->matrix, net->free));
    return p;
}

static int32_t iterations(Net* net, HedPreconditionerKind kind) {
    HedPreconditioner* p = make(net, kind);
    HedPcg pcg = {.size = 3 * net->count,
                  .matrix = {apply_matrix, net},
                  .precondition = {apply_inverse, p},
                  .tolerance = 1e-8,
                  .max_iterations = 5000,
                  .team = &net->team,
                  .work = net->work};
    HedPcgReport report = hed_pcg_solve(&pcg, net->b, net->solution);
    cr_assert_eq(report.reason, HED_PCG_CONVERGED);
    // The true residual, against the norm of the right-hand side. The tolerance is in the norm of
    // the preconditioner, which may differ by the root of the condition of B A, below 1e3.
    apply_matrix(net, net->solution, net->work);
    double rest = 0.0, all = 0.0;
    for (int32_t k = 0; k < 3 * net->count; ++k) {
        rest += (net->work[k] - net->b[k]) * (net->work[k] - net->b[k]);
        all += net->b[k] * net->b[k];
    }
    // The square of 1e-8 times 1e3.
    cr_assert(rest <= 1e-10 * all, "%s: %g", hed_preconditioner_name(kind), sqrt(rest / all));
    hed_preconditioner_destroy(p);
    return report.iterations;
}

Test(preconditioner, two_levels_do_not_slow_down_with_size) {
    int32_t found[3][3];
    for (int k = 0; k < 3; ++k) {
        Net net = make_net(32 << k, 1);
        for (int kind = 0; kind < 3; ++kind) {
            found[k][kind] = iterations(&net, (HedPreconditionerKind)kind);
        }
        printf("%d points: jacobi %d, cholesky %d, two-level %d iterations\n", net.count,
               found[k][0], found[k][1], found[k][2]);
        cr_expect(found[k][1] < found[k][0]);
        // One range of 1024 points: incomplete factors see all of it.
        cr_expect(k == 0 || found[k][2] < found[k][1]);
        free_net(&net);
    }
    cr_expect(found[2][2] <= 2 * found[0][2]);
    cr_expect(found[2][0] > 2 * found[0][0], "the net is too easy to tell");
}

// B is symmetric and positive, leaves held rows alone, and has the same bits for any number of
// threads.
Test(preconditioner, symmetric_positive_and_the_same_for_all_threads) {
    for (int kind = 0; kind < HED_PRECONDITION_COUNT; ++kind) {
        double first[4] = {0};
        if (!is_there((HedPreconditionerKind)kind)) {
            continue;
        }
        for (int32_t threads = 1; threads <= 3; ++threads) {
            Net net = make_net(48, threads);
            for (int32_t k = 0; k < net.count; k += 37) {
                net.free[k] = 0.0;
            }
            HedPreconditioner* p = make(&net, (HedPreconditionerKind)kind);
            int32_t n = 3 * net.count;
            double *x = net.work, *y = x + n, *bx = y + n, *by = bx + n;
            for (int32_t k = 0; k < n; ++k) {
                bool is_free = net.free[k / 3] > 0.0;
                x[k] = is_free ? hed_random_uniform(6, 1, (uint64_t)k) - 0.5 : 0.0;
                y[k] = is_free ? hed_random_uniform(6, 2, (uint64_t)k) - 0.3 : 0.0;
            }
            hed_preconditioner_apply(p, x, bx);
            hed_preconditioner_apply(p, y, by);
            double value[4] = {0};
            for (int32_t k = 0; k < n; ++k) {
                value[0] += y[k] * bx[k];
                value[1] += x[k] * by[k];
                value[2] += x[k] * bx[k];
                value[3] += y[k] * by[k];
                cr_assert(net.free[k / 3] > 0.0 || bx[k] == 0.0);
            }
            // Rounding of sums of 7000 numbers.
            cr_expect(fabs(value[0] - value[1]) < 1e-10 * sqrt(value[2] * value[3]), "%s",
                      hed_preconditioner_name((HedPreconditionerKind)kind));
            cr_expect(value[2] > 0.0 && value[3] > 0.0);
            if (threads == 1) {
                memcpy(first, value, sizeof value);
            }
            cr_expect(memcmp(first, value, sizeof value) == 0, "%d threads", threads);
            hed_preconditioner_destroy(p);
            free_net(&net);
        }
    }
}

Test(preconditioner, an_indefinite_matrix_is_refused) {
    for (int kind = 0; kind < HED_PRECONDITION_AUTO; ++kind) {
        if (!is_there((HedPreconditionerKind)kind)) {
            continue;
        }
        Net net = make_net(32, 1);
        net.matrix.diagonal[77] = hed_mat3_diagonal(1.0, -1.0, 1.0);
        HedPreconditioner* p = NULL;
        cr_assert_eq(
            hed_preconditioner_create((HedPreconditionerKind)kind, input_of(&net), &p, NULL),
            HED_OK);
        cr_expect_not(hed_preconditioner_update(p, &net.matrix, net.free), "%d", kind);
        hed_preconditioner_destroy(p);
        free_net(&net);
    }
}

Test(preconditioner, every_allocation_may_fail) {
    for (int kind = 0; kind < HED_PRECONDITION_AUTO; ++kind) {
        if (!is_there((HedPreconditionerKind)kind)) {
            continue;
        }
        Net net = make_net(kind == HED_PRECONDITION_TWO_LEVEL ? 48 : 32, 1); // three levels
        int64_t live = hed_alloc_stats().live_count;
        HedStatus status = HED_NO_MEMORY;
        for (int n = 1; status != HED_OK; ++n) {
            HedPreconditioner* p = NULL;
            hed_alloc_fail_at(n);
            status =
                hed_preconditioner_create((HedPreconditionerKind)kind, input_of(&net), &p, NULL);
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || (status == HED_NO_MEMORY && !p));
            hed_preconditioner_destroy(p);
            cr_assert_eq(hed_alloc_stats().live_count, live);
        }
        free_net(&net);
    }
}

// A band with a dependent row and an empty one: both get zero, the rest is solved.
Test(preconditioner, skyline) {
    enum { N = 40, BAND = 7 };
    int32_t low[N];
    for (int32_t i = 0; i < N; ++i) {
        low[i] = i > BAND ? i - BAND : 0;
    }
    HedSkyline matrix;
    cr_assert_eq(hed_skyline_create(&matrix, N, low, NULL), HED_OK);
    double full[N][N] = {{0}};
    for (int32_t i = 0; i < N; ++i) {
        for (int32_t j = low[i]; j <= i && i != 11; ++j) {
            double value = j == 11 ? 0.0 : hed_random_uniform(8, (uint64_t)i, (uint64_t)j) - 0.5;
            full[i][j] = full[j][i] = i == j ? 6.0 : value;
            *hed_skyline_at(&matrix, i, j) = full[i][j];
        }
    }
    double expected[N], x[N];
    for (int32_t i = 0; i < N; ++i) {
        expected[i] = i == 11 ? 0.0 : 1.0 + 0.1 * i;
    }
    for (int32_t i = 0; i < N; ++i) {
        x[i] = 0.0;
        for (int32_t j = 0; j < N; ++j) {
            x[i] += full[i][j] * expected[j];
        }
    }
    cr_assert(hed_skyline_factor(&matrix));
    hed_skyline_solve(&matrix, x);
    for (int32_t i = 0; i < N; ++i) {
        // Rows of 15 numbers, rounded by 5e-16 each, and a diagonal that outweighs the rest,
        // so that a solve adds little.
        cr_expect(fabs(x[i] - expected[i]) < 1e-14, "%d: %g", i, x[i] - expected[i]);
    }
    hed_skyline_clear(&matrix);
    *hed_skyline_at(&matrix, 3, 3) = -1.0;
    cr_expect_not(hed_skyline_factor(&matrix));
    hed_skyline_free(&matrix);
}
