// SPDX-License-Identifier: MIT
// Rows from entries; the factor row by row (up-looking): row k of L follows from the rows before it
// through L(1:k-1, 1:k-1) l = a, and its pattern is what the entries of row k reach in the
// elimination tree (Liu 1990).
#include "solve/sparse.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void hed_sparse_free(HedSparse* m) {
    hed_free(m->first);
    hed_free(m->column);
    hed_free(m->value);
    *m = (HedSparse){0};
}

// Sorts a row by insertion: rows are short and mostly in order. Adds entries of one column.
static int32_t tidy_row(HedSparse* m, int32_t start, int32_t count, int32_t to) {
    int32_t* column = m->column + start;
    double* value = m->value + start;
    for (int32_t i = 1; i < count; ++i) {
        int32_t c = column[i];
        double v = value[i];
        int32_t k = i;
        for (; k > 0 && column[k - 1] > c; --k) {
            column[k] = column[k - 1];
            value[k] = value[k - 1];
        }
        column[k] = c;
        value[k] = v;
    }
    int32_t begin = to;
    for (int32_t i = 0; i < count; ++i) {
        if (to > begin && m->column[to - 1] == column[i]) {
            m->value[to - 1] += value[i];
        } else {
            m->column[to] = column[i];
            m->value[to++] = value[i];
        }
    }
    return to;
}

HedStatus hed_sparse_create(HedSparse* m, int32_t size, const HedSparseEntry* entries,
                            int32_t count, HedError* error) {
    *m = (HedSparse){.size = size};
    m->first = HED_NEW_ARRAY(int32_t, (int64_t)size + 1);
    m->column = HED_NEW_ARRAY(int32_t, 2 * (int64_t)count);
    m->value = HED_NEW_ARRAY(double, 2 * (int64_t)count);
    int32_t* next = HED_NEW_ARRAY(int32_t, (int64_t)size + 1);
    if (!m->first || !m->column || !m->value || !next || count > INT32_MAX / 2) {
        hed_free(next);
        hed_sparse_free(m);
        return hed_fail_memory(error, "a sparse matrix");
    }
    for (int32_t i = 0; i < count; ++i) {
        next[entries[i].row + 1] += 1;
        next[entries[i].column + 1] += entries[i].row != entries[i].column;
    }
    for (int32_t i = 0; i < size; ++i) {
        next[i + 1] += next[i];
        m->first[i + 1] = next[i + 1];
    }
    for (int32_t i = 0; i < count; ++i) {
        HedSparseEntry e = entries[i];
        m->column[next[e.row]] = e.column;
        m->value[next[e.row]++] = e.value;
        if (e.row != e.column) {
            m->column[next[e.column]] = e.row;
            m->value[next[e.column]++] = e.value;
        }
    }
    int32_t to = 0;
    for (int32_t i = 0, start = 0; i < size; ++i) {
        int32_t end = m->first[i + 1];
        to = tidy_row(m, start, end - start, to);
        m->first[i + 1] = to;
        start = end;
    }
    hed_free(next);
    return HED_OK;
}

void hed_sparse_apply(const HedSparse* m, const double* x, double* y) {
    for (int32_t i = 0; i < m->size; ++i) {
        double sum = 0.0;
        for (int32_t e = m->first[i]; e < m->first[i + 1]; ++e) {
            sum += m->value[e] * x[m->column[e]];
        }
        y[i] = sum;
    }
}

// --- factors ---

void hed_sparse_factor_free(HedSparseFactor* f) {
    hed_free(f->order);
    hed_free(f->parent);
    hed_free(f->first);
    hed_free(f->row);
    hed_free(f->value);
    hed_free(f->diagonal);
    hed_free(f->work);
    *f = (HedSparseFactor){0};
}

// What the factor is made with.
typedef struct Maker {
    const HedSparse* matrix;
    HedSparseFactor* factor;
    int32_t* place; // row of the factor for each row of the matrix
    int32_t* mark;  // per row: the last row whose pattern it was in
    int32_t* reach; // pattern of the row at hand: reach[top .. size - 1], children before parents
    int32_t* path;
    int64_t* next; // per column: where its next entry goes
    double* dense;
} Maker;

static void free_maker(Maker* m) {
    hed_free(m->place);
    hed_free(m->mark);
    hed_free(m->reach);
    hed_free(m->path);
    hed_free(m->next);
    hed_free(m->dense);
}

// Each node's parent: the first row below it that has an entry in its column. The marks serve as
// short cuts to the roots.
static void find_tree(Maker* m) {
    const HedSparse* a = m->matrix;
    int32_t* parent = m->factor->parent;
    int32_t* root = m->mark;
    for (int32_t k = 0; k < a->size; ++k) {
        int32_t row = m->factor->order[k];
        parent[k] = root[k] = -1;
        for (int32_t e = a->first[row]; e < a->first[row + 1]; ++e) {
            int32_t i = m->place[a->column[e]];
            while (i >= 0 && i < k) {
                int32_t up = root[i];
                root[i] = k;
                if (up < 0) {
                    parent[i] = k;
                }
                i = up;
            }
        }
    }
    for (int32_t k = 0; k < a->size; ++k) {
        m->mark[k] = -1;
    }
}

// The columns of row k of L; returns where they begin in reach.
static int32_t find_reach(Maker* m, int32_t k) {
    const HedSparse* a = m->matrix;
    int32_t top = a->size;
    int32_t row = m->factor->order[k];
    m->mark[k] = k;
    for (int32_t e = a->first[row]; e < a->first[row + 1]; ++e) {
        int32_t i = m->place[a->column[e]];
        int32_t length = 0;
        for (; i >= 0 && i < k && m->mark[i] != k; i = m->factor->parent[i]) {
            m->path[length++] = i;
            m->mark[i] = k;
        }
        while (length > 0) {
            m->reach[--top] = m->path[--length];
        }
    }
    return top;
}

static HedStatus count_entries(Maker* m, HedError* error) {
    HedSparseFactor* f = m->factor;
    for (int32_t k = 0; k < f->size; ++k) {
        for (int32_t t = find_reach(m, k); t < f->size; ++t) {
            f->first[m->reach[t] + 1] += 1;
        }
    }
    for (int32_t k = 0; k < f->size; ++k) {
        f->first[k + 1] += f->first[k];
        m->next[k] = f->first[k];
        m->mark[k] = -1;
    }
    f->row = HED_NEW_ARRAY(int32_t, f->first[f->size]);
    f->value = HED_NEW_ARRAY(double, f->first[f->size]);
    return f->row && f->value ? HED_OK : hed_fail_memory(error, "factors of a matrix");
}

static HedStatus fill_row(Maker* m, int32_t k, HedError* error) {
    const HedSparse* a = m->matrix;
    HedSparseFactor* f = m->factor;
    int32_t row = f->order[k];
    double pivot = 0.0;
    double largest = 0.0;
    int32_t top = find_reach(m, k);
    for (int32_t e = a->first[row]; e < a->first[row + 1]; ++e) {
        int32_t i = m->place[a->column[e]];
        if (i < k) {
            m->dense[i] = a->value[e];
        } else if (i == k) {
            pivot = largest = a->value[e];
        }
    }
    for (int32_t t = top; t < f->size; ++t) {
        int32_t i = m->reach[t];
        double l = m->dense[i] / f->diagonal[i];
        m->dense[i] = 0.0;
        for (int64_t e = f->first[i]; e < m->next[i]; ++e) {
            m->dense[f->row[e]] -= f->value[e] * l;
        }
        pivot -= l * l;
        f->row[m->next[i]] = k;
        f->value[m->next[i]++] = l;
    }
    if (!(pivot > 1e-15 * fabs(largest))) {
        return hed_fail(error, HED_INVALID,
                        "a matrix is not positive definite: pivot %g in row %" PRId32, pivot, row);
    }
    f->diagonal[k] = sqrt(pivot);
    return HED_OK;
}

static HedStatus make_factor(Maker* m, HedError* error) {
    HedStatus status = HED_OK;
    HedSparseFactor* f = m->factor;
    int32_t n = f->size;
    m->place = HED_NEW_ARRAY(int32_t, n);
    m->mark = HED_NEW_ARRAY(int32_t, n);
    m->reach = HED_NEW_ARRAY(int32_t, n);
    m->path = HED_NEW_ARRAY(int32_t, n);
    m->next = HED_NEW_ARRAY(int64_t, n);
    m->dense = HED_NEW_ARRAY(double, n);
    f->order = HED_NEW_ARRAY(int32_t, n);
    f->parent = HED_NEW_ARRAY(int32_t, n);
    f->first = HED_NEW_ARRAY(int64_t, (int64_t)n + 1);
    f->diagonal = HED_NEW_ARRAY(double, n);
    f->work = HED_NEW_ARRAY(double, (int64_t)n* HED_SPARSE_COLUMNS);
    if (!m->place || !m->mark || !m->reach || !m->path || !m->next || !m->dense || !f->order ||
        !f->parent || !f->first || !f->diagonal || !f->work) {
        return hed_fail_memory(error, "factors of a matrix");
    }
    HED_TRY(hed_sparse_dissect(m->matrix, f->order, error));
    for (int32_t k = 0; k < n; ++k) {
        m->place[f->order[k]] = k;
    }
    find_tree(m);
    HED_TRY(count_entries(m, error));
    for (int32_t k = 0; k < n; ++k) {
        HED_TRY(fill_row(m, k, error));
    }
done:
    return status;
}

HedStatus hed_sparse_factor(const HedSparse* matrix, HedSparseFactor* factor, HedError* error) {
    *factor = (HedSparseFactor){.size = matrix->size};
    Maker m = {.matrix = matrix, .factor = factor};
    HedStatus status = make_factor(&m, error);
    free_maker(&m);
    if (status != HED_OK) {
        hed_sparse_factor_free(factor);
    }
    return status;
}

void hed_sparse_solve(const HedSparseFactor* f, double* x, int32_t columns) {
    HED_ASSERT(columns >= 1 && columns <= HED_SPARSE_COLUMNS);
    double* y = f->work;
    size_t size = (size_t)columns * sizeof(double);
    for (int32_t k = 0; k < f->size; ++k) {
        memcpy(y + (int64_t)k * columns, x + (int64_t)f->order[k] * columns, size);
    }
    for (int32_t k = 0; k < f->size; ++k) {
        double* from = y + (int64_t)k * columns;
        for (int32_t c = 0; c < columns; ++c) {
            from[c] /= f->diagonal[k];
        }
        for (int64_t e = f->first[k]; e < f->first[k + 1]; ++e) {
            double* to = y + (int64_t)f->row[e] * columns;
            for (int32_t c = 0; c < columns; ++c) {
                to[c] -= f->value[e] * from[c];
            }
        }
    }
    for (int32_t k = f->size - 1; k >= 0; --k) {
        double* to = y + (int64_t)k * columns;
        for (int64_t e = f->first[k]; e < f->first[k + 1]; ++e) {
            const double* from = y + (int64_t)f->row[e] * columns;
            for (int32_t c = 0; c < columns; ++c) {
                to[c] -= f->value[e] * from[c];
            }
        }
        for (int32_t c = 0; c < columns; ++c) {
            to[c] /= f->diagonal[k];
        }
    }
    for (int32_t k = 0; k < f->size; ++k) {
        memcpy(x + (int64_t)f->order[k] * columns, y + (int64_t)k * columns, size);
    }
}
