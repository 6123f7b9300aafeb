// SPDX-License-Identifier: MIT
// How large explicit pieces of a step of yarns may be.
#include "contact/yarn_ccd.h"
#include "sim/internal.h"

#include <string.h>

// Symplectic Euler on x'' = -w x - d x' is stable while h^2 w + 2 h d <= 4. Contacts stiffen within
// a step; the part that is left for that was found by driving yarns into each other.
static double stable_with(double w, double d) {
    const double part = 0.5;
    return w > 0.0 ? part * (sqrt(d * d + 4.0 * w) - d) / w : HUGE_VAL;
}

// A size of explicit steps that is stable with all elements and contacts of that rate, s.
static double stable_size(HedSim* sim, HedYarnRate rate) {
    const HedYarnDynamics* own = sim->yarn_dynamics;
    double lightness = hed_sim_splines_lightness(sim);
    double size = stable_with(own->stiffness + lightness * rate.stiffness,
                              own->damping + lightness * rate.damping);
    // Undamped, each step of the midpoint rule multiplies energy by 1 + (h w)^4/4: at a tenth of
    // the others' size the stiffest motion takes 40,000 steps to gain as much as it has.
    return sim->def.integrator == HED_MIDPOINT ? 0.1 * size : size;
}

// In cloth that repeats, points carry what their copies have.
static HedYarnBound bound_of(HedSim* sim) {
    return sim->period ? (HedYarnBound){NULL, HED_NEARLY, sim->yarn_dynamics->scratch}
                       : (HedYarnBound){sim->mass.data, HED_NEARLY, NULL};
}

// Takes the rate of contacts at x for the size of the pieces to come.
static void note_rate(HedSim* sim, HedYarnRate rate, const HedVec3* x, double deepest) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    int32_t count = hed_period_spread_count(sim);
    if (sim->period && own->has_contact) {
        rate.stiffness = hed_period_bound(sim, &own->scratch->x, 3, count);
        rate.damping = hed_period_bound(sim, &own->scratch->y, 3, count);
    }
    own->stable = stable_size(sim, rate);
    own->rated_piece = own->piece;
    own->rated_deepest = deepest;
    own->wants_rate = false;
    memcpy(own->rated, x, sizeof(HedVec3) * (size_t)count);
}

HedYarnSum hed_yarn_dynamics_add_force_rated(HedSim* sim, HedYarnState at, HedVec3* force) {
    HedYarnRate rate;
    HedYarnSum sum =
        hed_yarn_add_force_rated(&sim->yarn_dynamics->contact, at, bound_of(sim), force, &rate);
    note_rate(sim, rate, at.x, sum.deepest);
    return sum;
}

// Finds the stable size from the present state alone.
static void rate_now(HedSim* sim) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    HedYarnRate rate = {0.0, 0.0};
    const HedVec3* x = hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data);
    HedStatus status = HED_OK;
    if (own->has_contact) {
        status = hed_yarn_update_ahead(&own->contact, x, HED_NEARLY, &sim->why);
        hed_sim_note(sim, status);
    }
    if (own->has_contact && status == HED_OK) {
        HedYarnState at = {x, hed_period_spread(sim, HED_YARN_ROOM_V, sim->v.data), own->ahead};
        rate = hed_yarn_rate(&own->contact, at, bound_of(sim));
    }
    note_rate(sim, rate, x, HUGE_VAL);
}

// What was found at one state holds while no yarns come nearer than what counted as touching then.
// Before that ends it is found anew together with forces, which costs little. At the start of a
// step it follows from the state alone: a run may have been taken up here.
double hed_yarn_dynamics_piece(HedSim* sim, int32_t pieces) {
    enum { OFTEN = 32 };        // pieces after which the size is found anew in any case
    const double deeper = 0.02; // of r_i + r_j, of the deepest contact, before it is found again
    HedYarnDynamics* own = sim->yarn_dynamics;
    own->piece = pieces;
    if (pieces == 0) {
        own->deepest = 1.0;
        hed_yarn_dynamics_begin(
            sim, fmin(sim->def.time_step, stable_with(own->stiffness, own->damping)));
        rate_now(sim);
        own->wants_rate = true; // with how far friction looks ahead in a piece of that size
    }
    int32_t age = pieces - own->rated_piece;
    if (!own->has_contact || age <= 0) {
        return own->stable;
    }
    if (own->rated_deepest == HUGE_VAL) {
        own->rated_deepest = own->deepest;
    }
    double far = HED_NEARLY * own->least_reach; // that yarns may come nearer after it was found, m
    double ahead = 1.1 * (age + 1) / age;       // after this piece, if motion goes on
    const HedVec3* x = hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data);
    double nearer = hed_yarn_approach_within(&own->contact, own->rated, x, far / ahead);
    if (nearer > far) {
        rate_now(sim);
        return own->stable;
    }
    own->wants_rate =
        ahead * nearer > far || age >= OFTEN || own->deepest < own->rated_deepest - deeper;
    return own->stable;
}
