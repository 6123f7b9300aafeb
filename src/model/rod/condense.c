// SPDX-License-Identifier: MIT
// The stiffness that points have when angles follow them: E_xx - E_xt E_tt^-1 E_tx. The second part
// couples all points of a rod; it is applied as a product, one tridiagonal solve per rod.
#include "base/alloc.h"
#include "model/rod/internal.h"
#include "solve/tridiagonal.h"

enum { CROSS = 4 };

HedStatus hed_rod_condense_create(HedRodCondense* condense, const HedRods* rods, HedError* error) {
    int64_t n = rods->slot_count;
    *condense = (HedRodCondense){
        .cross = HED_NEW_ARRAY(HedVec3, CROSS * n),
        .factor = HED_NEW_ARRAY(double, 3 * n),
        .angle = HED_NEW_ARRAY(double, n),
        .is_positive = HED_NEW_ARRAY(uint8_t, rods->rod_count),
    };
    if (!condense->cross || !condense->factor || !condense->angle || !condense->is_positive) {
        hed_rod_condense_free(condense);
        return hed_fail_memory(error, "angles of rods");
    }
    return HED_OK;
}

void hed_rod_condense_free(HedRodCondense* condense) {
    hed_free(condense->cross);
    hed_free(condense->factor);
    hed_free(condense->angle);
    hed_free(condense->is_positive);
    *condense = (HedRodCondense){0};
}

static HedTridiagonal matrix_of(const HedRodCondense* condense, const HedRod* rod) {
    double* factor = condense->factor + 3 * (int64_t)rod->first_slot;
    int32_t n = rod->segment_count;
    return (HedTridiagonal){n, rod->def.is_closed, factor, factor + n, factor + 2 * (int64_t)n};
}

// d2E/dtheta2 and d2E/(dtheta dx) of each segment's angle, in terms of points: vertex k knows the
// derivatives by e = x_k - x_(k-1) and f = x_(k+1) - x_k. Beyond an end of an open rod is a wall.
static void write_extra(const HedRodCondense* condense, const HedRod* rod,
                        const HedTridiagonal* matrix) {
    int32_t n = rod->def.point_count;
    for (int32_t s = 0; s < rod->segment_count; ++s) {
        int32_t next = s + 1 < n ? s + 1 : 0;
        const HedVec3* here = condense->cross + CROSS * (int64_t)hed_rod_slot(rod, s);
        const HedVec3* there = condense->cross + CROSS * (int64_t)hed_rod_slot(rod, next);
        const HedVec3 none = {0};
        HedVec3 e0 = s > 0 || rod->def.is_closed ? here[2] : none, f0 = here[3];
        HedVec3 e1 = there[0], f1 = s + 2 < n || rod->def.is_closed ? there[1] : none;
        bool has_next = s + 1 < rod->segment_count || rod->def.is_closed;
        condense->extra[rod->def.first + s] = (HedLineExtra){
            .diagonal = matrix->diagonal[s],
            .next = has_next ? matrix->off[s] : 0.0,
            .cross = {hed_mul3(-1.0, e0), hed_sub3(hed_sub3(e0, f0), e1),
                      hed_add3(f0, hed_sub3(e1, f1)), f1},
        };
    }
}

static bool setup_rod(HedRodCondense* condense, const HedRods* rods, const HedRod* rod,
                      bool is_exact) {
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        int32_t i = hed_rod_slot(rod, k);
        HedRodAngles a = hed_rod_angles(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i),
                                        hed_rod_rest(rods, i), rods->moment[i], is_exact);
        HedVec3* cross = condense->cross + CROSS * (int64_t)i;
        HedRodSides side = hed_rod_sides(rod, k);
        const int32_t angle[2] = {side.left, side.right};
        for (int j = 0; j < 2; ++j) {
            bool is_free = angle[j] >= 0 && !rods->is_held[hed_rod_slot(rod, angle[j])];
            double keep = is_free ? 1.0 : 0.0;
            cross[2 * j] = hed_mul3(keep, a.cross[j].e);
            cross[2 * j + 1] = hed_mul3(keep, a.cross[j].f);
        }
    }
    HedTridiagonal matrix = matrix_of(condense, rod);
    hed_rod_angle_matrix(rods, rod, is_exact, matrix.diagonal, matrix.off);
    if (condense->extra) {
        write_extra(condense, rod, &matrix);
    }
    return hed_tridiagonal_factor(&matrix) >= -HED_TRIDIAGONAL_ZERO;
}

bool hed_rod_condense_setup(HedRodCondense* condense, const HedRods* rods, const HedTeam* team,
                            bool is_exact) {
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, hed_rod_cost(rods, 100)))
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        condense->is_positive[r] = setup_rod(condense, rods, &rods->rod[r], is_exact);
    }
    bool is_positive = true;
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        is_positive = is_positive && condense->is_positive[r];
    }
    return is_positive;
}

// The points before, at and after vertex k; an end of an open rod stands for the point it lacks.
static void points_of(const HedRod* rod, int32_t k, int32_t point[3]) {
    int32_t n = rod->def.point_count;
    int32_t before = k > 0 ? k - 1 : (rod->def.is_closed ? n - 1 : 0);
    int32_t after = k + 1 < n ? k + 1 : (rod->def.is_closed ? 0 : k);
    point[0] = rod->def.first + before;
    point[1] = rod->def.first + k;
    point[2] = rod->def.first + after;
}

// Places -1 and the last of `angle` belong to the walls of an open rod and stay zero.
static void apply_rod(const HedRodCondense* condense, const HedRod* rod, const HedVec3* p,
                      HedVec3* y) {
    double* angle = condense->angle + rod->first_slot + HED_ROD_BEFORE;
    for (int32_t k = -1; k <= rod->segment_count; ++k) {
        angle[k] = 0.0;
    }
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        const HedVec3* cross = condense->cross + CROSS * (int64_t)hed_rod_slot(rod, k);
        int32_t point[3];
        points_of(rod, k, point);
        HedVec3 e = hed_sub3(p[point[1]], p[point[0]]);
        HedVec3 f = hed_sub3(p[point[2]], p[point[1]]);
        HedRodSides side = hed_rod_sides(rod, k);
        angle[side.left] += hed_dot3(cross[0], e) + hed_dot3(cross[1], f);
        angle[k] += hed_dot3(cross[2], e) + hed_dot3(cross[3], f);
    }
    HedTridiagonal matrix = matrix_of(condense, rod);
    hed_tridiagonal_solve(&matrix, angle);
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        const HedVec3* c = condense->cross + CROSS * (int64_t)hed_rod_slot(rod, k);
        int32_t point[3];
        points_of(rod, k, point);
        double a = angle[hed_rod_sides(rod, k).left], b = angle[k];
        HedVec3 e = hed_madd3(hed_mul3(a, c[0]), b, c[2]);
        HedVec3 f = hed_madd3(hed_mul3(a, c[1]), b, c[3]);
        y[point[0]] = hed_add3(y[point[0]], e);
        y[point[1]] = hed_add3(y[point[1]], hed_sub3(f, e));
        y[point[2]] = hed_sub3(y[point[2]], f);
    }
}

void hed_rod_condense_apply(const HedRodCondense* condense, const HedRods* rods,
                            const HedTeam* team, const HedVec3* p, HedVec3* y) {
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, hed_rod_cost(rods, 30)))
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        apply_rod(condense, &rods->rod[r], p, y);
    }
}
