// SPDX-License-Identifier: MIT
// What a line couples between its nodes, times a vector: four lines side by side, each block read
// once for the place that it begins at and for the one that it leads to.
#include "base/simd.h"
#include "eol/lines.h"

enum { BLOCK = 16, AHEAD = 8 };

// --- copies ---

// The blocks of a step with one ahead, 0 where there is none; false if one leads to or from a place
// that is not the line's own.
static bool copy_blocks(const HedYarnPacks* bands, const double* blocks, int32_t step,
                        int32_t ahead, int n, float* to) {
    const double* from = blocks + (int64_t)step * n * n * HED_YARN_PACK;
    double has[HED_YARN_PACK];
    bool is_whole = true;
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        int32_t place = step * HED_YARN_PACK + l;
        int32_t other = place + ahead * HED_YARN_PACK;
        bool is_own = bands->kind[place] & HED_PLACE_OWN;
        bool has_other = bands->kind[other] & HED_PLACE_OWN;
        has[l] = is_own && has_other ? 1.0 : 0.0;
        is_whole =
            is_whole && (is_own == has_other || bands->visit[place] < 0 || bands->visit[other] < 0);
    }
    HedWide mask = hed_wide_load(has);
    for (int k = 0; k < n * n; ++k) {
        HedWide entry = mask * hed_wide_load(from + k * HED_YARN_PACK);
        for (int l = 0; l < HED_YARN_PACK; ++l) {
            to[k * HED_YARN_PACK + l] = (float)entry[l];
        }
    }
    return is_whole;
}

static void copy_own(const HedEolLines* lines, int32_t place, float* to) {
    const HedYarnPacks* bands = lines->matrix->bands;
    const double* d = lines->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * bands->node[place];
    bool is_own = bands->kind[place] & HED_PLACE_OWN;
    int32_t slot = bands->slot[place];
    const int order[HED_NODE_SIZE] = {0, 1, 2, 3 + slot, 4 - slot};
    for (int r = 0; r < HED_NODE_SIZE; ++r) {
        for (int c = r; c < HED_NODE_SIZE; ++c, to += HED_YARN_PACK) {
            int32_t low = order[r] < order[c] ? order[r] : order[c];
            int32_t high = order[r] < order[c] ? order[c] : order[r];
            *to = is_own ? (float)d[hed_eol_diagonal(low, high)] : 0.0F;
        }
    }
    *to = is_own && lines->colors_of[bands->node[place]] == 3 ? 1.0F : 0.0F;
}

bool hed_eol_lines_copy(const HedEolLines* lines, int32_t band) {
    const HedEolMatrix* m = lines->matrix;
    bool is_whole = true;
    for (int32_t s = m->bands->first[band]; s < m->bands->first[band + 1] - HED_HALO; ++s) {
        float* to = lines->ahead + (int64_t)s * lines->ahead_width * HED_YARN_PACK;
        for (int l = 0; l < HED_YARN_PACK; ++l) {
            copy_own(lines, s * HED_YARN_PACK + l,
                     lines->own + (int64_t)s * HED_LINE_OWN * HED_YARN_PACK + l);
        }
        is_whole = copy_blocks(m->bands, m->near, s, 1, 4, to) && is_whole;
        is_whole = copy_blocks(m->bands, m->far, s, 2, 4, to + BLOCK * HED_YARN_PACK) && is_whole;
        if (m->third) {
            to += HED_LINE_NEAR * HED_YARN_PACK;
            is_whole = copy_blocks(m->bands, m->third, s, 3, 3, to) && is_whole;
        }
    }
    return is_whole;
}

// --- products ---

typedef struct LineValues {
    HedWide c[4];
} LineValues;

HED_WIDE HedWideMask second_slots(const HedYarnPacks* bands, int32_t step) {
    const uint8_t* slot = bands->slot + (int64_t)step * HED_YARN_PACK;
    return (HedWideMask){-(int64_t)slot[0], -(int64_t)slot[1], -(int64_t)slot[2],
                         -(int64_t)slot[3]};
}

// Positions, and numbers along the lines' own yarns.
HED_WIDE LineValues gather(const HedYarnPacks* bands, int32_t step, const double* x) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    const double* a = x + (int64_t)HED_NODE_SIZE * node[0];
    const double* b = x + (int64_t)HED_NODE_SIZE * node[1];
    const double* c = x + (int64_t)HED_NODE_SIZE * node[2];
    const double* d = x + (int64_t)HED_NODE_SIZE * node[3];
    HedWide4 t =
        hed_wide_transpose(hed_wide_load(a), hed_wide_load(b), hed_wide_load(c), hed_wide_load(d));
    HedWide last = {a[4], b[4], c[4], d[4]};
    HedWide along = hed_wide_choose(second_slots(bands, step), last, t.row[3]);
    return (LineValues){{t.row[0], t.row[1], t.row[2], along}};
}

HED_WIDE void scatter(const HedYarnPacks* bands, int32_t step, double scale, const LineValues* a,
                      double* y) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    const uint8_t* kind = bands->kind + (int64_t)step * HED_YARN_PACK;
    HedWideMask second = second_slots(bands, step);
    HedWide by = hed_wide_all(scale);
    HedWide along = by * a->c[3];
    HedWide last = hed_wide_where(second, along);
    HedWide4 t = hed_wide_transpose(by * a->c[0], by * a->c[1], by * a->c[2], along - last);
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        if (kind[l] & HED_PLACE_OWN) {
            double* to = y + (int64_t)HED_NODE_SIZE * node[l];
            hed_wide_store(to, hed_wide_load(to) - t.row[l]);
            to[4] -= last[l];
        }
    }
}

HED_WIDE void fetch(const HedYarnPacks* bands, int32_t step, const double* x) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        hed_prefetch(x + (int64_t)HED_NODE_SIZE * node[l]);
    }
}

// Of a block with rows of one place and columns of another, n numbers each.
HED_WIDE void add_both(const float* block, int n, const LineValues* x, const LineValues* other,
                       LineValues* to, LineValues* to_other) {
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c, block += HED_YARN_PACK) {
            HedWide entry = hed_wide_load_floats(block);
            to->c[r] += entry * other->c[c];
            to_other->c[c] += entry * x->c[r];
        }
    }
}

HED_WIDE void multiply_band(const HedEolLines* lines, int32_t band, bool has_third, double scale,
                            const double* x, double* y) {
    const HedYarnPacks* bands = lines->matrix->bands;
    int32_t first = bands->first[band] + HED_HALO;
    int32_t end = bands->first[band + 1] - HED_HALO;
    int64_t width = (int64_t)lines->ahead_width * HED_YARN_PACK;
    LineValues in[4] = {gather(bands, first, x), gather(bands, first + 1, x),
                        gather(bands, first + 2, x)};
    LineValues out[4] = {0};
    for (int32_t s = first; s < end; ++s) {
        const float* block = lines->ahead + s * width;
        fetch(bands, hed_min_i32(s + AHEAD, end), x);
        fetch(bands, hed_min_i32(s + AHEAD, end), y);
        add_both(block, 4, &in[0], &in[1], &out[0], &out[1]);
        add_both(block + BLOCK * HED_YARN_PACK, 4, &in[0], &in[2], &out[0], &out[2]);
        if (has_third) {
            in[3] = gather(bands, s + 3, x);
            add_both(block + HED_LINE_NEAR * HED_YARN_PACK, 3, &in[0], &in[3], &out[0], &out[3]);
        }
        scatter(bands, s, scale, &out[0], y);
        in[0] = in[1];
        in[1] = in[2];
        in[2] = has_third ? in[3] : gather(bands, hed_min_i32(s + 3, end + HED_HALO - 1), x);
        out[0] = out[1];
        out[1] = out[2];
        out[2] = out[3];
        out[3] = (LineValues){0};
    }
}

static void multiply_plain(const HedEolLines* lines, int32_t band, double scale, const double* x,
                           double* y) {
    multiply_band(lines, band, false, scale, x, y);
}

static void multiply_third(const HedEolLines* lines, int32_t band, double scale, const double* x,
                           double* y) {
    multiply_band(lines, band, true, scale, x, y);
}

void hed_eol_lines_subtract(const HedEolLines* lines, int32_t color, double scale, const double* x,
                            double* y, HedThreadTeam threads) {
    const HedYarnPacks* bands = lines->matrix->bands;
    HedShare own = hed_yarn_packs_share(bands, threads, bands->color_first[color],
                                        bands->color_first[color + 1]);
    for (int32_t b = own.first; b < own.end; ++b) {
        if (lines->matrix->third) {
            multiply_third(lines, b, scale, x, y);
        } else {
            multiply_plain(lines, b, scale, x, y);
        }
    }
    hed_thread_team_barrier(threads);
}
