// SPDX-License-Identifier: MIT
#include "eol/lines.h"

#include "base/array.h"
#include "base/simd.h"

#include <string.h>

enum { TRIANGLE = HED_LINE_TRIANGLE, BLOCK = 16 };

typedef struct Wide44 {
    HedWide m[4][4];
} Wide44;

typedef struct Row {
    Wide44 inverse; // of L(k,k), lower triangle
    Wide44 e, g, t;
} Row;

// Whether a place and the next one of its line follow each other on the other yarn of their nodes;
// then where the block between them stands.
static bool find_clasp(const HedYarnPacks* bands, int32_t place, int32_t* block) {
    int32_t next = place + HED_YARN_PACK;
    if (!(bands->kind[place] & HED_PLACE_OWN && bands->kind[next] & HED_PLACE_OWN &&
          bands->kind[place] & HED_PLACE_SEGMENT)) {
        return false;
    }
    int32_t a = bands->place[bands->node[place]][1 - bands->slot[place]];
    int32_t b = bands->place[bands->node[next]][1 - bands->slot[next]];
    int32_t none = bands->step_count * HED_YARN_PACK;
    if (a >= none || b >= none) {
        return false;
    }
    bool is_back = bands->visit[b] == bands->visit[a] - 1;
    int32_t low = is_back ? b : a;
    *block = 2 * low + is_back;
    return (is_back || bands->visit[b] == bands->visit[a] + 1) &&
           bands->visit[low + HED_YARN_PACK] == bands->visit[low] + 1;
}

// Clasps share no node.
static void find_clasps(HedEolLines* lines) {
    const HedYarnPacks* bands = lines->matrix->bands;
    memset(lines->clasp, 0, (size_t)bands->step_count * HED_YARN_PACK);
    for (int32_t place = 0; place < (bands->step_count - 1) * HED_YARN_PACK; ++place) {
        int32_t block;
        if (lines->clasp[place] == 0 && find_clasp(bands, place, &block)) {
            lines->clasp[place] = 1;
            lines->clasp[place + HED_YARN_PACK] = -1;
            lines->clasp_block[place] = lines->clasp_block[place + HED_YARN_PACK] = block;
            lines->has_clasps = true;
        }
    }
}

static bool allocate_copies(HedEolLines* lines) {
    const HedYarnPacks* bands = lines->matrix->bands;
    if (lines->has_clasps || bands->color_count != 2) {
        return true;
    }
    int64_t steps = (int64_t)bands->step_count + 1;
    lines->ahead_width = HED_LINE_NEAR + (lines->matrix->third ? 9 : 0);
    lines->own = HED_NEW_ARRAY(float, steps* HED_LINE_OWN* HED_YARN_PACK);
    lines->ahead = HED_NEW_ARRAY(float, steps * lines->ahead_width * HED_YARN_PACK);
    lines->colors_of = HED_NEW_ARRAY(uint8_t, bands->node_count);
    return lines->own && lines->ahead && lines->colors_of;
}

HedStatus hed_eol_lines_create(HedEolLines* lines, const HedEolMatrix* matrix, HedError* error) {
    int64_t steps = (int64_t)matrix->bands->step_count + 1;
    int32_t width = TRIANGLE + (matrix->third ? 3 : 2) * BLOCK;
    *lines = (HedEolLines){
        .matrix = matrix,
        .width = width,
        .factor = HED_NEW_ARRAY(float, steps* width* HED_YARN_PACK),
        .other = HED_NEW_ARRAY(float, steps* HED_LINE_OTHER* HED_YARN_PACK),
        .scratch = HED_NEW_ARRAY(double, steps* HED_LINE_SCRATCH* HED_YARN_PACK),
        .is_good = HED_NEW_ARRAY(bool, matrix->bands->count),
        .is_cut = HED_NEW_ARRAY(bool, matrix->bands->count),
        .clasp = HED_NEW_ARRAY(int8_t, steps * HED_YARN_PACK),
        .clasp_block = HED_NEW_ARRAY(int32_t, steps * HED_YARN_PACK),
    };
    bool ok = lines->factor && lines->other && lines->scratch && lines->is_good && lines->is_cut &&
              lines->clasp && lines->clasp_block;
    if (ok) {
        find_clasps(lines);
    }
    if (!ok || !allocate_copies(lines)) {
        hed_eol_lines_free(lines);
        return hed_fail_memory(error, "factors of lines");
    }
    return HED_OK;
}

void hed_eol_lines_free(HedEolLines* lines) {
    hed_free(lines->factor);
    hed_free(lines->other);
    hed_free(lines->scratch);
    hed_free(lines->is_good);
    hed_free(lines->is_cut);
    hed_free(lines->clasp);
    hed_free(lines->clasp_block);
    hed_free(lines->own);
    hed_free(lines->ahead);
    hed_free(lines->colors_of);
    *lines = (HedEolLines){0};
}

// 1 in lanes whose place is its line's own.
HED_WIDE HedWide own_lanes(const HedYarnPacks* bands, int32_t step) {
    const uint8_t* kind = bands->kind + (int64_t)step * HED_YARN_PACK;
    return (HedWide){kind[0] & HED_PLACE_OWN, kind[1] & HED_PLACE_OWN, kind[2] & HED_PLACE_OWN,
                     kind[3] & HED_PLACE_OWN};
}

// What is left of a place's own block, and of the block with the one before it (rows of that one),
// when other coordinates u are gone: with C their columns with the positions of the place itself
// and of its partner in a clasp, S their own matrix, W = C' inv(S).
typedef struct Left {
    double own[4][4];
    double before[3][3];
    double other[HED_LINE_OTHER];
} Left;

static void copy_own(const double* d, int own, double out[4][4]) {
    for (int r = 0; r < 4; ++r) {
        for (int c = r; c < 4; ++c) {
            out[r][c] = out[c][r] = d[hed_eol_diagonal(r < 3 ? r : own, c < 3 ? c : own)];
        }
    }
}

static void eliminate_one(const double* d, int own, Left* left) {
    int gone = 7 - own;
    double over = 1.0 / d[hed_eol_diagonal(gone, gone)];
    copy_own(d, own, left->own);
    for (int r = 0; r < 3; ++r) {
        left->other[r] = d[hed_eol_diagonal(r, gone)] * over;
        for (int c = 0; c < 3; ++c) {
            left->own[r][c] -= left->other[r] * d[hed_eol_diagonal(c, gone)];
        }
    }
    left->other[6] = over;
}

// The same of two places of a clasp, of which `place` is one.
static void eliminate_two(const HedEolLines* lines, int32_t place, Left* left) {
    const HedYarnPacks* bands = lines->matrix->bands;
    int me = lines->clasp[place] > 0 ? 0 : 1;
    int32_t low = place - me * HED_YARN_PACK;
    int32_t block = lines->clasp_block[place];
    const double* near = lines->matrix->near +
                         (int64_t)(block / 2 / HED_YARN_PACK) * BLOCK * HED_YARN_PACK +
                         block / 2 % HED_YARN_PACK;
    double n[4][4]; // rows of the first place
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            n[r][c] = near[(block & 1 ? c * 4 + r : r * 4 + c) * HED_YARN_PACK];
        }
    }
    double column[2][6]; // of each u with the positions of both
    double s[2];
    for (int k = 0; k < 2; ++k) {
        int32_t at = low + k * HED_YARN_PACK;
        const double* d = lines->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * bands->node[at];
        int gone = 4 - bands->slot[at];
        s[k] = d[hed_eol_diagonal(gone, gone)];
        for (int c = 0; c < 3; ++c) {
            column[k][3 * k + c] = d[hed_eol_diagonal(c, gone)];
            column[k][3 - 3 * k + c] = k == 0 ? n[3][c] : n[c][3];
        }
        if (k == me) {
            copy_own(d, 3 + bands->slot[at], left->own);
        }
    }
    double over = 1.0 / (s[0] * s[1] - n[3][3] * n[3][3]);
    double inverse[2] = {over * s[1 - me], -over * n[3][3]}; // with u itself, with the partner's
    for (int r = 0; r < 3; ++r) {
        double with_own = column[me][3 * me + r];
        double with_partner = column[1 - me][3 * me + r];
        left->other[r] = inverse[0] * with_own + inverse[1] * with_partner;
        left->other[3 + r] = inverse[1] * with_own + over * s[me] * with_partner;
        for (int c = 0; c < 3; ++c) {
            left->own[r][c] -= left->other[r] * column[me][3 * me + c] +
                               left->other[3 + r] * column[1 - me][3 * me + c];
        }
    }
    for (int r = 0; me == 1 && r < 3; ++r) {
        for (int c = 0; c < 3; ++c) { // rows of the place before, columns of this one
            left->before[r][c] =
                n[r][c] - left->other[c] * column[1][r] - left->other[3 + c] * column[0][r];
        }
    }
    left->other[6] = inverse[0];
    left->other[7] = inverse[1];
    left->other[8 + me] = 1.0;
}

// The diagonal blocks of a step without the other yarn's coordinate; the unit matrix in lanes that
// are not own. Adds to the blocks e with the step before, transposed, what clasps couple. Keeps
// what the elimination needs.
static void load_diagonal(const HedEolLines* lines, int32_t step, Wide44* a, Wide44* e) {
    const HedYarnPacks* bands = lines->matrix->bands;
    float* other = lines->other + (int64_t)step * HED_LINE_OTHER * HED_YARN_PACK;
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        int32_t place = step * HED_YARN_PACK + l;
        Left left = {.own = {{1.0, 0, 0, 0}, {0, 1.0, 0, 0}, {0, 0, 1.0, 0}, {0, 0, 0, 1.0}}};
        if (lines->clasp[place] != 0) {
            eliminate_two(lines, place, &left);
        } else if (bands->kind[place] & HED_PLACE_OWN) {
            const double* d =
                lines->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * bands->node[place];
            eliminate_one(d, 3 + bands->slot[place], &left);
        }
        for (int k = 0; k < HED_LINE_OTHER; ++k) {
            other[k * HED_YARN_PACK + l] = (float)left.other[k];
        }
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 4; ++c) {
                a->m[r][c][l] = left.own[r][c];
            }
        }
        for (int r = 0; lines->clasp[place] < 0 && r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                e->m[c][r][l] += left.before[r][c];
            }
        }
    }
}

// The transposed block of a step with one before it, 0 where either is not own. n: 4, or 3.
HED_WIDE void load_block(const double* block, int n, HedWide mask, Wide44* a) {
    *a = (Wide44){0};
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            a->m[c][r] = mask * hed_wide_load(block + (r * n + c) * HED_YARN_PACK);
        }
    }
}

// a -= b c'
HED_WIDE void subtract_product(const Wide44* b, const Wide44* c, Wide44* a) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            HedWide sum = a->m[i][j];
            for (int k = 0; k < 4; ++k) {
                sum -= b->m[i][k] * c->m[j][k];
            }
            a->m[i][j] = sum;
        }
    }
}

// a times the transposed inverse of a factor.
HED_WIDE void divide(const Wide44* inverse, Wide44* a) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 3; j >= 0; --j) {
            HedWide sum = a->m[i][0] * inverse->m[j][0];
            for (int k = 1; k <= j; ++k) {
                sum += a->m[i][k] * inverse->m[j][k];
            }
            a->m[i][j] = sum;
        }
    }
}

HED_WIDE HedWide wide_sqrt(HedWide a) {
    return (HedWide){__builtin_sqrt(a[0]), __builtin_sqrt(a[1]), __builtin_sqrt(a[2]),
                     __builtin_sqrt(a[3])};
}

// The inverse of the Cholesky factor of a; lanes of low keep the smallest pivot seen, over what
// stood there.
HED_WIDE void invert_factor(const Wide44* a, Wide44* inverse, HedWide* low) {
    Wide44 l = {0};
    for (int j = 0; j < 4; ++j) {
        HedWide pivot = a->m[j][j];
        for (int k = 0; k < j; ++k) {
            pivot -= l.m[j][k] * l.m[j][k];
        }
        *low = hed_wide_min(*low, pivot);
        l.m[j][j] = wide_sqrt(pivot);
        HedWide over = 1.0 / l.m[j][j];
        inverse->m[j][j] = over;
        for (int i = j + 1; i < 4; ++i) {
            HedWide sum = a->m[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= l.m[i][k] * l.m[j][k];
            }
            l.m[i][j] = sum * over;
        }
    }
    for (int j = 0; j < 4; ++j) {
        for (int i = j + 1; i < 4; ++i) {
            HedWide sum = l.m[i][j] * inverse->m[j][j];
            for (int k = j + 1; k < i; ++k) {
                sum += l.m[i][k] * inverse->m[k][j];
            }
            inverse->m[i][j] = -sum * inverse->m[i][i];
        }
    }
}

HED_WIDE void store_floats(float* to, HedWide a) {
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        to[l] = (float)a[l];
    }
}

HED_WIDE float* store_block(const Wide44* a, float* to) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, to += HED_YARN_PACK) {
            store_floats(to, a->m[r][c]);
        }
    }
    return to;
}

static void store_row(const HedEolLines* lines, int32_t step, const Row* row) {
    float* to = lines->factor + (int64_t)step * lines->width * HED_YARN_PACK;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, to += HED_YARN_PACK) {
            store_floats(to, row->inverse.m[r][c]);
        }
    }
    to = store_block(&row->e, to);
    to = store_block(&row->g, to);
    if (lines->matrix->third) {
        store_block(&row->t, to);
    }
}

// One row of the factors from the three before it: before[0] is the last one.
static void factor_row(const HedEolLines* lines, int32_t step, const HedWide own[4],
                       const Row* const before[3], Row* row, HedWide* low) {
    const HedEolMatrix* m = lines->matrix;
    Wide44 a;
    load_block(m->near + (int64_t)(step - 1) * 16 * HED_YARN_PACK, 4, own[0] * own[1], &row->e);
    load_diagonal(lines, step, &a, &row->e);
    load_block(m->far + (int64_t)(step - 2) * 16 * HED_YARN_PACK, 4, own[0] * own[2], &row->g);
    if (m->third) {
        load_block(m->third + (int64_t)(step - 3) * 9 * HED_YARN_PACK, 3, own[0] * own[3], &row->t);
        divide(&before[2]->inverse, &row->t);
        subtract_product(&row->t, &before[1]->e, &row->g);
        subtract_product(&row->t, &before[0]->g, &row->e);
    } else {
        row->t = (Wide44){0};
    }
    divide(&before[1]->inverse, &row->g);
    subtract_product(&row->g, &before[0]->e, &row->e);
    divide(&before[0]->inverse, &row->e);
    subtract_product(&row->e, &row->e, &a);
    subtract_product(&row->g, &row->g, &a);
    if (m->third) {
        subtract_product(&row->t, &row->t, &a);
    }
    invert_factor(&a, &row->inverse, low);
    store_row(lines, step, row);
}

static bool factor_band(const HedEolLines* lines, int32_t band) {
    const HedYarnPacks* bands = lines->matrix->bands;
    int32_t first = bands->first[band];
    int32_t end = bands->first[band + 1];
    Row ring[4] = {0};
    HedWide low = {1.0, 1.0, 1.0, 1.0};
    for (int32_t s = first + HED_HALO; s < end - HED_HALO; ++s) {
        HedWide own[4];
        for (int k = 0; k < 4; ++k) {
            own[k] = own_lanes(bands, s - k);
        }
        const Row* before[3] = {&ring[(s + 3) & 3], &ring[(s + 2) & 3], &ring[(s + 1) & 3]};
        factor_row(lines, s, own, before, &ring[s & 3], &low);
    }
    return low[0] > 0.0 && low[1] > 0.0 && low[2] > 0.0 && low[3] > 0.0;
}

static void find_colors(HedEolLines* lines) {
    const HedYarnPacks* bands = lines->matrix->bands;
    memset(lines->colors_of, 0, (size_t)bands->node_count);
    for (int32_t c = 0; c < bands->color_count; ++c) {
        int32_t end = bands->first[bands->color_first[c + 1]] * HED_YARN_PACK;
        for (int32_t p = bands->first[bands->color_first[c]] * HED_YARN_PACK; p < end; ++p) {
            if (bands->kind[p] & HED_PLACE_OWN) {
                lines->colors_of[bands->node[p]] |= (uint8_t)(1 << c);
            }
        }
    }
}

bool hed_eol_lines_update(HedEolLines* lines) {
    const HedYarnPacks* bands = lines->matrix->bands;
    if (lines->has_clasps) {
        find_clasps(lines); // lines get shorter where yarns slide out
    }
    if (lines->own) {
        find_colors(lines);
    }
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(lines->matrix->team, INT64_C(200) * bands->step_count))
    {
        HedShare own = hed_yarn_packs_share(bands, hed_thread_team(), 0, bands->count);
        for (int32_t b = own.first; b < own.end; ++b) {
            lines->is_good[b] = factor_band(lines, b);
            lines->is_cut[b] = !lines->own || !hed_eol_lines_copy(lines, b);
        }
    }
    lines->is_whole = lines->own && !memchr(lines->is_cut, 1, (size_t)bands->count);
    return !memchr(lines->is_good, 0, (size_t)bands->count);
}
