// SPDX-License-Identifier: MIT
// The equations of each yarn by itself, solved by Cholesky factors of a band: what is stiff about a
// yarn is stiff along it. Without contacts between yarns this is the whole matrix, and conjugate
// gradients need one iteration.
//
// The unknowns of a row stand together: three of the point, and the extra one; a line without extra
// unknowns has some that nothing is coupled with. So all is made of 4 x 4 blocks, four numbers wide
// each, and elimination goes from row to row:
//   L_k = C_k D^-1,   C of rows (a, b) ahead -= L_a C_b'
// with the pivot D of the row and the blocks C_k below it. A solve reads each block twice and keeps
// what it works on in registers. A closed line is folded, 0, n - 1, 1, n - 2 ...: neighbours stay
// neighbours, at twice the distance.
//
// Rows outside of all lines are left to the preconditioner that would be chosen for them alone.
#include "solve/lines.h"
#include "base/alloc.h"
#include "base/simd.h"
#include "solve/preconditioner_kinds.h"

#include <math.h>
#include <string.h>

enum { FOUR = 4, SIXTEEN = 16, REACH = 6 }; // blocks below a pivot, at most

// Parts of a diagonal entry. An extra unknown whose pivot is less depends on others (the angles of
// a ring that can all turn together) and gets the value zero.
static const double NOTHING = 1e-11;

// The factor of one line: for each row the inverse of its pivot and then the blocks of L below it,
// `reach` of them. Blocks stand column after column.
typedef struct Band {
    HedRowLine line;
    int32_t reach;
    int64_t first; // double of its first block
    int64_t work;  // row of its first vector
    bool is_good;
} Band;

typedef struct Lines {
    const HedLineSet* set;
    const HedTeam* team;
    Band* band;
    int32_t band_count;
    double* value;
    double* work;            // four per row, and as many rows behind each line as a band reaches
    double* whole;           // per row: the extra unknown's diagonal entry before elimination
    int64_t cost;            // ns, roughly, of a solve
    HedPreconditioner* rest; // of rows outside; NULL: there are none
    double* rest_free;       // per row: 0 inside of lines
    double* rest_x;
    int32_t row_count;
} Lines;

static void destroy(void* self) {
    Lines* lines = self;
    hed_preconditioner_destroy(lines->rest);
    hed_free(lines->band);
    hed_free(lines->value);
    hed_free(lines->work);
    hed_free(lines->whole);
    hed_free(lines->rest_free);
    hed_free(lines->rest_x);
    hed_free(lines);
}

// Columns of all lines, with as many empty rows behind each as elimination looks ahead.
static HedStatus lay_out(Lines* lines) {
    int64_t values = 0, work = 0;
    for (int32_t k = 0; k < lines->band_count; ++k) {
        Band* band = &lines->band[k];
        HedRowLine line = lines->set->line[k];
        int32_t apart = line.is_closed ? 2 * line.width : line.width;
        *band = (Band){.line = line, .reach = apart, .first = values, .work = work};
        HED_ASSERT(band->reach <= REACH);
        int64_t rows = (int64_t)line.count + band->reach;
        values += rows * SIXTEEN * (1 + band->reach);
        work += rows;
        lines->cost += INT64_C(25) * line.count;
    }
    lines->value = HED_NEW_ARRAY(double, values);
    lines->work = HED_NEW_ARRAY(double, FOUR* work);
    lines->whole = HED_NEW_ARRAY(double, work);
    return lines->value && lines->work && lines->whole ? HED_OK : HED_NO_MEMORY;
}

static HedStatus create_rest(Lines* lines, HedPreconditionerInput input) {
    int32_t inside = 0;
    for (int32_t k = 0; k < lines->band_count; ++k) {
        inside += lines->band[k].line.count;
    }
    if (inside == lines->row_count) {
        return HED_OK;
    }
    lines->rest_free = HED_NEW_ARRAY(double, lines->row_count);
    lines->rest_x = HED_NEW_ARRAY(double, 3 * (int64_t)lines->row_count);
    if (!lines->rest_free || !lines->rest_x) {
        return HED_NO_MEMORY;
    }
    input.lines = NULL;
    return hed_preconditioner_create(HED_PRECONDITION_AUTO, input, &lines->rest, NULL);
}

static void* create(HedPreconditionerInput input, HedStatus* status) {
    static const HedLineSet NONE = {0};
    Lines* lines = HED_NEW(Lines);
    if (!lines) {
        *status = HED_NO_MEMORY;
        return NULL;
    }
    lines->set = input.lines ? input.lines : &NONE;
    lines->team = input.team;
    lines->row_count = input.matrix->row_count;
    lines->band_count = lines->set->line_count;
    lines->band = HED_NEW_ARRAY(Band, lines->band_count);
    *status = lines->band ? lay_out(lines) : HED_NO_MEMORY;
    if (*status == HED_OK) {
        *status = create_rest(lines, input);
    }
    return lines;
}

// Where row k of a line stands.
static int32_t place_of(const HedRowLine* line, int32_t k) {
    if (!line->is_closed) {
        return k;
    }
    return 2 * k < line->count ? 2 * k : 2 * (line->count - 1 - k) + 1;
}

// The block of place `low` that stands `below` rows below its pivot.
static inline double* block_at(const Band* band, double* value, int32_t low, int32_t below) {
    return value + SIXTEEN * ((int64_t)low * (1 + band->reach) + below);
}

// The unknown c of the row at a place.
typedef struct Unknown {
    int32_t place;
    int c;
} Unknown;

// Adds to entries (i, j) and (j, i), of which the one below the diagonal is stored.
static void add_entry(const Band* band, double* value, Unknown i, Unknown j, double number) {
    if (i.place == j.place) {
        double* pivot = block_at(band, value, i.place, 0);
        pivot[FOUR * i.c + j.c] += number;
        pivot[FOUR * j.c + i.c] += i.c != j.c ? number : 0.0;
    } else {
        Unknown low = i.place < j.place ? i : j;
        Unknown high = i.place < j.place ? j : i;
        block_at(band, value, low.place, high.place - low.place)[FOUR * low.c + high.c] += number;
    }
}

// Rows apart, the shorter way round a closed line.
static int32_t distance(const HedRowLine* line, int32_t a, int32_t b) {
    int32_t apart = a < b ? b - a : a - b;
    return line->is_closed ? hed_min_i32(apart, line->count - apart) : apart;
}

static void load_row(const Band* band, double* value, const HedMatrix* matrix, const double* free,
                     int32_t k) {
    const HedRowLine* line = &band->line;
    int32_t row = line->first + k;
    int32_t at = place_of(line, k);
    bool is_held = free[row] == 0.0;
    double* pivot = block_at(band, value, at, 0);
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            pivot[FOUR * c + d] = is_held ? (double)(c == d) : matrix->diagonal[row].m[c][d];
        }
    }
    pivot[SIXTEEN - 1] = line->has_extra ? 0.0 : 1.0;
    for (int32_t e = matrix->row_first[row]; e < matrix->row_first[row + 1] && !is_held; ++e) {
        int32_t other = matrix->column[e] - line->first;
        if (other <= k || other >= line->count || distance(line, k, other) > line->width ||
            free[matrix->column[e]] == 0.0) {
            continue;
        }
        int32_t to = place_of(line, other);
        bool is_below = to > at; // then columns of the block are those of this row
        double* block = block_at(band, value, is_below ? at : to, is_below ? to - at : at - to);
        for (int n = 0; n < 9; ++n) {
            block[is_below ? FOUR * (n / 3) + n % 3 : FOUR * (n % 3) + n / 3] =
                matrix->block[e].m[n / 3][n % 3];
        }
    }
}

static void load_extra(const Band* band, double* value, const HedLineExtra* extra,
                       const double* free, int32_t k) {
    const HedRowLine* line = &band->line;
    const HedLineExtra* own = &extra[line->first + k];
    Unknown at = {place_of(line, k), 3};
    add_entry(band, value, at, at, own->diagonal);
    for (int32_t c = -1; c <= 2; ++c) {
        int32_t row = k + c;
        if (line->is_closed) {
            row = (row + line->count) % line->count;
        }
        if (row < 0 || row >= line->count || free[line->first + row] == 0.0) {
            continue;
        }
        int32_t to = place_of(line, row);
        HedVec3 cross = own->cross[c + 1];
        add_entry(band, value, at, (Unknown){to, 0}, cross.x);
        add_entry(band, value, at, (Unknown){to, 1}, cross.y);
        add_entry(band, value, at, (Unknown){to, 2}, cross.z);
    }
    int32_t next = k + 1 < line->count ? k + 1 : 0;
    if (next != 0 || line->is_closed) {
        add_entry(band, value, at, (Unknown){place_of(line, next), 3}, own->next);
    }
}

// The inverse of a pivot; 0 for an extra unknown that depends on others, NaN if the matrix is not
// positive.
static double invert(double pivot, double whole, bool is_extra) {
    double least = is_extra ? NOTHING * whole : 0.0;
    if (pivot > least && isfinite(pivot)) {
        return 1.0 / pivot;
    }
    return is_extra && pivot >= -least ? 0.0 : (double)NAN;
}

// A pivot block replaced by its inverse, found from L D L' of its own; false if it is not positive.
// whole: what the extra unknown's entry was before elimination; negative: there is no extra one.
static bool invert_block(double* pivot, double whole) {
    double l[FOUR][FOUR] = {{0.0}}, m[FOUR][FOUR] = {{0.0}};
    double own[FOUR] = {0.0}, inverse[FOUR] = {0.0}; // D, 0 where an unknown is left out
    for (int j = 0; j < FOUR; ++j) {
        double column[FOUR];
        for (int i = j; i < FOUR; ++i) {
            column[i] = pivot[FOUR * j + i];
            for (int k = 0; k < j; ++k) {
                column[i] -= l[i][k] * l[j][k] * own[k];
            }
        }
        inverse[j] = invert(column[j], whole, j == 3 && whole >= 0.0);
        if (isnan(inverse[j])) {
            return false;
        }
        own[j] = inverse[j] > 0.0 ? column[j] : 0.0;
        for (int i = j; i < FOUR; ++i) {
            l[i][j] = i == j ? 1.0 : column[i] * inverse[j];
        }
    }
    // m = L^-1, unit lower; the inverse is m' D^-1 m.
    for (int j = 0; j < FOUR; ++j) {
        m[j][j] = 1.0;
        for (int i = j + 1; i < FOUR; ++i) {
            for (int k = j; k < i; ++k) {
                m[i][j] -= l[i][k] * m[k][j];
            }
        }
    }
    for (int i = 0; i < FOUR; ++i) {
        for (int j = 0; j < FOUR; ++j) {
            double sum = 0.0;
            for (int k = 0; k < FOUR; ++k) {
                sum += m[k][i] * inverse[k] * m[k][j];
            }
            pivot[FOUR * j + i] = sum;
        }
    }
    return true;
}

// Four columns.
typedef struct Block {
    HedWide column[FOUR];
} Block;

HED_WIDE Block load_block(const double* from) {
    return (Block){{hed_wide_load(from), hed_wide_load(from + FOUR),
                    hed_wide_load(from + FOUR + FOUR), hed_wide_load(from + 3 * FOUR)}};
}

// The block times a vector.
HED_WIDE HedWide times(const Block* block, const double* x) {
    return (block->column[0] * x[0] + block->column[1] * x[1]) +
           (block->column[2] * x[2] + block->column[3] * x[3]);
}

// One row of elimination: L below the pivot, and what it takes off the rows ahead.
HED_WIDE bool eliminate(double* row, int32_t reach, double whole) {
    double below[SIXTEEN * REACH]; // C
    const int64_t next = SIXTEEN * (1 + (int64_t)reach);
    if (!invert_block(row, whole)) {
        return false;
    }
    for (int32_t a = 0; a < reach; ++a) {
        double* at = row + SIXTEEN * (1 + a);
        Block c = load_block(at);
        for (int k = 0; k < FOUR; ++k) {
            hed_wide_store(below + SIXTEEN * a + FOUR * k, c.column[k]);
            hed_wide_store(at + FOUR * k, times(&c, row + FOUR * k));
        }
    }
    for (int32_t b = 0; b < reach; ++b) {
        const double* c = below + SIXTEEN * b;
        for (int32_t a = b; a < reach; ++a) {
            Block l = load_block(row + SIXTEEN * (1 + a));
            double* to = row + next * (1 + b) + SIXTEEN * (a - b);
            for (int k = 0; k < FOUR; ++k) {
                HedWide off = (l.column[0] * c[k] + l.column[1] * c[FOUR + k]) +
                              (l.column[2] * c[2 * FOUR + k] + l.column[3] * c[3 * FOUR + k]);
                hed_wide_store(to + FOUR * k, hed_wide_load(to + FOUR * k) - off);
            }
        }
    }
    return true;
}

HED_WIDE bool factor(const Band* band, double* value, int32_t reach, const double* whole) {
    for (int32_t k = 0; k < band->line.count; ++k) {
        double* row = value + SIXTEEN * (1 + (int64_t)reach) * k;
        if (!eliminate(row, reach, band->line.has_extra ? whole[k] : -1.0)) {
            return false;
        }
    }
    return true;
}

static void update_band(const Lines* lines, Band* band, const HedMatrix* matrix,
                        const double* free) {
    double* value = lines->value + band->first;
    double* whole = lines->whole + band->work;
    int64_t rows = (int64_t)band->line.count + band->reach;
    memset(value, 0, sizeof(double) * (size_t)(rows * SIXTEEN * (1 + band->reach)));
    for (int32_t k = 0; k < band->line.count; ++k) {
        load_row(band, value, matrix, free, k);
    }
    for (int32_t k = 0; k < band->line.count && band->line.has_extra; ++k) {
        load_extra(band, value, lines->set->extra, free, k);
        whole[place_of(&band->line, k)] = lines->set->extra[band->line.first + k].diagonal;
    }
    // Rods are by far the most frequent: how far they reach is a constant for the compiler.
    band->is_good =
        band->reach == 2 ? factor(band, value, 2, whole) : factor(band, value, band->reach, whole);
}

static bool update(void* self, const HedMatrix* matrix, const double* free) {
    Lines* lines = self;
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(lines->team, 4 * lines->cost))
    for (int32_t k = 0; k < lines->band_count; ++k) {
        update_band(lines, &lines->band[k], matrix, free);
    }
    bool is_good = true;
    for (int32_t k = 0; k < lines->band_count; ++k) {
        is_good = is_good && lines->band[k].is_good;
    }
    if (!lines->rest || !is_good) {
        return is_good;
    }
    memcpy(lines->rest_free, free, sizeof(double) * (size_t)lines->row_count);
    for (int32_t k = 0; k < lines->band_count; ++k) {
        const HedRowLine* line = &lines->band[k].line;
        memset(lines->rest_free + line->first, 0, sizeof(double) * (size_t)line->count);
    }
    return hed_preconditioner_update(lines->rest, matrix, lines->rest_free);
}

// Transposed blocks below a pivot times what stands there.
HED_WIDE HedWide times_below(const double* row, int32_t reach, const double* x) {
    Block sum = {{{0}, {0}, {0}, {0}}};
    for (int32_t a = 1; a <= reach; ++a) {
        Block l = load_block(row + SIXTEEN * a);
        HedWide below = hed_wide_load(x + FOUR * a);
        for (int k = 0; k < FOUR; ++k) {
            sum.column[k] += l.column[k] * below;
        }
    }
    HedWide4 turned =
        hed_wide_transpose(sum.column[0], sum.column[1], sum.column[2], sum.column[3]);
    return (turned.row[0] + turned.row[1]) + (turned.row[2] + turned.row[3]);
}

// Forward and back through the factor; x has room for the rows that it looks ahead.
HED_WIDE void solve(const double* value, int32_t count, int32_t reach, double* x) {
    const int64_t length = SIXTEEN * (1 + (int64_t)reach);
    for (int32_t k = 0; k < count; ++k) {
        double* at = x + FOUR * (int64_t)k;
        for (int32_t a = 1; a <= reach; ++a) {
            Block l = load_block(value + length * k + SIXTEEN * a);
            hed_wide_store(at + FOUR * a, hed_wide_load(at + FOUR * a) - times(&l, at));
        }
    }
    for (int32_t k = count - 1; k >= 0; --k) {
        double* at = x + FOUR * (int64_t)k;
        Block inverse = load_block(value + length * k);
        HedWide own = times(&inverse, at);
        hed_wide_store(at, own - times_below(value + length * k, reach, at));
    }
}

static void apply_band(const Lines* lines, const Band* band, const HedVec3* x, HedVec3* y) {
    const HedRowLine* line = &band->line;
    double* work = lines->work + FOUR * band->work;
    const double* value = lines->value + band->first;
    for (int32_t k = 0; k < line->count; ++k) {
        HedVec3 from = x[line->first + k];
        hed_wide_store(work + FOUR * place_of(line, k), (HedWide){from.x, from.y, from.z, 0.0});
    }
    memset(work + FOUR * line->count, 0, sizeof(double) * FOUR * (size_t)band->reach);
    if (band->reach == 2) {
        solve(value, line->count, 2, work);
    } else {
        solve(value, line->count, band->reach, work);
    }
    for (int32_t k = 0; k < line->count; ++k) {
        const double* at = work + FOUR * place_of(line, k);
        y[line->first + k] = (HedVec3){at[0], at[1], at[2]};
    }
}

static void apply_rest(const Lines* lines, const double* x, double* y) {
    memcpy(lines->rest_x, x, 3 * sizeof(double) * (size_t)lines->row_count);
    for (int32_t k = 0; k < lines->band_count; ++k) {
        const HedRowLine* line = &lines->band[k].line;
        memset(lines->rest_x + 3 * (int64_t)line->first, 0,
               3 * sizeof(double) * (size_t)line->count);
    }
    hed_preconditioner_apply(lines->rest, lines->rest_x, y);
}

static void apply(const void* self, const double* x, double* y) {
    const Lines* lines = self;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
    if (lines->rest) {
        apply_rest(lines, x, y);
    }
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(lines->team, lines->cost))
    for (int32_t k = 0; k < lines->band_count; ++k) {
        apply_band(lines, &lines->band[k], from, to);
    }
}

const HedPreconditionerType HED_LINES = {"lines", create, destroy, update, apply};
