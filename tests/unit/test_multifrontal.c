// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/random.h"
#include "solve/multifrontal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 6, NN = 36 };

// A lattice of blocks in which each is coupled to the eight around it.
typedef struct Lattice {
    int32_t wide, high;
    int32_t* first;
    int32_t* column;
    double* block;
    double* diagonal;
    HedVec3* centre;
    HedBlockRows rows;
} Lattice;

static Lattice make_lattice(int32_t wide, int32_t high) {
    int32_t count = wide * high;
    Lattice l = {.wide = wide,
                 .high = high,
                 .first = HED_NEW_ARRAY(int32_t, count + 1),
                 .column = HED_NEW_ARRAY(int32_t, count * 8),
                 .block = HED_NEW_ARRAY(double, (int64_t)count * 8 * NN),
                 .diagonal = HED_NEW_ARRAY(double, (int64_t)count* NN),
                 .centre = HED_NEW_ARRAY(HedVec3, count)};
    cr_assert(l.first && l.column && l.block && l.diagonal && l.centre);
    for (int32_t p = 0; p < count; ++p) {
        int32_t x = p % wide, y = p / wide;
        l.centre[p] = (HedVec3){x, y, 0.1 * (p % 3)};
        l.first[p + 1] = l.first[p];
        for (int32_t k = 0; k < 9; ++k) {
            int32_t i = x + k % 3 - 1, j = y + k / 3 - 1;
            if (k != 4 && i >= 0 && i < wide && j >= 0 && j < high) {
                l.column[l.first[p + 1]++] = j * wide + i;
            }
        }
    }
    l.rows = (HedBlockRows){count, l.first, l.column, l.block, l.diagonal};
    return l;
}

static void free_lattice(Lattice* l) {
    hed_free(l->first);
    hed_free(l->column);
    hed_free(l->block);
    hed_free(l->diagonal);
    hed_free(l->centre);
}

// What block p makes of its six unknowns, for the pair e: a random matrix. Unknown 5 of every
// seventh block does the same as its unknown 1, and the unknowns of block 3 do nothing.
static double part(int32_t p, uint64_t pair, int row, int column, bool has_gaps) {
    column = has_gaps && p % 7 == 0 && column == 5 ? 1 : column;
    double value = hed_random_uniform(pair, (uint64_t)p, (uint64_t)(N * column + row)) - 0.5;
    return has_gaps && p == 3 ? 0.0 : value;
}

// Sums of G' G, G = [part(p) part(q)] for every pair, and of each block alone the same, or one.
static void fill(Lattice* l, bool has_gaps) {
    int32_t count = l->rows.count;
    memset(l->diagonal, 0, sizeof(double) * NN * (size_t)count);
    for (int32_t p = 0; p < count; ++p) {
        for (int32_t e = l->first[p] - 1; e < l->first[p + 1]; ++e) {
            bool own = e < l->first[p];
            int32_t q = own ? p : l->column[e];
            uint64_t pair = own ? 1 : 2 + (uint64_t)(p < q ? p * count + q : q * count + p);
            for (int k = 0; k < NN; ++k) { // row k % N, column k / N
                double with = 0.0, self = 0.0;
                for (int r = 0; r < N; ++r) {
                    double a = part(p, pair, r, k % N, has_gaps);
                    with += a * part(q, pair, r, k / N, has_gaps);
                    self += a * part(p, pair, r, k / N, has_gaps);
                }
                double one = k % 7 == 0 ? 1.0 : 0.0;
                l->diagonal[(int64_t)NN * p + k] += own && !has_gaps ? one : self;
                if (!own) {
                    l->block[(int64_t)NN * e + k] = with;
                }
            }
        }
    }
}

static void multiply(const Lattice* l, const double* x, double* y) {
    for (int32_t p = 0; p < l->rows.count; ++p) {
        for (int r = 0; r < N; ++r) {
            double sum = 0.0;
            for (int c = 0; c < N; ++c) {
                sum += l->diagonal[(int64_t)NN * p + N * c + r] * x[N * p + c];
                for (int32_t e = l->first[p]; e < l->first[p + 1]; ++e) {
                    sum += l->block[(int64_t)NN * e + N * c + r] * x[N * l->column[e] + c];
                }
            }
            y[N * p + r] = sum;
        }
    }
}

static double dot(const double* a, const double* b, int32_t n) {
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

// The error of A x = b for a known x, in the norm of A, relative.
static double error_of(Lattice* l, int32_t threads, double* solution) {
    int32_t n = N * l->rows.count;
    HedMultifrontal multifrontal;
    HedTeam team = {.threads = threads};
    cr_assert_eq(hed_multifrontal_create(&multifrontal, &l->rows, l->centre, threads), HED_OK);
    cr_assert(hed_multifrontal_factor(&multifrontal, &l->rows, &team));
    double* x = HED_NEW_ARRAY(double, n);
    double* b = HED_NEW_ARRAY(double, n);
    double* ae = HED_NEW_ARRAY(double, n);
    cr_assert(x && b && ae);
    for (int32_t k = 0; k < n; ++k) {
        x[k] = hed_random_uniform(9, 9, (uint64_t)k) - 0.5;
    }
    multiply(l, x, b);
    double whole = dot(x, b, n);
#pragma omp parallel num_threads(threads)
    hed_multifrontal_solve(&multifrontal, b, solution, hed_thread_team());
    for (int32_t k = 0; k < n; ++k) {
        x[k] -= solution[k];
    }
    multiply(l, x, ae);
    double off = dot(x, ae, n);
    hed_free(x);
    hed_free(b);
    hed_free(ae);
    hed_multifrontal_free(&multifrontal);
    return sqrt(fabs(off) / whole);
}

// Factors are rounded to floats, 6e-8, and the matrix has a condition of some hundred.
static const double EXACT = 1e-5;

Test(multifrontal, solve_exactly) {
    const int32_t sizes[][2] = {{1, 1}, {3, 2}, {5, 5}, {40, 3}, {23, 29}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        Lattice l = make_lattice(sizes[k][0], sizes[k][1]);
        double* x = HED_NEW_ARRAY(double, N* l.rows.count);
        cr_assert(x);
        fill(&l, false);
        double error = error_of(&l, 1, x);
        cr_expect(error < EXACT, "%d x %d: %g", sizes[k][0], sizes[k][1], error);
        hed_free(x);
        free_lattice(&l);
    }
}

// The solution of the dependent unknowns is not unique, but what they do together is.
Test(multifrontal, leave_out_what_depends) {
    Lattice l = make_lattice(14, 11);
    double* x = HED_NEW_ARRAY(double, N* l.rows.count);
    cr_assert(x);
    fill(&l, true);
    double error = error_of(&l, 1, x);
    cr_expect(error < EXACT, "%g", error);
    for (int k = 0; k < N; ++k) {
        cr_expect_eq(x[N * 3 + k], 0.0, "an unknown without entries");
    }
    hed_free(x);
    free_lattice(&l);
}

Test(multifrontal, same_bits_with_any_threads) {
    Lattice l = make_lattice(31, 22);
    int32_t n = N * l.rows.count;
    double* x = HED_NEW_ARRAY(double, 2 * n);
    cr_assert(x);
    fill(&l, false);
    error_of(&l, 1, x);
    for (int32_t threads = 2; threads <= 5; ++threads) {
        error_of(&l, threads, x + n);
        cr_expect_eq(memcmp(x, x + n, sizeof(double) * (size_t)n), 0, "%d threads", threads);
    }
    hed_free(x);
    free_lattice(&l);
}

Test(multifrontal, tell_what_is_not_positive) {
    Lattice l = make_lattice(9, 8);
    HedMultifrontal multifrontal;
    HedTeam team = {.threads = 1};
    cr_assert_eq(hed_multifrontal_create(&multifrontal, &l.rows, l.centre, 1), HED_OK);
    fill(&l, false);
    cr_expect(hed_multifrontal_factor(&multifrontal, &l.rows, &team));
    for (int c = 0; c < N; ++c) {
        l.diagonal[NN * 20 + 7 * c] -= 20.0;
    }
    cr_expect_not(hed_multifrontal_factor(&multifrontal, &l.rows, &team));
    hed_multifrontal_free(&multifrontal);
    free_lattice(&l);
}
