// SPDX-License-Identifier: MIT
#include "eol/matrix.h"

#include "base/array.h"

void hed_eol_matrix_free(HedEolMatrix* matrix) {
    hed_free(matrix->near);
    hed_free(matrix->far);
    hed_free(matrix->third);
    hed_free(matrix->diagonal);
    hed_free((void*)matrix->pairs.nodes);
    hed_free((void*)matrix->pairs.block);
    hed_free(matrix->pairs.row_first);
    hed_free(matrix->pairs.row);
    hed_eol_rows_free(&matrix->rows);
    hed_eol_values_free(&matrix->values);
    *matrix = (HedEolMatrix){0};
}

static bool make_pairs(HedEolPairs* pairs, int32_t node_count, const int32_t (*nodes)[2],
                       int32_t count) {
    pairs->count = count;
    pairs->nodes = (int32_t(*)[2])hed_alloc_array(count, sizeof *pairs->nodes);
    pairs->block = (double(*)[9])hed_alloc_array(count, sizeof *pairs->block);
    pairs->row_first = HED_NEW_ARRAY(int32_t, (int64_t)node_count + 2);
    pairs->row = HED_NEW_ARRAY(int32_t, (int64_t)count * 2);
    if (!pairs->nodes || !pairs->block || !pairs->row_first || !pairs->row) {
        return false;
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int s = 0; s < 2; ++s) {
            pairs->nodes[k][s] = nodes[k][s];
            pairs->row_first[nodes[k][s] + 2] += 1;
        }
    }
    for (int32_t i = 1; i <= node_count + 1; ++i) {
        pairs->row_first[i] += pairs->row_first[i - 1];
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int s = 0; s < 2; ++s) {
            pairs->row[pairs->row_first[nodes[k][s] + 1]++] = 2 * k + s;
        }
    }
    return true;
}

static HedStatus make_rows(HedEolMatrix* matrix, HedError* error) {
    HedStatus status = hed_eol_rows_create(&matrix->rows, matrix, error);
    if (status == HED_OK && !hed_eol_values_create(&matrix->values, &matrix->rows)) {
        hed_eol_rows_free(&matrix->rows);
        status = hed_fail_memory(error, "matrix of the net");
    }
    return status;
}

HedStatus hed_eol_matrix_create(HedEolMatrix* matrix, HedEolPattern pattern, HedError* error) {
    const HedYarnPacks* bands = pattern.bands;
    bool has_third = pattern.has_third;
    int64_t steps = (int64_t)bands->step_count + 1;
    *matrix = (HedEolMatrix){
        .bands = bands,
        .team = pattern.team,
        .near = HED_NEW_ARRAY(double, steps * 16 * HED_YARN_PACK),
        .far = HED_NEW_ARRAY(double, steps * 16 * HED_YARN_PACK),
        .third = has_third ? HED_NEW_ARRAY(double, steps * 9 * HED_YARN_PACK) : NULL,
        .diagonal = HED_NEW_ARRAY(double, (int64_t)bands->node_count* HED_NODE_DIAGONAL),
    };
    bool ok = make_pairs(&matrix->pairs, bands->node_count, pattern.pairs, pattern.pair_count);
    if (!ok || !matrix->near || !matrix->far || !matrix->diagonal ||
        (has_third && !matrix->third)) {
        hed_eol_matrix_free(matrix);
        return hed_fail_memory(error, "matrix of the net");
    }
    HedStatus status = make_rows(matrix, error);
    if (status != HED_OK) {
        hed_eol_matrix_free(matrix);
    }
    return status;
}

bool hed_eol_matrix_renew_rows(HedEolMatrix* matrix) {
    hed_eol_values_free(&matrix->values);
    hed_eol_rows_free(&matrix->rows);
    return make_rows(matrix, NULL) == HED_OK;
}

void hed_eol_matrix_settle(HedEolMatrix* matrix) {
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(matrix->team, INT64_C(100) * matrix->bands->node_count))
    hed_eol_rows_take(matrix, hed_thread_team());
}

void hed_eol_matrix_multiply(const HedEolMatrix* matrix, const double* x, double* y) {
    HedEolProduct product = {.x = x, .y = y};
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(matrix->team, INT64_C(50) * matrix->bands->node_count))
    hed_eol_rows_apply(matrix, NULL, product, hed_thread_team());
}

int64_t hed_eol_matrix_bytes(const HedEolMatrix* matrix) {
    const HedEolRows* rows = &matrix->rows;
    int64_t nodes = rows->node_count;
    int64_t node = (HED_NODE_DIAGONAL + 2 * HED_NODE_SIZE) * (int64_t)sizeof(double) +
                   3 * (int64_t)sizeof(int32_t);
    int64_t along = 16 * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t);
    int64_t plain = 9 * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t);
    return node * nodes + along * rows->along_first[2 * nodes] + plain * rows->plain_first[nodes];
}
