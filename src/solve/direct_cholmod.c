// SPDX-License-Identifier: MIT
// The door to CHOLMOD: exact factors of the whole matrix, analysed once for a pattern. As a
// preconditioner they leave one or two iterations to conjugate gradients, which take care of what
// is not in the matrix (contacts between sheets) and of rounding.
//
// Two traps of the packaged libraries are closed here. CHOLMOD starts four OpenMP threads whatever
// the environment says, so it runs with parallel regions switched off; OpenBLAS's own threads gain
// nothing on small fronts and its OpenMP flavour all but hangs under CHOLMOD, so it gets one.
#include "base/alloc.h"
#include "solve/preconditioner_kinds.h"

#if defined(HED_HAVE_CHOLMOD)

#include "math/mat3.h"

#include <cholmod.h>
#include <string.h>

extern void openblas_set_num_threads(int count) __attribute__((weak)); // of whatever BLAS is linked

enum { LARGE = 20000 }; // rows; from here on nested dissection pays for its longer analysis

// The upper half by columns of numbers. The three columns of point j have the same blocks above the
// diagonal, rank[e] saying which is block e of the matrix; -1 if it is one of the lower half.
typedef struct Solver {
    cholmod_common common;
    cholmod_sparse* matrix;
    cholmod_factor* factor;
    cholmod_dense* b;
    cholmod_dense* x;
    cholmod_dense* work[2];
    int32_t* rank;
    bool has_started;
} Solver;

// What callers hold: constant for apply, while CHOLMOD's own state is not.
typedef struct Direct {
    Solver* solver;
    const HedMatrix* pattern;
    const HedTeam* team;
} Direct;

static void destroy(void* self) {
    Direct* direct = self;
    Solver* s = direct->solver;
    if (s && s->has_started) {
        cholmod_free_sparse(&s->matrix, &s->common);
        cholmod_free_factor(&s->factor, &s->common);
        cholmod_free_dense(&s->b, &s->common);
        cholmod_free_dense(&s->x, &s->common);
        cholmod_free_dense(&s->work[0], &s->common);
        cholmod_free_dense(&s->work[1], &s->common);
        cholmod_finish(&s->common);
    }
    if (s) {
        hed_free(s->rank);
        hed_free(s);
    }
    hed_free(direct);
}

// Blocks above the diagonal of each column of points, and the rank of each.
static bool rank_blocks(Solver* s, const HedMatrix* m, int32_t* above) {
    s->rank = HED_NEW_ARRAY(int32_t, m->row_first[m->row_count]);
    for (int32_t i = 0; s->rank && i < m->row_count; ++i) {
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            s->rank[e] = m->column[e] > i ? above[m->column[e]]++ : -1;
        }
    }
    return s->rank != NULL;
}

static void fill_pattern(Solver* s, const HedMatrix* m, const int32_t* above) {
    int* first = s->matrix->p;
    int* row = s->matrix->i;
    for (int32_t j = 0; j < m->row_count; ++j) {
        for (int c = 0; c < 3; ++c) {
            int begin = first[3 * j + c];
            int diagonal = begin + 3 * above[j];
            first[3 * j + c + 1] = diagonal + c + 1;
            for (int r = 0; r <= c; ++r) {
                row[diagonal + r] = 3 * j + r;
            }
        }
    }
    for (int32_t i = 0; i < m->row_count; ++i) {
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            for (int k = 0; k < 9 && s->rank[e] >= 0; ++k) {
                row[first[3 * m->column[e] + k / 3] + 3 * s->rank[e] + k % 3] = 3 * i + k % 3;
            }
        }
    }
}

static bool make_pattern(Solver* s, const HedMatrix* m) {
    int32_t* above = HED_NEW_ARRAY(int32_t, m->row_count);
    bool ok = above && rank_blocks(s, m, above);
    if (ok) {
        int64_t entries = INT64_C(6) * m->row_count;
        for (int32_t j = 0; j < m->row_count; ++j) {
            entries += INT64_C(9) * above[j];
        }
        size_t n = 3 * (size_t)m->row_count;
        ok = entries <= INT32_MAX;
        s->matrix =
            ok ? cholmod_allocate_sparse(n, n, (size_t)entries, 1, 1, 1, CHOLMOD_REAL, &s->common)
               : NULL;
        s->b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &s->common);
        ok = s->matrix && s->b;
    }
    if (ok) {
        ((int*)s->matrix->p)[0] = 0;
        fill_pattern(s, m, above);
    }
    hed_free(above);
    return ok;
}

static void* create(HedPreconditionerInput input, HedStatus* status) {
    Direct* direct = HED_NEW(Direct);
    *status = HED_NO_MEMORY;
    if (!direct) {
        return NULL;
    }
    direct->solver = HED_NEW(Solver);
    direct->pattern = input.matrix;
    direct->team = input.team;
    Solver* s = direct->solver;
    if (!s) {
        return direct;
    }
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
    int32_t levels = hed_serial_begin();
    s->has_started = cholmod_start(&s->common);
    s->common.print = 0;
    s->common.quick_return_if_not_posdef = 1;
    s->common.nmethods = 1;
    s->common.method[0].ordering = input.matrix->row_count < LARGE ? CHOLMOD_AMD : CHOLMOD_METIS;
    if (s->has_started && make_pattern(s, input.matrix)) {
        s->factor = cholmod_analyze(s->matrix, &s->common);
        *status = s->factor ? HED_OK : HED_NO_MEMORY;
    }
    hed_serial_end(levels);
    return direct;
}

// Values of row i, with held rows and columns left out.
static void load_row(const Solver* s, const HedMatrix* m, const double* free, int32_t i) {
    const int* first = s->matrix->p;
    double* value = s->matrix->x;
    HedMat3 own = free[i] > 0.0 ? m->diagonal[i] : hed_mat3_identity();
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r <= c; ++r) {
            value[first[3 * i + c + 1] - 1 - c + r] = own.m[r][c];
        }
    }
    for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
        int32_t j = m->column[e];
        double both = free[i] > 0.0 && free[j] > 0.0 ? 1.0 : 0.0;
        for (int k = 0; k < 9 && s->rank[e] >= 0; ++k) {
            value[first[3 * j + k / 3] + 3 * s->rank[e] + k % 3] =
                both * m->block[e].m[k % 3][k / 3];
        }
    }
}

static bool update(void* self, const HedMatrix* matrix, const double* free) {
    Direct* direct = self;
    Solver* s = direct->solver;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(direct->team, INT64_C(200) * matrix->row_count))
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        load_row(s, matrix, free, i);
    }
    int32_t levels = hed_serial_begin();
    bool ok = cholmod_factorize(s->matrix, s->factor, &s->common) &&
              s->common.status == CHOLMOD_OK && s->factor->minor == s->factor->n;
    hed_serial_end(levels);
    return ok;
}

static void apply(const void* self, const double* x, double* y) {
    const Direct* direct = self;
    Solver* s = direct->solver;
    size_t bytes = 3 * sizeof(double) * (size_t)direct->pattern->row_count;
    int32_t levels = hed_serial_begin();
    memcpy(s->b->x, x, bytes);
    bool ok = cholmod_solve2(CHOLMOD_A, s->factor, s->b, NULL, &s->x, NULL, &s->work[0],
                             &s->work[1], &s->common);
    hed_serial_end(levels);
    if (ok) {
        memcpy(y, s->x->x, bytes);
    } else {
        memset(y, 0, bytes); // no memory; conjugate gradients see it and give up
    }
}

const HedPreconditionerType HED_DIRECT = {"direct", create, destroy, update, apply};

#else

static void* create(HedPreconditionerInput input, HedStatus* status) {
    (void)input;
    *status = HED_UNSUPPORTED;
    return NULL;
}

const HedPreconditionerType HED_DIRECT = {.name = "direct", .create = create};

#endif
