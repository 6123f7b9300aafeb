// SPDX-License-Identifier: MIT
// The preconditioner along lines against dense elimination of the same equations.
#include "base/alloc.h"
#include "base/random.h"
#include "math/mat3.h"
#include "solve/preconditioner.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Three lines and four rows outside of them. With the extra unknown of each row the equations have
// four unknowns a row.
enum {
    OPEN = 9,
    RING = 11,
    TINY = 3,
    LOOSE = 4,
    ROWS = OPEN + RING + TINY + LOOSE,
    ALL = 4 * ROWS
};

static const HedRowLine LINES[3] = {
    {.first = 0, .count = OPEN, .width = 2, .has_extra = true},
    {.first = OPEN, .count = RING, .width = 2, .is_closed = true, .has_extra = true},
    {.first = OPEN + RING, .count = TINY, .width = 2, .is_closed = true, .has_extra = true},
};

typedef struct Rig {
    double dense[ALL][ALL]; // unknown 4 r + c: c < 3 of the point, 3 the extra one
    HedMatrix matrix;
    HedLineExtra extra[ROWS];
    HedLineSet set;
    HedVec3 x[ROWS];
    double free[ROWS];
    HedTeam team;
    int32_t first[2];
} Rig;

static double draw(uint64_t* state) {
    return hed_random_uniform(3, 1, (*state)++) - 0.5;
}

static int32_t row_of(const HedRowLine* line, int32_t k) {
    if (line->is_closed) {
        return line->first + (k + line->count) % line->count;
    }
    return k >= 0 && k < line->count ? line->first + k : -1;
}

// Adds g g' for random vectors g over the unknowns `at`; -1 is left out.
static void add_random(Rig* rig, const int32_t* at, int count, uint64_t* state) {
    double g[16];
    for (int i = 0; i < count; ++i) {
        g[i] = at[i] >= 0 ? draw(state) : 0.0;
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count && at[i] >= 0; ++j) {
            if (at[j] >= 0) {
                rig->dense[at[i]][at[j]] += g[i] * g[j];
            }
        }
    }
}

// Positive elements as a rod has them: points k - 1 .. k + 1 with each other, and the extra unknown
// of row k with points k - 1 .. k + 2 and with the next one.
static void fill_dense(Rig* rig) {
    uint64_t state = 1;
    for (int32_t i = 0; i < ALL; ++i) {
        rig->dense[i][i] = i % 4 == 3 && i / 4 >= ROWS - LOOSE ? 0.0 : 0.02;
    }
    for (int l = 0; l < 3; ++l) {
        for (int32_t k = 0; k < LINES[l].count; ++k) {
            for (int round = 0; round < 3; ++round) {
                int32_t points[9], pair[2];
                for (int n = 0; n < 9; ++n) {
                    int32_t row = row_of(&LINES[l], k - 1 + n / 3);
                    points[n] = row < 0 ? -1 : 4 * row + n % 3;
                }
                add_random(rig, points, 9, &state);
                int32_t next = row_of(&LINES[l], k + 1);
                pair[0] = 4 * row_of(&LINES[l], k) + 3;
                pair[1] = next < 0 ? -1 : 4 * next + 3;
                add_random(rig, pair, 2, &state);
                for (int32_t c = -1; c <= 2; ++c) {
                    int32_t row = row_of(&LINES[l], k + c);
                    int32_t mixed[4] = {pair[0], row < 0 ? -1 : 4 * row, row < 0 ? -1 : 4 * row + 1,
                                        row < 0 ? -1 : 4 * row + 2};
                    add_random(rig, mixed, 4, &state);
                }
            }
        }
    }
}

static HedMat3 block_of(const Rig* rig, int32_t i, int32_t j) {
    HedMat3 block;
    for (int n = 0; n < 9; ++n) {
        block.m[n / 3][n % 3] = rig->dense[4 * i + n / 3][4 * j + n % 3];
    }
    return block;
}

static void fill_matrix(Rig* rig) {
    int32_t pairs[4 * ROWS];
    int64_t count = 0;
    for (int l = 0; l < 3; ++l) {
        for (int32_t k = 0; k < LINES[l].count; ++k) {
            for (int32_t n = 1; n <= 2; ++n) {
                int32_t other = row_of(&LINES[l], k + n);
                if (other >= 0) {
                    pairs[2 * count] = LINES[l].first + k;
                    pairs[2 * count + 1] = other;
                    ++count;
                }
            }
        }
    }
    rig->first[1] = ROWS;
    HedRanges ranges = {1, rig->first};
    cr_assert_eq(hed_matrix_create(&rig->matrix, ROWS, ranges, pairs, count, NULL), HED_OK);
    for (int32_t i = 0; i < ROWS; ++i) {
        rig->matrix.diagonal[i] = block_of(rig, i, i);
        for (int32_t e = rig->matrix.row_first[i]; e < rig->matrix.row_first[i + 1]; ++e) {
            rig->matrix.block[e] = block_of(rig, i, rig->matrix.column[e]);
        }
    }
}

// Each coupling of an extra unknown once, also where the way round a small ring meets itself.
static void fill_extra(Rig* rig) {
    for (int l = 0; l < 3; ++l) {
        for (int32_t k = 0; k < LINES[l].count; ++k) {
            int32_t own = row_of(&LINES[l], k), next = row_of(&LINES[l], k + 1);
            HedLineExtra* extra = &rig->extra[own];
            extra->diagonal = rig->dense[4 * own + 3][4 * own + 3];
            extra->next = next < 0 ? 0.0 : rig->dense[4 * own + 3][4 * next + 3];
            for (int32_t c = -1; c <= 2; ++c) {
                int32_t row = row_of(&LINES[l], k + c);
                bool is_again = LINES[l].is_closed && LINES[l].count == 3 && c == 2;
                if (row >= 0 && !is_again) {
                    const double* from = &rig->dense[4 * own + 3][4 * row];
                    extra->cross[c + 1] = (HedVec3){from[0], from[1], from[2]};
                }
            }
        }
    }
}

static Rig* make_rig(int32_t threads) {
    Rig* rig = HED_NEW(Rig);
    cr_assert_not_null(rig);
    rig->team.threads = threads;
    fill_dense(rig);
    fill_matrix(rig);
    fill_extra(rig);
    rig->set = (HedLineSet){LINES, 3, rig->extra};
    for (int32_t i = 0; i < ROWS; ++i) {
        rig->free[i] = 1.0;
        rig->x[i].x = i;
    }
    return rig;
}

static void free_rig(Rig* rig) {
    hed_matrix_free(&rig->matrix);
    hed_free(rig);
}

static HedPreconditionerInput input_of(const Rig* rig) {
    return (HedPreconditionerInput){&rig->matrix, rig->x, &rig->team, &rig->set};
}

static HedPreconditioner* make(const Rig* rig) {
    HedPreconditioner* p = NULL;
    cr_assert_eq(hed_preconditioner_create(HED_PRECONDITION_LINES, input_of(rig), &p, NULL),
                 HED_OK);
    return p;
}

// Gauss without pivots: the matrix is positive. Unknowns without entries get zero.
static void solve_dense(const Rig* rig, double* b) {
    static double a[ALL][ALL];
    memcpy(a, rig->dense, sizeof a);
    for (int32_t i = 0; i < ALL; ++i) {
        for (int32_t j = 0; j < ALL && rig->free[i / 4] == 0.0 && i % 4 < 3; ++j) {
            a[i][j] = a[j][i] = i == j ? 1.0 : 0.0;
        }
    }
    for (int32_t k = 0; k < ALL; ++k) {
        for (int32_t i = k + 1; i < ALL && a[k][k] > 1e-12; ++i) {
            double part = a[i][k] / a[k][k];
            for (int32_t j = k; j < ALL && part != 0.0; ++j) {
                a[i][j] -= part * a[k][j];
            }
            b[i] -= part * b[k];
        }
    }
    for (int32_t k = ALL - 1; k >= 0; --k) {
        for (int32_t j = k + 1; j < ALL; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] = a[k][k] > 1e-12 ? b[k] / a[k][k] : 0.0;
    }
}

static void expect_solved(const Rig* rig, const HedPreconditioner* p) {
    double b[ALL] = {0}, from[3 * ROWS], to[3 * ROWS];
    uint64_t state = 99;
    for (int32_t i = 0; i < 3 * ROWS; ++i) {
        from[i] = rig->free[i / 3] > 0.0 ? draw(&state) : 0.0;
        b[4 * (i / 3) + i % 3] = from[i];
    }
    solve_dense(rig, b);
    hed_preconditioner_apply(p, from, to);
    for (int32_t i = 0; i < 3 * ROWS; ++i) {
        double exact = b[4 * (i / 3) + i % 3];
        // The condition is about 1e3; loose rows have their own blocks alone.
        cr_assert_float_eq(to[i], exact, 1e-10 * (1.0 + fabs(exact)), "row %d: %g, not %g", i / 3,
                           to[i], exact);
    }
}

Test(row_lines, are_solved_exactly) {
    Rig* rig = make_rig(1);
    HedPreconditioner* p = make(rig);
    cr_assert(hed_preconditioner_update(p, &rig->matrix, rig->free));
    expect_solved(rig, p);
    rig->free[0] = rig->free[4] = rig->free[OPEN + 1] = 0.0;
    cr_assert(hed_preconditioner_update(p, &rig->matrix, rig->free));
    expect_solved(rig, p);
    hed_preconditioner_destroy(p);
    free_rig(rig);
}

// The extras of a ring that can all change together: their equations are singular.
Test(row_lines, a_dependent_extra_is_left_out) {
    Rig* rig = make_rig(1);
    for (int32_t k = 0; k < RING; ++k) {
        int32_t own = 4 * (OPEN + k) + 3;
        memset(rig->dense[own], 0, sizeof rig->dense[own]);
        for (int32_t i = 0; i < ALL; ++i) {
            rig->dense[i][own] = 0.0;
        }
        rig->extra[OPEN + k] = (HedLineExtra){.diagonal = 2.0, .next = -1.0};
    }
    HedPreconditioner* p = make(rig);
    cr_assert(hed_preconditioner_update(p, &rig->matrix, rig->free));
    expect_solved(rig, p);
    hed_preconditioner_destroy(p);
    free_rig(rig);
}

Test(row_lines, what_is_not_positive_is_refused) {
    Rig* rig = make_rig(1);
    HedPreconditioner* p = make(rig);
    double kept = rig->extra[3].diagonal;
    rig->extra[3].diagonal = -1.0;
    cr_expect_not(hed_preconditioner_update(p, &rig->matrix, rig->free));
    rig->extra[3].diagonal = kept;
    cr_expect(hed_preconditioner_update(p, &rig->matrix, rig->free));
    rig->matrix.diagonal[OPEN + 5].m[1][1] = -1.0;
    cr_expect_not(hed_preconditioner_update(p, &rig->matrix, rig->free));
    rig->matrix.diagonal[OPEN + 5].m[1][1] = (double)NAN;
    cr_expect_not(hed_preconditioner_update(p, &rig->matrix, rig->free));
    hed_preconditioner_destroy(p);
    free_rig(rig);
}

Test(row_lines, are_chosen_where_there_are_any) {
    Rig* rig = make_rig(2);
    HedPreconditioner* p = NULL;
    cr_assert_eq(hed_preconditioner_create(HED_PRECONDITION_AUTO, input_of(rig), &p, NULL), HED_OK);
    cr_assert(hed_preconditioner_update(p, &rig->matrix, rig->free));
    expect_solved(rig, p);
    hed_preconditioner_destroy(p);
    cr_expect_str_eq(hed_preconditioner_name(HED_PRECONDITION_LINES), "lines");
    free_rig(rig);
}

Test(row_lines, every_allocation_may_fail) {
    Rig* rig = make_rig(1);
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    for (int n = 1; status != HED_OK; ++n) {
        HedPreconditioner* p = NULL;
        hed_alloc_fail_at(n);
        status = hed_preconditioner_create(HED_PRECONDITION_LINES, input_of(rig), &p, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || (status == HED_NO_MEMORY && !p));
        hed_preconditioner_destroy(p);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    free_rig(rig);
}
