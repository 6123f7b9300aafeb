// SPDX-License-Identifier: MIT
// Levels of patches, and their matrices.
#include "solve/coarse.h"
#include "base/array.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { CHILDREN = 4, FEWEST = 32 }; // patches in one of the next level; patches solved directly

typedef HED_ARRAY(HedPatchPair) Pairs;

static int32_t parent_of(const HedCoarseLevel* level, int32_t parents, int32_t p) {
    return (int32_t)(((int64_t)p * parents + parents - 1) / level->count);
}

// Neighbours in number are neighbours in space, so patches unite with those that follow them.
static bool unite(HedCoarseLevel* level, HedCoarseLevel* next) {
    int32_t parents = (level->count + CHILDREN - 1) / CHILDREN;
    level->child_first = HED_NEW_ARRAY(int32_t, (int64_t)parents + 1);
    level->arm = HED_NEW_ARRAY(HedVec3, level->count);
    next->centre = HED_NEW_ARRAY(HedVec3, parents);
    next->count = parents;
    if (!level->child_first || !level->arm || !next->centre) {
        return false;
    }
    for (int32_t k = 0; k < parents; ++k) {
        int32_t begin = (int32_t)((int64_t)level->count * k / parents);
        int32_t end = (int32_t)((int64_t)level->count * (k + 1) / parents);
        HedVec3 sum = {0};
        for (int32_t p = begin; p < end; ++p) {
            sum = hed_add3(sum, level->centre[p]);
        }
        next->centre[k] = hed_mul3(1.0 / (end - begin), sum);
        for (int32_t p = begin; p < end; ++p) {
            level->arm[p] = hed_sub3(level->centre[p], next->centre[k]);
        }
        level->child_first[k + 1] = end;
    }
    return true;
}

// Every pair of parents with coupled children, once; mark[q] is the last parent seen with q.
static bool find_pairs(const HedCoarseLevel* level, int32_t parents, int32_t* mark, Pairs* out) {
    bool ok = true;
    for (int32_t a = 0; a < parents; ++a) {
        for (int32_t p = level->child_first[a]; p < level->child_first[a + 1]; ++p) {
            for (int32_t e = level->first[p]; e < level->first[p + 1] && ok; ++e) {
                int32_t b = parent_of(level, parents, level->column[e]);
                if (b > a && mark[b] != a + 1) {
                    mark[b] = a + 1;
                    ok = HED_APPEND(out, (HedPatchPair){a, b});
                }
            }
        }
    }
    return ok;
}

static HedStatus add_level(HedCoarseLevel* level, HedCoarseLevel* next) {
    Pairs pairs = {0};
    HedStatus status = HED_NO_MEMORY;
    if (unite(level, next)) {
        int32_t* mark = HED_NEW_ARRAY(int32_t, next->count);
        if (mark && find_pairs(level, next->count, mark, &pairs)) {
            status = hed_coarse_level_create(next, next->count, pairs.data, pairs.count);
        }
        hed_free(mark);
    }
    hed_free(pairs.data);
    return status;
}

static HedStatus make_direct(HedCoarse* coarse) {
    int32_t size = HED_MODES * coarse->level[coarse->level_count - 1].count;
    int32_t* low = HED_NEW_ARRAY(int32_t, size); // zero: a full matrix
    HedStatus status = low ? hed_skyline_create(&coarse->direct, size, low, NULL) : HED_NO_MEMORY;
    hed_free(low);
    return status;
}

static HedBlockRows last_rows(const HedCoarse* coarse) {
    const HedCoarseLevel* last = &coarse->level[coarse->level_count - 1];
    return (HedBlockRows){last->count, last->first, last->column, last->block, last->diagonal};
}

static HedStatus make_fronts(HedCoarse* coarse) {
    HedBlockRows rows = last_rows(coarse);
    return hed_multifrontal_create(&coarse->multifrontal, &rows,
                                   coarse->level[coarse->level_count - 1].centre,
                                   coarse->team->threads);
}

HedStatus hed_coarse_create(HedCoarse* coarse, int32_t count, const HedVec3* centre,
                            const HedPatchPair* pairs, int32_t pair_count) {
    HedCoarseLevel* level = &coarse->level[0];
    HedStatus status = hed_coarse_level_create(level, count, pairs, pair_count);
    coarse->level_count = 1;
    level->centre = status == HED_OK ? HED_NEW_ARRAY(HedVec3, count) : NULL;
    if (!level->centre) {
        return HED_NO_MEMORY;
    }
    memcpy(level->centre, centre, sizeof(HedVec3) * (size_t)count);
    int32_t most = hed_max_i32(FEWEST, coarse->direct_most);
    while (status == HED_OK && level->count > most && coarse->level_count < HED_COARSE_LEVELS) {
        status = add_level(level, level + 1);
        coarse->level_count += 1;
        ++level;
    }
    if (status == HED_OK) {
        status = level->count > FEWEST ? make_fronts(coarse) : make_direct(coarse);
    }
    return status;
}

void hed_coarse_free(HedCoarse* coarse) {
    for (int32_t k = 0; k < coarse->level_count; ++k) {
        hed_coarse_level_free(&coarse->level[k]);
    }
    hed_skyline_free(&coarse->direct);
    hed_multifrontal_free(&coarse->multifrontal);
    *coarse = (HedCoarse){0};
}

// h <- h P, P = [1 -skew(a); 0 1]: column 3 + k takes the shifts' columns crossed with a.
static inline void turn_columns(double* h, HedVec3 a) {
    for (int r = 0; r < HED_MODES; ++r) {
        double x = h[r], y = h[HED_MODES + r], z = h[2 * HED_MODES + r];
        h[3 * HED_MODES + r] += a.y * z - a.z * y;
        h[4 * HED_MODES + r] += a.z * x - a.x * z;
        h[5 * HED_MODES + r] += a.x * y - a.y * x;
    }
}

// h <- P' h, the same for rows.
static inline void turn_rows(double* h, HedVec3 a) {
    for (int c = 0; c < HED_MODES; ++c) {
        double* col = h + HED_MODES * c;
        col[3] += a.y * col[2] - a.z * col[1];
        col[4] += a.z * col[0] - a.x * col[2];
        col[5] += a.x * col[1] - a.y * col[0];
    }
}

static inline void add_turned(const double* block, HedVec3 row_arm, HedVec3 column_arm,
                              double* to) {
    double h[HED_MODES2];
    memcpy(h, block, sizeof h);
    turn_columns(h, column_arm);
    turn_rows(h, row_arm);
    for (int k = 0; k < HED_MODES2; ++k) {
        to[k] += h[k];
    }
}

// P' A P for the row of one parent: its diagonal and what stands right of it.
static void project_row(const HedCoarseLevel* level, HedCoarseLevel* next, int32_t a) {
    double* diagonal = next->diagonal + (int64_t)HED_MODES2 * a;
    memset(diagonal, 0, sizeof(double) * HED_MODES2);
    for (int32_t e = next->first[a]; e < next->first[a + 1]; ++e) {
        memset(next->block + (int64_t)HED_MODES2 * e, 0, sizeof(double) * HED_MODES2);
    }
    for (int32_t p = level->child_first[a]; p < level->child_first[a + 1]; ++p) {
        HedVec3 arm = level->arm[p];
        add_turned(level->diagonal + (int64_t)HED_MODES2 * p, arm, arm, diagonal);
        for (int32_t e = level->first[p]; e < level->first[p + 1]; ++e) {
            int32_t q = level->column[e];
            int32_t b = parent_of(level, next->count, q);
            if (b >= a) {
                double* to = b == a ? diagonal : hed_coarse_block(next, a, b);
                add_turned(level->block + (int64_t)HED_MODES2 * e, arm, level->arm[q], to);
            }
        }
    }
}

// Blocks left of the diagonal are the transposed ones right of it.
static void mirror_row(HedCoarseLevel* level, int32_t p) {
    for (int32_t e = level->first[p]; e < level->first[p + 1]; ++e) {
        if (level->column[e] < p) {
            const double* from = level->block + (int64_t)HED_MODES2 * level->twin[e];
            double* to = level->block + (int64_t)HED_MODES2 * e;
            for (int k = 0; k < HED_MODES2; ++k) {
                to[k] = from[k % HED_MODES * HED_MODES + k / HED_MODES];
            }
        }
    }
}

// Inverse of a symmetric positive semidefinite block; directions in which it has no stiffness (a
// patch on a line does not resist turning about it) get none of the solution. False if it is
// indefinite.
static bool invert(const double* a, float* inverse) {
    double l[HED_MODES][HED_MODES] = {{0}};
    for (int i = 0; i < HED_MODES; ++i) {
        for (int j = 0; j <= i; ++j) {
            double rest = a[HED_MODES * j + i];
            for (int k = 0; k < j; ++k) {
                rest -= l[i][k] * l[j][k];
            }
            double nothing = 1e-11 * a[HED_MODES * i + i]; // what rounding leaves
            if (i != j) {
                l[i][j] = l[j][j] > 0.0 ? rest / l[j][j] : 0.0;
            } else if (!(rest >= -nothing)) {
                return false;
            } else {
                l[i][i] = rest > nothing ? sqrt(rest) : 0.0;
            }
        }
    }
    for (int c = 0; c < HED_MODES; ++c) {
        double x[HED_MODES] = {0};
        for (int i = 0; i < HED_MODES; ++i) {
            double rest = i == c;
            for (int k = 0; k < i; ++k) {
                rest -= l[i][k] * x[k];
            }
            x[i] = l[i][i] > 0.0 ? rest / l[i][i] : 0.0;
        }
        for (int i = HED_MODES - 1; i >= 0; --i) {
            for (int k = i + 1; k < HED_MODES; ++k) {
                x[i] -= l[k][i] * x[k];
            }
            x[i] = l[i][i] > 0.0 ? x[i] / l[i][i] : 0.0;
        }
        for (int i = c; i < HED_MODES; ++i) { // both halves alike
            inverse[HED_MODES * c + i] = inverse[HED_MODES * i + c] = (float)x[i];
        }
    }
    return true;
}

// What sweeps read of a row: in half the bytes, which is what they wait for. A block and its twin
// are rounded alike, so the whole stays symmetric.
static void lighten_row(HedCoarseLevel* level, int32_t p) {
    int64_t end = (int64_t)HED_MODES2 * level->first[p + 1];
    for (int64_t k = (int64_t)HED_MODES2 * level->first[p]; k < end; ++k) {
        level->light[k] = (float)level->block[k];
    }
}

// The blocks left of the diagonal and the inverses, once the rest is there.
static bool finish_level(HedCoarseLevel* level, const HedTeam* team) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(team, INT64_C(800) * level->count))
    for (int32_t p = 0; p < level->count; ++p) {
        mirror_row(level, p);
        level->is_good[p] = invert(level->diagonal + (int64_t)HED_MODES2 * p,
                                   level->inverse + (int64_t)HED_MODES2 * p);
        lighten_row(level, p);
    }
    return !memchr(level->is_good, 0, (size_t)level->count);
}

static bool factor_last(HedCoarse* coarse) {
    const HedCoarseLevel* last = &coarse->level[coarse->level_count - 1];
    if (coarse->multifrontal.count > 0) {
        HedBlockRows rows = last_rows(coarse);
        return hed_multifrontal_factor(&coarse->multifrontal, &rows, coarse->team);
    }
    hed_skyline_clear(&coarse->direct);
    for (int32_t p = 0; p < last->count; ++p) {
        for (int32_t e = last->first[p] - 1; e < last->first[p + 1]; ++e) {
            bool own = e < last->first[p];
            int32_t q = own ? p : last->column[e];
            const double* h = own ? last->diagonal + (int64_t)HED_MODES2 * p
                                  : last->block + (int64_t)HED_MODES2 * e;
            for (int k = 0; k < HED_MODES2; ++k) {
                int32_t row = HED_MODES * p + k % HED_MODES;
                int32_t column = HED_MODES * q + k / HED_MODES;
                if (row >= column) {
                    *hed_skyline_at(&coarse->direct, row, column) = h[k];
                }
            }
        }
    }
    return hed_skyline_factor(&coarse->direct);
}

bool hed_coarse_update(HedCoarse* coarse) {
    bool ok = finish_level(&coarse->level[0], coarse->team);
    for (int32_t k = 1; k < coarse->level_count && ok; ++k) {
        HedCoarseLevel* level = &coarse->level[k - 1];
        HedCoarseLevel* next = &coarse->level[k];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(coarse->team, INT64_C(5000) * next->count))
        for (int32_t a = 0; a < next->count; ++a) {
            project_row(level, next, a);
        }
        ok = finish_level(next, coarse->team);
    }
    return ok && factor_last(coarse);
}
