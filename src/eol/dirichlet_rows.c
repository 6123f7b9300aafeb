// SPDX-License-Identifier: MIT
// Taking held unknowns out of a net's matrix: unit rows and columns in their place.
#include "eol/dirichlet_rows.h"

#include "eol/matrix.h"

// Whether number c (x, y, z, along) of a place is held.
static bool is_held_at(const HedYarnPacks* bands, const uint8_t* is_held, int32_t place, int c) {
    const uint8_t* at = is_held + (int64_t)HED_NODE_SIZE * bands->node[place];
    return c < 3 ? at[c] : at[3 + bands->slot[place]];
}

static bool has_held(const uint8_t* is_held, int32_t node) {
    const uint8_t* at = is_held + (int64_t)HED_NODE_SIZE * node;
    return at[0] | at[1] | at[2] | at[3] | at[4];
}

static void hold_block(const HedYarnPacks* bands, const uint8_t* is_held, int32_t place,
                       int32_t other, int n, double* blocks) {
    if (bands->visit[place] < 0 || bands->visit[other] < 0 ||
        !(has_held(is_held, bands->node[place]) || has_held(is_held, bands->node[other]))) {
        return;
    }
    double* block =
        blocks + (int64_t)(place / HED_YARN_PACK) * n * n * HED_YARN_PACK + place % HED_YARN_PACK;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            if (is_held_at(bands, is_held, place, r) || is_held_at(bands, is_held, other, c)) {
                block[(r * n + c) * HED_YARN_PACK] = 0.0;
            }
        }
    }
}

static void hold_diagonal(const uint8_t* is_held, int32_t node, double* d) {
    const uint8_t* at = is_held + (int64_t)HED_NODE_SIZE * node;
    for (int r = 0; r < HED_NODE_SIZE; ++r) {
        for (int c = r; c < HED_NODE_SIZE; ++c) {
            if (at[r] || at[c]) {
                d[hed_eol_diagonal(r, c)] = r == c ? 1.0 : 0.0;
            }
        }
    }
}

static void hold_pair(const uint8_t* is_held, const int32_t node[2], double block[9]) {
    const uint8_t* a = is_held + (int64_t)HED_NODE_SIZE * node[0];
    const uint8_t* b = is_held + (int64_t)HED_NODE_SIZE * node[1];
    for (int k = 0; k < 9; ++k) {
        block[k] = a[k / 3] || b[k % 3] ? 0.0 : block[k];
    }
}

void hed_eol_matrix_hold(HedEolMatrix* matrix, const uint8_t* is_held) {
    const HedYarnPacks* bands = matrix->bands;
#pragma omp parallel num_threads(hed_team_size(matrix->team, INT64_C(30) * bands->node_count))
    {
        HedThreadTeam threads = hed_thread_team();
        HedShare own = hed_yarn_packs_share(bands, threads, 0, bands->count);
        for (int32_t b = own.first; b < own.end; ++b) {
            int32_t end = bands->first[b + 1] * HED_YARN_PACK;
            for (int32_t p = bands->first[b] * HED_YARN_PACK; p + HED_YARN_PACK < end; ++p) {
                hold_block(bands, is_held, p, p + HED_YARN_PACK, 4, matrix->near);
                if (p + 2 * HED_YARN_PACK < end) {
                    hold_block(bands, is_held, p, p + 2 * HED_YARN_PACK, 4, matrix->far);
                }
                if (matrix->third && p + 3 * HED_YARN_PACK < end) {
                    hold_block(bands, is_held, p, p + 3 * HED_YARN_PACK, 3, matrix->third);
                }
            }
        }
        own = hed_thread_team_share(threads, 0, bands->node_count);
        for (int32_t i = own.first; i < own.end; ++i) {
            hold_diagonal(is_held, i, matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * i);
        }
        own = hed_thread_team_share(threads, 0, matrix->pairs.count);
        for (int32_t k = own.first; k < own.end; ++k) {
            hold_pair(is_held, matrix->pairs.nodes[k], matrix->pairs.block[k]);
        }
    }
}
