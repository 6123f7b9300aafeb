// SPDX-License-Identifier: MIT
#include "solve/matrix.h"
#include "base/alloc.h"
#include "base/simd.h"
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
    matrix->block = HED_NEW_ARRAY(HedMat3, (int64_t)kept + 1); // a pack reads past the last row
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
    matrix->diagonal = HED_NEW_ARRAY(HedMat3, (int64_t)row_count + 1);
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

void hed_matrix_hold_range(HedMatrix* matrix, int32_t range, const double* free) {
    for (int32_t i = matrix->ranges.first[range]; i < matrix->ranges.first[range + 1]; ++i) {
        bool held = free[i] == 0.0;
        if (held) {
            matrix->diagonal[i] = hed_mat3_identity();
        }
        for (int32_t e = matrix->row_first[i]; e < matrix->row_first[i + 1]; ++e) {
            if (held || free[matrix->column[e]] == 0.0) {
                matrix->block[e] = (HedMat3){0};
            }
        }
    }
}

// One range of a product. Its part of x and of y lies in packs of four, the last lane of x zero and
// that of y without meaning, so that a block needs three loads of rows, six fused additions and one
// store; both arrays stay in the nearest caches.
typedef struct Window {
    HedWide x[HED_RANGE];
    HedWide y[HED_RANGE];
} Window;

typedef struct Tile {
    int32_t first;
    int32_t count;
} Tile;

// Rows of a block as packs; the last lane belongs to whatever follows in memory.
typedef struct Rows {
    HedWide row[3];
} Rows;

static inline Rows load_rows(const HedMat3* block) {
    return (Rows){
        {hed_wide_load(block->m[0]), hed_wide_load(block->m[1]), hed_wide_load(block->m[2])}};
}

// Products along rows, to be summed over lanes at the end: sum += b x.
static inline void add_rows(const Rows* b, HedWide x, Rows* sum) {
    sum->row[0] += b->row[0] * x;
    sum->row[1] += b->row[1] * x;
    sum->row[2] += b->row[2] * x;
}

// Asks for the blocks that rows to come will need. Without it one thread waits for memory at the
// end of each row, since rows are too short for the machine's own guess to settle.
static inline void fetch_ahead(const HedMatrix* matrix, int32_t i) {
    enum { AHEAD = 32 }; // blocks, about four rows: 16 and 64 are slower
    const int32_t all = matrix->row_first[matrix->row_count];
    const int32_t end = hed_min_i32(matrix->row_first[i + 1] + AHEAD, all);
    for (int32_t e = matrix->row_first[i] + AHEAD; e < end; ++e) {
        hed_prefetch_once(&matrix->block[e]);
    }
}

static inline HedWide pack_of(HedVec3 v) {
    return (HedWide){v.x, v.y, v.z, 0.0};
}

// Row i: across ranges it takes only, inside its range both halves are served. Columns rise, and
// inside the range only those above i are stored.
static inline void multiply_row(const HedMatrix* matrix, Tile tile, int32_t i, const HedVec3* x,
                                Window* w) {
    const int32_t* column = matrix->column;
    const int32_t last = matrix->row_first[i + 1];
    const int32_t end = tile.first + tile.count;
    const HedWide here = w->x[i - tile.first];
    const HedWide across[3] = {hed_wide_all(here[0]), hed_wide_all(here[1]), hed_wide_all(here[2])};
    int32_t e = matrix->row_first[i];
    Rows sum = {{{0}}};
    Rows b = load_rows(&matrix->diagonal[i]);
    fetch_ahead(matrix, i);
    add_rows(&b, here, &sum);
    for (; e < last && column[e] < tile.first; ++e) {
        b = load_rows(&matrix->block[e]);
        add_rows(&b, pack_of(x[column[e]]), &sum);
    }
    for (; e < last && column[e] < end; ++e) {
        int32_t j = column[e] - tile.first;
        b = load_rows(&matrix->block[e]);
        add_rows(&b, w->x[j], &sum);
        w->y[j] += b.row[0] * across[0] + b.row[1] * across[1] + b.row[2] * across[2];
    }
    for (; e < last; ++e) {
        b = load_rows(&matrix->block[e]);
        add_rows(&b, pack_of(x[column[e]]), &sum);
    }
    w->y[i - tile.first] += hed_wide_sums(sum.row[0], sum.row[1], sum.row[2]);
}

static void multiply_range(const HedMatrix* matrix, int32_t range, const HedVec3* x, HedVec3* y) {
    Window w;
    int32_t first = matrix->ranges.first[range];
    Tile tile = {first, matrix->ranges.first[range + 1] - first};
    HED_ASSERT(tile.count <= HED_RANGE);
    for (int32_t k = 0; k < tile.count; ++k) {
        w.x[k] = pack_of(x[first + k]);
        w.y[k] = hed_wide_all(0.0);
    }
    for (int32_t k = 0; k < tile.count; ++k) {
        multiply_row(matrix, tile, first + k, x, &w);
        y[first + k] = (HedVec3){w.y[k][0], w.y[k][1], w.y[k][2]};
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
