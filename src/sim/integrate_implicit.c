// SPDX-License-Identifier: MIT
// Backward Euler: find x with  M (x - x0 - h v0) / h^2 = f(x, (x - x0)/h)  by Newton's method.
//
// The unknown of each iteration is a change d of positions, (M/h^2 + K + D/h) d = r, r the
// unbalanced force; K and D are positive semidefinite, so conjugate gradients always find a
// direction that lowers the potential whose gradient is -r. A step along it is cut back while the
// slope r.d at its end shows that it went much too far.
#include "base/alloc.h"
#include "sim/internal.h"
#include "solve/pcg.h"

#include <stdio.h>
#include <string.h>

typedef struct Step {
    HedSim* sim;
    double start; // s
    double h;     // s
    HedPower power;
    int exact_after; // iterations to go before the exact matrix is tried again
} Step;

static void set_velocities(const HedSim* sim, double h) {
    const HedVec3* x = sim->implicit.x_trial;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sim->implicit.v_trial[i] = hed_mul3(1.0 / h, hed_sub3(x[i], sim->x_old[i]));
    }
}

static HedEval eval_trial(const Step* step) {
    const HedSim* sim = step->sim;
    HedEval at =
        hed_sim_eval_at(sim, sim->implicit.x_trial, sim->implicit.v_trial, step->start + step->h);
    at.start = sim->x_old;
    at.over = 1.0 / step->h;
    return at;
}

// The unbalanced force at the trial state, zero on held points.
static void find_residual(Step* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double end = step->start + step->h;
    set_velocities(sim, step->h);
    HedEval at = eval_trial(step);
    step->power = hed_sim_force_at(sim, &at, sim->force);
    HedPower contact =
        hed_contacts_add_force(&sim->contacts, im->x_trial, im->v_trial, end, sim->force);
    step->power.dissipated += contact.dissipated;
    step->power.external += contact.external;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 change = hed_sub3(im->v_trial[i], sim->v_old[i]);
        HedVec3 r = hed_madd3(sim->force[i], -sim->mass.data[i] / step->h, change);
        im->residual[i] = sim->inverse_mass[i] > 0.0 ? r : (HedVec3){0};
    }
}

static void assemble_range(Step* step, const HedEval* at, HedMatrixScale scale, int32_t range) {
    HedSim* sim = step->sim;
    HedMatrix* matrix = &sim->implicit.matrix;
    hed_matrix_clear_range(matrix, range);
    for (int32_t k = 0; k < sim->term_count; ++k) {
        sim->terms[k].add_matrix(sim->terms[k].self, at, range, scale, matrix);
    }
    for (int32_t i = sim->ranges.first[range]; i < sim->ranges.first[range + 1]; ++i) {
        double inertia = sim->mass.data[i] / (step->h * step->h);
        HedMat3 block = hed_mat3_diagonal(inertia, inertia, inertia);
        matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], block);
    }
}

static bool assemble(Step* step, bool is_exact) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    HedMatrixScale scale = {1.0, 1.0 / step->h, is_exact};
    HedEval at = eval_trial(step);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(300) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        assemble_range(step, &at, scale, r);
    }
    hed_contacts_add_matrix(&sim->contacts, im->v_trial, scale, &im->matrix);
    int32_t bad = 0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        bool ok = false;
        im->inverse[i] = hed_mat3_inverse_spd(im->matrix.diagonal[i], &ok);
        bad += !ok;
    }
    return bad == 0;
}

static void apply_matrix(void* context, const double* x, double* y) {
    HedSim* sim = context;
    hed_matrix_multiply(&sim->implicit.matrix, &sim->team, (const HedVec3*)(const void*)x,
                        (HedVec3*)(void*)y);
}

static void apply_preconditioner(void* context, const double* x, double* y) {
    const HedSim* sim = context;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        to[i] = hed_mat3_apply(sim->implicit.inverse[i], from[i]);
    }
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

static bool solve(Step* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    HedPcg pcg = {
        .size = 3 * sim->x.count,
        .matrix = {apply_matrix, sim},
        .precondition = {apply_preconditioner, sim},
        .filter = {apply_filter, sim},
        .tolerance = sim->def.linear_tolerance,
        .max_iterations = sim->def.linear_iterations,
        .team = &sim->team,
        .work = &im->work->x,
    };
    HedPcgReport result = hed_pcg_solve(&pcg, &im->residual->x, &im->direction->x);
    report->linear_iterations += result.iterations;
    // A solve that ran out of iterations still gives a direction of descent.
    return result.reason == HED_PCG_CONVERGED || result.reason == HED_PCG_MAX_ITERATIONS;
}

// Near a solution the exact matrix is positive and Newton's method doubles its digits; where
// compressed springs make it indefinite, the positive form takes over for a while.
static bool find_direction(Step* step, HedStepReport* report) {
    if (step->exact_after > 0) {
        step->exact_after -= 1;
    } else if (assemble(step, true) && solve(step, report)) {
        return true;
    } else {
        step->exact_after = 1;
    }
    return assemble(step, false) && solve(step, report);
}

static double slope(const HedSim* sim) {
    return hed_team_dot(&sim->team, &sim->implicit.residual->x, &sim->implicit.direction->x,
                        3 * sim->x.count);
}

// Goes along the direction and evaluates there; returns how far it went, 0 if nothing finite was
// found.
static double search(Step* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double before = slope(sim);
    double gone = 0.0;
    double goal = 1.0;
    for (int k = 0; k < 12; ++k) {
        hed_team_axpy(&sim->team, goal - gone, &im->direction->x, &im->x_trial->x,
                      3 * sim->x.count);
        gone = goal;
        find_residual(step);
        double after = slope(sim);
        if (isfinite(after) && after >= -0.9 * before) {
            return gone; // still going down, or not far beyond the lowest point
        }
        double secant = isfinite(after) ? before / (before - after) : 0.25;
        goal = gone * fmin(fmax(secant, 0.1), 0.7);
    }
    return isfinite(slope(sim)) ? gone : 0.0;
}

// Positions as if the acceleration of the last step went on: right for free fall and for rest.
static void first_guess(Step* step) {
    HedSim* sim = step->sim;
    HedVec3* x = sim->implicit.x_trial;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 v = hed_madd3(sim->v_old[i], step->h, sim->acceleration[i]);
        x[i] = hed_madd3(sim->x_old[i], step->h, v);
    }
    hed_pins_place(sim, step->start + step->h, x, NULL);
}

// The matrix is at least M/h^2, so no velocity would be corrected by more than about h |r| / m,
// m/s.
static double correction_bound(const HedSim* sim, double h) {
    double largest = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double v = h * sim->inverse_mass[i] * hed_norm3(sim->implicit.residual[i]);
        largest = v <= largest ? largest : v; // NaN passes on
        if (isnan(v)) {
            break;
        }
    }
    return largest;
}

static HedReason iterate(Step* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    int32_t n = 3 * sim->x.count;
    find_residual(step);
    for (int32_t k = 0; k < sim->def.newton_iterations; ++k) {
        double bound = correction_bound(sim, step->h);
        if (!isfinite(bound)) {
            return HED_REASON_NOT_FINITE;
        }
        if (bound <= sim->def.newton_tolerance) {
            report->residual = hed_team_max_abs(&sim->team, &im->residual->x, n);
            return HED_REASON_CONVERGED;
        }
        if (!find_direction(step, report)) {
            return HED_REASON_NOT_FINITE;
        }
        report->iterations += 1;
        double change = hed_team_max_abs(&sim->team, &im->direction->x, n) / step->h;
        double gone = search(step);
        if (gone == 0.0) {
            return HED_REASON_NOT_FINITE;
        }
        if (change * gone <= sim->def.newton_tolerance) {
            report->residual = hed_team_max_abs(&sim->team, &im->residual->x, n);
            return HED_REASON_CONVERGED;
        }
    }
    report->residual = hed_team_max_abs(&sim->team, &im->residual->x, n);
    return HED_REASON_MAX_ITERATIONS;
}

static void describe_worst(const HedSim* sim, HedReason reason, double h, HedStepReport* report) {
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
             reason == HED_REASON_NOT_FINITE ? "values not finite" : "no convergence", h, largest,
             place);
}

// What moving pins put in: against the sheet's forces along the way of the held points, and into
// the motion of these points themselves.
static void add_work(Step* step, double held_before) {
    HedSim* sim = step->sim;
    sim->count.dissipated += step->h * step->power.dissipated;
    sim->count.external += step->h * step->power.external;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active && pin->has_track; ++k) {
            int32_t i = pin->points[k];
            sim->count.external -= step->h * hed_dot3(sim->force[i], sim->v.data[i]);
        }
    }
    sim->count.external += hed_pins_kinetic(sim) - held_before;
}

static void accept(Step* step) {
    HedSim* sim = step->sim;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sim->x.data[i] = sim->implicit.x_trial[i];
        sim->v.data[i] = sim->implicit.v_trial[i];
        HedVec3 change = hed_sub3(sim->v.data[i], sim->v_old[i]);
        sim->acceleration[i] = hed_mul3(1.0 / step->h, change);
    }
}

// Solves the step; where parts of the sheet have met a body that were not near it before, solves
// again with them.
static HedReason solve_step(Step* step, HedStepReport* report) {
    enum { ROUNDS = 4 };
    HedSim* sim = step->sim;
    HedReason reason = iterate(step, report);
    for (int k = 0; k < ROUNDS && reason == HED_REASON_CONVERGED; ++k) {
        int32_t added = 0;
        if (sim->contacts.list.count > 0) {
            sim->failure = hed_contacts_extend(&sim->contacts, sim->implicit.x_trial,
                                               step->start + step->h, &added, NULL);
        }
        if (sim->failure != HED_OK) {
            return HED_REASON_MAX_ITERATIONS;
        }
        if (added == 0) {
            break;
        }
        reason = iterate(step, report);
    }
    return reason;
}

HedReason hed_step_implicit(HedSim* sim, double t, double h, HedStepReport* report) {
    Step step = {.sim = sim, .start = t, .h = h};
    hed_sim_keep(sim);
    sim->failure = hed_contacts_find(&sim->contacts, sim->x.data, sim->v.data, t, h, NULL);
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    first_guess(&step);
    HedReason reason = solve_step(&step, report);
    report->contact_count = sim->contacts.list.count;
    if (reason != HED_REASON_CONVERGED) {
        describe_worst(sim, reason, h, report);
        return reason;
    }
    double held = hed_pins_kinetic(sim);
    accept(&step);
    add_work(&step, held);
    report->penetration = fmax(report->penetration, hed_contacts_depth(&sim->contacts));
    return HED_REASON_CONVERGED;
}

// Every pair of points that some element couples.
static HedStatus collect_pairs(const HedSim* sim, int32_t** pairs, int64_t* count,
                               HedError* error) {
    int64_t most = (int64_t)sim->springs.list.count + 3 * (int64_t)sim->curves.list.count +
                   sim->edges.count / 2 + (sim->has_wind ? sim->wind_triangles.count : 0);
    int32_t* list = HED_NEW_ARRAY(int32_t, 2 * most);
    if (!list) {
        return hed_fail_memory(error, "the matrix pattern");
    }
    int64_t k = 0;
    for (int32_t s = 0; s < sim->springs.list.count; ++s) {
        list[k++] = sim->springs.list.data[s].a;
        list[k++] = sim->springs.list.data[s].b;
    }
    for (int32_t c = 0; c < sim->curves.list.count; ++c) {
        const int32_t* point = sim->curves.list.data[c].point;
        for (int m = 0; m < 3; ++m) {
            list[k++] = point[m];
            list[k++] = point[(m + 1) % 3];
        }
    }
    for (int32_t t = 0; t < sim->wind_triangles.count && sim->has_wind; ++t) {
        list[k++] = sim->wind_triangles.data[t];
        list[k++] = sim->wind_triangles.data[t - t % 3 + (t + 1) % 3];
    }
    memcpy(list + k, sim->edges.data, sizeof(int32_t) * (size_t)sim->edges.count);
    *pairs = list;
    *count = most;
    return HED_OK;
}

HedStatus hed_implicit_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedImplicit* im = &sim->implicit;
    int64_t n = sim->x.count;
    int32_t* pairs = NULL;
    int64_t pair_count = 0;
    HED_TRY(collect_pairs(sim, &pairs, &pair_count, error));
    HED_TRY(hed_matrix_create(&im->matrix, (int32_t)n, sim->ranges, pairs, pair_count, error));
    HED_TRY(hed_spring_term_attach(&sim->springs, sim->ranges, &im->matrix, error));
    im->inverse = HED_NEW_ARRAY(HedMat3, n);
    im->residual = HED_NEW_ARRAY(HedVec3, n);
    im->direction = HED_NEW_ARRAY(HedVec3, n);
    im->x_trial = HED_NEW_ARRAY(HedVec3, n);
    im->v_trial = HED_NEW_ARRAY(HedVec3, n);
    im->work = HED_NEW_ARRAY(HedVec3, 4 * n);
    im->x_start = HED_NEW_ARRAY(HedVec3, n);
    im->v_start = HED_NEW_ARRAY(HedVec3, n);
    if (!im->inverse || !im->residual || !im->direction || !im->x_trial || !im->v_trial ||
        !im->work || !im->x_start || !im->v_start) {
        status = hed_fail_memory(error, "the implicit step");
    }
done:
    hed_free(pairs);
    return status;
}

void hed_implicit_free(HedImplicit* im) {
    hed_matrix_free(&im->matrix);
    hed_free(im->inverse);
    hed_free(im->residual);
    hed_free(im->direction);
    hed_free(im->x_trial);
    hed_free(im->v_trial);
    hed_free(im->work);
    hed_free(im->x_start);
    hed_free(im->v_start);
    *im = (HedImplicit){0};
}
