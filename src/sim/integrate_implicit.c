// SPDX-License-Identifier: MIT
// Implicit steps: which equations each scheme solves (sim/newton.h), and what follows from the
// solution.
//
//   backward Euler   v = (x - x0)/h                         a = (v - v0)/h
//   Newmark 1959     x = x0 + h v0 + h^2 ((1/2 - b) a0 + b a)   v = v0 + h ((1 - g) a0 + g a)
//   BDF2             v = (3 x - 4 x0 + x1)/(2 h)            a = (3 v - 4 v0 + v1)/(2 h)
//   statics          v = 0                                  a = 0
#include "base/alloc.h"
#include "sim/newton.h"
#include "sim/profile.h"

#include <string.h>

// The scheme of this step and its numbers. BDF2 starts, and goes through a step that is cut into
// pieces, by Newmark's method; where yarns touch, such pieces are made by backward Euler, which
// stands any stiffness. So are steps in which much happens to contacts (is_careful).
typedef struct Scheme {
    HedIntegrator kind;
    double beta, gamma; // Newmark
} Scheme;

static bool is_second(const HedSim* sim) {
    return sim->def.integrator == HED_NEWMARK || sim->def.integrator == HED_BDF2;
}

static Scheme scheme_of(const HedSim* sim, double h) {
    HedIntegrator kind = sim->def.integrator;
    bool is_cut = sim->yarn_dynamics && h < sim->def.time_step;
    if (is_second(sim) && (is_cut || sim->implicit.is_careful)) {
        return (Scheme){HED_IMPLICIT_EULER, 0.25, 0.5};
    }
    if (kind == HED_NEWMARK) {
        return (Scheme){kind, sim->def.newmark_beta, sim->def.newmark_gamma};
    }
    bool has_two = sim->count.has_previous && h == sim->def.time_step;
    return (Scheme){kind == HED_BDF2 && !has_two ? HED_NEWMARK : kind, 0.25, 0.5};
}

static HedStep make_step(HedSim* sim, double start, double h) {
    Scheme scheme = scheme_of(sim, h);
    HedStep step = {.sim = sim, .start = start, .h = h, .rate = 1.0 / h};
    switch (scheme.kind) {
    case HED_NEWMARK:
        step.inertia = 1.0 / (scheme.beta * h * h);
        step.rate = scheme.gamma / (scheme.beta * h);
        break;
    case HED_BDF2:
        step.rate = 1.5 / h;
        step.inertia = step.rate * step.rate;
        break;
    case HED_QUASI_STATIC:
        step.damps_by_start = true;
        break;
    default:
        step.inertia = 1.0 / (h * h);
        step.damps_by_start = true;
        break;
    }
    return step;
}

// What the scheme knows of v and a before the step.
static void set_known(const HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double h = step->h;
    Scheme scheme = scheme_of(sim, h);
    double beta = scheme.beta;
    double gamma = scheme.gamma;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(5) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 v0 = sim->v_old[i];
        HedVec3 v_add = {0};
        HedVec3 a_add = hed_mul3(-1.0 / h, v0);
        if (scheme.kind == HED_NEWMARK) {
            HedVec3 a0 = sim->acceleration[i];
            a_add = hed_madd3(hed_mul3(-1.0 / (beta * h), v0), 1.0 - 0.5 / beta, a0);
            v_add = hed_madd3(hed_madd3(v0, h * (1.0 - gamma), a0), h * gamma, a_add);
        } else if (scheme.kind == HED_BDF2) {
            HedVec3 back = hed_sub3(sim->x_old[i], sim->x_previous[i]);
            v_add = hed_mul3(-0.5 / h, back);
            HedVec3 sum = hed_madd3(hed_mul3(3.0, v_add), -4.0, v0);
            a_add = hed_mul3(0.5 / h, hed_add3(sum, sim->v_previous[i]));
        } else if (scheme.kind == HED_QUASI_STATIC) {
            a_add = (HedVec3){0};
        }
        im->v_add[i] = v_add;
        im->a_add[i] = a_add;
    }
}

// Held points move as their pins say, not as the scheme would make of their positions.
static void set_held(const HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    if (step->damps_by_start) {
        return; // there the velocity is that of the chord, which counts the work of the step right
    }
    hed_pins_place(sim, step->start + step->h, im->x_trial, im->v_trial);
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            int32_t i = pin->points[k];
            HedVec3 moved = hed_sub3(im->x_trial[i], sim->x_old[i]);
            im->v_add[i] = hed_madd3(im->v_trial[i], -step->rate, moved);
            im->a_add[i] = hed_mul3(-step->inertia, moved);
        }
    }
}

// Positions as if the acceleration of the last step went on, and changed as it did before: right
// for free fall and for rest, and for smooth motion so near that a step needs a correction less. If
// there is one correction only, the velocity goes on: what the correction leaves of the error would
// come back with the acceleration, and grow from step to step.
static void first_guess(const HedStep* step) {
    HedSim* sim = step->sim;
    HedVec3* x = sim->implicit.x_trial;
    bool moves = step->inertia > 0.0;
    double half = sim->def.integrator == HED_IMPLICIT_EULER ? 1.0 : 0.5;
    half = sim->def.newton_iterations == 1 ? 0.0 : half;
    bool has_trend = sim->count.whole_steps == 2 && step->h == sim->def.time_step;
    double trend = has_trend ? 0.8 : 0.0; // a little less than the whole damps what is noise in it
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(5) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 a = sim->acceleration[i];
        a = hed_madd3(a, trend, hed_sub3(a, sim->implicit.a_before[i]));
        HedVec3 v = hed_madd3(sim->v_old[i], half * step->h, a);
        x[i] = moves ? hed_madd3(sim->x_old[i], step->h, v) : sim->x_old[i];
    }
    hed_pins_place(sim, step->start + step->h, x, NULL);
}

// Newmark's method, by which BDF2 begins, needs the acceleration that it starts from.
static void first_acceleration(HedSim* sim, double time) {
    if (!is_second(sim) || sim->count.has_acceleration) {
        return;
    }
    sim->count.power = hed_sim_force(sim, sim->x.data, sim->v.data, time, sim->force);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sim->acceleration[i] = hed_mul3(sim->inverse_mass[i], sim->force[i]);
    }
    sim->count.has_acceleration = 1;
}

// What moving pins put in: against the sheet's forces along the way of the held points, and into
// the motion of these points themselves. A step's power is that at its end, or for Newmark's method
// the mean of both ends, as its forces are.
static void add_work(const HedStep* step, Scheme scheme, double held_before) {
    HedSim* sim = step->sim;
    bool both = scheme.kind == HED_NEWMARK;
    double end = both ? 0.5 * step->h : step->h;
    sim->count.dissipated += end * step->power.dissipated;
    sim->count.external += end * step->power.external;
    if (both) {
        sim->count.dissipated += end * sim->count.power.dissipated;
        sim->count.external += end * sim->count.power.external;
    }
    sim->count.power = step->power;
    if (sim->has_self) {
        sim->count.external += hed_self_pull_work(&sim->self, sim->x_old, sim->x.data);
    }
    if (sim->parts.list.count > 0 && hed_pins_move(sim)) {
        if (!hed_newton_has_outside(sim)) {
            memset(sim->force, 0, sizeof *sim->force * (size_t)sim->x.count);
        }
        hed_parts_add_forces(sim, step->h, step->inertia == 0.0, sim->force);
    }
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active && pin->has_track; ++k) {
            int32_t i = pin->points[k];
            HedVec3 moved = hed_sub3(sim->x.data[i], sim->x_old[i]);
            sim->count.external -= hed_dot3(sim->force[i], moved);
        }
    }
    sim->count.external += hed_pins_kinetic(sim) - held_before;
}

static void accept(const HedStep* step) {
    HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    bool moves = step->inertia > 0.0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(5) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 moved = hed_sub3(im->x_trial[i], sim->x_old[i]);
        HedVec3 a = hed_madd3(im->a_add[i], step->inertia, moved);
        im->a_before[i] = sim->acceleration[i];
        sim->x.data[i] = im->x_trial[i];
        sim->v.data[i] = moves ? im->v_trial[i] : (HedVec3){0};
        sim->acceleration[i] = moves ? a : (HedVec3){0};
    }
    sim->count.dissipated += moves ? hed_parts_drag(sim, step->h) : 0.0;
    sim->count.dissipated += hed_parts_accept(sim);
    bool is_whole = moves && step->h == sim->def.time_step;
    sim->count.whole_steps = is_whole ? sim->count.whole_steps + (sim->count.whole_steps < 2) : 0;
    if (sim->x_previous) {
        size_t bytes = sizeof(HedVec3) * (size_t)sim->x.count;
        memcpy(sim->x_previous, sim->x_old, bytes);
        memcpy(sim->v_previous, sim->v_old, bytes);
        sim->count.has_previous = step->h == sim->def.time_step;
    }
}

HedStatus hed_implicit_meet(const HedStep* step, int32_t* added) {
    // In motion what is met is in the next step's list in any case; at rest all that touches
    // counts.
    double share = step->inertia > 0.0 ? 0.2 : 0.0;
    HedSim* sim = step->sim;
    *added = 0;
    if (sim->contacts.body_count == 0 || (share > 0.0 && sim->contacts.list.count == 0)) {
        return HED_OK;
    }
    return hed_contacts_extend(&sim->contacts, sim->implicit.x_trial, step->start + step->h, share,
                               added, &sim->why);
}

// Where cloth has come to lie on cloth in the step, or has left it, the limits of friction at its
// start are not those of its end: solves again with these, once. What changes by less, as where
// meshes slide over each other, has its friction a step later.
static HedReason renew_friction(HedStep* step, HedStepReport* report) {
    const double much = 0.5;
    const double much_of_yarns = 1e-3;
    HedSim* sim = step->sim;
    if (sim->touches && hed_touches_renew(sim->touches) > much_of_yarns) {
        return hed_newton_solve(step, report);
    }
    if (!sim->has_self || !(sim->def.self_friction > 0.0) || sim->self.contacts.count == 0 ||
        !(hed_self_renew_limits(&sim->self, sim->implicit.x_trial) > much)) {
        return HED_REASON_CONVERGED;
    }
    return hed_newton_solve(step, report);
}

// Solves the step; where parts of the sheet have met a body that were not near it before, solves
// again with them.
static HedReason solve_step(HedStep* step, HedStepReport* report) {
    enum { ROUNDS = 4 };
    HedSim* sim = step->sim;
    HedReason reason = hed_newton_solve(step, report);
    if (reason == HED_REASON_CONVERGED) {
        reason = renew_friction(step, report);
    }
    for (int k = 0; k < ROUNDS && reason == HED_REASON_CONVERGED; ++k) {
        int32_t added = 0;
        hed_sim_note(sim, hed_implicit_meet(step, &added));
        if (sim->failure != HED_OK) {
            return HED_REASON_MAX_ITERATIONS;
        }
        if (added == 0) {
            break;
        }
        reason = hed_newton_solve(step, report);
    }
    return reason;
}

// One attempt at a step.
static HedReason try_step(HedStep* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    set_known(step);
    first_guess(step);
    set_held(step);
    HedReason reason = hed_sim_sweep_guess(sim, step->start, step->h, report);
    hed_sim_note(sim, hed_parts_begin(sim, step->start, step->h, sim->implicit.x_trial));
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    if (reason == HED_REASON_CONVERGED) {
        reason = hed_parts_guess(sim, report);
    }
    if (reason == HED_REASON_CONVERGED) {
        reason = solve_step(step, report);
        if (reason != HED_REASON_CONVERGED) {
            hed_newton_describe(step, reason, report);
        }
    }
    return reason == HED_REASON_CONVERGED ? hed_parts_check(sim, report) : reason;
}

// J, of motion and of contacts, at the start of a step.
typedef struct Start {
    double kinetic, contact;
} Start;

static Start start_of(HedSim* sim) {
    Start start = {0.0, sim->count.contact};
    if (!is_second(sim)) {
        return start;
    }
    HedYarnSum yarns = {0};
    if (sim->yarn_dynamics) {
        hed_sim_note(sim, hed_yarn_dynamics_measure(sim, sim->v.data, sim->yarn_dynamics->scratch,
                                                    &yarns, &sim->why));
    }
    start.contact += yarns.energy;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        start.kinetic += 0.5 * sim->mass.data[i] * hed_dot3(sim->v.data[i], sim->v.data[i]);
    }
    return start;
}

// Contacts that begin, end or change their force by much in a step give schemes of second order
// energy, about as much as that of contacts changes: they know the forces of both ends alone.
static bool is_shaken(const HedSim* sim, Start start) {
    const double most = 0.01; // of the energy there was
    double end = hed_contacts_energy(&sim->contacts);
    end += sim->yarn_dynamics ? sim->yarn_dynamics->energy : 0.0;
    return fabs(end - start.contact) > most * (start.kinetic + start.contact);
}

// What is near bodies and sheets.
static void find_near(HedSim* sim, double t, double h) {
    double begin = hed_stage_begin(sim);
    sim->contacts.is_flat = h < sim->def.time_step; // a piece: the step was hard to solve
    hed_sim_note(sim, hed_contacts_find(&sim->contacts, sim->x.data, sim->v.data, t, h, NULL));
    hed_stage_end(sim, HED_STAGE_CONTACTS, begin);
    if (sim->has_self && sim->failure == HED_OK) {
        const double stiffness = 3e6; // N/m per m^2, as that of bodies
        begin = hed_stage_begin(sim);
        hed_sim_note(sim, hed_self_find(&sim->self, sim->x.data, sim->v.data, h, stiffness, NULL));
        hed_tangle_find(sim, stiffness);
        hed_stage_end(sim, HED_STAGE_NEAR, begin);
    }
}

HedStatus hed_implicit_begin(HedSim* sim, HedStep* step) {
    double t = hed_sim_time(sim);
    double h = sim->def.time_step;
    sim->failure = HED_OK;
    first_acceleration(sim, t);
    hed_sim_note(sim, hed_snapshot_take(sim, &sim->piece, &sim->why));
    find_near(sim, t, h);
    *step = make_step(sim, t, h);
    set_known(step);
    memcpy(sim->implicit.x_trial, sim->x.data, sizeof(HedVec3) * (size_t)sim->x.count);
    hed_pins_place(sim, t + h, sim->implicit.x_trial, NULL);
    set_held(step);
    hed_sim_note(sim, hed_parts_begin(sim, t, h, sim->implicit.x_trial));
    hed_newton_begin(step);
    return sim->failure;
}

HedReason hed_step_implicit(HedSim* sim, double t, double h, HedStepReport* report) {
    sim->implicit.is_careful = false;
    first_acceleration(sim, t);
    Start start = start_of(sim);
    find_near(sim, t, h);
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    HedStep step = make_step(sim, t, h);
    HedReason reason = try_step(&step, report);
    if (reason == HED_REASON_CONVERGED && is_second(sim) && is_shaken(sim, start)) {
        sim->implicit.is_careful = true;
        step = make_step(sim, t, h);
        reason = try_step(&step, report);
    }
    report->contact_count = sim->contacts.list.count;
    if (reason != HED_REASON_CONVERGED) {
        return reason;
    }
    double held = hed_pins_kinetic(sim);
    Scheme scheme = scheme_of(sim, h);
    accept(&step);
    add_work(&step, scheme, held);
    if (scheme.kind == HED_IMPLICIT_EULER) {
        sim->count.has_acceleration = 0; // what it carries is a mean, not that of the end
    }
    report->penetration = fmax(report->penetration, hed_contacts_depth(&sim->contacts));
    return HED_REASON_CONVERGED;
}

// Every pair of points that some element couples, and the edges, which contacts couple.
static HedStatus collect_pairs(const HedSim* sim, int32_t** pairs, int64_t* count,
                               HedError* error) {
    int64_t most = sim->edges.count / 2;
    for (int32_t k = 0; k < sim->term_count; ++k) {
        HedStencils s = sim->terms[k].stencils;
        most += (int64_t)hed_pair_count(s.arity) * s.count;
    }
    int32_t* list = HED_NEW_ARRAY(int32_t, 2 * most);
    if (!list) {
        return hed_fail_memory(error, "the matrix pattern");
    }
    int64_t next = 0;
    for (int32_t k = 0; k < sim->term_count; ++k) {
        HedStencils s = sim->terms[k].stencils;
        for (int64_t e = 0; e < s.count; ++e) {
            const int32_t* point = s.point + e * s.arity;
            for (int32_t n = 1; n < s.arity; ++n) {
                for (int32_t m = 0; m < n; ++m) {
                    list[next++] = point[m];
                    list[next++] = point[n];
                }
            }
        }
    }
    if (sim->edges.count > 0) { // splines have none
        memcpy(list + next, sim->edges.data, sizeof(int32_t) * (size_t)sim->edges.count);
    }
    *pairs = list;
    *count = most;
    return HED_OK;
}

static HedStatus allocate_vectors(HedImplicit* im, int64_t n, HedError* error) {
    HedVec3** vectors[] = {&im->x_trial, &im->v_trial, &im->v_add, &im->a_add, &im->a_before};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
        *vectors[k] = HED_NEW_ARRAY(HedVec3, n);
        if (!*vectors[k]) {
            return hed_fail_memory(error, "the implicit step");
        }
    }
    im->diagonal = HED_NEW_ARRAY(HedMat3, n);
    return im->diagonal ? HED_OK : hed_fail_memory(error, "the implicit step");
}

HedStatus hed_implicit_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedImplicit* im = &sim->implicit;
    int32_t n = sim->x.count;
    int32_t* pairs = NULL;
    int64_t pair_count = 0;
    HED_TRY(collect_pairs(sim, &pairs, &pair_count, error));
    HED_TRY(hed_matrix_create(&im->matrix, n, sim->ranges, pairs, pair_count, error));
    for (int32_t k = 0; k < sim->term_count; ++k) {
        if (sim->terms[k].attach) {
            HED_TRY(sim->terms[k].attach(sim->terms[k].self, sim->ranges, &im->matrix, error));
        }
    }
    HED_TRY(hed_newton_create(sim, error));
    HED_TRY(hed_sim_touches_create(sim, error));
    if (im->has_points) {
        HED_TRY(hed_sim_lines_create(sim, error));
        HedPreconditionerInput input = {&im->matrix, sim->x.data, &sim->team, &im->lines};
        HED_TRY(
            hed_preconditioner_create(sim->def.preconditioner, input, &im->preconditioner, error));
    }
    HED_TRY(allocate_vectors(im, n, error));
    HED_TRY(hed_retract_create(sim, error));
done:
    hed_free(pairs);
    return status;
}

void hed_implicit_free(HedSim* sim) {
    HedImplicit* im = &sim->implicit;
    hed_newton_free(sim);
    hed_matrix_free(&im->matrix);
    hed_preconditioner_destroy(im->preconditioner);
    hed_free(im->line);
    hed_free(im->extra);
    hed_free(im->x_trial);
    hed_free(im->v_trial);
    hed_free(im->v_add);
    hed_free(im->a_add);
    hed_free(im->a_before);
    hed_free(im->diagonal);
    *im = (HedImplicit){0};
}
