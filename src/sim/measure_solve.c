// SPDX-License-Identifier: MIT
// The linear equations of an implicit step by themselves, timed: for benchmarks.
#include "base/timer.h"
#include "sim/newton.h"

static double time_product(const HedNewton* newton) {
    double begin = hed_time_now();
    newton->matrix.apply(newton->matrix.context, newton->residual, newton->work);
    return hed_time_now() - begin;
}

static bool time_solve(HedStep* step, HedSolveMeasure* out) {
    const HedNewton* newton = &step->newton;
    HedPcg pcg = {
        .size = newton->size,
        .matrix = newton->matrix,
        .precondition = newton->precondition,
        .filter = newton->filter,
        .tolerance = newton->linear_tolerance,
        .max_iterations = newton->linear_iterations,
        .team = newton->team,
        .work = newton->work,
    };
    double begin = hed_time_now();
    bool is_taken = hed_newton_precondition(step);
    double middle = hed_time_now();
    HedPcgReport report = {.reason = HED_PCG_NOT_POSITIVE, .residual = 1.0};
    if (is_taken) {
        report = hed_pcg_solve(&pcg, newton->residual, newton->direction);
    }
    out->update_time = fmin(out->update_time, middle - begin);
    out->solve_time = fmin(out->solve_time, hed_time_now() - middle);
    out->iterations = report.iterations;
    return report.reason == HED_PCG_CONVERGED;
}

// |b - A x| / |b|, recomputed.
static double true_residual(const HedNewton* newton) {
    const double* b = newton->residual;
    double* rest = newton->work;
    newton->matrix.apply(newton->matrix.context, newton->direction, rest);
    hed_team_axpy(newton->team, -1.0, b, rest, newton->size);
    if (newton->filter.apply) {
        newton->filter.apply(newton->filter.context, rest, rest);
    }
    double size = hed_team_dot(newton->team, b, b, newton->size);
    return size > 0.0 ? sqrt(hed_team_dot(newton->team, rest, rest, newton->size) / size) : 0.0;
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
    HedStep step;
    status = hed_snapshot_take(sim, &sim->step, error);
    if (status != HED_OK) {
        return status;
    }
    status = hed_implicit_begin(sim, &step);
    if (status != HED_OK) {
        return hed_fail_memory(error, "contacts");
    }
    const HedNewton* newton = &step.newton;
    out->points = sim->x.count;
    out->product_bytes = hed_newton_product_bytes(sim);
    out->product_time = out->update_time = out->solve_time = HUGE_VAL;
    newton->evaluate(newton->self);
    newton->assemble(newton->self, HED_FORM_PLAIN);
    for (int32_t k = 0; k < 10 * rounds; ++k) {
        out->product_time = fmin(out->product_time, time_product(newton));
    }
    for (int32_t k = 0; k < rounds; ++k) {
        out->is_solved = time_solve(&step, out);
    }
    out->residual = out->is_solved ? true_residual(newton) : 1.0;
    return hed_snapshot_restore(sim, &sim->step, error);
}
