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

typedef struct CoarseSums {
    HedWide low, mid, high;
} CoarseSums;

static inline void add_product(const float* b, const double* x, CoarseSums* sums) {
    for (int k = 0; k < HED_MODES; k += 2) {
        const float* two = b + HED_MODES * k;
        HedWide mixed = {x[k], x[k], x[k + 1], x[k + 1]};
        sums->low += hed_wide_load_floats(two) * hed_wide_all(x[k]);
        sums->mid += hed_wide_load_floats(two + 4) * mixed;
        sums->high += hed_wide_load_floats(two + 8) * hed_wide_all(x[k + 1]);
    }
}

static inline Six total(const CoarseSums* s) {
    return (Six){{s->low[0] + s->mid[2], s->low[1] + s->mid[3], s->low[2] + s->high[0],
                  s->low[3] + s->high[1], s->mid[0] + s->high[2], s->mid[1] + s->high[3]}};
}

// Sum of the blocks from..to-1 of a row times x.
static inline Six gather(const HedCoarseLevel* level, int32_t from, int32_t to, const double* x) {
    CoarseSums sums = {{0}, {0}, {0}};
    for (int32_t e = from; e < to; ++e) {
        add_product(level->light + (int64_t)HED_MODES2 * e, x + HED_MODES * level->column[e],
                    &sums);
    }
    return total(&sums);
}

// x_p = inverse (b_p - what the blocks from..to-1 give)
static inline void relax(const HedCoarseLevel* level, int32_t p, int32_t from, int32_t to,
                         const double* b, double* x) {
    Six rest = gather(level, from, to, x);
    CoarseSums sums = {{0}, {0}, {0}};
    for (int k = 0; k < HED_MODES; ++k) {
        rest.v[k] = b[HED_MODES * p + k] - rest.v[k];
    }
    add_product(level->inverse + (int64_t)HED_MODES2 * p, rest.v, &sums);
    rest = total(&sums);
    memcpy(x + HED_MODES * p, rest.v, sizeof rest.v);
}

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

static void sweep(const HedCoarseLevel* level, HedThreadTeam threads, bool forward, const double* b,
                  double* x) {
    for (int32_t k = 0; k < level->color_count; ++k) {
        int32_t c = forward ? k : level->color_count - 1 - k;
        HedShare own =
            hed_thread_team_share(threads, level->color_first[c], level->color_first[c + 1]);
        for (int32_t g = own.first; g < own.end; ++g) {
            relax_group(level, level->group[g], forward, b, x);
        }
        hed_thread_team_barrier(threads);
    }
}

// What a forward sweep that began at zero leaves: (D + L) x = b, so b - A x = -U x; and its sum
// over the patches of the next level.
static void hand_up(const HedCoarseLevel* level, HedThreadTeam threads, const double* x) {
    const HedCoarseLevel* next = level + 1;
    HedShare own = hed_thread_team_share(threads, 0, next->count);
    for (int32_t a = own.first; a < own.end; ++a) {
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
    hed_thread_team_barrier(threads);
}

// Adds the next level's motions to x.
static void hand_down(const HedCoarseLevel* level, HedThreadTeam threads, double* x) {
    const HedCoarseLevel* next = level + 1;
    HedShare own = hed_thread_team_share(threads, 0, next->count);
    for (int32_t a = own.first; a < own.end; ++a) {
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
    hed_thread_team_barrier(threads);
}

// rest = b - L x: what a backward sweep starts from.
static void subtract_lower(const HedCoarseLevel* level, HedThreadTeam threads, const double* b,
                           const double* x) {
    HedShare own = hed_thread_team_share(threads, 0, level->count);
    for (int32_t p = own.first; p < own.end; ++p) {
        Six low = gather(level, level->first[p], level->middle[p], x);
        for (int k = 0; k < HED_MODES; ++k) {
            level->rest[HED_MODES * p + k] = b[HED_MODES * p + k] - low.v[k];
        }
    }
    hed_thread_team_barrier(threads);
}

// What a whole visit leaves: its backward sweep solved (D + U) x = rest, so
// again_b = b - A x = b - rest - L x.
static void find_again(const HedCoarseLevel* level, HedThreadTeam threads, const double* b,
                       const double* x) {
    HedShare own = hed_thread_team_share(threads, 0, level->count);
    for (int32_t p = own.first; p < own.end; ++p) {
        Six low = gather(level, level->first[p], level->middle[p], x);
        for (int k = 0; k < HED_MODES; ++k) {
            int32_t i = HED_MODES * p + k;
            level->again_b[i] = b[i] - level->rest[i] - low.v[k];
        }
    }
    hed_thread_team_barrier(threads);
}

static void add_again(const HedCoarseLevel* level, HedThreadTeam threads) {
    HedShare own = hed_thread_team_share(threads, 0, HED_MODES * level->count);
    for (int32_t i = own.first; i < own.end; ++i) {
        level->x[i] += level->again_x[i];
    }
    hed_thread_team_barrier(threads);
}

static void solve_level(const HedCoarse* coarse, int32_t k, HedThreadTeam threads);

static void visit(const HedCoarse* coarse, int32_t k, HedThreadTeam threads, const double* b,
                  double* x) {
    const HedCoarseLevel* level = &coarse->level[k];
    sweep(level, threads, true, b, x);
    hand_up(level, threads, x);
    solve_level(coarse, k + 1, threads);
    hand_down(level, threads, x);
    subtract_lower(level, threads, b, x);
    sweep(level, threads, false, level->rest, x);
}

static void solve_last(const HedCoarse* coarse) {
    const HedCoarseLevel* level = &coarse->level[coarse->level_count - 1];
    memcpy(level->x, level->b, sizeof(double) * HED_MODES * (size_t)level->count);
    hed_skyline_solve(&coarse->direct, level->x);
}

// As deep as there are levels, at most HED_COARSE_LEVELS.
static void solve_level(const HedCoarse* coarse, int32_t k, HedThreadTeam threads) {
    enum { FEW = 100 }; // patches: to meet after each part of a visit takes as long as to make it
    const HedCoarseLevel* level = &coarse->level[k];
    bool is_last = k == coarse->level_count - 1;
    if (is_last && coarse->multifrontal.count > 0) {
        hed_multifrontal_solve(&coarse->multifrontal, level->b, level->x, threads);
    } else if (threads.size > 1 && (is_last || level->count < FEW)) {
        if (threads.rank == 0) {
            solve_level(coarse, k, HED_ALONE);
        }
        hed_thread_team_barrier(threads);
    } else if (is_last) {
        solve_last(coarse);
    } else {
        visit(coarse, k, threads, level->b, level->x);
        if (k > 0) {
            find_again(level, threads, level->b, level->x);
            visit(coarse, k, threads, level->again_b, level->again_x);
            add_again(level, threads);
        }
    }
}

void hed_coarse_solve(const HedCoarse* coarse, HedThreadTeam threads) {
    solve_level(coarse, 0, threads);
}
