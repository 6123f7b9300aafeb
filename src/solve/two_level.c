// SPDX-License-Identifier: MIT
// Incomplete factors of patches for what varies fast, and the rigid motions of small patches for
// what varies slowly:
//   B = F + P (P' A P)^-1 P',
// F the incomplete factors, P the rigid motions: for a point at x of the patch about c the columns
// are the three shifts and the three turns  w x (x - c). Patches are pieces of ranges: points are
// numbered along a space-filling curve, so a piece of it is compact.
#include "base/alloc.h"
#include "math/mat3.h"
#include "solve/preconditioner_kinds.h"
#include "solve/skyline.h"

#include <string.h>

enum { MODES = 6, LEAST_PATCH = 64, MOST_PATCHES = 800 };

typedef struct TwoLevel {
    void* fine;
    const HedMatrix* pattern;
    const HedTeam* team;
    int32_t* patch_of;    // row -> patch
    int32_t* patch_first; // patch -> first row; patch_count + 1
    int32_t patch_count;
    int32_t* number; // patch -> place in the coarse matrix
    HedVec3* arm;    // x - c of each row
    double* is_free; // 1 or 0
    HedSkyline coarse;
    double* work; // coarse vector
} TwoLevel;

static void destroy(void* self) {
    TwoLevel* two = self;
    if (two->fine) {
        HED_INCOMPLETE.destroy(two->fine);
    }
    hed_free(two->patch_of);
    hed_free(two->patch_first);
    hed_free(two->number);
    hed_free(two->arm);
    hed_free(two->is_free);
    hed_free(two->work);
    hed_skyline_free(&two->coarse);
    hed_free(two);
}

// Cuts every range into equal pieces of at most `size` rows; counts if first is NULL.
static int32_t cut_ranges(HedRanges ranges, int32_t size, int32_t* first) {
    int32_t count = 0;
    for (int32_t r = 0; r < ranges.count; ++r) {
        int32_t rows = ranges.first[r + 1] - ranges.first[r];
        int32_t pieces = (rows + size - 1) / size;
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

static bool make_patches(TwoLevel* two, const HedVec3* x) {
    const HedMatrix* m = two->pattern;
    int32_t size = hed_max_i32(LEAST_PATCH, m->row_count / MOST_PATCHES);
    two->patch_count = cut_ranges(m->ranges, size, NULL);
    two->patch_first = HED_NEW_ARRAY(int32_t, (int64_t)two->patch_count + 1);
    two->patch_of = HED_NEW_ARRAY(int32_t, m->row_count);
    two->arm = HED_NEW_ARRAY(HedVec3, m->row_count);
    two->is_free = HED_NEW_ARRAY(double, m->row_count);
    two->number = HED_NEW_ARRAY(int32_t, two->patch_count);
    two->work = HED_NEW_ARRAY(double, MODES*(int64_t)two->patch_count);
    if (!two->patch_first || !two->patch_of || !two->arm || !two->is_free || !two->number ||
        !two->work) {
        return false;
    }
    cut_ranges(m->ranges, size, two->patch_first);
    for (int32_t p = 0; p < two->patch_count; ++p) {
        int32_t begin = two->patch_first[p];
        int32_t end = two->patch_first[p + 1];
        HedVec3 sum = {0};
        for (int32_t i = begin; i < end; ++i) {
            sum = hed_add3(sum, x[i]);
        }
        HedVec3 middle = hed_mul3(1.0 / (end - begin), sum);
        for (int32_t i = begin; i < end; ++i) {
            two->patch_of[i] = p;
            two->arm[i] = hed_sub3(x[i], middle);
        }
    }
    return true;
}

// Which patches blocks couple: those of patch p stand in other[first[p]] .. other[first[p + 1] -
// 1], some more than once.
typedef struct Neighbours {
    int32_t* first;
    int32_t* other;
} Neighbours;

// Counts (other == NULL) or stores both directions of every coupling.
static void scatter(const TwoLevel* two, int32_t* fill, int32_t* other) {
    const HedMatrix* m = two->pattern;
    for (int32_t i = 0; i < m->row_count; ++i) {
        int32_t p = two->patch_of[i];
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            int32_t q = two->patch_of[m->column[e]];
            if (p != q && other) {
                other[fill[p]] = q;
                other[fill[q]] = p;
            }
            fill[p] += p != q;
            fill[q] += p != q;
        }
    }
}

static bool find_neighbours(const TwoLevel* two, Neighbours* out) {
    int32_t n = two->patch_count;
    int32_t* fill = HED_NEW_ARRAY(int32_t, n);
    out->first = HED_NEW_ARRAY(int32_t, (int64_t)n + 1);
    if (fill && out->first) {
        scatter(two, fill, NULL);
        for (int32_t p = 0; p < n; ++p) {
            out->first[p + 1] = out->first[p] + fill[p];
            fill[p] = out->first[p];
        }
        out->other = HED_NEW_ARRAY(int32_t, out->first[n]);
    }
    if (out->other) {
        scatter(two, fill, out->other);
    }
    hed_free(fill);
    return out->other != NULL;
}

// Numbers a connected part breadth first from `start`; returns the next number.
static int32_t walk(const TwoLevel* two, const Neighbours* near, int32_t start, int32_t next,
                    int32_t* order) {
    int32_t head = next;
    two->number[start] = next;
    order[next++] = start;
    while (head < next) {
        int32_t p = order[head++];
        for (int32_t k = near->first[p]; k < near->first[p + 1]; ++k) {
            int32_t q = near->other[k];
            if (two->number[q] < 0) {
                two->number[q] = next;
                order[next++] = q;
            }
        }
    }
    return next;
}

// Numbers patches so that neighbours are near (Cuthill and McKee 1969): breadth first from an end,
// which is the last patch that a first walk met.
static bool number_patches(TwoLevel* two) {
    Neighbours near = {0};
    int32_t* order = HED_NEW_ARRAY(int32_t, two->patch_count);
    bool ok = order && find_neighbours(two, &near);
    int32_t start = 0;
    for (int pass = 0; pass < 2 && ok; ++pass) {
        for (int32_t p = 0; p < two->patch_count; ++p) {
            two->number[p] = -1;
        }
        int32_t next = walk(two, &near, start, 0, order);
        start = order[next - 1];
        for (int32_t p = 0; p < two->patch_count; ++p) {
            next = two->number[p] < 0 ? walk(two, &near, p, next, order) : next;
        }
    }
    hed_free(near.first);
    hed_free(near.other);
    hed_free(order);
    return ok;
}

static HedStatus make_coarse(TwoLevel* two) {
    const HedMatrix* m = two->pattern;
    int32_t size = MODES * two->patch_count;
    int32_t* low = HED_NEW_ARRAY(int32_t, size);
    if (!low) {
        return HED_NO_MEMORY;
    }
    for (int32_t k = 0; k < size; ++k) {
        low[k] = k / MODES * MODES;
    }
    for (int32_t i = 0; i < m->row_count; ++i) {
        int32_t a = two->number[two->patch_of[i]];
        for (int32_t e = m->row_first[i]; e < m->row_first[i + 1]; ++e) {
            int32_t b = two->number[two->patch_of[m->column[e]]];
            int32_t row = MODES * hed_max_i32(a, b);
            for (int32_t k = 0; k < MODES; ++k) {
                low[row + k] = hed_min_i32(low[row + k], MODES * hed_min_i32(a, b));
            }
        }
    }
    HedStatus status = hed_skyline_create(&two->coarse, size, low, NULL);
    hed_free(low);
    return status;
}

static void* create(HedPreconditionerInput input, HedStatus* status) {
    TwoLevel* two = HED_NEW(TwoLevel);
    *status = HED_NO_MEMORY;
    if (!two) {
        return NULL;
    }
    two->pattern = input.matrix;
    two->team = input.team;
    if (!make_patches(two, input.positions) || !number_patches(two)) {
        return two;
    }
    *status = make_coarse(two);
    if (*status == HED_OK) {
        two->fine = HED_INCOMPLETE.create(input, status);
    }
    return two;
}

// P_i' h P_j, with P_i = [I  skew(-arm_i)]: six rows by six columns.
static void project(HedVec3 ai, HedVec3 aj, const HedMat3* h, double out[MODES][MODES]) {
    HedMat3 turn_i = hed_mat3_skew(ai); // P_i' has rows I and skew(arm_i)
    HedMat3 turn_j = hed_mat3_scale(-1.0, hed_mat3_skew(aj));
    HedMat3 right = hed_mat3_mul(*h, turn_j);
    HedMat3 quarter[2][2] = {{*h, right}, {hed_mat3_mul(turn_i, *h), hed_mat3_mul(turn_i, right)}};
    for (int r = 0; r < MODES; ++r) {
        for (int c = 0; c < MODES; ++c) {
            out[r][c] = quarter[r / 3][c / 3].m[r % 3][c % 3];
        }
    }
}

// Adds a block of the fine matrix, coupling rows i and j, to the lower half of the coarse one.
static void add_coarse(TwoLevel* two, int32_t i, int32_t j, const HedMat3* h, bool both_ways) {
    if (two->is_free[i] == 0.0 || two->is_free[j] == 0.0) {
        return;
    }
    double part[MODES][MODES];
    project(two->arm[i], two->arm[j], h, part);
    int32_t a = MODES * two->number[two->patch_of[i]];
    int32_t b = MODES * two->number[two->patch_of[j]];
    for (int r = 0; r < MODES; ++r) {
        for (int c = 0; c < MODES; ++c) {
            if (a + r >= b + c) {
                *hed_skyline_at(&two->coarse, a + r, b + c) += part[r][c];
            }
            if (both_ways && b + c >= a + r) {
                *hed_skyline_at(&two->coarse, b + c, a + r) += part[r][c];
            }
        }
    }
}

static bool update(void* self, const HedMatrix* matrix, const double* free) {
    TwoLevel* two = self;
    if (!HED_INCOMPLETE.update(two->fine, matrix, free)) {
        return false;
    }
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        two->is_free[i] = free[i] > 0.0 ? 1.0 : 0.0;
    }
    hed_skyline_clear(&two->coarse);
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        add_coarse(two, i, i, &matrix->diagonal[i], false);
        for (int32_t e = matrix->row_first[i]; e < matrix->row_first[i + 1]; ++e) {
            int32_t j = matrix->column[e];
            // A block inside a range stands once for both halves; one that crosses stands twice.
            bool once = matrix->range_of[i] == matrix->range_of[j];
            add_coarse(two, i, j, &matrix->block[e], once);
        }
    }
    return hed_skyline_factor(&two->coarse);
}

static void apply(const void* self, const double* x, double* y) {
    const TwoLevel* two = self;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
    HED_INCOMPLETE.apply(two->fine, x, y);
    memset(two->work, 0, sizeof(double) * MODES * (size_t)two->patch_count);
    for (int32_t p = 0; p < two->patch_count; ++p) {
        HedVec3 shift = {0};
        HedVec3 turn = {0};
        for (int32_t i = two->patch_first[p]; i < two->patch_first[p + 1]; ++i) {
            HedVec3 value = hed_mul3(two->is_free[i], from[i]);
            shift = hed_add3(shift, value);
            turn = hed_add3(turn, hed_cross3(two->arm[i], value));
        }
        double* out = two->work + MODES * two->number[p];
        memcpy(out, &shift, sizeof shift);
        memcpy(out + 3, &turn, sizeof turn);
    }
    hed_skyline_solve(&two->coarse, two->work);
    for (int32_t p = 0; p < two->patch_count; ++p) {
        const double* in = two->work + MODES * two->number[p];
        HedVec3 shift = {in[0], in[1], in[2]};
        HedVec3 turn = {in[3], in[4], in[5]};
        for (int32_t i = two->patch_first[p]; i < two->patch_first[p + 1]; ++i) {
            HedVec3 value = hed_add3(shift, hed_cross3(turn, two->arm[i]));
            to[i] = hed_madd3(to[i], two->is_free[i], value);
        }
    }
}

const HedPreconditionerType HED_TWO_LEVEL = {"two-level", create, destroy, update, apply};
