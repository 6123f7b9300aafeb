// SPDX-License-Identifier: MIT
// Newton's method with a line search on the energy of a step.
#include "base/timer.h"
#include "slide/slide.h"

#include <math.h>
#include <string.h>

static const double ARMIJO = 1e-4;
static const double FLATTER = 0.5; // of the slope at the start: what ends a line search as well
static const double STEEP = 0.6;   // of it: what is left after a correction that is too short
static const double FARTHEST = 8.0;
enum { HALVINGS = 14 };            // of a correction
static const double LINEAR = 0.03; // tolerance of linear solves, at most,
static const double FINEST = 1e-3; // and at least
static const double LEFT = 0.035;  // of the tolerance: what may be left, see enough()
static const double HALF = 0.5;    // of what is left anyway: how exact a linear solve is
static const double KEEP = 0.1;    // of the gradient: if less is left, its matrix serves once more

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
    double least = slide->least_piece;
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

// matrix x = b.
static HedPcgReport solve_for(HedSlide* slide, double tolerance, double enough, const double* b,
                              double* x) {
    HedPcg pcg = {
        .size = slide->node_count * HED_NODE_SIZE,
        .matrix = {hed_slide_multiply, slide},
        .precondition = {hed_net_preconditioner_apply, &slide->preconditioner},
        .tolerance = tolerance,
        .enough = enough,
        .max_iterations = slide->settings.linear_iterations,
        .team = slide->team,
        .work = slide->work,
        .watch = slide->watch,
    };
    return hed_pcg_solve(&pcg, b, x);
}

static HedPcgReport solve_down(HedSlide* slide, double tolerance, double enough) {
    negate(slide, slide->gradient);
    HedPcgReport solved = solve_for(slide, tolerance, enough, slide->gradient, slide->direction);
    negate(slide, slide->gradient);
    return solved;
}

HedPcgReport hed_slide_solve(HedSlide* slide, double tolerance) {
    return solve_down(slide, tolerance, 0.0);
}

// How small the gradient has to be in the norm of the preconditioner P. The error e of a step whose
// gradient is r costs e'A e, about r'P r, and at least the kinetic energy of its velocities e/h,
// since the matrix A is M/h^2 and more: |e/h| <= |r|_P/sqrt(mass) in the mean, were P the inverse
// of A. Along motions that P knows badly errors are larger: a part LEFT of the tolerance leaves
// room.
static double enough(const HedSlide* slide) {
    double mass = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        mass += slide->mass[i].mass;
    }
    return LEFT * slide->settings.newton_tolerance * sqrt(mass);
}

// How a linear solve went.
typedef struct Solved {
    bool is_done;  // if not, the matrix is not fit for it
    bool is_exact; // to the tolerance, or the direction says nothing about how far it still is
    double start;  // size of the gradient, in the norm of the preconditioner
} Solved;

// Solves for slide->direction, with the preconditioner as it is if the matrix was kept.
static Solved solve(HedSlide* slide, bool is_kept, double tolerance, double wanted,
                    HedStepReport* report) {
    double begun = begin_stage(slide);
    bool is_taken =
        is_kept || hed_net_preconditioner_update(&slide->preconditioner, slide->is_held);
    end_stage(slide, HED_STAGE_PRECONDITIONER, begun);
    if (!is_taken) {
        return (Solved){0};
    }
    begun = begin_stage(slide);
    HedPcgReport solved = solve_down(slide, tolerance, HALF * wanted);
    report->linear_iterations += solved.iterations;
    end_stage(slide, HED_STAGE_LINEAR, begun);
    bool ok = solved.reason == HED_PCG_CONVERGED || solved.reason == HED_PCG_MAX_ITERATIONS;
    return (Solved){ok, solved.reason == HED_PCG_CONVERGED, solved.start};
}

// The gradient in the norm of the preconditioner, which linear solves judge by as well.
static double gradient_size(HedSlide* slide) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    double begun = begin_stage(slide);
    hed_net_preconditioner_apply(&slide->preconditioner, slide->gradient, slide->work);
    double square = hed_team_dot(slide->team, slide->gradient, slide->work, size);
    end_stage(slide, HED_STAGE_LINEAR, begun);
    return sqrt(fmax(0.0, square));
}

// The energy of q + a direction, and its slope there; infinite where that is not possible. The
// state is left in slide->trial, the gradient with it.
typedef struct Probe {
    double energy, slope;
} Probe;

static Probe probe(HedSlide* slide, const double* q, double over, double a) {
    go(slide, q, a, slide->trial);
    if (!hed_slide_is_feasible(slide, slide->trial)) {
        return (Probe){INFINITY, 0.0};
    }
    double begun = begin_stage(slide);
    double energy = hed_slide_evaluate(slide, slide->trial, over, false);
    end_stage(slide, HED_STAGE_FORCES, begun);
    int32_t size = slide->node_count * HED_NODE_SIZE;
    return (Probe){energy, hed_team_dot(slide->team, slide->gradient, slide->direction, size)};
}

// Where a whole correction leaves most of the slope the matrix is stiffer than the cloth, which
// buckles or whose friction slides: twice as far, as long as the slope says so.
static double go_on(HedSlide* slide, const double* q, double over, double slope, Probe* here) {
    double a = 1.0;
    while (a < FARTHEST && here->slope < STEEP * slope) {
        Probe next = probe(slide, q, over, 2.0 * a);
        if (!(next.energy < here->energy)) {
            *here = probe(slide, q, over, a);
            break;
        }
        a *= 2.0;
        *here = next;
    }
    return a;
}

// A share of the correction that is possible and lowers the energy, or flattens it: near the end
// differences of energies are noise. 0 if there is none. The state is left in slide->trial, its
// energy in place of the one before.
static double search(HedSlide* slide, const double* q, double over, double slope, double* energy) {
    double a = 2.0;
    for (int k = 0; k < HALVINGS; ++k) {
        a *= 0.5;
        Probe at = probe(slide, q, over, a);
        if (at.energy <= *energy + ARMIJO * a * slope ||
            (isfinite(at.energy) && fabs(at.slope) <= FLATTER * fabs(slope))) {
            a = k == 0 ? go_on(slide, q, over, slope, &at) : a;
            *energy = at.energy;
            return a;
        }
    }
    return 0.0;
}

// One correction of q.
typedef struct Correction {
    double over;   // 1/s, of the step's size
    double goal;   // m: a correction this short is the last
    double wanted; // what may be left of the gradient, see enough()
    double energy; // J, at q
    double slip;   // slip_share of the next matrix
    bool is_kept;  // the matrix is that of the correction before, and the gradient is there
    bool is_first; // of the step
    bool is_last;
} Correction;

// A matrix for q, and the gradient; false if they are not finite.
static bool renew(HedSlide* slide, const double* q, Correction* c) {
    slide->slip_share = c->slip;
    c->slip *= 0.1;
    double begun = begin_stage(slide);
    c->energy = hed_slide_evaluate(slide, q, c->over, true);
    end_stage(slide, HED_STAGE_ASSEMBLY, begun);
    return isfinite(c->energy);
}

// After a whole correction for which the linear equations were solved: whether little enough is
// left, and whether so little that the next one may do with the same matrix and its factors. The
// first correction also tells how exactly that of the next step should be solved.
static void judge(HedSlide* slide, const Solved* solved, Correction* c) {
    double left = gradient_size(slide);
    c->is_last = left < c->wanted;
    c->is_kept = left < KEEP * solved->start;
    if (c->is_first) {
        slide->nonlinear = fmin(1.0, left / solved->start);
    }
}

static HedReason correct(HedSlide* slide, double* q, Correction* c, HedStepReport* report) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    bool was_kept = c->is_kept;
    if (!was_kept && !renew(slide, q, c)) {
        return HED_REASON_NOT_FINITE;
    }
    report->iterations += 1;
    report->residual = hed_team_max_abs(slide->team, slide->gradient, size);
    double tolerance = fmin(LINEAR, c->is_first ? fmax(FINEST, HALF * slide->nonlinear) : LINEAR);
    Solved solved = {0};
    if (isfinite(report->residual)) {
        solved = solve(slide, was_kept, tolerance, c->wanted, report);
    }
    if (!solved.is_done) {
        return HED_REASON_NOT_FINITE;
    }
    double slope = hed_team_dot(slide->team, slide->gradient, slide->direction, size);
    double length = hed_team_max_abs(slide->team, slide->direction, size);
    c->is_kept = false;
    if (solved.is_exact && length < c->goal) {
        c->is_last = true;
        go(slide, q, 1.0, q);
        return HED_REASON_CONVERGED;
    }
    double a = search(slide, q, c->over, slope, &c->energy);
    if (a == 0.0) { // with a matrix of its own there may be one
        return was_kept ? HED_REASON_CONVERGED : HED_REASON_MAX_ITERATIONS;
    }
    memcpy(q, slide->trial, sizeof *q * (size_t)size);
    if (solved.is_exact && a >= 1.0) {
        judge(slide, &solved, c);
    }
    double force = hed_team_max_abs(slide->team, slide->gradient, size);
    c->is_last = c->is_last || force < slide->settings.force_enough;
    c->is_first = false;
    return HED_REASON_CONVERGED;
}

HedReason hed_slide_descend(HedSlide* slide, double h, double* q, HedStepReport* report) {
    int32_t most = slide->settings.newton_iterations;
    Correction c = {
        .over = 1.0 / h,
        .goal = 0.1 * slide->settings.newton_tolerance * h,
        .wanted = enough(slide),
        .slip = 1.0,
        .is_first = true,
    };
    for (int32_t k = 0; k < most; ++k) {
        if (hed_watch_stops(slide->watch)) {
            return HED_REASON_STOPPED;
        }
        HedReason reason = correct(slide, q, &c, report);
        if (reason != HED_REASON_CONVERGED || c.is_last) {
            return reason;
        }
    }
    return most == 1 ? HED_REASON_CONVERGED : HED_REASON_MAX_ITERATIONS;
}
