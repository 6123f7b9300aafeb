// SPDX-License-Identifier: MIT
// Frames that follow the points: transport in time, twist of the reference frame, directors.
#include "model/rod/internal.h"

#include <string.h>

// Directions and reference frames of segments begin .. end - 1 from those of the last commit. The
// last segment of a closed rod is not among them.
static void carry_segments(HedRods* rods, const HedRod* rod, int32_t begin, int32_t end,
                           const HedVec3* points) {
    int32_t first = hed_rod_slot(rod, 0);
    const HedVec3* x = points + rod->def.first;
    HedRodVectors t = rods->t, u = rods->u, old_t = rods->old_t, old_u = rods->old_u;
    double* inverse = rods->inverse;
#pragma omp simd
    for (int32_t k = begin; k < end; ++k) {
        int32_t i = first + k;
        HedVec3 e = hed_sub3(x[k + 1], x[k]);
        double length = sqrt(hed_dot3(e, e));
        double over = length > 1e-150 ? 1.0 / length : 0.0;
        HedVec3 from = {old_t.x[i], old_t.y[i], old_t.z[i]};
        HedVec3 w = {old_u.x[i], old_u.y[i], old_u.z[i]};
        HedVec3 to = {over > 0.0 ? over * e.x : from.x, over > 0.0 ? over * e.y : from.y,
                      over > 0.0 ? over * e.z : from.z};
        // Transport keeps length and right angle; rounding is taken out so that it never adds up.
        w = hed_transport3(w, from, to);
        w = hed_madd3(w, -hed_dot3(w, to), to);
        double scale = 1.0 / sqrt(hed_dot3(w, w));
        t.x[i] = to.x;
        t.y[i] = to.y;
        t.z[i] = to.z;
        u.x[i] = scale * w.x;
        u.y[i] = scale * w.y;
        u.z[i] = scale * w.z;
        inverse[i] = over;
    }
}

// The segment that closes a rod: its ends are not neighbours in memory.
static void carry_closing(HedRods* rods, const HedRod* rod, const HedVec3* points) {
    int32_t k = rod->segment_count - 1;
    const HedVec3 ends[2] = {points[rod->def.first + k], points[rod->def.first]};
    HedRod alone = *rod;
    alone.first_slot += k;
    alone.def.first = 0;
    carry_segments(rods, &alone, 0, 1, ends);
}

static void carry_run(HedRods* rods, HedRodRun run, const HedVec3* x) {
    const HedRod* rod = &rods->rod[run.rod];
    int32_t open = rod->def.point_count - 1;
    carry_segments(rods, rod, run.begin, hed_min_i32(run.end, open), x);
    if (rod->def.is_closed && run.end > open) {
        carry_closing(rods, rod, x);
    }
}

static void twist_run(HedRods* rods, HedRodRun run) {
    const HedRod* rod = &rods->rod[run.rod];
    int32_t begin = hed_rod_slot(rod, run.begin);
    int32_t end = hed_rod_slot(rod, run.end);
    HedRodVectors t = rods->t, u = rods->u;
    const double* old = rods->old_twist;
    double* twist = rods->twist;
#pragma omp simd
    for (int32_t i = begin; i < end; ++i) {
        HedVec3 t0 = {t.x[i - 1], t.y[i - 1], t.z[i - 1]}, t1 = {t.x[i], t.y[i], t.z[i]};
        HedVec3 u0 = {u.x[i - 1], u.y[i - 1], u.z[i - 1]}, u1 = {u.x[i], u.y[i], u.z[i]};
        twist[i] = hed_angle_near(hed_frame_twist(t0, u0, t1, u1), old[i]);
    }
}

static int32_t prepare_angles(HedRods* rods, int32_t r) {
    const HedRod* rod = &rods->rod[r];
    int32_t first = hed_rod_slot(rod, 0);
    hed_rod_wrap(rod, rods->inverse);
    hed_rod_wrap(rod, rods->twist);
    memcpy(rods->theta + first, rods->old_theta + first,
           sizeof(double) * (size_t)rod->segment_count);
    int32_t iterations = hed_rod_solve_angles(rods, r);
    hed_rod_wrap(rod, rods->theta);
    hed_rod_wrap(rod, rods->moment);
    return iterations;
}

HedRodAnglesReport hed_rods_prepare(HedRods* rods, const HedTeam* team, const HedVec3* x) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, hed_rod_cost(rods, 20)))
    for (int32_t r = 0; r < rods->run_count; ++r) {
        carry_run(rods, rods->run[r], x);
    }
    // The closing vertex of a ring looks at the last segment through the slot before the first.
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        hed_rod_wrap_vectors(&rods->rod[r], rods->t);
        hed_rod_wrap_vectors(&rods->rod[r], rods->u);
    }
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, hed_rod_cost(rods, 20)))
    for (int32_t r = 0; r < rods->run_count; ++r) {
        twist_run(rods, rods->run[r]);
    }
    HedRodAnglesReport report = {0, true};
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, hed_rod_cost(rods, 20)))
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        rods->rod[r].iterations = prepare_angles(rods, r);
    }
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        report.iterations = hed_max_i32(report.iterations, rods->rod[r].iterations);
        report.is_converged = report.is_converged && rods->rod[r].iterations >= 0;
    }
    return report;
}

void hed_rods_commit(HedRods* rods) {
    size_t bytes = sizeof(double) * (size_t)rods->slot_count;
    memcpy(rods->old_t.x, rods->t.x, 3 * bytes);
    memcpy(rods->old_u.x, rods->u.x, 3 * bytes);
    memcpy(rods->old_theta, rods->theta, bytes);
    memcpy(rods->old_twist, rods->twist, bytes);
}

// The rest point pulled to within `radius` of (a, b); radius 0 stands for no circle.
static void pull(double* x, double* y, double a, double b, double radius) {
    double dx = *x - a, dy = *y - b;
    double distance = sqrt(dx * dx + dy * dy);
    if (radius > 0.0 && distance > radius) {
        *x = a + dx * (radius / distance);
        *y = b + dy * (radius / distance);
    }
}

static void yield_run(HedRods* rods, HedRodRun run) {
    const HedRod* rod = &rods->rod[run.rod];
    for (int32_t k = run.begin; k < run.end; ++k) {
        int32_t i = hed_rod_slot(rod, k);
        HedRodParts p = hed_rod_parts(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i),
                                      hed_rod_rest(rods, i));
        for (int j = 0; j < 2; ++j) {
            double* x = &rods->curve[2 * j][i];
            double* y = &rods->curve[2 * j + 1][i];
            pull(x, y, p.w[j][0], p.w[j][1], rod->def.plastic);
            pull(x, y, 0.0, 0.0, rod->def.plastic_limit);
        }
    }
}

void hed_rods_yield(HedRods* rods, const HedTeam* team) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, hed_rod_cost(rods, 30)))
    for (int32_t r = 0; r < rods->run_count; ++r) {
        if (rods->rod[rods->run[r].rod].def.plastic > 0.0) {
            yield_run(rods, rods->run[r]);
        }
    }
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        for (int c = 0; c < 4; ++c) {
            hed_rod_wrap(&rods->rod[r], rods->curve[c]);
        }
    }
}
