// SPDX-License-Identifier: MIT
#include "eol/precondition.h"

#include "base/array.h"
#include "base/random.h"
#include "eol/alternating.h"

#include <math.h>
#include <string.h>

enum { LIFE = HED_EOL_LIFE, POWERS = 12, ROUNDS = 40 };
static const double SAFE = 1.1;  // power iteration ends a little below the largest eigenvalue
static const double MOST = 1.9;  // of a correction, times that eigenvalue; 2 would not be positive
static const double LARGE = 4.0; // an eigenvalue that rounding may have made:
static const double ROUNDED = 1.2; // if it is so much larger than that of the matrix itself
static const double NOISY = 1e-3;  // part of what lines hardly resist that rounding may take
static const double SHRINK = 0.8;  // of shares that have to become smaller, at least

HedStatus hed_eol_preconditioner_create(HedEolPreconditioner* p, HedPreconditionerKind kind,
                                        const HedEolMatrix* matrix, const HedVec3* x,
                                        HedError* error) {
    int64_t nodes = matrix->bands->node_count;
    kind = kind == HED_PRECONDITION_AUTO ? HED_PRECONDITION_TWO_LEVEL : kind;
    *p = (HedEolPreconditioner){.kind = kind, .matrix = matrix};
    if (kind != HED_PRECONDITION_JACOBI && kind != HED_PRECONDITION_LINES &&
        kind != HED_PRECONDITION_TWO_LEVEL) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "preconditioner: sliding yarns know jacobi, lines, two-level and auto, "
                        "got %s",
                        hed_preconditioner_name(kind));
    }
    HedStatus status = HED_OK;
    if (kind == HED_PRECONDITION_JACOBI) {
        p->inverse = HED_NEW_ARRAY(double, nodes* HED_NODE_DIAGONAL);
        p->is_good = HED_NEW_ARRAY(bool, nodes);
        return p->inverse && p->is_good ? HED_OK
                                        : hed_fail_memory(error, "preconditioner of the net");
    }
    p->rest = HED_NEW_ARRAY(double, nodes* HED_NODE_SIZE);
    p->part = HED_NEW_ARRAY(double, nodes* HED_NODE_SIZE);
    p->trial = HED_NEW_ARRAY(double, nodes * 2 * HED_NODE_SIZE);
    p->share = HED_NEW_ARRAY(double, matrix->bands->color_count);
    p->largest = HED_NEW_ARRAY(double, 2 * (int64_t)matrix->bands->color_count);
    p->gain = HED_NEW_ARRAY(double, hed_eol_range_count(matrix->bands->node_count));
    HED_TRY(p->rest && p->part && p->trial && p->share && p->largest && p->gain &&
                    hed_eol_matrix_f32_create(&p->light, &matrix->rows)
                ? HED_OK
                : hed_fail_memory(error, "preconditioner of the net"));
    HED_TRY(hed_eol_lines_create(&p->lines, matrix, error));
    if (kind == HED_PRECONDITION_TWO_LEVEL) {
        HED_TRY(hed_eol_rigid_modes_create(&p->patches, matrix, x, p->lines.has_clasps, error));
    }
done:
    if (status != HED_OK) {
        hed_eol_preconditioner_free(p);
    }
    return status;
}

void hed_eol_preconditioner_free(HedEolPreconditioner* p) {
    hed_free(p->inverse);
    hed_free(p->is_good);
    hed_free(p->rest);
    hed_free(p->part);
    hed_free(p->trial);
    hed_free(p->share);
    hed_free(p->largest);
    hed_free(p->gain);
    hed_eol_matrix_f32_free(&p->light);
    hed_eol_lines_free(&p->lines);
    hed_eol_rigid_modes_free(&p->patches);
    *p = (HedEolPreconditioner){0};
}

// The inverse of a symmetric positive 5 x 5 matrix, both as upper triangles.
static bool invert(const double* a, double* inverse) {
    double l[HED_NODE_SIZE][HED_NODE_SIZE] = {{0}};
    bool ok = true;
    for (int j = 0; j < HED_NODE_SIZE; ++j) {
        for (int i = j; i < HED_NODE_SIZE; ++i) {
            double sum = a[hed_eol_diagonal(j, i)];
            for (int k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j) {
                ok = ok && sum > 0.0;
                l[j][j] = sqrt(sum);
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    double m[HED_NODE_SIZE][HED_NODE_SIZE] = {{0}}; // inverse of l
    for (int j = 0; j < HED_NODE_SIZE; ++j) {
        m[j][j] = 1.0 / l[j][j];
        for (int i = j + 1; i < HED_NODE_SIZE; ++i) {
            double sum = 0.0;
            for (int k = j; k < i; ++k) {
                sum += l[i][k] * m[k][j];
            }
            m[i][j] = -sum / l[i][i];
        }
    }
    for (int i = 0; i < HED_NODE_SIZE; ++i) {
        for (int j = i; j < HED_NODE_SIZE; ++j) {
            double sum = 0.0;
            for (int k = j; k < HED_NODE_SIZE; ++k) {
                sum += m[k][i] * m[k][j];
            }
            inverse[hed_eol_diagonal(i, j)] = sum;
        }
    }
    return ok;
}

static bool update_jacobi(HedEolPreconditioner* p) {
    int32_t nodes = p->matrix->bands->node_count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(p->matrix->team, INT64_C(100) * nodes))
    for (int32_t i = 0; i < nodes; ++i) {
        int64_t at = (int64_t)HED_NODE_DIAGONAL * i;
        p->is_good[i] = invert(p->matrix->diagonal + at, p->inverse + at);
    }
    return !memchr(p->is_good, 0, (size_t)nodes);
}

// Colours whose corrections are taken for the same right-hand side.
static int32_t colors_together(const HedEolPreconditioner* p) {
    return p->lines.has_clasps ? p->matrix->bands->color_count : 1;
}

// Adds corrections of colours from `first` on before `end`, all for the same r.
static void add_colors(const HedEolPreconditioner* p, int32_t first, int32_t end, const double* r,
                       double* z, HedThreadTeam threads) {
    for (int32_t c = first; c < end; ++c) {
        hed_eol_lines_add(&p->lines, c, p->share[c], (HedLineSide){.r = r}, z, threads);
    }
}

// What corrections see: lines alone or the copy of the matrix; the matrix itself; the copy, where
// lines alone would do but for rounding.
typedef enum Sight { SIGHT_BEST, SIGHT_EXACT, SIGHT_COPY, SIGHTS } Sight;

static Sight sight_of(const HedEolPreconditioner* p) {
    return (Sight)((hed_max_i32(p->age, 1) - 1) / LIFE);
}

static void set_sight(HedEolPreconditioner* p, Sight sight) {
    p->age += ((int32_t)sight - (int32_t)sight_of(p)) * LIFE;
}

// The copy of the matrix that corrections see; NULL: the matrix itself.
static const HedEolMatrixF32* light_of(const HedEolPreconditioner* p) {
    return sight_of(p) == SIGHT_EXACT ? NULL : &p->light;
}

static void take_copy(HedEolPreconditioner* p) {
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(p->matrix->team, INT64_C(50) * p->matrix->bands->node_count))
    hed_eol_matrix_f32_take(p->matrix, &p->light, hed_thread_team());
}

static void multiply(const HedEolPreconditioner* p, const double* x, double* y) {
    HedEolProduct product = {.x = x, .y = y};
    if (hed_eol_is_alternating(p)) {
        hed_eol_alternating_multiply(p, x, y);
        return;
    }
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(p->matrix->team, INT64_C(50) * p->matrix->bands->node_count))
    hed_eol_rows_apply(p->matrix, light_of(p), product, hed_thread_team());
}

// Where power iteration begins: there, or from noise in what is not held.
typedef struct Begin {
    const double* at; // or NULL
    const uint8_t* is_held;
} Begin;

static void begin_powers(HedEolPreconditioner* p, int32_t color, Begin begin) {
    int32_t size = p->matrix->bands->node_count * HED_NODE_SIZE;
    for (int32_t k = 0; k < size; ++k) {
        p->trial[k] = begin.at ? begin.at[k]
                      : begin.is_held[k]
                          ? 0.0
                          : hed_random_uniform(1, (uint64_t)color, (uint64_t)k) - 0.5;
    }
}

// The largest eigenvalue of corrections of some colours together, x' A P A x/x' A x for the x that
// repeated corrections leave. Infinite if rounding has made A indefinite.
static double find_largest(HedEolPreconditioner* p, int32_t color, int32_t end, Begin begin) {
    const HedTeam* team = p->matrix->team;
    int32_t size = p->matrix->bands->node_count * HED_NODE_SIZE;
    double* x = p->trial;
    double* ax = x + size;
    double largest = 1.0;
    begin_powers(p, color, begin);
    for (int k = 0; k < POWERS; ++k) {
        multiply(p, x, ax);
        double whole = hed_team_dot(team, x, ax, size);
        if (!(whole > 0.0)) {
            return light_of(p) ? HUGE_VAL : largest;
        }
        memset(p->part, 0, sizeof(double) * (size_t)size);
        for (int32_t c = color; c < end; ++c) {
            hed_eol_lines_add(&p->lines, c, 1.0, (HedLineSide){.r = ax}, p->part, HED_ALONE);
        }
        largest = fmax(largest, hed_team_dot(team, ax, p->part, size) / whole);
        double scale = 1.0 / hed_team_max_abs(team, p->part, size);
        for (int32_t i = 0; i < size; ++i) {
            x[i] = scale * p->part[i];
        }
    }
    return largest;
}

// The same of all colours, and the largest of them.
static double find_all(HedEolPreconditioner* p, Begin begin, double* of_color) {
    int32_t colors = p->matrix->bands->color_count;
    int32_t together = colors_together(p);
    double worst = 0.0;
    for (int32_t c = 0; c < colors; c += together) {
        of_color[c] = find_largest(p, c, c + together, begin);
        worst = fmax(worst, of_color[c]);
        for (int32_t k = c + 1; k < c + together; ++k) {
            of_color[k] = of_color[c];
        }
    }
    return worst;
}

// Eigenvalues of corrections that see the matrix as floats, or as it is where rounding makes a
// difference. Returns those of each colour.
static const double* find_eigenvalues(HedEolPreconditioner* p, Begin begin) {
    double* rounded = p->largest;
    double* exact = rounded + p->matrix->bands->color_count;
    if (!light_of(p)) {
        find_all(p, begin, exact);
        return exact;
    }
    double worst = find_all(p, begin, rounded);
    if (worst <= LARGE) {
        return rounded;
    }
    Sight sight = sight_of(p);
    set_sight(p, SIGHT_EXACT);
    if (worst > ROUNDED * find_all(p, begin, exact)) {
        return exact;
    }
    set_sight(p, sight);
    return rounded;
}

static void renew_shares(HedEolPreconditioner* p, const uint8_t* is_held) {
    p->age = 1;
    take_copy(p);
    if (p->lines.is_whole && hed_eol_alternating_noise(p, is_held) > NOISY) {
        set_sight(p, SIGHT_COPY);
    }
    const double* largest = find_eigenvalues(p, (Begin){NULL, is_held});
    for (int32_t c = 0; c < p->matrix->bands->color_count; ++c) {
        p->share[c] = fmin(1.0, MOST / (SAFE * largest[c]));
    }
}

// Smaller shares, once the first half z of an application has shown that the whole is not positive.
static void reduce_shares(HedEolPreconditioner* p, const double* z) {
    bool was_light = light_of(p) != NULL;
    const double* largest = find_eigenvalues(p, (Begin){z, NULL});
    bool is_other = was_light && !light_of(p);
    for (int32_t c = 0; c < p->matrix->bands->color_count; ++c) {
        double share = fmin(p->share[c], MOST / (SAFE * largest[c]));
        is_other = is_other || share < SHRINK * p->share[c];
        p->share[c] = share;
    }
    for (int32_t c = 0; !is_other && c < p->matrix->bands->color_count; ++c) {
        p->share[c] *= SHRINK;
    }
}

bool hed_eol_preconditioner_update(HedEolPreconditioner* p, const uint8_t* is_held) {
    if (p->kind == HED_PRECONDITION_JACOBI) {
        return update_jacobi(p);
    }
    if (!hed_eol_lines_update(&p->lines)) {
        return false;
    }
    if (p->age % LIFE == 0 || p->age > SIGHTS * LIFE) {
        renew_shares(p, is_held);
    } else {
        p->age += 1;
        if (!hed_eol_is_alternating(p)) {
            take_copy(p);
        }
    }
    return p->kind != HED_PRECONDITION_TWO_LEVEL || p->keeps_coarse ||
           hed_eol_rigid_modes_update(&p->patches, is_held);
}

bool hed_eol_preconditioner_loosen(HedEolPreconditioner* p) {
    p->patches.is_loose = true;
    p->age = 0; // shares are found anew
    if (p->kind == HED_PRECONDITION_JACOBI) {
        return true;
    }
    hed_eol_matrix_f32_free(&p->light);
    return hed_eol_matrix_f32_create(&p->light, &p->matrix->rows);
}

static void apply_jacobi(const HedEolPreconditioner* p, const double* r, double* z) {
    int32_t nodes = p->matrix->bands->node_count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(p->matrix->team, INT64_C(20) * nodes))
    for (int32_t n = 0; n < nodes; ++n) {
        const double* m = p->inverse + (int64_t)HED_NODE_DIAGONAL * n;
        const double* from = r + (int64_t)HED_NODE_SIZE * n;
        double* to = z + (int64_t)HED_NODE_SIZE * n;
        for (int i = 0; i < HED_NODE_SIZE; ++i) {
            to[i] = 0.0;
            for (int j = 0; j < HED_NODE_SIZE; ++j) {
                to[i] += m[i < j ? hed_eol_diagonal(i, j) : hed_eol_diagonal(j, i)] * from[j];
            }
        }
    }
}

// Whether z, with what it leaves of r, makes the error larger. All threads find the same.
static bool goes_too_far(const HedEolPreconditioner* p) {
    double sum = 0.0;
    for (int32_t k = 0; k < hed_eol_range_count(p->matrix->bands->node_count); ++k) {
        sum += p->gain[k];
    }
    return sum < 0.0;
}

// Corrections one after the other, each for what the ones before have left, and in reverse: so the
// whole is symmetric. False if the first half, which is all of z then, shows that it is not
// positive.
static bool apply_lines(const HedEolPreconditioner* p, const double* r, double* z,
                        HedThreadTeam threads) {
    int32_t colors = p->matrix->bands->color_count;
    int32_t together = colors_together(p);
    const HedEolMatrixF32* light = light_of(p);
    HedEolProduct left = {.b = r, .x = z, .y = p->rest};
    HedEolProduct middle = {r, z, p->rest, p->gain};
    HedShare own = hed_thread_team_share(threads, 0, p->matrix->bands->node_count);
    memset(z + (int64_t)HED_NODE_SIZE * own.first, 0,
           sizeof(double) * HED_NODE_SIZE * (size_t)(own.end - own.first));
    hed_thread_team_barrier(threads);
    add_colors(p, 0, together, r, z, threads);
    for (int32_t k = together; k < colors; k += together) {
        hed_eol_rows_apply(p->matrix, light, left, threads);
        add_colors(p, k, k + together, p->rest, z, threads);
    }
    hed_eol_rows_apply(p->matrix, light, middle, threads);
    if (goes_too_far(p)) {
        return false;
    }
    if (p->kind == HED_PRECONDITION_TWO_LEVEL) {
        hed_eol_rigid_modes_add(&p->patches, p->rest, z, threads);
        hed_eol_rows_apply(p->matrix, light, left, threads);
    }
    for (int32_t k = colors - together; k >= 0; k -= together) {
        if (k < colors - together) {
            hed_eol_rows_apply(p->matrix, light, left, threads);
        }
        add_colors(p, k, k + together, p->rest, z, threads);
    }
    return true;
}

void hed_eol_preconditioner_apply(void* context, const double* r, double* z) {
    HedEolPreconditioner* p = context;
    if (p->kind == HED_PRECONDITION_JACOBI) {
        apply_jacobi(p, r, z);
        return;
    }
    bool is_done = false;
    for (int k = 0; k < ROUNDS && !is_done; ++k) {
#pragma omp parallel num_threads(                                                                  \
    hed_team_size(p->matrix->team, INT64_C(500) * p->matrix->bands->node_count))
        {
            HedThreadTeam threads = hed_thread_team();
            bool is_good = hed_eol_is_alternating(p) ? hed_eol_alternating_apply(p, r, z, threads)
                                                     : apply_lines(p, r, z, threads);
            if (threads.rank == 0) {
                is_done = is_good;
            }
        }
        if (!is_done) {
            reduce_shares(p, z);
        }
    }
}
