// SPDX-License-Identifier: MIT
// Newton's method with a line search on the energy of a step.
#include "base/timer.h"
#include "slide/slide.h"

#include <math.h>
#include <string.h>

static const double LEAST_PIECE = 0.02; // of the spacing: nodes come no closer along a yarn
static const double ARMIJO = 1e-4;
static const double FLATTER = 0.5; // of the slope at the start: what ends a line search as well
enum { HALVINGS = 14 };            // of a correction
static const double LINEAR = 0.05; // first tolerance of linear solves

// Where the time goes; without a profile no clock is read.
static double begin_stage(const HedSlide* slide) {
    return slide->profile ? hed_time_now() : 0.0;
}

static void end_stage(const HedSlide* slide, HedStage stage, double begun) {
    if (slide->profile) {
        slide->profile->seconds[stage] += hed_time_now() - begun;
    }
}

bool hed_slide_is_feasible(const HedSlide* slide, const double* q) {
    const HedBands* bands = &slide->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double least = LEAST_PIECE * slide->model.spacing;
    bool is_good = true;
    for (int32_t place = 0; is_good && place < bands->step_count * HED_BAND; ++place) {
        if ((bands->kind[place] & segment) == segment) {
            const double* a = q + (int64_t)HED_NODE_SIZE * bands->node[place];
            const double* b = q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND];
            double d = b[3 + bands->slot[place + HED_BAND]] - a[3 + bands->slot[place]];
            is_good = d > least && isfinite(a[0] + a[1] + a[2]);
        }
    }
    return is_good;
}

// to = q + a direction.
static void go(const HedSlide* slide, const double* q, double a, double* to) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size))
    for (int32_t k = 0; k < size; ++k) {
        to[k] = q[k] + a * slide->direction[k];
    }
}

void hed_slide_multiply(void* context, const double* x, double* y) {
    HedSlide* slide = context;
    hed_net_matrix_multiply(&slide->matrix, x, y);
    if (slide->spheres) {
        hed_spheres_multiply(slide->spheres, x, y);
    }
}

static void negate(const HedSlide* slide, double* x) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(slide->team, size))
    for (int32_t k = 0; k < size; ++k) {
        x[k] = -x[k];
    }
}

HedPcgReport hed_slide_solve(HedSlide* slide, double tolerance) {
    HedPcg pcg = {
        .size = slide->node_count * HED_NODE_SIZE,
        .matrix = {hed_slide_multiply, slide},
        .precondition = {hed_net_preconditioner_apply, &slide->preconditioner},
        .tolerance = tolerance,
        .max_iterations = slide->settings.linear_iterations,
        .team = slide->team,
        .work = slide->work,
    };
    negate(slide, slide->gradient);
    HedPcgReport solved = hed_pcg_solve(&pcg, slide->gradient, slide->direction);
    negate(slide, slide->gradient);
    return solved;
}

// Solves for slide->direction; false if the matrix is not fit for it.
static bool solve(HedSlide* slide, double tolerance, HedStepReport* report) {
    double begun = begin_stage(slide);
    bool is_taken = hed_net_preconditioner_update(&slide->preconditioner, slide->is_held);
    end_stage(slide, HED_STAGE_PRECONDITIONER, begun);
    if (!is_taken) {
        return false;
    }
    begun = begin_stage(slide);
    HedPcgReport solved = hed_slide_solve(slide, tolerance);
    end_stage(slide, HED_STAGE_LINEAR, begun);
    report->linear_iterations += solved.iterations;
    return solved.reason == HED_PCG_CONVERGED || solved.reason == HED_PCG_MAX_ITERATIONS;
}

// A share of the correction that is possible and lowers the energy, or flattens it: near the end
// differences of energies are noise. 0 if there is none. The state is left in slide->trial.
static double search(HedSlide* slide, const double* q, double over, double energy, double slope) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    double a = 2.0;
    for (int k = 0; k < HALVINGS; ++k) {
        a *= 0.5;
        go(slide, q, a, slide->trial);
        if (!hed_slide_is_feasible(slide, slide->trial)) {
            continue;
        }
        double begun = begin_stage(slide);
        double next = hed_slide_evaluate(slide, slide->trial, over, false);
        end_stage(slide, HED_STAGE_FORCES, begun);
        double end = hed_team_dot(slide->team, slide->gradient, slide->direction, size);
        if (next <= energy + ARMIJO * a * slope || fabs(end) <= FLATTER * fabs(slope)) {
            return a;
        }
    }
    return 0.0;
}

HedReason hed_slide_descend(HedSlide* slide, double h, double* q, HedStepReport* report) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    int32_t most = slide->settings.newton_iterations;
    double over = 1.0 / h;
    double goal = slide->settings.newton_tolerance * h;
    double before = 0.0; // m, the last correction; 0: there is none to compare with
    for (int32_t k = 0; k < most; ++k) {
        slide->slip_share = k == 0 ? 1.0 : 0.1 * slide->slip_share;
        double begun = begin_stage(slide);
        double energy = hed_slide_evaluate(slide, q, over, true);
        end_stage(slide, HED_STAGE_ASSEMBLY, begun);
        report->iterations += 1;
        report->residual = hed_team_max_abs(slide->team, slide->gradient, size);
        if (!isfinite(energy) || !isfinite(report->residual) || !solve(slide, LINEAR, report)) {
            return HED_REASON_NOT_FINITE;
        }
        double slope = hed_team_dot(slide->team, slide->gradient, slide->direction, size);
        double length = hed_team_max_abs(slide->team, slide->direction, size);
        if (length < goal) {
            go(slide, q, 1.0, q);
            return HED_REASON_CONVERGED;
        }
        double a = search(slide, q, over, energy, slope);
        if (a == 0.0) {
            return HED_REASON_MAX_ITERATIONS;
        }
        memcpy(q, slide->trial, sizeof *q * (size_t)size);
        // What the next correction will be, by the last two and by what the solve left.
        bool is_whole = a == 1.0;
        double next = length * fmax(LINEAR, before > 0.0 ? length / before : 1.0);
        if (is_whole && next < 0.5 * goal) {
            return HED_REASON_CONVERGED;
        }
        before = is_whole ? length : 0.0;
    }
    return most == 1 ? HED_REASON_CONVERGED : HED_REASON_MAX_ITERATIONS;
}
