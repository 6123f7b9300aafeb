// SPDX-License-Identifier: MIT
#include "slide/matrix.h"

#include "base/array.h"
#include "slide/lanes.h"

void hed_net_matrix_free(HedNetMatrix* matrix) {
    hed_free(matrix->near);
    hed_free(matrix->far);
    hed_free(matrix->third);
    hed_free(matrix->diagonal);
    hed_free(matrix->sum);
    hed_free((void*)matrix->pairs.nodes);
    hed_free((void*)matrix->pairs.block);
    hed_free(matrix->pairs.row_first);
    hed_free(matrix->pairs.row);
    *matrix = (HedNetMatrix){0};
}

static bool make_pairs(HedNetPairs* pairs, int32_t node_count, const int32_t (*nodes)[2],
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

HedStatus hed_net_matrix_create(HedNetMatrix* matrix, HedNetPattern pattern, HedError* error) {
    const HedBands* bands = pattern.bands;
    bool has_third = pattern.has_third;
    int64_t steps = (int64_t)bands->step_count + 1;
    *matrix = (HedNetMatrix){
        .bands = bands,
        .team = pattern.team,
        .near = HED_NEW_ARRAY(double, steps * 16 * HED_BAND),
        .far = HED_NEW_ARRAY(double, steps * 16 * HED_BAND),
        .third = has_third ? HED_NEW_ARRAY(double, steps * 9 * HED_BAND) : NULL,
        .diagonal = HED_NEW_ARRAY(double, (int64_t)bands->node_count* HED_NODE_DIAGONAL),
        .sum = HED_NEW_ARRAY(double, steps * 4 * HED_BAND),
    };
    bool ok = make_pairs(&matrix->pairs, bands->node_count, pattern.pairs, pattern.pair_count);
    if (!ok || !matrix->near || !matrix->far || !matrix->diagonal || !matrix->sum ||
        (has_third && !matrix->third)) {
        hed_net_matrix_free(matrix);
        return hed_fail_memory(error, "matrix of the net");
    }
    return HED_OK;
}

// to[r] += block w[c] and back[c] += block' v[r] for one block of size n, read once.
HED_WIDE void add_block(const double* block, int n, const HedWide* v, const HedWide* w, HedWide* to,
                        HedWide* back) {
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            HedWide b = hed_wide_load(block + (r * n + c) * HED_BAND);
            to[r] += b * w[c];
            back[c] += b * v[r];
        }
    }
}

// The part of the product along the four yarns of a band, into sum.
HED_WIDE void multiply_band(const HedNetMatrix* m, int32_t band, const double* x, bool has_third) {
    const HedBands* bands = m->bands;
    int32_t first = bands->first[band];
    int32_t end = bands->first[band + 1];
    HedLaneNodes v = hed_lane_nodes(bands, first, x);
    HedLaneNodes next = hed_lane_nodes(bands, first + 1, x);
    HedLaneNodes second = hed_lane_nodes(bands, first + 2, x);
    HedLaneNodes sum = {0}, sum_next = {0}, sum_second = {0}, sum_third = {0};
    for (int32_t s = first; s < end; ++s) {
        // Blocks beyond the last step are zero; any node will do there.
        HedLaneNodes third = hed_lane_nodes(bands, hed_min_i32(s + 3, end - 1), x);
        add_block(m->near + (int64_t)s * 16 * HED_BAND, 4, v.c, next.c, sum.c, sum_next.c);
        add_block(m->far + (int64_t)s * 16 * HED_BAND, 4, v.c, second.c, sum.c, sum_second.c);
        if (has_third) {
            add_block(m->third + (int64_t)s * 9 * HED_BAND, 3, v.c, third.c, sum.c, sum_third.c);
        }
        // A place's four numbers side by side: its node finds them in one line of memory.
        HedWide4 places = hed_wide_transpose(sum.c[0], sum.c[1], sum.c[2], sum.c[3]);
        double* out = m->sum + (int64_t)s * 4 * HED_BAND;
        for (int l = 0; l < HED_BAND; ++l) {
            hed_wide_store(out + 4 * l, places.row[l]);
        }
        v = next;
        next = second;
        second = third;
        sum = sum_next;
        sum_next = sum_second;
        sum_second = sum_third;
        sum_third = (HedLaneNodes){0};
    }
}

static void multiply_band_2(const HedNetMatrix* m, int32_t band, const double* x) {
    multiply_band(m, band, x, false);
}

static void multiply_band_3(const HedNetMatrix* m, int32_t band, const double* x) {
    multiply_band(m, band, x, true);
}

static void add_pairs(const HedNetPairs* pairs, int32_t node, const double* x, double* y) {
    for (int32_t k = pairs->row_first[node]; k < pairs->row_first[node + 1]; ++k) {
        int32_t pair = pairs->row[k] / 2;
        const double* b = pairs->block[pair];
        if (pairs->row[k] & 1) {
            const double* v = x + (int64_t)HED_NODE_SIZE * pairs->nodes[pair][0];
            for (int c = 0; c < 3; ++c) {
                y[c] += b[c] * v[0] + b[3 + c] * v[1] + b[6 + c] * v[2];
            }
        } else {
            const double* v = x + (int64_t)HED_NODE_SIZE * pairs->nodes[pair][1];
            for (int r = 0; r < 3; ++r) {
                y[r] += b[3 * r] * v[0] + b[3 * r + 1] * v[1] + b[3 * r + 2] * v[2];
            }
        }
    }
}

// Row of one node: its own block, what came along its two yarns, and its pairs.
HED_WIDE void finish_node(const HedNetMatrix* m, int32_t i, const double* x, double y[5]) {
    const double* d = m->diagonal + (int64_t)HED_NODE_DIAGONAL * i;
    const double* v = x + (int64_t)HED_NODE_SIZE * i;
    const double* first = m->sum + INT64_C(4) * m->bands->place[i][0];
    const double* second = m->sum + INT64_C(4) * m->bands->place[i][1];
    double x0 = v[0], x1 = v[1], x2 = v[2], x3 = v[3], x4 = v[4];
    y[0] = d[0] * x0 + d[1] * x1 + d[2] * x2 + d[3] * x3 + d[4] * x4 + (first[0] + second[0]);
    y[1] = d[1] * x0 + d[5] * x1 + d[6] * x2 + d[7] * x3 + d[8] * x4 + (first[1] + second[1]);
    y[2] = d[2] * x0 + d[6] * x1 + d[9] * x2 + d[10] * x3 + d[11] * x4 + (first[2] + second[2]);
    y[3] = d[3] * x0 + d[7] * x1 + d[10] * x2 + d[12] * x3 + d[13] * x4 + first[3];
    y[4] = d[4] * x0 + d[8] * x1 + d[11] * x2 + d[13] * x3 + d[14] * x4 + second[3];
    if (m->pairs.count > 0) {
        add_pairs(&m->pairs, i, x, y);
    }
}

// The sums of nodes to come are anywhere in memory.
static inline void prefetch_sums(const HedNetMatrix* m, int32_t i) {
    enum { AHEAD = 24 };
    int32_t next = hed_min_i32(i + AHEAD, m->bands->node_count - 1);
    hed_prefetch(m->sum + INT64_C(4) * m->bands->place[next][0]);
    hed_prefetch(m->sum + INT64_C(4) * m->bands->place[next][1]);
}

void hed_net_matrix_apply(const HedNetMatrix* m, const double* b, const double* x, double* y,
                          HedCrew crew) {
    HedShare own = hed_crew_share(crew, 0, m->bands->count);
    for (int32_t k = own.first; k < own.end; ++k) {
        if (m->third) {
            multiply_band_3(m, k, x);
        } else {
            multiply_band_2(m, k, x);
        }
    }
    hed_crew_meet(crew);
    own = hed_crew_share(crew, 0, m->bands->node_count);
    for (int32_t i = own.first; i < own.end; ++i) {
        double row[HED_NODE_SIZE];
        prefetch_sums(m, i);
        finish_node(m, i, x, row);
        for (int c = 0; c < HED_NODE_SIZE; ++c) {
            int64_t at = (int64_t)HED_NODE_SIZE * i + c;
            y[at] = b ? b[at] - row[c] : row[c];
        }
    }
    hed_crew_meet(crew);
}

void hed_net_matrix_multiply(const HedNetMatrix* matrix, const double* x, double* y) {
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(matrix->team, INT64_C(100) * matrix->bands->node_count))
    hed_net_matrix_apply(matrix, NULL, x, y, hed_crew());
}

int64_t hed_net_matrix_bytes(const HedNetMatrix* matrix) {
    const HedBands* bands = matrix->bands;
    int64_t step = (matrix->third ? 41 : 32) * HED_BAND * (int64_t)sizeof(double);
    int64_t node = (HED_NODE_DIAGONAL + 2 * HED_NODE_SIZE) * (int64_t)sizeof(double) +
                   2 * (int64_t)sizeof(int32_t);
    int64_t pair = 9 * (int64_t)sizeof(double) + 4 * (int64_t)sizeof(int32_t);
    return step * bands->step_count + node * bands->node_count + pair * matrix->pairs.count;
}
