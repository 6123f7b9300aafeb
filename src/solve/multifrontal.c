// SPDX-License-Identifier: MIT
// The pattern of the factors, their values, and solves with them.
#include "solve/multifrontal.h"

#include "base/array.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { ROWS = HED_FRONT_ROWS, PACK = HED_FRONT_PACK, LEAF = 8, DEEPEST = 20 };

// Part of a diagonal entry: pivots this small are what rounding leaves of unknowns that depend on
// others. Floats would leave more than soft motions have: factors are made in doubles.
static const double NOTHING = 1e-11;

void hed_multifrontal_free(HedMultifrontal* f) {
    hed_free(f->front);
    hed_free(f->order);
    hed_free(f->place);
    hed_free(f->at);
    hed_free(f->row);
    hed_free(f->pull);
    hed_free(f->panel);
    hed_free(f->light);
    hed_free(f->x);
    hed_free(f->scratch);
    hed_free(f->is_good);
    *f = (HedMultifrontal){0};
}

// --- pattern ---

typedef struct FrontMaker {
    HedMultifrontal* multifrontal;
    const HedBlockRows* rows;
    int32_t* mark; // per place: 1 + the last front that has it as a row
    HED_ARRAY(int32_t) row;
    HED_ARRAY(HedFrontPull) pull;
} FrontMaker;

static bool note_row(FrontMaker* m, int32_t front, int32_t place) {
    const HedFront* own = &m->multifrontal->front[front];
    if (place < own->first + own->count || m->mark[place] == front + 1) {
        return true;
    }
    m->mark[place] = front + 1;
    return HED_APPEND(&m->row, place);
}

static void sort_rows(int32_t* row, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        int32_t value = row[i];
        int32_t k = i;
        for (; k > 0 && row[k - 1] > value; --k) {
            row[k] = row[k - 1];
        }
        row[k] = value;
    }
}

// FrontRows of a front: what its blocks are coupled to, and the rows of its children.
static bool find_rows(FrontMaker* m, int32_t k) {
    HedMultifrontal* f = m->multifrontal;
    HedFront* own = &f->front[k];
    bool ok = true;
    own->row_first = m->row.count;
    for (int32_t child = 2 * k + 1; child <= 2 * k + 2 && child < f->front_count; ++child) {
        const HedFront* c = &f->front[child];
        for (int32_t i = 0; i < c->row_count && ok; ++i) {
            ok = note_row(m, k, m->row.data[c->row_first + i]);
        }
    }
    for (int32_t i = own->first; i < own->first + own->count; ++i) {
        int32_t block = f->order[i];
        for (int32_t e = m->rows->first[block]; e < m->rows->first[block + 1] && ok; ++e) {
            ok = note_row(m, k, f->place[m->rows->column[e]]);
        }
    }
    own->row_count = m->row.count - own->row_first;
    if (ok && own->row_count > 0) {
        sort_rows(m->row.data + own->row_first, own->row_count);
    }
    return ok;
}

// What a front takes from one of those below it.
static bool note_pull(FrontMaker* m, int32_t k, int32_t below) {
    const HedFront* own = &m->multifrontal->front[k];
    const HedFront* from = &m->multifrontal->front[below];
    const int32_t* row = m->row.data + from->row_first;
    int32_t begin = 0;
    while (begin < from->row_count && row[begin] < own->first) {
        ++begin;
    }
    int32_t end = begin;
    while (end < from->row_count && row[end] < own->first + own->count) {
        ++end;
    }
    return begin == end || HED_APPEND(&m->pull, (HedFrontPull){below, begin, end});
}

// The fronts below k, depth by depth.
static bool find_pulls(FrontMaker* m, int32_t k) {
    int32_t count = m->multifrontal->front_count;
    bool ok = true;
    m->multifrontal->front[k].pull_first = m->pull.count;
    int32_t from = 2 * k + 1;
    int32_t to = 2 * k + 2;
    for (; from < count; from = 2 * from + 1, to = 2 * to + 2) {
        for (int32_t below = from; below <= to && ok; ++below) {
            ok = note_pull(m, k, below);
        }
    }
    m->multifrontal->front[k].pull_end = m->pull.count;
    return ok;
}

// Where each front's numbers stand; false if they are too many.
static bool lay_out(HedMultifrontal* f) {
    int64_t panel = 0;
    int64_t value = 0;
    for (int32_t k = 0; k < f->front_count; ++k) {
        HedFront* own = &f->front[k];
        own->width = (ROWS * own->count + PACK - 1) / PACK * PACK;
        own->value = (int32_t)value;
        own->panel = panel;
        int64_t size = (int64_t)own->width * (own->width + ROWS * own->row_count);
        for (int32_t i = 0; i < own->count; ++i) {
            f->at[own->first + i] = own->value + ROWS * i;
        }
        panel += size;
        value += own->width;
        f->scratch_size = size > f->scratch_size ? size : f->scratch_size;
    }
    f->panel = value < INT32_MAX ? HED_NEW_ARRAY(double, panel) : NULL;
    f->light = f->panel ? HED_NEW_ARRAY(float, panel) : NULL;
    f->x = f->light ? HED_NEW_ARRAY(double, value) : NULL;
    f->scratch = f->x ? HED_NEW_ARRAY(double, f->scratch_size * f->scratch_count) : NULL;
    return f->scratch != NULL;
}

static bool find_pattern(FrontMaker* m) {
    bool ok = true;
    for (int32_t k = m->multifrontal->front_count - 1; k >= 0 && ok; --k) {
        ok = find_rows(m, k);
    }
    for (int32_t k = 0; k < m->multifrontal->front_count && ok; ++k) {
        ok = find_pulls(m, k);
    }
    m->multifrontal->row = m->row.data;
    m->multifrontal->pull = m->pull.data;
    return ok;
}

HedStatus hed_multifrontal_create(HedMultifrontal* f, const HedBlockRows* rows,
                                  const HedVec3* centre, int32_t threads) {
    int32_t depth = 0;
    while (depth < DEEPEST && rows->count >> depth > 2 * LEAF) {
        depth += 1;
    }
    *f = (HedMultifrontal){.count = rows->count,
                           .depth = depth,
                           .front_count = (2 << depth) - 1,
                           .scratch_count = threads};
    f->front = HED_NEW_ARRAY(HedFront, f->front_count);
    f->is_good = HED_NEW_ARRAY(bool, f->front_count);
    f->order = HED_NEW_ARRAY(int32_t, rows->count);
    f->place = HED_NEW_ARRAY(int32_t, rows->count);
    f->at = HED_NEW_ARRAY(int32_t, rows->count);
    FrontMaker m = {.multifrontal = f, .rows = rows, .mark = HED_NEW_ARRAY(int32_t, rows->count)};
    bool ok = f->front && f->is_good && f->order && f->place && f->at && m.mark &&
              hed_multifrontal_dissect(f, rows, centre) == HED_OK && find_pattern(&m) && lay_out(f);
    hed_free(m.mark);
    if (!ok) {
        hed_multifrontal_free(f);
        return HED_NO_MEMORY;
    }
    return HED_OK;
}

// --- values ---

static inline double* panel_row(const HedMultifrontal* f, const HedFront* front, int64_t row) {
    return f->panel + front->panel + row * front->width;
}

static inline float* light_row(const HedMultifrontal* f, const HedFront* front, int64_t row) {
    return f->light + front->panel + row * front->width;
}

// FrontRows of a panel and how far they are from each other.
typedef struct FrontRows {
    const double* at;
    int64_t stride;
} FrontRows;

typedef struct LightRows {
    const float* at;
    int64_t stride;
} LightRows;

// to -= a b' for two columns of six rows; length is a multiple of four.
HED_WIDE void subtract_two(FrontRows a, FrontRows b, int32_t length, double* to, int64_t stride) {
    HedWide s[ROWS][2] = {{{0}}};
    for (int32_t k = 0; k < length; k += 4) {
        HedWide first = hed_wide_load(b.at + k);
        HedWide second = hed_wide_load(b.at + b.stride + k);
        for (int r = 0; r < ROWS; ++r) {
            HedWide v = hed_wide_load(a.at + r * a.stride + k);
            s[r][0] += v * first;
            s[r][1] += v * second;
        }
    }
    HedWide sums[3] = {hed_wide_sum_rows(s[0][0], s[0][1], s[1][0], s[1][1]),
                       hed_wide_sum_rows(s[2][0], s[2][1], s[3][0], s[3][1]),
                       hed_wide_sum_rows(s[4][0], s[4][1], s[5][0], s[5][1])};
    for (int k = 0; k < 2 * ROWS; ++k) {
        to[k / 2 * stride + k % 2] -= sums[k / 4][k % 4];
    }
}

static void subtract_tile(FrontRows a, FrontRows b, int32_t length, double* to, int64_t stride) {
    for (int c = 0; c < ROWS; c += 2) {
        FrontRows two = {b.at + c * b.stride, b.stride};
        subtract_two(a, two, length, to + c, stride);
    }
}

// The matrix's own entries in the columns of a front.
static void take_entries(const HedMultifrontal* f, const HedFront* front, const HedBlockRows* rows,
                         double* w) {
    int32_t end = front->first + front->count;
    const int32_t* row = f->row + front->row_first;
    for (int32_t i = 0; i < front->count; ++i) {
        int32_t block = f->order[front->first + i];
        for (int32_t e = rows->first[block] - 1; e < rows->first[block + 1]; ++e) {
            bool is_own = e < rows->first[block];
            int32_t place = is_own ? front->first + i : f->place[rows->column[e]];
            if (place < front->first + i) {
                continue;
            }
            int32_t local = ROWS * (place - front->first);
            if (place >= end) {
                int32_t low = 0, high = front->row_count - 1;
                while (low < high) {
                    int32_t middle = (low + high) / 2;
                    low = row[middle] < place ? middle + 1 : low;
                    high = row[middle] < place ? high : middle;
                }
                local = front->width + ROWS * low;
            }
            const double* from = is_own ? rows->diagonal + (int64_t)ROWS * ROWS * block
                                        : rows->block + (int64_t)ROWS * ROWS * e;
            for (int k = 0; k < ROWS * ROWS; ++k) { // rows of the later block: columns of `from`
                w[(int64_t)(local + k / ROWS) * front->width + ROWS * i + k % ROWS] = from[k];
            }
        }
    }
}

// Subtracts what one front below makes of the columns of this one.
static void take_pull(const HedMultifrontal* f, const HedFront* front, HedFrontPull pull,
                      double* w) {
    const HedFront* from = &f->front[pull.front];
    const int32_t* row = f->row + from->row_first;
    const int32_t* own = f->row + front->row_first;
    int32_t next = 0;
    for (int32_t i = pull.begin; i < from->row_count; ++i) {
        int32_t local;
        if (i < pull.end) {
            local = ROWS * (row[i] - front->first);
        } else {
            while (own[next] < row[i]) {
                ++next;
            }
            local = front->width + ROWS * next;
        }
        FrontRows a = {panel_row(f, from, from->width + ROWS * i), from->width};
        for (int32_t j = pull.begin; j < pull.end && j <= i; ++j) {
            FrontRows b = {panel_row(f, from, from->width + ROWS * j), from->width};
            int32_t column = ROWS * (row[j] - front->first);
            subtract_tile(a, b, from->width, w + (int64_t)local * front->width + column,
                          front->width);
        }
    }
}

// The inverse of the factor of one pack on the diagonal, transposed; own: the entries that stood
// on the diagonal of the matrix. False if it is not positive semidefinite.
static bool invert_pack(const double* w, int64_t stride, const double* own,
                        double turned[PACK][PACK]) {
    double l[PACK][PACK] = {{0}};
    bool ok = true;
    for (int j = 0; j < PACK; ++j) {
        double pivot = w[j * stride + j];
        for (int k = 0; k < j; ++k) {
            pivot -= l[j][k] * l[j][k];
        }
        ok = ok && pivot >= -NOTHING * own[j];
        double over = pivot > NOTHING * own[j] ? 1.0 / sqrt(pivot) : 0.0;
        for (int i = j + 1; i < PACK; ++i) {
            double sum = w[i * stride + j];
            for (int k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum * over;
        }
        l[j][j] = over;
        memset(turned[j], 0, sizeof turned[j]);
        turned[j][j] = over;
        for (int i = 0; i < j; ++i) {
            double sum = 0.0;
            for (int k = i; k < j; ++k) {
                sum += l[j][k] * turned[i][k];
            }
            turned[i][j] = -sum * over;
        }
    }
    return ok;
}

// One row of a pack of columns: w times the inverse.
HED_WIDE void finish_row(const double* w, const double turned[PACK][PACK], double* to,
                         float* light) {
    HedWide sum[PACK / 4] = {{0}};
    for (int k = 0; k < PACK; ++k) {
        for (int c = 0; c < PACK / 4; ++c) {
            sum[c] += hed_wide_all(w[k]) * hed_wide_load(&turned[k][4 * c]);
        }
    }
    for (int c = 0; c < PACK; ++c) {
        to[c] = sum[c / 4][c % 4];
        light[c] = (float)to[c];
    }
}

// A pack of columns once those before it are done. What solves read has the inverse on the
// diagonal.
static bool finish_pack(const HedMultifrontal* f, const HedFront* front, int32_t pack,
                        const double* own, double* w) {
    int64_t width = front->width;
    int32_t begin = PACK * pack;
    int32_t end = front->width + ROWS * front->row_count;
    for (int32_t i = begin; i < end && pack > 0; i += ROWS) {
        FrontRows a = {panel_row(f, front, i), width};
        for (int32_t c = begin; c < begin + PACK; c += ROWS) {
            FrontRows b = {panel_row(f, front, c), width};
            subtract_tile(a, b, begin, w + i * width + c, width);
        }
    }
    double turned[PACK][PACK];
    bool ok = invert_pack(w + begin * width + begin, width, own, turned);
    for (int k = 0; k < PACK * PACK; ++k) {
        light_row(f, front, begin + k / PACK)[begin + k % PACK] = (float)turned[k % PACK][k / PACK];
    }
    for (int32_t i = begin + PACK; i < end; ++i) {
        finish_row(w + i * width + begin, (const double(*)[PACK])turned,
                   panel_row(f, front, i) + begin, light_row(f, front, i) + begin);
    }
    return ok;
}

static bool factor_front(HedMultifrontal* f, int32_t k, const HedBlockRows* rows, double* w) {
    const HedFront* front = &f->front[k];
    int64_t size = (int64_t)front->width * (front->width + ROWS * front->row_count);
    memset(w, 0, sizeof *w * (size_t)size);
    take_entries(f, front, rows, w);
    for (int32_t p = front->pull_first; p < front->pull_end; ++p) {
        take_pull(f, front, f->pull[p], w);
    }
    bool ok = true;
    for (int32_t pack = 0; pack < front->width / PACK; ++pack) {
        double own[PACK] = {0};
        for (int c = 0; c < PACK && PACK * pack + c < ROWS * front->count; ++c) {
            int32_t block = f->order[front->first + (PACK * pack + c) / ROWS];
            own[c] = rows->diagonal[(int64_t)ROWS * ROWS * block + c % ROWS * (ROWS + 1)];
        }
        ok = finish_pack(f, front, pack, own, w) && ok;
    }
    return ok;
}

static void factor_depths(HedMultifrontal* f, const HedBlockRows* rows, HedThreadTeam threads) {
    double* w = f->scratch + threads.rank * f->scratch_size;
    for (int32_t depth = f->depth; depth >= 0; --depth) {
        HedShare own = hed_thread_team_share(threads, (1 << depth) - 1, (2 << depth) - 1);
        for (int32_t k = own.first; k < own.end; ++k) {
            f->is_good[k] = factor_front(f, k, rows, w);
        }
        hed_thread_team_barrier(threads);
    }
}

bool hed_multifrontal_factor(HedMultifrontal* f, const HedBlockRows* rows, const HedTeam* team) {
#pragma omp parallel num_threads(                                                                  \
    hed_min_i32(hed_team_size(team, INT64_C(5000) * f->count), f->scratch_count))
    factor_depths(f, rows, hed_thread_team());
    return !memchr(f->is_good, 0, (size_t)f->front_count);
}

// --- solves ---

// Asks for the six rows after these; rows are too short for the machine's own guess.
static inline void fetch_next(LightRows a, int32_t length) {
    const float* next = a.at + ROWS * a.stride;
    for (int32_t k = 0; k < ROWS * length; k += 16) {
        hed_prefetch_once(next + k);
    }
}

// to -= six rows times x.
HED_WIDE void subtract_rows(LightRows a, int32_t length, const double* x, double* to) {
    HedWide s[ROWS] = {{0}};
    fetch_next(a, length);
    for (int32_t k = 0; k < length; k += 4) {
        HedWide v = hed_wide_load(x + k);
        for (int r = 0; r < ROWS; ++r) {
            s[r] += hed_wide_load_floats(a.at + r * a.stride + k) * v;
        }
    }
    HedWide low = hed_wide_sum_rows(s[0], s[1], s[2], s[3]);
    HedWide high = hed_wide_sum_rows(s[4], s[5], s[4], s[5]);
    for (int r = 0; r < ROWS; ++r) {
        to[r] -= r < 4 ? low[r] : high[r - 4];
    }
}

// to -= the same rows transposed times x.
HED_WIDE void subtract_columns(LightRows a, int32_t length, const double* x, double* to) {
    HedWide v[ROWS];
    fetch_next(a, length);
    for (int r = 0; r < ROWS; ++r) {
        v[r] = hed_wide_all(x[r]);
    }
    for (int32_t k = 0; k < length; k += 4) {
        HedWide sum = hed_wide_load(to + k);
        for (int r = 0; r < ROWS; ++r) {
            sum -= hed_wide_load_floats(a.at + r * a.stride + k) * v[r];
        }
        hed_wide_store(to + k, sum);
    }
}

static void go_up(const HedMultifrontal* f, int32_t k) {
    const HedFront* front = &f->front[k];
    double* x = f->x + front->value;
    for (int32_t p = front->pull_first; p < front->pull_end; ++p) {
        HedFrontPull pull = f->pull[p];
        const HedFront* from = &f->front[pull.front];
        for (int32_t i = pull.begin; i < pull.end; ++i) {
            LightRows a = {light_row(f, from, from->width + ROWS * i), from->width};
            subtract_rows(a, from->width, f->x + from->value,
                          f->x + f->at[f->row[from->row_first + i]]);
        }
    }
    for (int32_t begin = 0; begin < front->width; begin += PACK) {
        for (int32_t c = begin; c < begin + PACK; c += ROWS) {
            LightRows a = {light_row(f, front, c), front->width};
            subtract_rows(a, begin, x, x + c);
        }
        double b[PACK];
        memcpy(b, x + begin, sizeof b);
        memset(x + begin, 0, sizeof b);
        for (int c = 0; c < PACK; c += ROWS) {
            LightRows a = {light_row(f, front, begin + c) + begin, front->width};
            subtract_rows(a, PACK, b, x + begin + c);
        }
        for (int c = 0; c < PACK; ++c) {
            x[begin + c] = -x[begin + c];
        }
    }
}

static void go_down(const HedMultifrontal* f, int32_t k) {
    const HedFront* front = &f->front[k];
    double* x = f->x + front->value;
    for (int32_t i = 0; i < front->row_count; ++i) {
        LightRows a = {light_row(f, front, front->width + ROWS * i), front->width};
        subtract_columns(a, front->width, f->x + f->at[f->row[front->row_first + i]], x);
    }
    for (int32_t begin = front->width - PACK; begin >= 0; begin -= PACK) {
        double b[PACK];
        for (int c = 0; c < PACK; ++c) {
            b[c] = -x[begin + c];
            x[begin + c] = 0.0;
        }
        for (int c = 0; c < PACK; c += ROWS) {
            LightRows a = {light_row(f, front, begin + c) + begin, front->width};
            subtract_columns(a, PACK, b + c, x + begin);
        }
        for (int32_t c = begin; c < begin + PACK; c += ROWS) {
            LightRows a = {light_row(f, front, c), front->width};
            subtract_columns(a, begin, x + c, x);
        }
    }
}

// A whole part of the tree: what is read again is still near.
static void go_up_tree(const HedMultifrontal* f, int32_t k) {
    for (int32_t child = 2 * k + 1; child <= 2 * k + 2 && child < f->front_count; ++child) {
        go_up_tree(f, child);
    }
    go_up(f, k);
}

static void go_down_tree(const HedMultifrontal* f, int32_t k) {
    go_down(f, k);
    for (int32_t child = 2 * k + 1; child <= 2 * k + 2 && child < f->front_count; ++child) {
        go_down_tree(f, child);
    }
}

void hed_multifrontal_solve(const HedMultifrontal* f, const double* b, double* x,
                            HedThreadTeam threads) {
    enum { APART = 3 }; // depth from which on threads take whole trees
    int32_t apart = f->depth < APART ? f->depth : APART;
    HedShare own = hed_thread_team_share(threads, 0, f->count);
    for (int32_t k = own.first; k < own.end; ++k) {
        memcpy(f->x + f->at[k], b + (int64_t)ROWS * f->order[k], ROWS * sizeof *b);
    }
    hed_thread_team_barrier(threads);
    for (int32_t depth = apart; depth >= 0; --depth) {
        HedShare multifrontal = hed_thread_team_share(threads, (1 << depth) - 1, (2 << depth) - 1);
        for (int32_t k = multifrontal.first; k < multifrontal.end; ++k) {
            if (depth == apart) {
                go_up_tree(f, k);
            } else {
                go_up(f, k);
            }
        }
        hed_thread_team_barrier(threads);
    }
    for (int32_t depth = 0; depth <= apart; ++depth) {
        HedShare multifrontal = hed_thread_team_share(threads, (1 << depth) - 1, (2 << depth) - 1);
        for (int32_t k = multifrontal.first; k < multifrontal.end; ++k) {
            if (depth == apart) {
                go_down_tree(f, k);
            } else {
                go_down(f, k);
            }
        }
        hed_thread_team_barrier(threads);
    }
    for (int32_t k = own.first; k < own.end; ++k) {
        memcpy(x + (int64_t)ROWS * f->order[k], f->x + f->at[k], ROWS * sizeof *b);
    }
    hed_thread_team_barrier(threads);
}
