// SPDX-License-Identifier: MIT
#include "solve/matrix.h"
#include "base/alloc.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

static bool same_range(const HedMatrix* matrix, int32_t i, int32_t j) {
    return matrix->range_of[i] == matrix->range_of[j];
}

static int compare_i32(const void* a, const void* b) {
    int32_t x = *(const int32_t*)a;
    int32_t y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

// Counts (column == NULL) or stores the entries that one pair gives to its rows.
static void scatter_pair(const HedMatrix* matrix, int32_t i, int32_t j, int32_t* fill,
                         int32_t* column) {
    if (i == j) {
        return;
    }
    int32_t low = hed_min_i32(i, j);
    int32_t high = hed_max_i32(i, j);
    if (column) {
        column[fill[low]] = high;
    }
    fill[low] += 1;
    if (!same_range(matrix, i, j)) {
        if (column) {
            column[fill[high]] = low;
        }
        fill[high] += 1;
    }
}

// Sorts the columns of each row and drops repeats; returns the new number of entries.
static int32_t compress_rows(HedMatrix* matrix) {
    int32_t kept = 0;
    int32_t begin = 0;
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        int32_t end = matrix->row_first[i + 1];
        qsort(matrix->column + begin, (size_t)(end - begin), sizeof(int32_t), compare_i32);
        matrix->row_first[i] = kept;
        for (int32_t e = begin; e < end; ++e) {
            if (e == begin || matrix->column[e] != matrix->column[e - 1]) {
                matrix->column[kept++] = matrix->column[e];
            }
        }
        begin = end;
    }
    matrix->row_first[matrix->row_count] = kept;
    return kept;
}

static HedStatus build_pattern(HedMatrix* matrix, const int32_t* pairs, int64_t pair_count,
                               HedError* error) {
    int32_t n = matrix->row_count;
    int32_t* fill = HED_NEW_ARRAY(int32_t, (int64_t)n + 1);
    matrix->column = HED_NEW_ARRAY(int32_t, 2 * pair_count + 1);
    if (!fill || !matrix->column) {
        hed_free(fill);
        return hed_fail_memory(error, "the matrix pattern");
    }
    for (int64_t k = 0; k < pair_count; ++k) {
        scatter_pair(matrix, pairs[2 * k], pairs[2 * k + 1], fill, NULL);
    }
    int32_t total = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t count = fill[i];
        matrix->row_first[i] = total;
        fill[i] = total;
        total += count;
    }
    matrix->row_first[n] = total;
    for (int64_t k = 0; k < pair_count; ++k) {
        scatter_pair(matrix, pairs[2 * k], pairs[2 * k + 1], fill, matrix->column);
    }
    hed_free(fill);
    int32_t kept = compress_rows(matrix);
    matrix->block = HED_NEW_ARRAY(HedMat3, kept);
    return matrix->block ? HED_OK : hed_fail_memory(error, "the matrix blocks");
}

HedStatus hed_matrix_create(HedMatrix* matrix, int32_t row_count, HedRanges ranges,
                            const int32_t* pairs, int64_t pair_count, HedError* error) {
    *matrix = (HedMatrix){.row_count = row_count, .ranges = ranges};
    if (pair_count > INT32_MAX / 4) {
        return hed_fail(error, HED_UNSUPPORTED, "too many couplings for one matrix: %lld",
                        (long long)pair_count);
    }
    matrix->range_of = HED_NEW_ARRAY(int32_t, row_count);
    matrix->row_first = HED_NEW_ARRAY(int32_t, (int64_t)row_count + 1);
    matrix->diagonal = HED_NEW_ARRAY(HedMat3, row_count);
    if (!matrix->range_of || !matrix->row_first || !matrix->diagonal) {
        hed_matrix_free(matrix);
        return hed_fail_memory(error, "the matrix");
    }
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t i = ranges.first[r]; i < ranges.first[r + 1]; ++i) {
            matrix->range_of[i] = r;
        }
    }
    HedStatus status = build_pattern(matrix, pairs, pair_count, error);
    if (status != HED_OK) {
        hed_matrix_free(matrix);
    }
    return status;
}

void hed_matrix_free(HedMatrix* matrix) {
    hed_free(matrix->range_of);
    hed_free(matrix->row_first);
    hed_free(matrix->column);
    hed_free(matrix->block);
    hed_free(matrix->diagonal);
    *matrix = (HedMatrix){0};
}

void hed_matrix_clear_range(HedMatrix* matrix, int32_t range) {
    int32_t begin = matrix->ranges.first[range];
    int32_t end = matrix->ranges.first[range + 1];
    int32_t first = matrix->row_first[begin];
    int32_t last = matrix->row_first[end];
    memset(matrix->diagonal + begin, 0, sizeof(HedMat3) * (size_t)(end - begin));
    memset(matrix->block + first, 0, sizeof(HedMat3) * (size_t)(last - first));
}

int32_t hed_matrix_slot(const HedMatrix* matrix, int32_t row, int32_t column) {
    int32_t low = matrix->row_first[row];
    int32_t high = matrix->row_first[row + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (matrix->column[middle] == column) {
            return middle;
        }
        if (matrix->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

static void add_to_slot(HedMatrix* matrix, int32_t row, int32_t column, const HedMat3* h) {
    int32_t slot = hed_matrix_slot(matrix, row, column);
    HED_ASSERT(slot >= 0);
    matrix->block[slot] = hed_mat3_add(matrix->block[slot], *h);
}

void hed_matrix_add(HedMatrix* matrix, int32_t range, int32_t i, int32_t j, const HedMat3* h) {
    bool has_i = matrix->range_of[i] == range;
    bool has_j = matrix->range_of[j] == range;
    HedMat3 transposed = hed_mat3_transpose(*h);
    if (has_i && has_j) {
        add_to_slot(matrix, hed_min_i32(i, j), hed_max_i32(i, j), i < j ? h : &transposed);
    } else if (has_i) {
        add_to_slot(matrix, i, j, h);
    } else if (has_j) {
        add_to_slot(matrix, j, i, &transposed);
    }
}

// y += b x and z += b' w in one pass over b.
static inline void apply_both(const HedMat3* b, HedVec3 x, HedVec3* y, HedVec3 w, HedVec3* z) {
    *y = hed_add3(*y, hed_mat3_apply(*b, x));
    *z = hed_add3(*z, hed_mat3_apply_transposed(*b, w));
}

static void multiply_range(const HedMatrix* matrix, int32_t range, const HedVec3* x, HedVec3* y) {
    int32_t begin = matrix->ranges.first[range];
    int32_t end = matrix->ranges.first[range + 1];
    for (int32_t i = begin; i < end; ++i) {
        y[i] = hed_mat3_apply(matrix->diagonal[i], x[i]);
    }
    for (int32_t i = begin; i < end; ++i) {
        HedVec3 sum = y[i];
        HedVec3 here = x[i];
        for (int32_t e = matrix->row_first[i]; e < matrix->row_first[i + 1]; ++e) {
            int32_t j = matrix->column[e];
            if (j > i && j < end) {
                apply_both(&matrix->block[e], x[j], &sum, here, &y[j]);
            } else {
                sum = hed_add3(sum, hed_mat3_apply(matrix->block[e], x[j]));
            }
        }
        y[i] = sum;
    }
}

void hed_matrix_multiply(const HedMatrix* matrix, const HedTeam* team, const HedVec3* x,
                         HedVec3* y) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(team, INT64_C(40) * matrix->row_count))
    for (int32_t r = 0; r < matrix->ranges.count; ++r) {
        multiply_range(matrix, r, x, y);
    }
}

int64_t hed_matrix_product_bytes(const HedMatrix* matrix) {
    int64_t entries = matrix->row_first[matrix->row_count];
    int64_t rows = matrix->row_count;
    return entries * (int64_t)(sizeof(HedMat3) + sizeof(int32_t)) +
           rows * (int64_t)(sizeof(HedMat3) + sizeof(int32_t) + 2 * sizeof(HedVec3));
}
