// SPDX-License-Identifier: MIT
// The inverse of each point's own block for what varies fast, and the rigid motions of small
// patches for what varies slowly:
//   B = D^-1 + P C P',
// C about the inverse of P' A P (solve/coarse.h), P the rigid motions: for a point at x of the
// patch about c the columns are the three shifts and the three turns  w x (x - c). Patches are
// pieces of ranges: points are numbered along a space-filling curve, so a piece of it is compact.
//
// Incomplete factors are not used in place of D^-1: they cost far more to make, and broke down on a
// membrane with hinges at 202,500 points.
#include "base/array.h"
#include "math/mat3.h"
#include "solve/coarse.h"
#include "solve/preconditioner_kinds.h"

#include <string.h>

enum { PATCH = 16 }; // points

typedef struct TwoLevel {
    const HedMatrix* pattern;
    const HedTeam* team;
    int32_t* patch_of;    // row -> patch
    int32_t* patch_first; // patch -> first row; patch_count + 1
    int32_t patch_count;
    HedVec3* arm;     // x - c of each row
    double* is_free;  // 1 or 0
    HedMat3* inverse; // of the diagonal; the unit matrix where a row is held
    bool* is_good;    // of each patch: whether its points' blocks are positive definite
    HedCoarse coarse;
} TwoLevel;

static void destroy(void* self) {
    TwoLevel* two = self;
    hed_free(two->patch_of);
    hed_free(two->patch_first);
    hed_free(two->arm);
    hed_free(two->is_free);
    hed_free(two->inverse);
    hed_free(two->is_good);
    hed_coarse_free(&two->coarse);
    hed_free(two);
}

// Cuts every range into equal pieces of about PATCH rows; counts if first is NULL.
static int32_t cut_ranges(HedRanges ranges, int32_t* first) {
    int32_t count = 0;
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t rows = ranges.first[r + 1] - ranges.first[r];
        int32_t pieces = hed_max_i32(1, (rows + PATCH / 2) / PATCH);
        for (int32_t k = 0; k < pieces; ++k, ++count) {
            if (first) {
                first[count] = ranges.first[r] + (int32_t)((int64_t)rows * k / pieces);
            }
        }
    }
    if (first) {
        first[count] = ranges.first[ranges.count];
    }
    return count;
}

static bool allocate(TwoLevel* two) {
    const HedMatrix* m = two->pattern;
    two->patch_count = cut_ranges(m->ranges, NULL);
    two->patch_first = HED_NEW_ARRAY(int32_t, (int64_t)two->patch_count + 1);
    two->patch_of = HED_NEW_ARRAY(int32_t, m->row_count);
    two->arm = HED_NEW_ARRAY(HedVec3, m->row_count);
    two->is_free = HED_NEW_ARRAY(double, m->row_count);
    two->inverse = HED_NEW_ARRAY(HedMat3, m->row_count);
    two->is_good = HED_NEW_ARRAY(bool, two->patch_count);
    return two->patch_first && two->patch_of && two->arm && two->is_free && two->inverse &&
           two->is_good;
}

static void make_patches(TwoLevel* two, const HedVec3* x, HedVec3* centre) {
    cut_ranges(two->pattern->ranges, two->patch_first);
    for (int32_t p = 0; p < two->patch_count; ++p) {
        int32_t begin = two->patch_first[p];
        int32_t end = two->patch_first[p + 1];
        HedVec3 sum = {0};
        for (int32_t i = begin; i < end; ++i) {
            sum = hed_add3(sum, x[i]);
        }
        centre[p] = hed_mul3(1.0 / (end - begin), sum);
        for (int32_t i = begin; i < end; ++i) {
            two->patch_of[i] = p;
            two->arm[i] = hed_sub3(x[i], centre[p]);
        }
    }
}

typedef HED_ARRAY(HedPatchPair) Pairs;

// Every pair of patches that a block couples, once; mark[q] is the last patch seen with q.
static bool find_pairs(const TwoLevel* two, int32_t* mark, Pairs* out) {
    const HedMatrix* m = two->pattern;
    bool ok = true;
    for (int32_t i = 0; i < m->row_count && ok; ++i) {
        int32_t p = two->patch_of[i];
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1] && ok; ++e) {
            int32_t q = two->patch_of[m->column[e]];
            if (q > p && mark[q] != p + 1) {
                mark[q] = p + 1;
                ok = HED_APPEND(out, (HedPatchPair){p, q});
            }
        }
    }
    return ok;
}

static HedStatus make_coarse(TwoLevel* two, const HedVec3* x) {
    HedStatus status = HED_NO_MEMORY;
    Pairs pairs = {0};
    HedVec3* centre = HED_NEW_ARRAY(HedVec3, two->patch_count);
    int32_t* mark = HED_NEW_ARRAY(int32_t, two->patch_count);
    if (centre && mark) {
        make_patches(two, x, centre);
        if (find_pairs(two, mark, &pairs)) {
            two->coarse.team = two->team;
            status =
                hed_coarse_create(&two->coarse, two->patch_count, centre, pairs.data, pairs.count);
        }
    }
    hed_free(centre);
    hed_free(mark);
    hed_free(pairs.data);
    return status;
}

static void* create(HedPreconditionerInput input, HedStatus* status) {
    TwoLevel* two = HED_NEW(TwoLevel);
    *status = HED_NO_MEMORY;
    if (two) {
        two->pattern = input.matrix;
        two->team = input.team;
        if (allocate(two)) {
            *status = make_coarse(two, input.positions);
        }
    }
    return two;
}

// Half of the way from points to patches: three rows, six columns, [h  h (-skew(arm))].
typedef struct HalfWay {
    double m[3][HED_MODES];
} HalfWay;

static inline void add_half_way(const HedMat3* h, HedVec3 a, HalfWay* sum) {
    for (int r = 0; r < 3; ++r) {
        const double* row = h->m[r];
        sum->m[r][0] += row[0];
        sum->m[r][1] += row[1];
        sum->m[r][2] += row[2];
        sum->m[r][3] += a.y * row[2] - a.z * row[1];
        sum->m[r][4] += a.z * row[0] - a.x * row[2];
        sum->m[r][5] += a.x * row[1] - a.y * row[0];
    }
}

// The other half: to += P_i' sum, by columns.
static inline void finish_way(const HalfWay* sum, HedVec3 a, double* to) {
    for (int c = 0; c < HED_MODES; ++c) {
        double x = sum->m[0][c], y = sum->m[1][c], z = sum->m[2][c];
        double* out = to + HED_MODES * c;
        out[0] += x;
        out[1] += y;
        out[2] += z;
        out[3] += a.y * z - a.z * y;
        out[4] += a.z * x - a.x * z;
        out[5] += a.x * y - a.y * x;
    }
}

// Row i of P' A P: blocks right of the diagonal, neighbours of one patch together. Those of its own
// patch go to `own`, to be added with their transposes.
static void project_row(const TwoLevel* two, const HedMatrix* matrix, int32_t i, double* own) {
    const HedCoarseLevel* level = &two->coarse.level[0];
    int32_t p = two->patch_of[i];
    int32_t last = matrix->row_first[i + 1];
    for (int32_t e = matrix->row_first[i]; e < last;) {
        int32_t q = two->patch_of[matrix->column[e]];
        bool is_right = matrix->column[e] > i;
        HalfWay sum = {{{0}}};
        for (; e < last && two->patch_of[matrix->column[e]] == q; ++e) {
            int32_t j = matrix->column[e];
            if (is_right && two->is_free[j] > 0.0) {
                add_half_way(&matrix->block[e], two->arm[j], &sum);
            }
        }
        if (is_right) {
            finish_way(&sum, two->arm[i], q == p ? own : hed_coarse_block(level, p, q));
        }
    }
}

static bool project_patch(TwoLevel* two, const HedMatrix* matrix, int32_t p) {
    HedCoarseLevel* level = &two->coarse.level[0];
    double* diagonal = level->diagonal + (int64_t)HED_MODES2 * p;
    double own[HED_MODES2] = {0};
    bool ok = true;
    memset(diagonal, 0, sizeof own);
    memset(level->block + (int64_t)HED_MODES2 * level->first[p], 0,
           sizeof own * (size_t)(level->first[p + 1] - level->first[p]));
    for (int32_t i = two->patch_first[p]; i < two->patch_first[p + 1]; ++i) {
        bool fine = true;
        two->inverse[i] = hed_mat3_identity();
        if (two->is_free[i] > 0.0) {
            HalfWay sum = {{{0}}};
            two->inverse[i] = hed_mat3_inverse_spd(matrix->diagonal[i], &fine);
            add_half_way(&matrix->diagonal[i], two->arm[i], &sum);
            finish_way(&sum, two->arm[i], diagonal);
            project_row(two, matrix, i, own);
        }
        ok = ok && fine;
    }
    for (int k = 0; k < HED_MODES2; ++k) {
        diagonal[k] += own[k] + own[k % HED_MODES * HED_MODES + k / HED_MODES];
    }
    return ok;
}

static bool update(void* self, const HedMatrix* matrix, const double* free) {
    TwoLevel* two = self;
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        two->is_free[i] = free[i] > 0.0 ? 1.0 : 0.0;
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(two->team, INT64_C(150) * matrix->row_count))
    for (int32_t p = 0; p < two->patch_count; ++p) {
        two->is_good[p] = project_patch(two, matrix, p);
    }
    bool is_good = !memchr(two->is_good, 0, (size_t)two->patch_count);
    return is_good && hed_coarse_update(&two->coarse);
}

static void sum_patch(const TwoLevel* two, int32_t p, const HedVec3* from) {
    HedVec3 shift = {0};
    HedVec3 turn = {0};
    for (int32_t i = two->patch_first[p]; i < two->patch_first[p + 1]; ++i) {
        HedVec3 value = hed_mul3(two->is_free[i], from[i]);
        shift = hed_add3(shift, value);
        turn = hed_add3(turn, hed_cross3(two->arm[i], value));
    }
    double* out = two->coarse.level[0].b + (int64_t)HED_MODES * p;
    memcpy(out, &shift, sizeof shift);
    memcpy(out + 3, &turn, sizeof turn);
}

static void move_patch(const TwoLevel* two, int32_t p, const HedVec3* from, HedVec3* to) {
    const double* in = two->coarse.level[0].x + (int64_t)HED_MODES * p;
    HedVec3 shift = {in[0], in[1], in[2]};
    HedVec3 turn = {in[3], in[4], in[5]};
    for (int32_t i = two->patch_first[p]; i < two->patch_first[p + 1]; ++i) {
        HedVec3 moved = hed_add3(shift, hed_cross3(turn, two->arm[i]));
        to[i] = hed_madd3(hed_mat3_apply(two->inverse[i], from[i]), two->is_free[i], moved);
    }
}

static void apply(const void* self, const double* x, double* y) {
    const TwoLevel* two = self;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
#pragma omp parallel num_threads(hed_team_size(two->team, INT64_C(30) * two->pattern->row_count))
    {
        HedThreadTeam threads = hed_thread_team();
        HedShare own = hed_thread_team_share(threads, 0, two->patch_count);
        for (int32_t p = own.first; p < own.end; ++p) {
            sum_patch(two, p, from);
        }
        hed_thread_team_barrier(threads);
        hed_coarse_solve(&two->coarse, threads);
        for (int32_t p = own.first; p < own.end; ++p) {
            move_patch(two, p, from, to);
        }
    }
}

const HedPreconditionerType HED_TWO_LEVEL = {"two-level", create, destroy, update, apply};
