// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "math/mat3.h"
#include "solve/matrix.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static HedMat3 draw_block(uint64_t stream, uint64_t k) {
    HedMat3 m;
    for (uint64_t e = 0; e < 9; ++e) {
        m.m[e / 3][e % 3] = hed_random_uniform(11, stream, 9 * k + e) - 0.5;
    }
    return m;
}

static HedMat3 draw_symmetric(uint64_t stream, uint64_t k) {
    HedMat3 m = draw_block(stream, k);
    return hed_mat3_scale(0.5, hed_mat3_add(m, hed_mat3_transpose(m)));
}

static int32_t pick(uint64_t stream, uint64_t k, int32_t n) {
    return (int32_t)(hed_random_uniform(12, stream, k) * n);
}

// Adds a block as every range would do it.
static void add_everywhere(HedMatrix* matrix, int32_t i, int32_t j, const HedMat3* h) {
    for (int32_t r = 0; r < matrix->ranges.count; ++r) {
        hed_matrix_add(matrix, r, i, j, h);
    }
}

enum { ROWS = 40, PAIRS = 150 };

// Three ranges of unequal size; pairs repeat, run both ways, and include (i, i).
static const int32_t FIRST[4] = {0, 13, 14, ROWS};

typedef struct Example {
    HedMatrix matrix;
    double dense[3 * ROWS][3 * ROWS];
    int32_t pairs[2 * PAIRS];
} Example;

static void make_example(Example* e) {
    memset(e, 0, sizeof *e);
    for (int32_t k = 0; k < 2 * PAIRS; ++k) {
        e->pairs[k] = pick(1, (uint64_t)k, ROWS);
    }
    HedRanges ranges = {3, FIRST};
    HedError error = {0};
    HedStatus status = hed_matrix_create(&e->matrix, ROWS, ranges, e->pairs, PAIRS, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    for (int32_t i = 0; i < ROWS; ++i) {
        HedMat3 block = draw_symmetric(2, (uint64_t)i);
        e->matrix.diagonal[i] = hed_mat3_add(e->matrix.diagonal[i], block);
        for (int a = 0; a < 9; ++a) {
            e->dense[3 * i + a / 3][3 * i + a % 3] += block.m[a / 3][a % 3];
        }
    }
    for (int32_t k = 0; k < PAIRS; ++k) {
        int32_t i = e->pairs[2 * k];
        int32_t j = e->pairs[2 * k + 1];
        if (i == j) {
            continue;
        }
        HedMat3 block = draw_block(3, (uint64_t)k);
        add_everywhere(&e->matrix, i, j, &block);
        for (int a = 0; a < 9; ++a) {
            e->dense[3 * i + a / 3][3 * j + a % 3] += block.m[a / 3][a % 3];
            e->dense[3 * j + a % 3][3 * i + a / 3] += block.m[a / 3][a % 3];
        }
    }
}

Test(matrix, product_against_dense) {
    static Example e;
    make_example(&e);
    HedTeam team = {.threads = 1};
    double x[3 * ROWS];
    double y[3 * ROWS];
    for (int32_t k = 0; k < 3 * ROWS; ++k) {
        x[k] = hed_random_uniform(13, 1, (uint64_t)k) - 0.5;
        y[k] = NAN; // every entry is written
    }
    hed_matrix_multiply(&e.matrix, &team, (const HedVec3*)(const void*)x, (HedVec3*)(void*)y);
    for (int32_t i = 0; i < 3 * ROWS; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < 3 * ROWS; ++j) {
            sum += e.dense[i][j] * x[j];
        }
        // 3 ROWS products of entries and numbers of the size of 1, rounded by 1e-16 twice.
        cr_assert(fabs(sum - y[i]) < 1e-15 * 3 * ROWS, "row %d: %g, dense %g", i, y[i], sum);
    }
    hed_matrix_free(&e.matrix);
}

Test(matrix, slots) {
    static Example e;
    make_example(&e);
    const HedMatrix* m = &e.matrix;
    for (int32_t i = 0; i < ROWS; ++i) {
        for (int32_t k = m->row_first[i]; k < m->row_first[i + 1]; ++k) {
            cr_expect(k == m->row_first[i] || m->column[k] > m->column[k - 1], "columns rise");
        }
    }
    for (int32_t i = 0; i < ROWS; ++i) {
        for (int32_t j = 0; j < ROWS; ++j) {
            bool is_pair = false;
            for (int32_t k = 0; k < PAIRS; ++k) {
                int32_t a = e.pairs[2 * k];
                int32_t b = e.pairs[2 * k + 1];
                is_pair = is_pair || (a == i && b == j) || (a == j && b == i);
            }
            bool same_range = m->range_of[i] == m->range_of[j];
            bool stored = is_pair && i != j && (!same_range || i < j);
            int32_t slot = hed_matrix_slot(m, i, j);
            cr_assert_eq(slot >= 0, stored, "row %d, column %d", i, j);
            cr_assert(slot < 0 || m->column[slot] == j);
        }
    }
    hed_matrix_free(&e.matrix);
}

static bool is_zero(const HedMat3* m) {
    const HedMat3 zero = {0};
    return memcmp(m, &zero, sizeof zero) == 0;
}

Test(matrix, clearing_one_range_leaves_the_others) {
    static Example e;
    make_example(&e);
    HedMatrix* m = &e.matrix;
    HedMat3 kept = m->diagonal[0];
    hed_matrix_clear_range(m, 2);
    for (int32_t i = FIRST[2]; i < ROWS; ++i) {
        cr_expect(is_zero(&m->diagonal[i]));
        for (int32_t k = m->row_first[i]; k < m->row_first[i + 1]; ++k) {
            cr_expect(is_zero(&m->block[k]));
        }
    }
    cr_expect_eq(memcmp(&kept, &m->diagonal[0], sizeof kept), 0);
    hed_matrix_free(m);
}

// Rows coupled to neighbours near and far, so that ranges depend on each other.
Test(matrix, same_bits_for_any_thread_count) {
    enum { MANY = 20000, COUPLINGS = 6 * MANY };
    int32_t ranges_first[MANY / HED_RANGE + 2];
    int32_t count = 0;
    for (int32_t i = 0; i < MANY; i += HED_RANGE) {
        ranges_first[count++] = i;
    }
    ranges_first[count] = MANY;
    int32_t* pairs = HED_NEW_ARRAY(int32_t, 2 * COUPLINGS);
    HedVec3* x = HED_NEW_ARRAY(HedVec3, MANY);
    HedVec3* first = HED_NEW_ARRAY(HedVec3, MANY);
    HedVec3* y = HED_NEW_ARRAY(HedVec3, MANY);
    for (int32_t k = 0; k < COUPLINGS; ++k) {
        pairs[2 * k] = k % MANY;
        int32_t far = k / MANY < 4 ? 1 + k / MANY : pick(5, (uint64_t)k, MANY);
        pairs[2 * k + 1] = (k % MANY + far) % MANY;
    }
    HedMatrix matrix;
    cr_assert_eq(
        hed_matrix_create(&matrix, MANY, (HedRanges){count, ranges_first}, pairs, COUPLINGS, NULL),
        HED_OK);
    for (int32_t i = 0; i < MANY; ++i) {
        matrix.diagonal[i] = draw_symmetric(6, (uint64_t)i);
        x[i] = hed_vec3(exp(8.0 * hed_random_normal(14, 1, (uint64_t)i)), (double)i, -1.0);
    }
    for (int32_t k = 0; k < matrix.row_first[MANY]; ++k) {
        matrix.block[k] = draw_block(7, (uint64_t)k);
    }
    const int32_t threads[4] = {1, 2, 3, 8};
    for (int t = 0; t < 4; ++t) {
        HedTeam team = {.threads = threads[t]};
        hed_matrix_multiply(&matrix, &team, x, t == 0 ? first : y);
        cr_assert(t == 0 || memcmp(first, y, sizeof(HedVec3) * MANY) == 0, "%d threads",
                  threads[t]);
    }
    hed_matrix_free(&matrix);
    hed_free(pairs);
    hed_free(x);
    hed_free(first);
    hed_free(y);
}

Test(matrix, every_allocation_may_fail) {
    HedRanges ranges = {3, FIRST};
    int32_t pairs[4] = {0, 1, 5, 20};
    HedAllocStats before = hed_alloc_stats();
    int n = 1;
    for (HedStatus status = HED_NO_MEMORY; status != HED_OK; ++n) {
        HedMatrix matrix;
        hed_alloc_fail_at(n);
        status = hed_matrix_create(&matrix, ROWS, ranges, pairs, 2, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        hed_matrix_free(&matrix);
        cr_assert_eq(hed_alloc_stats().live_count, before.live_count, "leak at allocation %d", n);
        cr_assert(n < 50);
    }
    cr_expect(n > 5, "several allocations were made to fail");
    HedMatrix none;
    cr_expect_eq(hed_matrix_create(&none, ROWS, ranges, pairs, INT32_MAX, NULL), HED_UNSUPPORTED);
}

// Rows and columns of held points give a unit matrix; what is left is the matrix among free points.
Test(matrix, held_rows_leave) {
    enum { N = 40 };
    const int32_t first[5] = {0, 10, 20, 30, N};
    HedRanges ranges = {4, first};
    int32_t pairs[2 * N * 3];
    int32_t count = 0;
    for (int32_t i = 0; i < N; ++i) {
        for (int32_t d = 1; d <= 11; d += 5) {
            pairs[2 * count] = i;
            pairs[2 * count++ + 1] = (i + d) % N;
        }
    }
    HedMatrix matrix;
    cr_assert_eq(hed_matrix_create(&matrix, N, ranges, pairs, count, NULL), HED_OK);
    for (int32_t k = 0; k < count; ++k) {
        HedMat3 h = hed_mat3_diagonal(1.0 + k, 2.0, 3.0);
        h.m[0][2] = 0.25 * k;
        for (int32_t r = 0; r < ranges.count; ++r) {
            hed_matrix_add(&matrix, r, pairs[2 * k], pairs[2 * k + 1], &h);
        }
    }
    double partial[1], free[N];
    HedTeam team = {1, partial, 1};
    HedVec3 x[N], cleared[N], expected[N], y[N];
    for (int32_t i = 0; i < N; ++i) {
        matrix.diagonal[i] = hed_mat3_diagonal(5.0, 6.0, 7.0 + i);
        free[i] = i % 7 == 3 ? 0.0 : 2.0;
        x[i] = hed_vec3(sin(i), cos(2.0 * i), 0.1 * i);
        cleared[i] = free[i] > 0.0 ? x[i] : (HedVec3){0};
    }
    hed_matrix_multiply(&matrix, &team, cleared, expected);
    for (int32_t r = 0; r < ranges.count; ++r) {
        hed_matrix_hold_range(&matrix, r, free);
    }
    hed_matrix_multiply(&matrix, &team, x, y);
    for (int32_t i = 0; i < N; ++i) {
        HedVec3 wanted = free[i] > 0.0 ? expected[i] : x[i];
        // The same products in the same order, apart from zeros.
        cr_expect(hed_distance3(y[i], wanted) < 1e-13, "row %d", i);
    }
    hed_matrix_free(&matrix);
}
