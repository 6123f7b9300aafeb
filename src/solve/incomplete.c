// SPDX-License-Identifier: MIT
// Incomplete factors A ~ L D L' without fill, of the part of the matrix inside each range of rows
// (Meijerink and van der Vorst 1977); ranges are independent of each other, so any number of
// threads gives the same bits.
//
// The upper half stands in rows: after row i, W_ij = D_i^-1 A_ij, and L_ji = W_ij'. A pivot that
// lost its positivity is replaced by the block of the matrix itself: D may be any positive matrix.
#include "base/alloc.h"
#include "math/mat3.h"
#include "solve/preconditioner_kinds.h"

#include <string.h>

// What row i takes from the block (j, k) of a later row: W_ij' A_ik.
typedef struct Update {
    int32_t left, right; // blocks (i, j) and (i, k)
    int32_t target;      // block (j, k), or -1 - j for the diagonal of j == k
} Update;

typedef struct Incomplete {
    const HedMatrix* pattern;
    const HedTeam* team;
    int32_t* first; // per row: its blocks of the upper half within the range
    int32_t* column;
    int32_t* source;       // block of the matrix
    HedMat3* block;        // W
    HedMat3* inverse;      // of the pivots
    int64_t* update_first; // per row
    Update* updates;
    int32_t* bad; // per range: pivots that could not be mended
} Incomplete;

static void destroy(void* self) {
    Incomplete* in = self;
    hed_free(in->first);
    hed_free(in->column);
    hed_free(in->source);
    hed_free(in->block);
    hed_free(in->inverse);
    hed_free(in->update_first);
    hed_free(in->updates);
    hed_free(in->bad);
    hed_free(in);
}

static bool is_upper(const HedMatrix* m, int32_t row, int32_t column) {
    return column > row && m->range_of[row] == m->range_of[column];
}

static bool collect_rows(Incomplete* in) {
    const HedMatrix* m = in->pattern;
    int32_t n = m->row_count;
    in->first = HED_NEW_ARRAY(int32_t, (int64_t)n + 1);
    in->inverse = HED_NEW_ARRAY(HedMat3, n);
    in->bad = HED_NEW_ARRAY(int32_t, m->ranges.count);
    if (!in->first || !in->inverse || !in->bad) {
        return false;
    }
    for (int32_t i = 0; i < n; ++i) {
        in->first[i + 1] = in->first[i];
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            in->first[i + 1] += is_upper(m, i, m->column[e]);
        }
    }
    in->column = HED_NEW_ARRAY(int32_t, in->first[n]);
    in->source = HED_NEW_ARRAY(int32_t, in->first[n]);
    in->block = HED_NEW_ARRAY(HedMat3, in->first[n]);
    if (!in->column || !in->source || !in->block) {
        return false;
    }
    int32_t next = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            if (is_upper(m, i, m->column[e])) {
                in->column[next] = m->column[e];
                in->source[next++] = e;
            }
        }
    }
    return true;
}

// The block (row, column) of the upper half, -1 if there is none. Columns rise.
static int32_t find(const Incomplete* in, int32_t row, int32_t column) {
    int32_t low = in->first[row];
    int32_t high = in->first[row + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (in->column[middle] == column) {
            return middle;
        }
        if (in->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

// Counts (out == NULL) or lists what row i takes from later rows.
static int64_t list_updates(const Incomplete* in, int32_t i, Update* out) {
    int64_t count = 0;
    for (int32_t a = in->first[i]; a < in->first[i + 1]; ++a) {
        for (int32_t b = a; b < in->first[i + 1]; ++b) {
            int32_t j = in->column[a];
            int32_t target = a == b ? -1 - j : find(in, j, in->column[b]);
            if (a != b && target < 0) {
                continue; // no fill
            }
            if (out) {
                out[count] = (Update){a, b, target};
            }
            count += 1;
        }
    }
    return count;
}

static bool collect_updates(Incomplete* in) {
    int32_t n = in->pattern->row_count;
    in->update_first = HED_NEW_ARRAY(int64_t, (int64_t)n + 1);
    if (!in->update_first) {
        return false;
    }
    for (int32_t i = 0; i < n; ++i) {
        in->update_first[i + 1] = in->update_first[i] + list_updates(in, i, NULL);
    }
    in->updates = HED_NEW_ARRAY(Update, in->update_first[n]);
    for (int32_t i = 0; in->updates && i < n; ++i) {
        list_updates(in, i, in->updates + in->update_first[i]);
    }
    return in->updates != NULL;
}

static void* create(HedPreconditionerInput input, HedStatus* status) {
    Incomplete* in = HED_NEW(Incomplete);
    if (in) {
        in->pattern = input.matrix;
        in->team = input.team;
    }
    *status = in && collect_rows(in) && collect_updates(in) ? HED_OK : HED_NO_MEMORY;
    return in;
}

// Copies the matrix, with held rows and columns left out.
static void load_row(Incomplete* in, const HedMatrix* matrix, const double* free, int32_t i) {
    in->inverse[i] = free[i] > 0.0 ? matrix->diagonal[i] : hed_mat3_identity();
    for (int32_t e = in->first[i]; e < in->first[i + 1]; ++e) {
        bool both = free[i] > 0.0 && free[in->column[e]] > 0.0;
        in->block[e] = both ? matrix->block[in->source[e]] : (HedMat3){0};
    }
}

static inline HedMat3 transposed_product(HedMat3 a, HedMat3 b) {
    HedMat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a.m[0][i] * b.m[0][j] + a.m[1][i] * b.m[1][j] + a.m[2][i] * b.m[2][j];
        }
    }
    return c;
}

static inline void subtract(HedMat3* from, HedMat3 what) {
    *from = hed_mat3_add(*from, hed_mat3_scale(-1.0, what));
}

static bool factor_row(Incomplete* in, const HedMatrix* matrix, const double* free, int32_t i) {
    bool ok = false;
    HedMat3 inverse = hed_mat3_inverse_spd(in->inverse[i], &ok);
    if (!ok && free[i] > 0.0) {
        inverse = hed_mat3_inverse_spd(matrix->diagonal[i], &ok);
    }
    in->inverse[i] = inverse;
    // The row still holds A_ij; W_ij = D^-1 A_ij takes its place once its products are done.
    int64_t u = in->update_first[i];
    for (int32_t e = in->first[i]; e < in->first[i + 1]; ++e) {
        HedMat3 w = hed_mat3_mul(inverse, in->block[e]);
        for (; u < in->update_first[i + 1] && in->updates[u].left == e; ++u) {
            int32_t target = in->updates[u].target;
            HedMat3 product = transposed_product(w, in->block[in->updates[u].right]);
            subtract(target >= 0 ? &in->block[target] : &in->inverse[-1 - target], product);
        }
        in->block[e] = w;
    }
    return ok;
}

static int32_t factor_range(Incomplete* in, const HedMatrix* matrix, const double* free,
                            int32_t range) {
    int32_t bad = 0;
    for (int32_t i = matrix->ranges.first[range]; i < matrix->ranges.first[range + 1]; ++i) {
        load_row(in, matrix, free, i);
    }
    for (int32_t i = matrix->ranges.first[range]; i < matrix->ranges.first[range + 1]; ++i) {
        bad += !factor_row(in, matrix, free, i);
    }
    return bad;
}

static bool update(void* self, const HedMatrix* matrix, const double* free) {
    Incomplete* in = self;
    int32_t bad = 0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(in->team, INT64_C(500) * matrix->row_count))
    for (int32_t r = 0; r < matrix->ranges.count; ++r) {
        in->bad[r] = factor_range(in, matrix, free, r);
    }
    for (int32_t r = 0; r < matrix->ranges.count; ++r) {
        bad += in->bad[r];
    }
    return bad == 0;
}

static void solve_range(const Incomplete* in, int32_t range, const HedVec3* x, HedVec3* y) {
    int32_t begin = in->pattern->ranges.first[range];
    int32_t end = in->pattern->ranges.first[range + 1];
    memcpy(y + begin, x + begin, sizeof(HedVec3) * (size_t)(end - begin));
    for (int32_t i = begin; i < end; ++i) {
        HedVec3 z = y[i];
        for (int32_t e = in->first[i]; e < in->first[i + 1]; ++e) {
            int32_t j = in->column[e];
            y[j] = hed_sub3(y[j], hed_mat3_apply_transposed(in->block[e], z));
        }
    }
    for (int32_t i = end - 1; i >= begin; --i) {
        HedVec3 z = hed_mat3_apply(in->inverse[i], y[i]);
        for (int32_t e = in->first[i]; e < in->first[i + 1]; ++e) {
            z = hed_sub3(z, hed_mat3_apply(in->block[e], y[in->column[e]]));
        }
        y[i] = z;
    }
}

static void apply(const void* self, const double* x, double* y) {
    const Incomplete* in = self;
    const HedMatrix* m = in->pattern;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(in->team, INT64_C(60) * m->row_count))
    for (int32_t r = 0; r < m->ranges.count; ++r) {
        solve_range(in, r, (const HedVec3*)(const void*)x, (HedVec3*)(void*)y);
    }
}

const HedPreconditionerType HED_INCOMPLETE = {"cholesky", create, destroy, update, apply};
