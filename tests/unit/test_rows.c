// SPDX-License-Identifier: MIT
// Products of a net's matrix as rows make them, against sums over its bands and pairs, block by
// block: nets of several ranges, woven, knitted, and with yarns that have left crossings.
#include "base/alloc.h"
#include "base/random.h"
#include "eol/eol.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {2, PARTIAL, 4096};

static HedEol* make(const HedNet* net) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedSlidingDef def = hed_sliding_def_default();
    HedEolSettings set = {.preconditioner = HED_PRECONDITION_AUTO};
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_OK, "%s", error.message);
    return eol;
}

static double draw(int kind, int64_t k) {
    return hed_random_uniform(3, (uint64_t)kind, (uint64_t)k) + 0.5;
}

// Every number of the matrix at random, none of them zero. What stands in two lines is the same.
static void fill(const HedEol* eol, HedEolMatrix* m) {
    const HedYarnPacks* bands = &eol->model.bands;
    double* blocks[] = {m->near, m->far, m->third};
    for (int k = 0; k < 3; ++k) {
        int size = k < 2 ? 16 : 9;
        for (int32_t place = 0; blocks[k] && place < bands->step_count * HED_YARN_PACK; ++place) {
            double* b = blocks[k] + (int64_t)(place / HED_YARN_PACK) * size * HED_YARN_PACK +
                        place % HED_YARN_PACK;
            for (int e = 0; e < size; ++e) {
                b[e * HED_YARN_PACK] = draw(k, (int64_t)size * bands->visit[place] + e);
            }
        }
    }
    for (int64_t k = 0; k < (int64_t)HED_NODE_DIAGONAL * eol->node_count; ++k) {
        m->diagonal[k] = draw(3, k);
    }
    for (int64_t k = 0; k < 9 * (int64_t)m->pairs.count; ++k) {
        m->pairs.block[k / 9][k % 9] = draw(4, k);
    }
}

// What two places of one line have between them, for both if both are own. Blocks that lines share
// stand in both: only own rows count.
typedef struct Between {
    const double* block;
    int n;
    int32_t place, to;
} Between;

static void add_block(const HedYarnPacks* bands, Between between, const double* x, double* y) {
    int n = between.n;
    int32_t place = between.place, to = between.to;
    const double* block = between.block;
    const double* b =
        block + (int64_t)(place / HED_YARN_PACK) * n * n * HED_YARN_PACK + place % HED_YARN_PACK;
    if (bands->visit[place] < 0 || bands->visit[to] < 0) {
        return;
    }
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            int64_t row =
                (int64_t)HED_NODE_SIZE * bands->node[place] + (r < 3 ? r : 3 + bands->slot[place]);
            int64_t column =
                (int64_t)HED_NODE_SIZE * bands->node[to] + (c < 3 ? c : 3 + bands->slot[to]);
            double value = b[(r * n + c) * HED_YARN_PACK];
            y[row] += bands->kind[place] & HED_PLACE_OWN ? value * x[column] : 0.0;
            y[column] += bands->kind[to] & HED_PLACE_OWN ? value * x[row] : 0.0;
        }
    }
}

static void multiply(const HedEol* eol, const double* x, double* y) {
    const HedEolMatrix* m = &eol->matrix;
    const HedYarnPacks* bands = m->bands;
    memset(y, 0, sizeof *y * HED_NODE_SIZE * (size_t)eol->node_count);
    for (int32_t b = 0; b < bands->count; ++b) {
        int32_t end = bands->first[b + 1] * HED_YARN_PACK;
        for (int32_t p = bands->first[b] * HED_YARN_PACK; p < end; ++p) {
            const double* blocks[] = {m->near, m->far, m->third};
            for (int k = 0; k < 3; ++k) {
                int32_t to = p + (k + 1) * HED_YARN_PACK;
                if (blocks[k] && to < end) {
                    add_block(bands, (Between){blocks[k], k < 2 ? 4 : 3, p, to}, x, y);
                }
            }
        }
    }
    for (int32_t k = 0; k < m->pairs.count; ++k) {
        int64_t a = (int64_t)HED_NODE_SIZE * m->pairs.nodes[k][0];
        int64_t b = (int64_t)HED_NODE_SIZE * m->pairs.nodes[k][1];
        for (int e = 0; e < 9; ++e) {
            y[a + e / 3] += m->pairs.block[k][e] * x[b + e % 3];
            y[b + e % 3] += m->pairs.block[k][e] * x[a + e / 3];
        }
    }
    for (int32_t i = 0; i < eol->node_count; ++i) {
        for (int r = 0; r < HED_NODE_SIZE; ++r) {
            for (int c = 0; c < HED_NODE_SIZE; ++c) {
                int32_t at = r < c ? hed_eol_diagonal(r, c) : hed_eol_diagonal(c, r);
                y[(int64_t)HED_NODE_SIZE * i + r] +=
                    m->diagonal[HED_NODE_DIAGONAL * i + at] * x[(int64_t)HED_NODE_SIZE * i + c];
            }
        }
    }
}

static double distance(const double* a, const double* b, int32_t size) {
    double most = 0.0;
    for (int32_t k = 0; k < size; ++k) {
        most = fmax(most, fabs(a[k] - b[k]));
    }
    return most;
}

static void check(HedEol* eol) {
    int32_t size = HED_NODE_SIZE * eol->node_count;
    double* x = eol->trial;
    double* expected = eol->gradient;
    double* found = eol->base;
    for (int32_t k = 0; k < size; ++k) {
        x[k] = hed_random_uniform(4, 0, (uint64_t)k) - 0.5;
    }
    fill(eol, &eol->matrix);
    hed_eol_matrix_settle(&eol->matrix);
    multiply(eol, x, expected);
    hed_eol_matrix_multiply(&eol->matrix, x, found);
    // Sums of some 80 products of numbers below 1.5.
    cr_assert_lt(distance(expected, found, size), 1e-13);

    HedEolMatrixF32* light = &eol->preconditioner.light;
    hed_eol_matrix_f32_take(&eol->matrix, light, HED_ALONE);
    hed_eol_rows_apply(&eol->matrix, light, (HedEolProduct){.b = expected, .x = x, .y = found},
                       HED_ALONE);
    memset(x, 0, sizeof *x * (size_t)size);
    cr_assert_lt(distance(x, found, size), 80 * 1.5 * 0x1p-24);
    cr_assert_gt(distance(x, found, size), 0.0, "single precision leaves something");
}

static void check_net(HedNet* net) {
    HedEol* eol = make(net);
    cr_assert_gt(eol->node_count, 2 * HED_ROWS_RANGE, "several ranges");
    check(eol);
    hed_eol_destroy(eol);
    hed_net_free(net);
}

Test(rows, weave) {
    HedNet net = {0};
    test_net_weave(37, 41, &net);
    check_net(&net);
}

Test(rows, stockinette) {
    HedNet net = {0};
    test_net_knit("stockinette", 17, 19, &net);
    check_net(&net);
}

Test(rows, garter) {
    HedNet net = {0};
    test_net_knit("garter", 20, 15, &net);
    check_net(&net);
}

// Crossings that have left a yarn: its nodes close up, and others become neighbours.
static HedEol* make_with_gaps(HedNet* net) {
    test_net_weave(37, 41, net);
    HedEol* eol = make(net);
    int32_t gone = 0;
    for (int32_t i = 0; i < eol->node_count && gone < 12; ++i) {
        if (hed_eol_pullout_may(eol, i)) {
            eol->detached[i] = 1.0;
            gone += 1;
        }
    }
    cr_assert_eq(gone, 12);
    return eol;
}

Test(rows, yarns_that_have_left) {
    HedNet net = {0};
    HedEol* eol = make_with_gaps(&net);
    hed_eol_pullout_apply(eol);
    cr_assert_not(eol->pullout.lacks_rows);
    check(eol);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// Whichever allocation fails: until there is memory nothing is multiplied, and then all is right.
Test(rows, no_memory_when_yarns_leave) {
    enum { ALLOCATIONS = 11 }; // six of the pattern, two of values, three of the copy
    HedNet net = {0};
    HedEol* eol = make_with_gaps(&net);
    for (int n = 1; n <= ALLOCATIONS; ++n) {
        hed_alloc_fail_at(n);
        hed_eol_pullout_apply(eol);
        hed_alloc_fail_at(0);
        cr_assert(eol->pullout.lacks_rows, "%d", n);
        hed_eol_matrix_settle(&eol->matrix);
        hed_eol_matrix_multiply(&eol->matrix, eol->q, eol->trial);
    }
    cr_assert_eq(hed_eol_pullout_settle(eol), HED_OK);
    check(eol);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}
