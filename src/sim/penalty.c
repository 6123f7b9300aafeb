// SPDX-License-Identifier: MIT
// Bodies that push by a penalty in explicit steps (Kaldor 2011, equation 4.13): the normal force is
// one of the forces of a step. Friction is applied after the step, as by the filter of other
// bodies: a force of slip would be stiffer than anything else.
#include "sim/internal.h"

bool hed_sim_has_penalty(const HedSim* sim) {
    bool has = false;
    for (int32_t b = 0; b < sim->bodies.count && !has; ++b) {
        has = sim->bodies.data[b].response == HED_RESPONSE_PENALTY;
    }
    return has && !hed_sim_is_by_position(sim) && !hed_sim_is_implicit(sim);
}

// What touches bodies of this kind at a state. Others are looked for again by filters.
static void find(HedSim* sim, const HedVec3* x, const HedVec3* v, double time) {
    sim->contacts.only = HED_RESPONSE_PENALTY;
    hed_sim_note(sim, hed_contacts_find(&sim->contacts, x, v, time, 0.0, NULL));
    sim->contacts.only = HED_RESPONSE_FILTER;
}

HedPower hed_sim_penalty_force(HedSim* sim, const HedVec3* x, const HedVec3* v, double time,
                               HedVec3* force) {
    HedPower power = {0};
    if (sim->has_penalty) {
        find(sim, x, v, time);
        for (int32_t k = 0; k < sim->contacts.list.count; ++k) {
            sim->contacts.list.data[k].limit = 0.0;
        }
        power = hed_contacts_add_force(&sim->contacts, x, v, time, force);
    }
    return power;
}

void hed_sim_penalty_end(HedSim* sim, double time, double h, HedStepReport* report) {
    if (!sim->has_penalty) {
        return;
    }
    find(sim, sim->x.data, sim->v.data, time);
    HedPower work = hed_contacts_rub(&sim->contacts, sim->inverse_mass, h, sim->v.data);
    sim->count.dissipated += work.dissipated;
    sim->count.external += work.external;
    hed_contacts_add_push(&sim->contacts, h, sim->contact_force);
    report->contact_count += sim->contacts.list.count;
    report->penetration = fmax(report->penetration, hed_contacts_depth(&sim->contacts));
}

void hed_sim_penalty_bound(const HedSim* sim, double* sum) {
    double stiffest = 0.0; // N/m per m^2, of all bodies that may touch at once
    for (int32_t b = 0; b < sim->bodies.count && hed_sim_has_penalty(sim); ++b) {
        const HedBody* body = &sim->bodies.data[b];
        stiffest += body->response == HED_RESPONSE_PENALTY ? body->stiffness : 0.0;
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sum[i] += 2.0 * stiffest * sim->area.data[i]; // its own, and those of edges and faces
    }
}
