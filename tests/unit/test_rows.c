// SPDX-License-Identifier: MIT
// Products of a net's matrix as rows make them, against sums over its bands and pairs, block by
// block: nets of several ranges, woven, knitted, and with yarns that have left crossings.
#include "base/alloc.h"
#include "base/random.h"
#include "slide/slide.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {2, PARTIAL, 4096};

static HedSlide* make(const HedNet* net) {
    HedError error = {0};
    HedSlide* slide = NULL;
    HedSlidingDef def = hed_sliding_def_default();
    HedSlideSettings set = {.preconditioner = HED_PRECONDITION_AUTO};
    def.net = net;
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_OK, "%s", error.message);
    return slide;
}

static double draw(int kind, int64_t k) {
    return hed_random_uniform(3, (uint64_t)kind, (uint64_t)k) + 0.5;
}

// Every number of the matrix at random, none of them zero. What stands in two lines is the same.
static void fill(const HedSlide* slide, HedNetMatrix* m) {
    const HedBands* bands = &slide->model.bands;
    double* blocks[] = {m->near, m->far, m->third};
    for (int k = 0; k < 3; ++k) {
        int size = k < 2 ? 16 : 9;
        for (int32_t place = 0; blocks[k] && place < bands->step_count * HED_BAND; ++place) {
            double* b =
                blocks[k] + (int64_t)(place / HED_BAND) * size * HED_BAND + place % HED_BAND;
            for (int e = 0; e < size; ++e) {
                b[e * HED_BAND] = draw(k, (int64_t)size * bands->visit[place] + e);
            }
        }
    }
    for (int64_t k = 0; k < (int64_t)HED_NODE_DIAGONAL * slide->node_count; ++k) {
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

static void add_block(const HedBands* bands, Between between, const double* x, double* y) {
    int n = between.n;
    int32_t place = between.place, to = between.to;
    const double* block = between.block;
    const double* b = block + (int64_t)(place / HED_BAND) * n * n * HED_BAND + place % HED_BAND;
    if (bands->visit[place] < 0 || bands->visit[to] < 0) {
        return;
    }
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            int64_t row =
                (int64_t)HED_NODE_SIZE * bands->node[place] + (r < 3 ? r : 3 + bands->slot[place]);
            int64_t column =
                (int64_t)HED_NODE_SIZE * bands->node[to] + (c < 3 ? c : 3 + bands->slot[to]);
            double value = b[(r * n + c) * HED_BAND];
            y[row] += bands->kind[place] & HED_PLACE_OWN ? value * x[column] : 0.0;
            y[column] += bands->kind[to] & HED_PLACE_OWN ? value * x[row] : 0.0;
        }
    }
}

static void multiply(const HedSlide* slide, const double* x, double* y) {
    const HedNetMatrix* m = &slide->matrix;
    const HedBands* bands = m->bands;
    memset(y, 0, sizeof *y * HED_NODE_SIZE * (size_t)slide->node_count);
    for (int32_t b = 0; b < bands->count; ++b) {
        int32_t end = bands->first[b + 1] * HED_BAND;
        for (int32_t p = bands->first[b] * HED_BAND; p < end; ++p) {
            const double* blocks[] = {m->near, m->far, m->third};
            for (int k = 0; k < 3; ++k) {
                int32_t to = p + (k + 1) * HED_BAND;
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
    for (int32_t i = 0; i < slide->node_count; ++i) {
        for (int r = 0; r < HED_NODE_SIZE; ++r) {
            for (int c = 0; c < HED_NODE_SIZE; ++c) {
                int32_t at = r < c ? hed_net_diagonal(r, c) : hed_net_diagonal(c, r);
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

static void check(HedSlide* slide) {
    int32_t size = HED_NODE_SIZE * slide->node_count;
    double* x = slide->trial;
    double* expected = slide->gradient;
    double* found = slide->base;
    for (int32_t k = 0; k < size; ++k) {
        x[k] = hed_random_uniform(4, 0, (uint64_t)k) - 0.5;
    }
    fill(slide, &slide->matrix);
    hed_net_matrix_settle(&slide->matrix);
    multiply(slide, x, expected);
    hed_net_matrix_multiply(&slide->matrix, x, found);
    // Sums of some 80 products of numbers below 1.5.
    cr_assert_lt(distance(expected, found, size), 1e-13);

    HedNetLight* light = &slide->preconditioner.light;
    hed_net_light_take(&slide->matrix, light, HED_ALONE);
    hed_net_rows_apply(&slide->matrix, light, (HedNetProduct){.b = expected, .x = x, .y = found},
                       HED_ALONE);
    memset(x, 0, sizeof *x * (size_t)size);
    cr_assert_lt(distance(x, found, size), 80 * 1.5 * 0x1p-24);
    cr_assert_gt(distance(x, found, size), 0.0, "single precision leaves something");
}

static void check_net(HedNet* net) {
    HedSlide* slide = make(net);
    cr_assert_gt(slide->node_count, 2 * HED_ROWS_RANGE, "several ranges");
    check(slide);
    hed_slide_destroy(slide);
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
static HedSlide* make_with_gaps(HedNet* net) {
    test_net_weave(37, 41, net);
    HedSlide* slide = make(net);
    int32_t gone = 0;
    for (int32_t i = 0; i < slide->node_count && gone < 12; ++i) {
        if (hed_slide_leave_may(slide, i)) {
            slide->gone[i] = 1.0;
            gone += 1;
        }
    }
    cr_assert_eq(gone, 12);
    return slide;
}

Test(rows, yarns_that_have_left) {
    HedNet net = {0};
    HedSlide* slide = make_with_gaps(&net);
    hed_slide_leave_apply(slide);
    cr_assert_not(slide->leave.lacks_rows);
    check(slide);
    hed_slide_destroy(slide);
    hed_net_free(&net);
}

// Whichever allocation fails: until there is memory nothing is multiplied, and then all is right.
Test(rows, no_memory_when_yarns_leave) {
    enum { ALLOCATIONS = 11 }; // six of the pattern, two of values, three of the copy
    HedNet net = {0};
    HedSlide* slide = make_with_gaps(&net);
    for (int n = 1; n <= ALLOCATIONS; ++n) {
        hed_alloc_fail_at(n);
        hed_slide_leave_apply(slide);
        hed_alloc_fail_at(0);
        cr_assert(slide->leave.lacks_rows, "%d", n);
        hed_net_matrix_settle(&slide->matrix);
        hed_net_matrix_multiply(&slide->matrix, slide->q, slide->trial);
    }
    cr_assert_eq(hed_slide_leave_settle(slide), HED_OK);
    check(slide);
    hed_slide_destroy(slide);
    hed_net_free(&net);
}
