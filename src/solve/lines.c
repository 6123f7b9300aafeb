// SPDX-License-Identifier: MIT
// The equations of each yarn by itself, solved by Cholesky factors of a band: what is stiff about a
// yarn is stiff along it. Without contacts between yarns this is the whole matrix, and conjugate
// gradients need one iteration.
//
// The unknowns of a row stand together: three of the point, and the extra one. A closed line is
// folded, 0, n - 1, 1, n - 2 ...: neighbours stay neighbours, at twice the distance.
//
// Rows outside of all lines are left to the preconditioner that would be chosen for them alone.
#include "solve/lines.h"
#include "base/alloc.h"
#include "base/simd.h"
#include "solve/preconditioner_kinds.h"

#include <math.h>
#include <string.h>

enum { PACK = 4, MOST_PACKS = 8, MOST = PACK * MOST_PACKS };

// Parts of a diagonal entry. An extra unknown whose pivot is less depends on others (the angles of
// a ring that can all turn together) and gets the value zero.
static const double NOTHING = 1e-11;

// The factor of one line, column after column: `size` columns of `packs` packs, the diagonal first.
// After factoring, the first entry of a column is the inverse of the pivot and the others are those
// of L in L D L'.
typedef struct Band {
    HedRowLine line;
    int32_t step;  // unknowns per row
    int32_t size;  // unknowns
    int32_t packs; // per column
    int64_t first; // of the column, in doubles
    int64_t work;  // of its vector
    bool is_good;
} Band;

typedef struct Lines {
    const HedLineSet* set;
    const HedTeam* team;
    Band* band;
    int32_t band_count;
    double* value;
    double* work;
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
    hed_free(lines->rest_free);
    hed_free(lines->rest_x);
    hed_free(lines);
}

static Band measure(HedRowLine line) {
    int32_t step = line.has_extra ? 4 : 3;
    int32_t apart = hed_min_i32(line.is_closed ? 2 * line.width : line.width, line.count - 1);
    int32_t length = step * apart + step; // of a column, with the diagonal
    return (Band){
        .line = line, .step = step, .size = step * line.count, .packs = (length + PACK - 1) / PACK};
}

// Columns of all lines, with as many empty ones behind each as elimination looks ahead.
static HedStatus lay_out(Lines* lines) {
    int64_t values = 0, work = 0;
    for (int32_t k = 0; k < lines->band_count; ++k) {
        Band* band = &lines->band[k];
        *band = measure(lines->set->line[k]);
        HED_ASSERT(band->packs <= MOST_PACKS);
        int64_t columns = (int64_t)band->size + (int64_t)PACK * band->packs;
        band->first = values;
        band->work = work;
        values += columns * PACK * band->packs;
        work += columns;
        lines->cost += INT64_C(12) * band->size;
    }
    lines->value = HED_NEW_ARRAY(double, values);
    lines->work = HED_NEW_ARRAY(double, work);
    return lines->value && lines->work ? HED_OK : HED_NO_MEMORY;
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

// Entry (i, j) of the band, whichever of both comes first.
static inline double* entry(double* value, int32_t length, int32_t i, int32_t j) {
    int32_t low = hed_min_i32(i, j);
    return &value[(int64_t)low * length + (i > j ? i - j : j - i)];
}

// Rows apart, the shorter way round a closed line.
static int32_t distance(const HedRowLine* line, int32_t a, int32_t b) {
    int32_t apart = a < b ? b - a : a - b;
    return line->is_closed ? hed_min_i32(apart, line->count - apart) : apart;
}

static void load_row(const Band* band, double* value, const HedMatrix* matrix, const double* free,
                     int32_t k) {
    const HedRowLine* line = &band->line;
    int32_t length = PACK * band->packs;
    int32_t row = line->first + k;
    int32_t at = band->step * place_of(line, k);
    bool is_held = free[row] == 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d <= c; ++d) {
            double held = c == d ? 1.0 : 0.0;
            *entry(value, length, at + c, at + d) = is_held ? held : matrix->diagonal[row].m[c][d];
        }
    }
    for (int32_t e = matrix->row_first[row]; e < matrix->row_first[row + 1] && !is_held; ++e) {
        int32_t other = matrix->column[e] - line->first;
        bool is_inside = other > k && other < line->count &&
                         distance(line, k, other) <= line->width && free[matrix->column[e]] != 0.0;
        int32_t to = is_inside ? band->step * place_of(line, other) : 0;
        for (int n = 0; n < 9 && is_inside; ++n) {
            *entry(value, length, at + n / 3, to + n % 3) = matrix->block[e].m[n / 3][n % 3];
        }
    }
}

static void load_extra(const Band* band, double* value, const HedLineExtra* extra,
                       const double* free, int32_t k) {
    const HedRowLine* line = &band->line;
    int32_t length = PACK * band->packs;
    const HedLineExtra* own = &extra[line->first + k];
    int32_t at = band->step * place_of(line, k) + 3;
    *entry(value, length, at, at) = own->diagonal;
    for (int32_t c = -1; c <= 2; ++c) {
        int32_t row = k + c;
        if (line->is_closed) {
            row = (row + line->count) % line->count;
        }
        if (row < 0 || row >= line->count || free[line->first + row] == 0.0) {
            continue;
        }
        int32_t to = band->step * place_of(line, row);
        HedVec3 cross = own->cross[c + 1];
        *entry(value, length, at, to) += cross.x;
        *entry(value, length, at, to + 1) += cross.y;
        *entry(value, length, at, to + 2) += cross.z;
    }
    int32_t next = k + 1 < line->count ? k + 1 : 0;
    if (next != 0 || line->is_closed) {
        *entry(value, length, at, band->step * place_of(line, next) + 3) += own->next;
    }
}

// One step of elimination: column j of L, and what it takes off the columns after it.
static inline void eliminate(double* column, int32_t packs, double inverse) {
    const int32_t length = PACK * packs;
    double ahead[2 * MOST]; // the column, and zeros beyond its end
    for (int32_t p = 0; p < packs; ++p) {
        hed_wide_store(ahead + PACK * p, hed_wide_load(column + PACK * p));
        hed_wide_store(ahead + length + PACK * p, hed_wide_all(0.0));
    }
    for (int32_t d = 1; d < length; ++d) {
        HedWide part = hed_wide_all(inverse * ahead[d]);
        double* to = column + (int64_t)d * length;
        for (int32_t p = 0; PACK * p + d < length; ++p) {
            HedWide off = part * hed_wide_load(ahead + d + PACK * p);
            hed_wide_store(to + PACK * p, hed_wide_load(to + PACK * p) - off);
        }
    }
    HedWide scale = hed_wide_all(inverse);
    for (int32_t p = 0; p < packs; ++p) {
        hed_wide_store(column + PACK * p, scale * hed_wide_load(column + PACK * p));
    }
    column[0] = inverse;
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

static inline bool factor(const Band* band, double* value, int32_t packs) {
    const int32_t length = PACK * packs;
    double whole[MOST + 1] = {0}; // diagonal entries before elimination, of columns in reach
    for (int32_t j = 0; j < length && j < band->size; ++j) {
        whole[j] = value[(int64_t)j * length];
    }
    for (int32_t j = 0; j < band->size; ++j) {
        double* column = value + (int64_t)j * length;
        double inverse = invert(column[0], whole[j % length], band->step == 4 && j % 4 == 3);
        if (isnan(inverse)) {
            return false;
        }
        int32_t next = j + length;
        whole[j % length] = next < band->size ? value[(int64_t)next * length] : 0.0;
        eliminate(column, packs, inverse);
    }
    return true;
}

static void update_band(const Lines* lines, Band* band, const HedMatrix* matrix,
                        const double* free) {
    double* value = lines->value + band->first;
    int64_t columns = (int64_t)band->size + (int64_t)PACK * band->packs;
    memset(value, 0, sizeof(double) * (size_t)(columns * PACK * band->packs));
    for (int32_t k = 0; k < band->line.count; ++k) {
        load_row(band, value, matrix, free, k);
    }
    for (int32_t k = 0; k < band->line.count && band->line.has_extra; ++k) {
        load_extra(band, value, lines->set->extra, free, k);
    }
    // Rods are by far the most frequent: their number of packs is a constant for the compiler.
    band->is_good = band->packs == 3 ? factor(band, value, 3) : factor(band, value, band->packs);
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

// Forward and back through the factor; x has room for what elimination looks ahead.
static inline void solve(const double* value, int32_t size, int32_t packs, double* x) {
    const int32_t length = PACK * packs;
    for (int32_t j = 0; j < size; ++j) {
        const double* column = value + (int64_t)j * length;
        double own = x[j];
        HedWide part = hed_wide_all(own);
        for (int32_t p = 0; p < packs; ++p) {
            HedWide off = part * hed_wide_load(column + PACK * p);
            hed_wide_store(x + j + PACK * p, hed_wide_load(x + j + PACK * p) - off);
        }
        x[j] = own;
    }
    for (int32_t j = size - 1; j >= 0; --j) {
        const double* column = value + (int64_t)j * length;
        double own = x[j] * column[0];
        x[j] = 0.0;
        HedWide sum = hed_wide_all(0.0);
        for (int32_t p = 0; p < packs; ++p) {
            sum += hed_wide_load(column + PACK * p) * hed_wide_load(x + j + PACK * p);
        }
        x[j] = own - hed_wide_sum(sum);
    }
}

static void apply_band(const Lines* lines, const Band* band, const HedVec3* x, HedVec3* y) {
    const HedRowLine* line = &band->line;
    double* work = lines->work + band->work;
    const double* value = lines->value + band->first;
    for (int32_t k = 0; k < line->count; ++k) {
        double* at = work + band->step * place_of(line, k);
        HedVec3 from = x[line->first + k];
        at[0] = from.x;
        at[1] = from.y;
        at[2] = from.z;
        if (band->step == 4) {
            at[3] = 0.0;
        }
    }
    memset(work + band->size, 0, sizeof(double) * PACK * (size_t)band->packs);
    if (band->packs == 3) {
        solve(value, band->size, 3, work);
    } else {
        solve(value, band->size, band->packs, work);
    }
    for (int32_t k = 0; k < line->count; ++k) {
        const double* at = work + band->step * place_of(line, k);
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
