// SPDX-License-Identifier: MIT
#include "support/chain.h"

#include "base/alloc.h"
#include "math/mat3.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void chain_create(Chain* chain, const HedRodDef* defs, int32_t rod_count, const HedVec3* x,
                  int32_t points_per_range) {
    *chain = (Chain){.team = {1, chain->partial, 64}, .axial = 1.0};
    chain->team.partial = chain->partial;
    for (int32_t r = 0; r < rod_count; ++r) {
        chain->count += defs[r].point_count;
    }
    int32_t n = chain->count;
    chain->x = calloc((size_t)n, sizeof(HedVec3));
    chain->load = calloc((size_t)n, sizeof(HedVec3));
    chain->is_held = calloc((size_t)n, sizeof(bool));
    chain->range_first = calloc((size_t)n + 1, sizeof(int32_t));
    memcpy(chain->x, x, sizeof(HedVec3) * (size_t)n);
    int32_t ranges = 0;
    for (int32_t k = 0; k < n; k += points_per_range) {
        chain->range_first[ranges++] = k;
    }
    chain->range_first[ranges] = n;
    chain->ranges = (HedRanges){ranges, chain->range_first};
    HedError error;
    HedStatus status = hed_rods_create(&chain->rods, defs, rod_count, x, chain->ranges, &error);
    cr_assert_eq(status, HED_OK, "%s", status == HED_OK ? "" : error.message);
}

void chain_free(Chain* chain) {
    hed_rods_free(&chain->rods);
    hed_matrix_free(&chain->matrix);
    free(chain->x);
    free(chain->load);
    free(chain->is_held);
    free(chain->range_first);
}

static HedEval eval_of(const Chain* chain) {
    return (HedEval){.x = chain->x, .point_count = chain->count, .ranges = chain->ranges};
}

// Ends and rest length of segment s of rod r.
typedef struct Segment {
    int32_t a, b;
    double length;
} Segment;

static Segment segment_of(const Chain* chain, int32_t r, int32_t s) {
    const HedRod* rod = &chain->rods.rod[r];
    int32_t n = rod->def.point_count;
    return (Segment){rod->def.first + s, rod->def.first + (s + 1) % n,
                     chain->rods.length[hed_rod_slot(rod, s)]};
}

double chain_energy(Chain* chain) {
    HedRodAnglesReport report = hed_rods_prepare(&chain->rods, &chain->team, chain->x);
    cr_assert(report.is_converged, "angles");
    HedTerm term = hed_rods_term(&chain->rods);
    HedEval at = eval_of(chain);
    double part[HED_TERM_COLUMNS] = {0};
    for (int32_t r = 0; r < chain->ranges.count; ++r) {
        term.add_energy(term.self, &at, r, part);
    }
    double sum = part[0] + part[1];
    for (int32_t r = 0; r < chain->rods.rod_count; ++r) {
        for (int32_t s = 0; s < chain->rods.rod[r].segment_count; ++s) {
            Segment g = segment_of(chain, r, s);
            double strain = hed_distance3(chain->x[g.a], chain->x[g.b]) / g.length - 1.0;
            sum += 0.5 * chain->axial * g.length * strain * strain;
        }
    }
    for (int32_t k = 0; k < chain->count; ++k) {
        sum -= hed_dot3(chain->load[k], chain->x[k]);
    }
    return sum;
}

void chain_gradient(const Chain* chain, HedVec3* gradient) {
    HedTerm term = hed_rods_term((HedRods*)(uintptr_t)&chain->rods);
    HedEval at = eval_of(chain);
    HedVec3* force = calloc((size_t)chain->count + 1, sizeof(HedVec3));
    for (int32_t r = 0; r < chain->ranges.count; ++r) {
        int32_t first = chain->ranges.first[r];
        HedVec3 keep = force[chain->ranges.first[r + 1]];
        term.add_force(term.self, &at, r, force + first);
        force[chain->ranges.first[r + 1]] = keep; // what falls on others comes from their own range
    }
    for (int32_t k = 0; k < chain->count; ++k) {
        gradient[k] = hed_mul3(-1.0, hed_add3(force[k], chain->load[k]));
    }
    free(force);
    for (int32_t r = 0; r < chain->rods.rod_count; ++r) {
        for (int32_t s = 0; s < chain->rods.rod[r].segment_count; ++s) {
            Segment g = segment_of(chain, r, s);
            HedVec3 e = hed_sub3(chain->x[g.b], chain->x[g.a]);
            double l = hed_norm3(e);
            HedVec3 pull = hed_mul3(chain->axial * (l / g.length - 1.0) / l, e);
            gradient[g.a] = hed_sub3(gradient[g.a], pull);
            gradient[g.b] = hed_add3(gradient[g.b], pull);
        }
    }
}

static void add_block(double* h, int32_t n, int32_t i, int32_t j, HedMat3 block) {
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            h[(3 * i + a) * (int64_t)(3 * n) + 3 * j + b] += block.m[a][b];
        }
    }
}

static void add_springs(const Chain* chain, double* h) {
    for (int32_t r = 0; r < chain->rods.rod_count; ++r) {
        for (int32_t s = 0; s < chain->rods.rod[r].segment_count; ++s) {
            Segment g = segment_of(chain, r, s);
            HedVec3 e = hed_sub3(chain->x[g.b], chain->x[g.a]);
            double l = hed_norm3(e);
            double along = chain->axial / g.length;
            double across = chain->axial * (l / g.length - 1.0) / l;
            HedMat3 k = hed_mat3_outer_diag(along - across, hed_mul3(1.0 / l, e), across);
            HedMat3 minus = hed_mat3_scale(-1.0, k);
            add_block(h, chain->count, g.a, g.a, k);
            add_block(h, chain->count, g.b, g.b, k);
            add_block(h, chain->count, g.a, g.b, minus);
            add_block(h, chain->count, g.b, g.a, minus);
        }
    }
}

// The matrix of the term by its own pattern, once.
static void attach(Chain* chain, const HedTerm* term) {
    if (chain->matrix.row_count > 0) {
        return;
    }
    int32_t count = term->stencils.count;
    int32_t* pairs = calloc(6 * (size_t)count, sizeof(int32_t));
    for (int32_t e = 0; e < count; ++e) {
        const int32_t* p = term->stencils.point + 3 * (int64_t)e;
        const int32_t six[6] = {p[0], p[1], p[0], p[2], p[1], p[2]};
        memcpy(pairs + 6 * (int64_t)e, six, sizeof six);
    }
    HedError error;
    cr_assert_eq(hed_matrix_create(&chain->matrix, chain->count, chain->ranges, pairs,
                                   3 * (int64_t)count, &error),
                 HED_OK);
    cr_assert_eq(term->attach(term->self, chain->ranges, &chain->matrix, &error), HED_OK);
    free(pairs);
}

void chain_hessian(Chain* chain, double* h) {
    int32_t n = chain->count;
    HedTerm term = hed_rods_term(&chain->rods);
    HedEval at = eval_of(chain);
    attach(chain, &term);
    for (int32_t r = 0; r < chain->ranges.count; ++r) {
        hed_matrix_clear_range(&chain->matrix, r);
        term.add_matrix(term.self, &at, r, (HedMatrixScale){1.0, 0.0, true, 0.0}, &chain->matrix);
    }
    HedRodCondense condense;
    HedError error;
    cr_assert_eq(hed_rod_condense_create(&condense, &chain->rods, &error), HED_OK);
    hed_rod_condense_setup(&condense, &chain->rods, &chain->team, true);
    HedVec3* p = calloc((size_t)n, sizeof(HedVec3));
    HedVec3* y = calloc((size_t)n, sizeof(HedVec3));
    for (int32_t c = 0; c < 3 * n; ++c) {
        (&p[0].x)[c] = 1.0;
        hed_matrix_multiply(&chain->matrix, &chain->team, p, y);
        hed_rod_condense_apply(&condense, &chain->rods, &chain->team, p, y);
        (&p[0].x)[c] = 0.0;
        for (int32_t d = 0; d < 3 * n; ++d) {
            h[d * (int64_t)(3 * n) + c] = (&y[0].x)[d];
        }
    }
    add_springs(chain, h);
    free(p);
    free(y);
    hed_rod_condense_free(&condense);
}

// L D L' of the free part in place; returns the number of negative pivots.
static int factor(double* h, const Chain* chain, double shift) {
    int32_t n = 3 * chain->count;
    int negative = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (chain->is_held[i / 3]) {
            for (int32_t j = 0; j < n; ++j) {
                h[i * (int64_t)n + j] = h[j * (int64_t)n + i] = 0.0;
            }
            h[i * (int64_t)n + i] = 1.0;
        } else {
            h[i * (int64_t)n + i] += shift;
        }
    }
    for (int32_t j = 0; j < n; ++j) {
        double d = h[j * (int64_t)n + j];
        negative += d < 0.0;
        for (int32_t i = j + 1; i < n; ++i) {
            double l = h[i * (int64_t)n + j] / d;
            for (int32_t k = j + 1; k <= i && l != 0.0; ++k) {
                h[i * (int64_t)n + k] -= l * h[k * (int64_t)n + j];
            }
        }
        for (int32_t i = j + 1; i < n; ++i) {
            h[i * (int64_t)n + j] /= d;
        }
    }
    return negative;
}

static void solve(const double* h, int32_t n, double* x) {
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            x[i] -= h[i * (int64_t)n + j] * x[j];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        x[i] /= h[i * (int64_t)n + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t j = i + 1; j < n; ++j) {
            x[i] -= h[j * (int64_t)n + i] * x[j];
        }
    }
}

int chain_count_below(Chain* chain, double bound) {
    double* h = calloc(9 * (size_t)chain->count * (size_t)chain->count, sizeof(double));
    hed_rods_prepare(&chain->rods, &chain->team, chain->x);
    chain_hessian(chain, h);
    int negative = factor(h, chain, -bound);
    free(h);
    return negative;
}

// The step of Newton's method in `step`, from the gradient there; the matrix is made positive by a
// rising shift.
static void newton_step(Chain* chain, double* h, double* step) {
    int32_t n = 3 * chain->count;
    double shift = 0.0;
    chain_hessian(chain, h);
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        most = fmax(most, h[i * (int64_t)n + i]);
    }
    while (factor(h, chain, shift) > 0) {
        shift = fmax(4.0 * shift, 1e-9 * most);
        chain_hessian(chain, h);
    }
    for (int32_t i = 0; i < n; ++i) {
        step[i] = chain->is_held[i / 3] ? 0.0 : -step[i];
    }
    solve(h, n, step);
}

int chain_settle(Chain* chain, double tolerance) {
    size_t n = (size_t)chain->count;
    double* h = calloc(9 * n * n, sizeof(double));
    HedVec3* step = calloc(n, sizeof(HedVec3));
    HedVec3* start = calloc(n, sizeof(HedVec3));
    int iterations = -1;
    for (int i = 0; i < 400; ++i) {
        double energy = chain_energy(chain);
        hed_rods_commit(&chain->rods);
        chain_gradient(chain, step);
        double worst = 0.0;
        for (size_t k = 0; k < n; ++k) {
            worst = fmax(worst, chain->is_held[k] ? 0.0 : hed_norm3(step[k]));
        }
        if (worst < tolerance) {
            iterations = i;
            break;
        }
        newton_step(chain, h, &step[0].x);
        memcpy(start, chain->x, n * sizeof(HedVec3));
        double part = 1.0, next = HUGE_VAL;
        // Near the end rounding hides the fall of the energy: a full step is right there.
        for (int half = 0; half < 30 && next > energy + 1e-12 * fabs(energy); ++half, part *= 0.5) {
            for (size_t k = 0; k < n; ++k) {
                chain->x[k] = hed_madd3(start[k], part, step[k]);
            }
            next = chain_energy(chain);
        }
    }
    free(h);
    free(step);
    free(start);
    return iterations;
}
