// SPDX-License-Identifier: MIT
// The linear equations of an implicit step by themselves, timed: for benchmarks.
#include "base/timer.h"
#include "sim/internal.h"
#include "solve/pcg.h"

// Backward Euler from the present state: (M/h^2 + K + D/h) d = f + M v/h.
static void make_equations(HedSim* sim) {
    HedImplicit* im = &sim->implicit;
    const double rate = 1.0 / sim->def.time_step;
    HedEval at = hed_sim_eval_at(sim, sim->x.data, sim->v.data, hed_sim_time(sim));
    HedMatrixScale scale = {1.0, rate, false, 0.0};
    hed_sim_force_at(sim, &at, im->residual);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(300) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        hed_matrix_clear_range(&im->matrix, r);
        for (int32_t k = 0; k < sim->term_count; ++k) {
            HedMatrixScale own = hed_rayleigh_scale(&sim->terms[k], r, scale);
            sim->terms[k].add_matrix(sim->terms[k].self, &at, r, own, &im->matrix);
        }
        for (int32_t i = sim->ranges.first[r]; i < sim->ranges.first[r + 1]; ++i) {
            double m = sim->mass.data[i] * rate * rate;
            HedMat3 inertia = hed_mat3_diagonal(m, m, m);
            HedVec3 b = hed_madd3(im->residual[i], rate * sim->mass.data[i], sim->v.data[i]);
            im->matrix.diagonal[i] = hed_mat3_add(im->matrix.diagonal[i], inertia);
            im->residual[i] = sim->inverse_mass[i] > 0.0 ? b : (HedVec3){0};
        }
        hed_matrix_hold_range(&im->matrix, r, sim->inverse_mass);
    }
}

static void multiply(void* context, const double* x, double* y) {
    const HedSim* sim = context;
    hed_matrix_multiply(&sim->implicit.matrix, &sim->team, (const HedVec3*)(const void*)x,
                        (HedVec3*)(void*)y);
}

static void precondition(void* context, const double* x, double* y) {
    const HedSim* sim = context;
    hed_preconditioner_apply(sim->implicit.preconditioner, x, y);
}

static double time_product(HedSim* sim) {
    double begin = hed_time_now();
    multiply(sim, &sim->implicit.residual->x, &sim->implicit.work->x);
    return hed_time_now() - begin;
}

static bool time_solve(HedSim* sim, HedSolveMeasure* out) {
    HedImplicit* im = &sim->implicit;
    HedPcg pcg = {
        .size = 3 * sim->x.count,
        .matrix = {multiply, sim},
        .precondition = {precondition, sim},
        .tolerance = sim->def.linear_tolerance,
        .max_iterations = sim->def.linear_iterations,
        .team = &sim->team,
        .work = &im->work->x,
    };
    double begin = hed_time_now();
    bool is_taken = hed_preconditioner_update(im->preconditioner, &im->matrix, sim->inverse_mass);
    double middle = hed_time_now();
    HedPcgReport report = {.reason = HED_PCG_NOT_POSITIVE, .residual = 1.0};
    if (is_taken) {
        report = hed_pcg_solve(&pcg, &im->residual->x, &im->direction->x);
    }
    out->update_time = fmin(out->update_time, middle - begin);
    out->solve_time = fmin(out->solve_time, hed_time_now() - middle);
    out->iterations = report.iterations;
    return report.reason == HED_PCG_CONVERGED;
}

// |b - A x| / |b|, recomputed.
static double true_residual(HedSim* sim) {
    HedImplicit* im = &sim->implicit;
    int32_t n = 3 * sim->x.count;
    const double* b = &im->residual->x;
    double* rest = &im->work->x;
    multiply(sim, &im->direction->x, rest);
    hed_team_axpy(&sim->team, -1.0, b, rest, n);
    double size = hed_team_dot(&sim->team, b, b, n);
    return size > 0.0 ? sqrt(hed_team_dot(&sim->team, rest, rest, n) / size) : 0.0;
}

HedStatus hed_sim_measure_solve(HedSim* sim, int32_t rounds, HedSolveMeasure* out,
                                HedError* error) {
    *out = (HedSolveMeasure){0};
    HedStatus status = hed_sim_prepare(sim, error);
    if (status != HED_OK) {
        return status;
    }
    if (!hed_sim_is_implicit(sim) || rounds < 1) {
        return hed_fail(error, HED_INVALID,
                        "only implicit steps have linear equations, and rounds must be positive; "
                        "got %s and %d",
                        hed_integrator_name(sim->def.integrator), rounds);
    }
    if (sim->sliding.sets.count > 0) {
        return hed_sliding_measure_solve(sim, rounds, out, error);
    }
    out->points = sim->x.count;
    out->product_bytes = hed_matrix_product_bytes(&sim->implicit.matrix);
    out->product_time = out->update_time = out->solve_time = HUGE_VAL;
    make_equations(sim);
    for (int32_t k = 0; k < 10 * rounds; ++k) {
        out->product_time = fmin(out->product_time, time_product(sim));
    }
    for (int32_t k = 0; k < rounds; ++k) {
        out->is_solved = time_solve(sim, out);
    }
    out->residual = out->is_solved ? true_residual(sim) : 1.0;
    return HED_OK;
}
