// SPDX-License-Identifier: MIT
// The matrix of contacts between yarns: bonds of segments that touch, and sums of them as rows of
// 3 x 3 blocks between points, so that a product reads each block once. Rows are made anew with the
// values: what touches changes with every matrix.
#include "contact/yarn_inner.h"
#include "contact/yarn_pair_hessian.h"

#include "base/alloc.h"
#include "base/simd.h"

#include <string.h>

void hed_yarn_blocks_free(HedYarnBlocks* blocks) {
    hed_free(blocks->bond.data);
    hed_free(blocks->bond_of.data);
    hed_free(blocks->column.data);
    hed_free(blocks->place.data);
    hed_free(blocks->block.data);
    hed_free(blocks->bond_first);
    hed_free(blocks->own);
    hed_free(blocks->is_met);
    hed_free(blocks->column_first);
    hed_free(blocks->block_first);
    *blocks = (HedYarnBlocks){0};
}

// What does not depend on what touches: made when first used.
static HedStatus allocate(HedYarnContact* y, HedError* error) {
    HedYarnBlocks* own = &y->blocks;
    if (own->block_first) {
        return HED_OK;
    }
    int64_t n = y->def.segment_count;
    int64_t points = y->def.point_count;
    own->bond_first = HED_NEW_ARRAY(int32_t, n + 1);
    own->own = HED_NEW_ARRAY(HedMat3, HED_YARN_OWN * n);
    own->is_met = HED_NEW_ARRAY(uint8_t, n);
    own->column_first = HED_NEW_ARRAY(int32_t, points + 1);
    own->block_first = HED_NEW_ARRAY(int32_t, points + 1);
    if (!own->bond_first || !own->own || !own->is_met || !own->column_first || !own->block_first) {
        hed_yarn_blocks_free(own);
        return hed_fail_memory(error, "the matrix of contacts");
    }
    return HED_OK;
}

// Numbers the pairs that touch.
static HedStatus number_bonds(HedYarnContact* y, HedError* error) {
    HedYarnBlocks* own = &y->blocks;
    int32_t pairs = y->list.first[y->def.segment_count];
    int32_t count = 0;
    own->bond_of.count = own->bond.count = 0;
    if (!HED_RESERVE(&own->bond_of, pairs)) {
        return hed_fail_memory(error, "the matrix of contacts");
    }
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        own->bond_first[i] = count;
        for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
            own->bond_of.data[k] = y->list.slot[k] >= 0 ? count++ : -1;
        }
    }
    own->bond_first[y->def.segment_count] = count;
    own->bond_of.count = pairs;
    if (!HED_RESERVE(&own->bond, count)) {
        return hed_fail_memory(error, "the matrix of contacts");
    }
    own->bond.count = count;
    memset(own->is_met, 0, (size_t)y->def.segment_count);
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
            if (own->bond_of.data[k] >= 0) {
                HedYarnPairHessian* bond = &own->bond.data[own->bond_of.data[k]];
                bond->pair = k;
                bond->segment[0] = i;
                bond->segment[1] = y->list.other[k];
                own->is_met[i] = own->is_met[y->list.other[k]] = true;
            }
        }
    }
    return HED_OK;
}

static void fill_bonds(HedYarnContact* y, const HedYarnMatrixEval* eval) {
    HedYarnBlocks* own = &y->blocks;
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(2000) * own->bond.count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        for (int32_t i = range.first; i < range.end; ++i) {
            HedMat3* mine = own->own + (int64_t)HED_YARN_OWN * i;
            if (own->is_met[i]) {
                memset(mine, 0, HED_YARN_OWN * sizeof(HedMat3));
            }
            for (int32_t k = own->bond_first[i]; k < own->bond_first[i + 1]; ++k) {
                hed_yarn_pair_hessian_fill(y, eval, &own->bond.data[k], mine);
            }
        }
    }
}

// What segments have with themselves from pairs that they are second of.
static void gather_own(HedYarnContact* y) {
    HedYarnBlocks* own = &y->blocks;
    const HedYarnList* list = &y->list;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(100) * own->bond.count))
    for (int32_t j = 0; j < y->def.segment_count; ++j) {
        double* to = &own->own[(int64_t)HED_YARN_OWN * j].m[0][0];
        for (int32_t k = list->in_first[j]; k < list->in_first[j + 1] && own->is_met[j]; ++k) {
            int32_t bond = own->bond_of.data[list->in_pair[k]];
            const double* from = bond >= 0 ? &own->bond.data[bond].own[0].m[0][0] : NULL;
            for (int c = 0; c < 9 * HED_YARN_OWN && from; ++c) {
                to[c] += from[c];
            }
        }
    }
}

// Where the columns of each point begin, as if none came twice.
static HedStatus bound_rows(HedYarnContact* y, HedError* error) {
    HedYarnBlocks* own = &y->blocks;
    int64_t total = 0;
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        own->column_first[i] = (int32_t)total;
        for (int32_t k = y->point_first[i]; k < y->point_first[i + 1]; ++k) {
            int32_t s = y->point_use[k] / 4;
            if (own->is_met[s]) {
                int32_t in = y->list.in_first[s + 1] - y->list.in_first[s];
                total += 4 * (1 + (int64_t)in + own->bond_first[s + 1] - own->bond_first[s]);
            }
        }
        if (total > INT32_MAX) {
            return hed_fail(error, HED_INVALID, "too many contacts for one matrix: %d",
                            own->bond.count);
        }
    }
    own->column_first[y->def.point_count] = (int32_t)total;
    own->column.count = own->place.count = 0;
    bool ok = HED_RESERVE(&own->column, total) && HED_RESERVE(&own->place, total);
    return ok ? HED_OK : hed_fail_memory(error, "the matrix of contacts");
}

// A row while it is made: columns are in the order in which they were met. Finding them leaves the
// place of each block that is to be added.
typedef struct BlockRow {
    int32_t* column;
    int32_t* place;
    HedMat3* block; // NULL: columns are being found
    int32_t count;
    int32_t last; // found last
} BlockRow;

// Points of a segment follow each other, so the column after the last one is likely.
static inline int32_t find_place(BlockRow* row, int32_t column) {
    int32_t at = row->last + 1;
    if (at >= row->count || row->column[at] != column) {
        for (at = 0; at < row->count && row->column[at] != column; ++at) {
        }
    }
    if (at == row->count) {
        row->column[row->count++] = column;
    }
    row->last = at;
    return at;
}

// The block of the next column, NULL while columns are being found.
static inline HedMat3* next_block(BlockRow* row, int32_t column) {
    if (row->block) {
        return &row->block[*row->place++];
    }
    *row->place++ = find_place(row, column);
    return NULL;
}

// Rows hold transposed blocks: a product then needs no sums over lanes.
static inline void add_plain(HedMat3* to, const HedMat3* from) {
    double* t = &to->m[0][0];
    const double* f = &from->m[0][0];
    hed_wide_store(t, hed_wide_load(t) + hed_wide_load(f));
    hed_wide_store(t + 4, hed_wide_load(t + 4) + hed_wide_load(f + 4));
    t[8] += f[8];
}

static inline void add_turned(HedMat3* to, const HedMat3* from) {
    double* t = &to->m[0][0];
    HedWide low = hed_wide_load(&from->m[0][0]);  // 00 01 02 10
    HedWide high = hed_wide_load(&from->m[1][1]); // 11 12 20 21
    hed_wide_store(t, hed_wide_load(t) + __builtin_shufflevector(low, high, 0, 3, 6, 1));
    hed_wide_store(t + 4, hed_wide_load(t + 4) + __builtin_shufflevector(high, low, 0, 3, 6, 1));
    t[8] += from->m[2][2];
}

// Point a of segment s against the points of s itself.
static inline void walk_own(const HedYarnContact* y, int32_t s, int a, BlockRow* row) {
    const HedMat3* own = y->blocks.own + (int64_t)HED_YARN_OWN * s;
    for (int b = 0; b < 4; ++b) {
        HedMat3* to = next_block(row, y->segments[s].point[b]);
        if (to && b < a) {
            add_plain(to, &own[hed_yarn_own(b, a)]);
        } else if (to) {
            add_turned(to, &own[hed_yarn_own(a, b)]);
        }
    }
}

// The same against the other segment of a bond; side: which of its segments s is.
static inline void walk_bond(const HedYarnContact* y, const HedYarnPairHessian* bond, int side,
                             int a, BlockRow* row) {
    const int32_t* point = y->segments[bond->segment[1 - side]].point;
    for (int b = 0; b < 4; ++b) {
        HedMat3* to = next_block(row, point[b]);
        if (to && side == 0) {
            add_turned(to, &bond->cross[a][b]);
        } else if (to) {
            add_plain(to, &bond->cross[b][a]);
        }
    }
}

static void walk_row(const HedYarnContact* y, int32_t i, BlockRow* row) {
    const HedYarnBlocks* own = &y->blocks;
    const HedYarnList* list = &y->list;
    for (int32_t k = y->point_first[i]; k < y->point_first[i + 1]; ++k) {
        int32_t s = y->point_use[k] / 4;
        int a = y->point_use[k] % 4;
        if (!own->is_met[s]) {
            continue;
        }
        walk_own(y, s, a, row);
        for (int32_t b = own->bond_first[s]; b < own->bond_first[s + 1]; ++b) {
            walk_bond(y, &own->bond.data[b], 0, a, row);
        }
        for (int32_t p = list->in_first[s]; p < list->in_first[s + 1]; ++p) {
            int32_t b = own->bond_of.data[list->in_pair[p]];
            if (b >= 0) {
                walk_bond(y, &own->bond.data[b], 1, a, row);
            }
        }
    }
}

static void find_columns(HedYarnContact* y) {
    HedYarnBlocks* own = &y->blocks;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(500) * own->bond.count))
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        BlockRow row = {.column = own->column.data + own->column_first[i],
                        .place = own->place.data + own->column_first[i],
                        .last = -1};
        walk_row(y, i, &row);
        own->block_first[i + 1] = row.count;
    }
    own->block_first[0] = 0;
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        own->block_first[i + 1] += own->block_first[i];
    }
}

static void add_rows(HedYarnContact* y) {
    HedYarnBlocks* own = &y->blocks;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * own->bond.count))
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        int32_t count = own->block_first[i + 1] - own->block_first[i];
        BlockRow row = {.place = own->place.data + own->column_first[i],
                        .block = own->block.data + own->block_first[i]};
        memset(row.block, 0, (size_t)count * sizeof(HedMat3));
        walk_row(y, i, &row);
    }
}

HedStatus hed_yarn_linearise(HedYarnContact* contact, HedYarnState at, HedYarnScale scale,
                             HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    HedYarnMatrixEval eval = {at, scale,
                              y->def.friction_law != HED_YARN_NO_FRICTION && y->def.friction > 0.0};
    HED_TRY(allocate(y, error));
    HED_TRY(number_bonds(y, error));
    fill_bonds(y, &eval);
    gather_own(y);
    HED_TRY(bound_rows(y, error));
    find_columns(y);
    y->blocks.block.count = 0;
    // A product reads one number past the last block.
    if (!HED_RESERVE(&y->blocks.block, (int64_t)y->blocks.block_first[y->def.point_count] + 1)) {
        status = hed_fail_memory(error, "the matrix of contacts");
        goto done;
    }
    add_rows(y);
done:
    if (status != HED_OK && y->blocks.block_first) {
        memset(y->blocks.block_first, 0, ((size_t)y->def.point_count + 1) * sizeof(int32_t));
    }
    return status;
}

void hed_yarn_multiply(const HedYarnContact* contact, const HedVec3* from, HedVec3* to) {
    const HedYarnContact* y = contact;
    const HedYarnBlocks* own = &y->blocks;
    if (!own->block_first) {
        return;
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(2) * own->block_first[y->def.point_count]))
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        const int32_t* column = own->column.data + own->column_first[i];
        HedWide sum = hed_wide_all(0.0);
        for (int32_t e = own->block_first[i]; e < own->block_first[i + 1]; ++e) {
            HedVec3 x = from[*column++];
            const HedMat3* b = &own->block.data[e];
            sum += hed_wide_load(b->m[0]) * x.x;
            sum += hed_wide_load(b->m[1]) * x.y;
            sum += hed_wide_load(b->m[2]) * x.z;
        }
        to[i] = hed_add3(to[i], hed_vec3(sum[0], sum[1], sum[2]));
    }
}

void hed_yarn_add_diagonal(const HedYarnContact* contact, HedMat3* diagonal) {
    const HedYarnBlocks* own = &contact->blocks;
    for (int32_t i = 0; i < contact->def.point_count && own->block_first; ++i) {
        const int32_t* column = own->column.data + own->column_first[i];
        for (int32_t e = own->block_first[i]; e < own->block_first[i + 1]; ++e) {
            if (*column++ == i) {
                diagonal[i] = hed_mat3_add(diagonal[i], own->block.data[e]);
            }
        }
    }
}
