// SPDX-License-Identifier: MIT
// States at rest: what may be left of forces, and how far corrections may go.
//
// What nothing holds falls until it meets a body. Contacts with bodies are known for a little
// motion only, so no correction goes further than a part of the size of everything, and after each
// that goes further than yarns or sheets are thick what it has met is looked for.
#include "sim/newton.h"

#include "geom/box.h"

#include <float.h>

// N: what may stay unbalanced at rest, if the def does not say: a thousandth of a point's weight,
// or of the largest force on a held point where nothing weighs.
static double point_tolerance(const HedSim* sim) {
    if (sim->def.force_tolerance > 0.0) {
        return sim->def.force_tolerance;
    }
    double mass = 0.0;
    double pull = 0.0;
    int32_t count = 0;
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        bool is_part = hed_sim_is_part_range(sim, r);
        for (int32_t i = sim->ranges.first[r]; !is_part && i < sim->ranges.first[r + 1]; ++i) {
            mass += sim->mass.data[i];
            pull = fmax(pull, sim->inverse_mass[i] > 0.0 ? 0.0 : hed_norm3(sim->force[i]));
            count += 1;
        }
    }
    double weight = count > 0 ? mass / count * hed_norm3(sim->def.gravity) : 0.0;
    return 1e-3 * (weight > 0.0 ? weight : pull);
}

// Infinite where nothing may be left, as long as nothing weighs and no held point is pulled; not a
// number only for forces that are none.
static double ratio(double force, double tolerance) {
    return force == 0.0 ? 0.0 : isfinite(force) ? force / tolerance : (double)NAN;
}

double hed_newton_rest_left(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    const HedImplicit* im = &sim->implicit;
    double most = 0.0;
    if (im->has_points) {
        most = ratio(hed_team_max_abs(&sim->team, im->residual, 3 * sim->x.count),
                     point_tolerance(sim));
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        double force = hed_team_max_abs(&sim->team, im->residual + part->first, part->size);
        double own = ratio(force, part->type->force_tolerance(part->self));
        most = isnan(own) || own > most ? own : most;
    }
    return most;
}

// Positions are rounded, so forces cannot be balanced better than stiffness times that.
double hed_newton_rest_noise(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    if (!sim->implicit.has_points) {
        return 0.0;
    }
    double most = 0.0;
    double size = hed_team_max_abs(&sim->team, &sim->implicit.x_trial->x, 3 * sim->x.count);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        const HedMat3* d = &sim->implicit.matrix.diagonal[i];
        most = fmax(most, d->m[0][0] + d->m[1][1] + d->m[2][2]);
    }
    return ratio(DBL_EPSILON * size * most, point_tolerance(sim));
}

// How far a correction may go.
typedef struct Reach {
    double most; // m, infinite without bodies
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

static double length_of(const HedSim* sim) {
    return hed_team_max_abs(&sim->team, sim->implicit.direction, sim->implicit.size);
}

bool hed_newton_rest_shorten(void* self) {
    const HedStep* step = self;
    const HedSim* sim = step->sim;
    double most = reach_of(sim).most;
    double length = length_of(sim);
    if (!(length > most)) {
        return false;
    }
    for (int32_t k = 0; k < sim->implicit.size; ++k) {
        sim->implicit.direction[k] *= most / length;
    }
    return true;
}

bool hed_newton_rest_meet(void* self, double share) {
    const HedStep* step = self;
    HedSim* sim = step->sim;
    int32_t added = 0;
    if (share * length_of(sim) > reach_of(sim).thin) {
        hed_sim_note(sim, hed_implicit_meet(step, &added));
    }
    return added > 0;
}

void hed_newton_rest_begin(HedStep* step) {
    HedNewton* newton = &step->newton;
    newton->left = hed_newton_rest_left;
    newton->noise = hed_newton_rest_noise;
    newton->shorten = hed_newton_rest_shorten;
    newton->meet = hed_newton_rest_meet;
    newton->exact_tries = step->sim->retract ? 4 : 1;
    newton->first_shift = 1e-2 / (step->h * step->h);
    newton->most_shift = 1e8 / (step->h * step->h);
    newton->iterations = 20 * step->sim->def.newton_iterations;
}
