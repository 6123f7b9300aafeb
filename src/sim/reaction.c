// SPDX-License-Identifier: MIT
// The force by which a pin holds cloth. It balances all others on the points that are held; the
// inertia of these points themselves, which a fast pin would have to add, is left out.
//
// A pin that starts with a jerk has its speed from the start on, while nothing has moved yet:
// before the first step no velocity counts, so the force is that of the start shape at rest. One
// that stops with a jerk has no speed any more at the end of its last step, while what it pulls
// still follows: where steps leave velocities behind instead of solving for them, what is held has
// that of its way in the step.
#include "base/alloc.h"
#include "sim/reader.h"

#include <string.h>

static void take_ways(const HedSim* sim, HedVec3* rates) {
    double time = hed_sim_time(sim);
    double h = sim->def.time_step;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            HedVec3 now, before, rate;
            hed_pin_place(pin, time, pin->start[k], &now, &rate);
            hed_pin_place(pin, time - h, pin->start[k], &before, &rate);
            rates[pin->points[k]] = hed_mul3(1.0 / h, hed_sub3(now, before));
        }
    }
}

// Velocities that forces are found with; *own: what to free.
static HedStatus find_rates(const HedSim* sim, const HedVec3** rates, HedVec3** own,
                            HedError* error) {
    bool is_still = hed_sim_is_still(sim);
    *rates = sim->v.data;
    *own = NULL;
    if (!is_still && hed_sim_is_implicit(sim)) {
        return HED_OK;
    }
    *rates = *own = HED_NEW_ARRAY(HedVec3, sim->x.count);
    if (!*own) {
        return hed_fail_memory(error, "reactions");
    }
    if (!is_still) {
        memcpy(*own, sim->v.data, sizeof(HedVec3) * (size_t)sim->x.count);
        take_ways(sim, *own);
    }
    return HED_OK;
}

// N, of elements and loads on the points of a pin.
static HedVec3 sum_of_terms(HedSim* sim, const HedPin* pin, const HedEval* at) {
    HedVec3 local[HED_RANGE + 1];
    HedVec3 sum = {0};
    hed_sim_rods_prepare(sim, at->x);
    hed_ties_place(sim, at->time);
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        int32_t first = sim->ranges.first[r];
        int32_t count = sim->ranges.first[r + 1] - first;
        bool is_part = hed_sim_is_part_range(sim, r);
        memset(local, 0, sizeof local);
        for (int32_t k = 0; k < sim->term_count; ++k) {
            if (is_part && sim->terms[k].is_of_points) {
                continue;
            }
            hed_sim_term_force(&sim->terms[k], at, r, local);
        }
        for (int32_t k = 0; k < pin->point_count; ++k) {
            int32_t index = hed_local_index(pin->points[k], first, count);
            sum = index < count ? hed_add3(sum, local[index]) : sum;
        }
    }
    return sum;
}

// N, of other yarns, and of bodies in implicit steps; of everything inside parts.
static HedStatus sum_of_contacts(HedSim* sim, const HedPin* pin, const HedEval* at, HedVec3* sum,
                                 HedError* error) {
    HedStatus status = HED_OK;
    HedVec3* force = sim->yarn_dynamics ? sim->yarn_dynamics->scratch : sim->force;
    memset(force, 0, sizeof(HedVec3) * (size_t)sim->x.count);
    if (sim->yarn_dynamics) {
        HedYarnSum all;
        status = hed_yarn_dynamics_measure(sim, at->v, force, &all, error);
    }
    hed_contacts_add_force(&sim->contacts, at->x, at->v, at->time, force);
    hed_parts_add_forces(sim, sim->def.time_step, hed_sim_is_still(sim), force);
    for (int32_t k = 0; k < pin->point_count; ++k) {
        *sum = hed_add3(*sum, force[pin->points[k]]);
    }
    return status;
}

// Of a pin that holds.
static HedStatus find_reaction(HedSim* sim, int32_t index, HedVec3* reaction, HedError* error) {
    HedStatus status = HED_OK;
    const HedPin* pin = &sim->pins.data[index];
    HedVec3* own = NULL;
    const HedVec3* rates;
    HED_TRY(find_rates(sim, &rates, &own, error));
    HedEval at = hed_sim_eval_at(sim, sim->x.data, rates, hed_sim_time(sim));
    HedVec3 sum = sum_of_terms(sim, pin, &at);
    if (sim->yarn_dynamics || sim->parts.list.count > 0) {
        HED_TRY(sum_of_contacts(sim, pin, &at, &sum, error));
    }
    *reaction = hed_sub3(hed_ties_reaction(sim, index), sum);
done:
    hed_free(own);
    return status;
}

HedStatus hed_sim_reaction(const HedSim* sim, int32_t index, HedVec3* reaction, HedError* error) {
    HedSimReader reader;
    *reaction = (HedVec3){0};
    if (!sim->pins.data[index].is_active) {
        return HED_OK;
    }
    HedStatus status = hed_reader_open(sim, &reader, error);
    if (status == HED_OK) {
        status = find_reaction(reader.sim, index, reaction, error);
    }
    hed_reader_close(&reader);
    return status;
}
