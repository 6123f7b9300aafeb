// SPDX-License-Identifier: MIT
// Where an implicit step has no inertia: states at rest.
#include "sim/newton_inner.h"

#include "geom/box.h"
#include "sim/watch.h"

#include <float.h>

// The exact matrix, if it is positive. Yarns that can turn as a whole have one that is only just
// not: a larger shift makes it so. It costs little to find out, for their factors say it at once.
static bool find_exact(HedStep* step, HedStepReport* report) {
    const double more = 30.0;
    double kept = step->shift;
    int tries = step->sim->retract ? 4 : 1;
    for (int k = 0; k < tries; ++k) {
        if (hed_newton_assemble(step, (HedForm){.is_exact = true}) &&
            hed_newton_find_direction(step, step->sim->def.linear_tolerance, report, NULL) >= 0) {
            return true;
        }
        step->shift *= more;
    }
    step->shift = kept;
    return false;
}

// Near a solution the exact matrix is positive and Newton's method doubles its digits; where
// compression makes it indefinite, the positive form takes over for a while.
static bool find_direction(HedStep* step, HedStepReport* report) {
    if (step->exact_after > 0) {
        step->exact_after -= 1;
    } else if (find_exact(step, report)) {
        return true;
    } else {
        step->exact_after = 1;
    }
    return hed_newton_assemble(step, (HedForm){0}) &&
           hed_newton_find_direction(step, step->sim->def.linear_tolerance, report, NULL) >= 0;
}

// N: what may stay unbalanced at rest, if the def does not say: a thousandth of a point's weight,
// or of the largest force on a held point where nothing weighs.
static double force_tolerance(const HedSim* sim) {
    if (sim->def.force_tolerance > 0.0) {
        return sim->def.force_tolerance;
    }
    double mass = 0.0;
    double pull = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        mass += sim->mass.data[i];
        pull = fmax(pull, sim->inverse_mass[i] > 0.0 ? 0.0 : hed_norm3(sim->force[i]));
    }
    double weight = mass / sim->x.count * hed_norm3(sim->def.gravity);
    return 1e-3 * (weight > 0.0 ? weight : pull);
}

// N: positions are rounded, so forces cannot be balanced better than stiffness times that.
static double rounding_of(const HedSim* sim) {
    double most = 0.0;
    double size = hed_team_max_abs(&sim->team, &sim->implicit.x_trial->x, 3 * sim->x.count);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        const HedMat3* d = &sim->implicit.matrix.diagonal[i];
        most = fmax(most, d->m[0][0] + d->m[1][1] + d->m[2][2]);
    }
    return DBL_EPSILON * size * most;
}

// Statics: the same iteration with a shift of the matrix in place of inertia (Levenberg 1944), made
// smaller while whole corrections are taken and larger when they have to be cut.
//
// What nothing holds falls until it meets a body. Contacts with bodies are known for a little
// motion only, so no correction goes further than a part of the size of everything, and after each
// that goes further than yarns or sheets are thick what it has met is looked for.
typedef struct Reach {
    double most; // m, of a correction; infinite without bodies
    double thin; // m, the least distance that is kept from bodies
} Reach;

static Reach reach_of(const HedSim* sim) {
    const double part = 0.1;
    Reach reach = {HUGE_VAL, HUGE_VAL};
    if (sim->bodies.count == 0) {
        return reach;
    }
    HedBox box = hed_box_empty();
    for (int32_t i = 0; i < sim->x.count; ++i) {
        box = hed_box_add(box, sim->x_old[i]);
        reach.thin = fmin(reach.thin, sim->half_thickness.data[i]);
    }
    reach.most = part * hed_distance3(box.low, box.high);
    return reach;
}

// Makes the direction no longer than that; returns whether it was, and its length.
static bool shorten(const HedSim* sim, double most, double* length) {
    double* d = &sim->implicit.direction->x;
    *length = hed_team_max_abs(&sim->team, d, 3 * sim->x.count);
    if (!(*length > most)) {
        return false;
    }
    for (int32_t k = 0; k < 3 * sim->x.count; ++k) {
        d[k] *= most / *length;
    }
    *length = most;
    return true;
}

// Bodies that are met on the way.
static void meet_bodies(HedStep* step) {
    int32_t added = 0;
    hed_sim_note(step->sim, hed_implicit_meet(step, &added));
    if (added > 0) {
        hed_newton_find_residual(step);
    }
}

HedReason hed_newton_rest(HedStep* step, HedStepReport* report) {
    HedSim* sim = step->sim;
    int32_t limit = 20 * sim->def.newton_iterations;
    const double most = 1.0 / (step->h * step->h);
    double before = HUGE_VAL;
    Reach reach = reach_of(sim);
    step->shift = 1e-2 * most;
    hed_newton_find_residual(step);
    for (int32_t k = 0; k < limit; ++k) {
        if (hed_sim_is_stopped(sim)) {
            return HED_REASON_STOPPED;
        }
        double left = hed_newton_largest_residual(sim);
        if (!isfinite(left)) {
            return HED_REASON_NOT_FINITE;
        }
        bool has_stalled = left > 0.3 * before; // then a correction changes nothing but rounding
        if (left <= force_tolerance(sim) || (has_stalled && left <= rounding_of(sim))) {
            return HED_REASON_CONVERGED;
        }
        before = left;
        if (!find_direction(step, report)) {
            return HED_REASON_MAX_ITERATIONS; // all is finite, but there is no way down: nothing
                                              // holds it
        }
        report->iterations += 1;
        double length;
        bool is_short = shorten(sim, reach.most, &length);
        double gone = hed_newton_search(step);
        if (gone == 0.0) {
            return hed_newton_blocked_by(step);
        }
        if (gone * length > reach.thin) {
            meet_bodies(step);
        }
        double change = gone < 1.0 ? 4.0 : is_short ? 1.0 : 0.1;
        step->shift = fmin(most, change * step->shift);
    }
    return HED_REASON_MAX_ITERATIONS;
}
