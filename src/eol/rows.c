// SPDX-License-Identifier: MIT
#include "eol/rows.h"

#include "base/array.h"
#include "base/simd.h"
#include "eol/matrix.h"

enum { ALONG = 16, PLAIN = 9 }; // numbers of a block
enum { MOST = 4 };              // blocks of a node along one slot
enum { AHEAD = 512 };           // floats that are asked for before they are needed

void hed_eol_rows_free(HedEolRows* rows) {
    hed_free(rows->along_first);
    hed_free(rows->along);
    hed_free(rows->along_from);
    hed_free(rows->plain_first);
    hed_free(rows->plain);
    hed_free(rows->plain_from);
    *rows = (HedEolRows){0};
}

// How the block of two nodes is kept in the row of the first.
typedef enum Keep {
    KEEP_NOT,  // it stands in the other row, and serves this one
    KEEP_ONE,  // it serves this row only
    KEEP_BOTH, // both
} Keep;

// Inside a range the row that is behind has the block: so nearly all nodes have as many, and their
// loops end where the processor expects it. A node that its yarn comes back to within three steps
// is coupled to itself, once from each side.
static Keep keep_of(int32_t i, int32_t j, bool is_behind) {
    if (i == j || i / HED_ROWS_RANGE != j / HED_ROWS_RANGE) {
        return KEEP_ONE;
    }
    return is_behind ? KEEP_BOTH : KEEP_NOT;
}

// A block in the row of a node.
typedef struct Entry {
    int32_t code;
    uint32_t from;
} Entry;

typedef struct RowMaker {
    HedEolRows* rows;
    const HedYarnPacks* bands;
    const int32_t (*pairs)[2];
    const int32_t* pair_first; // node_count + 1 of
    const int32_t* pair_row;   // 2 * pair, + 1 where the node is the second one
    bool has_third;
} RowMaker;

// The blocks of size 4 along one yarn of a node, or those of size 3.
static int32_t list_along(const RowMaker* m, int32_t i, int slot, bool is_plain, Entry out[MOST]) {
    int32_t place = m->bands->place[i][slot];
    int32_t count = 0;
    if (place >= m->bands->step_count * HED_YARN_PACK) {
        return 0;
    }
    for (int k = is_plain ? 2 : 0; k < (is_plain ? 3 : 2); ++k) {
        for (int side = 0; side < 2; ++side) {
            int32_t reach = (k + 1) * HED_YARN_PACK;
            int32_t low = side ? place - reach : place;
            int32_t other = side ? low : place + reach;
            if (m->bands->visit[other] < 0) {
                continue;
            }
            int32_t j = m->bands->node[other];
            Keep keep = keep_of(i, j, side == 0);
            if (keep != KEEP_NOT) {
                int32_t both = keep == KEEP_BOTH;
                out[count++] = (Entry){
                    is_plain ? 2 * j + both : 4 * j + 2 * both + m->bands->slot[other],
                    8 * (uint32_t)low + 2 * (uint32_t)k + (uint32_t)side,
                };
            }
        }
    }
    return count;
}

static bool pair_at(const RowMaker* m, int32_t i, int32_t k, Entry* out) {
    int32_t pair = m->pair_row[k] / 2;
    int32_t is_second = m->pair_row[k] & 1;
    int32_t j = m->pairs[pair][1 - is_second];
    const int32_t* visit = m->bands->visit;
    int32_t a = visit[m->bands->place[i][0]], b = visit[m->bands->place[j][0]];
    Keep keep = keep_of(i, j, a < b || (a == b && i < j));
    *out = (Entry){2 * j + (keep == KEEP_BOTH), 8 * (uint32_t)pair + 6 + (uint32_t)is_second};
    return keep != KEEP_NOT;
}

// Counts blocks, or stores them once there is room.
static void list_nodes(const RowMaker* m) {
    HedEolRows* rows = m->rows;
    int32_t along = 0, plain = 0;
    for (int32_t i = 0; i < rows->node_count; ++i) {
        Entry found[MOST];
        rows->plain_first[i] = plain;
        for (int slot = 0; slot < 2; ++slot) {
            rows->along_first[2 * i + slot] = along;
            int32_t count = list_along(m, i, slot, false, found);
            for (int32_t k = 0; k < count; ++k, ++along) {
                if (rows->along) {
                    rows->along[along] = found[k].code;
                    rows->along_from[along] = found[k].from;
                }
            }
            count = m->has_third ? list_along(m, i, slot, true, found) : 0;
            for (int32_t k = 0; k < count; ++k, ++plain) {
                if (rows->plain) {
                    rows->plain[plain] = found[k].code;
                    rows->plain_from[plain] = found[k].from;
                }
            }
        }
        for (int32_t k = m->pair_first[i]; k < m->pair_first[i + 1]; ++k) {
            if (pair_at(m, i, k, found)) {
                if (rows->plain) {
                    rows->plain[plain] = found->code;
                    rows->plain_from[plain] = found->from;
                }
                plain += 1;
            }
        }
    }
    rows->along_first[2 * (int64_t)rows->node_count] = along;
    rows->plain_first[rows->node_count] = plain;
}

HedStatus hed_eol_rows_create(HedEolRows* rows, const HedEolMatrix* matrix, HedError* error) {
    const HedYarnPacks* bands = matrix->bands;
    int64_t nodes = bands->node_count;
    *rows = (HedEolRows){.node_count = bands->node_count};
    if (bands->step_count >= INT32_MAX / 8 / HED_YARN_PACK ||
        matrix->pairs.count >= INT32_MAX / 8) {
        return hed_fail(error, HED_UNSUPPORTED, "too many crossings for one matrix: %lld",
                        (long long)nodes);
    }
    rows->along_first = HED_NEW_ARRAY(int32_t, 2 * nodes + 1);
    rows->plain_first = HED_NEW_ARRAY(int32_t, nodes + 1);
    if (rows->along_first && rows->plain_first) {
        RowMaker maker = {.rows = rows,
                          .bands = bands,
                          .pairs = (const int32_t(*)[2])matrix->pairs.nodes,
                          .pair_first = matrix->pairs.row_first,
                          .pair_row = matrix->pairs.row,
                          .has_third = matrix->third != NULL};
        list_nodes(&maker);
        int64_t along = rows->along_first[2 * nodes], plain = rows->plain_first[nodes];
        rows->along = HED_NEW_ARRAY(int32_t, along);
        rows->along_from = HED_NEW_ARRAY(uint32_t, along);
        rows->plain = HED_NEW_ARRAY(int32_t, plain);
        rows->plain_from = HED_NEW_ARRAY(uint32_t, plain);
        if (rows->along && rows->along_from && rows->plain && rows->plain_from) {
            list_nodes(&maker);
            return HED_OK;
        }
    }
    hed_eol_rows_free(rows);
    return hed_fail_memory(error, "rows of the net's matrix");
}

// --- values ---

bool hed_eol_values_create(HedEolValues* values, const HedEolRows* rows) {
    int64_t nodes = rows->node_count;
    // A row of a 3 x 3 block is read as four numbers.
    *values = (HedEolValues){
        .along = HED_NEW_ARRAY(double, ALONG*(int64_t)rows->along_first[2 * nodes] + 1),
        .plain = HED_NEW_ARRAY(double, PLAIN*(int64_t)rows->plain_first[nodes] + 1),
    };
    if (!values->along || !values->plain) {
        hed_eol_values_free(values);
        return false;
    }
    return true;
}

void hed_eol_values_free(HedEolValues* values) {
    hed_free(values->along);
    hed_free(values->plain);
    *values = (HedEolValues){0};
}

bool hed_eol_matrix_f32_create(HedEolMatrixF32* light, const HedEolRows* rows) {
    int64_t nodes = rows->node_count;
    *light = (HedEolMatrixF32){
        .along = HED_NEW_ARRAY(float, ALONG*(int64_t)rows->along_first[2 * nodes] + 1),
        .plain = HED_NEW_ARRAY(float, PLAIN*(int64_t)rows->plain_first[nodes] + 1),
        .diagonal = HED_NEW_ARRAY(float, HED_NODE_DIAGONAL* nodes),
    };
    if (!light->along || !light->plain || !light->diagonal) {
        hed_eol_matrix_f32_free(light);
        return false;
    }
    return true;
}

void hed_eol_matrix_f32_free(HedEolMatrixF32* light) {
    hed_free(light->along);
    hed_free(light->plain);
    hed_free(light->diagonal);
    *light = (HedEolMatrixF32){0};
}

// One block of size n from the bands: numbers of one lane.
static void take_lane(const double* block, int32_t place, int n, bool is_turned, double* to) {
    const double* b =
        block + (int64_t)(place / HED_YARN_PACK) * n * n * HED_YARN_PACK + place % HED_YARN_PACK;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            to[r * n + c] = b[(is_turned ? c * n + r : r * n + c) * HED_YARN_PACK];
        }
    }
}

static void take_plain(const HedEolMatrix* m, uint32_t from, double* to) {
    bool is_turned = from & 1;
    int32_t at = (int32_t)(from / 8);
    if ((from & 6) != 6) {
        take_lane(m->third, at, 3, is_turned, to);
        return;
    }
    for (int k = 0; k < PLAIN; ++k) {
        to[k] = m->pairs.block[at][is_turned ? k % 3 * 3 + k / 3 : k];
    }
}

void hed_eol_rows_take(const HedEolMatrix* m, HedThreadTeam threads) {
    const HedEolRows* rows = &m->rows;
    if (rows->node_count == 0) { // there was no memory for them
        return;
    }
    HedShare own = hed_thread_team_share(threads, 0, rows->node_count);
    for (int32_t e = rows->along_first[2 * (int64_t)own.first];
         e < rows->along_first[2 * (int64_t)own.end]; ++e) {
        uint32_t from = rows->along_from[e];
        take_lane(from & 6 ? m->far : m->near, (int32_t)(from / 8), 4, from & 1,
                  m->values.along + (int64_t)ALONG * e);
    }
    for (int32_t e = rows->plain_first[own.first]; e < rows->plain_first[own.end]; ++e) {
        take_plain(m, rows->plain_from[e], m->values.plain + (int64_t)PLAIN * e);
    }
}

static void copy_light(const double* from, int64_t first, int64_t end, float* to) {
    for (int64_t k = first; k < end; ++k) {
        to[k] = (float)from[k];
    }
}

void hed_eol_matrix_f32_take(const HedEolMatrix* m, HedEolMatrixF32* light, HedThreadTeam threads) {
    const HedEolRows* rows = &m->rows;
    if (rows->node_count == 0) { // there was no memory for them
        return;
    }
    HedShare own = hed_thread_team_share(threads, 0, rows->node_count);
    copy_light(m->values.along, (int64_t)ALONG * rows->along_first[2 * (int64_t)own.first],
               (int64_t)ALONG * rows->along_first[2 * (int64_t)own.end], light->along);
    copy_light(m->values.plain, (int64_t)PLAIN * rows->plain_first[own.first],
               (int64_t)PLAIN * rows->plain_first[own.end], light->plain);
    copy_light(m->diagonal, (int64_t)HED_NODE_DIAGONAL * own.first,
               (int64_t)HED_NODE_DIAGONAL * own.end, light->diagonal);
}

// --- products ---

// A range's part of x and y: per node as slot 0 and as slot 1 see it.
typedef struct RowWindow {
    HedWide x[HED_ROWS_RANGE][2];
    HedWide y[HED_ROWS_RANGE][2];
} RowWindow;

// Where a product reads its values: one of both.
typedef struct Source {
    const HedEolMatrix* matrix;
    const HedEolMatrixF32* light;
} Source;

HED_WIDE HedWide load(const double* heavy, const float* light, int64_t at) {
    return light ? hed_wide_load_floats(light + at) : hed_wide_load(heavy + at);
}

// Positions of a node, and its number of a slot.
HED_WIDE HedWide node_at(const double* x, int32_t node, int slot) {
    const double* at = x + (int64_t)HED_NODE_SIZE * node;
    return (HedWide){at[0], at[1], at[2], at[3 + slot]};
}

HED_WIDE HedWide positions_only(HedWide a) {
    const HedWideMask mask = {-1, -1, -1, 0};
    return hed_wide_where(mask, a);
}

// Blocks along one slot of node i.
HED_WIDE void multiply_along(Source s, int32_t i, int slot, int32_t first, const double* x,
                             RowWindow* w) {
    const HedEolRows* rows = &s.matrix->rows;
    const float* light = s.light ? s.light->along : NULL;
    const HedWide here = w->x[i - first][slot];
    const HedWide across[4] = {hed_wide_all(here[0]), hed_wide_all(here[1]), hed_wide_all(here[2]),
                               hed_wide_all(here[3])};
    HedWide a = {0}, b = {0}, c = {0}, d = {0};
    for (int32_t e = rows->along_first[2 * i + slot]; e < rows->along_first[2 * i + slot + 1];
         ++e) {
        int32_t code = rows->along[e];
        int32_t j = code >> 2;
        int64_t at = (int64_t)ALONG * e;
        HedWide r0 = load(s.matrix->values.along, light, at);
        HedWide r1 = load(s.matrix->values.along, light, at + 4);
        HedWide r2 = load(s.matrix->values.along, light, at + 8);
        HedWide r3 = load(s.matrix->values.along, light, at + 12);
        if (light) { // with doubles the machine's own guess is good, and asking disturbs it
            hed_prefetch_once(light + at + AHEAD);
        }
        HedWide v;
        if (code & 2) {
            HedWide* back = &w->y[j - first][code & 1];
            v = w->x[j - first][code & 1];
            *back += (r0 * across[0] + r1 * across[1]) + (r2 * across[2] + r3 * across[3]);
        } else {
            v = node_at(x, j, code & 1);
        }
        a += r0 * v;
        b += r1 * v;
        c += r2 * v;
        d += r3 * v;
    }
    w->y[i - first][slot] += hed_wide_sum_rows(a, b, c, d);
}

// Blocks between positions. The last lane of a row belongs to whatever follows in memory.
HED_WIDE void multiply_plain(Source s, int32_t i, int32_t first, const double* x, RowWindow* w) {
    const HedEolRows* rows = &s.matrix->rows;
    const float* light = s.light ? s.light->plain : NULL;
    const HedWide here = w->x[i - first][0];
    const HedWide across[3] = {hed_wide_all(here[0]), hed_wide_all(here[1]), hed_wide_all(here[2])};
    HedWide a = {0}, b = {0}, c = {0};
    for (int32_t e = rows->plain_first[i]; e < rows->plain_first[i + 1]; ++e) {
        int32_t code = rows->plain[e];
        int32_t j = code >> 1;
        int64_t at = (int64_t)PLAIN * e;
        HedWide r0 = load(s.matrix->values.plain, light, at);
        HedWide r1 = load(s.matrix->values.plain, light, at + 3);
        HedWide r2 = load(s.matrix->values.plain, light, at + 6);
        HedWide v;
        if (code & 1) {
            v = w->x[j - first][0];
            w->y[j - first][0] += positions_only(r0 * across[0] + r1 * across[1] + r2 * across[2]);
        } else {
            v = hed_wide_load(x + (int64_t)HED_NODE_SIZE * j);
        }
        v = positions_only(v);
        a += positions_only(r0) * v;
        b += positions_only(r1) * v;
        c += positions_only(r2) * v;
    }
    w->y[i - first][0] += hed_wide_sums(a, b, c);
}

// Five numbers of a node.
typedef struct Five {
    HedWide first;
    double last;
} Five;

// A node's own block, and what stands in the window.
HED_WIDE Five finish(Source s, int32_t i, int32_t first, const RowWindow* w) {
    int64_t at = (int64_t)HED_NODE_DIAGONAL * i;
    const double* heavy = s.matrix->diagonal;
    const float* light = s.light ? s.light->diagonal : NULL;
    HedWide a = load(heavy, light, at);      // 00 01 02 03
    HedWide b = load(heavy, light, at + 4);  // 04 11 12 13
    HedWide c = load(heavy, light, at + 8);  // 14 22 23 24
    HedWide d = load(heavy, light, at + 11); // 24 33 34 44
    HedWide v = w->x[i - first][0];
    HedWide p = w->y[i - first][0], q = w->y[i - first][1];
    HedWide second = __builtin_shufflevector(a, b, 1, 5, 6, 7);        // 01 11 12 13
    HedWide half = __builtin_shufflevector(a, b, 2, 6, 3, 7);          // 02 12 03 13
    HedWide third = __builtin_shufflevector(half, c, 0, 1, 5, 6);      // 02 12 22 23
    HedWide inner = __builtin_shufflevector(c, d, 2, 5, 3, 6);         // 23 33 24 34
    HedWide fourth = __builtin_shufflevector(half, inner, 2, 3, 4, 5); // 03 13 23 33
    HedWide outer = __builtin_shufflevector(b, c, 0, 4, 1, 5);         // 04 14 11 22
    HedWide last = __builtin_shufflevector(outer, inner, 0, 1, 6, 7);  // 04 14 24 34
    double along = w->x[i - first][1][3];
    HedWide sum = (a * hed_wide_all(v[0]) + second * hed_wide_all(v[1])) +
                  (third * hed_wide_all(v[2]) + fourth * hed_wide_all(v[3])) +
                  last * hed_wide_all(along);
    return (Five){sum + (p + positions_only(q)), hed_wide_sum(last * v) + (d[3] * along + q[3])};
}

HED_WIDE void multiply_range(Source s, int32_t range, HedEolProduct p) {
    const double* x = p.x;
    double gain = 0.0;
    RowWindow w;
    int32_t first = range * HED_ROWS_RANGE;
    int32_t end = hed_min_i32(first + HED_ROWS_RANGE, s.matrix->rows.node_count);
    for (int32_t i = first; i < end; ++i) {
        for (int slot = 0; slot < 2; ++slot) {
            w.x[i - first][slot] = node_at(x, i, slot);
            w.y[i - first][slot] = hed_wide_all(0.0);
        }
    }
    for (int32_t i = first; i < end; ++i) {
        multiply_along(s, i, 0, first, x, &w);
        multiply_along(s, i, 1, first, x, &w);
        multiply_plain(s, i, first, x, &w);
    }
    for (int32_t i = first; i < end; ++i) {
        Five out = finish(s, i, first, &w);
        double* to = p.y + (int64_t)HED_NODE_SIZE * i;
        if (p.b) {
            const double* from = p.b + (int64_t)HED_NODE_SIZE * i;
            HedWide b = hed_wide_load(from);
            double last = from[4];
            if (p.gain) {
                gain += hed_wide_sum(w.x[i - first][0] * (2.0 * b - out.first)) +
                        w.x[i - first][1][3] * (2.0 * last - out.last);
            }
            hed_wide_store(to, b - out.first);
            to[4] = last - out.last;
        } else {
            hed_wide_store(to, out.first);
            to[4] = out.last;
        }
    }
    if (p.gain) {
        p.gain[range] = gain;
    }
}

static void multiply_heavy(const HedEolMatrix* m, int32_t range, HedEolProduct p) {
    multiply_range((Source){m, NULL}, range, p);
}

static void multiply_light(Source s, int32_t range, HedEolProduct p) {
    multiply_range(s, range, p);
}

void hed_eol_rows_apply(const HedEolMatrix* m, const HedEolMatrixF32* light, HedEolProduct p,
                        HedThreadTeam threads) {
    HedShare own = hed_thread_team_share(threads, 0, hed_eol_range_count(m->rows.node_count));
    for (int32_t r = own.first; r < own.end; ++r) {
        if (light) {
            multiply_light((Source){m, light}, r, p);
        } else {
            multiply_heavy(m, r, p);
        }
    }
    hed_thread_team_barrier(threads);
}
