// SPDX-License-Identifier: MIT
// One cycle over the levels: a forward sweep of Gauss and Seidel, what is left goes to the next
// level, and a backward sweep after its answer. Sweeps in opposite orders make the whole symmetric,
// and true sweeps (each patch sees all that were before it) make it positive.
//
// From the third level on, the answer of the level above is found in two rounds (a W cycle): these
// levels are small, and patches of patches need it, as their motions are not smooth.
#include "base/alloc.h"
#include "base/simd.h"
#include "math/vec3.h"
#include "solve/coarse.h"

#include <string.h>

// Six numbers; b x by pairs of columns, twelve numbers or three packs each.
typedef struct Six {
    double v[HED_MODES];
} Six;

typedef struct Sums {
    HedWide low, mid, high;
} Sums;

static inline void add_product(const double* b, const double* x, Sums* sums) {
    for (int k = 0; k < HED_MODES; k += 2) {
        const double* two = b + HED_MODES * k;
        sums->low += hed_wide_load(two) * hed_wide_all(x[k]);
        sums->mid += hed_wide_load(two + 4) * (HedWide){x[k], x[k], x[k + 1], x[k + 1]};
        sums->high += hed_wide_load(two + 8) * hed_wide_all(x[k + 1]);
    }
}

static inline Six total(const Sums* s) {
    return (Six){{s->low[0] + s->mid[2], s->low[1] + s->mid[3], s->low[2] + s->high[0],
                  s->low[3] + s->high[1], s->mid[0] + s->high[2], s->mid[1] + s->high[3]}};
}

// Sum of the blocks from..to-1 of a row times x.
static inline Six gather(const HedCoarseLevel* level, int32_t from, int32_t to, const double* x) {
    Sums sums = {{0}, {0}, {0}};
    for (int32_t e = from; e < to; ++e) {
        add_product(level->block + (int64_t)HED_MODES2 * e, x + HED_MODES * level->column[e],
                    &sums);
    }
    return total(&sums);
}

// x_p = inverse (b_p - what the blocks from..to-1 give)
static inline void relax(const HedCoarseLevel* level, int32_t p, int32_t from, int32_t to,
                         const double* b, double* x) {
    Six rest = gather(level, from, to, x);
    Sums sums = {{0}, {0}, {0}};
    for (int k = 0; k < HED_MODES; ++k) {
        rest.v[k] = b[HED_MODES * p + k] - rest.v[k];
    }
    add_product(level->inverse + (int64_t)HED_MODES2 * p, rest.v, &sums);
    rest = total(&sums);
    memcpy(x + HED_MODES * p, rest.v, sizeof rest.v);
}

// Half of a row of blocks takes about this long, in ns.
enum { HALF_ROW = 120 };

static void relax_group(const HedCoarseLevel* level, int32_t group, bool forward, const double* b,
                        double* x) {
    int32_t begin = HED_COARSE_GROUP * group;
    int32_t end = hed_min_i32(begin + HED_COARSE_GROUP, level->count);
    for (int32_t k = begin; k < end; ++k) {
        int32_t p = forward ? k : begin + end - 1 - k;
        if (forward) {
            relax(level, p, level->first[p], level->middle[p], b, x);
        } else {
            relax(level, p, level->middle[p], level->first[p + 1], b, x);
        }
    }
}

static void sweep(const HedCoarse* coarse, const HedCoarseLevel* level, bool forward,
                  const double* b, double* x) {
    for (int32_t k = 0; k < level->color_count; ++k) {
        int32_t c = forward ? k : level->color_count - 1 - k;
#pragma omp parallel for schedule(static) num_threads(                                             \
    hed_team_size(coarse->team, (int64_t)HALF_ROW * level->count / level->color_count))
        for (int32_t g = level->color_first[c]; g < level->color_first[c + 1]; ++g) {
            relax_group(level, level->group[g], forward, b, x);
        }
    }
}

// What a forward sweep that began at zero leaves: (D + L) x = b, so b - A x = -U x; and its sum
// over the patches of the next level.
static void hand_up(const HedCoarse* coarse, const HedCoarseLevel* level,
                    const HedCoarseLevel* next, const double* x) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(coarse->team, (int64_t)HALF_ROW * level->count))
    for (int32_t a = 0; a < next->count; ++a) {
        HedVec3 shift = {0};
        HedVec3 turn = {0};
        for (int32_t p = level->child_first[a]; p < level->child_first[a + 1]; ++p) {
            Six u = gather(level, level->middle[p], level->first[p + 1], x);
            HedVec3 force = {-u.v[0], -u.v[1], -u.v[2]};
            HedVec3 moment = {-u.v[3], -u.v[4], -u.v[5]};
            shift = hed_add3(shift, force);
            turn = hed_add3(turn, hed_add3(moment, hed_cross3(level->arm[p], force)));
        }
        memcpy(next->b + HED_MODES * a, &shift, sizeof shift);
        memcpy(next->b + HED_MODES * a + 3, &turn, sizeof turn);
    }
}

// Adds the next level's motions to x.
static void hand_down(const HedCoarse* coarse, const HedCoarseLevel* level,
                      const HedCoarseLevel* next, double* x) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(coarse->team, 10 * level->count))
    for (int32_t a = 0; a < next->count; ++a) {
        const double* in = next->x + HED_MODES * a;
        HedVec3 shift = {in[0], in[1], in[2]};
        HedVec3 turn = {in[3], in[4], in[5]};
        for (int32_t p = level->child_first[a]; p < level->child_first[a + 1]; ++p) {
            HedVec3 moved = hed_add3(shift, hed_cross3(turn, level->arm[p]));
            double* to = x + HED_MODES * p;
            to[0] += moved.x;
            to[1] += moved.y;
            to[2] += moved.z;
            to[3] += turn.x;
            to[4] += turn.y;
            to[5] += turn.z;
        }
    }
}

// rest = b - L x: what a backward sweep starts from.
static void subtract_lower(const HedCoarse* coarse, const HedCoarseLevel* level, const double* b,
                           const double* x) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(coarse->team, (int64_t)HALF_ROW * level->count))
    for (int32_t p = 0; p < level->count; ++p) {
        Six low = gather(level, level->first[p], level->middle[p], x);
        for (int k = 0; k < HED_MODES; ++k) {
            level->rest[HED_MODES * p + k] = b[HED_MODES * p + k] - low.v[k];
        }
    }
}

// again_b = b - A x
static void find_rest(const HedCoarseLevel* level, const double* b, const double* x) {
    for (int32_t p = 0; p < level->count; ++p) {
        Sums sums = {{0}, {0}, {0}};
        add_product(level->diagonal + (int64_t)HED_MODES2 * p, x + HED_MODES * p, &sums);
        Six own = total(&sums);
        Six others = gather(level, level->first[p], level->first[p + 1], x);
        for (int k = 0; k < HED_MODES; ++k) {
            level->again_b[HED_MODES * p + k] = b[HED_MODES * p + k] - own.v[k] - others.v[k];
        }
    }
}

static void solve_level(const HedCoarse* coarse, int32_t k);

static void visit(const HedCoarse* coarse, int32_t k, const double* b, double* x) {
    const HedCoarseLevel* level = &coarse->level[k];
    const HedCoarseLevel* next = level + 1;
    sweep(coarse, level, true, b, x);
    hand_up(coarse, level, next, x);
    solve_level(coarse, k + 1);
    hand_down(coarse, level, next, x);
    subtract_lower(coarse, level, b, x);
    sweep(coarse, level, false, level->rest, x);
}

// As deep as there are levels, at most HED_COARSE_LEVELS.
static void solve_level(const HedCoarse* coarse, int32_t k) {
    const HedCoarseLevel* level = &coarse->level[k];
    if (k == coarse->level_count - 1) {
        memcpy(level->x, level->b, sizeof(double) * HED_MODES * (size_t)level->count);
        hed_skyline_solve(&coarse->direct, level->x);
        return;
    }
    visit(coarse, k, level->b, level->x);
    if (k > 0) {
        find_rest(level, level->b, level->x);
        visit(coarse, k, level->again_b, level->again_x);
        for (int32_t i = 0; i < HED_MODES * level->count; ++i) {
            level->x[i] += level->again_x[i];
        }
    }
}

void hed_coarse_solve(const HedCoarse* coarse) {
    solve_level(coarse, 0);
}
