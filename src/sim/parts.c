// SPDX-License-Identifier: MIT
#include "sim/parts.h"
#include "base/alloc.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

static const HedPart* first_of(const HedSim* sim) {
    return sim->parts.list.data;
}

static const HedPart* end_of(const HedSim* sim) {
    return sim->parts.list.data + sim->parts.list.count;
}

HedStatus hed_parts_prepare(HedSim* sim, HedError* error) {
    HedParts* own = &sim->parts;
    own->state_count = 0;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        HedPartSetup setup = {.load = sim->load ? sim->load + part->first_point : NULL,
                              .has_self = sim->def.self_collision,
                              .friction = sim->def.self_friction};
        HedStatus status = part->type->prepare(part->self, &setup, error);
        if (status != HED_OK) {
            return status;
        }
        own->state_count += part->type->state_count(part->self);
    }
    if (own->list.count == 0) {
        return HED_OK;
    }
    own->hold = HED_NEW_ARRAY(uint8_t, sim->x.count);
    return own->hold ? HED_OK : hed_fail_memory(error, "what holds parts");
}

void hed_parts_free(HedSim* sim) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->destroy(part->self);
    }
    hed_free(sim->parts.list.data);
    hed_free(sim->parts.hold);
}

const HedPart* hed_sim_part_at(const HedSim* sim, int32_t point) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        if (point >= part->first_point && point - part->first_point < part->point_count) {
            return part;
        }
    }
    return NULL;
}

bool hed_sim_is_part_range(const HedSim* sim, int32_t range) {
    return hed_sim_part_at(sim, sim->ranges.first[range]) != NULL;
}

// How pins hold points. Where several hold one, the last does.
static void find_holds(HedSim* sim) {
    memset(sim->parts.hold, HED_HOLD_FREE, (size_t)sim->x.count);
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            sim->parts.hold[pin->points[k]] = pin->clamps ? HED_HOLD_CLAMP : HED_HOLD_PLACE;
        }
    }
}

HedStatus hed_parts_begin(HedSim* sim, double t, double h, const HedVec3* x) {
    HedStatus status = HED_OK;
    if (sim->parts.list.count > 0) {
        find_holds(sim);
    }
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        HedPartStep step = {
            .time = t,
            .size = h,
            .is_static = sim->def.integrator == HED_QUASI_STATIC,
            .hold = sim->parts.hold + part->first_point,
            .target = x + part->first_point,
        };
        HedStatus own = part->type->begin(part->self, &step);
        status = status == HED_OK ? own : status;
    }
    return status;
}

static HedReason passed(const HedSim* sim, const HedPart* part, HedStepReport* report) {
    snprintf(report->trouble, sizeof report->trouble,
             "parts of yarns '%.60s' would have gone through each other",
             hed_sim_cloth_at(sim, part->first_point)->name);
    return HED_REASON_TUNNELED;
}

HedReason hed_parts_guess(HedSim* sim, HedStepReport* report) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        if (part->type->is_too_fast(part->self)) {
            return passed(sim, part, report);
        }
    }
    if (!hed_sim_touches_begin(sim)) {
        snprintf(report->trouble, sizeof report->trouble,
                 "yarns would have gone through each other");
        return HED_REASON_TUNNELED;
    }
    return HED_REASON_CONVERGED;
}

HedReason hed_parts_check(HedSim* sim, HedStepReport* report) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        if (part->type->has_passed(part->self)) {
            return passed(sim, part, report);
        }
    }
    return HED_REASON_CONVERGED;
}

double hed_parts_accept(HedSim* sim) {
    double heat = sim->touches ? hed_touches_accept(sim->touches) : 0.0;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        heat += part->type->accept(part->self);
    }
    hed_parts_get_points(sim);
    return heat;
}

void hed_parts_trial_points(const HedSim* sim, HedVec3* x) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->trial_points(part->self, x + part->first_point);
    }
}

void hed_parts_get_points(HedSim* sim) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->get_points(part->self, sim->x.data + part->first_point,
                               sim->v.data + part->first_point);
    }
}

void hed_parts_set_points(HedSim* sim) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->set_points(part->self, sim->x.data + part->first_point,
                               sim->v.data + part->first_point);
    }
}

void hed_parts_save(const HedSim* sim, double* state) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->save(part->self, state);
        state += part->type->state_count(part->self);
    }
}

void hed_parts_restore(HedSim* sim, const double* state) {
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->restore(part->self, state);
        state += part->type->state_count(part->self);
    }
    hed_parts_get_points(sim);
}

void hed_parts_add_forces(HedSim* sim, double h, bool is_still, HedVec3* force) {
    HedVec3* own = sim->implicit.scratch;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        part->type->forces(part->self, h, is_still, own);
        for (int32_t k = 0; k < part->point_count; ++k) {
            force[part->first_point + k] = hed_add3(force[part->first_point + k], own[k]);
        }
    }
    hed_sim_touches_add_forces(sim, force);
}

double hed_parts_contact_energy(const HedSim* sim) {
    double sum = sim->touches ? sim->touches->energy : 0.0;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        sum += part->type->contact_energy(part->self);
    }
    return sum;
}

double hed_parts_drag(HedSim* sim, double h) {
    double sum = 0.0;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        sum += part->type->drag(part->self, h);
    }
    return sum;
}

// --- what comes apart ---

void hed_parts_count_gone(HedSim* sim) {
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        HedPart* part = &sim->parts.list.data[k];
        part->gone_count = part->type->gone_count(part->self);
    }
}

void hed_parts_note_gone(const HedSim* sim, HedStepReport* report) {
    report->gone_count = 0;
    for (const HedPart* part = first_of(sim); part != end_of(sim); ++part) {
        int32_t gone = part->type->gone_count(part->self) - part->gone_count;
        if (gone > 0) {
            const char* name = hed_sim_cloth_at(sim, part->first_point)->name;
            report->gone_count += gone;
            part->type->tell_gone(part->self, name, report->gone, sizeof report->gone);
        }
    }
}
