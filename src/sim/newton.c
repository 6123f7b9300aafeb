// SPDX-License-Identifier: MIT
// Newton's method with conjugate gradients. The unknown of each iteration is a change d of
// positions,
//   (inertia M + K + rate D) d = r,      r the unbalanced force;
// K and D are positive semidefinite, so conjugate gradients always find a direction that lowers the
// potential whose gradient is -r. A step along it is cut back while the slope r.d at its end shows
// that it went much too far.
//
// In motion the matrix, and with it the preconditioner, is kept while it serves: elements hardly
// turn between a good first guess and the solution. Linear solves are as exact as the step still
// needs (inexact Newton methods: Dembo, Eisenstat, Steihaug 1982). What is left after a correction
// is told by the residual in the norm of the preconditioner, sqrt(r.P r): as it fell, so did the
// error, up to the square root of the condition number; and that number shows in the iterations
// that conjugate gradients took. The step ends when the next correction would be below the
// tolerance.
//
// A sheet under pressure buckles: with the positive form, which forgets the pressure, corrections
// then shrink by little each. So inertia lends its positivity to membranes (state/term.h), first
// nearly as much as there is, which is safe; where corrections shrink slowly, more, as bending
// carries pressure, too. If that was too much, the safe form serves until the end of the step.
// Yarns alone start with the exact form: their factors say at once whether it is positive, and with
// it most steps need one correction only.
#include "sim/newton_inner.h"
#include "sim/profile.h"
#include "sim/watch.h"
#include "solve/pcg.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static void set_velocities(const HedStep* step) {
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 moved = hed_sub3(im->x_trial[i], sim->x_old[i]);
        im->v_trial[i] = hed_madd3(im->v_add[i], step->rate, moved);
    }
}

static HedEval eval_trial(const HedStep* step) {
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    // In statics nothing moves for the forces; contacts alone see the way that was gone.
    const HedVec3* v = step->inertia > 0.0 ? im->v_trial : im->v_add;
    HedEval at = hed_sim_eval_at(sim, im->x_trial, v, step->start + step->h);
    if (step->damps_by_start) {
        at.start = sim->x_old;
        at.over = step->inertia > 0.0 ? 1.0 / step->h : 0.0;
    }
    return at;
}

// The unbalanced force at the trial state, zero on held points.
void hed_newton_find_residual(HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double end = step->start + step->h;
    double begin = hed_stage_begin(sim);
    set_velocities(step);
    HedEval at = eval_trial(step);
    step->power = hed_sim_force_at(sim, &at, sim->force);
    HedPower contact =
        hed_contacts_add_force(&sim->contacts, im->x_trial, im->v_trial, end, sim->force);
    step->power.dissipated += contact.dissipated;
    step->power.external += contact.external;
    if (sim->self_start) {
        double rubbed = 0.0;
        hed_self_add_force(&sim->self, im->x_trial, im->v_trial, sim->force, &rubbed);
        step->power.dissipated += rubbed;
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 moved = hed_sub3(im->x_trial[i], sim->x_old[i]);
        HedVec3 a = hed_madd3(im->a_add[i], step->inertia, moved);
        HedVec3 r = hed_madd3(sim->force[i], -sim->mass.data[i], a);
        im->residual[i] = sim->inverse_mass[i] > 0.0 ? r : (HedVec3){0};
    }
    hed_stage_end(sim, HED_STAGE_FORCES, begin);
}

static void assemble_range(HedStep* step, const HedEval* at, HedMatrixScale scale, int32_t range) {
    HedSim* sim = step->sim;
    HedMatrix* matrix = &sim->implicit.matrix;
    hed_matrix_clear_range(matrix, range);
    for (int32_t k = 0; k < sim->term_count; ++k) {
        HedMatrixScale own = hed_rayleigh_scale(&sim->terms[k], range, scale);
        sim->terms[k].add_matrix(sim->terms[k].self, at, range, own, matrix);
    }
    for (int32_t i = sim->ranges.first[range]; i < sim->ranges.first[range + 1]; ++i) {
        double m = sim->mass.data[i] * (step->inertia + step->shift);
        matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], hed_mat3_diagonal(m, m, m));
    }
}

// Contacts between sheets join points that no element joins: the matrix has no place for their
// blocks, so products add them (apply_matrix), and the preconditioner sees their diagonal alone.
static bool update_preconditioner(HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double begin = hed_stage_begin(sim);
    bool has_pairs = sim->self_start && sim->self.contacts.count > 0;
    bool has_strands = sim->strands && sim->strands->has_contact;
    size_t bytes = sizeof(HedMat3) * (size_t)sim->x.count;
    if (has_pairs || has_strands) {
        memcpy(im->diagonal, im->matrix.diagonal, bytes);
        hed_strands_add_diagonal(sim, im->matrix.diagonal);
    }
    if (has_pairs) {
        hed_self_add_diagonal(&sim->self, im->matrix.diagonal);
    }
    bool ok = hed_preconditioner_update(im->preconditioner, &im->matrix, sim->inverse_mass);
    if (has_pairs || has_strands) {
        memcpy(im->matrix.diagonal, im->diagonal, bytes);
    }
    hed_stage_end(sim, HED_STAGE_PRECONDITIONER, begin);
    return ok;
}

static bool is_eliminated(const HedSim* sim) {
    return sim->def.constraints == HED_CONSTRAIN_ELIMINATION;
}

static void take_out_held(HedSim* sim) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(20) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        hed_matrix_hold_range(&sim->implicit.matrix, r, sim->inverse_mass);
    }
}

bool hed_newton_assemble(HedStep* step, HedForm form) {
    HedSim* sim = step->sim;
    bool is_exact = form.is_exact;
    HedImplicit* im = &sim->implicit;
    bool moves = step->inertia > 0.0;
    HedMatrixScale scale = {1.0, moves ? step->rate : 0.0, is_exact, form.lent * step->inertia};
    HedEval at = eval_trial(step);
    double begin = hed_stage_begin(sim);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(300) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        assemble_range(step, &at, scale, r);
    }
    hed_sim_rods_assembled(sim, is_exact);
    // In motion contacts take the positive form: as exact it gains no iteration there, and could
    // cost the matrix its positivity.
    hed_sim_note(sim, hed_strands_assembled(sim, step->rate, is_exact && !moves));
    HedMatrixScale contact = {1.0, step->rate, is_exact, 0.0};
    hed_contacts_add_matrix(&sim->contacts, im->v_trial, contact, &im->matrix);
    if (is_eliminated(sim)) {
        take_out_held(sim);
    }
    if (sim->self_start && sim->failure == HED_OK) {
        HedSelfScale self = {1.0, step->rate};
        hed_sim_note(sim, hed_self_linearise(&sim->self, im->x_trial, im->v_trial, self, NULL));
    }
    hed_stage_end(sim, HED_STAGE_ASSEMBLY, begin);
    return sim->failure == HED_OK && update_preconditioner(step);
}

static void apply_matrix(void* context, const double* x, double* y) {
    const HedStep* step = context;
    HedSim* sim = step->sim;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
    hed_matrix_multiply(&sim->implicit.matrix, &sim->team, from, to);
    hed_sim_rods_condense(sim, from, to);
    hed_strands_multiply(sim, from, to);
    if (sim->self_start) {
        hed_self_multiply(&sim->self, from, to);
    }
}

static void apply_preconditioner(void* context, const double* x, double* y) {
    const HedSim* sim = context;
    hed_preconditioner_apply(sim->implicit.preconditioner, x, y);
}

static void apply_filter(void* context, const double* x, double* y) {
    const HedSim* sim = context;
    HedVec3* to = (HedVec3*)(void*)y;
    (void)x;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            to[pin->points[k]] = (HedVec3){0};
        }
    }
}

int32_t hed_newton_find_direction(HedStep* step, double tolerance, HedStepReport* report,
                                  double* size) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    // Contacts between sheets are not in the matrix, and act on held points too.
    bool needs_filter = !is_eliminated(sim) || sim->self_start;
    HedPcg pcg = {
        .size = 3 * sim->x.count,
        .matrix = {apply_matrix, step},
        .precondition = {apply_preconditioner, sim},
        .filter = {needs_filter ? apply_filter : NULL, sim},
        .tolerance = tolerance,
        .max_iterations = sim->def.linear_iterations,
        .team = &sim->team,
        .work = &im->work->x,
        .watch = hed_sim_watch(sim),
    };
    double begin = hed_stage_begin(sim);
    HedPcgReport result = hed_pcg_solve(&pcg, &im->residual->x, &im->direction->x);
    hed_stage_end(sim, HED_STAGE_LINEAR, begin);
    report->linear_iterations += result.iterations;
    if (size) {
        *size = result.start;
    }
    // A solve that ran out of iterations still gives a direction of descent.
    bool ok = result.reason == HED_PCG_CONVERGED || result.reason == HED_PCG_MAX_ITERATIONS;
    return ok ? result.iterations : -1;
}

static double slope(const HedSim* sim, const HedVec3* along) {
    return hed_team_dot(&sim->team, &sim->implicit.residual->x, &along->x, 3 * sim->x.count);
}

// Moves the trial state from one place on the line to another, evaluates there and returns the
// slope. With yarns the line is a curve (sim/retract.h), and there is no slope where they would
// have to pass through each other: step->meeting then says which.
static double slope_at(HedStep* step, double from, double to) {
    HedSim* sim = step->sim;
    const HedVec3* along = sim->implicit.direction;
    if (sim->retract) {
        hed_retract_go(sim, to);
        along = sim->retract->tangent;
        if (!hed_sim_sweep_is_clear(sim, sim->retract->base, sim->implicit.x_trial,
                                    &step->meeting)) {
            return (double)NAN;
        }
    } else {
        hed_team_axpy(&sim->team, to - from, &along->x, &sim->implicit.x_trial->x,
                      3 * sim->x.count);
    }
    hed_newton_find_residual(step);
    return slope(sim, along);
}

// A whole step that ends still going down, or not far beyond the lowest point, is taken. Otherwise
// the lowest point lies in between: regula falsi, in Illinois form, finds it roughly. A contact
// that closes on the way makes the slope break off, and so much shorter steps than necessary would
// be the price of a guess from the whole step alone.
double hed_newton_search(HedStep* step) {
    enum { TRIES = 12 };
    if (step->sim->retract) {
        hed_retract_begin(step->sim);
    }
    step->meeting = (HedYarnMeeting){0};
    double low = 0.0, high = 1.0;
    double at_low = slope(step->sim, step->sim->implicit.direction);
    double before = at_low;
    double at_high = slope_at(step, 0.0, 1.0);
    double gone = 1.0;
    bool was_low = false, was_high = false;
    double now = at_high;
    for (int k = 0; k < TRIES; ++k) {
        if (isfinite(now) && (gone == 1.0 || now <= 0.5 * before) && now >= -0.5 * before) {
            return gone;
        }
        double part = isfinite(at_high) ? at_low / (at_low - at_high) : 0.25;
        double goal = low + (high - low) * fmin(fmax(part, 0.05), 0.9);
        now = slope_at(step, gone, goal);
        gone = goal;
        if (isfinite(now) && now > 0.0) {
            low = gone;
            at_low = now;
            at_high = was_low ? 0.5 * at_high : at_high;
            was_low = true;
            was_high = false;
        } else {
            high = gone;
            at_high = now;
            at_low = was_high ? 0.5 * at_low : at_low;
            was_high = true;
            was_low = false;
        }
    }
    if (!isfinite(now) && low > 0.0) {
        now = slope_at(step, gone, low);
        gone = low;
    }
    return isfinite(now) ? gone : 0.0;
}

HedReason hed_newton_blocked_by(const HedStep* step) {
    return step->meeting.is_found ? HED_REASON_PASSED : HED_REASON_NOT_FINITE;
}

// The matrix is at least inertia M, so no velocity would be corrected by more than about
// rate |r| / (inertia m), m/s.
static double correction_bound(const HedStep* step) {
    const HedSim* sim = step->sim;
    double scale = step->rate / step->inertia;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(2) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        double largest = 0.0;
        for (int32_t i = sim->ranges.first[r]; i < sim->ranges.first[r + 1]; ++i) {
            double v = scale * sim->inverse_mass[i] * hed_norm3(sim->implicit.residual[i]);
            largest = isfinite(v) ? fmax(largest, v) : HUGE_VAL;
        }
        sim->team.partial[r] = largest;
    }
    double largest = 0.0;
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        largest = fmax(largest, sim->team.partial[r]);
    }
    return largest;
}

double hed_newton_largest_residual(const HedSim* sim) {
    return hed_team_max_abs(&sim->team, &sim->implicit.residual->x, 3 * sim->x.count);
}

// sqrt(r.P r): a size of the error that is as good as the preconditioner.
static double error_size(const HedStep* step) {
    HedSim* sim = step->sim;
    double begin = hed_stage_begin(sim);
    double* z = &sim->implicit.work->x;
    hed_preconditioner_apply(sim->implicit.preconditioner, &sim->implicit.residual->x, z);
    double square = hed_team_dot(&sim->team, &sim->implicit.residual->x, z, 3 * sim->x.count);
    hed_stage_end(sim, HED_STAGE_LINEAR, begin);
    return sqrt(fmax(0.0, square));
}

enum { MANY = 30 }; // iterations of conjugate gradients

// How far the iteration is.
typedef struct Progress {
    bool is_current; // the matrix serves
    bool is_yarns;   // there is nothing else
    bool is_bold;    // the next matrix need not be safe
    bool is_warned;  // a matrix that was not safe proved indefinite in this step
    double change;   // m/s, largest of the last correction; negative: there was none
    double left;     // m/s, estimate of the next correction; negative: not known
    double size;     // of the error before the last correction: see error_size
} Progress;

// A tolerance that brings what is left to half of what may stay, but not finer than the def asks. A
// first solve goes to the root of that: two solves at most, if the matrix serves.
static double forcing(const HedSim* sim, const Progress* progress) {
    const double coarsest = 0.1;
    double fine = sim->def.linear_tolerance;
    if (sim->def.newton_iterations == 1) {
        return fine;
    }
    double wanted = progress->left > 0.0 ? 0.5 * sim->def.newton_tolerance / progress->left
                                         : sqrt(fmin(fine, 1.0));
    return fmax(fine, fmin(wanted, coarsest));
}

// Membranes take what is lent to them; all else becomes exact.
static HedForm form_of(const HedSim* sim, bool is_bold) {
    const double safe = 0.95; // the rest keeps the matrix well conditioned
    const double bold = 4.0;
    bool has_membranes = sim->membranes.list.count > 0;
    return (HedForm){is_bold && !has_membranes, is_bold ? bold : safe};
}

// What touches changes with every correction, so contacts of yarns are always those of the present
// state: they act in the products, while the preconditioner may keep those that it was made of.
static bool renew_matrix(HedStep* step, Progress* progress) {
    if (progress->is_current) {
        hed_sim_note(step->sim, hed_strands_linearise(step->sim));
        return step->sim->failure == HED_OK;
    }
    progress->is_current = true;
    if (progress->is_bold && hed_newton_assemble(step, form_of(step->sim, true))) {
        return true;
    }
    progress->is_warned = progress->is_warned || progress->is_bold;
    progress->is_bold = false;
    return hed_newton_assemble(step, form_of(step->sim, false));
}

// Solves for a correction to a tolerance. Returns the number of iterations, negative without one.
static int32_t find_correction(HedStep* step, Progress* progress, double tolerance,
                               HedStepReport* report) {
    int32_t count = hed_newton_find_direction(step, tolerance, report, &progress->size);
    if (count < 0 && progress->is_bold) { // indefinite after all
        progress->is_bold = false;
        progress->is_warned = true;
        bool ok = hed_newton_assemble(step, form_of(step->sim, false));
        count = ok ? hed_newton_find_direction(step, tolerance, report, &progress->size) : -1;
    }
    return count;
}

// What is left, over the correction just made. Conjugate gradients take 1/2 sqrt(condition)
// log(2/tolerance) iterations; where they took many, neither norm nor correction say much: then
// only a correction that is small itself ends the step. Else, where corrections shrink steadily,
// twice the rest of their geometric series bounds it, too.
static double share_left(double ratio, int32_t count, double tolerance, double shrink) {
    double root = fmax(1.0, 2.0 * count / log(2.0 / tolerance));
    double by_series = shrink < 0.5 ? 2.0 * shrink / (1.0 - shrink) : HUGE_VAL;
    return count <= MANY ? fmin(ratio * root, by_series) : 1.0;
}

// One correction; a reason if there is none.
static HedReason correct(HedStep* step, Progress* progress, HedStepReport* report) {
    const double slow = 0.3; // of the error that a correction may leave if the matrix is good
    HedSim* sim = step->sim;
    bool was_current = progress->is_current;
    if (!renew_matrix(step, progress)) {
        return HED_REASON_NOT_FINITE;
    }
    double tolerance = forcing(sim, progress);
    int32_t count = find_correction(step, progress, tolerance, report);
    if (count < 0) {
        return HED_REASON_NOT_FINITE;
    }
    report->iterations += 1;
    double change =
        step->rate * hed_team_max_abs(&sim->team, &sim->implicit.direction->x, 3 * sim->x.count);
    if (hed_newton_search(step) == 0.0) {
        return hed_newton_blocked_by(step);
    }
    double ratio = progress->size > 0.0 ? error_size(step) / progress->size : 0.0;
    double shrink = progress->change > 0.0 ? change / progress->change : HUGE_VAL;
    progress->left = change * share_left(ratio, count, tolerance, shrink);
    progress->change = change;
    progress->is_current = ratio <= slow;
    bool may_be = progress->is_yarns || (ratio > slow && !was_current);
    progress->is_bold = may_be && !progress->is_warned;
    return isfinite(progress->left) ? HED_REASON_CONVERGED : HED_REASON_NOT_FINITE;
}

static bool has_only_yarns(const HedSim* sim) {
    int32_t others = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        others += !sim->cloths.data[k].is_yarns;
    }
    return others == 0;
}

static HedReason solve_motion(HedStep* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    Progress progress = {.change = -1.0, .left = -1.0};
    progress.is_yarns = progress.is_bold = has_only_yarns(sim);
    hed_newton_find_residual(step);
    for (int32_t k = 0; k < sim->def.newton_iterations; ++k) {
        if (hed_sim_is_stopped(sim)) {
            return HED_REASON_STOPPED;
        }
        double bound = correction_bound(step);
        if (!isfinite(bound)) {
            return HED_REASON_NOT_FINITE;
        }
        if (bound <= sim->def.newton_tolerance) {
            return HED_REASON_CONVERGED;
        }
        HedReason reason = correct(step, &progress, report);
        if (reason != HED_REASON_CONVERGED) {
            return reason;
        }
        if (progress.left <= sim->def.newton_tolerance || sim->def.newton_iterations == 1) {
            return HED_REASON_CONVERGED;
        }
    }
    return HED_REASON_MAX_ITERATIONS;
}

static void describe(const void* self, HedStepReport* report) {
    const HedStep* step = self;
    report->residual = hed_newton_largest_residual(step->sim);
    hed_newton_describe(step, HED_REASON_MAX_ITERATIONS, report);
}

HedReason hed_newton_solve(HedStep* step, HedStepReport* report) {
    hed_sim_watch_describe(step->sim, describe, step);
    HedReason reason =
        step->inertia > 0.0 ? solve_motion(step, report) : hed_newton_rest(step, report);
    report->residual = hed_newton_largest_residual(step->sim);
    hed_sim_watch_describe(step->sim, NULL, NULL);
    return reason;
}

void hed_newton_describe(const HedStep* step, HedReason reason, HedStepReport* report) {
    const HedSim* sim = step->sim;
    if (reason == HED_REASON_PASSED) {
        hed_sim_sweep_describe(sim, &step->meeting, step->start + step->h, report);
        return;
    }
    int32_t worst = 0;
    double largest = -1.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double r = hed_norm3(sim->implicit.residual[i]);
        if (!(r <= largest)) {
            largest = r;
            worst = i;
        }
    }
    char place[96];
    hed_sim_describe_point(sim, worst, place, sizeof place);
    snprintf(report->trouble, sizeof report->trouble,
             "%s with a step of %.3g s: unbalanced force %.3g N at %s",
             reason == HED_REASON_NOT_FINITE ? "values not finite" : "no convergence", step->h,
             largest, place);
}
