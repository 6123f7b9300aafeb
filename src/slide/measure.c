// SPDX-License-Identifier: MIT
// The linear equations of a step by themselves, timed: for benchmarks.
#include "slide/measure.h"

#include "base/timer.h"
#include "solve/pcg.h"

#include <math.h>

static double time_product(HedSlide* slide) {
    double begun = hed_time_now();
    hed_slide_multiply(slide, slide->gradient, slide->work);
    return hed_time_now() - begun;
}

static bool time_solve(HedSlide* slide, HedSolveMeasure* out) {
    double begun = hed_time_now();
    bool is_taken = hed_net_preconditioner_update(&slide->preconditioner, slide->is_held);
    double middle = hed_time_now();
    HedPcgReport report = {.reason = HED_PCG_NOT_POSITIVE, .residual = 1.0};
    if (is_taken) {
        report = hed_slide_solve(slide, slide->settings.linear_tolerance);
    }
    out->update_time = fmin(out->update_time, middle - begun);
    out->solve_time = fmin(out->solve_time, hed_time_now() - middle);
    out->iterations = report.iterations;
    return report.reason == HED_PCG_CONVERGED;
}

// |b - A x| / |b|, recomputed; b is the negative gradient.
static double true_residual(HedSlide* slide) {
    int32_t n = slide->node_count * HED_NODE_SIZE;
    double* rest = slide->work;
    hed_slide_multiply(slide, slide->direction, rest);
    hed_team_axpy(slide->team, 1.0, slide->gradient, rest, n);
    double size = hed_team_dot(slide->team, slide->gradient, slide->gradient, n);
    return size > 0.0 ? sqrt(hed_team_dot(slide->team, rest, rest, n) / size) : 0.0;
}

HedStatus hed_slide_measure(HedSlide* slide, HedSlideStep step, int32_t rounds,
                            HedSolveMeasure* out) {
    HedStatus status = hed_slide_begin(slide, step);
    if (status == HED_OK) {
        out->points = slide->node_count;
        out->product_bytes = hed_net_matrix_bytes(&slide->matrix);
        out->product_time = out->update_time = out->solve_time = HUGE_VAL;
        slide->slip_share = 1.0;
        hed_slide_evaluate(slide, slide->q, 1.0 / step.size, true);
        for (int32_t k = 0; k < 10 * rounds; ++k) {
            out->product_time = fmin(out->product_time, time_product(slide));
        }
        for (int32_t k = 0; k < rounds; ++k) {
            out->is_solved = time_solve(slide, out);
        }
        out->residual = out->is_solved ? true_residual(slide) : 1.0;
    }
    return status;
}
