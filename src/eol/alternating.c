// SPDX-License-Identifier: MIT
// With S = s inv(M) for each colour, C the coarse level and A without what couples nodes of no
// common line (shear), which only the coarse level sees:
//   B  = 2 S0 - S0 A S0 + (I - S0 A) B1 (I - A S0),
//   B1 = 2 S1 - S1 A S1 + (I - S1 A) C (I - A S1),
// which is symmetric, and positive where no eigenvalue of S A reaches 2. W is M - D, what lines
// couple between nodes, n the nodes of a colour's lines (as 0 and 1), b those of both:
//   d0 = S0 r
//   d1 = S1 ((1 - s0 b) r + D d0) - s1 d0
//   y  = (1 - s1 n1)(1 - s0 n0) r - W0 d1 - (1 - s1) W1 d0        what both leave
//   c  = C y
//   f  = d1 + S1 (y - W0 c),   e = f + (1 - s1 n1) c
//   z  = d0 + (1 - s0 n0) e + S0 ((1 - s1 n1)(1 - s0 n0) r - s1 n1 (y - W0 c) + D f
//                                 - (1 - s1) W1 (d0 + c))
// It follows from M S = s on the nodes of a colour's lines.
#include "eol/alternating.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

bool hed_eol_is_alternating(const HedEolPreconditioner* p) {
    return p->lines.is_whole && p->age <= HED_EOL_LIFE;
}

// A range of rows, as products have them.
static HedShare range_at(const HedEolPreconditioner* p, int32_t range) {
    int32_t first = range * HED_ROWS_RANGE;
    return (HedShare){first, hed_min_i32(first + HED_ROWS_RANGE, p->matrix->bands->node_count)};
}

// Of a node: 1 - s n of both colours.
typedef struct Unspent {
    double by_first, by_second;
} Unspent;

static inline Unspent left_at(const HedEolPreconditioner* p, int32_t node) {
    uint8_t colors = p->lines.colors_of[node];
    return (Unspent){colors & 1 ? 1.0 - p->share[0] : 1.0, colors & 2 ? 1.0 - p->share[1] : 1.0};
}

// d1 = -s1 d0, y = (1 - s1 n1)(1 - s0 n0) r
static void begin_second(const HedEolPreconditioner* p, HedShare nodes, const double* r,
                         const double* d0) {
    for (int32_t i = nodes.first; i < nodes.end; ++i) {
        Unspent left = left_at(p, i);
        int64_t at = (int64_t)HED_NODE_SIZE * i;
        for (int c = 0; c < HED_NODE_SIZE; ++c) {
            p->part[at + c] = (left.by_second - 1.0) * d0[at + c];
            p->rest[at + c] = left.by_first * left.by_second * r[at + c];
        }
    }
}

// |x|^2 - |x - d0 - d1|^2 in the norm of A, x the exact solution.
static double find_gain(const HedEolPreconditioner* p, HedShare nodes, const double* r,
                        const double* d0) {
    double sum = 0.0;
    for (int64_t k = (int64_t)HED_NODE_SIZE * nodes.first; k < (int64_t)HED_NODE_SIZE * nodes.end;
         ++k) {
        sum += (d0[k] + p->part[k]) * (r[k] + p->rest[k]);
    }
    return sum;
}

// The right-hand side of the last lines without D f, but for products: in rest. What they add to:
// in z, which has d0. d0 + c: in trial, which has c.
static void begin_last(const HedEolPreconditioner* p, HedShare nodes, const double* r, double* z) {
    for (int32_t i = nodes.first; i < nodes.end; ++i) {
        Unspent left = left_at(p, i);
        int64_t at = (int64_t)HED_NODE_SIZE * i;
        for (int64_t k = at; k < at + HED_NODE_SIZE; ++k) {
            double c = p->trial[k];
            p->rest[k] =
                left.by_first * left.by_second * r[k] - (1.0 - left.by_second) * p->rest[k];
            p->trial[k] = z[k] + c;
            z[k] += left.by_first * (p->part[k] + left.by_second * c);
        }
    }
}

static void clear(double* x, HedShare nodes) {
    memset(x + (int64_t)HED_NODE_SIZE * nodes.first, 0,
           sizeof *x * HED_NODE_SIZE * (size_t)(nodes.end - nodes.first));
}

// d0, d1 and what they leave.
static bool go_there(const HedEolPreconditioner* p, const double* r, double* z,
                     HedThreadTeam threads) {
    int32_t ranges = hed_eol_range_count(p->matrix->bands->node_count);
    HedShare own = hed_thread_team_share(threads, 0, ranges);
    for (int32_t k = own.first; k < own.end; ++k) {
        clear(z, range_at(p, k));
    }
    hed_thread_team_barrier(threads);
    hed_eol_lines_add(&p->lines, 0, p->share[0], (HedLineSide){.r = r}, z, threads);
    for (int32_t k = own.first; k < own.end; ++k) {
        begin_second(p, range_at(p, k), r, z);
    }
    hed_thread_team_barrier(threads);
    hed_eol_lines_add(&p->lines, 1, p->share[1], (HedLineSide){r, z, p->share[0]}, p->part,
                      threads);
    hed_eol_lines_subtract(&p->lines, 0, 1.0, p->part, p->rest, threads);
    if (p->share[1] < 1.0) {
        hed_eol_lines_subtract(&p->lines, 1, 1.0 - p->share[1], z, p->rest, threads);
    }
    for (int32_t k = own.first; k < own.end; ++k) {
        p->gain[k] = find_gain(p, range_at(p, k), r, z);
    }
    hed_thread_team_barrier(threads);
    double sum = 0.0;
    for (int32_t k = 0; k < ranges; ++k) {
        sum += p->gain[k];
    }
    return sum >= 0.0;
}

bool hed_eol_alternating_apply(const HedEolPreconditioner* p, const double* r, double* z,
                               HedThreadTeam threads) {
    HedShare own =
        hed_thread_team_share(threads, 0, hed_eol_range_count(p->matrix->bands->node_count));
    if (!go_there(p, r, z, threads)) {
        for (int32_t k = own.first; k < own.end; ++k) {
            HedShare nodes = range_at(p, k);
            for (int64_t i = (int64_t)HED_NODE_SIZE * nodes.first;
                 i < (int64_t)HED_NODE_SIZE * nodes.end; ++i) {
                z[i] += p->part[i];
            }
        }
        return false;
    }
    if (p->kind == HED_PRECONDITION_TWO_LEVEL) {
        hed_eol_rigid_modes_solve(&p->patches, p->rest, p->trial, threads);
        hed_eol_lines_subtract(&p->lines, 0, 1.0, p->trial, p->rest, threads);
    } else {
        for (int32_t k = own.first; k < own.end; ++k) {
            clear(p->trial, range_at(p, k));
        }
    }
    hed_eol_lines_add(&p->lines, 1, p->share[1], (HedLineSide){.r = p->rest}, p->part, threads);
    for (int32_t k = own.first; k < own.end; ++k) {
        begin_last(p, range_at(p, k), r, z);
    }
    hed_thread_team_barrier(threads);
    if (p->share[1] < 1.0) {
        hed_eol_lines_subtract(&p->lines, 1, 1.0 - p->share[1], p->trial, p->rest, threads);
    }
    hed_eol_lines_add(&p->lines, 0, p->share[0], (HedLineSide){p->rest, p->part, 0.0}, z, threads);
    return true;
}

// y = D x on the nodes that have all of the colours; 0 elsewhere.
static void multiply_own(const HedEolPreconditioner* p, uint8_t colors, HedShare nodes,
                         const double* x, double* y) {
    for (int32_t i = nodes.first; i < nodes.end; ++i) {
        const double* d = p->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * i;
        const double* from = x + (int64_t)HED_NODE_SIZE * i;
        double* to = y + (int64_t)HED_NODE_SIZE * i;
        bool is_on = (p->lines.colors_of[i] & colors) == colors;
        for (int r = 0; r < HED_NODE_SIZE; ++r) {
            to[r] = 0.0;
            for (int c = 0; is_on && c < HED_NODE_SIZE; ++c) {
                to[r] += d[r < c ? hed_eol_diagonal(r, c) : hed_eol_diagonal(c, r)] * from[c];
            }
        }
    }
}

void hed_eol_alternating_multiply(const HedEolPreconditioner* p, const double* x, double* y) {
    int32_t nodes = p->matrix->bands->node_count;
#pragma omp parallel num_threads(hed_team_size(p->matrix->team, INT64_C(50) * nodes))
    {
        HedThreadTeam threads = hed_thread_team();
        multiply_own(p, 0, hed_thread_team_share(threads, 0, nodes), x, y);
        hed_thread_team_barrier(threads);
        hed_eol_lines_subtract(&p->lines, 0, -1.0, x, y, threads);
        hed_eol_lines_subtract(&p->lines, 1, -1.0, x, y, threads);
    }
}

static void multiply_lines(const HedEolPreconditioner* p, int32_t color, const double* x,
                           double* y) {
    HedShare all = {0, p->matrix->bands->node_count};
    multiply_own(p, (uint8_t)(1 << color), all, x, y);
    hed_eol_lines_subtract(&p->lines, color, -1.0, x, y, HED_ALONE);
}

double hed_eol_alternating_noise(const HedEolPreconditioner* p, const uint8_t* is_held) {
    const HedTeam* team = p->matrix->team;
    int32_t size = p->matrix->bands->node_count * HED_NODE_SIZE;
    double* v = p->trial;
    double* product = v + size;
    double worst = 0.0;
    for (int32_t color = 0; color < 2; ++color) {
        for (int32_t k = 0; k < size; ++k) {
            double noise = hed_random_uniform(2, (uint64_t)color, (uint64_t)k) - 0.5;
            product[k] = is_held[k] ? 0.0 : noise;
        }
        memset(v, 0, sizeof *v * (size_t)size);
        hed_eol_lines_add(&p->lines, color, 1.0, (HedLineSide){.r = product}, v, HED_ALONE);
        multiply_lines(p, color, v, product);
        double whole = hed_team_dot(team, v, product, size);
        hed_eol_lines_add(&p->lines, color, -1.0, (HedLineSide){.r = product}, v, HED_ALONE);
        multiply_lines(p, color, v, product);
        worst = fmax(worst, fabs(hed_team_dot(team, v, product, size)) / whole);
    }
    return isfinite(worst) ? sqrt(worst) : HUGE_VAL;
}
