// SPDX-License-Identifier: MIT
#include "solve/projection.h"
#include "base/alloc.h"
#include "math/vec3.h"
#include "solve/tridiagonal.h"

#include <string.h>

enum { WORK = 8 };

static HedStatus check_chain(const HedChain* chain, int32_t c, const double* length,
                             HedError* error) {
    int32_t least = chain->is_closed ? 3 : 2;
    if (chain->point_count < least) {
        return hed_fail(error, HED_INVALID, "chain %d: needs at least %d points, got %d", c, least,
                        chain->point_count);
    }
    for (int32_t k = 0; k < chain->point_count - !chain->is_closed; ++k) {
        if (!(length[k] > 0.0 && isfinite(length[k]))) {
            return hed_fail(error, HED_INVALID,
                            "chain %d: length of segment %d must be positive, got %g", c, k,
                            length[k]);
        }
    }
    return HED_OK;
}

HedStatus hed_lengths_create(HedLengths* lengths, const HedChain* chains, int32_t count,
                             const double* length, HedError* error) {
    HedStatus status = HED_OK;
    int64_t segments = 0;
    *lengths = (HedLengths){.chain_count = count};
    lengths->chain = HED_NEW_ARRAY(HedChain, count);
    lengths->error = HED_NEW_ARRAY(double, count);
    lengths->iterations = HED_NEW_ARRAY(int32_t, count);
    if (!lengths->chain || !lengths->error || !lengths->iterations) {
        HED_TRY(hed_fail_memory(error, "length constraints"));
    }
    for (int32_t c = 0; c < count; ++c) {
        HED_TRY(check_chain(&chains[c], c, length + segments, error));
        lengths->chain[c] = chains[c];
        lengths->chain[c].first_segment = (int32_t)segments;
        segments += chains[c].point_count - !chains[c].is_closed;
        if (segments > INT32_MAX) {
            HED_TRY(hed_fail(error, HED_INVALID, "chain %d: more than %d segments together", c,
                             INT32_MAX));
        }
    }
    lengths->segment_count = (int32_t)segments;
    lengths->length = HED_NEW_ARRAY(double, segments);
    lengths->work = HED_NEW_ARRAY(double, WORK* segments);
    if (!lengths->length || !lengths->work) {
        HED_TRY(hed_fail_memory(error, "length constraints"));
    }
    memcpy(lengths->length, length, sizeof(double) * (size_t)segments);
done:
    if (status != HED_OK) {
        hed_lengths_free(lengths);
    }
    return status;
}

void hed_lengths_free(HedLengths* lengths) {
    hed_free(lengths->chain);
    hed_free(lengths->length);
    hed_free(lengths->work);
    hed_free(lengths->error);
    hed_free(lengths->iterations);
    *lengths = (HedLengths){0};
}

// One chain with its arrays; n segments.
typedef struct Piece {
    int32_t n, point_count;
    bool is_closed;
    HedVec3* x;
    const double* inverse_mass;
    const double* length;
    double *gx, *gy, *gz; // e/L, the change of the constraint with the end of a segment
    double *c, *diagonal, *off, *border;
    double* miss; // |length/rest - 1|
} Piece;

static Piece piece_of(const HedLengths* lengths, int32_t c, const double* inverse_mass,
                      HedVec3* x) {
    const HedChain* chain = &lengths->chain[c];
    int32_t n = chain->point_count - !chain->is_closed;
    double* work = lengths->work + WORK * (int64_t)chain->first_segment;
    double* part[WORK];
    for (int k = 0; k < WORK; ++k) {
        part[k] = work + k * (int64_t)n;
    }
    return (Piece){n,
                   chain->point_count,
                   chain->is_closed,
                   x + chain->first,
                   inverse_mass + chain->first,
                   lengths->length + chain->first_segment,
                   part[0],
                   part[1],
                   part[2],
                   part[3],
                   part[4],
                   part[5],
                   part[6],
                   part[7]};
}

static int32_t after(const Piece* p, int32_t k) {
    return k + 1 < p->point_count ? k + 1 : 0;
}

// The constraint C = (|e|^2 - L^2)/(2 L) of each segment and its gradient.
static void measure(const Piece* p) {
#pragma omp simd
    for (int32_t k = 0; k < p->point_count - 1; ++k) {
        HedVec3 e = hed_sub3(p->x[k + 1], p->x[k]);
        double over = 1.0 / p->length[k];
        double square = hed_dot3(e, e) * over * over;
        p->gx[k] = over * e.x;
        p->gy[k] = over * e.y;
        p->gz[k] = over * e.z;
        p->c[k] = 0.5 * p->length[k] * (square - 1.0);
        p->miss[k] = fabs(sqrt(square) - 1.0);
    }
    if (p->is_closed) {
        int32_t k = p->n - 1;
        HedVec3 g = hed_mul3(1.0 / p->length[k], hed_sub3(p->x[0], p->x[k]));
        p->gx[k] = g.x;
        p->gy[k] = g.y;
        p->gz[k] = g.z;
        p->c[k] = 0.5 * p->length[k] * (hed_dot3(g, g) - 1.0);
        p->miss[k] = fabs(hed_norm3(g) - 1.0);
    }
}

static double worst_of(const Piece* p) {
    double worst = 0.0;
    for (int32_t k = 0; k < p->n; ++k) {
        worst = p->miss[k] > worst || isnan(p->miss[k]) ? p->miss[k] : worst;
    }
    return worst;
}

static HedVec3 gradient(const Piece* p, int32_t k) {
    return (HedVec3){p->gx[k], p->gy[k], p->gz[k]};
}

// Multipliers in place of c: (J W J') lambda = C.
static void solve_multipliers(const Piece* p) {
    for (int32_t k = 0; k < p->n; ++k) {
        int32_t next = k + 1 < p->n ? k + 1 : 0;
        double w = p->inverse_mass[after(p, k)];
        HedVec3 g = gradient(p, k);
        p->diagonal[k] = (p->inverse_mass[k] + w) * hed_dot3(g, g);
        p->off[k] = -w * hed_dot3(g, gradient(p, next));
    }
    HedTridiagonal matrix = {p->n, p->is_closed, p->diagonal, p->off, p->border};
    hed_tridiagonal_factor(&matrix);
    hed_tridiagonal_solve(&matrix, p->c);
}

// Where point k goes: -W J' lambda.
static HedVec3 motion(const Piece* p, int32_t k) {
    int32_t before = k > 0 ? k - 1 : (p->is_closed ? p->n - 1 : -1);
    HedVec3 d = {0};
    if (k < p->n) {
        d = hed_mul3(p->c[k], gradient(p, k));
    }
    if (before >= 0) {
        d = hed_madd3(d, -p->c[before], gradient(p, before));
    }
    return hed_mul3(p->inverse_mass[k], d);
}

// No point goes further than a segment's length at once: constraints that nearly contradict each
// other ask for more.
static void move(const Piece* p) {
    double most = 0.0;
    for (int32_t k = 0; k < p->point_count; ++k) {
        double length = p->length[k < p->n ? k : k - 1];
        most = fmax(most, hed_norm3(motion(p, k)) / length);
    }
    double part = most > 1.0 ? 1.0 / most : 1.0;
    for (int32_t k = 0; k < p->point_count; ++k) {
        p->x[k] = hed_madd3(p->x[k], part, motion(p, k));
    }
}

static void project_chain(HedLengths* lengths, int32_t c, HedProjectionLimit limit,
                          const double* inverse_mass, HedVec3* x) {
    Piece p = piece_of(lengths, c, inverse_mass, x);
    measure(&p);
    double worst = worst_of(&p);
    int32_t iteration = 0;
    while (worst > limit.tolerance && iteration < limit.iterations) {
        solve_multipliers(&p);
        move(&p);
        measure(&p);
        worst = worst_of(&p);
        ++iteration;
    }
    lengths->error[c] = worst;
    lengths->iterations[c] = iteration;
}

HedProjection hed_lengths_project(HedLengths* lengths, const HedTeam* team,
                                  HedProjectionLimit limit, const double* inverse_mass,
                                  HedVec3* x) {
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(hed_team_size(team, 60 * (int64_t)lengths->segment_count))
    for (int32_t c = 0; c < lengths->chain_count; ++c) {
        project_chain(lengths, c, limit, inverse_mass, x);
    }
    HedProjection report = {0, 0.0, true};
    for (int32_t c = 0; c < lengths->chain_count; ++c) {
        report.iterations = hed_max_i32(report.iterations, lengths->iterations[c]);
        report.error = fmax(report.error, lengths->error[c]);
        report.is_converged = report.is_converged && lengths->error[c] <= limit.tolerance;
    }
    return report;
}

HedVec3 hed_glue_gap(const HedGlue* glue, const HedVec3* x) {
    HedVec3 gap = hed_mul3(-1.0, glue->anchor);
    for (int k = 0; k < HED_GLUE_POINTS; ++k) {
        gap = hed_madd3(gap, glue->weight[k], x[glue->point[k]]);
    }
    return gap;
}

// A point that stands in several places of a constraint counts with the sum of its weights.
static double softness(const HedGlue* glue, const double* inverse_mass) {
    double sum = 0.0;
    for (int k = 0; k < HED_GLUE_POINTS; ++k) {
        double total = 0.0;
        bool is_first = true;
        for (int m = 0; m < HED_GLUE_POINTS; ++m) {
            bool is_same = glue->point[m] == glue->point[k];
            total += is_same ? glue->weight[m] : 0.0;
            is_first = is_first && !(is_same && m < k);
        }
        sum += is_first ? total * total * inverse_mass[glue->point[k]] : 0.0;
    }
    return sum;
}

void hed_glue_project(const HedGlue* glue, int32_t count, const double* inverse_mass, HedVec3* x) {
    for (int32_t g = 0; g < count; ++g) {
        double soft = softness(&glue[g], inverse_mass);
        if (soft > 0.0) {
            HedVec3 gap = hed_glue_gap(&glue[g], x);
            double size = hed_norm3(gap);
            double part = size > 0.0 ? 1.0 - glue[g].length / size : 0.0;
            HedVec3 lambda = hed_mul3(part / soft, gap);
            for (int k = 0; k < HED_GLUE_POINTS; ++k) {
                int32_t p = glue[g].point[k];
                x[p] = hed_madd3(x[p], -inverse_mass[p] * glue[g].weight[k], lambda);
            }
        }
    }
}
