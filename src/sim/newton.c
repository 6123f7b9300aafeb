// SPDX-License-Identifier: MIT
// What Newton's method (solve/newton.h) needs to know of a step: residual, lines and tolerances of
// all that is made of points, of parts, and of what acts between them.
//
// A sheet under pressure buckles; inertia lends its positivity to membranes (state/term.h). Yarns
// alone start with the exact form: their factors say at once whether it is positive, and with it
// most steps need one correction only.
#include "sim/newton.h"
#include "base/alloc.h"
#include "sim/profile.h"
#include "sim/watch.h"

#include <stdio.h>
#include <string.h>

static const double LEFT = 0.035; // of the tolerance: what may be left of parts, see enough()

// --- forces ---

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

HedEval hed_newton_eval(const HedStep* step) {
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    // In statics nothing moves for the forces; contacts alone see the displacement of the step.
    const HedVec3* v = step->inertia > 0.0 ? im->v_trial : im->v_add;
    HedEval at = hed_sim_eval_at(sim, im->x_trial, v, step->start + step->h);
    if (step->damps_by_start) {
        at.start = sim->x_old;
        at.over = step->inertia > 0.0 ? 1.0 / step->h : 0.0;
    }
    return at;
}

bool hed_newton_has_outside(const HedSim* sim) {
    return sim->implicit.has_points || sim->contacts.list.count > 0 ||
           (sim->has_self && sim->self.contacts.count > 0);
}

// N, on all points, of all that acts between points; in sim->force.
static void find_forces(HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    step->power = (HedPower){0};
    step->contact = 0.0;
    if (im->has_points) {
        HedEval at = hed_newton_eval(step);
        step->power = hed_sim_force_at(sim, &at, sim->force);
    } else {
        memset(sim->force, 0, sizeof *sim->force * (size_t)sim->x.count);
    }
    HedPower contact = hed_contacts_add_force(&sim->contacts, im->x_trial, im->v_trial,
                                              step->start + step->h, sim->force);
    step->power.dissipated += contact.dissipated;
    step->power.external += contact.external;
    step->contact = hed_contacts_energy(&sim->contacts);
    step->contact += hed_contacts_dissipation(&sim->contacts, im->v_trial) / step->rate;
    if (sim->has_self) {
        double rubbed = 0.0;
        step->contact +=
            hed_self_add_force(&sim->self, im->x_trial, im->v_trial, sim->force, &rubbed);
        step->contact += hed_self_dissipation(&sim->self, im->v_trial) / step->rate;
        step->power.dissipated += rubbed;
    }
}

static void find_point_residual(const HedStep* step) {
    HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    HedVec3* residual = hed_point_block(im->residual);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 moved = hed_sub3(im->x_trial[i], sim->x_old[i]);
        HedVec3 a = hed_madd3(im->a_add[i], step->inertia, moved);
        HedVec3 r = hed_madd3(sim->force[i], -sim->mass.data[i], a);
        residual[i] = im->free[i] > 0.0 ? r : (HedVec3){0};
    }
}

// J, of the step, in the parts; their residuals.
static double evaluate_parts(const HedStep* step) {
    const HedSim* sim = step->sim;
    double energy = 0.0;
    bool is_outside = hed_newton_has_outside(sim);
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        double* residual = sim->implicit.residual + part->first;
        energy += part->type->evaluate(part->self, residual);
        if (is_outside) {
            part->type->add_points(part->self, sim->force + part->first_point, residual);
        }
        part->type->hold(part->self, residual);
    }
    if (sim->touches) {
        energy += hed_touches_evaluate(sim->touches, sim->implicit.residual);
        hed_newton_hold_parts(sim, sim->implicit.residual);
    }
    return energy;
}

static double evaluate(void* self) {
    HedStep* step = self;
    HedSim* sim = step->sim;
    double begin = hed_stage_begin(sim);
    hed_parts_trial_points(sim, sim->implicit.x_trial);
    if (hed_newton_has_outside(sim)) {
        set_velocities(step);
        find_forces(step);
    }
    double energy = evaluate_parts(step);
    if (sim->implicit.has_points) {
        find_point_residual(step);
    } else if (hed_newton_has_outside(sim)) {
        energy += step->contact;
    }
    hed_stage_end(sim, HED_STAGE_FORCES, begin);
    return energy;
}

// --- lines ---

static void begin_line(void* self) {
    HedStep* step = self;
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    step->meeting = (HedYarnMeeting){0};
    if (sim->retract) {
        hed_retract_begin(sim);
    } else if (im->has_points) {
        memcpy(im->x_base, im->x_trial, sizeof *im->x_base * (size_t)sim->x.count);
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->begin_line(part->self);
    }
}

static void move_straight(const HedSim* sim, double share) {
    const HedImplicit* im = &sim->implicit;
    const HedVec3* d = hed_point_block(im->direction);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        im->x_trial[i] = hed_madd3(im->x_base[i], share, d[i]);
    }
}

// With yarns the line of points is a curve (sim/retract.h), and there is no way on where they would
// have to pass through each other: step->meeting then says which.
static bool move_points(HedStep* step, double share) {
    HedSim* sim = step->sim;
    if (!sim->retract) {
        move_straight(sim, share);
        return true;
    }
    if (share == 0.0) {
        memcpy(sim->implicit.x_trial, sim->retract->base, sizeof(HedVec3) * (size_t)sim->x.count);
        return true;
    }
    hed_retract_go(sim, share);
    memcpy(sim->implicit.tangent, sim->retract->tangent, sizeof(HedVec3) * (size_t)sim->x.count);
    HedYarnMeeting meeting;
    bool ok = hed_sim_sweep_is_clear(sim, sim->retract->base, sim->implicit.x_trial, &meeting);
    if (meeting.is_found) {
        step->meeting = meeting;
    }
    return ok;
}

static double longest(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    double most = HUGE_VAL;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        most = fmin(most, part->type->longest(part->self, sim->implicit.direction + part->first));
    }
    return most;
}

static bool move(void* self, double share) {
    HedStep* step = self;
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    bool ok = !im->has_points || move_points(step, share);
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        ok = part->type->move(part->self, share, im->direction + part->first) && ok;
        if (im->tangent != im->direction) {
            memcpy(im->tangent + part->first, im->direction + part->first,
                   sizeof *im->tangent * (size_t)part->size);
        }
    }
    return ok && (!sim->touches || hed_touches_can_be(sim->touches));
}

// --- tolerances ---

static double change(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    return step->rate * hed_team_max_abs(&sim->team, sim->implicit.direction, sim->implicit.size);
}

// The matrix is at least inertia M, so no velocity would be corrected by more than about
// rate |r| / (inertia m), m/s.
static double point_bound(const HedStep* step) {
    const HedSim* sim = step->sim;
    const HedVec3* residual = hed_point_block(sim->implicit.residual);
    double scale = step->rate / step->inertia;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(2) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        double largest = 0.0;
        for (int32_t i = sim->ranges.first[r]; i < sim->ranges.first[r + 1]; ++i) {
            double v = scale * sim->implicit.free[i] * hed_norm3(residual[i]);
            largest = isfinite(v) ? fmax(largest, v) : HUGE_VAL;
        }
        sim->team.partial[r] = largest;
    }
    double largest = 0.0;
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        largest = fmax(largest, sim->team.partial[r]);
    }
    return isfinite(largest) ? largest : (double)NAN;
}

static double bound(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    double largest = sim->implicit.has_points ? point_bound(step) : 0.0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        double own = part->type->bound(part->self, sim->implicit.residual + part->first);
        largest = isnan(own) || own > largest ? own : largest;
    }
    return largest;
}

// How small the residual has to be in the norm of the preconditioner P, where there are parts only.
// The error e of a step whose residual is r costs e'A e, about r'P r, and at least the kinetic
// energy of its velocities e/h, since the matrix A is M/h^2 and more: |e/h| <= |r|_P/sqrt(mass) in
// the mean, were P the inverse of A. Along motions that P knows badly errors are larger: a part
// LEFT of the tolerance leaves room.
static double enough(const HedSim* sim) {
    double mass = 0.0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        mass += sim->parts.list.data[k].type->mass(sim->parts.list.data[k].self);
    }
    return sim->implicit.has_points ? 0.0 : LEFT * sim->def.newton_tolerance * sqrt(mass);
}

// --- the solve ---

// There are rods or splines, and no sheets.
static bool has_only_yarns(const HedSim* sim) {
    int32_t others = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        others += !sim->cloths.data[k].is_yarns;
    }
    return others == 0 && sim->implicit.has_points;
}

void hed_newton_begin(HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    // Contacts between sheets are not in the matrix, and act on held points too.
    bool needs_filter = im->has_points && (!hed_newton_is_eliminated(sim) || sim->has_self);
    for (int32_t i = 0; im->own_free && i < sim->x.count; ++i) {
        im->own_free[i] = sim->inverse_mass[i];
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        memset(im->own_free + part->first_point, 0, sizeof(double) * (size_t)part->point_count);
    }
    step->newton = (HedNewton){
        .self = step,
        .size = im->size,
        .team = &sim->team,
        .watch = hed_sim_watch(sim),
        .residual = im->residual,
        .direction = im->direction,
        .tangent = im->tangent,
        .work = im->work,
        .evaluate = evaluate,
        .has_energy = !im->has_points,
        .begin_line = begin_line,
        .longest = longest,
        .move = move,
        .assemble = hed_newton_assemble,
        .relinearise = hed_newton_relinearise,
        .matrix = {hed_newton_multiply, step},
        .precondition = {hed_newton_apply_preconditioner, step},
        .filter = {needs_filter ? hed_newton_filter : NULL, step},
        .change = change,
        .bound = bound,
        .tolerance = sim->def.newton_tolerance,
        .enough = enough(sim),
        .is_smooth = sim->parts.list.count == 0,
        .starts_bold = has_only_yarns(sim),
        .nonlinear = &sim->count.nonlinear,
        .linear_tolerance = sim->def.linear_tolerance,
        .linear_iterations = sim->def.linear_iterations,
        .iterations = sim->def.newton_iterations,
        .is_timed = sim->profile != NULL,
    };
}

static double largest_residual(const HedSim* sim) {
    return hed_team_max_abs(&sim->team, sim->implicit.residual, sim->implicit.size);
}

static void describe(const void* self, HedStepReport* report) {
    const HedStep* step = self;
    report->residual = largest_residual(step->sim);
    hed_newton_describe(step, HED_REASON_MAX_ITERATIONS, report);
}

static HedReason reason_of(const HedStep* step, HedNewtonReason reason) {
    switch (reason) {
    case HED_NEWTON_CONVERGED:
        return HED_REASON_CONVERGED;
    case HED_NEWTON_STOPPED:
        return HED_REASON_STOPPED;
    case HED_NEWTON_NOT_FINITE:
        return HED_REASON_NOT_FINITE;
    case HED_NEWTON_BLOCKED:
        return step->meeting.is_found    ? HED_REASON_TUNNELED
               : step->newton.has_energy ? HED_REASON_MAX_ITERATIONS
                                         : HED_REASON_NOT_FINITE;
    default: // yarns in each other's way up to the last correction need no more of them
        return step->meeting.is_found ? HED_REASON_TUNNELED : HED_REASON_MAX_ITERATIONS;
    }
}

// At rest the limits of friction inside parts are those of the pull at the start of the step: they
// are found again until they, too, are those of the end.
static HedNewtonReason solve_rest(HedStep* step) {
    enum { ROUNDS = 20 };
    const HedSim* sim = step->sim;
    HedNewtonReason reason = HED_NEWTON_MAX_ITERATIONS;
    hed_newton_rest_begin(step);
    for (int k = 0; k < ROUNDS; ++k) {
        reason = hed_newton_rest(&step->newton);
        step->newton.first_shift = fmax(step->newton.first_shift, step->newton.shift);
        if (reason != HED_NEWTON_CONVERGED || sim->parts.list.count == 0) {
            return reason;
        }
        for (int32_t p = 0; p < sim->parts.list.count; ++p) {
            sim->parts.list.data[p].type->renew(sim->parts.list.data[p].self);
        }
        if (sim->touches) {
            hed_touches_renew(sim->touches);
        }
        evaluate(step);
        if (hed_newton_rest_left(step) <= 1.0) {
            return HED_NEWTON_CONVERGED;
        }
    }
    return HED_NEWTON_MAX_ITERATIONS;
}

HedReason hed_newton_solve(HedStep* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    hed_sim_watch_describe(sim, describe, step);
    hed_newton_begin(step);
    HedNewtonReason reason =
        step->inertia > 0.0 ? hed_newton_motion(&step->newton) : solve_rest(step);
    report->iterations += step->newton.done;
    report->linear_iterations += step->newton.linear_done;
    report->residual = largest_residual(sim);
    if (sim->profile) {
        sim->profile->seconds[HED_STAGE_LINEAR] += step->newton.seconds;
    }
    hed_sim_watch_describe(sim, NULL, NULL);
    return reason_of(step, reason);
}

void hed_newton_describe(const HedStep* step, HedReason reason, HedStepReport* report) {
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    if (reason == HED_REASON_TUNNELED) {
        hed_sim_sweep_describe(sim, &step->meeting, step->start + step->h, report);
        return;
    }
    HedVec3* residual = im->scratch;
    if (im->has_points) {
        memcpy(residual, im->residual, sizeof *residual * (size_t)sim->x.count);
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->points_of(part->self, im->residual + part->first, residual + part->first_point);
    }
    int32_t worst = 0;
    double largest = -1.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double r = hed_norm3(residual[i]);
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

// --- vectors ---

// Whether the vector of unknowns has numbers of points: there are sheets, rods or splines, or
// something acts between points.
static bool needs_points(const HedSim* sim) {
    int32_t of_parts = 0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        of_parts += sim->parts.list.data[k].point_count;
    }
    return of_parts < sim->x.count || sim->ties.list.count > 0 || sim->has_wind;
}

static bool lay_out(HedSim* sim) {
    HedImplicit* im = &sim->implicit;
    int64_t size = im->has_points ? 3 * (int64_t)sim->x.count : 0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        HedPart* part = &sim->parts.list.data[k];
        part->first = (int32_t)size;
        size += part->size;
        if (size > INT32_MAX) {
            return false;
        }
    }
    im->size = (int32_t)size;
    return true;
}

HedStatus hed_newton_create(HedSim* sim, HedError* error) {
    HedImplicit* im = &sim->implicit;
    int64_t n = sim->x.count;
    im->has_points = needs_points(sim);
    if (!lay_out(sim)) {
        return hed_fail(error, HED_UNSUPPORTED, "too many unknowns for one system of equations");
    }
    bool is_curved = sim->strand_list.count > 0;
    im->residual = HED_NEW_ARRAY(double, im->size);
    im->direction = HED_NEW_ARRAY(double, im->size);
    im->tangent = is_curved ? HED_NEW_ARRAY(double, im->size) : im->direction;
    im->work = HED_NEW_ARRAY(double, 4 * (int64_t)im->size);
    im->scratch = HED_NEW_ARRAY(HedVec3, n);
    im->product = HED_NEW_ARRAY(HedVec3, n);
    im->x_base = im->has_points && !is_curved ? HED_NEW_ARRAY(HedVec3, n) : NULL;
    im->own_free = sim->parts.list.count > 0 ? HED_NEW_ARRAY(double, n) : NULL;
    im->free = im->own_free ? im->own_free : sim->inverse_mass;
    int32_t blocks = hed_block_count(im->size) + sim->ranges.count + 1;
    if (blocks > sim->team.partial_capacity) {
        hed_free(sim->team.partial);
        sim->team.partial = HED_NEW_ARRAY(double, blocks);
        sim->team.partial_capacity = blocks;
    }
    bool ok = im->residual && im->direction && im->tangent && im->work && im->scratch &&
              im->product && sim->team.partial && (im->x_base || is_curved || !im->has_points) &&
              (im->own_free || sim->parts.list.count == 0);
    return ok ? HED_OK : hed_fail_memory(error, "the implicit step");
}

void hed_newton_free(HedSim* sim) {
    HedImplicit* im = &sim->implicit;
    if (im->tangent != im->direction) {
        hed_free(im->tangent);
    }
    hed_free(im->residual);
    hed_free(im->direction);
    hed_free(im->work);
    hed_free(im->scratch);
    hed_free(im->product);
    hed_free(im->x_base);
    hed_free(im->own_free);
}
