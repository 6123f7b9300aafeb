// SPDX-License-Identifier: MIT
#include "slide/lines.h"

#include "base/array.h"
#include "slide/lanes.h"

#include <string.h>

enum { TRIANGLE = 10, BLOCK = 16 };

typedef struct Wide44 {
    HedWide m[4][4];
} Wide44;

typedef struct Row {
    Wide44 inverse; // of L(k,k), lower triangle
    Wide44 e, g, t;
} Row;

HedStatus hed_net_lines_create(HedNetLines* lines, const HedNetMatrix* matrix, HedError* error) {
    int64_t steps = (int64_t)matrix->bands->step_count + 1;
    int32_t width = TRIANGLE + (matrix->third ? 3 : 2) * BLOCK;
    *lines = (HedNetLines){
        .matrix = matrix,
        .width = width,
        .factor = HED_NEW_ARRAY(float, steps* width* HED_BAND),
        .other = HED_NEW_ARRAY(float, steps * 4 * HED_BAND),
        .is_good = HED_NEW_ARRAY(bool, matrix->bands->count),
    };
    if (!lines->factor || !lines->other || !lines->is_good) {
        hed_net_lines_free(lines);
        return hed_fail_memory(error, "factors of lines");
    }
    return HED_OK;
}

void hed_net_lines_free(HedNetLines* lines) {
    hed_free(lines->factor);
    hed_free(lines->other);
    hed_free(lines->is_good);
    *lines = (HedNetLines){0};
}

// 1 in lanes whose place is its line's own.
HED_WIDE HedWide own_lanes(const HedBands* bands, int32_t step) {
    const uint8_t* kind = bands->kind + (int64_t)step * HED_BAND;
    return (HedWide){kind[0] & HED_PLACE_OWN, kind[1] & HED_PLACE_OWN, kind[2] & HED_PLACE_OWN,
                     kind[3] & HED_PLACE_OWN};
}

// The diagonal blocks of a step without the other yarn's coordinate; the unit matrix in lanes that
// are not own. Keeps what the elimination needs.
static void load_diagonal(const HedNetLines* lines, int32_t step, Wide44* a) {
    const HedBands* bands = lines->matrix->bands;
    float* other = lines->other + (int64_t)step * 4 * HED_BAND;
    for (int l = 0; l < HED_BAND; ++l) {
        int32_t place = step * HED_BAND + l;
        double full[4][4] = {{1.0, 0, 0, 0}, {0, 1.0, 0, 0}, {0, 0, 1.0, 0}, {0, 0, 0, 1.0}};
        double column[4] = {0.0, 0.0, 0.0, 1.0};
        if (bands->kind[place] & HED_PLACE_OWN) {
            const double* d =
                lines->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * bands->node[place];
            int own = 3 + bands->slot[place];
            int gone = 7 - own;
            double over = 1.0 / d[hed_net_diagonal(gone, gone)];
            for (int r = 0; r < 3; ++r) {
                column[r] = d[hed_net_diagonal(r, gone)] * over;
            }
            column[3] = over;
            for (int r = 0; r < 4; ++r) {
                int i = r < 3 ? r : own;
                for (int c = r; c < 4; ++c) {
                    int j = c < 3 ? c : own;
                    double gap = r < 3 && c < 3 ? column[r] * d[hed_net_diagonal(c, gone)] : 0.0;
                    full[r][c] = full[c][r] = d[hed_net_diagonal(i, j)] - gap;
                }
            }
        }
        for (int r = 0; r < 4; ++r) {
            other[r * HED_BAND + l] = (float)column[r];
            for (int c = 0; c < 4; ++c) {
                a->m[r][c][l] = full[r][c];
            }
        }
    }
}

// The transposed block of a step with one before it, 0 where either is not own. n: 4, or 3.
HED_WIDE void load_block(const double* block, int n, HedWide mask, Wide44* a) {
    *a = (Wide44){0};
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            a->m[c][r] = mask * hed_wide_load(block + (r * n + c) * HED_BAND);
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
    for (int l = 0; l < HED_BAND; ++l) {
        to[l] = (float)a[l];
    }
}

HED_WIDE float* store_block(const Wide44* a, float* to) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, to += HED_BAND) {
            store_floats(to, a->m[r][c]);
        }
    }
    return to;
}

static void store_row(const HedNetLines* lines, int32_t step, const Row* row) {
    float* to = lines->factor + (int64_t)step * lines->width * HED_BAND;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, to += HED_BAND) {
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
static void factor_row(const HedNetLines* lines, int32_t step, const HedWide own[4],
                       const Row* const before[3], Row* row, HedWide* low) {
    const HedNetMatrix* m = lines->matrix;
    Wide44 a;
    load_diagonal(lines, step, &a);
    load_block(m->near + (int64_t)(step - 1) * 16 * HED_BAND, 4, own[0] * own[1], &row->e);
    load_block(m->far + (int64_t)(step - 2) * 16 * HED_BAND, 4, own[0] * own[2], &row->g);
    if (m->third) {
        load_block(m->third + (int64_t)(step - 3) * 9 * HED_BAND, 3, own[0] * own[3], &row->t);
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

static bool factor_band(const HedNetLines* lines, int32_t band) {
    const HedBands* bands = lines->matrix->bands;
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

bool hed_net_lines_update(HedNetLines* lines) {
    const HedBands* bands = lines->matrix->bands;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(lines->matrix->team, INT64_C(200) * bands->step_count))
    for (int32_t b = 0; b < bands->count; ++b) {
        lines->is_good[b] = factor_band(lines, b);
    }
    return !memchr(lines->is_good, 0, (size_t)bands->count);
}

typedef struct Wide4 {
    HedWide c[4];
} Wide4;

// a -= block b, or its transpose.
HED_WIDE const float* subtract_block(const float* block, const Wide4* b, Wide4* a) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, block += HED_BAND) {
            a->c[r] -= hed_wide_load_floats(block) * b->c[c];
        }
    }
    return block;
}

HED_WIDE const float* subtract_transposed(const float* block, const Wide4* b, Wide4* a) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, block += HED_BAND) {
            a->c[c] -= hed_wide_load_floats(block) * b->c[r];
        }
    }
    return block;
}

HED_WIDE Wide4 times_inverse(const float* inverse, const Wide4* a) {
    Wide4 out = {0};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, inverse += HED_BAND) {
            out.c[r] += hed_wide_load_floats(inverse) * a->c[c];
        }
    }
    return out;
}

HED_WIDE Wide4 times_inverse_transposed(const float* inverse, const Wide4* a) {
    Wide4 out = {0};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, inverse += HED_BAND) {
            out.c[c] += hed_wide_load_floats(inverse) * a->c[r];
        }
    }
    return out;
}

// The right-hand side of a step, without the other yarn's coordinate.
HED_WIDE Wide4 gather(const HedNetLines* lines, int32_t step, const double* r) {
    const HedBands* bands = lines->matrix->bands;
    const float* column = lines->other + (int64_t)step * 4 * HED_BAND;
    const int32_t* node = bands->node + (int64_t)step * HED_BAND;
    const uint8_t* slot = bands->slot + (int64_t)step * HED_BAND;
    HedWide gone = {0};
    for (int l = 0; l < HED_BAND; ++l) {
        gone[l] = r[(int64_t)HED_NODE_SIZE * node[l] + 4 - slot[l]];
    }
    HedLaneNodes all = hed_lane_nodes(bands, step, r);
    Wide4 out = {{all.c[0], all.c[1], all.c[2], all.c[3]}};
    for (int c = 0; c < 3; ++c) {
        out.c[c] -= hed_wide_load_floats(column + c * HED_BAND) * gone;
    }
    return out;
}

// Adds a step's solution to z, the other yarn's coordinate included.
HED_WIDE void scatter(const HedNetLines* lines, int32_t step, const Wide4* x, double share,
                      const double* r, double* z) {
    const HedBands* bands = lines->matrix->bands;
    const float* column = lines->other + (int64_t)step * 4 * HED_BAND;
    for (int l = 0; l < HED_BAND; ++l) {
        int32_t place = step * HED_BAND + l;
        if (bands->kind[place] & HED_PLACE_OWN) {
            int64_t at = (int64_t)HED_NODE_SIZE * bands->node[place];
            int own = 3 + bands->slot[place];
            int gone = 7 - own;
            double rest = r[at + gone] * (double)column[3 * HED_BAND + l];
            for (int c = 0; c < 3; ++c) {
                z[at + c] += share * x->c[c][l];
                rest -= (double)column[c * HED_BAND + l] * x->c[c][l];
            }
            z[at + own] += share * x->c[3][l];
            z[at + gone] += share * rest;
        }
    }
}

HED_WIDE void solve_band(const HedNetLines* lines, int32_t band, double share, const double* r,
                         double* z, bool has_third) {
    const HedNetMatrix* m = lines->matrix;
    int32_t first = m->bands->first[band] + HED_HALO;
    int32_t end = m->bands->first[band + 1] - HED_HALO;
    int64_t width = (int64_t)lines->width * HED_BAND;
    Wide4 last = {0}, second = {0}, third = {0};
    for (int32_t s = first; s < end; ++s) {
        const float* row = lines->factor + s * width;
        Wide4 a = gather(lines, s, r);
        const float* next = subtract_block(row + TRIANGLE * HED_BAND, &last, &a);
        next = subtract_block(next, &second, &a);
        if (has_third) {
            subtract_block(next, &third, &a);
        }
        third = second;
        second = last;
        last = times_inverse(row, &a);
        double* out = m->sum + (int64_t)s * 4 * HED_BAND;
        for (int c = 0; c < 4; ++c) {
            hed_wide_store(out + c * HED_BAND, last.c[c]);
        }
    }
    Wide4 a = {0}, before = {0}, before_that = {0}; // what later rows take from this one on
    for (int32_t s = end - 1; s >= first; --s) {
        const float* row = lines->factor + s * width;
        const double* from = m->sum + (int64_t)s * 4 * HED_BAND;
        for (int c = 0; c < 4; ++c) {
            a.c[c] += hed_wide_load(from + c * HED_BAND);
        }
        Wide4 x = times_inverse_transposed(row, &a);
        a = before;
        before = before_that;
        before_that = (Wide4){0};
        const float* next = subtract_transposed(row + TRIANGLE * HED_BAND, &x, &a);
        next = subtract_transposed(next, &x, &before);
        if (has_third) {
            subtract_transposed(next, &x, &before_that);
        }
        scatter(lines, s, &x, share, r, z);
    }
}

static void solve_band_2(const HedNetLines* lines, int32_t band, double share, const double* r,
                         double* z) {
    solve_band(lines, band, share, r, z, false);
}

static void solve_band_3(const HedNetLines* lines, int32_t band, double share, const double* r,
                         double* z) {
    solve_band(lines, band, share, r, z, true);
}

void hed_net_lines_add(const HedNetLines* lines, int32_t color, double share, const double* r,
                       double* z, HedCrew crew) {
    const HedBands* bands = lines->matrix->bands;
    HedShare own = hed_crew_share(crew, bands->color_first[color], bands->color_first[color + 1]);
    for (int32_t b = own.first; b < own.end; ++b) {
        if (lines->matrix->third) {
            solve_band_3(lines, b, share, r, z);
        } else {
            solve_band_2(lines, b, share, r, z);
        }
    }
    hed_crew_meet(crew);
}
